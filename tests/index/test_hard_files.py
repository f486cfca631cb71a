"""Files that are too hard to parse: searched as text, and tried again another day if only a clock stopped parsing."""

from __future__ import annotations

import resource
import threading
import time

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.index.blob_facts import BLOBS, fact_maker, today
from trackdown.types import no_progress
from trackdown.units.facts import decode, final_key, provisional_key
from trackdown.units.worker import SECONDS_FOR_A_JOB

HANGING = "t[<n t'}:(r}c@s e; needle\n"
GOOD = "function good() { return 1 }\n"


def notes(repository: trackdown.Repository) -> tuple[str, ...]:
    return repository.search("needle", level="file", effort="fast").notes


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return float(used.ru_utime + used.ru_stime)


def lose_and_make_again(repository: trackdown.Repository) -> None:
    """Remove provisional facts, as a garbage collection might, and make them again as a search does."""
    corpus, store = repository.corpus(), repository.store
    key = corpus.code.fact_key(corpus.code.files_by_path["bad.js"])
    assert key == provisional_key(final_key(key), today())
    store.database.delete_facts(BLOBS, [key])
    made = fact_maker(store, corpus.snapshot, 1, no_progress)({"bad.js": key})
    assert decode(made[key]).as_text
    assert set(store.database.fact_keys(BLOBS)) == {corpus.code.fact_key(0), corpus.code.fact_key(1)}


def test_a_file_that_nests_too_deeply_is_found_by_its_words(repo: Repo) -> None:
    repo.write("deep.py", "".join(f"f{level}(" for level in range(1500)) + "\n# needle\n")
    repo.write("good.py", "def good():\n    return 1\n")
    with trackdown.open(repo.root) as repository:
        found = repository.search("needle", level="file", effort="fast")
        assert found.results[0].path == "deep.py" and not found.partial
        assert found.notes == ("deep.py is searched as plain text, because its brackets nest too deeply",)


@pytest.mark.slow
def test_a_file_that_a_clock_cut_short_is_tried_again_another_day(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("bad.js", HANGING)
    repo.write("good.js", GOOD)
    with trackdown.open(repo.root) as repository:
        answer = repository.search("needle", level="file", effort="fast")
        assert answer.results[0].path == "bad.js"
        assert answer.notes == ("bad.js is searched as plain text, because the parser could not finish it",)
        lose_and_make_again(repository)
    started = cpu()
    repo.write("good.js", GOOD + "// changed\n")
    with trackdown.open(repo.root) as repository:
        assert notes(repository) == answer.notes
    assert cpu() - started < SECONDS_FOR_A_JOB / 2  # today nobody tries again
    tomorrow = time.time() + 86400
    monkeypatch.setattr(time, "time", lambda: tomorrow)
    with trackdown.open(repo.root) as repository:
        assert notes(repository) == answer.notes
    assert cpu() - started >= SECONDS_FOR_A_JOB / 2


@pytest.mark.slow
def test_other_threads_go_on_while_a_hard_file_is_parsed(repo: Repo) -> None:
    repo.write("good.java", "class Good { int good() { return 1; } }\n")
    with trackdown.open(repo.root) as repository:
        assert not notes(repository)
        repo.write("Hard.java", "".join(f'"s{number}" ' for number in range(14_000)) + "needle\n")
        longest, done = 0.0, threading.Event()

        def tick() -> None:
            nonlocal longest
            while not done.is_set():
                started = time.monotonic()
                time.sleep(0.01)
                longest = max(longest, time.monotonic() - started)

        ticking = threading.Thread(target=tick)
        ticking.start()
        answer = repository.search("needle", level="file", effort="fast")
        done.set()
        ticking.join()
    assert answer.results[0].path == "Hard.java"
    assert longest < 0.7
