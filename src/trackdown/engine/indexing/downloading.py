"""Download an exported index: over https, within limits of size and time, without carrying a token elsewhere."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from trackdown.errors import ShardError, StoreError, UsageError
from trackdown.types import Progress

if TYPE_CHECKING:
    import httpx

_SECONDS = 900.0
"""The longest that a download may take."""
_SILENT_SECONDS = 10.0
"""The longest that a server may send nothing, or take to begin its answer, redirects included."""
_LEAST_BYTES = 10_000
"""What it has to send in that time, once it has begun."""
_MOST_REDIRECTS = 5
_LOCAL = {"localhost", "127.0.0.1", "::1"}


def is_web_address(place: str) -> bool:
    """Whether a place is a URL to download from, and no file."""
    return place.lower().startswith(("https://", "http://"))


def origin_of(place: str) -> str:
    """Where an index came from, as it is shown and kept: without anything of a URL that may be secret."""
    if not is_web_address(place):
        return os.path.abspath(place)
    parts = urlsplit(place)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def download(url: str, stream: BinaryIO, token: str, limit: int, progress: Progress, *, insecure: bool = False) -> None:
    """Write what is at a URL to a stream.

    The token is sent to the URL's own host only, never after a redirect to another one. Raises ShardError, UsageError
    for a URL that is not encrypted (unless it is of this machine, or `insecure`), and StoreError.
    """
    try:
        for piece in _pieces(url, token, limit, progress, insecure):
            stream.write(piece)
        stream.flush()
    except OSError as error:
        raise StoreError(f"cannot store the download: {error.strerror or error}") from None


def _pieces(url: str, token: str, limit: int, progress: Progress, insecure: bool) -> Iterator[bytes]:
    import httpx

    origin = origin_of(url)
    until = time.monotonic() + _SECONDS
    timeout = httpx.Timeout(_SILENT_SECONDS)
    is_local = urlsplit(url).hostname in _LOCAL
    silent = f"cannot download {origin}: the server sent nothing for {_SILENT_SECONDS:g} seconds"
    begin = _BeginLimit(_SILENT_SECONDS)
    try:
        with (
            begin,
            httpx.Client(timeout=timeout, follow_redirects=False, trust_env=not is_local) as client,
            _answer(client, url, token, insecure, begin) as response,
        ):
            begin.over()
            yield from _body(response, origin, limit, until, progress)
    except httpx.TimeoutException:
        raise ShardError(silent) from None
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        said = silent if begin.is_late else f"cannot download {origin}: {error or type(error).__name__}"
        raise ShardError(said) from None


class _BeginLimit:
    """Cuts the connection if the answer has not begun in time.

    Every single read of a head that drips is short, so no timeout of one read ends it.
    """

    def __init__(self, seconds: float) -> None:
        self.is_late = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self.over()
        if self._socket is not None:
            self._socket.close()

    def over(self) -> None:
        """Stop the clock: the answer has begun, or nobody waits for it any longer."""
        self._timer.cancel()
        self._timer.join()

    def on_event(self, name: str, info: dict[str, Any]) -> None:
        """Keep a copy of each new connection's socket, which the clock's thread can shut down."""
        if name.endswith("connect_tcp.complete"):
            before, self._socket = self._socket, info["return_value"].get_extra_info("socket").dup()
            if before is not None:
                before.close()
            if self.is_late:
                self._cut()

    def _cut(self) -> None:
        self.is_late = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


@contextmanager
def _answer(client: httpx.Client, url: str, token: str, insecure: bool, begin: _BeginLimit) -> Iterator[httpx.Response]:
    """The answer at the end of all redirects."""
    first = _checked(url, insecure or urlsplit(url).hostname in _LOCAL)
    target = url
    for _ in range(_MOST_REDIRECTS + 1):
        parts = _checked(target, insecure or first.hostname in _LOCAL)
        headers = {"User-Agent": "trackdown", "Accept": "application/octet-stream", "Accept-Encoding": "identity"}
        is_safe = parts.scheme == "https" or parts.hostname in _LOCAL
        if token and is_safe and (parts.scheme, parts.netloc) == (first.scheme, first.netloc):
            headers["Authorization"] = f"Bearer {token}"
        with client.stream("GET", target, headers=headers, extensions={"trace": begin.on_event}) as response:
            if not response.is_redirect:
                if response.status_code != 200:
                    raise ShardError(_refusal(origin_of(url), response.status_code, bool(token)))
                yield response
                return
            target = urljoin(target, response.headers["location"])
    raise ShardError(f"cannot download {origin_of(url)}: it leads from one address to the next")


def _checked(url: str, insecure: bool) -> SplitResult:
    parts = urlsplit(url)
    try:
        host = parts.hostname
    except ValueError:
        host = None
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{origin_of(url)} is not an https URL")
    if parts.username or parts.password:
        raise UsageError(f"{origin_of(url)}: set TRACKDOWN_IMPORT_TOKEN, and leave user and password out of the URL")
    if parts.scheme == "http" and not insecure:
        raise UsageError(
            f"{origin_of(url)} is not encrypted, so others could change the index: use https, or --insecure"
        )
    return parts


def _refusal(origin: str, status: int, had_token: bool) -> str:
    hint = ""
    if status in (401, 403, 404) and not had_token:
        hint = ": check the URL; if it needs a token, set TRACKDOWN_IMPORT_TOKEN"
    return f"cannot download {origin}: the server answered {status}{hint}"


def _body(response: httpx.Response, origin: str, limit: int, until: float, progress: Progress) -> Iterator[bytes]:
    text = response.headers.get("content-length", "")
    total = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
    too_large = ShardError(f"cannot download {origin}: it is larger than {limit >> 20:,} MB (TRACKDOWN_STORE_LIMIT_MB)")
    if total is not None and total > limit:
        raise too_large
    done = 0
    watched_until, watched_from = time.monotonic() + _SILENT_SECONDS, 0
    for piece in response.iter_raw():  # in pieces as they arrive: larger ones would have to be waited for
        done += len(piece)
        if time.monotonic() > watched_until:
            if done - watched_from < _LEAST_BYTES:
                raise ShardError(
                    f"cannot download {origin}: only {done - watched_from:,} bytes came in {_SILENT_SECONDS:g} seconds"
                )
            watched_until, watched_from = time.monotonic() + _SILENT_SECONDS, done
        if done > limit:
            raise too_large
        if time.monotonic() > until:
            raise ShardError(f"cannot download {origin}: it took longer than {_SECONDS / 60:g} minutes")
        progress("download", done, total)
        yield piece
    if total is not None and done < total:
        raise ShardError(f"cannot download {origin}: the connection ended after {done:,} of {total:,} bytes")
