"""`tilesmith bench tensorize`: UNIT's 16 layers (table I) from their expressions, beside `ts.conv` layers of the same
shapes and the int8 and f32 convolutions of torch and onnxruntime, in one run.

Weights are packed; u8 images by i8 weights have exact sums, which are scaled to u8. `creation` is what `tensorize`
takes beyond its nest: to inspect the instructions and to choose among the mappings. The table of pairs measures all
pairs of breaking points, and in which place the fastest is in the order of the estimate, which `ts.tune` follows, and
in that of the paper's tuner.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from ....microkernels.tensorize import expressions as loops
from ....microkernels.tensorize.expressions import TensorProgram
from ....microkernels.tuning.contractions import CONTRACTIONS
from ...api.typed import Epilogue
from ...arguments.arrays import Array, numpy_dtype
from ...contraction.tuning import WayTrial, choice_of, estimated
from ...convolution.layers import conv
from ...tensorize.breaking_points import BreakingPoints, pairs_of
from ...tensorize.functions import tensorize
from ...tensorize.kernel import Tensorized
from ..charts import Plot
from ..measure import Contender, PythonCall
from ..options import whole
from ..peers.convolutions import best_of, onnx_forward, onnx_quantized, torch_quantized, torch_volumes
from ..runner import Bench, Run, Table
from ..table import Goal, Row, Wanted, WrongResult, geometric_mean, goals
from .conv import TABLE_I, LayerShape, lying, rows_of

COLUMNS = ("layer=name; shape; types; instruction; ms=ours:3m; Gop/s=rate:0G; conv, ms=conv:3m; of conv:2; "
           "torch int8, ms=torch int8:3m; torch f32, ms=torch f32:3m; ort, ms=ort:3m; times peers=by peers:2; "
           "creation, ms=creation:1m")
PAIRS = (
    "layer=name; shape; pairs; fastest, ms=best:3m; first of estimate:2; eight of estimate:2; place in estimate; "
    "first of UNIT:2; eight of UNIT:2; place in UNIT"
)
# The layers of ResNet-18 with a third axis: channels, filters, size, taps, stride; images of 8 slices.
RESNET_18 = """
    64 64 56 3 1 | 64 128 56 3 2 | 64 128 56 1 2 | 128 128 28 3 1 | 128 256 28 3 2 | 128 256 28 1 2 | 256 256 14 3 1
    256 512 14 3 2 | 256 512 14 1 2 | 512 512 7 3 1
