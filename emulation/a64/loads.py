"""Loads and stores of AArch64: general registers, NEON and SVE. Maps operations to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...encoder.a64.registers import Mem, RegList, Shifted, View
from ..core.closures import Run
from ..core.memory import WRITE, MemoryFault
from ..core.u64 import WORD, signed
from .operands import A64Context, Array, Semantic, VectorElements, bits_of

_MEMORY = {"b": 1, "h": 2, "w": 4, "d": 8}


def _address(ctx: A64Context, at: int) -> Callable[[], int]:
    """Return the address of an operand, which is a memory operand or relative to the instruction."""
    if isinstance(ctx.operands[at], Mem):
        return ctx.address(at)
    address = ctx.state.memory.of_code(ctx.pc + ctx.operands[at])
    return lambda: address


def _single(store: bool, size: int, sign: bool, ctx: A64Context) -> Run:
    """ldr, ldrsb, str and their like: one register; a size of 0 stands for the register's size."""
    operand, memory = ctx.operands[0], ctx.state.memory
    if operand.kind in ("z", "p"):
        return _whole(store, ctx)
    if ctx.is_vector(0):
        return _scalar(store, ctx)
    address, bits = _address(ctx, 1), bits_of(operand)
    wide = size or bits // 8
    if store:
        get, ones = ctx.get(0), (1 << 8 * wide) - 1

        def write() -> None:
            value = get() & ones  # read before write-back, which may change the same register
            memory.store(address(), wide, value)

        return write
    put = ctx.put(0)
    if sign:
        return lambda: put(signed(memory.load(address(), wide), 8 * wide))
    return lambda: put(memory.load(address(), wide))


def _scalar(store: bool, ctx: A64Context) -> Run:
    lanes, address, view = ctx.lanes(0), _address(ctx, 1), ctx.state.memory.view
    size = lanes.bytes
    row, above = ctx.state.vectors[lanes.number, :size], ctx.state.vectors[lanes.number, size:]
    if store:

        def run() -> None:
            view(address(), size, WRITE)[:] = row
    else:

        def run() -> None:
            row[:] = view(address(), size)
            above[:] = 0

    return run


