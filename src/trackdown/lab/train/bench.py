"""What every model is judged by while it is made: held-out repositories, and candidate lists of issues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from trackdown.lab.train.bert import Bert
from trackdown.lab.train.encode import encode_all
from trackdown.lab.train.judge import Lists, commit_mrr, cosines, held_out, relevances, rerank_table
from trackdown.lab.train.learn import CommitPairs, commit_pairs
from trackdown.lab.train.mpnet import Mpnet
from trackdown.lab.train.pack import REWRITTEN, load_pack
from trackdown.lab.train.ragged import Data


@dataclass(slots=True)
class Bench:
    """What every model is judged by."""

    dev: Data
    lists: Lists | None = None
    sets: Sequence[str] = ()
    past: CommitPairs | None = None

    def report(self, model: Bert | Mpnet, *, pairs: bool) -> dict[str, Any]:
        """Scores on held-out repositories and on candidate lists, each list with the best of the weights tried."""
        found: dict[str, Any] = {"dev MRR": round(held_out(model, self.dev), 4)}
        if bool((self.dev.kind == REWRITTEN).any()):
            found["issue MRR"] = round(held_out(model, self.dev, query_tokens=256, kind=REWRITTEN), 4)
        if pairs and self.past is not None and len(self.past.examples):
            found["commit MRR"] = round(commit_mrr(model, self.dev, self.past), 4)
        if self.lists is not None:
            scores = {"encoder": cosines(model, self.lists)}
            if pairs:
                scores["relevance"] = relevances(model, self.lists)
            found["lists"] = best_rows(rerank_table(self.lists, scores), self.sets)
        return found


def best_rows(table: Sequence[dict[str, Any]], sets: Sequence[str]) -> list[dict[str, Any]]:
    """Of each set and score: the search alone, the model alone, and their best sum by Acc@5 + Acc@10."""
    rows = []
    for part in sorted({row["part"] for row in table}):
        of_part = [{**row, "part": sets[part] if part < len(sets) else part} for row in table if row["part"] == part]
        for score in dict.fromkeys(row["score"] for row in of_part):
            some = [row for row in of_part if row["score"] == score]
            summed = [row for row in some if row["weight"] not in (0.0, "alone")]
            rows += [row for row in some if row["weight"] in (0.0, "alone")]
            rows.append(max(summed, key=lambda row: (row["Acc@5"] + row["Acc@10"], row["MRR"])))
    return rows


def load_bench(folder: Path, base: Bert, device: str) -> Bench:
    """The held-out repositories with the past commits that the base model finds, and lists where there are any."""
    dev = Data(load_pack(list(folder.glob("dev.xz*"))), device)
    forms = torch.arange(2 * dev.pack.examples, device=device)
    queries = encode_all(base, dev.queries, forms, 128)
    past = commit_pairs(dev, queries, torch.arange(dev.pack.examples, device=device))
    lists = folder / "lists.npz"
    if not lists.exists():
        return Bench(dev, past=past)
    return Bench(dev, Lists.load(lists, device), [str(name) for name in np.load(lists)["sets"]], past)


__all__ = ["Bench", "best_rows", "load_bench"]
