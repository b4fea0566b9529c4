"""`tilesmith bench fused`: softmax, norms, their derivatives, optimizers and attention beside numpy, torch, gcc and
copies, in one run.

Each size is labelled with the nearest cache that holds all operands. These are the baselines:

    numpy
    torch      PyTorch in eager mode, if it is installed
    compiled   the forward functions as torch.compile makes them, if there is a C++ compiler
    gcc        code with constant extents, if gcc is installed
    copy       the faster of two copies of the bytes of x and y: our kernel's and the C library's

Goals that the machine's bandwidth bounds are given as a share of that copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ....microkernels.fused.spec import FusedSpec
from ...api import fused as functions
from ...api.eltwise import unary
from ...arguments.arrays import Array
from ...host import detect as host
from ...kernel.accuracy import Accuracy
from ...kernel.callable import Kernel
from ..measure import Contender
from ..operands import filled, native, nearest_cache, placed
from ..peers import layers as baselines
from ..peers.elementwise import memcpy
from ..runner import Bench, Run, Table
from ..table import Goal, Named, Row, WrongResult
from . import attention, generation, optimizers

SHAPES = (64, 384), (256, 384), (1024, 384), (4096, 1024)
KERNELS: tuple[tuple[str, Accuracy], ...] = (
    ("softmax", "standard"), ("softmax", "fast"), ("layernorm", "standard"), ("rmsnorm", "standard"),
    ("softmax_inv", "standard"), ("layernorm_inv", "standard"), ("rmsnorm_inv", "standard"),
)
COPY_FOR_LONG_WAYS = 0.85
"""The share of copy bandwidth that suffices if operands do not lie in L2, whatever the baselines reach."""
AGREEMENT = 2.0**-10
"""Tolerance relative to the largest result: a baseline that differs more computes something else."""
OTHERS = ("torch", "compiled", "gcc", "numpy", "copy")


class LayerGoals(NamedTuple):
    """The goals of a layer: the speed relative to torch with operands in L2 (`near`) and beyond it (`far`), relative to
    gcc, to a copy in L2, and to torch.compile anywhere."""

    near: float = 0.0
    far: float = 0.0
    gcc: float = 0.0
    copy: float = 0.0
    compiled: float = 0.0


WANTED = {
    "softmax": LayerGoals(2.2, 2.0, 2.5, compiled=1.3), "fast softmax": LayerGoals(copy=0.45),
    "layernorm": LayerGoals(3.0, 2.0, 2.0), "rmsnorm": LayerGoals(3.0, 2.0, 2.0),
    "layernorm_inv": LayerGoals(2.0, 2.0), "rmsnorm_inv": LayerGoals(2.0, 2.0), "softmax_inv": LayerGoals(2.0, 2.0),
}


def _tables(run: Run) -> Iterator[Table]:
    target = host.native(run.target)
    layers = [(*kernel, shape, target) for kernel in KERNELS for shape in SHAPES]
    columns = "layer; rows x columns=shape; in=place; ns/element=per element:3n"
    yield Table("layers", columns + "".join(f"; {who}/ours=by {who}:2" for who in OTHERS), layers, layer,
                "f32, one thread", lambda rows: (goal for row in rows for goal in goals(row)))
    yield optimizers.table(target)
    yield attention.table(target)
    yield generation.table()


# Layers


def layer(run: Run, name: str, accuracy: Accuracy, shape: tuple[int, int], target: Target) -> Row:
    """Return the times of one layer and of its contenders."""
    eps: Named = {"eps": baselines.EPS} if "norm" in name else {}
    kernel: Kernel = functions.fused(name, *shape, accuracy=accuracy, target=target, **eps)
    spec = cast(FusedSpec, kernel.spec)
    rng = np.random.default_rng(0)  # the second operand of softmax_inv is no softmax, which does not affect the time
    arrays = [filled(placed((each.rows, each.columns), "f32", len(spec.operands) - i), rng)
              for i, each in enumerate(spec.operands)]
    x, y = arrays[0], arrays[len(spec.inputs)]
    copied = unary("identity", *shape, target=target)
    turns: dict[str, Contender] = {
        "ours": native(kernel, arrays), "own copy": native(copied, [x, y]), "libc": memcpy(x, y),
    }
    others = {"gcc": run.baseline(lambda: baselines.gcc_call(name, shape, arrays)),
              "torch": baselines.torch_call(name, arrays), "compiled": baselines.compiled_call(name, arrays),
              "numpy": baselines.numpy_call(name, arrays)}
    turns |= {who: call for who, call in others.items() if call is not None}
    if "gcc" in turns:
        _agrees(kernel, arrays, turns["gcc"])
    best = run.turns(turns)
    best["copy"] = min(best.pop("own copy"), best.pop("libc"))
    by = {f"by {who}": best.get(who, math.nan) / best["ours"] for who in OTHERS}
    return {"layer": f"{'fast ' * (accuracy == 'fast')}{name}", "shape": f"{shape[0]} x {shape[1]}",
            "place": nearest_cache(sum(each.nbytes for each in arrays)), **best, **by,
            "per element": best["ours"] / math.prod(shape)}


def _agrees(kernel: Kernel, arrays: Sequence[Array], baseline: Contender) -> None:
    results = arrays[len(cast(FusedSpec, kernel.spec).inputs) :]
    baseline.run(1)
    theirs = [each.copy() for each in results]
    native(kernel, arrays).run(1)
    for ours, other in zip(results, theirs):
        if not np.abs(ours - other).max() <= AGREEMENT * np.abs(other).max():
            raise WrongResult(f"{kernel.spec}: gcc's loops give other results")


def goals(row: Row) -> Iterator[Goal]:
    """Yield the goals of a layer. If operands come from L3 or memory, copy bandwidth suffices instead."""
    wanted, near = WANTED[row["layer"]], row["place"] in ("L1", "L2")
    what = f"{row['layer']} {row['shape']} ({row['place']})"

    def either(who: str, ratio: float) -> float:
        by: float = row[f"by {who}"]
        return math.nan if math.isnan(by) else max(by / ratio, row["by copy"] / COPY_FOR_LONG_WAYS)

    if wanted.near and near:
        yield Goal(f"{what}: torch by ours", wanted.near, row["by torch"])
    elif wanted.far:
        yield Goal(f"{what}: of {wanted.far:g} times torch, or {COPY_FOR_LONG_WAYS} of copy", 1.0,
                   either("torch", wanted.far))
    if wanted.compiled:
        yield Goal(f"{what}: of {wanted.compiled:g} times torch.compile, or {COPY_FOR_LONG_WAYS} of copy", 1.0,
                   either("compiled", wanted.compiled))
    if wanted.gcc and near:
        yield Goal(f"{what}: gcc by ours", wanted.gcc, row["by gcc"])
    if wanted.copy and near:
        yield Goal(f"{what}: by copy", wanted.copy, row["by copy"])


BENCH = Bench("fused", __doc__, _tables, {"--target": {}}, quick=("--seconds", "0.05"))
