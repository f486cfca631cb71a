"""CoNaLa: what people asked on Stack Overflow, rewritten by hand to be exact, with a line of Python that does it.

Yin et al., "Learning to Mine Aligned Code and Natural Language Pairs from Stack Overflow" (MSR 2018). As ReCo uses it,
the 500 test items are the questions (the original one where nobody rewrote it) and the candidates.
"""

from __future__ import annotations

from pathlib import Path

from trackdown.lab.benches.records import read_records
from trackdown.lab.benches.rows import Refusals
from trackdown.lab.benches.snippets import SnippetSet, field_text, find_file


def read_conala(data: Path, refusals: Refusals) -> SnippetSet:
    """Items with `intent`, `rewritten_intent` and `snippet`, of conala-test.json or its folder. Raises UsageError.

    A question_id may come several times, each time with another snippet, so ids are numbers of items.
    """
    path = find_file(data, "conala-test.json", "conala-test.jsonl")
    found = SnippetSet(".py")
    for number, record in read_records(path):
        where = f"{path.name}, item {number}"
        if isinstance(record, str):
            refusals.skip(f"conala/{number}", "malformed row", f"{where}: {record}")
            continue
        query, code = field_text(record, "rewritten_intent", "intent"), field_text(record, "snippet")
        if query is None or code is None:
            refusals.skip(f"conala/{number}", "missing field", f"{where}: no {'snippet' if query else 'intent'}")
        else:
            found.add_pair(f"conala/{number}", query, code, refusals)
    return found
