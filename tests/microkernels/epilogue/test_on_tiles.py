"""Epilogues on tile registers and outer-product accumulators: each grid's epilogue runs beside the products of the
next.

There are two oracles: the kernel whose epilogue walks over C afterwards, and for tiles the kernel without tile
registers that calls use on a processor without tiles.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.profiles import is_soak
from tilesmith.microkernels.choice import refused
from tilesmith.microkernels.epilogue import plan as epilogue_plan
from tilesmith.microkernels.epilogue.plan import EpiloguePlan, candidates
from tilesmith.microkernels.epilogue.tile_plan import TileEpiloguePlan
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.kernel.callable import Kernel

BF16, BF16_F32, F16_F32, U8 = ("bf16",) * 3, ("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("u8", "i8", "u8")
I8, I8U8, I32 = ("i8",) * 3, ("i8", "u8", "u8"), ("u8", "i8", "i32")
F32 = ("f32",) * 3
SHAPES = {
    "straight": (33, 100, 64),  # two heights of blocks, two widths of panels, products without a loop over k
    "rest of k": (40, 64, 70),
    "one column of tiles": (100, 7, 96),
    "one grid": (20, 33, 40),
    "a loop over k": (64, 64, 320),
}
Array = np.ndarray[Any, Any]
GOLDEN = Path(__file__).parents[2] / "golden" / "fused_tiles.txt"


def scaled_and_shifted(c: Any, p: Any, q: Any) -> Any:
    return ts.relu(c * p - q)


def values(shape: Any, dtype: str, rng: np.random.Generator) -> Array:
    if dtype[0] in "ui":
        return rng.integers(0 if dtype[0] == "u" else -9, 10, shape).astype(numpy_dtype(dtype))
    return rng.standard_normal(shape).astype(np.float32).astype(numpy_dtype(dtype))


class Case:
    """A request with its arrays."""

    def __init__(
        self,
        shape: tuple[int, int, int],
        dtypes: tuple[str, str, str],
        target: str,
        seed: int,
        epilogue: Any = scaled_and_shifted,
        **request: Any,
    ) -> None:
        m, n, k = shape
        rng, order = np.random.default_rng(seed), request.get("order", "C")
        ways, kind = (("row", "f32"), (None if seed % 2 else "col", "f32")), dtypes[2]
        self.operands = dict(zip("pq", ways)) if dtypes[2] != "i32" else {"p": ("row", "i32"), "q": ("col", "i32")}
        self.request = {"dtype": dtypes, "target": target, **request}
        self.kernel = ts.brgemm(m, n, k, epilogue=epilogue, operands=self.operands, **self.request)
        self.a, self.b, self.c = (
            values((m, k), dtypes[0], rng),
            values((k, n), dtypes[1], rng),
            values((m, n), kind, rng),
        )
        self.a, self.b, self.c = (np.asarray(each, order=order) for each in (self.a, self.b, self.c))
        self.extras = []
        for way, dtype in self.operands.values():
            extent = {"row": n, "col": m, None: (m, n)}[way]
            self.extras.append(np.asarray(values(extent, dtype, rng), order=order))
        self.packed = self.b
        if "b_layout" in request:
            self.packed = ts.transform(f"vnni{4 // self.b.itemsize}", k, n, dtypes[1])(self.b)

    def call(self, run: Any, side: str = "end") -> Array:
        """Return the result of a call on arrays between guard pages."""
        out = guarded(self.c, side)
        run(
            *(guarded(each, side, writable=False) for each in (self.a, self.packed)),
            out,
            *(guarded(each, side, writable=False) for each in self.extras),
        )
        check_canary(out)
        return np.array(out)

    def walk(self, monkeypatch: pytest.MonkeyPatch) -> Array:
        """Return the result of the kernel that walks over C."""
        with monkeypatch.context() as patch:
            patch.setattr(epilogue_plan, "on_grids", lambda *_: refused("on grids", "the test asks for a walk"))
            walk = Kernel(self.kernel.spec, self.kernel.target)
            assert isinstance(walk.plan, EpiloguePlan) and walk.plan.elementwise is not None
            return self.call(walk.run)


def the_way_on_grids(case: Case, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """Return the kernel that computes the epilogue on grids, even if another way is cheaper."""
    every = candidates(case.kernel.spec, epilogue_facts(case.kernel))
    grids = [each for each in every if isinstance(each, TileEpiloguePlan)]
    assert len(grids) == 1, every
    with monkeypatch.context() as patch:
        patch.setattr(epilogue_plan, "_over_c", lambda *_: [refused("walk", "the test asks for grids")])
        kernel = Kernel(case.kernel.spec, case.kernel.target)
        assert isinstance(kernel.plan, TileEpiloguePlan)
        return kernel


def epilogue_facts(kernel: Kernel) -> Any:
    return facts_of(kernel.target)


def same(one: Array, other: Array) -> None:
    assert one.tobytes() == other.tobytes(), np.argwhere(one != other)[:4]


@pytest.mark.parametrize("shape, zeroed", [((8, 12, 64), 0), ((16, 16, 64), 1), ((16, 32, 64), 2), ((32, 32, 64), 0)])
def test_a_tile_is_zeroed_within_long_epilogues(shape, zeroed, monkeypatch):
    """100 to 300 vector instructions after the last product have TILEZERO in their midst, and longer ones none."""
    case = Case(shape, BF16_F32, "amx", 1, epilogue=lambda c, p, q: ts.relu(c * p + 1.0), b_layout="vnni2", beta=0)
    kernel = the_way_on_grids(case, monkeypatch)
    behind = kernel.listing().rpartition("tdpbf16ps")[2]
    assert behind.count("tilezero") == zeroed == str(kernel.plan).count("a tile zeroed") * zeroed
    same(case.call(kernel.run), case.walk(monkeypatch))


CASES = [
    (name, dtypes, beta, layout)
    for (name, dtypes), (beta, layout) in zip(
        itertools.product(SHAPES, (BF16, BF16_F32, U8)), itertools.cycle(itertools.product((0, 1), ("vnni", None)))
    )
]
CASES += [("straight", dtypes, 0, None) for dtypes in (F16_F32, I8, I8U8, I32)]
if is_soak():
    EVERY = itertools.product(SHAPES, (BF16, BF16_F32, U8, F16_F32, I8, I8U8, I32), (0, 1), (None,))
    CASES += [each for each in EVERY if each not in CASES]


@pytest.mark.parametrize(("shape", "dtypes", "beta", "layout"), CASES)
@pytest.mark.grid(6)
def test_grids_give_the_bits_of_a_walk_and_of_vector_units(shape, dtypes, beta, layout, monkeypatch):
    target = "amx_fp16" if dtypes[0] == "f16" else "amx"
    request = {"b_layout": layout} if layout else {}
    case = Case(SHAPES[shape], dtypes, target, len(shape) + beta, beta=beta, **request)
    kernel = the_way_on_grids(case, monkeypatch)
    found = case.call(kernel.run)
    same(found, case.walk(monkeypatch))
    same(found, case.call(kernel))


def batched(case: Case, shape: tuple[int, int, int], dtypes: tuple[str, str, str], pairs: int, layout: str) -> Case:
    """Change the case to a batch of several pairs whose operands differ, and return it."""
    case.kernel = ts.brgemm(
        *shape,
        batch=pairs,
        epilogue=scaled_and_shifted,
        operands=case.operands,
        dtype=dtypes,
        b_layout=layout,
        target="amx",
        beta=case.request["beta"],
    )
    weights = np.arange(1, pairs + 1).reshape(-1, *(1,) * case.a.ndim)
    case.a = (case.a[None] * weights).astype(case.a.dtype)
    case.packed = np.stack([case.packed] * pairs)
    return case


@pytest.mark.parametrize(
    ("shape", "dtypes", "pairs", "beta"),
    [
        ((64, 64, 64), BF16, 4, 0),
        ((64, 40, 70), BF16_F32, 5, 1),
        ((96, 32, 64), U8, 40, 0),
        ((34, 64, 320), BF16, 3, 0),
    ],
    ids=str,
)
def test_pairs_of_a_batch_take_columns_each(shape, dtypes, pairs, beta, monkeypatch):
    """Cases: few pairs with many columns each, more pairs than columns, an incomplete last step of k, a loop over k."""
    case = Case(shape, dtypes, "amx", 6, beta=beta, b_layout="vnni")
    kernel = the_way_on_grids(batched(case, shape, dtypes, pairs, "vnni"), monkeypatch)
    assert kernel.plan.interleaved and kernel.plan.buffers == 1
    found = case.call(kernel.run)
    same(found, case.walk(monkeypatch))
    same(found, case.call(kernel))
    line = next(line for line in kernel.listing().splitlines() if "columns before" in line)
    assert "and the epilogue of" in line


@pytest.mark.parametrize("batch", [ts.STRIDE, ts.OFFSET, ts.ADDRESS], ids=str)
@pytest.mark.parametrize(("shape", "dtypes", "beta"), [((34, 34, 70), BF16, 0), ((40, 32, 96), BF16_F32, 1)], ids=str)
@pytest.mark.grid(3)
def test_the_first_of_the_calls_pairs_has_all_columns(shape, dtypes, beta, batch, monkeypatch):
    """The batch may have no pair, one, or several. It takes so many registers that pointers and the buffer lie on the
    stack."""
    n, pairs = shape[1], 3
    case = batched(Case(shape, dtypes, "amx", 9, beta=beta, b_layout="vnni"), shape, dtypes, pairs, "vnni")
    case.kernel = ts.brgemm(
        *shape,
        batch=batch,
        epilogue=scaled_and_shifted,
        operands=case.operands,
        dtype=dtypes,
        b_layout="vnni",
        target="amx",
        beta=beta,
    )
    kernel = the_way_on_grids(case, monkeypatch)
    assert kernel.plan.interleaved and kernel.plan.buffers == 1 and "at its first pair" in str(kernel.plan)
    a, b = case.a, case.packed.reshape(pairs, -1, n, 2)
    for count in (0, 1, 3):
        plain = {"batch": max(count, 1), "b_layout": "vnni", "dtype": dtypes, "target": "amx", "beta": beta}
        some = ts.brgemm(*shape, epilogue=scaled_and_shifted, operands=case.operands, **plain)
        tables = [np.arange(count) * x.strides[0] for x in (a, b)]
        given = {ts.STRIDE: [count, a.strides[0], b.strides[0]], ts.OFFSET: tables}.get(batch, [])
        first = (
            [a, b]
            if batch is not ts.ADDRESS
            else [(x.ctypes.data + table).astype(np.uint64) for x, table in zip((a, b), tables)]
        )
        found, want = np.array(case.c), np.array(case.c)
        kernel.run(*first, found, *case.extras, *given)
        zero = 0 if count == 0 else 1
        some.run(a[: max(count, 1)] * zero, b[: max(count, 1)], want, *case.extras)
        same(found, want)


@pytest.mark.parametrize(
    ("shape", "dtypes", "beta", "layout"),
    [
        ((64, 64, 64), BF16, 0, "vnni"),
        ((34, 64, 320), BF16_F32, 1, "vnni"),
        ((64, 32, 70), U8, 0, "vnni"),
        ((64, 64, 70), BF16, 0, None),
    ],
    ids=str,
)
def test_leading_dimensions_of_the_call(shape, dtypes, beta, layout, monkeypatch):
    """With leading dimensions given at the call, pointers to operands and the one buffer lie on the stack; rows of a
    and b have gaps."""
    request = {"b_layout": layout} if layout else {}
    case = Case(shape, dtypes, "amx", 8, beta=beta, lda=ts.RUNTIME, ldb=ts.RUNTIME, **request)
    kernel = the_way_on_grids(case, monkeypatch)
    assert kernel.plan.interleaved and kernel.plan.buffers == 1
    m, n, k = shape
    packed = case.packed.reshape(-1, n, 4 // case.packed.itemsize) if layout else case.packed
    views = [np.concatenate([each, each[:, :2]], axis=1)[:, : each.shape[1]] for each in (case.a, packed)]
    found, walk = np.array(case.c), np.array(case.c)
    kernel.run(*views, found, *case.extras)
    with monkeypatch.context() as patch:
        patch.setattr(epilogue_plan, "on_grids", lambda *_: refused("on grids", "the test asks for a walk"))
        Kernel(case.kernel.spec, case.kernel.target).run(*views, walk, *case.extras)
    same(found, walk)


@pytest.mark.parametrize("shape", [(16, 200, 64), (200, 16, 64), (9, 100, 70)], ids=str)
def test_a_buffer_has_4_KiB(shape, monkeypatch):
    """If one dimension has a single tile, the grids are 1 x 4 tiles, whatever grids the plain product has."""
    case = Case(shape, BF16, "amx", 7, beta=0)
    kernel = the_way_on_grids(case, monkeypatch)
    assert kernel.plan.buffer_bytes <= 4096
    same(case.call(kernel.run), case.walk(monkeypatch))


@pytest.mark.parametrize("request_", [{"batch": 3}, {"lda": ts.RUNTIME}, {"order": "F"}, {"tiles": "shared"}], ids=str)
def test_products_that_are_not_interleaved(request_, monkeypatch):
    dtypes = BF16 if "order" not in request_ else BF16_F32
    case = Case((40, 40, 70), dtypes, "amx", 3, beta=0, **{k: v for k, v in request_.items() if k in ("order", "lda")})
    if "batch" in request_:
        case = Case((40, 40, 70), dtypes, "amx", 3, beta=0)
        case.kernel = ts.brgemm(
            40, 40, 70, batch=3, epilogue=scaled_and_shifted, operands=case.operands, dtype=dtypes, target="amx", beta=0
        )
        case.a, case.packed = (np.stack([each] * 3) for each in (case.a, case.b))
    kernel = the_way_on_grids(case, monkeypatch)
    same(case.call(kernel.run), case.walk(monkeypatch))


@pytest.mark.parametrize(
    ("target", "dtypes", "order", "beta"),
    [("sme512", F32, "C", 1), ("sme512", BF16, "F", 0), ("sme128", U8, "C", 1), ("sme256", BF16_F32, "C", 1)],
    ids=str,
)
def test_lines_of_outer_products_give_the_bits_of_a_walk(target, dtypes, order, beta, monkeypatch):
    case = Case((37, 21, 40), dtypes, target, 5, order=order, beta=beta)
    same(case.call(the_way_on_grids(case, monkeypatch).run), case.walk(monkeypatch))


def quantized(c: Any, s: Any, b: Any) -> Any:
    return ts.relu(c * s + b)


def pipelined() -> Kernel:
    """Return the kernel of the shape and types of example 20-22 in Intel's optimization manual."""
    return ts.brgemm(256, 256, 192, dtype=U8, beta=0, b_layout="vnni", target="amx", epilogue=quantized)


