"""Run files: what was written is read again, however the writing ended."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.errors import TrackdownError, UsageError
from trackdown.lab.cases import CodeLocation
from trackdown.lab.runs import (
    MAX_STORED_QUERY_CHARS,
    Row,
    RunFile,
    by_mode,
    decode_row,
    encode_row,
    read_run,
    trec_lines,
)

# Undecodable bytes of a path are lone surrogates of this range; line breaks of all kinds are among the characters.
CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs"]), st.sampled_from("\udc80\udcff\n\x0b\x1c\x85\u2028\u2029")
)
TEXTS = st.text(CHARACTERS, max_size=20)
PLACES = st.builds(CodeLocation, TEXTS, TEXTS)
FLOATS = st.floats(-1e6, 1e6).map(lambda number: round(number, 6))


@st.composite
def rows(draw: st.DrawFn) -> Row:
    ranked = draw(st.lists(PLACES, max_size=4))
    scores = draw(st.lists(FLOATS, min_size=len(ranked), max_size=len(ranked)))
    gold = draw(st.lists(PLACES, max_size=2))
    ms = round(draw(st.floats(0, 1e5)), 3)
    return Row(
        draw(TEXTS), draw(TEXTS), tuple(ranked), tuple(scores), ms, tuple(gold), *(draw(TEXTS) for _ in range(8))
    )


@given(st.lists(rows(), max_size=5, unique_by=lambda row: row.key))
@settings(deadline=None, max_examples=60)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, written: list[Row]) -> None:
    path = tmp_path_factory.mktemp("runs") / "run.jsonl"
    config = "c"
    written = [replace(row, config=config) for row in written]
    with RunFile(path, config) as file:
        file.add(written)
    assert read_run(path) == written
    assert path.read_bytes().count(b"\n") == len(written)
    with RunFile(path, config) as file:
        assert list(file.rows.values()) == written


def row(id_: str, mode: str = "bm25", **more: object) -> Row:
    found = {
        "ranked": (CodeLocation("a.py", "f"), CodeLocation("b.py")),
        "scores": (1.5, 0.25),
        "gold": (CodeLocation("b.py"),),
        **more,
    }
    return Row(id_, mode, **found)  # type: ignore[arg-type]


def test_a_row_is_one_line_with_the_fields_of_the_contract() -> None:
    value = json.loads(encode_row(row("1", ms=3.14159, query="Why?\n")))
    assert value["ranked"] == [
        {"path": "a.py", "symbol": "f", "score": 1.5},
        {"path": "b.py", "symbol": "", "score": 0.25},
    ]
    assert (value["id"], value["mode"], value["ms"], value["gold"]) == (
        "1",
        "bm25",
        3.142,
        [{"path": "b.py", "symbol": ""}],
    )


def test_a_long_query_is_kept_in_part() -> None:
    assert decode_row(encode_row(row("1", query="x" * 5000))).query == "x" * MAX_STORED_QUERY_CHARS


def test_rows_of_other_programs_need_only_id_mode_and_ranked() -> None:
    found = decode_row('{"id": 7, "mode": "theirs", "ranked": [{"path": "a.py"}]}')
    assert found == Row("7", "theirs", (CodeLocation("a.py"),), (0.0,))


def test_a_line_ends_where_a_line_ends_and_nowhere_else(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": f"{sign!r}", "mode": "m", "ranked": [], "query": f"a{sign}b"}, ensure_ascii=False)
        for sign in "\x85\u2028\u2029"
    ]
    (tmp_path / "run").write_text("\r\n".join([*lines, "", ""]), "utf-8", newline="")
    assert [found.query for found in read_run(tmp_path / "run")] == ["a\x85b", "a\u2028b", "a\u2029b"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"mode": "m", "ranked": []}', "'id'"),
        ('{"id": "1", "ranked": []}', "'mode'"),
        ('{"id": "1", "mode": "m"}', "'ranked'"),
        ('{"id": "1", "mode": "m", "ranked": {}}', "'ranked'"),
        ('{"id": "1", "mode": "m", "ranked": ["a.py"]}', "an item of 'ranked' has no path"),
        ('{"id": "1", "mode": "m", "ranked": [{"path": "a.py", "symbol": 3}]}', "an item of 'ranked'"),
        ('{"id": "1", "mode": "m", "ranked": [{"path": "a.py", "score": "high"}]}', "not a number"),
        ('{"id": "1", "mode": "m", "ranked": [], "ms": 1' + "0" * 400 + "}", "not a number"),
        ('{"id": "1", "mode": "m", "ranked": [], "gold": {}}', "'gold' is not a list"),
        ('{"id": "1", "mode": "m", "ranked": [], "gold": [1]}', "an item of 'gold'"),
        ('{"id": "1", "mode": "m", "ranked": [], "skipped": true}', "'skipped' is not a string"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(f"{encode_row(row('1'))}\n\n{line}\n{encode_row(row('2'))}\n")
    with pytest.raises(UsageError, match=r"run\.jsonl, line 3: ") as caught:
        read_run(path)
    assert words in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.jsonl: No such file"):
        read_run(tmp_path / "gone.jsonl")


def test_cut_anywhere_it_gives_its_whole_lines_and_can_go_on(tmp_path: Path) -> None:
    written = [row(str(number), query="é\u2028", config="c") for number in range(3)]
    whole = "".join(f"{encode_row(one)}\n" for one in written).encode()
    path = tmp_path / "run.jsonl"
    for length in range(0, len(whole) + 1, 7):
        path.write_bytes(whole[:length])
        complete = [one for one in written if encode_row(one).encode() in whole[:length]]
        told: list[str] = []
        assert read_run(path, tell=told.append) == complete
        rest = whole[:length].rpartition(b"\n")[2]
        assert bool(told) == (bool(rest) and len(rest) < len(encode_row(written[0])))
        with RunFile(path, "c") as file:
            assert list(file.rows.values()) == complete
            file.add(written)
        assert path.read_bytes() == whole


def test_a_last_line_without_its_end_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(encode_row(row("1")))
    told: list[str] = []
    assert read_run(path, tell=told.append, cut_short_is_fine=False) == [row("1")] and told == []


def test_a_cut_line_is_told_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(encode_row(row("1")) + "\n" + encode_row(row("2"))[:-9])
    told: list[str] = []
    assert read_run(path, tell=told.append) == [row("1")]
    assert told == [f"{path}, line 2: the file is cut short, its last line is left out"]
    with pytest.raises(UsageError, match="line 2: not JSON"):
        read_run(path, cut_short_is_fine=False)


def test_a_case_is_scored_once_in_a_mode(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{encode_row(one)}\n" for one in (row("1"), row("1", "hybrid"), row("1"))))
    with pytest.raises(UsageError, match=r"line 3: case '1' appears twice in mode 'bm25'"):
        read_run(path)


def test_a_case_that_was_skipped_may_come_again_and_counts_then(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    skipped = Row("1", "bm25", skipped="commit not in the clone", config="c")
    scored = row("1", config="c")
    with RunFile(path, "c") as file:
        file.add([skipped, row("2", config="c")])
        file.add([skipped])
        assert path.read_bytes().count(b"\n") == 2, "the same row is not written again"
    with RunFile(path, "c") as file:
        file.add([scored])
    assert read_run(path) == [scored, row("2", config="c")]


def test_rows_of_another_configuration_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with RunFile(path, "one") as file:
        file.add([row("1", config="one")])
    before = path.read_bytes()
    with pytest.raises(UsageError, match="another bench, level or setting"):
        RunFile(path, "two")
    assert path.read_bytes() == before
    with RunFile(path, "one"):
        pass  # the refusal left no lock behind


def test_two_do_not_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with RunFile(path, "c"), pytest.raises(UsageError, match="another process writes to"):
        RunFile(path, "c")
    with RunFile(path, "c"):
        pass


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "run.jsonl"):
        with pytest.raises(UsageError, match="cannot write the run file"):
            RunFile(path, "c")


def test_rows_may_be_thrown_away_and_a_full_disk_is_told() -> None:
    with RunFile(Path("/dev/null"), "c") as file:
        file.add([row("1", config="c")])
        assert len(file.rows) == 1
    with RunFile(Path("/dev/full"), "c") as file, pytest.raises(TrackdownError, match="/dev/full: No space left"):
        file.add([row("1", config="c")])


def test_folders_are_made(tmp_path: Path) -> None:
    with RunFile(tmp_path / "a" / "b" / "run.jsonl", "c") as file:
        file.add([row("1", config="c")])
    assert len(read_run(tmp_path / "a" / "b" / "run.jsonl")) == 1


def test_modes_come_in_their_order() -> None:
    found = by_mode([row("1", "z"), row("1", "a"), row("2", "z")])
    assert {mode: [one.id for one in group] for mode, group in found.items()} == {"z": ["1", "2"], "a": ["1"]}
    assert list(found) == ["z", "a"]


def test_trec_has_six_fields_and_scores_that_keep_the_order() -> None:
    places = (CodeLocation("a b.py", "f"), CodeLocation("c.py"), CodeLocation("d.py"), CodeLocation("e.py"))
    lines = list(trec_lines([row("my id", "bm25 + rrf", ranked=places, scores=(0.5, 0.5, 0.5000001, 0.1))]))
    assert [line.split(" ") for line in lines] == [
        ["my_id", "Q0", "a_b.py:f", "1", "0.500000", "trackdown-bm25_+_rrf"],
        ["my_id", "Q0", "c.py", "2", "0.499999", "trackdown-bm25_+_rrf"],
        ["my_id", "Q0", "d.py", "3", "0.499998", "trackdown-bm25_+_rrf"],
        ["my_id", "Q0", "e.py", "4", "0.100000", "trackdown-bm25_+_rrf"],
    ]


@given(st.lists(FLOATS, min_size=2, max_size=30))
@settings(deadline=None, max_examples=60)
def test_a_program_that_sorts_by_score_finds_our_order(scores: list[float]) -> None:
    ordered = sorted(scores, reverse=True)
    ranked = tuple(CodeLocation(f"{number}.py") for number in range(len(ordered)))
    lines = [line.split(" ") for line in trec_lines([row("1", ranked=ranked, scores=tuple(ordered))])]
    assert sorted(lines, key=lambda line: -float(line[4])) == lines
    assert len({line[4] for line in lines}) == len(lines)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", '"nan"'])
def test_numbers_that_are_none_are_refused(number: str) -> None:
    with pytest.raises(ValueError, match="not a number"):
        decode_row(f'{{"id": "1", "mode": "x", "ranked": [], "ms": {number}}}')


def test_a_scored_row_is_never_replaced(tmp_path: Path) -> None:
    with RunFile(tmp_path / "run.jsonl", "") as file:
        file.add([Row("1", "x", (CodeLocation("a"),), (1.0,), gold=(CodeLocation("a"),))])
        with pytest.raises(UsageError, match="another ranking"):
            file.add([Row("1", "x", (CodeLocation("b"),), (1.0,), gold=(CodeLocation("a"),))])
