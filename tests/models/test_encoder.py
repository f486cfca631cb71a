"""The encoder: one vector for each text, in order, whatever the texts are and however they are batched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

from tests.models.faults import FailingRuntime, want_of_memory
from tests.models.made_models import LONGEST, VOCABULARY, WIDTH, table
from trackdown.errors import ModelError
from trackdown.models.encoder import Encoder
from trackdown.models.registry import Models, open_models

TEXTS = ["parse date", "", "read " * 100, "\ud800", "語", "row", " \n", "query index search", "\x00", "a b c d e f g"]


@pytest.fixture
def encoder(tiny: Models) -> Encoder:
    assert tiny.encoder is not None
    return tiny.encoder


def test_a_vector_is_what_the_graph_says_of_the_text(encoder: Encoder) -> None:
    rows = table()
    wanted = rows[[VOCABULARY[piece] for piece in ("[CLS]", "parse", "date", "[SEP]")]].mean(axis=0)
    (got,) = encoder.encode(["parse date"])
    assert np.allclose(got, wanted / np.linalg.norm(wanted), atol=1e-6)
    assert encoder.dimensions == WIDTH
    assert encoder.longest == LONGEST


def test_padding_and_company_change_nothing(encoder: Encoder) -> None:
    together = encoder.encode(TEXTS * 50)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert together.shape == (500, WIDTH)
    assert together.dtype == np.float32
    assert np.allclose(together, np.tile(alone, (50, 1)), atol=1e-6)
    assert np.array_equal(encoder.encode(TEXTS * 50), together)


def test_texts_without_a_word_are_zero_and_others_have_length_one(encoder: Encoder) -> None:
    lengths = np.linalg.norm(encoder.encode(TEXTS), axis=1)
    empty = [not text.strip(" \n\x00") for text in TEXTS]
    assert np.allclose(lengths, np.where(empty, 0, 1), atol=1e-5)
    assert encoder.encode([]).shape == (0, WIDTH)
    assert not encoder.encode(["", " "]).any()


def test_a_text_is_cut_to_the_limit_with_its_special_tokens(encoder: Encoder, tiny: Models) -> None:
    watched = _watch(tiny, most_rows=99)
    long = "read " * 100
    assert np.allclose(encoder.encode([long]), encoder.encode(["read " * (LONGEST - 2)]))
    encoder.encode([long], longest=6)
    encoder.encode([long], longest=1000)
    encoder.encode([long], longest=1)
    assert [length for _, length in watched.shapes] == [LONGEST, LONGEST, 6, LONGEST, 3]


def test_want_of_memory_halves_the_batch(encoder: Encoder, tiny: Models) -> None:
    wanted = encoder.encode(TEXTS * 50)
    watched = _watch(tiny, most_rows=5)
    assert np.allclose(encoder.encode(TEXTS * 50), wanted, atol=1e-6)
    failed = [rows for rows, _ in watched.shapes if rows > 5]
    assert failed == sorted(failed, reverse=True)
    assert len(failed) < 10


@pytest.mark.parametrize("error", [MemoryError, want_of_memory])
def test_no_memory_for_one_text_is_an_error(encoder: Encoder, tiny: Models, error: Callable[[], BaseException]) -> None:
    _watch(tiny, most_rows=0, error=error)
    with pytest.raises(ModelError, match="not enough memory to run the model"):
        encoder.encode(TEXTS)


def test_a_graph_that_cannot_be_run_is_an_error(encoder: Encoder, tiny: Models) -> None:
    _watch(tiny, most_rows=0, error=lambda: InvalidArgument("wrong shape\nand more"))
    with pytest.raises(ModelError, match=r"encoder\.onnx cannot be run \(wrong shape\)"):
        encoder.encode(TEXTS)


def test_threads_change_no_vector(folder: Path, encoder: Encoder) -> None:
    for threads in (0, 2):
        other = open_models(folder, threads).encoder
        assert other is not None
        assert np.allclose(other.encode(TEXTS), encoder.encode(TEXTS), atol=1e-6)


def test_the_packaged_encoder_knows_what_is_alike(packaged: Models) -> None:
    encoder = packaged.encoder
    assert encoder is not None
    texts = ["how to parse an http date", "parse http date : def parse date value", "bake a cake with eggs", ""]
    vectors = encoder.encode(texts)
    assert vectors.shape == (4, encoder.dimensions)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert not vectors[3].any()
    assert np.allclose(vectors[:3], np.concatenate([encoder.encode([text]) for text in texts[:3]]), atol=1e-3)
    assert np.allclose(np.linalg.norm(encoder.encode(["word " * 5000]), axis=1), 1, atol=1e-4)


def _watch(models: Models, most_rows: int, error: Callable[[], BaseException] = want_of_memory) -> FailingRuntime:
    session = models.session("encoder")
    watched = session.runtime = FailingRuntime(session.runtime, most_rows, error)
    return watched


def test_apart_no_text_depends_on_its_company_or_on_threads(packaged: Models) -> None:
    several = open_models(threads=3)
    assert packaged.encoder is not None and packaged.cross_encoder is not None
    assert several.encoder is not None and several.cross_encoder is not None
    texts = ["parse the date of a row", "where is the session cookie signed", "read", "index " * 60, ""]
    alone = np.concatenate([packaged.encoder.encode([text]) for text in texts])
    assert np.array_equal(several.encoder.encode(texts, apart=True), alone)
    assert not np.array_equal(several.encoder.encode(texts), alone)  # int8: a batch shares its scales
    judged = np.concatenate([packaged.cross_encoder.score("parse a date", [text]) for text in texts])
    assert np.array_equal(several.cross_encoder.score("parse a date", texts, apart=True), judged)
