"""Time the backward pass of attention in bf16 with 8 heads of size 64: with products of f32, of pairs, and on tiles.

python -m tests.bench.attention_backward [LENGTHS]

Operands begin at cache lines, like torch's. Targets that this processor does not run are left out.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import tilesmith as ts
from tests.bench.attention import HEADS, SIZE, best
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host

WAYS = {"avx512": "of f32", "avx512_bf16": "of pairs", "amx": "on tiles"}
LINE = 64


def aligned(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return an array of normally distributed numbers that begins at a cache line."""
    values = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    room = np.empty(values.nbytes + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    held = room[start : start + values.nbytes].view(dtype).reshape(shape)
    held[...] = values
    return held


def milliseconds(length: int, causal: bool, target: str) -> float:
    """Return the milliseconds of a call."""
    kernel = ts.attention_inv(HEADS, length, length, SIZE, causal=causal, dtype="bf16", target=target)
    inputs = [aligned(each.shape, numpy_dtype(each.dtype)) for each in kernel.spec.inputs]
    inputs[-1][...] = 0.5 + np.log(length)  # roughly the lse of such scores
    outputs = [aligned(each.shape, numpy_dtype(each.dtype)) for each in kernel.spec.outputs]
    return 1000 * best(lambda: kernel(*inputs, *outputs))


def main() -> None:
    """Print a line for each length and mask."""
    targets = [each for each in WAYS if not host.runs(TARGETS[each])]
    print("| length | causal |" + "".join(f" {WAYS[each]}, ms |" for each in targets))
    print("|---|---|" + "---|" * len(targets))
    for length in [int(each) for each in sys.argv[1:]] or (512, 1024):
        for causal in (False, True):
            times = "".join(f" {milliseconds(length, causal, each):.2f} |" for each in targets)
            print(f"| {length} | {'yes' if causal else ''} |{times}", flush=True)


if __name__ == "__main__":
    main()
