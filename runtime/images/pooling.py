"""`max_pool2d`, `avg_pool2d`, `adaptive_avg_pool2d`, their relatives and their gradients, on arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ...encoder.errors import shown
from ...microkernels.operands import whole
from ...microkernels.windows import AXES, Pair, each_axis, paddings
from ..arguments.arrays import as_array
from ..arguments.infer import type_of
from ..convolution.functions import IMAGES_OF, for_axes
from ..fastcall.foreign import of_tensor
from .arrays import ImagesCall, Windows, check_type, computed, images_of, made_of
from .functions import ChosenElements, Largest, LargestAt, Mean, Weighted
from .windows import AxisWindows, adaptive, pooled, turned

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, Padding, PerAxis, TargetLike

LARGEST, LARGEST_AT, MEAN, WEIGHTED = Largest(), LargestAt(), Mean(), Weighted()


@lru_cache(maxsize=256)
def windows(
    inputs: tuple[int, ...],
    size: tuple[int, ...],
    stride: tuple[int, ...],
    around: tuple[Pair, ...],
    dilation: tuple[int, ...],
    ceil_mode: bool,
    counts_padding: bool,
) -> Windows:
    """Return the windows along each axis. Raises ValueError naming the axis."""
    made: list[AxisWindows] = []
    for place, axis in enumerate(AXES[len(inputs)]):
        extent, taps, step, apart = (each[place] for each in (inputs, size, stride, dilation))
        before, after = around[place]
        reach = apart * (taps - 1) + 1
        if max(before, after) >= reach:
            raise ValueError(
                f"padding: less than the window along the {axis}, which reaches over {reach} elements, not "
                f"{max(before, after)}: a window would lie in the padding"
            )
        room = extent + before + after - reach
        if room < 0:
            raise ValueError(
                f"x: the {axis}, {extent} and padding {before + after}, is less than the window of {reach}"
            )
        results = room // step + 1
        if ceil_mode:
            results = -(-room // step) + 1
            results -= (results - 1) * step >= extent + before  # the last window begins in x or before it
        made.append(pooled(extent, taps, step, (before, after), apart, results, counts_padding))
        if not all(made[-1].taps):  # with dilation
            raise ValueError(
                f"padding: a window along the {axis} has no element of x, of {extent}, with {taps} taps of dilation "
                f"{apart} and padding {before}, {after}"
            )
    return tuple(made)


def of_window(
    inputs: tuple[int, ...],
    size: PerAxis,
    stride: PerAxis | None,
    padding: Padding,
    dilation: PerAxis,
    ceil_mode: bool,
    counts_padding: bool = False,
) -> Windows:
    """Return the windows of pooling whose parameters are given as numbers or sequences."""
    dims = len(inputs)
    taps = each_axis("kernel_size", size, dims)
    steps = taps if stride is None else each_axis("stride", stride, dims)
    apart = each_axis("dilation", dilation, dims)
    around = paddings(padding, inputs, taps, steps, apart)
    return windows(inputs, taps, steps, around, apart, bool(ceil_mode), bool(counts_padding))


def averaged(
    inputs: tuple[int, ...],
    size: PerAxis,
    stride: PerAxis | None,
    padding: Padding,
    ceil_mode: bool,
    counts_padding: bool,
    divisor: int | None,
) -> Windows:
    """Return the windows of average pooling."""
    axes = of_window(inputs, size, stride, padding, 1, ceil_mode, counts_padding)
    if divisor is None:
        return axes
    number = whole(divisor)
    if not number:
        raise ValueError(f"divisor_override: a whole number other than 0, not {shown(divisor)}")
    return tuple(
        AxisWindows(axis.extent, axis.taps, ((float(number) if place + 1 == len(axes) else 1.0),) * axis.results)
        for place, axis in enumerate(axes)
    )


@lru_cache(maxsize=256)
def _adapted(inputs: tuple[int, ...], sizes: tuple[int, ...]) -> Windows:
    return tuple(adaptive(extent, results) for extent, results in zip(inputs, sizes))


def adapted(inputs: tuple[int, ...], output_size: PerAxis | Sequence[int | None] | None) -> Windows:
    """Return the windows of adaptive pooling. None in place of a number is the extent of x."""
    given = output_size if isinstance(output_size, (list, tuple)) else (output_size,) * len(inputs)
    if len(given) == len(inputs):
        given = tuple(extent if each is None else each for each, extent in zip(given, inputs))
    return _adapted(inputs, each_axis("output_size", given, len(inputs)))


def _max_pool(
    dims: int,
    x: ArrayLike,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: Padding = 0,
    dilation: PerAxis = 1,
    *,
    ceil_mode: bool = False,
    return_indices: bool = False,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    key = kernel_size, stride, padding, dilation, ceil_mode, return_indices
    call = ImagesCall(f"max_pool{dims}d", dims, out, threads, target, "x", key)
    made = made_of(
        call,
        x,
        LARGEST_AT if return_indices else LARGEST,
        False,
        lambda inputs: of_window(inputs, kernel_size, stride, padding, dilation, ceil_mode),
    )
    return made if return_indices else made[0]


def _avg_pool(
    dims: int,
    x: ArrayLike,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: Padding = 0,
    *,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    asked = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    call = ImagesCall(f"avg_pool{dims}d", dims, out, threads, target, "x", asked)
    return made_of(call, x, MEAN, True, lambda inputs: averaged(inputs, *asked))[0]


def _adaptive_avg_pool(
    dims: int,
    x: ArrayLike,
    output_size: PerAxis | Sequence[int | None] | None,
    *,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    call = ImagesCall(f"adaptive_avg_pool{dims}d", dims, out, threads, target, "x", output_size)
    return made_of(call, x, MEAN, True, lambda inputs: adapted(inputs, output_size))[0]


def _adaptive_max_pool(
    dims: int,
    x: ArrayLike,
    output_size: PerAxis | Sequence[int | None] | None,
    *,
    return_indices: bool = False,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    key = output_size, return_indices
    call = ImagesCall(f"adaptive_max_pool{dims}d", dims, out, threads, target, "x", key)
    function = LARGEST_AT if return_indices else LARGEST
    made = made_of(call, x, function, False, lambda inputs: adapted(inputs, output_size))
    return made if return_indices else made[0]


# Gradients


def _shape_of(call: ImagesCall, x: ArrayLike, count: int) -> tuple[int, ...]:
    """Return the shape of an array, or a shape that is given in its place, of so many axes."""
    shape = tuple(x) if isinstance(x, (list, tuple)) else tuple(getattr(x, "shape", ()))
    sizes = [whole(each) for each in shape]
    if len(shape) != count or None in sizes:
        axes = ", ".join(AXES[call.dims])
        raise ValueError(f"x: an array as it was pooled, or its shape, (n, c, {axes}), not {shown(x)}")
    return tuple(each for each in sizes if each is not None)


@lru_cache(maxsize=256)
def _turned(axes: Windows) -> Windows:
    return tuple(map(turned, axes))


def _gradient(
    call: ImagesCall,
    dy: ArrayLike,
    x: ArrayLike,
    windows_of: Callable[[tuple[int, ...], tuple[int, ...]], Windows],
    indices: ArrayLike = None,
) -> ArrayLike:
    """Compute the gradient by x from dy, by the windows that follow from the extents of x and of dy, and from the
    indices of largest elements, if there are some."""
    images, single = images_of(call, dy)
    check_type(call, images, True)
    shape = _shape_of(call, x, call.dims + 2 - single)
    axes = windows_of(shape[-call.dims :], images.shape[2:])
    wanted = (*shape[: -call.dims], *(axis.results for axis in axes))
    if images.shape[single:] != wanted:
        raise ValueError(f"dy: shape {wanted}, which pooling of x {shape} gives, not {images.shape[single:]}")
    function: Largest = WEIGHTED
    places, of_x = None, _turned(axes)
    if indices is not None:
        places = as_array("indices", of_tensor("indices", indices))
        if places.shape != images.shape[single:] or type_of("indices", places) != "i64":
            raise ValueError(
                f"indices: int64, as {call.name.removesuffix('_backward')} returned them for dy, not {places.dtype} "
                f"{places.shape}"
            )
        places = places[None] if single else places
        function = ChosenElements(math.prod(max(map(len, axis.taps)) for axis in of_x[:-1]))
    return computed(call, dy, images, single, of_x, function, places)[0]


def _avg_pool_backward(
    dims: int,
    dy: ArrayLike,
    x: ArrayLike,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: Padding = 0,
    *,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    asked = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    call = ImagesCall(f"avg_pool{dims}d_backward", dims, out, threads, target, "dy")
    return _gradient(call, dy, x, lambda inputs, _: averaged(inputs, *asked))


def _adaptive_avg_pool_backward(
    dims: int,
    dy: ArrayLike,
    x: ArrayLike,
    *,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    call = ImagesCall(f"adaptive_avg_pool{dims}d_backward", dims, out, threads, target, "dy")
    return _gradient(call, dy, x, _adapted)


def _max_pool_backward(
    dims: int,
    dy: ArrayLike,
    indices: ArrayLike,
    x: ArrayLike,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: Padding = 0,
    dilation: PerAxis = 1,
    *,
    ceil_mode: bool = False,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    asked = kernel_size, stride, padding, dilation, ceil_mode
    call = ImagesCall(f"max_pool{dims}d_backward", dims, out, threads, target, "dy")
    return _gradient(call, dy, x, lambda inputs, _: of_window(inputs, *asked), indices)


# Docstrings and public names

_COMMON = """
Shapes are those of torch; how x lies in memory is its strides, so channels may be last. The result has the order of x
unless `out` says otherwise. Images without the first axis are one image. Any number of threads gives the same bits.
"""
_MAX = (
    """Return the largest element of each window of {x}, NaN if one is.

