"""Tuning tables: which table a target uses, and that planners read every number of it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from tilesmith.encoder.features import Target
from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.machines.registry import TARGETS, machine_class
from tilesmith.microkernels.transform.pipeline import TRANSFORM
from tilesmith.microkernels.transform.spec import TransformSpec, transpose_spec
from tilesmith.microkernels.tuning.default import DEFAULT
from tilesmith.microkernels.tuning.families import FAMILIES, tuning_of
from tilesmith.microkernels.tuning.table import Tuning
from tilesmith.microkernels.tuning.transform import ShuffleCosts, TransformTuning
from tilesmith.microkernels.tuning.zen4 import ZEN4

ZEN4_HOST = replace(TARGETS["avx512"], name="host", fma_bits=256, load_bits=256, family="zen4")


def plan_text(spec: TransformSpec, target: Target) -> str:
    """Return the plan and the reason why each other way was rejected."""
    plan = choose(TRANSFORM.candidates(spec, machine_class(target).facts_of(target)))
    return f"{plan}\n{plan.rejected}"


def test_a_target_has_the_table_of_its_family() -> None:
    assert tuning_of(ZEN4_HOST) is ZEN4
    assert machine_class(ZEN4_HOST).facts_of(ZEN4_HOST).tuning is ZEN4
    assert all(tuning_of(target) is DEFAULT for target in TARGETS.values())
    assert tuning_of(replace(TARGETS["avx512"], family="unknown")) is DEFAULT


def test_a_table_has_a_number_of_its_own() -> None:
    parts = [name for name in dir(Tuning) if not name.startswith("_") and name != "replaced"]
    assert all(any(getattr(table, part) != getattr(DEFAULT, part) for part in parts) for table in FAMILIES.values())


def test_zen_4_by_its_measurement() -> None:
    """The plan has the figures in docs/transposes.md: whole 256-bit registers in 3 stages, with 37 cycles of
    shuffles."""
    text = plan_text(transpose_spec(16, 16), ZEN4_HOST)
    assert "registers of 256 bits loaded whole, 3 stages" in text and "shuffles 37" in text


_EVEN = ShuffleCosts(3, 3, 3, 3, 3)
_TILE, _LARGE = transpose_spec(16, 16), transpose_spec(2048, 2048)
CHANGES: dict[str, tuple[str, TransformSpec, Any]] = {
    "shuffles_one_pipe": ("avx2", _TILE, _EVEN),
    "shuffles_two_pipes": ("avx512", _TILE, _EVEN),
    "shuffles_split": ("zen4", _TILE, _EVEN),
    "loop_instructions": ("avx512", _TILE, 100.0),
    "instruction_cycles": ("avx512", _TILE, 1.0),
    "split_store_weight": ("avx2", _TILE, 0.5),
    "split_load_weight": ("avx2", transpose_spec(128, 128), 0.5),
    "partial_stream_weight": ("avx2", _LARGE, 0.0),
    "ordinary_store_weight": ("avx512", _LARGE, 0.5),
    "widened_tiles": ("avx2", transpose_spec(128, 128, dtype="bf16"), 0),
    "most_register_bits": ("avx512", _TILE, 3),
    "most_read_register_bits": ("avx2", transpose_spec(128, 128), 2),
    "most_passes": ("neon", transpose_spec(64, 64, dtype="i8"), 1),
    "in_place_block": ("avx512", transpose_spec(64, 64, in_place=True), 32),
    "along_rows_bytes": ("avx512", transpose_spec(512, 256), 1 << 10),
    "along_rows_caches": ("avx2", transpose_spec(256, 512, dtype="bf16", loads="whole"), 1000),
    "along_rows_leading_lines": ("avx2", transpose_spec(500, 300, dtype="bf16"), 1000),
    "streaming_l2_caches": ("avx512", _LARGE, 100),
    "streaming_l3_share": ("third", transpose_spec(1600, 1600), 1),
    "streaming_l3_bytes": ("third", _LARGE, 10 << 20),
    "streaming_columns": ("avx512", _LARGE, 512),
    "streaming_rows": ("avx512", transpose_spec(1024, 1040), 64),
    "streaming_row_blocks": ("avx512", transpose_spec(1024, 1040), 0),
    "peeled_tiles": ("avx512", _LARGE, 1000),
}


@pytest.mark.parametrize("name", [field.name for field in fields(TransformTuning)])
def test_the_planner_of_transforms_reads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine, spec, value = CHANGES[name]
    others = {"zen4": ZEN4_HOST, "third": replace(TARGETS["avx512"], l3=36 << 20)}
    target = replace(others.get(machine) or TARGETS[machine], family=f"without {name}")
    changed = replace(target, family=f"with {name}")
    table = DEFAULT.replaced(transform=replace(DEFAULT.transform, **{name: value}))
    monkeypatch.setitem(FAMILIES, changed.family, table)
    assert plan_text(spec, changed) != plan_text(spec, target)