def test_the_manuals_pipelined_product_is_as_its_listing_says():
    """The listing equals the golden file; TILESMITH_GOLDEN=1 writes it again."""
    listing = pipelined().listing() + "\n"
    if os.environ.get("TILESMITH_GOLDEN"):
        GOLDEN.write_text(listing)
    assert listing == GOLDEN.read_text()


def test_the_manuals_pipelined_product_interleaves():
    """At least ten vector instructions stand between any two products of the grid in the loop."""
    kernel = pipelined()
    assert kernel.plan.interleaved and kernel.plan.buffer_bytes == 4096
    names = re.findall(r"(?<![\w.])(tdpbusd|tilestored|v[a-z0-9]{3,})(?= )", kernel.listing())
    products = [number for number, name in enumerate(names) if name == "tdpbusd"]
    assert len(products) == 24, "a grid of four tiles and three steps of k alone, and the same in the loop"
    gaps = [later - earlier - 1 for earlier, later in itertools.pairwise(products[12:])]
    assert min(gaps) >= 10, gaps


def test_planned_cycles_stay_near_those_of_the_product():
    for shape, dtypes, plain, epilogue, most in (
        ((256, 256, 512), BF16, BF16, lambda c, bias: ts.relu(c + bias), 1.10),
        ((256, 192, 256), U8, ("u8", "i8", "i32"), quantized, 1.25),
    ):
        request = {"beta": 0, "b_layout": "vnni", "target": "amx"}
        fused = ts.brgemm(*shape, dtype=dtypes, epilogue=epilogue, **request).plan
        assert fused.tile_shapes and fused.cycles <= most * ts.brgemm(*shape, dtype=plain, **request).plan.cycles


def test_what_was_refused_is_planned_on_tiles():
    gelu = ts.brgemm(256, 256, 256, dtype=BF16, b_layout="vnni", beta=0, target="amx", epilogue=lambda c: ts.gelu(c))
    assert gelu.plan.looped and "262144 bytes of f32 sums" in str(gelu.plan.rejected)
    assert "its sums are in tiles" in str(gelu.plan.rejected)


def test_factors_of_the_sums_are_applied_in_a_walk():
    plan = ts.brgemm(32, 32, 64, dtype=BF16_F32, alpha=0.5, target="amx", epilogue=lambda c: ts.relu(c)).plan
    assert isinstance(plan, EpiloguePlan) and "alpha and beta are applied to all sums first" in str(plan)
