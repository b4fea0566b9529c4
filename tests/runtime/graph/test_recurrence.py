"""Recurrent layers and scans: against numpy in f64 with bounds of the errors, and torch in f64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address, both_sides, guarded
from tests.runtime.graph.programs import ULPS
from tilesmith.microkernels.errors import UnsupportedError

Array = np.ndarray[Any, Any]
_SLOPES = {"sigmoid": 0.25, "tanh": 1.0, "relu": 1.0}
_FUNCTIONS = {"sigmoid": lambda v: 1 / (1 + np.exp(-v)), "tanh": np.tanh, "relu": lambda v: np.maximum(v, 0)}
_GATES = {"lstm": "iofc", "gru": "zrh", "rnn": "h"}


@dataclass
class Known:
    """Numbers in f64, and a bound of their error in a program whose type rounds by `ulp`."""

    exact: Array
    error: Array
    ulp: float

    def rounded(self, exact: Array, error: Array) -> Known:
        return Known(exact, error + ULPS * self.ulp * np.abs(exact), self.ulp)

    def __add__(self, other: Known) -> Known:
        return self.rounded(self.exact + other.exact, self.error + other.error)

    def __mul__(self, other: Known) -> Known:
        one, two = np.abs(self.exact), np.abs(other.exact)
        error = one * other.error + two * self.error + self.error * other.error
        return self.rounded(self.exact * other.exact, error)

    def __matmul__(self, weights: Array) -> Known:
        size, magnitudes = len(weights), np.abs(weights)
        error = self.error @ magnitudes + size * self.ulp * ((np.abs(self.exact) + self.error) @ magnitudes)
        return Known(self.exact @ weights, error, self.ulp)

    def __getitem__(self, index: Any) -> Known:
        return Known(self.exact[index], self.error[index], self.ulp)

    def act(self, name: str) -> Known:
        exact = _FUNCTIONS[name](self.exact)
        return Known(
            exact, _SLOPES[name] * self.error + ULPS * self.ulp * np.maximum(np.abs(exact), self.ulp), self.ulp
        )

    def rest(self) -> Known:
        return self.rounded(1 - self.exact, self.error)

    def clipped(self, most: float) -> Known:
        return Known(np.clip(self.exact, -most, most) if most else self.exact, self.error, self.ulp)


def given(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    found: Array = np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)
    return found


class Layer:
    """Operands of a layer, and what it computes by its formulas."""

    def __init__(self, name: str, sizes: tuple[int, ...], dtype: str = "float32", **more: Any) -> None:
        self.steps, self.batch, inputs, self.size = sizes
        self.name, self.dtype, self.more = name, dtype, more
        count, directions = len(_GATES[name]), 1 + (more.get("direction") == "bidirectional")
        self.x = given((self.steps, self.batch, inputs), dtype, 0)
        self.w, self.r = (given((directions, count * self.size, n), dtype, n) for n in (inputs, self.size))
        self.b = given((directions, 2 * count * self.size), dtype, 3)
        self.states = [given((directions, self.batch, self.size), dtype, 4 + n) for n in range(1 + (name == "lstm"))]
        self.lengths = np.random.default_rng(6).integers(0, self.steps + 1, self.batch) if more.get("cut") else None
        self.peepholes = given((directions, 3 * self.size), dtype, 7) if more.get("peeping") else None
        self.gates = str(more.get("gates") or _GATES[name])
        self.acts = more.get("activations") or {"rnn": ["tanh"]}.get(name, ["sigmoid", "tanh", "tanh"])

    def program(self, constant: bool = True) -> Any:
        g = ts.graph()
        hold = g.constant if constant else lambda each: g.input(each.shape, each.dtype)
        x = g.input(self.x.shape, self.dtype)
        w, r, b = map(hold, (self.w, self.r, self.b))
        states = [g.input(each.shape, self.dtype) for each in self.states]
        lengths = None if self.lengths is None else g.input(self.lengths.shape, self.lengths.dtype)
        peepholes = [] if self.peepholes is None else [g.constant(self.peepholes)]
        options = {name: value for name, value in self.more.items() if name not in ("cut", "peeping")}
        return g.compile(*getattr(g, self.name)(x, w, r, b, *states, lengths, *peepholes, **options))

    def gradients(self) -> tuple[Any, list[Array]]:
        """Return the program of the gradients of x, w, r, b, peepholes and the states, and its first arrays; those of
        the results follow."""
        g = ts.graph()
        floats = [self.x, self.w, self.r, self.b, *([] if self.peepholes is None else [self.peepholes])]
        inputs = [g.input(each.shape, self.dtype) for each in (*floats, *self.states)]
        (x, w, r, b), more = inputs[:4], inputs[4 : len(floats)]
        lengths = None if self.lengths is None else g.input(self.lengths.shape, self.lengths.dtype)
        options = {name: value for name, value in self.more.items() if name not in ("cut", "peeping")}
        results = getattr(g, self.name)(x, w, r, b, *inputs[len(floats) :], lengths, *more, **options)
        seeds = [g.input(each.shape, self.dtype) for each in results]
        arrays = [*floats, *self.states, *([] if self.lengths is None else [self.lengths])]
        return g.compile(*g.gradients(results, inputs, seeds)), arrays

    @property
    def arrays(self) -> list[Array]:
        return [self.x, *self.states, *([] if self.lengths is None else [self.lengths])]

    def wanted(self) -> list[Known]:
        """Return the results: outputs, then the last states."""
        found = []
        direction = self.more.get("direction", "forward")
        for place in range(len(self.w)):
            found.append(self._direction(place, place == 1 or direction == "reverse"))
        together = lambda parts, axis: Known(  # noqa: E731
            np.stack([each.exact for each in parts], axis), np.stack([each.error for each in parts], axis), parts[0].ulp
        )
        return [together(parts, 0 if number else 1) for number, parts in enumerate(zip(*found))]

    def _direction(self, place: int, reverse: bool) -> list[Known]:
        wide, ulp = (lambda each: each.astype(np.float64)), float(np.finfo(self.dtype).eps)
        known = lambda each: Known(wide(each), np.zeros(each.shape), ulp)  # noqa: E731
        states, count = [known(each[place]) for each in self.states], len(self.b[place]) // 2
        y = Known(np.zeros((self.steps, self.batch, self.size)), np.zeros((self.steps, self.batch, self.size)), ulp)
        for step in reversed(range(self.steps)) if reverse else range(self.steps):
            made = self._step(place, known(self.x[step]) @ wide(self.w[place]).T, states, known(self.b[place]), count)
            has = np.ones((self.batch, 1), bool) if self.lengths is None else (step < self.lengths)[:, None]
            states = [
                Known(np.where(has, new.exact, old.exact), np.where(has, new.error, old.error), ulp)
                for new, old in zip(made, states)
            ]
            y.exact[step], y.error[step] = np.where(has, made[0].exact, 0), np.where(has, made[0].error, 0)
        return [y, *states]

    def _step(self, place: int, sums: Known, states: list[Known], b: Known, count: int) -> list[Known]:
        h, size, clip = states[0], self.size, float(self.more.get("clip", 0.0))
        r = self.r[place].astype(np.float64).T
        at = {gate: slice(n * size, (n + 1) * size) for n, gate in enumerate(self.gates)}
        whole = b[:count] + b[count:]
        if self.name == "rnn":
            return [(sums + h @ r + whole).clipped(clip).act(self.acts[0])]
        if self.name == "gru":
            z, reset = ((sums[:, at[n]] + h @ r[:, at[n]] + whole[at[n]]).clipped(clip).act(self.acts[0]) for n in "zr")
            if self.more.get("linear_before_reset"):
                inner = sums[:, at["h"]] + b[:count][at["h"]] + reset * (h @ r[:, at["h"]] + b[count:][at["h"]])
            else:
                inner = sums[:, at["h"]] + (reset * h) @ r[:, at["h"]] + whole[at["h"]]
            return [z.rest() * inner.clipped(clip).act(self.acts[1]) + z * h]
        parts = {gate: sums[:, at[gate]] + h @ r[:, at[gate]] + whole[at[gate]] for gate in self.gates}
        peep = {}
        if self.peepholes is not None:
            own = self.peepholes[place].astype(np.float64).reshape(3, size)
            peep = {gate: Known(own[n], np.zeros(size), h.ulp) for n, gate in enumerate("iof")}
        gate = lambda name, cell: (  # noqa: E731
            (parts[name] + peep[name] * cell if peep else parts[name]).clipped(clip).act(self.acts[0])
        )
        i = gate("i", states[1])
        f = i.rest() if self.more.get("input_forget") else gate("f", states[1])
        cell = f * states[1] + i * parts["c"].clipped(clip).act(self.acts[1])
        return [gate("o", cell) * cell.act(self.acts[2]), cell]


def within(found: Any, wanted: list[Known]) -> None:
    for made, known in zip(found, wanted, strict=True):
        assert made.shape == known.exact.shape
        assert (np.abs(made - known.exact) <= known.error).all()


CASES: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("lstm", (5, 3, 4, 7), {}),
    ("lstm", (4, 1, 3, 17), {"direction": "bidirectional", "peeping": True, "cut": True}),
    ("lstm", (3, 2, 5, 1), {"direction": "reverse", "clip": 0.3, "input_forget": True, "gates": "ifco"}),
    ("lstm", (1, 2, 3, 5), {"activations": ("relu", "sigmoid", "relu"), "dtype": "float64"}),
    ("gru", (5, 3, 4, 7), {"direction": "bidirectional", "cut": True}),
    ("gru", (4, 1, 3, 33), {"linear_before_reset": True, "gates": "rzh", "direction": "reverse"}),
    ("gru", (3, 2, 1, 6), {"gates": "hzr", "clip": 0.5, "dtype": "float64"}),
    ("rnn", (6, 2, 3, 9), {"activations": ("relu",), "direction": "bidirectional", "cut": True}),
    ("rnn", (1, 1, 1, 1), {"clip": 0.1}),
]


@pytest.mark.parametrize("name, sizes, more", CASES, ids=[f"{name} {sizes}" for name, sizes, _ in CASES])
def test_layers(name: str, sizes: tuple[int, ...], more: dict[str, Any]) -> None:
    layer = Layer(name, sizes, **more)
    program = layer.program()
    assert not program.explain().foreign and len(program.executor.segments) == 1
    found = program(*layer.arrays)
    within(found, layer.wanted())
    again = program(*layer.arrays, threads=3)
    assert all(np.array_equal(one, other) for one, other in zip(found, again))


@pytest.mark.parametrize("name, sizes, more", CASES, ids=[f"{name} {sizes}" for name, sizes, _ in CASES])
@pytest.mark.grid(2)
def test_gradients(name: str, sizes: tuple[int, ...], more: dict[str, Any]) -> None:
    """Along a direction that is drawn, against differences of what the formulas compute."""
    layer = Layer(name, sizes, **{**more, "dtype": "float64"})
    names = [each for each in ("x", "w", "r", "b", "peepholes") if getattr(layer, each) is not None]
    arrays = [*(getattr(layer, each) for each in names), *layer.states]
    steps = [given(each.shape, "float64", 20 + n) for n, each in enumerate(arrays)]
    seeds = [given(each.exact.shape, "float64", 40 + n) for n, each in enumerate(layer.wanted())]

    def moved(by: float) -> float:
        there = [each + by * step for each, step in zip(arrays, steps)]
        for each, array in zip(names, there):
            setattr(layer, each, array)
        layer.states = there[len(names) :]
        return float(sum((seed * known.exact).sum() for seed, known in zip(seeds, layer.wanted())))

    by = 1e-4  # the error of these differences is of the order of its fourth power
    wanted = (8 * (moved(by) - moved(-by)) - moved(2 * by) + moved(-2 * by)) / (12 * by)
    moved(0)
    program, inputs = layer.gradients()
    found = program(*inputs, *seeds)
    assert not program.explain().foreign
    assert abs(sum(float((g * step).sum()) for g, step in zip(found, steps)) - wanted) <= 1e-9 * max(1, abs(wanted))
    again = program(*inputs, *seeds, threads=3)
    assert all(np.array_equal(one, other) for one, other in zip(found, again))


@both_sides
def test_memory_of_gradients(side: str) -> None:
    layer = Layer("lstm", (3, 5, 3, 19))
    program, inputs = layer.gradients()
    arrays = [*inputs, *(given(each.exact.shape, "float32", n) for n, each in enumerate(layer.wanted()))]
    wanted = program(*arrays)
    operands = [guarded(each, side, writable=False) for each in arrays]
    out = [guarded(np.full(each.shape, np.nan, np.float32), side) for each in wanted]
    program.run([address(each) for each in operands], [address(each) for each in out])
    places = [each.steps for each in program._program.results]
    assert all(
        np.array_equal(np.lib.stride_tricks.as_strided(made, other.shape, steps), other)
        for made, other, steps in zip(out, wanted, places)
    )


@both_sides
def test_memory(side: str) -> None:
    """Nothing is touched beside the operands, of which some may be written; weights are operands of the call."""
    layer = Layer("lstm", (3, 5, 3, 19), direction="bidirectional")
    program = layer.program(constant=False)
    inputs = [layer.x, layer.w, layer.r, layer.b, *layer.states]
    arrays = [guarded(each, side, writable=False) for each in inputs]
    wanted = layer.wanted()
    out = [guarded(np.full(each.exact.shape, np.nan, np.float32), side) for each in wanted]
    program.run([address(each) for each in arrays], [address(each) for each in out])
    within(out, wanted)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_torch_in_f64(kind: str) -> None:
    torch = pytest.importorskip("torch")
    layer = Layer(
        kind.lower(),
        (7, 2, 5, 6),
        "float64",
        **({"gates": "ifco"} if kind == "LSTM" else {"gates": "rzh", "linear_before_reset": True}),
    )
    module = getattr(torch.nn, kind)(5, 6, dtype=torch.float64)
    w, r, b = (torch.tensor(each[0]) for each in (layer.w, layer.r, layer.b))
    state = dict(zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"), (w, r, *b.chunk(2))))
    module.load_state_dict(state)
    states = [torch.tensor(each) for each in layer.states]
    with torch.no_grad():
        y, last = module(torch.tensor(layer.x), tuple(states) if kind == "LSTM" else states[0])
    wanted = [y[:, None], *(last if kind == "LSTM" else [last])]
    for made, other, known in zip(layer.program()(*layer.arrays), wanted, layer.wanted(), strict=True):
        assert (np.abs(made - other.numpy()) <= 2 * known.error).all()


def test_no_steps() -> None:
    layer = Layer("lstm", (0, 2, 3, 5))
    y, h, c = layer.program()(*layer.arrays)
    assert y.shape == (0, 1, 2, 5) and np.array_equal(h, layer.states[0]) and np.array_equal(c, layer.states[1])


def test_rows_of_calls() -> None:
    """The number of steps is that of the call's array."""
    layer = Layer("gru", (6, 2, 3, 5))
    g = ts.graph()
    x = g.input((ts.RUNTIME, 2, 3))
    f = g.compile(*g.gru(x, *map(g.constant, (layer.w, layer.r, layer.b, layer.states[0]))))
    for layer.steps in (6, 2):
        within(f(layer.x[: layer.steps]), layer.wanted())


