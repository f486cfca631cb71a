"""Issue text → its parts: title, prose, code, tracebacks, paths, names, quoted messages; and its weighted terms."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.query.augmented import MOST_EXEMPLARS, code_weights, with_exemplars
    from trackdown.query.exemplars import write_exemplars
    from trackdown.query.features import query_features
    from trackdown.query.parse import THE_QUERY, Frame, Query, understand
    from trackdown.query.reading_order import most_telling_first, without_html_comments
    from trackdown.query.references import QueryReference, commits_named, issues_named
    from trackdown.query.same_text import is_short, runs, says_the_same
    from trackdown.query.stopwords import STOPWORDS
    from trackdown.query.syntax import NO_FILTERS, Filters, words_of_phrases
    from trackdown.query.word_forms import other_forms
else:
    __getattr__ = door(__name__)
