"""`Images`: pooling or resizing of arrays of given shapes, strides and types, as one job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, address_of, array_at, byte_bounds, numpy_dtype
from ..loops.blob import Blob
from ..loops.job import Job, JobKernel, Word, job_of, pointer, scratch, scratch_words
from ..loops.scratch import buffer
from ..loops.text import text
from .functions import number_type
from .nest import Form, Nest


class Images(JobKernel):
    """Pooling or resizing as a job, with addresses as arguments."""

    form: Form
    _stem = "images"

    def __init__(self, form: Form) -> None:
        self._keep(form=form, target=form.target)

    @cached_property
    def nest(self) -> Nest:
        """The loops, the memory of the workers, and the tables."""
        return Nest(self.form)

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        form = self.form
        asked = form.planes, form.axes, form.x, form.y, type(form.function).__name__, form.function, form.types
        return job_of(asked, self.nest.nodes, self.target, self._stem)

    @cached_property
    def tables(self) -> Array:
        """The numbers that kernels read."""
        nest = self.nest
        dtype = numpy_dtype(number_type(self.form.function, self.form.types[0]))
        size = max((place + len(each) * dtype.itemsize for place, each in nest.tables), default=0)
        made = bytes_at_a_line(max(64, size), zero=True)
        for place, each in nest.tables:
            made[place : place + len(each) * dtype.itemsize].view(dtype)[:] = each
        made.setflags(write=False)
        return made

    @cached_property
    def cycles(self) -> int:
        """Estimated cycles of one core: about a byte of x or of the result each."""
        total = self.form.planes[0] * self.form.planes[1]
        read = written = total
        for axis in self.form.axes:
            read, written = read * axis.extent, written * axis.results
        return (read * ELEMENT_BYTES[self.form.types[0]] + written * ELEMENT_BYTES[self.form.types[1]]) // 4

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def at(self, arrays: Sequence[Array], threads: int) -> None:
        """Compute on x, the result and, of `LargestAt`, the places."""
        x, y, *places = map(address_of, arrays)
        with buffer(threads * self.nest.own) as memory:
            self.job.run((x, y, memory.address, address_of(self.tables), *places), threads, cycles=self.cycles)

    def run(self, arrays: Sequence[Array], workers: int = 1, turns: int = 0) -> None:
        """Compute in the emulator, as `at` does, on any host."""
        memory = scratch(workers * self.nest.own)
        x, y, *places = map(address_of, arrays)
        words = (x, y, address_of(memory), address_of(self.tables), *places)
        regions = [
            ("x", _memory(arrays[0]), False),
            *((f"y{n}", _memory(each), True) for n, each in enumerate(arrays[1:])),
        ]
        regions += [("scratch memory", memory, True), ("tables", self.tables, False)]
        self._emulate(self._blob, words, regions, workers, turns)

    def _words(self) -> list[Word]:
        form = self.form
        own = scratch_words(0, self.nest.own)[1]
        more = [pointer("i64", "places", form.function.places == "written")] if self.form.function.places else []
        tables = pointer(number_type(form.function, form.types[0]), "tables", False)
        return [pointer(form.types[0], "x", False), pointer(form.types[1], "y", True), own, tables, *more]

    def __reduce__(self) -> tuple[Callable[..., Images], tuple[Any, ...]]:
        return Images, (self.form,)

    def __str__(self) -> str:
        """Return the loops and their calls as text."""
        names = dict(enumerate(["x", "y", "own scratch", "tables", "places"]))
        return "\n".join([repr(self), *text(self._blob.nodes, names, "  ")])

    def __repr__(self) -> str:
        axes = " x ".join(f"{axis.extent} -> {axis.results}" for axis in self.form.axes)
        return f"<{type(self.form.function).__name__} of {self.form.planes} planes, {axes}, for {self.target.name}>"


def _memory(array: Array) -> Array:
    """Return the bytes from the first to the last element of an array."""
    low, high = byte_bounds(array)
    return array_at(low, (high - low,), (1,), np.dtype(np.uint8), writable=array.flags.writeable)