# Scans of functions


def test_a_scan_of_swapped_states() -> None:
    """States that change places, one that stays, an output that is no state, and a value that all steps read."""

    def step(g: Any, a: Any, b: Any, kept: Any, x: Any, scale: Any) -> Any:
        return b, a + x * scale, kept, a - kept

    g = ts.graph()
    a, b, kept, x, scale = (g.input(shape) for shape in (*[(2, 3)] * 3, (4, 2, 3), (2, 3)))
    f = g.compile(*g.scan(a, b, kept, x, scale, function=step, states=3, sequences=1, reverse=True))
    one, two, three, four = (given((2, 3), "float32", n) for n in range(4))
    rows, outputs = given((4, 2, 3), "float32", 5), []
    found = f(one, two, three, rows, four)
    for row in rows[::-1]:
        outputs.append(one - three)
        one, two = two, one + row * four
    wanted = [one, two, three, np.stack(outputs[::-1])]
    assert all(np.allclose(made, other, rtol=1e-6, atol=1e-6) for made, other in zip(found, wanted, strict=True))


def test_a_scan_in_a_scan() -> None:
    """Powers of a matrix, of which each step multiplies twice."""

    def inner(g: Any, power: Any, matrix: Any) -> Any:
        return g.matmul(power, matrix)

    def outer(g: Any, power: Any, matrix: Any) -> Any:
        (made,) = g.scan(power, matrix, function=inner, states=1, sequences=0, steps=2)
        return made, made

    g = ts.graph()
    start, matrix = g.input((3, 3)), g.constant(np.triu(np.ones((3, 3), np.float32)))
    f = g.compile(*g.scan(start, matrix, function=outer, states=1, sequences=0, steps=3))
    last, each = f(np.eye(3, dtype=np.float32))
    powers = [np.linalg.matrix_power(np.triu(np.ones((3, 3), int)), n) for n in (2, 4, 6)]
    assert np.array_equal(last, powers[-1]) and np.array_equal(each, powers)


