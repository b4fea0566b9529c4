"""Make requests again from their specs: each function asks for the spec in the way a program would.

A spec from elsewhere, such as a pickle, is checked by the request function of its kind and by nothing else. If that
function refuses it, the same error is raised here. If it makes fields differently, the result differs from the spec.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...microkernels.attention.inverse_spec import InverseSpec, inverse_spec
from ...microkernels.attention.spec import AttentionSpec, attention_spec, orders_of
from ...microkernels.chain.spec import ChainSpec, chain_spec
from ...microkernels.contract.dot_and_tile import HALF, OWN, SHARED
from ...microkernels.contract.mmla import BLOCK_BYTES
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.eltwise.spec import EltwiseSpec, eltwise_spec, result_names
from ...microkernels.eltwise.traced import BITS, COMPUTE, COMPUTED, traced_type
from ...microkernels.epilogue import spec as epilogues
from ...microkernels.epilogue.packed_spec import PackedSpec, packed_spec, plain_of
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.expr.graph import MASKS, Expr
from ...microkernels.functions.replay import replayed
from ...microkernels.fused.spec import FusedSpec, elementwise, fused_spec
from ...microkernels.gather.bag_spec import BagSpec, bag_spec
from ...microkernels.gather.counted_spec import LIKELY, CountedSpec, counted
from ...microkernels.gather.spec import GatherSpec, gather_spec
from ...microkernels.gemm.spec import HALVES, PLAIN, GemmSpec, gemm_spec
from ...microkernels.grouped.spec import GroupedSpec, grouped_spec
from ...microkernels.indexed.spec import IndexedSpec, again, with_rows_apart
from ...microkernels.operands import RUNTIME, Operand, View
from ...microkernels.precision.bf16x3_spec import Bf16x3Spec, bf16x3_spec
from ...microkernels.precision.ozaki_spec import OzakiSpec, ozaki_spec
from ...microkernels.reduce.spec import ReduceSpec, reduce_spec
from ...microkernels.rows.spec import RowsSpec, rows_spec
from ...microkernels.rowwise.spec import RowwiseSpec, rowwise_spec
from ...microkernels.stack.spec import StackSpec, stack_spec
from ...microkernels.transform.spec import TransformSpec, transform_spec, transpose_spec


def gemm(spec: GemmSpec, epilogue: bool = False) -> GemmSpec:
    """Make a product. Who configures the tile registers is chosen after the request (ts.amx_config)."""
    half = spec.numerics == HALF
    a_layout, b_layout = (_layout(group, dtype) for group, dtype in zip(spec.groups, spec.dtypes, strict=False))
    made = gemm_spec(
        spec.m, spec.n, spec.k, dtype=HALVES if half else spec.dtypes, a_layout=a_layout, b_layout=b_layout,
        numerics="exact" if half else spec.numerics, epilogue=epilogue, strides=spec.strides, prefetch=spec.prefetch,
        streaming=spec.streaming, **_places(spec),
    )  # fmt: skip
    if spec.tiles not in (OWN, SHARED):
        raise ValueError(f"tiles: {OWN} or {SHARED}, not {spec.tiles!r}")
    return replace(made, tiles=spec.tiles, late=spec.late is True)


def _places(spec: GemmSpec) -> dict[str, Any]:
    """Return the arguments that say where the operands lie and how they are combined."""
    lda, ldb, ldc = spec.leading
    return {"order": spec.order, "lda": lda, "ldb": ldb, "ldc": ldc, "batch": spec.batch, "alpha": spec.alpha,
            "beta": spec.beta}  # fmt: skip


def _layout(group: int, dtype: str) -> str:
    if group == 1:
        return PLAIN
    return "mmla" if group * ELEMENT_BYTES[dtype] == BLOCK_BYTES else f"vnni{group}"


def bf16x3(spec: Bf16x3Spec) -> Bf16x3Spec:
    """Make an f32 product from products of bf16."""
    return bf16x3_spec(spec.m, spec.n, spec.k, numerics=spec.numerics, **_places(spec))


def ozaki(spec: OzakiSpec) -> OzakiSpec:
    """Make an f64 product from products of int8."""
    return ozaki_spec(spec.m, spec.n, spec.k, numerics=spec.numerics, **_places(spec))


def epilogue(spec: EpilogueSpec) -> EpilogueSpec:
    """Make a product with an epilogue."""
    return epilogues.again(spec, gemm(spec, epilogue=True))


def packed(spec: PackedSpec) -> PackedSpec:
    """Make a product with an epilogue and a packed result."""
    return packed_spec(epilogue(plain_of(spec)), spec.c_layout)


def stack(spec: StackSpec) -> StackSpec:
    """Make a stack of independent products."""
    return stack_spec(gemm(spec), spec.stack)


def rows(spec: RowsSpec) -> RowsSpec:
    """Make a product with any number of rows or columns."""
    layouts = {f"{name}_layout": _layout(group, dtype) for name, group, dtype in zip("ab", spec.groups, spec.dtypes)}
    return rows_spec(spec.m, spec.n, spec.k, dtype=spec.dtypes, numerics=spec.numerics, **layouts, **_places(spec))


def eltwise(spec: EltwiseSpec) -> EltwiseSpec:
    """Make a traced function. Its program is traced step by step."""
    masks = {name for name, dtype in spec.program.inputs if dtype in MASKS}
    results = [spec.program.steps[number].dtype for number in spec.program.outputs]
    inputs = {each.name: _input(each, spec, each.name in masks) for each in spec.inputs}

    found = dict(spec.program.inputs)

    def function(*operands: Expr) -> tuple[Expr, ...]:
        types = {name: each.dtype for name, each in zip(inputs, operands)}
        for name, (_, dtype) in inputs.items():  # an integer operand next to floats has its own type
            natural = traced_type(dtype, spec.compute, True) if dtype in COMPUTE else None
            types[name] = natural if natural is not None and found.get(name) == natural else types[name]
        return replayed(spec.program, types)

    traced = [*inputs, *result_names(inputs, len(spec.outputs))]  # composites name their results
    made = eltwise_spec(
        function, spec.name, {name: shape for name, (shape, _) in inputs.items()},
        dtype={name: dtype for name, (_, dtype) in inputs.items()},
        out=[BITS if made in MASKS else y.dtype for y, made in zip(spec.outputs, results, strict=True)],
        compute=spec.compute if spec.compute in COMPUTED else None, accuracy=spec.accuracy, by_name=False,
        leading={f"ld{name}": each.view.leading for name, each in zip(traced, spec.operands, strict=True)},
        extents=(spec.m, spec.n),
        origin=RUNTIME if spec.moved else None, algorithm=spec.algorithm, numerics=spec.numerics,
        layouts=dict(zip(traced, spec.layouts)),
    )  # fmt: skip
    outputs = zip(made.outputs, (y.name for y in spec.outputs), strict=True)
    return replace(made, outputs=tuple(y._replace(name=name) for y, name in outputs))


def fused(spec: FusedSpec) -> FusedSpec:
    """Make a traced function with reductions along rows."""
    return fused_spec(eltwise(elementwise(spec)))


def grouped(spec: GroupedSpec) -> GroupedSpec:
    """Make a fused kernel for several groups from that of one group."""
    return grouped_spec(fused(spec.request), spec.groups, spec.samples, spec.shared)


def chain(spec: ChainSpec) -> ChainSpec:
    """Make a traced function with products. Its program is traced step by step."""
    inputs = {each.name: each for each in spec.inputs}
    found = dict(spec.program.inputs)

    def function(*operands: Expr) -> tuple[Expr, ...]:
        types = {name: found.get(name, each.dtype) for name, each in zip(inputs, operands)}
        for name, dtype in types.items():
            natural = traced_type(inputs[name].dtype, spec.compute, True)
            if dtype not in (natural, spec.compute):
                raise ValueError(f"program: {name} of type {dtype}, not {natural}")
        return replayed(spec.program, types)

    return chain_spec(
        function, spec.name, {name: (each.rows, each.columns) for name, each in inputs.items()},
        dtype={name: each.dtype for name, each in inputs.items()}, out=[y.dtype for y in spec.outputs],
        compute=spec.compute, accuracy=spec.accuracy, by_name=False, numerics=spec.numerics,
        leading={f"ld{each.name}": each.view.leading for each in spec.operands if each.name not in spec.apart},
        apart=[each.name for each in spec.inputs if each.name in spec.apart],
    )  # fmt: skip


def indexed(spec: IndexedSpec) -> IndexedSpec:
    """Make a traced function with indexed rows: the request of the rows, and the operands that they lie in."""
    request = spec.request
    plain = replace(request, outputs=tuple(y._replace(view=View("C", y.columns)) if y.view.leading is RUNTIME and any(
        y.name == each.name for each in spec.scattered) else y for y in request.outputs))  # fmt: skip
    made: Any = (chain(plain) if isinstance(plain, ChainSpec) else fused(plain) if isinstance(plain, FusedSpec) else
                 eltwise(plain))  # fmt: skip
    return again(spec, with_rows_apart(made, spec.gathered, spec.scattered))


def rowwise(spec: RowwiseSpec) -> RowwiseSpec:
    """Make one of these requests with the number of rows given at the call."""
    request = spec.request
    if isinstance(request, IndexedSpec):
        return rowwise_spec(indexed(request))
    if isinstance(request, (ChainSpec, ReduceSpec)):
        return rowwise_spec(chain(request) if isinstance(request, ChainSpec) else reduction(request))
    return rowwise_spec(fused(request) if isinstance(request, FusedSpec) else eltwise(request))


def _input(each: Operand, spec: EltwiseSpec, mask: bool) -> tuple[tuple[int, int], str]:
    """Return the shape and type that were asked for. A bit mask has one byte per eight columns; an unused one looks
    like a matrix of bytes. A matrix in a layout has a different shape in memory."""
    if spec.layouts and spec.layout_of(each):
        return (spec.m, spec.n), each.dtype
    if mask or (each.dtype == "u8" and each.columns not in (1, spec.n)):
        return (each.rows, spec.n), BITS
    return (each.rows, each.columns), each.dtype


def attention(spec: AttentionSpec) -> AttentionSpec:
    """Make attention."""
    order, leading = orders_of(spec)
    return attention_spec(spec.heads, spec.queries, spec.keys, spec.size, causal=spec.causal, mask=spec.mask,
                          scale=spec.scale, kv_heads=spec.kv_heads, lse=spec.lse, dtype=spec.dtype,
                          accuracy=spec.accuracy, order=order, leading=leading,
                          seen=RUNTIME if spec.seen else None)  # fmt: skip


def attention_inverse(spec: InverseSpec) -> InverseSpec:
    """Make the backward pass of attention."""
    return inverse_spec(attention(replace(spec.forward, views=())), *orders_of(spec))


def bag(spec: BagSpec) -> BagSpec:
    """Make an embedding bag."""
    return bag_spec(spec.bags, spec.n, size=spec.size, count=spec.count, dtype=spec.dtype, index=spec.index,
                    weights=spec.weighted, prefetch=spec.prefetch, bounds=spec.bounds, ldx=spec.ldx,
                    ldy=spec.ldy, name=spec.name, include_last_offset=spec.include_last_offset)  # fmt: skip


def counted_extents(spec: CountedSpec) -> CountedSpec:
    """Make a gather, a scatter or an embedding bag with extents given at the call."""
    request: Any = gather(spec.request) if isinstance(spec.request, GatherSpec) else bag(spec.request)
    extents = {name: RUNTIME if name in spec.at_call else getattr(request, name) for name in LIKELY
               if hasattr(request, name)}  # fmt: skip
    made = counted(lambda **numbers: replace(request, **numbers), extents)
    if not isinstance(made, CountedSpec):
        raise ValueError("at_call: must name at least one extent")
    return made


def gather(spec: GatherSpec) -> GatherSpec:
    """Make a gather or a scatter: with a step or an index; without a leading dimension if the wide matrix is a
    vector."""
    strided = spec.by == "stride"
    leading: dict[str, Any] = {"ldx": spec.ldx, "ldy": spec.ldy}
    if spec.by == "offsets":
        leading["ldx" if spec.verb == "gather" else "ldy"] = None
    return gather_spec(spec.verb, spec.by, spec.m, spec.n, size=None if strided else spec.size,
                       step=spec.step if strided else None, dtype=spec.dtype, index=spec.index, bounds=spec.bounds,
                       out=spec.out, scale=spec.scale or None, bias=spec.bias or None, prefetch=spec.prefetch,
                       **leading)  # fmt: skip


def reduction(spec: ReduceSpec) -> ReduceSpec:
    """Make a reduction: sums, extrema or their positions."""
    return reduce_spec(spec.name, spec.m, spec.n, axis=spec.axis, dtype=spec.dtype, out=spec.out, compute=spec.compute,
                       squared=spec.squared, init=spec.init, ldx=spec.ldx, keepdims=spec.keepdims)  # fmt: skip


def transform(spec: TransformSpec) -> TransformSpec:
    """Make a transpose or another change of layout."""
    request: dict[str, Any] = {"dtype": spec.dtype, "ldx": spec.ldx, "ldy": spec.ldy, "loads": spec.loads}
    if spec.transposes:
        return transpose_spec(spec.m, spec.n, in_place=spec.one_array, **request)
    return transform_spec(f"{spec.source}_to_{spec.result}", spec.m, spec.n, **request)
