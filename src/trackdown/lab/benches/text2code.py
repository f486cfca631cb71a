"""Text to code: a question in words, and which of a set's snippets answers it (systems 2 and 3).

Every set becomes a plain folder with a file for each snippet, which is searched like any other; its roles and names say
nothing. A question has one answer, so recall within k is also the share of questions answered within k.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.conala import read_conala
from trackdown.lab.benches.cosqa import read_cosqa
from trackdown.lab.benches.csn import read_csn
from trackdown.lab.benches.mbjp import read_mbjp
from trackdown.lab.benches.mbpp import read_mbpp
from trackdown.lab.benches.normalise_names import normalise_names as without_names
from trackdown.lab.benches.rows import Refusals
from trackdown.lab.benches.snippets import SnippetSet, write_corpus
from trackdown.lab.cases import Place
from trackdown.lab.tasks import Bench, Task

METRICS = ("MRR", "R@1", "R@5", "R@10", "R@100")
_DEPTH = 1000
_READERS: dict[str, Callable[[Path, Refusals], SnippetSet]] = {
    "mbpp": read_mbpp,
    "mbjp": read_mbjp,
    "conala": read_conala,
    "cosqa": read_cosqa,
    "csn": read_csn,
}
SET_NAMES = tuple(_READERS)


def read_text2code(name: str, data: Path, corpus_folder: Path, *, normalise_names: bool, strict: bool) -> Bench:
    """A set as tasks over a folder below `corpus_folder`, into which its snippets are written unless they are there.

    `name` is one of SET_NAMES; `data` is the set's file or the folder that holds it. `normalise_names` replaces the
    names in Python code as AdvTest does. Rows that cannot be used are left out, with their reason, or raise UsageError
    when `strict`. Raises UsageError as well for an unknown set, for data that cannot be read, for a folder that cannot
    be written, and for names to be normalised in another language.
    """
    if name not in _READERS:
        raise UsageError(f"no set is called {name!r}: there are {', '.join(SET_NAMES)}")
    refusals = Refusals(data, strict=strict)
    reader = partial(read_csn, from_tokens=False) if name == "csn" and normalise_names else _READERS[name]
    found = reader(data, refusals)
    if not found.snippets:
        raise UsageError(f"{data} holds no snippet that can be searched")
    if normalise_names:
        if found.ending != ".py":
            raise UsageError(f"names can be normalised in Python only, and {name} holds {found.ending} files")
        found.snippets = {key: without_names(code) for key, code in found.snippets.items()}
    corpus = write_corpus(corpus_folder, name, found.snippets, found.ending)
    tasks = tuple(
        Task(
            question.id, question.query, (Place(corpus.files[question.answer]),), str(corpus.folder), name, "file",
            roles=False, depth=_DEPTH,
        )
        for question in found.questions
    )  # fmt: skip
    remarks = {"snippets": len(found.snippets)} | {text: count for text, count in found.remarks.items() if count}
    full_name = f"{name}-normalised" if normalise_names else name
    return Bench(full_name, "file", tasks, tuple(refusals.skipped), METRICS, remarks)
