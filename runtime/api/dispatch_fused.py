"""Derive the keywords of `ts.fused` from the arrays of a call: see `dispatch_requests`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...microkernels.errors import UnsupportedError
from ...microkernels.fused.composites import COMPOSITES, INDEX, Composite
from ..arguments.infer import (
    Given,
    InferredRequest,
    Reader,
    all_transposed,
    array_at,
    leading_of,
    matrix_of,
    needed,
    type_of,
)
from .fused import fused as fused

_INDICES = ("i32", "i16", "u16", "i8", "u8")
"""The types of labels."""


def _read(args: Given, fixed: dict[str, Any]) -> InferredRequest:
    composite = COMPOSITES[fixed["name"]]
    inputs = {
        name: array_at(args, i) if name in composite.numbers else needed(args, i, name)
        for i, name in enumerate(composite.inputs)
    }
    behind = args[len(composite.inputs) + len(_seed(composite)) :]
    results = {name: each for name, each in zip(composite.outputs, behind) if each is not None}
    arrays = {name: each for name, each in inputs.items() if each is not None} | results
    lines = {*composite.rows, *composite.columns, *composite.numbers}
    first = next(name for name in composite.inputs if name not in lines)
    m, n = matrix_of(first, arrays[first])
    asked: dict[str, Any] = {"m": m, "n": n}
    types = {name: type_of(name, each) for name, each in arrays.items() if name not in composite.types}
    asked["dtype"] = _types_of_inputs({name: types[name] for name in inputs if name in types}, composite)
    if results:
        asked["out"] = {name: types[name] for name in results if name in types}
    labels = [name for name, dtype in composite.types.items() if dtype == INDEX and name in arrays]
    if labels:
        asked["index"] = _index(labels[0], type_of(labels[0], arrays[labels[0]]))
    if "order" not in fixed and all_transposed([each for each in arrays.values() if each.shape == (m, n)]):
        asked["order"] = "F"
    by_columns = "F" in (asked.get("order"), fixed.get("order"))
    for name, each in arrays.items():
        if name not in composite.rows:
            asked.update(leading_of(name, each, by_columns))
    return InferredRequest(asked)


def _index(name: str, dtype: str) -> str:
    """Return the type of labels, if kernels read it."""
    if dtype not in _INDICES:
        raise UnsupportedError(
            f"{name}: {', '.join(_INDICES)}, not {dtype}; {name}.astype(np.int32), or of a tensor {name}.int()"
        )
    return dtype


def _types_of_inputs(types: Mapping[str, str], composite: Composite) -> Any:
    """Return one type if all inputs have it, or the type of each. Single numbers have the type of the arithmetic, as
    those that are not arrays."""
    usual = {dtype for name, dtype in types.items() if name not in composite.numbers}
    number = "f64" if "f64" in usual else "f32"
    if len(usual) == 1 and all(types.get(name, number) == number for name in composite.numbers):
        return usual.pop()
    return {**dict.fromkeys(composite.numbers, number), **types}


def _seed(composite: Composite) -> tuple[str, ...]:
    """The number that a dropout takes before the results."""
    return ("seed",) if "rate" in composite.options else ()


def _check(fixed: dict[str, Any]) -> object:
    rows = fixed.get("channels") or fixed.get("groups") or 1
    return fused(**{"m": rows, "n": 1, **fixed})


def axes_of(fixed: dict[str, Any]) -> tuple[int, ...]:
    """Return the most axes of each argument."""
    composite = COMPOSITES[fixed["name"]]
    return (2,) * len((*composite.inputs, *_seed(composite), *composite.outputs))


READER = Reader((2,), ("m", "n"), _read, _check)
