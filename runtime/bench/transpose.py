"""`tilesmith bench transpose`: transposes and layout changes beside NumPy, LIBXSMM and a plain copy, and products of
transposed operands beside untransposed ones, in one run.

For each row the contenders take turns on the same operands (aligned to 64 bytes), and each is timed by its best sample.
The goals are ratios, and one number of cycles: 28 for 16 x 16 f32, LIBXSMM's figure on a processor that stores 64 bytes
per cycle. What this processor needs only to load and store the same bytes is measured beside it. Matrices larger than
the caches are also compared with copies, by medians: see bench/copies.py.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.records import NamedTuple, dataclass
from ...microkernels.transform.layouts import Layout
from ...microkernels.transform.plan import TransformPlan
from ...microkernels.transform.spec import TransformSpec
from ..api.brgemm import brgemm
from ..api.transforms import transform, transpose
from ..arguments.arrays import address_of, numpy_dtype
from ..host import detect as host
from ..kernel.callable import Kernel
from . import measure
from .copies import Copies, copies, moves_only
from .goals import WrongResult
from .measure import Contender, NativeCall, PythonCall
from .peers import products as peers

Array = np.ndarray[Any, Any]

_TILE_CYCLES, _TILE_MOVES = 28.0, 1.1
_NUMPY, _LIBXSMM, _COPY = 10.0, 1.0, 0.5
_PRODUCTS: tuple[tuple[int, int | None, float | None, str | None], ...] = (
    (64, 16, 1.10, None),
    (16, None, 1.25, None),
    (32, None, None, None),
    (128, None, None, None),
    (64, 16, 1.10, "avx2"),
    (16, None, 1.25, "avx2"),
)
"""Products with transposed operands: size, batch, the most time relative to the untransposed ones, target."""
_ORDERS = (("C", "C", "C"), ("F", "C", "C"), ("C", "F", "C"), ("F", "F", "C"))
_LEAST_ROUNDS, _ROUNDS_A_SECOND = 5, 200  # of a large copy and its contenders
_MOVES = "loads and stores"


class Row(NamedTuple):
    """One request: its contenders' seconds per call, and the plan's estimate."""

    name: str
    bytes: int  # read and written
    seconds: dict[str, float]
    estimate: float  # cycles

    def ratio(self, baseline: str) -> float | None:
        """Return how many times faster we are than a contender."""
        return self.seconds[baseline] / self.seconds["tilesmith"] if baseline in self.seconds else None


class Goal(NamedTuple):
    """A bound that a row must keep: `value` is at least (or at most) `bound`."""

    name: str
    value: float
    bound: float
    at_most: bool = False

    @property
    def reached(self) -> bool:
        """Whether the bound is kept."""
        return self.value <= self.bound if self.at_most else self.value >= self.bound


class Products(NamedTuple):
    """One size of BRGEMM: seconds per call, keyed by the orders of a, b and c."""

    size: int
    batch: int | None
    most: float | None
    target: str | None
    seconds: dict[str, float]

    @property
    def name(self) -> str:
        """The printed name."""
        text = f"brgemm {self.size}^3 f32" + (f" batch {self.batch}" if self.batch else "")
        return text + (f" on {self.target}" if self.target else "")

    def ratio(self, order: str) -> float:
        """Return the time relative to that of operands in the order of c."""
        return self.seconds[order] / self.seconds["CCC"]


@dataclass
class TransposeReport:
    """All rows and goals of one run."""

    machine: str
    hertz: float
    rows: list[Row]
    products: list[Products]
    copies: list[Copies]
    goals: list[Goal]

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        goals = [{**goal._asdict(), "reached": goal.reached} for goal in self.goals]
        tables = {name: [row._asdict() for row in getattr(self, name)] for name in ("rows", "products", "copies")}
        text = {**asdict(self), **tables, "goals": goals}
        Path(path).write_text(json.dumps(text, indent=1) + "\n")


def bench_transpose(
    seconds: float = 0.2, json_path: str | Path | None = None, console: Console | None = None
) -> TransposeReport:
    """Measure with `seconds` per contender, and print. The report is returned, and also written to `json_path`."""
    console = console or Console(width=None if sys.stdout.isatty() else 120)
    with measure.one_cpu():
        hertz = measure.frequency()
        rows = [_transpose(*shape, seconds) for shape in measure.steps((*_SHAPES, _LARGE), "transposes")]
        rows += [_transform(*request, seconds) for request in measure.steps(_TRANSFORMS, "transforms")]
        products = [_product(*product, seconds) for product in measure.steps(_PRODUCTS, "products")]
        beside = copies(*_LARGE, max(_LEAST_ROUNDS, int(seconds * _ROUNDS_A_SECOND)))
    report = TransposeReport(host.brand(), hertz, rows, products, beside, _goals(rows, products, beside, hertz))
    _print(console, report)
    if json_path is not None:
        report.save(json_path)
    return report


_TILE = 16, 16
_SHAPES = ((*_TILE, "f32"), (64, 64, "f32"), (64, 64, "bf16"), (64, 64, "i8"), (13, 17, "f32"), (64, 64, "f64"),
           (500, 300, "f32"))  # fmt: skip
_LARGE = 2048, 2048, "f32"
_TRANSFORMS = (("vnni2", 64, 64, "bf16"), ("vnni2_to_vnni2t", 64, 64, "bf16"), ("vnni2t", 64, 64, "bf16"),
               ("vnni4", 64, 64, "i8"), ("vnni4_to_vnni4t", 64, 64, "i8"), ("mmla2x4", 64, 64, "bf16"),
               ("amxb", 64, 64, "bf16"))  # fmt: skip


def _operands(kernel: Kernel) -> tuple[Array, Array]:
    """Return aligned arrays for a kernel."""
    x, y = (
        _aligned((operand.rows, operand.columns), numpy_dtype(operand.dtype))
        for operand in kernel.spec.arguments  # type: ignore[attr-defined]
    )
    return x, y


def _aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array at a multiple of 64 bytes."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.zeros(size + 64, np.uint8)
    start = -address_of(memory) % 64
    return memory[start : start + size].view(dtype).reshape(shape)


def _native(kernel: Kernel, x: Array, y: Array) -> NativeCall:
    assert kernel.address is not None
    return NativeCall(kernel.address, (address_of(x), address_of(y)), (kernel, x, y))


def _transpose(m: int, n: int, dtype: str, seconds: float) -> Row:
    kernel = transpose(m, n, dtype=cast(Any, dtype))
    x, y = _operands(kernel)
    flat = y.reshape(m, n)
    contenders: dict[str, Contender] = {
        "tilesmith": _native(kernel, x, y),
        "numpy": PythonCall(lambda: np.copyto(y, x.T)),
        "copy": PythonCall(lambda: np.copyto(flat, x)),
    }
    try:
        contenders["libxsmm"] = peers.libxsmm_transpose(host.host(), y, x)
    except peers.BaselineMissing as error:
        print(error, file=sys.stderr)
    if (m, n) == _TILE:
        contenders[_MOVES] = moves_only(x.nbytes, x, y)
    return _row(f"transpose {m} x {n} {dtype}", kernel, x, y, contenders, seconds)


def _transform(name: str, m: int, n: int, dtype: str, seconds: float) -> Row:
    kernel = transform(name, m, n, cast(Any, dtype))
    x, y = _operands(kernel)
    copied = _numpy_transform(kernel, x, y)
    contenders: dict[str, Contender] = {"tilesmith": _native(kernel, x, y), "numpy": PythonCall(copied)}
    return _row(f"{name} {m} x {n} {dtype}", kernel, x, y, contenders, seconds)


def _numpy_transform(kernel: Kernel, x: Array, y: Array) -> Callable[[], None]:
    """Return the transform of whole blocks as one copy between views with a dimension for each digit of i and j."""
    spec: TransformSpec = kernel.spec  # type: ignore[assignment]
    extents = {"i": spec.m, "j": spec.n}
    cuts = {
        dim: sorted({extent, *(digit.step for each in spec.layouts for digit in each.digits if digit.dim == dim)})
        for dim, extent in extents.items()
    }

    def view(array: Array, layout: Layout) -> Array:
        """Return a view with the digits of i, then of j, highest first."""
        axes = []
        for dim, step, radix in layout.digits:
            within = [cut for cut in cuts[dim] if step <= cut <= (step * radix or extents[dim])]
            axes += [(dim, -low, high // low) for low, high in reversed(list(pairwise(within)))]
        order = sorted(range(len(axes)), key=axes.__getitem__)
        digits: Array = array.reshape([size for _, _, size in axes]).transpose(order)
        return digits

    from_x, to_y = (view(array, layout) for array, layout in zip((x, y), spec.layouts))
    return lambda: np.copyto(to_y, from_x)


def _product(size: int, batch: int | None, most: float | None, target: str | None, seconds: float) -> Products:
    contenders: dict[str, Contender] = {}
    for order in _ORDERS:
        named: Any = {"order": order, "target": target}
        kernel = brgemm(size, size, size, batch=batch, **named)
        a, b, c = (_aligned((count, size, size), np.dtype(np.float32)) for count in (batch or 1, batch or 1, 1))
        assert kernel.address is not None
        places = address_of(a), address_of(b), address_of(c)
        contenders["".join(order)] = NativeCall(kernel.address, places, (kernel, a, b, c))
    timings = measure.seconds_per_call(contenders, seconds)
    return Products(size, batch, most, target, {who: timing.best for who, timing in timings.items()})


def _row(name: str, kernel: Kernel, x: Array, y: Array, contenders: dict[str, Contender], seconds: float) -> Row:
    _check(name, x, y, contenders)
    timings = measure.seconds_per_call(contenders, seconds)
    plan = kernel.plan
    estimate = plan.cycles if isinstance(plan, TransformPlan) else 0.0
    return Row(name, x.nbytes + y.nbytes, {who: timing.best for who, timing in timings.items()}, estimate)


def _check(name: str, x: Array, y: Array, contenders: dict[str, Contender]) -> None:
    """Check that every contender that moves elements gives NumPy's result; WrongResult names one that does not."""
    x.view(np.uint8)[...] = np.random.default_rng(0).integers(0, 100, x.view(np.uint8).shape, np.uint8)
    contenders["numpy"].run(1)
    expected = y.view(np.uint8).copy()
    for baseline, contender in contenders.items():
        if baseline not in ("copy", _MOVES):
            y.view(np.uint8)[...] = 0xFF
            contender.run(1)
            if not np.array_equal(y.view(np.uint8), expected):
                raise WrongResult(f"{name}: {baseline} and numpy disagree")


