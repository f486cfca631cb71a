"""A folder that `trackdown mine` filled → packs to train on: `train.xz`, and `dev.xz` to judge by.

Whole repositories are held out. Of a single repository the newest commits are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackdown.errors import ModelError, UsageError
from trackdown.lab.mine.table_file import check_pyarrow, read_about
from trackdown.lab.train.pack import COMMIT, Packer, Share

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
    share: Share | None = None,
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
        raise UsageError(f"{issues} holds no issue: fill it with `trackdown mine pairs --issues FILE --out {issues}`")
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


__all__ = ["Packed", "by_time", "pack_folder", "read_tokenizer"]
