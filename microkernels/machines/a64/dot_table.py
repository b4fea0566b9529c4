"""The tensor units of AArch64 processors, and the sequences that replace a missing unit.

Sources: Arm ARM DDI 0487, C7 and C8; the software optimization guides of Neoverse N1, V1 and V2 (latencies).
"""

from __future__ import annotations

from functools import cache

from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.registers import Mem
from ....encoder.features import Target
from ...contract.counting import Counter, counted
from ...contract.dot_and_tile import PAIRED, PLAIN, UnitFacts, Units
from ...contract.mmla import BLOCK_BYTES
from ...contract.multiply_add import MultiplyAddOf
from ...contract.tensor_instruction import BY_COLUMNS, GROUPS_OF_2, GROUPS_OF_4, ROWS_OF_2, SINGLE, TWO_COLUMNS
from ...contract.unit_table import TensorUnit, UnitTable
from ...dtypes import MIXED_FLOATS
from .core import A64Machine
from .dot_emulated import A64PairsByFma, MmlaToOdd, PairsToOdd
from .dot_native import A64Unit, NeonBiasedDot, NeonDot, SveDot
from .dot_smlal import Widened
from .dot_widening import A64Converted, NeonConverted, NeonConvertedPairs, NeonWords, SveConverted, SveWords
from .mmla import A64Mmla, NeonMmla, SveMmla

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


def _converted(machine: str, unit: type[A64Unit], x: str, y: str) -> TensorUnit:
    """The row of a product of operands of different types, each converted to f32 as it is loaded."""
    facts = _E4M3 if "f8e4m3" in (x, y) else _FMA
    return TensorUnit(x, y, facts, SINGLE, unit, _ANY, (machine.upper(),), machine)


_WORD_TYPES = (("u16", "u16"), ("u16", "i16"), ("i16", "u16"))
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

