"""Products by compressed weights: the nest of the dense product, whose packed blocks of B are expanded from codes.

Packing a block of B means expanding it (runtime/compressed/expansion.py), and everything else is as in the dense
product, so the bits of the results are those of the product by `weights.dense()`. Blocks begin at records: they are
whole strips wide and whole units deep; kernels multiply them in the pieces of the dense product. With few rows of A,
each worker expands its own blocks into its own scratch memory. Few rows of f32 are multiplied by weights that never
leave the registers (microkernels/compressed), if such kernels add in the order of the dense product.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from math import lcm
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property, dataclass
from ...microkernels.choice import Refusal, tried
from ...microkernels.codegen.long_sums import MOST_TERMS
from ...microkernels.compressed.bitmask import BitmaskForm
from ...microkernels.compressed.form import STRIP, CompressedForm
from ...microkernels.compressed.spec import decode_spec
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.blocking import Panel, Scheme
from ...microkernels.gemm.plan import GemmPlan
from ...microkernels.gemm.spec import PLAIN, GemmSpec
from ...microkernels.machines.registry import facts_of
from ...microkernels.tuning.products import COMPRESSED
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..arguments.matrices import no_overlap
from ..compressed.expansion import BlockLayout, Expansion
from ..compressed.unmasking import Unmasking
from ..compressed.weights import PRODUCTS
from ..fastcall.guards_epilogue import weights_entry
from ..kernel import call_plans
from ..kernel.callable import kept
from ..loops.code import WORKER, Address, Affine, Call, Node, Piece, Share, When, affine, cases, index, pieces
from ..loops.code import blocks_of as blocks_of_index
from ..loops.job import Job, JobWord, job_of
from .blocks import fixed
from .product_nest import PACKED_A, PACKED_B, A, B, C, MatrixStrides, Parts, ProductNest, StepsOfK
from .product_parts import BlockKernels, check_epilogue
from .schedules import Blocks, InPlace, OwnB, OwnSums, PartsOfK, SharedB, SharedSums

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, ArraysByName
    from ..compressed import proofs
    from ..kernel.callable import Kernel
    from ..loops.job import MemoryRegion
    from ..verify.proof import Proof

proofs = lazy(__package__, "..compressed.proofs")
AnyForm: TypeAlias = "CompressedForm | BitmaskForm"


class ExpandedBlocks(BlockKernels):
    """The kernels of a product whose blocks of B are expanded."""

    form: AnyForm

    def parts(self) -> Parts:
        """Return the kernels that the nest calls."""
        return ExpandingParts(**vars(super().parts()), expansion=self.expansion)

    @cached_property
    def expansion(self) -> Expansion | Unmasking:
        """How blocks of B are expanded."""
        paired = self.b_layout != PLAIN
        if self.b_layout not in (PLAIN, "vnni"):
            raise UnsupportedError(f"compressed weights: no kernel expands blocks in the layout {self.b_layout}")
        layout = BlockLayout(self.packed, self.product.dtypes[1], paired, self.row_of_b)
        if isinstance(self.form, BitmaskForm):
            return Unmasking(self.form, layout, self.target)
        return Expansion(self.form, layout, self.target)

    @property
    def row_of_b(self) -> int:
        """The columns between rows of an expanded block of B, the same for the last block."""
        return self._leading_b(self.b_layout) or self.blocks.nb

    def _leading_b(self, layout: str) -> int | None:
        return super()._leading_b(layout) or self.blocks.nb


@dataclass(frozen=True)
class ExpandingParts(Parts):
    """The kernels that the nest of a product by compressed weights calls."""

    expansion: Expansion | Unmasking | None = None

    def packing_b(self, depth: int, columns: int, b: Address, to: Address) -> list[Node]:
        """Return the calls that expand a block of B."""
        assert self.expansion is not None
        filling = self.fill_b(depth, columns)
        return [*self.expansion.block(depth, columns, b, to), *([filling.after(to)] if filling else [])]


class ByWeights:
    """What a large product by compressed weights does otherwise than the dense one, a `Gemm` with the same request.

    form     that of the weights
    dense    the product by expanded weights, and the blocks that it multiplies: `pieces`
    single   whether that is one kernel
    """

    form: AnyForm
    dense: Any
    single: bool
    pieces: Blocks
    product: GemmSpec
    target: Target
    spec: Any
    _settled: dict[str, Any]
    request: dict[str, Any]
    _nest: Any
    _call: Any
    _emulated: Any
    at: Any
    _stem = "compressed"

    @cached_property
    def plan(self) -> Blocks:
        """The blocks that are expanded, or those of the dense product if B is expanded as a whole."""
        if self.strips is not None:
            product = self.product
            return Blocks(product.m, product.n, product.k, product.m, min(STRIP, product.n), product.k, OwnB())
        return blocks_of(self.pieces, self.product, self.form) or self.pieces

    @cached_property
    def whole(self) -> bool:
        """Whether B is expanded as a whole before the dense product."""
        if self.strips is not None:
            return False
        blocks = blocks_of(self.pieces, self.product, self.form)
        return blocks is None or self.kernels.b_layout not in (PLAIN, "vnni") or not self._on_same_units()

    def _on_same_units(self) -> bool:
        """Whether kernels multiply expanded blocks by the dense product's unit, which decides how sums are added."""
        product, pieces_ = self.product, self.pieces
        if not facts_of(self.target).tile(*product.dtypes[:2]):
            return True
        dense = BlockKernels(self._settled, self.spec, pieces_, self.target)
        columns, depths = (
            {min(of, most), most % of} - {0} for of, most in ((pieces_.nb, product.n), (pieces_.kb, product.k))
        )
        for width, depth in itertools.product(columns, depths):
            if pieces_.rb:
                made = [each.add(pieces_.rb, width, depth, True) for each in (dense, self.kernels)]
            else:
                last = depth == product.k
                made = [each.multiply(pieces_.mb, width, depth, True, last) for each in (dense, self.kernels)]
            ways = {getattr(getattr(each.plan, "product", None), "way", each.plan.way) for each in made}
            if len(ways) > 1:
                return False
        return True

    def by_weights(self, form: AnyForm, single: bool = False) -> Any:
        """Return this product, or that of the dense one by weights of another form."""
        return self if form == self.form else self.dense.by_weights(form, single)

    @cached_property
    def strips(self) -> StripSums | None:
        """How many terms kernels sum that expand weights in registers; 0: all of k. None if there are no such
        kernels."""
        return strips_in_registers(self._settled, self.spec, self.pieces, self.form, self.target)

    @cached_property
    def kernels(self) -> ExpandedBlocks:
        """The kernels of the blocks."""
        made = ExpandedBlocks(self._settled, self.spec, self.plan, self.target)
        made.form = self.form
        if not self.pieces.packs_b:  # kernels of plain operands may use another unit, which adds in another order
            made.b_layout = PLAIN
        return made

    @cached_property
    def nest(self) -> ProductNest:
        """The loop nest, in which packing a block of B is expanding it."""
        made, kernels, pieces_ = self._nest(), self.kernels, self.pieces
        if self.strips is not None:
            assert isinstance(self.form, CompressedForm)
            finish = kernels.finish if self.request["epilogue"] is not None else None
            return StripNest(**vars(made), form=self.form, strips=self.strips, target=self.target, finish=finish)
        size = ELEMENT_BYTES[kernels.packed]
        return ExpandingNest(
            **{**vars(made), "b": MatrixStrides(*self.form.strides)},
            columns=min(pieces_.nb, self.plan.nb),
            steps=pieces_.kb,
            row_b=kernels.row_of_b * size,
            element=size * kernels.group,
            of_a=ELEMENT_BYTES[kernels.types[0]],
        )

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        asked = self.spec, self.plan, self.pieces, self.form, self.strips
        return job_of(asked, lambda: self.nest.nodes(), self.target, self.spec.stem.replace("brgemm", self._stem, 1))

    @cached_property
    def _unread(self) -> Array:
        """A matrix of B's shape, with which the arguments of calls are checked; nothing reads or writes it."""
        return np.empty((self.product.k, self.product.n), numpy_dtype(self.product.dtypes[1]))

    def multiply(self, args: tuple[ArrayLike, ...], named: ArraysByName, threads: int | None) -> None:
        """Compute the product of a, compressed weights, c and the operands of the epilogue, into c."""
        call_plans.note(lambda: self)
        a, b, *others = args
        if self.whole:
            self.dense(a, b.dense(self.product.dtypes[1]), *others, threads=threads, **named)
            return
        integers, keep = self._placed_at(a, b, others, named)
        self.at(integers, threads)
        del keep

    def emulate(self, args: tuple[ArrayLike, ...], named: ArraysByName, workers: int, turns: int) -> None:
        """Compute it in the emulator."""
        a, b, *others = args
        if self.whole:
            self.dense.run(a, b.dense(self.product.dtypes[1]), *others, workers=workers, turns=turns, **named)
            return
        integers, keep = self._placed_at(a, b, others, named)
        self._weights = b.data
        self._emulated(integers, workers, turns)
        del keep

    def _placed_at(
        self, a: ArrayLike, b: ArrayLike, others: list[ArrayLike], named: ArraysByName
    ) -> tuple[list[int], object]:
        """Return the addresses of a call's operands, and what must stay alive during it."""
        integers, keep = self._call(a, self._unread, *others, **named)
        for each in others:
            if isinstance(each, np.ndarray):
                no_overlap("c", each, b=b.data)
        integers[1] = address_of(b.data)
        return integers, (keep, b)

    def _regions(self, integers: list[int]) -> list[MemoryRegion]:
        """Return the operands' memory as the emulator takes it."""
        regions: list[MemoryRegion] = super()._regions(integers)  # type: ignore[misc]
        return [("b", self._weights, False) if each[0] in ("b", "b[0]") else each for each in regions]

    def _words(self) -> list[JobWord]:
        """Return the words of the job's table."""
        a, _, *others = super()._words()  # type: ignore[misc]
        b = JobWord(self.form.memory, "weights_bytes", self.form.nbytes)
        return [a, b, *others]

    def verify(self, *, timeout: float | None = None) -> Proof:
        """Return a proof that the machine code is the product by weights of this form: see docs/soundness.md."""
        return proofs.of_weights(self, (A, B, C, PACKED_B, PACKED_A), timeout=timeout)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _again, (self.dense, self.form, self.single)

    def _title(self) -> str:
        return f"{super()._title()} by {self.form}"  # type: ignore[misc]


