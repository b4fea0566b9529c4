"""Cast and CastLike. Integers that do not fit lose their upper bits, floats are cut to whole numbers."""

from __future__ import annotations

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...graph.values import GraphValue
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, elementwise
from .library import EIGHTS, KNOWN, SIGNED_OF, UNSIGNED, Array, onnx
from .lowering import LoweredNode
from .pointwise import one

TRUTH = np.dtype(np.bool_)
_LONG = np.dtype(np.int64)
_LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}
_FLOATS = frozenset({"float64", "float32", "float16", "bfloat16"}) | EIGHTS


def _same(a: Expr) -> Expr:
    return a


def _cut(a: Expr) -> Expr:
    return f.trunc(a)


def _within(a: Expr, largest: float) -> Expr:
    return f.clamp(a, -largest, largest)


def _true(a: Expr) -> Expr:
    return one(a != 0)


def _lowest(a: Expr, bits: int) -> Expr:
    return a & ((1 << bits) - 1)


def _extended(a: Expr, up: int) -> Expr:
    return (a << up) >> up


def cast(x: Array, to: np.dtype[np.generic], saturate: bool = True) -> Array:
    """Return an array of another element type, as ONNX's Cast has it."""
    if x.dtype == to:
        return x.copy()
    if x.dtype in SIGNED_OF:
        signed = x.view(SIGNED_OF[x.dtype])
        whole = signed if to.kind in "biu" or to in SIGNED_OF else _widened(signed)
        return cast(whole, to, saturate)
    if to in SIGNED_OF:
        return cast(x, SIGNED_OF[to] if x.dtype.kind in "biu" else _LONG).astype(SIGNED_OF[to]).view(to)
    if to == TRUTH:
        return elementwise(ElementFunction(_true), x, out=TRUTH)
    of_float, to_float = (each.name in _FLOATS for each in (x.dtype, to))
    if of_float and not to_float:
        compute = "f64" if to == _LONG or x.dtype == np.float64 else None
        return elementwise(ElementFunction(_cut), x, out=to, compute=compute)
    if not of_float and not to_float:
        return elementwise(_narrowed(x.dtype, to), x, out=to)
    wide = np.dtype(np.float64) in (x.dtype, to)
    traced = (
        ElementFunction(_within, (_LARGEST[to.name],)) if to.name in EIGHTS and saturate else ElementFunction(_same)
    )
    if to.name in EIGHTS and not of_float:
        wide = True
    return elementwise(traced, x, out=to, compute="f64" if wide else None)


def _widened(x: Array) -> Array:
    """Return unsigned numbers of 32 bits, seen as signed ones, as i64."""
    return elementwise(ElementFunction(_lowest, (32,)), x, out=_LONG, compute="i64")


def _narrowed(of: np.dtype[np.generic], to: np.dtype[np.generic]) -> ElementFunction:
    """Return the function of integers that keeps the lowest bits, where any are lost or mean another number."""
    bits, computed = to.itemsize * 8, 64 if of == _LONG else 32
    held = of == TRUTH or np.can_cast(of, to)
    if held or bits > computed or (bits == computed and to.kind == "i"):
        return ElementFunction(_same)
    if to.kind == "u":
        return ElementFunction(_lowest, (bits,))
    return ElementFunction(_extended, (computed - bits,))


def dtype_of(element: int) -> np.dtype[np.generic] | None:
    """Return numpy's type of the elements that ONNX gives this number, or None if it has none."""
    try:
        return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(element))
    except (KeyError, TypeError, ValueError):
        return None


def _unknown(call: NodeCall) -> str | None:
    element = call.whole("to")
    found = dtype_of(element)
    name = onnx.TensorProto.DataType.Name(element)
    bits = 8 * found.itemsize if found is not None else 0
    if found is None or found.name not in KNOWN | UNSIGNED or element == onnx.TensorProto.STRING:
        return f"to={name}: kernels have no elements of this type" + (" of fewer than 8 bits" if bits < 8 else "")
    return None


def _cast_of(call: NodeCall, x: Array) -> Array:
    to = dtype_of(call.whole("to"))
    assert to is not None
    return cast(x, to, bool(call.whole("saturate", 1)))


def _cast_like(call: NodeCall, x: Array, like: Array) -> Array:
    return cast(x, like.dtype, bool(call.whole("saturate", 1)))


def _cast_rule(of: LoweredNode, x: GraphValue, *_: GraphValue) -> GraphValue:
    """To floats, and of floats to integers of 32 bits, which both cut: what does not fit is undefined."""
    eights = any(each.itemsize == 1 and each.kind not in "iub" for each in (x.dtype, of.types[0]))
    cut = of.types[0] == np.int32 and x.dtype.kind == "f"
    if of.types[0].kind in "iub" and not cut or eights:
        raise UnsupportedError("to other integers, or floats of 8 bits")
    return of.apply("cast", x, dtype=of.types[0])


_TAKEN = KNOWN | {"uint32"}
ROWS = (
    OnnxRow("Cast", _cast_of, _TAKEN, since=6, refuse=_unknown, rule=_cast_rule),
    OnnxRow("CastLike", _cast_like, _TAKEN, {1: KNOWN | UNSIGNED}, since=15, rule=_cast_rule),
)
