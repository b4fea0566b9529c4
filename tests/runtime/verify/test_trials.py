"""Wrong bytes for which the prover finds no refutation are refuted by trials on numbers; right bytes never are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak
from tests.runtime.verify.test_nests import product
from tests.side_by_side.kernels import MAKERS, TARGETS
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.loops.code import Call
from tilesmith.runtime.loops.job import Job
from tilesmith.runtime.verify.check import verify
from tilesmith.runtime.verify.numbers import trials
from tilesmith.runtime.verify.numbers.definition import definition
from tilesmith.runtime.verify.requests import every_call

MORE: dict[str, Any] = {
    "brgemm bf16 17x19x23": lambda t: ts.brgemm(17, 19, 23, dtype="bf16", target=t),
    "brgemm bf16 relu 4x8x64": lambda t: ts.brgemm(
        4, 8, 64, dtype="bf16", beta=0.0, target=t, epilogue=lambda c, bias: ts.relu(c + bias)
    ),
    "brgemm f16 to f16 5x9x40": lambda t: ts.brgemm(5, 9, 40, dtype="f16", target=t),
    "brgemm f32 alpha beta 5x9x6": lambda t: ts.brgemm(5, 9, 6, alpha=1.5, beta=0.3, target=t),
    "stack 3x2x4": lambda t: ts.brgemm(3, 2, 4, stack=3, target=t),
    "mean of bf16 3x30": lambda t: ts.reduce("mean", 3, 30, axis=1, dtype="bf16", target=t),
    "product of f32 2x9": lambda t: ts.reduce("product", 2, 9, axis=1, target=t),
    "max of f32 3x11": lambda t: ts.reduce("max", 3, 11, axis=0, target=t),
    "absmax of f16 3x11": lambda t: ts.reduce("absmax", 3, 11, axis=1, dtype="f16", target=t),
    "min of i32 3x11": lambda t: ts.reduce("min", 3, 11, axis=None, dtype="i32", target=t),
    "sum of i8 3x11": lambda t: ts.reduce("sum", 3, 11, axis=1, dtype="i8", target=t),
    "sum of squares 3x11": lambda t: ts.reduce("sum", 3, 11, axis=1, squared="both", init=True, target=t),
    "relu of u8": lambda t: ts.unary("relu", 2, 40, dtype="u8", target=t),
    "tanh f32": lambda t: ts.unary("tanh", 1, 9, target=t),
    "softmax 3x9": lambda t: ts.fused("softmax", 3, 9, target=t),
    "attention 2x3x5x8": lambda t: ts.attention(2, 3, 5, 8, mask="full", target=t),
    "exclusive sums to each element 4x9": lambda t: ts.equation(
        lambda x: ts.cumsum(x, axis=1, exclusive=True), x=(4, 9), target=t
    ),
}
KERNELS = MAKERS | MORE
CASES = [(name, target) for at, name in enumerate(KERNELS) for target in (TARGETS if is_soak() else [TARGETS[at % 8]])]


@pytest.mark.parametrize(("name", "target"), CASES)
@pytest.mark.grid(12)
def test_right_kernels_are_not_refuted(name: str, target: str) -> None:
    """The definitions on numbers agree with kernels of every kind and type, whether proved or not."""
    try:
        kernel = KERNELS[name](target)
    except UnsupportedError:
        pytest.skip("no such kernel")
    calls = list(every_call(kernel.spec, kernel.kind)[1])[:2]
    for spec, call in calls:
        assert trials.wrong(kernel.code, kernel.target, spec, call) is None
    assert name not in MORE or any(definition(spec, call, kernel.target) for spec, call in calls)


def test_wrong_ones_are_with_inputs_and_an_element() -> None:
    """The bytes are of another request, and the prover alone finds no refutation."""
    least, most = (ts.reduce(name, 1, 6, axis=1, dtype="i32", target="avx2") for name in ("min", "max"))
    proof = verify(least.code, least.target, most.spec, most.kind)
    assert proof.refuted and proof.refutation is not None and proof.refutation.confirmed
    assert "confirmed in the emulator" in str(proof)


PAIRS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("avx2", {"name": "mean", "m": 1, "n": 12, "dtype": "bf16"}, {"n": 13}),  # a mean that is rounded twice
    ("avx512", {"name": "mean", "m": 5, "n": 8, "axis": 0, "dtype": "bf16"}, {"m": 6}),
    ("sse", {"name": "min", "m": 1, "n": 12}, {"n": 13}),  # an element that is rarely the minimum
    ("sve256", {"name": "min", "m": 1, "n": 11, "dtype": "bf16"}, {"n": 12}),
    ("neon", {"name": "min", "m": 1, "n": 12, "dtype": "i32"}, {"n": 13}),
    ("sse", {"name": "sum", "m": 1, "n": 3, "axis": 0, "dtype": "f64"}, {"name": "min"}),  # 0 + -0 is 0
    ("avx2", {"name": "mean", "m": 1, "n": 4, "axis": 0, "dtype": "bf16"}, {"name": "min"}),
]


@pytest.mark.parametrize(("target", "emitted", "change"), PAIRS)
def test_pairs_that_few_numbers_tell_apart(target: str, emitted: dict[str, Any], change: dict[str, Any]) -> None:
    """Trials include inputs in which each element decides the result, and results that are rounded once."""
    kernels = []
    for given in (emitted, emitted | change):
        given = {"axis": 1, **given}
        kernels.append(ts.reduce(given.pop("name"), given.pop("m"), given.pop("n"), target=target, **given))
    code, wanted = kernels
    proof = verify(code.code, code.target, wanted.spec, wanted.kind)
    assert proof.refuted and proof.refutation is not None and proof.refutation.confirmed, str(proof)


def _nest() -> Any:
    """Return the proof of a nest whose products are not added: every product calls the kernel of the first one."""
    whole = product("avx2")
    first: list[Any] = []

    def alone(nodes: tuple[Any, ...]) -> tuple[Any, ...]:
        made = []
        for node in nodes:
            if not isinstance(node, Call):
                made.append(replace(node, body=alone(node.body)))
                continue
            first.extend([node.kernel] * (len(node.arguments) == 3))
            made.append(replace(node, kernel=first[0]) if len(node.arguments) == 3 else node)
        return tuple(made)

    whole.__dict__["job"] = Job(alone(whole.nodes), whole.target)
    return whole.verify()


def _of_another(make: Any, *requests: Any) -> Any:
    code, wanted = (make(*each) for each in requests)
    return verify(code.code, code.target, wanted.spec, wanted.kind)


REFUTATIONS: dict[str, Any] = {
    "product": lambda: _of_another(lambda beta: ts.brgemm(2, 3, 4, beta=beta, target="avx2"), (0,), (1,)),
    "elementwise": lambda: _of_another(lambda name: ts.unary(name, 2, 5, target="neon"), ("relu",), ("abs",)),
    "reduction": lambda: _of_another(
        lambda name: ts.reduce(name, 2, 5, axis=1, dtype="bf16", target="avx2"), ("mean",), ("sum",)
    ),
    "fused": lambda: _of_another(lambda name: ts.fused(name, 2, 5, target="avx2"), ("softmax",), ("log_softmax",)),
    "attention": lambda: _of_another(
        lambda causal: ts.attention(1, 2, 3, 2, causal=causal, target="avx2"), (False,), (True,)
    ),
    "nest": _nest,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", REFUTATIONS)
def test_refutations_say_inputs_the_element_and_the_instruction(kind: str) -> None:
    proof = REFUTATIONS[kind]()
    assert proof.refuted and proof.refutation.confirmed, str(proof)
    text = str(proof.refutation)
    assert re.search(r"refuted: \w+\[.*\] becomes ", text), text
    assert re.search(r"written by 0x[0-9a-f]+: \w+ ", text), text
    assert re.search(r"\n  \w+(\[0\])? = \[.*\]\n", text), text
    assert "confirmed in the emulator" in text, text
    assert proof.refutation.offset is not None


def test_zeros_times_infinities_and_ties() -> None:
    kernel = ts.brgemm(2, 3, 4, dtype="bf16", target="avx2")
    ((spec, call),) = list(every_call(kernel.spec, kernel.kind)[1])
    expected = definition(spec, call, kernel.target)
    assert expected is not None
    before = {region.name: np.array(region.array) for region in call.regions}
    before["c"][...] = 0
    before["a[0]"][...], before["b[0]"][...] = 0, 0
    before["a[0]"][:, 0], before["b[0]"][0] = 1, 256
    before["a[0]"][:, 1], before["b[0]"][1] = 1, 1
    wanted = expected(before)["c"]
    assert (wanted.value == 256).all()  # 257 is a tie of bf16
    assert wanted.wrong(np.full((2, 3), 258, before["c"].dtype)).all()
    assert not wanted.wrong(np.full((2, 3), 256, before["c"].dtype)).any()
