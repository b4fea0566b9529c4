"""What the machines of NEON and SVE have in common: the units, and the loads and stores of results."""

from __future__ import annotations

from ...contract.dot_and_tile import FragmentsOf, ResultOf
from .core import A64Address, A64Factor, A64Machine
from .dot_table import TABLE
from .lanes import A64Lanes
from .result_io import result_of


class A64VectorMachine(A64Machine):
    """A machine whose tables have a row for its kind of registers."""

    def unit(
        self, row_vector: str, group: str, numerics: str, columns: int = 1
    ) -> FragmentsOf[A64Address, A64Lanes, A64Factor]:
        """The units of machines/a64/dot_table.py."""
        return TABLE.unit(self, row_vector, group, numerics, columns)

    def result(self, dtype: str, sums: str) -> ResultOf[A64Address, A64Lanes]:
        """The loads and stores of machines/a64/result_io.py."""
        return result_of(self, dtype, sums)
