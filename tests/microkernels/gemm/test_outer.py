"""BRGEMM on SME's outer products: emulation.cpu and the kernel server under qemu execute the bytes, both between
guards, and models add in the order of the instructions. Further tests cover the callers' ZA state and the scheduling of
the code."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary
from tests.mixed_cases import (
    BF16,
    BF16_F32,
    BYTES,
    F16,
    F16_F32,
    INTEGERS,
    SCALED,
    Mixed,
    call_of,
    expected,
    flat,
    in_integers,
    matrix,
    mixed,
    narrowed_on_arm,
    passed,
    same,
)
from tests.oracles.tools import missing
from tests.profiles import is_soak, scaled
from tilesmith.emulation.cpu import Fault, call
from tilesmith.emulation.numerics.rounding import ARM
from tilesmith.emulation.numerics.sme import OUTER_PRODUCTS
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.emulation.qemu.server import Pointers, Server
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import STREAMING, SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import W, X, mem, sp, za
from tilesmith.encoder.code import Code
from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.machines.a64.sme import Sme
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.microkernels.products.pipeline import GEMM
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

FEW = scaled(4, 400)  # cases of each type at each length
LENGTHS = (128, 256, 512)
F32, F64 = ("f32",) * 3, ("f64",) * 3
TYPES = (F32, F64, BF16_F32, BF16, F16_F32, F16, *BYTES, *SCALED)
PRODUCTS = {"f32": "fmopa.s", "f64": "fmopa.d", "bf16": "bfmopa.s.h", "f16": "fmopa.s.h"}

each_length = pytest.mark.parametrize("bits", LENGTHS)
each_dtypes = pytest.mark.parametrize("dtypes", TYPES, ids="-".join)


def model_of(dtypes: tuple[str, str, str]) -> Callable[..., Any]:
    """Return the model of a type's sums: one group of k after the other; elements missing from the last group are
    +0."""
    if dtypes[0] in ("i8", "u8"):
        return in_integers
    product = OUTER_PRODUCTS[PRODUCTS[dtypes[0]]]
    group, env = product.group, ARM

    def model(sums: Any, a: Any, b: Any) -> Any:
        pad = -a.shape[1] % group
        x = np.pad(a.view(product.first), ((0, 0), (0, pad)))
        y = np.pad(b.view(product.second), ((0, pad), (0, 0)))
        for k in range(0, x.shape[1], group):
            sums = product.add(sums, x[:, None, k : k + group], y[k : k + group].T[None], env)
        return sums

    return model


@st.composite
def cases(draw: st.DrawFn, dtypes: tuple[str, str, str], most: int) -> Mixed:
    """Draw a case with any order of each operand."""
    case = replace(draw(mixed(F32 if dtypes == F64 else dtypes, most=most)), dtypes=dtypes)
    layouts = case.layouts if dtypes[0] in ("bf16", "i8", "u8", "f16") else ("plain", "plain")
    if dtypes[0] == "f16":
        layouts = tuple(draw(st.sampled_from(("plain", "vnni"))) for _ in "ab")
    case = replace(case, layouts=layouts, order=tuple(draw(st.sampled_from("CF")) for _ in "abc"))
    gaps = list(case.gaps)
    for operand, kind in enumerate(case.kinds):  # a single row or column has no stride to read a leading dimension from
        rows, columns = case.shape(operand)
        if kind == "runtime" and (rows if case.order[operand] == "C" else columns) == 1:
            gaps[operand] = 0
    return replace(case, gaps=tuple(gaps))


def most_of(dtypes: tuple[str, str, str], bits: int) -> int:
    """Return an extent that takes several accumulators in each dimension; f64 is slow to model and has smaller
    extents."""
    return bits // (16 if dtypes == F64 else 8) + 10


def emulate(case: Mixed, bits: int, side: str = "end") -> None:
    """Execute the kernel's bytes with emulation.cpu and compare."""
    call = call_of(case, side)
    wanted = expected(case, call.values, model_of(case.dtypes), narrowed_on_arm, ARM)
    ts.brgemm(**case.request, target=f"sme{bits}").run(*call.arguments, **call.keywords)
    same(np.array(call.c), wanted)
    check_canary(call.c)


