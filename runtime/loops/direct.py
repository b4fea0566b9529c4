"""Calls of nests and regions through machine code: the checks of arrays, the number of threads, scratch memory.

An object is called through Python until its first call has succeeded. Then its native type has an entry whose guards
check the arrays, as those of kernels do. Calls that the entry does not take, such as those with names, with lists or
with wrong arrays, go through Python again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...microkernels.operands import Axes, Number, Operand, View
from ..fastcall import guards
from ..fastcall.guards_array import Builder
from ..threads import called
from ..threads.called_code import JobTable
from .job import Job, JobKernel
from .scratch import KEPT, slots
from .trace import NestMatrix, NestOperand


def install(
    of: JobKernel,
    job: Job,
    operands: Sequence[NestOperand],
    written: Sequence[str],
    scratch: tuple[int, int],
    workers: int | None,
    cycles: int,
    claims: bool,
    slow: Callable[..., None],
) -> bool:
    """Let machine code handle the calls of an object of a native type, and return whether it does.

    scratch   the bytes of scratch memory: of all workers, of each
    workers   their number; None: as many as `num_threads` says at the call
    cycles    the time of a call on one thread
    claims    whether workers claim iterations
    slow      the call through Python
    """
    places, first = tuple(range(len(operands))), len(operands)
    # without scratch memory, the word for it is behind the barrier's, where nothing reads it
    shared, own, team = (first, first + 1, first + 2) if any(scratch) else (None, first + 2 + claims, first)
    table = JobTable(places, shared, own, team, claims=claims)
    slow.keep = job.block  # type: ignore[attr-defined]
    made = called.Called(job.block.address, cycles, workers, *scratch, slots(), KEPT, table)
    return called.install(of, _structure(operands, written), made, of.target, slow)


def _structure(operands: Sequence[NestOperand], written: Sequence[str]) -> tuple[guards.CallEntry, list[int]] | None:
    """Return the structure of calls with contiguous arrays."""
    builder = Builder(guards.RELEASE_ABOVE, False, {})
    matrices: list[NestMatrix] = []
    for position, each in enumerate(operands):
        if isinstance(each, NestMatrix):
            matrices.append(each)
            builder.array(position, _operand(each, each.name in written), Axes(each.shape[:-2]))
        else:
            builder.number(position, Number(each.name))
    outputs = [each for each in matrices if each.name in written]
    others = [each for each in matrices if each.name not in written]
    for at, output in enumerate(outputs):
        for other in (*others, *outputs[at + 1 :]):
            builder.no_alias(_whole(output), _whole(other))
    return builder.entry([each.name for each in operands], "always")


def _operand(matrix: NestMatrix, written: bool) -> Operand:
    """Return the last two axes of an array as an operand, or its only axis as a vector."""
    rows, columns = (1, *matrix.shape)[-2:]
    return Operand(matrix.name, rows, columns, View("C", columns), matrix.dtype, written, vector=len(matrix.shape) == 1)


def _whole(matrix: NestMatrix) -> Operand:
    """Return all elements of an array as a vector."""
    count = matrix.bytes // matrix.size
    return Operand(matrix.name, 1, count, View("C", count), matrix.dtype, vector=True)
