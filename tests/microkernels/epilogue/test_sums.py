"""Epilogues on sums in registers: every type of C, tails, batches that may be empty, operands of every shape and type.

The sums come from a kernel without an epilogue, which has its own tests. numpy evaluates the epilogue
(emulation/numerics/expressions.py) and rounds once to the type of C. Operands lie between guard pages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.eltwise_cases import MACHINES, check
from tests.guard import check_canary, guarded
from tests.kernel_runs import server_for
from tests.profiles import quick, scaled
from tilesmith.microkernels.codegen.selection import arithmetic_of
from tilesmith.microkernels.epilogue.plan import plan
from tilesmith.microkernels.epilogue.spec import OLD, EpilogueSpec, epilogue_spec
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.microkernels.machines.registry import TARGETS, machine_class
from tilesmith.microkernels.operands import RUNTIME
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.verify.definition.evaluate import computed

Array = np.ndarray[Any, Any]

TYPES = {
    "f32": ("f32", "f64", "bf16"),
    "f64": ("f64", "f32"),
    ("bf16", "bf16", "f32"): ("f32", "bf16"),
    "bf16": ("bf16", "f32"),
    "f16": ("f16", "f32"),
    ("u8", "i8", "i32"): ("i32", "i8", "f32"),
    ("u8", "i8", "f32"): ("f32",),
    ("u8", "i8", "i8"): ("f32", "i8"),
    ("i8", "i8", "u8"): ("f32",),
}
"""Types of the product, and types of the further operand."""
FUNCTIONS = {
    "identity": lambda c, p: c,
    "ignored": lambda c, p: p + 1,
    "short": lambda c, p: ts.maximum(c - p, 0),
    "long": lambda c, p: ts.minimum(ts.maximum(c * p + 3, -20), 20) * (c - p) + abs(c) * (p + 2) - c * c,
    "very long": lambda c, p: very_long(c, p),
}
FOREIGN_TYPES = ("f32", "f64", ("u8", "i8", "i32"))


def very_long(c: Any, p: Any) -> Any:
    """Compute an epilogue with more operations than are worth computing in registers."""
    for _ in range(25):
        c = ts.minimum(ts.maximum(c - p, -30), 30) + p
    return c


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    dtype = draw(st.sampled_from(list(TYPES)))
    return {
        "m": draw(st.integers(1, 40)),
        "n": draw(st.integers(1, 40)),
        "k": draw(st.sampled_from([1, 2, 3, 5, 16, 33, 70])),
        "dtype": dtype,
        "extra": draw(st.sampled_from(TYPES[dtype])),
        "way": draw(st.sampled_from(["row", "col", "scalar", None])),
        "function": draw(st.sampled_from(list(FUNCTIONS))),
        "order": draw(st.sampled_from(["C", "F"])),
        "alpha": draw(st.sampled_from([1.0, 1.0, -0.5])),
        "beta": draw(st.sampled_from([0.0, 1.0, 0.5])),
        "batch": draw(st.sampled_from([None, 2, ts.STRIDE])),
        "count": draw(st.integers(0, 2)),
        "runtime": draw(st.booleans()),
        "pad": draw(st.sampled_from([0, 3])),
        "seed": draw(st.integers(0, 999)),
        "side": draw(st.sampled_from(["start", "end"])),
    }


def values(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    to = np.dtype(numpy_dtype(dtype))
    if to.kind in "iu":
        return rng.integers(-20, 20, shape).astype(to) if to.kind == "i" else rng.integers(0, 20, shape).astype(to)
    drawn = np.where(rng.integers(0, 9, shape) == 0, -0.0, rng.standard_normal(shape))
    return np.asarray(drawn.astype(to))


def request(case: dict[str, Any]) -> EpilogueSpec | None:
    """Return the request, or None if its types do not have such numbers or conversions."""
    m, n, order = case["m"], case["n"], case["order"]
    runtime = {"lda": RUNTIME, "ldb": RUNTIME} if case["runtime"] else {}
    options = {"alpha": case["alpha"], "beta": case["beta"]}
    plain = None
    try:
        plain = gemm_spec(
            m,
            n,
            case["k"],
            dtype=case["dtype"],
            order=order,
            batch=case["batch"],
            epilogue=True,
            ldc=(n if order == "C" else m) + case["pad"],
            **options,
            **runtime,
        )
        made = epilogue_spec(plain, FUNCTIONS[case["function"]], {"p": (case["way"], case["extra"])})
        made.elementwise.expressions()
    except UnsupportedError:
        if plain is not None and case["extra"] == case["dtype"]:
            raise
        return None
    return made


def inputs(spec: EpilogueSpec, case: dict[str, Any], rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """Return a, b, c and p."""
    count = {None: (), 2: (2,)}.get(case["batch"], (max(1, case["count"]),))
    a, b = (
        np.ascontiguousarray(values(each.dtype, (*count, *shape), rng))
        for each, shape in zip(spec.operands, ((spec.m, spec.k), (spec.k, spec.n)))
    )
    if spec.order[0] == "F":
        a, b = (np.swapaxes(np.ascontiguousarray(np.swapaxes(each, -1, -2)), -1, -2) for each in (a, b))
    (extra,) = spec.extras
    shape = (extra.rows, extra.columns)
    p = np.asarray(values(extra.dtype, shape, rng), order=extra.view.order)
    rows = spec.order[2] == "C"
    wide = values(spec.dtype, (spec.m, spec.leading[2]) if rows else (spec.leading[2], spec.n), rng)
    wide = np.asarray(wide, order=spec.order[2])
    return a, b, (wide[:, : spec.n] if rows else wide[: spec.m]), p


def sums_of(spec: EpilogueSpec, target: Any, call: Any, a: Array, b: Array, c: Array, rest: list[int]) -> Array:
    """Return what the kernel without an epilogue computes in the type of the sums, added to C if the product adds it.

    The sums are laid out like C, since the order of summation may depend on the layout.
    """
    plain = spec.plain
    leading = plain.leading[2]
    assert isinstance(leading, int)
    rows = spec.order[2] == "C"
    wide = np.zeros((spec.m, leading) if rows else (leading, spec.n), numpy_dtype(spec.acc_dtype), order=spec.order[2])
    start = wide[:, : spec.n] if rows else wide[: spec.m]
    if not spec.scratch:
        start[...] = c
    call(Kernel(plain, target), a, b, start, *rest)
    return start


def expected(spec: EpilogueSpec, sums: Array, c: Array, p: Array, tables: int) -> Array:
    flip = (lambda x: x.T) if spec.order[2] == "F" else (lambda x: x)
    elementwise = spec.elementwise
    arrays = {"c": flip(sums), "p": flip(p), OLD: flip(c)}
    (made,) = computed(elementwise, {x.name: arrays[x.name] for x in elementwise.inputs}, tables=tables).values()
    return np.asarray(flip(made))


def property_of(name: str, server: Any, examples: int) -> None:
    target = MACHINES[name]
    facts = machine_class(target).facts_of(target)

    @settings(max_examples=examples)
    @given(cases())
    def test(case: dict[str, Any]) -> None:
        if server is not None and case["dtype"] not in FOREIGN_TYPES:
            case["dtype"], case["extra"] = "f32", "f32"
        spec = request(case)
        if spec is None:
            return
        try:
            how = plan(spec, facts)
        except UnsupportedError:
            return  # the target has no such product or conversion
        rng, side = np.random.default_rng(case["seed"]), case["side"]
        a, b, c, p = inputs(spec, case, rng)
        rest = (
            [case["count"], *(x.strides[0] if x.ndim > 2 else 0 for x in (a, b))] if case["batch"] is ts.STRIDE else []
        )

        def call(kernel: Kernel, *arguments: Any) -> None:
            if server is None:
                kernel(*arguments)
                return
            leading = [(x.strides[-2] if spec.order[0] == "C" else x.strides[-1]) // x.itemsize for x in (a, b)]
            arguments = (*arguments, *(leading if case["runtime"] else []))
            extra = [arguments[3]] if isinstance(arguments[3] if len(arguments) > 3 else None, np.ndarray) else []
            ordered = [*arguments[:3], *arguments[3 + len(extra) :], *extra]
            bits = target.vector_bits if target.isa == "sve" else None
            server.call(kernel.code, *ordered, side=side, vector_bits=bits)

        sums = sums_of(spec, target, call, a, b, c, rest)
        want = expected(spec, sums, np.array(c), p, arithmetic_of(facts).tables)
        vector = p.reshape(-1) if 1 in p.shape and case["way"] is not None else p
        if server is None:
            out = guarded(c, side)
            ins = [guarded(each, side, writable=False) for each in (a, b, vector)]
            call(Kernel(spec, target), ins[0], ins[1], out, ins[2], *rest)
            check_canary(out)
        else:
            out = c
            call(Kernel(spec, target), a, b, out, vector, *rest)
        check([np.ascontiguousarray(out)], [np.ascontiguousarray(want)])
        assert how.spec is spec

    test()


@pytest.mark.parametrize("name", MACHINES)
def test_some(name, request):
    property_of(name, server_for(name, request), quick(20))


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.grid(3)
def test_many(name, request):
    property_of(name, server_for(name, request), scaled(25, 5000))


# Where the plan computes an epilogue, and how it prints that


def planned(target: str, *shape: int, epilogue: Any = lambda c: ts.relu(c), **options: Any) -> Any:
    facts = machine_class(TARGETS[target]).facts_of(TARGETS[target])
    operands = options.pop("operands", None)
    return plan(epilogue_spec(gemm_spec(*shape, epilogue=True, **options), epilogue, operands), facts)


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon", "sve256", "avx512_bf16"])
@pytest.mark.parametrize("shape", [(8, 8, 8), (16, 16, 16), (64, 64, 64), (13, 37, 5), (1, 64, 64), (33, 17, 70)])
def test_short_epilogues_need_no_walk(target, shape):
    made = planned(target, *shape, epilogue=lambda c, bias: ts.relu(c + bias))
    assert made.elementwise is None and "on the sums in registers" in str(made)


def test_a_plan_says_why_it_walks():
    assert "operations cost more" in str(planned("avx512", 8, 8, 8, epilogue=lambda c: very_long(c, 1.0)))
    tiles = planned("amx", 32, 32, 64, dtype=("bf16", "bf16", "f32"), b_layout="vnni")
    assert "in a loop after each grid, because no other grid of its panel follows" in str(tiles)
    assert "epilogue on the accumulators: its sums are in tiles" in str(tiles.rejected)
    nothing = planned("avx512", 8, 8, 8, batch=0)
    assert nothing.elementwise is not None and nothing.code is None


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_a_narrow_c_of_any_size(dtype, target):
    """A kernel has less scratch memory than 300 x 257 sums of f32 need."""
    m, n, k = 300, 257, 8
    rng = np.random.default_rng(4)
    a, b, bias = (values(dtype, shape, rng) for shape in ((m, k), (k, n), (n,)))
    sums, c = np.zeros((m, n), np.float32), np.zeros((m, n), numpy_dtype(dtype))
    ts.brgemm(m, n, k, dtype=(dtype, dtype, "f32"), beta=0, target=target)(a, b, sums)
    fused = ts.brgemm(m, n, k, dtype=dtype, beta=0, target=target, epilogue=lambda c, bias: ts.relu(c + bias))
    fused(a, b, c, bias)
    check([c], [np.maximum(sums + bias.astype(np.float32), np.float32(0)).astype(c.dtype)])


@pytest.mark.parametrize("target", ["avx2", "avx512", "avx512_vnni"])
@pytest.mark.parametrize(("of_c", "low", "high"), [("i8", -128, 127), ("u8", 0, 255)])
def test_quantized_results(target, of_c, low, high):
    """Sums of integers with a scale for each column and a zero point are rounded to nearest even and saturated."""
    if host.runs(host.resolve(target)):
        pytest.skip(f"this processor has no {target}")
    m, n, k = 21, 37, 30
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 256, (m, k), np.uint8), rng.integers(-128, 128, (k, n), np.int8)
    scale, zero = (rng.random(n) * 0.01).astype(np.float32), np.array([7], np.float32)
    c = np.zeros((m, n), numpy_dtype(of_c))
    ts.brgemm(
        m,
        n,
        k,
        dtype=("u8", "i8", of_c),
        beta=0,
        target=target,
        epilogue=lambda c, s, z: c * s + z,
        operands={"s": ("row", "f32"), "z": ("scalar", "f32")},
    )(a, b, c, scale, zero)
    scaled = (a.astype(np.int32) @ b.astype(np.int32)).astype(np.float32) * scale + zero
    assert (scaled > high).any() and (scaled < low).any()  # both ends of the range are exceeded
    check([c], [np.clip(np.rint(scaled), low, high).astype(c.dtype)])


def test_8_bit_results_need_an_epilogue():
    with pytest.raises(UnsupportedError, match="sums of u8 by i8 are i32; a c of i8 needs an epilogue"):
        ts.brgemm(8, 8, 8, dtype=("u8", "i8", "i8"))


@pytest.mark.parametrize("dtype", ["f32", "f64", ("bf16", "bf16", "f32"), ("u8", "i8", "i32")])
@pytest.mark.parametrize("name", MACHINES)
def test_an_empty_batch_leaves_c_to_the_bit(name, dtype, request):
    """If the batch is empty, an epilogue that returns c leaves -0 and denormals unchanged, whatever the sums start
    with."""
    target, server = MACHINES[name], server_for(name, request)
    facts = machine_class(target).facts_of(target)
    for m, n, k in ((1, 18, 70), (9, 21, 5), (3, 17, 70), (24, 40, 130)):
        for alpha in (1.0, -2.0) if dtype in ("f32", "f64") else (1.0,):
            plain = gemm_spec(m, n, k, dtype=dtype, batch=ts.STRIDE, alpha=alpha, epilogue=True)
            spec = epilogue_spec(plain, lambda c: c)
            try:
                made = plan(spec, facts)
            except UnsupportedError:
                continue
            assert made.code is not None
            a, b = (np.ones(shape, numpy_dtype(each)) for each, shape in zip(plain.dtypes, ((m, k), (k, n))))
            before = np.resize(np.array([-0.0, 0.0, 1e-310 if dtype == "f64" else 1e-40, -3]), (m, n))
            c = before.astype(numpy_dtype(spec.dtype))
            want = c.copy()
            if server is None:
                Kernel(spec, target)(a, b, c, 0, 0, 0)
            else:
                bits = target.vector_bits if target.isa == "sve" else None
                server.call(Kernel(spec, target).code, a, b, c, 0, 0, 0, vector_bits=bits)
            assert c.tobytes() == want.tobytes()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(15, 29, 16), (7, 24, 5), (24, 23, 3), (7, 3, 70)])
def test_masks_for_narrower_operands_fit_beside_the_sums(shape, order):
    """f64 sums and f32 operands both have a tail, and a target without mask registers has too few registers for both
    masks."""
    m, n, k = shape
    rng = np.random.default_rng(6)
    a, b = (np.asarray(rng.integers(-9, 9, each).astype(np.float64), order=order) for each in ((m, k), (k, n)))
    p, c = np.asarray(rng.integers(-9, 9, (m, n)).astype(np.float32), order=order), np.zeros((m, n), order=order)
    fused = ts.brgemm(
        m,
        n,
        k,
        dtype="f64",
        order=order,
        beta=0,
        target="avx2",
        epilogue=lambda c, p: c - p,
        operands={"p": (None, "f32")},
    )
    fused(a, b, c, p)
    assert (c == a @ b - p).all()
