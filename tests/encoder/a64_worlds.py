"""The contents of registers and memory while an instruction is tried: random, but every address is valid.

Some registers have a fixed purpose in every state (addresses, indices, offsets of a gather), so that operands are
chosen to fit them. The two states of a trial differ everywhere, so that a register of one can be put into the other.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tests.encoder.a64_driver import MEMORY, PAGE, TRAMPOLINES, WINDOW, WINDOW_SIZE, Mode

Array = np.ndarray[Any, Any]

# General registers with a purpose; x8 and x9, and also w8 and w9, equal the memory at x10.
BASE, INDEX, SAME_AS_MEMORY, BRANCH = 10, 11, 8, 12
EDGE = {"d": 13, "w": 14, "h": 15, "b": 2}  # the last elements before unmapped memory
EDGE_INDEX = 1
# Vectors with a purpose, keyed by the element size: offsets and addresses. The last element of those named EDGE reaches
# unmapped memory.
OFFSETS, ADDRESSES = {"s": 28, "d": 29}, {"s": 30, "d": 31}
EDGE_OFFSETS, EDGE_ADDRESSES = {"s": 24, "d": 25}, {"s": 26, "d": 27}
EDGE_PREDICATE = 7  # its first element is active
PLAIN_VECTORS = 24  # smaller numbers are vectors without a purpose

_FAR = 1 << 16  # an offset beyond the mapped page, even times 8, and below the next one
_ONES = (1 << 64) - 1
# Styles: the bits that are kept of 64 random bits, and the bits that are set.
_STYLES = {
    "any": (_ONES, 0),
    "f16": (0x87FF_87FF_87FF_87FF, 0x3800_3800_3800_3800),
    "f32": (0x80FF_FFFF_80FF_FFFF, 0x3F00_0000_3F00_0000),
    "f64": (0x800F_FFFF_FFFF_FFFF, 0x3FF0_0000_0000_0000),
    "bytes": (0x0303_0303_0303_0303, 0),
    "halves": (0x0007_0003_0007_0003, 0),
    "words": (0x0000_000F_0000_0007, 0),
    "longs": (0xF, 0),
}
# Values of 64 bits whose lanes are often equal.
_FEW = {
    "ints": (0, 1, 2, _ONES),
    "floats": (0, 0x3FF0 << 48, 0x7FF8 << 48, 0xC000 << 48),
    "singles": (0, 0x3F80_0000_3F80_0000, 0x7FC0_0000_0000_0000, 0x0000_0001_7FC0_0000),
    "halffloats": (0, 0x3C00_7E00_3C00_0000, 0x7E00_0000_3C00_3C00, 0x3C00),
}
_NAMES = (*_STYLES, *_FEW)


@cache
def pair(trial: int, mode: Mode) -> tuple[Array, Array]:
    """Return the two states of a trial as blocks."""
    rng = np.random.default_rng(trial)
    mixed = [_NAMES[n] for n in rng.integers(0, len(_NAMES), 64)]
    styles = mixed if trial % 2 else [_NAMES[trial // 2 % len(_NAMES)]] * 64
    return _state(rng, styles, 2 * trial, mode), _state(rng, styles, 2 * trial + 1, mode)


def _state(rng: np.random.Generator, styles: list[str], number: int, mode: Mode) -> Array:
    block = np.zeros(mode.size, np.uint8)
    block[mode.MEMORY :][:WINDOW_SIZE] = _values(rng, styles[-1], WINDOW_SIZE)
    vectors = block[mode.VECTORS :][: 32 * mode.vector].reshape(32, mode.vector)
    for row, style in zip(vectors, styles):
        row[:] = _values(rng, style, mode.vector)
    _predicates(rng, block, mode, number)
    _general(rng, block, mode, styles[32:], number)
    block[mode.SP :][:8].view(np.uint64)[0] = int(rng.integers(1 << 40)) * 16
    block[mode.NZCV :][:8].view(np.uint64)[0] = int(rng.integers(16)) << 28
    if mode.streaming:
        block[mode.za :][: mode.vector**2] = _values(rng, styles[-2], mode.vector**2)
        block[mode.zt0 :][:64] = rng.integers(0, 256, 64, np.uint8)
    _gathers(rng, vectors, number)
    return block


def _values(rng: np.random.Generator, style: str, size: int) -> Array:
    """Return bytes that are meaningful numbers of the style."""
    if style in _FEW:
        return np.array(_FEW[style], np.uint64)[rng.integers(0, 4, size // 8)].view(np.uint8)
    keep, put = (np.uint64(bits) for bits in _STYLES[style])
    words: Array = rng.integers(0, 1 << 64, size // 8, np.uint64) & keep | put
    return words.view(np.uint8)


def _predicates(rng: np.random.Generator, block: Array, mode: Mode, number: int) -> None:
    """Fill predicates randomly; in every second trial the upper half are predicate-as-counter values."""
    size = mode.vector // 8
    predicates = block[mode.PREDICATES :][: 16 * size].reshape(16, size)
    densities = rng.choice((0, 0.1, 0.5, 0.9), (16, 1))
    predicates[:] = np.packbits(rng.random((16, mode.vector)) < densities, axis=1, bitorder="little")
    predicates[EDGE_PREDICATE, 0] |= 1
    if number // 2 % 2:
        for row in predicates[8:]:
            element = int(rng.integers(4))
            count = int(rng.integers(1, 4 * mode.vector >> element))
            word = 1 << element | count << element + 1 | int(rng.integers(2)) << 15
            row[:] = 0
            row[:2] = np.frombuffer(word.to_bytes(2, "little"), np.uint8)
    if not mode.streaming:
        true = mode.vector if number % 2 == 0 else int(rng.integers(1, mode.vector))
        block[mode.FFR :][:size] = np.packbits(np.arange(mode.vector) < true, bitorder="little")


def _general(rng: np.random.Generator, block: Array, mode: Mode, styles: list[str], number: int) -> None:
    x = block[mode.GENERAL :][: 31 * 8].view(np.uint64)
    for at, style in zip(range(31), styles):
        x[at] = _values(rng, style, 8).view(np.uint64)[0]
    x[rng.random(31) < 0.1] = 0
    x[30] |= np.uint64(1 << 54)  # a pointer authentication code, so that there is something to strip
    offset = 128 + number % 4 * 16
    x[BASE] = WINDOW + offset
    there = block[mode.MEMORY + offset :][:16]
    there[8:12] = there[4:8]
    x[SAME_AS_MEMORY : SAME_AS_MEMORY + 2] = there.view(np.uint64)
    x[INDEX] = 1 + number % 3
    if mode.streaming:
        return  # in streaming mode these registers select slices
    x[BRANCH] = TRAMPOLINES[number % 2]
    for letter, size in zip("bhwd", (1, 2, 4, 8)):
        x[EDGE[letter]] = MEMORY + PAGE - size * (1 + number % 2)
    x[EDGE_INDEX] = -(number % 3) % (1 << 64)


def _gathers(rng: np.random.Generator, vectors: Array, number: int) -> None:
    start = WINDOW + 128 + number % 4 * 16
    for letter, kind in (("s", np.uint32), ("d", np.uint64)):
        offsets = rng.integers(0, 14, (2, vectors.shape[1] // np.dtype(kind).itemsize)).astype(kind) + kind(number % 2)
        offsets[1, -1] = _FAR
        vectors[[OFFSETS[letter], EDGE_OFFSETS[letter]]] = offsets.view(np.uint8)
        vectors[[ADDRESSES[letter], EDGE_ADDRESSES[letter]]] = (offsets + kind(start)).view(np.uint8)
