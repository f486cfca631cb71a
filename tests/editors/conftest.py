"""A repository for editors to search, and the program as they start it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import Repo

FILES = {
    "web/session.py": "def sign_cookie(value):\n    return value + KEY\n\n\ndef load_cookie(text):\n    return text\n",
    "web/mail.py": "def deliver(message):\n    connect().send(message)\n",
    "issue.txt": "The cookie is not signed\n\nAfter sign_cookie the value has no secret.\n",
}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Sign the session cookie", FILES)
    return repo


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """A program named trackdown, as an installation has it."""
    program = tmp_path / "bin" / "trackdown"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trackdown "$@"\n')
    program.chmod(0o755)
    return program
