"""Bodies of loops and conditions may be the first to claim a callee-saved register: the caller's value is kept."""

from __future__ import annotations

import pytest

from tests.microkernels.contract.test_general_verbs import A, State, check
from tests.microkernels.contract.test_verbs import MACHINES


def bodies(s: State) -> None:
    """Claim all registers in bodies that run several times, or not at all."""
    zero, left, index = s.m.general("zero"), s.m.general("left"), s.m.general("index")
    s.m.copy(zero, 0)
    s.m.copy(left, 5)
    every = (
        s.m.loop(s.m.counter("turns"), 3),
        s.m.index_loop(index, 3),
        s.m.while_at_least(left, 2),
        s.m.unless_zero(s.a),
        s.m.unless_zero(zero),
    )
    for word, body in enumerate(every):
        s.m.copy(index, 98)
        s.put(index, word)
        with body:
            claimed = [s.m.general("body") for _ in range(s.m.generals_left() - 1)]
            for register in claimed:
                s.m.copy(register, 99)
            s.put(claimed[-1], word)
            for register in claimed:
                s.m.release(register)
    s.put(s.a, 5)


@pytest.mark.parametrize("name", MACHINES)
def test_the_caller_keeps_its_registers(name: str) -> None:
    """The emulator checks every register that a call must preserve. The last body does not run."""
    check(bodies, [99, 99, 99, 99, 98, A], name)
