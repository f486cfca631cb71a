"""Text-to-code sets: snippets, and questions that each have one of them as their answer.

- MBPP: short Python problems in a sentence each, with a solution. Austin et al., "Program Synthesis with Large Language
  Models" (2021). As ReCo uses it, the 500 test items (task_id 11 to 510) are the questions, their solutions the
  candidates.
- MBJP: MBPP's problems solved in Java. Athiwaratkun et al., "Multi-lingual Evaluation of Code Generation Models"
  (2022). ReCo has 374 training and 500 test pairs; its published code takes them in the order of the file, so the test
  pairs start at MBJP/404. A comment in a solution that repeats the problem would give it away and is taken out.
- CoNaLa: what people asked on Stack Overflow, rewritten by hand to be exact, with a line of Python that does it. Yin et
  al., "Learning to Mine Aligned Code and Natural Language Pairs from Stack Overflow" (MSR 2018). As in ReCo, the 500
  test items are the questions (the original one where nobody rewrote it) and the candidates.
- CoSQA: queries that people typed into a search engine, each with one of 6,267 Python functions that answers it. Huang
  et al., "CoSQA: 20,000+ Web Queries for Code Search and Question Answering" (ACL 2021). Functions keep their
  docstrings, as in published evaluations: the queries were not made from them.
- CodeSearchNet and its descendants: functions found by their own docstrings. Husain et al., "CodeSearchNet Challenge"
  (2019); Lu et al., "CodeXGLUE" (2021) for AdvTest; Guo et al., "GraphCodeBERT" (2021) for the cleaned sets, where
  codebase.jsonl holds the candidates and a question's answer has its `url`. Elsewhere the functions of the test file
  are the candidates. A candidate never holds its docstring.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.code_edits import without_comments_like, without_docstrings
from trackdown.lab.benches.records import Record, Refusals, read_object, read_records

_MBPP_TEST = range(11, 511)
_MBJP_FIRST_TEST = 404
_COSQA_CODES = "code_idx_map.txt"
_COSQA_QUERIES = "cosqa-retrieval-*.json"
_CSN_ENDINGS = {"python": ".py", "java": ".java", "javascript": ".js", "go": ".go", "ruby": ".rb", "php": ".php"}
_URL_ENDING = re.compile(r"(\.[a-z]{1,4})(?:#L|$)")


@dataclass(frozen=True, slots=True)
class SnippetQuestion:
    """A question, and the key of the snippet that answers it."""

    id: str
    query: str
    answer: str


@dataclass(slots=True)
class SnippetSet:
    """Candidates by key, in order, and questions. `ending` is the suffix of the files they become (`.py`)."""

    ending: str
    snippets: dict[str, str] = field(default_factory=dict)
    questions: list[SnippetQuestion] = field(default_factory=list)
    remarks: Counter[str] = field(default_factory=Counter)

    def add_pair(self, id_: str, query: str, code: str, refusals: Refusals) -> None:
        """Take in a question with its own snippet. A snippet without a question stays a candidate for the others."""
        if not code.strip():
            refusals.skip(id_, "empty snippet")
        elif not query.strip():
            refusals.skip(id_, "empty query")
            self.snippets.setdefault(id_, code)
        elif refusals.is_new(id_):
            self.snippets[id_] = code
            self.questions.append(SnippetQuestion(id_, query.strip(), id_))

    def add_candidate(self, key: str, code: str, id_: str, where: str, refusals: Refusals) -> None:
        """Take in a snippet that questions may name as their answer."""
        if key in self.snippets:
            refusals.skip(id_, "duplicate id", f"{where}: {key} appears twice")
        elif not code.strip():
            refusals.skip(id_, "empty snippet", where)
        else:
            self.snippets[key] = code

    def ask(self, id_: str, query: str | None, answer: str, where: str, refusals: Refusals) -> None:
        """Take in a question whose answer is among the candidates."""
        if query is None or not query.strip():
            refusals.skip(id_, "empty query", where)
        elif answer not in self.snippets:
            refusals.skip(id_, "empty gold", f"{where}: there is no function {answer}")
        elif refusals.is_new(id_):
            self.questions.append(SnippetQuestion(id_, query.strip(), answer))


def read_mbpp(data: Path, refusals: Refusals) -> SnippetSet:
    """Lines with `task_id`, `text` and `code`, of mbpp.jsonl or the folder that holds it. Raises UsageError."""
    path = _find_file(data, "mbpp.jsonl")
    found = SnippetSet(".py")
    for number, where, record in _rows(path, "line", refusals):
        task, query, code = record.get("task_id"), _text(record, "text"), _text(record, "code")
        if not isinstance(task, int):
            refusals.skip(f"line {number}", "missing field", f"{where}: no task_id")
        elif task not in _MBPP_TEST:
            found.remarks["not of the test split"] += 1
        elif query is None or code is None:
            refusals.skip(f"mbpp/{task}", "missing field", f"{where}: no {'text' if query is None else 'code'}")
        else:
            found.add_pair(f"mbpp/{task}", query, code, refusals)
    if not found.questions and not refusals.skipped:
        raise UsageError(f"{path} has no item from the test split (task_id {_MBPP_TEST[0]} to {_MBPP_TEST[-1]})")
    return found


def read_mbjp(data: Path, refusals: Refusals) -> SnippetSet:
    """Items with `task_id`, `description` and `canonical_solution`, of mbjp.json or its folder. Raises UsageError."""
    path = _find_file(data, "mbjp.json", "mbjp.jsonl")
    found = SnippetSet(".java")
    for number, where, record in _rows(path, "item", refusals):
        task = _mbjp_number(record.get("task_id"))
        query, code = _text(record, "description"), _text(record, "canonical_solution")
        if task is None:
            refusals.skip(f"item {number}", "missing field", f"{where}: no task_id like MBJP/404")
        elif task < _MBJP_FIRST_TEST:
            found.remarks["not of the test split"] += 1
        elif query is None or code is None:
            missing = "description" if query is None else "canonical_solution"
            refusals.skip(f"mbjp/{task}", "missing field", f"{where}: no {missing}")
        else:
            stripped, comments = without_comments_like(code, query)
            found.remarks["comments that repeat the query"] += comments
            found.add_pair(f"mbjp/{task}", query, stripped, refusals)
    if not found.questions and not refusals.skipped:
        raise UsageError(f"{path} has no item from the test split (MBJP/{_MBJP_FIRST_TEST} and up)")
    return found


def _mbjp_number(task: object) -> int | None:
    text = task.rpartition("/")[2] if isinstance(task, str) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def read_conala(data: Path, refusals: Refusals) -> SnippetSet:
    """Items with `intent`, `rewritten_intent` and `snippet`, of conala-test.json or its folder. Raises UsageError.

    A question_id may come several times, each time with another snippet, so ids are numbers of items.
    """
    path = _find_file(data, "conala-test.json", "conala-test.jsonl")
    found = SnippetSet(".py")
    for number, where, record in _rows(path, "item", refusals, "conala/{}"):
        query, code = _text(record, "rewritten_intent", "intent"), _text(record, "snippet")
        if query is None or code is None:
            refusals.skip(f"conala/{number}", "missing field", f"{where}: no {'snippet' if query else 'intent'}")
        else:
            found.add_pair(f"conala/{number}", query, code, refusals)
    return found


def read_cosqa(data: Path, refusals: Refusals) -> SnippetSet:
    """Items with `idx`, `doc` and `retrieval_idx`; the functions are in code_idx_map.txt beside them.

    `data` is the file of queries, or a folder that holds one beside the training queries. Raises UsageError.
    """
    path = _find_cosqa_queries(data)
    found = SnippetSet(".py")
    codes = path.parent / _COSQA_CODES
    for position, (code, number) in enumerate(read_object(codes).items(), 1):
        id_, where = f"{_COSQA_CODES} {position}", f"{_COSQA_CODES}, entry {position}"
        if isinstance(number, int):
            found.add_candidate(str(number), code, id_, where, refusals)
        else:
            refusals.skip(id_, "malformed row", f"{where}: the value is not a number")
    for number, where, record in _rows(path, "item", refusals):
        name, query, answer = _text(record, "idx"), _text(record, "doc"), record.get("retrieval_idx")
        if not name or query is None or not isinstance(answer, int):
            missing = "idx" if not name else "doc" if query is None else "retrieval_idx"
            refusals.skip(name or f"item {number}", "missing field", f"{where}: no {missing}")
        else:
            found.ask(name, query, str(answer), where, refusals)
    return found


def _find_cosqa_queries(data: Path) -> Path:
    if data.is_file():
        return data
    if not data.is_dir():
        raise UsageError(f"there is no {data}: name a file {_COSQA_QUERIES} or the folder that holds it")
    files = sorted(path for path in data.glob(_COSQA_QUERIES) if "-train-" not in path.name)
    if len(files) != 1:
        shown = f"several ({', '.join(path.name for path in files)})" if files else "no queries"
        raise UsageError(f"{data} holds {shown}: name a file {_COSQA_QUERIES}")
    return files[0]


def read_csn(data: Path, refusals: Refusals, *, from_tokens: bool = True) -> SnippetSet:
    """Rows of a .jsonl or .jsonl.gz file, or of test.jsonl and codebase.jsonl in a folder. Raises UsageError.

    A question is a row's docstring_tokens, a candidate its code_tokens (or function_tokens). `from_tokens` False takes
    the source text instead, where there is one, without its docstring: it can be parsed, tokens cannot.
    """
    path = _find_file(data, "test.jsonl", "test.jsonl.gz")
    codebase = next((file for name in ("codebase.jsonl", "codebase.jsonl.gz") if (file := data / name).is_file()), None)
    rows = list(_rows(path, "line", refusals))
    if not rows:
        raise UsageError(f"{path} has no readable row")
    found = SnippetSet(_csn_ending(record for _, _, record in rows))
    if codebase is not None:
        for number, where, record in _rows(codebase, "line", refusals, f"{codebase.name} line {{}}"):
            id_, code = _csn_id(record), _csn_code(record, found.ending, from_tokens)
            name = f"{codebase.name} line {number}"
            if not id_ or code is None:
                refusals.skip(name, "missing field", f"{where}: no {'code' if id_ else 'url'}")
            else:
                found.add_candidate(id_, code, name, where, refusals)
    for number, where, record in rows:
        id_, query = _csn_id(record) or f"line {number}", _tokens(record, "docstring_tokens")
        query = query or _text(record, "docstring")
        if codebase is not None:
            found.ask(id_, query, id_, where, refusals)
            continue
        code = _csn_code(record, found.ending, from_tokens)
        if code is None or query is None:
            refusals.skip(id_, "missing field", f"{where}: no {'code' if code is None else 'docstring'}")
        else:
            found.add_pair(id_, query, code, refusals)
    return found


def _csn_id(record: Record) -> str:
    """The URL of a function, or the number that AdvTest gives it."""
    number = record.get("idx")
    return _text(record, "url") or (str(number) if isinstance(number, int | str) else "")


def _csn_code(record: Record, ending: str, from_tokens: bool) -> str | None:
    tokens = _tokens(record, "code_tokens", "function_tokens")
    source = _text(record, "code", "function", "original_string")
    if source is None or (from_tokens and tokens):
        return tokens
    code = without_docstrings(source) if ending == ".py" else source
    docstring = (_text(record, "docstring") or "").strip()
    return code.replace(docstring, "") if docstring else code  # where broken code hides it from the parser


def _csn_ending(records: Iterator[Record]) -> str:
    """The suffix of the set's files, by the first row that names a language or a file."""
    for record in records:
        language = _text(record, "language") or ""
        if language.lower() in _CSN_ENDINGS:
            return _CSN_ENDINGS[language.lower()]
        named = _URL_ENDING.search(_text(record, "url", "path") or "")
        if named and named[1] in _CSN_ENDINGS.values():
            return named[1]
    return ".py"


