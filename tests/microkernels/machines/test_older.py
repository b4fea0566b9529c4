"""Machines `sse` and `avx`: natively between guard pages and by the emulator, beside numpy and the processor's own FMA."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import check, expected, inputs_of, run
from tests.guard import SIDES, guarded
from tests.microkernels.eltwise.test_emit import requests as eltwise_requests
from tests.microkernels.reduce.test_emit import one as check_reduction
from tests.microkernels.reduce.test_emit import requests as reductions
from tests.profiles import scaled
from tilesmith.encoder.decode import decode
from tilesmith.encoder.x86.words import LEGACY
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.reduce.spec import ReduceSpec

Array = np.ndarray[Any, Any]
older = pytest.mark.parametrize("target", ["sse", "avx"])
KNOWN = ("f16", "fma of f64", "vector registers")
"""What refusals speak of: conversions of F16C, the fused multiply-add, too few registers."""


def kernels(target: str) -> list[Any]:
    """One of each kind, with tails."""
    return [
        ts.brgemm(9, 7, 11, target=target), ts.brgemm(6, 5, 7, dtype="f64", order="F", target=target),
        ts.unary("exp", 2, 11, target=target), ts.unary("sqrt", 2, 7, dtype="f64", target=target),
        ts.unary("relu", 2, 21, dtype="bf16", target=target), ts.unary("abs", 2, 21, dtype="i8", target=target),
        ts.reduce("sum", 3, 21, axis=1, target=target), ts.reduce("max", 3, 21, axis=0, target=target),
        ts.transpose(9, 7, target=target), ts.transpose(9, 7, dtype="i8", target=target),
    ]  # fmt: skip


@older
def test_no_instruction_is_newer(target: str) -> None:
    """Nor has `sse` a VEX byte."""
    for kernel in kernels(target):
        code, at = kernel.code, 0
        listing = kernel.listing().splitlines()
        while at < len(code) and not any(line.strip().startswith(f".LC") for line in listing[:1]):
            found = decode(code, at, "x86")
            if found is None:  # the constants
                break
            assert not TARGETS[target].missing(found.form.features), found.form
            assert target == "avx" or found.form.prefix.encoding == LEGACY, found.form
            at += found.length
        assert at > 40


@older
def test_the_emulator_gives_the_processors_bits(target: str) -> None:
    """On operands at odd addresses: memory operands of legacy instructions must be aligned."""
    for kernel in kernels(target):
        rng = np.random.default_rng(3)
        arrays = []
        for each in kernel.spec.arguments:
            dtype = np.dtype({"f32": "f4", "f64": "f8", "i8": "i1"}.get(each.dtype, "u2"))
            values = rng.integers(1, 5, (each.rows, each.columns)).astype(dtype)
            arrays.append(np.array(values, order="F" if each.view.order == "F" else "C"))
        native = [guarded(each, "end") for each in arrays]
        kernel(*native)
        again = [guarded(each, "start") for each in arrays]
        kernel.run(*again)
        for here, there in zip(native, again):
            assert here.tobytes() == there.tobytes(), kernel


@older
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_product_is_rounded_before_it_is_added(target: str, dtype: Any) -> None:
    rng = np.random.default_rng(5)
    a, b, c = (rng.standard_normal(shape).astype(dtype) for shape in ((33, 2), (2, 10), (33, 10)))
    wanted = (a[:, :1] * b[:1] + a[:, 1:] * b[1:]) + c
    ts.brgemm(33, 10, 2, dtype="f32" if dtype is np.float32 else "f64", target=target)(a, b, c)
    assert np.array_equal(c, wanted)


@older
def test_fma_of_f32_is_rounded_once(target: str) -> None:
    """Of any bits, and of sums that cancel, beside the instruction."""
    rng = np.random.default_rng(6)
    n = scaled(20_000, 2_000_000)
    x = [rng.integers(0, 1 << 32, (1, n), np.uint32).view(np.float32) for _ in range(3)]
    near = [rng.choice(np.float32([1, 3, 0.1, 1 + 2**-23, 1 - 2**-24, 2**-75, 2**-149, 1e30]), (1, n)) for _ in range(3)]
    with np.errstate(all="ignore"):
        close = [near[0], near[1], -(near[0] * near[1])]
    for a, b, c in (x, near, close):
        found, wanted = np.zeros((1, n), np.float32), np.zeros((1, n), np.float32)
        for name, y in ((target, found), ("avx2", wanted)):
            ts.equation(lambda a, b, c: ts.fma(a, b, c), **dict.fromkeys("abc", (1, n)), target=name)(a, b, c, y)
        same = (found.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(found) & np.isnan(wanted))
        assert same.all(), [z[~same][:3] for z in (a, b, c, found, wanted)]


@older
@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "log"])
def test_functions_have_the_bits_of_machines_with_fma(target: str, name: str) -> None:
    x = np.float32(np.random.default_rng(7).standard_normal((3, 70)) * 9)
    for accuracy in ("fast", "standard"):
        found = ts.unary(name, 3, 70, target=target, accuracy=accuracy)(np.abs(x) if name == "log" else x)
        with np.errstate(all="ignore"):
            wide = {"exp": np.exp, "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "log": np.log}[name](
                np.float64(np.abs(x) if name == "log" else x)
            )
        error = np.abs(found - wide) / np.spacing(np.abs(np.float32(wide)))
        bound = ts.unary(name, 3, 70, target=target, accuracy=accuracy).error
        assert error.max() <= bound.ulp, (accuracy, error.max(), bound)


@older
def test_elementwise(target: str) -> None:
    @settings(max_examples=scaled(12, 2000))
    @given(eltwise_requests(), st.sampled_from(SIDES), st.integers(0, 1 << 30))
    def drawn(spec: EltwiseSpec, side: str, seed: int) -> None:
        arrays = inputs_of(spec, np.random.default_rng(seed))
        try:
            found = run(spec, TARGETS[target], arrays, None, side)
        except ts.UnsupportedError as error:
            assert any(reason in str(error) for reason in KNOWN), error
            reject()
        check(found, expected(spec, arrays))

    drawn()


@older
def test_reductions(target: str) -> None:
    @settings(max_examples=scaled(12, 2000))
    @given(reductions(), st.sampled_from(SIDES), st.integers(0, 1 << 30))
    def drawn(spec: ReduceSpec, side: str, seed: int) -> None:
        try:
            check_reduction(spec, side, seed, TARGETS[target], None)
        except ts.UnsupportedError as error:
            assert any(reason in str(error) for reason in KNOWN), error
            reject()

    drawn()


@older
@pytest.mark.parametrize("dtype", ["f32", "f64", "i8", "bf16"])
def test_transposes(target: str, dtype: str) -> None:
    kind = np.dtype({"f32": "f4", "f64": "f8", "i8": "u1", "bf16": "u2"}[dtype])
    rng = np.random.default_rng(8)
    for m, n in ((1, 1), (16, 16), (7, 19), (33, 18)):
        bits = rng.integers(0, 100, (m, n)).astype(kind)
        for side in SIDES:
            x, y = guarded(bits, side, writable=False), guarded(np.zeros((n, m), kind), side)
            ts.transpose(m, n, dtype=dtype, target=target)(x, y)
            assert np.array_equal(y, bits.T)


@older
@pytest.mark.parametrize(
    ("match", "ask"),
    [
        ("targets that do: avx2", lambda target: ts.brgemm(8, 8, 8, dtype="bf16", target=target)),
        ("f32 has it, and a . b . c", lambda target: ts.unary("exp", 8, 8, dtype="f64", target=target)),
        ("f16", lambda target: ts.unary("relu", 8, 8, dtype="f16", target=target)),
    ],
)
def test_refusals(target: str, match: str, ask: Any) -> None:
    with pytest.raises(ts.UnsupportedError, match=match):
        ask(target)
