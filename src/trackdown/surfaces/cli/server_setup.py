"""What `serve` and `mcp` share: reading the token, and logging."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.surfaces.cli.terminal_text import one_line

_LONGEST_TOKEN = 4096


def read_token(file: Path) -> str:
    """Read the token from a file, with a note if others can read it. Raises UsageError."""
    try:
        with file.open("rb") as stream:
            if os.fstat(stream.fileno()).st_mode & 0o077:
                print(f"note: other users of this machine can read {one_line(str(file))}", file=sys.stderr)
            return stream.read(_LONGEST_TOKEN).decode("ascii").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not plain text"
        raise UsageError(f"cannot read the token in {str(file)!r}: {reason}") from None


class _OneLine(logging.Formatter):
    """Keeps a log entry on one line, whatever a request, a file or a client put into it."""

    def format(self, record: logging.LogRecord) -> str:
        return f"trackdown: {one_line(record.getMessage())}"


def log_to_stderr(levels: dict[str, int]) -> None:
    """Send the messages of loggers, from these levels on, to standard error and nowhere else."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    for name, level in levels.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
