"""`max_pool2d`, `avg_pool2d`, `adaptive_avg_pool2d` and their relatives on arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ...encoder.errors import shown
from ...microkernels.operands import whole
from ..arguments.arrays import Array, as_array
from ..arguments.asked import type_of
from ..arguments.tracebacks import shortening
from ..convolution.geometry import AXES, Pair, each_axis, paddings
from ..fastcall.foreign import of_tensor
from .arrays import Call, check_type, computed, images_of, known
from .functions import Chosen, Largest, LargestAt, Mean, Weighted
from .windows import Axis, adaptive, pooled, turned, with_divisors

if TYPE_CHECKING:
    from ..api.typed import TargetLike

F = TypeVar("F", bound=Callable[..., Any])


@lru_cache(maxsize=256)
def windows(
    inputs: tuple[int, ...],
    size: tuple[int, ...],
    stride: tuple[int, ...],
    around: tuple[Pair, ...],
    dilation: tuple[int, ...],
    ceil_mode: bool,
    counts_padding: bool,
) -> tuple[Axis, ...]:
    """Return the windows along each axis. Raises ValueError naming the axis."""
    made = []
    for place, axis in enumerate(AXES[len(inputs)]):
        extent, taps, step, apart = (each[place] for each in (inputs, size, stride, dilation))
        before, after = around[place]
        reach = apart * (taps - 1) + 1
        if max(before, after) > reach // 2:
            raise ValueError(
                f"padding: at most half of the window along the {axis}, which reaches over {reach} elements, not "
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
        axis_of = pooled(extent, taps, step, (before, after), apart, results)
        made.append(with_divisors(axis_of, taps, step, (before, after), counts_padding))
    return tuple(made)


def _asked(inputs: Sequence[int], size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Any, ...]:
    dims = len(inputs)
    taps = each_axis("kernel_size", size, dims)
    steps = taps if stride is None else each_axis("stride", stride, dims)
    apart = each_axis("dilation", dilation, dims)
    return taps, steps, paddings(padding, inputs, taps, steps, apart), apart


def _largest(dims: int) -> Callable[..., Any]:
    def function(
        x: object,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        dilation: object = 1,
        *,
        ceil_mode: bool = False,
        return_indices: bool = False,
        out: object = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> Any:
        key = kernel_size, stride, padding, dilation, ceil_mode, return_indices
        call = Call(f"max_pool{dims}d", dims, out, threads, target, "x", key)
        if (made := known(call, x)) is not None:
            return tuple(made) if return_indices else made[0]
        images, single = images_of(call, x)
        check_type(call, type_of("x", images), False)
        asked = _asked(images.shape[2:], kernel_size, stride, padding, dilation)
        axes = windows(images.shape[2:], *asked, bool(ceil_mode), False)
        result = computed(call, x, images, single, axes, LARGEST_AT if return_indices else LARGEST)
        return result if return_indices else result[0]

    return _named(function, f"max_pool{dims}d", _MAX, dims)


def _mean(dims: int) -> Callable[..., Any]:
    def function(
        x: object,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        *,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        out: object = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> Any:
        key = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        call = Call(f"avg_pool{dims}d", dims, out, threads, target, "x", key)
        if (made := known(call, x)) is not None:
            return made[0]
        images, single = images_of(call, x)
        check_type(call, type_of("x", images), True)
        axes = averaged(images.shape[2:], kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return computed(call, x, images, single, axes, MEAN)[0]

    return _named(function, f"avg_pool{dims}d", _AVG, dims)


def averaged(
    inputs: tuple[int, ...],
    size: object,
    stride: object,
    padding: object,
    ceil_mode: object,
    counts_padding: object,
    divisor: object,
) -> tuple[Axis, ...]:
    """Return the windows of average pooling."""
    asked = _asked(inputs, size, stride, padding, 1)
    axes = windows(inputs, *asked, bool(ceil_mode), bool(counts_padding))
    if divisor is None:
        return axes
    number = whole(divisor)
    if not number:
        raise ValueError(f"divisor_override: a whole number other than 0, not {shown(divisor)}")
    return tuple(
        Axis(axis.extent, axis.taps, ((float(number) if place + 1 == len(axes) else 1.0),) * axis.results)
        for place, axis in enumerate(axes)
    )


def _adaptive(dims: int, kind: str) -> Callable[..., Any]:
    def function(
        x: object, output_size: object, *, out: object = None, threads: int | None = None, target: TargetLike = None
    ) -> Any:
        call = Call(f"adaptive_{kind}_pool{dims}d", dims, out, threads, target, "x", output_size)
        if (made := known(call, x)) is not None:
            return made[0]
        images, single = images_of(call, x)
        check_type(call, type_of("x", images), kind == "avg")
        axes = adapted(images.shape[2:], output_size)
        return computed(call, x, images, single, axes, MEAN if kind == "avg" else LARGEST)[0]

    return _named(
        function,
        f"adaptive_{kind}_pool{dims}d",
        _ADAPTIVE.format(what={"avg": "means"}.get(kind, "largest elements"), dims=dims, kind=kind),
        dims,
    )


@lru_cache(maxsize=256)
def _adapted(inputs: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[Axis, ...]:
    return tuple(adaptive(extent, results) for extent, results in zip(inputs, sizes))


def adapted(inputs: tuple[int, ...], output_size: Any) -> tuple[Axis, ...]:
    """Return the windows of adaptive pooling. None in place of a number is the extent of x."""
    given = output_size if isinstance(output_size, (list, tuple)) else (output_size,) * len(inputs)
    if len(given) == len(inputs):
        given = tuple(extent if each is None else each for each, extent in zip(given, inputs))
    return _adapted(tuple(inputs), each_axis("output_size", tuple(given), len(inputs)))


def _named(function: F, name: str, doc: str, dims: int) -> F:
    function.__name__ = function.__qualname__ = name
    shapes = {1: "sequences x (n, c, width)", 2: "images x (n, c, height, width)"}
    function.__doc__ = doc.replace("{x}", shapes.get(dims, "volumes x (n, c, depth, height, width)"))
    return cast(F, shortening(function))


LARGEST, LARGEST_AT, MEAN = Largest(), LargestAt(), Mean()
_COMMON = """
Shapes are those of torch; how x lies in memory is its strides, so channels may be last. The result has the order of x
unless `out` says otherwise. Images without the first axis are one image. Any number of threads gives the same bits.
"""
_MAX = (
    """Return the largest element of each window of {x}, NaN if one is.

