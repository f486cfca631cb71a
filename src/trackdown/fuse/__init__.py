"""Channels → one score per candidate: one way of fusing per file."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.fuse.adaptive import adapted
    from trackdown.fuse.rrf import fuse_rrf
    from trackdown.fuse.weighted import fuse_weighted
else:
    __getattr__ = door(__name__)
