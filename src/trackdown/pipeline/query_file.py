"""A file of the repository that holds the query itself, such as the issue in question, is no answer to it."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.index import Corpus
from trackdown.query import Query, is_short, runs, says_the_same
from trackdown.retrieve import Candidates
from trackdown.types import PROSE, TEST

SPARE = 50
"""How many candidates are looked at, and chosen beyond those that are needed, to replace those that are left out."""
_MOST_LINES = 2_000
_LONGER = 3
"""A file that is so many times as long as the query holds much else."""


def without_query_file(corpus: Corpus, query: Query, pool: Candidates, chosen: Sequence[int]) -> list[int]:
    """The chosen candidates without those of the first fifty that are files with the query's text. A note names each.

    Code is always kept, because a query that quotes all of it asks about it, and so are answers to a short query.
    """
    code, kept = corpus.code, list(chosen)
    if pool.level != "file" or is_short(asked := runs(query.text)):
        return kept
    for candidate in chosen[:SPARE]:
        file = int(pool.files[candidate])
        if code.file_role[file] not in (PROSE, TEST) or code.file_lines[file] > _MOST_LINES:
            continue
        text = "\n".join(filter(None, corpus.texts(list(code.units_of(file)))))
        if len(text) <= _LONGER * len(query.text) and says_the_same(asked, runs(text)):
            kept.remove(candidate)
            corpus.note(f"{code.path(file)} is left out because it is the text of the query")
    return kept
