"""The backend that `onnx.backend.test` and users of `onnx.backend.base` call."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from ...arguments.arrays import Array
from . import steps as nodes
from .library import base, onnx
from .model import Inputs, OnnxModel, load, unsupported


class PreparedModel(base.BackendRep):
    """A model that is run with its inputs; the outputs have names, too."""

    def __init__(self, model: OnnxModel) -> None:
        self.model = model
        self._outputs = base.namedtupledict("Outputs", model.outputs)

    def run(self, inputs: Inputs, **options: object) -> tuple[Array, ...]:
        """Return the outputs, in order, which are also attributes by name."""
        made: tuple[Array, ...] = self._outputs(*self.model(inputs))
        return made


class TilesmithBackend(base.Backend):
    """ONNX models by kernels of this package, on the CPU."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **options: object) -> bool:
        """Whether kernels compute every node of a model; `refusal` says why not."""
        return cls.supports_device(device) and not cls.refusal(model)

    @classmethod
    def refusal(cls, model: onnx.ModelProto) -> str:
        """Return the node that no kernel computes, with its operator and the reason, or an empty text."""
        whole, steps = nodes.expanded(model)
        for each in (*whole.graph.input, *whole.graph.output):
            if each.type.WhichOneof("value") not in ("tensor_type", None):
                return f"{each.name} is a {each.type.WhichOneof('value')}; kernels take tensors"
        refused = next((step for step in steps if step.reason), None)
        return "" if refused is None else str(unsupported(refused, refused.reason))

    @classmethod
    def prepare(
        cls,
        model: onnx.ModelProto | str | os.PathLike[str],
        device: str = "CPU",
        strict: bool = True,
        **options: object,
    ) -> PreparedModel:
        """Return a model that is run any number of times. strict: as in `load`."""
        if not cls.supports_device(device):
            raise ValueError(f"device: CPU, not {device}")
        if options:
            raise TypeError(f"options: strict, not {', '.join(options)}")
        return PreparedModel(load(model, strict=strict))

    @classmethod
    def run_model(
        cls, model: onnx.ModelProto, inputs: Inputs, device: str = "CPU", **options: object
    ) -> tuple[Array, ...]:
        """Run a model once."""
        return cls.prepare(model, device, **options).run(inputs)  # type: ignore[arg-type]

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Sequence[Array] | dict[str, Array],
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype[np.generic], tuple[int, ...]]] | None = None,
        **options: object,
    ) -> tuple[Array, ...]:
        """Run one node of the latest version of its operator set, or that of opset_version=."""
        arrays = [np.asarray(each) for each in (inputs.values() if isinstance(inputs, dict) else inputs)]
        given = [name for name in node.input if name]
        infos = [
            onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(each.dtype), list(each.shape))
            for name, each in zip(given, arrays)
        ]
        results = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        version = options.pop("opset_version", onnx.defs.onnx_opset_version())
        graph = onnx.helper.make_graph([node], "node", infos, results)
        imports = [onnx.helper.make_operatorsetid(node.domain, version)]
        if node.domain:
            imports.append(onnx.helper.make_operatorsetid("", onnx.defs.onnx_opset_version()))
        return cls.run_model(onnx.helper.make_model(graph, opset_imports=imports), arrays, device, **options)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether a device is the CPU."""
        return device.partition(":")[0] == "CPU"  # base.Device raises AttributeError for names that it does not know


is_compatible = TilesmithBackend.is_compatible
prepare = TilesmithBackend.prepare
run_model = TilesmithBackend.run_model
run_node = TilesmithBackend.run_node
supports_device = TilesmithBackend.supports_device
