"""CodeSearchNet and what was made from it (AdvTest, the cleaned sets): functions found by their own docstrings.

Husain et al., "CodeSearchNet Challenge" (2019); Lu et al., "CodeXGLUE" (2021) for AdvTest; Guo et al., "GraphCodeBERT"
(2021) for the cleaned sets, where codebase.jsonl holds the candidates and a question's answer has its `url`. Elsewhere
the functions of the test file are the candidates. A candidate never holds its docstring.
"""

from __future__ import annotations

import re
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.records import Numbered, read_records
from trackdown.lab.benches.rows import Record, Refusals
from trackdown.lab.benches.snippets import Question, SnippetSet, field_text, find_file
from trackdown.lab.benches.strip_prose import without_docstrings

_ENDINGS = {"python": ".py", "java": ".java", "javascript": ".js", "go": ".go", "ruby": ".rb", "php": ".php"}
_URL_ENDING = re.compile(r"(\.[a-z]{1,4})(?:#L|$)")


def read_csn(data: Path, refusals: Refusals, *, from_tokens: bool = True) -> SnippetSet:
    """Rows of a .jsonl or .jsonl.gz file, or of test.jsonl and codebase.jsonl in a folder. Raises UsageError.

    A question is a row's docstring_tokens, a candidate its code_tokens (or function_tokens). `from_tokens` False takes
    the source text instead, where there is one, without its docstring: it can be parsed, tokens cannot.
    """
    path = find_file(data, "test.jsonl", "test.jsonl.gz")
    codebase = next((file for name in ("codebase.jsonl", "codebase.jsonl.gz") if (file := data / name).is_file()), None)
    rows = list(read_records(path))
    found = SnippetSet(_ending(rows, path))
    if codebase is None:
        for id_, where, record in _whole(rows, path.name, refusals):
            code, query = _code(record, found.ending, from_tokens), _query(record)
            if code is None or query is None:
                refusals.skip(id_, "missing field", f"{where}: no {'code' if code is None else 'docstring'}")
            else:
                found.add_pair(id_, query, code, refusals)
        return found
    _read_codebase(codebase, found, from_tokens, refusals)
    for id_, where, record in _whole(rows, path.name, refusals):
        query = _query(record)
        if query is None or not query.strip():
            refusals.skip(id_, "empty query", where)
        elif id_ not in found.snippets:
            refusals.skip(id_, "empty gold", f"{where}: {codebase.name} has no such function")
        elif refusals.is_new(id_):
            found.questions.append(Question(id_, query.strip(), id_))
    return found


def _read_codebase(path: Path, found: SnippetSet, from_tokens: bool, refusals: Refusals) -> None:
    for number, record in read_records(path):
        name, where = f"{path.name} line {number}", f"{path.name}, line {number}"
        if isinstance(record, str):
            refusals.skip(name, "malformed row", f"{where}: {record}")
            continue
        id_, code = _id(record), _code(record, found.ending, from_tokens)
        if not id_ or code is None:
            refusals.skip(name, "missing field", f"{where}: no {'code' if id_ else 'url'}")
        elif id_ in found.snippets:
            refusals.skip(name, "duplicate id", f"{where}: {id_}")
        elif not code.strip():
            refusals.skip(name, "empty snippet", where)
        else:
            found.snippets[id_] = code


def _whole(rows: list[Numbered], name: str, refusals: Refusals) -> list[tuple[str, str, Record]]:
    """(id, where, row) of every row that is one."""
    found = []
    for number, record in rows:
        where = f"{name}, line {number}"
        if isinstance(record, str):
            refusals.skip(f"line {number}", "malformed row", f"{where}: {record}")
        else:
            found.append((_id(record) or f"line {number}", where, record))
    return found


def _id(record: Record) -> str:
    """The address of a function, or the number that AdvTest gives it."""
    number = record.get("idx")
    return field_text(record, "url") or (str(number) if isinstance(number, int | str) else "")


def _query(record: Record) -> str | None:
    return _joined(record, "docstring_tokens") or field_text(record, "docstring")


def _code(record: Record, ending: str, from_tokens: bool) -> str | None:
    tokens = _joined(record, "code_tokens", "function_tokens")
    source = field_text(record, "code", "function", "original_string")
    if source is None or (from_tokens and tokens):
        return tokens
    code = without_docstrings(source) if ending == ".py" else source
    docstring = (field_text(record, "docstring") or "").strip()
    return code.replace(docstring, "") if docstring else code  # where broken code hides it from the parser


def _joined(record: Record, *names: str) -> str | None:
    """Tokens with blanks between them. Some copies of the data hold them as one text."""
    for name in names:
        tokens = record.get(name)
        if isinstance(tokens, list) and all(isinstance(token, str) for token in tokens):
            return " ".join(tokens)
        if isinstance(tokens, str):
            return tokens
    return None


def _ending(rows: list[Numbered], path: Path) -> str:
    """The ending of the set's files, by the first row that names a language or a file."""
    for _, record in rows:
        if isinstance(record, str):
            continue
        language = field_text(record, "language") or ""
        if language.lower() in _ENDINGS:
            return _ENDINGS[language.lower()]
        named = _URL_ENDING.search(field_text(record, "url", "path") or "")
        if named and named[1] in _ENDINGS.values():
            return named[1]
    if not any(isinstance(record, dict) for _, record in rows):
        raise UsageError(f"{path} holds no row that can be read")
    return ".py"
