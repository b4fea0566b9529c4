"""The body of a loop as data: the scalar instructions, the vector instructions, and the addresses that these access.

An instruction counts as a vector instruction only if it is known to depend on general registers through its address
alone. This module also saves, compares, undefines and restores the registers other than the general ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ....encoder.records import NamedTuple
from ....encoder.x86.effects import alignment, implicit
from ....encoder.x86.registers import Mem as X86Mem
from ....encoder.x86.registers import Reg
from ....encoder.x86.registers import StaticRounding as Control
from ...cpu import Step
from ..values import UNDEFINED, Array, Table, place

_SCALAR = {
    "x86": frozenset(("add", "sub", "inc", "dec", "lea")),
    "a64": frozenset(("add", "sub", "adds", "subs", "adr")),
}
_READ_FLAGS = ("fcsel", "fccmp", "csel")
_VECTOR_FILES = ("xmm", "ymm", "zmm", "k")
_VECTOR_KINDS = ("b", "h", "s", "d", "q")
Address = Callable[[list[int]], int]


class NoSummary(Exception):
    """Raised for a loop that has to be executed in full."""


class Body(NamedTuple):
    """One instruction of a body. `address` computes the address of its memory operand from the general registers; it
    must be a multiple of `align`."""

    step: Step
    scalar: bool
    address: Address | None
    align: int = 1


class BodyAccess(NamedTuple):
    """An access of one iteration. `operand` is the memory operand's number, `offset` the distance from its address."""

    operand: int
    offset: int
    size: int
    access: int
    raw: Array
    elements: tuple[tuple[int, int, int], ...]
    """(first byte, size, placeholder) of the loaded elements that differ in each iteration."""
    at: int
    """The offset of the instruction."""
    varying: bool
    own: Array | None = None
    """Which bytes a load has from stores of the same iteration, if there are any."""
    over: tuple[int, ...] = ()
    """The numbers of earlier accesses of the iteration: the stores that this access overlaps."""


def body_of(process: Any, steps: Mapping[int, Step], head: int, branch: Step) -> list[Body]:
    """Return the instructions from a loop head to the branch back to it. Raise Rejected unless the body is
    straight-line code of known instructions."""
    found: list[Body] = []
    address = head
    while True:
        step = steps.get(address)
        if step is None:
            raise NoSummary("code that was not executed")
        if step is branch:
            return [*found, Body(step, True, None)]
        found.append(_part(process, step))
        address = step.after
        if len(found) > _LONGEST:
            raise NoSummary("a long body")


_LONGEST = 4000


def _part(process: Any, step: Step) -> Body:
    of_x86 = process.arch == "x86"
    if step.form.mnemonic in _SCALAR[process.arch]:
        general = _general_x86 if of_x86 else _general_a64
        if all(general(each, step.form.mnemonic == "lea") for each in step.operands):
            return Body(step, True, None)
        if of_x86:
            raise NoSummary("a general instruction")
    return _of_x86(step) if of_x86 else _of_a64(process, step)


def _general_x86(operand: Any, memory: bool) -> bool:
    if isinstance(operand, X86Mem):
        return memory and not operand.rip
    return isinstance(operand, int) or (isinstance(operand, Reg) and operand.file == "r64" and operand.num != _RSP)


_RSP = 4


def _general_a64(operand: Any, memory: bool) -> bool:
    return isinstance(operand, int) or (getattr(operand, "kind", "") == "x" and not str(operand).startswith("xz"))


def _of_x86(step: Step) -> Body:
    effects = implicit(step.form)
    if effects.reads - {"mxcsr"} or effects.writes - {"mxcsr"}:
        raise NoSummary("registers or flags that the instruction does not name")
    memory = [each for each in step.operands if isinstance(each, X86Mem)]
    others = [each for each in step.operands if not isinstance(each, (X86Mem, int, Control))]
    if len(memory) > 1 or any(not isinstance(each, Reg) or each.file not in _VECTOR_FILES for each in others):
        raise NoSummary("general registers in a vector instruction")
    if not memory:
        return Body(step, False, None)
    return Body(step, False, _address_x86(memory[0], step), alignment(step.form))


def _address_x86(mem: X86Mem, step: Step) -> Address:
    if mem.rip:
        target = step.after + mem.disp
        return lambda general: target
    if mem.base is None or (mem.index is not None and mem.index.file != "r64"):
        raise NoSummary("an access by a vector of places")
    base, disp, scale = mem.base.num, mem.disp, mem.scale
    if mem.index is None:
        return lambda general: general[base] + disp
    index = mem.index.num
    return lambda general: general[base] + general[index] * scale + disp


def _of_a64(process: Any, step: Step) -> Body:
    if step.form.mnemonic.startswith(_READ_FLAGS):
        raise NoSummary("flags in a vector instruction")
    memory = [each for each in step.operands if type(each).__name__ == "Mem"]
    for each in step.operands:
        kind = getattr(each, "kind", "")
        vector = kind[:1] in ("v", "z", "p") or kind[:2] in ("{v", "{z") or kind in _VECTOR_KINDS
        if not (isinstance(each, int) or each in memory or vector):
            raise NoSummary("general registers in a vector instruction")
    if len(memory) > 1:
        raise NoSummary("two memory operands")
    if not memory:
        return Body(step, False, None)
    mem = memory[0]
    if mem.mode or mem.base.kind != "x" or not (isinstance(mem.offset, int) or getattr(mem.offset, "kind", "") == "vl"):
        raise NoSummary("an address that is not a register and a number")
    base, offset = mem.base.num, mem.offset if isinstance(mem.offset, int) else 0
    return Body(step, False, lambda general: general[base] + offset)


