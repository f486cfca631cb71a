"""`trackdown mcp`."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import click

from trackdown import __version__
from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.settings import load_settings
from trackdown.surfaces.cli.issue_text import fetch_issues_option
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.server_setup import log_to_stderr, read_token

EXAMPLES = """\b
Examples:
  trackdown mcp
  trackdown mcp ~/src/django ~/src/flask
  trackdown mcp . --http --port 9000
  trackdown mcp . --http --host 0.0.0.0 --token-file ~/.config/trackdown/token
"""


@click.command(epilog=EXAMPLES)
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option(
    "--http", "over_http", is_flag=True, help="Serve over streamable HTTP instead of standard input and output."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="With --http: the address to listen on. One that other machines can reach requires a token.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8766,
    show_default=True,
    help="With --http: the port; 0 picks a free one.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="With --http: require the token in this file. Default: TRACKDOWN_TOKEN.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="With --http: also answer to this host name, e.g. a proxy's. Repeatable.",
)
@click.option(
    "--wait",
    type=click.FloatRange(0, 600),
    default=15,
    show_default=True,
    metavar="SECONDS",
    help="How long a call waits for the first index before it answers from what is ready.",
)
@fetch_issues_option
@format_option
def command(
    places: tuple[str, ...],
    over_http: bool,
    host: str,
    port: int,
    token_file: Path | None,
    names: tuple[str, ...],
    wait: float,
    fetch_issues: bool,
    style: str,
) -> None:
    """Serve coding agents over the Model Context Protocol.

    Agents start this themselves; `trackdown install` sets them up. PATH is a folder, a repository or a git URL. It
    defaults to the repository of the current folder or, outside one, to the folders that the agent works in. The
    server indexes them and follows changes to files.
    """
    settings = load_settings()
    try:
        from trackdown.surfaces.mcp import RepositoryProvider, ServerOptions, run_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("trackdown"):
            raise
        raise UsageError(f"{error.name} is not installed: run `{install_hint('mcp')}`") from None
    log_to_stderr({"": logging.ERROR})  # standard output belongs to the protocol
    served, options = (
        RepositoryProvider(places, may_name=not over_http, settings=settings, fetch_issues=fetch_issues),
        ServerOptions(__version__, wait),
    )
    try:
        if not over_http:
            run_stdio(served, options)
            return
        from trackdown.surfaces.http import AccessRules
        from trackdown.surfaces.mcp import run_http

        token = read_token(token_file) if token_file is not None else settings.token

        def on_ready(address: str) -> None:
            if style == "json":
                print_json({"url": address, "token": bool(token)})
            else:
                print(f"Serving MCP at {address} (Ctrl-C to stop)")
            sys.stdout.flush()

        run_http(served, options, AccessRules(host, token, names), port, on_ready=on_ready)
    finally:
        served.close()
