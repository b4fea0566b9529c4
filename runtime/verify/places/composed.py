"""The steps of products that are composed of products of a narrower type: their parts and slices lie in scratch
memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.eltwise.plan import EltwisePlan
from ....microkernels.gemm.plan import GemmPlan, scratch_sizes
from ....microkernels.precision.composed_plan import ComposedPlan, ComposedStep, InBuffer
from ....microkernels.transform.plan import TransformPlan
from .chains import SCRATCH
from .claims import Claims, PlacedFactor, factor, packed, result, tiles_of
from .elements import At, steps_of
from .memory import MatrixAccess, PlacedStep


def steps_of_composed(plan: ComposedPlan) -> Iterator[PlacedStep]:
    """Yield the steps of a composed product."""
    claims = Claims()
    yield from claims.around(_ComposedSteps(plan, claims).steps())


class _ComposedSteps:
    """The steps of a plan. A place of a buffer holds the result of the last step that wrote it, or wrote before it in
    the buffer."""

    def __init__(self, plan: ComposedPlan, claims: Claims) -> None:
        self.plan = plan
        self.base = claims.claim(plan.scratch_bytes)
        size = max(sum(scratch_sizes(product)) for product in plan.products)
        self.tiles = claims.claim(size) if size else 0
        self.holds: dict[InBuffer, str] = {}
        self.bases: dict[str, int] = {}  # of values in memory

    def steps(self) -> Iterator[PlacedStep]:
        """Yield all steps in order."""
        for step in self.plan.steps:
            if isinstance(step, ComposedStep):
                yield from self._step(step, {})
                continue
            for moved in step.each():
                for part in step.steps:
                    yield from self._step(part, moved)

    def _step(self, step: ComposedStep, moved: Mapping[str, InBuffer | int]) -> Iterator[PlacedStep]:
        at: dict[str, Any] = {operand: _at(place, moved) for operand, place in step.at.items()}
        plan, name = step.plan, str(step)
        if isinstance(plan, EltwisePlan):
            yield from self._walk(plan, at, name)
        elif isinstance(plan, TransformPlan):
            write = packed(plan, self._address(at["y"]), self._written(at["y"], name))
            yield PlacedStep(name, (), tuple(_lines(write, write.offset)))
        else:
            yield self._products(plan, at, name)

    def _products(self, plan: GemmPlan, at: Mapping[str, Any], name: str) -> PlacedStep:
        """Return a batch of products, whose factors follow one another in their buffers."""
        pairs, reads, writes = at.get("count", plan.spec.batch), list[MatrixAccess](), list[MatrixAccess]()
        for operand in plan.spec.operands[:2]:
            first, size = at[operand.name], operand.rows * operand.columns * ELEMENT_BYTES[operand.dtype]
            each = [first._replace(offset=first.offset + number * size) for number in range(pairs)]
            values, distance = [self._held(place) for place in each], at.get(f"{operand.name}_stride")
            placed = PlacedFactor(self._address(first), "", distance, values)
            for place, access in zip(each, factor(plan, operand.name, placed, pairs)):
                reads += _lines(access, self._address(place))
        if at["c"].buffer in self.plan.places:
            of_c = self._address(at["c"])
            writes += _lines(result(plan, of_c, self._written(at["c"], name)), of_c)
        return PlacedStep(f"{name}, {pairs}", tuple(reads), tuple(writes), tiles_of(plan, self.tiles))

    def _walk(self, plan: EltwisePlan, places: Mapping[str, InBuffer], name: str) -> Iterator[PlacedStep]:
        """Yield an elementwise step, row by row: rows follow one another, and a row may lie where an earlier one was
        read."""
        mine = {each: place for each, place in places.items() if place.buffer in self.plan.places}
        values = {(x.name, False): self._held(mine[x.name]) for x in plan.spec.inputs if x.name in mine}
        values |= {(y.name, True): self._written(mine[y.name], name) for y in plan.spec.outputs if y.name in mine}

        def place(operand: str, written: bool) -> At | None:
            value = values.get((operand, written))
            return None if value is None else At(SCRATCH, self._address(mine[operand]), value)

        for whole in steps_of(plan, place, name):
            reads, writes = (
                [_rows(each, self.bases[each.value], plan.spec.m) for each in several]
                for several in (whole.reads, whole.writes)
            )
            for row in range(plan.spec.m):
                yield PlacedStep(whole.name, tuple(each[row] for each in reads), tuple(each[row] for each in writes))

    def _address(self, place: InBuffer) -> int:
        return self.base + self.plan.places[place.buffer] + place.offset

    def _held(self, place: InBuffer) -> str:
        """Return the value that lies at a place."""
        return self.holds[max(each for each in self.holds if each.buffer == place.buffer and each <= place)]

    def _written(self, place: InBuffer, step: str) -> str:
        """Return the value that a step writes at a place."""
        self.holds[place] = value = f"{place.buffer} of {step}, {len(self.bases)}"
        self.bases[value] = self._address(place)
        return value


def _at(place: InBuffer | int, moved: Mapping[str, InBuffer | int]) -> InBuffer | int:
    """Return the place of an operand, for what moves in the loop around its step."""
    return moved.get(place.buffer, place) if isinstance(place, InBuffer) else place


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


COMPOSED: tuple[type, ...] = (ComposedPlan,)
