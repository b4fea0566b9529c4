"""Matrix products of any size, as a Python loop over blocks with BRGEMM kernels inside.

    C[i, j] = sum_p A[i, p] @ B[p, j]

The sum over the blocks p is the batch of one kernel call in STRIDE mode; what is left of k is a second call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...microkernels.gemm.spec import STRIDE
from ..arguments.arrays import as_array
from ..kernel.callable import Kernel
from .brgemm import brgemm

Array = np.ndarray[Any, Any]
BLOCK_M, BLOCK_N, BLOCK_K = 128, 256, 256  # B's block, 256 KiB in f32, stays in the second-level cache
_TYPES = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}


def matmul(
    a: Array, b: Array, target: str | None = None, on_kernel: Callable[[Kernel], object] = lambda kernel: None
) -> Array:
    """A @ B for two-dimensional f32 or f64 arrays; `on_kernel` is told every kernel used, once each."""
    a, b = as_array("A", a), as_array("B", b)
    for name, array in (("A", a), ("B", b)):
        if array.ndim != 2 or array.dtype not in _TYPES:
            raise ValueError(f"{name}: a two-dimensional f32 or f64 array, not {array.dtype} {array.shape}")
    if a.dtype != b.dtype or a.shape[1] != b.shape[0]:
        raise ValueError(
            f"A {a.dtype} {a.shape} and B {b.dtype} {b.shape}: equal types, A's columns as many as B's rows"
        )
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    c = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    seen: set[int] = set()
    for i in _blocks(c.shape[0], BLOCK_M):
        for j in _blocks(c.shape[1], BLOCK_N):
            for kernel, arguments in _calls(a, b, c, i, j, target):
                if id(kernel) not in seen:
                    seen.add(id(kernel))
                    on_kernel(kernel)
                kernel(*arguments)
    return c


def _blocks(extent: int, block: int) -> Iterator[slice]:
    return (slice(start, min(start + block, extent)) for start in range(0, extent, block))


def _calls(
    a: Array, b: Array, c: Array, i: slice, j: slice, target: str | None
) -> Iterator[tuple[Kernel, tuple[Any, ...]]]:
    """The kernel calls for one block of C: all full blocks of k at once, then the rest of k."""
    k, size = a.shape[1], a.itemsize
    count, rest = divmod(k, BLOCK_K)
    common = {"dtype": _TYPES[a.dtype], "lda": a.shape[1], "ldb": b.shape[1], "ldc": c.shape[1], "target": target}
    m, n = i.stop - i.start, j.stop - j.start
    if count:
        kernel = brgemm(m, n, BLOCK_K, batch=STRIDE, **common)
        strides = BLOCK_K * size, BLOCK_K * b.shape[1] * size
        yield kernel, (a[i, :BLOCK_K], b[:BLOCK_K, j], c[i, j], count, *strides)
    if rest:
        kernel = brgemm(m, n, rest, **common)
        yield kernel, (a[i, k - rest :], b[k - rest :, j], c[i, j])
