"""A wrong element: as an expression, with the instruction that wrote it, and on inputs that the emulator executes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...emulation.core.faults import Fault
from ...emulation.core.memory import address_of
from ...emulation.cpu import execute
from ...emulation.symbolic import concrete
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.values import Table
from ...encoder.decode import decode
from .proof import Refutation

Array = np.ndarray[Any, Any]
_TRIES = 8
_NAN_SHARE = 0.1


def of_fault(fault: Fault) -> Refutation:
    """An access or instruction that the emulator refuses: it is the same with every input."""
    return Refutation(f"refuted: {fault}", fault.offset, True)


def of_element(code: bytes, target: Any, call: Any, done: Done, region: Any, place: tuple[int, ...],
               wanted: Array, inputs: Mapping[int, bytes] | None = None) -> Refutation:  # fmt: skip
    """An element that holds another value than the request says. inputs: elements, by their nodes, for which it does.
    """
    found = done.memory.held(region)[place]
    offset = int(done.memory.held(region, "writer")[place].max())
    table = done.table
    shapes = {each.name: each.array.shape for each in call.regions}

    def named(name: str, number: int) -> str:
        index = np.unravel_index(number, shapes[name])
        return f"{name}[{', '.join(str(int(at)) for at in index)}]"

    where = ", ".join(map(str, place))
    lines = [
        f"refuted: {region.name}[{where}] becomes {concrete.text_of_bytes(table, tuple(found.tolist()), named)}",
        f"  but should be {concrete.text_of_bytes(table, tuple(wanted.tolist()), named)}",
        f"  {described(code, target, offset)}",
    ]
    shown, confirmed = _confirmed(code, target, call, done, region, place, wanted, inputs or {})
    return Refutation("\n".join([*lines, *shown]), offset if offset >= 0 else None, confirmed)


def described(code: bytes, target: Any, offset: int) -> str:
    """The instruction that wrote an element."""
    if offset < 0:
        return "no instruction writes it"
    decoded = decode(code, offset, target.arch)
    return f"written by {offset:#x}: {decoded.form.text(decoded.operands) if decoded is not None else ''}"


def shown(done: Done, node: int) -> str:
    """A value as an expression."""
    return concrete.text(done.table, node)


def _confirmed(code: bytes, target: Any, call: Any, done: Done, region: Any, place: tuple[int, ...],
               wanted: Array, inputs: Mapping[int, bytes]) -> tuple[list[str], bool]:  # fmt: skip
    """Inputs on which the emulator gives another element than the request, in words."""
    table, names = done.table, {each.name: each for each in call.regions}
    data = tuple(wanted.tolist())
    node = table.joined(data)
    roots = list(table.arguments(node)) if node & 1 else [node]
    for seed in range(_TRIES):
        _fill(call.arrays, seed)
        _place(call.arrays, names, table, inputs)
        before = {
            name: np.ascontiguousarray(each.array).reshape(-1).view(np.uint8).copy() for name, each in names.items()
        }

        def given(leaf: int, before: dict[str, Array] = before) -> Array:
            _, name, number = table.leaf(leaf) or ("", "", 0)
            size = table.size(leaf)
            return before[name][number * size : (number + 1) * size].reshape(1, size)

        expected = concrete.joined(data, concrete.evaluated(table, roots, given, 1), 1)[0].tobytes()
        try:
            execute(code, target, call.integers, call.everything)
        except RuntimeError as error:  # a fault, or what the calling convention wants was lost
            return [f"  the emulator says: {error}"], True
        result = region.array[place].tobytes()
        if result != expected and not _both_nan(result, expected, region.array.dtype):
            number = [int.from_bytes(each, "little") for each in (result, expected)]
            return [f"  confirmed in the emulator, seed {seed}: {number[0]:#x} instead of {number[1]:#x}"], True
    return [f"  not confirmed on {_TRIES} random inputs"], False


def _fill(arrays: Sequence[Array], seed: int) -> None:
    """Numbers that are not special, or of all sizes."""
    rng = np.random.default_rng(seed)
    for array in arrays:
        array.view(f"u{array.itemsize}")[...] = rng.integers(1, 100, array.shape, endpoint=True)
        if array.dtype.kind == "f" and seed % 2:  # numbers of all sizes, zeros among them
            array[...] = rng.normal(size=array.shape) * 10.0 ** (seed // 2) * rng.integers(0, 4, array.shape)
            if seed == _TRIES - 1:
                array[rng.random(array.shape) < _NAN_SHARE] = np.nan


def _place(arrays: Sequence[Array], regions: Mapping[str, Any], table: Table, inputs: Mapping[int, bytes]) -> None:
    """Elements, by their nodes, in the arrays that own the memory of their operands."""
    for leaf, element in inputs.items():
        _, name, at = table.leaf(leaf) or ("", "", 0)
        operand = regions[name].array
        for array in arrays:
            if address_of(array) == address_of(operand) and array.shape == operand.shape:
                array[np.unravel_index(at, array.shape)] = np.frombuffer(element, array.dtype)[0]


def _both_nan(first: bytes, second: bytes, dtype: np.dtype[Any]) -> bool:
    """Whether two elements are NaN, whose sign and payload no contract says."""
    return dtype.kind == "f" and all(bool(np.isnan(np.frombuffer(each, dtype)[0])) for each in (first, second))
