"""The plan of a traced function with products: the number of rows per band, and a plan of every stage for that many
rows.

    for each band of rows:
        for each stage:    elements of the band, or the product of the band with a right factor

Bands lie in scratch memory, which is small enough for the nearest caches. If m is not a multiple of the band's rows,
the last band has plans of its own. A walk over elements overwrites a band of the same shape that is not read again. A
matrix between two products that is too wide is computed in blocks of columns (back_to_back.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

from ...encoder.records import cached_property, dataclass
from ..choice import Plan, Refusal, Way, choose, refused
from ..codegen.laid_by import LaidBy, laid_by, within
from ..codegen.long_sums import most_of_block
from ..codegen.scratch import SCRATCH_BYTES, lined
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..fused.plan import FusedPlan
from ..products.untiled import without_tiles
from .back_to_back import BackToBack, in_blocks
from .bands import BandAddress, BandBuffers
from .cut import Stage
from .parts import PlannedStage, StagePlanner
from .spec import ChainSpec

ROWS = (96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 2, 1)
"""The numbers of rows per band that are tried, the largest first. Many rows fill the register blocks, and right factors
are read less often."""
MANY = 48
"""If a band would have fewer rows than this, blocks of columns with more rows are tried first, where they are possible.
Right factors of 2 MiB come from beyond L2 for every band: on a Sapphire Rapids, 2048 x 512 by 512 took 15.6 ms in bands
of 24 rows and 12.3 ms in blocks of columns. docs/log/gemm.md has further measurements."""
FEW, NEAR = 24, 16 << 10
"""The minimum number of rows per band, and the most bytes of bands that leave room in L1 for rows of the operands. On a
Zen 4, layers of width 64 with 64 hidden columns run at 93 GFLOP/s with 16 KiB of bands and at 78 with 24 KiB."""
COLUMNS = (256, 128, 64)
"""The numbers of columns per block that are tried. Longer sums have at most `most_of_block` blocks, of more columns."""
_OF_BANDS = SCRATCH_BYTES * 3 // 4


@dataclass(frozen=True)
class ChainPlan(Plan):
    """The stages of a band, and the stages of the last band if it has fewer rows.

    dynamic  whether a band has as many rows as are left of a call that gives their number, at most `rows`, for which
             `spec` is the request; the rows of the next band are `half` if more than `rows` are left, but not more than
             `rows + half` (0: `rows`), and `least` rows are the fewest that are a band
    """

    spec: ChainSpec
    rows: int
    places: tuple[tuple[str, BandAddress], ...]
    scratch_bytes: int  # bytes of scratch memory for the stages themselves
    whole: tuple[PlannedStage, ...]
    rest: tuple[PlannedStage, ...]
    dynamic: bool = False
    half: int = 0
    least: int = 1

    @cached_property
    def place(self) -> dict[str, BandAddress]:
        """Offset and leading dimension of each band in scratch memory, keyed by the band's name."""
        return dict(self.places)

    @cached_property
    def stored(self) -> dict[str, str]:
        """The name of the result in which a band is stored, keyed by the band's name."""
        return {
            band.name: self.spec.outputs[band.stored].name
            for stage in self.spec.stages
            for band in stage.makes
            if band.stored is not None
        }

    @property
    def bytes_of_bands(self) -> int:
        """Bytes of scratch memory for all bands."""
        return max((place.offset + self.rows * place.pitch for _, place in self.places), default=0)

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch memory: the bands, and the stages' own."""
        return self.bytes_of_bands + self.scratch_bytes

    @cached_property
    def levels(self) -> LaidBy | None:
        """The levels of sums down the columns of all rows, or None."""
        return self.laid_by(self.spec.m)

    @property
    def bytes_with_levels(self) -> int:
        """Bytes of scratch memory, and of the levels behind it."""
        return self.bytes_of_scratch if self.levels is None else lined(self.bytes_of_scratch) + self.levels.bytes

    def laid_by(self, rows: int) -> LaidBy | None:
        """Return the levels of sums down the columns of at most `rows` rows, which lie in scratch memory behind all
        else; None if they need none. Raises UnsupportedError if they do not fit."""
        codes = [part.code for part in self.blocks[0][2] if isinstance(part.code, FusedPlan)]
        every_one = [laid_by(code.spec.sums_of_rows, code.spec.compute, rows, code.vector) for code in codes]
        found = [each for each in every_one if each is not None]
        if not found:
            return None
        fewest = min(found, key=lambda each: each.levels.depth).levels
        every = found[0]._replace(levels=fewest, sums=tuple(each for made in found for each in made.sums))
        return within(every, rows)  # their rows together may be too wide

    @property
    def blocks(self) -> list[tuple[int, int, tuple[PlannedStage, ...]]]:
        """Tuples (rows of a band, number of such bands, their stages)."""
        times, last = divmod(self.spec.m, self.rows)
        return [(self.rows, times, self.whole)] * bool(times) + [(last, 1, self.rest)] * bool(last)

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(part.registers for part in (*self.whole, *self.rest))

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        return float(sum(times * part.cycles for _, times, parts in self.blocks for part in parts))

    def __str__(self) -> str:
        scratch = f"  bands in {self.bytes_of_bands} bytes of scratch memory"
        lines = [str(self.spec), f"{scratch}{self.spec.schedule.summary}"]
        if self.dynamic:
            halves = f"; {self.half} if more are left, but at most {self.rows + self.half}" if self.half else ""
            fewest = f", at least {self.least}" if self.least > 1 else ""
            lines += [f"  as many rows as are left{fewest}, at most {self.rows}{halves}:", *map(str, self.whole)]
            return "\n".join([*lines, f"  {self.cycles:.0f} cycles for {self.rows} rows"])
        for rows, times, parts in self.blocks:
            lines += [f"  {times} x {rows} rows:", *map(str, parts)]
        return "\n".join([*lines, f"  {self.cycles:.0f} cycles"])


