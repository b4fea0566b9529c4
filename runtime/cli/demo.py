"""Run kernels on shapes that the papers name: build each kernel, call it, check it, time it, save its listing."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.features import Target
from ...encoder.files.store import store
from ...encoder.records import NamedTuple
from ..api.brgemm import brgemm
from ..api.typed import TargetLike
from ..bench import measure
from ..bench.peers import products as peers
from ..host import detect as host
from ..kernel.callable import Kernel

Array = np.ndarray[Any, Any]


class DemoCase(NamedTuple):
    """A named shape: C (m, n) += sum over `batch` pairs of A (m, k) @ B (k, n), column-major as in the papers."""

    name: str
    m: int
    n: int
    k: int
    batch: int | None = None


CASES = (
    DemoCase("course 16x6x1", 16, 6, 1),
    DemoCase("course 16x6x64", 16, 6, 64),
    DemoCase("64x6x64", 64, 6, 64),
    DemoCase("EDGE 9x35x15", 9, 35, 15),
    DemoCase("64x64x64 batch 16", 64, 64, 64, 16),
)


class DemoOutcome(NamedTuple):
    """The outcome of a case. `error` is the largest error in units of what rounding explains; above 1 is a mismatch."""

    case: DemoCase
    error: float
    build_seconds: float
    seconds: float
    numpy_seconds: float
    peak: float


def run(
    target: str | None = None, folder: str | Path | None = None, seconds: float = 0.1, as_json: bool = False
) -> bool:
    """Run all cases on this host and print a table or JSON. Return whether every result was right. `folder` receives
    listings, sources and objects."""
    console = Console(width=None if sys.stdout.isatty() else sys.maxsize)
    resolved = host.resolve(target)
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    if not as_json:
        console.print(f"{host.brand()}: target {resolved.name} ({resolved.isa}, {resolved.vector_bits}-bit vectors)")
    # On AArch64 with SME, OpenBLAS sets floating-point flags whatever the operands are, and numpy would warn about
    # them.
    with measure.one_cpu(), peers.numpy_single_thread(), np.errstate(all="ignore"):
        outcomes = [_run_case(case, target, resolved, folder, seconds) for case in CASES]
    if as_json:
        print(json.dumps([_facts(outcome) for outcome in outcomes], indent=2))
    else:
        console.print(_table(outcomes))
        console.print(
            "listings and objects: with -o FOLDER"
            if folder is None
            else f"listings: {Path(folder).resolve()}/*.lst, for GNU as: *.s, objects: *.o"
        )
    return all(outcome.error <= 1 for outcome in outcomes)


def _facts(outcome: DemoOutcome) -> dict[str, Any]:
    """Return an outcome for programs, with speeds per second."""
    case = outcome.case
    flops = 2 * case.m * case.n * case.k * (case.batch or 1)
    return {
        **case._asdict(),
        "right": outcome.error <= 1,
        "error": outcome.error,
        "build_seconds": outcome.build_seconds,
        "seconds": outcome.seconds,
        "flops": flops / outcome.seconds,
        "of_peak": flops / outcome.seconds / outcome.peak,
        "by_numpy": outcome.numpy_seconds / outcome.seconds,
    }


def _run_case(
    case: DemoCase, target: str | None, resolved: Target, folder: str | Path | None, seconds: float
) -> DemoOutcome:
    start = time.perf_counter()
    kernel = brgemm(case.m, case.n, case.k, order="F", batch=case.batch, target=cast(TargetLike, target))
    build_seconds = time.perf_counter() - start
    a, b, c = _operands(case)
    error = _error(kernel, a, b, c)
    peak = measure.fma_loop(resolved, "f32")
    addresses = tuple(array.__array_interface__["data"][0] for array in (a, b, c))
    assert kernel.address is not None
    timings = measure.seconds_per_call(
        {
            "ours": measure.NativeCall(kernel.address, addresses, (kernel, a, b, c)),
            "numpy": peers.numpy_gemm(np.empty_like(c), a, b),
            "peak": peak.call,
        },
        seconds,
    )
    if folder is not None:
        path = Path(folder) / kernel.name
        store(path.with_suffix(".lst"), f"{kernel.plan}\n\n{kernel.listing()}\n")
        kernel.save(path.with_suffix(".s"))
        kernel.save(path.with_suffix(".o"))
    best = {name: timing.best for name, timing in timings.items()}
    return DemoOutcome(case, error, build_seconds, best["ours"], best["numpy"], peak.flops / best["peak"])


def _operands(case: DemoCase) -> tuple[Array, Array, Array]:
    values = np.random.default_rng(7)
    some = (case.batch,) if case.batch else ()
    shapes = ((*some, case.k, case.m), (*some, case.n, case.k), (case.n, case.m))
    a, b, c = (values.uniform(-1, 1, shape).astype(np.float32).swapaxes(-1, -2) for shape in shapes)
    return a, b, c


def _error(kernel: Kernel, a: Array, b: Array, c: Array) -> float:
    """Return the largest ratio of an error to its bound (products + 1) eps (|A| |B| + |C|), compared with float64."""
    exact, before = a.astype(np.float64), c.astype(np.float64)
    product, scale = exact @ b, abs(exact) @ abs(b)
    if a.ndim == 3:
        product, scale = product.sum(0), scale.sum(0)
    kernel(a, b, c)
    products = a.shape[-1] * (a.shape[0] if a.ndim == 3 else 1)
    bound = (products + 1) * np.finfo(np.float32).eps * (scale + abs(before))
    return float((abs(c - (before + product)) / bound).max())


def _table(outcomes: list[DemoOutcome]) -> Table:
    table = Table(title="C += A @ B in f32; error in units of its bound")
    table.add_column("shape", no_wrap=True)
    for heading in ("error", "build ms", "ns", "GFLOP/s", "% peak", "x numpy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for o in outcomes:
        speed = 2 * o.case.m * o.case.n * o.case.k * (o.case.batch or 1) / o.seconds
        check = f"{o.error:.2f} ok" if o.error <= 1 else f"{o.error:.3g} WRONG"
        figures = (
            o.build_seconds * 1e3,
            o.seconds * 1e9,
            speed / 1e9,
            100 * speed / o.peak,
            o.numpy_seconds / o.seconds,
        )
        table.add_row(o.case.name, check, *(f"{figure:.1f}" for figure in figures))
    return table
