"""Immediates that AArch64 packs into few bits. Each is a pair of functions: number to field, and field to number.

`pack` raises EncodeError for numbers that do not fit; `unpack` returns None for fields without a meaning. Source: Arm
ARM (DDI 0487) section C1.2 and the pseudo-code functions DecodeBitMasks, VFPExpandImm, AdvSIMDExpandImm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import EncodeError, shown


def _rotated(value: int, by: int, size: int) -> int:
    """Rotate `value` of `size` bits to the right."""
    return (value >> by | value << size - by) & (1 << size) - 1


def pack_bitmask(value: int, bits: int) -> int:
    """Pack a logical immediate of `bits` bits as N:immr:imms: a rotated run of ones, repeated every 2, 4, ... 64 bits.

    Negative numbers stand for their two's complement.
    """
    mask = (1 << bits) - 1
    if not -(1 << bits - 1) <= value <= mask or value & mask in (0, mask):
        raise EncodeError(f"is not a logical immediate of {bits} bits: all zeros, all ones or too wide")
    value &= mask
    size = bits
    while size > 2 and value & (1 << size // 2) - 1 == value >> size // 2 & (1 << size // 2) - 1:
        size //= 2
    value &= (1 << size) - 1
    ones = value.bit_count()
    run = (1 << ones) - 1
    rotation = next((r for r in range(size) if _rotated(run, r, size) == value), None)
    if rotation is None:
        raise EncodeError("is not a logical immediate: one run of ones, rotated, repeated every 2, 4, .. 64 bits")
    size_bits = 0x3F & ~(2 * size - 1)  # imms holds the element size as ones above a zero
    return (size == 64) << 12 | rotation << 6 | size_bits | ones - 1


def unpack_bitmask(field: int, bits: int) -> int | None:
    """Unpack the logical immediate of N:immr:imms; None if it is reserved."""
    n, rotation, ones = field >> 12, field >> 6 & 0x3F, field & 0x3F
    size = 1 << (n << 6 | ~ones & 0x3F).bit_length() - 1 if n << 6 | ~ones & 0x3F else 0
    if size < 2 or size > bits or (ones & size - 1) == size - 1:
        return None
    element = _rotated((1 << (ones & size - 1) + 1) - 1, rotation & size - 1, size)
    if rotation >= size:  # an alias of a smaller rotation
        return None
    return sum(element << at for at in range(0, bits, size))


def pack_movz(value: int, bits: int) -> int:
    """Pack 16 bits at a multiple of 16 bits as hw:imm16."""
    value = _unsigned(value, bits)
    place = next((at for at in range(0, bits, 16) if value & ~(0xFFFF << at) == 0), None)
    if place is None:
        raise EncodeError(
            f"is not 16 bits shifted by a multiple of 16, nor the complement of such a number in {bits} bits"
        )
    return place // 16 << 16 | value >> place


def unpack_movz(field: int, bits: int) -> int | None:
    """Unpack the number of hw:imm16; None for a shifted zero, which the assembler does not write as a mov."""
    place, part = field >> 16, field & 0xFFFF
    return None if place and not part else part << 16 * place


def pack_movn(value: int, bits: int) -> int:
    """Pack the complement of 16 bits at a multiple of 16 bits as hw:imm16."""
    return pack_movz(~_unsigned(value, bits) & (1 << bits) - 1, bits)


def unpack_movn(field: int, bits: int) -> int | None:
    """Unpack the signed number whose complement is hw:imm16; None if movz can make it too."""
    inverse = unpack_movz(field, bits)
    value = None if inverse is None else ~inverse & (1 << bits) - 1
    return None if value is None or _packs(pack_movz, value, bits) else value - (value >> bits - 1 << bits)


def unpack_ones(field: int, bits: int) -> int | None:
    """Unpack a logical immediate; None if movz or movn can make it too."""
    value = unpack_bitmask(field, bits)
    made = value is not None and (_packs(pack_movz, value, bits) or _packs(pack_movn, value, bits))
    return None if made else value


def _packs(pack: Callable[[int, int], int], value: int, bits: int) -> bool:
    try:
        pack(value, bits)
    except EncodeError:
        return False
    return True


def _unsigned(value: int, bits: int) -> int:
    if isinstance(value, float) or not -(1 << bits - 1) <= value < 1 << bits:
        raise EncodeError(f"is not a number of {bits} bits")
    return value & (1 << bits) - 1


def unpack_float(field: int) -> float:
    """Unpack abcdefgh: sign a, exponent NOT(b):bcd, fraction efgh: +-(16..31)/16 * 2^(-3..4)."""
    sign, exponent, fraction = field >> 7, field >> 4 & 7, field & 15
    return (-1.0 if sign else 1.0) * (16 + fraction) / 16 * 2.0 ** ((exponent ^ 4) - 3)


_FLOATS = {unpack_float(field): field for field in range(256)}


def pack_float(value: float) -> int:
    """Pack a floating-point immediate into 8 bits."""
    if value not in _FLOATS:
        raise EncodeError("is not a floating-point immediate: +-n/16 * 2^r, n 16 to 31, r -3 to 4")
    return _FLOATS[value]


def pack_shifted12(value: int) -> int:
    """Pack an immediate of add and sub as sh:imm12: 0 to 4095, or that times 4096."""
    if 0 <= value < 4096:
        return value
    if value % 4096 or not 0 <= value < 4096 << 12:
        raise EncodeError(f"must be from 0 to 4095, or a multiple of 4096 up to {4095 << 12}")
    return 4096 | value >> 12


def unpack_shifted12(field: int) -> int | None:
    """Unpack the immediate of sh:imm12; None if it needs no shift."""
    value = (field & 4095) << 12 * (field >> 12)
    return None if field > 4096 and value < 4096 or field == 4096 else value


def pack_shifted8(value: int, bits: int, signed: bool) -> int:
    """Pack an SVE immediate as sh:imm8: 8 bits, or (for elements wider than a byte) 8 bits shifted left by 8."""
    low, high = (-128, 127) if signed else (0, 255)
    if low <= value <= high:
        return value & 255
    if signed and bits == 8 and 0 <= value <= 255:
        return value
    if bits == 8 or value % 256 or not low <= value >> 8 <= high:
        more = ", or 256 times that" if bits > 8 else ""
        raise EncodeError(f"must be from {low} to {high}{more}")
    return 256 | value >> 8 & 255


def unpack_shifted8(field: int, bits: int, signed: bool) -> int | None:
    """Unpack the immediate of sh:imm8; None if it is reserved or needs no shift."""
    value = field & 255
    if signed and value > 127:
        value -= 256
    if field >> 8 and (bits == 8 or value == 0):
        return None
    return value << 8 * (field >> 8)


def pack_bytemask(value: int) -> int:
    """Pack a 64-bit number whose bytes are 00 or ff, one bit each."""
    data = (value & (1 << 64) - 1).to_bytes(8, "little") if -(1 << 63) <= value < 1 << 64 else b"\1"
    if set(data) - {0, 255}:
        raise EncodeError("has bytes other than 00 and ff")
    return sum((byte & 1) << at for at, byte in enumerate(data))


def unpack_bytemask(field: int) -> int:
    """Unpack eight bits to a 64-bit number of bytes 00 and ff."""
    return sum(255 << 8 * at for at in range(8) if field >> at & 1)


def chunks16(value: int, bits: int = 64) -> list[tuple[str, int, int]]:
    """Return the shortest movz/movn, movk sequence for a number: (mnemonic, 16 bits, shift)."""
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise EncodeError(f"{shown(value)} does not fit {bits} bits")
    parts = [(value >> at & 0xFFFF, at) for at in range(0, bits, 16)]
    zeros, ones = (sum(part != blank for part, _ in parts) for blank in (0, 0xFFFF))
    blank, first = (0xFFFF, "movn") if ones < zeros else (0, "movz")
    kept = [(part, at) for part, at in parts if part != blank] or [(blank, 0)]
    sequence: list[Any] = [("movk", part, at) for part, at in kept]
    sequence[0] = first, kept[0][0] ^ blank, kept[0][1]
    return sequence
