"""`trackdown train`: train, judge and export models, and fit the ranker and the probabilities of answers."""

from __future__ import annotations

import click

from trackdown.surfaces.cli.suggestions import SuggestingGroup
from trackdown.surfaces.cli.train_confidence import confidence
from trackdown.surfaces.cli.train_models import MODEL_COMMANDS
from trackdown.surfaces.cli.train_ranker import ranker

EXAMPLES = """\b
Examples:
  trackdown train pack --data mined --issues mined-issues --base all-MiniLM-L6-v2 --out pack
  trackdown train models pack --rate 3e-4 --seconds 230 --out run-1
  trackdown train mean run-1 run-2 --pack pack --out models
  trackdown train candidates dev.jsonl --repos mirrors --layout '{owner}+{name}/repo' --out dev.candidates.xz
  trackdown train judge models run-1 --candidates dev.candidates.xz
  trackdown train export all-MiniLM-L6-v2 --out models
  trackdown train ranker --cases cases.jsonl --repos mirrors --data collected --out fitted
  trackdown train confidence --cases issues.jsonl --repos repositories --data answers --out weights.json
"""


@click.group(cls=SuggestingGroup, epilog=EXAMPLES, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Train models, and fit a ranker and the probabilities of answers.

    `pack`, `models`, `mean`, `judge` and `export` need PyTorch, which is in the extra `train`.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


for one in (*MODEL_COMMANDS, confidence, ranker):
    command.add_command(one)
