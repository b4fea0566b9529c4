"""Registers and memory operands of x86-64.

z1.k(k1)  z1.kz(k1)                  masked: merging, zeroing
ptr[rax + rcx*4 + 8]                 memory whose size the instruction implies
dword[rax]  qword[...]  xmmword[..]  memory of a stated size
ptr[rax].bcast                       one element, broadcast to the number that the instruction takes (EVEX)
ptr[rax].to(4)                       one element, broadcast to 4: where the other operands leave the number open
ptr[label]                           rip-relative
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from operator import attrgetter, or_
from typing import Any

from ..errors import EncodeError, FarDisplacement, shown
from ..operands import Label, Unique, integer, number
from . import words

# A register's contribution to the word of each encoding in each role; the index is encoding * 8 + role.
_CODE = [(0,) * 24]
for _bit in range(5):  # a number's contribution is that of its bits
    _one = [fields[role].insert(1 << _bit) if role in fields else 0 for fields in words.FIELDS for role in range(8)]
    _CODE += [tuple(map(or_, _one, code)) for code in _CODE]
_EVEX_SLOTS = range(words.EVEX * 8, words.EVEX * 8 + 8)
_VECTOR = {"xmm", "ymm", "zmm"}
# Registers that some opcode implies have their own kinds, so that no cached form is mistaken for theirs.
IMPLIED = {"al", "cl", "ax", "dx", "eax", "rax", "xmm0"}
UNENCODED = "~"
"""Ends the kind of operands that name virtual registers (`virtual.py`), which no form encodes."""


class X86Operand(Unique):
    """Any operand of x86-64 except labels and numbers."""

    __slots__ = ("kind",)


class Reg(X86Operand):
    """A register. `file` is its register file and width: r8, r16, r32, r64, xmm, ymm, zmm, k, tmm."""

    __slots__ = ("name", "file", "num", "width", "code", "mask", "zeroing", "_masked")

    def __init__(self, name: str, file: str, num: int, width: int) -> None:
        self.name, self.file, self.num, self.width = name, file, num, width
        self.mask: Reg | None = None
        self.zeroing = False
        self._masked: dict[tuple[Reg, bool], Reg] = {}
        self.kind = name if name in IMPLIED else file + ("+" if file in _VECTOR and num >= 16 else "")
        self.code: tuple[int, ...] = _CODE[num]

    def k(self, mask: Reg) -> Reg:
        """This register under a merging mask k1..k7."""
        return self._under(mask, False)

    def kz(self, mask: Reg) -> Reg:
        """This register under a zeroing mask k1..k7."""
        return self._under(mask, True)

    def _under(self, mask: Reg, zeroing: bool) -> Reg:
        if not isinstance(mask, Reg):
            raise EncodeError(f"{self}: a mask is one of k1..k7, not {shown(mask)}")
        found = self._masked.get((mask, zeroing))
        if found is None:
            found = self._make_masked(mask, zeroing)
            if mask.code or not self.code:  # a register of the processor outlives virtual ones
                self._masked[mask, zeroing] = found
        return found

    def _make_masked(self, mask: Reg, zeroing: bool) -> Reg:
        if self.file not in _VECTOR | {"k"} or self.mask is not None or not _masks(mask):
            raise EncodeError(f"{self}: a mask is one of k1..k7 on an unmasked vector or mask register, not {mask}")
        reg = self._decorated()
        reg.mask, reg.zeroing = mask, zeroing
        reg.kind += ("{kz}" if zeroing else "{k}") + ("" if mask.code else UNENCODED)
        if not self.code:
            return reg
        bits = words.EVEX_MASK.insert(mask.num) | words.EVEX_ZEROING.insert(int(zeroing))
        code = reg.code
        reg.code = (*code[: _EVEX_SLOTS.start], *[code[slot] | bits for slot in _EVEX_SLOTS], *code[_EVEX_SLOTS.stop :])
        return reg

    def _decorated(self) -> Reg:
        """Return the register as an object of its own, which a mask is added to."""
        return Reg(self.name, self.file, self.num, self.width)

    def __add__(self, other: Reg | Address | int) -> Address:
        return Address(base=self) + other

    def __sub__(self, other: int) -> Address:
        return Address(base=self, disp=-integer(other, "displacement"))

    def __mul__(self, scale: int) -> Address:
        return Address(index=self, scale=scale)

    __radd__, __rmul__ = __add__, __mul__  # listings print 4*rax

    def __repr__(self) -> str:
        decoration = f" {{{self.mask.name}}}" + ("{z}" if self.zeroing else "") if self.mask else ""
        return self.name + decoration


def _masks(operand: Any) -> bool:
    """Whether the operand is a mask register that can mask an instruction."""
    return isinstance(operand, Reg) and operand.file == "k" and operand.num > 0 and operand.mask is None


def _indexes(operand: Any) -> bool:
    """Whether the operand is a register that an address can scale."""
    if not isinstance(operand, Reg) or operand.mask is not None:
        return False
    return operand.file in _VECTOR or (operand.file == "r64" and operand.num != 4)


class Address:
    """base + index * scale + disp, as written between brackets."""

    __slots__ = ("base", "index", "scale", "disp")

    def __init__(self, base: Reg | None = None, index: Reg | None = None, scale: int = 1, disp: int = 0) -> None:
        if not type(scale) is type(disp) is int:
            scale, disp = integer(scale, "scale"), integer(disp, "displacement")
        self.base, self.index, self.scale, self.disp = base, index, scale, disp
        if not (base is None or isinstance(base, Reg)) or not (index is None or isinstance(index, Reg)):
            wrong = index if base is None or isinstance(base, Reg) else base
            raise EncodeError(f"{shown(wrong)}: an address is a sum of registers and integers")

    def __add__(self, other: Reg | Address | int) -> Address:
        if isinstance(other, Reg):
            other = Address(base=other)
        if not isinstance(other, Address):
            return Address(self.base, self.index, self.scale, self.disp + integer(other, "displacement"))
        base, index, scale = self.base, self.index or other.index, other.scale if other.index else self.scale
        if (self.index and other.index) or (base and other.base and index):
            raise EncodeError("an address has one base and one index")
        if base is None:
            base = other.base
        elif other.base is not None:
            index, scale = other.base, 1
        return Address(base, index, scale, self.disp + other.disp)

    __radd__ = __add__

    def __sub__(self, other: int) -> Address:
        return self + -integer(other, "displacement")


# A memory operand's contribution to the word of each encoding, indexed by the high bit of its base.
_BASE_CODE = [tuple(base.insert(high << 3) for base in words.MEM_BASE) for high in range(2)]
_BROADCAST_CODE = [(vex, evex | words.EVEX_BROADCAST.insert(1), legacy) for vex, evex, legacy in _BASE_CODE]

BYTES = tuple([bytes((number,)) for number in range(256)])
_MEM_FIELDS = ("base", "disp", "index", "scale", "size", "broadcast", "label", "mask", "rip")
_FIELDS_OF = attrgetter(*_MEM_FIELDS)
_SIZES = (0, 8, 16, 32, 64, 80, 128, 256, 512)
_BROADCASTS = (2, 4, 8, 16, 32)  # numbers of elements
_BROADCAST, _MASKED = words.EVEX_BROADCAST.insert(1), tuple(map(words.EVEX_MASK.insert, range(8)))


class Mem(X86Operand):
    """A memory operand. `size` is in bits, 0 if the instruction implies it.

    `rip`: the displacement counts from the end of the instruction (for a label it always does). `broadcast` is the
    number of elements that one element is broadcast to: 0 for none, 1 (or True) for the number that the instruction
    takes.
    """

    __slots__ = (*_MEM_FIELDS, "rm", "sib", "code")

    def __init__(
        self,
        base: Reg | None = None,
        disp: int = 0,
        index: Reg | None = None,
        scale: int = 1,
        size: int = 0,
        broadcast: int = 0,
        label: Label | None = None,
        mask: Reg | None = None,
        rip: bool = False,
    ) -> None:
        self.rip = rip
        self.base, self.index, self.scale, self.disp = base, index, scale, disp
        self.size, self.broadcast, self.label, self.mask = size, broadcast, label, mask
        if not type(disp) is type(size) is type(broadcast) is int:
            disp, size, broadcast = self._count()
        if not -0x8000_0000 <= disp <= 0x7FFF_FFFF:
            raise FarDisplacement(f"displacement {shown(disp)} does not fit 32 bits")
        self.sib = b""
        if type(base) is Reg and index is None and label is None and base.file == "r64" and rip is False:
            n = base.num
            self.kind = "m"
            self.rm = n & 7
            if self.rm == 4:
                self.sib = b"\x24"
            self.code = _BASE_CODE[n >> 3]
            if broadcast == 1 and not size and mask is None:
                self.kind, self.code = "b", _BROADCAST_CODE[n >> 3]
                return
        else:
            self._general()
        if size or broadcast or mask is not None:
            self._decorate()

    def _count(self) -> tuple[int, int, int]:
        """Convert displacement, size and broadcast to Python integers."""
        self.disp, self.size = integer(self.disp, "displacement"), integer(self.size, "size")
        if type(self.broadcast) is bool:
            self.broadcast = int(self.broadcast)
        self.broadcast = integer(self.broadcast, "broadcast")
        return self.disp, self.size, self.broadcast

    def _general(self) -> None:
        base, index = self.base, self.index
        self.kind, self.rm, self.code = "m", 5, _BASE_CODE[0]
        if type(self.rip) is not bool:
            raise EncodeError(f"rip {shown(self.rip)}: True or False")
        if self.label is not None:
            self.kind = "m@"
            if not isinstance(self.label, Label):
                raise EncodeError(f"{shown(self.label)}: is not a label")
            if base is not None or index is not None:
                raise EncodeError(f"{self.label}: a label is addressed relative to rip, without base and index")
            return
        if base is not None and (not isinstance(base, Reg) or base.file != "r64"):
            raise EncodeError(f"{shown(base)}: a base is a 64-bit general register")
        if self.rip:  # mod 0, rm 5, and no SIB byte
            if base is not None or index is not None:
                raise EncodeError("rip True: an address relative to rip has neither base nor index")
            return
        self.rm = 4
        low_base = 5 if base is None else base.num & 7
        if base is not None:
            self.code = _BASE_CODE[base.num >> 3]
            self.kind += "" if base.code else UNENCODED
        if index is None:
            self.sib = bytes([words.SIB_INDEX.insert(4) | low_base])
            return
        if not _indexes(index):
            what = "an index is a 64-bit general register except rsp, or a vector (gathers)"
            raise EncodeError(f"{shown(index)}: {what}")
        self.scale = integer(self.scale, "scale")
        if self.scale not in (1, 2, 4, 8):
            raise EncodeError(f"scale {shown(self.scale)}: one of 1, 2, 4, 8")
        if index.file != "r64":
            self.kind = "v" + index.file[0] + ("+" if index.num > 15 else "") + self.kind[1:]
        self.kind += "" if index.code else UNENCODED
        self.code = tuple(b | i.insert(index.num) for b, i in zip(self.code, words.MEM_INDEX))
        scale = self.scale.bit_length() - 1
        self.sib = bytes([words.SIB_SCALE.insert(scale) | words.SIB_INDEX.insert(index.num & 7) | low_base])

    def _decorate(self) -> None:
        decoration = 0
        if self.mask is not None and not _masks(self.mask):
            raise EncodeError(f"{shown(self.mask)}: memory is masked by one of k1..k7")
        if self.size not in _SIZES:
            raise EncodeError(f"size {shown(self.size)}: one of {', '.join(map(str, _SIZES))} bits")
        if self.broadcast not in (0, 1, *_BROADCASTS):
            raise EncodeError(f"broadcast {shown(self.broadcast)}: 1, 2, 4, 8, 16 or 32")
        if self.broadcast:
            if self.kind[0] != "m":
                raise EncodeError(f"{self}: addresses with a vector index are not broadcast")
            self.kind = "b" + self.kind[1:] + (f"*{self.broadcast}:" if self.broadcast > 1 else "")
            decoration = _BROADCAST
        if self.size:
            self.kind += str(self.size)
        if self.mask is not None:
            self.kind += "{k}" + ("" if self.mask.code else UNENCODED)
            decoration |= _MASKED[self.mask.num]
        vex, evex, legacy = self.code
        self.code = vex, evex | decoration, legacy

    def tail(self, n: int, modrm_shift: int) -> tuple[int, bytes]:
        """Return (mod and rm bits, shifted to modrm; SIB and displacement). disp8 counts in units of `n` bytes."""
        disp, rm, base = self.disp, self.rm, self.base
        if base is not None:
            if disp == 0 and base.num & 7 != 5:
                return rm << modrm_shift, self.sib
            if disp % n == 0 and -128 <= (quotient := disp // n) <= 127:
                return (0x40 | rm) << modrm_shift, self.sib + BYTES[quotient]  # a negative index counts from 256
            return (0x80 | rm) << modrm_shift, self.sib + disp.to_bytes(4, "little", signed=True)
        if self.label is not None:
            return rm << modrm_shift, b"\0\0\0\0"
        return rm << modrm_shift, self.sib + disp.to_bytes(4, "little", signed=True)

    def _with(self, **change: Any) -> Mem:
        return Mem(**{**dict(zip(_MEM_FIELDS, _FIELDS_OF(self))), **change})

    @property
    def bcast(self) -> Mem:
        """One element, broadcast to the vector."""
        return self._with(broadcast=1)

    def to(self, count: int) -> Mem:
        """One element, broadcast to `count`: for instructions that take several lengths, such as vcvtpd2ps."""
        exact = number(count)
        if type(exact) is not int or exact not in _BROADCASTS:
            raise EncodeError(f"{self}: an element is broadcast to 2, 4, 8, 16 or 32, not {shown(count)}")
        return self._with(broadcast=exact)

    @property
    def vague(self) -> str:
        """How to state a size that this operand leaves open; empty if it is stated."""
        if self.broadcast:
            return "" if self.broadcast > 1 else f"{self!r}.to(...)".replace("{1toN}", "")
        return "" if self.size else "dword[...]"

    def k(self, mask: Reg) -> Mem:
        """This memory operand under a mask: elements whose mask bit is clear are not accessed."""
        if mask is None:
            raise EncodeError(f"{self}: None: memory is masked by one of k1..k7")
        return self._with(mask=mask)

    def kz(self, mask: Reg) -> Mem:
        """Raise an error: a masked store leaves the other elements unchanged, and a load zeroes through its register's
        mask."""
        raise EncodeError(f"{self}: memory cannot be zero-masked, write .k({shown(mask)}) or mask the register")

    def offset(self, disp: int) -> Mem:
        """The operand `disp` bytes further on."""
        return self._with(disp=self.disp + integer(disp, "displacement"))

    def at(self, disp: int, label: Label | None = None) -> Mem:
        """The operand with another displacement, and another label if it has one; all the rest is not checked again."""
        if type(disp) is not int or not -0x8000_0000 <= disp <= 0x7FFF_FFFF:
            return self._with(disp=disp)
        made: Mem = object.__new__(Mem)
        made.label = self.label if label is None else label
        made.base, made.index, made.scale, made.disp = self.base, self.index, self.scale, disp
        made.size, made.broadcast, made.mask = self.size, self.broadcast, self.mask
        made.rip, made.kind, made.rm, made.sib, made.code = self.rip, self.kind, self.rm, self.sib, self.code
        return made

    def __repr__(self) -> str:
        parts = [self.label.name] if self.label else ["rip"] if self.rip else []
        parts += [self.base.name] if self.base else []
        parts += [f"{self.index.name}*{self.scale}"] if self.index else []
        text = " + ".join(parts)
        if self.disp or not text:
            sign = (" - " if self.disp < 0 else " + ") if text else ""
            text += f"{sign}{abs(self.disp) if text else self.disp}"
        size = f"m{self.size}" if self.size else ""
        count = str(self.broadcast) if self.broadcast > 1 else "N"
        broadcast = f"{{1to{count}}}" if self.broadcast else ""
        return f"{size}[{text}]{broadcast}" + (f" {{{self.mask.name}}}" if self.mask else "")


_FAR_FIELDS = ("base", "disp", "index", "scale", "size", "broadcast", "mask")


class Far(Mem):
    """Memory at a displacement that no instruction encodes. Some assemblers compute the address in a register; the
    others raise FarDisplacement."""

    __slots__ = ()

    def __init__(
        self,
        base: Reg,
        disp: int,
        index: Reg | None = None,
        scale: int = 1,
        size: int = 0,
        broadcast: int = 0,
        mask: Reg | None = None,
    ) -> None:
        self.base, self.disp, self.index, self.scale = base, disp, index, scale
        self.size, self.broadcast, self.mask, self.label, self.rip = size, broadcast, mask, None, False

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Raise FarDisplacement: assemblers ask for the kind of an operand that they encode."""
        raise FarDisplacement(f"displacement {self.disp} does not fit 32 bits")

    def near(self, base: Reg, index: Reg | None) -> Mem:
        """The operand with a base that includes the displacement, and the index if that is None."""
        return Mem(base, 0, index, self.scale, self.size, self.broadcast, None, self.mask)

    def _with(self, **change: Any) -> Mem:
        fields = dict(zip(_FAR_FIELDS, attrgetter(*_FAR_FIELDS)(self))) | change
        made: type[Mem] = Mem if -0x8000_0000 <= fields["disp"] <= 0x7FFF_FFFF else Far
        return made(**fields)

    def at(self, disp: int, label: Label | None = None) -> Mem:
        """The operand with another displacement."""
        return self._with(disp=disp)


