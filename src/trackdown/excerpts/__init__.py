"""Source of a result → the lines that speak for the query: its signature, and the lines with the words that matched."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.excerpts.line_choice import Excerpt, best_lines, definition
    from trackdown.excerpts.sought import Sought, SoughtTerms
else:
    __getattr__ = door(__name__)
