"""Elementwise kernels of matrices in several orders and layouts, on every machine, between guard pages.

The results have the bits that numpy computes on plain matrices and then puts in the layout (tests/transform_cases.py).
"""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import FOREIGN, check, elements, expected
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import server_for
from tests.profiles import scaled
from tests.transform_cases import packed
from tilesmith.microkernels.codegen.selection import arithmetic_of
from tilesmith.microkernels.eltwise.spec import EltwiseSpec
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS, facts_of
from tilesmith.microkernels.operands import RUNTIME, Operand
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.kinds import requested

ONE = {
    "copy": lambda x: x,
    "relu": ts.relu,
    "exp": ts.exp,
    "gelu": ts.gelu,
    "one more": lambda x: x + 1.0,
}
MORE = {
    "scale": (lambda x, s: x * s, ("s",)),
    "add": (lambda x, z: x + z, ("z",)),
    "all": (lambda x, z, s, t: x * s + z + t, ("z", "s", "t")),
}
WAYS = [("F", "plain"), ("plain", "F"), ("plaint", "plain"), ("plain", "plaint"), ("F", "F"), ("F", "plaint")]
PACKS = ["vnni2", "vnni4", "vnni2t", "vnni4t", "mmla2x4", "mmla2x4t", "mmla2x8", "amxa", "amxb"]
TYPES = [
    ("f32", "f32"),
    ("f32", "bf16"),
    ("bf16", "bf16"),
    ("bf16", "f32"),
    ("f32", "f16"),
    ("f64", "f64"),
    ("f64", "f32"),
    ("i8", "i8"),
    ("f32", "i8"),
    ("u8", "f32"),
    ("f8e5m2", "bf16"),
    ("i16", "i32"),
]
FEW = scaled(8, 2000)
MACHINES = ("sse", "avx", "avx2", "avx512", *FOREIGN)


class Case(NamedTuple):
    """A request, the same request of plain matrices, and the layout of each operand."""

    spec: EltwiseSpec
    plain: EltwiseSpec
    layouts: dict[str, str]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw layouts, types, extents and leading dimensions. Functions of floats get floats only."""
    dtype, out = draw(st.sampled_from(TYPES))
    whole = dtype in ("i8", "u8", "i16")
    m, n = (draw(st.integers(1, draw(st.sampled_from([4, 20, 40])))) for _ in "mn")
    m, n = draw(st.sampled_from([(m, n), (m, n), (m, n), (m + 20, 310), (310, n + 20)]))  # several blocks in scratch
    shapes: dict[str, tuple[int, int]] = {"x": (m, n)}
    if draw(st.booleans()) or whole:
        function: Any = ONE[draw(st.sampled_from(["copy", "relu"] if whole else list(ONE)))]
        where = draw(
            st.one_of(
                st.sampled_from(WAYS),
                st.tuples(st.just("plain"), st.sampled_from(PACKS)),
                st.tuples(st.sampled_from(PACKS), st.just("plain")),
            )
        )
        layouts = {"x": where[0], "y": where[1]}
    else:
        m, n = m + 1, n + 1  # a row of one matrix with one row is that matrix
        shapes = {"x": (m, n)}
        function, extras = MORE[draw(st.sampled_from(list(MORE)))]
        where = draw(
            st.sampled_from(
                [
                    ("F", "plain", "plain"),
                    ("plain", "F", "plain"),
                    ("plain", "plain", "F"),
                    ("F", "F", "plain"),
                    ("plain", "plain", "vnni2"),
                    ("F", "F", "F"),
                ]
            )
        )
        layouts = dict(zip(("x", "z", "y"), where))
        ways = {"z": (m, n), "s": draw(st.sampled_from([(1, n), (m, 1), (1, 1)])), "t": (1, n)}
        shapes |= {extra: ways[extra] for extra in extras}
    if "f64" in (dtype, out):  # tiles have elements of at most four bytes
        layouts = {each: place.replace("amxa", "plaint").replace("amxb", "plaint") for each, place in layouts.items()}
        layouts["x"] = "plain" if layouts["y"] == "plaint" else layouts["x"]
    options = {"dtype": dtype, "out": out, "by_name": False, "compute": "f64" if "f64" in (dtype, out) else None}
    leading = {}
    for each in ("x", "y"):
        if draw(st.booleans()):
            longest = 30_000 if layouts[each].startswith("amx") else 3000
            leading[f"ld{each}"] = draw(st.sampled_from([RUNTIME, longest]))
    layouts = {each: place for each, place in layouts.items() if each in (*shapes, "y")}
    return Case(
        ts.eltwise_spec(function, "test", shapes, layouts=layouts, leading=leading, **options),
        ts.eltwise_spec(function, "test", shapes, **options),
        layouts,
    )


def placed(matrix: Any, layout: str) -> Any:
    """Return the matrix in a layout, moving its elements as bits."""
    if layout == "F":
        return np.asfortranarray(matrix)
    return packed(matrix.view(f"u{matrix.itemsize}"), layout).view(matrix.dtype)


def spread(array: Any, operand: Operand, gap: int) -> Any:
    """Return a copy with the operand's leading dimension, or with `gap` elements between rows if the call gives it."""
    by_columns = operand.view.order == "F"
    given = array.T if by_columns else array
    leading = operand.view.leading if isinstance(operand.view.leading, int) else given.shape[1] + gap
    whole = np.zeros((given.shape[0], leading), array.dtype)
    whole[:, : given.shape[1]] = given
    view = whole[:, : given.shape[1]]
    return view.T if by_columns else view