"""
VOLUMES = tuple(
    LayerShape(str(number), 1, c, k, (8 + taps - 1, size + taps - 1, size + taps - 1), (taps,) * 3, stride)
    for number, (c, k, size, taps, stride) in enumerate(rows_of(RESNET_18), 1))
OF_LAYERS = (Wanted("{types}: of ts.conv's speed, least", 0.92, "of conv"),
             Wanted("{types}: the better peer's time by ours, geometric mean", 1.3, "by peers", geometric_mean,
                    where={"types": "u8xi8"}),
             Wanted("{types}: creation beyond the nest, most", 5e-3, "creation", max, "s"))
OF_VOLUMES = (Wanted("three axes, {types}: the better peer's time by ours, mean", 1.2, "by peers", geometric_mean),)
INTEGERS, FLOATS = ("u8", "i8", "u8"), ("f32", "f32", "f32")


def program_of(shape: LayerShape, types: tuple[str, str, str]) -> TensorProgram:
    """Return a layer without padding as a tensor program, with channels last in the images, the weights and the
    result."""
    places, taps = " ".join("opq"[-len(shape.taps) :]), " ".join("trs"[-len(shape.taps) :])
    data = loops.axis(shape.n, *shape.y[2:], shape.k, names=f"n {places} k")
    summed = loops.reduce_axis(*shape.taps, shape.c, names=f"{taps} c")
    assert isinstance(data, tuple) and isinstance(summed, tuple)
    n, *at, k = data
    *of, c = summed
    cast = loops.f32 if types[2] == "f32" else loops.i32
    x = loops.tensor((shape.n, *shape.size, shape.c), types[0])
    w = loops.tensor((*shape.taps, shape.c, shape.k), types[1])
    of_x = (n, *(shape.stride * p + t for p, t in zip(at, of)), c)
    of_w = (*of, c, k)
    return loops.summed(cast(x[of_x]) * cast(w[of_w]), summed)


def arrays_of(shape: LayerShape, types: Sequence[str]) -> tuple[Array, Array]:
    """Return images with channels first in name and last in memory, and weights (k, c, *taps)."""
    rng = np.random.default_rng(0)
    low, high = (-4, 5) if types[2] == "f32" else (-100, 100)
    x = rng.integers(0 if types[0][0] == "u" else low, high, shape.x)
    w = rng.integers(low, high, shape.w)
    return lying(x.astype(numpy_dtype(types[0])), "NHWC"), w.astype(numpy_dtype(types[1]))


def measured(run: Run, shape: LayerShape, types: tuple[str, str, str], threads: int = 1) -> Row:
    """Return the row of a layer."""
    x, w = arrays_of(shape, types)
    scale, epilogue = _scaled(shape, types)
    kernel = tensorize(program_of(shape, types), dtype=types[2], threads=threads, epilogue=epilogue)
    inside, turned = np.moveaxis(x, 1, -1), np.ascontiguousarray(np.moveaxis(w, (0, 1), (-1, -2)))
    packed = kernel.pack(turned)
    y = np.asarray(kernel(inside, packed))
    mapping, creation = kernel.mapping, _creation(shape, types, threads)
    assert mapping is not None
    layer = conv(x.shape, w.shape, stride=shape.stride, bias=False, layout="N" + "DHW"[-len(shape.taps) :] + "C",
                 dtype=tuple(map(numpy_dtype, types)), threads=threads, epilogue=epilogue)
    weights = layer.pack(w)
    z = layer(x, weights)
    if types[2] == "u8" and not np.array_equal(np.moveaxis(np.asarray(z), 1, -1), y):
        raise WrongResult(f"{shape.text}: the tensorized kernel and ts.conv differ")
    best = run.turns({
        "ours": PythonCall(lambda: kernel(inside, packed, out=y)),
        "conv": PythonCall(lambda: layer(x, weights, out=z)),
        **_baselines(run, shape, x, w, np.ascontiguousarray(np.moveaxis(y, -1, 1)), scale, threads)})
    peers = best_of(best, [name for name in best if name not in ("ours", "conv")])
    return {"name": shape.name, "shape": shape.text, "types": "x".join(types[:2]),
            "instruction": kernel.instruction.name, **best, "of conv": best["conv"] / best["ours"],
            "rate": shape.flops / best["ours"], "by peers": peers / best["ours"], "creation": creation}


def _scaled(shape: LayerShape, types: Sequence[str]) -> tuple[float, Epilogue | None]:
    """Return what sums are multiplied by to be u8, and the epilogue that does; that of floats is none."""
    scale = 0.05 / math.prod(shape.w[1:]) ** 0.5
    return scale, None if types[2] == "f32" else lambda c: c * scale


def _creation(shape: LayerShape, types: tuple[str, str, str], threads: int) -> float:
    """Return the seconds that making a kernel takes whose nest has been made before."""
    least = math.inf
    for _ in range(5):
        program = program_of(shape, types)
        started = time.perf_counter()
        made = tensorize(program, threads=threads)
        planned = time.perf_counter()
        _ = made.job
        done = time.perf_counter()
        _ = made.mapping
        least = min(least, planned - started + time.perf_counter() - done)
    return least


def _baselines(
    run: Run, shape: LayerShape, x: Array, w: Array, y: Array, scale: float, threads: int
) -> dict[str, Contender]:
    """Return the convolutions of torch and onnxruntime: of u8 by i8 with results of u8, and of f32."""
    found: dict[str, Contender] = {}
    first, floats = np.ascontiguousarray(x), (x.astype(np.float32), w.astype(np.float32))
    sums = y if y.dtype == np.float32 else None
    volume = torch_volumes(*floats, shape.given, sums, threads)
    found |= {"torch f32": volume} if volume is not None else {}
    if y.dtype == np.float32:
        forward = run.baseline(lambda: onnx_forward(first, floats[1], shape.given, y, threads))
        return found | ({"ort": forward} if forward is not None else {})
    quantized = torch_quantized(x, w, shape.given, scale, threads)
    found |= {"torch int8": quantized} if quantized is not None else {}
    if len(shape.taps) == 2:
        ort = run.baseline(lambda: onnx_quantized(first, w, shape.given, scale, y, True, threads))
        found |= {"ort": ort[0]} if ort is not None else {}
    return found


def of_layers(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield what a table of UNIT's layers is held to."""
    yield from goals(OF_LAYERS, rows)
    others = [row["rate"] for row in rows if row["name"] not in ("1", "4")]
    for row in rows:
        if row["name"] in ("1", "4") and others:
            yield Goal(f"{row['types']}: layer {row['name']}, of the others' mean rate", 0.85,
                       row["rate"] / geometric_mean(others))


