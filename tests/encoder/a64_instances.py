"""Operands with which every form of the AArch64 table can be executed in the worlds of a64_worlds.py.

Registers are chosen so that address registers hold addresses and no two operands share a register. The rest of the word
is random.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.encoder import a64_worlds as worlds
from tests.encoder.a64_driver import PLAIN, SCALABLE, STREAMING, Mode
from tests.encoder.a64_units import named
from tilesmith.encoder.a64.addresses import AddressSlot, Braced, IndexRegister, Lengths, Vectors, ZaSlice, ZeroedTiles
from tilesmith.encoder.a64.bit_fields import LeftShift
from tilesmith.encoder.a64.forms import A64Form
from tilesmith.encoder.a64.names import DATA_CACHE, SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import X, za
from tilesmith.encoder.a64.slots import (
    BranchTarget,
    Choice,
    ExtendedRegister,
    Immediate,
    Packed,
    Repeat,
    ShiftedRegister,
    SystemRegister,
    width,
)

_ONES = (1 << 32) - 1
_GENERAL = (3, 4, 5, 6, 7, 19, 20, 21, 22, 23)
_LABEL = 8  # distance in bytes to the target of jumps: the second branch of the slot
STREAMING_FEATURES = frozenset(("SME", "SME2", "SME_F64F64", "SME_I16I64", "SME_F16F16", "SME_B16B16"))
_SCALABLE = frozenset(("F32MM", "F64MM", "B16B16"))


class Instance(NamedTuple):
    """A form with operands, and the words that execute it."""

    form: A64Form
    operands: tuple[Any, ...]
    words: tuple[int, ...]  # the instruction is the last

    @property
    def mode(self) -> Mode:
        """The mode in which it can be executed."""
        features = self.form.features
        if features & STREAMING_FEATURES:
            return STREAMING
        return SCALABLE if any("SVE" in feature for feature in features) or features & _SCALABLE else PLAIN

    @property
    def text(self) -> str:
        return self.form.text(self.operands)


def instance(form: A64Form, rng: random.Random) -> Instance:
    """Return the form with operands of which no two share a register."""
    for _ in range(200):
        word = form.word | rng.getrandbits(32) & _ONES & ~form.mask
        for slot in form.slots:
            for mask, code in _chosen(slot, form, rng):
                word = word & ~mask | code
        operands = form.decode(word)
        if operands is not None and _apart(form, operands):
            return Instance(form, operands, (*_prelude(form, operands), word))
    raise AssertionError(f"{form.syntax()}: no operands that could be executed")


def _apart(form: A64Form, operands: tuple[Any, ...]) -> bool:
    """Whether no two operands share a register, except operands that repeat an earlier one by definition."""
    units: list[str] = []
    for slot, operand in zip(form.slots, operands):
        if not isinstance(slot, Repeat):
            found = named(operand)
            units += [*found.data, *found.places]
    return len(set(units)) == len(units) and not any(getattr(operand, "num", 0) == 31 for operand in _general(operands))


def _general(operands: tuple[Any, ...]) -> Iterator[Any]:
    for operand in operands:
        reg = getattr(operand, "reg", operand)
        if getattr(reg, "kind", "") in ("xzr", "wzr", "sp", "wsp"):
            yield reg


def _chosen(slot: Any, form: A64Form, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield (mask, value) for the bits of a word that must not be random."""
    if isinstance(slot, Braced) or isinstance(slot, Repeat) and isinstance(slot.slot, AddressSlot):
        yield from _chosen(slot.slot, form, rng)
    elif isinstance(slot, ZaSlice):
        yield from _chosen(slot.index, form, rng)
    elif isinstance(slot, (ShiftedRegister, Vectors)):
        yield from _chosen(slot.plain, form, rng)
    elif isinstance(slot, ExtendedRegister):
        yield from _chosen(slot.plain[False], form, rng)
    elif isinstance(slot, AddressSlot):
        yield from _address(slot, form, rng)
    elif isinstance(slot, ZeroedTiles):
        yield slot.field.mask, slot.encode(za)
    elif isinstance(slot, Packed):
        raw = (rng.getrandbits(width(slot.field)) for _ in range(20_000))
        yield slot.field.mask, slot.field.insert(next(bits for bits in raw if slot.unpack(bits) is not None))
    elif isinstance(slot, LeftShift):
        yield slot.immr.mask | slot.imms.mask, slot.encode(rng.randrange(slot.bits))
    elif isinstance(slot, Immediate) and rng.random() < 0.5:
        yield slot.field.mask, slot.field.insert(rng.randrange(1 << min(3, width(slot.field))))
    elif isinstance(slot, SystemRegister):
        yield slot.field.mask, slot.encode(SYSTEM_REGISTERS["nzcv"])
    elif isinstance(slot, BranchTarget):
        yield slot.field.mask, slot.encode(max(_LABEL, slot.scale))
    elif isinstance(slot, Choice):
        yield slot.field.mask, slot.codes[_operand(slot, form, rng)]