def call(case: Case, target: Any, seed: int, server: Any, side: str) -> tuple[Any, Any]:
    """Return the kernel's result and the expected one."""
    rng, spec = np.random.default_rng(seed), case.spec
    plain = {x.name: elements(x.dtype, x.shape, rng) for x in case.plain.inputs}
    without_fma = target if target.name in ("sse", "avx") else None
    (wanted,) = expected(case.plain, plain, arithmetic_of(facts_of(target)).tables, without_fma)
    wanted = placed(wanted, case.layouts["y"])
    arrays = {name: placed(array, case.layouts.get(name, "plain")) for name, array in plain.items()}
    arrays["y"] = np.full(spec.outputs[0].shape, 77, np.uint8).astype(numpy_dtype(spec.outputs[0].dtype))
    held = {each.name: spread(arrays[each.name], each, seed % 5) for each in spec.operands}
    kernel = Kernel(spec, target)
    if server is None:
        held = {name: guarded(array, side, writable=name == "y") for name, array in held.items()}
        kernel(*held.values())
        check_canary(held["y"])
        return held["y"], wanted
    for name, array in held.items():
        array.setflags(write=name == "y")
    leading = [max(held[x.name].strides) // held[x.name].itemsize for x in spec.operands if x.view.leading is RUNTIME]
    bits = target.vector_bits if target.isa == "sve" else None
    views = [each.view(f"u{each.itemsize}") if each.dtype.kind == "V" else each for each in held.values()]
    server.call(kernel.code, *views, *leading, side=side, vector_bits=bits)
    return held["y"], wanted


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.grid(4)
def test_layouts(name: str, request: pytest.FixtureRequest) -> None:
    server = server_for(name, request)

    @settings(max_examples=FEW)
    @given(cases(), st.sampled_from(SIDES), st.integers(0, 1 << 30))
    def test(case: Case, side: str, seed: int) -> None:
        if name in ("sse", "avx") and ts.supported(case.plain, name) is not True:
            return  # without F16C and FMA, and with 13 registers
        found, wanted = call(case, TARGETS[name], seed, server, side)
        check([found], [wanted])

    test()


def test_relu_from_columns_to_rows_stays_in_registers() -> None:
    """The kernel only loads, shuffles, takes the maximum and stores; it uses no scratch memory."""
    spec = ts.eltwise_spec(ts.relu, "relu", {"x": (16, 16)}, order="FC")
    listing = Kernel(spec, TARGETS["avx512"]).listing()
    assert listing.count("zmmword ptr [rdi") == listing.count("zmmword ptr [rsi") == 16 and "rsp" not in listing


def test_requests_again_and_refusals() -> None:
    """A pickled request is made again as an equal one, and each refusal names what would work."""
    for spec in (
        ts.unary("relu", 9, 5, order="FC", out="bf16").spec,
        ts.transform("vnni2t", 9, 5, "f32", out="bf16", epilogue=lambda x, s: x * s).spec,
    ):
        assert requested(pickle.loads(pickle.dumps(spec))) == spec
    mixed = {"x": (4, 4), "z": (4, 4), "w": (4, 4)}
    with pytest.raises(UnsupportedError, match='bit mask all matrices need order="C"'):
        ts.binary("lt", 4, 4, order="FCC")
    with pytest.raises(UnsupportedError, match="random numbers"):
        ts.unary("dropout", ts.RUNTIME, 4, order="F", rate=0.5)
    with pytest.raises(UnsupportedError, match="one operand or the result may have another order than the rest"):
        ts.equation(lambda x, z, w: x + z + w, order="FFCC", **mixed)
    with pytest.raises(ValueError, match="order of y"):
        ts.unary("relu", 4, 4, order="CX")
    with pytest.raises(UnsupportedError, match="between two packed layouts"):
        ts.transform("vnni2_to_vnni2t", 4, 4, "bf16", epilogue=ts.exp)
    with pytest.raises(UnsupportedError, match="with reductions along rows"):
        ts.equation(lambda x: ts.softmax(x, axis=1), x=(4, 4), order="FC")
    with pytest.raises(UnsupportedError, match="in place"):
        ts.transpose(4, 4, in_place=True, epilogue=ts.relu)


def test_public_functions() -> None:
    """Named functions and equations take order=, transforms take epilogues, and handles recognise transposed views."""
    rng = np.random.default_rng(3)
    x, z, s = (rng.standard_normal(shape).astype(np.float32) for shape in ((33, 20), (33, 20), (20,)))
    f = np.asfortranarray(x)
    assert np.array_equal(ts.unary("relu", 33, 20, order="FC")(f), np.maximum(x, 0))
    made = ts.binary("add", 33, 20, order="FCF")(f, z)
    assert np.array_equal(made, x + z) and made.flags.f_contiguous
    product = ts.equation(lambda x, z: x * z, x=(33, 20), z=(33, 20), order={"z": "F"})
    assert np.array_equal(product(x, np.asfortranarray(z)), x * z)
    total = z.copy()
    assert ts.binary("add", 33, 20, order="FCC")(f, total, total) is None and np.array_equal(total, x + z)
    scaled_up = ts.transpose(33, 20, epilogue=lambda x, s: x * s)(x, s)
    assert np.array_equal(scaled_up, (x * s).T)
    assert np.array_equal(ts.transpose(33, 20, out="f64")(x), x.T.astype(np.float64))
    halves = ts.transform("vnni2", 33, 20, "f32", out="f16")(x)
    assert np.array_equal(halves, packed(x.astype(np.float16), "vnni2"))
    assert np.array_equal(ts.dispatch(ts.binary, name="mul")(f, z), x * z)
    assert np.array_equal(ts.dispatch(ts.equation, function=lambda x, z: x - z)(f, z), x - z)
    y = np.empty((20, 33), np.float32)
    ts.dispatch(ts.unary, name="relu")(x.T, y)
    assert np.array_equal(y, np.maximum(x.T, 0))
