"""Compare attention with 8 heads of size 64 with the peak of brgemm and, if it is installed, torch, in one run.

python -m tests.bench.attention [LENGTHS]
PYTHONPATH=... python -m tests.bench.attention      with torch in that path
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype

HEADS, SIZE, LENGTHS, SECONDS = 8, 64, (128, 256, 512, 1024, 2048), 0.3


def best(call: Callable[[], Any]) -> float:
    """Return the seconds of the fastest call within a fraction of a second."""
    call()
    least, end = float("inf"), perf_counter() + SECONDS
    while perf_counter() < end:
        start = perf_counter()
        call()
        least = min(least, perf_counter() - start)
    return least


def peak(dtype: str) -> float:
    """Return the operations per second of a product whose operands lie in L1."""
    more: dict[str, Any] = {"b_layout": "vnni", "numerics": "fast"} if dtype == "bf16" else {}
    kernel = ts.brgemm(48, 64, 64, batch=64, dtype=(dtype, dtype, "f32"), **more)
    a, b, c = (np.ones(each, numpy_dtype(dtype)) for each in ((64, 48, 64), (64, 64, 64), (48, 64)))
    c, b = c.astype(np.float32), b.reshape(64, 32, 64, 2) if dtype == "bf16" else b
    return kernel.flops / best(lambda: kernel(a, b, c))


def torch_call(arrays: list[Any], causal: bool) -> Callable[[], Any] | None:
    """Return a call of torch's scaled_dot_product_attention with the same arrays, or None without torch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    tensors = [torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.dtype.name == "bfloat16"
               else torch.from_numpy(x) for x in arrays]  # fmt: skip
    held = [each[None] for each in tensors]
    return lambda: torch.nn.functional.scaled_dot_product_attention(*held, is_causal=causal)


def main() -> None:
    """Print a line for each type, length and mask."""
    print("| type | length | causal | of peak | torch, of peak | times torch |\n|---|---|---|---|---|---|")
    for dtype in ("f32", "bf16", "f16"):
        for length in [int(each) for each in sys.argv[1:]] or LENGTHS:
            for causal in (False, True):
                rng = np.random.default_rng(0)
                arrays = [rng.standard_normal((HEADS, length, SIZE)).astype(numpy_dtype(dtype)) for _ in range(3)]
                kernel, out = ts.attention(HEADS, length, length, SIZE, causal=causal, dtype=dtype), arrays[0].copy()
                flops = 4 * HEADS * length * length * SIZE / (2 if causal else 1)
                most, ours = peak(dtype), best(lambda: kernel(*arrays, out))  # noqa: B023
                call = torch_call(arrays, causal)
                theirs = best(call) if call else float("nan")
                most = max(most, peak(dtype))
                print(f"| {dtype} | {length} | {'yes' if causal else ''} | {flops / ours / most:.2f} | "
                      f"{flops / theirs / most:.2f} | {theirs / ours:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
