"""What each model costs: parameters, bytes, milliseconds to load, and texts (or pairs) a second by length and threads.

python benchmarks/model_speed.py TEXTS.txt [--models packaged] [--threads 1,2] [--seconds 3]

TEXTS is a file of source code or prose; its words, as models read them, are cut into texts of the lengths measured.
A model reads as many texts side by side as it has threads, each apart, as in a search. Loading is measured in
a process of its own each time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from trackdown.models.manifest import ROLES
from trackdown.models.normalization import normalized
from trackdown.models.registry import Models, open_models
from trackdown.models.tokenizer import TextTokenizer

LENGTHS = (64, 128, 256)
QUERY_TOKENS = 24
"""The part of a pair's length that its query takes; the subject of a commit is about as long."""
_MOST_TEXTS = 500
Read = Callable[[Sequence[str]], object]
_LOADS = 3


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--models", default="packaged")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each speed is measured")
    parser.add_argument("--load", choices=ROLES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.load:
        print(json.dumps({"ms": load_once(arguments.models, arguments.load)}))
        return
    threads = [int(number) for number in arguments.threads.split(",")]
    text = arguments.texts.read_text("utf-8", errors="replace")
    print(json.dumps(measure(arguments.models, text, threads, arguments.seconds, arguments.texts), indent=1))


def measure(name: str, text: str, threads: Sequence[int], seconds: float, texts: Path) -> dict[str, Any]:
    """The figures of every role that a set of models has."""
    manifest = open_models(name).manifest
    words = normalized(text).split()
    report: dict[str, Any] = {}
    for role in [role for role in ROLES if role in manifest.roles]:
        file = manifest.roles[role].file
        shared = [other for other, one in manifest.roles.items() if one.file == file and other != role]
        report[role] = {
            "model": manifest.model_id(role),
            "parameters": manifest.roles[role].parameters,
            "bytes": manifest.files[file].bytes,
            "load_ms": loaded(name, role, texts),
            "per_second": {
                str(number): speeds(open_models(name, number), role, words, number, seconds) for number in threads
            },
        } | ({"same_file_as": shared} if shared else {})
    return report


def loaded(name: str, role: str, texts: Path) -> float:
    """Milliseconds until a fresh process has a model, what runs it included; the median of some."""
    command = [sys.executable, __file__, str(texts), "--models", name, "--load", role]
    found = [json.loads(subprocess.check_output(command, text=True))["ms"] for _ in range(_LOADS)]
    return round(float(statistics.median(found)), 1)


def load_once(name: str, role: str) -> float:
    """Milliseconds to open a role in this process."""
    started = time.perf_counter()
    assert getattr(open_models(name), role) is not None
    return (time.perf_counter() - started) * 1000


def speeds(models: Models, role: str, words: Sequence[str], threads: int, seconds: float) -> dict[str, float]:
    """Texts (or pairs) a second by the number of tokens, special ones included."""
    tokens = TextTokenizer(models.folder / models.manifest.roles[role].tokenizer)
    found = {}
    for length in LENGTHS:
        read = reader(models, role, length, tokens, words)
        room = {"static": length, "encoder": length - 2, "cross_encoder": length - 3 - QUERY_TOKENS}[role]
        texts = list(islice(cut(words, room, tokens), _MOST_TEXTS))
        found[str(length)] = round(speed(read, texts, threads, seconds), 1)
    return found


def reader(models: Models, role: str, length: int, tokens: TextTokenizer, words: Sequence[str]) -> Read:
    """A function that lets a model read texts of a length."""
    if role == "static":
        table = models.static
        assert table is not None
        return lambda texts: [table.text(text) for text in texts]
    if role == "encoder":
        encoder = models.encoder
        assert encoder is not None
        return lambda texts: encoder.encode(texts, longest=length, apart=True)
    judge = models.cross_encoder
    assert judge is not None
    judge.longest = length
    query = next(cut(words, QUERY_TOKENS, tokens))
    return lambda texts: judge.score(query, texts, apart=True)


def cut(words: Sequence[str], room: int, tokens: TextTokenizer) -> Iterator[str]:
    """Texts of some tokens each, from words that follow one another; from the first word on again at the end."""
    if not words:
        raise SystemExit("there is no word in the texts: name a file of source code")
    text: list[str] = []
    count = 0
    for word in cycle(words):
        size = len(tokens.ids(word, room))
        if text and count + size > room:
            yield " ".join(text)
            text, count = [], 0
        text.append(word)
        count += size


def speed(read: Read, texts: Sequence[str], at_once: int, seconds: float) -> float:
    """Texts a second, after a few that warm up."""
    read(texts[: 2 * at_once])
    count, started = 0, time.perf_counter()
    for first in cycle(range(0, len(texts), at_once)):
        some = texts[first : first + at_once]
        read(some)
        count += len(some)
        if (spent := time.perf_counter() - started) >= seconds:
            break
    return count / spent


if __name__ == "__main__":
    main()
