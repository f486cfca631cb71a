"""ReCo: a language model rewrites units in its own style, so that queries match them better."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.rewrite.reco import RewriteCounts, RewriteJob, RewriteRow, rewrite_units, rewriter_of
    from trackdown.rewrite.unit_selection import main_unit, units_to_rewrite
else:
    __getattr__ = door(__name__)
