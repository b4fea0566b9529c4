"""Nodes that onnx.reference computes: the visible fallback of `strict=False`."""

from __future__ import annotations

from collections.abc import Mapping

from .library import Array, onnx
from .library import reference as evaluators
from .steps import NodeStep

_KINDS = onnx.TensorProto


def reference(step: NodeStep, values: Mapping[str, Array], model: onnx.ModelProto) -> tuple[Array, ...]:
    """Return a node's results by onnx.reference. Graphs inside of it read values around it."""
    names = [name for name in step.reads if name in values]
    graph = onnx.helper.make_graph(
        [step.node],
        "node",
        [onnx.helper.make_tensor_value_info(name, _KINDS.FLOAT, None) for name in names],
        [onnx.helper.make_tensor_value_info(name, _KINDS.FLOAT, None) for name in step.outputs if name],
    )
    whole = onnx.helper.make_model(graph, opset_imports=list(model.opset_import))
    found = iter(evaluators.ReferenceEvaluator(whole).run(None, {name: values[name] for name in names}))
    return tuple(next(found) if name else None for name in step.outputs)  # type: ignore[misc]
