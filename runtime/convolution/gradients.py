"""The gradients of convolutions and of transposed ones by their data, weights and bias: `conv2d_backward`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..arguments.arrays import Array, address_of, as_array
from ..arguments.foreign_arrays import returned
from ..arguments.infer import check_gradient_types, one_or_all, type_of, wanted_of
from ..arguments.layouts import like, lying, new
from ..contraction.arrays import summed, taken
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import CallsAlike
from ..ops.sums import sums_over
from ..threads.policy import workers_of
from ..walks.permute import copy
from . import forms, phases
from .functions import for_axes, is_key, layer_of
from .geometry import ConvolutionWindow, Geometry
from .layouts import order_of, readable
from .request import ConvolutionRequest

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import ArrayLike, Padding, PerAxis, TargetLike

Gradient = Callable[["Array", "Array", "Array", int], "Array"]
"""What computes a gradient from dy, x and w, with a number of threads."""

_FOUND = CallsAlike[tuple[Gradient, ...]]()
"""What computes the gradients of a call, by its parameters, and the types, shapes and strides of its arrays."""


def _gradients(
    name: str,
    dims: int,
    window: ConvolutionWindow,
    arrays: tuple[ArrayLike, ArrayLike, ArrayLike],
    wanted: str | Sequence[str],
    threads: int | None,
    target: TargetLike,
) -> ArrayLike:
    """Return the gradients of a call of the function of this name, of images with so many axes."""
    dy, x, w = (
        each if type(each) is np.ndarray else as_array(n, of_tensor(n, each))
        for n, each in zip(("dy", "x", "w"), arrays)
    )
    key = None
    if is_key((*window, wanted)) and (target is None or type(target) is str):
        lie = dy.dtype, dy.shape, dy.strides, x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides
        key = (name, window, wanted, target, *lie)
    found = _FOUND.find(key)
    if found is None:
        found = _planned(name, dims, window, (dy, x, w), wanted_of(wanted), target)
        _FOUND.keep(key, found)
    workers = workers_of(threads, None)
    made = tuple(each(dy, x, w, workers) for each in found)
    if not (arrays[0] is dy and arrays[1] is x and arrays[2] is w):
        made = tuple(returned(each, arrays) for each in made)
    return one_or_all(wanted, made)


def _planned(
    name: str,
    dims: int,
    window: ConvolutionWindow,
    arrays: tuple[Array, Array, Array],
    wanted: Sequence[str],
    target: TargetLike,
) -> tuple[Gradient, ...]:
    """Return what computes each gradient, after a check of the arguments."""
    (dy, x, w), backwards = arrays, window.backwards
    if x.ndim != dims + 2:
        raise ValueError(f"x: {dims + 2} axes, not shape {x.shape}")
    geometry = window.of(x.shape, w.shape, name)
    if dy.shape != (geometry.x if backwards else geometry.y):
        shape = geometry.x if backwards else geometry.y
        raise ValueError(f"dy: shape {shape}, that of the result, not {dy.shape}")
    types = {each: type_of(each, array) for each, array in (("dy", dy), ("x", x), ("w", w))}
    check_gradient_types(types)
    if 0 in (dy.size, x.size, w.size):
        shapes_of = {"dx": x.shape, "dw": w.shape, "db": dy.shape[1:2]}
        return tuple(partial(_zeros, shapes_of[each], x.dtype) for each in wanted)
    asked = geometry, backwards, dy, x, w, host.resolve(target)
    return tuple({"dx": _by_data, "dw": _by_weights, "db": _by_bias}[each](*asked) for each in wanted)


def _zeros(shape: tuple[int, ...], dtype: np.dtype[np.generic], dy: Array, x: Array, w: Array, workers: int) -> Array:
    return np.zeros(shape, dtype)


def _by_data(g: Geometry, backwards: bool, dy: Array, x: Array, w: Array, target: Target) -> Gradient:
    """Return what computes the gradient by the data, which lies like x: the transposed convolution of dy, or that by
    which a transposed one is defined."""
    dtype = type_of("x", x)
    result, of_w = like(x.shape, order_of(x), dtype), like(w.shape, range(w.ndim), dtype)
    seen = readable(dy)
    request = ConvolutionRequest.of(g, not backwards, (lying(seen), of_w, result), target)
    layer, copied = layer_of(request), seen is not dy

    def gradient(dy: Array, x: Array, w: Array, workers: int) -> Array:
        made, slope = new(x.shape, result), taken(dy, copied)
        layer.on(address_of(slope), w, address_of(made), (), workers)
        return made

    return gradient


def _by_weights(g: Geometry, backwards: bool, dy: Array, x: Array, w: Array, target: Target) -> Gradient:
    """Return what computes the gradient by the weights, with channels last in memory."""
    if not backwards and phases.worth(g, dy, x, target):
        return phases.PhasedGradient(g, dy, x, target)
    result = like(w.shape, (0, *range(2, w.ndim), 1), type_of("w", w))
    given = (x, dy) if backwards else (dy, x)
    seen = [readable(each) for each in given]
    copied = [one is not other for one, other in zip(seen, given)]
    kernel = summed(forms.by_weights(g, lying(seen[0]), lying(seen[1]), result), target, "conv_by_weights")

    def gradient(dy: Array, x: Array, w: Array, workers: int) -> Array:
        made = new(w.shape, result)
        kernel.on((x, dy) if backwards else (dy, x), copied, made, workers)
        return made

    return gradient


def _by_bias(g: Geometry, backwards: bool, dy: Array, x: Array, w: Array, target: Target) -> Gradient:
    """Return what computes the sums of the channels over all images and places, in one order whatever the layout."""

    def gradient(dy: Array, x: Array, w: Array, workers: int) -> Array:
        rows = np.moveaxis(dy, 1, -1)
        if not rows.flags.c_contiguous:
            rows = np.empty(rows.shape, rows.dtype)
            copy(np.moveaxis(readable(dy), 1, -1), rows, workers, host.resolve(None))
        return sums_over(range(dy.ndim - 1), rows)

    return gradient


def _conv_backward(
    dims: int,
    dy: ArrayLike,
    x: ArrayLike,
    w: ArrayLike,
    *,
    stride: PerAxis = 1,
    padding: Padding = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
    wanted: str | Sequence[str] = "dx dw db",
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    window = ConvolutionWindow(stride, padding, dilation, groups)
    return _gradients(f"conv{dims}d_backward", dims, window, (dy, x, w), wanted, threads, target)


def _conv_transpose_backward(
    dims: int,
    dy: ArrayLike,
    x: ArrayLike,
    w: ArrayLike,
    *,
    stride: PerAxis = 1,
    padding: Padding = 0,
    output_padding: PerAxis = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
    wanted: str | Sequence[str] = "dx dw db",
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    window = ConvolutionWindow(stride, padding, dilation, groups, output_padding)
    return _gradients(f"conv_transpose{dims}d_backward", dims, window, (dy, x, w), wanted, threads, target)


_LIKE = """Return the gradients (dx, dw, db) of a convolution: see `conv2d_backward`."""
_DOC = """Return the gradients of `conv2d` by its data, weights and bias, given that by its result.

    dx, dw, db = conv2d_backward(dy, x, w, padding=1)

