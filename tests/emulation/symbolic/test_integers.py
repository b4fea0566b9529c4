"""Integers of a known range: ranges hold on samples, and values are proved equal only if all bits are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.profiles import scaled
from tilesmith.emulation.symbolic import movements as movements
from tilesmith.emulation.symbolic import primitives as primitives
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.reals import Point
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.terms import Terms
from tilesmith.emulation.symbolic.values import Table

SAMPLES = 64
TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


def grown(rng: np.random.Generator, table: Table) -> list[Lanes]:
    """Return elements made by sums, products, shifts, conversions and truncations of four bytes and two words."""
    made = [
        Lanes(table.bytes_of(table.inputs(name, 1, size), size), f"u{size}", table)
        for name, size in (("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 4), ("f", 2))
    ]
    for _ in range(24):
        x = made[int(rng.integers(len(made)))]
        dtype = np.dtype(f"{'iu'[int(rng.integers(2))]}{x.itemsize}")
        x = x.view(dtype)
        which = int(rng.integers(8))
        if which < 3:
            alike = [each.view(dtype) for each in made if each.itemsize == x.itemsize]
            y = alike[int(rng.integers(len(alike)))]
            made.append((x + y, x - y, x * y)[which])
        elif which == 3:
            made.append(x.astype(TYPES[int(rng.integers(8))]))
        elif which == 4:
            by = dtype.type(8 * int(rng.integers(x.itemsize)))
            made.append(x >> by if rng.integers(2) else x << by)
        elif which == 5:
            made.append(x.view(f"u{x.itemsize}") ^ np.dtype(f"u{x.itemsize}").type(1 << 8 * x.itemsize - 1))
        elif which == 6:
            bound = dtype.type(np.iinfo(dtype).max >> int(rng.integers(4)))
            made.append(np.minimum(x, bound))
        else:
            half = [each for each in made if each.itemsize == x.itemsize and x.itemsize < 8]
            if half:
                pair = [x.view(f"u{x.itemsize}"), half[int(rng.integers(len(half)))].view(f"u{x.itemsize}")]
                made.append(np.concatenate(pair).view(f"u{2 * x.itemsize}"))
    return made


@pytest.mark.parametrize("seed", range(scaled(20, 2000)))
def test_ranges_and_equal_values_hold(seed: int) -> None:
    rng, table = np.random.default_rng(seed), Table(SIMPLIFIERS)
    nodes = sorted({int(each.nodes().flat[0]) for each in grown(rng, table)})
    data = {
        name: rng.integers(0, 256, (SAMPLES, size), np.uint8)
        for name, size in (("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 4), ("f", 2))
    }
    held: dict[int, Any] = evaluated(table, nodes, lambda leaf: data[(table.leaf(leaf) or ("", "", 0))[1]], SAMPLES)
    integers = Point(Terms(table, {}), seed).integers
    same: dict[tuple[int, int], int] = {}
    for node in nodes:
        value, size = integers.value(node), table.size(node)
        other = same.setdefault((size, value), node)
        assert (held[other] == held[node]).all(), (node, other)
        number = integers.known[node]
        if number.bits >= 8 * size:
            for kind in "iu":
                sure = integers._as(number, kind, size)
                if sure.bits > 1 << 20:
                    numbers = np.ascontiguousarray(held[node]).view(f"{kind}{size}").astype(object)
                    assert (numbers >= sure.low).all() and (numbers <= sure.high).all(), (node, sure)
