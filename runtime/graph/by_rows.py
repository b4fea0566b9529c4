"""Programs of any number of rows, built again by their record for each number that calls have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.operands import RUNTIME
from ...microkernels.tuning.products import PROGRAMS
from ..arguments.tracebacks import shortening
from .builder import GraphBuilder
from .compiled import CompiledGraph, compile
from .program import Explanation
from .values import Attribute, GraphValue, RowsRefused, TensorGraph

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike
    from . import rows as programs

programs = lazy(__package__, ".rows")


class Recorded(NamedTuple):
    """A call of a builder: its name, its values and other arguments, and the values that it returned."""

    name: str
    values: tuple[GraphValue | float | None, ...]
    more: Mapping[str, Attribute]
    made: tuple[GraphValue, ...]


class RowsOfCalls:
    """A program whose inputs have as many rows as each call gives: `y = f(x)`. See `ts.graph`.

    f.programs     the programs by their number of rows, the latest ones. They have the machine code of one program,
                   unless f.explain().each_size says why each has its own
    f.explain()    the units of that program, or of the latest one; print(f): the same
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
        self._refused = ""

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
            graph = self._graph(rows)
            made = self._any_rows.of(graph, rows) if self._any_rows is not None else None
            made = made or compile(graph, threads=self._threads, target=self._target)
            for oldest in list(self.programs)[: len(self.programs) + 1 - PROGRAMS.kept]:
                del self.programs[oldest]
            self.programs[rows] = made
        return made

    @cached_property
    def _any_rows(self) -> programs.RowsProgram | None:
        """The program that was lowered once; None if it depends on the number of rows."""
        try:
            return programs.RowsProgram(self._graph, self._threads, self._target)
        except RowsRefused as refused:
            self._refused = str(refused)
            return None

    def _graph(self, rows: int) -> TensorGraph:
        """Return the program for so many rows."""
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
        return build.finish(*(known[each] for each in self._results))

    def explain(self) -> Explanation:
        """Return the units of the program; of the latest one, if each number of rows has its own."""
        if self._any_rows is not None:
            return self._any_rows.explain()
        made = Explanation(list(self.programs.values())[-1].explain() if self.programs else ())
        made.each_size = self._refused
        return made

    def __repr__(self) -> str:
        return f"<program of any number of rows, called with {', '.join(map(str, self.programs)) or 'none yet'}>"

    def __str__(self) -> str:
        return "\n".join(filter(None, [repr(self), str(self.explain())]))

    def __reduce__(self) -> tuple[Callable[..., RowsOfCalls], tuple[object, ...]]:
        return RowsOfCalls, (self._record, self._results, self._threads, self._target)


def is_counted(shape: object) -> bool:
    """Whether the call gives the number of rows of a shape."""
    return isinstance(shape, (tuple, list)) and len(shape) > 0 and shape[0] is RUNTIME
