"""Text → words → terms: the identifier-aware tokenizer that code, commits and queries share.

A *word* is what a lexer would call an identifier or a number. Its *terms* are the whole word in lower case and,
where it has several, its camel-case, snake-case and digit parts: `parseHTTPDate2` gives parsehttpdate2, parse,
http, date, 2. Facts keep words, so a change of the rules for terms does not need a new parse.
"""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_BLANKED = bytes(code if chr(code).isalnum() or chr(code) == "_" else ord(" ") for code in range(128)).ljust(256)
_LONGEST_WORD = 64
_LETTER_DEFINITION = re.compile(
    r"^(?:#[ \t]*define[ \t]++([A-Za-z])\b|(?:[\w.<>*&\[\]]++[ \t]++){0,4}?([A-Za-z])[ \t]*+(?::[^=\n]{0,200})?=(?!=))",
    re.M,
)


def words(text: str) -> list[str]:
    """Every identifier and number of `text`, in order and with its case."""
    if text.isascii():  # several times faster than the pattern, with the same result
        return text.encode().translate(_BLANKED).decode().split()
    return _WORD.findall(text)


def terms(word: str) -> tuple[str, ...]:
    """The terms of one word: the whole and its parts, lower-cased, without repetition.

    Single letters carry next to nothing and hashes or encoded data match nothing: both give no terms.
    """
    if len(word) > _LONGEST_WORD:
        return ()
    if len(word) == 1:
        return () if word.isascii() and not word.isdigit() else (word.lower(),)
    whole = word.lower().strip("_")
    if word.isascii():
        if word.isalpha() and (word.islower() or word[1:].islower()):
            return (whole,)
        if word.islower() and whole.replace("_", "").isalpha():
            parts = whole.split("_")  # snake_case, by far the most frequent shape
        else:
            parts = _PART.findall(whole if word.isupper() else word)
        found = dict.fromkeys([whole, *map(str.lower, parts)])
    else:
        found = dict.fromkeys([whole, *whole.split("_")])
    return tuple(term for term in found if len(term) > 1 or term.isdigit() or not term.isascii())


def letter_definitions(text: str) -> list[str]:
    """Marks for the names of one letter that lines without indentation define: `g = 1` gives `g=`.

    Single letters are no terms. A mark is one, and no query contains it by chance.
    """
    return [f"{macro or name}=" for macro, name in _LETTER_DEFINITION.findall(text)]


def term_counts(text: str) -> Counter[str]:
    """How often each term occurs in `text`."""
    counts: Counter[str] = Counter()
    for word, count in Counter(words(text)).items():
        for term in terms(word):
            counts[term] += count
    return counts
