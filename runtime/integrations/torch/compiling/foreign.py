"""Operators that no kernel computes, as functions of arrays that call torch's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch.utils import _pytree as pytree

from ....arguments.arrays import Array
from .dtypes import array_of, tensor_of

_BY_MEMORY = frozenset(("aten::as_strided", "aten::as_strided_scatter", "aten::view.dtype"))
"""Operators whose results depend on how their tensors lie in memory."""


_OTHER_SHAPES = "aten::_embedding_bag"
"""Operators whose names begin so, bags and their gradients, make or take a tensor that has no elements where torch's
rule of shapes for bf16, which compilers read, gives it some."""


class TensorPlace(NamedTuple):
    """Stands for a tensor among the arguments of a call: where it is among the arrays, and how torch expects it to lie;
    None: anyhow."""

    number: int
    strides: tuple[int, ...] | None


class TorchCall:
    """A call of one of torch's operators, on arrays in the place of its tensors. Its results are the arrays of the
    operator's results in order, without those that are no tensors."""

    def __init__(self, target: Callable[..., object], args: Sequence[object], kwargs: dict[str, object]) -> None:
        self.target = target
        self._flat, self._form = pytree.tree_flatten((tuple(args), kwargs), is_leaf=_is_place)
        self._places = [(at, each) for at, each in enumerate(self._flat) if isinstance(each, TensorPlace)]

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        """Return the results of the operator on these arrays."""
        flat = list(self._flat)
        for at, place in self._places:
            flat[at] = _lying(tensor_of(arrays[place.number]), place.strides)
        args, kwargs = pytree.tree_unflatten(flat, self._form)
        with torch.no_grad():
            made = self.target(*args, **kwargs)
        results = made if isinstance(made, (tuple, list)) else (made,)
        return tuple(array_of(each) for each in results if isinstance(each, torch.Tensor))


def _is_place(value: object) -> bool:
    return isinstance(value, TensorPlace)


def _lying(tensor: torch.Tensor, strides: tuple[int, ...] | None) -> torch.Tensor:
    """Return a tensor with such strides, a copy if need be."""
    if strides is None or tensor.stride() == strides:
        return tensor
    return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype).copy_(tensor)


def depends_on_memory(target: Callable[..., object]) -> bool:
    """Whether results of an operator depend on the strides of its tensors: those of others than torch may."""
    if not isinstance(target, torch._ops.OpOverload):
        return True
    return target.namespace != "aten" or target._name in _BY_MEMORY


def has_other_shapes(target: Callable[..., object], results: Sequence[torch.Tensor]) -> bool:
    """Whether arguments or results of a call may have other shapes than torch says they have."""
    named = isinstance(target, torch._ops.OpOverload) and target._name.startswith(_OTHER_SHAPES)
    return named and results[0].dtype == torch.bfloat16


def is_random(target: Callable[..., object]) -> bool:
    """Whether an operator draws random numbers, so that calls must keep their order."""
    return isinstance(target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in target.tags
