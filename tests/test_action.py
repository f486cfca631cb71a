"""The GitHub Action: its steps run here as a runner runs them, in a repository and against an API on this machine."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo
from tests.surfaces.conftest import build_shop
from tests.trackers.code_host import CodeHost, code_host, github_issue, moves, sends

ROOT = Path(__file__).parents[1]
yaml: Any = import_module("yaml")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
COMMENTS = "/api/v3/repos/shop/web/issues/7/comments"
EVIL = {
    "title": "The session cookie is not signed `touch owned` $(touch owned)",
    "body": "Ask @octocat, see #1.\n'; touch owned; '\n${{ github.token }}\nEOF\n::set-output name=answer::/etc/x\n",
}


@dataclass
class Runner:
    """Runs the steps of the action as GitHub's runner does, with an event and inputs."""

    repository: Repo
    temp: Path
    host: CodeHost
    event: dict[str, Any]
    inputs: dict[str, str] = field(default_factory=dict)

    def __call__(self) -> subprocess.CompletedProcess[str]:
        """Run the steps until one fails. Returns the last."""
        contexts = {"github": {"token": "s3cret", "action_path": str(ROOT), "event": {"issue": self.event}}}
        given = {name: self._fill(one.get("default", ""), contexts) for name, one in ACTION["inputs"].items()}
        contexts["inputs"] = {**given, **self.inputs}
        for step in ACTION["runs"]["steps"]:
            if step.get("if") == "inputs.comment == 'true'" and contexts["inputs"]["comment"] != "true":
                continue
            variables = {name: self._fill(value, contexts) for name, value in step.get("env", {}).items()}
            done = self._run(step["run"], variables)
            if done.returncode:
                return done
            if "id" in step:
                written = dict(line.split("=", 1) for line in self._file("output").read_text().splitlines())
                contexts["steps"] = {step["id"]: {"outputs": written}}
        return done

    def _fill(self, text: str, contexts: Any) -> str:
        def value(found: re.Match[str]) -> str:
            place = contexts
            for name in found[1].split("."):
                place = place.get(name, {})
            return str(place) if place != {} and place is not None else ""

        return re.sub(r"\$\{\{ ([\w.]+) \}\}", value, text)

    def _run(self, script: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        assert "${{" not in script, "what is interpolated into a script runs"
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_REPOSITORY": "shop/web",
            "GITHUB_SERVER_URL": self.host.url,
            "GITHUB_API_URL": f"{self.host.url}/api/v3",
            **{f"GITHUB_{name}": str(self._file(name.lower())) for name in ("OUTPUT", "PATH", "STEP_SUMMARY")},
            **variables,
        }
        environment.pop("TRACKDOWN_STORE", None)
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=self.repository.root, env=environment, capture_output=True, text=True)

    def _file(self, name: str) -> Path:
        path = self.temp / name
        path.touch()
        return path

    def comment(self) -> str:
        """The comment that was posted."""
        (posted,) = [asked for asked in self.host.seen if asked.method == "POST"]
        assert posted.path == COMMENTS and posted.token == "Bearer s3cret"
        value = json.loads(posted.body)
        assert list(value) == ["body"] and isinstance(value["body"], str)
        return str(value["body"])


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    """A runner in a shop whose code and history mention people, with a new issue."""
    shop = build_shop(tmp_path / "shop")
    shop.commit(
        "Sign the session cookie, as @octocat asked in #12", {"web/sign.py": "@octocat\ndef sign(cookie): ...\n"}
    )
    (tmp_path / "temp").mkdir()
    with code_host() as host:
        host.pages[COMMENTS] = sends({"id": 1}, 201)
        yield Runner(shop, tmp_path / "temp", host, {"number": 7, **EVIL})


def without_code(markdown: str) -> str:
    """Markdown without its code, in which nothing is a mention, and with its entities as the characters they are."""
    return html.unescape(re.sub(r"(`+)[^`].*?(?<!`)\1(?!`)", "", re.sub(r"(?ms)^ *```.*?^ *```$", "", markdown)))


def test_it_comments_the_likely_places_and_runs_nothing_of_the_issue(runner: Runner) -> None:
    done = runner()
    assert done.returncode == 0, done.stderr
    comment = runner.comment()
    assert comment.startswith("<!-- trackdown -->\n") and "web/session.py" in comment
    assert "octocat" in comment and not re.search(r"[@#]\w", without_code(comment))
    assert (runner.temp / "step_summary").read_text().strip() in comment
    issue = (runner.temp / "trackdown-issue.md").read_text()
    assert issue == f"{EVIL['title']}\n\n{EVIL['body']}\n\n#7\n"
    assert not list(runner.repository.root.rglob("owned")) and not (runner.temp / "owned").exists()
    assert [asked.method for asked in runner.host.seen] == ["POST"]


def test_an_issue_without_a_text_is_fetched_and_nothing_is_posted_if_not_wanted(runner: Runner) -> None:
    runner.event = {}
    runner.host.has("github", 7, github_issue("The cart's total price is wrong"))
    runner.inputs = {"issue": "7", "results": "1", "comment": "false"}
    done = runner()
    assert done.returncode == 0, done.stderr
    assert [(asked.method, asked.token) for asked in runner.host.seen] == [("GET", "Bearer s3cret")]
    answer = (runner.temp / "trackdown-answer.md").read_text()
    assert "total" in answer and "2. " not in answer


@pytest.mark.parametrize("inputs", [{"issue": ""}, {"issue": "7; touch owned"}, {"results": "100"}, {"results": "-1"}])
def test_inputs_that_make_no_sense_are_refused(runner: Runner, inputs: dict[str, str]) -> None:
    runner.inputs = inputs
    done = runner()
    assert done.returncode == 2 and done.stderr.startswith("trackdown: ") and done.stderr.count("\n") == 1
    assert runner.host.seen == [] and not (runner.repository.root / "owned").exists()


def test_a_comment_that_is_refused_is_one_line_and_the_token_follows_no_redirect(runner: Runner) -> None:
    runner.inputs = {"results": "1"}
    runner.host.pages[COMMENTS] = sends({"message": "Resource not accessible by integration"}, 403)
    done = runner()
    assert done.returncode == 1 and "issues: write" in done.stderr and done.stderr.count("trackdown: ") == 1
    with code_host() as other:
        runner.host.pages[COMMENTS] = moves(f"{other.url}/comments", 307)
        done = runner()
        assert done.returncode == 1 and "refused (307)" in done.stderr and other.seen == []


def test_the_example_workflow_asks_for_the_least() -> None:
    text = (ROOT / "docs" / "github-action.md").read_text("utf-8")
    example = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", text, re.S)[0])
    assert example["permissions"] == {"contents": "read", "issues": "write"}
    assert example[True] == {"issues": {"types": ["opened"]}}  # YAML reads `on` as a truth
    named = {name for step in example["jobs"]["trackdown"]["steps"] for name in step.get("with", {})}
    assert named - {"fetch-depth", "persist-credentials", "key", "path", "restore-keys"} <= set(ACTION["inputs"])
    assert all(f"`{name}`" in text for name in ACTION["inputs"])
