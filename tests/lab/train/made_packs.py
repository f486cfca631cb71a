"""Toy repositories to train on: every query speaks of one function, in a word that its code never holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from trackdown.lab.mine.harvest import DOCUMENT_COLUMNS, EXAMPLE_COLUMNS
from trackdown.lab.mine.parquet_table import TableWriter
from trackdown.lab.train.pack import Pack
from trackdown.lab.train.packing import Packer, PackLimits

CODE = "apple bread cheese dates eggs flour grapes honey icing jam kale lemon".split()
ASKED = "red loaf milk palm hen wheat vine bee sugar toast leaf sour".split()
_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789.,:()=+/"
_USUAL = "def return given src py make it better again and let the case in part step".split()

Row = dict[str, Any]


def vocabulary() -> dict[str, int]:
    """Word pieces with the special tokens where BERT has them."""
    pieces = ["[PAD]", "[UNK]", *_SIGNS, *(f"##{sign}" for sign in _SIGNS)]
    pieces += [f"[unused{number}]" for number in range(101 - len(pieces))]
    assert len(pieces) == 101
    return {piece: number for number, piece in enumerate([*pieces, "[CLS]", "[SEP]", *CODE, *ASKED, *_USUAL])}


def make_tokenizer(path: Path | None = None) -> Tokenizer:
    """BERT's tokenizer over that vocabulary; saved with the truncation and padding that published ones have."""
    known = vocabulary()
    tokenizer = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, known[name]) for name in ("[CLS]", "[SEP]")],
    )
    if path is not None:
        tokenizer.enable_truncation(4)
        tokenizer.enable_padding(length=4)
        tokenizer.save(str(path))
        tokenizer.no_truncation()
        tokenizer.no_padding()
    return tokenizer


def documents() -> list[Row]:
    """Two versions of a function for every word; the older stood in a file of another name."""
    return [
        {
            "path": f"{folder}/{word}.py",
            "present_path": f"src/{word}.py",
            "symbol": word,
            "kind": "function",
            "language": "python",
            "code": f"def {word}(given): return {sign}",
        }
        for word in CODE
        for folder, sign in (("lib", "given"), ("src", word))
    ]


def examples(count: int = 36) -> list[Row]:
    """Commits, one a minute, and a docstring for every fifth. Each touches the file of its word."""
    rows = []
    for number in range(count):
        topic = number % len(CODE)
        kind = "docstring" if number % 5 == 4 else "commit"
        asked = f"make the {ASKED[topic]} better"
        rows.append(
            {
                "kind": kind,
                "commit": f"{number:040x}",
                "time": 60 * number if kind == "commit" else 0,
                "subject": asked,
                "message": f"{asked}\n\nand {ASKED[topic]} again" if number % 2 else asked,
                "files": [f"src/{CODE[topic]}.py"],
                "answers": [2 * topic + number % 2],
                "beside": [],
                "rewritten": "",
            }
        )
    return rows


def make_pack(repositories: int = 2, count: int = 36) -> Pack:
    """Several such repositories."""
    packer = Packer(make_tokenizer(), PackLimits())
    for number in range(repositories):
        packer.add(f"ada/shop{number}", documents(), examples(count))
    return packer.pack()


def write_mined(folder: Path, name: str, rows: list[Row] | None = None) -> None:
    """A repository's files as `trackdown mine` writes them."""
    about = {"repository": name}
    for ending, columns, values in (
        ("documents", DOCUMENT_COLUMNS, documents()),
        ("examples", EXAMPLE_COLUMNS, rows or examples(60)),
    ):
        with TableWriter(folder / f"{name.replace('/', '+')}.{ending}.parquet", columns, about) as table:
            for row in values:
                table.add([row[column] for column in columns])
