"""Compare kernels on arrays that begin at a cache line with the same on arrays 16 bytes behind one, as numpy's are.

python -m tests.bench.aligned [SECONDS]

A line gives ns per element in both, least of samples in turns on one processor, and their ratio.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.api.aligned import bytes_at_a_line
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench import measure

SHAPES = (64, 384), (256, 384), (128, 1024)
COMPOSITES = ("layernorm", "rmsnorm", "softmax")
BEHIND = 16
"""Bytes from a cache line to the first element of a large array of numpy."""


def operands(kernel: ts.Kernel, behind: int) -> list[Any]:
    """Return an array of random numbers for each operand, `behind` bytes after a cache line."""
    made = []
    for each in kernel.spec.operands:
        dtype = numpy_dtype(each.dtype)
        size = int(np.prod(each.shape)) * dtype.itemsize
        array = bytes_at_a_line(size + behind)[behind:].view(dtype).reshape(each.shape)
        array[...] = np.random.default_rng(0).random(each.shape)
        made.append(array)
    return made


def main(seconds: float = 1.0) -> None:
    """Print the table."""
    with measure.one_cpu():
        for name in COMPOSITES:
            for m, n in SHAPES:
                kernel = ts.fused(name, m, n)
                kept = {behind: operands(kernel, behind) for behind in (0, BEHIND)}
                calls = {str(behind): measure.NativeCall(kernel.address, tuple(each.ctypes.data for each in arrays))
                         for behind, arrays in kept.items()}  # fmt: skip
                found = measure.seconds_per_call(calls, seconds)
                line, behind = (found[each].best / (m * n) * 1e9 for each in calls)
                print(f"{name:10} {m:4} x {n:<5} {line:.3f} {behind:.3f}  {behind / line:.2f}", flush=True)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
