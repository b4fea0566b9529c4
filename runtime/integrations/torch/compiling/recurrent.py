"""Recurrent layers of torch: LSTM, GRU and RNN, whose steps become a loop in machine code.

aot_autograd takes these operators apart, step by step. So they are replaced beforehand by operators of our own, with
the same arguments, which stay whole and have rows. Their gradients are operators, too, which torch computes: it
computes the steps again for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import torch

from .....microkernels.errors import UnsupportedError
from ....graph.values import GraphValue
from ..library import NAMESPACE
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types

_REST = "bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first"
_LAYERS = {"lstm": "Tensor[] hx", "gru": "Tensor hx", "rnn_tanh": "Tensor hx", "rnn_relu": "Tensor hx"}
"""torch's names, and the states that each takes."""
_GATES = {"lstm": "ifco", "gru": "rzh"}
"""The gates in torch's order."""
_INPUT, _STATE, _PARAMS, _BIASES, _COUNT, _DROPOUT, _TRAIN, _TWICE, _FIRST = range(9)


def _operator(name: str) -> torch._ops.OpOverload:
    found: torch._ops.OpOverload = getattr(getattr(torch.ops, NAMESPACE), f"recurrent_{name}").default
    return found


def _registered() -> torch.library.Library:
    """Register the operators, and return the handle that keeps them registered."""
    library = torch.library.Library(NAMESPACE, "FRAGMENT")
    for name, states in _LAYERS.items():
        results = "(Tensor, Tensor, Tensor)" if name == "lstm" else "(Tensor, Tensor)"
        own, backward, given = f"recurrent_{name}", f"recurrent_{name}_backward", f"{states}, Tensor[] params, {_REST}"
        library.define(f"{own}(Tensor input, {given}) -> {results}")
        library.define(f"{backward}(Tensor[] grads, Tensor input, {given}) -> Tensor[]")
        function = getattr(torch, name)
        library.impl(own, partial(_computed, function), "CompositeExplicitAutograd")
        library.impl(backward, partial(_gradients, function), "CompositeExplicitAutograd")
        torch.library.register_fake(f"{NAMESPACE}::{own}", _fake, lib=library)
        torch.library.register_fake(f"{NAMESPACE}::{backward}", _gradients_fake, lib=library)
        torch.library.register_autograd(
            f"{NAMESPACE}::{own}", partial(_backward, backward), setup_context=_save, lib=library
        )
    return library


def _tensors(given: Sequence[object]) -> list[torch.Tensor]:
    """Return the tensors of a call: the input, the states and the parameters."""
    return [each for part in given[:_BIASES] for each in ([part] if isinstance(part, torch.Tensor) else part)]  # type: ignore[attr-defined]


def _gradients(
    function: Callable[..., Sequence[torch.Tensor]], grads: Sequence[torch.Tensor], *given: object
) -> list[torch.Tensor]:
    """Return the gradients of all tensors of a call."""
    with torch.enable_grad():
        leaves = [each.detach().requires_grad_() for each in _tensors(given)]
        made = function(*_arranged(leaves, _counts(given)), *given[_BIASES:])
        found = torch.autograd.grad(list(made), leaves, list(grads), allow_unused=True)
    return [torch.zeros_like(leaf) if each is None else each.contiguous() for leaf, each in zip(leaves, found)]


def _arranged(tensors: Sequence[torch.Tensor], counts: Sequence[int | None]) -> list[object]:
    """Return tensors as the arguments that they are: single ones, where there is no count, and lists."""
    left = iter(tensors)
    return [next(left) if count is None else [next(left) for _ in range(count)] for count in counts]


def _counts(given: Sequence[object]) -> list[int | None]:
    return [None if isinstance(part, torch.Tensor) else len(part) for part in given[:_BIASES]]  # type: ignore[arg-type]


def _gradients_fake(grads: Sequence[torch.Tensor], *given: object) -> list[torch.Tensor]:
    return [each.new_empty(each.shape) for each in _tensors(given)]


class SavedCall(Protocol):
    """What torch keeps of a call for its gradients: the tensors, how they were arranged, and the other arguments."""

    saved_tensors: Sequence[torch.Tensor]
    counts: Sequence[int | None]
    rest: Sequence[object]

    def save_for_backward(self, *tensors: torch.Tensor) -> None:
        """Keep tensors."""


def _save(ctx: SavedCall, inputs: Sequence[object], output: object) -> None:
    ctx.save_for_backward(*_tensors(inputs))
    ctx.counts, ctx.rest = _counts(inputs), tuple(inputs[_BIASES:])


