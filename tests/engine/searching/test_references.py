"""`#123` and commit ids: history lists the commits, and search takes their files as evidence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from trackdown.query import understand
from trackdown.types import Level

Opener = Callable[[Path | str], trackdown.Repository]


def code(name: str) -> str:
    return f"def {name}(value):\n    return value\n"


@pytest.fixture
def grown(repo: Repo) -> Repo:
    repo.commit("Begin", {f"{name}.py": code(name) for name in ("alpha", "beta", "gamma", "delta")})
    repo.commit("Let alpha wait (#123)", {"alpha.py": code("alpha") + "#\n"})
    repo.commit("Make beta quick\n\nFixes GH-123, see also #1234.", {"beta.py": code("beta") + "#\n"})
    repo.commit("Use 123 in gamma", {"gamma.py": code("gamma") + "#\n"})
    repo.commit("ABC-17: let delta wait", {"delta.py": code("delta") + "#\n"})
    return repo


def subjects(answer: trackdown.HistoryResults) -> list[str]:
    return [commit.subject for commit in answer]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("#123", ["Make beta quick", "Let alpha wait (#123)"]),
        ("GH-123", ["Make beta quick", "Let alpha wait (#123)"]),
        ("#1234", ["Make beta quick"]),
        ("ABC-17", ["ABC-17: let delta wait"]),
        ("#12", []),
        ("XYZ-17", ["ABC-17: let delta wait"]),  # no reference to it, but a word of it
    ],
)
def test_history_lists_the_commits_that_speak_of_a_number(
    grown: Repo, open_repo: Opener, query: str, expected: list[str]
) -> None:
    assert subjects(open_repo(grown.root).history(query)) == expected


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("#12", "no commit here mentions #12, so it is searched for as a word"),
        ("let alpha wait as in !45", "no commit here mentions !45, so it is searched for as a word"),
        ("XYZ-17", "no commit here mentions XYZ-17, so it is searched for as a word"),
        ("0123abcd", "0123abcd does not identify a commit here, so it is searched for as a word"),
        ("#123", ""),
        ("alpha of XYZ-17", ""),  # may be a word like any other
        ("alpha\n\nSee #12.", ""),  # an issue refers to much that no commit mentions
    ],
)
def test_a_reference_that_leads_nowhere_is_told(grown: Repo, open_repo: Opener, query: str, note: str) -> None:
    opened = open_repo(grown.root)
    expected = (note,) if note else ()
    assert opened.history(query).notes == expected
    assert opened.search(query, effort="fast").notes == expected


def test_commits_that_are_referred_to_come_before_those_that_are_similar(grown: Repo, open_repo: Opener) -> None:
    answer = open_repo(grown.root).history("gamma uses 123, unlike #1234")
    assert subjects(answer)[:2] == ["Make beta quick", "Use 123 in gamma"]
    assert answer[0].matched == ("#1234",) and answer[0].score > answer[1].score


def test_a_commit_is_found_by_its_id_and_so_are_those_that_name_it(grown: Repo, open_repo: Opener) -> None:
    wanted = grown.git("rev-parse", "HEAD~3")
    grown.commit(f'Revert "Let alpha wait"\n\nThis reverts commit {wanted}.', {"alpha.py": code("alpha")})
    grown.commit(f"Repair what {wanted[:9]} broke", {"gamma.py": code("gamma")})
    opened = open_repo(grown.root)
    for length in (7, 12, 40):
        found = opened.history(wanted[:length])
        assert found[0].commit == wanted
        assert sorted(subjects(found)[1:]) == [f"Repair what {wanted[:9]} broke", 'Revert "Let alpha wait"']


def test_search_takes_the_files_of_the_commits_as_evidence(grown: Repo, open_repo: Opener) -> None:
    opened = open_repo(grown.root)
    answer = opened.search("#123", level="file")
    assert {result.path for result in answer[:2]} == {"alpha.py", "beta.py"}
    reasons = [why.text for result in answer for why in result.why if why.signal == "references"]
    assert len(reasons) == 2
    oid = grown.git("rev-parse", "HEAD~3")
    assert f'commit {oid[:7]} mentions #123: "Let alpha wait (#123)" (2020)' in reasons
    named = opened.search(f"return value broken since {oid[:8]}", level="function")
    assert named[0].symbol == "alpha"
    (why,) = [why for why in named[0].why if why.signal == "references"]
    assert why.text.startswith(f"commit {oid[:7]} is named in the query")


def test_a_query_that_only_refers_is_answered_by_what_the_commits_say(grown: Repo, open_repo: Opener) -> None:
    opened = open_repo(grown.root)
    assert opened.search("ABC-17")[0].symbol == "delta"
    assert opened.search(f"commit {grown.git('rev-parse', 'HEAD~2')}")[0].symbol == "beta"
    assert not opened.search("ABC-17 -path:delta.py").results
    assert opened.search("ABC-17 path:delta.py")[0].symbol == "delta"


@pytest.mark.parametrize("level", ["function", "file"])
def test_what_an_identified_commit_changed_is_likely_whatever_its_words(
    grown: Repo, open_repo: Opener, level: Level
) -> None:
    message = "Keep walrus and zeppelin from the trombone in alpha (#900)"
    grown.commit(message, {"alpha.py": code("alpha") + "##\n"})
    short = grown.git("rev-parse", "HEAD")[:7]
    opened = open_repo(grown.root)
    for query, name in ((short, f"commit {short}"), ("#900", f"commit {short} (#900)")):
        answer = opened.search(query, level=level)
        assert answer[0].path == "alpha.py" and answer.confidence is not None
        assert answer.confidence.verdict != "weak"
        assert answer.confidence.why.startswith(f"{name} changed the first result's file")
    said = opened.search(message.partition(" (")[0], level=level).confidence
    assert said is not None and "of the query, weighted by how rare words are" in said.why


def test_a_commit_whose_files_are_gone_says_nothing_of_others(grown: Repo, open_repo: Opener) -> None:
    grown.commit("Add a walrus and a zeppelin for value (#901)", {"epsilon.py": code("epsilon")})
    grown.git("rm", "-q", "epsilon.py")
    grown.commit("Remove it")
    found = open_repo(grown.root).search("#901").confidence
    assert found is not None and "of the commit message, weighted" in found.why


def test_reasons_say_that_a_commit_speaks_and_not_the_query(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {f"{name}_value.py": code(f"{name}_value") for name in ("alpha", "beta")})
    repo.commit("Let alpha_value wait (#123)", {"alpha_value.py": code("alpha_value") + "#\n"})
    opened = open_repo(repo.root)
    short = repo.git("rev-parse", "HEAD")[:7]
    answer = opened.search("#123")
    assert answer[0].symbol == "alpha_value" and answer.confidence is not None
    first = answer[0].reason.split("; ")
    assert f"commit {short} (#123) names it" in first
    assert f'commit {short} mentions #123: "Let alpha_value wait (#123)" (2020)' in first
    assert answer[0].reason.count("Let alpha_value wait") == 1, "the same commit is not told again"
    assert f"commit {short} names it" in opened.search(f"commit {short}")[0].reason.split("; ")
    assert "the query names it" in opened.search("alpha_value #123")[0].reason.split("; ")


def test_the_message_of_a_commit_has_no_filters(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {f"{name}.py": code(name) for name in ("alpha", "beta")})
    repo.commit('Let alpha read lang:ruby "as it was" (#123)', {"alpha.py": code("alpha") + "#\n"})
    answer = open_repo(repo.root).search("#123", effort="fast")
    assert answer[0].symbol == "alpha" and not answer.notes
    assert "ruby" in understand("read lang:ruby", syntax=False).weights


def test_a_mode_leaves_references_out(grown: Repo, open_repo: Opener) -> None:
    opened = open_repo(grown.root)

    def signals(mode: str) -> set[str]:
        return {why.signal for result in opened.search("value #123", mode=mode) for why in result.why}

    assert signals("hybrid") >= {"lexical", "references"}
    assert signals("bm25+commits+mentions") == {"lexical", "commits"} and signals("references") == {"references"}


def test_only_ancestors_are_visible(grown: Repo, open_repo: Opener) -> None:
    before = grown.git("rev-parse", "HEAD~3")
    opened = open_repo(grown.root)
    later = grown.git("rev-parse", "HEAD")
    assert subjects(opened.history("#123", at=before)) == ["Let alpha wait (#123)"]
    assert opened.history(later[:10])[0].commit == later
    assert later not in [commit.commit for commit in opened.history(f"alpha {later[:10]}", at=before)]
    then = opened.search("value #1234", level="file", at=before)
    assert not any(why.signal == "references" for result in then for why in result.why)


def test_a_commit_of_many_files_says_less_of_each(repo: Repo, open_repo: Opener) -> None:
    repo.commit("Begin", {f"{number}.py": code("common") for number in range(60)})
    repo.commit("Touch all (#77)", {f"{number}.py": code("common") + "#\n" for number in range(60)})
    repo.commit("Touch one (#78)", {"7.py": code("common") + "##\n"})
    opened = open_repo(repo.root)

    def strength(query: str) -> float:
        answer = opened.search(query, level="file")
        return max((why.value for result in answer for why in result.why if why.signal == "references"), default=0.0)

    assert 0 < strength("common #77") < 0.4 * strength("common #78")


@pytest.fixture
def merged(grown: Repo) -> Repo:
    """A branch of two commits, merged by a merge that alone speaks of #55, while the main line went on."""
    grown.git("checkout", "-q", "-b", "topic")
    grown.commit("Let gamma stop", {"gamma.py": code("gamma") + "# stop\n"})
    grown.commit("Let gamma go on", {"gamma.py": code("gamma") + "# go on\n"})
    grown.git("checkout", "-q", "-")
    grown.commit("Let delta be", {"delta.py": code("delta") + "# be\n"})
    grown.git("merge", "-q", "--no-ff", "-m", "Merge pull request #55 from someone/topic", "topic")
    grown.commit("Let beta be", {"beta.py": code("beta") + "# be\n"})
    return grown


