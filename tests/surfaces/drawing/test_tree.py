"""The tree: every edge once, every place unfolded once, and cycles end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.surfaces.drawing.neighbourhoods import function, grown, hostile, made
from trackdown.surfaces.cli.graph_tree import AGAIN, tree_text
from trackdown.surfaces.drawing.tree import Branch, as_tree

A, B, C = function("a"), function("b"), function("c")


def below(branch: Branch) -> Iterator[Branch]:
    yield branch
    for one in branch.branches:
        yield from below(one)


@pytest.mark.parametrize("seed", range(5))
def test_every_edge_is_there_once_and_every_place_is_unfolded_once(seed: int) -> None:
    answer = grown(80, seed, starts=2)
    branches = [one for root in as_tree(answer) for one in below(root)]
    shown = [edge for branch in branches for edge in branch.edges]
    assert sorted(map(repr, shown)) == sorted(map(repr, answer.edges))
    unfolded = [branch.node for branch in branches if not branch.again]
    assert len(unfolded) == len(set(unfolded)) == len(answer.nodes)
    assert not any(branch.branches for branch in branches if branch.again)


def test_arrows_types_and_sureness_stand_on_each_branch() -> None:
    answer = made([A], [(A, "invokes", "scoped", B), (C, "inherits", "exact", A), (A, "imports", "name", B)])
    assert tree_text(answer, on_terminal=False) == (
        "a  a.py:1-3\n├── ← inherits exact  c  a.py:1-3\n└── → invokes scoped, imports name  b  a.py:1-3\n"
    )


def test_a_cycle_ends_with_a_mark() -> None:
    answer = made([A], [(A, "invokes", "exact", B), (B, "invokes", "exact", C), (C, "invokes", "exact", A)])
    lines = tree_text(answer, on_terminal=False).splitlines()
    assert len(lines) == 4 and sum(line.endswith(AGAIN) for line in lines) == 1
    one = made([A], [(A, "invokes", "exact", B), (B, "invokes", "exact", A)])
    assert tree_text(one, on_terminal=False).splitlines()[1:] == [
        "├── ← invokes exact  b  a.py:1-3",
        f"└── → invokes exact  b  a.py:1-3  {AGAIN}",
    ]


def test_a_place_is_unfolded_where_it_is_nearest() -> None:
    far = function("far")
    answer = made(
        [A],
        [
            (A, "invokes", "exact", B),
            (B, "invokes", "exact", C),
            (A, "invokes", "exact", C),
            (C, "invokes", "exact", far),
        ],
    )
    (root,) = as_tree(answer)
    assert [(one.node, one.again) for one in root.branches] == [(B, False), (C, False)]
    assert [one.node for one in root.branches[1].branches if not one.again] == [far]


def test_a_place_alone_is_one_line() -> None:
    assert tree_text(made([A], []), on_terminal=False) == "a  a.py:1-3\n"


def test_a_deep_tree_is_no_trouble() -> None:
    depth = sys.getrecursionlimit() + 100
    chain = [function(f"f{number}") for number in range(depth)]
    links = [(one, "invokes", "exact", two) for one, two in pairwise(chain)]
    answer = made(chain[:1], links)  # type: ignore[arg-type]
    assert tree_text(answer, on_terminal=False).count("\n") == depth


def test_names_cannot_steer_a_terminal() -> None:
    for on_terminal in (False, True):
        text = tree_text(hostile(), on_terminal=on_terminal)
        assert "\x1b[31m" not in text and "\x07" not in text and "\u202e" not in text
        assert len(text.splitlines()) >= len(hostile().nodes)
