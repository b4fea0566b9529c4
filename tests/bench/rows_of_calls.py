"""Programs of any number of rows beside those of known rows: `tilesmith bench rows_of_calls [--only PART ...]`.

A program of `ts.graph` whose rows calls give, and one for each number of them: the first call of a number that is new,
which the one answers with machine code that is there, and a call after it. Rows of 16 x 64 are 16 rows of kernels.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted
from tilesmith.runtime.graph.compiled import compile

RNG = np.random.default_rng(0)
ROWS = 1, 8, 33, 64, 256
GOALS = (Wanted("{program}, {rows} rows: a call by one of known rows", 0.9, "of known"),)


def _weights(g: Any, *shape: int) -> Any:
    return g.constant((RNG.standard_normal(shape) * shape[0] ** -0.5).astype(np.float32))


def perceptron(*widths: int) -> Callable[[Any, Any], Any]:
    """Return what builds linear layers with gelu behind each."""

    def build(g: Any, x: Any) -> Any:
        for narrow, wide in zip(widths, widths[1:]):
            x = g.gelu(g.linear(x, _weights(g, narrow, wide), _weights(g, wide)))
        return x

    return build


def feedforward(width: int) -> Callable[[Any, Any], Any]:
    """Return what builds the half of a transformer block that has no attention."""

    def build(g: Any, x: Any) -> Any:
        h, _, _ = g.layer_norm(x, _weights(g, width), _weights(g, width))
        h = g.gelu(g.linear(h, _weights(g, width, 4 * width), _weights(g, 4 * width)))
        return x + g.linear(h, _weights(g, 4 * width, width), _weights(g, width))

    return build


PROGRAMS: dict[str, tuple[tuple[int, ...], Callable[[Any, Any], Any]]] = {
    "softmax of relu, 256": ((256,), lambda g, x: g.softmax(g.relu(x + 1.0))),
    "MLP of 64, 64, 64": ((64,), perceptron(64, 64, 64)),
    "MLP of 256, 512, 512, 10": ((256,), perceptron(256, 512, 512, 10)),
    "MLP of 1024, 1024, 1024": ((1024,), perceptron(1024, 1024, 1024)),
    "feedforward of 16 x 64": ((16, 64), feedforward(64)),
    "feedforward of 16 x 384": ((16, 384), feedforward(384)),
}


def measured(run: Run, name: str) -> Iterator[Row]:
    """Yield a row for each number of rows."""
    shape, build = PROGRAMS[name]
    g = ts.graph()
    f = g.compile(build(g, g.input((ts.RUNTIME, *shape))))
    f(np.zeros((2, *shape), np.float32))
    for rows in ROWS:
        array, first = RNG.standard_normal((rows, *shape)).astype(np.float32), dict[str, float]()
        start = time.perf_counter()
        f(array)
        first["first"] = time.perf_counter() - start
        start = time.perf_counter()
        known = compile(f._graph(rows))
        known(array)
        first["first known"] = time.perf_counter() - start
        to = np.empty_like(f(array))
        given = [address_of(array)], [address_of(to)]
        ways = {"ours": f.of(rows), "known": known}
        best = run.turns({who: PythonCall(partial(way.run, *given)) for who, way in ways.items()})
        yield {"program": name, "rows": rows} | best | {"of known": best["known"] / best["ours"]} | first


def _tables(run: Run) -> tuple[Table, ...]:
    chosen = [(name,) for name in PROGRAMS if all(part in name for part in run.options.only)]
    return (
        Table(
            "programs",
            "program; rows; us=ours:1u; of known rows=known:1u; of known:2; first call, ms=first:1m; "
            "of known rows, ms=first known:1m",
            chosen,
            measured,
            goals=GOALS,
        ),
    )


BENCH = Bench(
    "rows_of_calls",
    __doc__,
    _tables,
    {"--only": {"nargs": "+", "default": (), "metavar": "PART", "help": "parts of a program's name"}},
    seconds=0.5,
    quick=("--only", "64, 64"),
)
