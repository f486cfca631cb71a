"""Which characters are shown, and which are replaced."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from trackdown.surfaces.cli.terminal_text import advice, one_line, sanitize

VISIBLE_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Format characters that have a shape."""


@pytest.mark.parametrize(
    "text",
    [
        "plain text\n\twith lines",
        "naïve Straße 签名 🎉",
        "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 ⚙\ufe0f ✔\ufe0e",
        "می\u200cخواهم",
        "ക്\u200d ന്\u200c",
        "श्र\u200dी",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert sanitize(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("is\u200bAdmin is\u200dAdmin is\u200cAdmin", "is�Admin is�Admin is�Admin"),
        ("a\U000e0041\U000e0042", "a��"),
        ("👩\u200d\u200d\u200d", "👩\u200d��"),
        ("a\ufe0f ❤\ufe0f\ufe0f 漢\U000e0100", "a� ❤\ufe0f� 漢�"),
        ("a\u2028b\u2029c\x85d", "a�b�c�d"),
        ("\ufeffa\u00adb", "�a�b"),
        ("a\udcffb", "a\\udcffb"),
    ],
)
def test_what_nobody_sees_is_replaced(text: str, shown: str) -> None:
    assert sanitize(text) == shown


def test_no_format_character_is_forgotten() -> None:
    formats = {chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Cf", "Zl", "Zp")}
    kept = {sign for sign in formats if sign in sanitize(f"a{sign}a")}
    hieroglyphs = {chr(code) for code in range(0x13430, 0x13440)}
    assert kept - hieroglyphs == set(VISIBLE_FORMATS)


def test_a_line_stays_one() -> None:
    assert one_line("a\nb\tc\rd") == "a�b�c�d"


def test_advice_names_the_option_of_the_command_line() -> None:
    assert advice("Ask for files (level file)\x1b[0m") == "Ask for files (--level file)\N{REPLACEMENT CHARACTER}[0m"
