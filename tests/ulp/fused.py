"""Largest errors of softmax and layer norm over many rows, against x86's 80-bit arithmetic.

python -m tests.ulp.fused [rows of each kind]

Rows of softmax have 1 to 4096 elements: standard normal times 0.1 to 40, shifted by -200 to 10^6, or equal but for one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host import detect as host

SMALL = 2.0**-125  # below it powers are not normal numbers, whose total may be 0.7
WIDTHS, SHIFTS, COLUMNS = (0.1, 1.0, 10.0, 40.0), (0.0, 100.0, -200.0, 1e4, 1e6), (1, 7, 64, 384, 1024, 4096)


def inputs(rows: int) -> Iterator[Any]:
    """Matrices f32."""
    rng = np.random.default_rng(0)
    for columns in COLUMNS:
        for width in WIDTHS:
            for shift in SHIFTS:
                yield (rng.standard_normal((rows, columns)) * width + shift).astype(np.float32)
        peak = np.zeros((rows, columns), np.float32)
        peak[:, 0] = np.linspace(0, 100, rows)
        yield peak


def softmax_ulp(x: Any, found: Any) -> float:
    """The largest error of results from 2^-125 on, in ulp of the result."""
    wide = x.astype(np.longdouble)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    wanted = powers / powers.sum(axis=1, keepdims=True)
    unit = np.exp2(np.floor(np.log2(np.maximum(wanted, SMALL))) - 23)
    return float(np.max(np.where(wanted >= SMALL, abs(found - wanted) / unit, 0)))


def layernorm_error(ratio: float, accuracy: str, target: str, columns: int) -> tuple[float, float]:
    """Of rows whose mean is so many standard deviations, relative to the largest result: with the error of the rounded
    mean, and that of a norm of f32 that subtracts the mean rounded to f32."""
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((64, columns)) + ratio).astype(np.float32)
    ones, zeros = np.ones(columns, np.float32), np.zeros(columns, np.float32)
    found = ts.fused("layernorm", *x.shape, accuracy=accuracy, target=target)(x, ones, zeros)
    wide = x.astype(np.longdouble)

    def norm(middle: Any) -> Any:
        return middle / np.sqrt((middle**2).mean(axis=1, keepdims=True) + 1e-5)

    mean = wide.mean(axis=1, keepdims=True)
    wanted, plain = norm(wide - mean), norm(wide - mean.astype(np.float32))
    return float(abs(found - wanted).max() / abs(wanted).max()), float(abs(plain - wanted).max() / abs(wanted).max())


def main() -> None:
    """A line for each target and accuracy."""
    rows = int(sys.argv[1]) if sys.argv[1:] else 64
    for target in [name for name in ("avx512", "avx2") if not host.runs(TARGETS[name])]:
        for accuracy in ("standard", "accurate", "fast"):
            worst = max(softmax_ulp(x, ts.fused("softmax", *x.shape, accuracy=accuracy, target=target)(x))
                        for x in inputs(rows))  # fmt: skip
            print(f"{target}, {accuracy}: softmax {worst:.2f} ulp", flush=True)
            for ratio in (0.0, 1e2, 1e4):
                errors = [layernorm_error(ratio, accuracy, target, columns) for columns in (64, 384, 1024, 4096)]
                most = [max(each) for each in zip(*errors)]
                print(f"    layer norm, mean {ratio:g} deviations: {most[0]:.2e}; mean rounded to f32: {most[1]:.2e}")


if __name__ == "__main__":
    main()
