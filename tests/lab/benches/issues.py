"""SWE-bench-shaped data about small real repositories: every row comes of a commit that was really made."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.conftest import Repo
from tests.index.histories import Planned, make_history
from tests.lab.made_tasks import source, words

Row = dict[str, Any]


class Clones:
    """A folder of clones, `owner/name`, and a data file beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "clones"
        self.folder.mkdir()

    def repo(self, name: str) -> Repo:
        """A new repository `owner/name`."""
        return Repo(self.folder / name)

    def write(self, *rows: Row | str, name: str = "data.jsonl") -> Path:
        """Write rows as JSONL; a text is a line as it is."""
        path = self.root / name
        path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    def name(self, repo: Repo) -> str:
        return repo.root.relative_to(self.folder).as_posix()

    def fix(
        self,
        repo: Repo,
        id_: str,
        issue: str,
        files: Mapping[str, str | bytes],
        *,
        moved: Mapping[str, str] | None = None,
    ) -> Row:
        """Commit a change; the row for it has the commit before and the patch that git shows."""
        base = repo.git("rev-parse", "HEAD")
        for old, new in (moved or {}).items():
            (repo.root / new).parent.mkdir(parents=True, exist_ok=True)
            repo.git("mv", old, new)
        repo.commit(f"Fix {id_}", files)
        return self.row(repo, id_, issue, base)

    def row(self, repo: Repo, id_: str, issue: str, base: str, commit: str = "HEAD") -> Row:
        command = ["git", "diff", "-M", base, commit]  # not by `repo.git`, which strips blank context at the end
        patch = subprocess.run(command, cwd=repo.root, check=True, capture_output=True, text=True).stdout
        return {
            "instance_id": id_,
            "repo": self.name(repo),
            "base_commit": base,
            "problem_statement": issue,
            "patch": patch,
        }


def many_issues(clones: Clones, names: tuple[str, ...] = ("ada/shop", "ada/bank"), commits: int = 30) -> list[Row]:
    """Rows of a long history in which every commit edits one function, for benches that take a while."""
    rows = []
    for name in names:
        repo = clones.repo(name)
        first = {f"src/m{number}.py": source(number) for number in range(commits)}
        plan = [Planned("Begin", [], first)]
        for number in range(commits):
            changed = source(number).replace("return value", "return value or fallback")
            plan.append(Planned(f"Fix {' '.join(words(number))}", [number], {f"src/m{number}.py": changed}))
        made = make_history(repo, plan)
        for number, (base, commit) in enumerate(pairwise(made)):
            verb, noun = words(number)
            row = {
                "instance_id": f"{repo.root.name}-{number}",
                "repo": name,
                "base_commit": base,
                "problem_statement": f"{verb} the {noun} when it is missing",
                "gold_entities": [f"src/m{number}.py:{verb}_{noun}"],
            }
            rows.append(row | {"fixed_by": commit})
    return rows
