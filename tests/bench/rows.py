"""Kernels for any number of rows beside those for a fixed number: `tilesmith bench rows [--tables times sizes]`.

    times   the time of a call with rows given at the call over that of a kernel for this number, and the ratio of their
            code bytes; of kernels whose code this processor cannot run, the bytes alone
    sizes   nothing is executed: kernels whose code for any number of rows is longer than --least times the shortest one
            for a fixed number, on all named targets. --kinds are products, elementwise, fused, moved and traced; the
            elementwise kernels and products of one target take some 10 s each, all of them over 15 minutes

    tilesmith bench rows --tables times --only brgemm "n 64" --targets sse
    tilesmith bench rows --tables sizes --least 1.8 --kinds products --targets sse neon

--only are parts of names, all of which a name must have. TILESMITH_CACHE=0 shows the code of changed sources.
"""

from collections.abc import Callable, Iterator
from itertools import product
from math import nan
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.operands import arguments_of, native
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.host.detect import runs

ROWS = (64, 100, 256, 1000)
WIDTHS = (16, 100, 384)
SHAPES = ((64, 64), (48, 32), (256, 64), (100, 100), (512, 256))
SMALLER = ((16, 16), (17, 33), (1, 64), (4, 512))
Make = Callable[..., Any]
"""Makes the kernel for a number of rows: (m, target=)."""


def given(value: Any, m: Any) -> Any:
    """Return a value of a request with this number of rows in place of `ts.RUNTIME`."""
    if isinstance(value, tuple):
        return tuple(given(each, m) for each in value)
    return m if value is ts.RUNTIME else value


def request(name: str, function: Callable[..., Any], /, *values: Any, **more: Any) -> tuple[str, Make]:
    """Return the name and the maker of a request that is written with `ts.RUNTIME` rows."""

    def make(m: Any, **target: Any) -> Any:
        return function(*given(values, m), **{key: given(value, m) for key, value in more.items()}, **target)

    return name, make


# Times

PRODUCTS: tuple[tuple[str, Any, dict[str, str]], ...] = (
    ("", "f32", {}), ("", "f64", {}),
    ("bf16 in pairs ", ("bf16", "bf16", "f32"), {"b_layout": "vnni"}), ("bf16 ", ("bf16", "bf16", "f32"), {}),
    ("bytes by fours ", ("u8", "i8", "i32"), {"b_layout": "vnni"}),
    ("i16 in pairs ", ("i16", "i16", "i32"), {"b_layout": "vnni"}), ("f16 ", ("f16", "f16", "f32"), {}),
)
TRACED: dict[str, Callable[[Any], Any]] = {
    "relu": ts.relu, "x * 2 + x": lambda x: x * 2 + x, "gelu": ts.gelu, "sum of rows": lambda x: ts.sum(x, axis=1),
    "x - sum of rows": lambda x: x - ts.sum(x, axis=1),
}


def kernels() -> Iterator[tuple[str, Make]]:
    """Yield names that begin with the type, and the functions that make the kernels for a number of rows."""
    m = ts.RUNTIME
    for (name, types, layout), (n, k) in product(PRODUCTS, SHAPES):
        of = types if isinstance(types, str) else types[0]
        yield request(f"{of} brgemm {name}n {n} k {k}", ts.brgemm, m, n, k, dtype=types, beta=0, **layout)
    for n in (16, 64, 384, 1024):
        yield request(f"f32 sum of rows n {n}", ts.reduce, "sum", m, n, axis=1)
        yield from (request(f"f32 {name} n {n}", ts.unary, name, m, n) for name in ("relu", "gelu"))
        yield from (request(f"f32 {name} n {n}", ts.fused, name, m, n)
                    for name in ("softmax", "layernorm", "batchnorm_training", "clip_own_norm"))
        yield request(f"f32 gather, times x n {n}", ts.equation, lambda x, t, i: x * ts.gather(t, i), x=(m, n),
                      t=(1000, n), i=(m,))
    for n, h in ((64, 64), (128, 128)):
        yield request(f"f32 gather(x, i) @ w, {n} and {h}", ts.equation, lambda x, i, w: ts.gather(x, i) @ w,
                      x=(1000, n), i=(m,), w=(n, h))
    for n, h in ((64, 256), (256, 1024), (512, 512), (512, 1024)):
        yield request(f"f32 gelu(x @ w + b) @ v, {n} and {h}", ts.equation, lambda x, w, b, v: ts.gelu(x @ w + b) @ v,
                      x=(m, n), w=(n, h), b=(1, h), v=(h, n))
    for n in (48, 384):  # matrices whose columns are contiguous
        yield from (request(f"f32 {name} order F n {n}", ts.equation, function, x=(m, n), order="F")
                    for name, function in TRACED.items())
        yield from (request(f"f32 {name} order F n {n}", ts.fused, name, m, n, order="F")
                    for name in ("softmax", "layernorm"))


