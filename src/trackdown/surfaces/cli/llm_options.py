"""Options of commands that may ask a language model, and the settings that they set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def llm_options(command: F) -> F:
    """`--llm PLACE`, `--llm-model NAME` and `--estimate-cost`: the arguments `llm`, `llm_model` and `dry_run`."""
    for option in reversed(
        [
            click.option(
                "--llm",
                metavar="PLACE",
                help="The language model: none, embedded, a .gguf file, or the URL of "
                "an OpenAI-compatible endpoint up to /v1 (its key comes from TRACKDOWN_LLM_KEY).",
            ),
            click.option("--llm-model", metavar="NAME", help="The endpoint's model."),
            click.option(
                "--estimate-cost",
                "dry_run",
                is_flag=True,
                help="Don't ask the language model: estimate how many questions and tokens it would take.",
            ),
        ]
    ):
        command = option(command)
    return command


def llm_overrides(llm: str | None, llm_model: str | None, dry_run: bool) -> dict[str, Any]:
    """What the options say, as settings; None leaves a setting alone."""
    return {"llm": llm, "llm_model": llm_model, "llm_dry_run": dry_run or None}
