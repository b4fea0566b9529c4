"""LSTM, GRU and RNN with all attributes beside onnxruntime, in the first call and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", minversion="1.17", reason="onnx is not installed: the extra onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnx import helper, numpy_helper  # noqa: E402

from tilesmith.integrations import onnx as tso  # noqa: E402

STEPS, BATCH, INPUTS, SIZE = 5, 3, 4, 7
_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_HARD = {"activation_alpha": [0.3, 0.7], "activation_beta": [0.4, 0.9]}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("LSTM", {"optional": "lhcp", "direction": "bidirectional"}),
    ("LSTM", {"clip": 0.3, "input_forget": 1, "optional": "p"}),
    ("LSTM", {"activations": ["HardSigmoid", "ScaledTanh", "Softsign"], **_HARD, "direction": "reverse"}),
    ("GRU", {"optional": "lh", "linear_before_reset": 1, "direction": "bidirectional", "clip": 0.4}),
    ("GRU", {"activations": ["HardSigmoid", "Elu"], **_HARD}),
    ("RNN", {"optional": "lh", "activations": ["ThresholdedRelu", "LeakyRelu"], **_HARD, "direction": "bidirectional"}),
]


def model(kind: str, optional: str = "", **attributes: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Return a model of one node and its inputs: l: lengths, h, c: states, p: peepholes."""
    rng, directions = np.random.default_rng(0), 1 + (attributes.get("direction") == "bidirectional")
    count = _GATES[kind] * SIZE
    shapes = {
        "x": (STEPS, BATCH, INPUTS),
        "w": (directions, count, INPUTS),
        "r": (directions, count, SIZE),
        "b": (directions, 2 * count),
        "h": (directions, BATCH, SIZE),
        "c": (directions, BATCH, SIZE),
        "p": (directions, 3 * SIZE),
    }
    arrays = {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["l"] = rng.integers(1, STEPS + 1, BATCH).astype(np.int32)
    known, given = {name: arrays[name] for name in "wrbp"}, {name: arrays[name] for name in ("x", *optional.strip("p"))}
    places = ["x", "w", "r", "b", *(each if each in optional else "" for each in ("lhcp" if kind == "LSTM" else "lh"))]
    outputs = ["y", "yh", "yc"][: 3 if kind == "LSTM" else 2]
    graph = helper.make_graph(
        [helper.make_node(kind, places, outputs, hidden_size=SIZE, **attributes)],
        "layer",
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(each.dtype), each.shape)
            for name, each in given.items()
        ],
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(each, name) for name, each in known.items() if name in places],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), given


@pytest.mark.parametrize("kind, attributes", CASES, ids=[f"{kind} {number}" for number, (kind, _) in enumerate(CASES)])
def test_attributes(kind: str, attributes: dict[str, Any]) -> None:
    made, given = model(kind, **attributes)
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    ours, wanted = tso.load(made), session.run(None, given)
    for _ in "eager", "compiled":
        for found, other in zip(ours(given), wanted, strict=True):
            assert np.allclose(found, other, rtol=1e-5, atol=1e-5)  # onnxruntime's activations are right to some 1e-6
    assert "compiled for" in ours.explain()
