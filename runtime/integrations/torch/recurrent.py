"""Recurrent layers on tensors, with gradients: an operator for each layer and direction, and one for its gradients.

An operator is a program of `runtime/graph`, compiled once for each shape: `g.lstm` and its kin, and their gradients by
`g.gradients`. What both passes need, such as the sums of all gates, are further results of the first one. torch.compile
takes the same programs into its graphs (`compiling/recurrent`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import torch

from ....microkernels.errors import UnsupportedError
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...graph.builder import GraphBuilder
from ...graph.compiled import CompiledGraph, compile
from ...graph.gradients.chain import gradients_of, rebuilt
from ...graph.gradients.loops import needed_of
from ...graph.operators import dtype_of as kind_of
from ...graph.spaces import behind
from ...graph.values import Builds, DType, GraphValue
from ...graph.views import contiguous
from .eager import Context, TorchOperator, calls
from .library import Value, dtype_of


class RecurrentKind(NamedTuple):
    """A kind of layer as torch has it.

    operator   that of graphs
    order      the gates in torch's order
    kept       what each step keeps for the gradients: sums of all "gates", or a "state"
    options    of the operator
    """

    operator: str
    order: str
    kept: tuple[str, ...]
    options: tuple[tuple[str, object], ...]

    @property
    def gates(self) -> int:
        """The number of gates."""
        return len(self.order)

    @property
    def states(self) -> int:
        """The number of states."""
        return 2 if self.operator == "lstm" else 1

    @property
    def widths(self) -> list[int]:
        """How many times the elements of a state what each step keeps has."""
        return [self.gates if each == "gates" else 1 for each in self.kept]


KINDS = {
    "lstm": RecurrentKind("lstm", "ifco", ("gates", "state"), (("gates", "ifco"),)),
    "gru": RecurrentKind("gru", "rzh", ("gates", "gates"), (("gates", "rzh"), ("linear_before_reset", True))),
    **{f"rnn_{name}": RecurrentKind("rnn", "h", ("gates",), (("activations", (name,)),)) for name in ("tanh", "relu")},
}
"""By torch's names."""


class LayerExtents(NamedTuple):
    """A layer in one direction: what its programs depend on."""

    name: str
    steps: int
    batch: int
    inputs: int
    size: int
    dtype: DType
    biased: bool
    reverse: bool

    @classmethod
    def of(cls, name: str, shape: Sequence[int], size: int, dtype: DType, biased: bool, reverse: bool) -> LayerExtents:
        """Return that of an input (steps, batch, inputs). Raises ValueError for one without steps or inputs."""
        steps, batch, inputs = shape
        if not steps * inputs * size:
            raise ValueError(f"{name}: an input of steps with elements, not {tuple(shape)}, and states of {size}")
        return cls(name, steps, batch, inputs, size, dtype, biased, reverse)

    @property
    def kind(self) -> RecurrentKind:
        """The kind of the layer."""
        return KINDS[self.name]

    @property
    def kept(self) -> list[tuple[int, int, int]]:
        """The shapes of what the first pass keeps."""
        return [(self.steps, self.batch, times * self.size) for times in self.kind.widths]


class LayerProgram(NamedTuple):
    """Both passes of a layer, as values of one graph.

    inputs     x, the states, w, r and, if it has one, the bias
    results    the outputs of all steps, and the last states
    kept       what the second pass needs beside these
    given      the gradients of the results
    gradients  those of the inputs
    own        the values of the first pass that the second one reads: the outputs, then what is kept
    """

    inputs: tuple[GraphValue, ...]
    results: tuple[GraphValue, ...]
    kept: tuple[GraphValue, ...]
    given: tuple[GraphValue, ...]
    gradients: tuple[GraphValue, ...]
    own: tuple[GraphValue, ...]


@lru_cache(INTEGRATIONS.sizes)
def program_of(of: LayerExtents, present: tuple[bool, ...] = (True, True, True)) -> LayerProgram:
    """Return the program of a layer. present: which results have a gradient that is not 0."""
    g, kind = GraphBuilder(), of.kind
    x = g.input((of.steps, of.batch, of.inputs), of.dtype)
    states = [g.input((of.batch, of.size), of.dtype) for _ in range(kind.states)]
    count = kind.gates * of.size
    w, r = (g.input((count, columns), of.dtype) for columns in (of.inputs, of.size))
    bias = [g.input((2 * count,), of.dtype)] * of.biased
    first = [g.apply("unsqueeze", each, axes=0) for each in (w, r, *bias)]
    given = [g.apply("unsqueeze", each, axes=0) for each in states]
    direction = "reverse" if of.reverse else "forward"
    made = g.results(kind.operator, x, *first, *[None] * (not bias), *given, direction=direction, **dict(kind.options))
    shapes = [(of.steps, of.batch, of.size), *((of.batch, of.size) for _ in states)]
    results = [g.apply("reshape", each, shape=shape) for each, shape in zip(made, shapes)]
    nodes = list(g.nodes)
    inputs = (x, *states, w, r, *bias)
    gradients = [g.input(each.shape, of.dtype) for each in results]
    chosen = [each if there else None for each, there in zip(gradients, present)]
    found = gradients_of(g, results, inputs, chosen)
    own = {value for node in nodes for value in node.results}
    y, *_ = (behind(each)[0] for each in results)
    read = [each for each in needed_of([each for each in found if each is not None], own, results) if each is not y]
    kept = [g.apply("reshape", each, shape=shape) for each, shape in zip(read, of.kept)]
    zeros = (g.constant(np.zeros(each.shape, of.dtype)) for each in inputs)
    whole = tuple(zero if each is None else each for each, zero in zip(found, zeros))
    return LayerProgram(inputs, tuple(results), tuple(kept), tuple(gradients), whole, (y, *read))


