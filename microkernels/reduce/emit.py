"""Code of reductions: emits what the plan says.

Down columns (axis 0) vectors of columns are accumulators, and rows are added to them. Along rows there are a few
accumulators of one row, or one of each of several rows. The vectors of several rows are folded by a tree of shuffles
that leaves a vector of results. Where a row ends amid a vector, the rest is loaded as zeros and made the operation's
identity.
"""

from __future__ import annotations

from contextlib import ExitStack

from ..contract.machine import Machine
from .arg_blocks import Blocks
from .columns import Columns
from .multi_row import RowBlock
from .plan import ReducePlan
from .rows import Rows


def emit(m: Machine, plan: ReducePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.vectors)
    walk = (Columns if plan.spec.axis == 0 else RowBlock if plan.interleaved_rows else Blocks if plan.blocks else Rows)(
        m, plan
    )
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        walk.claim(scope)
        walk.emit()
    m.leave()
