"""An answer as SARIF 2.1.0 (OASIS), which code hosts and editors show beside the code."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from trackdown import __version__
from trackdown.surfaces.cli.answer_places import AnswerPlaces
from trackdown.surfaces.cli.terminal_text import one_line, sanitize
from trackdown.types import LineMatch, Result, SearchResults

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULE = "likely-place"
_ROOT = "%SRCROOT%"


def as_sarif(answer: SearchResults, places: AnswerPlaces) -> dict[str, Any]:
    """The answer as one run: a result for each place, at the line to go to; its other lines are related locations."""
    base_ids = {name: {"uri": f"{root.as_uri()}/"} for name, root in _bases(answer, places).items() if root is not None}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "Trackdown",
                "semanticVersion": __version__,
                "rules": [
                    {
                        "id": _RULE,
                        "name": "LikelyPlace",
                        "shortDescription": {"text": "A place that may have to change."},
                        "defaultConfiguration": {"level": "note"},
                    }
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": one_line(note)}} for note in _notes(answer)
                ],
            }
        ],
        "results": [_result(result, _base(result, places)) for result in answer],
        "properties": {"query": answer.query, "level": answer.level, "partial": answer.partial},
    }
    if base_ids:
        run["originalUriBaseIds"] = base_ids
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _notes(answer: SearchResults) -> list[str]:
    verdict = [answer.confidence.sentence()] if answer.confidence is not None and answer.results else []
    return [*verdict, *answer.notes]


def _base(result: Result, places: AnswerPlaces) -> str:
    """What paths of a result are relative to."""
    return result.repository if places.many else _ROOT


def _bases(answer: SearchResults, places: AnswerPlaces) -> dict[str, Any]:
    return {name if places.many else _ROOT: root for name, root in places.roots.items()}


def _result(result: Result, base: str) -> dict[str, Any]:
    best = next((match for match in result.matches if match.line == result.line), None)
    others = [match for match in result.matches if match is not best and match.spans]
    found: dict[str, Any] = {
        "ruleId": _RULE,
        "ruleIndex": 0,
        "level": "note",
        "message": {"text": one_line(f"{result.symbol or result.path}: {result.reason}".removesuffix(": "))},
        "locations": [_location(result, base, best)],
        "properties": {"rank": result.rank, "score": result.score, "kind": result.kind, "language": result.language},
    }
    if others:
        found["relatedLocations"] = [
            {"id": number, **_location(result, base, match)} for number, match in enumerate(others)
        ]
    if result.probability is not None:
        found["rank"] = round(100 * result.probability, 2)
    return found


def _location(result: Result, base: str, match: LineMatch | None) -> dict[str, Any]:
    uri = quote(result.path.encode("utf-8", "surrogateescape"))
    region: dict[str, Any] = {"startLine": result.line if match is None else match.line}
    if match is not None:
        if match.spans and not match.text.startswith("…"):
            region |= {"startColumn": match.spans[0][0] + 1, "endColumn": match.spans[-1][1] + 1}
        region["snippet"] = {"text": sanitize(match.text)}
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": uri, "uriBaseId": base},
            "region": region,
            "contextRegion": {"startLine": result.start_line, "endLine": result.end_line},
        }
    }
    if result.symbol:
        location["logicalLocations"] = [{"fullyQualifiedName": result.symbol, "kind": _logical_kind(result.kind)}]
    return location


def _logical_kind(kind: str) -> str:
    """SARIF's word for a kind of unit: it has no methods, and other kinds are types."""
    return "function" if kind in ("function", "method") else "module" if kind == "module" else "type"
