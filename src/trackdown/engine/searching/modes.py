"""Modes: which retrievers and stages take part in a search, by name.

A mode is parts joined by `+`: `bm25`, `commits`, `bm25+commits`, `hybrid` (all retrievers), `hybrid+rrf`,
`commits@100+maxp`, `hybrid+rerank@50`. A part may end with a depth, `@N`. Retrievers come from the pipeline's list,
so a new one has a mode as soon as it exists; a stage has an entry in `SWITCHES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trackdown.errors import UsageError
from trackdown.graph import EDGE_TYPES
from trackdown.models import NONE
from trackdown.pipeline import RETRIEVERS, SearchPlan
from trackdown.query import MOST_EXEMPLARS
from trackdown.rerank import Listwise, RerankPlan
from trackdown.retrieve import commits, deep, dense, lexical, mentions, messages, references
from trackdown.settings import Settings

if TYPE_CHECKING:
    from trackdown.models import ModelListing

BALANCED = RerankPlan(encoder=100, code=20)
"""What a mode's rerankers read if it names no depth. The default search takes its depths from the settings."""
THOROUGH = RerankPlan(encoder=1000, commits=1000, code=100, units=4, all_windows=True)
"""System 1's full pipeline: 1000 commits and 1000 candidates, then the code of the best 100."""
LISTWISE_IF_THERE = Listwise(optional=True)
"""Added to that if a language model is configured."""
HYBRID = "hybrid"
GRAPH = "graph"
SHALLOW = "shallow"
_ALIASES = {lexical.SIGNAL: "bm25"}
_WHAT = {
    lexical.SIGNAL: "BM25 over functions, classes and windows: body, name and path",
    mentions.SIGNAL: "names, paths and traceback frames in the query",
    messages.SIGNAL: "texts of the program that the query quotes: string literals and entries of catalogues",
    commits.SIGNAL: "BM25 over past commit messages, aggregated to the files they touched (@N: the best N commits)",
    references.SIGNAL: "files of the commits that the query refers to: #123, GH-123, KEY-123, a commit id",
    dense.SIGNAL: "static vectors of functions, classes and windows, if there is a model",
    deep.SIGNAL: "encoder vectors of all units, if `trackdown index --deep` or a server has computed them",
}
_COMMITS_READ = 100
_WINDOW = 20
"""SpIDER's K, so that the language model alone decides how many neighbours of a centre move up."""
_TOP = 3


def _expanded(options: SearchPlan, **settings: Any) -> SearchPlan:
    """The plan with an expansion. Its room is only loaded for a mode that names one."""
    from trackdown.expand import Expansion

    return replace(options, expansion=Expansion(**settings))


def _with_depths(options: SearchPlan, *, encoder: int = 0, commits: int = 0, code: int = 0) -> SearchPlan:
    """The plan with new depths for some reranking stages; 0 keeps a stage as it is."""
    named = options.judging or RerankPlan()
    depths = (encoder or named.encoder, commits or named.commits, code or named.code)
    return replace(options, judging=replace(named, encoder=depths[0], commits=depths[1], code=depths[2]))


def _exemplar_count(count: int | None) -> int:
    """The number of exemplars that a mode asks for, 1 by default."""
    if (count or 1) > MOST_EXEMPLARS:
        raise UsageError(f"a query can have at most {MOST_EXEMPLARS} exemplars, not {count}")
    return count or 1


@dataclass(frozen=True, slots=True)
class Switch:
    """A part of a mode that changes how a search runs. `takes_depth` says whether `@N` may follow its name.

    With `by_words`, a mode without a retriever searches by words alone, like the systems that the part comes from.
    """

    kind: str
    what: str
    apply: Callable[[SearchPlan, int | None], SearchPlan]
    takes_depth: bool = False
    by_words: bool = False


