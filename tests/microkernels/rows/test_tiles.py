"""Rows or columns of C given at the call on tile registers: the bytes in the emulator between guard pages, and native
calls, against the models of tiles and against kernels of a fixed number of rows."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, check_canary
from tests.microkernels.gemm.test_tiles import model_of, target_of
from tests.mixed_cases import BF16, BF16_F32, BYTES, F16, SCALED, Mixed, call_of, expected, mixed, same
from tests.profiles import is_soak, scaled
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.verify.check import verify

EDGES = (1, 2, 15, 16, 17, 31, 32, 33, 48, 49, 64, 70)
"""Extents around one tile, two tiles side by side, and more."""
PACKED = ("plain", "vnni")
GIVEN, AT_CALL = ("given",) * 3, ("runtime",) * 3


def counted(case: Mixed, target: str = "") -> Kernel:
    """Return the kernel of this request for any number of rows or columns."""
    outer = "m" if case.order[2] == "C" else "n"
    made: Kernel = ts.brgemm(**{**case.request, outer: ts.RUNTIME}, target=target or target_of(case.dtypes))
    return made


def emulate(case: Mixed, side: str = "end") -> None:
    """Check that the kernel's bytes give what the tiles give and touch nothing beside the operands."""
    call = call_of(case, side)
    counted(case).run(*call.arguments, **call.keywords)
    same(np.array(call.c), expected(case, call.values, model_of(case.dtypes)))
    check_canary(call.c)


@pytest.mark.parametrize("side", SIDES)
def test_edges_of_tiles(side: str) -> None:
    for m in EDGES:
        emulate(Mixed(m, 20, 36, BF16_F32, layouts=PACKED), side)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        Mixed(1, 20, 37, BF16_F32, layouts=PACKED),
        Mixed(1, 33, 70, BF16, gaps=(1, 0, 3), kinds=GIVEN, beta=-2.0),
        Mixed(1, 16, 64, BYTES[0], layouts=PACKED),
        Mixed(1, 64, 64, BF16_F32, layouts=PACKED, beta=0.0),
        Mixed(1, 50, 9, SCALED[0], alpha=0.5, beta=0.25, kinds=AT_CALL),
    ],
    ids=lambda case: f"{'-'.join(case.dtypes)} {case.n} {case.k}",
)
def test_every_number_of_rows(case: Mixed) -> None:
    """The numbers of rows lie around whole tiles and pairs of tiles; `make soak` tests all numbers."""
    for m in range(1, 71) if is_soak() else (1, 2, 15, 16, 17, 18, 31, 32, 33, 34, 47, 49, 64, 65, 70):
        gaps = (0, *case.gaps[1:2], 0) if m == 1 else case.gaps  # a single row has no stride to read
        emulate(replace(case, m=m, gaps=gaps, seed=m), SIDES[m % len(SIDES)])


CASES = {
    "k ends amid a group": Mixed(35, 20, 37, BF16_F32, layouts=PACKED, alpha=2.0),
    "k ends amid a group, fewer rows than a tile": Mixed(5, 40, 35, BF16, beta=0.0),
    "a tail of columns": Mixed(49, 39, 64, BF16_F32, layouts=PACKED, beta=0.25),
    "fewer columns than a tile": Mixed(112, 7, 96, BF16_F32, layouts=PACKED),
    "one column": Mixed(40, 1, 33, BF16_F32),
    "one step of k": Mixed(33, 33, 1, BYTES[1]),
    "a long k": Mixed(47, 32, 700, BF16_F32, layouts=PACKED),
    "interleaved at every use": Mixed(100, 96, 512, BF16_F32, beta=0.0, kinds=GIVEN),
    "transposed first": Mixed(41, 24, 50, BF16, order=("C", "F", "C")),
    "columns at the call": Mixed(40, 53, 66, BYTES[2], order=("F",) * 3, layouts=("vnni", "plain")),
    "columns at the call, transposed first": Mixed(24, 41, 50, SCALED[1], order=("C", "F", "F"), alpha=0.5),
    "leading dimensions at the call": Mixed(63, 48, 96, BF16_F32, layouts=PACKED, gaps=(2, 3, 5), kinds=AT_CALL),
    "the same through scratch memory": Mixed(63, 40, 33, BF16, gaps=(2, 3, 5), kinds=AT_CALL, alpha=-3.0, beta=1.0),
    "results of 16 bits side by side": Mixed(81, 64, 32, BF16, layouts=PACKED, beta=0.0, alpha=0.5),
    "f16": Mixed(34, 70, 70, F16, beta=-2.0),
    "any bits": Mixed(50, 48, 65, BF16_F32, layouts=PACKED, values="any", alpha=0.5),
    "four tiles across": Mixed(109, 12, 64, BF16_F32, layouts=PACKED),
    "four tiles across, fewer rows than two": Mixed(2, 5, 64, BF16_F32, layouts=PACKED, beta=0.0),
    "four tiles across through scratch memory": Mixed(71, 12, 37, BF16, gaps=(2, 3, 5), kinds=AT_CALL, beta=-2.0),
    "the last block begins in the one before it": Mixed(75, 40, 64, BF16_F32, gaps=(2, 3, 5), kinds=AT_CALL, beta=0.0),
    "many panels": Mixed(18, 400, 32, BYTES[3], layouts=PACKED),
}


