"""Searching a small repository end to end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import trackdown
from tests.conftest import Repo

Opener = Callable[[Path | str], trackdown.Repository]

CODE = '''
class Session:
    """Keeps what a user did."""

    def sign_cookie(self, value: str) -> str:
        """Sign the session cookie."""
        return value + self.secret


def parse_header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name, value
'''


def test_finds_the_function_and_says_why(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Sign the session cookie against tampering", {"web/session.py": CODE})
    answer = open_repo(repo.root).search("where is the session cookie signed?")
    best = answer[0]
    assert (best.path, best.symbol, best.kind) == ("web/session.py", "Session.sign_cookie", "method")
    assert (best.start_line, best.end_line) == (5, 7)
    assert best.snippet.startswith("    def sign_cookie")
    assert {why.signal for why in best.why} == {"lexical", "commits"}
    assert abs(sum(why.value for why in best.why) - best.score) < 1e-9
    assert not answer.partial
    assert answer.snapshots[0].commit == repo.git("rev-parse", "HEAD")


def test_an_edit_is_searchable_at_once_and_gone_when_taken_back(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {"web/session.py": CODE})
    opened = open_repo(repo.root)
    assert not opened.search("zebra quagga").results
    repo.write("web/session.py", CODE + "\n\ndef zebra_quagga():\n    pass\n")
    answer = opened.search("zebra quagga")
    assert [result.symbol for result in answer] == ["zebra_quagga"]
    assert answer.snapshots[0].dirty
    repo.write("web/session.py", CODE)
    assert not opened.search("zebra quagga").results
