"""The plans of the stages of a band: products, walks over elements, and both of them in blocks of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...encoder.records import NamedTuple, dataclass
from ..choice import Plan, choose, required, tried
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise import orders
from ..eltwise import plan as elementwise
from ..eltwise.moved_plan import MovedPlan
from ..eltwise.pipeline import planned as turning
from ..eltwise.spec import EltwiseSpec
from ..epilogue import plan as epilogues
from ..epilogue.plan import EpiloguePlan
from ..epilogue.spec import EpilogueSpec
from ..expr.along import has_reductions
from ..expr.coordinates import is_place
from ..expr.graph import constant, operand, program
from ..fused import plan as fused
from ..fused.inside import scratch_bytes_of
from ..fused.spec import fused_spec
from ..gemm.long_products import in_blocks
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked
from ..gemm.plan import planned as unpacked
from ..gemm.spec import GemmSpec, gemm_spec
from ..operands import RUNTIME, Operand, View
from ..prepack import ways
from ..prepack.emit import registers as product_registers
from .back_to_back import BackToBack
from .bands import BandBuffers
from .cut import Band, ElementwiseStage, Stage, StageProduct, TransposeStage
from .spec import ChainSpec
from .with_epilogue import ElementwiseEpilogue, epilogue

SCRATCH_OF_PRODUCTS = 16 << 10
"""Bytes of scratch memory for a right factor that is converted to another layout as a whole."""

TILE = 4 << 10
"""The most bytes of a tile that waits in scratch memory during a transpose: all vector registers of a machine."""


@dataclass(frozen=True)
class PlannedStage:
    """A stage and its plan for a band of a given number of rows. If `then` is set, the stage is a product and the walk
    in `then` is applied to its sums in registers, as an epilogue."""

    stage: Stage | BackToBack
    code: Any
    then: ElementwiseEpilogue | None = None

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        code = self.code
        return int(product_registers(code) if isinstance(code, (GemmPlan, Prepacked)) else code.registers)

    @property
    def cycles(self) -> float:
        """Estimated cycles per band, including all pairs of a batch."""
        pair = self.code.product if self.then else self.code
        more = self.stage.batch - 1 if isinstance(self.stage, StageProduct) else 0
        return float(self.code.cycles + more * pair.cycles)

    def scratch_of(self, facts: Facts) -> int:
        """Return the bytes of scratch memory that the stage may claim."""
        if isinstance(self.stage, BackToBack):
            return max(int(part.scratch_of(facts)) for part in self.code.parts)
        if isinstance(self.code, (GemmPlan, AroundProduct, Prepacked)):
            return int(self.code.bytes_inside(facts.widths[0] // 8))
        return scratch_bytes_of(self.code, facts) + TILE * isinstance(self.code, MovedPlan)

    def __str__(self) -> str:
        then = f", then in registers {self.then.elementwise}" if self.then else ""
        inside = "".join(f"\n  {part}" for part in self.code.parts) if isinstance(self.code, PlannedBlocks) else ""
        return f"    {self.stage}{then}: {self.cycles:.0f} cycles{inside}"


class Moving(NamedTuple):
    """An operand that advances with the blocks of columns: the name of its pointer, and the bytes between its
    columns."""

    pointer: str
    operand: str
    step: int


@dataclass(frozen=True)
class PlannedBlocks:
    """Stages in blocks of columns, with plans: first the sums are set to 0, then come the blocks as (columns, count,
    stages)."""

    zero: PlannedStage
    blocks: tuple[tuple[int, int, tuple[PlannedStage, ...]], ...]
    moving: tuple[Moving, ...]

    @property
    def parts(self) -> list[PlannedStage]:
        """All parts."""
        return [self.zero, *(part for _, _, parts in self.blocks for part in parts)]

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        return max(part.registers for part in self.parts)

    @property
    def cycles(self) -> float:
        """Estimated cycles per band."""
        blocks = sum(times * part.cycles for _, times, parts in self.blocks for part in parts)
        return float(self.zero.code.cycles + blocks)


def right_of(product: StageProduct) -> str:
    """Return the name of the pointer to the right factor at a block of columns."""
    return f"right factor of {product.band.name}"


def beside(name: str) -> str:
    """Return the name of the pointer to a walk's operand at a block of columns."""
    return f"block of {name}"


