"""Commit messages → queries: what a person would have asked, without what programs and habits add to it.

Fingerprints tell which queries and which pieces of code say the same: a digest of what is left without the form.
"""

from __future__ import annotations

import hashlib
import re

from trackdown.units import words

_NUMBER = r"(?:[\w./-]*#|gh-?)\d+"
_NUMBERS_AT_THE_END = re.compile(rf"\s*[(\[](?:{_NUMBER}[,;\s]*)+[)\]]\s*$", re.IGNORECASE)
_CI_MARK = re.compile(r"\s*\[(?:skip[ -]ci|ci[ -]skip|skip actions|no ci|skip azp)\]\s*", re.IGNORECASE)
_TRAILER = re.compile(
    r"(?:[\w-]+-by|change-id|cc|git-svn-id|svn path|gitorigin-revid|differential revision|reviewers|subscribers|pr-url"
    r"|cherry-picked-from|backport-of|link|see-also|pull-request)\s*[:=]\s*\S.*"
    rf"|(?:bug|issue|refs?|fix(?:es|ed)?|close[sd]?|resolve[sd]?|see|related(?: to)?)\s*:?\s*"
    rf"(?:(?:{_NUMBER}|https?://\S+)[,;.\s]*(?:and\s+)?)+"
    r"|\(cherry picked from commit [0-9a-f]{7,64}\)|skip-checks: ?\w+|---+",
    re.IGNORECASE,
)
_NO_WORDS = re.compile(
    rf"https?://\S+|{_NUMBER}\b|\b[A-Z]{{2,10}}-\d+\b|\b(?=[a-f]*\d)[0-9a-f]{{7,64}}\b|\b[\w.+-]+@[\w.-]+\.\w+\b"
    r"|\bv?\d+(?:\.\d+)+\w*",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"\s*(?:\[[\w\s./-]{1,20}\]\s*|(?:fix(?:es|up)?|feat(?:ure)?|chore|docs?|tests?|style|refactor|perf|build|ci|revert"
    r"|squash|wip|bug(?:fix)?|hotfix|typo|misc|minor|nit|mrg|enh|maint|sty|tst)(?P<scope>\([^)]*\))?!?:\s*)",
    re.IGNORECASE,
)
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d{3,}")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_FUNCTION_WORDS = frozenset(
    """a about after again all also an and any are as at be been before but by can cannot cant could did didnt do does
    doesnt dont down each else for from had has have how i if in instead into is isnt it its just let lets like make
    makes may more most much my no not now of off on once one only onto or other our out over own per please same should
    so some still such than that the their them then there these they this those through to too under until up upon use
    used uses using very via was wasnt we were what when where which while who why will with within without wont would
    yet you your""".split()
)
_WORDS_OF_ANY_CHANGE = frozenset(
    """add added adding address addressed adds adjust adjusted bit bug bugfix bugs change changed changelog changes
    clean cleaned cleaning cleans cleanup cleanups commit commits correct corrected correction corrections edit
    edits feedback few final first fix fixed fixes fixing fixup flake8 follow followup further hotfix improve
    improved improvement improvements improves initial issue issues lint linter linting little minor misc
    miscellaneous mistake mistakes nit nitpick nits oops pep pep8 polish pr quick refactor refactored refactoring
    reformat remaining remove removed removes review reviews ruff several slight slightly small spacing spelling
    squash stuff suggestion suggestions temporary test testing tests thing things tidy tmp todo trivial tweak tweaks
    typing typo typos unneeded unused update updated updates updating various whitespace whoops wip wording""".split()
)


def clean_subject(message: str) -> str:
    """The first line of a message that says something, without the numbers of issues at its end."""
    return next(filter(None, map(_without_numbers, message.splitlines())), "")


def folded_subject(subject: str) -> str:
    """A subject for comparison: a commit that was picked again must not find itself in its own past."""
    return " ".join(clean_subject(subject).casefold().split())


def clean_message(message: str) -> str:
    """A message without trailers (Signed-off-by and the like), git-svn-id and the numbers at its subject's end."""
    subject, *body = message.strip().splitlines() or [""]
    kept = [line.rstrip() for line in body if not _TRAILER.fullmatch(line.strip())]
    text = "\n".join([_without_numbers(subject), *kept])
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def content_words(text: str) -> set[str]:
    """The words of a message that say what it is about, in lower case; names count by their parts.

    Left out are tags (`fix:`, `[MRG]`), numbers of issues, versions, addresses, hashes, and words of any change.
    """
    while (tag := _TAG.match(text)) is not None:
        text = f"{tag['scope'] or ''} {text[tag.end() :]}"
    plain = _NO_WORDS.sub(" ", text).replace("’", "'").replace("'", "")
    found: set[str] = set()
    for word in words(plain):
        parts = _PART.findall(word) if word.isascii() else [*word.split("_"), *_IDEOGRAPH.findall(word)]
        found |= {part.lower() for part in parts if len(part) > 1 or not part.isascii()}
    return found - _FUNCTION_WORDS - _WORDS_OF_ANY_CHANGE


def _without_numbers(line: str) -> str:
    text = _CI_MARK.sub(" ", line).strip()
    while (shorter := _NUMBERS_AT_THE_END.sub("", text)) != text:
        text = shorter
    return text


_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s)$")


def query_fingerprint(text: str) -> bytes:
    """The same for two queries whose words that say something are the same, in any order and number.

    Endings do not count, nor do words of any change: `Fixes parsing of dates` is like `Fixed: parse date`.
    """
    said = {_ENDING.sub("", word).rstrip("e") for word in content_words(text)}
    return _digest(" ".join(sorted(said)))


def code_fingerprint(code: str) -> bytes:
    """The same for two pieces of code with the same words in the same order: layout, quotes and signs do not count."""
    return _digest(" ".join(words(code)))


class Once:
    """Lets every likeness pass once."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def is_new(self, likeness: bytes) -> bool:
        """Whether it comes for the first time; it is remembered."""
        if likeness in self._seen:
            return False
        self._seen.add(likeness)
        return True

    def __contains__(self, likeness: bytes) -> bool:
        return likeness in self._seen


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
