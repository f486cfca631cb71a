"""Schemathesis reads the OpenAPI document, asks what it says and what it does not, and finds nothing wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.surfaces.http.serving import TOKEN, serving
from trackdown.engine import SharedRepositories

pytestmark = pytest.mark.slow

EXAMPLES = 8
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def guarded(shops: SharedRepositories, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A server that demands a token, with a report."""
    reports = tmp_path_factory.mktemp("reports")
    (reports / "run.json").write_text("{}")
    with serving(shops, token=True, reports=reports) as client:
        yield client


def test_schemathesis_finds_nothing(guarded: httpx.Client, tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIGURATION)),
        *("run", f"{guarded.base_url}openapi.json", "-H", f"Authorization: Bearer {TOKEN}", "--seed", "1"),
        *("--max-examples", str(EXAMPLES), "--phases", "examples,coverage,fuzzing", "--generation-database", "none"),
    ]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "Tested: 17" in done.stdout, "not every operation was asked for"
    assert guarded.get("/v1/search?query=cookie").json()["results"]
