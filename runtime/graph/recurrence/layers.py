"""Recurrent layers: `lstm`, `gru` and `rnn`, as ONNX means them, which are those of torch in another order of gates.

One product computes what the inputs of all steps give to the gates. What is left of a step, a product with the state
and the gates, is the function of a `scan`. `methods` has the operands and the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from ....encoder.records import NamedTuple
from ....microkernels.errors import UnsupportedError
from ..values import Builds, GraphValue, Operator, Values, add

Activation = Callable[[Builds, GraphValue], GraphValue]
Activations = Sequence["str | tuple[str | float, ...]"]
DIRECTIONS: Mapping[str, tuple[bool, ...]] = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
"""Whether each direction begins with the last step."""
GATES: Mapping[str, str] = {"lstm": "iofc", "gru": "zrh", "rnn": "h"}
"""The gates in ONNX's order."""
ACTIVATIONS: Mapping[str, Activations] = {
    "lstm": ("sigmoid", "tanh", "tanh"),
    "gru": ("sigmoid", "tanh"),
    "rnn": ("tanh",),
}
_PEEPING = "iof"
_I32 = np.dtype(np.int32)


def _product(build: Builds, h: GraphValue, r: GraphValue) -> GraphValue:
    return build.apply("matmul", h, r)


class RecurrentLayer(NamedTuple):
    """What the steps of one direction compute with.

    order      the gates in the order of the weights
    size       the elements of a state
    acts       the activations
    clip       the largest sum that a gate takes, and the least one with the other sign; 0: any
    forget     whether f is 1 - i (lstm)
    first      whether h is multiplied by its weights before r resets it (gru)
    product    of a state and its weights, which are `weights` values
    """

    order: str
    size: int
    acts: tuple[Activation, ...]
    clip: float
    forget: bool = False
    first: bool = False
    product: Callable[..., GraphValue] = _product
    weights: int = 1

    def gate(self, build: Builds, sums: GraphValue, name: str) -> GraphValue:
        """Return the part of a gate, of sums that hold all."""
        return _columns(build, sums, self.order.index(name) * self.size, self.size)

    def act(self, build: Builds, number: int, x: GraphValue) -> GraphValue:
        """Return an activation of the sum of a gate."""
        clipped = x if not self.clip else build.apply("clip", x, low=-self.clip, high=self.clip)
        return self.acts[number](build, clipped)


def _columns(build: Builds, x: GraphValue, start: int, count: int, axis: int = -1) -> GraphValue:
    if (start, count) == (0, x.shape[axis]):
        return x
    return build.apply("slice", x, starts=(start,), stops=(start + count,), axes=(axis,))


# Activations, with ONNX's names, alpha and beta


def _affine(build: Builds, x: GraphValue, alpha: float, beta: float) -> GraphValue:
    return build.apply("add", build.apply("multiply", x, alpha), beta)


def _thresholded(build: Builds, x: GraphValue, alpha: float) -> GraphValue:
    return build.apply("where", build.apply("greater", x, alpha), x, 0.0)


def _scaled_tanh(build: Builds, x: GraphValue, alpha: float, beta: float) -> GraphValue:
    return build.apply("multiply", build.apply("tanh", build.apply("multiply", x, beta)), alpha)


def _named(name: str, *attributes: str) -> Callable[..., GraphValue]:
    def apply(build: Builds, x: GraphValue, *numbers: float) -> GraphValue:
        return build.apply(name, x, **dict(zip(attributes, numbers)))

    return apply


_FUNCTIONS: Mapping[str, tuple[Callable[..., GraphValue], tuple[float, ...]]] = {
    "relu": (_named("relu"), ()),
    "tanh": (_named("tanh"), ()),
    "sigmoid": (_named("sigmoid"), ()),
    "softsign": (_named("softsign"), ()),
    "softplus": (_named("softplus"), ()),
    "leakyrelu": (_named("leaky_relu", "slope"), (0.01,)),
    "elu": (_named("elu", "alpha"), (1.0,)),
    "hardsigmoid": (_named("hard_sigmoid", "alpha", "beta"), (0.2, 0.5)),
    "affine": (_affine, (1.0, 0.0)),
    "thresholdedrelu": (_thresholded, (1.0,)),
    "scaledtanh": (_scaled_tanh, (1.0, 1.0)),
}
"""The function of each, and its numbers if none are given."""


