"""Checks questions in other words: does every answer exist, and does a question use none of its answers' words?

The words of an answer are those of its path, its symbol, its body, comments and literals included, and the comment
above it. A question shares a word if one is a form of the other, as `query/word_forms.py` has it: signed
and signing, config and configuration. Stop words and words of up to two letters don't count.
"""

from __future__ import annotations

import json
import subprocess
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from trackdown.query import STOPWORDS, other_forms
from trackdown.types import FUNCTION_KINDS
from trackdown.units import BlobFacts, extract, language_of, terms, words

FEWEST_WORDS, MOST_WORDS = 8, 30
MOST_ANSWERS = 3
MOST_EXCEPTIONS = 0.05
_SHORTEST = 3
_COMMENT = ("//", "/*", "*", "#")
_GRAMMAR = frozenset(
    """another anybody anyone anything even ever every everybody everyone everything many may much never nobody none
    nothing onto somebody someone something themselves whom whose within""".split()
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question, the places that answer it, and the words that it shares with them because it must."""

    id: str
    text: str
    answers: tuple[tuple[str, str], ...]
    why: str
    shares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions about one repository at one commit."""

    repository: str
    language: str
    commit: str
    questions: tuple[Question, ...]


def read_questions(path: Path) -> QuestionSet:
    """The questions of a file."""
    value: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
    questions = tuple(
        Question(
            row["id"],
            row["question"],
            tuple((answer["path"], answer["symbol"]) for answer in row["answers"]),
            row["why"],
            tuple(row.get("shares", ())),
        )
        for row in value["questions"]
    )
    return QuestionSet(value["repository"], value["language"], value["commit"], questions)


def faults(asked: QuestionSet, clone: Path) -> list[str]:
    """What is wrong with the questions about a clone, one line for each fault."""
    found = list(_faults_of_the_set(asked))
    for question in asked.questions:
        found += [f"{question.id}: {fault}" for fault in _faults_of_one(question, clone, asked.commit)]
    return found


def _faults_of_the_set(asked: QuestionSet) -> Iterator[str]:
    for what, values in (
        ("id", [question.id for question in asked.questions]),
        ("question", [question.text.lower() for question in asked.questions]),
        ("answer", [str(sorted(question.answers)) for question in asked.questions]),
    ):
        yield from (f"{asked.repository}: the {what} {one!r} appears twice" for one in _repeated(values))
    exceptions = sum(1 for question in asked.questions if question.shares)
    if exceptions > MOST_EXCEPTIONS * len(asked.questions):
        yield f"{asked.repository}: {exceptions} of {len(asked.questions)} questions share words with their answers"


def _repeated(values: Sequence[str]) -> list[str]:
    return sorted({value for value in values if values.count(value) > 1})


def _faults_of_one(question: Question, clone: Path, commit: str) -> Iterator[str]:
    length = len(question.text.split())
    if not FEWEST_WORDS <= length <= MOST_WORDS:
        yield f"{length} words, not {FEWEST_WORDS} to {MOST_WORDS}"
    if not 1 <= len(question.answers) <= MOST_ANSWERS:
        yield f"{len(question.answers)} answers, not 1 to {MOST_ANSWERS}"
    if not question.why:
        yield "no reason"
    shared: set[str] = set()
    for path, symbol in question.answers:
        of_answer = words_of_answer(clone, commit, path, symbol)
        if of_answer is None:
            yield f"{path} has no function {symbol}"
            continue
        said = shared_words(question.text, of_answer)
        shared |= said.keys()
        unmarked = (word for word in said if word not in question.shares)
        yield from (f"{word!r} is {' and '.join(said[word])} in {symbol}" for word in unmarked)
    yield from (f"{word!r} is marked as shared, but isn't" for word in question.shares if word not in shared)


def shared_words(question: str, code: Iterable[str]) -> dict[str, list[str]]:
    """The content words of a question that occur in code, in any form, each with the forms that occur."""
    content = sorted({word for word in _parts(words(question)) if _carries_meaning(word)})
    listed = sorted({word for word in _parts(code) if _carries_meaning(word)})
    return {word: forms for word in content if (forms := [one for one in listed if _same_word(word, one)])}


def _parts(of: Iterable[str]) -> Iterator[str]:
    return (part for word in of for part in terms(word))


def _carries_meaning(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha() and word not in STOPWORDS and word not in _GRAMMAR


def _same_word(one: str, other: str) -> bool:
    return one == other or other in _forms(one) or one in _forms(other)


@cache
def _forms(word: str) -> frozenset[str]:
    return frozenset(form for form, _ in other_forms(word))


@cache
def words_of_answer(clone: Path, commit: str, path: str, symbol: str) -> tuple[str, ...] | None:
    """The words of a function's path, symbol, body and the comment above; None if there is no such function."""
    read = _read(clone, commit, path)
    if read is None:
        return None
    facts, lines = read
    named = [number for number, unit in enumerate(facts.units) if unit.kind in FUNCTION_KINDS and unit.symbol == symbol]
    if not named:
        return None
    pointers, word_ids = array("I", facts.pointers), array("I", facts.word_ids)
    body = [facts.vocabulary[one] for unit in named for one in word_ids[pointers[unit] : pointers[unit + 1]]]
    above = [line for unit in named for line in _comment_above(lines, facts.units[unit].start_line - 1)]
    return (*words(path), *words(symbol), *body, *words("\n".join(above)))


def _comment_above(lines: Sequence[str], start: int) -> list[str]:
    """The lines of the comment that ends right above a line, or above one blank line."""
    end = start - 1 if start and not lines[start - 1].strip() else start
    first = end
    while first and lines[first - 1].lstrip().startswith(_COMMENT):
        first -= 1
    return list(lines[first:end])


@cache
def _read(clone: Path, commit: str, path: str) -> tuple[BlobFacts, list[str]] | None:
    command = ["git", "-C", str(clone), "cat-file", "blob", f"{commit}:{path}"]
    read = subprocess.run(command, capture_output=True, check=False)
    if read.returncode:
        return None
    facts = extract(read.stdout, language_of(path), max_bytes=len(read.stdout) + 1)
    return facts, read.stdout.decode("utf-8", "replace").splitlines()
