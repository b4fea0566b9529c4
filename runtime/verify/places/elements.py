"""The steps of elementwise and fused kernels, and of walks over strips of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ....encoder.records import NamedTuple
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.eltwise.plan import EltwisePlan
from ....microkernels.expr.graph import Expr, expressions, ordered
from ....microkernels.fused.passes import KEPT, inputs_of
from ....microkernels.fused.plan import FusedPlan
from ....microkernels.operands import Operand
from ....microkernels.sweeps.columns_plan import ColumnsPlan
from .memory import FORWARD, IN_TURN, THROUGHOUT, MatrixAccess, PlacedStep


class At(NamedTuple):
    """Where an operand of a walk lies, the value that it holds or gets, and its first element of that value."""

    space: str
    offset: int
    value: str
    row: int = 0
    column: int = 0


def access(operand: Operand, at: At, rows: int | None = None, columns: int | None = None, **more: Any) -> MatrixAccess:
    """Return the access to an operand at a place. rows, columns: as many of it as are accessed. Matrices with
    contiguous columns are described by their transposes, as they lie."""
    size = ELEMENT_BYTES[operand.dtype]
    lines, length = operand.rows if rows is None else rows, operand.columns if columns is None else columns
    if operand.view.order == "F":
        lines, length = length, lines
    leading = operand.view.leading if isinstance(operand.view.leading, int) else length
    length, pitch = length * operand.group, leading * operand.group * size
    return MatrixAccess(at.space, at.offset, lines, length, size, pitch, at.value, at.row, at.column, **more)


Places = Callable[[str, bool], "At | None"]
"""Return the place of an operand, by its name and whether it is written; None for one that nothing writes."""


def steps_of(
    code: Any, places: Places, name: str, rows: int | None = None, own: tuple[MatrixAccess, ...] = ()
) -> Iterator[PlacedStep]:
    """Yield the steps of a walk. rows: its number of rows, if that is not the plan's; own: its scratch memory."""
    if isinstance(code, FusedPlan):
        yield from _Passes(code, places, name, rows, own).steps()
    else:
        yield _one(code, places, name, rows, own)


class _Walked:
    """The accesses of one walk."""

    def __init__(self, code: Any, places: Places, rows: int | None) -> None:
        self.code, self.spec, self.places = code, code.spec, places
        self.m = code.spec.m if rows is None else rows
        self.vector = code.vector if isinstance(code, (EltwisePlan, FusedPlan)) else 0
        held = (*code.per_row, *getattr(code, "stored", ())) if isinstance(code, (EltwisePlan, FusedPlan)) else ()
        self.across = set(map(str, held))

    def rows_of(self, operand: Operand) -> int:
        """Return the rows of an operand that the walk accesses."""
        return self.m if operand.rows == self.spec.m and self.spec.m > 1 else operand.rows

    def read(self, operand: Operand, before: tuple[int, ...] | None = None) -> list[MatrixAccess]:
        """Return the read of an operand, if some step writes it."""
        at = self.places(operand.name, False)
        if at is None:
            return []
        rows = self.rows_of(operand)
        across = operand.columns == 1 < self.spec.n
        whole = across and not (operand.name in self.across or 0 < self.spec.n <= self.vector)
        turned = operand.view.order == "F" or not self.vector and not isinstance(self.code, ColumnsPlan)
        if whole or turned or (rows == 1 < self.m):
            return [access(operand, at, rows, when=THROUGHOUT)]
        return [access(operand, at, rows, across=across, before=before, when=FORWARD)]

    def write(self, operand: Operand) -> list[MatrixAccess]:
        """Return the write of a result."""
        at = self.places(operand.name, True)
        rows = self.rows_of(operand)
        moved = operand.view.order == "F" or (rows == 1 < self.m)
        return [] if at is None else [access(operand, at, rows, when=THROUGHOUT if moved else IN_TURN)]


def _one(code: Any, places: Places, name: str, rows: int | None, own: tuple[MatrixAccess, ...]) -> PlacedStep:
    """Return an elementwise walk, or one in strips, as a step."""
    walk, spec = _Walked(code, places, rows), code.spec
    every = expressions(spec.program)
    operands = {each.name: each for each in spec.inputs}
    reads: list[MatrixAccess] = []
    for each in operands.values():
        reads += walk.read(each, None if len(every) == 1 or each.name in spec.in_place else _before(each.name, every))
    writes = [access for y in spec.outputs for access in walk.write(y)]
    return PlacedStep(name, tuple(reads), tuple(writes), own)


def _before(name: str, results: Sequence[Expr]) -> tuple[int, ...]:
    """Return the numbers of the results that need all expressions which use an input: code cannot store them before it
    has read the input for the last time."""
    users = {each for each in ordered(results) if any(arg.op == "input" and arg.value == name for arg in each.args)}
    return tuple(number for number, each in enumerate(results) if users <= set(ordered([each])))


class _Passes(_Walked):
    """The passes of a fused kernel over its rows, as steps over all rows. A row is finished before the next but one
    begins, so bytes that steps share must belong to the same row; the first step checks that."""

    def __init__(
        self, code: FusedPlan, places: Places, name: str, rows: int | None, own: tuple[MatrixAccess, ...]
    ) -> None:
        super().__init__(code, places, rows)
        self.name, self.own = name, own
        self.inputs = {x.name: x for x in self.spec.inputs}
        # results in whose memory kept elements wait; None: in registers, or in scratch memory
        self.kept = [None if each.name in code.banks else each.result for each in self.spec.passes.kept]

    def steps(self) -> Iterator[PlacedStep]:
        """Yield a step for each part, in order."""
        parts = self.code.parts
        first = [*self.code.per_row, *self.code.loop_invariant]
        yield PlacedStep(f"{self.name}, start of each row", tuple(self._reads(first)), (), self.own)
        for number, part in enumerate(parts):
            if hasattr(part, "step"):
                values, results, kept = part.cut.values, part.cut.results, part.cut.kept
            else:
                values, results, kept = part.cut.everything, part.cut.results, ()
            held = [*self.code.per_row, *self.code.loop_invariant]
            names = [each for each in inputs_of(values) if each not in held]
            writes = [access for at, _ in results for access in self._write_of(at)]
            writes += [
                access._replace(value=self._kept(at))
                for at, _ in kept
                if self.kept[at] is not None
                for access in self.write(self.spec.outputs[self.kept[at]])
            ]
            text = f"{self.name}, part {number}" if len(parts) > 1 else self.name
            yield PlacedStep(text, tuple(self._reads(names)), tuple(writes))

    def _write_of(self, number: int) -> list[MatrixAccess]:
        y = self.spec.outputs[number]
        found = self.write(y)
        return [each._replace(when=THROUGHOUT) for each in found] if number in self.spec.column_sums else found

    def _kept(self, number: int) -> str:
        return f"{KEPT}{number} of {self.name}"

    def _reads(self, names: Sequence[str]) -> list[MatrixAccess]:
        found: list[MatrixAccess] = []
        for name in names:
            if name in self.inputs:
                found += self.read(self.inputs[name])
            elif name.startswith(KEPT) and (result := self.kept[int(name.removeprefix(KEPT))]) is not None:
                y = self.spec.outputs[result]
                kept = self._kept(int(name.removeprefix(KEPT)))
                found += [each._replace(value=kept, when=FORWARD) for each in self.write(y)]
        return found


def whole(places: Mapping[str, At]) -> Places:
    """Return the places of operands from a mapping."""
    return lambda name, written: places.get(name)
