"""Query → scored candidates: one file per kind of evidence (lexical, commits, mentions, dense)."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.retrieve.candidate_pool import KINDS_OF_LEVELS, Candidates, candidates
    from trackdown.retrieve.channel import Channel, MatchedTerms, PastFound, Request, Retriever
    from trackdown.retrieve.commits import PastCommits, describe_commit, quote_commit, touched_files, touches
    from trackdown.retrieve.lexical import SIGNAL, Lexical
    from trackdown.retrieve.phrases import commits_saying, units_with_phrases
    from trackdown.retrieve.references import ReferredCommit, referred_commits
else:
    __getattr__ = door(__name__)
