"""Messages of the program that a query quotes: filled in, wrapped, cut, or defined under a name elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.segments import corpus_of, index_of
from trackdown.index.code import CodeIndex
from trackdown.query.parse import understand
from trackdown.retrieve.candidate_pool import candidates
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.messages import retrieve
from trackdown.types import Level

FILES = {
    "src/producer.java": """class Producer {
  void send(String topic) {
    throw new Timeout(String.format("Topic %s not present in metadata after %d ms.", topic, wait));
  }
  void close() { log.info("Closing the producer with timeout {} and state {}", a, b); }
}
""",
    "src/errors.py": 'WRONG_TYPE = "Operation against a key holding the wrong kind of value"\nOTHER = "Out of range"\n',
    "src/check.py": """from errors import WRONG_TYPE

def check(value):
    if value is None:
        raise Failure(WRONG_TYPE)

def other(value):
    return value
""",
    "src/parse.py": 'def parse(a):\n    raise E("a list of the values")\n',
}


@pytest.fixture(scope="module")
def index() -> CodeIndex:
    return index_of(FILES)


def channel_of(index: CodeIndex, text: str, level: Level = "function") -> Channel | None:
    return retrieve(Request(corpus_of(index), candidates(index, level), understand(text)), [])


def best(index: CodeIndex, text: str, level: Level = "function") -> tuple[str, str]:
    """The best candidate and why; empty without one."""
    channel = channel_of(index, text, level)
    if channel is None:
        return "", ""
    place = int(np.argmax(channel.scores))
    pool = candidates(index, level)
    unit = int(pool.units[place])
    name = index.symbol(unit) if unit >= 0 else index.path(int(pool.files[place]))
    return name, channel.reasons([place])[0].text


@pytest.mark.parametrize(
    "text",
    [
        "Topic orders not present in metadata after 60000 ms.",
        "It fails:\n```\nERROR Topic orders/eu.west-1 not present\nin metadata after 60000 ms. (x.y)\n```\n",
        "not present in metadata",
        "TOPIC my topic NOT PRESENT IN METADATA",
    ],
)
def test_a_message_is_found_by_what_was_filled_in_wrapped_or_cut(index: CodeIndex, text: str) -> None:
    symbol, reason = best(index, text)
    assert symbol == "Producer.send"
    assert reason.startswith('says "')
    assert "not present" in reason.lower()


def test_a_constant_leads_to_those_who_use_it(index: CodeIndex) -> None:
    text = "Operation against a key holding the wrong kind of value"
    assert best(index, text) == ("check", f'uses WRONG_TYPE, which says "{text}"')
    assert best(index, text, "file")[0] in ("src/errors.py", "src/check.py")
    channel = channel_of(index, text)
    assert channel is not None
    assert np.count_nonzero(channel.scores) == 1
    for view in ("coverage", "run", "share", "constant"):
        assert np.count_nonzero(channel.views()[view]) == 1
    assert channel.views()["run"].max() == 10


@pytest.mark.parametrize(
    "text",
    [
        "how does closing work",
        "I have a list of the things and it is out of memory",
        "Producer",
        "the value of the key in the topic",
    ],
)
def test_common_phrases_are_no_evidence(index: CodeIndex, text: str) -> None:
    assert channel_of(index, text) is None


SETTINGS = """exports.set = function set(name, value) {
  debug('set "%s" to %o', name, value)
}
exports.open = function open(path) {
  throw new Error('Failed to open ' + path + ': ' + reason)
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cannot set headers after they are sent to the client", ""),
        ("set headers after they are sent to the client", ""),
        ('set "etag" to weak', "set"),
        ("Failed to open /var/lib/app/data/orders.json: permission denied", "open"),
    ],
)
def test_what_stands_in_gaps_counts_no_more_than_the_words_around_them(text: str, expected: str) -> None:
    assert best(index_of({"lib/settings.js": SETTINGS}), text)[0] == expected


