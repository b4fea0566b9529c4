"""Measure the largest errors of softmax, norms and sums over many rows, compared with x86's 80-bit arithmetic.

python -m tests.ulp.fused [rows of each kind] [targets]

Rows of softmax have 1 to 4096 elements: standard normal times 0.1 to 40, shifted by -200 to 10^6, or all equal except
the first one, which is larger by up to 100. In half of the latter, the difference is nearly a multiple of log 2: the
powers are just above or below a power of two, and an f32 sum near 1 loses half of its last bit with each of them,
always in the same direction. Targets that this machine does not run are emulated. Errors are in ulp of the result; the
ulp of a denormal result is the smallest number of the type.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import tilesmith as ts
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host import detect as host


class Format(NamedTuple):
    """A float type: its numpy type, the bits of its fraction, and the smallest exponent of a normal number."""

    numpy: Any
    fraction: int
    least: int


FORMATS = {
    "f32": Format(np.float32, 23, -126),
    "f64": Format(np.float64, 52, -1022),
    "bf16": Format(ml_dtypes.bfloat16, 7, -126),
    "f16": Format(np.float16, 10, -14),
}
WIDTHS, SHIFTS, COLUMNS = (0.1, 1.0, 10.0, 40.0), (0.0, 100.0, -200.0, 1e4, 1e6), (1, 7, 64, 384, 1024, 4096)


def peaks(rows: int, columns: int, fraction: int) -> Any:
    """Return rows of equal elements after a larger one. `fraction` is the number of fraction bits of the sum for which
    the loss is largest."""
    x = np.zeros((rows, columns))
    x[: rows // 2, 0] = np.linspace(0, 100, rows // 2)
    places = np.arange(rows - rows // 2)
    x[rows // 2 :, 0] = np.log(2) * (fraction + 1 - places % 6) * (1 + (places // 6 - rows / 24 + 0.5) * 2.0**-19)
    return x


def inputs(rows: int, dtype: str = "f32") -> Iterator[Any]:
    """Yield input matrices of a type."""
    rng = np.random.default_rng(0)
    shifts = [shift for shift in SHIFTS if shift < 65504 or dtype != "f16"]
    for columns in COLUMNS:
        for width in WIDTHS:
            for shift in shifts:
                yield (rng.standard_normal((rows, columns)) * width + shift).astype(FORMATS[dtype].numpy)
        yield peaks(rows, columns, 52 if dtype == "f64" else 23).astype(FORMATS[dtype].numpy)


def softmax_ulp(x: Any, found: Any, dtype: str = "f32") -> float:
    """Return the largest error, in ulp of the result."""
    wide = x.astype(np.longdouble)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    wanted = powers / powers.sum(axis=1, keepdims=True)
    _, fraction, least = FORMATS[dtype]
    exponents = np.maximum(np.frexp(wanted)[1] - 1, least)
    return float(np.max(abs(found.astype(np.longdouble) - wanted) / np.ldexp(np.longdouble(1), exponents - fraction)))


def worst_softmax(target: str, accuracy: str, rows: int, dtype: str = "f32") -> float:
    """Return the largest error over all inputs. The kernel is emulated if this machine lacks the target."""
    worst = 0.0
    for x in inputs(rows, dtype):
        kernel = ts.fused("softmax", *x.shape, dtype=dtype, accuracy=accuracy, target=target)
        y = np.empty_like(x)
        (kernel.run if host.runs(kernel.target) else kernel)(x, y)
        worst = max(worst, softmax_ulp(x, y, dtype))
    return worst


def layernorm_error(ratio: float, accuracy: str, target: str, columns: int) -> tuple[float, float]:
    """Return errors of layernorm for rows whose mean is `ratio` standard deviations, relative to the largest result:
    the kernel's error, including that of the rounded mean, and the error of an f32 norm that subtracts the mean rounded
    to f32."""
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((64, columns)) + ratio).astype(np.float32)
    ones, zeros = np.ones(columns, np.float32), np.zeros(columns, np.float32)
    kernel = ts.fused("layernorm", *x.shape, accuracy=accuracy, target=target)
    found = np.empty_like(x)
    (kernel.run if host.runs(kernel.target) else kernel)(x, ones, zeros, found)
    wide = x.astype(np.longdouble)

    def norm(middle: Any) -> Any:
        return middle / np.sqrt((middle**2).mean(axis=1, keepdims=True) + 1e-5)

    mean = wide.mean(axis=1, keepdims=True)
    wanted, plain = norm(wide - mean), norm(wide - mean.astype(np.float32))
    return float(abs(found - wanted).max() / abs(wanted).max()), float(abs(plain - wanted).max() / abs(wanted).max())


def other_errors(target: str, accuracy: str, rows: int) -> tuple[float, float, float]:
    """Return the largest errors, with u = 2^-24: of log_softmax in u of the larger of |result| and 1; of rmsnorm in u
    of the result; of sums of rows in n u of the sum of magnitudes."""
    worst = np.zeros(3)
    for x in inputs(rows):
        wide, columns = x.astype(np.longdouble), x.shape[1]
        below = wide - wide.max(axis=1, keepdims=True)
        logs = below - np.log(np.exp(below).sum(axis=1, keepdims=True))
        normed = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + np.longdouble(1e-6))
        magnitudes = np.maximum(columns * abs(wide).sum(axis=1, keepdims=True), 2.0**-100)
        sizes = np.maximum(1, abs(logs)), np.maximum(abs(normed), 2.0**-100), magnitudes
        kernels = (
            ts.fused("log_softmax", *x.shape, accuracy=accuracy, target=target),
            ts.fused("rmsnorm", *x.shape, accuracy=accuracy, target=target),
            ts.equation(lambda x: ts.sum(x, axis=1), x=x.shape, accuracy=accuracy, target=target),
        )
        given: tuple[list[Any], ...] = ([x], [x, np.ones(columns, np.float32)], [x])
        for at, exact in enumerate((logs, normed, wide.sum(axis=1, keepdims=True))):
            found, kernel = np.empty(exact.shape, np.float32), kernels[at]
            (kernel.run if host.runs(kernel.target) else kernel)(*given[at], found)
            worst[at] = max(worst[at], float((abs(found - exact) / sizes[at]).max()) * 2**24)
    return float(worst[0]), float(worst[1]), float(worst[2])


def main() -> None:
    """Print a line for each target and accuracy."""
    rows = int(sys.argv[1]) if sys.argv[1:] else 64
    for target in sys.argv[2:] or [name for name in ("avx512", "avx2") if not host.runs(TARGETS[name])]:
        for accuracy in ("standard", "accurate", "fast"):
            worst = [
                f"{dtype} {worst_softmax(target, accuracy, rows, dtype):.2f}"
                for dtype in FORMATS
                if dtype not in _missing(target)
            ]
            print(f"{target}, {accuracy}: softmax, ulp:", ", ".join(worst), flush=True)
            for ratio in (0.0, 1e2, 1e4):
                errors = [layernorm_error(ratio, accuracy, target, columns) for columns in (64, 384, 1024, 4096)]
                most = [max(each) for each in zip(*errors)]
                print(f"    layer norm, mean {ratio:g} deviations: {most[0]:.2e}; mean rounded to f32: {most[1]:.2e}")
            logs, normed, sums = other_errors(target, accuracy, rows)
            print(f"    log_softmax {logs:.1f} u of max(1, |y|), rmsnorm {normed:.1f} u, sums of rows {sums:.2f} n u")


def _missing(target: str) -> tuple[str, ...]:
    """Return the types for which a target has no softmax: SSE and AVX have no f16."""
    return ("f16",) if target in ("sse", "avx") else ()


if __name__ == "__main__":
    main()
