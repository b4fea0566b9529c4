"""A target that may choose uses tiles if they are faster and vector registers otherwise; other targets always use
tiles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

import tilesmith as ts
from tests.children import in_one_child, survives
from tests.mixed_cases import (
    BF16,
    BF16_F32,
    INTEGERS,
    Mixed,
    call_of,
    expected,
    in_integers,
    mixed,
    pairs_by_fma,
    run,
    same,
    tiles_by_fma,
)
from tests.profiles import scaled
from tilesmith.encoder.features import TARGETS, Target
from tilesmith.microkernels.contract.dot_and_tile import SHARED
from tilesmith.microkernels.epilogue.spec import EpilogueSpec
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.microkernels.tuning.gemm import GemmTuning
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel

FEW = scaled(12, 400)  # cases of each type
NAMED = TARGETS["amx"]
CHOOSING = replace(NAMED, name="host", chooses_tiles=True, bf16_slots=4)
U8 = ("u8", "i8", "i32")


def tiled(target: Target, *shape: int, **request: Any) -> bool:
    spec = gemm_spec(*shape, **{"dtype": BF16_F32, "b_layout": "vnni", **request})
    return bool(Kernel(spec, target).plan.tile_shapes)  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", [(1, 1, 1), (8, 8, 8), (64, 64, 64)])
def test_a_named_target_has_no_choice(shape: tuple[int, int, int]) -> None:
    assert tiled(NAMED, *shape) and tiled(NAMED, *shape, dtype=U8)


@pytest.mark.parametrize(
    "shape, dtype, tiles",
    [
        ((8, 8, 8), BF16_F32, False),
        ((64, 64, 64), BF16_F32, True),
        ((17, 17, 17), U8, False),
        ((32, 32, 32), U8, False),
        ((64, 64, 64), U8, True),
        ((65, 65, 65), U8, False),  # rows cross cache lines
    ],
)
def test_the_quicker_one(shape: tuple[int, int, int], dtype: tuple[str, ...], tiles: bool) -> None:
    """The choice agrees with measurements on a processor with tiles (docs/mixed-precision.md)."""
    assert tiled(CHOOSING, *shape, dtype=dtype) == tiles


def test_a_batch_shares_one_configuration() -> None:
    assert not tiled(CHOOSING, 8, 8, 8) and tiled(CHOOSING, 8, 8, 8, batch=16)


def test_configuring_counts() -> None:
    """A plan's cycles are those of one pair; the choice also counts the cost of a call."""
    spec = gemm_spec(16, 16, 16, dtype=BF16_F32, b_layout="vnni")
    chosen, named = Kernel(spec, CHOOSING).plan, Kernel(spec, NAMED).plan
    assert named.cycles < chosen.cycles < named.cycles + GemmTuning().configure_cycles


def test_a_call_that_shares_tiles_has_no_choice() -> None:
    spec = replace(gemm_spec(8, 8, 8, dtype=BF16_F32, b_layout="vnni"), tiles=SHARED)
    assert Kernel(spec, CHOOSING).plan.tile_shapes  # type: ignore[attr-defined]


def test_requests_that_tiles_refuse_use_vectors() -> None:
    """Tiles refuse this request: it would transpose a matrix larger than scratch memory, in a batch of any size."""
    request = {"order": ("F", "C", "C"), "batch": ts.STRIDE, "b_layout": "plain"}
    with pytest.raises(ts.UnsupportedError, match="bytes for the packed operands of a pair"):
        tiled(NAMED, 512, 64, 8192, **request)
    assert not tiled(CHOOSING, 512, 64, 8192, **request)


def test_a_request_that_no_way_computes_is_refused_as_with_tiles() -> None:
    with pytest.raises(ts.UnsupportedError, match="tiles take operands in the order of C") as refused:
        tiled(CHOOSING, 64, 64, 64, order=("C", "F", "C"))
    assert refused.value.__suppress_context__


def test_epilogues_and_composed_products_choose_too() -> None:
    def kernel(m: int, **request: Any) -> Any:
        return Kernel(ts.brgemm(m, m, m, target="amx", **request).spec, CHOOSING).plan

    fused = {"dtype": BF16_F32, "b_layout": "vnni", "epilogue": lambda c: ts.relu(c)}
    assert isinstance(kernel(8, **fused).spec, EpilogueSpec)
    for request in (fused, {"dtype": "f32x3bf16"}, {"dtype": "f64xi8"}):
        assert not kernel(4, **request).tile_shapes, request
    assert kernel(64, **fused).tile_shapes and kernel(64, dtype="f32x3bf16").tile_shapes
    assert kernel(32, dtype="f64xi8").tile_shapes


@pytest.mark.parametrize("shape", [(8, 8, 8), (40, 33, 70)])
@pytest.mark.parametrize("dtypes", [BF16_F32, U8], ids="-".join)
def test_either_gives_the_bits_of_its_unit(shape: tuple[int, int, int], dtypes: tuple[str, str, str]) -> None:
    case = Mixed(*shape, dtypes, layouts=("plain", "vnni"), values="any")
    kernel, call = Kernel(ts.brgemm(**case.request, target="amx").spec, CHOOSING), call_of(case, "end")
    kernel.run(*call.arguments, **call.keywords)
    of_floats = tiles_by_fma if kernel.plan.tile_shapes else pairs_by_fma  # type: ignore[attr-defined]
    same(call.c, expected(case, call.values, in_integers if dtypes == U8 else of_floats))


@pytest.mark.skipif(
    host.arch() != "x86", reason="units of AArch64 add in other orders: microkernels/gemm/test_mixed_aarch64.py"
)
@pytest.mark.parametrize("dtypes", [BF16_F32, BF16, *INTEGERS[:3]], ids="-".join)
def test_any_request_of_this_host_has_the_bits_of_the_unit_that_was_chosen(dtypes: tuple[str, str, str]) -> None:
    @settings(max_examples=FEW)
    @given(mixed(dtypes, most=70))
    def test(case: Mixed) -> None:
        kernel = ts.brgemm(**case.request)
        of_floats = tiles_by_fma if kernel.plan.tile_shapes else pairs_by_fma  # type: ignore[attr-defined]
        survives(lambda: run(case, kernel, in_integers if dtypes in INTEGERS else of_floats))

    in_one_child(test)


def test_this_host_chooses() -> None:
    assert host.host().chooses_tiles or host.host().arch != "x86"
