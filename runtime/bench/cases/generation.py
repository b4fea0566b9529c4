"""How long it takes to generate fused kernels: processor time of new kernels of each kind, beside the goal. Some kinds
are a part of `tilesmith bench fused`, all of them are `python -m tests.bench.fused_generation`.

The first kernel of a kind imports its modules and is not counted. No kernel comes from a cache: each one has another
shape or graph, and nothing is kept on disk. The figures are the median, minimum and maximum of this thread's processor
time from the request to the bytes.
"""

from __future__ import annotations

import importlib
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

from ...api import fused as ops
from ...api.attention import attention, attention_inv
from ...api.eltwise import equation
from ..runner import Run, Table
from ..table import Goal, Row

ts: Any = importlib.import_module("tilesmith")  # the functions of traced kernels, as a user names them
KERNELS = 9
Make = Callable[..., Any]
SOFTMAX, GRAPH, ATTENTION = 10e-3, 15e-3, 25e-3
"""The goals of issue 22 in seconds of processor time; other kinds have no goal."""
COLUMNS = "kind; median, CPU ms=median:1m; least=least:1m; most=most:1m; goal=goal:0m; bytes:0"


def chained(x: Any, w: Any) -> Any:
    """A function of 40 nodes with seven reductions along rows, one after the other."""
    value, nodes = x, 0
    while nodes < 40:
        value = ts.maximum(value * w + x, -1.0) - ts.max(value, axis=1) * 0.25
        nodes += 6
    return value


PAIRS = (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b * b + 1.0),
         lambda a, b: ts.maximum(a, b), lambda a, b: ts.minimum(a, b))
SINGLE = (lambda a: -a, abs, lambda a: ts.sqrt(a * a + 1.0), ts.tanh, ts.sigmoid, lambda a: ts.exp(-(a * a)),
          lambda a: a * 0.375)
ALONG = (ts.sum, ts.mean, ts.max, ts.min, ts.absmax, lambda a, axis: ts.prod(1.0 + a * 2.0**-10, axis=axis))


def drawn(seed: int, nodes: int = 40) -> Callable[..., Any]:
    """Return a random graph like those of tests/microkernels/fused/test_random_graphs.py. A node combines two values,
    is a function of one value, or is a reduction along rows, of random nodes before it. At most four unused nodes are
    results."""

    def function(x: Any, w: Any, c: Any, e: Any) -> Any:
        rng = random.Random(seed)
        values, wide, used = [x, w, c, e], {0, 1}, set[int]()
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


def _drawn(run: int, **more: Any) -> Any:
    n = 2 + (run * 7) % 39
    return equation(drawn(run), x=(4, n), w=(1, n), c=(4, 1), e=(1, 1), **more)


def _rows(name: str, rows: int = 64, first: int = 384, step: int = 4) -> Make:
    """Return a function that requests a composite with another number of columns each time."""
    return lambda run, **more: ops.fused(name, rows, first + step * run, **more)


def _heads(*, odd: int = 0, inverse: bool = False, size: int = 64, **more: Any) -> Make:
    """Return a function that requests attention with lengths of whole blocks, or with remainders if `odd`."""
    make: Any = attention_inv if inverse else attention
    return lambda run, **given: make(8, 512 + 64 * run + odd * (run + 5), 512 + 64 * run + odd * (2 * run + 3), size,
                                     **more, **given)


def _sizes(length: int = 512, inverse: bool = False, **more: Any) -> Make:
    make: Any = attention_inv if inverse else attention
    return lambda run, **given: make(7, length, length, 40 + 4 * run, **more, **given)


