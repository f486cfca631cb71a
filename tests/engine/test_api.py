"""The Python API: what its calls take, give and refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.errors import EmptyRepository, NoSuchPath, QueryError, UnknownRevision, UsageError
from trackdown.settings import Settings
from trackdown.store import Store

Opener = Callable[[Path | str], trackdown.Repository]

CODE = """class Session:
    def sign_cookie(self, value):
        return value + self.secret

    def parse_header(self, line):
        return line.partition(":")
"""


@pytest.fixture
def web(repo: Repo) -> Repo:
    """A repository with two functions, a test, and two commits that changed them together."""
    repo.commit("Begin", {"web/session.py": CODE.replace(" + self.secret", ""), "README.md": "# Web\n"})
    test = "def test_sign_cookie():\n    assert sign_cookie(1)\n"
    repo.commit("Sign the cookie of a session", {"web/session.py": CODE, "tests/test_session.py": test})
    return repo


def test_everything_that_is_exported_is_there() -> None:
    for name in trackdown.__all__:
        assert getattr(trackdown, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = trackdown.no_such_name  # type: ignore[attr-defined]


def test_an_answer_is_a_sequence_with_what_is_worth_knowing(web: Repo, open_repo: Opener) -> None:
    answer = open_repo(web.root).search("sign the session cookie", k=2)
    assert len(answer) == 2 and list(answer) == list(answer.results) and answer[:1] == answer.results[:1]
    assert answer[0].symbol == "Session.sign_cookie" and answer[0].why[0].signal == "lexical"
    assert (answer.query, answer.level, answer.notes, answer.partial) == (
        "sign the session cookie",
        "function",
        (),
        False,
    )
    assert "check" in answer.timings_ms and "lexical" in answer.timings_ms


def test_a_repository_is_a_context_manager_and_lets_go(web: Repo, settings: Settings) -> None:
    with trackdown.open(web.root, settings=settings) as opened:
        assert opened.search("cookie").results
        wal = Path(f"{next(settings.store.glob('v*/facts.sqlite3'))}-wal")
        assert wal.exists()
    assert not wal.exists(), "the last connection was not closed"


def test_the_current_folder_is_opened_by_default(
    web: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(web.root / "web")
    answer = trackdown.open(settings=settings).search("sign cookie")
    assert {result.path for result in answer} == {"web/session.py"}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda opened: opened.search(""), QueryError),
        (lambda opened: opened.search("\0" * 50), QueryError),
        (lambda opened: opened.search("cookie", k=0), UsageError),
        (lambda opened: opened.search("cookie", k=1001), UsageError),
        (lambda opened: opened.search("cookie", level="line"), UsageError),
        (lambda opened: opened.search("cookie", effort="none"), UsageError),
        (lambda opened: opened.search("cookie", at="no-such"), UnknownRevision),
        (lambda opened: opened.search("cookie", at=""), UnknownRevision),
        (lambda opened: opened.history(" ", k=3), QueryError),
        (lambda opened: opened.history("cookie", k=-1), UsageError),
        (lambda opened: opened.related("web"), UsageError),
        (lambda opened: opened.related("web/session.py:0"), UsageError),
        (lambda opened: opened.related("web/session.py:7\0:1"), UsageError),
        (lambda opened: opened.related("web/session.py:1", k=0), UsageError),
        (lambda opened: opened.related("no/such.py:1"), UsageError),
        (lambda opened: opened.index(at="no-such"), UnknownRevision),
    ],
)
def test_what_cannot_be_asked_is_refused(
    web: Repo, open_repo: Opener, call: Callable[[trackdown.Repository], object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        call(open_repo(web.root))


def test_what_cannot_be_opened_is_refused(tmp_path: Path, repo: Repo, open_repo: Opener) -> None:
    with pytest.raises(NoSuchPath):
        open_repo(tmp_path / "no-such")
    with pytest.raises(NoSuchPath):
        open_repo("nul\0byte")
    with pytest.raises(EmptyRepository):
        open_repo(repo.root).search("cookie")


def test_related_finds_the_like_and_what_changes_together(web: Repo, open_repo: Opener) -> None:
    opened = open_repo(web.root)
    found = opened.related("web/session.py:2")
    assert (found.location, found.symbol) == ("web/session.py:2", "Session.sign_cookie")
    assert [result.symbol for result in found.similar] == ["test_sign_cookie", "Session.parse_header"]
    assert {item.path: item.commits for item in found.changes_together} == {"tests/test_session.py": 1, "README.md": 1}
    whole = opened.related("README.md:1")
    assert whole.symbol in ("", "Web") and [item.path for item in whole.changes_together] == ["web/session.py"]


def test_related_takes_a_path_from_here_or_from_the_root(
    web: Repo, open_repo: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_repo(web.root)
    monkeypatch.chdir(web.root / "web")
    for place in ("session.py:2", "./session.py:2", "../web/session.py:2", f"{web.root}/web/session.py:2"):
        assert opened.related(place).location == "web/session.py:2"
    monkeypatch.chdir("/")
    for place in ("web/session.py:2", "./web/session.py:2", "web//session.py:002"):
        assert opened.related(place).location == "web/session.py:2"


def test_history_names_commits_and_present_files(web: Repo, open_repo: Opener) -> None:
    web.git("mv", "web", "site")
    web.commit("Call it a site")
    found = open_repo(web.root).history("sign the cookie", k=1)
    assert [(commit.rank, commit.subject) for commit in found] == [(1, "Sign the cookie of a session")]
    assert found[0].files == ("site/session.py", "tests/test_session.py")
    then = open_repo(web.root).history("sign the cookie", at="HEAD~2")
    assert [commit.subject for commit in then] == []


def test_inventory_says_what_is_in_and_what_is_not(web: Repo, open_repo: Opener) -> None:
    web.write("logo.png", b"\x89PNG\0\0")
    web.write("data.py", b"\0\1\2")
    found = open_repo(web.root).inventory()
    assert dict(found.included) == {"README.md": "text", "tests/test_session.py": "python", "web/session.py": "python"}
    assert {item.path: item.reason for item in found.excluded} == {"logo.png": "binary", "data.py": "binary"}
    past = open_repo(web.root).inventory(at="HEAD~1")
    assert [path for path, _ in past.included] == ["README.md", "web/session.py"] and not past.excluded


def test_status_tells_what_is_ready_and_builds_nothing(web: Repo, open_repo: Opener, settings: Settings) -> None:
    opened = open_repo(web.root)
    before = opened.status()
    assert (before.ready, before.units, before.commits, before.files) == (False, 0, 0, 3)
    assert not Store(settings.store).array_names()
    indexed = opened.index()
    after = opened.status()
    assert indexed.ready and after.ready and (after.files, after.commits) == (3, 2)
    assert after.units == indexed.units > 3 and after.index_bytes > 0 and after.store == str(settings.store)
    web.write("web/session.py", CODE + "\n# edited\n")
    edited = open_repo(web.root).status()
    assert (edited.ready, edited.dirty) == (False, True)


def test_progress_is_told(web: Repo, open_repo: Opener) -> None:
    told: list[tuple[str, int, int | None]] = []
    open_repo(web.root).search("cookie", progress=lambda step, done, total: told.append((step, done, total)))
    assert ("parse", 3, 3) in told


def test_a_progress_that_raises_ends_the_index_and_the_next_one_works(web: Repo, open_repo: Opener) -> None:
    def enough(step: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    opened = open_repo(web.root)
    with pytest.raises(KeyboardInterrupt):
        opened.search("cookie", progress=enough)
    assert opened.search("cookie").results


def test_one_opened_repository_answers_for_many_states_in_turn(web: Repo, open_repo: Opener) -> None:
    opened = open_repo(web.root)
    for _ in range(2):
        assert len(opened.search("sign cookie", at="HEAD~1")) == 1
        assert len(opened.search("sign cookie")) == 2
        web.write("web/more.py", "def sign_more_cookies():\n    pass\n")
        assert len(opened.search("sign cookie")) == 3
        assert len(opened.search("sign cookie", at="HEAD")) == 2
        (web.root / "web/more.py").unlink()