def test_a_merge_that_is_referred_to_stands_for_what_it_brought(merged: Repo, open_repo: Opener) -> None:
    opened = open_repo(merged.root)
    answer = opened.history("#55")
    assert subjects(answer) == ["Let gamma go on", "Let gamma stop"]
    assert answer[0].matched == ("#55", "Merge pull request #55 from someone/topic")
    found = opened.search("#55", level="file")
    assert found[0].path == "gamma.py"
    assert any(why.text.startswith("commit ") and " was merged with #55: " in why.text for why in found[0].why)
    assert not subjects(opened.history("#5"))
    issue = opened.search("value is broken\n\nSince #55 it is.", level="file", k=50)  # as before: git is not asked
    assert not any(why.signal == "references" for result in issue for why in result.why)


def test_the_id_of_a_merge_stands_for_what_it_brought(merged: Repo, open_repo: Opener) -> None:
    opened = open_repo(merged.root)
    merge = merged.git("rev-list", "--merges", "-1", "HEAD")[:9]
    brought = [one.commit for one in opened.history("#55")]
    found = opened.history(merge)
    assert [one.commit for one in found][: len(brought)] == brought and not found.notes
    assert all(one.subject and one.files for one in found)
    assert any(f" was merged with {merge}: " in why.text for why in opened.search(merge)[0].why)


def test_a_merge_of_very_many_commits_stands_for_none(
    merged: Repo, open_repo: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackdown.retrieve.references._MOST_BROUGHT", 1)
    merge = merged.git("rev-list", "--merges", "-1", "HEAD")[:9]
    assert open_repo(merged.root).history(merge).notes == (
        f"{merge} merges very many commits, so it is searched for as a word",
    )


def test_a_commit_stands_for_its_files_whatever_other_code_says(grown: Repo, open_repo: Opener) -> None:
    grown.commit("Let alpha, alpha and alpha wait", {"tests/test_beta.py": code("test_beta")})
    opened = open_repo(grown.root)
    for level in ("function", "file"):
        assert opened.search(grown.git("rev-parse", "HEAD")[:9], level=level)[0].path == "tests/test_beta.py"