def test_messages_that_tie_are_limited_whatever_the_order_of_storage() -> None:
    text = "red green blue cyan pink grey teal lime navy gold rose mint plum rust"
    lines = [f'def f{number}():\n    say("{text} c{number}")\n' for number in range(600)]
    tables = [{"src/a.py": "".join(lines[:300])}, {"src/b.py": "".join(lines[300:])}]
    found = []
    for files in (tables, tables[::-1]):
        index = index_of(*files)
        channel = channel_of(index, text)
        assert channel is not None
        assert channel.units is not None
        found.append({index.symbol(unit) for unit in np.flatnonzero(channel.units).tolist()})
    assert found[0] == found[1]
    assert len(found[0]) == 500


def test_a_message_in_passing_counts_less_than_the_whole_query(index: CodeIndex) -> None:
    text = "Topic orders not present in metadata after 60000 ms."
    padding = " ".join(f"word{number} and other{number}" for number in range(100))
    alone, passing = channel_of(index, text), channel_of(index, f"{padding}. {text} {padding}")
    assert alone is not None
    assert passing is not None
    assert alone.scores.max() > 0.8
    assert 0.2 < passing.scores.max() < 0.5


def test_scores_do_not_depend_on_how_the_index_was_built() -> None:
    text = "Topic orders not present in metadata after 60000 ms."
    stale = FILES | {"src/producer.java": 'class Old { void f() { log("Topic %s not present in metadata"); } }'}
    delta = {"src/producer.java": FILES["src/producer.java"]}
    whole, split = index_of(FILES), index_of(stale, delta, dead=[sorted(stale).index("src/producer.java")])
    scores = []
    for index in (whole, split):
        channel = channel_of(index, text)
        assert channel is not None
        assert channel.units is not None
        scores.append({index.symbol(unit): channel.units[unit] for unit in np.flatnonzero(channel.units).tolist()})
    assert scores[0] == scores[1]
    assert set(scores[0]) == {"Producer.send"}


def test_a_catalogue_leads_to_those_who_use_the_key() -> None:
    catalogue = '{"cart": {"emptied": "Your basket has been emptied", "x": "Other things"}, "z": "The very end"}'
    files = FILES | {"locale/en.json": catalogue, "src/cart.ts": "export function clear() {\n  t('cart.emptied')\n}\n"}
    text = "Your basket has been emptied"
    assert best(index_of(files), text) == ("clear", f'uses cart.emptied, which says "{text}"')


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('Unknown option "colour".', "Unknown option 'colour'"),
        ("'colour' is no option of 'paint'!", "'colour' is no option of 'paint'"),
        ("(Unknown option colour)", "Unknown option colour"),
        ("Can't paint 'colour'", "Can't paint 'colour'"),
    ],
)
def test_marks_of_a_quoted_message_stay_in_pairs(text: str, quoted: str) -> None:
    source = """def paint(a, b):
    raise Failure(f'Unknown option {a}')
    raise Failure(f"{a} is no option of {b}")
    raise Failure(f"Can't paint {a}")
"""
    assert best(index_of({"src/paint.py": source}), text) == ("paint", f'says "{quoted}"')


def test_a_message_that_is_said_outside_functions_leads_to_its_file() -> None:
    source = 'MISSING = """Working outside of the painting context.\n\nOpen one before you paint."""\n'
    index = index_of({"src/paint.py": source, "src/other.py": "def working_context():\n    return 1\n"})
    text = "Working outside of the painting context"
    channel = channel_of(index, f"Error: {text}.")
    assert channel is not None and not channel.scores.any()
    assert channel.elsewhere == f'"{text}" is in src/paint.py, outside any function'
    assert best(index, text, "file")[0] == "src/paint.py"
    for level, asked in (("file", text), ("function", f"Where is the code that shows how to open one? {text[:15]}")):
        found = channel_of(index, asked, level)  # type: ignore[arg-type]
        assert found is None or not found.elsewhere
