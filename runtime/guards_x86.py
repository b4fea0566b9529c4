"""The x86-64 code of guards: each falls through if it holds and jumps to `fail` if not.

Registers, while guards run. Nothing is written to and no reference is taken before all of them hold.

    rdi self    rsi args      kept for the slow path, which gets the call as it came
    r11         constants     of the kernel that is called
    r8 r9 r10   values a b c  other values lie on the stack, those that are passed there in their places
    xmm0 xmm1                 differences of dimensions
    rax rcx rdx               free; with batches also rbx rbp r12 r13, the caller's, saved
"""

from __future__ import annotations

from collections.abc import Callable

from ..encoder.features import TARGETS
from ..encoder.operands import Label
from ..encoder.x86.abi import ARGUMENTS
from ..encoder.x86.assembler import X86Assembler
from ..encoder.x86.registers import REGISTERS, Mem, Reg, byte, dword, ptr, qword
from . import cpython, guards
from .guards import Addresses, Apart, Array, Entry, Extent, Guard, Int, Number, Offsets, Steps, Table

rax, rbx, rcx, rdx, rbp, rsi, rdi, rsp = (
    REGISTERS[n] for n in ("rax", "rbx", "rcx", "rdx", "rbp", "rsi", "rdi", "rsp")
)
r8, r9, r10, r11, r12, r13 = (REGISTERS[f"r{n}"] for n in range(8, 14))
xmm0, xmm1 = REGISTERS["xmm0"], REGISTERS["xmm1"]
eax, ecx, edx, edi, r12d = (REGISTERS[n] for n in ("eax", "ecx", "edx", "edi", "r12d"))

POINTERS = {"a": r8, "b": r9, "c": r10}
SAVED = (rbx, rbp, r12, r13)
SPILLED = (r8, r9, r10, r11)


