"""`trackdown fleet`: define a fleet of repositories, index it once, and show what is published."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from trackdown.errors import NoSuchPath, UsageError
from trackdown.fleet import (
    DEFAULT_GROUP,
    LARGEST_FILE_KB,
    FleetEntry,
    add_entries,
    create_fleet,
    find_members,
    fleet_state,
    read_fleet,
    remove_entries,
)
from trackdown.surfaces.cli.fleet_options import fleet_option
from trackdown.surfaces.cli.fleet_search import search
from trackdown.surfaces.cli.fleet_serve import serve
from trackdown.surfaces.cli.fleet_sync import sync
from trackdown.surfaces.cli.options import format_option, print_json
from trackdown.surfaces.cli.terminal_text import human_bytes, one_line

F = TypeVar("F", bound=Callable[..., Any])
_URLS = ("https://", "http://", "ssh://", "git://", "file://")

EXAMPLES = """\b
Examples:
  trackdown fleet init --place /srv/fleet
  trackdown fleet add ~/src/flask https://github.com/psf/requests --group web
  trackdown fleet add --glob '~/src/*' --group own
  trackdown fleet add --listing repositories.json
  trackdown fleet sync --workers 4
  trackdown fleet search "where is the session cookie signed?"
  trackdown fleet serve --tokens tokens.toml --host 0.0.0.0
"""


@click.group(epilog=EXAMPLES, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Index many repositories once, in a shared place, and search across them.

    A fleet is a file, fleet.toml, and a place: a folder or an object store. `sync` indexes what changed and publishes
    it; `search` and `serve` read what is published. Needs the extra `fleet`.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


@command.command()
@fleet_option
@click.option(
    "--place",
    default="fleet",
    show_default=True,
    help="Where shards and tables go: a folder, s3://bucket/prefix or gs://bucket/prefix.",
)
@format_option
def init(fleet: Path, place: str, style: str) -> None:
    """Write a new fleet.toml."""
    made = create_fleet(fleet, place)
    if style == "json":
        print_json({"file": str(made.file), "place": made.address.url})
    else:
        print(f"Wrote {one_line(str(made.file))}; the place is {one_line(made.address.url)}")
        print("Next: trackdown fleet add REPO…, then trackdown fleet sync")


@command.command()
@click.argument("places", nargs=-1, metavar="[REPO]...")
@fleet_option
@click.option("--glob", "globs", multiple=True, metavar="GLOB", help="Add all folders that match. Repeatable.")
@click.option(
    "--listing",
    "listings",
    multiple=True,
    metavar="FILE",
    help="Add what a JSON file lists: from `gh repo list --json nameWithOwner,url`, or GitLab's API. Repeatable.",
)
@click.option("--name", default="", metavar="NAME", help="The name of the repository. For one REPO only.")
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="GROUP",
    help=f"A group that may see it. Repeatable. Default: {DEFAULT_GROUP}.",
)
@click.option("--at", default="HEAD", metavar="REV", help="The branch or tag to publish. Default: HEAD.")
@click.option("--deep", is_flag=True, help="Also build the deep index, which takes minutes for a large repository.")
@click.option(
    "--max-file-kb",
    type=click.IntRange(1, LARGEST_FILE_KB),
    metavar="KB",
    help="Leave out larger files. Default: the setting max_file_kb.",
)
@format_option
def add(
    places: tuple[str, ...],
    fleet: Path,
    globs: tuple[str, ...],
    listings: tuple[str, ...],
    name: str,
    groups: tuple[str, ...],
    at: str,
    deep: bool,
    max_file_kb: int | None,
    style: str,
) -> None:
    """Add repositories by path or git URL, glob or listing."""
    if not places and not globs and not listings:
        raise UsageError("give a REPO, --glob or --listing")
    if name and (len(places) != 1 or globs or listings):
        raise UsageError("--name is for one REPO")
    kinds = [("url" if place.startswith(_URLS) or _is_ssh(place) else "path", place) for place in places]
    kinds += [("glob", pattern) for pattern in globs] + [("listing", listing) for listing in listings]
    folder = fleet.absolute().parent
    groups = groups or (DEFAULT_GROUP,)
    entries = [
        FleetEntry(kind, where if kind == "url" else _kept(where, folder), name, groups, at, deep, max_file_kb)
        for kind, where in kinds
    ]
    for entry in entries:
        if entry.kind in ("path", "listing") and not (folder / Path(entry.where).expanduser()).exists():
            raise NoSuchPath(f"no such file or folder: {entry.where}")
    added = add_entries(fleet, entries)
    shown = [entry.to_show() for entry in added]
    if style == "json":
        print_json([asdict(entry) for entry in shown])
        return
    for entry in shown:
        print(f"Added {one_line(entry.where)} ({', '.join(entry.groups)})")
    if len(added) < len(entries):
        known = f"{len(entries) - len(added)} of {len(entries)}"
        print(f"{known} already in {one_line(str(fleet))}, which is where to change them")


def _is_ssh(place: str) -> bool:
    return "@" in place and ":" in place and not os.path.exists(place)


def _kept(where: str, folder: Path) -> str:
    """A path as the file keeps it: as it is read from the folder of the file."""
    if where.startswith(("~", "/")):
        return where
    return os.path.relpath(Path.cwd() / where, folder)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="REPO...")
@fleet_option
@format_option
def remove(names: tuple[str, ...], fleet: Path, style: str) -> None:
    """Remove entries by name, path or URL. The next sync takes them out of the place."""
    removed = remove_entries(fleet, names)
    if style == "json":
        print_json(list(removed))
    else:
        print("\n".join(f"Removed {one_line(name)}" for name in removed))
        print("Next: trackdown fleet sync, which takes them out of the place")


@command.command("list")
@fleet_option
@format_option
def list_command(fleet: Path, style: str) -> None:
    """List the repositories of the fleet, as the file names them. Reads no repository."""
    members = find_members(read_fleet(fleet))
    if style == "json":
        print_json([{**asdict(member), "where": member.origin} for member in members])
        return
    for member in members:
        print(f"{one_line(member.name)}  {one_line(member.origin)}  {', '.join(member.groups)}")
    print(f"{len(members)} repositories")


@command.command()
@fleet_option
@format_option
def status(fleet: Path, style: str) -> None:
    """Show what is published, and what failed."""
    state = fleet_state(read_fleet(fleet))
    if style == "json":
        print_json(state)
        return
    for one in state.repositories:
        what = f"{one.commit[:10]}  {one.units} units  {human_bytes(one.bytes)}" if one.commit else "-"
        print(f"{one.state:<9}  {one_line(one.name)}  {what}  {', '.join(one.groups)}")
        if one.problem:
            print(f"           {one_line(one.problem)}")
    when = datetime.fromtimestamp(state.published_at, UTC).strftime("%Y-%m-%d %H:%M UTC") if state.number else "never"
    print(
        f"{one_line(state.place)}: manifest {state.number}, published {when}, {len(state.repositories)} repositories, "
        f"{state.units} units, {human_bytes(state.bytes)}"
    )


for one in (sync, search, serve):
    command.add_command(one)
