"""The code of a transform with streaming stores: y is written past the caches, whole cache lines at a time.

    y = x.T        if y is aligned, its tiles are stored in order
                   if it begins `gap` bytes before a boundary, tiles begin gap/size rows of x later:

        rows 0 to T            ordinary stores, peeled
        rows r to r + count T  streaming stores, r = gap / size < T
        rows m - 2T to m       ordinary stores, peeled

The three ranges overlap, so that every tile has T rows; elements that are stored twice get the same value. If the
address of y is not a multiple of the element size, ordinary stores are used.
"""

from __future__ import annotations

from ..contract.machine import Amount
from .emit import TransformEmitter


class StreamingEmitter(TransformEmitter):
    """Emits one body for each alignment of y. Every body leaves the pointers where they were."""

    def _bodies(self, rewind: bool) -> None:
        plan, y = self.plan, self.y.pointer
        with self.verbs.when_aligned(y, plan.boundary, True):
            self._stream(plan.y.extents["i"])
        with self.verbs.when_aligned(y, plan.boundary, False):
            if not plan.peels:
                self._loops(True)
                return
            with self.verbs.when_aligned(y, plan.y.size, True):
                self._peeled()
            with self.verbs.when_aligned(y, plan.y.size, False):
                self._loops(True)

    def _stream(self, rows: int) -> None:
        """Store the columns of y that come from the first `rows` rows of x past the caches."""
        self.streams = True
        self._loops(True, rows)
        self.verbs.streamed()
        self.streams = False

    def _peeled(self) -> None:
        """Emit tiles from the first boundary of y on, and the peeled rows before and after them."""
        m, plan = self.m, self.plan
        tile, rows = plan.tile.extents["i"], plan.y.extents["i"]
        self._loops(True, tile)
        gap = m.general("bytes to the first line")
        self.verbs.to_boundary(gap, self.y.pointer, plan.boundary)
        self._move(gap, 1)
        self._stream((rows - tile + 1) // tile * tile)
        self._move(gap, -1)
        m.release(gap)
        self._move((rows - 2 * tile) * plan.y.size, 1)
        self._loops(True, 2 * tile)
        self._move(-(rows - 2 * tile) * plan.y.size, 1)

    def _move(self, distance: Amount, times: int) -> None:
        """Move y along a row by `distance` bytes, and x by the corresponding number of rows."""
        leading = self.plan.spec.ldx
        assert isinstance(leading, int)
        self.m.advance(self.y.pointer, distance, times)
        self.m.advance(self.x.pointer, distance, times * leading)
