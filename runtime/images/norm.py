"""`batch_norm` and its gradient: channels normalised by their own statistics, or by running ones, on all cores.

Tiles of channels and rows are dealt out. The statistics of each are a mean and the sum of squares around it, both from
one walk over the tile while it is in a cache; the parts are then joined in f64, in an order that does not depend on the
number of threads. A second job applies mean, scale and bias.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.errors import shown
from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.graph import Expr
from ...microkernels.tuning.images import IMAGES
from ..api.fused import mean as mean_of
from ..api.fused import sum as sum_of
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.layouts import lying, new
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from ..host import detect as host
from ..kernel.request_cache import shared
from ..loops.code import Call, Node, Share, When, blocks_of, cases, index
from ..threads.policy import workers_of
from ..walks.job import ArraysJob
from ..walks.outputs import output_of
from ..walks.walk import Side, computed, kernel_of

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike

Given = Mapping[str, Expr]
Results = Expr | tuple[Expr, ...]


class NormStep(NamedTuple):
    """A step: arrays of the shape of x that it reads, vectors of an element for each channel, and its function.

    reduces   whether its results are sums over the elements of a tile, two for each channel, not an array
    """

    arrays: tuple[str, ...]
    vectors: tuple[str, ...]
    reduces: bool
    function: Callable[[Given, int], Results]


def _statistics(given: Given, axis: int) -> Results:
    mean = mean_of(given["x"], axis=axis)
    apart = given["x"] - mean
    return mean, sum_of(apart * apart, axis=axis)


def _gradients(given: Given, axis: int) -> Results:
    return sum_of(given["dy"], axis=axis), sum_of(given["dy"] * (given["x"] - given["mean"]), axis=axis)


STEPS = {
    "statistics": NormStep(("x",), (), True, _statistics),
    "normalise": NormStep(
        ("x",),
        ("mean", "scale", "bias"),
        False,
        lambda given, _: (given["x"] - given["mean"]) * given["scale"] + given["bias"],
    ),
    "gradients": NormStep(("dy", "x"), ("mean",), True, _gradients),
    "gradient": NormStep(
        ("dy", "x"),
        ("mean", "scale", "slope", "level"),
        False,
        lambda given, _: given["dy"] * given["scale"] + (given["x"] - given["mean"]) * given["slope"] + given["level"],
    ),
}


class NormRequest(NamedTuple):
    """A step on arrays of one shape: images, channels and places, with the elements from one to the next of each."""

    step: str
    shape: tuple[int, int, int]
    steps: tuple[int, int, int]
    dtype: str
    target: Target

    @property
    def parameters(self) -> str:
        """The type of vectors and of sums."""
        return "f64" if self.dtype == "f64" else "f32"

    @property
    def near(self) -> bool:
        """Whether channels are neighbours in memory."""
        return self.steps[1] == 1 and self.shape[1] > 1

    @property
    def block(self) -> tuple[int, int]:
        """The channels and the places of a tile."""
        _, channels, places = self.shape
        most = max(1, IMAGES.tile // ELEMENT_BYTES[self.dtype])
        if self.near:
            return channels, min(places, max(1, most // channels))
        block = min(channels, max(1, most // places))
        return block, places if block > 1 or places < 2 * most else most

    @property
    def parts(self) -> tuple[int, int]:
        """The tiles of an image along its places, and the places of the last."""
        size = self.block[1]
        count = -(-self.shape[2] // size)
        return count, self.shape[2] - (count - 1) * size


class Normalisation(ArraysJob[NormRequest]):
    """A step of a batch norm as a job: arrays, vectors, and the result or the sums of each tile."""

    _stem = "norm"

    @property
    def _asked(self) -> tuple[object, ...]:
        return self.request[:4]

    @property
    def _arrays(self) -> Sequence[tuple[str, str, bool]]:
        step, of, dtype = STEPS[self.request.step], self.request.parameters, self.request.dtype
        results = [("first", of, True), ("second", of, True)] if step.reduces else [("y", dtype, True)]
        read = *((name, dtype, False) for name in step.arrays), *((name, of, False) for name in step.vectors)
        return [*read, *results]

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        asked = self.request
        (images, channels, _), (some, few), (parts, rest) = asked.shape, asked.block, asked.parts
        headers = blocks_of("image", images, 1), blocks_of("channel", channels, some), blocks_of("part", parts, 1)
        body: list[Node] = []
        for case, of_channels in cases("channel", channels, some):
            last = When(index("part") - (parts - 1), "==", tuple(self._tile(of_channels, rest)))
            inside: list[Node] = [last]
            if parts > 1:
                inside.append(When(index("part") - (parts - 1), "<", tuple(self._tile(of_channels, few))))
            body += case(inside)
        return (Share(headers, tuple(body)),)

    def _tile(self, channels: int, places: int) -> list[Node]:
        asked, step = self.request, STEPS[self.request.step]
        start = index("image") * asked.steps[0] + index("channel") * asked.steps[1]
        start += index("part") * (asked.block[1] * asked.steps[2])
        size, of = ELEMENT_BYTES[asked.dtype], asked.parameters
        sides = [Side(at, asked.dtype, start * size, asked.steps[1:]) for at in range(len(step.arrays))]
        inputs = dict(zip(step.arrays, sides))
        for name in step.vectors:
            inputs[name] = Side(len(inputs), of, index("channel") * ELEMENT_BYTES[of], (1, 0))
        if not step.reduces:
            to = Side(len(inputs), asked.dtype, start * size, asked.steps[1:])
            return computed(lambda given: step.function(given, 0), (channels, places), inputs, (to,), self.target)
        axis = 0 if asked.near else 1
        shape, apart = ((places, channels), asked.steps[2]) if asked.near else ((channels, places), asked.steps[1])
        shapes = dict.fromkeys(step.arrays, shape)
        shapes |= dict.fromkeys(step.vectors, (1, channels) if asked.near else (channels, 1))
        leading = dict.fromkeys(step.arrays if shape[0] > 1 else (), apart)
        kernel = kernel_of(lambda given: step.function(given, axis), inputs, shapes, leading, (of, of), of, self.target)
        part = (index("image") * asked.parts[0] + index("part")) * asked.shape[1] + index("channel")
        sums = [Side(len(inputs) + number, of, part * ELEMENT_BYTES[of], ()) for number in range(2)]
        return [Call(kernel, tuple(each.address for each in (*inputs.values(), *sums)))]

    @property
    def cycles(self) -> int:
        """Estimated cycles of one core."""
        return math.prod(self.request.shape) * ELEMENT_BYTES[self.request.dtype] // 4

    def __repr__(self) -> str:
        return f"<{self.request.step} of {self.request.shape} {self.request.dtype} for {self.target.name}>"


job_for = shared(Normalisation)
"""Return the job of a step; equal ones share it."""


# Arrays


class _Images(NamedTuple):
    """Arrays of a batch norm, which lie alike: the shape of x, and the request of a step on them."""

    shape: tuple[int, ...]
    asked: NormRequest

    def at(self, step: str, arrays: Sequence[Array], threads: int) -> None:
        job_for(self.asked._replace(step=step)).on(arrays, threads)

    def joined(self, first: Array, second: Array) -> tuple[Array, Array]:
        """Return the mean of each channel and the sum of squares around it, from those of the parts."""
        counts = np.full(first.shape[:2], float(self.asked.block[1]))
        counts[:, -1] = self.asked.parts[1]
        weights = counts.reshape(-1, 1)
        means, squares = (each.reshape(-1, self.shape[1]).astype(np.float64) for each in (first, second))
        mean = (weights * means).sum(axis=0) / weights.sum()
        return mean, squares.sum(axis=0) + (weights * (means - mean) ** 2).sum(axis=0)

    def sums(self) -> tuple[Array, Array]:
        """Return new arrays for the sums of the tiles."""
        shape = self.shape[0], self.asked.parts[0], self.shape[1]
        dtype = numpy_dtype(self.asked.parameters)
        return np.empty(shape, dtype), np.empty(shape, dtype)


def _images(name: str, x: ArrayLike, target: TargetLike) -> tuple[Array, _Images]:
    """Return x as an array whose places are evenly apart, and the request."""
    seen = as_array(name, of_tensor(name, x))
    if seen.ndim < 2:
        raise ValueError(f"{name}: images and channels, (n, c) or (n, c, ...), not shape {seen.shape}")
    dtype = type_of(name, seen)
    if dtype not in ("f64", "f32", "bf16", "f16"):
        raise UnsupportedError(
            f"{name}: batch norm of f64, f32, bf16 or f16, not {dtype}; call it of {name}.astype(np.float32)"
        )
    if not _even(seen):
        seen = np.ascontiguousarray(seen)
    steps = lying(seen).strides
    inner = min((step for step, extent in zip(steps[2:], seen.shape[2:]) if extent > 1), default=1)
    shape = seen.shape[0], seen.shape[1], math.prod(seen.shape[2:])
    return seen, _Images(seen.shape, NormRequest("", shape, (steps[0], steps[1], inner), dtype, host.resolve(target)))


def _even(x: Array) -> bool:
    """Whether the places of an image lie evenly apart, and channels or places are neighbours."""
    size = x.itemsize
    wide = [stride for stride, extent in zip(x.strides, x.shape) if extent > 1]
    if address_of(x) % size or any(each % size or each <= 0 for each in wide) or not x.dtype.isnative:
        return False
    step = inner = 0
    for extent, stride in zip(reversed(x.shape[2:]), reversed(x.strides[2:])):
        if extent > 1:
            if step and stride != step:
                return False
            inner, step = inner or stride, stride * extent
    return inner in (0, size) or (x.strides[1] == size and x.shape[1] > 1)


def _vector(name: str, value: ArrayLike, channels: int, default: float, dtype: str) -> Array:
    if value is None:
        return np.full(channels, default)
    array = as_array(name, of_tensor(name, value))
    if array.shape != (channels,):
        raise ValueError(f"{name}: an element for each of {channels} channels, not shape {array.shape}")
    if type_of(name, array) not in ("f32", "f64", dtype):
        raise TypeError(f"{name}: f32, f64 or {dtype}, not {array.dtype}")
    return array.astype(np.float64)


def _number(name: str, value: object) -> float:
    if not isinstance(value, Real):
        raise TypeError(f"{name}: a number, not {shown(value)}")
    return float(value)


def _result(x: Array, out: ArrayLike, **others: Array) -> Array:
    """Return the array for the result, which lies as x does; `out` itself if it does."""
    if out is None:
        return new(x.shape, lying(x))
    to = output_of(out, x.shape, like=x, apart={"x": x, **others})
    return to if lying(to).strides == lying(x).strides and _even(to) else new(x.shape, lying(x))


def _given(result: Array, out: ArrayLike, *sources: ArrayLike) -> ArrayLike:
    if out is None:
        return returned(result, sources)
    to = as_array("out", of_tensor("out", out))
    if to is not result and address_of(to) != address_of(result):
        to[...] = result
    return out


def _updated(name: str, running: ArrayLike, now: Array, momentum: float) -> None:
    """Move running statistics towards those of a call."""
    array = as_array(name, of_tensor(name, running))
    if not array.flags.writeable:
        raise ValueError(f"{name}: read-only, but training=True updates it")
    array[...] = array * (1 - momentum) + momentum * now


@shortening
def batch_norm(
    x: ArrayLike,
    running_mean: ArrayLike = None,
    running_var: ArrayLike = None,
    weight: ArrayLike = None,
    bias: ArrayLike = None,
    *,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    return_statistics: bool = False,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    """Return (x - mean) / sqrt(var + eps) * weight + bias, with statistics of each channel of x (n, c, ...).

    running_mean, running_var   the statistics; with training=True those of x are taken, and the running ones, if given,
                become (1 - momentum) * running + momentum * those of x, with the unbiased variance
    weight, bias   an element for each channel; None: 1 and 0. All these vectors are f32 or f64, or of x's type
    return_statistics   also return the mean and 1 / sqrt(var + eps), f64, which `batch_norm_backward` takes
    out         an array for the result

    How x lies in memory is its strides: channels may be last. f64 is computed in f64, other types in f32. Variances are
    sums of squares around means, of parts that are joined in f64. Any number of threads gives the same bits. As in
    torch.nn.functional.batch_norm; the scale of a convolution's weights, `layer.pack(weights, scale=)`, folds a batch
    norm into the convolution before it.
    """
    seen, images = _images("x", x, target)
    channels, dtype = seen.shape[1], images.asked.dtype
    workers, extra = workers_of(threads, None), _number("eps", eps)
    factor, level = _vector("weight", weight, channels, 1.0, dtype), _vector("bias", bias, channels, 0.0, dtype)
    if not training and (running_mean is None or running_var is None):
        raise ValueError("running_mean, running_var: both are needed unless training=True")
    moves = _number("momentum", momentum)
    of_mean = _vector("running_mean", running_mean, channels, 0.0, dtype)
    of_var = _vector("running_var", running_var, channels, 1.0, dtype)
    y = _result(seen, out)
    if training:
        count = seen.size // max(1, channels)
        if count < 2:
            raise ValueError(
                f"x: more than {count} element for each channel, to have a variance, not shape {seen.shape}"
            )
        parts = images.sums()
        images.at("statistics", [seen, *parts], workers)
        of_mean, squares = images.joined(*parts)
        of_var = squares / count
        for name, running, now in (
            ("running_mean", running_mean, of_mean),
            ("running_var", running_var, squares / (count - 1)),
        ):
            if running is not None:
                _updated(name, running, now, moves)
    spread = 1.0 / np.sqrt(of_var + extra)
    if seen.size:
        vectors = _vectors(images, of_mean, factor * spread, level)
        images.at("normalise", [seen, *vectors, y], workers)
    result = _given(y, out, x)
    return (result, of_mean, spread) if return_statistics else result


@shortening
def batch_norm_backward(
    dy: ArrayLike,
    x: ArrayLike,
    weight: ArrayLike,
    mean: ArrayLike,
    inverse: ArrayLike,
    *,
    training: bool = True,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> tuple[ArrayLike, Array, Array]:
    """Return the gradients of `batch_norm` by x, the weight and the bias, from dy, that by its result.

    weight          as in the call; None: 1
    mean, inverse   the mean and 1 / sqrt(var + eps) of each channel, as `batch_norm(..., return_statistics=True)`
                    returns them
    training        whether they were those of x, which depend on x, too

    The gradient by x lies in memory as x does, unless `out` is given; the others are f64.
    """
    seen, images = _images("x", x, target)
    given = as_array("dy", of_tensor("dy", dy))
    channels, dtype = seen.shape[1], images.asked.dtype
    if given.shape != seen.shape or type_of("dy", given) != dtype:
        raise ValueError(f"dy: as x, {seen.dtype} {seen.shape}, not {given.dtype} {given.shape}")
    if lying(given).strides != lying(seen).strides or not _even(given):
        beside = new(seen.shape, lying(seen))
        if lying(beside).strides != lying(seen).strides:
            seen, images = _images("x", np.ascontiguousarray(seen), target)
            beside = new(seen.shape, lying(seen))
        beside[...] = given
        given = beside
    factor = _vector("weight", weight, channels, 1.0, dtype)
    center, spread = (
        _vector(name, each, channels, 0.0, dtype) for name, each in (("mean", mean), ("inverse", inverse))
    )
    workers = workers_of(threads, None)
    dx = _result(seen, out, dy=given)
    if not seen.size:
        return _given(dx, out, dy), np.zeros(channels), np.zeros(channels)
    parts = images.sums()
    images.at("gradients", [given, seen, *_vectors(images, center), *parts], workers)
    total, slope = (each.reshape(-1, channels).sum(axis=0, dtype=np.float64) for each in parts)
    scale = factor * spread
    if training:
        count = seen.size // channels
        vectors = _vectors(images, center, scale, -scale * spread**2 * slope / count, -scale * total / count)
    else:
        vectors = _vectors(images, center, scale, 0 * scale, 0 * scale)
    images.at("gradient", [given, seen, *vectors, dx], workers)
    return _given(dx, out, dy), slope * spread, total


def _vectors(images: _Images, *given: Array) -> list[Array]:
    dtype = numpy_dtype(images.asked.parameters)
    return [np.ascontiguousarray(each, dtype) for each in given]
