"""Conversions between stored and computed types, and masks stored as bits, on AVX2 and AVX-512.

A load of a whole register converts from memory; a partial load is followed by its conversion. Stores of i32 to narrower
integers saturate. AVX2 narrows by packing instructions, which work within each 128-bit lane, so vpermq joins the lanes
of a 256-bit vector afterwards. AVX-512 stores to unsigned types take unsigned words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....encoder.x86.registers import R8, R16, R32, XMM, YMM, ZMM, Mem, Reg, mem
from ....encoder.x86.virtual import lowest
from ...codegen.selection import BitStore, Constant, Joined
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES, FLOAT8
from .core import X86Address, X86Lanes

_FILES = {128: XMM, 256: YMM, 512: ZMM}
_EXTEND = {
    "i8": "vpmovsxbd",
    "u8": "vpmovzxbd",
    "i16": "vpmovsxwd",
    "u16": "vpmovzxwd",
    "bf16": "vpmovzxwd",
    "f16": "vcvtph2ps",
    **dict.fromkeys(FLOAT8, "vpmovzxbd"),
}
_EXTEND_LONG = {
    "i8": "vpmovsxbq",
    "u8": "vpmovzxbq",
    "i16": "vpmovsxwq",
    "u16": "vpmovzxwq",
    "i32": "vpmovsxdq",
    "f32": "vcvtps2pd",
    **dict.fromkeys(FLOAT8, "vpmovzxbq"),
}
_WHOLE = ("i8", "u8", "i16", "u16")
_HALVES = ("bf16", "f16")
_RAX32, _RAX16, _RAX8 = R32[0], R16[0], R8[0]

Load = Callable[[Any, Vector, X86Address, X86Lanes], None]
Store = Callable[[Any, X86Address, Vector, X86Lanes, Any], None]


def _part(register: Vector, storage: str, lanes: X86Lanes) -> Reg:
    """Return the register that holds the lanes' elements in the storage type."""
    bits = lanes.capacity * ELEMENT_BYTES[storage] * 8
    return _FILES[max(128, bits)][register]


def _load(storage: str, names: dict[str, str] = _EXTEND) -> Load:
    def load(m: Any, register: Vector, address: X86Address, lanes: X86Lanes) -> None:
        extend, dst = getattr(m.asm, names[storage]), lanes.ops.file[register]
        if lanes.full:
            extend(dst, mem(*address))
        else:
            m.load(register, address, m.lanes(storage, lanes.count))
            extend(dst, _part(register, storage, lanes))
        if storage == "bf16":
            m.asm.vpslld(dst, dst, 16)

    return load


def _load_by_single(storage: str) -> Load:
    """Load bf16 and f16 for f64 through f32, which is exact."""

    def load(m: Any, register: Vector, address: X86Address, lanes: X86Lanes) -> None:
        extend, single = getattr(m.asm, _EXTEND[storage]), _part(register, "f32", lanes)
        if lanes.full and lanes.capacity > 2:  # the instruction reads four elements into a 128-bit register
            extend(single, mem(*address))
        else:
            m.load(register, address, m.lanes(storage, lanes.count))
            extend(single, XMM[register])
        if storage == "bf16":
            m.asm.vpslld(single, single, 16)
        m.asm.vcvtps2pd(lanes.ops.file[register], single)

    return load


LOADS = {
    **{(storage, "f32"): _load(storage) for storage in (*_WHOLE, *_HALVES, *FLOAT8)},
    **{(storage, "i32"): _load(storage) for storage in _WHOLE},
    **{(storage, "f64"): _load(storage, _EXTEND_LONG) for storage in (*_WHOLE, "i32", "f32", *FLOAT8)},
    **{(storage, "i64"): _load(storage, _EXTEND_LONG) for storage in (*_WHOLE, "i32")},
    **{(storage, "f64"): _load_by_single(storage) for storage in _HALVES},
}


def load_same(m: Any, register: Vector, address: X86Address, lanes: X86Lanes) -> None:
    """Load i32 for f32 and i64 for f64 without conversion, because the expression contains it."""
    m.load(register, address, lanes)


LOADS["i32", "f32"] = LOADS["i64", "f64"] = load_same


def _load_double(m: Any, register: Vector, address: X86Address, lanes: X86Lanes) -> None:
    of_double = m.lanes("f64", lanes.count)
    m.load(register, address, of_double)
    m.asm.vcvtpd2ps(_part(register, "f32", of_double), of_double.ops.file[register])


