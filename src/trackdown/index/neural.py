"""What models need of a snapshot: its units' source, its commits' messages, and a place for what they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trackdown.errors import ModelError
from trackdown.types import FactCache, Progress, no_progress

if TYPE_CHECKING:
    from trackdown.models.cross_encoder import CrossEncoder
    from trackdown.models.encoder import Encoder

Texts = Callable[[Sequence[int]], list[str | None]]
"""Units → their source; None for a unit whose file is no longer what was indexed."""
Messages = Callable[[Sequence[int]], list[str]]
"""Commits by their positions → their messages."""


@dataclass(frozen=True, slots=True)
class Neural:
    """The models that judge candidates, opened when they are called for (None: there is none), and what they read.

    `failed` hears of a model that was opened and cannot be run: the search goes on without it. `progress` hears how far
    long reading is.
    """

    encoder: Callable[[], Encoder | None]
    cross_encoder: Callable[[], CrossEncoder | None]
    texts: Texts
    messages: Messages
    facts: FactCache
    failed: Callable[[ModelError], None]
    progress: Progress = no_progress
