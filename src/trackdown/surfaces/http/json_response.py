"""Values of the engine as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from typing import Any

import msgspec
from starlette.responses import Response

MEDIA_TYPE = "application/json"
_ENCODER = msgspec.json.Encoder()


def as_json(value: Any) -> bytes:
    """Write a value. Bytes of a path that are not UTF-8 stay lone surrogates (`\\udcXX`), as on the command line."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, default=_plain, ensure_ascii=True, allow_nan=False).encode()


def json_answer(value: Any) -> Response:
    """Write a value as an answer."""
    return Response(as_json(value), media_type=MEDIA_TYPE)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
