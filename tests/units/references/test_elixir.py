"""What the reader of Elixir finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import read_text
from trackdown.units.references.facts import Import


def test_modules_that_are_aliased_imported_and_used() -> None:
    text = "defmodule A do\n  alias X.{Y, Z}\n  alias X.W, as: V\n  import P.Q, only: [f: 1]\n  use G\nend\n"
    assert read_text(text, "elixir").imports == [
        Import(0, 2, "X.Y", "", "Y"),
        Import(0, 2, "X.Z", "", "Z"),
        Import(0, 3, "X.W", "", "V"),
        Import(0, 4, "P.Q", "*", ""),
        Import(0, 5, "G", "*", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run(1)", "call run/1"),
        ("x |> run()", "call run/0"),
        ("X.Y.run 1, 2", "call X.Y.run/2"),
        ("Enum.map(x, &run/1)", "call run/-1"),
        ("Enum.map(x, &Y.run/1)", "call Y.run/0"),
        ("%X.Y{a: 1}", "new X.Y/-1"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    text = f"defmodule A do\n  def m(x) do\n    {code}\n  end\nend\n"
    assert expected in read_text(text, "elixir").references["A.m"]


def test_heads_types_and_fields_are_no_calls() -> None:
    text = (
        "defmodule A do\n  @spec m(t()) :: list(integer())\n  def m(x) when x.a do\n    x.b.c()\n  end\n\n"
        "  defp n(y), do: y\nend\n"
    )
    assert read_text(text, "elixir").references == {}


def test_behaviours_and_protocols_are_bases() -> None:
    text = "defmodule A do\n  @behaviour B.C\nend\n\ndefimpl P, for: A do\nend\n"
    assert read_text(text, "elixir").references == {"A": ["implements B.C/-1"], "P.A": ["implements P/-1"]}
