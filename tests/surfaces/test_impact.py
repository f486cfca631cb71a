"""`trackdown impact`: what it takes, what it prints, and one line for everything that it cannot take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program

SIGN = """--- a/web/session.py
+++ b/web/session.py
@@ -7,3 +7,3 @@
     def sign_cookie(self, value: str) -> str:
         \"\"\"Sign the session cookie.\"\"\"
-        return value + self.secret
+        return self.secret + value
"""


def test_a_patch_from_a_file_and_from_standard_input(ready: Program, tmp_path: Path) -> None:
    file = tmp_path / "sign.patch"
    file.write_text(SIGN)
    answer = ready("impact", str(file), "--format", "json").json()
    assert answer["query"] == str(file) and answer["level"] == "file" and answer["confidence"] is None
    (first, *_) = answer["results"]
    assert first["path"] == "tests/test_session.py" and first["symbol"] == "" and first["rank"] == 1
    assert "tests Session.sign_cookie, which changed" in first["reason"]
    assert {why["signal"] for why in first["why"]} == {"co-change", "lexical", "graph", "names"}
    text = ready("impact", "-", stdin=SIGN)
    assert "tests/test_session.py" in text.out and "which changed" in text.out
    assert ready("impact", "-", "-l", stdin=SIGN).out.splitlines()[0] == "tests/test_session.py"
    assert ready("impact", "-", "--format", "lines", stdin=SIGN).out.startswith("tests/test_session.py:5:")


def test_a_change_that_leads_nowhere_says_so(ready: Program, shop: Repo) -> None:
    image = shop.root / "logo.png"
    image.write_bytes(b"\x89PNG\r\n\x1a\n\0")
    try:
        done = ready("impact")
    finally:
        image.unlink()
    assert "what changed leads to no other files" in done.err and "Try other words" not in done.err


def test_a_range_from_a_folder_of_the_repository(ready: Program, shop: Repo) -> None:
    inside = ready.within(shop.root / "lib")
    answer = inside("impact", "old..HEAD", "--format", "json", "-k", "3").json()
    assert answer["query"] == "old..HEAD" and "web/session.py" not in {one["path"] for one in answer["results"]}
    assert inside("impact", "old..HEAD", "..", "--format", "json", "-k", "3").json()["results"] == answer["results"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "has no uncommitted changes"),
        (["--staged"], 2, "has no staged changes"),
        (["README.md"], 2, "README.md is not a patch"),
        (["nowhere..HEAD"], 1, "has no commit, branch or tag 'nowhere'"),
        (["HEAD..HEAD"], 2, "nothing has changed between"),
        (["HEAD"], 1, "HEAD is neither a patch nor REV..REV (for one commit, write HEAD^..HEAD)"),
        (["old..HEAD", "--staged"], 2, "give only one of them"),
        (["old..HEAD", "--at", "old"], 2, "goes with a patch"),
        (["old..HEAD", ".", "."], 2, "one change and one PATH"),
        (["old..HEAD", "-k", "0"], 2, "k must be between"),
    ],
)
def test_one_line_says_what_is_wrong(ready: Program, arguments: list[str], code: int, said: str) -> None:
    ready("impact", *arguments).refused(code, said)
