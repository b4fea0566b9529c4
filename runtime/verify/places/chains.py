"""The steps of traced functions with products: bands of rows, and blocks of columns inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from ....encoder.records import NamedTuple
from ....microkernels.chain.back_to_back import BackToBack
from ....microkernels.chain.cut import ElementwiseStage, StageProduct, TransposeStage
from ....microkernels.chain.parts import PlannedStage
from ....microkernels.chain.plan import ChainPlan
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.operands import Operand
from .elements import At, steps_of
from .memory import IN_TURN, THROUGHOUT, MatrixAccess, PlacedStep

SCRATCH = "scratch memory"
_TWICE = 2
"""The iterations of a loop that are walked: the second one meets what the first one left."""


class Around(NamedTuple):
    """What a chain has around it: the rows that an index locates, and where a read of a row out of bounds goes."""

    zeros: MatrixAccess | None = None
    dump: MatrixAccess | None = None
    found: tuple[str, ...] = ()


NOTHING = Around()


def steps_of_chain(plan: ChainPlan, around: Around = NOTHING, first: int = 0) -> Iterator[PlacedStep]:
    """Yield the steps of some bands of rows, from row `first` on."""
    at = first
    for rows, times, parts in _bands(plan):
        for _ in range(min(times, _TWICE)):
            yield from _Band(plan, around, at, rows).steps(parts)
            at += rows
    yield from _results(plan, first, at)


def _bands(plan: ChainPlan) -> list[tuple[int, int, tuple[PlannedStage, ...]]]:
    if not plan.dynamic:
        return plan.blocks
    lengths = [(plan.rows, 1), *[(plan.half, 1)] * bool(plan.half), (plan.least, 1)]
    return [(rows, times, plan.whole) for rows, times in lengths]


def _results(plan: ChainPlan, first: int, end: int) -> Iterator[PlacedStep]:
    """Yield the read of every result by the caller."""
    spec = plan.spec
    last = {band.stored: band.name for stage in spec.stages for band in stage.makes if band.stored is not None}
    reads = []
    for number, y in enumerate(spec.outputs):
        if y.name not in spec.sums and y.name not in spec.by_index:
            pitch = int(y.view.leading) * ELEMENT_BYTES[y.dtype]  # type: ignore[arg-type]
            reads.append(
                MatrixAccess(
                    y.name, first * pitch, end - first, y.columns, ELEMENT_BYTES[y.dtype], pitch, last[number], first
                )
            )
    yield PlacedStep("the caller", tuple(reads), ())


class _Band:
    """The steps of one band."""

    def __init__(self, plan: ChainPlan, around: Around, first: int, rows: int) -> None:
        self.plan, self.spec, self.around, self.first, self.rows = plan, plan.spec, around, first, rows
        self.outputs = {y.name: y for y in plan.spec.outputs}
        self.version: dict[str, int] = {}  # the block of columns of the bands that exist one block at a time
        room = MatrixAccess(SCRATCH, plan.bytes_of_bands, 1, plan.scratch_bytes, 1, plan.scratch_bytes, "")
        self.own = (room,) if plan.scratch_bytes else ()

    def steps(self, parts: Sequence[PlannedStage]) -> Iterator[PlacedStep]:
        """Yield the steps of these parts."""
        for part in parts:
            yield from self._part(part)

    def _part(self, part: PlannedStage) -> Iterator[PlacedStep]:
        stage = part.stage
        if isinstance(stage, BackToBack):
            yield from self._back_to_back(stage, part.code)
        elif isinstance(stage, StageProduct) and part.then is not None:
            yield self._on_sums(stage, part)
        elif isinstance(stage, StageProduct):
            yield self._product(stage, part.code.spec)
        else:
            yield from self._elementwise(stage, part)

    def _back_to_back(self, stage: BackToBack, plan: Any) -> Iterator[PlacedStep]:
        yield from self._part(plan.zero)
        number = count()
        for _, times, parts in plan.blocks:
            for _ in range(min(times, _TWICE)):
                self.version |= dict.fromkeys((band.name for band in stage.inside), next(number))
                yield from self.steps(parts)
        self.version = {}

    def _value(self, name: str) -> str:
        return f"block {self.version[name]} of {name}" if name in self.version else name

    def _at(self, name: str, pitch: int) -> At | None:
        """Return the place of a band, or of an operand that a step writes, at this band of rows."""
        place = self.plan.place.get(name)
        if place is not None:
            return At(SCRATCH, place.offset, self._value(name), self.first)
        own = self.plan.stored.get(name, name)
        if own not in self.outputs or own in self.spec.by_index:
            return None
        if own in self.spec.sums:
            return At(own, 0, self._value(name))
        return At(own, self.first * pitch, self._value(name), self.first)

    def _matrix(self, name: str, columns: int, dtype: str, leading: Any, when: str) -> tuple[MatrixAccess, ...]:
        size = ELEMENT_BYTES[dtype]
        at = self._at(name, leading * size)
        if at is None:
            return ()
        return (
            MatrixAccess(at.space, at.offset, self.rows, columns, size, leading * size, at.value, at.row, when=when),
        )

    def _product(self, stage: StageProduct, spec: Any) -> PlacedStep:
        """Return a product: it reads all rows of its left factor for every block of columns that it stores."""
        left = self._matrix(stage.left, stage.inner, spec.dtypes[0], spec.leading[0], THROUGHOUT)
        band = self._matrix(stage.band.name, stage.band.columns, spec.dtypes[2], spec.leading[2], IN_TURN)
        return PlacedStep(str(stage), left + (band if stage.adds else ()), band, self.own)

    def _on_sums(self, stage: StageProduct, part: PlannedStage) -> PlacedStep:
        """Return a product whose sums pass through an expression of other operands before they are stored."""
        then, spec = part.then, part.code.spec
        assert then is not None
        reads = self._matrix(stage.left, stage.inner, spec.dtypes[0], spec.leading[0], THROUGHOUT)
        for extra, name in zip(then.extras, then.names):
            read = self._matrix(name, extra.columns, extra.dtype, extra.view.leading, IN_TURN)
            single = extra.columns < stage.band.columns
            reads += tuple(each._replace(when=THROUGHOUT) if single else each for each in read)
        made = then.elementwise.results[0][1]
        write = self._matrix(made.name, made.columns, spec.dtypes[2], spec.leading[2], IN_TURN)
        return PlacedStep(f"{stage}, then {then.elementwise}", reads, write, self.own)

    def _elementwise(self, stage: ElementwiseStage | TransposeStage, part: PlannedStage) -> Iterator[PlacedStep]:
        """Yield the steps of a walk over elements, or the transpose of an operand."""
        spec, found = part.code.spec, {*self.around.found}
        bands = [stage.band] if isinstance(stage, TransposeStage) else [band for _, band in stage.results]
        named = {y.name: band.name for y, band in zip(spec.outputs, bands)}
        operands = {each.name: each for each in spec.operands}

        def places(name: str, written: bool) -> At | None:
            operand: Operand = operands[name]
            size, leading = ELEMENT_BYTES[operand.dtype], operand.view.leading
            pitch = leading * size if isinstance(leading, int) else 0
            return self._at(named.get(name, name) if written else name, pitch)

        own = self.own + (() if self.around.dump is None or found.isdisjoint(operands) else (self.around.dump,))
        for number, step in enumerate(steps_of(part.code, places, str(stage), self.rows, own)):
            zeros = self.around.zeros if not number and not found.isdisjoint(x.name for x in spec.inputs) else None
            yield step._replace(reads=step.reads + ((zeros,) if zeros is not None else ()))
