"""`tilesmith bench gemm`: our kernels compared with the machine's peak, LIBXSMM and NumPy in one run.

For each shape the contenders take turns on the same operands (aligned to 64 bytes, hot in the caches, column-major),
and each is timed by its best sample. The figures that matter are ratios; the tables below have their goals.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.records import NamedTuple, dataclass
from ...microkernels.errors import UnsupportedError
from ..api import brgemm as api
from ..host import detect as host
from ..kernel.callable import Kernel
from . import measure, options
from .goals import Goal, WrongResult, geometric_mean, goal_table, saved, shown, write_json
from .measure import Contender, NativeCall, PythonCall
from .peers import products as peers

Array = np.ndarray[Any, Any]


class Shape(NamedTuple):
    """C (m, n) += sum over the batch of A (m, k) @ B (k, n). Batch 0 is a single product, called without a batch."""

    m: int
    n: int
    k: int
    batch: int = 0

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}" + (f" b{self.batch}" if self.batch else "")

    @property
    def flops(self) -> int:
        """The multiplications and additions of one call."""
        return 2 * self.m * self.n * self.k * max(1, self.batch)


def _cube(size: int, batch: int = 0) -> Shape:
    return Shape(size, size, size, batch)


_BUILDS = 5
BIG = (Shape(64, 6, 64), _cube(32, 16), _cube(64, 16), _cube(48), _cube(64), _cube(128))
# Of one row or one column
VECTORS = (Shape(1, 64, 64), Shape(64, 1, 64))
SMALL = (*map(_cube, (4, 8, 13, 16, 17, 23, 33, 65)), Shape(9, 35, 15), Shape(35, 9, 35), *VECTORS, _cube(100))
SHAPES = dict(zip(options.SHAPES, (BIG, SMALL)))
DTYPES: dict[str, type[np.floating[Any]]] = {"f32": np.float32, "f64": np.float64}

# The goals: fraction of peak, keyed by vector machine, type and shape
PEAK_GOALS = {
    ("avx512", "f32"): dict(zip(BIG, (0.95, 0.95, 0.95, 0.92, 0.92, 0.92))),
    ("avx2", "f32"): {_cube(64, 16): 0.92},
    ("avx", "f32"): {_cube(64): 0.9},
}
# Speed relative to LIBXSMM's over SMALL: geometric mean, the same without VECTORS, and the minimum
RATIO_GOALS = {"f32": (1.45, 1.12, 0.95), "f64": (1.25, 1.05, 0.95)}
CODE_SECONDS, REQUEST_SECONDS, IMPORT_SECONDS = 1e-3, 1e-6, 0.06


@dataclass(frozen=True)
class Row:
    """The measurements of one shape. Speeds are in FLOP/s, NaN if the baseline is missing."""

    shape: str
    target: str
    dtype: str
    set: str
    flops: int
    seconds: float
    median_seconds: float
    speed: float
    peak: float
    libxsmm: float
    numpy: float
    code_bytes: int
    first_seconds: float  # the first request of this kernel: planning, emission, publication
    again_seconds: float  # the same when its instructions have been encoded before

    @property
    def of_peak(self) -> float:
        """Our speed as a fraction of the peak measured beside it."""
        return self.speed / self.peak

    @property
    def ratio(self) -> float:
        """Our speed divided by LIBXSMM's."""
        return self.speed / self.libxsmm


@dataclass
class Report:
    """The results of one run."""

    machine: str
    frequency: float  # Hz
    empty_call: float  # seconds that are part of every native figure
    rows: list[Row] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def save(self, path: str | Path) -> None:
        """Write the report as JSON; figures that were not measured are null."""
        rows = [{**asdict(row), "of_peak": row.of_peak, "ratio": row.ratio} for row in self.rows]
        peaks = {f"{row.target} {row.dtype}": row.peak for row in sorted(self.rows, key=lambda row: row.peak)}
        write_json(path, {**asdict(self), "peaks": peaks, "rows": rows, "goals": saved(self.goals)})


class Section(NamedTuple):
    """A table: shapes that share a target and a type."""

    set: str
    target: str | None  # as in `target=` of a request
    dtype: str
    shapes: Sequence[Shape]


# The run


def bench_gemm(
    target: str | None = None,
    dtype: str | None = None,
    shapes: str = "all",
    seconds: float = 0.1,
    json_path: str | Path | None = None,
    console: Console | None = None,
) -> Report:
    """Measure and print; the report is returned, and also written to `json_path`.

    Without target and dtype, everything with a goal is measured. `shapes` is "small", "big" or "all". Each contender of
    each shape gets `seconds`. Raises UnsupportedError for a target that this machine cannot run.
    """
    console = console or Console(width=None if sys.stdout.isatty() else 132)
    sections = _sections(target, dtype, shapes)
    with measure.one_cpu(), peers.numpy_single_thread() as alone:
        report = Report(host.brand(), measure.frequency(), measure.empty_call_seconds())
        report.remarks += [] if alone else ["numpy: its BLAS could not be held to one thread"]
        _print_head(console, report)
        for section in sections:
            rows = [_measure(section, shape, seconds, report.remarks)
                    for shape in measure.steps(section.shapes, "shapes")]  # fmt: skip
            report.rows += rows
            console.print(_table(section, rows))
            report.goals += _goals(section, rows)
        report.goals += _cost_goals(sections[0], report.rows)
    console.print(goal_table(report.goals))
    for remark in report.remarks:
        console.print(remark)
    if json_path is not None:
        report.save(json_path)
    return report


