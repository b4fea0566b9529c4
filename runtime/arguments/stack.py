"""The arguments of a stack of products: mm(a, b, c) with a (N, m, k), b (N, k, n), c (N, m, n), each checked.

The distance between matrices may be any multiple of an element and is read from the arrays' strides. An a or b without
that axis is shared by all products. The elements of c must be apart from each other and from a and b. Nothing is called
and nothing is written if any argument is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...microkernels.stack.spec import StackSpec, parameters
from .arrays import Array, Made, address_of, as_array
from .gemm import Binding, GemmCall
from .matrices import empty_stack
from .regions import TouchedMemory, matrix_region
from .signature import formula, product_description
from .signature import signature as signature


class StackArguments(GemmCall):
    """Checks and converts the arguments of one spec's kernel. It keeps no state of a call, so threads may share it."""

    spec: StackSpec

    def __init__(self, spec: StackSpec) -> None:
        super().__init__(spec)
        self._bind = self._stacks

    def _stacks(self, binding: Binding, *args: Any) -> list[int]:
        """Convert mm(a, b, c)."""
        arrays = {name: as_array(name, value) for name, value in zip("abc", binding.count(args, "a", "b", "c"))}
        count = self._count(arrays)
        kept, strides = zip(*(self._stack(binding, name, array, count) for name, array in arrays.items()))
        a, b, c = kept
        binding.output(c, a=a, b=b)
        _distinct_elements(c)
        known = isinstance(self.spec.stack, int)
        return [*map(address_of, kept), *([] if known else [count]), *strides]

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

    def _stack(self, binding: Binding, name: str, array: Array, count: int) -> tuple[Array, int]:
        """Return the array, and the bytes from one matrix to the next."""
        if name != "c" and array.ndim == len(self.operands[name].shape):
            return binding.matrix(name, array), 0
        return binding.matrices(name, array, count, "all products" if name != "c" else "")


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
