"""How compressed weights lie in memory: strips of 64 columns, cut into units of rows.

    strip 0, unit 0 | strip 0, unit 1 | ... | strip 1, unit 0 | ...

A unit is one record: the codes of `unit` rows and 64 columns, and behind them what these columns share:

    codes     4 bits: unit / 2 rows of 64 bytes; a byte is two neighbours along k, the even row in its low half
              8 bits: unit rows of 64 bytes
    scale     64 numbers
    offset    64 numbers of the same type, if there are offsets
    zero      64 bytes, if there are zero points
    padding   to a multiple of a cache line and of the unit's rows

So a call of a kernel that expands a unit reads one piece of memory, and the address of a record is linear in its row
and its column. A group of more rows than a unit is several units that repeat the same scale.
"""

from __future__ import annotations

from math import lcm

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ..dtypes import ELEMENT_BYTES
from ..expr.minifloat import FORMATS, MinifloatFormat
from ..operands import CACHE_LINE, extent
from ..tuning.products import COMPRESSED

STRIP = CACHE_LINE
"""Columns of a strip, whose codes of 8 bits are a cache line."""
LEVELS = {"i4": (-8, 7), "u4": (0, 15), "i8": (-128, 127), "u8": (0, 255)}
"""The least and the largest integer by format."""
FLOATS = {"f4e2m1": MinifloatFormat(2, 1, 8, 8), "f8e4m3": FORMATS["f8e4m3"], "f8e5m2": FORMATS["f8e5m2"]}
"""Floats as codes, all finite: those of the OCP's microscaling formats. Source: OCP Microscaling Formats (MX)
Specification, version 1.0, 2023, section 5.3."""
BITS = {"i4": 4, "u4": 4, "i8": 8, "u8": 8, "f4e2m1": 4, "f8e4m3": 8, "f8e5m2": 8}
"""Bits of a code by format."""
SCALES = ("f32", "f16", "bf16")
"""Types of scales."""


class CompressedForm(NamedTuple):
    """Everything about compressed weights but their values. Two weights of one form are read by the same code.

    k, n    rows and columns of the matrix
    group   rows that share a scale: a multiple of 16, or k
    scale   the type of scales and offsets
    zeros   whether each group has zero points
    offset  whether each group has offsets
    middle  the code of weight 0 (without offsets), if all groups share it
    fast    whether products may sum the terms of a unit before they multiply by its scale
    """

    format: str
    k: int
    n: int
    group: int
    scale: str
    zeros: bool
    offset: bool
    middle: int
    fast: bool = False

    @property
    def bits(self) -> int:
        """Bits of a code."""
        return BITS[self.format]

    @property
    def rows_of_byte(self) -> int:
        """Rows whose codes are in a byte."""
        return 8 // self.bits

    @property
    def dtype(self) -> str | None:
        """The type of the weights: None, since it is that of the product."""
        return None

    @property
    def bias(self) -> int:
        """What is added to an integer to make its code, which has no sign. The codes of floats are their bits."""
        return 0 if self.format in FLOATS else -LEVELS[self.format][0]

    @property
    def unit(self) -> int:
        """Rows of a unit."""
        return unit_of(self.group, self.k)

    @property
    def groups(self) -> int:
        """Groups along k, the last of which may be shorter."""
        return -(-self.k // self.group)

    @property
    def units(self) -> int:
        """Units along k."""
        return -(-self.k // self.unit)

    @property
    def strips(self) -> int:
        """Strips of columns."""
        return -(-self.n // STRIP)

    @property
    def of_codes(self) -> int:
        """Bytes of the codes of a record."""
        return self.unit * STRIP * self.bits // 8

    @property
    def of_scales(self) -> int:
        """Bytes of the scales of a record, and of its offsets."""
        return STRIP * ELEMENT_BYTES[self.scale]

    @property
    def places(self) -> tuple[int, int, int]:
        """Where scales, offsets and zero points begin in a record."""
        offset = self.of_codes + self.of_scales
        return self.of_codes, offset, offset + self.of_scales * self.offset

    @property
    def record(self) -> int:
        """Bytes from one record to the next."""
        end = self.places[2] + STRIP * self.zeros
        whole = lcm(CACHE_LINE, self.unit)
        return -(-end // whole) * whole

    @property
    def strides(self) -> tuple[int, int]:
        """Bytes from row to row and from column to column, for rows where units begin and columns where strips
        begin."""
        return self.record // self.unit, self.units * self.record // STRIP

    @property
    def memory(self) -> str:
        """What is in memory, for a C program."""
        return "compressed weights of {} bytes, aligned to 64 bytes"

    @property
    def nbytes(self) -> int:
        """Bytes of all records."""
        return self.strips * self.units * self.record

    def __str__(self) -> str:
        what = f"{self.format}, {self.k} x {self.n}, groups of {self.group}, scales of {self.scale}"
        return what + ", zero points" * self.zeros + ", offsets" * self.offset + ", fast" * self.fast


def checked_form(form: object) -> CompressedForm:
    """Return a form, such as that of a loaded request. Raises TypeError or ValueError if it is none."""
    if not isinstance(form, tuple) or len(form) != len(CompressedForm._fields):
        raise TypeError(f"form: a CompressedForm, not {shown(form)}")
    made = CompressedForm(*form)
    if made.format not in BITS or made.scale not in SCALES:
        raise ValueError(f"form: of {', '.join(BITS)} with scales of {', '.join(SCALES)}, not {shown(form)}")
    for name in ("k", "n", "group"):
        extent(f"form: {name}", getattr(made, name))
    if not all(type(each) is bool for each in (made.zeros, made.offset, made.fast)) or type(made.middle) is not int:
        raise TypeError(f"form: truth values and an integer, not {shown(form)}")
    if made.group != made.k and made.group % 16 or not 0 <= made.middle < 1 << made.bits:
        raise ValueError(f"form: groups of 16, 32... rows or all, and a code of {made.bits} bits, not {shown(form)}")
    if made.format in FLOATS and (made.zeros or made.offset or made.fast or made.middle):
        raise ValueError(f"form: codes of floats have a scale and nothing else, not {shown(form)}")
    return made


def unit_of(group: int, k: int) -> int:
    """Return the rows of a unit for groups of so many rows, or 0 if no unit divides such groups."""
    if group >= k:
        return next((unit for unit in (16, 32, 64) if unit >= k), COMPRESSED.deepest)
    return next((unit for unit in (COMPRESSED.deepest, 64, 32, 16) if group % unit == 0), 0)
