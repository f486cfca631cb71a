"""Texts that a language model wrote for a set elsewhere, joined to its questions and snippets; and ids left out."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.models.llm.pregenerated import read_pregenerated

Made = tuple[str, str]


@dataclass(frozen=True, slots=True)
class JoinedTexts:
    """Exemplars by the id of a question, rewrites (summary and code) by the key of a snippet, and a digest of all."""

    exemplars: Mapping[str, tuple[str, ...]]
    rewrites: Mapping[str, Sequence[Made]]
    digest: str


def read_made_texts(folder: Path, name: str, questions: Collection[str], snippets: Collection[str]) -> JoinedTexts:
    """The texts of a set's questions and snippets, whose ids the files may write without the set's name before them.

    Texts of other ids are passed over: a folder may hold those of a whole set. Raises UsageError when none belongs.
    """
    made = read_pregenerated(folder, name)
    exemplars = {id_: _of(made.exemplars, id_) for id_ in questions}
    summaries = {key: _of(made.summaries, key) for key in snippets}
    rewrites = {
        key: [
            (summaries[key][number] if number < len(summaries[key]) else "", code) for number, code in enumerate(codes)
        ]
        for key in snippets
        if (codes := _of(made.rewrites, key))
    }
    exemplars = {id_: texts for id_, texts in exemplars.items() if texts}
    if not exemplars and not rewrites:
        raise UsageError(f"{folder} holds no exemplar and no rewrite for an id of {name}")
    told = repr((sorted(exemplars.items()), sorted(rewrites.items()))).encode("utf-8", "backslashreplace")
    return JoinedTexts(exemplars, rewrites, hashlib.sha256(told).hexdigest()[:12])


def _of(texts: Mapping[str, tuple[str, ...]], id_: str) -> tuple[str, ...]:
    found = texts.get(id_) or texts.get(id_.rpartition("/")[2]) or ()
    return tuple(text for text in found if text.strip())


def read_ids(path: Path, known: Collection[str]) -> set[str]:
    """Ids of a set, one a line, with or without its name. Raises UsageError for one that the set does not have."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"cannot read the ids {path}: {why}") from None
    by_name = {name: id_ for id_ in known for name in (id_, id_.rpartition("/")[2])}
    found = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if line.strip() not in by_name:
            raise UsageError(f"{path}, line {number}: the set has no id {line.strip()!r}")
        found.add(by_name[line.strip()])
    return found
