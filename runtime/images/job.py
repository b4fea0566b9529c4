"""`Images`: the job of pooling or resizing."""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, numpy_dtype
from ..kernel.request_cache import shared
from ..loops.code import Node
from ..threads.called_code import JobTable
from ..walks.job import ArraysJob
from .functions import number_type
from .nest import OWN, PLACES, TABLES, ImagesNest, ImagesRequest, X, Y


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
