"""The tensor units of AArch64 processors, and the sequences that replace a missing unit.

Sources: Arm ARM DDI 0487, C7 and C8; the software optimization guides of Neoverse N1, V1 and V2 (latencies).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.registers import Mem
from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ...contract.counting import Counter, code_of_unit, described
from ...contract.dot_and_tile import NUMERICS, PAIRED, PLAIN, FragmentsOf, UnitFacts, UnitOf, Units
from ...contract.equation import sum_type
from ...contract.mmla import BLOCK_BYTES
from ...contract.multiply_add import MultiplyAddOf
from ...contract.own_unit import TensorUnit, own_unit, types_of
from ...contract.tensor_instruction import (
    BY_COLUMNS,
    GROUPS_OF_2,
    GROUPS_OF_4,
    ROWS_OF_2,
    SINGLE,
    TWO_COLUMNS,
    ProductForm,
)
from ...dtypes import MIXED_FLOATS
from .core import A64Address, A64Factor, A64Machine
from .dot_emulated import A64PairsByFma, MmlaToOdd, PairsToOdd
from .dot_native import A64Unit, NeonBiasedDot, NeonDot, SveDot
from .dot_smlal import Widened
from .dot_widening import A64Converted, NeonConverted, NeonConvertedPairs, NeonWords, SveConverted, SveWords
from .lanes import A64Lanes
from .mmla import A64Mmla, NeonMmla, SveMmla


class _A64DotRow(NamedTuple):
    """A unit of one machine's processors that have a feature. The first matching row applies."""

    machine: str
    row_vectors: str
    groups: str
    feature: str
    numerics: str
    unit: Callable[[A64Machine, UnitFacts, str, str], UnitOf[A64Address, A64Lanes, A64Factor]]
    facts: UnitFacts
    form: ProductForm


_EXACT, _ANY = "exact", ""
_LOADS, _SHIFTS = ("ldr", "ld1rw", "ld1rqw", "ld1b", "ld1h", "ld1w"), ("ushll", "shl", "ushr", "lsl", "lsr")
_SLOTS = {name: slots for names, slots in ((_LOADS, 0.0), (_SHIFTS, 2.0)) for name in names}
"""What these instructions take of the pipes of products: loads nothing (LD1 and LD1R of NEON do, because they insert or
replicate there), shifts twice as much as products, because half of the pipes shift."""
_BFDOT = UnitFacts("BFDOT", 2, temporaries_of_rows=1, by_element=True, loads_in_slots=True)
_TO_ODD = UnitFacts("BFDOT", 2, emulated=True, latency=60, temporaries=7, constants=6, to_odd=True)
_BY_FMA = UnitFacts("BFDOT by fused steps", 2, emulated=True, phases=2)
_PAIRED = UnitFacts("FMA in the order of pairs", 2, phases=2)
_SDOT = UnitFacts("SDOT", 4, temporaries_of_rows=2, by_element=True, loads_in_slots=True)
_BIASED = _SDOT._replace(constants=1, corrected=True)
_USDOT = _SDOT._replace(name="USDOT")
_WIDENED_BYTES = UnitFacts("SDOT", 4, emulated=True, phases=2, temporaries=1, constants=2)
_WORDS = UnitFacts("SMLAL", 2, temporaries=1, constants=2)
_MULTIPLY_ADD = UnitFacts("FMA", 1)
_FMA = UnitFacts("FMA of converted elements", 1)
_E4M3 = _FMA._replace(constants=3)
_BY_MULTIPLY = UnitFacts("MLA", 2, phases=2)


def _converted(machine: str, unit: type[A64Unit], x: str, y: str) -> _A64DotRow:
    """The row of a product of operands of different types, each converted to f32 as it is loaded."""
    facts = _E4M3 if "f8e4m3" in (x, y) else _FMA
    return _A64DotRow(machine, x, y, machine.upper(), _ANY, unit, facts, SINGLE)


_WORD_TYPES = (("u16", "u16"), ("u16", "i16"), ("i16", "u16"))

