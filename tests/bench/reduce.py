"""Reductions beside a kernel that only loads, and numpy: `python -m tests.bench.reduce [--target avx2]`.

The loading kernel reads the same bytes in the same order, eight registers in turn, and does nothing with them: its rate
is the load bandwidth that reductions are compared with.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.console import Console
from rich.table import Table

import tilesmith as ts
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.microkernels.machines.registry import machine_for
from tilesmith.runtime import host, measure
from tilesmith.runtime.arrays import address_of
from tilesmith.runtime.memory import publish

PLACES = {"L1": (16, 384), "L2": (64, 1536)}
"""Rows and columns of f32: 24 KiB and 384 KiB."""
NAMES = [("sum", False), ("sum", True), ("sum", "both"), ("absmax", False), ("max", False), ("product", False)]
TOGETHER = 8


def loads(target: Target, count: int) -> Code:
    """void loads(const float *x): `count` f32, a multiple of eight registers."""
    m = machine_for(target)
    vector = m.facts.widths[0] // 32
    (x,) = m.arguments(1)
    m.enter(TOGETHER)
    with m.predicates(), m.vectors(TOGETHER, "loaded") as registers:
        lanes = m.lanes("f32", vector)
        with m.loop(m.general("count"), count // vector // TOGETHER):
            for i, register in enumerate(registers):
                m.load(register, m.at(x, i * vector * 4), lanes)
            m.advance(x, TOGETHER * vector * 4)
    m.leave()
    return m.asm.finish("loads")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", help="one that this machine runs; its own unless given")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each row of the table")
    asked = parser.parse_args()
    target = host.resolve(asked.target)
    table = Table("place", "reduction", "axis", "GB/s", "of loads", "numpy GB/s")
    with measure.one_cpu():
        for place, (m, n) in PLACES.items():
            # products of these stay normal numbers
            x = np.random.default_rng(0).choice(np.float32([1, -1]), (m, n))
            block = publish(loads(target, x.size).data)
            for name, squared in NAMES:
                for axis in (0, 1, None):
                    kernel = ts.reduce(name, m, n, axis=axis, squared=squared, target=asked.target)
                    outputs = [np.zeros({0: n, 1: m, None: 1}[axis], np.float32) for _ in kernel.spec.outputs]
                    addresses = tuple(address_of(each) for each in (x, *outputs))
                    ufunc = {"sum": np.add, "product": np.multiply}.get(name, np.maximum)
                    beside = {
                        "loads": measure.NativeCall(block.address, (address_of(x),), block),
                        "ours": measure.NativeCall(kernel.address, addresses, kernel),
                        "numpy": measure.PythonCall(lambda u=ufunc, a=axis, x=x: u.reduce(x, axis=a)),
                    }
                    found = measure.seconds_per_call(beside, asked.seconds)
                    rate = {who: x.nbytes / timing.best / 1e9 for who, timing in found.items()}
                    label = {False: name, True: "sum of squares", "both": "sum and squares"}[squared]
                    share = f"{rate['ours'] / rate['loads']:.2f}"
                    table.add_row(place, label, str(axis), f"{rate['ours']:.0f}", share, f"{rate['numpy']:.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
