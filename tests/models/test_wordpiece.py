"""Word pieces by our loop are the word pieces of the tokenizers package."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.made_models import VOCABULARY, make_tokenizer, write_json
from trackdown.errors import ModelError
from trackdown.models import wordpiece
from trackdown.models.normalization import normalized
from trackdown.models.registry import Models
from trackdown.models.tokenizer import TextTokenizer
from trackdown.models.wordpiece import WordPieces, read_word_pieces


@pytest.fixture(scope="session")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> TextTokenizer:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    make_tokenizer(path)
    return TextTokenizer(path)


def test_the_longest_piece_wins() -> None:
    pieces = WordPieces({"re": 0, "read": 1, "##ing": 2, "##s": 3, "##i": 4, "##n": 5, "##g": 6})
    assert pieces.of_text("readings") == [1, 2, 3]
    assert pieces.of_text("re_reading") == [0, 1, 2]


def test_what_cannot_be_spelt_has_no_pieces() -> None:
    pieces = WordPieces({"a": 0, "##b": 1})
    assert pieces.of_text("ab abc z ''") == [0, 1]
    assert WordPieces({}).of_text("anything") == []


@given(st.text(alphabet=st.sampled_from("abz09_ éßøİ語가Ω²\u0301\u00ad-A"), max_size=30) | st.text(max_size=30))
def test_it_cuts_as_the_tokenizers_package_does(theirs: TextTokenizer, text: str) -> None:
    unknown = VOCABULARY["[UNK]"]
    wanted = [token for token in theirs.ids(normalized(text), 1000) if token != unknown]
    assert WordPieces(VOCABULARY).of_text(text) == wanted


def test_the_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "_CACHE_SIZE", 3)
    pieces = WordPieces(VOCABULARY)
    first = [pieces.of_text(word) for word in ("parse", "date", "row", "read", "parse")]
    assert first == [WordPieces(VOCABULARY).of_text(word) for word in ("parse", "date", "row", "read", "parse")]
    assert len(pieces._known) <= 3


def test_a_tokenizer_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    others: list[object] = [{"model": {"type": "BPE", "continuing_subword_prefix": "##"}}, {}, [], {"model": 3}]
    for content in others:
        write_json(path, content)
        with pytest.raises(ModelError, match=r"tokenizer\.json"):
            read_word_pieces(path)
    path.write_bytes(b"\xff\x00")
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        read_word_pieces(path)
    with pytest.raises(ModelError, match=r"none\.json"):
        read_word_pieces(tmp_path / "none.json")


def test_the_packaged_vocabulary_is_cut_alike(packaged: Models) -> None:
    role = packaged.manifest.roles["static"]
    path = packaged.folder / role.tokenizer
    pieces, tokens = read_word_pieces(path), TextTokenizer(path)
    (unknown,) = tokens.ids("\U0001f47e", 1)
    for text in (Path(__file__).read_text("utf-8"), "Größe naïve 日本語 ²³ İstanbul ΑΒΓ", "supercalifragilistic"):
        theirs = [token for token in tokens.ids(normalized(text), 10_000) if token != unknown]
        assert pieces.of_text(text) == theirs
