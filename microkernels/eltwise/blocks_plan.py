"""Elementwise kernels whose operands have different orders, block by block through scratch memory.

    for blocks of rows:   scratch = f(x, ...), then y = scratch in its layout          or
                          scratch = x in the order of the other operands, then y = f(scratch, ...)

Both halves are planned like separate kernels, so elements move in their narrowest type: shuffles of bytes take a
quarter of the time of shuffles of f32. A block stays in L1.
"""

from __future__ import annotations

from dataclasses import replace

from ...encoder.records import NamedTuple, dataclass
from ..choice import Plan
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..operands import CACHE_LINE, Operand, View
from ..transform import candidates as transforms
from ..transform.plan import TransformPlan, vectors
from ..transform.spec import TransformSpec
from . import orders
from . import plan as walks
from .mirror import mirrored
from .orders import ReorderedInput
from .plan import EltwisePlan
from .spec import EltwiseSpec

BLOCKS = "block by block through scratch memory"
"""The way that this module plans."""
_MOST_BYTES = SCRATCH_LIMIT // 2  # of a block in scratch memory: at most half of an L1 of 64 KiB
_MOST_ROWS, _LEAST_ROWS = 1 << 10, 1 << 4
_GENERALS = 3  # the most inputs whose pointers have general registers


class Half(NamedTuple):
    """A block of `rows` rows: the plans of the expression and of the move."""

    rows: int
    elementwise: EltwisePlan
    move: TransformPlan

    @property
    def cycles(self) -> float:
        """Estimated cycles of both, one after the other."""
        return self.elementwise.call_cycles + self.move.call_cycles


@dataclass(frozen=True)
class BlocksPlan(Plan):
    """The whole blocks and the last one. `transposed` is the request with rows along which the expression is
    computed."""

    spec: EltwiseSpec
    transposed: EltwiseSpec
    moved: ReorderedInput
    whole: Half | None
    blocks: int
    last: Half | None
    leading: int  # elements between rows of scratch memory

    @property
    def halves(self) -> tuple[Half, ...]:
        """The kinds of blocks."""
        return tuple(half for half in (self.whole, self.last) if half is not None)

    @property
    def scratch(self) -> int:
        """Bytes of a block."""
        half = self.halves[0]
        return half.rows * self.leading * ELEMENT_BYTES[half.move.spec.dtype]

    @property
    def spilled(self) -> int:
        """The most values that the expression spills to scratch memory at a time."""
        return max(half.elementwise.code.slots for half in self.halves)

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        whole = self.blocks * self.whole.cycles if self.whole else 0.0
        return whole + (self.last.cycles if self.last else 0.0)

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(max(half.elementwise.registers, vectors(half.move)) for half in self.halves)

    def __str__(self) -> str:
        half = self.halves[0]
        first, then = (
            (half.elementwise, half.move.details) if self.moved.at_loads else (half.move.details, half.elementwise)
        )
        sizes = f"{self.blocks} of {half.rows} rows" if self.whole else f"{half.rows} rows"
        last = f", {self.last.rows} rows" if self.whole and self.last else ""
        return f"{self.spec}\n{BLOCKS}: {sizes}{last}, {self.scratch} bytes\n{first}\nthen\n{then}"


