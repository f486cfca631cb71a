"""`trackdown bench` as its users run it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.lab.benches.issues import Clones, Row, many_issues
from tests.models.llm.loopback import fails, says, serving
from tests.surfaces.program import Program, Run, without_escapes
from trackdown.lab.runs import read_run

pytestmark = pytest.mark.slow

InProcess = Callable[..., Run]


class Bench:
    """Two small clones and twelve issues about them, three of which cannot be scored."""

    def __init__(self, root: Path) -> None:
        self.clones = Clones(root)
        self.rows = many_issues(self.clones, commits=5)
        bad: list[Row | str] = [
            self.rows[0] | {"instance_id": "elsewhere", "repo": "ada/unknown"},
            self.rows[0] | {"instance_id": "lost", "base_commit": "0" * 40},
            "not JSON",
        ]
        self.data = self.clones.write(*self.rows, *bad)
        self.good = self.clones.write(*self.rows, name="good.jsonl")
        self.command: list[str | Path] = ["bench", "swe", self.data, "--repos", self.clones.folder]


@pytest.fixture(scope="module")
def swe(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def shared(swe: Bench, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program with a store in which the clones' states are indexed after the first bench."""
    folder = tmp_path_factory.mktemp("shared")
    return Program(folder / "store", folder)


@pytest.fixture(scope="module")
def run_file(swe: Bench, shared: Program) -> Path:
    path = shared.folder / "swe.run.jsonl"
    assert shared(*swe.command, "--run-file", path, "--modes", "bm25,commits,hybrid,hybrid+rrf").code == 0
    return path


def test_json_has_the_fields_of_the_contract(swe: Bench, shared: Program) -> None:
    run = shared(*swe.command, "--modes", "bm25, commits,hybrid", "--format", "json")
    answer = run.json()
    assert (answer["bench"], answer["level"], answer["cases"], answer["skipped"]) == ("swe", "function", 10, 3)
    assert answer["skipped_why"] == {"unknown repository": 1, "commit not in the clone": 1, "unreadable row": 1}
    assert list(answer["modes"]) == ["bm25", "commits", "hybrid"]
    for metrics in answer["modes"].values():
        assert set(metrics) >= {"MRR", "MAP", "P@1", "R@10", "Acc@5", "nDCG@10"}
        assert all(isinstance(value, float) and 0 <= value <= 1 for value in metrics.values())
    assert answer["modes"]["bm25"]["MRR"] > 0.8
    assert set(answer["repositories"]) == {"ada/shop", "ada/bank"}


def test_text_says_how_many_cases_were_scored_and_why_others_were_not(swe: Bench, shared: Program) -> None:
    run = shared(*swe.command, "--modes", "bm25,commits")
    assert run.code == 0
    lines = run.out.splitlines()
    assert lines[0] == "swe, function level: 10 of 13 cases scored"
    assert lines[1].split() == [
        "mode",
        "Acc@1",
        "Acc@5",
        "Acc@10",
        "R@10",
        "R@20",
        "Acc@20",
        "R@100",
        "MRR",
        "MAP",
        "P@1",
        "nDCG@10",
        "p50",
    ]
    assert [line.split()[0] for line in lines[2:4]] == ["bm25", "commits"]
    assert "left out: 1 × unknown repository" in lines and "left out: 1 × commit not in the clone" in lines
    assert re.search(r"^ada/bank +5 +\d\.\d{3} +\d\.\d{3}$", run.out, re.MULTILINE)
    assert re.fullmatch(r"run file: .*/runs/swe-function-[0-9a-f]{12}\.done\.jsonl\n", run.err)


def cells(text: str) -> list[str]:
    """All numbers and names of the tables, in whatever order they stand."""
    return re.findall(r"\d\.\d{3}|[A-Za-z]+@\d+", text)


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_a_table_is_never_cut_however_narrow_the_terminal(
    shared: Program, in_process: InProcess, run_file: Path, columns: int
) -> None:
    piped = in_process("bench", "score", run_file)
    shown = without_escapes(shared.on_terminal("bench", "score", run_file, columns=columns).out)
    assert "…" not in piped.out + shown and sorted(cells(shown)) == sorted(cells(piped.out))
    assert all(len(line) <= max(columns, 80) for line in shown.splitlines())
    for mode in ("bm25", "commits", "hybrid", "hybrid+rrf"):
        assert re.search(rf"^{re.escape(mode)}  ", shown, re.MULTILINE)


