"""Convolutions by their definition in plain numpy, and drawn ones for tests: every parameter, type and layout."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product as every
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

Array = np.ndarray[Any, Any]
Pairs = tuple[tuple[int, int], ...]
TYPES: dict[str, tuple[Any, Any, Any]] = {
    "f64": (np.float64,) * 3,
    "f32": (np.float32,) * 3,
    "bf16": (ml_dtypes.bfloat16,) * 3,
    "f16": (np.float16,) * 3,
    "bf16f32": (ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32),
    "f32bf16": (np.float32, ml_dtypes.bfloat16, np.float32),
    "u8i8": (np.uint8, np.int8, np.int32),
    "i8i8": (np.int8, np.int8, np.int32),
    "u8u8": (np.uint8, np.uint8, np.int32),
    "i8u8": (np.int8, np.uint8, np.int32),
    "i16": (np.int16, np.int16, np.int32),
}
"""The types of x, w and y by a name."""
EXACT = np.dtype(np.int64)


def wide(array: Array) -> Array:
    """Return an array in a type in which the sums of a test are exact: integers, or f64."""
    return array.astype(EXACT if array.dtype.kind in "iu" else np.float64)


def convolution(
    x: Array, w: Array, stride: Sequence[int], padding: Pairs, dilation: Sequence[int], groups: int = 1, fill: int = 0
) -> Array:
    """Return the convolution by its definition: for each tap, the elements of x that it meets times its weights."""
    dims = x.ndim - 2
    padded = np.pad(wide(x), [(0, 0), (0, 0), *padding], constant_values=fill)
    taps, each = w.shape[2:], w.shape[0] // groups
    outputs = [
        (extent - apart * (count - 1) - 1) // step + 1
        for extent, count, step, apart in zip(padded.shape[2:], taps, stride, dilation)
    ]
    y = np.zeros((x.shape[0], w.shape[0], *outputs), padded.dtype)
    weights, c = wide(w), w.shape[1]
    for tap in every(*map(range, taps)):
        met = padded[
            (slice(None), slice(None))
            + tuple(
                slice(apart * t, apart * t + step * (count - 1) + 1, step)
                for t, step, apart, count in zip(tap, stride, dilation, outputs)
            )
        ]
        for g in range(groups):
            of_x = met[:, g * c : (g + 1) * c].reshape(x.shape[0], c, -1)
            of_w = weights[(slice(g * each, (g + 1) * each), slice(None), *tap)]
            y[:, g * each : (g + 1) * each] += np.matmul(of_w, of_x).reshape(x.shape[0], each, *outputs)
    assert len(outputs) == dims
    return y


def transposed(
    x: Array,
    w: Array,
    stride: Sequence[int],
    padding: Pairs,
    dilation: Sequence[int],
    groups: int = 1,
    more: Sequence[int] | None = None,
) -> Array:
    """Return the transposed convolution by its definition: each element of x adds its multiples of the weights to the
    places of a larger result, of which the padding is cut off."""
    dims = x.ndim - 2
    further = more or (0,) * dims
    whole = [
        (extent - 1) * step + apart * (count - 1) + 1 + later
        for extent, step, apart, count, later in zip(x.shape[2:], stride, dilation, w.shape[2:], further)
    ]
    of_x, of_w = wide(x), wide(w)
    y = np.zeros((x.shape[0], w.shape[1] * groups, *whole), of_x.dtype)
    c, k = w.shape[0] // groups, w.shape[1]
    for tap in every(*map(range, w.shape[2:])):
        to = tuple(
            slice(apart * t, apart * t + step * (extent - 1) + 1, step)
            for t, step, apart, extent in zip(tap, stride, dilation, x.shape[2:])
        )
        for g in range(groups):
            weights = of_w[(slice(g * c, (g + 1) * c), slice(None), *tap)].T
            part = np.matmul(weights, of_x[:, g * c : (g + 1) * c].reshape(x.shape[0], c, -1))
            y[(slice(None), slice(g * k, (g + 1) * k), *to)] += part.reshape(x.shape[0], k, *x.shape[2:])
    cut = tuple(slice(before, extent - after) for (before, after), extent in zip(padding, whole))
    return y[(slice(None), slice(None), *cut)]


def rounded(exact: Array, dtype: Any) -> Array:
    """Return exact sums in the type of the result: integers wrap, others are rounded once."""
    return exact.astype(dtype)


def same(extent: int, taps: int, stride: int, dilation: int, lower: bool) -> tuple[int, int]:
    """Return ONNX's padding for SAME_UPPER or SAME_LOWER, from its text: the total so that the result has
    ceil(extent / stride) elements, and an odd one at the end or at the beginning."""
    wanted = math.ceil(extent / stride)
    total = max(0, (wanted - 1) * stride + ((taps - 1) * dilation + 1) - extent)
    return (total - total // 2, total // 2) if lower else (total // 2, total - total // 2)


# Layouts


def lay(values: Array, way: str) -> Array:
    """Return an array with these values that lies in memory in this way."""
    if way == "first":
        return np.array(values, order="C")
    if way == "last":  # channels last
        return np.moveaxis(np.array(np.moveaxis(values, 1, -1), order="C"), -1, 1)
    if way == "gaps":  # a part of images with more channels and longer rows
        shape = [extent + more for extent, more in zip(values.shape, (1, 2, *[3] * (values.ndim - 2)))]
        inside = tuple(slice(more, more + extent) for extent, more in zip(values.shape, (1, 1, *[2] * 3)))
        found = np.full(shape, 77).astype(values.dtype)[inside]
    elif way == "last gaps":
        moved = np.moveaxis(values, 1, -1)
        shape = [extent + 2 for extent in moved.shape]
        found = np.moveaxis(np.full(shape, 77).astype(values.dtype)[tuple(slice(1, 1 + n) for n in moved.shape)], -1, 1)
    elif way == "steps":
        found = np.full([2 * extent for extent in values.shape], 77).astype(values.dtype)
        found = found[tuple(slice(None, None, 2) for _ in values.shape)]
    elif way == "backwards":
        found = np.full(values.shape, 77).astype(values.dtype)[..., ::-1]
    elif way == "channels backwards":
        found = lay(values[:, ::-1], "last")[:, ::-1]
    elif way == "upside down":
        found = lay(values[:, :, ::-1], "last")[:, :, ::-1]
    elif way == "turned":  # the axes of an image the other way round
        axes = (0, 1, *reversed(range(2, values.ndim)))
        return np.array(values.transpose(axes), order="C").transpose(axes)
    elif way == "images inside":
        return np.moveaxis(np.array(np.moveaxis(values, 0, -1), order="C"), -1, 0)
    else:
        raise ValueError(way)
    found[...] = values
    return found


WAYS = (
    "first",
    "last",
    "gaps",
    "last gaps",
    "steps",
    "backwards",
    "channels backwards",
    "upside down",
    "turned",
    "images inside",
)


class Case(NamedTuple):
    """A convolution of drawn parameters. `padding` is what the call is given, `pairs` what it means."""

    types: str
    x: Array
    w: Array
    bias: Array | None
    stride: tuple[int, ...]
    padding: Any
    pairs: Pairs
    dilation: tuple[int, ...]
    groups: int
    outputs: tuple[int, ...]
    transposed: bool = False
    more: tuple[int, ...] = ()

    @property
    def dims(self) -> int:
        """The axes of an image."""
        return self.x.ndim - 2

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        k = self.w.shape[1] * self.groups if self.transposed else self.w.shape[0]
        return (self.x.shape[0], k, *self.outputs)

    @property
    def given(self) -> dict[str, Any]:
        """The keywords of the call."""
        found = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups}
        return {**found, "output_padding": self.more} if self.transposed else found

    def exact(self) -> Array:
        """Return the sums, in integers or f64."""
        if self.transposed:
            y = transposed(self.x, self.w, self.stride, self.pairs, self.dilation, self.groups, self.more)
        else:
            y = convolution(self.x, self.w, self.stride, self.pairs, self.dilation, self.groups)
        if self.bias is not None:
            y = y + wide(self.bias).reshape(-1, *[1] * self.dims)
        assert y.shape == self.shape, (y.shape, self.shape)
        return y

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.given.items())
        name = "transposed " if self.transposed else ""
        bias = ", bias" if self.bias is not None else ""
        return f"{name}{self.types} {self.x.shape} by {self.w.shape}, {given}{bias}"


def numbers(shape: Sequence[int], dtype: Any, seed: int) -> Array:
    """Return integers so small that the sums of a test are exact in every type of sums, those of bytes over the
    whole range."""
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    rng = np.random.default_rng(seed)
    if kind in "iu" and size == 1:
        ends = np.iinfo(dtype)
        return rng.integers(ends.min, ends.max, shape, endpoint=True).astype(dtype)
    return rng.integers(-3, 3, shape, endpoint=True).astype(dtype)


@st.composite
def cases(draw: Any, types: str | None = None, backwards: bool | None = None, most: int = 5000) -> Case:
    """Draw a convolution of at most `most` products per image and channel, or a transposed one."""
    name = types or draw(st.sampled_from(list(TYPES)))
    of_x, of_w, of_y = TYPES[name]
    back = draw(st.booleans()) if backwards is None else backwards
    dims = draw(st.sampled_from([2, 2, 1, 3]))
    largest = {1: 60, 2: 13, 3: 6}[dims]
    taps = tuple(draw(st.integers(1, 4 if dims < 3 else 3)) for _ in range(dims))
    stride = tuple(draw(st.sampled_from([1, 1, 2, 3])) for _ in range(dims))
    dilation = tuple(draw(st.sampled_from([1, 1, 2, 3])) for _ in range(dims))
    groups = draw(st.sampled_from([1, 1, 1, 2, 3]))
    c, k = (groups * draw(st.one_of(st.integers(1, 5), st.integers(1, 20))) for _ in range(2))
    n = draw(st.integers(1, 3))
    more: tuple[int, ...] = ()
    how = draw(st.sampled_from(["none", "one", "each", "pairs", "valid", "same", "same_lower"]))
    inputs = tuple(draw(st.integers(1, largest)) for _ in range(dims))
    if back:
        more = tuple(draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation))
        how = how if how in ("none", "one", "each", "pairs", "valid") else "pairs"
    padding, pairs = _padding(draw, how, inputs, taps, stride, dilation)
    if back:
        outputs = tuple(
            (i - 1) * s - sum(p) + d * (t - 1) + 1 + m
            for i, s, p, d, t, m in zip(inputs, stride, pairs, dilation, taps, more)
        )
    else:
        outputs = tuple(
            (i + sum(p) - d * (t - 1) - 1) // s + 1 for i, s, p, d, t in zip(inputs, stride, pairs, dilation, taps)
        )
    if min(outputs) < 1:  # pad so much that there are results, or cut nothing off
        pairs = tuple((0, 0) if back else (d * t, 0) for d, t in zip(dilation, taps))
        padding = pairs
        outputs = tuple(
            (i - 1) * s + d * (t - 1) + 1 + m if back else (i + sum(p) - d * (t - 1) - 1) // s + 1
            for i, s, p, d, t, m in zip(inputs, stride, pairs, dilation, taps, more or (0,) * dims)
        )
    seed = draw(st.integers(0, 2**31))
    x = numbers((n, c, *inputs), of_x, seed)
    w = numbers((c, k // groups, *taps) if back else (k, c // groups, *taps), of_w, seed + 1)
    bias = numbers((k,), of_y, seed + 2) if draw(st.booleans()) else None
    return Case(name, x, w, bias, stride, padding, pairs, dilation, groups, outputs, back, more)


def _padding(
    draw: Any, how: str, inputs: Sequence[int], taps: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> tuple[Any, Pairs]:
    dims = len(inputs)
    some = st.one_of(st.integers(0, 2), st.integers(0, 7))
    if how == "none" or how == "valid":
        return ("valid" if how == "valid" else 0), ((0, 0),) * dims
    if how == "one":
        number = draw(some)
        return number, ((number, number),) * dims
    if how == "each":
        several = tuple(draw(some) for _ in range(dims))
        return several, tuple((each, each) for each in several)
    if how == "pairs":
        pairs = tuple((draw(some), draw(some)) for _ in range(dims))
        return pairs, pairs
    return how, tuple(same(*each, how == "same_lower") for each in zip(inputs, taps, stride, dilation))
