"""Layouts of matrices. A layout lists the digits of row i and column j that make up the address of an element.

    plain       y[i][j]                       rows contiguous
    plaint      y[j][i]                       the transpose
    vnniF       y[i/F][j][i%F]                F = 2, 4, 8 rows interleaved: an operand of VNNI, BF16 dots and AMX
    vnniFt      y[j/F][i][j%F]                the same of the transpose
    mmlaRxC     y[i/R][j/C][i%R][j%C]         blocks of R x C elements: 2x4 (BFMMLA), 2x8 (SMMLA, UMMLA)
    mmlaRxCt    y[j/R][i/C][j%R][i%C]         the same of the transpose, for the other operand
    amxa        y[i/16][j/C][i%16][j%C]       tiles of 16 rows of 64 bytes: the left operand of TDPBF16PS, TDPBSSD...
    amxb        y[i/16F][j/16][i/F%16][j%16][i%F]   tiles of the right operand; F elements make 4 bytes, C make 64

As an array, a packed matrix has two dimensions: the first index, and all further ones combined. Rows and columns are
zero-padded to whole blocks. The names and their meaning follow Georganas et al., Tensor Processing Primitives, table 1
(`[D1][D0] -> [D1/F][D0][F]`), and the Intel optimization manual, chapter 20.16.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...encoder.records import NamedTuple
from ..names import nearest

_TILE_ROWS, _TILE_BYTES = 16, 64  # of a tile register


class Digit(NamedTuple):
    """A digit of an index: (index // step) % radix. Radix 0: unbounded, the most significant digit."""

    dim: str  # "i" or "j"
    step: int
    radix: int


class Layout(NamedTuple):
    """The digits of an address, from the most significant one, which is the row of the array."""

    name: str
    digits: tuple[Digit, ...]

    def block(self, dim: str) -> int:
        """Return the block size to which rows or columns are padded."""
        return max(digit.step for digit in self.digits if digit.dim == dim)

    def padded(self, dim: str, extent: int) -> int:
        """Return an extent with its padding."""
        block = self.block(dim)
        return -(-extent // block) * block

    def _count(self, digit: Digit, m: int, n: int) -> int:
        return digit.radix or -(-(m if digit.dim == "i" else n) // digit.step)

    def shape(self, m: int, n: int) -> tuple[int, int]:
        """Return the rows and columns of the array of an m x n matrix."""
        columns = 1
        for digit in self.digits[1:]:
            columns *= self._count(digit, m, n)
        return self._count(self.digits[0], m, n), columns

    def strides(self, m: int, n: int) -> tuple[tuple[Digit, int], ...]:
        """Return each digit, the least significant first, with its stride in elements. A stride of 0 is the leading
        dimension."""
        strides: list[tuple[Digit, int]] = []
        stride = 1
        for digit in reversed(self.digits[1:]):
            strides.append((digit, stride))
            stride *= self._count(digit, m, n)
        return (*strides, (self.digits[0], 0))

    def boundaries(self, dim: str) -> tuple[int, ...]:
        """Return the indices of a dimension at whose multiples the stride changes."""
        return tuple(sorted(digit.step for digit in self.digits if digit.dim == dim and digit.step > 1))


def _layout(name: str, *digits: tuple[str, int, int]) -> Layout:
    return Layout(name, tuple(Digit(*digit) for digit in digits))


def _interleaved(name: str, factor: int, i: str = "i", j: str = "j") -> Layout:
    return _layout(name, (i, factor, 0), (j, 1, 0), (i, 1, factor))


def _blocked(name: str, rows: int, columns: int, i: str = "i", j: str = "j") -> Layout:
    return _layout(name, (i, rows, 0), (j, columns, 0), (i, 1, rows), (j, 1, columns))


_NAMES = ("plain", "vnni2", "vnni4", "vnni8", "mmla2x4", "mmla2x8")


@lru_cache(maxsize=128)
def layout(name: str, element_bytes: int) -> Layout:
    """Return the layout of this name. Raises ValueError if there is none."""
    if name in ("plain", "plaint"):
        i, j = "ij" if name == "plain" else "ji"
        return _layout(name, (i, 1, 0), (j, 1, 0))
    transposed = name.endswith("t")
    i, j = "ji" if transposed else "ij"
    if match := re.fullmatch(r"vnni([248])t?", name):
        return _interleaved(name, int(match[1]), i, j)
    if match := re.fullmatch(r"mmla2x(4|8)t?", name):
        return _blocked(name, 2, int(match[1]), i, j)
    if name == "amxa" and element_bytes <= 4:
        return _blocked(name, _TILE_ROWS, _TILE_BYTES // element_bytes)
    if name == "amxb" and element_bytes <= 4:
        factor = 4 // element_bytes
        if factor == 1:
            return _blocked(name, _TILE_ROWS, _TILE_ROWS)
        digits = ("i", 16 * factor, 0), ("j", 16, 0), ("i", factor, 16), ("j", 1, 16), ("i", 1, factor)
        return _layout(name, *digits)
    near = nearest(name, (*_NAMES, *(f"{each}t" for each in _NAMES), "amxa", "amxb"))
    raise ValueError(
        f"layout {name!r}: one of {', '.join(_NAMES)} (each also with a final t: the transpose), amxa, amxb "
        f"(elements of at most 4 bytes)" + (f"; did you mean {near!r}?" if near and near != name else "")
    )