@pytest.mark.parametrize("name", CASES)
def test_shapes(name: str) -> None:
    emulate(CASES[name])


@pytest.mark.parametrize("name", ["a tail of columns", "transposed first", "results of 16 bits side by side", "f16"])
def test_calls_give_the_bits_of_a_kernel_of_that_number(name: str) -> None:
    case = CASES[name]
    call, other = call_of(case, "end"), call_of(case, "start")
    fixed = ts.brgemm(**case.request, target=target_of(case.dtypes))
    kernel = counted(case)
    assert kernel.emulated == bool(host.runs(TARGETS[target_of(case.dtypes)]))
    kernel(*call.arguments, **call.keywords)
    fixed(*other.arguments, **other.keywords)
    same(np.array(call.c), np.array(other.c))
    check_canary(call.c)


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        Mixed(1, 64, 64, BF16_F32, layouts=PACKED, beta=0.0),
        Mixed(1, 50, 300, BYTES[0], layouts=PACKED, beta=0.0),
        Mixed(1, 33, 64, BF16_F32, layouts=PACKED),
        Mixed(1, 12, 64, BF16_F32, layouts=PACKED, beta=0.0),
        Mixed(1, 7, 37, BF16, beta=-2.0, alpha=0.5),
        Mixed(1, 40, 66, SCALED[0], alpha=0.5, beta=0.25),
    ],
    ids=lambda case: f"{'-'.join(case.dtypes)} {case.n} {case.k}",
)
def test_every_number_of_rows_on_the_processor(case: Mixed) -> None:
    if reason := host.runs(TARGETS[target_of(case.dtypes)]):
        pytest.skip(reason)
    kernel = counted(case)
    for m in range(1, 131):
        call = call_of(replace(case, m=m, seed=m), SIDES[m % len(SIDES)])
        kernel(*call.arguments, **call.keywords)
        same(np.array(call.c), expected(replace(case, m=m, seed=m), call.values, model_of(case.dtypes)))
        check_canary(call.c)


@st.composite
def counted_cases(draw: st.DrawFn, dtypes: tuple[str, str, str]) -> Mixed:
    """Draw a product of one pair. The operand that shares the free extent has C's order, the other any order if it is
    plain."""
    case = replace(draw(mixed(dtypes, most=70)), batch=None, count=1)
    along, shared = case.order[2], 0 if case.order[2] == "C" else 1
    other = case.order[1 - shared] if case.layouts[1 - shared] == "plain" else along
    order = (along, other, along) if shared == 0 else (other, along, along)
    case = replace(case, order=order, k=draw(st.integers(1, 140)))
    gaps = [gap if kind != "dense" else 0 for gap, kind in zip(case.gaps, case.kinds)]
    for operand, kind in enumerate(case.kinds):
        rows, columns = case.shape(operand)
        if kind == "runtime" and (rows if case.order[operand] == "C" else columns) == 1:
            gaps[operand] = 0
    return replace(case, gaps=tuple(gaps))


@pytest.mark.slow
@pytest.mark.parametrize("dtypes", [BF16_F32, BF16, F16, BYTES[0], SCALED[1]], ids="-".join)
def test_drawn_requests(dtypes: tuple[str, str, str]) -> None:
    @settings(max_examples=scaled(5, 400))
    @given(counted_cases(dtypes), st.sampled_from(SIDES))
    def test(case: Mixed, side: str) -> None:
        emulate(case, side)

    test()


