"""A graph of aot_autograd as a callable: its program is compiled once for each size that comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import torch
from torch.utils._python_dispatch import _disable_current_modes

from .....encoder.deferred import lazy
from .....microkernels.errors import UnsupportedError
from .....microkernels.names import chosen
from .....microkernels.tuning.integrations import INTEGRATIONS
from ....graph.compiled import CompiledGraph, compile
from ....graph.values import RowsRefused, TensorGraph
from .importer import Fallback, ImportedGraph, Importer, WholeGraph
from .symbols import Sizes, not_multiple, symbols_of

if TYPE_CHECKING:
    from ....graph import rows as programs

programs = lazy(__package__, "....graph.rows")

Arguments: TypeAlias = "list[torch.Tensor | int]"


class GraphOptions(NamedTuple):
    """The options of torch.compile(options={...}).

    freeze            whether parameters and buffers never change, so that inference packs them once
    strict            whether a node that no kernel computes is an error
    fallback_random   whether all random numbers are those of torch's eager mode
    """

    freeze: bool = False
    strict: bool = False
    fallback_random: bool = False

    @classmethod
    def of(cls, given: Mapping[str, bool] | None) -> GraphOptions:
        """Return the options that a user has given. Raises ValueError with the nearest name, and TypeError for a value
        that is no truth value."""
        for name, value in (given or {}).items():
            chosen("options", name, cls._fields)
            if not isinstance(value, bool):
                raise TypeError(f"options: {name} is True or False, not {value!r}")
        return cls(**dict(given or {}))


class SizedProgram:
    """A program that is called with torch's arguments."""

    def __init__(self, imported: ImportedGraph, compiled: CompiledGraph) -> None:
        self.imported, self.compiled = imported, compiled
        self._arguments, self._results = imported.arguments, imported.results

    def __call__(self, arguments: Arguments) -> list[object]:
        """Return new tensors, and views of them and of arguments. The list of arguments is emptied, as torch wants."""
        made = [torch.empty_strided(each.shape, each.strides, dtype=each.dtype) for each in self._results.made]
        inputs = [arguments[number].data_ptr() for number in self._arguments]  # type: ignore[union-attr]
        self.compiled.run(inputs, [each.data_ptr() for each in made])
        returned = [each(arguments, made) for each in self._results.returned]
        arguments.clear()
        return returned


class GraphReport(NamedTuple):
    """What became of one graph of torch.

    kind       inference, forward or backward
    nodes      the operators of torch's graph
    compiled   its program; None if torch computes the whole graph
    fallbacks  the nodes that torch computes, with the reasons
    sizes      for which calls the program is, if torch's graph has sizes that calls give
    """

    kind: str
    nodes: int
    compiled: CompiledGraph | programs.RowsProgram | None
    fallbacks: tuple[Fallback, ...]
    sizes: str = ""

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.nodes} operators{self.sizes and ', '}{self.sizes}"]
        if self.compiled is not None:
            lines += [f"  {line}" for line in str(self.compiled.explain()).splitlines()]
        return "\n".join([*lines, *(f"  left to torch: {each}" for each in self.fallbacks)])


