"""Calls of nests and regions through machine code: the checks of arrays, the number of threads, scratch memory.

An object is called through Python until its first call has succeeded. Then its native type has an entry whose guards
check the arrays, as those of kernels do. Calls that the entry does not take, such as those with names, with lists or
with wrong arrays, go through Python again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from ...microkernels.operands import Number, Operand, View
from ..arguments.matrices import Axes
from ..fastcall import guards
from ..fastcall.guards_array import Builder
from ..threads import called
from .scratch import KEPT, slots
from .trace import GivenNumber, Matrix

if TYPE_CHECKING:
    from .loop_kernel import LoopKernel


def install(of: LoopKernel) -> bool:
    """Let machine code handle the calls of an object of a native type, and return whether it does."""
    structure, itself, kind = _structure(of), ref(of), type(of).__mro__[1]
    places, (shared, own) = tuple(range(len(of.operands))), of.scratch
    first = len(places)
    if any(of.scratch):
        table = called.JobTable(places, first, first + 1, first + 2)
    else:  # a word behind the barrier's two is not read
        table = called.JobTable(places, None, first + 2, first)

    def slow(*args: Any, **named: Any) -> None:
        kind.__call__(itself(), *args, **named)

    slow.keep = of.job.block  # type: ignore[attr-defined]
    workers = of.threads if of.parallel else 1
    made = called.Called(of.job.block.address, of.cycles, workers, shared, own, slots(), KEPT, table)
    return called.install(of, structure, made, of.target, slow)


def _structure(of: LoopKernel) -> tuple[guards.Entry, list[int]] | None:
    """Return the structure of calls with contiguous arrays, or None if Python checks what is in them."""
    if of.bounds:
        return None
    builder = Builder(guards.RELEASE_ABOVE, False, {})
    for position, each in enumerate(of.operands):
        if isinstance(each, GivenNumber):
            builder.number(position, Number(each.name))
        else:
            builder.array(position, _operand(each, each.name in of.written), Axes(each.shape[:-2]))
    written = [each for each in of.matrices if each.name in of.written]
    others = [each for each in of.matrices if each.name not in of.written]
    for at, output in enumerate(written):
        for other in (*others, *written[at + 1 :]):
            builder.apart(_whole(output), _whole(other))
    return builder.entry([each.name for each in of.operands], "always")


def _operand(matrix: Matrix, written: bool) -> Operand:
    """Return the last two axes of an array as an operand, or its only axis as a vector."""
    rows, columns = (1, *matrix.shape)[-2:]
    return Operand(matrix.name, rows, columns, View("C", columns), matrix.dtype, written, vector=len(matrix.shape) == 1)


def _whole(matrix: Matrix) -> Operand:
    """Return all elements of an array as a vector."""
    count = matrix.bytes // matrix.size
    return Operand(matrix.name, 1, count, View("C", count), matrix.dtype, vector=True)
