"""Measure how long it takes to generate fused kernels: processor time of new kernels of each kind, beside the goal.

    python -m tests.bench.fused_generation [--only WORD] [--profile] [--target NAME]

The first kernel of a kind imports its modules and is not counted. No kernel comes from a cache: each one has another
shape or graph, and nothing is kept on disk. The figures are the median, minimum and maximum of this thread's processor
time from the request to the bytes.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import tilesmith as ts

KERNELS = 9
Make = Callable[..., Any]
SOFTMAX, GRAPH, ATTENTION = 10.0, 15.0, 25.0
"""The goals of issue 22 in milliseconds of processor time; other kinds have no goal."""


def chained(x: Any, w: Any) -> Any:
    """A function of 40 nodes with seven reductions along rows, one after the other."""
    value, nodes = x, 0
    while nodes < 40:
        value = ts.maximum(value * w + x, -1.0) - ts.max(value, axis=1) * 0.25
        nodes += 6
    return value


PAIRS = (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b * b + 1.0),
         lambda a, b: ts.maximum(a, b), lambda a, b: ts.minimum(a, b))  # fmt: skip
SINGLE = (lambda a: -a, abs, lambda a: ts.sqrt(a * a + 1.0), ts.tanh, ts.sigmoid, lambda a: ts.exp(-(a * a)),
          lambda a: a * 0.375)  # fmt: skip
ALONG = (ts.sum, ts.mean, ts.max, ts.min, ts.absmax, lambda a, axis: ts.prod(1.0 + a * 2.0**-10, axis=axis))


def drawn(seed: int, nodes: int = 40) -> Callable[..., Any]:
    """Return a random graph like those of tests/microkernels/fused/test_random_graphs.py. A node combines two values,
    is a function of one value, or is a reduction along rows, of random nodes before it. At most four unused nodes are
    results."""

    def function(x: Any, w: Any, c: Any, e: Any) -> Any:
        rng = random.Random(seed)
        values, wide, used = [x, w, c, e], {0, 1}, set()
        for number in range(4, 4 + nodes):
            kind, i, j = rng.choice(("pair",) * 7 + ("single",) * 7 + ("along",) * 6), *rng.sample(range(number), 2)
            if kind == "along":
                i = i if i in wide else 0
                values.append(rng.choice(ALONG)(values[i], axis=1))
            elif kind == "single":
                values.append(rng.choice(SINGLE)(values[i]))
            else:
                values.append(rng.choice(PAIRS)(values[i], values[j]))
            parts = {i, j} if kind == "pair" else {i}
            used |= parts
            wide |= {number} if kind != "along" and parts & wide else set()
        free = [value for number, value in enumerate(values) if number > 3 and number not in used]
        return (*free[-4:], 0.0 * x + 0.0 * w + 0.0 * c + 0.0 * e)

    return function


def equation(run: int, nodes: int = 40, **more: Any) -> Any:
    """Return the kernel of a random graph whose inputs are a matrix, a row, a column and an element."""
    n = 2 + (run * 7) % 39
    return ts.equation(drawn(run, nodes), x=(4, n), w=(1, n), c=(4, 1), e=(1, 1), **more)


def attention(heads: int = 8, size: int = 64, *, odd: int = 0, inverse: bool = False, **more: Any) -> Make:
    """Return a function that requests attention with lengths of whole blocks, or with remainders if `odd`."""
    request = ts.attention_inv if inverse else ts.attention

    def make(run: int, **given: Any) -> Any:
        length = 512 + 64 * run
        return request(heads, length + odd * (run + 5), length + odd * (2 * run + 3), size, **more, **given)

    return make


KINDS: dict[str, tuple[float | None, Make]] = {
    "softmax 64 x n": (SOFTMAX, lambda run, **more: ts.fused("softmax", 64, 384 + 4 * run, **more)),
    "softmax 256 x 32n": (SOFTMAX, lambda run, **more: ts.fused("softmax", 256, 384 + 32 * run, **more)),
    "softmax 4096 x n": (SOFTMAX, lambda run, **more: ts.fused("softmax", 4096, 1000 + 4 * run, **more)),
    "softmax of any rows": (SOFTMAX, lambda run, **more: ts.fused("softmax", ts.RUNTIME, 384 + 4 * run, **more)),
    "log_softmax": (SOFTMAX, lambda run, **more: ts.fused("log_softmax", 64, 384 + 4 * run, **more)),
    "softmax_inv": (SOFTMAX, lambda run, **more: ts.fused("softmax_inv", 64, 384 + 4 * run, **more)),
    "layernorm": (SOFTMAX, lambda run, **more: ts.fused("layernorm", 64, 384 + 4 * run, **more)),
    "batchnorm_training": (None, lambda run, **more: ts.fused("batchnorm_training", 64, 384 + 4 * run, **more)),
    "clip_own_norm": (None, lambda run, **more: ts.fused("clip_own_norm", 64, 384 + 4 * run, **more)),
    "40 nodes in a chain": (GRAPH, lambda run, **more: ts.equation(
        chained, x=(64, 384 + 4 * run), w=(1, 384 + 4 * run), **more)),
    "40 nodes drawn": (GRAPH, equation),
    "40 nodes drawn, f64": (GRAPH, lambda run, **more: equation(run + 100, dtype="f64", **more)),
    "gather, multiply, sum": (None, lambda run, **more: ts.equation(
        lambda x, i, j: ts.sum(ts.gather(x, i) * ts.gather(x, j), axis=1), x=(64, 384 + 4 * run), i=(99,), j=(99,),
        **more)),
    "softmax(x.T)": (None, lambda run, **more: ts.equation(
        lambda x: ts.softmax(x.T, axis=1), x=(384 + 4 * run, 64), **more)),
    "attention f32": (ATTENTION, attention()),
    "attention bf16": (ATTENTION, attention(dtype="bf16")),
    "attention f16": (ATTENTION, attention(dtype="f16")),
    "attention f64": (ATTENTION, attention(dtype="f64")),
    "attention of other sizes": (ATTENTION, lambda run, **more: ts.attention(7, 512, 512, 40 + 4 * run, **more)),
    "attention of other sizes, causal": (ATTENTION, lambda run, **more: ts.attention(
        7, 512, 512, 40 + 4 * run, causal=True, **more)),
    "attention_inv of other sizes": (ATTENTION, lambda run, **more: ts.attention_inv(
        7, 528, 528, 40 + 4 * run, **more)),
    "attention causal": (ATTENTION, attention(causal=True)),
    "attention bf16 causal": (ATTENTION, attention(causal=True, dtype="bf16")),
    "attention f16 causal": (ATTENTION, attention(causal=True, dtype="f16")),
    "attention mask": (ATTENTION, attention(mask="full")),
    "attention row mask": (ATTENTION, attention(mask="row")),
    "attention grouped": (ATTENTION, attention(kv_heads=2, lse=True)),
    "attention odd": (ATTENTION, attention(odd=1)),
    "attention odd, causal": (ATTENTION, attention(odd=1, causal=True)),
    "attention bf16 odd, causal": (ATTENTION, attention(odd=1, causal=True, dtype="bf16")),
    "attention odd, mask": (ATTENTION, attention(odd=1, mask="full")),
    "attention odd, causal, mask": (ATTENTION, attention(odd=1, causal=True, mask="full")),
    "attention of size 37, odd": (ATTENTION, attention(size=37, odd=1)),
    "attention_inv": (ATTENTION, attention(inverse=True)),
    "attention_inv bf16": (ATTENTION, attention(inverse=True, dtype="bf16")),
    "attention_inv causal": (ATTENTION, attention(inverse=True, causal=True)),
    "attention_inv odd": (ATTENTION, attention(inverse=True, odd=1)),
    "attention_inv odd, causal": (ATTENTION, attention(inverse=True, odd=1, causal=True)),
    "attention_inv bf16 odd, causal": (ATTENTION, attention(inverse=True, odd=1, causal=True, dtype="bf16")),
    "attention_inv odd, causal, mask": (ATTENTION, attention(inverse=True, odd=1, causal=True, mask="full")),
}  # fmt: skip


def milliseconds(make: Make, more: dict[str, Any]) -> tuple[list[float], int]:
    """Return the milliseconds of new kernels, and the bytes of the last one."""
    make(KERNELS, **more).code  # noqa: B018  # generates the code
    taken, size = [], 0
    for run in range(KERNELS):
        start = time.thread_time_ns()
        size = len(make(run, **more).code)
        taken.append((time.thread_time_ns() - start) * 1e-6)
    return taken, size


def main() -> None:
    """Print one line per kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="kinds whose name has this in it")
    parser.add_argument("--target", help="the target; without it, this processor")
    parser.add_argument("--profile", action="store_true", help="print where the time goes as well")
    given = parser.parse_args()
    os.environ["TILESMITH_CACHE"] = "off"
    more = {"target": given.target} if given.target else {}
    print(f"{'CPU ms of a new kernel':34} median  least   most   goal   bytes")
    for name, (goal, make) in KINDS.items():
        if given.only not in name:
            continue
        profile = cProfile.Profile()
        if given.profile:
            make(KERNELS, **more).code  # noqa: B018
            profile.enable()
        taken, size = milliseconds(make, more)
        profile.disable()
        median = statistics.median(taken)
        verdict = "" if goal is None else f"{goal:7.0f}{'' if median <= goal else ' NOT REACHED'}"
        print(f"{name:34} {median:6.1f} {min(taken):6.1f} {max(taken):6.1f}{verdict:19} {size:7}")
        if given.profile:
            pstats.Stats(profile).sort_stats("tottime").print_stats(45)
            pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


if __name__ == "__main__":
    main()