def _operand(slot: Choice, form: A64Form, rng: random.Random) -> Any:
    if DATA_CACHE["zva"] in slot.codes:
        return DATA_CACHE["zva"]
    name = form.mnemonic
    if name in ("br", "blr", "ret"):
        return X[worlds.BRANCH]
    if name.startswith("cas") and slot is form.slots[0]:
        return _numbered(slot, worlds.SAME_AS_MEMORY)
    if name.startswith(("ldff1", "ldnf1")) and slot.text.startswith("Pg"):
        return next(reg for reg in slot.codes if reg.num == worlds.EDGE_PREDICATE)
    fitting = [operand for operand in slot.codes if _plain(operand)]
    return rng.choice(fitting or list(slot.codes))


def _plain(operand: Any) -> bool:
    """Whether the registers of the operand have no special purpose, a condition depends on flags, and a pattern
    fits."""
    kind = getattr(operand, "kind", "")
    if kind == "cond":
        return bool(operand.num < 14)
    if kind == "pattern":
        return bool(operand.num < 3 or operand.num == 31)
    for unit in named(operand).data:
        if unit[0] == "x" and int(unit[1:]) not in _GENERAL:
            return False
        if unit[0] == "z" and unit[1:].isdigit() and int(unit[1:]) >= worlds.PLAIN_VECTORS:
            return False
        if unit == f"p{worlds.EDGE_PREDICATE}":
            return False
    return True


def _address(slot: AddressSlot, form: A64Form, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield bits for a base that holds an address and for a small offset."""
    edge = form.mnemonic.startswith(("ldff1", "ldnf1"))
    base = slot.base.choices[0]
    vector = base.kind[0] == "z"
    element = base.arrangement if vector else ""
    is_index = form.mnemonic == "adr"
    if vector:
        number = (worlds.EDGE_ADDRESSES if edge else worlds.ADDRESSES)[element]
    elif edge and not _gathers(slot):
        number = worlds.EDGE[form.mnemonic[-1]]
    else:
        number = worlds.BASE
    yield slot.base.field.mask, slot.base.codes[_numbered(slot.base, 5 if is_index else number)]
    offset = slot.offset
    if isinstance(offset, (Immediate, Lengths)):
        immediate = offset.number if isinstance(offset, Lengths) else offset
        if isinstance(immediate, Immediate):
            yield immediate.field.mask, immediate.encode(0 if edge else _near(immediate, slot, form))
    elif isinstance(offset, IndexRegister):
        option = rng.choice((2, 3, 6, 7))
        yield offset.option.mask, offset.option.insert(option)
        yield offset.wide.field.mask, offset.wide.codes[_numbered(offset.wide, worlds.INDEX)]
    elif isinstance(offset, Vectors):
        yield offset.plain.field.mask, offset.plain.codes[_indexing(offset.plain, edge, is_index)]
    elif isinstance(offset, Choice):
        yield offset.field.mask, offset.codes[_indexing(offset, edge, is_index)]


def _gathers(slot: AddressSlot) -> bool:
    plain = getattr(slot.offset, "plain", slot.offset)
    return isinstance(plain, Choice) and getattr(plain.choices[0], "kind", "").startswith("z")


def _indexing(slot: Choice, edge: bool, is_index: bool) -> Any:
    first = slot.choices[0]
    if first.kind[0] == "z":
        chosen = worlds.EDGE_OFFSETS if edge else worlds.OFFSETS
        return _numbered(slot, 6 if is_index else chosen[first.arrangement])
    # with a vector of 32-bit addresses or of 64-bit ones, and edge cases
    return _numbered(slot, worlds.EDGE_INDEX if edge else worlds.INDEX)


def _numbered(slot: Choice, number: int) -> Any:
    return next(operand for operand in slot.codes if operand.num == number)


def _near(immediate: Immediate, slot: AddressSlot, form: A64Form) -> int:
    """Return a small offset that is a multiple of the step; 16 if that is possible, since some accesses must be
    aligned."""
    return (
        16
        if 16 % immediate.scale == 0 and isinstance(slot.offset, Immediate) and _fits(immediate, 16)
        else (immediate.scale + immediate.bias)
    )


def _fits(immediate: Immediate, value: int) -> bool:
    return not immediate.problem(value)


def _prelude(form: A64Form, operands: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the instructions that must come before: a load-exclusive for a store-exclusive. x16 is then reset to 0."""
    name = form.mnemonic
    if not name.startswith(("stxr", "stlxr", "stxp", "stlxp")):
        return ()
    base = worlds.BASE
    wide = operands[1].kind == "x"
    size = {"b": 0, "h": 1}.get(name[-1], 3 if wide else 2)
    if name.endswith("xp"):
        load = 0x887F_0000 | wide << 30 | 31 << 10 | base << 5 | 16
    else:
        load = size << 30 | 0x085F_7C00 | base << 5 | 16
    return load, 0xD280_0010  # movz x16, 0
