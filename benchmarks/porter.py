"""Porter's stemmer, as Lucene has it: what an English analyzer does to words behind the tokenizer.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with his two later departures (bli, logi).
"""

from __future__ import annotations

import re
from functools import cache

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip


@cache
def stem(word: str) -> str:
    """The stem of a word in lower case. Words of one or two signs stay, and so does what is not of a to z."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for rules in (_STEP_2, _STEP_3):
        for ending, other in rules:
            if word.endswith(ending):
                word = word[: -len(ending)] + other if _measure(word[: -len(ending)]) > 0 else word
                break
    return _tidy(_step_4(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word[: -len(ending)]):
            found = word[: -len(ending)]
            if found.endswith(("at", "bl", "iz")):
                return found + "e"
            if _doubled(found) and found[-1] not in "lsz":
                return found[:-1]
            return found + "e" if _measure(found) == 1 and _short(found) else found
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            cut = 3 if ending in ("sion", "tion") else len(ending)
            return word[:-cut] if _measure(word[:-cut]) > 1 else word
    return word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


@cache
def _shape(word: str) -> str:
    """A word as c and v: vowels, and y behind a consonant."""
    signs = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and signs.endswith("c"))
        signs += "v" if vowel else "c"
    return signs


def _measure(word: str) -> int:
    return len(re.findall("v+c+", _shape(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _short(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"
