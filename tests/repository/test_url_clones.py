"""URLs are cloned into a folder, updated, and never trusted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from urllib.parse import unquote

import pytest

import trackdown
from tests.conftest import Repo
from tests.repository.http_origin import served
from tests.repository.programs import REAL_GIT, put_in_place_of_git
from trackdown.errors import RepositoryError
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import Source
from trackdown.repository.url_clones import clone_address, clone_folder, open_url
from trackdown.settings import load_settings
from trackdown.store.store import FORMAT


@pytest.fixture
def origin(tmp_path: Path) -> Repo:
    """A repository to clone."""
    made = Repo(tmp_path / "origin")
    made.commit("Begin", {"a.py": "a = 1\n"})
    return made


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    """A folder for clones, not yet made."""
    return tmp_path / "store" / "clones"


def paths_at_head(source: Source) -> list[str]:
    head = source.head()
    assert head is not None
    return [file.path for file in commit_snapshot(source, head).files]


def test_a_url_is_cloned_once_and_updated_at_the_next_opening(origin: Repo, clones: Path) -> None:
    url = f"file://{origin.root}"
    source, note = open_url(url, clones)
    assert note is None
    assert (source.name, source.kind, source.url, source.subfolder) == ("origin", "bare", url, "")
    assert source.root == clone_folder(clones, url)
    assert paths_at_head(source) == ["a.py"]
    assert [entry.name for entry in clones.iterdir()] == [source.root.name]

    newer = origin.commit("Second", {"b.py": "b = 1\n"})
    again, note = open_url(url, clones)
    assert note is None and again == source
    assert again.head() == newer and paths_at_head(again) == ["a.py", "b.py"]


def test_rewritten_and_deleted_branches_are_followed(origin: Repo, clones: Path) -> None:
    origin.git("branch", "short-lived")
    open_url(f"file://{origin.root}", clones)
    origin.git("branch", "-D", "short-lived")
    origin.git("commit", "-q", "--amend", "-m", "Rewritten")
    source, note = open_url(f"file://{origin.root}", clones)
    assert note is None
    assert source.head() == origin.git("rev-parse", "HEAD")
    assert source.git is not None and source.git.text("branch", "--format=%(refname:short)") == "main"


def test_a_new_name_of_the_main_branch_is_followed(origin: Repo, clones: Path) -> None:
    open_url(f"file://{origin.root}", clones)
    origin.git("branch", "-m", "main", "trunk")
    newer = origin.commit("Second", {"b.py": "b = 1\n"})
    source, note = open_url(f"file://{origin.root}", clones)
    assert note is None and source.head() == newer


def test_an_origin_that_was_empty_is_searched_once_it_has_a_commit(tmp_path: Path, clones: Path) -> None:
    origin = Repo(tmp_path / "late")
    with pytest.raises(RepositoryError, match=r"^cannot clone file://.*/late: it has no commit yet$"):
        open_url(f"file://{origin.root}", clones)
    assert list(clones.iterdir()) == []
    commit = origin.commit("Begin", {"a.py": "a = 1\n"})
    assert open_url(f"file://{origin.root}", clones)[0].head() == commit


def test_an_origin_that_names_no_branch_any_more_removes_nothing(origin: Repo, clones: Path) -> None:
    url = f"file://{origin.root}"
    before, _ = open_url(url, clones)
    origin.git("update-ref", "-d", "refs/heads/main")
    source, note = open_url(url, clones)
    assert note is not None and "its server names no branch" in note
    assert source.head() == before.head() and paths_at_head(source) == ["a.py"]


def test_when_the_origin_has_vanished_the_last_state_is_searched_with_a_note(origin: Repo, clones: Path) -> None:
    url = f"file://{origin.root}"
    open_url(url, clones)
    shutil.rmtree(origin.root)
    source, note = open_url(url, clones)
    assert note is not None and "could not be updated" in note and url in note and "\n" not in note
    assert paths_at_head(source) == ["a.py"]


def test_two_urls_never_share_a_clone(clones: Path) -> None:
    urls = ["https://a.org/x.git", "https://b.org/x.git", "https://a.org/x", "https://a.org/X.git"]
    assert len({clone_folder(clones, url) for url in urls}) == len(urls)
    assert all(clone_folder(clones, url).parent == clones for url in [*urls, "https://a.org/..", "git@a.org:../../x"])


def test_a_clone_that_fails_is_one_line_and_leaves_nothing_behind(tmp_path: Path, clones: Path) -> None:
    url = f"file://{tmp_path}/missing"
    with pytest.raises(RepositoryError, match=r"^cannot clone file://") as caught:
        open_url(url, clones)
    assert "\n" not in str(caught.value)
    assert list(clones.iterdir()) == []


def test_a_clone_that_breaks_off_leaves_nothing_behind(origin: Repo, clones: Path) -> None:
    oid = origin.git("rev-parse", "HEAD:a.py")
    (origin.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(RepositoryError, match=r"^cannot clone "):
        open_url(f"file://{origin.root}", clones)
    assert list(clones.iterdir()) == []


def test_an_interrupted_clone_leaves_nothing_behind(
    origin: Repo, clones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stall = f'case "$*" in *clone*) for last; do :; done; mkdir "$last"; exec sleep 60;; esac; exec {REAL_GIT} "$@"'
    put_in_place_of_git(monkeypatch, tmp_path / "bin", stall)

    def interrupt(number: int, frame: FrameType | None) -> None:
        assert len(list(clones.iterdir())) == 1
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    try:
        with pytest.raises(KeyboardInterrupt):
            open_url(f"file://{origin.root}", clones)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert list(clones.iterdir()) == []


def test_two_processes_that_clone_at_once_end_with_one_clone(
    origin: Repo, clones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"file://{origin.root}"
    folder = clone_folder(clones, url)
    other = f'case "$*" in *" clone "*) {REAL_GIT} clone -q --mirror {origin.root} {folder};; esac; {REAL_GIT} "$@"'
    put_in_place_of_git(monkeypatch, tmp_path / "bin", other)
    source, note = open_url(url, clones)
    assert note is None and paths_at_head(source) == ["a.py"]
    assert list(clones.iterdir()) == [folder]


@pytest.mark.parametrize("secret", ["s3cr3t", "s3@cr3t", "s3:cr3t"])
def test_a_password_is_shown_in_no_message_and_no_name(origin: Repo, clones: Path, secret: str) -> None:
    url = f"https://user:{secret}@127.0.0.1:1/x.git"
    with pytest.raises(RepositoryError) as caught:
        open_url(url, clones)
    assert "127.0.0.1" in str(caught.value)
    folder = clone_folder(clones, url)
    origin.git("clone", "-q", "--mirror", ".", str(folder))
    subprocess.run([REAL_GIT, "config", "remote.origin.url", url], cwd=folder, check=True)
    source, note = open_url(url, clones)
    shown = [str(caught.value), str(note), source.name, str(source.root)]
    shown.append(str(clone_folder(clones, f"https://user:{secret}@host")))
    assert note is not None and not [text for text in shown if "cr3t" in text]


def holds(folder: Path, secret: str) -> list[Path]:
    """The files and names below a folder that have a text in them."""
    found = [path for path in folder.rglob("*") if secret in path.name]
    return found + [path for path in folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def command_lines(stop: threading.Event, found: set[str]) -> None:
    """Gather the command lines of all processes but this one."""
    while not stop.is_set():
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) != os.getpid():
                with suppress(OSError):
                    found.add(
                        Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                    )
        time.sleep(0.005)


@pytest.mark.parametrize("password", ["s3cr3t", "s3@c:r3t", "s3%2Fcr%25\\$r3t'\"`x"])
def test_a_password_reaches_the_server_and_nothing_else(
    origin: Repo, clones: Path, tmp_path: Path, password: str
) -> None:
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("command lines are looked up in /proc")
    found: set[str] = set()
    stop = threading.Event()
    watcher = threading.Thread(target=command_lines, args=(stop, found))
    with served(origin, tmp_path / "web", f"user:{unquote(password)}", delay=0.02) as host:
        watcher.start()
        try:
            source, note = open_url(f"http://user:{password}@{host}/x.git", clones)
            again, second = open_url(f"http://user:{password}@{host}/x.git", clones)
        finally:
            stop.set()
            watcher.join()
        with pytest.raises(RepositoryError) as caught:
            open_url(f"http://user:wrong{password}@{host}/x.git", tmp_path / "others")
    assert (note, second, again) == (None, None, source)
    assert source.url == f"http://{host}/x.git" and paths_at_head(source) == ["a.py"]
    assert [line for line in found if "remote-http" in line and host in line]
    shown = [str(caught.value), repr(source), *found]
    for text in (password, unquote(password)):
        assert not holds(clones, text) and not [line for line in shown if text in line]


def test_a_token_in_place_of_a_user_is_not_kept(origin: Repo, clones: Path, tmp_path: Path) -> None:
    with served(origin, tmp_path / "web", "t0k3n:") as host:
        with pytest.raises(RepositoryError) as caught:
            open_url(f"http://t0k3n@{host}/x.git", clones)
        source, _ = open_url(f"http://t0k3n:@{host}/x.git", clones)
    assert "t0k3n" not in str(caught.value) and not holds(clones, "t0k3n")
    assert paths_at_head(source) == ["a.py"]


def test_a_credential_helper_gives_the_password(
    origin: Repo, clones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(origin, tmp_path / "web", "user:s3cr3t") as host:
        (tmp_path / "kept").write_text(f"http://user:s3cr3t@{host}\n")
        (tmp_path / "gitconfig").write_text(f"[credential]\n\thelper = store --file {tmp_path}/kept\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
        for url in (f"http://{host}/x.git", f"http://user@{host}/x.git"):
            source, note = open_url(url, clones)
            assert note is None and paths_at_head(source) == ["a.py"]
        (tmp_path / "kept").unlink()
        assert open_url(f"http://user:s3cr3t@{host}/x.git", clones)[1] is None
    assert not (tmp_path / "kept").exists()  # what was typed is not given to it
    assert len(list(clones.iterdir())) == 1


def test_a_password_that_an_earlier_version_kept_is_forgotten(origin: Repo, tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path)}, store=tmp_path / "store", models="none")
    trackdown.open(origin.root, settings=settings).close()
    (tmp_path / "store" / FORMAT).rename(tmp_path / "store" / "v1")
    clones = tmp_path / "store" / "v1" / "clones"
    for name, url in (("a", "https://user:s3cr3t@host/x.git"), ("b", "https://user:s3/cr3t@host/x.git")):
        origin.git("clone", "-q", "--mirror", ".", str(clones / f"{name}.git"))
        origin.git("--git-dir", str(clones / f"{name}.git"), "config", "remote.origin.url", url)
    trackdown.open(f"file://{origin.root}", settings=settings).close()
    assert not holds(clones, "cr3t")
    assert "https://host/x.git" in (clones / "a.git" / "config").read_text()


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://user:pass@host/x.git", "https://host/x.git"),
        ("https://token@host:8443/x@v1.git", "https://host:8443/x@v1.git"),
        ("https://host/a@b", "https://host/a@b"),
        ("ssh://git@host/x.git", "ssh://git@host/x.git"),
        ("ssh://git:pass@host:22/x.git", "ssh://git@host:22/x.git"),
        ("git@host:x.git", "git@host:x.git"),
        ("git://user@host/x", "git://host/x"),
        ("file:///a@b/x", "file:///a@b/x"),
    ],
)
def test_an_address_has_no_credentials(url: str, plain: str) -> None:
    address = clone_address(url)
    assert address.url == plain and "pass" not in repr(address) and "token" not in repr(address)


@pytest.mark.parametrize("url", ["https://user:s3/cr3t@host/x.git", "https://user:s3%0Acr3t@host/x.git"])
def test_a_password_that_cannot_be_told_from_the_rest_is_refused_unseen(clones: Path, url: str) -> None:
    with pytest.raises(RepositoryError, match=r"^cannot clone https://host/x.git: ") as caught:
        open_url(url, clones)
    assert "cr3t" not in str(caught.value) and not clones.exists()


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% {mark}",
        "--upload-pack=touch {mark}",
        "-utouch {mark}",
        "ssh://-oProxyCommand=touch${{IFS}}{mark}/x",
        "-oProxyCommand=touch${{IFS}}{mark}@host:x",
        "git@-oProxyCommand=touch${{IFS}}{mark}:x",
    ],
)
def test_a_url_that_would_run_a_program_is_refused(clones: Path, tmp_path: Path, url: str) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(RepositoryError):
        open_url(url.format(mark=mark), clones)
    assert not mark.exists()
    assert list(clones.iterdir()) == []


def test_a_transport_that_runs_programs_would_work_if_it_were_allowed(clones: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = [REAL_GIT, "-c", "protocol.ext.allow=always", "clone", f"ext::sh -c touch% {mark}", str(tmp_path / "x")]
    subprocess.run(command, capture_output=True, check=False)
    assert mark.exists()


def test_only_we_can_read_clones(origin: Repo, clones: Path) -> None:
    before = os.umask(0)
    try:
        open_url(origin.root.as_uri(), clones)
        origin.commit("More", {"src/more.py": "def more(): pass\n"})
        source, _ = open_url(origin.root.as_uri(), clones)
    finally:
        os.umask(before)
    opened = [path for path in (clones, *source.root.rglob("*")) if path.stat().st_mode & 0o077]
    assert opened == []
