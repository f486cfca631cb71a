"""The deep index: complete or not there, never computed twice, and in the store only as long as its texts are."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from trackdown.engine.indexing import deep_index
from trackdown.engine.indexing.housekeeping import collect
from trackdown.errors import ModelError, StoreBusy
from trackdown.index import segment_of_deep_vectors
from trackdown.pipeline import SearchPlan, Stopwatch
from trackdown.pipeline.completing import with_deep_completed
from trackdown.rerank import VECTORS, RerankPlan
from trackdown.rerank.cache import TOKENS
from trackdown.settings import Settings
from trackdown.store.ownership import DATABASE
from trackdown.types import DeepState, SearchResults

Open = Callable[..., trackdown.Repository]
CACHE = '''def evict(store):
    """Drop the entry that was used least recently."""
    store.pop(next(iter(store)))
'''
MAIL = '''def deliver(to, body):
    """Send a message over SMTP."""
    connect().sendmail(to, body)
'''
FILES = {"src/cache.py": CACHE, "src/mail.py": MAIL, "tests/test_cache.py": "def test_evict():\n    assert evict({})\n"}
OTHER_WORDS = "free memory by forgetting stale things"


@pytest.fixture
def open_with(settings: Settings, repo: Repo) -> Open:
    """Opens the repository with the packaged models, or with other settings."""
    return lambda **changes: trackdown.open(repo.root, settings=replace(settings, **{"models": "packaged", **changes}))


@pytest.fixture
def begun(repo: Repo) -> Repo:
    repo.commit("Begin", FILES)
    return repo


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_models(tmp_path_factory.mktemp("models")))


def signals(answer: SearchResults) -> set[str]:
    return {why.signal for result in answer for why in result.why}


def deep_of(opened: trackdown.Repository) -> DeepState:
    found = opened.status().deep
    assert found is not None
    return found


def vector_keys(opened: trackdown.Repository) -> set[str]:
    return set(opened.store.database.fact_keys(VECTORS))


def deep_files(opened: trackdown.Repository) -> list[str]:
    return [name for name in opened.store.array_names() if segment_of_deep_vectors(name) is not None]


def test_code_in_other_words_is_found_once_all_is_read(begun: Repo, open_with: Open) -> None:
    with open_with() as opened:
        before = opened.search(OTHER_WORDS, mode="deep")
        assert before.results == () and before.deep == DeepState(False, 0, 2)
        assert any("trackdown index --deep" in note for note in before.notes)
        status = opened.index(deep=True)
        assert status.deep == DeepState(True, 2, 2) and status.units == 3  # the test needs no vector
        answer = opened.search(OTHER_WORDS, mode="deep", k=1, explain=True)
        assert answer[0].symbol == "evict" and answer.deep == status.deep and answer.notes == ()
        assert "meaning" in answer[0].reason and answer[0].why[0].numbers["cosine"] > 0


def test_it_takes_part_where_models_read_and_no_mode_leaves_it_out(begun: Repo, open_with: Open) -> None:
    with open_with() as opened:
        shallow = opened.search("drop an entry")
        opened.index(deep=True)
        assert "deep" in signals(opened.search("drop an entry"))
        for options in ({"effort": "fast"}, {"rerank": False}, {"mode": "hybrid+shallow"}):
            assert "deep" not in opened.search("drop an entry", **options).timings_ms
        again = opened.search("drop an entry", mode="hybrid+shallow")
        assert [result.symbol for result in again] == [result.symbol for result in shallow]


def test_reranking_adds_the_tokens_that_the_deep_index_does_not_keep(begun: Repo, open_with: Open) -> None:
    with open_with() as opened:
        opened.index(deep=True)
        before = vector_keys(opened)
        opened.search("drop an entry", depth=10)
        read = set(opened.store.database.fact_keys(TOKENS))
        assert vector_keys(opened) == before < read and len(read - before) == 1  # that of the unit in tests


def test_a_changed_file_is_read_by_the_next_search(begun: Repo, open_with: Open) -> None:
    with open_with() as opened:
        opened.index(deep=True)
        begun.write("src/mail.py", MAIL + "\n\ndef sign(cookie):\n    return hmac(cookie)\n")
        opened.index()
        assert deep_of(opened) == DeepState(False, 1, 3)
        answer = opened.search("authenticate a token of the browser", mode="deep")
        assert answer.deep == DeepState(True, 3, 3) and answer[0].symbol == "sign"
        begun.write("src/mail.py", MAIL)
        opened.index()
        assert opened.search(OTHER_WORDS, mode="deep").deep == DeepState(True, 2, 2)


def test_an_incomplete_deep_index_changes_nothing(
    begun: Repo, open_with: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deep_index, "FEW", 0)  # too many changes for a search to read them by itself
    with open_with() as opened:
        opened.index(deep=True)
        begun.write("src/new.py", "def sign(cookie):\n    return hmac(cookie)\n")
        incomplete = opened.search("drop an entry", mode="hybrid+rerank")
        assert incomplete.deep == DeepState(False, 2, 3) and "deep" not in signals(incomplete)
        without = opened.search("drop an entry", mode="hybrid+rerank+shallow")
        assert [(one.symbol, one.score) for one in incomplete] == [(one.symbol, one.score) for one in without]
        opened.index(deep=True)
        assert "deep" in signals(opened.search("drop an entry", mode="hybrid+rerank"))


class Seconds:
    """A clock on which every look takes a second."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def left(self) -> float:
        self.seconds -= 1
        return self.seconds

    @contextmanager
    def paused(self) -> Iterator[None]:
        yield


