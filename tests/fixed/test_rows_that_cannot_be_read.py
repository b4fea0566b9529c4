"""A wrong row of TABLE.add raised an error at a later use of any instruction, or was ignored."""

import pytest

from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.x86.assembler import TABLE

WRONG = {
    "one space": ("wrong V,V RM VEX.66.0F38 40 /r AVX", "separated by two or more spaces"),
    "columns": ("wrong  V,V", "not a row of this table"),
    "opcode": ("wrong  V,V  RM VEX.66.0F38 4G /r  AVX", "not a row of this table"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_an_error_at_once(mistake):
    row, words = WRONG[mistake]
    before = TABLE.version
    with pytest.raises(EncodeError, match=words):
        TABLE.add(row)
    assert TABLE.version == before and "wrong" not in TABLE and "vaddps" in TABLE


def test_no_text():
    with pytest.raises(TypeError, match="rows: must be a text with one row per line, not int"):
        TABLE.add(3)
    assert "vaddps" in TABLE
