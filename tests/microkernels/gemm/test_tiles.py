"""BRGEMM on tile registers: emulation.cpu executes its bytes, stand-ins give the same bits on this host, and the
schedule is that of the manual."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.guard import check_canary
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
    in_integers,
    mixed,
    run,
    same,
    tiles_by_fma,
)
from tests.oracles import llvm
from tests.profiles import is_soak, of_grid, scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.contract.dot_and_tile import TILED
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel

TILE_DEPTH = {"bf16": 2, "f16": 2, "u8": 4}
FEW = scaled(8, 400)  # cases of each type
TILED_TYPES = (BF16_F32, BF16, F16_F32, F16, *BYTES, SCALED[1])
NATIVE = {name: not host.runs(TARGETS[name]) for name in ("amx", "amx_fp16")}
STAND_INS = [name for name in ("avx2", "avx512", "avx512_vnni") if not host.runs(TARGETS[name])]

each_dtypes = pytest.mark.parametrize("dtypes", TILED_TYPES, ids="-".join)


def model_of(dtypes):
    return in_integers if dtypes[0] in ("i8", "u8") else tiles_by_fma


@st.composite
def tile_cases(draw, dtypes):
    """Draw cases with all operands in one order, packed or plain."""
    packable = mixed(dtypes if dtypes[0] != "f16" else (BF16 if dtypes[2] == "f16" else BF16_F32), most=70)
    case = replace(draw(packable), dtypes=dtypes)
    along = case.order[2]
    case = replace(case, order=(along,) * 3, k=draw(st.integers(1, 140)))
    gaps = [gap if kind != "dense" else 0 for gap, kind in zip(case.gaps, case.kinds)]
    for operand, kind in enumerate(case.kinds):
        rows, columns = case.shape(operand)
        if kind == "runtime" and (rows if along == "C" else columns) == 1:
            gaps[operand] = 0
    return replace(case, gaps=tuple(gaps))


def target_of(dtypes):
    """Return the oldest target with tiles for these types, which most hosts run."""
    return "amx_fp16" if dtypes[0] == "f16" else "amx"


def emulate(case):
    """Execute the kernel's own bytes on operands between guard pages and compare."""
    call = call_of(case, "end")
    ts.brgemm(**case.request, target=target_of(case.dtypes)).run(*call.arguments, **call.keywords)
    same(np.array(call.c), expected(case, call.values, model_of(case.dtypes)))
    check_canary(call.c)


@each_dtypes
def test_the_bytes_give_what_the_tiles_give(dtypes):
    @settings(max_examples=FEW)
    @given(tile_cases(dtypes))
    def test(case):
        emulate(case)

    test()


@each_dtypes
def test_calls_on_this_host_give_the_same_bits(dtypes):
    @settings(max_examples=FEW)
    @given(tile_cases(dtypes))
    def test(case):
        kernel = ts.brgemm(**case.request, target=target_of(dtypes))
        assert kernel.emulated != NATIVE[target_of(dtypes)]
        survives(lambda: run(case, kernel, model_of(dtypes)))

    in_one_child(test)


@pytest.mark.parametrize("target", STAND_INS)
@each_dtypes
def test_every_stand_in_gives_the_same_bits(dtypes, target):
    @settings(max_examples=FEW)
    @given(tile_cases(dtypes))
    def test(case):
        spec = replace(gemm_spec(**{**case.request, "numerics": "exact"}), numerics=TILED)
        survives(lambda: run(case, Kernel(spec, TARGETS[target]), model_of(dtypes)))

    in_one_child(test)


EDGES = (1, 2, 15, 16, 17, 31, 32, 33)


