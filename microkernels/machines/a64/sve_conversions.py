"""Conversions between stored and computed types, and masks stored as bits on SVE: loads widen, stores narrow."""

from __future__ import annotations

from typing import Any

from ....encoder.a64.registers import D, P, X, Z, listed, mem
from ....encoder.a64.virtual import lowest
from ...codegen.selection import BitStore
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES, FLOAT8
from ...errors import UnsupportedError
from .conversions import WIDER, Load, Store, loads, stores
from .core import A64Address
from .lanes import A64Lanes

_ALL = P[0]
_SCRATCH = X[16]
_LOADS = {
    "i8": "ld1sb",
    "u8": "ld1b",
    "i16": "ld1sh",
    "u16": "ld1h",
    "bf16": "ld1h",
    "f16": "ld1h",
    "f32": "ld1w",
    "i32": "ld1sw",
    **dict.fromkeys(FLOAT8, "ld1b"),
}
_STORES = {1: "st1b", 2: "st1h", 4: "st1w"}
_VIEWS = {2: "h", 4: "s", 8: "d"}


def _load(storage: str, compute: str) -> Load:
    def load(m: Any, register: Vector, address: A64Address, lanes: A64Lanes) -> None:
        dst = lanes.ops[register]
        getattr(m.asm, _LOADS[storage])(listed(dst), lanes.mask.z, mem[m.place(address)])
        if storage == "bf16":
            m.asm.lsl(dst, dst, 16)
            if compute == "f64":
                m.asm.fcvt(dst, _ALL.m, Z[register].s)
        elif storage in ("f16", "f32"):
            m.asm.fcvt(dst, _ALL.m, getattr(Z[register], _VIEWS[ELEMENT_BYTES[storage]]))

    return load


def _store(storage: str, compute: str) -> Store:
    size = ELEMENT_BYTES[storage]
    rounded = storage == "f32" or (storage == "f16" and ELEMENT_BYTES[compute] == 4)

    def store(m: Any, address: A64Address, register: Vector, lanes: A64Lanes, spare: Any) -> None:
        src = lanes.ops[register]
        if rounded:
            m.asm.fcvt(getattr(Z[register], _VIEWS[size]), _ALL.m, src)
        getattr(m.asm, _STORES[size])(listed(src), lanes.mask, mem[m.place(address)])

    return store


def _load_double(m: Any, register: Vector, address: A64Address, lanes: A64Lanes) -> None:
    """Load each f32 into the low half of a 64-bit element, then pack the elements."""
    m.load(register, address, m.lanes("f64", lanes.count))
    m.asm.fcvt(Z[register].s, _ALL.m, Z[register].d)
    m.asm.uzp1(Z[register].s, Z[register].s, Z[register].s)


def _wider(storage: str, compute: str) -> Store:
    """Store elements twice as wide as the computed ones, in chunks of a register of the stored type."""

    def store(m: Any, address: A64Address, register: Vector, lanes: A64Lanes, spare: Any) -> None:
        word, long = Z[register].s, Z[register].d
        (m.asm.uunpklo if compute == "f32" else m.asm.sunpklo)(long, word)
        if storage == "f64":
            (m.asm.fcvt if compute == "f32" else m.asm.scvtf)(long, _ALL.m, word if compute == "f32" else long)
        m.store(address, register, m.lanes(storage, lanes.count))

    return store


LOADS = loads(_load)
STORES = stores(_store)
WIDE_LOADS = {("f64", "f32"): _load_double}
WIDE_STORES = {pair: _wider(*pair) for pair in WIDER}


def splat(m: Any, dst: Vector, src: Vector, size: int, lanes: A64Lanes) -> None:
    """dst = the first element of src in every lane."""
    view = "s" if size == 32 else "d"
    m.asm.dup(getattr(Z[dst], view), getattr(Z[src], view)[0])


def _weights(m: Any, first: Vector, weights: Vector, shift: int, lanes: A64Lanes) -> str:
    """Load 1, 2, 4 and so on, from 2^shift on, into `weights`; destroys `first`."""
    view = _VIEWS[ELEMENT_BYTES[lanes.dtype]]
    if lanes.capacity > 32:
        raise UnsupportedError(
            f"masks stored as bits: at most 32 elements in a vector, and this machine has {lanes.capacity}; use a "
            "target with shorter vectors"
        )
    m.asm.index(getattr(Z[first], view), shift, 1)
    m.asm.dup(getattr(Z[weights], view), 1)
    m.asm.lsl(getattr(Z[weights], view), _ALL.m, getattr(Z[weights], view), getattr(Z[first], view))
    return view


def store_bits(m: Any, bits: BitStore) -> None:
    """Turn each element into its bit and sum the bits; bits are collected until a byte is complete."""
    mask, shift, lanes, gathered = bits.mask, bits.first_bit, bits.lanes, bits.gathered
    asm, (first, weights) = m.asm, bits.spare
    view = _weights(m, first, weights, shift, lanes)
    asm.dup(Z[first].d, 0)
    asm.sel(getattr(Z[weights], view), mask, getattr(Z[weights], view), getattr(Z[first], view))
    asm.uaddv(D[weights], lanes.mask, getattr(Z[weights], view))
    asm.fmov(_SCRATCH, D[weights])
    if shift:
        asm.orr(gathered, gathered, _SCRATCH)
    else:
        asm.mov(gathered, _SCRATCH)
    if bits.last or shift + lanes.count >= 8:
        low = lowest(gathered)
        for byte in range(-(-(shift + lanes.count) // 8)):
            if byte:
                asm.lsr(gathered, gathered, 8)
            asm.strb(low, mem[m.place(m.further(bits.address, byte))])


def load_bits(m: Any, mask: Any, address: A64Address, shift: int, lanes: A64Lanes, spare: Any) -> None:
    """Replicate the bytes and test each element's own bit."""
    first, weights = spare
    view = _weights(m, first, weights, shift, lanes)
    count = -(-(shift + lanes.count) // 8)
    if count == 3:
        raise UnsupportedError("a row that ends in a mask of 17 to 24 bits is not supported; 8, 16 or 32 bits work")
    verb = {1: "ld1rb", 2: "ld1rh", 4: "ld1rw"}[count]
    getattr(m.asm, verb)(listed(getattr(Z[first], view)), _ALL.z, mem[m.place(address)])
    m.asm.and_(Z[first].d, Z[first].d, Z[weights].d)
    m.asm.cmpne(getattr(mask, view), _ALL.z, getattr(Z[first], view), 0)
