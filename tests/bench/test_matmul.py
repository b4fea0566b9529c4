"""The arguments of the benchmark of ts.matmul."""

from __future__ import annotations

import argparse

import pytest

from tests.bench.matmul import shape


def test_one_number_is_a_cube() -> None:
    assert shape("512") == (512, 512, 512) and shape("3x4x5") == (3, 4, 5)
    for wrong in ("3x4", "x", "a", "3x4x5x6", "0", "3x0x5", ""):
        with pytest.raises(argparse.ArgumentTypeError, match=r"MxNxK|extents of 1"):
            shape(wrong)
