"""Describe a wrong element: its expression, the instruction that wrote it, and inputs that the emulator confirms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...emulation.core.faults import Fault
from ...emulation.core.memory import READ, Memory, address_of
from ...emulation.cpu import BACK, CALLS, CODE, execute, predecoded
from ...emulation.symbolic import concrete
from ...emulation.symbolic.machine import Done
from ...emulation.symbolic.values import Table
from ...encoder.decode import decode
from ...encoder.records import NamedTuple
from .operands import redrawn
from .proof import Refutation

Array = np.ndarray[Any, Any]
_TRIES = 8
_SHOWN = 48
"""The largest number of elements for which an operand is printed in a refutation."""
_STEPS = 100_000
_NAN_SHARE = 0.1


class Wrong(NamedTuple):
    """An element that differs from the value the request asks for: its region, its place there, and the wanted bytes
    as expressions."""

    region: Any
    place: tuple[int, ...]
    wanted: Array


def of_fault(fault: Fault) -> Refutation:
    """Return the refutation for an access or an instruction that the emulator refuses."""
    return Refutation(f"refuted: {fault}\n  with every input: no address depends on an element", fault.offset, True)


def of_element(
    code: bytes, target: Any, call: Any, done: Done, wrong: Wrong, inputs: Mapping[int, bytes] | None = None
) -> Refutation:
    """Return the refutation by an element. `inputs` maps leaf nodes to the bytes of inputs for which it is known to
    differ from the wanted value."""
    region, place, wanted = wrong
    found = done.memory.held(region)[place]
    offset = int(done.memory.held(region, "writer")[place].max())
    table = done.table
    shapes = {each.name: each.array.shape for each in call.regions}

    def named(name: str, number: int) -> str:
        if name not in shapes:  # a number that the call gives
            return name
        index = np.unravel_index(number, shapes[name])
        return f"{name}[{', '.join(str(int(at)) for at in index)}]"

    where = ", ".join(map(str, place))
    lines = [
        f"refuted: {region.name}[{where}] becomes {concrete.text_of_bytes(table, tuple(found.tolist()), named)}",
        f"  but should be {concrete.text_of_bytes(table, tuple(wanted.tolist()), named)}",
        f"  {described(code, target, offset)}",
    ]
    shown, confirmed = _confirmed(code, target, call, done, wrong, inputs or {})
    return Refutation("\n".join([*lines, *shown]), offset if offset >= 0 else None, confirmed)


def of_numbers(
    text: str, code: bytes, target: Any, call: Any, name: str, place: tuple[int, ...], before: Mapping[str, Array]
) -> Refutation:
    """Return the refutation for an element that an execution on numbers left wrong. `text` says what the element became
    and where that was confirmed. `before` holds the operands as they were before this execution; small ones are
    printed."""
    first, *more = text.splitlines()
    offset = _writer(code, target, call, name, place, before)
    lines = [first, f"  {described(code, target, offset)}", *inputs_shown(before, name), *more]
    return Refutation("\n".join(lines), offset if offset >= 0 else None, True)


def inputs_shown(before: Mapping[str, Array], result: str) -> list[str]:
    """Return the small operands as lines of text. `result` names the one printed as it was before the call."""
    return [
        f"  {name} = {array.tolist()}{' before the call' if name == result else ''}"
        for name, array in before.items()
        if 0 < array.size <= _SHOWN
    ]


def _writer(code: bytes, target: Any, call: Any, name: str, place: tuple[int, ...], before: Mapping[str, Array]) -> int:
    """Return the offset of the last instruction that changes an element, or -1 if none does. The emulator executes the
    code one instruction at a time."""
    for each in call.regions:
        if each.array.flags.writeable:
            each.array[...] = before[each.name]
    array = next(each.array for each in call.regions if each.name == name)
    memory, found = Memory(call.everything), -1
    memory.add("the code", CODE, len(code), READ, bytes(code))
    process = CALLS[target.arch](memory, target, call.integers, BACK)
    at = address_of(array) + sum(index * stride for index, stride in zip(place, array.strides))
    element, address, steps = memory.view(at, array.itemsize), CODE, {}
    held = element.tobytes()
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            if address == BACK:
                break
            if address not in steps:
                steps[address] = predecoded(process, code, target, address)
            goes = steps[address].run()
            if (now := element.tobytes()) != held:
                held, found = now, steps[address].offset
            address = steps[address].after if goes is None else goes
    return found


def described(code: bytes, target: Any, offset: int) -> str:
    """Return the text of the instruction that wrote an element."""
    if offset < 0:
        return "no instruction writes it"
    decoded = decode(code, offset, target.arch)
    return f"written by {offset:#x}: {decoded.form.text(decoded.operands) if decoded is not None else ''}"


def shown(done: Done, node: int) -> str:
    """Return a value as the text of its expression."""
    return concrete.text(done.table, node)


def _confirmed(
    code: bytes, target: Any, call: Any, done: Done, wrong: Wrong, inputs: Mapping[int, bytes]
) -> tuple[list[str], bool]:
    """Search for inputs on which the emulator's result differs from the request. Return lines of text and whether the
    difference was confirmed."""
    region, place, wanted = wrong
    table, names = done.table, {each.name: each for each in call.regions}
    data = tuple(wanted.tolist())
    node = table.joined(data)
    roots = list(table.arguments(node)) if node & 1 else [node]
    for seed in range(_TRIES):
        _fill(call.arrays, seed)
        _place(call.arrays, names, table, inputs)
        before = {name: np.array(each.array) for name, each in names.items()}
        raw = {name: np.ascontiguousarray(each).reshape(-1).view(np.uint8) for name, each in before.items()}
        integers, numbers = redrawn(call, seed)
        raw |= {name: np.array([value], np.uint64).view(np.uint8) for name, value in numbers.items()}

        def given(leaf: int, raw: dict[str, Array] = raw) -> Array:
            _, name, number = table.leaf(leaf) or ("", "", 0)
            size = table.size(leaf)
            return raw[name][number * size : (number + 1) * size].reshape(1, size)

        expected = concrete.joined(data, concrete.evaluated(table, roots, given, 1), 1)[0].tobytes()
        try:
            execute(code, target, integers, call.everything)
        except RuntimeError as error:  # a fault, or a violation of the calling convention
            return [f"  the emulator says: {error}"], True
        result = region.array[place].tobytes()
        if result != expected and not _both_nan(result, expected, region.array.dtype):
            number = [int.from_bytes(each, "little") for each in (result, expected)]
            values = [np.frombuffer(each, region.array.dtype)[0] for each in (result, expected)]
            said = f"{values[0]} instead of {values[1]} ({number[0]:#x}, {number[1]:#x})"
            return [*inputs_shown(before, region.name), f"  confirmed in the emulator, seed {seed}: {said}"], True
    return [f"  not confirmed on {_TRIES} random inputs"], False


def _fill(arrays: Sequence[Array], seed: int) -> None:
    """Fill the arrays with the bits of small integers. With odd seeds, floating-point arrays get numbers of many
    magnitudes instead."""
    rng = np.random.default_rng(seed)
    for array in arrays:
        array.view(f"u{array.itemsize}")[...] = rng.integers(1, 100, array.shape, endpoint=True)
        if array.dtype.kind == "f" and seed % 2:  # numbers of many magnitudes, including zeros
            array[...] = rng.normal(size=array.shape) * 10.0 ** (seed // 2) * rng.integers(0, 4, array.shape)
            if seed == _TRIES - 1:
                array[rng.random(array.shape) < _NAN_SHARE] = np.nan


def _place(arrays: Sequence[Array], regions: Mapping[str, Any], table: Table, inputs: Mapping[int, bytes]) -> None:
    """Write the given elements, keyed by their leaf nodes, into the arrays that own the operands' memory."""
    for leaf, element in inputs.items():
        _, name, at = table.leaf(leaf) or ("", "", 0)
        operand = regions[name].array
        for array in arrays:
            if address_of(array) == address_of(operand) and array.shape == operand.shape:
                array[np.unravel_index(at, array.shape)] = np.frombuffer(element, array.dtype)[0]


def _both_nan(first: bytes, second: bytes, dtype: np.dtype[Any]) -> bool:
    """Whether both elements are NaN. No contract specifies the sign or the payload of a NaN."""
    return dtype.kind == "f" and all(bool(np.isnan(np.frombuffer(each, dtype)[0])) for each in (first, second))