def first_pass(build: Builds, of: LayerExtents, inputs: Sequence[GraphValue]) -> list[GraphValue]:
    """Build a layer: its results, then what it keeps."""
    program = program_of(of)
    return rebuilt(build, [*program.results, *program.kept], dict(zip(program.inputs, inputs)))


def second_pass(
    build: Builds,
    of: LayerExtents,
    given: Sequence[GraphValue | None],
    inputs: Sequence[GraphValue],
    kept: Sequence[GraphValue],
) -> list[GraphValue]:
    """Build the gradients of a layer's inputs. given: those of its results, None for 0; kept: the outputs, then what
    the first pass keeps."""
    program = program_of(of, tuple(each is not None for each in given))
    known = dict(zip(program.inputs, inputs))
    known |= {value: each for value, each in zip(program.given, given) if each is not None}
    known |= {value: build.apply("reshape", each, shape=value.shape) for value, each in zip(program.own, kept)}
    return rebuilt(build, program.gradients, known)


@lru_cache(INTEGRATIONS.sizes)
def _compiled(of: LayerExtents, present: tuple[bool, ...] | None, kept: bool) -> CompiledGraph:
    """Return a pass as a callable: the first one, with what it keeps or without, if `present` is None."""
    g, program = GraphBuilder(), program_of(of)
    inputs = [g.input(each.shape, each.dtype) for each in program.inputs]
    if present is None:
        made = first_pass(g, of, inputs)
        return _without_gaps(g, made if kept else made[: len(program.results)])
    given = [g.input(each.shape, each.dtype) if there else None for each, there in zip(program.given, present)]
    saved = [g.input(shape, of.dtype) for shape in (program.results[0].shape, *of.kept)]
    return _without_gaps(g, second_pass(g, of, given, inputs, saved))


def _without_gaps(g: GraphBuilder, results: Sequence[GraphValue]) -> CompiledGraph:
    return compile(g.finish(*results, strides=[contiguous(each.shape) for each in results]))


def _run(program: CompiledGraph, tensors: Sequence[Value]) -> tuple[Value, ...]:
    """Return the results of a program in new tensors."""
    arguments = [each.contiguous() for each in tensors]
    made = tuple(arguments[0].new_empty(each.shape) for each in program.graph.results)
    program.run([each.data_ptr() for each in arguments], [each.data_ptr() for each in made])
    return made


# Operators


def _extents(name: str, x: Value, r: Value, bias: Value | None, reverse: bool) -> LayerExtents:
    dtype = kind_of(dtype_of("input", x))
    return LayerExtents.of(name, x.shape, r.shape[1], dtype, bias is not None, reverse)


def _checked(of: LayerExtents, tensors: Sequence[Value]) -> list[Value]:
    """Return the inputs of a layer. Raises TypeError or ValueError unless they are those of the input."""
    names = ("input", "hx", "cx")[: 1 + of.kind.states]
    for name, each, value in zip((*names, "weight_ih", "weight_hh", "bias"), tensors, program_of(of).inputs):
        if each.dtype != tensors[0].dtype:
            raise TypeError(f"{name}: {tensors[0].dtype} as the input, not {each.dtype}")
        if tuple(each.shape) != value.shape:
            raise ValueError(f"{name}: shape {value.shape}, not {tuple(each.shape)}")
    return list(tensors)


def _layer(name: str, kept: bool, x: Value, *rest: Value) -> tuple[Value, ...]:
    *states, w, r, bias, reverse = rest
    of = _extents(name, x, r, bias, reverse)
    tensors = _checked(of, [x, *states, w, r, *([] if bias is None else [bias])])
    return _run(_compiled(of, None, kept), tensors)


def _layer_backward(name: str, *given: Value) -> tuple[Value, ...]:
    kind = KINDS[name]
    gradients, (x, *rest), kept = arranged(kind, given)
    *states, w, r, bias = rest
    of = _extents(name, x, r, bias, given[-1])
    present = tuple(each is not None for each in gradients)
    made = _run(_compiled(of, present, True), _present([x, *states, w, r, bias, *gradients, *kept]))
    return made if bias is not None else (*made, x.new_empty(0))


