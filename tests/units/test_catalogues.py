"""Catalogues of messages, recognised by their content: keys and texts."""

from __future__ import annotations

import time

import pytest

from trackdown.units.catalogues import catalogue_messages
from trackdown.units.extraction import extract

CATALOGUES = {
    "properties": "# texts\nuser.gone=The user {0} is gone\nuser.new = A new user came\n"
    "other.key=Nothing to see here\n",
    "android": '<resources>\n<string name="user.gone">The user %1$s is gone</string>\n'
    '<string name="user.new">A new user came</string><string name="x">Nothing to see here</string>\n</resources>\n',
    "resx": '<?xml version="1.0"?>\n<root>\n<data name="user.gone" a="b"><value>The user {0} is gone</value>'
    '</data>\n<data name="user.new"><value>A new user came</value></data>\n'
    '<data name="x"><value>Nothing to see here</value></data></root>\n',
    "json": '{"user": {"gone": "The user {{name}} is gone", "new": "A new user came"},\n "x": "Nothing to see here"}\n',
    "yaml": '# texts\nen:\n  user:\n    gone: "The user %{name} is gone"\n    new: A new user came\n'
    "  x: Nothing to see here\n",
    "gettext": 'msgid ""\nmsgstr ""\n\nmsgid "user.gone"\nmsgstr "The user %s "\n"is gone"\n\n'
    'msgid "user.new"\nmsgstr "A new user came"\n\nmsgid "x"\nmsgstr "Nothing to see here"\n',
}


@pytest.mark.parametrize("kind", sorted(CATALOGUES))
def test_entries_have_keys_and_texts(kind: str) -> None:
    found = catalogue_messages(CATALOGUES[kind].encode())
    assert [" ".join(word or "_" for word in message.words) for message in found] == [
        "The user _ is gone",
        "A new user came",
        "Nothing to see here",
    ]
    assert [message.name for message in found][:2] == ["user.gone", "user.new"]


@pytest.mark.parametrize(
    "text",
    [
        "A readme.\n\nx = this is prose\ny = and more of it\nz = and the end\n\nOther lines\nof text\nfollow\nnow\n",
        '{"name": "a-b", "main": "x.js", "version": "1.2", "license": "MIT", "description": "A thing for all"}\n',
        "steps:\n  - run: make all of it\n  - run: and test it\n  - run: again and again\n",
        "",
    ],
)
def test_other_texts_are_no_catalogues(text: str) -> None:
    assert catalogue_messages(text.encode()) == []


def test_a_catalogue_is_known_by_its_content_alone() -> None:
    facts = extract(CATALOGUES["properties"].encode(), "text")
    assert facts.message_names == {0: "user.gone", 1: "user.new", 2: "other.key"}


@pytest.mark.parametrize("piece", [b"{", b'{"a":', b'"a": "', b"<string name=", b"a=", b" a:\n", b'msgid "a"\n'])
def test_hostile_catalogues_take_linear_time(piece: bytes) -> None:
    for head in (b"", b"{", b"<resources>", b'msgid "', b"en:\n"):
        catalogue_messages(head + piece * 20000)


def test_objects_in_lists_leave_the_keys_after_them_as_they_are() -> None:
    source = b"""{"a": {"list": [{"x": "One thing is here"}, {"y": "No } brace counts"}, "some { text"],
        "after": "Still inside of it"}, "last": "At the top again"}"""
    assert [message.name for message in catalogue_messages(source)] == ["a.x", "a.y", "a.after", "last"]


def test_a_yaml_key_with_spaces_behind_it_is_not_an_entry() -> None:
    source = b"en:\n  user:   \n    gone: The user is gone\n    new: A new user came\n    old: An old user left\n"
    assert [message.name for message in catalogue_messages(source)] == ["user.gone", "user.new", "user.old"]


@pytest.mark.parametrize(
    "source",
    [
        b"key=" + b" " * 400_000 + b"x" * 3000,
        b"en:\n  key:" + b" " * 400_000 + b"x" * 3000,
        b"{" + b'"a":{' * 100_000 + b"}" * 100_000,
        b'{"a":"' + b'\\"' * 300_000,
    ],
    ids=["properties", "yaml", "deep json", "unclosed json"],
)
def test_long_lines_and_deep_nesting_take_linear_time(source: bytes) -> None:
    before = time.process_time()
    assert catalogue_messages(source) == []
    assert time.process_time() - before < 2  # in quadratic time, each takes more than five seconds
