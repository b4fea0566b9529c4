"""`k.verify()`: right kernels are proved, wrong ones are refuted, and kernels without a specification are named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.emulation.core.faults import Fault
from tilesmith.encoder.decode import decode
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import verify

TARGETS = ("avx512", "avx2", "neon", "sve256")


@pytest.mark.parametrize("dtype", ["f32", "f64", "i8", "bf16"])
@pytest.mark.parametrize("target", TARGETS)
def test_transposes_are_proved(target: str, dtype: str) -> None:
    m, n = (9, 13) if dtype[0] == "f" else (16, 16)
    proof = ts.transpose(m, n, dtype=dtype, target=target).verify()
    assert proof, str(proof)


@pytest.mark.parametrize("name", ["vnni2", "vnni2_to_vnni2t", "vnni2t"])
@pytest.mark.parametrize("target", TARGETS)
def test_layout_transforms_are_proved(target: str, name: str) -> None:
    proof = ts.transform(name, 8, 12, "bf16", target=target).verify()
    assert proof, str(proof)


@pytest.mark.parametrize("beta", [0, 0.5, 1])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("target", TARGETS)
def test_products_are_proved(target: str, dtype: str, beta: float) -> None:
    proof = ts.brgemm(5, 9, 4, dtype=dtype, beta=beta, target=target).verify()
    assert proof, str(proof)


def test_kernels_without_a_specification() -> None:
    with pytest.raises(UnsupportedError, match="attention_inv yet: the backward pass"):
        ts.attention_inv(1, 2, 3, 2, target="avx2").verify()


# Other requests: the bytes compute none of them


CHANGES: list[dict[str, Any]] = [
    {"alpha": 2.0},
    {"beta": 0.0},
    {"beta": 3.0},
    {"k": 3},
    {"n": 8},
    {"m": 4},
    {"leading": (4, 9, 10)},
    {"order": ("F", "C", "C"), "leading": (5, 9, 9)},
]


@pytest.mark.parametrize("change", CHANGES, ids=range(8))
@pytest.mark.parametrize("target", TARGETS)
def test_a_product_is_not_another_one(target: str, change: dict[str, Any]) -> None:
    kernel = ts.brgemm(5, 9, 4, target=target)
    other: Any = replace(kernel.spec, **change)
    assert not verify(kernel.code, kernel.target, other, kernel.kind)


# Wrong bytes


def mutants(kernel: ts.Kernel, count: int) -> list[bytes]:
    """Return copies of the code with one bit changed that still decode there."""
    rng = np.random.default_rng(1)
    code, found = bytes(kernel.code), []
    while len(found) < count:
        at, bit = int(rng.integers(len(code) * 2 // 3)), int(rng.integers(8))
        changed = code[:at] + bytes([code[at] ^ 1 << bit]) + code[at + 1 :]
        if changed != code and decode(changed, 0, kernel.target.arch) is not None:
            found.append(changed)
    return found


def differs(kernel: ts.Kernel, code: bytes) -> bool:
    """Return whether the emulator shows that the code does not transpose: a fault, or a wrong element."""
    from tilesmith.emulation.cpu import call

    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    x.flags.writeable = False
    y = np.full((8, 8), -1, np.float32)
    try:
        call(code, kernel.target, x, y, limit=10_000)
    except (Fault, RuntimeError):
        return True
    return not np.array_equal(y, x.T)


@pytest.mark.parametrize("target", TARGETS)
def test_no_wrong_transpose_is_proved(target: str) -> None:
    kernel = ts.transpose(8, 8, target=target)
    refuted = 0
    for code in mutants(kernel, 40):
        if not differs(kernel, code):
            continue
        try:
            proof = verify(code, kernel.target, kernel.spec, kernel.kind)
        except UnsupportedError:
            continue
        assert not proof, str(proof)
        refuted += proof.refuted
    assert refuted > 10


def test_a_refutation_shows_the_element_and_is_confirmed() -> None:
    kernel = ts.transpose(8, 8, target="avx2")
    wrong = [p for p in (verify(c, kernel.target, kernel.spec, kernel.kind) for c in shuffled(kernel)) if not p]
    assert wrong and wrong[0].refutation is not None
    assert wrong[0].refutation.confirmed and "should be" in str(wrong[0]) and "written by" in str(wrong[0])


def shuffled(kernel: ts.Kernel) -> list[bytes]:
    """Return the code with another choice in the immediate of its first `vinserti128`."""
    code = bytes(kernel.code)
    found, at = [], 0
    while at < len(code) and (step := decode(code, at, "x86")) is not None:
        last = at + step.length - 1
        if step.form.mnemonic in ("vinserti128",) and not found:
            found.append(code[:last] + bytes([code[last] ^ 1]) + code[last + 1 :])
        at += step.length
    return found
