"""`trackdown modes`: list what a mode can name, and which models are here."""

from __future__ import annotations

import click

from trackdown.settings import load_settings
from trackdown.surfaces.cli.llm_options import llm_overrides
from trackdown.surfaces.cli.options import format_option, print_json

EXAMPLES = """\b
Examples:
  trackdown modes
  trackdown modes --format json
  trackdown modes --llm embedded
"""


@click.command(epilog=EXAMPLES)
@click.option("--llm", metavar="PLACE", help="A language model to describe: embedded, a .gguf file or a URL.")
@click.option("--llm-model", metavar="NAME", help="The endpoint's model.")
@format_option
def command(llm: str | None, llm_model: str | None, style: str) -> None:
    """List the retrievers and stages that a mode can name, the sets of models, and the language model.

    Join the parts of a mode with `+`, e.g. bm25+commits or hybrid+rerank@50.
    """
    from dataclasses import asdict

    from trackdown.engine import list_llms, list_model_sets, list_modes

    settings = load_settings(**llm_overrides(llm, llm_model, dry_run=False))
    listed = [*list_modes(), *list_model_sets(settings), *list_llms(settings)]
    if style == "json":
        print_json([asdict(item) for item in listed])
        return
    width = max(len(item.name) for item in listed)
    for item in listed:
        print(f"{item.name:<{width}}  {item.kind:<11}  {item.what}")
    print("Join parts with `+`, e.g. bm25+commits or hybrid+rerank@50.")
    print("TRACKDOWN_MODELS names a set of models, TRACKDOWN_LLM a language model.")