KINDS: dict[str, tuple[float | None, Make]] = {
    "softmax 64 x n": (SOFTMAX, _rows("softmax")), "softmax 256 x 32n": (SOFTMAX, _rows("softmax", 256, step=32)),
    "softmax 4096 x n": (SOFTMAX, _rows("softmax", 4096, 1000)),
    "softmax of any rows": (SOFTMAX, _rows("softmax", ts.RUNTIME)),
    "log_softmax": (SOFTMAX, _rows("log_softmax")), "softmax_inv": (SOFTMAX, _rows("softmax_inv")),
    "layernorm": (SOFTMAX, _rows("layernorm")), "batchnorm_training": (None, _rows("batchnorm_training")),
    "clip_own_norm": (None, _rows("clip_own_norm")),
    "40 nodes in a chain": (GRAPH, lambda run, **more: equation(
        chained, x=(64, 384 + 4 * run), w=(1, 384 + 4 * run), **more)),
    "40 nodes drawn": (GRAPH, _drawn), "40 nodes drawn, f64": (GRAPH, lambda run, **more: _drawn(
        run + 100, dtype="f64", **more)),
    "gather, multiply, sum": (None, lambda run, **more: equation(
        lambda x, i, j: ts.sum(ts.gather(x, i) * ts.gather(x, j), axis=1), x=(64, 384 + 4 * run), i=(99,), j=(99,),
        **more)),
    "softmax(x.T)": (None, lambda run, **more: equation(
        lambda x: ts.softmax(x.T, axis=1), x=(384 + 4 * run, 64), **more)),
    **{f"attention {dtype}": (ATTENTION, _heads(dtype=dtype)) for dtype in ("f32", "bf16", "f16", "f64")},
    "attention of other sizes": (ATTENTION, _sizes()),
    "attention of other sizes, causal": (ATTENTION, _sizes(causal=True)),
    "attention_inv of other sizes": (ATTENTION, _sizes(528, inverse=True)),
    "attention causal": (ATTENTION, _heads(causal=True)),
    "attention bf16 causal": (ATTENTION, _heads(causal=True, dtype="bf16")),
    "attention f16 causal": (ATTENTION, _heads(causal=True, dtype="f16")),
    "attention mask": (ATTENTION, _heads(mask="full")), "attention row mask": (ATTENTION, _heads(mask="row")),
    "attention grouped": (ATTENTION, _heads(kv_heads=2, lse=True)), "attention odd": (ATTENTION, _heads(odd=1)),
    "attention odd, causal": (ATTENTION, _heads(odd=1, causal=True)),
    "attention bf16 odd, causal": (ATTENTION, _heads(odd=1, causal=True, dtype="bf16")),
    "attention odd, mask": (ATTENTION, _heads(odd=1, mask="full")),
    "attention odd, causal, mask": (ATTENTION, _heads(odd=1, causal=True, mask="full")),
    "attention of size 37, odd": (ATTENTION, _heads(size=37, odd=1)),
    "attention_inv": (ATTENTION, _heads(inverse=True)),
    "attention_inv bf16": (ATTENTION, _heads(inverse=True, dtype="bf16")),
    "attention_inv causal": (ATTENTION, _heads(inverse=True, causal=True)),
    "attention_inv odd": (ATTENTION, _heads(inverse=True, odd=1)),
    "attention_inv odd, causal": (ATTENTION, _heads(inverse=True, odd=1, causal=True)),
    "attention_inv bf16 odd, causal": (ATTENTION, _heads(inverse=True, odd=1, causal=True, dtype="bf16")),
    "attention_inv odd, causal, mask": (ATTENTION, _heads(inverse=True, odd=1, causal=True, mask="full")),
}
SOME = ("softmax 64 x n", "attention f32", "attention causal", "attention_inv", "40 nodes in a chain")
"""The kinds of `tilesmith bench fused`."""


def measured(run: Run, name: str) -> Row:
    """Return the seconds of new kernels of a kind, and the bytes of the last one."""
    goal, make = KINDS[name]
    more = {"target": run.target} if run.target else {}
    before, taken, size = os.environ.get("TILESMITH_CACHE"), [], 0
    os.environ["TILESMITH_CACHE"] = "off"
    try:
        make(KERNELS, **more).code  # noqa: B018  # generates the code
        for number in range(KERNELS):
            start = time.thread_time_ns()
            size = len(make(number, **more).code)
            taken.append((time.thread_time_ns() - start) * 1e-9)
    finally:
        os.environ.pop("TILESMITH_CACHE") if before is None else os.environ.update(TILESMITH_CACHE=before)
    return {"kind": name, "median": statistics.median(taken), "least": min(taken), "most": max(taken),
            "goal": goal if goal is not None else "", "bytes": size}


def table(kinds: Iterable[str]) -> Table:
    """Return the table of some kinds."""
    return Table("generation", COLUMNS, kinds, measured, "new kernels", lambda rows: [
        Goal(f"code of {row['kind']}, median", row["goal"], row["median"], "s") for row in rows if row["goal"]])
