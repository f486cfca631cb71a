"""Fusion fitted to a repository's own past: used only where it won, and judged by what is newer than what it saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.lab.made_tasks import grown_repository
from tests.lab.train.made_examples import SIGNALS, made_repository
from tests.lab.train.made_history import TOPICS, misleading_history
from trackdown.engine.repository_weights import RepositoryWeights, WeightsRecord, WeightsScore, default_digest
from trackdown.errors import EmptyRepository, UsageError
from trackdown.fuse.learned import LearnedFusion, WeightTable, encode_fusions, load_learned
from trackdown.lab.cases import Case
from trackdown.lab.train.repository_weights import (
    FEWEST_CASES,
    OLDER,
    default_table,
    fit_weights,
    judge_weights,
    split_by_time,
)
from trackdown.settings import Settings


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Without models: what channels find by words is fitted here."""
    return replace(settings, models="none")


def cases(count: int) -> list[Case]:
    return [Case(f"case{number}", "query", ("a.py",), commit=f"{number:040x}") for number in range(count)]


def test_the_newer_cases_judge() -> None:
    made = cases(50)
    times = {case.commit: 1000 + 7 * number for number, case in enumerate(made)}
    older, newer = split_by_time(list(reversed(made)), times)
    assert (len(older), len(newer)) == (round(OLDER * 50), 50 - round(OLDER * 50))
    assert max(times[case.commit] for case in older) < min(times[case.commit] for case in newer)


def test_commits_of_one_second_stay_together_so_that_nothing_leaks() -> None:
    made = cases(20)
    times = {case.commit: 1000 if number < 8 else 2000 for number, case in enumerate(made)}
    older, newer = split_by_time(made, times)
    assert {case.id for case in older} == {f"case{number}" for number in range(8)} and len(newer) == 12
    assert split_by_time(made, dict.fromkeys(times, 5)) == ([], sorted(made, key=lambda case: case.id))
    assert split_by_time([], {}) == ([], [])


def test_a_signal_that_knows_this_repository_wins(settings: Settings) -> None:
    past, recent = made_repository(1, "commits", 60), made_repository(2, "commits", 40)
    judged = judge_weights("function", past, recent, settings)
    assert judged is not None
    score, fusion = judged
    assert score.won and score.after > score.before + 0.2 and score.chance < 0.05 and score.cases == 40
    assert fusion.tables[0].needs == ("commits",)


def test_noise_does_not_win(settings: Settings) -> None:
    won = 0
    for seed in range(10):
        past = made_repository(seed, "commits", 40, sure=0.0)
        recent = made_repository(100 + seed, "commits", 30, sure=0.0)
        judged = judge_weights("function", past, recent, settings)
        assert judged is not None
        won += judged[0].won
    assert won <= 1, "one in twenty may by chance"


def test_what_was_true_of_the_past_only_does_not_win(settings: Settings) -> None:
    judged = judge_weights("function", made_repository(1, "commits", 60), made_repository(2, "lexical", 40), settings)
    assert judged is not None and not judged[0].won


def test_without_anything_to_fit_or_to_judge_there_is_no_score(settings: Settings) -> None:
    made = made_repository(1, "commits", 10)
    lost = [replace(example, gold=()) for example in made]
    assert judge_weights("function", [], made, settings) is None
    assert judge_weights("function", made, [], settings) is None
    assert judge_weights("function", lost, made, settings) is None


def test_the_default_is_what_a_search_does(settings: Settings) -> None:
    assert default_table("file", SIGNALS, replace(settings, fusion="weighted")).values["lexical.scaled"] == 1.0
    assert default_table("file", SIGNALS, replace(settings, fusion="rrf")).values["commits.rank60"] == 0.5
    learned = load_learned("file")
    found = default_table("file", SIGNALS, replace(settings, fusion="learned"))
    assert learned is None or found in learned.tables


def test_a_repository_whose_commits_know_the_way_learns_it(repo: Repo, settings: Settings) -> None:
    misleading_history(repo, 8)
    plain = replace(settings, fusion="weighted")
    dry = fit_weights(str(repo.root), plain, count_only=True)
    assert dry.enough and dry.fitted + dry.judged == dry.cases == 8 * TOPICS and not dry.scores
    with RepositoryWeights(repo.root, plain) as kept:
        assert kept.read() is None, "nothing is kept by a dry run"
    report = fit_weights(str(repo.root), plain)
    by_level = {score.level: score for score in report.scores}
    assert report.kept and by_level["file"].won and by_level["file"].after > by_level["file"].before + 0.2
    with RepositoryWeights(repo.root, plain) as kept:
        record, fusion = kept.read(), kept.fusion("file")
        assert record is not None and record.repository == kept.repository and record.cases == dry.cases
        assert fusion is not None and fusion.level == "file"
        assert (kept.fusion("function") is not None) == by_level["function"].won
        assert kept.forget() and not kept.forget()
        assert kept.read() is None and kept.fusion("file") is None


def record(repository: str, won: bool, **changes: object) -> WeightsRecord:
    """A record of one level, which holds weights whether they won or not."""
    fusion = LearnedFusion("file", (WeightTable((), {"commits.scaled": 1.0}),))
    score = WeightsScore("file", 30, "MRR", 0.5, 0.6, 0.01, won)
    values = {
        "repository": repository,
        "date": "2024-01-01",
        "against": default_digest(),
        "models": (),
        "cases": 100,
        "scores": (score,),
        "fusions": encode_fusions([fusion] if won else []),
        **changes,
    }
    return WeightsRecord(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("won", "changes"),
    [
        (False, {}),
        (True, {"against": "another default"}),
        (True, {"models": ("another-model",)}),
        (True, {"fusions": "no weights"}),
    ],
)
def test_what_did_not_win_against_what_is_there_now_is_never_used(
    repo: Repo, settings: Settings, won: bool, changes: dict[str, object]
) -> None:
    repo.commit("Begin", {"a.py": "def f():\n    return 1\n"})
    with RepositoryWeights(repo.root, settings) as kept:
        kept.keep(record(kept.repository, True))
        assert kept.fusion("file") is not None and kept.fusion("function") is None
        kept.keep(record(kept.repository, won, **changes))
        assert kept.read() is not None and kept.fusion("file") is None


def test_a_damaged_record_is_none(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", {"a.py": "def f():\n    return 1\n"})
    with RepositoryWeights(repo.root, settings) as kept:
        kept._store.database.write_record("own-fusion", kept.repository, b"no record")
        assert kept.read() is None and kept.fusion("file") is None


def test_too_few_cases_are_told_with_how_many_are_needed(repo: Repo, settings: Settings) -> None:
    grown_repository(repo, 6)
    with pytest.raises(UsageError, match=f"needs {FEWEST_CASES}"):
        fit_weights(str(repo.root), settings)
    assert not fit_weights(str(repo.root), settings, count_only=True).enough


def test_a_plain_folder_and_a_repository_without_commits_have_no_past(
    tmp_path: Path, make_repo: Callable[[str], Repo], settings: Settings
) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="plain folder"):
        fit_weights(str(tmp_path / "plain"), settings)
    with pytest.raises(EmptyRepository):
        fit_weights(str(make_repo("empty").root), settings)


def test_searching_goes_on_as_before_without_a_record(repo: Repo, settings: Settings) -> None:
    repo.commit("Sign the cookie", {"a.py": "def sign_cookie(value):\n    return value\n"})
    with trackdown.open(repo.root, settings=settings) as opened:
        assert opened.search("sign the cookie")[0].symbol == "sign_cookie"
