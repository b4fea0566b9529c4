"""The machines `sse` and `avx`, between guard pages and in the emulator, against numpy and the processor's own FMA."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import check, expected, inputs_of, run
from tests.guard import SIDES, guarded
from tests.microkernels.eltwise.test_emit import requests as eltwise_requests
from tests.microkernels.reduce.test_emit import one as check_reduction
from tests.microkernels.reduce.test_emit import requests as reductions
from tests.profiles import scaled
from tilesmith.encoder.decode import decode
from tilesmith.encoder.x86.words import LEGACY
from tilesmith.microkernels.dtypes import MIXED_FLOATS
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.reduce.spec import ReduceSpec
from tilesmith.runtime.api.eltwise import request as primitive
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
older = pytest.mark.parametrize("target", ["sse", "avx"])
INTEGERS = ("i8", "u8", ("u8", "i8", "i32"), ("i8", "u8", "i32"), "i16", "u16", ("u16", "i16", "i32"))
KNOWN = ("vector registers",)
"""What refusals mention: too few registers."""


def kernels(target: str) -> list[tuple[Any, tuple[tuple[int, ...], ...], str, str]]:
    """Return one kernel of each kind, with tails, and the shapes, type and order of its arguments."""
    return [
        (ts.brgemm(9, 7, 11, target=target), ((9, 11), (11, 7), (9, 7)), "f32", "C"),
        (ts.brgemm(6, 5, 7, dtype="f64", order="F", target=target), ((6, 7), (7, 5), (6, 5)), "f64", "F"),
        (ts.unary("exp", 2, 11, target=target), ((2, 11),) * 2, "f32", "C"),
        (ts.unary("sqrt", 2, 7, dtype="f64", target=target), ((2, 7),) * 2, "f64", "C"),
        (ts.unary("relu", 2, 21, dtype="bf16", target=target), ((2, 21),) * 2, "bf16", "C"),
        (ts.unary("abs", 2, 21, dtype="i8", target=target), ((2, 21),) * 2, "i8", "C"),
        (ts.reduce("sum", 3, 21, axis=1, target=target), ((3, 21), (3,)), "f32", "C"),
        (ts.reduce("max", 3, 21, axis=0, target=target), ((3, 21), (21,)), "f32", "C"),
        (ts.transpose(9, 7, target=target), ((9, 7), (7, 9)), "f32", "C"),
        (ts.transpose(9, 7, dtype="i8", target=target), ((9, 7), (7, 9)), "i8", "C"),
    ]


@older
def test_no_instruction_is_newer(target: str) -> None:
    """No instruction is newer than the target, and kernels for `sse` have no VEX prefix."""
    for kernel in (*(kernel for kernel, *_ in kernels(target)), *(product(dtype, target) for dtype in INTEGERS)):
        code, at = kernel.code, 0
        while (found := decode(code, at, "x86")) is not None and found.form.mnemonic != "int3":  # before the constants
            assert not TARGETS[target].missing(found.form.features), found.form
            assert target == "avx" or found.form.prefix.encoding == LEGACY, found.form
            at += found.length
            if at == len(code):
                break
        assert at > 40


@older
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_products_of_integers_are_exact(target: str, dtype: Any) -> None:
    """Products with the extrema of each type are exact, natively and in the emulator."""
    rng = np.random.default_rng(4)
    types = (dtype,) * 2 if isinstance(dtype, str) else dtype[:2]
    a, b = (
        rng.choice([np.iinfo(each).min, np.iinfo(each).max, 1, 7], shape).astype(each)
        for each, shape in zip((numpy_dtype(each) for each in types), ((9, 11), (11, 7)))
    )
    wanted = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)
    kernel = product(dtype, target)
    for side, call in zip(SIDES, (kernel, kernel.run)):
        c = guarded(np.zeros((9, 7), np.int32), side)
        call(guarded(a, side), guarded(b, side), c)
        assert np.array_equal(c, wanted)


def product(dtype: Any, target: str) -> Any:
    """Return a product of integers with tails."""
    return ts.brgemm(9, 7, 11, dtype=dtype, target=target)


@older
def test_the_emulator_gives_the_processors_bits(target: str) -> None:
    """The bits are equal for operands at odd addresses, although memory operands of legacy instructions must be
    aligned."""
    rng = np.random.default_rng(3)
    for kernel, shapes, dtype, order in kernels(target):
        arrays = [np.array(rng.integers(1, 5, shape), numpy_dtype(dtype), order=order) for shape in shapes]
        native, again = ([guarded(each, side) for each in arrays] for side in SIDES)
        kernel(*native)
        kernel.run(*again)
        for here, there in zip(native, again):
            assert here.tobytes() == there.tobytes(), kernel


@older
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_product_is_rounded_before_it_is_added(target: str, dtype: Any) -> None:
    rng = np.random.default_rng(5)
    a, b, c = (rng.standard_normal(shape).astype(dtype) for shape in ((33, 2), (2, 10), (33, 10)))
    wanted = (a[:, :1] * b[:1] + a[:, 1:] * b[1:]) + c
    ts.brgemm(33, 10, 2, dtype="f32" if dtype is np.float32 else "f64", target=target)(a, b, c)
    assert np.array_equal(c, wanted)


@older
def test_fma_of_f32_is_rounded_once(target: str) -> None:
    """fma gives the bits of the instruction for random bits and for cancelling sums."""
    rng = np.random.default_rng(6)
    n = scaled(20_000, 1_000_000)
    x = [rng.integers(0, 1 << 32, (1, n), np.uint32).view(np.float32) for _ in range(3)]
    some = np.float32([1, 3, 0.1, 1 + 2**-23, 1 - 2**-24, 2**-75, 2**-149, 1e30])
    near = [rng.choice(some, (1, n)) for _ in range(3)]
    with np.errstate(all="ignore"):
        close = [near[0], near[1], -(near[0] * near[1])]
    for a, b, c in (x, near, close):
        found, wanted = np.zeros((1, n), np.float32), np.zeros((1, n), np.float32)
        for name, y in ((target, found), ("avx2", wanted)):
            ts.equation(lambda a, b, c: ts.fma(a, b, c), **dict.fromkeys("abc", (1, n)), target=name)(a, b, c, y)
        same = (found.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(found) & np.isnan(wanted))
        assert same.all(), [z[~same][:3] for z in (a, b, c, found, wanted)]


@older
@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "log", "silu", "softplus", "gelu_tanh", "elu"])
def test_functions_have_the_bits_of_the_expression(target: str, name: str) -> None:
    """Functions have the bits of the expression with an fma rounded once, whose error tests/microkernels/functions
    bounds."""
    x = np.float32(np.random.default_rng(7).standard_normal((1, 203)) * 9)
    for accuracy in ("fast", "standard"):
        spec = primitive("unary", name, 1, 203, bcast=(None,), accuracy=accuracy)
        arrays = {"x": np.abs(x) if name == "log" else x}
        check(run(spec, TARGETS[target], arrays, None, "end"), expected(spec, arrays, 0))


@older
def test_elementwise(target: str) -> None:
    @settings(max_examples=scaled(12, 2000))
    @given(eltwise_requests(), st.sampled_from(SIDES), st.integers(0, 1 << 30))
    def drawn(spec: EltwiseSpec, side: str, seed: int) -> None:
        arrays = inputs_of(spec, np.random.default_rng(seed))
        try:
            found = run(spec, TARGETS[target], arrays, None, side)
        except ts.UnsupportedError as error:
            assert any(reason in str(error) for reason in KNOWN), error
            reject()
        check(found, expected(spec, arrays, target=TARGETS[target]))

    drawn()


@older
def test_reductions(target: str) -> None:
    @settings(max_examples=scaled(12, 2000))
    @given(reductions(), st.sampled_from(SIDES), st.integers(0, 1 << 30))
    def drawn(spec: ReduceSpec, side: str, seed: int) -> None:
        try:
            check_reduction(spec, side, seed, TARGETS[target], None)
        except ts.UnsupportedError as error:
            assert any(reason in str(error) for reason in KNOWN), error
            reject()

    drawn()


@older
@pytest.mark.parametrize("dtype", ["f32", "f64", "i8", "bf16"])
def test_transposes(target: str, dtype: str) -> None:
    kind = numpy_dtype(dtype)
    rng = np.random.default_rng(8)
    for m, n in ((1, 1), (16, 16), (7, 19), (33, 18)):
        bits = rng.integers(0, 100, (m, n)).astype(kind)
        for side in SIDES:
            x, y = guarded(bits, side, writable=False), guarded(np.zeros((n, m), kind), side)
            ts.transpose(m, n, dtype=dtype, target=target)(x, y)
            assert np.array_equal(y, bits.T)


@older
@pytest.mark.parametrize("columns", [1, 3, 5, 8, 13])
def test_every_f16_is_converted_as_by_the_processor(target: str, columns: int) -> None:
    """numpy converts f16 exactly; f32 near a boundary between two f16, and random bits, are rounded once."""
    every = np.arange(1 << 16, dtype=np.uint16)[: (1 << 16) // columns * columns].reshape(-1, columns)
    found = np.zeros(every.shape, np.float32)
    ts.unary("identity", *every.shape, dtype="f16", out="f32", target=target)(every.view(np.float16), found)
    wanted = every.view(np.float16).astype(np.float32)
    same = (found.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(found) & np.isnan(wanted))
    assert same.all()
    near = wanted.view(np.uint32)[..., None] + np.uint32([0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF, 0xFFFF_FFFF])
    bits = np.concatenate([near.reshape(-1), np.random.default_rng(9).integers(0, 1 << 32, 1 << 16, np.uint32)])
    bits = np.ascontiguousarray(bits[: min(len(bits), 1 << 19) // columns * columns].reshape(-1, columns))
    halves = np.zeros(bits.shape, np.float16)
    ts.unary("identity", *bits.shape, dtype="f32", out="f16", target=target)(bits.view(np.float32), halves)
    with np.errstate(all="ignore"):
        rounded = bits.view(np.float32).astype(np.float16)
    same = (halves.view(np.uint16) == rounded.view(np.uint16)) | (np.isnan(halves) & np.isnan(rounded))
    assert same.all()


NARROW = [
    *((each, each, "f32") for each in ("bf16", "f16", "f8e4m3", "f8e5m2")),
    *((each,) * 3 for each in ("bf16", "f16")),
    *((x, y, "f32") for x, y in MIXED_FLOATS),
]


def bits_of(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return elements of random bits, among them denormals, infinities and NaN."""
    kind = numpy_dtype(dtype)
    return rng.integers(0, 256, (*shape, kind.itemsize), np.uint8).view(kind)[..., 0].copy()


