"""The arguments of a product with any number of rows or columns, read from the arrays of A, or of B, and C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...microkernels.operands import RUNTIME
from ...microkernels.rows.spec import RowsSpec, parameters
from .arrays import Array, Made, address_of, as_array, numpy_dtype
from .gemm import layout_of
from .matrices import apart, chosen_leading, empty, leading_keywords, matrix, writable
from .regions import Region, matrix_region
from .signature import formula, leading_lines
from .signature import signature as signature


class RowsCall:
    """Checks and converts the arguments of one spec's kernel. It keeps no state of a call, so threads may share it."""

    def __init__(self, spec: RowsSpec) -> None:
        self.spec = spec
        self.dtype = numpy_dtype(spec.dtype)  # the type of c
        self.runtime = {f"ld{name}": None for name, value in zip("abc", spec.leading) if value is RUNTIME}
        self.axis = 0 if spec.outer == "m" else 1

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        if len(args) != 3:
            raise TypeError(f"this kernel takes 3 arguments (a, b, c), not {len(args)}")
        arrays = {name: as_array(name, value) for name, value in zip("abc", args)}
        shared = self.spec.shared
        extent, of_c = self._extent(shared, arrays[shared]), self._extent("c", arrays["c"])
        if extent != of_c:
            side = "rows" if self.axis == 0 else "columns"
            raise ValueError(f"{shared}, c: must have equal numbers of {side}, but {shared} has {extent} and c {of_c}")
        operands = self.spec.operands_of(extent)
        given = leading_keywords(leading, {f"ld{name}": each for name, each in operands.items()
                                           if f"ld{name}" in self.runtime})  # fmt: skip
        found: dict[str, int | None] = {}
        for name, each in operands.items():
            arrays[name], found[f"ld{name}"] = matrix(each, arrays[name], (), layout_of(self.spec, name))
        writable("c", arrays["c"])
        apart("c", arrays["c"], a=arrays["a"], b=arrays["b"])
        integers = [*(address_of(arrays[name]) for name in "abc"), extent]
        integers += [chosen_leading(name, given.get(name), found[name]) for name in self.runtime]
        return integers, list(arrays.values())

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new output or None, and the arguments including it. The output is new if the kernel never reads c
        and the call left it out."""
        if self.spec.beta == 0 and (len(args) == 2 or (len(args) == 3 and args[2] is None)):
            shared = self.spec.shared
            extent = self._extent(shared, as_array(shared, args["ab".index(shared)]))
            made = empty(self.spec.operands_of(extent)["c"])
            return made, (*args[:2], made)
        return None, args

    def _extent(self, name: str, array: Array) -> int:
        group = self.spec.groups["ab".index(name)] if name in "ab" else 1
        if array.ndim != 2 + (group > 1):
            raise ValueError(f"{name}: must be a matrix, from whose shape {self.spec.outer} is read, not of shape "
                             f"{array.shape}")  # fmt: skip
        return int(array.shape[self.axis])


def regions(spec: RowsSpec, integers: Sequence[int]) -> list[Region]:
    """Return the matrices of a call with these integers."""
    values = dict(zip((name for _, name in parameters(spec)), integers))
    operands = spec.operands_of(values[spec.outer])
    return [matrix_region(each, name, values[name], values) for name, each in operands.items()]


def description(spec: RowsSpec) -> str:
    """Return the documentation of a kernel."""
    m, n = (name if name == spec.outer else getattr(spec, name) for name in "mn")
    shapes = {"a": (m, spec.k), "b": (spec.k, n), "c": (m, n)}
    lines = [f"mm{signature(spec)}", "", formula(spec, "C", "A @ B"), ""]
    for each in spec.operands:
        rows, columns = shapes[each.name]
        lines.append(f"{each.name}   {each.dtype} ({rows}, {columns}), order {each.view.order!r}, "
                     f"leading dimension {each.view.leading!r}")  # fmt: skip
    lines += leading_lines(spec.operands)
    lines += ["", f"{spec.outer} is any number from 0 on, the same for {spec.shared} and c."]
    if spec.beta == 0:
        lines += ["", "Without c the call returns a new array."]
    return "\n".join(lines)
