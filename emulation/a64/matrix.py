"""SME instructions of AArch64: streaming mode, ZA, outer products. Maps operations to closures.

Streaming vectors are as long as SVE's. An instruction checks the mode that it needs when it executes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...encoder.a64.registers import Slice, Tile, TileList
from ..core.closures import Run
from ..core.memory import WRITE
from ..numerics.rounding import ARM
from ..numerics.sme import OUTER_PRODUCTS
from .control import add_lengths, length_multiple
from .operands import SIZES, A64Context, Array, Semantic

_MEMORY = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}
_LETTERS = {size: letter for letter, size in SIZES.items()}


def _switch(on: bool, ctx: A64Context) -> Run:
    """smstart, smstop: switch streaming mode, ZA, or both."""
    state, named = ctx.state, {operand.name for operand in ctx.operands} or {"sm", "za"}
    streaming, enabled = (on if name in named else None for name in ("sm", "za"))

    return lambda: state.switch(streaming, enabled)


def _zero(ctx: A64Context) -> Run:
    za, operand = ctx.state.za, ctx.operands[0]
    mask = 255
    if isinstance(operand, TileList):
        mask = sum({1 << at for tile in operand.regs for at in range(tile.num, 8, SIZES[tile.element])})
    return lambda: za.zero(mask)


def _element(operand: Any) -> int:
    """Return the bytes of an element of a tile or a slice such as zah.s[]."""
    return SIZES[operand.element if isinstance(operand, Tile) else operand.kind.partition("[")[0].rpartition(".")[2]]


def tile_slice(ctx: A64Context, at: int) -> Callable[[int], Array]:
    """Return a function of a number that returns that row or column of a tile as a view of its elements, or of bytes if
    the elements have 128 bits."""
    operand: Slice = ctx.operands[at]
    za, size, vertical = ctx.state.za, _element(operand), operand.kind[2] == "v"
    return lambda number: za.slice(operand.num, size, number, vertical)


def _slice(ctx: A64Context, at: int) -> Callable[[], Array]:
    """Return the row or column of a tile that an operand names."""
    operand: Slice = ctx.operands[at]
    part, get, first = tile_slice(ctx, at), ctx.getter(operand.index), operand.first
    return lambda: part(get() + first)


def _active(ctx: A64Context, size: int, at: int) -> Array:
    """Return a predicate for elements of a size; 128-bit elements have one value for each byte."""
    active: Array = ctx.state.active(ctx.operands[at].num, size)
    return active


def _spread(active: Array, size: int) -> Array:
    return np.repeat(active, size) if size == 16 else active


def _move(ctx: A64Context) -> Run:
    """mova: copy between a vector and a slice under the predicate."""
    into = isinstance(ctx.operands[0], Slice)
    part, num = _slice(ctx, 0 if into else 2), ctx.operands[2 if into else 0].num
    size = _element(ctx.operands[0 if into else 2])
    row, active = ctx.state.row(num, "u1" if size == 16 else f"u{size}", ctx.state.vector_bytes), _active(ctx, size, 1)

    def run() -> None:
        source, to = (row, part()) if into else (part(), row)
        _merge(to, source, _spread(active, size), size)

    return run


def _merge(to: Array, source: Array, active: Array, size: int) -> None:
    """Copy the elements that a mask selects; a vertical slice of 128-bit elements has one row for each element."""
    if to.ndim == 2 or source.ndim == 2:
        to, source, active = to.reshape(-1, size), source.reshape(-1, size), active.reshape(-1, size)
    np.copyto(to, source, where=active)


def _whole(store: bool, ctx: A64Context) -> Run:
    """ldr, str of one vector of ZA."""
    operand: Slice = ctx.operands[0]
    za, get, first, size = ctx.state.za, ctx.getter(operand.index), operand.first, ctx.state.vector_bytes
    address, view = ctx.address(1), ctx.state.memory.view

    def run() -> None:
        vector = za.vector(get() + first)
        if store:
            view(address(), size, WRITE)[:] = vector
        else:
            vector[:] = view(address(), size)

    return run


def _transfer(store: bool, letter: str, ctx: A64Context) -> Run:
    """ld1w, st1w and their like of a slice."""
    size, memory = _MEMORY[letter], ctx.state.memory
    part, address, active = _slice(ctx, 0), ctx.address(2), _active(ctx, size, 1)

    def run() -> None:
        to, wanted = part(), _spread(active, size)
        if store:
            memory.masked_store(address(), to.copy().reshape(-1), wanted)
        else:
            loaded = memory.masked_load(address(), np.dtype("u1" if size == 16 else f"u{size}"), wanted)
            to[:] = loaded.reshape(to.shape)

    return run


def _outer(ctx: A64Context) -> Run:
    tile: Tile = ctx.operands[0]
    first, second = (ctx.state.vectors[ctx.operands[at].num] for at in (3, 4))
    rows, columns = (ctx.state.predicates[ctx.operands[at].num] for at in (1, 2))
    factor = ctx.lanes(3).size
    name = f"{ctx.operation}.{tile.element}" + (f".{_LETTERS[factor]}" if factor != SIZES[tile.element] else "")
    za, env = ctx.state.za, ctx.env(2 if tile.element == "h" and ctx.operation[0] == "f" else 4)
    if ctx.operation.rpartition(".")[2][0] in "su":  # of integers, which no mode changes
        env = lambda: ARM  # noqa: E731
    return lambda: za.outer(name, tile.num, first, second, rows, columns, env())


def _add_to_all(vertical: bool, ctx: A64Context) -> Run:
    """addha, addva: add a vector to every row, or to every column."""
    tile: Tile = ctx.operands[0]
    size = SIZES[tile.element]
    rows, columns = _active(ctx, size, 1), _active(ctx, size, 2)
    za, vector = ctx.state.za, ctx.source(3, "u")

    def run() -> None:
        to = za.tile(tile.num, size)
        values = vector()[:, None] if vertical else vector()[None, :]
        np.copyto(to, to + values, where=rows[:, None] & columns[None, :])

    return run


OF_SME2: dict[str, Semantic] = {f"{sign}mop{end}": _outer for sign in ("s", "u", "f", "bf", "b") for end in "as"}
"""Outer products of SME2: of halves and of bits."""

TABLE: dict[str, Semantic] = {
    "smstart": partial(_switch, True),
    "smstop": partial(_switch, False),
    "zero": _zero,
    "rdsvl": length_multiple,
    "addsvl": add_lengths(1),
    "addspl": add_lengths(8),
    "mova": _move,
    "ldr": partial(_whole, False),
    "str": partial(_whole, True),
    **{
        f"{verb}1{letter}": partial(_transfer, store, letter)
        for verb, store in (("ld", False), ("st", True))
        for letter in _MEMORY
    },
    **{name.partition(".")[0]: _outer for name in OUTER_PRODUCTS if name[:2] != "bm"},
    "addha": partial(_add_to_all, False),
    "addva": partial(_add_to_all, True),
}
"""Operations with ZA as an operand, and operations that switch modes."""
