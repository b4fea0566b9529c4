"""Products, layers, convolutions and pooling on tensors, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, cast

import numpy as np
import torch

from ....microkernels.operands import CACHE_LINE
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...api import functions as expressions
from ...api.eltwise import binary
from ...api.reduce import reduce
from ...convolution import functions as convolutions
from ...convolution import gradients as convolution_gradients
from ...images import pooling as images
from ...ops.calls import OneKernel
from ...ops.layer_gradients import linear_backward as gradients_of_layer
from ...ops.linear import Linear
from ...ops.linear import linear as layer_of
from ...ops.matmul import matmul, planned
from ...ops.packed_weights import PackedWeights
from .boxed import BoxedCall, BoxedCalls, boxed_call, unused_operands
from .eager import calls
from .library import DTYPES, Value, at_a_line, detached, dtype_of, spreads
from .rowwise import activation_backward, kernel_of_elements, known_activation

if TYPE_CHECKING:
    from ...api.typed import DType
    from ...kernel.callable import Kernel

NONE = "none"


def mm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the product of two matrices."""
    for name, each in (("a", a), ("b", b)):
        if each.dim() != 2:
            raise ValueError(f"{name}: a matrix, not shape {tuple(each.shape)}")
    return _product(a, b)


def bmm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the products of two batches of matrices."""
    for name, each in (("a", a), ("b", b)):
        if each.dim() != 3:
            raise ValueError(f"{name}: a batch of matrices, not shape {tuple(each.shape)}")
    return _product(a, b)


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a, b = detached(a, b)
    if a.dtype != b.dtype:
        raise TypeError(f"b: {a.dtype}, the type of a, not {b.dtype}")
    return matmul(a, b, dtype=dtype_of("a", a))


@lru_cache(maxsize=64)
def _epilogue(activation: str, biased: bool) -> Callable[..., Value] | None:
    """Return the epilogue of a layer."""
    function = None if activation == NONE else function_of(activation)
    if function is None:
        return (lambda c, bias: c + bias) if biased else None
    return (lambda c, bias: function(c + bias)) if biased else (lambda c: function(c))


def function_of(activation: str) -> Callable[..., Value]:
    """Return the expression of an activation by its name."""
    found: Callable[..., Value] = getattr(expressions, known_activation(activation, NONE))
    return found


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str) -> torch.Tensor:
    """Return activation(x @ weight.T + bias). weight is (out, in), as that of torch.nn.Linear."""
    x, weight, bias = detached(x, weight, bias)
    _check_layer(x, weight, bias)
    epilogue = _epilogue(activation, bias is not None)
    made = matmul(
        _as_rows(x),
        weight.t(),
        dtype=dtype_of("x", x),
        epilogue=epilogue,
        operands=None if bias is None else {"bias": bias},
    )
    return made.view(*x.shape[:-1], weight.shape[0])


def _as_rows(x: torch.Tensor) -> torch.Tensor:
    """Return all samples as the rows of a matrix, which may have no columns."""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _check_layer(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
    if weight.dim() != 2 or not x.dim() or x.shape[-1] != weight.shape[1]:
        raise ValueError(f"weight: (out, {x.shape[-1] if x.dim() else 1}), not {tuple(weight.shape)}")
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ValueError(f"bias: ({weight.shape[0]},), not {tuple(bias.shape)}")
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.dtype != x.dtype:
            raise TypeError(f"{name}: {x.dtype}, the type of x, not {each.dtype}")


def kernel_of_product(a: torch.Tensor, b: torch.Tensor) -> BoxedCall | None:
    """Return the call of the kernel that computes a product of matrices, or a batch of them, that lie as these do; None
    if there is no single one."""
    return _kernel_of(a, b, (0, 1, 2))


def kernel_of_layer(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str
) -> BoxedCall | None:
    """Return the call of the kernel that computes a layer of tensors that lie as these do; None if there is none."""
    if not x.is_contiguous() or (bias is not None and not bias.is_contiguous()):
        return None
    return _kernel_of(_as_rows(x), weight.t(), (0, 1, 3, 2), bias, activation)


def _kernel_of(
    a: torch.Tensor,
    b: torch.Tensor,
    places: Sequence[int],
    bias: torch.Tensor | None = None,
    activation: str = NONE,
) -> BoxedCall | None:
    """places: those of a, b, the result and the bias."""
    epilogue = _epilogue(activation, bias is not None)
    a, b, bias = (each if each is None else each.detach() for each in (a, b, bias))
    c = a.new_empty((*a.shape[:-1], b.shape[-1]))
    if not (a.numel() and b.numel() and c.numel()):
        return None
    unused = [torch.empty_strided(each.shape, each.stride(), dtype=each.dtype) for each in (a, b, c)]
    named = None if bias is None else {"bias": torch.empty_like(bias)}
    call, arrays, extras = planned(*unused, dtype=dtype_of("a", a), epilogue=epilogue, operands=named)
    if type(call.run) is not OneKernel or call.copies or call.aside or (call.turned and extras):
        return None
    x, y, z = (view(each) if view else each for view, each in zip(call.views or (None,) * 3, arrays))
    if call.turned:
        left, right, result = places[:3]
        return boxed_call(call.run.kernel, [each.swapaxes(-1, -2) for each in (y, x, z)], (right, left, result))
    return boxed_call(call.run.kernel, [x, y, z, *extras], places[: 3 + len(extras)])


def linear_backward(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the gradients of `linear` by x, weight and bias. The sums of the layer are computed again."""
    g, x, weight, bias = detached(g, x, weight, bias)
    function = None if activation == NONE else function_of(activation)
    if not weight.numel():  # without inputs the sums are the bias, without outputs there are none
        sums = torch.zeros_like(g) if bias is None else bias.expand_as(g).contiguous()
        dz = g if function is None else activation_backward(g.contiguous(), sums, activation)
        return torch.zeros_like(x), torch.zeros_like(weight), _as_rows(dz).sum(0)
    if function is None or g.numel() * weight.shape[1] < INTEGRATIONS.layer:
        return _gradients_by_products(_as_rows(g), x, weight, bias, activation)
    dx, dw, db = gradients_of_layer(
        _as_rows(g),
        _as_rows(x),
        weight.t(),
        None if function is None else bias,
        activation=function,
    )
    return dx.view(x.shape), dw.t().contiguous(), db.view(-1)


