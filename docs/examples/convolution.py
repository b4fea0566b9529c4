"""Convolve images channels last with loop nests around products: on padded images, and with bands of padded rows.

    python docs/examples/convolution.py

A product computes a row of the result for 16 of its channels. Its rows are the pixels of the row, `stride` pixels
apart, and its depth is a row of the filter: S taps lie side by side with their channels, so k = S * C, and neighbouring
rows of A overlap. The R rows of the filter are a batch, whose matrices lie a row of the image apart. Weights are packed
once, (K / 16, R, S * C, 16).

`direct` takes images with their padding. `banded` takes them without: each worker copies the rows that a block of rows
of the result needs into its own scratch memory, between zeros, and computes all channels of the block from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tilesmith as ts

PANEL = 16
"""The channels of the result that a product computes."""
Shape = tuple[int, int, int, int]


def packed(w: Any) -> Any:
    """Return weights (K, C, R, S) as panels of channels, (K / 16, R, S * C, 16)."""
    k, c, r, s = w.shape
    return np.ascontiguousarray(
        w.reshape(k // PANEL, PANEL, c, r, s).transpose(0, 3, 4, 2, 1).reshape(-1, r, s * c, PANEL)
    )


def direct(x: Shape, w: Shape, stride: int = 1, string: str = "NPK") -> Any:
    """Return a nest that convolves images x (N, H, W, C), padding included, with packed weights (K, C, R, S)."""
    (n, high, wide, c), (k, _, r, s) = x, w
    p, q = (high - r) // stride + 1, (wide - s) // stride + 1
    row = ts.brgemm(q, PANEL, s * c, lda=stride * c, ldc=k, batch=(r,), strides=((wide * c, s * c * PANEL),), beta=0)

    def body(i: Any, x: Any, w: Any, y: Any) -> None:
        row(x[i.n, stride * i.p, 0, 0], w[i.k], y[i.n, i.p, 0, PANEL * i.k])

    loops = {"n": (0, n, 1), "p": (0, p, 1), "k": (0, k // PANEL, 1)}
    panels = (k // PANEL, r, s * c, PANEL)
    return ts.nest(string, loops, body, x=(x, "f32"), w=(panels, "f32"), y=((n, p, q, k), "f32"))


def banded(x: Shape, w: Shape, stride: int = 1, padding: int = 1, rows: int = 4, string: str = "NPkr") -> Any:
    """Return a nest that convolves images x (N, H, W, C) with packed weights (K, C, R, S) and zeros around them, in
    blocks of `rows` rows of the result."""
    (n, high, wide, c), (k, _, r, s) = x, w
    p, q = (high + 2 * padding - r) // stride + 1, (wide + 2 * padding - s) // stride + 1
    padded, band = (wide + 2 * padding) * c, (min(rows, p) - 1) * stride + r
    row = ts.brgemm(q, PANEL, s * c, lda=stride * c, ldc=k, batch=(r,), strides=((padded, s * c * PANEL),), beta=0)
    copy, zeros = ts.unary("identity", 1, wide * c), ts.unary("zero", 1, padded)
    rims = ts.unary("zero", 1, padding * c)

    def body(i: Any, x: Any, w: Any, band_: Any, y: Any) -> None:
        with ts.when(i.k.first), ts.when(i.r.first):  # a block of rows begins: fill the band
            for at in range(band):
                line = stride * i.p + (at - padding)  # of the image
                with ts.when(line >= 0), ts.when(line < high):
                    copy(x[i.n, line], band_[at, padding * c])
                    for rim in (0, padded - padding * c) if padding else ():
                        rims(band_[at, rim], band_[at, rim])
                for outside in (line < 0, line >= high):
                    with ts.when(outside):
                        zeros(band_[at, 0], band_[at, 0])
        with ts.when(i.p + i.r < p):  # the last block may have fewer rows
            row(band_[stride * i.r, 0], w[i.k], y[i.n, i.p + i.r, 0, PANEL * i.k])

    loops = {"n": (0, n, 1), "p": (0, p, rows), "k": (0, k // PANEL, 1), "r": (0, min(rows, p), 1)}
    panels = (k // PANEL, r, s * c, PANEL)
    return ts.nest(
        string,
        loops,
        body,
        x=((n, high, wide * c), "f32"),
        w=(panels, "f32"),
        band_=ts.scratch((band, padded), "f32"),
        y=((n, p, q, k), "f32"),
    )


def expected(x: Any, w: Any, stride: int, padding: int) -> Any:
    """Return the convolution by numpy, in f64."""
    x = np.pad(x.astype(np.float64), ((0, 0), (padding, padding), (padding, padding), (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (1, 2))[:, ::stride, ::stride]
    return np.einsum("npqcrs,kcrs->npqk", views, w.astype(np.float64), optimize=True)


def main() -> None:
    """Convolve one layer both ways, and print the largest error beside numpy."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, 56, 56, 64), np.float32), rng.standard_normal((64, 64, 3, 3), np.float32)
    zeros = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    for stride in (1, 2):
        wanted = expected(x, w, stride, 1)
        for nest, given in ((direct(zeros.shape, w.shape, stride), zeros), (banded(x.shape, w.shape, stride), x)):
            y = np.empty(wanted.shape, np.float32)
            nest(given.reshape(nest.operands[0].shape), packed(w), y)
            print(f"{nest.spec.string} stride {stride}: at most {np.abs(y - wanted).max():.1e} from numpy")


if __name__ == "__main__":
    main()
