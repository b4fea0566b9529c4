"""Recurrent layers of torch: LSTM, GRU and RNN, whose steps and gradients become loops in machine code.

aot_autograd takes these operators apart, step by step. So they are replaced beforehand by the operators of
`..recurrent`, one for each layer and direction, which stay whole and have rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from .....microkernels.errors import UnsupportedError
from ....graph.values import GraphValue
from .. import operators  # noqa: F401  # registers those of recurrent layers, too
from ..recurrent import KINDS, LayerExtents, arranged, first_pass, layers, second_pass
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types

_INPUT, _STATE, _PARAMS, _BIASES, _COUNT, _DROPOUT, _TRAIN, _TWICE, _FIRST = range(9)
"""Places of arguments of torch.lstm and its kin."""


def keep_whole(module: torch.fx.GraphModule) -> None:
    """Let recurrent layers of a graph before aot_autograd stay whole."""
    names = {target: name for name in KINDS for target in (getattr(torch, name), _of_aten(name))}
    found = [each for each in module.graph.nodes if each.target in names and _is_plain(each)]
    for node in found:
        node.target, node.args = layers, (names[node.target], *node.args)
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
    params, count, twice = given[_PARAMS], given[_COUNT], given[_TWICE]
    assert isinstance(params, (list, tuple)) and isinstance(count, int)
    own = (4 if given[_BIASES] else 2) * count * (1 + bool(twice))
    return len(params) == own  # others project their states


def _extents(name: str, inputs: Sequence[GraphValue | None], reverse: bool) -> LayerExtents:
    x, *_, r, bias = inputs
    assert x is not None and r is not None
    return LayerExtents.of(name, x.shape, r.shape[1], x.dtype, bias is not None, reverse)


def _layer(name: str, g: AtenLowering, *given: GraphValue | None) -> Lowered:
    *inputs, reverse = given
    of = _extents(name, inputs, bool(reverse))
    return tuple(first_pass(g.builder, of, [each for each in inputs if each is not None]))


def _layer_backward(name: str, g: AtenLowering, *given: GraphValue | None) -> Lowered:
    gradients, inputs, kept = arranged(KINDS[name], given)
    of = _extents(name, inputs, bool(given[-1]))
    made = second_pass(g.builder, of, gradients, [each for each in inputs if each is not None], kept)
    return (*made, *(None for each in inputs if each is None))


RECURRENT = {
    row: AtenRow(partial(lower, name), Types.KEPT)
    for name in KINDS
    for row, lower in ((f"{name}_layer", _layer), (f"{name}_layer_backward", _layer_backward))
}
"""The rows of these operators."""
