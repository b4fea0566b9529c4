"""`tilesmith bench transpose`: transposes and layout changes beside NumPy, LIBXSMM and a plain copy, and products of
transposed operands beside untransposed ones, in one run.

Operands are aligned to 64 bytes. The goals are ratios, and one number of cycles: 28 for 16 x 16 f32, LIBXSMM's figure
on a processor that stores 64 bytes per cycle. What this processor needs only to load and store the same bytes is
measured beside it. Calls from Python (numpy, copy) include the interpreter, the others an emitted loop. Matrices larger
than the caches are compared with copies by the medians of samples in thread time and random order.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from ....microkernels.transform.layouts import Layout
from ....microkernels.transform.plan import TransformPlan
from ....microkernels.transform.spec import TransformSpec
from ...api.brgemm import brgemm
from ...api.transforms import transform, transpose
from ...api.typed import DType
from ...arguments.arrays import Array, address_of, numpy_dtype
from ...host import detect as host
from ...kernel.callable import Kernel
from ...memory.executable import publish
from ..measure import Contender, NativeCall, PythonCall, empty_call_seconds, samples
from ..measure_code import moves
from ..operands import aligned, at, native
from ..peers import products as peers
from ..peers.elementwise import memcpy
from ..runner import Bench, Run, Table
from ..table import Goal, Named, Row, Wanted, WrongResult

Request = tuple[str, Kernel, Array, Array, dict[str, Contender]]
"""A name, our kernel, its operands, and the contenders."""

_TILE_CYCLES, _TILE_MOVES = 28.0, 1.1
_NUMPY, _LIBXSMM, _COPY = 10.0, 1.0, 0.5
_TILE = 16, 16
SHAPES = ((*_TILE, "f32"), (64, 64, "f32"), (64, 64, "bf16"), (64, 64, "i8"), (13, 17, "f32"), (64, 64, "f64"),
          (500, 300, "f32"))
LARGE = 2048, 2048, "f32"
TRANSFORMS = (("vnni2", 64, 64, "bf16"), ("vnni2_to_vnni2t", 64, 64, "bf16"), ("vnni2t", 64, 64, "bf16"),
              ("vnni4", 64, 64, "i8"), ("vnni4_to_vnni4t", 64, 64, "i8"), ("mmla2x4", 64, 64, "bf16"),
              ("amxb", 64, 64, "bf16"))
PRODUCTS: tuple[tuple[int, int | None, float | None, str | None], ...] = (
    (64, 16, 1.10, None), (16, None, 1.25, None), (32, None, None, None), (128, None, None, None),
    (64, 16, 1.10, "avx2"), (16, None, 1.25, "avx2"),
)
"""Products with transposed operands: size, batch, the most time relative to the untransposed ones, target."""
ORDERS = ("CCC", "FCC", "CFC", "FFC")
PLACES = 0, 16
"""Offsets of y from a cache line in bytes: numpy's own large arrays begin 16 bytes after the start of a page."""
_LEAST_ROUNDS, _ROUNDS_A_SECOND = 5, 200  # of a large copy and its contenders
_MOVES = "loads and stores"


def _tables(run: Run) -> Iterator[Table]:
    columns = "request; ns=seconds:1n; cycles:0; estimate:0; GB/s=rate:0G; by numpy:2; by copy:2; by libxsmm:2"
    yield Table("moves", columns, [*((transposed, *each) for each in (*SHAPES, LARGE)),
                                   *((transformed, *each) for each in TRANSFORMS)], _measured,
                goals=lambda rows: _move_goals(rows, run.frequency))
    products = "".join(f"; {order}=cycles {order}:0; {order} by CCC:3" for order in ORDERS[1:])
    yield Table("products", f"product; CCC=cycles CCC:0{products}", PRODUCTS, _product,
                "Products with transposed operands: cycles, and times those of order CCC", tuple(
                    Wanted(f"{{product}} order {order}: time of the untransposed", "most", f"{order} by CCC", unit="x")
                    for order in ORDERS[1:]))
    yield Table("copies", "request; y, bytes past a line=place; ms=tilesmith:2m; memcpy ms=memcpy:2m; by memcpy:2; "
                "np.copyto ms=np.copyto:2m; by np.copyto:2", PLACES, copies,
                "Beyond the caches: median milliseconds of the thread, and our speed to that of copies",
                (Wanted("{request}, y {place} bytes past a line: median speed to the faster copy's", _COPY, "least"),))


def _measured(run: Run, make: Callable[..., Request], *request: object) -> Row:
    name, kernel, x, y, contenders = make(run, *request)
    check(name, x, y, contenders)
    best, plan = run.turns(contenders), kernel.plan
    seconds = best.pop("ours")
    return {"request": name, "seconds": seconds, "cycles": seconds * run.frequency,
            "rate": (x.nbytes + y.nbytes) / seconds, "estimate": getattr(plan, "cycles", 0.0)
            if isinstance(plan, TransformPlan) else 0.0, **best,
            **{f"by {name}": each / seconds for name, each in best.items()}}


