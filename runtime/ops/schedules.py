"""The schedules of large products: in what order the blocks of a product are packed, multiplied and summed.

A schedule is one of six classes, each with the sizes that it needs beside those of the blocks (`Blocks`). What a class
has no choice about is an attribute of it, so blocks that no nest computes can't be written down; `fits` says whether
the sizes suit a product. The loops of each schedule are in `blocks.py`.
"""

from __future__ import annotations

from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.records import dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.gemm.spec import GemmSpec

if TYPE_CHECKING:
    from ...microkernels import notebook

notebook = lazy(__package__, "...microkernels.notebook")

_GROUP, _TILE_BYTES = 4, 64
"""`_GROUP`: the most steps of k that are packed side by side; blocks are whole groups deep. `_TILE_BYTES`: the bytes of
k in a tile."""


class BlockSchedule:
    """What all schedules answer.

    packs_a, packs_b   whether A and B are packed
    own_b              whether each worker packs the blocks of B that it multiplies
    rb                 rows per kernel call if the sums of a block stay in scratch memory; 0: they go into C
    lines              rows of B that are packed at a time, across all blocks of a group; 0: one block at a time
    whole              packed blocks are filled up with zeros to a multiple of this many steps; kb is one too, or k
    fetched            whether lines of packed weights are prefetched
    of_k               steps of k of a part whose sums are in scratch memory, to be added in the end; 0: k has no parts
    """

    packs_a: bool = False
    packs_b: bool = True
    own_b: bool = False
    rb: int = 0
    lines: int = 0
    whole: int = 1
    fetched: bool = False
    of_k: int = 0

    def columns(self, n: int, nb: int) -> tuple[int, int]:
        """Return the columns of B that are packed at a time, and those of a part that is dealt out: `nc` and `ng`."""
        return nb, nb

    def filled(self, whole: int) -> BlockSchedule:
        """Return the same schedule with packed blocks that are filled up to a multiple of so many steps of k, or the
        schedule itself if its blocks are never filled up."""
        return replace(self, whole=whole) if "whole" in vars(self) else self  # type: ignore[type-var]

    def says(self, plan: Blocks) -> str:
        """Return the schedule in words."""
        raise NotImplementedError

    def fits(self, plan: Blocks, product: GemmSpec) -> bool:
        """Whether the nest of such blocks computes the product, if the sizes of the blocks suit it."""
        raise NotImplementedError


def _is_filled(schedule: BlockSchedule, plan: Blocks, product: GemmSpec) -> bool:
    """Whether blocks that are filled up are packed, and are whole tiles deep."""
    tile = _TILE_BYTES // _narrowest(product)
    deep = plan.kb == plan.k or plan.kb % schedule.whole == 0
    return schedule.whole == 1 or (schedule.whole == tile and schedule.packs_a and deep)


def _narrowest(product: GemmSpec) -> int:
    return min(ELEMENT_BYTES[each] for each in product.dtypes[:2])


def _is_narrow(product: GemmSpec, widened: bool = False) -> bool:
    """Whether C is narrower than its accumulators, or is computed from operands that are converted part by part."""
    return product.dtypes[2] != product.acc_dtype or widened


def _is_cut_in_groups(plan: Blocks) -> bool:
    """Whether blocks have all of k, or whole groups of it."""
    return plan.kb == plan.k or plan.kb % _GROUP == 0


def _is_deep(plan: Blocks, product: GemmSpec) -> bool:
    """Whether sums that go into C may be cut as the blocks are."""
    return plan.kb == plan.k or (_is_cut_in_groups(plan) and not _is_narrow(product))


@dataclass(frozen=True)
class SharedB(BlockSchedule):
    """B is packed by all workers together, `nc` columns at a time, and parts of `ng` columns are dealt out."""

    nc: int
    ng: int
    packs_a: bool = False
    lines: int = 0
    whole: int = 1
    fetched: bool = False

    def columns(self, n: int, nb: int) -> tuple[int, int]:
        """Return `nc` and `ng`."""
        return self.nc, self.ng

    def says(self, plan: Blocks) -> str:
        """Return the schedule in words."""
        a = "packed" if self.packs_a else "as it is"
        return f"; A {a}; B packed {self.nc} columns at a time; parts of {plan.mb} x {self.ng} dealt out"

    def fits(self, plan: Blocks, product: GemmSpec) -> bool:
        """Whether parts are whole blocks, and lines of B lie side by side."""
        inside = plan.nb <= self.ng <= self.nc <= plan.n
        whole = all(size % plan.nb == 0 or size == plan.n for size in (self.ng, self.nc))
        rows = self.lines > 0 and _narrowest(product) >= 4 and product.order[1] == "C" and self.whole == 1
        taken = self.packs_a or product.order[0] == "C"
        filled = _is_filled(self, plan, product)
        return inside and whole and _is_deep(plan, product) and taken and filled and (not self.lines or rows)


