"""Who may come in: names, tokens, rates."""

from __future__ import annotations

from contextlib import suppress

import pytest

from trackdown.surfaces.http.access import AccessRules, RateLimiter, host_name, is_loopback
from trackdown.surfaces.http.request_checks import Refusal, RequestChecks


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8765", "localhost"),
        ("example.org.:80", "example.org"),
        ("127.0.0.1:1", "127.0.0.1"),
        ("[::1]:8765", "::1"),
        ("[::1]", "::1"),
        ("", None),
        (":80", None),
        ("[::1", None),
        ("[evil]:80", None),
        ("[::1]80", None),
        ("evil.com:80:90x", None),
        ("localhost:80@evil.com", None),
        ("evil.com/localhost", None),
        ("evil.com localhost", None),
        ("localhost:http", None),
    ],
)
def test_the_name_in_a_host_header(host: str, name: str | None) -> None:
    assert host_name(host) == name


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "LOCALHOST"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "localhost.evil.com", "127.0.0.1.evil.com", ""])
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_on_loopback_only_names_of_this_machine_are_answered() -> None:
    door = AccessRules()
    assert all(map(door.answers_to, ["localhost:8765", "127.0.0.1:8765", "[::1]:9", "localhost"]))
    assert not any(map(door.answers_to, ["evil.com", "192.168.1.2:8765", "localhost.evil.com", "0.0.0.0", ""]))
    assert AccessRules(names=("Search.example.org",)).answers_to("search.example.org:443")


def test_elsewhere_addresses_and_given_names_are_answered() -> None:
    door = AccessRules("0.0.0.0", names=("search.example.org",))
    assert all(map(door.answers_to, ["192.168.1.2:8765", "[2001:db8::1]:80", "search.example.org", "localhost"]))
    assert not any(map(door.answers_to, ["evil.com", "search.example.org.evil.com"]))
    assert AccessRules("build-7").answers_to("build-7:8765")


def test_where_repositories_stand_is_for_clients_on_this_machine() -> None:
    assert AccessRules().is_private and AccessRules("::1").is_private
    assert not AccessRules("0.0.0.0").is_private and not AccessRules(names=("search.example.org",)).is_private


def test_the_token_is_demanded_whole_and_as_a_bearer() -> None:
    door = AccessRules(token="0123456789abcdef")
    assert door.admits("Bearer 0123456789abcdef") and door.admits("bearer  0123456789abcdef ")
    for wrong in (
        "",
        "0123456789abcdef",
        "Bearer",
        "Bearer ",
        "Basic 0123456789abcdef",
        "Bearer 0123456789abcde",
        "Bearer 0123456789abcdefg",
        "Bearer 0123456789ABCDEF",
        "Bearer \udcff",
    ):
        assert not door.admits(wrong), wrong
    assert AccessRules().admits("")


def test_a_client_passes_as_often_as_the_rate_allows() -> None:
    now = [0.0]
    limiter = RateLimiter(2.0, 3, lambda: now[0])
    assert [limiter.seconds_to_wait("10.0.0.1") for _ in range(3)] == [0, 0, 0]
    assert limiter.seconds_to_wait("10.0.0.1") == pytest.approx(0.5)
    assert limiter.seconds_to_wait("10.0.0.2") == 0, "another client has a bucket of its own"
    now[0] = 0.5
    assert limiter.seconds_to_wait("10.0.0.1") == 0 and limiter.seconds_to_wait("10.0.0.1") > 0
    now[0] = 1000.0
    assert [bool(limiter.seconds_to_wait("10.0.0.1")) for _ in range(4)] == [False, False, False, True]


def test_a_network_of_ipv6_is_one_client() -> None:
    limiter = RateLimiter(1.0, 1, lambda: 0.0)
    assert limiter.seconds_to_wait("2001:db8::1") == 0 and limiter.seconds_to_wait("2001:db8::2") > 0
    assert limiter.seconds_to_wait("2001:db8:0:1::1") == 0


def allowed(rules: AccessRules, client: str) -> int:
    """How many of a hundred requests at once are let through."""
    checks, scope = RequestChecks(rules), {"headers": [(b"host", b"localhost")], "client": (client, 1)}
    passed = 0
    for _ in range(100):
        with suppress(Refusal):
            checks.check(scope, guarded=True)
            passed += 1
    return passed


def test_only_a_server_for_this_machine_alone_has_no_limit_by_default() -> None:
    assert allowed(AccessRules(burst=5), "127.0.0.1") == 100
    assert allowed(AccessRules(burst=5, rate=0.1), "127.0.0.1") == 5
    assert allowed(AccessRules(burst=5, names=("search.example.org",)), "127.0.0.1") in (5, 6), "behind a proxy"
    assert allowed(AccessRules("0.0.0.0", burst=5), "192.168.1.2") in (5, 6)


def test_many_clients_do_not_fill_the_memory() -> None:
    limiter = RateLimiter(1.0, 1, lambda: 0.0)
    for number in range(10_500):
        limiter.seconds_to_wait(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(limiter._buckets) == 10_000
