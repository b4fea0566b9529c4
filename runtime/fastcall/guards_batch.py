"""The code of guards that walk over the matrices of a batch, and of the copies of tables that they make.

Another owner of a table may write to it at any time. A thread whose arithmetic has released the GIL does not wait for
this one, even if the kernel keeps the GIL. So each table entry is read once, checked and copied, and the kernel gets
the copy. Copies of up to `FRAMED` entries are in the entry's frame; longer ones are in memory from the C library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from ...encoder.operands import Label
from ..scalar.machine import Register, Scalar, ScalarMemory
from ..system import cpython
from . import guards
from .guards import Addresses, CallEntry, ExactArray, Extent, IndexArray, Offsets, Stack, StackNoAlias, StridedMatrices
from .guards_stack_code import StackEmitter

FRAMED = 192
"""The most entries of each table that are copied to the stack. Both copies take 3 KiB, which is less than the guard
page below it."""
_WORD = 8


class BatchEmitter(StackEmitter):
    """Adds the guards of a batch, which come after those of arguments."""

    def __init__(self, entry: CallEntry, machine: Scalar, allocate: int, free: int) -> None:
        super().__init__(entry, machine)
        self.allocate, self.free = allocate, free
        self.copies = [guard.to for guard in entry.guards if isinstance(guard, IndexArray)]
        self.used = machine.more if entry.batched else ()
        if self.copies:
            self.slots |= {name: len(self.slots) + i for i, name in enumerate((" self", " args", " long"))}
        self.frame = len(self.slots) + (2 * FRAMED if self.copies else 0)

    def check_all(self, missing: str | None) -> None:
        """Emit all guards. Those of a batch ignore an output that the call left out."""
        super().check_all(missing)
        if self.copies:
            self._claim_copies()
        checks: dict[type, Callable[..., None]] = {
            StridedMatrices: self._steps,
            Offsets: self._offsets,
            Addresses: self._addresses,
            Stack: self._stack,
            StackNoAlias: self._stack_no_alias,
        }
        for guard in self.entry.guards:
            if type(guard) in checks:
                self.m.asm.note(type(guard).__name__.lower())
                checks[type(guard)](guard, missing is None)

    # Copies of tables

    def _claim_copies(self) -> None:
        """Set more[3] to the memory for copies. From here on, every exit must call `free_copies`."""
        m, long, ready = self.m, self.m.asm.label("long"), self.m.asm.label("copies")
        m.branch(self.value("count"), "u>=", FRAMED + 1, long)
        m.address(m.more[3], m.stack, offset=m.slot(len(self.slots)).offset)
        m.asm.bind(ready)
        self.rare.append((long, partial(self._allocate_copies, ready, self.fail)))
        self.fail = m.asm.label("fail with copies")

    def _allocate_copies(self, ready: Label, fail: Label) -> None:
        m, (first, *_) = self.m, self.m.arguments
        with self._arguments_kept(), self.spilling():
            m.move(first, self.value("count"))
            m.multiply(first, 2 * _WORD)
            m.call(self.allocate)
            m.move(self.slot(" long"), m.result)
        m.move(m.more[3], self.slot(" long"))
        m.branch(m.more[3], "==", 0, fail)
        m.jump(ready)

    def free_copies(self) -> None:
        """Free the memory for copies, if there is any. Values in registers are lost, but the call's object and
        arguments are kept."""
        if self.copies:
            long, done = self.m.asm.label("long"), self.m.asm.label("left")
            self.m.branch(self.value("count"), "u>=", FRAMED + 1, long)
            self.m.asm.bind(done)
            self.rare.append((long, partial(self._release_copies, done)))

    def _release_copies(self, done: Label) -> None:
        with self._arguments_kept():
            self.m.move(self.m.arguments[0], self.slot(" long"))
            self.m.call(self.free)
        self.m.jump(done)

    @contextmanager
    def _arguments_kept(self) -> Iterator[None]:
        """Preserve the call's object and arguments across a call, for the slow path."""
        pairs = list(zip(self.m.arguments, (" self", " args")))
        for register, name in pairs:
            self.m.move(self.slot(name), register)
        yield
        for register, name in pairs:
            self.m.move(register, self.slot(name))

    def _walk(self, table: str, size: int, outputs: Sequence[Extent]) -> None:
        """Set more[0] and more[1] to the smallest and largest entry of a table. All entries must be multiples of the
        element size, and no output may overlap the table. The table's value becomes the copy."""
        m, (*found, copy) = self.m, self.m.more
        m.move(m.y, self.value("count"))
        if outputs:
            low = self.loaded(table, found[0])
            m.address(found[1], low, m.y, _WORD)
            self._no_alias_with(outputs, low)
        if table != self.copies[0]:
            m.address(copy, self.loaded(self.copies[0], copy), m.y, _WORD)
        m.move(m.z, self.value(table))
        m.move(self.value(table), copy)
        m.copy_words(copy, m.z, m.y, found)
        self.multiple(found[2], size)

    # The matrices' memory

    def _steps(self, guard: StridedMatrices, with_output: bool) -> None:
        m, (low, high, *_) = self.m, self.m.more
        m.move(m.y, self.value("count") if guard.products is None else self.constant(guard.products))
        m.add(m.y, -1)
        m.multiply(m.y, self.value(guard.stride))
        m.move(m.x, 0)
        for end, condition in ((low, "<"), (high, ">")):
            m.move(end, m.y)
            m.take_if(end, m.x, condition)
        self._inside(guard)
        self._no_alias_with(_outputs(guard, with_output), low)

    def _offsets(self, guard: Offsets, with_output: bool) -> None:
        low = self.m.more[0]
        self._walk(guard.table, guard.array.size, _outputs(guard, with_output))
        self._inside(guard)
        self._no_alias_with(_outputs(guard, with_output), low)

    def _addresses(self, guard: Addresses, with_output: bool) -> None:
        m, (low, high, extent, _) = self.m, self.m.more
        outputs = _outputs(guard, with_output)
        self._walk(guard.table, guard.size, outputs)
        self.unless(low, "<=", 0)  # no address is null, or beyond the signed numbers, which no process has
        if outputs:
            self.extent(extent, guard.extent)
            m.add_checked(high, extent, self.fail)
            self._no_alias_with(outputs, low)

    def _inside(self, guard: StridedMatrices | Offsets) -> None:
        """Convert more[0] and more[1] from the smallest and largest distance of a matrix to the first byte and the end
        of all matrices.

        They must lie in the owner's memory, which is that of the array's base if it is an array, else that of the array
        itself.
        """
        m, array, (low, high, extent, owner) = self.m, guard.array, self.m.more
        self.extent(extent, guard.extent)
        m.move(m.x, guards.FAR)
        self.unless(high, ">", m.x)
        m.negate(m.x)
        self.unless(low, "<", m.x)
        m.add(low, self.value(array.to))
        m.add(high, self.value(array.to))
        m.add(high, extent)
        self._owner(array)
        m.move(m.z, ScalarMemory(owner, cpython.DATA))
        self.unless(low, "<", m.z)
        m.add(m.z, m.x)
        self.unless(high, ">", m.z)

    def _owner(self, array: ExactArray) -> None:
        """Set more[3] to the array that owns the memory, contiguous and of the same type, and x to its bytes."""
        m, own, (_, _, dimension, owner) = self.m, self.m.asm.label(), self.m.more
        m.move(owner, ScalarMemory(self.args, 8 * array.position))
        m.move(m.y, ScalarMemory(owner, cpython.BASE))
        m.branch(m.y, "==", 0, own)
        m.move(m.z, ScalarMemory(m.y, cpython.TYPE))
        m.branch(m.z, "!=", self.constant(guards.ARRAY_TYPE), own)
        m.move(owner, m.y)
        m.asm.bind(own)
        m.move(m.z, ScalarMemory(owner, cpython.DTYPE))
        self.unless(ScalarMemory(m.z, cpython.TYPE_NUMBER, 4), "!=", array.number)
        contiguous = cpython.C_CONTIGUOUS | cpython.F_CONTIGUOUS
        m.branch_if_bits(ScalarMemory(owner, cpython.FLAGS, 4), contiguous, False, self.fail)
        m.move(m.y, ScalarMemory(owner, cpython.RANK, 4))
        self.unless(m.y, "==", 0)
        m.move(m.z, ScalarMemory(owner, cpython.DIMENSIONS))
        m.move(m.x, array.size)
        with m.loop(m.y):
            m.element(dimension, m.z, m.y)
            m.multiply(m.x, dimension)

    def _no_alias_with(self, outputs: Sequence[Extent], low: Register) -> None:
        """Check that the bytes from `low` to more[1] do not overlap the outputs."""
        m, (_, high, end, _) = self.m, self.m.more
        for output in outputs:
            apart = m.asm.label("apart")
            m.branch(high, "<=", self.value(output.value), apart)
            self.extent(end, output)
            m.add(end, self.value(output.value))
            self.unless(end, ">", low)
            m.asm.bind(apart)


def _outputs(guard: StridedMatrices | Offsets | Addresses, with_output: bool) -> tuple[Extent, ...]:
    """Return the outputs that the matrices of a batch must be apart from. The call may have left the first one out."""
    return ((guard.output,) if with_output else ()) + guard.others
