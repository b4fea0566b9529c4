"""First calls of torch.compile, cold and warm: `tilesmith bench first_compile [--beside /path/of/another/checkout]`.

Each call compiles a model in a process of its own, whose torch, with torch._dynamo, is imported before. A figure is the
median of the processes' processor time in ms on one thread, beside the same by torch's backend that computes nothing
else (aot_eager), which is torch's own share: Dynamo, fake tensors and aot_autograd.

    cold     with an empty cache of kernels
    warm     with the entries that a process before has kept
    imports  of the modules of the backend, in warm processes
    ours     from a graph of ATen operators to a program, in warm processes
"""

import inspect
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.bench.processes import checkouts, told
from tests.bench.torch_compile import block, perceptron
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

MODELS = {
    "MLP of 256, 512, 512, 10": "perceptron(torch, (256, 512, 512, 10)), torch.randn(64, 256)",
    "block of 64, 4 heads": "block(torch, 64, 4), torch.randn(2, 16, 64)",
    "block of 384, 12 heads": "block(torch, 384, 12), torch.randn(8, 128, 384)",
}
PROGRAM = """
from __future__ import annotations
import json
from time import process_time as now
import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import min_cut_rematerialization_partition
{sources}
torch.set_num_threads(1)
model, x = {model}
known, imports, ours, backend = [0.0], 0.0, [0.0], "aot_eager"
if {mine}:
    start = now()
    from tilesmith.runtime.integrations.torch.compiling import call, registration
    registration.compiling.compiled
    imports, backend, planned = now() - start, registration.backend, call.GraphCall._planned
    def timed(self, sizes):
        start = now()
        made = planned(self, sizes)
        ours[0] += now() - start
        return made
    call.GraphCall._planned = timed
with torch.no_grad():
    start = now()
    torch.compile(model, backend=backend, fullgraph=True)(x)
    print(json.dumps([now() - start, imports, ours[0]]))
"""
GOALS = (Wanted("{model}, {checkout}: cold", 1.0, "cold", unit="s"),)


def first_calls(run: Run, name: str) -> Iterator[Row]:
    """Yield a row for each checkout."""
    if torch_module() is None:
        run.remark("needs torch")
        return
    sources = inspect.getsource(perceptron) + inspect.getsource(block)
    programs = {mine: PROGRAM.format(sources=sources, model=MODELS[name], mine=mine) for mine in (True, False)}
    found = defaultdict[tuple[Path, str], list[list[float]]](list)
    for turn in range(run.options.rounds):
        for checkout in checkouts(run):
            with tempfile.TemporaryDirectory() as where:
                for state in ("cold", "warm", "torch"):
                    if turn == 0 and state == "cold" or run.left:
                        mine = state != "torch"
                        found[checkout, state].append(told(programs[mine], checkout, where if mine else "off"))
    for checkout in checkouts(run):
        figures = {"cold": ("cold", 0), "warm": ("warm", 0), "torch": ("torch", 0), "imports": ("warm", 1)}
        figures["ours"] = ("warm", 2)
        yield {"checkout": checkout.name, "model": name} | {
            figure: statistics.median(each[place] for each in found[checkout, state])
            for figure, (state, place) in figures.items()
            if found[checkout, state]
        }


def _tables(run: Run) -> tuple[Table, ...]:
    columns = "checkout; model; cold ms=cold:0m; warm ms=warm:0m; torch's own=torch:0m; imports:0m; ours:1m"
    return (Table("first calls", columns, tuple(MODELS), first_calls, "processor time of first calls", GOALS),)


BENCH = Bench(
    "first_compile",
    __doc__,
    _tables,
    {
        "--rounds": {"type": int, "default": 5, "help": "processes for each figure"},
        "--beside": {"type": Path, "metavar": "CHECKOUT", "help": "another checkout to measure beside this one"},
    },
    alone=False,
    quick=("--rounds", "1"),
)