class StagePlanner:
    """Plans the stages of a band of some rows."""

    def __init__(self, spec: ChainSpec, facts: Facts, rows: int, bands: BandBuffers, columns: int) -> None:
        self.spec, self.facts, self.rows, self.bands, self.columns = spec, facts, rows, bands, columns
        self.places = bands.places
        every = [band for stage in spec.stages for band in stage.makes]
        stored = {band.name: spec.outputs[band.stored] for band in every if band.stored is not None}
        self.operands = {each.name: each for each in spec.operands} | stored
        self.widths = {band.name: band.columns for band in every}
        self.of_block: tuple[int, int] | None = None  # columns of all blocks, and of the current block

    def parts(self, stages: Sequence[Stage | BackToBack]) -> Iterator[PlannedStage]:
        """Yield a part for each stage, or for a product together with the walk after it."""
        left = list(stages)
        while left:
            stage = left.pop(0)
            if isinstance(stage, BackToBack):
                yield PlannedStage(stage, self._back_to_back(stage))
            elif isinstance(stage, TransposeStage):
                yield PlannedStage(stage, self._transpose(stage))
            elif isinstance(stage, ElementwiseStage):
                yield PlannedStage(stage, self._elementwise(stage))
            else:
                both = self._with_epilogue(stage, left)
                if both is not None:
                    left.pop(0)
                yield both or PlannedStage(stage, self._alone(stage))

    def _alone(self, stage: StageProduct) -> Any:
        """Plan a product. The operands of a batch are read in place, without packing."""
        asked = self._product(stage)
        return required(
            unpacked(asked, self.facts) if stage.batch > 1 else ways.planned(asked, self.facts, SCRATCH_OF_PRODUCTS)
        )

    def _on_sums(self, request: EpilogueSpec) -> Iterable[Any]:
        """Return the ways to compute a product with an epilogue."""
        return epilogues.candidates(request, self.facts)

    def _elements(self, spec: EltwiseSpec) -> Any:
        """Plan a walk over elements."""
        return choose(elementwise.candidates(spec, self.facts))

    def _transpose(self, stage: TransposeStage) -> Any:
        """Plan the transpose of some columns of an operand into the rows of a band."""
        x = self.operands[stage.of]._replace(name="x", columns=self.rows, output=False)
        y = self._output(stage.band)._replace(name="y")
        made = program(operand("x", self.spec.compute))
        spec = EltwiseSpec(
            self.spec.name,
            self.rows,
            stage.band.columns,
            self.spec.compute,
            made,
            (x,),
            (y,),
            self.spec.accuracy,
            layouts=(orders.TRANSPOSED, orders.PLAIN),
            numerics=self.spec.numerics,
        )
        return turning(spec, self.facts)

    def _back_to_back(self, stage: BackToBack) -> PlannedBlocks:
        """Plan a stage in blocks of columns."""
        times, last = divmod(stage.columns, self.columns)
        blocks = []
        for columns, count in ((self.columns, times), (last, bool(last))):
            if columns and count:
                self.of_block = stage.columns, columns
                blocks.append((columns, int(count), tuple(self.parts(stage.block(columns)))))
        self.of_block = None
        zero = ElementwiseStage(stage.product.band.columns, ((constant(0.0, self.spec.compute), stage.product.band),))
        return PlannedBlocks(PlannedStage(zero, self._elementwise(zero)), tuple(blocks), tuple(self._moving(stage)))

    def _moving(self, stage: BackToBack) -> Iterator[Moving]:
        """Yield the operands that advance with the blocks: columns of right factors and of walked operands, and rows of
        the last right factor."""
        for each in (*stage.before, stage.product):
            dtype, leading = self._view(each.right)
            contiguous = each.transposed == (each is stage.product)
            yield Moving(right_of(each), each.right, ELEMENT_BYTES[dtype] * (1 if contiguous else leading))
        for name in sorted(stage.elementwise.reads & self.operands.keys()):
            if self.operands[name].columns == stage.columns > 1:
                yield Moving(beside(name), name, ELEMENT_BYTES[self.operands[name].dtype])

    def _with_epilogue(self, stage: StageProduct, after: Sequence[Stage | BackToBack]) -> PlannedStage | None:
        """Plan a product and the walk after it as one part, if no other stage reads the product."""
        if (
            stage.adds
            or not after
            or not isinstance(after[0], ElementwiseStage)
            or any(stage.band.name in each.reads for each in after[1:])
        ):
            return None
        if stage.band.stored not in (None, after[0].results[0][1].stored):
            return None  # the product is a result of its own
        if any(map(is_place, after[0].reads)):
            return None  # an epilogue would need to know the row at which a band begins
        by_index = self.spec.by_index
        result = self._output(after[0].results[0][1])
        if by_index and (result.name in by_index or not after[0].reads.isdisjoint(by_index)):
            return None
        found = epilogue(stage, after[0], self._input, result)
        if found is None or self._overlaps(stage.left, found.elementwise.results[0][1].name):
            return None

        def planned() -> Plan:
            asked = self._product(stage, found.result.dtype, found.result.view.leading)
            return choose(self._on_sums(found.request(asked, self.spec)))

        plan = tried("a product with its walk", planned)
        on_sums = isinstance(plan, EpiloguePlan) and plan.code is not None and isinstance(plan.product, GemmPlan)
        return PlannedStage(stage, plan, found) if on_sums else None

    def _overlaps(self, left: str, band: str) -> bool:
        """Whether the band lies in the same memory as the left factor: in scratch memory or in a result."""
        if left in self.places and band in self.places:
            return self.bands.overlap(self.places[left], self.places[band])
        stored = [self.operands[name].name for name in (left, band) if name in self.operands]
        return len(stored) == 2 and stored[0] == stored[1]

    def _view(self, name: str) -> tuple[str, int]:
        """Return the type and leading dimension of a band or an operand."""
        if name in self.places:
            return self.spec.copies.get(name, self.spec.compute), self.places[name].leading
        leading = self.operands[name].view.leading
        assert isinstance(leading, int), "leading dimensions beside products are numbers"
        return self.operands[name].dtype, leading

    def _product(self, stage: StageProduct, dtype: str | None = None, ldc: Any = None) -> GemmSpec:
        """Return the request for a product. C has the type of the arithmetic or `dtype`; its leading dimension is
        `ldc`, or else the band's."""
        (left, lda), (right, ldb) = self._view(stage.left), self._view(stage.right)
        dtypes = (left, right, dtype or self.spec.compute)
        order = ("C", "F" if stage.transposed else "C", "C")
        leading: dict[str, Any] = {"lda": lda, "ldb": ldb, "ldc": ldc or self._view(stage.band.name)[1]}
        if stage.batch > 1:
            leading |= {"batch": stage.batch, "strides": RUNTIME}
        asked = gemm_spec(
            self.rows,
            stage.band.columns,
            stage.inner,
            dtype=left if len({*dtypes}) == 1 else dtypes,
            order=order,
            beta=float(stage.adds),
            numerics=self.spec.numerics,
            **leading,
        )
        return in_blocks(asked, self.of_block[0] if stage.adds and self.of_block else 0)

    def _elementwise(self, stage: ElementwiseStage) -> Any:
        results = tuple(expr for expr, _ in stage.results)
        made = program(*results)
        inputs = tuple(self._input(name) for name, _ in made.inputs if not is_place(name))
        outputs = tuple(self._output(band) for _, band in stage.results)
        spec = EltwiseSpec(
            self.spec.name,
            self.rows,
            stage.columns,
            self.spec.compute,
            made,
            inputs,
            outputs,
            self.spec.accuracy,
            numerics=self.spec.numerics,
        )
        spec = replace(spec, moved=spec.placed)
        if has_reductions(step.op for step in made.steps):
            return choose(fused.candidates(fused_spec(spec), self.facts))
        return self._elements(spec)

    def _input(self, name: str) -> Operand:
        if name in self.places:
            return self._band(name, self._width(self.widths[name]))
        given = self.operands[name]
        rows = self.rows if given.rows == self.spec.m else given.rows
        return given._replace(name=name, rows=rows, columns=self._width(given.columns), output=False)

    def _width(self, columns: int) -> int:
        """Return the columns of a walk's operand: the block's columns if the operand is walked in blocks."""
        whole, block = self.of_block or (0, 0)
        return block if columns == whole > 1 else columns

    def _output(self, band: Band) -> Operand:
        if band.stored is None:
            return self._band(band.name, band.columns)._replace(output=True)
        return self.spec.outputs[band.stored]._replace(rows=self.rows)

    def _band(self, name: str, columns: int) -> Operand:
        dtype = self.spec.copies.get(name, self.spec.compute)
        return Operand(name, self.rows, columns, View("C", self.places[name].leading), dtype)
