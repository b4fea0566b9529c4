"""The arguments of elementwise and fused kernels with any number of rows, which is read from the arrays."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

from ...encoder.records import NamedTuple
from ...microkernels.indexed.spec import IndexedSpec
from ...microkernels.operands import Number, Operand, last_outputs
from ...microkernels.reduce.spec import ReduceSpec
from ...microkernels.rowwise.spec import RowwiseSpec
from ...microkernels.rowwise.spec import parameters_of as parameters_of
from .arrays import Made, as_array, numpy_dtype
from .eltwise import EltwiseCall, ReductionCall
from .indexed import IndexedCall
from .matrices import empty, miscounted
from .operands import pairs_in_place
from .regions import Region, array_regions
from .signature import array_description, array_signature

_RECENT = 64
"""The number of row counts whose checks are cached."""


class _OfRows(NamedTuple):
    """The attributes of a request with a fixed number of rows that its calls need."""

    arguments: tuple[Operand | Number, ...]
    in_place: tuple[str, ...]
    equation: str
    may_share: frozenset[tuple[str, str]]  # inputs and outputs that may be the same array


class _OfIndices(NamedTuple):
    """The same for requests with indexed rows."""

    arguments: tuple[Operand | Number, ...]
    in_place: tuple[str, ...]
    equation: str
    may_share: frozenset[tuple[str, str]]
    bounds: str
    limits: dict[str, tuple[str, int]]
    scattered: tuple[Any, ...]


def _of(spec: RowwiseSpec, rows: int) -> _OfRows:
    arguments = tuple(spec.counted(each, rows) for each in spec.arguments)
    return _OfRows(arguments, spec.in_place, spec.equation, pairs_in_place(spec))


class RowwiseCall:
    """Checks and converts the arguments of one spec's kernel. Threads may share it."""

    def __init__(self, spec: RowwiseSpec) -> None:
        self.spec = spec
        self.arguments = spec.arguments
        self.outputs = last_outputs(spec.arguments)
        self.dtype = numpy_dtype(next(each.dtype for each in reversed(spec.operands) if each.output))
        call = ReductionCall if isinstance(spec.request, ReduceSpec) else EltwiseCall
        request = spec.request
        if isinstance(request, IndexedSpec):
            more = (request.bounds, request.limits, request.scattered)
            self.of: Any = lru_cache(_RECENT)(lambda rows: IndexedCall(_OfIndices(*_of(spec, rows), *more)))
        else:
            self.of = lru_cache(_RECENT)(lambda rows: call(_of(spec, rows)))

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        names = [each.name for each in self.arguments]
        if len(args) != len(names):
            raise miscounted(self.arguments, len(args))
        rows = self._rows(args)
        integers, keep = self.of(rows)(*args, **leading)
        return [*integers[: len(names)], rows, *integers[len(names) :]], keep

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new outputs or None, and the arguments including them. Outputs are new if the call left them, its
        last arguments, out."""
        inputs = len(self.arguments) - len(self.outputs)
        given = args[inputs:]
        scattered = isinstance(self.spec.request, IndexedSpec) and self.spec.request.scattered
        if scattered or not self.outputs or len(args) < inputs or any(each is not None for each in given):
            return None, args
        if len(given) > len(self.outputs) or not any(each.name in self.spec.banded for each in self.arguments[:inputs]):
            return None, args  # no argument tells the number of rows
        made = tuple(empty(each) for each in last_outputs(_of(self.spec, self._rows(args[:inputs])).arguments))
        return made if len(made) > 1 else made[0], (*args[:inputs], *made)

    def _rows(self, args: Sequence[Any]) -> int:
        """Return the number of rows, which must be the same for all arrays."""
        found = {each.name: _rows_of(each, value) for each, value in zip(self.arguments, args)
                 if isinstance(each, Operand) and each.name in self.spec.banded}  # fmt: skip
        first = next(iter(found))
        for name, rows in found.items():
            if rows != found[first]:
                raise ValueError(f"{first}, {name}: must have equal numbers of rows, but {first} has {found[first]} "
                                 f"and {name} {rows}")  # fmt: skip
        return found[first]


def _rows_of(operand: Operand, value: Any) -> int:
    """Return the rows of an array: the product of all axes but the last. One axis is a row, or a column."""
    shape = as_array(operand.name, value).shape
    if len(shape) == 1 and (operand.columns == 1 or operand.vector):
        return int(shape[0])
    return prod(shape[:-1])


def regions(spec: RowwiseSpec, integers: Sequence[int]) -> list[Region]:
    """Return the matrices of a call with these integers."""
    count = len(spec.arguments)
    return array_regions(_of(spec, integers[count]), [*integers[:count], *integers[count + 1 :]])


def signature(spec: RowwiseSpec) -> inspect.Signature:
    """Return the arguments of a call. Outputs that come last have a default."""
    return array_signature(spec)


def description(spec: RowwiseSpec) -> str:
    """Return the documentation of a kernel."""
    text = array_description(spec)
    for each in spec.operands:
        if each.name in spec.banded:
            likely = f"({each.columns},)" if each.vector else f"({each.rows}, "
            start = f"{each.name}   {each.dtype} "
            text = text.replace(start + likely, start + ("(m,)" if each.vector else "(m, "))
    return f"{text}\n\nm is any number from 0 on, the same for {', '.join(spec.banded)}."