def _ratios(run: Run, make: Make, rows: int, target: str) -> tuple[float, float]:
    """Return the ratios (time, bytes of code) of the kernel for any number of rows to the fixed one. The time is NaN if
    this processor cannot run them."""
    fixed, free = (make(m, target=target) for m in (rows, ts.RUNTIME))
    bytes_ = len(free.code) / len(fixed.code)
    if runs(fixed.target):
        return nan, bytes_
    arrays = [np.full(each.shape, 0.5).astype(numpy_dtype(each.dtype)) for each in arguments_of(fixed)]  # indices are 0
    distances = [rows for each in free.spec.operands if each.view.leading is ts.RUNTIME]  # order F without gaps
    best = run.turns({"fixed": native(fixed, arrays), "free": native(free, arrays, rows, *distances)})
    return best["free"] / best["fixed"], bytes_


def times(run: Run, name: str, make: Make, target: str) -> Row | None:
    try:
        found = {rows: _ratios(run, make, rows, target) for rows in ROWS}
    except ts.UnsupportedError as error:
        return run.remark(f"{name}: {error}")
    return {"kernel": name, "target": target, **{str(rows): time for rows, (time, _) in found.items()},
            **{f"{rows} bytes": size for rows, (_, size) in found.items()}}


# Sizes

PRODUCT_SIZES: tuple[tuple[Any, dict[str, str]], ...] = (
    ("f32", {}), ("f64", {}), ("bf16", {}), ("f16", {}), ("f8e5m2", {}), ("f8e4m3", {}), ("i8", {}), ("i16", {}),
    (("bf16", "bf16", "f32"), {}), (("bf16", "bf16", "f32"), {"packed": "vnni"}), ("bf16", {"packed": "vnni"}),
    (("f16", "f16", "f32"), {}), (("f16", "f16", "f32"), {"packed": "vnni"}),
    (("u8", "i8", "i32"), {}), (("u8", "i8", "i32"), {"packed": "vnni"}), (("u8", "i8", "f32"), {"packed": "vnni"}),
    (("i8", "i8", "i32"), {"packed": "vnni"}), (("i16", "i16", "i32"), {"packed": "vnni"}),
)


def products() -> Iterator[tuple[str, Make]]:
    """Yield products with rows of C from the call in order "C", and columns in order "F"."""
    for (dtype, more), (n, k) in product(PRODUCT_SIZES, SHAPES + SMALLER):
        name, packed = f"{dtype} {more.get('packed', '')} n {n} k {k}", more.get("packed")
        flipped = (dtype[1], dtype[0], dtype[2]) if isinstance(dtype, tuple) else dtype
        yield request(f"brgemm C {name}", ts.brgemm, ts.RUNTIME, n, k, dtype=dtype, beta=0, order="C",
                      **({"b_layout": packed} if packed else {}))
        yield request(f"brgemm F {name}", ts.brgemm, n, ts.RUNTIME, k, dtype=flipped, beta=0, order="F",
                      **({"a_layout": packed} if packed else {}))


def elementwise() -> Iterator[tuple[str, Make]]:
    """Yield functions of one, two and three matrices of 48 columns."""
    quantized, rate = {"scale": 0.5, "zero": 3}, {"rate": 0.25}
    parameters: dict[str, dict[str, Any]] = {"dequantize": quantized, "quantize": quantized, "dropout": rate,
                                             "dropout_mask": rate, "dropout_inv": rate}
    named = [(kind, name) for kind, names in ts.primitives().items() for name in names]
    for (kind, name), dtype, order in product(named, ("f32", "f64", "bf16", "f16", "i32", "i8"), "CF"):
        own = parameters.get(name, {}) if kind == "unary" or "dropout" in name else {}
        yield request(f"{kind} {name} {order} {dtype}", getattr(ts, kind), name, ts.RUNTIME, 48, dtype=dtype,
                      order=order, **own)


def fused() -> Iterator[tuple[str, Make]]:
    """Yield all composites."""
    for name, dtype, order, n in product(ts.composites(), ("f32", "f64", "bf16"), "CF", WIDTHS):
        yield request(f"{name} {order} {dtype} n {n}", ts.fused, name, ts.RUNTIME, n, dtype=dtype, order=order,
                      **({"rate": 0.25} if "dropout" in name else {}))


