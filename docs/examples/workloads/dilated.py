"""Training of a network of dilated convolutions along genomes beside torch:
`tilesmith bench dilated [--small] [--without-inductor] [--threads 1 2]`.

AtacWorks removes noise from sequencing signals of 60,000 places: layers of 15 channels, 51 taps and dilation 8 with
relu, of which each three are a residual block, a layer that returns the signal, and one that says where its peaks are.
The loss is the squared error of the signal and the cross entropy of the peaks. The model is an ordinary one of torch;
ours is `torch.compile(..., backend="tilesmith")` and the SGD of `tilesmith.integrations.torch`. Source: Georganas et
al., Tensor Processing Primitives, sections 5.2.1 and 6.2.1.

Signals are drawn: peaks of known places and heights, and noise upon them. The second table has the layer alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import curves_of, error_of, timed, torch_here, training
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

CHANNELS, TAPS, DILATION = 15, 51, 8
WIDTH, BLOCKS = 60_000, 2


def network(blocks: int) -> Any:
    """Return the network in torch: signals (n, 1, width) to a signal and the logits of peaks."""
    import torch
    from torch import nn

    def layer(inputs: int) -> Any:
        return nn.Conv1d(inputs, CHANNELS, TAPS, dilation=DILATION, padding=(TAPS - 1) * DILATION // 2)

    class Denoiser(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = layer(1)
            self.blocks = nn.ModuleList(nn.ModuleList(layer(CHANNELS) for _ in range(3)) for _ in range(blocks))
            self.signal, self.peaks = nn.Conv1d(CHANNELS, 1, 1), nn.Conv1d(CHANNELS, 1, 1)

        def forward(self, x: Any) -> tuple[Any, Any]:
            x = torch.relu(self.first(x))
            for a, b, c in self.blocks:
                x = torch.relu(c(torch.relu(b(torch.relu(a(x))))) + x)
            return self.signal(x), self.peaks(x)

    return Denoiser()


def loss(model: Any, noisy: Any, signal: Any, peaks: Any) -> Any:
    """Return the squared error of the signal and the cross entropy of the peaks."""
    from torch.nn import functional

    found, logits = model(noisy)
    return functional.mse_loss(found, signal) + functional.binary_cross_entropy_with_logits(logits, peaks)


def drawn(rng: np.random.Generator, width: int) -> tuple[Any, Any, Any]:
    """Return a noisy signal, the signal and where its peaks are, each (1, 1, width)."""
    import torch

    signal = np.zeros(width)
    places = np.arange(width)
    for at, size in zip(rng.integers(0, width, width // 200), rng.uniform(5, 40, width // 200)):
        near = slice(max(0, at - 200), at + 200)
        signal[near] += rng.uniform(0.5, 2) * np.exp(-(((places[near] - at) / size) ** 2))
    noisy = signal + rng.normal(0, 0.4, width)
    return tuple(torch.from_numpy(each.astype(np.float32))[None, None] for each in (noisy, signal, signal > 0.5))


def trained(run: Run) -> Row:
    """Train by all ways, and measure a step."""
    if torch_here() is None:
        run.remark("needs torch")
        return {}
    width, blocks = (300, 1) if run.options.small else (WIDTH, BLOCKS)
    rng = np.random.default_rng(0)
    batches = [drawn(rng, width)] * (3 if run.options.small else 6)
    steps = training(lambda: network(blocks), loss, 0.02, not (run.options.small or run.options.without_inductor))
    row = {"threads": ts.num_threads(), "network": f"{2 + 3 * blocks + 1} layers, {width:,} places"}
    row |= curves_of(steps, batches, 1e-3)
    best = timed(run, {name: partial(step, *batches[0]) for name, step in steps.items()})
    return row | best


def layers(run: Run, part: str) -> Row:
    """Measure a layer of the network alone: forward, or a gradient."""
    torch, width = torch_here(), 300 if run.options.small else WIDTH
    rng = np.random.default_rng(1)
    reach = (TAPS - 1) * DILATION
    shapes = (1, CHANNELS, width + reach), (CHANNELS, CHANNELS, TAPS), (1, CHANNELS, width)
    x, w, dy = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    flops = 2 * CHANNELS * CHANNELS * TAPS * width
    ours = {
        "forward": lambda: ts.conv1d(x, w, dilation=DILATION),
        "by the data": lambda: ts.conv1d_backward(dy, x, w, dilation=DILATION, wanted="dx"),
        "by the weights": lambda: ts.conv1d_backward(dy, x, w, dilation=DILATION, wanted="dw"),
    }[part]
    taps = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), reach + 1, 2)[..., ::DILATION]
    wanted = {
        "forward": lambda: np.einsum("ncqs,kcs->nkq", taps, w, optimize=True),
        "by the weights": lambda: np.einsum("nkq,ncqs->kcs", dy, taps, optimize=True),
        "by the data": lambda: sum(
            np.pad(np.einsum("nkq,kc->ncq", dy.astype(np.float64), w[..., s]), ((0, 0), (0, 0), (at, reach - at)))
            for s, at in enumerate(range(0, reach + 1, DILATION))
        ),
    }[part]()
    error = error_of(ours(), wanted, 1e-5, part)
    calls = {"ours": ours}
    if torch is not None:
        tensors = [torch.from_numpy(each) for each in (x, w, dy)]
        calls["torch"] = lambda: of_torch(part, *tensors)
    best = timed(run, calls)
    rate = flops / best["ours"]
    row = {"threads": ts.num_threads(), "part": part, "rate": rate, "of peak": rate / beside_torch.peak(run, "f32")}
    return best | row | {"error": f"{error:.0e}"}


def of_torch(part: str, x: Any, w: Any, dy: Any) -> Any:
    """Return the same by torch."""
    import torch

    if part == "forward":
        return torch.nn.functional.conv1d(x, w, dilation=DILATION)
    wanted = [part == "by the data", part == "by the weights", False]
    return torch.ops.aten.convolution_backward(dy, x, w, None, [1], [0], [DILATION], False, [0], 1, wanted)


OF_NETWORK = "threads; network; " + beside_torch.TRAINING
OF_LAYERS = "threads; part; ms=ours:2m; GFLOP/s=rate:1G; of peak:2; by torch:2; error"


def _tables(run: Run) -> Sequence[Table]:
    goals = (
        Wanted("training, {threads} threads: by torch", 3.0, "by torch"),
        Wanted("training, {threads} threads: by inductor", 3.0, "by inductor"),
    )
    parts = ("forward",) if run.options.small else ("forward", "by the data", "by the weights")
    title = f"f32: a layer of {CHANNELS} channels, {TAPS} taps, dilation {DILATION}"
    of_layers = (Wanted("{part}, {threads} threads: of peak", 0.5, "of peak"),)
    return (
        Table("training", OF_NETWORK, ((),), trained, "f32: training", goals),
        Table("layers", OF_LAYERS, parts, layers, title, of_layers),
    )


BENCH = Bench("dilated", __doc__, _tables, beside_torch.OPTIONS, seconds=1.0, **beside_torch.SETTINGS)
