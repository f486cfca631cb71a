"""Opens a file at a line in the user's editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from typing import IO

from trackdown.errors import TrackdownError, UsageError

_PLUS = "+{line} {file}"
_COLON = "{file}:{line}"
_GOTO = "--goto {file}:{line}"
_OPTION = "--line {line} {file}"
_ARGUMENTS = {
    **dict.fromkeys(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "code-server"), _GOTO),
    **dict.fromkeys(("nvim", "vim", "gvim", "mvim", "vi", "view", "nano", "pico", "micro", "kak", "ne", "joe"), _PLUS),
    **dict.fromkeys(("emacs", "emacsclient", "gedit", "mg", "jed"), _PLUS),
    **dict.fromkeys(("zed", "zeditor", "subl", "sublime_text", "hx", "helix", "lapce"), _COLON),
    **dict.fromkeys(("idea", "pycharm", "clion", "goland", "webstorm", "phpstorm", "rubymine", "rider"), _OPTION),
    **dict.fromkeys(("kate", "kwrite", "mate"), _OPTION),
}
"""How an editor is told the line."""
_FOUND_IN_ORDER = ("code", "cursor", "codium", "zed", "subl", "nvim", "vim", "hx", "emacs", "micro", "nano", "vi")


def editor_command(file: Path, line: int, environment: Mapping[str, str]) -> list[str]:
    """The command that opens a file at a line: $VISUAL, $EDITOR, or the first editor that is installed.

    Raises UsageError if there is none. An editor that we don't know opens the file, but not at the line.
    """
    chosen = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    if chosen:
        try:
            program = shlex.split(chosen)
        except ValueError:
            raise UsageError(f"$VISUAL or $EDITOR is not a command: {chosen!r}") from None
    else:
        found = (name for name in _FOUND_IN_ORDER if shutil.which(name, path=environment.get("PATH")))
        program = list(filter(None, [next(found, "")]))
    if not program:
        raise UsageError("there is no editor to open it with: set VISUAL or EDITOR, e.g. EDITOR=vim")
    name = PureWindowsPath(program[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    pattern = _ARGUMENTS.get(name, "{file}")
    return [*program, *(part.format(file=file, line=line) for part in pattern.split(" "))]


def open_in_editor(file: Path, line: int) -> None:
    """Open a file and wait until the editor gives the terminal back. Raises UsageError and TrackdownError."""
    command = editor_command(file.absolute(), line, os.environ)
    sys.stdout.flush()
    try:
        with _keyboard() as keyboard:
            done = subprocess.run(command, stdin=keyboard, check=False)
    except OSError as error:
        raise UsageError(f"cannot start the editor {command[0]!r}: {error.strerror}") from None
    if done.returncode:
        raise TrackdownError(f"the editor {command[0]!r} ended with exit code {done.returncode}")


@contextmanager
def _keyboard() -> Iterator[IO[bytes] | None]:
    """The terminal as input, where standard input is a pipe that the query came from; None for our own input."""
    if sys.stdin is not None and sys.stdin.isatty():
        yield None
        return
    try:
        terminal = open("/dev/tty", "rb")  # noqa: SIM115 - closed below
    except OSError:
        yield None
        return
    with terminal:
        yield terminal
