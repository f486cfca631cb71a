"""JSON with comments: what is read is what JSON says, and an edit changes its own member and nothing else."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.errors import UsageError
from trackdown.surfaces.agents.edit_json import drop_member as drop
from trackdown.surfaces.agents.edit_json import put_member as put
from trackdown.surfaces.agents.edit_json import read_json as read

ENTRY = {"command": "/opt/bin/trackdown", "args": ["mcp"]}
SETTINGS = """// My settings
{
    "theme": "dark", // not light
    /* servers of
       mine */
    "mcpServers": {
        "github": {
            "command": "npx", // from npm
            "args": ["-y", "server",],
        },
        // "old": {"command": "x"},
    },
    "font": {"size": 12},
}
"""

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
objects = st.dictionaries(st.sampled_from(["a", "mcpServers", "b", "//", '"', "{"]), values, max_size=4)
blanks = st.sampled_from(["", " ", "\n", "\n  ", "\t", " // said, {\n", "/* } */", "\n/* a\nb */ ", "\r\n"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """An object as people write them: with comments, odd blanks and commas at the end."""

    def gap(depth: int) -> str:
        return draw(blanks) if depth < 3 else ""

    def comma(parts: list[str]) -> str:
        return draw(st.sampled_from(["", ","])) if parts else ""

    def written(value: Any, depth: int) -> str:
        if isinstance(value, dict):
            parts = [
                f"{gap(depth)}{json.dumps(name)}{gap(depth)}:{gap(depth)}{written(one, depth + 1)}{gap(depth)}"
                for name, one in value.items()
            ]
            return "{" + ",".join(parts) + comma(parts) + gap(depth) + "}"
        if isinstance(value, list):
            parts = [f"{gap(depth)}{written(one, depth + 1)}{gap(depth)}" for one in value]
            return "[" + ",".join(parts) + comma(parts) + gap(depth) + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    return draw(blanks) + written(draw(objects), 0) + draw(blanks)


def squeezed(text: str) -> str:
    """Blanks before a closing brace are nobody's."""
    return re.sub(r"\s*\}", "}", text)


@given(values)
def test_what_json_writes_is_read(value: Any) -> None:
    assert read(json.dumps(value)) == value
    assert read(json.dumps(value, indent=2, ensure_ascii=False)) == value


def test_comments_and_last_commas_are_read() -> None:
    assert read(SETTINGS) == {
        "theme": "dark",
        "mcpServers": {"github": {"command": "npx", "args": ["-y", "server"]}},
        "font": {"size": 12},
    }
    assert read('\N{ZERO WIDTH NO-BREAK SPACE}{"a": "// no comment /* */"}') == {"a": "// no comment /* */"}
    assert read("// nothing but this\n") is None and read("") is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", 1),
        ('{"a"}', 1),
        ('{"a": 1\n "b": 2}', 2),
        ("{,}", 1),
        ('{"a": tru}', 1),
        ("[1,,2]", 1),
        ('{"a": 1} x', 1),
        ('{"a": "b\n', 1),
        ("{\n/* open", 2),
        ('{\n\n"a": 1,,}', 3),
        ("[" * 200, 1),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(UsageError, match=f"it is not JSON: see line {line}$"):
        read(text)


def test_an_entry_comes_in_below_the_others_and_in_their_manner() -> None:
    after = put(SETTINGS, ["mcpServers", "trackdown"], ENTRY)
    assert after == SETTINGS.replace(
        '        // "old": {"command": "x"},\n',
        '        // "old": {"command": "x"},\n'
        '        "trackdown": {\n'
        '            "command": "/opt/bin/trackdown",\n'
        '            "args": [\n'
        '                "mcp"\n'
        "            ]\n"
        "        },\n",
    )
    assert drop(after, ["mcpServers", "trackdown"]) == SETTINGS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1}', '{"a": 1, "s": {"t": 5}}'),
        ('{"s": {"x": 1}}', '{"s": {"x": 1, "t": 5}}'),
        ('{"s": {"x": 1,},}', '{"s": {"x": 1, "t": 5,},}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"s": {\n\t\t"t": 5\n\t}\n}\n'),
        ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "s": {\r\n    "t": 5\r\n  }\r\n}\r\n'),
        ('{\n  "a": 1 }', '{\n  "a": 1,\n  "s": {\n    "t": 5\n  }\n}'),
        ('{\n  "a": 1 // one */ two\n}', '{\n  "a": 1, // one */ two\n  "s": {\n    "t": 5\n  }\n}'),
        ('{\r\n  "a": 1 // one\r\n}', '{\r\n  "a": 1, // one\r\n  "s": {\r\n    "t": 5\r\n  }\r\n}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "s": {\n    "t": 5\n  }\n}'),
        ("{}", '{\n  "s": {\n    "t": 5\n  }\n}'),
        ("", '{\n  "s": {\n    "t": 5\n  }\n}\n'),
        ("// mine\n", '// mine\n{\n  "s": {\n    "t": 5\n  }\n}\n'),
    ],
)
def test_an_entry_is_written_as_the_text_around_it(before: str, after: str) -> None:
    assert put(before, ["s", "t"], 5) == after


