"""The numbers by which the executor of a compiled graph deals its steps to threads (runtime/graph/schedule.py).

divided   the cycles of one thread from which on all threads compute a step together, in parts. Each such step needs a
          barrier before the next one that reads its result, and another one after the step before it
barrier   the cycles of a barrier: about half a microsecond. Steps that several threads could compute next to each other
          are computed by one, if the barrier after them would cost more than that
moved     bytes a cycle that one core reads and writes in its second cache, about. A step takes at least its bytes by that:
            the planners' estimates are of operands in the first cache
"""

from __future__ import annotations

from ...encoder.records import NamedTuple


class ExecutorNumbers(NamedTuple):
    """See the module."""

    divided: int = 12_000
    barrier: int = 1_500
    moved: int = 16


EXECUTOR = ExecutorNumbers()
