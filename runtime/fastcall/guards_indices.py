"""The code of the guard that copies and checks indices, which comes after all others."""

from __future__ import annotations

from functools import partial

from ...encoder.operands import Label
from ..scalar.machine import Scalar
from .copied_indices import FRAMED, IndexCopier
from .guards import CallEntry, Runtime
from .guards_batch import BatchEmitter


class IndexEmitter(BatchEmitter):
    """Adds a block of the kernel's parameters to the frame, and the space for copies behind it."""

    def __init__(self, entry: CallEntry, machine: Scalar, runtime: Runtime) -> None:
        super().__init__(entry, machine, runtime.allocate, runtime.free)
        self.copier, self.indices = runtime.copies, entry.indices
        if self.indices is not None:
            self.slots |= {name: self.frame + i for i, name in enumerate((" self", " args", " long"))}
            self.block = self.frame + 3
            self.frame = self.block + len(entry.parameters) + FRAMED

    def check_all(self, missing: str | None) -> None:
        """Emit all guards."""
        super().check_all(missing)
        if self.indices is None:
            return
        m, names = self.m, self.entry.parameters
        m.asm.note("copiedindices")
        with self._arguments_kept(), self.spilling():
            for place in self.indices.read:
                m.move(m.x, self.slot(names[place]))
                m.move(m.slot(self.block + place), m.x)
            parameters, checks, space = m.arguments[:3]
            m.address(parameters, m.stack, offset=8 * self.block)
            m.move(checks, self.slot(" constants"))
            m.add(checks, 8 * self.indices.checks)
            m.address(space, m.stack, offset=8 * (self.block + len(names)))
            m.call(self.copier)
            m.move(self.slot(" long"), m.result)
            for name in self.indices.copied:
                m.move(m.x, m.slot(self.block + names.index(name)))
                m.move(self.slot(name), m.x)
        self.unless(self.slot(" long"), "==", IndexCopier.outside)

    def free_copies(self) -> None:
        """Free the memory for copies, if there is any."""
        super().free_copies()
        if self.indices is not None:
            long, done = self.m.asm.label("long"), self.m.asm.label("left")
            self.m.branch(self.slot(" long"), "!=", 0, long)
            self.m.asm.bind(done)
            self.rare.append((long, partial(self._free, done)))

    def _free(self, done: Label) -> None:
        self.m.move(self.m.arguments[0], self.slot(" long"))
        self.m.call(self.free)
        self.m.jump(done)
