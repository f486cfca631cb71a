"""One tracker's API: bounded requests, and one clear line for everything that can go wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from trackdown.errors import TrackerError, TrackerUnavailable
from trackdown.network import (
    HttpLine,
    HttpReply,
    ReplyCompressed,
    ReplyTooLarge,
    ReplyTooSlow,
    is_this_machine,
)
from trackdown.trackers.host_kinds import Tracker
from trackdown.trackers.tokens import ApiToken

SECONDS = 20.0
"""How long one exchange may take."""
_CONNECT_SECONDS = 10.0
_LARGEST = 4 << 20
_MOST_REDIRECTS = 3
_HEADERS = {
    "User-Agent": "trackdown",
    "Accept": "application/json",
}
_GITHUB_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
_OFFLINE = "check the network, or save the issue's text to a file"


def exchange(url: str, headers: Mapping[str, str], seconds: float = SECONDS) -> HttpReply:
    """GET an address once; redirects are answers, too. Raises TrackerError."""
    import httpx

    host = urlsplit(url).netloc
    local = is_this_machine(urlsplit(url).hostname or "")
    line = HttpLine({**_HEADERS, **headers}, connect_s=_CONNECT_SECONDS, trust_env=not local)
    try:
        return line.exchange("GET", url, limit=_LARGEST, seconds=seconds)
    except ReplyTooSlow:
        raise TrackerUnavailable(f"{host} did not answer within {seconds:g} seconds: {_OFFLINE}") from None
    except ReplyTooLarge:
        raise TrackerError(f"{host} sent more than {_LARGEST:,} bytes, too many for an issue") from None
    except ReplyCompressed:
        raise TrackerError(f"{host} compresses its answers although it was asked not to") from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise TrackerUnavailable(f"cannot reach {host} ({reason}): {_OFFLINE}") from None
    finally:
        line.close()


def ask_without_token(url: str) -> tuple[int, Any]:
    """The status of an address, and the JSON there or None. Raises TrackerError."""
    reply = exchange(url, {})
    return reply.status, json_of(reply)


class TrackerClient:
    """Asks a tracker. The token goes with requests to its API only, and with none that a redirect leads to."""

    def __init__(self, tracker: Tracker, token: ApiToken, name: str, seconds: float = SECONDS) -> None:
        self._tracker = tracker
        self._token = token
        self._name = name
        self._seconds = seconds
        self._headers = _GITHUB_HEADERS if tracker.api == "github" else {}

    def get(self, path: str) -> Any:
        """The JSON at a path of the API. Raises TrackerError."""
        url = f"{self._tracker.root}{path}"
        reply = exchange(url, {**self._headers, **self._token.header(self._tracker.api)}, self._seconds)
        moved = 0
        while 300 <= reply.status < 400 and moved < _MOST_REDIRECTS:
            url, moved = self._next(url, reply), moved + 1
            reply = exchange(url, self._headers, self._seconds)
        if reply.status != 200:
            raise self._refusal(reply, moved=bool(moved))
        value = json_of(reply)
        if value is None:
            raise TrackerError(f"{self._tracker.host} did not send JSON for {self._name}: is its address right?")
        return value

    def _next(self, url: str, reply: HttpReply) -> str:
        """Where a redirect leads, if it stays on the host. Raises TrackerError."""
        try:
            target = urljoin(url, reply.headers.get("location", ""))
            old, new = urlsplit(url), urlsplit(target)
            same = (old.scheme, old.netloc) == (new.scheme, new.netloc)
            secured = (new.scheme, new.netloc) == ("https", old.hostname) and old.scheme == "http"
        except ValueError:
            target, same, secured = "", False, False
        if not same and not secured:
            where = " ".join(urlsplit(target).netloc.rpartition("@")[2].split())[:200] if target else ""
            raise TrackerError(
                f"{self._tracker.host} redirects {self._name} to {where or 'another address'}: name the issue by its "
                "new address"
            )
        return target

    def _refusal(self, reply: HttpReply, *, moved: bool) -> TrackerError:
        """The error for a status other than 200."""
        host, name, status = self._tracker.host, self._name, reply.status
        if status == 429 or (status == 403 and _is_rate_limit(reply.headers)):
            advice = "" if self._token.value else f", or {self._token.origin}"
            return TrackerUnavailable(f"{host} accepts no more requests for now ({status}): wait a while{advice}")
        if moved and status in (401, 403, 404):
            return TrackerError(
                f"{name} has moved on {host}, and a token is never sent across a redirect: name it by its new address"
            )
        if status in (401, 403):
            if self._token.value:
                return TrackerError(f"{host} refused the token of {self._token.origin} for {name} ({status})")
            return TrackerError(f"{host} shows {name} only to those it knows ({status}): {self._token.origin}")
        if status == 404:
            why = (
                f"the token of {self._token.origin} may not see it"
                if self._token.value
                else f"it is private ({self._token.origin})"
            )
            hint = "; a merge request is written !12" if self._tracker.api == "gitlab" and "#" in name else ""
            return TrackerError(f"{host} has no {name}, or {why}{hint}")
        if status == 410:
            return TrackerError(f"{host} has no {name} any more: it was deleted, or the project has no issues")
        if status >= 500:
            return TrackerUnavailable(f"{host} failed with {status}: try again later")
        return TrackerError(f"{host} answered {status} for {name}")


def json_of(reply: HttpReply) -> Any:
    """The JSON of an answer; None if it is none."""
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):
        return None


def _is_rate_limit(headers: Mapping[str, str]) -> bool:
    return headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
