"""What an epilogue of `matmul` has beside C: further results, and random numbers.

Results are arrays of C's shape, or masks with a bit for each element, in lines along the rows of C. Random numbers
follow from the place of an element: the rows of a batch are counted through all of its products.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import element_type
from ...microkernels.operands import BYTE, ORIGIN, Number
from ..arguments.arrays import Array, numpy_dtype, overlap
from ..arguments.infer import type_of
from ..arguments.operands import number_of
from .calls import PlannedCall
from .product_parts import check_results
from .product_shapes import BesideC, Computed, GivenOperand, Results, Work, kind_in_c

if TYPE_CHECKING:
    from ...microkernels.epilogue.spec import EpilogueSpec
    from ..api import brgemm

brgemm = lazy(__package__, "..api.brgemm")

_BITS = "bits"
_NUMBER = np.zeros((), np.uint8)
"""Stands for a number of a call."""


class ResultArray(NamedTuple):
    """The arrays of one result: their shape and type."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    def new(self) -> Array:
        """Return a new array."""
        return np.empty(self.shape, self.dtype)

    def takes(self, array: Array, others: Iterable[Array]) -> bool:
        """Whether machine code can write to an array, which none of the others overlaps."""
        flags = array.flags
        return flags.c_contiguous and flags.aligned and flags.writeable and not any(overlap(array, x) for x in others)


class CallBesideC(NamedTuple):
    """How a product is computed whose epilogue has further results or draws random numbers.

    call      the product, whose operands are followed by the numbers and the results beside C
    results   C and the others
    numbers   the names of the numbers, in the kernel's order
    order     for each operand of the kernel and each number, its position in the call
    origin    whether the row and the column of C's first element follow the numbers
    """

    call: PlannedCall
    results: tuple[ResultArray, ...]
    numbers: tuple[Number, ...]
    order: tuple[int, ...]
    origin: bool

    def __call__(
        self, a: Array, b: Array, out: Results, threads: int | None, given: Iterable[GivenOperand]
    ) -> Computed | None:
        """Return all results, or None if `call` does not take arrays at these addresses."""
        named = tuple(given)
        behind = [named[place] for place in self.order]
        operands = behind[: len(behind) - len(self.numbers)]
        numbers = [number_of(*each) for each in zip(self.numbers, behind[len(operands) :])]
        missing = (None,) * (len(self.results) - 1)
        asked: Sequence[Array | None] = out if isinstance(out, tuple) else (out, *missing)
        for name, array in zip(_names(asked), asked):
            if array is not None and not array.flags.writeable:
                raise ValueError(f"{name}: a writable array, this one is read-only")
        used: list[Array] = [a, b, *(each for each in operands if not isinstance(each, int))]
        into: list[Array] = []
        for kind, array in zip(self.results, asked):
            into.append(array if array is not None and kind.takes(array, used) else kind.new())
            used.append(into[-1])
        c, *others = into
        behind = [*operands, *numbers, *((0, 0) if self.origin else ()), *others]
        if self.call(a, b, c, threads, behind) is None:
            return None
        for array, made in zip(asked, into):
            if array is not None and array is not made:
                array[...] = made
        if len(into) == 1:
            return c if asked[0] is None else asked[0]
        return tuple(made if array is None else array for array, made in zip(asked, into))


