"""Epilogues of `ts.gemm` with results beside C and with random numbers equal those of one kernel over C, in blocks of
every kind, on any number of workers, between guard pages."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, laid_out
from tests.runtime.ops.test_gemm import cut, low, own, summed
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.ops.gemm import Gemm
from tilesmith.runtime.ops.product_parts import in_bytes

M, N, K = 45, 70, 33


def made(dtype: Any, order: str, beta: float = 0.0, **more: Any) -> Gemm:
    """Return a product with four results, whose first one drops elements and whose last one is a mask of bits."""
    ts.gemm.cache_clear()  # type: ignore[attr-defined]  # the blocks of a kept one may have been changed

    def epilogue(c, bias, gate):
        total = c + bias
        return ts.dropout(total, 0.25) * gate, total, ts.select(total > 0, 1.0, 0.0), total > 0

    operands = {"bias": ("row", "f32"), "gate": (None, "f32")}
    out = ("f32", "u8", None)
    product: Any = ts.gemm(
        M, N, K, dtype=dtype, order=order, beta=beta, epilogue=epilogue, operands=operands, out=out, **more
    )
    return product


def expected(a: Any, b: Any, bias: Any, gate: Any, order: str) -> tuple[Any, ...]:
    """Return the results for small integers, whose sums are exact; the units that stay are those of one kernel."""
    total = (a.astype(np.float64) @ b.astype(np.float64) + bias).astype(np.float32)
    kept = ts.unary("dropout", M, N, rate=0.25)(np.ones((M, N), np.float32), 11)
    bits = np.packbits(total > 0, axis=1 if order[2] == "C" else 0, bitorder="little")
    return total * kept * gate, total, (total > 0).astype(np.uint8), bits


CUTS = {
    "as planned": lambda product: product,
    "small": lambda product: cut(product, (16, 16, 8, 2, 1), False),
    "packed a": lambda product: cut(product, (30, 32, 48, 1, 1), True),
    "own b": lambda product: own(cut(product, (16, 32, 16, 2, 1), False)),
    "sums in scratch memory": lambda product: summed(cut(product, (30, 32, 16, 2, 1), True), 16, 4),
    "own sums": lambda product: low(cut(product, (30, 32, 16, 2, 1), True), 16, 4),
}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("way", CUTS)
@pytest.mark.parametrize(
    ("dtype", "order"), [("f32", "CCC"), ("f32", "FCF"), ("bf16", "CCC"), (("bf16", "bf16", "f32"), "CFC")]
)
@pytest.mark.grid(12)
def test_results_equal_numpy(dtype: Any, order: str, way: str, side: str) -> None:
    types = [
        ml_dtypes.bfloat16 if each == "bf16" else np.float32 for each in ([dtype] * 3, dtype)[type(dtype) is tuple]
    ]
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, shape).astype(kind) for shape, kind in zip(((M, K), (K, N)), types))
    bias, gate = rng.integers(-3, 4, N).astype(np.float32), rng.integers(0, 2, (M, N)).astype(np.float32)
    product = CUTS[way](made(dtype, order))
    product.__dict__["plan"] = in_bytes(product.spec, product.plan)
    x, y = (laid_out(each, at, 0, side, False) for each, at in zip((a, b), order))
    right = expected(a, b, bias, gate, order)
    kinds = types[2], np.float32, np.uint8, np.uint8
    outputs = [laid_out(np.zeros(each.shape, kind), order[2], 0, side) for each, kind in zip(right, kinds)]
    c, *others = outputs
    gate_in = laid_out(gate, order[2], 0, side, False)
    product(x, y, c, bias, gate_in, 11, *others)
    first, *rest = right
    np.testing.assert_array_equal(c, first.astype(types[2]))
    for found, wanted in zip(others, rest):
        np.testing.assert_array_equal(found, wanted)
    for each in (x, y, gate_in, *outputs):
        check_canary(each)
    again = [np.zeros_like(each) for each in outputs]
    product.on(3)(a if order[0] == "C" else np.asfortranarray(a), y, again[0], bias, gate_in, 11, *again[1:])
    assert all(np.array_equal(one, other) for one, other in zip(again, outputs))


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256", "amx"])
@pytest.mark.grid(1)
def test_workers_in_the_emulator_do_not_race(target: str) -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-2, 3, shape).astype(np.float32) for shape in ((M, K), (K, N)))
    bias, gate = np.ones(N, np.float32), np.ones((M, N), np.float32)
    product = cut(made("f32", "CCC", target=target), (16, 32, 16, 2, 1), False)
    found = product.run(a, b, None, bias, gate, 11, workers=3, turns=7)
    for one, right in zip(found, expected(a, b, bias, gate, "CCC")):
        np.testing.assert_array_equal(one, right)


def test_results_left_out_are_new_arrays_and_the_old_c_is_added() -> None:
    a, b = np.ones((M, K), np.float32), np.ones((K, N), np.float32)
    two = ts.gemm(M, N, K, beta=0, epilogue=lambda c: (c * 2, c))
    for _ in range(3):  # the second call goes through machine code
        double, plain = two(a, b)
        assert (double == 2 * K).all() and (plain == K).all()
    out = np.empty((M, N), np.float32), np.empty((M, N), np.float32)
    assert two(a, b, out=out) is out and (out[0] == 2 * K).all() and (out[1] == K).all()
    adding = ts.gemm(M, N, K, beta=1, epilogue=lambda c: (c, c + 1))
    c = np.full((M, N), 3, np.float32)
    more = adding(a, b, c)
    assert (c == K + 3).all() and (more == K + 4).all()


def test_overlapping_results_and_lacking_seeds_are_errors() -> None:
    a, b = np.ones((M, K), np.float32), np.ones((K, N), np.float32)
    product = ts.gemm(M, N, K, beta=0, epilogue=lambda c: (c, -c))
    c = np.empty((M, N), np.float32)
    with pytest.raises(ValueError, match="y1: .*overlap"):
        product(a, b, c, c)
    with pytest.raises(TypeError, match="seed"):
        ts.gemm(M, N, K, beta=0, epilogue=lambda c: ts.dropout(c, 0.5))(a, b)
    with pytest.raises(TypeError, match="out: only an epilogue"):
        ts.gemm(M, N, K, out="f32")
    with pytest.raises(UnsupportedError, match="compressed weights.*further results"):
        product(a, ts.compressed(np.ones((K, N), np.float32), "i4", group=K), c, c)


def test_layers_have_further_operands_results_and_random_numbers() -> None:
    rng = np.random.default_rng(7)
    x, w = (rng.integers(-2, 3, shape).astype(np.float32) for shape in ((M, K), (K, N)))
    bias, gate = rng.integers(-3, 4, N).astype(np.float32), rng.integers(0, 2, (M, N)).astype(np.float32)

    def activation(c, gate):
        return ts.dropout(c, 0.25) * gate, c, ts.select(c > 0, 1.0, 0.0), c > 0

    layer = ts.linear(M, N, K, activation=activation, operands={"gate": None}, out=("f32", "u8", None))
    packed, right = layer.pack(w), expected(x, w, bias, gate, "CCC")
    outputs = tuple(np.zeros_like(each) for each in right)
    for made in (
        layer(x, packed, bias, gate, 11),
        layer(x, packed, bias, gate, 11),  # through machine code
        layer(x, packed, bias, gate, 11, *outputs, threads=3),
        layer(x, packed, bias, gate, 11, *outputs),
        layer(x, packed, bias, seed=11, gate=gate, out=outputs),
        layer.run(x, w, bias, gate, 11, workers=2),
    ):
        for found, wanted in zip(made, right, strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert made is not outputs and layer(x, packed, bias, gate, 11, out=outputs) is outputs
    plain = ts.linear(M, N, K)
    assert plain.takes(packed) and str(layer.__signature__).startswith("(x, w, bias, gate, seed, y=None, y1=None")
    with pytest.raises(ValueError, match="parameter bias has the name"):
        ts.linear(M, N, K, activation=lambda c, bias: c + bias)
    with pytest.raises(TypeError, match="only an activation takes operands"):
        ts.linear(M, N, K, operands={"gate": None})


@pytest.mark.slow
def test_the_proof_covers_results_and_random_numbers() -> None:
    blocks = cut(ts.gemm(5, 20, 3, beta=0, epilogue=lambda c: (ts.relu(c), c, c > 1)), (4, 16, 3, 1, 1), False)
    assert blocks.verify()
    assert ts.linear(2, 5, 3, activation=lambda c: (ts.dropout(c, 0.25), c > 0)).verify()
    blocks.kernels.results = tuple(
        each._replace(view=each.view._replace(leading=16)) for each in blocks.kernels.results
    )
    blocks.__dict__.pop("job"), blocks.__dict__.pop("nest")
    assert not blocks.verify()