@dataclass(frozen=True)
class OwnB(BlockSchedule):
    """Each worker packs the blocks of B of its own columns and multiplies all rows of A by each, unpacked."""

    own_b = True

    def says(self, plan: Blocks) -> str:
        """Return the schedule in words."""
        return "; A as it is; columns of B dealt out and packed"

    def fits(self, plan: Blocks, product: GemmSpec) -> bool:
        """Whether A can be read as it is."""
        return _is_deep(plan, product) and product.order[0] == "C"


def _sums_fit(schedule: BlockSchedule, plan: Blocks, product: GemmSpec) -> bool:
    """Whether sums in scratch memory are of use, and rows of C may be computed from them."""
    narrow = _is_narrow(product, plan.widened)
    rows = 0 < schedule.rb <= plan.mb and (plan.turned or product.order[2] == "C")
    return narrow and rows and _is_cut_in_groups(plan) and _is_filled(schedule, plan, product)


@dataclass(frozen=True)
class SharedSums(BlockSchedule):
    """The sums of a block of C stay in scratch memory, `rb` rows at a time. B is packed by all workers together."""

    nc: int
    rb: int
    whole: int = 1
    packs_a = True

    def columns(self, n: int, nb: int) -> tuple[int, int]:
        """Return `nc` for both: rows are dealt out, not columns."""
        return self.nc, self.nc

    def says(self, plan: Blocks) -> str:
        """Return the schedule in words."""
        b = f"B packed {self.nc} columns at a time, all of k"
        return f", {self.rb} rows at a time, sums in scratch memory; A packed; {b}"

    def fits(self, plan: Blocks, product: GemmSpec) -> bool:
        """Whether the columns are whole blocks, and sums in scratch memory are of use."""
        inside = plan.nb <= self.nc <= plan.n and (self.nc % plan.nb == 0 or self.nc == plan.n)
        return inside and _sums_fit(self, plan, product)


@dataclass(frozen=True)
class OwnSums(BlockSchedule):
    """The sums of a block of C stay in scratch memory, and each worker packs its own blocks of A and B. `lines`: the
    steps of k that are converted at a time, of weights that are packed in advance."""

    rb: int
    lines: int = 0
    whole: int = 1
    packs_a = True
    own_b = True

    def says(self, plan: Blocks) -> str:
        """Return the schedule in words."""
        b = "columns of B dealt out and packed"
        return f", {self.rb} rows at a time, sums in scratch memory; A packed; {b}"

    def fits(self, plan: Blocks, product: GemmSpec) -> bool:
        """Whether sums in scratch memory are of use. B is not packed in advance."""
        return not self.lines and _sums_fit(self, plan, product)


@dataclass(frozen=True)
class InPlace(BlockSchedule):
    """A and B are multiplied as they are; blocks of rows, and of `ng` columns, are dealt out."""

    ng: int
    packs_b = False

    def columns(self, n: int, nb: int) -> tuple[int, int]:
        """Return all columns, and `ng`."""
        return n, self.ng

    def says(self, plan: Blocks) -> str:
        """Return the schedule in words."""
        return " dealt out; A and B as they are"

    def fits(self, plan: Blocks, product: GemmSpec) -> bool:
        """Whether both operands lie as kernels read them."""
        narrowest = _narrowest(product)
        readable = narrowest >= 4 or (narrowest > 1 and plan.kb == plan.k)
        inside = plan.nb <= self.ng <= plan.n and (self.ng % plan.nb == 0 or self.ng == plan.n)
        return inside and readable and product.order[:2] == ("C", "C") and _is_deep(plan, product)


@dataclass(frozen=True)
class PartsOfK(BlockSchedule):
    """C is one block, and parts of `of_k` steps of k are dealt out. Their sums are in scratch memory, to be added."""

    of_k: int
    packs_a: bool = False
    packs_b = False

    def columns(self, n: int, nb: int) -> tuple[int, int]:
        """Return all columns."""
        return n, n

    def says(self, plan: Blocks) -> str:
        """Return the schedule in words."""
        a = "packed" if self.packs_a else "as it is"
        return f", parts of k, dealt out and then added; A {a}; B as it is"

    def fits(self, plan: Blocks, product: GemmSpec) -> bool:
        """Whether C has the type of its sums, in rows without gaps, and A is packed unless it is read by rows."""
        rows = product.order[1:] == ("C", "C") and (self.packs_a or product.order[0] == "C")
        one = plan.mb == plan.m and plan.nb == plan.n and 0 < plan.kb <= self.of_k <= plan.k
        return one and rows and not _is_narrow(product) and product.leading[2] == plan.n


SCHEDULES: dict[str, type[BlockSchedule]] = {
    each.__name__: each for each in (SharedB, OwnB, SharedSums, OwnSums, InPlace, PartsOfK)
}