WIDE_LOADS = {("f64", "f32"): _load_double}


def store_same(m: Any, address: X86Address, register: Vector, lanes: X86Lanes, spare: Any) -> None:
    """Store a type of the same size without conversion, because the expression contains it."""
    m.store(address, register, lanes)


def _converted(storage: str, convert: Callable[[Any, Vector, X86Lanes], None]) -> Store:
    def store(m: Any, address: X86Address, register: Vector, lanes: X86Lanes, spare: Any) -> None:
        convert(m, register, lanes)
        m.store(address, register, m.lanes(storage, lanes.count))

    return store


def _wider(storage: str, name: str) -> Store:
    """Store elements twice as wide as the computed ones, in chunks of a register of the stored type."""

    def store(m: Any, address: X86Address, register: Vector, lanes: X86Lanes, spare: Any) -> None:
        wide = m.lanes(storage, lanes.count)
        getattr(m.asm, name)(wide.ops.file[register], _part(register, "f32", wide))
        m.store(address, register, wide)

    return store


WIDE_STORES = {
    ("f64", "f32"): _wider("f64", "vcvtps2pd"),
    ("f64", "i32"): _wider("f64", "vcvtdq2pd"),
    ("i64", "i32"): _wider("i64", "vpmovsxdq"),
}


def _to_half(m: Any, register: Vector, lanes: X86Lanes) -> None:
    m.asm.vcvtps2ph(_part(register, "f16", lanes), lanes.ops.file[register], 0)


def _to_single(m: Any, register: Vector, lanes: X86Lanes) -> None:
    m.asm.vcvtpd2ps(_part(register, "f32", lanes), lanes.ops.file[register])


def _pack(name: str, *then: str) -> Callable[[Any, Vector, X86Lanes], None]:
    """AVX2: pack words to half their width, and with two instructions to a quarter."""

    def convert(m: Any, register: Vector, lanes: X86Lanes) -> None:
        whole = lanes.ops.file[register]
        getattr(m.asm, name)(whole, whole, whole)
        _join(m, whole)
        for narrower in then:
            getattr(m.asm, narrower)(XMM[register], XMM[register], XMM[register])

    return convert


def _join(m: Any, whole: Reg) -> None:
    """Put the low 64 bits of both 128-bit lanes side by side."""
    if whole.file == "ymm":
        m.asm.vpermq(whole, whole, 0x08)


def _low_words(m: Any, register: Vector, lanes: X86Lanes) -> None:
    whole = lanes.ops.file[register]
    m.asm.vshufps(whole, whole, whole, 0x88)
    _join(m, whole)


def _pack_long(*then: str) -> Callable[[Any, Vector, X86Lanes], None]:
    """AVX2: take the low words of 64-bit elements, then pack them."""

    def convert(m: Any, register: Vector, lanes: X86Lanes) -> None:
        _low_words(m, register, lanes)
        for narrower in then:
            getattr(m.asm, narrower)(XMM[register], XMM[register], XMM[register])

    return convert


def _truncate(name: str, storage: str) -> Callable[[Any, Vector, X86Lanes], None]:
    """AVX-512: truncate each element to its low bits."""

    def convert(m: Any, register: Vector, lanes: X86Lanes) -> None:
        getattr(m.asm, name)(_part(register, storage, lanes), lanes.ops.file[register])

    return convert


def _narrowing(name: str, storage: str) -> Store:
    """AVX-512: convert a whole register on its way to memory."""

    def store(m: Any, address: X86Address, register: Vector, lanes: X86Lanes, spare: Any) -> None:
        if lanes.full:
            getattr(m.asm, name)(mem(*address), lanes.ops.file[register])
            return
        getattr(m.asm, name)(_part(register, storage, lanes), lanes.ops.file[register])
        m.store(address, register, m.lanes(storage, lanes.count))

    return store


