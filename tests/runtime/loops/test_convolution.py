"""The direct convolutions of docs/examples/convolution.py equal numpy in f64, with the same bits for any threads."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.guard import check_canary, guarded

EXAMPLE = runpy.run_path(str(Path(__file__).parents[3] / "docs" / "examples" / "convolution.py"))


def small(shape: tuple[int, ...], seed: int) -> Any:
    """Return small integers, whose sums are exact in f32."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def called(nest: Any, x: Any, w: Any, wanted: Any) -> None:
    for threads in (1, 2, 3, 7):
        y = guarded(np.full(wanted.shape, 7, np.float32), "end", writable=True)
        nest(
            guarded(x.reshape(nest.operands[0].shape), "end"), guarded(EXAMPLE["packed"](w), "end"), y, threads=threads
        )
        np.testing.assert_array_equal(y, wanted)
        check_canary(y)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("taps", [(3, 3), (1, 1), (2, 5)])
def test_padded_images(stride: int, taps: tuple[int, int]) -> None:
    x, w = small((2, 9, 8, 6), 1), small((32, 6, *taps), 2)
    called(EXAMPLE["direct"](x.shape, w.shape, stride), x, w, EXAMPLE["expected"](x, w, stride, 0))


@pytest.mark.parametrize("string", ["NPkr", "PNrk", "nPkr", "nkrp", "P{R:2}N{C:2}kr"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("rows", [1, 3, 9])
def test_bands_in_scratch_memory(string: str, stride: int, rows: int) -> None:
    """Blocks of rows that do not divide the result, and the rim of zeros above, below, and at both sides."""
    x, w = small((2, 7, 5, 4), 3), small((32, 4, 3, 3), 4)
    if string == "nkrp":  # bands of other blocks come between the channels of one
        with pytest.raises(ValueError, match="not written in the same iteration of p, which decides what is written"):
            EXAMPLE["banded"](x.shape, w.shape, stride, 1, 1, string)
        return
    called(EXAMPLE["banded"](x.shape, w.shape, stride, 1, rows, string), x, w, EXAMPLE["expected"](x, w, stride, 1))


def test_in_the_emulator() -> None:
    x, w = small((1, 5, 4, 4), 5), small((16, 4, 3, 3), 6)
    nest = EXAMPLE["banded"](x.shape, w.shape, 1, 1, 2)
    wanted = EXAMPLE["expected"](x, w, 1, 1)
    y = np.zeros(wanted.shape, np.float32)
    nest.run(x.reshape(nest.operands[0].shape), EXAMPLE["packed"](w), y, workers=3)
    np.testing.assert_array_equal(y, wanted)
