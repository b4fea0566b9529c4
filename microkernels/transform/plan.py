"""`TransformPlan`: a plan of a transform, as a value that prints. `candidates` makes plans, `emit` makes their code."""

from __future__ import annotations

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..choice import Plan
from ..contract.shuffle_network import describe
from .cost import TileCost, clipped
from .nest import Nest
from .spec import TransformSpec
from .strides import StridedMatrix, nominal
from .tile import ShuffledTile
from .tile_pass import pass_registers, whole


class PairsOfBlocks(NamedTuple):
    """The loop of a transpose whose x and y may be one array: over pairs of square blocks, one of which passes through
    scratch memory (in_place.py)."""

    block: int  # rows and columns of a block
    copies: dict[tuple[int, int], PairCopies]  # for each block size: whole blocks, and the tails


class PairCopies(NamedTuple):
    """The transforms of a pair of blocks: block (i, j) of x is (rows, columns), block (j, i) is (columns, rows)."""

    to_scratch: TransformPlan  # block (i, j) of x, transposed
    across: TransformPlan  # block (j, i) of x, transposed, to block (i, j) of y
    back: TransformPlan  # the scratch memory, copied to block (j, i) of y


@dataclass(frozen=True)
class TransformPlan(Plan):
    """A tile, the loops over the matrix, and their costs."""

    spec: TransformSpec
    tile: ShuffledTile
    x: StridedMatrix
    y: StridedMatrix
    nest: Nest
    depth_first: bool  # order of a tile's actions: from each output backwards, or stage by stage
    streaming: bool  # whole registers bypass the caches if y is aligned to `boundary`
    boundary: int  # bytes
    peels: bool  # if y is not aligned, the first and last rows of x are peeled, so that tiles begin at a boundary
    cost: TileCost
    price: float  # tiles are compared by it: see `cost.Prices`
    taken: int = 0  # vector registers for the work on elements
    pairs: PairsOfBlocks | None = None  # the loop around the tiles, if x and y may be one array

    @property
    def cycles(self) -> float:
        """Estimated cycles per call with x and y in L1: half as much again for blocks that pass through scratch
        memory."""
        return self.cost.cycles * (1.5 if self.pairs else 1)

    @property
    def call_cycles(self) -> float:
        """The price: `cycles`, and a little for each instruction and each split cache line. The lowest price wins."""
        return self.price

    @cached_property
    def registers(self) -> int:
        """The number of vector registers for the values of any tile of the matrix."""
        source, result = nominal(self.x), nominal(self.y)
        passes = [
            (bounds, number) for bounds, _ in clipped(self.tile, self.x, self.y) for number in range(self.tile.passes)
        ]
        return max(
            pass_registers(self.tile, source, result, bounds, number, self.depth_first)
            for bounds, number in [(whole(self.tile), 0), *passes]
        )

    def __str__(self) -> str:
        return f"{self.spec}\n{self.details}"

    @property
    def details(self) -> str:
        """The lines of the plan below the request."""
        tile, cost = self.tile, self.cost
        lines = [f"  tile {tile.extents['i']} x {tile.extents['j']}: {tile}"]
        lines.append(f"    loaded: bits {describe(tile.start)} inside, {describe(tile.across)} between registers")
        for number, stage in enumerate(tile.stages, 1):
            entering = f", {stage.entering} enters" if stage.entering else ""
            lines.append(f"    stage {number}: {stage.exchange.name}{entering}")
        lines.append(f"    stored: bits {describe(tile.goal)} inside")
        if tile.passes > 1:
            lines.append(f"    in {tile.passes} passes over the loads, to fit the registers")
        loops = " > ".join(f"{dim} by {', '.join(map(str, sizes))}" for dim, sizes in self.nest)
        peeled = ", rows peeled to align y" if self.peels else ""
        lines.append(f"  loops {loops}" + (f"; prefetches, streaming stores{peeled}" if self.streaming else ""))
        resources = ", ".join(f"{name} {cycles:.0f}" for name, cycles in cost.resources.items())
        lines.append(
            f"  about {cost.cycles:.0f} cycles ({cost.busiest}): {resources}; {cost.instructions} instructions"
            f"{self._pipes}; price {self.price:.0f}"
        )
        if self.pairs is not None:
            count, rest = divmod(self.spec.m, self.pairs.block)
            blocks = f"{count} x {count} blocks of {self.pairs.block}" + (f", the last of {rest}" if rest else "")
            lines.append(f"  in place: {blocks}; one of a pair through scratch memory")
        return "\n".join(lines)

    @property
    def _pipes(self) -> str:
        """The number of pipes that shuffle, as text, if the machine gives it."""
        machine = self.tile.shuffle_set
        if not machine.shuffle_pipes:
            return ""
        apart = ", which inserts from memory do not need" * bool(machine.vector)
        return f"; {machine.shuffle_pipes} pipe{'s' * (machine.shuffle_pipes > 1)} for shuffles{apart}"


def vectors(plan: TransformPlan) -> int:
    """Return the most vector registers that a plan's tiles hold."""
    return plan.registers + len(plan.tile.tables) + 2