_SAME = (("i32", "f32"), ("f32", "i32"), ("i64", "f64"), ("f64", "i64"))
_FLOAT_STORES = {
    **dict.fromkeys(_SAME, store_same),
    **dict.fromkeys((("f16", "f32"), ("f16", "i32")), _converted("f16", _to_half)),
    **dict.fromkeys((("f32", "f64"), ("f32", "i64")), _converted("f32", _to_single)),
}
_PACKED = {
    "bf16": ("vpackusdw",),
    "u16": ("vpackusdw",),
    "i16": ("vpackssdw",),
    "i8": ("vpackssdw", "vpacksswb"),
    **dict.fromkeys(("u8", *FLOAT8), ("vpackssdw", "vpackuswb")),
}
_NARROWED = {
    "bf16": "vpmovdw",
    **dict.fromkeys(FLOAT8, "vpmovdb"),
    "u16": "vpmovusdw",
    "i16": "vpmovsdw",
    "i8": "vpmovsdb",
    "u8": "vpmovusdb",
}
_PACKED_LONG = {**_PACKED, "f16": ("vpackusdw",), "i32": ()}
_TRUNCATED_LONG = {
    **dict.fromkeys(("bf16", "f16", "u16", "i16"), "vpmovqw"),
    "i32": "vpmovqd",
    **dict.fromkeys(("i8", "u8", *FLOAT8), "vpmovqb"),
}

_Convert = Callable[[Any, Vector, X86Lanes], None]


def _stores(of_word: dict[str, _Convert], of_long: dict[str, _Convert]) -> dict[tuple[str, str], Store]:
    stores = dict(_FLOAT_STORES)
    for computed, table in ((("f32", "i32"), of_word), (("f64", "i64"), of_long)):
        for storage, convert in table.items():
            stores |= dict.fromkeys(((storage, compute) for compute in computed), _converted(storage, convert))
    return stores


PACKING_STORES = _stores(
    {storage: _pack(*names) for storage, names in _PACKED.items()},
    {storage: _pack_long(*names) for storage, names in _PACKED_LONG.items()},
)
"""The stores of AVX2."""
SATURATING_STORES = _stores({}, {storage: _truncate(name, storage) for storage, name in _TRUNCATED_LONG.items()}) | {
    (storage, compute): _narrowing(name, storage) for storage, name in _NARROWED.items() for compute in ("f32", "i32")
}
"""The stores of AVX-512."""


# Several vectors stored as one: packing interleaves their parts, and a permutation restores the order.

_PACKS = {
    "bf16": ("vpackusdw",),
    "u16": ("vpackusdw",),
    "i16": ("vpackssdw",),
    "i8": ("vpackssdw", "vpacksswb"),
    "u8": ("vpackssdw", "vpackuswb"),
}


def _packed(storage: str) -> Joined:
    """Store i32 of several vectors, saturated, by packing pairs."""
    names = _PACKS[storage]

    def store(m: Any, address: X86Address, registers: Sequence[Vector], lanes: X86Lanes, spare: Any) -> None:
        file = lanes.ops.file
        left = [file[register] for register in registers]
        for name in names:
            for low, high in zip(left[::2], left[1::2]):
                getattr(m.asm, name)(low, low, high)
            left = left[::2]
        _in_order(m, left[0], spare, len(registers), lanes)
        m.store(address, registers[0], lanes)

    return Joined(2 ** len(names), store)


def _in_order(m: Any, packed: Reg, spare: Sequence[Vector], vectors: int, lanes: X86Lanes) -> None:
    """Put the 128-bit parts of each vector side by side. The words have 64 bits for two vectors and 32 bits for
    four."""
    groups, size = lanes.ops.bits // 128, 8 if vectors == 2 else 4
    if vectors == 2 and groups == 2:
        m.asm.vpermq(packed, packed, 0xD8)
        return
    places = [group * vectors + vector for vector in range(vectors) for group in range(groups)]
    index = lanes.ops.file[spare[0]]
    m.asm.vmovups(index, Mem(label=m.asm.const(b"".join(place.to_bytes(size, "little") for place in places))))
    (m.asm.vpermq if size == 8 else m.asm.vpermd)(packed, index, packed)


def _narrowing_signed(name: str, storage: str) -> Store:
    """AVX-512: store signed words to an unsigned type."""
    narrowing = _narrowing(name, storage)

    def store(m: Any, address: X86Address, register: Vector, lanes: X86Lanes, spare: Any) -> None:
        whole, zero = lanes.ops.file[register], lanes.ops.file[spare[0]]
        m.zero(spare[0], lanes)
        m.asm.vpmaxsd(whole, whole, zero)
        narrowing(m, address, register, lanes, spare)

    return store


def _rounded_bfloats(m: Any, address: X86Address, registers: Sequence[Vector], lanes: X86Lanes, spare: Any) -> None:
    low, high = (lanes.ops.file[register] for register in registers)
    m.asm.vcvtne2ps2bf16(low, high, low)
    m.store(address, registers[0], lanes)


