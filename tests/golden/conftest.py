"""The app under fixtures/ is data: its own tests are not ours."""

from __future__ import annotations

collect_ignore = ["fixtures"]
