"""Where people and programs meet the engine."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.steps import INDEXING, SEARCHING
else:
    __getattr__ = door(__name__)
