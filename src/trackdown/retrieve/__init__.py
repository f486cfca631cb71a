"""Query → scored units: one file per source of evidence (lexical, commits, mentions)."""
