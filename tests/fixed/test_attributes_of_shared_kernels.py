"""`k.spec = 1` worked on a kernel, which everyone who makes the same request shares, and `k.threads = 3` on products,
layers, spread kernels and nests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts


@pytest.mark.parametrize(
    "name", ["spec", "kind", "target", "release_gil", "flops", "plan", "code", "name", "address", "more"]
)
def test_public_attributes_of_a_kernel_cannot_be_set_or_deleted(name: str) -> None:
    kernel = ts.unary("relu", 3, 5)
    before = getattr(kernel, name, None)
    with pytest.raises(AttributeError, match=f"^{name}: a kernel cannot be changed, because everyone who"):
        setattr(kernel, name, 1)
    with pytest.raises(AttributeError, match=f"^{name}: a kernel cannot be changed"):
        delattr(kernel, name)
    assert getattr(kernel, name, None) is before or getattr(kernel, name) == before
    assert ts.unary("relu", 3, 5) is kernel


def copies() -> Any:
    copy = ts.unary("identity", 4, 4)
    blocks = (2, 4, 4), "f32"
    return ts.nest("B", {"b": (0, 2, 1)}, lambda i, x, y: copy(x[i.b], y[i.b]), x=blocks, y=blocks)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.gemm(8, 8, 8),
        lambda: ts.linear(8, 8, 8),
        lambda: ts.linear(8, 8, 8).packing,
        lambda: ts.mlp(8, [8, 8]),
        lambda: ts.spread(ts.unary("relu", 8, 8)),
        copies,
        lambda: ts.region(copies()),
    ],
    ids=["gemm", "linear", "packing", "mlp", "spread", "nest", "region"],
)
def test_public_attributes_of_work_on_all_cores_cannot_be_set_or_deleted(make: Callable[[], Any]) -> None:
    made = make()
    expected = "^threads: a kernel cannot be changed, because .*; make another request, or pass threads= to the call$"
    for change in (lambda: setattr(made, "threads", 3), lambda: delattr(made, "threads")):
        with pytest.raises(AttributeError, match=expected):
            change()
    for name in ("target", "plan", "job", "code", "more"):
        with pytest.raises(AttributeError, match=f"^{name}: a kernel cannot be changed, .*; make another request$"):
            setattr(made, name, 3)
    assert make().target is made.target
