"""Batches are framed as the tokenizer itself frames texts and pairs. Needs the extra `train`."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from tests.lab.train.made_packs import make_pack, make_tokenizer
from trackdown.lab.train.batches import Data, Ragged, pair, single, thinned

TEXTS = ["make the red better", "", "bee", "sugar and honey again and again", "def leaf return"]


@pytest.fixture
def texts() -> Ragged:
    ids = [found.ids for found in make_tokenizer().encode_batch(TEXTS, add_special_tokens=False)]
    starts = np.cumsum([0, *map(len, ids)])
    return Ragged.of(np.concatenate(ids), starts, "cpu")


def test_single_texts(texts: Ragged) -> None:
    tokenizer = make_tokenizer()
    tokenizer.enable_padding(length=8)
    tokenizer.enable_truncation(8)
    wanted = tokenizer.encode_batch(TEXTS)
    ids, mask = single(texts, torch.arange(len(TEXTS)), 6)
    assert ids.tolist() == [found.ids for found in wanted]
    assert mask.long().tolist() == [found.attention_mask for found in wanted]


@pytest.mark.parametrize("longest", [20, 9])
def test_pairs_of_which_the_second_is_cut(texts: Ragged, longest: int) -> None:
    tokenizer = make_tokenizer()
    tokenizer.enable_padding(length=longest)
    tokenizer.enable_truncation(longest, strategy="only_second")
    rows = [(0, 3), (0, 1), (2, 4), (4, 0)]
    wanted = tokenizer.encode_batch([(TEXTS[one], TEXTS[other]) for one, other in rows])
    first, second = torch.tensor(rows).T
    ids, mask, types = pair(texts, first, texts, second, 6, longest)
    assert ids.tolist() == [found.ids for found in wanted]
    assert mask.long().tolist() == [found.attention_mask for found in wanted]
    assert types.tolist() == [found.type_ids for found in wanted]


def test_a_long_query_leaves_room_for_what_answers_it(texts: Ragged) -> None:
    one = torch.tensor([3])
    ids, mask, types = pair(texts, one, texts, one, 2, 8)
    known = make_tokenizer().encode(TEXTS[3], add_special_tokens=False).ids
    assert ids.tolist() == [[101, *known[:2], 102, *known[:3], 102]] and bool(mask.all())
    assert types.tolist() == [[0, 0, 0, 0, 1, 1, 1, 1]]


def test_rows_picks_and_forms() -> None:
    data = Data(make_pack(), "cpu")
    chance = torch.Generator().manual_seed(0)
    rows = torch.arange(data.pack.examples)
    assert torch.equal(data.answers.pick(rows, chance), torch.from_numpy(data.pack.answer.astype(np.int64)))
    empty = Ragged.of(np.zeros(0, np.int64), np.zeros(4, np.int64), "cpu")
    assert empty.pick(rows[:3], chance).tolist() == [0, 0, 0], "0 where there is nothing to pick"
    asked = torch.ones(4, dtype=torch.bool)
    assert data.form(rows[:4], asked).tolist() == [0, 3, 4, 7] and data.form(rows[:4], ~asked).tolist() == [0, 2, 4, 6]
    keys = data.answer_keys(rows[:1])
    assert keys[0, 0] == data.key[data.pack.answer[0]] and keys[0, 1:].tolist() == [-1] * 7


def test_tokens_that_are_left_out_leave_no_gap(texts: Ragged) -> None:
    ids, mask = texts.rows(torch.tensor([3, 1, 0]), 6)
    chance = torch.Generator().manual_seed(0)
    left = [thinned(ids, mask, 0.3, chance) for _ in range(200)]
    for values, kept in left:
        for row in range(3):
            found = values[row][kept[row]].tolist()
            rest = iter(ids[row][mask[row]].tolist())
            assert all(one in rest for one in found), "in their order"
            assert kept[row].tolist() == sorted(kept[row].tolist(), reverse=True) and not values[row][~kept[row]].any()
    share = sum(int(kept.sum()) for _, kept in left) / (200 * int(mask.sum()))
    assert 0.65 < share < 0.75
    values, kept = thinned(ids, mask, 0.0, chance)
    assert torch.equal(values, ids) and torch.equal(kept, mask)
    framed, _ = single(texts, torch.tensor([3]), 6, lambda ids, mask: thinned(ids, mask, 1.0, chance))
    assert framed[0, :2].tolist() == [101, 102], "nothing is left between the frame"
