"""The tensor units of AVX2 and AVX-512 processors, and the sequences that replace a missing unit.

Sources: Intel SDM vol. 2; latencies measured on Zen 4 by chains of each instruction (VDPBF16PS 6 cycles, the others 4).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import Mem
from ...contract.counting import Counter, code_of_unit, described
from ...contract.dot_and_tile import HALF, PAIRED, PLAIN, TILED, UnitFacts, UnitOf, Units
from ...contract.equation import sum_type
from ...contract.multiply_add import MultiplyAddOf
from ...contract.own_unit import TensorUnit, own_unit, types_of
from ...contract.tensor_instruction import GROUPS_OF_2, GROUPS_OF_4, ROWS_OF_2, SINGLE, ProductForm
from ...dtypes import MIXED_FLOATS
from .core import X86Address, X86Lanes, X86Machine
from .dot_emulated import (
    BytesByWords,
    FastPairsByFma,
    PairsByWords,
    TileHalvesByFma,
    TilePairsByFma,
    X86PairsByFma,
    X86WordsByMultiply,
)
from .dot_native import BiasedDot, NativeDot, SwappedDot, UnsignedDot
from .dot_widening import ConvertedE4M3, ConvertedPairs, X86Converted


class _X86DotRow(NamedTuple):
    """A unit of processors that have one of these features. The first matching row applies."""

    row_vectors: str
    groups: str
    features: tuple[str, ...]
    numerics: str
    unit: Callable[[X86Machine, UnitFacts, str, str], UnitOf[X86Address, X86Lanes, Mem]]
    facts: UnitFacts
    form: ProductForm


_EXACT, _ANY = "exact", ""
_VNNI = ("AVX512_VNNI", "AVX_VNNI")
_BYTES = ("AVX10_2", "AVX_VNNI_INT8")
_WORDS_ANY = ("AVX10_2", "AVX_VNNI_INT16")
"""Features of the instructions on bytes, or words, of any signs; the first has EVEX encodings, the second VEX."""
_INTEGERS = ("AVX2", "SSE4_1")
"""Features with VPMADDWD and VPMULLD, of 256 or 128 bits."""
_ROUNDED_ONCE, _CONVERTED = ("FMA", "SSE4_1"), ("F16C", "SSE4_1")
"""Features with multiply-adds of f32 that are rounded once, and with conversions of f16; with SSE4_1 both are composed
of other instructions."""
_DPBF16 = UnitFacts("VDPBF16PS", 2, latency=6, embeds=True, temporaries=1)
_FMA16 = UnitFacts("VDPBF16PS", 2, emulated=True, phases=2, constants=1)
_PAIRED = UnitFacts("FMA in the order of VDPBF16PS", 2, phases=2, embeds=True)
_BUSD = UnitFacts("VPDPBUSD", 4, temporaries=1)
_WORDS = UnitFacts("VPDPBUSD", 4, emulated=True, phases=2, temporaries=1, constants=1)
_BIASED = _BUSD._replace(constants=1, corrected=True)
_WSSD = UnitFacts("VPDPWSSD", 2, embeds=True, temporaries=1)
_BY_MULTIPLY = UnitFacts("VPDPWUUD", 2, emulated=True, phases=2, latency=10, temporaries=1, constants=1)
_SIGNS_OF_WORDS = (("UU", "u16", "u16"), ("US", "u16", "i16"), ("SU", "i16", "u16"))

_MULTIPLY_ADD = UnitFacts("FMA", 1, embeds=True)
_WIDENED = UnitFacts("FMA of converted elements", 1)
_MULTIPLY_SLOTS = 2
"""The time of VPMULLD in full FMAs: it is two micro-operations on Intel processors."""
_TILE = _FMA16._replace(name="TDPBF16PS", block=16)
_TILE_HALVES = UnitFacts("TDPFP16PS", 2, emulated=True, phases=2, block=16)


def _converted(x: str, y: str) -> _X86DotRow:
    """The row of a product of floats by narrower operands. Each operand is converted to f32 as it is loaded."""
    unit, constants = (ConvertedE4M3, 2) if "f8e4m3" in (x, y) else (X86Converted, 0)
    return _X86DotRow(x, y, _CONVERTED, _ANY, unit, _WIDENED._replace(embeds=y == "f32", constants=constants), SINGLE)


_ROWS = (
    _X86DotRow("f32", "f32", _ROUNDED_ONCE, PAIRED, ConvertedPairs, _PAIRED, ROWS_OF_2),
    _X86DotRow("bf16", "bf16", _ROUNDED_ONCE, TILED, TilePairsByFma, _TILE, GROUPS_OF_2),
    _X86DotRow(
        "f16", "f16", ("AVX512_FP16",), HALF, MultiplyAddOf, UnitFacts("VFMADD231PH", 1, embeds=True, half=True), SINGLE
    ),
    _X86DotRow("f16", "f16", _CONVERTED, TILED, TileHalvesByFma, _TILE_HALVES, GROUPS_OF_2),
    _X86DotRow("bf16", "bf16", ("AVX512_BF16",), _ANY, NativeDot, _DPBF16, GROUPS_OF_2),
    _X86DotRow("bf16", "bf16", _ROUNDED_ONCE, _EXACT, X86PairsByFma, _FMA16, GROUPS_OF_2),
    _X86DotRow(
        "bf16",
        "bf16",
        _ROUNDED_ONCE,
        _ANY,
        FastPairsByFma,
        _FMA16._replace(name="VDPBF16PS but for denormals"),
        GROUPS_OF_2,
    ),
    _X86DotRow("f16", "f16", _CONVERTED, _ANY, X86Converted, _WIDENED, SINGLE),
    _X86DotRow("f8e5m2", "f8e5m2", _CONVERTED, _ANY, X86Converted, _WIDENED, SINGLE),
    _X86DotRow("f8e4m3", "f8e4m3", _CONVERTED, _ANY, ConvertedE4M3, _WIDENED._replace(constants=2), SINGLE),
    *(
        _X86DotRow(x, y, _BYTES, _ANY, NativeDot, _BUSD._replace(name=f"VPDPB{signs}D", embeds=True), GROUPS_OF_4)
        for signs, x, y in (("SS", "i8", "i8"), ("UU", "u8", "u8"), ("SU", "i8", "u8"))
    ),
    *(
        _X86DotRow(x, y, _WORDS_ANY, _ANY, NativeDot, _WSSD._replace(name=f"VPDPW{signs}D"), GROUPS_OF_2)
        for signs, x, y in _SIGNS_OF_WORDS
    ),
    _X86DotRow("u8", "i8", _VNNI, _ANY, NativeDot, _BUSD._replace(embeds=True), GROUPS_OF_4),
    _X86DotRow("i8", "u8", _VNNI, _ANY, SwappedDot, _BUSD, GROUPS_OF_4),
    _X86DotRow("i8", "i8", _VNNI, _ANY, BiasedDot, _BIASED, GROUPS_OF_4),
    _X86DotRow("u8", "u8", _VNNI, _ANY, UnsignedDot, _BIASED, GROUPS_OF_4),
    *(
        _X86DotRow(x, y, _INTEGERS, _ANY, BytesByWords, _WORDS, GROUPS_OF_4)
        for x, y in (("u8", "i8"), ("i8", "u8"), ("i8", "i8"), ("u8", "u8"))
    ),
    _X86DotRow("i16", "i16", _VNNI, _ANY, NativeDot, _WSSD, GROUPS_OF_2),
    _X86DotRow("i16", "i16", _INTEGERS, _ANY, PairsByWords, _WSSD._replace(emulated=True, embeds=False), GROUPS_OF_2),
    *(
        _X86DotRow(x, y, _INTEGERS, _ANY, X86WordsByMultiply, _BY_MULTIPLY._replace(name=f"VPDPW{signs}D"), GROUPS_OF_2)
        for signs, x, y in _SIGNS_OF_WORDS
    ),
    *(_converted(x, y) for x, y in MIXED_FLOATS),
    *(_X86DotRow(x, x, ("SSE4_1",), PLAIN, MultiplyAddOf, _MULTIPLY_ADD, SINGLE) for x in ("f32", "f64")),
)
"""Each native unit comes before the sequences that replace it."""


def _row(target: Target, row_vector: str, group: str, numerics: str) -> _X86DotRow | TensorUnit | None:
    own = own_unit(target, row_vector, group, numerics)
    if own is not None:
        return own
    wide = target.vector_bits == 512
    possible = (numerics,) if numerics in (HALF, PAIRED, PLAIN) else (_ANY, numerics)
    for row in _ROWS:
        usable = {
            feature for feature in row.features if not wide or not feature.startswith("AVX_VNNI")
        }  # VEX units have no zmm registers
        asked = (row.row_vectors, row.groups) == (row_vector, group) and row.numerics in possible
        if asked and target.features & usable:
            return row
    return None


@cache
def units_of(machine: type[X86Machine], target: Target) -> Units:
    """Return `Facts.units` of a machine on a target."""

    def find(row_vector: str, group: str, numerics: str) -> UnitFacts | None:
        row = _row(target, row_vector, group, numerics)
        return None if row is None else _counted(row, _facts(row, target), machine(target, X86Assembler(target)))

    return Units(types_of(target, ((row.row_vectors, row.groups) for row in _ROWS)), find)


def _counted(row: _X86DotRow | TensorUnit, facts: UnitFacts, m: X86Machine) -> UnitFacts:
    """Return the facts with the counts of the unit's instructions, and the row of its instruction."""
    slots = {"vdpbf16ps": m.target.bf16_slots, "vpmulld": _MULTIPLY_SLOTS, "pmulld": _MULTIPLY_SLOTS}
    types = row.row_vectors, row.groups, "f16" if facts.half else sum_type(row.row_vectors, row.groups)
    unit = row.unit(m, facts, *types[:2])
    code = code_of_unit(Counter(m, Mem, slots), unit, types, packs=row.form != ROWS_OF_2)
    return described(facts._replace(code=code), row.form, types, "f32" if isinstance(unit, X86Converted) else "")


