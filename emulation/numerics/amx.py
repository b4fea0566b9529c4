"""Intel AMX: eight tiles, their configuration and the instructions on them, bit for bit.

    tiles = Tiles()
    tiles.ldtilecfg(config(shapes={0: (16, 64), 1: (16, 64), 2: (16, 64)}))     # rows, bytes per row
    tiles.tileloadd(1, read, base, stride)               # read(address, size): the bytes as an array
    tiles.product("tdpbf16ps", 0, 1, 2)                  # tile 0 += tile 1 @ tile 2
    tiles.tilestored(write, base, stride, 0)             # write(address, size): the bytes to be assigned

An operation that breaks a rule raises TileFault with the exception that the processor would raise. An exception in
`read` or `write` leaves start_row at the row where it happened, as a page fault does. Sources: Intel SDM volume 1,
chapter 18, and volume 2 with the exception classes AMX-E1 to AMX-E6; ISE 319433 for AMX-COMPLEX.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ...encoder.records import NamedTuple
from ..core.faults import CannotRun
from . import fp, fp8
from .bf16 import widened
from .rounding import E4M3, E5M2, F32, X86_FLUSHED, Array, Format, pack

View = Callable[[int, int], Array]
"""Maps an address and a number of bytes to these bytes, as an array of uint8."""

CONFIG_BYTES = 64


class Palette(NamedTuple):
    """The limits of a palette (CPUID leaf 1DH)."""

    tiles: int
    rows: int
    row_bytes: int


PALETTES = {1: Palette(tiles=8, rows=16, row_bytes=64)}
"""Palettes by number. Palette 0 is the initial state, without a configuration."""
MOST_COLUMN_BYTES = 64  # the most bytes per row of the second factor and the result: CPUID leaf 1EH, TMUL_MAXN
MOST_STEPS = 16  # the most rows of the second factor: TMUL_MAXK


class TileFault(CannotRun):
    """An exception of the processor. `vector` is "#GP(0)" or "#UD"."""

    def __init__(self, vector: str, reason: str) -> None:
        super().__init__(f"{vector}: {reason}")
        self.vector = vector


class Shape(NamedTuple):
    """The shape of a tile; both numbers are zero if the tile is not used."""

    rows: int
    colsb: int  # bytes per row


def config(shapes: Mapping[int, tuple[int, int]], palette: int = 1, start_row: int = 0) -> bytes:
    """Return the 64 bytes that LDTILECFG reads. `shapes` maps tiles to rows and bytes per row. Nothing is checked."""
    data = np.zeros(CONFIG_BYTES, np.uint8)
    data[:2] = palette, start_row
    for tile, (rows, colsb) in shapes.items():
        data[16:48].view("<u2")[tile] = colsb
        data[48 + tile] = rows
    return data.tobytes()


class Tiles:
    """TILECFG and TILEDATA. `data` has (8, 16, 64) bytes; `shapes` is None while nothing is configured."""

    def __init__(self) -> None:
        self.palette = 0
        self.start_row = 0
        self.shapes: tuple[Shape, ...] | None = None
        self.data = np.zeros(PALETTES[1], np.uint8)

    # Configuration

    def ldtilecfg(self, data: bytes) -> None:
        """Configure the tiles and zero them. An invalid configuration raises #GP(0) and keeps the old one."""
        palette, start_row = data[0], data[1]
        if palette == 0:
            self.tilerelease()
            return
        self.shapes = _checked(data)
        self.palette, self.start_row = palette, start_row
        self.data[:] = 0

    def sttilecfg(self) -> bytes:
        """Return the configuration with the current start_row, or zeros if there is none."""
        return config(dict(enumerate(self.shapes or ())), self.palette, self.start_row)

    def tilerelease(self) -> None:
        """Return to the initial state."""
        self.palette, self.start_row, self.shapes = 0, 0, None
        self.data[:] = 0

    # Moves

    def tileloadd(self, tile: int, read: View, base: int, stride: int) -> None:
        """TILELOADD and TILELOADDT1: load row r from base + r * stride. The rest of the tile becomes zero."""
        rows, colsb = self._shape(tile)
        for row in range(self.start_row, rows):
            self.start_row = row
            self.data[tile, row, :colsb] = read(base + row * stride, colsb)
            self.data[tile, row, colsb:] = 0
        self._finish(tile)

    def tilestored(self, write: View, base: int, stride: int, tile: int) -> None:
        """Store row r to base + r * stride."""
        rows, colsb = self._shape(tile)
        for row in range(self.start_row, rows):
            self.start_row = row
            write(base + row * stride, colsb)[:] = self.data[tile, row, :colsb]
        self.start_row = 0

    def tilezero(self, tile: int) -> None:
        """Zero a tile."""
        self._shape(tile)
        self.data[tile] = 0
        self.start_row = 0

    # Products

    def product(self, mnemonic: str, result: int, first: int, second: int) -> None:
        """Apply one of PRODUCTS: result (m, n) += first (m, k) @ second (k, n), counted in elements of four bytes."""
        if len({result, first, second}) < 3:
            raise TileFault("#UD", f"{mnemonic} names a tile twice: tmm{result}, tmm{first}, tmm{second}")
        c, a, b = (self._shape(tile) for tile in (result, first, second))
        if c.colsb % 4 or a.colsb % 4 or b.colsb % 4:
            raise TileFault("#UD", f"{mnemonic}: bytes per row {c.colsb}, {a.colsb}, {b.colsb} are not multiples of 4")
        if (c.rows, c.colsb, a.colsb) != (a.rows, b.colsb, 4 * b.rows):
            raise TileFault("#UD", f"{mnemonic}: {c} is not the shape of {a} times {b}")
        if b.rows > MOST_STEPS or b.colsb > MOST_COLUMN_BYTES:
            raise TileFault("#UD", f"{mnemonic}: {b} exceeds what the multiplier takes")
        contents = (self.data[t, : s.rows, : s.colsb].copy() for t, s in ((result, c), (first, a), (second, b)))
        self.data[result, : c.rows, : c.colsb] = PRODUCTS[mnemonic](*contents).view(np.uint8)
        self.data[result, :, c.colsb :] = 0
        self._finish(result)

    def row(self, tile: int, number: int) -> Array:
        """TILEMOVROW: the 64 bytes of a row, of which the low four bits of a number tell which; zeros if the tile has
        fewer rows."""
        row = number & PALETTES[1].rows - 1
        if row >= self._shape(tile).rows:
            return np.zeros(PALETTES[1].row_bytes, np.uint8)
        self.start_row = 0
        copied: Array = self.data[tile, row].copy()
        return copied

    def _shape(self, tile: int) -> Shape:
        if self.shapes is None:
            raise TileFault("#UD", "no tiles are configured: LDTILECFG comes first")
        if not self.shapes[tile].rows:
            raise TileFault("#UD", f"tmm{tile} has no shape in this configuration")
        return self.shapes[tile]

    def _finish(self, tile: int) -> None:
        assert self.shapes is not None
        self.data[tile, self.shapes[tile].rows :] = 0
        self.start_row = 0


