"""`tilesmith bench spmm`: products of a matrix of random blocks and a dense one, beside our own dense product, torch's
BSR and CSR and scipy's, in one run: the curve of PARLOOPER's figure 5, 2048 cubed.

The matrix is a handle, packed once, and so are theirs. Peers multiply f32; samples are in thread time on one thread.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from ...arguments.arrays import Array, numpy_dtype
from ...host import detect as host
from ...ops.matmul import matmul
from ...sparse.functions import spmm
from ...sparse.handle import Sparse, again
from .. import measure
from ..charts import Plot
from ..measure import Contender, PythonCall
from ..peers import sparse as peers
from ..runner import Bench, Run, Table
from ..table import Row, WrongResult

TABLES = "bf16", "f32", "elements"
COLUMNS = (
    "types; block; sparsity:0%; ours, ms=ours:2m; Gflop/s=rate:1G; dense, ms=dense:2m; of dense:2; "
    "torch bsr, ms=torch bsr:2m; torch csr, ms=torch csr:2m; scipy bsr, ms=scipy bsr:2m; scipy csr, ms=scipy csr:2m; "
    "times torch bsr=by torch bsr:2~; times torch csr=by torch csr:2~; times scipy bsr=by scipy bsr:2~; "
    "times scipy csr=by scipy csr:2~"
)
PEERS = "torch bsr", "torch csr", "scipy bsr", "scipy csr"
PAPER = {0.0: 1.0, 0.5: 1.7, 0.99: 12.0}
"""The paper's figures of blocks of 32 on a Sapphire Rapids, times its dense product."""
PLOT = Plot("times as fast as dense=of dense:2", x="sparsity:0%", by=("block",), joined=True, log="y",
            beside={"paper, blocks of 32, bf16, Sapphire Rapids": PAPER})


def matrix(n: int, block: int, sparsity: float, dtype: str) -> Sparse:
    """Return a square matrix of random blocks."""
    rng = np.random.default_rng(round(1000 * sparsity) + block)
    stored = rng.random((n // block, n // block)) >= sparsity
    starts = np.r_[0, np.cumsum(stored.sum(axis=1))]
    values = rng.standard_normal((int(starts[-1]), block, block)).astype(np.float32).astype(numpy_dtype(dtype))
    return again((n, n), starts, np.nonzero(stored)[1], values, host.resolve(None))


def measured(run: Run, n: int, dtype: str, block: int, sparsity: float, threads: int) -> Row:
    """Return the row of a matrix."""
    rng = np.random.default_rng(1)
    a, b = matrix(n, block, sparsity, dtype), rng.standard_normal((n, n)).astype(np.float32).astype(numpy_dtype(dtype))
    whole, c, d = a.toarray(), np.empty((n, n), numpy_dtype(dtype)), np.empty((n, n), numpy_dtype(dtype))
    turns: dict[str, Contender] = {
        "ours": PythonCall(lambda: spmm(a, b, c, threads=threads)),
        "dense": PythonCall(lambda: matmul(whole, b, d, threads=threads)),
    }
    for each in turns.values():
        each.run(1)
    _check(c, d, f"{dtype}, blocks of {block}, sparsity {sparsity}")
    if dtype == "f32" and not run.options.alone:
        turns |= run.baseline(lambda: peers.contenders(a, b, c, threads)) or {}
    clock = time.thread_time_ns if threads == 1 else time.perf_counter_ns
    taken = measure.samples(turns, run.seconds, 3, clock=clock)
    best = {name: min(each) for name, each in taken.items()}
    row: Row = {"types": dtype, "block": block, "sparsity": sparsity, **best}
    row |= {"rate": 2 * a.nnz * n / best["ours"], "of dense": best["dense"] / best["ours"]}
    if dtype == "f32" and not run.options.alone:
        for name in PEERS:  # what was left out is a dash
            row |= {name: best.get(name), f"by {name}": best[name] / best["ours"] if name in best else None}
    return row


def _check(c: Array, d: Array, what: str) -> None:
    """Compare with the dense product: both round sums of about n products of normal numbers."""
    far = float(np.abs(c.astype(np.float32) - d.astype(np.float32)).max())
    if not far <= 2.0**-7 * math.sqrt(len(c)) * 4:
        raise WrongResult(f"{what}: {far} from the dense product")


def tables(run: Run) -> Iterator[Table]:
    """Yield a table for each type."""
    asked = run.options
    for name in asked.tables or TABLES:
        if name not in TABLES:
            raise ValueError(f"--tables: {', '.join(TABLES)}, not {name}")
        dtype, threads = "f32" if name == "elements" else name, asked.threads or 1
        blocks = (1,) if name == "elements" else asked.blocks
        cases = [(asked.n, dtype, block, each, threads) for block in blocks for each in asked.sparsity]
        what = f"random {'elements' if name == 'elements' else 'blocks'}, {asked.n} cubed, {dtype}"
        yield Table(name, COLUMNS, cases, measured, f"{what}, {threads} thread{'s' * (threads != 1)}", plot=PLOT)


BENCH = Bench(
    "spmm",
    __doc__,
    tables,
    {
        "--n": {"type": int, "default": 2048, "help": "rows and columns of all matrices"},
        "--tables": {"nargs": "+", "metavar": "NAME", "default": None, "help": f"only some of {', '.join(TABLES)}"},
        "--blocks": {"nargs": "+", "type": int, "default": [32, 16, 8, 4], "help": "their rows and columns"},
        "--sparsity": {"nargs": "+", "type": float, "default": [0, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99], "help": "shares"},
        "--threads": {"type": int, "default": 1, "help": "the number of threads of all contenders"},
        "--alone": {"action": "store_true", "help": "without other libraries"},
    },
    alone=False,
    quick=("--n", "512", "--sparsity", "0.5", "0.9", "--blocks", "32", "4"),
)
