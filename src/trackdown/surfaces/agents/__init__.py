"""Where agents keep their settings, and how our entry is added and removed without touching the rest."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.surfaces.agents.files import Backups, FileChange, install, undo
    from trackdown.surfaces.agents.insertions import Insertion
    from trackdown.surfaces.agents.registry import AGENT_NAMES, AGENTS, AGENTS_MD, server_command
else:
    __getattr__ = door(__name__)
