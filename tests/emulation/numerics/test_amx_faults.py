"""Configurations of AMX tiles, loads and stores, and the conditions of #GP and #UD, here and on the processor."""

from __future__ import annotations

import signal
import struct
from collections.abc import Callable

import numpy as np
import pytest

from tests.emulation.numerics.amx_tiles import A, B, C, configured
from tests.emulation.numerics.silicon import tile_signal
from tests.emulation.numerics.test_fp import assert_same
from tilesmith.emulation.numerics.amx import TileFault, Tiles, config
from tilesmith.emulation.numerics.rounding import Array
from tilesmith.encoder.x86.assembler import X86Assembler

SIGNALS = {"#GP(0)": signal.SIGSEGV, "#UD": signal.SIGILL}


class Bytes:
    """Memory with the `view` that tiles call, which refuses addresses outside."""

    def __init__(self, size: int) -> None:
        self.data = np.arange(size, dtype=np.uint32).astype(np.uint8)
        self.accesses: list[tuple[int, int]] = []

    def view(self, address: int, size: int) -> Array:
        self.accesses.append((address, size))
        if not 0 <= address <= self.data.size - size:
            raise IndexError(address)
        return self.data[address : address + size]


# Configuration


def test_configuration_comes_back() -> None:
    tiles = Tiles()
    assert tiles.sttilecfg() == bytes(64)
    data = config({0: (16, 64), 3: (1, 4), 7: (5, 60)}, start_row=3)
    tiles.ldtilecfg(data)
    assert tiles.sttilecfg() == data
    assert struct.unpack_from("<BB14x8H", data) == (1, 3, 64, 0, 0, 4, 0, 0, 0, 60)
    assert data[48:56] == bytes([16, 0, 0, 1, 0, 0, 0, 5])
    tiles.tilerelease()
    assert tiles.sttilecfg() == bytes(64)


def changed(position: int, value: int) -> bytes:
    data = bytearray(config({0: (16, 64)}))
    data[position] = value
    return bytes(data)


WRONG_CONFIGURATIONS = pytest.mark.parametrize(
    "data, reason",
    [
        *((changed(i, 1), "a reserved byte") for i in (2, 15, 32, 47, 56, 63)),
        (changed(0, 2), "palette 2"),
        (changed(0, 255), "palette 255"),
        (changed(48, 17), "tmm0: 17 rows of 64 bytes exceed 16 of 64"),
        (changed(16, 65), "tmm0: 16 rows of 65 bytes exceed"),
        (changed(17, 1), "tmm0: 16 rows of 320 bytes exceed"),
        (changed(49, 1), "tmm1: 1 rows of 0 bytes: only one"),
        (changed(18, 4), "tmm1: 0 rows of 4 bytes: only one"),
    ],
)


@WRONG_CONFIGURATIONS
def test_wrong_configurations_fault(data: bytes, reason: str) -> None:
    """A wrong configuration raises #GP(0), and the old configuration and its tiles stay."""
    tiles = configured(2, 2, 2)
    tiles.data[:] = 7
    with pytest.raises(TileFault, match=reason) as fault:
        tiles.ldtilecfg(data)
    assert fault.value.vector == "#GP(0)"
    assert tiles.sttilecfg() == config({C: (2, 8), A: (2, 8), B: (2, 8)}) and (tiles.data == 7).all()


@WRONG_CONFIGURATIONS
def test_wrong_configurations_fault_on_silicon(data: bytes, reason: str) -> None:
    assert tile_signal(config({0: (16, 64)}), lambda asm: None) == 0
    assert tile_signal(data, lambda asm: None) == SIGNALS["#GP(0)"]


def test_palette_zero_is_the_initial_state() -> None:
    """The other 63 bytes are ignored."""
    tiles = configured(2, 2, 2)
    tiles.data[:] = 7
    tiles.ldtilecfg(bytes([0, *[255] * 63]))
    assert tiles.sttilecfg() == bytes(64) and not tiles.data.any()


# Faults of products and moves


