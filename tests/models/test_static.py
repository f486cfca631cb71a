"""The static table: sums of pieces, whatever the words are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import calls_of
from tests.models.made_models import VOCABULARY, WIDTH, make_tokenizer, table
from trackdown.errors import ModelError
from trackdown.models.registry import Models
from trackdown.models.static import StaticTable, open_static, quantised
from trackdown.models.wordpiece import WordPieces, read_word_pieces

WORDS = ["parse", "parseDate", "HTTP_date", "reads", "", "___", "語", "\ud800", "x" * 1000, "Größe", "row2"]


@pytest.fixture
def static(tiny: Models) -> StaticTable:
    assert tiny.static is not None
    return tiny.static


def test_a_word_is_the_sum_of_its_pieces(static: StaticTable) -> None:
    rows = table()
    got = static.words(["parse", "parseDate", "dates"])
    split = [["parse"], ["parse", "date"], ["date", "##s"]]
    wanted = np.array([sum(rows[VOCABULARY[piece]] for piece in pieces) for pieces in split])
    assert np.abs(got - wanted).max() < 0.05
    assert got.dtype == np.float32
    assert static.dimensions == WIDTH


def test_a_word_has_the_same_vector_in_any_company(static: StaticTable) -> None:
    together = static.words(WORDS)
    for word, vector in zip(WORDS, together, strict=True):
        assert np.array_equal(static.words([word])[0], vector)
    many = static.words(WORDS * 2000)
    assert np.array_equal(many, np.tile(together, (2000, 1)))
    assert [bool(vector.any()) for vector in together] == [True] * 4 + [False, False, True, False, False, True, True]


def test_no_words_are_no_rows(static: StaticTable) -> None:
    assert static.words([]).shape == (0, WIDTH)
    assert static.words([""]).tolist() == [[0.0] * WIDTH]


def test_a_text_has_length_one_and_counts_repetition_by_its_logarithm(static: StaticTable) -> None:
    once, thrice = static.words(["parse", "date"]), static.text("parse Parse, date PARSE")
    wanted = once[0] * (1 + np.log(3)) + once[1]
    assert np.linalg.norm(thrice) == pytest.approx(1, abs=1e-5)
    assert np.allclose(thrice, wanted / np.linalg.norm(wanted), atol=1e-5)


@given(st.text())
def test_any_text_has_a_vector(text: str) -> None:
    static = StaticTable("tiny", quantised(table()), WordPieces(VOCABULARY))
    vector = static.text(text)
    assert vector.shape == (WIDTH,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4) or not vector.any()


def test_rows_survive_quantisation() -> None:
    rows = np.vstack([table(), np.zeros((1, WIDTH), np.float32), np.full((1, WIDTH), 1e-6, np.float32)])
    small = quantised(rows)
    back = small["values"] * small["scale"][:, None]
    assert np.all(np.abs(back - rows).max(axis=1) <= np.abs(rows).max(axis=1) / 254 + 1e-12)


@pytest.mark.parametrize("content", [b"", b"not an array", b"\x93NUMPY"])
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, content: bytes) -> None:
    make_tokenizer(tmp_path / "tokenizer.json")
    (tmp_path / "static.npy").write_bytes(content)
    with pytest.raises(ModelError, match=r"static\.npy is not a static table"):
        open_static(tmp_path / "static.npy", read_word_pieces(tmp_path / "tokenizer.json"), "x")


def test_an_array_of_another_kind_or_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "static.npy"
    for array in (table(), np.zeros(3), np.array([{}], dtype=object), quantised(table())[:5], quantised(table())[None]):
        np.save(path, array, allow_pickle=True)
        with pytest.raises(ModelError, match=r"static\.npy"):
            open_static(path, WordPieces(VOCABULARY), "x")


def test_the_packaged_table_costs_a_few_calls_a_word(packaged: Models) -> None:
    assert packaged.static is not None
    words = [
        f"{first}{second}{number}" for first in "parse read".split() for second in VOCABULARY for number in range(60)
    ]
    static = packaged.static
    assert calls_of(lambda: static.words(words)) < 40 * len(words)
    vectors = static.words(words)
    assert vectors.any(axis=1).mean() > 0.9
    query = "search fails when the repository has a detached head and the date cannot be parsed " * 5
    assert calls_of(lambda: static.text(query)) < 20 * len(query.split())
