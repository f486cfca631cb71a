"""`python -m trackdown`: the command line, for where the console script is not at hand."""

from trackdown.surfaces.cli import run

run()
