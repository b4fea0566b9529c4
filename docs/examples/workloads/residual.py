"""The layers of ResNet-50 as a list, and the networks of torch and onnxruntime that follow it (resnet.py has ours)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import tilesmith as ts

CLASSES = 1000


class Layer(NamedTuple):
    """A convolution with batch norm: its name, its input, channels, taps and stride, and what follows: an addition of
    another result, relu."""

    name: str
    read: str
    inputs: int
    outputs: int
    taps: int
    stride: int
    relu: bool = True
    added: str = ""


def layers(small: bool) -> Iterator[Layer]:
    """Yield the layers of ResNet-50, or of a network with two blocks and an eighth of the channels."""
    wide = 8 if small else 64
    yield Layer("stem", "x", 3, wide, 7, 2)
    read, channels = "pool", wide
    for stage, blocks in enumerate((1, 1) if small else (3, 4, 6, 3)):
        inner = wide << stage
        for block in range(blocks):
            name, stride = f"{stage + 1}.{block}", 2 if stage and not block else 1
            added = read
            if not block:
                added = name + " down"
                yield Layer(added, read, channels, 4 * inner, 1, stride, relu=False)
            yield Layer(name + " a", read, channels, inner, 1, 1)
            yield Layer(name + " b", name + " a", inner, inner, 3, stride)
            yield Layer(name + " c", name + " b", inner, 4 * inner, 1, 1, added=added)
            read, channels = name + " c", 4 * inner


def network(small: bool) -> Any:
    """Return the network in torch. forward(x, kept) puts each result into the dictionary `kept`."""
    import torch
    from torch import nn

    listed = list(layers(small))

    class ResNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.convs = nn.ModuleList(
                nn.Conv2d(each.inputs, each.outputs, each.taps, each.stride, each.taps // 2, bias=False)
                for each in listed
            )
            self.norms = nn.ModuleList(nn.BatchNorm2d(each.outputs) for each in listed)
            self.classes = nn.Linear(listed[-1].outputs, CLASSES)

        def forward(self, x: Any, kept: Any = None) -> Any:
            of = {"x": x} if kept is None else kept
            of["x"] = x
            for each, conv, norm in zip(listed, self.convs, self.norms):
                y = norm(conv(of[each.read]))
                y = y + of[each.added] if each.added else y
                of[each.name] = torch.relu(y) if each.relu else y
                if each.name == "stem":
                    of["pool"] = nn.functional.max_pool2d(of["stem"], 3, 2, 1)
            return self.classes(of[listed[-1].name].mean((2, 3)))

    return ResNet()


def folded(model: Any) -> list[tuple[Any, Any]]:
    """Return the weights and biases of all layers with their batch norms in them."""
    found = []
    for conv, norm in zip(model.convs, model.norms):
        scale = norm.weight / (norm.running_var + norm.eps).sqrt()
        weights = conv.weight * scale[:, None, None, None]
        found.append((weights.detach().numpy(), (norm.bias - norm.running_mean * scale).detach().numpy()))
    return found


def onnx_session(small: bool, model: Any, shape: Any) -> Any:
    """Return onnxruntime's session of the network with folded batch norms."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants = [], []

    def node(kind: str, output: str, *inputs: str, **more: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], **more))
        return output

    def constant(name: str, array: Any) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    for each, (w, b) in zip(layers(small), folded(model)):
        operands = constant(each.name + " w", w), constant(each.name + " b", b)
        more = {"strides": [each.stride] * 2, "pads": [each.taps // 2] * 4}
        y = node("Conv", each.name + " sum" if each.relu else each.name, each.read, *operands, **more)
        y = node("Add", each.name + " added", y, each.added) if each.added else y
        if each.relu:
            node("Relu", each.name, y)
        if each.name == "stem":
            node("MaxPool", "pool", "stem", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    flat = node("Flatten", "flat", node("GlobalAveragePool", "mean", each.name))
    w, b = (part.detach().numpy() for part in model.classes.parameters())
    node("Gemm", "y", flat, constant("w", w), constant("b", b), transB=1)
    kinds = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", shape), ("y", None))]
    graph = helper.make_graph(nodes, "resnet", kinds[:1], kinds[1:], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = ts.num_threads()
    return onnxruntime.InferenceSession(made.SerializeToString(), options, ["CPUExecutionProvider"])


def drawn(torch: Any, small: bool) -> tuple[Any, Any, dict[str, Any], Any]:
    """Return torch's network, images, the results of its layers, and the logits."""
    torch.manual_seed(0)
    model, images = network(small), torch.randn(2, 3, *(32, 32) if small else (224, 224))
    kept: dict[str, Any] = {}
    with torch.no_grad():
        model(images)  # statistics for the batch norms
        wanted = model.eval()(images, kept).numpy()
    return model, images, {name: each.numpy() for name, each in kept.items()}, wanted


def loss(model: Any, images: Any, labels: Any) -> Any:
    """Return the cross entropy of the labels."""
    import torch

    return torch.nn.functional.cross_entropy(model(images), labels)
