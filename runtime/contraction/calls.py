"""Calls of contractions by machine code, which checks arrays of known shapes and layouts and passes them on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ..arguments.arrays import numpy_dtype
from ..fastcall.guards import RELEASE_ABOVE, NoAlias
from ..fastcall.guards_array import Builder
from ..kernel.callable import LONG
from ..loops.job import JobKernel
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

    def install(target: object, slow: Callable[..., object]) -> bool:
        slow.keep = kernel.job.block  # type: ignore[attr-defined]
        builder, result = Builder(RELEASE_ABOVE, False, {}), arrays[2].name
        spans = {}
        for position, each in enumerate(arrays):
            dtype = numpy_dtype(each.dtype)
            steps = [step * dtype.itemsize for step in each.strides]
            spans[each.name] = builder.laid(position, each.name, dtype, each.shape, steps, each.name == result)
        for name in spans:
            if name != result:
                builder.add(NoAlias(spans[result], spans[name], name in in_place))
        cycles, behind = int(kernel.plan.cycles), EXTRAS + len(arrays) - 3
        structure = builder.entry([each.name for each in arrays], "always" if cycles > LONG else "never")
        own = OWN if kernel.bytes_own else behind + 2
        table = JobTable((A, B, C, *range(EXTRAS, behind)), None, own, behind)
        made = called.Called(kernel.job.block.address, cycles, threads, 0, kernel.bytes_own, slots(), KEPT, table)
        return called.install(target, structure, made, kernel.target, slow)

    found: Callable[..., object] | None = called.inner(JobKernel, install)
    return found
