"""The code of a reduction's parts, in the form that its plan holds."""

from __future__ import annotations

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..codegen.lowered import GIVEN, Lowered
from ..codegen.reducer import MaskedFold, Running


@dataclass(frozen=True)
class Output:
    """The code of one output. Down columns nothing is folded: a result is computed from the state.

    join    two states -> one
    settle  a state -> the registers that are folded; None if these are the state itself
    fold    two settled states -> one
    result  the last state -> the element that is stored
    """

    running: Running
    first: int  # the number of its first register among those of all outputs
    join: Lowered | None
    settle: Lowered | None
    fold: Lowered | None
    result: Lowered
    adds: bool = False  # whether folding only adds floats
    masked_fold: MaskedFold | None = None  # how interleaved rows are folded without their masks

    @cached_property
    def parts(self) -> int:
        """The number of registers from which a result is computed."""
        return len(self.running.types if self.fold is None else self.running.settled("a"))


class FirstMatch(NamedTuple):
    """Finds the first element of a block that is as good as the best one.

    look     vectors of a block, the best element -> each lane's index of its first match within the block
    lowest   the code that folds these to the lowest index
    add      adds the index of the block to it
    """

    look: Lowered
    lowest: Output
    add: Lowered


class Exact(NamedTuple):
    """The steps of an index search that replace quick ones that met a NaN. They take one vector at a time.

    step    the step, unrolled for as many accumulators as the quick one
    tail    the step for the tail of a row
    """

    step: Lowered
    tail: Lowered | None


class IndexCounter(NamedTuple):
    """The code that counts the indices of an index search. One register holds the indices of a step's first elements, a
    second one how far a turn advances them; a third one holds the indices of the second elements if steps take two.

    pace         elements by which a turn advances
    beside       elements from one vector of a step to the next
    advance      the indices -> those of the next turn
    later        the code for a row's second accumulator, the third, ..., whose indices lag behind by whole vectors
    first_match  finds an index within a block, if steps take blocks of vectors
    """

    pace: int
    beside: int
    advance: Lowered
    later: tuple[Lowered, ...]
    first_match: FirstMatch | None


def checked(code: Lowered | None, given: int) -> Lowered | None:
    """Return the code after a check: each result overwrites the register of the input of the same number, which no
    later line may read."""
    for i, line in enumerate(code.lines if code is not None else ()):
        if line.op == "store":
            home = line.copy * given + line.value
            later = code.lines[i + 1 :] if code is not None else ()
            assert line.srcs[0] == (GIVEN, home) or all((GIVEN, home) not in other.srcs for other in later), code
    return code
