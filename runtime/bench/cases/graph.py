"""`tilesmith bench graph`: reductions over a graph whose degrees follow a power law, beside torch and scipy.

100,000 nodes with 100 features each, 3,000,000 edges. torch's contenders are embedding_bag, sparse.mm with a reduction,
and index_add of the gathered rows; scipy's is a product with a CSR matrix, on one thread. *rows* is our own loop over
the same rows in the same order, of which it adds 4,096 at a time: the bandwidth of random rows. On one thread, a figure
is the least processor time of a call; on several, the least wall time, and before each series of calls all threads fall
asleep. torch's and scipy's results are new arrays, whose pages are mapped anew in each call unless
MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ are large.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from ....encoder.records import NamedTuple
from ...aggregation.functions import Reduction, graph_reduce
from ...arguments.arrays import Array
from ...threads.policy import num_threads
from ..charts import Plot
from ..measure import PythonCall, asleep, samples
from ..peers.elementwise import torch_module
from ..runner import Bench, Run, Table
from ..table import Goal, Row, WrongResult

OPS: tuple[Reduction, ...] = ("sum", "mean", "max")
_TORCH = {"sum": "sum", "mean": "mean", "max": "amax"}
Calls = dict[str, Callable[[], object]]


class PowerLaw(NamedTuple):
    """A graph: the ends of rows, the source of each entry, and the features of the nodes."""

    ends: Array
    indices: Array
    features: Array


@cache
def power_law(nodes: int, edges: int, features: int) -> PowerLaw:
    """Return a graph in which both the destinations and the sources follow a power law."""
    rng = np.random.default_rng(0)
    weights = np.arange(1, nodes + 1) ** -0.6
    order = rng.permutation(nodes)
    drawn = [order[rng.choice(nodes, edges, p=weights / weights.sum())] for _ in range(2)]
    by = np.argsort(drawn[1], kind="stable")
    ends = np.searchsorted(drawn[1][by], np.arange(nodes + 1))
    return PowerLaw(ends, drawn[0][by], rng.standard_normal((nodes, features)).astype(np.float32))


def _torch_calls(graph: PowerLaw, op: str, threads: int) -> Calls:
    torch = torch_module(threads)
    if torch is None:
        return {}
    ends, indices, x = (torch.from_numpy(each) for each in graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sparse tensors are new
        matrix = torch.sparse_csr_tensor(ends, indices, torch.ones(len(indices)), (len(ends) - 1, len(x)))
    bag, to = torch.nn.functional.embedding_bag, torch.repeat_interleave(torch.arange(len(x)), torch.diff(ends))
    made: Calls = {
        "bag": lambda: bag(indices, x, ends[:-1], mode=op),
        "mm": lambda: torch.sparse.mm(matrix, x, _TORCH[op]),
    }
    if op == "sum":
        made["index_add"] = lambda: torch.zeros_like(x).index_add_(0, to, x[indices])
    return made


def _scipy_call(graph: PowerLaw) -> Calls:
    try:
        sparse = importlib.import_module("scipy.sparse")
    except ImportError:
        return {}
    ones = np.ones(len(graph.indices), np.float32)
    matrix = sparse.csr_array((ones, graph.indices, graph.ends), shape=(len(graph.ends) - 1, len(graph.features)))
    return {"scipy": lambda: matrix @ graph.features}


def _thread_times(calls: Calls, seconds: float) -> dict[str, float]:
    """Return the least times of one thread."""
    taken = samples({name: PythonCall(call) for name, call in calls.items()}, seconds)
    return {name: min(times) for name, times in taken.items()}


def measured(run: Run, op: Reduction, threads: int) -> Row:
    """Measure a reduction on this many threads."""
    graph = power_law(*run.options.graph)
    x, out = graph.features, np.empty_like(graph.features)
    even = np.append(np.arange(0, len(graph.indices), 4096), len(graph.indices))
    few = np.empty((len(even) - 1, x.shape[1]), np.float32)
    calls: Calls = {
        "ours": lambda: graph_reduce(graph.ends, graph.indices, x, op, out=out, threads=threads),
        "rows": lambda: graph_reduce(even, graph.indices, x, op, out=few, threads=threads),
        **_torch_calls(graph, op, threads),
        **(_scipy_call(graph) if op == "sum" and threads == 1 else {}),
    }
    calls["ours"]()
    for name, call in calls.items():
        other = np.asarray(call()) if name not in ("ours", "rows") else out
        filled = np.isin(np.arange(len(out)), np.flatnonzero(np.diff(graph.ends)))  # of others torch says infinity
        if not np.allclose(other[filled], out[filled], rtol=1e-3, atol=1e-3):
            raise WrongResult(f"{op}: {name} differs")
    best = asleep(calls, run.seconds) if threads > 1 else _thread_times(calls, run.seconds)
    read = len(graph.indices) * x.shape[1] * x.itemsize
    by = {f"by {name}": best[name] / best["ours"] for name in best if name not in ("ours", "rows")}
    of_rows = best["rows"] / best["ours"]
    return {"op": op, "threads": threads, **best, "speed": read / best["ours"], **by, "of rows": of_rows}


def _goals(rows: Sequence[Row]) -> Iterable[Goal]:
    for row in rows:
        where = f"{row['op']} on {row['threads']} threads: "
        if row["op"] in ("sum", "max"):
            for name, wanted, what in (("bag", 1.4, "embedding_bag"), ("mm", 3.5, "sparse.mm")):
                if f"by {name}" in row:
                    yield Goal(f"{where}times torch's {what}", wanted, row[f"by {name}"])
            yield Goal(f"{where}of the bandwidth of random rows", 0.9, row["of rows"])


_PLOT = Plot(
    "ours=ours:1m; rows alone=rows:1m; torch embedding_bag=bag:1m; torch sparse.mm=mm:1m; "
    "torch index_add=index_add:1m; scipy CSR=scipy:1m"
)


BENCH = Bench(
    "graph",
    __doc__,
    lambda run: (
        Table(
            "reductions",
            "op; threads; ms=ours:1m; GB/s=speed:1G; of rows:2; by bag:2; by mm:2; by index_add:1; by scipy:1",
            tuple((op, threads) for threads in dict.fromkeys((1, num_threads())) for op in OPS),
            measured,
            goals=_goals,
            plot=_PLOT,
        ),
    ),
    {"--graph": {"type": int, "nargs": 3, "default": (100_000, 3_000_000, 100), "metavar": "N"}},
    seconds=1.0,
    alone=False,
    quick=("--graph", "20000", "300000", "100", "--seconds", "0.3"),
    share=2.0,
)