_ROWS = (
    _A64DotRow("neon", "bf16", "bf16", "BF16", _ANY, NeonDot, _BFDOT, GROUPS_OF_2),
    _A64DotRow("neon", "bf16", "bf16", "NEON", _EXACT, PairsToOdd, _TO_ODD, GROUPS_OF_2),
    _A64DotRow("neon", "bf16", "bf16", "NEON", _ANY, A64PairsByFma, _BY_FMA, GROUPS_OF_2),
    _A64DotRow("neon", "f32", "f32", "NEON", PAIRED, NeonConvertedPairs, _PAIRED, ROWS_OF_2),
    _A64DotRow("neon", "i8", "i8", "DOTPROD", _ANY, NeonDot, _SDOT, GROUPS_OF_4),
    _A64DotRow("neon", "u8", "u8", "DOTPROD", _ANY, NeonDot, _SDOT._replace(name="UDOT"), GROUPS_OF_4),
    _A64DotRow("neon", "u8", "i8", "I8MM", _ANY, NeonDot, _USDOT, GROUPS_OF_4),
    _A64DotRow("neon", "i8", "u8", "I8MM", _ANY, NeonDot, _USDOT, GROUPS_OF_4),
    _A64DotRow("neon", "u8", "i8", "DOTPROD", _ANY, NeonBiasedDot, _BIASED._replace(name="UDOT"), GROUPS_OF_4),
    _A64DotRow("neon", "i8", "u8", "DOTPROD", _ANY, NeonBiasedDot, _BIASED, GROUPS_OF_4),
    _A64DotRow("neon", "i8", "i8", "NEON", _ANY, Widened, _WIDENED_BYTES, GROUPS_OF_4),
    _A64DotRow("neon", "u8", "u8", "NEON", _ANY, Widened, _WIDENED_BYTES._replace(name="UDOT"), GROUPS_OF_4),
    _A64DotRow("neon", "u8", "i8", "NEON", _ANY, Widened, _WIDENED_BYTES._replace(name="USDOT"), GROUPS_OF_4),
    _A64DotRow("neon", "i8", "u8", "NEON", _ANY, Widened, _WIDENED_BYTES._replace(name="USDOT"), GROUPS_OF_4),
    _A64DotRow("neon", "i16", "i16", "NEON", _ANY, Widened, _WORDS, GROUPS_OF_2),
    _A64DotRow("neon", "f16", "f16", "NEON", _ANY, NeonConverted, _FMA, SINGLE),
    _A64DotRow("neon", "f8e5m2", "f8e5m2", "NEON", _ANY, NeonConverted, _FMA, SINGLE),
    _A64DotRow("neon", "f8e4m3", "f8e4m3", "NEON", _ANY, NeonConverted, _E4M3, SINGLE),
    _A64DotRow("sve", "bf16", "bf16", "BF16", _ANY, SveDot, _BFDOT, GROUPS_OF_2),
    _A64DotRow("sve", "i8", "i8", "SVE", _ANY, SveDot, _SDOT, GROUPS_OF_4),
    _A64DotRow("sve", "u8", "u8", "SVE", _ANY, SveDot, _SDOT._replace(name="UDOT"), GROUPS_OF_4),
    _A64DotRow("sve", "u8", "i8", "I8MM", _ANY, SveDot, _USDOT, GROUPS_OF_4),
    _A64DotRow("sve", "i8", "u8", "I8MM", _ANY, SveDot, _USDOT, GROUPS_OF_4),
    *(_A64DotRow("neon", *types, "NEON", _ANY, NeonWords, _BY_MULTIPLY, GROUPS_OF_2) for types in _WORD_TYPES),
    *(
        _A64DotRow(machine, *types, "SVE", _ANY, SveWords, _BY_MULTIPLY, GROUPS_OF_2)
        for machine in ("sve", "sme")
        for types in (("i16", "i16"), *_WORD_TYPES)
    ),
    _A64DotRow("sve", "f16", "f16", "SVE", _ANY, SveConverted, _FMA, SINGLE),
    *(
        _A64DotRow(machine, dtype, dtype, "SVE", _ANY, SveConverted, facts, SINGLE)
        for machine in ("sve", "sme")
        for dtype, facts in (("f8e5m2", _FMA), ("f8e4m3", _E4M3))
    ),
    *(
        _converted(machine, unit, *types)
        for machine, unit in (("neon", NeonConverted), ("sve", SveConverted), ("sme", SveConverted))
        for types in MIXED_FLOATS
    ),
    *(
        _A64DotRow(machine, dtype, dtype, feature, PLAIN, MultiplyAddOf, _MULTIPLY_ADD, SINGLE)
        for machine, feature in (("neon", "NEON"), ("sve", "SVE"), ("sme", "SVE"))
        for dtype in ("f32", "f64")
    ),
)
"""Each instruction comes before the sequences that replace it."""


def _row(target: Target, row_vector: str, group: str, numerics: str) -> _A64DotRow | TensorUnit | None:
    own = own_unit(target, row_vector, group, numerics)
    if own is not None:
        return own
    asked = (target.isa, row_vector, group)
    fits = (row for row in _ROWS if row[:3] == asked and row.feature in target.features)
    possible = (numerics,) if numerics in (PAIRED, PLAIN) else (_ANY, numerics)
    return next((row for row in fits if row.numerics in possible), None)


