"""A model as a callable: its steps are run one after the other, on arrays.

What does not depend on the inputs' elements, such as arithmetic with shapes, is computed in the first call with inputs
of these shapes, and kept.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO

import numpy as np

from ....microkernels.errors import UnsupportedError
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...arguments.arrays import Array
from . import steps as nodes
from .folding import folded
from .inputs import Inputs, ModelInputs
from .library import onnx
from .library import reference as evaluators
from .regions import CompiledRegion, compiled
from .steps import NodeStep, inlined


class FoldedModel:
    """What calls with inputs of one shape have in common, or those of them that take the same branch of an If:
    constants, the shapes and types of values, and the steps that are left, which the second call compiles. After each
    step the names that no later one reads.

    values   those of the first call, also of the branches that it took
    inputs   the names of those that each call gives
    """

    def __init__(
        self, steps: Sequence[NodeStep], values: dict[str, Array], inputs: Iterable[str], outputs: Sequence[str]
    ) -> None:
        given = set(inputs)
        steps = tuple(step for step in _with_branches(steps, values, given) if not step.constant)
        made = {name for step in steps for name in step.outputs}
        needed = {name for step in steps for name in step.reads} | set(outputs)
        outside = given | made
        self.constants = {name: each for name, each in values.items() if name in needed and name not in outside}
        self.kinds = {name: (each.shape, each.dtype) for name, each in values.items() if name in outside}
        self.outputs, self.compiled, self.refused = outputs, False, list[str]()
        self._do(steps)
        self._branches: dict[tuple[str, int], FoldedModel] = {}

    @property
    def regions(self) -> list[CompiledRegion]:
        """The programs of the graph compiler."""
        mine = [step for step, _ in self.work if isinstance(step, CompiledRegion)]
        return mine + [region for each in self._branches.values() for region in each.regions]

    @property
    def reasons(self) -> list[str]:
        """Why some steps that compute are in no program."""
        return self.refused + [reason for each in self._branches.values() for reason in each.reasons]

    def compile(self) -> None:
        """Compile the steps, once."""
        if not self.compiled:
            left = [step for step, _ in self.work if isinstance(step, NodeStep)]
            self._do(list(compiled(left, self.kinds, self.constants, self.outputs, self.refused)))
            self.compiled = True

    def _do(self, steps: Sequence[NodeStep | CompiledRegion]) -> None:
        """Let calls run these steps. seen: the constants that steps outside of programs read, views of which may be
        results."""
        self.work = _work(steps, self.outputs)
        read = {name for step in steps if isinstance(step, NodeStep) for name in step.reads} | set(self.outputs)
        self.seen = [each for name, each in self.constants.items() if name in read]

    def run(self, model: OnnxModel, values: dict[str, Array]) -> None:
        """Compute the outputs. values: those that the call gives; constants and results are added."""
        self.compile()
        values.update(self.constants)
        for step, ended in self.work:
            if isinstance(step, CompiledRegion):
                step.run(values)
            elif step.branches and not step.reason:
                self._take(model, step, values)
            else:
                model.run(step, values)
            for name in ended:
                values.pop(name, None)

    def _take(self, model: OnnxModel, step: NodeStep, values: dict[str, Array]) -> None:
        """Compute the branch of an If that this call chooses. Its own first call is step by step."""
        number, inner = _taken(step, values), dict(values)
        taken, key = step.branches[number], (step.outputs[0], number)
        if key in self._branches:
            self._branches[key].run(model, inner)
        else:
            given = [name for name in values if name not in self.constants]
            inner.update(taken.constants)
            for each in taken.steps:
                model.run(each, inner)
            self._branches[key] = FoldedModel(taken.steps, inner, given, taken.outputs)
        seen = self._branches[key].seen
        made = [inner[name] for name in taken.outputs]
        values.update(
            (name, each.copy() if any(np.may_share_memory(each, other) for other in seen) else each)
            for name, each in zip(step.outputs, made)
        )


def _with_branches(steps: Sequence[NodeStep], values: dict[str, Array], given: set[str]) -> Iterator[NodeStep]:
    """Yield the steps, with the branch in place of an If whose condition is the same in each call."""
    changing = given | {name for step in steps if not step.constant for name in step.outputs}
    for step in steps:
        if step.branches and not (step.reason or step.constant) and step.inputs[0] not in changing:
            yield from _with_branches(inlined(step, step.branches[_taken(step, values)]), values, changing)
        else:
            yield step


def _taken(step: NodeStep, values: Mapping[str, Array]) -> int:
    """Return which branch of an If its condition chooses."""
    return 0 if bool(values[step.inputs[0]].reshape(-1)[0]) else 1


class OnnxModel:
    """A model that is called with its inputs, by name or in order, and returns its outputs in order.

    inputs, outputs   their names; str(takes) has the types and shapes of inputs, too
    strict    True: raise UnsupportedError for nodes that no kernel computes. False: onnx.reference computes these
    """

    def __init__(self, model: onnx.ModelProto, *, strict: bool = True, folder: str = "") -> None:
        self.strict = strict
        self.proto, self.steps = nodes.expanded(model)
        graph = self.proto.graph
        self.constants = nodes.constants_of(graph, folder)
        self.takes = ModelInputs(graph, self.constants)
        self.inputs = self.takes.names
        self.outputs = tuple(each.name for each in graph.output)
        self.steps = folded(self.steps, self.constants, self.outputs)
        self.given_up: dict[str, str] = {}
        self._prepared: dict[tuple[object, ...], FoldedModel] = {}
        refused = next((step for step in self.steps if step.reason), None)
        if strict and refused is not None:
            raise unsupported(refused, refused.reason)

    def __call__(self, inputs: Inputs = (), /, *more: Array, **named: Array) -> list[Array]:
        """Return the outputs, arrays of numpy.

        inputs   arrays one after the other, in a list or tuple, in a mapping by name, or as arguments by name. They may
                 be of numpy, or of another library on the CPU
        """
        given = self.takes.given(inputs, more, named)
        key = tuple((name, each.shape, each.dtype) for name, each in given.items())
        prepared = self._prepared.get(key)
        if prepared is None:
            return self._first(given, key)
        values = dict(given)
        prepared.run(self, values)
        return self._own(values, (*given.values(), *prepared.seen))

    def _first(self, given: dict[str, Array], key: tuple[object, ...]) -> list[Array]:
        """Run all steps, and keep what does not depend on the inputs' elements."""
        values = {**self.constants, **given}
        for step in self.steps:
            self.run(step, values)
        if len(self._prepared) >= INTEGRATIONS.shapes:
            self._prepared.pop(next(iter(self._prepared)))
        prepared = self._prepared[key] = FoldedModel(self.steps, values, self.inputs, self.outputs)
        return self._own(values, (*given.values(), *prepared.seen))

    def _own(self, values: Mapping[str, Array], others: Sequence[Array]) -> list[Array]:
        """Return the outputs; those that are inputs, constants or views of them are copied."""
        made = [values[name] for name in self.outputs]
        left = {name for step in self.steps if not step.constant for name in step.outputs}
        return [
            each.copy() if name not in left or any(np.may_share_memory(each, other) for other in others) else each
            for name, each in zip(self.outputs, made)
        ]

    def run(self, step: NodeStep, values: dict[str, Array]) -> None:
        """Compute a step, and put its results among the values; of an If, those of the steps of its branch, too."""
        if step.branches and not step.reason:
            taken = step.branches[_taken(step, values)]
            values.update(taken.constants)
            for inner in taken.steps:
                self.run(inner, values)
            values.update(zip(step.outputs, (values[name] for name in taken.outputs)))
            return
        if step.constant and step.row is None:
            values.update((name, each) for name, each in zip(step.outputs, reference(step, values, self.proto)) if name)
            return
        operands = [values.get(name) if name else None for name in step.inputs]
        try:
            made = computed(step, operands)
        except UnsupportedError as error:
            reason = str(error)
            if self.strict:
                raise unsupported(step, reason) from error
            self.given_up[step.call.name] = reason
            made = reference(step, values, self.proto)
        except ValueError as error:
            shown = ", ".join("none" if each is None else f"{each.dtype} {each.shape}" for each in operands)
            raise ValueError(f"node {step.call.name}, operator {step.call.operator}, of {shown}: {error}") from error
        for name, each in zip(step.outputs, made):
            if name and each is not None:
                values[name] = each

    def __reduce__(self) -> tuple[Callable[[bytes], OnnxModel], tuple[bytes]]:
        return partial(load, strict=self.strict), (self.proto.SerializeToString(),)

    def __repr__(self) -> str:
        return f"<OnnxModel of {len(self.steps)} nodes: {self.takes} -> {', '.join(self.outputs)}>"

    def explain(self) -> str:
        """Say which nodes kernels compute, which move elements only, and which onnx.reference computes, and why."""
        lines, kernels, moves = list[str](), Counter[str](), Counter[str]()
        constants = sum(step.constant for step in self.steps)
        if constants:
            lines.append(f"computed once for the shapes of the inputs: {constants} nodes")
        for step in self.steps:
            if step.constant:
                continue
            reason = step.reason or self.given_up.get(step.call.name, "")
            if reason:
                lines.append(f"left to onnx.reference: node {step.call.name}, operator {step.call.operator}: {reason}")
            elif step.row is not None:
                (moves if step.row.moves else kernels)[step.call.operator] += 1
        for title, counted in (("kernels", kernels), ("views and copies", moves)):
            if counted:
                each = ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))
                lines.insert(0, f"{title}: {each}")
        for prepared in self._prepared.values():
            if prepared.compiled:
                regions = prepared.regions
                nodes, kernels_of = (
                    sum(each.nodes for each in regions),
                    sum(len(each.program.steps) for each in regions),
                )
                shapes = ", ".join(
                    f"{name} {prepared.kinds[name][0]}" for name in self.inputs if name in prepared.kinds
                )
                counts = zip((nodes, kernels_of, len(regions)), ("node", "kernel", "program"))
                shown = [f"{count} {what}{'s' * (count != 1)}" for count, what in counts]
                lines.append(f"compiled for {shapes}: {shown[0]} as {shown[1]} in {shown[2]}")
                lines += [f"in no program, by its own kernel: {each}" for each in prepared.reasons]
        return "\n".join(lines)


