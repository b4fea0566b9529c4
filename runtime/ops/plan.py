"""How a product of any size is cut into blocks that caches hold, as plain data: what `blocks` emits and `gemm` runs.

    for slab of columns                         as many packed panels of B as a part of the last cache takes
        for depth of k                          B's panels of this depth are packed, by all workers together
            for slab of rows                    A's blocks likewise; then all workers wait for each other
                for block of rows, panels       dealt out among the workers: C += block of A @ panel of B

Where C has few rows, each worker packs a panel of B just before all blocks are multiplied with it; where C has few columns,
rows of A are read where they lie. A C of contiguous columns is computed as its transpose, C' = B' A', so that below C's
rows are contiguous always. A sum over k is never split by the number of workers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.features import Target
from ...encoder.records import dataclass
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES
from ...microkernels.gemm.spec import GROUP_BYTES, GemmSpec
from ...microkernels.machines.registry import facts_of
from ...microkernels.tuning.products import ProductsTuning

SHARED, OWN, DIRECT = "shared", "own", "direct"
"""Where a kernel finds an operand: packed by all workers, packed by the worker itself, or as the caller gave it."""
LINE = 64
"""Bytes that every part of scratch memory is aligned to: a cache line, and a vector register."""
_FLIPPED = {"C": "F", "F": "C"}
_GROUPED = ("bf16", "i8", "u8", "i16", "u16")
_FEW_REGISTERS = 16


@dataclass(frozen=True)
class Operand:
    """A matrix (rows, columns) in memory: `order`, the leading dimension in elements, its element type."""

    order: str
    leading: int
    dtype: str

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return ELEMENT_BYTES[self.dtype]

    def strides(self) -> tuple[int, int]:
        """Bytes from a row to the next, and from a column to the next."""
        along = self.leading * self.size
        return (along, self.size) if self.order == "C" else (self.size, along)


@dataclass(frozen=True)
class ProductPlan:
    """A product C (m, n) = A (m, k) @ B (k, n) with contiguous rows of C, in blocks.

    swapped      this is the transpose of what was asked for: A and B have changed places
    block        rows of a block of A; panel: columns of a panel of B; depth: steps of k of both
    rows, columns    of a slab: what is packed at a time
    group        panels that an item multiplies a block with; items are dealt out among the workers
    a_place, b_place   SHARED, OWN or DIRECT
    pairs        neighbours along k that lie side by side in a packed panel
    """

    m: int
    n: int
    k: int
    a: Operand
    b: Operand
    c: Operand
    swapped: bool
    block: int
    panel: int
    depth: int
    rows: int
    columns: int
    group: int
    a_place: str
    b_place: str
    pairs: int

    @property
    def block_bytes(self) -> int:
        """Of a packed block of A."""
        return _up(self.block * self.depth * self.a.size, LINE) if self.a_place != DIRECT else 0

    @property
    def panel_bytes(self) -> int:
        """Of a packed panel of B."""
        return _up(self.panel * _up(self.depth, self.pairs) * self.b.size, LINE)

    @property
    def shared_bytes(self) -> tuple[int, int]:
        """Scratch memory that all workers share, for A and for B."""
        a = self.block_bytes * -(-self.rows // self.block) if self.a_place == SHARED else 0
        b = self.panel_bytes * -(-self.columns // self.panel) if self.b_place == SHARED else 0
        return a, b

    @property
    def own_bytes(self) -> int:
        """Scratch memory of each worker."""
        return (self.block_bytes if self.a_place == OWN else 0) + (self.panel_bytes if self.b_place == OWN else 0)

    @property
    def waits(self) -> bool:
        """Whether workers wait for each other."""
        return SHARED in (self.a_place, self.b_place)

    def scratch_bytes(self, workers: int) -> int:
        """Scratch memory of a call."""
        return sum(self.shared_bytes) + workers * self.own_bytes

    @property
    def depths(self) -> tuple[tuple[int, int], ...]:
        """(first step of k, steps) of each different kind of depth, in order: the first, those between, the last."""
        starts = range(0, self.k, self.depth)
        return tuple((start, min(self.depth, self.k - start)) for start in starts)

    def __str__(self) -> str:
        a, b = ("B'", "A'") if self.swapped else ("A", "B")
        text = [f"product {self.m} x {self.n} x {self.k} {self.a.dtype},{self.b.dtype},{self.c.dtype}"]
        text += ["  columns of C are contiguous: computed as C' = B' A'"] if self.swapped else []
        text.append(f"  for columns in {-(-self.n // self.columns)} slabs of {self.columns}, k in {len(self.depths)} "
                    f"depths of {self.depth}, rows in {-(-self.m // self.rows)} slabs of {self.rows}")  # fmt: skip
        text.append(f"    {a}: {self._where(self.a_place, self.block_bytes, f'blocks of {self.block} rows')}")
        layout = f", {self.pairs} of k side by side" if self.pairs > 1 else ""
        text.append(f"    {b}: {self._where(self.b_place, self.panel_bytes, f'panels of {self.panel} columns{layout}')}")
        text.append(f"    items: {self.block} rows by {self.group} panels, dealt out among the workers")
        text.append(f"  scratch memory {sum(self.shared_bytes)} bytes, and {self.own_bytes} for each worker")
        return "\n".join(text)

    @staticmethod
    def _where(place: str, size: int, what: str) -> str:
        if place == DIRECT:
            return f"{what}, read where they lie"
        return f"{what}, {size} bytes each, packed by " + ("all workers" if place == SHARED else "the worker that uses it")


def plan(spec: GemmSpec, target: Target) -> ProductPlan:
    """The blocks of a product on a machine."""
    facts = facts_of(target)
    tuning = facts.tuning.products
    m, n, k, a, b, c, swapped = _upright(spec)
    sums = ELEMENT_BYTES[spec.acc_dtype]
    vectors = tuning.panel_vectors_of_few_registers if facts.vector_registers <= _FEW_REGISTERS else tuning.panel_vectors
    panel = min(vectors * target.vector_bits // 8 // sums, _up(n, 8))
    pairs = GROUP_BYTES // b.size if a.dtype in _GROUPED and b.dtype in _GROUPED else 1
    whole = spec.dtype != spec.acc_dtype  # sums are rounded once, so C holds no part of one
    depth = k if whole else even(k, tuning.depth_bytes // max(a.size, b.size), 8)
    block = even(m, max(8, int(tuning.block_share * target.l2) // (depth * a.size)), 8)
    panels = -(-n // panel)
    a_place, b_place = SHARED, SHARED
    if n <= tuning.direct_columns and a.order == "C":
        a_place, block = DIRECT, even(m, tuning.direct_rows, 8)
    elif m <= 2 * block:
        b_place = OWN
    slab = int(tuning.slab_share * target.l3) or tuning.slab_bytes
    most = max(tuning.least_slab_panels, slab // (panel * depth * b.size))
    columns = n if b_place == OWN else panel * even(panels, most, 1)
    rows = m if a_place == DIRECT else block * even(-(-m // block), max(1, slab // (block * depth * a.size)), 1)
    group = _group(rows, columns, block, panel, b_place, tuning)
    return ProductPlan(m, n, k, a, b, c, swapped, block, panel, depth, rows, columns, group, a_place, b_place, pairs)


def _upright(spec: GemmSpec) -> tuple[int, int, int, Operand, Operand, Operand, bool]:
    """Extents and operands of the product whose C has contiguous rows, and whether it is the transpose."""
    operands = [Operand(*each) for each in zip(spec.order, _numbers(spec.leading), spec.dtypes)]
    if spec.order[2] == "C":
        return spec.m, spec.n, spec.k, operands[0], operands[1], operands[2], False
    a, b, c = (Operand(_FLIPPED[each.order], each.leading, each.dtype) for each in operands)
    return spec.n, spec.m, spec.k, b, a, c, True


def _numbers(leading: Sequence[object]) -> list[int]:
    return [each for each in leading if isinstance(each, int)]


def _group(rows: int, columns: int, block: int, panel: int, b_place: str, tuning: ProductsTuning) -> int:
    """Panels of an item: all, or fewer where too few items would be dealt out."""
    blocks, panels = -(-rows // block), -(-columns // panel)
    if b_place == OWN:
        return 1
    return -(-panels // min(panels, -(-tuning.items // blocks)))


def even(extent: int, most: int, multiple: int) -> int:
    """The size of parts of equal size, at most `most` but for rounding up to a multiple, that cover an extent."""
    parts = -(-extent // max(most, 1))
    return min(_up(-(-extent // parts), multiple), _up(extent, multiple)) if multiple > 1 else -(-extent // parts)


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def real(dtype: str) -> bool:
    """Whether elements of a type are floating-point numbers."""
    return DTYPES[dtype].real
