"""Steps, called one after the other from Python."""

from __future__ import annotations

from collections.abc import Sequence

from ..kernel.callable import Kernel
from ..loops.job import TableKernel
from ..system.libc import ffi
from .steps import At, OnArrays, Step


class PythonExecutor:
    """Calls the steps of a program, given the addresses of its slots."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._functions = [
            ffi.cast(f"void(*)({', '.join(['int64_t'] * len(each.operands))})", each.entry.address)
            if isinstance(each.entry, Kernel)
            else None
            for each in steps
        ]

    def run(self, addresses: Sequence[int], threads: int) -> None:
        """Compute, on memory at these addresses: the arena, inputs, results, constants."""
        for step, function in zip(self.steps, self._functions):
            given = [addresses[each.slot] + each.offset if isinstance(each, At) else each for each in step.operands]
            entry = step.entry
            if function is not None:
                function(*given)
            elif isinstance(entry, OnArrays):
                entry(*given)
            elif isinstance(entry, TableKernel):
                constants = getattr(entry, "_constants", ())
                entry.call.at([*given, *(each.__array_interface__["data"][0] for each in constants)], threads)
            else:
                entry.at(given, threads)  # type: ignore[union-attr]
