"""Tables of strings: what goes in comes out, and what is looked up is found."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from trackdown.index.strings import SortedTable, StringTable, pack, pack_sorted, to_bytes, to_text
from trackdown.store.arrays import Arrays

long = st.binary(max_size=6) | st.binary(max_size=3).map(lambda end: b"prefixes" + end)
strings = st.lists(st.binary(max_size=12), max_size=20)


def table_of(items: list[bytes]) -> StringTable:
    return StringTable(Arrays(pack("t", items), {}), "t")


@settings(max_examples=150, deadline=None)
@given(strings)
def test_strings_come_back_in_order(items: list[bytes]) -> None:
    table = table_of(items)
    assert len(table) == len(items)
    assert [table.raw(index) for index in range(len(table))] == items
    assert table.all_text() == [to_text(item) for item in items] == [table.text(index) for index in range(len(items))]


symbols = st.text("ag.", max_size=4)


@settings(max_examples=150, deadline=None)
@given(st.lists(symbols, max_size=12), symbols.filter(bool))
def test_names_at_the_end_of_strings_are_found(items: list[str], name: str) -> None:
    found = table_of([to_bytes(item) for item in items]).ending_with(f".{name}").tolist()
    assert found == [index for index, item in enumerate(items) if f".{item}".endswith(f".{name}")]


@settings(max_examples=150, deadline=None)
@given(st.sets(long, max_size=30), st.lists(long, max_size=10))
def test_a_sorted_table_finds_what_it_has_and_nothing_else(items: set[bytes], others: list[bytes]) -> None:
    ordered = sorted(items)
    table = SortedTable(Arrays(pack_sorted("t", ordered), {}), "t")
    wanted = [*ordered, *others]
    assert table.find(wanted) == [ordered.index(each) if each in items else -1 for each in wanted]


@given(st.binary(max_size=40))
def test_any_bytes_survive_as_text(data: bytes) -> None:
    assert to_bytes(to_text(data)) == data


@given(strings)
def test_the_same_strings_give_the_same_bytes(items: list[bytes]) -> None:
    first, second = pack("t", items), pack("t", iter(items))
    assert {name: array.tobytes() for name, array in first.items()} == {
        name: array.tobytes() for name, array in second.items()
    }
