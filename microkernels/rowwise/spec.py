"""The classes of requests that kernels of any number of rows are made for (`AnyRows` of microkernels/operands.py)."""

from __future__ import annotations

from ..chain.spec import ChainSpec
from ..eltwise.spec import EltwiseSpec
from ..indexed.spec import IndexedSpec
from ..reduce.spec import ReduceSpec

Request = EltwiseSpec | ChainSpec | ReduceSpec | IndexedSpec
