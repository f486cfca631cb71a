"""`trackdown eval` as its users run it, and what a mode does to a search."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.index.histories import Planned, make_history
from tests.lab.made_tasks import source, words
from tests.lab.test_evaluations import found_at
from tests.surfaces.program import Program, Run, paths, without_escapes
from trackdown.engine import list_modes
from trackdown.lab.runs import encode_row, read_run

pytestmark = pytest.mark.slow

CASES = 8
InProcess = Callable[..., Run]


def build_zoo(root: Path) -> Repo:
    """A repository whose last commits each edit one function, and say so."""
    repo = Repo(root)
    plan = [Planned("Begin with everything", [], {f"src/m{number}.py": source(number) for number in range(CASES)})]
    for number in range(CASES):
        verb, noun = words(number)
        changed = source(number).replace("return value", "return value or fallback")
        message = f"Let {verb}_{noun} cope with a missing {noun}"
        plan.append(Planned(message, [number], {f"src/m{number}.py": changed}))
    make_history(repo, plan)
    repo.git("reset", "-q", "--hard")
    return repo


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return build_zoo(tmp_path_factory.mktemp("eval") / "zoo")


@pytest.fixture(scope="module")
def inside(zoo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program in the repository's folder."""
    return Program(tmp_path_factory.mktemp("inside") / "store", zoo.root)


