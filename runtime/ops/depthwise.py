"""Depthwise convolutions, and those of small groups, of arrays of any layout, on all cores.

    y[n, k, p, q] = f(bias[k] + sum over c, r, s of x[n, g + c, p * stride - top + r * dilation, ...] * w[k, c, r, s])

Each worker computes bands of rows of images. An image whose channels are neighbours (NHWC) is read where it lies, and
taps beside it are left out. Of other images, a band is transposed to the worker's scratch memory first, and its results
are transposed back. Where groups have several channels or several results, the channels are repeated in a copy of x, so
that each result has its own channels: the kernel is the same then.

The bands follow from the shapes, not from the number of threads, and so do the bits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.depthwise.spec import depthwise_spec
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES, element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import behind_first
from ...microkernels.operands import CACHE_LINE, Operand
from ...microkernels.transform.spec import transpose_spec
from ...microkernels.windows import Padding, Pair, extents, padded, pair
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype
from ..arguments.matrices import apart, writable
from ..arguments.others import returned
from ..host import detect as host
from ..kernel.accuracy import default_accuracy
from ..kernel.callable import Kernel, kept
from ..kernel.instead import cycles_of
from ..kernel.reads import EpilogueKeys
from ..loops.code import WORKER, Address, Affine, Call, Header, Node, Share, When, affine, index
from ..loops.job import Job
from ..threads.policy import checked, num_threads
from . import scratch
from .blocks import L2

_PARTS = 64
"""The most bands of all images: enough for the cores of one machine."""
_LEAST = 64 << 10
"""The least bytes of an image and its result per band, if it has more than one."""
_ROWS = 4
"""Bands have a multiple of this many rows, since blocks of the kernel have up to so many."""
_CONFLICTS = 1024
"""Weights a multiple of this many bytes apart share few sets of L1."""


class _Lying(NamedTuple):
    """How an array lies in memory, in elements: images, and pixels, if channels are neighbours. Of other arrays, whose
    pixels are neighbours, the distance of channels."""

    images: int
    pixels: int
    pitch: int
    channels: int = 1

    @property
    def last(self) -> bool:
        """Whether channels are neighbours."""
        return self.channels == 1


class _Request(NamedTuple):
    """Everything that the loops depend on. `extras` are the names and kinds of f's operands behind the sums."""

    shape: tuple[int, int, int, int]
    taps: Pair
    stride: Pair
    padding: Padding
    dilation: Pair
    depth: int
    results: int
    dtypes: tuple[str, str, str]
    x: _Lying
    y: _Lying
    extras: tuple[tuple[str, str | None, str], ...]
    target: Any

    @property
    def extents(self) -> Pair:
        """The height and width of the result."""
        return extents(self.shape[2:], self.taps, self.stride, self.padding, self.dilation)


class _Band(NamedTuple):
    """Rows of results and the rows of x that they read: the first of each, their counts, and the zeros around."""

    first: int
    rows: int
    at: int
    height: int
    zeros: Pair


