"""`tilesmith bench conv`: convolutions of the papers' layers, and of shapes drawn at random, beside torch in its
layouts, onnxruntime and the machine's peak, in one run on one thread.

Layers are packed once; the padding of the images is part of every call, ours and theirs. torch gets its weights in the
layout of the images, and with blocked operands a layout of its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, get_args

import numpy as np

from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ....microkernels.errors import UnsupportedError
from ...api.depthwise import depthwise
from ...api.eltwise import unary
from ...arguments.arrays import Array, numpy_dtype
from ...contraction.tiling import TilingChoice
from ...convolution.functions import Algorithm, conv2d
from ...convolution.gradients import conv1d_backward, conv2d_backward
from ...convolution.layers import conv
from ...host import detect as host
from ...ops.linear import linear
from .. import measure
from ..measure import Contender, PythonCall
from ..operands import aligned, native
from ..options import whole
from ..peers.convolutions import (
    LAYOUTS,
    best_of,
    onnx_forward,
    onnx_integers,
    onnx_quantized,
    torch_backward,
    torch_forward,
)
from ..runner import Bench, Run, Table
from ..table import Named, Row, Wanted, WrongResult, geometric_mean


class LayerShape(NamedTuple):
    """Images (n, c, height, width), or sequences (n, c, width), by k filters."""

    name: str
    n: int
    c: int
    k: int
    size: tuple[int, ...]
    taps: tuple[int, ...]
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    groups: int = 1

    @property
    def x(self) -> tuple[int, ...]:
        """The shape of the images."""
        return (self.n, self.c, *self.size)

    @property
    def w(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return (self.k, self.c // self.groups, *self.taps)

    @property
    def y(self) -> tuple[int, ...]:
        """The shape of the result."""
        reach = (self.dilation * (taps - 1) + 1 for taps in self.taps)
        out = ((size + 2 * self.padding - each) // self.stride + 1 for size, each in zip(self.size, reach))
        return (self.n, self.k, *out)

    @property
    def given(self) -> Named:
        """The arguments beside the shapes."""
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups}

    @property
    def flops(self) -> int:
        """Multiplications and additions, those by padding counted."""
        return 2 * math.prod(self.y) * math.prod(self.w[1:])

    @property
    def text(self) -> str:
        """The extents: channels, filters, size, taps, stride, and dilation and groups that are not 1."""
        more = "".join(f"-{letter}{each}" for letter, each in (("d", self.dilation), ("g", self.groups)) if each > 1)
        return f"{self.c}-{self.k}-{self.size[-1]}-{self.taps[-1]}-{self.stride}{more}"


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


# MobileNet's depthwise layers: channels, size, stride; 3 x 3 taps with padding.
MOBILENET = """
    32 112 1 | 64 112 2 | 128 56 1 | 128 56 2 | 256 28 1 | 256 28 2 | 512 14 1 | 512 14 2 | 1024 7 1
"""
# The dilated layer of Tensor Processing Primitives, 6.2.1, and others of its family: channels, filters, width, taps,
# dilation.
DILATED = """
    15 15 60400 51 8 | 16 16 60400 51 8 | 32 32 20000 25 4 | 15 15 9001 51 8 | 24 40 30011 7 16
"""


def rows_of(table: str) -> list[list[int]]:
    """Return the numbers of a table's rows."""
    rows = table.replace("\n", "|").split("|")
    return [[int(number) for number in row.split()] for row in rows if row.strip()]


def square(
    name: object, n: int, c: int, k: int, size: int, taps: int, stride: int, padding: int, groups: int = 1
) -> LayerShape:
    """Return a layer of square images and taps."""
    return LayerShape(str(name), n, c, k, (size, size), (taps, taps), stride, padding, 1, groups)