def _rounded_bfloat(m: Any, register: Vector, lanes: X86Lanes) -> None:
    m.asm.vcvtneps2bf16(_part(register, "bf16", lanes), lanes.ops.file[register])


JOINED = {(storage, compute): _packed(storage) for storage in _PACKS for compute in ("f32", "i32")}
"""AVX2 stores of two or four whole vectors."""
NARROW_JOINED = {
    types: joined._replace(narrow_alone=True)
    for types, joined in JOINED.items()
    if types not in (("i8", "f32"), ("i16", "f32"))
}
"""AVX-512 stores of two or four whole vectors, except f32 to signed integers, which takes six instructions before
packing."""
SIGNED_STORES = SATURATING_STORES | {
    (storage, compute): _narrowing_signed(_NARROWED[storage], storage)
    for storage in ("u8", "u16")
    for compute in ("f32", "i32")
}
"""AVX-512 stores that take signed words, as packs do, for unsigned types too."""
BFLOAT = ("bf16", "f32")
BFLOAT_STORES = {BFLOAT: _converted("bf16", _rounded_bfloat)}
BFLOAT_JOINED = {BFLOAT: Joined(2, _rounded_bfloats)}
"""AVX512_BF16: stores from f32 that flush denormals to zero."""


def splat(m: Any, dst: Vector, src: Vector, size: int, lanes: X86Lanes) -> None:
    """dst = the first element of src in every lane."""
    broadcast = m.asm.vbroadcastss if size == 32 else m.asm.vpbroadcastq
    broadcast(lanes.ops.file[dst], XMM[src])


# Masks as bits


def _gather_bits(m: Any, bits: BitStore) -> None:
    """Append the bits in eax to those collected so far; store complete bytes, and the last one."""
    address, shift, lanes = bits.address, bits.first_bit, bits.lanes
    asm, dword = m.asm, lowest(bits.gathered)
    if not lanes.full:
        asm.and_(_RAX32, (1 << lanes.count) - 1)
    if lanes.capacity >= 8 and shift == 0:
        if lanes.count > 8:
            asm.mov(_sized(address, 16), _RAX16)
        else:
            asm.mov(_sized(address, 8), _RAX8)
        return
    if shift:
        asm.shl(_RAX32, shift)
        asm.or_(dword, _RAX32)
    else:
        asm.mov(dword, _RAX32)
    if bits.last or shift + lanes.count >= 8:
        asm.mov(_RAX32, dword)
        asm.mov(_sized(address, 8), _RAX8)


def _sized(address: X86Address, size: int) -> Mem:
    base, disp, index, scale = address
    return mem(base, disp, index, scale, size=size)


def store_mask_bits(m: Any, bits: BitStore) -> None:
    """AVX-512: store the bits of a mask register, without those beyond the elements, which `not` sets."""
    m.asm.kmovw(_RAX32, bits.mask)
    if bits.lanes.full and bits.lanes.capacity < 8:
        m.asm.and_(_RAX32, (1 << bits.lanes.capacity) - 1)
    _gather_bits(m, bits)


def store_sign_bits(m: Any, bits: BitStore) -> None:
    """AVX2: store the sign bits of a mask vector."""
    name = "vmovmskps" if ELEMENT_BYTES[bits.lanes.dtype] == 4 else "vmovmskpd"
    getattr(m.asm, name)(_RAX32, bits.lanes.ops.file[bits.mask])
    _gather_bits(m, bits)


def load_mask_bits(m: Any, mask: Reg, address: X86Address, shift: int, lanes: X86Lanes, spare: Any) -> None:
    """AVX-512: load one or two bytes; bits beyond the elements are ignored."""
    load = m.asm.kmovw if lanes.count > 8 else m.asm.kmovb
    load(mask, mem(*address))


def load_sign_bits(m: Any, mask: Vector, address: X86Address, shift: int, lanes: X86Lanes, spare: Any) -> None:
    """AVX2: replicate the byte and test each element's own bit."""
    size = ELEMENT_BYTES[lanes.dtype] * 8
    weights = Constant(tuple(1 << shift + i for i in range(256 // size)), size).data(32)
    dst, weight = lanes.ops.file[mask], Mem(label=m.asm.const(weights))
    m.asm.vpbroadcastb(dst, mem(*address))
    m.asm.vpand(dst, dst, weight)
    getattr(m.asm, "vpcmpeqd" if size == 32 else "vpcmpeqq")(dst, dst, weight)
