"""The tensor units of AArch64 processors, and the sequences that replace a missing unit.

Sources: Arm ARM DDI 0487, C7 and C8; the software optimization guides of Neoverse N1, V1 and V2 (latencies).
"""

from __future__ import annotations

from functools import cache

from ....encoder.a64.registers import General
from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ...contract.dot_and_tile import NUMERICS, PAIRED, UnitFacts, UnitOf, units_by_types
from ...contract.equation import Equation, sum_type
from ...contract.machine import TypesAndNumerics
from ...contract.mmla import BLOCK_BYTES, COLUMNS, MmlaUnitOf
from ...dtypes import MIXED_FLOATS
from .core import A64Address, A64Factor, A64Machine
from .dot_emulated import MmlaToOdd, PairsByFma, PairsToOdd
from .dot_native import A64Unit, NeonDot, SveDot
from .dot_smlal import Widened
from .dot_widening import NeonConverted, NeonConvertedPairs, NeonWords, SveConverted, SveWords
from .lanes import A64Lanes
from .mmla import A64Mmla, NeonMmla, SveMmla


class _Row(NamedTuple):
    """A unit of one machine's processors that have a feature. The first matching row applies."""

    machine: str
    row_vectors: str
    groups: str
    feature: str
    numerics: str
    unit: type[A64Unit]
    facts: UnitFacts
    equation: str


_EXACT, _ANY = "exact", ""
_BFDOT = UnitFacts("BFDOT", 2, latency=4, packed=1, plain=4, fetch=1, apart=4, temporaries=1)
_TO_ODD = _BFDOT._replace(emulated=True, product=34, latency=60, fetch=2, apart=6, temporaries=7, constants=6,
                          to_odd=True)  # fmt: skip
_BY_FMA = UnitFacts("BFDOT by fused steps", 2, emulated=True, phases=2, packed=3, plain=2, fetch=2, apart=6)
_PAIRED = UnitFacts("FMA in the order of pairs", 2, phases=2)
_SDOT = UnitFacts("SDOT", 4, latency=4, packed=1, plain=10, fetch=1, apart=6, temporaries=1)
_USDOT = _SDOT._replace(name="USDOT")
_WIDENED_BYTES = UnitFacts("SDOT", 4, emulated=True, phases=2, product=2, packed=3, plain=4, fetch=2, apart=4,
                           temporaries=1, constants=2)  # fmt: skip
_WORDS = UnitFacts("SMLAL", 2, product=2, packed=2, plain=3, fetch=1, apart=3, temporaries=1, constants=2)
_FMA = UnitFacts("FMA of converted elements", 1, packed=2, plain=2, fetch=2, apart=2)
_E5M2 = _FMA._replace(packed=3, plain=3, fetch=3, apart=3)
_E4M3 = _FMA._replace(packed=7, plain=7, fetch=7, apart=7, constants=3)

_BY_MULTIPLY = UnitFacts("MLA", 2, phases=2, packed=2, plain=1, apart=1)
_CONVERSIONS = {"f32": 1, "bf16": 2, "f16": 2, "i8": 4, "u8": 4, "f8e5m2": 3, "f8e4m3": 7}
"""The number of instructions that load and convert elements, by type."""

_SINGLE = "c[i] += x[i] * y[0]"
_GROUPS_OF_2 = "c[i] += x[2*i+e] * y[e]"
_GROUPS_OF_4 = "c[i] += x[4*i+e] * y[e]"
_ROWS_OF_2 = "c[i] += x[e, i] * y[e]"
"""Index equations of one product: c are the accumulators, x a row vector or rows of single elements, y a group."""


def _converted(machine: str, unit: type[A64Unit], x: str, y: str) -> _Row:
    """The row of a product of operands of different types, each converted to f32 as it is loaded."""
    of_x, of_y = _CONVERSIONS[x], _CONVERSIONS[y]
    constants = 3 if "f8e4m3" in (x, y) else 0
    facts = _FMA._replace(packed=of_x, plain=of_x, fetch=of_y, apart=of_y, constants=constants)
    return _Row(machine, x, y, machine.upper(), _ANY, unit, facts, _SINGLE)


