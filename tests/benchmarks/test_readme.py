"""The README's figures: each result that it links to is measured by one command, and a run that was cut goes on."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OWN_COMMAND = {"fleet-quality"}
"""Takes hours."""


@pytest.fixture
def readme(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("readme")


def test_every_result_that_the_readme_links_to_is_measured(readme: Any) -> None:
    linked = set(re.findall(r"benchmarks/results/([\w-]+)\.json", (ROOT / "README.md").read_text("utf-8")))
    measured = dict(readme.commands(Path("data"), Path("repos"), "{owner}+{name}/repo"))
    assert linked - OWN_COMMAND <= set(measured)


def test_every_script_is_there_and_mirrors_are_found_by_the_layout(readme: Any) -> None:
    commands = dict(readme.commands(Path("data"), Path("repos"), "{owner}+{name}/repo", Path("old")))
    assert all((ROOT / "benchmarks" / script).is_file() for script, *_ in commands.values())
    assert "repos/django+django/repo" in commands["speed-django-models"]
    assert commands["messages"][-2:] == ["--before", "old"]


def test_only_results_of_another_commit_are_measured_again(
    readme: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    probe = tmp_path / "probe.py"
    probe.write_text("import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('{}'); sys.exit(len(sys.argv) > 2)\n")
    commands = {"kept": [str(probe), "RESULT"], "old": [str(probe), "RESULT"], "broken": [str(probe), "RESULT", "fail"]}
    monkeypatch.setattr(readme, "commands", lambda *_: iter(commands.items()))
    monkeypatch.setattr(readme, "is_changed", lambda: False)
    here = json.dumps({"run": {"commit": readme.describe_run()["commit"]}})
    (tmp_path / "kept.json").write_text(here)
    (tmp_path / "old.json").write_text(here.replace('": "', '": "before '))
    assert readme.main(["--data", ".", "--repos", ".", "--out", str(tmp_path)]) == 1
    assert (tmp_path / "kept.json").read_text() == here
    assert (tmp_path / "old.json").read_text() == "{}"
    assert "failed: broken" in capfd.readouterr().err


def test_code_that_is_not_committed_is_not_measured(
    readme: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readme, "is_changed", lambda: True)
    with pytest.raises(SystemExit):
        readme.main(["--data", ".", "--repos", "."])
    assert "commit the code first" in capsys.readouterr().err


def test_a_name_that_is_no_result_is_refused(readme: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        readme.main(["--data", ".", "--repos", ".", "--only", "speeed"])
    assert "no result is called speeed" in capsys.readouterr().err
