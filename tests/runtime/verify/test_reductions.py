"""`k.verify()` of reductions: they are proved, and not proved to compute another reduction."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify.check import verify

TARGETS = ("avx2", "avx512", "neon", "sve256", "sse")


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "i8"])
@pytest.mark.parametrize("target", TARGETS)
def test_sums_and_products_are_proved(target: str, dtype: str) -> None:
    for name, axis, more in (
        ("sum", 0, {}),
        ("sum", 1, {"squared": True}),
        ("sum", None, {"init": True}),
        ("product", 1, {}),
        ("sum", 0, {"squared": "both"}),
    ):
        options: dict[str, Any] = more
        proof = ts.reduce(name, 3, 9, axis=axis, dtype=dtype, target=target, **options).verify()
        assert proof and "results are those of the request" in str(proof), str(proof)


@pytest.mark.parametrize("dtype", ["f32", "i8", "bf16"])
@pytest.mark.parametrize("target", TARGETS)
def test_means_are_proved(target: str, dtype: str) -> None:
    proof = ts.reduce("mean", 3, 9, axis=1, dtype=dtype, out="f32", target=target).verify()
    assert proof and "roundings" in str(proof), str(proof)


@pytest.mark.parametrize("dtype", ["f32", "i32"])
@pytest.mark.parametrize("target", TARGETS)
def test_no_kernel_computes_another_reduction(target: str, dtype: str) -> None:
    """Code of one kernel is checked against another request whose operands have the same shapes."""
    make: Any = ts.reduce
    kernels = [
        make(name, 5, 5, axis=axis, dtype=dtype, squared=squared, target=target)
        for name, axis, squared in (("sum", 0, False), ("sum", 1, False), ("sum", 1, True), ("product", 1, False))
    ]
    for one in kernels:
        for other in kernels:
            if one is not other:
                proof = verify(one.code, one.target, other.spec, other.kind)
                assert proof.refuted, str(proof)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("target", [*TARGETS, "avx", "sme256"])
def test_extrema_of_floats_are_proved(target: str, dtype: str) -> None:
    make: Any = ts.reduce
    for name, axis in (("max", 0), ("min", 1), ("absmax", None)):
        proof = make(name, 2, 3, axis=axis, dtype=dtype, target=target).verify()
        assert proof and "for all inputs" in str(proof), str(proof)


@pytest.mark.parametrize(("dtype", "out"), [("bf16", None), ("f16", "f32"), ("f32", "f16"), ("i8", None)])
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_converted_extrema_are_proved(target: str, dtype: str, out: str | None) -> None:
    make: Any = ts.reduce
    for name, axis in (("max", 0), ("absmax", 1)):
        proof = make(name, 2, 3, axis=axis, dtype=dtype, out=out, target=target).verify()
        assert proof and "for all inputs" in str(proof), str(proof)


@pytest.mark.slow
def test_rows_of_avx512_whose_masks_of_nan_go_through_general_registers_are_proved() -> None:
    kernel = ts.reduce("max", 5, 37, axis=1, target="avx512")
    assert "kortest" in kernel.listing() and kernel.verify()


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_a_copy_is_not_the_largest_size_of_one_element(target: str) -> None:
    kernels = [ts.reduce(name, 1, 8, axis=0, target=target) for name in ("absmax", "max")]
    proof = verify(kernels[1].code, kernels[1].target, kernels[0].spec, kernels[0].kind)
    assert proof.refuted, str(proof)


@pytest.mark.parametrize("target", TARGETS)
def test_extrema_of_integers_and_sizes_are_proved(target: str) -> None:
    for name, axis, dtype in (("max", 0, "i32"), ("min", 1, "i32"), ("max", 1, "i8"), ("absmax", 0, "i32")):
        proof = ts.reduce(name, 3, 6, axis=axis, dtype=dtype, target=target).verify()  # type: ignore[arg-type]
        assert proof and "for all inputs" in str(proof), str(proof)


@pytest.mark.parametrize("dtype", ["f32", "i32"])
@pytest.mark.parametrize("target", TARGETS)
def test_no_extremum_is_proved_to_be_another(target: str, dtype: str) -> None:
    make: Any = ts.reduce
    kernels = [
        make(name, 4, 4, axis=axis, dtype=dtype, target=target)
        for name, axis in (("max", 0), ("max", 1), ("min", 0), ("absmax", 0), ("sum", 0))
    ]
    for one in kernels:
        for other in kernels:
            if one is not other:
                assert not proved(one, other), (one.name, other.name)


def proved(one: ts.Kernel, other: ts.Kernel) -> bool:
    """Return whether the code of one kernel is proved to compute the request of another."""
    try:
        return bool(verify(one.code, one.target, other.spec, other.kind))
    except UnsupportedError:
        return False


@pytest.mark.parametrize(("dtype", "out"), [("bf16", None), ("f32", "f16")])
@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256"])
def test_sums_that_are_rounded_to_narrow_types_are_proved(target: str, dtype: str, out: str | None) -> None:
    make: Any = ts.reduce
    kernels = [
        make(name, 3, 5, axis=axis, dtype=dtype, out=out, target=target, init=init)
        for name, axis, init in (("sum", 0, True), ("mean", 1, False), ("sum", 1, False))
    ]
    for each in kernels:
        proof = each.verify()
        assert proof and "over the reals" in str(proof), str(proof)
    assert not verify(kernels[1].code, kernels[1].target, kernels[2].spec, kernels[2].kind)


def test_sums_of_i64_have_no_specification_yet() -> None:
    with pytest.raises(UnsupportedError, match="computed in i64"):
        ts.reduce("sum", 4, 9, axis=1, dtype="i64", target="avx2").verify()