def beside_of(
    work: Work, extras: Mapping[str, GivenOperand], out: Sequence[Array | None], dtype: object
) -> BesideC | None:
    """Return what the epilogue has beside C, or None. `out` and `dtype` are those of the call."""
    if work.epilogue is None:
        if len(out) > 1 or isinstance(dtype, tuple):
            raise TypeError("out, dtype: only an epilogue has several results, and epilogue= was not given")
        return None
    operands = {name: each for name, each in extras.items() if not isinstance(each, int)}
    asked = dtype if isinstance(dtype, tuple) else ()
    types = asked[1:] or None
    spec = _request(work, operands, types)
    numbers, results = spec.numbers, [each.name for each in spec.results]
    _check_numbers(numbers, [name for name in extras if name not in operands])
    for name, given in (("out", out), ("dtype", asked)):
        if len(given) > 1 and len(given) != len(results) + 1:
            raise ValueError(
                f"{name}: one for each of the {len(results) + 1} results of the epilogue, not {len(given)}"
            )
    check_results("matmul", spec)
    if not results and not numbers:
        return None
    bits = [name in spec.elementwise.bits for name in results]
    found = [
        element_type("dtype", each, _BITS) if each is not None else None for each in types or [None] * len(results)
    ]
    for number, (array, mask) in enumerate(zip(out[1:], bits)):
        if array is not None and not mask:
            found[number] = type_of(f"out[{number + 1}]", array)
    final = _request(work, operands, tuple(found) or None)
    made = BesideC(numbers, tuple(found), tuple((each.name, each.dtype) for each in final.results), tuple(bits))
    for name, array, kind in zip(_names(out), out, result_arrays(work._replace(beside=made))):
        if array is not None and (array.shape, array.dtype) != kind:
            raise ValueError(f"{name}: shape {kind.shape} and type {kind.dtype}, not {array.shape} and {array.dtype}")
    return made


def _names(results: Sequence[object]) -> list[str]:
    """Return the names of the arrays for results in errors."""
    return ["out"] if len(results) == 1 else [f"out[{number}]" for number in range(len(results))]


def _request(work: Work, operands: Mapping[str, Array], types: Sequence[object] | None) -> EpilogueSpec:
    """Return the request of one product, as a kernel with a row-major C."""
    shapes = work.shapes
    taken = {
        name: (kind_in_c(name, shapes.operand(each), shapes), type_of(name, each)) for name, each in operands.items()
    }
    m, n, k = (max(1, each) for each in (shapes.m, shapes.n, shapes.k))
    make: Any = brgemm.product_spec
    made: EpilogueSpec = make(m, n, k, dtype=work.types, beta=0.0, epilogue=work.epilogue, operands=taken, out=types)
    return made


def _check_numbers(numbers: Sequence[Number], given: Sequence[str]) -> None:
    """TypeError unless the call gives the numbers that the epilogue draws from, and no others."""
    names = [each.name for each in numbers]
    for name in names:
        if name not in given:
            raise TypeError(
                f"operands: {name} missing, the number from which the epilogue draws; give it by name, as "
                f'{{"{name}": 7}}'
            )
    for name in given:
        if name not in names:
            raise TypeError(f"operands: {name} is no parameter of the epilogue, which draws no random numbers from it")


def stand_ins(work: Work, extras: Mapping[str, GivenOperand]) -> dict[str, Array]:
    """Return arrays that lie as the operands, numbers and results of a call do. A number is one element; the row of C's
    first element has a step along the axes of the batch, as if its bytes were counted."""
    beside, shapes = work.beside, work.shapes
    assert beside is not None
    made = {name: each for name, each in extras.items() if not isinstance(each, int)}
    made |= {each.name: _NUMBER for each in beside.numbers}
    if beside.numbers and shapes.batch:
        steps = [shapes.m * math.prod(shapes.batch[axis + 1 :]) for axis in range(len(shapes.batch))]
        row = np.lib.stride_tricks.as_strided(_NUMBER, (*shapes.batch, 1, 1), (*steps, 0, 0), writeable=False)
        made |= dict(zip(ORIGIN, (row, _NUMBER)))
    for kind, (name, _) in zip(result_arrays(work)[1:], beside.results):
        made[name] = kind.new()
    return made


def result_arrays(work: Work) -> tuple[ResultArray, ...]:
    """Return the arrays of C and of the results beside it."""
    shapes, beside = work.shapes, work.beside
    assert beside is not None
    made = [ResultArray(shapes.result, numpy_dtype(work.types[2]))]
    for (_, dtype), bits in zip(beside.results, beside.bits):
        shape = shapes.lines(-(-shapes.n // BYTE)) if bits else shapes.result
        made.append(ResultArray(shape, numpy_dtype(dtype)))
    return tuple(made)
