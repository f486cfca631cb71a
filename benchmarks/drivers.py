"""Small programs that `speed.py` runs inside each tool's own environment.

drivers.py trackdown|semble REPOSITORY QUERIES.json    times searches in one process, prints JSON
drivers.py default REPOSITORY QUERIES.json             the same with the default effort, each query once
drivers.py model FOLDER                                makes a static model with random vectors for semble
drivers.py static FOLDER WEIGHTS                       makes one of Trackdown's static table
"""

from __future__ import annotations

import json
import random
import string
import sys
import time
from collections.abc import Callable
from pathlib import Path


def main() -> None:
    """Do what the first argument names."""
    what, *rest = sys.argv[1:]
    if what in ("model", "static"):
        make_model(Path(rest[0])) if what == "model" else convert_table(*map(Path, rest))
        return
    search = {"trackdown": open_trackdown, "default": open_default, "semble": open_semble}[what](rest[0])
    queries: dict[str, list[str]] = json.loads(Path(rest[1]).read_text())
    # A model's scores of a query are kept, so only the first time tells what a new question costs.
    print(json.dumps(time_queries(search, queries, rounds=1 if what == "default" else 3)))


def time_queries(search: Callable[[str], object], queries: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """p50 and p95 in milliseconds by the number of words; the first two searches warm up."""
    figures = {}
    for length, texts in queries.items():
        for text in texts[:2]:
            search(text)
        times = []
        for _ in range(rounds):
            for text in texts if rounds > 1 else texts[2:]:
                started = time.perf_counter()
                search(text)
                times.append((time.perf_counter() - started) * 1000)
        times.sort()
        for share in (50, 95):  # as `percentile` of measure.py, which the peer's environment cannot import
            figures[f"{length} words p{share}"] = round(times[max(0, -(-len(times) * share // 100) - 1)], 2)
    return figures


def open_trackdown(place: str) -> Callable[[str], object]:
    """Search with `fast` effort; every search checks whether the repository changed."""
    import trackdown

    repository = trackdown.open(place)
    return lambda query: repository.search(query, k=10, effort="fast")


def open_default(place: str) -> Callable[[str], object]:
    """Search with the default effort, in which models read the best candidates."""
    import trackdown

    repository = trackdown.open(place)
    return lambda query: repository.search(query, k=10)


def open_semble(place: str) -> Callable[[str], object]:
    """Search an index that is loaded once and not checked again: that is how its library works."""
    from semble import SembleIndex  # type: ignore[import-not-found,unused-ignore]

    index = SembleIndex.from_path(place)
    return lambda query: index.search(query, top_k=10)


def make_model(folder: Path, size: int = 30_000, width: int = 256) -> None:
    """A model2vec folder with a word-piece vocabulary of letters and random pieces."""
    import numpy as np
    from model2vec import StaticModel  # type: ignore[import-not-found,unused-ignore]
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers  # type: ignore[import-not-found,unused-ignore]

    generator = random.Random(0)
    vocabulary = {"[PAD]": 0, "[UNK]": 1}
    for sign in string.ascii_lowercase + string.digits + string.punctuation:
        vocabulary.setdefault(sign, len(vocabulary))
        vocabulary.setdefault(f"##{sign}", len(vocabulary))
    while len(vocabulary) < size:
        piece = "".join(generator.choice(string.ascii_lowercase) for _ in range(generator.randint(2, 6)))
        vocabulary.setdefault(piece if generator.random() < 0.6 else f"##{piece}", len(vocabulary))
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vectors = np.random.default_rng(0).standard_normal((len(vocabulary), width)).astype(np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(str(folder))


def convert_table(folder: Path, weights: Path) -> None:
    """A model2vec folder with the vectors and word pieces of Trackdown's static table; names are split as it does."""
    import numpy as np
    from model2vec import StaticModel  # type: ignore[import-not-found,unused-ignore]
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers  # type: ignore[import-not-found,unused-ignore]

    rows = np.load(weights / "static.npy", allow_pickle=False)
    vectors = rows["values"].astype(np.float32) * rows["scale"].astype(np.float32)[:, None]
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    parts = normalizers.Replace(Regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_"), " ")
    tokenizer.normalizer = normalizers.Sequence([parts, normalizers.BertNormalizer()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    StaticModel(vectors[: tokenizer.get_vocab_size()], tokenizer).save_pretrained(str(folder))


if __name__ == "__main__":
    main()
