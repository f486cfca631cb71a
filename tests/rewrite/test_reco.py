"""The walk over units: nothing is asked twice, what is done is kept, and one failure costs one unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.rewrite.scribe import Scribe
from trackdown.engine.llm.rewrite_units import RewriteReport, rewrite_snapshot, take_rewrites
from trackdown.errors import UsageError
from trackdown.index.rewrite_facts import read_rewrites, rewriters, rewritten_numbers, text_digest
from trackdown.models.llm.code_generation import CodeExample
from trackdown.models.llm.prompt import Completion, Prompt
from trackdown.rewrite.reco import BATCH, rewriter_of
from trackdown.settings import Settings
from trackdown.store.store import Store

Opener = Callable[[Path | str], trackdown.Repository]
SIGN = "def sign(cookie):\n    return cookie"
FILES = {
    "src/a.py": f"{SIGN}\n\n\ndef load(key):\n    return store(key)\n",
    "src/b.py": "class Session:\n    def parse(self, header):\n        return header\n",
}
MANY = {f"src/f{n:02}.py": f"def get{n}(value):\n    return {n}\n" for n in range(2 * BATCH + 3)}


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    found = Store(settings.store)
    yield found
    found.close()


@pytest.fixture
def opened(repo: Repo, open_repo: Opener) -> Iterator[trackdown.Repository]:
    with open_repo(repo.root) as found:
        yield found


def run(
    opened: trackdown.Repository,
    store: Store,
    scribe: Scribe,
    times: int = 1,
    limit: int | None = None,
    *,
    tokens: int = 10**9,
    dry_run: bool = False,
    pairs: tuple[CodeExample, ...] = (),
) -> RewriteReport:
    client = scribe.client(store, tokens, dry_run=dry_run)
    return rewrite_snapshot(opened.corpus(), client, times=times, limit=limit, pairs=pairs)


def test_a_unit_becomes_a_sentence_and_code_again(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", FILES)
    scribe = Scribe()
    found = run(opened, store, scribe)
    outcome = found.outcome
    assert (outcome.wanted, outcome.had, outcome.made, outcome.failed, outcome.left) == (3, 0, 3, 0, 0)
    assert found.model == "scribe" and not found.notes and not outcome.unanswered
    asked = [prompt.user.split("\n")[0] for prompt in scribe.asked]
    assert asked[:3] == ["Code:"] * 3 and asked[3] == "Description: It does sign for its caller."
    digest = text_digest(SIGN)
    kept = read_rewrites(store, rewriter_of(scribe.client(store)), [(digest, 0)])[digest, 0]
    assert kept.summary == "It does sign for its caller."
    assert kept.code == "def quagga_helper(quagga):\n    quagga_sign = sign(quagga)\n    return quagga"


def test_nothing_is_asked_twice_and_an_edit_costs_its_units(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    repo.commit("Begin", FILES)
    scribe = Scribe()
    run(opened, store, scribe)
    before = len(scribe.asked)
    assert run(opened, store, scribe).outcome.had == 3 and len(scribe.asked) == before
    repo.write("src/a.py", f"{SIGN}\n\n\ndef save(key):\n    return keep(key)\n")
    repo.write("src/moved.py", FILES["src/b.py"])
    outcome = run(opened, store, scribe).outcome
    assert (outcome.wanted, outcome.had, outcome.made) == (3, 2, 1), "a copy has the text of another unit"
    assert len(scribe.asked) == before + 2 and "save" in scribe.asked[-2].user


def test_a_limit_is_a_number_of_rewrites_and_the_next_run_goes_on(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    repo.commit("Begin", MANY)
    scribe = Scribe()
    first = run(opened, store, scribe, limit=BATCH + 2).outcome
    assert (first.made, first.left, first.unanswered) == (BATCH + 2, BATCH + 1, 0)
    second = run(opened, store, scribe).outcome
    assert (second.had, second.made, second.left) == (BATCH + 2, BATCH + 1, 0)
    assert len(scribe.asked) == 2 * len(MANY)


def test_an_interruption_loses_no_more_than_the_batch_under_way(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    repo.commit("Begin", MANY)
    scribe = Scribe()

    class Interrupted(Scribe):
        def answer(self, prompt: Prompt) -> Completion:
            if len(self.asked) == 3 * BATCH + 2:  # in the midst of the second batch
                raise KeyboardInterrupt
            return super().answer(prompt)

    with pytest.raises(KeyboardInterrupt):
        run(opened, store, Interrupted())
    having = rewritten_numbers(store, rewriter_of(scribe.client(store)))
    assert len(having) == BATCH
    outcome = run(opened, store, scribe).outcome
    assert (outcome.had, outcome.made) == (BATCH, BATCH + 3)
    assert len(scribe.asked) == 2 * (BATCH + 3) - BATCH - 2, "answers that had come by then are kept, too"


def test_several_times(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", FILES)
    scribe = Scribe()
    assert run(opened, store, scribe).outcome.made == 3
    outcome = run(opened, store, scribe, times=3).outcome
    assert (outcome.wanted, outcome.had, outcome.made) == (9, 3, 6)
    having = rewritten_numbers(store, rewriter_of(scribe.client(store)))
    assert set(having.values()) == {(0, 1, 2)}
    assert {prompt.temperature for prompt in scribe.asked} == {0.0, 1.0}


def test_what_has_no_answer_costs_only_itself(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", MANY)
    scribe = Scribe()
    scribe.fails = ("get3(",)
    outcome = run(opened, store, scribe)
    assert (outcome.outcome.made, outcome.outcome.failed, outcome.outcome.unanswered) == (len(MANY) - 1, 0, 1)
    assert any("no answer" in note for note in outcome.notes)
    scribe.fails = ()
    assert run(opened, store, scribe).outcome.made == 1, "it is tried again"


def test_answers_of_no_use_are_failures(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", FILES)

    class Mute(Scribe):
        def answer(self, prompt: Prompt) -> Completion:
            return replace(super().answer(prompt), text="…")

    outcome = run(opened, store, Mute()).outcome
    assert (outcome.made, outcome.failed, outcome.left) == (0, 3, 0)
    assert run(opened, store, Mute()).outcome.failed == 3, "nothing is kept of them"


def test_a_model_that_is_gone_ends_the_walk(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", MANY | {f"src/g{n:02}.py": f"def put{n}(value):\n    return {n}\n" for n in range(4 * BATCH)})
    scribe = Scribe()
    scribe.fails = ("put",)
    found = run(opened, store, scribe)
    outcome = found.outcome
    assert outcome.made + outcome.left == outcome.wanted == len(MANY) + 4 * BATCH
    assert 2 * BATCH <= outcome.made <= len(MANY) and outcome.left > outcome.unanswered >= 2 * BATCH
    assert len(scribe.asked) < 2 * len(MANY) + 2 * BATCH, "nobody goes on asking it"
    assert any("no answer" in note for note in found.notes)


def test_a_budget_ends_the_walk_and_what_was_made_stays(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", MANY)
    scribe = Scribe()
    found = run(opened, store, scribe, tokens=1500)
    assert 0 < found.outcome.made < len(MANY) and found.outcome.unanswered
    assert any("budget of 1,500 tokens" in note for note in found.notes)
    made = found.outcome.made
    nothing = run(opened, store, Scribe(), tokens=0).outcome
    assert (nothing.made, nothing.had) == (0, made)
    assert run(opened, store, scribe).outcome.made == len(MANY) - made


def test_a_dry_run_counts_and_asks_nothing(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", FILES)
    scribe = Scribe()
    client = scribe.client(store, dry_run=True)
    found = rewrite_snapshot(opened.corpus(), client, times=2)
    assert found.dry_run and (found.outcome.made, found.outcome.left, found.outcome.wanted) == (0, 6, 6)
    assert not found.outcome.unanswered and not scribe.asked
    counted = {cost.stage: cost.calls for cost in client.counts}
    assert counted == {"summaries": 6, "rewrites": 6}
    run(opened, store, scribe)
    assert len(scribe.asked) == 6


def test_what_is_longer_than_the_context_is_cut_and_counted(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    long = "def long(value):\n" + "    value = compute(value)\n" * 800 + "    return value\n"
    repo.commit("Begin", {"src/long.py": long, **FILES})
    outcome = run(opened, store, Scribe(context=1024)).outcome
    assert (outcome.made, outcome.cut, outcome.failed) == (4, 1, 0)


def test_a_context_too_small_for_anything_says_so(repo: Repo, opened: trackdown.Repository, store: Store) -> None:
    repo.commit("Begin", FILES)
    found = run(opened, store, Scribe(context=100))
    assert found.outcome.made == 0 and any("too long for scribe" in note for note in found.notes)


def test_documented_functions_are_shown_and_given_pairs_in_their_place(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    documented = 'def turn(crank):\n    """Turn the crank of an engine."""\n    crank += 1\n    return crank\n'
    repo.commit("Begin", {"src/engine.py": documented, **FILES})
    scribe = Scribe()
    run(opened, store, scribe)
    shown = {example for prompt in scribe.asked for example in prompt.examples}
    own = [prompt for prompt in scribe.asked if "Turn the crank" in prompt.user or "does turn" in prompt.user]
    assert len(own) == 2 and not any(prompt.examples for prompt in own), "nothing is an example for itself"
    code = "def turn(crank):\n    crank += 1\n    return crank"
    assert shown == {
        (f"Code:\n{code}\nPurpose:", "Turn the crank of an engine."),
        ("Description: Turn the crank of an engine.\nCode:", code),
    }
    other = Scribe("other")
    run(opened, store, other, pairs=(CodeExample("wind it", "wind()"),))
    assert {example[1] for prompt in other.asked for example in prompt.examples} == {"wind it", "wind()"}


@pytest.mark.parametrize(("times", "limit"), [(0, None), (9, None), (1, 0), (1, -3)])
def test_numbers_that_make_no_sense(
    repo: Repo, opened: trackdown.Repository, store: Store, times: int, limit: int | None
) -> None:
    repo.commit("Begin", FILES)
    with pytest.raises(UsageError, match=r"\d"):
        run(opened, store, Scribe(), times, limit)


def test_without_a_language_model_it_says_how_to_name_one(repo: Repo, opened: trackdown.Repository) -> None:
    repo.commit("Begin", FILES)
    with pytest.raises(UsageError, match="--llm"):
        opened.rewrite()


def test_rewrites_made_elsewhere_stand_for_the_main_unit(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    repo.commit("Begin", FILES)
    made = {"src/a.py": [("Signs.", "def wafer(): pass")], "src/none.py": [("", "def lost(): pass")]}
    rewriter = take_rewrites(opened.corpus(), "elsewhere", made)
    assert rewritten_numbers(store, rewriter) == {text_digest(SIGN): (0,)}
    assert rewriters(store) == {rewriter: "elsewhere"}
    assert take_rewrites(opened.corpus(), "elsewhere", made) == rewriter
    changed = {**made, "src/a.py": [("Signs.", "def biscuit(): pass")]}
    assert take_rewrites(opened.corpus(), "elsewhere", changed) != rewriter, "other texts are another rewriter"


def test_a_file_that_changes_under_our_hands_is_left_for_the_next_run(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    repo.commit("Begin", FILES)
    scribe = Scribe()
    prepared = opened.corpus()
    repo.write("src/a.py", "def other():\n    pass\n")
    outcome = rewrite_snapshot(prepared, scribe.client(store)).outcome
    assert (outcome.wanted, outcome.made) == (1, 1), "what cannot be read has no text that could be asked about"
    assert run(opened, store, scribe).outcome.wanted == 2


def test_other_given_pairs_or_another_context_is_another_rewriter(
    repo: Repo, opened: trackdown.Repository, store: Store
) -> None:
    repo.commit("Begin", FILES)
    scribe, pairs = Scribe(), (CodeExample("Add two numbers", "def add(a, b): ..."),)
    client = scribe.client(store)
    others = [
        rewriter_of(client),
        rewriter_of(client, pairs),
        rewriter_of(client, (CodeExample("Add", pairs[0].code),)),
        rewriter_of(Scribe(context=2048).client(store)),
    ]
    assert len(set(others)) == 4
    assert run(opened, store, scribe).outcome.made == 3
    assert run(opened, store, scribe, pairs=pairs).outcome.had == 0
    assert run(opened, store, scribe, pairs=pairs).outcome.had == 3
    assert sorted(rewriters(store).values()) == ["scribe", "scribe with given examples"]
    repo.commit("Document", {"src/c.py": 'def third(x):\n    """Say which number comes third here."""\n    return x\n'})
    assert run(opened, store, scribe).outcome.had == 3, "pairs that an edit adds rewrite nothing anew"
