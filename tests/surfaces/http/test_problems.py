"""What errors mean to clients: a status, a kind, and nothing that is the server's alone."""

from __future__ import annotations

import pytest

from trackdown.errors import LlmError, ModelError, NoAnswer, TrackdownError
from trackdown.surfaces.http.problems import TITLES, HttpProblem, problem_of


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ModelError("cannot read the model /srv/private/weights"), "model"),
        (LlmError("cannot read the language model /srv/private/model.gguf"), "language-model"),
        (NoAnswer("http://10.0.0.7/v1 refuses the question"), "language-model"),
    ],
)
def test_a_model_that_cannot_be_used_is_told_without_its_place(error: TrackdownError, kind: str) -> None:
    found = problem_of(error)
    assert (found.status, found.kind, found.headers["Retry-After"]) == (503, kind, "60")
    assert "model" in TITLES[kind] and "private" not in found.detail and "10.0.0.7" not in found.detail


def test_a_detail_is_one_line_whatever_it_quotes() -> None:
    assert HttpProblem(422, "invalid", "a\nb\u2028c: there is no such parameter").detail == (
        "a b c: there is no such parameter"
    )
