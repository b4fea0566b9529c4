"""What pooling and resizing compute of the elements in a window, first along the outer axes and then along the last.

A row of results is made in two steps. The first reads whole rows of x, one for each tap along the outer axes, and makes
a row of *states*; the second reads states side by side, one for each tap along the last axis. Both may read taps in
groups: the states so far are then further operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ...encoder.records import NamedTuple, dataclass
from ...microkernels.dtypes import DTYPES
from ...microkernels.expr.graph import Expr, maximum, select
from .windows import Axis, Stretch

State = tuple[Any, ...]


class Tap(NamedTuple):
    """A tap of a window: its number along each axis of a step, and how far it is from the first, counted as places of a
    plane of x."""

    numbers: tuple[int, ...]
    apart: int


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

    def begun(self, rows: Sequence[Expr], taps: Sequence[Tap], so_far: State, numbers: Mapping[str, Expr]) -> State:
        """Return the state of rows of x."""
        return self.ended([(each,) for each in rows], taps, so_far, numbers, None)

    def ended(
        self,
        states: Sequence[State],
        taps: Sequence[Tap],
        so_far: State,
        numbers: Mapping[str, Expr],
        last: Stretch | None,
    ) -> State:
        """Return the state of states side by side; of the last group of taps, the results."""
        found = [*so_far, *(state for (state,) in states)]
        best = found[0]
        for each in found[1:]:
            best = maximum(best, each)
        return (best,)


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

    def begun(self, rows: Sequence[Expr], taps: Sequence[Tap], so_far: State, numbers: Mapping[str, Expr]) -> State:
        base = _added(numbers.values())
        states = [(row, base + tap.apart) for row, tap in zip(rows, taps)]
        return _better([*((so_far,) if so_far else ()), *states])

    def ended(
        self,
        states: Sequence[State],
        taps: Sequence[Tap],
        so_far: State,
        numbers: Mapping[str, Expr],
        last: Stretch | None,
    ) -> State:
        base = _added(numbers.values())
        moved = [(value, at + base + tap.apart) for (value, at), tap in zip(states, taps)]
        return _better([*((so_far,) if so_far else ()), *moved])


def _better(states: Sequence[State]) -> State:
    best, at = states[0]
    for value, place in states[1:]:
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

    def begun(self, rows: Sequence[Expr], taps: Sequence[Tap], so_far: State, numbers: Mapping[str, Expr]) -> State:
        return (_added([*so_far, *rows]),)

    def ended(
        self,
        states: Sequence[State],
        taps: Sequence[Tap],
        so_far: State,
        numbers: Mapping[str, Expr],
        last: Stretch | None,
    ) -> State:
        total = _added([*so_far, *(state for (state,) in states)])
        if last is None:
            return (total,)
        divisor: Any = last.divisor
        for each in numbers.values():
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

    def begun(self, rows: Sequence[Expr], taps: Sequence[Tap], so_far: State, numbers: Mapping[str, Expr]) -> State:
        terms = []
        for row, tap in zip(rows, taps):
            for axis, number in enumerate(tap.numbers):
                name = number_name(axis, number)
                row = row * numbers[name] if name in numbers else row
            terms.append(row)
        return (_added([*so_far, *terms]),)

    def ended(
        self,
        states: Sequence[State],
        taps: Sequence[Tap],
        so_far: State,
        numbers: Mapping[str, Expr],
        last: Stretch | None,
    ) -> State:
        return self.begun([state for (state,) in states], taps, so_far, numbers)


@dataclass(frozen=True)
class Chosen(Largest):
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

    def ended(
        self,
        states: Sequence[State],
        taps: Sequence[Tap],
        so_far: State,
        numbers: Mapping[str, Expr],
        last: Stretch | None,
    ) -> State:
        own = _added(numbers.values())
        terms = [*so_far]
        for state in states:
            for value, at in zip(state[: self.taps], state[self.taps :]):
                terms.append(select(at == own, value, 0))
        return (_added(terms),)


def number_name(axis: int, tap: int) -> str:
    """Return the name of the operand that holds the numbers of an axis, and of a tap of it."""
    return f"n{axis}_{tap}"


def _added(terms: Any) -> Any:
    total = None
    for each in terms:
        total = each if total is None else total + each
    return 0 if total is None else total


def numbers_of(function: Largest, axis: Axis, scale: int, last: bool) -> list[list[float]]:
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


def is_float(dtype: str) -> bool:
    """Whether elements are floats."""
    return DTYPES[dtype].real
