"""Which lines of a unit speak for a query."""

from __future__ import annotations

import time

from trackdown.excerpts import Excerpt, Sought, SoughtTerms, best_lines, definition


def sought(*words: str, names: tuple[str, ...] = (), lines: tuple[int, ...] = (), **weights: float) -> Sought:
    """What to look for: words that weigh 5, and others with their weights."""
    return weighed({**dict.fromkeys(words, 5.0), **weights}, names, lines)


def weighed(known: dict[str, float], names: tuple[str, ...] = (), lines: tuple[int, ...] = ()) -> Sought:
    terms = SoughtTerms({word: (place, weight) for place, (word, weight) in enumerate(known.items())})
    return Sought(terms, names, lines)


def excerpt(text: str, looked_for: Sought, symbol: str = "", language: str = "python", first: int = 1) -> Excerpt:
    return best_lines(text.split("\n"), first, symbol, language, looked_for)


def numbers(found: Excerpt) -> list[int]:
    return [match.line for match in found.matches]


def marked(found: Excerpt) -> list[list[str]]:
    """What the spans of each line cover."""
    return [[match.text[start:end] for start, end in match.spans] for match in found.matches]


C = """/* Creates a group. The group is created with
 * createGroup and may be busy. */
static int
createGroup(client *c) {
    stream *s = lookup(c);
    if (s == NULL) return 0;
    if (raxFind(s)) {
        reply(c, "-BUSY Group exists");
        return 0;
    }
    /* A busy group is an error. */
    return 1;
}"""


def test_the_signature_comes_first_and_the_matching_line_next() -> None:
    found = excerpt(C, sought("busy"), "createGroup", "c", first=100)
    assert numbers(found) == [103, 107]
    assert found.line == 107
    assert found.matches[0].text == "createGroup(client *c) {" and found.matches[0].spans == ()
    assert marked(found)[1] == ["BUSY"]


def test_a_comment_does_not_push_code_out_but_speaks_where_no_code_does() -> None:
    assert 101 not in numbers(excerpt(C, sought("busy"), "createGroup", "c", first=100))
    assert numbers(excerpt(C, sought("error"), "createGroup", "c")) == [4, 11]


def test_a_docstring_or_decorator_is_no_signature() -> None:
    docstring = '    """Load a file.\n\n    The cookie is signed.\n    """'
    text = f'@wraps("load")\ndef load(path):\n{docstring}\n    return sign(path)'
    found = excerpt(text, sought("sign", signed=4.0), "load")
    assert numbers(found)[:2] == [2, 7] and found.line == 7


def test_each_line_is_chosen_for_what_those_before_it_do_not_say() -> None:
    text = "def f():\n    alpha(beta)\n    alpha(beta, 1)\n    alpha(beta, 2)\n    gamma()"
    assert numbers(excerpt(text, sought("alpha", "beta", "gamma"), "f"))[:3] == [1, 2, 5]


def test_rare_words_weigh_more_than_many_common_ones() -> None:
    text = "def f():\n    get(the, value, key)\n    flush_quota()"
    found = excerpt(text, sought(quota=9.0, get=1.2, value=1.2, key=1.2), "f")
    assert numbers(found)[1] == 3 and found.line == 3


def test_a_part_of_a_name_is_marked_where_it_stands() -> None:
    found = excerpt("def f():\n    addReplyError(replyToClient)", sought("reply", "error"), "f")
    assert marked(found)[1] == ["ReplyError", "reply"]


def test_forms_of_one_word_count_once() -> None:
    terms = SoughtTerms({"sign": (0, 5.0), "signed": (0, 4.0), "cookie": (1, 5.0)})
    found = excerpt("def f():\n    sign(signed)\n    sign(cookie)", Sought(terms), "f")
    assert numbers(found)[1] == 3


def test_the_query_that_names_the_function_leads_to_its_signature() -> None:
    found = excerpt("def load(path):\n    return path", sought("load", "path"), "load")
    assert found.line == 1


def test_lines_that_the_query_points_at_and_names_that_stand_for_a_message_are_found_without_words() -> None:
    text = "def f():\n    a()\n    raise ERR_BUSY\n    b()"
    assert numbers(excerpt(text, sought(lines=(14,)), "f", first=11)) == [11, 14]
    found = excerpt(text, sought(names=("ERR_BUSY",)), "f")
    assert numbers(found) == [1, 3] and marked(found)[1] == ["ERR_BUSY"]


def test_without_any_match_there_is_the_signature_or_the_first_line_of_code() -> None:
    assert numbers(excerpt(C, sought("absent"), "createGroup", "c")) == [4]
    assert numbers(excerpt("# words\n\nx = 1\ny = 2", sought("absent"))) == [3]
    assert numbers(excerpt("", sought("absent"))) == [1]


def test_a_long_line_is_cut_around_its_first_match() -> None:
    line = "x" * 500 + " busy " + "y" * 500
    (match,) = excerpt(line, sought("busy")).matches
    assert len(match.text) < 260 and match.text.startswith("…") and match.text.endswith("…")
    assert [match.text[start:end] for start, end in match.spans] == ["busy"]


def test_definition_finds_the_line_of_a_class() -> None:
    lines = ["@dataclass", "class Cart(Base):", '    """A Cart."""']
    found = definition(lines, 5, "shop.Cart", "python", Sought())
    assert found is not None and (found.line, found.text) == (6, "class Cart(Base):")


def test_work_is_bounded_for_huge_units() -> None:
    lines = ["word other " * 3000 for _ in range(20_000)]
    before = time.process_time()
    found = best_lines(lines, 1, "f", "python", sought("word", "other"))
    assert len(found.matches) <= 6
    assert time.process_time() - before < 4


def test_the_same_answer_whatever_the_order_of_sets() -> None:
    text = "\n".join(f"w{number} w{number + 1} w{number + 2}" for number in range(50))
    weights = {f"w{number}": 1.0 + number % 3 for number in range(0, 50, 2)}
    found = [numbers(excerpt(text, weighed(dict(order)))) for order in (weights.items(), reversed(weights.items()))]
    assert found[0] == found[1]
