"""Gradients of attention: against differences of a reference in f64, and in f32 against the same gradients in f64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.kernel_runs import FOREIGN, MACHINES
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.testing.guard import SIDES


def scores(spec: Any, q: Any, k: Any, mask: Any = None) -> Any:
    """Scaled products with the masks."""
    found = q @ np.repeat(k, spec.group, axis=0).transpose(0, 2, 1) * spec.scale
    found = found if mask is None else found + mask
    hidden = spec.causal & (np.arange(spec.keys) > np.arange(spec.queries)[:, None])
    return np.where(hidden, -np.inf, found)


def forward(spec: Any, q: Any, k: Any, v: Any, mask: Any = None) -> tuple[Any, Any, Any]:
    """Powers over their sums, out and lse."""
    score = scores(spec, q, k, mask)
    largest = score.max(axis=2, keepdims=True)
    power = np.exp(score - largest)
    total = power.sum(axis=2, keepdims=True)
    p = power / total
    return p, p @ np.repeat(v, spec.group, axis=0), (largest + np.log(total))[..., 0]


def shapes(spec: Any) -> list[Any]:
    return [each.shape for each in spec.forward.inputs]


def called(kernel: Any, arrays: list[Any], side: str = "end") -> list[Any]:
    made = [np.full(each.shape, 7, numpy_dtype(each.dtype)) for each in kernel.spec.outputs]
    if kernel.address is None:
        kernel.run(*arrays, *made)
        return made
    held = [guarded(each, side) for each in made]
    kernel(*(guarded(each, side, writable=False) for each in arrays), *held)
    for each in held:
        check_canary(each)
    return held


CASES = [
    ((2, 64, 64, 32), {}),
    ((2, 17, 15, 6), {"kv_heads": 1, "mask": "row"}),
    ((4, 11, 9, 5), {"causal": True, "kv_heads": 2}),
    ((1, 10, 13, 4), {"causal": True, "mask": "full", "scale": 0.4}),
]


@pytest.mark.parametrize(("machine", "number"), [
    (machine, number) for machine in ("avx2", "avx512", "neon", "sve256") for number in range(machine in FOREIGN, 4)
])  # fmt: skip
def test_differences(machine, number):
    """Central differences of sum(g * out) along a direction are off by the third derivative times their step squared,
    and by the rounding of the sum over the step."""
    extents, options = CASES[number]
    kernel = ts.attention_inv(*extents, dtype="f64", target=MACHINES[machine].name, **options)
    rng, step = np.random.default_rng(number), 1e-5
    operands = [rng.standard_normal(each) for each in shapes(kernel.spec)]
    p, out, lse = forward(kernel.spec, *operands)
    g = rng.standard_normal(out.shape)
    found = called(kernel, [g, *operands, out, lse])
    for place, gradient in enumerate(found):
        direction = rng.standard_normal(gradient.shape)
        ends = []
        for sign in (1, -1):
            moved = [each + sign * step * direction if i == place else each for i, each in enumerate(operands)]
            ends.append((forward(kernel.spec, *moved)[1] * g).sum())
        slope = (ends[0] - ends[1]) / (2 * step)
        size = (abs(gradient) * abs(direction)).sum()
        assert abs(slope - (gradient * direction).sum()) <= 1e-7 * size + 1e-9


SMALL = (2, 12, 9, 6)  # what is emulated
NATIVE = [(target, "f32", (2, 150, 130, 64)) for target in ("avx2", "avx512", "sse")]
NARROW = [(target, dtype, (2, 70, 90, 24)) for target in ("avx2", "avx512") for dtype in ("f16", "bf16")]
ELSEWHERE = [("neon", "f16", SMALL), ("sve256", "bf16", SMALL), ("sme256", "f16", SMALL), ("amx", "bf16", SMALL)]


@pytest.mark.parametrize(("target", "dtype", "extents"), [*NATIVE, *NARROW, *ELSEWHERE])
@pytest.mark.parametrize("side", SIDES)
def test_f32(target, dtype, extents, side):
    """The same in f32, of 16-bit operands too: terms are off by some units of their sizes for each of the sums that
    they pass through."""
    options = {"causal": True, "kv_heads": 1}
    kernel = ts.attention_inv(*extents, target=target, dtype=dtype, **options)
    if kernel.address is None and side != "end":
        pytest.skip("the emulator guards both sides")
    spec, rng = kernel.spec, np.random.default_rng(9)
    narrow = numpy_dtype(dtype)
    q, k, v = (rng.standard_normal(each).astype(narrow) for each in shapes(spec))
    wide = [each.astype(np.float64) for each in (q, k, v)]
    p, out, lse = forward(spec, *wide)
    g, out = rng.standard_normal(out.shape).astype(narrow), out.astype(narrow)
    found = called(kernel, [g, q, k, v, out, lse.astype(np.float32)], side)
    assert all(each.dtype == np.float32 for each in found)
    q, k, v, g, out = (each.astype(np.float64) for each in (q, k, v, g, out))
    slopes = g.astype(float) @ np.repeat(wide[2], 2, axis=0).transpose(0, 2, 1)
    delta = (g * out).sum(axis=2, keepdims=True)
    ds = p * (slopes - delta) * spec.scale
    size = p * (
        abs(g) @ abs(np.repeat(v, 2, axis=0)).transpose(0, 2, 1) + (abs(g) * abs(out)).sum(axis=2, keepdims=True)
    )
    product = abs(q) @ abs(np.repeat(k, 2, axis=0)).transpose(0, 2, 1) * spec.scale
    unit = 2.0**-24
    off = unit * ((spec.size + 4) * product + 8 * abs(lse)[..., None] + spec.size + 20)  # relative, of a power
    far = (off + unit * spec.size) * size * spec.scale
    gq, gk, gv = ds @ np.repeat(wide[1], 2, axis=0), ds.transpose(0, 2, 1) @ wide[0], p.transpose(0, 2, 1) @ g
    more = unit * (2 * spec.queries + spec.keys + 20)
    sizes = size * spec.scale
    bounds = [far @ abs(np.repeat(k, 2, axis=0)) + more * (sizes @ abs(np.repeat(k, 2, axis=0))),
              far.transpose(0, 2, 1) @ abs(q) + more * (sizes.transpose(0, 2, 1) @ abs(q)),
              (p * off).transpose(0, 2, 1) @ abs(g) + more * (p.transpose(0, 2, 1) @ abs(g))]  # fmt: skip
    for gradient, wanted, bound in zip(found, (gq, gk, gv), bounds):
        together = gradient.shape[0] != wanted.shape[0]
        wanted, bound = (each.sum(axis=0, keepdims=True) if together else each for each in (wanted, bound))
        assert np.all(abs(gradient - wanted) <= bound)


def test_a_query_that_sees_nothing_has_no_gradient():
    kernel = ts.attention_inv(1, 9, 7, 6, mask="row")
    rng = np.random.default_rng(1)
    g, q, k, v = (rng.standard_normal(each).astype(np.float32) for each in ((1, 9, 6), *shapes(kernel.spec)[:3]))
    mask = np.full(7, -np.inf, np.float32)
    out, lse = ts.attention(1, 9, 7, 6, mask="row", lse=True)(q, k, v, mask)
    assert not any(each.any() for each in called(kernel, [g, q, k, v, mask, out, lse]))


def test_requests():
    kernel = ts.attention_inv(2, 8, 8, 8)
    assert kernel.c_prototype.count("*") == 9 and "softmax step" not in str(kernel.plan)
    assert kernel.plan.cycles > 0
