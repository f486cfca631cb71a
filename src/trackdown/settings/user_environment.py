"""The user's folders, and the variables of other programs that Trackdown reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TRACKERS = ("GH_", "GITHUB_", "GITLAB_", "GL_", "CI_SERVER_", "GITEA_", "FORGEJO_")


@dataclass(frozen=True, slots=True)
class UserFolders:
    """The folders of the user's settings. `path` is the search path for programs."""

    home: Path
    config: Path
    claude: Path
    codex: Path
    path: str


def user_folders(environment: Mapping[str, str] | None = None) -> UserFolders:
    """Find the user's folders."""
    environment = os.environ if environment is None else environment
    home = Path(environment.get("HOME") or Path.home())
    return UserFolders(
        home,
        Path(environment.get("XDG_CONFIG_HOME") or home / ".config"),
        Path(environment.get("CLAUDE_CONFIG_DIR") or home),
        Path(environment.get("CODEX_HOME") or home / ".codex"),
        environment.get("PATH", os.defpath),
    )


def tracker_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables by which the tools of GitHub, GitLab, Gitea and Forgejo know their hosts and tokens."""
    environment = os.environ if environment is None else environment
    return {name: value for name, value in environment.items() if name.startswith(_TRACKERS)}
