"""Attention with a mask for each pair and a number of keys of the call raised ValueError about `ldmask` where a block
has more keys than there are: it planned blocks of keys that no call can have. Its gradients did, too."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import called, runs_here
from tests.microkernels.attention.test_attention import arrays, wanted
from tests.microkernels.attention.test_inverse import TINY, drawn

TARGETS = ("sse", "avx2", "avx512", "amx", "neon", "sve256")


@pytest.mark.parametrize("target", TARGETS)
def test_forward(target):
    extents = [(2, 7), (16, 16), (33, 33)] if runs_here(target) else [(2, 5)]
    for queries, keys in extents:
        options = {"dtype": "bf16" if target == "amx" else "f32", "lse": True, "target": target}
        kernel = ts.attention(1, queries, keys, 8, causal=True, mask="full", seen=ts.RUNTIME, **options)
        q, k, v, mask = arrays(kernel.spec, np.random.default_rng(keys))
        for seen in {queries, keys}:
            found = called(kernel, [q, k, v, mask, seen])
            spec = SimpleNamespace(spec=replace(kernel.spec, keys=seen))
            out, bound, lse, far = wanted(spec, q, k[:, :seen], v[:, :seen], mask[:, :seen])
            assert (abs(found[0] - out) <= bound).all() and (abs(found[1] - lse) <= far).all()


@pytest.mark.parametrize("causal", [False, True])
def test_backward(causal):
    kernel = ts.attention_inv(1, 5 if causal else 33, 5, 8, causal=causal, mask="full", seen=ts.RUNTIME)
    given, exact, bounds = drawn(kernel.spec, np.random.default_rng(1))
    for found, gradient, bound in zip(called(kernel, [*given, 5]), exact, bounds):
        assert (abs(found - gradient) <= bound + TINY).all()
