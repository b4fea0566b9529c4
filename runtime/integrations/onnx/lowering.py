"""Operators of ONNX as operators of the graph compiler, whose kernels compute several nodes at once.

A rule takes the node, with the shapes of its results, and its operands, values of a graph or None. Operands that are
known, such as the shape of a Reshape, are read from `of.known`. A rule raises UnsupportedError if the compiler does not
compute the node as ONNX means it, and the node is computed by its row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...convolution.geometry import onnx_padding
from ...graph.builder import GraphBuilder
from ...graph.values import GraphValue
from .call import NodeCall
from .library import Array
from .windows import NAMED_PADDINGS

Operands: TypeAlias = tuple[GraphValue | None, ...]


class LoweredNode(NamedTuple):
    """A node that is lowered: its call, the shapes and types of its results, and the operands that are known, by their
    places."""

    graph: GraphBuilder
    call: NodeCall
    shapes: tuple[tuple[int, ...], ...]
    types: tuple[np.dtype[np.generic], ...]
    known: Mapping[int, Array]

    def apply(self, name: str, *values: GraphValue | float | None, **attributes: object) -> GraphValue:
        """Add an operator that has one result."""
        return self.graph.apply(name, *values, **attributes)

    def scalar(self, place: int) -> float | None:
        """Return the number that an operand is known to be; None if it is absent."""
        found = self.known.get(place)
        if found is None:
            return None
        if found.size != 1:
            raise UnsupportedError("numbers for all elements only")
        return float(found.reshape(-1)[0])


Rule: TypeAlias = Callable[..., GraphValue | tuple[GraphValue, ...]]


def _plain(name: str, **attributes: str) -> Rule:
    """Return the rule of an operator with the same meaning. attributes: of the compiler, with ONNX's names."""

    def lower(of: LoweredNode, *values: GraphValue) -> GraphValue:
        given = {ours: of.call.number(theirs) for ours, theirs in attributes.items()}
        return of.apply(name, *values, **given)

    return lower


def _floats(name: str) -> Rule:
    """Return the rule of an operator that is the same for floats."""

    def lower(of: LoweredNode, *values: GraphValue) -> GraphValue:
        return of.apply(name, *map(_float, values))

    return lower


def _float(value: GraphValue) -> GraphValue:
    if value.dtype.kind in "iub":
        raise UnsupportedError("integers")
    return value


def _sums(name: str) -> Rule:
    """Return the rule of a sum or difference, of floats or of integers, which wrap."""

    def lower(of: LoweredNode, *values: GraphValue) -> GraphValue:
        if values[0].dtype.kind == "u" and values[0].dtype.itemsize > 2 or values[0].dtype.kind == "b":
            raise UnsupportedError("wide integers without a sign")
        return of.apply(name, *values)

    return lower


def _folded(name: str) -> Rule:
    def lower(of: LoweredNode, *values: GraphValue) -> GraphValue:
        return reduce(lambda a, b: of.apply(name, a, b), values)

    return lower


