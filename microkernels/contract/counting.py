"""Instructions counted by emitting them, so that the numbers that planners compare are those of the code.

A `Counter` counts what any functions append to a machine. `code_of_unit` counts the verbs of a tensor unit on
whole registers. A unit of several phases has other code in each phase, so its counts are means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Generic

from ...encoder.code import each_recorded
from ..dtypes import ELEMENT_BYTES
from .dot_and_tile import GROUP_BYTES, FragmentsOf, GroupsOf, UnitCode, UnitFacts, UnitOf, VerbCounts
from .equation import sum_type
from .mmla import BLOCK_BYTES
from .tensor_instruction import ROWS_OF_2, instruction_of
from .vector_verbs import AddressT, FactorT, GeneralT, LanesT

if TYPE_CHECKING:
    from .machine import MachineOf
    from .unit_table import TensorUnit

Emit = Callable[[], object]
_DISTANCE = 64
"""Bytes between rows or elements that are not neighbours. The number of instructions does not depend on it."""


class Counter(Generic[GeneralT, AddressT, LanesT, FactorT]):
    """Counts instructions that are appended to a machine.

    memory  the class of operands in memory
    slots   the time of instructions on the FMA pipes by mnemonic, in full FMAs; that of all others is 1
    """

    def __init__(
        self, m: MachineOf[GeneralT, AddressT, LanesT, FactorT], memory: type, slots: Mapping[str, float]
    ) -> None:
        self.m, self.memory, self.slots = m, memory, slots

    def count(self, *emitters: Emit) -> VerbCounts:
        """Return the mean of the instructions that each of the functions appends."""
        start = len(self.m.asm.record)
        for emit in emitters:
            emit()
        every = [*each_recorded(self.m.asm.record[start:])]
        loads = sum([any(type(each) is self.memory for each in operands) for _, operands, _ in every])
        slots = sum([self.slots.get(form.mnemonic, 1) for form, _, _ in every])
        count = len(emitters) or 1
        return VerbCounts(len(every) / count, loads / count, slots / count)

    def rows(self, count: int) -> list[AddressT]:
        """Return the addresses of rows, or of elements, that are not neighbours."""
        base = self.m.at(self.m.general("operand"))
        return [self.m.further(base, _DISTANCE * row) for row in range(count)]


def code_of_unit(
    counter: Counter[GeneralT, AddressT, LanesT, FactorT],
    unit: FragmentsOf[AddressT, LanesT, FactorT],
    types: tuple[str, str, str],
    packs: bool = True,
) -> UnitCode:
    """Count the verbs of a unit, for each of which the kernel has opened it. types: of row vectors, groups and sums.
    packs: there are packed row vectors."""
    m, facts, registers, two = counter.m, unit.facts, unit.registers, unit.facts.columns > 1
    lanes = m.lanes(types[2], (facts.widest or m.facts.widths[0]) // 8 // ELEMENT_BYTES[types[2]])
    size, depth, phases = ELEMENT_BYTES[types[0]], facts.depth, range(facts.phases)
    for place in (size, GROUP_BYTES, BLOCK_BYTES) if two else (size,):
        unit.prepare_rows(lanes, place)
    places = counter.rows(depth)
    claimed = m.vectors(2 * registers + 1 + facts.columns + facts.temporaries + facts.temporaries_of_rows, "registers")
    with claimed as (*every, last), unit.opened():
        acc, x, (y, *spare) = every[:registers], every[registers : 2 * registers], [*every[2 * registers :], last]
        factors: list[int | FactorT] = []

        def rows(elements: int, across: int = 1) -> VerbCounts:
            of, some = GroupsOf(elements, size, across, depth), places[: across if across > 1 else depth // elements]
            return counter.count(*[partial(unit.load_a, phase, x, some, of, lanes, spare) for phase in phases])

        def columns(elements: int, across: int = 1) -> VerbCounts:
            of, some = GroupsOf(elements, size, across, depth), [places[: depth // elements]] * facts.columns
            loads = [partial(unit.load_b, phase, y, some, of, lanes, spare) for phase in phases]
            return counter.count(*[lambda load=load: factors.append(load()) for load in loads])

        packed = rows(depth, facts.columns) if packs else VerbCounts()
        plain, fetch, strided = rows(1), columns(depth), columns(1)
        product = counter.count(*[partial(unit.mma, phase, acc, x, factors[phase], lanes, spare) for phase in phases])
        several = VerbCounts()
        if facts.by_element:
            assert isinstance(unit, UnitOf), "units of single columns multiply by element"
            several = counter.count(partial(unit.fetch_several, y, places[0], lanes))
        shared = (rows(GROUP_BYTES // size), columns(GROUP_BYTES // size), columns(depth, 2)) if two else ()
    product, packed = (VerbCounts(*[count / registers for count in each]) for each in (product, packed))
    return UnitCode(product, packed, plain, fetch, strided, several, *shared)


def counted(
    row: TensorUnit, facts: UnitFacts, counter: Counter[GeneralT, AddressT, LanesT, FactorT], converts: type
) -> UnitFacts:
    """Return the facts of a unit with its counts, and the row of its instruction. converts: the class of units whose
    loads convert both factors to f32."""
    types = row.row_vectors, row.groups, "f16" if facts.half else sum_type(row.row_vectors, row.groups)
    unit = row.unit(counter.m, facts, *types[:2])
    code = code_of_unit(counter, unit, types, packs=row.form != ROWS_OF_2)
    single = code.product.instructions == 1 and facts.phases == 1 and not (facts.corrected or facts.emulated)
    held = "f32" if isinstance(unit, converts) else ""
    made = instruction_of(facts.name, row.form, types, single=single, replaced=facts.emulated, held=held, e=facts.depth)
    return facts._replace(code=code, instruction=made)
