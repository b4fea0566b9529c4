"""Tiles for the tests of emulation/numerics/amx.py: memory, a configuration for a product, loads and stores."""

from __future__ import annotations

import numpy as np

from tilesmith.emulation.numerics.amx import Tiles, config
from tilesmith.emulation.numerics.rounding import Array

C, A, B = 0, 1, 2


def configured(m: int, n: int, k: int) -> Tiles:
    """Return tiles 0 to 2 configured for C (m, n) += A (m, k) @ B (k, n), in elements of four bytes."""
    tiles = Tiles()
    tiles.ldtilecfg(config({C: (m, 4 * n), A: (m, 4 * k), B: (k, 4 * n)}))
    return tiles


def fill(tiles: Tiles, tile: int, content: Array) -> None:
    """Load a tile from an array of rows of bytes."""
    memory = content.reshape(-1).view(np.uint8)
    tiles.tileloadd(tile, lambda address, size: memory[address : address + size], 0, content.strides[0])


def content(tiles: Tiles, tile: int, m: int, width: int) -> Array:
    """Return the (m, width) bytes that a store of the tile writes."""
    out = np.zeros((m, width), np.uint8)
    memory = out.reshape(-1)
    tiles.tilestored(lambda address, size: memory[address : address + size], 0, width, tile)
    return out