@older
@pytest.mark.parametrize("types", NARROW, ids=str)
@pytest.mark.parametrize("numerics", ["exact", "fast"])
def test_products_of_narrow_floats_have_the_bits_of_avx2(target: str, types: Any, numerics: str) -> None:
    """The processor's FMA is the oracle. Products and sums are rounded once, and flushed as on other targets."""
    rng = np.random.default_rng(10)
    for m, n, k in scaled_shapes():
        for draw in (bits_of, lambda dtype, shape, rng: rng.standard_normal(shape).astype(numpy_dtype(dtype))):
            a, b = draw(types[0], (m, k), rng), draw(types[1], (k, n), rng)
            c = rng.standard_normal((m, n)).astype(numpy_dtype(types[2]))
            found, wanted = c.copy(), c.copy()
            for name, result in ((target, found), ("avx2", wanted)):
                ts.brgemm(m, n, k, dtype=types, numerics=numerics, target=name)(a, b, result)
            word = f"u{c.itemsize}"
            nan = np.isnan(found.astype(np.float32)) & np.isnan(wanted.astype(np.float32))
            assert ((found.view(word) == wanted.view(word)) | nan).all()


def scaled_shapes() -> list[tuple[int, int, int]]:
    """Return shapes with tails along each extent: one, or random ones in a soak."""
    rng = np.random.default_rng(11)
    return [(5, 11, 7), *(tuple(map(int, rng.integers(1, 40, 3))) for _ in range(scaled(0, 100)))]  # type: ignore[misc]


@older
def test_proofs_of_products_of_narrow_floats(target: str) -> None:
    for dtype in ("bf16", "f16", "f8e4m3"):
        assert ts.brgemm(1, 4, 2, dtype=(dtype, dtype, "f32"), target=target).verify()
