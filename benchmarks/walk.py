"""How many functions and files of ours run in one search: what somebody reads who wants to follow it.

python benchmarks/walk.py REPOSITORY [--door Repository.search] [--list] [--json FILE]

Searches of effort `fast` are followed on a ready index: the command `trackdown search` (run once before, so that no
import is counted), a search through the Python API in a warm process, and one over HTTP by `trackdown serve` in this
process, its first one and a later one. A profile function in every thread notes the functions that are entered while
the question is open. Counted are distinct functions and methods below src/trackdown: lambdas and generator expressions
belong to the function that holds them, and modules are not counted. What watches the disk may run beside a request, so
a warm walk is the shortest of several.

Hops are the distinct functions that are entered before the engine's front door, in any thread. The door is the first
function of `trackdown.engine` with the qualified name of --door. `surface hops` are those of them in the surfaces: the
way that a reader goes, without what the engine checks in between. An earlier count at dbebefe, whose method was not
recorded, found 298 functions in 69 files for a warm search, 289 in 69 for HTTP, and 26 hops. This script finds 278 in
65 for the command, 289 in 68 for a first search over HTTP, and 30 surface hops there.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from measure import keep, new_parser

import trackdown

ROOT = str(Path(trackdown.__file__).parent) + os.sep
QUERY = "where is the session cookie signed and saved?"
TRIES = 5
Function = tuple[str, str]
"""A file below src/trackdown and a qualified name in it."""


class Walk:
    """Notes functions of ours, in the order in which they are first entered, while `follow` runs something."""

    def __init__(self) -> None:
        self._codes: dict[CodeType, None] = {}
        self._noting = False

    def start(self) -> None:
        """Note in this thread and in all that are started from now on."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def follow(self, ask: Callable[[], object]) -> list[Function]:
        """What is entered until something has ended."""
        self._codes = {}
        self._noting = True
        try:
            ask()
        finally:
            self._noting = False
        return list(dict.fromkeys(named(code) for code in self._codes if not code.co_qualname.startswith("<")))

    def shortest(self, ask: Callable[[], object]) -> list[Function]:
        """The shortest of several walks, on a process that is warm."""
        ask()
        ask()
        return min((self.follow(ask) for _ in range(TRIES)), key=len)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if self._noting and event == "call" and frame.f_code.co_filename.startswith(ROOT):
            self._codes.setdefault(frame.f_code)


def named(code: CodeType) -> Function:
    """The function that code belongs to."""
    return code.co_filename[len(ROOT) :], code.co_qualname.partition(".<locals>.<")[0]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--door", default="Repository.search", help="the engine's front door")
    parser.add_argument("--list", action="store_true", help="print what runs, file by file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="walk-") as folder:
        os.environ["TRACKDOWN_STORE"] = folder
        walk = Walk()
        walk.start()
        walks = {
            "command": by_command(walk, arguments.repository),
            "python": by_python(walk, arguments.repository),
            **by_http(walk, arguments.repository),
        }
    report = {name: figures(found, arguments.door) for name, found in walks.items()}
    print("| walk | functions | files | hops | surface hops |\n|---|---|---|---|---|")
    for name, row in report.items():
        print(f"| {name} | {' | '.join(map(str, row.values()))} |")
    if arguments.list:
        for name, found in walks.items():
            print_list(name, found)
    keep(report, arguments.json)


def by_command(walk: Walk, place: Path) -> list[Function]:
    """The command, the second time in a process."""
    words = ("search", QUERY, str(place), "--effort", "fast")
    with redirect_stdout(StringIO()):
        run_program(*words)
        return walk.follow(lambda: run_program(*words))


def run_program(*words: str) -> None:
    """Run the program in this process."""
    sys.argv = ["trackdown", *words]
    with suppress(SystemExit, KeyboardInterrupt):
        runpy.run_module("trackdown", run_name="__main__")


def by_python(walk: Walk, place: Path) -> list[Function]:
    """A search through the Python API."""
    with trackdown.open(place) as repository:
        return walk.shortest(lambda: repository.search(QUERY, effort="fast"))


def by_http(walk: Walk, place: Path) -> dict[str, list[Function]]:
    """A first and a later search over HTTP. The server has the main thread, as always; another one asks."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    found: dict[str, list[Function]] = {}

    def get(path: str) -> Any:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
            return json.load(answer)

    def search() -> None:
        get(f"/v1/search?{urlencode({'query': QUERY, 'effort': 'fast'})}")

    def ask() -> None:
        try:
            while not is_ready(get):
                time.sleep(0.1)
            time.sleep(2)  # what watches the disk has come to rest
            found["http, first"] = walk.follow(search)
            found["http, warm"] = walk.shortest(search)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    asking = threading.Thread(target=ask)
    asking.start()
    with redirect_stdout(StringIO()):
        run_program("serve", str(place), "--port", str(port))
    asking.join()
    return found


def is_ready(get: Callable[[str], Any]) -> bool:
    """Whether the server answers and has an index."""
    try:
        return all(one["ready"] for one in get("/v1/repositories")["repositories"])
    except OSError:
        return False


def figures(found: list[Function], door: str) -> dict[str, int | None]:
    """Counts of a walk."""
    doors = (number for number, (path, name) in enumerate(found) if path.startswith("engine/") and name == door)
    before = found[: next(doors)]
    return {
        "functions": len(found),
        "files": len({path for path, _ in found}),
        "hops": len(before),
        "surface_hops": sum(path.startswith("surfaces/") for path, _ in before),
    }


def print_list(name: str, found: list[Function]) -> None:
    """Functions by file, in the order in which they run."""
    print(f"\n## {name}\n")
    for path, count in Counter(path for path, _ in found).items():
        print(f"{path} ({count}): {', '.join(function for file, function in found if file == path)}")


if __name__ == "__main__":
    main()
