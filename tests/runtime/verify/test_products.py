"""`k.verify()` of products: types, layouts, batches and tiles are proved; bytes of another request never are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import verify

DTYPES: dict[str, Any] = {
    "f32": "f32",
    "f64": "f64",
    "bf16": "bf16",
    "bf16-f32": ("bf16", "bf16", "f32"),
    "f16": "f16",
    "f16-f32": ("f16", "f16", "f32"),
    "f16xf16": "f16xf16",
    "i8": "i8",
    "u8-i8": ("u8", "i8", "i32"),
    "i8-u8": ("i8", "u8", "i32"),
    "u8": ("u8", "u8", "i32"),
    "i16": "i16",
    "f8e5m2": "f8e5m2",
    "f8e4m3": "f8e4m3",
    "bf16-by-f32": ("bf16", "f32", "f32"),
    "i8-by-f32": ("i8", "f32", "f32"),
}
WITHOUT = {
    *((target, dtype) for target in ("neon", "neon_dotprod") for dtype in ("bf16", "bf16-f32")),
    *((target, "f8e4m3") for target in ts.targets() if target[:2] in ("sv", "sm")),
}
"""These have no proof: bf16 sums that integer operations round to odd, and numbers that predicates tell from NaN."""
SLICE = [
    ("avx2", "f32"),
    ("avx2", "bf16"),
    ("avx2", "u8-i8"),
    ("avx2", "f8e4m3"),
    ("avx512", "bf16"),
    ("avx512", "f16"),
    ("avx512_vnni", "u8"),
    ("avx512_bf16", "bf16"),
    ("avx512_fp16", "f16xf16"),
    ("amx", "bf16"),
    ("amx", "i8-u8"),
    ("amx_fp16", "f16-f32"),
    ("sse", "i16"),
    ("neon", "i8"),
    ("neon", "f8e5m2"),
    ("neon_dotprod", "u8-i8"),
    ("neon_bf16", "bf16-f32"),
    ("sve256", "u8-i8"),
    ("sme256", "f32"),
    ("sme512", "i8"),
    ("sme256", "f16"),
]
TABLE = [(target, dtype) for target in ts.targets() for dtype in DTYPES]


def named(value: str) -> str:
    return value


def made(target: str, dtype: str, m: int = 9, n: int = 19, k: int = 7, **named: Any) -> ts.Kernel:
    return ts.brgemm(m, n, k, dtype=DTYPES[dtype], target=target, **named)


@pytest.mark.parametrize(("target", "dtype"), TABLE if is_soak() else SLICE, ids=named)
def test_products_of_all_types_are_proved(target: str, dtype: str) -> None:
    if (target, dtype) in WITHOUT:  # tests/fixed/test_proofs_of_sums_to_odd.py
        return
    try:
        kernel = made(target, dtype, 17, 23, 19) if is_soak() else made(target, dtype)
    except UnsupportedError:
        assert is_soak()
        return
    proof = kernel.verify()
    assert proof, str(proof)


PACKED = [
    ("avx512_bf16", "bf16", "vnni"),
    ("amx", "u8-i8", "vnni"),
    ("neon_dotprod", "i8-u8", "vnni"),
    ("neon_bf16", "i8", "vnni"),
    ("neon_bf16", "bf16", "mmla"),
    ("sve256", "i8", "mmla"),
]


@pytest.mark.parametrize(("target", "dtype", "layout"), PACKED, ids=named)
def test_packed_operands_are_proved(target: str, dtype: str, layout: str) -> None:
    proof = made(target, dtype, b_layout=layout).verify()
    assert proof, str(proof)


CALLS: dict[str, dict[str, Any]] = {
    "fixed": {"batch": 3},
    "none": {"batch": 0},
    "stride": {"batch": ts.STRIDE},
    "offset": {"batch": ts.OFFSET},
    "address": {"batch": ts.ADDRESS, "lda": ts.RUNTIME},
    "apart": {"batch": 2, "strides": ts.RUNTIME},
    "leading": {"lda": ts.RUNTIME, "ldb": ts.RUNTIME, "ldc": ts.RUNTIME},
    "stack": {"stack": 3},
    "stack of any": {"stack": ts.RUNTIME},
    "columns": {"order": "FCF"},
    "factors": {"alpha": 0.3, "beta": 0.7},
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("target", "dtype"), [("amx", "bf16"), ("neon", "f32")])
@pytest.mark.grid(3)
def test_extents_of_the_call_are_proved_for_several_calls(target: str, dtype: str, call: str) -> None:
    proof = made(target, dtype, 3, 5, 4, **CALLS[call]).verify()
    assert proof, str(proof)
    assert ("counts 0, " in str(proof)) == (call in ("stride", "offset", "address", "stack of any"))
    assert ("leading dimensions" in str(proof)) == (call in ("leading", "address"))


# Bytes of another request are never proved


OTHERS: list[dict[str, Any]] = [
    {"k": 6},
    {"n": 18},
    {"m": 8},
    {"alpha": 2.0},
    {"beta": 0.0},
    {"beta": 2.0},
    {"leading": (7, 19, 20)},
    {"order": ("F", "C", "C"), "leading": (9, 19, 19)},
]


@pytest.mark.parametrize("change", OTHERS, ids=range(len(OTHERS)))
@pytest.mark.parametrize(("target", "dtype"), [("avx512_fp16", "f16"), ("amx", "bf16"), ("neon", "f8e5m2")])
def test_a_product_is_not_another_one(target: str, dtype: str, change: dict[str, Any]) -> None:
    kernel = made(target, dtype)
    proof = verify(kernel.code, kernel.target, replace(kernel.spec, **change), kernel.kind)
    assert proof.refuted and proof.refutation is not None and proof.refutation.confirmed, str(proof)


TYPES = [
    ("avx512", "bf16", ("f16", "f16", "f16")),
    ("avx512_fp16", "f16", ("bf16", "bf16", "bf16")),
    ("avx512_bf16", "bf16-f32", ("f16", "f16", "f32")),
    ("avx2", "f8e5m2", ("f8e4m3", "f8e4m3", "f32")),
    ("neon", "f8e4m3", ("f8e5m2", "f8e5m2", "f32")),
    ("avx2", "u8-i8", ("i8", "i8", "i32")),
    ("avx512_vnni", "u8", ("i8", "u8", "i32")),
    ("amx", "i8", ("u8", "i8", "i32")),
    ("avx2", "i16", ("u16", "u16", "i32")),
    ("avx2", "i16", ("f16", "f16", "f32")),
    ("neon_bf16", "u8-i8", ("i8", "u8", "i32")),
    ("neon_dotprod", "u8-i8", ("i8", "u8", "i32")),
    ("neon_dotprod", "u8-i8", ("u8", "u8", "i32")),
]


@pytest.mark.parametrize(("target", "dtype", "types"), TYPES, ids=range(len(TYPES)))
def test_bits_read_in_another_type_are_another_product(target: str, dtype: str, types: tuple[str, ...]) -> None:
    kernel = made(target, dtype)
    proof = verify(kernel.code, kernel.target, replace(kernel.spec, dtypes=types), kernel.kind)
    assert not proof, str(proof)


# Epilogues


def biased(c: Any, bias: Any) -> Any:
    return ts.relu(c + bias)


def test_an_epilogue_of_sums_on_tiles_is_proved() -> None:
    """B is packed, and the bias is not added to its padding; random bits would not distinguish the sums."""
    kernel = ts.brgemm(
        4, 16, 32, dtype="bf16", beta=0.0, b_layout="vnni", target="amx", epilogue=lambda c, bias: ts.relu(c + bias)
    )
    assert kernel.verify()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f64", "bf16-f32"])
@pytest.mark.parametrize("target", ["avx2", "neon_bf16"])
def test_epilogues_are_proved(target: str, dtype: str, order: str) -> None:
    proof = made(target, dtype, 3, 5, 4, order=order, epilogue=biased).verify()
    assert proof, str(proof)


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_an_epilogue_is_not_another_one(target: str) -> None:
    kernel = made(target, "f32", 3, 5, 4, epilogue=biased)
    for other in (lambda c, bias: c + bias, lambda c, bias: ts.relu(c - bias), lambda c, bias: ts.relu(c * 2 + bias)):
        spec = made(target, "f32", 3, 5, 4, epilogue=other).spec
        assert not verify(kernel.code, kernel.target, spec, kernel.kind)
    for change in ({"beta": 0.0}, {"alpha": 2.0}, {"k": 3}):
        assert not verify(kernel.code, kernel.target, replace(kernel.spec, **change), kernel.kind)


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_epilogues_with_results_beside_c_and_numbers_are_proved(target: str) -> None:
    def of(*results: Any) -> Any:
        every = (ts.relu, *results)
        return ts.brgemm(3, 5, 4, beta=0, target=target, epilogue=lambda c: tuple(each(c) for each in every))

    made = [
        of(lambda c: c * 2.0, lambda c: c > 0.0),
        of(lambda c: c * 2.0, lambda c: c >= 0.0),
        of(lambda c: c + c + c, lambda c: c > 0.0),
    ]
    assert made[0].verify()
    for other in made[1:]:
        assert not verify(made[0].code, made[0].target, other.spec, other.kind)
    assert ts.brgemm(3, 5, 4, target=target, epilogue=lambda c: ts.dropout(c, 0.25)).verify()


def test_statistics_beside_c_have_no_specification_yet() -> None:
    with pytest.raises(ts.UnsupportedError, match="statistics"):
        ts.brgemm(3, 5, 4, target="avx2", epilogue=lambda c: (c, ts.statistic("sum", c))).verify()
