"""Modes: which retrievers and stages take part in a search, by name.

A mode is parts joined by `+`: `bm25`, `commits`, `bm25+commits`, `hybrid` (all retrievers), `hybrid+rrf`,
`commits@100+maxp`. A part may carry a depth behind `@`. Retrievers come from the pipeline's own list, so a new one has
a mode as soon as it exists; a stage has one line in `SWITCHES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from trackdown.errors import UsageError
from trackdown.expand.spider import Expansion
from trackdown.graph.edges import EDGE_TYPES
from trackdown.pipeline import RETRIEVERS, Options
from trackdown.retrieve import commits, lexical, mentions
from trackdown.settings import Settings

HYBRID = "hybrid"
GRAPH = "graph"
_ALIASES = {lexical.SIGNAL: "bm25"}
_WHAT = {
    lexical.SIGNAL: "BM25 over functions, classes and windows: body, name and path",
    mentions.SIGNAL: "names, paths and traceback frames that the query holds",
    commits.SIGNAL: "BM25 over past commit messages, aggregated to the files they touched (@N: the best N commits)",
}


def _expanded(options: Options, expansion: Expansion) -> Options:
    return replace(options, expansion=expansion)


@dataclass(frozen=True, slots=True)
class Switch:
    """A part of a mode that changes how a search runs. `takes_depth` says whether `@N` may follow its name."""

    kind: str
    what: str
    apply: Callable[[Options, int | None], Options]
    takes_depth: bool = False


SWITCHES: dict[str, Switch] = {
    "weighted": Switch("fusion", "weighted sum of scores", lambda o, _: replace(o, fusion="weighted")),
    "rrf": Switch("fusion", "reciprocal rank fusion", lambda o, _: replace(o, fusion="rrf")),
    "adaptive": Switch("fusion", "weights that depend on the query's kind", lambda o, _: replace(o, adaptive=True)),
    "graph": Switch(
        "expansion",
        "neighbours by class, file, calls, inheritance and imports move up to the best five, if they score well",
        lambda o, _: _expanded(o, Expansion(depth=3, edges=EDGE_TYPES)),
    ),
    "spider": Switch(
        "expansion",
        "SpIDER: neighbours by folder, file and class move up to the best five (@N: within N edges)",
        lambda o, depth: _expanded(o, Expansion(depth=depth or 4)),
        takes_depth=True,
    ),
    "callees": Switch(
        "expansion",
        "what the best results call moves up to them",
        lambda o, _: _expanded(o, Expansion(edges=("invokes",), direction="out")),
    ),
    "callers": Switch(
        "expansion",
        "what calls the best results moves up to them",
        lambda o, _: _expanded(o, Expansion(edges=("invokes",), direction="in")),
    ),
    "maxp": Switch("aggregation", "a file scores as its best commit", lambda o, _: replace(o, aggregation="maxp")),
    "sump": Switch("aggregation", "a file scores as the sum of commits", lambda o, _: replace(o, aggregation="sump")),
    "avgp": Switch("aggregation", "a file scores as the mean of commits", lambda o, _: replace(o, aggregation="avgp")),
    "blend": Switch("aggregation", "best commit + 1/100 of the sum", lambda o, _: replace(o, aggregation="blend")),
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


def options_of(settings: Settings) -> Options:
    """The options that the settings ask for."""
    options = Options(
        fusion=settings.fusion,
        aggregation=settings.aggregation,
        weights=(
            (lexical.SIGNAL, settings.weight_lexical),
            (commits.SIGNAL, settings.weight_commits),
            (mentions.SIGNAL, settings.weight_mentions),
        ),
        adaptive=settings.adaptive,
    )
    return with_mode(options, f"{settings.mode}+{GRAPH}" if settings.graph else settings.mode)


def with_mode(options: Options, mode: str) -> Options:
    """Options for one mode. Raises UsageError for a part that is not there, with the list of those that are."""
    named: set[str] = set()
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
        else:
            known = ", ".join(listed.name for listed in list_modes())
            raise UsageError(f"mode {mode!r}: there is no {name!r} here; there are {known}, joined by `+`")
    chosen = named or set(signals.values())
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
