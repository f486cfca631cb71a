"""Blob → units, tokens, references. Splitting by lines, functions, tokens."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.units.docstrings import split_docstring
    from trackdown.units.extraction import extract
    from trackdown.units.facts import (
        EXTRACTOR_VERSION,
        BlobFacts,
        Unit,
        decode,
        fact_key,
        final_key,
        oid_of_key,
        provisional_key,
    )
    from trackdown.units.languages import BY_NAME, TEXT, UNCERTAIN, language_of, language_of_content
    from trackdown.units.message_words import END_NUMBER, GAP_NUMBER, word_hash
    from trackdown.units.parsing import ParseLimitError, load_language, syntax_tree
    from trackdown.units.pool import extract_all, extract_alone
    from trackdown.units.tokens import letter_definitions, term_counts, terms, words
    from trackdown.units.worker import ContentSource, ExtractionJob, receive, send
else:
    __getattr__ = door(__name__)