def transposed(run: Run, m: int, n: int, dtype: str) -> Request:
    """Return a transpose and its contenders."""
    kernel = transpose(m, n, dtype=cast(DType, dtype))
    x, y = _operands(kernel)
    flat = y.reshape(m, n)
    contenders: dict[str, Contender] = {"ours": native(kernel, [x, y]), "numpy": PythonCall(lambda: np.copyto(y, x.T)),
                                        "copy": PythonCall(lambda: np.copyto(flat, x))}
    other = run.baseline(lambda: peers.libxsmm_transpose(host.host(), y, x))
    contenders |= {"libxsmm": other} if other is not None else {}
    contenders |= {_MOVES: moves_only(x.nbytes, x, y)} if (m, n) == _TILE else {}
    return f"transpose {m} x {n} {dtype}", kernel, x, y, contenders


def transformed(run: Run, name: str, m: int, n: int, dtype: str) -> Request:
    """Return a change of layout and its contenders."""
    kernel = transform(name, m, n, cast(DType, dtype))
    x, y = _operands(kernel)
    contenders: dict[str, Contender] = {"ours": native(kernel, [x, y]),
                                        "numpy": PythonCall(_numpy_transform(kernel, x, y))}
    return f"{name} {m} x {n} {dtype}", kernel, x, y, contenders


def _operands(kernel: Kernel) -> tuple[Array, Array]:
    x, y = (aligned((each.rows, each.columns), each.dtype) for each in kernel.spec.arguments)  # type: ignore[attr-defined]
    return x, y


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


def check(name: str, x: Array, y: Array, contenders: Mapping[str, Contender]) -> None:
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


def moves_only(count: int, x: Array, y: Array) -> NativeCall:
    """Return loads and stores of `count` bytes in full registers of this machine: a group of loads, then the stores of
    the same bytes."""
    target = host.host()
    group = min(count, target.vector_bits // 8 * 16)
    block = publish(moves(target, 2, [(0, group, 1)] * (count // group), 1).data)
    return NativeCall(block.address, (address_of(x), address_of(y)), (block, x, y))


def copies(run: Run, place: int) -> Row:
    """Measure a transpose of a large matrix and copies of it, with y at `place` bytes past a cache line."""
    m, n, dtype = LARGE
    kernel = transpose(m, n, dtype=cast(DType, dtype))
    size = m * n * numpy_dtype(dtype).itemsize
    x, y = at((size,), np.uint8, 0, 64), at((size,), np.uint8, place, 64)
    x[...], y[...] = 1, 1
    calls: dict[str, Contender] = {"tilesmith": native(kernel, [x, y]), "memcpy": memcpy(x, y),
                                   "np.copyto": PythonCall(lambda: np.copyto(y, x))}
    rounds = max(_LEAST_ROUNDS, int(run.seconds * _ROUNDS_A_SECOND))
    times = {name: statistics.median(taken) for name, taken in samples(calls, rounds=rounds).items()}
    by = {f"by {name}": times[name] / times["tilesmith"] for name in ("memcpy", "np.copyto")}
    return {"request": f"transpose {m} x {n} {dtype}", "place": place, **times, **by, "least": min(by.values())}


def _product(run: Run, size: int, batch: int | None, most: float | None, target: str | None) -> Row:
    contenders: dict[str, Contender] = {}
    for order in ORDERS:
        named: Named = {"order": order, "target": target}
        kernel = brgemm(size, size, size, batch=batch, **named)
        arrays = [aligned((count, size, size), "f32") for count in (batch or 1, batch or 1, 1)]
        contenders[order] = native(kernel, arrays)
    best = run.turns(contenders)
    name = f"brgemm {size}^3 f32" + (f" batch {batch}" if batch else "") + (f" on {target}" if target else "")
    return {"product": name, "most": most, **{f"cycles {order}": each * run.frequency for order, each in best.items()},
            **{f"{order} by CCC": each / best["CCC"] for order, each in best.items()}}


def _move_goals(rows: Sequence[Row], hertz: float) -> Iterator[Goal]:
    """Yield the original goals and the bounds of this processor."""
    found = {row["request"]: row for row in rows}
    tile, empty = found["transpose 16 x 16 f32"], empty_call_seconds()
    cycles = {who: (tile[who] - empty) * hertz for who in ("seconds", _MOVES, "libxsmm") if who in tile}
    bounds = [f"{cycles[_MOVES]:.1f} for its loads and stores alone here"]
    bounds += [f"{cycles['libxsmm']:.1f} for LIBXSMM"] * ("libxsmm" in cycles)
    yield Goal(f"16 x 16 f32: cycles in a hot loop ({', '.join(bounds)})", _TILE_CYCLES, cycles["seconds"], "cycles")
    yield Goal("16 x 16 f32: times its loads and stores alone", _TILE_MOVES, cycles["seconds"] / cycles[_MOVES], "x")
    for dtype in ("f32", "bf16", "i8"):
        row = found[f"transpose 64 x 64 {dtype}"]
        yield Goal(f"64 x 64 {dtype}: times numpy", _NUMPY, row["by numpy"])
        if "by libxsmm" in row:
            yield Goal(f"64 x 64 {dtype}: times LIBXSMM", _LIBXSMM, row["by libxsmm"])


BENCH = Bench("transpose", __doc__, _tables, seconds=0.1)
