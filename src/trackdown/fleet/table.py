"""The table of a group: the rows of its repositories in LanceDB, with an index of words and one of vectors.

Every group has a table of its own. One table for all would tell, by its statistics, which words the others have.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import UUID

from trackdown.errors import FleetError
from trackdown.fleet.place import Place
from trackdown.fleet.rows import TEXT_COLUMNS, schema

if TYPE_CHECKING:
    import pyarrow as pa

_WORTH_AN_INDEX = 50_000
"""So many rows with vectors are faster with an index than without."""
_CACHE_BYTES = 256 << 20
_ROWS_AT_ONCE = 50_000
_LAST_VERSION = (1 << 64) - 1
"""LanceDB counts the names of its manifests down from here."""
ReadRows = Callable[[str, str], "pa.Table"]
"""Repository and key → its rows."""
Contents = Mapping[str, tuple[str, int]]
"""The repositories of a table: name → key, and how many rows it has."""


class GroupTables:
    """The tables of a place. Errors of the engine become FleetError."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._database: Any = None

    def open(self, group: str, version: int | None = None) -> Any:
        """The table of a group at a version, or the latest one. Raises FleetError if it is not there."""
        with engine_errors(self._place):
            table = self._connected().open_table(group)
            if version is not None:
                table.checkout(version)
            return table

    def names(self) -> list[str]:
        """The groups that have a table."""
        with engine_errors(self._place):
            return list(self._connected().list_tables(limit=10_000).tables)

    def drop(self, group: str) -> None:
        """Remove a table."""
        with engine_errors(self._place):
            self._connected().drop_table(group, ignore_missing=True)

    def bring_to(self, group: str, wanted: Contents, known: Contents | None, version: int, read_rows: ReadRows) -> int:
        """Make a table hold the rows of the repositories `wanted`, and no others. Returns its version.

        `known` is what it holds at `version`. If another version is there, a writer ended before it had published,
        or another one is at work: then the table itself says what it holds.
        """
        with engine_errors(self._place):
            database = self._connected()
            if group not in self.names():
                table = database.create_table(group, schema=schema(), exist_ok=True)
                held: Contents = {}
            else:
                table = database.open_table(group)
                held = known if known is not None and table.version == version else self._held(table)
            return self._filled(table, held, wanted, read_rows)

    def build_again(self, group: str, wanted: Contents, read_rows: ReadRows) -> int:
        """Make a table of these rows that uses no file of an earlier one. Returns its version.

        Readers keep the versions that they read, unless the table cannot be opened: then it begins anew.
        """
        with engine_errors(self._place):
            database = self._connected()
            try:
                table = database.create_table(group, schema=schema(), mode="overwrite")
            except (RuntimeError, ValueError, OSError):
                database.drop_table(group, ignore_missing=True)
                table = database.create_table(group, schema=schema())
            return self._filled(table, {}, wanted, read_rows)

    def _filled(self, table: Any, held: Contents, wanted: Contents, read_rows: ReadRows) -> int:
        stale = sorted(name for name, key in held.items() if wanted.get(name) != key)
        missing = sorted(name for name, key in wanted.items() if held.get(name) != key)
        for start in range(0, len(stale), 200):
            table.delete(f"repository IN ({quoted(stale[start : start + 200])})")
        for rows in _batches(missing, wanted, read_rows):
            table.add(rows)
        self._index(table, changed=bool(stale or missing))
        return int(table.version)

    def files_digest(self, group: str, version: int) -> str:
        """A digest of the files that a version of a table needs, by their names and sizes; '' if it is lost.

        It takes one listing and one small object, and does not open the table. It stays the same until one of these
        files is lost or cut short. Raises FleetError if the place fails.
        """
        manifest = self._place.read(f"tables/{group}.lance/_versions/{_LAST_VERSION - version:020d}.manifest")
        if manifest is None:
            return ""
        found = sha256(manifest)
        for one in self._place.listed(f"tables/{group}.lance"):
            if _is_named(one.path, manifest):
                found.update(f"{one.path} {one.size}\n".encode())
        return found.hexdigest()

    def holds(self, group: str, version: int, wanted: Contents) -> bool:
        """Whether a version of a table holds the rows of these repositories, and no others."""
        table = self.open(group, version)
        with engine_errors(self._place):
            return dict(self._held(table)) == dict(wanted)

    def collect(self, group: str, kept: set[int], older_than: timedelta) -> None:
        """Remove versions that are older, except those to be kept."""
        with engine_errors(self._place):
            table = self._connected().open_table(group)
            tags = table.tags.list()
            present = {about["version"] for about in table.list_versions()}  # one that began anew lacks earlier ones
            for version in kept & present:
                if f"v{version}" not in tags:
                    table.tags.create(f"v{version}", version)
            for tag, about in tags.items():
                if about["version"] not in kept:
                    table.tags.delete(tag)
            try:
                table.optimize(cleanup_older_than=older_than)
            except Exception as error:
                # An old version that is still read stops the engine; a later sync, which moves its tag, cleans up.
                if "tagged version" not in str(error):
                    raise

    def tag(self, group: str, version: int) -> None:
        """Keep a version until nobody needs it."""
        with engine_errors(self._place):
            table = self._connected().open_table(group)
            if f"v{version}" not in table.tags.list():
                table.tags.create(f"v{version}", version)

    def _index(self, table: Any, *, changed: bool) -> None:
        """Have every row in the indexes: rows outside them are scanned by every search."""
        from lancedb.index import FTS, IvfSq

        present = {index.columns[0]: index.name for index in table.list_indices()}
        if not table.count_rows():
            return
        words = FTS(
            with_position=False,
            base_tokenizer="whitespace",
            stem=False,
            remove_stop_words=False,
            lower_case=False,
            ascii_folding=False,
            max_token_length=None,
        )
        for column in TEXT_COLUMNS:
            if column not in present:
                table.create_index(column, config=words)
        is_worth_it = table.count_rows("vector IS NOT NULL") >= _WORTH_AN_INDEX
        if "vector" in present and not is_worth_it:
            table.drop_index(present["vector"])  # the engine fails to update one that has no vectors any more
        if "vector" not in present and is_worth_it:
            # Of 60,000 half-precision vectors it takes a second, product quantisation 90, and it rounds less.
            table.create_index("vector", config=IvfSq(distance_type="cosine", sample_rate=64, max_iterations=20))
        if changed:
            table.optimize()

    def _held(self, table: Any) -> Contents:
        """The repositories of a table. One with two keys has none: it is replaced."""
        rows: Counter[tuple[str, str]] = Counter()
        for batch in table.search().select(["repository", "key"]).to_batches():
            rows.update(zip(batch["repository"].to_pylist(), batch["key"].to_pylist(), strict=True))
        held: dict[str, tuple[str, int]] = {}
        for (name, key), count in rows.items():
            held[name] = ("", 0) if name in held else (key, count)
        return held

    def _connected(self) -> Any:
        if self._database is None:
            import lancedb

            logging.getLogger("lance").setLevel(logging.ERROR)
            session = lancedb.Session(_CACHE_BYTES, _CACHE_BYTES)
            options = self._place.table_options()
            self._database = lancedb.connect(self._place.table_uri(), storage_options=options or None, session=session)
        return self._database


