"""`trackdown completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

EXAMPLES = """\b
Examples:
  trackdown completion bash >> ~/.bashrc
  trackdown completion zsh >> ~/.zshrc
  trackdown completion fish > ~/.config/fish/completions/trackdown.fish
"""


@click.command(epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script that lets your shell complete commands and options."""
    from trackdown.surfaces.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None
    print(found(cli, {}, "trackdown", "_TRACKDOWN_COMPLETE").source())
