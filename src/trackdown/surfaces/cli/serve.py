"""`trackdown serve`."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import click

from trackdown import __version__
from trackdown.errors import UsageError
from trackdown.settings import load_settings
from trackdown.surfaces.cli.options import format_option
from trackdown.surfaces.cli.plain import one_line
from trackdown.surfaces.cli.serving import log_to_stderr, read_token

EXAMPLES = """\b
Examples:
  trackdown serve
  trackdown serve ~/src/django ~/src/flask --port 9000
  trackdown serve . --reports benchmarks/results
  trackdown serve . --host 0.0.0.0 --token-file ~/.config/trackdown/token --allow-host search.example.org
"""


@click.command(epilog=EXAMPLES)
@click.argument("places", nargs=-1, metavar="[PATH]...")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve at. Any that other machines "
              "can reach demands a token.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one.")
@click.option("--token-file", metavar="FILE", type=click.Path(path_type=Path), help="Demand the token that stands in "
              "this file (by default what TRACKDOWN_TOKEN says).")  # fmt: skip
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Answer to this name, too, e.g. that of a "
              "proxy. Repeatable.")  # fmt: skip
@click.option("--reports", metavar="DIR", type=click.Path(path_type=Path), help="Serve the reports of this folder.")
@click.option("--rate", type=click.FloatRange(0.1, 1e6), metavar="N", help="How many requests a second one client may "
              "send (by default 20, and any number where only this machine is served).")  # fmt: skip
@click.option("--waiting", type=click.IntRange(0, 10_000), default=128, show_default=True, metavar="N", help="How many "
              "requests may wait; more are told to come back later.")  # fmt: skip
@click.option("--log", "log_requests", is_flag=True, help="Print a line for every request, without what was searched.")
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
    log_requests: bool,
    style: str,
) -> None:
    """Serve the API and the page for one or more repositories.

    PATH is a folder, a repository or a git URL; the current folder by default. Requests can name only these. They are
    indexed, and kept up to date as files change. Ctrl-C finishes what runs and ends.
    """
    settings = load_settings()
    token = read_token(token_file) if token_file is not None else settings.token
    try:
        from trackdown.surfaces.http.access import AccessRules
        from trackdown.surfaces.http.server import Server, Service
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("trackdown"):
            raise
        raise UsageError(f"{error.name} is not installed: run `pip install 'trackdown[serve]'`") from None
    from trackdown.engine import SharedRepositories

    # Uvicorn's own words are heard only when something is wrong.
    log_to_stderr({"trackdown.http": logging.INFO, "uvicorn.error": logging.ERROR})
    service = Service(AccessRules(host, token, names, rate), port, reports, log_requests=log_requests)
    with SharedRepositories(places or ["."], settings=settings, most_waiting=waiting) as shared:
        server = Server(shared, service, __version__)

        def ready() -> None:
            if style == "json":
                print(json.dumps({"url": server.url, "repositories": list(shared.names), "token": bool(token)}))
            else:
                print(f"Serving {', '.join(map(one_line, shared.names))} at {server.url} (Ctrl-C ends it)")
            sys.stdout.flush()
            shared.start()

        server.run(ready)
