"""`print(kernel.plan.rejected)` shows every way that was not chosen, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.encoder.features import TARGETS
from tilesmith.microkernels.choice import Plan, Refusal, Slower, best, refused
from tilesmith.microkernels.contract.dot_and_tile import SHARED
from tilesmith.microkernels.gemm.plan import planned
from tilesmith.microkernels.gemm.spec import gemm_spec
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.runtime.kernel.callable import Kernel

NO_NEED = "blocks of one operand packed first: not needed"
NAMED_FOR_TILES = "without tile registers: a target that is named for its tiles"
CHOOSING = replace(TARGETS["amx"], name="host", chooses_tiles=True, bf16_slots=4)
BF16_F32 = ("bf16", "bf16", "f32")


def long(c: Any) -> Any:
    return ts.gelu(ts.gelu(ts.gelu(c)))


# request -> the way that is chosen, and what each line of `rejected` begins with, in any order
CASES: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "unpacked operands: FMA with vectors along n", ["vectors along m of A: A is contiguous along k", NO_NEED]),
    (
        {"order": "F"},
        "unpacked operands: FMA with vectors along m",
        ["vectors along n of B: B is contiguous along k", NO_NEED],
    ),
    (
        {"order": "FCC"},
        "unpacked operands: FMA with vectors along n",
        ["vectors along m of A: C is contiguous along n", NO_NEED],
    ),
    (
        {"order": "FFC", "n": 1},
        "unpacked operands: FMA with vectors along m, A contiguous along m, B along k",
        [
            "FMA with vectors along m, A contiguous along m, B along n: about",
            "FMA with vectors along n, B contiguous along n, A along m: about",
            NO_NEED,
        ],
    ),
    (
        {"order": "CFC"},
        "blocks of one operand packed first",
        ["unpacked operands: brgemm 32 x 32 x 32 f32 order CFC"],
    ),
    (
        {"dtype": "bf16"},
        "unpacked operands: VDPBF16PS with vectors along n",
        ["vectors along m of A: A is contiguous along k", NO_NEED],
    ),
    (
        {"dtype": "bf16", "target": "neon_bf16"},
        "unpacked operands: BFMMLA with vectors along n",
        [
            "BFMMLA with vectors along m of A: C is contiguous along n",
            "vectors along m of A: A is contiguous along k",
            "BFDOT with vectors along n, B contiguous along n, A along k: about",
            NO_NEED,
        ],
    ),
    (
        {"dtype": "bf16", "target": "amx"},
        "operands packed first",
        [
            "vectors along m of A: A is contiguous along k",
            "unpacked operands: TDPBF16PS with vectors along n, B contiguous along n, A along k: about",
            NAMED_FOR_TILES,
        ],
    ),
    (
        {"dtype": "bf16", "order": "CFC", "target": "amx"},
        "operands packed first",
        [
            "vectors along m of A: A is contiguous along k",
            "unpacked operands: brgemm",
            "operands transposed first: about",
            NAMED_FOR_TILES,
        ],
    ),
    (
        {"target": "sme256"},
        "unpacked operands: FMOPA with vectors along n",
        ["vectors along m of A: C is contiguous along n", NO_NEED],
    ),
    (
        {"epilogue": lambda c: ts.relu(c)},
        "epilogue on the accumulators",
        ["vectors along m of A", NO_NEED, "epilogue in a walk over C: about"],
    ),
    (
        {"epilogue": lambda c: long(long(c)), "n": 256},
        "epilogue in a walk over C",
        ["vectors along m of A", NO_NEED, "epilogue on the accumulators: "],
    ),
    (
        {"epilogue": lambda c: ts.relu(c), "order": "CFC"},
        "epilogue in a walk over C",
        ["unpacked operands: brgemm", "epilogue on the accumulators: an operand is packed first"],
    ),
    (
        {"dtype": "f32x3bf16", "target": "amx"},
        "six products of bf16",
        ["vectors along m of A: A is contiguous along k", NAMED_FOR_TILES],
    ),
    ({"dtype": "f64xi8"}, "products of int8 slices", ["vectors along m of A: A is contiguous along k"]),
]


@pytest.mark.parametrize("request_, way, rejected", CASES, ids=range(len(CASES)))
def test_each_other_way_and_its_reason(request_: dict[str, Any], way: str, rejected: list[str]) -> None:
    request_ = {"target": "avx512", "m": 32, "n": 32, "k": 32, **request_}
    if "order" in request_:
        request_["order"] = tuple(request_["order"]) if len(request_["order"]) == 3 else request_["order"]
    plan: Plan = ts.brgemm(**request_).plan
    assert plan.way.startswith(way)
    lines = str(plan.rejected).splitlines()
    assert len(lines) == len(rejected) == len(plan.rejected), lines
    for beginning in rejected:
        assert any(line.startswith(beginning) for line in lines), (beginning, lines)


def test_with_tiles_and_without() -> None:
    """A target that may choose compares tiles with vectors. A call that shares its tiles is refused the way without
    them."""

    def rejected(m: int, **changes: Any) -> list[str]:
        spec = replace(gemm_spec(m, m, m, dtype=BF16_F32, b_layout="vnni"), **changes)
        return [f"{type(each).__name__} {each.way}" for each in Kernel(spec, CHOOSING).plan.rejected]

    assert any(line.startswith("Slower") and "TDPBF16PS" in line for line in rejected(8))
    assert any(line.startswith("Slower") and "VDPBF16PS" in line and "without tile" in line for line in rejected(64))
    assert "Refusal without tile registers" in rejected(8, tiles=SHARED)


def test_planning_returns_a_refusal_as_a_value() -> None:
    spec = gemm_spec(8, 8, 8, order=("C", "F", "C"))
    refusal = planned(spec, facts_of(TARGETS["avx2"]))
    assert isinstance(refusal, Refusal) and "no operand is contiguous" in str(refusal.error)


@dataclass(frozen=True)
class Fixed(Plan):
    cycles: float


def test_best_keeps_the_rejected_ways_of_a_part() -> None:
    first, second = refused("first", "no"), refused("second", "nor")
    assert best([first, second]) is first
    part = best([Fixed(4, way="slow"), first, Fixed(2, way="quick"), Fixed(2, way="as quick")])
    assert isinstance(part, Fixed) and part.way == "quick"
    assert part.rejected == (Slower("slow", 4, 2), first, Slower("as quick", 2, 2))
    whole = best([second, part, Fixed(3, way="other")])
    assert isinstance(whole, Fixed) and whole.rejected == (*part.rejected, second, Slower("other", 3, 2))
    assert best([Fixed(4), Fixed(2)], cost=lambda plan: -plan.cycles).cycles == 4  # type: ignore[union-attr]
