"""Weights of a layer in the panels that it reads, and what is folded into them: a factor or a batch norm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, as_array, numpy_dtype
from ..arguments.infer import type_of
from ..contraction import layer
from ..fastcall.foreign import of_tensor
from .geometry import Geometry

if TYPE_CHECKING:
    from ..api.typed import ArrayLike


PanelLayout, _weights_again = layer.PanelLayout, layer.packed_again
"""Where pickles of earlier versions look for them."""


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
    return np.asarray(_by_channels(name, value, channels)[0], np.float64)


def _by_channels(name: str, value: ArrayLike, channels: int) -> tuple[Array, str]:
    """Return an array with an element for each channel, and its type."""
    array = as_array(name, of_tensor(name, value))
    if array.shape != (channels,):
        raise ValueError(f"{name}: an element for each of {channels} channels, not shape {array.shape}")
    return array, type_of(name, array)


def _bias(value: ArrayLike, channels: int, dtype: str | None) -> Array:
    """Return a bias that is packed."""
    if dtype is None:
        raise TypeError("bias: this layer takes none; make it with bias=True")
    array, found = _by_channels("bias", value, channels)
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