def activation_numbers(name: str) -> int:
    """Return how many numbers an activation has; UnsupportedError for an unknown one."""
    found = _FUNCTIONS.get(name.lower())
    if found is None:
        raise UnsupportedError(f"activation {name}: recurrent layers have {', '.join(sorted(_FUNCTIONS))}")
    return len(found[1])


def activation(given: str | tuple[str | float, ...]) -> Activation:
    name, *numbers = (given,) if isinstance(given, str) else given
    most = activation_numbers(str(name))
    if len(numbers) > most:
        raise ValueError(f"activation {name}: {most} numbers at most, not {len(numbers)}")
    function, absent = _FUNCTIONS[str(name).lower()]
    chosen = (*map(float, numbers), *absent[len(numbers) :])
    return lambda build, x: function(build, x, *chosen)


# Steps


def _kept(build: Builds, mask: GraphValue | None, new: GraphValue, old: GraphValue) -> GraphValue:
    """Return a new state, of samples that have such a step."""
    return new if mask is None else build.apply("where", mask, new, old)


def _shown(build: Builds, mask: GraphValue | None, h: GraphValue) -> GraphValue:
    return h if mask is None else build.apply("where", mask, h, 0.0)


def _lstm_step(
    of: RecurrentLayer,
    masked: bool,
    build: Builds,
    h: GraphValue,
    cell: GraphValue,
    given: GraphValue,
    *more: GraphValue,
) -> tuple[GraphValue, ...]:
    mask, r, peepholes = _operands(of, masked, more)
    sums = build.apply("add", of.product(build, h, *r), given)

    def gate(name: str, seen: GraphValue) -> GraphValue:
        x = of.gate(build, sums, name)
        if peepholes is not None:
            own = _columns(build, peepholes, _PEEPING.index(name) * of.size, of.size)
            x = build.apply("add", x, build.apply("multiply", own, seen))
        return of.act(build, 0, x)

    i = gate("i", cell)
    f = build.apply("subtract", 1.0, i) if of.forget else gate("f", cell)
    candidate = of.act(build, 1, of.gate(build, sums, "c"))
    new = build.apply("add", build.apply("multiply", f, cell), build.apply("multiply", i, candidate))
    made = build.apply("multiply", gate("o", new), of.acts[2](build, new))
    return _kept(build, mask, made, h), _kept(build, mask, new, cell), _shown(build, mask, made)


def _gru_step(
    of: RecurrentLayer, masked: bool, build: Builds, h: GraphValue, given: GraphValue, *more: GraphValue
) -> tuple[GraphValue, ...]:
    mask, (r,), bias = _operands(of, masked, more)
    parts = {name: of.gate(build, given, name) for name in of.order}
    if of.first:
        product = build.apply("matmul", h, r)
        product = product if bias is None else build.apply("add", product, bias)
        update, reset = (
            of.act(build, 0, build.apply("add", parts[name], of.gate(build, product, name))) for name in "zr"
        )
        inner = build.apply("multiply", reset, of.gate(build, product, "h"))
    else:
        start = of.order.index("h") == 0  # z and r are neighbours
        both, rest = (
            _columns(build, r, at * of.size, count * of.size) for at, count in ((start, 2), (2 * (not start), 1))
        )
        product = build.apply("matmul", h, both)
        pair = of._replace(order=of.order.replace("h", ""))
        update, reset = (
            of.act(build, 0, build.apply("add", pair.gate(build, product, name), parts[name])) for name in "zr"
        )
        inner = build.apply("matmul", build.apply("multiply", reset, h), rest)
    candidate = of.act(build, 1, build.apply("add", inner, parts["h"]))
    rest = build.apply("multiply", build.apply("subtract", 1.0, update), candidate)
    made = build.apply("add", rest, build.apply("multiply", update, h))
    return _kept(build, mask, made, h), _shown(build, mask, made)


def _rnn_step(
    of: RecurrentLayer, masked: bool, build: Builds, h: GraphValue, given: GraphValue, *more: GraphValue
) -> tuple[GraphValue, ...]:
    mask, r, _ = _operands(of, masked, more)
    made = of.act(build, 0, build.apply("add", of.product(build, h, *r), given))
    return _kept(build, mask, made, h), _shown(build, mask, made)


