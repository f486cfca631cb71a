"""Mined files → packs of token ids, and the weights to start from beside them: a folder that training needs alone.

Documents are sorted by repository, path and symbol, so that versions of one function are neighbours and compress well.
Whole repositories are held out; of a single repository, the newest commits.
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from trackdown.errors import ModelError, UsageError
from trackdown.lab.mine import check_pyarrow, read_about
from trackdown.lab.train.array_files import PART_MIB, Array, ragged
from trackdown.lab.train.pack import COMMIT, DEV, DOCSTRING, ISSUE, PULL_REQUEST, TRAIN, Pack
from trackdown.models import brief_unit, normalized
from trackdown.query import most_telling_first

KINDS = {"commit": COMMIT, "docstring": DOCSTRING, "pull_request": PULL_REQUEST}
QUERY_TOKENS, DOCUMENT_TOKENS = 510, 320
DOCUMENTS, EXAMPLES = ".documents.parquet", ".examples.parquet"
SPECIAL = {"[PAD]": 0, "[CLS]": 101, "[SEP]": 102}
"""The ids that batches are framed with: those of BERT's own vocabulary."""
_STEM, _FEWEST_WORDS = 4, 4
_ONE_IN = 10
_OLDER = 0.9

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PackLimits:
    """How much of each repository goes into a pack: examples of each kind, answers of an example, documents beside
    its answers, and other documents. Of commits the longest messages are taken.
    """

    issues: int = 5000
    pull_requests: int = 1000
    commits: int = 450
    docstrings: int = 250
    answers: int = 6
    beside: int = 2
    others: int = 1000
    seed: int = 0


class Packer:
    """Collects repositories. `tokenizer` is a `tokenizers.Tokenizer` that neither cuts nor pads."""

    def __init__(self, tokenizer: Any, limits: PackLimits | None = None) -> None:
        self._tokenizer = tokenizer
        self._limits = limits or PackLimits()
        self._documents: list[Array] = []
        self._keys: list[int] = []
        self._document_repository: list[int] = []
        self._queries: list[Array] = []
        self._rows: list[tuple[int, int]] = []
        self._answers: list[list[int]] = []
        self._names: list[str] = []
        self._key_count = 0

    def add(self, name: str, documents: Sequence[Row], examples: Sequence[Row]) -> None:
        """Take a repository's documents and examples, as rows with the columns of the mined files."""
        chance = random.Random(f"{self._limits.seed}:{name}")
        repository = len(self._names)
        self._names.append(name)
        chosen = chosen_examples(examples, self._limits, chance)
        answers = [_some(row["answers"], self._limits.answers, chance) for row in chosen]
        wanted = {number for numbers in answers for number in numbers}
        wanted.update(number for row in chosen for number in _some(row["beside"], self._limits.beside, chance))
        others = [number for number in range(len(documents)) if number not in wanted]
        wanted.update(_some(others, self._limits.others, chance))
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
        for row, own in zip(chosen, answers, strict=True):
            queries += _forms(row, [documents[number]["symbol"] for number in own])
            self._rows.append((kind_of(row), repository))
            self._answers.append([numbers[number] for number in own])
        self._queries += self._ids(queries, QUERY_TOKENS)

    @property
    def kinds(self) -> list[int]:
        """The kind of each example."""
        return [kind for kind, _ in self._rows]

    def pack(self) -> Pack:
        """All that was added. Raises ValueError when there is no example."""
        kinds, repositories = zip(*self._rows, strict=True)
        return Pack(
            *ragged(self._documents, np.uint16),
            np.array(self._keys, np.uint32),
            np.array(self._document_repository, np.uint16),
            *ragged(self._queries, np.uint16),
            np.array(kinds, np.uint8),
            np.array(repositories, np.uint16),
            *ragged(self._answers, np.uint32),
            np.array(self._names),
        )

    def _ids(self, texts: Sequence[str], longest: int) -> Iterator[Array]:
        for start in range(0, len(texts), 4096):
            batch = [text[: 12 * longest] for text in texts[start : start + 4096]]
            for found in self._tokenizer.encode_batch(batch, add_special_tokens=False):
                yield np.array(found.ids[:longest], np.uint16)


