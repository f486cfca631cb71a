"""How this copy of Trackdown was installed, and the command that adds an extra to it.

Trackdown may come from a checkout, a wheel, a git URL or an index, by pip, uv or pipx. A command that names an index
works for the last of these only, so the hint repeats where this copy came from.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_NAME = "trackdown"
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w.-]+)['\"]")
_PROJECT = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Installation:
    """Where this copy came from: a folder (`editable` or not) or a URL, or neither if it came from an index."""

    folder: str = ""
    url: str = ""
    editable: bool = False

    @property
    def is_gone(self) -> bool:
        """Whether the folder or the wheel has been removed since."""
        place = self.folder or (_path_of(self.url) if self.url.startswith("file://") else "")
        return bool(place) and not Path(place).exists()

    def requirement(self, extras: str) -> str:
        """What to name in a command that installs this copy with extras."""
        named = f"[{extras}]" if extras else ""
        if self.folder:
            return shlex.quote(f"{self.folder}{named}")
        return shlex.quote(f"{_NAME}{named} @ {self.url}" if self.url else f"{_NAME}{named}")


def install_hint(extra: str) -> str:
    """The command that adds an extra to this copy of Trackdown; with '', the one that installs it again."""
    found = _found()
    copy = _origin(found)
    if copy.is_gone:
        place = copy.folder or copy.url
        what = f"trackdown with its extra `{extra}`" if extra else "trackdown"
        return f"install {what} from a checkout or a wheel ({place} is no longer there)"
    tool = _tool()
    editable = "-e " if copy.editable else ""
    if tool:  # these install the program anew, so they have to name all its extras
        extras = ",".join(sorted({extra, *_present_extras(found)} - {""}))
        return f"{tool} install --force {editable}{copy.requirement(extras)}"
    return f"{pip_install()} {editable}{copy.requirement(extra)}"


def pip_install() -> str:
    """The beginning of a command that installs packages into the environment that this program runs in."""
    python = Path(sys.executable)
    pip = shutil.which("pip")
    if find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(str(python))}"
    beside = pip is not None and Path(pip).parent == python.parent
    return "pip install" if beside else f"{shlex.quote(str(python))} -m pip install"


def _found() -> Distribution | None:
    try:
        return distribution(_NAME)
    except PackageNotFoundError:
        return None


def _origin(found: Distribution | None) -> Installation:
    if found is None:  # run from a checkout that is not installed
        checkout = Path(__file__).parents[2]
        return Installation(str(checkout), editable=True) if (checkout / "pyproject.toml").exists() else Installation()
    try:
        origin: dict[str, Any] = json.loads(found.read_text("direct_url.json") or "{}")
        url = str(origin.get("url", ""))
        if "dir_info" in origin and url.startswith("file://"):
            return Installation(folder=_path_of(url), editable=bool(origin["dir_info"].get("editable")))
        if "vcs_info" in origin:
            revision = origin["vcs_info"].get("requested_revision")
            return Installation(url=f"{origin['vcs_info']['vcs']}+{url}" + (f"@{revision}" if revision else ""))
        return Installation(url=url)
    except (ValueError, KeyError, TypeError, AttributeError):
        return Installation()


def _path_of(url: str) -> str:
    return unquote(urlsplit(url).path)


def _tool() -> str:
    """The program that gave this copy an environment of its own; '' if none did."""
    if (Path(sys.prefix) / "pipx_metadata.json").exists():
        return "pipx"
    return "uv tool" if (Path(sys.prefix) / "uv-receipt.toml").exists() else ""


def missing_packages(extra: str) -> list[str]:
    """The packages that an extra needs and that are not installed; with '', those that every search needs."""
    return sorted(name for name in _required(_found()).get(extra, ()) if not _is_installed(name))


def _present_extras(found: Distribution | None) -> set[str]:
    """The extras whose packages are all here."""
    return {extra for extra, names in _required(found).items() if extra and all(map(_is_installed, names))}


def _required(found: Distribution | None) -> dict[str, set[str]]:
    """Extra → the packages that it needs; those that all need are under ''."""
    needed: dict[str, set[str]] = {}
    for line in (found.requires if found is not None else None) or []:
        named, extra = _PROJECT.match(line), _EXTRA.search(line)
        if named and (extra or ";" not in line):
            needed.setdefault(extra[1] if extra else "", set()).add(named[0])
    return needed


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
