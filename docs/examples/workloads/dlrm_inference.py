"""The recommendation model of dlrm.py in inference, beside torch; its workers are divided between the bottom perceptron
and the tables: `tilesmith bench dlrm_inference [--small] [--threads 1 2]`.

    some workers: bottom perceptron          | the others: embedding bags
    numbers (128, 512) -----> t (128, 0)     | 50 rows of each of 8 tables --> t (128, 1 to 8)
    ------------------------------ barrier of all workers ------------------------------
    all workers: interaction and top perceptron
    t t' --> its lower triangle, behind t (128, 0) --> 1024 --> 1024 --> 1024 --> click (128, 1)

Each of the three tasks is a nest of `ts.nest`, whose iterations compute all layers of 128 samples, and
`ts.region({bottom: ..., bags: ...}, top)` is one call of them. Products are limited by arithmetic and bags by memory;
the time of both, measured on one worker, says how many workers each of them gets. "The program" is the same model as
one program of `ts.graph`, whose larger steps are each divided among all workers. Sums of products and bags are f32 in
bf16, too. Source: Intel's optimization manual, chapter 20, section 20.17.4.
"""

from __future__ import annotations

import copy
import timeit
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch, dlrm
from docs.examples.workloads.beside_torch import error_of, timed, torch_here
from docs.examples.workloads.dlrm import PAIRS, TABLES, WIDTH, Layers, layers_of, rounded
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table

SAMPLES, PANEL = 128, 64
"""The samples of an iteration, and the columns of weights that lie together."""
SPACE = 16
"""The elements behind each row of results between two layers, whose rows would else lie a multiple of 4 KiB apart."""
BOUNDS = {"f32": 1e-5, "bf16": 2e-2}
"""The largest difference from f64, relative to the largest result."""


class Perceptron:
    """A perceptron on blocks of samples: a kernel for each layer, and its weights in panels of columns and biases."""

    def __init__(self, layers: Layers, rows: int, dtype: str, lines: Sequence[int]) -> None:
        """lines: the elements from a row to the next one, of the input and of the results of each layer."""
        self.kernels, self.arrays = list[Any](), list[Any]()
        for number, ((weight, bias), lda, ldc) in enumerate(zip(layers, lines, lines[1:]), 1):
            k, n = weight.shape
            width = PANEL if n % PANEL == 0 else n
            panels = [np.ascontiguousarray(weight[:, at : at + width]) for at in range(0, n, width)]
            more: dict[str, Any] = {"lda": lda, "ldc": ldc, "operands": {"b": ("row", dtype)}}
            more["epilogue"] = (lambda c, b: ts.relu(c + b)) if number < len(layers) else (lambda c, b: c + b)
            if dtype == "bf16":
                panels = [ts.transform("vnni2", k, width, dtype)(each) for each in panels]
                more["b_layout"] = "vnni"
            self.kernels.append(ts.brgemm(rows, width, k, dtype=dtype, beta=0, **more))
            self.arrays += [np.stack(panels), bias.reshape(-1, width)]

    def __call__(self, places: Sequence[Callable[[int], Any]], operands: Sequence[Any]) -> None:
        """Call the kernels in the body of a nest. `places` gives what begins at a column of the input, or of the
        results of a layer; the operands are those of `arrays`."""
        for number, kernel in enumerate(self.kernels):
            source, target = places[number : number + 2]
            panels, biases = operands[2 * number : 2 * number + 2]
            count, width = self.arrays[2 * number + 1].shape
            for panel in range(count):
                kernel(source(0), panels[panel], target(width * panel), biases[panel])


def in_turns(h: Any, count: int) -> list[Callable[[int], Any]]:
    """Return what begins at a column of so many results between layers, which lie in two matrices in turns."""
    return [partial(lambda at, column: h[at, 0, column], number % 2) for number in range(count)]


