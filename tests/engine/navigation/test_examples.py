"""Queries worth trying come from the repository itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import trackdown
from tests.conftest import Repo

_CODE = '''class Basket:
    """What a customer takes."""

    sizes = ("small", "large")
    prices = (1, 2)


def parse_price_list(text):
    """Longer than the other."""
    if not text:
        raise ValueError("a price list needs at least one line")
    return text.split()


def load_all(folder):
    return folder
'''


def test_examples_are_names_messages_and_repairs_of_the_repository(
    repo: Repo, open_repo: Callable[[Path | str], trackdown.Repository]
) -> None:
    repo.commit("Sell things", {"shop/basket.py": _CODE})
    repo.commit("fix: price list of an empty basket breaks (#12)", {"shop/basket.py": f"{_CODE}\n"})
    repo.commit("Fix a typo in the text of the README", {"README.md": "# Shop"})
    repo.commit(
        "Fix prices that tests compare with an old list", {"tests/test_basket.py": "def test_basket():\n    pass\n"}
    )
    found = {one.kind: one.query for one in open_repo(repo.root).examples()}
    assert found == {
        "issue": "price list of an empty basket breaks",
        "question": "where does it parse the price list?",
        "message": "a price list needs at least one line",
        "name": "Basket",
    }


def test_an_empty_repository_has_no_examples(
    repo: Repo, open_repo: Callable[[Path | str], trackdown.Repository]
) -> None:
    repo.commit("Begin", {"README.md": "# Nothing"})
    assert open_repo(repo.root).examples() == ()
