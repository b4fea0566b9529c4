"""Fields: an inserted value is extracted unchanged, and a value that does not fit raises."""

from __future__ import annotations

import pytest

from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.fields import Field, Split


@pytest.mark.parametrize("field", [Field(0, 4), Field(5, 3, signed=True), Field(12, 7, signed=True, scale=8)])
def test_field_holds_its_whole_range(field: Field):
    low, high = field.range
    for value in range(low, high + 1, field.scale):
        word = field.insert(value)
        assert word & ~(((1 << field.width) - 1) << field.lo) == 0
        assert field.extract(word) == value
        assert field.extract(~word) != value


@pytest.mark.parametrize("field", [Field(0, 4), Field(5, 3, signed=True), Field(12, 7, signed=True, scale=8)])
def test_field_rejects_values_out_of_range(field: Field):
    low, high = field.range
    for value in (low - field.scale, high + field.scale):
        with pytest.raises(EncodeError, match=f"{value} does not fit: {low} to {high}"):
            field.insert(value)


def test_scaled_field_rejects_a_remainder():
    with pytest.raises(EncodeError, match="12 does not fit: -512 to 504 in steps of 8"):
        Field(12, 7, signed=True, scale=8).insert(12)


def test_split_scatters_and_gathers():
    split = Split((0, 3, 40), (3, 1, 13), (4, 1, 14))
    words = [split.insert(value) for value in range(32)]
    assert len(set(words)) == 32
    assert [split.extract(word) for word in words] == list(range(32))
    assert all(word & ~split.mask == 0 for word in words)


def test_split_of_inverted_bits_is_an_xor():
    """A word that stores the inverted number starts with ones in the field."""
    split = Split((0, 4, 19))
    zero = split.mask | 1
    assert [split.extract(zero ^ split.insert(value), zero) for value in range(16)] == list(range(16))
