"""Other forms of a word: which are thought of, and which are not."""

from __future__ import annotations

import time
from itertools import permutations

import pytest

from trackdown.query.word_families import FAMILIES, UNRELATED
from trackdown.query.word_forms import DERIVATION, INFLECTION, other_forms

TOGETHER = (
    "sign signs signed signing signer signers signature",
    "evict evicts evicted evicting eviction evictions",
    "config configs configuration configurations configure",
    "configure configured configuring configurable configuration",
    "valid validate validated validates validating validation validator",
    "serialize serializes serialized serializing serializer serializers serialization",
    "parse parses parsed parsing parser parsers",
    "query queries queried querying",
    "log logs logged logging logger loggers",
    "run runs running runner ran",
    "cancel cancels canceled cancelled cancelling",
    "process processes processed processing processor",
    "create creates created creating creation creator",
    "implement implements implementation impl",
    "document documents documentation doc",
    "auth authenticate authentication authorization",
    "deploy deploys deployment",
    "write writes written writer writing",
    "modify modified modifies modification",
)


@pytest.mark.parametrize("family", TOGETHER)
def test_words_of_a_family_lead_to_each_other(family: str) -> None:
    first, *others = family.split()
    for one, other in [*((first, other) for other in others), *((other, first) for other in others)]:
        assert other in dict(other_forms(one)), (one, other)


def test_forms_of_one_verb_lead_to_each_other() -> None:
    for one, other in permutations("parse parses parsed parsing parser parsers".split(), 2):
        assert other in dict(other_forms(one)), (one, other)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("bring", "br"),
        ("class", "clas"),
        ("status", "statu"),
        ("author", "auth"),
        ("statement", "state"),
        ("setting", "set"),
        ("signal", "sign"),
        ("format", "form"),
        ("global", "glob"),
        ("process", "proces"),
        ("sign", "sign"),
    ],
)
def test_what_only_looks_alike_is_left_out(word: str, other: str) -> None:
    assert other not in dict(other_forms(word))


@pytest.mark.parametrize("term", ["", "g", "id", "x86", "größe", "日本語", "get_value", "a" * 30])
def test_what_is_no_english_word_has_no_forms(term: str) -> None:
    assert other_forms(term) == ()


def test_the_same_verb_is_nearer_than_a_noun_of_it() -> None:
    forms = dict(other_forms("sign"))
    assert forms["signed"] == forms["signing"] == INFLECTION
    assert forms["signer"] == DERIVATION < INFLECTION < 1


def test_forms_are_few_and_quickly_found() -> None:
    started = time.process_time()
    counts = [len(other_forms(f"{start}{end}")) for start in ("valid", "generat", "configur") for end in ("ation", "")]
    assert max(counts) < 60 and time.process_time() - started < 0.5


def test_the_tables_hold_lower_case_words_that_are_not_at_odds() -> None:
    for word, others in FAMILIES.items():
        assert word.isalpha() and word.islower() and word not in others
        assert not UNRELATED.get(word, frozenset()) & set(others), word
