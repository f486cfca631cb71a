"""Promotes code near a ranking's best results."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.expand.llm import llm_selector
    from trackdown.expand.neighbours import neighbour_finder
    from trackdown.expand.spider import SIGNAL, Chooser, Expansion, Reader, expand_spider
else:
    __getattr__ = door(__name__)
