"""Where bands lie in scratch memory. Bands that are needed at the same time do not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...encoder.records import NamedTuple
from ..expr.along import has_reductions
from ..expr.graph import program
from .cut import Band, Stage, Walk
from .hidden import Hidden

LINE = 64


class Place(NamedTuple):
    """The place of a band: its offset in scratch memory in bytes, and its leading dimension in elements."""

    offset: int
    leading: int


class Bands:
    """Assigns a place in scratch memory to every band. Bands with overlapping live ranges get disjoint places."""

    def __init__(self, stages: Sequence[Stage | Hidden], size: int, rows: int, block: int) -> None:
        """size: bytes of an element; rows: rows of a band; block: columns of a block, for stages computed in blocks."""
        self.size, self.rows = size, rows
        self.places: dict[str, Place] = {}
        self.end = 0
        last = {name: number for number, stage in enumerate(stages) for name in stage.reads}
        live: dict[str, int] = {}
        for number, stage in enumerate(stages):
            dying = [name for name in live if last[name] == number]
            for band in stage.makes:
                if band.stored is None:
                    self._place(band, live, dying if _over(stage) else ())
                    live[band.name] = number
            if isinstance(stage, Hidden):
                self._inside(stage, live, min(block, stage.columns))
            for name in dying:
                live.pop(name, None)

    def _inside(self, stage: Hidden, live: Mapping[str, int], block: int) -> None:
        """Place the blocks of the bands that a stage computes in blocks of columns."""
        *before, made = (band._replace(columns=block) for band in stage.inside)
        held = dict(live)
        for band in before:
            self._place(band, held, ())
            held[band.name] = 0
        self._place(made, held, [band.name for band in before])

    def _place(self, band: Band, live: Mapping[str, int], dying: Sequence[str]) -> None:
        leading = self._leading(band.columns)
        over = [name for name in dying if self.places[name].leading == leading]
        taken = [self.places[name] for name in live]
        if over:
            self.places[band.name] = self.places[over[-1]]
            return
        place = Place(0, leading)
        while hit := [each for each in taken if self.overlap(place, each)]:
            place = Place(max(each.offset + self._bytes(each.leading) for each in hit), leading)
        self.places[band.name] = place
        self.end = max(self.end, place.offset + self._bytes(leading))

    def _leading(self, columns: int) -> int:
        """Round a row up to whole cache lines, and add a line if all rows would otherwise map to the same cache set."""
        line = LINE // self.size
        whole = -(-columns // line) * line
        return whole + line * (whole * self.size % 1024 == 0)

    def _bytes(self, leading: int) -> int:
        return self.rows * leading * self.size

    def overlap(self, one: Place, other: Place) -> bool:
        """Whether two places share memory."""
        return (one.offset < other.offset + self._bytes(other.leading)
                and other.offset < one.offset + self._bytes(one.leading))  # fmt: skip


def _over(stage: Stage | Hidden) -> bool:
    """Whether a stage may overwrite a band that it reads: an elementwise walk with a single result may."""
    if not isinstance(stage, Walk) or len(stage.results) > 1:
        return False
    return not has_reductions(step.op for step in program(stage.results[0][0]).steps)
