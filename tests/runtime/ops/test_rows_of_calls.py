"""ts.gemm, ts.linear and ts.mlp of any number of rows: against numpy in float64, and against those of a number of rows,
on any number of threads, between guard pages and in the emulator."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.profiles import is_soak
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.loops.blob import Blob
from tilesmith.runtime.loops.code import Call, index
from tilesmith.runtime.ops import proofs, row_nest

R = ts.RUNTIME
ROWS = (0, 1, 5, 300)


def drawn(*shape: int, dtype: str = "f32") -> Any:
    """Return integers so small that sums are exact."""
    return np.random.default_rng(sum(shape)).integers(-3, 4, shape).astype(numpy_dtype(dtype))


def relu(c: ts.Expr, bias: ts.Expr) -> ts.Expr:
    return ts.relu(c + bias)


@pytest.mark.parametrize(
    ("dtype", "k", "beta", "alpha", "order", "fused"),
    [
        ("f32", 2100, 0, 1, "CCC", False),
        ("f32", 2100, 0, 1, "CFC", True),
        ("f32", 2100, 1, 2, "CCC", True),
        ("f64", 30, -1, 1, "CCC", True),
        ("bf16", 70, 0, 1, "CCC", True),
        ("bf16", 70, 1, 1, "CCC", False),
        ("bf16", 2100, 1, 1, "CCC", True),
    ],
)
def test_products(dtype: Any, k: int, beta: int, alpha: int, order: Any, fused: bool) -> None:
    """Long sums lie in C, or in scratch memory where C is narrower; short ones stay in registers."""
    n, epilogue = 70, {"epilogue": relu} if fused else {}
    product: Any = ts.gemm(R, n, k, dtype=dtype, beta=beta, alpha=alpha, order=order, **epilogue)
    b, bias = drawn(k, n, dtype=dtype), drawn(n, dtype=dtype)
    for m in ROWS:
        a, c = drawn(m, k, dtype=dtype), drawn(m, n, dtype=dtype)
        wanted = alpha * (a.astype(float) @ b.astype(float)) + beta * c.astype(float)
        wanted = np.maximum(wanted + bias.astype(float), 0) if fused else wanted
        given = [guarded(a, SIDES[m % 2]), b] if m else [a, b]
        for _ in range(3):  # machine code checks the third call of a number of rows
            out = guarded(c, SIDES[m % 2], writable=True) if m else c.copy()
            product(*given[:1], b if order[1] == "C" else np.asfortranarray(b), out, *[bias] * fused, threads=2)
            assert (out == wanted.astype(c.dtype)).all(), m
            if m:
                check_canary(out)


def test_several_results_masks_and_dropout() -> None:
    """Those of a product of the number of rows, in which each element has its own random numbers."""

    def epilogue(c: ts.Expr, bias: ts.Expr, x: ts.Expr) -> tuple[ts.Expr, ...]:
        return ts.dropout(ts.relu(c + bias), 0.5) + x, c > 0, c * 2

    made: list[Any] = [ts.gemm(m, 100, 30, beta=0, epilogue=epilogue, operands={"x": None}, origin=R) for m in (R, 77)]
    a, b, bias, x = drawn(77, 30), drawn(30, 100), drawn(100), drawn(77, 100)
    for one, other in zip(*(k(a, b, None, bias, x, 7, 3, 11) for k in made), strict=True):
        assert np.array_equal(one, other)
    few = made[0].run(a[:3], b, None, bias, x[:3], 7, 3, 11, workers=3)
    assert all(np.array_equal(one[:3], other) for one, other in zip(made[0](a, b, None, bias, x, 7, 3, 11), few))


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_layers(dtype: Any) -> None:
    layer: Any = ts.linear(R, 70, 50, dtype=dtype, activation=ts.relu)
    weights, bias = drawn(50, 70, dtype=dtype), drawn(70, dtype=dtype)
    packed = layer.pack(weights)
    again = pickle.loads(pickle.dumps(layer))
    assert again.takes(pickle.loads(pickle.dumps(packed))) and not ts.linear(5, 70, 50, dtype=dtype).takes(packed)
    for m in ROWS:
        x = drawn(m, 50, dtype=dtype)
        wanted = np.maximum(x.astype(float) @ weights.astype(float) + bias.astype(float), 0).astype(x.dtype)
        for _ in range(3):
            made = layer(x, packed, bias)
            assert made.shape == (m, 70) and (made == wanted).all()
        assert layer(x, packed, bias, made) is made
    assert (layer.run(x[:9], weights, bias, workers=2) == wanted[:9]).all()
    with pytest.raises(ValueError, match=r"y: .* of shape \(5, 70\)"):
        layer(x[:5], packed, bias, made)
    assert "m" in str(layer.plan) + layer.name and layer.table(5).dtype == np.int64


def test_networks() -> None:
    net: Any = ts.mlp(R, [40, 33, 10], activation=ts.relu)
    weights, biases = [drawn(40, 33), drawn(33, 10)], [drawn(33), drawn(10)]
    packed = pickle.loads(pickle.dumps(net)).pack(weights)
    for m in ROWS:
        x = drawn(m, 40)
        wanted = np.maximum(x.astype(float) @ weights[0] + biases[0], 0) @ weights[1] + biases[1]
        made = net(x, packed, biases, threads=2)
        assert made.shape == (m, 10) and (made == wanted).all()
    assert (net.run(x[:9], weights, biases, workers=2) == wanted[:9]).all()


def test_any_number_of_threads_gives_the_same_bits() -> None:
    a, b = (np.random.default_rng(3).standard_normal(shape, np.float32) for shape in ((333, 90), (90, 130)))
    product: Any = ts.gemm(R, 130, 90, beta=0, epilogue=ts.gelu)
    one = product(a, b, threads=1)
    assert all(np.array_equal(product(a, b, threads=threads), one) for threads in (2, 3, 7))


def moved(nest: Any) -> Any:
    return replace(nest, a=replace(nest.a, row=nest.a.row + 4))


def unscaled(nest: Any) -> Any:
    return replace(nest, kernels=replace(nest.kernels, alpha=1.0))


def longer(nodes: Any) -> Any:
    """Return loops whose products have one row more than the pieces."""
    if isinstance(nodes, Call):
        return replace(nodes, arguments=tuple(index("rows") + 1 if x == index("rows") else x for x in nodes.arguments))
    return replace(nodes, body=tuple(longer(each) for each in nodes.body))


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.gemm(R, 20, 3, dtype="bf16", beta=1, target="avx2"),
        lambda: ts.linear(R, 9, 2, activation=ts.relu, target="avx2"),
        lambda: ts.mlp(R, [2, 2, 2], target="avx2"),
    ],
    ids=["product", "layer", "network"],
)
@pytest.mark.grid(1)
def test_any_number_of_rows_is_proved(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the kernels, whose own proofs take seconds."""
    left_out, made = list[Any](), make()
    monkeypatch.setattr("tilesmith.runtime.ops.proofs.verify", lambda code, *_: left_out.append(code) or True)
    proof = made.verify()
    what = {each.what for each in proof.claims}
    assert proof and len(left_out) >= 2 and "threads" in what and ("rows" in what or hasattr(made, "layers")), str(
        proof
    )


