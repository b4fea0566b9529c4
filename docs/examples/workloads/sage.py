"""Training of GraphSAGE on all nodes of a graph at once, beside torch:
`tilesmith bench sage [--small] [--threads 1 2]`.

    a = mean of the rows of x that a node's edges name        y = relu([x, a] @ w + b)        three layers: 100, 256,
    256 to 47 classes; softmax and cross entropy; SGD

The graph has the ratios of OGB-Products, 50 edges a node, 100 features and 47 classes, for 24,490 nodes, a hundredth of
it. Its degrees follow a power law, and it is drawn. Means are those of `ts.graph_reduce`, their gradients those of
`ts.graph_reduce_backward` with a transposed graph that is made once; layers are `ts.matmul` with an epilogue and
`ts.linear_backward`. In bf16 features, weights and products are of 16 bits, sums, means, losses and the weights that
SGD changes of 32. torch computes means by `torch.sparse.mm`. Source:
Georganas et al., Tensor Processing Primitives, sections 5.2.4 and 6.2.4.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import curves_of, error_of, timed, torch_here
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

NODES, DEGREE, RATE = 24_490, 50, 0.05
WIDTHS = 100, 256, 256, 47
PARTS = "aggregation", "layers", "loss", "SGD"
Array = Any


def graph(nodes: int) -> tuple[Array, Array]:
    """Return the ends of the rows and the sources of a graph whose degrees follow a power law, each edge once."""
    rng = np.random.default_rng(0)
    weight = rng.pareto(1.5, nodes) + 1
    ends = rng.choice(nodes, (2, nodes * DEGREE), p=weight / weight.sum())
    rows, sources = np.divmod(np.unique(ends[0] * nodes + ends[1]), nodes)
    return np.searchsorted(rows, np.arange(nodes + 1)), sources


def drawn(nodes: int) -> tuple[Array, Array]:
    """Return the features of the nodes and their classes (nodes, 1), which follow from the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((nodes, WIDTHS[0])).astype(np.float32)
    return x, np.argmax(x @ rng.standard_normal((WIDTHS[0], WIDTHS[-1])), 1).astype(np.int32)[:, None]


def weights() -> list[tuple[Array, Array]]:
    """Return the weights (2 * inputs, outputs) and the biases of all layers."""
    rng = np.random.default_rng(2)
    shapes = [(2 * n, m) for n, m in zip(WIDTHS, WIDTHS[1:])]
    return [
        (rng.standard_normal(shape).astype(np.float32) * shape[0] ** -0.5, np.zeros(shape[1], np.float32))
        for shape in shapes
    ]


