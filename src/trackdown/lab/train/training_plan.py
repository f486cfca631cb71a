"""How to train: what the recipe's options mean and what they may be. The command line shows them without PyTorch."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from trackdown.errors import UsageError


def _option(default: Any, help: str) -> Any:
    """A field that the command line offers as an option."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How to train. `seconds` or `steps` end the run, whichever comes first; phases are shares of the run."""

    seconds: float = _option(0.0, "End after this time of training, not counting the search for negatives.")
    steps: int = _option(0, "End after this many steps.")
    rate: float = _option(2e-4, "The highest learning rate.")
    batch: int = _option(192, "Queries of a step that learn vectors and late interaction.")
    negatives: int = _option(5, "Hard negatives for each of these queries.")
    others: int = _option(8, "Answers to other queries from which late interaction tells the right one.")
    pairs: int = _option(48, "Queries of a step whose candidates are read as pairs.")
    pair_negatives: int = _option(5, "Hard negatives for each of these queries, besides the answer to another query.")
    last_negatives: int = _option(15, "The same in the last phase, which has fewer queries per step.")
    last_phase: float = _option(0.6, "From this share of the run on, negatives come from the model as it is then.")
    rounding: float = _option(0.6, "From this share of the run on, products are rounded as the int8 graph rounds them.")
    dropout: float = _option(0.1, "Share of activations left out.")
    left_out: float = _option(0.1, "Share of tokens left out of queries, units and pairs.")
    whole: float = _option(0.75, "How often a query is asked whole, not by its title alone.")
    seed: int = _option(0, "Random seed.")
    warmup: float = 0.06
    temperature: float = 0.03
    late_temperature: float = 0.02
    query_tokens: int = 510
    document_tokens: int = 222
    pair_query_tokens: int = 190
    pair_tokens: int = 384


def checked(plan: TrainingPlan) -> TrainingPlan:
    """The plan, if it can be trained by. Raises UsageError."""
    if min(plan.seconds, plan.steps) < 0 or not (plan.seconds or plan.steps):
        raise UsageError("how long is the run? Name --seconds or --steps, above 0")
    if plan.rate <= 0:
        raise UsageError("--rate must be above 0")
    if not 0 <= plan.dropout < 1 or not 0 <= plan.left_out < 1:
        raise UsageError("--dropout and --left-out must be at least 0 and below 1")
    if plan.batch < 0 or plan.batch == 1 or plan.pairs < 0 or not plan.batch + plan.pairs:
        raise UsageError("--batch must be 0 or above 1, --pairs 0 or more, and one of them above 0")
    if min(plan.negatives, plan.others, plan.pair_negatives, plan.last_negatives) < 1:
        raise UsageError("--negatives, --others, --pair-negatives and --last-negatives must be above 0")
    return plan


def plan_options() -> list[tuple[str, str, Any, str]]:
    """(option, field, default, help) of everything in a plan that the command line offers."""
    offered = (one for one in fields(TrainingPlan) if "help" in one.metadata)
    return [(f"--{one.name.replace('_', '-')}", one.name, one.default, one.metadata["help"]) for one in offered]
