"""An issue that lies in the repository is not an answer to itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Repo
from trackdown.engine import Repository
from trackdown.types import SearchResults

Open = Callable[[Path], Repository]

ISSUE = """# Signed cookies are rejected after a restart

When the server restarts, every signed cookie of the previous session is rejected and all users have to log in again.
The signer seems to draw a new secret key at each start instead of reading the one from the settings.

```
BadSignature: the signature does not match
```
"""
CODE = "def sign_cookie(secret_key, cookie):\n    return signer(secret_key).sign(cookie)\n"
FILES = {
    "src/sign.py": CODE,
    "docs/cookies.md": "# Cookies\n\nA signed cookie holds the session.\n",
    "todo/issue.md": ISSUE,
}


def paths(answer: SearchResults) -> list[str]:
    return [result.path for result in answer]


def test_the_file_with_the_issue_is_left_out_and_a_note_says_so(repo: Repo, open_repo: Open) -> None:
    repo.commit("Start", FILES)
    answer = open_repo(repo.root).search(ISSUE, level="file")
    assert paths(answer)[0] == "src/sign.py" and "docs/cookies.md" in paths(answer)
    assert "todo/issue.md" not in paths(answer)
    assert "todo/issue.md is left out because it is the text of the query" in answer.notes


def test_a_fixture_with_the_issue_is_left_out_and_the_same_text_in_code_is_not(repo: Repo, open_repo: Open) -> None:
    quoted = f'ISSUE = """{ISSUE}"""\n'
    repo.commit("Start", FILES | {"tests/issue_7.py": quoted, "src/issue_7.py": quoted})
    found = paths(open_repo(repo.root).search(f"{ISSUE}\nSent from my phone", level="file"))
    assert "src/issue_7.py" in found and not {"tests/issue_7.py", "todo/issue.md"} & set(found)


def test_code_that_ranks_higher_does_not_hide_the_file_with_the_issue(repo: Repo, open_repo: Open) -> None:
    said = " ".join(ISSUE.split("\n")[2:4]).replace('"', "")
    code = {f"src/sign_{number}.py": f'"""{said}\n\n{said}"""\n\n{CODE}' for number in range(12)}
    repo.commit("Start", FILES | code)
    found = open_repo(repo.root).search(ISSUE, level="file", k=20)
    assert "todo/issue.md" not in paths(found) and len(found) >= 13
    assert any("todo/issue.md is left out" in note for note in found.notes)


def test_a_short_query_and_a_part_of_a_longer_text_find_the_file(repo: Repo, open_repo: Open) -> None:
    repo.commit("Start", FILES | {"todo/short.md": "Cookies are rejected after a restart\n"})
    repository = open_repo(repo.root)
    assert "todo/short.md" in paths(repository.search("Cookies are rejected after a restart", level="file"))
    first_lines = "\n".join(ISSUE.split("\n")[:3])
    assert "todo/issue.md" in paths(repository.search(first_lines[: len(first_lines) // 2], level="file"))
