"""Modes: which retrievers and stages take part in a search, by name.

A mode is parts joined by `+`: `bm25`, `commits`, `bm25+commits`, `hybrid` (all retrievers), `hybrid+rrf`,
`commits@100+maxp`, `hybrid+rerank@50`. A part may carry a depth behind `@`. Retrievers come from the pipeline's own
list, so a new one has a mode as soon as it exists; a stage has one line in `SWITCHES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trackdown.errors import UsageError
from trackdown.graph.edges import EDGE_TYPES
from trackdown.models.shelf import NONE
from trackdown.pipeline import RETRIEVERS, SearchPlan
from trackdown.query.augmented import MOST_EXEMPLARS
from trackdown.rerank.llm import Listwise
from trackdown.rerank.plan import RerankPlan
from trackdown.retrieve import commits, dense, lexical, mentions
from trackdown.settings import Settings

if TYPE_CHECKING:
    from trackdown.models.registry import ModelListing

BALANCED = RerankPlan(encoder=100, code=20)
THOROUGH = RerankPlan(encoder=1000, commits=1000, code=100, units=4, all_windows=True)
"""System 1's full pipeline: 1000 commits and 1000 candidates, then the code of the best 100."""
LISTWISE_IF_THERE = Listwise(optional=True)
"""What a language model adds to that, where one is configured."""
HYBRID = "hybrid"
GRAPH = "graph"
_ALIASES = {lexical.SIGNAL: "bm25"}
_WHAT = {
    lexical.SIGNAL: "BM25 over functions, classes and windows: body, name and path",
    mentions.SIGNAL: "names, paths and traceback frames that the query holds",
    commits.SIGNAL: "BM25 over past commit messages, aggregated to the files they touched (@N: the best N commits)",
    dense.SIGNAL: "static vectors of functions, classes and windows, where there is a model",
}
_COMMITS_READ = 100
_WINDOW = 20
"""SpIDER's K: the language model alone decides how many neighbours of a centre move up."""
_TOP = 3


def _expanded(options: SearchPlan, **settings: Any) -> SearchPlan:
    """SearchPlan with an expansion of these settings; its room is only loaded for a mode that names one."""
    from trackdown.expand.spider import Expansion

    return replace(options, expansion=Expansion(**settings))


def _judged(options: SearchPlan, *, encoder: int = 0, commits: int = 0, code: int = 0) -> SearchPlan:
    """SearchPlan with some stages as deep as given, and the others as they were."""
    named = options.judging or RerankPlan()
    depths = (encoder or named.encoder, commits or named.commits, code or named.code)
    return replace(options, judging=replace(named, encoder=depths[0], commits=depths[1], code=depths[2]))


def _few(count: int | None) -> int:
    """How many exemplars a mode asks for."""
    if (count or 1) > MOST_EXEMPLARS:
        raise UsageError(f"a query can have {MOST_EXEMPLARS} exemplars at most, not {count}")
    return count or 1


@dataclass(frozen=True, slots=True)
class Switch:
    """A part of a mode that changes how a search runs. `takes_depth` says whether `@N` may follow its name.

    `by_words` says that a mode which names no retriever searches by words alone, as systems that it comes from do.
    """

    kind: str
    what: str
    apply: Callable[[SearchPlan, int | None], SearchPlan]
    takes_depth: bool = False
    by_words: bool = False


