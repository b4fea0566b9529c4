"""Weights of a layer in the panels that it reads, and what is folded into them: a factor or a batch norm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from ..api.aligned import kept_at_a_line
from ..arguments.arrays import Array, as_array, numpy_dtype
from ..arguments.infer import type_of
from ..fastcall.foreign import of_tensor
from .geometry import Geometry

if TYPE_CHECKING:
    from ..api.typed import ArrayLike


class PanelLayout(NamedTuple):
    """How packed weights lie, and what was done to them. Layers of equal layouts take each other's weights.

    shape, dtype  of the weights
    fill          the value of x that stands for 0
    parts         how the panels of each part lie: see `Contracted.panels_lie`
    target        the name of the target that the panels are for
    """

    shape: tuple[int, ...]
    dtype: str
    fill: int
    parts: tuple[object, ...]
    target: str


class Weights:
    """Weights in the panels that a convolution reads: see `Convolution.pack`.

    bias    a bias that calls therefore leave out, or None
    shift   what is added to the sums of each channel because a value of x other than 0 stands for 0, or None
    first   the bias and the shift, or None without a bias
    """

    __slots__ = ("array", "bias", "first", "layout", "shift")

    def __init__(self, layout: PanelLayout, array: Array, bias: Array | None, shift: Array | None) -> None:
        self.layout, self.array, self.bias, self.shift = layout, array, bias, shift
        self.first = bias if bias is None or shift is None else bias + shift

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _weights_again, (self.layout, np.array(self.array), self.bias, self.shift)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.layout.shape))
        bias = " and a bias" if self.bias is not None else ""
        return f"<weights {shape} {self.layout.dtype}{bias}, packed for {self.layout.target}>"


def _weights_again(layout: PanelLayout, array: Array, bias: Array | None, shift: Array | None) -> Weights:
    """Return weights from a pickle, which begin at a line and are read-only again."""
    return Weights(layout, kept_at_a_line(array), bias, shift)


class Folded(NamedTuple):
    """What weights are packed with.

    scale        a factor for each channel of the result, or None
    batch_norm   the vectors of a batch norm by the names of `batch_norm`, or None
    eps          what is added to its variance
    bias         the bias before the batch norm, or None
    """

    scale: ArrayLike
    batch_norm: Mapping[str, ArrayLike] | None
    eps: float
    bias: ArrayLike


BATCH_NORM = "running_mean", "running_var", "weight", "bias"
"""The vectors of a batch norm, as `batch_norm` and torch's state_dict() call them."""