_ROWS = (
    TensorUnit("bf16", "bf16", _BFDOT, GROUPS_OF_2, NeonDot, _ANY, ("BF16",), "neon"),
    TensorUnit("bf16", "bf16", _TO_ODD, GROUPS_OF_2, PairsToOdd, _EXACT, ("NEON",), "neon"),
    TensorUnit("bf16", "bf16", _BY_FMA, GROUPS_OF_2, A64PairsByFma, _ANY, ("NEON",), "neon"),
    TensorUnit("f32", "f32", _PAIRED, ROWS_OF_2, NeonConvertedPairs, PAIRED, ("NEON",), "neon"),
    TensorUnit("i8", "i8", _SDOT, GROUPS_OF_4, NeonDot, _ANY, ("DOTPROD",), "neon"),
    TensorUnit("u8", "u8", _SDOT._replace(name="UDOT"), GROUPS_OF_4, NeonDot, _ANY, ("DOTPROD",), "neon"),
    TensorUnit("u8", "i8", _USDOT, GROUPS_OF_4, NeonDot, _ANY, ("I8MM",), "neon"),
    TensorUnit("i8", "u8", _USDOT, GROUPS_OF_4, NeonDot, _ANY, ("I8MM",), "neon"),
    TensorUnit("u8", "i8", _BIASED._replace(name="UDOT"), GROUPS_OF_4, NeonBiasedDot, _ANY, ("DOTPROD",), "neon"),
    TensorUnit("i8", "u8", _BIASED, GROUPS_OF_4, NeonBiasedDot, _ANY, ("DOTPROD",), "neon"),
    TensorUnit("i8", "i8", _WIDENED_BYTES, GROUPS_OF_4, Widened, _ANY, ("NEON",), "neon"),
    TensorUnit("u8", "u8", _WIDENED_BYTES._replace(name="UDOT"), GROUPS_OF_4, Widened, _ANY, ("NEON",), "neon"),
    TensorUnit("u8", "i8", _WIDENED_BYTES._replace(name="USDOT"), GROUPS_OF_4, Widened, _ANY, ("NEON",), "neon"),
    TensorUnit("i8", "u8", _WIDENED_BYTES._replace(name="USDOT"), GROUPS_OF_4, Widened, _ANY, ("NEON",), "neon"),
    TensorUnit("i16", "i16", _WORDS, GROUPS_OF_2, Widened, _ANY, ("NEON",), "neon"),
    TensorUnit("f16", "f16", _FMA, SINGLE, NeonConverted, _ANY, ("NEON",), "neon"),
    TensorUnit("f8e5m2", "f8e5m2", _FMA, SINGLE, NeonConverted, _ANY, ("NEON",), "neon"),
    TensorUnit("f8e4m3", "f8e4m3", _E4M3, SINGLE, NeonConverted, _ANY, ("NEON",), "neon"),
    TensorUnit("bf16", "bf16", _BFDOT, GROUPS_OF_2, SveDot, _ANY, ("BF16",), "sve"),
    TensorUnit("i8", "i8", _SDOT, GROUPS_OF_4, SveDot, _ANY, ("SVE",), "sve"),
    TensorUnit("u8", "u8", _SDOT._replace(name="UDOT"), GROUPS_OF_4, SveDot, _ANY, ("SVE",), "sve"),
    TensorUnit("u8", "i8", _USDOT, GROUPS_OF_4, SveDot, _ANY, ("I8MM",), "sve"),
    TensorUnit("i8", "u8", _USDOT, GROUPS_OF_4, SveDot, _ANY, ("I8MM",), "sve"),
    *(TensorUnit(*types, _BY_MULTIPLY, GROUPS_OF_2, NeonWords, _ANY, ("NEON",), "neon") for types in _WORD_TYPES),
    *(
        TensorUnit(*types, _BY_MULTIPLY, GROUPS_OF_2, SveWords, _ANY, ("SVE",), machine)
        for machine in ("sve", "sme")
        for types in (("i16", "i16"), *_WORD_TYPES)
    ),
    TensorUnit("f16", "f16", _FMA, SINGLE, SveConverted, _ANY, ("SVE",), "sve"),
    *(
        TensorUnit(dtype, dtype, facts, SINGLE, SveConverted, _ANY, ("SVE",), machine)
        for machine in ("sve", "sme")
        for dtype, facts in (("f8e5m2", _FMA), ("f8e4m3", _E4M3))
    ),
    *(
        _converted(machine, unit, *types)
        for machine, unit in (("neon", NeonConverted), ("sve", SveConverted), ("sme", SveConverted))
        for types in MIXED_FLOATS
    ),
    *(
        TensorUnit(dtype, dtype, _MULTIPLY_ADD, SINGLE, MultiplyAddOf, PLAIN, (feature,), machine)
        for machine, feature in (("neon", "NEON"), ("sve", "SVE"), ("sme", "SVE"))
        for dtype in ("f32", "f64")
    ),
    *(
        TensorUnit("bf16", "bf16", _BFMMLA, TWO_COLUMNS[4], unit, _ANY, ("BF16",), name)
        for name, unit in _MMLA_UNITS.items()
    ),
    TensorUnit("bf16", "bf16", _ODD_MMLA, TWO_COLUMNS[4], MmlaToOdd, _EXACT, ("NEON",), "neon"),
    *(
        TensorUnit(row_vector, group, _MMLA._replace(name=instruction), form, unit, _ANY, ("I8MM",), name)
        for name, unit in _MMLA_UNITS.items()
        for instruction, row_vector, group, form in _BYTES
    ),
)
"""Each instruction comes before the sequences that replace it."""


def _counted(row: TensorUnit, m: A64Machine) -> UnitFacts:
    """Return the facts of a row. A gather of an MMLA unit loads two elements for each block."""
    facts, blocks = row.facts, m.target.vector_bits // 8 // BLOCK_BYTES
    if facts.columns > 1 and blocks > 1:
        facts = facts._replace(gathered=_LOADS_OF_A_BLOCK * blocks, constants=1)
    return counted(row, facts, Counter(m, Mem, _SLOTS if facts.loads_in_slots else {}), A64Converted)


TABLE = UnitTable(_ROWS, lambda target: target.features, _counted)


@cache
def units_of(machine: type[A64Machine], target: Target, columns: int) -> Units:
    """Return the units of a machine on a target that multiply so many columns at a time."""
    return TABLE.units(lambda target: machine(target, A64Assembler(target)), target, columns)