WRONG_PRODUCTS = pytest.mark.parametrize(
    "shapes, operands, reason",
    [
        ({0: (2, 8), 1: (2, 8), 2: (2, 8)}, (0, 0, 2), "names a tile twice"),
        ({0: (2, 8), 1: (2, 8), 2: (2, 8)}, (0, 1, 1), "names a tile twice"),
        ({0: (2, 8), 1: (2, 8), 2: (2, 8)}, (2, 1, 2), "names a tile twice"),
        ({0: (2, 8), 1: (2, 8)}, (0, 1, 2), "tmm2 has no shape"),
        ({0: (2, 6), 1: (2, 8), 2: (2, 6)}, (0, 1, 2), "not multiples of 4"),
        ({0: (2, 8), 1: (2, 6), 2: (2, 8)}, (0, 1, 2), "not multiples of 4"),
        ({0: (3, 8), 1: (2, 8), 2: (2, 8)}, (0, 1, 2), "is not the shape"),
        ({0: (2, 12), 1: (2, 8), 2: (2, 8)}, (0, 1, 2), "is not the shape"),
        ({0: (2, 8), 1: (2, 12), 2: (2, 8)}, (0, 1, 2), "is not the shape"),
    ],
)


@WRONG_PRODUCTS
def test_wrong_products_fault(shapes: dict[int, tuple[int, int]], operands: tuple[int, int, int], reason: str) -> None:
    tiles = Tiles()
    tiles.ldtilecfg(config(shapes))
    with pytest.raises(TileFault, match=reason) as fault:
        tiles.product("tdpbssd", *operands)
    assert fault.value.vector == "#UD"


@WRONG_PRODUCTS
def test_wrong_products_fault_on_silicon(
    shapes: dict[int, tuple[int, int]], operands: tuple[int, int, int], reason: str
) -> None:
    def product(c: int, a: int, b: int) -> Callable[[X86Assembler], None]:
        """Return an emitter of tdpbssd, VEX.128.F2.0F38.W0 5E; the assembler would refuse a repeated tile."""
        code = bytes([0xC4, 0xE2, (~b & 15) << 3 | 3, 0x5E, 0xC0 | c << 3 | a])

        def emit(asm: X86Assembler) -> None:
            asm.buffer += code

        return emit

    assert tile_signal(config({0: (2, 8), 1: (2, 8), 2: (2, 8)}), product(0, 1, 2)) == 0
    assert tile_signal(config(shapes), product(*operands)) == SIGNALS["#UD"]


@pytest.mark.parametrize(
    "use",
    [
        lambda tiles: tiles.tilezero(0),
        lambda tiles: tiles.tileloadd(0, Bytes(64).view, 0, 64),
        lambda tiles: tiles.tilestored(Bytes(64).view, 0, 64, 0),
        lambda tiles: tiles.product("tdpbssd", 0, 1, 2),
    ],
)
def test_nothing_works_without_a_configuration(use: Callable[[Tiles], None]) -> None:
    with pytest.raises(TileFault, match="#UD: no tiles are configured"):
        use(Tiles())


def test_loads_and_stores_touch_rows_alone() -> None:
    """Exactly `colsb` bytes of every row are accessed, with any stride; the rest of a loaded tile becomes zero."""
    for stride in (64, 20, -20, 0):
        tiles = Tiles()
        tiles.ldtilecfg(config({0: (5, 12)}))
        tiles.data[0] = 99
        memory = Bytes(400)
        tiles.tileloadd(0, memory.view, 100, stride)
        assert memory.accesses == [(100 + row * stride, 12) for row in range(5)]
        want = np.zeros((16, 64), np.uint8)
        for row in range(5):
            want[row, :12] = memory.data[100 + row * stride : 112 + row * stride]
        assert_same(tiles.data[0].reshape(-1), want.reshape(-1))
        target = Bytes(400)
        before = target.data.copy()
        tiles.tilestored(target.view, 100, stride, 0)
        for row in range(5):
            before[100 + row * stride : 112 + row * stride] = want[row, :12]
        assert np.array_equal(target.data, before)


def test_an_interrupted_move_goes_on_where_it_stopped() -> None:
    tiles = Tiles()
    tiles.ldtilecfg(config({0: (4, 8)}))
    memory = Bytes(24)  # the last row is missing
    with pytest.raises(IndexError):
        tiles.tileloadd(0, memory.view, 0, 8)
    assert tiles.sttilecfg()[1] == 3
    longer = Bytes(32)
    tiles.tileloadd(0, longer.view, 0, 8)
    assert longer.accesses == [(24, 8)] and tiles.sttilecfg()[1] == 0
    assert np.array_equal(tiles.data[0, :4, :8].reshape(-1), longer.data)
    tiles.ldtilecfg(config({0: (4, 8), 1: (4, 8)}, start_row=2))
    tiles.tilezero(1)
    assert tiles.sttilecfg()[1] == 0
