"""The command line: a file per command, thin over the engine."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.cli.main import run
    from trackdown.surfaces.cli.reason_text import explained
    from trackdown.surfaces.cli.terminal_text import one_line, sanitize
else:
    __getattr__ = door(__name__)
