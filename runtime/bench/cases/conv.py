"""`tilesmith bench conv`: convolutions of the papers' layers, and of shapes drawn at random, beside torch in its
layouts and the machine's peak, in one run on one thread.

Layers are packed once; the padding of the images is part of every call, ours and theirs. torch gets its weights in the
layout of the images.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ....microkernels.errors import UnsupportedError
from ...arguments.arrays import Array, numpy_dtype
from ...convolution.gradients import conv2d_backward
from ...convolution.layers import conv
from ...host import detect as host
from ...ops.linear import linear
from .. import measure
from ..measure import Contender, PythonCall
from ..peers.elementwise import torch_module
from ..runner import Bench, Run, Table
from ..table import Goal, Row, geometric_mean


class LayerShape(NamedTuple):
    """Images (n, c, size, size) by k filters of taps x taps."""

    name: str
    n: int
    c: int
    k: int
    size: int
    taps: int
    stride: int
    padding: int

    @property
    def out(self) -> int:
        """The height and width of the result."""
        return (self.size + 2 * self.padding - self.taps) // self.stride + 1

    @property
    def flops(self) -> int:
        """Multiplications and additions, those by padding counted."""
        return 2 * self.n * self.c * self.k * self.taps**2 * self.out**2

    @property
    def text(self) -> str:
        """The extents: channels, filters, size, taps, stride."""
        return f"{self.c}-{self.k}-{self.size}-{self.taps}-{self.stride}"


# PARLOOPER, table 1 (ResNet-50): channels, filters, size, taps, stride; 3 x 3 and 7 x 7 taps have padding.
RESNET = """
    3 64 224 7 2 | 64 256 56 1 1 | 64 64 56 1 1 | 64 64 56 3 1 | 256 64 56 1 1 | 256 512 56 1 2 | 256 128 56 1 2
    128 128 28 3 1 | 128 512 28 1 1 | 512 128 28 1 1 | 512 1024 28 1 2 | 512 256 28 1 2 | 256 256 14 3 1
    256 1024 14 1 1 | 1024 256 14 1 1 | 1024 2048 14 1 2 | 1024 512 14 1 2 | 512 512 7 3 1 | 512 2048 7 1 1
    2048 512 7 1 1
"""
# UNIT, table I: channels, size with its padding, filters, taps, stride.
UNIT = """
    288 35 384 3 2 | 160 9 224 3 1 | 1056 7 192 1 1 | 80 73 192 3 1 | 128 16 128 3 1 | 192 16 192 3 1
    256 16 256 3 1 | 1024 14 512 1 1 | 128 16 160 3 1 | 576 14 192 1 1 | 96 16 128 3 1 | 1024 14 256 1 1
    576 14 128 1 1 | 64 29 96 3 1 | 64 56 128 1 2 | 608 14 192 1 1
"""


def rows_of(table: str) -> list[list[int]]:
    """Return the numbers of a table's rows."""
    rows = table.replace("\n", "|").split("|")
    return [[int(number) for number in row.split()] for row in rows if row.strip()]


