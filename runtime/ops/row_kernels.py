"""The kernels of products of any number of rows on all cores: they pack blocks of B, multiply any number of rows by
them, and finish sums. How many rows a call of them has is a number of the call, so other numbers need no code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.choice import Refusal, tried
from ...microkernels.codegen.long_sums import MOST_TERMS
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.epilogue.spec import EpilogueSpec
from ...microkernels.gemm.spec import PLAIN, gemm_spec
from ...microkernels.operands import BYTE, ROWS, RUNTIME, Operand
from ...microkernels.tuning.products import GROUPS
from ..api.brgemm import brgemm
from ..kernel.callable import Kernel, kept
from ..loops.code import Address, Affine, Call, Node
from .blocks import even, lanes_of

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.machines import registry
    from ..api import eltwise, transforms
    from . import block_rules
    from .spread_cuts import Request

registry = lazy(__package__, "...microkernels.machines.registry")
eltwise = lazy(__package__, "..api.eltwise")
transforms = lazy(__package__, "..api.transforms")
block_rules = lazy(__package__, ".block_rules")

VNNI = "vnni"
OWN_ORIGIN, GIVEN = "own", "given"
"""Where a walk begins in C, or in a larger matrix."""


@dataclass(frozen=True)
class Steps:
    """The bytes between rows, columns and members of an operand; bits: whether the columns are bits of a mask."""

    row: int
    column: int
    member: int = 0
    bits: bool = False

    def at(self, i: Affine, j: Affine, g: Affine) -> Affine:
        """Return the offset of row i and column j of member g."""
        return i * self.row + j * self.column + g * self.member

    def address(self, operand: int, i: Affine, j: Affine, g: Affine) -> Address:
        """Return the address of row i and column j of member g of an operand of the job."""
        return Address(operand, self.at(i, j, g), j) if self.bits else Address(operand, self.at(i, j, g))


@dataclass(frozen=True)
class Finishing:
    """What turns sums into the result: an epilogue, or a conversion of types.

    walk       the elementwise request for all columns of the result and some number of rows
    extras     where the epilogue's further operands lie
    in_place   whether the sums lie in C, which the results take the place of
    results    where the results beside C lie
    seeds      the numbers that the walk takes from the call
    origin     whether it takes the row and column of its first element in C: "", "own", or "given" if the call says
               where C lies in a larger matrix
    reads_c    whether the walk reads the old C
    whole      the product with the epilogue, for all columns, all of k and any number of rows; None: only the walk
               computes it
    """

    walk: EltwiseSpec
    extras: tuple[Steps, ...] = ()
    in_place: bool = False
    results: tuple[Steps, ...] = ()
    seeds: int = 0
    origin: str = ""
    reads_c: bool = False
    whole: EpilogueSpec | None = None

    def spec(self, rows: int, columns: int, sums: int) -> EltwiseSpec:
        """Return the request for a block whose sums have this many columns between rows."""
        walk, (found, *others) = self.walk, self.walk.inputs

        def part(each: Operand) -> Operand:
            return _across(each._replace(rows=rows if each.rows > 1 else 1), columns, walk)

        c = part(found)
        c = c._replace(view=c.view._replace(leading=sums))
        return replace(
            walk,
            m=rows,
            n=columns,
            inputs=(c, *map(part, others)),
            outputs=tuple(map(part, walk.outputs)),
        )


def _across(operand: Operand, columns: int, walk: EltwiseSpec) -> Operand:
    """Return the part of an operand of an epilogue that belongs to so many columns of the result."""
    across = -(-columns // BYTE) if operand.name in walk.bits else columns
    return operand._replace(columns=across if operand.columns > 1 else 1)


class PackedBlockOfB(NamedTuple):
    """The size of packed blocks of B: columns and steps of k, and the layout of a block."""

    columns: int
    depth: int
    layout: str


def packed_block(n: int, k: int, dtypes: tuple[str, str, str], target: Target) -> PackedBlockOfB:
    """Return the size of packed blocks. It does not depend on the number of rows, so that weights are packed once."""
    of_a, of_b, acc = dtypes
    product = gemm_spec(GROUPS.rows, n, k, dtype=(of_a, of_b, acc), beta=0.0)
    plan = block_rules.rules_for_weights(product, target, 1)
    nb, kb = plan.nb, plan.kb
    if plan.widened:
        nb, kb = min(n, 3 * lanes_of(product, target)), even(k, GROUPS.depth, 16)
    layout = PLAIN
    if ELEMENT_BYTES[of_b] < 4:
        packed = tried(
            VNNI,
            lambda: brgemm(RUNTIME, nb, kb, dtype=dtypes, target=target, beta=0.0, b_layout=VNNI),  # type: ignore[arg-type]
        )
        if not isinstance(packed, Refusal):
            layout = VNNI
    return PackedBlockOfB(min(n, nb), min(k, kb), layout)


@dataclass(frozen=True)
class RowKernels:
    """The kernels of products of any number of rows: C (rows, n) = A (rows, k) @ B_g (k, n).

    dtypes      of a, b and the sums
    order, ldb  of B_g, if it is not packed
    ldc         of the result
    direct      whether the sums lie in the result
    beta, alpha of the first block of k, and of all
    """

    n: int
    k: int
    dtypes: tuple[str, str, str]
    lda: int
    order: str
    ldb: int
    ldc: int
    direct: bool
    block: PackedBlockOfB
    target: Target
    beta: float = 0.0
    alpha: float = 1.0

    @property
    def b_layout(self) -> str:
        """The layout of packed blocks."""
        return self.block.layout

    @property
    def group(self) -> int:
        """The steps of k that lie side by side in a packed block."""
        return 4 // ELEMENT_BYTES[self.dtypes[1]] if self.block.layout == VNNI else 1

    @property
    def bytes_b(self) -> int:
        """The bytes from a packed block of B to the next one."""
        depth = -(-self.block.depth // self.group) * self.group
        return depth * self.block.columns * ELEMENT_BYTES[self.dtypes[1]]

    def pack(self, depth: int, columns: int) -> Kernel:
        """Return the kernel that packs a block of B."""
        given: dict[str, Any] = {"dtype": self.dtypes[1], "ldx": self.ldb, "target": self.target}
        if self.block.layout == VNNI:
            if self.order == "C":
                return transforms.transform(f"vnni{self.group}", depth, columns, **given)
            return transforms.transform(f"vnni{self.group}t", columns, depth, **given)
        if self.order == "C":
            return eltwise.unary("identity", depth, columns, **given)
        return transforms.transpose(columns, depth, **given)

    def multiply(self, depth: int, columns: int, first: bool) -> Kernel:
        """Return the kernel that multiplies any number of rows by a packed block of B."""
        made = brgemm(
            RUNTIME,
            columns,
            depth,
            dtype=self.dtypes,  # type: ignore[arg-type]
            lda=self.lda,
            ldc=self.ldc if self.direct else self.block.columns,
            b_layout=self.block.layout,  # type: ignore[arg-type]
            alpha=self.alpha,
            beta=self.beta if first else 1.0,
            target=self.target,
        )
        return made if first or self.k <= MOST_TERMS else late(made)

    def fuses(self, finishing: Finishing) -> bool:
        """Whether the last steps of k compute the epilogue on their sums in registers. Sums in tiles or accumulators
        are stored in any case, and sums that wait in scratch memory are finished by a walk."""
        n, k, (nb, kb, _) = self.n, self.k, self.block
        facts, (a, b, _) = registry.facts_of(self.target), self.dtypes
        if finishing.whole is None or not (finishing.in_place or k <= kb) or facts.tile(a, b) is not None:
            return False
        if facts.outer_product(a, b) is not None:
            return False
        steps = {(min(k, kb), k <= kb), (k % kb or min(k, kb), k <= kb)}
        parts = {min(n, nb), n % nb or min(n, nb)}
        tries = (partial(self.fused, finishing, depth, columns, first) for depth, first in steps for columns in parts)
        return not any(isinstance(tried("fused", each), Refusal) for each in tries)

    def fused(self, finishing: Finishing, depth: int, columns: int, first: bool) -> Kernel:
        """Return the kernel of the last steps of k, which computes the epilogue too."""
        whole = finishing.whole
        assert whole is not None
        spec = replace(
            whole,
            n=columns,
            k=depth,
            order=("C", "C", "C"),
            leading=(self.lda, columns, self.ldc),
            groups=(1, self.group),
            beta=whole.beta if first else 1.0,
            late=not first and self.k > MOST_TERMS,
            extras=tuple(_across(each, columns, finishing.walk) for each in whole.extras),
            results=tuple(_across(each, columns, finishing.walk) for each in whole.results),
        )
        return kept(spec, self.target)

    def finish(self, finishing: Finishing, columns: int) -> Kernel:
        """Return the kernel that computes any number of rows of the result from their sums."""
        leading = self.ldc if finishing.in_place else self.block.columns
        return kept(finishing.spec(ROWS, columns, leading), self.target)


def late(kernel: Kernel) -> Kernel:
    """Return the kernel that adds C to its finished sums, for C has the sums of many other blocks."""
    spec: Request = kernel.spec
    return kept(replace(spec, late=True), kernel.target)


def finished(
    kernel: Kernel,
    sums: Address,
    extras: Sequence[Address | Affine],
    to: Address,
    rows: Affine,
    results: Sequence[Address] = (),
) -> Node:
    """Return the call of a kernel that computes a block of the result from its sums. extras: further operands, and the
    numbers of the call behind them."""
    names = [name for _, name in kernel.kind.parameters(kernel.spec)]
    given: list[Address | Affine] = [sums, *extras, to, *results]
    return Call(kernel, tuple(given if len(names) == len(given) else [*given, rows]))
