"""What pooling and resizing compute of the elements in a window, first along the outer axes and then along the last.

A row of results is made in two steps. The first reads whole rows of x, one for each tap along the outer axes, and makes
a row of *states*; the second reads states side by side, one for each tap along the last axis. Both may read taps in
groups: the states so far are then further operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import add, mul
from typing import Literal

from ...encoder.records import NamedTuple, dataclass
from ...microkernels.expr.graph import Expr, maximum, select
from .windows import AxisWindows, WindowRun

State = tuple[Expr, ...]


class Tap(NamedTuple):
    """A tap of a window: its number along each axis of a step, and how far it is from the first, counted as places of a
    plane of x."""

    numbers: tuple[int, ...]
    apart: int


class TapGroup(NamedTuple):
    """The taps that a kernel reads at once.

    so_far    the state of the groups before, or ()
    numbers   of the tables, by name
    last      the run of results, if the second step makes them of this group; else None
    """

    taps: Sequence[Tap]
    so_far: State
    numbers: Mapping[str, Expr]
    last: WindowRun | None


@dataclass(frozen=True)
class Largest:
    """The largest element of a window; NaN if one is."""

    @property
    def numbers(self) -> str:
        """What the tables hold, if the function reads numbers that differ from result to result."""
        return ""

    @property
    def places(self) -> str:
        """Whether places of elements are "read" or "written", beside x and the result; else ""."""
        return ""

    def types(self, dtype: str) -> tuple[str, ...]:
        """The types of a state."""
        return (dtype,)

    def sums(self, dtype: str) -> tuple[str, ...]:
        """The types of what the second step makes of the taps so far."""
        return self.types(dtype)

    def compute(self, dtype: str, plane: int) -> Literal["f64", "f32"] | None:
        """The type of the arithmetic, or None for the usual one."""
        return None

    def begun(self, rows: Sequence[State], group: TapGroup) -> State:
        """Return the state of rows of x, which are states of one part."""
        return self.ended(rows, group)

    def ended(self, states: Sequence[State], group: TapGroup) -> State:
        """Return the state of states side by side; of the last group of taps, the results."""
        return (reduce(maximum, (*group.so_far, *(state for (state,) in states))),)


@dataclass(frozen=True)
class LargestAt(Largest):
    """The largest element of a window and its place in the plane of x: of equal ones the first, of NaNs the last."""

    @property
    def numbers(self) -> str:
        return "first"

    @property
    def places(self) -> str:
        return "written"

    def types(self, dtype: str) -> tuple[str, ...]:
        return dtype, "i32"

    def compute(self, dtype: str, plane: int) -> Literal["f64", "f32"] | None:
        # places up to 2^24 are exact in f32
        wide = plane > 1 << 24 and dtype not in ("f64", "i32", "i64")
        return "f64" if wide else None

    def begun(self, rows: Sequence[State], group: TapGroup) -> State:
        base = _added(group.numbers.values())
        return _better(group.so_far, [(row, base + tap.apart) for (row,), tap in zip(rows, group.taps)])

    def ended(self, states: Sequence[State], group: TapGroup) -> State:
        base = _added(group.numbers.values())
        return _better(group.so_far, [(value, at + base + tap.apart) for (value, at), tap in zip(states, group.taps)])


def _better(so_far: State, states: Sequence[State]) -> State:
    (best, at), *others = (so_far, *states) if so_far else states
    for value, place in others:
        nan, other = value != value, best != best
        better = (value > best) | ((value == best) & (place < at)) | (nan & (~other | (place > at)))
        best, at = select(better, value, best), select(better, place, at)
    return best, at


@dataclass(frozen=True)
class Mean(Largest):
    """The sum of a window divided by the divisors of its axes."""

    @property
    def numbers(self) -> str:
        return "divisors"

    def types(self, dtype: str) -> tuple[str, ...]:
        return ("f64" if dtype == "f64" else "f32",)

    def begun(self, rows: Sequence[State], group: TapGroup) -> State:
        return (_added([*group.so_far, *(row for (row,) in rows)]),)

    def ended(self, states: Sequence[State], group: TapGroup) -> State:
        (total,) = self.begun(states, group)
        if group.last is None:
            return (total,)
        divisor: Expr | float = group.last.divisor
        for each in group.numbers.values():
            divisor = each * divisor
        return (total / divisor,)


@dataclass(frozen=True)
class Weighted(Largest):
    """The sum of a window's elements by weights, those of its axes multiplied."""

    @property
    def numbers(self) -> str:
        return "weights"

    def types(self, dtype: str) -> tuple[str, ...]:
        return ("f64" if dtype == "f64" else "f32",)

    def begun(self, rows: Sequence[State], group: TapGroup) -> State:
        terms = [*group.so_far]
        for (row,), tap in zip(rows, group.taps):
            names = (number_name(axis, number) for axis, number in enumerate(tap.numbers))
            terms.append(reduce(mul, (group.numbers[name] for name in names if name in group.numbers), row))
        return (_added(terms),)

    def ended(self, states: Sequence[State], group: TapGroup) -> State:
        return self.begun(states, group)


