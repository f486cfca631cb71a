"""Help and completion: every command explains itself, and what its examples show can be typed."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import click
import pytest

from tests.surfaces.program import Program
from trackdown.surfaces.cli.main import COMMANDS, cli, main

ANSWERS = [name for name in COMMANDS if name not in ("completion", "man")]


def help_of(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert main([*command, "--help"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def examples(text: str) -> list[list[str]]:
    """The command lines under "Examples:", without what is piped into them or behind them."""
    _, _, shown = text.partition("Examples:\n")
    found = []
    for line in shown.strip().splitlines():
        ours = next(part for part in re.split(r" \| | >> | > ", line) if part.strip().startswith("trackdown"))
        found.append(shlex.split(ours)[1:])
    return found


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words name, down to the last group, and the words behind it."""
    context = click.Context(cli)
    found = cli.get_command(context, words[0])
    rest = words[1:]
    while isinstance(found, click.Group):
        assert rest and rest[0] in found.list_commands(context), words
        found, rest = found.get_command(context, rest[0]), rest[1:]
    assert found is not None
    return found, rest


def forms(name: str) -> list[tuple[str, ...]]:
    """A command by itself, or those that stand under it."""
    context = click.Context(cli)
    found = cli.get_command(context, name)
    return [(name, inner) for inner in found.list_commands(context)] if isinstance(found, click.Group) else [(name,)]


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids=lambda command: " ".join(command))
def test_help_has_examples_and_they_parse(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    shown = examples(help_of(capsys, *command))
    assert shown
    for words in shown:
        assert words[0] in COMMANDS and (not command or words[0] == command[0]), words
        found, rest = command_of(words)
        found.make_context(words[0], rest, parent=click.Context(cli))


def test_the_overview_names_every_command_as_its_own_help_does(capsys: pytest.CaptureFixture[str]) -> None:
    overview = help_of(capsys)
    assert re.findall(r"^  (\w+)  ", overview.partition("Commands:")[2], re.MULTILINE) == list(COMMANDS)
    for name in COMMANDS:
        assert help_of(capsys, name).startswith(f"Usage: trackdown {name} ")
        for form in forms(name):
            assert help_of(capsys, *form).startswith(f"Usage: trackdown {' '.join(form)} ")
    assert help_of(capsys, "eval", "gate").startswith("Usage: trackdown eval gate ")


@pytest.mark.parametrize("name", [name for name in COMMANDS if len(forms(name)) > 1])
def test_a_group_shows_what_stands_under_it_uncut(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    listed = help_of(capsys, name).partition("Commands:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in listed.splitlines()] == [form[1] for form in forms(name)]
    assert "..." not in listed


@pytest.mark.parametrize("name", ANSWERS)
def test_every_command_can_answer_in_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for form in forms(name):
        assert "--format [text|json" in help_of(capsys, *form)


def test_without_a_command_the_help_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = help_of(capsys)
    assert main([]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", wanted)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_TRACKDOWN_COMPLETE={shell}_complete" in script and "trackdown" in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [("trackdown sea", "search"), ("trackdown search --lev", "--level"), ("trackdown search --level cl", "class")],
)
def test_bash_completes_commands_options_and_values(ready: Program, words: str, wanted: str) -> None:
    script = f"""
        source <({sys.executable} -m trackdown completion bash)
        COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        _trackdown_completion trackdown
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    beside = Path(sys.executable).parent
    assert (beside / "trackdown").exists(), "the console script is not installed"
    run = ready.having(PATH=f"{beside}:/usr/bin:/bin").shell("unset -f trackdown\n" + script)
    assert run.out.split() == [wanted], run.err
