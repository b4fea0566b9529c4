"""Measure every way to cut a layer beside its estimate: `tilesmith bench convolution_ways`.

Each way that the planner of contractions compares (`layer.plan.rejected`) is made a layer of its own, gives the bits of
the chosen one, and takes turns with it and with `ts.linear` of the same product. The least CPU time of one thread
counts, since other processes share the machine. The default is section 20.9 of Intel's manual: 3 x 3 taps on 7 x 7
pixels in 9 x 9, either 7 rows of a tile at a time, or all pixels with those of the padding between them ("rows across
the rim").
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.cases.conv import LayerShape, images, square
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import WrongResult
from tilesmith.runtime.contraction.tiling import TilingChoice
from tilesmith.runtime.convolution.layer import Convolution
from tilesmith.runtime.convolution.layers import conv
from tilesmith.runtime.ops.linear import linear

TYPES = {"f32": ("f32", "f32", "f32"), "bf16": ("bf16", "bf16", "f32"), "u8": ("u8", "i8", "i32")}
ROUNDS = 5


def least(calls: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Return the least CPU seconds of each call, which take turns."""
    found, until = dict.fromkeys(calls, float("inf")), time.monotonic() + seconds * len(calls)
    rounds = 0
    while rounds < ROUNDS or time.monotonic() < until:
        for name, call in calls.items():
            started = time.process_time()
            call()
            found[name] = min(found[name], time.process_time() - started)
        rounds += 1
    return found


def forced(layer: Convolution, choice: TilingChoice) -> Convolution:
    """Return a layer of the same request that is cut in a given way."""
    return layer.recut(choice)


def measured(run: Run, shape: LayerShape, dtype: str) -> Iterator[Row]:
    """Yield the rows of the ways of a layer."""
    rng, types = np.random.default_rng(0), TYPES[dtype]
    x = images(rng, shape.x, "NHWC", types[0])
    drawn = rng.integers(-9, 9, shape.w)
    w, more = drawn.astype(numpy_dtype(types[1])), dict[str, Any](bias=False, dtype=types, threads=1)
    layer = conv(x.shape, w.shape, stride=shape.stride, padding=shape.padding, layout="NHWC", **more)
    (chosen,) = layer.plan.parts
    depth, rows = math.prod(shape.w[1:]), math.prod(shape.y) // shape.k
    product = linear(rows, shape.k, depth, **more)
    weights, a = product.pack(np.ascontiguousarray(w.reshape(shape.k, depth).T)), np.ones((rows, depth), x.dtype)
    wanted, z = layer(x, layer.pack(w)), product(a, weights)
    calls: dict[str, Callable[[], object]] = {"linear": partial(product, a, weights, z)}
    ways = {str(chosen.way): chosen.cycles, **{str(way): cycles for cycles, way in chosen.others}}
    for cycles, way in ((chosen.cycles, chosen.way), *chosen.others):
        made = forced(layer, TilingChoice(way, cycles, (), ()))
        packed = made.pack(w)
        if not np.array_equal(made(x, packed), wanted):
            raise WrongResult(f"{way}: other bits than the chosen way")
        calls[str(way)] = partial(made, x, packed, out=wanted.copy(order="K"))
    best = least(calls, run.seconds)
    for text, cycles in ways.items():
        yield {"way": text.partition("; rows")[0], "rows": text.partition("; ")[2].partition("; columns")[0],
               "estimate": cycles, "ms": best[text], "linear": best["linear"] / best[text]}


def tables(run: Run) -> Iterator[Table]:
    """Yield a table of the ways for each type."""
    options: argparse.Namespace = run.options
    n, c, k, size, taps, stride = options.layer
    shape = square("", n, c, k, size, taps, stride, taps // 2)
    for dtype in options.types:
        rows = list(measured(run, shape, dtype))
        yield Table(dtype, "way; rows; estimated cycles=estimate:0; ms:3m; of linear=linear:2",
                    tuple((row,) for row in rows), lambda _, row: row, f"{dtype}: {n} images, {shape.text}")


BENCH = Bench(
    "convolution_ways",
    "every way to cut a convolution, beside its estimate and ts.linear of the same product",
    tables,
    {"--layer": {"type": int, "nargs": 6, "default": [1, 512, 512, 7, 3, 1], "metavar": "N",
                 "help": "images, channels, filters, height and width, taps, stride"},
     "--types": {"nargs": "+", "default": ["bf16", "u8"], "choices": tuple(TYPES), "help": "f32, bf16, u8"}},
)
