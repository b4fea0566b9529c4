"""Definitions of requests on numbers give what numpy's own functions give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilesmith.microkernels.baked.spec import baked_spec, sums_type
from tilesmith.microkernels.gather.bag_spec import bag_spec
from tilesmith.microkernels.gather.spec import gather_spec
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.microkernels.reduce.spec import reduce_spec
from tilesmith.microkernels.transform.spec import transform_spec
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.sparse.fixed import fixed
from tilesmith.runtime.verify.definition import sums
from tilesmith.runtime.verify.definition.algebra import reals
from tilesmith.runtime.verify.definition.evaluate import computed

Array = np.ndarray[Any, Any]
REDUCTIONS: dict[str, Any] = {
    "sum": np.sum,
    "mean": np.mean,
    "product": np.prod,
    "max": np.max,
    "min": np.min,
    "absmax": lambda x, axis: np.max(np.abs(x), axis=axis),
    "argmax": np.argmax,
    "argmin": np.argmin,
}


def whole(shape: tuple[int, ...], dtype: str, seed: int = 1) -> Array:
    """Return small whole numbers, whose sums and products are exact."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(numpy_dtype(dtype))


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, axis: int | None) -> None:
    for dtype in ("f32", "f16", "bf16", "f64", "i8", "i32"):
        spec, x = reduce_spec(name, 5, 7, axis=axis, dtype=dtype), whole((5, 7), dtype)
        made = computed(spec, {"x": x})["y"].reshape(-1)
        wanted = np.atleast_1d(REDUCTIONS[name](x.astype(np.float64), axis=axis))
        assert np.array_equal(made, wanted.astype(numpy_dtype(spec.out))), dtype


def test_squares_and_initial_values() -> None:
    x, start = whole((4, 6), "f32"), whole((4,), "f32", 2)
    spec = reduce_spec("sum", 4, 6, axis=1, squared=True, init=True)
    made = computed(spec, {"x": x, spec.inits[0].name: start})
    assert np.array_equal(made["y"].reshape(-1), (x * x).sum(axis=1) + start)


@pytest.mark.parametrize("by", ["rows", "columns", "offsets", "stride"])
def test_gathers_and_scatters(by: str) -> None:
    rng, options = np.random.default_rng(0), {"step": 3} if by == "stride" else {"size": 50}
    spec = gather_spec("gather", by, 5, 7, dtype="i16", **options)
    wide = rng.integers(0, 1 << 15, spec.wide.shape, np.int16)
    index = rng.permutation(50)[: {"rows": 5, "columns": 7}.get(by, 35)]
    index = index.reshape(5, 7) if by == "offsets" else index
    places: Any = {"rows": (index,), "columns": (slice(None), index), "offsets": (index,)}.get(
        by, (slice(None), slice(None, None, 3))
    )
    operands = {"x": wide} if by == "stride" else {"x": wide, "index": index}
    narrow = computed(spec, operands)["y"]
    assert np.array_equal(narrow, wide[places])
    other = gather_spec("scatter", by, 5, 7, dtype="i16", **options)
    wanted = wide.copy()
    wanted[places] = narrow + 1
    assert np.array_equal(computed(other, operands | {"x": narrow + 1, "y": wide})["y"], wanted)


@pytest.mark.parametrize("weighted", [False, True])
def test_bags_and_indices_outside(weighted: bool) -> None:
    spec = bag_spec(3, 7, size=9, count=8, dtype="f32", weights=weighted, bounds="kernel")
    x, index, offsets = whole((9, 7), "f32"), np.array([8, 0, 3, 9, 3, -1, 2, 1]), np.array([0, 4, 4, 8])
    weights = whole((8,), "f32", 3) if weighted else np.ones(8, np.float32)
    made = computed(spec, {"x": x, "index": index, "weights": weights, "offsets": offsets})
    terms = np.where((index >= 0)[:, None] & (index < 9)[:, None], x[index % 9], 0) * weights[:, None]
    assert np.array_equal(made["y"], [terms[:4].sum(axis=0), np.zeros(7), terms[4:].sum(axis=0)])
    assert made["bad"].item() == 3


@pytest.mark.parametrize("side", ["left", "right"])
def test_products_with_a_fixed_matrix(side: str) -> None:
    a = whole((5, 6), "f64") * (whole((5, 6), "f64", 2) > 0)
    spec = baked_spec(fixed(a, sums_type("bf16")), 4, side=side, dtype="bf16", beta=1)
    b, c = (whole(each.shape, "bf16", at) for at, each in enumerate(spec.arguments))
    made = computed(spec, {"b": b, "c": c})["c"].astype(np.float64)
    b, c = b.astype(np.float64), c.astype(np.float64)
    assert np.array_equal(made, c + (a @ b if side == "left" else b @ a))


def test_layouts() -> None:
    x = np.arange(6 * 5, dtype=np.uint16).reshape(6, 5)
    assert np.array_equal(computed(transform_spec("plaint", 6, 5, dtype="bf16"), {"x": x})["y"].view(np.uint16), x.T)


def test_products_of_packed_matrices() -> None:
    spec = gemm_spec(3, 5, 4, dtype="bf16", b_layout="vnni2", alpha=2, beta=-1)
    a, b, c = whole((3, 4), "bf16"), whole((4, 5), "bf16", 2), whole((3, 5), "bf16", 3)
    packed = b.reshape(2, 2, 5).transpose(0, 2, 1)
    made = sums.product(spec, reals({"a[0]": a, "b[0]": packed, "c": c}), "c")
    a, b, c = (each.astype(np.float64) for each in (a, b, c))
    assert np.array_equal(made, 2 * a @ b - c)