class GuardEmitter:
    """An assembler, the places of values, and a method for each kind of guard."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.asm = X86Assembler(TARGETS["avx2"])  # what every machine has that kernels run on
        self.saved = SAVED if entry.batched else ()
        self.fail = self.asm.label("fail")
        self.differences = False  # whether xmm0 holds differences of dimensions
        self.unusual: list[tuple[Label, int, Label, Label]] = []  # where, number, back to, or to
        names = entry.parameters
        # A stack slot for every value that has no register; arguments that the kernel gets on the stack come first.
        self.slots = {name: i for i, name in enumerate(names[len(ARGUMENTS) :])}
        for name in [*names[3 : len(ARGUMENTS)], "thread", "result", *(reg.name for reg in SPILLED)]:
            self.slots[name] = len(self.slots)
        frame = 8 * len(self.slots)
        # at entry rsp is 8 below a multiple of 16; at the inner calls it must be one
        self.frame = frame + (8 + frame + 8 * len(self.saved)) % 16

    def slot(self, name: str) -> Mem:
        """Where a value lies on the stack."""
        return qword[rsp + 8 * self.slots[name]]

    def constant(self, index: int) -> Mem:
        """A constant of the kernel that is called."""
        return qword[r11 + 8 * index]

    @property
    def shift(self) -> int:
        """log2 of the element's bytes."""
        size = next(g.size for g in self.entry.guards if isinstance(g, Array))
        return size.bit_length() - 1

    def check_all(self, with_output: bool) -> None:
        """All guards, but without the output those of the last argument."""
        self.differences = False
        for guard in self.entry.guards:
            self._check(guard, with_output)
        self._all_dimensions()

    def _check(self, guard: Guard, with_output: bool) -> None:
        if not with_output and (isinstance(guard, Apart) or (isinstance(guard, Array) and guard.to == "c")):
            return
        self.asm.note(type(guard).__name__.lower())
        if isinstance(guard, Addresses):
            self._addresses(guard, with_output)
            return
        checks: dict[type, Callable[..., None]] = {
            Array: self._array, Table: self._table, Int: self._int, Number: self._number, Apart: self._apart,
            Steps: self._steps, Offsets: self._offsets,
        }  # fmt: skip
        checks[type(guard)](guard)

    def _object(self, position: int, type_constant: int) -> None:
        """rax := the argument, which must be of exactly this type."""
        asm = self.asm
        asm.mov(rax, qword[rsi + 8 * position])
        asm.mov(rcx, qword[rax + cpython.TYPE])
        asm.cmp(rcx, self.constant(type_constant))
        asm.jne(self.fail)

    def _dtype(self, number: int, other: int | None = None) -> None:
        """rcx := the dtype of the array in rax: this type number, or the other, in native byte order."""
        asm = self.asm
        right = asm.label()
        asm.mov(rcx, qword[rax + cpython.DTYPE])
        if other is None:
            unusual = asm.label()
            asm.cmp(rcx, self.constant(guards.DTYPE))
            asm.jne(unusual)
            asm.bind(right)
            self.unusual.append((unusual, number, right, self.fail))
            return
        asm.cmp(byte[rcx + cpython.BYTE_ORDER], cpython.NATIVE)
        asm.jne(self.fail)
        asm.cmp(dword[rcx + cpython.TYPE_NUMBER], number)
        asm.je(right)
        asm.cmp(dword[rcx + cpython.TYPE_NUMBER], other)
        asm.jne(self.fail)
        asm.bind(right)

    def unusual_dtypes(self) -> None:
        """Equal dtypes are mostly one object, and need not be: unpickled arrays have their own."""
        asm = self.asm
        for label, number, right, fail in self.unusual:
            asm.bind(label)
            asm.cmp(byte[rcx + cpython.BYTE_ORDER], cpython.NATIVE)
            asm.jne(fail)
            asm.cmp(dword[rcx + cpython.TYPE_NUMBER], number)
            asm.jne(fail)
            asm.jmp(right)

    def _flags(self, wanted: int) -> None:
        asm = self.asm
        asm.mov(ecx, dword[rax + cpython.FLAGS])
        asm.and_(ecx, wanted)
        asm.cmp(ecx, wanted)
        asm.jne(self.fail)

    def _array(self, guard: Array) -> None:
        asm = self.asm
        self._object(guard.position, guards.ARRAY_TYPE)
        self._dtype(guard.number)
        self._flags(guard.flags)
        self._axes(guard)
        self._dimensions(guard)
        if any(guard.strides) or guard.leading:
            self._strides(guard)
        asm.mov(POINTERS[guard.to], qword[rax + cpython.DATA])

    def _dimensions(self, guard: Array) -> None:
        """The last two are compared at once; `_all_dimensions` looks at the differences of all arrays."""
        asm, (*first, index, _) = self.asm, guard.dimensions
        if first:
            asm.mov(rcx, qword[rdx])
            asm.cmp(rcx, self.constant(first[0]))
            asm.jne(self.fail)
        difference = xmm1 if self.differences else xmm0
        asm.vmovdqu(difference, ptr[rdx + 8 * len(first)])
        asm.vpxor(difference, difference, ptr[r11 + 8 * index])
        if self.differences:
            asm.vpor(xmm0, xmm0, difference)
        self.differences = True

    def _all_dimensions(self) -> None:
        if self.differences:
            self.asm.vptest(xmm0, xmm0)
            self.asm.jne(self.fail)

    def _axes(self, guard: Array) -> None:
        """rdx := where the dimensions of the last axes are; the rank must be right."""
        asm = self.asm
        if guard.rank is not None:
            asm.cmp(dword[rax + cpython.RANK], guard.rank)
            asm.jne(self.fail)
            asm.mov(rdx, qword[rax + cpython.DIMENSIONS])
            return
        matrix = asm.label()
        asm.mov(rdx, qword[rax + cpython.DIMENSIONS])
        asm.cmp(dword[rax + cpython.RANK], 2)
        asm.je(matrix)
        asm.cmp(dword[rax + cpython.RANK], 3)
        asm.jne(self.fail)
        asm.cmp(qword[rdx], 0)
        asm.je(self.fail)
        asm.add(rdx, 8)
        asm.bind(matrix)

    def _strides(self, guard: Array) -> None:
        """Those of the last axes; rdx points at their dimensions, as far from the first as the strides are."""
        asm = self.asm
        asm.sub(rdx, qword[rax + cpython.DIMENSIONS])
        asm.add(rdx, qword[rax + cpython.STRIDES])
        for axis, index in enumerate(guard.strides):
            if index is not None:
                asm.mov(rcx, qword[rdx + 8 * axis])
                asm.cmp(rcx, self.constant(index))
                asm.jne(self.fail)
        if guard.leading is None:
            return
        leading = guard.leading
        asm.mov(rcx, qword[rdx + 8 * leading.axis])
        asm.cmp(rcx, self.constant(leading.least))
        asm.jl(self.fail)
        if guard.size > 1:
            asm.test(ecx, guard.size - 1)
            asm.jne(self.fail)
        if leading.matrix is not None:
            asm.push(rcx)
            asm.imul(rcx, self.constant(leading.matrix))
            asm.cmp(rcx, qword[rdx])
            asm.pop(rcx)
            asm.jne(self.fail)
        asm.shr(rcx, guard.size.bit_length() - 1)
        asm.mov(self.slot(leading.to), rcx)

    def _table(self, guard: Table) -> None:
        asm = self.asm
        self._object(guard.position, guards.ARRAY_TYPE)
        self._dtype(*guard.numbers)
        self._flags(cpython.ALIGNED | cpython.C_CONTIGUOUS)
        asm.cmp(dword[rax + cpython.RANK], 1)
        asm.jne(self.fail)
        asm.mov(rdx, qword[rax + cpython.DIMENSIONS])
        asm.mov(rcx, qword[rdx])
        if guard.counts:
            asm.test(rcx, rcx)
            asm.jle(self.fail)
            asm.mov(self.slot("count"), rcx)
        else:
            asm.cmp(rcx, self.slot("count"))
            asm.jne(self.fail)
        asm.mov(rdx, qword[rax + cpython.DATA])
        asm.mov(POINTERS.get(guard.to) or self.slot(guard.to), rdx)

    def _int(self, guard: Int) -> None:
        asm = self.asm
        self._object(guard.position, guards.INT_TYPE)
        asm.mov(rcx, qword[rax + cpython.INT_TAG])
        asm.mov(edx, dword[rax + cpython.INT_DIGIT])
        if cpython.SIGNED_SIZES:
            asm.lea(rax, ptr[rcx + 1])
            asm.cmp(rax, 2)
            asm.ja(self.fail)
        else:
            asm.cmp(rcx, 16)
            asm.jae(self.fail)
            asm.and_(ecx, 3)
            asm.neg(rcx)
            asm.add(rcx, 1)
        asm.imul(rdx, rcx)
        if guard.least is not None:
            asm.cmp(rdx, guard.least)
            asm.jl(self.fail)
        if guard.multiple > 1:
            asm.test(edx, guard.multiple - 1)
            asm.jne(self.fail)
        asm.mov(self.slot(guard.to), rdx)

    def _number(self, guard: Number) -> None:
        self.asm.mov(rax, self.constant(guard.constant))
        self.asm.mov(self.slot(guard.to), rax)

    def _extent(self, register: Reg, extent: Extent) -> None:
        """register := the bytes of an operand; rax is lost."""
        asm = self.asm
        asm.mov(register, self.constant(extent.fixed))
        if extent.leading is not None:
            asm.mov(rax, self.slot(extent.leading))
            asm.imul(rax, self.constant(extent.factor))
            asm.jo(self.fail)
            asm.add(register, rax)
            asm.jo(self.fail)
            asm.mov(rax, guards.FAR)
            asm.cmp(register, rax)
            asm.jg(self.fail)

    def _apart(self, guard: Apart) -> None:
        """Fails if 0 < c - other + bytes of c < bytes of both."""
        asm = self.asm
        self._extent(rcx, guard.extent)
        self._extent(rdx, guard.c_extent)
        asm.lea(rax, ptr[r10 + rdx - 1])
        asm.sub(rax, POINTERS[guard.other])
        asm.lea(rcx, ptr[rcx + rdx - 1])
        asm.cmp(rax, rcx)
        asm.jb(self.fail)

    def _steps(self, guard: Steps) -> None:
        asm = self.asm
        asm.mov(rcx, self.slot("count"))
        asm.dec(rcx)
        asm.imul(rcx, self.slot(guard.stride))
        asm.xor(eax, eax)
        asm.mov(rbx, rcx)
        asm.mov(rbp, rcx)
        asm.test(rcx, rcx)
        asm.cmovg(rbx, rax)
        asm.cmovl(rbp, rax)
        self._inside(guard)
        self._apart_from_c(guard.c_extent)

    def _offsets(self, guard: Offsets) -> None:
        asm = self.asm
        self._table_apart(self.slot(guard.table), guard.c_extent)
        self._walk(self.slot(guard.table), guard.size, asm.cmovl, asm.cmovg)
        self._inside(guard)
        self._apart_from_c(guard.c_extent)

    def _addresses(self, guard: Addresses, with_output: bool) -> None:
        asm = self.asm
        if with_output:
            self._table_apart(POINTERS[guard.table], guard.c_extent)
        self._walk(POINTERS[guard.table], guard.size, asm.cmovb, asm.cmova)
        asm.test(rbx, rbx)
        asm.je(self.fail)
        asm.mov(rax, 2 * guards.FAR)  # addresses of user space: no sum overflows
        asm.cmp(rbp, rax)
        asm.jae(self.fail)
        if with_output:
            self._extent(r12, guard.extent)
            asm.add(rbp, r12)
            self._apart_from_c(guard.c_extent)

    def _walk(self, table: Reg | Mem, size: int, less: Callable[..., None], greater: Callable[..., None]) -> None:
        """rbx, rbp := least and greatest entry of a table; all must be multiples of the element's size."""
        asm = self.asm
        asm.mov(rdx, table)
        asm.mov(rcx, self.slot("count"))
        asm.mov(rbx, qword[rdx])
        asm.mov(rbp, rbx)
        asm.xor(r12d, r12d)
        with asm.loop(rcx):
            asm.mov(rax, qword[rdx + rcx * 8 - 8])
            asm.or_(r12, rax)
            asm.cmp(rax, rbx)
            less(rbx, rax)
            asm.cmp(rax, rbp)
            greater(rbp, rax)
        asm.test(r12, size - 1)
        asm.jne(self.fail)

    def _inside(self, guard: Steps | Offsets) -> None:
        """rbx, rbp: least and greatest distance of a matrix, to become the first byte and behind the last one.

        They must lie in the owner's memory: the array's base where that is an array, else the array.
        """
        asm, array = self.asm, guard.array
        self._extent(r12, guard.extent)
        asm.mov(rax, guards.FAR)
        asm.cmp(rbp, rax)
        asm.jg(self.fail)
        asm.neg(rax)
        asm.cmp(rbx, rax)
        asm.jl(self.fail)
        asm.add(rbx, POINTERS[array.to])
        asm.add(rbp, POINTERS[array.to])
        asm.add(rbp, r12)
        self._owner(array)
        asm.mov(rdx, qword[r13 + cpython.DATA])
        asm.cmp(rbx, rdx)
        asm.jl(self.fail)
        asm.add(rdx, rax)
        asm.cmp(rbp, rdx)
        asm.jg(self.fail)

    def _owner(self, array: Array) -> None:
        """r13 := the array that owns the memory, contiguous and of the same type; rax := its bytes."""
        asm = self.asm
        own = asm.label()
        asm.mov(r13, qword[rsi + 8 * array.position])
        asm.mov(rcx, qword[r13 + cpython.BASE])
        asm.test(rcx, rcx)
        asm.je(own)
        asm.mov(rdx, qword[rcx + cpython.TYPE])
        asm.cmp(rdx, self.constant(guards.ARRAY_TYPE))
        asm.jne(own)
        asm.mov(r13, rcx)
        asm.bind(own)
        asm.mov(rdx, qword[r13 + cpython.DTYPE])
        asm.cmp(dword[rdx + cpython.TYPE_NUMBER], array.number)
        asm.jne(self.fail)
        asm.test(dword[r13 + cpython.FLAGS], cpython.C_CONTIGUOUS | cpython.F_CONTIGUOUS)
        asm.je(self.fail)
        asm.mov(ecx, dword[r13 + cpython.RANK])
        asm.test(ecx, ecx)
        asm.je(self.fail)
        asm.mov(rdx, qword[r13 + cpython.DIMENSIONS])
        asm.mov(eax, array.size)
        with asm.loop(rcx):
            asm.imul(rax, qword[rdx + rcx * 8 - 8])

    def _apart_from_c(self, c_extent: Extent) -> None:
        """Bytes rbx to rbp and c do not touch."""
        asm, apart = self.asm, self.asm.label()
        asm.cmp(rbp, r10)
        asm.jle(apart)
        self._extent(r12, c_extent)
        asm.add(r12, r10)
        asm.cmp(r12, rbx)
        asm.jg(self.fail)
        asm.bind(apart)

    def _table_apart(self, table: Reg | Mem, c_extent: Extent) -> None:
        asm = self.asm
        asm.mov(rbx, table)
        asm.mov(rcx, self.slot("count"))
        asm.lea(rbp, ptr[rbx + rcx * 8])
        self._apart_from_c(c_extent)