def _work(
    steps: Sequence[NodeStep | CompiledRegion], outputs: Sequence[str]
) -> tuple[tuple[NodeStep | CompiledRegion, tuple[str, ...]], ...]:
    """Return the steps, each with the names of results that no later one reads."""
    made = {name for step in steps for name in step.outputs} - set(outputs)
    last: dict[str, int] = {}
    for place, step in enumerate(steps):
        last.update((name, place) for name in (*step.outputs, *step.reads) if name in made)
    ends: list[list[str]] = [[] for _ in steps]
    for name, place in last.items():
        ends[place].append(name)
    return tuple((step, tuple(ended)) for step, ended in zip(steps, ends))


def computed(step: NodeStep, operands: Sequence[Array | None]) -> tuple[Array | None, ...]:
    """Return the results of a step by its row. Raises UnsupportedError if there is none."""
    if step.row is None:
        raise UnsupportedError(step.reason)
    reason = step.row.reason(step.call, tuple(None if each is None else each.dtype for each in operands))
    row = step.row
    if reason:
        found, reason = nodes.chosen(step.call, tuple(None if each is None else each.dtype for each in operands))
        if found is None:
            raise UnsupportedError(reason)
        row = found
    made = row.compute(step.call, *operands)
    return made if isinstance(made, tuple) else (made,)