def _facts(row: _X86DotRow | TensorUnit, target: Target) -> UnitFacts:
    facts = row.facts
    if row.numerics == PLAIN:
        facts = facts._replace(latency=target.fma_latency, emulated="FMA" not in target.features)
    elif "AVX2" not in target.features:
        facts = facts._replace(widest=128)  # a 256-bit product consists of halves, which must be moved first
        if isinstance(row.unit, type) and issubclass(row.unit, (X86PairsByFma, X86Converted, ConvertedPairs)):
            facts = _composed(row, facts, target)
    return facts if target.vector_bits == 512 else facts._replace(embeds=False)  # only EVEX broadcasts from memory


def _composed(row: _X86DotRow | TensorUnit, facts: UnitFacts, target: Target) -> UnitFacts:
    """The facts of a unit whose multiply-add is computed in f64 (older/exact_fma.py). Products by f32 have more than 24
    bits, so their sums are rounded to odd, which takes a further register."""
    long = "f32" in (row.row_vectors, row.groups) and row.unit is not ConvertedPairs
    latency = 20 if "AVX" in target.features else 25
    return facts._replace(emulated=True, latency=latency + 30 * long, temporaries=int(long))


def unit_of(m: X86Machine, row_vector: str, group: str, numerics: str) -> UnitOf[X86Address, X86Lanes, Mem]:
    """Implement `Machine.unit`."""
    row, facts = _row(m.target, row_vector, group, numerics), m.facts.unit(row_vector, group, numerics)
    assert row is not None and facts is not None, "planners use only units that the facts describe"
    return row.unit(m, facts, row_vector, group)
