"""Graphs of aot_autograd as graphs of the graph compiler.

Each ATen operator becomes nodes by its row of the table. What has no row, or is refused by it, is a foreign node that
calls torch's operator, with the reason. Sizes that are symbols are numbers here: a graph is imported once for each
size that comes (`symbols`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import torch

from .....microkernels.errors import UnsupportedError
from .....microkernels.tuning.integrations import INTEGRATIONS
from ....graph.builder import GraphBuilder
from ....graph.values import GraphNode, GraphValue, TensorGraph
from ..library import NAMESPACE
from .dtypes import KERNELS, array_of, numpy_dtype
from .foreign import TensorPlace, TorchCall, depends_on_memory, has_other_shapes, is_random
from .lowering import AtenLowering
from .results import ReturnedResults, results_of
from .rows import AtenRow, CallRefused, Types
from .symbols import Sizes
from .table import row_of

Entry: TypeAlias = "GraphValue | float | None | torch.fx.GraphModule | tuple[GraphValue | None, ...]"
"""What a node of torch stands for."""
T = TypeVar("T")
_F32 = np.dtype("f4")
_OPAQUE = {"aten::mkldnn_rnn_layer": "a whole LSTM, which this operator is"}
"""What operators are whose names do not say it."""
_EFFECTS = torch.ops.higher_order.with_effects


class Fallback(NamedTuple):
    """A node that torch computes: the operator, the reason, and what it makes."""

    name: str
    reason: str
    result: str

    def __str__(self) -> str:
        return f"{self.name} -> {self.result}: {self.reason}"


class WholeGraph(Exception):
    """Nothing here can take the graph; the message is the reason."""


class ImportedGraph(NamedTuple):
    """A graph, and how a call of torch's graph is a call of it.

    graph       the graph
    arguments   the numbers of the arguments that its inputs are
    results     its results as tensors, and what the call returns of them
    fallbacks   the nodes that torch computes
    origins     the name of torch's node for each node of the graph
    """

    graph: TensorGraph
    arguments: tuple[int, ...]
    results: ReturnedResults
    fallbacks: tuple[Fallback, ...]
    origins: Mapping[GraphNode, str]


class Importer:
    """Imports one graph for given sizes. `constants` are tensors by the numbers of the arguments that never change;
    `refused` has reasons for nodes, by name, that the compiler found no kernel for."""

    def __init__(
        self,
        module: torch.fx.GraphModule,
        sizes: Sizes,
        constants: Mapping[int, torch.Tensor],
        refused: Mapping[str, str],
    ) -> None:
        self.module, self.sizes, self.constants, self.refused = module, sizes, constants, refused
        self.builder = GraphBuilder()
        self.lowering = AtenLowering(self.builder)
        self.entries: dict[torch.fx.Node, Entry] = {}
        self.fallbacks: list[Fallback] = []
        self.made: list[str] = []

    def run(self) -> ImportedGraph:
        """Return the graph. Raises WholeGraph if no graph can stand for it."""
        arguments: list[int] = []
        number = 0
        output = None
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                if self._placeholder(node, number):
                    arguments.append(number)
                number += 1
            elif node.op == "get_attr":
                self.entries[node] = self._attribute(node)
            elif node.op == "call_function":
                self.entries[node] = self._call(node)
                self.made += [node.name] * (len(self.builder.nodes) - len(self.made))
            elif node.op == "output":
                output = node
            else:
                raise WholeGraph(f"a node of kind {node.op}")
        assert output is not None
        plan, values = results_of(output, self.sizes, self.entries, self._copied)
        graph = self.builder.finish(*values, strides=[each.strides for each in plan.made])
        origins = dict(zip(graph.nodes, self.made))
        return ImportedGraph(graph, tuple(arguments), plan, tuple(self.fallbacks), origins)

    def _copied(self, value: GraphValue) -> GraphValue:
        """Return a new value with the elements of one."""
        made: GraphValue = self.builder.apply("cast", value, dtype=value.dtype)
        return made

    def _placeholder(self, node: torch.fx.Node, number: int) -> bool:
        """Enter what an argument stands for, and return whether it is an input of the graph."""
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            self.entries[node] = self.sizes.number(value)
            return False
        if all(user.op == "output" or user.target is _EFFECTS and user.args[0] is node for user in node.users):
            self.entries[node] = None
            return False
        if number in self.constants:
            self.entries[node] = self.builder.constant(array_of(self.constants[number]), name=node.name)
            return False
        if value.layout != torch.strided or value.is_quantized or value.device.type != "cpu":
            raise WholeGraph(f"an argument of layout {value.layout} on {value.device}")
        shape, strides = self.sizes.shape(value), self.sizes.strides(value)
        self.entries[node] = self.builder.input(shape, numpy_dtype(value.dtype), name=node.name, strides=strides)
        return True

    def _attribute(self, node: torch.fx.Node) -> Entry:
        found: object = self.module
        for name in str(node.target).split("."):
            found = getattr(found, name)
        if isinstance(found, torch.Tensor):
            return self.builder.constant(array_of(found), name=node.name)
        if isinstance(found, torch.fx.GraphModule):
            return found
        raise WholeGraph(f"an attribute of type {type(found).__name__}")

    # Calls

    def _call(self, node: torch.fx.Node) -> Entry:
        value = node.meta.get("val")
        for each in _several(value):
            if isinstance(each, torch.Tensor) and each.layout != torch.strided:
                raise WholeGraph(f"{node.target}: a tensor of layout {each.layout}")
        if isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable:
            raise WholeGraph(f"{node.target} writes to its argument")
        if node.target is operator.getitem:
            before, number = node.args
            source = self.entries[before] if isinstance(before, torch.fx.Node) else None
            if not isinstance(source, tuple) or not isinstance(number, int):
                raise WholeGraph(f"a part of {before}")
            return source[number]
        if isinstance(value, (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool)):
            return self.sizes.number(value)
        target = node.target
        assert callable(target)
        if target is _EFFECTS:  # a token, for which nothing stands here, then the operator and its arguments
            _, inner, *args = node.args
            assert callable(inner)
            return None, *self._foreign(inner, args, node.kwargs, _several(value)[1:], "it has effects", ordered=True)
        try:
            if not isinstance(target, torch._ops.OpOverload):
                raise CallRefused("no operator of ATen")
            return self._lowered(node, target)
        except (CallRefused, UnsupportedError) as error:
            listed = not _is_seed(node)
            made = self._foreign(target, node.args, node.kwargs, _several(value), str(error), listed=listed)
            return made if isinstance(value, (tuple, list)) else made[0]

    def _lowered(self, node: torch.fx.Node, target: torch._ops.OpOverload) -> Entry:
        """Return what the row of an operator makes."""
        if node.name in self.refused:
            raise CallRefused(self.refused[node.name])
        results = [each for each in _several(node.meta.get("val")) if isinstance(each, torch.Tensor)]
        row = row_of(target)
        if row is None:
            folded = self._folded(node, target, results)
            if folded is not None:
                return folded
            if is_random(target):
                raise CallRefused("its random numbers are torch's")
            raise CallRefused(f"no kernel computes {_OPAQUE.get(target.name(), 'this operator')}")
        if results and all(self.sizes.count(each) == 0 for each in results):
            return self._empty(node.meta["val"])
        several = isinstance(node.meta["val"], (tuple, list))
        read = [each for at, each in enumerate(_several(node.meta["val"])) if not several or _used(node, at)]
        for each in (*(each for each in read if isinstance(each, torch.Tensor)), *_tensors(node.all_input_nodes)):
            if each.dtype not in KERNELS:
                raise CallRefused(f"tensors of {each.dtype}")
            if self.sizes.count(each) == 0:
                raise CallRefused("a tensor without elements")
        bound = self._bound(target, node)
        self.lowering.result = numpy_dtype(results[0].dtype)
        self.lowering.shapes = tuple(self.sizes.shape(each) for each in results)
        given = self._converted(row, bound, node)
        made = row.lower(self.lowering, *given)
        checked = tuple(
            self._checked(node, one, fake)
            for one, fake in zip(made if isinstance(made, tuple) else (made,), _several(node.meta["val"]), strict=True)
        )
        if any(one is None and _used(node, at) for at, one in enumerate(checked)):
            raise CallRefused("a result that only torch makes")
        return checked if isinstance(node.meta["val"], (tuple, list)) else checked[0]

    def _checked(self, node: torch.fx.Node, made: GraphValue | None, fake: object) -> GraphValue | None:
        """Return a result in the type that torch gives it. Its shape must be torch's."""
        if made is None or not isinstance(fake, torch.Tensor):
            return None
        if tuple(made.shape) != self.sizes.shape(fake):
            raise AssertionError(f"{node.target}: shape {self.sizes.shape(fake)} expected, not {made.shape}")
        return self.lowering.cast(made, fake.dtype)

    def _bound(self, target: torch._ops.OpOverload, node: torch.fx.Node) -> list[object]:
        """Return the arguments of a call in the order of the schema, as the row takes them."""
        given: list[object] = []
        for place, argument in enumerate(target._schema.arguments):
            if place < len(node.args):
                each: object = node.args[place]
            elif argument.name in node.kwargs:
                each = node.kwargs[argument.name]
            else:
                each = argument.default_value
            given.append(self._argument(each))
        return given

    def _argument(self, given: object) -> object:
        if isinstance(given, torch.fx.Node):
            return self.entries[given]
        if isinstance(given, (list, tuple)):
            return [self._argument(each) for each in given]
        if isinstance(given, complex):
            raise CallRefused("complex numbers")
        if isinstance(given, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return self.sizes.number(given)
        return given

    def _converted(self, row: AtenRow, given: Sequence[object], node: torch.fx.Node) -> list[object]:
        """Return arguments whose tensors have the type that the row asks for."""
        if row.types is Types.KEPT:
            return list(given)
        wanted = self.lowering.result
        if row.types is Types.WIDE and wanted.itemsize < _F32.itemsize:
            wanted = _F32
        if row.types is Types.COMMON:
            wanted = numpy_dtype(torch.result_type(*(self._operand(each) for each in node.args[:2])))
        return [self.lowering.cast(each, wanted) if isinstance(each, GraphValue) else each for each in given]

    def _operand(self, given: object) -> torch.Tensor:
        """Return the tensor of a node, or a tensor of no axes for a number, which gives way to others of its kind."""
        if isinstance(given, torch.fx.Node):
            given = given.meta["val"]
        if isinstance(given, torch.Tensor):
            return given
        return cast("torch.Tensor", self.sizes.number(given))  # a number, which torch.result_type takes, too

    # What no row takes

    def _folded(self, node: torch.fx.Node, target: torch._ops.OpOverload, results: Sequence[torch.Tensor]) -> Entry:
        """Return the constants that an operator without tensors makes, or None."""
        if node.all_input_nodes and any(isinstance(self.entries[each], GraphValue) for each in node.all_input_nodes):
            return None
        if is_random(target) or not results or sum(self.sizes.count(each) for each in results) > INTEGRATIONS.folded:
            return None
        args, kwargs = self._argument(node.args), {key: self._argument(each) for key, each in node.kwargs.items()}
        arrays = TorchCall(target, args, kwargs)()  # type: ignore[arg-type]
        made = tuple(self.builder.constant(each, name=node.name) for each in arrays)
        return made if isinstance(node.meta["val"], (tuple, list)) else made[0]

    def _empty(self, fake: object) -> Entry:
        made = tuple(
            self.builder.constant(np.empty(self.sizes.shape(each), numpy_dtype(each.dtype)))
            if isinstance(each, torch.Tensor)
            else None
            for each in _several(fake)
        )
        return made if isinstance(fake, (tuple, list)) else made[0]

    def _foreign(
        self,
        target: Callable[..., object],
        args: Sequence[object],
        kwargs: Mapping[str, object],
        fakes: Sequence[object],
        reason: str,
        ordered: bool = False,
        listed: bool = True,
    ) -> tuple[GraphValue | None, ...]:
        """Return the results of a call that torch computes. fakes: their shapes; listed: whether it is reported."""
        if any(each is not None and not isinstance(each, torch.Tensor) for each in fakes):
            raise WholeGraph(f"{target}: results that are no tensors")
        exact, values = depends_on_memory(target), list[GraphValue]()

        def placed(given: object) -> object:
            if isinstance(given, (list, tuple)):
                return type(given)([placed(each) for each in given])
            if not isinstance(given, torch.fx.Node):
                return self._argument(given) if isinstance(given, torch.SymInt) else given
            entry = self.entries[given]
            if not isinstance(entry, GraphValue):
                return entry
            if exact and self.sizes.offset(given.meta["val"]):
                raise WholeGraph(f"{target} of a tensor that begins inside the memory of another")
            values.append(entry)
            return TensorPlace(len(values) - 1, self.sizes.strides(given.meta["val"]) if exact else None)

        tensors = [each for each in fakes if isinstance(each, torch.Tensor)]
        if has_other_shapes(target, tensors):
            raise WholeGraph(f"{target}: tensors of other shapes in bfloat16 than torch says")
        try:
            kinds = [(self.sizes.shape(each), numpy_dtype(each.dtype)) for each in tensors]
        except CallRefused as error:
            raise WholeGraph(f"{target}: {error}") from None
        call = TorchCall(target, [placed(each) for each in args], {key: placed(each) for key, each in kwargs.items()})
        shown = ", ".join(f"{dtype} {shape}" for shape, dtype in kinds)
        if listed:
            self.fallbacks.append(Fallback(str(target), reason, shown or "nothing"))
        computed = self.builder.foreign(
            call, values, kinds, name=str(target), reason=reason, ordered=ordered or is_random(target)
        )
        made = iter(computed if isinstance(computed, tuple) else (computed,))
        return tuple(next(made) if isinstance(each, torch.Tensor) else None for each in fakes)


def _several(value: T | Sequence[T]) -> Sequence[T]:
    return value if isinstance(value, (tuple, list)) else (value,)


def _tensors(nodes: Sequence[torch.fx.Node]) -> Iterator[torch.Tensor]:
    for node in nodes:
        for each in _several(node.meta.get("val")):
            if isinstance(each, torch.Tensor):
                yield each


def _is_seed(node: torch.fx.Node) -> bool:
    """Whether a node draws a number for operators of this package, which no kernel would draw."""
    own = [user for user in node.users if str(user.target).startswith(NAMESPACE)]
    return bool(own) and is_random(node.target) and all(user in own or user.op == "output" for user in node.users)  # type: ignore[arg-type]


def _used(node: torch.fx.Node, at: int) -> bool:
    """Whether the result of this number of an operator with several is used."""
    return any(user.target is not operator.getitem or user.args[1] == at for user in node.users)
