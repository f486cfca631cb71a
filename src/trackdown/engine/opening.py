"""Open the repository or folder at a path or URL, and clear the store."""

from __future__ import annotations

import os

from trackdown.engine.repository import Repository
from trackdown.repository import forget_credentials, is_url, open_source, open_url
from trackdown.settings import Settings, load_settings
from trackdown.store import Store, clear_stores, stores_in


def open(place: str | os.PathLike[str] = ".", *, settings: Settings | None = None) -> Repository:
    """Open the repository or folder at a path or git URL. Nothing is indexed yet.

    Raises NoSuchPath, RepositoryError (a URL that cannot be cloned), GitError and StoreError.
    """
    settings = settings or load_settings()
    text = os.fspath(place)
    if is_url(text):
        store = Store(settings.store)
        for folder in stores_in(settings.store):
            forget_credentials(folder / "clones")
        source, note = open_url(text, store.clones)
        return Repository(source, store, settings, [note] if note else [])
    source = open_source(text)
    return Repository(source, Store(settings.store), settings)


def clear_everything(settings: Settings | None = None) -> tuple[int, int]:
    """Remove the whole store: all repositories, all format versions. Returns its size before and after.

    Raises StoreError if the folder is not a store.
    """
    return clear_stores((settings or load_settings()).store)
