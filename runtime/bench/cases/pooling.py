"""`tilesmith bench pooling`: pooling, resizing, batch norm and permuted axes beside torch, in both of its layouts.

Both write a new array in each call, on one thread, from Python. Results are compared before they are timed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from ...arguments.arrays import Array
from ...images import norm, pooling, resize
from ...walks import permute
from ..measure import Contender, PythonCall
from ..peers.elementwise import torch_module
from ..runner import Bench, Run, Table
from ..table import Row, Wanted, WrongResult

if TYPE_CHECKING:
    from ...api.typed import ArrayLike

Function = Callable[["ArrayLike"], "ArrayLike"]
Baseline = Callable[[ModuleType], Function]
LAYOUTS = "NCHW", "NHWC"


def _functional(name: str, **named: object) -> Baseline:
    """Return a function of torch.nn.functional with these keywords."""
    return lambda torch: partial(getattr(torch.nn.functional, name), **named)


def _permuted(torch: ModuleType) -> Function:
    return lambda x: x.permute(0, 2, 3, 1).clone(memory_format=torch.contiguous_format)


CASES: list[tuple[str, tuple[int, ...], Function, Baseline]] = [
    (f"{name} {size}x{size}, stride {step}", shape, partial(ours, kernel_size=size, stride=step, padding=around),
     _functional(theirs, kernel_size=size, stride=step, padding=around))
    for size, step, around, shape in ((3, 2, 1, (1, 64, 112, 112)), (2, 2, 0, (1, 64, 112, 112)),
                                      (5, 1, 2, (1, 256, 20, 20)))
    for name, ours, theirs in (("max", pooling.max_pool2d, "max_pool2d"), ("average", pooling.avg_pool2d, "avg_pool2d"))
]
CASES += [("global average", shape, partial(pooling.adaptive_avg_pool2d, output_size=1),
           _functional("adaptive_avg_pool2d", output_size=1)) for shape in ((1, 2048, 7, 7), (1, 256, 56, 56))]
CASES += [
    ("bilinear, twice the extents", (1, 64, 56, 56), partial(resize.resize, scale_factor=2),
     _functional("interpolate", scale_factor=2, mode="bilinear")),
    ("batch norm, training", (8, 64, 56, 56), partial(norm.batch_norm, training=True),
     _functional("batch_norm", running_mean=None, running_var=None, training=True)),
    ("permute 0 2 3 1", (8, 64, 56, 56), partial(permute.permute, axes=(0, 2, 3, 1)), _permuted)]


def _measured(run: Run, name: str, shape: tuple[int, ...], ours: Function, baseline: Baseline, layout: str) -> Row:
    x: Array = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    if layout == "NHWC":
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    contenders: dict[str, Contender] = {"ours": PythonCall(lambda: ours(x))}
    torch = torch_module()
    if torch is not None:
        given, theirs = torch.from_numpy(x), baseline(torch)
        if not np.allclose(theirs(given).numpy(), ours(x), rtol=1e-4, atol=1e-4):
            raise WrongResult(f"{name} of {shape} {layout}: differs from torch")
        contenders["torch"] = PythonCall(lambda: theirs(given))
    best = run.turns(contenders)
    by = {"by torch": best["torch"] / best["ours"]} if "torch" in best else {}
    return {"request": name, "x": " x ".join(map(str, shape)), "layout": layout, **best, **by}


BENCH = Bench("pooling", __doc__, (
    Table("layers", "request; x; layout; us=ours:1u; torch us=torch:1u; by torch:2",
          [(*case, layout) for case in CASES for layout in LAYOUTS], _measured,
          goals=(Wanted("{request}, {x}, {layout}: speed to torch's", 1.0, "by torch"),)),))
