"""Messages as users see them: does a search find the function that says them, and does grep?

python benchmarks/messages.py REPOSITORY... [--program P] [--before P] [--count 50] [--effort fast] [--json FILE]

From every repository we draw texts of raise, throw, log and error calls in functions (`message_texts.py`) and fill in
their placeholders. Each is asked for at function level. A result is right if its lines have a literal with the same
fixed pieces, in any file. Beside it, the longest fixed piece is given to ripgrep (git grep if there is none): it is
right if a file with such a literal comes first, or is among the first five files. `--before` is another installed
program.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import cloned, keep, name_of, new_parser
from message_texts import Text, draw

Place = tuple[str, int, int]
WITHIN = 5
ASKED_FOR = 10


def main() -> int:
    """Run from the command line."""
    if sys.argv[1:2] == ["--answer"]:
        return answer(sys.argv[2])
    parser = new_parser(__doc__)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--program", type=Path, default=Path(".venv/bin/trackdown"))
    parser.add_argument("--before", type=Path, help="another installed program to compare with")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--effort", default="fast", help="fast, or balanced for what a search does by default")
    parser.add_argument("--show", action="store_true", help="print the texts that were not found first")
    arguments = parser.parse_args()
    programs = {"after": arguments.program, "before": arguments.before}
    report: dict[str, Any] = {"effort": arguments.effort, "grep": grep_name(), "repositories": {}}
    ranks: dict[str, list[int]] = {}
    for repository in arguments.repositories:
        with cloned(repository) as (clone, folder):
            chosen, everything = draw(clone, arguments.count)
            found = {"grep": [grep_rank(clone, text, everything) for text in chosen]}
            for name, program in programs.items():
                if program is not None:
                    asked = [text.filled for text in chosen]
                    places = answers(program, clone, folder / name, arguments.effort, asked)
                    pairs = zip(chosen, places, strict=True)
                    found[name] = [rank_of(text, each, everything) for text, each in pairs]
        of_this = {name: summary(each) for name, each in found.items()}
        report["repositories"][name_of(repository)] = of_this
        print(name_of(repository), json.dumps(of_this), flush=True)
        for name, each in found.items():
            ranks.setdefault(name, []).extend(each)
        if arguments.show:
            show_missed(chosen, found["after"])
        report["all"] = {name: summary(each) for name, each in ranks.items()}
        keep(report, arguments.json)
    print(json.dumps(report["all"], indent=1))
    return 0


def answers(program: Path, clone: Path, store: Path, effort: str, texts: Sequence[str]) -> list[list[Place]]:
    """The functions that an installed program finds for each text: its Python runs this file with `--answer`."""
    environment = os.environ | {"TRACKDOWN_STORE": str(store)}
    command = [str(program.absolute().with_name("python")), str(Path(__file__).absolute()), "--answer", effort]
    done = subprocess.run(command, cwd=clone, env=environment, input=json.dumps(texts), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: list[list[Place]] = json.loads(done.stdout)
    return found


def answer(effort: str) -> int:
    """Search the repository here for every text of a list on standard input, and write the places as JSON."""
    import trackdown

    with trackdown.open(".") as repository:
        found = []
        for text in json.load(sys.stdin):
            results = repository.search(text, k=ASKED_FOR, effort=effort)
            found.append([(one.path, one.start_line, one.end_line) for one in results])
    print(json.dumps(found))
    return 0


def rank_of(text: Text, places: Sequence[Place], everything: Sequence[Text]) -> int:
    """The rank of the first function that says a text; 0 if there is none."""
    same = [other for other in everything if other.pieces == text.pieces]
    for rank, (path, first, last) in enumerate(places, 1):
        if any(other.path == path and first <= other.line <= last for other in same):
            return rank
    return 0


def grep_name() -> str:
    """The program that stands for grep."""
    return "ripgrep" if shutil.which("rg") else "git grep"


def grep_rank(clone: Path, text: Text, everything: Sequence[Text]) -> int:
    """The rank, among the files with the longest fixed piece, of the first that has the text; 0 if there is none."""
    plain = ["git", "grep", "-lF", "-e"] if grep_name() == "git grep" else ["rg", "-l", "--sort", "path", "-F", "-e"]
    done = subprocess.run([*plain, text.longest.strip()], cwd=clone, capture_output=True, text=True, check=False)
    right = {other.path for other in everything if other.pieces == text.pieces}
    files = done.stdout.splitlines()
    return next((rank for rank, path in enumerate(files, 1) if path in right), 0)


def summary(ranks: Sequence[int]) -> dict[str, Any]:
    """How many texts, and the share that was found first, within five, and the mean reciprocal rank."""
    count = max(1, len(ranks))
    return {
        "texts": len(ranks),
        "first": round(sum(rank == 1 for rank in ranks) / count, 3),
        "within_5": round(sum(0 < rank <= WITHIN for rank in ranks) / count, 3),
        "mrr": round(sum(1 / rank for rank in ranks if rank) / count, 3),
    }


def show_missed(chosen: Sequence[Text], ranks: Sequence[int]) -> None:
    """Print the texts that were not found first."""
    for text, rank in zip(chosen, ranks, strict=True):
        if rank != 1:
            print(f"  rank {rank}: {text.path}:{text.line} {text.filled}")


if __name__ == "__main__":
    raise SystemExit(main())