def _checked(data: bytes) -> tuple[Shape, ...]:
    """Return the shapes of a configuration other than the initial state. Raise TileFault if it breaks a rule."""
    palette = PALETTES.get(data[0])
    if palette is None:
        raise TileFault("#GP(0)", f"palette {data[0]}: there is only palette 1")
    for first, end in ((2, 16), (16 + 2 * palette.tiles, 48), (48 + palette.tiles, CONFIG_BYTES)):
        if any(data[first:end]):
            raise TileFault("#GP(0)", f"a reserved byte of {first} to {end - 1} is not zero")
    shapes = tuple(
        Shape(data[48 + tile], int.from_bytes(data[16 + 2 * tile : 18 + 2 * tile], "little"))
        for tile in range(palette.tiles)
    )
    for tile, (rows, colsb) in enumerate(shapes):
        if rows > palette.rows or colsb > palette.row_bytes:
            limits = f"{palette.rows} of {palette.row_bytes}"
            raise TileFault("#GP(0)", f"tmm{tile}: {rows} rows of {colsb} bytes exceed {limits}")
        if (rows == 0) != (colsb == 0):
            raise TileFault("#GP(0)", f"tmm{tile}: {rows} rows of {colsb} bytes: only one of them is zero")
    return shapes


# Products of tile contents: (m, 4n), (m, 4k) and (k, 4n) bytes give (m, n) elements of four bytes


