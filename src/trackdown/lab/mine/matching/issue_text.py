"""Is the text of an issue one to learn from? Every rule that drops one has a name.

Somebody who searches has no patch and no link to the fix. Two hints stay with texts that are kept: whether one names a
file that was changed, and whether it speaks of a change already made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FEWEST_CHARACTERS = 80
LONGEST_TEXT = 8000
NO_ISSUE, SHORT, PATCH, COMMIT_LINK, FIX_LINK = (
    "revert, release or roll-up",
    f"fewer than {FEWEST_CHARACTERS} characters of prose",
    "holds a patch",
    "links to a commit",
    "links to the fix",
)
_TITLE = re.compile(
    r"\A\W{0,3}(?:revert|back ?out|bump|release\b|prepar\w+ (?:for )?release|version bump|roll-?up|backport)", re.I
)
_PATCH = re.compile(r"^(?:diff --git |Index: \S|@@ -\d+(?:,\d+)? \+\d|--- a/\S|\+\+\+ b/\S|\*\*\* \d+,\d+ \*{4})", re.M)
_COMMIT_LINK = re.compile(r"/(?:commit|changeset|rev)/[0-9a-f]{7,40}\b")
_URL = re.compile(r"https?://\S+")
_OUTPUT_LINE = re.compile(r"\s*(?:at [\w.$]+\(|>>> |\$ |\w{2,10}: \[\d+\]|File \"|#\d+ +0x|    \S)")
_NO_PROSE = re.compile(r"[^A-Za-z\u00c0-\uffff'.,\s]+")
_PLAN = re.compile(
    r"\b(?:this|the|my|attached) (?:ticket|patch|branch|pr|pull request|commit|change|diff)\b[^.\n]{0,40}?"
    r"\b(?:add|allow|attached|chang|clean|fix|implement|improv|introduc|mak|mov|provid|remov|replac|updat)"
    r"|\b(?:i|we)(?:'ve| have)? (?:added|fixed|implemented|removed)\b|\bpatch (?:is )?attached\b"
    r"|\battached (?:is )?(?:a |the )?patch\b|^(?:adds?|fix(?:es)?|removes?|implements?) ",
    re.I | re.M,
)


def text_rule(title: str, body: str) -> str:
    """Why an issue is left out for its text alone; empty if it is not."""
    if _TITLE.match(title):
        return NO_ISSUE
    if prose_length(body) < FEWEST_CHARACTERS:
        return SHORT
    if _PATCH.search(body):
        return PATCH
    return COMMIT_LINK if _COMMIT_LINK.search(body) else ""


def links_to_fix(body: str, commit: str, pulls: Iterable[str]) -> bool:
    """Whether a text names the commit that resolved it, or the pull request by its address."""
    if re.search(rf"\b{commit[:7]}", body):
        return True
    return any(re.search(rf"/(?:pull|pulls|merge_requests)/{pull}\b", body) for pull in pulls if pull)


def prose_length(text: str) -> int:
    """The characters of running text: fenced and indented code, output, links and signs don't count."""
    prose = _URL.sub(" ", " ".join(text.split("```")[::2]))
    lines = [line for line in prose.split("\n") if _OUTPUT_LINE.match(line) is None]
    return len(" ".join(_NO_PROSE.sub(" ", "\n".join(lines)).split()))


def whole_text(title: str, body: str) -> str:
    """What a model reads: title, blank line, body."""
    return f"{' '.join(title.split())}\n\n{body}"[:LONGEST_TEXT].rstrip()


def names_file(text: str, files: Iterable[str]) -> bool:
    """Whether a text holds the path or the full name of a file."""
    return any(path in text or _is_named(path.rpartition("/")[2], text) for path in files)


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w/]){re.escape(name)}(?!\w)", text) is not None


def speaks_of_a_change(text: str) -> bool:
    """Whether a text tells of a change that was already made, as an author of a patch does."""
    return _PLAN.search(text) is not None


_TELLING = re.compile(r"[^_]_[^_]|[a-z][A-Z]|[A-Za-z]\d")


def named_functions(text: str, functions: Iterable[str]) -> set[str]:
    """The functions that a text names exactly.

    A name that is also a word (`close`) must be written as code: called, after a dot, or in backquotes.
    """
    return {name for name in set(functions) if len(name) > 2 and _is_told(name, text)}


def _is_told(name: str, text: str) -> bool:
    word = re.escape(name)
    if _TELLING.search(name):
        return re.search(rf"(?<!\w){word}(?!\w)", text) is not None
    return re.search(rf"(?<!\w){word}\(|(?:\w\.|::|->|#){word}(?!\w)|`{word}`", text) is not None