dy, x, w   the gradient by the result, the images and the weights, of one type: f32, f64, bf16 or f16
stride, padding, dilation, groups   as `conv2d` got them
wanted     which gradients, in the order of the result: "dx db" for a tuple of two, "dw" for that array by itself, and
           ["dw"] for a tuple of one
threads    the number of threads; None: ts.num_threads(). Any number gives the same bits

dx has the order of x in memory. dw has the shape of w; in memory its channels are last, (k, rows, columns, c), as
torch's channels_last. Without images they are zeros. The sum over images and places is added up in parts that follow
from the shapes, in f32 for 16-bit types (f64 for f64), and rounded once. Source: Georganas et al., Tensor Processing
Primitives, section 5.2.
"""
conv1d_backward, conv2d_backward, conv3d_backward = for_axes(
    _conv_backward, "conv{dims}d_backward", {1: _LIKE, 2: _DOC, 3: _LIKE}
)
_TRANSPOSED = """Return the gradients of a transposed convolution by data, weights and bias, given that by its result.

    dx, dw, db = {name}(dy, x, w, stride=2)

See `conv2d_backward`.

stride, padding, output_padding, dilation, groups   as `{forward}` got them

dx is the convolution of dy by w. dw has the shape of w (c, k / groups, *taps), with its second axis last in memory.
"""
_BACK = {
    dims: _TRANSPOSED.format(name=f"conv_transpose{dims}d_backward", forward=f"conv_transpose{dims}d")
    for dims in (1, 2, 3)
}
conv_transpose1d_backward, conv_transpose2d_backward, conv_transpose3d_backward = for_axes(
    _conv_transpose_backward, "conv_transpose{dims}d_backward", _BACK
)
