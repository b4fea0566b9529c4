"""Calls of elementwise and fused kernels, with leading dimensions given at the call, or results that overwrite
inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....microkernels.operands import RUNTIME, Interface, Number, Operand
from ..operands import Call, array_of, call_with, number_of, numbers_of

_GAPS = (3, 8)


def calls_of(spec: Any, kind: Any) -> tuple[str, Iterator[Call]]:
    """Return a description of the calls, and an iterator over them."""
    given = any(each.view.leading is RUNTIME for each in spec.operands)
    gaps = _GAPS if given else _GAPS[:1]
    words = f"leading dimensions {' and '.join(map(str, _GAPS))} elements longer than dense ones" if given else ""
    return words, (_call(spec, kind, spec.arguments, gap, {}) for gap in gaps)


def in_place(interface: Interface) -> list[dict[str, str]]:
    """Return the ways in which results overwrite inputs, each result mapped to its input: as many results as can at
    once, so often that every result overwrites every input that it may."""
    operands = {each.name: each for each in interface.operands}
    left = [
        (x, y)
        for x in operands
        for y in operands
        if (x, y) in interface.aliasing and operands[y]._replace(name="", output=False) == operands[x]._replace(name="")
    ]
    found: list[dict[str, str]] = []
    allowed = list(left)
    while left:
        pairs: dict[str, str] = {}
        for x, y in (*left, *allowed):
            if y not in pairs and x not in pairs.values():
                pairs[y] = x
        left = [(x, y) for x, y in left if pairs.get(y) != x]
        found.append(pairs)
    return found


def calls_in_place(spec: Any, kind: Any, numbers: Sequence[int] = ()) -> Iterator[tuple[str, Call]]:
    """Yield calls in which results overwrite inputs, each with a description. `numbers` are the extents that the call
    gives."""
    interface = spec.interface.of(numbers)
    for pairs in in_place(interface):
        words = ", ".join(f"{y} in the place of {x}" for y, x in sorted(pairs.items()))
        yield words, _call(spec, kind, interface.arguments, _GAPS[0], pairs)


def _call(spec: Any, kind: Any, arguments: Sequence[Operand | Number], gap: int, pairs: dict[str, str]) -> Call:
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    given: list[Any] = []
    for each in arguments:
        if isinstance(each, Number):
            given.append(number_of(each))
            continue
        assert isinstance(each, Operand)
        arrays[each.name] = arrays[pairs[each.name]] if each.name in pairs else array_of(each, gap=gap)
        given.append(arrays[each.name])
    made = call_with(spec, kind, given, [array for name, array in arrays.items() if name not in pairs])
    return made._replace(numbers=numbers_of(getattr(spec, "request", spec)))
