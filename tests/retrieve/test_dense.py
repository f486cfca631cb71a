"""The dense channel: meaning beyond words, a bar below which nothing counts, and silence without a model."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.segments import corpus_of, index_of
from tests.rerank.tiny_models import make_models
from trackdown.index.code import CodeIndex
from trackdown.index.vectors import UnitVectors, build_vectors
from trackdown.models.registry import open_models
from trackdown.models.static import StaticTable
from trackdown.query.augmented import with_exemplars
from trackdown.query.parse import understand
from trackdown.retrieve import dense
from trackdown.retrieve.candidate_pool import candidates
from trackdown.retrieve.channel import Channel, Request
from trackdown.types import LEVELS, Level
from trackdown.units.extraction import extract

FILES = {
    "a.py": "def sign(cookie):\n    return cookie\n\n\ndef route(request):\n    return request\n",
    "b.py": "class Store:\n    def load(self, key):\n        return key\n",
    "c.py": "def parse(header):\n    return header\n",
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> StaticTable:
    found = open_models(make_models(tmp_path_factory.mktemp("models"))).static
    assert found is not None
    return found


def vectors_of(table: StaticTable) -> UnitVectors:
    facts = [(path, extract(text.encode(), "python", forced=False, max_bytes=1 << 20)) for path, text in FILES.items()]
    return UnitVectors(table, [build_vectors(facts, table)])


def found(table: StaticTable, text: str, level: Level = "function", dead: tuple[int, ...] = ()) -> Channel | None:
    code = index_of(FILES, dead=dead)
    corpus = corpus_of(code, None, vectors=lambda: vectors_of(table))
    return dense.retrieve(Request(corpus, candidates(code, level), understand(text)), [])


def best(code: CodeIndex, channel: Channel | None, level: Level = "function") -> str:
    assert channel is not None
    pool = candidates(code, level)
    winner = int(np.argmax(channel.scores))
    return code.path(int(pool.files[winner])) + (f":{code.symbol(int(pool.units[winner]))}" if level != "file" else "")


def test_no_word_has_to_be_shared(table: StaticTable) -> None:
    channel = found(table, "autograph a biscuit")
    assert best(index_of(FILES), channel) == "a.py:sign"
    assert channel is not None and channel.signal == "dense" and channel.floor == 0


@pytest.mark.parametrize(
    ("level", "expected"), [("file", "c.py"), ("function", "c.py:parse"), ("symbol", "c.py:parse")]
)
def test_every_level_has_its_best(table: StaticTable, level: Level, expected: str) -> None:
    assert best(index_of(FILES), found(table, "dissect the headline", level), level) == expected


def test_reasons_name_the_cosine(table: StaticTable) -> None:
    for level in LEVELS:
        channel = found(table, "biscuit", level)
        assert channel is not None
        chosen = [int(one) for one in np.flatnonzero(channel.scores > 0)]
        assert chosen or level == "class"
        for reason in channel.reasons(chosen):
            cosine = reason.numbers["cosine"]
            strength = "similar" if cosine >= 0.5 else "related" if cosine >= 0.3 else "distantly related"
            assert reason.text == f"{strength} words"


def test_only_the_best_units_count_and_the_last_of_them_not_at_all(
    table: StaticTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = found(table, "cookie header key request")
    monkeypatch.setattr(dense, "DEPTH", 2)
    few = found(table, "cookie header key request")
    assert everything is not None and few is not None
    assert (everything.scores > 0).sum() > 1 and (few.scores > 0).sum() == 1
    assert int(np.argmax(few.scores)) == int(np.argmax(everything.scores))


def test_files_that_are_not_in_the_snapshot_do_not_count(table: StaticTable) -> None:
    code = index_of(FILES, dead=(0,))
    channel = found(table, "autograph a biscuit", dead=(0,))
    assert not best(code, channel).startswith("a.py")


def test_it_is_silent_without_vectors_and_for_words_that_nobody_knows(table: StaticTable) -> None:
    code = index_of(FILES)
    for corpus in (corpus_of(code, None), corpus_of(code, None, vectors=lambda: None)):
        assert dense.retrieve(Request(corpus, candidates(code, "file"), understand("cookie")), []) is None
    assert found(table, "zebra quagga") is None
    assert found(table, "cookie", dead=(0, 1, 2)) is None


def test_exemplars_speak_for_what_the_query_does_not_say(table: StaticTable) -> None:
    code = index_of(FILES)

    def channel(exemplars: tuple[str, ...], *, only: bool = False) -> Channel | None:
        corpus = corpus_of(code, None, vectors=lambda: vectors_of(table))
        query = with_exemplars(understand("where is the route of a request"), exemplars, only=only)
        return dense.retrieve(Request(corpus, candidates(code, "function"), query), [])

    exemplar = ("def parse(header):\n    return header",)
    assert best(code, channel(())) == "a.py:route"
    assert best(code, channel(exemplar, only=True)) == "c.py:parse"
    plain, augmented = channel(()), channel(exemplar)
    assert plain is not None and augmented is not None
    parse = [code.symbol(int(unit)) for unit in candidates(code, "function").units].index("parse")
    assert augmented.scores[parse] > plain.scores[parse]
