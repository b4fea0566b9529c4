"""Measure how long it takes to generate fused kernels: see runtime/bench/cases/generation.py.

    python -m tests.bench.fused_generation [--only WORD] [--profile] [--target NAME]
"""

import cProfile
import pstats
import random
from collections.abc import Callable, Iterator
from typing import Any

import tilesmith as ts
from tilesmith.runtime.bench.cases import generation
from tilesmith.runtime.bench.cases.generation import heads, rows
from tilesmith.runtime.bench.runner import Bench, Run, Table, main

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
    return ts.equation(drawn(run), x=(4, n), w=(1, n), c=(4, 1), e=(1, 1), **more)


def sizes(length: int = 512, inverse: bool = False, **more: Any) -> generation.Kind:
    """Return requests of attention with heads of other sizes."""
    make: Any = ts.attention_inv if inverse else ts.attention
    return 25e-3, lambda run, **given: make(7, length, length, 40 + 4 * run, **more, **given)


KINDS: dict[str, generation.Kind] = {
    **generation.KINDS,
    "softmax 256 x 32n": rows("softmax", 256, step=32),
    "softmax 4096 x n": rows("softmax", 4096, 1000),
    "softmax of any rows": rows("softmax", ts.RUNTIME),
    "log_softmax": rows("log_softmax"), "softmax_inv": rows("softmax_inv"),
    "layernorm": rows("layernorm"), "batchnorm_training": (None, rows("batchnorm_training")[1]),
    "clip_own_norm": (None, rows("clip_own_norm")[1]),
    "40 nodes drawn": (15e-3, _drawn), "40 nodes drawn, f64": (15e-3, lambda run, **more: _drawn(
        run + 100, dtype="f64", **more)),
    "gather, multiply, sum": (None, lambda run, **more: ts.equation(
        lambda x, i, j: ts.sum(ts.gather(x, i) * ts.gather(x, j), axis=1), x=(64, 384 + 4 * run), i=(99,), j=(99,),
        **more)),
    "softmax(x.T)": (None, lambda run, **more: ts.equation(
        lambda x: ts.softmax(x.T, axis=1), x=(384 + 4 * run, 64), **more)),
    **{f"attention {dtype}": heads(dtype=dtype) for dtype in ("bf16", "f16", "f64")},
    "attention of other sizes": sizes(),
    "attention of other sizes, causal": sizes(causal=True),
    "attention_inv of other sizes": sizes(528, inverse=True),
    "attention bf16 causal": heads(causal=True, dtype="bf16"),
    "attention f16 causal": heads(causal=True, dtype="f16"),
    "attention mask": heads(mask="full"), "attention row mask": heads(mask="row"),
    "attention grouped": heads(kv_heads=2, lse=True), "attention odd": heads(odd=1),
    "attention odd, causal": heads(odd=1, causal=True),
    "attention bf16 odd, causal": heads(odd=1, causal=True, dtype="bf16"),
    "attention odd, mask": heads(odd=1, mask="full"),
    "attention odd, causal, mask": heads(odd=1, causal=True, mask="full"),
    "attention of size 37, odd": heads(size=37, odd=1),
    "attention_inv bf16": heads(inverse=True, dtype="bf16"),
    "attention_inv causal": heads(inverse=True, causal=True),
    "attention_inv odd": heads(inverse=True, odd=1),
    "attention_inv odd, causal": heads(inverse=True, odd=1, causal=True),
    "attention_inv bf16 odd, causal": heads(inverse=True, odd=1, causal=True, dtype="bf16"),
    "attention_inv odd, causal, mask": heads(inverse=True, odd=1, causal=True, mask="full"),
}


def _tables(run: Run) -> Iterator[Table]:
    profile = cProfile.Profile()
    if run.options.profile:
        profile.enable()
    yield generation.table({name: kind for name, kind in KINDS.items() if run.options.only in name})
    profile.disable()
    if run.options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


BENCH = Bench("fused_generation", __doc__, _tables, {
    "--only": {"default": "", "help": "kinds whose name has this in it"},
    "--target": {"help": "the target; without it, this processor"},
    "--profile": {"action": "store_true", "help": "print where the time goes as well"}}, alone=False, foreign=True)

if __name__ == "__main__":
    main(BENCH)