class GraphCall:
    """Calls one graph of torch. Calls may overlap in threads: each computes in memory of its own."""

    def __init__(
        self,
        module: torch.fx.GraphModule,
        kind: str,
        options: GraphOptions,
        constants: Mapping[int, torch.Tensor],
    ) -> None:
        self.module, self.kind, self.options, self.constants = module, kind, options, constants
        self._boxed_call = True  # for torch: it takes a list of arguments, which it may empty
        sources, complete = symbols_of(module)
        self._symbols, self._sources = tuple(sources), tuple(sources.values())
        self._plans: dict[tuple[int, ...], Callable[[Arguments], Sequence[object]]] = {}
        self._of_rows: dict[tuple[int, ...], tuple[programs.RowsProgram | None, str]] = {}
        self.reports: list[GraphReport] = []
        if not complete:
            self._whole("sizes that depend on the elements of tensors")
        elif not self._sources:
            self._plans[()] = self._planned(())

    def __call__(self, arguments: Arguments) -> Sequence[object]:
        """Return the results of the graph."""
        key = tuple(each.of(arguments) for each in self._sources)
        plan = self._plans.get(key)
        if plan is None:
            while len(self._plans) >= INTEGRATIONS.sizes:
                self._plans.pop(next(iter(self._plans)), None)
            plan = self._plans.setdefault(key, self._planned(key))
        return plan(arguments)

    def _planned(self, sizes: tuple[int, ...]) -> Callable[[Arguments], Sequence[object]]:
        """Return the program for such sizes."""
        with _disable_current_modes(), torch.no_grad():
            refused = dict[str, str]()
            while True:
                try:
                    imported = self._imported(sizes, refused)
                    program, reason = self._any_rows(sizes) if sizes else (None, "")
                    compiled = None if program is None else program.of(imported.graph, sizes[0])
                    if compiled is not None:
                        return SizedProgram(imported, compiled)
                    compiled = compile(imported.graph)
                    break
                except WholeGraph as error:
                    return self._whole(str(error))
                except UnsupportedError as error:  # a node that no kernel takes: torch computes it
                    node = getattr(error, "node", None)
                    name = imported.origins.get(node) if node is not None else None
                    if name is None or name in refused:
                        return self._whole(str(error))
                    refused[name] = str(error)
            given = ", ".join(map(str, sizes))
            reason = reason or "another graph than that of other numbers of rows"
            self._report(compiled, imported.fallbacks, f"for sizes of {given} alone: {reason}" if sizes else "")
            return SizedProgram(imported, compiled)

    def _imported(self, sizes: tuple[int, ...], refused: Mapping[str, str]) -> ImportedGraph:
        """Return the graph for such sizes."""
        return Importer(self.module, Sizes(dict(zip(self._symbols, sizes))), self.constants, refused).run()

    def _any_rows(self, sizes: tuple[int, ...]) -> tuple[programs.RowsProgram | None, str]:
        """Return the program for any number in place of the first size, or the reason why there is none, which is the
        same for all others."""
        others = sizes[1:]
        refused = next((each for each in self._of_rows.values() if each[0] is None), None)
        if refused is not None:
            return refused
        if others not in self._of_rows:
            while len(self._of_rows) >= INTEGRATIONS.sizes:
                self._of_rows.pop(next(iter(self._of_rows)), None)
            self._of_rows[others] = self._lowered_once(others)
        return self._of_rows[others]

    def _lowered_once(self, others: tuple[int, ...]) -> tuple[programs.RowsProgram | None, str]:
        strange = not_multiple(self.module, self._symbols[0])

        def graph_of(rows: int) -> TensorGraph:
            try:
                imported = self._imported((rows, *others), {})
            except WholeGraph as error:
                raise RowsRefused(str(error)) from None
            if imported.fallbacks:
                raise RowsRefused(f"{imported.fallbacks[0].name} is left to torch")
            return imported.graph

        if strange:
            return None, f"it has a size of {strange}"
        try:
            program = programs.RowsProgram(graph_of)
        except RowsRefused as error:
            return None, str(error)
        first = ", ".join([f"any {self._symbols[0]}", *map(str, others)])
        self._report(program, (), f"for sizes of {first}")
        return program, ""

    def _whole(self, reason: str) -> Callable[[Arguments], Sequence[object]]:
        """Return torch's own way to compute the graph."""
        self._sources = ()
        self._report(None, (Fallback("the whole graph", reason, "all results"),))
        self._plans[()] = lambda arguments: self.module.forward(*arguments)
        return self._plans[()]

    def _report(
        self, compiled: CompiledGraph | programs.RowsProgram | None, fallbacks: tuple[Fallback, ...], sizes: str = ""
    ) -> None:
        if fallbacks and self.options.strict:
            listed = "\n".join(map(str, fallbacks))
            raise UnsupportedError(f"strict: no kernels for {len(fallbacks)} operators of the graph:\n{listed}")
        nodes = sum(node.op == "call_function" for node in self.module.graph.nodes)
        self.reports.append(GraphReport(self.kind, nodes, compiled, fallbacks, sizes))
