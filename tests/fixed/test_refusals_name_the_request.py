"""The refusal of a product that would pack an operand described the product of a block, with other orders and leading
dimensions than the request.
"""

from __future__ import annotations

import itertools

import pytest

import tilesmith as ts
from tests.fewer_types import FEWER


@pytest.mark.parametrize("order", ["".join(each) for each in itertools.product("CF", repeat=3)])
def test_the_refusal_begins_with_the_request(order):
    request = {"dtype": "bf16", "order": order, "lda": 20, "ldb": 30, "alpha": 2.0}
    spec = ts.brgemm(16, 16, 16, **request, target="avx2").spec
    with pytest.raises(ts.UnsupportedError) as error:
        ts.brgemm(16, 16, 16, **request, target=FEWER)
    assert str(error.value).startswith(f"{spec}: this target multiplies no bf16 by bf16; targets that do: avx2, ")
    assert f"order {order} lda=20 ldb=30" in str(error.value)