TABLE_1 = tuple(square(number, 2, c, k, size, taps, stride, taps // 2)
                for number, (c, k, size, taps, stride) in enumerate(rows_of(RESNET), 1))
TABLE_I = tuple(square(number, 1, c, k, size, taps, stride, 0)
                for number, (c, size, k, taps, stride) in enumerate(rows_of(UNIT), 1))
DEPTHWISE = tuple(square(number, 1, c, c, size, 3, stride, 1, c)
                  for number, (c, size, stride) in enumerate(rows_of(MOBILENET), 1))
SEQUENCES = tuple(LayerShape(str(number), 1, c, k, (width,), (taps,), dilation=dilation)
                  for number, (c, k, width, taps, dilation) in enumerate(rows_of(DILATED), 1))
COLUMNS = ("layer=name; shape; layout; types; ms=ours:2m; of peak:2; torch NCHW:2; torch NHWC:2; "
           "blocked=torch blocked:2; ort:2; times torch=by torch:2; times ort=by ort:2; first ms=first:1m")
NARROW = "layer=name; shape; types; ms=ours:2m; linear, ms=linear:2m; of linear:2"
GRADIENTS = ("layer=name; shape; layout; types; gradient; ms=ours:2m; of peak:2; torch, ms=torch:2m; "
             "times torch=by torch:2")
INTEGERS = ("layer=name; shape; i32, ms=i32:3m; ort, ms=ort i32:3m; times ort=by ort i32:2~; exact; ort exact; "
            "u8, ms=u8:3m; ort NCHW, ms=ort NCHW:3m; ort NHWC, ms=ort NHWC:3m; times ort=by ort u8:2~; farthest:0")
BY_WINOGRAD = ("layer=name; shape; layout; direct, ms=direct:2m; winograd, ms=winograd:2m; times direct=by direct:2; "
               "error of direct, 1e-6=direct error:1u; "
               "of winograd, 1e-6=winograd error:1u")
OF_WAYS = {"f32": ("f32", "f32", "f32"), "bf16": ("bf16", "bf16", "f32"), "u8": ("u8", "i8", "i32")}


def drawn(seed: int, count: int, depthwise: bool = False) -> tuple[LayerShape, ...]:
    """Return shapes that no table has, drawn at random."""
    rng, made = np.random.default_rng(seed), []
    for number in range(count):
        taps, stride = int(rng.choice((3, 3, 5, 7) if depthwise else (1, 3, 3, 5))), int(rng.choice((1, 1, 2)))
        c, k = (int(rng.integers(3, 600)) for _ in range(2))
        size = int(rng.integers(max(taps, 6), 60))
        shape = square(f"r{number}", int(rng.integers(1, 4)), c, k, size, taps, stride, taps // 2)
        made.append(shape._replace(n=1, k=c, groups=c) if depthwise else shape)
    return tuple(made)


def order(layout: str, dims: int) -> str:
    """Return the name of a layout for images or for sequences, NCHW or NCW."""
    return layout if dims == 2 else layout.replace("H", "")


def lying(array: Array, layout: str) -> Array:
    """Return an array of channels first as it lies in a layout."""
    if not layout.endswith("C"):
        return array
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)


def images(rng: np.random.Generator, shape: Sequence[int], layout: str, dtype: str = "f32") -> Array:
    """Return images of a shape that lie so in memory."""
    to = numpy_dtype(dtype)
    values = rng.integers(0, 100, shape) if to.kind in "iu" else rng.standard_normal(shape)
    return lying(np.asarray(values).astype(to), layout)


def measured(run: Run, shape: LayerShape, layout: str, target: Target | None, dtype: str = "f32") -> Row:
    """Return the row of a layer of floats."""
    rng, started = np.random.default_rng(0), time.perf_counter()
    x, w = images(rng, shape.x, layout, dtype), images(rng, shape.w, "NCHW", dtype)
    given = {**shape.given, "threads": 1, "target": target, "bias": False, "dtype": dtype}
    layer = conv(x.shape, w.shape, **given, layout=order(layout, len(shape.size)))
    packed = layer.pack(w)
    y = layer(x, packed)
    ours = PythonCall(lambda: layer(x, packed, out=y))
    first = time.perf_counter() - started
    peak = measure.fma_peak(host.resolve(target), "f32", run.seconds / 4)
    turns: dict[str, Contender] = {"ours": ours, **torch_forward(x, w, shape.given, dtype == "bf16", np.asarray(y))}
    if dtype == "f32":
        onnx = run.baseline(lambda: onnx_forward(x, w, shape.given, np.asarray(y)))
        turns |= {"ort": onnx} if onnx is not None else {}
    if shape.groups == shape.c == shape.k and layout == "NHWC" and dtype == "f32" and target is None:
        turns |= kernel_of(shape, x, w, np.asarray(y))
    best, rate = run.turns(turns), shape.flops / peak
    torch = best_of(best, LAYOUTS if layout == "NHWC" or shape.groups > 1 else LAYOUTS[:1])
    shares = {name: rate / best[name] if name in best else math.nan for name in (*LAYOUTS, "ort")}
    return {"name": shape.name, "shape": shape.text, "layout": order(layout, len(shape.size)), "types": dtype,
            **best, "of peak": rate / best["ours"], **shares, "by torch": torch / best["ours"],
            "by ort": best.get("ort", math.nan) / best["ours"], "first": first,
            "by peers": best_of(best, (*LAYOUTS, "ort")) / best["ours"]}


def narrow(run: Run, shape: LayerShape, types: tuple[str, str, str], target: Target | None) -> Row | None:
    """Return the row of a layer of narrow types, beside our own layer of the same product with packed weights."""
    rng = np.random.default_rng(0)
    x = images(rng, shape.x, "NHWC", types[0])
    w = np.asarray(rng.integers(-50, 50, shape.w)).astype(numpy_dtype(types[1]))
    depth, rows = math.prod(shape.w[1:]), math.prod(shape.y) // shape.k
    try:
        asked: Named = {"bias": False, "dtype": types, "threads": 1, "target": target}
        layer = conv(x.shape, w.shape, **shape.given, **asked, layout="NHWC")
        product = linear(rows, shape.k, depth, **asked)
    except UnsupportedError:
        return None
    packed, weights = layer.pack(w), product.pack(np.ascontiguousarray(w.reshape(shape.k, depth).T))
    y, a = layer(x, packed), np.ones((rows, depth), numpy_dtype(types[0]))
    z = product(a, weights)
    best = run.turns({"ours": PythonCall(lambda: layer(x, packed, out=y)),
                      "linear": PythonCall(lambda: product(a, weights, z))})
    return {"name": shape.name, "shape": shape.text, "types": " x ".join(types[:2]), **best,
            "of linear": best["linear"] / best["ours"]}


def integers(run: Run, shape: LayerShape, target: Target | None) -> Row | None:
    """Return the row of a layer of u8 by i8 beside onnxruntime: sums of i32, and results scaled to u8."""
    rng = np.random.default_rng(0)
    x = np.asarray(rng.integers(0, 256, shape.x)).astype(np.uint8)
    w = np.asarray(rng.integers(-128, 128, shape.w)).astype(np.int8)
    last, scale = lying(x, "NHWC"), 0.05 / math.prod(shape.w[1:]) ** 0.5
    given = {**shape.given, "bias": False, "layout": "NHWC", "threads": 1, "target": target}
    try:
        sums = conv(x.shape, w.shape, **given, dtype=("u8", "i8", "i32"))
        scaled = conv(x.shape, w.shape, **given, dtype=("u8", "i8", "u8"), epilogue=lambda c: c * scale)
        packed, again = sums.pack(w), scaled.pack(w)
    except UnsupportedError:
        return None
    y, z = np.asarray(sums(last, packed)), np.asarray(scaled(last, again))
    turns: dict[str, Contender] = {"i32": PythonCall(lambda: sums(last, packed, out=y)),
                                   "u8": PythonCall(lambda: scaled(last, again, out=z))}
    x64, w64 = (each.astype(np.float64) for each in (x, w))
    whole = np.ascontiguousarray(conv2d(x64, w64, **shape.given))
    row: Row = {"name": shape.name, "shape": shape.text, "exact": "yes" if np.array_equal(y, whole) else "NO"}
    first = run.baseline(lambda: onnx_integers(x, w, shape.given, np.ascontiguousarray(y)))
    if first is not None:
        turns["ort i32"], row["ort exact"] = first[0], "yes" if first[1] else "no"
        for name, by_channel in (("ort NCHW", False), ("ort NHWC", True)):
            z_ = np.ascontiguousarray(z)
            turns[name], row["farthest"] = onnx_quantized(x, w, shape.given, scale, z_, by_channel)
    best = run.turns(turns)
    row |= {**best, "by ort i32": best.get("ort i32", math.nan) / best["i32"]}
    return {**row, "by ort u8": best_of(best, ("ort NCHW", "ort NHWC")) / best["u8"]}


def gradients(
    run: Run, shape: LayerShape, target: Target | None, layout: str = "NHWC", dtype: str = "f32"
) -> Iterator[Row]:
    """Yield the rows of the gradients of floats, by the data and by the weights; the last one has both together."""
    rng, both = np.random.default_rng(0), dict.fromkeys(("ours", "torch"), 0.0)
    x, dy = (images(rng, each, layout, dtype) for each in (shape.x, shape.y))
    w, backward = images(rng, shape.w, "NCHW", dtype), (conv1d_backward, conv2d_backward)[len(shape.size) - 1]
    given = {**shape.given, "threads": 1, "target": target}
    peak = measure.fma_peak(host.resolve(target), "f32", run.seconds / 4)
    row: Row = {"name": shape.name, "shape": shape.text, "layout": order(layout, len(shape.size)), "types": dtype}
    for wanted in ("dx", "dw"):
        turns: dict[str, Contender] = {
            "ours": PythonCall(lambda wanted=wanted: backward(dy, x, w, wanted=wanted, **given))}  # type: ignore[misc]
        best = run.turns(turns | torch_backward(dy, x, w, shape.given, dtype == "bf16", wanted))
        found = {"ours": best["ours"], "torch": best_of(best, LAYOUTS)}
        both = {name: both[name] + each for name, each in found.items()}
        row |= {"gradient": wanted, **found, "of peak": shape.flops / peak / found["ours"],
                "by torch": found["torch"] / found["ours"]}
        if wanted == "dw":
            row |= {"both by torch": both["torch"] / both["ours"],
                    "both of peak": 2 * shape.flops / peak / both["ours"]}
        yield {**row}


def kernel_of(shape: LayerShape, x: Array, w: Array, y: Array) -> dict[str, Contender]:
    """Return the kernel of a depthwise layer on an image whose channels are neighbours, and one of relu that reads and
    writes as many bytes."""
    (channels, size), taps = (shape.c, shape.size[0]), shape.taps[0]
    gap = 16 * (channels % 256 == 0)
    named: Named = {name: shape.given[name] for name in ("stride", "padding", "dilation")}
    made = depthwise(size, size, channels, taps, **named, ldw=channels + gap)
    packed = aligned((taps * taps, channels + gap), "f32")
    packed[:, :channels] = w.reshape(channels, -1).T
    z = aligned((math.prod(shape.y[2:]), channels), "f32")
    call = native(made, [np.ascontiguousarray(np.moveaxis(x, 1, -1)).reshape(-1, channels), packed, z])
    call.run(1)
    if not np.allclose(z, np.moveaxis(y, 1, -1).reshape(z.shape), atol=1e-3):
        raise WrongResult(f"{shape.text}: the kernel and the layer differ")
    return {"kernel": call, "relu": native(unary("relu", max(x.size, z.size) // channels, channels))}


def by_winograd(run: Run, shape: LayerShape, layout: str, target: Target | None) -> Row:
    """Return the row of a layer of 3 x 3 taps by Winograd's algorithm and by the definition, and how far each is off,
    relative to the largest result. Both have the same arrays, and their weights as they lie."""
    rng = np.random.default_rng(0)
    x, w = images(rng, shape.x, layout), images(rng, shape.w, "NCHW")
    given: Named = {"padding": shape.padding, "threads": 1, "target": target}
    wide = np.asarray(conv2d(x.astype(np.float64), w.astype(np.float64), padding=shape.padding))
    row: Row = {"name": shape.name, "shape": shape.text, "layout": layout}
    turns: dict[str, Contender] = {}
    for name in get_args(Algorithm):
        y = np.asarray(conv2d(x, w, algorithm=name, **given))
        row[f"{name} error"] = float(abs(y - wide).max() / abs(wide).max())
        turns[name] = PythonCall(partial(conv2d, x, w, algorithm=name, **given))
    best = run.turns(turns)
    return {**row, **best, "by direct": best["direct"] / best["winograd"]}


def ways(run: Run, shape: LayerShape, dtype: str) -> Iterator[Row]:
    """Yield every way to cut a layer that the planner of contractions compares, beside its estimate and `ts.linear` of
    the same product. Each gives the bits of the chosen one. The least processor time of one thread counts."""
    rng, types = np.random.default_rng(0), OF_WAYS[dtype]
    x, w = images(rng, shape.x, "NHWC", types[0]), rng.integers(-9, 9, shape.w).astype(numpy_dtype(types[1]))
    more = Named(bias=False, dtype=types, threads=1)
    layer: Any = conv(x.shape, w.shape, stride=shape.stride, padding=shape.padding, layout="NHWC", **more)
    (chosen,) = layer.plan.parts
    depth, rows = math.prod(shape.w[1:]), math.prod(shape.y) // shape.k
    product = linear(rows, shape.k, depth, **more)
    weights, a = product.pack(np.ascontiguousarray(w.reshape(shape.k, depth).T)), np.ones((rows, depth), x.dtype)
    wanted, z = layer(x, layer.pack(w)), product(a, weights)
    calls: dict[str, Contender] = {"linear": PythonCall(partial(product, a, weights, z))}
    every = {str(way): (cycles, way) for cycles, way in ((chosen.cycles, chosen.way), *chosen.others)}
    for text, (cycles, way) in every.items():
        made = layer.recut(TilingChoice(way, cycles, (), ()))
        packed = made.pack(w)
        if not np.array_equal(made(x, packed), wanted):
            raise WrongResult(f"{way}: other bits than the chosen way")
        calls[text] = PythonCall(partial(made, x, packed, out=wanted.copy(order="K")))
    taken = measure.samples(calls, run.seconds, clock=time.process_time_ns)
    best = {name: min(each) for name, each in taken.items()}
    for text, (cycles, _) in every.items():
        yield {"types": dtype, "way": text.partition("; rows")[0], "ms": best[text], "estimate": cycles,
               "rows": text.partition("; ")[2].partition("; columns")[0], "linear": best["linear"] / best[text]}


GOALS = (Wanted("{layout}: of peak, geometric mean", 0.85, "of peak", geometric_mean),
         Wanted("{layout}: torch by ours, geometric mean", 1.10, "by torch", geometric_mean),
         Wanted("{layout}: torch's better layout by ours, least", 0.95, "by torch", where={"layout": "NHWC"}),
         Wanted("{layout}: torch by ours, least", 1.0, "by torch", where={"layout": "NCHW"}))
OF_DILATED = (Wanted("{shape} {layout} {types}: torch by ours", 1.4, "by torch"),
              Wanted("{shape} {layout} {types}: of peak", 0.85, "of peak", where={"name": "1", "types": "f32"}))
OF_GRADIENTS = (Wanted("{shape} {layout} {types}: torch's gradients by ours", 3.0, "both by torch"),
                Wanted("{shape} {layout} {types}: gradients, of peak", 0.60, "both of peak",
                       where={"name": "1", "types": "f32"}))
OF_INTEGERS = tuple(Wanted(f"{figure}, geometric mean", 1.1, figure, geometric_mean)
                    for figure in ("by ort i32", "by ort u8"))


def tables(run: Run) -> Iterator[Table]:
    """Yield the tables of the papers' layers, of shapes drawn at random, of narrow types, and of gradients."""
    target, random, options = run.target, run.options.random, run.options
    both = [(layout, each) for layout in ("NHWC", "NCHW") for each in ("f32", "bf16")]
    layouts = [(shape, layout, target) for layout in ("NHWC", "NCHW") for shape in TABLE_1]
    yield Table("resnet", COLUMNS, layouts, measured, "f32, two images: the 20 layers of PARLOOPER's table 1", GOALS)
    yield Table("unit", COLUMNS, [(shape, "NHWC", target) for shape in TABLE_I], measured,
                "f32, one image: the 16 layers of UNIT's table I", GOALS)
    more = () if random is None else drawn(random, 12, depthwise=True)
    yield Table("depthwise", COLUMNS + "; kernel, us=kernel:1u; relu, us=relu:1u",
                [(shape, layout, target) for layout in ("NHWC", "NCHW") for shape in (*DEPTHWISE, *more)], measured,
                "f32: the depthwise layers of MobileNet, and their kernels beside one of relu of as many bytes",
                (Wanted("{shape} {layout}: best peer by ours", 2.0, "by peers"),))
    yield Table("dilated", COLUMNS, [(shape, layout, target, dtype) for shape in SEQUENCES for layout, dtype in both],
                measured, "dilated sequences: that of TPP 6.2.1 first", OF_DILATED)
    yield Table("dilated gradients", GRADIENTS,
                [(shape, target, layout, dtype) for shape in SEQUENCES for layout, dtype in both], gradients,
                "gradients of dilated sequences", OF_GRADIENTS)
    if random is not None:
        yield Table("random", COLUMNS, [(shape, "NHWC", target) for shape in drawn(random, 30)], measured,
                    f"f32: 30 shapes drawn from the number {random}", GOALS)
    types = ("bf16", "bf16", "f32"), ("u8", "i8", "i32")
    yield Table("narrow", NARROW, [(shape, each, target) for each in types for shape in TABLE_1], narrow,
                "narrow types, beside a layer of ts.linear of the same product")
    yield Table("integers", INTEGERS, [(shape, target) for shape in TABLE_I], integers,
                "u8 by i8: the 16 layers of UNIT's table I, channels last, beside onnxruntime", OF_INTEGERS)
    yield Table("gradients", GRADIENTS, [(shape, target) for shape in TABLE_1], gradients,
                "f32: gradients by data and by weights")
    yield Table("winograd", BY_WINOGRAD,
                [(shape, layout, target) for layout in ("NHWC", "NCHW")
                 for shape in TABLE_1 if shape.taps == (3, 3) and shape.stride == 1], by_winograd,
                "f32: F(4 x 4, 3 x 3) beside the definition, weights packed or transformed in each call, one thread")
    n, c, k, size, taps, stride = options.layer
    layer = square("", n, c, k, size, taps, stride, taps // 2)
    yield Table("ways", "types; way; rows; estimated cycles=estimate:0; ms:3m; of linear=linear:2",
                [(layer, dtype) for dtype in options.types], ways, f"every way to cut {n} images, {layer.text}")


BENCH = Bench(
    "conv",
    "convolutions of the papers' layers and of random shapes, relative to torch, onnxruntime and the peak; and every "
    "way to cut one, by default that of section 20.9 of Intel's manual: 3 x 3 taps on 7 x 7 pixels in 9 x 9",
    tables,
    {"--target": {"default": None, "help": "a name from `tilesmith info`; this machine's"},
     "--random": {"type": whole, "default": None, "metavar": "SEED", "help": "also shapes drawn from this number"},
     "--layer": {"type": int, "nargs": 6, "default": [1, 512, 512, 7, 3, 1], "metavar": "N",
                 "help": "of ways: images, channels, filters, height and width, taps, stride"},
     "--types": {"nargs": "+", "default": ["bf16", "u8"], "choices": tuple(OF_WAYS), "help": "of ways"}},
    share=2.0)
