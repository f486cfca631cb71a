"""`trackdown train`: fit fusion to a repository's own past, fit it anew from many, or train the models."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trackdown.errors import UsageError
from trackdown.settings import load_settings
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.plain import one_line
from trackdown.surfaces.cli.progress import TerminalProgress

if TYPE_CHECKING:
    from trackdown.lab.train.fusion import Judged
    from trackdown.lab.train.own import OwnReport

_PATH = click.Path(path_type=Path)
_GOES_WITH = {
    "own": ("forget", "dry_run", "reranker", "path"),
    "fusion": ("repos", "stage"),
    "": ("export", "ablations", "small", "hold_out", "teacher", "issues"),
}

EXAMPLES = """\b
Examples:
  trackdown train --own --dry-run
  trackdown train --own ~/src/project
  trackdown train --own --reranker --base trained --out own-models
  trackdown train --own --forget
  trackdown train --fusion --repos repositories.txt --data collected --out learned.json
  trackdown train --data mined --base all-MiniLM-L6-v2 --out trained --small
  trackdown train --data mined --base all-MiniLM-L6-v2 --teacher all-mpnet-base-v2 --out trained
  trackdown train --data mined --issues mined-issues --base trained --out trained-on-issues
  trackdown train --data mined --base all-MiniLM-L6-v2 --out ablations --ablations
  trackdown train --export all-MiniLM-L6-v2 --out models
"""

EXPORT_CHECKED = (
    "parse the header of a request", "sign a session cookie with the secret key", "def close self : connection",
    "index out of range when the list is empty", "read a file line by line", "class user model base",
    "return the mean of all values", "remove trailing white space", "convert bytes to text with an encoding",
    "the button does not react to a second click", "open a socket with a timeout", "sort rows by their dates",
)  # fmt: skip
"""What an exported model is compared on with the one that it came from."""


@click.command(epilog=EXAMPLES)
@click.argument("path", required=False, metavar="[PATH]")
@click.option("--own", is_flag=True, help="Fit how signals are weighed to the history of the repository at PATH.")
@click.option("--dry-run", is_flag=True, help="With --own: say how many cases there are, and change nothing.")
@click.option("--forget", is_flag=True, help="With --own: remove what was fitted; the program's own weights are used.")
@click.option("--reranker", is_flag=True, help="With --own: fine-tune the reranker on this history (needs PyTorch, "
              "--base and --out).")  # fmt: skip
@click.option("--max-cases", type=click.IntRange(1), help="How many commits of a repository to take, newest first.")
@click.option("--fusion", is_flag=True, help="Fit the weights that come with the program, from many repositories.")
@click.option("--repos", type=_PATH, help="With --fusion: a text file with the path of a repository on each line.")
@click.option("--stage", type=click.Choice(["retrieve", "rerank"]), help="With --fusion: weigh what channels find, or "
              "what models say of it (retrieve by default).")  # fmt: skip
@click.option("--data", type=_PATH, help="What `trackdown mine` wrote; with --fusion, where what is collected is kept.")
@click.option("--base", type=_PATH, help="The weights to begin with: a folder with model.safetensors and "
              "tokenizer.json, one that was trained here, or that of the packaged models.")  # fmt: skip
@click.option("--teacher", type=_PATH, help="A larger model to learn from: a folder like --base, with an MPNet such as "
              "all-mpnet-base-v2.")  # fmt: skip
@click.option(
    "--issues", type=_PATH, help="What `trackdown mine --rewritten` wrote: issues to learn from beside --data."
)
@click.option("--out", type=_PATH, help="Where to write: a folder for models, with --fusion a JSON file.")
@click.option("--hold-out", multiple=True, metavar="OWNER/NAME",
              help="Judge by this repository; by one in ten without.")  # fmt: skip
@click.option("--small", is_flag=True, help="A run of minutes on a CPU, which shows that the recipe works.")
@click.option("--ablations", is_flag=True, help="Measure what each part of the recipe is worth.")
@click.option("--export", type=_PATH, help="Only export: a sentence-transformers folder without an ONNX graph.")
@format_option
def command(path: str | None, own: bool, fusion: bool, style: str, **given: Any) -> None:
    """Fit Trackdown to data: to a repository's own past (--own), or the whole of it anew.

    --own takes cases from the history, fits to the older 70 % and judges by the newer 30 %. What it finds is used in
    that repository's searches only if it wins there significantly; otherwise nothing changes. Without --own and
    --fusion the models are trained by a published recipe, which needs PyTorch: pip install 'trackdown[train]'.
    """
    chosen = "own" if own else "fusion" if fusion else ""
    _check(chosen, {**given, "path": path, "own": own, "fusion": fusion})
    if own:
        _own(path or ".", style, given)
    elif fusion:
        _fusion(style, given)
    else:
        _models(style, given)


def _check(chosen: str, given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together."""
    if given["own"] and given["fusion"]:
        raise UsageError("--own and --fusion do not go together: choose one")
    for kind, names in _GOES_WITH.items():
        for name in names:
            if kind != chosen and given[name]:
                option = "PATH" if name == "path" else f"--{name.replace('_', '-')}"
                needed = f"goes with --{kind}" if kind else "goes with neither --own nor --fusion"
                raise UsageError(f"{option} {needed}")
    if given["forget"] and (given["dry_run"] or given["reranker"]):
        raise UsageError("--forget removes what was fitted: it goes with neither --dry-run nor --reranker")
    if chosen == "own" and (given["data"] or (given["out"] and not given["reranker"])):
        raise UsageError("--own keeps what it finds in the store: it goes with neither --data nor --out")
    if given["base"] and (chosen == "fusion" or given["export"] or (chosen == "own" and not given["reranker"])):
        raise UsageError("--base is for training models: it goes with --data, or with --own --reranker")
    if given["export"] and any(given[name] for name in ("data", *_GOES_WITH[""]) if name != "export"):
        raise UsageError("--export trains nothing: it goes with --out alone")


