"""`resize`: images of another height and width, by the nearest element or linearly between neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING

from ...encoder.errors import shown
from ...microkernels.names import chosen
from ...microkernels.windows import AXES, each_axis
from ..arguments.tracebacks import shortening
from .arrays import ImagesCall, Windows, made_of
from .functions import Largest, Weighted
from .windows import AxisWindows

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, PerAxis, TargetLike

_HALF = Fraction(1, 2)
MODES = "linear", "bilinear", "trilinear", "nearest", "nearest-exact"
WEIGHTED, NEAREST = Weighted(), Largest()


@lru_cache(maxsize=256)
def nearest(extent: int, results: int, scale: Fraction, exact: bool) -> AxisWindows:
    """Return the window of one element of each result."""
    shift = _HALF if exact else Fraction(0)
    places = (math.floor((place + shift) * scale) for place in range(results))
    return AxisWindows(extent, tuple((min(each, extent - 1),) for each in places))


@lru_cache(maxsize=256)
def linear(extent: int, results: int, scale: Fraction, align_corners: bool) -> AxisWindows:
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
    return AxisWindows(extent, tuple(taps), (), tuple(weights))


@shortening
def resize(
    x: ArrayLike,
    size: PerAxis | None = None,
    *,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "bilinear",
    align_corners: bool = False,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
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
    call = ImagesCall("resize", dims, out, threads, target, "x", (size, scale_factor, mode, align_corners))
    how = chosen("mode", mode, MODES)
    by_weight = not how.startswith("nearest")

    def windows(inputs: tuple[int, ...]) -> Windows:
        if (size is None) == (scale_factor is None):
            raise TypeError("size: give size= or scale_factor=, one of them")
        if align_corners and not by_weight:
            raise ValueError(f"align_corners: of linear modes, not {how}")
        sizes, scales = _sizes(inputs, size, scale_factor)
        each = zip(inputs, sizes, scales)
        if by_weight:
            return tuple(linear(*axis, bool(align_corners)) for axis in each)
        return tuple(nearest(*axis, how == "nearest-exact") for axis in each)

    return made_of(call, x, WEIGHTED if by_weight else NEAREST, by_weight, windows)[0]


def _sizes(
    inputs: tuple[int, ...], size: PerAxis | None, scale_factor: float | Sequence[float] | None
) -> tuple[tuple[int, ...], tuple[Fraction, ...]]:
    """Return the extents of the result, and the elements of x for each of its elements."""
    if size is not None:
        sizes = each_axis("size", size, len(inputs))
        return sizes, tuple(Fraction(extent, results) for extent, results in zip(inputs, sizes))
    factors = _factors(scale_factor, len(inputs))
    sizes = tuple(math.floor(extent * factor) for extent, factor in zip(inputs, factors))
    if min(sizes) < 1:
        raise ValueError(f"scale_factor: results have extents of at least 1, not {sizes}")
    return sizes, tuple(1 / Fraction(factor) for factor in factors)


def _factors(given: object, dims: int) -> tuple[float, ...]:
    each = given if isinstance(given, (list, tuple)) else (given,) * dims
    if len(each) != dims or not all(isinstance(number, Real) for number in each):
        raise TypeError(f"scale_factor: a number, or {dims} of them, not {shown(given)}")
    if min(each) <= 0:
        raise ValueError(f"scale_factor: above 0, not {shown(given)}")
    return tuple(map(float, each))