def _sections(target: str | None, dtype: str | None, shapes: str) -> list[Section]:
    """Return the sections to measure, in order."""
    if shapes not in (*SHAPES, "all"):
        raise ValueError(f"shapes={shapes!r}: use one of {', '.join(SHAPES)}, all")
    if dtype not in (*DTYPES, None):
        raise UnsupportedError(f"dtype={dtype!r}: bench gemm knows {', '.join(DTYPES)}")
    host.native(target)
    sections = [Section("big", target, dtype or "f32", BIG)]
    if target is None and host.host().isa != "avx2" and dtype != "f64":
        sections.append(Section("big", "avx2", "f32", tuple(PEAK_GOALS["avx2", "f32"])))
    sections += [Section("small", target, chosen, SMALL) for chosen in ([dtype] if dtype else DTYPES)]
    return [section for section in sections if shapes in (section.set, "all")]


def _measure(section: Section, shape: Shape, seconds: float, remarks: list[str]) -> Row:
    """Build the kernel, check it, and time it beside its baselines."""
    target, dtype = host.resolve(section.target), section.dtype
    a, b, c = _operands(shape, DTYPES[dtype])
    start = time.perf_counter()
    kernel = _request(section, shape)
    first_seconds = time.perf_counter() - start
    again_seconds = min(_build_seconds(kernel) for _ in range(_BUILDS))
    peak = measure.fma_loop(target, dtype)
    ours = NativeCall(kernel.address, tuple(array.__array_interface__["data"][0] for array in (a, b, c)), kernel)
    contenders: dict[str, Contender] = {"ours": ours, "peak": peak.call}
    try:
        contenders["libxsmm"] = peers.libxsmm_gemm(target, c, a, b)
    except peers.BaselineMissing as missing:
        remarks += [str(missing)] if str(missing) not in remarks else []
    for name in contenders.keys() - {"peak"}:
        _check(f"{name} {shape} {dtype}", contenders[name], a, b, c)
    contenders["numpy"] = peers.numpy_gemm(np.empty_like(c), a, b)
    timings = measure.seconds_per_call(contenders, seconds)

    def speed(name: str, flops: int = shape.flops) -> float:
        return flops / timings[name].best if name in timings else math.nan

    return Row(str(shape), target.name, dtype, section.set, shape.flops, timings["ours"].best, timings["ours"].median,
               speed("ours"), speed("peak", peak.flops), speed("libxsmm"), speed("numpy"), len(kernel.code),
               first_seconds, again_seconds)  # fmt: skip


def _request(section: Section, shape: Shape) -> Any:
    m, n, k, batch = shape
    named: Any = {"dtype": section.dtype, "target": section.target}  # from a table, so the names are valid
    return api.brgemm(m, n, k, order="F", batch=batch or None, **named)


