"""Facts survive the store, and their keys say what they were made from."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.settings import Settings
from trackdown.units import facts as module
from trackdown.units.facts import BlobFacts, Unit, decode, encode, fact_key, oid_of_key, skipped

units = st.builds(
    Unit,
    kind=st.sampled_from(["function", "class", "window"]),
    symbol=st.text(),
    start_line=st.integers(1, 10**6),
    end_line=st.integers(1, 10**6),
    parent=st.integers(-1, 1000),
    signature=st.text(),
)
all_facts = st.builds(
    BlobFacts,
    language=st.text(),
    skip=st.text(),
    lines=st.integers(0, 10**7),
    units=st.lists(units, max_size=5),
    vocabulary=st.lists(st.text(), max_size=5),
    pointers=st.binary(),
    word_ids=st.binary(),
    counts=st.binary(),
)


@given(all_facts)
def test_facts_come_back_as_they_went(facts: BlobFacts) -> None:
    assert decode(encode(facts)) == facts


@given(all_facts, st.data())
def test_facts_that_were_cut_short_are_refused(facts: BlobFacts, data: st.DataObject) -> None:
    whole = encode(facts)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(msgspec.DecodeError):
        decode(whole[:cut])


def test_a_blob_that_is_left_out_has_a_reason_and_no_units() -> None:
    facts = skipped("python", "binary")
    assert (facts.language, facts.skip, facts.lines, facts.units, facts.vocabulary) == ("python", "binary", 0, [], [])
    assert decode(encode(facts)) == facts


def test_keys_differ_by_the_limit_on_size_which_forced_files_do_not_have() -> None:
    assert len({fact_key("a", "c", False), fact_key("a", "c", False, 4096), fact_key("a", "c", False, 8192)}) == 3
    assert fact_key("a", "c", True) == fact_key("a", "c", True, 4096)
    assert fact_key("a", "c", False) == fact_key("a", "c", False, Settings().max_file_bytes)
    assert oid_of_key(fact_key("a", "c", False, 4096)) == "a"


def test_keys_differ_by_content_language_version_and_force(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {fact_key(oid, language, forced) for oid in "ab" for language in ("c", "cpp") for forced in (True, False)}
    assert len(keys) == 8
    assert {oid_of_key(key) for key in keys} == {"a", "b"}
    monkeypatch.setattr(module, "EXTRACTOR_VERSION", module.EXTRACTOR_VERSION + 1)
    assert fact_key("a", "c", False) not in keys
