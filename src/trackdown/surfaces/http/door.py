"""Who may come in: names that the server answers to, the token, and how much one client may ask."""

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


@dataclass(frozen=True, slots=True)
class Door:
    """What the server demands of a request.

    `names` are those it answers to beside its own; `rate` is requests a second and client, with `burst` at once; None
    means 20, and no limit for clients on this machine where no others are expected (`is_private`).
    """

    host: str = "127.0.0.1"
    token: str = ""
    names: tuple[str, ...] = ()
    rate: float | None = None
    burst: int = 100
    body_bytes: int = 1 << 20
    body_seconds: float = 10.0

    def check(self) -> None:
        """Raise UsageError for a door that everybody could come through."""
        if not self.on_loopback and not self.token:
            raise UsageError(
                f"{self.host} can be reached from other machines: name a file that holds a token with --token-file, "
                "or set TRACKDOWN_TOKEN"
            )
        if self.token and (len(self.token) < SHORTEST_TOKEN or not self.token.isascii() or not self.token.isprintable()
                           or " " in self.token):  # fmt: skip
            raise UsageError(
                f"a token needs at least {SHORTEST_TOKEN} printable ASCII characters without blanks, "
                "e.g. what `openssl rand -hex 32` prints"
            )

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def is_private(self) -> bool:
        """Whether clients are on this machine, as far as anybody has said: other names are for proxies."""
        return self.on_loopback and not self.names

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names this server.

        A page of another site that was bound to our address afterwards (DNS rebinding) still sends its own name. An
        address cannot be bound to another one, so servers that are reachable from elsewhere answer to every address.
        """
        name = host_name(host)
        if name is None:
            return False
        if name in (*_LOCAL_NAMES, self.host.lower(), *(one.lower() for one in self.names)) or is_loopback(name):
            return True
        return not self.on_loopback and _is_address(name)

    def admits(self, authorization: str) -> bool:
        """Whether an Authorization header carries the token. Takes the same time for every wrong one."""
        if not self.token:
            return True
        scheme, _, given = authorization.partition(" ")
        same = hmac.compare_digest(_digest(given.strip()), _digest(self.token))
        return same and scheme.lower() == "bearer"


class Turnstile:
    """Lets each client pass so many times a second: a bucket of tokens each. For one thread.

    Without a rate, clients on this machine pass always if it `spares_loopback`: behind a proxy everybody seems to be
    one of them.
    """

    def __init__(
        self, rate: float | None, burst: int, clock: Clock = time.monotonic, *, spares_loopback: bool = True
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._spares_loopback = spares_loopback
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def passes(self, client: str) -> float:
        """0 when the client may pass, otherwise after how many seconds it may."""
        rate = self._rate
        if rate is None:
            if self._spares_loopback and is_loopback(client):
                return 0.0
            rate = 20.0
        key = _network(client)
        now = self._clock()
        level, since = self._buckets.pop(key, (float(self._burst), now))
        level = min(float(self._burst), level + (now - since) * rate)
        wait = 0.0 if level >= 1 else (1 - level) / rate
        self._buckets[key] = (level if wait else level - 1, now)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return wait


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own, for itself only."""
    if host.lower() in _LOCAL_NAMES:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def host_name(host: str) -> str | None:
    """The name in a Host header, without port and brackets; None for what is none."""
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
    """Whose bucket: an address, or the network of 64 bits that a client with IPv6 has to itself."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return client


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
