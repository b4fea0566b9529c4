"""The ways to compute a request, and the choice between them: the pipeline of every kind of kernel.

    candidates(request, facts)   every way to compute it: a plan, or a refusal with its reason
    choose(candidates)           the plan of the fewest cycles; its `rejected` holds the others
    emitters                     the type of a plan -> the function that appends its code to a machine's assembler

Plans are frozen values that print: `print(kernel.plan)` shows the one that was chosen, `print(kernel.plan.rejected)`
why each of the others was not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from .errors import UnsupportedError


class Refusal(NamedTuple):
    """A way that cannot compute the request."""

    way: str
    error: UnsupportedError

    def __str__(self) -> str:
        return f"{self.way}: {self.error}"


class Slower(NamedTuple):
    """A way that computes the request in more cycles than the plan that was chosen."""

    way: str
    cycles: float
    chosen: float

    def __str__(self) -> str:
        return f"{self.way}: about {self.cycles:.0f} cycles, the chosen way takes {self.chosen:.0f}"


class Rejected(tuple[Refusal | Slower, ...]):
    """The ways that a plan was preferred to, each with its reason. Printable, one line for each."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "there is no other way"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a request is computed: the base of the plans of all kinds of kernels."""

    way: str = field(default="the only way", compare=False, repr=False)
    rejected: Rejected = field(default=Rejected(), compare=False, repr=False)

    @property
    def pair_cycles(self) -> float:
        """The estimate for one call, or for one of the pairs where a call has several."""
        return float(self.cycles)  # type: ignore[attr-defined]  # a field of some plans, computed by others

    @property
    def call_cycles(self) -> float:
        """The estimate by which plans are compared: the cycles of one call."""
        return self.pair_cycles


P = TypeVar("P", bound=Plan)


def attempt(way: str, plan: Callable[[], P]) -> P | Refusal:
    """The plan that the function makes, under the name of its way; or its refusal as a value."""
    try:
        return replace(plan(), way=way)
    except UnsupportedError as error:
        return Refusal(way, error)


def refused(way: str, reason: str) -> Refusal:
    """A refusal with this reason."""
    return Refusal(way, UnsupportedError(reason))


def best(candidates: Iterable[P | Refusal], cost: Callable[[P], float] = attrgetter("call_cycles")) -> P | Refusal:
    """The plan of the lowest cost, of equal ones the first; the first refusal where all refuse.

    Planners choose a part of their plan with it. What a part was preferred to stays in its `rejected`.
    """
    every = list(candidates)
    plans = [candidate for candidate in every if not isinstance(candidate, Refusal)]
    if not plans:
        return next(candidate for candidate in every if isinstance(candidate, Refusal))
    if len(every) == 1:
        return plans[0]
    costs = [cost(plan) for plan in plans]
    least = min(costs)
    chosen = plans[costs.index(least)]
    cost_of = iter(costs)
    others: list[Refusal | Slower] = []
    for candidate in every:
        if isinstance(candidate, Refusal):
            others.append(candidate)
            continue
        cycles = next(cost_of)
        if candidate is not chosen:
            others.append(Slower(candidate.way, cycles, least))
    return replace(chosen, rejected=Rejected((*chosen.rejected, *others)))


def required(candidate: P | Refusal) -> P:
    """The plan; UnsupportedError where it is a refusal. Only the end of a pipeline raises."""
    if isinstance(candidate, Refusal):
        raise candidate.error from None
    return candidate


def choose(candidates: Iterable[Plan | Refusal]) -> Plan:
    """The plan of the fewest cycles for a call, of equal ones the first; raises the first refusal where all refuse."""
    return required(best(candidates))


class Pipeline(NamedTuple):
    """What makes kernels of one class of requests."""

    candidates: Callable[[Any, Any], list[Plan | Refusal]]
    emitters: Mapping[type, Callable[[Any, Any], None]]
