"""Where bands lie in scratch memory. Bands that are needed at the same time do not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...encoder.records import NamedTuple
from ..codegen.scratch import Buffers
from ..expr.along import has_reductions
from ..expr.graph import program
from ..operands import CACHE_LINE
from .back_to_back import BackToBack
from .cut import Band, ElementwiseStage, Stage


class BandAddress(NamedTuple):
    """The place of a band: its offset in scratch memory in bytes, its leading dimension in elements, and the bytes of
    an element."""

    offset: int
    leading: int
    size: int

    @property
    def pitch(self) -> int:
        """The bytes between adjacent rows."""
        return self.leading * self.size


class BandBuffers:
    """Assigns a place in scratch memory to every band. Bands with overlapping live ranges get disjoint places."""

    def __init__(
        self, stages: Sequence[Stage | BackToBack], size: int, narrow: Mapping[str, int], rows: int, block: int
    ) -> None:
        """size: bytes of an element, except in the bands of `narrow`, which maps them to their own; rows: rows of a
        band; block: columns of a block, for stages computed in blocks."""
        self.size, self.narrow, self.rows = size, narrow, rows
        self.places: dict[str, BandAddress] = {}
        self.buffers = Buffers()
        last = {name: number for number, stage in enumerate(stages) for name in stage.reads}
        for number, stage in enumerate(stages):
            dying = [name for name in self.buffers.held if last[name] == number]
            for band in stage.makes:
                if band.stored is None:
                    self._place(band, dying if _over(stage) else ())
            if isinstance(stage, BackToBack):
                dying += self._inside(stage, min(block, stage.columns))
            for name in dying:
                self.buffers.held.pop(name, None)

    @property
    def end(self) -> int:
        """The bytes of scratch memory for all bands."""
        return self.buffers.end

    def _inside(self, stage: BackToBack, block: int) -> list[str]:
        """Place the blocks of the bands that a stage computes in blocks of columns, and return their names."""
        *before, made = (band._replace(columns=block) for band in stage.inside)
        for band in before:
            self._place(band, ())
        self._place(made, [band.name for band in before])
        return [band.name for band in (*before, made)]

    def _place(self, band: Band, dying: Sequence[str]) -> None:
        size = self.narrow.get(band.name, self.size)
        place = BandAddress(0, self._leading(band.columns, size), size)
        over = [name for name in dying if self._same_elements(self.places[name], place)]
        if over:
            self.places[band.name] = self.places[over[-1]]
            self.buffers.held[band.name] = self.buffers.held[over[-1]]
        else:
            self.places[band.name] = place._replace(offset=self.buffers.claim(band.name, self.rows * place.pitch))

    @staticmethod
    def _same_elements(one: BandAddress, other: BandAddress) -> bool:
        """Whether an element of one band, written at the offset of the other band, covers the element of the same row
        and column, and no byte of any other."""
        return (one.leading, one.size) == (other.leading, other.size)

    @staticmethod
    def _leading(columns: int, size: int) -> int:
        """Round a row up to whole cache lines, and add a line if all rows would otherwise map to the same cache set."""
        line = CACHE_LINE // size
        whole = -(-columns // line) * line
        return whole + line * (whole * size % 1024 == 0)

    def overlap(self, one: BandAddress, other: BandAddress) -> bool:
        """Whether two places share memory."""
        return one.offset < other.offset + self.rows * other.pitch and other.offset < one.offset + self.rows * one.pitch


def _over(stage: Stage | BackToBack) -> bool:
    """Whether a stage may overwrite a band that it reads: an elementwise walk with a single result may."""
    if not isinstance(stage, ElementwiseStage) or len(stage.results) > 1:
        return False
    return not has_reductions(step.op for step in program(stage.results[0][0]).steps)
