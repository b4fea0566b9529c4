"""Loops over the rows of a table that a call fills, cut into runs of about equal costs that are dealt out to workers.

The runs follow from the table, whatever the number of workers, and a piece is computed by one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.products import GROUPS
from ..loops.code import WORKERS, Header, Load, Loop, Node, Share, When, affine, blocks_of, index, once

if TYPE_CHECKING:
    from ..arguments.arrays import Array

WORD = ELEMENT_BYTES["i64"]
"""The bytes of a word of a table."""


def dealt(table: int, names: Sequence[str], body: Sequence[Node]) -> tuple[Node, ...]:
    """Return the loops over the rows of a table that `with_bounds` made. Their words are indices of the body. A single
    worker does not look at each run, which would take it 0.9 us.

    table   the operand with the address of the table
    """
    bounds = Load(("begin", "end"), table, index("part") * WORD, (_run(table, names, body),))
    runs, others = Share((blocks_of("part", GROUPS.parts, 1),), (bounds,)), index(WORKERS) - 1
    return When(others, "==", (undealt(table, names, body),)), When(others, ">", (runs,))


def undealt(table: int, names: Sequence[str], body: Sequence[Node]) -> Node:
    """Return the loop over all rows of such a table for one worker."""
    last = Load(("end",), table, affine(WORD * GROUPS.parts), (_run(table, names, body),))
    return once([Load(("begin",), table, affine(0), (last,))])


def _run(table: int, names: Sequence[str], body: Sequence[Node]) -> Loop:
    """Return the loop over the rows between two indices."""
    before, line = WORD * (GROUPS.parts + 1), WORD * len(names)
    piece = Load(tuple(names), table, index("piece") * line + before, tuple(body))
    return Loop(Header("piece", index("begin"), (index("end"),), 1, 1), (piece,))


def with_bounds(cost: Array, table: Array) -> Array:
    """Return the words of a table behind those that say where each run of rows begins. `cost` is that of each row."""
    sums = np.cumsum(cost, dtype=np.float64)  # exact up to 2^53, and always the same
    whole = sums[-1] if len(sums) else 0.0
    bounds = np.empty(GROUPS.parts + 1, np.int64)
    bounds[0], bounds[-1] = 0, len(table)
    bounds[1:-1] = np.searchsorted(sums, whole * np.arange(1, GROUPS.parts) / GROUPS.parts)
    return np.concatenate((bounds, table.ravel()))
