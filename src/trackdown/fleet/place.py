"""The place of a fleet: a folder or an object store, by the Rust library object_store.

Objects appear whole or not at all. `create` writes an object only if nobody else has: that is how one of several
writers publishes.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from trackdown.errors import FleetError, UsageError
from trackdown.fleet.definition import PlaceAddress, folder_of
from trackdown.installation import install_hint

_CHUNK = 8 << 20
_CONNECT, _STALLED = "10s", "15s"
"""How long a connection may take, and how long a request may stand still."""
_MOST_RETRIES = 4
_RETRIES: Any = {"max_retries": _MOST_RETRIES, "retry_timeout": timedelta(seconds=30)}
_CLIENT: Any = {"connect_timeout": _CONNECT, "read_timeout": _STALLED, "timeout": "1h"}
_AT_ONCE = 2
"""How many parts of a file are uploaded at a time: each must arrive before its request counts as standing still."""
_TABLES = {
    "connect_timeout": _CONNECT,
    "timeout": _STALLED,
    "client_max_retries": str(_MOST_RETRIES),
    "client_retry_timeout": "10",
}
"""The same for LanceDB, which repeats its requests on several levels. What was refused or cut is repeated at once; a
request that stood still took longer than `client_retry_timeout`, and only the outer levels repeat it, up to six times.
"""
_METADATA = ("/computeMetadata/v1/", "/latest/api/token", "/latest/meta-data/iam")
"""Where machines in a cloud get their credentials. It is asked if no variable has any."""
_CREDENTIALS = {
    "gs": "GOOGLE_APPLICATION_CREDENTIALS to the file of a key",
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
}
_NEEDED = ("obstore", "lancedb", "distributed")


def require_extra() -> None:
    """Raise UsageError if the extra `fleet` is not installed."""
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            raise UsageError(f"{name} is not installed: run `{install_hint('fleet')}`")


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object of a place: its path, size, and when it was written."""

    path: str
    size: int
    modified: datetime


class Place:
    """Reads and writes objects. Every method raises FleetError if the place fails. For several threads."""

    def __init__(self, address: PlaceAddress) -> None:
        require_extra()
        from obstore.store import LocalStore, from_url

        self.address = address
        self.folder = folder_of(address)
        with _in_words(address.url):
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._store: Any = LocalStore(self.folder)
            else:
                options: dict[str, Any] = {}
                if address.endpoint:
                    options["endpoint"] = address.endpoint
                if address.region:
                    options["region"] = address.region
                client = dict(_CLIENT)
                if address.endpoint.startswith("http://"):
                    client["allow_http"] = True
                opens: Any = from_url  # its overloads are by kind of store
                self._store = opens(address.url, client_options=client, retry_config=_RETRIES, **options)

    def read(self, path: str) -> bytes | None:
        """An object; None if it is not there."""
        import obstore

        with _in_words(self.address.url):
            try:
                return bytes(obstore.get(self._store, path).bytes())
            except FileNotFoundError:
                return None

    def download(self, path: str, file: Path, digest: str) -> None:
        """Write an object to a file. Raises FleetError if it is not there or its sha256 is another one, and OSError
        if the file cannot be written.
        """
        found = sha256()
        with file.open("wb") as stream:
            for chunk in self._chunks(path):
                stream.write(chunk)
                found.update(chunk)
        if found.hexdigest() != digest:
            raise FleetError(f"{path} at {self.address.url} is damaged: run `trackdown fleet sync --rebuild`")

    def _chunks(self, path: str) -> Iterator[bytes]:
        import obstore

        with _in_words(self.address.url):
            try:
                yield from map(bytes, obstore.get(self._store, path).stream(min_chunk_size=_CHUNK))
            except FileNotFoundError:
                raise FleetError(f"{self.address.url} lacks {path}: run `trackdown fleet sync`") from None

    def upload(self, path: str, file: Path) -> None:
        """Write a file as an object, replacing another."""
        import obstore

        with _in_words(self.address.url):
            obstore.put(self._store, path, file, max_concurrency=_AT_ONCE)

    def write(self, path: str, value: bytes) -> None:
        """Write an object, replacing another."""
        import obstore

        with _in_words(self.address.url):
            obstore.put(self._store, path, value)

    def create(self, path: str, value: bytes) -> bool:
        """Write an object unless there is one. Returns whether it was written."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        with _in_words(self.address.url):
            try:
                obstore.put(self._store, path, value, mode="create")
            except (AlreadyExistsError, FileExistsError):
                return False
        return True

    def listed(self, prefix: str) -> list[StoredObject]:
        """The objects below a prefix, by path."""
        import obstore

        with _in_words(self.address.url):
            found = [
                StoredObject(one["path"], one["size"], one["last_modified"])
                for batch in obstore.list(self._store, prefix)
                for one in batch
            ]
        return sorted(found, key=lambda one: one.path)

    def delete(self, paths: Sequence[str]) -> None:
        """Remove objects; those that are gone already don't matter."""
        import obstore

        with _in_words(self.address.url):
            for path in paths:
                try:
                    obstore.delete(self._store, path)
                except FileNotFoundError:
                    pass

    def table_uri(self) -> str:
        """Where the tables are, as LanceDB names it."""
        return str(self.folder / "tables") if self.folder is not None else f"{self.address.url}/tables"

    def table_options(self) -> dict[str, str]:
        """What LanceDB needs to know of an object store, beyond the usual variables; nothing of a folder."""
        if self.folder is not None:
            return {}
        options = dict(_TABLES)
        if self.address.endpoint:
            options["aws_endpoint"] = self.address.endpoint
        if self.address.region:
            options["aws_region"] = self.address.region
        if self.address.endpoint.startswith("http://"):
            options["allow_http"] = "true"
        return options


@contextmanager
def _in_words(url: str) -> Iterator[None]:
    """Turn the errors of the object store and of the disk into one line."""
    from obstore.exceptions import BaseError

    try:
        yield
    except BaseError as error:
        said, needed = _first_line(error), _CREDENTIALS.get(urlsplit(url).scheme)
        if needed and any(path in said for path in _METADATA):
            raise FleetError(f"{url} needs credentials: set {needed}") from None
        raise FleetError(f"{url} failed: {said}") from None
    except OSError as error:
        raise FleetError(f"{url} failed: {error.strerror or _first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


def file_digest(file: Path) -> str:
    """The sha256 of a file."""
    found = sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def file_size(file: Path) -> int:
    """The size of a file."""
    return os.stat(file).st_size
