"""`tilesmith bench pooling`: pooling, resizing, batch norm and permuted axes beside torch, in both of its layouts.

Both write a new array in each call, on one thread, from Python. Results are compared before they are timed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...arguments.arrays import Array
from ...images import norm, permute, pooling, resize
from ..measure import Contender, PythonCall
from ..peers.elementwise import torch_module
from ..runner import Bench, Run, Table
from ..table import Goal, Row, WrongResult

Function = Callable[[Any], Any]
LAYOUTS = "NCHW", "NHWC"


def _resized(torch: Any, x: Any) -> Any:
    return torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear")


def _normalised(torch: Any, x: Any) -> Any:
    return torch.nn.functional.batch_norm(x, None, None, training=True)


Baseline = Callable[[Any, Any], Any]
CASES: tuple[tuple[str, tuple[int, ...], Function, Baseline], ...] = (
    *(
        (
            f"{name} {size}x{size}, stride {step}",
            shape,
            partial(ours, kernel_size=size, stride=step, padding=around),
            baseline,
        )
        for size, step, around, shape in (
            (3, 2, 1, (1, 64, 112, 112)),
            (2, 2, 0, (1, 64, 112, 112)),
            (5, 1, 2, (1, 256, 20, 20)),
        )
        for name, ours, baseline in (
            (
                "max",
                pooling.max_pool2d,
                lambda torch, x, size=size, step=step, around=around: torch.nn.functional.max_pool2d(
                    x, size, step, around
                ),
            ),
            (
                "average",
                pooling.avg_pool2d,
                lambda torch, x, size=size, step=step, around=around: torch.nn.functional.avg_pool2d(
                    x, size, step, around
                ),
            ),
        )
    ),
    *(
        ("global average", shape, partial(pooling.adaptive_avg_pool2d, output_size=1),
         lambda torch, x: torch.nn.functional.adaptive_avg_pool2d(x, 1))
        for shape in ((1, 2048, 7, 7), (1, 256, 56, 56))
    ),
    ("bilinear, twice the extents", (1, 64, 56, 56), partial(resize.resize, scale_factor=2), _resized),
    ("batch norm, training", (8, 64, 56, 56), partial(norm.batch_norm, training=True), _normalised),
    ("permute 0 2 3 1", (8, 64, 56, 56), partial(permute.permute, axes=(0, 2, 3, 1)),
     lambda torch, x: x.permute(0, 2, 3, 1).clone(memory_format=torch.contiguous_format)),
)


def _measured(run: Run, name: str, shape: tuple[int, ...], ours: Function, baseline: Baseline, layout: str) -> Row:
    x: Array = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    if layout == "NHWC":
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    contenders: dict[str, Contender] = {"ours": PythonCall(lambda: ours(x))}
    torch = torch_module()
    if torch is not None:
        given = torch.from_numpy(x)
        if not np.allclose(baseline(torch, given).numpy(), ours(x), rtol=1e-4, atol=1e-4):
            raise WrongResult(f"{name} of {shape} {layout}: differs from torch")
        contenders["torch"] = PythonCall(lambda: baseline(torch, given))
    best = run.turns(contenders)
    by = {"by torch": best["torch"] / best["ours"]} if "torch" in best else {}
    return {"request": name, "x": " x ".join(map(str, shape)), "layout": layout, **best, **by}


BENCH = Bench(
    "pooling",
    __doc__,
    (
        Table(
            "layers",
            "request; x; layout; us=ours:1u; torch us=torch:1u; by torch:2",
            tuple((*case, layout) for case in CASES for layout in LAYOUTS),
            _measured,
            goals=lambda rows: [
                Goal(f"{row['request']}, {row['x']}, {row['layout']}: speed to torch's", 1.0, row["by torch"])
                for row in rows
                if "by torch" in row
            ],
        ),
    ),
)