def _goals(rows: list[Row], products: list[Products], beside: list[Copies], hertz: float) -> list[Goal]:
    """Return the original goals and the bounds of this processor."""
    found = {row.name: row for row in rows}
    goals = []
    tile = found["transpose 16 x 16 f32"]
    empty = measure.empty_call_seconds()
    cycles = {baseline: (seconds - empty) * hertz for baseline, seconds in tile.seconds.items()}
    bounds = [f"{cycles[_MOVES]:.1f} for its loads and stores alone here"]
    bounds += [f"{cycles['libxsmm']:.1f} for LIBXSMM"] * ("libxsmm" in cycles)
    name = f"16 x 16 f32: cycles in a hot loop ({', '.join(bounds)})"
    goals.append(Goal(name, cycles["tilesmith"], _TILE_CYCLES, at_most=True))
    ratio = cycles["tilesmith"] / cycles[_MOVES]
    goals.append(Goal("16 x 16 f32: times its loads and stores alone", ratio, _TILE_MOVES, at_most=True))
    for dtype in ("f32", "bf16", "i8"):
        row = found[f"transpose 64 x 64 {dtype}"]
        goals.append(Goal(f"64 x 64 {dtype}: times numpy", row.ratio("numpy") or 0, _NUMPY))
        if "libxsmm" in row.seconds:
            goals.append(Goal(f"64 x 64 {dtype}: times LIBXSMM", row.ratio("libxsmm") or 0, _LIBXSMM))
    for each in beside:
        place = f", y {each.place} bytes past a line" * bool(each.place)
        goals.append(Goal(f"{each.name}{place}: median speed to the faster copy's", each.least, _COPY))
    for product in products:
        for order in product.seconds:
            if product.most and order != "CCC":
                name = f"{product.name} order {order}: time of the untransposed"
                goals.append(Goal(name, product.ratio(order), product.most, at_most=True))
    return goals


