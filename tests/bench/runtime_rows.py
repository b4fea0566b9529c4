"""Compare a kernel for any number of rows with kernels for a fixed number: `python -m tests.bench.runtime_rows`.

For each number of rows, a line shows the time of a call with rows given at the call over that of a kernel for this
number (minimum of several, in turns), and the ratio of their code bytes. `python -m tests.bench.runtime_rows 0.1 "@"
sse` measures kernels of another target; of one whose code this processor cannot run, a line shows the bytes alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import nan
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench import measure
from tilesmith.runtime.host.detect import runs

ROWS = (64, 100, 256, 1000)
SHAPES = ((64, 64), (48, 32), (256, 64), (100, 100), (512, 256))
NARROW: tuple[tuple[str, Any, dict[str, str]], ...] = (
    ("bf16 in pairs", ("bf16", "bf16", "f32"), {"b_layout": "vnni"}),
    ("bf16", ("bf16", "bf16", "f32"), {}),
    ("bytes by fours", ("u8", "i8", "i32"), {"b_layout": "vnni"}),
    ("i16 in pairs", ("i16", "i16", "i32"), {"b_layout": "vnni"}),
    ("f16", ("f16", "f16", "f32"), {}),
)


def kernels(**target: Any) -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    """Yield name, type, and the function that makes the kernel for a number of rows."""
    for dtype in ("f32", "f64"):
        for n, k in SHAPES:
            yield (f"brgemm n {n} k {k}", dtype,
                   lambda m, n=n, k=k, dtype=dtype: ts.brgemm(m, n, k, dtype=dtype, beta=0, **target))  # fmt: skip
    for name, types, layout in NARROW:
        for n, k in SHAPES:
            yield (f"brgemm {name} n {n} k {k}", types[0],
                   lambda m, n=n, k=k, t=types, more={**layout, **target}: ts.brgemm(m, n, k, dtype=t, beta=0,
                                                                                     **more))  # fmt: skip
    for n in (16, 64, 384, 1024):
        yield f"sum of rows n {n}", "f32", lambda m, n=n: ts.reduce("sum", m, n, axis=1, **target)
        for name in ("relu", "gelu"):
            yield f"{name} n {n}", "f32", lambda m, n=n, name=name: ts.unary(name, m, n, **target)
        for name in ("softmax", "layernorm"):
            yield f"{name} n {n}", "f32", lambda m, n=n, name=name: ts.fused(name, m, n, **target)
        for name in ("batchnorm_training", "clip_own_norm"):
            yield f"{name} n {n}", "f32", lambda m, n=n, name=name: ts.fused(name, m, n, **target)
        yield (f"gather, times x n {n}", "f32",
               lambda m, n=n: ts.equation(lambda x, t, i: x * ts.gather(t, i), x=(m, n), t=(1000, n),
                                          i=(m,), **target))  # fmt: skip
    for n, h in ((64, 64), (128, 128)):
        yield (f"gather(x, i) @ w, {n} and {h}", "f32",
               lambda m, n=n, h=h: ts.equation(lambda x, i, w: ts.gather(x, i) @ w, x=(1000, n), i=(m,),
                                               w=(n, h), **target))  # fmt: skip
    for n, h in ((64, 256), (256, 1024), (512, 512), (512, 1024)):
        shapes: dict[str, Any] = {"w": (n, h), "b": (1, h), "v": (h, n)}
        yield (f"gelu(x @ w + b) @ v, {n} and {h}", "f32",
               lambda m, n=n, s=shapes: ts.equation(_layers, x=(m, n), **s, **target))  # fmt: skip


def by_columns(**target: Any) -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    """Yield the same for matrices whose columns are contiguous."""
    traced: dict[str, Callable[[Any], Any]] = {
        "relu": ts.relu, "x * 2 + x": lambda x: x * 2 + x, "gelu": ts.gelu, "sum of rows": lambda x: ts.sum(x, axis=1),
        "x - sum of rows": lambda x: x - ts.sum(x, axis=1),
    }  # fmt: skip
    for n in (48, 384):
        for name, function in traced.items():
            yield (f"{name} order F n {n}", "f32",
                   lambda m, n=n, f=function: ts.equation(f, x=(m, n), order="F", **target))  # fmt: skip
        for name in ("softmax", "layernorm"):
            yield f"{name} order F n {n}", "f32", lambda m, n=n, name=name: ts.fused(name, m, n, order="F", **target)


def _layers(x: Any, w: Any, b: Any, v: Any) -> Any:
    return ts.gelu(x @ w + b) @ v


def ratios(make: Callable[[Any], Any], rows: int, seconds: float) -> tuple[float, float]:
    """Return the ratios (time, bytes of code) of the kernel for any number of rows to the fixed one. The time is NaN if
    this processor cannot run them."""
    fixed, free = make(rows), make(ts.RUNTIME)
    if runs(fixed.target):
        return nan, len(free.code) / len(fixed.code)
    operands = getattr(fixed.spec, "arguments", None) or fixed.spec.operands
    arrays = [np.full(each.shape, 0.5).astype(numpy_dtype(each.dtype)) for each in operands]  # indices are 0
    places = [each.ctypes.data for each in arrays]
    distances = [rows for each in free.spec.operands if each.view.leading is ts.RUNTIME]  # order F without gaps
    calls = {"fixed": measure.NativeCall(fixed.address, tuple(places), fixed),
             "free": measure.NativeCall(free.address, (*places, rows, *distances), free)}  # fmt: skip
    found = measure.seconds_per_call(calls, seconds)
    return found["free"].best / found["fixed"].best, len(free.code) / len(fixed.code)


def main(seconds: float = 0.1, only: str = "", target: str = "native") -> None:
    """Print the table for names that contain `only`, and for this processor or the target of a name."""
    for name, dtype, make in (*kernels(target=target), *by_columns(target=target)):
        if only not in name:
            continue
        try:
            found = [ratios(make, rows, seconds) for rows in ROWS]
        except ts.UnsupportedError as error:
            print(f"{dtype} {name:32}  {error}")
            continue
        print(f"{dtype} {name:32}  " + "  ".join(f"{m:4}: {t:.3f} ({s:.2f})" for m, (t, s) in zip(ROWS, found)),
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]), *sys.argv[2:4])