def _rows(path: Path, what: str, refusals: Refusals, id_: str = "") -> Iterator[tuple[int, str, Record]]:
    """(number, where, record) of every line or item that can be read; the others are skipped as malformed."""
    for number, record in read_records(path):
        where = f"{path.name}, {what} {number}"
        if isinstance(record, str):
            refusals.skip((id_ or f"{what} {{}}").format(number), "malformed row", f"{where}: {record}")
        else:
            yield number, where, record


def _text(record: Record, *names: str) -> str | None:
    """The first of some fields that holds a text; None when none does."""
    return next((record[name] for name in names if isinstance(record.get(name), str)), None)


def _tokens(record: Record, *names: str) -> str | None:
    """Tokens joined by blanks. Some copies of the data hold them as one text."""
    for name in names:
        tokens = record.get(name)
        if isinstance(tokens, list) and all(isinstance(token, str) for token in tokens):
            return " ".join(tokens)
        if isinstance(tokens, str):
            return tokens
    return None


def _find_file(data: Path, *names: str) -> Path:
    """The data file itself, or the first of these names in the data folder. Raises UsageError."""
    if data.is_file():
        return data
    if not data.is_dir():
        raise UsageError(f"there is no {data}: name {names[0]} or the folder that holds it")
    for name in names:
        if (data / name).is_file():
            return data / name
    raise UsageError(f"{data} has no {' or '.join(names)}")
