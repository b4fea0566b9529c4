"""A product on tiles with a batch of several levels could be made in one process only: the next one found it in the
cache and failed, because the reader of texts did not know the levels."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.encoder.records import text_of
from tilesmith.runtime.kernel import texts


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_levels_come_back(dtype: str) -> None:
    spec = ts.brgemm(32, 15, 16, beta=0, batch=(3, 2), strides=((120, 384), (16, 128)), dtype=dtype, target="amx").spec
    assert texts.value_of(text_of(spec)) == spec
