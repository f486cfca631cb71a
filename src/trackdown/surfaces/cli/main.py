"""The `trackdown` program: finds the command, and turns every error into one line and an exit code."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from importlib import import_module
from typing import Any

import click

from trackdown import __version__
from trackdown.errors import TrackdownError
from trackdown.surfaces.cli.memory_limit import check_memory_limit
from trackdown.surfaces.cli.suggestions import SuggestingGroup, misspelt_option, warn_of_misspelt_variables
from trackdown.surfaces.cli.terminal_text import sanitize

COMMANDS = {
    "search": "Find the functions, classes or files for an issue, a question or a name.",
    "index": "Update the index, or list the files in it.",
    "status": "Show what is indexed and how large it is.",
    "history": "Find past commits by words, issue, author, path or date.",
    "show": "Show a commit: message, diff, units changed, similar commits.",
    "blame": "Show who last changed some lines, and for which issue.",
    "related": "Find code related to a line: callers, callees, similar code, co-changes.",
    "impact": "Find what else has to change with a diff.",
    "graph": "Show containment, imports, calls and inheritance around a place.",
    "serve": "Serve the HTTP API and the web page.",
    "mcp": "Serve coding agents over the Model Context Protocol.",
    "fleet": "Index many repositories once, and search across them.",
    "install": "Set up agents to use the MCP server.",
    "eval": "Measure on the repository's own history.",
    "bench": "Measure on public benchmarks.",
    "modes": "List the modes and models you can search with.",
    "train": "Train the models, the ranker and the probabilities of answers.",
    "mine": "Mine training data from histories.",
    "style": "Compare two pieces of code by style.",
    "rewrite": "Let a language model rewrite code, so that search --reco finds more.",
    "report": "Compare measured modes and runs, as tables or as a page.",
    "config": "Show every setting and where it comes from.",
    "doctor": "Check the installation, the store, the models and the settings.",
    "clear": "Remove a repository's index from the store.",
    "completion": "Print a script that teaches your shell to complete commands.",
    "man": "Print the manual page.",
}


class LazyCommands(SuggestingGroup):
    """Loads a command's module when it is called, so that start-up costs what the command needs and no more."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"trackdown.surfaces.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # a closed pipe or a full disk shows here, and not when Python ends
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            if not _reader_is_gone():  # left alone, click would take it for our own output and end without a word
                raise TrackdownError("a worker process died: run the command again") from None
            _drop_output()
            return 0
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            _drop_output()
            raise TrackdownError(f"cannot write the answer: {error.strerror}") from None
        return result

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


EXAMPLES = """\b
Examples:
  trackdown search "where is the session cookie signed?"
  trackdown search --issue issue.md --level file -k 5
  trackdown search QuerySet.bulk_create ~/src/django --at 4.2
  trackdown history "race condition in the cache" --format json
  trackdown related src/app.py:120
  trackdown impact main..HEAD
  trackdown graph QuerySet.bulk_create --edges invokes --direction in
"""


@click.group(
    cls=LazyCommands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="trackdown")
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Given this issue, which code has to change?

    Trackdown searches a git repository by its code and by its history, offline, and says why.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def run() -> None:
    """Entry point of the console script."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """Run a command line and return its exit code: 0 found or done, 1 failed, 2 wrong usage, 130 interrupted."""
    _ready_output()
    try:
        check_memory_limit()
        warn_of_misspelt_variables()
        result = cli.main(arguments, prog_name="trackdown", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.NoSuchOption as error:
        return _complain(f"{misspelt_option(error)} (see `{_place(error)} --help`)", 2)
    except click.UsageError as error:
        return _complain(f"{error.format_message()} (see `{_place(error)} --help`)", 2)
    except (click.Abort, KeyboardInterrupt):
        if sys.stderr.isatty():
            print(file=sys.stderr)  # the terminal has shown ^C on this line
        return _complain("interrupted", 130)
    except TrackdownError as error:
        if "--debug" in arguments:
            raise
        return _complain(str(error), error.exit_code)
    except MemoryError:
        if "--debug" in arguments:
            raise
        return _complain("there is not enough memory: free some, or raise the limit (`ulimit -v`)", 1)
    except Exception as error:
        if "--debug" in arguments:
            raise
        return _complain(f"unexpected {type(error).__name__}: {error} (run `trackdown --debug` and report it)", 1)


def _place(error: click.UsageError) -> str:
    """The command that an error is about."""
    return error.ctx.command_path if error.ctx is not None else "trackdown"


def _ready_output() -> None:
    """Have somewhere to print to, and print what the terminal's encoding lacks as an escape."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - open as long as the program runs
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open as long as the program runs
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _reader_is_gone() -> bool:
    """Whether the pipe that broke is our own output, which nobody reads any longer."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return bool(poll.poll(0))


def _drop_output() -> None:
    """Quietly discard output that is not written yet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, code: int) -> int:
    print(f"trackdown: {' '.join(sanitize(message).split())}", file=sys.stderr)
    return code
