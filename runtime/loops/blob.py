"""The machine code of a nest as one blob: its loops and the kernels that they call."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import cached_property
from ..scalar.native import MACHINES
from .code import Node, calls
from .emission import append, emit

if TYPE_CHECKING:
    from ...encoder import restore
    from ...encoder.code import Code

restore = lazy(__package__, "...encoder.restore")


def check_target(nodes: Sequence[Node], target: Target) -> None:
    """ValueError for a kernel of another target than the nest's."""
    for call in calls(tuple(nodes)):
        made = call.kernel.target
        if made != target:
            raise ValueError(f"{call.kernel.name} is made for {made.name}, the nest for {target.name}")


class Blob:
    """The code of a nest.

    data       all bytes
    name       the C symbol: `stem` and a checksum of the bytes
    code       the code with the record that listings and objects need, made on first use
    features   the features that the instructions need
    target     the target of the kernels, which must be the same for all
    """

    def __init__(self, nodes: Sequence[Node], target: Target, stem: str = "nest") -> None:
        self.target, self.nodes = target, tuple(nodes)
        check_target(nodes, target)
        machine = MACHINES[target.arch]()()
        labels = emit(machine, self.nodes)
        self._loops = len(machine.asm.buffer)
        self._placed: list[tuple[int, Any]] = []
        self.features: frozenset[str] = frozenset()
        for kernel, label in labels.items():
            start, origin = append(machine, kernel, label)
            self._placed.append((start, origin))
            self.features |= origin.features
        made = machine.asm.finish("nest")
        self.data, self._labels, self._notes = made.data, made.labels, made.notes
        self.features |= made.features
        self.name = f"ts_{stem}_{zlib.crc32(self.data):08x}"

    @cached_property
    def code(self) -> Code:
        """The code with the labels and notes of all parts; the constants of kernels are bytes between them."""
        labels, notes = dict(self._labels), list(self._notes)
        gaps, end = [], self._loops
        for start, origin in self._placed:
            code = origin.code
            gaps.append((end, start - end))
            labels |= {f"{code.name}.{name}": start + offset for name, offset in code.labels.items()}
            labels |= {f"{code.name}{each.label}": start + each.offset for each in code.pool}
            notes += [(start + offset, text) for offset, text in code.notes]
            gaps += [
                (start + each.offset, len(each.data))
                for each in code.instructions
                if each.form.mnemonic == "nop" and not each.operands
            ]
            end = start + len(code.data)
            cuts = [start + code.text_size, *(start + each.offset for each in code.pool), end]  # a label stands at each
            gaps += [(begin, behind - begin) for begin, behind in zip(cuts, cuts[1:])]
        gaps.append((end, len(self.data) - end))  # constants of the loops
        facts = {
            "labels": labels,
            "notes": sorted(notes),
            "padded": [gap for gap in gaps if gap[1]],
            "pool": [],
            "references": [],
            "roles": [],
        }
        made: Code = restore.again(self.name, self.target, self.data, len(self.data), facts)
        return made
