"""`k.verify()` of elementwise kernels: they are proved, and not proved to compute another function."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.encoder.decode import decode
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import verify

PROVED = ("abs", "negate", "increment", "reciprocal", "rsqrt", "relu", "leaky_relu", "log", "exp", "elu")
BINARY = ("add", "sub", "mul", "div", "max", "min", "relu_inv")


def kernel(name: str, target: str, dtype: str = "f32") -> ts.Kernel:
    make = ts.binary if name in BINARY else ts.unary
    return make(name, 2, 5, dtype=dtype, target=target)


@pytest.mark.parametrize("name", [*PROVED, *BINARY])
@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_elementwise_kernels_are_proved(target: str, name: str) -> None:
    proof = kernel(name, target).verify()
    assert proof and "arithmetic" in str(proof), str(proof)


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "exp", "tanh", "gelu", "softplus", "max", "min", "relu_inv"])
@pytest.mark.parametrize("target", ["avx512", "sve256"])
def test_conditions_in_mask_registers_and_predicates_are_proved(target: str, name: str) -> None:
    proof = kernel(name, target).verify()
    assert proof and "arithmetic" in str(proof), str(proof)


@pytest.mark.parametrize("name", ["add", "max", "sqrt", "negate"])
@pytest.mark.parametrize("target", ["avx2", "neon", "avx512", "sve256"])
def test_f64_is_proved(target: str, name: str) -> None:
    proof = kernel(name, target, "f64").verify()
    assert proof, str(proof)


@pytest.mark.parametrize("target", ["avx2", "neon", "avx512", "sve256"])
def test_no_kernel_computes_another_function(target: str) -> None:
    unary = ("abs", "negate", "increment", "decrement", "reciprocal", "relu", "leaky_relu", "sqrt")
    for names in (unary, BINARY[:6]) if target == "avx2" or is_soak() else (unary[5:], BINARY[4:]):
        made = [kernel(name, target) for name in names]
        for one in made:
            for other in made:
                if one is not other:
                    proof = verify(one.code, one.target, other.spec, other.kind)
                    assert proof.refuted and proof.refutation is not None and proof.refutation.confirmed, str(proof)
                    assert "instead of" in str(proof)


def test_bits_of_immediates_are_refuted() -> None:
    """A changed predicate of a comparison is refuted if the emulator shows a difference."""
    one = kernel("leaky_relu", "avx2")
    x = np.array([[-2, -1, 0, 1, 2], [3, -4, 5, -6, np.nan]], np.float32)
    wanted, wrong = one.run(x), 0
    for code in immediates(bytes(one.code)):
        from tilesmith.emulation.cpu import call

        y = np.zeros_like(x)
        call(code, one.target, x, y)
        proof = verify(code, one.target, one.spec, one.kind)
        if not np.array_equal(y, wanted, equal_nan=True):
            assert proof.refuted, str(proof)
            wrong += 1
    assert wrong


def immediates(code: bytes) -> list[bytes]:
    """Return copies of the code with one bit of the predicate of a comparison changed."""
    found, at = [], 0
    while at < len(code) and (step := decode(code, at, "x86")) is not None:
        last = at + step.length - 1
        if step.form.mnemonic == "vcmpps":
            found += [code[:last] + bytes([code[last] ^ 1 << bit]) + code[last + 1 :] for bit in range(4)]
        at += step.length
    return found


@pytest.mark.parametrize("dtype", ["bf16", "f16", "i8", "u8", "i32"])
@pytest.mark.parametrize("target", ["avx2", "neon", "avx512", "sve256"])
def test_conversions_are_proved(target: str, dtype: str) -> None:
    for name in ("relu", "add") if dtype != "bf16" or target != "neon" else ("relu",):
        proof = kernel(name, target, dtype).verify()
        assert proof and "arithmetic" in str(proof), str(proof)


@pytest.mark.parametrize("target", ["avx2", "neon", "avx512", "sve256"])
def test_casts_broadcasts_and_numbers_are_proved(target: str) -> None:
    made = [
        ts.unary("identity", 2, 5, out="bf16", target=target),
        ts.unary("replicate_columns", 2, 5, dtype="bf16", target=target if target != "sve256" else "neon"),
        ts.unary("identity", 2, 5, dtype="f16", out="f32", target=target),
        ts.unary("identity", 2, 5, dtype="u8", out="f32", target=target),
        ts.unary("relu", 2, 5, dtype="f8e4m3", target=target),
        ts.unary("dequantize", 2, 5, dtype="i8", out="f32", scale=0.5, zero=3, target=target),
        ts.equation(lambda x, b: ts.relu(x * 2.0 + b), x=(3, 5), b=(1, 5), target=target),
        ts.equation(lambda x, b: ts.select(x < b, x, b), x=(3, 5), b=(3, 1), target=target),
    ]
    for one in made:
        proof = one.verify()
        assert proof, str(proof)


@pytest.mark.parametrize("dtype", ["bf16", "f16", "i8", "u8"])
@pytest.mark.parametrize("target", ["avx512", "neon"])
def test_no_kernel_of_narrow_types_computes_another_function(target: str, dtype: str) -> None:
    names = ("relu", "abs", "square", "negate") if dtype != "u8" else ("relu", "square", "increment")
    made = [kernel(name, target, dtype) for name in names]
    for one, other in ((one, other) for one in made for other in made if one is not other):
        same = dtype == "u8" and {one.spec.name, other.spec.name} <= {"relu", "abs"}
        assert same or not verify(one.code, one.target, other.spec, other.kind), (one.name, other.name)


@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256"])
def test_masks_of_bits_are_proved(target: str) -> None:
    """Bit masks are proved as results and as operands, whichever instructions pack and unpack them."""
    kernels = [
        ts.equation(lambda x: (ts.relu(x), x > 0.0), x=(2, 9), target=target),
        ts.equation(lambda x: (ts.relu(x), x >= 0.0), x=(2, 9), target=target),
    ]
    assert all(each.verify() for each in kernels)
    assert not verify(kernels[0].code, kernels[0].target, kernels[1].spec, kernels[1].kind)
    assert ts.binary("dropout_inv", 2, 9, rate=0.1, target=target).verify()


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_kernels_that_take_numbers_are_proved_for_some(target: str) -> None:
    kernels = [ts.unary("dropout", 2, 5, rate=rate, origin=ts.RUNTIME, target=target) for rate in (0.25, 0.5)]
    for each in kernels:
        assert "any seed, row and column of 64 bits" in str(proof := each.verify()) and proof, str(proof)
    assert not verify(kernels[0].code, kernels[0].target, kernels[1].spec, kernels[1].kind)
    assert ts.unary("uniform", 2, 5, target=target).verify()


def test_fast_numerics_are_proved_where_nothing_is_flushed() -> None:
    assert ts.unary("exp", 2, 8, numerics="fast", target="avx2").verify()
    with pytest.raises(UnsupportedError, match="fast"):
        ts.unary("relu", 2, 8, dtype="bf16", numerics="fast", target="avx512_bf16").verify()
