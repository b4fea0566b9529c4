"""Run one instruction in the emulator on given registers, and round exact numbers, for instructions that no processor
at hand has."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tilesmith.emulation.core.memory import Memory, Region
from tilesmith.emulation.x86.semantics import predecode
from tilesmith.emulation.x86.state import X86State
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import TABLE

FORMATS = {"bf16": (8, -126, 7), "f32": (24, -126, 23), "f16": (11, -14, 10), "f64": (53, -1022, 52)}
"""The precision, the exponent of the smallest normal number, and the stored bits of a significand."""


def state_with(vectors: dict[int, Any] | None = None, memory: Any = None) -> X86State:
    """Return a processor with the contents of vector registers, and one array as its memory."""
    state = X86State(Memory([] if memory is None else [Region("memory", memory, True)]))
    for number, content in (vectors or {}).items():
        raw = np.ascontiguousarray(content).view(np.uint8).reshape(-1)
        state.vectors[number, : len(raw)] = raw
    return state


def execute(state: X86State, mnemonic: str, *operands: Any) -> int | None:
    """Execute an instruction, and return where it jumps to, from an end at 0."""
    form = next(form for form in TABLE.forms(mnemonic) if form.accepts(operands))
    with np.errstate(all="ignore"):
        return predecode(state, form, operands, 0)()


def zmm(mnemonic: str, *sources: Any, to: Any = None, extra: tuple[Any, ...] = (), result: Any = np.uint16) -> Any:
    """Return the whole zmm1 after an instruction on zmm2, zmm3 and so on, of 64 bytes each."""
    state = state_with({2 + at: source for at, source in enumerate(sources)} | ({} if to is None else {1: to}))
    registers = (regs.ZMM[1], *(regs.ZMM[2 + at] for at in range(len(sources))))
    execute(state, mnemonic, *registers, *extra)
    return state.vectors[1].view(result).copy()


def number(bits: int, kind: str) -> Fraction | float:
    """Return the exact value of a float; infinities and NaN as Python's."""
    precision, emin, stored = FORMATS[kind]
    width = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}[kind]
    sign, exponent = bits >> width - 1, bits >> stored & (1 << width - 1 - stored) - 1
    fraction = bits & (1 << stored) - 1
    if exponent == (1 << width - 1 - stored) - 1:
        return float("nan") if fraction else (-1) ** sign * float("inf")
    whole = fraction | (1 << stored if exponent else 0)
    return Fraction((-1) ** sign * whole) * Fraction(2) ** (max(exponent, 1) - 1 + emin - precision + 1)


def nearest(value: Fraction, kind: str, flush: bool = True) -> float:
    """Round to nearest even. `flush` replaces what is below the normal numbers after rounding by zero."""
    precision, emin, _ = FORMATS[kind]
    if not value:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** ((exponent if flush else max(exponent, emin)) - precision + 1)
    rounded = round(size / unit) * unit  # to even
    largest = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** (1 - emin)
    if rounded > largest:
        return float("inf") * (1 if value > 0 else -1)
    found = 0.0 if flush and rounded < Fraction(2) ** emin else float(rounded)
    return found if value > 0 else -found
