"""torch.compile calls kernels without tracing the Python code that checks their arguments."""

import ast
import os
import subprocess
import sys

import pytest

CASES = {
    "kernel": "k = ts.fused('softmax', 8, 8); f = lambda a, b: k(a) + 1",
    "named": "k = ts.brgemm(8, 8, 8, beta=0); f = lambda a, b: k(a=a, b=b) + 1",
    "matmul": "f = lambda a, b: ts.matmul(a, b) + 1",
    "finished": "f = lambda a, b: ts.matmul(a, b, epilogue=lambda c: ts.relu(c)) + 1",
    "dispatch": "k = ts.dispatch(ts.unary, 'gelu'); f = lambda a, b: k(a) + b",
    "spread": "k = ts.spread(ts.fused('softmax', 8, 8)); f = lambda a, b: k(a) + 1",
    "gemm": "k = ts.gemm(8, 8, 8, beta=0); f = lambda a, b: k(a, b) + 1",
    "ladder": "k = ts.brgemm(8, 8, 8, beta=0, dtype='f32x3bf16'); f = lambda a, b: k(a, b) + 1",
    "rows": "k = ts.fused('softmax', ts.RUNTIME, 8); f = lambda a, b: k(a) + 1",
}

PROGRAM = """
import sys
import torch, tilesmith as ts
torch.manual_seed(1)
a, b = torch.randn(8, 8), torch.randn(8, 8)
for case in sys.argv[1:]:
    exec(case)
    made = torch.compile(f, backend="eager")(a, b)  # the first call of the kernel
    assert torch.equal(made, f(a, b)), case
    again = torch.compile(f, backend="eager")(b, a)
    assert torch.equal(again, f(b, a)), case
    torch._dynamo.reset()
    try:
        torch.compile(f, backend="eager", fullgraph=True)(a, b)
    except torch._dynamo.exc.Unsupported as error:
        assert "a kernel of Tilesmith is machine code" in str(error), (case, error)
        assert "torch.library.custom_op" in str(error), (case, error)
    else:
        raise AssertionError(f"the graph is whole: {case}")
    torch._dynamo.reset()
"""


@pytest.mark.slow
@pytest.mark.grid(1)  # a process that imports torch
@pytest.mark.parametrize("first", CASES)
def test_a_call_ends_the_graph(first):
    """The first call of all in a process, and further ones of other kinds."""
    pytest.importorskip("torch")
    cases = [CASES[first], *(case for name, case in CASES.items() if name != first)]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *cases], capture_output=True, text=True)
    assert not done.returncode, done.stderr


STAND_IN = """
import sys, types
import numpy as np
import tilesmith as ts
a = np.ones((4, 4), np.float32)
ts.matmul(a, a, threads=1)
told = []
dynamo = types.ModuleType("torch._dynamo")
dynamo.trace_rules = types.SimpleNamespace(add=told.append, {more})
sys.modules["torch._dynamo"] = dynamo
ts.matmul(a, a, threads=1)
ts.matmul(a, a, threads=1)
print((told, getattr(dynamo.trace_rules, "SKIP_DIRS", [])))
"""


@pytest.mark.parametrize("more", ["", "SKIP_DIRS=[]"])
def test_the_folders_are_named_once_but_for_those_of_operators(more):
    program = STAND_IN.format(more=more)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    told, folders = ast.literal_eval(done.stdout)
    if more:  # torch compiles its pattern of all folders in each call of `add`
        assert len(told) == 1 and all(map(os.path.isdir, folders))
        inside = (each.rstrip("/").rpartition("/tilesmith/")[2] for each in folders)
        told += [f"tilesmith.{each.replace('/', '.')}" for each in inside]
    assert len(told) == len(set(told))
    assert {"tilesmith.runtime.ops", "tilesmith.runtime.api", "tilesmith.microkernels"} <= set(told)
    assert not any("integrations" in each for each in told) and "tilesmith" not in told
