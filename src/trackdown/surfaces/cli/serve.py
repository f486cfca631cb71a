"""`trackdown serve`."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import click

from trackdown import __version__
from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.settings import load_settings
from trackdown.surfaces.cli.issue_text import fetch_issues_option
from trackdown.surfaces.cli.options import format_option
from trackdown.surfaces.cli.server_setup import log_to_stderr, read_token
from trackdown.surfaces.cli.terminal_text import one_line

EXAMPLES = """\b
Examples:
  trackdown serve
  trackdown serve ~/src/django ~/src/flask --port 9000
  trackdown serve . --reports benchmarks/results
  trackdown serve . --host 0.0.0.0 --token-file ~/.config/trackdown/token --allow-host search.example.org
"""


@click.command(epilog=EXAMPLES)
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. One that other machines can reach requires a token.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="The port; 0 picks a free one."
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Require the token in this file. Default: TRACKDOWN_TOKEN.",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Also answer to this host name, e.g. a proxy's. Repeatable.",
)
@click.option(
    "--reports",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also serve evaluation reports from this folder.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0.1, 1e6),
    metavar="N",
    help="How many requests per second one client may send. Default: 20, or no limit on a server for this machine.",
)
@click.option(
    "--waiting",
    type=click.IntRange(0, 10_000),
    default=128,
    show_default=True,
    metavar="N",
    help="How many requests may wait. Further ones get 503 with Retry-After.",
)
@fetch_issues_option
@click.option("--log", "log_requests", is_flag=True, help="Log every request, without its query.")
@format_option
def command(
    places: tuple[str, ...],
    host: str,
    port: int,
    token_file: Path | None,
    names: tuple[str, ...],
    reports: Path | None,
    rate: float | None,
    waiting: int,
    fetch_issues: bool,
    log_requests: bool,
    style: str,
) -> None:
    """Serve the API and the page for one or more repositories.

    PATH is a folder, a repository or a git URL. It defaults to the current folder. Requests can search only these. The
    server indexes them and follows changes to files. Ctrl-C finishes running requests and exits.
    """
    settings = load_settings()
    token = read_token(token_file) if token_file is not None else settings.token
    try:
        from trackdown.surfaces.http import AccessRules, Server, Service
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("trackdown"):
            raise
        raise UsageError(f"{error.name} is not installed: run `{install_hint('serve')}`") from None
    from trackdown.engine import SharedRepositories

    # Uvicorn logs only errors.
    log_to_stderr({"trackdown.http": logging.INFO, "uvicorn.error": logging.ERROR})
    service = Service(AccessRules(host, token, names, rate), port, reports, log_requests=log_requests)
    with SharedRepositories(
        places or ["."], settings=settings, most_waiting=waiting, fetch_issues=fetch_issues
    ) as shared:
        server = Server(shared, service, __version__)

        def ready() -> None:
            if style == "json":
                print(json.dumps({"url": server.url, "repositories": list(shared.names), "token": bool(token)}))
            else:
                print(f"Serving {', '.join(map(one_line, shared.names))} at {server.url} (Ctrl-C to stop)")
            sys.stdout.flush()
            shared.start()

        server.run(ready)