def plan(spec: EltwiseSpec, facts: Facts, moved: ReorderedInput) -> BlocksPlan:
    """Return the plan. Raises UnsupportedError if there is none."""
    if any(not isinstance(each.view.leading, int) for each in spec.operands):
        raise UnsupportedError("leading dimensions are given at the call")
    if len(spec.inputs) > _GENERALS:
        raise UnsupportedError(f"more than {_GENERALS} inputs need pointers in addition to those of the blocks")
    moved = _narrow_side(spec, moved)
    x, y = next(each for each in spec.inputs if each.name == moved.given), spec.outputs[0]
    side = orders.in_memory(spec.layout_of(x if moved.at_loads else y))
    if side not in (orders.PLAIN, orders.TRANSPOSED):
        raise UnsupportedError("an expression needs x or y unpacked, in rows or columns")
    transposed = _transposed(spec) if side == orders.TRANSPOSED else spec
    if transposed is None:
        raise UnsupportedError("the packed layouts of the operands have no transposed form")
    end = next(each for each in transposed.operands if each.name == (y.name if moved.at_loads else x.name))
    size = ELEMENT_BYTES[end.dtype]
    line = CACHE_LINE // size
    leading = -(-transposed.n // line) * line
    rows = min(_MOST_ROWS, 1 << (_MOST_BYTES // (leading * size)).bit_length() >> 1)
    least = max(_LEAST_ROWS, orders.memory(transposed.layout_of(end), size).block("i"))
    if rows < min(least, transposed.m):
        raise UnsupportedError(f"{least} rows of {transposed.n} {end.dtype} exceed {_MOST_BYTES} bytes")
    blocks, rest = divmod(transposed.m, rows)
    whole, last = (
        _half(transposed, facts, moved, end, each, leading) if each else None for each in (rows if blocks else 0, rest)
    )
    return BlocksPlan(spec, transposed, moved, whole, blocks, last, leading, way=BLOCKS)


def _narrow_side(spec: EltwiseSpec, moved: ReorderedInput) -> ReorderedInput:
    """If both sides are possible, choose the side that leaves the narrower type to be moved."""
    x, y = next(each for each in spec.inputs if each.name == moved.given), spec.outputs[0]
    rows = {orders.in_memory(spec.layout_of(each)) for each in (x, y)} <= {orders.PLAIN, orders.TRANSPOSED}
    matrices = sum(bool(spec.layout_of(each)) for each in spec.inputs)
    if not rows or matrices > 1:
        return moved
    return moved._replace(at_loads=ELEMENT_BYTES[y.dtype] <= ELEMENT_BYTES[x.dtype])


def _transposed(spec: EltwiseSpec) -> EltwiseSpec | None:
    """Return the request of the transpose, in its own layouts, or None if these have no transposed form."""
    names = [orders.transposed(where) for where in spec.layouts]
    if None in names:
        return None
    transposed = mirrored(spec)
    kept = {each.name: each for each in spec.operands}
    operands = {
        each.name: each if not spec.layout_of(kept[each.name]) else kept[each.name] for each in transposed.operands
    }
    return replace(
        transposed,
        inputs=tuple(operands[x.name] for x in spec.inputs),
        outputs=tuple(operands[y.name] for y in spec.outputs),
        layouts=tuple(map(str, names)),
    )


def _half(transposed: EltwiseSpec, facts: Facts, moved: ReorderedInput, end: Operand, rows: int, leading: int) -> Half:
    """Return the plans of a block of `rows` rows."""
    walk = replace(
        transposed,
        m=rows,
        inputs=tuple(_block(transposed, x, end, rows, leading) for x in transposed.inputs),
        outputs=tuple(_block(transposed, y, end, rows, leading) for y in transposed.outputs),
        layouts=(),
    )
    there = orders.in_memory(transposed.layout_of(end))
    names = (orders.PLAIN, there) if moved.at_loads else (there, orders.PLAIN)
    ends = (leading, end.view.leading) if moved.at_loads else (end.view.leading, leading)
    move = TransformSpec(*names, rows, transposed.n, end.dtype, *ends)
    return Half(rows, walks.plan(walk, facts), transforms.plan(move, facts))


def _block(transposed: EltwiseSpec, operand: Operand, end: Operand, rows: int, leading: int) -> Operand:
    """Return an operand of the expression for one block."""
    if operand.name == end.name:
        return Operand(operand.name, rows, transposed.n, View("C", leading), operand.dtype, operand.output)
    if transposed.layout_of(operand):
        return Operand(operand.name, rows, transposed.n, View("C", operand.view.leading), operand.dtype, operand.output)
    return operand._replace(rows=rows) if operand.rows > 1 else operand
