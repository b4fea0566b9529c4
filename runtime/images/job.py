"""Jobs on arrays: `ArraysJob`, what those of this folder have in common, and `Images`, pooling or resizing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from ...encoder.features import Target
from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, address_of, bytes_of, numpy_dtype
from ..loops.blob import Blob
from ..loops.code import Node
from ..loops.job import Job, JobKernel, JobWord, job_of, pointer, scratch, scratch_words
from ..loops.scratch import buffer
from ..loops.text import text
from .functions import number_type
from .nest import ImagesNest, ImagesRequest


class _HasTarget(Protocol):
    @property
    def target(self) -> Target: ...


Request = TypeVar("Request", bound=_HasTarget)


class ArraysJob(JobKernel, Generic[Request]):
    """A kernel that is a job on arrays of given shapes, strides and types, with addresses as arguments."""

    request: Request
    _stem: str

    def __init__(self, request: Request) -> None:
        self._keep(request=request, target=request.target)

    @property
    def _asked(self) -> tuple[object, ...]:
        """Everything but the target that the nest depends on."""
        raise NotImplementedError

    def _nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        raise NotImplementedError

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        """The name of each array, its type, and whether it is written."""
        raise NotImplementedError

    @property
    def cycles(self) -> int:
        """Estimated cycles of one core."""
        raise NotImplementedError

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        return job_of(self._asked, self._nodes, self.target, self._stem)

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def at(self, arrays: Sequence[Array], threads: int) -> None:
        """Compute on the arrays."""
        self.job.run(tuple(map(address_of, arrays)), threads, cycles=self.cycles)

    def run(self, arrays: Sequence[Array], workers: int = 1, turns: int = 0) -> None:
        """Compute in the emulator, as `at` does, on any host."""
        self._emulate(self._blob, tuple(map(address_of, arrays)), self._regions(arrays), workers, turns)

    def _regions(self, arrays: Sequence[Array]) -> list[tuple[str, Array, bool]]:
        return [(name, bytes_of(each), written) for (name, _, written), each in zip(self._arrays, arrays)]

    def _words(self) -> list[JobWord]:
        return [pointer(dtype, name, written) for name, dtype, written in self._arrays]

    def _names(self) -> list[str]:
        """Return the names of the words in the text of the loops."""
        return [name for name, _, _ in self._arrays]

    def __reduce__(self) -> tuple[type[ArraysJob[Request]], tuple[Request]]:
        return type(self), (self.request,)

    def __str__(self) -> str:
        """Return the loops and their calls as text."""
        return "\n".join([repr(self), *text(self._blob.nodes, dict(enumerate(self._names())), "  ")])


class Images(ArraysJob[ImagesRequest]):
    """Pooling or resizing: of x, to the result and, of `LargestAt`, the places."""

    _stem = "images"

    @cached_property
    def nest(self) -> ImagesNest:
        """The loops, the memory of the workers, and the tables."""
        return ImagesNest(self.request)

    @property
    def _asked(self) -> tuple[object, ...]:
        form = self.request
        return form.planes, form.axes, form.x, form.y, type(form.function).__name__, form.function, form.types

    def _nodes(self) -> tuple[Node, ...]:
        return self.nest.nodes()

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        (of_x, of_y), places = self.request.types, self.request.function.places
        return [("x", of_x, False), ("y", of_y, True), *([("places", "i64", places == "written")] if places else [])]

    @property
    def _table_type(self) -> str:
        return number_type(self.request.function, self.request.types[0])

    @cached_property
    def tables(self) -> Array:
        """The numbers that kernels read."""
        tables, dtype = self.nest.tables, numpy_dtype(self._table_type)
        size = max((place + len(each) * dtype.itemsize for place, each in tables), default=0)
        made = bytes_at_a_line(max(64, size), zero=True)
        for place, each in tables:
            made[place : place + len(each) * dtype.itemsize].view(dtype)[:] = each
        made.setflags(write=False)
        return made

    @cached_property
    def cycles(self) -> int:
        """Estimated cycles of one core: about a byte of x or of the result each."""
        total = self.request.planes[0] * self.request.planes[1]
        read = written = total
        for axis in self.request.axes:
            read, written = read * axis.extent, written * axis.results
        return (read * ELEMENT_BYTES[self.request.types[0]] + written * ELEMENT_BYTES[self.request.types[1]]) // 4

    def at(self, arrays: Sequence[Array], threads: int) -> None:
        """Compute on the arrays."""
        x, y, *places = map(address_of, arrays)
        with buffer(threads * self.nest.own) as memory:
            self.job.run((x, y, memory.address, address_of(self.tables), *places), threads, cycles=self.cycles)

    def run(self, arrays: Sequence[Array], workers: int = 1, turns: int = 0) -> None:
        """Compute in the emulator, as `at` does, on any host."""
        memory = scratch(workers * self.nest.own)
        x, y, *places = map(address_of, arrays)
        words = (x, y, address_of(memory), address_of(self.tables), *places)
        more = [("scratch memory", memory, True), ("tables", self.tables, False)]
        self._emulate(self._blob, words, [*self._regions(arrays), *more], workers, turns)

    def _words(self) -> list[JobWord]:
        x, y, *places = super()._words()
        return [x, y, scratch_words(0, self.nest.own)[1], pointer(self._table_type, "tables", False), *places]

    def _names(self) -> list[str]:
        return ["x", "y", "own scratch", "tables", "places"]

    def __repr__(self) -> str:
        form = self.request
        axes = " x ".join(f"{axis.extent} -> {axis.results}" for axis in form.axes)
        return f"<{type(form.function).__name__} of {form.planes} planes, {axes}, for {self.target.name}>"


job_for = lru_cache(maxsize=256)(Images)
"""Return the job of a request; equal ones share it."""
