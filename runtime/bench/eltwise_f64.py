"""`tilesmith bench eltwise --dtype f64`: activations of 16 Ki f64 compared with numpy and PyTorch in one run.

The output has cycles per element and the error that each form promises; docs/numerics.md has the errors that were
found. Contenders take turns on one processor, and each is timed by its best sample.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.records import NamedTuple
from ...microkernels.functions.activations import CATALOGUE, contract_of
from ..api.eltwise import request
from ..arguments.arrays import address_of
from ..host import detect as host
from ..kernel.callable import kernel
from . import measure
from .eltwise import ACCURACIES, NUMPY, TORCH, general_targets
from .goals import write_json
from .peers import elementwise as eltwise_peers

COUNT = 1 << 14
"""128 KiB: for larger temporary arrays, numpy may allocate memory from the system every time."""


class Row(NamedTuple):
    """One contender of a function."""

    function: str
    who: str  # a target, "numpy" or "torch"
    form: str  # an accuracy, or empty
    cycles: float  # per element
    promised: float  # ulp, of our kernels


def bench_eltwise_f64(target: str | None = None, seconds: float = 0.1, json_path: str | Path | None = None,
                      console: Console | None = None) -> list[Row]:  # fmt: skip
    """Measure with `seconds` per contender, and print. `target` is one name, or None for this host and what it
    contains."""
    console = console or Console(width=None if sys.stdout.isatty() else 120)
    host.native(target)
    names = [target] if target else general_targets()
    with measure.one_cpu():
        frequency = measure.frequency()
        rows = [row for function in measure.steps(CATALOGUE, "functions")
                for row in measured(function, names, seconds, frequency)]  # fmt: skip
    console.print(f"[bold]{host.brand()}[/], {frequency / 1e9:.2f} GHz, numpy {np.__version__}; {COUNT >> 10} Ki f64")
    table = Table()
    for heading in ("function", "by", "form", "cycles/element", "promised ulp"):
        table.add_column(heading, justify="right" if heading in ("cycles/element", "promised ulp") else "left")
    for row in rows:
        table.add_row(row.function, row.who, row.form, f"{row.cycles:.2f}", f"{row.promised:g}" if row.form else "")
    console.print(table)
    if json_path is not None:
        write_json(
            json_path, {"machine": host.brand(), "frequency": frequency, "rows": [row._asdict() for row in rows]}
        )
    return rows


def measured(function: str, targets: Sequence[str], seconds: float, frequency: float) -> Iterator[Row]:
    """Time every contender of a function in turns."""
    x, y = np.empty((1, COUNT)), np.empty((1, COUNT))
    x[...] = np.random.default_rng(1).uniform(0 if function == "log" else -8, 8, x.shape)
    contenders: dict[tuple[str, str], measure.Contender] = {}
    for name in targets:
        for form in ACCURACIES:
            spec = request("unary", function, 1, COUNT, dtype="f64", accuracy=form)
            made = kernel(spec, host.resolve(None if name == host.host().name else name), False)
            assert made.address is not None
            held = (made, x, y)
            contenders[name, form] = measure.NativeCall(made.address, (address_of(x), address_of(y)), held)
    if function in eltwise_peers.NUMPY:
        call = eltwise_peers.NUMPY[function]
        contenders[NUMPY, ""] = measure.PythonCall(lambda: call(x, y))
    torch = eltwise_peers.torch_module()
    baseline = torch and eltwise_peers.torch_call(torch, function, x, y)
    if baseline:
        contenders[TORCH, ""] = baseline
    timings = measure.seconds_per_call({" ".join(key): contender for key, contender in contenders.items()}, seconds)
    contract = contract_of(function, "f64")
    for who, form in contenders:
        cycles = timings[f"{who} {form}"].best / COUNT * frequency
        yield Row(function, who, form, cycles, contract.bound(form, 0).ulp if form else 0.0)