_WORD_TYPES = (("u16", "u16"), ("u16", "i16"), ("i16", "u16"))

_ROWS = (
    _Row("neon", "bf16", "bf16", "BF16", _ANY, NeonDot, _BFDOT, _GROUPS_OF_2),
    _Row("neon", "bf16", "bf16", "NEON", _EXACT, PairsToOdd, _TO_ODD, _GROUPS_OF_2),
    _Row("neon", "bf16", "bf16", "NEON", _ANY, PairsByFma, _BY_FMA, _GROUPS_OF_2),
    _Row("neon", "f32", "f32", "NEON", PAIRED, NeonConvertedPairs, _PAIRED, _ROWS_OF_2),
    _Row("neon", "i8", "i8", "DOTPROD", _ANY, NeonDot, _SDOT, _GROUPS_OF_4),
    _Row("neon", "u8", "u8", "DOTPROD", _ANY, NeonDot, _SDOT._replace(name="UDOT"), _GROUPS_OF_4),
    _Row("neon", "u8", "i8", "I8MM", _ANY, NeonDot, _USDOT, _GROUPS_OF_4),
    _Row("neon", "i8", "u8", "I8MM", _ANY, NeonDot, _USDOT, _GROUPS_OF_4),
    _Row("neon", "i8", "i8", "NEON", _ANY, Widened, _WIDENED_BYTES, _GROUPS_OF_4),
    _Row("neon", "u8", "u8", "NEON", _ANY, Widened, _WIDENED_BYTES._replace(name="UDOT"), _GROUPS_OF_4),
    _Row("neon", "u8", "i8", "NEON", _ANY, Widened, _WIDENED_BYTES._replace(name="USDOT"), _GROUPS_OF_4),
    _Row("neon", "i8", "u8", "NEON", _ANY, Widened, _WIDENED_BYTES._replace(name="USDOT"), _GROUPS_OF_4),
    _Row("neon", "i16", "i16", "NEON", _ANY, Widened, _WORDS, _GROUPS_OF_2),
    _Row("neon", "f16", "f16", "NEON", _ANY, NeonConverted, _FMA, _SINGLE),
    _Row("neon", "f8e5m2", "f8e5m2", "NEON", _ANY, NeonConverted, _E5M2, _SINGLE),
    _Row("neon", "f8e4m3", "f8e4m3", "NEON", _ANY, NeonConverted, _E4M3, _SINGLE),
    _Row("sve", "bf16", "bf16", "BF16", _ANY, SveDot, _BFDOT, _GROUPS_OF_2),
    _Row("sve", "i8", "i8", "SVE", _ANY, SveDot, _SDOT, _GROUPS_OF_4),
    _Row("sve", "u8", "u8", "SVE", _ANY, SveDot, _SDOT._replace(name="UDOT"), _GROUPS_OF_4),
    _Row("sve", "u8", "i8", "I8MM", _ANY, SveDot, _USDOT, _GROUPS_OF_4),
    _Row("sve", "i8", "u8", "I8MM", _ANY, SveDot, _USDOT, _GROUPS_OF_4),
    *(_Row("neon", *types, "NEON", _ANY, NeonWords, _BY_MULTIPLY._replace(fetch=3, plain=2, apart=3), _GROUPS_OF_2)
      for types in _WORD_TYPES),
    *(_Row(machine, *types, "SVE", _ANY, SveWords, _BY_MULTIPLY, _GROUPS_OF_2)
      for machine in ("sve", "sme") for types in (("i16", "i16"), *_WORD_TYPES)),
    _Row("sve", "f16", "f16", "SVE", _ANY, SveConverted, _FMA, _SINGLE),
    *(_Row(machine, dtype, dtype, "SVE", _ANY, SveConverted, facts, _SINGLE)
      for machine in ("sve", "sme") for dtype, facts in (("f8e5m2", _E5M2), ("f8e4m3", _E4M3))),
    *(_converted(machine, unit, *types)
      for machine, unit in (("neon", NeonConverted), ("sve", SveConverted), ("sme", SveConverted))
      for types in MIXED_FLOATS),
)  # fmt: skip
"""Each instruction comes before the sequences that replace it."""


