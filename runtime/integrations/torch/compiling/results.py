"""What a call returns: tensors that the graph computes, views of them, and arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import torch

from ....graph.values import GraphValue
from .dtypes import torch_dtype
from .symbols import Sizes

Tensors: TypeAlias = "Sequence[torch.Tensor | int]"
Returned: TypeAlias = "Callable[[Tensors, Sequence[torch.Tensor]], object]"
"""Makes one thing that is returned, of the arguments and of the tensors that the graph has computed."""


class ResultTensor(NamedTuple):
    """A tensor that the graph computes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype


class ReturnedResults(NamedTuple):
    """The tensors that the graph computes, in order, and what makes the things that a call returns."""

    made: tuple[ResultTensor, ...]
    returned: tuple[Returned, ...]


class _Computed(NamedTuple):
    number: int
    offset: int


def results_of(
    output: torch.fx.Node,
    sizes: Sizes,
    entries: Mapping[torch.fx.Node, object],
    copied: Callable[[GraphValue], GraphValue],
) -> tuple[ReturnedResults, list[GraphValue]]:
    """Return how the results of a graph become what a call returns, and the values that are its results.

    Things that are views of one value are one result, and views of an argument none: they share memory, as torch's do.
    """
    made: list[ResultTensor] = []
    values: list[GraphValue] = []
    owners: dict[torch.fx.Node, _Computed] = {}
    returned: list[Returned] = []
    (given,) = output.args
    for node in given if isinstance(given, (tuple, list)) else (given,):
        if not isinstance(node, torch.fx.Node):
            returned.append(_always(node))
            continue
        fake, base = node.meta.get("val"), _base(node)
        if not isinstance(fake, torch.Tensor):
            returned.append(_always(sizes.number(fake)))
            continue
        if base.op == "placeholder":
            returned.append(_of_argument(_number(base), node, base, sizes))
            continue
        if entries[node] is None:  # a token of an operator with effects
            returned.append(_always(None))
            continue
        if base not in owners:
            owner = node if _same_memory(node, base, sizes) else base
            entry = entries[base if owner is base else node]
            assert isinstance(entry, GraphValue), f"{owner} is no tensor"
            if entry.node is None or entry in values:  # an input, a constant, or a result that has its place
                entry = copied(entry)
            shape, strides = sizes.shape(owner.meta["val"]), sizes.strides(owner.meta["val"])
            owners[base] = _Computed(len(made), sizes.offset(owner.meta["val"]))
            made.append(ResultTensor(shape, strides, torch_dtype(entry.dtype)))
            values.append(entry)
        returned.append(_of_result(owners[base], made, node, sizes))
    return ReturnedResults(tuple(made), tuple(returned)), values


def _base(node: torch.fx.Node) -> torch.fx.Node:
    """Return the node whose memory the result of a node shares, as far back as that goes."""
    while node.op == "call_function" and node.args and isinstance(node.args[0], torch.fx.Node):
        before = node.args[0]
        if node.target is operator.getitem:
            inner = before.args[0] if before.args else None
            if isinstance(inner, torch.fx.Node) and _shares(node, inner):
                node = inner
                continue
            return node
        if not _shares(node, before):
            return node
        node = before
    return node


def _shares(node: torch.fx.Node, before: torch.fx.Node) -> bool:
    one, other = node.meta.get("val"), before.meta.get("val")
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return False
    return one.dtype == other.dtype and one.untyped_storage()._cdata == other.untyped_storage()._cdata


def _same_memory(node: torch.fx.Node, base: torch.fx.Node, sizes: Sizes) -> bool:
    """Whether a view has all elements of what it is a view of."""
    one, other = node.meta["val"], base.meta["val"]
    return sizes.count(one) == sizes.count(other) and sizes.offset(one) == sizes.offset(other) and 0 not in one.stride()


def _number(placeholder: torch.fx.Node) -> int:
    return [each for each in placeholder.graph.nodes if each.op == "placeholder"].index(placeholder)


def _always(value: object) -> Returned:
    return lambda arguments, results: value


def _of_argument(number: int, node: torch.fx.Node, base: torch.fx.Node, sizes: Sizes) -> Returned:
    if node is base:
        return lambda arguments, results: arguments[number]
    fake, whole = node.meta["val"], base.meta["val"]
    shape, strides = sizes.shape(fake), sizes.strides(fake)
    ahead = sizes.offset(fake) - sizes.offset(whole)

    def view(arguments: Tensors, results: Sequence[torch.Tensor]) -> object:
        argument = arguments[number]
        assert isinstance(argument, torch.Tensor)
        return argument.as_strided(shape, strides, argument.storage_offset() + ahead)

    return view


def _of_result(owner: _Computed, made: Sequence[ResultTensor], node: torch.fx.Node, sizes: Sizes) -> Returned:
    number, fake = owner.number, node.meta["val"]
    shape, strides, offset = sizes.shape(fake), sizes.strides(fake), sizes.offset(fake) - owner.offset
    if (shape, strides, offset) == (*made[number][:2], 0):
        return lambda arguments, results: results[number]
    return lambda arguments, results: results[number].as_strided(shape, strides, offset)
