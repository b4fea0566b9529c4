"""Convolutions, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import jax.numpy as jnp
import numpy as np

from ....microkernels.dtypes import ELEMENT_BYTES
from ...arguments.arrays import Array as NumpyArray
from ...arguments.layouts import MemoryLayout, like
from ...contraction.arrays import summed
from ...convolution import forms
from ...convolution.functions import BIAS, layer_of
from ...convolution.geometry import ConvolutionWindow, Geometry
from ...convolution.request import ConvolutionRequest
from ...host import detect as host
from ..xla.callees import callee_of
from ..xla.handler import ArrayType, Handler
from .arrays import Array, type_of
from .operation import Arrays, XlaOperation, apply, differentiable
from .partition import LETTERS, SharedAxes


@dataclass(frozen=True)
class ConvolutionOperation(XlaOperation):
    """A convolution of x (n, c, ...) by weights (k, c / groups, *taps), and perhaps a bias (k,).

    window  strides, padding, dilation, groups
    last    whether the channels of x and of the result lie behind the places
    taps    whether the weights are (*taps, c / groups, k)
    """

    window: ConvolutionWindow
    last: bool
    taps: bool
    biased: bool

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler of a layer that packs the weights in each call."""
        call = layer_of(self.request(*operands)).packing(self._weights(operands[1]).strides)
        assert call is not None  # else it is computed of panels
        return Handler("conv", operands, self.results(*operands), callee_of(call, _buffers(operands)))

    def direct(self, *operands: ArrayType) -> bool:
        """Whether kernels pack weights that lie so."""
        layer = layer_of(self.request(*operands)) if super().direct(*operands) else None
        return layer is not None and layer.packing(self._weights(operands[1]).strides) is not None

    def instead(self, *operands: Array) -> Arrays:
        """Return the results of weights that XLA packs, or of empty operands: the bias where no sums have terms."""
        types = tuple(map(type_of, operands))
        x, w, *bias = operands
        if super().direct(*types):
            return apply(PanelsConvolution(self, types[1]), x, _panels(self, types, w), *bias)
        (made,) = super().instead(*operands)
        shape = None if self.last else (-1, *[1] * (made.ndim - 2))
        return (made + (bias[0] if shape is None else bias[0].reshape(shape)) if bias else made,)

    def request(self, *operands: ArrayType) -> ConvolutionRequest:
        """Return the request of a layer."""
        x, w, *_ = operands
        geometry = self._geometry(x, w)
        return ConvolutionRequest.of(
            geometry,
            False,
            (self._images(geometry.x, x.dtype), self._weights(w), self._images(geometry.y, x.dtype)),
            host.resolve(None),
            added=BIAS if self.biased else None,
            further={BIAS: MemoryLayout(x.dtype, (1,))} if self.biased else None,
        )

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
        return (shape[-1], shape[-2], *shape[:-2]) if self.taps else tuple(shape)

    def _images(self, shape: Sequence[int], dtype: str) -> MemoryLayout:
        axes = range(len(shape))
        return like(shape, (0, *axes[2:], 1) if self.last else axes, dtype)

    def _weights(self, w: ArrayType) -> MemoryLayout:
        shape, axes = self._kernel(w.shape), range(len(w.shape))
        return like(shape, (*axes[2:], 1, 0) if self.taps else axes, w.dtype)

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share the images."""
        x, w, *bias = operands
        of_x, of_w = LETTERS[: len(x.shape)], LETTERS[len(x.shape) : 2 * len(x.shape)]
        of_y = of_x[0] + LETTERS[2 * len(x.shape) : 3 * len(x.shape) - 1]
        return SharedAxes((of_x, of_w, *["z"] * len(bias)), (of_y,), f"{of_x[1:]}{of_w}{of_y[1:]}{'z' * len(bias)}")

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
        (by_x,) = differentiable(
            DataGradient(self.window, self.last, self.taps, self.biased, tuple(x.shape[1:])), slope, w
        )
        (by_w,) = differentiable(
            WeightsGradient(self.window, self.last, self.taps, self.biased, tuple(w.shape)), slope, x
        )
        axes = [axis for axis in range(slope.ndim) if axis != (slope.ndim - 1 if self.last else 1)]
        return by_x, by_w, *([jnp.sum(slope, axis=tuple(axes))] if self.biased else [])


@dataclass(frozen=True)
class DataGradient(ConvolutionOperation):
    """The gradient by the data, of the slope and the weights: a transposed convolution.

    shape  of an image of the data, which several shapes of results have in common
    """

    shape: tuple[int, ...]

    def request(self, *operands: ArrayType) -> ConvolutionRequest:
        """Return the request of a layer that computes it."""
        g, w = operands
        geometry = self._geometry(self.results(*operands)[0], w)
        lying = self._images(geometry.y, g.dtype), self._weights(w), self._images(geometry.x, g.dtype)
        return ConvolutionRequest.of(geometry, True, lying, host.resolve(None))

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return an array like the data."""
        return (ArrayType(operands[0].dtype, (operands[0].shape[0], *self.shape)),)


