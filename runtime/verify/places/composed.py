"""The steps of products that are composed of products of a narrower type: their parts and slices lie in scratch
memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....microkernels.gemm.plan import scratch_sizes
from ....microkernels.precision.bf16x3 import Bf16x3Plan
from ....microkernels.precision.composed_spec import PARTS, SLICES
from ....microkernels.precision.ozaki_plan import ElementwiseStep as OzakiWalk
from ....microkernels.precision.ozaki_plan import OzakiPlan
from .chains import SCRATCH
from .claims import Claims, PlacedFactor, factor, packed, result, tiles_of
from .elements import At, steps_of
from .memory import MatrixAccess, PlacedStep


def steps_of_composed(plan: Any) -> Iterator[PlacedStep]:
    """Yield the steps of a composed product."""
    claims = Claims()
    yield from claims.around(_bf16x3(plan, claims) if isinstance(plan, Bf16x3Plan) else _Sliced(plan, claims).steps())


def _bf16x3(plan: Bf16x3Plan, claims: Claims) -> Iterator[PlacedStep]:
    """Yield the splits of both operands, then the products of parts whose numbers add up to 4, 3 and 2."""
    base = claims.claim(plan.scratch_bytes)
    tiles = max(sum(scratch_sizes(each)) for each in plan.products)
    own = claims.claim(tiles) if tiles else 0
    for name, walk, places in zip("ab", plan.splits, plan.places):
        at = {f"y{i}": At(SCRATCH, base + place, f"part {i + 1} of {name}") for i, place in enumerate(places)}
        yield from steps_of(walk, lambda operand, _, at=at: at.get(operand), f"the parts of {name}")  # type: ignore[misc]
    for total, product in zip(range(PARTS + 1, 1, -1), plan.products):
        pairs = total - 1
        first, second = (
            [f"part {i} of {name}" for i in numbers]
            for name, numbers in (("a", range(1, total)), ("b", range(pairs, 0, -1)))
        )
        reads = factor(product, "a", PlacedFactor(base + plan.places[0][0], "", None, first), pairs)
        reads += factor(product, "b", PlacedFactor(base + plan.places[1][pairs - 1], "", None, second), pairs)
        yield PlacedStep(f"the products of parts that add up to {total}", reads, (), tiles_of(product, own))


class _Sliced:
    """The steps of a product of slices. What a buffer holds is the result of the last step that wrote it."""

    def __init__(self, plan: OzakiPlan, claims: Claims) -> None:
        self.plan, self.spec = plan, plan.spec
        self.base = claims.claim(plan.places["end"])
        size = sum(scratch_sizes(plan.product))
        self.tiles = claims.claim(size) if size else 0
        self.holds: dict[str, str] = {}
        self.number = 0

    def steps(self) -> Iterator[PlacedStep]:
        """Yield all steps in order."""
        plan, spec = self.plan, self.spec
        for number, (once, again) in enumerate(plan.splits):
            operand = spec.operands[number]
            transpose, size = plan.transposes[number], operand.rows * operand.columns
            if transpose is not None:
                value = self._written("rests", f"the transpose of {operand.name}")
                base = self._base("rests")
                yield PlacedStep(f"transpose {operand.name}", (), tuple(_lines(packed(transpose, base, value), base)))
            for step in once:
                yield from self._walk(step, 0, "")
            start = plan.places[f"slices of {operand.name}"]
            for each in range(SLICES):
                place = (SLICES - 1 - each if number else each) * size
                for step in again:
                    yield from self._walk(step, self.base + start + place, f"slice {each + 1} of {operand.name}")
        yield from self._walk(plan.start, 0, "")
        for left in range(SLICES, 0, -1):
            yield self._product(left)
            yield from self._walk(plan.add, 0, "")
        yield from self._walk(plan.finish, 0, "")

    def _product(self, pairs: int) -> PlacedStep:
        """Return the sum of the products of slices whose numbers add up to `pairs` + 1."""
        plan, spec = self.plan, self.spec
        of_a, of_b = spec.m * spec.k, spec.k * spec.n
        first, second = (
            [f"slice {i} of {name}" for i in numbers]
            for name, numbers in (("a", range(1, pairs + 1)), ("b", range(pairs, 0, -1)))
        )
        a, b = self._base("slices of a"), self._base("slices of b") + (SLICES - pairs) * of_b
        reads = list[MatrixAccess]()
        for name, at, size, values in (("a", a, of_a, first), ("b", b, of_b, second)):
            for number, each in enumerate(factor(plan.product, name, PlacedFactor(at, "", size, values), pairs)):
                reads += _lines(each, at + number * size)
        at = self._base("sums")
        writes = _lines(result(plan.product, at, self._written("sums", f"the sums of {pairs}")), at)
        return PlacedStep(
            f"the products of {pairs} pairs of slices", tuple(reads), tuple(writes), tiles_of(plan.product, self.tiles)
        )

    def _written(self, buffer: str, value: str) -> str:
        self.number += 1
        self.holds[buffer] = f"{value}, {self.number}"
        return self.holds[buffer]

    def _walk(self, step: OzakiWalk, slice_at: int, name: str) -> Iterator[PlacedStep]:
        """Yield an elementwise step, row by row: rows follow one another, and a row may lie where an earlier one was
        read."""
        spec, held = step.plan.spec, dict(self.holds)
        for y in spec.outputs:
            buffer = step.at[y.name][0]
            if buffer in self.plan.places:
                self._written(buffer, f"{buffer} of {spec.name}")

        def place(operand: str, written: bool) -> At | None:
            buffer, disp = step.at[operand]
            if buffer == "slice":
                return At(SCRATCH, slice_at, name)
            if buffer not in self.plan.places:
                return None
            return At(SCRATCH, self._base(buffer) + disp, (self.holds if written else held)[buffer])

        values = (*held.items(), *self.holds.items())
        bases = {name: slice_at} | {value: self._base(buffer) for buffer, value in values}
        for whole in steps_of(step.plan, place, f"{spec.name} {name}".strip()):
            reads, writes = (
                [_rows(each, bases[each.value], spec.m) for each in several] for several in (whole.reads, whole.writes)
            )
            for row in range(spec.m):
                yield PlacedStep(whole.name, tuple(each[row] for each in reads), tuple(each[row] for each in writes))

    def _base(self, buffer: str) -> int:
        return self.base + self.plan.places[buffer]


def _lines(access: MatrixAccess, base: int) -> list[MatrixAccess]:
    """Return the lines of an access one by one. Its value is a buffer that begins at `base`: elements are told apart by
    their places in it, because steps see the same buffer as one line or as several."""
    dense = access.pitch == access.columns * access.size
    lines, columns = (1, access.rows * access.columns) if dense else (access.rows, access.columns)
    found = []
    for number in range(lines):
        at = access.offset + number * access.pitch
        found.append(access._replace(offset=at, rows=1, columns=columns, row=0, column=(at - base) // access.size))
    return found


def _rows(access: MatrixAccess, base: int, rows: int) -> list[MatrixAccess]:
    """Return what an access touches in each row of a walk."""
    if access.rows != rows:
        return [*_lines(access, base)[:1]] * rows
    return [_lines(access._replace(offset=access.offset + row * access.pitch, rows=1), base)[0] for row in range(rows)]


COMPOSED: tuple[type, ...] = (Bf16x3Plan, OzakiPlan)
