"""Depthwise convolutions, and those of small groups, of arrays of any layout, on all cores.

    y[n, k, p, q] = f(bias[k] + sum over c, r, s of x[n, g + c, p * stride - top + r * dilation, ...] * w[k, c, r, s])

Where groups have several channels or several results, the channels are repeated in a copy of x, so that each result has
its own channels: the kernel is the same then. depthwise_nest.py has the loops.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.depthwise.spec import Epilogue
from ...microkernels.dtypes import DTYPES, element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.expr.trace import behind_first
from ...microkernels.windows import Padding, Pair, extents, paddings, pair
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, as_array, numpy_dtype
from ..arguments.foreign_arrays import returned
from ..arguments.matrices import no_overlap, writable
from ..kernel.accuracy import default_accuracy
from ..kernel.reads import state_of
from ..kernel.request_cache import RECENT
from ..threads.policy import checked, num_threads
from .depthwise_nest import DepthwiseNest, DepthwiseRequest, Lying


class _Shapes(NamedTuple):
    """The groups of a convolution, the channels and the results of each, and its parameters."""

    groups: int
    depth: int
    results: int
    taps: Pair
    stride: Pair
    padding: Padding
    dilation: Pair


def depthwise(
    x: object,
    w: object,
    bias: object = None,
    *,
    stride: object = 1,
    padding: object = 0,
    dilation: object = 1,
    groups: int | None = None,
    out: object = None,
    epilogue: Epilogue | None = None,
    operands: Mapping[str, object] | None = None,
    dtype: object = None,
    threads: int | None = None,
    target: str | Target | None = None,
) -> object:
    """Return the convolution of x (N, C, H, W) by w (K, C / groups, R, S) in groups; None: as many as channels.

    Layout is strides: channels of x may be neighbours (NHWC memory, torch's channels_last), and the result has the
    order of x unless `out` says otherwise. padding: a number, one for rows and one for columns, ((top, bottom), (left,
    right)), "valid", "same" (as many results as ceil(extent / stride), the odd zero behind) or "same_lower" (before).
    epilogue: a function of the sums, to which the bias is added first, and of `operands`, arrays by name: a value for
    each channel (K,), for each result (N, K, P, Q), or one. dtype: of the result; None: that of x, i32 for integers.
    """
    image, weights, result = as_array("x", x), as_array("w", w), None if out is None else as_array("out", out)
    given = {} if bias is None else {"bias": as_array("bias", bias)}
    for name, value in (operands or {}).items():
        if name in given:
            raise ValueError("operands: bias is an argument of its own; give another name")
        given[name] = as_array(name, value)
    lying = tuple((each.shape, each.strides, each.dtype) for each in (image, weights, *given.values()))
    to = None if result is None else (result.shape, result.strides, result.dtype)
    asked = (stride, padding, dilation, groups, dtype, target)
    state = None if epilogue is None else state_of(epilogue)
    state = None if state is None else (default_accuracy(), state)
    key = None if epilogue is not None and state is None else (lying, to, *asked, tuple(given), bias is None, state)
    found = _kept(key)
    if found is None:
        found = _prepared(image, weights, given, result, asked, epilogue, bias is not None)
        _keep(key, found)
    arrays = {name: _laid(each, found.kinds[name]) for name, each in given.items()}
    if result is not None:
        writable("out", result)
        no_overlap("out", result, x=image, w=weights, **given)
    y = _new(found.shape, found.dtype, found.last) if result is None or found.copied else result
    arrays |= {"x": found.image(image), "w": _packed(weights, found.convolution.ldw), "y": y}
    found.convolution.run(arrays, num_threads() if threads is None else checked(threads, "threads"))
    if result is None:
        return returned(y, (x, w))
    if y is not result:
        result[...] = y
    return out


_Asked = tuple[object, object, object, "int | None", object, "str | Target | None"]
"""Stride, padding, dilation, groups, type of the result, target: as a call has them."""


class _Prepared(NamedTuple):
    """What calls with arrays of the same shapes, strides and types have in common.

    shapes, zeros   how x is repeated, and the zeros that a copy of it has; None: x is read where it lies
    kinds           of the operands of f: "row", "scalar", or None for a value for each result
    last, copied    whether channels of y are neighbours, and whether y is copied to the array that was given
    """

    convolution: DepthwiseNest
    shapes: _Shapes | None
    zeros: Padding | None
    kinds: Mapping[str, str | None]
    shape: tuple[int, int, int, int]
    dtype: str
    last: bool
    copied: bool

    def image(self, x: Array) -> Array:
        """Return x as the loops read it."""
        return x if self.shapes is None else _repeated(x, self.shapes, self.zeros or ((0, 0), (0, 0)))


_KEPT: dict[object, _Prepared] = {}


def _kept(key: object) -> _Prepared | None:
    try:
        return None if key is None else _KEPT.get(key)
    except TypeError:  # a list among the parameters
        return None


def _keep(key: object, prepared: _Prepared) -> None:
    with suppress(TypeError):
        if len(_KEPT) >= RECENT:
            _KEPT.clear()
        if key is not None:
            _KEPT[key] = prepared


def _prepared(
    x: Array,
    w: Array,
    given: Mapping[str, Array],
    out: Array | None,
    asked: _Asked,
    epilogue: Epilogue | None,
    biased: bool,
) -> _Prepared:
    """Check the arguments, and return how they are computed."""
    stride, padding, dilation, groups, dtype, target = asked
    of = _shapes(x, w, groups, stride, padding, dilation)
    rows, columns = extents((x.shape[2], x.shape[3]), of.taps, of.stride, of.padding, of.dilation)
    types, shape = _types(x, w, dtype), (x.shape[0], w.shape[0], rows, columns)
    if out is not None and (out.shape != shape or out.dtype != numpy_dtype(types[2])):
        raise ValueError(f"out: {numpy_dtype(types[2])} of shape {shape}, not {out.dtype} of {out.shape}")
    function, kinds = _with_bias(epilogue, given, biased, shape)
    extras = tuple((name, kind, element_type(name, given[name].dtype)) for name, kind in kinds.items())
    lying = _lying(x) if of.depth == of.results == 1 else None
    to = None if out is None else _lying(out)
    to = to if to is None or to.pitch == columns else None  # kernels write rows of results without gaps
    last = lying is None or lying.last
    of_y = to or _of_shape(shape, last)

    def request(of_x: Lying, size: Pair, zeros: Padding) -> DepthwiseRequest:
        channels = of.depth * shape[1]
        return DepthwiseRequest(
            (shape[0], channels, *size),
            *of[3:5],
            zeros,
            of.dilation,
            of.depth,
            shape[1],
            types,
            of_x,
            of_y,
            extras,
            target,
        )

    def copied(zeros: Padding) -> DepthwiseNest:
        (top, bottom), (left, right) = zeros
        size = x.shape[2] + top + bottom, x.shape[3] + left + right
        of_x = _of_shape((shape[0], of.depth * shape[1], *size), True)
        rest: Padding = ((0, 0), (0, 0)) if zeros != ((0, 0), (0, 0)) else of.padding
        return DepthwiseNest(request(of_x, size, rest), function)

    convolution = copied(((0, 0), (0, 0)))
    if lying is not None:
        convolution = DepthwiseNest(request(lying, (x.shape[2], x.shape[3]), of.padding), function)
    copies, zeros = (of if lying is None else None), None
    try:
        convolution.made()
    except UnsupportedError:
        if of.padding == ((0, 0), (0, 0)):
            raise
        convolution, copies, zeros = copied(of.padding), of, of.padding
    return _Prepared(convolution, copies, zeros, kinds, shape, types[2], last, out is not None and to is None)


def _shapes(x: Array, w: Array, groups: int | None, stride: object, padding: object, dilation: object) -> _Shapes:
    """Check the parameters against the shapes."""
    if x.ndim != 4 or w.ndim != 4:
        raise ValueError(f"x, w: (N, C, H, W) and (K, C / groups, R, S), not of {x.ndim} and {w.ndim} axes")
    if not all((*x.shape, *w.shape)):
        raise ValueError(f"x, w: extents of at least 1, not {x.shape} and {w.shape}")
    channels, results = x.shape[1], w.shape[0]
    count = channels if groups is None else groups
    if count < 1 or channels % count or results % count or w.shape[1] != channels // count:
        raise ValueError(
            f"w: {count} groups of the {channels} channels of x need a shape (a multiple of {count}, "
            f"channels of a group, R, S), not {w.shape}"
        )
    taps, steps, far = (w.shape[2], w.shape[3]), pair("stride", stride), pair("dilation", dilation)
    rows, columns = paddings(padding, x.shape[2:], taps, steps, far)
    return _Shapes(count, channels // count, results // count, taps, steps, (rows, columns), far)


def _types(x: Array, w: Array, dtype: object) -> tuple[str, str, str]:
    """Return the types of x, w and the result."""
    of_x, of_w = element_type("x", x.dtype), element_type("w", w.dtype)
    result = (of_x if DTYPES[of_x].real else "i32") if dtype is None else element_type("dtype", dtype)
    return of_x, of_w, result


def _lying(array: Array) -> Lying | None:
    """Return how an array (N, C, H, W) lies in memory, or None if it has neither order."""
    size = array.itemsize
    if any(each % size or each < 0 for each in array.strides):
        return None
    images, channels, rows, pixels = (each // size for each in array.strides)
    _, c, h, w = array.shape
    if channels == 1 or c == 1:  # the distance along an axis of one element says nothing
        pixels = pixels if w > 1 else rows if h > 1 else c
        rows = rows if h > 1 else w * pixels
        if pixels >= max(1, c) and rows >= w * pixels and rows % pixels == 0:
            return Lying(images, pixels, rows // pixels)
    elif (pixels == 1 or w == 1) and (rows == w or h == 1) and channels >= h * w:
        return Lying(images, 1, w, channels)
    return None


def _of_shape(shape: tuple[int, int, int, int], last: bool) -> Lying:
    """Return how a new array lies."""
    _, c, h, w = shape
    return Lying(c * h * w, c, w) if last or c == 1 or h * w == 1 else Lying(c * h * w, 1, w, h * w)


def _new(shape: tuple[int, int, int, int], dtype: str, last: bool) -> Array:
    n, c, h, w = shape
    made: Array = np.empty((n, h, w, c) if last else shape, numpy_dtype(dtype))
    return made.transpose(0, 3, 1, 2) if last else made


def _repeated(x: Array, of: _Shapes, zeros: Padding) -> Array:
    """Return x in the order NHWC, with its zeros, and depth * K channels: channel d of its group for each result, for
    each d."""
    n, _, h, w = x.shape
    (top, bottom), (left, right) = zeros
    made = np.zeros((n, top + h + bottom, left + w + right, of.depth, of.groups, of.results), x.dtype)
    inside = made[:, top : top + h, left : left + w]
    inside[...] = x.reshape(n, of.groups, of.depth, h, w).transpose(0, 3, 4, 2, 1)[..., None]
    found: Array = made.reshape(*made.shape[:3], -1).transpose(0, 3, 1, 2)
    return found


def _packed(w: Array, leading: int) -> Array:
    """Return weights (taps, channels of a group, K), with gaps between the rows of memory."""
    results, depth, r, s = w.shape
    rows = r * s * depth
    made = bytes_at_a_line(rows * leading * w.itemsize).view(w.dtype).reshape(rows, leading)
    made[:, :results] = w.transpose(2, 3, 1, 0).reshape(rows, results)
    return made


def _plus_bias(c: Expr, bias: Expr) -> Expr:
    return c + bias


def _laid(array: Array, kind: str | None) -> Array:
    """Return an operand of f as the loops read it."""
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1) if kind is None else array)


def _with_bias(
    epilogue: Epilogue | None, given: Mapping[str, Array], biased: bool, shape: tuple[int, ...]
) -> tuple[Epilogue | None, dict[str, str | None]]:
    """Return f, which adds the bias first, and the kinds of its operands in the order of its parameters."""
    function = epilogue
    if biased:
        function = _plus_bias if epilogue is None else _after_bias(epilogue, [each for each in given if each != "bias"])
    elif given and epilogue is None:
        raise TypeError("operands: only an epilogue takes them, and epilogue= was not given")
    names = [] if function is None else behind_first(function, given)[1:]
    if missing := set(names) ^ set(given):
        raise ValueError(f"operands: an array for each parameter of the epilogue; {min(missing)} is not one of both")
    return function, {name: _kind(name, given[name], shape) for name in names}


def _after_bias(epilogue: Epilogue, names: list[str]) -> Epilogue:
    """Return a function of the sums, the bias and the operands of an epilogue."""

    def function(c: Expr, bias: Expr, *others: Expr) -> object:
        return epilogue(c + bias, **dict(zip(names, others)))

    made = [inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in ("c", "bias", *names)]
    function.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    return function


def _kind(name: str, array: Array, shape: tuple[int, ...]) -> str | None:
    if array.shape == (shape[1],):
        return "row"
    if array.size == 1:
        return "scalar"
    if array.shape == shape:
        return None
    raise ValueError(
        f"{name}: shape ({shape[1]},), a value for each channel, {shape}, or one element, not {array.shape}"
    )
