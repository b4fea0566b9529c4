"""ONNX models by kernels.

    import tilesmith as ts

    model = ts.onnx.load("model.onnx")
    outputs = model({"x": x})                              # or model(x), model([x, y])
    print(model.explain())                                 # what computes each node
    ts.onnx.prepare(proto).run([x])                        # the interface of onnx.backend.base.Backend

See docs/onnx.md.
"""

from ..microkernels.names import missing_name as _missing_name
from ..runtime.integrations.onnx.backend import (
    PreparedModel,
    is_compatible,
    prepare,
    run_model,
    run_node,
    supports_device,
)
from ..runtime.integrations.onnx.backend import TilesmithBackend as Backend
from ..runtime.integrations.onnx.model import OnnxModel, load

__all__ = [
    "Backend",
    "OnnxModel",
    "PreparedModel",
    "is_compatible",
    "load",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]

_INSTEAD = {
    "InferenceSession": "write ts.onnx.load(path), and call the model that it returns",
    "run": "write ts.onnx.load(path)(inputs)",
    "save": "write onnx.save",
}


def __getattr__(name: str) -> object:
    raise _missing_name(__name__, name, __all__, _INSTEAD.get(name, ""))