def _integers(first: str, second: str) -> Callable[[Array, Array, Array], Array]:
    """TDPBssD: add four products of bytes per step; sums are exact modulo 2^32."""

    def product(c: Array, a: Array, b: Array) -> Array:
        k, width = b.shape
        quads = b.view(second).reshape(k, width // 4, 4).astype(np.int64)
        columns = quads.transpose(0, 2, 1).reshape(4 * k, width // 4)
        total: Array = c.view(np.int32) + a.view(first).astype(np.int64) @ columns
        return total.astype(np.int32)

    return product


def _chains(wide: Callable[[Array, bool], Array]) -> Callable[[Array, Array, Array], Array]:
    """Products of pairs of 16-bit numbers.

    The products of the even and of the odd elements of the pairs are summed along k in two chains of fused
    multiply-adds that start at zero. The result is c + (even + odd). Each step rounds to nearest even and flushes
    denormals; MXCSR has no effect. `wide` converts a factor to pairs of f32, given whether it is the first factor.
    """

    def product(c: Array, a: Array, b: Array) -> Array:
        first, second = wide(a, True), wide(b, False)
        sums = np.zeros((len(a), second.shape[1], 2), np.float32)
        for k in range(len(b)):
            sums = fp.fma(first[:, k, None], second[None, k], sums, X86_FLUSHED)
        return fp.add(c.view(np.float32), fp.add(sums[..., 0], sums[..., 1], X86_FLUSHED), X86_FLUSHED)

    return product


def _pairs(x: Array) -> Array:
    return x.reshape(*x.shape[:-1], -1, 2)


def _bf16(x: Array, first: bool) -> Array:
    return _pairs(widened(x.view(np.uint16)))


def _f16(x: Array, first: bool) -> Array:
    """Denormals of f16 are normal numbers in f32, so they are not flushed."""
    return _pairs(fp.extend(x.view(np.float16), np.float32))


def _imaginary(x: Array, first: bool) -> Array:
    """Imaginary part: imaginary times real in the even chain, real times imaginary in the odd one."""
    return _f16(x, first)[..., ::-1] if first else _f16(x, first)


def _real(x: Array, first: bool) -> Array:
    """Real part: real times real in the even chain, negated imaginary times imaginary in the odd one."""
    return _f16(x, first) * np.array([1, -1 if first else 1], np.float32)


def _tf32(c: Array, a: Array, b: Array) -> Array:
    """TMMULTF32PS: factors lose the 13 lowest bits of their significands; one chain of fused multiply-adds along k."""

    def cut(x: Array) -> Array:
        bits = np.where(np.isnan(x.view(np.float32)), x.view(np.uint32) | np.uint32(F32.quiet), x.view(np.uint32))
        shorter: Array = (bits & ~np.uint32(0x1FFF)).view(np.float32)
        return shorter

    first, second = cut(a), cut(b)
    sums = np.zeros((len(first), second.shape[1]), np.float32)
    for k in range(len(second)):
        sums = fp.fma(first[:, k, None], second[None, k], sums, X86_FLUSHED)
    return fp.add(c.view(np.float32), sums, X86_FLUSHED)


def _eighths(first: Format, second: Format) -> Callable[[Array, Array, Array], Array]:
    """TDPBF8PS and its like: the sum of all products is exact and rounded once, to nearest even; a result that depends
    on a NaN is the default one. Denormals of f32 are flushed, those of the factors are not."""

    def product(c: Array, a: Array, b: Array) -> Array:
        k, width = b.shape
        columns = b.reshape(k, width // 4, 4).transpose(0, 2, 1).reshape(4 * k, width // 4)
        x, y = fp8.widened(a, first, np.float64), fp8.widened(columns, second, np.float64)
        with np.errstate(all="ignore"):
            plain = x @ y
            exact = _whole(x, first) @ _whole(y, second)
        value = exact.astype(np.float64)
        tail = (exact - np.vectorize(int, otypes=[object])(value)).astype(np.float64)
        bits = pack(value, tail, first.emin - first.precision + second.emin - second.precision + 2, F32, X86_FLUSHED)
        sums = np.where(np.isfinite(plain), bits.view(np.float32), plain.astype(np.float32))
        result = fp.add(c.view(np.float32), sums, X86_FLUSHED)
        default = np.uint32(F32.default_nan(X86_FLUSHED.nans))
        return np.where(np.isnan(result), default, result.view(np.uint32)).view(np.float32)

    return product


def _whole(x: Array, fmt: Format) -> Array:
    """Return finite numbers as Python integers, in units of the smallest denormal."""
    units = np.where(np.isfinite(x), np.ldexp(x, fmt.precision - 1 - fmt.emin), 0)
    whole: Array = np.vectorize(int, otypes=[object])(units)
    return whole


PRODUCTS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "tdpbssd": _integers("i1", "i1"),
    "tdpbsud": _integers("i1", "u1"),
    "tdpbusd": _integers("u1", "i1"),
    "tdpbuud": _integers("u1", "u1"),
    "tdpbf16ps": _chains(_bf16),
    "tdpfp16ps": _chains(_f16),
    "tcmmimfp16ps": _chains(_imaginary),
    "tcmmrlfp16ps": _chains(_real),
    "tmmultf32ps": _tf32,
    "tdpbf8ps": _eighths(E5M2, E5M2),
    "tdpbhf8ps": _eighths(E5M2, E4M3),
    "tdphbf8ps": _eighths(E4M3, E5M2),
    "tdphf8ps": _eighths(E4M3, E4M3),
}
