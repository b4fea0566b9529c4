"""The steps of a compiled graph: what they call, and where their operands lie."""

from __future__ import annotations

from typing import TypeAlias

from ...encoder.records import NamedTuple

ARENA, ARGUMENTS = range(2)
"""The slot of the values between steps, whose memory is lent to a call and holds anything before the first step; and
the first slot of arguments. Those of constants follow them."""


class SlotAddress(NamedTuple):
    """The word of a slot plus a number of bytes: an address, or a number that the call gives. The slot -1 - n is part n
    of the arena (`ArenaPart`)."""

    slot: int
    offset: int = 0


Origin: TypeAlias = "tuple[object, ...]"
"""Numbers, strings, None, and tuples of such."""


class ArenaPart(NamedTuple):
    """A part of the arena whose size depends on the rows of the call: its bytes for each row, and those of the parts
    before it."""

    bytes: int
    before: int


class PythonEntry:
    """A function of Python as the entry of a step, which is called with the addresses and numbers of its operands.

    origin   what the graph makes it of, for another process that finds the graph in the cache folder; None: nothing
    """

    name: str
    origin: Origin | None = None

    def __call__(self, *words: int) -> None:
        """Compute."""
        raise NotImplementedError

    def of_rows(self, rows: int) -> PythonEntry:
        """Return the function for calls of so many rows; it is the same one if it does not depend on them."""
        return self


Entry: TypeAlias = object
"""A kernel, a job of kernels, or a function of Python: what `stages.stage_of` takes, or a `PythonEntry`."""


class OperandArray(NamedTuple):
    """An array as an operand: its shape, its strides in bytes, and the bytes of an element."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size: int


class GraphStep(NamedTuple):
    """A step of a graph.

    entry      what it calls
    operands   in the order of the entry's C function, or of its calls with addresses. A plain int is a number that is
               known when the step is made, such as a leading dimension; it is no address
    name       for texts and errors; "": that of the entry's request
    arrays     of the operands, for entries that do not say themselves what they touch, as jobs on arrays: such a step
               touches no other elements. None, or nothing: nobody knows
    """

    entry: Entry
    operands: tuple[SlotAddress | int, ...]
    name: str = ""
    arrays: tuple[OperandArray | None, ...] = ()


class RepeatedOperand(NamedTuple):
    """Where a step of a loop has an operand: an operand of the loop by its number, the bytes behind its address, and
    how many more in each further iteration.

    first   the operand of the loop and the bytes behind its address where the step has it in the first iteration, if
            not there
    """

    operand: int
    offset: int = 0
    advance: int = 0
    first: tuple[int, int] | None = None


class RepeatedStep(NamedTuple):
    """A step of a loop: see `GraphStep`."""

    entry: Entry
    operands: tuple[RepeatedOperand | int, ...]
    name: str = ""
    arrays: tuple[OperandArray | None, ...] = ()