def test_refusals() -> None:
    g = ts.graph()
    s, x = g.input((2, 3)), g.input((4, 2, 3))
    with pytest.raises(ValueError, match="state 0 is 2x3 float32, so the next one is, too, not 3x2 float32"):
        g.scan(s, x, function=lambda g, s, x: g.permute(s, axes=(1, 0)), states=1, sequences=1)
    with pytest.raises(TypeError, match="a function that returns 2 next states"):
        g.scan(s, s, x, function=lambda g, s, t, x: s, states=2, sequences=1)
    with pytest.raises(ValueError, match="sequences of one length"):
        g.scan(s, x, s, function=lambda g, s, x, y: s, states=1, sequences=2)
    (made,) = g.scan(
        s,
        x,
        function=lambda g, s, x: g.foreign(np.cumsum, [s], [((2, 3), "float32")], name="cumsum", reason="none"),
        states=1,
        sequences=1,
    )
    with pytest.raises(UnsupportedError, match="a function of Python computes cumsum"):
        g.compile(made)
    w, r = g.input((1, 12, 3)), g.input((1, 12, 3))
    with pytest.raises(ValueError, match=r"lstm: b of shape \(1, 24\), not \(2, 3\)"):
        g.lstm(x, w, r, s)
    with pytest.raises(UnsupportedError, match="activation cosine: recurrent layers have affine, elu"):
        g.lstm(x, w, r, activations=("cosine", "tanh", "tanh"))
    with pytest.raises(ValueError, match="gates in an order of iofc, not 'zrh'"):
        g.lstm(x, w, r, gates="zrh")
