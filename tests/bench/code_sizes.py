"""List kernels for any number of rows whose code is much longer than that for a fixed number.

    python -m tests.bench.code_sizes                            all kernels on all named targets, ratios above 2.0
    python -m tests.bench.code_sizes 1.8 "F " sse neon          names with "F ", two targets, ratios above 1.8
    python -m tests.bench.code_sizes 2.0 fused moved avx2       two kinds of kernels, one target

The kinds are products, elementwise, fused, moved and traced. Elementwise kernels and products of one target take some
10 s each, all kernels of all targets over 15 minutes.

A line shows the target, the kernel, its bytes, and for each of ROWS the bytes of a kernel for that number and the
ratio. Nothing is executed. TILESMITH_CACHE=0 shows the code of changed sources.
"""

from collections.abc import Callable, Iterator
from typing import Any

import tilesmith as ts
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

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
Make = Callable[[Any, str], Any]


def products() -> Iterator[tuple[str, Make]]:
    """Yield products with rows of C from the call in order "C", and columns in order "F"."""
    for dtype, more in PRODUCTS:
        for n, k in SHAPES:
            for order in "CF":
                yield f"brgemm {order} {dtype} {more.get('packed', '')} n {n} k {k}", _product(dtype, more, n, k, order)


def _product(dtype: Any, more: dict[str, str], n: int, k: int, order: Any) -> Make:
    a, b = ("m", "b_layout") if order == "C" else ("n", "a_layout")
    if order == "F" and isinstance(dtype, tuple):
        dtype = (dtype[1], dtype[0], dtype[2])
    request: dict[str, Any] = {"dtype": dtype, "k": k, "beta": 0, "order": order}
    request |= {b: more["packed"]} if more else {}
    other = "n" if a == "m" else "m"
    return lambda m, target: ts.brgemm(**{a: m, other: n}, **request, target=target)


def elementwise() -> Iterator[tuple[str, Make]]:
    """Yield functions of one, two and three matrices of 48 columns."""
    parameters: dict[str, dict[str, Any]] = {
        "dequantize": {"scale": 0.5, "zero": 3}, "quantize": {"scale": 0.5, "zero": 3}, "dropout": {"rate": 0.25},
        "dropout_mask": {"rate": 0.25}, "dropout_inv": {"rate": 0.25},
    }
    for kind, names in ts.primitives().items():
        for name in names:
            own = parameters.get(name, {}) if kind == "unary" or "dropout" in name else {}
            for dtype in ("f32", "f64", "bf16", "f16", "i32", "i8"):
                for order in "CF":
                    request = {"dtype": dtype, "order": order, **own}
                    yield (
                        f"{kind} {name} {order} {dtype}",
                        lambda m, target, f=kind, a=name, r=request: getattr(ts, f)(a, m, 48, target=target, **r),
                    )


def fused() -> Iterator[tuple[str, Make]]:
    """Yield all composites."""
    for name in ts.composites():
        for dtype in ("f32", "f64", "bf16"):
            for order in "CF":
                for n in WIDTHS:
                    more = {"rate": 0.25} if "dropout" in name else {}
                    yield (f"{name} {order} {dtype} n {n}",
                           lambda m, target, a=name, n=n, r={"dtype": dtype, "order": order, **more}:
                           ts.fused(a, m, n, target=target, **r))


def moved() -> Iterator[tuple[str, Make]]:
    """Yield reductions, gathers, scatters and bags."""
    for dtype in ("f32", "f64", "bf16", "i32", "i8"):
        for n in WIDTHS:
            for name in ("sum", "max", "argmax", "absmax", "product"):
                yield (f"reduce {name} {dtype} n {n}",
                       lambda m, target, a=name, n=n, d=dtype:
                       ts.reduce(a, m, n, axis=1, dtype=d, target=target))
            for name in ("gather", "scatter"):
                yield (f"{name} {dtype} n {n}",
                       lambda m, target, f=name, n=n, d=dtype:
                       getattr(ts, f)("rows", m, n, size=1000, dtype=d, target=target))
            for name in ("sum", "mean", "max"):
                yield (f"bag {name} {dtype} n {n}",
                       lambda m, target, a=name, n=n, d=dtype:
                       ts.embedding_bag(m, n, size=1000, count=400, name=a, dtype=d, target=target))


def traced() -> Iterator[tuple[str, Make]]:
    """Yield traced functions with gathers, products, or one reduction."""
    functions: dict[str, Callable[..., Any]] = {
        "x * 2 + x": lambda x: x * 2 + x, "sum of rows": lambda x: ts.sum(x, axis=1),
        "x - sum of rows": lambda x: x - ts.sum(x, axis=1), "x - sum of columns": lambda x: x - ts.sum(x, axis=0),
        "sums of rows and columns": lambda x: (ts.sum(x, axis=1), ts.sum(x, axis=0)),
    }
    for dtype in ("f32", "f64", "bf16"):
        for n in WIDTHS:
            for order in "CF":
                for name, function in functions.items():
                    yield (f"{name} {order} {dtype} n {n}",
                           lambda m, target, f=function, n=n, r={"dtype": dtype, "order": order}:
                           ts.equation(f, x=(m, n), target=target, **r))
            yield (f"x * gather {dtype} n {n}",
                   lambda m, target, n=n, d=dtype:
                   ts.equation(lambda x, t, i: x * ts.gather(t, i), x=(m, n), t=(1000, n), i=(m,),
                               dtype={"x": d, "t": d, "i": "i32"}, out=d, target=target))
        for n, h in ((64, 64), (128, 128), (64, 256), (512, 512)):
            yield (f"gather @ w {dtype} n {n} h {h}",
                   lambda m, target, n=n, h=h, d=dtype:
                   ts.equation(lambda x, i, w: ts.gather(x, i) @ w, x=(1000, n), i=(m,), w=(n, h),
                               dtype={"x": d, "w": d, "i": "i32"}, out=d, target=target))
            yield (f"gelu(x @ w + b) @ v {dtype} n {n} h {h}",
                   lambda m, target, n=n, h=h, d=dtype:
                   ts.equation(lambda x, w, b, v: ts.gelu(x @ w + b) @ v, x=(m, n), w=(n, h), b=(1, h), v=(h, n),
                               dtype=d, target=target))


KINDS: dict[str, Callable[[], Iterator[tuple[str, Make]]]] = {
    each.__name__: each for each in (products, elementwise, fused, moved, traced)
}


def measured(run: Run, name: str, make: Make, target: str) -> Row | None:
    """Return the bytes of a kernel with a ratio above the least, or None. A request that is refused has none."""
    try:
        free = len(make(ts.RUNTIME, target).code)
    except (ts.UnsupportedError, ValueError, TypeError):
        return None
    fixed = {m: len(make(m, target).code) for m in ROWS}
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

if __name__ == "__main__":
    main(BENCH)