def folded(
    geometry: Geometry, backwards: bool, types: tuple[str, str | None], weights: ArrayLike, given: Folded
) -> tuple[Array, Array | None]:
    """Return the weights and the bias of a layer, as they are or folded in f64 and rounded once.

    types   of the weights and of the bias of calls; None: the layer has none
    """
    shape = (geometry.k, geometry.c // geometry.groups, *geometry.taps)
    channels = geometry.c if backwards else geometry.k
    array = as_array("weights", of_tensor("weights", weights))
    if array.shape != shape:
        raise ValueError(f"weights: shape {shape}, not {array.shape}")
    wanted = numpy_dtype(types[0])
    real, found = DTYPES[types[0]].real, type_of("weights", array)
    factor, norm = _affine(given, channels)
    if factor is not None and not real:
        raise UnsupportedError(
            f"{'scale' if given.batch_norm is None else 'batch_norm'}: for weights of floats, not {types[0]}; fold it "
            "before they become integers, or multiply the sums by it: epilogue=lambda c, scale: c * scale"
        )
    if array.dtype != wanted and not (factor is not None and DTYPES[found].real):
        raise TypeError(
            f"weights: {types[0]}, not {array.dtype}; weights.astype({_numpy_name(types[0])}) converts them"
        )
    bias = None if given.bias is None else _bias(given.bias, channels, types[1])
    if factor is not None:
        array = np.asarray(_by_channel(geometry, backwards, array, factor), wanted)
        if given.batch_norm is not None and types[1] is None:
            raise TypeError(
                "batch_norm: adds a number to each channel, which this layer does not take; make it with bias=True"
            )
    if factor is not None and norm is not None:
        mean, level = norm
        bias = ((np.zeros(channels) if bias is None else bias) - mean) * factor + level
    return array, None if bias is None else np.asarray(bias, numpy_dtype(types[1] or "f32"))


def _affine(given: Folded, channels: int) -> tuple[Array | None, tuple[Array, Array] | None]:
    """Return the factor of each channel in f64, or None, and of a batch norm also its mean and what it adds."""
    if given.batch_norm is None:
        return (None, None) if given.scale is None else (_vector("scale", given.scale, channels), None)
    if given.scale is not None:
        raise TypeError("scale: a batch norm has a factor of its own, so give scale= or batch_norm=, not both")
    norm = given.batch_norm
    if not isinstance(norm, Mapping) or not {"running_mean", "running_var"} <= norm.keys():
        raise TypeError(
            f"batch_norm: vectors by name, {{'running_mean': mean, 'running_var': var, 'weight': gamma, 'bias': beta}} "
            f"or a state_dict() of torch, of which the last two may be left out, not {shown(norm)}"
        )
    unknown = [name for name in norm if name not in (*BATCH_NORM, "num_batches_tracked")]
    if unknown:
        raise TypeError(f"batch_norm: {', '.join(BATCH_NORM)}, not {unknown[0]!r}")
    mean, var, weight, bias = (
        np.full(channels, usual) if norm.get(name) is None else _vector(name, norm[name], channels)
        for name, usual in zip(BATCH_NORM, (0.0, 1.0, 1.0, 0.0))
    )
    return weight / np.sqrt(var + float(given.eps)), (mean, bias)


def _vector(name: str, value: ArrayLike, channels: int) -> Array:
    array = as_array(name, of_tensor(name, value))
    if array.shape != (channels,):
        raise ValueError(f"{name}: an element for each of {channels} channels, not shape {array.shape}")
    type_of(name, array)
    return np.asarray(array, np.float64)


def _bias(value: ArrayLike, channels: int, dtype: str | None) -> Array:
    """Return a bias that is packed."""
    if dtype is None:
        raise TypeError("bias: this layer takes none; make it with bias=True")
    array = as_array("bias", of_tensor("bias", value))
    if array.shape != (channels,):
        raise ValueError(f"bias: an element for each of {channels} channels, not shape {array.shape}")
    found = type_of("bias", array)
    if found != dtype and not (DTYPES[found].real and DTYPES[dtype].real):
        raise TypeError(f"bias: {dtype}, not {array.dtype}; bias.astype({_numpy_name(dtype)}) converts it")
    return np.asarray(array, np.float64) if DTYPES[dtype].real else array


def _by_channel(g: Geometry, backwards: bool, weights: Array, factor: Array) -> Array:
    """Return the weights, each multiplied by the factor of its channel of the result, in f64."""
    wide = weights.astype(np.float64)
    if not backwards:
        return np.asarray(wide * factor.reshape(-1, *[1] * (weights.ndim - 1)))
    each = factor.reshape(g.groups, 1, g.c // g.groups, 1)
    return np.asarray((wide.reshape(g.groups, g.k // g.groups, g.c // g.groups, -1) * each).reshape(weights.shape))


def _numpy_name(dtype: str) -> str:
    name = numpy_dtype(dtype).name
    return f"ml_dtypes.{name}" if name == "bfloat16" else f"np.{name}"


def by_name(
    names: Sequence[str], operands: Sequence[ArrayLike], named: Mapping[str, ArrayLike], packed: bool
) -> tuple[ArrayLike, ...]:
    """Return the further operands of a call in their order, which were given by place and by name."""
    given = dict(zip(names, operands))
    takes = ", ".join(names) if names else "none"
    whose = "with weights that have a bias, this layer" if packed else "this layer"
    if len(operands) > len(names):
        raise TypeError(f"{whose} takes further operands: {takes}; {len(operands)} are given")
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"{name}: {whose} takes further operands: {takes}, out= and threads=")
        if name in given:
            raise TypeError(f"{name}: given by its place and by its name")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise TypeError(
            f"{whose} takes further operands: {takes}; {len(given)} are given, so that {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing; give them by place or by name, {missing[0]}="
        )
    return tuple(given[name] for name in names)
