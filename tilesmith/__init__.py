"""Tensor kernels as raw machine code, from Python, with no compiler.

import tilesmith as ts
mm = ts.brgemm(64, 48, 64)      # C += A @ B in f32, machine code for this host
mm(a, b, c)                     # on your own arrays
print(mm.listing())
"""

from .encoder.errors import EncodeError
from .encoder.features import Target
from .microkernels.errors import UnsupportedError
from .microkernels.gemm_spec import ADDRESS, OFFSET, STRIDE, GemmSpec, gemm_spec
from .microkernels.operands import RUNTIME
from .runtime.api import brgemm, supported, targets
from .runtime.api_transforms import transform, transpose
from .runtime.dispatch import dispatch
from .runtime.host import host
from .runtime.kernel import Kernel
from .runtime.peachpy import from_peachpy

__all__ = [
    "ADDRESS",
    "OFFSET",
    "RUNTIME",
    "STRIDE",
    "EncodeError",
    "GemmSpec",
    "Kernel",
    "Target",
    "UnsupportedError",
    "brgemm",
    "dispatch",
    "from_peachpy",
    "gemm_spec",
    "host",
    "supported",
    "targets",
    "transform",
    "transpose",
]
