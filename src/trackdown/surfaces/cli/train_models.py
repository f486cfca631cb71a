"""`trackdown train pack`, `models`, `mean`, `candidates`, `judge` and `export`: from mined files to models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.lab.train import plan_options
from trackdown.settings import load_settings
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import one_line

F = TypeVar("F", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)

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


@click.command(short_help="Pack mined files into token ids that training reads.")
@click.option("--data", type=_PATH, required=True, help="Folder that `trackdown mine pairs` wrote.")
@click.option("--issues", type=_PATH, help="Folder that `trackdown mine pairs --issues` wrote: learn from it, too.")
@click.option(
    "--base",
    type=_PATH,
    required=True,
    help="The weights to start from: a folder with model.safetensors and tokenizer.json, one that `train models` or "
    "`train mean` wrote, or the packaged models'.",
)
@click.option("--out", type=_PATH, required=True, help="Folder for the pack: all that training needs.")
@click.option(
    "--hold-out",
    multiple=True,
    metavar="OWNER/NAME",
    help="Judge by this repository; by default one in ten is held out.",
)
@click.option(
    "--part-mib",
    type=click.IntRange(1, 1024),
    default=60,
    show_default=True,
    help="Cut the data into parts of this size, so that it can be carried to a GPU in several goes.",
)
@format_option
def pack(
    data: Path, issues: Path | None, base: Path, out: Path, hold_out: tuple[str, ...], part_mib: int, style: str
) -> None:
    """Pack mined files and the weights to start from into one folder, which is all that training needs.

    On another machine, copy all parts into one folder.
    """
    _need_torch()
    from trackdown.lab.train import pack_training

    packed = pack_training(data, base, out, held_out=hold_out, issues=issues, mib=part_mib)
    _show({"pack": str(out)} | asdict(packed), style)


def _plan_options(function: F) -> F:
    """The options of a training plan."""
    for option, name, default, said in reversed(plan_options()):
        offered = click.option(option, name, type=type(default), default=default, show_default=bool(default), help=said)
        function = offered(function)
    return function


@click.command(short_help="Train a model with three heads on a pack.")
@click.argument("pack", type=_PATH)
@click.option("--base", type=_PATH, help="Start from the weights in this folder, not from the pack's.")
@click.option("--out", type=_PATH, required=True, help="Folder for the run: weights in parts, and log.jsonl.")
@click.option(
    "--table-seconds",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Distil a static table for this long, too.",
)
@_plan_options
@format_option
def models(pack: Path, base: Path | None, out: Path, table_seconds: float, style: str, **plan: Any) -> None:
    """Train one vector, late interaction and relevance together, by the recipe in docs/models.md.

    --seconds or --steps end the run, whichever comes first. `trackdown train mean` turns one or more runs into models
    that search can open. Where only torch and numpy are installed, `python -m trackdown.lab.train.recipe PACK OUT`
    does the same.
    """
    _need_torch()
    from trackdown.lab.train import train_models

    _show(train_models(pack, out, plan, base=base, table_seconds=table_seconds, say=_say), style)


@click.command(short_help="Average runs and export them for searches.")
@click.argument("runs", type=_PATH, nargs=-1, required=True)
@click.option("--static", type=_PATH, help="Take the static table of this folder of models, such as the packaged ones.")
@click.option("--pack", type=_PATH, help="Compare int8 with full precision on this pack's held-out documents.")
@click.option("--licence", default="", help="The licence that the manifest names.")
@click.option("--out", type=_PATH, required=True, help="Folder for the models.")
@format_option
def mean(runs: tuple[Path, ...], static: Path | None, pack: Path | None, licence: str, out: Path, style: str) -> None:
    """Average the weights of RUNS, export the mean as an int8 graph, and compare it with full precision.

    A run that is named twice counts twice. TRACKDOWN_MODELS can name the folder that it writes.
    """
    _need_torch()
    from trackdown.lab.train import mean_of_runs

    done = mean_of_runs(runs, out, static=static, texts=FIDELITY_TEXTS, pack=pack, licence=licence)
    _show(done, style)


@click.command(short_help="Write the first candidates of benchmark cases.")
@click.argument("cases", type=_PATH)
@click.option("--repos", type=_PATH, required=True, help="Folder that holds clones or bare mirrors.")
@click.option("--layout", default="{owner}/{name}", show_default=True, help="How a repository's name maps to a folder.")
@click.option("--most", type=click.IntRange(0), default=0, help="Take this many cases, from all repositories in turn.")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Repositories at a time.")
@click.option("--out", type=_PATH, required=True, help="The file; its name should end with .candidates.xz.")
@format_option
def candidates(cases: Path, repos: Path, layout: str, most: int, jobs: int, out: Path, style: str) -> None:
    """Search CASES (as for `bench swe`) without models, and keep the first 100 functions of each as token ids.

    `trackdown train judge` reads the file, on any machine. It needs neither the repositories nor a search.
    """
    from trackdown.lab.benches import read_swe
    from trackdown.lab.train import collect_candidates

    bench = read_swe(cases, repos, layout, "function")
    with TerminalProgress(str(out)) as progress:
        report = collect_candidates(bench, out, load_settings(), most=most, jobs=jobs, progress=progress)
    _show({"candidates": str(out)} | asdict(report), style)


@click.command(short_help="Judge models on candidates, without a search.")
@click.argument("folders", type=_PATH, nargs=-1, required=True, metavar="MODELS...")
@click.option(
    "--candidates",
    "files",
    type=_PATH,
    multiple=True,
    required=True,
    help="A set that `train candidates` wrote. Repeatable: figures are means of the sets.",
)
@click.option("--full", is_flag=True, help="Compute in full precision, not as the int8 graph does.")
@format_option
def judge(folders: tuple[Path, ...], files: tuple[Path, ...], full: bool, style: str) -> None:
    """Order the candidates of cases by each head of MODELS, and by the ranking's sum.

    Intervals (95 %) come from resampling cases within each set. The first model is also compared with each of
    the others, case by case. Where only torch and numpy are installed, use `python -m trackdown.lab.train.judge`.
    """
    _need_torch()
    from trackdown.lab.train import judge_models

    report = judge_models(folders, files, full=full, say=_say)
    if style == "json":
        print_json(report)
        return
    print(f"{sum(report['cases'].values())} cases of {len(report['cases'])} sets, {report['precision']}")
    print(f"{'':<44}" + "".join(f"{name:>24}" for name in report["measures"]))
    _print_row("search", report["search"])
    for folder, rows in report["models"].items():
        print(one_line(folder))
        for name, row in rows.items():
            _print_row(f"  {name}", row)
            if "against the first" in row:
                _print_row("    against the first", row["against the first"])


def _print_row(name: str, row: Mapping[str, Sequence[float]]) -> None:
    rows = zip(row["mean"], row["low"], row["high"], strict=True)
    cells = [f"{mean:.3f} ({low:.3f} to {high:.3f})" for mean, low, high in rows]
    print(f"{one_line(name):<44}" + "".join(f"{cell:>24}" for cell in cells))


@click.command(short_help="Export a sentence-transformers model.")
@click.argument("folder", type=_PATH)
@click.option("--out", type=_PATH, required=True, help="Folder for the exported models.")
@format_option
def export(folder: Path, out: Path, style: str) -> None:
    """Export the encoder in FOLDER, a sentence-transformers model without an ONNX graph, for use in searches."""
    _need_torch()
    from trackdown.lab.train import export_folder

    manifest = export_folder(folder, out, texts=FIDELITY_TEXTS)
    _show({"models": str(out), "int8 against full precision": dict(manifest.figures)}, style)


MODEL_COMMANDS = (pack, models, mean, candidates, judge, export)


def _say(text: str) -> None:
    """Print a line about the training's progress."""
    print(one_line(text), file=sys.stderr, flush=True)


def _show(done: Mapping[str, Any], style: str) -> None:
    """Print what a command reports: names and values."""
    if style == "json":
        print_json(dict(done))
        return
    for name, value in done.items():
        print(f"{one_line(str(name))}: {one_line(str(value))}")


def _need_torch() -> None:
    """Raise UsageError, with what to install, if PyTorch is missing."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise UsageError(f"training models needs PyTorch: {install_hint('train')}")
