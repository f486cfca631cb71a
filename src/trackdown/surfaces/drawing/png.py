"""A neighbourhood as PNG, drawn by a program that is installed: librsvg's rsvg-convert, or Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

from trackdown.engine import Neighbourhood
from trackdown.errors import UsageError
from trackdown.surfaces.drawing.dot import as_dot
from trackdown.surfaces.drawing.svg import as_svg

_PROGRAMS: tuple[tuple[str, tuple[str, ...], Callable[[Neighbourhood], str]], ...] = (
    ("rsvg-convert", ("--format", "png"), as_svg),
    ("dot", ("-Tpng",), as_dot),
)
"""A program, its arguments, and what it reads from its standard input; PNG comes from its standard output."""
_MOST_SECONDS = 60
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png_program() -> str:
    """The program that would draw. Raises UsageError if there is none."""
    for name, _, _ in _PROGRAMS:
        if shutil.which(name):
            return name
    raise UsageError(
        "a PNG needs rsvg-convert (librsvg) or dot (Graphviz), and neither is installed: write .svg or .html instead, "
        "which need neither"
    )


def as_png(answer: Neighbourhood) -> bytes:
    """The picture. Raises UsageError if no program is installed, or if it fails or takes more than a minute."""
    program = png_program()
    _, arguments, written = next(one for one in _PROGRAMS if one[0] == program)
    try:
        text = written(answer).encode()
        done = subprocess.run([program, *arguments], input=text, capture_output=True, timeout=_MOST_SECONDS)
    except subprocess.TimeoutExpired:
        raise UsageError(f"{program} took more than {_MOST_SECONDS} s: show less, or write .svg instead") from None
    except OSError as error:
        raise UsageError(f"{program} cannot be started ({error.strerror}): write .svg instead") from None
    if done.returncode or not done.stdout.startswith(_SIGNATURE):
        said = done.stderr.decode(errors="replace").strip().split("\n")[-1] or f"exit code {done.returncode}"
        raise UsageError(f"{program} drew no PNG ({said}): write .svg instead")
    return done.stdout
