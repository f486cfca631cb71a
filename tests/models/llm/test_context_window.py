"""What fits into a context: cut texts are as small as asked, and room is shared fairly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trackdown.models.llm.context_window import estimated_tokens, fair_shares, shortened


@given(st.text(max_size=400), st.integers(-3, 200))
def test_a_shortened_text_has_at_most_so_many_tokens(text: str, tokens: int) -> None:
    cut = shortened(text, tokens)
    assert cut == text or cut == "" or estimated_tokens(cut) <= tokens
    assert cut == text or estimated_tokens(text) > tokens
    assert cut == text or text.startswith(cut.removesuffix(" …").rstrip()[:5])


def test_lines_stay_whole_where_that_keeps_most() -> None:
    text = "".join(f"line number {number}\n" for number in range(50))
    kept = shortened(text, 60)
    assert kept.removesuffix(" …").split("\n")[-1] in text.split("\n") and kept.endswith(" …")
    assert shortened("x" * 1000, 40).startswith("xxxxxxxxxx")


def test_other_scripts_have_more_tokens() -> None:
    assert estimated_tokens("日本語" * 10) > 2 * estimated_tokens("abc" * 10)


@given(st.lists(st.integers(0, 1000), max_size=20), st.integers(-5, 5000))
def test_shares_are_fair(wanted: list[int], room: int) -> None:
    shares = fair_shares(wanted, room)
    assert sum(shares) <= max(0, room) and all(got <= want for got, want in zip(shares, wanted, strict=True))
    cut = [got for got, want in zip(shares, wanted, strict=True) if got < want]
    if cut:
        assert max(cut) - min(cut) <= 1 and max(shares) <= max(cut) + 1 and sum(shares) > room - len(wanted)
    else:
        assert shares == wanted
