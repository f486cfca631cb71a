"""What `serve` and `mcp` share: reading the token, and logging."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.types import Clock

_LONGEST_TOKEN = 4096
_MINUTE = 60.0


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
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {error}" if error is not None else ""
        return f"trackdown: {one_line(record.getMessage().strip() + cause)}"


class _OncePerMinute(logging.Filter):
    """Keeps an error that happens all the time from filling a disk: one line of each kind and minute, with a count.

    Messages are of a kind if they differ only in their last argument, which is what an error says.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._kinds: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        arguments = record.args[:-1] if isinstance(record.args, tuple) else ()
        kind, now = (record.name, record.msg, *map(str, arguments)), self._clock()
        with self._lock:
            since, more = self._kinds.get(kind, (now - _MINUTE, 0))
            if now - since < _MINUTE:
                self._kinds[kind] = since, more + 1
                return False
            self._kinds[kind] = now, 0
        if more:
            record.msg, record.args = "%s (and %d more like it)", (record.getMessage().strip(), more)
        return True


def log_to_stderr(levels: dict[str, int]) -> None:
    """Send the messages of loggers, from these levels on, to standard error and nowhere else."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    handler.addFilter(_OncePerMinute())
    for name, level in levels.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
