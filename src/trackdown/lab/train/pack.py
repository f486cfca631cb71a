"""Mined files → packs of token ids in few flat arrays: `train.xz`, and `dev.xz` to judge by.

Packs are small enough to carry to a GPU and quick to sample batches from. Documents are sorted by repository, path and
symbol, so that versions of one function are neighbours and compress well. Whole repositories are held out; of a single
repository, the newest commits.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError, UsageError
from trackdown.lab.mine import check_pyarrow, read_about
from trackdown.models import brief_unit, normalized
from trackdown.query import most_telling_first

COMMIT, DOCSTRING, REWRITTEN = 0, 1, 2
KINDS = {"commit": COMMIT, "docstring": DOCSTRING}
QUERY_TOKENS, DOCUMENT_TOKENS = 510, 320
Array = npt.NDArray[Any]
_STEM, _FEWEST_WORDS = 4, 4


@dataclass(slots=True)
class Pack:
    """Everything that training reads. Row r of a ragged array lies at `x[x_start[r]:x_start[r + 1]]`.

    `document_key` numbers (repository, newest path, symbol): documents that share it are versions of one unit. A query
    has two forms, its subject and its message, at rows 2e and 2e + 1; the second is empty where it would repeat the
    first. Where there is an issue for a commit, somebody's or a rewritten message, that replaces the message.
    """

    document: Array
    document_start: Array
    document_key: Array
    document_repository: Array
    query: Array
    query_start: Array
    example_kind: Array
    example_repository: Array
    example_time: Array
    answer: Array
    answer_start: Array
    beside: Array
    beside_start: Array
    path: Array
    path_start: Array
    repositories: Array

    @property
    def examples(self) -> int:
        return len(self.example_kind)

    @property
    def documents(self) -> int:
        return len(self.document_key)

    def save(self, path: Path) -> None:
        """Write everything into one compressed file."""
        raw = io.BytesIO()
        np.savez(raw, **{one.name: getattr(self, one.name) for one in fields(self)})
        with lzma.open(path, "wb", preset=2) as stream:
            stream.write(raw.getbuffer())


def load_pack(paths: Sequence[Path]) -> Pack:
    """Read a pack, which may lie in several parts."""
    data = b"".join(path.read_bytes() for path in sorted(paths))
    found = np.load(io.BytesIO(lzma.decompress(data)))
    return Pack(**{one.name: found[one.name] for one in fields(Pack)})


@dataclass(frozen=True, slots=True)
class PackLimits:
    """How much of each repository goes into a pack."""

    answers: int = 6
    beside: int = 2
    others: int = 1000
    examples: int = 5000
    seed: int = 0


class Packer:
    """Collects repositories. `tokenizer` is a `tokenizers.Tokenizer` that neither cuts nor pads."""

    def __init__(self, tokenizer: Any, share: PackLimits | None = None) -> None:
        self._tokenizer = tokenizer
        self._share = share or PackLimits()
        self._documents: list[Array] = []
        self._keys: list[int] = []
        self._document_repository: list[int] = []
        self._queries: list[Array] = []
        self._rows: list[tuple[int, int, int]] = []
        self._answers: list[list[int]] = []
        self._beside: list[list[int]] = []
        self._files: list[list[int]] = []
        self._names: list[str] = []
        self._paths: dict[tuple[int, str], int] = {}
        self._key_count = 0

    def add(self, name: str, documents: Sequence[dict[str, Any]], examples: Sequence[dict[str, Any]]) -> None:
        """Take a repository's documents and examples, as rows with the columns of the mined files."""
        chance = random.Random(f"{self._share.seed}:{name}")
        repository = len(self._names)
        self._names.append(name)
        chosen = _fewer(examples, self._share.examples, chance)
        answers = [_some(row["answers"], self._share.answers, chance) for row in chosen]
        beside = [_some(row["beside"], self._share.beside, chance) for row in chosen]
        wanted = {number for numbers in (*answers, *beside) for number in numbers}
        others = [number for number in range(len(documents)) if number not in wanted]
        wanted.update(_some(others, self._share.others, chance))
        order = sorted(wanted, key=lambda number: (documents[number]["path"], documents[number]["symbol"], number))
        numbers = {old: len(self._documents) + new for new, old in enumerate(order)}
        keys: dict[tuple[str, str], int] = {}
        for old in order:
            key = (documents[old]["present_path"], documents[old]["symbol"])
            self._keys.append(self._key_count + keys.setdefault(key, len(keys)))
            self._document_repository.append(repository)
        self._key_count += len(keys)
        texts = [brief_unit(row["path"], row["symbol"], row["code"]) for row in (documents[old] for old in order)]
        self._documents += self._ids(texts, DOCUMENT_TOKENS)
        queries: list[str] = []
        for row, own, near in zip(chosen, answers, beside, strict=True):
            queries += _forms(row, [documents[number]["symbol"] for number in own])
            kind = REWRITTEN if row["rewritten"] else KINDS[row["kind"]]
            self._rows.append((kind, repository, row["time"]))
            self._answers.append([numbers[number] for number in own])
            self._beside.append([numbers[number] for number in near])
            known = (self._paths.setdefault((repository, path), len(self._paths)) for path in row["files"][:20])
            self._files.append(list(known) if row["kind"] != "docstring" else [])
        self._queries += self._ids(queries, QUERY_TOKENS)

    @property
    def kinds(self) -> list[int]:
        """The kind of each example."""
        return [kind for kind, _, _ in self._rows]

    def pack(self) -> Pack:
        """All that was added. Raises ValueError when there is no example."""
        kinds, repositories, times = zip(*self._rows, strict=True)
        return Pack(
            *_flat(self._documents, np.uint16),
            np.array(self._keys, np.uint32),
            np.array(self._document_repository, np.uint16),
            *_flat(self._queries, np.uint16),
            np.array(kinds, np.uint8),
            np.array(repositories, np.uint16),
            np.array(times, np.int64),
            *_flat(self._answers, np.uint32),
            *_flat(self._beside, np.uint32),
            *_flat(self._files, np.uint32),
            np.array(self._names),
        )

    def _ids(self, texts: Sequence[str], longest: int) -> Iterator[Array]:
        for start in range(0, len(texts), 4096):
            batch = [text[: 12 * longest] for text in texts[start : start + 4096]]
            for found in self._tokenizer.encode_batch(batch, add_special_tokens=False):
                yield np.array(found.ids[:longest], np.uint16)


