"""From a model's nodes to steps: each has a row of the table, or the reason why it has none.

An operator without a row that fits, but with a body of other operators in its schema, is replaced by that body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .call import Attribute, NodeCall, OnnxRow
from .casting import dtype_of
from .library import Array, onnx
from .table import DOMAINS, rows_of

_CONTROL = {"Loop", "Scan", "SequenceMap"}
_KINDS = onnx.AttributeProto


class NodeStep(NamedTuple):
    """A node.

    call      its operator and attributes
    row       what computes it, or None
    reason    why there is no row
    inputs, outputs   the names of operands and results, empty for those that are absent
    branches  of an If: the steps of the true and of the false branch
    constant  whether the results follow from the shapes of the model's inputs: they are computed once, without a row
              by onnx.reference
    varies    whether the shapes of the results follow from elements of the model's inputs
    """

    call: NodeCall
    row: OnnxRow | None
    reason: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    node: onnx.NodeProto
    branches: tuple[Branch, ...] = ()
    constant: bool = False
    varies: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of all values that the step reads, also inside of its branches."""
        inner = (name for each in self.branches for name in each.reads)
        return tuple(dict.fromkeys(name for name in (*self.inputs, *inner, *_captured(self.node)) if name))


class Branch(NamedTuple):
    """The steps of a graph inside of a node, its own constants, and the names of its results."""

    steps: tuple[NodeStep, ...]
    constants: Mapping[str, Array]
    outputs: tuple[str, ...]

    @property
    def reads(self) -> tuple[str, ...]:
        """The names that the steps read of values outside."""
        made = {name for step in self.steps for name in step.outputs} | set(self.constants)
        used = (*(name for step in self.steps for name in step.reads), *self.outputs)
        return tuple(name for name in used if name not in made)


def _captured(node: onnx.NodeProto) -> Iterator[str]:
    """Yield the names that graphs inside of a node read of values outside."""
    for attribute in node.attribute:
        if attribute.type == _KINDS.GRAPH:
            made = {each.name for each in (*attribute.g.input, *attribute.g.initializer)}
            for inner in attribute.g.node:
                yield from (name for name in (*inner.input, *_captured(inner)) if name not in made)
                made.update(inner.output)
            yield from (each.name for each in attribute.g.output if each.name not in made)


def constants_of(graph: onnx.GraphProto, folder: str = "") -> dict[str, Array]:
    """Return the initializers of a graph as arrays."""
    return {each.name: onnx.numpy_helper.to_array(each, folder) for each in graph.initializer}


def versions_of(model: onnx.ModelProto) -> dict[str, int]:
    """Return the version of each operator set, by its domain."""
    return {DOMAINS.get(each.domain, each.domain): each.version for each in model.opset_import}


def element_types(model: onnx.ModelProto) -> dict[str, onnx.TypeProto]:
    """Return the types of values as far as shape inference finds them."""
    try:
        graph = onnx.shape_inference.infer_shapes(model).graph
    except (onnx.shape_inference.InferenceError, ValueError, RuntimeError):
        graph = model.graph
    found = {each.name: each.type for each in (*graph.input, *graph.value_info, *graph.output)}
    for tensor in graph.initializer:
        found[tensor.name] = onnx.helper.make_tensor_type_proto(tensor.data_type, list(tensor.dims))
    return found


def _dtype(found: onnx.TypeProto | None) -> np.dtype[np.generic] | None:
    if found is None or not found.HasField("tensor_type") or not found.tensor_type.elem_type:
        return None
    return dtype_of(found.tensor_type.elem_type)


def declared(found: onnx.TypeProto) -> tuple[np.dtype[np.generic] | None, tuple[int | None, ...] | None] | None:
    """Return the element type and the extents that a model declares of an input, None where it leaves them open; None
    for what is no tensor."""
    if found.WhichOneof("value") not in ("tensor_type", None):
        return None
    extents: tuple[int | None, ...] | None = None
    if found.tensor_type.HasField("shape"):
        dims = found.tensor_type.shape.dim  # some exporters write -1 for an extent that is open
        extents = tuple(each.dim_value if each.HasField("dim_value") and each.dim_value >= 0 else None for each in dims)
    return _dtype(found), extents


def call_of(node: onnx.NodeProto, version: int) -> NodeCall:
    """Return a node's operator and attributes, with the defaults of its schema."""
    domain = DOMAINS.get(node.domain, node.domain)
    attributes: dict[str, Attribute] = {}
    try:
        schema = onnx.defs.get_schema(node.op_type, version, domain)
    except onnx.defs.SchemaError:
        schema = None
    for name, each in ({} if schema is None else schema.attributes).items():
        if each.default_value.type:
            attributes[name] = _value(each.default_value)
    for each in node.attribute:
        if each.type not in (_KINDS.GRAPH, _KINDS.GRAPHS, _KINDS.SPARSE_TENSOR):
            attributes[each.name] = _value(each)
    return NodeCall(node.name or node.output[0], node.op_type, domain, version, attributes, len(node.output))


