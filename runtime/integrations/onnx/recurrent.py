"""LSTM, GRU and RNN: one product for the inputs of all steps, then a product and a kernel of the gates for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...ops.matmul import matmul
from .call import NodeCall, OnnxRow
from .elements import ElementFunction, computed, elementwise, several
from .library import BYTES, Array, Results
from .products import whole_product
from .quantizing import dynamically

_FLOATS = frozenset({"float32", "float64"})
_ACTIVATIONS: dict[str, Callable[[Expr], Expr]] = {"sigmoid": f.sigmoid, "tanh": f.tanh, "relu": f.relu}
_LSTMS = ("LSTM", "DynamicQuantizeLSTM")
_DEFAULTS = {
    "LSTM": ("sigmoid", "tanh", "tanh"),
    "DynamicQuantizeLSTM": ("sigmoid", "tanh", "tanh"),
    "GRU": ("sigmoid", "tanh"),
    "RNN": ("tanh",),
}
State = tuple[Array, ...]


def _lstm(i: Expr, o: Expr, g: Expr, c: Expr, cell: Expr, first: str, second: str, third: str) -> tuple[Expr, Expr]:
    act, candidate, result = (_ACTIVATIONS[name] for name in (first, second, third))
    new = act(g) * cell + act(i) * candidate(c)
    return act(o) * result(new), new


def _peeping(
    i: Expr, o: Expr, g: Expr, c: Expr, cell: Expr, pi: Expr, po: Expr, pf: Expr, first: str, second: str, third: str
) -> tuple[Expr, Expr]:
    act, candidate, result = (_ACTIVATIONS[name] for name in (first, second, third))
    new = act(g + pf * cell) * cell + act(i + pi * cell) * candidate(c)
    return act(o + po * new) * result(new), new


def _gate(x: Expr, name: str) -> Expr:
    return _ACTIVATIONS[name](x)


def _reset(x: Expr, h: Expr, name: str) -> Expr:
    return _ACTIVATIONS[name](x) * h


def _gru(z: Expr, x: Expr, recurrent: Expr, h: Expr, first: str, second: str) -> Expr:
    update = _ACTIVATIONS[first](z)
    return (1.0 - update) * _ACTIVATIONS[second](x + recurrent) + update * h


def _gru_linear(z: Expr, x: Expr, r: Expr, recurrent: Expr, bias: Expr, h: Expr, first: str, second: str) -> Expr:
    update = _ACTIVATIONS[first](z)
    new = _ACTIVATIONS[second](x + _ACTIVATIONS[first](r) * (recurrent + bias))
    return (1.0 - update) * new + update * h


def _plus(a: Expr, b: Expr) -> Expr:
    return a + b


def _times(a: Expr, b: Expr) -> Expr:
    return a * b


Factor: TypeAlias = Callable[[Array], Array]
"""A product with weights."""


def _dense(weights: Array) -> Factor:
    return lambda x: matmul(x, weights)


def _quantized(weights: Array, scale: Array, zero: Array) -> Factor:
    """Return a product with bytes: x is quantized by its own largest and least element first."""
    right = np.ascontiguousarray(weights)

    def product(x: Array) -> Array:
        y, own, point = dynamically(x)
        return elementwise(ElementFunction(_times), whole_product(y, right, point, zero), own * scale, out=x.dtype)

    return product


class RecurrentDirection(NamedTuple):
    """One direction of a recurrent layer: its weights, and the names of its activations. A GRU multiplies by its last
    gate's weights apart, whose bias is `apart`."""

    call: NodeCall
    names: tuple[str, ...]
    size: int
    w: Factor
    r: Factor
    last: Factor
    bias: Array
    apart: Array
    peep: Array | None

    def gates(self, x: Array) -> Array:
        """Return the gates of all steps as far as they depend on the inputs."""
        steps, batch, inputs = x.shape
        made = self.w(np.ascontiguousarray(x).reshape(-1, inputs))
        return elementwise(ElementFunction(_plus), made, self.bias).reshape(steps, batch, -1)

    def step(self, given: Array, state: State) -> State:
        """Return the next state."""
        return _STEPS[self.call.operator](self, given, state)

    def parts(self, gates: Array) -> list[Array]:
        """Return the gates apart."""
        return [gates[:, place : place + self.size] for place in range(0, gates.shape[1], self.size)]


def _lstm_step(of: RecurrentDirection, given: Array, state: State) -> State:
    h, cell = state
    i, o, g, c = of.parts(elementwise(ElementFunction(_plus), of.r(h), given))
    if of.peep is None:
        return several(computed(ElementFunction(_lstm, of.names), [i, o, g, c, cell]))
    return several(computed(ElementFunction(_peeping, of.names), [i, o, g, c, cell, *of.peep.reshape(3, 1, -1)]))


def _gru_step(of: RecurrentDirection, given: Array, state: State) -> State:
    (h,), size = state, of.size
    z, r, x = of.parts(given)
    recurrent = of.r(h)
    z = elementwise(ElementFunction(_plus), z, recurrent[:, :size])
    r = elementwise(ElementFunction(_plus), r, recurrent[:, size:])
    if of.call.whole("linear_before_reset"):
        return several(computed(ElementFunction(_gru_linear, of.names), [z, x, r, of.last(h), of.apart, h]))
    kept = elementwise(ElementFunction(_reset, of.names[:1]), r, h)
    return several(computed(ElementFunction(_gru, of.names), [z, x, of.last(kept), h]))


