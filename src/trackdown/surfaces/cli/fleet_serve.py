"""`trackdown fleet serve`."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trackdown import __version__
from trackdown.errors import UsageError
from trackdown.fleet import Fleet, FleetReader, FleetRepositories, Place, TokenGrant, read_fleet, read_grants
from trackdown.installation import install_hint
from trackdown.settings import Settings, load_settings
from trackdown.surfaces.cli.fleet_options import fleet_option, groups_option
from trackdown.surfaces.cli.options import format_option
from trackdown.surfaces.cli.server_setup import log_to_stderr
from trackdown.surfaces.cli.terminal_text import one_line

if TYPE_CHECKING:
    from trackdown.surfaces.http import AccessRules, GroupView

EXAMPLES = """\b
Examples:
  trackdown fleet serve
  trackdown fleet serve --group web --mcp stdio
  trackdown fleet serve --tokens tokens.toml --host 0.0.0.0 --allow-host search.example.org
  trackdown fleet serve --tokens tokens.toml --mcp http --port 8766
"""


@click.command(epilog=EXAMPLES)
@fleet_option
@groups_option
@click.option(
    "--tokens",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Let clients see the groups of their tokens: [[tokens]] with name, sha256 and groups.",
)
@click.option("--mcp", type=click.Choice(["stdio", "http"]), help="Serve agents over MCP instead of the page and API.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. One that other machines can reach requires --tokens.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="The port; 0 picks a free one."
)
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Also answer to this host name. Repeatable.")
@click.option(
    "--rate",
    type=click.FloatRange(0.1, 1e6),
    metavar="N",
    help="How many requests per second one client may send. Default: 20, or no limit on a server for this machine.",
)
@click.option("--log", "log_requests", is_flag=True, help="Log every request, without its query.")
@format_option
def serve(
    fleet: Path,
    groups: tuple[str, ...],
    tokens: Path | None,
    mcp: str | None,
    host: str,
    port: int,
    names: tuple[str, ...],
    rate: float | None,
    log_requests: bool,
    style: str,
) -> None:
    """Serve what is published: the page and the API, or MCP.

    The server reads the place and needs no clones. It follows what syncs publish. With --tokens, a client sees the
    repositories of its token's groups, as if there were no others.
    """
    found, settings = read_fleet(fleet), load_settings()
    for group in groups:
        if group not in found.groups:
            raise UsageError(f"the fleet has no group {group!r}; there are {', '.join(found.groups)}")
    if tokens is not None and groups:
        raise UsageError("--tokens says which groups each client sees: leave out --group")
    if tokens is not None and mcp == "stdio":
        raise UsageError("--mcp stdio has one client and no tokens: use --group")
    grants = read_grants(tokens, found.groups) if tokens is not None else ()
    place = Place(found.address)
    try:
        from trackdown.surfaces.http import AccessRules
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("trackdown"):
            raise
        raise UsageError(f"{error.name} is not installed: run `{install_hint('serve')}`") from None
    log_to_stderr({"trackdown.http": logging.INFO, "uvicorn.error": logging.ERROR, "": logging.ERROR})
    digests = tuple(grant.digest for grant in grants)
    how = "name a file of tokens with --tokens"
    rules = AccessRules(host, names=names, rate=rate, digests=digests, how_to_demand=how)
    rules.check()
    serving = _Serving(found, place, settings, rules, port, log_requests=log_requests, style=style)
    if mcp is not None:
        serving.mcp(groups, grants, over_http=mcp == "http")
    else:
        serving.http(groups, grants)


class _Serving:
    """How a fleet is served."""

    def __init__(
        self,
        fleet: Fleet,
        place: Place,
        settings: Settings,
        rules: AccessRules,
        port: int,
        *,
        log_requests: bool,
        style: str,
    ) -> None:
        self._fleet = fleet
        self._place = place
        self._settings = settings
        self._rules = rules
        self._port = port
        self._log_requests = log_requests
        self._style = style

    def http(self, groups: Sequence[str], grants: Sequence[TokenGrant]) -> None:
        """The API and the page."""
        from trackdown.surfaces.http import GroupServer, Server, Service

        service = Service(self._rules, self._port, log_requests=self._log_requests)
        with self._views(grants) as views, self._opened(tuple(groups) or None) as own:
            server = GroupServer(views, grants, service, __version__) if grants else Server(own, service, __version__)
            server.run(lambda: self._announce(server.url))

    def mcp(self, groups: Sequence[str], grants: Sequence[TokenGrant], *, over_http: bool) -> None:
        """Tools for agents."""
        try:
            from trackdown.surfaces.mcp import OpenedProvider, ServerOptions, build_app, run_app, run_stdio
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("trackdown"):
                raise
            raise UsageError(f"{error.name} is not installed: run `{install_hint('mcp')}`") from None
        from trackdown.surfaces.http import GroupDispatcher

        options = ServerOptions(__version__)
        with self._views(grants) as views, self._opened(tuple(groups) or None) as own:
            if not over_http:
                run_stdio(OpenedProvider(own), options)
                return
            app = build_app(OpenedProvider(own), options, self._rules)
            if grants:
                apps = {
                    view.groups: build_app(
                        OpenedProvider(view.shared), options, replace(self._rules, digests=view.digests)
                    )
                    for view in views
                }
                app = GroupDispatcher(apps, grants)
            run_app(app, self._rules, self._port, on_ready=self._announce)

    @contextmanager
    def _views(self, grants: Sequence[TokenGrant]) -> Iterator[list[GroupView]]:
        from trackdown.surfaces.http import views_of

        with ExitStack() as stack:
            yield views_of(grants, lambda groups: stack.enter_context(self._opened(groups))) if grants else []

    @contextmanager
    def _opened(self, groups: tuple[str, ...] | None) -> Iterator[FleetRepositories]:
        reader = FleetReader(self._place, self._settings, groups)
        with FleetRepositories(reader, self._settings) as opened:
            yield opened

    def _announce(self, url: str) -> None:
        if self._style == "json":
            print(json.dumps({"url": url, "place": self._fleet.address.url, "token": self._rules.demands_token}))
        else:
            print(f"Serving the fleet at {one_line(self._fleet.address.url)} at {url} (Ctrl-C to stop)")
        sys.stdout.flush()
