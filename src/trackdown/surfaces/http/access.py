"""Who may use a server: the names it answers to, the token, and how often one client may ask."""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

from trackdown.errors import UsageError
from trackdown.types import Clock

_LOCAL_NAMES = ("localhost", "ip6-localhost")
_MOST_CLIENTS = 10_000
SHORTEST_TOKEN = 16
DEFAULT_RATE = 20.0
"""Requests per second that a client may send."""


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What a server demands of a request.

    `names` are further names that it answers to. `rate` is requests per second and client, with `burst` at once; None
    means 20, or no limit on a server for this machine alone (`is_private`). A client has `head_seconds` to send a
    request's head, `body_seconds` for its body, and `answer_seconds` for each part of the answer that it reads.
    `connections` is how many there may be at once; None means half of the files that the process may open. `digests`
    are the sha256 of further tokens.
    """

    host: str = "127.0.0.1"
    token: str = ""
    names: tuple[str, ...] = ()
    rate: float | None = None
    burst: int = 100
    body_bytes: int = 1 << 20
    body_seconds: float = 10.0
    head_seconds: float = 10.0
    answer_seconds: float = 30.0
    connections: int | None = None
    digests: tuple[bytes, ...] = ()
    how_to_demand: str = "give a token with --token-file or TRACKDOWN_TOKEN"

    def check(self) -> None:
        """Raise UsageError if anybody could use the server, or if the token is weak."""
        if not self.on_loopback and not self.demands_token:
            raise UsageError(f"other machines can reach {self.host}: {self.how_to_demand}")
        plain = self.token.isascii() and self.token.isprintable() and " " not in self.token
        if self.token and (len(self.token) < SHORTEST_TOKEN or not plain):
            raise UsageError(
                f"a token needs at least {SHORTEST_TOKEN} printable ASCII characters and no spaces, "
                "e.g. what `openssl rand -hex 32` prints"
            )

    @property
    def demands_token(self) -> bool:
        """Whether requests need a token."""
        return bool(self.token or self.digests)

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def is_private(self) -> bool:
        """Whether all clients are on this machine: further names would be for a proxy."""
        return self.on_loopback and not self.names

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names this server.

        In DNS rebinding, a page of another site points its own name at our address, and still sends that name. An
        address cannot be rebound, so servers that other machines can reach answer to every address.
        """
        name = host_name(host)
        if name is None:
            return False
        if name in (*_LOCAL_NAMES, self.host.lower(), *(one.lower() for one in self.names)) or is_loopback(name):
            return True
        return not self.on_loopback and _is_address(name)

    def admits(self, authorization: str) -> bool:
        """Whether an Authorization header carries a token. Takes the same time for every wrong one."""
        if not self.demands_token:
            return True
        scheme, _, given = authorization.partition(" ")
        digests = (*self.digests, *([_digest(self.token)] if self.token else []))
        same = [hmac.compare_digest(_digest(given.strip()), digest) for digest in digests]
        return any(same) and scheme.lower() == "bearer"


class RateLimiter:
    """Limits how many requests a second each client may send, by a token bucket per client. For one thread."""

    def __init__(self, rate: float, burst: int, clock: Clock = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, client: str) -> float:
        """Take a token: 0 if the client may go on, otherwise the seconds until it may."""
        key = _network(client)
        now = self._clock()
        level, since = self._buckets.pop(key, (float(self._burst), now))
        level = min(float(self._burst), level + (now - since) * self._rate)
        wait = 0.0 if level >= 1 else (1 - level) / self._rate
        self._buckets[key] = (level if wait else level - 1, now)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return wait


def is_loopback(host: str) -> bool:
    """Whether a name or address can be reached from this machine alone."""
    if host.lower() in _LOCAL_NAMES:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def host_name(host: str) -> str | None:
    """The name in a Host header, without port and brackets; None if the header is malformed."""
    name, port = host.strip().lower(), ""
    if name.startswith("["):
        name, bracket, port = name[1:].partition("]")
        if not bracket or not _is_address(name) or (port and not port.startswith(":")):
            return None
        port = port.removeprefix(":")
    elif ":" in name:
        name, _, port = name.rpartition(":")
    if not name or (port and not port.isdecimal()) or not all(sign.isalnum() or sign in ".-_:" for sign in name):
        return None
    return name.rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _network(client: str) -> str:
    """The key of a bucket: an address, or the /64 network that an IPv6 client has to itself."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return client


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
