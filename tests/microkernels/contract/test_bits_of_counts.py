"""The verb that branches on a bit of a count, on every machine."""

from __future__ import annotations

import pytest

from tests.microkernels.contract.test_general_verbs import MACHINES, State, check

NUMBERS = ((5, 1), (5, 2), (64, 64), (-65, 64), (-1, 1))


def if_bit(s: State) -> None:
    value, flag = s.m.general("value"), s.m.general("flag")
    for word, (number, bit) in enumerate(NUMBERS):
        s.m.copy(value, number)
        s.m.copy(flag, 0)
        with s.m.if_bit(value, bit):
            s.m.copy(flag, 1)
        s.put(flag, word)


@pytest.mark.parametrize("name", MACHINES)
def test_if_bit(name: str):
    check(if_bit, [int(bool(number & bit)) for number, bit in NUMBERS], name)