SWITCHES: dict[str, Switch] = {
    "weighted": Switch("fusion", "weighted sum of scores", lambda o, _: replace(o, fusion="weighted")),
    "rrf": Switch("fusion", "reciprocal rank fusion", lambda o, _: replace(o, fusion="rrf")),
    "ranker": Switch(
        "fusion",
        "trees fitted to issues by `trackdown train ranker`, from the folder in the setting `ranker`",
        lambda o, _: replace(o, fusion="ranker"),
    ),
    "adaptive": Switch("fusion", "weights that depend on the query's kind", lambda o, _: replace(o, adaptive=True)),
    "flat-roles": Switch(
        "fusion",
        "tests, prose, third-party and generated code rank like the project's own code",
        lambda o, _: replace(o, roles=False),
    ),
    "flat-foreign": Switch(
        "fusion",
        "third-party and generated code rank like the project's own code",
        lambda o, _: replace(o, foreign=False),
    ),
    "flat-declarations": Switch(
        "fusion",
        "declarations do not give way to their implementations",
        lambda o, _: replace(o, declarations=False),
    ),
    SHALLOW: Switch("retriever", "without the deep index, even if it is ready", lambda o, _: replace(o, deep=False)),
    "graph": Switch(
        "expansion",
        "promote neighbours of the best five by class, file, calls, inheritance and imports, if they score well",
        lambda o, _: _expanded(o, depth=3, edges=EDGE_TYPES),
    ),
    "spider": Switch(
        "expansion",
        "SpIDER: promote neighbours of the best five by folder, file and class (@N: within N edges)",
        lambda o, depth: _expanded(o, depth=depth or 4),
        takes_depth=True,
    ),
    "spider-read": Switch(
        "expansion",
        "SpIDER, with neighbours picked by the cross-encoder (@N: within N edges)",
        lambda o, depth: _expanded(o, depth=depth or 4, selector="cross-encoder"),
        takes_depth=True,
    ),
    "spider-llm": Switch(
        "expansion",
        "SpIDER, with neighbours picked by the language model (@N: within N edges)",
        lambda o, depth: _expanded(o, depth=depth or 4, selector="llm", each=_WINDOW),
        takes_depth=True,
    ),
    "callees": Switch(
        "expansion",
        "promote functions that the best results call",
        lambda o, _: _expanded(o, edges=("invokes",), direction="out"),
    ),
    "callers": Switch(
        "expansion",
        "promote functions that call the best results",
        lambda o, _: _expanded(o, edges=("invokes",), direction="in"),
    ),
    "gar": Switch(
        "language model",
        "GAR: also search for code that a language model writes as an answer (@N: N answers, else 1)",
        lambda o, count: replace(o, exemplars=_exemplar_count(count)),
        takes_depth=True,
        by_words=True,
    ),
    "reco": Switch(
        "language model",
        "ReCo: like gar, and match units together with their rewrites from `trackdown rewrite` (@N: N answers, else 1)",
        lambda o, count: replace(o, exemplars=_exemplar_count(count), rewritten=True),
        takes_depth=True,
        by_words=True,
    ),
    "rewrites": Switch(
        "language model",
        "match units together with their rewrites from `trackdown rewrite`",
        lambda o, _: replace(o, rewritten=True),
        by_words=True,
    ),
    "exemplar": Switch(
        "language model",
        "search for code that a language model writes, instead of the query's words (@N: N answers, else 1)",
        lambda o, count: replace(o, exemplars=_exemplar_count(count), exemplars_only=True),
        takes_depth=True,
        by_words=True,
    ),
    "exact": Switch(
        "words", "only the query's own words, not their other forms", lambda o, _: replace(o, word_forms=False)
    ),
    "maxp": Switch("aggregation", "a file scores like its best commit", lambda o, _: replace(o, aggregation="maxp")),
    "sump": Switch("aggregation", "a file scores the sum of its commits", lambda o, _: replace(o, aggregation="sump")),
    "avgp": Switch("aggregation", "a file scores the mean of its commits", lambda o, _: replace(o, aggregation="avgp")),
    "blend": Switch("aggregation", "best commit + 1/100 of the sum", lambda o, _: replace(o, aggregation="blend")),
    "rerank": Switch(
        "reranker",
        f"encoder@{BALANCED.encoder}, then code-reranker@{BALANCED.code} (@N: both over the best N)",
        lambda o, depth: _with_depths(o, encoder=depth or BALANCED.encoder, code=depth or BALANCED.code),
        takes_depth=True,
    ),
    "encoder": Switch(
        "reranker",
        f"encoder vectors of the best candidates (@N: the best N, else {BALANCED.encoder})",
        lambda o, depth: _with_depths(o, encoder=depth or BALANCED.encoder),
        takes_depth=True,
    ),
    "commit-reranker": Switch(
        "reranker",
        f"the cross-encoder reads past commit messages (@N: the best N, else {_COMMITS_READ})",
        lambda o, depth: _with_depths(o, commits=depth or _COMMITS_READ),
        takes_depth=True,
    ),
    "code-reranker": Switch(
        "reranker",
        f"the cross-encoder reads the code of the best candidates (@N: the best N, else {BALANCED.code})",
        lambda o, depth: _with_depths(o, code=depth or BALANCED.code),
        takes_depth=True,
    ),
    "thorough": Switch(
        "reranker",
        f"the full pipeline: encoder@{THOROUGH.encoder}, commit-reranker@{THOROUGH.commits}, code-reranker@"
        f"{THOROUGH.code} on all windows, and llm-rerank if there is a language model",
        lambda o, _: replace(o, judging=THOROUGH, listwise=o.listwise or LISTWISE_IF_THERE),
    ),
    "llm-rerank": Switch(
        "reranker",
        f"the language model orders the best candidates, in windows of {Listwise().window} (@N: the best N, else "
        f"{Listwise().depth})",
        lambda o, depth: replace(o, listwise=Listwise(depth or Listwise().depth)),
        takes_depth=True,
    ),
    "llm-top": Switch(
        "reranker",
        f"the language model names the best {_TOP} of the best candidates (@N: of the best N, else {Listwise().depth})",
        lambda o, depth: replace(o, listwise=Listwise(depth or Listwise().depth, top=_TOP)),
        takes_depth=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of the list of modes and models."""

    name: str
    kind: str
    what: str


def retriever_names() -> dict[str, str]:
    """Name of a retriever in a mode → its signal."""
    return {_ALIASES.get(signal, signal): signal for signal, _ in RETRIEVERS}


def list_modes() -> list[Listed]:
    """Everything that a mode can name."""
    retrievers = [Listed(name, "retriever", _WHAT[signal]) for name, signal in retriever_names().items()]
    switches = [Listed(name, switch.kind, switch.what) for name, switch in SWITCHES.items()]
    return [*retrievers, Listed(HYBRID, "retriever", "all retrievers together: the default"), *switches]


def list_model_sets(settings: Settings) -> list[Listed]:
    """The packaged models and those that the settings name, each with its problem if it has one."""
    from trackdown.models import PACKAGED, list_models

    others = [settings.models] if settings.models not in (PACKAGED, NONE) else []
    return [Listed(found.name, "model", _described(found)) for found in list_models(others)]


def _described(found: ModelListing) -> str:
    if found.problem:
        return found.problem
    size = f"{found.parameters / 1e6:.1f} M parameters, {found.bytes / 1e6:.0f} MB"
    return f"{', '.join(found.roles)}; {size}, {found.licence}; {found.folder}"


@lru_cache(maxsize=16)
def default_plan(settings: Settings) -> SearchPlan:
    """The plan that the settings alone ask for."""
    options = SearchPlan(
        fusion=settings.fusion,
        ranker=settings.ranker if settings.ranker != Path() else None,
        aggregation=settings.aggregation,
        weights=(
            (lexical.SIGNAL, settings.weight_lexical),
            (commits.SIGNAL, settings.weight_commits),
            (mentions.SIGNAL, settings.weight_mentions),
            (messages.SIGNAL, settings.weight_messages),
            (references.SIGNAL, settings.weight_references),
            (dense.SIGNAL, settings.weight_dense),
            (deep.SIGNAL, settings.weight_deep),
        ),
        adaptive=settings.adaptive,
        models_by_effort=_is_default({part.strip() for part in settings.mode.split("+")}),
    )
    return with_mode(options, f"{settings.mode}+{GRAPH}" if settings.graph else settings.mode)


def _is_default(parts: set[str]) -> bool:
    """Whether a mode is the default one, with or without the deep index: the request's effort chooses the models."""
    return HYBRID in parts and parts <= {HYBRID, deep.SIGNAL, SHALLOW}


def with_mode(options: SearchPlan, mode: str) -> SearchPlan:
    """The plan for a mode. Raises UsageError for an unknown part, with the list of known ones."""
    named: set[str] = set()
    switched: list[str] = []
    signals = retriever_names()
    for part in mode.split("+"):
        name, at, number = part.strip().partition("@")
        depth = _depth(part, number) if at else None
        if name in signals:
            named.add(signals[name])
            if signals[name] == deep.SIGNAL:
                options = replace(options, deep=True)
            if depth is not None:
                if signals[name] != commits.SIGNAL:
                    raise UsageError(f"mode {mode!r}: {name!r} takes no depth")
                options = replace(options, commit_depth=depth)
        elif name == HYBRID and depth is None:
            named.update(signals.values())
        elif name in SWITCHES:
            if depth is not None and not SWITCHES[name].takes_depth:
                raise UsageError(f"mode {mode!r}: {name!r} takes no depth")
            options = SWITCHES[name].apply(options, depth)
            switched.append(name)
        else:
            known = ", ".join(listed.name for listed in list_modes())
            raise UsageError(f"mode {mode!r}: unknown part {name!r}; known are {known}, joined by `+`")
    by_words = any(SWITCHES[name].by_words for name in switched)
    used = named or ({lexical.SIGNAL} if by_words else set(signals.values()))
    weights = tuple((signal, _weight(signal, weight, used)) for signal, weight in options.weights)
    return replace(options, weights=weights)


def check_ranker(options: SearchPlan) -> None:
    """Raise UsageError for a plan that ranks with trees if no folder has any."""
    if options.fusion == "ranker" and options.ranker is None:
        raise UsageError(
            "there is no ranker: fit one with `trackdown train ranker`, and set TRACKDOWN_RANKER to its folder"
        )


def _weight(signal: str, weight: float, used: set[str]) -> float:
    """The weight of a signal in a mode. The only signal of a mode always counts, even if the settings switch it off."""
    if signal not in used:
        return 0.0
    return weight or (1.0 if len(used) == 1 else 0.0)


def _depth(part: str, number: str) -> int:
    if not number.isascii() or not number.isdigit() or not 0 < int(number) <= 1_000_000:
        raise UsageError(f"mode part {part!r}: the depth after `@` must be a whole number above 0")
    return int(number)
