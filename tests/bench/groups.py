"""Compare group normalization in one kernel with two kernels, numpy and torch: `python -m tests.bench.groups`.

Each line shows samples x channels x positions and groups, the microseconds per call, and the time of each contender
relative to it. All run on one thread in f32 and take turns; the best sample of each counts. torch, if it is installed,
runs native_group_norm and its derivative by x, gamma and beta, which write new arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench import measure
from tilesmith.runtime.bench.peers.elementwise import torch_module

Array = np.ndarray[Any, Any]
SHAPES = ((8, 64, 196, 32), (8, 64, 196, 64), (8, 64, 196, 1), (8, 256, 49, 32), (1, 64, 3136, 16), (1, 64, 12544, 16))
"""Samples, channels, positions, groups; the last ones are from Georganas et al., section 5.1.2."""
EPS = 1e-5


def by_two(x: Array, gamma: Array, beta: Array, y: Array, shape: tuple[int, ...]) -> list[measure.NativeCall]:
    """Return two calls: statistics of groups as rows, then normalization of channels as rows. The repetition of mean
    and inverse for the channels is not counted."""
    samples, channels, positions, groups = shape
    elements = channels // groups * positions
    stats = ts.fused("group_stats", samples * groups, elements, eps=EPS)
    scale = ts.fused("groupnorm", samples * channels, positions)
    mean, inverse = np.zeros((2, samples * channels, 1), np.float32)
    columns = [np.ascontiguousarray(np.tile(each, samples)) for each in (gamma, beta)]
    held = [x, mean, inverse, *columns, y]
    return [measure.NativeCall(stats.address, tuple(each.ctypes.data for each in held[:3]), (stats, held)),
            measure.NativeCall(scale.address, tuple(each.ctypes.data for each in held), (scale, held))]  # fmt: skip


def numpy_forward(x: Array, gamma: Array, beta: Array, shape: tuple[int, ...]) -> Array:
    """Compute the forward pass as a user of numpy would."""
    samples, channels, positions, groups = shape
    rows = x.reshape(samples * groups, -1)
    z = (rows - rows.mean(1, keepdims=True)) / np.sqrt(rows.var(1, keepdims=True) + EPS)
    made: Array = z.reshape(samples, channels, positions) * gamma[:, None] + beta[:, None]
    return made


def torch_calls(arrays: dict[str, Array], shape: tuple[int, ...]) -> tuple[Callable[[], Any], Callable[[], Any]] | None:
    """Return calls of the forward and the backward pass, or None if torch is not installed."""
    torch = torch_module()
    if torch is None:
        return None
    torch.set_num_threads(1)
    samples, channels, positions, groups = shape
    x, g = (torch.from_numpy(arrays[name].reshape(shape[:3])) for name in ("x", "g"))
    gamma, beta = (torch.from_numpy(arrays[name]) for name in ("gamma", "beta"))
    sizes = samples, channels, positions, groups
    _, mean, inverse = torch.native_group_norm(x, gamma, beta, *sizes, EPS)

    def forward() -> Any:
        return torch.native_group_norm(x, gamma, beta, *sizes, EPS)

    def backward() -> Any:
        return torch.ops.aten.native_group_norm_backward(g, x, mean, inverse, gamma, *sizes, [True] * 3)

    return forward, backward


def measured(shape: tuple[int, ...], seconds: float) -> tuple[dict[str, float], dict[str, float]]:
    """Return the seconds per call of each contender, forward and backward."""
    samples, channels, positions, groups = shape
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=(2, samples * channels, positions)).astype(np.float32)
    gamma, beta = rng.normal(size=(2, channels)).astype(np.float32)
    y, mean, inverse = np.empty_like(x), *np.empty((2, samples * groups, 1), np.float32)
    sums = np.empty((2, channels, 1), np.float32)
    more: dict[str, Any] = {"channels": channels, "groups": groups}
    forward = ts.fused("groupnorm_training", *x.shape, eps=EPS, **more)
    backward = ts.fused("groupnorm_training_inv", *x.shape, **more)
    forward(x, gamma, beta, y, mean, inverse)
    held = [x, gamma, beta, y, mean, inverse]
    back = [g, x, mean, inverse, gamma, np.empty_like(x), *sums]
    first: dict[str, Any] = {"ours": _native(forward, held)}
    first |= {f"part {number}": each for number, each in enumerate(by_two(x, gamma, beta, np.empty_like(x), shape))}
    first["numpy"] = measure.PythonCall(lambda: numpy_forward(x, gamma, beta, shape))
    second: dict[str, Any] = {"ours": _native(backward, back)}
    theirs = torch_calls({"x": x, "g": g, "gamma": gamma, "beta": beta}, shape)
    if theirs is not None:
        first["torch"], second["torch"] = map(measure.PythonCall, theirs)
    found = [{who: each.best for who, each in measure.seconds_per_call(turns, seconds).items()}
             for turns in (first, second)]  # fmt: skip
    found[0]["two kernels"] = found[0].pop("part 0") + found[0].pop("part 1")
    return found[0], found[1]


def _native(kernel: Any, arrays: list[Array]) -> measure.NativeCall:
    return measure.NativeCall(kernel.address, tuple(each.ctypes.data for each in arrays), (kernel, arrays))


def main(seconds: float = 0.1) -> None:
    """Print the table."""
    with measure.one_cpu():
        for shape in SHAPES:
            for words, found in zip(("forward", "backward"), measured(shape, seconds)):
                ours = found.pop("ours")
                others = "  ".join(f"{who} {value / ours:.2f}" for who, value in sorted(found.items()))
                print(f"{' x '.join(map(str, shape[:3])):14} in {shape[3]:2} {words:8} {ours * 1e6:7.1f} us  {others}",
                      flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
