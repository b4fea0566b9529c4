"""PARLOOPER's listing 4 in docs/examples/listing4.py equals numpy, for every stride and the strings of the rules."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tilesmith.runtime.loops.strings import strings
from tilesmith.runtime.loops.tuner import blocked

EXAMPLE = runpy.run_path(str(Path(__file__).parents[3] / "docs" / "examples" / "listing4.py"))


def expected(x: Any, w: Any, stride: int, padding: int) -> Any:
    """Return the convolution of integers as blocks of 8 filters, exactly."""
    around = np.pad(x, [(0, 0), (0, 0), *[(padding, padding)] * 2]).astype(np.int64)
    found = np.lib.stride_tricks.sliding_window_view(around, w.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    return EXAMPLE["blocks"](np.einsum("ncpqrs,kcrs->nkpq", found, w.astype(np.int64)), 8)


def small(shape: tuple[int, ...], seed: int) -> Any:
    """Return small integers, whose sums are exact in f32."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def check(
    string: str, stride: int, padding: int, taps: tuple[int, int], some: Any = None, threads: int = 2, blocks: Any = ()
) -> None:
    x, w = small((2, 8, 7, 6), 1), small((16, 8, *taps), 2)
    image, panels = EXAMPLE["blocks"](x, 4, padding), EXAMPLE["filters"](w, 4, 8)
    loops, body, operands = EXAMPLE["listing4"](image.shape, panels.shape, stride, some)
    nest: Any = ts.nest(string, {**loops, **dict(blocks)}, body, **operands)
    wanted = expected(x, w, stride, padding)
    y = guarded(np.full(wanted.shape, 7, np.float32), "end", writable=True)
    nest(guarded(image, "end"), guarded(panels, "end"), y, threads=threads)
    np.testing.assert_array_equal(y, wanted)
    check_canary(y)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [0, 1, 2])
@pytest.mark.parametrize("taps", [(3, 3), (1, 1), (2, 5)])
@pytest.mark.grid(9)
def test_strides_and_padding(stride: int, padding: int, taps: tuple[int, int]) -> None:
    check("ACbdefg", stride, padding, taps)
    check("gfADCbe", stride, padding, taps, (1, 1, 1), 3)


def test_strings_of_the_rules() -> None:
    loops, _, _ = EXAMPLE["listing4"]((2, 2, 9, 8, 4), (2, 2, 3, 3, 4, 8), 2, (1, 1, 1))
    trips = {letter: -(-stop // step) for letter, (_, stop, step) in loops.items()}
    found = strings(ts.convolution_rules(), trips, most=8)
    assert len(found) == 8 and all(set("bfg") & set(each.string) == set("bfg") for each in found)
    for each in found:
        check(each.string, 2, 1, (3, 3), (1, 1, 1), blocks=blocked(loops, each))


def test_a_sum_is_not_divided() -> None:
    with pytest.raises(ts.RaceError):
        check("aBcdefg", 1, 1, (3, 3), (1, 1, 1))
