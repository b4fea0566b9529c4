"""torch's product by 4-bit weights, `_weight_int4pack_mm_for_cpu`."""

from __future__ import annotations

import numpy as np

from ...arguments.arrays import Array
from ..measure import PythonCall
from .elementwise import torch_module
from .products import BaselineMissing


def torch_int4(x: Array, integers: Array, scale: Array, group: int) -> PythonCall:
    """Return torch's product of x, as bf16, by integers (k, n) from -8 to 7 with scales (groups, n)."""
    torch = torch_module()
    if torch is None or not hasattr(torch.ops.aten, "_weight_int4pack_mm_for_cpu"):
        raise BaselineMissing("torch has no product by 4-bit weights on this processor")
    torch.set_num_threads(1)
    codes = torch.from_numpy(np.ascontiguousarray(integers.T).astype(np.int32) + 8)
    packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(codes, 1)
    scales = torch.from_numpy(scale.astype(np.float32))
    both = torch.stack([scales, torch.zeros_like(scales)], -1).bfloat16()
    rows = torch.from_numpy(x).bfloat16()
    return PythonCall(lambda: torch.ops.aten._weight_int4pack_mm_for_cpu(rows, packed, group, both))
