"""Posts the answer of a search as a comment on an issue. The last step of the action; it needs nothing but Python.

Everything comes from the environment: ANSWER (a file with Markdown in which nobody is mentioned), ISSUE_NUMBER,
GITHUB_TOKEN, GITHUB_REPOSITORY and GITHUB_API_URL.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

INTRODUCTION = (
    "These places in the code are the likeliest for this issue, by its words and by what past commits changed."
)
MARK = "<!-- trackdown -->"
LONGEST = 65_000
"""GitHub takes comments of 65,536 characters."""
SECONDS = 30.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token goes to the API and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def post(answer: str, environment: dict[str, str]) -> None:
    """Post a comment. Raises OSError if it is refused, and ValueError if it is too long."""
    comment = f"{MARK}\n{INTRODUCTION}\n\n{answer.strip()}\n"
    if len(comment) > LONGEST:
        raise ValueError(f"the answer has {len(comment):,} characters, too many for a comment: ask for fewer results")
    place = f"/repos/{environment['GITHUB_REPOSITORY']}/issues/{int(environment['ISSUE_NUMBER'])}/comments"
    request = urllib.request.Request(
        environment["GITHUB_API_URL"].rstrip("/") + place,
        json.dumps({"body": comment}).encode(),
        {
            "Authorization": f"Bearer {environment['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "User-Agent": "trackdown",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.build_opener(_NoRedirects).open(request, timeout=SECONDS):
        pass


def main() -> int:
    """Post the answer; on failure say why in one line."""
    try:
        post(Path(os.environ["ANSWER"]).read_text("utf-8"), dict(os.environ))
    except urllib.error.HTTPError as error:
        hint = ": the workflow needs `permissions: issues: write`" if error.code in (401, 403, 404) else ""
        print(f"trackdown: the comment was refused ({error.code}){hint}", file=sys.stderr)
        return 1
    except (OSError, ValueError, KeyError) as error:
        print(f"trackdown: the comment could not be posted: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
