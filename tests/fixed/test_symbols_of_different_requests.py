"""Symbols were derived from the representation of a request, which omitted some fields: different kernels of one name."""

from dataclasses import fields, replace

import pytest

import tilesmith as ts
from tilesmith.runtime.kernel.origin import symbol

OTHERS = {
    "strides": (ts.RUNTIME,), "prefetch": ("ab", "a@l1"), "streaming": ("c",), "late": (True,), "numerics": ("fast",),
    "views": ((("q", ts.transpose(4, 4).spec.arguments[0].view),),), "seen": (True,), "apart": (("x",),),
    "eager": (True,),
}  # fmt: skip
KERNELS = (
    lambda: ts.brgemm(4, 4, 4, batch=2),
    lambda: ts.attention(1, 4, 8, 8),
    lambda: ts.fused("softmax", 3, 9),
    lambda: ts.equation(lambda x, w: ts.relu(x @ w), x=(3, 9), w=(9, 5)),
)


@pytest.mark.parametrize("make", KERNELS)
def test_symbols(make):
    kernel = make()
    specs = [replace(kernel.spec, **{each.name: other}) for each in fields(kernel.spec)
             for other in OTHERS.get(each.name, ())]  # fmt: skip
    names = {symbol(spec, kernel.target) for spec in (kernel.spec, *specs)}
    assert len(specs) > 1 and len(names) == len(specs) + 1
    assert all(repr(spec) != repr(kernel.spec) for spec in specs)
