"""Measure the cost of an epilogue: kernels with one beside the plain kernel, in one run.

python -m tests.bench.epilogue
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench import measure
from tilesmith.runtime.host import detect as host

SIZES = ((8, None), (16, None), (64, None), (64, 16))
"""The sizes of square matrices, and of their batch."""
SECONDS = 0.4
TYPES: dict[str, tuple[Any, Any, str]] = {
    "f32": ("f32", "f32", "f32"),
    "bf16": ("bf16", "bf16", "bf16"),
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
}  # fmt: skip
QUANTIZE: dict[str, tuple[str, Callable[..., Any]]] = {"scale, zero point": ("fast", lambda c, bias: c * bias + 3)}


def values(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return operands of ordinary magnitude."""
    to = numpy_dtype(dtype)
    drawn = rng.integers(0, 100, shape) if to.kind in "iu" else rng.standard_normal(shape)
    return np.asarray(drawn).astype(to)


def _integer(argument: Any) -> int:
    return argument if isinstance(argument, int) else int(argument.ctypes.data)


def report(target: str | None, name: str, size: int, batch: int | None) -> None:
    """Print the line for one shape, type and target."""
    plain_type, fused_type, extra = TYPES[name]
    rng, pairs = np.random.default_rng(1), () if batch is None else (batch,)
    plain = ts.brgemm(size, size, size, dtype=plain_type, batch=batch, beta=0, target=target)
    a, b, c = (values(each, shape, rng) for each, shape in zip(
        plain.spec.dtypes, ((*pairs, size, size), (*pairs, size, size), (size, size))))  # fmt: skip
    bias = values(extra, (size,), rng)
    kernels: dict[str, tuple[Any, tuple[Any, ...]]] = {"plain": (plain, (a, b, c))}
    for what, (accuracy, function) in (QUANTIZE if name == "u8 x i8" else ACTIVATIONS).items():
        fused = ts.brgemm(size, size, size, dtype=fused_type, batch=batch, beta=0, target=target, epilogue=function,
                          operands={"bias": ("row", extra)}, accuracy=accuracy)  # fmt: skip
        more = [np.zeros(result.shape, numpy_dtype(result.dtype)) for result in fused.spec.results]
        seed = [7 for _ in fused.spec.numbers]
        kernels[what] = fused, (a, b, values(fused.spec.dtype, (size, size), rng), bias, *seed, *more)
    contenders = {
        what: measure.NativeCall(kernel.address, tuple(map(_integer, arrays)), (kernel, arrays))
        for what, (kernel, arrays) in kernels.items()
    }
    with measure.one_cpu():
        timings = measure.seconds_per_call(contenders, SECONDS)
    least = timings.pop("plain").best
    costs = ", ".join(f"{what} {timing.best / least:.3f}" for what, timing in timings.items())
    print(f"{target or 'host':12} {name:8} {size}^3 batch {batch}: plain {least * 1e9:.0f} ns; {costs}", flush=True)


def main() -> None:
    """Print every type and size, for all targets that this processor runs."""
    for target in (None, *(name for name in ("avx512", "avx2", "neon") if not host.runs(host.resolve(name)))):
        for name in TYPES:
            for size, batch in SIZES:
                report(target, name, size, batch)


if __name__ == "__main__":
    main()
