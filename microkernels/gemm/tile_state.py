"""State that the panels of a GEMM on tile registers share, and the scope in which the tile registers are configured."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ..contract.dot_and_tile import SHARED, Tiles, UnitFacts
from ..contract.machine import Amount
from ..contract.vector_verbs import held
from .grid_panel import update_of
from .plan import scratch_sizes
from .search_tile import extents, is_plain, largest, registers
from .state import KernelState


class TileState:
    """State that the panels of one kernel share: strides in registers, scratch memory, numbers of tile registers."""

    dynamic = False  # whether the call gives the number of columns (rows/tile_panel.py)

    def __init__(self, kernel: KernelState, facts: UnitFacts) -> None:
        m, product, spec = kernel.m, kernel.product, kernel.plan.spec
        dtypes = dict(zip("abc", spec.dtypes))
        self.facts = facts
        self.tiles: Tiles = m.tiles(dtypes[product.b.argument], dtypes[product.a.argument])
        self.update = update_of(kernel)
        self.direct = kernel.epilogue is not None or self.update.direct
        self.partial = product.rest % facts.depth
        self.rows, self.columns = extents(product, facts)
        self.grid = registers(product, facts, largest(product, facts, kernel.plan.panels))
        self.plain = is_plain(product, facts)
        self._claim_scratch(kernel)
        distances = (kernel.operands.b_column, kernel.operands.lda, kernel.operands.ldc)
        moving = self.dynamic or any(not isinstance(each, int) for each in distances)
        self.spare = m.general("place of a tile") if moving else None
        known: dict[int, Amount] = {}
        self.x_stride, self.y_stride = (self._stride(kernel, known, each) for each in distances[:2])
        self.line = max((len(panel.row_vectors) for panel in kernel.plan.panels), default=1) * facts.row_bytes
        """Bytes of a column of a grid in the buffer that an epilogue reads."""
        if kernel.epilogue is not None:
            self.buffer_stride = self._stride(kernel, known, self.line)
        epilogue: Any = kernel.epilogue  # one that reads a buffer
        dynamic = kernel.batch.may_be_empty and epilogue is not None and epilogue.interleaved
        self.of_pairs = [m.counter(role) for role in ("no pair", "pairs left")] if dynamic else []
        loads_c = kernel.epilogue is None or self.update.starts_as_c
        self.c_stride = self._stride(kernel, known, distances[2]) if loads_c else 0
        through = self.scratch is not None and (self.saved or not self.dynamic)  # dynamic tiles need memory anyway
        self.row = self._stride(kernel, known, facts.row_bytes) if through else 0

    def _claim_scratch(self, kernel: KernelState) -> None:
        """Claim scratch memory for tiles of C, X and Y, and for comparing a shared tile configuration."""
        of_c, of_x, of_y = scratch_sizes(kernel.plan)
        of_c = of_c if kernel.epilogue is None else 0  # an epilogue has a buffer of its own
        of_state = self.tiles.state_bytes if self.dynamic or kernel.plan.spec.tiles == SHARED else 0
        self.c_scratch, self.x_scratch, self.y_scratch, self.saved = 0, of_c, of_c + of_x, of_c + of_x + of_y
        self.scratch = kernel.tile_scratch
        if self.scratch is None and self.saved + of_state:
            self.scratch = kernel.m.scratch(self.saved + of_state)

    @staticmethod
    def _stride(kernel: KernelState, known: dict[int, Amount], amount: Amount) -> Amount:
        """Return a number in a register, as long as registers are left. Equal numbers share a register."""
        if not isinstance(amount, int):
            return amount
        if amount not in known:
            known[amount] = amount
            if kernel.m.generals_left():
                known[amount] = kernel.m.general("stride")
                kernel.m.copy(held(known[amount]), amount)
        return known[amount]


def opened(kernel: KernelState) -> AbstractContextManager[None]:
    """Claim the registers and memory of a kernel on tiles, before any loop. Returns a scope with configured tiles."""
    assert kernel.product.tile is not None
    state = kernel.tile = TileState(kernel, kernel.product.tile)
    place = None if state.scratch is None else kernel.m.at(state.scratch, state.saved)
    return state.tiles.opened(state.grid.shapes, kernel.plan.spec.tiles, place)