@pytest.fixture(scope="module")
def compared(inside: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run file of all modes at symbol level."""
    path = tmp_path_factory.mktemp("runs") / "run.jsonl"
    assert inside("eval", "--level", "symbol", "--compare", "--run-file", path).code == 0
    return path


def test_cases_are_mined_written_and_measured(inside: Program, tmp_path: Path) -> None:
    dataset = tmp_path / "cases.jsonl"
    built = inside("eval", "--build", "--level", "symbol", "--dataset", dataset, "--max-cases", "5")
    assert built.code == 0 and built.out.startswith(f"5 cases from 5 commits: {dataset}\n")
    one = inside("eval", "--build", "--level", "symbol", "--dataset", tmp_path / "one.jsonl", "--max-cases", "1")
    assert one.out.startswith("1 case from 1 commit: ")
    cases = [json.loads(line) for line in dataset.read_text().splitlines()]
    assert cases[0]["relevant_files"] == ["src/m7.py"] and cases[0]["relevant_symbols"] == ["src/m7.py:load_cookie"]
    assert all(case["protocol"] == "past" for case in cases)
    for level in ("symbol", "file"):
        answer = inside("eval", "--dataset", dataset, "--level", level, "--format", "json").json()
        assert (answer["bench"], answer["level"], answer["cases"], answer["skipped"]) == ("eval", level, 5, 0)
        assert list(answer["modes"]) == ["hybrid"] and answer["modes"]["hybrid"]["MRR"] > 0.9
    mined = inside("eval", "--max-cases", "5", "--format", "json").json()
    assert mined["modes"] == answer["modes"], "mining on the spot is the same"


def test_build_says_what_was_dropped_in_json_too(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    answer = in_process("eval", zoo.root, "--build", "--dataset", tmp_path / "cases.jsonl", "--format", "json").json()
    assert (answer["cases"], answer["commits"]) == (CASES, CASES + 1)
    assert sum(answer["dropped"].values()) == 1 and answer["dataset"] == str(tmp_path / "cases.jsonl")


def test_head_hides_the_commit_and_all_later_ones(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    """Only the commit itself names its file, so that history finds nothing where it is honest."""
    for protocol in ("past", "head"):
        dataset = tmp_path / f"{protocol}.jsonl"
        assert in_process("eval", zoo.root, "--build", "--protocol", protocol, "--dataset", dataset).code == 0
        command = ["eval", zoo.root, "--dataset", dataset, "--modes", "commits", "--jobs", "1", "--format", "json"]
        answer = in_process(*command).json()
        assert (answer["cases"], answer["skipped"]) == (CASES, 0)
        assert answer["modes"]["commits"]["Hit@1"] < 0.5
    found = in_process(
        "search",
        "Let parse_cookie cope with a missing cookie",
        zoo.root,
        "--mode",
        "commits",
        "--level",
        "file",
        "--format",
        "json",
    ).json()
    assert paths(found)[0] == "src/m0.py", "without the mask it does"
    other = ["past", "head"]
    for protocol in other:
        command = ["eval", zoo.root, "--dataset", tmp_path / f"{protocol}.jsonl"]
        in_process(*command, "--protocol", other[protocol == "past"]).refused(2, f"was mined for protocol '{protocol}'")


def test_the_table_has_a_row_for_each_mode_and_the_cuts_that_were_asked_for(inside: Program) -> None:
    run = inside("eval", "--compare", "--adaptive", "--modes", "bm25+commits", "--ks", "1,3")
    assert run.code == 0 and run.err == ""
    lines = run.out.splitlines()
    assert lines[0] == f"eval, file level: {CASES} of {CASES} cases scored"
    assert lines[1].split() == ["mode", "MRR", "R@1", "R@3", "nDCG@1", "nDCG@3", "Hit@1", "Hit@3", "p50"]
    assert [line.split()[0] for line in lines[2:7]] == ["bm25", "commits", "hybrid", "bm25+commits", "hybrid+adaptive"]


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_is_whole_on_a_terminal(inside: Program, compared: Path, columns: int) -> None:
    command: list[str | Path] = [
        "eval",
        "--level",
        "symbol",
        "--compare",
        "--ks",
        "1,2,3,5,10,20",
        "--run-file",
        compared,
    ]
    piped = inside(*command).out
    shown = without_escapes(inside.on_terminal(*command, columns=columns).out)
    numbers = r"\d\.\d{3}|\w+@\d+"
    assert (
        sorted(re.findall(numbers, shown)) == sorted(re.findall(numbers, piped))
        and len(re.findall(numbers, piped)) > 70
    )
    assert "…" not in shown
    assert all(len(line) <= columns for line in shown.splitlines() if not line.startswith("run file:"))


def test_a_run_file_goes_on_and_can_be_scored_and_gated(inside: Program, compared: Path) -> None:
    before = compared.read_bytes()
    assert len(read_run(compared)) == 3 * CASES
    answer = inside("eval", "--level", "symbol", "--compare", "--run-file", compared, "--format", "json").json()
    assert compared.read_bytes() == before and answer["run_file"] == str(compared)
    scored = inside("bench", "score", compared, "--format", "json").json()
    assert {mode: scored["modes"][mode]["MRR"] for mode in scored["modes"]} == {
        mode: answer["modes"][mode]["MRR"] for mode in ("bm25", "commits", "hybrid")
    }
    gate = inside("eval", "gate", f"{compared}:commits", f"{compared}:bm25")
    assert gate.code in (0, 1) and gate.out.startswith("B (bm25) may")


def test_several_repositories_are_measured_by_a_manifest(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit("Begin", {"a.py": "def giraffe():\n    pass\n", "b.py": "def lion():\n    pass\n"})
    (tmp_path / "other.jsonl").write_text(
        '{"query": "where is the giraffe", "relevant_files": ["a.py"]}\nnonsense\n{"query": "lion"}\n'
    )
    manifest = tmp_path / "all.json"
    manifest.write_text(
        json.dumps(
            [
                {"name": "zoo", "path": str(zoo.root)},
                {"name": "other", "path": "other", "dataset": "other.jsonl"},
            ]
        )
    )
    run = in_process("eval", "--manifest", manifest, "--max-cases", "3", "--jobs", "1", "--format", "json")
    answer = run.json()
    assert (answer["cases"], answer["skipped"], answer["skipped_why"]) == (4, 2, {"unreadable line": 2})
    assert {name: group["cases"] for name, group in answer["repositories"].items()} == {"zoo": 3, "other": 1}
    assert run.err.count("note: ") == 2 and "other.jsonl, line 2: not JSON" in run.err
    text = in_process("eval", "--manifest", manifest, "--max-cases", "3", "--jobs", "1").out
    assert text.startswith("eval, file level: 4 of 6 cases scored\n") and "left out: 2 × unreadable line" in text
    assert re.search(r"^zoo +3 +\d\.\d{3}$", text, re.MULTILINE)
    in_process("eval", "--manifest", manifest, "--strict").refused(2, "other.jsonl: line 2: not JSON")


def test_many_bad_lines_are_counted_and_few_are_told(in_process: InProcess, zoo: Repo, tmp_path: Path) -> None:
    dataset = tmp_path / "cases.jsonl"
    good = {"query": "parse the cookie", "relevant_files": ["src/m0.py"], "id": "1"}
    unknown = {"query": "x", "relevant_files": ["a"], "commit": "0" * 40, "protocol": "past", "id": "2"}
    dataset.write_text(f"{json.dumps(good)}\n{json.dumps(good)}\n{json.dumps(unknown)}\n" + "nonsense\n" * 20)
    run = in_process("eval", zoo.root, "--dataset", dataset, "--format", "json")
    answer = run.json()
    assert (answer["cases"], answer["skipped"]) == (1, 22)
    assert answer["skipped_why"] == {"commit or its parent not in the clone": 1, "unreadable line": 21}
    assert run.err.count("note: ") == 6 and "16 more bad lines" in run.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--build"], ["--build needs --dataset"]),
        (["--build", "--manifest", "m.json", "--dataset", "d.jsonl"], ["--manifest", "cannot be combined"]),
        (["--dataset", "gone.jsonl"], ["cannot read the case file", "gone.jsonl"]),
        (["--dataset", "EMPTY"], ["EMPTY has no cases"]),
        (["--dataset", "BAD"], ["BAD has no cases", "line 1: not JSON"]),
        (["--manifest", "gone.json"], ["cannot read the manifest"]),
        (["--modes", "neural"], ["unknown part 'neural'", "bm25"]),
        (["--ks", "0"], ["--ks must be whole numbers above 0"]),
        (["--ks", "1,x"], ["--ks must be whole numbers above 0"]),
        (["--level", "galaxy"], ["'galaxy' is not one of"]),
        (["--protocol", "future"], ["'future' is not one of"]),
        (["--max-cases", "0"], ["--max-cases"]),
        (["gate", "gone.jsonl", "gone.jsonl"], ["cannot read the run file gone.jsonl"]),
        (["gate", "gone.jsonl:bm25", "gone.jsonl:bm25"], ["cannot read the run file gone.jsonl"]),
        (["gate", "only-one"], ["Missing argument 'B'"]),
        (["gate", "EMPTY", "EMPTY"], ["EMPTY is empty"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_bad_input_is_one_line_and_exit_code_2(
    in_process: InProcess, tmp_path: Path, zoo: Repo, arguments: list[str], words: list[str]
) -> None:
    (tmp_path / "EMPTY").write_text("")
    (tmp_path / "BAD").write_text("nonsense\n")
    path = [] if arguments[0] == "gate" else [zoo.root]
    in_process("eval", *arguments, *path).refused(2, *words)


def test_a_place_that_is_not_there_or_has_no_history_is_refused(in_process: InProcess, tmp_path: Path) -> None:
    in_process("eval", "gone").refused(1, "no such file or folder: gone")
    (tmp_path / "plain").mkdir()
    in_process("eval", "plain").refused(2, "plain is a plain folder")
    Repo(tmp_path / "empty")
    in_process("eval", "empty").refused(1, "has no commit yet")
    one = Repo(tmp_path / "one")
    one.commit("Begin", {"a.py": "x = 1\n"})
    in_process("eval", "one").refused(2, "no commit makes a case")


@pytest.mark.parametrize("stage", ["graph", "rerank"])
def test_a_stage_has_a_row_of_its_own_and_one_that_does_not_exist_is_refused_before_anything_is_mined(
    in_process: InProcess, zoo: Repo, stage: str
) -> None:
    if stage in {item.name for item in list_modes()}:
        command = ["eval", zoo.root, f"--{stage}", "--max-cases", "2", "--jobs", "1", "--format", "json"]
        assert list(in_process(*command).json()["modes"]) == ["hybrid", f"hybrid+{stage}"]
    else:
        in_process("eval", f"--{stage}", "gone").refused(2, f"unknown part '{stage}'; known are bm25, ")
        in_process("search", "cookie", ".", "--mode", f"hybrid+{stage}").refused(2, f"unknown part '{stage}'")


def test_what_a_mode_can_name_is_listed(program: Program, in_process: InProcess) -> None:
    listed = in_process("modes", "--format", "json").json()
    assert [(item["name"], item["kind"], item["what"]) for item in listed if item["kind"] != "model"] == [
        (item.name, item.kind, item.what) for item in list_modes()
    ]
    assert [item["name"] for item in listed if item["kind"] == "model"]
    text = in_process("modes").out
    for item in listed:
        assert re.search(rf"^{item['name']} +{item['kind']} +{re.escape(item['what'])}$", text, re.MULTILINE)
    shown = without_escapes(program.on_terminal("modes", columns=80).out)
    assert shown == text


def write_run(path: Path, ranks: Sequence[int], *modes: str) -> Path:
    rows = [found_at(str(number), rank, mode=mode) for mode in modes for number, rank in enumerate(ranks)]
    path.write_text("".join(encode_row(row) + "\n" for row in rows))
    return path


def test_the_gate_answers_by_its_exit_code(program: Program, in_process: InProcess, tmp_path: Path) -> None:
    worse = write_run(tmp_path / "worse.jsonl", [2, 3] * 15, "old")
    better = write_run(tmp_path / "better.jsonl", [1, 3] * 15, "new")
    passed = program("eval", "gate", worse, better)
    assert (passed.code, passed.err) == (0, "")
    assert passed.out.startswith("B (new) may become a default in place of A (old).\n")
    refused = program("eval", "gate", better, worse)
    assert (refused.code, refused.err) == (1, "") and refused.out.startswith("B (old) may not become a default")
    assert in_process("eval", "gate", better, better).code == 1, "no better is not enough"
    for run, verdict in ((worse, False), (better, True)):
        done = in_process("eval", "gate", worse, run, "--format", "json", "--metric", "Hit@1")
        assert done.code == (0 if verdict else 1)
        answer = json.loads(done.out)
        assert (answer["passed"], answer["metric"]) == (verdict, "Hit@1")
    in_process("eval", "gate", worse, better, "--metric", "luck").refused(2, "no metric is called 'luck'")


def test_the_gate_takes_one_mode_of_several(in_process: InProcess, tmp_path: Path) -> None:
    run = write_run(tmp_path / "a:b.jsonl", [1, 2] * 15, "bm25", "oracle@10:bm25")
    in_process("eval", "gate", run, run).refused(2, "holds several modes: name one, e.g. ", ":bm25")
    in_process("eval", "gate", f"{run}:bm25", f"{run}:nonsense").refused(2, "has no mode 'nonsense'", "oracle@10:bm25")
    done = in_process("eval", "gate", f"{run}:bm25", f"{run}:oracle@10:bm25")
    assert done.code == 1 and done.out.startswith("B (oracle@10:bm25) may not")
    with run.open("a") as stream:
        stream.write('{"id": "cut')
    done = in_process("eval", "gate", f"{run}:bm25", f"{run}:oracle@10:bm25")
    assert done.code == 1 and done.err.count("the file is cut short") == 2


def test_a_mode_decides_what_a_search_looks_at(inside: Program) -> None:
    query = ["search", "cope with a missing fallback", "--level", "file", "--format", "json"]

    def signals(program: Program, *more: str) -> set[str]:
        found = program(*query, *more).json()["results"]
        return {why["signal"] for result in found for why in result["why"]}

    assert signals(inside) == {"lexical", "commits"}
    assert signals(inside, "--mode", "commits") == {"commits"} == signals(inside.having(TRACKDOWN_MODE="commits"))
    assert signals(inside, "--mode", "bm25") == {"lexical"} == signals(inside.having(TRACKDOWN_MODE="bm25"))
    assert signals(inside.having(TRACKDOWN_MODE="commits"), "--mode", "bm25") == {"lexical"}, "an option goes first"


def test_adaptive_fusion_is_an_option_and_a_setting(inside: Program) -> None:
    def scores(program: Program, *more: str) -> list[float]:
        answer = program("search", "cope with a missing fallback", "--format", "json", *more).json()
        return [result["score"] for result in answer["results"]]

    plain, adaptive = scores(inside), scores(inside, "--adaptive")
    assert plain != adaptive == scores(inside.having(TRACKDOWN_ADAPTIVE="yes"))
    assert adaptive == scores(inside, "--mode", "hybrid+adaptive")
    assert plain == scores(inside.having(TRACKDOWN_ADAPTIVE="0"))


def test_modes_that_settings_name_wrongly_are_refused(inside: Program, in_process: InProcess, tmp_path: Path) -> None:
    inside.having(TRACKDOWN_ADAPTIVE="perhaps")("search", "x").refused(2, "TRACKDOWN_ADAPTIVE", "'perhaps'")
    inside.having(TRACKDOWN_MODE="neural")("search", "cookie").refused(2, "unknown part 'neural'")
    repo = Repo(tmp_path / "fresh")
    repo.commit("Begin", {"a.py": "x = 1\n"})
    in_process("search", "cookie", repo.root, "--mode", "neural").refused(2, "unknown part 'neural'")
    assert not in_process("status", repo.root, "--format", "json").json()["ready"], "it was refused before any work"
