"""Who may import whom, and through which door: the table of ARCHITECTURE.md, walked over every import in the source."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from trackdown.doors import exported_names

SOURCE = Path(__file__).parents[1] / "src" / "trackdown"
EVERYWHERE = {"types", "errors", "doors", "installation", "plain_files"}
STAGES = {"query", "retrieve", "fuse", "expand", "rerank", "rank"}
BELOW_ENGINE = {
    "repository",
    "units",
    "graph",
    "models",
    "trackers",
    "store",
    "index",
    "pipeline",
    "rewrite",
    "confidence",
    "excerpts",
    *STAGES,
}
ROOMS_WITHIN = {"models.llm", "units.references"}
"""Folders within a room that have a door of their own; so has every folder of the lab and of the surfaces."""

TABLE: dict[str, set[str]] = {
    "types": set(),
    "errors": set(),
    "doors": set(),
    "installation": set(),
    "plain_files": set(),
    "settings": set(),
    "request": set(),
    "repository": set(),
    "store": set(),
    "network": set(),
    "models": {"network"},
    "trackers": {"network"},
    "fuse": set(),
    "pages": set(),
    "units": {"repository"},
    "graph": {"units"},
    "index": {"units", "graph", "models", "repository", "store"},
    "query": {"units", "models"},
    "retrieve": {"index", "query", "models", "graph", "units"},
    "rank": {"index", "query", "retrieve", "units"},
    "expand": {"graph", "index", "models"},
    "rerank": {"models", "index"},
    "rewrite": {"units", "models", "index"},
    "excerpts": {"units"},
    "pipeline": {*STAGES, "index", "excerpts"},
    "confidence": {"pipeline", "query"},
    "engine": {*BELOW_ENGINE, "settings", "request"},
    "fleet": {
        "confidence",
        "engine",
        "index",
        "models",
        "query",
        "repository",
        "store",
        "units",
        "settings",
        "request",
    },
    "surfaces": {"engine", "fleet", "settings", "request", "pages"},
    "lab": {
        "engine",
        "confidence",
        "pipeline",
        "models",
        "query",
        "rank",
        "rerank",
        "repository",
        "units",
        "settings",
        "request",
        "pages",
    },
}
"""Room → the rooms of ours that it may import, beside those that are open to all."""


def room_of(module: str) -> str:
    """The room of a module below `trackdown`: its first name, or two for a room within another."""
    parts = module.split(".")
    within = ".".join(parts[:2])
    is_folder = len(parts) > 1 and (SOURCE / parts[0] / parts[1]).is_dir()
    return within if within in ROOMS_WITHIN or (parts[0] in ("lab", "surfaces") and is_folder) else parts[0]


def module_of(path: Path) -> str:
    """The dotted name of a file, below `trackdown`."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Every import of ours in a file, wherever it is: the module below `trackdown`, and the names taken from it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name[10:], []) for alias in node.names if alias.name.startswith("trackdown."))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            names = [alias.name for alias in node.names]
            if node.module == "trackdown":
                yield from ((name, []) for name in names)
            elif str(node.module).startswith("trackdown."):
                yield str(node.module)[10:], names


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or not path.name.startswith("__"))


def breaches(path: Path) -> list[str]:
    """What a file imports that its room may not, or past a door; as lines for a person."""
    me, file = room_of(module_of(path)), path.relative_to(SOURCE)
    top = me.partition(".")[0]
    if top not in TABLE:
        return [f"{file}: {top} is not a room of the table"]
    allowed = TABLE[top] | EVERYWHERE | {top}
    if path.parent.name == "cli":
        allowed |= {"lab", "__version__"}
    found = []
    for module, names in imports(path):
        room = room_of(module)
        if room.partition(".")[0] not in allowed:
            found.append(f"{file}: {me} may not import {room}")
        elif room != me and room not in EVERYWHERE and module != room:
            found.append(f"{file}: imports {module} past the door of {room}")
        elif room != me and (SOURCE / room.replace(".", "/")).is_dir() and path.name != "__init__.py":
            listed = exported_names(import_module(f"trackdown.{room}").__name__)
            modules = [name for name in names if (SOURCE / room.replace(".", "/") / f"{name}.py").exists()]
            found += [
                f"{file}: {name} is not listed at the door of {room}"
                for name in names
                if name not in listed and name not in modules
            ]
    return found


def doors() -> Iterator[tuple[str, dict[str, str]]]:
    """Every room that has a door, with what it lists."""
    for path in SOURCE.rglob("__init__.py"):
        if path.parent != SOURCE and "door(__name__)" in path.read_text("utf-8"):
            package = f"trackdown.{module_of(path)}"
            import_module(package)
            yield package, exported_names(package)


def test_files_import_only_what_their_room_may_and_through_doors() -> None:
    assert len(FILES) > 100
    assert [breach for path in FILES for breach in breaches(path)] == []


def test_doors_list_what_is_there_and_nothing_that_a_module_would_hide() -> None:
    for package, names in doors():
        room = import_module(package)
        for name, home in names.items():
            assert not (Path(str(room.__file__)).parent / f"{name}.py").exists(), f"{package}: {name} is a module, too"
            if "torch" not in sys.modules and home.startswith("trackdown.lab.train"):
                continue  # some of these need PyTorch
            assert hasattr(room, name), f"{package} lists {name}, which {home} does not have"


def test_a_name_that_a_door_does_not_list_is_an_error() -> None:
    import trackdown.index

    with pytest.raises(AttributeError, match="has no attribute 'zebra'"):
        _ = trackdown.index.zebra  # type: ignore[attr-defined]


def test_a_breach_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_rooms.SOURCE", tmp_path)
    (tmp_path / "fuse").mkdir()
    file = tmp_path / "fuse" / "rrf.py"
    file.write_text("def late():\n    from trackdown.engine import api\n    from trackdown.types import Unit\n")
    assert breaches(file) == ["fuse/rrf.py: fuse may not import engine"]
    (tmp_path / "graph").mkdir()
    past = tmp_path / "graph" / "walks.py"
    past.write_text("from trackdown.units.facts import Unit\n")
    assert breaches(past) == ["graph/walks.py: imports units.facts past the door of units"]
    stray = tmp_path / "stray.py"
    stray.write_text("")
    assert breaches(stray) == ["stray.py: stray is not a room of the table"]


def test_types_and_errors_need_the_standard_library_only() -> None:
    for name in sorted(EVERYWHERE):
        for node in ast.walk(ast.parse((SOURCE / f"{name}.py").read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert str(node.module).split(".")[0] in sys.stdlib_module_names | {"trackdown"}


def test_the_walk_sees_what_is_imported() -> None:
    seen = {module for module, _ in imports(SOURCE / "engine" / "open_repository.py")}
    assert seen >= {"index", "store", "settings", "engine.indexing.build"}
