"""How cases ended, and the journal from which a run that was cut goes on.

The journal holds cases of one state of the code: those that another commit or another edit ran are not taken for done.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.campaign.judge import Verdict

ROOT = Path(__file__).parents[2]
AT_THE_END = 0
"""In place of a seed, for what is only seen when all cases have run."""
_DIRTY = "+"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case and how it ended. `problems` is empty if it survived, and `fired` says whether the fault happened."""

    kind: str
    seed: int
    what: str
    verdict: Verdict
    problems: tuple[str, ...]
    seconds: float
    fired: bool
    code: str = ""
    """The commit that ran it, with a digest of what was not committed."""


def state_of_code(root: Path = ROOT) -> str:
    """The commit that is checked out, and `+` with a digest if files differ from it; `unknown` without git."""
    try:
        commit = _git(root, "rev-parse", "--short=12", "HEAD").decode().strip()
        changed = _git(root, "diff", "HEAD", "--binary", "--", "src", "tests", "pyproject.toml")
        new = sorted(_git(root, "ls-files", "-oz", "--exclude-standard", "--", "src", "tests").split(b"\0"))
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    digest = hashlib.sha256(changed)
    for name in filter(None, new):
        digest.update(name + b"\0" + (root / name.decode("utf-8", "surrogateescape")).read_bytes())
    return f"{commit}{_DIRTY}{digest.hexdigest()[:8]}" if changed or any(new) else commit


def is_dirty(code: str) -> bool:
    """Whether a state of the code is more than a commit."""
    return _DIRTY in code


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True).stdout


def read_journal(path: Path, code: str) -> dict[tuple[str, int], Outcome]:
    """The cases that this state of the code has done. A last line that was cut short counts as not done."""
    done = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if row.get("code") == code:
            row["problems"], row["verdict"] = tuple(row["problems"]), Verdict(row["verdict"])
            done[row["kind"], row["seed"]] = Outcome(**row)
    return done


def keep(outcome: Outcome, path: Path | None) -> None:
    """Append a case to the journal, if there is one."""
    if path is not None:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(outcome)) + "\n")
