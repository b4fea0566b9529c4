"""GEMM on tiles whose operands are transposed pair by pair, because the call gives the pairs, or they are too many.

    S = 0, or C itself
    for pair of the batch:   scratch = transpose of A_i, of B_i, or of both;   S = S + scratch @ ...
    C = beta * C + alpha * S                                                    if S is not C

Each pair is one product that starts from the sums so far. Sums of 32 bits lose nothing in memory, so the result has the
bits of one product of the whole batch. S is C itself if nothing is left to be done with it, else scratch memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...encoder.records import NamedTuple, dataclass
from ..choice import Refusal, refused
from ..codegen.laid_by import WIDE, LaidBy, of_matrix
from ..codegen.long_sums import DYNAMIC_TERMS, MOST_TERMS, levels_of_product
from ..contract.dot_and_tile import HELD, OWN
from ..contract.machine import SCRATCH_ALIGNMENT, SCRATCH_LIMIT, Facts
from ..dtypes import DTYPES, ELEMENT_BYTES
from ..expr.graph import FLOATS
from ..gemm.plan import AroundProduct, GemmPlan, Prepacked, planned, scratch_sizes
from ..gemm.spec import GemmSpec, PairBatch
from ..operands import LeadingDimension
from ..transform.pack import block_bytes, packing
from ..transform.plan import TransformPlan

PAIR_BY_PAIR = "operands of each pair {} first"
_FINISH = 6  # instructions per vector of sums: loads, alpha and beta, and the store


@dataclass(frozen=True)
class PairPrepackPlan(Prepacked, AroundProduct):
    """The changes of layout by operand, the product of one pair, and the work before and after all pairs."""

    spec: GemmSpec
    changes: Mapping[str, TransformPlan]
    product: GemmPlan
    zero: GemmPlan | None  # S = 0, if the sums do not start as C
    finish: float  # cycles of C = beta * C + alpha * S; 0 if S is C
    scratch: int  # bytes of scratch memory
    scratch_of: Mapping[str, int]  # of these, the bytes for each operand, "sums" that are not C, and "tiles"
    laid_by: LaidBy | None = None  # the levels of the sums of many pairs

    @property
    def additions(self) -> int:
        """The additions of a pair to a sum."""
        return _additions(self.product)

    @property
    def together(self) -> int:
        """The pairs between two additions to levels, of which the sums of one product of the whole batch have as
        many."""
        return 1 if self.laid_by is None else max(1, self.laid_by.levels.steps // self.additions)

    @property
    def pairs_without_levels(self) -> int:
        """See `ProductPlan`."""
        dynamic = self.laid_by is not None and isinstance(self.spec.batch, PairBatch)
        return MOST_TERMS // self.additions if dynamic else 0

    def of_sums(self, long: bool) -> PairPrepackPlan:
        """See `Prepacked`."""
        return self if long else replace(self, laid_by=None)

    @property
    def cycles(self) -> float:
        """Estimated cycles per pair: its products, its changes of layout, and its share of the final update."""
        each = sum(change.cycles for change in self.changes.values()) + self.product.cycles
        pairs = self.spec.batch if isinstance(self.spec.batch, int) else self.tuning.likely_pairs
        return each + self.finish / max(1, pairs)

    @property
    def pairs(self) -> int:
        """The number of pairs packed at a time."""
        return 1

    def __str__(self) -> str:
        lines = [str(self.spec), "  for each pair:"]
        for name, change in self.changes.items():
            done = "transposed" if change.spec.transposes else f"brought to {change.spec.result}"
            lines.append(f"  {name} is {done} in scratch memory, about {change.cycles:.0f} cycles")
        lines += ["  then:", *(f"  {line}" for line in str(self.product).splitlines())]
        if self.finish:
            lines.append(f"  sums in scratch memory, from which C is made at the end, about {self.finish:.0f} cycles")
        return "\n".join(lines)


class Changed(NamedTuple):
    """What becomes of the factors of a product, some of which are changed: their leading dimensions and groups, the
    plans of the changes, and the scratch memory of the results, by name."""

    leading: tuple[LeadingDimension, LeadingDimension]
    groups: tuple[int, int]
    plans: dict[str, TransformPlan]
    scratch_of: dict[str, int]

    @classmethod
    def of(cls, spec: GemmSpec, facts: Facts, changes: Mapping[str, str], pairs: int = 1) -> Changed:
        """Change the operands in `changes` to the layouts there, so many pairs at once."""
        leading, groups, plans, scratch_of = [*spec.leading[:2]], [*spec.groups], {}, {}
        for number, each in enumerate(spec.operands[:2]):
            if each.name not in changes:
                continue
            lines, length = (each.rows, each.columns) if each.view.order == "C" else (each.columns, each.rows)
            pack = packing(lines, length, each.dtype, each.view.leading, facts, changes[each.name])
            assert isinstance(pack.spec.ldy, int)
            groups[number] = max(pack.spec.layouts[1].block(dim) for dim in "ij")
            leading[number] = pack.spec.ldy // groups[number]
            plans[each.name], scratch_of[each.name] = pack, block_bytes(pack.spec) * pairs
        return cls((leading[0], leading[1]), (groups[0], groups[1]), plans, scratch_of)


def _sums_bytes(spec: GemmSpec) -> int:
    """Return the bytes of the sums of C."""
    return spec.m * spec.n * ELEMENT_BYTES[spec.acc_dtype]


def pair_by_pair(
    spec: GemmSpec, facts: Facts, changes: Mapping[str, str], scratch_bytes: int = SCRATCH_LIMIT
) -> PairPrepackPlan | Refusal:
    """Return the plan. `changes` holds the new layout of each operand, as in gemm/products.py."""
    way = PAIR_BY_PAIR.format("packed" if any("vnni" in each for each in changes.values()) else "transposed")
    order, apart = spec.order[2], not _sums_are_c(spec)
    packed = next((each.name for each in spec.operands[:2] if each.name in changes and each.group > 1), None)
    if packed is not None:
        return refused(
            way,
            f'{spec}: tiles take operands in the order of C, "{order}". {packed} is packed; '
            f'pass it plain, or as it lies in order "{order}"',
        )
    changed = Changed.of(spec, facts, changes)
    dtypes = (*spec.dtypes[:2], spec.acc_dtype)
    ldc = (spec.n if order == "C" else spec.m) if apart else spec.leading[2]
    one = replace(
        spec,
        order=(order,) * 3,
        leading=(*changed.leading, ldc),
        groups=changed.groups,
        dtypes=dtypes,
        batch=None,
        strides=None,
        alpha=1.0,
        beta=1.0,
        tiles=HELD if spec.tiles == OWN else spec.tiles,
    )
    product = planned(one, facts)
    if isinstance(product, Refusal):
        return product._replace(way=way)
    scratch_of = changed.scratch_of | ({"sums": _sums_bytes(spec)} if apart else {}) | {"tiles": _tile_bytes(product)}
    needed = sum(SCRATCH_ALIGNMENT + size for size in scratch_of.values())
    if needed > scratch_bytes:
        return refused(
            way,
            f"{spec}: {needed} bytes for the packed operands of a pair and its sums, a kernel has "
            f"{max(scratch_bytes, 0)}; use smaller blocks, or pass operands in order {order!r}",
        )
    zero = planned(replace(one, batch=0, beta=0.0), facts) if apart or spec.beta == 0 else None
    if isinstance(zero, Refusal):
        return zero._replace(way=way)
    vectors = spec.m * spec.n * ELEMENT_BYTES[spec.acc_dtype] * 8 / facts.widths[0]
    finish = _FINISH * vectors / product.tuning.vector_instructions_a_cycle * apart
    every = _every_addition(spec, product)
    levels = _levels(spec, product, every)
    if levels is None and every > MOST_TERMS:
        return refused(
            way,
            f"{spec}: sums of so many pairs need {_sums_bytes(spec)} bytes for each of their levels, and a kernel has "
            f"{WIDE}; use blocks with fewer rows or columns, or pass operands in order {order!r}",
        )
    found = product.rejected
    return PairPrepackPlan(
        spec, changed.plans, product, zero, finish, needed, scratch_of, levels, way=way, rejected=found
    )


def _additions(product: GemmPlan) -> int:
    return product.additions(product.product.k)


def _every_addition(spec: GemmSpec, product: GemmPlan) -> int:
    """Return the most additions to a sum that rounds, over all pairs; 0 for whole numbers."""
    if spec.acc_dtype not in FLOATS:
        return 0
    return DYNAMIC_TERMS if isinstance(spec.batch, PairBatch) else _additions(product) * (spec.batch or 1)


def _levels(spec: GemmSpec, product: GemmPlan, every: int) -> LaidBy | None:
    """Return the levels of the sums of all pairs, or None if they need none or do not fit."""
    if every <= MOST_TERMS:
        return None
    extents = spec.m, spec.n, spec.order[2]
    return of_matrix(*extents, levels_of_product(every), product.vector, spec.acc_dtype, every)


def _tile_bytes(product: GemmPlan) -> int:
    """Return the bytes of scratch memory that the product of a pair uses, including those for comparing
    configurations."""
    return sum(scratch_sizes(product)) + 2 * 64 * (product.spec.tiles not in (HELD, OWN))


def _sums_are_c(spec: GemmSpec) -> bool:
    """Whether nothing is left to be done with the sums."""
    same = DTYPES[spec.dtype].real == DTYPES[spec.acc_dtype].real
    return spec.dtype == spec.acc_dtype and same and spec.alpha == 1 and spec.beta in (0, 1)
