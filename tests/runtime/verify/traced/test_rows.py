"""`k.verify()` of fused kernels: they are proved, but not to compute another function; wrong ones are refuted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

TARGETS = ("avx2", "avx512", "neon", "sve256")


@pytest.mark.parametrize("name", ["layernorm", "rmsnorm", "softmax_inv", "layernorm_inv", "batch_variance", "adam"])
@pytest.mark.parametrize("target", TARGETS)
def test_fused_kernels_are_proved(target: str, name: str) -> None:
    proof = ts.fused(name, 2, 9, target=target).verify()
    assert proof and "is the request's expression" not in str(proof), str(proof)
    assert "the request's expression" in str(proof)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "name"), [*((each, "softmax") for each in TARGETS), ("avx2", "cross_entropy")])
def test_maxima_of_rows_are_found(target: str, name: str) -> None:
    proof = ts.fused(name, 1, 5, target=target).verify()
    assert proof and "extrema, bit for bit" in str(proof), str(proof)


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f64"])
@pytest.mark.parametrize("target", TARGETS)
def test_fused_kernels_of_other_types_are_proved(target: str, dtype: str) -> None:
    proof = ts.fused("rmsnorm", 2, 9, dtype=dtype, target=target).verify()
    assert proof, str(proof)


@pytest.mark.parametrize("target", TARGETS)
def test_results_in_place_are_part_of_the_proof(target: str) -> None:
    proof = ts.fused("momentum", 2, 9, target=target).verify()
    assert proof and "new_v in the place of v, new_w in the place of w" in str(proof), str(proof)


def test_one_column_and_one_row_are_proved() -> None:
    assert ts.fused("layernorm", 2, 1, target="avx2").verify()
    assert ts.fused("layernorm_inv", 1, 9, target="avx2").verify()


def test_leading_dimensions_of_the_call_are_proved() -> None:
    proof = ts.fused("rmsnorm", 2, 9, ldx=ts.RUNTIME, target="neon").verify()
    assert proof and "leading dimensions 3 and 8" in str(proof), str(proof)


@pytest.mark.slow
def test_any_number_of_rows_is_proved() -> None:
    proof = ts.fused("rmsnorm", ts.RUNTIME, 9, target="avx2").verify()
    assert proof and "rows 0, " in str(proof), str(proof)


def _kernel(function: Callable[..., Any], target: str) -> Any:
    return ts.equation(function, x=(3, 3), y=(3, 3), target=target)


WRONG: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "axis": (lambda x, y: x * ts.sum(y, axis=1), lambda x, y: y * ts.sum(x, axis=1)),
    "scale": (lambda x, y: x * (ts.sum(y * y, axis=1) * 0.25) + y, lambda x, y: x * ts.sum(y * y, axis=1) + y),
    "function": (lambda x, y: x - ts.mean(y, axis=1), lambda x, y: x - ts.sum(y, axis=1)),
    "factor": (lambda x, y: x * ts.sum(x * y, axis=1), lambda x, y: x * ts.sum(x * x, axis=1) + 0.0 * y),
    "column": (lambda x, y: (x + y, ts.sum(x * y, axis=0)), lambda x, y: (x + y, ts.sum(x + y, axis=0))),
}


@pytest.mark.parametrize("name", list(WRONG))
@pytest.mark.parametrize("target", TARGETS)
def test_wrong_functions_are_refuted(target: str, name: str) -> None:
    wrong, right = (_kernel(each, target) for each in WRONG[name])
    proof = verify(wrong.code, wrong.target, right.spec, right.kind)
    assert proof.refuted and "confirmed in the emulator" in str(proof), str(proof)


def test_a_sum_along_the_other_axis_is_refuted() -> None:
    """Sums of rows and doubled sums of columns have the shapes of the sums of columns, but are other functions."""

    def of_columns(x: Any) -> Any:
        return ts.sum(x, axis=0), ts.sum(x * x, axis=0)

    def of_rows(x: Any) -> Any:
        return ts.sum(x, axis=1), ts.sum(x * x, axis=1)

    def doubled(x: Any) -> Any:
        return ts.sum(x * 2.0, axis=0), ts.sum(x * x, axis=0)

    one, *others = (ts.equation(each, x=(3, 3), target="avx2") for each in (of_columns, of_rows, doubled))
    for other in others:
        assert verify(one.code, one.target, other.spec, other.kind).refuted


@pytest.mark.slow
def test_powers_added_in_parts_are_proved() -> None:
    """Down more than 16 rows, softmax adds each power in two parts, whose rounding counts beside that of the sums."""
    proof = ts.equation(lambda x: ts.softmax(x, axis=0), x=(17, 2), target="avx2").verify()
    assert "2 sums over the reals" in str(proof)
