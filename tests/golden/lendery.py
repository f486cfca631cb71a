"""A tool library's web app with a short past: what the pinned questions are asked about."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Repo

FILES = Path(__file__).parent / "fixtures" / "lendery"
# The commits, oldest first: a message, the files it adds or changes, and what they had in place of their present text.
HISTORY: list[tuple[str, list[str], tuple[str, str]]] = [
    ("Begin: routes and an application", ["README.md", "lendery/__init__.py", "lendery/app.py"], ("", "")),
    ("Addresses with arguments", ["lendery/routing.py"], (' + "/?$"', ' + "$"')),
    ("Keep members and loans in SQLite", ["lendery/database.py"], ("PRAGMA foreign_keys = ON", "PRAGMA user_version")),
    ("Read settings from the environment", ["lendery/config.py"], ("", "")),
    ("Members can join and sign in", ["lendery/accounts.py"], ("secrets.compare_digest(", "equal(")),
    ("Sessions in cookies", ["lendery/sessions.py"], ("hmac.compare_digest(", "equal(")),
    ("Lend tools", ["lendery/loans.py", "lendery/fees.py"], ("ROUND_HALF_UP", "ROUND_HALF_EVEN")),
    ("Charge for late returns like the till: 2.675 became 2.67", ["lendery/fees.py"], ("", "")),
    ("Letters before a loan ends", ["lendery/mailer.py", "lendery/reminders.py"], ("", "")),
    (
        "The catalogue, with suggestions while typing",
        ["lendery/catalogue.py", "static/js/search.js", "static/js/timing.js"],
        ("", ""),
    ),
    ("Pages with a slash at the end were not found", ["lendery/routing.py"], ("", "")),
    (
        "Compare signatures and passwords in constant time\n\nHow long a comparison took gave away a forged cookie.",
        ["lendery/sessions.py", "lendery/accounts.py"],
        ("", ""),
    ),
    ("Deleting a member left orphaned loans behind", ["lendery/database.py"], ("", "")),
    ("A tool could be lent twice", ["tests/test_loans.py"], ("", "")),
]


def build_lendery(root: Path) -> Repo:
    """Make the repository. Its last commit has all files as they are in the fixture."""
    repo = Repo(root)
    for message, paths, (present, past) in HISTORY:
        repo.commit(message, {path: (FILES / path).read_text("utf-8").replace(present, past) for path in paths})
    return repo
