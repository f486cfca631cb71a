"""Who may import whom: the table of ARCHITECTURE.md, walked over every import in the source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "trackdown"
EVERYWHERE = {"types", "errors"}
STAGES = {"query", "retrieve", "fuse", "expand", "rerank"}
BELOW_ENGINE = {
    "repository", "units", "graph", "models", "store", "index", "pipeline", "rewrite", "cluster", *STAGES,
}  # fmt: skip

# room → the rooms of ours that it may import, beside types and errors. Rooms that do not exist yet have their place.
TABLE: dict[str, set[str]] = {
    "types": set(),
    "errors": set(),
    "settings": set(),
    "request": set(),
    "repository": set(),
    "store": set(),
    "models": set(),
    "fuse": set(),
    "pages": set(),
    "units": {"repository"},
    "graph": {"units"},
    "index": {"units", "graph", "models", "repository", "store"},
    "query": {"units", "models"},
    "retrieve": {"index", "query", "models", "graph"},
    "expand": {"graph", "index", "models"},
    "rerank": {"models", "index"},
    "rewrite": {"units", "models", "index"},
    "cluster": {"units", "models", "index", "retrieve", "store"},
    "pipeline": {*STAGES, "index"},
    "engine": {*BELOW_ENGINE, "settings", "request"},
    "surfaces": {"engine", "settings", "request", "pages"},
    "lab": {"engine", "pipeline", "models", "fuse", "repository", "units", "settings", "request", "pages"},
}


def room_of(path: Path) -> str:
    """The first name below the package: a folder, or a module without its ending."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """The rooms that a file's imports reach, wherever in the file they stand."""
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "trackdown" else []
            names += [str(node.module)]
        else:
            continue
        rooms |= {name.split(".")[1] for name in names if name.startswith("trackdown.")}
    return rooms


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or not path.name.startswith("__"))


def breaches(path: Path) -> list[str]:
    """What a file imports that its room may not, as lines for a person; empty where it keeps to the table."""
    room = room_of(path)
    if room not in TABLE:
        return [f"{path.relative_to(SOURCE)}: {room} is not a room of the table"]
    allowed = TABLE[room] | EVERYWHERE | {room}
    if room == "surfaces" and path.parent.name == "cli":
        allowed |= {"lab", "__version__"}
    return [
        f"{path.relative_to(SOURCE)}: {room} may not import {name}" for name in sorted(imported_rooms(path) - allowed)
    ]


def test_files_import_only_what_their_room_may() -> None:
    assert len(FILES) > 100
    assert [breach for path in FILES for breach in breaches(path)] == []


def test_a_breach_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_rooms.SOURCE", tmp_path)
    (tmp_path / "fuse").mkdir()
    file = tmp_path / "fuse" / "rrf.py"
    file.write_text("def late():\n    from trackdown.engine import api\n    from trackdown.types import Unit\n")
    assert breaches(file) == ["fuse/rrf.py: fuse may not import engine"]
    stray = tmp_path / "stray.py"
    stray.write_text("")
    assert breaches(stray) == ["stray.py: stray is not a room of the table"]


def test_types_and_errors_need_the_standard_library_only() -> None:
    import sys

    for name in EVERYWHERE:
        tree = ast.parse((SOURCE / f"{name}.py").read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert str(node.module).split(".")[0] in sys.stdlib_module_names | {"trackdown"}


def test_the_walk_sees_what_is_imported() -> None:
    assert imported_rooms(SOURCE / "engine" / "repository.py") >= {"engine", "index", "store", "settings"}
    assert imported_rooms(SOURCE / "surfaces" / "cli" / "main.py") >= {"errors", "surfaces"}