@dataclass(frozen=True)
class Blocks:
    """The extents m, n, k of a product, the sizes of its blocks, and their schedule. All blocks but the last along each
    dimension are full.

    turned     whether blocks of a column-major C are computed by rows in scratch memory and then transposed
    widened    whether narrower operands are converted to f32 as they are packed: see block_rules.py
    gain       the speed-up over the untuned blocks, if ts.tune found these; 1: they are the untuned ones
    tried      how many other blocks ts.tune has measured, and how many there are
    """

    m: int
    n: int
    k: int
    mb: int
    nb: int
    kb: int
    schedule: BlockSchedule
    turned: bool = False
    widened: bool = False
    gain: float | None = None
    tried: tuple[int, int] = field(default=(0, 0), compare=False)

    @property
    def nc(self) -> int:
        """The columns of B that are packed at a time."""
        return self.schedule.columns(self.n, self.nb)[0]

    @property
    def ng(self) -> int:
        """The columns of a part that is dealt out."""
        return self.schedule.columns(self.n, self.nb)[1]

    @property
    def packs_a(self) -> bool:
        """Whether A is packed."""
        return self.schedule.packs_a

    @property
    def packs_b(self) -> bool:
        """Whether B is packed."""
        return self.schedule.packs_b

    @property
    def own_b(self) -> bool:
        """Whether each worker packs its own blocks of B."""
        return self.schedule.own_b

    @property
    def rb(self) -> int:
        """The rows per kernel call of sums in scratch memory; 0: there are none."""
        return self.schedule.rb

    @property
    def lines(self) -> int:
        """The rows of B that are packed at a time; 0: whole blocks."""
        return self.schedule.lines

    @property
    def whole(self) -> int:
        """The steps to a multiple of which packed blocks are filled up with zeros."""
        return self.schedule.whole

    @property
    def fetched(self) -> bool:
        """Whether lines of packed weights are prefetched."""
        return self.schedule.fetched

    @property
    def of_k(self) -> int:
        """The steps of k of a part; 0: k has no parts."""
        return self.schedule.of_k

    def deep(self, depth: int) -> int:
        """Return the number of steps of `depth` steps of k in packed blocks, with the zeros that fill them up."""
        return -(-depth // self.whole) * self.whole

    def in_units(self, rows: int, columns: int) -> Blocks:
        """Return the same blocks with their rows and columns rounded up to multiples of these numbers."""
        mb, nb = (
            min(extent, -(-size // unit) * unit)
            for extent, size, unit in ((self.m, self.mb, rows), (self.n, self.nb, columns))
        )
        if (mb, nb) == (self.mb, self.nb):
            return self
        parts = {name: value for name, value in vars(self.schedule).items() if name in ("nc", "ng")}
        wider = {name: min(self.n, -(-value // self.nb) * nb) for name, value in parts.items()}
        schedule = replace(self.schedule, **wider) if wider else self.schedule  # type: ignore[type-var]
        return replace(self, mb=mb, nb=nb, schedule=schedule)

    def fits(self, product: GemmSpec) -> bool:
        """Whether the nest of these blocks computes the product."""
        inside = 0 < self.mb <= self.m and 0 < self.nb <= self.n and 0 < self.kb <= self.k
        return inside and self.schedule.fits(self, product)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def __str__(self) -> str:
        more = "; converted to f32" * self.widened + "; C by way of scratch memory" * self.turned
        more += "; lines of B are prefetched" * self.fetched
        faster = "no other blocks were faster" if self.gain == 1 else f"{self.gain or 0:.3f} times as fast as untuned"
        tried = " ({} of {} other ways to cut it were measured)".format(*self.tried) if self.tried[1] else ""
        more += "" if self.gain is None else f"; tuned on this machine, {faster}{tried}"
        return f"blocks of {self.mb} x {self.nb} x {self.kb}{self.schedule.says(self)}{more}"

    def _repr_html_(self) -> str:
        """Return the same for notebooks, in lines that wrap."""
        shown: str = notebook.plan_page(self)
        return shown


_SIZES: dict[str, type] = {"mb": int, "nb": int, "kb": int, "turned": bool, "widened": bool}


def as_data(plan: Blocks) -> dict[str, object]:
    """Return the blocks of a product as data that JSON holds, without its extents."""
    schedule = {"name": type(plan.schedule).__name__, **vars(plan.schedule)}
    return {**{name: getattr(plan, name) for name in _SIZES}, "schedule": schedule}


def from_data(product: GemmSpec, data: object) -> Blocks | None:
    """Return the blocks of data, or None unless it has the form of `as_data`. `fits` says whether they compute."""
    if not isinstance(data, dict) or set(data) != {*_SIZES, "schedule"} or not _has_types(data, _SIZES):
        return None
    given = data["schedule"]
    name = given.get("name") if isinstance(given, dict) else None
    kind: Any = SCHEDULES.get(name) if isinstance(name, str) else None
    if kind is None:
        return None
    types: dict[str, type] = {each.name: bool if each.type == "bool" else int for each in fields(kind)}
    sizes = {name: value for name, value in given.items() if name != "name"}
    if set(sizes) != set(types) or not _has_types(sizes, types):
        return None
    return Blocks(product.m, product.n, product.k, **{**data, "schedule": kind(**sizes)})


def _has_types(values: dict[str, object], types: dict[str, type]) -> bool:
    return all(type(values[name]) is kind for name, kind in types.items())