def by_weights(of: type, dense: Any, form: AnyForm, single: bool) -> Any:
    """Return a product like a dense one, of class `of`, by compressed weights. single: the dense product is one kernel,
    not the nest `dense`."""
    product: GemmSpec = dense.product
    check(product, form)
    check_epilogue("a product by compressed weights", dense.spec)
    m, n, k, pieces_ = product.m, product.n, product.k, dense.plan
    if single:
        pieces_ = Blocks(m, n, k, m, n, k, InPlace(n))
    elif dense._prepacked and pieces_.lines:
        pieces_ = replace(pieces_, kb=min(pieces_.kb, pieces_.lines))
    made = _class_by_weights(of)(dense.request, dense.threads)
    made._keep(form=form, dense=dense, pieces=pieces_, single=single)
    made._guards = partial(weights_entry, form.nbytes, [name for _, name in made.kind.parameters(made.spec)])
    return made


def _again(dense: Any, form: AnyForm, single: bool) -> object:
    return dense.by_weights(form, single)


@cache
def _class_by_weights(of: type) -> Any:
    return type("CompressedProduct", (ByWeights, of), {"__doc__": of.__doc__})


def check(product: GemmSpec, form: AnyForm) -> None:
    """Raise an error unless weights of this form are an operand b of the product."""
    if (product.k, product.n) != (form.k, form.n):
        raise ValueError(f"b: compressed weights ({product.k}, {product.n}), not ({form.k}, {form.n})")
    a, b, _ = product.dtypes
    if form.dtype is not None:
        if b != form.dtype or a != b and b != "i8":
            raise UnsupportedError(
                f"a: products by these bit masks are of {form.dtype}, the type of the weights, not {a} by {b}; use "
                ".dense() for other types, or compress the weights in the type of a"
            )
        return
    if a != b or a not in PRODUCTS:
        raise UnsupportedError(
            f"a: products by compressed weights are of f32, bf16 or f16, and the weights become the type of a, not "
            f"{a} by {b}; use .dense() for other types"
        )


