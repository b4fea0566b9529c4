"""Traced functions with products against numpy: random chains of integers, whose sums are exact, between guard pages,
layers of floats within an error bound, and every target in the emulator."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak, scaled
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
NUMPY: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
NATIVE = tuple(name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])) or ("sse",)
EMULATED = ("avx2", "avx512", "neon", "sve256") if not is_soak() else tuple(ts.targets())


class Step(NamedTuple):
    """One operation on the current matrix. `width` is the number of columns of a product, or the number of an earlier
    matrix."""

    what: str
    width: int


class Numbers:
    """The functions that chains use, on numpy arrays in float64."""

    relu = staticmethod(lambda x: np.maximum(x, 0))
    clamp = staticmethod(lambda x, low, high: np.clip(x, low, high))
    max = staticmethod(lambda x, axis: x.max(axis, keepdims=True))
    sum = staticmethod(lambda x, axis: x.sum(axis, keepdims=True))


def shapes_of(steps: list[Step], m: Any, n: int) -> dict[str, tuple[Any, int]]:
    """Return the shapes of the operands of a chain: x, and one operand for each step that needs one."""
    shapes: dict[str, tuple[Any, int]] = {"x": (m, n)}
    for number, (what, width) in enumerate(steps):
        name = f"p{number}"
        if what == "product":
            shapes[name], n = (n, width), width
        elif what == "transposed":
            shapes[name], n = (width, n), width
        elif what == "bias":
            shapes[name] = 1, n
        elif what == "matrix":
            shapes[name] = m, n
    return shapes


MADE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "product": lambda lib, x, p: x @ p,
    "transposed": lambda lib, x, p: x @ p.T,
    "bias": lambda lib, x, p: x + p,
    "matrix": lambda lib, x, p: x * p,
    "relu": lambda lib, x, p: lib.relu(x),
    "largest": lambda lib, x, p: x - lib.max(x, axis=1),
    "total": lambda lib, x, p: x + lib.sum(x, axis=1) * 0.5,
}


def computed(steps: list[Step], lib: Any, operands: dict[str, Any], results: int) -> Any:
    """Compute a chain with the functions of `lib` and return its last matrices. Clamping keeps the sums exact."""
    seen = [operands["x"]]
    for number, step in enumerate(steps):
        made = MADE[step.what](lib, seen[-1], operands.get(f"p{number}"))
        seen.append(lib.clamp(made, -16.0, 16.0))
    return tuple(seen[-results:]) if results > 1 else seen[-1]


def whole(rng: np.random.Generator, shape: tuple[int, int], dtype: str, gap: int = 0) -> Array:
    """Return a matrix of small integers whose rows are followed by `gap` further elements."""
    made: Array = rng.integers(-3, 4, (shape[0], shape[1] + gap)).astype(NUMPY[dtype])[:, : shape[1]]
    return made


def traced(steps: list[Step], names: list[str], results: int) -> Callable[..., Any]:
    """Return a function with these parameters for `ts.equation`."""
    scope: dict[str, Any] = {"computed": computed, "steps": steps, "lib": ts, "results": results}
    given = ", ".join(f"{name}={name}" for name in names)
    exec(f"def f({', '.join(names)}): return computed(steps, lib, dict({given}), results)", scope)
    function: Callable[..., Any] = scope["f"]
    return function


MASKED = {"x": "f32", "w": "f32", "b": "bits"}
STEPS = st.lists(st.builds(Step, st.sampled_from((*MADE, "product")), st.integers(1, 40)), min_size=1, max_size=7)


@settings(max_examples=scaled(40, 3000), deadline=None)
@given(
    steps=STEPS,
    m=st.integers(1, 130),
    n=st.integers(1, 40),
    dtype=st.sampled_from(sorted(NUMPY)),
    results=st.integers(1, 2),
    gap=st.integers(0, 3),
    target=st.sampled_from(NATIVE),
    side=st.sampled_from(SIDES),
    seed=st.integers(0, 99),
    counted=st.booleans(),
)
def test_drawn_chains_between_guard_pages(
    steps: list[Step],
    m: int,
    n: int,
    dtype: str,
    results: int,
    gap: int,
    target: str,
    side: str,
    seed: int,
    counted: bool,
) -> None:
    """Of a known number of rows, or of one that the call counts."""
    steps = [Step("product", 5), *steps]
    shapes = shapes_of(steps, m, n)
    names = list(shapes)
    asked = shapes_of(steps, ts.RUNTIME, n) if counted else shapes
    kernel = ts.equation(
        traced(steps, names, results),
        dtype=dtype,
        target=target,
        **asked,
        **{f"ld{name}": shape[1] + gap for name, shape in shapes.items()},
    )
    rng = np.random.default_rng(seed)
    given = {name: whole(rng, shape, dtype, gap) for name, shape in shapes.items()}
    wanted = computed(steps, Numbers, {name: each.astype(np.float64) for name, each in given.items()}, results)
    held = [guarded(each, side) for each in given.values()]
    every = wanted if results > 1 else (wanted,)
    outs = [guarded(np.zeros((m, y.shape[1]), NUMPY[dtype]), side, writable=True) for y in every]
    kernel(*held, *outs)
    for got, want in zip(outs, every):
        np.testing.assert_array_equal(got, np.broadcast_to(want, got.shape))
        check_canary(got)


def mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    return ts.relu(x @ w1 + b1) @ w2 + b2 + x


@pytest.mark.parametrize("target", EMULATED)
def test_every_target(target: str) -> None:
    """Every target computes products with epilogues, a reduction along rows after a product, and transposed right
    factors."""
    rng = np.random.default_rng(2)
    m, n, h = 9, 19, 21
    shapes = {"x": (m, n), "w1": (n, h), "b1": (1, h), "w2": (h, n), "b2": (1, n)}
    x, w1, b1, w2, b2 = given = [whole(rng, shape, "f32") for shape in shapes.values()]
    try:
        layer = ts.equation(mlp, **shapes, target=target)
        scores = ts.equation(lambda q, k: (s := q @ k.T) - ts.max(s, axis=1), q=(m, n), k=(h, n), target=target)
    except ts.UnsupportedError as error:
        pytest.skip(str(error))
    y, s = np.zeros((m, n), np.float32), np.zeros((m, h), np.float32)
    layer.run(*given, y)
    np.testing.assert_array_equal(y, np.maximum(x @ w1 + b1, 0) @ w2 + b2 + x)
    scores.run(x, np.ascontiguousarray(w1.T), s)
    np.testing.assert_array_equal(s, x @ w1 - (x @ w1).max(1, keepdims=True))


@pytest.mark.parametrize("target", [*NATIVE, "neon"])
def test_wide_matrices_between_products_go_in_blocks_of_columns(target: str) -> None:
    """A hidden matrix that is too wide is computed in blocks of columns: operands of its width, plain and transposed
    right factors, and a narrower last block give exact results."""
    rng = np.random.default_rng(5)
    m, n, h = 25, 4, 650
    shapes = {"x": (m, n), "w1": (n, h), "g": (h, n), "r": (1, h), "s": (m, h), "w2": (h, n)}
    given = {name: whole(rng, shape, "f32", 1) for name, shape in shapes.items()}
    leading = {f"ld{name}": shape[1] + 1 for name, shape in shapes.items()}
    k = ts.equation(
        lambda x, w1, g, r, s, w2: ts.clamp((x @ w1 + r) * (x @ g.T) + s, -9.0, 9.0) @ w2 + x,
        target=target,
        **shapes,
        **leading,
    )
    assert "blocks of" in k.plan.way and "of a left factor in blocks of columns" in str(k.plan)
    x, w1, g, r, s, w2 = (each.astype(np.float64) for each in given.values())
    wanted = np.clip((x @ w1 + r) * (x @ g.T) + s, -9, 9) @ w2 + x
    if target == "neon":
        y = np.zeros((m, n), np.float32)
        k.run(*given.values(), y)
        np.testing.assert_array_equal(y, wanted)
        return
    for side in SIDES:
        y = guarded(np.zeros((m, n), np.float32), side, writable=True)
        k(*(guarded(each, side) for each in given.values()), y)
        np.testing.assert_array_equal(y, wanted)
        check_canary(y)


def test_attention_written_out_is_within_its_bound() -> None:
    rng = np.random.default_rng(3)
    m, keys, size = 70, 90, 24
    q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, size), (keys, size), (keys, size)))
    written = ts.equation(lambda q, k, v: ts.softmax(q @ k.T * 0.25, axis=1) @ v, q=q.shape, k=k.shape, v=v.shape)
    scores = q.astype(float) @ k.T.astype(float) * 0.25
    powers = np.exp(scores - scores.max(1, keepdims=True))
    weights = powers / powers.sum(1, keepdims=True)
    error = size * 2.0**-24 * (abs(q).astype(float) @ abs(k).T) * 0.25  # error bound of a score
    bound = (weights * (2 * error.max() + (keys + 16) * 2.0**-24)) @ abs(v).astype(float) * 2
    assert (abs(written(q, k, v) - weights @ v.astype(float)) <= bound).all()


@pytest.mark.parametrize("types", [("bf16", "bf16"), ("f32", "bf16"), ("f32", "i8")])
def test_products_of_narrow_types(types: tuple[str, str]) -> None:
    """The left factor may have another type than the weights, and results are rounded once."""
    held = {"bf16": ml_dtypes.bfloat16, "f32": np.float32, "i8": np.int8}
    rng = np.random.default_rng(4)
    x, w = (rng.integers(-3, 4, shape).astype(held[dtype]) for shape, dtype in zip(((37, 12), (12, 20)), types))
    b = rng.integers(-3, 4, (1, 20)).astype(np.float32)
    k = ts.equation(
        lambda x, w, b: ts.relu(x @ w + b),
        x=x.shape,
        w=w.shape,
        b=b.shape,
        dtype={"x": types[0], "w": types[1], "b": "f32"},
        out="f32",
    )
    np.testing.assert_array_equal(k(x, w, b), np.maximum(x.astype(float) @ w.astype(float) + b, 0))


def test_a_chain_is_a_kernel_like_others() -> None:
    k = ts.equation(mlp, x=(100, 16), w1=(16, 64), b1=(1, 64), w2=(64, 16), b2=(1, 16))
    assert pickle.loads(pickle.dumps(k)) is k
    assert "then in registers" in str(k.plan) and "scratch memory" in str(k.plan)
    assert k.spec.flops == 100 * (2 * 16 * 64 * 2 + 2 * 64 + 2 * 16)
    assert "const float *w2, const float *b2, float *y" in k.c_prototype


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: ts.equation(lambda x, w: x @ w, x=(4, 5), w=(4, 5)), ValueError, r"x @ w: 5 columns on the left, 4"),
        (lambda: ts.equation(lambda x, w: x @ w + x, x=(4, 5), w=(5, 6)), ValueError, "do not broadcast"),
        (lambda: ts.equation(lambda x, w: x.T @ w, x=(5, 4), w=(4, 6)), ValueError, "5 columns on the left, 4"),
        (lambda: ts.equation(lambda x, w: x @ w.T.T, x=(4, 5), w=(4, 5)), ValueError, "5 columns on the left, 4"),
        (
            lambda: ts.equation(lambda x, w: x @ np.ones((5, 6)), x=(4, 5), w=(4, 5)),
            TypeError,
            "both must be expressions",
        ),
        (
            lambda: ts.equation(lambda x, w, b: ts.select(b, x @ w, 0), dtype=MASKED, x=(4, 5), w=(5, 6), b=(4, 6)),
            ts.UnsupportedError,
            "masks of bits may only be results",
        ),
        (
            lambda: ts.equation(lambda x, w: x @ w, x=(4, 5), w=(5, 6), dtype="i32"),
            ts.UnsupportedError,
            "i32 arithmetic",
        ),
        (
            lambda: ts.equation(lambda x, w: x @ w > 0.0, x=(4, 5), w=(5, 6), order="F"),
            ts.UnsupportedError,
            "masks of bits",
        ),
        (
            lambda: ts.equation(lambda x, w: x @ w, x=(4, 5), w=(5, 6), ldw=ts.RUNTIME),
            ts.UnsupportedError,
            "ldw: must be",
        ),
        (lambda: ts.brgemm(4, 4, 4, epilogue=lambda c, w: c @ w), TypeError, "products .* not supported here"),
    ],
)
def test_what_is_no_chain_says_what_to_write(make: Callable[[], Any], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        make()
