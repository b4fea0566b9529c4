"""Measure the cost of an epilogue: kernels with one beside the plain kernel, in one run, as multiples of its time.

tilesmith bench epilogue
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import address_of, numpy_dtype
from tilesmith.runtime.bench.measure import NativeCall
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.host import detect as host

SIZES = ((8, None), (16, None), (64, None), (64, 16))
"""The sizes of square matrices, and of their batch."""
TYPES: dict[str, tuple[Any, Any, str]] = {
    "f32": ("f32", "f32", "f32"), "bf16": ("bf16", "bf16", "bf16"),
    "u8 x i8": (("u8", "i8", "i32"), ("u8", "i8", "i8"), "f32"),
}
"""The dtypes of the plain kernel, of the kernel with an epilogue, and of the epilogue's operands."""
ACTIVATIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "bias + relu": ("fast", lambda c, bias: ts.relu(c + bias)),
    "bias + gelu": ("fast", lambda c, bias: ts.gelu(c + bias)),
    "bias + gelu, accurate": ("accurate", lambda c, bias: ts.gelu(c + bias)),
    "bias + relu, its mask": ("fast", lambda c, bias: (ts.relu(c + bias), c + bias > 0)),
    "bias + relu, what was before": ("fast", lambda c, bias: (ts.relu(c + bias), c + bias)),
    "bias + relu, sums and squares of columns": ("fast", lambda c, bias: (
        ts.relu(c + bias), ts.statistic("sum", c + bias), ts.statistic("squares", c + bias))),
    "bias + dropout, its mask": ("fast", lambda c, bias: ts.dropout_mask(c + bias, 0.1)),
}
QUANTIZE: dict[str, tuple[str, Callable[..., Any]]] = {"scale, zero point": ("fast", lambda c, bias: c * bias + 3)}


def values(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return operands of ordinary magnitude."""
    to = numpy_dtype(dtype)
    drawn = rng.integers(0, 100, shape) if to.kind in "iu" else rng.standard_normal(shape)
    return np.asarray(drawn).astype(to)


def measured(run: Run, target: str | None, name: str, size: int, batch: int | None) -> Iterator[Row]:
    plain_type, fused_type, extra = TYPES[name]
    rng, pairs = np.random.default_rng(1), () if batch is None else (batch,)
    plain = ts.brgemm(size, size, size, dtype=plain_type, batch=batch, beta=0, target=target)
    a, b, c = (values(each, shape, rng) for each, shape in zip(
        plain.spec.dtypes, ((*pairs, size, size), (*pairs, size, size), (size, size))))
    bias = values(extra, (size,), rng)
    kernels: dict[str, tuple[Any, tuple[Any, ...]]] = {"plain": (plain, (a, b, c))}
    for what, (accuracy, function) in (QUANTIZE if name == "u8 x i8" else ACTIVATIONS).items():
        fused = ts.brgemm(size, size, size, dtype=fused_type, batch=batch, beta=0, target=target, epilogue=function,
                          operands={"bias": ("row", extra)}, accuracy=accuracy)
        more = [np.zeros(result.shape, numpy_dtype(result.dtype)) for result in fused.spec.results]
        seed = [7 for _ in fused.spec.numbers]
        kernels[what] = fused, (a, b, values(fused.spec.dtype, (size, size), rng), bias, *seed, *more)
    best = run.turns({what: NativeCall(kernel.address, tuple(
        each if isinstance(each, int) else address_of(each) for each in arrays), (kernel, arrays))
        for what, (kernel, arrays) in kernels.items()})
    for what, seconds in best.items():
        yield {"target": target or "host", "type": name, "shape": f"{size}^3" + (f" b{batch}" if batch else ""),
               "epilogue": what, "seconds": seconds, "by plain": seconds / best["plain"]}


def _cases() -> Iterator[tuple[Any, ...]]:
    for target in (None, *(name for name in ("avx512", "avx2", "neon") if not host.runs(host.resolve(name)))):
        yield from ((target, name, *size) for name in TYPES for size in SIZES)


BENCH = Bench("epilogue", __doc__, lambda run: [
    Table("epilogues", "target; type; shape; epilogue; ns=seconds:0n; by plain:3", _cases(), measured)], seconds=0.4,
    quick=("--seconds", "0.05"))