@lru_cache(maxsize=1 << 14, typed=True)
def mem(base: Reg, disp: int = 0, index: Reg | None = None, scale: int = 1, broadcast: int = 0, size: int = 0) -> Mem:
    """The memory operand at base + index * scale + disp. Equal operands are one object, so that they encode fast. A
    displacement may have more than 32 bits, if the assembler knows `Far` operands."""
    if type(disp) is int and not -0x8000_0000 <= disp <= 0x7FFF_FFFF:
        return Far(base, disp, index, scale, size, broadcast)
    if disp != 0:
        return mem(base, 0, index, scale, broadcast, size).at(disp)
    return Mem(base, disp, index, scale, size, broadcast)


class _SizedBrackets:
    """`ptr[...]`: makes a Mem of a fixed size from an address, a register, a label or an absolute int."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __getitem__(self, address: Address | Reg | Label | int) -> Mem:
        if isinstance(address, Label):
            return Mem(label=address, size=self.size)
        if isinstance(address, Reg):
            address = Address(base=address)
        if not isinstance(address, Address):
            exact = number(address)
            if type(exact) is not int:
                raise EncodeError(f"[{shown(address)}]: an address is a sum of registers and integers, or a label")
            return Mem(disp=exact, size=self.size)
        base, index, scale = address.base, address.index, address.scale
        if index is not None and base is not None and index.name == "rsp" and scale == 1:
            base, index = index, base  # rsp cannot be an index, and the sum is the same
        return Mem(base, address.disp, index, scale, self.size)


ptr, byte, word, dword, qword = (_SizedBrackets(size) for size in (0, 8, 16, 32, 64))
xmmword, ymmword, zmmword = (_SizedBrackets(size) for size in (128, 256, 512))


class StaticRounding(X86Operand):
    """Static rounding or exception suppression, the last operand of an EVEX instruction."""

    __slots__ = ("name", "rc")

    def __init__(self, name: str, rc: int) -> None:
        self.name, self.kind, self.rc = name, name, rc

    def __repr__(self) -> str:
        return f"{{{self.name}}}"


rn_sae, rd_sae, ru_sae, rz_sae = (StaticRounding(f"{n}-sae", i) for i, n in enumerate(("rn", "rd", "ru", "rz")))
sae = StaticRounding("sae", 0)

_LEGACY_NAMES = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")


def _file(file: str, width: int, names: Iterable[str]) -> tuple[Reg, ...]:
    return tuple(Reg(name, file, number, width) for number, name in enumerate(names))


def _general(file: str, width: int, legacy: str, suffix: str) -> tuple[Reg, ...]:
    return _file(file, width, [legacy.format(n) for n in _LEGACY_NAMES] + [f"r{i}{suffix}" for i in range(8, 16)])


R64 = _general("r64", 64, "r{}", "")
R32 = _general("r32", 32, "e{}", "d")
R16 = _general("r16", 16, "{}", "w")
R8 = _file("r8", 8, ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"] + [f"r{i}b" for i in range(8, 16)])
R8H = tuple(Reg(name, "r8", i + 4, 8) for i, name in enumerate(("ah", "ch", "dh", "bh")))
_LEGACY_SLOT = words.LEGACY * 8
for _regs, _flags in ((R8[4:8], words.REX_NEEDED), (R8H, dict.fromkeys(words.REX_NEEDED, words.REX_FORBIDDEN))):
    for _reg in _regs:
        _reg.code = tuple(c | _flags.get(slot - _LEGACY_SLOT, 0) for slot, c in enumerate(_reg.code))
XMM, YMM, ZMM = (
    _file(file, width, [f"{file}{i}" for i in range(32)]) for file, width in (("xmm", 128), ("ymm", 256), ("zmm", 512))
)
K = _file("k", 64, [f"k{i}" for i in range(8)])
TMM = _file("tmm", 8192, [f"tmm{i}" for i in range(8)])

REGISTERS = {reg.name: reg for file in (R64, R32, R16, R8, R8H, XMM, YMM, ZMM, K, TMM) for reg in file}