def reference(step: NodeStep, values: Mapping[str, Array], model: onnx.ModelProto) -> tuple[Array, ...]:
    """Return a node's results by onnx.reference. Graphs inside of it read values around it."""
    names = [name for name in step.reads if name in values]
    graph = onnx.helper.make_graph(
        [step.node],
        "node",
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names],
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in step.outputs if name],
    )
    whole = onnx.helper.make_model(graph, opset_imports=list(model.opset_import))
    found = iter(evaluators.ReferenceEvaluator(whole).run(None, {name: values[name] for name in names}))
    return tuple(next(found) if name else None for name in step.outputs)  # type: ignore[misc]


def unsupported(step: NodeStep, reason: str) -> UnsupportedError:
    """Return the error that names a node, its operator and the reason."""
    return UnsupportedError(
        f"node {step.call.name}, operator {step.call.operator}: {reason}; strict=False leaves it to onnx.reference"
    )


def load(model: str | os.PathLike[str] | IO[bytes] | bytes | onnx.ModelProto, *, strict: bool = True) -> OnnxModel:
    """Return a model, of a file, its bytes or a ModelProto, as a callable: `load("model.onnx")({"x": x})`.

    strict    True: raise UnsupportedError that names the node, its operator and the reason, if kernels do not compute
              it. False: onnx.reference computes such nodes, and `explain()` says which

    Raises OSError for a file that cannot be read, and ValueError for one that is no model.
    """
    if isinstance(model, onnx.ModelProto):
        return OnnxModel(model, strict=strict)
    if not isinstance(model, (str, os.PathLike, bytes, bytearray)) and not hasattr(model, "read"):
        raise TypeError(
            f"model: the path of a file of ONNX, its bytes or a ModelProto, not {type(model).__name__}"
            + ("; torch.onnx.export(model, args, path) writes such a file" if hasattr(model, "state_dict") else "")
        )
    what = "the bytes are" if isinstance(model, (bytes, bytearray)) else f"{getattr(model, 'name', model)} is"
    try:
        found = onnx.load_from_string(bytes(model)) if isinstance(model, (bytes, bytearray)) else onnx.load(model)
    except OSError:
        raise
    except Exception as error:  # of protobuf or of onnx's checker
        raise ValueError(f"model: {what} no model of ONNX: {' '.join(str(error).split())}") from error
    if not found.graph.output:
        raise ValueError(f"model: {what} no model of ONNX: it has no graph with outputs")
    return OnnxModel(found, strict=strict)
