"""The ways to compute a request, and the choice between them: the pipeline of every kind of kernel.

    candidates(request, facts)   every way to compute it: a plan, a refusal with its reason, or a way not planned yet
    choose(candidates)           the plan with the fewest cycles; its `rejected` holds the others
    emitters                     the type of a plan -> the function that appends its code to a machine's assembler

Plans are frozen values that print. `print(kernel.plan)` shows the chosen plan, and `print(kernel.plan.rejected)` shows
why each of the others was not chosen.

Some planners can order their ways by preference before they plan any of them. For example, a reduction prefers many
accumulators to few, as long as the registers suffice. Their candidates are `Way` values, which `choose` plans one after
the other until one does not refuse. The ways behind that one cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from ..encoder.deferred import lazy
from ..encoder.errors import FarDisplacement
from ..encoder.records import NamedTuple, dataclass
from .errors import TooMuchToHold, UnsupportedError

if TYPE_CHECKING:
    from . import notebook as microkernels_notebook

microkernels_notebook = lazy(__package__, ".notebook")

_LINE = 160  # the most characters of a plan in one line


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


class Later(NamedTuple):
    """A way that comes after the chosen one in the order of preference, and was therefore not planned."""

    way: str

    def __str__(self) -> str:
        return f"{self.way}: not planned, the chosen way is preferred to it"


class Rejected(tuple[Refusal | Slower | Later, ...]):
    """The ways that were not chosen, each with its reason. It prints as one line for each."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "there is no other way"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a request is computed: the base of the plans of all kinds of kernels."""

    way: str = field(default="the only way", compare=False, repr=False)
    rejected: Rejected = field(default=Rejected(), compare=False, repr=False)

    def __init_subclass__(cls) -> None:
        cls.__repr__ = Plan.__repr__  # type: ignore[method-assign]  # else a dataclass shows all of its fields

    def __repr__(self) -> str:
        first, *more = str(self).splitlines()
        return f"<{type(self).__name__}: {first[:_LINE]}{' ...; print it to see all' if more else ''}>"

    def _repr_html_(self) -> str:
        """Return the plan for notebooks, with its picture if it has one, and why other ways were not chosen."""
        picture = self.svg() if hasattr(self, "svg") else ""
        shown: str = microkernels_notebook.plan_page(self, self.rejected, picture)
        return shown

    @property
    def pair_cycles(self) -> float:
        """Estimated cycles of one call, or of one pair of matrices if a call has several."""
        return float(self.cycles)  # type: ignore[attr-defined]  # a field of some plans, computed by others

    @property
    def call_cycles(self) -> float:
        """Estimated cycles of one call, by which plans are compared."""
        return self.pair_cycles


P = TypeVar("P", bound=Plan)
M = TypeVar("M")


class Way(NamedTuple):
    """A way that is planned only if every way before it refuses. Ways come in the order of preference.

    The least demanding way comes last. If it refuses too, the caller sees its refusal.
    """

    name: str
    plan: Callable[[], Plan]


def tried(way: str, make: Callable[[], M]) -> M | Refusal:
    """Return the function's result, or its refusal as a value."""
    try:
        return make()
    except UnsupportedError as error:
        return Refusal(way, error)


def attempt(way: str, plan: Callable[[], P]) -> P | Refusal:
    """Return the function's plan under the name of its way, or its refusal as a value."""
    return tried(way, lambda: replace(plan(), way=way))


def refused(way: str, reason: str) -> Refusal:
    """Return a refusal with this reason."""
    return Refusal(way, UnsupportedError(reason))


def best(candidates: Iterable[P | Refusal], cost: Callable[[P], float] = attrgetter("call_cycles")) -> P | Refusal:
    """Return the plan of the lowest cost, the first of equal ones; if all refuse, the first refusal.

    Planners choose parts of their plans with it. The rejected parts stay in the result's `rejected`.
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
    """Return the plan, or raise UnsupportedError if it is a refusal. Only the end of a pipeline raises."""
    if isinstance(candidate, Refusal):
        raise candidate.error from None
    return candidate


def choose(candidates: Iterable[Plan | Refusal | Way]) -> Plan:
    """Return the plan with the fewest cycles per call, the first of equal ones.

    If all refuse, the first refusal is raised; for ways in the order of preference, the last, which is the least
    demanding.
    """
    outcomes: list[Plan | Refusal] = []
    later: list[Later] = []
    last: Refusal | None = None
    for candidate in candidates:
        if not isinstance(candidate, Way):
            outcomes.append(candidate)
        elif any(isinstance(outcome, Plan) for outcome in outcomes):
            later.append(Later(candidate.name))
        else:
            outcome = attempt(candidate.name, candidate.plan)
            last = Refusal(outcome.way, UnsupportedError(str(outcome))) if isinstance(outcome, Refusal) else None
            outcomes.append(outcome)
    refused_by_all = last is not None and not any(isinstance(outcome, Plan) for outcome in outcomes)
    chosen = required(best([last] if last is not None and refused_by_all else outcomes))
    return replace(chosen, rejected=Rejected((*chosen.rejected, *later))) if later else chosen


class Pipeline(NamedTuple):
    """The functions that make the kernels of one class of requests."""

    candidates: Callable[[Any, Any], Iterable[Plan | Refusal | Way]]
    emitters: Mapping[type, Callable[[Any, Any], None]]
    """Maps classes of plans to emitters. A plan goes to the emitter of its class, or of its nearest base."""

    def emitter(self, plan: Plan) -> Callable[[Any, Any], None]:
        """Return the function that appends a kernel of this plan to a machine's assembler."""
        return next(self.emitters[kind] for kind in type(plan).__mro__ if kind in self.emitters)

    def emitted(self, plan: Plan, machine: M, spilled: Callable[[Callable[[M], None]], M]) -> M:
        """Return the machine to which a plan was emitted. If its general registers do not suffice, or operands lie
        farther from their pointers than instructions reach, that is one with more registers, in the stack frame, which
        computes such addresses: `spilled` makes it."""
        emit = self.emitter(plan)
        try:
            emit(machine, plan)
        except (TooMuchToHold, FarDisplacement):
            machine = spilled(lambda other: emit(other, plan))
        return machine
