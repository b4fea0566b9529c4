"""Tile instructions (AMX) of x86-64: bind operands to amx.Tiles. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable

from ..core.closures import Run
from ..core.faults import CannotRun
from ..core.memory import WRITE
from ..core.u64 import WORD, placed, signed
from ..numerics.amx import CONFIG_BYTES, PRODUCTS
from ..numerics.bf16 import vcvtneps2bf16
from ..numerics.rounding import Environment
from . import convert
from .lanes import F2, F4, I4, U2, U4, Array
from .operands import Semantic, X86Context


def _ldtilecfg(ctx: X86Context) -> Run:
    """Predecode ldtilecfg. The emulator requires an aligned configuration; the processor does not."""
    address, view, tiles = ctx.address(ctx.operands[0]), ctx.state.memory.view, ctx.state.tiles

    def run() -> None:
        pointer = address()
        if pointer % CONFIG_BYTES:
            raise CannotRun(f"the tile configuration at {placed(pointer):#x} is not aligned to {CONFIG_BYTES} bytes")
        tiles.ldtilecfg(view(pointer, CONFIG_BYTES).tobytes())

    return run


def _sttilecfg(ctx: X86Context) -> Run:
    address, memory, tiles = ctx.address(ctx.operands[0]), ctx.state.memory, ctx.state.tiles

    def run() -> None:
        memory.view(address(), CONFIG_BYTES, WRITE).data[:] = tiles.sttilecfg()

    return run


def _tilerelease(ctx: X86Context) -> Run:
    return ctx.state.tiles.tilerelease


def _tilezero(ctx: X86Context) -> Run:
    tiles, tile = ctx.state.tiles, ctx.operands[0].num
    return lambda: tiles.tilezero(tile)


def _rows(ctx: X86Context, at: int) -> Callable[[], tuple[int, int]]:
    """Return a function that computes the address of row 0 and the distance between rows."""
    mem, r = ctx.operands[at], ctx.state.r
    base, index, scale, disp = mem.base, mem.index, mem.scale, mem.disp
    first = 0 if base is None else base.num

    def rows() -> tuple[int, int]:
        start = disp if base is None else r[first] + disp
        return start & WORD, 0 if index is None else signed(r[index.num] * scale & WORD, 64)

    return rows


def _tileloadd(ctx: X86Context) -> Run:
    tiles, tile, rows, view = ctx.state.tiles, ctx.operands[0].num, _rows(ctx, 1), ctx.state.memory.view
    return lambda: tiles.tileloadd(tile, lambda start, size: view(start & WORD, size), *rows())


def _tilestored(ctx: X86Context) -> Run:
    tiles, tile, rows, view = ctx.state.tiles, ctx.operands[1].num, _rows(ctx, 0), ctx.state.memory.view
    return lambda: tiles.tilestored(lambda start, size: view(start & WORD, size, WRITE), *rows(), tile)


def _product(ctx: X86Context) -> Run:
    tiles, operation, numbers = ctx.state.tiles, ctx.operation, [operand.num for operand in ctx.operands]
    return lambda: tiles.product(operation, *numbers)


def _row(convert: Callable[[Array], Array]) -> Semantic:
    """tilemovrow, tcvtrowd2ps and their like: a row of a tile, by an immediate or a register, to a vector register."""

    def predecode(ctx: X86Context) -> Run:
        tiles, tile, number, write = ctx.state.tiles, ctx.operands[1].num, ctx.get(2, 4), ctx.target(0, U4, 16)
        return lambda: write(convert(tiles.row(tile, number())))

    return predecode


def _narrowed(half: Callable[[Array], Array], shift: int) -> Callable[[Array], Array]:
    """Convert f32 to 16 bits, in one half of each element."""
    return lambda row: half(row.view(F4)).view(U2).astype(U4) << U4.type(shift)


def _to_f16(x: Array) -> Array:
    """Round to nearest even, whatever MXCSR is; denormals of f32 become zeros."""
    return convert.converted(F2)(x, Environment(daz=True))


_HALVES: dict[str, Callable[[Array], Array]] = {"ph": _to_f16, "bf16": vcvtneps2bf16}

TABLE: dict[str, Semantic] = {
    "ldtilecfg": _ldtilecfg,
    "sttilecfg": _sttilecfg,
    "tilerelease": _tilerelease,
    "tilezero": _tilezero,
    **dict.fromkeys(("tileloadd", "tileloaddrs", "tileloaddrst1"), _tileloadd),
    "tilestored": _tilestored,
    **dict.fromkeys(PRODUCTS, _product),
    "tilemovrow": _row(lambda row: row.view(U4)),
    "tcvtrowd2ps": _row(lambda row: row.view(I4).astype(F4).view(U4)),
    **{
        f"tcvtrowps2{kind}{half}": _row(_narrowed(function, shift))
        for kind, function in _HALVES.items()
        for half, shift in (("l", 0), ("h", 16))
    },
}
