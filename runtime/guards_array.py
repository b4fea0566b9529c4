"""The guards of requests whose arguments are matrices and numbers: see `guards` for what they are made of."""

from __future__ import annotations

import numpy as np

from ..microkernels.operands import RUNTIME, Number, Operand, dense, parameters
from . import cpython
from .array_call import ArraySpec
from .arrays import numpy_dtype
from .guards import FAR, RELEASE_ABOVE, Apart, Array, Entry, Extent, Guard, Int, Leading
from .guards import Number as Fixed

_OUTPUT = "c"  # what guards call the array that is written


def array_entry(spec: ArraySpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """(structure, constants but the function's address) for kernels of this request; None: no call can pass."""
    outputs = [each for each in spec.arguments if isinstance(each, Operand) and each.output]
    if len(outputs) != 1:
        return None  # guards know of one output
    builder = _Builder(outputs[0])
    builder.constants[RELEASE_ABOVE] = release_above
    for position, argument in enumerate(spec.arguments):
        builder.add(position, argument)
    for argument in spec.arguments:
        if isinstance(argument, Operand) and not argument.output:
            builder.guards.append(Apart(argument.name, builder.extent(argument), builder.extent(outputs[0])))
    if max(builder.constants[RELEASE_ABOVE + 1 :], default=0) >= FAR:
        return None  # no array is as large
    last = spec.arguments[-1]
    allocates = last is outputs[0] and last.view.leading in (RUNTIME, builder.least(last))
    renamed = {outputs[0].name: _OUTPUT, f"ld{outputs[0].name}": f"ld{_OUTPUT}"}
    names = tuple(renamed.get(name, name) for _, name in parameters(spec.arguments))
    fortran = outputs[0].view.order == "F" and not outputs[0].vector
    entry = Entry(len(spec.arguments), tuple(builder.guards), names, release,
                  builder.written if allocates else None, fortran)  # fmt: skip
    return entry, builder.constants


class _Builder:
    """Collects guards and constants."""

    def __init__(self, output: Operand) -> None:
        self.constants = [0, id(np.ndarray), id(int), id(numpy_dtype(output.dtype)), 0]
        self.guards: list[Guard] = []
        self.written: Array | None = None

    def constant(self, value: int) -> int:
        """The index of a new constant: a structure must not depend on which of them happen to be equal."""
        self.constants.append(value)
        return len(self.constants) - 1

    def add(self, position: int, argument: Operand | Number) -> None:
        """The guards of one argument."""
        if isinstance(argument, Number):
            self.guards.append(Int(position, argument.name, argument.least, 1))
            return
        name = _OUTPUT if argument.output else argument.name
        dtype, view, shape = numpy_dtype(argument.dtype), argument.view, argument.shape
        flags = cpython.ALIGNED | (cpython.WRITEABLE if argument.output else 0)
        strides: list[int | None] = [None] * len(shape)
        leading = None
        if view.leading == self.least(argument):
            flags |= cpython.C_CONTIGUOUS if argument.vector or view.order == "C" else cpython.F_CONTIGUOUS
        else:
            strides, leading = self._strides(name, argument, dtype.itemsize)
        dimensions = tuple(self.constant(n) for n in shape)
        array = Array(position, name, dtype.num, len(shape), dimensions, tuple(strides), flags, dtype.itemsize, leading)
        if argument.output:
            self.written = array
        self.guards.append(array)
        if view.leading is RUNTIME and leading is None:
            self.guards.append(Fixed(f"ld{name}", self.constant(self.least(argument))))

    def _strides(self, name: str, operand: Operand, size: int) -> tuple[list[int | None], Leading | None]:
        """Constants of the strides; of an axis of one element any will do."""
        outer = 0 if operand.view.order == "C" else 1
        wanted: list[int | None] = [None, None]
        if operand.shape[1 - outer] > 1:
            wanted[1 - outer] = self.constant(size)
        if operand.shape[outer] == 1:
            return wanted, None
        if isinstance(operand.view.leading, int):
            wanted[outer] = self.constant(operand.view.leading * size)
            return wanted, None
        return wanted, Leading(f"ld{name}", outer, self.constant(self.least(operand) * size))

    def least(self, operand: Operand) -> int:
        """The leading dimension without gaps."""
        return dense(operand.view.order, operand.rows, operand.columns)

    def extent(self, operand: Operand) -> Extent:
        """From the first to behind the last element."""
        size = numpy_dtype(operand.dtype).itemsize
        outer = operand.rows if operand.view.order == "C" else operand.columns
        inner = self.least(operand)
        if operand.view.leading is RUNTIME:
            name = _OUTPUT if operand.output else operand.name
            return Extent(self.constant(inner * size), f"ld{name}", self.constant((outer - 1) * size))
        assert isinstance(operand.view.leading, int)
        return Extent(self.constant(((outer - 1) * operand.view.leading + inner) * size))
