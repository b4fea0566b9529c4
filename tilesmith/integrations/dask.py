"""Products of arrays of Dask.

    from tilesmith.integrations import dask as tsd

    c = tsd.matmul(a, b)             # arrays of Dask, as large as disks are
    c.compute()

See docs/distributed.md.
"""

from ..microkernels.names import missing_name as _missing_name
from ..runtime.integrations.distributed.blocks import matmul

__all__ = ["matmul"]


def __getattr__(name: str) -> object:
    raise _missing_name(__name__, name, __all__, "apply kernels to blocks by da.map_blocks")
