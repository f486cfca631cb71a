"""The questions of the benchmark of word forms."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("name", "sentence", "expected"),
    [
        (
            "SetTemplates",
            "SetTemplates replaces one setting by the template of a command",
            {
                "sentence": "replaces one setting by the template of a command",
                "whole": "replaces one setting by the template of a command",
            },
        ),
        (
            "removeTags",
            "Removes all tags that `A.removeTags()` left",
            {"sentence": "Removes all that left", "whole": "Removes all tags that left"},
        ),
    ],
)
def test_no_question_contains_the_name_of_its_answer(
    monkeypatch: pytest.MonkeyPatch, name: str, sentence: str, expected: dict[str, str]
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    word_forms = import_module("word_forms")
    questions = word_forms.draw([word_forms.Function(f"a.go:{name}", name, sentence)], 1, 1)
    asked = {question.kind: question.query for question in questions}
    assert {kind: asked.get(kind) for kind in expected} == expected
