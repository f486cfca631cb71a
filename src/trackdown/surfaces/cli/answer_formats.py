"""How ranked results are printed, for every command that has them: `--format`, `-l`, `--color`, `--open`, `--blame`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import click

from trackdown.engine import Repository
from trackdown.errors import UsageError
from trackdown.request import SearchRequest
from trackdown.surfaces.cli.answer_places import AnswerPlaces
from trackdown.surfaces.cli.llm_cost import print_llm_cost
from trackdown.surfaces.cli.options import json_value, print_json, print_notes
from trackdown.surfaces.cli.result_blame import ResultBlame, blame_results
from trackdown.surfaces.cli.text_page import Colour
from trackdown.types import SearchResults

FORMATS = ("text", "json", "lines", "markdown", "sarif")
_FILES = "files"
_FIELDS = ("query", "level", "partial", "notes", "snapshots", "timings_ms", "confidence", "deep", "results")


@dataclass(frozen=True, slots=True)
class AnswerOutput:
    """How to print an answer or say that there is `nothing`, and whether to open its first result in an editor.

    `names_repositories` says the repository of each result even if there is only one.
    """

    style: str = "text"
    colour: Colour = "auto"
    opens: bool = False
    explain: bool = False
    blames: bool = False
    names_repositories: bool = False
    nothing: str = "Nothing found. Try other words, --level file, or trackdown history."

    def asking_for(self, request: SearchRequest) -> SearchRequest:
        """The request, for files if only files are printed and no level was asked for: -k then counts files."""
        return replace(request, level="file") if self.style == _FILES and request.level is None else request

    def print(self, answer: SearchResults, repositories: Sequence[Repository], at: str | None) -> None:
        """Print an answer of these repositories at a revision; notes go to standard error. Raises UsageError."""
        places = AnswerPlaces(repositories, at, every=self.names_repositories)
        blame = ResultBlame()
        if self.blames:
            blame = blame_results(answer, repositories, at)
            answer = replace(answer, notes=(*answer.notes, *blame.notes))
        if self.style != "json":
            print_notes(answer.notes)
            print_llm_cost(answer.llm)
        self._print(answer, places, blame)
        if self.opens:
            _open_first(answer, places)

    def _print(self, answer: SearchResults, places: AnswerPlaces, blame: ResultBlame) -> None:
        if self.style == "json":
            value = json_value(answer)
            for result, commits in zip(value["results"], blame.commits, strict=False):
                result["blame"] = [json_value(commit) for commit in commits]
            print_json({name: value[name] for name in _FIELDS} | ({"llm": value["llm"]} if answer.llm else {}))
        elif self.style == "sarif":
            from trackdown.surfaces.cli.sarif import as_sarif

            print_json(as_sarif(answer, places))
        elif self.style == "markdown":
            from trackdown.surfaces.cli.markdown import as_markdown

            print(as_markdown(answer, with_repository=places.many))
        elif self.style in ("lines", _FILES):
            from trackdown.surfaces.cli.line_formats import print_files, print_lines

            (print_lines if self.style == "lines" else print_files)(answer, places)
        else:
            from trackdown.surfaces.cli.render import print_results

            remarks = blame.sentences()
            print_results(
                answer,
                nothing=self.nothing,
                explain=self.explain,
                with_repository=places.many,
                colour=self.colour,
                remarks=remarks,
            )


def answer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options; the command gets them as one `output`."""

    @wraps(command)
    def with_output(
        *arguments: Any,
        style: str | None,
        files_only: bool,
        colour: Colour,
        opens: bool,
        blames: bool,
        **options: Any,
    ) -> Any:
        if files_only and style is not None:
            raise UsageError("give -l or --format, not both")
        shown = _FILES if files_only else style or "text"
        if blames and shown not in ("text", "json"):
            raise UsageError("--blame is for text and json")
        output = AnswerOutput(shown, colour, opens, bool(options.get("explain")), blames)
        return command(*arguments, output=output, **options)

    for option in (
        click.option(
            "--blame", "blames", is_flag=True, help="Show who last changed each result, when, and for which issue."
        ),
        click.option(
            "--open", "opens", is_flag=True, help="Open the first result in $VISUAL, $EDITOR or the editor found."
        ),
        click.option(
            "--color",
            "colour",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            help="Colour of text. By default, only a terminal gets it.",
        ),
        click.option(
            "-l", "--files-with-matches", "files_only", is_flag=True, help="Print only the paths of files, best first."
        ),
        click.option(
            "--format",
            "style",
            type=click.Choice(FORMATS),
            help="How to print the answer: text (the default), json, lines (path:line:symbol, for editors), markdown "
            "(to paste into an issue) or sarif.",
        ),
    ):
        with_output = option(with_output)
    return with_output


def _open_first(answer: SearchResults, places: AnswerPlaces) -> None:
    from trackdown.surfaces.cli.editor import open_in_editor

    if not answer.results:
        return
    file = places.file(answer[0])
    if file is None:
        raise UsageError("--open needs files on disk: search a working tree or a folder, without --at")
    open_in_editor(file, answer[0].line)
