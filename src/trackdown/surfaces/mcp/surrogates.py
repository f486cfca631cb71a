"""Mends messages that contain half a character. Clients send them when they cut a text in the middle of an emoji."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape in JSON. The group matches a surrogate without its other half."""
_REPLACEMENT = rb"\ufffd"


def without_lone_surrogates(message: bytes) -> bytes:
    """Replace lone surrogates in JSON by the replacement character. The length stays the same."""
    return _ESCAPE.sub(lambda found: _REPLACEMENT if found[1] else found[0], message)
