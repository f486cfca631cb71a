"""An issue as its tracker keeps it."""

from __future__ import annotations

from dataclasses import dataclass

from trackdown.types import MAX_QUERY_CHARS


@dataclass(frozen=True, slots=True)
class TrackedIssue:
    """An issue, a pull request or a merge request.

    `comments` are those that were read, oldest first; `comment_count` is how many there are.
    """

    title: str
    body: str
    state: str = ""
    merge: bool = False
    comment_count: int = 0
    comments: tuple[str, ...] = ()

    def text(self, last_line: str) -> str:
        """The issue as a query: the title, the description, the comments that fit, and a last line.

        It has several lines, so nothing in it is taken for a filter that somebody typed.
        """
        parts = [self.title, self.body, *self.comments, last_line or "—"]
        left = MAX_QUERY_CHARS - len(parts[-1])
        kept: list[str] = []
        for part in parts[:-1]:
            if left <= 2:
                break
            kept += [part[: left - 2]] if part.strip() else []
            left -= len(part) + 2
        return "\n\n".join([*kept, parts[-1]])
