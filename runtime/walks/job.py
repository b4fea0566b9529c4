"""`ArraysJob`: a job on arrays of given shapes, strides and types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from ...encoder.features import Target
from ..arguments.arrays import Array, address_of, bytes_of
from ..loops.job import JobWord, TableKernel, pointer
from ..threads.called_code import JobTable


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
