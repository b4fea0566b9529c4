"""`k.spec = 1` worked on a kernel, which everyone who makes the same request shares."""

from __future__ import annotations

import pytest

import tilesmith as ts


@pytest.mark.parametrize("name", ["spec", "kind", "target", "release_gil", "flops", "plan", "code", "name", "address",
                                  "more"])  # fmt: skip
def test_public_attributes_of_a_kernel_cannot_be_set_or_deleted(name: str) -> None:
    kernel = ts.unary("relu", 3, 5)
    before = getattr(kernel, name, None)
    with pytest.raises(AttributeError, match=f"^{name}: a kernel cannot be changed, because everyone who"):
        setattr(kernel, name, 1)
    with pytest.raises(AttributeError, match=f"^{name}: a kernel cannot be changed"):
        delattr(kernel, name)
    assert getattr(kernel, name, None) is before or getattr(kernel, name) == before
    assert ts.unary("relu", 3, 5) is kernel
