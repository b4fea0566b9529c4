"""`resize`: images of another height and width, by the nearest element or linearly between neighbours."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, Any

from ...encoder.errors import shown
from ...microkernels.names import chosen
from ..arguments.asked import type_of
from ..arguments.tracebacks import shortening
from ..convolution.geometry import AXES, each_axis
from .arrays import Call, check_type, computed, images_of, known
from .functions import Largest, Weighted
from .windows import Axis

if TYPE_CHECKING:
    from ..api.typed import TargetLike

_HALF = Fraction(1, 2)
MODES = "linear", "bilinear", "trilinear", "nearest", "nearest-exact"
WEIGHTED, NEAREST = Weighted(), Largest()


@lru_cache(maxsize=256)
def nearest(extent: int, results: int, scale: Fraction, exact: bool) -> Axis:
    """Return the window of one element of each result."""
    shift = _HALF if exact else Fraction(0)
    places = (math.floor((place + shift) * scale) for place in range(results))
    return Axis(extent, tuple((min(each, extent - 1),) for each in places))


@lru_cache(maxsize=256)
def linear(extent: int, results: int, scale: Fraction, align_corners: bool) -> Axis:
    """Return the two neighbours of each result with their weights; a single one where the result is on it."""
    taps, weights = list[tuple[int, ...]](), list[tuple[float, ...]]()
    for place in range(results):
        if align_corners:
            at = Fraction(place * (extent - 1), max(1, results - 1))
        else:
            at = max(Fraction(0), (place + _HALF) * scale - _HALF)
        low = min(math.floor(at), extent - 1)
        part = float(at - low)
        alone = part == 0 or low == extent - 1
        taps.append((low,) if alone else (low, low + 1))
        weights.append((1.0,) if alone else (1.0 - part, part))
    return Axis(extent, tuple(taps), (), tuple(weights))


@shortening
def resize(
    x: object,
    size: Any = None,
    *,
    scale_factor: Any = None,
    mode: str = "bilinear",
    align_corners: bool = False,
    out: object = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> Any:
    """Return images x (n, c, height, width), sequences or volumes, with other extents.

    size           of the result: a number, or one for each axis
    scale_factor   in place of size: results for each element, by which extents are multiplied and rounded down
    mode           "bilinear" (also called "linear", "trilinear"): between the neighbours along each axis; "nearest":
                   the element at floor(place / scale); "nearest-exact": at floor((place + 0.5) / scale)
    align_corners  whether the first and last elements stay at the rims, instead of the centres of elements being half
                   an element from them

    Shapes and values are those of torch.nn.functional.interpolate without antialiasing, which computes places in f32;
    how x lies in memory is its strides, and the result has the order of x unless `out` says otherwise. Linear modes
    take floats; elements of 16 bits are computed in f32. Any number of threads gives the same bits.
    """
    dims = getattr(x, "ndim", 4) - 2
    if dims not in AXES:
        raise ValueError(f"x: images, channels and one to three axes, not {dims + 2} axes")
    call = Call("resize", dims, out, threads, target, "x", (size, scale_factor, mode, align_corners))
    if (made := known(call, x)) is not None:
        return made[0]
    images, single = images_of(call, x)
    how = chosen("mode", mode, MODES)
    by_weight = not how.startswith("nearest")
    check_type(call, type_of("x", images), by_weight)
    inputs = images.shape[2:]
    if (size is None) == (scale_factor is None):
        raise TypeError("size: give size= or scale_factor=, one of them")
    if size is not None:
        sizes = each_axis("size", size, dims)
        scales = tuple(Fraction(extent, results) for extent, results in zip(inputs, sizes))
    else:
        factors = _factors(scale_factor, dims)
        sizes = tuple(math.floor(extent * factor) for extent, factor in zip(inputs, factors))
        if min(sizes) < 1:
            raise ValueError(f"scale_factor: results have extents of at least 1, not {sizes}")
        scales = tuple(1 / Fraction(factor) for factor in factors)
    if align_corners and not by_weight:
        raise ValueError(f"align_corners: of linear modes, not {how}")
    axes = tuple(
        linear(extent, results, scale, bool(align_corners))
        if by_weight
        else nearest(extent, results, scale, how == "nearest-exact")
        for extent, results, scale in zip(inputs, sizes, scales)
    )
    return computed(call, x, images, single, axes, WEIGHTED if by_weight else NEAREST)[0]


def _factors(given: Any, dims: int) -> tuple[float, ...]:
    each = given if isinstance(given, (list, tuple)) else (given,) * dims
    if len(each) != dims or not all(isinstance(number, Real) for number in each):
        raise TypeError(f"scale_factor: a number, or {dims} of them, not {shown(given)}")
    if min(each) <= 0:
        raise ValueError(f"scale_factor: above 0, not {shown(given)}")
    return tuple(map(float, each))
