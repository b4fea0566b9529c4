"""Kernels that move elements: copies, transposes, zeros, and sums of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ..api.eltwise import binary, unary
from ..api.transforms import transform, transpose
from ..kernel.callable import Kernel

if TYPE_CHECKING:
    from ..api.typed import DType


class MoveKernels(NamedTuple):
    """The kernels that move elements of a type. `ldx` and `ldy` are elements between neighbouring rows."""

    dtype: str
    target: Target

    def copy(self, rows: int, columns: int, ldx: int, ldy: int, out: str | None = None) -> Kernel:
        """Return a copy, perhaps to elements of another type."""
        if rows == 1:
            ldx = ldy = columns
        to = cast("DType", out or self.dtype)
        return unary("identity", rows, columns, ldx=ldx, ldy=ldy, dtype=self._named, out=to, target=self.target)

    def turn(self, rows: int, columns: int, ldx: int, ldy: int) -> Kernel:
        """Return a transpose of a matrix of so many rows and columns."""
        return transpose(rows, columns, ldx=ldx, ldy=ldy, dtype=self._named, target=self.target)

    def interleave(self, group: int, rows: int, columns: int, ldx: int, ldy: int) -> Kernel:
        """Return a copy in which the elements of so many rows lie side by side, with zeros for rows that lack."""
        return transform(f"vnni{group}", rows, columns, self._named, ldx=ldx, ldy=ldy, target=self.target)

    def zero(self, rows: int, columns: int, apart: int = 0) -> Kernel:
        """Return what sets elements to zero."""
        apart = max(apart, columns)
        return unary("zero", rows, columns, ldx=apart, ldy=apart, dtype=self._named, target=self.target)

    def sum(self, count: int, out: str) -> Kernel:
        """Return what adds so many elements to others, with results of another type."""
        return binary("add", 1, count, dtype=self._named, out=cast("DType", out), target=self.target)

    @property
    def _named(self) -> DType:
        return cast("DType", self.dtype)
