"""Git runs safely in repositories of strangers, and its failures become one line."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from types import FrameType

import pytest

from tests.conftest import Repo
from tests.repository.programs import REAL_GIT, put_in_place_of_git, without_git, write_program
from trackdown.errors import GitError, MissingObject
from trackdown.repository.blobs import BlobReader
from trackdown.repository.git import check_version, environment, git_error, run
from trackdown.repository.history import list_commits, read_commits
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree

CODE = "def f():\n    return 1\n"


def sign(repo: Repo) -> None:
    """Give the last commit a signature that somebody could be asked to verify."""
    text = repo.git("cat-file", "commit", "HEAD")
    head, _, message = text.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc=\n -----END PGP SIGNATURE-----"
    oid = repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{head}\n{signature}\n\n{message}\n".encode())
    repo.git("update-ref", "HEAD", oid)


def make_hostile(repo: Repo, mark: Path) -> None:
    """Let everything that a repository's own configuration can name leave a mark when it is run."""
    program = write_program(repo.root.parent / "evil", f"touch {mark}\ncat 2>/dev/null\nexit 0")
    hooks = repo.root.parent / "hooks"
    for name in ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        write_program(hooks / name, f"touch {mark}")
    repo.write(".gitattributes", "*.py diff=evil filter=evil\n*.txt filter=a=b\n")
    repo.write("old.py", CODE * 5)
    repo.write("notes.txt", "words\n")
    repo.commit("Begin")
    repo.git("mv", "old.py", "new.py")
    repo.commit("Move", {"new.py": CODE * 6})
    sign(repo)
    for name, value in {
        "core.fsmonitor": program,
        "core.hooksPath": hooks,
        "core.pager": program,
        "core.editor": program,
        "core.askPass": program,
        "core.sshCommand": program,
        "core.alternateRefsCommand": program,
        "diff.external": program,
        "diff.evil.command": program,
        "diff.evil.textconv": program,
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.required": "true",
        "filter.a=b.process": program,
        "log.showSignature": "true",
        "gpg.program": program,
        "diff.orderFile": "/does/not/exist",
        "status.showUntrackedFiles": "no",
        "color.ui": "always",
        "log.follow": "true",
    }.items():
        repo.git("config", name, str(value))
    time.sleep(0.01)
    repo.write("new.py", CODE * 6 + "\n")
    repo.write("notes.txt", "WORDS\n")


