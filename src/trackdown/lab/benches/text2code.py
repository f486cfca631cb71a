"""Text to code: a question in words, and which of a set's snippets answers it (systems 2 and 3).

Every set becomes a plain folder with a file for each snippet, which is searched like any other; its roles and names say
nothing. A question has one answer, so recall within k is also the share of questions answered within k.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab import Bench, CodeLocation, Task
from trackdown.lab.benches.code_edits import normalise_names as without_names
from trackdown.lab.benches.records import Refusals
from trackdown.lab.benches.snippet_folder import write_corpus
from trackdown.lab.benches.snippet_sets import SnippetSet, read_conala, read_cosqa, read_csn, read_mbjp, read_mbpp
from trackdown.models.llm import read_pregenerated

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


def read_text2code(
    name: str,
    data: Path,
    corpus_folder: Path,
    *,
    normalise_names: bool,
    strict: bool,
    texts: Path | None = None,
    without: Path | None = None,
) -> Bench:
    """A set as tasks over a folder below `corpus_folder`, into which its snippets are written unless they are there.

    `name` is one of SET_NAMES; `data` is the set's file or the folder that holds it. `normalise_names` replaces the
    names in Python code as AdvTest does. Rows that cannot be used are left out, with their reason, or raise UsageError
    when `strict`. `texts` is a folder with what a language model wrote for the set; `without` is a file of ids that are
    not asked, while their snippets stay among the candidates. Raises UsageError as well for an unknown set, for data or
    texts that cannot be read, for a folder that cannot be written, and for names to be normalised in another language.
    """
    if name not in _READERS:
        raise UsageError(f"no set is called {name!r}: there are {', '.join(SET_NAMES)}")
    refusals = Refusals(data, strict=strict)
    reader = partial(read_csn, from_tokens=False) if name == "csn" and normalise_names else _READERS[name]
    found = reader(data, refusals)
    if not found.snippets:
        raise UsageError(f"{data} has no searchable snippet")
    if normalise_names:
        if found.ending != ".py":
            raise UsageError(f"names can be normalised in Python only, and {name} holds {found.ending} files")
        found.snippets = {key: without_names(code) for key, code in found.snippets.items()}
    asked = found.questions
    if without is not None:
        left_out = read_ids(without, {question.id for question in asked})
        asked = [question for question in asked if question.id not in left_out]
        found.remarks["left out by id"] = len(left_out)
    made = None if texts is None else read_made_texts(texts, name, {one.id for one in asked}, found.snippets)
    exemplars = {} if made is None else made.exemplars
    corpus = write_corpus(corpus_folder, name, found.snippets, found.ending)
    tasks = tuple(
        Task(
            question.id,
            question.query,
            (CodeLocation(corpus.files[question.answer]),),
            str(corpus.folder),
            name,
            "file",
            roles=False,
            depth=_DEPTH,
            exemplars=exemplars.get(question.id, ()),
        )
        for question in asked
    )
    remarks = {"snippets": len(found.snippets)} | {text: count for text, count in found.remarks.items() if count}
    full_name = f"{name}-normalised" if normalise_names else name
    bench = Bench(full_name, "file", tasks, tuple(refusals.skipped), METRICS, remarks)
    if made is None:
        return bench
    remarks |= {"questions with exemplars": len(exemplars), "snippets with rewrites": len(made.rewrites)}
    rewrites = {corpus.files[key]: rewrite for key, rewrite in made.rewrites.items()}
    return replace(bench, remarks=remarks, rewrites=rewrites, texts=made.digest)


Made = tuple[str, str]


@dataclass(frozen=True, slots=True)
class JoinedTexts:
    """Exemplars by the id of a question, rewrites (summary and code) by the key of a snippet, and a digest of all."""

    exemplars: Mapping[str, tuple[str, ...]]
    rewrites: Mapping[str, Sequence[Made]]
    digest: str


def read_made_texts(folder: Path, name: str, questions: Collection[str], snippets: Collection[str]) -> JoinedTexts:
    """The texts of a set's questions and snippets, whose ids the files may write without the set's name before them.

    Texts of other ids are passed over: a folder may hold those of a whole set. Raises UsageError when none belongs.
    """
    made = read_pregenerated(folder, name)
    exemplars = {id_: _of(made.exemplars, id_) for id_ in questions}
    summaries = {key: _of(made.summaries, key) for key in snippets}
    rewrites = {
        key: [
            (summaries[key][number] if number < len(summaries[key]) else "", code) for number, code in enumerate(codes)
        ]
        for key in snippets
        if (codes := _of(made.rewrites, key))
    }
    exemplars = {id_: texts for id_, texts in exemplars.items() if texts}
    if not exemplars and not rewrites:
        raise UsageError(f"{folder} has no exemplar or rewrite for any id in {name}")
    told = repr((sorted(exemplars.items()), sorted(rewrites.items()))).encode("utf-8", "backslashreplace")
    return JoinedTexts(exemplars, rewrites, hashlib.sha256(told).hexdigest()[:12])


def _of(texts: Mapping[str, tuple[str, ...]], id_: str) -> tuple[str, ...]:
    found = texts.get(id_) or texts.get(id_.rpartition("/")[2]) or ()
    return tuple(text for text in found if text.strip())


def read_ids(path: Path, known: Collection[str]) -> set[str]:
    """Ids of a set, one a line, with or without its name. Raises UsageError for one that the set does not have."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"cannot read the ids {path}: {why}") from None
    by_name = {name: id_ for id_ in known for name in (id_, id_.rpartition("/")[2])}
    found = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if line.strip() not in by_name:
            raise UsageError(f"{path}, line {number}: the set has no id {line.strip()!r}")
        found.add(by_name[line.strip()])
    return found
