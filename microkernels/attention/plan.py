"""The plan of attention: its blocks, the plan of each part, and the parts as stages of a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...encoder.records import cached_property, dataclass
from ..choice import Plan
from ..codegen.laid_by import LaidBy
from ..contract.dot_and_tile import TILED
from ..errors import UnsupportedError
from ..gemm.emit import registers as gemm_registers
from ..gemm.plan import GemmPlan
from ..stages import MEMORY, SCRATCH, Stage, StageValue, svg
from .blocks import AttentionSchedule, QueryBlocks, pieces
from .softmax import SoftmaxCode
from .spec import AttentionSpec

_VALUES = {"Q'": SCRATCH, "S'": SCRATCH, "largest": SCRATCH, "c": SCRATCH, "total": SCRATCH, "O'": SCRATCH}


@dataclass(frozen=True)
class AttentionPlan(Plan):
    """The blocks, and the plan of each part for its number of queries and keys."""

    spec: AttentionSpec
    rows: int
    keys: int
    vector: int
    step: int  # keys of a part of the blocks that the causal mask crosses
    places: Any
    blocks: tuple[QueryBlocks, ...]
    softmax: SoftmaxCode | None  # the code of the step, if it is not one of the elementwise parts
    products: tuple[tuple[tuple[str, int, int], GemmPlan], ...]
    elementwise_parts: tuple[tuple[tuple[str, int, int], Any], ...]
    softmax_cycles: float
    tile_shapes: tuple[Any, ...] = ()  # shapes of the tile registers; empty if products are on vectors
    block_cycles: float = 0.0  # cycles of a block of keys, beyond its products and the softmax step
    configure_cycles: float = 0.0  # cycles to configure the tile registers, once per call
    piece: int = 0  # keys of a product, if a block of keys is multiplied in pieces; 0: in one piece
    converted: bool = False  # whether a piece of k and of v is converted to f32 in scratch memory
    asked: AttentionSpec | None = None  # the request, if `spec` has the queries of each group together
    laid_by: int = 0  # the blocks of keys after which sums are laid by; 0: blocks are so few that they are not
    schedule: AttentionSchedule = AttentionSchedule.BLOCKS
    pair_cycles_of_block: float = 0.0  # cycles per query and key in the largest block, if not from `softmax_cycles`
    state: int = 0  # bytes from the places of one strip to those of the next
    of_keys: LaidBy | None = None  # the levels of gk and gv, which are sums over many blocks of queries
    of_queries: LaidBy | None = None  # the levels of the gradients of a block of queries, sums over many blocks of keys

    @property
    def upright(self) -> bool:
        """Whether the lines of a block of scores are queries, and not keys."""
        return self.schedule is AttentionSchedule.FEW

    @cached_property
    def product(self) -> dict[tuple[str, int, int], GemmPlan]:
        """The products "scores" and "sums", keyed by name, queries and keys."""
        return dict(self.products)

    @cached_property
    def elementwise(self) -> dict[tuple[str, int, int], Any]:
        """The elementwise parts, keyed by name, queries and keys (0 where these do not matter)."""
        return dict(self.elementwise_parts)

    @property
    def stand_in(self) -> AttentionSpec | None:
        """The request that gives the same bits without tile registers, on machines with equally wide vectors."""
        return replace(self.spec, numerics=TILED) if self.tile_shapes else None

    @property
    def moved_for_tiles(self) -> str:
        """The operands that are reordered for products on tiles, as text for the plan."""
        pairs = self.schedule is AttentionSchedule.PAIRS
        return "a block of dS is transposed and one of k packed in pairs" if pairs else "a block of v is transposed"

    @property
    def step_text(self) -> str:
        """The softmax step, for the text of the plan; an empty string if there is none."""
        if self.softmax is not None:
            return f"{self.softmax.largest} for maxima, {self.softmax.powers} for powers"
        cycles = (code.cycles for (name, *_), code in self.elementwise_parts if name == "softmax")
        return next((f"a fused kernel of rows, {each:.0f} cycles" for each in cycles), "")

    @property
    def block_rows(self) -> int:
        """The queries of a whole block."""
        return self.blocks[0].rows

    @property
    def registers(self) -> int:
        """The number of vector registers held at a time."""
        registers: list[int] = [each.registers for _, each in self.elementwise_parts]
        of_step = self.softmax.vectors if self.softmax is not None else 0
        return max(*(gemm_registers(each) for _, each in self.products), *registers, of_step)

    @property
    def largest(self) -> tuple[int, int]:
        """The queries and keys of a largest block, by which cycles are estimated."""
        if self.schedule is AttentionSchedule.STRIPS:  # of a step
            return self.rows, max(keys for (_, _, keys), _ in self.products)
        first = self.blocks[0]
        walked = [(0, first.rows, keys) for keys in first.lengths(self.keys)]
        _, rows, keys = (*walked, *first.parts(self.step))[0]
        return rows, keys

    @property
    def cycles(self) -> float:
        """Estimated cycles per call."""
        if self.pair_cycles_of_block:
            return self.spec.heads * self.spec.pairs * self.pair_cycles_of_block + self.configure_cycles
        rows, keys = self.largest
        pairs = rows * keys
        both = (
            sum(
                self.product[name, rows, piece].cycles
                for name in ("scores", "sums")
                for _, piece in pieces(keys, self.piece)
            )
            + self.block_cycles
        )
        per_pair = both / pairs + self.softmax_cycles / self.vector
        return self.spec.heads * self.spec.pairs * per_pair + self.configure_cycles

    def svg(self) -> str:
        """Return a picture of the parts as SVG: what each part reads and makes, and how long each value is needed.
        Raises UnsupportedError for gradients."""
        if self.spec.inverse:
            raise UnsupportedError(
                "attention_inv: no picture is drawn for it, only for ts.attention and ts.fused; print(plan) lists its "
                "parts"
            )
        return svg(str(self.spec), values(self.spec), stages(self.spec))

    def __str__(self) -> str:
        blocks = self.schedule.value.format(rows=self.rows, keys=self.keys, vector=self.vector)
        lines = [str(self.asked or self.spec), f"  {blocks}; {self.places.end} bytes of scratch memory"]
        lines += [f"  {each}" for each in self.blocks]
        if self.asked is not None:
            lines.append(f"  queries of the {self.asked.group} heads that share k and v together")
        if self.tile_shapes:
            lines.append(f"  products on tiles, configured once; {self.moved_for_tiles} for each block of queries")
        if self.laid_by:
            lines.append(f"  sums are laid by after {self.laid_by} blocks of keys")
        if self.converted:
            together = self.piece or self.keys
            lines.append(f"  {together} keys of k and v at a time are converted to f32 in scratch memory")
        lines += [f"  softmax step: {step}" for step in [self.step_text] if step]
        for (name, rows, keys), product in self.products:
            lines.append(f"  {name} of {rows} queries by {keys} keys: {product.cycles:.0f} cycles")
        return "\n".join([*lines, f"  {self.cycles:.0f} cycles"])


def stages(spec: AttentionSpec) -> list[Stage]:
    """Return the stages in the order of computation. The middle ones repeat for each block of keys."""
    mask = tuple(x.name for x in spec.inputs[3:])
    out, *lse = (y.name for y in spec.outputs)
    each = "each block of keys: "
    rows = (
        ("Q' = scale q, transposed", ("q",), ("Q'",)),
        (each + "S' = K Q'", ("k", "Q'"), ("S'",)),
        (each + "largest, c", ("S'", "largest", *mask), ("largest", "c")),
        (each + "S' = e^(S' - largest)", ("S'", "largest"), ("S'", "total")),
        (each + "O' = O' c + V' S'", ("O'", "c", "v", "S'"), ("O'",)),
        (f"{out} = O' / total, transposed", ("O'", "total", *(("largest",) if lse else ())), (out, *lse)),
    )
    return [Stage(name, reads, makes, name) for name, reads, makes in rows]


def values(spec: AttentionSpec) -> list[StageValue]:
    """Return the operands, which are in memory, and the intermediate values, which are in the scratch memory of a
    block."""
    inputs = [StageValue(x.name, MEMORY) for x in spec.inputs]
    return [
        *inputs,
        *(StageValue(name, place) for name, place in _VALUES.items()),
        *(StageValue(y.name, MEMORY) for y in spec.outputs),
    ]
