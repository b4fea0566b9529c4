"""Lower bounds on the registers that an expression needs, from the number of live values behind each step.

If several copies of an expression are interleaved, the sum of their live values is a lower bound on the registers that
a linear scan takes. Counting takes a hundredth of the scan's time, and it rejects most numbers of copies that do not
fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from .linear_scan import Inputs, delay_of, moments_of_stores
from .selection import Arithmetic, NativeStep


class Pressure:
    """The vector registers that hold a value of one copy, behind each step that is not a constant."""

    def __init__(
        self, steps: Sequence[NativeStep], results: Sequence[int], arithmetic: Arithmetic, inputs: Inputs
    ) -> None:
        self.delay = delay_of(steps, results, inputs)
        self.live = [] if inputs.given else _live(steps, results, arithmetic, inputs)

    def least(self, unroll: int) -> int:
        """Return a lower bound on the registers of `unroll` copies, without constants. It is 0 if the caller has inputs
        in registers, because results may reuse those."""
        if not self.live:
            return 0
        if not self.delay:
            return unroll * max(self.live)
        sums = [0, *accumulate(self.live)]
        last = len(self.live)
        return max(sums[min(end, last)] - sums[max(0, end - unroll)] for end in range(1, last + unroll))


def _live(steps: Sequence[NativeStep], results: Sequence[int], arithmetic: Arithmetic, inputs: Inputs) -> list[int]:
    last_use = list(range(len(steps)))
    for number, step in enumerate(steps):
        for arg in step.args:
            last_use[arg] = number
    for moment, stored in moments_of_stores(steps, results, inputs).items():
        for number in stored:
            last_use[number] = max(last_use[number], moment)
    changes = [0] * (len(steps) + 1)
    for number, step in enumerate(steps):
        held = step.op != "const" and not (step.mask and arithmetic.masks)
        if held and not (step.op == "input" and step.value in inputs.loop_invariant):
            changes[number] += 1
            changes[last_use[number]] -= 1
    counts = accumulate(changes)
    return [count for count, step in zip(counts, steps) if step.op != "const"]
