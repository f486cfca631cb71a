"""An issue → its lines, each with its kind: prose, message, frame, code, log or template.

An issue is Markdown, the wiki text of Trac or Jira, or plain text that somebody pasted. A line is judged by itself and
by what it stands in: a block of code, or a section such as "Environment". Every rule reads one line of bounded length,
so the time grows with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum


class LineKind(Enum):
    """What a line of an issue is. TEMPLATE includes what a template asks for: versions, platforms, check marks."""

    PROSE = "prose"
    MESSAGE = "message"
    FRAME = "frame"
    CODE = "code"
    LOG = "log"
    TEMPLATE = "template"


_MOST_LINES = 2000
"""Later lines are not judged: so long a text ends with a log."""
_LONGEST_JUDGED = 1000
"""A longer line is prose, or code within a block: the rules describe lines that people and programs write."""
_OPENING = re.compile(r"\s*(?:>\s*)?(```|~~~|\{\{\{|\{(?:code|noformat)\b[^{}\n]{0,60}\}|<pre\b[^<>\n]{0,60}>)")
_CLOSING = {"```": "```", "~~~": "~~~", "{{{": "}}}", "{co": "{code}", "{no": "{noformat}", "<pr": "</pre>"}
_HEADING = re.compile(
    r"\s{0,3}(?:#{1,6}(?:\s+|(?=[A-Za-z]))|h[1-6]\.\s+|={2,5}\s+)(?P<marked>\S.{0,100})$"
    r"|\s{0,3}\*\*(?P<bold>[^*]{1,80})\*\*:?\s*$"
    r"|(?P<plain>[A-Z][\w ,/'()&-]{2,60}[:?])\s*$"
)
_TEMPLATE_HEADING = re.compile(
    r"(?:please )?describ|(?:bug|issue|feature|problem)? ?(?:summary|description|report)$|.{0,20}\bto (?:re)?produce"
    r"|(?:minimal )?(?:code )?reproduc|steps$|(?:the )?(?:expected|actual|observed|current|desired)(?: \w+)?$"
    r"|(?:current|expected) vs|what (?:happen|is the|did|do|are|steps|i did|was)|(?:additional|other|further|more|any) "
    r"|(?:screenshots?|context|motivation|(?:possible |proposed )?(?:solution|fix)|logs?|(?:stack ?)?trace(?:back)?"
    r"|error(?: messages?)?|(?:relevant |log )?output|details|notes?|bug|problem|issue|examples?|code|before|after)$"
    r"|command used|is your feature|type of |links? to |how (?:can|to|do)\b.{0,20}$",
    re.IGNORECASE,
)
_SETTING_HEADING = re.compile(
    r"(?:\w+ )?(?:environment|env|system|platform|setup)(?:(?: |/)(?:info\w*|details|used|description|spec\w*))?$"
    r"|(?:[\w./+-]+ ){0,4}versions?(?: (?:info\w*|details|used|affected|of .{1,30}))?$|versions? "
    r"|(?:os|operating systems?|hardware|software|browsers?|devices?)(?:$| ?[/&,(]| versions?| info\w*| and)"
    r"|(?:system|version|build|debug|package|environment) (?:info|details)|(?:installed|additional) (?:pack|depend)"
    r"|(?:python|pip|conda|npm|node|java|go|rustc|cargo|php|ruby) (?:list|freeze|env)|sphinx extensions|extra tools"
    r"|(?:which|what).{0,40}\b(?:version|operating system|platform)|search before|are you willing|code of conduct"
    r"|checklist|prerequisites|pre-?flight|(?:before|please) (?:submitting|creating|opening|check)|meta$|validations"
    r"|i have (?:searched|read)",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"\s*(?:[-*+]\s*\[[ xX✓]?\](?:\s|$)|_?no response_?\W*$|n/?a\W*$|none\W*$|[-=*~^_#.+|\s]{3,}$"
    r"|</?(?:details|summary|br|img)\b|!\[[^\]\n]{0,200}\]\([^()\s]{1,500}\)\s*$"
    r"|\W{0,5}i(?:'ve| have) (?:searched|read|checked|verified|confirmed|tried the latest)\b"
    r"|\W{0,5}thank(?:s| you)\b.{0,60}$|(?:hi|hello|hey|dear)\b\W*+(?:\w++\W*+){0,3}+$"
    r"|\W{0,5}(?:please|make sure|be sure)\b.{0,60}\b(?:search|issue|template|duplicate|fill|provide|report)"
    r"|\W{0,5}(?:ticket|author|branch|commit|component|status|reviewer|keywords|cc|upstream|milestone|reporter):\s.{0,80}$)",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"\W{0,5}(?:[\w./+-]+ ){0,3}?(?:versions?|os|operating system|platform|python|browser|device|distribution|kernel"
    r"|arch(?:itecture)?|[cg]pu|ram|memory|compiler|jdk|java|node(?:js|\.js)?|npm|yarn|php|ruby|rails|database|locale"
    r"|host|release|rustc|cargo|binary|commit-(?:hash|date)|llvm|cuda|cudnn|pip|numpy|scipy|pandas|git|docker|ide"
    r"|installed (?:from|via|using)|installation method)\b[\w ()./`*-]{0,30}?\s*[:=?]\s*\S.{0,120}$"
    r"|\W{0,5}[\w.+-]{1,40}(?: [\w.+-]{1,40}){0,3}(?:==|[:=]\s*[`'\"]?v?|\s+v?|\s+=>\s+)"
    r"\d+\.\d[\w.+-]*[`'\"*]?\s*(?:\(.{0,60})?$"
    r"|\s*(?:set |export )?[A-Z][A-Z0-9_]{3,40}=|\s*>>> import \w+; print\(",
    re.IGNORECASE,
)
_LOG = re.compile(
    r"\s*[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d[T _]|\d\d:\d\d:\d\d\b|(?:mon|tue|wed|thu|fri|sat|sun) \w{3} +\d"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w{0,6} +\d{1,2},? (?:\d{4} )?\d\d?:\d\d|\d{10,13}[\s.])"
    r"|\s*[\[(]?(?:trace|debug|info|notice|verbose)[\])]?[:|\]]|\s*\[\s*\d+(?:\.\d+|/\d+|%)\s*\]"
    r"|\s*(?:0x)?[0-9a-f]{4,16}[:\s]\s*(?:(?:0x)?[0-9a-f]{2,16}[\s,]+){3}|\s*(?:[0-9a-f]{2}[ :]){8}",
    re.IGNORECASE,
)
_BUILD_LOG = re.compile(
    r"\s*(?:checking (?:for|whether)|(?:down|up)?loading |collecting |requirement already|(?:un)?installing |gcc "
    r"|g\+\+ |compiling |building |linking |cc -|clang |make\[\d+\]|\[?(?:info|debug|trace)\b)",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:[A-Za-z]\w{0,80}(?:Error|Exception|Failure)|ERROR?|FATAL|SEVERE|CRITICAL|WARN(?:ING)?|[Ee]rror|[Ee]xception"
    r"|[Ff]ail(?:ed|ure)|panic(?:ked)?|[Ff]atal|[Aa]ssert\w*)\b"
)
_MESSAGE = re.compile(
    r"\s*(?:E {2,6}\S|(?:[a-z_$][\w$]{0,60}(?:\.|::)){0,10}[a-z][\w$]{0,80}"
    r"(?:Error|Exception|Warning|Failure|Fault|Interrupt|Exit)\b|Caused by\b|error(?:\[\w{1,10}\])?\s*:"
    r"|fatal(?: error)?\s*:|panic\s*:|thread '[^'\n]{0,80}' panicked|(?:uncaught|unhandled|unexpected)\b"
    r"|assertion\b.{0,80}\bfail|segmentation fault|[\w./+-]{1,200}:\d+(?::\d+)?:? .{0,20}\b(?:error|warning|fatal)\b"
    r"|SIG[A-Z]{2,6}\b)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"\s*(?:>\s*)?(?:File (?:\"|[/~<.\w\\-]{1,300}(?:, line |:\d))|at (?:async |new )?[\w$.<>/@~\[\]]{1,300} ?\("
    r"|at (?:async )?\S{1,300}:\d|#?\d{1,3}:?\s+(?:0x[0-9a-f]{4,16}\b|(?:<?[\w$]+>?::)+\w)"
    r"|from \S{1,300}:\d{1,7}:in\b|/?[\w./@+-]{1,300}\.go:\d{1,7}\s\+0x"
    r"|[\w./*()\[\]{}·-]{1,200}\((?:0x[0-9a-f]+|\.\.\.)[^\n]{0,300}\)|<ipython-input[^>\n]{1,40}>"
    r"|[~/\w.+-]{1,300}\.pyx? in \w|[\w./+-]{1,300}:\d{1,7}:in [`']|Traceback \(most recent)"
)
_CODE = re.compile(
    r"(?:\t|\s{4})\s*(?![-*+] |\d{1,2}[.)] )\S|\s*(?:>>>|\.\.\. |sage:|In \[\d+\]:|Out\[\d+\]:|\$ |# ?[$>]|-{2,}> ?\d+"
    r"|\d{1,5} {2,}\S|@@ |diff --git |[+-]{3} [ab]/|(?:import|from) [\w.]+(?: import\b|;|\s*$)|//|/\*|\*/"
    r"|</?[a-zA-Z][^<>]{0,300}>|[{}()\[\];,<>/\\|*]+\s*$|[\w.\])]+\s*=\s*[\w.]+\(|[\w.$]+\([^()]{0,200}\);?\s*$"
    r"|(?:def|class|func?|fn|function|public|private|static|const|let|var|void|return|struct|impl|package|use|using"
    r"|namespace)\b.{0,200}[;:({}=]\s*$)|.{0,300}[;{}]\s*$"
)
_WRITTEN = re.compile(r"(?:[A-Za-z][a-z'’]*[,.;:]?\s+){9}")
"""Ten words in a row: a person wrote this line."""


def kinds_of_lines(text: str) -> Iterator[tuple[LineKind, str]]:
    """Every line of a text that is not blank, without spaces at its end, with its kind."""
    closing, setting, after_frame = "", False, False
    lines = text.split("\n", _MOST_LINES)
    for line in lines[:_MOST_LINES]:
        if not closing and (opened := _OPENING.match(line)):
            closing = _CLOSING[opened[1][:3]]
            line = line[opened.end() :]
            # After ```, one word is the name of a language.
            if closing not in line and opened[1] in ("```", "~~~") and len(line.split()) < 2:
                continue
        in_block = bool(closing)
        if closing and closing in line:
            closing, line = "", line.replace(closing, " ")
        if not line.strip():
            continue
        if not in_block and (heading := _heading(line)):
            setting = bool(_SETTING_HEADING.match(heading))
            kind = LineKind.TEMPLATE if setting or _TEMPLATE_HEADING.match(heading) else LineKind.PROSE
        else:
            kind = _kind(line, in_block=in_block, setting=setting, after_frame=after_frame)
        after_frame = kind is LineKind.FRAME
        yield kind, line.rstrip()
    yield from ((LineKind.LOG, line) for line in lines[_MOST_LINES:] if line.strip())


def _heading(line: str) -> str:
    """The words of a heading; none for another line."""
    found = _HEADING.match(line) if len(line) <= 120 else None
    return (found["marked"] or found["bold"] or found["plain"]).strip(" *:?=#_") if found else ""


def _kind(line: str, *, in_block: bool, setting: bool, after_frame: bool) -> LineKind:
    """The kind of a line that is no heading."""
    if len(line) > _LONGEST_JUDGED:
        return LineKind.CODE if in_block else LineKind.PROSE
    written = not in_block and bool(_WRITTEN.search(line))
    if _LOG.match(line) or (in_block and _BUILD_LOG.match(line)):
        return LineKind.MESSAGE if _TROUBLE.search(line) else LineKind.LOG
    if _FRAME.match(line):
        return LineKind.FRAME
    if _MESSAGE.match(line):
        return LineKind.MESSAGE
    if not in_block and (_TEMPLATE.match(line) or (not written and _SETTING.match(line))):
        return LineKind.TEMPLATE
    if setting and not written:
        return LineKind.TEMPLATE
    if in_block or (after_frame and line[:1] in " \t"):
        return LineKind.CODE
    return LineKind.CODE if not written and _CODE.match(line) else LineKind.PROSE
