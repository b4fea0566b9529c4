"""`tilesmith.integrations.onnx` as `ts.onnx`: `ts.onnx.load("model.onnx")(inputs)`. It is imported when a name of it is
first used, and says then what to install."""

from typing import TYPE_CHECKING

from .encoder.deferred import lazy as _lazy

if TYPE_CHECKING:
    from .integrations.onnx import Backend as Backend
    from .integrations.onnx import OnnxModel as OnnxModel
    from .integrations.onnx import is_compatible as is_compatible
    from .integrations.onnx import load as load
    from .integrations.onnx import prepare as prepare
    from .integrations.onnx import run_model as run_model
    from .integrations.onnx import run_node as run_node
    from .integrations.onnx import supports_device as supports_device

_integration = _lazy(__package__, ".integrations.onnx")


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    found: object = getattr(_integration, name)
    return found
