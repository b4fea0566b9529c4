"""The plan of an elementwise kernel whose columns are contiguous and have a length that is given at the call.

    for each column:
        while enough elements are left:     several whole vectors
        while enough elements are left:     one whole vector
        the remainder:                      one masked vector, or vectors of half, a quarter, ... the elements, or a
                                            whole vector in scratch memory, where single elements are copied to and from

If the matrices of a call have no gaps between their columns, and no operand distinguishes the columns, all columns are
processed as one. A column is processed once, from its first element to its last, as in a kernel for a fixed number of
rows. Blocks of rows (plan.py) would go through memory in short pieces and need code for each block.

Row-major matrices without gaps between their rows are also one column of all elements, if no operand distinguishes the
rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ..choice import Refusal, Way, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise import pipeline as elementwise
from ..eltwise.mirror import mirrored
from ..eltwise.orders import moved
from ..eltwise.plan import BYTE, EltwisePlan
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..fused.inside import scratch_bytes_of
from ..fused.spec import FusedSpec
from ..operands import RUNTIME, Operand, View
from .plan import DynamicColumns, RowBlock, RowwisePlan
from .spec import Request

WAY = "columns of a dynamic length"
MOST_GENERALS = 28
"""The most general registers that a kernel may need. A machine that has fewer keeps the least used values in the stack
frame (machines/spilled/)."""
HELD_GENERALS = 14
"""The general registers that every machine has. Ways that need more than another, to save code or memory, need no more
than these."""
LEAST_MASKED = 4
"""The minimum number of elements per vector for which the remainder is one vector, masked with a count from the call.
In shorter vectors the mask would only ever select a single element."""


def candidates(spec: Request, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield the only way, or the reason why there is none."""
    reason = _reason(spec)
    if reason:
        yield refused(WAY, reason)
    else:
        yield Way(WAY, partial(_planned, spec, facts))


def _reason(spec: Request) -> str:
    """Explain why whole columns cannot be processed; an empty string if they can."""
    request = spec.likely
    if not isinstance(request, EltwiseSpec) or isinstance(request, FusedSpec):
        return "rows of a block are dynamic"
    if not spec.by_columns:
        return "" if _is_dense(request) else "rows have gaps between them, or something tells them from each other"
    if moved(request) is not None:
        return "matrices of two orders"
    return too_many_generals(mirrored(request))


def _is_dense(request: EltwiseSpec) -> bool:
    """Whether every operand is a row-major matrix without gaps between its rows or a single element, and no result
    depends on the row or column."""
    if request.layouts or request.placed:
        return False

    def whole(each: Operand) -> bool:
        columns = request.n // BYTE if each.name in request.bits else request.n
        return (each.rows, each.columns, each.view) == (request.m, columns, View("C", columns))

    dense = all(each.rows == each.columns == 1 or whole(each) for each in request.operands)
    loops = len(("elements left", "columns left", "elements", "elements behind whole vectors"))
    values = len(request.operands) + len(request.numbers) + sum(each.name in request.bits for each in request.outputs)
    return dense and values + loops <= HELD_GENERALS


def too_many_generals(request: EltwiseSpec, slots: int = 0, scratch: bool = False) -> str:
    """Explain why pointers and strides do not fit into the general registers beside the counters; an empty string if
    they fit. slots: the slots of scratch memory, whose address takes a register too. scratch: whether the remainder is
    processed in scratch memory, whose address takes another."""
    wide = sum(each.view.leading is RUNTIME or not request.narrow(each) for each in request.operands)
    loops = len(("elements left", "columns left", "elements", "elements behind whole vectors"))
    needed = len(request.operands) + wide + loops + (slots > 0) + scratch
    return f"{needed} general registers, more than {MOST_GENERALS}" if needed > MOST_GENERALS else ""


def _vector(request: EltwiseSpec, facts: Facts) -> int:
    """Return the number of elements per vector, which the widest type among operands and arithmetic determines."""
    return facts.widths[0] // 8 // max(sizes_of(request))


