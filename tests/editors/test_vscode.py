"""The extension for VS Code: its half that talks to the program, in node; test/in_editor.py tries it in an editor."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
SCRIPT = """
const { runSearch } = require(process.argv[1]);
const [command, request] = [process.argv[2], JSON.parse(process.argv[3])];
runSearch(command, request).answer.then(
  (answer) => console.log(JSON.stringify({ answer })),
  (error) => console.log(JSON.stringify({ error: error.message })),
);
"""


@pytest.fixture(autouse=True)
def _node() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")


def asked(command: Path | str, shop: Repo, **request: Any) -> Any:
    whole = {"text": "", "issue": "", "folder": str(shop.root), "results": 3, "level": "function", **request}
    words = ["node", "-e", SCRIPT, str(FOLDER / "program.js"), str(command), json.dumps(whole)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_line_and_an_issue_are_searched(shop: Repo, command: Path) -> None:
    for text in ("--sign cookie", "The cookie is not signed\n\nsign_cookie forgets the secret.\n"):
        results = asked(command, shop, text=text)["answer"]["results"]
        assert results[0]["symbol"] == "sign_cookie"


def test_what_fails_is_one_line(shop: Repo, command: Path) -> None:
    assert asked(command, shop, text="x", level="nonsense")["error"].startswith("Invalid value for '--level'")
    assert "install Trackdown, or set trackdown.command" in asked("/no/trackdown", shop, text="x")["error"]
    assert "is it Trackdown?" in asked("/bin/echo", shop, text="x")["error"]


def test_the_manifest_names_what_is_there() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text())
    code = (FOLDER / "extension.js").read_text()
    for name in [entry["command"] for entry in manifest["contributes"]["commands"]]:
        assert f'"{name}"' in code
    for key, value in manifest["contributes"]["configuration"]["properties"].items():
        assert f'.get("{key.removeprefix("trackdown.")}")' in code and "default" in value
    assert manifest["contributes"]["configuration"]["properties"]["trackdown.command"]["scope"] == "machine"
    for view in manifest["contributes"]["viewsContainers"]["activitybar"]:
        assert (FOLDER / view["icon"]).is_file()
    assert (FOLDER / manifest["main"]).is_file()
