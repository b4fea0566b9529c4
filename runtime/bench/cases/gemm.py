"""`tilesmith bench gemm`: our kernels compared with the machine's peak, LIBXSMM and NumPy in one run.

For each shape the contenders take turns on the same operands (aligned to 64 bytes, hot in the caches, column-major).
An empty call is part of every figure. `first ms` is the first request of a kernel: planning, emission, publication;
`again ms` the same when its instructions have been encoded before.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ....encoder.records import NamedTuple
from ....microkernels.errors import UnsupportedError
from ...api import brgemm as api
from ...arguments.arrays import Array
from ...host import detect as host
from ...kernel.callable import Kernel
from .. import measure
from ..measure import Contender, NativeCall, PythonCall
from ..peers import products as peers
from ..runner import Bench, Run, Table
from ..table import Goal, Named, Row, WrongResult, geometric_mean


class GemmShape(NamedTuple):
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


def _cube(size: int, batch: int = 0) -> GemmShape:
    return GemmShape(size, size, size, batch)


_BUILDS = 5
BIG = (GemmShape(64, 6, 64), _cube(32, 16), _cube(64, 16), _cube(48), _cube(64), _cube(128))
VECTORS = (GemmShape(1, 64, 64), GemmShape(64, 1, 64))  # of one row or one column
SMALL = (*map(_cube, (4, 8, 13, 16, 17, 23, 33, 65)), GemmShape(9, 35, 15), GemmShape(35, 9, 35), *VECTORS, _cube(100))
SHAPES = {"big": BIG, "small": SMALL}
DTYPES: dict[str, type[np.floating[Any]]] = {"f32": np.float32, "f64": np.float64}
COLUMNS = ("m x n x k=shape; ns=seconds:1n; GFLOP/s=speed:1G; % of peak=of peak:1%~; LIBXSMM=libxsmm:1G; "
           "ratio=by LIBXSMM:2~; NumPy=numpy:1G; ratio=by NumPy:2~; code bytes=code:0; first ms=first:2m; "
           "again ms=again:2m")

# The goals: fraction of peak, keyed by vector machine, type and shape
PEAK_GOALS = {
    ("avx512", "f32"): dict(zip(map(str, BIG), (0.95, 0.95, 0.95, 0.92, 0.92, 0.92))),
    ("avx2", "f32"): {str(_cube(64, 16)): 0.92},
    ("avx", "f32"): {str(_cube(64)): 0.9},
}
# Speed relative to LIBXSMM's over SMALL: geometric mean, the same without VECTORS, and the minimum
RATIO_GOALS = {"f32": (1.45, 1.12, 0.95), "f64": (1.25, 1.05, 0.95)}
CODE_SECONDS, REQUEST_SECONDS, IMPORT_SECONDS = 1e-3, 1e-6, 0.06


class GemmSection(NamedTuple):
    """A table: shapes that share a target and a type."""

    set: str
    target: str | None  # as in `target=` of a request
    dtype: str
    shapes: Sequence[GemmShape]


def _tables(run: Run) -> Iterator[Table]:
    """Without target and dtype, everything with a goal is measured; a last table has the costs before a kernel runs."""
    asked, rows = run.options, list[Row]()
    sections = sections_of(asked.target, asked.dtype, asked.shapes)
    run.remark(f"an empty call takes {measure.empty_call_seconds() * 1e9:.1f} ns and is part of every figure")
    for section in sections:
        isa = host.resolve(section.target).isa
        yield Table(f"{isa} {section.dtype} {section.set}", COLUMNS, [(section, shape) for shape in section.shapes],
                    measured, goals=lambda found, section=section: goals(section, found, rows))  # type: ignore[misc]
    yield Table("costs", "cost=what; ms=figure:4m", costs(sections[0], rows), _cost, goals=lambda found: [
        Goal(row["what"], row["wanted"], row["figure"], "s") for row in found])


def sections_of(target: str | None, dtype: str | None, shapes: str) -> list[GemmSection]:
    """Return the sections to measure, in order."""
    if shapes not in (*SHAPES, "all"):
        raise ValueError(f"shapes={shapes!r}: use one of {', '.join(SHAPES)}, all")
    if dtype not in (*DTYPES, None):
        raise UnsupportedError(f"dtype={dtype!r}: bench gemm knows {', '.join(DTYPES)}")
    host.native(target)
    sections = [GemmSection("big", target, dtype or "f32", BIG)]
    if target is None and host.host().isa != "avx2" and dtype != "f64":
        sections.append(GemmSection("big", "avx2", "f32", (_cube(64, 16),)))
    sections += [GemmSection("small", target, chosen, SMALL) for chosen in ([dtype] if dtype else DTYPES)]
    return [section for section in sections if shapes in (section.set, "all")]


def measured(run: Run, section: GemmSection, shape: GemmShape) -> Row:
    """Build the kernel, check it, and time it beside its baselines."""
    target, dtype = host.resolve(section.target), section.dtype
    a, b, c = operands(shape, DTYPES[dtype])
    start = time.perf_counter()
    kernel = _request(section, shape)
    first = time.perf_counter() - start
    again = min(_build_seconds(kernel) for _ in range(_BUILDS))
    peak = measure.fma_loop(target, dtype)
    addresses = tuple(array.__array_interface__["data"][0] for array in (a, b, c))
    contenders: dict[str, Contender] = {"ours": NativeCall(kernel.address, addresses, kernel)}
    if (other := run.baseline(lambda: peers.libxsmm_gemm(target, c, a, b))) is not None:
        contenders["libxsmm"] = other
    for name, contender in contenders.items():
        check(f"{name} {shape} {dtype}", contender, a, b, c)
    contenders |= {"peak": peak.call, "numpy": peers.numpy_gemm(np.empty_like(c), a, b)}
    timings = measure.seconds_per_call(contenders, run.seconds)
    speeds = {name: shape.flops / timing.best for name, timing in timings.items()}
    speeds = {"libxsmm": math.nan, **speeds, "peak": peak.flops / timings["peak"].best}
    speed = speeds.pop("ours")
    return {"shape": str(shape), "target": target.name, "dtype": dtype, "flops": shape.flops,
            "seconds": timings["ours"].best, "median": timings["ours"].median, "speed": speed, **speeds,
            "of peak": speed / speeds["peak"], "by LIBXSMM": speed / speeds["libxsmm"],
            "by NumPy": speed / speeds["numpy"], "code": len(kernel.code), "first": first, "again": again}


def _request(section: GemmSection, shape: GemmShape) -> Any:
    m, n, k, batch = shape
    named: Named = {"dtype": section.dtype, "target": section.target}  # from a table, so the names are valid
    return api.brgemm(m, n, k, order="F", batch=batch or None, **named)


def operands(shape: GemmShape, dtype: type[np.floating[Any]]) -> tuple[Array, Array, Array]:
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


def check(name: str, contender: Contender, a: Array, b: Array, c: Array) -> None:
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


# Goals and costs


def goals(section: GemmSection, rows: Sequence[Row], every: list[Row]) -> Iterator[Goal]:
    """Yield the goals of a table, whose rows are added to those of every table."""
    every += rows
    isa = host.resolve(section.target).isa
    wanted = PEAK_GOALS.get((isa, section.dtype), {})
    for row in rows if section.set == "big" else ():
        if row["shape"] in wanted:
            yield Goal(f"{isa} {section.dtype} {row['shape']}: of peak", wanted[row["shape"]], row["of peak"])
    if section.set == "small":
        mean, mean_of_matrices, least = RATIO_GOALS[section.dtype]
        by = {row["shape"]: row["by LIBXSMM"] for row in rows}
        of_matrices = [ratio for shape, ratio in by.items() if shape not in map(str, VECTORS)]
        worst = min(by, key=by.__getitem__)
        what = f"{isa} {section.dtype} small and odd, by LIBXSMM:"
        yield Goal(f"{what} geometric mean", mean, geometric_mean(by.values()))
        yield Goal(f"{what} without vectors", mean_of_matrices, geometric_mean(of_matrices))
        yield Goal(f"{what} least ({worst})", least, by[worst])


def costs(section: GemmSection, rows: Sequence[Row]) -> list[tuple[str, float, Callable[[], float]]]:
    """Return what costs are measured before a kernel runs: names, bounds, and functions."""
    return [
        ("code generation, median", CODE_SECONDS, lambda: statistics.median(row["again"] for row in rows)),
        ("code generation of never-seen instructions, median", CODE_SECONDS,
         lambda: statistics.median(row["first"] for row in rows)),
        ("a cached request", REQUEST_SECONDS, lambda: _request_seconds(section)),
        ("import tilesmith, beyond numpy", IMPORT_SECONDS, _import_seconds),
    ]


def _cost(run: Run, what: str, wanted: float, figure: Callable[[], float]) -> Row:
    return {"what": what, "wanted": wanted, "figure": figure()}


def _build_seconds(kernel: Kernel) -> float:
    """Return the seconds to plan, emit and publish a kernel, without the cache of kernels."""
    start = time.perf_counter()
    Kernel(kernel.spec, kernel.target)
    return time.perf_counter() - start


def _request_seconds(section: GemmSection) -> float:
    """Return the seconds to request an existing kernel."""
    again = PythonCall(lambda: _request(section, section.shapes[-1]))
    return measure.seconds_per_call({"again": again})["again"].best


def _import_seconds(runs: int = 7) -> float:
    """Return the seconds of `import tilesmith` in a fresh interpreter that has imported numpy: the best of several."""
    program = "import numpy, time; t = time.perf_counter(); import tilesmith; print(time.perf_counter() - t)"
    outputs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(runs)]
    return min(float(done.stdout) for done in outputs)


BENCH = Bench("gemm", __doc__, _tables, {"--target": {}, "--dtype": {}, "--shapes": {"default": "all"}},
              quick=("--seconds", "0.05"))