def in_pairs(run: Run, shape: LayerShape, types: tuple[str, str, str]) -> Row:
    """Measure all pairs of breaking points of a layer."""
    x, w = arrays_of(shape, types)
    kernel = tensorize(program_of(shape, types), dtype=types[2], threads=1, epilogue=_scaled(shape, types)[1])
    inside, turned = np.ascontiguousarray(np.moveaxis(x, 1, -1)), np.ascontiguousarray(np.moveaxis(w, (0, 1), (-1, -2)))
    y = np.empty((shape.n, *shape.y[2:], shape.k), numpy_dtype(types[2]))
    pairs = pairs_of(kernel)
    seconds = _seconds(run, kernel, pairs, [inside, y], turned)
    best = min(seconds)
    by_estimate = sorted(range(len(pairs)), key=lambda place: estimated(pairs[place].way, kernel.target, 1))
    row: Row = {"name": shape.name, "shape": shape.text, "pairs": len(pairs), "best": best}
    for name, order in (("estimate", by_estimate), ("UNIT", range(len(pairs)))):
        times = [seconds[place] for place in order]
        row |= {f"first of {name}": best / times[0], f"eight of {name}": best / min(times[:8]),
                f"place in {name}": 1 + next(n for n, each in enumerate(times) if each <= CONTRACTIONS.equal * best),
                f"times of {name}": [best / each for each in times]}
    return row


def _seconds(run: Run, kernel: Tensorized, pairs: Sequence[BreakingPoints], arrays: Sequence[Array],
             b: Array) -> list[float]:
    """Return the least seconds of a call of each pair; those near the best one have run again."""
    turns: dict[str, Contender] = {}
    x, y = arrays
    for number, pair in enumerate(pairs):
        made = kernel.recut(choice_of(WayTrial(pair.way, 0.0)))
        packed = made.pack(b)
        made(x, packed, out=y)
        turns[str(number)] = PythonCall(partial(made, x, packed, out=y))
    found = run.turns(turns, run.seconds / 5)
    near = {name: turns[name] for name, each in found.items() if each <= 1.15 * min(found.values())}
    again = run.turns(near)
    return [min(each, again.get(name, each)) for name, each in found.items()]


def of_pairs(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the paper's claim: the share of layers whose fastest pair is the first one, and among the first eight."""
    for name in ("estimate", "UNIT"):
        places = [row[f"place in {name}"] for row in rows]
        for what, most, wanted in (("first is the fastest", 1, 0.5), ("fastest is among eight", 8, 0.95)):
            yield Goal(f"pairs in the order of {name}: layers whose {what}", wanted,
                       sum(each <= most for each in places) / len(places))


def _first_pairs(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield how near the best of the first pairs comes to the fastest one, as a mean over the layers, for the
    drawing."""
    for count in range(1, 1 + max(len(row["times of UNIT"]) for row in rows)):
        yield {"tried": count, **{name: geometric_mean([max(row[f"times of {name}"][:count]) for row in rows])
                                  for name in ("estimate", "UNIT")}}


def tables(run: Run) -> Iterator[Table]:
    """Yield the tables of layers, and of pairs of breaking points."""
    threads = run.options.threads
    on = f"{threads} thread{'s' * (threads != 1)}"
    for name, types in (("layers", INTEGERS), ("floats", FLOATS)):
        yield Table(name, COLUMNS, [(shape, types, threads) for shape in TABLE_I], measured,
                    f"{' x '.join(types[:2])}, one image: UNIT's table I, {on}", of_layers)
    yield Table("volumes", COLUMNS, [(shape, INTEGERS, threads) for shape in VOLUMES], measured,
                f"u8 by i8: ResNet-18's layers with a third axis, {on}", OF_VOLUMES)
    yield Table("pairs", PAIRS, [(shape, INTEGERS) for shape in TABLE_I], in_pairs,
                "u8 by i8: all pairs of breaking points, one thread", of_pairs,
                Plot("in the order of the estimate=estimate:2; in the order of UNIT's tuner=UNIT:2",
                     "speed of the best, of the fastest pair", "pairs of breaking points that were tried=tried:0",
                     joined=True, rows=_first_pairs))


BENCH = Bench("tensorize", __doc__, tables, {
    "--threads": {"type": whole, "default": 1, "help": "the number of threads of all contenders"}}, alone=False,
    share=2.0)
