"""Compare one kernel that moves elements and computes on the way with two kernels: `python -m tests.bench.moved`.

The two kernels are a transpose or packing of unchanged elements, and an elementwise kernel with one order. Elements are
moved in the narrower type. Times are the best of each kernel in an emitted loop, with operands in the caches.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import address_of, numpy_dtype
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.measure import NativeCall

SHAPES = ((64, 64), (256, 256), (500, 300))
ROWS = (
    ("relu, F to C", "plain", "relu", "f32", "f32"),
    ("relu, F to C", "plain", "relu", "bf16", "bf16"),
    ("relu, F to C", "plain", "relu", "f32", "bf16"),
    ("relu, F to C", "plain", "relu", "i8", "i8"),
    ("transpose, gelu", "plaint", "gelu", "f32", "bf16"),
    ("transpose, exp", "plaint", "exp", "f64", "f64"),
    ("convert, pack vnni2", "vnni2", "identity", "f32", "bf16"),
    ("relu, pack vnni2", "vnni2", "relu", "f32", "bf16"),
    ("convert, pack vnni2t", "vnni2t", "identity", "f32", "bf16"),
    ("relu, pack vnni4", "vnni4", "relu", "i8", "i8"),
)
FUNCTIONS = {"relu": ts.relu, "gelu": ts.gelu, "exp": ts.exp, "identity": None}


def native(kernel: Any) -> NativeCall:
    """Return a call of the kernel on its own aligned arrays."""
    held = []
    for operand in getattr(kernel.spec, "arguments", None) or kernel.spec.operands:
        dtype = numpy_dtype(operand.dtype)
        size = int(np.prod(operand.shape)) * dtype.itemsize
        memory = np.zeros(size + 64, np.uint8)
        start = -address_of(memory) % 64
        held.append(memory[start : start + size])
    return NativeCall(kernel.address, tuple(map(address_of, held)), (kernel, *held))


def kernels(layout: str, name: str, m: int, n: int, dtype: Any, out: Any, target: Any) -> dict[str, Any]:
    """Return the kernel that does both, and the two separate kernels."""
    if layout == "plain":
        one = ts.unary(name, m, n, dtype=dtype, out=out, order="FC", target=target)
        move: Any = lambda each: ts.transpose(n, m, dtype=each, target=target)  # noqa: E731
    elif layout == "plaint":
        one = ts.transpose(m, n, dtype=dtype, out=out, epilogue=FUNCTIONS[name], target=target)
        move = lambda each: ts.transpose(m, n, dtype=each, target=target)  # noqa: E731
    else:
        one = ts.transform(layout, m, n, dtype, out=out, epilogue=FUNCTIONS[name], target=target)
        move = lambda each: ts.transform(layout, m, n, each, target=target)  # noqa: E731
    narrow = min((dtype, out), key=lambda each: numpy_dtype(each).itemsize)
    return {"one": one, "moves": move(narrow), "computes": ts.unary(name, m, n, dtype=dtype, out=out, target=target)}


def main() -> None:
    """Print one line for each request."""
    targets = sys.argv[1:] or [None, "avx2"]
    with measure.one_cpu():
        hertz = measure.frequency()
        for target in targets:
            for text, layout, name, dtype, out in ROWS:
                for m, n in SHAPES:
                    made = kernels(layout, name, m, n, dtype, out, target)
                    found = measure.seconds_per_call({who: native(each) for who, each in made.items()}, 0.05)
                    one, moves, computes = (found[who].best * hertz for who in made)
                    request = f"{target or 'host':7} {text:22} {dtype:>4} to {out:4} {m} x {n}"
                    apart = f"apart {moves:9,.0f} + {computes:9,.0f}, {(moves + computes) / one:.2f} times as long"
                    print(f"{request}: {one:9,.0f} cycles, {apart}")


if __name__ == "__main__":
    main()
