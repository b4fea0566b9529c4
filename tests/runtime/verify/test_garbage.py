"""A proof leaves nothing to the garbage collector, which would traverse all of its values."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.emulation.symbolic.values import Table

KERNELS = {
    "a product": lambda: ts.brgemm(5, 4, 3, target="avx2"),
    "a product of NEON": lambda: ts.brgemm(5, 4, 3, target="neon"),
    "logic of three": lambda: ts.fused("softmax", 2, 17, target="avx512"),
    "a bag": lambda: ts.embedding_bag(3, 9, size=7, count=5, target="avx2"),
    "integers": lambda: ts.brgemm(4, 4, 8, dtype=("u8", "i8", "i32"), target="avx512_vnni"),
    "attention": lambda: ts.attention(1, 3, 9, 8, target="avx512"),
}


@pytest.mark.parametrize("name", KERNELS)
def test_the_values_of_a_proof_go_with_their_last_reference(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[weakref.ref[Table]] = []
    made = Table.__init__

    def noted(self: Table, *given: Any) -> None:
        made(self, *given)
        tables.append(weakref.ref(self))

    kernel = KERNELS[name]()
    monkeypatch.setattr(Table, "__init__", noted)
    gc.disable()
    try:
        assert kernel.verify()
        assert tables and not [each for each in tables if each() is not None]
    finally:
        gc.enable()
