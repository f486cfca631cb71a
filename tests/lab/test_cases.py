"""Case files: what is written comes back, and what people write by hand is understood or told to be wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trackdown.errors import UsageError
from trackdown.lab.cases import BadLine, Case, CaseFile, CodeLocation, decode_case, encode_case, read_cases, write_cases


def read(tmp_path: Path, *lines: str | dict[str, object] | bytes) -> CaseFile:
    made = [
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    (tmp_path / "cases.jsonl").write_bytes(b"\n".join(made))
    return read_cases(tmp_path / "cases.jsonl")


def test_a_mined_case_in_the_form_of_the_docs() -> None:
    case = Case(
        "1a",
        "Fix the parser",
        ("a.py", "b.py"),
        (CodeLocation("a.py", "A.f"), CodeLocation("", "g")),
        "git",
        "1a2b",
        "past",
    )
    assert json.loads(encode_case(case)) == {
        "query": "Fix the parser",
        "relevant_files": ["a.py", "b.py"],
        "relevant_symbols": ["a.py:A.f", "g"],
        "id": "1a",
        "source": "git",
        "commit": "1a2b",
        "protocol": "past",
    }
    assert decode_case(encode_case(case)) == case
    assert "commit" not in encode_case(Case("1", "q", ("a.py",)))


def test_what_people_write(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "# by hand",
        "",
        {"query": "q1", "relevant_files": "./a.py", "mood": "good"},
        {"query": "q2", "relevant_symbols": ["f", "a.py:C.m", {"path": "a.py", "symbol": "g"}], "id": 7},
        "   ",
        {"query": "q3", "relevant_symbols": "h", "relevant_files": None, "id": "x", "source": "me"},
    )
    assert found == CaseFile(
        [
            Case("3", "q1", ("a.py",)),
            Case("7", "q2", (), (CodeLocation("", "f"), CodeLocation("a.py", "C.m"), CodeLocation("a.py", "g"))),
            Case("x", "q3", (), (CodeLocation("", "h"),), "me"),
        ]
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not a JSON object"),
        (b'{"query": "\xff"}', "not UTF-8"),
        ({"relevant_files": ["a.py"]}, "'query' is missing or empty"),
        ({"query": " ", "relevant_files": ["a.py"]}, "'query' is missing or empty"),
        ({"query": 3, "relevant_files": ["a.py"]}, "'query' is not a string"),
        ({"query": "q"}, "names no relevant file and no relevant symbol"),
        ({"query": "q", "relevant_files": [], "relevant_symbols": []}, "names no relevant file"),
        ({"query": "q", "relevant_files": 3}, "'relevant_files' is not a list"),
        ({"query": "q", "relevant_files": [3]}, "an item of 'relevant_files' is not a path"),
        ({"query": "q", "relevant_files": [""]}, "an item of 'relevant_files' is not a path"),
        ({"query": "q", "relevant_files": ["/etc/passwd"]}, "is not relative to the repository's root"),
        ({"query": "q", "relevant_symbols": [3]}, "an item of 'relevant_symbols' is not a string"),
        ({"query": "q", "relevant_symbols": ["a.py:"]}, "names no symbol"),
        ({"query": "q", "relevant_files": ["a"], "id": [1]}, "'id' is neither a string nor a whole number"),
        ({"query": "q", "relevant_files": ["a"], "protocol": "now"}, "neither 'head' nor 'past'"),
        ({"query": "q", "relevant_files": ["a"], "protocol": "past"}, "protocol 'past' needs a 'commit'"),
        ({"query": "q", "relevant_files": ["a"], "id": "1"}, "the id '1' is that of line 1"),
    ],
)
def test_a_bad_line_is_told_and_the_others_count(tmp_path: Path, line: str | dict[str, object], reason: str) -> None:
    good: dict[str, object] = {"query": "q", "relevant_files": ["a.py"]}
    found = read(tmp_path, good, line, good)
    assert [case.id for case in found.cases] == ["1", "3"]
    assert [problem.line for problem in found.problems] == [2]
    assert reason in found.problems[0].reason


def test_strict_lists_the_first_bad_lines(tmp_path: Path) -> None:
    assert read(tmp_path, *["{"] * 5).problems[4] == BadLine(
        5, "not JSON (Expecting property name enclosed in double quotes, column 2)"
    )
    with pytest.raises(UsageError, match=r"cases\.jsonl: line 1: not JSON .*; line 2: .*; line 3: .*; and 2 more bad"):
        read_cases(tmp_path / "cases.jsonl", strict=True)
    read(tmp_path, {"query": "q", "relevant_files": ["a.py"]})
    assert len(read_cases(tmp_path / "cases.jsonl", strict=True).cases) == 1


def test_a_file_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the case file"):
        read_cases(tmp_path / "none.jsonl")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the case file"):
        write_cases(tmp_path / "file" / "cases.jsonl", [])
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="cannot write the case file"):
        write_cases(tmp_path / "folder", [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    assert read(tmp_path, b'\xef\xbb\xbf{"query": "q", "relevant_files": "a"}\r', b"\r").cases == [
        Case("1", "q", ("a",))
    ]


names = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(":./# "), min_size=1, max_size=12).filter(
    lambda text: text.strip() and not text.startswith(("/", "./"))
)
paths = names | st.just("odd\udcff.py")
places = st.builds(CodeLocation, st.just("") | paths, names)


@st.composite
def cases(draw: st.DrawFn) -> list[Case]:
    made = []
    for number in range(draw(st.integers(0, 4))):
        files = draw(st.lists(paths, max_size=3, unique=True))
        symbols = draw(st.lists(places, min_size=0 if files else 1, max_size=3, unique=True))
        commit = draw(st.sampled_from(["", "1a2b3c"]))
        protocol = draw(st.sampled_from(["head", "past"])) if commit else "head"
        made.append(
            Case(
                f"{number}{draw(names)}",
                draw(names),
                tuple(files),
                tuple(symbols),
                draw(names | st.just("")),
                commit,
                "past" if protocol == "past" else "head",
            )
        )
    return made


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cases())
def test_round_trip(tmp_path: Path, made: list[Case]) -> None:
    write_cases(tmp_path / "deep" / "cases.jsonl", made)
    assert read_cases(tmp_path / "deep" / "cases.jsonl") == CaseFile(made)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["cases.jsonl"]
