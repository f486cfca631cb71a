"""A neighbourhood as a JSON document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from trackdown.engine import Neighbourhood


def as_document(answer: Neighbourhood) -> dict[str, Any]:
    """Nodes by id and the edges between them. Lines of files and directories are 0; paths are as git has them."""
    return {
        "start": [node.id for node in answer.starts],
        "nodes": [
            {
                "id": node.id,
                "kind": node.kind,
                "path": node.path,
                "symbol": node.symbol,
                "start_line": node.start_line,
                "end_line": node.end_line,
            }
            for node in answer.nodes
        ],
        "edges": [
            {"source": edge.source.id, "target": edge.target.id, "type": edge.type, "how": edge.how}
            for edge in answer.edges
        ],
        "cut": answer.cut,
        "partial": answer.partial,
        "notes": list(answer.notes),
        "snapshots": [asdict(one) for one in answer.snapshots],
    }
