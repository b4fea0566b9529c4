"""Sums of NCHW images had other bits than those of channels last: products of few rows or columns were added in several
sums at a time, or along k, and which were few depended on how a layout is cut. Gradients had the same fault."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tilesmith as ts
from tests.convolution_cases import TYPES, Array, lay
from tests.gemm_cases import RUNNING
from tests.profiles import scaled
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.gemm.blocking import Scheme
from tilesmith.runtime.api.brgemm import product_spec
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import kept

FLOATS = [name for name, types in TYPES.items() if np.dtype(types[0]).kind not in "iu"]
SHAPES = [
    ((2, 26, 20, 22), (2, 26, 1, 1), {"stride": 2}, False),
    ((4, 24, 37, 11), (1, 24, 1, 1), {}, False),
    ((2, 61, 39, 35), (61, 18, 3, 3), {"stride": 2}, True),
    ((1, 460, 7, 9), (5, 460, 3, 3), {"padding": 1}, False),
    ((2, 5, 9, 8), (6, 5, 3, 3), {"dilation": 2}, False),
    ((2, 16, 56, 56), (24, 16, 1, 1), {}, False),  # a long chain of places in one layout, and two in the other
]


def drawn(shape: tuple[int, ...], dtype: type) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("types", ["f32", "bf16"])
@pytest.mark.parametrize("x, w, given, back", SHAPES)
@pytest.mark.grid(4)
def test_results(types: str, x: tuple[int, ...], w: tuple[int, ...], given: dict[str, int], back: bool) -> None:
    images, weights = (drawn(shape, TYPES[types][0]) for shape in (x, w))
    function = ts.conv_transpose2d if back else ts.conv2d
    found = {function(lay(images, way), weights, **given).tobytes("C") for way in ("first", "last", "turned")}
    assert len(found) == 1


@pytest.mark.parametrize("types", ["f32", "f64", "bf16", "f16"])
def test_gradient_by_the_bias(types: str) -> None:
    dy, x, w = (drawn(shape, TYPES[types][0]) for shape in ((2, 7, 33, 34), (2, 3, 33, 34), (7, 3, 1, 1)))
    found = {ts.conv2d_backward(lay(dy, way), x, w, wanted="db").tobytes() for way in ("first", "last", "turned")}
    assert len(found) == 1


@pytest.mark.parametrize("types", ["f32", "bf16"])
@pytest.mark.parametrize("x, w, given", [(x, w, given) for x, w, given, back in SHAPES if not back])
@pytest.mark.grid(3)
def test_gradients(types: str, x: tuple[int, ...], w: tuple[int, ...], given: dict[str, int]) -> None:
    images, weights = (drawn(shape, TYPES[types][0]) for shape in (x, w))
    dy = drawn(ts.conv2d(images, weights, **given).shape, images.dtype)
    for wanted in ("dx", "dw"):
        found = {
            ts.conv2d_backward(lay(dy, way), lay(images, way), weights, wanted=wanted, **given).tobytes("C")
            for way in ("first", "last")
        }
        assert len(found) == 1, wanted


@pytest.mark.parametrize("seed", range(scaled(4, 100_000)))
def test_blocks_of_a_product(seed: int) -> None:
    """The bits of an element of ordered products do not depend on the rows and columns beside it."""
    draw = Random(seed)
    types = draw.choice(["f32", "f64", "bf16f32", "f16"])
    a, _, c = TYPES[types]
    names = tuple({np.float64: "f64", np.float32: "f32", np.float16: "f16"}.get(each, "bf16") for each in TYPES[types])
    m, n, k, pairs = draw.randint(2, 40), draw.randint(1, 48), draw.choice([5, 40, 300, 2100]), draw.choice([1, 3])
    x, w = drawn((pairs, m, k), a), drawn((pairs, k, 48), a)
    target = host.resolve(draw.choice([None, *RUNNING]))

    def computed(rows: int, columns: int) -> Array:
        given = {"lda": k, "ldb": 48, "ldc": 48, "batch": (pairs,), "strides": ((m * k, 48 * k),), "beta": 0.0}
        spec = product_spec(rows, columns, k, dtype=names, **given)
        y = np.zeros((m, 48), c)
        kernel = kept(replace(spec, ordered=True), target)
        kernel(np.lib.stride_tricks.as_strided(x, (pairs, rows, k), x.strides), w[..., :columns], y[:rows, :columns])
        return y[:rows, :columns]

    rows, columns = draw.randint(1, m), draw.randint(1, n)
    try:
        whole = computed(m, n)
    except UnsupportedError:
        return  # the target has no product of these types
    assert np.array_equal(whole[:rows, :columns], computed(rows, columns))


def test_plan_of_ordered_sums() -> None:
    """A column that is faster along k is added term after term if the order is asked for."""
    spec = product_spec(40, 1, 300, beta=0.0)
    for ordered, schemes in ((False, {Scheme.ALONG_K}), (True, {Scheme.FMA})):
        plan = kept(replace(spec, ordered=ordered), host.resolve("avx512")).plan
        assert {panel.scheme for panel in plan.panels} == schemes
        assert all(block.split == 1 for panel in plan.panels for block in panel.blocks) or not ordered