def candidates(spec: ChainSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Yield ways with bands of different heights, in order of preference: bands that leave room in L1, then bands of
    many rows, then blocks of columns, then bands of few rows. Bands that do not fit into scratch memory are left
    out."""
    facts = without_tiles(facts)
    fitting = sizes(spec, [each for each in ROWS if each < 2 * spec.m or each == 1])
    for stages, each, columns in fitting:
        yield Way(name_of(each, columns), partial(_planned, spec, facts, stages, _evened(spec.m, each), columns))
    if not fitting:
        widest = max(band.columns for stage in spec.stages for band in stage.makes)
        yield refused(
            "in bands",
            f"intermediate matrices of up to {widest} columns: one row of each "
            f"does not fit into {_OF_BANDS} bytes of scratch memory; use a kernel "
            "for each product, with an epilogue, which stores them in memory",
        )


@lru_cache(maxsize=16)
def chosen(spec: ChainSpec, facts: Facts) -> Plan:
    """Return the preferred plan. A kernel for any number of rows plans some numbers twice, to compare its code with
    theirs and to use them."""
    return choose(candidates(spec, facts))


def name_of(rows: int, columns: int) -> str:
    """Return the name of a way."""
    return f"bands of {rows} rows" + f", blocks of {columns} columns" * bool(columns)


def sizes(spec: ChainSpec, rows: Sequence[int]) -> list[tuple[Sequence[Stage | BackToBack], int, int]]:
    """Return the ways that fit into scratch memory, in order of preference: stages, rows of a band, columns of a
    block or 0."""
    blocks = in_blocks(spec.stages, spec.by_index)
    back_to_back = any(isinstance(each, BackToBack) for each in blocks)
    many = [each for each in rows if not back_to_back or each >= min(MANY, spec.m)]
    near = [each for each in rows if each >= FEW and bands_of(spec, spec.stages, each, 0).end <= NEAR]
    many = near + [each for each in many if each not in near]
    ways: list[tuple[Sequence[Stage | BackToBack], int, int]] = [(spec.stages, each, 0) for each in many]
    ways += [(blocks, each, columns) for each in rows for columns in _columns(blocks)]
    ways += [(spec.stages, each, 0) for each in rows if each not in many]
    return [way for way in ways if bands_of(spec, *way).end <= _OF_BANDS]


def _columns(stages: Sequence[Stage | BackToBack]) -> Sequence[int]:
    """Return the numbers of columns per block that are tried, if there are blocks: each is added to a sum."""
    longest = max((stage.columns for stage in stages if isinstance(stage, BackToBack)), default=0)
    least = -(-longest // most_of_block(True))
    enough = [columns for columns in COLUMNS if columns >= least]
    return (enough or [-(-least // COLUMNS[-1]) * COLUMNS[-1]]) if longest else ()


def _evened(m: int, most: int) -> int:
    """Return the rows of a band, at most `most`, such that the last band has nearly as many."""
    count = -(-m // most)
    return min(most, -(-m // count // 4) * 4 if m > 4 else m)


def bands_of(spec: ChainSpec, stages: Sequence[Stage | BackToBack], rows: int, columns: int) -> BandBuffers:
    narrow = {name: ELEMENT_BYTES[dtype] for name, dtype in spec.copies.items()}
    return BandBuffers(stages, ELEMENT_BYTES[spec.compute], narrow, rows, columns)


def _planned(spec: ChainSpec, facts: Facts, stages: Sequence[Any], rows: int, columns: int) -> ChainPlan:
    bands, last = bands_of(spec, stages, rows, columns), spec.m % rows

    def parts(count: int) -> tuple[PlannedStage, ...]:
        return tuple(StagePlanner(spec, facts, count, bands, columns).parts(stages))

    whole, rest = parts(rows) if spec.m >= rows else (), parts(last) if last else ()
    return ChainPlan(
        spec, rows, tuple(bands.places.items()), scratch_beside(bands, (*whole, *rest), facts), whole, rest
    )


def scratch_beside(bands: BandBuffers, parts: Sequence[PlannedStage], facts: Facts) -> int:
    """Return the bytes of scratch memory that the stages need. Raises UnsupportedError if they do not fit."""
    scratch_bytes = max((part.scratch_of(facts) for part in parts), default=0)
    if bands.end + scratch_bytes > SCRATCH_BYTES:
        raise UnsupportedError(
            f"a stage needs {scratch_bytes} bytes of scratch memory, "
            f"which do not fit in addition to {bands.end} for the bands"
        )
    return scratch_bytes