kernel_size, stride, dilation   of windows: a number, or one for each axis. stride=None: windows side by side
padding     a number, one for each axis, pairs (before, after), or a name, as in `conv2d`: less than a window. It
            is in no window
ceil_mode   whether a last window may reach beyond the padding
return_indices   also return the places in the plane of each image, int64: of equal elements the first
"""
    + _COMMON
)
_AVG = (
    """Return the mean of each window of {x}.

kernel_size, stride, padding, ceil_mode   as in `max_pool2d`
count_include_pad   whether elements of the padding count, as 0
divisor_override    a number by which sums are divided instead

Elements of 16 bits are summed in f32.
"""
    + _COMMON
)
_ADAPTIVE = (
    """Return the {what} of windows of {x} that give so many results along each axis.

output_size   a number, or one for each axis; None: the extent of x. With 1, it is global pooling
"""
    + _COMMON
)
_GIVEN = """
x   the array that was pooled, or its shape: only the shape is read

Sums are in f32, of f64 in f64. dy may lie in memory as the result of the forward function does; the gradient has its
order unless `out` says otherwise. Any number of threads gives the same bits.
"""
_ADAPTIVE_MAX = _ADAPTIVE.replace("{what}", "largest elements").replace(
    _COMMON, "return_indices   also return the places in the plane of each image, as `max_pool2d` does\n" + _COMMON
)
_AVG_BACK = (
    """Return the gradient of `avg_pool{dims}d` by x from dy, that by its result; the keywords are the same.
