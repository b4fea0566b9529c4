"""ResNet-50 in inference and in training, beside torch and onnxruntime:
`tilesmith bench resnet [--small] [--without-inductor] [--threads 1 2]`.

residual.py lists the convolutions, each with its input and what is added to it. torch's model, ours and that of
onnxruntime follow this list; weights are random. Inference is a `ts.network` of `ts.conv` layers with channels last,
into whose weights batch norms are folded. A layer adds its residual and computes relu in its epilogue, and the results
of all layers share three buffers. In int8 every result is u8 (i8 where no relu follows) with a scale that is calibrated
on images; the epilogue of a layer scales its exact sums, adds the residual and rounds once. Each layer is compared with
torch's on the same input. The training is torch's model by `torch.compile(..., backend="tilesmith")`: convolutions,
batch norms of the batch, pooling, the loss of labels, and SGD. Sources: Georganas et al., Harnessing Deep Learning via
a Single Building Block, section 4; Intel's optimization manual, 20.12, for the buffers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import curves_of, error_of, timed, torch_here, training
from docs.examples.workloads.residual import CLASSES, Layer, drawn, folded, layers, loss, network, onnx_session
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

RATE = 1e-3  # with 1e-2, the third loss of torch in f32 is 0.6 of that in f64: it depends on roundings
BOUNDS = {"f32": 1e-5, "bf16": 5e-3, "int8": 5e-3}
"""The largest difference of a layer from torch's in f64 on the same input, relative to its largest element: results of
bf16 are rounded by up to 2^-9 of an element, those of int8 by half of one of 127 steps."""


def last(images: Any) -> Any:
    """Return an array (n, c, h, w) with channels last in memory."""
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


class Ours:
    """The steps of `ts.network` in a type. `scales` are those of the results in int8."""

    def __init__(self, model: Any, dtype: str, kept: dict[str, Any], small: bool) -> None:
        self.dtype, self.scales = dtype, {name: self._scale(each) for name, each in kept.items()}
        self.scales["pool"] = self.scales["stem"]
        self.steps: dict[str, tuple[Any, ...]] = {}
        self.weights: dict[str, tuple[Any, Any]] = {}
        for each, (w, b) in zip(layers(small), folded(model)):
            self.steps[each.name] = self._layer(each, kept[each.read].shape, w, b)
            if each.name == "stem":
                self.steps["pool"] = partial(ts.max_pool2d, kernel_size=3, stride=2, padding=1), "stem"
        w, b = (each.detach().numpy() for each in model.classes.parameters())
        self.steps["classes"] = (
            partial(head, scale=self.scales[list(kept)[-1]] if dtype == "int8" else 1.0),
            each.name,
            w.T,
            b,
        )
        self.input = self._quantized("x", kept["x"]) if dtype == "int8" else last(kept["x"]).astype(kind_of(dtype))

    def _scale(self, values: Any) -> float:
        return float(np.abs(values).max()) / (255 if values.min() >= 0 else 127)

    def _quantized(self, name: str, values: Any) -> Any:
        return np.clip(np.rint(last(values) / self.scales[name]) + 128, 0, 255).astype(np.uint8)

    def _layer(self, each: Layer, shape: Any, w: Any, b: Any) -> tuple[Any, ...]:
        more = {"stride": each.stride, "padding": each.taps // 2, "layout": "NHWC"}
        if self.dtype != "int8":
            made = ts.conv(
                shape,
                w.shape,
                dtype=self.dtype,
                activation=ts.relu if each.relu else None,
                residual=bool(each.added),
                **more,
            )
            kind = kind_of(self.dtype)
            self.weights[each.name] = w.astype(kind).astype(np.float64), b.astype(kind).astype(np.float64)
            return made, each.read, made.pack(w.astype(kind)), b.astype(kind), *([each.added] if each.added else [])
        of_w = np.abs(w).max((1, 2, 3)) / 127
        whole = np.rint(w / of_w[:, None, None, None]).astype(np.int8)
        self.weights[each.name] = whole * of_w[:, None, None, None].astype(np.float64), b.astype(np.float64)
        to = self.scales[each.name]
        scale, shift = (of_w * self.scales[each.read] / to).astype(np.float32), (b / to).astype(np.float32)
        by = self.scales[each.added] / to if each.added else 0.0

        def finished(c: Any, scale: Any, shift: Any, residual: Any = None) -> Any:
            total = c * scale + shift
            total = total if residual is None else total + by * residual
            return ts.relu(total) if each.relu else total

        operands: dict[str, Any] = {"scale": ("channel", "f32"), "shift": ("channel", "f32")}
        if each.added:
            operands["residual"] = None, "i8" if each.added.endswith("down") else "u8"
        made = ts.conv(
            shape,
            w.shape,
            bias=False,
            dtype=("u8", "i8", "u8" if each.relu else "i8"),
            epilogue=finished,
            operands=operands,
            zero_point=128 if each.read == "x" else 0,
            **more,
        )
        return made, each.read, made.pack(whole), scale, shift, *([each.added] if each.added else [])

    def results(self) -> dict[str, Any]:
        """Return the result of every step, one after the other."""
        found = {"x": self.input}
        for name, (function, *args) in self.steps.items():
            found[name] = function(*(found[each] if isinstance(each, str) else each for each in args))
        return found

    def real(self, name: str, values: Any) -> Any:
        """Return the numbers that a result stands for, in f64."""
        values = values.astype(np.float64)
        return (values - 128 * (name == "x")) * self.scales[name] if self.dtype == "int8" else values

    def errors(self, small: bool) -> float:
        """Compare every layer with torch's in f64 on the same input; return the largest difference."""
        import torch

        found, errors = self.results(), []
        of = {name: torch.from_numpy(self.real(name, each)) for name, each in found.items() if name != "classes"}
        for each in layers(small):
            w, b = map(torch.from_numpy, self.weights[each.name])
            y = torch.nn.functional.conv2d(of[each.read], w, b, each.stride, each.taps // 2)
            y = y + of[each.added] if each.added else y
            y = (torch.relu(y) if each.relu else y).numpy()
            if self.dtype == "int8":  # what lies beyond the scale is clamped
                lowest, highest = (0, 255) if each.relu else (-128, 127)
                y = np.clip(y, lowest * self.scales[each.name], highest * self.scales[each.name])
            errors.append(error_of(of[each.name].numpy(), y, BOUNDS[self.dtype], f"{self.dtype}, {each.name}"))
        return max(errors)


def kind_of(dtype: str) -> Any:
    """Return numpy's type."""
    return ts.empty((1,), dtype).dtype


def head(images: Any, w: Any, b: Any, out: Any = None, scale: float = 1.0) -> Any:
    """Return the logits of the classes in f32."""
    means = images.mean((2, 3), dtype=np.float32)
    return ts.matmul(means, w, out, epilogue=lambda c, b: scale * c + b, operands={"b": b})


def inference(run: Run, dtype: str) -> Row:
    """Compare every layer, and measure the network beside torch and onnxruntime."""
    if (torch := torch_here()) is None:
        run.remark("needs torch")
        return {}
    small = run.options.small
    model, images, kept, wanted = drawn(torch, small)
    ours = Ours(model, dtype, kept, small)
    row = {"error": f"{ours.errors(small):.0e}"}
    net = ts.network(ours.steps, x=ours.input)
    row |= {
        "buffers": len(net.buffers),
        "bytes": sum(net.buffers),
        "whole": sum(each.nbytes for each in ours.results().values()),
    }
    logits = net(ours.input)
    row["logits"] = f"{np.abs(logits - wanted).max() / np.abs(wanted).max():.0e}"
    calls: dict[str, Callable[[], object]] = {"ours": lambda: net(ours.input)}
    theirs = model.to(torch.bfloat16 if dtype == "bf16" else torch.float32).to(memory_format=torch.channels_last)
    x = images.to(theirs.classes.weight.dtype).contiguous(memory_format=torch.channels_last)
    calls["torch"] = torch.no_grad()(lambda: theirs(x))
    if not (small or run.options.without_inductor) and dtype != "int8":
        torch.compiler.reset()
        calls["inductor"] = torch.no_grad()(partial(torch.compile(theirs), x))
        calls["inductor"]()
    if dtype != "bf16":
        session = onnx_session(small, model, images.shape)
        calls["onnxruntime"] = lambda: session.run(None, {"x": images.numpy()})
        error_of(calls["onnxruntime"]()[0], wanted, 1e-4, "onnxruntime")
    best = timed(run, calls)
    return {"threads": ts.num_threads(), "dtype": dtype, **best, **row, "rate": len(images) / best["ours"]}


def parts(run: Run) -> Iterator[Row]:
    """Measure the steps of the inference one by one; yield the sums of steps of a kind."""
    if (torch := torch_here()) is None:
        run.remark("needs torch")
        return
    small = run.options.small
    model, _, kept, _ = drawn(torch, small)
    ours = Ours(model, "f32", kept, small)
    found, listed = ours.results(), {each.name: each for each in layers(small)}
    spent, flops = Counter[str](), Counter[str]()
    for name, (function, *args) in ours.steps.items():
        given = [found[each] if isinstance(each, str) else each for each in args]
        kind = f"{listed[name].taps} x {listed[name].taps}" if name in listed else name
        call = partial(function, *given, out=found[name])
        spent[kind] += timed(run, {"ours": call})["ours"]
        if name in listed:
            flops[kind] += 2 * found[name].size * listed[name].inputs * listed[name].taps ** 2
    for kind, seconds in spent.items():
        share = flops[kind] / seconds / beside_torch.peak(run, "f32") if flops[kind] else math.nan
        row = {"threads": ts.num_threads(), "part": kind, "ours": seconds, "share": seconds / spent.total()}
        yield row | {"of peak": share}


def trained(run: Run) -> Row:
    """Train by all ways, and measure a step."""
    if (torch := torch_here()) is None:
        run.remark("needs torch")
        return {}
    small = run.options.small
    torch.manual_seed(1)
    images, labels = torch.randn(4, 3, *(32, 32) if small else (224, 224)), torch.randint(0, CLASSES, (4,))
    steps = training(lambda: network(small), loss, RATE, not (small or run.options.without_inductor))
    row = curves_of(steps, [(images, labels)] * 3, 1e-2)
    best = timed(run, {name: partial(step, images, labels) for name, step in steps.items()})
    return {"threads": ts.num_threads(), **row, **best, "rate": len(images) / best["ours"]}


PEERS = "images/s=rate:2; by torch:2; by inductor:2; by onnxruntime:2; "
INFERENCE = f"threads; types=dtype; {PEERS}error of a layer=error; of logits=logits; buffers; KiB of them=bytes:0KiB; "
INFERENCE += "KiB of all results=whole:0KiB"


def _tables(run: Run) -> Sequence[Table]:
    def goals(what: str, wanted: float) -> tuple[Wanted, ...]:
        return tuple(Wanted(f"{what}, {{threads}} threads: {by}", wanted, by) for by in ("by torch", "by inductor"))

    return (
        Table("inference", INFERENCE, tuple(BOUNDS), inference, "inference of 2 images", goals("{dtype}", 1.2)),
        Table(
            "parts",
            "threads; part; ms=ours:2m; share, %=share:0%; of peak:2",
            ((),),
            parts,
            "f32: shares of the inference",
        ),
        Table(
            "training",
            "threads; images/s=rate:2; " + beside_torch.TRAINING,
            ((),),
            trained,
            "f32: training with 4 images",
            goals("training", 1.1),
        ),
    )


BENCH = Bench("resnet", __doc__, _tables, beside_torch.OPTIONS, seconds=1.0, **beside_torch.SETTINGS)
