"""Nodes that are units by themselves: kernels of their own, and functions that the caller brings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.tuning.products import PROGRAMS
from ..api.attention import attention, attention_inv
from ..executor.stages import LoadedNumber
from ..kernel.callable import Kernel
from .lower_images import LOWERINGS
from .on_arrays import EMPTY, function_of
from .operators import type_name
from .storage import ValuePlace
from .values import GraphNode, TensorType

if TYPE_CHECKING:
    from .lowering import Lowering

_HEADS_ALL, _HEADS_SIDE = "C", "F"
"""Orders of heads as `ts.attention` has them: one after the other, or side by side."""


def lower_single(lowering: Lowering, node: GraphNode) -> None:
    """Add the steps of a node."""
    kind, name = node.operator.kind, node.operator.name
    if kind == "foreign":
        _foreign(lowering, node)
    elif name == "attention":
        _attention(lowering, node)
    elif name == "attention_backward":
        _attention_backward(lowering, node)
    elif name in LOWERINGS:
        LOWERINGS[name](lowering, node)
    elif kind == "whole":
        inputs = [None if each is None else lowering.place(each) for each in node.inputs]
        read = [lowering.is_read(value, lowering.partition.of[node]) for value in node.results]
        outputs = [lowering.result(value) if wanted else None for value, wanted in zip(node.results, read)]
        lowering.on_arrays(function_of(node), inputs, outputs, name, node)
    else:
        _empty(lowering, node)


def _empty(lowering: Lowering, node: GraphNode) -> None:
    """Add the step of a node that no region takes: a reduction of no elements."""
    name = node.operator.name
    if name not in EMPTY or node.operands[0].size:
        error = UnsupportedError(f"{name}: no kernel takes {', '.join(str(v.kind) for v in node.operands)}")
        error.node = node  # type: ignore[attr-defined]
        raise error
    lowering.on_arrays(function_of(node), [], [lowering.result(node.results[0])], name, node)


def _foreign(lowering: Lowering, node: GraphNode) -> None:
    inputs = [None if each is None else lowering.place(each) for each in node.inputs]
    outputs = [lowering.result(each) for each in node.results]
    lowering.on_arrays(function_of(node), inputs, outputs, str(node.attributes["name"]), node)


# Attention


class Heads(NamedTuple):
    """The heads of an operand of attention, (batch, heads, rows, size): their order in memory, and the elements between
    neighbours. joined: whether the heads of all samples are those of one."""

    place: ValuePlace
    order: str
    leading: int
    joined: bool


def _heads(place: ValuePlace) -> Heads | None:
    """Return how heads lie, if kernels read them there."""
    (batch, heads, rows, size), (of_batch, of_heads, of_rows, near) = place.kind.shape, place.strides
    if size > 1 and near != 1:
        return None
    if rows == 1 or of_rows == size:
        leading = of_heads if heads > 1 else rows * size
        if leading % size == 0 and leading >= rows * size:
            return Heads(place, _HEADS_ALL, leading, batch == 1 or of_batch == heads * leading)
    if heads == 1 or of_heads == size:
        leading = of_rows if rows > 1 else heads * size
        if leading % size == 0 and leading >= heads * size:
            return Heads(place, _HEADS_SIDE, leading, batch == 1)
    return None


def _found_heads(node: GraphNode, place: ValuePlace) -> Heads | None:
    """Return how heads of a node lie, if kernels read them there: in one call, if what is computed depends on the place
    of a head in it."""
    found = _heads(place)
    return None if found is None or _counts_heads(node) and not found.joined else found


def _counts_heads(node: GraphNode) -> bool:
    """Whether attention drops by the numbers of heads, or a function of scores may read them."""
    return bool(node.attributes.get("dropout") or node.attributes.get("score"))


def _readable_heads(lowering: Lowering, node: GraphNode, place: ValuePlace) -> Heads:
    found = _found_heads(node, place) or _heads(lowering.copied(place))
    assert found is not None
    return found


def _mask(lowering: Lowering, node: GraphNode, number: int) -> tuple[str | None, ValuePlace | None]:
    """Return the kind of a mask, and the masks as kernels add them to scores: one after the other, of as many axes as
    the scores, with a stride of 0 for samples and heads that share one."""
    value = node.inputs[number] if len(node.inputs) > number else None
    if value is None:
        return None, None
    place = lowering.place(value)
    first = node.operator.name == "attention_backward"  # g
    q, k = node.operands[first].shape, node.operands[1 + first].shape
    steps = _broadcast_steps(place, 4)
    rows = 1 if steps[2] == 0 else q[2]
    wanted = (1 if steps[0] == 0 else q[0], 1 if steps[1] == 0 else q[1], rows, k[2])
    place = ValuePlace(place.storage, place.offset, TensorType(wanted, value.dtype), steps)
    each = rows * k[2]
    dense = (steps[0] and wanted[1] * each, steps[1] and each, steps[2] and k[2], 1 if k[2] > 1 else steps[3])
    if steps != dense:
        place = lowering.copied(place)
    return "row" if rows == 1 else "full", place._replace(strides=_broadcast_steps(place, 4))


def _broadcast_steps(place: ValuePlace, ndim: int) -> tuple[int, ...]:
    kept = (s if e > 1 else 0 for e, s in zip(place.kind.shape, place.strides))
    return (*(0,) * (ndim - len(place.kind.shape)), *kept)


def _attention(lowering: Lowering, node: GraphNode) -> None:
    q, k, v = (lowering.place(each) for each in node.operands[:3])
    batch, heads, queries, size = q.kind.shape
    if size < 2:
        raise UnsupportedError("attention: heads of at least 2 elements")
    unit = lowering.partition.of[node]
    out, lse = node.results
    kind, mask = _mask(lowering, node, 3)
    to = lowering.result(out, lowering.preferred(out))
    made = _found_heads(node, to) or _heads(lowering.new(out.kind))
    assert made is not None
    wanted = lowering.result(lse) if lowering.is_read(lse, unit) else None
    sums = None if wanted is None else wanted if wanted.is_contiguous else lowering.new(lse.kind)
    read = [_readable_heads(lowering, node, each) for each in (q, k, v)]
    call = AttentionCalls(lowering, node, attention, (*read, made), kind, mask, ("q", "k", "v", "out"))
    call.add(["q", "k", "v", "mask"], ["out"], sums, lse=sums is not None)
    if made.place.storage is not to.storage:
        lowering.copy(made.place, to)
    if wanted is not None and sums is not None and sums is not wanted:
        lowering.copy(sums, wanted)


def _attention_backward(lowering: Lowering, node: GraphNode) -> None:
    """attention_backward(g, q, k, v, out, lse, mask) -> (gq, gk, gv)."""
    g, q, k, v, out, lse = (lowering.place(each) for each in node.operands[:6])
    kind, mask = _mask(lowering, node, 6)
    read = [_readable_heads(lowering, node, each) for each in (g, q, k, v, out)]
    sums = lse if lse.is_contiguous else lowering.copied(lse)
    places = [lowering.result(value) for value in node.results]
    found = [_found_heads(node, place) or _heads(lowering.new(place.kind)) for place in places]
    made = [each for each in found if each is not None]
    names = ("g", "q", "k", "v", "out", "gq", "gk", "gv")
    call = AttentionCalls(lowering, node, attention_inv, (*read, *made), kind, mask, names)
    call.add(["g", "q", "k", "v", "mask", "out"], ["gq", "gk", "gv"], sums)
    for each, place in zip(made, places):
        if each.place.storage is not place.storage:
            lowering.copy(each.place, place)


class AttentionCalls:
    """A kernel of attention, and its calls: one for all samples if their heads are evenly apart, else one for each."""

    def __init__(
        self,
        lowering: Lowering,
        node: GraphNode,
        request: Callable[..., Kernel],
        operands: Sequence[Heads],
        kind: str | None,
        mask: ValuePlace | None,
        names: Sequence[str],
    ) -> None:
        self.lowering, self.node, self.request = lowering, node, request
        self.operands, self.kind, self.mask = dict(zip(names, operands)), kind, mask
        q, k = self.operands["q"].place.kind.shape, self.operands["k"].place.kind.shape
        self.batch, self.heads, self.kv_heads = q[0], q[1], k[1]
        self.extents = q[2], k[2], q[3]
        self.joined = all(each.joined for each in operands)

    def add(self, reads: Sequence[str], writes: Sequence[str], sums: ValuePlace | None, **more: bool) -> None:
        """Add the steps. sums: the array of the logarithms of sums, which the kernel reads last, or writes last."""
        inverse = "gq" in self.operands
        samples = 1 if self.joined else self.batch
        heads = self.heads * self.batch if self.joined else self.heads
        kv_heads = self.kv_heads * self.batch if self.joined else self.kv_heads
        of_samples, of_heads, *_ = (0, 0) if self.mask is None else self.mask.strides
        masks = self.batch if of_samples and self.joined else 1, self.heads if of_heads else 1
        order = {name: each.order for name, each in self.operands.items()}
        leading = {f"ld{name}": each.leading for name, each in self.operands.items()}
        attributes = self.node.attributes
        kernel = self.request(
            heads,
            *self.extents,
            causal=bool(attributes.get("causal", False)),
            mask=self.kind,
            masks=masks,
            scale=attributes.get("scale"),
            dropout=attributes.get("dropout", 0.0),
            score=attributes.get("score"),
            kv_heads=kv_heads,
            dtype=type_name(self.operands["q"].place.kind.dtype),
            order=order,
            **leading,
            **more,
        )
        work = self.batch * self.heads * self.extents[0] * self.extents[1]
        entry = self.lowering.spread(kernel) if work >= PROGRAMS.spread and heads > 1 else kernel
        seed = self.node.inputs[-1] if attributes.get("dropout") else None
        if seed is not None:
            names = [name for _, name in kernel.kind.parameters(kernel.spec)]
            entry = LoadedNumber(entry, names.index("seed"))  # type: ignore[arg-type]  # spread returns one or a kernel
        for sample in range(samples):
            at = {name: each.place.moved(sample * each.place.strides[0]) for name, each in self.operands.items()}
            if self.mask is not None:
                at["mask"] = self.mask.moved(sample * of_samples)
            first = [at[name] for name in reads if name in at]
            last = [at[name] for name in writes]
            if sums is not None:
                (first if inverse else last).append(sums.moved(sample * sums.strides[0]))
            if seed is not None:
                first.append(self.lowering.place(seed))
            self.lowering.call(entry, first, last, self.node.operator.name)