def _gradients_by_products(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the gradients of a layer by calls of its own operators, which take microseconds."""
    rows, dz = _as_rows(x), g.contiguous()
    if activation != NONE:
        dz = calls.activation_backward(dz, calls.linear(rows, weight, bias, NONE), activation)
    db = dz.sum(0) if spreads(dz.numel()) else _sums_of_columns(dz)(dz)
    return calls.mm(dz, weight).view(x.shape), calls.mm(dz.t(), rows), db


def _sums_of_columns(matrix: torch.Tensor) -> Kernel:
    """Return the kernel that adds the rows of a matrix."""
    return reduce("sum", *matrix.shape, axis=0, dtype=cast("DType", dtype_of("g", matrix)))


def kernels_of_layer_gradients(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str
) -> BoxedCalls | None:
    """Return the calls of the kernels that compute the gradients of a small layer; None if one of them is no single
    kernel. Results have the places 4 to 6; the layer's sums and their gradient follow."""
    given = g, x, weight, bias
    if any(each is not None and not each.is_contiguous() for each in given) or not (g.numel() and x.numel()):
        return None
    rows, dz, place = _as_rows(x.detach()), _as_rows(g), 0
    if spreads(dz.numel()) or any(each is not None and each.dtype != g.dtype for each in given):
        return None
    found, temporary = list[BoxedCall | None](), tuple[torch.Tensor, ...]()
    if activation != NONE:
        if g.numel() * weight.shape[1] >= INTEGRATIONS.layer:
            return None
        temporary, place = (torch.empty_like(dz), torch.empty_like(dz)), 8
        found.append(_kernel_of(rows, weight.t(), (1, 2, 7, 3), bias))
        found.append(kernel_of_elements(binary, f"{activation}_inv", dz, dz, places=(0, 7, 8)))
    found.append(_kernel_of(dz, weight, (place, 2, 4)))
    found.append(_kernel_of(dz.t(), rows, (place, 1, 5)))
    sums = _sums_of_columns(dz)
    found.append(boxed_call(sums, unused_operands(sums), (place, 6)))
    return None if None in found else BoxedCalls(tuple(each for each in found if each is not None), temporary)


@lru_cache(maxsize=256)
def layer_for(
    rows: int, outputs: int, inputs: int, types: tuple[DType, DType], activation: str, biased: bool
) -> Linear:
    """Return the layer of constant weights for a number of rows; layers of other rows take the same weights. types: of
    x and the result, and of the weights."""
    function, (of_x, of_weights) = None if activation == NONE else function_of(activation), types
    return layer_of(rows, outputs, inputs, dtype=(of_x, of_weights, of_x), activation=function, bias=biased)


def pack(weight: torch.Tensor, kind: str = "") -> torch.Tensor:
    """Return the weight of a layer (out, in) as bytes in the order in which `linear_packed` reads them. kind: the type
    to which it is rounded, such as "bf16"; "" is its own.

    The order is that of this processor, so the tag of the layout follows: a model may be loaded on another one.
    """
    (weight,) = detached(weight)
    types = _types(dtype_of("weight", weight), kind)
    layer = layer_for(64, *weight.shape, types, NONE, False)
    weight = weight.to(next(each for each, name in DTYPES.items() if name == types[1]))
    packed, tag = layer.pack(weight.t()).array, layer.packing.tag
    made = torch.empty(packed.size + len(tag), dtype=torch.uint8)
    stored = np.from_dlpack(made)
    stored[: packed.size], stored[packed.size :] = packed, np.frombuffer(tag, np.uint8)
    return made


def _types(x: str, kind: str) -> tuple[DType, DType]:
    """Return the types of a layer's x and weights."""
    if kind and kind not in DTYPES.values():
        raise ValueError(f"kind: one of {', '.join(DTYPES.values())}, not {kind!r}")
    return cast("DType", x), cast("DType", kind or x)


def linear_packed(
    x: torch.Tensor, packed: torch.Tensor, bias: torch.Tensor | None, outputs: int, activation: str, kind: str
) -> torch.Tensor:
    """Return activation(x @ weight.T + bias) of weights that `pack` made, of x's type or of type `kind`."""
    x, packed, bias = detached(x, packed, bias)
    rows = _as_rows(x)
    shape = (*x.shape[:-1], outputs)
    if not rows.shape[0]:
        return x.new_empty(shape)
    types = _types(dtype_of("x", x), kind)
    layer = layer_for(rows.shape[0], outputs, rows.shape[1], types, activation, bias is not None)
    given = () if bias is None else (bias,)
    rows = rows if rows.is_contiguous() else rows.contiguous()
    return layer(rows, _packed_weights(layer, packed, rows), *given).view(shape)


def _packed_weights(layer: Linear, packed: torch.Tensor, rows: torch.Tensor) -> PackedWeights:
    """Return bytes that `pack` made as the weights of a layer, after a check."""
    size, tag = layer.packing.bytes, layer.packing.tag
    if packed.dtype != torch.uint8 or packed.dim() != 1 or packed.shape[0] <= len(tag):
        raise ValueError(f"packed: bytes that `pack` made, not {packed.dtype} {tuple(packed.shape)}")
    stored = at_a_line(packed.contiguous())
    if stored.size != size + len(tag) or stored[size:].tobytes() != tag:
        raise ValueError(
            f"packed: bytes that `pack` made on this processor of a weight of shape {(layer.product.n, rows.shape[1])} "
            f"and of {rows.dtype}, the type of x; these are {stored.size} bytes of another weight, or of another "
            "processor: pack the weight again, or freeze the model here"
        )
    return PackedWeights(layer, stored[:size])


class KeptLayer:
    """Calls of `linear_packed` with the same weights, whose layers and weights are found once. It is made again where a
    module is copied or loaded."""

    def __init__(self) -> None:
        self._layers: dict[tuple[int, torch.dtype], tuple[Linear, PackedWeights]] = {}
        self._at = 0

    def __reduce__(self) -> tuple[type[KeptLayer], tuple[()]]:
        return KeptLayer, ()

    def __call__(
        self, x: torch.Tensor, packed: torch.Tensor, bias: torch.Tensor | None, outputs: int, activation: str, kind: str
    ) -> torch.Tensor:
        """Return the result for a plain tensor x without a gradient."""
        rows = x if x.dim() == 2 else _as_rows(x)
        found = self._layers.get((rows.shape[0], rows.dtype)) if packed.data_ptr() == self._at else None
        if found is None:
            return self._first(x, packed, bias, outputs, activation, kind)
        layer, weights = found
        rows = rows if rows.is_contiguous() else rows.contiguous()
        made = layer(rows, weights) if bias is None else layer(rows, weights, bias)
        return made if x.dim() == 2 else made.view(*x.shape[:-1], outputs)

    def _first(
        self, x: torch.Tensor, packed: torch.Tensor, bias: torch.Tensor | None, outputs: int, activation: str, kind: str
    ) -> torch.Tensor:
        made, rows = linear_packed(x, packed, bias, outputs, activation, kind), _as_rows(x)
        if self._at != packed.data_ptr() or len(self._layers) == INTEGRATIONS.records:
            self._layers, self._at = {}, packed.data_ptr()
        if rows.shape[0] and packed.is_contiguous() and packed.data_ptr() % CACHE_LINE == 0:
            types = _types(dtype_of("x", x), kind)
            layer = layer_for(rows.shape[0], outputs, rows.shape[1], types, activation, bias is not None)
            self._layers[rows.shape[0], rows.dtype] = layer, _packed_weights(layer, packed, rows)
        return made


def _given(window: Sequence[Value]) -> list[Value]:
    """Return the arguments of a window, of which torch gives lists."""
    return [tuple(each) if isinstance(each, Sequence) else each for each in window]


def _convolved(window: Sequence[Value]) -> dict[str, Value]:
    return dict(zip(("stride", "padding", "dilation", "groups"), _given(window), strict=True))


def _averaged(window: Sequence[Value]) -> dict[str, Value]:
    names = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override")
    return dict(zip(names, _given(window), strict=True))


def _of_dims(module: object, name: str, x: torch.Tensor) -> Callable[..., Value]:
    if x.dim() not in (3, 4, 5):
        raise ValueError(f"x: (n, c, ...) with one to three further axes, not shape {tuple(x.shape)}")
    found: Callable[..., Value] = getattr(module, name.format(x.dim() - 2))
    return found


def conv(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, *window: Value) -> torch.Tensor:
    """Return a convolution of sequences, images or volumes, as torch.nn.functional.conv1d, conv2d and conv3d do.
    window: stride, padding, dilation, groups."""
    x, weight, bias = detached(x, weight, bias)
    return _of_dims(convolutions, "conv{}d", x)(x, weight, bias, **_convolved(window), dtype=dtype_of("x", x))


def conv_backward(
    g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, *window: Value
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the gradients of a convolution by x, weight and bias."""
    g, x, weight = detached(g, x, weight)
    function = _of_dims(convolution_gradients, "conv{}d_backward", x)
    gx, gweight, gbias = function(g, x, weight, **_convolved(window))
    return gx, gweight.contiguous(), gbias  # as torch's optimizers have gradients of such weights


def max_pool(x: torch.Tensor, *window: Value) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the maximum of each window, and its place in the image. window: the extents, stride, padding, dilation,
    and whether a last window may reach beyond the padding."""
    (x,), (*windows, ceil) = detached(x), _given(window)
    return _of_dims(images, "max_pool{}d", x)(x, *windows, ceil_mode=ceil, return_indices=True)


def max_pool_backward(g: torch.Tensor, indices: torch.Tensor, x: torch.Tensor, *window: Value) -> torch.Tensor:
    """Return the gradient of `max_pool` by x."""
    (g, x), (*windows, ceil) = detached(g, x), _given(window)
    return _of_dims(images, "max_pool{}d_backward", x)(g, indices, x, *windows, ceil_mode=ceil)


def avg_pool(x: torch.Tensor, *window: Value) -> torch.Tensor:
    """Return the mean of each window, in which padding counts or not, or its sum divided by a number. window: the
    extents, stride, padding, whether a last window may reach beyond the padding, whether padding counts, the number."""
    (x,) = detached(x)
    return _of_dims(images, "avg_pool{}d", x)(x, **_averaged(window))


def avg_pool_backward(g: torch.Tensor, x: torch.Tensor, *window: Value) -> torch.Tensor:
    """Return the gradient of `avg_pool` by x."""
    g, x = detached(g, x)
    return _of_dims(images, "avg_pool{}d_backward", x)(g, x, **_averaged(window))
