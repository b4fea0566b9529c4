"""Cache hints of a product: the lines that it prefetches, and the operands that it keeps out of the caches.

    prefetch    operands whose lines are fetched ahead: a and b some steps of k ahead, c for writing as a block begins.
                After the last step come the next pair of a contiguous batch, or lines that are never read
    streaming   operands that are used once: c is stored past the caches, tiles of a and b are loaded past L1

A request names operands, or leaves the choice to the tuning table. A prefetch never faults and changes no result.
Source: Intel optimization manual, 20.8 and 20.13; the prefetches of LIBXSMM's products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..contract.dot_and_tile import Tiles, UnitFacts
from ..contract.machine import Address, Amount, Facts, Lanes, Machine, Vector
from ..contract.vector_verbs import known
from ..dtypes import ELEMENT_BYTES
from ..hints import NONE, Hints
from ..operands import CACHE_LINE, RUNTIME
from .blocking import BlockedProduct, Panel, ProductBlock, Scheme
from .search_tile import is_plain

_PREFETCHING = (Scheme.FMA, Scheme.DOT, Scheme.TILE)  # kinds of blocks that prefetch all operands


def hints_of(
    spec: Any, product: BlockedProduct, panels: tuple[Panel, ...], facts: Facts, prefetch: str, streaming: str
) -> Hints | str:
    """Return the hints of a planned product. If the request names operands that cannot be hinted, return the reason
    instead."""
    tuning = facts.tuning.gemm
    why = _refused(spec, product, panels, facts, prefetch, streaming)
    if why:
        return why if spec.names_hints else NONE
    letters, _, level = prefetch.partition("@")
    longest = max(panels, key=lambda panel: panel.cycles)
    blocks = longest.repeat * sum(block.repeat for block in longest.blocks)
    step = longest.cycles / max(1, blocks * product.k)
    ahead = tuning.prefetch_cycles_of_tiles if product.tile else tuning.prefetch_cycles
    steps = max(1, round(ahead / max(step, 1.0)))
    if longest.scheme is Scheme.ALONG_K:
        steps = tuning.far_columns_ahead // ELEMENT_BYTES[product.dtype]
    return Hints(letters, int(level[1:] or 2) if level else 2, steps, streaming)


def _refused(
    spec: Any, product: BlockedProduct, panels: tuple[Panel, ...], facts: Facts, prefetch: str, streaming: str
) -> str:
    of = {each.argument: each for each in (product.a, product.b)}
    for what, letters in (("prefetch", prefetch.partition("@")[0]), ("streaming", streaming)):
        for letter in letters.replace("c", "") if product.tile else "":
            if why := _not_by_tiles(product, product.tile, letter):
                return f"{what}={letter!r}: {why}"
    for letter in prefetch.partition("@")[0]:
        able = _PREFETCHING if letter == "c" else (*_PREFETCHING, Scheme.ALONG_K)
        if not any(panel.scheme in able for panel in panels):
            return f"prefetch={letter!r}: blocks of kind {panels[0].scheme.value} do not prefetch it"
        if letter == "c" and product.tile and product.c.leading is RUNTIME:
            return "prefetch='c': needs an ldc that is a number, not RUNTIME"
        moving = of[letter].leading if letter in of else 0
        if moving is RUNTIME and (letter == product.a.argument or product.tile or of[letter].order == "C"):
            return f"prefetch={letter!r}: needs a leading dimension that is a number, not RUNTIME"
    for letter in streaming:
        if letter != "c" and not product.tile:
            return f"streaming={letter!r}: only tiles are loaded past the first-level cache, and this product has none"
        if letter == "c":
            why = _no_streaming(spec, product, panels, facts)
            if why:
                return f"streaming='c': {why}"
    return ""


def _not_by_tiles(product: BlockedProduct, tile: UnitFacts | None, letter: str) -> str:
    """Return why tiles never load an operand from its place, so that its hints would do nothing; "" if they do."""
    assert tile is not None
    if letter == product.a.argument and is_plain(product, tile):
        return (
            f"tiles load plain rows of it from scratch memory, where they are interleaved first; {letter}_layout="
            '"vnni" takes it as tiles load it'
        )
    if product.rest % tile.depth and product.k == 1:
        return (
            f"the whole k is a last step that ends within a group of {tile.depth} elements, which tiles load from "
            f"scratch memory; a k that is a multiple of {tile.depth} works"
        )
    return ""


def _no_streaming(spec: Any, product: BlockedProduct, panels: tuple[Panel, ...], facts: Facts) -> str:
    size = ELEMENT_BYTES[spec.dtype]
    if not facts.shuffles.streaming_bytes:
        return "this target has no stores past the caches"
    if product.tile or product.outer_product or size < 4:
        return (
            "results that tiles or conversions store go through the caches; use a c of f32, f64 or i32 on vector units"
        )
    if product.c.leading is RUNTIME or product.c.leading * size % CACHE_LINE and product.n > 1:
        return (
            "ldc must be a number, and columns (order C: rows) of C a multiple of 64 bytes apart, to fill cache lines"
        )
    if not any(fills_lines(panel, size) for panel in panels):
        return "no rows of a block fill cache lines"
    return ""


def fills_lines(panel: Panel, size: int) -> bool:
    """Whether the columns of a panel of C are whole cache lines, provided that C is aligned and the panels above fill
    lines."""
    return (
        panel.scheme in (Scheme.FMA, Scheme.DOT)
        and panel.rows * size % CACHE_LINE == 0
        and len({*panel.row_vectors}) == 1
    )


# The code, which uses a KernelState


class PanelHints:
    """The hints of one panel of blocks on vector registers."""

    def __init__(self, state: Any, panel: Panel, a_step: int, b_step: int) -> None:
        self.state, self.hints = state, state.plan.hints
        self.m: Machine = state.m
        product = state.product
        self.a_step, self.b_step = a_step, b_step
        self.of_a = product.a.argument in self.hints.prefetch
        self.of_b = product.b.argument in self.hints.prefetch
        self.of_c = "c" in self.hints.prefetch
        self.bytes_of_a = panel.rows * product.a.place
        above = sum(each.repeat * each.rows for each in state.plan.panels[: state.plan.panels.index(panel)])
        size = ELEMENT_BYTES[state.plan.spec.dtype]
        self.streams = "c" in self.hints.streaming and fills_lines(panel, size) and above * size % CACHE_LINE == 0

    def begin(self, block: ProductBlock, of_c: Sequence[Lanes]) -> None:
        """Prefetch the lines of C at the start of a block."""
        if not self.of_c:
            return
        starts = [sum(lanes.bytes for lanes in of_c[:i]) // CACHE_LINE for i in range(len(of_c))]
        for i, _, place in self.state.places_of_c(block.columns, [*of_c]):
            if i == 0 or starts[i] != starts[i - 1]:
                self.m.prefetch_line(place, 1, written=True)

    def step(self, block: ProductBlock, kk: int) -> None:
        """Prefetch the lines of a later step of k beside step kk."""
        m, k, later = self.m, self.state.k, kk + self.hints.steps
        for disp in range(0, self.bytes_of_a, CACHE_LINE) if self.of_a else ():
            m.prefetch_line(m.at(k.a, later * self.a_step + disp), self.hints.level)
        for j, disp in self._lines_of_b(block, kk) if self.of_b else ():
            operands = self.state.operands
            place = m.column(k.b, operands.b_column, operands.b_multiples, j, later * self.b_step + disp)
            m.prefetch_line(place, self.hints.level)

    def _lines_of_b(self, block: ProductBlock, kk: int) -> Iterator[tuple[int, int]]:
        """Yield (column, further bytes) of the lines to prefetch. For columns that are contiguous along k these are the
        lines that begin in this step, else all lines of a row."""
        b = self.state.product.b
        if b.order == "F":
            whole = kk * self.b_step % CACHE_LINE < max(1, self.b_step)
            yield from ((j, 0) for j in range(0, block.columns if whole else 0, b.across))
        else:
            yield from ((0, disp) for disp in range(0, -(-block.columns // b.across) * b.place, CACHE_LINE))

    @contextmanager
    def _when(self, aligned: bool) -> Iterator[None]:
        with self.m.shuffles().when_aligned(self.state.operands.c, CACHE_LINE, aligned):
            yield

    def store(self, emit: Callable[[Callable[[Address, Vector, Lanes], None] | None], None]) -> None:
        """Call emit(streaming store) for aligned C and emit(None), with the usual stores, for unaligned C."""
        if not self.streams:
            emit(None)
            return
        with self._when(True):
            emit(self.m.shuffles().store_streaming)
        with self._when(False):
            emit(None)


class TileHints:
    """The hints of blocks on tile registers."""

    def __init__(self, kernel: Any, tiles: Tiles) -> None:
        self.tiles, self.hints, self.operands = tiles, kernel.plan.hints, kernel.operands
        self.m: Machine = kernel.m
        product = kernel.product
        self.names = {"a": product.a.argument, "b": product.b.argument}
        self.distances = {"a": self.operands.lda, "b": self.operands.b_column}
        self.steps = {"a": self.operands.a_step, "b": self.operands.b_step}

    def begin(self, firsts: Iterable[Address], lines: int) -> None:
        """Prefetch the lines of the tiles of C that a block stores."""
        for first in firsts if "c" in self.hints.prefetch else ():
            for line in range(lines):
                self.m.prefetch_line(self.m.further(first, line * known(self.operands.ldc)), 1, written=True)

    def load(self, tile: int, place: Address, stride: Amount, side: str, lines: int) -> None:
        """Load a tile of the product's a or b, and prefetch the lines of the tile some steps of k later."""
        name = self.names[side]
        self.tiles.load(tile, place, stride, streaming=name in self.hints.streaming)
        if name in self.hints.prefetch:
            later = self.hints.steps * known(self.steps[side])
            for line in range(lines):
                self.m.prefetch_line(
                    self.m.further(place, later + line * known(self.distances[side])), self.hints.level
                )