def _value(attribute: onnx.AttributeProto) -> Attribute:
    found = onnx.helper.get_attribute_value(attribute)
    if attribute.type == _KINDS.TENSOR:
        return onnx.numpy_helper.to_array(found)
    if isinstance(found, bytes):
        return found.decode(errors="replace")
    if attribute.type == _KINDS.STRINGS:
        return tuple(each.decode(errors="replace") for each in found)
    return tuple(found) if isinstance(found, Iterable) and not isinstance(found, str) else found


def _step(node: onnx.NodeProto, versions: Mapping[str, int], types: Mapping[str, onnx.TypeProto]) -> NodeStep:
    domain = DOMAINS.get(node.domain, node.domain)
    call = call_of(node, versions.get(domain, 1))
    inputs, outputs = tuple(node.input), tuple(node.output)
    if node.op_type == "If" and not domain:
        branches = _branches(node, versions, types)
        reason = next((step.reason for each in branches for step in each.steps if step.reason), "")
        return NodeStep(call, None, reason, inputs, outputs, node, branches)
    given = tuple(_dtype(types.get(name)) if name else None for name in inputs)
    row, reason = chosen(call, given)
    others = [name for name in (*inputs, *outputs) if name in types and not types[name].HasField("tensor_type")]
    if others:
        row, reason = None, f"{others[0]} is a {types[others[0]].WhichOneof('value')}; kernels take tensors"
    return NodeStep(call, row, reason, inputs, outputs, node)


def chosen(call: NodeCall, given: tuple[np.dtype[np.generic] | None, ...]) -> tuple[OnnxRow | None, str]:
    """Return the row that computes a call on operands of these types, or the reason why there is none."""
    rows = rows_of(call.domain, call.operator, call.version)
    reason = ""
    for row in rows:
        reason = row.reason(call, given) or ""
        if not reason:
            return row, ""
    if call.operator in _CONTROL:
        return None, "control flow: the number of its steps is known only while it runs"
    where = f"version {call.version} of {call.domain or 'ai.onnx'}"
    return None, reason or f"no kernel here for this operator of {where}"


def _branches(
    node: onnx.NodeProto, versions: Mapping[str, int], types: Mapping[str, onnx.TypeProto]
) -> tuple[Branch, ...]:
    graphs = {each.name: each.g for each in node.attribute if each.type == _KINDS.GRAPH}
    return tuple(
        Branch(
            tuple(_step(inner, versions, types) for inner in graphs[name].node),
            constants_of(graphs[name]),
            tuple(each.name for each in graphs[name].output),
        )
        for name in ("then_branch", "else_branch")
    )


def _settled(steps: Sequence[NodeStep], graph: onnx.GraphProto) -> list[NodeStep]:
    """Return the steps, of which those that depend on no element of the model's inputs need no kernel."""
    known = {each.name for each in graph.initializer}
    return _settled_by(steps, {each.name for each in graph.input if each.name not in known}, set())


def _settled_by(steps: Sequence[NodeStep], depends: set[str], varies: set[str], outer: bool = True) -> list[NodeStep]:
    """depends, varies: the values before the steps that depend on elements of inputs, and whose shapes do; those that
    the steps make are added. outer: whether the steps are not those of a branch."""
    made = list[NodeStep]()
    for step in steps:
        reads = set(step.reads)
        shaped = {step.inputs[place] for place in _shaping(step) if place < len(step.inputs)}
        changes = bool(reads & varies or shaped & depends)
        if changes:
            varies.update(step.outputs)
        of_shape = step.call.operator in ("Shape", "Size") and not step.call.domain and not reads & varies
        constant = of_shape or not reads & depends
        if not constant:
            depends.update(step.outputs)
        fixed = [step.inputs[place] for place in (step.row.fixed if step.row else ()) if place < len(step.inputs)]
        if outer and any(name in depends for name in fixed):
            step = step._replace(row=None, reason="an operand that must be known depends on the model's inputs")
        branches = tuple(
            each._replace(steps=tuple(_settled_by(each.steps, {*depends}, {*varies}, outer=False)))
            for each in step.branches
        )
        step = step._replace(branches=branches)
        made.append(step._replace(constant=constant, varies=changes, reason="" if constant else step.reason))
    return made


def _shaping(step: NodeStep) -> tuple[int, ...]:
    """Return the places of operands whose elements decide the shape of the results."""
    return step.row.reads if step.row is not None else tuple(range(len(step.inputs)))


def inlined(step: NodeStep, taken: Branch) -> list[NodeStep]:
    """Return the steps of a branch of an If, and those that give its results the names of the If's."""
    version, made = {step.call.domain: step.call.version}, list(taken.steps)
    for name, outer in zip(taken.outputs, step.outputs):
        if outer:
            made.append(
                _step(onnx.helper.make_node("Identity", [name], [outer], f"{step.call.name}/{name}"), version, {})
            )
    return made