TABLE_1 = tuple(LayerShape(f"{number}", 2, c, k, size, taps, stride, taps // 2)
                for number, (c, k, size, taps, stride) in enumerate(rows_of(RESNET), 1))
TABLE_I = tuple(LayerShape(f"{number}", 1, c, k, size, taps, stride, 0)
                for number, (c, size, k, taps, stride) in enumerate(rows_of(UNIT), 1))
COLUMNS = ("layer=name; shape; layout; ms=ours:2m; of peak:2; torch NCHW:2; torch NHWC:2; times torch=by torch:2; "
           "first ms=first:1m")
NARROW = "layer=name; shape; types; ms=ours:2m; linear, ms=linear:2m; of linear:2"
GRADIENTS = "layer=name; shape; gradient; ms=ours:2m; of peak:2; torch, ms=torch:2m; times torch=by torch:2"
GOALS = {"of peak": 0.85, "times torch": 1.10, "least": 0.95}


def drawn(seed: int, count: int) -> tuple[LayerShape, ...]:
    """Return shapes that no table has, drawn at random."""
    rng, made = np.random.default_rng(seed), []
    for number in range(count):
        taps, stride = int(rng.choice((1, 3, 3, 5))), int(rng.choice((1, 1, 2)))
        c, k = (int(rng.integers(3, 600)) for _ in range(2))
        size = int(rng.integers(max(taps, 6), 60))
        made.append(LayerShape(f"r{number}", int(rng.integers(1, 4)), c, k, size, taps, stride, taps // 2))
    return tuple(made)


def images(rng: np.random.Generator, shape: LayerShape, layout: str, dtype: str = "f32") -> Array:
    """Return images of a shape that lie so in memory."""
    to = numpy_dtype(dtype)
    lying = (shape.n, shape.size, shape.size, shape.c) if layout == "NHWC" else (shape.n, shape.c, *[shape.size] * 2)
    drawn = rng.integers(0, 100, lying) if to.kind in "iu" else rng.standard_normal(lying)
    made = np.asarray(drawn).astype(to)
    return made.transpose(0, 3, 1, 2) if layout == "NHWC" else made


def measured(run: Run, shape: LayerShape, layout: str, target: Target | None) -> Row:
    """Return the row of a layer in f32."""
    rng, started = np.random.default_rng(0), time.perf_counter()
    x, w = images(rng, shape, layout), rng.standard_normal((shape.k, shape.c, shape.taps, shape.taps), np.float32)
    layer = conv(x.shape, w.shape, stride=shape.stride, padding=shape.padding, bias=False, layout=layout, threads=1,
                 target=target)
    packed = layer.pack(w)
    y = layer(x, packed)
    first = time.perf_counter() - started
    peak = measure.fma_peak(host.resolve(target), "f32", run.seconds / 4)
    turns: dict[str, Contender] = {"ours": PythonCall(lambda: layer(x, packed, out=y)), **torch_calls(shape, x, w)}
    best = {"NCHW": math.nan, "NHWC": math.nan, **run.turns(turns)}
    rate = shape.flops / peak
    theirs = np.nanmin([best["NCHW"], best["NHWC"]]) if len(turns) > 1 else math.nan
    return {"name": shape.name, "shape": shape.text, "layout": layout, "ours": best["ours"],
            "of peak": rate / best["ours"], "torch NCHW": rate / best["NCHW"], "torch NHWC": rate / best["NHWC"],
            "by torch": (theirs if layout == "NHWC" else best["NCHW"]) / best["ours"], "first": first}


def torch_calls(shape: LayerShape, x: Array, w: Array) -> dict[str, Contender]:
    """Return torch's convolution in its two layouts."""
    torch = torch_module()
    if torch is None:
        return {}
    made: dict[str, Contender] = {}
    for name, order in (("NCHW", torch.contiguous_format), ("NHWC", torch.channels_last)):
        of_x, of_w = (torch.from_numpy(np.ascontiguousarray(each)).to(memory_format=order) for each in (x, w))
        made[name] = PythonCall(
            partial(torch.nn.functional.conv2d, of_x, of_w, None, shape.stride, shape.padding))
    return made


def narrow(run: Run, shape: LayerShape, types: Sequence[Any], target: Target | None) -> Row | None:
    """Return the row of a layer of narrow types, beside our own layer of the same product with packed weights."""
    rng = np.random.default_rng(0)
    x = images(rng, shape, "NHWC", types[0])
    w = np.asarray(rng.integers(-50, 50, (shape.k, shape.c, shape.taps, shape.taps))).astype(numpy_dtype(types[1]))
    depth, rows = shape.c * shape.taps**2, shape.n * shape.out**2
    try:
        layer = conv(x.shape, w.shape, stride=shape.stride, padding=shape.padding, bias=False, layout="NHWC",
                     dtype=tuple(types), threads=1, target=target)
        product = linear(rows, shape.k, depth, dtype=tuple(types), bias=False, threads=1, target=target)
    except UnsupportedError:
        return None
    packed, weights = layer.pack(w), product.pack(np.ascontiguousarray(w.reshape(shape.k, depth).T))
    y, a = layer(x, packed), np.ones((rows, depth), numpy_dtype(types[0]))
    z = product(a, weights)
    best = run.turns({"ours": PythonCall(lambda: layer(x, packed, out=y)),
                      "linear": PythonCall(lambda: product(a, weights, z))})
    return {"name": shape.name, "shape": shape.text, "types": " x ".join(types[:2]), **best,
            "of linear": best["linear"] / best["ours"]}


def gradients(run: Run, shape: LayerShape, wanted: str, target: Target | None) -> Row:
    """Return the row of a gradient in f32, with channels last."""
    rng = np.random.default_rng(0)
    x, w = images(rng, shape, "NHWC"), rng.standard_normal((shape.k, shape.c, shape.taps, shape.taps), np.float32)
    dy = rng.standard_normal((shape.n, shape.out, shape.out, shape.k), np.float32).transpose(0, 3, 1, 2)
    given: dict[str, Any] = {"stride": shape.stride, "padding": shape.padding, "threads": 1, "target": target}
    turns: dict[str, Contender] = {"ours": PythonCall(lambda: conv2d_backward(dy, x, w, wanted=wanted, **given))}
    torch = torch_module()
    if torch is not None:
        for name, order in (("NCHW", torch.contiguous_format), ("NHWC", torch.channels_last)):
            held = [torch.from_numpy(np.ascontiguousarray(each)).to(memory_format=order) for each in (dy, x, w)]
            mask = [wanted == "dx", wanted == "dw", False]
            turns[name] = PythonCall(partial(
                torch.ops.aten.convolution_backward,
                *held, None, [shape.stride] * 2, [shape.padding] * 2, [1, 1], False, [0, 0], 1, mask))
    best = run.turns(turns)
    theirs = min((best[name] for name in ("NCHW", "NHWC") if name in best), default=math.nan)
    peak = measure.fma_peak(host.resolve(target), "f32", run.seconds / 4)
    return {"name": shape.name, "shape": shape.text, "gradient": wanted, "ours": best["ours"],
            "of peak": shape.flops / peak / best["ours"], "torch": theirs, "by torch": theirs / best["ours"]}


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals of a table of layers in f32."""
    for layout in ("NHWC", "NCHW"):
        some = [row for row in rows if row["layout"] == layout]
        if not some:
            continue
        mean = geometric_mean([row["of peak"] for row in some])
        yield Goal(f"{layout}: of peak, geometric mean", GOALS["of peak"], mean)
        times = [row["by torch"] for row in some if math.isfinite(row["by torch"])]
        if times:
            what = "torch's better layout" if layout == "NHWC" else "torch's NCHW"
            yield Goal(f"{layout}: {what} by ours, geometric mean", GOALS["times torch"], geometric_mean(times))
            yield Goal(f"{layout}: {what} by ours, least", GOALS["least"] if layout == "NHWC" else 1.0, min(times))


def tables(run: Run) -> Iterator[Table]:
    """Yield the tables: the papers' layers, shapes drawn at random, narrow types, gradients."""
    target = getattr(run.options, "target", None)
    random = run.options.random
    layouts = [(shape, layout, target) for layout in ("NHWC", "NCHW") for shape in TABLE_1]
    yield Table("resnet", COLUMNS, layouts, measured, "f32, two images: the 20 layers of PARLOOPER's table 1", goals)
    yield Table("unit", COLUMNS, [(shape, "NHWC", target) for shape in TABLE_I], measured,
                "f32, one image: the 16 layers of UNIT's table I", goals)
    if random is not None:
        yield Table("random", COLUMNS, [(shape, "NHWC", target) for shape in drawn(random, 30)], measured,
                    f"f32: 30 shapes drawn from the number {random}", goals)
    types = ("bf16", "bf16", "f32"), ("u8", "i8", "i32")
    yield Table("narrow", NARROW, [(shape, each, target) for each in types for shape in TABLE_1], narrow,
                "narrow types, beside a layer of ts.linear of the same product")
    both = [(shape, each, target) for each in ("dx", "dw") for shape in TABLE_1]
    yield Table("gradients", GRADIENTS, both, gradients, "f32: gradients by data and by weights")


BENCH = Bench(
    "conv",
    "convolutions of the papers' layers and of random shapes, relative to torch and to the peak",
    tables,
    {"--target": {"default": None, "help": "a name from `tilesmith info`; this machine's"},
     "--random": {"type": int, "default": None, "metavar": "SEED", "help": "also 30 shapes drawn from this number"}},
    quick=(),
    share=1.0,
)