def _operands(
    of: RecurrentLayer, masked: bool, more: tuple[GraphValue, ...]
) -> tuple[GraphValue | None, tuple[GraphValue, ...], GraphValue | None]:
    """Return the mask, the weights, and peepholes or a bias."""
    mask, rest = (more[0], more[1:]) if masked else (None, more)
    return mask, rest[: of.weights], rest[of.weights] if len(rest) > of.weights else None


_STEPS: Mapping[str, Callable[..., tuple[GraphValue, ...]]] = {"lstm": _lstm_step, "gru": _gru_step, "rnn": _rnn_step}


# Layers


def _layer(
    name: str,
    build: Builds,
    x: GraphValue,
    w: GraphValue,
    r: GraphValue,
    b: GraphValue | None = None,
    h: GraphValue | None = None,
    *more: GraphValue | None,
    direction: str = "forward",
    activations: Activations | None = None,
    gates: str = "",
    clip: float = 0.0,
    input_forget: bool = False,
    linear_before_reset: bool = False,
) -> Values:
    """Build the directions of a layer one by one. `more`: the cells and, last, peepholes of an lstm; lengths."""
    cells = more[:1] if name == "lstm" else ()
    lengths = next(iter(more[len(cells) : len(cells) + 1]), None)
    peepholes = next(iter(more[len(cells) + 1 :]), None)
    order, acts = gates or GATES[name], tuple(activations or ACTIVATIONS[name])
    if sorted(order) != sorted(GATES[name]):
        raise ValueError(f"{name}: gates in an order of {GATES[name]}, not {order!r}")
    if order[1:2] == "h":
        raise ValueError(f"{name}: gates z and r as neighbours, not {order!r}")
    backwards = DIRECTIONS.get(direction)
    if backwards is None:
        raise ValueError(f"{name}: directions {', '.join(DIRECTIONS)}, not {direction!r}")
    states = [h, *(cells or (None,))] if name == "lstm" else [h]
    _check(name, len(backwards), x, w, r, b, states, lengths, peepholes)
    acts = acts * len(backwards) if len(acts) == len(ACTIVATIONS[name]) else acts
    if len(acts) != len(backwards) * len(ACTIVATIONS[name]):
        raise ValueError(f"{name}: {len(ACTIVATIONS[name])} activations for each direction, not {len(acts)}")
    mask = None if lengths is None else mask_of(build, x.shape[0], lengths)
    each = len(ACTIVATIONS[name])
    found: list[tuple[GraphValue, ...]] = []
    for place, reverse in enumerate(backwards):
        functions = tuple(activation(one) for one in acts[place * each : (place + 1) * each])
        of = RecurrentLayer(order, r.shape[2], functions, clip, input_forget, linear_before_reset)
        own = [None if value is None else part_of(build, value, place) for value in (w, r, b, *states, peepholes)]
        found.append(_direction(name, of, build, x, own, mask, reverse))
    ends, outputs = zip(*((made[:-1], made[-1]) for made in found))
    y = joined(build, outputs, 1)
    return (y, *(joined(build, last, 0) for last in zip(*ends)))


def _check(
    name: str,
    directions: int,
    x: GraphValue,
    w: GraphValue,
    r: GraphValue,
    b: GraphValue | None,
    states: Sequence[GraphValue | None],
    lengths: GraphValue | None,
    peepholes: GraphValue | None,
) -> None:
    """Raise ValueError or TypeError for operands that are not those of a layer."""
    count = len(GATES[name])
    if x.ndim != 3 or w.ndim != 3 or r.ndim != 3:
        raise ValueError(
            f"{name}: x (steps, batch, inputs), w (directions, {count} * size, inputs) and r (directions, "
            f"{count} * size, size), not {x.shape}, {w.shape} and {r.shape}"
        )
    size, batch = r.shape[2], x.shape[1]
    wanted = {
        "w": (w, (directions, count * size, x.shape[2])),
        "r": (r, (directions, count * size, size)),
        "b": (b, (directions, 2 * count * size)),
        **{state: (value, (directions, batch, size)) for state, value in zip("hc", states)},
        "lengths": (lengths, (batch,)),
        "peepholes": (peepholes, (directions, 3 * size)),
    }
    for operand, (value, shape) in wanted.items():
        if value is not None and value.shape != shape:
            raise ValueError(f"{name}: {operand} of shape {shape}, not {value.shape}")
        if value is not None and operand != "lengths" and value.dtype != x.dtype:
            raise TypeError(f"{name}: {operand} of {x.dtype} as x, not {value.dtype}; cast it")
    if lengths is not None and lengths.dtype.kind not in "iu":
        raise TypeError(f"{name}: lengths are integers, not {lengths.dtype}")


