"""Proofs of gathers, scatters, embedding bags and kernels with extents at the call; other requests' code is refuted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tilesmith.microkernels.gather.bag_spec import bag_spec
from tilesmith.microkernels.machines.registry import TARGETS as TARGET
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.verify.check import verify

R = ts.RUNTIME
TARGETS = (
    ("avx2", "avx512", "neon", "sve256") if not is_soak() else ("avx2", "avx512", "neon", "sve128", "sve256", "sve512")
)
BY: dict[str, dict[str, Any]] = {
    "rows": {"size": 7},
    "columns": {"size": 7},
    "offsets": {"size": 70},
    "stride": {"step": 3},
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("by", BY)
@pytest.mark.grid(5)
def test_gathers_and_scatters(by: str, target: str) -> None:
    for bounds in ("call", "kernel") if by != "stride" else ("call",):
        more: dict[str, Any] = {**BY[by], "bounds": bounds, "target": target}
        assert ts.gather(by, 5, 9, **more).verify(), bounds  # type: ignore[arg-type]
        assert ts.scatter(by, 4, 9, dtype="i8", **more).verify(), bounds  # type: ignore[arg-type]


@pytest.mark.parametrize("target", TARGETS)
def test_rows_that_are_converted(target: str) -> None:
    assert ts.gather("rows", 4, 9, size=6, out="bf16", scale="col", bias="row", target=target).verify()
    assert ts.gather(
        "rows", 4, 9, size=6, dtype="i8", out="f32", scale="scalar", bounds="kernel", target=target
    ).verify()


@pytest.mark.parametrize("target", TARGETS)
def test_bags(target: str) -> None:
    assert ts.embedding_bag(4, 9, size=7, count=9, target=target).verify()
    assert ts.embedding_bag(3, 9, size=7, count=9, weights=True, bounds="kernel", dtype="bf16", target=target).verify()
    assert ts.embedding_bag(3, 5, size=7, count=9, name="mean", target=target).verify()
    assert ts.embedding_bag(3, 5, size=7, count=9, name="max", dtype="i32", target=target).verify()


OF_ANY_EXTENTS: dict[str, Callable[[str], Kernel]] = {
    "rows 0, ": lambda target: ts.unary("relu", R, 9, ldx=R, target=target),
    "rows ": lambda target: ts.reduce("sum", R, 9, axis=1, target=target),
    "rows 0": lambda target: ts.binary("add", R, 5, bcast=(None, "col"), target=target),
    "m 0, ": lambda target: ts.gather("rows", R, 9, size=R, target=target),
    "bags 0, ": lambda target: ts.embedding_bag(R, 9, size=R, count=R, bounds="kernel", target=target),
}
"""Kernels whose extents a call gives, by the numbers that their proofs begin with."""


@pytest.mark.slow
@pytest.mark.parametrize("numbers", OF_ANY_EXTENTS)
@pytest.mark.parametrize("target", TARGETS if is_soak() else ["avx512"])
@pytest.mark.grid(2)
def test_extents_of_the_call(target: str, numbers: str) -> None:
    proof = OF_ANY_EXTENTS[numbers](target).verify()
    assert numbers in str(proof) and not proof.refuted
    assert proof or "NOT PROVED indices" in str(proof), "paths of indices outside that no execution takes"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "target"),
    [*(("f32", target) for target in TARGETS), *(("f64", target) for target in (TARGETS if is_soak() else ["avx2"]))],
)
@pytest.mark.grid(1)
def test_products_of_any_number_of_rows_or_columns(dtype: Any, target: str) -> None:
    rows = ts.brgemm(R, 9, 3, dtype=dtype, beta=0, target=target)
    assert "m 0, " in str(proof := rows.verify()) and proof
    assert ts.brgemm(5, R, 3, dtype=dtype, order="F", ldc=R, alpha=2.0, target=target).verify()


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        (ts.gather("rows", 5, 9, size=7), ts.gather("columns", 9, 5, size=7)),
        (ts.gather("offsets", 5, 9, size=7), ts.gather("offsets", 5, 8, size=7, ldy=9)),
        (ts.gather("rows", 5, 9, size=7, scale="row"), ts.gather("rows", 5, 9, size=7, bias="row")),
        (ts.gather("rows", 5, 9, size=7, bounds="kernel"), ts.gather("rows", 5, 9, size=6, bounds="kernel")),
        (ts.scatter("rows", 5, 9, size=7), ts.scatter("rows", 4, 9, size=7)),
        (ts.embedding_bag(4, 9, size=7, count=9), ts.embedding_bag(4, 9, size=7, count=9, name="mean")),
        (ts.embedding_bag(4, 9, size=7, count=9), ts.embedding_bag(3, 9, size=7, count=9)),
        (ts.unary("relu", R, 9), ts.unary("relu", R, 9, ldx=10)),
        (ts.reduce("sum", R, 9, axis=1), ts.reduce("product", R, 9, axis=1)),
        (ts.brgemm(R, 9, 3), ts.brgemm(R, 9, 4)),
        (ts.brgemm(R, 9, 3), ts.brgemm(R, 9, 3, beta=0)),
    ],
)
@pytest.mark.grid(3)
def test_code_of_another_request_has_no_proof(made: Any, asked: Any) -> None:
    assert verify(made.code, made.target, made.spec, made.kind)
    assert not verify(made.code, made.target, asked.spec, asked.kind)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.grid(1)
def test_bags_of_extrema_of_floats(target: str) -> None:
    made = [
        ts.embedding_bag(2, 3, size=3, count=4, name=name, dtype=dtype, bounds=bounds, target=target)
        for name, dtype, bounds in (("max", "f32", "call"), ("min", "bf16", "kernel"))
    ]  # type: ignore[arg-type]
    assert all(each.verify() for each in made)
    other: Any = ts.embedding_bag(2, 3, size=3, count=4, name="min", target=target)
    assert not verify(made[0].code, made[0].target, other.spec, other.kind)


COMBINED: tuple[dict[str, Any], ...] = (
    {"second": "rows", "combine": "sub"},
    {"second": "entries", "name": "max"},
    {"second": "table", "combine": "add", "second_size": 4},
    {"weights": True, "combine": "div", "name": "mean"},
)


def combined(target: str, **asked: Any) -> Kernel:
    """Return the kernel of a bag whose rows are combined with others."""
    return Kernel(bag_spec(2, 3, size=3, count=3, **asked), TARGET[target])


@pytest.mark.parametrize("asked", COMBINED)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.grid(4)
def test_bags_of_combined_rows(target: str, asked: dict[str, Any]) -> None:
    kernel = combined(target, **asked)
    assert kernel.verify()
    other: Any = combined(target, **{**asked, "combine": "mul" if asked.get("combine", "mul") != "mul" else "add"})
    assert not verify(kernel.code, kernel.target, other.spec, other.kind)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS if is_soak() else ["avx2"])
def test_two_indices_that_the_kernel_checks(target: str) -> None:
    assert combined(target, **COMBINED[2], bounds="kernel").verify()


@pytest.mark.parametrize("asked", [{"name": "each"}, {"name": "max", "arg": True}, {"ranged": True}])
def test_bags_without_a_definition(asked: dict[str, Any]) -> None:
    with pytest.raises(ts.UnsupportedError, match="no specification of"):
        combined("avx2", **asked).verify()
