"""Products of block-sparse matrices by stacks of small products, as in CP2K:
`tilesmith bench stacks [--small] [--threads 1 2]`.

The matrices of CP2K (DBCSR) consist of blocks of 4 to 32 rows and columns, some of which are stored. A product of two
of them is a list of small products: entry l adds A[a[l]] @ B[b[l]] to C[c[l]]. `ts.gemm(..., stack=ts.OFFSET)` computes
such a list of numbers of blocks in one call; where blocks of different sizes meet, each triple of sizes has a list of
addresses (`stack=ts.ADDRESS`). Source: Georganas et al., Tensor Processing Primitives, section 8 and table 4.

The peers compute the products of the same list in one call, from copies of the blocks that lie side by side, and add
up nothing: numpy (OpenBLAS) and torch (MKL's batches). scipy multiplies the same matrices in its format of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import error_of, timed, torch_here
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

SIZES = 4, 5, 8, 13, 16, 23, 32
MIXED = 5, 13, 23
"""Rows and columns of blocks of the mixed matrix: of hydrogen, of oxygen and of a metal, with usual basis sets."""
DENSITY = 0.3
"""The share of the blocks of A and B that are stored."""
Lists = tuple[Any, Any, Any]


def drawn(rng: np.random.Generator, blocks: int) -> tuple[Any, Any, Lists]:
    """Return which blocks of two matrices of blocks x blocks are stored, and the numbers of A, B and C of every small
    product, sorted by C. All blocks of C are stored, row by row."""
    of_a, of_b = (rng.random((blocks, blocks)) < DENSITY for _ in range(2))
    number_a, number_b = (np.cumsum(each.ravel()).reshape(each.shape) - 1 for each in (of_a, of_b))
    i, j, k = np.nonzero(of_a[:, None, :] & of_b.T[None, :, :])
    return of_a, of_b, (number_a[i, k], number_b[k, j], i * blocks + j)


def exact(a: Any, b: Any, c: Any, lists: Lists) -> Any:
    """Return C + the sum of the products of a list, one after the other, by numpy in extended precision."""
    wanted = c.astype(np.longdouble)
    for x, y, z in zip(*lists):
        wanted[z] += a[x].astype(np.longdouble) @ b[y]
    return wanted


def peers(a: Any, b: Any, c: Any, lists: Lists) -> Iterator[tuple[str, Any]]:
    """Yield the peers' calls on copies of the blocks of a list."""
    at, bt, out = a[lists[0]], b[lists[1]], np.empty((len(lists[2]), *c.shape[1:]))
    yield "openblas", lambda: np.matmul(at, bt, out=out)
    if (torch := torch_here()) is not None:
        x, y, z = (torch.from_numpy(each) for each in (at, bt, out))
        yield "mkl", lambda: torch.bmm(x, y, out=z)