def serve(server: Server, case: Mixed, bits: int, side: str) -> None:
    """Execute the same bytes with the server's emulator and compare."""
    if case.count == 0:  # an empty operand has no pages that could be guarded
        case = replace(case, batch=None, count=1)
    rng = np.random.default_rng(case.seed)
    memories, values = zip(*(flat(case, operand, rng) for operand in range(3)))
    c = passed(case, 2, matrix(case, 2, memories[2]))
    wanted = expected(case, list(values), model_of(case.dtypes), narrowed_on_arm, ARM)
    distances = [case.distance(i) * memories[i].itemsize for i in range(2)]
    inputs: list[Any] = list(memories[:2])
    rest: list[Any] = []
    if case.batch is ts.STRIDE:
        rest = [case.count, *distances]
    elif case.batch is ts.OFFSET:
        rest = [*(np.arange(case.count, dtype=np.int64) * each for each in distances), case.count]
    elif case.batch is ts.ADDRESS:
        starts = [[np.asarray(memories[i][n * case.distance(i) :]) for n in range(case.count)] for i in range(2)]
        inputs, rest = [Pointers(each) for each in starts], [case.count]
    leading = [case.leading(i) for i, kind in enumerate(case.kinds) if kind == "runtime"]
    kernel = Kernel(ts.gemm_spec(**case.request), TARGETS[f"sme{bits}"])
    server.call(kernel.code, *inputs, c, *rest, *leading, side=side, streaming_bits=bits)
    same(np.array(c), wanted)


@each_length
@each_dtypes
def test_the_bytes_give_what_the_outer_products_give(dtypes, bits):
    @settings(max_examples=FEW)
    @given(cases(dtypes, most=most_of(dtypes, bits)), st.sampled_from(SIDES))
    def test(case, side):
        emulate(case, bits, side)

    test()


@each_length
@each_dtypes
def test_under_an_emulator(aarch64, dtypes, bits):
    lacks = aarch64.lacks(TARGETS[f"sme{bits}"])
    parts = {"f16": "SME_F16F32", "bf16": "SME_B16F32", "i8": "SME_I8I32", "u8": "SME_I8I32"}
    lacks = lacks or aarch64.features().get(parts.get(dtypes[0], ""), "")
    if lacks:
        pytest.skip(lacks)

    @settings(max_examples=FEW * 3)
    @given(cases(dtypes, most=most_of(dtypes, bits)), st.sampled_from(SIDES))
    def test(case, side):
        serve(aarch64, case, bits, side)

    test()


EDGES = (1, 3, 4, 5, 8, 9)
ORDERS = tuple(itertools.product("CF", repeat=3))


