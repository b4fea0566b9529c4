"""Heads side by side and with gaps: the bits of the kernel for dense heads, and no byte outside the elements."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import FOREIGN, called, runs_here
from tilesmith.microkernels.attention.spec import attention_spec
from tilesmith.microkernels.operands import Operand
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.testing.guard import SIDES

OPERANDS = {"attention": ("q", "k", "v", "out"), "attention_inv": ("g", "q", "k", "v", "out", "gq", "gk", "gv")}
TARGETS = ("sse", "avx2", "avx512", "avx512_bf16", "amx", *FOREIGN)


def drawn(rng: np.random.Generator, heads: int, rows: int, size: int) -> tuple[str, int]:
    """Return an order and a leading dimension in elements, with or without gaps."""
    order = str(rng.choice(["C", "F"]))
    return order, size * ((rows if order == "C" else heads) + int(rng.choice([0, 1, 5])))


def laid_out(operand: Operand, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the values with the strides that the request asks for."""
    if operand.group == 1:
        return values
    heads, rows, size = values.shape
    order, leading = operand.view
    lines, length = (heads, rows) if order == "C" else (rows, heads)
    made = np.zeros((lines, int(leading), size), values.dtype)[:, :length]  # type: ignore[call-overload]
    made = made if order == "C" else made.transpose(1, 0, 2)
    made[...] = values
    return made


def results(kernel: ts.Kernel, arrays: list[Any], side: str) -> list[Any]:
    """Return the results of a kernel between guard pages if this processor runs it, else emulated."""
    spec = kernel.spec
    made = [laid_out(each, np.full(each.shape, 7, numpy_dtype(each.dtype))) for each in spec.outputs]
    given = [laid_out(each, array) for each, array in zip(spec.inputs, arrays)]
    return called(kernel, given, side, made)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("request_name", OPERANDS)
@pytest.mark.grid(6)
def test_same_bits(request_name, target):
    """Each type, with and without a causal mask, in drawn orders of every operand."""
    rng = np.random.default_rng([TARGETS.index(target), len(request_name)])
    make, emulated = getattr(ts, request_name), not runs_here(target)
    for number, dtype in enumerate(("f32", "bf16", "f16", "f64")):
        if emulated and number % 2 != TARGETS.index(target) % 2 or target == "sse" and dtype in ("bf16", "f16"):
            continue  # two of the types on each machine; SSE has no products of 16 bits
        queries, keys = (int(each) for each in rng.integers(2, 9 if emulated else 70, 2))
        kv, group, size = 2, 1 + (number % 2 if queries >= 16 else 0), int(rng.integers(2, 7 if emulated else 40))
        options: dict[str, Any] = {"kv_heads": kv, "dtype": dtype, "target": target, "causal": number < 2}
        extents = kv * group, queries, keys, size
        of_keys = dict.fromkeys(("k", "v", "gk", "gv"), (kv, keys))
        places = {name: drawn(rng, *of_keys.get(name, (kv * group, queries)), size) for name in OPERANDS[request_name]}
        dense = make(*extents, **options)
        kernel = make(
            *extents,
            **options,
            order={name: order for name, (order, _) in places.items()},
            **{f"ld{name}": leading for name, (_, leading) in places.items()},
        )
        arrays = [rng.standard_normal(each.shape).astype(numpy_dtype(each.dtype)) for each in dense.spec.inputs]
        for side in SIDES[: 1 if emulated else 2]:
            for found, wanted in zip(results(kernel, arrays, side), results(dense, arrays, side)):
                assert found.tobytes() == wanted.tobytes(), (dtype, extents, places)


def test_against_numpy():
    """One array holds q, k and v of all heads, as a projection makes them, and out lies as the next one reads it."""
    both, rng = np.float64, np.random.default_rng(3)
    joint = rng.standard_normal((30, 3, 4, 16)).astype(np.float32)
    q, k, v = joint.transpose(1, 2, 0, 3)
    out = ts.attention(4, 30, 30, 16, order="F", ldq=192, ldk=192, ldv=192)(q, k, v)
    assert out.transpose(1, 0, 2).flags.c_contiguous
    score = np.einsum("hqs,hks->hqk", q, k, dtype=both) / 4
    power = np.exp(score - score.max(2, keepdims=True))
    wanted = np.einsum("hqk,hks->hqs", power / power.sum(2, keepdims=True), v, dtype=both)
    assert abs(out - wanted).max() < 1e-5  # bounds by element: test_attention.py, whose bits these are


def test_equal_requests():
    """Orders and leading dimensions without effect make the same request; others survive a pickle."""
    dense = attention_spec(4, 1, 7, 8)
    leading = {"ldq": 32, "ldout": 8, "ldk": 7 * 8}
    assert attention_spec(4, 1, 7, 8, order={"q": "F", "out": "C"}, leading=leading) == dense
    kernel = ts.attention(4, 5, 7, 8, order={"v": "F"}, ldv=40)
    assert kernel.spec != ts.attention(4, 5, 7, 8).spec
    assert pickle.loads(pickle.dumps(kernel)).spec == kernel.spec
    assert kernel.name != ts.attention(4, 5, 7, 8, order={"v": "F"}, ldv=48).name
    assert "v   f32 (4, 7, 8), strides (8, 40, 1) in elements" in str(kernel.__doc__)


@pytest.mark.parametrize(
    ("keywords", "kind", "text"),
    [
        ({"order": "G"}, ValueError, "order: one of 'C', 'F', not 'G'"),
        (
            {"order": {"lse": "F"}},
            ValueError,
            "order: lse is no operand whose heads have an order; these are q, k, v, out",
        ),
        ({"ldq": 39}, ValueError, "ldq: at least 40 elements"),
        ({"ldq": 44}, ts.UnsupportedError, "ldq: a multiple of the 8 elements of a line, not 44"),
        ({"ldk": ts.RUNTIME}, ts.UnsupportedError, "ldk: a number of elements, not ts.RUNTIME"),
    ],
)
def test_refused(keywords, kind, text):
    with pytest.raises(kind, match=text):
        ts.attention(2, 5, 5, 8, **keywords)


def test_error_of_a_call_names_the_request():
    dense = np.zeros((2, 5, 8), np.float32)
    joint = np.zeros((5, 3, 2, 8), np.float32).transpose(1, 2, 0, 3)
    with pytest.raises(ValueError, match=r'q: strides .* a kernel with order={"q": "F"}, ldq=48 takes it'):
        ts.attention(2, 5, 5, 8)(joint[0], dense, dense)
    with pytest.raises(ValueError, match=r'k: strides .* a kernel with order={"k": "C"} takes it'):
        ts.attention(2, 5, 5, 8, order="F", ldq=48)(joint[0], dense, dense)
    with pytest.raises(ValueError, match=r"q: strides .* np.ascontiguousarray\(q\) copies it"):
        ts.attention(2, 5, 5, 8)(np.zeros((2, 5, 16), np.float32)[:, :, ::2], dense, dense)


def test_proved():
    """The proof reads and writes the elements where the request says they lie."""
    assert ts.attention(2, 1, 2, 2, order="F", ldk=8, target="avx2").verify()
