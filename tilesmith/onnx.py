"""`tilesmith.integrations.onnx` as `ts.onnx`: `ts.onnx.load("model.onnx")(inputs)`. It is imported when a name of it is
first used, and says then what to install."""

from typing import TYPE_CHECKING

from .encoder.deferred import lazy as _lazy
from .encoder.deferred import stands_for as _stands_for

if TYPE_CHECKING:
    from .integrations.onnx import *  # noqa: F403  # the names of its __all__

__getattr__, __dir__ = _stands_for(_lazy(__package__, ".integrations.onnx"), __name__)
