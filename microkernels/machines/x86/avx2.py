"""AVX2 with FMA: 16 registers of 256 bits, no mask registers.

Some counts of elements below a whole register have loads and stores of their own: 1, 2 (of f32) and half a register.
Other counts are loaded under a mask vector (`vmaskmovps`, which never touches masked elements) and stored in pieces,
because masked stores are microcoded on AMD. Elements of 8 and 16 bits are loaded in pieces too (partial_moves.py).
Integers of 32 and 64 bits are moved by float instructions, because only their bits matter.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ....encoder.asm import Assembler
from ....encoder.code import Role
from ....encoder.deferred import lazy
from ....encoder.features import Target
from ....encoder.records import NamedTuple
from ....encoder.table import Emitter
from ....encoder.x86.registers import XMM, YMM, ZMM, Mem, Reg, mem
from ....encoder.x86.virtual import lowest
from ...contract.machine import Facts, TypesAndNumerics, Vector
from ...dtypes import ELEMENT_BYTES
from .core import X86Address, X86Lanes, X86Machine
from .partial_moves import load_bytes, store_bytes

if TYPE_CHECKING:
    from ...contract.dot_and_tile import FragmentsOf, ResultOf, UnitFacts
    from ...contract.shuffle_set import Shuffles
    from . import avx2_selection, dot_table, result_io
    from . import shuffles as x86_shuffles
    from .shuffles import X86Shuffles

avx2_selection = lazy(__package__, ".avx2_selection")
result_io = lazy(__package__, ".result_io")
dot_table = lazy(__package__, ".dot_table")
x86_shuffles = lazy(__package__, ".shuffles")

_SUFFIX = {"f32": ("ps", "ss"), "f64": ("pd", "sd")}
_FORMS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_LOW = {4: "vmovd", 8: "vmovq"}  # moves of a register's first bytes
FILE = {128: XMM, 256: YMM, 512: ZMM}


class TypedInstructions(NamedTuple):
    """The instructions of one element type at one width, bound to an assembler."""

    file: tuple[Reg, ...]
    bits: int
    move: Emitter
    fma: Emitter
    fma_memory: Emitter
    mul: Emitter
    add: Emitter
    add_memory: Emitter
    broadcast: Emitter


class Moves(NamedTuple):
    """Loads and stores of one element type at one width, for types without arithmetic."""

    file: tuple[Reg, ...]
    bits: int
    move: Emitter


def units_of(machine: type[X86Machine], target: Target, columns: int) -> Mapping[TypesAndNumerics, UnitFacts]:
    """The units of machines/x86/dot_table.py."""
    return dot_table.units_of(machine, target, columns)


def shuffles_of(target: Target) -> Shuffles:
    """The shuffles of machines/x86/shuffles.py."""
    return x86_shuffles.shuffles(target)


class Avx2(X86Machine):
    """Verbs on ymm and xmm registers."""

    name = "avx2"

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self._lanes: dict[tuple[str, int], X86Lanes] = {}
        self._mask_starts: dict[int, int] = {}  # keyed by register: offsets in the code where its mask is set up
        self._many: Reg | None = None  # inside `dynamic_lanes`: the number of elements of a mask

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """Describe a machine with 16 vector registers, some of which serve as masks."""
        return Avx2Facts(
            target,
            16,
            (256, 128),
            lambda: avx2_selection.ARITHMETIC,
            shuffles_of,
            interleaved_rows=8,
            halves=True,
            units_of=partial(units_of, cls),
        )

    def unit(
        self, row_vector: str, group: str, numerics: str, columns: int = 1
    ) -> FragmentsOf[X86Address, X86Lanes, Mem]:
        """The units of machines/x86/dot_table.py."""
        return dot_table.TABLE.unit(self, row_vector, group, numerics, columns)

    def result(self, dtype: str, sums: str) -> ResultOf[X86Address, X86Lanes]:
        """The loads and stores of machines/x86/result_io.py."""
        return result_io.result_of(self, dtype, sums)

    def shuffles(self) -> X86Shuffles:
        """The verbs of machines/x86/shuffles.py."""
        return x86_shuffles.X86Shuffles(self)

    # Predicates

    @contextmanager
    def predicates(self) -> Iterator[None]:
        """Release the masks that are set up inside at the end of the scope."""
        before = dict(self._lanes)
        yield
        masks = {lanes.mask: None for lanes in self._lanes.values()}  # in the order in which they were set up
        preserved = {lanes.mask for lanes in before.values()}
        self._lanes = before
        for mask in masks:
            if mask is not None and mask not in preserved:
                self._release_mask(mask)

    def lanes(self, dtype: str, count: int) -> X86Lanes:
        """Return `count` elements in the narrowest register."""
        lanes = self._lanes.get((dtype, count))
        if lanes is None:
            bits = self.facts.lanes_bits(count, ELEMENT_BYTES[dtype])
            capacity = bits // 8 // ELEMENT_BYTES[dtype]
            mask = None if self._has_own_moves(count, capacity, dtype) else self._make_mask(count, capacity, dtype)
            ops = self._ops(dtype, bits, count) if dtype in _SUFFIX else self._moves(dtype, bits, count)
            lanes = self._lanes[dtype, count] = X86Lanes(dtype, count, capacity, mask, ops, self._many is not None)
        return lanes

    def dynamic_lanes(self, dtype: str, count: int, many: Reg) -> None:
        """Make the mask from a register's value instead of a number."""
        self._many = many
        self.lanes(dtype, count)
        self._many = None

    def modulo(self, dst: Reg, power: int) -> None:
        """Take the low bits."""
        self.asm.and_(dst, power - 1)

    def _has_own_moves(self, count: int, capacity: int, dtype: str) -> bool:
        """Whether this count is moved without a mask. Elements of 8 and 16 bits are moved in pieces."""
        return _has_own_moves(count, capacity, ELEMENT_BYTES[dtype])

    def _moves(self, dtype: str, bits: int, count: int) -> Moves | TypedInstructions:
        """The move of a whole register or its first 4 or 8 bytes. Other counts are moved under masks or in pieces."""
        return Moves(FILE[bits], bits, getattr(self.asm, _LOW.get(count * ELEMENT_BYTES[dtype], "vmovdqu")))

    def _ops(self, dtype: str, bits: int, count: int) -> TypedInstructions:
        asm, (packed, single) = self.asm, _SUFFIX[dtype]
        of_memory = single if count == 1 else packed  # a memory operand as wide as the elements
        move = "vmovups" if dtype == "f32" else "vmovupd"
        if count == 1:
            move = f"vmov{single}"
        elif count == 2 and dtype == "f32":
            move = "vmovsd"
        broadcast = "vbroadcastss" if dtype == "f32" else "vbroadcastsd" if bits > 128 else "vmovddup"
        names = (
            move,
            f"vfmadd231{packed}",
            f"vfmadd231{of_memory}",
            f"vmul{packed}",
            f"vadd{packed}",
            f"vadd{of_memory}",
            broadcast,
        )
        return TypedInstructions(FILE[bits], bits, *(getattr(asm, name) for name in names))

    def _make_mask(self, count: int, capacity: int, dtype: str) -> Any:
        """Return a vector whose first `count` elements are all ones. Types of one size share it."""
        size = ELEMENT_BYTES[dtype]
        for lanes in self._lanes.values():
            same = (lanes.count, lanes.capacity, ELEMENT_BYTES[lanes.dtype]) == (count, capacity, size)
            if same and lanes.mask is not None:
                return lanes.mask
        number = self._free_vectors.pop(0)
        self._mask_starts[number] = len(self.asm.buffer)
        mask = (YMM if capacity * size == 32 else XMM)[number]
        self._holders["masks"] = self._holders.get("masks", 0) + 1
        if self._many is not None:
            self._dynamic_mask(mask, capacity, size, self._many)
            return mask
        pattern = b"\xff" * (count * size) + b"\0" * ((capacity - count) * size)
        self.asm.vmovups(mask, Mem(label=self.asm.const(pattern)))
        return mask

    def _dynamic_mask(self, mask: Reg, capacity: int, size: int, many: Reg) -> None:
        """Make a mask that is all ones in elements whose number is less than `many`."""
        numbers = Mem(label=self.asm.const(b"".join(number.to_bytes(size, "little") for number in range(capacity))))
        if size == 4:
            self.asm.vmovd(XMM[mask.num], lowest(many))
            self.asm.vpbroadcastd(mask, XMM[mask.num])
            self.asm.vpcmpgtd(mask, mask, numbers)
        else:
            self.asm.vmovq(XMM[mask.num], many)
            self.asm.vpbroadcastq(mask, XMM[mask.num])
            self.asm.vpcmpgtq(mask, mask, numbers)

    def _release_mask(self, mask: Reg) -> None:
        self._free_vectors.insert(0, mask.num)
        self.asm.roles.append(Role("mask", (mask.num,), self._mask_starts.pop(mask.num), len(self.asm.buffer)))
        self._holders["masks"] -= 1

    # Verbs

    def zero(self, dst: Vector, lanes: X86Lanes) -> None:
        """Clear the whole register."""
        self.asm.vxorps(XMM[dst], XMM[dst], XMM[dst])

    def load(self, dst: Vector, address: X86Address, lanes: X86Lanes) -> None:
        """Emit a plain load, a load under the mask, or loads of pieces."""
        ops = lanes.ops
        if lanes.mask is not None:
            self._masked(lanes.dtype)(ops.file[dst], lanes.mask, mem(*address))
        elif ELEMENT_BYTES[lanes.dtype] < 4:
            load_bytes(self.asm, dst, address, lanes.bytes)
        else:
            ops.move(ops.file[dst], mem(*address))

    def _masked(self, dtype: str) -> Emitter:
        return self.asm.vmaskmovps if ELEMENT_BYTES[dtype] == 4 else self.asm.vmaskmovpd

    def store(self, address: X86Address, src: Vector, lanes: X86Lanes) -> None:
        """Emit a plain store, or stores of 128, 64 and 32 bits. Store under a mask only if the count is a call's
        argument."""
        ops = lanes.ops
        if ELEMENT_BYTES[lanes.dtype] < 4:
            store_bytes(self.asm, address, src, lanes.bytes)
            return
        if lanes.mask is None:
            ops.move(mem(*address), ops.file[src])
            return
        if lanes.dynamic:
            self._masked(lanes.dtype)(mem(*address), lanes.mask, ops.file[src])
            return
        count, half = lanes.count, 16 // ELEMENT_BYTES[lanes.dtype]
        if count > half:
            self._store_low(address, XMM[src], half, lanes.dtype)
            self.asm.vextractf128(XMM[src], YMM[src], 1)
            address, count = self.further(address, 16), count - half
        self._store_low(address, XMM[src], count, lanes.dtype)

    def _store_low(self, address: X86Address, src: Reg, count: int, dtype: str) -> None:
        """Store the first `count` elements of 128 bits."""
        bits = count * ELEMENT_BYTES[dtype] * 8
        store = {32: self.asm.vmovss, 64: self.asm.vmovsd, 96: self.asm.vmovsd, 128: self.asm.vmovups}[bits]
        store(mem(*address), src)
        if bits == 96:
            self.asm.vextractps(mem(*self.further(address, 8)), src, 2)

    def broadcast(self, dst: Vector, address: X86Address, lanes: X86Lanes) -> None:
        """Emit one load."""
        lanes.ops.broadcast(lanes.ops.file[dst], mem(*address))

    def constant(self, dst: Vector, value: float, lanes: X86Lanes) -> None:
        """Broadcast from the constant pool."""
        data = struct.pack(_FORMS[lanes.dtype], value)
        lanes.ops.broadcast(lanes.ops.file[dst], Mem(label=self.asm.const(data)))

    def scalar(self, address: X86Address) -> Mem:
        """Raise an error: AVX2 has no embedded broadcast."""
        raise NotImplementedError("facts.embedded_broadcast is False")

    def fma(self, acc: Vector, x: Vector, y: Any, lanes: X86Lanes) -> None:
        """Use the 231 form, whose addend is acc."""
        ops = lanes.ops
        file = ops.file
        ops.fma(file[acc], file[x], file[y] if y.__class__ is int else y)

    def mul(self, dst: Vector, x: Vector, y: Any, lanes: X86Lanes) -> None:
        """dst = x * y."""
        file = lanes.ops.file
        lanes.ops.mul(file[dst], file[x], file[y] if y.__class__ is int else y)

    def add(self, dst: Vector, x: Vector, y: Any, lanes: X86Lanes) -> None:
        """dst = x + y."""
        file = lanes.ops.file
        lanes.ops.add(file[dst], file[x], file[y] if y.__class__ is int else y)

    def add_memory(self, acc: Vector, address: X86Address, lanes: X86Lanes, spare: Vector) -> None:
        """Use a memory operand if there is one as wide as the elements."""
        ops = lanes.ops
        if lanes.full or lanes.count == 1:
            ops.add_memory(ops.file[acc], ops.file[acc], mem(*address))
        else:
            super().add_memory(acc, address, lanes, spare)

    def fma_memory(self, acc: Vector, x: Vector, address: X86Address, lanes: X86Lanes, spare: Vector) -> None:
        """Use a memory operand if there is one as wide as the elements."""
        ops = lanes.ops
        if lanes.full or lanes.count == 1:
            ops.fma_memory(ops.file[acc], ops.file[x], mem(*address))
        else:
            super().fma_memory(acc, x, address, lanes, spare)

    def mul_memory(self, dst: Vector, x: Vector, address: X86Address, lanes: X86Lanes, spare: Vector) -> None:
        """Use a memory operand if it is as wide as the register."""
        ops = lanes.ops
        if lanes.full:
            ops.mul(ops.file[dst], ops.file[x], mem(*address))
        else:
            super().mul_memory(dst, x, address, lanes, spare)

    # Shuffles

    def gather(self, dst: Vector, addresses: Sequence[X86Address], lanes: X86Lanes, spare: Vector) -> None:
        """Load elements into 128-bit quarters and insert the quarters into the register."""
        per = 16 // ELEMENT_BYTES[lanes.dtype]
        for quarter in range(0, len(addresses), per):
            register = dst if quarter == 0 else spare
            self._gather_quarter(XMM[register], addresses[quarter : quarter + per], lanes.dtype)
            if quarter:
                self._insert_quarter(dst, XMM[spare], quarter // per, lanes)

    def _gather_quarter(self, dst: Reg, addresses: Sequence[X86Address], dtype: str) -> None:
        operands = [mem(*address) for address in addresses]
        if dtype == "f32":
            self.asm.vmovss(dst, operands[0])
            for i, operand in enumerate(operands[1:], 1):
                self.asm.vinsertps(dst, dst, operand, i << 4)
            return
        self.asm.vmovsd(dst, operands[0])
        if len(operands) > 1:
            self.asm.vmovhpd(dst, dst, operands[1])

    def _insert_quarter(self, dst: Vector, src: Reg, quarter: int, lanes: X86Lanes) -> None:
        self.asm.vinsertf128(YMM[dst], YMM[dst], src, quarter)

    def neighbours(self, level: int, low: Vector, high: Vector, x: Vector, y: Vector, lanes: X86Lanes) -> None:
        """Unpack low and high within 128 bits (elements of 32 bits, then pairs), then combine whole quarters."""
        file, asm = lanes.ops.file, self.asm
        words = ELEMENT_BYTES[lanes.dtype] == 4
        if level >= (2 if words else 1):
            self._pair_quarters(file[low], file[x], file[y], high=False)
            self._pair_quarters(file[high], file[x], file[y], high=True)
        elif words and level == 0:
            asm.vunpcklps(file[low], file[x], file[y])
            asm.vunpckhps(file[high], file[x], file[y])
        else:
            asm.vunpcklpd(file[low], file[x], file[y])
            asm.vunpckhpd(file[high], file[x], file[y])

    def halve(self, dst: Vector, src: Vector, lanes: X86Lanes) -> None:
        """Extract the second half of a ymm."""
        self._extract_quarter(XMM[dst], src, 1, lanes)

    def _pair_quarters(self, dst: Reg, x: Reg, y: Reg, *, high: bool) -> None:
        self.asm.vperm2f128(dst, x, y, 0x31 if high else 0x20)

    def elements(self, src: Vector, count: int, spare: Sequence[Vector], lanes: X86Lanes) -> Iterator[Vector]:
        """Extract each quarter once and permute its elements to the front."""
        quarter, moved = spare
        per = 16 // ELEMENT_BYTES[lanes.dtype]
        for j in range(count):
            index = j % per
            if j and index == 0:
                self._extract_quarter(XMM[quarter], src, j // per, lanes)
            source = XMM[src if j < per else quarter]
            if lanes.dtype == "f32":
                self.asm.vpermilps(XMM[moved], source, index)
            else:
                self.asm.vpermilpd(XMM[moved], source, index)
            yield moved

    def _extract_quarter(self, dst: Reg, src: Vector, quarter: int, lanes: X86Lanes) -> None:
        self.asm.vextractf128(dst, YMM[src], quarter)


class Avx2Facts(Facts):
    """Facts of a machine whose masks are vector registers."""

    def needs_mask_register(self, count: int, element_bytes: int) -> bool:
        """True for counts without loads of their own, which are loaded under a mask vector."""
        capacity = self.lanes_bits(count, element_bytes) // 8 // element_bytes
        return not _has_own_moves(count, capacity, element_bytes)

    def counts_lanes(self, sizes: Collection[int]) -> bool:
        """True on AVX2 if one mask serves all elements: if all have 4 bytes or all have 8."""
        return "AVX2" in self.target.features and set(sizes) in ({4}, {8})


def _has_own_moves(count: int, capacity: int, element_bytes: int) -> bool:
    return element_bytes < 4 or count in (1, capacity) or (element_bytes == 4 and count == 2)
