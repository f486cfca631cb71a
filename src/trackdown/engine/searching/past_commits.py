"""Past commits like a query, as `trackdown history` shows them."""

from __future__ import annotations

from datetime import UTC, datetime

from trackdown.engine.indexing.prepare import Prepared
from trackdown.engine.searching.filters import lies_below
from trackdown.query.understand import Query
from trackdown.retrieve.commits import PastCommits
from trackdown.types import PastCommit


def past_commits(prepared: Prepared, query: Query, k: int, within: str = "") -> tuple[PastCommit, ...]:
    """The best commits of a history, with the files below `within` that they touched under their present names."""
    if prepared.history is None:
        return ()
    index, commit = prepared.history
    past = PastCommits(index, commit, query.weights, depth=k)
    files = past.present_files(prepared.code.files_by_path)
    positions = past.positions.tolist()
    return tuple(
        PastCommit(
            rank,
            prepared.snapshot.source.name,
            index.oid(position),
            index.subject(position),
            datetime.fromtimestamp(int(index.times[position]), UTC).strftime("%Y-%m-%d"),
            index.author(position),
            float(past.values[rank - 1]),
            tuple(
                sorted(path for path in map(prepared.code.path, files.get(position, [])) if lies_below(path, within))
            ),
            matched,
        )
        for rank, (position, matched) in enumerate(zip(positions, past.matched(positions), strict=True), 1)
    )
