"""Compare depthwise convolutions with torch in every layout: `tilesmith bench depthwise`.

MobileNet's nine shapes of 3 x 3 taps, padding 1, one image of f32, on one thread. `kernel` is the machine code of one
kernel on an image whose channels are neighbours; `NHWC` and `NCHW` are calls from Python of the function that a
convolution of arrays uses, which write to a given array. torch allocates its results; it runs in NCHW, channels_last,
and with blocked operands that are packed before. `relu` is a kernel that reads and writes as many bytes, as a bound by
memory. `--random SEED` takes shapes, taps, strides and dilations that are drawn.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.operands import aligned, filled, native
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Goal

SHAPES = (
    (32, 112, 1),
    (64, 112, 2),
    (128, 56, 1),
    (128, 56, 2),
    (256, 28, 1),
    (256, 28, 2),
    (512, 14, 1),
    (512, 14, 2),
    (1024, 7, 1),
)
"""Channels, height and width, stride."""
DRAWN = 12
GOAL = 2.0


def measured(run: Run, channels: int, size: int, stride: int, taps: int = 3, dilation: int = 1) -> Row:
    rng, padding = np.random.default_rng(0), (taps - 1) * dilation // 2
    shapes = (1, size, size, channels), (channels, 1, taps, taps)
    x, w = (filled(aligned(shape, "f32"), rng) for shape in shapes)
    gap = 16 * (channels % 256 == 0)
    packed = aligned((taps * taps, channels + gap), "f32")
    packed[:, :channels] = w.reshape(channels, -1).T
    named: Any = {"stride": stride, "padding": padding, "dilation": dilation}
    k = ts.depthwise(size, size, channels, taps, **named, ldw=channels + gap)
    pixels = k.spec.arguments[-1].rows
    y = aligned((pixels, channels), "f32")
    side = round(pixels**0.5)
    by_channel, out = np.ascontiguousarray(x.transpose(0, 3, 1, 2)), np.empty((1, channels, side, side), np.float32)
    last, out_last = x.transpose(0, 3, 1, 2), np.empty((1, side, side, channels), np.float32).transpose(0, 3, 1, 2)
    copy = max(x.size, y.size) // channels
    contenders: dict[str, Any] = {
        "kernel": native(k, [x.reshape(-1, channels), packed, y]),
        "NHWC": PythonCall(lambda: ts.conv2d(last, w, **named, groups=channels, out=out_last, threads=1)),
        "NCHW": PythonCall(lambda: ts.conv2d(by_channel, w, **named, groups=channels, out=out, threads=1)),
        "relu": native(ts.unary("relu", copy, channels)),
    }
    contenders["kernel"].run(1)
    for found in (contenders["NHWC"].function(), contenders["NCHW"].function()):
        assert np.abs(found.transpose(0, 2, 3, 1).reshape(y.shape) - y).max() < 1e-4
    contenders |= _of_torch(by_channel, w, named, y)
    best = run.turns(contenders)
    torch = [time for name, time in best.items() if name.startswith("torch")]
    row: Row = {"shape": f"{channels} x {size} x {size}", "taps": f"{taps}, {dilation}", "stride": stride, **best}
    row["GFLOP/s"] = k.flops / best["kernel"]
    for name in ("kernel", "NHWC", "NCHW"):
        row[f"x {name}"] = min(torch) / best[name] if torch else None
    return row


def _of_torch(x: Any, w: Any, named: dict[str, Any], wanted: Any) -> dict[str, Any]:
    """Return torch's calls in each layout, after a check of their results."""
    torch = torch_module()
    if torch is None:
        return {}
    stride, padding, dilation, groups = *named.values(), x.shape[1]
    a, b = torch.from_numpy(x), torch.from_numpy(w)
    a_last, b_last = (each.contiguous(memory_format=torch.channels_last) for each in (a, b))
    conv, torch_grad = torch.nn.functional.conv2d, torch.no_grad()
    torch_grad.__enter__()
    one = [[each, each] for each in (padding, stride, dilation)]
    blocked = a.to_mkldnn()
    weights = torch._C._nn.mkldnn_reorder_conv2d_weight(b.to_mkldnn(), *one, groups, list(a.shape))
    calls = {
        "torch NCHW": lambda: conv(a, b, None, stride, padding, dilation, groups),
        "torch NHWC": lambda: conv(a_last, b_last, None, stride, padding, dilation, groups),
        "torch blocked": lambda: torch.mkldnn_convolution(blocked, weights, None, *one, groups),
    }
    for call in calls.values():
        found = call()
        dense = (found.to_dense() if found.is_mkldnn else found).numpy()
        assert np.abs(dense.transpose(0, 2, 3, 1).reshape(wanted.shape) - wanted).max() < 1e-3
    return {name: PythonCall(call) for name, call in calls.items()}


def _drawn(run: Run) -> Iterator[Row]:
    """Yield the figures of shapes that are drawn by --random."""
    if run.options.random is None:
        return
    rng = np.random.default_rng(run.options.random)
    for _ in range(DRAWN):
        channels, size = int(rng.integers(3, 1200)), int(rng.integers(5, 90))
        taps, dilation = int(rng.choice([3, 3, 5, 7])), int(rng.choice([1, 1, 2]))
        size = max(5, min(size, round((1 << 20) ** 0.5 / channels**0.5)))
        yield measured(run, channels, size, int(rng.choice([1, 1, 2])), taps, dilation)


def goals(rows: Any) -> Iterator[Goal]:
    """Yield the least ratio to the better layout of torch."""
    for row in rows:
        if row["x kernel"] is not None:
            yield Goal(f"kernel of {row['shape']}, stride {row['stride']}, by torch", GOAL, row["x kernel"])


COLUMNS = (
    "shape; taps; stride; us=kernel:1u; GFLOP/s:0G; relu us=relu:1u; torch NCHW us=torch NCHW:1u; "
    "NHWC us=torch NHWC:1u; blocked us=torch blocked:1u; kernel by torch=x kernel:2~; NHWC call=x NHWC:2~; "
    "NCHW call=x NCHW:2~"
)
BENCH = Bench(
    "depthwise",
    __doc__,
    (Table("MobileNet", COLUMNS, SHAPES, measured, goals=goals), Table("drawn", COLUMNS, ((),), _drawn)),
    {"seconds": {"type": float, "nargs": "?", "default": 0.3}, "--random": {"type": int, "default": None}},
)
