"""The panels of a GEMM on accumulators of several rows and columns of sums: tile registers, or those of outer products.

    acc (j, i) += X (j, k) Y (k, i)         a step of k is one product for each accumulator

X are columns of the product's B, Y rows of its A. Lines of an accumulator are columns of C, which are contiguous. A sum
starts as C if C = C + A B is requested, else as +0. Scaling and conversion happen in vector registers, line by line.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from ..contract.dot_and_tile import AccumulatorsOf
from ..contract.vector_verbs import claimed
from .blocking import Panel, ProductBlock, split_extent
from .panel_loop import PanelLoop, Update
from .state import KernelState


def update_of(state: KernelState) -> Update:
    """Return the update of C from accumulators, unless an epilogue takes their sums."""
    return Update(state, starts_as_c=state.plan.spec.starts_as_c, result=state.result, c_first=True)


class GridPanel(PanelLoop):
    """The blocks of columns of one panel of rows, each a grid of accumulators.

    row_vectors   the rows of each accumulator, and
    columns       the columns of each in the current block
    direct        whether sums start as C, and are stored, without arithmetic
    lanes, of_c   the row vectors of sums as they are stored, and of C, unless `direct`
    """

    unit: AccumulatorsOf
    columns: tuple[int, ...]

    def __init__(self, state: KernelState, panel: Panel, update: Update) -> None:
        super().__init__(state, panel)
        self.facts, self.row_vectors, self.update = claimed(state.product.unit), panel.row_vectors, update
        self.direct = state.epilogue is not None or update.direct

    def lanes_of_c(self) -> None:
        """Set up the lanes of sums and of C."""
        if not self.direct:
            result, counts = claimed(self.state.result), self.row_vectors
            self.lanes = [self.m.lanes(result.scaled or self.state.product.dtype, count) for count in counts]
            self.of_c = [self.m.lanes(self.state.plan.spec.dtype, count) for count in counts]

    def divide(self, block: ProductBlock, what: str) -> None:
        """Divide the columns of a block among accumulators."""
        self.columns = split_extent(block.columns, self.facts.side)
        self.m.note(f"{len(self.row_vectors)} x {len(self.columns)} {what}")

    def number(self, i: int, j: int) -> int:
        """Return the accumulator of a row vector and of columns."""
        return i * len(self.columns) + j

    def each(self) -> Iterator[tuple[int, int, int]]:
        """Yield (row vector, columns, accumulator) of each accumulator."""
        for i in range(len(self.row_vectors)):
            for j in range(len(self.columns)):
                yield i, j, self.number(i, j)

    def load_c(self, block: ProductBlock) -> None:
        """Start the accumulators as C or zeros."""
        if self.update.starts_as_c:
            self.load_grid()
        else:
            self.clear_grid()

    @abstractmethod
    def load_grid(self) -> None:
        """Load the accumulators from C."""

    def clear_grid(self) -> None:
        """Set the accumulators to 0."""
        for _, _, accumulator in self.each():
            self.unit.zero(accumulator)
