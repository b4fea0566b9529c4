"""Group normalisation and its derivative as one kernel, on every machine, against long doubles within derived
bounds."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

Array = np.ndarray[Any, Any]
EVERY = ("sse", "avx", "avx2", "avx512", "neon", "sve256")
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
STORED = {"f64": 2.0**-53, "f32": 2.0**-24, "bf16": 2.0**-8, "f16": 2.0**-11}
EPS = 1e-5


class Shape(NamedTuple):
    """The shape of a call, whose rows are samples * channels."""

    samples: int
    channels: int
    positions: int
    groups: int

    @property
    def rows(self) -> int:
        return self.samples * self.channels

    @property
    def elements(self) -> int:
        """Return the number of elements of a group."""
        return self.channels // self.groups * self.positions


SHAPES = (Shape(2, 6, 21, 3), Shape(3, 2, 16, 2), Shape(2, 3, 17, 1), Shape(1, 8, 1, 2), Shape(2, 4, 5, 2))


def kernel(shape: Shape, inverse: bool = False, **more: Any) -> Any:
    name = "groupnorm_training_inv" if inverse else "groupnorm_training"
    return ts.fused(name, shape.rows, shape.positions, channels=shape.channels, groups=shape.groups, **more)


def rows_of_groups(array: Array, shape: Shape) -> Array:
    """Return a matrix with one group per row."""
    return array.astype(np.longdouble).reshape(shape.samples * shape.groups, shape.elements)


def of_channels(values: Array, shape: Shape) -> Array:
    """Return one value per channel, from one value per group (groups, 1)."""
    return np.repeat(values, shape.channels // shape.groups, axis=0)


class Exact(NamedTuple):
    """Results in long double; `z` is the normalised matrix."""

    y: Array
    mean: Array
    inverse: Array
    z: Array


def exact(x: Array, gamma: Array, beta: Array, shape: Shape) -> Exact:
    groups = rows_of_groups(x, shape)
    mean = groups.mean(1, keepdims=True)
    inverse = 1 / np.sqrt(((groups - mean) ** 2).mean(1, keepdims=True) + np.longdouble(EPS))
    z = ((groups - mean) * inverse).reshape(x.shape)
    columns = [np.tile(each.astype(np.longdouble), shape.samples)[:, None] for each in (gamma, beta)]
    return Exact(z * columns[0] + columns[1], mean, inverse, z)


class Allowed(NamedTuple):
    """Error bounds: of the mean and, relatively, of the inverse, for each group; and of y."""

    mean: Array
    inverse: Array
    y: Array


def allowed(x: Array, gamma: Array, shape: Shape, found: Exact, unit: float, accurate: bool = False) -> Allowed:
    """Return error bounds to first order, with 1 % for the higher orders. A sum of n numbers, and so a mean, has an
    error of at most n u times the sum of their magnitudes, in any order. "accurate" computes the mean of the deviations
    again, so the magnitude of the mean counts as one rounding."""
    groups, n = rows_of_groups(x, shape), shape.elements
    near = abs(groups - found.mean)
    shift = (n + 3) * unit * abs(groups).mean(1, keepdims=True)
    mean = shift
    if accurate:
        shift = (n + 4) * unit * near.mean(1, keepdims=True)
        mean = shift + 2 * unit * abs(found.mean)
    variance = (near**2).mean(1, keepdims=True)
    squares = shift**2 + (n + 6) * unit * variance + 2 * unit * shift * near.mean(1, keepdims=True)
    inverse = squares * found.inverse**2 / 2 + 4 * unit
    z = shift * found.inverse + near * found.inverse * (inverse + 4 * unit)
    size = abs(np.tile(gamma.astype(np.longdouble), shape.samples))[:, None]
    y = size * z.reshape(x.shape) + 3 * unit * (abs(found.y) + size * abs(found.z))
    return Allowed(1.01 * mean, 1.01 * inverse, 1.01 * y)


def drawn(shape: Shape, dtype: str, seed: int, shift: float = 1.0) -> tuple[Array, Array, Array]:
    rng, kind = np.random.default_rng(seed), numpy_dtype(dtype)
    x = rng.normal(size=(shape.rows, shape.positions)) * 2 + shift
    return x.astype(kind), *(rng.normal(size=shape.channels).astype(kind) for _ in range(2))


def call_of(made: Any) -> Any:
    """Return the native call if this processor runs the code, else the emulated one."""
    return made.run if runs(made.target) else made


def unit_of(dtype: str) -> float:
    return STORED["f64" if dtype == "f64" else "f32"]


def check(found: Any, x: Array, gamma: Array, beta: Array, shape: Shape, dtype: str, accurate: bool = False) -> None:
    """Check y, mean and inverse against long doubles."""
    wanted = exact(x, gamma, beta, shape)
    bound = allowed(x, gamma, shape, wanted, unit_of(dtype), accurate)
    y, mean, inverse = (each.astype(np.longdouble) for each in found)
    denormal = 2.0**-25 if dtype == "f16" else 0.0
    assert (abs(y - wanted.y) <= bound.y + 1.01 * STORED[dtype] * abs(wanted.y) + denormal).all()
    assert (abs(mean - wanted.mean) <= bound.mean).all()
    assert (abs(inverse - wanted.inverse) <= bound.inverse * wanted.inverse).all()


def types_of(name: str) -> Iterator[str]:
    """Yield the types that a machine supports: `sse` and `avx` have no conversions of f16."""
    yield from (dtype for dtype in STORED if name not in ("sse", "avx") or dtype != "f16")


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_on_every_machine(name: str) -> None:
    """The machine is tested with every type and accuracy; the shapes take turns."""
    cases = [(dtype, "standard") for dtype in types_of(name)] + [("f32", "accurate"), ("f32", "fast")]
    for number, (dtype, accuracy) in enumerate(cases):
        shape = SHAPES[(number + EVERY.index(name)) % len(SHAPES)]
        x, gamma, beta = drawn(shape, dtype, number)
        gap = 3 * (number % 2)  # rows with gaps are walked over; rows without gaps are one row
        wide = np.zeros((shape.rows, shape.positions + gap), x.dtype)
        wide[:, : shape.positions] = x
        made = kernel(shape, dtype=dtype, target=name, accuracy=accuracy, ldx=shape.positions + gap)
        found = call_of(made)(wide[:, : shape.positions], gamma, beta)
        check(found, x, gamma, beta, shape, dtype, accuracy == "accurate")


@pytest.mark.parametrize("name", ["avx2", "neon", "sve256"])
def test_a_large_mean_loses_nothing(name: str) -> None:
    """Under "accurate" the bound is that of the deviations, which are a thousandth of the mean."""
    shape = Shape(2, 4, 33, 2)
    x, gamma, beta = drawn(shape, "f32", 1, shift=2000.0)
    for leading in ({}, {"ldx": 40}):
        made = kernel(shape, accuracy="accurate", target=name, **leading)
        wide = np.zeros((shape.rows, 40), np.float32)
        wide[:, :33] = x
        check(made.run(wide[:, :33] if leading else x, gamma, beta), x, gamma, beta, shape, "f32", accurate=True)


class Slopes(NamedTuple):
    """The derivative by definition, and error bounds for its sums."""

    results: tuple[Array, Array, Array]
    bounds: tuple[Array, Array, Array]


def slopes(g: Array, x: Array, mean: Array, inverse: Array, gamma: Array, shape: Shape, unit: float) -> Slopes:
    """Compute the derivative in long double from the mean and inverse that the kernel is given."""
    g, x, gamma = (each.astype(np.longdouble) for each in (g, x, gamma))
    weight = np.tile(gamma, shape.samples)[:, None]
    mean, inverse = (of_channels(each.astype(np.longdouble), shape) for each in (mean, inverse))
    z = (x - mean) * inverse
    h = g * weight

    def share(values: Array) -> Array:
        return of_channels(rows_of_groups(values, shape).mean(1, keepdims=True), shape)

    gx = (h - share(h) - z * share(h * z)) * inverse
    steps = (shape.elements + 8) * unit
    size = share(abs(h)) + abs(h) + abs(z) * share(abs(h * z))

    def summed(values: Array) -> Array:
        return values.reshape(shape.samples, shape.channels, -1).sum((0, 2))[:, None]

    sums = [summed(each) for each in (g * z, g)]
    near = [summed(abs(each)) * (shape.samples + shape.positions + 4) * unit for each in (g * z, g)]
    return Slopes((gx, *sums), (1.01 * steps * size * inverse, *(1.01 * each for each in near)))


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_the_derivative_on_every_machine(name: str) -> None:
    for number, dtype in enumerate(types_of(name)):
        shape = SHAPES[(number + EVERY.index(name)) % len(SHAPES)]
        x, gamma, beta = drawn(shape, dtype, number)
        g = drawn(shape, dtype, number + 9)[0]
        real = np.float64 if dtype == "f64" else np.float32
        mean, inverse = (each.astype(real) for each in exact(x, gamma, beta, shape)[1:3])
        made = kernel(shape, inverse=True, dtype=dtype, target=name)
        found = call_of(made)(g, x, mean, inverse, gamma)
        wanted, bounds = slopes(g, x, mean, inverse, gamma, shape, unit_of(dtype))
        for ours, each, bound in zip(found, wanted, bounds):
            rounding = (STORED[dtype] if ours is found[0] else 0) * abs(each) + (2.0**-25 if dtype == "f16" else 0)
            assert (abs(ours.astype(np.longdouble) - each) <= bound + 1.01 * rounding).all()


def test_the_definition_is_the_slope() -> None:
    """Central differences confirm the definition in `slopes`."""
    shape, step = Shape(2, 4, 3, 2), 1e-6
    x, gamma, beta = drawn(shape, "f64", 3)
    g = drawn(shape, "f64", 4)[0]
    at = exact(x, gamma, beta, shape)
    gx, *sums = slopes(g, x, at.mean, at.inverse, gamma, shape, 2.0**-53).results
    found = gx, *(each.reshape(-1) for each in sums)
    for number, ours in enumerate(found):
        for place in np.ndindex(ours.shape):
            ends = []
            for by in (step, -step):
                moved = [each.copy() for each in (x, gamma, beta)]
                moved[number][place] += by
                ends.append((g * exact(*moved, shape).y).sum())
            assert abs((ends[0] - ends[1]) / (2 * step) - ours[place]) < 1e-6


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
def test_between_guard_pages_in_place_and_with_gaps(name: str, side: str) -> None:
    """The results have the bits of the emulator, and nothing beside them is written."""
    for shape in (Shape(2, 4, 19, 2), Shape(2, 2, 64, 2)):
        x, gamma, beta = drawn(shape, "f32", 5)
        made = kernel(shape, target=name)
        wanted = made.run(x, gamma, beta)
        held = [guarded(each, side) for each in (x, gamma, beta)]
        results = [guarded(np.zeros_like(each), side, writable=True) for each in wanted]
        made(*held, *results)
        for found, each in zip(results, wanted):
            check_canary(found)
            assert found.tobytes() == each.tobytes()
        assert made.spec.in_place == ("x",)
        over = guarded(x, side, writable=True)
        made(over, gamma, beta, over, *results[1:])
        check_canary(over)
        assert over.tobytes() == wanted[0].tobytes()
        n = shape.positions
        wide, y = np.zeros((shape.rows, n + 9), np.float32), np.full((shape.rows, n + 3), 7, np.float32)
        wide[:, :n] = x
        for leading in ({"ldx": n + 9, "ldy": n + 3}, {"ldx": ts.RUNTIME, "ldy": ts.RUNTIME}):
            kernel(shape, target=name, **leading)(wide[:, :n], gamma, beta, y[:, :n], *results[1:])
            check((y[:, :n], *results[1:]), x, gamma, beta, shape, "f32")
            assert (y[:, n:] == 7).all()


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
def test_the_derivative_between_guard_pages(name: str, side: str) -> None:
    shape = Shape(2, 4, 19, 2)
    x, gamma, beta = drawn(shape, "f32", 6)
    g = drawn(shape, "f32", 7)[0]
    mean, inverse = (each.astype(np.float32) for each in exact(x, gamma, beta, shape)[1:3])
    made = kernel(shape, inverse=True, target=name)
    wanted = made.run(g, x, mean, inverse, gamma)
    held = [guarded(each, side) for each in (g, x, mean, inverse, gamma)]
    results = [guarded(np.zeros_like(each), side, writable=True) for each in wanted]
    made(*held, *results)
    for found, each in zip(results, wanted):
        check_canary(found)
        assert found.tobytes() == each.tobytes()
    assert made.spec.in_place == ("g", "x")
    over = guarded(g, side, writable=True)
    made(over, *held[1:], over, *results[1:])
    assert over.tobytes() == wanted[0].tobytes()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_under_qemu(target: str, side: str, aarch64: Server) -> None:
    """On AArch64, between unmapped pages, the results have the bits of the emulator."""
    bits = 256 if target == "sve256" else None
    for shape in (Shape(2, 4, 19, 2), Shape(1, 2, 64, 1)):
        x, gamma, beta = drawn(shape, "f32", 8)
        made = kernel(shape, target=target)
        wanted = made.run(x, gamma, beta)
        found = [np.zeros_like(each) for each in wanted]
        aarch64.call(made.code, x, *(each[:, None] for each in (gamma, beta)), *found, side=side, vector_bits=bits)
        for ours, each in zip(found, wanted):
            assert ours.tobytes() == each.tobytes()


def test_a_sum_over_samples_has_the_type_of_the_arithmetic() -> None:
    with pytest.raises(ts.UnsupportedError, match="ggamma: a sum over samples is stored in the type"):
        ts.fused("groupnorm_training_inv", 12, 5, channels=6, out={"ggamma": "bf16"})


def test_arrays_of_three_axes() -> None:
    """Images may be arrays (samples, channels, positions), with one-dimensional gamma and beta, as in torch."""
    shape = Shape(2, 4, 9, 2)
    x, gamma, beta = drawn(shape, "f32", 9)
    made = kernel(shape)
    y, mean, inverse = made(x, gamma, beta)
    deep, own = x.reshape(2, 4, 9), np.zeros((2, 4, 9), np.float32)
    made(deep, gamma, beta, own, mean, inverse)
    assert own.tobytes() == y.tobytes() and mean.shape == inverse.shape == (4, 1)


def test_the_plan_says_how_a_group_is_walked() -> None:
    shape = Shape(2, 6, 45, 3)
    made = kernel(shape, target="avx2")
    assert "a group as one row" in str(made.plan) and "2 x 1 sample, 3 x 1 group: " in str(made.plan)
    assert "1 x 2 groups in turn, 2 x 1 group: " in str(kernel(Shape(2, 6, 45, 2), target="avx2").plan)
    assert "a row for each group\n2 x 1 sample, 1 x 6 groups in turn: " in str(
        kernel(Shape(2, 6, 45, 6), target="avx2").plan
    )
    apart = kernel(shape, target="avx2", ldx=50)
    assert "walks over the rows of a group" in str(apart.plan) and "gaps between them" in str(apart.plan.rejected)
    back = kernel(shape, inverse=True, target="avx2")
    assert "a reduction along each single row" in str(back.plan.rejected)
    assert "1 sample, which adds to ggamma, gbeta" in str(back.plan)
    assert pickle.loads(pickle.dumps(made)).spec == made.spec
    assert kernel(shape, target="avx2") is made


def test_one_group_is_layer_norm_and_one_channel_instance_norm() -> None:
    """Layer norm of the same elements gives the same bits if a group is one row."""
    x, gamma, beta = drawn(Shape(3, 1, 40, 1), "f32", 10)
    ones, zeros = np.ones(40, np.float32), np.zeros(40, np.float32)
    y = ts.fused("groupnorm_training", 3, 40, channels=3, groups=3)(x, np.ones(3, "f4"), np.zeros(3, "f4"))[0]
    assert y.tobytes() == ts.fused("layernorm", 3, 40)(x, ones, zeros).tobytes()
    whole = ts.fused("groupnorm_training", 3, 40)(x, np.ones(3, "f4"), np.zeros(3, "f4"))[0]
    flat = ts.fused("layernorm", 1, 120)(x.reshape(1, -1), np.ones(120, "f4"), np.zeros(120, "f4"))
    assert np.allclose(whole.reshape(1, -1), flat, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((12, 5), {"channels": 5}, "channels: must divide the 12 rows"),
        ((12, 5), {"channels": 6, "groups": 4}, "groups: must divide the 6 channels"),
        ((12, 5), {"groups": 0}, "groups: from 1 to"),
        ((ts.RUNTIME, 5), {"groups": 3}, "m must be a number, not ts.RUNTIME"),
        ((12, 5), {"groups": 3, "order": "F"}, 'order "C"'),
        ((12, 5), {"ldz": 3}, "leading dimensions are"),
        ((12, 5), {"groups": 2.5}, "groups: a positive integer"),
    ],
)
def test_what_is_refused(arguments: tuple[Any, ...], options: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        ts.fused("groupnorm_training", *arguments, **options)
    with pytest.raises(TypeError, match="groups"):
        ts.fused("layernorm", 12, 5, groups=3)
