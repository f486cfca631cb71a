"""TOML: a table comes in and goes out, and every other byte stays."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.errors import UsageError
from trackdown.surfaces.agents.edit_toml import drop_table as drop
from trackdown.surfaces.agents.edit_toml import put_table as put
from trackdown.surfaces.agents.edit_toml import read_toml as read

PATH = ("mcp_servers", "trackdown")
ENTRY: dict[str, str | bool | list[str]] = {"command": "/opt/bin/trackdown", "args": ["mcp"]}
WRITTEN = '[mcp_servers.trackdown]\ncommand = "/opt/bin/trackdown"\nargs = ["mcp"]\n'
CONFIG = '''# Codex
model = "o5"   # the large one
prompt = """
[mcp_servers.trackdown]
this is a text, not a table
"""
list = [
  "a", # one
  "]",
]

[mcp_servers.github]
command = "npx"
args = ["-y", "server"]

# about profiles
[profiles."my one"]
model = 'x'
'''
PIECES = [
    "# a note\n",
    "a = 1\n",
    'b = "x # y"\n',
    "c = [1,\n 2] # two\n",
    "d = '''\n[t]\n'''\n",
    "\n",
    "e = { f = 1 }\n",
    "g.h = 2\n",
]
TABLES = ["[mcp_servers.x]\n", "[t]\n", "[[many]]\n", '["mcp_servers".y]\n', "[u.v]\n"]


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Valid TOML of several tables, with comments, texts of several lines and odd ends."""
    tables = draw(st.lists(st.sampled_from(TABLES), unique=True, max_size=4))
    text = ""
    for head in ["", *tables]:
        text += head + "".join(draw(st.lists(st.sampled_from(PIECES), unique=True, max_size=4)))
    text = text if draw(st.booleans()) else text.rstrip("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def test_a_table_is_added_at_the_end() -> None:
    after = put(CONFIG, PATH, ENTRY)
    assert after == CONFIG + "\n" + WRITTEN
    assert drop(after, PATH) == CONFIG
    assert put("", PATH, ENTRY) == WRITTEN and drop(WRITTEN, PATH) == ""


def test_a_table_that_is_there_keeps_the_keys_that_are_not_ours() -> None:
    theirs = "[mcp_servers.trackdown]\ncommand = 'old' # mine\nstartup_timeout_sec = 20\n\n"
    theirs += "[mcp_servers.trackdown.env]\nA = '1'\n[other]\ncommand = 'x'\n"
    after = put(theirs, PATH, ENTRY)
    assert after.endswith('\nstartup_timeout_sec = 20\nargs = ["mcp"]\n' + theirs.partition("= 20\n")[2])
    table = tomllib.loads(after)["mcp_servers"]["trackdown"]
    assert table["startup_timeout_sec"] == 20 and table["env"]["A"] == "1"
    assert (table["command"], table["args"]) == ("/opt/bin/trackdown", ["mcp"])
    assert put(after, PATH, ENTRY) == after


def test_a_table_in_the_middle_goes_with_the_tables_below_it() -> None:
    text = f"a = 1\n\n{WRITTEN}\n[mcp_servers.trackdown.env]\nA = '1'\n\n# about b\n[b]\nc = 2\n"
    assert drop(text, PATH) == "a = 1\n\n# about b\n[b]\nc = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { trackdown = { command = "x" } }\n',
        'mcp_servers.trackdown.command = "x"\n',
        '[mcp_servers]\ntrackdown = { command = "x" }\n',
    ],
)
def test_a_table_may_be_written_in_any_way(text: str) -> None:
    after = put(text, PATH, ENTRY)
    assert read(after)["mcp_servers"]["trackdown"] == ENTRY and after.startswith(text.partition('"')[0])
    assert read(drop(after, PATH)).get("mcp_servers", {}) == {}


@pytest.mark.parametrize("text", ["mcp_servers = { other = 1 }\n", "mcp_servers = 5\n", "mcp_servers.trackdown = 1\n"])
def test_a_value_in_its_place_is_left_alone(text: str) -> None:
    with pytest.raises(UsageError):
        put(text, PATH, ENTRY)


def test_comments_behind_a_table_stay_where_they_are() -> None:
    text = f"a = 1\n{WRITTEN}\n# about b\n[b]\nc = 2\n"
    assert put(text, PATH, {"more": "x"}) == text.replace('["mcp"]\n', '["mcp"]\nmore = "x"\n')
    assert drop(text, PATH) == "a = 1\n# about b\n[b]\nc = 2\n"


def test_a_file_whose_tables_would_move_is_left_alone() -> None:
    apart = f"[mcp_servers.a]\nx = 1\n[[many]]\ny = 1\n[mcp_servers.b]\nz = 1\n[t]\n{WRITTEN}"
    with pytest.raises(UsageError, match="the order of its tables would change"):
        drop(apart, PATH)
    with pytest.raises(UsageError, match="the order of its tables would change"):
        put(apart, PATH, {"command": "y"})
    assert put(apart, PATH, ENTRY) == apart


def test_what_is_not_toml_is_refused() -> None:
    with pytest.raises(UsageError, match=r"it is not TOML: .*line 1"):
        read("a = \n")


@settings(deadline=None)
@given(documents())
def test_all_else_stays_and_dropping_is_the_reverse_of_putting(text: str) -> None:
    before = read(text)
    after = put(text, PATH, ENTRY)
    assert after.startswith(text)
    values = read(after)
    assert values["mcp_servers"].pop("trackdown") == ENTRY
    assert {**before, "mcp_servers": before.get("mcp_servers", {})} == values
    try:
        assert drop(after, PATH).rstrip("\r\n") == text.rstrip("\r\n")
        changed = put(after, PATH, {"command": "other"})
    except UsageError:
        assert "[[many]]" in text and text.count("mcp_servers") > 0
        return
    assert changed == after.replace("/opt/bin/trackdown", "other")
    if text.endswith("\n") or not text:
        assert drop(after, PATH) == text


@given(st.text().filter(lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text)))
def test_any_text_is_written_so_that_it_is_read(text: str) -> None:
    assert read(put("", ("a", text or "x"), {"command": text}))["a"][text or "x"]["command"] == text