def moved() -> Iterator[tuple[str, Make]]:
    """Yield reductions, gathers, scatters and bags."""
    for dtype, n in product(("f32", "f64", "bf16", "i32", "i8"), WIDTHS):
        yield from (request(f"reduce {name} {dtype} n {n}", ts.reduce, name, ts.RUNTIME, n, axis=1, dtype=dtype)
                    for name in ("sum", "max", "argmax", "absmax", "product"))
        yield from (request(f"{name} {dtype} n {n}", getattr(ts, name), "rows", ts.RUNTIME, n, size=1000, dtype=dtype)
                    for name in ("gather", "scatter"))
        yield from (request(f"bag {name} {dtype} n {n}", ts.embedding_bag, ts.RUNTIME, n, size=1000, count=400,
                            name=name, dtype=dtype) for name in ("sum", "mean", "max"))


TRACED_SIZES: dict[str, Callable[..., Any]] = {
    "x * 2 + x": lambda x: x * 2 + x, "sum of rows": lambda x: ts.sum(x, axis=1),
    "x - sum of rows": lambda x: x - ts.sum(x, axis=1), "x - sum of columns": lambda x: x - ts.sum(x, axis=0),
    "sums of rows and columns": lambda x: (ts.sum(x, axis=1), ts.sum(x, axis=0)),
}


def traced() -> Iterator[tuple[str, Make]]:
    """Yield traced functions with gathers, products, or one reduction."""
    m = ts.RUNTIME
    for dtype in ("f32", "f64", "bf16"):
        of: dict[str, Any] = {"i": "i32", **dict.fromkeys("xtw", dtype)}
        for n in WIDTHS:
            yield from (request(f"{name} {order} {dtype} n {n}", ts.equation, function, x=(m, n), dtype=dtype,
                                order=order) for order in "CF" for name, function in TRACED_SIZES.items())
            yield request(f"x * gather {dtype} n {n}", ts.equation, lambda x, t, i: x * ts.gather(t, i), x=(m, n),
                          t=(1000, n), i=(m,), dtype={key: of[key] for key in "xti"}, out=dtype)
        for n, h in ((64, 64), (128, 128), (64, 256), (512, 512)):
            yield request(f"gather @ w {dtype} n {n} h {h}", ts.equation, lambda x, i, w: ts.gather(x, i) @ w,
                          x=(1000, n), i=(m,), w=(n, h), dtype={key: of[key] for key in "xwi"}, out=dtype)
            yield request(f"gelu(x @ w + b) @ v {dtype} n {n} h {h}", ts.equation,
                          lambda x, w, b, v: ts.gelu(x @ w + b) @ v, x=(m, n), w=(n, h), b=(1, h), v=(h, n),
                          dtype=dtype)


KINDS: dict[str, Callable[[], Iterator[tuple[str, Make]]]] = {
    each.__name__: each for each in (products, elementwise, fused, moved, traced)
}


def sizes(run: Run, name: str, make: Make, target: str) -> Row | None:
    """Return the bytes of a kernel with a ratio above the least, or None. A request that is refused has none."""
    try:
        free = len(make(ts.RUNTIME, target=target).code)
    except (ts.UnsupportedError, ValueError, TypeError):
        return None
    fixed = {m: len(make(m, target=target).code) for m in ROWS}
    if free <= run.options.least * min(fixed.values()):
        return None
    return {"target": target, "kernel": name, "bytes": free, **{str(m): n for m, n in fixed.items()},
            **{f"by {m}": free / n for m, n in fixed.items()}}


def _tables(run: Run) -> tuple[Table, ...]:
    asked = run.options

    def chosen(cases: Iterator[tuple[str, Make]]) -> list[tuple[str, Make]]:
        return [case for case in cases if all(part in case[0] for part in asked.only)]

    return (
        Table("times", "kernel; target" + "".join(f"; {rows} rows={rows}:3; bytes={rows} bytes:2" for rows in ROWS),
              [(*case, target) for target in asked.targets or ("native",) for case in chosen(kernels())], times),
        Table("sizes", "target; kernel; bytes:0" + "".join(f"; {m} rows={m}:0; ratio=by {m}:2" for m in ROWS),
              [(*case, target) for target in asked.targets or ts.targets() for kind in asked.kinds
               for case in chosen(KINDS[kind]())], sizes))


BENCH = Bench("rows", __doc__, _tables, {
    "--only": {"nargs": "+", "default": (), "metavar": "PART"}, "--targets": {"nargs": "+", "default": None},
    "--kinds": {"nargs": "+", "default": [*KINDS], "choices": [*KINDS]}, "--least": {"type": float, "default": 2.0}},
    foreign=True, quick=("--kinds", "fused", "--targets", "avx2"))
