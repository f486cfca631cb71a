"""Who may see which groups: a server's file of tokens. It holds digests, so that reading it gives nobody a token."""

from __future__ import annotations

import hmac
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from trackdown.errors import UsageError
from trackdown.fleet.definition import check_group

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """A token by its sha256, and the groups that it opens."""

    name: str
    digest: bytes
    groups: tuple[str, ...]


def read_grants(file: Path, known: Sequence[str]) -> tuple[TokenGrant, ...]:
    """Read a file of tokens. Raises UsageError if it cannot be read, or names a group that is not `known`."""
    try:
        value = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the tokens in {file}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file} is not valid TOML: {error}") from None
    rows = value.get("tokens")
    if set(value) != {"tokens"} or not isinstance(rows, list) or not rows:
        raise UsageError(f"{file} needs [[tokens]] tables with name, sha256 and groups, and nothing else")
    grants = tuple(_grant(file, row, known) for row in rows)
    if len({grant.digest for grant in grants}) < len(grants):
        raise UsageError(f"{file} has a token twice")
    return grants


def _grant(file: Path, row: Any, known: Sequence[str]) -> TokenGrant:
    if not isinstance(row, dict) or set(row) != {"name", "sha256", "groups"}:
        raise UsageError(f"{file}: a token has name, sha256 and groups, and nothing else")
    name, digest, groups = str(row["name"]), row["sha256"], row["groups"]
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise UsageError(f"{file}: sha256 of {name!r} must have 64 digits: `printf %s TOKEN | sha256sum` prints them")
    if bytes.fromhex(digest) == sha256(b"").digest():
        raise UsageError(f"{file}: sha256 of {name!r} is that of no token at all: was the variable empty?")
    if not isinstance(groups, list) or not groups or not all(isinstance(group, str) for group in groups):
        raise UsageError(f"{file}: groups of {name!r} must be a list of names")
    for group in groups:
        check_group(group)
        if group not in known:
            raise UsageError(f"{file}: the fleet has no group {group!r}, which {name!r} is to see")
    return TokenGrant(name, bytes.fromhex(digest), tuple(sorted(set(groups))))


def grant_for(grants: Sequence[TokenGrant], authorization: str) -> TokenGrant | None:
    """The grant of an Authorization header. Compares with every token, and takes the same time for each."""
    scheme, _, given = authorization.partition(" ")
    digest = sha256(given.strip().encode("utf-8", "surrogateescape")).digest()
    found = None
    for grant in grants:
        if hmac.compare_digest(grant.digest, digest):
            found = grant
    return found if scheme.lower() == "bearer" else None
