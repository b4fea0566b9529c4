"""The arguments of a stack of products: mm(a, b, c) with a (N, m, k), b (N, k, n), c (N, m, n), each checked.

The distance between matrices may be any multiple of an element and is read from the arrays' strides. An a or b without
that axis is shared by all products. The elements of c must be apart from each other and from a and b. Nothing is called
and nothing is written if any argument is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...microkernels.stack.spec import StackSpec, parameters
from .arrays import Array, Made, address_of, as_array, numpy_dtype
from .matrices import (
    chosen_leading,
    empty_stack,
    leading_keywords,
    matrix,
    no_overlap,
    runtime_operands,
    stacked,
    writable,
)
from .regions import TouchedMemory, matrix_region
from .signature import formula, product_description
from .signature import signature as signature


class StackArguments:
    """Checks and converts the arguments of one spec's kernel. It keeps no state of a call, so threads may share it."""

    def __init__(self, spec: StackSpec) -> None:
        self.spec = spec
        self.dtype = numpy_dtype(spec.dtype)  # the type of c
        self.operands = {operand.name: operand for operand in spec.operands}
        self.runtime = runtime_operands(self.operands.values())

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        if len(args) != 3:
            raise TypeError(f"this kernel takes 3 arguments (a, b, c), not {len(args)}")
        given = leading_keywords(leading, self.runtime)
        arrays = {name: as_array(name, value) for name, value in zip("abc", args)}
        count = self._count(arrays)
        found, strides, kept = {}, {}, {}
        for name, array in arrays.items():
            kept[name], strides[name], found[f"ld{name}"] = self._stack(name, array, count)
        writable("c", kept["c"])
        _distinct_elements(kept["c"])
        no_overlap("c", kept["c"], a=kept["a"], b=kept["b"])
        integers = [address_of(kept[name]) for name in "abc"]
        integers += [] if isinstance(self.spec.stack, int) else [count]
        integers += strides.values()
        integers += [chosen_leading(name, given.get(name), found[name]) for name in self.runtime]
        return integers, list(kept.values())

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new output or None, and the arguments including it. The output is new if the kernel never reads c
        and the call left it out."""
        if self.spec.beta == 0 and (len(args) == 2 or (len(args) == 3 and args[2] is None)):
            count = self._count({name: as_array(name, value) for name, value in zip("ab", args)})
            made = empty_stack(self.operands["c"], count)
            return made, (*args[:2], made)
        return None, args

    def _count(self, arrays: dict[str, Array]) -> int:
        """Return the number of products: the kernel's own, or that of the arrays."""
        if isinstance(self.spec.stack, int):
            return self.spec.stack
        for name in ("c", "a", "b"):
            if name in arrays and arrays[name].ndim == len(self.operands[name].shape) + 1:
                return len(arrays[name])
        raise ValueError("a, b: at least one must be a stack of matrices; its first axis is the number of products")

    def _stack(self, name: str, array: Array, count: int) -> tuple[Array, int, int | None]:
        """Return the array, the bytes from one matrix to the next, and the leading dimension if the call decides it."""
        operand = self.operands[name]
        layout = self.spec.layout_of(name)
        if name != "c" and array.ndim == len(operand.shape):
            checked, leading = matrix(operand, array, layout=layout)
            return checked, 0, leading
        if array.shape != (count, *operand.shape):
            shared = f", or {operand.shape} for all products" if name != "c" else ""
            raise ValueError(f"{name}: shape {(count, *operand.shape)}{shared}, not {array.shape}")
        return array, *stacked(operand, array, layout)


def _distinct_elements(c: Array) -> None:
    """Require that no two products write the same element: each axis must step over all that finer axes reach."""
    reach = c.itemsize
    for stride, extent in sorted((abs(stride), n) for n, stride in zip(c.shape, c.strides) if n > 1):
        if stride < reach and c.size:
            raise ValueError(
                f"c: its elements must not share memory, as they do with strides {c.strides} of shape "
                f"{c.shape}: the result would depend on the order of writes"
            )
        reach += (extent - 1) * stride


def regions(spec: StackSpec, integers: Sequence[int]) -> list[TouchedMemory]:
    """Return all matrices of a call with these integers."""
    values = dict(zip((name for _, name in parameters(spec)), integers))
    count = spec.stack if isinstance(spec.stack, int) else values["count"]
    made = []
    for operand in spec.operands:
        first, stride = values[operand.name], values[f"{operand.name}_stride"]
        places = sorted({first + i * stride for i in range(count)})
        made += [matrix_region(operand, f"{operand.name}[{i}]", place, values) for i, place in enumerate(places)]
    return made


def description(spec: StackSpec) -> str:
    """Return the documentation of a kernel."""
    count = spec.stack if isinstance(spec.stack, int) else "N"
    shapes = {each.name: f"{count}, {', '.join(map(str, each.shape))}" for each in spec.operands}
    return product_description(
        spec,
        f"{formula(spec, 'C_i', 'A_i @ B_i')}; for each product i",
        shapes,
        "The stride from matrix to matrix is any multiple of the element size, in C in bytes; a or b of two "
        "dimensions, in C of stride 0, is shared by all.",
    )
