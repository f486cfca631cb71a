"""Cases and training data whose queries a language model rewrote; where it fails, the subject stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.lab.mine.test_training import grown, rows
from tests.models.llm.made_llm import MadeLlm
from trackdown.errors import UsageError
from trackdown.lab.cases import read_cases, write_cases
from trackdown.lab.mine.dataset import build_from_git
from trackdown.lab.mine.issue_writer import LEAKS, NO_ANSWER, IssueWriter
from trackdown.lab.mine.training import MiningJob, MiningPlan, mine, mine_all
from trackdown.lab.repositories import MinedRepository
from trackdown.models.llm.prompt import Prompt

POOL = "class Pool:\n    def take(self):\n        return self.items.pop()\n"
ISSUES = {
    "Take the oldest": "Connections that were used last are handed out again first, and others time out.",
    "Close every": "Programs that end leave open_connections behind on the server.",
    "Begin": "Nothing holds connections open between requests.",
}


@pytest.fixture
def history(repo: Repo) -> Repo:
    """Three commits; the name `open_connections` is new in the last."""
    repo.commit("Begin with the pool of connections", {"pool.py": POOL})
    pool = POOL.replace("pop()", "pop(0)")
    repo.commit("Take the oldest connection first (#1)", {"pool.py": pool})
    repo.commit(
        "Close every connection of a pool", {"pool.py": pool + "\n    def close(self):\n        open_connections()\n"}
    )
    return repo


def model(answers: Mapping[str, str]) -> MadeLlm:
    """A model that knows an issue for the beginnings of some messages."""

    def says(prompt: Prompt) -> str | None:
        found = re.search(r"^BEGIN MESSAGE \w+\n(.*)$", prompt.user, re.MULTILINE)
        assert found is not None
        return next((issue for start, issue in answers.items() if found[1].startswith(start)), None)

    return MadeLlm(says)


def test_cases_get_the_issues_that_were_written(history: Repo, tmp_path: Path) -> None:
    writer = IssueWriter(model(ISSUES), most_leaked=1.0)
    found = build_from_git(history.root, query_from="rewritten", writer=writer)
    assert [case.query for case in found] == [ISSUES["Close every"], ISSUES["Take the oldest"]]
    assert {case.source for case in found} == {"rewritten"} and found.rewriting is writer.done
    plain = build_from_git(history.root)
    assert [(case.id, case.files, case.symbols) for case in found] == [
        (case.id, case.files, case.symbols) for case in plain
    ]
    assert plain.rewriting is None and found.dropped == plain.dropped
    write_cases(tmp_path / "cases.jsonl", found)
    assert read_cases(tmp_path / "cases.jsonl").cases == list(found)


def test_what_leaks_keeps_its_subject_and_its_source(history: Repo) -> None:
    writer = IssueWriter(model(ISSUES))
    found = build_from_git(history.root, query_from="rewritten", writer=writer)
    assert [(case.query, case.source) for case in found] == [
        ("Close every connection of a pool", "git"),
        (ISSUES["Take the oldest"], "rewritten"),
    ]
    assert writer.done.kept[LEAKS] == 1 and writer.done.asked_again == 1


def test_two_cases_never_ask_the_same(history: Repo) -> None:
    same = "Connections are handled in a strange order, sometimes twice."
    found = build_from_git(history.root, query_from="rewritten", writer=IssueWriter(MadeLlm(lambda _: same)))
    assert [case.query for case in found] == [same, "Take the oldest connection first"]


def test_writer_and_query_go_together(history: Repo) -> None:
    with pytest.raises(UsageError, match="language model"):
        build_from_git(history.root, query_from="rewritten")
    with pytest.raises(UsageError, match="language model"):
        build_from_git(history.root, writer=IssueWriter(model({})))


CARTS = {
    "Take first": "The cart hands out the ware that was put in last.",
    "Clear all": "An emptied cart still shows one ware to the customer.",
}


def test_examples_of_commits_are_rewritten(repo: Repo, tmp_path: Path) -> None:
    writer = IssueWriter(model(CARTS))
    found = mine(MiningJob(grown(repo), MiningPlan(tmp_path / "out", negatives=1)), writer=writer)
    examples = rows(tmp_path / "out" / "ada+repo.examples.parquet")
    by_kind = {(row["kind"], row["subject"]): row["rewritten"] for row in examples}
    assert by_kind["commit", "Clear all wares of the cart at once"] == CARTS["Clear all"]
    assert by_kind["commit", "Take first wares from the end"] == CARTS["Take first"]
    assert {row["rewritten"] for row in examples if row["kind"] == "docstring"} == {""}
    assert found.unanswered == 0 and found.examples["commit"] == 2


def test_finished_files_are_passed_over_and_unanswered_ones_are_not(repo: Repo, tmp_path: Path) -> None:
    job = MiningJob(grown(repo), MiningPlan(tmp_path / "out"))
    half = IssueWriter(model({"Clear all": CARTS["Clear all"]}))
    assert mine(job, writer=half).unanswered == 1 and half.done.kept[NO_ANSWER] == 1
    again = IssueWriter(model(CARTS))
    found = mine(job, writer=again)
    assert found.passed_over == [] and found.unanswered == 0 and again.done.rewritten == 2
    asker = model(CARTS)
    assert len(mine(job, writer=IssueWriter(asker)).passed_over) == 2 and not asker.asked
    asker.name = "another"
    assert mine(job, writer=IssueWriter(asker)).passed_over == [] and len(asker.asked) == 2
    assert mine(job).passed_over == [], "without a writer it is another file"


def test_several_with_one_writer_and_one_that_cannot_be(make_repo: Callable[[str], Repo], tmp_path: Path) -> None:
    places = [
        grown(make_repo("one")),
        MinedRepository(make_repo("empty").root, "ada", "empty"),
        grown(make_repo("two")),
    ]
    writer = IssueWriter(model(CARTS))
    heard: list[str] = []
    wanted = MiningPlan(tmp_path / "out")
    found = list(mine_all(places, wanted, 2, writer=writer, heard=lambda job, step, *_: heard.append(step)))
    assert [str(done.job.place) for done in found] == ["ada/one", "ada/empty", "ada/two"]
    assert found[1].result is None and "no commit yet" in found[1].problem
    assert writer.done.commits == 4 and "commits" in heard
