"""`tilesmith bench eltwise`: activations and copies beside numpy and PyTorch in one run.

The functions run on 64 Ki f32, or 16 Ki f64 with `--dtype f64` (128 KiB: for larger temporary arrays, numpy may
allocate memory from the system every time). Errors in f32 are the largest of a million arguments; in f64 they are what
each form promises, and docs/numerics.md has those that were found. Kernels that mostly move memory are compared with
copies.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from ....encoder.features import Target
from ....microkernels.codegen.selection import arithmetic_of
from ....microkernels.errors import UnsupportedError
from ....microkernels.functions.accuracies import ACCURACIES
from ....microkernels.functions.activations import CATALOGUE, contract_of
from ....microkernels.machines.registry import facts_of
from ...api.eltwise import request, unary
from ...api.gather import gather
from ...api.typed import UnaryName
from ...arguments.arrays import Array
from ...host import detect as host
from ...kernel.callable import Kernel, kernel
from ..charts import Plot
from ..measure import Contender, PythonCall
from ..operands import native, placed
from ..peers import elementwise as peers
from ..runner import Bench, Run, Table
from ..table import Goal, Named, Row

COUNT = {"f32": 1 << 16, "f64": 1 << 14}
BAND = {"L1": 2048, "L2": 24 << 10}
"""f32 elements of each operand: three operands fill 24 KiB, and 288 KiB."""
MOVED = {"copy": 8, "relu": 8, "add": 12, "mul": 12}
"""Bytes per element that are read and written."""
PLACES = 4
FAST = ("tanh", "sigmoid", "gelu", "exp", "silu")
YARDSTICKS = ("tanh", "exp")
"""numpy functions that those of FAST are compared with; they are timed again together with each of them."""
OURS, NUMPY, TORCH = "ours", "numpy", "torch"


def _tables(run: Run) -> Iterator[Table]:
    names = [run.target] if run.target else general_targets()
    dtype = run.options.dtype or "f32"
    error = "max ulp=ulp:3" if dtype == "f32" else "promised ulp=ulp"
    functions: list[Row] = []
    yield Table("functions", f"function; by=who; form; cycles/element=cycles:2; {error}",
                [(function, names, dtype) for function in CATALOGUE], measured, f"{COUNT[dtype] >> 10} Ki {dtype}",
                lambda rows: functions.extend(rows) or (),  # type: ignore[func-returns-value]
                Plot("largest error, ulp=ulp:1", x="cycles an element=cycles:1", by=("contender",), panel="function",
                     log="xy", rows=_errors) if dtype == "f32" else None)
    if dtype == "f32":
        yield Table("bandwidth", "kernel; in=place; by=who; GB/s=rate:1G",
                    [(place, count, names[0]) for place, count in BAND.items()], _bands,
                    goals=lambda rows: goals(functions, rows, names[0]))
        yield Table("random", "target; function; ns/element=seconds:2n", ((names,),), _random,
                    "calls from Python that draw random numbers, and gathers")


def general_targets() -> list[str]:
    """Return this host and the general targets of other vector machines that it runs."""
    mine = host.host()
    others = [name for name in ("avx512", "avx2", "neon") if not host.runs(host.resolve(name))]
    return [mine.name, *(name for name in others if host.resolve(name).isa != mine.isa)]


# Functions


def measured(run: Run, function: str, targets: Sequence[str], dtype: str) -> Iterator[Row]:
    """Yield a row for every contender of a function, which take turns. Rows have the times of the yardsticks that were
    measured beside them."""
    count, wide = COUNT[dtype], dtype == "f64"
    x, y = (placed((1, count), dtype, place) for place in (0, 1))
    x[...] = np.random.default_rng(1).uniform(0 if function == "log" else -8, 8, x.shape)
    contenders: dict[tuple[str, str], Contender] = {}
    errors: dict[tuple[str, str], float] = {}
    for name in targets:
        for form in ACCURACIES:
            try:
                made = _kernel(function, name, count, form, dtype=dtype)
            except UnsupportedError:
                continue
            contenders[name, form] = native(made, [x, y])
            errors[name, form] = contract_of(function, "f64").bound(form, 0).ulp if wide else our_error(
                function, name, form)
    contenders |= _baselines(function, x, y, {} if wide else errors)
    turns = {f"{who} {form}": contender for (who, form), contender in contenders.items()}
    if function in FAST and not wide:
        turns |= {name: _numpy_call(name, x, y) for name in YARDSTICKS}
    best = {name: seconds / count for name, seconds in run.turns(turns).items()}
    beside = {f"numpy's {name}": best[name] for name in YARDSTICKS if name in best}
    for who, form in contenders:
        seconds = best[f"{who} {form}"]
        yield {"function": function, "who": who, "form": form, "seconds": seconds, "cycles": seconds * run.frequency,
               "ulp": errors.get((who, form), math.nan), **beside}


def _baselines(
    function: str, x: Array, y: Array, errors: dict[tuple[str, str], float]
) -> Mapping[tuple[str, str], Contender]:
    """Return numpy's and PyTorch's functions. Their errors are added to `errors` for f32."""
    found: dict[tuple[str, str], Contender] = {}
    arguments = peers.sample(CATALOGUE[function].contract.domain)
    result = np.empty_like(arguments)
    if function in peers.NUMPY:
        found[NUMPY, ""] = _numpy_call(function, x, y)
        with np.errstate(all="ignore"):
            peers.NUMPY[function](arguments, result)
        errors[NUMPY, ""] = _error(function, arguments, result, 0.0)
    torch = peers.torch_module()
    baseline = torch and peers.torch_call(torch, function, x, y)
    if baseline:
        found[TORCH, ""] = baseline
        theirs: Any = peers.torch_call(torch, function, arguments, result).function()  # type: ignore[union-attr]
        errors[TORCH, ""] = _error(function, arguments, theirs.numpy(), 0.0)
    return found


def _numpy_call(function: str, x: Array, y: Array) -> PythonCall:
    call = peers.NUMPY[function]
    return PythonCall(lambda: call(x, y))


def _kernel(name: str, target: str, count: int, accuracy: str = "fast", kind: str = "unary",
            dtype: str = "f32") -> Kernel:
    return kernel(request(kind, name, 1, count, dtype=dtype, accuracy=accuracy), _resolved(target), False)


def _resolved(target: str) -> Target:
    return host.resolve(None if target == host.host().name else target)


def our_error(function: str, target: str, accuracy: str) -> float:
    """Return the largest error of our function over the sample, in ulp."""
    contract = CATALOGUE[function].contract
    x = peers.sample(contract.domain)
    made: Any = _kernel(function, target, x.size, accuracy)(x.reshape(1, -1))
    tables: int = arithmetic_of(facts_of(_resolved(target))).tables
    return _error(function, x, made[0], contract.bound(accuracy, tables).floor)


def _error(function: str, x: Array, y: Array, floor: float) -> float:
    with np.errstate(all="ignore"):
        exact = peers.REFERENCES[function](x.astype(np.float64))
    return peers.ulp_error(y, exact, floor)


# Bandwidth


def _bands(run: Run, place: str, count: int, target: str) -> Iterator[Row]:
    """Measure every contender by its best of several memory placements: three arrays may by chance conflict in L1."""
    best: dict[str, float] = {}
    held = []  # so that the next arrays lie elsewhere
    for _ in range(PLACES):
        held.append([placed((1, count), "f32", each) for each in (2, 1, 0)])
        for array in held[-1]:
            array[...] = 1
        for label, seconds in run.turns(_movers(target, *held[-1]), run.seconds / PLACES).items():
            best[label] = min(best.get(label, math.inf), seconds)
    for label, seconds in best.items():
        name, who = label.split()
        yield {"kernel": name, "place": place, "who": who, "rate": MOVED[name] * count / seconds}


def _movers(target: str, x: Array, g: Array, y: Array) -> dict[str, Contender]:
    """Return kernels that mostly move memory, keyed by name and owner."""
    contenders: dict[str, Contender] = {"copy libc": peers.memcpy(x, y)}
    for name, of in (("copy", "identity"), ("relu", "relu")):
        contenders[f"{name} ours"] = native(_kernel(of, target, x.size), [x, y])
        contenders[f"{name} numpy"] = _numpy_call(name, x, y)
    for name, function in peers.NUMPY_BINARY.items():
        contenders[f"{name} ours"] = native(_kernel(name, target, x.size, kind="binary"), [x, g, y])
        contenders[f"{name} numpy"] = PythonCall(lambda function=function: function(x, g, out=y))  # type: ignore[misc]
    return contenders


# Random numbers

DRAWN: dict[str, Named] = {"uniform": {}, "dropout": {"rate": 0.1}, "round_stochastic": {"out": "f16"},
                                    "quantize": {"out": "i8", "scale": 0.1}}
SIDE, TABLE = 256, 4096


def _random(run: Run, targets: Sequence[str]) -> Iterator[Row]:
    """Yield the times of calls from Python that draw random numbers or gather, beside numpy."""
    rng = np.random.Generator(np.random.SFC64(1))
    x, y = rng.standard_normal((SIDE, SIDE), np.float32), np.empty((SIDE, SIDE), np.float32)
    outputs = {"f16": np.empty((SIDE, SIDE), np.float16), "i8": np.empty((SIDE, SIDE), np.int8)}
    table, index = x.ravel()[:TABLE], rng.integers(0, TABLE, (64, 64))
    out, bad = np.empty((64, 64), np.float32), np.empty(1, np.int64)
    taken = gather("offsets", 64, 64, size=TABLE, bounds="kernel")
    calls: dict[tuple[str, str, int], Any] = {
        ("numpy", "uniform (SFC64)", y.size): lambda: rng.random(out=y, dtype=np.float32),
        ("host", f"gather {TABLE}", out.size): partial(taken, table, index, out, bad),
        ("numpy", f"take {TABLE}", out.size): lambda: np.take(table, index, out=out, mode="clip")}
    for target, (name, more) in itertools.product(targets, DRAWN.items()):
        made: Any = unary(cast(UnaryName, name), SIDE, SIDE, target=_resolved(target), **more)
        seed = (5,) if name != "quantize" else ()
        given = (*(() if name == "uniform" else (x,)), *seed, outputs.get(more.get("out", ""), y))
        calls[target, f"{name} {more.get('out', '')}".rstrip(), y.size] = partial(made, *given)
    best = run.turns({str(key): PythonCall(call) for key, call in calls.items()})
    for key in calls:
        yield {"target": key[0], "function": key[1], "seconds": best[str(key)] / key[2]}


# Goals and the drawing


def goals(functions: Iterable[Row], bands: Sequence[Row], target: str) -> Iterator[Goal]:
    """Yield the goals of functions relative to numpy's and torch's, and of bandwidth relative to the faster copy."""
    found = {(row["function"], row["who"], row["form"]): row for row in functions}

    def ours(name: str, form: str, of: str = "seconds") -> float:
        figure: float = found.get((name, target, form), {}).get(of, math.nan)
        return figure

    def theirs(name: str, who: str) -> float:
        figure: float = found.get((name, who, ""), {}).get("seconds", math.nan)
        return figure

    def by_numpy(name: str, form: str, of: str) -> float:
        return ours(name, form, f"numpy's {of}") / ours(name, form)

    for name in FAST:
        for of, wanted in zip(YARDSTICKS, (2.0, 4.0)):
            yield Goal(f"fast {name}: numpy's {of} by ours", wanted, by_numpy(name, "fast", of))
        yield Goal(f"fast {name}: torch's {name} by ours", 2, theirs(name, TORCH) / ours(name, "fast"))
    for name in CATALOGUE:  # torch's gelu is off by more than 4 ulp in its tail
        known = [each for who in (NUMPY, TORCH) if not math.isnan(each := theirs(name, who))]
        if known:
            wanted = 1 / 1.3 if name == "gelu" else 1.0
            yield Goal(f"standard {name}: numpy or torch by ours", wanted, min(known) / ours(name, "standard"))
    yield Goal("accurate exp: numpy's exp by ours", 3, by_numpy("exp", "accurate", "exp"))
    yield Goal("accurate tanh: numpy's tanh by ours", 1.2, by_numpy("tanh", "accurate", "tanh"))
    for place in BAND:
        rates = {(row["kernel"], row["who"]): row["rate"] for row in bands if row["place"] == place}
        copy = max(rates["copy", OURS], rates["copy", "libc"])
        for name in ("relu", "add", "mul"):
            yield Goal(f"{name} in {place}, by copy", 0.9, rates[name, OURS] / copy)


_PLOTTED = 1e4
"""The largest error that a plot shows. A few peers lose all digits in the tails of sigmoid and gelu, 1e8 ulp, which
would squeeze all others into one decade."""


def _errors(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the contenders whose error was found, for the drawing."""
    for row in rows:
        if math.isfinite(row["ulp"]):
            who = f"{'this processor' if row['who'] == 'host' else row['who']} {row['form']}".rstrip()
            yield {**row, "contender": who, "ulp": min(max(row["ulp"], 0.4), _PLOTTED)}


BENCH = Bench("eltwise", __doc__, _tables, {"--target": {}, "--dtype": {"choices": tuple(COUNT)}})
