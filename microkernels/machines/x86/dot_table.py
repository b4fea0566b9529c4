"""The tensor units of AVX2 and AVX-512 processors, and the sequences that replace a missing unit.

Sources: Intel SDM vol. 2; latencies measured on Zen 4 by chains of each instruction (VDPBF16PS 6 cycles, the others 4).
"""

from __future__ import annotations

from functools import cache

from ....encoder.features import Target
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import Mem
from ...contract.counting import Counter, counted
from ...contract.dot_and_tile import HALF, PAIRED, PLAIN, TILED, UnitFacts, Units
from ...contract.multiply_add import MultiplyAddOf
from ...contract.tensor_instruction import GROUPS_OF_2, GROUPS_OF_4, ROWS_OF_2, SINGLE
from ...contract.unit_table import TensorUnit, UnitTable
from ...dtypes import MIXED_FLOATS
from .core import X86Machine
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
_FAST16 = _FMA16._replace(name="VDPBF16PS but for denormals")
_HALVES = UnitFacts("VFMADD231PH", 1, embeds=True, half=True)
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


def _converted(x: str, y: str) -> TensorUnit:
    """The row of a product of floats by narrower operands. Each operand is converted to f32 as it is loaded."""
    unit, constants = (ConvertedE4M3, 2) if "f8e4m3" in (x, y) else (X86Converted, 0)
    return TensorUnit(x, y, _WIDENED._replace(embeds=y == "f32", constants=constants), SINGLE, unit, _ANY, _CONVERTED)


_ROWS = (
    TensorUnit("f32", "f32", _PAIRED, ROWS_OF_2, ConvertedPairs, PAIRED, _ROUNDED_ONCE),
    TensorUnit("bf16", "bf16", _TILE, GROUPS_OF_2, TilePairsByFma, TILED, _ROUNDED_ONCE),
    TensorUnit(
        "f16", "f16", UnitFacts("VFMADD231PH", 1, embeds=True, half=True), SINGLE, MultiplyAddOf, HALF, ("AVX512_FP16",)
    ),
    TensorUnit("f16", "f16", _TILE_HALVES, GROUPS_OF_2, TileHalvesByFma, TILED, _CONVERTED),
    TensorUnit("bf16", "bf16", _DPBF16, GROUPS_OF_2, NativeDot, _ANY, ("AVX512_BF16",)),
    TensorUnit("bf16", "bf16", _FMA16, GROUPS_OF_2, X86PairsByFma, _EXACT, _ROUNDED_ONCE),
    TensorUnit(
        "bf16",
        "bf16",
        _FMA16._replace(name="VDPBF16PS but for denormals"),
        GROUPS_OF_2,
        FastPairsByFma,
        _ANY,
        _ROUNDED_ONCE,
    ),
    TensorUnit("f16", "f16", _WIDENED, SINGLE, X86Converted, _ANY, _CONVERTED),
    TensorUnit("f8e5m2", "f8e5m2", _WIDENED, SINGLE, X86Converted, _ANY, _CONVERTED),
    TensorUnit("f8e4m3", "f8e4m3", _WIDENED._replace(constants=2), SINGLE, ConvertedE4M3, _ANY, _CONVERTED),
    *(
        TensorUnit(x, y, _BUSD._replace(name=f"VPDPB{signs}D", embeds=True), GROUPS_OF_4, NativeDot, _ANY, _BYTES)
        for signs, x, y in (("SS", "i8", "i8"), ("UU", "u8", "u8"), ("SU", "i8", "u8"))
    ),
    *(
        TensorUnit(x, y, _WSSD._replace(name=f"VPDPW{signs}D"), GROUPS_OF_2, NativeDot, _ANY, _WORDS_ANY)
        for signs, x, y in _SIGNS_OF_WORDS
    ),
    TensorUnit("u8", "i8", _BUSD._replace(embeds=True), GROUPS_OF_4, NativeDot, _ANY, _VNNI),
    TensorUnit("i8", "u8", _BUSD, GROUPS_OF_4, SwappedDot, _ANY, _VNNI),
    TensorUnit("i8", "i8", _BIASED, GROUPS_OF_4, BiasedDot, _ANY, _VNNI),
    TensorUnit("u8", "u8", _BIASED, GROUPS_OF_4, UnsignedDot, _ANY, _VNNI),
    *(
        TensorUnit(x, y, _WORDS, GROUPS_OF_4, BytesByWords, _ANY, _INTEGERS)
        for x, y in (("u8", "i8"), ("i8", "u8"), ("i8", "i8"), ("u8", "u8"))
    ),
    TensorUnit("i16", "i16", _WSSD, GROUPS_OF_2, NativeDot, _ANY, _VNNI),
    TensorUnit("i16", "i16", _WSSD._replace(emulated=True, embeds=False), GROUPS_OF_2, PairsByWords, _ANY, _INTEGERS),
    *(
        TensorUnit(x, y, _BY_MULTIPLY._replace(name=f"VPDPW{signs}D"), GROUPS_OF_2, X86WordsByMultiply, _ANY, _INTEGERS)
        for signs, x, y in _SIGNS_OF_WORDS
    ),
    *(_converted(x, y) for x, y in MIXED_FLOATS),
    *(TensorUnit(x, x, _MULTIPLY_ADD, SINGLE, MultiplyAddOf, PLAIN, ("SSE4_1",)) for x in ("f32", "f64")),
)
"""Each native unit comes before the sequences that replace it."""


def _features(target: Target) -> frozenset[str]:
    """Return the features that count: units with VEX encodings have no zmm registers."""
    return frozenset(each for each in target.features if target.vector_bits < 512 or not each.startswith("AVX_VNNI"))


def _counted(row: TensorUnit, m: X86Machine) -> UnitFacts:
    slots = {"vdpbf16ps": m.target.bf16_slots, "vpmulld": _MULTIPLY_SLOTS, "pmulld": _MULTIPLY_SLOTS}
    return counted(row, _facts(row, m.target), Counter(m, Mem, slots), X86Converted)


def _facts(row: TensorUnit, target: Target) -> UnitFacts:
    facts = row.facts
    if row.numerics == PLAIN:
        facts = facts._replace(latency=target.fma_latency, emulated="FMA" not in target.features)
    elif "AVX2" not in target.features:
        facts = facts._replace(widest=128)  # a 256-bit product consists of halves, which must be moved first
        if isinstance(row.unit, type) and issubclass(row.unit, (X86PairsByFma, X86Converted, ConvertedPairs)):
            facts = _composed(row, facts, target)
    return facts if target.vector_bits == 512 else facts._replace(embeds=False)  # only EVEX broadcasts from memory


def _composed(row: TensorUnit, facts: UnitFacts, target: Target) -> UnitFacts:
    """The facts of a unit whose multiply-add is computed in f64 (older/exact_fma.py). Products by f32 have more than 24
    bits, so their sums are rounded to odd, which takes a further register."""
    long = "f32" in (row.row_vectors, row.groups) and row.unit is not ConvertedPairs
    latency = 20 if "AVX" in target.features else 25
    return facts._replace(emulated=True, latency=latency + 30 * long, temporaries=int(long))


TABLE = UnitTable(_ROWS, _features, _counted)


@cache
def units_of(machine: type[X86Machine], target: Target, columns: int) -> Units:
    """Return the units of a machine on a target that multiply so many columns at a time."""
    return TABLE.units(lambda target: machine(target, X86Assembler(target)), target, columns)