class Split:
    """The model as nests. `arrays` are their operands by name:

    numbers, index   of a batch, by blocks of samples
    t                of each sample the result of the bottom perceptron, and a sum of each table
    bad              of each table and block of samples the place of the first index that is no row, or -1
    y                the results
    """

    def __init__(self, dense: Any, tables: Any, numbers: Any, indices: Any, dtype: str) -> None:
        """numbers, indices: of a batch, whose times say how the workers are divided."""
        samples, count = len(numbers), indices.shape[1]
        self.dtype, self.rows = dtype, min(SAMPLES, samples // 2)
        blocks = samples // self.rows
        bottom, top = layers_of(dense.bottom, dtype), layers_of(dense.top, dtype)
        widths = [extent for weight, _ in (*bottom, *top) for extent in weight.shape]
        self.line, self.step = SPACE + max(widths), (TABLES + 1) * WIDTH
        self.loops = {"b": (0, blocks, 1), "k": (0, TABLES, 1), "s": (0, self.rows, 1)}
        self.arrays: dict[str, Any] = {
            "numbers": numbers.reshape(blocks, self.rows, -1),
            "index": indices.reshape(TABLES, blocks, -1),
            "tables": tables,
            "ends": np.arange(self.rows + 1)[None] * (count // samples),
            "bad": np.full((TABLES, blocks, 1), -1),
            "t": ts.empty((blocks, self.rows, self.step), dtype),
            "pairs": (PAIRS[0] * (TABLES + 1) + PAIRS[1])[None],
            "y": ts.empty((blocks, self.rows, 1), dtype),
        }
        self.memory = {
            "h": ts.scratch((2, self.rows, self.line), dtype),
            "sums": ts.scratch((self.rows, WIDTH)),
            "products": ts.scratch((self.rows, TABLES + 1, TABLES + 1), dtype),
            "outside": ts.scratch((1, 1), "i64"),
        }
        self.bottom, self.bags, self.top = self._bottom(bottom), self._bags(count // blocks), self._top(top)
        self.beside = {each: self._microseconds(each) for each in (self.bottom, self.bags)}
        self.region = ts.region(self.beside, self.top)

    def __call__(self, numbers: Any, indices: Any) -> Any:
        """Return the results of a batch."""
        for name, each in (("numbers", numbers), ("index", indices)):
            self.arrays[name] = each.reshape(self.arrays[name].shape)
        self.run(self.region)
        if (bad := self.arrays["bad"]).max() >= 0:
            table, block, _ = np.argwhere(bad >= 0)[0]
            index = self.arrays["index"][table, block, bad[table, block, 0]]
            raise IndexError(f"{index}: table {table} has {len(self.arrays['tables'][table])} rows")
        return self.arrays["y"].reshape(-1, 1)

    def run(self, part: Any, threads: int | None = None) -> None:
        """Run a nest, or a region of nests."""
        part(*(self.arrays[each.name] for each in part.operands), threads=threads)

    def _microseconds(self, nest: Any) -> int:
        """Return the time of a nest on one worker."""
        return max(1, int(1e6 * min(timeit.repeat(lambda: self.run(nest, 1), number=1, repeat=3))))

    def _nest(self, string: str, names: str, body: Callable[..., None], further: Sequence[Any] = ()) -> Any:
        """Return a nest, whose body takes further arrays behind the operands with these names."""
        weights = {f"{names.split()[-1]}{number}": each for number, each in enumerate(further)}
        self.arrays |= weights
        operands = {name: (self.arrays | self.memory)[name] for name in names.split()}
        return ts.nest(string, {each: self.loops[each] for each in string.lower()}, body, **operands, **weights)

    def _bottom(self, layers: Layers) -> Any:
        between = [self.line] * (len(layers) - 1)
        perceptron = Perceptron(layers, self.rows, self.dtype, [len(layers[0][0]), *between, self.step])

        def body(i: Any, h: Any, t: Any, numbers: Any, *weights: Any) -> None:
            hidden = in_turns(h, len(between))
            perceptron([lambda k: numbers[i.b, 0, k], *hidden, lambda n: t[i.b, 0, n]], weights)

        return self._nest("B", "h t numbers", body, perceptron.arrays)

    def _bags(self, count: int) -> Any:
        rows, narrow = self.rows, self.dtype != "f32"
        more: dict[str, Any] = {"dtype": self.dtype, "bounds": "kernel", "ldy": None if narrow else self.step}
        bag = ts.embedding_bag(rows, WIDTH, size=self.arrays["tables"].shape[1], count=count, **more)
        convert = ts.unary("identity", rows, WIDTH, dtype="f32", out=self.dtype, ldy=self.step)

        def body(i: Any, tables: Any, index: Any, ends: Any, bad: Any, sums: Any, t: Any) -> None:
            place = t[i.b, 0, WIDTH * i.k + WIDTH]
            bag(tables[i.k], index[i.k, i.b], ends[0], sums[0, 0] if narrow else place, bad[i.k, i.b])
            if narrow:
                convert(sums[0, 0], place)

        return self._nest("KB", "tables index ends bad sums t", body)

    def _top(self, layers: Layers) -> Any:
        rows, dtype, both = self.rows, self.dtype, TABLES + 1
        multiply = ts.brgemm(both, both, WIDTH, dtype=dtype, order="CFC", beta=0)
        copy = ts.unary("identity", rows, WIDTH, dtype=dtype, ldx=self.step, ldy=self.line)
        more: dict[str, Any] = {"size": both**2, "bounds": "kernel", "ldy": self.line, "dtype": dtype}
        below = ts.gather("columns", rows, len(PAIRS[0]), **more)
        perceptron = Perceptron(layers, rows, dtype, [self.line] * len(layers) + [1])

        def body(i: Any, pairs: Any, products: Any, outside: Any, h: Any, t: Any, y: Any, *weights: Any) -> None:
            multiply(t[i.b, i.s, 0], t[i.b, i.s, 0], products[i.s])
            with ts.when(i.s.last):
                copy(t[i.b, 0, 0], h[0, 0, 0])
                below(products[0], pairs[0], h[0, 0, WIDTH], outside[0])
                perceptron([*in_turns(h, len(layers)), lambda n: y[i.b, 0, n]], weights)

        return self._nest("Bs", "pairs products outside h t y", body, perceptron.arrays)


def by_torch(dense: Any, tables: Any, numbers: Any, indices: Any) -> Callable[[], Any]:
    """Return a call of the model by torch, in the element type of its weights."""
    import torch

    dtype, samples = dense.top[0].weight.dtype, len(numbers)
    given = [torch.from_numpy(each.astype(np.float32)).to(dtype) for each in (*tables, numbers)]
    by_sample = torch.from_numpy(indices).view(TABLES, samples, -1)

    @torch.no_grad()
    def call() -> Any:
        sums = [torch.nn.functional.embedding_bag(*each, mode="sum") for each in zip(by_sample, given)]
        return dense(given[-1], torch.stack(sums))

    return call


def inference(run: Run, dtype: str) -> Row:
    """Check and measure the model as a region, as a program, and by torch."""
    if torch_here() is None:
        run.remark("needs torch")
        return {}
    tables, (numbers, indices, _) = dlrm.drawn(run)
    tables, numbers = rounded(np.stack(tables), dtype), rounded(numbers, dtype)
    dense = dlrm.dense_part(run).requires_grad_(False)
    split = Split(dense, tables, numbers, indices, dtype)
    program = dlrm.program(dense, tables, numbers, indices, dtype)
    dense = dense.bfloat16() if dtype == "bf16" else dense
    calls = {
        "ours": partial(split, numbers, indices),
        "program": partial(program, numbers, indices, out=ts.empty((len(numbers), 1), dtype)),
        "torch": by_torch(dense, tables, numbers, indices),
    }
    wanted = by_torch(copy.deepcopy(dense).double(), tables, numbers, indices)().numpy()
    errors = [error_of(calls[name]().astype(float), wanted, BOUNDS[dtype], name) for name in ("ours", "program")]
    calls |= {"first": partial(split.run, ts.region(split.beside)), "second": partial(split.run, split.top)}
    calls |= {name: partial(split.run, each, 1) for name, each in zip(("bottom", "bags"), split.beside)}
    best = timed(run, calls)
    shares = {f"share {name}": best[name] / (best["first"] + best["second"]) for name in ("first", "second")}
    stage = str(split.region).partition("  barrier")[0]
    run.remark(f"the first stage of the region in {dtype}:\n{stage}\nthe program in {dtype}:\n{program.executor}")
    return {"threads": ts.num_threads(), "dtype": dtype, **best, **shares, "error": f"{max(errors):.0e}"}


COLUMNS = (
    "threads; types=dtype; ms=ours:1m; by the program=by program:2; by torch:2; first stage, %=share first:0%; "
    "second stage, %=share second:0%; perceptron alone, ms=bottom:1m; bags alone, ms=bags:1m; error"
)
TABLE = Table("inference", COLUMNS, ("f32", "bf16"), inference, "inference")
BENCH = Bench("dlrm_inference", __doc__, (TABLE,), beside_torch.OPTIONS, seconds=1.0, **beside_torch.SETTINGS)