def blocks_of(dense: Blocks, product: GemmSpec, form: AnyForm) -> Blocks | None:
    """Return the blocks of B that are expanded, for a product that these blocks of the dense product multiply; None if
    B is expanded as a whole."""
    schedule, n, k = dense.schedule, dense.n, dense.k
    size = 4 if dense.widened else ELEMENT_BYTES[product.dtypes[1]]
    if isinstance(schedule, PartsOfK):
        return None
    nb = n if dense.nb >= n else min(n, lcm(dense.nb, STRIP))
    kb = k if dense.kb >= k else min(k, lcm(dense.kb, form.unit))
    if isinstance(schedule, InPlace) or (isinstance(schedule, SharedB) and _few(dense)):
        return replace(dense, nb=nb, kb=kb, schedule=OwnB())
    if isinstance(schedule, SharedSums) and _few(dense):
        return replace(dense, nb=nb, kb=kb, schedule=OwnSums(schedule.rb, 0, schedule.whole))
    if isinstance(schedule, (SharedB, SharedSums)):
        most = max(nb, COMPRESSED.shared // (kb * size) // nb * nb)
        nc = min(most, n if schedule.nc >= n else max(nb, schedule.nc // nb * nb))
        if isinstance(schedule, SharedSums):
            return replace(dense, nb=nb, kb=kb, schedule=replace(schedule, nc=nc))
        ng = nc if schedule.ng >= nc else max(nb, schedule.ng // nb * nb)
        return replace(dense, nb=nb, kb=kb, schedule=replace(schedule, nc=nc, ng=ng, lines=0, fetched=False))
    if isinstance(schedule, OwnSums):
        return replace(dense, nb=nb, kb=kb, schedule=replace(schedule, lines=0))
    return replace(dense, nb=nb, kb=kb)


def _few(dense: Blocks) -> bool:
    """Whether there are so few rows of A that each worker expands its own blocks of B."""
    few = dense.m <= min(COMPRESSED.few_rows, dense.mb)
    return few and (bool(dense.rb) or not dense.packs_a)


class StripSums(NamedTuple):
    """How kernels sum that expand strips in registers: see DecodeSpec."""

    step: int
    from_zero: bool


def strips_in_registers(
    request: dict[str, Any], spec: Any, pieces_: Blocks, form: AnyForm, target: Target
) -> StripSums | None:
    """Return how many terms a kernel sums that expands weights in registers, so that its sums are those of the dense
    product in such pieces; 0: all of k. None: no such kernel has its sums, or serves it."""
    product: GemmSpec = getattr(spec, "product", spec)
    m, n, k, (kb, late) = product.m, product.n, product.k, (pieces_.kb, product.k > MOST_TERMS)
    plain = product.dtypes == ("f32",) * 3 and product.order == ("C", "C", "C")
    if (
        not plain
        or isinstance(form, BitmaskForm)
        or m > COMPRESSED.most_rows
        or (product.alpha, request["beta"]) != (1, 0)
    ):
        return None
    if form.fast and not form.offset:
        return _strips(product, form, 0, True, target)
    if m > pieces_.mb or pieces_.of_k or pieces_.rb or (late and kb >= k):
        return None
    step = kb if kb < k and (late or kb <= facts_of(target).tuning.gemm.longest_late_c) else 0
    if step and k % kb == 1 and facts_of(target).separate_loads:  # that one product is added to C itself
        return None
    from_zero = set()
    dense = BlockKernels({**request, "epilogue": None}, product, pieces_, target)
    for columns, depth in itertools.product({min(pieces_.nb, n), n % pieces_.nb} - {0}, {min(kb, k), k % kb} - {0}):
        plan = dense.multiply(m, columns, depth, bool(step) or depth in (k, kb), False).plan
        if not isinstance(plan, GemmPlan) or not all(map(_is_chain, plan.panels)):
            return None
        if step or depth == min(kb, k):  # other sums start as C
            from_zero |= {each.unroll < depth for panel in plan.panels for each in panel.blocks}
    if len(from_zero) > 1:
        return None
    if from_zero == {False} and not step:
        step = form.unit if k <= min(kb, form.unit) else k
    return _strips(product, form, step, from_zero == {True}, target)


def _strips(product: GemmSpec, form: CompressedForm, step: int, from_zero: bool, target: Target) -> StripSums | None:
    """Return how strips are summed, if kernels multiply all of them."""
    more = fixed(product.leading[0]), product.n

    def kernel(columns: int) -> Kernel:
        return kept(decode_spec(form, product.m, columns, step, from_zero, *more), target)

    widths = {min(STRIP, product.n), product.n % STRIP} - {0}
    if any(isinstance(tried("a strip", partial(kernel, each)), Refusal) for each in widths):
        return None
    return StripSums(step, from_zero)


def _is_chain(panel: Panel) -> bool:
    """Whether each sum of a panel is one chain of fused products in the order of k."""
    return panel.scheme is Scheme.FMA and all(each.split == 1 for each in panel.blocks)


@dataclass(frozen=True)
class StripNest(ProductNest):
    """The loop of a product of a few rows by compressed weights: over strips, each multiplied by one kernel.

    strips   how the kernel sums
    finish   (rows, columns): computes C from the sums in the worker's scratch memory; None: these are C
    """

    form: CompressedForm | None = None
    strips: StripSums = StripSums(0, True)
    target: Target | None = None
    finish: Callable[[int, int], Kernel] | None = None

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        blocks, form, j = self.blocks, self.form, index("j")
        assert form is not None and self.target is not None
        body: list[Node] = []
        w = Address(B, j * (form.units * form.record // STRIP))
        for case, columns in cases("j", blocks.n, STRIP):
            c = self.c.at(C, affine(0), j)
            ldy = blocks.nb if self.finish else self.c.row // ELEMENT_BYTES["f32"]
            to = Address(PACKED_A, index(WORKER) * self.bytes_own) if self.finish else c
            spec = decode_spec(form, blocks.m, columns, *self.strips, self.a.row // ELEMENT_BYTES["f32"], ldy)
            calls = [Call(kept(spec, self.target), (Address(A), w, to))]
            if self.finish is not None:
                calls.append(Call(self.finish(blocks.m, columns), (to, *self.parts.epilogue(affine(0), j).around(c))))
            body += case([*calls])
        return (Share((blocks_of_index("j", blocks.n, STRIP),), tuple(body)),)


@dataclass(frozen=True)
class ExpandingNest(ProductNest):
    """The loops of a product by compressed weights. An expanded block of B has several of the columns and steps of k
    that a kernel multiplies.

    columns, steps   those of a kernel, as in the dense product
    row_b, element   bytes between rows of an expanded block, and between its columns
    of_a             bytes of an element of A
    """

    columns: int = 0
    steps: int = 0
    row_b: int = 0
    element: int = 0
    of_a: int = 0

    def _multiply_at(self, steps: StepsOfK, extents: tuple[int, int], i: Affine, j: Affine, b: Address) -> list[Node]:
        """Multiply by an expanded block as the dense product does: by pieces of its steps of k, and of its columns."""
        rows, width = extents
        made: list[Node] = []
        for s, depth in pieces("s", steps.depth, self.steps):
            part = StepsOfK.part(steps, s, depth) if depth < steps.depth else steps
            body: list[Node] = []
            for c, wide in pieces("c", width, self.columns):
                place = Address(b.operand, b.offset + s.start * self.row_b + c.start * self.element)
                calls = super()._multiply_at(part, (rows, wide), i, j + c.start, place)
                body += c.around([self._with_a(each, s.start) for each in calls])
            made += s.around(body)
        return made

    def _with_a(self, node: Node, s: Affine) -> Node:
        """Return a call with the steps of k of a packed block of A from s on."""
        if not self.blocks.packs_a:
            return node
        if isinstance(node, When):
            return replace(node, body=tuple(self._with_a(each, s) for each in node.body))
        assert isinstance(node, Call)
        a, *others = node.arguments
        assert isinstance(a, Address)
        return Call(node.kernel, (Address(a.operand, a.offset + s * self.of_a), *others))

    def _add(self, p: Piece, r: Affine, j: Affine, extents: tuple[int, int, int], b: Address) -> list[Node]:
        """Add the product by an expanded block to the sums, in the same pieces."""
        rows, width, depth = extents
        made: list[Node] = []
        for s, deep in pieces("s", depth, self.steps):
            body: list[Node] = []
            for c, wide in pieces("c2", width, self.columns):
                place = Address(b.operand, b.offset + s.start * self.row_b + c.start * self.element)
                body += c.around(self._add_piece(p, s, r, j + c.start, (rows, wide, deep), place))
            made += s.around(body)
        return made

    def _add_piece(
        self, p: Piece, s: Piece, r: Affine, j: Affine, extents: tuple[int, int, int], b: Address
    ) -> list[Node]:
        sums = self.sums
        assert sums is not None
        own = index(WORKER) * self.bytes_own
        arguments = (Address(PACKED_A, own + r * sums.row_a + s.start * self.of_a), b, self._sums_at(r, j))
        first, again = (Call(sums.add(*extents, start), arguments) for start in (True, False))
        at = p.start + s.start
        if not at.terms:
            return [again if at.constant else first]
        return [When(at, "==", (first,)), When(at, ">", (again,))]