def test_nothing_that_a_repository_names_in_its_configuration_is_run(repo: Repo, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    make_hostile(repo, mark)
    for command in (
        ["status"],
        ["log", "-O/dev/null"],
        ["diff", "-O/dev/null"],
    ):  # it would work: git itself falls for each
        subprocess.run([REAL_GIT, *command], cwd=repo.root, capture_output=True, check=False)
        assert mark.exists(), command
        mark.unlink()

    source = open_source(repo.root)
    head = source.head()
    assert head is not None and source.git is not None
    first = scan_worktree(source, None, 1 << 20)
    scan_worktree(source, first.state, 1 << 20, first.snapshot)
    snapshot = commit_snapshot(source, source.resolve("main"))
    commits = list(read_commits(source.git, list_commits(source.git, head)))
    with BlobReader(source.git) as reader:
        contents = {file.path: reader.read(file.oid) for file in snapshot.files}

    assert not mark.exists()
    assert first.snapshot.dirty
    assert contents["new.py"] == (CODE * 6).encode()
    assert [(change.status, change.old_path) for change in commits[1].changes] == [("R", b"old.py")]


def test_a_lazy_fetch_runs_nothing(repo: Repo, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    program = write_program(tmp_path / "evil", f"touch {mark}")
    repo.commit("Begin", {"a.py": CODE})
    oid = repo.git("rev-parse", "HEAD:a.py")
    (repo.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    repo.git("config", "extensions.partialClone", "origin")
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "protocol.ext.allow", "always")
    for url in (f"ext::{program}", str(repo.root)):
        repo.git("config", "remote.origin.url", url)
        repo.git("config", "remote.origin.uploadpack", str(program))
        subprocess.run([REAL_GIT, "cat-file", "blob", oid], cwd=repo.root, capture_output=True, check=False)
        assert mark.exists()
        mark.unlink()
        source = open_source(repo.root)
        assert source.git is not None
        with BlobReader(source.git) as reader:
            assert reader.read(oid) is None
        scan_worktree(source, None, 1 << 20)
        assert not mark.exists()


def test_filters_of_the_user_are_kept_and_those_of_the_repository_are_not(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    own = tmp_path / "gitconfig"
    own.write_text('[filter "upper"]\n\tclean = tr a-z A-Z\n')
    repo.write(".gitattributes", "*.txt filter=upper\n")
    repo.write("a.txt", "words\n")
    repo.git("-c", "filter.upper.clean=tr a-z A-Z", "add", "-A")
    repo.git("-c", "filter.upper.clean=tr a-z A-Z", "commit", "-q", "-m", "Begin")
    assert repo.git("show", "HEAD:a.txt") == "WORDS"
    os.utime(repo.root / "a.txt", ns=(0, 0))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    assert not scan_worktree(open_source(repo.root), None, 1 << 20).snapshot.dirty

    program = write_program(tmp_path / "evil", f"touch {mark}; tr a-z A-Z")
    repo.git("config", "filter.upper.clean", str(program))
    assert scan_worktree(open_source(repo.root), None, 1 << 20).snapshot.dirty
    assert not mark.exists()


def test_variables_that_point_git_elsewhere_are_ignored(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repo(tmp_path / "other")
    other.commit("Other", {"other.py": CODE})
    repo.commit("Begin", {"mine.py": CODE})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.root / ".git/objects"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.worktree")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(other.root))
    source = open_source(repo.root)
    assert source.root == repo.root
    assert [file.path for file in scan_worktree(source, None, 1 << 20).snapshot.files] == ["mine.py"]
    head = source.head()
    assert head is not None and [file.path for file in commit_snapshot(source, head).files] == ["mine.py"]


def test_git_gets_no_network_and_no_prompt() -> None:
    assert environment()["GIT_ALLOW_PROTOCOL"] == ""
    assert "ext" not in environment(network=True)["GIT_ALLOW_PROTOCOL"].split(":")
    assert environment(network=True)["GIT_TERMINAL_PROMPT"] == "0"


def test_a_missing_git_is_one_clear_line(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_git(monkeypatch, tmp_path / "empty")
    with pytest.raises(GitError) as caught:
        open_source(repo.root)
    assert "git was not found" in str(caught.value) and "\n" not in str(caught.value)


def test_a_plain_folder_needs_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.py").write_text(CODE)
    without_git(monkeypatch, tmp_path / "empty")
    source = open_source(tmp_path / "folder")
    assert [file.path for file in scan_worktree(source, None, 1 << 20).snapshot.files] == ["a.py"]


def test_an_old_git_is_refused_by_name(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_place_of_git(monkeypatch, tmp_path / "bin", "echo git version 2.20.1")
    with pytest.raises(GitError, match=r"^git version 2\.20\.1 is too old: install git 2\.31 or newer$"):
        open_source(repo.root)


@pytest.mark.parametrize("text", ["git version 2.31.0", "git version 3.0.0", "git version 2.39.5 (Apple Git-154)", "?"])
def test_a_newer_git_or_one_that_does_not_tell_is_taken(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place_of_git(monkeypatch, tmp_path / "bin", f"echo '{text}'")
    check_version()


def test_a_git_that_cannot_be_executed_is_one_clear_line(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_bytes(b"\x7fELF nonsense")
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(GitError, match=r"^git cannot be run: "):
        open_source(repo.root)


def test_a_folder_that_is_gone_is_named(repo: Repo) -> None:
    source = open_source(repo.root)
    repo.root.rename(repo.root.parent / "elsewhere")
    assert source.git is not None
    with pytest.raises(GitError, match="is gone"):
        source.git.run("status")


def test_somebody_elses_repository_is_refused_with_the_way_to_trust_it(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("Begin", {"a.py": CODE})
    put_in_place_of_git(monkeypatch, tmp_path / "bin", f'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {REAL_GIT} "$@"')
    with pytest.raises(GitError) as caught:
        open_source(repo.root)
    text = str(caught.value)
    assert "dubious ownership" in text and "\n" not in text
    assert text.endswith(f"trust it with: git config --global --add safe.directory {repo.root}")


@pytest.mark.parametrize(
    ("stderr", "kind", "text"),
    [
        (b"hint: x\nfatal: bad thing\nmore", GitError, "git failed: bad thing"),
        (b"warning: x\nerror: first\nfatal: second\n", GitError, "git failed: first"),
        (b"fatal: unable to read 1234\n", MissingObject, "git failed: unable to read 1234"),
        (b"fatal: transport 'file' not allowed\n", MissingObject, "git failed: transport 'file' not allowed"),
        (b"", GitError, "git failed: exit code 3"),
        (b"fatal: \xff\n", GitError, "git failed: \ufffd"),
    ],
)
def test_what_git_complains_of_becomes_one_line(stderr: bytes, kind: type[GitError], text: str) -> None:
    error = git_error(stderr, 3)
    assert type(error) is kind and str(error) == text


def test_an_interrupt_ends_the_program_that_was_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_place_of_git(monkeypatch, tmp_path / "bin", f"echo $$ > {tmp_path}/pid\nexec sleep 60")

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(["git", "version"], cwd=tmp_path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
