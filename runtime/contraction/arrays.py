"""Contractions of two arrays that change from call to call: gradients by weights, and `einsum`.

Operands are read where they lie if the depth or the rows are neighbours in A and the columns in B. Otherwise, or where
elements outside of them are read, the workers first copy them whole into shared scratch memory, as bands are copied
(packs.py), and wait for each other. Then each worker computes whole blocks of C: for one part of the sum after the
other, the product of that part. The parts follow from the loops alone, not from how operands lie, and so do the bits.

A part of a long sum is summed by itself before it is added to C (microkernels/codegen/long_sums.py). Sums whose type is
wider than that of C stay in the worker's scratch memory until all parts are added, and are rounded once. Where C has
few blocks and sums are long, sums are also cut into *slices*, which are dealt to the workers as blocks are: each slice
has a C of its own in shared scratch memory, and after a barrier they are added in their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.features import Target
from ...encoder.records import cached_property, dataclass
from ...microkernels.codegen.long_sums import most_of_block
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.long_products import in_blocks
from ...microkernels.gemm.spec import gemm_spec
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..api.brgemm import product_spec
from ..arguments.arrays import Array, address_of
from ..kernel.callable import Kernel, kept
from ..kernel.request_cache import shared
from ..loops.code import (
    WORKER,
    Address,
    Affine,
    Barrier,
    Call,
    Node,
    Share,
    When,
    affine,
    blocks_of,
    cases,
    index,
    pieces,
)
from ..loops.job import JobWord, TableKernel, pointer
from ..threads.called_code import JobTable
from ..walks.moves import MoveKernels
from ..walks.walk import Side, copied
from .form import Contraction, IndexedArray, moved
from .nest import around, indices_of, loop_of
from .packs import Copying, InputBand, band_of, refused
from .roles import Chain, LoopStrides, Roles, assigned
from .roles import refused as without_role

if TYPE_CHECKING:
    from collections.abc import Mapping

A, B, C, SHARED, BARRIER, STATE, OWN = range(7)
"""Positions of the operands in the job's table."""
PART = "part"
"""The index of the first pair of a part of the sum."""
SLICE, FOLDED = "slice", "folded"
"""The index of a slice of the sum, and that of the first element of C that is added up."""


@dataclass(frozen=True)
class FactorSource:
    """A factor where kernels read it: in place, or in a copy.

    at      its place in the job's table
    band    the copy, or None
    begin   bytes of the shared scratch memory before the copy
    """

    operand: IndexedArray
    at: int
    band: InputBand | None = None
    begin: int = 0

    def strides(self, extents: Mapping[str, int]) -> dict[str, int]:
        """Return the elements that a step of each loop moves."""
        place = self.band or self.operand
        return {name: place.stride(name) for name in extents if self.operand.has(name)}

    def copying(self, band: InputBand, target: Target) -> Copying:
        """Return what makes the copy."""
        return Copying(band, self.at, Address(SHARED, affine(self.begin)), target)

    def address(self, indices: Mapping[str, Affine]) -> Address:
        """Return the address of the element at these values of loops."""
        size = ELEMENT_BYTES[self.operand.dtype]
        if self.band is None:
            return Address(self.at, self.operand.at(indices) * size)
        return Address(SHARED, self.band.at(indices) * size + self.begin)


