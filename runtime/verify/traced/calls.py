"""Calls of elementwise and fused kernels, with leading dimensions given at the call, or results that overwrite
inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....microkernels.operands import RUNTIME, Number, Operand
from ..operands import Call, array_of, call_with, number_of, numbers_of

_GAPS = (3, 8)


def calls_of(spec: Any, kind: Any) -> tuple[str, Iterator[Call]]:
    """Return a description of the calls, and an iterator over them."""
    given = any(each.view.leading is RUNTIME for each in spec.operands)
    gaps = _GAPS if given else _GAPS[:1]
    words = f"leading dimensions {' and '.join(map(str, _GAPS))} elements longer than dense ones" if given else ""
    return words, (_call(spec, kind, gap, {}) for gap in gaps)


def in_place(spec: Any) -> dict[str, str]:
    """Return the results that may overwrite an input, mapped to that input. Each input is used once."""
    found: dict[str, str] = {}
    for x in spec.inputs:
        alike = (
            y.name
            for y in spec.outputs
            if x.name in spec.in_place
            and y.name not in found
            and y._replace(name="", output=False) == x._replace(name="")
        )
        if (first := next(alike, None)) is not None:
            found[first] = x.name
    return found


def call_in_place(spec: Any, kind: Any) -> tuple[str, Call] | None:
    """Return a description of which results overwrite which inputs, and the call. Return None if no result may."""
    pairs = in_place(spec)
    words = ", ".join(f"{y} in the place of {x}" for y, x in pairs.items())
    return (words, _call(spec, kind, _GAPS[0], pairs)) if pairs else None


def _call(spec: Any, kind: Any, gap: int, pairs: dict[str, str]) -> Call:
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    given: list[Any] = []
    for each in spec.arguments:
        if isinstance(each, Number):
            given.append(number_of(each))
            continue
        assert isinstance(each, Operand)
        arrays[each.name] = arrays[pairs[each.name]] if each.name in pairs else array_of(each, gap=gap)
        given.append(arrays[each.name])
    made = call_with(spec, kind, given, [array for name, array in arrays.items() if name not in pairs])
    return made._replace(numbers=numbers_of(spec))
