"""Packed immediates, tested exhaustively if the field is small."""

from __future__ import annotations

import pytest

from tilesmith.encoder.a64 import immediates as imm
from tilesmith.encoder.errors import EncodeError


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_every_logical_immediate_is_its_field(bits: int):
    fields = {field: imm.unpack_bitmask(field, bits) for field in range(1 << 13)}
    values = {field: value for field, value in fields.items() if value is not None}
    sizes = [size for size in (2, 4, 8, 16, 32, 64) if size <= bits]
    assert len(values) == sum(size * (size - 1) for size in sizes)  # rotations times lengths of the run
    assert len(set(values.values())) == len(values)
    for field, value in values.items():
        assert imm.pack_bitmask(value, bits) == field
        if value >= 1 << bits - 1:  # the same value as a negative number
            assert imm.pack_bitmask(value - (1 << bits), bits) == field


@pytest.mark.parametrize("value", [0, (1 << 64) - 1, -1, 5 | 1 << 40, 0xB, 1 << 64, 0x1234])
def test_not_a_logical_immediate(value: int):
    with pytest.raises(EncodeError, match="is not a logical immediate"):
        imm.pack_bitmask(value, 64)


def test_every_float_immediate_is_its_field():
    values = [imm.unpack_float(field) for field in range(256)]
    assert [imm.pack_float(value) for value in values] == list(range(256))
    assert min(map(abs, values)) == 0.125 and max(values) == 31.0 and 1.0 in values
    for value in (0.0, 0.1, 32.0, 1.03125, float("nan"), float("inf")):
        with pytest.raises(EncodeError, match="is not a floating-point immediate"):
            imm.pack_float(value)


def test_immediates_of_add():
    for value in (0, 1, 4095, 4096, 4095 << 12):
        assert imm.unpack_shifted12(imm.pack_shifted12(value)) == value
    for value in (-1, 4097, 1 << 24):
        with pytest.raises(EncodeError, match="must be from 0 to 4095"):
            imm.pack_shifted12(value)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_shifted_immediates_of_sve(bits: int, signed: bool):
    values = [imm.unpack_shifted8(field, bits, signed) for field in range(512)]
    assert sum(value is not None for value in values) == (256 if bits == 8 else 511)
    for field, value in enumerate(values):
        if value is not None:
            assert imm.unpack_shifted8(imm.pack_shifted8(value, bits, signed), bits, signed) == value, field


def test_byte_masks():
    for field in range(256):
        assert imm.pack_bytemask(imm.unpack_bytemask(field)) == field
    with pytest.raises(EncodeError, match="bytes other than 00 and ff"):
        imm.pack_bytemask(1)


@pytest.mark.parametrize("value", [0, 1, -1, 0xFFFF, 1 << 16, -65537, 0x1234_0000_5678, 2**64 - 1, -(2**63), 2**63 - 1])
def test_move_sequences_make_the_value(value: int):
    register = 0
    sequence = imm.chunks16(value)
    for at, (mnemonic, part, shift) in enumerate(sequence):
        assert mnemonic == "movk" or at == 0
        if mnemonic == "movk":
            register = register & ~(0xFFFF << shift) | part << shift
        else:
            register = part << shift if mnemonic == "movz" else ~(part << shift)
    assert register % 2**64 == value % 2**64
    assert len(sequence) <= 4 and (len(sequence) == 1 or value not in (0, 1, -1, 0xFFFF, 1 << 16, -65537))