def kind_of(row: Row) -> int:
    """The kind of an example: a commit that an issue is known for asks with that."""
    return ISSUE if row["kind"] == "commit" and row["rewritten"] else KINDS[row["kind"]]


def chosen_examples(examples: Sequence[Row], limits: PackLimits, chance: random.Random) -> list[Row]:
    """The examples of each kind up to its limit: the longest messages of commits, the others at random."""
    most = {
        ISSUE: limits.issues,
        PULL_REQUEST: limits.pull_requests,
        COMMIT: limits.commits,
        DOCSTRING: limits.docstrings,
    }
    taken: set[int] = set()
    for kind, count in most.items():
        rows = [number for number, row in enumerate(examples) if kind_of(row) == kind]
        if kind == COMMIT:
            rows.sort(key=lambda number: -len(examples[number]["message"]))
        elif len(rows) > count:
            rows = chance.sample(rows, count)
        taken.update(rows[:count])
    return [row for number, row in enumerate(examples) if number in taken]


def _forms(row: Row, symbols: Sequence[str]) -> tuple[str, str]:
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


@dataclass(frozen=True, slots=True)
class Packed:
    """What was packed: examples to learn from and to judge by, and the repositories that were held out.

    None are where the newest commits of the only repository judge. `files` are the parts with their sizes in bytes.
    """

    repositories: int
    train: dict[str, int]
    dev: dict[str, int]
    documents: int
    held_out: tuple[str, ...]
    files: dict[str, int]


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
    limits: PackLimits | None = None,
    issues: Path | None = None,
    mib: int = PART_MIB,
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
    train, dev = Packer(tokenizer, limits), Packer(tokenizer, limits)
    for name, paths in places.items():
        documents, examples = _joined(paths)
        if len(places) == 1 and not held_out:
            older, newer = by_time(examples, _OLDER)
            _add(train, name, documents, [*older, *(row for row in examples if row["kind"] == "docstring")])
            _add(dev, name, documents, newer)
        else:
            _add(dev if name in aside else train, name, documents, examples)
    for what, packer in (("learn from", train), ("judge by", dev)):
        if not set(packer.kinds) - {DOCSTRING}:
            raise UsageError(f"{mined} has no commit to {what}: mine more repositories, or hold out others")
    learned, judged = train.pack(), dev.pack()
    files = [*learned.save(out, TRAIN, mib), *judged.save(out, DEV, mib)]
    one = len(places) == 1 and not held_out
    return Packed(
        len(places),
        counted(learned),
        counted(judged),
        learned.documents,
        () if one else tuple(sorted(aside)),
        {path.name: path.stat().st_size for path in files},
    )


def pack_training(
    mined: Path,
    base: Path,
    out: Path,
    *,
    held_out: Sequence[str] = (),
    limits: PackLimits | None = None,
    issues: Path | None = None,
    mib: int = PART_MIB,
) -> Packed:
    """Write all that training needs into a folder: both packs, and the weights and the tokenizer to start from.

    Raises as `pack_folder` does, and UsageError or ModelError for a base that cannot be trained on.
    """
    from trackdown.lab.train.training_state import BASE, TOKENIZER, load_base, save_state

    state, path = load_base(base)
    packed = pack_folder(mined, read_tokenizer(path), out, held_out, limits, issues, mib)
    files = save_state(state, out, BASE)
    shutil.copyfile(path, out / TOKENIZER)
    files.append(out / TOKENIZER)
    return replace(packed, files=packed.files | {file.name: file.stat().st_size for file in files})


def counted(pack: Pack) -> dict[str, int]:
    """The number of examples of each kind."""
    found = np.bincount(pack.example_kind, minlength=4).tolist()
    return {
        "issues": found[ISSUE],
        "pull requests": found[PULL_REQUEST],
        "commits": found[COMMIT],
        "docstrings": found[DOCSTRING],
    }


def by_time(examples: Sequence[Row], older: float) -> tuple[list[Row], list[Row]]:
    """(older, newer) commits. Those of one second stay on one side, so that nothing newer is learned from."""
    commits = (row for row in examples if row["kind"] != "docstring")
    rows = sorted(commits, key=lambda row: (row["time"], row["commit"]))
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