class Sage:
    """The network on one graph. `spent` has the seconds of its parts."""

    def __init__(self, ends: Array, sources: Array, dtype: Any) -> None:
        self.ends, self.sources, self.nodes = ends, sources, len(ends) - 1
        self.back = ts.graph_transpose(ends, sources, self.nodes)
        self.dtype, self.spent, self.weights = dtype, Counter[str](), weights()
        both = ("cross_entropy", "cross_entropy_inv")
        self.loss, self.loss_back = (ts.spread(ts.fused(each, self.nodes, WIDTHS[-1])) for each in both)
        self.share = np.full((self.nodes, 1), 1 / self.nodes, np.float32)

    def timed(self, part: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        start = time.perf_counter()
        result = function(*args, **named)
        self.spent[part] += time.perf_counter() - start
        return result

    def narrow(self, x: Array) -> Array:
        """Return an array in the type of the products."""
        return x.astype(self.dtype, copy=False)

    def joined(self, x: Array) -> Array:
        """Return [x, the means of the neighbours]."""
        both = np.empty((self.nodes, 2 * x.shape[1]), self.dtype)
        both[:, : x.shape[1]] = x
        both[:, x.shape[1] :] = ts.graph_reduce(self.ends, self.sources, x, "mean")
        return both

    def of_inputs(self, g: Array) -> Array:
        """Return the gradient of x by that of [x, means]."""
        n = g.shape[1] // 2
        means = np.ascontiguousarray(g[:, n:])
        dx, _ = ts.graph_reduce_backward(means, self.ends, self.sources, means, "mean", transpose=self.back)
        return self.narrow(dx + g[:, :n])

    def step(self, x: Array, classes: Array) -> float:
        """Train with all nodes; return the loss."""
        kept, half = [], [tuple(map(self.narrow, each)) for each in self.weights]
        for number, (w, b) in enumerate(half):
            both = self.timed("aggregation", self.joined, x)
            last = number == len(half) - 1
            after = (lambda c, b: c + b) if last else (lambda c, b: ts.relu(c + b))
            x = self.timed("layers", ts.matmul, both, w, epilogue=after, operands={"b": b})
            kept.append((both, x))
        x = x.astype(np.float32, copy=False)
        loss = float(self.timed("loss", self.loss, x, classes).mean())
        g = self.narrow(self.timed("loss", self.loss_back, self.share, x, classes))
        for number in reversed(range(len(half))):
            (both, y), (w, b), last = kept[number], half[number], number == len(half) - 1
            wanted = "dx dw db" if number else "dw db"
            more = {} if last else {"activation": ts.relu, "z": y}
            *dx, dw, db = self.timed("layers", ts.linear_backward, g, both, w, b, wanted=wanted, **more)
            for mine, slope in zip(self.weights[number], (dw, db)):
                self.timed("SGD", np.subtract, mine, RATE * slope.astype(np.float32), out=mine)
            if dx:
                g = self.timed("aggregation", self.of_inputs, *dx)
        return loss


def matrix_of(ends: Array, sources: Array) -> Any:
    """Return the graph as a sparse matrix of torch."""
    import torch

    where, nodes = (torch.from_numpy(ends), torch.from_numpy(sources)), len(ends) - 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's sparse tensors are in beta state
        return torch.sparse_csr_tensor(*where, torch.ones(len(sources)), size=(nodes, nodes), check_invariants=False)


def of_torch(ends: Array, sources: Array, half: bool) -> Callable[..., float]:
    """Return a step of training by torch."""
    import torch

    kind, matrix = torch.bfloat16 if half else torch.float32, matrix_of(ends, sources)
    given = [[torch.from_numpy(part.copy()).requires_grad_() for part in each] for each in weights()]
    optimizer = torch.optim.SGD([part for each in given for part in each], lr=RATE)

    def step(x: Any, classes: Any) -> float:
        optimizer.zero_grad()
        x = torch.from_numpy(x.astype(np.float32)).to(kind)
        for number, (w, b) in enumerate(given):
            means = torch.sparse.mm(matrix, x.float(), "mean").to(kind)
            x = torch.cat([x, means], 1) @ w.to(kind) + b.to(kind)
            x = x if number == len(given) - 1 else torch.relu(x)
        found = torch.nn.functional.cross_entropy(x.float(), torch.from_numpy(classes[:, 0]).long())
        found.backward()
        optimizer.step()
        return float(found.detach())

    return step


def trained(run: Run, dtype: str) -> Row:
    """Train by all ways, and measure a step."""
    nodes, half = 200 if run.options.small else NODES, dtype == "bf16"
    (ends, sources), (x, classes) = graph(nodes), drawn(nodes)
    kind = ts.empty((1,), dtype).dtype
    ours = Sage(ends, sources, kind)
    steps: dict[str, Callable[..., float]] = {"ours": lambda x, classes: ours.step(x.astype(kind), classes)}
    if torch_here() is None:
        run.remark("needs torch")
        return {}
    steps["torch"] = of_torch(ends, sources, half)
    curves = curves_of(steps, [(x, classes)] * 4, 1e-2 if half else 1e-5)
    ours.spent.clear()
    best = timed(run, {name: partial(step, x, classes) for name, step in steps.items()})
    row = {"threads": ts.num_threads(), "dtype": dtype, "edges": len(sources), **curves, **best}
    return row | {f"share {part}": ours.spent[part] / ours.spent.total() for part in PARTS}


def aggregated(run: Run, dtype: str) -> Row:
    """Measure the means of 256 features alone."""
    nodes = 200 if run.options.small else NODES
    (ends, sources), width = graph(nodes), WIDTHS[1]
    x = np.random.default_rng(3).standard_normal((nodes, width)).astype(ts.empty((1,), dtype).dtype)
    sums = np.add.reduceat(np.append(x.astype(np.float64)[sources], np.zeros((1, width)), axis=0), ends[:-1])
    wanted = np.where(np.diff(ends)[:, None] > 0, sums / np.maximum(np.diff(ends), 1)[:, None], 0)
    out = ts.empty((nodes, width))
    calls = {"ours": lambda: ts.graph_reduce(ends, sources, x, "mean", out=out)}
    error = error_of(calls["ours"](), wanted, 1e-5, "means")
    if (torch := torch_here()) is not None:
        values = torch.from_numpy(x.astype(np.float32))
        matrix = matrix_of(ends, sources)
        calls["torch"] = lambda: torch.sparse.mm(matrix, values, "mean")
        rows, named = torch.from_numpy(np.repeat(np.arange(nodes), np.diff(ends))), torch.from_numpy(sources)
        zeros = torch.zeros(nodes, width)
        calls["index_add"] = lambda: zeros.index_add(0, rows, values[named])
    best = timed(run, calls)
    moved = len(sources) * width * x.itemsize / best["ours"]
    return {"threads": ts.num_threads(), "dtype": dtype, **best, "bytes": moved, "error": f"{error:.0e}"}


COLUMNS = "threads; types=dtype; edges:0; " + beside_torch.TRAINING
COLUMNS += "; ".join(f"{part}, %=share {part}:0%" for part in PARTS)
MEANS = "threads; types=dtype; ms=ours:2m; GB/s of rows=bytes:1G; by torch, f32=by torch:2; "
MEANS += "by index_add, f32=by index_add:2; error"


def _tables(run: Run) -> Sequence[Table]:
    goals = (Wanted("{dtype}, {threads} threads: by torch", 2.0, "by torch"),)
    return (
        Table("training", COLUMNS, ("f32", "bf16"), trained, "training on all nodes", goals),
        Table("means", MEANS, ("f32", "bf16"), aggregated, "means of 256 features"),
    )


BENCH = Bench("sage", __doc__, _tables, beside_torch.OPTIONS, seconds=1.0, **beside_torch.SETTINGS)
