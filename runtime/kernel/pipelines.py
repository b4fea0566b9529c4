"""The pipeline of each kind of kernel, imported when the first kernel of the kind is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...encoder.deferred import deferred

if TYPE_CHECKING:
    from ...microkernels.choice import Pipeline


@deferred
def attention() -> Pipeline:
    from ...microkernels.attention.pipeline import ATTENTION

    return ATTENTION


@deferred
def attention_inverse() -> Pipeline:
    from ...microkernels.attention.pipeline import INVERSE

    return INVERSE


@deferred
def eltwise() -> Pipeline:
    from ...microkernels.eltwise.pipeline import ELTWISE

    return ELTWISE


@deferred
def fused() -> Pipeline:
    from ...microkernels.sweeps.pipeline import FUSED

    return FUSED


@deferred
def grouped() -> Pipeline:
    from ...microkernels.grouped.pipeline import GROUPED

    return GROUPED


@deferred
def chain() -> Pipeline:
    from ...microkernels.chain.pipeline import CHAIN

    return CHAIN


@deferred
def indexed() -> Pipeline:
    from ...microkernels.indexed.pipeline import INDEXED

    return INDEXED


@deferred
def rowwise() -> Pipeline:
    from ...microkernels.rowwise.pipeline import ROWWISE

    return ROWWISE


@deferred
def reduce() -> Pipeline:
    from ...microkernels.reduce.pipeline import REDUCE

    return REDUCE


@deferred
def transform() -> Pipeline:
    from ...microkernels.transform.pipeline import TRANSFORM

    return TRANSFORM


@deferred
def gather() -> Pipeline:
    from ...microkernels.gather.pipeline import GATHER

    return GATHER


@deferred
def counted() -> Pipeline:
    from ...microkernels.gather.pipeline import COUNTED

    return COUNTED


@deferred
def bag() -> Pipeline:
    from ...microkernels.gather.pipeline import BAG

    return BAG


@deferred
def gemm() -> Pipeline:
    from ...microkernels.products.pipeline import GEMM

    return GEMM


@deferred
def stack() -> Pipeline:
    from ...microkernels.stack.pipeline import STACK

    return STACK


@deferred
def rows() -> Pipeline:
    from ...microkernels.rows.pipeline import ROWS

    return ROWS


@deferred
def epilogue() -> Pipeline:
    from ...microkernels.products.pipeline import EPILOGUE

    return EPILOGUE


@deferred
def bf16x3() -> Pipeline:
    from ...microkernels.precision.pipeline import BF16X3

    return BF16X3


@deferred
def ozaki() -> Pipeline:
    from ...microkernels.precision.pipeline import OZAKI

    return OZAKI
