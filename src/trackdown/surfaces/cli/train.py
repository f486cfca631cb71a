"""`trackdown train`: fit a repository's own weights, fit the program's fusion, or train and export models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trackdown.errors import UsageError
from trackdown.settings import load_settings
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.surfaces.cli.train_confidence import confidence
from trackdown.surfaces.cli.train_ranker import ranker

if TYPE_CHECKING:
    from trackdown.lab.train import JudgedFusion, WeightsReport

F = TypeVar("F", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)

EXAMPLES = """\b
Examples:
  trackdown train weights --count-cases
  trackdown train weights ~/src/project
  trackdown train weights --forget
  trackdown train ranker --cases cases.jsonl --repos mirrors --data collected --out fitted
  trackdown train fusion --manifest repositories.json --data collected --out learned.json
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
    """Fit Trackdown to data.

    `weights` fits search to one repository and is for everyone. The other commands make what ships with the program;
    `models`, `ablations` and `export` need PyTorch: pip install 'trackdown[train]'.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


@command.command(short_help="Fit the weights of signals to one repository.")
@click.argument("path", default=".")
@click.option("--max-cases", type=click.IntRange(1), help="How many commits to learn from, newest first.")
@click.option("--count-cases", is_flag=True, help="Only say whether the history is long enough.")
@click.option("--forget", is_flag=True, help="Remove the fitted weights; searches use the default weights again.")
@format_option
def weights(path: str, max_cases: int | None, count_cases: bool, forget: bool, style: str) -> None:
    """Fit the weights of the signals to the history of the repository at PATH.

    The older 70 % of its commits fit the weights, and the newer 30 % judge them. Searches in this repository use the
    fitted weights only where they win significantly; otherwise nothing changes.
    """
    if forget:
        if count_cases:
            raise UsageError("--forget removes the fitted weights: it cannot be combined with --count-cases")
        _forget(path, style)
        return
    from trackdown.lab.train import MOST_CASES, fit_weights

    with TerminalProgress(path) as progress:
        most = max_cases or MOST_CASES
        report = fit_weights(path, load_settings(), max_cases=most, count_only=count_cases, progress=progress)
    if style == "json":
        print_json(report.as_dict())
        return
    for line in _weights_lines(report):
        print(one_line(line))


def _forget(path: str, style: str) -> None:
    from trackdown.engine import RepositoryWeights

    with RepositoryWeights(path, load_settings()) as kept:
        known = kept.forget()
    if style == "json":
        print_json({"forgotten": known})
    else:
        print("Removed: searches use the default weights." if known else "No weights were fitted here.")


def _weights_lines(report: WeightsReport) -> list[str]:
    from trackdown.lab.train import FEWEST_CASES

    counted = f"{report.repository}: {report.cases} commits make a case"
    if report.count_only:
        if not report.enough:
            return [f"{counted}, but {FEWEST_CASES} are needed: nothing would be fitted"]
        return [f"{counted}: {report.fitted} older ones would fit the weights, {report.judged} newer ones judge them"]
    lines = [f"{counted}: {report.fitted} older ones fitted the weights, {report.judged} newer ones judged them"]
    for score in report.scores:
        verdict = "won; used from now on" if score.won else "did not win; nothing changes"
        gain = f"{score.after - score.before:+.4f}, p = {score.chance:.3f}, {score.cases} cases"
        lines.append(f"  {score.level:<8}  {score.metric} {score.before:.4f} → {score.after:.4f} ({gain}): {verdict}")
    return lines


@command.command(short_help="Fit the learned fusion from many repositories.")
@click.option("--manifest", type=_PATH, required=True, help="The repositories: a JSON list of {name, path}.")
@click.option("--data", type=_PATH, required=True, help="Folder for the collected evidence; a second run reuses it.")
@click.option(
    "--stage",
    type=click.Choice(["retrieve", "rerank"]),
    default="retrieve",
    show_default=True,
    help="Weigh what the retrievers find, or what the models say about it.",
)
@click.option("--max-cases", type=click.IntRange(1), help="How many commits to take from a repository, newest first.")
@click.option("--out", type=_PATH, help="JSON file for the weights.")
@format_option
def fusion(manifest: Path, data: Path, stage: Any, max_cases: int | None, out: Path | None, style: str) -> None:
    """Fit the learned fusion from the histories of several repositories.

    Each repository is judged by weights that were fitted to the others. The table compares them with the weighted sum,
    reciprocal rank fusion and adaptive fusion, and the gate says whether they may become the default.
    """
    from trackdown.lab import read_manifest
    from trackdown.lab.train import EvidencePlan, train_fusion

    places = {entry.name: str(entry.path) for entry in read_manifest(manifest)}
    wanted = EvidencePlan(max_cases=max_cases or EvidencePlan().max_cases, stage=stage)
    with TerminalProgress(str(manifest)) as progress:
        judged = train_fusion(places, data, load_settings(), wanted, out=out, progress=progress)
    if style == "json":
        print_json([one.as_dict() for one in judged])
        return
    for one in judged:
        _show_level(one)
    if out is not None:
        print(f"Weights: {one_line(str(out))}")


def _show_level(judged: JudgedFusion) -> None:
    """Print a table of the ways to fuse, and what the gate says about learned fusion."""
    from trackdown.lab import verdict_lines
    from trackdown.lab.train import METRICS

    print(f"{judged.level} level, on repositories left out of the fit")
    print(f"{'':<10}" + "".join(f"{name:>9}" for name in METRICS))
    for one in judged.evaluations():
        print(f"{one.label:<10}" + "".join(f"{one.mean(name):>9.4f}" for name in METRICS))
    for verdict in judged.verdicts():
        print()
        for line in verdict_lines(verdict):
            print(one_line(line))
    print()


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
