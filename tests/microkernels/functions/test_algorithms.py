"""The algorithms of fast forms by name: which exist, which expression each one is, and which are refused."""

from __future__ import annotations

import pickle
from itertools import chain

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import NATIVE
from tilesmith.microkernels.expr.program import program
from tilesmith.microkernels.functions.accuracies import ALGORITHMS, TABLE
from tilesmith.microkernels.functions.activations import contract_of
from tilesmith.runtime.api.eltwise import request
from tilesmith.runtime.bench.peers.elementwise import REFERENCES, ulp_error

EVERY = [(name, algorithm) for name, algorithms in ALGORITHMS.items() for algorithm in algorithms]


@pytest.mark.parametrize(("name", "algorithm"), EVERY)
def test_an_algorithm_is_the_fast_form_of_some_machine(name, algorithm):
    """The named form equals the fast form of a machine that looks up 16 f32 values or of one that does not. The sweep
    over all f32 measures both."""
    named, fast = (request("unary", name, 3, 50, **more) for more in ({"algorithm": algorithm}, {"accuracy": "fast"}))
    tables, others = (16, 0) if algorithm == TABLE else (0, 16)
    assert program(*named.expanded(16)) == program(*fast.expanded(tables)) != program(*fast.expanded(others))


@pytest.mark.parametrize(("name", "algorithm"), EVERY)
@pytest.mark.parametrize("target", NATIVE)
def test_its_error_is_that_of_its_form(name, algorithm, target):
    x = np.random.default_rng(1).uniform(-9, 9, (4, 1000)).astype(np.float32)
    try:
        kernel = ts.unary(name, 4, 1000, algorithm=algorithm, target=target)
    except ts.UnsupportedError as error:
        assert algorithm == TABLE and "looks up 16 f32" in str(error)
        return
    bound = contract_of(name).bound("fast", 16 if algorithm == TABLE else 0)
    exact = REFERENCES[name](x.astype(np.float64))
    assert ulp_error(kernel(x), exact, bound.floor) <= bound.ulp
    assert pickle.loads(pickle.dumps(kernel)).code == kernel.code


def test_the_default_accuracy_does_not_matter():
    fast = ts.unary("tanh", 3, 50, accuracy="fast", target="avx2")
    before = ts.set_accuracy("accurate")
    try:
        assert ts.unary("tanh", 3, 50, algorithm="pade", target="avx2").code == fast.code
    finally:
        ts.set_accuracy(before)


REFUSED = [
    (ValueError, "one of 'table', 'pade', 'exp'", "tanh", {"algorithm": "ratio"}),
    (ValueError, 'only with accuracy="fast", not', "tanh", {"algorithm": "pade", "accuracy": "accurate"}),
    (ts.UnsupportedError, "tanh has table or pade, not exp", "tanh", {"algorithm": "exp"}),
    (ts.UnsupportedError, "log has one fast form only", "log", {"algorithm": "exp"}),
    (ts.UnsupportedError, "no function of this kernel has a choice", "relu", {"algorithm": "table"}),
    (ts.UnsupportedError, "tables exist for f32 only", "gelu", {"algorithm": "table", "dtype": "f64"}),
]


@pytest.mark.parametrize(("error", "says", "name", "named"), REFUSED)
def test_refusals_name_what_there_is(error, says, name, named):
    with pytest.raises(error) as refused:
        ts.unary(name, 2, 2, **named)
    assert says in str(refused.value)
    if error is ts.UnsupportedError and "tables" not in says:
        assert all(each in str(refused.value) for each in chain(ALGORITHMS, *ALGORITHMS.values()))
