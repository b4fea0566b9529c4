"""Products and convolutions of dequantized numbers become those of whole numbers, which are exact.

    DequantizeLinear(x), DequantizeLinear(w) -> MatMul        sums of (x - zero_x) * (w - zero_w), times both scales

x has one scale, and w one or one for each column or filter. A node that dequantizes and is read elsewhere stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ....microkernels.expr.graph import Expr
from .byte_products import dequantized_convolution, dequantized_product, whole_convolution, whole_product
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .library import BYTES, Array
from .steps import NodeStep

DOMAIN = "tilesmith"


def _scaled(sums: Expr, factor: Expr) -> Expr:
    return sums * factor


def _scaled_with_bias(sums: Expr, factor: Expr, bias: Expr) -> Expr:
    return sums * factor + bias


def _factor(scale_x: Array, scale_w: Array) -> Array:
    return np.asarray(scale_x.reshape(()) * scale_w, np.float32)


def _product_of(
    call: NodeCall, x: Array, w: Array, scale_x: Array, zero_x: Array | None, scale_w: Array, zero_w: Array | None
) -> Array:
    sums = whole_product(x, w, zero_x, zero_w)
    return elementwise(ElementFunction(_scaled), sums, _factor(scale_x, scale_w), out=scale_x.dtype)


def _convolution_of(
    call: NodeCall,
    x: Array,
    w: Array,
    scale_x: Array,
    zero_x: Array | None,
    scale_w: Array,
    zero_w: Array | None,
    bias: Array | None = None,
) -> Array:
    sums = whole_convolution(call, x, w, zero_x, zero_w)
    beside = (-1, *[1] * (x.ndim - 2))
    factor = _factor(scale_x, scale_w.reshape(beside) if scale_w.ndim else scale_w)
    if bias is None:
        return elementwise(ElementFunction(_scaled), sums, factor, out=scale_x.dtype)
    return elementwise(ElementFunction(_scaled_with_bias), sums, factor, bias.reshape(beside), out=scale_x.dtype)


_ROWS = {
    "MatMul": OnnxRow("DequantizedMatMul", _product_of, BYTES, {1: BYTES}, domain=DOMAIN, rule=dequantized_product),
    "Conv": OnnxRow("DequantizedConv", _convolution_of, BYTES, {1: BYTES}, domain=DOMAIN, rule=dequantized_convolution),
}
_LAST = {"MatMul": -1, "Conv": 0}
"""The axis of the second factor along which scales may differ."""


class Dequantized(NamedTuple):
    """What a step dequantizes: the names of the numbers, the scale and the zero point, which may be none."""

    numbers: str
    scale: str
    zero: str

    @classmethod
    def of(cls, step: NodeStep | None) -> Dequantized | None:
        """Return what a step dequantizes, or None."""
        if (
            step is None
            or step.call.operator != "DequantizeLinear"
            or step.call.domain
            or step.call.whole("block_size")
        ):
            return None
        return cls(step.inputs[0], step.inputs[1], step.inputs[2] if len(step.inputs) > 2 else "")


def folded(steps: Sequence[NodeStep], constants: Mapping[str, Array], outputs: Sequence[str]) -> tuple[NodeStep, ...]:
    """Return the steps, with products of dequantized bytes as products of whole numbers."""
    makers = {name: step for step in steps for name in step.outputs}
    made = [_folded(step, makers, constants) or step for step in steps]
    read = {name for step in made for name in step.reads} | set(outputs)
    return tuple(step for step in made if Dequantized.of(step) is None or read.intersection(step.outputs))


def _folded(step: NodeStep, makers: Mapping[str, NodeStep], constants: Mapping[str, Array]) -> NodeStep | None:
    if step.call.operator not in _ROWS or step.call.domain or step.constant or len(step.inputs) < 2:
        return None
    x, w = (Dequantized.of(makers.get(name)) for name in step.inputs[:2])
    if x is None or w is None or x.scale not in constants or w.scale not in constants:
        return None
    of_w, scale_x, scale_w = makers[step.inputs[1]], constants[x.scale], constants[w.scale]
    if scale_x.size != 1 or scale_x.dtype != np.float32 or any(not _bytes(each, constants) for each in (x, w)):
        return None
    if scale_w.size != 1:
        numbers = constants.get(w.numbers)
        if numbers is None or numbers.ndim < 2:
            return None
        if of_w.call.whole("axis", 1) % numbers.ndim != _LAST[step.call.operator] % numbers.ndim:
            return None
    row = _ROWS[step.call.operator]
    inputs = (x.numbers, w.numbers, x.scale, x.zero, w.scale, w.zero, *step.inputs[2:])
    return step._replace(call=step.call._replace(operator=row.name, domain=DOMAIN), row=row, inputs=inputs)


def _bytes(each: Dequantized, constants: Mapping[str, Array]) -> bool:
    """Whether numbers are known to be bytes, by their zero point or their own elements."""
    known = constants.get(each.zero) if each.zero else constants.get(each.numbers)
    return known is not None and known.dtype.name in BYTES
