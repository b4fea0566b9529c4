"""List kernels for any number of rows whose code is much longer than that for a fixed number.

    tilesmith bench code_sizes                            all kernels on all named targets, ratios above 2.0
    tilesmith bench code_sizes 1.8 "F " sse neon          names with "F ", two targets, ratios above 1.8
    tilesmith bench code_sizes 2.0 fused moved avx2       two kinds of kernels, one target

The kinds are products, elementwise, fused, moved and traced. Elementwise kernels and products of one target take some
10 s each, all kernels of all targets over 15 minutes.

A line shows the target, the kernel, its bytes, and for each of ROWS the bytes of a kernel for that number and the
ratio. Nothing is executed. TILESMITH_CACHE=0 shows the code of changed sources.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import tilesmith as ts
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table

ROWS = (64, 100, 256, 1000)
WIDTHS = (16, 100, 384)
SHAPES = ((64, 64), (48, 32), (256, 64), (100, 100), (512, 256), (16, 16), (17, 33), (1, 64), (4, 512))
PRODUCTS: tuple[tuple[Any, dict[str, str]], ...] = (
    ("f32", {}), ("f64", {}), ("bf16", {}), ("f16", {}), ("f8e5m2", {}), ("f8e4m3", {}), ("i8", {}), ("i16", {}),
    (("bf16", "bf16", "f32"), {}), (("bf16", "bf16", "f32"), {"packed": "vnni"}), ("bf16", {"packed": "vnni"}),
    (("f16", "f16", "f32"), {}), (("f16", "f16", "f32"), {"packed": "vnni"}),
    (("u8", "i8", "i32"), {}), (("u8", "i8", "i32"), {"packed": "vnni"}), (("u8", "i8", "f32"), {"packed": "vnni"}),
    (("i8", "i8", "i32"), {"packed": "vnni"}), (("i16", "i16", "i32"), {"packed": "vnni"}),
)
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


def products() -> Iterator[tuple[str, Make]]:
    """Yield products with rows of C from the call in order "C", and columns in order "F"."""
    for (dtype, more), (n, k) in product(PRODUCTS, SHAPES):
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


TRACED: dict[str, Callable[..., Any]] = {
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
                                order=order) for order in "CF" for name, function in TRACED.items())
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


def measured(run: Run, name: str, make: Make, target: str) -> Row | None:
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


def _cases(words: list[str]) -> Iterator[tuple[str, Make, str]]:
    """Yield the kernels of the words: targets, kinds, or parts of the names, all of which a name must have."""
    targets = [each for each in words if each in ts.targets()]
    kinds = [each for each in words if each in KINDS]
    parts = [each for each in words if each not in (*targets, *kinds)]
    for target in targets or tuple(ts.targets()):
        for kind in kinds or KINDS:
            yield from ((name, make, target) for name, make in KINDS[kind]() if all(part in name for part in parts))


BENCH = Bench("code_sizes", __doc__, lambda run: [
    Table("sizes", "target; kernel; bytes:0" + "".join(f"; {m} rows={m}:0; ratio=by {m}:2" for m in ROWS),
          _cases(run.options.words), measured)],
    {"least": {"nargs": "?", "type": float, "default": 2.0}, "words": {"nargs": "*"}}, alone=False,
    quick=("2.0", "fused", "avx2"))
