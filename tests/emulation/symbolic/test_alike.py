"""Equality of expressions up to the names of their inputs."""

from __future__ import annotations

import numpy as np

from tilesmith.emulation.symbolic.exhaustive import alike
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.values import Table


def test_renamed_inputs_are_alike_and_shared_ones_are_not() -> None:
    table = Table(SIMPLIFIERS)
    x, y = table.inputs("x", 6, 4), table.inputs("y", 6, 4)
    z = table.inputs("z", 6, 8)

    def made(name: str, first: object, second: object) -> list[int]:
        kinds = {"divide": np.divide, "subtract": np.subtract}
        return table.apply(
            (name, "f4"), kinds[name], ("f4", "f4"), "f4", [np.asarray(first), np.asarray(second)]
        ).tolist()

    quotients = made("divide", x, y)
    assert alike(table, quotients, x.tolist()) == [0] * 6
    assert alike(table, quotients, [*x[:3].tolist(), *y[3:].tolist()]) == [0, 0, 0, 3, 3, 3]  # beside x; beside y
    one = made("divide", x[:1], x[:1])
    assert alike(table, [*quotients[:2], *one], x[:3].tolist()) == [0, 0, 2]  # x / x
    assert alike(table, [x[0], z[0], x[1]], [x[0], z[0], y[0]]) == [0, 1, 2]  # other sizes; an input beside itself
    constants = [table.constant(value, 4) for value in (1, 2, 1)]
    assert alike(table, made("divide", x[:3], np.array(constants)), x[:3].tolist()) == [0, 1, 0]
