"""Query → scored candidates: one file per kind of evidence (lexical, commits, mentions, dense)."""
