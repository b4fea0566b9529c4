"""`tilesmith bench cold`: products whose operands lie in L2, L3 or memory, with each of the cache hints and
without.

An emitted loop calls the kernel with other operands each time, in random order, from a set that fills half of L2, half
of L3, or four times L3. Contenders (gemm/hints.py) take turns over the same operands on one processor. Each is timed by
the lower quartile of its passes: the best pass of such sizes found more data in the caches, and the slower half was
disturbed by other programs. Ratios are speeds relative to the kernel without hints. The planner's defaults follow from
them: docs/log/gemm.md.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from typing import Any

import numpy as np

from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ....microkernels.errors import UnsupportedError
from ...api.brgemm import brgemm
from ...arguments.arrays import numpy_dtype
from ...host import detect as host
from ..measure import Walk, samples
from ..runner import Bench, Run, Table
from ..table import Named, Row

HINTS: dict[str, Named] = {
    name: {"prefetch": prefetch, "streaming": streaming} for name, prefetch, streaming in (
        ("none", "", ""), ("A", "a", ""), ("B", "b", ""), ("A, B", "ab", ""), ("A, B to L1", "ab@l1", ""),
        ("C for writing", "c", ""), ("A, B, C", "abc", ""), ("C past the caches", "", "c"),
        ("tiles of A past L1", "", "a"), ("tiles of B past L1", "", "b"))}
"""The contenders, keyed by name."""
LARGE = 2048
"""Elements between rows (columns for order F) if operands are blocks of large matrices."""
_LEAST_L3 = 8 << 20
COLUMNS = "operands in=place; products:0; ns=none:0n" + "".join(f"; {name}=by {name}:2" for name in [*HINTS][1:])


class ColdProduct(NamedTuple):
    """A product with operands of order F. If `large`, they are blocks of matrices with a leading dimension of LARGE."""

    m: int
    n: int
    k: int
    large: bool

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}" + (" of large matrices" if self.large else "")


CASES = (ColdProduct(32, 32, 32, False), ColdProduct(64, 64, 64, False), ColdProduct(128, 48, 256, False),
         ColdProduct(64, 64, 64, True))


def places(target: Target) -> dict[str, int]:
    """Return the bytes of operands that fill each place."""
    l3 = max(target.l3, _LEAST_L3)
    return {"L2": target.l2 // 2, "L3": l3 // 2, "memory": 4 * l3}


def _tables(run: Run) -> Iterator[Table]:
    target, dtype = host.native(run.target), run.options.dtype or "f32"
    for case in CASES:
        yield Table(f"{dtype} {case}", COLUMNS, [(case, dtype, target, *each) for each in places(target).items()],
                    _measured, f"{dtype} {case}, beta = 0: speed to that without hints")


def _measured(run: Run, case: ColdProduct, dtype: str, target: Target, place: str, size: int) -> Row:
    element = numpy_dtype(dtype)
    table, keep = _operands(case, element, size)
    walks: dict[str, Walk] = {}
    leading: Named = dict.fromkeys(("lda", "ldb", "ldc"), LARGE) if case.large else {}
    named: Named = {"dtype": dtype, "target": target.name if target is not host.host() else None}
    for name, hints in HINTS.items():
        try:
            kernel = brgemm(case.m, case.n, case.k, order="F", beta=0, **leading, **named, **hints)
        except UnsupportedError:
            continue
        walks[name] = Walk(kernel.address or 0, table, (kernel, keep))
    products = len(table)
    passes = max(1, round(2000 / products))
    taken = samples(walks, run.seconds, count=passes)
    quartiles = {name: statistics.quantiles(found, n=4)[0] / products for name, found in taken.items()}
    return {"place": place, "products": products, **quartiles,
            **{f"by {name}": quartiles["none"] / each for name, each in quartiles.items()}}


def _operands(case: ColdProduct, element: np.dtype[Any], size: int) -> tuple[list[tuple[int, int, int]], object]:
    """Return (a, b, c) of as many products as fill `size` bytes, in random order, and the memory that holds them."""
    m, n, k, large = case
    shapes = ((k, m), (n, k), (n, m))  # the transposes, row-major
    count = max(2, size // (sum(rows * columns for rows, columns in shapes) * element.itemsize))
    lists: list[list[int]] = []
    keep: list[object] = []
    for rows, columns in shapes:
        across = LARGE // columns if large else 1  # side by side in a row of a large matrix
        down = -(-count // across)
        width = LARGE if large else columns
        memory = np.ones(down * rows * width * element.itemsize + 64, np.uint8)
        memory[:] = 0
        first = memory.__array_interface__["data"][0]
        first += -first % 64
        keep.append(memory)
        lists.append([first + (number // across * rows * width + number % across * columns) * element.itemsize
                      for number in range(count)])
    rows_of_table = list(zip(*lists))
    random.Random(2).shuffle(rows_of_table)
    return [(a, b, c) for a, b, c in rows_of_table], keep


BENCH = Bench("cold", __doc__, _tables, {"--target": {}, "--dtype": {}}, share=2.0)
