"""The gradients of convolutions by their data, weights and bias: `conv2d_backward`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np

from ...microkernels.errors import UnsupportedError
from ..api.reduce import reduce
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype
from ..arguments.foreign_arrays import returned
from ..contraction.arrays import Summed
from ..contraction.form import Contraction
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import RECENT
from ..threads.policy import workers_of
from . import forms
from . import geometry as shapes
from .functions import for_axes, layer_of, like, lying, order_of, readable
from .geometry import Geometry
from .layer import ConvolutionRequest, new, type_of

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import ArrayLike, DType, Padding, PerAxis, TargetLike

WANTED = "dx", "dw", "db"
TYPES = "f32", "f64", "bf16", "f16"


@lru_cache(maxsize=RECENT)
def _summed(contraction: Contraction, target: Target) -> Summed:
    return Summed(contraction, target, "conv_by_weights")


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
    wanted: str = "dx dw db",
    threads: int | None = None,
    target: TargetLike = None,
) -> tuple[ArrayLike, ...]:
    asked = wanted.split() if isinstance(wanted, str) else list(wanted)
    if not asked or not set(asked) <= set(WANTED):
        raise ValueError(f"wanted: some of {', '.join(WANTED)}, as one string, not {wanted!r}")
    slope, data, weights = (as_array(n, of_tensor(n, v)) for n, v in (("dy", dy), ("x", x), ("w", w)))
    if data.ndim != dims + 2:
        raise ValueError(f"x: {dims + 2} axes, not shape {data.shape}")
    geometry = shapes.forward(data.shape, weights.shape, stride, padding, dilation, groups, f"conv{dims}d_backward")
    if slope.shape != geometry.y:
        raise ValueError(f"dy: shape {geometry.y}, that of the result, not {slope.shape}")
    types = {each: type_of(each, array) for each, array in (("dy", slope), ("x", data), ("w", weights))}
    if len(set(types.values())) > 1 or types["x"] not in TYPES:
        raise UnsupportedError(f"dy, x, w: of one type, {', '.join(TYPES)}, not {', '.join(types.values())}")
    if 0 in slope.shape or 0 in data.shape or 0 in weights.shape:
        raise UnsupportedError("dy, x, w: without elements there are no gradients; they are zeros of the shapes")
    workers, resolved = workers_of(threads, None), host.resolve(target)
    made: dict[str, Array] = {}
    for each in asked:
        if each == "dx":
            made[each] = _by_data(geometry, readable(slope), weights, data, workers, resolved)
        elif each == "dw":
            made[each] = _by_weights(geometry, readable(slope), readable(data), weights, workers, resolved)
        else:
            made[each] = _by_bias(slope)
    return tuple(returned(made[each], (dy, x, w)) for each in asked)


def _by_data(g: Geometry, dy: Array, w: Array, x: Array, workers: int, target: Target) -> Array:
    """Return the gradient by the data, which lies like x."""
    result = like(g.x, order_of(x), type_of("x", x))
    of_w = like(w.shape, range(w.ndim), type_of("w", w))
    layer = layer_of(ConvolutionRequest(g, True, lying(dy), of_w, result, 0, None, (), None, None, target))
    made = new(g.x, result)
    layer(dy, layer.pack(w), out=made, threads=workers)
    return made


def _by_weights(g: Geometry, dy: Array, x: Array, w: Array, workers: int, target: Target) -> Array:
    """Return the gradient by the weights, with channels last in memory. Sums of 16-bit types are f32 until the end."""
    dtype = type_of("w", w)
    sums = "f64" if dtype == "f64" else "f32"
    result = like(w.shape, (0, *range(2, w.ndim), 1), sums)
    kernel = _summed(forms.by_weights(g, lying(dy), lying(x), result), target)
    made = new(w.shape, result)
    kernel.at([address_of(each) for each in (dy, x, made)], workers)
    return made if sums == dtype else made.astype(numpy_dtype(dtype))


def _by_bias(dy: Array) -> Array:
    """Return the sums of the channels over all images and places."""
    dtype, channels = cast("DType", type_of("dy", dy)), dy.shape[1]
    sums: DType = "f64" if dtype == "f64" else "f32"
    last = np.moveaxis(dy, 1, -1)
    places = dy.size // channels
    found: Array
    if last.flags.c_contiguous:
        rows = last.reshape(places, channels)
        found = np.asarray(reduce("sum", places, channels, axis=0, dtype=dtype, out=sums)(rows))
        found = found.reshape(channels)
    else:
        lines = np.ascontiguousarray(dy).reshape(dy.shape[0] * channels, places // dy.shape[0])
        found = np.asarray(reduce("sum", *lines.shape, axis=1, dtype=dtype, out=sums)(lines))
        found = found.reshape(dy.shape[0], channels).sum(axis=0)
    return np.asarray(found.astype(dy.dtype))


_LIKE = """Return the gradients (dx, dw, db) of a convolution: see `conv2d_backward`."""
_DOC = """Return the gradients of `conv2d` by its data, weights and bias, given that by its result.

    dx, dw, db = conv2d_backward(dy, x, w, padding=1)

dy, x, w   the gradient by the result, the images and the weights, of one type: f32, f64, bf16 or f16
stride, padding, dilation, groups   as `conv2d` got them
wanted     which gradients, in the order of the result: "dx dw db", "dw"
threads    the number of threads; None: ts.num_threads(). Any number gives the same bits

dx has the order of x in memory. dw has the shape of w; in memory its channels are last, (k, rows, columns, c), as
torch's channels_last. The sum over images and places is added up in parts that follow from the shapes, in f32 for
16-bit types (f64 for f64), which are rounded once. Source: Georganas et al., Tensor Processing Primitives, section 5.2.
"""
conv1d_backward, conv2d_backward, conv3d_backward = for_axes(
    _conv_backward, "conv{dims}d_backward", {1: _LIKE, 2: _DOC, 3: _LIKE}
)
