"""DOT: valid whatever the names are. A small reader of the language checks it, and Graphviz itself where it is."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.surfaces.drawing.neighbourhoods import function, grown, hostile, made
from trackdown.engine import Neighbourhood
from trackdown.surfaces.drawing.dot import as_dot

_STRING = r'"(?:[^"\\]|\\.)*"'
_PAIR = rf"[a-z]+={_STRING}"
_PAIRS = rf"\[{_PAIR}(?:, {_PAIR})*\]"
_LINES = (
    rf"digraph {_STRING} {{",
    rf"  (?:graph|node|edge) {_PAIRS};",
    rf"  n\d+ {_PAIRS};",
    rf"  n\d+ -> n\d+ {_PAIRS};",
    r"}",
)
ANSWERS = pytest.mark.parametrize(
    "answer", [hostile(), grown(40), made([function("a")], [])], ids=["hostile", "grown", "alone"]
)


@ANSWERS
def test_every_line_is_a_statement_and_nothing_else(answer: Neighbourhood) -> None:
    lines = as_dot(answer).removesuffix("\n").split("\n")
    for line in lines:
        assert any(re.fullmatch(one, line) for one in _LINES), line
    assert len([line for line in lines if " -> n" in line and line.startswith("  n")]) == len(answer.edges)
    assert lines[-1] == "}"


@ANSWERS
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it(answer: Neighbourhood) -> None:
    done = subprocess.run(["dot", "-Tplain"], input=as_dot(answer).encode(), capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    kinds = [line.split(b" ", 1)[0] for line in done.stdout.splitlines()]
    assert (kinds.count(b"node"), kinds.count(b"edge")) == (len(answer.nodes), len(answer.edges))


def test_types_and_sureness_can_be_told_apart() -> None:
    text = as_dot(made([function("a")], [(function("a"), "inherits", "scoped", function("b"))]))
    assert 'label="inherits", color="#d28106", style="dashed", arrowhead="empty"' in text
    assert '[label="a\\na.py:1-3"' in text
