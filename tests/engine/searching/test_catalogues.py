"""Catalogues of messages in a repository: which are read, and where they lead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import trackdown
from tests.conftest import Repo

Opener = Callable[[Path | str], trackdown.Repository]
ENTRIES = {"cart.emptied": "Your basket has been emptied", "cart.full": "No more fits in", "cart.gone": "It is gone"}
FILES = {
    "locale/en/cart.po": "".join(f'msgid "{key}"\nmsgstr "{text}"\n\n' for key, text in ENTRIES.items()),
    "cart.py": 'def clear(cart):\n    return translate("cart.emptied")\n\n\ndef add(cart):\n    return cart\n',
}


def test_gettext_is_read_where_an_ignore_file_brings_it_back(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", FILES)
    opened = open_repo(repo.root)
    assert not any(why.signal == "messages" for result in opened.search(ENTRIES["cart.emptied"]) for why in result.why)
    repo.commit("Ask for it", {".trackdownignore": "!**/locale/en/**/*.po\n"})
    (found, *_) = opened.search(ENTRIES["cart.emptied"])
    assert found.symbol == "clear"
    assert 'uses cart.emptied, which says "Your basket has been emptied"' in found.reason