"""
    + _GIVEN
)
_ADAPTIVE_BACK = (
    """Return the gradient of `adaptive_avg_pool{dims}d` by x from dy, that by its result.
"""
    + _GIVEN
)
_MAX_BACK = (
    """Return the gradient of `max_pool{dims}d` by x from dy, that by its result, and from the indices that it
returned; the keywords are the same. An index outside of its window adds nothing.
"""
    + _GIVEN
)


def _docs(text: str) -> dict[int, str]:
    """Return a docstring for each number of axes."""
    return {dims: text.format(x=shape, dims=dims) for dims, shape in IMAGES_OF.items()}


max_pool1d, max_pool2d, max_pool3d = for_axes(_max_pool, "max_pool{dims}d", _docs(_MAX))
avg_pool1d, avg_pool2d, avg_pool3d = for_axes(_avg_pool, "avg_pool{dims}d", _docs(_AVG))
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = for_axes(
    _adaptive_avg_pool, "adaptive_avg_pool{dims}d", _docs(_ADAPTIVE.replace("{what}", "means"))
)
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = for_axes(
    _adaptive_max_pool, "adaptive_max_pool{dims}d", _docs(_ADAPTIVE_MAX)
)
max_pool1d_backward, max_pool2d_backward, max_pool3d_backward = for_axes(
    _max_pool_backward, "max_pool{dims}d_backward", _docs(_MAX_BACK)
)
avg_pool1d_backward, avg_pool2d_backward, avg_pool3d_backward = for_axes(
    _avg_pool_backward, "avg_pool{dims}d_backward", _docs(_AVG_BACK)
)
adaptive_avg_pool1d_backward, adaptive_avg_pool2d_backward, adaptive_avg_pool3d_backward = for_axes(
    _adaptive_avg_pool_backward, "adaptive_avg_pool{dims}d_backward", _docs(_ADAPTIVE_BACK)
)
