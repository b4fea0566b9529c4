"""The plan of a traced function with products: how many rows a band has, and the plan of every stage for so many.

    for each band of rows:
        for each stage:    elements of the band, or the product of the band with a right factor

Bands lie in scratch memory, which is small enough for the nearest caches; a band of the last rows, where m is no
multiple, has plans of its own. A walk over elements whose band has the shape of one that nobody reads afterwards
writes over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...encoder.forks import cached_property
from ...encoder.records import NamedTuple, dataclass
from ..attention.plan import without_tiles
from ..choice import Plan, Refusal, Way, choose, refused, required
from ..contract.machine import STACK_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise import plan as elementwise
from ..eltwise.spec import EltwiseSpec
from ..epilogue import plan as epilogues
from ..epilogue.plan import EpiloguePlan
from ..errors import UnsupportedError
from ..expr.along import has_reductions
from ..expr.graph import program
from ..fused import plan as fused
from ..fused.plan import FusedPlan
from ..fused.spec import fused_spec
from ..gemm.emit import registers as gemm_registers
from ..gemm.plan import GemmPlan, planned
from ..gemm.spec import GemmSpec, gemm_spec
from ..operands import Operand, View
from .cut import Band, Product, Stage, Walk
from .spec import ChainSpec
from .with_epilogue import Epilogue, epilogue

ROWS = (96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 2, 1)
"""Rows of a band that are tried, the most first: registers blocks are filled, and right factors are read less often."""
LINE = 64
ROOM = STACK_LIMIT - 4096
"""Bytes of scratch memory for bands and for what stages need themselves."""


class Place(NamedTuple):
    """Where a band lies: bytes behind the beginning of scratch memory, and elements between neighbouring rows."""

    offset: int
    leading: int


@dataclass(frozen=True)
class Part:
    """A stage, and its plan for a band of so many rows. With `then` it is a product whose sums this walk takes from the
    registers, as an epilogue."""

    stage: Stage
    code: Any
    then: Epilogue | None = None

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        return gemm_registers(self.code) if isinstance(self.code, GemmPlan) else int(self.code.registers)

    def __str__(self) -> str:
        then = f", then in registers {self.then.walk}" if self.then else ""
        return f"    {self.stage}{then}: {self.code.cycles:.0f} cycles"


@dataclass(frozen=True)
class ChainPlan(Plan):
    """The stages of a band, and of the last one where it has fewer rows."""

    spec: ChainSpec
    rows: int
    places: tuple[tuple[str, Place], ...]
    room: int  # bytes of scratch memory for stages
    whole: tuple[Part, ...]
    rest: tuple[Part, ...]

    @cached_property
    def place(self) -> dict[str, Place]:
        """Of each band in scratch memory, by its name."""
        return dict(self.places)

    @cached_property
    def stored(self) -> dict[str, str]:
        """The results that bands are, by the names of these."""
        return {band.name: self.spec.outputs[band.stored].name for stage in self.spec.stages for band in stage.makes
                if band.stored is not None}  # fmt: skip

    @property
    def bytes_of_bands(self) -> int:
        """Scratch memory of all bands."""
        size = ELEMENT_BYTES[self.spec.compute]
        return max((place.offset + self.rows * place.leading * size for _, place in self.places), default=0)

    @property
    def blocks(self) -> list[tuple[int, int, tuple[Part, ...]]]:
        """(rows of a band, how many bands, their stages)."""
        times, last = divmod(self.spec.m, self.rows)
        return [(self.rows, times, self.whole)] * bool(times) + [(last, 1, self.rest)] * bool(last)

    @property
    def registers(self) -> int:
        """Vector registers held at a time."""
        return max(part.registers for part in (*self.whole, *self.rest))

    @property
    def cycles(self) -> float:
        """The estimate for a call."""
        return sum(times * part.code.cycles for _, times, parts in self.blocks for part in parts)

    def __str__(self) -> str:
        lines = [
            str(self.spec),
            f"  bands in {self.bytes_of_bands} bytes of scratch memory{self.spec.schedule.summary}",
        ]
        for rows, times, parts in self.blocks:
            lines += [f"  {times} x {rows} rows:", *map(str, parts)]
        return "\n".join([*lines, f"  {self.cycles:.0f} cycles"])


def candidates(spec: ChainSpec, facts: Facts) -> Iterator[Way | Refusal]:
    """Bands of as many rows as fit into scratch memory."""
    facts = without_tiles(facts)
    fitting = [rows for rows in ROWS if _Bands(spec, rows).end <= ROOM * 3 // 4 and (rows < 2 * spec.m or rows == 1)]
    for rows in fitting:
        yield Way(f"bands of {rows} rows", partial(_planned, spec, facts, _evened(spec.m, rows)))
    if not fitting:
        widest = max(stage.band.columns if isinstance(stage, Product) else stage.columns for stage in spec.stages)
        yield refused("in bands", f"intermediate matrices of up to {widest} columns: one row of each does not fit into "
                      f"{ROOM * 3 // 4} bytes of scratch memory; kernels of one product each, with an epilogue, "
                      "store them in memory")  # fmt: skip


def _evened(m: int, most: int) -> int:
    """Rows of a band, so that the last one has nearly as many."""
    count = -(-m // most)
    return min(most, -(-m // count // 4) * 4 if m > 4 else m)


def _planned(spec: ChainSpec, facts: Facts, rows: int) -> ChainPlan:
    bands = _Bands(spec, rows)
    last = spec.m % rows
    whole = tuple(_Planner(spec, facts, rows, bands).parts()) if spec.m >= rows else ()
    rest = tuple(_Planner(spec, facts, last, bands).parts()) if last else ()
    room = max((_scratch(part.code, facts) for part in (*whole, *rest)), default=0)
    if bands.end + room > ROOM:
        raise UnsupportedError(f"{room} bytes of scratch memory for a stage beside {bands.end} for bands")
    return ChainPlan(spec, rows, tuple(bands.places.items()), room, whole, rest)


class _Bands:
    """Places of bands: each begins where none that is needed at the same time lies."""

    def __init__(self, spec: ChainSpec, rows: int) -> None:
        self.size, self.rows = ELEMENT_BYTES[spec.compute], rows
        self.places: dict[str, Place] = {}
        self.end = 0
        stages = spec.stages
        last = {name: number for number, stage in enumerate(stages) for name in stage.reads}
        live: dict[str, int] = {}
        for number, stage in enumerate(stages):
            dying = [name for name in live if last[name] == number]
            for band in stage.makes:
                if band.stored is None:
                    self._place(band, live, dying if _over(stage) else ())
                    live[band.name] = number
            for name in dying:
                live.pop(name, None)

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
        """Rows begin at cache lines, which do not all fall into one set."""
        line = LINE // self.size
        whole = -(-columns // line) * line
        return whole + line * (whole * self.size % 1024 == 0)

    def _bytes(self, leading: int) -> int:
        return self.rows * leading * self.size

    def overlap(self, one: Place, other: Place) -> bool:
        """Whether two bands share memory."""
        return (one.offset < other.offset + self._bytes(other.leading)
                and other.offset < one.offset + self._bytes(one.leading))  # fmt: skip


def _over(stage: Stage) -> bool:
    """Whether a walk may write over a band that it reads: of elements alone, with one result."""
    if isinstance(stage, Product) or len(stage.results) > 1:
        return False
    return not has_reductions(step.op for step in program(stage.results[0][0]).steps)


def _scratch(code: Any, facts: Facts) -> int:
    """Bytes that a stage may claim."""
    if isinstance(code, GemmPlan):
        return 0
    vector = facts.widths[0] // 8
    if isinstance(code, EpiloguePlan):
        return code.waiting * vector + 2 * LINE if code.waiting else 0
    if isinstance(code, FusedPlan):
        slots = code.slots + len(code.stored) + 16 if code.slots or code.stored or code.passes else 0
        return len(code.scratch) * code.line * code.together + slots * vector + 2 * LINE
    return code.code.slots * vector + 2 * LINE if code.code.slots else 0


class _Planner:
    """The stages of a band of some rows."""

    def __init__(self, spec: ChainSpec, facts: Facts, rows: int, bands: _Bands) -> None:
        self.spec, self.facts, self.rows, self.places, self.bands = spec, facts, rows, bands.places, bands
        stored = {band.name: spec.outputs[band.stored] for stage in spec.stages for band in stage.makes
                  if band.stored is not None}  # fmt: skip
        self.operands = {each.name: each for each in spec.operands} | stored

    def parts(self) -> Iterator[Part]:
        """All of them."""
        stages = list(self.spec.stages)
        while stages:
            stage = stages.pop(0)
            if isinstance(stage, Walk):
                yield Part(stage, self._walk(stage))
                continue
            both = self._with_epilogue(stage, stages)
            if both is not None:
                stages.pop(0)
            yield both or Part(stage, required(planned(self._product(stage), self.facts)))

    def _with_epilogue(self, stage: Product, after: Sequence[Stage]) -> Part | None:
        """The product and the walk behind it as one, where nobody else reads the product."""
        if not after or not isinstance(after[0], Walk) or any(stage.band.name in each.reads for each in after[1:]):
            return None
        found = epilogue(stage, after[0], self._input, self._output(after[0].results[0][1]))
        if found is None or self._overlaps(stage.left, found.walk.results[0][1].name):
            return None
        try:
            asked = self._product(stage, found.result.dtype, found.result.view.leading)
            plan = choose(epilogues.candidates(found.request(asked, self.spec), self.facts))
        except UnsupportedError:
            return None
        on_sums = isinstance(plan, EpiloguePlan) and plan.code is not None and isinstance(plan.product, GemmPlan)
        return Part(stage, plan, found) if on_sums else None

    def _overlaps(self, left: str, band: str) -> bool:
        """Whether a band lies where the left factor does."""
        return left in self.places and band in self.places and self.bands.overlap(self.places[left], self.places[band])

    def _view(self, name: str) -> tuple[str, int]:
        """The type and leading dimension of a band, or of an operand."""
        if name in self.places:
            return self.spec.compute, self.places[name].leading
        leading = self.operands[name].view.leading
        assert isinstance(leading, int), "leading dimensions beside products are numbers"
        return self.operands[name].dtype, leading

    def _product(self, stage: Product, dtype: str | None = None, ldc: Any = None) -> GemmSpec:
        """The request; C has the type of the arithmetic, or `dtype`, and lies in the band, or in rows of ldc."""
        (left, lda), (right, ldb) = self._view(stage.left), self._view(stage.right)
        dtypes = (left, right, dtype or self.spec.compute)
        order = ("C", "F" if stage.transposed else "C", "C")
        return gemm_spec(self.rows, stage.band.columns, stage.inner, dtype=left if len({*dtypes}) == 1 else dtypes,
                         order=order, lda=lda, ldb=ldb, ldc=ldc or self._view(stage.band.name)[1], beta=0.0,
                         numerics=self.spec.numerics)  # fmt: skip

    def _walk(self, stage: Walk) -> Any:
        results = tuple(expr for expr, _ in stage.results)
        made = program(*results)
        inputs = tuple(self._input(name) for name, _ in made.inputs)
        outputs = tuple(self._output(band) for _, band in stage.results)
        spec = EltwiseSpec(self.spec.name, self.rows, stage.columns, self.spec.compute, made, inputs, outputs,
                           self.spec.accuracy, numerics=self.spec.numerics)  # fmt: skip
        if has_reductions(step.op for step in made.steps):
            return choose(fused.candidates(fused_spec(spec), self.facts))
        return choose(elementwise.candidates(spec, self.facts))

    def _input(self, name: str) -> Operand:
        if name in self.places:
            columns = next(b.columns for stage in self.spec.stages for b in stage.makes if b.name == name)
            return self._band(name, columns)
        given = self.operands[name]
        rows = self.rows if given.rows == self.spec.m else given.rows
        return given._replace(name=name, rows=rows, output=False)

    def _output(self, band: Band) -> Operand:
        if band.stored is None:
            return self._band(band.name, band.columns)._replace(output=True)
        return self.spec.outputs[band.stored]._replace(rows=self.rows)

    def _band(self, name: str, columns: int) -> Operand:
        return Operand(name, self.rows, columns, View("C", self.places[name].leading), self.spec.compute)
