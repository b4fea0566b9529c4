"""Symbols came from the representation of a request, which omitted fields: different kernels had one name."""

from dataclasses import fields, replace

import pytest

import tilesmith as ts
from tilesmith.microkernels.operands import View
from tilesmith.runtime.kernel.origin import symbol

OTHERS = {
    "strides": ts.RUNTIME,
    "prefetch": "ab",
    "streaming": "c",
    "late": True,
    "numerics": "fast",
    "views": (("q", View("C", 9)),),
    "seen": True,
    "by_index": ("x",),
    "eager": True,
}
KERNELS = (
    lambda: ts.brgemm(4, 4, 4, batch=2),
    lambda: ts.attention(1, 4, 8, 8),
    lambda: ts.fused("softmax", 3, 9),
    lambda: ts.equation(lambda x, w: ts.relu(x @ w), x=(3, 9), w=(9, 5)),
)


@pytest.mark.parametrize("make", KERNELS)
def test_symbols(make):
    kernel = make()
    names = [each.name for each in fields(kernel.spec) if each.name in OTHERS]
    specs = [replace(kernel.spec, **{name: OTHERS[name]}) for name in names]
    symbols = {symbol(spec, kernel.target) for spec in (kernel.spec, *specs)}
    assert len(specs) > 1 and len(symbols) == len(specs) + 1
    assert all(repr(spec) != repr(kernel.spec) for spec in specs)
