"""Makes text of repositories safe to show: it must not control a terminal, nor tell an agent what people don't see."""

from __future__ import annotations

import re
from itertools import product

from trackdown.types import LEVEL_CLASS, LEVEL_FILE

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTIONS = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0d\ufeff"
    r"\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Tags, variation selectors, zero-width and filling characters (Unicode's default ignorables), and line ends."""
_EMOJI = r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINED = rf"{_EMOJI}\ufe0f\u0600-\u109f\u1780-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
"""What a joiner may follow: emoji, and scripts from Arabic to Khmer that spell words with joiners."""
_HIDDEN = re.compile(
    rf"[{_CONTROLS}{_DIRECTIONS}{_INVISIBLE}]|(?<![{_JOINED}])[\u200c\u200d]|(?<![{_EMOJI}0-9#*])[\ufe0e\ufe0f]"
)


def one_line(text: str) -> str:
    """Sanitize a name or a subject, and drop line breaks and tabs, which could forge lines of ours."""
    return re.sub(r"[\n\t]", "\N{REPLACEMENT CHARACTER}", sanitize(text))


def sanitize(text: str) -> str:
    """Replace control, direction and invisible characters visibly, and spell out undecodable bytes.

    Joiners and emoji styles stay where people write them, one after a character that they change.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode()
    return _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def advice(text: str) -> str:
    """A note or a verdict on one line, as the command line says it: a level is an option there.

    What it quotes stays as it is.
    """
    text = one_line(text)
    for level, (before, after) in product((LEVEL_FILE, LEVEL_CLASS), (("(", ")"), ("with ", ""))):
        text = text.replace(f"{before}{level}{after}", f"{before}--{level}{after}")
    return text


def human_bytes(size: float) -> str:
    """Format a size for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