@pytest.mark.parametrize("m", EDGES)
@pytest.mark.slow
def test_every_shape_of_tiles(m):
    """Every dimension has tails of one, two and more tiles, with k around the depth of a tile."""
    depths = (1, 2, 31, 32, 33, 66)
    for number, (n, k, dtypes) in enumerate(itertools.product(EDGES, depths, (BF16_F32, INTEGERS[2]))):
        if not is_soak() and (number + number // 12 + m) % 3:
            continue  # a third of the cases, others for each m
        emulate(Mixed(m, n, k, dtypes, layouts=("plain", "vnni"), values="any", seed=n * k))


@pytest.mark.parametrize("shape", ((100, 100, 100), (16, 200, 64), (200, 16, 65), (1, 1, 300), (96, 96, 256)), ids=str)
def test_larger_shapes(shape):
    for dtypes in (BF16, INTEGERS[0]):
        case = Mixed(*shape, dtypes, layouts=("plain", "vnni"), batch=2, count=2, values="any")
        emulate(case)
        run(case, ts.brgemm(**case.request, target=target_of(dtypes)), model_of(dtypes))


def counts(m, n, k, **request):
    dtypes = request.pop("dtype", BF16_F32)
    case = Mixed(m, n, k, dtypes, **{"layouts": ("plain", "vnni"), **request})
    call = call_of(case, "end")
    return ts.brgemm(**case.request, target="amx").emulate(*call.arguments, **call.keywords).counts


@pytest.mark.seconds
def test_one_configuration_for_a_kernel():
    """Kernels with remainders of m, n and k in combination, packed and plain operands, C of 16 bits, or three bf16
    parts configure the tiles once."""
    shapes = (
        (32, 32, 64),
        (64, 96, 320),
        (16, 96, 64),
        (96, 16, 64),
        (32, 32, 33),
        (7, 32, 64),
        (33, 47, 65),
        (17, 17, 17),
        (100, 20, 70),
        (5, 90, 31),
        (90, 5, 95),
    )
    kinds = ({}, {"layouts": ("plain", "plain")}, {"dtype": BF16})
    every = list(itertools.product(shapes, kinds))
    for shape, request in of_grid(every, "one configuration", len(shapes), lambda case: map(str, case)):
        found = counts(*shape, **request)
        assert found["ldtilecfg"] == found["tilerelease"] == 1, (shape, request)
    a, b, c = (np.zeros((17, 17), np.float32) for _ in range(3))
    found = ts.brgemm(17, 17, 17, dtype="f32x3bf16", target="amx").emulate(a, b, c).counts
    assert found["ldtilecfg"] == found["tilerelease"] == 1


def test_a_square_grid_loads_once_for_each_product():
    found = counts(64, 64, 256, beta=0.0)
    products = 4 * 4 * 8
    assert found["tdpbf16ps"] == found["tileloadd"] == products
    assert found["tilestored"] == found["tilezero"] == 16
    assert not [name for name in found if name.startswith("vmov")]


def test_few_rows_have_six_tiles_side_by_side():
    found = counts(16, 96, 256, beta=0.0)
    assert found["tdpbf16ps"] == 6 * 8 and found["tileloadd"] == 7 * 8


# Manual, examples 20-12 to 20-14: M = N = 32, K = 128, int8, 2 x 2 accumulators. In lines 25 to 48 of example 20-14,
# every product directly follows the load that it waits for, its accumulator is zeroed just before the first product,
# and each tile of C is stored between the last products. Tiles of A are named by rows and k, of B by k and columns, of
# C by rows and columns. (Line 29 of the manual names B's register, but its comment says A.)
EXAMPLE_20_14 = """
    load B00, load A00, zero C00, product C00 A00 B00, load A10, zero C10, product C10 A10 B00
    load B01, zero C01, product C01 A00 B01, zero C11, product C11 A10 B01
    load B10, load A01, product C00 A01 B10, store C00, load A11, product C10 A11 B10, store C10
    load B11, product C01 A01 B11, store C01, product C11 A11 B11, store C11
"""
_VERBS = {"tileloadd": "load", "tilezero": "zero", "tdpbssd": "product", "tilestored": "store"}


def story(kernel, tiles):
    """Return the steps of a kernel with tiles named by their addresses. `tiles` maps base register and displacement to
    a name."""
    told, named = [], {}
    stores = [re.search(r"tilestored\s+\[(\w+)[^\]]*?(?: \+ (\d+))?\], (tmm\d)", line) for line in lines_of(kernel)]
    for base, disp, tile in (found.groups() for found in stores if found):
        named[tile] = tiles[base, int(disp or 0)]
    for line in lines_of(kernel):
        found = re.search(r"\b(tile(?:zero|loadd|stored)|tdpbssd)\s+([^;]*)", line)
        if not found:
            continue
        if found[1] == "tileloadd":
            tile, base, disp = re.match(r"(tmm\d), \[(\w+) \+ 1\*\w+(?: \+ (\d+))?\]", found[2]).groups()
            named[tile] = tiles[base, int(disp or 0)]
        used = [named[tile] for tile in re.findall(r"tmm\d", found[2])]
        told.append(" ".join([_VERBS[found[1]], *used]))
    return told


def lines_of(kernel):
    return kernel.listing().splitlines()


def test_the_example_of_the_manual():
    """Rows of A, packed B and C are 128 bytes apart: 16 rows are 2048 bytes, and a tile is 64 bytes wide along columns
    or k."""
    kernel = ts.brgemm(32, 32, 128, dtype="i8", b_layout="vnni", beta=0, target="amx")
    tiles = {
        (base, 2048 * row + 64 * column): f"{name}{row}{column}"
        for (base, name), row, column in itertools.product((("rdi", "A"), ("rsi", "B"), ("rdx", "C")), (0, 1), (0, 1))
    }
    wanted = [step.strip() for step in EXAMPLE_20_14.replace("\n", ",").split(",")]
    assert story(kernel, tiles) == [step for step in wanted if step]
    text = kernel.listing()
    assert text.index("ldtilecfg") < text.index("tileload") and text.index("tilestored") < text.index("tilerelease")


def test_the_assembler_makes_the_same_bytes():
    made = [
        ts.brgemm(*shape, dtype=dtype, b_layout="vnni", target="amx_fp16")
        for dtype, shape in (("i8", (32, 32, 128)), ("bf16", (40, 24, 65)), (("f16", "f16", "f32"), (33, 16, 32)))
    ]
    for kernel in (*made, *ts.amx_config(made[0]).kernels):
        assert llvm.program(kernel.listing("gas"))[: len(kernel.code)] == kernel.code


# Manual, table 20-2: (cycles between two instructions of a kind, latency). llvm-mca-19 has no figures for tiles.
TABLE_20_2 = {"tdpbf16ps": (16, 52), "tdpbssd": (16, 52), "tileloadd": (8, 45)}


def scheduled(body, times):
    """Return the cycles of `times` rounds of a loop if every instruction starts once its operands and unit are
    ready."""
    ready: dict[str, int] = {}
    free: dict[str, int] = {}
    for line in body * times:
        name, *operands = re.findall(r"[a-z]\w+", line)[:4]
        if name not in TABLE_20_2:
            continue
        interval, latency = TABLE_20_2[name]
        sources = operands if name.startswith("tdp") else []
        start = max([free.get(name, 0), *(ready.get(each, 0) for each in sources)])
        free[name], ready[operands[0]] = start + interval, start + latency
    return max(ready.values())


SCHEDULED = (
    ((32, 32), 0, None),
    ((32, 32), 0, 2),
    ((64, 96), 0, None),
    ((40, 50), 0, None),  # 2 x 2 tiles
    ((32, 32), 3, None),
    ((48, 35), 7, None),  # registers are shared with the end of k
    ((16, 96), 0, None),
    ((96, 16), 0, None),
    ((7, 96), 0, None),  # a row of six tiles
    ((96, 9), 5, None),  # a row of four tiles
)


@pytest.mark.parametrize(("shape", "rest", "batch"), SCHEDULED)
@pytest.mark.parametrize("dtypes", (BF16_F32, INTEGERS[2]), ids="-".join)
def test_the_loop_runs_at_the_speed_of_the_products(dtypes, shape, rest, batch):
    """The loop of the manual's 32 x 32 x 64 k and of other shapes is bound by its products. Rows begin at cache lines,
    since otherwise their loads would be the bound."""
    depth = 128 // np.dtype("i2" if dtypes is BF16_F32 else "i1").itemsize // 2
    lda, ldb = (depth * 101, shape[1] + -shape[1] % 16) if rest else (None, None)
    kernel = ts.brgemm(
        *shape, depth * 100 + rest, dtype=dtypes, b_layout="vnni", batch=batch, lda=lda, ldb=ldb, target="amx"
    )
    body = loop_body(kernel.listing("gas"))
    products = sum("tdp" in line for line in body)
    assert products >= 4 and scheduled(body, 100) <= 16 * products * 100 * 1.02


def loop_body(listing):
    """Return the instructions of the innermost loop with products, without its branch."""
    lines = listing.splitlines()
    best = []
    for number, line in enumerate(lines):
        found = re.match(r"(\.L\w+):", line)
        if found:
            ends = [i for i in range(number, len(lines)) if re.search(rf"jne?\s+{re.escape(found[1])}\b", lines[i])]
            body = lines[number + 1 : ends[0]] if ends else []
            if any("tdp" in each for each in body) and (not best or len(body) < len(best)):
                best = body
    assert best
    return [line for line in best if not re.match(r"\s*(#|\.L)", line)]


@st.composite
def mixed_orders(draw, dtypes):
    """Draw small plain cases in which some operands have another order than C and are transposed into scratch
    memory."""
    case = draw(tile_cases(dtypes))
    case = replace(case, m=min(case.m, 40), n=min(case.n, 40), k=min(case.k, 70))
    order = tuple(draw(st.sampled_from(("FCC", "CFC", "FFC", "CCF", "FCF", "CFF"))))
    layouts = tuple(layout if of_operand == order[2] else "plain" for layout, of_operand in zip(case.layouts, order))
    case = replace(case, order=order, layouts=layouts)
    gaps = tuple(0 if kind == "dense" else gap for gap, kind in zip(case.gaps, case.kinds))
    for operand, kind in enumerate(case.kinds):  # a single row or column has no stride to read it from
        rows, columns = case.shape(operand)
        if kind == "runtime" and (rows if order[operand] == "C" else columns) == 1:
            gaps = (*gaps[:operand], 0, *gaps[operand + 1 :])
    return replace(case, gaps=gaps)


@pytest.mark.seconds
@each_dtypes
def test_operands_in_other_orders_are_transposed_on_the_way(dtypes):
    """The kernel's bytes and its stand-in give the bits of the product of operands in one order."""

    @settings(max_examples=max(1, FEW // 3))
    @given(mixed_orders(dtypes))
    def test(case):
        emulate(case)
        kernel = ts.brgemm(**case.request, target=target_of(dtypes))
        bodies = 1 + (".Lmany:" in kernel.listing())  # sums of many pairs have levels, and a body of their own
        assert kernel.listing().count("ldtilecfg") <= bodies and kernel.emulated != NATIVE[target_of(dtypes)]
        survives(lambda: run(case, kernel, model_of(dtypes)))

    in_one_child(test)


@pytest.mark.parametrize("order", ("CCC", "FFF", "FFC", "CCF"))
@pytest.mark.parametrize("dtypes", (BF16_F32, INTEGERS[0], F16_F32), ids="-".join)
def test_plain_groups_are_made_on_the_way_where_that_is_quicker(dtypes, order):
    """Plain groups of k are packed first if that is faster, for any leading dimension and with an incomplete last
    group. No bit depends on it."""
    packed = "ba"[order[2] == "F"]
    for k, kind, batch in ((64, "dense", None), (67, "given", 2), (33, "runtime", 3)):
        gaps = (0, 0, 0) if kind == "dense" else (5, 3, 1)
        case = Mixed(
            64,
            64,
            k,
            dtypes,
            tuple(order),
            gaps=gaps,
            kinds=(kind,) * 3,
            batch=batch,
            count=batch or 1,
            values="any",
            seed=k,
        )
        kernel = ts.brgemm(**case.request, target=target_of(dtypes))
        assert kernel.plan.changes[packed].spec.result.rstrip("t") == f"vnni{TILE_DEPTH[dtypes[0]]}"
        assert f"{packed} is brought to vnni" in str(kernel.plan)
        emulate(case)
        survives(lambda case=case, kernel=kernel: run(case, kernel, model_of(dtypes)))


@pytest.mark.parametrize(("n", "packed"), [(96, True), (120, True)])
def test_groups_beside_an_epilogue(n, packed):
    kernel = ts.brgemm(n, n, 64, dtype=BF16, target="amx", epilogue=lambda c: ts.relu(c))
    assert hasattr(kernel.plan.product, "changes") == packed
    rng = np.random.default_rng(n)
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((n, 64), (64, n)))
    c = np.zeros((n, n), numpy_dtype("bf16"))
    kernel(a.astype(c.dtype), b.astype(c.dtype), c)
    assert (c == np.maximum(a @ b, 0).astype(c.dtype)).all()


def test_what_does_not_fit_is_interleaved_at_every_use():
    for batch in (16, ts.STRIDE):
        plan = ts.brgemm(64, 64, 64, dtype=BF16_F32, batch=batch, target="amx").plan
        assert not hasattr(plan, "changes") and plan.tile_shapes


@pytest.mark.parametrize("order", ("FCC", "CFC", "FFC", "CCF", "FCF", "CFF"))
def test_every_order_with_an_epilogue(order):
    """Every order is computed with an epilogue, or refused with the orders that are supported."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-9, 9, (20, 70), np.int8), rng.integers(-9, 9, (70, 33), np.int8)
    c, bias = np.zeros((20, 33), np.int32, order[2]), rng.integers(-99, 99, 33).astype(np.int32)
    try:
        kernel = ts.brgemm(
            20, 33, 70, dtype="i8", order=tuple(order), target="amx", epilogue=lambda c, bias: ts.maximum(c + bias, 0)
        )
    except ts.UnsupportedError as refusal:
        assert "TDPBSSD takes order" in str(refusal)
        return
    kernel.run(np.asarray(a, order=order[0]), np.asarray(b, order=order[1]), c, bias)
    assert (c == np.maximum(a.astype(np.int32) @ b + bias, 0)).all()


def test_orders_that_cannot_be_transposed_on_the_way_are_refused():
    def refused(match, **request):
        with pytest.raises(ts.UnsupportedError, match=match):
            ts.brgemm(**{"m": 8, "n": 8, "k": 8, "dtype": "bf16", "order": ("C", "F", "C"), "target": "amx", **request})

    refused("tiles take operands in the order of C.*b is packed; pass it plain", b_layout="vnni")
    refused("bytes for transposed operands, a kernel has 65536; use smaller blocks", n=256, k=256)


def test_plain_rows_are_interleaved_in_scratch_memory():
    """With 16 pairs, the interleaved rows do not fit in scratch memory all at once."""
    found = counts(32, 32, 64, beta=0.0, layouts=("plain", "plain"), batch=16, count=16)
    assert found["tdpbf16ps"] == found["tileloadd"] == 16 * 8
    assert found["vpmovzxwd"] == 16 * 2 * 2 * 16 * 2


def test_types_without_tiles_use_other_units():
    plan = ts.brgemm(8, 8, 8, dtype="i16", target="amx").plan
    assert "VPDPWSSD" in str(plan) and plan.stand_in is None
    assert "TDPBF16PS" in str(ts.brgemm(8, 8, 8, dtype="bf16", b_layout="vnni", target="amx").plan)
