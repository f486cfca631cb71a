"""A request and the settings → a plan of what each stage does. Nothing else decides that.

The mode names retrievers and stages. In the default mode the request's effort chooses the models. Any other mode names
the models itself, and effort, budget and depth only limit them.

What a request leaves open, the settings decide. Settings may come from the repository, which is not trusted: a thorough
effort that only they ask for is limited by `budget_ms` and asks no language model.
"""

from __future__ import annotations

from dataclasses import replace

from trackdown.engine.searching.filters import requested_filters
from trackdown.engine.searching.modes import LISTWISE_IF_THERE, THOROUGH, check_ranker, default_plan
from trackdown.pipeline import SearchPlan
from trackdown.request import SearchRequest
from trackdown.rerank import Listwise, RerankPlan
from trackdown.settings import Settings
from trackdown.types import GENERATED, TEST, VENDORED


def plan(request: SearchRequest, settings: Settings) -> SearchPlan:
    """The plan for a request. Raises UsageError for an unknown mode or language, a folder outside the
    repository, a broken pattern, or a ranker that does not exist.
    """
    settings = replace(
        settings,
        mode=request.mode or settings.mode,
        adaptive=settings.adaptive if request.adaptive is None else request.adaptive,
        graph=settings.graph if request.graph is None else request.graph,
    )
    base = default_plan(settings)
    check_ranker(base)
    folder, filters = requested_filters(request, settings)
    judging = _judging(request, base, settings)
    gar = request.gar or request.reco
    return replace(
        base,
        level=request.level or settings.level,
        k=settings.k if request.k is None else request.k,
        without_roles=_roles_left_out(request, settings),
        numbers=request.explain,
        folders=(folder,),
        filters=(filters,),
        judging=judging,
        listwise=_listwise(request, base.listwise),
        exemplars=base.exemplars or int(gar),
        rewritten=base.rewritten or request.reco,
        expects_models=judging is not None and (base.judging is not None or _asks_for_models(request)),
    )


def _roles_left_out(request: SearchRequest, settings: Settings) -> frozenset[int]:
    """The roles of files that are left out."""
    wanted = {
        TEST: settings.tests if request.tests is None else request.tests,
        GENERATED: settings.generated if request.generated is None else request.generated,
        VENDORED: settings.third_party if request.third_party is None else request.third_party,
    }
    return frozenset(role for role, is_in in wanted.items() if not is_in)


def _asks_for_models(request: SearchRequest) -> bool:
    """Whether the request explicitly asks for reranking."""
    return bool(request.rerank) or bool(request.budget) or request.depth is not None or request.effort == "thorough"


def _judging(request: SearchRequest, base: SearchPlan, settings: Settings) -> RerankPlan | None:
    """How to rerank; None for not at all."""
    named = base.judging
    if request.rerank is False or request.budget == 0:
        return None
    effort = request.effort or settings.effort
    if named is None and not _asks_for_models(request) and (effort == "fast" or not base.models_by_effort):
        return None
    balanced = RerankPlan(encoder=settings.encoder_depth, code=settings.code_depth)
    stages = named or (THOROUGH if effort == "thorough" else balanced)
    if request.depth is not None:
        return _to_depth(stages, request.depth)
    if request.budget is None and (named is not None or request.effort == "thorough"):
        return stages
    budget = settings.budget_ms if request.budget is None else request.budget
    if not budget or not stages.depth:
        return None
    return replace(stages, budget_ms=budget, threads=settings.thread_count if request.budget is None else 0)


def _listwise(request: SearchRequest, named: Listwise | None) -> Listwise | None:
    """How a language model reranks; None for not at all. With a time budget it only does if the mode names it."""
    listwise = named or (LISTWISE_IF_THERE if request.effort == "thorough" else None)
    unwanted = request.rerank is False or request.budget == 0 or (named is None and request.budget is not None)
    if listwise is None or unwanted:
        return None
    return listwise if request.depth is None else replace(listwise, depth=request.depth)


def _to_depth(judging: RerankPlan, depth: int) -> RerankPlan:
    """The same stages, each over exactly `depth` candidates or commits."""
    return replace(
        judging,
        encoder=depth if judging.encoder else 0,
        commits=depth if judging.commits else 0,
        code=depth if judging.code else 0,
        budget_ms=None,
    )
