"""Products of sparse matrices by other libraries: scipy's and torch's, by blocks and by elements."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from ...arguments.arrays import Array
from ...sparse.handle import Sparse, sparse
from ..measure import Contender, PythonCall
from ..table import WrongResult
from .elementwise import torch_module
from .products import BaselineMissing


def contenders(a: Sparse, b: Array, wanted: Array, threads: int, most: float = 3.0) -> dict[str, Contender]:
    """Return what multiplies these f32 matrices: torch's BSR and CSR if torch is there, scipy's if it is. Their results
    are compared with the wanted one. `most` is the seconds of a call from which on one is left out."""
    found: dict[str, Callable[[], object]] = {}
    whole = a.block == (1, 1)
    torch = torch_module()
    if torch is not None:
        torch.set_num_threads(threads)
        dense, starts, columns = (torch.from_numpy(np.array(each)) for each in (b, a.indptr, a.indices))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a prototype
            if not whole:
                blocks = torch.sparse_bsr_tensor(starts, columns, torch.from_numpy(np.array(a.values)), a.shape)
                found["torch bsr"] = partial(torch.mm, blocks, dense)
            flat = elements(a)
            parts = [torch.from_numpy(np.array(each)) for each in (flat.indptr, flat.indices, flat.values.reshape(-1))]
            found["torch csr"] = partial(torch.mm, torch.sparse_csr_tensor(*parts, a.shape), dense)
    if threads == 1:
        found |= _scipys(a, b)
    made: dict[str, Contender] = {}
    for name, call in found.items():
        begin = time.perf_counter()
        if not np.allclose(np.asarray(call()), wanted, atol=1e-2, rtol=1e-2):
            raise WrongResult(f"{name}: another product of {a!r}")
        if time.perf_counter() - begin < most:
            made[name] = PythonCall(call)
    return made


def _scipys(a: Sparse, b: Array) -> dict[str, Callable[[], object]]:
    try:
        scipy = importlib.import_module("scipy.sparse")
    except ImportError:
        raise BaselineMissing("scipy: not installed (the extra peers)") from None
    found: dict[str, Callable[[], object]] = {}
    if a.block != (1, 1):
        blocks = scipy.bsr_array((a.values, a.indices, a.indptr), shape=a.shape)
        found["scipy bsr"] = partial(blocks.__matmul__, b)
    flat = elements(a)
    rows = scipy.csr_array((flat.values.reshape(-1), flat.indices, flat.indptr), shape=a.shape)
    found["scipy csr"] = partial(rows.__matmul__, b)
    return found


def elements(a: Sparse) -> Sparse:
    """Return a matrix by its elements."""
    return sparse(a, blocks=1)
