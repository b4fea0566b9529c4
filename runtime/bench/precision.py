"""`tilesmith bench precision`: the rungs of the precision ladder against the product of their element type in one run.

The times are those of calls from Python on numpy's arrays, with C written but not read, and operands in L1 or L2. A
rung is timed with both operands split at each call, and with the terms of B prepared, as for weights. The error is the
largest |C - A B| / (|A| |B|), compared with a product in double words, for normally distributed elements.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.records import NamedTuple
from ..api.brgemm import brgemm
from ..api.ladder import ladder
from ..arguments.arrays import numpy_dtype
from ..host import detect as host
from . import measure

EXTENTS = 64, 128, 256
_SCALE = 400  # fraction bits of the numbers here, including low words
RUNGS: dict[str, tuple[str, dict[str, Any]]] = {
    "f32x2bf16": ("f32", {"dtype": "f32x2bf16"}),
    "f32x3bf16": ("f32", {"dtype": "f32x3bf16"}),
    "f64xi8, 8 slices": ("f64", {"dtype": "f64xi8"}),
    "f64xi8, 14 slices, two words": ("f64", {"dtype": "f64xi8", "slices": 14, "result": "f64x2"}),
}


class Row(NamedTuple):
    """One rung at one extent: seconds per call, and errors as log2 relative to |A| |B|."""

    rung: str
    extent: int
    products: int
    scratch_bytes: int
    seconds: float
    kept: float  # with the terms of B prepared
    ordinary: float  # the product of the element type
    error: float
    ordinary_error: float


def bench_precision(target: str | None = None, seconds: float = 0.1, json_path: Path | None = None) -> list[Row]:
    """Measure, print, and write the figures if a path is given."""
    console = Console(width=None if sys.stdout.isatty() else 132)
    console.print(f"{host.brand()}, one thread")
    with measure.one_cpu():
        asked = [(name, extent) for extent in EXTENTS for name in RUNGS]
        rows = [_measured(name, extent, target, seconds) for name, extent in measure.steps(asked, "products")]
    console.print(_table(rows))
    if json_path is not None:
        json_path.write_text(json.dumps([row._asdict() for row in rows], indent=1) + "\n")
    return rows


def _measured(name: str, extent: int, target: str | None, seconds: float) -> Row:
    dtype, request = RUNGS[name]
    rng = np.random.default_rng(extent)
    a, b = (rng.standard_normal((extent, extent)).astype(numpy_dtype(dtype)) for _ in "ab")
    p = ladder(extent, extent, extent, beta=0, target=target, **request)  # type: ignore[arg-type]
    mm = brgemm(extent, extent, extent, dtype=dtype, beta=0, target=target)  # type: ignore[arg-type]
    out, plain = p(a, b), mm(a, b)
    terms = p.split_b(b)
    timings = measure.seconds_per_call(
        {
            "split": measure.PythonCall(lambda: p(a, b, out)),
            "kept": measure.PythonCall(lambda: p(a, terms, out)),
            "plain": measure.PythonCall(lambda: mm(a, b, plain)),
        },
        seconds,
    )
    errors = (_error(a, b, each if isinstance(each, tuple) else (each,)) for each in (out, plain))
    times = (timings[each].best for each in ("split", "kept", "plain"))
    return Row(name, extent, p.products, p.scratch_bytes, *times, *errors)


def _error(a: Any, b: Any, words: tuple[Any, ...]) -> float:
    """Return log2 of the largest error of some rows, compared with Python's integers, since two words exceed every
    float."""
    rows = a[:2]
    exact, sizes = _whole(rows).dot(_whole(b)), abs(_whole(rows)).dot(abs(_whole(b)))
    found = sum(_whole(each[:2]) * 2**_SCALE for each in words)
    worst = max(abs(x - y) / z for x, y, z in zip(found.ravel(), exact.ravel(), sizes.ravel(), strict=True))
    return float(np.log2(worst)) if worst else -128.0


def _whole(x: Any) -> Any:
    """Return the elements times 2^_SCALE as Python's integers."""
    return np.array([[int(float(e) * 2.0**_SCALE) for e in line] for line in x], object)


def _table(rows: list[Row]) -> Table:
    table = Table(title="the precision ladder: times the product of the element type, error as log2 of |A| |B|")
    for heading in ("rung", "extent", "products", "scratch", "us", "times", "B in terms", "error", "ordinary"):
        table.add_column(heading, justify="left" if heading == "rung" else "right")
    for row in rows:
        table.add_row(row.rung, f"{row.extent}^3", f"{row.products}", f"{row.scratch_bytes >> 10} KiB",
                      f"{row.seconds * 1e6:.0f}", f"{row.seconds / row.ordinary:.2f}",
                      f"{row.kept / row.ordinary:.2f}", f"{row.error:.1f}", f"{row.ordinary_error:.1f}")  # fmt: skip
    return table