def _own(path: str, style: str, given: Mapping[str, Any]) -> None:
    if given["forget"]:
        _forget(path, style)
        return
    if given["reranker"]:
        _need_torch()
        from trackdown.lab.train.own_reranker import fit_own_reranker

        told = fit_own_reranker(
            path, load_settings(), given["base"], given["out"], max_cases=given["max_cases"],
            dry_run=given["dry_run"], say=_say,
        )  # fmt: skip
        _show(told, style)
        return
    from trackdown.lab.train.own import MOST_CASES, fit_own

    with TerminalProgress(path) as progress:
        most = given["max_cases"] or MOST_CASES
        report = fit_own(path, load_settings(), max_cases=most, dry_run=given["dry_run"], progress=progress)
    if style == "json":
        print_json(report.as_dict())
        return
    for line in _own_lines(report):
        print(one_line(line))


def _forget(path: str, style: str) -> None:
    from trackdown.engine.repository_weights import RepositoryWeights

    with RepositoryWeights(path, load_settings()) as kept:
        known = kept.forget()
    if style == "json":
        print_json({"forgotten": known})
    else:
        print("Removed: the program's own weights are used." if known else "Nothing was fitted here.")


def _own_lines(report: OwnReport) -> list[str]:
    from trackdown.lab.train.own import FEWEST_CASES

    counted = f"{report.repository}: {report.cases} commits make a case"
    if report.dry_run:
        if not report.enough:
            return [f"{counted}, {FEWEST_CASES} are needed: nothing would be fitted"]
        return [f"{counted}: {report.fitted} older ones would be fitted to, {report.judged} newer ones would judge"]
    lines = [f"{counted}: {report.fitted} older ones were fitted to, {report.judged} newer ones judged"]
    for score in report.scores:
        verdict = "won, used from now on" if score.won else "no win, nothing changes"
        gain = f"{score.after - score.before:+.4f}, p = {score.chance:.3f}, {score.cases} cases"
        lines.append(f"  {score.level:<8}  {score.metric} {score.before:.4f} → {score.after:.4f} ({gain}): {verdict}")
    return lines


def _fusion(style: str, given: Mapping[str, Any]) -> None:
    from trackdown.lab.train.features import Wanted, read_places
    from trackdown.lab.train.fusion import train_fusion

    if given["repos"] is None or given["data"] is None:
        raise UsageError("--fusion needs --repos FILE (a path on each line) and --data FOLDER (where to collect)")
    places = read_places(given["repos"])
    wanted = Wanted(max_cases=given["max_cases"] or Wanted().max_cases, stage=given["stage"] or Wanted().stage)
    with TerminalProgress(str(given["repos"])) as progress:
        judged = train_fusion(places, given["data"], load_settings(), wanted, out=given["out"], progress=progress)
    if style == "json":
        print_json([one.as_dict() for one in judged])
        return
    for one in judged:
        _show_level(one)
    if given["out"] is not None:
        print(f"Weights: {one_line(str(given['out']))}")


def _show_level(judged: Judged) -> None:
    """A table of what was compared, and what the gate says of it."""
    from trackdown.lab.gate_text import verdict_lines
    from trackdown.lab.train.fusion import METRICS

    print(f"{judged.level} level, repositories that were not fitted to")
    print(f"{'':<10}" + "".join(f"{name:>9}" for name in METRICS))
    for one in judged.evaluations():
        print(f"{one.label:<10}" + "".join(f"{one.mean(name):>9.4f}" for name in METRICS))
    for verdict in judged.verdicts():
        print()
        for line in verdict_lines(verdict):
            print(one_line(line))
    print()


def _models(style: str, given: Mapping[str, Any]) -> None:
    _need_torch()
    data, base, out = given["data"], given["base"], given["out"]
    if given["export"]:
        from trackdown.lab.train.export import export_folder

        if out is None:
            raise UsageError("--export needs --out FOLDER")
        manifest = export_folder(given["export"], out, texts=EXPORT_CHECKED)
        _show({"models": str(out), "int8 against full precision": dict(manifest.figures)}, style)
        return
    from trackdown.lab.train.states import WHERE_FROM
    from trackdown.lab.train.whole import train_ablations, train_models

    if data is None or out is None:
        raise UsageError("training models needs --data FOLDER (what `trackdown mine` wrote) and --out FOLDER")
    if base is None:
        raise UsageError(f"training models needs --base FOLDER: {WHERE_FROM}")
    held_out, small, teacher, issues = given["hold_out"], given["small"], given["teacher"], given["issues"]
    if given["ablations"]:
        if teacher is not None or issues is not None:
            raise UsageError("--ablations are runs without a teacher and on --data alone: no --teacher, no --issues")
        _show(train_ablations(data, base, out, held_out=held_out, small=small, say=_say), style)
    else:
        done = train_models(data, base, out, held_out=held_out, teacher=teacher, issues=issues, small=small, say=_say)
        _show(done, style)


def _say(text: str) -> None:
    """A line about how far training is."""
    print(one_line(text), file=sys.stderr, flush=True)


def _show(done: Mapping[str, Any], style: str) -> None:
    """What a recipe reports: names and values."""
    if style == "json":
        print_json(dict(done))
        return
    for name, value in done.items():
        print(f"{one_line(str(name))}: {one_line(str(value))}")


def _need_torch() -> None:
    """PyTorch is for those who train. Raises UsageError where it is missing."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise UsageError("training models needs PyTorch: pip install 'trackdown[train]'")
