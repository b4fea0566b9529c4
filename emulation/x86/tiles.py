"""Tile instructions (AMX) of x86-64: bind operands to amx.Tiles. Maps semantics keys to factories of closures."""

from __future__ import annotations

from collections.abc import Callable

from ..core.closures import Run
from ..core.faults import Refusal
from ..core.memory import WRITE
from ..core.u64 import WORD, signed
from ..numerics.amx import CONFIG_BYTES, PRODUCTS
from .operands import Context, Semantic


def _ldtilecfg(ctx: Context) -> Run:
    """Predecode ldtilecfg. The emulator requires an aligned configuration; the processor does not."""
    address, view, tiles = ctx.address(ctx.operands[0]), ctx.state.memory.view, ctx.state.tiles

    def run() -> None:
        pointer = address()
        if pointer % CONFIG_BYTES:
            raise Refusal(f"the tile configuration at {pointer:#x} is not aligned to {CONFIG_BYTES} bytes")
        tiles.ldtilecfg(view(pointer, CONFIG_BYTES).tobytes())

    return run


def _sttilecfg(ctx: Context) -> Run:
    address, memory, tiles = ctx.address(ctx.operands[0]), ctx.state.memory, ctx.state.tiles

    def run() -> None:
        memory.view(address(), CONFIG_BYTES, WRITE).data[:] = tiles.sttilecfg()

    return run


def _tilerelease(ctx: Context) -> Run:
    return ctx.state.tiles.tilerelease


def _tilezero(ctx: Context) -> Run:
    tiles, tile = ctx.state.tiles, ctx.operands[0].num
    return lambda: tiles.tilezero(tile)


def _rows(ctx: Context, at: int) -> Callable[[], tuple[int, int]]:
    """Return a function that computes the address of row 0 and the distance between rows."""
    mem, r = ctx.operands[at], ctx.state.r
    base, index, scale, disp = mem.base, mem.index, mem.scale, mem.disp
    first = 0 if base is None else base.num

    def rows() -> tuple[int, int]:
        start = disp if base is None else r[first] + disp
        return start & WORD, 0 if index is None else signed(r[index.num] * scale & WORD, 64)

    return rows


def _tileloadd(ctx: Context) -> Run:
    tiles, tile, rows, view = ctx.state.tiles, ctx.operands[0].num, _rows(ctx, 1), ctx.state.memory.view
    return lambda: tiles.tileloadd(tile, lambda start, size: view(start & WORD, size), *rows())


def _tilestored(ctx: Context) -> Run:
    tiles, tile, rows, view = ctx.state.tiles, ctx.operands[1].num, _rows(ctx, 0), ctx.state.memory.view
    return lambda: tiles.tilestored(lambda start, size: view(start & WORD, size, WRITE), *rows(), tile)


def _product(ctx: Context) -> Run:
    tiles, operation, numbers = ctx.state.tiles, ctx.operation, [operand.num for operand in ctx.operands]
    return lambda: tiles.product(operation, *numbers)


TABLE: dict[str, Semantic] = {
    "ldtilecfg": _ldtilecfg, "sttilecfg": _sttilecfg, "tilerelease": _tilerelease, "tilezero": _tilezero,
    "tileloadd": _tileloadd, "tilestored": _tilestored,
    **dict.fromkeys(PRODUCTS, _product),
}  # fmt: skip
