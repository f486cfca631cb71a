"""The manual page has what the help has, and man can read it."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest

from trackdown.surfaces.cli.main import COMMANDS, cli
from trackdown.surfaces.cli.man import manual

REQUESTS = {"TH", "nh", "ad", "SH", "SS", "B", "I", "RI", "PP", "TP", "nf", "fi", "RS", "RE"}


@pytest.fixture(scope="module")
def page() -> str:
    return manual(cli)


def test_every_command_and_option_is_in_it(page: str) -> None:
    plain = page.replace("\\-", "-")
    context = click.Context(cli)
    for name in COMMANDS:
        assert f".SS trackdown {name}" in plain
        found = cli.get_command(context, name)
        assert found is not None
        for param in found.params:
            if isinstance(param, click.Option) and not param.hidden:
                assert param.opts[0] in plain, (name, param.opts)


def test_only_requests_that_are_meant_begin_a_line(page: str) -> None:
    begun = {line.split()[0][1:] for line in page.splitlines() if line.startswith((".", "'"))}
    assert begun <= REQUESTS
    assert not re.search(r"\\(?![-e&f])", page)  # every backslash of the text is escaped


@pytest.mark.parametrize("command", [["man", "--warnings", "-l", "-"], ["mandoc", "-T", "lint", "-W", "warning"]])
def test_man_reads_it_without_complaint(page: str, command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(
        command, input=page, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    )
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if "mandoc:" in line or "troff" in line]
    assert [line for line in complaints if "missing date" not in line] == []
