"""What Schemathesis checks beside its own checks, and `schemathesis.toml` beside this file what it expects.

A request that fits the document may still be refused: a query may hold no word, a language may be unknown, two
parameters may not go together. OpenAPI cannot say these things. No single parameter may be refused that the document
allows.
"""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.check
def refused_for_more_than_one_parameter(_: Any, response: Any, case: Any) -> None:
    """A request that fits the document is not refused for what one of its parameters is."""
    if response.status_code != 422 or not case.meta.generation.mode.is_positive:
        return
    named = [one["where"] for one in response.json().get("errors", [])]
    assert all(where in ("query", "body") for where in named), f"{named} fit the document and were refused"


@schemathesis.check
def errors_are_problems(_: Any, response: Any, __: Any) -> None:
    """Every error is a problem document with one message, and nobody was surprised."""
    if response.status_code < 400:
        return
    assert response.headers["content-type"] == ["application/problem+json"], response.headers["content-type"]
    problem = response.json()
    assert problem["status"] == response.status_code and problem["detail"] and "\n" not in problem["detail"]
    assert response.status_code < 500, problem
