"""The engine behind every surface: open a repository, keep its indexes true, search it, explain the answer."""

from trackdown.engine.related import CoChange, Related
from trackdown.engine.repository import Repository, clear_everything, open
from trackdown.engine.several import search_all

__all__ = ["CoChange", "Related", "Repository", "clear_everything", "open", "search_all"]
