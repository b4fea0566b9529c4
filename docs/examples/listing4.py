"""PARLOOPER's listing 4: a convolution of blocked images as seven loops around one product, for every stride.

    python docs/examples/listing4.py

Images are blocked by channels, I[N][Cb][H][W][bc], weights W[Kb][Cb][R][S][bc][bk], results O[N][Kb][P][Q][bk]. The
loops are a to g: images, blocks of channels, blocks of filters, rows and columns of the result, rows and columns of the
filter. A product takes some blocks of channels and some taps at once, a batch of three levels. Its rows are pixels of
the image, `stride` pixels apart. Padding is a rim of zeros around the images, into which `blocks` copies them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tilesmith as ts


def blocks(x: Any, size: int, padding: int = 0) -> Any:
    """Return images (N, C, H, W) as (N, C / size, H, W, size), with zeros around them."""
    n, c, high, wide = x.shape
    made = np.zeros((n, c // size, high + 2 * padding, wide + 2 * padding, size), x.dtype)
    inside = made[:, :, padding : padding + high, padding : padding + wide]
    inside[...] = x.reshape(n, c // size, size, high, wide).transpose(0, 1, 3, 4, 2)
    return made


def filters(w: Any, bc: int, bk: int) -> Any:
    """Return weights (K, C, R, S) as (K / bk, C / bc, R, S, bc, bk)."""
    k, c, r, s = w.shape
    return np.ascontiguousarray(w.reshape(k // bk, bk, c // bc, bc, r, s).transpose(0, 2, 4, 5, 3, 1))


def listing4(
    x: tuple[int, ...], w: tuple[int, ...], stride: int = 1, at_once: tuple[int, int, int] | None = None
) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """Return the loops, the body and the operands of a convolution of blocked images x, with their rims, by blocked
    weights w.

    at_once   how many blocks of channels, rows and columns of the filter a product adds up; None: all of them
    """
    (n, cb, high, wide, bc), (kb, _, r, s, _, bk) = x, w
    p, q = (high - r) // stride + 1, (wide - s) // stride + 1
    some = at_once or (cb, r, s)
    line, tap = wide * bc, bc * bk
    apart = ((high * line, r * s * tap), (line, s * tap), (bc, tap))  # elements of I and of W, for each level
    zero = ts.unary("zero", q, bk)
    product = ts.brgemm(q, bk, bc, lda=stride * bc, batch=some, strides=apart)

    def body(i: Any, x: Any, w: Any, y: Any) -> None:
        to = y[i.a, i.c, i.d, i.e, 0]
        with ts.when(i.b.first), ts.when(i.f.first), ts.when(i.g.first):
            zero(to, to)
        product(x[i.a, i.b, stride * i.d + i.f, stride * i.e + i.g, 0], w[i.c, i.b, i.f, i.g, 0, 0], to)

    loops = {"a": (0, n, 1), "b": (0, cb, some[0]), "c": (0, kb, 1), "d": (0, p, 1), "e": (0, q, q)}
    loops |= {"f": (0, r, some[1]), "g": (0, s, some[2])}
    return loops, body, {"x": (x, "f32"), "w": (w, "f32"), "y": ((n, kb, p, q, bk), "f32")}


def main() -> None:
    """Convolve with several strides, paddings and strings, compare with `ts.conv2d`, and tune one of them."""
    rng = np.random.default_rng(0)
    for taps, stride, padding in ((3, 1, 1), (3, 2, 1), (1, 2, 0), (7, 2, 3), (5, 3, 0)):
        x, w = (rng.standard_normal(each).astype(np.float32) for each in ((2, 32, 14, 14), (64, 32, taps, taps)))
        image, panels = blocks(x, 16, padding), filters(w, 16, 32)
        expected = ts.conv2d(x, w, stride=stride, padding=padding)
        for string, at_once in (("ACbdefg", None), ("aCDbefg", (1, 1, 1)), ("ADCfgbe", (2, 1, taps))):
            loops, body, operands = listing4(image.shape, panels.shape, stride, at_once)
            nest = ts.nest(string, loops, body, **operands)
            y = np.empty(nest.operands[-1].shape, np.float32)
            nest(image, panels, y)
            found = y.transpose(0, 1, 4, 2, 3).reshape(expected.shape)
            assert np.abs(found - expected).max() < 1e-3
        print(f"{taps} x {taps} taps, stride {stride}, padding {padding}: {len(loops)} loops, 3 strings")
    best = ts.tune(ts.convolution_rules(), loops, body, most=12, measure=2, samples=1, **operands)
    best.nest(image, panels, y)
    assert np.abs(y.transpose(0, 1, 4, 2, 3).reshape(expected.shape) - expected).max() < 1e-3
    print(f"tuned: {best.nest.spec.string}")


if __name__ == "__main__":
    main()
