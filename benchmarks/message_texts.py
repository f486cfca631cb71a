"""Draws messages from a repository as a user would see them: texts of raise, throw, log and error calls, filled in.

The parser is its own, so that it shares no error with the program's: regular expressions find a call, its first string
literal, and what is joined to it.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = 16
_CALL = re.compile(
    r"(?:\braise\s+(?:[\w.:]+[\s,(]+)?|\bthrow\s+(?:new\s+)?[\w.:\\]*\s*\("
    r"|\b(?:log|logger|logging|LOG|LOGGER|console|console_log|slog)(?:\.|->|::)\w+\s*\("
    r"|\b(?:warn|error|fatal|panic|die|abort|fail|bail|anyhow|err|errorf|fprintf|printf|sprintf|snprintf|serverLog"
    r"|serverPanic|addReplyError\w*|fmt\.Errorf|errors\.New|log\.\w+|fatalError|require|check|trigger_error"
    r"|Status::\w+|invalid|expected|\w*[eE]rror\w*|\w*Exception)!?\s*\()",
)
_STRING = {
    "double": re.compile(r'[rfbuFRBU$@]{0,2}"((?:[^"\\\n]|\\.)*)"'),
    "single": re.compile(r"[rfbuFRBU]{0,2}'((?:[^'\\\n]|\\.)*)'"),
    "back": re.compile(r"`((?:[^`\\]|\\.)*)`"),
}
_LANGUAGES = {
    ".py": ("double", "single"),
    ".c": ("double",),
    ".h": ("double",),
    ".cc": ("double",),
    ".cpp": ("double",),
    ".java": ("double",),
    ".kt": ("double",),
    ".rs": ("double",),
    ".go": ("double",),
    ".cs": ("double",),
    ".ts": ("double", "single", "back"),
    ".tsx": ("double", "single", "back"),
    ".js": ("double", "single", "back"),
    ".php": ("double", "single"),
    ".rb": ("double", "single"),
}
_BETWEEN = re.compile(r"""(?:[\w.:&*>-]{1,40},\s*|\(\s*|[A-Za-z_.]{1,20}\(\s*){0,3}""")
_JOINED = re.compile(r"\s*(?:[+.]\s*)?(?=[rfb$@]{0,2}[\"'`])")
_FILLED_BETWEEN = re.compile(r"\s*[+.]\s*[\w.$>()\[\]-]{1,60}\s*[+.]\s*(?=[\"'`])|\s*[A-Z]\w+\s*(?=\")")
_PLACEHOLDER = re.compile(
    r"(?P<number>%[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t)?[duixXfFeEg])"
    r"|%\((?P<name>\w+)\)[-\d.]*[a-zA-Z]|%[-+#]?\d*(?:\.[\d*]+)?[srvqTcp@]|\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|\$\w+(?:->\w+)*"
)
_ESCAPE = re.compile(r"\\(?:[ntr]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|\\(.)")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|testing|examples?|deps|vendor|third_party|__tests__|bench\w*)/"
    r"|[Tt]ests?\.\w+$|[._]test\.|(?:^|/)test_|_spec\.|[._]spec\."
)
_HEADER = re.compile(
    r"\b(?:def|fn|func|fun|function)\b|[\w)>]\s*[=:]\s*(?:async\s*)?(?:\([^=]*|\w+)\s*=>"
    r"|\w\s*\(.*\)[^;=()]*(?:\{.*)?$|^\s*[\w:*&<>,\s]+\w\([^;]*,\s*$"
)
_CONTROL = re.compile(
    r"\s*(?:[})]\s*)?(?:if|else|elif|for|foreach|while|switch|try|catch|do|with|case|synchronized|using|lock|match"
    r"|loop|unless|until|when|return|new|throw|raise|await)\b|\s*[\w.$]+\s*\(.*=>|\s*[.})\]]"
)
_CODE = re.compile(r"[<>{}\\]{2}|\\[dws.]|%n|;\s*$|^\s*(?:if|for|return) ?\(")
"""Literals that are patterns, markup or generated code rather than texts."""
_NUMBERS = ("3", "42", "60000", "1024", "17")
_VALUES = ("orders", "alice", "/var/lib/app/data.txt", "my-topic", "x", "config.yml", "42", "user_id", "eu-west-1")
_MARK = "\0"


@dataclass(frozen=True, slots=True)
class Text:
    """A message: where its literal is, its fixed pieces as the source writes them, and the text with all filled in."""

    path: str
    line: int
    pieces: tuple[str, ...]
    filled: str

    @property
    def longest(self) -> str:
        """The longest fixed piece, as one would paste it into grep."""
        return max(self.pieces, key=len)


def draw(repository: Path, count: int) -> tuple[list[Text], list[Text]]:
    """(some texts from code that is no test, all texts of the repository), the same every time."""
    everything = [text for path in _files(repository) for text in _texts(repository, path)]
    own = [text for text in everything if not _TEST.search(text.path)]
    distinct = list({text.pieces: text for text in own}.values())
    generator = random.Random(SEED)
    chosen = generator.sample(distinct, min(count, len(distinct)))
    return chosen, everything


def _files(repository: Path) -> list[str]:
    listed = subprocess.check_output(["git", "-C", str(repository), "ls-files", "-z"], text=True)
    return sorted(path for path in listed.split("\0") if Path(path).suffix in _LANGUAGES)


def _texts(repository: Path, path: str) -> Iterator[Text]:
    source = (repository / path).read_text("utf-8", "replace")
    if len(source) > 1 << 20:
        return
    patterns = [_STRING[name] for name in _LANGUAGES[Path(path).suffix]]
    lines = source.split("\n")
    ended = 0
    for call in _CALL.finditer(source):
        if call.start() < ended or _in_comment(source, call.start()):
            continue
        start = _BETWEEN.match(source, call.end())
        begin = start.end() if start else call.end()
        raw, ended = _literals(source, begin, patterns)
        line = source.count("\n", 0, begin) + 1
        text = _text(path, line, raw) if raw and _in_function(lines, line - 1) else None
        if text is not None:
            yield text


def _in_function(lines: list[str], number: int) -> bool:
    """Whether a line is inside a named function, as indentation and the lines above tell."""
    indent = _indent(lines[number])
    for above in range(number - 1, -1, -1):
        line = lines[above]
        if not line.strip() or line.lstrip().startswith(("#", "//", "*", "/*")) or _indent(line) >= indent > 0:
            continue
        if _HEADER.search(line) and not _CONTROL.match(line):
            return True
        if line.strip() == "{" or line.strip().startswith(")"):
            continue  # the header is above
        indent = _indent(line)
        if indent == 0:
            return False
    return False


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _in_comment(source: str, place: int) -> bool:
    before = source[source.rfind("\n", 0, place) + 1 : place].strip()
    return before.startswith(("#", "//", "*", "/*", "--")) and not before.startswith("#[")


def _literals(source: str, place: int, patterns: list[re.Pattern[str]]) -> tuple[str, int]:
    """The literal at a place with what is joined to it, and where that ends; a mark stands for what is filled in."""
    raw = ""
    while (found := next((match for one in patterns if (match := one.match(source, place))), None)) is not None:
        raw += found[1]
        place = found.end()
        joined = _JOINED.match(source, place)
        filled = _FILLED_BETWEEN.match(source, place)
        if joined is not None and joined.end() > place:
            place = joined.end()
        elif filled is not None:
            raw += _MARK
            place = filled.end()
        else:
            break
    return raw, place


def _text(path: str, line: int, raw: str) -> Text | None:
    """A message that people could quote: a fixed piece of two words and ten characters, three words in all."""
    generator = random.Random(f"{SEED} {path} {line}")
    pieces: list[str] = []
    filled = ""
    place = 0
    for found in [*re.finditer(f"{_PLACEHOLDER.pattern}|{_MARK}", raw), None]:
        piece = raw[place : found.start() if found else len(raw)]
        pieces += [one for one in re.split(r"\\[nrt]", piece) if one.strip()]
        filled += piece
        if found is not None:
            filled += generator.choice(_NUMBERS if found["number"] else _VALUES)
            place = found.end()
    words = re.findall(r"[^\W\d_]{2,}", " ".join(pieces))
    quotable = any(len(piece.strip()) >= 10 and " " in piece.strip() for piece in pieces)
    if len(words) < 3 or not quotable or _CODE.search(raw):
        return None
    return Text(path, line, tuple(pieces), " ".join(_ESCAPE.sub(lambda found: found[1] or " ", filled).split()))
