"""Is there room for the models? Native libraries abort when the address space is limited and full."""

from __future__ import annotations

from trackdown.errors import ModelError

_NEEDED = 256 << 20


def require_address_space() -> None:
    """Raise ModelError if a limit on the address space (`ulimit -v`) leaves too little of it for the models."""
    import resource  # here, because most searches do without

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            used = int(stream.read().split()[0]) * resource.getpagesize()
    except OSError:
        return  # not on Linux
    if limit - used < _NEEDED:
        raise ModelError(f"the models need {_NEEDED >> 20} MB of address space: raise the limit (`ulimit -v`)")