def test_piped_it_is_one_line_for_each_mode(shared: Program, run_file: Path) -> None:
    run = shared.having(COLUMNS="40")("bench", "score", run_file)
    out = run.out
    (header,) = [line for line in out.splitlines() if line.startswith("mode ")]
    assert len(header.split()) == 11
    assert len([line for line in out.splitlines() if line.startswith("hybrid+rrf ")]) == 1


def test_a_run_file_alone_gives_the_same_numbers(
    swe: Bench, shared: Program, in_process: InProcess, run_file: Path
) -> None:
    command = [*swe.command, "--modes", "bm25,commits,hybrid,hybrid+rrf", "--format", "json"]
    again = shared(*command, "--run-file", run_file)
    assert "note: 52 rankings were reused from" in again.err
    ran = again.json()
    assert ran.pop("run_file") == str(run_file)
    assert shared("bench", "score", run_file, "--format", "json").json() == ran
    rows = read_run(run_file)
    assert len(rows) == 4 * 13 and all(
        {"id", "mode", "ranked", "ms"} <= set(json.loads(line)) for line in run_file.read_text().splitlines()
    )
    moved = run_file.with_name("moved.jsonl")
    moved.write_bytes(run_file.read_bytes())
    assert in_process("bench", "score", moved, "--format", "json").json() == ran


