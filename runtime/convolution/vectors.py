"""Depthwise convolutions by vectors of channels: an alternative to products, of which each group would have its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from ...microkernels.depthwise.spec import SUMS, TAKEN
from ...microkernels.errors import UnsupportedError
from ..contraction.tiling import PartChoices
from .depthwise_nest import DepthwiseNest, DepthwiseRequest, lying

if TYPE_CHECKING:
    from ..api.typed import Epilogue
    from ..arguments.layouts import MemoryLayout
    from .request import ConvolutionRequest


T = TypeVar("T")


def chosen(
    request: ConvolutionRequest, names: Sequence[str], epilogue: Epilogue | None, products: PartChoices
) -> PartChoices:
    """Return the plan of the least estimated time.

    names      of the further operands, as the epilogue's parameters are named
    products   the plan without vectors
    """
    found = _nest(request, names, epilogue)
    if isinstance(found, DepthwiseNest):
        try:
            if found.cycles < products.cycles:
                return PartChoices(products.parts, (), found)
            found = f"about {found.cycles:,.0f} cycles"
        except UnsupportedError as error:
            found = str(error)
    return PartChoices(products.parts, (f"by vectors of channels: {found}",))


def _nest(request: ConvolutionRequest, names: Sequence[str], epilogue: Epilogue | None) -> DepthwiseNest | str:
    """Return the loops of vectors of channels, or why there are none."""
    g = request.geometry
    if request.backwards or request.fill or len(g.inputs) > 2:
        return "no transposed convolutions, no zero points, at most two axes"
    if g.groups == 1 or g.c != g.groups or g.k != g.groups:
        return "groups of one channel and one result only; of others, each channel would be copied for each result"
    if request.x.dtype not in SUMS or request.w.dtype not in SUMS:
        return f"no kernel for {request.x.dtype} and {request.w.dtype}"
    if TAKEN & set(names):
        return f"an operand has the name {min(TAKEN & set(names))}, which is taken"
    shape_x, shape_y = _images(g.x), _images(g.y)
    of_x, of_y = lying(shape_x, _strides(request.x, g.x)), lying(shape_y, _strides(request.y, g.y))
    if of_x is None or of_y is None or of_y.pitch != shape_y[3]:
        return "neither x nor y may have gaps within an image, unless channels are neighbours in x"
    dense = (shape_y[1] * shape_y[2] * shape_y[3], 1, shape_y[3] * shape_y[1], shape_y[1])
    if any(not each.by_channel and _strides(each.lying, g.y) != dense for each in request.more):
        return "an operand beside the result has other memory than channels last without gaps"
    try:
        asked = DepthwiseRequest(
            shape_x,
            _pair(g.taps, 1),
            _pair(g.stride, 1),
            _pair(g.padding, (0, 0)),
            _pair(g.dilation, 1),
            (request.x.dtype, request.w.dtype, request.y.dtype),
            of_x,
            of_y,
            tuple((n, "row" if each.by_channel else None, each.lying.dtype) for n, each in zip(names, request.more)),
            request.target,
            request.accuracy,
        )
        return DepthwiseNest(asked, epilogue)
    except UnsupportedError as error:
        return str(error)


def _pair(given: Sequence[T], one: T) -> tuple[T, T]:
    """Return what is given for each axis of images; sequences are images of one row."""
    return given[0] if len(given) > 1 else one, given[-1]


def _images(shape: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the shape of images; sequences are images of one row."""
    return (shape[0], shape[1], shape[2] if len(shape) > 3 else 1, shape[-1])


def _strides(array: MemoryLayout, shape: Sequence[int]) -> tuple[int, int, int, int]:
    images, channels, *rest = array.strides
    return (images, channels, rest[0] if len(rest) > 1 else rest[-1] * shape[-1], rest[-1])
