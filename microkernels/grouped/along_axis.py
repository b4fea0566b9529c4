"""Functions of rows that lie along one axis of arrays of any rank.

The axes before that one, the axis and those behind it are (outer, length, inner) of arrays without gaps. So the rows of
one place along the outer axes are the columns of a row-major matrix (length, inner), and those of all places are groups
of one request. If no axis is behind, the array itself is the matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from ...encoder.records import NamedTuple
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..fused.spec import FusedSpec, fused_spec
from ..operands import ROWS, RUNTIME, Operand, extent, whole
from .spec import GroupedSpec, grouped_spec


class ArrayAxes(NamedTuple):
    """The axes that all arrays of a function have by broadcasting, and the one that rows lie along."""

    shape: tuple[int, ...]
    axis: int
    arrays: Mapping[str, tuple[int, ...]]

    @property
    def inner(self) -> int:
        """The number of elements from one element of a row to the next."""
        return prod(self.shape[self.axis + 1 :])

    @property
    def outer(self) -> int:
        """The number of matrices that the arrays have, one after the other."""
        return prod(self.shape[: self.axis])

    @property
    def loops(self) -> tuple[int, int]:
        """The groups in a sample and the samples that the outer places are: a sample for each, unless calls give the
        length of the first axis."""
        if self.inner == 1:
            return 1, 1
        return (prod(self.shape[1 : self.axis]), ROWS) if ROWS in self.shape else (1, self.outer)

    def groups(self, name: str) -> tuple[int, int, int]:
        """Return how many elements an array has along the outer axes, the axis and the inner ones: all or one of
        each."""
        shape = self.arrays[name]
        full = (1,) * (len(self.shape) - len(shape)) + shape
        cuts = slice(self.axis), slice(self.axis, self.axis + 1), slice(self.axis + 1, None)
        found = tuple(prod(full[cut]) for cut in cuts)
        for part, cut in zip(found, cuts):
            if part not in (1, prod(self.shape[cut])):
                raise UnsupportedError(
                    f"{name}: shape {shape} has some of the axes {self.shape[cut]} on one side of axis {self.axis}, "
                    f"and the kernel reads all of them or none; np.broadcast_to(...).copy() gives it all of them"
                )
        outer, length, inner = found
        return outer, length, inner

    def of_result(self, places: int, length: int, inner: int) -> tuple[int, ...]:
        """Return the shape of a result that has these numbers of elements along the three."""
        before, behind = self.shape[: self.axis], self.shape[self.axis + 1 :]
        return (
            *(before if places > 1 else (1,) * len(before)),
            length,
            *(behind if inner > 1 else (1,) * len(behind)),
        )


def array_axes(axis: object, shapes: Mapping[str, tuple[object, ...]]) -> ArrayAxes:
    """Return the axes of arrays of these shapes. Raises ValueError if they do not broadcast, or have no such axis."""
    lengths = dict[str, tuple[int, ...]]()
    for name, shape in shapes.items():
        if not isinstance(shape, tuple):
            raise TypeError(f"{name}: a shape, the lengths of the axes, not {shape!r}")
        if RUNTIME in shape[1:]:
            raise UnsupportedError(f"{name}: only the first axis may be ts.RUNTIME, the others are numbers")
        lengths[name] = tuple(
            ROWS if length is RUNTIME else extent(f"{name}, axis {place}", length) for place, length in enumerate(shape)
        )
    whole_shape = _broadcast(lengths)
    number = whole(axis)
    if number is None:
        raise TypeError(f"axis: the number of an axis, not {axis!r}")
    rank = len(whole_shape)
    if not -rank <= number < rank:
        raise ValueError(f"axis: from {-rank} to {rank - 1} for arrays of shape {whole_shape}, not {number}")
    found = ArrayAxes(whole_shape, number % rank, lengths)
    if ROWS in whole_shape and (whole_shape[0] is not ROWS or found.axis == 0 or found.inner == 1):
        raise UnsupportedError(
            f"axis: of arrays {whole_shape}, the first axis may be ts.RUNTIME, if the axis is neither that one nor the "
            "last; functions of matrices, without axis=, take any number of rows"
        )
    return found


def _broadcast(shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape that all arrays have by broadcasting. A length that calls give equals no number."""
    rank = max(map(len, shapes.values()))
    full = [(1,) * (rank - len(shape)) + shape for shape in shapes.values()]
    found = [set(lengths) - {1} for lengths in zip(*full)]
    if any(len(each) > 1 for each in found):
        given = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"axis: shapes that broadcast as numpy's, not {given}")
    return tuple(each.pop() if each else 1 for each in found)


def matrices(axes: ArrayAxes) -> dict[str, tuple[int, int]]:
    """Return the shapes of one group's matrices, whose rows are the function's: column-major ones if an axis is
    behind."""
    found = {name: axes.groups(name) for name in axes.arrays}
    return {name: (inner if axes.inner > 1 else outer, length) for name, (outer, length, inner) in found.items()}


def grouped(axes: ArrayAxes, request: object) -> GroupedSpec:
    """Return the request of all groups, from that of one group's `matrices`."""
    if type(request) is EltwiseSpec:  # nothing is reduced
        request = fused_spec(request)
    if not isinstance(request, FusedSpec):
        raise UnsupportedError(
            "axis: the function must have no products, transposes or indices; a function of matrices, without axis=, "
            "has them"
        )
    if request.bits:
        raise UnsupportedError(f"{min(request.bits)}: masks of bits are matrices, and have no place beside axis=")
    by_columns = axes.inner > 1
    if by_columns and axes.outer > 1 and not request.along_alone:
        raise UnsupportedError(
            f"axis: {request.name} reduces down the columns, over the axes on both sides of axis {axes.axis} of "
            f"{axes.shape}; move the axis to an end, or reduce along rows alone"
        )
    request = request.transposed if by_columns else request
    groups, samples = axes.loops
    shared = [name for name in axes.arrays if by_columns and axes.groups(name)[0] < axes.outer]
    if shared and groups > 1:
        raise UnsupportedError(
            f"{shared[0]}: must have all axes before axis {axes.axis}, because the first one is ts.RUNTIME and more "
            "than one is before it; a length that is a number works"
        )

    def of(operand: Operand) -> tuple[int, ...]:
        if not operand.output:
            return axes.arrays[operand.name]
        rows, columns = operand.rows, operand.columns
        return axes.of_result(axes.outer, rows, columns) if by_columns else axes.of_result(rows, columns, 1)

    return grouped_spec(request, groups, samples, shared, [of(each) for each in request.operands])
