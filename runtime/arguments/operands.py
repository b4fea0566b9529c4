"""Convert Python arguments to the integers of a C function, for requests whose arguments are matrices and numbers.

k(x0, x1, ..., y) takes the arguments in the order of the spec. A matrix may be any array of the operand's type, shape
and strides. An output must not share memory with anything else, except that it may be exactly an input that the spec
lists as `in_place`. Nothing is called and nothing is written if any argument is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...microkernels.operands import Number, Operand, last_outputs, runtime_leading
from .arrays import Array, Made, address_of, numpy_dtype
from .matrices import (
    apart,
    chosen_leading,
    empty,
    integer,
    leading_keywords,
    matrix,
    miscounted,
    runtime_operands,
    writable,
)


class ArraySpec(Protocol):
    """A request whose calls take matrices and numbers."""

    @property
    def arguments(self) -> Sequence[Operand | Number]:
        """The arguments, in the order of the call and of the C function."""

    @property
    def in_place(self) -> Sequence[str]:
        """The inputs that may be the same array as the output."""

    @property
    def equation(self) -> str:
        """The computation, in terms of the argument names."""


def contiguous(spec: ArraySpec) -> Sequence[str]:
    """Return the names of the matrices whose leading dimension no request can specify; most kinds have none."""
    names: Sequence[str] = getattr(spec, "contiguous", ())
    return names


def pairs_in_place(spec: ArraySpec) -> frozenset[tuple[str, str]]:
    """Return the pairs of an input and an output that may be the same array: the input may be an output, and both have
    equal shapes and types in the request. Shapes of a call may be equal by chance, as those of a single row are if the
    call has one row."""
    pairs: frozenset[tuple[str, str]] | None = getattr(spec, "may_share", None)
    if pairs is not None:
        return pairs
    matrices = {each.name: each for each in spec.arguments if isinstance(each, Operand)}
    inputs = [matrices[name] for name in spec.in_place if name in matrices]
    outputs = [each for each in matrices.values() if each.output]
    return frozenset((x.name, y.name) for x in inputs for y in outputs
                     if (x.rows, x.columns, x.dtype) == (y.rows, y.columns, y.dtype))  # fmt: skip


class ArrayCall:
    """Checks and converts the arguments of one request. It keeps no state of a call, so threads may share it."""

    def __init__(self, spec: ArraySpec) -> None:
        self.arguments = list(spec.arguments)
        self.may_share = pairs_in_place(spec)
        self.matrices = [argument for argument in self.arguments if isinstance(argument, Operand)]
        self.outputs = [matrix for matrix in self.matrices if matrix.output]
        self.dtype: np.dtype[Any] = numpy_dtype(self.outputs[-1].dtype)
        self.runtime = runtime_operands(self.matrices)
        self.runtime_names = runtime_leading(self.arguments)
        self.contiguous = frozenset(contiguous(spec))

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        if len(args) != len(self.arguments):
            raise miscounted(self.arguments, len(args))
        given = leading_keywords(leading, self.runtime)
        found: dict[str, int | None] = {}
        arrays: dict[str, Array] = {}
        integers = []
        for argument, value in zip(self.arguments, args):
            if isinstance(argument, Number):
                integers.append(number_of(argument, value))
            else:
                arrays[argument.name], found[argument.name] = matrix(
                    argument, value, asked=argument.name not in self.contiguous
                )
                integers.append(address_of(arrays[argument.name]))
        self._check_outputs(arrays)
        for name in self.runtime_names:
            integers.append(chosen_leading(f"ld{name}", given.get(f"ld{name}"), found[name]))
        return integers, list(arrays.values())

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new outputs or None, and the arguments including them. Outputs are new if the call left them, its
        last arguments, out."""
        outputs = last_outputs(self.arguments)
        inputs = len(self.arguments) - len(outputs)
        given = args[inputs:]
        if not outputs or len(args) < inputs or len(given) > len(outputs) or any(each is not None for each in given):
            return None, args
        made = tuple(empty(output) for output in outputs)
        return made if len(made) > 1 else made[0], (*args[:inputs], *made)

    def _check_outputs(self, arrays: dict[str, Array]) -> None:
        for output in self.outputs:
            array = arrays[output.name]
            writable(output.name, array)
            others = {
                name: other
                for name, other in arrays.items()
                if name != output.name and not ((name, output.name) in self.may_share and _same(other, array))
            }
            apart(output.name, array, **others)


def _same(x: Array, y: Array) -> bool:
    """Whether two arrays consist of the same elements at the same addresses."""
    return address_of(x) == address_of(y) and x.shape == y.shape and x.strides == y.strides and x.itemsize == y.itemsize


def number_of(argument: Number, value: Any) -> int:
    """Return an integer argument of a call."""
    number = integer(argument.name, value)
    if number < argument.least or argument.most is not None and number > argument.most:
        most = " or more" if argument.most is None else f" to {argument.most}"
        raise ValueError(f"{argument.name}: {argument.least}{most}, not {number}")
    return number
