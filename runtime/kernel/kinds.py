"""The kinds of kernels: one row for each class of requests.

A row says how the kind is called (kind.py), and in which modules the class of its requests is and the pipeline of its
plans and emitters. The modules are imported with the first request.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from .kind import ANY_ROWS, ARRAYS, EPILOGUES, NARROWER, PRODUCTS, STACKS
from .kind import AnyRequest as AnyRequest
from .kind import Kind as Kind

if TYPE_CHECKING:
    from ...microkernels.attention import pipeline as attention_pipeline
    from ...microkernels.attention import spec as attention_spec
    from ...microkernels.baked import pipeline as baked_pipeline
    from ...microkernels.baked import spec as baked_spec
    from ...microkernels.chain import spec as chain_spec
    from ...microkernels.compressed import pipeline as compressed_pipeline
    from ...microkernels.compressed import spec as compressed_spec
    from ...microkernels.compressed import unmask_spec
    from ...microkernels.depthwise import pipeline as depthwise_pipeline
    from ...microkernels.depthwise import spec as depthwise_spec
    from ...microkernels.eltwise import pipeline as eltwise_pipeline
    from ...microkernels.eltwise import spec as eltwise_spec
    from ...microkernels.epilogue import spec as epilogue_spec
    from ...microkernels.fused import spec as fused_spec
    from ...microkernels.gather import bag_spec
    from ...microkernels.gather import pipeline as gather_pipeline
    from ...microkernels.gather import spec as gather_spec
    from ...microkernels.gemm import spec as gemm_spec
    from ...microkernels.grouped import pipeline as grouped_pipeline
    from ...microkernels.grouped import spec as grouped_spec
    from ...microkernels.indexed import pipeline as indexed_pipeline
    from ...microkernels.indexed import spec as indexed_spec
    from ...microkernels.precision import composed_spec
    from ...microkernels.precision import pipeline as precision_pipeline
    from ...microkernels.products import pipeline as products_pipeline
    from ...microkernels.reduce import pipeline as reduce_pipeline
    from ...microkernels.reduce import spec as reduce_spec
    from ...microkernels.rowwise import pipeline as rowwise_pipeline
    from ...microkernels.stack import spec as stack_spec
    from ...microkernels.sweeps import pipeline as sweeps_pipeline
    from ...microkernels.sweeps import products_pipeline as chain_pipeline
    from ...microkernels.transform import pipeline as transform_pipeline
    from ...microkernels.transform import spec as transform_spec

attention_pipeline = lazy(__package__, "...microkernels.attention.pipeline")
attention_spec = lazy(__package__, "...microkernels.attention.spec")
baked_pipeline = lazy(__package__, "...microkernels.baked.pipeline")
baked_spec = lazy(__package__, "...microkernels.baked.spec")
chain_pipeline = lazy(__package__, "...microkernels.sweeps.products_pipeline")
chain_spec = lazy(__package__, "...microkernels.chain.spec")
compressed_pipeline = lazy(__package__, "...microkernels.compressed.pipeline")
compressed_spec = lazy(__package__, "...microkernels.compressed.spec")
unmask_spec = lazy(__package__, "...microkernels.compressed.unmask_spec")
depthwise_pipeline = lazy(__package__, "...microkernels.depthwise.pipeline")
depthwise_spec = lazy(__package__, "...microkernels.depthwise.spec")
eltwise_pipeline = lazy(__package__, "...microkernels.eltwise.pipeline")
eltwise_spec = lazy(__package__, "...microkernels.eltwise.spec")
epilogue_spec = lazy(__package__, "...microkernels.epilogue.spec")
fused_spec = lazy(__package__, "...microkernels.fused.spec")
bag_spec = lazy(__package__, "...microkernels.gather.bag_spec")
gather_pipeline = lazy(__package__, "...microkernels.gather.pipeline")
gather_spec = lazy(__package__, "...microkernels.gather.spec")
gemm_spec = lazy(__package__, "...microkernels.gemm.spec")
grouped_pipeline = lazy(__package__, "...microkernels.grouped.pipeline")
grouped_spec = lazy(__package__, "...microkernels.grouped.spec")
indexed_pipeline = lazy(__package__, "...microkernels.indexed.pipeline")
indexed_spec = lazy(__package__, "...microkernels.indexed.spec")
composed_spec = lazy(__package__, "...microkernels.precision.composed_spec")
precision_pipeline = lazy(__package__, "...microkernels.precision.pipeline")
products_pipeline = lazy(__package__, "...microkernels.products.pipeline")
reduce_pipeline = lazy(__package__, "...microkernels.reduce.pipeline")
reduce_spec = lazy(__package__, "...microkernels.reduce.spec")
rowwise_pipeline = lazy(__package__, "...microkernels.rowwise.pipeline")
stack_spec = lazy(__package__, "...microkernels.stack.spec")
sweeps_pipeline = lazy(__package__, "...microkernels.sweeps.pipeline")
transform_pipeline = lazy(__package__, "...microkernels.transform.pipeline")
transform_spec = lazy(__package__, "...microkernels.transform.spec")


class _KindRow(NamedTuple):
    """A kind: how it is called, the module of its requests, and the module and the name of its pipeline."""

    calls: Kind
    specs: Any
    pipelines: Any
    pipeline: str


ROWS: dict[str, _KindRow] = {
    "GemmSpec": _KindRow(PRODUCTS, gemm_spec, products_pipeline, "GEMM"),
    "EpilogueSpec": _KindRow(EPILOGUES, epilogue_spec, products_pipeline, "EPILOGUE"),
    "StackSpec": _KindRow(STACKS, stack_spec, products_pipeline, "STACK"),
    "ComposedSpec": _KindRow(NARROWER, composed_spec, precision_pipeline, "COMPOSED"),
    "EltwiseSpec": _KindRow(ARRAYS, eltwise_spec, eltwise_pipeline, "ELTWISE"),
    "FusedSpec": _KindRow(ARRAYS, fused_spec, sweeps_pipeline, "FUSED"),
    "GroupedSpec": _KindRow(ARRAYS, grouped_spec, grouped_pipeline, "GROUPED"),
    "ChainSpec": _KindRow(ARRAYS, chain_spec, chain_pipeline, "CHAIN"),
    "IndexedSpec": _KindRow(ARRAYS, indexed_spec, indexed_pipeline, "INDEXED"),
    "ReduceSpec": _KindRow(ARRAYS, reduce_spec, reduce_pipeline, "REDUCE"),
    "TransformSpec": _KindRow(ARRAYS, transform_spec, transform_pipeline, "TRANSFORM"),
    "GatherSpec": _KindRow(ARRAYS, gather_spec, gather_pipeline, "GATHER"),
    "BagSpec": _KindRow(ARRAYS, bag_spec, gather_pipeline, "BAG"),
    "DepthwiseSpec": _KindRow(ARRAYS, depthwise_spec, depthwise_pipeline, "DEPTHWISE"),
    "DecodeSpec": _KindRow(ARRAYS, compressed_spec, compressed_pipeline, "DECODE"),
    "UnmaskSpec": _KindRow(ARRAYS, unmask_spec, compressed_pipeline, "UNMASK"),
    "BakedSpec": _KindRow(ARRAYS, baked_spec, baked_pipeline, "BAKED"),
    "AttentionSpec": _KindRow(ARRAYS, attention_spec, attention_pipeline, "ATTENTION"),
}
"""The kinds by the names of their request classes."""
KINDS: dict[type, Kind] = {}
"""The kinds that were asked for, by request class."""
ROWS_OF_CALLS = ANY_ROWS._replace(pipeline=cache(lambda: rowwise_pipeline.ROWWISE))
"""The kind of requests whose number of rows each call gives, of all classes but products."""
PRODUCTS_OF_CALLS = {
    name: kind._replace(pipeline=cache(lambda: products_pipeline.ANY_EXTENT), pairs=ANY_ROWS.pairs)
    for name, kind in (("GemmSpec", PRODUCTS), ("EpilogueSpec", EPILOGUES))
}
"""The kinds of products of which each call gives an extent, by the names of their request classes."""


def class_of(name: str) -> type:
    """Return the request class of this name. Raises KeyError if there is none."""
    made: type = getattr(ROWS[name].specs, name)
    return made


def every() -> dict[type, Kind]:
    """Return all kinds."""
    return {made: _kind(made) for made in map(class_of, ROWS)}


def _kind(made: type) -> Kind:
    row = ROWS[made.__name__]
    KINDS[made] = row.calls._replace(pipeline=cache(lambda: getattr(row.pipelines, row.pipeline)))
    return KINDS[made]


def kind_of(spec: Any) -> Kind:
    """Return the kind of a request. Raise TypeError for other objects."""
    if getattr(spec, "dynamic", False) is True:
        return PRODUCTS_OF_CALLS.get(type(spec).__name__, ROWS_OF_CALLS)
    asked = type(spec)
    found = KINDS.get(asked)
    if found is None and asked.__name__ in ROWS and class_of(asked.__name__) is asked:
        found = _kind(asked)
    if found is None:
        raise TypeError(
            f"request: what ts.gemm_spec(...), ts.eltwise_spec(...) or the `spec` of a kernel returns, not {spec!r}"
        )
    return found


def requested(spec: AnyRequest) -> AnyRequest:
    """Return a spec from elsewhere (a pickle, made by hand) as the request function of its kind makes it.

    Raises the errors of that function for a request that it does not accept, and ValueError for fields that it never
    makes.
    """
    kind_of(spec)
    try:
        made: Any = spec.again()
    except (AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        raise ValueError(
            f"request: a {type(spec).__name__} with fields that its function does not make; "
            f"{type(error).__name__}: {error}"
        ) from error
    names = [each.name for each in fields(made)]
    if type(made) is not type(spec):
        raise ValueError(f"request: a {type(made).__name__}, not a {type(spec).__name__}")
    for name in names:
        meant, found = getattr(made, name), getattr(spec, name)
        if meant != found:
            raise ValueError(f"request: {name} must be {meant!r}, which follows from the other fields, not {found!r}")
    return made