def of_one_size(run: Run, size: int) -> Row:
    """Measure a product of matrices whose blocks all have the same size."""
    blocks = 6 if run.options.small else min(64, 1536 // size)
    rng = np.random.default_rng(size)
    of_a, of_b, lists = drawn(rng, blocks)
    a, b = (rng.standard_normal((np.count_nonzero(each), size, size)) for each in (of_a, of_b))
    c = np.zeros((blocks * blocks, size, size))
    stack = ts.gemm(size, size, size, dtype="f64", stack=ts.OFFSET)
    stack(a, b, c, *lists)
    error = error_of(c, exact(a, b, np.zeros_like(c), lists), 1e-13, f"stacks of {size}")
    calls = {"ours": lambda: stack(a, b, c, *lists), **dict(peers(a, b, c, lists))}
    try:
        from scipy.sparse import bsr_array

        rows = (np.concatenate([[0], np.cumsum(each.sum(1))]) for each in (of_a, of_b))
        sparse = [bsr_array((v, np.nonzero(m)[1], r)) for v, m, r in zip((a, b), (of_a, of_b), rows)]
        calls["scipy"] = lambda: sparse[0] @ sparse[1]
    except ImportError:
        run.remark("scipy: not installed")
    return row(run, f"{size}^3", len(lists[2]), 2 * size**3 * len(lists[2]), error, calls)


def of_mixed_sizes(run: Run) -> Row:
    """Measure a product of matrices whose block rows and columns have different sizes, by lists of addresses."""
    blocks = 6 if run.options.small else 64
    rng = np.random.default_rng(0)
    of_a, of_b, (x, y, z) = drawn(rng, blocks)
    sizes = rng.choice(MIXED[:2] if run.options.small else MIXED, blocks)
    (ai, ak), (bk, bj) = np.nonzero(of_a), np.nonzero(of_b)
    places = (ai, ak), (bk, bj), np.divmod(np.arange(blocks * blocks), blocks)
    values = [[rng.standard_normal((sizes[p], sizes[q])) for p, q in zip(*each)] for each in places[:2]]
    values.append([np.zeros((sizes[p], sizes[q])) for p, q in zip(*places[2])])
    addresses = [np.array([each.ctypes.data for each in some], np.uint64) for some in values]
    of_entry = np.stack([sizes[ai][x], sizes[bj][y], sizes[ak][x]], 1)  # m, n, k of every product
    work, theirs, flops = [], dict[str, list[Any]](), 0
    for m, n, k in np.unique(of_entry, axis=0):
        mine = np.flatnonzero((of_entry == (m, n, k)).all(1))
        stack = ts.gemm(int(m), int(n), int(k), dtype="f64", stack=ts.ADDRESS)
        work.append((stack, *(some[each[mine]] for some, each in zip(addresses, (x, y, z)))))
        flops += 2 * int(m * n * k) * len(mine)
        gathered = [np.stack([some[e] for e in each[mine]]) for some, each in zip(values, (x, y, z))]
        order = np.arange(len(mine))
        for name, call in peers(*gathered, (order, order, order)):
            theirs.setdefault(name, []).append(call)

    def ours() -> None:
        for stack, *lists in work:
            stack(*lists)

    ours()
    wanted = [np.zeros(each.shape, np.longdouble) for each in values[2]]
    for p, q, r in zip(x, y, z):
        wanted[r] += values[0][p].astype(np.longdouble) @ values[1][q]
    flat = [np.concatenate([each.ravel() for each in some]) for some in (values[2], wanted)]
    error = error_of(*flat, 1e-13, "stacks by addresses")
    calls = {"ours": ours} | {name: lambda some=some: [each() for each in some] for name, some in theirs.items()}
    title = " and ".join(map(str, np.unique(sizes)))
    return row(run, f"{title}, {len(work)} lists of addresses", len(x), flops, error, calls)


def row(run: Run, what: str, entries: int, flops: int, error: float, calls: Mapping[str, Callable[[], object]]) -> Row:
    """Measure the calls; return seconds of an entry, shares of the peak, and ratios."""
    best, peak = timed(run, calls), beside_torch.peak(run, "f64")
    figures = {"rate": flops / best["ours"], "of peak": flops / best["ours"] / peak, "error": f"{error:.0e}"}
    whole = {"threads": ts.num_threads(), "blocks": what, "products": entries}
    return whole | best | figures | {"ours": best["ours"] / entries}


COLUMNS = (
    "threads; blocks; products:0; ns a product=ours:1n; GFLOP/s=rate:1G; of peak:2; by OpenBLAS=by openblas:2~; "
    "by MKL=by mkl:2~; by scipy:2~; error"
)


def _tables(run: Run) -> Sequence[Table]:
    sizes = (5,) if run.options.small else SIZES
    goal = (
        Wanted("{blocks}, {threads} threads: by OpenBLAS", 1.0, "by openblas"),
        Wanted("{blocks}, {threads} threads: by MKL", 1.0, "by mkl"),
    )
    return (
        Table("sizes", COLUMNS, sizes, of_one_size, "f64: blocks of one size, by lists of numbers", goal),
        Table("mixed", COLUMNS, ((),), of_mixed_sizes, "f64: blocks of several sizes", goal),
    )


BENCH = Bench("stacks", __doc__, _tables, beside_torch.OPTIONS, seconds=0.5, **beside_torch.SETTINGS)