def test_a_search_reads_what_is_missing_only_while_it_has_time(repo: Repo, open_with: Open, tiny: str) -> None:
    repo.commit("Begin", FILES)
    with open_with(models=tiny) as opened:
        opened.index(deep=True)
        repo.write("many.py", "\n\n".join(f"def f{number}(x):\n    return {number}\n" for number in range(60)))
        opened.index()
        assert deep_of(opened) == DeepState(False, 2, 62)
        answer = opened.search("drop an entry", mode="hybrid+deep+rerank", budget=0.001)
        assert answer.deep == DeepState(False, 2, 62)
        deep = opened.corpus().deep
        assert deep is not None and deep.complete(Seconds(6))
        state = deep.state_if_any()
        assert state is not None and 2 < state.units < 62 and deep.vectors() is None
        answer = opened.search("drop an entry", mode="hybrid+deep+rerank", budget=10_000)
        assert answer.deep == DeepState(True, 62, 62)
        deep = opened.corpus().deep
        assert deep is not None and not deep.complete(Seconds(6)), "nothing is missing"


def test_what_it_reads_takes_from_the_time_of_the_models(repo: Repo, open_with: Open, tiny: str) -> None:
    repo.commit("Begin", FILES)
    with open_with(models=tiny) as opened:
        opened.index(deep=True)
        repo.write("src/mail.py", MAIL + "\n\ndef sign(cookie):\n    return cookie\n")
        corpus = opened.corpus()
        plan = SearchPlan(judging=RerankPlan(encoder=10, budget_ms=9000.0), deep=True)
        left = with_deep_completed(corpus, plan, Stopwatch()).judging
        assert left is not None and left.budget_ms is not None and 0 < left.budget_ms < 9000
        assert with_deep_completed(corpus, plan, Stopwatch()) == plan


def test_an_interruption_keeps_what_is_done(repo: Repo, open_with: Open, tiny: str) -> None:
    repo.commit("Many", {"many.py": "\n\n".join(f"def f{number}(x):\n    return {number}\n" for number in range(80))})
    seen: list[int] = []

    def interrupt(step: str, done: int, total: int | None) -> None:
        if step == "deep":
            seen.append(done)
            if done >= 64:
                raise KeyboardInterrupt

    with open_with(models=tiny) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.index(deep=True, progress=interrupt)
        assert deep_of(opened) == DeepState(False, 64, 80)
        seen.clear()
        assert opened.index(deep=True, progress=lambda step, done, total: seen.append(done)).deep is not None
        assert deep_of(opened).ready and seen[-2:] == [0, 16], "only what was missing is read"


def test_nothing_of_a_segment_comes_back_that_is_gone_from_the_store(repo: Repo, open_with: Open, tiny: str) -> None:
    repo.commit("Many", {"many.py": "\n\n".join(f"def f{number}(x):\n    return {number}\n" for number in range(80))})
    with open_with(models=tiny) as opened:
        opened.index()

        def clear_meanwhile(step: str, done: int, total: int | None) -> None:
            if step == "deep" and done == 32:
                with open_with(models=tiny) as other:
                    other.clear()

        opened.index(deep=True, progress=clear_meanwhile)
        assert deep_files(opened) == [] and len(vector_keys(opened)) == 0


def test_a_killed_process_loses_only_the_last_few_units(repo: Repo, open_with: Open, tiny: str) -> None:
    repo.commit("Many", {"many.py": "\n\n".join(f"def f{number}(x):\n    return {number}\n" for number in range(80))})
    with open_with(models=tiny) as opened:
        opened.index()
        program = (
            "import os, signal, sys, trackdown\n"
            "from trackdown.settings import load_settings\n"
            "def kill(step, done, total):\n"
            "    if step == 'deep' and done >= 64: os.kill(os.getpid(), signal.SIGKILL)\n"
            "trackdown.open(sys.argv[1], settings=load_settings()).index(deep=True, progress=kill)\n"
        )
        variables = {"TRACKDOWN_STORE": str(opened.settings.store), "TRACKDOWN_MODELS": tiny}
        done = subprocess.run([sys.executable, "-c", program, repo.root], env=os.environ | variables, check=False)
        assert done.returncode == -signal.SIGKILL
        assert len(vector_keys(opened)) == 64 and 0 < deep_of(opened).units <= 64
        kept = vector_keys(opened)
        opened.index(deep=True)
        assert deep_of(opened).ready and vector_keys(opened) > kept


