"""`trackdown train`: fit the ranker and the probabilities of answers, or train and export models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from trackdown.errors import UsageError
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.surfaces.cli.train_confidence import confidence
from trackdown.surfaces.cli.train_ranker import ranker

F = TypeVar("F", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)

EXAMPLES = """\b
Examples:
  trackdown train ranker --cases cases.jsonl --repos mirrors --data collected --out fitted
  trackdown train confidence --cases issues.jsonl --repos repositories --data answers --out weights.json
  trackdown train models --data mined --base all-MiniLM-L6-v2 --out trained --small
  trackdown train models --data mined --base all-MiniLM-L6-v2 --teacher all-mpnet-base-v2 --out trained
  trackdown train models --data mined --issues mined-issues --base trained --out trained-on-issues
  trackdown train ablations --data mined --base all-MiniLM-L6-v2 --out ablations
  trackdown train export all-MiniLM-L6-v2 --out models
"""

FIDELITY_TEXTS = (
    "parse the header of a request",
    "sign a session cookie with the secret key",
    "def close self : connection",
    "index out of range when the list is empty",
    "read a file line by line",
    "class user model base",
    "return the mean of all values",
    "remove trailing white space",
    "convert bytes to text with an encoding",
    "the button does not react to a second click",
    "open a socket with a timeout",
    "sort rows by their dates",
)
"""Texts on which an exported model is compared with the original."""


@click.group(epilog=EXAMPLES, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Train models, and fit a ranker and the probabilities of answers.

    `models`, `ablations` and `export` need PyTorch: pip install 'trackdown[train]'.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


command.add_command(confidence)
command.add_command(ranker)


def recipe_options(function: F) -> F:
    """The options that `models` and `ablations` share."""
    for option in reversed(
        (
            click.option("--data", type=_PATH, required=True, help="Folder that `trackdown mine pairs` wrote."),
            click.option(
                "--base",
                type=_PATH,
                required=True,
                help="The weights to start from: a folder with "
                "model.safetensors and tokenizer.json, one that `train models` wrote, or the packaged models'.",
            ),
            click.option("--out", type=_PATH, required=True, help="Folder for the models and the training log."),
            click.option(
                "--hold-out",
                multiple=True,
                metavar="OWNER/NAME",
                help="Judge by this repository; by default one in ten is held out.",
            ),
            click.option("--small", is_flag=True, help="Run for minutes on a CPU, to check that the recipe works."),
        )
    ):
        function = option(function)
    return format_option(function)


@command.command(short_help="Train the packaged models by the recipe, and export them.")
@click.option("--teacher", type=_PATH, help="Folder of a larger model to learn from: an MPNet like all-mpnet-base-v2.")
@click.option("--issues", type=_PATH, help="Folder that `trackdown mine pairs --issues` wrote: learn from it, too.")
@recipe_options
def models(data: Path, base: Path, out: Path, style: str, **given: Any) -> None:
    """Train models by the published recipe and export them to a folder that TRACKDOWN_MODELS can name."""
    _need_torch()
    from trackdown.lab.train import train_models

    given["held_out"] = given.pop("hold_out")
    _show(train_models(data, base, out, say=_say, **given), style)


@command.command(short_help="Measure what each part of the recipe is worth.")
@recipe_options
def ablations(data: Path, base: Path, out: Path, hold_out: tuple[str, ...], small: bool, style: str) -> None:
    """Train short variants of the recipe that differ in one thing, and log how well each does."""
    _need_torch()
    from trackdown.lab.train import train_ablations

    _show(train_ablations(data, base, out, held_out=hold_out, small=small, say=_say), style)


@command.command(short_help="Export a sentence-transformers model.")
@click.argument("folder", type=_PATH)
@click.option("--out", type=_PATH, required=True, help="Folder for the exported models.")
@format_option
def export(folder: Path, out: Path, style: str) -> None:
    """Export the encoder in FOLDER, a sentence-transformers model without an ONNX graph, for use in searches."""
    _need_torch()
    from trackdown.lab.train import export_folder

    manifest = export_folder(folder, out, texts=FIDELITY_TEXTS)
    _show({"models": str(out), "int8 against full precision": dict(manifest.figures)}, style)


def _say(text: str) -> None:
    """Print a line about the training's progress."""
    print(one_line(text), file=sys.stderr, flush=True)


def _show(done: Mapping[str, Any], style: str) -> None:
    """Print what a recipe reports: names and values."""
    if style == "json":
        print_json(dict(done))
        return
    for name, value in done.items():
        print(f"{one_line(str(name))}: {one_line(str(value))}")


def _need_torch() -> None:
    """Raise UsageError, with what to install, if PyTorch is missing."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise UsageError("training models needs PyTorch: pip install 'trackdown[train]'")
