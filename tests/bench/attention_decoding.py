"""Compare attention of few queries over many keys, as a decoder has it, with torch's, in one run on one thread.

PYTHONPATH=... python -m tests.bench.attention_decoding [SECONDS]      with torch in that path

A line gives the least microseconds of calls from Python in turns: of a kernel for this number of keys, of one for any
number (`seen=ts.RUNTIME`), and of torch. GB/s are the bytes of k and v over the first of these times.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

import tilesmith as ts
from tilesmith.runtime.bench import measure

SIZE = 64
CASES = (8, 8, 1, 2048), (8, 2, 1, 2048), (32, 8, 1, 512), (8, 8, 4, 2048), (8, 2, 4, 2048)
"""Heads, heads of k and v, queries, keys."""
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def least(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """Return the least microseconds of each call, in turns."""
    found = dict.fromkeys(calls, float("inf"))
    end = perf_counter() + seconds
    while perf_counter() < end:
        for name, call in calls.items():
            start = perf_counter()
            call()
            found[name] = min(found[name], 1e6 * (perf_counter() - start))
    return found


def main(seconds: float = 2.0) -> None:
    """Print a line for each case and type."""
    torch.set_num_threads(1)
    print("| type | heads | kv heads | queries | keys | fixed | any | torch | times torch | GB/s |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with measure.one_cpu():
        for dtype, of_torch in TYPES.items():
            for heads, kv_heads, queries, keys in CASES:
                q, k, v = (torch.randn(shape).to(of_torch) for shape in
                           ((heads, queries, SIZE), (kv_heads, keys, SIZE), (kv_heads, keys, SIZE)))  # fmt: skip
                out, one = torch.empty_like(q), [each[None] for each in (q, k, v)]
                fixed = ts.attention(heads, queries, keys, SIZE, kv_heads=kv_heads, dtype=dtype)  # type: ignore[arg-type]
                counted = ts.attention(heads, queries, keys, SIZE, kv_heads=kv_heads, dtype=dtype,  # type: ignore[arg-type]
                                       seen=ts.RUNTIME)  # fmt: skip
                calls: dict[str, Callable[[], Any]] = {
                    "fixed": lambda: fixed(q, k, v, out),  # noqa: B023
                    "any": lambda: counted(q, k, v, keys, out),  # noqa: B023
                    "torch": lambda: scaled_dot_product_attention(*one, enable_gqa=True),  # noqa: B023
                }
                found = least(calls, seconds)
                rate = 2 * k.nbytes / found["fixed"] / 1e3
                print(f"| {dtype} | {heads} | {kv_heads} | {queries} | {keys} | "
                      + " | ".join(f"{each:.0f}" for each in found.values())
                      + f" | {found['torch'] / found['fixed']:.2f} | {rate:.1f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