def test_damaged_vectors_are_made_again(begun: Repo, open_with: Open, tiny: str) -> None:
    with open_with(models=tiny) as opened:
        opened.index(deep=True)
        (name,) = deep_files(opened)
        path = opened.store.folder / "arrays" / f"{name}.arrays"
        content = bytearray(path.read_bytes())
        content[-200] ^= 255
        path.write_bytes(content)
        facts = vector_keys(opened)
    with open_with(models=tiny) as opened:
        assert deep_of(opened) == DeepState(False, 0, 2)
        assert any("damaged" in note for note in opened.index(deep=True).notes)
        assert deep_of(opened).ready and vector_keys(opened) == facts


def test_damaged_facts_are_computed_again(begun: Repo, open_with: Open, tiny: str) -> None:
    with open_with(models=tiny) as opened:
        opened.index(deep=True)
        facts = opened.store.database.read_facts(VECTORS, vector_keys(opened))
        (name,) = deep_files(opened)
        opened.store.delete_arrays(name)
        with closing(sqlite3.connect(opened.store.folder / DATABASE)) as database, database:
            database.execute("UPDATE facts SET value = zeroblob(length(value)) WHERE kind = ?", (VECTORS,))
    with open_with(models=tiny) as opened:
        assert opened.index(deep=True).deep == DeepState(True, 2, 2)
        assert opened.store.database.read_facts(VECTORS, facts) == facts


def test_another_model_has_its_own(begun: Repo, open_with: Open, tiny: str) -> None:
    with open_with() as opened:
        opened.index(deep=True)
    with open_with(models=tiny) as opened:
        assert deep_of(opened) == DeepState(False, 0, 2)
        assert opened.index(deep=True).deep == DeepState(True, 2, 2)
    with open_with() as opened:
        assert deep_of(opened).ready


def test_branches_worktrees_and_revisions_share_vectors(
    begun: Repo, open_with: Open, settings: Settings, tmp_path: Path, tiny: str
) -> None:
    with open_with(models=tiny) as opened:
        opened.index(deep=True)
        known = vector_keys(opened)
        begun.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
        (tmp_path / "other/src/new.py").write_text("def sign(cookie):\n    return cookie\n")
        with trackdown.open(tmp_path / "other", settings=replace(settings, models=tiny)) as other:
            assert other.index(deep=True).deep == DeepState(True, 3, 3)
            assert len(vector_keys(other) - known) == 1
        assert opened.index(at="HEAD", deep=True).deep == DeepState(True, 2, 2)
        assert len(vector_keys(opened) - known) == 1


def test_garbage_collection_keeps_what_an_index_uses(begun: Repo, open_with: Open, tiny: str) -> None:
    with open_with(models=tiny) as opened:
        opened.index(deep=True)
        used = vector_keys(opened)
        opened.search("drop an entry", depth=10)
        collect(opened.store)
        assert vector_keys(opened) == used and deep_of(opened).ready
        opened.clear()
        assert vector_keys(opened) == set() and deep_files(opened) == []


def test_what_is_ignored_later_leaves_no_vector(begun: Repo, open_with: Open, tiny: str) -> None:
    begun.write("notes.py", "def password():\n    return 'secret'\n")
    with open_with(models=tiny) as opened:
        assert opened.index(deep=True).deep == DeepState(True, 3, 3)
        every = vector_keys(opened)
        begun.write(".git/info/exclude", "notes.py\n")
        opened.index()
        assert len(every - vector_keys(opened)) == 1
        assert opened.index(deep=True).deep == DeepState(True, 2, 2) and vector_keys(opened) < every


def test_two_processes_never_compute_it_together(begun: Repo, open_with: Open, tiny: str) -> None:
    with open_with(models=tiny) as opened:
        opened.index()
        corpus = opened.corpus()
        with opened.store.writing(f"{opened.indexes.identity(corpus.snapshot.commit)}-deep") as held:
            assert held
            with pytest.raises(StoreBusy):
                opened.deepen(corpus, wait=False)
            waited: list[str] = []

            def give_up(step: str, done: int, total: int | None) -> None:
                waited.append(step)
                raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                opened.deepen(corpus, progress=give_up)
        assert waited == ["wait"] and opened.deepen(corpus, wait=False).ready


def test_without_an_encoder_it_says_so(begun: Repo, open_with: Open) -> None:
    with open_with(models="none") as opened:
        with pytest.raises(ModelError, match="no encoder"):
            opened.index(deep=True)
        assert opened.search("drop an entry").deep is None and opened.status().deep is None


def test_tests_alone_need_nothing(repo: Repo, open_with: Open, tiny: str) -> None:
    repo.commit("Begin", {"tests/test_a.py": "def test_it():\n    pass\n"})
    with open_with(models=tiny) as opened:
        assert opened.index(deep=True).deep == DeepState(True, 0, 0)
        answer: Any = opened.search("it", mode="hybrid+deep")
        assert answer.results and "deep" not in signals(answer)
