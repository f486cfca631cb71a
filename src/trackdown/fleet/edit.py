"""Changes to `fleet.toml` that keep its comments and its order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trackdown.errors import UsageError
from trackdown.fleet.definition import KINDS, Fleet, FleetEntry, read_fleet

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_NEW = """\
# A fleet: repositories that are indexed once and searched together. See `trackdown fleet --help`.

# A folder, or an object store: s3://bucket/prefix (with endpoint and region where needed), gs://bucket/prefix.
place = {place}
"""


def create_fleet(file: Path, place: str) -> Fleet:
    """Write a new file, whole or not at all. Raises UsageError if there is one, or if the place makes no sense."""
    import tomlkit

    if file.exists():
        raise UsageError(f"{file} is already there: `trackdown fleet add` adds repositories to it")
    _write(file, tomlkit.parse(_NEW.format(place=tomlkit.item(place).as_string())))
    return read_fleet(file)


def add_entries(file: Path, entries: Sequence[FleetEntry]) -> tuple[FleetEntry, ...]:
    """Add entries that the file does not have. Returns those that are new. Raises UsageError."""
    import tomlkit

    known = {(entry.kind, entry.where) for entry in read_fleet(file).entries}
    new = [entry for entry in dict.fromkeys(entries) if (entry.kind, entry.where) not in known]
    document = _document(file)
    tables = document.get("repositories")
    if tables is None and new:
        document.add(tomlkit.nl())
        tables = tomlkit.aot()
        document.append("repositories", tables)
        tables = document["repositories"]
    for entry in new:
        table = tomlkit.table()
        table[entry.kind] = entry.where
        if entry.name:
            table["name"] = entry.name
        table["groups"] = list(entry.groups)
        if entry.at != "HEAD":
            table["at"] = entry.at
        if entry.deep:
            table["deep"] = True
        if entry.max_file_kb is not None:
            table["max_file_kb"] = entry.max_file_kb
        if tables and not tables[-1].as_string().endswith("\n\n"):
            tables[-1].add(tomlkit.nl())
        tables.append(table)  # type: ignore[union-attr]
    _write(file, document)
    return tuple(new)


def remove_entries(file: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Remove the entries with these names, paths or URLs. Returns them. Raises UsageError if one is not there."""
    read_fleet(file)
    document = _document(file)
    tables = document.get("repositories")
    removed: list[str] = []
    for name in names:
        if not name.strip():
            raise UsageError(f"{name!r} is no name, path or URL of an entry: nothing was removed")
        found = [at for at, table in enumerate(tables or ()) if _is_called(table, name)]
        if not found:
            several = any("glob" in table or "listing" in table for table in tables or ())
            hint = "; a glob or a listing is one entry, whatever it finds" if several else ""
            raise UsageError(f"{file} has no entry {name!r}: give its name, path or URL as it is there{hint}")
        if len({str(tables[at]) for at in found}) > 1:  # type: ignore[index]
            raise UsageError(f"{file} has {len(found)} entries that end in {name!r}: give the whole path or URL")
        for at in reversed(found):
            del tables[at]  # type: ignore[union-attr]
        removed.append(name)
    _write(file, document)
    return tuple(removed)


def _is_called(table: dict[str, object], name: str) -> bool:
    where = next(str(table[kind]) for kind in KINDS if kind in table)
    short = where.rstrip("/").removesuffix(".git").rsplit("/", 1)[-1]
    return name in (str(table.get("name", "")), where) or (name == short and "name" not in table)


def _document(file: Path) -> TOMLDocument:
    import tomlkit

    return tomlkit.parse(file.read_text("utf-8"))


def _write(file: Path, document: TOMLDocument) -> None:
    """Replace the file in one step, if what it says now can still be read."""
    import tomlkit

    aside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        aside.write_text(tomlkit.dumps(document), "utf-8")
        read_fleet(aside)
        aside.replace(file)
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None
    except UsageError as error:
        raise UsageError(str(error).replace(str(aside), str(file))) from None
    finally:
        aside.unlink(missing_ok=True)
