"""The files of the page, read once."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent, also compressed by gzip. `tag` changes with its content."""

    content: bytes
    packed: bytes
    media_type: str
    tag: str


@cache
def page() -> Asset:
    """The page itself."""
    return _asset(resources.files(__package__).joinpath("index.html").read_bytes(), "text/html; charset=utf-8")


@cache
def assets() -> Mapping[str, Asset]:
    """Everything that the page loads, by its name: style, scripts and the icon."""
    folder = resources.files(__package__).joinpath("assets")
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    return MappingProxyType(
        {
            name: _asset(content, _MEDIA_TYPES[ending])
            for name, content in sorted(found.items())
            if (ending := f".{name.rpartition('.')[2]}") in _MEDIA_TYPES
        }
    )


def _asset(content: bytes, media_type: str) -> Asset:
    return Asset(content, gzip.compress(content, mtime=0), media_type, hashlib.sha256(content).hexdigest()[:20])
