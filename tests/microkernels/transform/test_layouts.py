"""Changes of layout equal numpy's, padded with zeros, between guard pages, on every machine.

A soak draws 40 times as many, and takes every pair of layouts.
"""

from __future__ import annotations

import random
from itertools import islice, permutations

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, run_forked
from tests.microkernels.transform.test_transpose import run_here, run_there, x86_target
from tests.profiles import is_soak, scaled
from tests.transform_cases import LAYOUTS, Case, bits_of, draw, packed
from tilesmith.emulation.qemu.server import Server
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.transform.spec import transform_spec

COUNT = scaled(16, 1000)
A64 = ("neon", "sve128", "sve256", "sve512")


@pytest.mark.parametrize("name", ["avx2", "avx512", "host"])
@both_sides
def test_x86(name: str, side: str) -> None:
    target = x86_target(name)

    def run() -> None:
        for case in islice(draw(random.Random(f"{name} {side}"), [target]), COUNT):
            run_here(case, side)

    assert run_forked(run) == 0


@pytest.mark.parametrize("name", A64)
@both_sides
def test_a64(aarch64: Server, name: str, side: str) -> None:
    for case in islice(draw(random.Random(f"{name} {side}"), [TARGETS[name]]), COUNT):
        run_there(aarch64, case, side)


@pytest.mark.parametrize("name", ["avx2", "host"])
@pytest.mark.parametrize("dtype", ["u8", "u16"])
def test_every_pair_of_layouts(name: str, dtype: str) -> None:
    target = x86_target(name)
    pairs = list(permutations(LAYOUTS, 2))
    for source, result in pairs if is_soak() else random.Random(f"{name} {dtype}").sample(pairs, 25):
        run_here(Case(transform_spec(f"{source}_to_{result}", 37, 21, dtype=dtype), target), "end")


def test_vnni_by_hand() -> None:
    """Three rows of four are padded with a fourth row of zeros."""
    x = np.arange(1, 13, dtype=np.int16).reshape(3, 4)
    y = ts.transform("vnni2", 3, 4, "i16")(x)
    assert y.tolist() == [[1, 5, 2, 6, 3, 7, 4, 8], [9, 0, 10, 0, 11, 0, 12, 0]]
    assert ts.transform("vnni2_to_plain", 3, 4, "i16")(y).tolist() == x.tolist()
    t = ts.transform("plain_to_vnni2t", 3, 4, "i16")(x)
    assert t.tolist() == [[1, 2, 5, 6, 9, 10], [3, 4, 7, 8, 11, 12]]
    assert ts.transform("vnni2_to_vnni2t", 3, 4, "i16")(y).tolist() == t.tolist()


@pytest.mark.parametrize("source", LAYOUTS)
def test_there_and_back(source: str) -> None:
    matrix = np.random.default_rng(3).integers(0, 255, (30, 45), np.uint8)
    for result in ("plain", "vnni4", "amxa"):
        if result != source:
            x = packed(matrix, source)
            y = ts.transform(f"{source}_to_{result}", 30, 45, "u8")(x)
            assert np.array_equal(bits_of(y), bits_of(packed(matrix, result)))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="layout 'vnni3'"):
        ts.transform("vnni3", 4, 4, "i8")
    with pytest.raises(ValueError, match="at most 4 bytes"):
        ts.transform("amxb", 4, 4, "f64")
    with pytest.raises(ts.UnsupportedError, match="nothing to do"):
        ts.transform("vnni2_to_vnni2", 4, 4, "bf16")
    with pytest.raises(TypeError, match="name"):
        ts.transform(3, 4, 4, "bf16")  # type: ignore[arg-type]
