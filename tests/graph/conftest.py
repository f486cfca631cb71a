"""The programs under fixtures/ are data: their own tests are not ours."""

from __future__ import annotations

collect_ignore = ["fixtures"]
