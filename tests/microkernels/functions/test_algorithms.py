"""The algorithms of fast forms by name: which exist, which expression each one is, and which are refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import MACHINES, NATIVE, called, planned_kernel
from tilesmith.microkernels.eltwise.emit import emit
from tilesmith.microkernels.eltwise.plan import plan
from tilesmith.microkernels.expr.program import program
from tilesmith.microkernels.functions.accuracies import ALGORITHMS, TABLE
from tilesmith.microkernels.functions.activations import contract_of
from tilesmith.microkernels.machines.registry import TARGETS, facts_of
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
@pytest.mark.parametrize("target", MACHINES)
@pytest.mark.grid(8)
def test_its_error_is_that_of_its_form(name, algorithm, target):
    columns = 1000 if target in NATIVE else 87
    x = np.random.default_rng(1).uniform(-9, 9, (4, columns)).astype(np.float32)
    kernel = ts.unary(name, 4, columns, algorithm=algorithm, target=target)
    bound = contract_of(name).bound("fast", 16 if algorithm == TABLE else 0)
    exact = REFERENCES[name](x.astype(np.float64))
    assert ulp_error(called(kernel, [x])[0], exact, bound.floor) <= bound.ulp
    assert pickle.loads(pickle.dumps(kernel)).code == kernel.code


@pytest.mark.parametrize(("target", "registers"), [("neon", 4), ("sve128", 2)])
def test_a_table_of_several_registers_is_looked_up_at_once(target, registers):
    """A table of 16 f32 fills four registers of 128 bits. TBL of NEON reads all of them, TBL of SVE2 two at a time."""
    kernel = ts.unary("tanh", 3, 50, algorithm=TABLE, target=target)
    read = {line.count(",") - 1 for line in kernel.listing().splitlines() if " tbl " in line}
    assert read == {registers} and "tbx" not in kernel.listing()
    x, facts = np.linspace(-6, 6, 33, dtype=np.float32).reshape(3, 11), facts_of(TARGETS[target])
    spec = request("unary", "tanh", 3, 11, algorithm=TABLE)
    roomy, *scarce = (plan(spec, replace(facts, vector_registers=count)) for count in (32, 14, 10))
    assert roomy.code.missing < registers and all(each.code.missing >= registers for each in scarce)
    wanted, *made = (called(planned_kernel(spec, kernel.target, each, emit), [x])[0] for each in (roomy, *scarce))
    assert all((each == wanted).all() for each in made)


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
    (ts.UnsupportedError, "looks up 4 f32 in one", "tanh", {"algorithm": "table", "target": "sse"}),
    (ts.UnsupportedError, "tables exist for f32 only", "gelu", {"algorithm": "table", "dtype": "f64"}),
]


@pytest.mark.parametrize(("error", "says", "name", "named"), REFUSED)
def test_refusals_name_what_there_is(error, says, name, named):
    with pytest.raises(error) as refused:
        ts.unary(name, 2, 2, **named)
    assert says in str(refused.value)
    if error is ts.UnsupportedError and "tables" not in says:
        assert all(each in str(refused.value) for each in chain(ALGORITHMS, *ALGORITHMS.values()))
