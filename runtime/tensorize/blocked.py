"""Quantised convolutions in blocked layouts, as tensor programs: images NCHW[x]c, weights KCRS[y]k[z]c.

The lanes of an instruction are y output channels, and its groups are z input channels that are multiplied and added to
one sum: y = 16 and z = 4 for VPDPBUSD, 4 and 4 for SDOT. (The paper calls them x and y the other way round.) With x = y
the result of a layer is the input of the next one. Channels that do not fill a block are padded with the number that
stands for 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np

from ...microkernels.expr.graph import rint
from ...microkernels.tensorize import expressions as loops
from ...microkernels.tensorize.expressions import LoopAxis, TensorFactor, TensorProgram
from ...microkernels.windows import each_axis
from ..arguments.arrays import Array, as_array
from ..fastcall.foreign import of_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...microkernels.expr.graph import Expr
    from ..api.typed import ArrayLike


def blocked(x: ArrayLike, lanes: int = 16, *, padding: int | Sequence[int] = 0, fill: int = 0) -> Array:
    """Return images (n, c, *extents) in blocks of channels: (n, ceil(c / lanes), *extents with padding, lanes).

    padding   elements before and after each axis of the image, one number or one for each axis
    fill      the value of padding, and of channels that do not fill a block: the zero point of x
    """
    array = as_array("x", of_tensor("x", x))
    n, channels, *extents = array.shape
    around = [padding] * len(extents) if isinstance(padding, int) else [*padding]
    blocks = -(-channels // lanes)
    rims = [(0, 0), (0, blocks * lanes - channels), *((each, each) for each in around)]
    wide = np.pad(array, rims, constant_values=fill)
    return np.ascontiguousarray(np.moveaxis(wide.reshape(n, blocks, lanes, *wide.shape[2:]), 2, -1))


def unblocked(y: ArrayLike, channels: int) -> Array:
    """Return images (n, blocks, *extents, lanes) with channels first, without those that pad a block."""
    array = as_array("y", of_tensor("y", y))
    n, blocks, *extents, lanes = array.shape
    first = np.moveaxis(array, -1, 2).reshape(n, blocks * lanes, *extents)
    return np.ascontiguousarray(first[:, :channels])


def blocked_weights(w: ArrayLike, lanes: int = 16, group: int = 4, *, channels: int = 16) -> Array:
    """Return weights (k, c, *taps) in blocks: (ceil(k / lanes), c / group, *taps, lanes, group), with zeros for
    channels that do not fill a block.

    channels   the channels in a block of the images, a multiple of `group`
    """
    array = as_array("w", of_tensor("w", w))
    k, c, *taps = array.shape
    out, into = -(-k // lanes), -(-c // channels) * channels // group
    wide = np.pad(array, [(0, out * lanes - k), (0, into * group - c), *[(0, 0)] * len(taps)])
    parts = wide.reshape(out, lanes, into, group, *taps)
    return np.ascontiguousarray(np.moveaxis(parts, (1, 3), (-2, -1)))


def blocked_convolution(
    x_shape: Sequence[int],
    w_shape: Sequence[int],
    dtype: tuple[str, str] = ("u8", "i8"),
    *,
    stride: int | Sequence[int] = 1,
    dilation: int | Sequence[int] = 1,
) -> TensorProgram:
    """Return the convolution of blocked images by blocked weights as a tensor program, whose result is blocked, too:
    (n, blocks of k, *extents, lanes), sums in i32.

    x_shape, w_shape   what `blocked` and `blocked_weights` return
    dtype              of the images and the weights
    """
    n, blocks, *extents, channels = x_shape
    out, into, *taps, lanes, group = w_shape
    if len(taps) != len(extents) or not 1 <= len(taps) <= 3:
        raise ValueError(f"w_shape: {len(extents)} axes of taps, as images have of extents, not {len(taps)}")
    if channels % group or into * group != blocks * channels:
        raise ValueError(
            f"w_shape: {into} groups of {group} channels, but images have {blocks} blocks of {channels}; "
            f"blocked_weights(w, {lanes}, {group}, channels={channels})"
        )
    dims = len(taps)
    steps, apart = (each_axis(name, value, dims) for name, value in (("stride", stride), ("dilation", dilation)))
    found = [
        (extent - by * (count - 1) - 1) // step + 1 for extent, count, step, by in zip(extents, taps, steps, apart)
    ]
    if min(found) < 1:
        raise ValueError(f"x_shape: images of {tuple(extents)} are smaller than the window of {tuple(taps)} taps")
    names = " ".join("opq"[-dims:]), " ".join("trs"[-dims:])
    of, ko, *places, ki = _axes(loops.axis(n, out, *found, lanes, names=f"n ko {names[0]} ki"))
    co, *of_taps, cj, e = _axes(loops.reduce_axis(blocks, *taps, channels // group, group, names=f"co {names[1]} cj e"))
    at = (step * p + by * t for step, p, by, t in zip(steps, places, apart, of_taps))
    x, w = loops.tensor(tuple(x_shape), dtype[0]), loops.tensor(tuple(w_shape), dtype[1])
    of_image = (of, co, *at, group * cj + e)
    of_weight = (ko, co * (channels // group) + cj, *of_taps, ki, e)
    images, weights = loops.i32(x[of_image]), loops.i32(w[of_weight])
    return loops.summed(images * weights, (co, *of_taps, cj, e))


def _axes(found: LoopAxis | tuple[LoopAxis, ...]) -> tuple[LoopAxis, ...]:
    return found if isinstance(found, tuple) else (found,)


class Requantization(TypedDict):
    """Arguments of `tensorize` that make sums numbers of 8 bits."""

    dtype: str
    epilogue: Callable[[Expr, Expr, Expr], Expr]
    operands: dict[str, TensorFactor]


def requantized(program: TensorProgram, zero_point: int = 0, dtype: Literal["u8", "i8"] = "u8") -> Requantization:
    """Return the arguments of `tensorize` that make the sums of a blocked convolution numbers of 8 bits again:
    `ts.tensorize(program, **requantized(program, zero_point))`. Calls then have two operands for each output channel,
    blocked as the result's channels are:

        y = round((sum + shift) * scale) + zero_point, to the nearest even number and the nearest value of the type

    shift   i32: the bias minus x's zero point times the sum of the channel's weights
    scale   f32: the scales of x and of the channel's weights, divided by that of y
    """
    data = [loop for loop in program.loops if not loop.reduced]
    ko, ki = data[1], data[-1]

    def element(of: str) -> TensorFactor:
        return loops.tensor((ko.extent, ki.extent), of)[ko, ki]

    def epilogue(c: Expr, shift: Expr, scale: Expr) -> Expr:
        scaled = (c + shift) * scale
        return rint(scaled) + zero_point if zero_point else scaled

    operands = {"shift": element("i32"), "scale": element("f32")}
    return {"dtype": dtype, "epilogue": epilogue, "operands": operands}
