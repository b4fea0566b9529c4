"""GEMM for operands in orders that no kernel multiplies as they lie: one is transposed into scratch memory first.

    C = beta * C + alpha * sum_i A_i @ B_i

A kernel needs C and one operand contiguous along the same dimension (its *vectors*). Where that operand is contiguous
along k instead, blocks of it are packed on the fly: transposed into scratch memory, in the order that the kernel wants,
and multiplied with all that they meet before the next block is packed, so that packing costs one pass over the operand,
whatever the other extents are.

    for block of rows                     as many as leave room for a sensible block of k
        for group of pairs of the batch   several pairs where they are small
            for block of k                all of k where it fits
                scratch = transpose of the block(s)
                C = C + alpha * scratch @ ...
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from . import gemm, gemm_plan
from .dtypes import ELEMENT_BYTES
from .errors import UnsupportedError
from .gemm_frame import Frame, parameters
from .gemm_plan import GemmPlan
from .gemm_spec import ADDRESS, OFFSET, STRIDE, Batch, GemmSpec
from .machine import Facts, Machine, Slot
from .operands import RUNTIME
from .operands import Operand as Matrix
from .pack import Packer, packed_bytes, packing, padded
from .transform import vectors
from .transform_plan import TransformPlan

_ROOM = 32 << 10  # bytes of scratch memory that a block may fill: as much as a first cache
_TOGETHER = 16 << 10  # bytes of blocks of several pairs: the other half is for what they meet
_STEPS = 64  # of k, the least that a block of rows leaves room for


@dataclass(frozen=True)
class Part:
    """A block as the loops meet it: how it is packed, and the product of what is packed."""

    rows: int
    steps: int  # of k
    pack: TransformPlan
    product: GemmPlan


@dataclass(frozen=True)
class PackedPlan:
    """The blocks, and why."""

    spec: GemmSpec
    packed: str  # the operand that is transposed, "a" or "b"
    rows: int  # of a block, along the vectors
    steps: int  # of a block, along k
    pairs: int  # packed together
    parts: dict[tuple[int, int, int], Part]  # by rows, steps and pairs
    scale: GemmPlan | None  # C = beta * C, where products come in several parts

    @property
    def whole(self) -> Part:
        """The block that comes most often."""
        return self.parts[self.rows, self.steps, self.pairs]

    @property
    def emulated(self) -> bool:
        """Whether the product's instructions replace others."""
        return self.whole.product.emulated

    @property
    def stand_in(self) -> None:
        """None: no product on tile registers is packed for."""
        return None

    @property
    def cycles(self) -> float:
        """Of one pair: its products and its packing."""
        row_blocks, blocks = (-(-all_ // one) for all_, one in zip(self.extents, (self.rows, self.steps)))
        product = self.whole.product
        pairs = self.pairs if product.product.pairs == 1 else 1  # a product of folded pairs counts them all
        return row_blocks * blocks * (self.whole.pack.cycles + product.cycles / pairs)

    @property
    def extents(self) -> tuple[int, int]:
        """Of the packed operand: along the vectors, and along k."""
        return (self.spec.m if self.packed == "a" else self.spec.n), self.spec.k

    def __str__(self) -> str:
        whole = self.whole
        product = "\n".join(f"  {line}" for line in str(whole.product).splitlines())
        pack = whole.pack
        block = f"{self.pairs} pairs of " * (self.pairs > 1) + f"{self.rows} x {self.steps}"
        share = pack.cycles / (pack.cycles + whole.product.cycles / self.pairs)
        return (
            f"{self.spec}\n  {self.packed} is packed into scratch memory by a transpose: {block},"
            f" about {pack.cycles:.0f} cycles a block, {share:.0%} of the work with it\n"
            f"    {pack.tile.extent('i')} x {pack.tile.extent('j')} tiles, {len(pack.tile.stages)} stages of shuffles\n"
            f"  then, for each block:\n{product}"
        )


def plan(spec: GemmSpec, facts: Facts) -> GemmPlan | PackedPlan:
    """The product as the operands lie if there is one, else with one operand packed."""
    try:
        return gemm_plan.plan(spec, facts)
    except UnsupportedError as refusal:
        if spec.groups != (1, 1):
            raise
        return _packed(spec, facts, refusal)


def _packed(spec: GemmSpec, facts: Facts, refusal: UnsupportedError) -> PackedPlan:
    """A plan with the operand along the vectors packed; the refusal where that would not help."""
    name, order = ("a", "F") if spec.order[2] == "F" else ("b", "C")
    place = "ab".index(name)
    if spec.order[place] == order:
        raise refusal
    if RUNTIME in spec.leading:
        raise UnsupportedError(
            f"{spec}: order {spec.order!r} has no operand contiguous along a dimension of C that C shares, and packing "
            f"one on the fly needs leading dimensions that are numbers; give them so, or {name} in order {order!r}"
        )
    size = ELEMENT_BYTES[spec.dtypes[place]]
    rows, k = (spec.m if name == "a" else spec.n), spec.k
    steps = min(k, _ROOM // (padded(min(rows, _most_rows(size)), size) * size))
    rows = min(rows, _most_rows(size))
    if steps < k:
        steps = max(16, steps // 16 * 16)
    pairs = _together(spec, rows, steps, k, size)
    several = pairs != (1 if spec.batch is None else spec.batch) or steps < k
    if several and spec.sums != spec.dtype:
        raise refusal  # C would be rounded more than once
    parts: dict[tuple[int, int, int], Part] = {}
    counts = {pairs, spec.batch % pairs} - {0} if isinstance(spec.batch, int) else {1}
    extent = spec.m if name == "a" else spec.n
    for each in {rows, extent % rows} - {0}:
        for part in {steps, k % steps} - {0}:
            for count in counts if steps == k else {1}:
                made = _part(spec, facts, name, (each, part, count), several)
                parts[each, part, count] = made
    scale = gemm_plan.plan(_alike(spec, name, batch=0, k=1), facts) if several and spec.beta != 1 else None
    return PackedPlan(spec, name, rows, steps, pairs, parts, scale)


def _most_rows(size: int) -> int:
    """Rows of a block that leave room for a sensible block of k."""
    return _ROOM // (_STEPS * size)


def _together(spec: GemmSpec, rows: int, steps: int, k: int, size: int) -> int:
    """Pairs that are packed together: the most that fit and divide the batch."""
    if not isinstance(spec.batch, int) or steps < k or spec.batch == 0 or _blocked(spec, rows):
        return 1
    most = max(1, _TOGETHER // packed_bytes(rows, steps, size))
    return next(count for count in range(min(most, spec.batch), 0, -1) if spec.batch % count == 0)


def _blocked(spec: GemmSpec, rows: int) -> bool:
    return rows < (spec.m if spec.order[2] == "F" else spec.n)


def _alike(spec: GemmSpec, name: str, **changes: Any) -> GemmSpec:
    """The request with the packed operand in the order that the kernel wants, dense."""
    place = "ab".index(name)
    rows = changes.get("m" if name == "a" else "n", spec.m if name == "a" else spec.n)
    packed = padded(rows, ELEMENT_BYTES[spec.dtypes[place]])
    (order_a, order_b, order_c), (lda, ldb, ldc) = spec.order, spec.leading
    if name == "a":
        return replace(spec, order=("F", order_b, order_c), leading=(packed, ldb, ldc), **changes)
    return replace(spec, order=(order_a, "C", order_c), leading=(lda, packed, ldc), **changes)


def _part(spec: GemmSpec, facts: Facts, name: str, sizes: tuple[int, int, int], several: bool) -> Part:
    rows, steps, pairs = sizes
    place = "ab".index(name)
    extent = {"m" if name == "a" else "n": rows}
    beta = 1.0 if several else spec.beta
    inner = _alike(spec, name, **extent, k=steps, batch=pairs if pairs > 1 else None, beta=beta)
    leading, dtype = spec.leading[place], spec.dtypes[place]
    assert isinstance(leading, int)
    pack = packing(rows, steps, dtype, leading, ELEMENT_BYTES[dtype], facts)
    return Part(rows, steps, pack, gemm_plan.plan(inner, facts))


# Code


def emit(m: Machine, plan: GemmPlan | PackedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    if isinstance(plan, GemmPlan):
        gemm.emit(m, plan)
        return
    products = [part.product for part in plan.parts.values()] + ([plan.scale] if plan.scale else [])
    held = [vectors(part.pack) for part in plan.parts.values()] + [gemm.registers(product) for product in products]
    m.enter(max(held))
    _Packed(m, plan).run()
    m.leave()


class _Packed:
    """Registers that last: the block of a and b, the block of C, scratch memory, and what counts the loops."""

    def __init__(self, m: Machine, plan: PackedPlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        spec = plan.spec
        names = [name for _, name in parameters(spec)]
        self.given = dict(zip(names, m.arguments(len(names))))
        self.other = "b" if plan.packed == "a" else "a"
        size = {name: ELEMENT_BYTES[dtype] for name, dtype in zip("abc", spec.dtypes)}
        self.size = size
        operands = {each.name: each for each in spec.operands}
        self.operands: dict[str, Matrix] = operands
        self._claim()

    # Distances in bytes

    def _leading(self, name: str) -> int:
        leading = self.spec.leading["abc".index(name)]
        assert isinstance(leading, int)
        return leading * self.size[name]

    def _along_k(self, name: str) -> int:
        """One step of k of an operand as the caller has it."""
        contiguous = "C" if name == "a" else "F"
        return self.size[name] if self.spec.order["ab".index(name)] == contiguous else self._leading(name)

    def _pair(self, name: str) -> int:
        """To the next matrix of a dense batch."""
        operand = self.operands[name]
        return self._leading(name) * (operand.rows if operand.view.order == "C" else operand.columns)

    # Claims, all before the first loop

    def _claim(self) -> None:
        m, spec, plan = self.m, self.spec, self.plan
        runtime = isinstance(spec.batch, Batch)
        self.at: dict[str, Any] = {name: self.given[name] for name in "abc"}
        self.tables: dict[str, Any] = {}
        self.strides: dict[str, Any] = {}
        self.count: Any = spec.batch if isinstance(spec.batch, int) else 1
        if runtime:
            self.count = self._kept("count")
            if spec.batch is STRIDE:
                self.strides = {name: self._kept(f"{name}_stride") for name in "ab"}
            elif spec.batch is OFFSET:
                self.tables = {name: self._kept(f"{name}_offsets") for name in "ab"}
            elif spec.batch is ADDRESS:
                # a and b are offsets into every matrix of the batch
                self.tables = {name: m.park(self.given[name]) for name in "ab"}
                self.at = {**self.at, "a": m.general("a"), "b": m.general("b")}
                for name in "ab":
                    m.copy(self.at[name], 0)
        self.index = m.general("index") if self.tables else m.counter("pairs")
        (rows_all, k), (rows, steps, pairs) = plan.extents, (plan.rows, plan.steps, plan.pairs)
        counted = rows_all >= 2 * rows, k >= 2 * steps  # loops of one turn need no counter
        self.row_counter, self.step_counter = (m.counter("blocks") if each else None for each in counted)
        self.packer = Packer(m, [part.pack for part in plan.parts.values()], pairs)
        self.scratch = m.scratch(packed_bytes(rows, steps, self.size[plan.packed]) * pairs)
        # the pair at hand; where nothing goes back to the first one, the arguments themselves
        again = runtime or rows_all > rows
        self.firsts = {name: m.general(f"pair of {name}") if again else self.at[name] for name in "ab"}
        self.kept = [each for each in (*self.at.values(), *self.tables.values(), *self.strides.values(), self.count,
                                       self.index, self.scratch, *self.firsts.values(), self.row_counter,
                                       self.step_counter, *self.packer.kept)
                     if each is not None and not isinstance(each, int)]  # fmt: skip
        self.scaling = self._frame(plan.scale) if plan.scale else None
        self.frames = {key: self._frame(part.product) for key, part in plan.parts.items()}
        m.reclaim(self.kept)
        self.packer.claim_pointers()

    def _kept(self, name: str) -> Any:
        given = self.given[name]
        return given if isinstance(given, Slot) else self.m.park(given)

    def _frame(self, plan: GemmPlan) -> Frame:
        """A frame of its own registers, which other frames share: one is in use at a time."""
        m = self.m
        m.reclaim(self.kept)
        return Frame(m, plan, [m.general(name) for _, name in parameters(plan.spec)])

    # Loops

    def run(self) -> None:
        """All blocks of rows."""
        m, plan = self.m, self.plan
        if self.scaling:
            self._product(self.scaling)
        extent, _ = plan.extents
        full, rest = divmod(extent, plan.rows)
        if self.spec.batch == 0:
            if not self.scaling and self.spec.beta != 1:
                raise AssertionError("an empty batch is scaled")
            return
        blocks = full + bool(rest)
        if full:
            with m.loop(self.row_counter, full):
                self._pairs(plan.rows)
                if blocks > 1:
                    self._next_rows(plan.rows)
        if rest:
            self._pairs(rest)

    def _next_rows(self, rows: int) -> None:
        packed = self.plan.packed
        self.m.advance(self.at["c"], rows * self.size["c"])
        self.m.advance(self.at[packed], rows * self._leading(packed))

    def _pairs(self, rows: int) -> None:
        """The batch: groups of pairs of a dense one, or pair by pair as the call says."""
        m, plan, spec = self.m, self.plan, self.spec
        if isinstance(spec.batch, Batch):
            self._counted_pairs(rows)
            return
        count = spec.batch or 1
        for name in "ab":
            m.copy(self.firsts[name], self.at[name])  # nothing, where they are one
        with m.loop(self.index, count // plan.pairs):
            self._steps(rows, plan.pairs)
            if count > plan.pairs:
                for name in "ab":
                    m.advance(self.firsts[name], plan.pairs * self._pair(name))

    def _counted_pairs(self, rows: int) -> None:
        m, spec = self.m, self.spec
        with m.unless_zero(self.count):
            if spec.batch is STRIDE:
                for name in "ab":
                    m.copy(self.firsts[name], self.at[name])
                with m.loop(self.index, self.count):
                    self._steps(rows, 1)
                    for name in "ab":
                        m.advance(self.firsts[name], self.strides[name])
                return
            with m.index_loop(self.index, self.count):
                for name, pointer in self.firsts.items():
                    m.copy(pointer, self.tables[name])
                    m.load_general(pointer, pointer, self.index)
                    m.advance(pointer, self.at[name])
                self._steps(rows, 1)

    def _steps(self, rows: int, pairs: int) -> None:
        """All of k, in blocks where it does not fit; the pointers to the pair come back."""
        m, plan = self.m, self.plan
        full, rest = divmod(self.spec.k, plan.steps)
        blocked = full + bool(rest) > 1
        with m.loop(self.step_counter, full):
            self._block(rows, plan.steps, pairs)
            if blocked:
                for name in "ab":
                    m.advance(self.firsts[name], plan.steps * self._along_k(name))
        if rest:
            self._block(rows, rest, pairs)
        if blocked:
            for name in "ab":
                m.advance(self.firsts[name], -full * plan.steps * self._along_k(name))

    def _block(self, rows: int, steps: int, pairs: int) -> None:
        """Pack, multiply."""
        part, name = self.plan.parts[rows, steps, pairs], self.plan.packed
        self.packer.block(part.pack, self.firsts[name], self.scratch, pairs, self._pair(name))
        self._product(self.frames[rows, steps, pairs])

    def _product(self, frame: Frame) -> None:
        m = self.m
        pointers = {self.plan.packed: self.scratch, self.other: self.firsts[self.other], "c": self.at["c"]}
        for name, register in pointers.items():
            m.copy(frame.given[name], register)
        gemm.emit_product(frame)
