"""CoSQA: queries that people typed into a search engine, each with one of 6,267 Python functions that answers it.

Huang et al., "CoSQA: 20,000+ Web Queries for Code Search and Question Answering" (ACL 2021). Functions keep their
docstrings, as in published evaluations: the queries were not made from them.
"""

from __future__ import annotations

from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.records import read_object, read_records
from trackdown.lab.benches.rows import Refusals
from trackdown.lab.benches.snippets import Question, SnippetSet, field_text

_CODES = "code_idx_map.txt"
_QUERIES = "cosqa-retrieval-*.json"


def read_cosqa(data: Path, refusals: Refusals) -> SnippetSet:
    """Items with `idx`, `doc` and `retrieval_idx`; the functions are in code_idx_map.txt beside them.

    `data` is the file of queries, or a folder that holds one beside the training queries. Raises UsageError.
    """
    path = _find_queries(data)
    found = SnippetSet(".py")
    _read_codes(path.parent / _CODES, found, refusals)
    for number, record in read_records(path):
        where = f"{path.name}, item {number}"
        if isinstance(record, str):
            refusals.skip(f"item {number}", "malformed row", f"{where}: {record}")
            continue
        id_, query, answer = field_text(record, "idx"), field_text(record, "doc"), record.get("retrieval_idx")
        if not id_ or query is None or not isinstance(answer, int):
            missing = "idx" if not id_ else "doc" if query is None else "retrieval_idx"
            refusals.skip(id_ or f"item {number}", "missing field", f"{where}: no {missing}")
        elif not query.strip():
            refusals.skip(id_, "empty query", where)
        elif str(answer) not in found.snippets:
            refusals.skip(id_, "empty gold", f"{where}: {_CODES} has no function {answer}")
        elif refusals.is_new(id_):
            found.questions.append(Question(id_, query.strip(), str(answer)))
    return found


def _read_codes(path: Path, found: SnippetSet, refusals: Refusals) -> None:
    """Take in code_idx_map.txt: one object, code → number."""
    for position, (code, number) in enumerate(read_object(path).items(), 1):
        where = f"{path.name}, entry {position}"
        if not isinstance(number, int):
            refusals.skip(f"{_CODES} {position}", "malformed row", f"{where}: the value is no number")
        elif str(number) in found.snippets:
            refusals.skip(f"{_CODES} {position}", "duplicate id", f"{where}: {number} is there twice")
        elif not code.strip():
            refusals.skip(f"{_CODES} {position}", "empty snippet", where)
        else:
            found.snippets[str(number)] = code


def _find_queries(data: Path) -> Path:
    if data.is_file():
        return data
    if not data.is_dir():
        raise UsageError(f"there is no {data}: name a file {_QUERIES} or the folder that holds it")
    files = sorted(path for path in data.glob(_QUERIES) if "-train-" not in path.name)
    if len(files) != 1:
        shown = f"several ({', '.join(path.name for path in files)})" if files else "no queries"
        raise UsageError(f"{data} holds {shown}: name a file {_QUERIES}")
    return files[0]
