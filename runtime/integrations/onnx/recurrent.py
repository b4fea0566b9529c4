"""LSTM, GRU and RNN as layers of the graph compiler, whose steps are a loop in machine code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....microkernels.errors import UnsupportedError
from ...graph.recurrence import layers
from ...graph.values import Builds, GraphValue
from .call import NodeCall
from .library import BYTES
from .lowering import LoweredNode, ruled
from .quantizing import dynamic_bytes

_FLOATS = frozenset({"float32", "float64"})
_WHOLE = np.dtype(np.int32)
_LAYERS = {"LSTM": "lstm", "GRU": "gru", "RNN": "rnn"}
"""Layers, by names of ONNX and of the graph compiler."""
Quantized = tuple[GraphValue, GraphValue, GraphValue, GraphValue | None]
"""Weights of bytes: (inputs, columns) with a sign, the sum of each column, the scale, and what stands for 0."""


def _layer(
    of: LoweredNode,
    x: GraphValue,
    w: GraphValue,
    r: GraphValue,
    b: GraphValue | None = None,
    lengths: GraphValue | None = None,
    h: GraphValue | None = None,
    cell: GraphValue | None = None,
    peepholes: GraphValue | None = None,
) -> tuple[GraphValue, ...]:
    """A layer of weights that are floats."""
    name = _LAYERS[of.call.operator]
    x = _steps_first(of, x)
    h, cell = (None if each is None else _steps_first(of, each) for each in (h, cell))
    options: dict[str, object] = {
        "direction": _direction(of.call),
        "activations": _activations(of.call),
        "clip": of.call.number("clip"),
    }
    if name == "lstm":
        options["input_forget"] = bool(of.call.whole("input_forget"))
        made = of.graph.results(name, x, w, r, b, h, cell, lengths, peepholes, **options)
    else:
        if name == "gru":
            options["linear_before_reset"] = bool(of.call.whole("linear_before_reset"))
        made = of.graph.results(name, x, w, r, b, h, lengths, **options)
    return _laid(of, made)


def _steps_first(of: LoweredNode, value: GraphValue) -> GraphValue:
    """Return an operand with steps, or directions, before samples."""
    if not of.call.whole("layout"):
        return value
    return of.apply("permute", value, axes=(1, 0, 2))


def _laid(of: LoweredNode, made: Sequence[GraphValue]) -> tuple[GraphValue, ...]:
    """Return results in the order of axes that the node asks for."""
    if not of.call.whole("layout"):
        return tuple(made)
    y, *ends = made
    return of.apply("permute", y, axes=(2, 0, 1, 3)), *(of.apply("permute", each, axes=(1, 0, 2)) for each in ends)


def _direction(call: NodeCall) -> str:
    return call.text("direction", "forward").lower()


def _activations(call: NodeCall) -> layers.Activations | None:
    """Return the activations with their numbers, which lists have for those only that take any."""
    given = call.attributes.get("activations")
    if not isinstance(given, tuple) or not given:
        return None
    count = len(layers.DIRECTIONS[_direction(call)]) * len(layers.ACTIVATIONS[_LAYERS.get(call.operator, "lstm")])
    lists = [iter(call.attributes.get(name) or ()) for name in ("activation_alpha", "activation_beta")]  # type: ignore[arg-type]
    found = list[tuple[str | float, ...]]()
    for name in map(str, given[:count]):  # the schema of RNN has one more by default
        numbers = [next(each, None) for each in lists[: layers.activation_numbers(name)]]
        found.append((name, *(float(each) for each in numbers if each is not None)))
    return found


# Bytes


def _quantized_layer(
    of: LoweredNode,
    x: GraphValue,
    w: GraphValue,
    r: GraphValue,
    b: GraphValue | None,
    lengths: GraphValue | None,
    h: GraphValue | None,
    cell: GraphValue | None,
    peepholes: GraphValue | None,
    *points: GraphValue,
) -> tuple[GraphValue, ...]:
    """An LSTM of onnxruntime's operators, whose weights (inputs, gates * size) are bytes: the inputs and each state are
    quantized by their own least and largest elements."""
    build, call = of.graph, of.call
    backwards = layers.DIRECTIONS[_direction(call)]
    acts = _activations(call) or [*layers.ACTIVATIONS["lstm"]] * len(backwards)
    steps, batch, inputs = x.shape
    rows = of.apply("reshape", x, shape=(steps * batch, inputs))
    mask = None if lengths is None else layers.mask_of(build, steps, lengths)
    found = []
    for place, reverse in enumerate(backwards):
        scale_w, zero_w, scale_r, zero_r = (layers.part_of(build, each, place) for each in points)
        own = [None if each is None else layers.part_of(build, each, place) for each in (b, h, cell, peepholes)]
        bias, state, own_cell, peeping = own
        sums = _product_of_bytes(build, rows, *_signed(build, layers.part_of(build, w, place), scale_w, zero_w))
        if bias is not None:
            halves = (
                of.apply("slice", bias, starts=(at,), stops=(at + sums.shape[1],), axes=(0,))
                for at in (0, sums.shape[1])
            )
            sums = of.apply("add", sums, of.apply("add", *halves))
        weights = [
            each for each in _signed(build, layers.part_of(build, r, place), scale_r, zero_r) if each is not None
        ]
        functions = tuple(map(layers.activation, acts[3 * place : 3 * place + 3]))
        layer = layers.RecurrentLayer(
            layers.GATES["lstm"],
            r.shape[1],
            functions,
            call.number("clip"),
            bool(call.whole("input_forget")),
            product=_product_of_bytes,
            weights=len(weights),
        )
        sums = of.apply("reshape", sums, shape=(steps, batch, sums.shape[1]))
        found.append(layers.recurrence("lstm", layer, build, sums, weights, [state, own_cell], mask, peeping, reverse))
    return (
        layers.joined(build, [each[-1] for each in found], 1),
        *(layers.joined(build, last, 0) for last in zip(*(each[:-1] for each in found))),
    )


def _signed(build: Builds, weights: GraphValue, scale: GraphValue, zero: GraphValue) -> Quantized:
    """Return weights of bytes with a sign. A zero point that is known to be 0 is None."""
    less = 128 if weights.dtype == np.uint8 else 0
    whole = build.apply("cast", weights, dtype=_WHOLE)
    whole = build.apply("subtract", whole, less) if less else whole
    columns = build.apply("cast", build.apply("sum", whole, axes=(0,)), dtype=_WHOLE)
    point = build.apply("cast", zero, dtype=_WHOLE)
    point = build.apply("subtract", point, less) if less else point
    known = zero.constant is not None and not (zero.constant.astype(np.int32) - less).any()
    return build.apply("cast", whole, dtype=np.int8), columns, scale, None if known else point


def _product_of_bytes(
    build: Builds,
    x: GraphValue,
    weights: GraphValue,
    columns: GraphValue,
    scale: GraphValue,
    zero: GraphValue | None = None,
) -> GraphValue:
    """Return the product with what bytes stand for, of x as bytes by its own least and largest element."""
    bytes_of_x, own, point = dynamic_bytes(build, x)
    point = build.apply("cast", point, dtype=_WHOLE)
    sums = build.apply("matmul", bytes_of_x, weights, dtype=_WHOLE)
    sums = build.apply("subtract", sums, build.apply("multiply", columns, point))
    if zero is not None:
        rows = build.apply("sum", build.apply("cast", bytes_of_x, dtype=_WHOLE), axes=(1,), keepdims=True)
        rest = build.apply(
            "subtract", build.apply("cast", rows, dtype=_WHOLE), build.apply("multiply", point, x.shape[1])
        )
        sums = build.apply("subtract", sums, build.apply("multiply", rest, zero))
    return build.apply("multiply", build.apply("cast", sums, dtype=x.dtype), build.apply("multiply", own, scale))


def _refused(call: NodeCall) -> str | None:
    try:
        _activations(call)
    except UnsupportedError as error:
        return str(error)
    return None


ROWS = (
    *(ruled(name, _layer, _FLOATS, since=7, refuse=_refused) for name in _LAYERS),
    ruled(
        "DynamicQuantizeLSTM",
        _quantized_layer,
        frozenset({"float32"}),
        {1: BYTES, 2: BYTES},
        refuse=_refused,
        domain="com.microsoft",
    ),
)