@pytest.mark.slow
@pytest.mark.parametrize("dtypes", (F32, BF16_F32, INTEGERS[2]), ids="-".join)
def test_every_edge_in_every_order(aarch64, dtypes):
    """Every dimension has tails of one, two and three of four accumulators, and k ends near a turn of the loop."""
    if lacks := aarch64.lacks(TARGETS["sme128"]):
        pytest.skip(lacks)
    depths = (1, 2, 7, 16, 17, 35)
    for number, (m, n, order) in enumerate(itertools.product(EDGES, EDGES, ORDERS)):
        for k in depths if is_soak() else depths[(number + number // 8) % 6 :: 6]:
            serve(aarch64, Mixed(m, n, k, dtypes, order=order, seed=m * n), 128, "end")


@pytest.mark.parametrize("dtypes", (F32, F64, BF16, INTEGERS[0]), ids="-".join)
def test_larger_shapes(dtypes):
    for shape in ((64, 64, 40), (100, 33, 65), (1, 1, 300)) if dtypes != F64 else ((33, 34, 20),):
        emulate(Mixed(*shape, dtypes, batch=2, count=2, values="any"), 512)


def test_all_kinds_of_leading_dimensions_and_batches_have_registers():
    """The requests that need the most general registers can be built."""
    for order, batch, layout in itertools.product(ORDERS, (ts.STRIDE, ts.OFFSET, ts.ADDRESS), ("plain", "vnni")):
        ts.brgemm(
            70,
            70,
            70,
            dtype="i8",
            order=order,
            batch=batch,
            lda=ts.RUNTIME,
            ldb=ts.RUNTIME,
            ldc=ts.RUNTIME,
            a_layout=layout,
            b_layout=layout,
            target="sme256",
        )


# Epilogues


def test_an_epilogue_runs_in_streaming_mode(aarch64):
    rng = np.random.default_rng(3)
    a, b, c = (rng.standard_normal(shape).astype(np.float32) for shape in ((20, 9), (9, 37), (20, 37)))
    bias = rng.standard_normal(37).astype(np.float32)
    kernel = ts.brgemm(20, 37, 9, beta=0, epilogue=lambda c, bias: ts.maximum(c + bias, 0), target="sme256")
    wanted = np.maximum(a.astype(np.float64) @ b + bias, 0)
    found = c.copy()
    kernel.run(a, b, found, bias)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    if not aarch64.lacks(TARGETS["sme256"]):
        aarch64.call(kernel.code, a, b, c, bias, streaming_bits=256)
        assert c.tobytes() == found.tobytes()


@pytest.mark.parametrize("bits,order,beta", [(256, "C", 0), (256, "F", 0.5), (512, "C", 1)])
def test_an_epilogue_of_narrow_results_has_the_bits_of_sve(bits, order, beta):
    """BFMOPA adds as BFDOT does, so the results have the bits of SVE."""
    rng, dtype = np.random.default_rng(5), numpy_dtype("bf16")
    shapes = ((33, 19), (19, 18), (33, 18))
    a, b, c = (np.asarray(rng.standard_normal(shape).astype(dtype), order=order) for shape in shapes)
    bias = rng.standard_normal(18).astype(np.float32)
    found = []
    for target in (f"sve{bits}", f"sme{bits}"):
        kernel = ts.brgemm(
            33,
            18,
            19,
            dtype="bf16",
            order=order,
            beta=beta,
            target=target,
            epilogue=lambda c, bias: ts.gelu(c + bias),
            operands={"bias": ("row", "f32")},
        )
        found.append(c.copy(order="K"))
        kernel.run(a, b, found[-1], bias)
    assert found[0].tobytes() == found[1].tobytes() != c.tobytes()


# ZA and its callers: AAPCS64, 6.6


def caller(bits: int, *, dormant: bool = True) -> Code:
    """Return f(a, b, c, buffer, slices, za before, state after): a function that owns ZA calls a kernel by the lazy
    scheme.

    ZA is loaded and left on, and TPIDR2_EL0 points to a block with the buffer and the number of slices to save. If not
    `dormant`, ZA is off and TPIDR2_EL0 is null. The state after is TPIDR2_EL0 and SVCR as the kernel leaves them.
    """
    target = TARGETS[f"sme{bits}"]
    asm = A64Assembler(target)
    size, tpidr2 = bits // 8, SYSTEM_REGISTERS["tpidr2_el0"]
    asm.stp(X[30], X[6], mem[sp, -32].pre)
    asm.stp(X[3], X[4], mem[sp, 16])
    if dormant:
        asm.smstart(STREAMING["za"])
        asm.movz(W[12], 0)
        asm.load_immediate(X[9], size)
        with asm.loop(X[9]):
            asm.ldr(za[W[12], 0], mem[X[5]])
            asm.add(X[5], X[5], size)
            asm.add(W[12], W[12], 1)
        asm.add(X[9], sp, 16)
        asm.msr(tpidr2, X[9])
    kernel = asm.label()
    asm.bl(kernel)
    asm.mrs(X[9], tpidr2)
    asm.mrs(X[10], SYSTEM_REGISTERS["svcr"])
    asm.ldp(X[30], X[6], mem[sp].post(32))
    asm.stp(X[9], X[10], mem[X[6]])
    asm.ret()
    asm.bind(kernel)
    m = Sme(target, asm)
    plan = choose(GEMM.candidates(ts.gemm_spec(9, 11, 5, beta=0), m.facts))
    GEMM.emitter(plan)(m, plan)
    return asm.finish("caller")


def lazily(run: Callable[..., Any], bits: int, slices: int, *, buffer: bool = True, dormant: bool = True) -> None:
    """Make one call and check that the kernel saved the contents of ZA in the buffer that the caller named."""
    size = bits // 8
    rng = np.random.default_rng(slices)
    a, b, c = (rng.standard_normal(shape).astype(np.float32) for shape in ((9, 5), (5, 11), (9, 11)))
    before = rng.integers(1, 256, (size, size), np.uint8)
    saved, after = np.zeros((size, size), np.uint8), np.full(2, 99, np.uint64)
    run(caller(bits, dormant=dormant), a, b, c, saved if buffer else 0, slices, before, after)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, atol=1e-5)
    assert after.tolist() == [0, 0]
    kept = slices if buffer and dormant else 0
    assert (saved[:kept] == before[:kept]).all() and not saved[kept:].any()


def runners(server: Server, bits: int) -> list[Callable[..., Any]]:
    """Return a function that calls emulation.cpu, and one that calls the server if it has streaming vectors of this
    length."""
    target = TARGETS[f"sme{bits}"]
    found: list[Callable[..., Any]] = [lambda code, *arguments: call(code.data, target, *arguments)]
    return found if server.lacks(target) else [*found, server.call]


@each_length
def test_what_a_caller_left_in_za_is_saved_as_it_asked(aarch64, bits):
    for run in runners(aarch64, bits):
        for slices in (0, 1, bits // 16, bits // 8):
            lazily(run, bits, slices)
        lazily(run, bits, bits // 8, buffer=False)
        lazily(run, bits, bits // 8, dormant=False)


def test_a_block_of_a_later_kind_stops_the_kernel(aarch64):
    """If reserved bytes of the block are set, the caller asks for a feature that the kernel does not know."""
    for run in runners(aarch64, 256):
        with pytest.raises((Fault, GuestFault), match=r"udf|SIGILL"):
            lazily(run, 256, 8 | 1 << 16)


def test_vector_registers_of_the_caller_survive_streaming_mode():
    """d8 to d15 are saved before smstart and restored after smstop, which both clear them."""
    listing = ts.brgemm(8, 8, 8, target="sme256").listing().partition(".Lelsewhere:")[0]
    words = re.findall(r"\b(stp d8|smstart sm|smstart za|smstop za|smstop sm|ldp d8|ret)\b", listing)
    assert words == ["stp d8", "smstart sm", "smstart za", "smstop za", "smstop sm", "ldp d8", "ret"]


# Code


def counts(m: int, n: int, k: int, **request: Any) -> Any:
    """Return the number of executed instructions of each mnemonic in a call of a 512-bit kernel."""
    dtypes = request.pop("dtype", F32)
    case = Mixed(m, n, k, dtypes, **request)
    done = call_of(case, "end")
    return ts.brgemm(**case.request, target="sme512").emulate(*done.arguments, **done.keywords).counts


def test_two_by_two_accumulators_load_one_vector_for_a_product():
    found = counts(32, 32, 64, order=("F", "C", "C"), beta=0.0)
    assert found["fmopa"] == found["ldr"] == 4 * 64
    assert found["zero"] == 4 and found["st1w"] == 64 and "mova" not in found


def test_packed_groups_need_no_shuffles():
    for dtype, name, depth in ((BF16_F32, "bfmopa", 2), (INTEGERS[2], "smopa", 4), (INTEGERS[0], "usmopa", 4)):
        found = counts(32, 32, 64, dtype=dtype, order=("F", "C", "C"), layouts=("vnni", "vnni"), beta=0.0)
        assert found[name] == found["ldr"] == 4 * 64 // depth
        assert not {"zip1", "zip2", "mova"} & found.keys()


def test_plain_pairs_of_two_accumulators_are_interleaved_together():
    found = counts(32, 32, 64, dtype=BF16_F32, order=("F", "C", "C"), beta=0.0)
    assert found["bfmopa"] == 4 * 32 and found["zip1"] == found["zip2"] == 2 * 32 and found["ldr"] == 4 * 32


def test_an_operand_along_k_is_turned_once():
    """With all orders "C", one row load and one column move per vector of A serve three products."""
    found = counts(16, 48, 64, beta=0.0)
    assert found["fmopa"] == found["ldr"] == 3 * 64 and found["ld1w"] == 64
    listing = ts.brgemm(16, 48, 64, beta=0, target="sme512").listing()
    assert len(re.findall(r"mova z\d+.s, p0/m, za3v", listing)) == len(re.findall("ld1w {za3h", listing)) == 16


def test_the_assembler_makes_the_same_bytes(tmp_path):
    assembler = shutil.which("llvm-mc-19") or missing("llvm-mc-19 is not installed: `make oracles`")
    for dtype, order in (("f32", "C"), ("f64", "F"), ("bf16", ("F", "C", "C")), ("i8", ("C", "F", "C"))):
        kernel = ts.brgemm(33, 20, 19, dtype=dtype, order=order, target="sme256")
        source, built, raw = (tmp_path / name for name in ("k.s", "k.o", "k.bin"))
        lines = kernel.listing("gas").splitlines(keepends=True)
        source.write_text("".join(line for line in lines if ".arch" not in line))  # GNU as has its own names
        options = ["-triple=aarch64", "-filetype=obj", "-mattr=+sme,+sme-f64f64,+sve2,+bf16,+i8mm"]
        subprocess.run([assembler, *options, str(source), "-o", str(built)], check=True)
        copier = shutil.which("aarch64-linux-gnu-objcopy") or missing("binutils-aarch64-linux-gnu: `make oracles`")
        subprocess.run([copier, "-O", "binary", "-j", ".text", str(built), str(raw)], check=True)
        assert raw.read_bytes()[: len(kernel.code)] == kernel.code


def test_faults_name_the_instruction():
    """If an operand is one row too short, the emulator stops at the load or store beyond its end and names it."""
    kernel = ts.brgemm(16, 16, 16, beta=0, target="sme512")
    a, b, c = (np.zeros((16, 16), np.float32) for _ in range(3))
    with pytest.raises(Fault, match=r"ld1w \{ ?za3h.s.* reads .* a"):
        call(kernel.code, kernel.target, a[:15].copy(), b, c, names=("a", "b", "c"))
    with pytest.raises(Fault, match=r"st1w \{ ?za0h.s.* writes .* c"):
        call(kernel.code, kernel.target, a, b, c[:15].copy(), names=("a", "b", "c"))