def _fewer(examples: Sequence[dict[str, Any]], most: int, chance: random.Random) -> list[dict[str, Any]]:
    """At most `most` examples; issues, which are few, go first."""
    if len(examples) <= most:
        return list(examples)
    issues = [row for row in examples if row["rewritten"]][:most]
    return [*issues, *chance.sample([row for row in examples if not row["rewritten"]], most - len(issues))]


def _forms(row: dict[str, Any], symbols: Sequence[str]) -> tuple[str, str]:
    """The two forms of a query: a title, and all of it or nothing more.

    An issue is read as search reads it. A docstring is asked a second time without the words of its function's name, so
    that a model learns to find code by other words.
    """
    if row["rewritten"]:
        title, _, _ = row["rewritten"].partition("\n")
        first, whole = normalized(title), normalized(most_telling_first(row["rewritten"]))
    elif row["kind"] == "docstring":
        first = normalized(row["subject"])
        named = {word[:_STEM] for symbol in symbols for word in normalized(symbol).split()}
        left = [word for word in first.split() if word[:_STEM] not in named]
        whole = " ".join(left) if len(left) >= _FEWEST_WORDS else ""
    else:
        first, whole = normalized(row["subject"]), normalized(row["message"])
    return first, whole if whole != first else ""


def _some(values: Sequence[int], most: int, chance: random.Random) -> list[int]:
    return list(values) if len(values) <= most else chance.sample(list(values), most)


def _flat(rows: Iterable[Sequence[int] | Array], kind: Any) -> tuple[Array, Array]:
    found = [np.asarray(row, kind) for row in rows]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.uint32)
    return (np.concatenate(found) if found else np.zeros(0, kind)), starts


DOCUMENTS, EXAMPLES = ".documents.parquet", ".examples.parquet"
SPECIAL = {"[PAD]": 0, "[CLS]": 101, "[SEP]": 102}
"""The ids that batches are framed with: those of BERT's own vocabulary."""
_ONE_IN = 10
_OLDER = 0.9

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Packed:
    """What was packed: examples to learn from and to judge by, and the repositories that were held out.

    None are where the newest commits of the only repository judge.
    """

    repositories: int
    train: int
    dev: int
    held_out: tuple[str, ...]