def test_the_same_value_changes_nothing_and_another_only_itself() -> None:
    assert put(SETTINGS, ["mcpServers", "github", "args"], ["-y", "server"]) == SETTINGS
    assert put(SETTINGS, ["font", "size"], 14) == SETTINGS.replace("12", "14")


def test_a_large_file_is_edited_if_a_program_wrote_it_and_refused_otherwise() -> None:
    large = json.dumps({"history": ["é" * 100] * 20_000, "mcpServers": {}}, indent=2, ensure_ascii=False)
    after = put(large, ["mcpServers", "trackdown"], ENTRY)
    assert read(after)["mcpServers"] == {"trackdown": ENTRY} and drop(after, ["mcpServers", "trackdown"]) == large
    with pytest.raises(UsageError, match="too large to edit"):
        put("// mine\n" + large, ["mcpServers", "trackdown"], ENTRY)


def test_a_byte_order_mark_and_deep_nesting_stay() -> None:
    deep = '\N{ZERO WIDTH NO-BREAK SPACE}{"a": ' + "[" * 90 + "]" * 90 + "} // end"
    after = put(deep, ["s"], 5)
    assert after == deep.replace("]}", ']], "s": 5}'.replace("]]", "]")) and drop(after, ["s"]) == deep
    with pytest.raises(UsageError, match="nested too deep"):
        put('{"a": ' + "[" * 9_000 + "]" * 9_000 + "}", ["s"], 5)


@pytest.mark.parametrize("mark", ["\N{LINE SEPARATOR}", "\N{PARAGRAPH SEPARATOR}"])
def test_line_ends_that_json_allows_in_strings_stay(mark: str) -> None:
    text = f'{{"a{mark}": "b{mark}\\ud83d\\ude00", /* c{mark} */ "\\ue000": 1}} // d'
    assert read(text) == {f"a{mark}": f"b{mark}\N{GRINNING FACE}", "\ue000": 1}
    after = put(text, [f"a{mark}"], 5)
    assert read(after) == {f"a{mark}": 5, "\ue000": 1} and f"/* c{mark} */" in after
    assert read(drop(text, [f"a{mark}"])) == {"\ue000": 1}


def test_an_entry_in_something_that_is_no_object_is_refused() -> None:
    with pytest.raises(UsageError, match="mcpServers is not an object"):
        put('{"mcpServers": []}', ["mcpServers", "trackdown"], ENTRY)
    with pytest.raises(UsageError, match="the whole file is not an object"):
        put("[]", ["mcpServers", "trackdown"], ENTRY)


@settings(deadline=None)
@given(documents())
def test_what_is_put_is_there_and_all_else_stays(text: str) -> None:
    before = read(text)
    if not isinstance(before.get("mcpServers", {}), dict):
        return
    after = put(text, ["mcpServers", "trackdown"], ENTRY)
    assert read(after) == {**before, "mcpServers": {**before.get("mcpServers", {}), "trackdown": ENTRY}}
    comments = re.compile(r"// said, \{|/\* \} \*/|/\* a\nb \*/")
    assert comments.findall(after) == comments.findall(text)


@settings(deadline=None)
@given(documents())
def test_dropping_is_the_reverse_of_putting(text: str) -> None:
    before = read(text)
    if not isinstance(before.get("mcpServers", {}), dict):
        return
    after = put(text, ["mcpServers", "trackdown"], ENTRY)
    again = drop(after, ["mcpServers", "trackdown"])
    if "mcpServers" not in before:
        again = drop(again, ["mcpServers"])
    assert read(again) == before
    assert squeezed(again) == squeezed(text)


@settings(deadline=None)
@given(documents(), st.data())
def test_dropping_any_member_leaves_the_others(text: str, data: st.DataObject) -> None:
    before = read(text)
    if not before:
        return
    name = data.draw(st.sampled_from(sorted(before)))
    assert read(drop(text, [name])) == {key: value for key, value in before.items() if key != name}
    assert drop(text, ["not there", "at all"]) == text
