"""Before retrieval: commits stand for a query that only refers to them, and a language model adds exemplars to the
query (GAR) and rewrites to the units (ReCo).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trackdown.errors import QueryError
from trackdown.index import CommitIndex, Corpus
from trackdown.pipeline.plan import SearchPlan
from trackdown.query import Query, understand
from trackdown.retrieve import ReferredCommit, referred_commits

if TYPE_CHECKING:
    from trackdown.index import UnitVectors

_MOST_MESSAGES = 5


def with_rewrites(corpus: Corpus) -> Corpus:
    """The corpus with the rewrites of its units added; unchanged if there are none."""
    found = corpus.open_rewrites() if corpus.open_rewrites is not None else None
    if found is None:
        return corpus
    vectors, add = corpus.vectors, found.vectors

    def rewritten_vectors() -> UnitVectors | None:
        plain = vectors()
        return None if plain is None else add(plain)

    return replace(corpus, bodies=found.bodies, vectors=rewritten_vectors)


def with_commits(corpus: Corpus, query: Query) -> Query:
    """A query that says nothing but `#123` or a commit id, with the messages of those commits for its text. Unchanged
    if there are none.
    """
    commits = referred_commits(corpus, query)[:_MOST_MESSAGES]
    if not commits or corpus.history is None:
        return query
    index, _ = corpus.history
    found = [commit.position for commit in commits]
    messages = corpus.messages(found) if corpus.messages is not None else [index.subject(at) for at in found]
    try:
        about = understand("\n\n".join(messages), syntax=False)
    except QueryError:
        return query
    return replace(
        about,
        filters=query.filters,
        references=query.references,
        quoted=query.quoted,
        typed=query.typed,
        speaker=_speaker(index, commits),
    )


def _speaker(index: CommitIndex, commits: Sequence[ReferredCommit]) -> str:
    """The commits whose messages are searched for, in words."""
    first = commits[0]
    if len(commits) > 1:
        return f"a commit behind {', '.join(dict.fromkeys(commit.reference for commit in commits))}"
    name = f"commit {index.oid(first.position)[:7]}"
    return name if first.is_itself else f"{name} ({first.reference})"


def with_exemplars(corpus: Corpus, query: Query, plan: SearchPlan) -> Query:
    """The query with answers that a language model writes, unless it already has some. Unchanged without a model."""
    from trackdown.query import with_exemplars as augmented
    from trackdown.query import write_exemplars

    found = query.exemplars
    if not found and corpus.llm is not None and corpus.examples is not None:
        language, pairs = corpus.examples()
        found = write_exemplars(corpus.llm, query, pairs, language, plan.exemplars, corpus.progress)
        count = f"{len(found)} exemplar{'' if len(found) == 1 else 's'}"
        name = corpus.llm.name
        corpus.note(f"searched with {count} written by {name}" if found else f"{name} wrote no usable exemplar")
    return augmented(query, found[: plan.exemplars], only=plan.exemplars_only)
