"""Kernels on several processes and machines, by torch.distributed.

    from tilesmith.integrations import distributed             # DTensor knows torch.ops.tilesmith from now on
    from tilesmith.integrations import torch as tst

    parallelize_module(tst_model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    bags = distributed.ShardedEmbeddingBags([10_000, 2_000], 64)     # tables apart, rows by all_to_all
    with distributed.first_on_machine() as first: ...                # tunes and compiles once a machine

See docs/distributed.md.
"""

from ..microkernels.names import missing_name as _missing_name
from ..runtime.integrations.distributed.embedding import PooledRows, ShardedEmbeddingBags
from ..runtime.integrations.distributed.processes import first_on_machine
from ..runtime.integrations.distributed.sharding import register as _register

__all__ = ["PooledRows", "ShardedEmbeddingBags", "first_on_machine"]

_register()


def __getattr__(name: str) -> object:
    raise _missing_name(__name__, name, __all__, "")