@dataclass(frozen=True)
class WeightsGradient(ConvolutionOperation):
    """The gradient by the weights, of the slope and the data: sums over all images and places.

    shape  of the weights
    """

    shape: tuple[int, ...]

    def direct(self, *operands: ArrayType) -> bool:
        """Whether no operand is empty."""
        return XlaOperation.direct(self, *operands)

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler."""
        g, x = operands
        (result,) = self.results(*operands)
        geometry = self._geometry(x, result)
        lying = self._images(geometry.y, g.dtype), self._images(geometry.x, g.dtype)
        form = forms.by_weights(geometry, *lying, self._weights(result))
        kernel = summed(form, host.resolve(None), "conv_by_weights")
        return Handler("conv_by_weights", operands, (result,), callee_of(kernel, (0, 1, 2)))

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return an array like the weights."""
        return (ArrayType(operands[0].dtype, self.shape),)

    def batch(self, size: int, batched: Sequence[bool], operands: Sequence[Array]) -> Arrays:
        """Sum over each sample by itself."""
        return XlaOperation.batch(self, size, batched, operands)

    def partition(self, *operands: ArrayType) -> SharedAxes:
        """Let devices share the images, and add up."""
        g, _ = operands
        axes = LETTERS[: len(g.shape)]
        of_x = axes[0] + LETTERS[len(axes) : 2 * len(axes) - 1]
        of_w = LETTERS[2 * len(axes) : 3 * len(axes)]
        return SharedAxes((axes, of_x), (of_w,), axes[1:] + of_x[1:] + of_w)


@dataclass(frozen=True)
class PanelsConvolution(XlaOperation):
    """A convolution, or its gradient by the data, of weights in the order in which its kernels read them.

    weights  the type of the weights themselves
    """

    inner: ConvolutionOperation
    weights: ArrayType

    def planned(self, *operands: ArrayType) -> Handler:
        """Return the handler."""
        layer = layer_of(self.inner.request(operands[0], self.weights, *operands[2:]))
        return Handler("conv", operands, self.results(*operands), callee_of(layer, _buffers(operands)))

    def results(self, *operands: ArrayType) -> tuple[ArrayType, ...]:
        """Return the images."""
        return self.inner.results(operands[0], self.weights, *operands[2:])


def _buffers(operands: Sequence[ArrayType]) -> tuple[int, ...]:
    """Return the numbers of the buffers in the order of a layer's addresses: the result comes third."""
    return 0, 1, len(operands), *range(2, len(operands))


def _panels(operation: ConvolutionOperation, types: Sequence[ArrayType], w: Array) -> Array:
    """Return weights in the order in which kernels read them."""
    places = _places(operation, tuple(types))
    return jnp.concatenate([jnp.zeros(1, w.dtype), w.reshape(-1)])[places]


@lru_cache(maxsize=64)
def _places(operation: ConvolutionOperation, types: tuple[ArrayType, ...]) -> NumpyArray:
    """Return which weight each element of the panels is, from 1 on, and 0 for those that are zero. The numbers are
    packed as weights are, 16 bits at a time if these have as many."""
    w = types[1]
    layer, size = layer_of(operation.request(*types)), ELEMENT_BYTES[w.dtype]
    numbers = 1 + np.arange(prod(w.shape)).reshape(w.shape)
    seen = np.moveaxis(numbers, (-1, -2), (0, 1)) if operation.taps else numbers
    word = np.dtype(f"u{size}")
    parts = [layer.panels((seen >> shift).astype(word)).view(word).astype(np.int64) << shift for shift in (0, 16)]
    return (parts[0] if size > 2 else parts[0] + parts[1]).astype(np.int32)
