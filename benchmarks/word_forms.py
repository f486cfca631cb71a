"""Is a function found whose name says the same word in another form? Before and after, on any repositories.

python benchmarks/word_forms.py BEFORE AFTER REPOSITORY... [--pairs 100] [--seed 1] [--mode hybrid] [--json FILE]

BEFORE and AFTER are installed programs such as .venv/bin/trackdown. A pair is a documented function in whose first
sentence a word stands that its name has in another form only: "Signs the cookie" and `get_signing_serializer`. Two
words are forms of one word if they share their beginning and each goes on with an English ending. This rule is not the
program's. The searched copy is a plain folder of the same files, in which the documentation of every function is
blanked, so that no sentence finds itself. What is asked, and what is a right answer:

- sentence: the first sentence without words that the name has exactly. Right is the function.
- whole: the first sentence without the name itself, with which documentation in Go begins. Right is the function.
- words: the word and, as the name spells it, the next part of the name. Right is the function.
- word: the word alone, if no function's name has it exactly. Right is every function whose name has a form of it.

Functions of tests, of third-party code and without code of their own are no answers: other rules rank them lower.
Every question is asked for functions, without models. Intervals are 95 % bootstrap intervals over questions.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from measure import keep, new_parser

from trackdown.lab.measure import bootstrap_interval, paired_permutation_test
from trackdown.repository import role_of
from trackdown.types import CODE
from trackdown.units import TEXT, extract, language_of, split_docstring, terms, words

DEPTH = 100
LARGEST = 1 << 19
SENTENCE_WORDS = range(3, 31)
MOST_PER_WORD = 3
"""How many pairs may show the same two words: some names repeat all over a repository."""
_WORD = re.compile(r"[A-Za-z]{4,}")
_SENTENCE = re.compile(r"(.+?)(?:[.:;!?](?:\s|$)|$)")
_ENDINGS = frozenset(
    "|e|y|s|es|ies|ed|d|ied|ing|er|or|r|ers|ors|rs|ion|ions|ation|ations|ication|ment|ments|able|ible|al|ance|ence|ency|"
    "ity|ly|ally".split("|")
)
_FOR_ANYTHING = frozenset(
    "return returns returned returning give given gives make makes take takes true false none this that these those "
    "with from into when which where there their will would should could must does have having only also other".split()
)
ASK = """
import json, sys, trackdown
place, depth = sys.argv[1:]
repository = trackdown.open(place)
for line in sys.stdin:
    try:
        found = repository.search(json.loads(line), k=int(depth), effort="fast")
        places = [f"{result.path}:{result.symbol}" for result in found]
    except trackdown.TrackdownError:
        places = []
    print(json.dumps(places), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Function:
    """A function with the first sentence of its documentation."""

    place: str
    name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of which kind, and which places are right."""

    kind: str
    query: str
    right: tuple[str, ...]


def main() -> int:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--pairs", type=int, default=100, help="how many pairs to draw from a repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", default="hybrid")
    arguments = parser.parse_args()
    report: dict[str, Any] = {"mode": arguments.mode, "seed": arguments.seed, "repositories": {}}
    everything: list[tuple[Question, dict[str, int]]] = []
    for repository in arguments.repositories:
        with tempfile.TemporaryDirectory(prefix="trackdown-bench-") as folder:
            copy = Path(folder) / repository.name
            functions = list(copy_without_documentation(repository, copy))
            questions = draw(functions, arguments.pairs, arguments.seed)
            found = {
                name: ranks(program, copy, Path(folder) / f"store-{name}", questions, arguments.mode)
                for name, program in (("before", arguments.before), ("after", arguments.after))
            }
        rows = [
            (question, {name: values[number] for name, values in found.items()})
            for number, question in enumerate(questions)
        ]
        everything += rows
        report["repositories"][repository.name] = {
            "functions": len(functions),
            "figures": figures(rows),
            "questions": [asdict(question) | rank for question, rank in rows],
        }
        show(repository.name, report["repositories"][repository.name]["figures"])
    report["all"] = figures(everything)
    show("all", report["all"])
    keep(report, arguments.json)
    return 0


def copy_without_documentation(repository: Path, copy: Path) -> Iterator[Function]:
    """Copy the tracked files that have functions, with blanked documentation. Yields the functions of code."""
    listed = subprocess.check_output(["git", "-C", str(repository), "ls-files", "-z"])
    for name in filter(None, listed.decode("utf-8", "surrogateescape").split("\0")):
        source = repository / name
        language = language_of(name)
        if language == TEXT or not source.is_file() or source.is_symlink() or source.stat().st_size > LARGEST:
            continue
        data = source.read_bytes()
        facts = extract(data, language)
        text = data.decode("utf-8", "replace")
        if facts.skip:
            continue
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        for unit in facts.units:
            if unit.kind not in ("function", "method"):
                continue
            first = starts[unit.start_line - 1]
            last = starts[unit.end_line] if unit.end_line < len(starts) else len(text)
            code = text[first:last]
            said, bare = split_docstring(code, facts.language)
            sentence = _SENTENCE.match(said)
            if said and sentence is not None:
                text = text[:first] + _blanked(code, bare, facts.language) + text[last:]
                if role_of(name) == CODE and not unit.declares:
                    yield Function(f"{name}:{unit.symbol}", unit.symbol.rsplit(".", 1)[-1], sentence[1])
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8", newline="")


def _blanked(code: str, bare: str, language: str) -> str:
    """The code with spaces in place of what `bare` lacks; in Python, a `pass` keeps an otherwise empty body."""
    first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(code, bare, strict=False)))
    removed = code[first : first + len(code) - len(bare)]
    if language == "python":
        quote = len(removed) - len(removed.lstrip())
        removed = f"{removed[:quote]}pass{removed[quote + 4 :]}"
        kept = range(quote, quote + 4)
    else:
        kept = range(0)
    blank = "".join(char if char.isspace() or place in kept else " " for place, char in enumerate(removed))
    return code[:first] + blank + code[first + len(removed) :]


def draw(functions: Sequence[Function], count: int, seed: int) -> list[Question]:
    """Pairs in random order, and the questions of each."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for function in functions:
        for part in terms(function.name):
            names[part].append(function.place)
    shuffled = sorted(set(functions), key=lambda function: (function.place, function.sentence))
    random.Random(seed).shuffle(shuffled)
    shown: defaultdict[tuple[str, str], int] = defaultdict(int)
    questions: dict[Question, None] = {}
    pairs = 0
    for function in shuffled:
        pair = _pair(function)
        if pair is None or shown[pair] >= MOST_PER_WORD:
            continue
        shown[pair] += 1
        pairs += 1
        questions.update(dict.fromkeys(_questions(function, *pair, names)))
        if pairs == count:
            break
    return list(questions)


def _pair(function: Function) -> tuple[str, str] | None:
    """The first word of the sentence that the name has in another form only, and that form."""
    said = [word.lower() for word in _WORD.findall(function.sentence)]
    if len(function.sentence.split()) not in SENTENCE_WORDS:
        return None
    parts = [part for part in terms(function.name) if part.isalpha() and len(part) > 3]
    for word in said:
        if word in parts or word in _FOR_ANYTHING:
            continue
        form = next((part for part in parts if is_form(word, part)), None)
        if form is not None and form not in said:
            return word, form
    return None


def is_form(one: str, other: str) -> bool:
    """Whether two different words share their beginning, and each goes on with an English ending."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if one == other or shared < max(4, min(len(one), len(other)) - 2):
        return False
    return one[shared:] in _ENDINGS and other[shared:] in _ENDINGS


def _questions(function: Function, word: str, form: str, names: dict[str, list[str]]) -> Iterator[Question]:
    name = function.name.lower().strip("_")
    parts = [part for part in terms(function.name) if part != name] or [form]
    whole = [piece for piece in function.sentence.split() if name not in _plain_terms(piece)]
    left = [piece for piece in whole if not _plain_terms(piece) & set(parts)]
    if len(left) >= min(SENTENCE_WORDS):
        yield Question("sentence", " ".join(left), (function.place,))
    if len(whole) >= min(SENTENCE_WORDS):
        yield Question("whole", " ".join(whole), (function.place,))
    after = parts[parts.index(form) + 1 :] if form in parts else []
    others = [part for part in (*after, *parts) if part != form and part.isalpha()]
    if others:
        yield Question("words", f"{word} {others[0]}", (function.place,))
    if not names.get(word):
        right = {place for part, places in names.items() if is_form(word, part) for place in places}
        yield Question("word", word, tuple(sorted(right)))


def _plain_terms(piece: str) -> set[str]:
    """The terms of a word of a sentence: `Command.SetArgs()` gives `command` and `setargs`."""
    return {term for word in words(piece.lower()) for term in terms(word)}


def ranks(program: Path, place: Path, store: Path, questions: Sequence[Question], mode: str) -> list[int]:
    """The rank of the first right answer to each question; 0 if there is none."""
    command = [str(program.absolute().parent / "python"), "-c", ASK, str(place), str(DEPTH)]
    environment = os.environ | {"TRACKDOWN_STORE": str(store), "TRACKDOWN_MODE": mode}
    asked = "".join(f"{json.dumps(question.query)}\n" for question in questions)
    done = subprocess.run(command, input=asked, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        next((rank for rank, found in enumerate(places, 1) if found in question.right), 0)
        for question, places in zip(questions, answers, strict=True)
    ]


def figures(rows: Sequence[tuple[Question, dict[str, int]]]) -> dict[str, Any]:
    """MRR, first and within five for every kind of question, before and after, with intervals."""
    table: dict[str, Any] = {}
    for kind in dict.fromkeys(question.kind for question, _ in rows):
        found = [rank for question, rank in rows if question.kind == kind]
        values = {
            version: {
                "MRR": [1 / rank[version] if rank[version] else 0.0 for rank in found],
                "first": [float(rank[version] == 1) for rank in found],
                "within_5": [float(0 < rank[version] <= 5) for rank in found],
            }
            for version in ("before", "after")
        }
        table[kind] = {"questions": len(found)} | {
            version: {name: _with_interval(numbers) for name, numbers in columns.items()}
            for version, columns in values.items()
        }
        table[kind]["p"] = round(paired_permutation_test(values["after"]["MRR"], values["before"]["MRR"]), 4)
    return table


def _with_interval(values: Sequence[float]) -> dict[str, Any]:
    low, high = bootstrap_interval(values)
    return {"mean": round(sum(values) / len(values), 3), "interval": [round(low, 3), round(high, 3)]}


def show(name: str, table: dict[str, Any]) -> None:
    """Print the figures of a repository."""
    for kind, found in table.items():
        for version in ("before", "after"):
            said = ", ".join(
                f"{metric} {value['mean']:.3f} ({value['interval'][0]:.3f} to {value['interval'][1]:.3f})"
                for metric, value in found[version].items()
            )
            print(f"{name:>18} {kind:>9} ({found['questions']:>3}) {version:>6}: {said}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
