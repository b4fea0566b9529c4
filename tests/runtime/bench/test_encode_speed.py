"""`tilesmith bench generation --tables instructions` and `tilesmith bench matmul`: what they measure and accept."""

from __future__ import annotations

import argparse

import pytest

import tilesmith as ts
from tests.bench import generation
from tests.oracles import peachpy
from tilesmith.runtime.bench.cases.matmul import shape
from tilesmith.runtime.bench.runner import Run
from tilesmith.runtime.bench.table import goals


@pytest.mark.seconds
@pytest.mark.skipif(ts.host().arch != "x86", reason="PeachPy runs on x86-64")
def test_both_encoders_are_measured() -> None:
    peachpy.require()
    found, count, _ = generation.seconds(ts.host())
    assert count > 100, "the mix is a real kernel's"
    assert set(found) == set(generation.WAYS) and min(found.values()) > 0


def test_goals_of_encoding(monkeypatch) -> None:
    slow = {"first": 9, "new": 1.3, "again": 0.5, "distinct": 2, "peachpy": 25, "peachpy_function": 250}
    monkeypatch.setattr(generation, "seconds", lambda _: ({way: us * 1e-6 for way, us in slow.items()}, 1, []))
    found = goals(generation.OF_INSTRUCTIONS, list(generation.encoded(Run(0.1, None, []), "avx2")))
    assert [goal.state for goal in found] == ["NOT REACHED", "NOT REACHED", "reached"]


def test_one_number_is_a_cube() -> None:
    assert shape("512") == (512, 512, 512) and shape("3x4x5") == (3, 4, 5)
    for wrong in ("3x4", "x", "a", "3x4x5x6", "0", "3x0x5", ""):
        with pytest.raises(argparse.ArgumentTypeError, match=r"MxNxK|extents of 1"):
            shape(wrong)
