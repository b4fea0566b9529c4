"""The code of a reduction's parts, as its plan holds it."""

from __future__ import annotations

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..codegen.lowered import GIVEN, Lowered
from ..codegen.reducer import Apart, Running


@dataclass(frozen=True)
class Output:
    """The code of one output. Down columns nothing is folded: a result comes from the state.

    join    two states -> one
    settle  a state -> the registers that are folded; None where those are the state
    fold    two settled states -> one
    result  what is left -> the element that is stored
    """

    running: Running
    first: int  # number of its first register, among those of all outputs
    join: Lowered | None
    settle: Lowered | None
    fold: Lowered | None
    result: Lowered
    adds: bool = False  # whether folding is nothing but additions of floats
    apart: Apart | None = None  # how interleaved rows are folded without their masks

    @cached_property
    def parts(self) -> int:
        """Registers that a result comes from."""
        return len(self.running.types if self.fold is None else self.running.settled("a"))


class FirstMatch(NamedTuple):
    """Finds the first element of a block that is as good as the best one.

    look     vectors of a block, the best element -> the index of the first match within the block, lane by lane
    lowest   how those are folded to the lowest index
    add      that index + the index of the block
    """

    look: Lowered
    lowest: Output
    add: Lowered


class Exact(NamedTuple):
    """The steps that an index search makes where quick ones met a NaN: one vector at a time.

    step    for as many accumulators as the quick step
    tail    the same for the tail of a row
    """

    step: Lowered
    tail: Lowered | None


class IndexCounter(NamedTuple):
    """The indices of an index search, in two registers: those of a step's first elements, and how far a turn advances;
    in a third one those of the second elements where steps take two.

    pace         elements that a turn advances
    beside       elements from a vector of a step to the next one
    advance      the indices -> those of the next turn
    later        code for the second accumulator of a row, the third...: its indices lag behind by whole vectors
    first_match  where steps take blocks of vectors
    """

    pace: int
    beside: int
    advance: Lowered
    later: tuple[Lowered, ...]
    first_match: FirstMatch | None


def checked(code: Lowered | None, given: int) -> Lowered | None:
    """The code, after a check: a result goes to the register of the input of the same number, which no later line may
    read."""
    for i, line in enumerate(code.lines if code is not None else ()):
        if line.op == "store":
            home = line.copy * given + line.value
            later = code.lines[i + 1 :] if code is not None else ()
            assert line.srcs[0] == (GIVEN, home) or all((GIVEN, home) not in other.srcs for other in later), code
    return code
