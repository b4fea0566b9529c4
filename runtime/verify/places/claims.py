"""Scratch memory as kernels claim it, and the steps of products whose factors lie in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ....encoder.records import NamedTuple
from ....microkernels.contract.machine import SCRATCH_ALIGNMENT
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.gemm.plan import GemmPlan, scratch_sizes
from ....microkernels.transform.plan import TransformPlan
from .chains import SCRATCH
from .memory import IN_TURN, THROUGHOUT, MatrixAccess, PlacedStep

_TOP = 1 << 30
_BEYOND = 4096
"""Bytes of the stack on both sides of scratch memory whose overwriting is noticed."""


class Claims:
    """Scratch memory as a kernel claims it part by part. Every claim lies below the one before it, with the bytes of
    its alignment between them. These bytes, and those around all claims, must never change."""

    def __init__(self) -> None:
        self.parts: list[tuple[int, int]] = []  # offset and bytes

    def claim(self, size: int) -> int:
        """Return the offset of the next `size` bytes."""
        above = self.parts[-1][0] if self.parts else _TOP
        start = above - -(-size // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT - SCRATCH_ALIGNMENT
        self.parts.append((start, size))
        return start

    @property
    def between(self) -> tuple[MatrixAccess, ...]:
        """The bytes that do not belong to any claim."""
        ends = [_TOP + _BEYOND, *(start for start, _ in self.parts)]
        lowest = ends[-1]
        gaps = [(start + size, end) for (start, size), end in zip(self.parts, ends)]
        gaps.append((lowest - _BEYOND, lowest))
        return tuple(
            MatrixAccess(SCRATCH, start, 1, end - start, 1, end - start, f"the stack beside claim {number}")
            for number, (start, end) in enumerate(gaps)
            if end > start
        )

    def around(self, steps: Iterator[PlacedStep]) -> Iterator[PlacedStep]:
        """Yield the steps between a write and a read of the bytes that do not belong to any claim."""
        every = list(steps)
        yield PlacedStep("the stack", (), self.between)
        yield from every
        yield PlacedStep("the caller", self.between, ())


class PlacedFactor(NamedTuple):
    """Where a product finds its factor: the place of the first matrix of a batch.

    value     the name of the value that all matrices are, one after the other
    distance  bytes between two matrices; None: as the product's plan says
    values    the names of the matrices, if each is a value of its own
    """

    offset: int
    value: str
    distance: int | None = None
    values: Sequence[str] = ()


def packed(plan: TransformPlan, offset: int, value: str, first: int = 0) -> MatrixAccess:
    """Return the write of a transformed matrix. first: the number of its first line."""
    y = plan.spec.arguments[1]
    size, leading = ELEMENT_BYTES[y.dtype], plan.spec.ldy
    assert isinstance(leading, int)
    return MatrixAccess(SCRATCH, offset, y.rows, y.columns, size, leading * size, value, first)


def lines_of(plan: GemmPlan, name: str) -> tuple[int, int, int, int]:
    """Return the lines of a factor of a product, their elements, the bytes of an element, and those between lines."""
    p = plan.product
    of_a = p.a.argument == name
    operand = p.a if of_a else p.b
    depth = p.unit.step if p.unit else 1
    missing = (depth - p.rest) // max(1, depth // operand.steps) if p.rest else 0
    along = p.k * operand.steps - missing
    across = -(-(p.m if of_a else p.n) // operand.across)
    lines, length = (along, across) if (operand.order == "F") == of_a else (across, along)
    size = ELEMENT_BYTES[plan.spec.dtypes["ab".index(name)]]
    assert isinstance(operand.leading, int)
    return lines, length * operand.place // size, size, operand.leading * operand.place


def factor(plan: GemmPlan, name: str, at: PlacedFactor, pairs: int) -> tuple[MatrixAccess, ...]:
    """Return the reads of the factor `name` of a product: every matrix of a batch, at any time."""
    lines, columns, size, pitch = lines_of(plan, name)
    operand = plan.product.a if plan.product.a.argument == name else plan.product.b
    distance: Any = at.distance if at.distance is not None else operand.distance
    distance = distance * operand.place if at.distance is None and isinstance(distance, int) else distance
    if plan.product.pairs == 1 and pairs > 1:  # one long k
        lines, distance = lines // pairs, lines // pairs * pitch
    found = []
    for number in range(pairs):
        value, row = (at.values[number], 0) if at.values else (at.value, number * lines)
        found.append(
            MatrixAccess(
                SCRATCH,
                at.offset + (number * distance if number else 0),
                lines,
                columns,
                size,
                pitch,
                value,
                row,
                when=THROUGHOUT,
            )
        )
    return tuple(found)


def result(plan: GemmPlan, offset: int, value: str, space: str = SCRATCH) -> MatrixAccess:
    """Return the access to the result of a product. A leading dimension that is given at the call is that of C, which
    no step reads but by the same rows, so rows without gaps stand for it."""
    p, size = plan.product, ELEMENT_BYTES[plan.spec.dtypes[2]]
    leading = p.c.leading if isinstance(p.c.leading, int) else p.m
    return MatrixAccess(space, offset, p.n, p.m, size, leading * p.c.place, value, when=IN_TURN)


def tiles_of(plan: GemmPlan, offset: int) -> tuple[MatrixAccess, ...]:
    """Return a product's own scratch memory for tiles."""
    size = sum(scratch_sizes(plan))
    return (MatrixAccess(SCRATCH, offset, 1, size, 1, size, ""),) if size else ()
