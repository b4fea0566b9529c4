"""A recommendation model (DLRM) in training, beside torch:
`tilesmith bench dlrm [--small] [--without-inductor] [--threads 1 2]`.

    numbers (b, 512) ---- bottom perceptron ---- x (b, 64) ---+--- t (b, 9, 64) --- t t' --- its lower triangle (b, 36)
    8 x 50 indices a sample ---- embedding bags (b, 8, 64) ---+                                        |
                                                     x ----------- joined (b, 100) ---- top perceptron ---- click

That is the papers' "small" configuration, 2,048 samples and 50 look-ups a table, of 100,000 rows in place of a million.
Perceptrons and interaction are a model of torch that `torch.compile(..., backend="tilesmith")` compiles. Tables are
trained without gradients of their size: `ts.graph_reduce` adds up the bags, and one kernel adds the gradient of each
bag to the rows that it names (`ts.scatter(..., add=True)`); torch has sparse gradients. In bf16 weights and tables are
split: their upper halves are what the model reads, and SGD computes in f32 (`ts.torch.SplitSGD`,
`ts.fused("split_sgd")`). dlrm_inference.py measures the inference. Source: Georganas et al., Tensor Processing
Primitives, sections 5.2.2 and 6.2.2.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import curves_of, timed, torch_here
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

TABLES, WIDTH, RATE = 8, 64, 0.1
BOTTOM, TOP = (512, 512, WIDTH), (1024, 1024, 1024, 1)
SMALL = (16, WIDTH), (32, 1)
PAIRS = np.tril_indices(TABLES + 1, -1)
Layers: TypeAlias = list[tuple[Any, Any]]
"""Weights (k, n) and biases (n) of a perceptron. All layers but the last one end with ReLU."""


def sizes(run: Run) -> tuple[int, int, int]:
    """Return the samples, the rows of a table, and the look-ups of a sample in each."""
    return (32, 500, 4) if run.options.small else (2048, 100_000, 50)


def dense_part(run: Run) -> Any:
    """Return the perceptrons and the interaction as a model of torch: numbers and bags (8, b, 64) to logits."""
    import torch
    from torch import nn

    def perceptron(widths: Sequence[int]) -> Any:
        layers = [each for pair in zip(widths, widths[1:]) for each in (nn.Linear(*pair), nn.ReLU())]
        return nn.Sequential(*layers[:-1])

    bottom, top = SMALL if run.options.small else (BOTTOM, TOP)

    class Dense(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bottom = perceptron(bottom)
            self.top = perceptron((WIDTH + len(PAIRS[0]), *top))
            self.register_buffer("pairs", torch.from_numpy(PAIRS[0] * (TABLES + 1) + PAIRS[1]), persistent=False)

        def forward(self, numbers: Any, bags: Any) -> Any:
            x = self.bottom(numbers)
            t = torch.cat([x[:, None], bags.transpose(0, 1).to(x.dtype)], 1)
            pairs = torch.bmm(t, t.transpose(1, 2)).flatten(1).index_select(1, self.pairs)
            return self.top(torch.cat([x, pairs], 1))

    torch.manual_seed(0)
    return Dense()


def drawn(run: Run) -> tuple[list[Any], list[Any]]:
    """Return the tables, and a batch: numbers, the indices of each table, whether each sample was clicked."""
    samples, rows, look_ups = sizes(run)
    rng = np.random.default_rng(0)
    tables = [(rng.uniform(-1, 1, (rows, WIDTH)) * look_ups**-0.5).astype(np.float32) for _ in range(TABLES)]
    numbers = rng.standard_normal((samples, (SMALL[0] if run.options.small else BOTTOM)[0])).astype(np.float32)
    clicked = (numbers[:, :8].sum(1, keepdims=True) > 0).astype(np.float32)
    return tables, [numbers, rng.integers(0, rows, (TABLES, samples * look_ups)), clicked]


class Tables:
    """The tables, whose bags and updates are kernels of this package; in bf16 each is two halves."""

    def __init__(self, tables: Sequence[Any], samples: int, look_ups: int, half: bool) -> None:
        count, rows = samples * look_ups, len(tables[0])
        self.ends = np.arange(samples + 1) * look_ups
        self.of_bag = np.repeat(np.arange(samples), look_ups)
        self.high = [each.copy() for each in tables]
        self.low: list[Any] = []
        if half:
            bits = [each.view(np.uint32) for each in tables]
            self.high = [(each >> 16).astype(np.uint16).view(ts.empty((1,), "bf16").dtype) for each in bits]
            self.low = [each.astype(np.uint16) for each in bits]
        ways = [partial(make, "rows", ts.RUNTIME, WIDTH, size=ts.RUNTIME) for make in (ts.gather, ts.scatter)]
        self.moves = [[make(dtype=each) for make in ways] for each in ("bf16", "u16")]
        self.split = ts.fused("split_sgd", ts.RUNTIME, WIDTH)
        self.add = ts.spread(
            ts.equation(
                lambda g, bag, index: ts.scatter(-RATE * ts.gather(g, bag), index, rows, add=True),
                **{"g": (samples, WIDTH), "bag": (count, 1), "index": (count, 1)},
                dtype={"g": "f32", "bag": "i64", "index": "i64"},
            )
        )

    def bags(self, indices: Any) -> Any:
        """Return the sum of the rows of each bag, (tables, samples, width), f32."""
        out = ts.empty((TABLES, len(self.ends) - 1, WIDTH))
        for table, index, each in zip(self.high, indices, out):
            ts.graph_reduce(self.ends, index, table, out=each)
        return out

    def update(self, indices: Any, gradients: Any) -> None:
        """Subtract RATE times the gradient of each bag from the rows that it names."""
        for number, (index, g) in enumerate(zip(indices, gradients)):
            if not self.low:
                self.add(g, self.of_bag[:, None], index[:, None], self.high[number])
                continue
            order = np.argsort(index)
            index = index[order]
            begins = np.flatnonzero(np.concatenate([[True], index[1:] != index[:-1]]))
            rows, ends = index[begins], np.append(begins, len(index))
            sums = ts.graph_reduce(ends, self.of_bag[order], g)
            halves = self.high[number], self.low[number]
            high, low = (move[0](each, rows) for move, each in zip(self.moves, halves))
            self.split(high, low, sums, np.full((1, 1), RATE, np.float32), high, low)
            for move, each, half in zip(self.moves, halves, (high, low)):
                move[1](half, rows, each)


def step_of(run: Run, tables: Sequence[Any], half: bool, backend: Any, spent: Counter[str]) -> Callable[..., float]:
    """Return a step of training, whose parts add their seconds to `spent`: ours if backend is that of this package, or
    by torch, whose tables have sparse gradients."""
    import torch

    (samples, _, look_ups), further = sizes(run), []
    dense, mine = dense_part(run).bfloat16() if half else dense_part(run), backend is ts.torch.backend
    if mine:
        held = Tables(tables, samples, look_ups, half)
    else:
        kept = [torch.from_numpy(each.copy()).to(torch.bfloat16 if half else torch.float32) for each in tables]
        bags = [torch.nn.EmbeddingBag.from_pretrained(each, freeze=False, mode="sum", sparse=True) for each in kept]
        further = [each.weight for each in bags]
    sgd = torch.optim.SGD if not mine else ts.torch.SplitSGD if half else ts.torch.SGD
    optimizer = sgd([*dense.parameters(), *further], lr=RATE)
    way = torch.compile(partial(loss, dense), backend=backend) if backend else partial(loss, dense)

    def step(numbers: Any, indices: Any, clicked: Any) -> float:
        marks = [time.perf_counter()]

        def mark(part: str) -> None:
            marks.append(time.perf_counter())
            spent[part] += marks[-1] - marks[-2]

        if mine:
            sums = torch.from_numpy(held.bags(indices)).requires_grad_()
        else:
            by_sample = torch.from_numpy(indices).view(TABLES, samples, look_ups)
            sums = torch.stack([bag(index) for bag, index in zip(bags, by_sample)])
        mark("bags")
        optimizer.zero_grad()
        found = way(torch.from_numpy(numbers), sums, torch.from_numpy(clicked))
        found.backward()
        mark("perceptrons")
        optimizer.step()
        mark("SGD")
        if mine:
            held.update(indices, sums.grad.numpy())
            mark("tables")
        return float(found.detach())

    return step


def loss(dense: Any, numbers: Any, bags: Any, clicked: Any) -> Any:
    """Return the cross entropy of the clicks."""
    from torch.nn import functional

    logits = dense(numbers.to(dense.top[0].weight.dtype), bags)
    return functional.binary_cross_entropy_with_logits(logits.float(), clicked)


def trained(run: Run, dtype: str) -> Row:
    """Train by all ways, and measure a step."""
    if (torch := torch_here()) is None:
        run.remark("needs torch")
        return {}
    torch.compiler.reset()
    half, (tables, batch) = dtype == "bf16", drawn(run)
    spent, others = Counter[str](), Counter[str]()
    backends = {"ours": ts.torch.backend, "torch": None}
    backends |= {} if run.options.small or run.options.without_inductor else {"inductor": "inductor"}
    of = {"ours": spent}
    steps = {name: step_of(run, tables, half, way, of.get(name, others)) for name, way in backends.items()}
    reference = {"f32": step_of(run, tables, False, None, others)} if half else {}
    curves = curves_of(steps | reference, [batch] * 4, 2e-2 if half else 1e-5, "f32" if half else "torch")
    spent.clear()
    best = timed(run, {name: partial(step, *batch) for name, step in steps.items()})
    shares = {f"share {part}": each / spent.total() for part, each in spent.items()}
    return {"threads": ts.num_threads(), "dtype": dtype, **curves, **best, **shares}


def rounded(array: Any, dtype: str) -> Any:
    """Return an array in an element type."""
    return array.astype(ts.empty((1,), dtype).dtype)


def layers_of(perceptron: Any, dtype: str) -> Layers:
    """Return the layers of a perceptron of torch."""
    return [(rounded(each.weight.numpy().T, dtype), rounded(each.bias.numpy(), dtype)) for each in perceptron[::2]]


def program(dense: Any, tables: Any, numbers: Any, indices: Any, dtype: str) -> Any:
    """Return the inference as one program, for batches of these shapes."""
    g, samples = ts.graph(), len(numbers)
    x, index = g.input(numbers.shape, dtype), g.input(indices.shape, "int64")
    ends = np.arange(samples) * (indices.shape[1] // samples)
    bags = [
        g.embedding_bag(g.constant(table), g.squeeze(each, axes=0), ends, mode="sum")
        for table, each in zip(tables, g.split(index, sizes=(1,) * TABLES))
    ]

    def perceptron(x: Any, layers: Layers) -> Any:
        for number, each in enumerate(layers, 1):
            x = g.linear(x, *each) if number == len(layers) else g.relu(g.linear(x, *each))
        return x

    x = perceptron(x, layers_of(dense.bottom, dtype))
    t = g.concatenate(*[g.unsqueeze(each, axes=1) for each in (x, *bags)], axis=1)
    pairs = g.reshape(g.matmul(t, g.permute(t, axes=(0, 2, 1))), shape=(samples, (TABLES + 1) ** 2))
    pairs = g.gather(pairs, dense.pairs.numpy(), axis=1)
    return g.compile(perceptron(g.concatenate(x, pairs, axis=1), layers_of(dense.top, dtype)))


PARTS = "bags", "perceptrons", "SGD", "tables"
COLUMNS = "threads; types=dtype; " + beside_torch.TRAINING + "; ".join(f"{part}, %=share {part}:0%" for part in PARTS)
GOALS = tuple(Wanted("{dtype}, {threads} threads: " + peer, 1.5, peer) for peer in ("by torch", "by inductor"))
TABLE = Table("training", COLUMNS, ("f32", "bf16"), trained, "training", GOALS)
BENCH = Bench("dlrm", __doc__, (TABLE,), beside_torch.OPTIONS, seconds=1.0, **beside_torch.SETTINGS)
