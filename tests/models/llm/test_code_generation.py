"""Prompts that ask for code or for a sentence, and what is taken from an answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import grows_at_most
from trackdown.models.llm.code_generation import CodeExample, code_prompt, extract_code, extract_summary, summary_prompt
from trackdown.models.llm.context_window import estimated_tokens
from trackdown.models.llm.prompt import Prompt

PAIRS = [CodeExample(f"turn crank {n}", f"def crank_{n}():\n    return {n}") for n in range(4)]
CODE = "def sign(cookie):\n    return cookie"


@pytest.mark.parametrize(
    "answer",
    [
        CODE,
        f"```python\n{CODE}\n```",
        f"Sure! Here it is:\n\n```py\n{CODE}\n```\nThis signs a cookie. ```not this```",
        f"~~~~\n{CODE}\n~~~~",
        f"```\n{CODE}\n",  # cut off before the fence was closed
        f"Code:\n{CODE}",
        f"{CODE}\n\nDescription: another one\nCode:\ndef more(): pass",
        f"  ```\n{CODE}\n  ```",
    ],
)
def test_the_code_of_an_answer(answer: str) -> None:
    assert extract_code(answer) == CODE


@pytest.mark.parametrize("answer", ["", "   \n", "```\n```", "```python\n\n```", "…", "42", "```\n()\n```"])
def test_an_answer_without_code_is_none(answer: str) -> None:
    assert extract_code(answer) == ""


def test_fields_of_a_record_are_no_labels() -> None:
    record = "class Entry:\n    description: str\n    code: int"
    assert extract_code(record) == record


def test_code_is_cut_and_keeps_no_turns_of_a_conversation() -> None:
    assert len(extract_code("x = 1\n" * 10_000)) <= 8000
    assert "<|im_end|>" not in extract_code("print('<|im_end|>')") and "print" in extract_code("print('<|im_end|>')")


def test_the_sentence_of_an_answer() -> None:
    assert extract_summary('Purpose: "Sign the\ncookie."\n\nIt does so by …') == "Sign the cookie."
    assert extract_summary("**Sign the cookie.**") == "Sign the cookie."
    assert extract_summary("  \n") == "" and extract_summary("?!") == ""
    assert len(extract_summary("word " * 1000)) <= 600


def test_pairs_come_first_as_turns_of_their_own() -> None:
    prompt, cut = code_prompt("sign a cookie", PAIRS, "python", 4096)
    assert not cut and prompt.user == "Description: sign a cookie\nCode:" and "Python" in prompt.system
    assert prompt.examples == tuple((f"Description: {pair.description}\nCode:", pair.code) for pair in PAIRS)
    turned, _ = summary_prompt(CODE, PAIRS[:1], "text", 4096)
    assert turned.examples == ((f"Code:\n{PAIRS[0].code}\nPurpose:", PAIRS[0].description),)
    assert "  " not in turned.system


def test_the_first_answer_is_the_likeliest_and_others_differ() -> None:
    prompts = [code_prompt("sign", PAIRS, "python", 4096, number)[0] for number in range(3)]
    assert [prompt.temperature for prompt in prompts] == [0.0, 1.0, 1.0]
    assert len({prompt.digest("m") for prompt in prompts}) == 3


def size(prompt: Prompt) -> int:
    told = [prompt.system, prompt.user, *(text for example in prompt.examples for text in example)]
    return sum(map(estimated_tokens, told)) + prompt.max_tokens


@given(st.text(max_size=3000), st.integers(512, 4096), st.lists(st.text(max_size=400), max_size=5))
def test_a_prompt_fits_whatever_stands_in_it(text: str, context: int, codes: list[str]) -> None:
    pairs = [CodeExample("turn the crank", code) for code in codes]
    for prompt, cut in (code_prompt(text, pairs, "python", context), summary_prompt(text, pairs, "python", context)):
        assert size(prompt) <= context
        assert cut or estimated_tokens(prompt.user) >= estimated_tokens(text)


def test_what_does_not_fit_is_cut_and_said_to_be() -> None:
    prompt, cut = summary_prompt("value = compute(value)\n" * 500, PAIRS, "python", 1024)
    assert cut and "compute" in prompt.user and prompt.user.endswith("Purpose:")
    assert prompt.examples, "some of the room is for examples"
    tight, _ = summary_prompt("value = 1\n" * 500, PAIRS, "python", 400)
    assert len(tight.examples) < len(PAIRS)


@pytest.mark.parametrize(
    "answer", [lambda n: "`" * n, lambda n: "~" * n + "\nx", lambda n: "`" * n + "\n" + "`\n" * (n // 2)]
)
def test_a_long_fence_takes_linear_time(answer: Callable[[int], str]) -> None:
    assert grows_at_most(10, extract_code, answer(15_000), answer(60_000))


def test_a_fence_ends_at_a_line_like_its_own() -> None:
    assert extract_code("So:\n````py\ndef f():\n```\n  ````\nrest") == "def f():\n```"
    assert extract_code("~~~\r\ndef f(): ...\r\n~~~\r\nrest") == "def f(): ..."
    assert extract_code("```\ndef f(): ...") == "def f(): ..."
