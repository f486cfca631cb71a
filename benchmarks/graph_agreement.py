"""Calls of a Python repository, resolved by our graph and by jedi: where do they lead to the same definition?

python benchmarks/graph_agreement.py REPOSITORY [--calls 400] [--seed 1] [--json FILE] [--notes FILE] [--show]

Calls are drawn from all Python files. Jedi looks at the called name (goto, then infer); only functions and classes of
the repository count. A stub that jedi brings along (Django's) stands for the definition of the same full name. Needs
jedi (`pip install -e '.[bench]'`); what the repository itself imports need not be there.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jedi
from measure import keep, new_parser

import trackdown
from trackdown.graph.edges import HOWS
from trackdown.graph.program import Definition, Program
from trackdown.graph.python import PythonResolver
from trackdown.settings import load_settings
from trackdown.units.references.facts import CALL, DECORATOR, Reference

SECONDS_PER_CALL = 20
BOTH = ("same", "different")
VERDICTS = (*BOTH, "jedi outside", "only ours", "only jedi")
SURE = ("exact", "scoped")
SOURCE_FOLDERS = ("", "src", "lib", "tests")


class Call(NamedTuple):
    """A call in a file: the line of the called expression, its chain, and where the called name stands (0-based)."""

    path: str
    line: int
    chain: str
    name_line: int
    name_column: int


class Answer(NamedTuple):
    """Definitions of the repository, as (path, first line, symbol). `outside`: jedi found something elsewhere."""

    places: frozenset[tuple[str, int, str]]
    how: str = ""
    outside: bool = False


def main() -> int:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--notes", type=Path, help="a text: what reading the disagreements showed, a note a line")
    parser.add_argument("--show", action="store_true", help="print every call on which the two differ")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as store:
        settings = load_settings(store=Path(store))
        prepared = trackdown.open(str(arguments.repository), settings=settings).corpus()
        report = compare(arguments.repository.resolve(), prepared.graph().program, arguments)
    report["commit"] = prepared.snapshot.commit
    print(json.dumps(report, indent=1))
    if arguments.notes is not None:
        report["notes"] = arguments.notes.read_text("utf-8").splitlines()
    keep(report, arguments.json)
    return 0


def compare(root: Path, program: Program, arguments: argparse.Namespace) -> dict[str, Any]:
    """Draw calls, ask both, count."""
    paths = sorted(path for path in program.files if path.endswith(".py"))
    calls = [call for path in paths for call in calls_of(root, path)]
    drawn = random.Random(arguments.seed).sample(calls, min(arguments.calls, len(calls)))
    ours, theirs = Ours(program), Theirs(root, program)
    counts: Counter[tuple[str, str]] = Counter()
    started = time.perf_counter()
    for number, call in enumerate(drawn, 1):
        mine, other = ours.ask(call), theirs.ask(call)
        verdict = judge(mine, other)
        counts[verdict, mine.how] += 1
        if arguments.show and verdict not in ("same", "neither"):
            print(f"{verdict:15} {mine.how:7}{call.path}:{call.name_line + 1} {call.chain}")
            print(f"    ours {sorted(mine.places)}\n    jedi {sorted(other.places)}{' and outside' * other.outside}")
        if sys.stderr.isatty():
            print(f"\r{number} of {len(drawn)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return {
        "repository": root.name,
        "python_files": len(paths),
        "calls_in_all": len(calls),
        "calls_drawn": len(drawn),
        "seed": arguments.seed,
        "jedi": jedi.__version__,
        "jedi_timeouts": theirs.timeouts,
        "seconds": round(time.perf_counter() - started, 1),
        **figures(counts),
    }


def judge(mine: Answer, other: Answer) -> str:
    """How the two answers to one call compare."""
    if mine.places and other.places:
        return "same" if mine.places & other.places else "different"
    if mine.places:
        return "jedi outside" if other.outside else "only ours"
    return "only jedi" if other.places else "neither"


def figures(counts: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Verdicts of the sure edges and by `how`, with precision and recall against jedi.

    A call that jedi leads out of the repository counts against precision; one resolved by name alone, against recall.
    """
    sure = {verdict: sum(counts[verdict, how] for how in SURE) for verdict in VERDICTS}
    jedi_resolves = sum(number for (verdict, _), number in counts.items() if verdict in BOTH or verdict == "only jedi")
    sure["only jedi"] = jedi_resolves - sure["same"] - sure["different"]
    return {
        "agreement_where_both_resolve": share(sure["same"], sure["same"] + sure["different"]),
        "precision": share(sure["same"], sure["same"] + sure["different"] + sure["jedi outside"]),
        "recall": share(sure["same"], jedi_resolves),
        "exact_and_scoped": sure,
        "by_how": {how: {verdict: counts[verdict, how] for verdict in VERDICTS[:-1]} for how in HOWS},
        "neither": counts["neither", ""],
    }