def read_tokenizer(path: Path) -> Any:
    """A tokenizer that neither cuts nor pads. Raises ModelError for one that is not over BERT's vocabulary."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises no other class
        raise ModelError(f"{path} cannot be read as a tokenizer ({error})") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    known = {name: tokenizer.token_to_id(name) for name in SPECIAL}
    if known != SPECIAL or tokenizer.get_vocab_size() > 1 << 16:
        raise ModelError(f"{path} is not over the vocabulary of BERT: models of others cannot be trained")
    return tokenizer


def pack_folder(
    mined: Path,
    tokenizer: Any,
    out: Path,
    held_out: Sequence[str] = (),
    share: PackLimits | None = None,
    issues: Path | None = None,
) -> Packed:
    """Write both packs into `out`. `held_out` are names of repositories; without any, one in ten is chosen.

    `issues` is a folder of the same kind, mined with the issues behind commits: what it has of a repository joins what
    `mined` has, so that versions of one unit are known as such.

    Raises UsageError for a folder without mined files, a name that is not there, and too little to learn from.
    """
    check_pyarrow()
    places: dict[str, list[Path]] = {}
    for folder, how in ((mined, ""), (issues, "--issues FILE ")):
        found = sorted(folder.glob(f"*{DOCUMENTS}")) if folder is not None else []
        if folder is not None and not found:
            raise UsageError(f"{folder} has no *{DOCUMENTS}: fill it with `trackdown mine pairs {how}--out {folder}`")
        for path in found:
            places.setdefault(_name(path), []).append(path)
    if issues is not None and not _has_issues(issues):
        raise UsageError(f"{issues} has no issues: fill it with `trackdown mine pairs --issues FILE --out {issues}`")
    if unknown := sorted(set(held_out) - set(places)):
        raise UsageError(
            f"there is no {', '.join(unknown)} to hold out: {mined} has {', '.join(sorted(places)[:5])}, …"
        )
    aside = set(held_out) or _chosen(name for name, paths in places.items() if paths[0].parent == mined)
    train, dev = Packer(tokenizer, share), Packer(tokenizer, share)
    for name, paths in places.items():
        documents, examples = _joined(paths)
        if len(places) == 1 and not held_out:
            older, newer = by_time(examples, _OLDER)
            _add(train, name, documents, [*older, *(row for row in examples if row["kind"] != "commit")])
            _add(dev, name, documents, newer)
        else:
            _add(dev if name in aside else train, name, documents, examples)
    for what, packer in (("learn from", train), ("judge by", dev)):
        if COMMIT not in packer.kinds:
            raise UsageError(f"{mined} has no commit to {what}: mine more repositories, or hold out others")
    out.mkdir(parents=True, exist_ok=True)
    train.pack().save(out / "train.xz")
    dev.pack().save(out / "dev.xz")
    one = len(places) == 1 and not held_out
    return Packed(len(places), len(train.kinds), len(dev.kinds), () if one else tuple(sorted(aside)))


def by_time(examples: Sequence[Row], older: float) -> tuple[list[Row], list[Row]]:
    """(older, newer) commits. Those of one second stay on one side, so that nothing newer is learned from."""
    rows = sorted((row for row in examples if row["kind"] == "commit"), key=lambda row: (row["time"], row["commit"]))
    cut = round(older * len(rows))
    while 0 < cut < len(rows) and rows[cut - 1]["time"] == rows[cut]["time"]:
        cut -= 1
    return rows[:cut], rows[cut:]


def _add(packer: Packer, name: str, documents: Sequence[Row], examples: Sequence[Row]) -> None:
    if examples:
        packer.add(name, documents, examples)


def _has_issues(folder: Path) -> bool:
    return any(row["rewritten"] for path in sorted(folder.glob(f"*{EXAMPLES}")) for row in _rows(path))


def _joined(paths: Sequence[Path]) -> tuple[list[Row], list[Row]]:
    """Documents and examples of one repository, however many files they lie in."""
    documents: list[Row] = []
    examples: list[Row] = []
    for path in paths:
        first = len(documents)
        documents += _rows(path)
        for row in _rows(path.with_name(path.name.removesuffix(DOCUMENTS) + EXAMPLES)):
            examples.append(row | {part: [number + first for number in row[part]] for part in ("answers", "beside")})
    return documents, examples


def _chosen(names: Iterable[str]) -> set[str]:
    """One in ten, and one at least; by digests of their names, so that runs agree."""
    order = sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())
    return set(order[: max(1, len(order) // _ONE_IN)])


def _name(path: Path) -> str:
    return str(read_about(path).get("repository") or path.name.removesuffix(DOCUMENTS).replace("+", "/", 1))


def _rows(path: Path) -> list[Row]:
    import pyarrow
    import pyarrow.parquet

    try:
        return list(pyarrow.parquet.read_table(path).to_pylist())
    except (OSError, pyarrow.ArrowException) as error:
        raise UsageError(f"cannot read {path}: {(str(error).splitlines() or ['damaged'])[0]}") from None