kernel_size, stride, dilation   of windows: a number, or one for each axis. stride=None: windows side by side
padding     a number, one for each axis, pairs (before, after), or a name, as in `conv2d`: at most half of a window. It
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
    """Return the {what} of windows of {{x}} that give so many results along each axis.

output_size   a number, or one for each axis; None: the extent of x. With 1, it is global pooling
"""
    + _COMMON
)
max_pool1d, max_pool2d, max_pool3d = _largest(1), _largest(2), _largest(3)
avg_pool1d, avg_pool2d, avg_pool3d = _mean(1), _mean(2), _mean(3)
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = (_adaptive(dims, "avg") for dims in (1, 2, 3))
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = (_adaptive(dims, "max") for dims in (1, 2, 3))


# Gradients


def _shape_of(call: Call, x: object, count: int) -> tuple[int, ...]:
    """Return the shape of an array, or a shape that is given in its place, of so many axes."""
    shape = tuple(x) if isinstance(x, (list, tuple)) else tuple(getattr(x, "shape", ()))
    sizes = [whole(each) for each in shape]
    if len(shape) != count or None in sizes:
        axes = ", ".join(AXES[call.dims])
        raise ValueError(f"x: an array as it was pooled, or its shape, (n, c, {axes}), not {shown(x)}")
    return tuple(each for each in sizes if each is not None)


