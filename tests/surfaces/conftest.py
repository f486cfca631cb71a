"""A repository that all tests of the command line may search, and the program with stores."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.surfaces.program import Program, Run
from trackdown.surfaces.cli.main import main

SESSION = '''"""Sessions of the shop."""


class Session:
    """Keeps what a user did."""

    def sign_cookie(self, value: str) -> str:
        """Sign the session cookie."""
        return value + self.secret

    def load(self, text: str) -> dict[str, str]:
        return dict(part.split("=") for part in text.split(";"))


def parse_header(line: str) -> tuple[str, str]:
    """Split a header into its name and its value."""
    name, _, value = line.partition(":")
    return name, value
'''
CART = """export class Cart {
  addItem(item) {
    this.items.push(item);
    return this.total();
  }

  total() {
    return this.items.reduce((sum, item) => sum + item.price, 0);
  }
}
"""
TEST = """from web.session import Session


def test_sign_cookie() -> None:
    assert Session().sign_cookie("cookie") == "cookie"
"""


def build_shop(root: Path) -> Repo:
    """A small shop with a past: a tag `old`, a rename, and a branch `side`."""
    shop = Repo(root)
    unsigned = SESSION.replace("value + self.secret", "value")
    shop.commit("Begin the shop", {"README.md": "# Shop\n\nSells things.\n", "web/session.py": unsigned})
    shop.commit("Read old sessions", {"web/legacy.py": "def read_legacy_session(data):\n    return data.split('|')\n"})
    shop.git("tag", "old")
    shop.git("rm", "-q", "web/legacy.py")
    shop.commit("Drop sessions of the old format")
    shop.commit("Sum up the cart's total price", {"lib/basket.js": CART})
    shop.git("mv", "lib/basket.js", "lib/cart.js")
    shop.commit("Call the basket a cart")
    shop.commit("Sign the session cookie against tampering", {"web/session.py": SESSION, "tests/test_session.py": TEST})
    shop.git("branch", "side")
    return shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The shop. Tests only look at it."""
    return build_shop(tmp_path_factory.mktemp("surfaces") / "shop")


@pytest.fixture(scope="session")
def ready(shop: Repo, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in the shop's folder, with a store in which the shop is indexed. Tests only search with it."""
    folder = tmp_path_factory.mktemp("ready")
    home = {"XDG_CONFIG_HOME": str(folder), "GIT_CONFIG_GLOBAL": os.devnull}
    program = Program(folder / "store", shop.root, home)
    assert program("index").code == 0
    return program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program in the test's folder, with a store of the test's own."""
    return Program(tmp_path / "store", tmp_path)


@pytest.fixture
def in_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Run]:
    """Runs a command line in this process, in the test's folder: for answers that need no process of their own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Run:
        capsys.readouterr()
        ended = main(list(map(str, arguments)))
        return Run(ended, *capsys.readouterr())

    return run
