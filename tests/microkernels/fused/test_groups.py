"""Group normalisation: the forward kernels against long double, the backward ones against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES, NATIVE
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

IMAGES, CHANNELS, GROUPS = 2, 6, 3
UNITS = {"f64": 2.0**-53, "f32": 2.0**-24, "bf16": 2.0**-8}


def exact(x: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Return the group norm of x (images, channels, pixels)."""
    grouped = x.reshape(IMAGES * GROUPS, -1)
    middle = grouped - grouped.mean(1, keepdims=True)
    z = (middle / np.sqrt((middle**2).mean(1, keepdims=True) + eps)).reshape(x.shape)
    return z * gamma[:, None] + beta[:, None]


def column(values: Any, repeats: int) -> Any:
    """Return one value for each channel of each image, from one value for each group."""
    return np.repeat(np.asarray(values).reshape(-1, 1), repeats, axis=0)


def kernels(pixels: int, dtype: str, target: str) -> dict[str, Any]:
    """Return all four kernels. Values of channels and groups have the type of the arithmetic."""
    compute = "f64" if dtype == "f64" else "f32"
    own = {"x": dtype, "g": dtype}
    inputs = {
        "group_stats": "x",
        "groupnorm": "x mean inverse gamma beta",
        "groupnorm_sums": "g x mean inverse",
        "groupnorm_inv": "g x mean inverse gamma share_g share_gz",
    }
    shapes = dict.fromkeys(inputs, (IMAGES * CHANNELS, pixels))
    shapes["group_stats"] = (IMAGES * GROUPS, CHANNELS // GROUPS * pixels)
    made = {}
    for name, shape in shapes.items():
        types = {each: own.get(each, compute) for each in inputs[name].split()}
        out = {"out": dtype} if name in ("groupnorm", "groupnorm_inv") else {}
        made[name] = ts.fused(name, *shape, dtype=types if dtype != "f64" else "f64", target=target, **out)
    return made


@pytest.mark.parametrize("dtype", list(UNITS))
@pytest.mark.parametrize("machine", MACHINES)
def test_forward(machine: str, dtype: str):
    pixels = 45
    rng = np.random.default_rng(1)
    x = (rng.normal(size=(IMAGES, CHANNELS, pixels)) * 2 + 1).astype(numpy_dtype(dtype))
    gamma, beta = rng.normal(size=(2, CHANNELS)).astype("f8" if dtype == "f64" else "f4")
    made, repeats = kernels(pixels, dtype, MACHINES[machine].name), CHANNELS // GROUPS
    mean, inverse = made["group_stats"].run(x.reshape(IMAGES * GROUPS, -1))
    rows = [np.tile(each, IMAGES).reshape(-1, 1) for each in (gamma, beta)]
    given = [x.reshape(-1, pixels), column(mean, repeats), column(inverse, repeats), *rows]
    y = made["groupnorm"].run(*given)
    wanted = exact(x.astype(np.longdouble), gamma.astype(np.longdouble), beta.astype(np.longdouble), 1e-5)
    unit = UNITS["f64" if dtype == "f64" else "f32"]
    bound = (2 * pixels + 16) * unit * (abs(wanted).max() + 4) + 1.01 * UNITS[dtype] * abs(wanted)
    assert (abs(y.reshape(x.shape).astype(np.longdouble) - wanted) <= bound).all()
    if machine in NATIVE and not runs(MACHINES[machine]):
        for side in SIDES:
            held = [guarded(each, side) for each in given]
            out = guarded(np.zeros_like(y), side, writable=True)
            made["groupnorm"](*held, out)
            check_canary(out)
            assert np.array_equal(out, y)


@pytest.mark.parametrize("machine", ["avx2", "neon"])
def test_backward_is_the_slope(machine: str):
    pixels, eps = 7, 1e-5
    rng = np.random.default_rng(2)
    g, x = rng.normal(size=(2, IMAGES, CHANNELS, pixels))
    gamma, beta = rng.normal(size=(2, CHANNELS))
    made, repeats = kernels(pixels, "f64", machine), CHANNELS // GROUPS
    mean, inverse = (column(each, repeats) for each in made["group_stats"].run(x.reshape(IMAGES * GROUPS, -1)))
    flat = [each.reshape(-1, pixels) for each in (g, x)]
    ggamma, gbeta = made["groupnorm_sums"].run(*flat, mean, inverse)
    of_rows = np.tile(gamma, IMAGES).reshape(-1, 1)
    sums = [(of_rows * each.reshape(-1, 1)).reshape(-1, repeats).sum(1) for each in (gbeta, ggamma)]
    share_g, share_gz = (column(each / (repeats * pixels), repeats) for each in sums)
    gx = made["groupnorm_inv"].run(*flat, mean, inverse, of_rows, share_g, share_gz)
    found = [gx.reshape(x.shape), *(each.reshape(IMAGES, CHANNELS).sum(0) for each in (ggamma, gbeta))]
    point = [x, gamma, beta]
    for number, ours in enumerate(found):
        for place in np.ndindex(ours.shape):
            ends = []
            for by in (1e-6, -1e-6):
                moved = [each.copy() for each in point]
                moved[number][place] += by
                ends.append((g * exact(*moved, eps)).sum())
            assert abs((ends[0] - ends[1]) / 2e-6 - ours[place]) < 1e-7
