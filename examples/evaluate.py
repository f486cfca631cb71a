"""Measure search on a repository's own commits: python examples/evaluate.py [PATH] [COMMITS]

For each of the latest commits, search the state before it for its subject line, and see whether a file that it edited
is among the first five. `trackdown eval` does this with more care: it filters commits, and adds metrics and intervals.
"""

from __future__ import annotations

import subprocess
import sys

import trackdown


def git(path: str, *arguments: str) -> list[str]:
    """The lines that git prints."""
    return subprocess.run(
        ["git", "-C", path, *arguments], check=True, capture_output=True, text=True
    ).stdout.splitlines()


def main(path: str = ".", commits: str = "20") -> None:
    """Print Hit@5 over the latest commits that edited existing files."""
    repository = trackdown.open(path)
    hits = cases = 0
    for commit in git(path, "rev-list", "--no-merges", "--min-parents=1", "-n", commits, "HEAD"):
        edited = set(git(path, "diff-tree", "-r", "--name-only", "--no-commit-id", "--diff-filter=M", commit))
        if edited:
            (subject,) = git(path, "log", "-1", "--format=%s", commit)
            found = repository.search(subject, k=5, level="file", at=f"{commit}^", effort="fast")
            cases += 1
            hits += bool(edited & {result.path for result in found})
    print(f"Hit@5 {hits}/{cases}")


if __name__ == "__main__":
    main(*sys.argv[1:])