def _rnn_step(of: RecurrentDirection, given: Array, state: State) -> State:
    gates = elementwise(ElementFunction(_plus), of.r(state[0]), given)
    return (elementwise(ElementFunction(_gate, of.names), gates),)


_STEPS: dict[str, Callable[[RecurrentDirection, Array, State], State]] = {
    "LSTM": _lstm_step,
    "DynamicQuantizeLSTM": _lstm_step,
    "GRU": _gru_step,
    "RNN": _rnn_step,
}


def _direction(
    call: NodeCall, names: tuple[str, ...], w: Array, r: Array, b: Array, peep: Array | None
) -> RecurrentDirection:
    """Return a direction with weights (gates * size, inputs)."""
    size = r.shape[1]
    gates = 2 * size if call.operator == "GRU" else len(r)
    return RecurrentDirection(
        call, names, size, _dense(w.T), _dense(r[:gates].T), _dense(r[gates:].T), *_biases(call, b, size), peep
    )


def _biases(call: NodeCall, b: Array, size: int) -> tuple[Array, Array]:
    """Return the sum of both biases, and that of a GRU's last gate, which belongs to a product of its own."""
    own, recurrent = np.split(b, 2)
    apart = recurrent[2 * size :].reshape(1, -1)
    if call.operator == "GRU" and call.whole("linear_before_reset"):
        recurrent = np.concatenate([recurrent[: 2 * size], np.zeros_like(recurrent[2 * size :])])
    return elementwise(ElementFunction(_plus), own, recurrent), apart


def _layer(
    call: NodeCall,
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    lengths: Array | None = None,
    h: Array | None = None,
    cell: Array | None = None,
    peep: Array | None = None,
) -> Results:
    biases = np.zeros((len(w), 2 * w.shape[1]), x.dtype) if b is None else b
    directions = [
        _direction(call, _names(call, place), w[place], r[place], biases[place], None if peep is None else peep[place])
        for place in range(len(w))
    ]
    return _walked(call, directions, x, lengths, h, cell)


def _quantized_layer(
    call: NodeCall,
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    h: Array | None,
    cell: Array | None,
    peep: Array | None,
    *points: Array,
) -> Results:
    """An LSTM of onnxruntime's operators, whose weights (inputs, gates * size) are bytes."""
    biases = np.zeros((len(w), 2 * w.shape[2]), x.dtype) if b is None else b
    size, directions = r.shape[1], list[RecurrentDirection]()
    for place in range(len(w)):
        scale_w, zero_w, scale_r, zero_r = (each[place] for each in points)
        factors = _quantized(w[place], scale_w, zero_w), _quantized(r[place], scale_r, zero_r)
        more = None if peep is None else peep[place]
        both = _biases(call, biases[place], size)
        directions.append(RecurrentDirection(call, _names(call, place), size, *factors, factors[1], *both, more))
    return _walked(call, directions, x, lengths, h, cell)


def _walked(
    call: NodeCall,
    directions: list[RecurrentDirection],
    x: Array,
    lengths: Array | None,
    h: Array | None,
    cell: Array | None,
) -> Results:
    """Return the results of all steps, and the last states."""
    if call.whole("layout"):
        x = x.transpose(1, 0, 2)
        h, cell = (None if each is None else each.transpose(1, 0, 2) for each in (h, cell))
    steps, batch = x.shape[:2]
    if lengths is not None and (lengths != steps).any():
        raise UnsupportedError(f"sequence_lens of fewer than the {steps} steps; pass samples one by one")
    size = directions[0].size
    zeros = np.zeros((len(directions), batch, size), x.dtype)
    states = [zeros if each is None else each for each in ((h, cell) if call.operator in _LSTMS else (h,))]
    results, last = list[Array](), list[State]()
    for place, of in enumerate(directions):
        backwards = place == 1 or call.text("direction", "forward") == "reverse"
        given = of.gates(x[::-1] if backwards else x)
        state: State = tuple(np.ascontiguousarray(each[place]) for each in states)
        found = np.empty((steps, batch, size), x.dtype)
        for step in range(steps):
            state = of.step(given[step], state)
            found[step] = state[0]
        results.append(found[::-1] if backwards else found)
        last.append(state)
    y = np.stack(results, 1)
    ends = [np.stack(each) for each in zip(*last)]
    if call.whole("layout"):
        return y.transpose(2, 0, 1, 3), *(each.transpose(1, 0, 2) for each in ends)
    return y, *ends


def _names(call: NodeCall, direction: int) -> tuple[str, ...]:
    """Return the activations of a direction."""
    default = _DEFAULTS[call.operator]
    given = call.attributes.get("activations")
    if not isinstance(given, tuple) or not given:
        return default
    each = tuple(str(name).lower() for name in given)
    return each[direction * len(default) : (direction + 1) * len(default)]


def _refused(call: NodeCall) -> str | None:
    given = call.attributes.get("activations") or ()
    unknown = [name for name in given if str(name).lower() not in _ACTIVATIONS]  # type: ignore[union-attr]
    if unknown:
        return f"activation {unknown[0]}; steps have {', '.join(sorted(_ACTIVATIONS))}"
    if call.number("clip"):
        return "clip"
    return "input_forget" if call.whole("input_forget") else None


ROWS = (
    *(OnnxRow(name, _layer, _FLOATS, since=7, refuse=_refused) for name in ("LSTM", "GRU", "RNN")),
    OnnxRow(
        "DynamicQuantizeLSTM",
        _quantized_layer,
        frozenset({"float32"}),
        {1: BYTES, 2: BYTES},
        refuse=_refused,
        domain="com.microsoft",
    ),
)