def moved(ids: Array, start: Array, size: int) -> Array:
    """Return the nodes of `size` bytes at these positions. Raise Rejected if the bytes are not whole nodes."""
    data = ids[start[:, None] + np.arange(size)]
    first = data[:, 0]
    log = {1: 0, 2: 1, 4: 2, 8: 3}[size]
    if not ((first >= 0) & (first & 63 == log << 4)).all() or (data != first[:, None] + np.arange(size)).any():
        raise NoSummary("numbers, or parts of elements")
    nodes: Array = first >> 6
    return nodes


# Registers other than the general ones

REGISTER, ELEMENT = "register in a loop", "element of a loop"
"""The names of the undefined contents of registers, and of the placeholders of loaded elements."""
PLACEHOLDERS = (REGISTER, ELEMENT)


def roots_of(data: Array) -> list[int]:
    """Return the nodes that bytes come from."""
    return list(dict.fromkeys(place(byte)[0] for byte in data.tolist() if byte >= 0))


def contents(state: Any) -> dict[str, Any]:
    """Return the contents of the registers."""
    found: dict[str, Any] = {"vectors": state.vectors.raw.copy()}
    if hasattr(state, "k"):
        return found | {"k": list(state.k), "tiles": state.tiles.data.raw.copy(), "control": state.mxcsr}
    return found | {
        "predicates": state.predicates.raw.copy(),
        "tiles": state.za.bytes.raw.copy(),
        "ffr": np.array(state.ffr),
        "control": state.fpcr,
    }


Changed = dict[str, Array]
"""Which bytes of vector registers and predicates change, and which masks."""


def changes(before: dict[str, Any], after: dict[str, Any]) -> Changed:
    """Return what differs. Raise ValueError if tiles or the mode differ, because these cannot be made undefined."""
    found: Changed = {}
    for name, old in before.items():
        new = after[name]
        if name == "k":  # a mask of conditions equals only itself
            found[name] = np.array(
                [a is not b and (not isinstance(a, int) or not isinstance(b, int) or a != b) for a, b in zip(old, new)]
            )
        elif name in ("vectors", "predicates"):
            found[name] = (old != new)[..., 0]
        elif not np.array_equal(old, new):
            raise ValueError(f"{name} changes")
    return found


def changes_but(which: Changed, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether anything except these registers differs."""
    for name, old in before.items():
        new, mask = after[name], which.get(name)
        if name == "k":
            if any(
                a is not b and (mask is None or not mask[at]) and not (isinstance(a, int) and a == b)
                for at, (a, b) in enumerate(zip(old, new))
            ):
                return True
        elif name in ("vectors", "predicates") and mask is not None:
            if ((old != new)[..., 0] & ~mask).any():
                return True
        elif not np.array_equal(old, new):
            return True
    return False


class CarriedBytes(NamedTuple):
    """Bytes of a vector register or predicate that stand for whatever an iteration finds there."""

    kind: str
    row: int
    at: int
    size: int
    node: int


def undefine(state: Any, which: Changed, table: Table, like: Mapping[str, Any] | None = None) -> list[CarriedBytes]:
    """Make these registers undefined, in elements of the sizes that `like` holds, or in bytes."""
    slots: list[CarriedBytes] = []
    for kind, mask in which.items():
        if kind == "k":
            for number in np.flatnonzero(mask).tolist():
                state.k[number] = None  # no instruction can read it
            continue
        raw = state.vectors.raw if kind == "vectors" else state.predicates.raw
        for row in np.flatnonzero(mask.any(axis=1)).tolist():
            data = (raw if like is None else like[kind])[row, :, 0].tolist()
            for at, size in _elements(data, mask[row].tolist()):
                slots.append(CarriedBytes(kind, row, at, size, int(table.inputs(REGISTER, 1, size, UNDEFINED)[0])))
                raw[row, at : at + size, 0] = table.split(slots[-1].node, size)
    return slots


def _elements(data: list[int], wanted: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the first byte and the size of each whole node that is wanted completely, and of each other wanted byte."""
    at = 0
    while at < len(data):
        first, size = data[at], 1
        if first >= 0 and not first & 15:
            size = 1 << (first >> 4 & 3)
            whole = data[at : at + size] == list(range(first, first + size)) and all(wanted[at : at + size])
            size = size if whole else 1
        if wanted[at]:
            yield at, size
        at += size


def put_back(state: Any, saved: dict[str, Any]) -> None:
    """Restore the saved contents."""
    state.vectors.raw[...] = saved["vectors"]
    if "k" in saved:
        state.k[:] = saved["k"]
        state.tiles.data.raw[...] = saved["tiles"]
        if state.mxcsr != saved["control"]:
            state.set_mxcsr(saved["control"])
        return
    state.predicates.raw[...] = saved["predicates"]
    state.za.bytes.raw[...] = saved["tiles"]
    state.ffr[...] = saved["ffr"]
    if state.fpcr != saved["control"]:
        state.set_fpcr(saved["control"])
