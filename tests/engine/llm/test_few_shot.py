"""Few-shot pairs: documented functions of the code itself, the same ones every time."""

from __future__ import annotations

from collections.abc import Sequence

from tests.index.segments import index_of
from trackdown.engine.llm.few_shot import MOST_PAIRS, few_shot, main_language
from trackdown.index.code import CodeIndex
from trackdown.models.llm.code_generation import CodeExample


def documented(name: str, said: str) -> str:
    return f'def {name}(value):\n    """{said}"""\n    value += 1\n    return value\n'


FILES = {
    "src/a.py": documented("turn", "Turn the crank of the engine. Slowly.")
    + "\n\ndef plain(x):\n    y = x\n    return y\n",
    "src/b.py": documented("short", "Does it."),
    "src/c.js": "/** Pour the oil into the engine. */\nfunction pour(oil) {\n  oil += 1;\n  return oil;\n}\n",
    "tests/test_a.py": documented("test_turn", "Turn the crank of the engine in a test."),
    "docs/guide.md": "# Guide\n",
}


def pairs(code: CodeIndex, files: dict[str, str], language: str) -> Sequence[CodeExample]:
    def texts(units: Sequence[int]) -> list[str | None]:
        found: list[str | None] = []
        for unit in units:
            lines = files[code.path(int(code.unit_file[unit]))].split("\n")
            found.append("\n".join(lines[int(code.unit_start[unit]) - 1 : int(code.unit_end[unit])]))
        return found

    return few_shot(code, texts)(language)


def test_a_pair_is_the_first_sentence_and_the_code_without_it() -> None:
    code = index_of(FILES)
    (pair,) = pairs(code, FILES, "python")
    assert pair == CodeExample("Turn the crank of the engine", "def turn(value):\n    value += 1\n    return value")
    (other,) = pairs(code, FILES, "javascript")
    assert other.description == "Pour the oil into the engine." and other.code.startswith("function pour")
    assert pairs(code, FILES, "ruby") == ()


def test_the_choice_depends_on_the_snapshot_alone() -> None:
    files = {f"src/m{n}.py": documented(f"turn{n}", f"Turn the crank of engine number {n}.") for n in range(40)}
    found = pairs(index_of(files), files, "python")
    assert len(found) == MOST_PAIRS and found == pairs(index_of(files), files, "python")
    half = dict(list(files.items())[:20])
    split = index_of(half, {path: text for path, text in files.items() if path not in half})
    assert pairs(split, files, "python") == found
    assert [pair.description for pair in found] != sorted(pair.description for pair in found)


def test_what_cannot_be_read_is_no_example() -> None:
    assert few_shot(index_of(FILES), lambda units: [None] * len(units))("python") == ()


def test_the_language_that_most_files_with_functions_have() -> None:
    assert main_language(index_of(FILES)) == "python"
    assert main_language(index_of({"docs/guide.md": "# Guide\n"})) == "text"
    assert main_language(index_of(FILES, {"src/d.js": FILES["src/c.js"]}, dead=[1, 2, 4])) == "javascript"
