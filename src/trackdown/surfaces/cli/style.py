"""`trackdown style`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trackdown.errors import UsageError
from trackdown.surfaces.cli.options import format_option, print_json, print_notes
from trackdown.surfaces.cli.terminal_text import one_line

if TYPE_CHECKING:
    from trackdown.lab.measure import Snippet, StyleScores

EXAMPLES = """\b
Examples:
  trackdown style before.py after.py
  git show v1.0:src/app.py | trackdown style src/app.py -
  trackdown style Old.java New.java --corpus src/main --format json
  trackdown style draft1 draft2 --language python
"""


@click.command(epilog=EXAMPLES)
@click.argument("a")
@click.argument("b")
@click.option("--language", metavar="NAME", help="The language of both; by default it is detected.")
@click.option(
    "--corpus", metavar="FOLDER", type=click.Path(path_type=Path), help="Weight names by their rarity in this code."
)
@format_option
def command(a: str, b: str, language: str | None, corpus: Path | None, style: str) -> None:
    """Compare two pieces of code by style.

    A and B are files; one may be `-` for standard input. CSSim compares variable names, called interfaces and syntax
    trees; CodeBLEU, ROUGE-L and BLEU compare tokens, with A as the reference of CodeBLEU and BLEU. All range from 0 to
    1 (identical). Without --corpus, names are weighted by A and B alone.
    """
    from trackdown.lab.measure import check_packages, corpus_names, one_language, read_source

    check_packages()
    from trackdown.lab.measure import read_snippet, style_scores, weights_from

    if a == b == "-":
        raise UsageError("only one of A and B can be standard input")
    sources = (read_source(a), read_source(b))
    found = one_language(sources, language)
    first, second = (read_snippet(source.text, found, source.name) for source in sources)
    names = [first.names, second.names] if corpus is None else corpus_names(corpus, found)
    scores = style_scores(first, second, weights_from(names))
    notes = _notes({sources[0].name: first, sources[1].name: second}, scores)
    if style == "json":
        print_json(_document(sources[0].name, sources[1].name, found, corpus, scores, notes))
        return
    print_notes(notes)
    _print(scores, f"{sources[0].name} and {sources[1].name}, {found}")


def _notes(snippets: dict[str, Snippet], scores: StyleScores) -> list[str]:
    """What the reader of the scores should know."""
    notes = [
        f"{name} does not parse completely from line {snippet.flaw} on: its tree has only what could be parsed"
        for name, snippet in snippets.items()
        if snippet.flaw
    ]
    for kind, distance in (("variables", scores.cssim.variables), ("calls", scores.cssim.calls)):
        if distance is None:
            notes.append(f"one of the two has no {kind}: CSSim is the mean of its other terms")
    if not scores.cssim.tree_exact:
        notes.append("the trees are large: their distance is a lower bound, so CSSim is an upper bound")
    return notes


def _document(
    a: str, b: str, language: str, corpus: Path | None, scores: StyleScores, notes: list[str]
) -> dict[str, Any]:
    style, code = scores.cssim, scores.codebleu
    return {
        "a": a,
        "b": b,
        "language": language,
        "corpus": None if corpus is None else str(corpus),
        "metrics": scores.metrics(),
        "CSSim": {
            "variables_distance": style.variables,
            "calls_distance": style.calls,
            "tree_distance": style.tree,
            "tree_exact": style.tree_exact,
        },
        "CodeBLEU": {
            "ngrams": code.ngrams,
            "weighted_ngrams": code.weighted_ngrams,
            "syntax": code.syntax,
            "dataflow": code.dataflow,
        },
        "notes": notes,
    }


def _print(scores: StyleScores, title: str) -> None:
    from rich.console import Console

    from trackdown.surfaces.cli.tables import print_table

    style, code = scores.cssim, scores.codebleu
    alike = [None if distance is None else 1 - distance for distance in (style.variables, style.calls, style.tree)]
    rows: list[tuple[str, float | None]] = [
        ("CSSim", style.value),
        *zip(("  variables", "  calls", "  tree"), alike, strict=True),
        ("CodeBLEU", code.value),
        ("  n-grams", code.ngrams),
        ("  weighted n-grams", code.weighted_ngrams),
        ("  syntax", code.syntax),
        ("  data flow", code.dataflow),
        ("ROUGE-L", scores.rouge_l),
        ("BLEU", scores.bleu),
    ]
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(one_line(title), soft_wrap=True)
    shown = [[name, "-" if value is None else f"{value:.3f}"] for name, value in rows]
    print_table(console, ["metric", "alike"], shown)
