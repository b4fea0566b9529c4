"""Blocks of B from bit masks and non-zeros (microkernels/compressed/bitmask.py), as products read them.

A call expands the rows of a word of a strip's table, which says where their non-zeros begin. Calls go along the rows of
a block, so that neighbouring bytes are written one after the other.
"""

from __future__ import annotations

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.compressed.bitmask import BitmaskForm
from ...microkernels.compressed.form import STRIP
from ...microkernels.compressed.unmask_spec import unmask_spec
from ...microkernels.dtypes import ELEMENT_BYTES
from ..kernel.callable import kept
from ..loops.code import Address, Call, Load, Node, index, pieces
from .expansion import BlockLayout


class Unmasking(NamedTuple):
    """The expansion of blocks of weights that are bit masks on a target."""

    form: BitmaskForm
    layout: BlockLayout
    target: Target

    def block(self, depth: int, columns: int, source: Address, to: Address) -> list[Node]:
        """Return the calls that expand `depth` rows and `columns` columns. `source` is the address of the first row's
        word of the table, `to` that of the packed block."""
        form, layout, made = self.form, self.layout, list[Node]()
        group = form.together if layout.paired else 1
        leading, size = (layout.leading or columns) * group, ELEMENT_BYTES[layout.dtype]
        for down, deep in pieces("u", depth, form.unit):
            body = list[Node]()
            for across, wide in pieces("w", columns, STRIP):
                word = source.offset + across.start * form.strides[1] + down.start * form.strides[0]
                place = to.offset + across.start * (group * size) + down.start * (leading // group * size)
                kernel = kept(unmask_spec(form.dtype, layout.dtype, deep, wide, layout.paired, leading), self.target)
                masks = Address(source.operand, word * 8 + form.masks)
                nonzeros = Address(source.operand, index("nonzeros"))
                call = Call(kernel, (masks, nonzeros, Address(to.operand, place)))
                body += across.around([Load(("nonzeros",), source.operand, word, (call,))])
            made += down.around(body)
        return made