@dataclass(frozen=True)
class Arrangement:
    """How a contraction of two arrays is computed.

    rows, columns   of C in a block, and the columns of one product
    exchanged       whether the kernels' A is the B that was given
    cut, pairs      the loops along which the sum is cut, among those of the batch and the depth, and how many of their
                    iterations a product adds up; each iteration of the loops outside of them is a part of its own
    sums            the type of the sums of parts: if C has another one, they wait in scratch memory
    slices, each    the number of slices of the sum, and the iterations of its outermost loop in one
    """

    contraction: Contraction
    a: FactorSource
    b: FactorSource
    roles: Roles
    apart: tuple[str, ...]
    exchanged: bool
    rows: int
    columns: int
    cut: int
    pairs: int
    sums: str
    slices: int
    each: int

    @property
    def summed(self) -> tuple[Chain, ...]:
        """The loops of the sum, outermost first."""
        return (*self.roles.batch, self.roles.depth)

    @property
    def shared(self) -> int:
        """Bytes of shared scratch memory."""
        return self.copies + (self.slices * self.of_slice if self.slices > 1 else 0)

    @property
    def copies(self) -> int:
        """Bytes of shared scratch memory for the copies of factors."""
        return sum(each.band.size for each in (self.a, self.b) if each.band)

    @property
    def of_slice(self) -> int:
        """Bytes of shared scratch memory for the sums of a slice."""
        size = elements_of(self.contraction) * ELEMENT_BYTES[self.sums]
        return -(-size // CACHE_LINE) * CACHE_LINE

    @property
    def parts(self) -> int:
        """The number of parts of each sum."""
        return self.slices * parts_of([self.each, *(each.extent for each in self.summed[1:])], self.cut, self.pairs)

    @property
    def waiting(self) -> bool:
        """Whether sums wait in a worker's scratch memory."""
        return self.slices == 1 and self.parts > 1 and self.sums != self.contraction.c.dtype

    @property
    def own(self) -> int:
        """Bytes of scratch memory per worker."""
        size = self.rows * self.columns * ELEMENT_BYTES[self.sums]
        return -(-size // CACHE_LINE) * CACHE_LINE if self.waiting else 0

    def __str__(self) -> str:
        copied = [name for name, each in (("A", self.a), ("B", self.b)) if each.band]
        how = f"{' and '.join(copied)} copied ({-(-self.copies // 1024)} KiB)" if copied else "A and B in place"
        sums = f", the sum in {self.parts} parts" if self.parts > 1 else ""
        sums += f", {self.slices} slices of it dealt out" if self.slices > 1 else ""
        return f"{how}, blocks of {self.rows} x {self.columns}{sums}; {self.roles}"


def arranged(contraction: Contraction, target: Target) -> Arrangement:
    """Return how a contraction is computed. Raises UnsupportedError if it has no such product."""
    trimmed = contraction.trimmed()
    a, b, c, extents = trimmed.a, trimmed.b, trimmed.c, trimmed.extents
    reason = without_role(LoopStrides(extents, dict(a.steps), dict(b.steps), dict(c.steps)))
    if reason:
        raise UnsupportedError(f"contraction: {reason}")
    near = min(
        (abs(c.stride(name)) for name in extents if c.has(name) and not (a.has(name) and b.has(name))), default=1
    )
    first = [name for name in extents if c.has(name) and abs(c.stride(name)) == near]
    exchanged = any(a.has(name) for name in first) and not any(b.has(name) for name in first)
    if exchanged:
        a, b, trimmed = b, a, Contraction(trimmed.loops, b, a, c)  # the columns are what is near in C
    apart = tuple(name for name in extents if a.has(name) and b.has(name) and c.has(name))
    inside = {name: extent for name, extent in extents.items() if name not in apart}
    source_a = _source(a, A, extents, apart, [], [name for name in inside if a.has(name)], 0)
    begin = source_a.band.size if source_a.band else 0
    columns = sorted((n for n in inside if b.has(n) and c.has(n)), key=lambda name: abs(c.stride(name)))
    source_b = _source(b, B, extents, apart, columns, [], begin)
    strides = source_a.strides(inside), source_b.strides(inside), {n: c.stride(n) for n in inside if c.has(n)}
    summed = sorted((n for n in inside if not c.has(n)), key=lambda name: -abs(strides[0][name]))
    levels = [extents[name] for name in summed] or [1]
    lanes = max(1, target.vector_bits // (8 * max(4, ELEMENT_BYTES[c.dtype])))
    roles = assigned(LoopStrides(inside, *strides, packed=False))
    width = _even(roles.columns.extent, CONTRACTIONS.wide * lanes, lanes)
    rows = _even(roles.rows.extent, CONTRACTIONS.most_rows, CONTRACTIONS.unit)
    others = math.prod(extents[name] for name in apart) * math.prod(e.extent for e in (*roles.over, *roles.across))
    others *= -(-roles.columns.extent // width)
    dense = elements_of(trimmed) == math.prod(extents[name] for name in extents if c.has(name))
    few = CONTRACTIONS.sliced // (others * -(-roles.rows.extent // rows)), math.prod(levels) // CONTRACTIONS.slice
    each = -(-levels[0] // max(1, min(levels[0], *few) if dense else 1))
    slices = -(-levels[0] // each)
    if slices == 1:  # so few rows that there are blocks for several cores
        parts = min(-(-CONTRACTIONS.blocks // others), max(1, roles.rows.extent // CONTRACTIONS.rows))
        rows = min(rows, _even(roles.rows.extent, -(-roles.rows.extent // parts), CONTRACTIONS.unit))
    cut, pairs = _cut([each, *levels[1:]])
    alone = tuple(summed[: max(cut, slices > 1)])  # what is cut follows from the loops, and not from how they lie
    roles = assigned(LoopStrides(inside, *strides, packed=False, alone=alone))
    chains = (*roles.batch, roles.depth)
    cut, pairs = _in_chains(summed, extents, chains, cut, pairs)
    each = each if slices > 1 else chains[0].extent
    types = trimmed.a.dtype, trimmed.b.dtype, c.dtype
    sums = gemm_spec(1, 1, 1, dtype=types).acc_dtype
    return Arrangement(
        trimmed, source_a, source_b, roles, apart, exchanged, rows, width, cut, pairs, sums, slices, each
    )


def elements_of(contraction: Contraction) -> int:
    """Return the elements of memory from the first one of C to the last one."""
    c, extents = contraction.c, contraction.extents
    return 1 + sum(abs(c.stride(name)) * (extents[name] - 1) for name in extents if c.has(name))


def _even(extent: int, most: int, unit: int) -> int:
    """Return the iterations of even blocks, of at most `most`, in whole units."""
    return min(extent, -(-extent // (unit * -(-extent // most))) * unit)


def _cut(levels: Sequence[int]) -> tuple[int, int]:
    """Return along which of these loops of a sum it is cut, and how many of their iterations a part has: the shortest
    parts of many steps of which there are few enough to be added one by one."""
    steps = max(CONTRACTIONS.steps, -(-math.prod(levels) // most_of_block(True)))
    while True:
        inside = [math.prod(levels[place + 1 :]) for place in range(len(levels))]
        cut = next(place for place, each in enumerate(inside) if each <= steps)
        pairs = min(levels[cut], steps // inside[cut])
        if parts_of(levels, cut, pairs) <= most_of_block(True):
            return cut, -(-levels[cut] // -(-levels[cut] // pairs))
        steps *= 2


def _in_chains(
    summed: Sequence[str], extents: Mapping[str, int], chains: Sequence[Chain], cut: int, pairs: int
) -> tuple[int, int]:
    """Return which of the chains is cut, and how many of its iterations a part has, if it is so many of a loop."""
    if not summed:
        return len(chains) - 1, pairs
    place, names = next((place, each.names) for place, each in enumerate(chains) if summed[cut] in each.names)
    return place, pairs * math.prod(extents[name] for name in names[names.index(summed[cut]) + 1 :])


def parts_of(levels: Sequence[int], cut: int, pairs: int) -> int:
    """Return the number of parts of a sum over these loops that is cut along one of them."""
    return math.prod(levels[:cut]) * -(-levels[cut] // pairs)


def _source(
    operand: IndexedArray,
    at: int,
    extents: Mapping[str, int],
    apart: Sequence[str],
    wanted: Sequence[str],
    also: Sequence[str],
    begin: int,
) -> FactorSource:
    """Return a factor where kernels read it: in place if all of it lies inside and the first loop of `wanted`, or any
    of `also`, moves to neighbours; else in a copy, in which they are the axis of those loops alone."""
    near = any(operand.stride(name) == 1 for name in (*wanted[:1], *also))
    forwards = all(step >= 0 for step in operand.steps.values())
    if operand.is_inside(extents) and forwards and (near or not (*wanted, *also)):
        return FactorSource(operand, at)
    local = {name: extent for name, extent in extents.items() if operand.has(name)}
    lying = replace(operand, axes=tuple(sorted(operand.axes, key=lambda axis: -abs(axis.stride))))
    band = band_of(lying, extents, local, (*also, *wanted, *apart), "")
    reason = refused(band)
    if reason:
        raise UnsupportedError(f"contraction: {reason}; copy the array, np.ascontiguousarray(...)")
    return FactorSource(operand, at, band, begin)


class Summed(TableKernel):
    """A contraction of two arrays, whose calls take the addresses of A, B and C.

    plan   how it is computed: what is copied, the blocks of C, the parts of the sum
    """

    contraction: Contraction
    flops: int

    def __init__(self, contraction: Contraction, target: Target, stem: str = "contraction") -> None:
        self._keep(contraction=contraction, target=target, flops=contraction.flops)
        self._stem = stem

    @cached_property
    def plan(self) -> Arrangement:
        """How it is computed."""
        return arranged(self.contraction, self.target)

    @property
    def _table(self) -> JobTable:
        factors = (B, A) if self.plan.exchanged else (A, B)
        return JobTable((*factors, C), SHARED, OWN, BARRIER)

    @property
    def _memory(self) -> tuple[int, int]:
        return self.plan.shared, self.plan.own

    @property
    def cycles(self) -> int:
        """The estimated cycles of one core."""
        return self.flops // 16

    @property
    def _asked(self) -> tuple[object, ...]:
        return self.contraction, self.plan

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        factors = (self.plan.a, self.plan.b)
        copies = [node for each in factors if each.band for node in each.copying(each.band, self.target).dealt()]
        fold = [Barrier(BARRIER), self._fold()] if self.plan.slices > 1 else []
        return (*copies, *([Barrier(BARRIER)] if copies else []), *self._products(), *fold)

    def _products(self) -> list[Node]:
        plan, roles = self.plan, self.plan.roles
        extents = plan.contraction.extents
        headers = [blocks_of(name, extents[name], 1) for name in plan.apart]
        headers += [blocks_of(SLICE, plan.slices, 1)] if plan.slices > 1 else []
        headers += [blocks_of(loop_of(each), each.extent, 1) for each in (*roles.over, *roles.across)]
        headers += [
            blocks_of("row", roles.rows.extent, plan.rows),
            blocks_of("column", roles.columns.extent, plan.columns),
        ]
        body: list[Node] = []
        for down, rows in cases("row", roles.rows.extent, plan.rows):
            for across, columns in cases("column", roles.columns.extent, plan.columns):
                body += down(across([*self._slices(rows, columns), *self._rounding(rows, columns)]))
        return [Share(tuple(headers), tuple(body))]

    def _slices(self, rows: int, columns: int) -> list[Node]:
        """Return the products of a block of a slice, the last of which may be shorter."""
        plan = self.plan
        last = plan.summed[0].extent - (plan.slices - 1) * plan.each
        if last == plan.each:
            return self._sum(rows, columns, last)
        before, at = index(SLICE) - (plan.slices - 1), self._sum(rows, columns, plan.each)
        return [When(before, "<", tuple(at)), When(before, "==", tuple(self._sum(rows, columns, last)))]

    def _fold(self) -> Node:
        """Return the loop that adds the sums of all slices, in their order, and stores them in C."""
        plan, c = self.plan, self.plan.contraction.c
        total, size, block = elements_of(plan.contraction), ELEMENT_BYTES[plan.sums], CONTRACTIONS.folded
        sums = [Address(SHARED, index(FOLDED) * size + plan.copies + n * plan.of_slice) for n in range(plan.slices)]
        to = Address(C, (index(FOLDED) + c.address.constant) * ELEMENT_BYTES[c.dtype])
        body: list[Node] = []
        for case, count in cases(FOLDED, total, block):
            add, store = (MoveKernels(plan.sums, self.target).sum(count, out) for out in (plan.sums, c.dtype))
            more = [Call(add, (sums[0], each, sums[0])) for each in sums[1:-1]]
            body += case([*more, Call(store, (sums[0], sums[-1], to))])
        return Share((blocks_of(FOLDED, total, block),), tuple(body))

    def _rounding(self, rows: int, columns: int) -> list[Node]:
        """Return the copy of a block of sums that waited in scratch memory to C."""
        plan = self.plan
        if not plan.waiting:
            return []
        to, out = self._places(affine(0))[2], plan.contraction.c.dtype
        sums = Side(OWN, plan.sums, self._waiting_at().offset, (plan.columns, 1))
        return copied(
            (rows, columns), sums, Side(C, out, to.offset, (plan.roles.rows.c, plan.roles.columns.c)), self.target
        )

    def _waiting_at(self) -> Address:
        return Address(OWN, index(WORKER) * self.plan.own)

    def _sum(self, rows: int, columns: int, length: int) -> list[Node]:
        """Return the products of all parts of the sum of a block, over so many iterations of the outermost loop."""
        plan = self.plan
        summed = (replace(plan.summed[0], extent=length), *plan.summed[1:])
        outside, cut = summed[: plan.cut], summed[plan.cut]
        begin = [index(loop_of(each)) for each in outside]
        made: list[Node] = []
        for piece, pairs in pieces(PART, cut.extent, plan.pairs):
            only = piece.loop is not None and piece.loop.trips == 1
            made += piece.around(self._part(rows, columns, pairs, affine(0) if only else piece.start, begin))
        return around(outside, made)

    def _part(self, rows: int, columns: int, pairs: int, part: Affine, begin: Sequence[Affine]) -> list[Node]:
        """Return the product of a part of the sum: the first one, which does not add to C, where `part` and `begin` are
        0."""
        a, b, c = self._places(part)
        to = self._waiting_at() if self.plan.waiting else c
        first, again = (Call(self._kernel(rows, columns, pairs, start), (a, b, to)) for start in (True, False))
        if part.constant:
            return [again]
        body: list[Node] = [first]
        for each in reversed([*begin, part] if part.terms else begin):
            body = [When(each, "==", tuple(body)), When(each, ">", (again,))]
        return body

    def _places(self, part: Affine) -> tuple[Address, ...]:
        """Return the addresses of A, B and C for a part of the sum of a block."""
        plan, roles, c = self.plan, self.plan.roles, self.plan.contraction.c
        indices = {name: index(name) for name in plan.apart}
        indices |= indices_of((*roles.over, *roles.across, *plan.summed[: plan.cut]))
        block = (roles.rows, index("row")), (roles.columns, index("column")), (plan.summed[plan.cut], part)
        for chain, value in block:
            indices |= dict.fromkeys(chain.names[-1:], value)
        to = Address(C, c.at(indices) * ELEMENT_BYTES[c.dtype])
        if plan.slices > 1:
            outermost = plan.summed[0].names[-1]
            indices[outermost] += index(SLICE) * plan.each
            of_slice = index(SLICE) * plan.of_slice + plan.copies
            to = Address(SHARED, moved(c.steps, indices) * ELEMENT_BYTES[plan.sums] + of_slice)
        return plan.a.address(indices), plan.b.address(indices), to

    def _kernel(self, rows: int, columns: int, pairs: int, first: bool) -> Kernel:
        plan, roles = self.plan, self.plan.roles
        to = plan.sums if plan.waiting or plan.slices > 1 else plan.contraction.c.dtype
        factors = plan.a.operand.dtype, plan.b.operand.dtype, to
        request: dict[str, Any] = {"dtype": factors, "beta": 0.0 if first else 1.0, "order": (roles.order, "C", "C")}
        batch = roles.batch[plan.cut :]
        depth = roles.depth.extent if batch else pairs
        if batch:
            counts = (pairs, *(each.extent for each in batch[1:]))
            request |= {"batch": counts, "strides": tuple((each.a, each.b) for each in batch)}
        lda, lines = (roles.depth.a, depth) if roles.order == "F" else (roles.rows.a, rows)
        request |= {"lda": lda} if lines > 1 else {}
        request |= {"ldb": roles.depth.b} if depth > 1 else {}
        request |= {"ldc": plan.columns if plan.waiting else roles.rows.c} if rows > 1 else {}
        product: Any = product_spec(rows, columns, depth, **request)
        if DTYPES[plan.sums].real:  # the same bits, however the factors lie
            product = replace(product, ordered=True)
            product = in_blocks(product, plan.contraction.terms) if plan.parts > 1 else product
        return kept(product, self.target)

    def on(self, arrays: Sequence[Array], copied: Sequence[bool], to: Array, threads: int) -> None:
        """Compute on two arrays, of which some are copied first, with the result in a third one."""
        factors = [taken(each, copy) for each, copy in zip(arrays, copied)]
        self.call.at([address_of(each) for each in (*factors, to)], threads)

    def _operands(self) -> list[JobWord]:
        c = self.contraction
        named = ("a", c.a, False), ("b", c.b, False), ("c", c.c, True)
        return [pointer(each.dtype, name, written) for name, each, written in named]

    def __str__(self) -> str:
        title = f"contraction for {self.target.name}"
        return "\n".join([title, f"  {self.plan}", *self._text(("b", "a", "c") if self.plan.exchanged else "abc")])


@shared
def summed(contraction: Contraction, target: Target, stem: str) -> Summed:
    """Return the kernel of a contraction; equal requests share one. `stem` is the beginning of its symbol."""
    return Summed(contraction, target, stem)


def taken(array: Array, copied: bool) -> Array:
    """Return an array that kernels read, or its copy."""
    return np.array(array, order="C") if copied or not array.flags.aligned else array
