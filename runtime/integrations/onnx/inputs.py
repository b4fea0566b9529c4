"""The inputs of a model: what it declares of them, and what calls give, by name or in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ....microkernels.names import nearest
from ...arguments.arrays import Array, as_array
from ...fastcall.foreign import of_tensor
from . import steps as nodes
from .library import onnx

Inputs: TypeAlias = Mapping[str, Array] | Sequence[Array] | Array
_NO_ARRAYS = (type(None), str, int, float, complex)


class ModelInputs:
    """The inputs that a model asks for; `constants` are initializers, which a call may replace by name."""

    def __init__(self, graph: onnx.GraphProto, constants: Mapping[str, Array]) -> None:
        self.names = tuple(each.name for each in graph.input if each.name not in constants)
        self._constants = constants
        self._types = {each.name: nodes.declared(each.type) for each in graph.input}
        self._shown = {each.name: _shown(each.type.tensor_type, self._types[each.name]) for each in graph.input}

    def __str__(self) -> str:
        return ", ".join(f"{name} {self._shown[name]}" for name in self.names) or "no inputs"

    def given(self, inputs: Inputs, more: tuple[Array, ...], named: Mapping[str, Array]) -> dict[str, Array]:
        """Return the arrays of a call by name: `inputs` by name, in a sequence or one array, `more` after it.

        Raises TypeError and ValueError, which name the inputs of the model with their types and shapes.
        """
        if isinstance(inputs, Mapping):
            if more:
                raise TypeError(f"inputs: a mapping of all, or one after the other; the model takes {self}")
            found = dict(inputs)
        else:
            found = self._ordered(inputs, more)
        twice = [name for name in named if name in found]
        if twice:
            raise TypeError(f"inputs: {twice[0]} is given twice; the model takes {self}")
        found.update(named)
        for name in found:
            if name not in self.names and name not in self._constants:
                near = nearest(name, self.names) if isinstance(name, str) else ""
                hint = f"; did you mean {near!r}?" if near else ""
                raise ValueError(f"inputs: the model takes {self}, not {name!r}{hint}")
        missing = [name for name in self.names if name not in found and self._types[name] is not None]
        if missing:
            raise ValueError(f"inputs: {', '.join(missing)} missing; the model takes {self}")
        return {name: self._checked(name, each) for name, each in found.items()}

    def _ordered(self, inputs: Sequence[Array] | Array, more: tuple[Array, ...]) -> dict[str, Array]:
        if isinstance(inputs, _NO_ARRAYS):
            raise TypeError(
                f"inputs: arrays one after the other, in a list or by name, not {type(inputs).__name__}; "
                f"the model takes {self}"
            )
        listed = [*inputs, *more] if isinstance(inputs, (list, tuple)) else [inputs, *more]
        if len(listed) > len(self.names):
            raise ValueError(f"inputs: {len(self.names)}, not {len(listed)}; the model takes {self}")
        return dict(zip(self.names, listed))

    def _checked(self, name: str, value: Array) -> Array:
        """Return an input as an array of the type and number of axes that the model asks for."""
        if isinstance(value, np.generic):
            value = np.asarray(value)
        array = value if isinstance(value, np.ndarray) else as_array(name, of_tensor(name, value))
        dtype, extents = self._types.get(name) or (None, None)
        if dtype is not None and array.dtype != dtype:
            raise TypeError(
                f"{name}: elements of {dtype}, not {array.dtype}; the model takes {self}; np.asarray({name}, "
                f'"{dtype}") converts it'
            )
        differ = zip(extents or (), array.shape)
        if extents is not None and (
            len(extents) != array.ndim or any(wanted not in (None, extent) for wanted, extent in differ)
        ):
            raise ValueError(f"{name}: {self._shown[name]}, not shape {array.shape}")
        return array


def _shown(tensor: onnx.TypeProto.Tensor, found: tuple[object, tuple[int | None, ...] | None] | None) -> str:
    """Return the element type and the extents that a model declares of an input, those by name that it leaves open."""
    if found is None:
        return "(no tensor)"
    dtype, extents = found
    kind = "any type" if dtype is None else str(dtype)
    if extents is None:
        return f"{kind} of any shape"
    dims = [dim.dim_param or "any" if extent is None else str(extent) for dim, extent in zip(tensor.shape.dim, extents)]
    return f"{kind} ({', '.join(dims)}{',' * (len(dims) == 1)})"
