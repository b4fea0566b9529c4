"""Elementwise kernels whose operands have different orders, block by block through scratch memory.

    for blocks of rows:   scratch = f(x, ...), then y = scratch in its layout          or
                          scratch = x in the order of the other operands, then y = f(scratch, ...)

Both halves are planned like separate kernels, so elements move in their narrowest type: shuffles of bytes take a
quarter of the time of shuffles of f32. A block stays in L1.
"""

from __future__ import annotations

from dataclasses import replace

from ..contract.machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..operands import CACHE_LINE, Operand, View
from ..transform import candidates as transforms
from ..transform.spec import TransformSpec
from ..transform.strides import StridedMatrix
from . import orders
from . import plan as walks
from .composed_plan import SPILLED, ComposedPlan, ComposedStep, InBuffer, StepLoop
from .mirror import mirrored
from .orders import ReorderedInput
from .plan import EltwisePlan
from .spec import EltwiseSpec

BLOCKS = "block by block through scratch memory"
"""The way that this module plans."""
BLOCK = "a block"
"""The buffer of the block that is computed or moved."""
_MOST_BYTES = SCRATCH_LIMIT // 2  # of a block in scratch memory: at most half of an L1 of 64 KiB
_MOST_ROWS, _LEAST_ROWS = 1 << 10, 1 << 4
_GENERALS = 3  # the most inputs whose pointers have general registers


def plan(spec: EltwiseSpec, facts: Facts, moved: ReorderedInput) -> ComposedPlan:
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
    whole, last = (_steps(transposed, facts, moved, end, each, leading) for each in (rows, rest))
    walks = [step.plan for step in (*whole * bool(blocks), *last * bool(rest)) if isinstance(step.plan, EltwisePlan)]
    spilled = max(walk.code.slots for walk in walks) * facts.widths[0] // 8
    at = -(-spilled // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
    over = {each.name: (InBuffer(each.name), _step(transposed, each, rows)) for each in transposed.operands}
    steps = [StepLoop(blocks, whole, over if blocks > 1 or rest else {})] if blocks else []
    steps += [StepLoop(1, last, {})] if rest else []
    scratch = at + (rows if blocks else rest) * leading * size
    places = {SPILLED: 0, BLOCK: at} if at else {BLOCK: 0}
    return ComposedPlan(spec, tuple(steps), places, scratch, way=BLOCKS)


def _step(transposed: EltwiseSpec, operand: Operand, rows: int) -> int:
    """Return the bytes from a block of an operand to the next one."""
    where, size, leading = transposed.layout_of(operand), ELEMENT_BYTES[operand.dtype], operand.view.leading
    assert isinstance(leading, int)
    if not where:
        return leading * size * (rows if operand.rows > 1 else 0)
    matrix = StridedMatrix(orders.memory(where, size), transposed.m, transposed.n, size, size)
    step = matrix.stride("i", rows)
    return step.bytes + step.leading * leading * size


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


def _steps(
    transposed: EltwiseSpec, facts: Facts, moved: ReorderedInput, end: Operand, rows: int, leading: int
) -> tuple[ComposedStep, ...]:
    """Return the expression and the move of a block of so many rows; none for 0."""
    if not rows:
        return ()
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
    at = {each.name: InBuffer(BLOCK if each.name == end.name else each.name) for each in transposed.operands}
    compute = ComposedStep.walk(walks.plan(walk, facts), at)
    sides = InBuffer(BLOCK), InBuffer(end.name)
    moves = ComposedStep.transform(transforms.plan(move, facts), *(sides if moved.at_loads else sides[::-1]))
    return (compute, moves) if moved.at_loads else (moves, compute)


def _block(transposed: EltwiseSpec, operand: Operand, end: Operand, rows: int, leading: int) -> Operand:
    """Return an operand of the expression for one block."""
    if operand.name == end.name:
        return Operand(operand.name, rows, transposed.n, View("C", leading), operand.dtype, operand.output)
    if transposed.layout_of(operand):
        return Operand(operand.name, rows, transposed.n, View("C", operand.view.leading), operand.dtype, operand.output)
    return operand._replace(rows=rows) if operand.rows > 1 else operand