SWITCHES: dict[str, Switch] = {
    "weighted": Switch("fusion", "weighted sum of scores", lambda o, _: replace(o, fusion="weighted")),
    "rrf": Switch("fusion", "reciprocal rank fusion", lambda o, _: replace(o, fusion="rrf")),
    "learned": Switch("fusion", "weights fitted to past cases", lambda o, _: replace(o, fusion="learned")),
    "adaptive": Switch("fusion", "weights that depend on the query's kind", lambda o, _: replace(o, adaptive=True)),
    "graph": Switch(
        "expansion",
        "neighbours by class, file, calls, inheritance and imports move up to the best five, if they score well",
        lambda o, _: _expanded(o, depth=3, edges=EDGE_TYPES),
    ),
    "spider": Switch(
        "expansion",
        "SpIDER: neighbours by folder, file and class move up to the best five (@N: within N edges)",
        lambda o, depth: _expanded(o, depth=depth or 4),
        takes_depth=True,
    ),
    "spider-read": Switch(
        "expansion",
        "the same, and the cross-encoder picks the neighbours (@N: within N edges)",
        lambda o, depth: _expanded(o, depth=depth or 4, selector="cross-encoder"),
        takes_depth=True,
    ),
    "spider-llm": Switch(
        "expansion",
        "the same, and the language model picks the neighbours (@N: within N edges)",
        lambda o, depth: _expanded(o, depth=depth or 4, selector="llm", each=_WINDOW),
        takes_depth=True,
    ),
    "callees": Switch(
        "expansion",
        "what the best results call moves up to them",
        lambda o, _: _expanded(o, edges=("invokes",), direction="out"),
    ),
    "callers": Switch(
        "expansion",
        "what calls the best results moves up to them",
        lambda o, _: _expanded(o, edges=("invokes",), direction="in"),
    ),
    "gar": Switch(
        "language model",
        "GAR: code that a language model writes as an answer is searched for beside the query (@N: N answers, else 1)",
        lambda o, count: replace(o, exemplars=_few(count)),
        takes_depth=True,
        by_words=True,
    ),
    "reco": Switch(
        "language model",
        "ReCo: the same, in units together with what `trackdown rewrite` made of them (@N: N answers, else 1)",
        lambda o, count: replace(o, exemplars=_few(count), rewritten=True),
        takes_depth=True,
        by_words=True,
    ),
    "rewrites": Switch(
        "language model",
        "units together with what `trackdown rewrite` made of them, searched for the query alone",
        lambda o, _: replace(o, rewritten=True),
        by_words=True,
    ),
    "exemplar": Switch(
        "language model",
        "the written code is searched for in place of the query, whose words take no part (@N: N answers, else 1)",
        lambda o, count: replace(o, exemplars=_few(count), exemplars_only=True),
        takes_depth=True,
        by_words=True,
    ),
    "maxp": Switch("aggregation", "a file scores as its best commit", lambda o, _: replace(o, aggregation="maxp")),
    "sump": Switch("aggregation", "a file scores as the sum of commits", lambda o, _: replace(o, aggregation="sump")),
    "avgp": Switch("aggregation", "a file scores as the mean of commits", lambda o, _: replace(o, aggregation="avgp")),
    "blend": Switch("aggregation", "best commit + 1/100 of the sum", lambda o, _: replace(o, aggregation="blend")),
    "rerank": Switch(
        "reranker",
        f"encoder@{BALANCED.encoder}, then code-reranker@{BALANCED.code} (@N: both over the best N)",
        lambda o, depth: _judged(o, encoder=depth or BALANCED.encoder, code=depth or BALANCED.code),
        takes_depth=True,
    ),
    "encoder": Switch(
        "reranker",
        f"encoder vectors of the best candidates (@N: the best N, else {BALANCED.encoder})",
        lambda o, depth: _judged(o, encoder=depth or BALANCED.encoder),
        takes_depth=True,
    ),
    "commit-reranker": Switch(
        "reranker",
        f"the cross-encoder reads past commit messages (@N: the best N, else {_COMMITS_READ})",
        lambda o, depth: _judged(o, commits=depth or _COMMITS_READ),
        takes_depth=True,
    ),
    "code-reranker": Switch(
        "reranker",
        f"the cross-encoder reads the code of the best candidates (@N: the best N, else {BALANCED.code})",
        lambda o, depth: _judged(o, code=depth or BALANCED.code),
        takes_depth=True,
    ),
    "thorough": Switch(
        "reranker",
        f"the full pipeline: encoder@{THOROUGH.encoder}, commit-reranker@{THOROUGH.commits}, code-reranker@"
        f"{THOROUGH.code} on all windows, and llm-rerank where there is a language model",
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
    """A line of the list of what can take part in a search."""

    name: str
    kind: str
    what: str


def retriever_names() -> dict[str, str]:
    """The name of every retriever in a mode → its signal."""
    return {_ALIASES.get(signal, signal): signal for signal, _ in RETRIEVERS}


def list_modes() -> list[Listed]:
    """Everything that a mode can name here and now."""
    retrievers = [Listed(name, "retriever", _WHAT[signal]) for name, signal in retriever_names().items()]
    switches = [Listed(name, switch.kind, switch.what) for name, switch in SWITCHES.items()]
    return [*retrievers, Listed(HYBRID, "retriever", "all retrievers together: the default"), *switches]


def list_model_sets(settings: Settings) -> list[Listed]:
    """The models that came with the program and those that the settings name, with what is wrong with them if it is."""
    from trackdown.models.registry import PACKAGED, list_models

    others = [settings.models] if settings.models not in (PACKAGED, NONE) else []
    return [Listed(found.name, "model", _described(found)) for found in list_models(others)]


def _described(found: ModelListing) -> str:
    if found.problem:
        return found.problem
    size = f"{found.parameters / 1e6:.1f} M parameters, {found.bytes / 1e6:.0f} MB"
    return f"{', '.join(found.roles)}; {size}, {found.licence}; {found.folder}"


@lru_cache(maxsize=16)
def default_plan(settings: Settings) -> SearchPlan:
    """What the settings alone ask for."""
    options = SearchPlan(
        fusion=settings.fusion,
        aggregation=settings.aggregation,
        weights=(
            (lexical.SIGNAL, settings.weight_lexical),
            (commits.SIGNAL, settings.weight_commits),
            (mentions.SIGNAL, settings.weight_mentions),
            (dense.SIGNAL, settings.weight_dense),
        ),
        adaptive=settings.adaptive,
        models_by_effort=[part.strip() for part in settings.mode.split("+")] == [HYBRID],
    )
    return with_mode(options, f"{settings.mode}+{GRAPH}" if settings.graph else settings.mode)


def with_mode(options: SearchPlan, mode: str) -> SearchPlan:
    """SearchPlan for one mode. Raises UsageError for a part that is not there, with the list of those that are."""
    named: set[str] = set()
    switched: list[str] = []
    signals = retriever_names()
    for part in mode.split("+"):
        name, at, number = part.strip().partition("@")
        depth = _depth(part, number) if at else None
        if name in signals:
            named.add(signals[name])
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
            raise UsageError(f"mode {mode!r}: there is no {name!r} here; there are {known}, joined by `+`")
    by_words = any(SWITCHES[name].by_words for name in switched)
    chosen = named or ({lexical.SIGNAL} if by_words else set(signals.values()))
    weights = tuple((signal, _weight(signal, weight, chosen)) for signal, weight in options.weights)
    return replace(options, weights=weights)


def _weight(signal: str, weight: float, chosen: set[str]) -> float:
    """What a signal weighs in a mode: alone it counts, whatever the settings say of it."""
    if signal not in chosen:
        return 0.0
    return weight or (1.0 if len(chosen) == 1 else 0.0)


def _depth(part: str, number: str) -> int:
    if not number.isascii() or not number.isdigit() or not 0 < int(number) <= 1_000_000:
        raise UsageError(f"mode part {part!r}: the depth behind `@` must be a whole number above 0")
    return int(number)
