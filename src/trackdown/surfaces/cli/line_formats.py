"""Answers for other programs that read lines: `path:line:symbol`, as grep and compilers print it, or paths alone."""

from __future__ import annotations

import os
import sys

from trackdown.surfaces.cli.answer_places import AnswerPlaces
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.types import Result, SearchResults


def print_lines(answer: SearchResults, places: AnswerPlaces) -> None:
    """One line for each result: its path, the line to go to, and its symbol, or the line's text if it has none."""
    for result in answer:
        print(f"{_path(places.shown(result))}:{result.line}:{one_line(result.symbol or _text(result))}")


def print_files(answer: SearchResults, places: AnswerPlaces) -> None:
    """The files of the results, each once."""
    for path in dict.fromkeys(places.shown(result) for result in answer):
        print(_path(path))


def _text(result: Result) -> str:
    return next((match.text.strip() for match in result.matches if match.line == result.line), "")


def _path(path: str) -> str:
    """A path to the byte, if no character of it can forge a line or steer a terminal. A terminal's own errors handler
    would spell out bytes that are not UTF-8.
    """
    readable = os.fsencode(path).decode("utf-8", "replace")
    if one_line(readable) != readable or sys.stdout.isatty():
        return one_line(path)
    return path