def test_rankings_are_deep(in_process: InProcess, tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    repo = clones.repo("ada/deep")
    body = "".join(f"def parse_{n}(cookie):\n    return cookie\n\n\n" for n in range(150))
    repo.commit("Begin", {"deep.py": body})
    row = clones.fix(
        repo, "1", "parse the cookie", {"deep.py": body.replace("def parse_7(cookie)", "def parse_7(cookie, x)")}
    )
    data = clones.write(row)
    assert in_process("bench", "swe", data, "--repos", clones.folder, "--run-file", tmp_path / "run.jsonl").code == 0
    (bm25, _, _) = read_run(tmp_path / "run.jsonl")
    assert len(bm25.ranked) == 100 and len(set(bm25.ranked)) == 100


def test_trec_is_written_too(swe: Bench, in_process: InProcess, run_file: Path, tmp_path: Path) -> None:
    modes = "bm25,commits,hybrid,hybrid+rrf"
    command = ["bench", "swe", swe.good, "--repos", swe.clones.folder, "--modes", modes, "--run-file", run_file]
    assert in_process(*command, "--trec", tmp_path / "run.trec").code == 0
    lines = [line.split(" ") for line in (tmp_path / "run.trec").read_text().splitlines()]
    rows = read_run(run_file)
    assert len(lines) == sum(len(row.ranked) for row in rows) > 100
    assert all(len(line) == 6 and line[1] == "Q0" for line in lines)
    assert {line[5] for line in lines} == {f"trackdown-{row.mode}" for row in rows}
    in_process(*command, "--trec", tmp_path).refused(2, f"cannot write {tmp_path}: Is a directory")


def test_an_unfinished_run_file_shows_what_it_has(in_process: InProcess, run_file: Path, tmp_path: Path) -> None:
    lines = run_file.read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    kept = [line for line in lines if json.loads(line)["mode"] == "bm25"] + [
        line for line in lines if json.loads(line)["mode"] == "hybrid"
    ][:6]
    cut.write_text("".join(kept) + lines[0][:40])
    run = in_process("bench", "score", cut)
    assert run.code == 0 and run.out.startswith("swe, function level: 10 of 13 cases scored\n")
    scored = {line.split()[0]: line.split()[1] for line in run.out.splitlines()[1:4]}
    assert scored["mode"] == "cases" and scored["bm25"] == "10" and int(scored["hybrid"]) < 10
    assert run.err == f"note: {cut}, line {len(kept) + 1}: the file is cut short, its last line is left out\n"
    in_process("bench", "score", cut, "--strict").refused(2, f"{cut}, line {len(kept) + 1}: not JSON")


def test_without_a_run_file_an_interrupted_bench_still_goes_on(swe: Bench, in_process: InProcess) -> None:
    command: list[str | Path] = [
        "bench",
        "swe",
        swe.good,
        "--repos",
        swe.clones.folder,
        "--modes",
        "bm25",
        "--jobs",
        "1",
    ]
    done = Path(in_process(*command, "--format", "json").json()["run_file"])
    assert done.name.endswith(".done.jsonl") and len(read_run(done)) == 10
    unfinished = done.with_name(done.name.replace(".done", ""))
    unfinished.write_text("".join(done.read_text().splitlines(keepends=True)[:4]))
    run = in_process(*command)
    assert f"note: 4 rankings were reused from {unfinished}\n" in run.err
    assert not unfinished.exists() and len(read_run(done)) == 10
    unfinished.write_text(done.read_text())
    assert "rankings were reused" not in in_process(*command, "--level", "file").err, "another bench has another file"


def test_a_run_file_of_another_bench_is_not_overwritten(swe: Bench, in_process: InProcess, run_file: Path) -> None:
    before = run_file.read_bytes()
    in_process(*swe.command, "--level", "file", "--run-file", run_file).refused(2, "another bench, level or setting")
    changed = swe.clones.write(*(row | {"problem_statement": "Other"} for row in swe.rows), name="changed.jsonl")
    run = in_process("bench", "swe", changed, "--repos", swe.clones.folder, "--modes", "bm25", "--run-file", run_file)
    run.refused(2, "another query, truth or state")
    assert run_file.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["swe", "GONE", "--repos", "CLONES"], 2, ["cannot read", "GONE", "No such file"]),
        (["swe", "DATA"], 2, ["Missing option '--repos'"]),
        (["swe", "DATA", "--repos", "GONE"], 2, ["GONE is not a folder"]),
        (["swe", "DATA", "--repos", "CLONES", "--layout", "{repo}"], 2, ["may hold {owner} and {name}"]),
        (["swe", "DATA", "--repos", "CLONES", "--level", "symbol"], 2, ["'symbol' is not one of"]),
        (["swe", "DATA", "--repos", "CLONES", "--modes", "neural"], 2, ["unknown part 'neural'", "bm25"]),
        (["swe", "GONE", "--repos", "CLONES", "--modes", "neural"], 2, ["unknown part 'neural'"]),
        (["swe", "DATA", "--repos", "CLONES", "--modes", "bm25,bm25"], 2, ["named twice"]),
        (["swe", "DATA", "--repos", "CLONES", "--modes", " , "], 2, ["at least one mode"]),
        (["swe", "DATA", "--repos", "CLONES", "--jobs", "0"], 2, ["--jobs"]),
        (["swe", "DATA", "--repos", "CLONES", "--strict"], 2, ["case 'elsewhere': unknown repository"]),
        (["swe", "DATA", "--repos", "CLONES", "--run-file", "CLONES"], 2, ["cannot write the run file"]),
        (["swe", "DATA", "--repos", "CLONES", "--run-file", "DATA"], 2, ["line 1: 'id' is missing"]),
        (["swe", "EMPTY", "--repos", "CLONES"], 2, ["EMPTY has no cases"]),
        (["swe", "CLONES", "--repos", "CLONES"], 2, ["Is a directory"]),
        (["cmu", "GONE", "--repo", "CLONE"], 2, ["cannot read", "GONE"]),
        (["cmu", "DATA", "--repo", "CLONE"], 2, ["cannot read", "data.jsonl"]),
        (["cmu", "GONE", "--repo", "CLONE", "--depths", "0"], 2, ["--depths must be whole numbers above 0"]),
        (["cmu", "GONE", "--repo", "CLONE", "--oracle", "x"], 2, ["--oracle must be whole numbers above 0"]),
        (["score", "GONE"], 2, ["cannot read the run file"]),
        (["score", "DATA"], 2, ["line 1: 'id' is missing"]),
        (["score", "EMPTY"], 2, ["has no case with gold"]),
        (["nonsense"], 2, ["there is no command 'nonsense'"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_input_is_one_line_and_exit_code_2(
    swe: Bench, in_process: InProcess, tmp_path: Path, arguments: list[str], code: int, words: list[str]
) -> None:
    (tmp_path / "EMPTY").write_text("\n")
    places = {"DATA": swe.data, "CLONES": swe.clones.folder, "CLONE": swe.clones.folder / "ada" / "shop"}
    in_process("bench", *(places.get(word, word) for word in arguments)).refused(code, *words)


def test_a_run_file_without_gold_cannot_be_scored(in_process: InProcess, tmp_path: Path) -> None:
    (tmp_path / "run").write_text('{"id": "1", "mode": "theirs", "ranked": [{"path": "a.py"}]}\n')
    in_process("bench", "score", tmp_path / "run").refused(2, "has no case with gold")


def test_names_from_data_cannot_steer_the_terminal(shared: Program, in_process: InProcess, tmp_path: Path) -> None:
    row = {
        "id": "1",
        "mode": "m\x1b[31m\nx",
        "ranked": [],
        "gold": [{"path": "a"}],
        "repository": "r\x1b]0;t\x07",
        "bench": "b\x1b[1m",
        "level": "[red]",
    }
    second = row | {"id": "2", "repository": "漢字/[bold]x"}
    third = row | {"id": "3", "skipped": "\x1b[2J gone"}
    (tmp_path / "run").write_text("".join(json.dumps(item) + "\n" for item in (row, second, third)))
    run = in_process("bench", "score", tmp_path / "run")
    assert run.code == 0 and "\x1b" not in run.out and "\x07" not in run.out
    assert "b\ufffd[1m, [red] level: 2 of 3 cases scored" in run.out and "漢字/[bold]x" in run.out
    shown = shared.on_terminal("bench", "score", tmp_path / "run", columns=80).out
    assert "\x1b[31m" not in shown and "\x1b]" not in shown and "\x1b[2J" not in shown


def _parquet(path: Path, columns: dict[str, list[Any]]) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


@pytest.fixture
def cmu(swe: Bench, tmp_path: Path) -> Callable[..., list[str | Path]]:
    """A command on the history of a clone: each commit is asked for by the words of its message."""
    rows = [row for row in swe.rows if row["repo"] == "ada/shop"]
    data = _parquet(
        tmp_path / "gold.parquet",
        {
            "commit_id": [*(row["fixed_by"] for row in rows), "0" * 40],
            "actual_files_modified": [*(str([row["gold_entities"][0].partition(":")[0]]) for row in rows), "['x.py']"],
            "transformed_message_gpt4": [*(row["problem_statement"] for row in rows), "unknown"],
            "other": ["text"] * (len(rows) + 1),
        },
    )
    return lambda *more: ["bench", "cmu", data, "--repo", swe.clones.folder / "ada" / "shop", *more]


def test_cmu_sweeps_depths_and_has_an_oracle_that_can_be_scored_again(
    shared: Program, in_process: InProcess, cmu: Callable[..., list[str | Path]], tmp_path: Path
) -> None:
    file = tmp_path / "cmu.run.jsonl"
    command = cmu(
        "--modes", "commits,bm25", "--depths", "1,2", "--oracle", "2,4", "--run-file", file, "--format", "json"
    )
    answer = shared(*command).json()
    assert (answer["bench"], answer["level"], answer["cases"], answer["skipped"]) == ("cmu", "file", 5, 1)
    asked = ["commits", "bm25", "commits@1", "commits@2"]
    assert list(answer["modes"]) == [
        *asked,
        *(f"oracle@{depth}:{mode}" for depth in (2, 4) for mode in ("shuffled", *asked)),
    ]
    assert set(answer["scored"].values()) == {5}
    assert {"MAP", "MAP-cmu", "R@1000", "P@20"} <= set(answer["modes"]["commits"])
    assert answer["modes"]["bm25"]["MRR"] > 0.9
    assert answer["modes"]["oracle@2:shuffled"]["R@5"] == 1.0, "all gold is in the list"
    rows = {row.key: row for row in read_run(file)}
    for (id_, mode), row in rows.items():
        if mode.startswith("oracle@2:") and not row.skipped:
            listed = {place.path for place in rows[id_, "oracle@2:shuffled"].ranked}
            assert {place.path for place in row.ranked} <= listed and len(listed) <= 2
    answer.pop("run_file")
    assert in_process("bench", "score", file, "--format", "json").json() == answer
    again = in_process(*command).json()
    assert again["modes"] == answer["modes"], "going on from a finished run searches nothing and says the same"


def test_cmu_refuses_columns_that_are_not_there(in_process: InProcess, cmu: Callable[..., list[str | Path]]) -> None:
    in_process(*cmu("--query", "nonsense")).refused(
        2, "has no column nonsense; it has commit_id, actual_files_modified"
    )
    in_process(*cmu("--strict")).refused(2, "commit not in the clone")
    assert in_process(*cmu("--query", "other", "--modes", "bm25", "--format", "json")).json()["cases"] == 5


def test_a_run_without_some_answers_of_a_language_model_is_not_done(
    swe: Bench, in_process: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackdown.models.llm.ledger.PAUSE_SECONDS", 0.0)
    with serving(fails(401), says("1")) as server:
        command: list[str | Path] = [
            "bench",
            "swe",
            swe.good,
            "--repos",
            swe.clones.folder,
            "--modes",
            "bm25,bm25+llm-rerank@3",
            "--llm",
            server.url,
            "--llm-model",
            "small",
            "--format",
            "json",
        ]
        first = in_process(*command)
        unfinished = Path(first.json()["run_file"])
        assert not unfinished.name.endswith(".done.jsonl") and unfinished.exists()
        assert "note: 1 ranking is missing" in first.err and "Run again" in first.err
        again = in_process(*command)
    assert Path(again.json()["run_file"]).name.endswith(".done.jsonl") and "missing" not in again.err