def _row(target: Target, row_vector: str, group: str, numerics: str) -> _Row | None:
    asked = (target.isa, row_vector, group)
    fits = (row for row in _ROWS if row[:3] == asked and row.feature in target.features)
    possible = (PAIRED,) if numerics == PAIRED else (_ANY, numerics)
    return next((row for row in fits if row.numerics in possible), None)


@cache
def units_of(target: Target) -> dict[TypesAndNumerics, UnitFacts]:
    """Return `Facts.units` of a target."""

    def find(row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        row = _row(target, row_vector, group, numerics)
        return None if row is None else row.facts._replace(equation=_equation(row))

    return units_by_types(((row.row_vectors, row.groups) for row in _ROWS), find)


def _equation(row: _Row) -> Equation:
    types = (row.row_vectors, row.groups, sum_type(row.row_vectors, row.groups))
    return Equation(row.equation, types, (("i", None), ("e", row.facts.depth)))


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
    equation: str


_TWO_COLUMNS = "c[j, i] += x[i, e] * y[j, e]"
_BFMMLA = UnitFacts("BFMMLA", 4, latency=6, fetch=2, temporaries=2, columns=2)
_ODD_MMLA = _BFMMLA._replace(emulated=True, product=76, latency=120, temporaries=7, constants=6, to_odd=True)
_MMLA = UnitFacts("SMMLA", 8, latency=3, fetch=2, temporaries=2, columns=2)
_BYTES = (("SMMLA", "i8", "i8"), ("UMMLA", "u8", "u8"), ("USMMLA", "u8", "i8"), ("USMMLA", "i8", "u8"))
_MMLA_UNITS: dict[str, type[A64Mmla]] = {"neon": NeonMmla, "sve": SveMmla}
_MMLA_ROWS = (
    *(_MmlaRow(name, "bf16", "bf16", "BF16", unit, _BFMMLA, _TWO_COLUMNS) for name, unit in _MMLA_UNITS.items()),
    _MmlaRow("neon", "bf16", "bf16", "NEON", MmlaToOdd, _ODD_MMLA, _TWO_COLUMNS),
    *(
        _MmlaRow(name, row_vector, group, "I8MM", unit, _MMLA._replace(name=instruction), _TWO_COLUMNS)
        for name, unit in _MMLA_UNITS.items()
        for instruction, row_vector, group in _BYTES
    ),
)


def _mmla(target: Target, row_vector: str, group: str) -> _MmlaRow | None:
    asked = (target.isa, row_vector, group)
    return next((row for row in _MMLA_ROWS if row[:3] == asked and row.feature in target.features), None)


def _mmla_equation(row: _MmlaRow) -> Equation:
    """Return the equation: j counts columns, i counts rows of X, and a row has `depth` neighbours along k."""
    types = (row.row_vectors, row.groups, sum_type(row.row_vectors))
    return Equation(row.equation, types, (("j", COLUMNS), ("i", None), ("e", row.facts.depth)))


@cache
def mmla_units_of(target: Target) -> dict[TypesAndNumerics, UnitFacts]:
    """Return `Facts.mmla_units` of a target. A gather loads two elements for each block."""
    blocks = target.vector_bits // 8 // BLOCK_BYTES
    units: dict[TypesAndNumerics, UnitFacts] = {}
    for types in dict.fromkeys((row.row_vectors, row.groups) for row in _MMLA_ROWS):
        row = _mmla(target, *types)
        for numerics in NUMERICS if row is not None and not row.facts.emulated else (_EXACT,):
            if row is not None:
                facts = row.facts._replace(equation=_mmla_equation(row))
                if blocks > 1:
                    facts = facts._replace(packed=2 * blocks, fetch=3, constants=1)
                units[types[0], types[1], numerics] = facts
    return units


def mmla_of(m: A64Machine, row_vector: str, group: str, numerics: str) -> MmlaUnitOf[General, A64Address, A64Lanes]:
    """Implement `Machine.mmla`."""
    row, facts = _mmla(m.target, row_vector, group), m.facts.mmla(row_vector, group, numerics)
    assert row is not None and facts is not None, "planners use only units that the facts describe"
    return row.unit(m, facts, row_vector, group)
