"""`tilesmith bench sparse_kernel`: products with a fixed sparse matrix beside our dense product and scipy's CSR.

The shapes and densities are those of EDGE's operators: 35 basis functions, 9 quantities, blocks of 20 rows. The second
table has fused simulations, in which each element is a vector; there the same kernel with all entries is beside it.
Matrices are drawn; results are compared before they are timed. scipy is called from Python.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, cast

import numpy as np

from ...api.brgemm import brgemm
from ...arguments.arrays import Array
from ...kernel.callable import Kernel
from ...sparse.fixed import sparse_kernel
from ..measure import Contender, PythonCall
from ..operands import aligned, native
from ..peers.products import BaselineMissing
from ..runner import Bench, Run, Table
from ..table import Goal, Row, WrongResult

if TYPE_CHECKING:
    from ...api.typed import TargetName

SHAPES, DENSITIES, COLUMNS_OF_B, SIMULATIONS = [(35, 35), (9, 9), (20, 35)], [0.1, 0.2, 0.4], [16, 144, 576], [16, 8, 4]
BASIS, QUANTITIES = SHAPES[0][0], SHAPES[1][0]
FIGURES = {16: 2.0, 144: 2.5, 576: 2.5}
"""Times the dense product at a density of 0.2, by the columns of B."""
COLUMNS = "a=shape; n; density; ns=ours:1n; GFLOP/s=rate:1G; by dense:2; by scipy:1~; way; code, bytes=bytes"
FUSED = "a=shape; side; simulations; density; ns=ours:1n; GFLOP/s=rate:1G; by all entries:2; way"


def drawn(rows: int, columns: int, density: float) -> Array:
    """Return a matrix with about this share of entries."""
    rng = np.random.default_rng(rows * columns)
    values = rng.standard_normal((rows, columns)).astype(np.float32)
    found: Array = np.where(rng.random((rows, columns)) < density, values, np.float32(0))
    return found


def _scipy() -> ModuleType:
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError:
        raise BaselineMissing("scipy: not installed") from None


def _target(run: Run) -> TargetName | None:
    return cast("TargetName | None", run.target)


def measured(run: Run, shape: tuple[int, int], n: int, density: float) -> Row:
    """Measure a matrix on the left, as it is, as a dense one, and by scipy."""
    a = drawn(*shape, density)
    b, c, dense = (aligned(each, "f32") for each in ((shape[1], n), (shape[0], n), shape))
    b[...], dense[...] = np.random.default_rng(n).standard_normal(b.shape), a
    kernel = sparse_kernel(a, n, target=_target(run))
    product = brgemm(shape[0], n, shape[1], beta=0, target=_target(run))
    contenders: dict[str, Contender] = {"ours": native(kernel, [b, c]), "dense": native(product, [dense, b, c])}
    _check(contenders, c, a.astype(np.float64) @ b, "sparse_kernel")
    if (scipy := run.baseline(_scipy)) is not None:
        matrix = scipy.csr_array(a)
        contenders["scipy"] = PythonCall(lambda: matrix @ b)
    best = run.turns(contenders)
    return {"shape": f"{shape[0]} x {shape[1]}", "n": n, "density": density, **best, "way": kernel.plan.way,
            "rate": kernel.flops / best["ours"], "bytes": len(kernel.code),
            **{f"by {name}": best[name] / best["ours"] for name in best if name != "ours"}}


def fused(run: Run, side: str, simulations: int, density: float) -> Row:
    """Measure an operator of several simulations at once: on the left of the basis, or on the right of quantities."""
    size = BASIS if side == "left" else QUANTITIES
    n = QUANTITIES if side == "left" else BASIS
    a, b, c = drawn(size, size, density), *(aligned((BASIS, QUANTITIES, simulations), "f32") for _ in range(2))
    b[...] = np.random.default_rng(n).standard_normal(b.shape)

    def made(a: Array) -> Kernel:
        return sparse_kernel(a, n, side="left" if side == "left" else "right", packed=simulations, target=_target(run))

    kernel, full = made(a), made(np.where(a == 0, np.float32(1), a))
    contenders: dict[str, Contender] = {"ours": native(kernel, [b, c])}
    subscripts = "ik,kjs->ijs" if side == "left" else "kj,iks->ijs"
    _check(contenders, c, np.einsum(subscripts, a.astype(np.float64), b), f"sparse_kernel on the {side}")
    best = run.turns({**contenders, "all entries": native(full, [b, c])})
    return {"shape": f"{size} x {size}", "side": side, "simulations": simulations, "density": density, **best,
            "way": kernel.plan.way, "rate": kernel.flops / best["ours"],
            "by all entries": best["all entries"] / best["ours"]}


def _check(contenders: dict[str, Contender], c: Array, wanted: Array, name: str) -> None:
    rounding = 2.0**-16
    for who, contender in contenders.items():
        c[...] = np.nan
        contender.run(1)
        if not np.allclose(c, wanted, rtol=rounding, atol=rounding * np.abs(wanted).max(initial=1)):
            raise WrongResult(f"{name}: {who} and numpy disagree")


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals: times our dense product, at a density of 0.2."""
    for row in rows:
        if row["density"] == DENSITIES[1]:
            what = f"{row['shape']}, n = {row['n']}, density {row['density']}: dense product by ours"
            yield Goal(what, FIGURES[row["n"]], row["by dense"])


CASES = [(shape, n, density) for shape in SHAPES for n in COLUMNS_OF_B for density in DENSITIES]
SEVERAL = [(side, each, density) for side in ("left", "right") for each in SIMULATIONS for density in DENSITIES]
BENCH = Bench("sparse_kernel", __doc__, (
    Table("matrices", COLUMNS, CASES, measured, "f32: a fixed matrix on the left", _goals),
    Table("simulations", FUSED, SEVERAL, fused, "f32: fused simulations, 35 x 9 elements of each"),
), {"--target": {"help": "another target of this processor, as avx2"}}, seconds=0.05)
