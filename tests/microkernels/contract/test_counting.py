"""Tests of counted instructions. The expected counts were taken from the assembly of each verb by hand."""

import random

import pytest

from tilesmith.microkernels.machines.registry import TARGETS, facts_of, machine_for

COUNTS = {  # the instructions (reads of memory) of product, packed, plain, fetch, apart
    ("avx512_vnni", "i8", "i8"): ((1, 0), (1, 1), (10, 4), (1, 1), (7, 4)),
    # the group apart: vpxor, four vpinsrb, vpbroadcastd, and vpxor with the bias
    ("avx2_vnni", "i8", "i8"): ((1, 0), (1, 1), (10, 4), (2, 1), (7, 4)),  # no EVEX broadcast into vpxor
    ("avx2", "u16", "u16"): ((2, 0), (2, 1), (1, 1), (2, 1), (5, 2)),  # vpmulld, vpaddd
    ("avx2", "f8e5m2", "f8e5m2"): ((1, 0), (4, 1), (4, 1), (4, 1), (4, 1)),
    ("neon_bf16", "i8", "i8"): ((1, 0), (1, 1), (7, 4), (1, 1), (9, 4)),
    # four loads and three zip1 of rows; of the group apart, 3 compute addresses
    ("neon_dotprod", "u8", "i8"): ((1, 0), (1, 1), (7, 4), (2, 1), (10, 4)),  # the bias: eor
    ("sve256", "i16", "i16"): ((1, 0), (2, 1), (1.5, 1), (1.5, 1), (1.5, 1)),  # only the second half needs an address
}


@pytest.mark.parametrize("target, x, y", COUNTS)
def test_counts_of_verbs(target: str, x: str, y: str):
    unit = facts_of(TARGETS[target]).unit(x, y, "exact")
    assert unit is not None
    found = tuple((each.instructions, each.loads) for each in unit.code[:5])
    assert found == COUNTS[target, x, y]


def test_every_unit_is_counted():
    """A unit without counts would look free to planners."""
    rng = random.Random(1)
    for target in TARGETS.values():
        facts = facts_of(target)
        for units in (facts.units, facts.mmla_units):
            for key in rng.sample([*units], min(3, len(units))):
                code = units[key].code
                assert min(code.product.instructions, code.plain.instructions, code.fetch.loads) > 0, (target.name, key)


def test_counted_code_is_what_kernels_emit():
    """A second emission of a verb appends as many instructions: masks and lanes were set up before the first."""
    for name in ("avx2", "avx512", "sve256", "neon", "sse"):
        m = machine_for(TARGETS[name])
        unit = m.unit("bf16", "bf16", "exact")
        lanes = m.lanes("f32", (unit.facts.widest or m.facts.widths[0]) // 32)
        unit.prepare(lanes)
        place = m.at(m.general("operand"))
        with m.vectors(1, "x") as (x,), unit.opened():
            for _ in range(2):
                start = len(m.asm.record)
                for phase in range(unit.facts.phases):
                    unit.load(phase, x, place, lanes, unit.facts.depth)
                emitted = len(m.asm.record) - start
                assert emitted == unit.facts.code.packed.instructions * unit.facts.phases
