"""Programs of any number of rows: one compiled program for each number that calls have, built again by its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.operands import RUNTIME
from ...microkernels.tuning.products import PROGRAMS
from ..arguments.tracebacks import shortening
from .builder import GraphBuilder
from .compiled import CompiledGraph, compile
from .program import Explanation
from .values import Attribute, GraphValue

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike


class Recorded(NamedTuple):
    """A call of a builder: its name, its values and other arguments, and the values that it returned."""

    name: str
    values: tuple[GraphValue | float | None, ...]
    more: Mapping[str, Attribute]
    made: tuple[GraphValue, ...]


class RowsOfCalls:
    """A program whose inputs have as many rows as each call gives: `y = f(x)`. See `ts.graph`.

    f.programs     the compiled programs by their number of rows, the latest ones
    f.explain()    the units of the latest one; print(f): the same
    """

    def __init__(
        self,
        record: Sequence[Recorded],
        results: Sequence[GraphValue],
        threads: int | None,
        target: TargetLike,
    ) -> None:
        self._record, self._results, self._threads, self._target = tuple(record), tuple(results), threads, target
        inputs = [each for each in self._record if each.name == "input"]
        self._rows = [(place, each.made[0].name) for place, each in enumerate(inputs) if is_counted(each.more["shape"])]
        self.programs: dict[int, CompiledGraph] = {}

    @shortening
    def __call__(self, *inputs: ArrayLike, out: ArrayLike = None, threads: int | None = None) -> ArrayLike:
        """Return the result, or a tuple of results, in new arrays or in those of `out`."""
        counts = {name: np.shape(inputs[place])[:1] for place, name in self._rows if place < len(inputs)}
        found = set(counts.values())
        if len(found) != 1 or not all(found):
            raise ValueError(f"{', '.join(name for _, name in self._rows)}: arrays of one number of rows, not {counts}")
        return self.of(found.pop()[0])(*inputs, out=out, threads=threads)

    def of(self, rows: int) -> CompiledGraph:
        """Return the program of so many rows."""
        made = self.programs.get(rows)
        if made is None:
            made = self._built(rows)
            for oldest in list(self.programs)[: len(self.programs) + 1 - PROGRAMS.kept]:
                del self.programs[oldest]
            self.programs[rows] = made
        return made

    def _built(self, rows: int) -> CompiledGraph:
        build, known = GraphBuilder(), dict[GraphValue, GraphValue]()
        for each in self._record:
            values = [known[value] if isinstance(value, GraphValue) else value for value in each.values]
            if each.name == "input":
                shape = [rows if extent is RUNTIME else extent for extent in each.more["shape"]]  # type: ignore[attr-defined]
                made: tuple[GraphValue, ...] = (build.input(shape, each.more["dtype"], name=each.made[0].name),)
            elif each.name == "constant":
                made = (build.constant(each.made[0].constant, name=each.made[0].name),)
            else:
                made = build.results(each.name, *values, **each.more)
            known.update(zip(each.made, made))
        return compile(
            build.finish(*(known[each] for each in self._results)), threads=self._threads, target=self._target
        )

    def explain(self) -> Explanation:
        """Return the units of the latest program; none before the first call."""
        return Explanation(list(self.programs.values())[-1].explain() if self.programs else ())

    def __repr__(self) -> str:
        return f"<program of any number of rows, compiled for {', '.join(map(str, self.programs)) or 'none yet'}>"

    def __str__(self) -> str:
        return "\n".join([repr(self), *([str(self.explain())] if self.programs else [])])


def is_counted(shape: object) -> bool:
    """Whether the call gives the number of rows of a shape."""
    return isinstance(shape, (tuple, list)) and len(shape) > 0 and shape[0] is RUNTIME
