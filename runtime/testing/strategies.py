"""Hypothesis strategies for tests of kernels: extents, numbers, matrices. They need the package `hypothesis`.

@given(strategies.matrices((7, 33), "f32", special=True))
def test_relu(x):
    ...
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ...microkernels.dtypes import element_type
from ..arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]

_LARGE = 512


@st.composite
def extents(draw: st.DrawFn, most: int | None = None, names: str = "mnk") -> dict[str, int]:
    """An extent for each letter of `names`: mostly up to 70, sometimes one of them or all up to 512.

    With `most`, their product is at most that: the largest is kept, and the others are cut.
    """
    sizes = dict(zip(names, draw(st.tuples(*[st.integers(1, 70)] * len(names)))))
    for name in draw(st.sampled_from(("",) * 12 + (*names, names))):
        sizes[name] = draw(st.integers(1, _LARGE))
    if most is not None and math.prod(sizes.values()) > most:
        largest = max(sizes, key=lambda name: sizes[name])
        side = max(1, math.floor((most // sizes[largest]) ** (1 / max(1, len(names) - 1)) + 1e-9))
        sizes |= {name: 1 + (size - 1) % side for name, size in sizes.items() if name != largest}
    return sizes


def patterns(dtype: Any) -> st.SearchStrategy[int]:
    """Bit patterns of a type: any, and often those at the ends of its range: zeros, denormals, infinities, NaN."""
    dtype = element_type("dtype", dtype)
    bits = 8 * numpy_dtype(dtype).itemsize
    top = (1 << bits) - 1
    ends = {0, 1, top, top >> 1, 1 << bits - 1, (1 << bits - 1) + 1}
    if dtype.startswith(("f", "bf")):
        fraction = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7, "f8e5m2": 2, "f8e4m3": 3}[dtype]
        infinity = (1 << bits - 1) - (1 << fraction)
        ends |= {
            sign | word
            for sign in (0, 1 << bits - 1)
            for word in (1 << fraction, (1 << fraction) - 1, infinity, infinity - 1)
        }
    return st.sampled_from(sorted(ends)) | st.integers(0, top)


@st.composite
def matrices(
    draw: st.DrawFn,
    shape: tuple[int, int],
    dtype: Any = "f32",
    order: str = "C",
    padding: int = 0,
    special: bool = False,
) -> Array:
    """Draw a matrix in row- ("C") or column-major ("F") order, with `padding` elements between its rows or columns.

    special   any bit patterns, infinities and NaN included; otherwise numbers between -1 and 1, or small integers for
              integer types

    The padding contains NaN in every float type of 16 to 64 bits.
    """
    dtype = element_type("dtype", dtype)
    element = numpy_dtype(dtype)
    outer, inner = shape if order == "C" else shape[::-1]
    memory = np.resize(np.array([0xF5, 0xFF], np.uint8), (outer, (inner + padding) * element.itemsize)).view(element)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if special:
        few = np.array(draw(st.lists(patterns(dtype), min_size=1, max_size=8)), f"u{element.itemsize}")
        memory[:, :inner] = rng.choice(few, (outer, inner)).view(element)
    elif element.kind in "iu":
        memory[:, :inner] = rng.integers(-8 if element.kind == "i" else 0, 8, (outer, inner))
    else:
        memory[:, :inner] = rng.uniform(-1, 1, (outer, inner)).astype(element)
    view: Array = memory[:, :inner] if order == "C" else memory[:, :inner].T
    return view
