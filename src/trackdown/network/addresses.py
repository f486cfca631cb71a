"""Where an address leads."""

from __future__ import annotations

import ipaddress


def is_this_machine(host: str) -> bool:
    """Whether a host's name or number is that of this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
