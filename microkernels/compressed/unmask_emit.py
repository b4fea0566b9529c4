"""Emit an expanded block of weights that are bit masks and non-zeros as its plan says. No decisions are made here.

for groups of rows:
    for vectors, or bits, of the group:
        y = the next non-zeros where bits are set, else 0;  go behind these non-zeros

or, where elements are moved one by one but lie in the order of the bits:

for groups of rows:
    y = 0
    for bits that are set:
        y = the next non-zero

Only as many non-zeros are read as bits are set. Bits of columns and rows outside of the matrix are 0.
"""

from __future__ import annotations

from ..codegen.counters import NamedCounters
from ..contract.machine import General, Machine
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE, parameters
from ..tuning.products import COMPRESSED
from .unmask_plan import BITS, VECTORS, UnmaskPlan


def emit(m: Machine, plan: UnmaskPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.how != BITS)
    given = m.argument_registers(parameters(plan.spec.arguments))
    with m.predicates():
        if plan.how == BITS:
            _Bits(m, plan, given).emit()
        else:
            _in_order(m, plan, given)
    m.leave()


def _in_order(m: Machine, plan: UnmaskPlan, given: dict[str, General]) -> None:
    """Emit the groups of rows, whose elements lie in the order of the bits."""
    spec, size = plan.spec, ELEMENT_BYTES[plan.spec.dtype]
    masks, nonzeros, y = (given[each] for each in ("masks", "nonzeros", "y"))
    width = spec.columns * spec.group
    places = [(first, min(plan.vector, width * size - first)) for first in range(0, width * size, plan.vector)]
    lanes = {count: m.lanes("u8", count) for _, count in places}
    counter = m.counter("groups") if spec.groups > 1 else None
    expands = plan.how == VECTORS
    bits, position = (None, None) if expands else (m.general("bits"), m.general("position"))
    with m.vectors(1, "elements") as (register,), m.loop(counter, spec.groups):
        if not expands:
            m.zero(register, lanes[places[0][1]])
        for first, count in places:
            if expands:
                m.prefetch_line(m.at(nonzeros, COMPRESSED.nonzeros_ahead), 1)
                if not first:
                    m.prefetch_line(m.at(masks, CACHE_LINE), 1)
                m.expand(register, nonzeros, m.at(masks, first // size // 8), size)
            m.store(m.at(y, first), register, lanes[count])
        if bits is not None and position is not None:
            for word in range(-(-width // 64)):
                m.load_index(bits, masks, 8 * word, 8)
                with m.each_bit(bits, position):
                    m.load_element(nonzeros, None, 0, size)
                    m.advance(nonzeros, size)
                    m.store_element(y, position, 64 * word * size, size)
        m.advance(masks, 8 * spec.group)
        m.advance(y, spec.ldy * size)


class _Bits:
    """The loops over the bits of a group's masks.

    bits   the mask at hand, whose lowest bit is that of the next element
    rows   where the next elements of a group's rows are written
    """

    def __init__(self, m: Machine, plan: UnmaskPlan, given: dict[str, General]) -> None:
        self.m, self.spec = m, plan.spec
        self.masks, self.nonzeros = given["masks"], given["nonzeros"]
        self.bits = m.general("bits")
        apart = 1 if self.spec.packed else self.spec.group
        self.rows = [given["y"], *(m.general("a row of y") for _ in range(apart - 1))]
        self.size, self.out = ELEMENT_BYTES[self.spec.dtype], ELEMENT_BYTES[self.spec.out]
        self._loop = NamedCounters(m).loop
        for number, row in enumerate(self.rows[1:], 1):
            m.copy(row, self.rows[0])
            m.advance(row, number * self.spec.ldy * self.out)

    def emit(self) -> None:
        """Emit the loop over groups. A group with fewer rows writes these only, or zeros if they lie side by side."""
        whole, rest = divmod(self.spec.rows, self.spec.group)
        if whole:
            with self._loop("groups", whole):
                self._group(self.spec.group)
        if rest:
            self._group(self.spec.group if self.spec.packed else rest)

    def _group(self, rows: int) -> None:
        m, spec = self.m, self.spec
        words, rest = divmod(spec.columns * spec.group, 64)
        if words:
            with self._loop("words", words):
                self._word(64, rows)
        if rest:
            self._word(rest, rows)
        m.advance(self.masks, 8 * (spec.group - words - bool(rest)))
        back = self._written(words * 64 + rest)
        for row in self.rows:
            m.advance(row, spec.ldy * len(self.rows) * self.out - back)

    def _written(self, bits: int) -> int:
        """Return the bytes of each row for so many bits."""
        return bits // len(self.rows) * self.out

    def _word(self, count: int, rows: int) -> None:
        """Emit the elements of the lowest bits of the next mask."""
        self.m.load_index(self.bits, self.masks, 0, 8)
        self.m.advance(self.masks, 8)
        pieces, rest = divmod(count, COMPRESSED.bits)
        if pieces:
            with self._loop("bits", pieces):
                self._piece(COMPRESSED.bits, rows)
        if rest:
            self._piece(rest, rows)

    def _piece(self, count: int, rows: int) -> None:
        m, apart = self.m, len(self.rows)
        for number in range(count):
            column, row = divmod(number, apart)
            if row < rows:
                self._element(self.rows[row], column * self.out, 1 << number % COMPRESSED.shifted)
            if (number + 1) % COMPRESSED.shifted == 0:
                m.shift_right(self.bits, COMPRESSED.shifted)
        for each in self.rows:
            m.advance(each, self._written(count))

    def _element(self, row: General, place: int, bit: int) -> None:
        """Write an element; the upper half of an f32 is a bf16."""
        m, above = self.m, self.out - self.size
        m.zero_element()
        if above:
            m.store_element(row, None, place, above)
        with m.if_bit(self.bits, bit):
            m.load_element(self.nonzeros, None, 0, self.size)
            m.advance(self.nonzeros, self.size)
        m.store_element(row, None, place + above, self.size)
