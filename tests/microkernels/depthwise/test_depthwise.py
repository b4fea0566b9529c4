"""Depthwise convolutions have the values of the definition, between guard pages, on every machine, and proofs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import strided
from tests.guard import SIDES
from tests.kernel_runs import MACHINES, call, few_and_many, planned_kernel
from tests.profiles import quick
from tilesmith.microkernels.depthwise import emit, plan
from tilesmith.microkernels.depthwise.plan import IN_LOOP, STRAIGHT, DepthwisePlan
from tilesmith.microkernels.depthwise.spec import DepthwiseSpec, depthwise_spec
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS, facts_of, machine_for
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect

Array = np.ndarray[Any, Any]
TYPES: list[Any] = [
    "f32",
    "f64",
    "bf16",
    "f16",
    "i8",
    ("u8", "i8", "i32"),
    ("u8", "i8", "f32"),
    ("bf16", "f32", "f32"),
    ("f32", "f32", "bf16"),
]
EPILOGUES: list[Any] = [
    (None, None),
    (lambda c, bias: ts.maximum(c + bias, 0), None),
    (lambda c, r, s, q: c * s + r + q, {"r": None, "s": "scalar", "q": "col"}),
]
few = st.integers(1, 4)


@st.composite
def requests(draw: st.DrawFn) -> tuple[DepthwiseSpec, int, str]:
    taps = draw(few), draw(st.integers(1, 5))
    padding = [(draw(st.integers(0, 3)), draw(st.integers(0, 3))) for _ in range(2)]
    dilation, stride = (draw(st.integers(1, 3)), draw(st.integers(1, 2))), (draw(few), draw(few))
    least = [max(1, (t - 1) * d + 1 - sum(p)) for t, d, p in zip(taps, dilation, padding)]
    height, width = (draw(st.integers(low, low + 12)) for low in least)
    n, depth, gap = draw(st.integers(1, 40)), draw(st.sampled_from([1, 1, 2])), st.sampled_from([0, 3])
    epilogue, operands = draw(st.sampled_from(EPILOGUES))
    spec = depthwise_spec(
        height,
        width,
        n,
        taps,
        stride=stride,
        padding=padding,
        dilation=dilation,
        depth=depth,
        dtype=draw(st.sampled_from(TYPES)),
        pitch=width + draw(gap),
        ldx=depth * n + draw(gap),
        ldw=n + draw(gap),
        ldy=n + draw(gap),
        epilogue=epilogue,
        operands=operands,
    )
    return spec, draw(st.integers(0, 1 << 20)), draw(st.sampled_from(SIDES))


def drawn(spec: DepthwiseSpec, seed: int) -> dict[str, Array]:
    """Return operands of whole numbers, whose sums are exact in every type of sums."""
    rng = np.random.default_rng(seed)
    found = {}
    for each in spec.interface.operands:
        dtype = numpy_dtype(each.dtype)
        values = rng.integers(0 if dtype.kind == "u" else -4, 5, (each.rows, each.columns))
        found[each.name] = strided(values.astype(dtype), int(each.view.leading))
    return found


def sums(spec: DepthwiseSpec, x: Array, w: Array) -> Array:
    """Compute the sums by definition, in f64, from an image with its zeros."""
    (top, bottom), (left, right), n = *spec.padding, spec.channels
    image = np.zeros((top + spec.height + bottom, left + spec.width + right, spec.depth, n))
    rows = np.arange(spec.height)[:, None] * spec.pitch + np.arange(spec.width)
    image[top : top + spec.height, left : left + spec.width] = x.astype(np.float64)[rows].reshape(*rows.shape, -1, n)
    weights, (p, q) = w.astype(np.float64).reshape(*spec.taps, spec.depth, n), spec.extents
    total = np.zeros((p, q, n))
    for r, s, d in np.ndindex(*spec.taps, spec.depth):
        i, j = (
            np.arange(count) * spec.stride[at] + tap * spec.dilation[at] for at, count, tap in ((0, p, r), (1, q, s))
        )
        total += image[np.ix_(i, j)][:, :, d] * weights[r, s, d]
    return total.reshape(p * q, n)


def expected(spec: DepthwiseSpec, given: dict[str, Array]) -> Array:
    """Compute the result by definition: all values but the last rounding are exact."""
    c, y = sums(spec, given["x"], given["w"]), spec.elementwise.outputs[0]
    wide = {name: each.astype(np.float64) for name, each in given.items()}
    if "bias" in wide:
        c = np.maximum(c + wide["bias"], 0)
    elif "r" in wide:
        c = c * wide["s"] + wide["r"] + wide["q"]
    return c.astype(numpy_dtype(y.dtype))


def one(spec: DepthwiseSpec, seed: int, side: str, name: str, server: Any) -> None:
    arrays = drawn(spec, seed)
    found = call(spec, MACHINES[name], arrays, server, side)
    (y,) = found.values()
    np.testing.assert_array_equal(y, expected(spec, arrays), err_msg=str(spec))


test_some, test_many = few_and_many(requests(), one, 6, 20)


@pytest.mark.parametrize("name", ["sse", "avx"])
def test_older_machines(name):
    if reason := detect.runs(TARGETS[name]):
        pytest.skip(reason)

    @settings(max_examples=quick(8))
    @given(requests())
    def test(case: Any) -> None:
        spec, seed, side = case
        arrays = drawn(spec, seed)
        (y,) = call(spec, TARGETS[name], arrays, None, side).values()
        np.testing.assert_array_equal(y, expected(spec, arrays), err_msg=str(spec))

    test()


@pytest.mark.parametrize("order", [STRAIGHT, IN_LOOP])
def test_both_ways(order):
    """Each way to compute is right, whether or not the planner takes it."""
    spec = depthwise_spec(11, 13, 37, (5, 3), stride=(1, 2), padding=((2, 1), (1, 1)), dilation=(1, 2))
    made = next(each for each in plan.candidates(spec, facts_of(detect.host())) if each.way == order)
    assert isinstance(made, DepthwisePlan)
    arrays = drawn(spec, 1)
    planned_kernel(spec, detect.host(), made, emit.emit)(*arrays.values())
    np.testing.assert_array_equal(arrays["y"], expected(spec, {"x": arrays["x"], "w": arrays["w"]}))


def test_sums_of_floats():
    """Sums are rounded as often as they have terms."""
    rng, spec = np.random.default_rng(3), depthwise_spec(15, 16, 50, (3, 3), padding=1)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((240, 50), (9, 50)))
    y = ts.depthwise(15, 16, 50, 3, padding=1)(x.reshape(15, 16, 50), w.reshape(3, 3, 50))
    error = np.abs(y - sums(spec, x, w))
    assert (error <= 10 * 2.0**-24 * sums(spec, np.abs(x), np.abs(w))).all()


@pytest.mark.parametrize("name", ["avx512", "avx2", "sse", "neon", "sve256"])
@pytest.mark.grid(1)
def test_proofs(name):
    """Rims, strides, a tail of channels, further operands: proved for all inputs."""
    named = {"padding": 1, "dtype": "bf16", "epilogue": lambda c, bias: ts.relu(c + bias), "target": name}
    k = ts.depthwise(3, 4, 5, 2, stride=(1, 2), **named)
    assert k.verify()
    assert ts.depthwise(1, 9, 3, (1, 4), dilation=2, padding=(0, 2), depth=2, dtype="i8", target=name).verify()


def test_a_wrong_kernel_is_refuted():
    k = ts.depthwise(2, 3, 8, (1, 3), padding=(0, 1), target="avx2")
    other = depthwise_spec(2, 3, 8, (1, 3), padding=((0, 0), (2, 0)))
    assert other.extents == k.spec.extents
    found = planned_kernel(other, k.target, k.plan, emit.emit).verify()
    assert not found and found.refutation is not None and found.refutation.confirmed


def test_the_emulator_agrees():
    """Few instructions, on a machine that this processor may lack."""
    spec = depthwise_spec(3, 4, 7, 2, padding=1)
    arrays = drawn(spec, 5)
    ts.depthwise(3, 4, 7, 2, padding=1, target="sve512").run(*arrays.values())
    np.testing.assert_array_equal(arrays["y"], expected(spec, {"x": arrays["x"], "w": arrays["w"]}))
    assert machine_for(TARGETS["sve512"])


@pytest.mark.parametrize(
    ("error", "match", "ask"),
    [
        (
            ValueError,
            "height: 5 taps of dilation 2 reach over 9, and x has 7",
            lambda: ts.depthwise(7, 9, 4, 5, dilation=2),
        ),
        (ValueError, "stride: 1 or more", lambda: ts.depthwise(7, 9, 4, stride=0)),
        (TypeError, "padding: a whole number", lambda: ts.depthwise(7, 9, 4, padding="same")),
        (ValueError, "pitch: at least the width, 9", lambda: ts.depthwise(7, 9, 4, pitch=8)),
        (ValueError, "ldx: at least 8", lambda: ts.depthwise(7, 9, 4, depth=2, ldx=7)),
        (UnsupportedError, "dtype: x and w of f64", lambda: ts.depthwise(7, 9, 4, dtype=("f32", "i8", "f32"))),
        (
            UnsupportedError,
            "taps: at most 514 of u8 and i8, not 529",
            lambda: ts.depthwise(50, 50, 4, 23, dtype=("u8", "i8", "i32")),
        ),
        (UnsupportedError, "give x with its padding stored", lambda: ts.depthwise(99, 99, 4, 31, padding=15)),
        (ValueError, "epilogue: an operand named w", lambda: ts.depthwise(7, 9, 4, epilogue=lambda c, w: c + w)),
        (UnsupportedError, "without masks", lambda: ts.depthwise(7, 9, 4, epilogue=lambda c: (c, c > 0))),
    ],
)
def test_refusals(error, match, ask):
    with pytest.raises(error, match=match):
        ask()
