"""Parameters of the API and of the tools, and values that they may not be prepared for."""

from __future__ import annotations

from typing import Any

PARAMETERS = (
    "query location target path symbol lines revision commit repository k level effort mode at depth budget edges how "
    "direction exclude languages folder author since until drawing rerank diff revisions issue tests blame structured "
    "max_tokens concise"
).split()
"""Names that one route or another knows."""
VALUES: tuple[Any, ...] = (
    *("cookie", "", "web/session.py:8", "Session.sign_cookie", "../../etc/passwd", "/etc/passwd", "HEAD", "--help"),
    *("\0", "\ud800", "a" * 100_000, "\x1b[31m", "symbol:", "path:" + "*" * 200, "lang:none cookie", "%00"),
    *("HEAD~999999", "9" * 50, "$(touch x)", "'; DROP TABLE facts; --"),
    *(-1, 0, 1, 10**30, 1e308, True, None, [], {}, [[]], ["x"] * 500),
)
"""Values of any type."""