def _present(tensors: Sequence[Value | None]) -> list[Value]:
    return [each for each in tensors if each is not None]


def arranged(kind: RecurrentKind, given: Sequence[Value]) -> tuple[list[Value], list[Value], list[Value]]:
    """Return the arguments of an operator of gradients: gradients, inputs, and the outputs with what was kept."""
    first, inputs = 1 + kind.states, 4 + kind.states
    return list(given[:first]), list(given[first : first + inputs]), list(given[first + inputs : -1])


def _fake(name: str, x: Value, *rest: Value) -> tuple[Value, ...]:
    kind, states, size = KINDS[name], rest[: KINDS[name].states], rest[0].shape[-1]
    kept = (x.new_empty((*x.shape[:2], times * size)) for times in kind.widths)
    return x.new_empty((*x.shape[:2], size)), *(each.new_empty(each.shape) for each in states), *kept


def _fake_backward(name: str, *given: Value) -> tuple[Value, ...]:
    _, inputs, _ = arranged(KINDS[name], given)
    return tuple(inputs[0].new_empty(0) if each is None else each.new_empty(each.shape) for each in inputs)


def _keep(kind: RecurrentKind, ctx: Context, inputs: Sequence[Value], output: Sequence[Value]) -> None:
    """Save the inputs, the outputs and what was kept. Gradients that are 0 are None, and no arrays of zeros."""
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*inputs[:-1], output[0], *output[1 + kind.states :])
    ctx.rest = inputs[-1]


def _gradient(name: str, ctx: Context, *grads: Value) -> tuple[Value, ...]:
    kind = KINDS[name]
    chosen = [None if each is None else each.contiguous() for each in grads[: 1 + kind.states]]
    made = getattr(calls, f"{name}_layer_backward")(*chosen, *ctx.saved_tensors, ctx.rest)
    biased = ctx.saved_tensors[3 + kind.states] is not None
    return *made[:-1], made[-1] if biased else None, None


def _operators(name: str, kind: RecurrentKind) -> tuple[TorchOperator, TorchOperator]:
    states = ("h", "c")[: kind.states]
    inputs = ", ".join(f"Tensor {each}" for each in ("x", *states, "w", "r"))
    grads = ", ".join(f"Tensor? g{each}" for each in ("y", *states))
    kept = ", ".join(f"Tensor kept{number}" for number in range(len(kind.kept)))
    results = ", ".join(["Tensor"] * (1 + kind.states + len(kind.kept)))
    gradients = ", ".join(["Tensor"] * (4 + kind.states))
    return (
        TorchOperator(
            f"{name}_layer({inputs}, Tensor? bias, bool reverse) -> ({results})",
            partial(_layer, name, True),
            partial(_fake, name),
            partial(_keep, kind),
            partial(_gradient, name),
        ),
        TorchOperator(
            f"{name}_layer_backward({grads}, {inputs}, Tensor? bias, Tensor y, {kept}, bool reverse) -> ({gradients})",
            partial(_layer_backward, name),
            partial(_fake_backward, name),
        ),
    )


RECURRENT_OPERATORS = tuple(each for name, kind in KINDS.items() for each in _operators(name, kind))


# Layers on top of each other


def layers(
    name: str,
    x: torch.Tensor,
    states: torch.Tensor | Sequence[torch.Tensor],
    params: Sequence[torch.Tensor],
    biases: bool,
    count: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[torch.Tensor, ...]:
    """Return the outputs and the last states of layers on top of each other, with the arguments of torch.lstm and its
    kin. Raises UnsupportedError for dropout between layers that train, and for layers that project their states."""
    own = (states,) if isinstance(states, torch.Tensor) else tuple(states)
    each, directions = 4 if biases else 2, (False, True)[: 1 + bidirectional]
    if train and dropout and count > 1:
        raise UnsupportedError(f"{name}: dropout between layers that train; put torch.nn.Dropout between single layers")
    if len(params) != each * count * len(directions):
        raise UnsupportedError(f"{name}: layers that project their states; leave them to torch.nn")
    x, ends = x.transpose(0, 1) if batch_first else x, list[Sequence[torch.Tensor]]()
    call: Callable[..., tuple[torch.Tensor, ...]] = getattr(calls, f"{name}_layer")
    for _ in range(count):
        outputs = list[torch.Tensor]()
        for reverse in directions:
            number = len(ends)
            w, r, *b = params[each * number : each * (number + 1)]
            bias = torch.cat(list(b)) if b else None
            y, *more = call(x, *(state[number] for state in own), w, r, bias, reverse)
            outputs.append(y)
            ends.append(more[: len(own)])
        x = outputs[0] if len(outputs) == 1 else torch.cat(outputs, 2)
    last = (parts[0].unsqueeze(0) if len(parts) == 1 else torch.stack(parts) for parts in zip(*ends))
    return (x.transpose(0, 1) if batch_first else x, *last)
