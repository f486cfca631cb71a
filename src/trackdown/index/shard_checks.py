"""Are arrays from elsewhere what they claim to be? Every number in them must lead to something that is there.

A segment of our own is trusted: we built it, and checksums guard it. A segment from a shard was built by others, and
its checksums only say that it arrived whole. Whatever passes these checks can be searched without an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import ShardError
from trackdown.index.code_segment import FIELDS, FILE_COLUMNS, KINDS, UNIT_COLUMNS, CodeSegment
from trackdown.index.commits import CommitSegment
from trackdown.index.deep_vectors import DIGEST_BYTES
from trackdown.index.strings import SortedTable, StringTable
from trackdown.store import Arrays
from trackdown.types import GENERATED
from trackdown.units import END_NUMBER

_STRINGS = {"bytes": "|u1", "offsets": "<i8"}
_SORTED = {**_STRINGS, "prefixes": "<u8"}
_FIELD = {"pointers": "<i8", "documents": "<i4", "counts": "<u2", "lengths": "<i4"}
_CODE = {
    **dict.fromkeys((*FILE_COLUMNS, *UNIT_COLUMNS), "<i4"),
    "unit_declares": "|b1",
    **{f"{table}_{name}": kind for table in ("paths", "keys", "symbols") for name, kind in _STRINGS.items()},
    **{f"terms_{name}": kind for name, kind in _SORTED.items()},
    **{f"{field}_{name}": kind for field in FIELDS for name, kind in _FIELD.items()},
    "message_words": "<u4",
    "message_units": "<i4",
    "message_named": "<i4",
    **{f"message_names_{name}": kind for name, kind in _STRINGS.items()},
}
_COMMITS = {
    "oids": "|u1",
    "parents": "<i4",
    "parent_pointers": "<i8",
    "times": "<i8",
    "change_paths": "<i4",
    "change_pointers": "<i8",
    "renames": "<i8",
    **{f"{table}_{name}": kind for table in ("subjects", "authors", "messages") for name, kind in _STRINGS.items()},
    **{f"{table}_{name}": kind for table in ("paths", "terms") for name, kind in _SORTED.items()},
    **{f"message_{name}": kind for name, kind in _FIELD.items()},
}
_TABLES = {"oids": 2, "renames": 2, "rows": 2, "digests": 2}
"""The arrays with two dimensions."""
_LAST_SECOND = 253_402_300_799
_LONGEST_LINE = 1 << 30
_Array = npt.NDArray[Any]


def checked_code(arrays: Arrays) -> CodeSegment:
    """The code segment in these arrays. Raises ShardError if it is not a possible one."""
    _require_arrays("code", arrays, _CODE)
    tables = {name: _table(arrays, name) for name in ("paths", "keys", "symbols", "message_names")}
    files, units = len(tables["paths"]), len(tables["symbols"])
    terms = _sorted_table(arrays, "terms")
    _require("code", len(tables["keys"]) == files and all(len(arrays[name]) == files for name in FILE_COLUMNS))
    _require("code", all(len(arrays[name]) == units for name in (*UNIT_COLUMNS, "unit_declares")))
    names = _texts(arrays.meta, "languages"), _texts(arrays.meta, "reasons")
    as_text = arrays.meta.get("as_text")
    _require("code", set(arrays.meta) == {"languages", "reasons", "as_text"} and names[1][:1] == [""])
    _require("code", isinstance(as_text, dict) and all(_is_below(key, files) for key in as_text))
    _require("code", all(isinstance(text, str) for text in as_text.values()) if isinstance(as_text, dict) else False)
    _within("code", arrays["file_language"], 0, len(names[0]))
    _within("code", arrays["file_skip"], 0, len(names[1]))
    _within("code", arrays["file_role"], 0, GENERATED + 1)
    _within("code", arrays["file_lines"], 0, _LONGEST_LINE)
    _within("code", arrays["unit_kind"], 0, len(KINDS))
    _within("code", arrays["unit_file"], 0, files)
    _within("code", arrays["unit_class"], -1, units)
    _within("code", arrays["unit_start"], 1, _LONGEST_LINE)
    _within("code", arrays["unit_end"] - arrays["unit_start"], -1, _LONGEST_LINE)
    _require("code", _grows(arrays["unit_file"]))
    for field in FIELDS:
        _check_field("code", arrays, field, len(terms), files if field == "path" else units)
    _check_messages(arrays, units, len(tables["message_names"]))
    return CodeSegment(arrays)


def _check_messages(arrays: Arrays, units: int, names: int) -> None:
    words, speakers, named = arrays["message_words"], arrays["message_units"], arrays["message_named"]
    _require("code", int((words == END_NUMBER).sum()) == len(speakers))
    _require("code", not len(words) or int(words[-1]) == END_NUMBER)
    _within("code", speakers, 0, units)
    _within("code", named, 0, len(speakers))
    _require("code", _grows(named) and len(named) == names)


def checked_commits(arrays: Arrays, tip: str) -> CommitSegment:
    """The commit segment in these arrays, which ends at `tip`. Raises ShardError if it is not a possible one."""
    kind = "commits"
    _require_arrays(kind, arrays, _COMMITS)
    tables = {name: _table(arrays, name) for name in ("subjects", "authors", "messages")}
    paths, terms = _sorted_table(arrays, "paths"), _sorted_table(arrays, "terms")
    count = len(arrays["oids"])
    _require(kind, arrays["oids"].shape[1] == len(tip) // 2 and count > 0 and dict(arrays.meta) == {"tips": [tip]})
    _require(kind, len(arrays["times"]) == count and all(len(table) == count for table in tables.values()))
    _check_pointers(kind, arrays["parent_pointers"], count, len(arrays["parents"]))
    _check_pointers(kind, arrays["change_pointers"], count, len(arrays["change_paths"]))
    owners = np.repeat(np.arange(count), np.diff(arrays["parent_pointers"]))
    _within(kind, arrays["parents"], -1, count)
    _require(kind, bool((arrays["parents"] < owners).all()))
    _within(kind, arrays["times"], -_LAST_SECOND, _LAST_SECOND + 1)
    _within(kind, arrays["change_paths"], 0, len(paths))
    _require(kind, arrays["renames"].shape[1] == 3)
    _within(kind, arrays["renames"][:, 0], 0, count)
    _within(kind, arrays["renames"][:, 1:], 0, len(paths))
    _check_field(kind, arrays, "message", len(terms), count)
    segment = CommitSegment(arrays)
    _require(kind, segment.position(tip) == count - 1)
    return segment


def check_vectors(kind: str, arrays: Arrays, units: int, dimensions: int | None = None) -> None:
    """Raises ShardError if these arrays are no vectors of so many units."""
    wanted = {"rows": "|i1", "scales": "<f4"}
    if kind == "deep":
        wanted |= {"known": "|b1", "digests": "|u1"}
        _require_arrays(kind, arrays, wanted)
        _require(kind, len(arrays["known"]) == units and arrays["digests"].shape == (units, DIGEST_BYTES))
    _require_arrays(kind, arrays, wanted)
    shape = arrays["rows"].shape
    _require(kind, shape[0] == units and shape[1] > 0 and dimensions in (None, shape[1]))
    _require(kind, len(arrays["scales"]) == units and bool(np.isfinite(arrays["scales"]).all()))


# What the checks are made of


def _require(kind: str, holds: bool) -> None:
    if not holds:
        raise ShardError(f"its part {kind!r} contradicts itself")


def _require_arrays(kind: str, arrays: Arrays, wanted: Mapping[str, str]) -> None:
    found = {name: (array.dtype.str, array.ndim) for name, array in arrays.items()}
    if found != {name: (dtype, _TABLES.get(name, 1)) for name, dtype in wanted.items()}:
        raise ShardError(f"its part {kind!r} has other arrays than this version of Trackdown reads")


def _within(kind: str, values: _Array, first: int, end: int) -> None:
    _require(kind, not values.size or (int(values.min()) >= first and int(values.max()) < end))


def _grows(values: _Array) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def _check_pointers(kind: str, pointers: _Array, count: int, end: int) -> None:
    """Pointers to the first entry of each of `count` rows, and past the last."""
    _require(kind, len(pointers) == count + 1 and int(pointers[0]) == 0 and int(pointers[-1]) == end)
    _require(kind, _grows(pointers))


def _table(arrays: Arrays, name: str) -> StringTable:
    offsets = arrays[f"{name}_offsets"]
    _check_pointers(name, offsets, len(offsets) - 1, len(arrays[f"{name}_bytes"]))
    return StringTable(arrays, name)


def _sorted_table(arrays: Arrays, name: str) -> SortedTable:
    _table(arrays, name)
    prefixes = arrays[f"{name}_prefixes"]
    _require(name, len(prefixes) == len(arrays[f"{name}_offsets"]) - 1 and _grows(prefixes))
    return SortedTable(arrays, name)


def _check_field(kind: str, arrays: Arrays, field: str, terms: int, documents: int) -> None:
    postings = arrays[f"{field}_documents"]
    _check_pointers(kind, arrays[f"{field}_pointers"], terms, len(postings))
    _require(kind, len(arrays[f"{field}_counts"]) == len(postings) and len(arrays[f"{field}_lengths"]) == documents)
    _within(kind, postings, 0, documents)
    _within(kind, arrays[f"{field}_lengths"], 0, np.iinfo(np.int32).max)


def _texts(meta: Mapping[str, Any], name: str) -> Sequence[str]:
    texts = meta.get(name)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ShardError("its part 'code' contradicts itself")
    return texts


def _is_below(key: str, count: int) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 12 and int(key) < count
