"""Drawn requests of transposes and layout changes, and numpy's results for them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tilesmith.encoder.features import Target
from tilesmith.microkernels.transform.spec import TransformSpec, transform_spec, transpose_spec

Array = np.ndarray[Any, Any]

DTYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}
NUMPY = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "c128": np.complex128}
FACTORS = (2, 4, 8)
BLOCKS = ((2, 4), (2, 8))
INTERLEAVED = [f"vnni{factor}" for factor in FACTORS] + [f"mmla{rows}x{columns}" for rows, columns in BLOCKS]
LAYOUTS = ["plain", "plaint", *INTERLEAVED, *(f"{name}t" for name in INTERLEAVED), "amxa", "amxb"]


def packed(matrix: Array, layout: str) -> Array:
    """Return the matrix in a layout, computed by numpy: padded with zeros, reshaped, transposed."""
    if layout == "plain":
        return matrix.copy()
    if layout == "plaint":
        return matrix.T.copy()
    if layout == "amxa":
        return _blocks(matrix, 16, 64 // matrix.itemsize)
    if layout == "amxb":
        factor = 4 // matrix.itemsize
        tiles = _blocks(matrix, 16 * factor, 16)
        count = tiles.shape[1] // (256 * factor)
        split = tiles.reshape(-1, count, 16, factor, 16)
        return split.transpose(0, 1, 2, 4, 3).reshape(len(tiles), -1)
    if layout.endswith("t"):
        return packed(matrix.T, layout[:-1])
    if layout.startswith("vnni"):
        factor = int(layout[4:])
        padded = _padded(matrix, factor, 1)
        return padded.reshape(-1, factor, padded.shape[1]).transpose(0, 2, 1).reshape(len(padded) // factor, -1)
    rows, columns = map(int, layout[4:].split("x"))
    return _blocks(matrix, rows, columns)


def _padded(matrix: Array, rows: int, columns: int) -> Array:
    m, n = matrix.shape
    return np.pad(matrix, ((0, -m % rows), (0, -n % columns)))


def _blocks(matrix: Array, rows: int, columns: int) -> Array:
    """Return the matrix in blocks: [i/rows][j/columns][i%rows][j%columns]."""
    padded = _padded(matrix, rows, columns)
    m, n = padded.shape
    split = padded.reshape(m // rows, rows, n // columns, columns)
    return split.transpose(0, 2, 1, 3).reshape(m // rows, -1)


class Case(NamedTuple):
    """A request and its target."""

    spec: TransformSpec
    target: Target

    def arrays(self, seed: int = 0) -> tuple[Array, Array, Array]:
        """Return x, y filled with garbage, and the expected y, with the leading dimensions of the spec."""
        spec = self.spec
        dtype = np.dtype(NUMPY[spec.dtype])
        generator = np.random.default_rng(seed)
        raw = generator.integers(1, 255, (spec.m, spec.n * dtype.itemsize), dtype=np.uint8)
        matrix = raw.view(dtype)
        x, expected = packed(matrix, spec.source), packed(matrix, spec.result)
        assert x.shape == spec.arguments[0].shape and expected.shape == spec.arguments[1].shape
        return strided(x, spec.ldx), strided(np.full_like(expected, 77), spec.ldy), expected


def strided(array: Array, leading: Any) -> Array:
    """Return a copy whose rows are `leading` elements apart; the elements between rows do not belong to it."""
    rows, columns = array.shape
    distance = leading if isinstance(leading, int) else columns
    whole = np.zeros(((rows - 1) * distance + columns), array.dtype)
    made = np.ndarray(array.shape, array.dtype, whole, 0, (distance * array.itemsize, array.itemsize))
    made[...] = array
    return made


def bits_of(array: Array) -> Array:
    """Return the bytes of an array, so that NaN compares equal to itself."""
    return np.ascontiguousarray(array).view(np.uint8)


def draw(generator: random.Random, targets: list[Target], largest: int = 70) -> Iterator[Case]:
    """Yield requests without end: every layout and type, m and n often small, leading dimensions often larger."""
    while True:
        target = generator.choice(targets)
        size = generator.choice([1, 1, 2, 2, 4, 4, 8, 16])
        m, n = (generator.randint(1, generator.choice([5, 20, largest])) for _ in range(2))
        loads = generator.choice([None, None, "whole"])
        if generator.random() < 0.4:
            spec = transpose_spec(m, n, dtype=DTYPES[size], loads=loads)
        else:
            choices = LAYOUTS if size <= 4 else LAYOUTS[:-2]
            source, result = generator.sample(choices, 2)
            spec = transform_spec(f"{source}_to_{result}", m, n, dtype=DTYPES[size], loads=loads)
        longer = [generator.choice([0, 0, 1, 3, 16]) for _ in range(2)]
        spec = spec.__class__(
            spec.source,
            spec.result,
            m,
            n,
            spec.dtype,
            spec.arguments[0].columns + longer[0],
            spec.arguments[1].columns + longer[1],
            False,
            loads,
        )
        yield Case(spec, target)