@pytest.mark.skipif(not is_soak(), reason="20 s: part of make soak")
@pytest.mark.parametrize("target", ["avx2", "avx512_bf16", "neon_bf16", "sve256"])
@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_kernels_of_any_number_of_rows_are_proved(dtype: Any, target: str) -> None:
    assert ts.linear(R, 24, 5, dtype=dtype, activation=ts.relu, target=target).verify()


@pytest.mark.parametrize("change", [moved, unscaled, longer])
def test_wrong_jobs_have_no_proof(change: Any) -> None:
    made: Any = ts.gemm(R, 8, 3, alpha=2, target="avx2")
    nodes = made.nest.nodes()
    wrong = tuple(map(longer, nodes)) if change is longer else change(made.nest).nodes()
    proof = proofs._of_product(made, Blob(wrong, made.target), *made._scratch, (1,))
    assert not proof and (proof.refuted or change is unscaled), str(proof)


def test_tables_that_leave_out_or_repeat_are_seen() -> None:
    nest: Any = ts.gemm(R, 100, 3).nest
    table = row_nest.row_table(np.array([600]), 100, 32, nest.rows)
    assert row_nest.covers(table, 600, 100, nest.rows) and not row_nest.covers(table, 601, 100, nest.rows)
    for place in range(len(row_nest.PIECE) - 1):
        wrong = table.copy()
        wrong[1 - len(row_nest.PIECE) + place] += 1
        assert not row_nest.covers(wrong, 600, 100, nest.rows)


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: ts.gemm(8, R, 4, order="F"), "the transpose"),
        (lambda: ts.gemm(R, 8, 4, epilogue=lambda c: (c, ts.statistic("sum", c))), "a statistic"),
        (lambda: ts.gemm(R, 8, 4, lda=R), "leading dimensions"),
    ],
    ids=range(3),
)
def test_what_is_refused_says_what_works(make: Any, rule: str) -> None:
    with pytest.raises(ts.UnsupportedError, match=rule):
        make()


@pytest.mark.parametrize("name", ["k", "n"])
def test_other_extents_of_the_call_are_refused_by_name(name: str) -> None:
    for make, more in ((ts.gemm, {}), (ts.gemm, {"order": "F"}), (ts.linear, {})):
        with pytest.raises(ts.UnsupportedError, match=rf"^{name}: must be a number, .* ts.brgemm takes {name}=ts.RUN"):
            make(**{"m": 5, "n": 4, "k": 3, name: R}, **more)


def test_arguments_of_layers() -> None:
    layer, w, bias = ts.linear(R, 5, 7), ts.linear(4, 5, 7).pack(np.ones((7, 5), "f4")), np.ones(5, "f4")
    with pytest.raises(ValueError, match=r"x: f32 of shape \(m, 7\), .*; x.reshape\(-1, 7\)"):
        layer(np.ones((2, 4, 7), "f4"), layer.pack(np.ones((7, 5), "f4")), bias)
    x = np.ones((4, 7), "f4")
    for other, words in ((layer, "any number of rows"), (ts.linear(4, 6, 7), "7 x 5 weights.* has 7 x 6 weights")):
        with pytest.raises(TypeError, match=f"w: must be packed for this layer, .*{words}"):
            other(x, w, bias)
