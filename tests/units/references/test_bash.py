"""What the reader of shell scripts finds in a file."""

from __future__ import annotations

import pytest

from tests.units.references.reading import read_text
from trackdown.units.references.facts import Import


def test_sourced_files() -> None:
    text = 'source lib/a.sh\n. "$(dirname "$0")/b.sh"\n. "${ROOT}/lib/c.sh"\n. \'d.sh\'\n'
    assert read_text(text, "bash").imports == [
        Import(-1, 1, "lib/a.sh", "", ""),
        Import(-1, 2, "b.sh", "", ""),
        Import(-1, 3, "lib/c.sh", "", ""),
        Import(-1, 4, "d.sh", "", ""),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("run 1 2", "call run/2"),
        ("x=$(run 1)", "call run/1"),
        ("if run; then :; fi", "call run/0"),
        ("a | run-it", "call run-it/0"),
        ("trap run EXIT", "call run/1"),
        ("command run", "call run/0"),
    ],
)
def test_uses(code: str, expected: str) -> None:
    assert expected in read_text(f"f() {{\n  {code}\n}}\n", "bash").references["f"]


@pytest.mark.parametrize("code", ['"$tool" x', "./run.sh", "/bin/run", "${x}run"])
def test_programs_and_expansions_are_no_functions(code: str) -> None:
    assert read_text(f"f() {{\n  {code}\n}}\n", "bash").references == {}
