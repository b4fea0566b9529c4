"""Matrices beyond the caches: y is written past them, whole cache lines at a time.

    y = x.T        where y begins at a line, its tiles are stored as they come
                   where it begins elsewhere, `gap` bytes before a line, the tiles begin gap/size rows of x later:

        rows 0 to T            ordinary stores
        rows r to r + count T  past the caches, r = gap / size < T
        rows m - 2T to m       ordinary stores

The three parts overlap, so no tile is smaller than T rows; what is stored twice is stored alike. A y that does not
even begin at an element's multiple is stored ordinarily.
"""

from __future__ import annotations

from ..contract.machine import Amount
from .emit import Walk


class Stream(Walk):
    """The walk of a plan that streams: a body for each way that y may lie. Each leaves the pointers where they were."""

    def _bodies(self, rewind: bool) -> None:
        plan, y = self.plan, self.y.pointer
        with self.verbs.when_aligned(y, plan.boundary, True):
            self._past_the_caches(plan.y.extents["i"])
        with self.verbs.when_aligned(y, plan.boundary, False):
            if not plan.shifts:
                self._walk(True)
                return
            with self.verbs.when_aligned(y, plan.y.size, True):
                self._shifted()
            with self.verbs.when_aligned(y, plan.y.size, False):
                self._walk(True)

    def _past_the_caches(self, rows: int) -> None:
        self.streams = True
        self._walk(True, rows)
        self.verbs.streamed()
        self.streams = False

    def _shifted(self) -> None:
        """Tiles from the first line on."""
        m, plan = self.m, self.plan
        tile, rows = plan.tile.extent("i"), plan.y.extents["i"]
        self._walk(True, tile)
        gap = m.general("bytes to the first line")
        self.verbs.to_boundary(gap, self.y.pointer, plan.boundary)
        self._move(gap, 1)
        self._past_the_caches((rows - tile + 1) // tile * tile)
        self._move(gap, -1)
        m.release(gap)
        self._move((rows - 2 * tile) * plan.y.size, 1)
        self._walk(True, 2 * tile)
        self._move(-(rows - 2 * tile) * plan.y.size, 1)

    def _move(self, distance: Amount, times: int) -> None:
        """Both pointers, by as many rows of x as `distance` bytes of a row of y hold."""
        leading = self.plan.spec.ldx
        assert isinstance(leading, int)
        self.m.advance(self.y.pointer, distance, times)
        self.m.advance(self.x.pointer, distance, times * leading)
