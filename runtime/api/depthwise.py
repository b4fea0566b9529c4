"""The public function of depthwise convolutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...microkernels.depthwise.spec import Epilogue, depthwise_spec
from ...microkernels.functions.accuracies import STANDARD
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from ..kernel.accuracy import Accuracy
    from .typed import DTypeLike, TargetLike


@remembered
def depthwise(
    height: int,
    width: int,
    channels: int,
    taps: int | tuple[int, int] = 3,
    *,
    stride: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] | tuple[tuple[int, int], tuple[int, int]] = 0,
    dilation: int | tuple[int, int] = 1,
    depth: int = 1,
    dtype: DTypeLike | tuple[DTypeLike, DTypeLike, DTypeLike] = "f32",
    pitch: int | None = None,
    ldx: int | None = None,
    ldw: int | None = None,
    ldy: int | None = None,
    epilogue: Epilogue | None = None,
    operands: Mapping[str, object] | None = None,
    accuracy: Accuracy | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Kernel:
    """A kernel k(x, w, y) of a depthwise convolution of one image, or of some of its rows.

        y[p, q, k] = sum over r, s of x[p * stride - top + r * dilation, q * stride - left + s * dilation, k]
                                      * w[r, s, k]

    x (height * width, channels), w (taps, channels), y (pixels, channels): channels are neighbours, as in NHWC. Arrays
    of more axes, such as x (height, width, channels), are taken if all but the last are rows of one matrix.

    taps, stride, dilation   a number, or a pair of one for rows and one for columns; an image of one row is 1-D
    padding   zeros that count as a part of x: a number, (rows, columns), or ((top, bottom), (left, right)). They are
              not in memory, and taps there are not computed
    depth     each result sums so many channels: x has depth * channels of them, and y[.., k] reads channels k,
              channels + k, 2 * channels + k, ...; w (taps, depth, channels). Grouped convolutions are of this form once
              each channel is repeated for the results of its group
    dtype     of x, w and y: "f32", "f64", "bf16", "f16", "i8", "u8", or three of these. Sums are f32, or f64 for f64;
              of integers, whose sums are exact, y is "i32"
    pitch     pixels from one row of x to the next; None: the width
    ldx, ldw, ldy   elements from one pixel or tap to the next; None: dense. Where pixels lie a multiple of 1 KiB apart,
              more of them share sets of L1 than there is place for; a distance of channels + 16 avoids that
    epilogue  a function of the sums and further operands: lambda c, bias: ts.relu(c + bias). Its operands follow w at
              the call, k(x, w, bias, y)
    operands  of the epilogue, by name: "row" (a value for each channel, the default), "col" (for each pixel),
              "scalar", None (for each result), or a pair of one of these and an element type
    accuracy  of functions in the epilogue; target, release_gil as for other kernels

    Raises TypeError or ValueError naming the argument, UnsupportedError with the reason and what would work.
    """
    spec = depthwise_spec(
        height,
        width,
        channels,
        taps,
        stride=stride,
        padding=padding,
        dilation=dilation,
        depth=depth,
        dtype=dtype,
        pitch=pitch,
        ldx=ldx,
        ldw=ldw,
        ldy=ldy,
        epilogue=epilogue,
        operands=operands,
        accuracy=accuracy or STANDARD,
    )
    return shared(spec, target, release_gil)
