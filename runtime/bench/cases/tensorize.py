"""`tilesmith bench tensorize`: UNIT's 16 layers (table I) from their expressions, on one thread in one run.

The kernel of the tensor program, with packed weights, beside a `ts.conv` layer of the same shape and torch's f32
convolution with channels last; u8 images by i8 weights are exact. `make` is the time to plan and emit a kernel whose
products have been made before, as another shape of a network has them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import numpy as np

from ....microkernels.tensorize import expressions as loops
from ....microkernels.tensorize.expressions import TensorProgram
from ...arguments.arrays import numpy_dtype
from ...convolution.layers import conv
from ...tensorize.kernel import Tensorized, tensorize
from ..measure import Contender, PythonCall
from ..runner import Bench, Run, Table
from ..table import Goal, Row, WrongResult, geometric_mean
from .conv import TABLE_I, LayerShape, images, torch_calls

COLUMNS = ("layer=name; shape; types; instruction; ms=ours:2m; conv, ms=conv:2m; of conv:2; "
           "times torch f32=by torch:2; make ms=make:1m")
TYPES = (("u8", "i8", "i32"), ("f32", "f32", "f32"))


def program_of(shape: LayerShape, types: tuple[str, str, str]) -> TensorProgram:
    """Return a layer without padding as a tensor program, with channels last in the images, the weights and the
    result."""
    data = loops.axis(shape.n, shape.out, shape.out, shape.k, names="n p q k")
    summed = loops.reduce_axis(shape.taps, shape.taps, shape.c, names="r s c")
    assert isinstance(data, tuple) and isinstance(summed, tuple)
    (n, p, q, k), (r, s, c) = data, summed
    cast = {"i32": loops.i32, "f32": loops.f32}[types[2]]
    x = loops.tensor((shape.n, shape.size, shape.size, shape.c), types[0])
    w = loops.tensor((shape.taps, shape.taps, shape.c, shape.k), types[1])
    product = cast(x[n, shape.stride * p + r, shape.stride * q + s, c]) * cast(w[r, s, c, k])
    return loops.summed(product, summed)


def measured(run: Run, shape: LayerShape, types: tuple[str, str, str]) -> Row:
    """Return the row of a layer."""
    rng = np.random.default_rng(0)
    x = images(rng, shape, "NHWC", types[0])
    low, high = (-100, 100) if types[2] == "i32" else (-4, 5)
    w = rng.integers(low, high, (shape.k, shape.c, shape.taps, shape.taps)).astype(numpy_dtype(types[1]))
    program = program_of(shape, types)
    kernel = tensorize(program)
    inside, turned = x.transpose(0, 2, 3, 1), np.ascontiguousarray(w.transpose(2, 3, 1, 0))
    packed = kernel.pack(turned)
    y = kernel(inside, packed, threads=1)
    started = time.perf_counter()
    _ = Tensorized(program, kernel.target).job
    make = time.perf_counter() - started
    layer = conv(x.shape, w.shape, stride=shape.stride, bias=False, layout="NHWC", dtype=types, threads=1)
    weights = layer.pack(w)
    z = layer(x, weights)
    if not np.array_equal(np.asarray(z).transpose(0, 2, 3, 1), np.asarray(y)) and types[2] == "i32":
        raise WrongResult(f"{shape.text}: the tensorized kernel and ts.conv differ")
    turns: dict[str, Contender] = {
        "ours": PythonCall(lambda: kernel(inside, packed, out=y, threads=1)),
        "conv": PythonCall(lambda: layer(x, weights, out=z)),
        **torch_calls(shape, x.astype(np.float32), w.astype(np.float32)),
    }
    best = run.turns(turns)
    return {"name": shape.name, "shape": shape.text, "types": "x".join(types[:2]),
            "instruction": kernel.instruction.name, "ours": best["ours"], "conv": best["conv"],
            "of conv": best["conv"] / best["ours"],
            "by torch": best.get("NHWC", math.nan) / best["ours"], "make": make}


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield what the tables are held to."""
    for types in TYPES:
        of = [row for row in rows if row["types"] == "x".join(types[:2])]
        if of:
            yield Goal(f"{of[0]['types']}: of ts.conv's speed, least", 0.92, min(row["of conv"] for row in of))
            times = [row["by torch"] for row in of if math.isfinite(row["by torch"])] or [math.nan]
            yield Goal(f"{of[0]['types']}: torch's f32 by ours, geometric mean", 1.3, geometric_mean(times))


BENCH = Bench(
    "tensorize",
    __doc__,
    (
        Table("layers", COLUMNS, tuple((shape, types) for types in TYPES for shape in TABLE_I), measured, goals=goals),
    ),
)