def _operands(shape: Shape, dtype: type[np.floating[Any]]) -> tuple[Array, Array, Array]:
    """Return A, B and C, consecutive in a block that begins on a page: their placement depends only on the shape.

    The values are in [-1, 1): C grows by a bounded amount with every call, far from overflow, and is never denormal.
    """
    m, n, k, batch = shape
    some = (batch,) if batch else ()
    extents = [(*some, k, m), (*some, n, k), (n, m)]  # the transposes, row-major
    sizes = [-(-math.prod(extent) * np.dtype(dtype).itemsize // 64) * 64 for extent in extents]
    block = np.empty(sum(sizes) + 4096, np.uint8)
    position = -block.__array_interface__["data"][0] % 4096
    values = np.random.default_rng(1)
    arrays = []
    for extent, size in zip(extents, sizes):
        array = np.ndarray(extent, dtype, block, position)
        array[...] = values.uniform(-1, 1, extent)
        arrays.append(array.swapaxes(-1, -2))
        position += size
    a, b, c = arrays
    return a, b, c


def _check(name: str, contender: Contender, a: Array, b: Array, c: Array) -> None:
    """Check that a call adds A @ B to C, up to rounding: |error| <= (k + 1) eps (|A| @ |B| + |C|), k the length of the
    sums."""
    exact, before = a.astype(np.float64), c.astype(np.float64)
    product, scale = exact @ b, abs(exact) @ abs(b)
    terms = a.shape[-1]
    if a.ndim == 3:
        product, scale, terms = product.sum(0), scale.sum(0), terms * len(a)
    contender.run(1)
    error = abs(c - (before + product))
    bound = (terms + 1) * np.finfo(c.dtype).eps * (scale + abs(before))
    if not (error <= bound).all():
        raise WrongResult(f"{name}: off by {(error / bound).max():.3g} times what rounding explains")


# Goals


def _goals(section: Section, rows: Sequence[Row]) -> Iterator[Goal]:
    target = host.resolve(section.target)
    wanted = PEAK_GOALS.get((target.isa, section.dtype), {})
    for shape, row in zip(section.shapes, rows):
        if section.set == "big" and shape in wanted:
            yield Goal(f"{target.isa} {row.dtype} {shape}: of peak", wanted[shape], row.of_peak)
    if section.set == "small":
        mean, mean_of_matrices, least = RATIO_GOALS[section.dtype]
        ratios = {shape: row.ratio for shape, row in zip(section.shapes, rows)}
        of_matrices = [ratio for shape, ratio in ratios.items() if shape not in VECTORS]
        worst = min(ratios, key=lambda shape: ratios[shape])
        what = f"{target.isa} {section.dtype} small and odd, by LIBXSMM:"
        yield Goal(f"{what} geometric mean", mean, geometric_mean(ratios.values()))
        yield Goal(f"{what} without vectors", mean_of_matrices, geometric_mean(of_matrices))
        yield Goal(f"{what} least ({worst})", least, ratios[worst])


def _cost_goals(section: Section, rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals for tilesmith's costs before a kernel runs."""
    first = statistics.median(row.first_seconds for row in rows)
    again = statistics.median(row.again_seconds for row in rows)
    yield Goal("code generation, median", CODE_SECONDS, again, "s")
    yield Goal("code generation of never-seen instructions, median", CODE_SECONDS, first, "s")
    yield Goal("a cached request", REQUEST_SECONDS, _request_seconds(section), "s")
    yield Goal("import tilesmith, beyond numpy", IMPORT_SECONDS, _import_seconds(), "s")


def _build_seconds(kernel: Kernel) -> float:
    """Return the seconds to plan, emit and publish a kernel, without the cache of kernels."""
    start = time.perf_counter()
    Kernel(kernel.spec, kernel.target)
    return time.perf_counter() - start


def _request_seconds(section: Section) -> float:
    """Return the seconds to request an existing kernel."""
    again = PythonCall(lambda: _request(section, section.shapes[-1]))
    return measure.seconds_per_call({"again": again})["again"].best


def _import_seconds(runs: int = 7) -> float:
    """Return the seconds of `import tilesmith` in a fresh interpreter that has imported numpy: the best of several
    runs."""
    program = "import numpy, time; t = time.perf_counter(); import tilesmith; print(time.perf_counter() - t)"
    outputs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(runs)]
    return min(float(done.stdout) for done in outputs)


# Printing


class Column(NamedTuple):
    """A figure of a row, its number of digits, and whether its geometric mean is meaningful."""

    heading: str
    value: Callable[[Row], float]
    digits: int
    averaged: bool = False


_COLUMNS = (
    Column("ns", lambda row: row.seconds * 1e9, 1),
    Column("tilesmith", lambda row: row.speed / 1e9, 1),
    Column("% of peak", lambda row: 100 * row.of_peak, 1, averaged=True),
    Column("LIBXSMM", lambda row: row.libxsmm / 1e9, 1),
    Column("ratio", lambda row: row.ratio, 2, averaged=True),
    Column("NumPy", lambda row: row.numpy / 1e9, 1),
    Column("ratio", lambda row: row.speed / row.numpy, 2, averaged=True),
    Column("code bytes", lambda row: row.code_bytes, 0),
    Column("first ms", lambda row: row.first_seconds * 1e3, 2),
    Column("again ms", lambda row: row.again_seconds * 1e3, 2),
)


def _print_head(console: Console, report: Report) -> None:
    target = host.host()
    console.print(
        f"[bold]{report.machine}[/], {target.isa}, {target.fma_pipes} FMA pipes of {target.fma_bits} bits, "
        f"{report.frequency / 1e9:.2f} GHz. One thread, GFLOP/s of the best sample, column-major;\n"
        f"an empty call takes {report.empty_call * 1e9:.1f} ns and is part of every figure."
    )


def _table(section: Section, rows: Sequence[Row]) -> Table:
    target = host.resolve(section.target)
    peak = max(row.peak for row in rows) / 1e9
    title = f"{target.isa} {section.dtype}, target {target.name}: measured peak {peak:.1f} GFLOP/s"
    table = Table(title=title, title_justify="left")
    table.add_column("m x n x k", no_wrap=True)
    for column in _COLUMNS:
        table.add_column(column.heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(row.shape, *(shown(column.value(row), column.digits) for column in _COLUMNS))
    table.add_section()
    means = (shown(geometric_mean(map(c.value, rows)), c.digits) if c.averaged else "" for c in _COLUMNS)
    table.add_row("geometric mean", *means)
    return table
