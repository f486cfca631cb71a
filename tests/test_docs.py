"""The documents are true: links lead somewhere, commands run, versions agree."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.surfaces.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    path
    for path in sorted(ROOT.rglob("*.md"))
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in LINK.findall(document.read_text("utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_every_folder_of_the_package_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    for room in sorted((ROOT / "src" / "trackdown").iterdir()):
        if not room.name.startswith("_") and (room.is_dir() or room.suffix == ".py"):
            assert f"(src/trackdown/{room.name})" in text, f"{room.name} has no question in ARCHITECTURE.md"


def readme_commands() -> list[str]:
    blocks = SHELL.findall((ROOT / "README.md").read_text("utf-8"))
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("trackdown ")]


def test_the_readme_shows_every_command() -> None:
    shown = {shlex.split(line)[1] for line in readme_commands()}
    assert shown >= set(COMMANDS) - {"completion"}


@pytest.mark.parametrize("line", readme_commands())
def test_commands_of_the_readme_run(line: str, repo: Repo) -> None:
    code = "def save_cookie(value):\n    return save_cookie_1(value)\n\n\n"
    code += "\n\n".join(f"def save_cookie_{number}(value):\n    return value" for number in range(40))
    files = {"src/app.py": code, "src/old.py": code, "issue.md": "# The cookie is not signed\n"}
    repo.commit("Sign the session cookie", files)
    changed = code.replace("return value", "return value or None", 1)
    repo.commit("Save the session cookie only when the session changed", {"src/app.py": changed})
    repo.git("tag", "v1.0")
    arguments = shlex.split(line.split(" | ")[0])[1:]
    command = [sys.executable, "-m", "trackdown", *arguments]
    if arguments[0] == "serve" or "--watch" in arguments:
        ended, errors = run_until_it_speaks(
            [*command, *(["--port", "0"] if arguments[0] == "serve" else [])], repo.root
        )
    else:
        done = subprocess.run(
            command, cwd=repo.root, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )
        ended, errors = done.returncode, done.stderr
    assert ended == 0, errors
    assert "Traceback" not in errors


def run_until_it_speaks(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a command that goes on until it is stopped, and stop it with Ctrl-C when it has said something."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert said or process.returncode, "it ended without a word"
    return process.returncode, errors


def test_make_targets_of_the_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        for target in re.findall(r"`make ([a-z0-9-]+)", document.read_text("utf-8")):
            assert target in targets, f"{document.name} speaks of `make {target}`"


def test_the_version_is_the_same_everywhere() -> None:
    assert f'version = "{trackdown.__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")