def sizes_of(request: EltwiseSpec) -> list[int]:
    """Return the element sizes, in bytes, of the arithmetic and of each operand."""
    return [ELEMENT_BYTES[dtype] for dtype in (request.compute, *(each.dtype for each in request.operands))]


def of_columns(spec: Request, code: EltwisePlan, columns: DynamicColumns, facts: Facts) -> RowwisePlan:
    """Return the plan of columns in this code. Parts of a call whose rows form one column begin at whole vectors."""
    rows = max(1, columns.step * columns.vector // max(1, columns.row))
    return RowwisePlan(spec, (RowBlock(rows, code),), scratch_bytes_of(code, facts), remainder=columns)


def _planned(spec: Request, facts: Facts) -> RowwisePlan:
    request = spec.likely
    assert isinstance(request, EltwiseSpec)
    vector, tuning = _vector(request, facts), facts.tuning.rowwise
    if not spec.by_columns:
        return _of_rows(spec, request, facts, vector)
    step = tuning.vectors_of_joined_columns if joins(request) else tuning.vectors_of_columns
    block = spec.of(step * vector + vector - 1)
    assert isinstance(block, EltwiseSpec)
    code = elementwise.planned(block, facts)
    assert isinstance(code, EltwisePlan) and code.vector == vector and code.columns == block.m
    reason = too_many_generals(mirrored(request), code.code.slots)
    if reason:
        raise UnsupportedError(reason)
    masked = vector >= LEAST_MASKED and facts.counts_lanes(sizes_of(request))
    apart = 0 if masked else aside(code, facts, tuning.instructions_of_a_copy)
    return of_columns(spec, code, DynamicColumns(vector, min(step, code.code.unroll), masked, aside=apart), facts)


def aside(code: EltwisePlan, facts: Facts, least: int) -> int:
    """Return the number of elements of a vector in scratch memory, or 0. There is one if the code of a vector is much
    longer than the copies of single elements, if the narrowest register has several elements, and if a general register
    is left for the address. least: the least number of instructions for each operand."""
    elements = facts.widths[-1] // 8 // max(sizes_of(code.spec))
    wide = sum(not code.spec.narrow(each) for each in code.spec.operands)
    parts = code.vector // max(1, elements)  # a vector of them may take as many times the instructions
    long = code.code.instructions >= least * wide * parts
    fits = not too_many_generals(code.spec, code.code.slots, scratch=True)
    return elements if long and fits and elements >= LEAST_MASKED else 0


def _of_rows(spec: Request, request: EltwiseSpec, facts: Facts, vector: int) -> RowwisePlan:
    """Plan all rows, which have no gaps between them, as one column."""
    step = facts.tuning.rowwise.vectors_of_joined_columns
    alone = max(1, BYTE // vector) if request.bits else 1
    if request.bits and request.n % (alone * vector):
        raise UnsupportedError(f"rows of {request.n} bits do not end with vectors of {alone * vector}")
    columns = step * vector + (vector - 1) * (request.n % vector > 0)

    def longer(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        lengths = [columns // BYTE if each.name in request.bits else columns for each in operands]
        return tuple(
            each if each.columns == each.rows == 1 else each._replace(rows=1, columns=length, view=View("C", length))
            for each, length in zip(operands, lengths)
        )

    block = replace(request, m=1, n=columns, inputs=longer(request.inputs), outputs=longer(request.outputs))
    code = elementwise.planned(block, facts)
    assert isinstance(code, EltwisePlan) and code.vector == vector and code.columns == columns
    masked = vector >= LEAST_MASKED and facts.counts_lanes(sizes_of(request))
    step = min(step, code.repeats * code.code.unroll)
    return of_columns(spec, code, DynamicColumns(vector, step, masked, request.n, alone=alone), facts)


def joins(request: EltwiseSpec) -> bool:
    """Whether each operand is a matrix or a single element."""
    return all(min(each.rows, each.columns) > 1 or each.rows == each.columns for each in request.operands)