@dataclass(frozen=True)
class ChosenElements(Largest):
    """The sum of those elements of a window whose place is that of the result: the gradient of `LargestAt`.

    taps   the most taps along the outer axes: a state holds the elements of all, and their places
    """

    taps: int

    @property
    def numbers(self) -> str:
        return "own"

    @property
    def places(self) -> str:
        return "read"

    def types(self, dtype: str) -> tuple[str, ...]:
        return (dtype,) * self.taps + ("i32",) * self.taps

    def sums(self, dtype: str) -> tuple[str, ...]:
        return ("f64" if dtype == "f64" else "f32",)

    def compute(self, dtype: str, plane: int) -> Literal["f64", "f32"] | None:
        return "f64" if plane > 1 << 24 or dtype == "f64" else "f32"

    def ended(self, states: Sequence[State], group: TapGroup) -> State:
        own = _added(group.numbers.values())
        pairs = (pair for state in states for pair in zip(state[: self.taps], state[self.taps :]))
        return (_added([*group.so_far, *(select(at == own, value, 0) for value, at in pairs)]),)


def number_name(axis: int, tap: int) -> str:
    """Return the name of the operand that holds the numbers of an axis, and of a tap of it."""
    return f"n{axis}_{tap}"


def _added(terms: Iterable[Expr]) -> Expr:
    return reduce(add, terms)


def of_group(
    step: Callable[[Sequence[State], TapGroup], State],
    taps: Sequence[Tap],
    parts: int,
    so_far: Iterable[str],
    numbers: Iterable[str],
    last: WindowRun | None = None,
) -> Callable[[Mapping[str, Expr]], Expr | State]:
    """Return the function of a kernel that makes a step with a group of taps, whose states have so many parts. Its
    operands are `part_name(tap, part)`, and those called `so_far` and `numbers`."""

    def function(given: Mapping[str, Expr]) -> Expr | State:
        states = [tuple(given[part_name(tap, part)] for part in range(parts)) for tap in range(len(taps))]
        before = tuple(given[name] for name in so_far)
        made = step(states, TapGroup(taps, before, {name: given[name] for name in numbers}, last))
        return made[0] if len(made) == 1 else made

    return function


def part_name(tap: int, part: int) -> str:
    """Return the name of the operand that holds a part of the state of a tap."""
    return f"x{tap}_{part}"


def numbers_of(function: Largest, axis: AxisWindows, scale: int, last: bool) -> list[list[float]]:
    """Return the numbers that a function reads of an axis for each of its results: a list for each, or for each tap.

    scale   places of a plane from one element of the axis to the next: of x, or of the result for its own places
    last    whether it is the last axis, whose divisors are constants of the kernels
    """
    if function.numbers == "weights" and axis.weights:
        most = max(map(len, axis.taps))
        return [[each[tap] if tap < len(each) else 0.0 for each in axis.weights] for tap in range(most)]
    if function.numbers == "divisors" and axis.divisors and not last:
        return [list(axis.divisors)]
    if function.numbers == "first":
        return [[float(each[0] * scale) for each in axis.taps]]
    if function.numbers == "own":
        return [[float(place * scale) for place in range(axis.results)]]
    return []


def number_type(function: Largest, dtype: str) -> str:
    """Return the type of the numbers."""
    return "i32" if function.places else "f64" if dtype == "f64" else "f32"