def _whole(store: bool, ctx: A64Context) -> Run:
    """ldr, str of a whole scalable vector or predicate; a predicate has one bit for each byte of a vector."""
    state, num, length = ctx.state, ctx.operands[0].num, ctx.state.vector_bytes
    view, address = state.memory.view, ctx.address(1, length // 8 if ctx.operands[0].kind == "p" else length)
    if ctx.operands[0].kind == "z":
        row = state.vectors[num]

        def vector() -> None:
            if store:
                view(address(), length, WRITE)[:] = row
            else:
                row[:] = view(address(), length)

        return vector
    predicate = state.predicates[num]

    def run() -> None:
        if store:
            view(address(), length // 8, WRITE)[:] = np.packbits(predicate, bitorder="little")
        else:
            predicate[:] = np.unpackbits(view(address(), length // 8), bitorder="little").astype(bool)

    return run


def _pair(store: bool, sign: bool, ctx: A64Context) -> Run:
    """ldp, stp: a pair of registers."""
    address, memory = ctx.address(2), ctx.state.memory
    if ctx.is_vector(0):
        return _vector_pair(store, address, ctx)
    size = 4 if sign else bits_of(ctx.operands[0]) // 8
    if store:
        a, b = ctx.get(0), ctx.get(1)

        def write() -> None:
            one, other, place = a(), b(), address()
            if isinstance(one, int) and isinstance(other, int):
                memory.store(place, 2 * size, one | other << 8 * size)
                return
            memory.require_whole(place, 2 * size, WRITE)
            memory.store(place, size, one)
            memory.store(place + size, size, other)

        return write
    first, second, ones = ctx.put(0), ctx.put(1), (1 << 8 * size) - 1

    def run() -> None:
        place = address()
        value = memory.load(place, 2 * size)
        if isinstance(value, int):
            low, high = value & ones, value >> 8 * size
        else:
            low, high = memory.load(place, size), memory.load(place + size, size)
        first(signed(low, 32) if sign else low)
        second(signed(high, 32) if sign else high)

    return run


def _vector_pair(store: bool, address: Callable[[], int], ctx: A64Context) -> Run:
    state, size = ctx.state, ctx.lanes(0).bytes
    rows = [state.vectors[ctx.operands[at].num, :size] for at in (0, 1)]
    above = [state.vectors[ctx.operands[at].num, size:] for at in (0, 1)]
    view = state.memory.view

    def run() -> None:
        if store:
            data = view(address(), 2 * size, WRITE)
            data[:size], data[size:] = rows[0], rows[1]
            return
        data = view(address(), 2 * size)
        for row, rest, part in zip(rows, above, (data[:size], data[size:])):
            row[:] = part
            rest[:] = 0

    return run


# NEON structures


def _structure(store: bool, apart: int, ctx: A64Context) -> Run:
    """ld1 to ld4, st1 to st4: consecutive registers, or structures of `apart` interleaved elements."""
    operand = ctx.operands[0]
    if not isinstance(operand, RegList):
        return _one_element(store, ctx)
    lanes, address, view = ctx.lanes(0), ctx.address(1), ctx.state.memory.view
    dtype, size = np.dtype(f"u{lanes.size}"), lanes.bytes
    rows = [ctx.state.row(reg.num, dtype, size) for reg in operand.regs]
    above = [ctx.state.vectors[reg.num, size:] for reg in operand.regs]

    def run() -> None:
        data = view(address(), len(rows) * size, WRITE if store else 1).view(dtype)
        for at, row in enumerate(rows):
            part = data[at::apart] if apart > 1 else data[at * len(row) : (at + 1) * len(row)]
            if store:
                part[:] = row
            else:
                row[:] = part
                above[at][:] = 0

    return run


def _one_element(store: bool, ctx: A64Context) -> Run:
    """ld1 {v0.s}[1] and its like: one element of each register."""
    lanes, address, view = ctx.lanes(0), ctx.address(1), ctx.state.memory.view
    at, size = lanes.index or 0, lanes.size
    cells = [ctx.state.vectors[reg.num, at * size : (at + 1) * size] for reg in lanes.list]
    above = [ctx.state.vectors[reg.num, 16:] for reg in lanes.list]

    def run() -> None:
        data = view(address(), len(cells) * size, WRITE if store else 1)
        for number, cell in enumerate(cells):
            part = data[number * size : (number + 1) * size]
            if store:
                part[:] = cell
            else:
                cell[:] = part
                above[number][:] = 0

    return run


def _repeated(ctx: A64Context) -> Run:
    """ld1r to ld4r: broadcast one element for each register."""
    lanes, address, view = ctx.lanes(0), ctx.address(1), ctx.state.memory.view
    dtype = np.dtype(f"u{lanes.size}")
    rows = [ctx.state.row(reg.num, dtype, lanes.bytes) for reg in ctx.operands[0].regs]
    above = [ctx.state.vectors[reg.num, lanes.bytes :] for reg in ctx.operands[0].regs]

    def run() -> None:
        data = view(address(), len(rows) * lanes.size).view(dtype)
        for at, (row, rest) in enumerate(zip(rows, above)):
            row[:] = data[at : at + 1]
            rest[:] = 0

    return run


# SVE


def _registers(ctx: A64Context, dtype: Any) -> list[Array]:
    operand = ctx.operands[0]
    return [ctx.state.row(reg.num, dtype, ctx.state.vector_bytes) for reg in operand.regs]


def _contiguous(store: bool, letter: str, sign: bool, apart: int, ctx: A64Context) -> Run:
    """ld1w, st1b, ld2d and their like: elements in memory may be narrower than in the register."""
    mem: Mem = ctx.operands[2]
    offset = mem.offset.reg if isinstance(mem.offset, Shifted) else mem.offset
    if isinstance(mem.base, View) or isinstance(offset, View):
        return _gather(store, letter, sign, ctx)
    lanes, memory = ctx.lanes(0), ctx.state.memory
    address = ctx.address(2, lanes.count * _MEMORY[letter])
    kind = "i" if sign else "u"
    wide, narrow = np.dtype(f"{kind}{lanes.size}"), np.dtype(f"{kind}{_MEMORY[letter]}")
    rows, active = _registers(ctx, wide), ctx.active(lanes.size)
    if apart == 1:
        row = rows[0]
        if store:
            return lambda: memory.masked_store(address(), row.astype(narrow), active)

        def load() -> None:
            row[:] = memory.masked_load(address(), narrow, active)

        return load

    def run() -> None:
        mask = np.repeat(active, apart)
        if store:
            memory.masked_store(address(), np.stack(rows, axis=1).reshape(-1), mask)
            return
        data = memory.masked_load(address(), narrow, mask)
        for at, row in enumerate(rows):
            row[:] = data[at::apart]

    return run


def _gather(store: bool, letter: str, sign: bool, ctx: A64Context) -> Run:
    """Gathers and scatters: a vector holds the addresses, or offsets from one base."""
    lanes, view, kind = ctx.lanes(0), ctx.state.memory.view, "i" if sign else "u"
    row, active = _registers(ctx, np.dtype(f"{kind}{lanes.size}"))[0], ctx.active(lanes.size)
    narrow, places = np.dtype(f"{kind}{_MEMORY[letter]}"), _places(ctx, lanes)

    def run() -> None:
        at = places()
        chosen = np.flatnonzero(active).tolist()
        if store:
            for i in chosen:
                view(at[i], narrow.itemsize, WRITE)[:] = row[i : i + 1].astype(narrow).view(np.uint8)
            return
        result = np.zeros_like(row)
        for i in chosen:
            result[i] = view(at[i], narrow.itemsize).view(narrow)[0]
        row[:] = result

    return run


def _places(ctx: A64Context, lanes: VectorElements) -> Callable[[], list[int]]:
    mem: Mem = ctx.operands[2]
    if isinstance(mem.base, View):
        bases = ctx.state.row(mem.base.num, f"u{lanes.size}", ctx.state.vector_bytes)
        add = ctx.getter(mem.offset)
        return lambda: [(base + add()) & WORD for base in bases.tolist()]
    offset = mem.offset
    by, op = (offset.amount, offset.op) if isinstance(offset, Shifted) else (0, "lsl")
    kind = {"lsl": f"u{lanes.size}", "uxtw": "u4", "sxtw": "i4"}[op]
    step = lanes.size // np.dtype(kind).itemsize
    offsets = ctx.state.row(offset.num, kind, ctx.state.vector_bytes)[::step]
    base = ctx.getter(mem.base)
    return lambda: [(base() + (one << by)) & WORD for one in offsets.tolist()]


def _without_faults(letter: str, sign: bool, first: bool, ctx: A64Context) -> Run:
    """ldff1b, ldnf1b and their like: where an element cannot be read, FFR becomes false from there on, and these
    elements zero; only the first active element of ldff1b faults. The architecture lets a processor give up earlier."""
    mem: Mem = ctx.operands[2]
    lanes, view, ffr, kind = ctx.lanes(0), ctx.state.memory.view, ctx.state.ffr, "i" if sign else "u"
    size, narrow = lanes.size, np.dtype(f"{kind}{_MEMORY[letter]}")
    row, active, step = _registers(ctx, np.dtype(f"{kind}{size}"))[0], ctx.active(size), narrow.itemsize
    offset = mem.offset.reg if isinstance(mem.offset, Shifted) else mem.offset
    if isinstance(mem.base, View) or isinstance(offset, View):
        places = _places(ctx, lanes)
    else:
        start = ctx.address(2, lanes.count * step)

        def places() -> list[int]:
            base = start()
            return [base + at * step for at in range(lanes.count)]

    def run() -> None:
        where, chosen, result = places(), np.flatnonzero(active).tolist(), np.zeros_like(row)
        for i in chosen:
            try:
                result[i] = view(where[i], step).view(narrow)[0]
            except MemoryFault:
                if first and i == chosen[0]:
                    raise
                ffr[i * size :] = False
                break
        row[:] = result

    return run


def _one_for_all(letter: str, sign: bool, ctx: A64Context) -> Run:
    """ld1rw and its like: broadcast one element to all active positions; nothing is read if there are none."""
    lanes, address, view = ctx.lanes(0), ctx.address(2), ctx.state.memory.view
    kind = "i" if sign else "u"
    row, active = _registers(ctx, np.dtype(f"{kind}{lanes.size}"))[0], ctx.active(lanes.size)
    narrow = np.dtype(f"{kind}{_MEMORY[letter]}")

    def run() -> None:
        if active.any():
            row[:] = np.where(active, view(address(), narrow.itemsize).view(narrow)[0], row.dtype.type(0))
        else:
            row[:] = 0

    return run


def _block_for_all(size: int, ctx: A64Context) -> Run:
    """ld1rqw, ld1row: broadcast 16 or 32 bytes; the first bits of the predicate select the elements that are read."""
    lanes, address, memory = ctx.lanes(0), ctx.address(2), ctx.state.memory
    dtype = np.dtype(f"u{lanes.size}")
    row, active = _registers(ctx, dtype)[0], ctx.active(lanes.size)[: size // lanes.size]

    def run() -> None:
        row[:] = np.resize(memory.masked_load(address(), dtype, active), row.shape)

    return run


def _table() -> dict[str, Semantic]:
    table: dict[str, Semantic] = {}
    for name, extends, size in (
        ("", False, 0),
        ("b", False, 1),
        ("h", False, 2),
        ("sb", True, 1),
        ("sh", True, 2),
        ("sw", True, 4),
    ):
        table[f"ldr{name}"] = partial(_single, False, size, extends)
    for name, size in (("", 0), ("b", 1), ("h", 2)):
        table[f"str{name}"] = partial(_single, True, size, False)
    for verb, store in (("ld", False), ("st", True)):
        table[f"{verb}p"] = partial(_pair, store, False)
        for count in range(1, 5):
            table[f"{verb}{count}"] = partial(_structure, store, count)
            for letter in "bhwd":
                table[f"{verb}{count}{letter}"] = partial(_contiguous, store, letter, False, count)
    for letter in "bhw":
        table[f"ld1s{letter}"] = partial(_contiguous, False, letter, True, 1)
        for name, first in (("ldff1", True), ("ldnf1", False)):
            table[f"{name}s{letter}"] = partial(_without_faults, letter, True, first)
        table[f"ld1rs{letter}"] = partial(_one_for_all, letter, True)
    for letter in "bhwd":
        for name, first in (("ldff1", True), ("ldnf1", False)):
            table[name + letter] = partial(_without_faults, letter, False, first)
        table[f"ld1r{letter}"] = partial(_one_for_all, letter, False)
    table["ld1rq"], table["ld1ro"] = partial(_block_for_all, 16), partial(_block_for_all, 32)
    table["ldnr"] = _repeated
    table["ldpsw"] = partial(_pair, False, True)
    return table


TABLE = _table()
