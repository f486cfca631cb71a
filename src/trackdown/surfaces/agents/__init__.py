"""Where agents keep their settings, and how an entry of ours comes in and out again without touching the rest."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.agents.files import Backups, FileChange, install, undo
    from trackdown.surfaces.agents.insertions import Insertion
    from trackdown.surfaces.agents.registry import AGENT_NAMES, AGENTS, AGENTS_MD, server_command
else:
    __getattr__ = door(__name__)
