"""Compare group normalization in one kernel with two kernels, numpy and torch: `tilesmith bench groups`.

Each line shows samples x channels x positions and groups, the microseconds per call, and the time of each contender
relative to it. All run on one thread in f32 and take turns. torch, if it is installed, runs native_group_norm and its
derivative by x, gamma and beta, which write new arrays.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall
from tilesmith.runtime.bench.operands import native
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, ratios

Array = np.ndarray[Any, Any]
SHAPES = ((8, 64, 196, 32), (8, 64, 196, 64), (8, 64, 196, 1), (8, 256, 49, 32), (1, 64, 3136, 16), (1, 64, 12544, 16))
"""Samples, channels, positions, groups; the last ones are from Georganas et al., section 5.1.2."""
EPS = 1e-5


def measured(run: Run, *shape: int) -> Iterator[Row]:
    samples, channels, positions, groups = shape
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=(2, samples * channels, positions)).astype(np.float32)
    gamma, beta = rng.normal(size=(2, channels)).astype(np.float32)
    y, mean, inverse = np.empty_like(x), *np.empty((2, samples * groups, 1), np.float32)
    more: dict[str, Any] = {"channels": channels, "groups": groups}
    forward = ts.fused("groupnorm_training", *x.shape, eps=EPS, **more)
    backward = ts.fused("groupnorm_training_inv", *x.shape, **more)
    forward(x, gamma, beta, y, mean, inverse)
    turns: dict[str, dict[str, Any]] = {
        "forward": {"ours": native(forward, [x, gamma, beta, y, mean, inverse]), **_by_two(x, gamma, beta, shape),
                    "numpy": PythonCall(lambda: _by_numpy(x, gamma, beta, shape))},
        "backward": {"ours": native(backward, [g, x, mean, inverse, gamma, np.empty_like(x),
                                               *np.empty((2, channels, 1), np.float32)])},
    }
    if torch := torch_module():
        tensors = (torch.from_numpy(each) for each in (x.reshape(shape[:3]), g.reshape(shape[:3]), gamma, beta))
        for name, call in zip(turns, _torch_calls(torch, shape, *tensors)):
            turns[name]["torch"] = call
    for name, contenders in turns.items():
        best = run.turns(contenders)
        if name == "forward":
            best["two kernels"] = best.pop("part 0") + best.pop("part 1")
        yield {"shape": " x ".join(map(str, shape[:3])), "groups": groups, "pass": name, **best, **dict(ratios(best))}


def _by_two(x: Array, gamma: Array, beta: Array, shape: tuple[int, ...]) -> dict[str, Any]:
    """Return two calls: statistics of groups as rows, then normalization of channels as rows. The repetition of mean
    and inverse for the channels is not counted."""
    samples, channels, positions, groups = shape
    stats = ts.fused("group_stats", samples * groups, channels // groups * positions, eps=EPS)
    scale = ts.fused("groupnorm", samples * channels, positions)
    mean, inverse = np.zeros((2, samples * channels, 1), np.float32)
    columns = [np.ascontiguousarray(np.tile(each, samples)) for each in (gamma, beta)]
    held = [x, mean, inverse, *columns, np.empty_like(x)]
    return {"part 0": native(stats, held[:3]), "part 1": native(scale, held)}


def _by_numpy(x: Array, gamma: Array, beta: Array, shape: tuple[int, ...]) -> Any:
    """Compute the forward pass as a user of numpy would."""
    samples, channels, positions, groups = shape
    rows = x.reshape(samples * groups, -1)
    z = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + EPS)
    return z.reshape(samples, channels, positions) * gamma[:, None] + beta[:, None]


def _torch_calls(torch: Any, sizes: tuple[int, ...], x: Any, g: Any, gamma: Any, beta: Any) -> tuple[PythonCall, ...]:
    """Return calls of the forward and the backward pass."""
    _, mean, inverse = torch.native_group_norm(x, gamma, beta, *sizes, EPS)
    back = torch.ops.aten.native_group_norm_backward
    return (PythonCall(lambda: torch.native_group_norm(x, gamma, beta, *sizes, EPS)),
            PythonCall(lambda: back(g, x, mean, inverse, gamma, *sizes, [True] * 3)))


BENCH = Bench("groups", __doc__, (
    Table("groups", "samples x channels x positions=shape; groups; pass; us=ours:1u; two kernels=by two kernels:2; "
          "numpy=by numpy:2; torch=by torch:2", SHAPES, measured),),
    {"seconds": {"type": float, "nargs": "?", "default": 0.1}})
