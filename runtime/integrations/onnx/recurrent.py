"""LSTM, GRU and RNN: one product for the inputs of all steps, then for each step a product and a kernel of its gates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.graph import Expr
from ...api import functions as f
from ...ops.matmul import matmul
from .call import Call, Row
from .elements import Traced, computed, elementwise
from .library import Array, Results

_FLOATS = frozenset({"float32", "float64"})
_ACTIVATIONS: dict[str, Callable[[Expr], Expr]] = {"sigmoid": f.sigmoid, "tanh": f.tanh, "relu": f.relu}
_DEFAULTS = {"LSTM": ("sigmoid", "tanh", "tanh"), "GRU": ("sigmoid", "tanh"), "RNN": ("tanh",)}
State = tuple[Array, ...]


def _lstm(
    i: Expr, o: Expr, g: Expr, c: Expr, cell: Expr, first: str, second: str, third: str
) -> tuple[Expr, Expr]:
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


def _gru_linear(
    z: Expr, x: Expr, r: Expr, recurrent: Expr, bias: Expr, h: Expr, first: str, second: str
) -> Expr:
    update = _ACTIVATIONS[first](z)
    new = _ACTIVATIONS[second](x + _ACTIVATIONS[first](r) * (recurrent + bias))
    return (1.0 - update) * new + update * h


def _plus(a: Expr, b: Expr) -> Expr:
    return a + b


class Direction:
    """One direction of a recurrent layer: its weights, and what a step does with its state."""

    def __init__(self, call: Call, names: tuple[str, ...], w: Array, r: Array, b: Array, peep: Array | None) -> None:
        self.call, self.names, self.peep = call, names, peep
        self.w, self.r = np.ascontiguousarray(w.T), np.ascontiguousarray(r.T)
        self.size = r.shape[1]
        half = b.size // 2
        own, recurrent = b[:half], b[half:]
        self.apart = recurrent[2 * self.size :].reshape(1, -1)
        if call.operator == "GRU" and call.whole("linear_before_reset"):
            recurrent = np.concatenate([recurrent[: 2 * self.size], np.zeros_like(recurrent[2 * self.size :])])
        self.bias = elementwise(Traced(_plus), own, recurrent)

    def gates(self, x: Array) -> Array:
        """Return the gates of all steps as far as they depend on the inputs."""
        steps, batch, inputs = x.shape
        made: Array = matmul(np.ascontiguousarray(x).reshape(-1, inputs), self.w)
        return elementwise(Traced(_plus), made, self.bias).reshape(steps, batch, -1)

    def step(self, given: Array, state: State) -> State:
        """Return the next state."""
        return _STEPS[self.call.operator](self, given, state)

    def parts(self, gates: Array) -> list[Array]:
        """Return the gates apart."""
        return [gates[:, place : place + self.size] for place in range(0, gates.shape[1], self.size)]


def _lstm_step(of: Direction, given: Array, state: State) -> State:
    h, cell = state
    gates = elementwise(Traced(_plus), matmul(h, of.r), given)
    i, o, g, c = of.parts(gates)
    if of.peep is None:
        made = computed(Traced(_lstm, of.names), [i, o, g, c, cell])
    else:
        peeps = of.peep.reshape(3, 1, -1)
        made = computed(Traced(_peeping, of.names), [i, o, g, c, cell, *peeps])
    assert isinstance(made, tuple)
    return made


def _gru_step(of: Direction, given: Array, state: State) -> State:
    (h,), size = state, of.size
    z, r, x = of.parts(given)
    recurrent = matmul(h, np.ascontiguousarray(of.r[:, : 2 * size]))
    z = elementwise(Traced(_plus), z, recurrent[:, :size])
    r = elementwise(Traced(_plus), r, recurrent[:, size:])
    last = np.ascontiguousarray(of.r[:, 2 * size :])
    if of.call.whole("linear_before_reset"):
        return (computed(Traced(_gru_linear, of.names), [z, x, r, matmul(h, last), of.apart, h]),)  # type: ignore[return-value]
    kept = elementwise(Traced(_reset, of.names[:1]), r, h)
    return (computed(Traced(_gru, of.names), [z, x, matmul(kept, last), h]),)  # type: ignore[return-value]


def _rnn_step(of: Direction, given: Array, state: State) -> State:
    gates = elementwise(Traced(_plus), matmul(state[0], of.r), given)
    return (elementwise(Traced(_gate, of.names), gates),)


_STEPS: dict[str, Callable[[Direction, Array, State], State]] = {
    "LSTM": _lstm_step,
    "GRU": _gru_step,
    "RNN": _rnn_step,
}


def _layer(
    call: Call,
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    lengths: Array | None = None,
    h: Array | None = None,
    cell: Array | None = None,
    peep: Array | None = None,
) -> Results:
    if call.whole("layout"):
        x = x.transpose(1, 0, 2)
        h, cell = (None if each is None else each.transpose(1, 0, 2) for each in (h, cell))
    steps, batch = x.shape[:2]
    if lengths is not None and (lengths != steps).any():
        raise UnsupportedError(f"{call.name}: sequence_lens of fewer than the {steps} steps; pass samples one by one")
    directions, size = len(w), r.shape[-1]
    zeros = np.zeros((directions, batch, size), x.dtype)
    states = [zeros if each is None else each for each in ((h, cell) if call.operator == "LSTM" else (h,))]
    biases = np.zeros((directions, 2 * w.shape[1]), x.dtype) if b is None else b
    results, last = list[Array](), list[State]()
    for place in range(directions):
        backwards = place == 1 or call.text("direction", "forward") == "reverse"
        names = _names(call, place)
        of = Direction(call, names, w[place], r[place], biases[place], None if peep is None else peep[place])
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


def _names(call: Call, direction: int) -> tuple[str, ...]:
    """Return the activations of a direction."""
    default = _DEFAULTS[call.operator]
    given = call.attributes.get("activations")
    if not isinstance(given, tuple) or not given:
        return default
    each = tuple(str(name).lower() for name in given)
    return each[direction * len(default) : (direction + 1) * len(default)]


def _refused(call: Call) -> str | None:
    given = call.attributes.get("activations") or ()
    unknown = [name for name in given if str(name).lower() not in _ACTIVATIONS]  # type: ignore[union-attr]
    if unknown:
        return f"activation {unknown[0]}; steps have {', '.join(sorted(_ACTIVATIONS))}"
    if call.number("clip"):
        return "clip"
    return "input_forget" if call.whole("input_forget") else None


ROWS = tuple(Row(name, _layer, _FLOATS, since=7, refuse=_refused) for name in ("LSTM", "GRU", "RNN"))