def _backward(name: str, ctx: SavedCall, *grads: torch.Tensor) -> tuple[object, ...]:
    """Return a gradient for each argument of a call."""
    function = getattr(getattr(torch.ops, NAMESPACE), name).default
    made = function(list(grads), *_arranged(ctx.saved_tensors, ctx.counts), *ctx.rest)
    return *_arranged(made, ctx.counts), *(None for _ in ctx.rest)


def _computed(function: Callable[..., Sequence[torch.Tensor]], *given: object) -> tuple[torch.Tensor, ...]:
    """Return what torch computes, with steps before samples in memory."""
    y, *ends = function(*given)
    y = y.transpose(0, 1).contiguous().transpose(0, 1) if given[_FIRST] else y.contiguous()
    return y, *(each.contiguous() for each in ends)


def _fake(x: torch.Tensor, states: torch.Tensor | Sequence[torch.Tensor], *rest: object) -> tuple[torch.Tensor, ...]:
    """Return tensors of the shapes of the results."""
    given = x, states, *rest
    own = [states] if isinstance(states, torch.Tensor) else states
    one, other = x.shape[:2]
    columns = own[0].shape[2] * (2 if given[_TWICE] else 1)
    y = x.new_empty((other, one, columns)).transpose(0, 1) if given[_FIRST] else x.new_empty((one, other, columns))
    return y, *(x.new_empty(each.shape) for each in own)


_kept = _registered()


def keep_whole(module: torch.fx.GraphModule) -> None:
    """Let recurrent layers of a graph before aot_autograd stay whole."""
    names = {target: name for name in _LAYERS for target in (getattr(torch, name), _of_aten(name))}
    found = [each for each in module.graph.nodes if each.target in names and _is_plain(each)]
    for node in found:
        node.target = _operator(names[node.target])
    if found:
        module.recompile()


def _of_aten(name: str) -> torch._ops.OpOverload:
    made: torch._ops.OpOverload = getattr(torch.ops.aten, name).input
    return made


def _is_plain(node: torch.fx.Node) -> bool:
    """Whether a call is that of a layer on samples of one length. UnsupportedError: it draws numbers."""
    given = node.args
    if node.kwargs or len(given) <= _FIRST or not isinstance(given[_BIASES], bool):
        return False
    if given[_TRAIN] and given[_DROPOUT] and given[_COUNT] != 1:
        raise UnsupportedError(
            f"{node.target}: dropout between layers that train; leave the layer to torch by "
            "torch._dynamo.config.allow_rnn = False"
        )
    return True


# Rows


def _layers(
    name: str,
    g: AtenLowering,
    x: GraphValue,
    states: GraphValue | Sequence[GraphValue],
    params: Sequence[GraphValue],
    biases: bool,
    count: int,
    dropout: float,
    train: bool,
    twice: bool,
    first: bool,
) -> Lowered:
    """Build layers on top of each other, each direction by itself."""
    own = [states] if isinstance(states, GraphValue) else list(states)
    each, directions = 4 if biases else 2, ("forward", "reverse")[: 1 + twice]
    g.need(len(params) == each * count * len(directions), "a layer that projects its states")
    g.need(all(part.dtype == x.dtype and x.dtype.itemsize > 2 for part in (*own, *params)), f"elements of {x.dtype}")
    x, ends = g.permuted(x, (1, 0, 2)) if first else x, list[list[GraphValue]]()
    steps, batch = x.shape[:2]
    operator = name.partition("_")[0]
    options = {"activations": (name.partition("_")[2],)} if operator == "rnn" else {"gates": _GATES[operator]}
    if operator == "gru":
        options["linear_before_reset"] = True  # type: ignore[assignment]
    for _ in range(count):
        outputs = list[GraphValue]()
        for direction in directions:
            at, number = each * len(ends), len(ends)
            w, r, *b = params[at : at + each]
            bias = g.reshaped(g("concatenate", *b, axis=0), (1, -1)) if b else None
            given = [g.part(state, 0, number, number + 1) for state in own]
            weights = (g("unsqueeze", part, axes=(0,)) for part in (w, r))
            y, *last = g.several(operator, x, *weights, bias, *given, direction=direction, **options)
            outputs.append(g.reshaped(y, (steps, batch, y.shape[-1])))
            ends.append(last)
        x = outputs[0] if len(outputs) == 1 else g("concatenate", *outputs, axis=2)
    made = [parts[0] if len(parts) == 1 else g("concatenate", *parts, axis=0) for parts in zip(*ends)]
    return (g.permuted(x, (1, 0, 2)) if first else x, *made)


RECURRENT = {f"recurrent_{name}": AtenRow(partial(_layers, name), Types.KEPT) for name in _LAYERS}
"""The rows of these operators."""
