"""Jobs on arrays: `ArraysJob`, what those of this folder have in common, and `Images`, pooling or resizing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from ...encoder.features import Target
from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, address_of, bytes_of, numpy_dtype
from ..kernel.request_cache import shared
from ..loops.code import Node
from ..loops.job import JobWord, TableKernel, pointer
from ..threads.called_code import JobTable
from .functions import number_type
from .nest import OWN, PLACES, TABLES, ImagesNest, ImagesRequest, X, Y


class _HasTarget(Protocol):
    @property
    def target(self) -> Target: ...


Request = TypeVar("Request", bound=_HasTarget)


class ArraysJob(TableKernel, Generic[Request]):
    """A kernel that is a job on arrays of given shapes, strides and types."""

    request: Request

    def __init__(self, request: Request) -> None:
        self._keep(request=request, target=request.target)

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        """The name of each array, its type, and whether it is written: those of calls, then constant ones."""
        raise NotImplementedError

    @property
    def _constants(self) -> tuple[Array, ...]:
        """The constant arrays."""
        return ()

    @property
    def _table(self) -> JobTable:
        count = len(self._arrays)
        return JobTable(tuple(range(count)), None, count + 2, count)

    def on(self, arrays: Sequence[Array], threads: int) -> None:
        """Compute on the arrays."""
        self.call.at([address_of(each) for each in (*arrays, *self._constants)], threads)

    def run(self, arrays: Sequence[Array], workers: int = 1, turns: int = 0) -> None:
        """Compute in the emulator, as `on` does, on any host."""
        given = [*arrays, *self._constants]
        regions = [(name, bytes_of(each), written) for (name, _, written), each in zip(self._arrays, given)]
        self.emulated([address_of(each) for each in given], regions, workers, turns)

    def _operands(self) -> list[JobWord]:
        return [pointer(dtype, name, written) for name, dtype, written in self._arrays]

    def __reduce__(self) -> tuple[type[ArraysJob[Request]], tuple[Request]]:
        return type(self), (self.request,)

    def __str__(self) -> str:
        """Return the loops and their calls as text."""
        return "\n".join([repr(self), *self._text([name for name, _, _ in self._arrays])])


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

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        return self.nest.nodes()

    @property
    def _table(self) -> JobTable:
        places = (PLACES,) if self.request.function.places else ()
        return JobTable((X, Y, *places, TABLES), None, OWN, PLACES + 1)

    @property
    def _memory(self) -> tuple[int, int]:
        return 0, self.nest.own

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        (of_x, of_y), places = self.request.types, self.request.function.places
        more = [("places", "i64", places == "written")] if places else []
        return [("x", of_x, False), ("y", of_y, True), *more, ("tables", self._table_type, False)]

    @property
    def _constants(self) -> tuple[Array, ...]:
        return (self.tables,)

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

    def __repr__(self) -> str:
        form = self.request
        axes = " x ".join(f"{axis.extent} -> {axis.results}" for axis in form.axes)
        return f"<{type(form.function).__name__} of {form.planes} planes, {axes}, for {self.target.name}>"


job_for = shared(Images)
"""Return the job of a request; equal ones share it."""
