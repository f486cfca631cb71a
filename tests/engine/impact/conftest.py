"""A small shop whose history says what changes together."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import trackdown
from tests.conftest import Repo
from trackdown import Repository
from trackdown.settings import Settings, load_settings

PRICES = """from shop.money import rounded


class Prices:
    def total(self, items):
        return rounded(sum(items))

    def currency(self):
        return "EUR"
"""
IMPORT = "from shop.prices import Prices\n\n\n"
ROUNDED = "def rounded(value):\n    return round(value, {digits})\n"
FILES = {
    "shop/prices.py": PRICES,
    "shop/money.py": ROUNDED.format(digits=1),
    "shop/sale.py": f"{IMPORT}class Sale(Prices):\n    def total(self, items):\n        return 0\n",
    "shop/checkout.py": f"{IMPORT}def pay(items):\n    return Prices().total(items)\n",
    "tests/test_prices.py": f"{IMPORT}def test_total():\n    assert Prices().total([1]) == 1\n",
    "tables/rates.txt": "EUR 1\n",
    "docs/far.md": "# Far away\n\nWeather and whales.\n",
}


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Each file comes by itself; then money and rates change together three times, and money once more."""
    repo = Repo(tmp_path_factory.mktemp("impact") / "shop")
    for path, content in FILES.items():
        repo.commit(f"Add {path}", {path: content})
    for year in range(2, 5):
        money = {"shop/money.py": ROUNDED.format(digits=year), "tables/rates.txt": f"EUR {year}\n"}
        repo.commit(f"Rates of year {year}", money)
    repo.commit("Round differently", {"shop/money.py": ROUNDED.format(digits=0)})
    repo.commit("Whales", {"docs/far.md": "# Far away\n\nWhales.\n"})
    return repo


@pytest.fixture(scope="package")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(store=tmp_path_factory.mktemp("store"), models="none")


@pytest.fixture
def shop(built: Repo, settings: Settings) -> Iterator[Repository]:
    """The shop, as its last commit left it after every test."""
    with trackdown.open(str(built.root), settings=settings) as repository:
        yield repository
    built.git("reset", "-q", "--hard")
    built.git("clean", "-qfd")