def mask_of(build: Builds, steps: int, lengths: GraphValue) -> GraphValue:
    """Return whether each sample has each step."""
    counted = build.constant(np.arange(steps, dtype=_I32).reshape(-1, 1, 1))
    whole = lengths if lengths.dtype == _I32 else build.apply("cast", lengths, dtype=_I32)
    return build.apply("less", counted, build.apply("reshape", whole, shape=(1, -1, 1)))


def part_of(build: Builds, value: GraphValue, place: int) -> GraphValue:
    """Return the part of a direction."""
    return build.apply("reshape", _columns(build, value, place, 1, axis=0), shape=value.shape[1:])


def joined(build: Builds, parts: Sequence[GraphValue], axis: int) -> GraphValue:
    """Return the parts of all directions, along a new axis."""
    made = [build.apply("unsqueeze", each, axes=(axis,)) for each in parts]
    return made[0] if len(made) == 1 else build.apply("concatenate", *made, axis=axis)


def _direction(
    name: str,
    of: RecurrentLayer,
    build: Builds,
    x: GraphValue,
    own: Sequence[GraphValue | None],
    mask: GraphValue | None,
    reverse: bool,
) -> tuple[GraphValue, ...]:
    """Build a direction: the last states, then the outputs."""
    w, r, b, *given, peepholes = own
    assert w is not None and r is not None
    steps, batch, inputs = x.shape
    bias, apart = (None, None) if b is None else _biases(build, of, b)
    rows = build.apply("reshape", x, shape=(steps * batch, inputs))
    sums = build.apply("linear", rows, build.apply("permute", w, axes=(1, 0)), bias)
    sums = build.apply("reshape", sums, shape=(steps, batch, sums.shape[-1]))
    more = peepholes if name == "lstm" else apart if of.first else None
    return recurrence(name, of, build, sums, [build.apply("permute", r, axes=(1, 0))], given, mask, more, reverse)


def recurrence(
    name: str,
    of: RecurrentLayer,
    build: Builds,
    sums: GraphValue,
    weights: Sequence[GraphValue],
    given: Sequence[GraphValue | None],
    mask: GraphValue | None,
    more: GraphValue | None,
    reverse: bool,
) -> tuple[GraphValue, ...]:
    """Build the steps of a direction: the last states, then the outputs.

    sums     (steps, batch, gates * size): what the inputs give to the gates
    weights  of the products with states
    given    the initial states (batch, size), 0 for None
    mask     (steps, batch, 1): whether each sample has each step
    more     peepholes of an lstm; the bias of a gru's products with states
    """
    zeros = build.constant(np.zeros((sums.shape[1], of.size), sums.dtype))
    states = [zeros if each is None else each for each in given]
    sequences = [sums] if mask is None else [sums, mask]
    return build.results(
        "scan",
        *states,
        *sequences,
        *weights,
        *([] if more is None else [more]),
        function=partial(_STEPS[name], of, mask is not None),
        states=len(states),
        sequences=len(sequences),
        reverse=reverse,
    )


def _biases(build: Builds, of: RecurrentLayer, b: GraphValue) -> tuple[GraphValue, GraphValue | None]:
    """Return the bias of the sums of inputs, and that of the products with states, if these have one: of a gru that
    resets them afterwards."""
    count = b.shape[0] // 2
    one, other = _columns(build, b, 0, count), _columns(build, b, count, count)
    return (one, other) if of.first else (build.apply("add", one, other), None)


_TAKES = "direction activations gates clip"
add(
    Operator("lstm", "composite", expand=partial(_layer, "lstm"), takes=f"{_TAKES} input_forget"),
    Operator("gru", "composite", expand=partial(_layer, "gru"), takes=f"{_TAKES} linear_before_reset"),
    Operator("rnn", "composite", expand=partial(_layer, "rnn"), takes=_TAKES),
)