@cache
def units_of(machine: type[A64Machine], target: Target) -> Units:
    """Return `Facts.units` of a machine on a target."""

    def find(row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        row = _row(target, row_vector, group, numerics)
        return None if row is None else _counted(row, machine(target, A64Assembler(target)))

    return Units(types_of(target, ((row.row_vectors, row.groups) for row in _ROWS)), find)


def _counted(row: _A64DotRow | TensorUnit, m: A64Machine) -> UnitFacts:
    """Return the facts of a row with the counts of its instructions, and the row of its own."""
    types = row.row_vectors, row.groups, sum_type(row.row_vectors, row.groups)
    unit = row.unit(m, row.facts, *types[:2])
    counter = Counter(m, Mem, _SLOTS if row.facts.loads_in_slots else {})
    code = code_of_unit(counter, unit, types, packs=row.form != ROWS_OF_2)
    return described(row.facts._replace(code=code), row.form, types, "f32" if isinstance(unit, A64Converted) else "")


def unit_of(m: A64Machine, row_vector: str, group: str, numerics: str) -> UnitOf[A64Address, A64Lanes, A64Factor]:
    """Implement `Machine.unit`."""
    row, facts = _row(m.target, row_vector, group, numerics), m.facts.unit(row_vector, group, numerics)
    assert row is not None and facts is not None, "planners use only units that the facts describe"
    return row.unit(m, facts, row_vector, group)


# MMLA units


class _MmlaRow(NamedTuple):
    """An MMLA unit, which multiplies two columns at a time."""

    machine: str
    row_vectors: str
    groups: str
    feature: str
    unit: type[A64Mmla]
    facts: UnitFacts
    form: ProductForm


_LOADS_OF_A_BLOCK = 2
_BFMMLA = UnitFacts("BFMMLA", 4, latency=6, temporaries=2, columns=2)
_ODD_MMLA = _BFMMLA._replace(emulated=True, latency=120, temporaries=7, constants=6, to_odd=True)
_MMLA = UnitFacts("SMMLA", 8, latency=3, temporaries=2, columns=2)
_BYTES = (
    ("SMMLA", "i8", "i8", TWO_COLUMNS[8]),
    ("UMMLA", "u8", "u8", TWO_COLUMNS[8]),
    ("USMMLA", "u8", "i8", TWO_COLUMNS[8]),
    ("USMMLA", "i8", "u8", BY_COLUMNS),
)
_MMLA_UNITS: dict[str, type[A64Mmla]] = {"neon": NeonMmla, "sve": SveMmla}
_MMLA_ROWS = (
    *(_MmlaRow(name, "bf16", "bf16", "BF16", unit, _BFMMLA, TWO_COLUMNS[4]) for name, unit in _MMLA_UNITS.items()),
    _MmlaRow("neon", "bf16", "bf16", "NEON", MmlaToOdd, _ODD_MMLA, TWO_COLUMNS[4]),
    *(
        _MmlaRow(name, row_vector, group, "I8MM", unit, _MMLA._replace(name=instruction), form)
        for name, unit in _MMLA_UNITS.items()
        for instruction, row_vector, group, form in _BYTES
    ),
)


def _mmla(target: Target, row_vector: str, group: str) -> _MmlaRow | None:
    asked = (target.isa, row_vector, group)
    return next((row for row in _MMLA_ROWS if row[:3] == asked and row.feature in target.features), None)


@cache
def mmla_units_of(machine: type[A64Machine], target: Target) -> Units:
    """Return `Facts.mmla_units` of a machine on a target."""

    def find(row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        row = _mmla(target, row_vector, group)
        if row is None or numerics not in (NUMERICS if not row.facts.emulated else (_EXACT,)):
            return None
        return _counted_mmla(row, machine(target, A64Assembler(target)))

    return Units(((row.row_vectors, row.groups) for row in _MMLA_ROWS), find)


def _counted_mmla(row: _MmlaRow, m: A64Machine) -> UnitFacts:
    """Return the facts of a row with the counts of its instructions. A gather loads two elements for each block."""
    facts, blocks = row.facts, m.target.vector_bits // 8 // BLOCK_BYTES
    if blocks > 1:
        facts = facts._replace(gathered=_LOADS_OF_A_BLOCK * blocks, constants=1)
    unit = row.unit(m, facts, row.row_vectors, row.groups)
    types = row.row_vectors, row.groups, sum_type(row.row_vectors)
    code = code_of_unit(Counter(m, Mem, {}), unit, types)
    return described(facts._replace(code=code), row.form, types)


def mmla_of(m: A64Machine, row_vector: str, group: str, numerics: str) -> FragmentsOf[A64Address, A64Lanes, A64Factor]:
    """Implement `Machine.mmla`."""
    row, facts = _mmla(m.target, row_vector, group), m.facts.mmla(row_vector, group, numerics)
    assert row is not None and facts is not None, "planners use only units that the facts describe"
    return row.unit(m, facts, row_vector, group)