def _print(console: Console, report: TransposeReport) -> None:
    table = Table(title=f"{report.machine}, {report.hertz / 1e9:.2f} GHz")
    for column in ("", "ns", "cycles", "estimate", "GB/s", "numpy", "copy", "libxsmm"):
        table.add_column(column, justify="left" if not column else "right")
    for row in report.rows:
        ours = row.seconds["tilesmith"]
        ratios = [row.ratio(baseline) for baseline in ("numpy", "copy", "libxsmm")]
        figures = ours * 1e9, ours * report.hertz, row.estimate, row.bytes / ours / 1e9
        cells = [f"{figure:,.{1 if number == 0 else 0}f}" for number, figure in enumerate(figures)]
        table.add_row(row.name, *cells, *("" if ratio is None else f"x {ratio:.2f}" for ratio in ratios))
    console.print(table)
    console.print(
        "numpy, copy, libxsmm: how many times faster tilesmith is. The calls from Python (numpy, copy) include the "
        "interpreter, the others an emitted loop.",
        soft_wrap=True,
    )
    table = Table(title="Products with transposed operands: cycles, and times those of order CCC")
    for column in ("", *map("".join, _ORDERS)):
        table.add_column(column, justify="left" if not column else "right")
    for product in report.products:
        texts = (f"{t * report.hertz:,.0f} x {product.ratio(order):.3f}" for order, t in product.seconds.items())
        table.add_row(product.name, *texts)
    console.print(table)
    table = Table(title="Beyond the caches: median milliseconds of the thread, and our speed to that of copies")
    for column in ("", "tilesmith", "memcpy", "np.copyto"):
        table.add_column(column, justify="left" if not column else "right")
    for each in report.copies:
        name = each.name + f", y {each.place} bytes past a line" * bool(each.place)
        cells = [f"{seconds * 1e3:.2f}" for seconds in each.seconds.values()]
        speeds = [f" x {each.ratio(copy):.2f}" for copy in each.seconds if copy != "tilesmith"]
        table.add_row(name, cells[0], *map("".join, zip(cells[1:], speeds)))
    console.print(table)
    for goal in report.goals:
        sign = "<=" if goal.at_most else ">="
        console.print(
            f"{'reached' if goal.reached else 'MISSED '}  {goal.name}: {goal.value:.2f} {sign} {goal.bound:g}"
        )
