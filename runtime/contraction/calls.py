"""Calls of contractions by machine code, which checks arrays of known shapes and layouts and passes them on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ..arguments.arrays import numpy_dtype
from ..fastcall.guards import RELEASE_ABOVE, NoAlias
from ..fastcall.guards_array import Builder
from ..kernel.callable import LONG
from ..loops.job import Job, JobKernel
from ..loops.scratch import KEPT, slots
from ..threads import called
from ..threads.called_code import JobTable
from .nest import EXTRAS, OWN, A, B, C

if TYPE_CHECKING:
    from .kernel import Contracted


class CallArray(NamedTuple):
    """An array that every call passes: its name, element type, shape, and strides in elements."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def native_calls(
    kernel: Contracted,
    arrays: Sequence[CallArray],
    in_place: Collection[str] = (),
    threads: int | None = None,
) -> Callable[..., object] | None:
    """Return an object whose calls machine code handles, or None: `f(a, panels, c, *more)` returns None if it has
    computed, and anything else if Python is to look at the arguments.

    arrays     A, the panels of B, C, and the further operands
    in_place   further operands that may be the array of C
    """
    more = range(EXTRAS, kernel.barrier)
    table = JobTable((A, B, C, *more), None, OWN if kernel.bytes_own else kernel.barrier + 2, kernel.barrier)
    return _called(kernel, kernel.job, table, (0, kernel.bytes_own), arrays, in_place, threads)


def packing_calls(
    kernel: Contracted,
    arrays: Sequence[CallArray],
    in_place: Collection[str] = (),
    threads: int | None = None,
) -> Callable[..., object] | None:
    """Return such an object for calls with B as it lies, which the job packs first; None if it has no kernels to."""
    found = kernel.packing(arrays[1].strides)
    if found is None:
        return None
    more = range(EXTRAS, kernel.barrier)
    table = JobTable((A, kernel.barrier + 2, C, *more), B, OWN, kernel.barrier)
    return _called(kernel, found.job, table, (kernel.bytes_panels, found.own), arrays, in_place, threads)


def _called(
    kernel: Contracted,
    job: Job,
    table: JobTable,
    scratch: tuple[int, int],
    arrays: Sequence[CallArray],
    in_place: Collection[str],
    threads: int | None,
) -> Callable[..., object] | None:
    """Return the object for a job. scratch: bytes of scratch memory, those that are shared and those of each worker."""

    def install(target: object, slow: Callable[..., object]) -> bool:
        slow.keep = job.block  # type: ignore[attr-defined]
        builder, result = Builder(RELEASE_ABOVE, False, {}), arrays[2].name
        spans = {}
        for position, each in enumerate(arrays):
            dtype = numpy_dtype(each.dtype)
            steps = [step * dtype.itemsize for step in each.strides]
            spans[each.name] = builder.laid(position, each.name, dtype, each.shape, steps, each.name == result)
        for name in spans:
            if name != result:
                builder.add(NoAlias(spans[result], spans[name], name in in_place))
        cycles = int(kernel.plan.cycles)
        structure = builder.entry([each.name for each in arrays], "always" if cycles > LONG else "never")
        made = called.Called(job.block.address, cycles, threads, *scratch, slots(), KEPT, table)
        return called.install(target, structure, made, kernel.target, slow)

    found: Callable[..., object] | None = called.inner(JobKernel, install)
    return found
