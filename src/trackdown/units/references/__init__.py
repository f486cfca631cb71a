"""Blob → what it refers to, one reader per language."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.units.references.chain import CALLED, ELEMENT, NOTHING, Chain, ChainPart, last_name, parse_chain
    from trackdown.units.references.extract import extract_references
    from trackdown.units.references.facts import (
        BASE,
        CALL,
        DECORATOR,
        IMPLEMENTS,
        NEW,
        REFERENCES_VERSION,
        UNKNOWN,
        Binding,
        BlobReferences,
        Export,
        Import,
        Reference,
        decode_references,
        encode_references,
    )
    from trackdown.units.references.go.reader import usual_name
    from trackdown.units.references.rust import MACRO
else:
    __getattr__ = door(__name__)