class _Convolution:
    """The loops of a request, as a job."""

    def __init__(self, request: _Request, function: Callable[..., Any] | None) -> None:
        self.request, self.function = request, function
        self.target = host.resolve(request.target)
        self.sizes = [ELEMENT_BYTES[each] for each in request.dtypes]
        x, y = request.x, request.y
        self.own_x, self.own_y = not x.last, not y.last
        self.ldx = self._padded(request.depth * request.results, self.sizes[0]) if self.own_x else x.pixels
        self.ldy = self._padded(request.results, self.sizes[2]) if self.own_y else y.pixels
        self.ldw = self._padded(request.results, self.sizes[1])
        self.bands = list(self._bands())
        rows = max(each.height for each in self.bands), max(each.rows for each in self.bands)
        line = CACHE_LINE
        self.bytes_x = -(-rows[0] * request.shape[3] * self.ldx * self.sizes[0] // line) * line * self.own_x
        self.bytes_y = -(-rows[1] * request.extents[1] * self.ldy * self.sizes[2] // line) * line * self.own_y
        self.names = ["x", "w", *(name for name, *_ in request.extras), "y", "scratch"]

    def _padded(self, elements: int, size: int) -> int:
        conflicts = elements * size % _CONFLICTS == 0
        return elements + CACHE_LINE // size * conflicts

    def _bands(self) -> Iterator[_Band]:
        """Yield the bands of an image."""
        request = self.request
        (images, _, height, width), (rows, columns) = request.shape, request.extents
        of_image = height * width * request.depth * request.results * self.sizes[0]
        of_image += rows * columns * request.results * self.sizes[2]
        count = max(1, min(-(-_PARTS // images), of_image // _LEAST, -(-rows // _ROWS)))
        if self.own_x or self.own_y:  # the scratch memory of a band stays in L2
            count = max(count, -(-2 * of_image // (self.target.l2 or L2)))
        (top, bottom), (step, _), reach = (
            request.padding[0],
            request.stride,
            (request.taps[0] - 1) * request.dilation[0] + 1,
        )
        if max(top, bottom) >= reach:  # there are rows of results without a row of x
            count = 1
        block = -((-rows // count) // _ROWS) * _ROWS if count > 1 else rows
        for first in range(0, rows, block):
            count = min(block, rows - first)
            start, end = first * step - top, (first + count - 1) * step - top + reach
            low, high = max(0, start), min(height, end)
            yield _Band(first, count, low, high - low, (low - start, end - high))

    def kernel(self, band: _Band) -> Kernel:
        """Return the kernel of a band."""
        request = self.request
        spec = depthwise_spec(
            band.height,
            request.shape[3],
            request.results,
            request.taps,
            stride=request.stride,
            padding=(band.zeros, request.padding[1]),
            dilation=request.dilation,
            depth=request.depth,
            dtype=request.dtypes,
            pitch=request.shape[3] if self.own_x else request.x.pitch,
            ldx=self.ldx,
            ldw=self.ldw,
            ldy=self.ldy,
            epilogue=self.function,
            operands={name: (kind, dtype) for name, kind, dtype in request.extras},
            accuracy=default_accuracy(),
        )
        assert spec.extents[0] == band.rows, "a band has the rows of its kernel"
        return kept(spec, self.target)

    @cached_property
    def job(self) -> Job:
        """The loops and kernels as machine code."""
        return Job(self.nodes(), self.target, "depthwise")

    def made(self) -> None:
        """Make the code. Raises UnsupportedError if a kernel takes too many instructions."""
        _ = self.job

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops over images and bands. Bands that differ only in their place are one call."""
        body: list[Node] = []
        alike = groupby(enumerate(self.bands), lambda each: (each[1].rows, each[1].height, each[1].zeros))
        for _, group in alike:
            numbered = list(group)
            (first, band), last = numbered[0], numbered[-1][0]
            here = index("band") - first
            if len(numbered) == 1:
                body.append(When(here, "==", self._calls(band, affine(0))))
            else:
                inner = When(index("band") - last, "<=", self._calls(band, here))
                body.append(When(here, ">=", (inner,)))
        images = Header("image", affine(0), (affine(self.request.shape[0]),), 1, self.request.shape[0])
        bands = Header("band", affine(0), (affine(len(self.bands)),), 1, len(self.bands))
        return (Share((images, bands), tuple(body)),)

    def _calls(self, band: _Band, here: Affine) -> tuple[Node, ...]:
        """Return the calls of a band, or of bands of equal rows from it on, of which `here` is the number."""
        request, image, columns = self.request, index("image"), self.request.extents[1]
        step = band.rows * request.stride[0]
        places = {name: number for number, name in enumerate(self.names)}
        row_x, row_y = here * step + band.at, here * band.rows + band.first
        kernel, (size_x, _, size_y) = self.kernel(band), self.sizes
        own = index(WORKER) * (self.bytes_x + self.bytes_y)
        if self.own_x:
            at_x = Address(places["scratch"], own)
            source = image * request.x.images + row_x * request.shape[3]
            to_band = self._transpose(
                request.shape[1], band.height * request.shape[3], request.dtypes[0], request.x.channels, self.ldx
            )
            before = (Call(to_band, (Address(places["x"], source * size_x), at_x)),)
        else:
            at_x = Address(places["x"], (image * request.x.images + row_x * (request.x.pitch * self.ldx)) * size_x)
            before = ()
        result = image * request.y.images + row_y * columns * (1 if self.own_y else self.ldy)
        if self.own_y:
            at_y = Address(places["scratch"], own + self.bytes_x)
            back = self._transpose(
                band.rows * columns, request.results, request.dtypes[2], self.ldy, request.y.channels
            )
            after = (Call(back, (at_y, Address(places["y"], result * size_y))),)
        else:
            at_y, after = Address(places["y"], result * size_y), ()
        arguments = [at_x, Address(places["w"])]
        for operand in kernel.spec.walk.inputs[1:]:  # type: ignore[attr-defined]
            distance = self._distance(operand)
            place = (image * request.extents[0] + row_y) * columns * distance
            arguments.append(Address(places[operand.name], place) if distance else Address(places[operand.name]))
        return (*before, Call(kernel, (*arguments, at_y)), *after)

    def _distance(self, operand: Operand) -> int:
        """Return the bytes between neighbouring pixels of an operand of f."""
        return operand.columns * ELEMENT_BYTES[operand.dtype] if operand.rows > 1 else 0

    def _transpose(self, rows: int, columns: int, dtype: str, ldx: int, ldy: int) -> Kernel:
        return kept(transpose_spec(rows, columns, dtype=dtype, ldx=ldx, ldy=ldy), self.target)

    @cached_property
    def cycles(self) -> int:
        """The cycles of one thread, by the planners' estimates."""
        found = sum(cycles_of(self.kernel(band)) for band in self.bands)
        return int(found * self.request.shape[0])

    def run(self, arrays: Mapping[str, Array], threads: int) -> None:
        """Compute."""
        with scratch.buffer((self.bytes_x + self.bytes_y) * threads) as buffer:
            words = [address_of(arrays[name]) if name in arrays else buffer.address for name in self.names]
            self.job.run(words, threads, 0, self.cycles)


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
    x: Any,
    w: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    out: Any = None,
    epilogue: Callable[..., Any] | None = None,
    operands: Mapping[str, Any] | None = None,
    dtype: Any = None,
    threads: int | None = None,
    target: Any = None,
) -> Any:
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
    state = EpilogueKeys.state(epilogue)
    key = None if epilogue is not None and state is None else (lying, to, *asked, tuple(given), bias is None, state)
    found = _kept(key)
    if found is None:
        found = _prepared(image, weights, given, result, asked, epilogue, bias is not None)
        _keep(key, found)
    arrays = {name: _laid(each, found.kinds[name]) for name, each in given.items()}
    if result is not None:
        writable("out", result)
        apart("out", result, x=image, w=weights, **given)
    y = _new(found.shape, found.dtype, found.last) if result is None or found.copied else result
    arrays |= {"x": found.image(image), "w": _packed(weights, found.convolution.ldw), "y": y}
    found.convolution.run(arrays, num_threads() if threads is None else checked(threads, "threads"))
    if result is None:
        return returned(y, (x, w))
    if y is not result:
        result[...] = y
    return out


class _Prepared(NamedTuple):
    """What calls with arrays of the same shapes, strides and types have in common.

    shapes, zeros   how x is repeated, and the zeros that a copy of it has; None: x is read where it lies
    kinds           of the operands of f: "row", "scalar", or None for a value for each result
    last, copied    whether channels of y are neighbours, and whether y is copied to the array that was given
    """

    convolution: _Convolution
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


_KEPT: dict[Any, _Prepared] = {}
_MOST = 256
"""How many convolutions are kept with their code."""


def _kept(key: Any) -> _Prepared | None:
    try:
        return None if key is None else _KEPT.get(key)
    except TypeError:  # a list among the parameters
        return None


def _keep(key: Any, prepared: _Prepared) -> None:
    with suppress(TypeError):
        if len(_KEPT) >= _MOST:
            _KEPT.clear()
        if key is not None:
            _KEPT[key] = prepared


def _prepared(
    x: Array,
    w: Array,
    given: Mapping[str, Array],
    out: Array | None,
    asked: tuple[Any, ...],
    epilogue: Callable[..., Any] | None,
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

    def request(of_x: _Lying, size: Pair, zeros: Padding) -> _Request:
        channels = of.depth * shape[1]
        return _Request(
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

    def copied(zeros: Padding) -> _Convolution:
        (top, bottom), (left, right) = zeros
        size = x.shape[2] + top + bottom, x.shape[3] + left + right
        of_x = _of_shape((shape[0], of.depth * shape[1], *size), True)
        rest: Any = ((0, 0), (0, 0)) if zeros != ((0, 0), (0, 0)) else of.padding
        return _Convolution(request(of_x, size, rest), function)

    convolution = copied(((0, 0), (0, 0)))
    if lying is not None:
        convolution = _Convolution(request(lying, (x.shape[2], x.shape[3]), of.padding), function)
    copies, zeros = (of if lying is None else None), None
    try:
        convolution.made()
    except UnsupportedError:
        if of.padding == ((0, 0), (0, 0)):
            raise
        convolution, copies, zeros = copied(of.padding), of, of.padding
    return _Prepared(convolution, copies, zeros, kinds, shape, types[2], last, out is not None and to is None)


def _shapes(x: Array, w: Array, groups: int | None, stride: Any, padding: Any, dilation: Any) -> _Shapes:
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
    zeros = _zeros(padding, (x.shape[2], x.shape[3]), taps, steps, far)
    return _Shapes(count, channels // count, results // count, taps, steps, zeros, far)


def _zeros(padding: Any, size: Pair, taps: Pair, stride: Pair, dilation: Pair) -> Padding:
    """Return the zeros before and after rows and columns."""
    if not isinstance(padding, str):
        return padded(padding)
    if padding == "valid":
        return (0, 0), (0, 0)
    if padding not in ("same", "same_lower"):
        raise ValueError(f'padding: numbers, "valid", "same" or "same_lower", not {padding!r}')
    made = []
    for n, t, step, far in zip(size, taps, stride, dilation):
        total = max(0, (-(-n // step) - 1) * step + (t - 1) * far + 1 - n)
        less = total // 2
        made.append((less, total - less) if padding == "same" else (total - less, less))
    return made[0], made[1]


def _types(x: Array, w: Array, dtype: Any) -> tuple[str, str, str]:
    """Return the types of x, w and the result."""
    of_x, of_w = element_type("x", x.dtype), element_type("w", w.dtype)
    result = (of_x if DTYPES[of_x].real else "i32") if dtype is None else element_type("dtype", dtype)
    return of_x, of_w, result


def _lying(array: Array) -> _Lying | None:
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
            return _Lying(images, pixels, rows // pixels)
    elif (pixels == 1 or w == 1) and (rows == w or h == 1) and channels >= h * w:
        return _Lying(images, 1, w, channels)
    return None


def _of_shape(shape: tuple[int, int, int, int], last: bool) -> _Lying:
    """Return how a new array lies."""
    _, c, h, w = shape
    return _Lying(c * h * w, c, w) if last or c == 1 or h * w == 1 else _Lying(c * h * w, 1, w, h * w)


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
    return made.reshape(*made.shape[:3], -1).transpose(0, 3, 1, 2)


def _packed(w: Array, leading: int) -> Array:
    """Return weights (taps, channels of a group, K), with gaps between the rows of memory."""
    results, depth, r, s = w.shape
    rows = r * s * depth
    made = bytes_at_a_line(rows * leading * w.itemsize).view(w.dtype).reshape(rows, leading)
    made[:, :results] = w.transpose(2, 3, 1, 0).reshape(rows, results)
    return made


def _plus_bias(c: Any, bias: Any) -> Any:
    return c + bias


def _laid(array: Array, kind: str | None) -> Array:
    """Return an operand of f as the loops read it."""
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1) if kind is None else array)


def _with_bias(
    epilogue: Callable[..., Any] | None, given: Mapping[str, Array], biased: bool, shape: tuple[int, ...]
) -> tuple[Callable[..., Any] | None, dict[str, str | None]]:
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


def _after_bias(epilogue: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    """Return a function of the sums, the bias and the operands of an epilogue."""

    def function(c: Any, bias: Any, *others: Any) -> Any:
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
