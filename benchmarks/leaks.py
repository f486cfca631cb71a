"""How much of a change do queries give away? Commit messages, subjects, and the issues that somebody wrote of them.

python benchmarks/leaks.py REWRITTEN.parquet=REPOSITORY ... [--json RESULT]

Each Parquet file holds commit_id and issue, as `trackdown mine archive` writes it, or transformed_message_gpt4, as CMU
publishes it. A leak is the share of the names that a commit brings into the code which a query holds; commits that
bring none in are counted and left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from typing import Any

from measure import keep, new_parser

from trackdown.lab.mine.changes import commits_here, read_patches
from trackdown.lab.mine.issue_writer import MOST_LEAKED, leak, new_identifiers
from trackdown.lab.mine.messages import clean_message, clean_subject
from trackdown.lab.mine.training import read_rewritten
from trackdown.repository.blobs import BlobReader
from trackdown.repository.history import CommitRef, read_commits
from trackdown.repository.source import open_source


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("pairs", nargs="+", metavar="REWRITTEN.parquet=REPOSITORY")
    arguments = parser.parse_args()
    rows = []
    for pair in arguments.pairs:
        data, _, place = pair.partition("=")
        rows.append({"data": Path(data).stem, **measure(Path(data), Path(place))})
        print(json.dumps(rows[-1]))
    keep({"refused_above": MOST_LEAKED, "rows": rows}, arguments.json)


def measure(data: Path, place: Path) -> dict[str, Any]:
    """What the three kinds of queries of one repository's commits give away."""
    issues, _ = read_rewritten([data])
    git = open_source(place).git
    assert git is not None, f"{place} is no git repository"
    # A merge stands for what it brought to the branch that it was made on.
    listed = [CommitRef(commit.oid, commit.parents[:1]) for commit in commits_here(git, issues) if commit.parents]
    messages = {commit.oid: commit.message for commit in read_commits(git, listed)}
    patches = read_patches(git, [commit.oid for commit in listed], {one.oid: one.parents[0] for one in listed})
    shares: dict[str, list[float]] = {"message": [], "subject": [], "issue": []}
    without = 0
    with BlobReader(git) as blobs:
        for commit in listed:
            if commit.oid not in patches or commit.oid not in messages:
                continue
            names = new_identifiers(git, blobs, commit.parents[0], patches[commit.oid])
            if not names:
                without += 1
                continue
            message = messages[commit.oid]
            shares["message"].append(leak(clean_message(message), names))
            shares["subject"].append(leak(clean_subject(message), names))
            shares["issue"].append(leak(issues[commit.oid], names))
    return {
        "commits": len(issues),
        "that_bring_names_in": len(shares["issue"]),
        "that_bring_none_in": without,
        "mean_leak": {kind: round(mean(found), 4) for kind, found in shares.items()},
        "refused": {kind: sum(share > MOST_LEAKED for share in found) for kind, found in shares.items()},
    }


if __name__ == "__main__":
    main()