def share(part: int, whole: int) -> float:
    """A share, rounded."""
    return round(part / max(1, whole), 4)


# The calls of a file


def calls_of(root: Path, path: str) -> Iterator[Call]:
    """The calls in a file whose called expression ends in a name."""
    try:
        source = (root / path).read_bytes()
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError):
        return
    lines = source.decode("utf-8", "replace").split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        chain = chain_of(called)
        if isinstance(called, ast.Name):
            place = called.lineno, called.col_offset
        elif isinstance(called, ast.Attribute) and called.end_lineno and called.end_col_offset is not None:
            place = called.end_lineno, called.end_col_offset - len(called.attr.encode())
        else:
            continue
        if place[0] <= len(lines):
            column = len(lines[place[0] - 1].encode()[: place[1]].decode("utf-8", "replace"))
            yield Call(path, called.lineno, chain, place[0] - 1, column)


def chain_of(node: ast.expr) -> str:
    """An expression as a reference writes it, roughly: enough to tell two calls in a line apart."""
    parts: list[str] = []
    suffix = ""
    while True:
        if isinstance(node, ast.Name):
            return ".".join([node.id + suffix, *parts])
        if isinstance(node, ast.Attribute):
            parts.insert(0, node.attr + suffix)
            node, suffix = node.value, ""
        elif isinstance(node, ast.Call):
            node, suffix = node.func, f"{suffix}()"
        else:
            return ".".join(["?", *parts])


# The two that are asked


class Ours:
    """The graph's answer to a call."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._resolver = PythonResolver(program)

    def ask(self, call: Call) -> Answer:
        """The definitions that we find."""
        file = self._program.files[call.path]
        found = [
            one
            for one in self._program.references(file).references
            if one.line == call.line and one.kind in (CALL, DECORATOR) and last(one.chain) == last(call.chain)
        ]
        best: Reference | None = next((one for one in found if one.chain == call.chain), found[0] if found else None)
        if best is None:
            return Answer(frozenset())
        resolved = self._resolver.resolve(self._resolver.sources.scopes(file), best)
        places = frozenset(place_of(self._program, one) for one in resolved.definitions)
        return Answer(places, resolved.how if places else "")


class Theirs:
    """Jedi's answer to a call."""

    def __init__(self, root: Path, program: Program) -> None:
        self._root = root
        self._program = program
        folders = [str(root / folder) for folder in SOURCE_FOLDERS if (root / folder).is_dir()]
        self._project = jedi.Project(str(root), added_sys_path=folders)
        self.timeouts = 0
        signal.signal(signal.SIGALRM, _out_of_time)

    def ask(self, call: Call) -> Answer:
        """The definitions that jedi finds at the called name."""
        signal.alarm(SECONDS_PER_CALL)
        try:
            script = jedi.Script(path=str(self._root / call.path), project=self._project)
            line, column = call.name_line + 1, call.name_column
            found = [one for one in script.goto(line, column, follow_imports=True) if one.type in ("function", "class")]
            found = found or [one for one in script.infer(line, column) if one.type in ("function", "class")]
        except TimeoutError:
            self.timeouts += 1
            return Answer(frozenset())
        except Exception as error:
            print(f"\njedi fails at {call.path}:{call.name_line + 1}: {error!r}", file=sys.stderr)
            return Answer(frozenset())
        finally:
            signal.alarm(0)
        places = {place for one in found if (place := self._place(one)) is not None}
        return Answer(frozenset(places), outside=bool(found) and not places)

    def _place(self, name: Any) -> tuple[str, int, str] | None:
        path = name.module_path
        if path is None:
            return None
        if not path.is_relative_to(self._root):
            return self._by_full_name(name.full_name or "") if path.suffix == ".pyi" else None
        file = self._program.files.get(path.relative_to(self._root).as_posix())
        if file is None:
            return None
        around = [
            one
            for one in self._program.definitions(file)
            if one.name == name.name and one.start_line <= name.line <= one.end_line
        ]
        return place_of(self._program, around[-1]) if around else None

    def _by_full_name(self, full_name: str) -> tuple[str, int, str] | None:
        parts = full_name.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            for path in ("/".join(parts[:cut]) + ".py", "/".join([*parts[:cut], "__init__.py"])):
                file = self._program.files.get(path)
                for one in self._program.definitions(file) if file is not None else ():
                    if one.symbol == ".".join(parts[cut:]):
                        return place_of(self._program, one)
        return None


def last(chain: str) -> str:
    """The called name of a chain."""
    return chain.rpartition(".")[2]


def place_of(program: Program, definition: Definition) -> tuple[str, int, str]:
    """A definition, to be compared."""
    return program.path(definition.file), definition.start_line, definition.symbol


def _out_of_time(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    sys.exit(main())