@pytest.mark.parametrize("beta", [0, 1])
@pytest.mark.parametrize(
    "n, types, layout, widths, rows_of_tiles, steps",
    [
        (64, BF16_F32, "vnni", (16, 32), 4, 2),
        (20, BF16, "plain", (32, 32), 2, 2),
        (48, BYTES[0], "vnni", (16, 32), 3, 1),
        (9, BF16_F32, "vnni", (64, 64), 1, 2),
        (4, BF16_F32, "vnni", (16, 64), 1, 2),
    ],
)
def test_products_and_configurations(
    n: int, types: tuple[str, str, str], layout: str, widths: tuple[int, int], rows_of_tiles: int, steps: int, beta: int
) -> None:
    """A call multiplies whole blocks, and one more for the columns that are left. It configures the tiles once, or
    twice if tiles have fewer columns in that one; not at all for zero rows. Short products have blocks of one tile
    across if C is not read, so that a call has no more tiles than its columns need."""
    across = widths[beta]
    kernel = ts.brgemm(ts.RUNTIME, n, 64, dtype=types, b_layout=layout, beta=beta, target="amx")
    shifted = "end with the last column" in str(kernel.plan)
    assert shifted == (beta == 0)
    for m in (0, 1, 16, 17, 33, 64, 100) if not is_soak() else range(130):
        a, b, c = call_of(Mixed(max(m, 1), n, 64, types, layouts=("plain", layout)), "end").arguments
        counts = kernel.emulate(a[:m], b, c[:m]).counts
        products = sum(count for name, count in counts.items() if name.startswith("tdp"))
        assert products == -(-m // across) * across // 16 * rows_of_tiles * steps, m
        twice = m > across and m % across and not shifted
        assert counts.get("ldtilecfg", 0) == (m > 0) + bool(twice), m
        assert counts.get("tilerelease", 0) == (m > 0), m


def test_a_named_target_uses_its_tiles_and_a_host_weighs_them() -> None:
    kernel = ts.brgemm(ts.RUNTIME, 64, 64, dtype=BF16_F32, b_layout="vnni", target="amx")
    assert "TDPBF16PS" in str(kernel.plan) and "named for its tiles" in str(kernel.plan.rejected)
    choosing = replace(TARGETS["amx"], name="host", chooses_tiles=True, bf16_slots=4)
    for n, k, tiles in ((64, 64, True), (8, 2, False)):
        plan = Kernel(gemm_spec(ts.RUNTIME, n, k, dtype=BF16_F32, b_layout="vnni"), choosing).plan
        assert ("TDPBF16PS" in str(plan)) == tiles
        assert ("VDPBF16PS" if tiles else "TDPBF16PS") in str(plan.rejected) and "cycles" in str(plan.rejected)
    assert "TDP" not in str(ts.brgemm(ts.RUNTIME, 64, 64, dtype="f16", target="amx").plan)


def test_it_is_kept_and_shown_as_other_kernels_are(tmp_path: Path) -> None:
    kernel = ts.brgemm(ts.RUNTIME, 20, 34, dtype=BF16_F32, target="amx")
    assert pickle.loads(pickle.dumps(kernel)).code == kernel.code and copy.copy(kernel).spec == kernel.spec
    assert "ldtilecfg" in str(kernel.listing()) and "packed" in kernel.plan.way
    kernel.save(str(tmp_path / "rows.h"))
    kernel.save(str(tmp_path / "rows.o"))
    assert "int64_t m)" in (tmp_path / "rows.h").read_text() and (tmp_path / "rows.o").stat().st_size > len(kernel.code)
    with pytest.raises(ts.UnsupportedError, match="whose shapes are known before a call"):
        ts.amx_config(kernel)


def test_its_bytes_are_proved_for_some_rows() -> None:
    """For blocks of 16 and what is left of them; `make soak` proves all that any number executes."""
    k = ts.brgemm(ts.RUNTIME, 2, 3, dtype=BF16, target="amx")
    assert verify(k.code, k.target, k.spec, k.kind, numbers=(1, 16, 19))


@pytest.mark.skipif(not is_soak(), reason="10 s each: part of make soak")
@pytest.mark.parametrize(
    "request_",
    [{"n": 2, "k": 3, "dtype": BF16}, {"n": 8, "k": 8, "dtype": BYTES[0], "b_layout": "vnni"}],
    ids=["bf16", "bytes"],
)
def test_its_bytes_are_proved(request_: dict[str, Any]) -> None:
    assert ts.brgemm(ts.RUNTIME, **request_, target="amx").verify()
