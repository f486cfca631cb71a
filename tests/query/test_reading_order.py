"""Issues in the order in which models read them."""

from __future__ import annotations

import time

import pytest

from trackdown.query import most_telling_first

ISSUE = """\
Saving a draft loses its tags
### Search before asking

- [x] I searched the issues and found nothing.

### Environment

| OS | Linux |
Python: 3.11.2

### Describe the bug

When a draft is saved twice, the tags that were added first are gone from the page.

```python
from notes.models import Draft
draft = Draft.objects.open_latest()
draft.save_with_tags(["a"])
```

```
2024-05-01 10:00:00 INFO worker started
2024-05-01 10:00:01 INFO worker started
Traceback (most recent call last):
  File "/home/me/notes/notes/views.py", line 12, in save_view
    draft.save_with_tags(tags)
  File "/usr/lib/python3.11/contextlib.py", line 81, in inner
    return func(*args)
  File "/home/me/notes/notes/models.py", line 40, in save_with_tags
    self.tags.merge(tags)
TagConflict.MergeError: cannot merge tags of a closed draft
```

Please see https://example.org/a/very/long/address for more, it happens on every save of mine.
"""


def positions(text: str, *parts: str) -> list[int]:
    """Where each part begins; all must be there."""
    for part in parts:
        assert part in text, part
    return [text.index(part) for part in parts]


def assert_order(text: str, *parts: str) -> None:
    found = positions(text, *parts)
    assert found == sorted(found), dict(zip(parts, found, strict=True))


def test_what_tells_most_comes_first() -> None:
    assert_order(
        most_telling_first(ISSUE),
        "Saving a draft",
        "When a draft is saved twice",
        "it happens on every save",
        "MergeError: cannot merge",
        "open_latest",
        "models.py save_with_tags",
        "views.py save_view",
        "contextlib.py",
        "draft.save_with_tags([",
        "### Search before asking",
        "worker started",
    )


def test_the_environment_and_addresses_come_after_the_code() -> None:
    text = most_telling_first(ISSUE)
    code = text.index("draft.save_with_tags([")
    assert all(found > code for found in positions(text, "| OS |", "Python: 3.11", "I searched", "https://example.org"))


def test_lines_that_say_the_same_are_read_once() -> None:
    text = most_telling_first("Title\n\nThe same line.\nAnother line.\nThe same line.\nTitle")
    assert text.split() == "Title The same line. Another line.".split()
    assert most_telling_first(ISSUE).count("worker started") == 1


@pytest.mark.parametrize(
    "short", ["Session.get", "how is a session closed?", "Title\n\nOne line more.", "path:src  `x` ", "", "\n"]
)
def test_one_or_two_lines_stay_as_they_are(short: str) -> None:
    assert most_telling_first(short) == short


@pytest.mark.parametrize(
    "block",
    [
        "```js\n{}\n```",
        "~~~\n{}\n~~~",
        "{{{{{{\n{}\n}}}}}}",
        "{{code:java}}\n{}\n{{code}}",
        "{{noformat}}\n{}\n{{noformat}}",
        "<pre>\n{}\n</pre>",
        "    {}",
        "```{}```",
    ],
)
def test_blocks_of_code_follow_the_prose(block: str) -> None:
    code = "result = compute the wide total of rows"
    text = most_telling_first(f"Title\n\n{block.format(code)}\n\nThe total is wrong.\nIt should be ten.")
    assert_order(text, "Title", "The total is wrong", "It should be ten", code)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("    at com.shop.Cart.addItem(Cart.java:31)", "Cart.addItem"),
        ("    at addItem (/srv/app/src/cart.js:3:14)", "srv/app/src/cart.js addItem"),
        ("   6:     0x7ffb64669e5b - middle::subst::fold_region::h824e080844b5206eqxP", "middle::subst::fold_region"),
        ("#3  0x00007f12 in cart_add (c=0x0) at src/cart.c:31", "src/cart.c cart_add"),
        ('  File "/x/site-packages/shop/cart.py", line 3, in add_item', "shop/cart.py add_item"),
    ],
)
def test_a_frame_is_its_path_and_function(line: str, name: str) -> None:
    text = most_telling_first(f"Title\n\n{line}\n\nIt fails.\nAlways.")
    assert [part for part in text.split("\n") if part][-1] == name


def test_frames_of_the_standard_library_come_last() -> None:
    frames = "\tat java.util.List.get(List.java:1)\n\tat shop.Cart.add(Cart.java:2)\n\tat shop.Main.run(Main.java:3)"
    assert_order(most_telling_first(f"Title\n\n{frames}\n\nIt fails."), "Cart.add", "Main.run", "List.get")


def test_comments_of_the_template_are_left_out() -> None:
    text = most_telling_first("Title\n<!-- Explain <!-- or\nshow --> it -->\nIt fails.\nAlways, I <!-- think.")
    assert "Explain" not in text and "show" not in text
    assert "Always, I <!-- think." in text


def test_a_long_story_leaves_room_for_messages_and_names() -> None:
    story = "\n".join(f"Then the {number}th customer went to the counter and asked again." for number in range(100))
    text = most_telling_first(f"Title\n\n{story}\n\n```\nValueError: no such cart\ncart.add_line_item(1)\n```")
    assert_order(text, "the 0th", "ValueError: no such cart", "add_line_item", "the 99th")
    assert text.index("add_line_item") < 3000


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "`",
        "`\n",
        "```\n",
        "<!--\n",
        "(" * 990 + "\n",
        "hi " + "a" * 980 + " b c d e\n",
        "at a " * 190 + "\n",
        "[a](" * 240 + "\n",
        '"a.b/' * 190 + "\n",
    ],
)
def test_time_and_size_are_bounded(piece: str) -> None:
    text = "t\n\nx\n" + piece * (1_000_000 // len(piece))
    began = time.process_time()
    assert len(most_telling_first(text)) < 150_000
    assert time.process_time() - began < 1.5