# Bodies


def _body(
    node: onnx.NodeProto, versions: Mapping[str, int], types: Mapping[str, onnx.TypeProto]
) -> onnx.FunctionProto | None:
    """Return the body that an operator's schema has for this node, or None."""
    domain = DOMAINS.get(node.domain, node.domain)
    version = versions.get(domain, 1)
    try:
        schema = onnx.defs.get_schema(node.op_type, version, domain)
    except onnx.defs.SchemaError:
        return None
    plain = [each for each in schema.function_opset_versions if each <= version]
    by_context = [each for each in schema.context_dependent_function_opset_versions if each <= version]
    made = onnx.FunctionProto()
    if plain:
        made.ParseFromString(schema.get_function_with_opset_version(max(plain)))
        return made
    given = [types.get(name, onnx.TypeProto()) if name else onnx.TypeProto() for name in node.input]
    if by_context and all(each.WhichOneof("value") for name, each in zip(node.input, given) if name):
        whole = onnx.NodeProto()
        whole.CopyFrom(node)
        named = {each.name for each in node.attribute}
        whole.attribute.extend(
            each.default_value
            for name, each in schema.attributes.items()
            if each.default_value.type and name not in named
        )
        text = schema.get_context_dependent_function_with_opset_version(
            max(by_context), whole.SerializeToString(), [each.SerializeToString() for each in given]
        )
        made.ParseFromString(text)
        return made if made.node else None
    return None


def _expanded(node: onnx.NodeProto, body: onnx.FunctionProto, prefix: str) -> list[onnx.NodeProto]:
    """Return the nodes of a body, with the values and attributes of the node that it replaces."""
    names = {name: node.input[place] if place < len(node.input) else "" for place, name in enumerate(body.input)}
    names |= {name: node.output[place] for place, name in enumerate(body.output) if place < len(node.output)}
    names = {name: own for name, own in names.items() if own or name in body.input}
    given = {each.name: each for each in (*_defaults(node), *node.attribute)}
    made = list[onnx.NodeProto]()
    for place, inner in enumerate(body.node):
        new = _renamed(inner, names, prefix, given)
        new.name = f"{prefix}{inner.op_type}_{place}"
        made.append(new)
    return made


def _renamed(
    inner: onnx.NodeProto, names: Mapping[str, str], prefix: str, given: Mapping[str, onnx.AttributeProto]
) -> onnx.NodeProto:
    """Return a node of a body with the names of values around it, also in graphs inside of it."""
    new = onnx.NodeProto()
    new.CopyFrom(inner)
    for values in (new.input, new.output):
        own = [names.get(name, f"{prefix}{name}" if name else "") for name in values]
        del values[:]
        values.extend(own)
    del new.attribute[:]
    for each in inner.attribute:
        copied = onnx.AttributeProto()
        copied.CopyFrom(given.get(each.ref_attr_name, each) if each.ref_attr_name else each)
        copied.name = each.name
        if each.ref_attr_name and each.ref_attr_name not in given:
            continue
        if each.type == _KINDS.GRAPH:
            nodes = [_renamed(node, names, prefix, given) for node in each.g.node]
            del copied.g.node[:]
            copied.g.node.extend(nodes)
            for value in (*copied.g.input, *copied.g.output, *copied.g.initializer):
                value.name = names.get(value.name, f"{prefix}{value.name}")
        new.attribute.append(copied)
    return new


def _defaults(node: onnx.NodeProto) -> Sequence[onnx.AttributeProto]:
    try:
        schema = onnx.defs.get_schema(node.op_type, domain=node.domain)
    except onnx.defs.SchemaError:
        return ()
    return [each.default_value for each in schema.attributes.values() if each.default_value.type]


def expanded(model: onnx.ModelProto) -> tuple[onnx.ModelProto, tuple[NodeStep, ...]]:
    """Return a model whose nodes without a row are replaced by their bodies, if these help, and its steps."""
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    versions, count = versions_of(model), 0
    while True:
        types = element_types(model)
        steps = _settled([_step(node, versions, types) for node in model.graph.node], model.graph)
        bodies = {
            place: body
            for place, step in enumerate(steps)
            if step.reason and not step.branches and (body := _body(step.node, versions, types)) is not None
        }
        if not bodies:
            return model, tuple(steps)
        nodes = list[onnx.NodeProto]()
        for place, step in enumerate(steps):
            if place in bodies:
                count += 1
                nodes += _expanded(step.node, bodies[place], f"{step.call.name}/{count}/")
            else:
                nodes.append(step.node)
        whole = onnx.ModelProto()
        whole.CopyFrom(model)
        del whole.graph.node[:]
        whole.graph.node.extend(nodes)
        del whole.graph.value_info[:]
        model = whole
