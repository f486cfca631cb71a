"""Texts become ids, whatever they hold, and no more of them than asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.growth import grows_at_most
from tests.models.made_models import VOCABULARY, make_tokenizer
from trackdown.errors import ModelError
from trackdown.models.tokenizer import TextTokenizer


@pytest.fixture
def tokens(tmp_path: Path) -> TextTokenizer:
    make_tokenizer(tmp_path / "tokenizer.json")
    return TextTokenizer(tmp_path / "tokenizer.json")


def test_special_tokens_are_known_and_not_among_the_ids(tokens: TextTokenizer) -> None:
    assert tokens.before == [VOCABULARY["[CLS]"]]
    assert tokens.after == [VOCABULARY["[SEP]"]]
    assert tokens.ids("parse date", 9) == [VOCABULARY["parse"], VOCABULARY["date"]]


def test_the_limits_of_the_file_do_not_count_but_ours_do(tokens: TextTokenizer) -> None:
    assert len(tokens.ids("parse " * 10, 100)) == 10
    assert len(tokens.ids("parse " * 10, 3)) == 3
    assert tokens.ids("", 3) == tokens.ids(" \n", 3) == []


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00", "\ufeff\u200b", "\U0010ffff", "e\u0301", "語語"])
def test_any_string_is_a_text(tokens: TextTokenizer, text: str) -> None:
    assert all(0 <= token < len(VOCABULARY) for token in tokens.ids(text, 50))


def test_a_huge_text_costs_no_more_than_what_is_read_of_it(tokens: TextTokenizer) -> None:
    long, huge = "parse date " * 30_000, "parse date " * 3_000_000
    assert grows_at_most(5, lambda text: tokens.ids(text, 320), long, huge)
    assert len(tokens.ids(huge, 320)) == 320


def test_what_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.json"):
        TextTokenizer(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}", "utf-8")
    with pytest.raises(ModelError, match=r"bad\.json"):
        TextTokenizer(tmp_path / "bad.json")