def _batches(names: Sequence[str], wanted: Contents, read_rows: ReadRows) -> Iterator[pa.Table]:
    """The rows of repositories, several in one table: every table that is added is a version and a file."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    for name in names:
        waiting.append(read_rows(name, wanted[name][0]))
        if sum(rows.num_rows for rows in waiting) >= _ROWS_AT_ONCE:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def _is_named(path: str, manifest: bytes) -> bool:
    """Whether LanceDB's manifest of a version names a file: by name, or by the number or UUID that its path has.

    An unknown form of name counts: if LanceDB names its files otherwise one day, tables are built once too often.
    """
    kind, name = (*path.split("/")[2:4], "")[:2]
    try:
        if kind == "data":
            return name.encode() in manifest
        if kind == "_deletions":
            return _varint(int(name.partition(".")[0].rpartition("-")[2])) in manifest
        return kind == "_indices" and UUID(name).bytes in manifest
    except ValueError:
        return True


def _varint(number: int) -> bytes:
    """A number as protocol buffers write it."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


@contextmanager
def engine_errors(place: Place) -> Iterator[None]:
    """Turn what LanceDB raises into one line."""
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise FleetError(f"the tables at {place.address.url} failed: {lines[0][:300] if lines else error}") from None


def quoted(values: Sequence[str]) -> str:
    """Texts for a filter."""
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)