def _check_results(images: Array, shape: Sequence[int], axes: Sequence[Axis], single: bool) -> None:
    wanted = (*shape[: len(shape) - len(axes)], *(axis.results for axis in axes))
    if images.shape[single:] != wanted:
        raise ValueError(f"dy: shape {wanted}, which pooling of x {tuple(shape)} gives, not {images.shape[single:]}")


@lru_cache(maxsize=256)
def _turned(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    return tuple(map(turned, axes))


def _mean_backward(dims: int) -> Callable[..., Any]:
    def function(
        dy: object,
        x: object,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        *,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        out: object = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> Any:
        call = Call(f"avg_pool{dims}d_backward", dims, out, threads, target, "dy")
        images, single = images_of(call, dy)
        check_type(call, type_of("dy", images), True)
        shape = _shape_of(call, x, dims + 2 - single)
        inputs = shape[-dims:]
        axes = averaged(inputs, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        _check_results(images, shape, axes, single)
        return computed(call, dy, images, single, _turned(axes), WEIGHTED)[0]

    return _named(function, f"avg_pool{dims}d_backward", _AVG_BACK.format(dims=dims), dims)


def _adaptive_backward(dims: int) -> Callable[..., Any]:
    def function(
        dy: object, x: object, *, out: object = None, threads: int | None = None, target: TargetLike = None
    ) -> Any:
        call = Call(f"adaptive_avg_pool{dims}d_backward", dims, out, threads, target, "dy")
        images, single = images_of(call, dy)
        check_type(call, type_of("dy", images), True)
        shape = _shape_of(call, x, dims + 2 - single)
        axes = _adapted(shape[-dims:], images.shape[2:])
        _check_results(images, shape, axes, single)
        return computed(call, dy, images, single, _turned(axes), WEIGHTED)[0]

    return _named(function, f"adaptive_avg_pool{dims}d_backward", _ADAPTIVE_BACK.format(dims=dims), dims)


def _largest_backward(dims: int) -> Callable[..., Any]:
    def function(
        dy: object,
        indices: object,
        x: object,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        dilation: object = 1,
        *,
        ceil_mode: bool = False,
        out: object = None,
        threads: int | None = None,
        target: TargetLike = None,
    ) -> Any:
        call = Call(f"max_pool{dims}d_backward", dims, out, threads, target, "dy")
        images, single = images_of(call, dy)
        check_type(call, type_of("dy", images), True)
        shape = _shape_of(call, x, dims + 2 - single)
        asked = _asked(shape[-dims:], kernel_size, stride, padding, dilation)
        axes = windows(shape[-dims:], *asked, bool(ceil_mode), False)
        _check_results(images, shape, axes, single)
        places = as_array("indices", of_tensor("indices", indices))
        if places.shape != images.shape[single:] or type_of("indices", places) != "i64":
            raise ValueError(
                f"indices: int64, as max_pool{dims}d returned them for dy, not {places.dtype} {places.shape}"
            )
        of_x = _turned(axes)
        most = math.prod(max(map(len, axis.taps)) for axis in of_x[:-1])
        return computed(call, dy, images, single, of_x, Chosen(most), places[None] if single else places)[0]

    return _named(function, f"max_pool{dims}d_backward", _MAX_BACK.format(dims=dims), dims)


WEIGHTED = Weighted()
_GIVEN = """
x   the array that was pooled, or its shape: only the shape is read

Sums are in f32, of f64 in f64. dy may lie in memory as the result of the forward function does; the gradient has its
order unless `out` says otherwise. Any number of threads gives the same bits.
"""
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
avg_pool1d_backward, avg_pool2d_backward, avg_pool3d_backward = map(_mean_backward, (1, 2, 3))
max_pool1d_backward, max_pool2d_backward, max_pool3d_backward = map(_largest_backward, (1, 2, 3))
adaptive_avg_pool1d_backward, adaptive_avg_pool2d_backward, adaptive_avg_pool3d_backward = map(
    _adaptive_backward, (1, 2, 3)
)
