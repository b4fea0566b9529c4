"""Run elementwise kernels on every machine between guard pages, and compare with numpy's value of the expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.kernel_runs import FOREIGN as FOREIGN
from tests.kernel_runs import MACHINES as MACHINES
from tests.kernel_runs import NATIVE as NATIVE
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.features import Target
from tilesmith.microkernels.codegen.selection import arithmetic_of
from tilesmith.microkernels.dtypes import FLOAT8
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.expr.graph import program
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.microkernels.operands import RUNTIME, Operand
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.coverage.trial import same_bits
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.verify.definition.evaluate import computed
from tilesmith.runtime.verify.definition.programs import scaled

Array = np.ndarray[Any, Any]

SPECIAL = {
    "f32": np.array(
        [
            0.0,
            -0.0,
            1.0,
            -1.0,
            np.inf,
            -np.inf,
            np.nan,
            -np.nan,
            1e-45,
            -1e-45,
            1.1754942e-38,
            1.1754944e-38,
            3.4028235e38,
            -3.4028235e38,
            0.5,
            1.5,
            2.5,
            -2.5,
            8388607.5,
            16777216.0,
            2147483520.0,
            -2147483648.0,
            2147483648.0,
            1e30,
            65504.0,
            65520.0,
            3.3895314e38,
            127.5,
            -128.5,
            255.5,
        ],
        np.float32,
    ),
    "f64": np.array(
        [
            0.0,
            -0.0,
            1.0,
            -1.0,
            np.inf,
            -np.inf,
            np.nan,
            -np.nan,
            5e-324,
            -5e-324,
            2.2250738585072014e-308,
            1.7976931348623157e308,
            0.5,
            1.5,
            2.5,
            -2.5,
            4503599627370495.5,
            2147483647.5,
            -2147483648.5,
            1e300,
            3.4028235677973366e38,
        ],
        np.float64,
    ),
}
"""Zeros, infinities, NaN, denormals, halves, the ends of the ranges of integers and of narrower floats."""


def floats(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return a mixture of special values, small integers and halves, ordinary numbers, and arbitrary bits."""
    to = np.dtype(numpy_dtype(dtype))
    wide = np.float64 if dtype == "f64" else np.float32
    size = int(np.prod(shape))
    kinds = rng.integers(0, 4, size)
    words = rng.integers(0, 1 << 8 * to.itemsize, size, dtype=np.uint64)
    any_bits = words.astype(np.dtype(f"u{to.itemsize}")).view(to)
    special = rng.choice(SPECIAL["f64" if dtype == "f64" else "f32"], size)
    halves = (rng.integers(-600, 600, size) / 2).astype(wide)
    ordinary = rng.standard_normal(size).astype(wide) * wide(8)
    with np.errstate(all="ignore"):
        chosen = np.choose(kinds[:, None] == 0, [halves[:, None], special[:, None]])[:, 0]
        chosen = np.where(kinds == 1, ordinary, chosen).astype(to)
    return np.where(kinds == 2, any_bits, chosen).astype(to).reshape(shape)


def elements(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return values of any type; integers include the ends of their range."""
    if dtype in ("f64", "f32", "f16", "bf16", *FLOAT8):
        return floats(dtype, shape, rng)
    info = np.iinfo(numpy_dtype(dtype))
    values = rng.integers(info.min, info.max, shape, numpy_dtype(dtype), endpoint=True)
    ends = rng.choice(np.array([info.min, info.max, 0, 1], info.dtype), shape)
    return np.where(rng.integers(0, 4, shape) == 0, ends, values).astype(info.dtype)


def strided(array: Array, leading: int) -> Array:
    """Return the same elements with rows that are `leading` elements apart."""
    wide = np.zeros((array.shape[0], leading), array.dtype)
    wide[:, : array.shape[1]] = array
    return wide[:, : array.shape[1]]


def run(
    spec: EltwiseSpec,
    target: Target,
    arrays: dict[str, Array],
    server: Server | None,
    side: str,
    in_place: str | None = None,
) -> list[Array]:
    """Run machine code between guard pages and return its outputs, after checking that nothing else was accessed.

    `in_place` names the input that is also the output.
    """
    kernel = Kernel(spec, target)
    inputs = {x.name: arrays[x.name] for x in spec.inputs}
    outputs = {y.name: strided(np.zeros(y.shape, numpy_dtype(y.dtype)), _leading(y)) for y in spec.outputs}
    if server is None:
        ins = {name: guarded(each, side, writable=name == in_place) for name, each in inputs.items()}
        outs = {name: ins[in_place] if in_place else guarded(each, side) for name, each in outputs.items()}
        kernel(*ins.values(), *outs.values())
        for each in outs.values():
            check_canary(each)
        return list(outs.values())
    leading = [
        each.strides[0] // each.itemsize
        for name, each in {**inputs, **outputs}.items()
        if next(x for x in spec.arguments if x.name == name).view.leading is RUNTIME
    ]
    for each in inputs.values():
        each.setflags(write=False)
    bits = target.vector_bits if target.isa == "sve" else None
    server.call(kernel.code, *inputs.values(), *outputs.values(), *leading, side=side, vector_bits=bits)
    return list(outputs.values())


def _leading(operand: Operand) -> int:
    """Return the distance between rows; an arbitrary one if it is given at the call."""
    value = operand.view.leading
    return operand.columns + 3 if value is RUNTIME else int(value)


def expected(spec: EltwiseSpec, arrays: dict[str, Array], tables: int = 0, target: Target | None = None) -> list[Array]:
    """Return numpy's outputs. `tables` is the number of f32 that one instruction of the machine looks up. `target` is
    given if it has no fused multiply-add: it rounds a * b + c twice if the request allows that."""
    if target is not None:
        made = scaled(spec.expanded(tables), arithmetic_of(facts_of(target), spec.numerics))
        spec = replace(spec, program=program(*made))
    return list(computed(spec, arrays, tables=tables).values())


def check(found: list[Array], wanted: list[Array]) -> None:
    """Check that bits are equal; all NaN count as equal."""
    for y, want in zip(found, wanted):
        assert y.shape == want.shape and y.dtype == want.dtype
        wrong = np.argwhere(~same_bits(y, want))
        places = [f"{tuple(map(int, at))}: {y[tuple(at)]!r} instead of {want[tuple(at)]!r}" for at in wrong[:4]]
        assert not len(wrong), f"{len(wrong)} of {y.size} differ; " + ", ".join(places)


def both(
    function: Callable[..., Any],
    shapes: dict[str, tuple[int, int]],
    target: Target,
    server: Server | None,
    seed: int,
    side: str = "end",
    **options: Any,
) -> None:
    """Compare the kernel of a Python function with numpy on drawn values."""
    spec = ts.eltwise_spec(function, "test", shapes, **options)
    rng = np.random.default_rng(seed)
    arrays = inputs_of(spec, rng)
    check(run(spec, target, arrays, server, side), expected(spec, arrays))


def inputs_of(spec: EltwiseSpec, rng: np.random.Generator) -> dict[str, Array]:
    """Return drawn values for every input, with its leading dimension."""
    arrays = {}
    for x in spec.inputs:
        values = elements(x.dtype, x.shape, rng)
        leading = x.columns + int(rng.integers(0, 5)) if x.view.leading is RUNTIME else int(x.view.leading)
        arrays[x.name] = strided(values, leading)
    return arrays


sizes = st.one_of(st.integers(1, 40), st.sampled_from([63, 64, 65, 127, 128, 129, 200]))