def _clip(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    if any(value is not None and place + 1 not in of.known for place, value in enumerate(_)):
        raise UnsupportedError("bounds that are not known")
    ends = [of.scalar(place) for place in (1, 2)]
    attributes = of.call.attributes
    low, high = (attributes.get(name, end) for name, end in zip(("min", "max"), ends))
    return of.apply("clip", _float(x), low=low, high=high)


def _gelu(of: LoweredNode, x: GraphValue) -> GraphValue:
    return of.apply("gelu_tanh" if of.call.text("approximate") == "tanh" else "gelu", x)


def _swish(of: LoweredNode, x: GraphValue) -> GraphValue:
    alpha = of.call.number("alpha", 1.0)
    if alpha == 1.0:
        return of.apply("silu", x)
    return of.apply("multiply", x, of.apply("sigmoid", of.apply("multiply", x, alpha)))


def _prelu(of: LoweredNode, x: GraphValue, slope: GraphValue) -> GraphValue:
    return of.apply("where", of.apply("less", _float(x), 0.0), of.apply("multiply", x, slope), x)


def _power(of: LoweredNode, x: GraphValue, exponent: GraphValue) -> GraphValue:
    number = of.scalar(1)
    if number is None or number not in (0.5, 2.0, 3.0, 4.0) or x.dtype.kind in "iu":
        raise UnsupportedError("powers that are not a root or up to four factors")
    return of.apply("power", x, number)


def _cast(of: LoweredNode, x: GraphValue, *_: GraphValue) -> GraphValue:
    """To floats, and of floats to integers of 32 bits, which both cut: what does not fit is undefined."""
    eights = any(each.itemsize == 1 and each.kind not in "iub" for each in (x.dtype, of.types[0]))
    cut = of.types[0] == np.int32 and x.dtype.kind == "f"
    if of.types[0].kind in "iub" and not cut or eights:
        raise UnsupportedError("to other integers, or floats of 8 bits")
    return of.apply("cast", x, dtype=of.types[0])


def _where(of: LoweredNode, mask: GraphValue, a: GraphValue, b: GraphValue) -> GraphValue:
    return of.apply("where", mask, _float(a), _float(b))


# Rows


def _reduction(name: str) -> Rule:
    def lower(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
        given = of.known[1].reshape(-1).tolist() if 1 in of.known else of.call.ints("axes")
        if not given and of.call.whole("noop_with_empty_axes"):
            raise UnsupportedError("no axes")
        axes = tuple(given) if given else tuple(range(x.ndim))
        keep = bool(of.call.whole("keepdims", 1))
        if name == "l2":
            return of.apply("sqrt", of.apply("sum", of.apply("square", _float(x)), axes=axes, keepdims=keep))
        return of.apply(name, _float(x), axes=axes, keepdims=keep)

    return lower


def _global(name: str) -> Rule:
    def lower(of: LoweredNode, x: GraphValue) -> GraphValue:
        return of.apply(name, _float(x), axes=tuple(range(2, x.ndim)), keepdims=True)

    return lower


def _along(name: str) -> Rule:
    def lower(of: LoweredNode, x: GraphValue) -> GraphValue:
        if of.call.version < 13:
            raise UnsupportedError("of all elements from an axis on")
        return of.apply(name, x, axis=of.call.whole("axis", -1))

    return lower


def _layer_norm(of: LoweredNode, x: GraphValue, w: GraphValue, b: GraphValue | None = None) -> GraphValue:
    axes = x.ndim - of.call.whole("axis", -1) % x.ndim
    if of.call.results > 1:
        raise UnsupportedError("means as results")
    return of.graph.results("layer_norm", x, w, b, axes=axes, eps=of.call.number("epsilon", 1e-5))[0]


def _rms_norm(of: LoweredNode, x: GraphValue, w: GraphValue) -> GraphValue:
    axes = x.ndim - of.call.whole("axis", -1) % x.ndim
    return of.graph.results("rms_norm", x, w, axes=axes, eps=of.call.number("epsilon", 1e-5))[0]


def _batch_norm(of: LoweredNode, x: GraphValue, *vectors: GraphValue) -> GraphValue:
    if of.call.whole("training_mode") or of.call.results > 1:
        raise UnsupportedError("training")
    return of.apply("batch_norm", x, *vectors, eps=of.call.number("epsilon", 1e-5))


def _topk(of: LoweredNode, x: GraphValue, _: GraphValue | None = None) -> tuple[GraphValue, ...]:
    if 1 not in of.known:
        raise UnsupportedError("a number of elements that is not known")
    k, largest = int(of.known[1].reshape(-1)[0]), bool(of.call.whole("largest", 1))
    return of.graph.results("topk", x, k=k, axis=of.call.whole("axis", -1), largest=largest)


# Products


def _gemm(of: LoweredNode, a: GraphValue, b: GraphValue, c: GraphValue | None = None) -> GraphValue:
    a, b = (of.apply("permute", x) if of.call.whole(name) else x for x, name in ((a, "transA"), (b, "transB")))
    alpha, beta = of.call.number("alpha", 1.0), of.call.number("beta", 1.0)
    made = of.apply("matmul", a, b)
    made = made if alpha == 1.0 else of.apply("multiply", made, alpha)
    if c is None or not beta:
        return made
    return of.apply("add", made, c if beta == 1.0 else of.apply("multiply", c, beta))


def _padding(call: NodeCall, dims: int) -> str | tuple[tuple[int, int], ...]:
    named = NAMED_PADDINGS.get(call.text("auto_pad", "NOTSET"))
    return named or tuple(onnx_padding(call.ints("pads") or (0,) * 2 * dims))


def window_of(call: NodeCall, dims: int) -> dict[str, object]:
    each = (1,) * dims
    return {
        "strides": call.ints("strides") or each,
        "padding": _padding(call, dims),
        "dilations": call.ints("dilations") or each,
    }


def _conv(of: LoweredNode, x: GraphValue, w: GraphValue, b: GraphValue | None = None) -> GraphValue:
    return of.apply("conv", x, w, b, groups=of.call.whole("group", 1), **window_of(of.call, x.ndim - 2))


def _conv_transpose(of: LoweredNode, x: GraphValue, w: GraphValue, b: GraphValue | None = None) -> GraphValue:
    if "output_shape" in of.call.attributes or of.call.text("auto_pad", "NOTSET") != "NOTSET":
        raise UnsupportedError("a shape in place of the padding")
    dims = x.ndim - 2
    more = of.call.ints("output_padding") or (0,) * dims
    window = window_of(of.call, dims)
    return of.apply("conv_transpose", x, w, b, groups=of.call.whole("group", 1), output_padding=more, **window)


def _max_pool(of: LoweredNode, x: GraphValue) -> GraphValue:
    if of.call.results > 1:
        raise UnsupportedError("places as results")
    window = {**window_of(of.call, x.ndim - 2), "ceil_mode": bool(of.call.whole("ceil_mode"))}
    return of.graph.results("max_pool", _float(x), window=of.call.ints("kernel_shape") or (), **window)[0]


def _avg_pool(of: LoweredNode, x: GraphValue) -> GraphValue:
    window = {name: each for name, each in window_of(of.call, x.ndim - 2).items() if name != "dilations"}
    counts = bool(of.call.whole("count_include_pad"))
    ceil = bool(of.call.whole("ceil_mode"))
    taps = of.call.ints("kernel_shape") or ()
    return of.apply("avg_pool", x, window=taps, ceil_mode=ceil, count_include_pad=counts, **window)


# Views and copies


def _reshaped(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    return of.apply("reshape", x, shape=of.shapes[0])


def _expanded(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    return of.apply("broadcast_to", x, shape=of.shapes[0])


def _identity(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    if of.call.results > 1:
        raise UnsupportedError("a mask as a result")
    return x


def _transposed(of: LoweredNode, x: GraphValue) -> GraphValue:
    return of.apply("permute", x, axes=of.call.ints("perm"))


def _joined(of: LoweredNode, *values: GraphValue) -> GraphValue:
    return of.apply("concatenate", *values, axis=of.call.whole("axis"))


def _sliced(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    lists = {
        name: of.known[place + 1].reshape(-1).tolist() for place, name in enumerate(_LISTS) if place + 1 in of.known
    }
    if "starts" not in lists:
        raise UnsupportedError("attributes of an old version")
    if any(step < 0 for step in lists.get("steps", ())):
        raise UnsupportedError("backwards")
    axes = lists.get("axes", list(range(len(lists["starts"]))))
    steps = lists.get("steps", [1] * len(axes))
    return of.apply("slice", x, starts=lists["starts"], stops=lists["ends"], steps=steps, axes=axes)


_LISTS = ("starts", "ends", "axes", "steps")


def _split(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> tuple[GraphValue, ...]:
    axis = of.call.whole("axis")
    sizes = [shape[axis] for shape in of.shapes]
    return of.graph.results("split", x, sizes=sizes, axis=axis)


def _gathered(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    """A row at a place that is known."""
    axis, index = of.call.whole("axis"), of.known.get(1)
    if index is None or index.size != 1:
        raise UnsupportedError("several places, or one that is not known")
    (place,) = index.reshape(-1).tolist()
    place += x.shape[axis] * (place < 0)
    row = of.apply("slice", x, starts=[place], stops=[place + 1], axes=[axis])
    return of.apply("reshape", row, shape=of.shapes[0])


def _reflected(of: LoweredNode, x: GraphValue, axis: int, before: int, after: int) -> GraphValue:
    """Elements before and after those along an axis, which do not repeat those at its ends."""
    last, parts = x.shape[axis] - 1, [x]
    if before:
        parts.insert(0, of.apply("slice", x, starts=[before], stops=[0], steps=[-1], axes=[axis]))
    if after:
        stop = last - 1 - after
        parts.append(
            of.apply("slice", x, starts=[last - 1], stops=[stop if stop >= 0 else None], steps=[-1], axes=[axis])
        )
    return of.apply("concatenate", *parts, axis=axis) if len(parts) > 1 else x


def _padded(of: LoweredNode, x: GraphValue, *_: GraphValue | None) -> GraphValue:
    mode = of.call.text("mode", "constant")
    if mode not in ("constant", "reflect") or 3 in of.known or 1 not in of.known:
        raise UnsupportedError("other elements than a constant or reflected ones around all axes")
    flat = of.known[1].tolist()
    if mode == "reflect":
        ends = [*zip(flat[: x.ndim], flat[x.ndim :])]
        if any(not 0 <= each < extent for extent, pair in zip(x.shape, ends) for each in pair):
            raise UnsupportedError("fewer elements than are reflected")
        return reduce(lambda made, axis: _reflected(of, made, axis, *ends[axis]), range(x.ndim), _float(x))
    value = of.scalar(2) or 0.0
    return of.apply("pad", _float(x), before=flat[: x.ndim], after=flat[x.ndim :], value=value)


RULES: Mapping[str, Rule] = {
    "Add": _sums("add"),
    "Sub": _sums("subtract"),
    "Mul": _floats("multiply"),
    "Div": _floats("divide"),
    "Sum": _folded("add"),
    "Max": _folded("maximum"),
    "Min": _folded("minimum"),
    "Equal": _floats("equal"),
    "Less": _floats("less"),
    "Greater": _floats("greater"),
    "LessOrEqual": _floats("less_equal"),
    "GreaterOrEqual": _floats("greater_equal"),
    "And": _plain("logical_and"),
    "Or": _plain("logical_or"),
    "Xor": _plain("logical_xor"),
    "Not": _plain("logical_not"),
    "Where": _where,
    "Pow": _power,
    "Cast": _cast,
    "Clip": _clip,
    "Gelu": _gelu,
    "Swish": _swish,
    "PRelu": _prelu,
    "LeakyRelu": _plain("leaky_relu", slope="alpha"),
    "Elu": _plain("elu", alpha="alpha"),
    "Selu": _plain("selu", alpha="alpha", gamma="gamma"),
    "Celu": _plain("celu", alpha="alpha"),
    "HardSigmoid": _plain("hard_sigmoid", alpha="alpha", beta="beta"),
    **{
        name: _floats(ours)
        for name, ours in {
            "Neg": "negative",
            "Abs": "absolute",
            "Sqrt": "sqrt",
            "Reciprocal": "reciprocal",
            "Exp": "exp",
            "Log": "log",
            "Tanh": "tanh",
            "Sigmoid": "sigmoid",
            "Softplus": "softplus",
            "Softsign": "softsign",
            "Mish": "mish",
            "HardSwish": "hard_swish",
            "Relu": "relu",
            "Erf": "erf",
            "Floor": "floor",
            "Ceil": "ceil",
            "Round": "rint",
        }.items()
    },
    "ReduceSum": _reduction("sum"),
    "ReduceMean": _reduction("mean"),
    "ReduceMax": _reduction("max"),
    "ReduceMin": _reduction("min"),
    "ReduceL2": _reduction("l2"),
    "GlobalAveragePool": _global("mean"),
    "GlobalMaxPool": _global("max"),
    "Softmax": _along("softmax"),
    "TopK": _topk,
    "LogSoftmax": _along("log_softmax"),
    "LayerNormalization": _layer_norm,
    "RMSNormalization": _rms_norm,
    "BatchNormalization": _batch_norm,
    "MatMul": _floats("matmul"),
    "Gemm": _gemm,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "MaxPool": _max_pool,
    "AveragePool": _avg_pool,
    "Reshape": _reshaped,
    "Flatten": _reshaped,
    "Squeeze": _reshaped,
    "Unsqueeze": _reshaped,
    "Expand": _expanded,
    "Identity": _identity,
    "Dropout": _identity,
    "Transpose": _transposed,
    "Concat": _joined,
    "Slice": _sliced,
    "Split": _split,
    "Pad": _padded,
    "Gather": _gathered,
}
"""The rules, by ONNX's names."""
