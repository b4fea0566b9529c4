"""Conversions between stored and computed types, and masks stored as bits, on NEON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....encoder.a64.registers import D, Q, S, V, W, X, listed, mem
from ....encoder.a64.virtual import lowest
from ...codegen.selection import BitStore, Constant, Joined
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES, FLOAT8
from .conversions import WIDER, Load, Store, loads, stores
from .core import A64Address
from .lanes import A64Lanes

_SCRATCH = 16
_Steps = tuple[tuple[Any, ...], ...]  # instruction, views, immediate
_TO_WORDS: dict[str, _Steps] = {
    "i8": (("sshll", "h8", "b8", 0), ("sshll", "s4", "h4", 0)),
    **dict.fromkeys(("u8", *FLOAT8), (("ushll", "h8", "b8", 0), ("ushll", "s4", "h4", 0))),
    "i16": (("sshll", "s4", "h4", 0),),
    "u16": (("ushll", "s4", "h4", 0),),
    "bf16": (("shll", "s4", "h4", 16),),
    "f16": (("fcvtl", "s4", "h4"),),
    "f32": (),
    "i32": (),
}
_TO_LONG = {
    **dict.fromkeys(("bf16", "f16", "f32"), ("fcvtl", "d2", "s2")),
    **dict.fromkeys(("i8", "u8", "i16", "u16", "i32", *FLOAT8), ("sshll", "d2", "s2", 0)),
}
_FROM_LONG = {**dict.fromkeys(_TO_LONG, ("xtn", "s2", "d2")), "f32": ("fcvtn", "s2", "d2")}
_OF_WORDS: dict[str, _Steps] = {
    **dict.fromkeys(FLOAT8, (("xtn", "h4", "s4"), ("xtn", "b8", "h8"))),
    **dict.fromkeys(("bf16", "f16"), (("xtn", "h4", "s4"),)),
    "f32": (),
    "i32": (),
    "i8": (("sqxtn", "h4", "s4"), ("sqxtn", "b8", "h8")),
    "u8": (("sqxtun", "h4", "s4"), ("uqxtn", "b8", "h8")),
    "i16": (("sqxtn", "h4", "s4"),),
    "u16": (("sqxtun", "h4", "s4"),),
}
"""Conversions from 32-bit elements. Integers saturate."""
_WIDER = {
    ("f64", "f32"): (("fcvtl", "d2", "s2"),),
    ("f64", "i32"): (("sshll", "d2", "s2", 0), ("scvtf", "d2", "d2")),
    ("i64", "i32"): (("sshll", "d2", "s2", 0),),
}


def _widening(storage: str, compute: str) -> _Steps:
    steps = _TO_WORDS[storage]
    return (*steps, _TO_LONG[storage]) if ELEMENT_BYTES[compute] == 8 else steps


def _narrowing(storage: str, compute: str) -> _Steps:
    if ELEMENT_BYTES[compute] == 8:
        return (_FROM_LONG[storage], *_OF_WORDS[storage])
    return (("fcvtn", "h4", "s4"),) if storage == "f16" else _OF_WORDS[storage]


def _convert(m: Any, register: Vector, steps: _Steps) -> None:
    for name, to, of, *shift in steps:
        getattr(m.asm, name)(getattr(V[register], to), getattr(V[register], of), *shift)


def _load(storage: str, steps: _Steps) -> Load:
    def load(m: Any, register: Vector, address: A64Address, lanes: A64Lanes) -> None:
        m.load(register, address, m.lanes(storage, lanes.count))
        _convert(m, register, steps)

    return load


def _store(storage: str, steps: _Steps) -> Store:
    def store(m: Any, address: A64Address, register: Vector, lanes: A64Lanes, spare: Any) -> None:
        _convert(m, register, steps)
        m.store(address, register, m.lanes(storage, lanes.count))

    return store


LOADS = loads(lambda storage, compute: _load(storage, _widening(storage, compute)))
STORES = stores(lambda storage, compute: _store(storage, _narrowing(storage, compute)))
_JOINED = {
    "i8": (("sqxtn", "s4"), ("sqxtn", "h8")),
    "u8": (("sqxtun", "s4"), ("uqxtn", "h8")),
    "i16": (("sqxtn", "s4"),),
    "u16": (("sqxtun", "s4"),),
    "bf16": (("xtn", "s4"),),
}
# view of the source -> views of the lower half and of the whole result
_NARROW = {"s4": ("h4", "h8"), "h8": ("b8", "b16")}


def _joined(steps: tuple[tuple[str, str], ...]) -> Joined:
    """Store two or four vectors as one: the second instruction of a pair fills the upper half."""

    def store(m: Any, address: A64Address, registers: Sequence[Vector], lanes: A64Lanes, spare: Any) -> None:
        left = list(registers)
        for name, view in steps:
            half, whole = _NARROW[view]
            for low, high in zip(left[::2], left[1::2]):
                getattr(m.asm, name)(getattr(V[low], half), getattr(V[low], view))
                getattr(m.asm, f"{name}2")(getattr(V[low], whole), getattr(V[high], view))
            left = left[::2]
        m.store(address, registers[0], lanes)

    return Joined(2 ** len(steps), store)


JOINED = {(storage, compute): _joined(steps) for storage, steps in _JOINED.items() for compute in ("f32", "i32")}
BFLOAT = ("bf16", "f32")
BFLOAT_STORES = {BFLOAT: _store("bf16", (("bfcvtn", "h4", "s4"),))}
BFLOAT_JOINED = {BFLOAT: _joined((("bfcvtn", "s4"),))}
"""FEAT_BF16: conversions from f32 that follow FPCR."""
WIDE_LOADS = {("f64", "f32"): _load("f64", (("fcvtn", "s2", "d2"),))}
WIDE_STORES = {pair: _store(pair[0], _WIDER[pair]) for pair in WIDER}


def splat(m: Any, dst: Vector, src: Vector, size: int, lanes: A64Lanes) -> None:
    """dst = the first element of src in every lane."""
    to, of = ("s4", "s") if size == 32 else ("d2", "d")
    m.asm.dup(getattr(V[dst], to), getattr(V[src], of)[0])


def _weights(m: Any, register: Vector, shift: int, lanes: A64Lanes) -> tuple[str, str]:
    """Load 1, 2, 4 and so on, from 2^shift on; return the views of the elements and of their sum."""
    size = ELEMENT_BYTES[lanes.dtype] * 8
    m.asm.ldr(Q[register], m.asm.const(Constant(tuple(1 << shift + i for i in range(128 // size)), size).data(16)))
    return ("s4", "s") if size == 32 else ("d2", "d")


def store_bits(m: Any, bits: BitStore) -> None:
    """Turn each element into its bit and sum the bits; bits are collected until a byte is complete."""
    mask, shift, lanes, gathered = bits.mask, bits.first_bit, bits.lanes, bits.gathered
    asm, (weights, *_) = m.asm, bits.spare
    view, _ = _weights(m, weights, shift, lanes)
    asm.and_(V[weights].b16, V[weights].b16, V[mask].b16)
    if view == "s4":
        asm.addv(S[weights], V[weights].s4)
        asm.fmov(W[_SCRATCH], S[weights])
    else:
        asm.addp(D[weights], V[weights].d2)
        asm.fmov(X[_SCRATCH], D[weights])
    if lanes.count < 128 // 8 // ELEMENT_BYTES[lanes.dtype]:
        asm.and_(X[_SCRATCH], X[_SCRATCH], (1 << shift + lanes.count) - 1)
    if shift:
        asm.orr(gathered, gathered, X[_SCRATCH])
    else:
        asm.mov(gathered, X[_SCRATCH])
    if bits.last or shift + lanes.count >= 8:
        asm.strb(_low32(gathered), mem[m.place(bits.address)])


def _low32(register: Any) -> Any:
    return lowest(register)


def load_bits(m: Any, mask: Vector, address: A64Address, shift: int, lanes: A64Lanes, spare: Any) -> None:
    """Replicate the byte and test each element's own bit."""
    view, _ = _weights(m, spare[0], shift, lanes)
    m.asm.ld1r(listed(V[mask].b16), mem[m.place(address)])
    m.asm.cmtst(getattr(V[mask], view), getattr(V[mask], view), getattr(V[spare[0]], view))
