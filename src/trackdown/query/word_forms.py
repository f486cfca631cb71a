"""Other forms of a word: sign → signs, signed, signing, signer; eviction → evict; config → configuration.

A term loses its ending, and every ending that could follow what is left makes a possible form. Most of those are no
words at all: the caller keeps the ones that its index contains. So the rules can be few, and need no dictionary.
`word_families.py` lists what endings don't tell: abbreviations, irregular verbs, and words that only look alike.
"""

from __future__ import annotations

from functools import lru_cache

from trackdown.query.word_families import FAMILIES, UNRELATED

INFLECTION, DERIVATION, RELATIVE = 0.25, 0.1, 0.1
"""What one occurrence of a form counts: `signed` is the same verb as `sign`, `signer` is further away."""
_SHORTEST, _LONGEST = 3, 24
_VOWELS = frozenset("aeiouy")
_INFLECTIONS = ("ings", "ing", "ied", "ies", "ed", "es", "s")
_DERIVATIONS = ("ations", "ation", "ments", "ment", "ables", "able", "ally", "ly", "ers", "er")
_AFTER_T_OR_S = ("ions", "ion", "ors", "or")
_DOUBLING = ("ed", "ing", "er", "ers")


@lru_cache(maxsize=4096)
def other_forms(term: str) -> tuple[tuple[str, float], ...]:
    """Possible other forms of a term, and what each counts compared with the term itself."""
    if not (_SHORTEST <= len(term) <= _LONGEST and term.isascii() and term.isalpha()):
        return ()
    bases = _bases(term)
    found = {} if bases else dict(_built(_without_e(term)))
    found[f"{term}s"] = INFLECTION
    for base, weight in bases.items():
        for form, of_form in _built(base).items():
            found[form] = max(found.get(form, 0.0), min(weight, of_form))
    for relative in [relative for form in (term, *found) for relative in FAMILIES.get(form, ())]:
        for form in _inflected(relative):
            found.setdefault(form, RELATIVE)
    unrelated = UNRELATED.get(term, ())
    return tuple((form, weight) for form, weight in found.items() if form != term and form not in unrelated)


def _bases(term: str) -> dict[str, float]:
    """What a term with an ending may be built on, without a final e, and how near that is: parsing → pars."""
    found: dict[str, float] = {}
    for ending in _INFLECTIONS:
        if term.endswith(ending) and not term.endswith(("ss", "us", "is")):
            rest = term[: -len(ending)]
            _add(found, f"{rest}y" if ending in ("ied", "ies") else _single(rest), INFLECTION, _SHORTEST)
            if ending in ("ied", "ies", "es"):
                continue  # `es` may be the e of a verb and an s, too
            break
    for ending in _DERIVATIONS:
        if term.endswith(ending):
            rest = _single(term[: -len(ending)])
            _add(found, rest, DERIVATION, _SHORTEST if len(rest) + len(ending) < len(term) else _SHORTEST + 1)
            break
    for ending in _AFTER_T_OR_S:
        if term.endswith(ending) and term[: -len(ending)].endswith(("t", "s")):
            _add(found, term[: -len(ending)], DERIVATION, _SHORTEST + 1)
            break
    return found


def _add(found: dict[str, float], base: str, weight: float, shortest: int) -> None:
    base = _without_e(base)
    if len(base) >= shortest and not _VOWELS.isdisjoint(base):
        found.setdefault(base, weight)


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST else word


def _single(word: str) -> str:
    """A word without the doubling of its last letter: logg → log; but process stays."""
    doubled = len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeious"
    return word[:-1] if doubled else word


@lru_cache(maxsize=4096)
def _built(base: str) -> dict[str, float]:
    """What may be built on a base."""
    if base[-1] == "y" and base[-2] not in _VOWELS:
        stem = base[:-1]
        found = dict.fromkeys((base, f"{stem}ies", f"{stem}ied", f"{base}ing"), INFLECTION)
        return found | dict.fromkeys((f"{stem}ier", f"{stem}iers", f"{stem}iable"), DERIVATION)
    found = {base + ending: INFLECTION for ending in ("", "e", "s", "es", "ed", "ing", "ings")}
    derived = ["er", "ers", "able"]
    if base[-1] in "ts":
        derived += _AFTER_T_OR_S
    if len(base) > _SHORTEST and not base.endswith("at"):
        derived += ["ation", "ations", "ment", "ments"]
    found |= {base + ending: DERIVATION for ending in derived}
    if _may_double(base):
        doubled = base + base[-1]
        found |= {doubled + ending: INFLECTION if ending in ("ed", "ing") else DERIVATION for ending in _DOUBLING}
    return found


def _may_double(base: str) -> bool:
    """Whether the last letter may be doubled: consonant, vowel, consonant, as in log and cancel."""
    last = base[-3:]
    return last[0] not in _VOWELS and last[1] in _VOWELS and last[2] not in _VOWELS and last[2] not in "wxs"


def _inflected(word: str) -> tuple[str, ...]:
    if word.endswith("e"):
        return (word, f"{word}s", f"{word}d", f"{word[:-1]}ing")
    return (word, f"{word}s")
