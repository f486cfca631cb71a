"""Text-to-code sets → a folder of snippets and questions about them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import trackdown
from trackdown.errors import UsageError
from trackdown.lab.benches.text2code import SET_NAMES, read_text2code
from trackdown.lab.tasks import Bench

Open = Callable[[Path | str], trackdown.Repository]


def write_lines(path: Path, rows: Iterable[object]) -> Path:
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def write_list(path: Path, items: Iterable[object]) -> Path:
    path.write_text(json.dumps(list(items)))
    return path


def read(name: str, data: Path, *, normalise: bool = False, strict: bool = False) -> Bench:
    return read_text2code(name, data, data.parent / "corpora", normalise_names=normalise, strict=strict)


def snippets(bench: Bench) -> list[str]:
    """The contents of the folder that a bench searches, in the order of names."""
    folder = Path(bench.tasks[0].place)
    return [path.read_text() for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


def answers(bench: Bench) -> dict[str, str]:
    """Query → the snippet that answers it."""
    return {task.query: (Path(task.place) / task.gold[0].path).read_text() for task in bench.tasks}


def told(bench: Bench) -> list[tuple[str, str]]:
    return [(case.id, case.reason) for case in bench.skipped]


def mbpp_row(task: int, text: str = "", code: str = "") -> dict[str, object]:
    return {"task_id": task, "text": text or f"problem {task}", "code": code or f"def solve_{task}(): pass"}


# --- the sets


def test_mbpp_takes_its_test_items_only(tmp_path: Path) -> None:
    data = write_lines(tmp_path / "mbpp.jsonl", [mbpp_row(task) for task in (10, 11, 510, 511, 700)])
    bench = read("mbpp", data, strict=True)
    assert answers(bench) == {"problem 11": "def solve_11(): pass", "problem 510": "def solve_510(): pass"}
    assert [task.id for task in bench.tasks] == ["mbpp/11", "mbpp/510"]
    assert bench.remarks == {"snippets": 2, "not of the test split": 3}
    assert read("mbpp", tmp_path, strict=True).tasks[0].gold == bench.tasks[0].gold


def test_tasks_search_the_folder_like_any_other(tmp_path: Path, open_repo: Open) -> None:
    rows = [mbpp_row(11, "how to read a punched card", "def read_card(path):\n    return open(path)")]
    bench = read("mbpp", write_lines(tmp_path / "mbpp.jsonl", [*rows, mbpp_row(12), mbpp_row(13)]))
    task = bench.tasks[0]
    assert (task.level, task.roles, task.at, task.folder, task.repository) == ("file", False, None, "", "mbpp")
    assert open_repo(task.place).search(task.query, level="file")[0].path == task.gold[0].path
    assert bench.level == "file" and bench.metrics[0] == "MRR" and bench.name == "mbpp"


def test_mbjp_takes_what_follows_the_training_items_and_strips_what_repeats_the_problem(tmp_path: Path) -> None:
    problem = "Write a Java function to turn the crank of an engine."
    code = (
        "class Crank {\n  // Write a function to turn the crank of an engine.\n  void turn() {} // keeps turning\n}\n"
    )
    rows = [
        {"task_id": f"MBJP/{number}", "description": problem, "canonical_solution": code, "prompt": f"/** {problem} */"}
        for number in (11, 403, 404, 974)
    ]
    bench = read("mbjp", write_list(tmp_path / "mbjp.json", rows), strict=True)
    assert [task.id for task in bench.tasks] == ["mbjp/404", "mbjp/974"]
    assert bench.tasks[0].gold[0].path.endswith(".java")
    assert snippets(bench)[0] == "class Crank {\n  \n  void turn() {} // keeps turning\n}\n"
    assert bench.remarks == {"snippets": 2, "not of the test split": 2, "comments that repeat the query": 2}


def test_conala_asks_the_rewritten_question_where_there_is_one(tmp_path: Path) -> None:
    rows = [
        {"intent": "How to sort?", "rewritten_intent": "sort list `a`", "snippet": "a.sort()", "question_id": 7},
        {"intent": "How to reverse?", "rewritten_intent": None, "snippet": "a[::-1]", "question_id": 7},
        {"intent": "again", "rewritten_intent": "sort it", "snippet": "a.sort()", "question_id": 8},
    ]
    bench = read("conala", write_list(tmp_path / "conala-test.json", rows), strict=True)
    assert answers(bench) == {"sort list `a`": "a.sort()", "How to reverse?": "a[::-1]", "sort it": "a.sort()"}
    assert len(snippets(bench)) == 3, "equal snippets stay apart, as in the published corpus"


def cosqa(tmp_path: Path) -> Path:
    codes = {"def one():\n    '''First.'''": 0, "def two(): pass": 5, "def three(): pass": 2}
    (tmp_path / "code_idx_map.txt").write_text(json.dumps(codes))
    rows = [
        {"idx": "q1", "doc": "python second", "retrieval_idx": 5},
        {"idx": "q2", "doc": "first", "retrieval_idx": 0},
    ]
    return write_list(tmp_path / "cosqa-retrieval-dev-500.json", rows)


def test_cosqa_finds_its_functions_beside_the_queries(tmp_path: Path) -> None:
    bench = read("cosqa", cosqa(tmp_path), strict=True)
    assert answers(bench) == {"python second": "def two(): pass", "first": "def one():\n    '''First.'''"}
    assert len(snippets(bench)) == 3
    write_list(tmp_path / "cosqa-retrieval-train-19604.json", [])
    assert len(read("cosqa", tmp_path, strict=True).tasks) == 2
    write_list(tmp_path / "cosqa-retrieval-test-500.json", [])
    with pytest.raises(UsageError, match=r"several .*dev-500\.json.*test-500\.json"):
        read("cosqa", tmp_path)


def csn_row(name: str, **more: object) -> dict[str, object]:
    return {
        "url": f"https://example.org/x.py#{name}",
        "language": "python",
        "func_name": name,
        "docstring": f"Do {name}.",
        "docstring_tokens": ["Do", name, "."],
        "code": f'def {name}(value):\n    """Do {name}."""\n    return value\n',
        "code_tokens": ["def", name, "(", "value", ")", ":", "return", "value"],
        **more,
    }


@pytest.mark.parametrize("name", ["test.jsonl", "test.jsonl.gz", "python_test_0.jsonl.gz"])
def test_csn_asks_by_the_docstring_and_hides_it(tmp_path: Path, name: str) -> None:
    bench = read("csn", write_lines(tmp_path / name, [csn_row("turn"), csn_row("halt")]), strict=True)
    assert answers(bench)["Do turn ."] == "def turn ( value ) : return value"
    assert len(snippets(bench)) == 2
    if name.startswith("test."):
        assert len(read("csn", tmp_path, strict=True).tasks) == 2


def test_csn_without_tokens_strips_the_docstring(tmp_path: Path) -> None:
    broken = 'def turn(:\n    """Do turn."""\n    return (\n'
    rows = [csn_row("halt", code_tokens=None), csn_row("turn", code_tokens=None, code=broken, docstring_tokens=None)]
    bench = read("csn", write_lines(tmp_path / "test.jsonl", rows), strict=True)
    assert not any("Do " in snippet for snippet in snippets(bench))
    assert "return value" in answers(bench)["Do halt ."] and "return (" in answers(bench)["Do turn."]


def test_csn_takes_candidates_from_a_codebase(tmp_path: Path) -> None:
    write_lines(tmp_path / "codebase.jsonl", [csn_row(name) for name in ("turn", "halt", "lift")])
    write_lines(tmp_path / "test.jsonl", [csn_row("lift"), csn_row("gone")])
    bench = read("csn", tmp_path)
    assert answers(bench) == {"Do lift .": "def lift ( value ) : return value"} and len(snippets(bench)) == 3
    assert told(bench) == [("https://example.org/x.py#gone", "empty gold")]


def test_csn_of_another_language_has_its_ending(tmp_path: Path) -> None:
    rows = [csn_row("a", language="go"), csn_row("b", language="go")]
    assert read("csn", write_lines(tmp_path / "test.jsonl", rows)).tasks[0].gold[0].path.endswith(".go")
    rows = [csn_row("a", language=None, url="https://example.org/lib/x.rb#L1-L2")]
    assert read("csn", write_lines(tmp_path / "test.jsonl", rows)).tasks[0].gold[0].path.endswith(".rb")


# --- names


def test_names_can_be_normalised(tmp_path: Path) -> None:
    data = write_lines(tmp_path / "mbpp.jsonl", [mbpp_row(11, code="def add(a, b):\n    return a + b")])
    bench = read("mbpp", data, normalise=True)
    assert snippets(bench) == ["def Func(arg_0, arg_1):\n    return arg_0 + arg_1"]
    assert bench.name == "mbpp-normalised"
    assert snippets(read("mbpp", data)) == ["def add(a, b):\n    return a + b"]
    csn = read("csn", write_lines(tmp_path / "test.jsonl", [csn_row("turn")]), normalise=True)
    assert snippets(csn) == ["def Func(arg_0):\n    \n    return arg_0\n"]


def test_names_of_other_languages_cannot(tmp_path: Path) -> None:
    row = {"task_id": "MBJP/500", "description": "turn", "canonical_solution": "class A {}"}
    with pytest.raises(UsageError, match="Python only"):
        read("mbjp", write_list(tmp_path / "mbjp.json", [row]), normalise=True)


# --- bad rows

GOOD: dict[str, dict[str, object]] = {
    "mbpp": mbpp_row(20),
    "mbjp": {"task_id": "MBJP/500", "description": "turn", "canonical_solution": "class A {}"},
    "conala": {"intent": "turn", "rewritten_intent": None, "snippet": "turn()"},
    "csn": csn_row("turn"),
}
FILES = {"mbpp": "mbpp.jsonl", "mbjp": "mbjp.json", "conala": "conala-test.json", "csn": "test.jsonl"}
CHANGES = [
    ("mbpp", {"task_id": 21, "code": None}, "missing field", "mbpp.jsonl, line 2: no code"),
    ("mbpp", {"task_id": 21, "text": 3}, "missing field", "line 2: no text"),
    ("mbpp", {"task_id": "21"}, "missing field", "line 2: no task_id"),
    ("mbpp", {"task_id": 21, "code": " \n"}, "empty snippet", "mbpp/21"),
    ("mbpp", {"task_id": 21, "text": " \n"}, "empty query", "mbpp/21"),
    ("mbpp", {}, "duplicate id", "mbpp/20"),
    ("mbjp", {"task_id": "MBJP/501", "canonical_solution": None}, "missing field", "item 2: no canonical_solution"),
    ("mbjp", {"task_id": 501}, "missing field", "item 2: no task_id"),
    ("mbjp", {"task_id": "MBJP/501", "description": None}, "missing field", "item 2: no description"),
    ("mbjp", {}, "duplicate id", "mbjp/500"),
    ("conala", {"intent": None}, "missing field", "item 2: no intent"),
    ("conala", {"snippet": ["x"]}, "missing field", "item 2: no snippet"),
    ("conala", {"snippet": ""}, "empty snippet", "conala/2"),
    ("csn", {"url": "u", "code": None, "code_tokens": None}, "missing field", "line 2: no code"),
    ("csn", {"url": "u", "docstring": None, "docstring_tokens": [3]}, "missing field", "line 2: no docstring"),
    ("csn", {"url": "u", "docstring": "", "docstring_tokens": []}, "empty query", "u"),
    ("csn", {}, "duplicate id", "example.org"),
]


@pytest.mark.parametrize(("name", "change", "reason", "names"), CHANGES)
def test_a_bad_row_is_named_and_counted_or_refused(
    tmp_path: Path, name: str, change: dict[str, object], reason: str, names: str
) -> None:
    write = write_lines if FILES[name].endswith("l") else write_list
    data = write(tmp_path / FILES[name], [GOOD[name], GOOD[name] | change])
    bench = read(name, data)
    assert len(bench.tasks) == 1 and [case.reason for case in bench.skipped] == [reason]
    with pytest.raises(UsageError, match=names) as raised:
        read(name, data, strict=True)
    assert reason in str(raised.value)


def test_lines_that_are_no_json_are_named(tmp_path: Path) -> None:
    rows = [mbpp_row(11), '{"task_id": 12, "te', "[1]", "", mbpp_row(13), "[" * 100_000]
    data = write_lines(tmp_path / "mbpp.jsonl", rows)
    data.write_bytes(data.read_bytes() + b'{"text": "\xff"}\n')
    bench = read("mbpp", data)
    assert [task.id for task in bench.tasks] == ["mbpp/11", "mbpp/13"]
    assert told(bench) == [(f"line {number}", "malformed row") for number in (2, 3, 6, 7)]


def test_a_list_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    rows = [{"intent": f"question {number}", "snippet": f"f({number})"} for number in range(3)]
    data = write_list(tmp_path / "conala-test.json", rows)
    data.write_text(data.read_text()[:-9])
    with pytest.raises(UsageError, match=r"conala-test\.json is not JSON"):
        read("conala", data)


def test_a_compressed_file_that_was_cut_short_gives_what_it_holds(tmp_path: Path) -> None:
    data = write_lines(tmp_path / "test.jsonl.gz", [csn_row(f"name_{number * 7919}") for number in range(400)])
    data.write_bytes(data.read_bytes()[:-900])
    bench = read("csn", data)
    assert 0 < len(bench.tasks) < 400 and "cut short" in bench.skipped[-1].detail
    data.write_bytes(b"\x1f\x8bnonsense")
    with pytest.raises(UsageError, match=r"test\.jsonl\.gz"):
        read("csn", data)


def test_answers_that_are_not_there_are_counted(tmp_path: Path) -> None:
    data = cosqa(tmp_path)
    rows = [
        {"idx": "q1", "doc": "fine", "retrieval_idx": 5},
        {"idx": "q1", "doc": "again", "retrieval_idx": 5},
        {"idx": "q3", "doc": "nowhere", "retrieval_idx": 4},
        {"idx": "q4", "doc": "", "retrieval_idx": 5},
        {"idx": "q5", "doc": "text", "retrieval_idx": "5"},
        {"doc": "text", "retrieval_idx": 5},
    ]
    write_list(data, rows)
    assert [reason for _, reason in told(read("cosqa", data))] == [
        "duplicate id",
        "empty gold",
        "empty query",
        "missing field",
        "missing field",
    ]


def test_codes_of_one_number_are_counted(tmp_path: Path) -> None:
    data = cosqa(tmp_path)
    (tmp_path / "code_idx_map.txt").write_text(json.dumps({"def a(): pass": 5, "def b(): pass": 5, " ": 0, "c": "x"}))
    reasons = [case.reason for case in read("cosqa", data).skipped]
    assert reasons == ["duplicate id", "empty snippet", "malformed row", "empty gold"]


@pytest.mark.parametrize("name", SET_NAMES)
def test_data_that_cannot_be_read_at_all_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="missing"):
        read(name, tmp_path / "missing")
    with pytest.raises(UsageError, match=str(tmp_path)):
        read(name, tmp_path)
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    with pytest.raises(UsageError):
        read(name, empty)
    with pytest.raises(UsageError, match="no set"):
        read("apps", empty)


# --- the folder


def test_no_rule_leaves_a_snippet_out(tmp_path: Path, open_repo: Open) -> None:
    codes = [
        "# Code generated by a program. DO NOT EDIT.\nx = 1",
        "version https://git-lfs.github.com/spec/v1",
        "x = '\0'",
        "x = '" + "a" * 2_000_000 + "'",
        "\ufeffx = 2",
        "y = '\udc80'",
    ]
    rows = [mbpp_row(20 + number, code=code) for number, code in enumerate(codes)]
    bench = read("mbpp", write_lines(tmp_path / "mbpp.jsonl", rows), strict=True)
    found = open_repo(bench.tasks[0].place).inventory()
    assert [path for path, _ in found.included] == [task.gold[0].path for task in bench.tasks]
    assert {item.reason for item in found.excluded} == {"ignored"}, "our own two files are no candidates"
