"""The hint that says how to add an extra fits how this copy was installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PIP = f"{sys.executable} -m pip install"


def hint(
    folder: Path, direct_url: object, *, extra: str = "serve", prefix: Path | None = None, requires: str = ""
) -> str:
    """What a copy says whose metadata has this direct_url.json, run by a Python with this prefix."""
    packages = folder / "packages"
    info = packages / "trackdown-9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: trackdown\nVersion: 9.9\n{requires}\n")
    if direct_url is not None:
        text = direct_url if isinstance(direct_url, str) else json.dumps(direct_url)
        (info / "direct_url.json").write_text(text)
    code = f"import sys; sys.prefix = {str(prefix)!r} if {prefix is not None} else sys.prefix\n"
    code += f"from trackdown.installation import install_hint; print(install_hint({extra!r}))"
    environment = os.environ | {"PYTHONPATH": f"{packages}{os.pathsep}{SOURCE}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_editable_checkout(tmp_path: Path) -> None:
    (tmp_path / "my src").mkdir()
    url = (tmp_path / "my src").as_uri()
    found = hint(tmp_path, {"url": url, "dir_info": {"editable": True}})
    assert found == f"{PIP} -e '{tmp_path}/my src[serve]'"


def test_a_checkout(tmp_path: Path) -> None:
    assert hint(tmp_path, {"url": tmp_path.as_uri(), "dir_info": {}}) == f"{PIP} '{tmp_path}[serve]'"


def test_a_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "trackdown-9.9-py3-none-any.whl"
    wheel.touch()
    found = hint(tmp_path, {"url": wheel.as_uri(), "archive_info": {}})
    assert found == f"{PIP} 'trackdown[serve] @ {wheel.as_uri()}'"


def test_a_wheel_that_is_gone(tmp_path: Path) -> None:
    found = hint(tmp_path, {"url": (tmp_path / "gone.whl").as_uri(), "archive_info": {}})
    assert found.startswith("install trackdown with its extra `serve` from a checkout or a wheel")
    assert "gone.whl is no longer there" in found


def test_a_git_url(tmp_path: Path) -> None:
    origin = {"url": "https://git.example.org/t.git", "vcs_info": {"vcs": "git", "requested_revision": "v1"}}
    assert hint(tmp_path, origin) == f"{PIP} 'trackdown[serve] @ git+https://git.example.org/t.git@v1'"


def test_an_index(tmp_path: Path) -> None:
    assert hint(tmp_path, None) == f"{PIP} 'trackdown[serve]'"


@pytest.mark.parametrize(
    "damaged", ["", "{", "[]", '{"url": 3, "vcs_info": {}}', '{"url": "file:///x", "dir_info": 1}']
)
def test_damaged_metadata_are_no_error(tmp_path: Path, damaged: str) -> None:
    assert "serve" in hint(tmp_path, damaged)


@pytest.mark.parametrize(
    ("receipt", "command"),
    [("pipx_metadata.json", "pipx install --force"), ("uv-receipt.toml", "uv tool install --force")],
)
def test_pipx_and_uv_install_anew_and_keep_the_extras_that_are_there(
    tmp_path: Path, receipt: str, command: str
) -> None:
    (tmp_path / "environment").mkdir()
    (tmp_path / "environment" / receipt).touch()
    requires = "Requires-Dist: pytest>=8 ; extra == 'mcp'\nRequires-Dist: not-here-at-all ; extra == \"lab\"\n"
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    found = hint(tmp_path, origin, prefix=tmp_path / "environment", requires=requires)
    assert found == f"{command} -e '{tmp_path}[mcp,serve]'"


def test_this_copy_can_be_told_from_its_own_metadata() -> None:
    from trackdown.installation import install_hint, missing_packages

    assert "[serve]" in install_hint("serve") and missing_packages("") == []
