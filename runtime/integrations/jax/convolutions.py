"""Convolutions, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import jax.numpy as jnp

from ....microkernels.errors import UnsupportedError
from ...arguments.layouts import MemoryLayout, like
from ...contraction.arrays import summed
from ...contraction.epilogues import traced
from ...convolution import forms
from ...convolution.functions import BIAS, layer_of
from ...convolution.geometry import ConvolutionWindow, Geometry
from ...convolution.request import ConvolutionRequest, FurtherOperand
from ...host import detect as host
from ...kernel.accuracy import default_accuracy
from .callees import callee_of
from .handler import ArrayType, HandlerPlan
from .library import Array
from .operation import Arrays, Operation, apply


@dataclass(frozen=True)
class Convolution(Operation):
    """A convolution of x, as `order` says it lies, by weights (k, c / groups, *taps), and perhaps a bias (k,).

    window  strides, padding, dilation, groups
    last    whether the channels of x and of the result lie behind the places, and the weights are (*taps, c, k)
    """

    window: ConvolutionWindow
    last: bool
    biased: bool

    def planned(self, *operands: ArrayType) -> HandlerPlan:
        """Return the handler of a layer that packs the weights in each call."""
        x, w, *_ = operands
        (result,) = self.results(*operands)
        geometry = self._geometry(x, w)
        types = (x.dtype,) * 3
        trace, names = traced(None, BIAS if self.biased else None, {BIAS: x.dtype} if self.biased else {}, types)
        more = tuple(FurtherOperand(each, MemoryLayout(x.dtype, (1,))) for each in names)
        request = ConvolutionRequest(
            geometry,
            False,
            self._images(geometry.x, x.dtype),
            self._weights(geometry, w.dtype),
            self._images(geometry.y, x.dtype),
            0,
            trace,
            more,
            default_accuracy(),
            None,
            host.resolve(None),
        )
        return _of_layer(request, operands, result, (0, 1, len(operands), *range(2, len(operands))))

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return the images."""
        x, w, *_ = operands
        shape = self._geometry(x, w).y
        return (ArrayType(x.dtype, self._shown(shape)),)

    def _geometry(self, x: ArrayType, w: ArrayType) -> Geometry:
        return self.window.of(self._seen(x.shape), self._kernel(w.shape), f"conv{len(x.shape) - 2}d")

    def _seen(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of images with the channels in the second place."""
        return (shape[0], shape[-1], *shape[1:-1]) if self.last else tuple(shape)

    def _shown(self, shape: Sequence[int]) -> tuple[int, ...]:
        return (shape[0], *shape[2:], shape[1]) if self.last else tuple(shape)

    def _kernel(self, shape: Sequence[int]) -> tuple[int, ...]:
        return (shape[-1], shape[-2], *shape[:-2]) if self.last else tuple(shape)

    def _images(self, shape: Sequence[int], dtype: str) -> MemoryLayout:
        axes = range(len(shape))
        return like(shape, (0, *axes[2:], 1) if self.last else axes, dtype)

    def _weights(self, geometry: Geometry, dtype: str) -> MemoryLayout:
        shape = (geometry.k, geometry.c // geometry.groups, *geometry.taps)
        axes = range(len(shape))
        return like(shape, (*axes[2:], 1, 0) if self.last else axes, dtype)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further images, if they share their weights."""
        if any(batched[1:]):
            return super().batch(size, batched, operands)
        x, *others = operands
        (made,) = apply(self, x.reshape(-1, *x.shape[2:]), *others)
        return (made.reshape(size, -1, *made.shape[1:]),)

    def kept(self, operands: Arrays, results: Arrays) -> Arrays:
        """Keep x and the weights."""
        return operands[:2]

    def gradients(self, kept: Arrays, slopes: Arrays) -> tuple[Array | None, ...]:
        """Return the gradients by x, the weights and the bias."""
        (x, w), (slope,) = kept, slopes
        (by_x,) = apply(DataGradient(self.window, self.last, self.biased, tuple(x.shape)), slope, w)
        (by_w,) = apply(WeightsGradient(self.window, self.last, self.biased, tuple(w.shape)), slope, x)
        axes = [axis for axis in range(slope.ndim) if axis != (slope.ndim - 1 if self.last else 1)]
        return by_x, by_w, *([jnp.sum(slope, axis=tuple(axes))] if self.biased else [])


@dataclass(frozen=True)
class DataGradient(Convolution):
    """The gradient by the data, of the slope and the weights: a transposed convolution.

    shape  of the data, which several shapes of results have in common
    """

    shape: tuple[int, ...]

    def planned(self, *operands: ArrayType) -> HandlerPlan:
        """Return the handler."""
        g, w = operands
        (result,) = self.results(*operands)
        geometry = self._geometry(result, w)
        request = ConvolutionRequest(
            geometry,
            True,
            self._images(geometry.y, g.dtype),
            self._weights(geometry, g.dtype),
            self._images(geometry.x, g.dtype),
            0,
            None,
            (),
            None,
            None,
            host.resolve(None),
        )
        return _of_layer(request, operands, result, (0, 1, 2))

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return an array like the data."""
        return (ArrayType(operands[0].dtype, self.shape),)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Let samples be further images, if they share their weights."""
        if batched[1]:
            return Operation.batch(self, size, batched, operands)
        g, w = operands
        more = replace(self, shape=(size * self.shape[0], *self.shape[1:]))
        (made,) = apply(more, g.reshape(-1, *g.shape[2:]), w)
        return (made.reshape(size, *self.shape),)


@dataclass(frozen=True)
class WeightsGradient(Convolution):
    """The gradient by the weights, of the slope and the data: sums over all images and places.

    shape  of the weights
    """

    shape: tuple[int, ...]

    def planned(self, *operands: ArrayType) -> HandlerPlan:
        """Return the handler."""
        g, x = operands
        (result,) = self.results(*operands)
        geometry = self._geometry(x, result)
        lying = self._images(geometry.y, g.dtype), self._images(geometry.x, g.dtype)
        form = forms.by_weights(geometry, *lying, self._weights(geometry, g.dtype))
        kernel = summed(form, host.resolve(None), "conv_by_weights")
        return HandlerPlan("conv_by_weights", operands, (result,), callee_of(kernel, (0, 1, 2)))

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return an array like the weights."""
        return (ArrayType(operands[0].dtype, self.shape),)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Sum over each sample by itself."""
        return Operation.batch(self, size, batched, operands)


def _of_layer(
    request: ConvolutionRequest, operands: Sequence[ArrayType], result: ArrayType, buffers: Sequence[int]
) -> HandlerPlan:
    """Return the handler of a layer that packs its weights."""
    layer = layer_of(request)
    call = layer.packing(request.w.strides)
    if call is None:
        raise UnsupportedError(
            f"conv: no kernel packs weights of {request.w.dtype} with strides {request.w.strides}; "
            "tilesmith.integrations.jax.conv takes f32"
        )
    return HandlerPlan("conv", tuple(operands), (result,), callee_of(call, buffers))
