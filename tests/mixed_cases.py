"""Drawn BRGEMM requests whose operands differ in type or are packed, their operands in memory, and the expected
results.

The expected values are summed by the models in emulation/, in the order that docs/mixed-precision.md states.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, address, check_canary, guarded
from tilesmith.emulation.numerics import bf16, fp
from tilesmith.emulation.numerics.rounding import ARM, X86, X86_FLUSHED
from tilesmith.microkernels.dtypes import MIXED_FLOATS
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
BF16_F32, BF16 = ("bf16", "bf16", "f32"), ("bf16",) * 3
F16_F32, F16 = ("f16", "f16", "f32"), ("f16",) * 3
FP8 = (("f8e5m2", "f8e5m2", "f32"), ("f8e4m3", "f8e4m3", "f32"))
SCALED = (("u8", "i8", "f32"), ("i8", "i8", "f32"), ("u8", "u8", "f32"))
BYTES = (("u8", "i8", "i32"), ("i8", "u8", "i32"), ("i8", "i8", "i32"), ("u8", "u8", "i32"))
WORDS = (("i16", "i16", "i32"), ("u16", "u16", "i32"), ("u16", "i16", "i32"), ("i16", "u16", "i32"))
INTEGERS = (*BYTES, *WORDS)
WEIGHTS = tuple(
    (*pair, next((each for each in pair if each in ("bf16", "f16") and number % 2), "f32"))
    for number, pair in enumerate(MIXED_FLOATS)
)
"""Type combinations with different types of a and b. Every other one has a c of 16 bits if a or b has 16 bits."""


@dataclass(frozen=True)
class Mixed:
    """A request, and the places of its operands in memory. `gaps` are the elements or groups between rows."""

    m: int
    n: int
    k: int
    dtypes: tuple[str, str, str]
    order: tuple[str, str, str] = ("C", "C", "C")
    layouts: tuple[str, str] = ("plain", "plain")
    gaps: tuple[int, int, int] = (0, 0, 0)
    kinds: tuple[str, str, str] = ("dense",) * 3  # leading dimensions: "dense", "given" or "runtime"
    batch: Any = None
    count: int = 1
    alpha: float = 1.0
    beta: float = 1.0
    numerics: str = "exact"
    values: str = "ordinary"
    seed: int = 0

    def groups(self, operand: int) -> int:
        """Return the elements per group of an operand, or per block of two rows."""
        size = {"plain": 0, "vnni": 4, "mmla": 16}[self.layouts[operand] if operand < 2 else "plain"]
        return size // numpy_dtype(self.dtypes[operand]).itemsize or 1

    def blocks(self, operand: int) -> bool:
        """Whether an operand is stored in blocks of two rows."""
        return operand < 2 and self.layouts[operand] == "mmla"

    def shape(self, operand: int) -> tuple[int, int]:
        """Return rows and columns, counted in groups if the operand is packed. Blocks of B are those of its
        transpose."""
        group = self.groups(operand)
        if self.blocks(operand):
            return -(-(self.m, self.n)[operand] // 2), -(-self.k // (group // 2))
        steps = -(-self.k // group)
        return ((self.m, steps), (steps, self.n), (self.m, self.n))[operand]

    def leading(self, operand: int) -> int:
        """Return the leading dimension, in elements or groups."""
        rows, columns = self.shape(operand)
        return (columns if self.order[operand] == "C" else rows) + self.gaps[operand]

    def strides(self, operand: int) -> tuple[int, ...]:
        """Return the strides in bytes; the last one is that of a group's elements."""
        size = numpy_dtype(self.dtypes[operand]).itemsize
        place = size * self.groups(operand)
        outer = self.leading(operand) * place
        return (*((outer, place) if self.order[operand] == "C" else (place, outer)), size)

    def span(self, operand: int) -> int:
        """Return the number of elements from the first to the end of the last of a matrix, gaps included."""
        size = numpy_dtype(self.dtypes[operand]).itemsize
        extents = (*self.shape(operand), self.groups(operand))
        return 1 + sum((n - 1) * stride // size for n, stride in zip(extents, self.strides(operand)))

    def distance(self, operand: int) -> int:
        """Return the elements from one matrix of the batch to the next; a fixed batch is dense."""
        rows, columns = self.shape(operand)
        lines = rows if self.order[operand] == "C" else columns
        between = 0 if self.batch is None or isinstance(self.batch, int) else 3
        return (self.leading(operand) * lines + between) * self.groups(operand)

    @property
    def request(self) -> dict[str, Any]:
        """The arguments of ts.brgemm."""
        leading = {
            f"ld{'abc'[i]}": {"dense": None, "given": self.leading(i), "runtime": ts.RUNTIME}[kind]
            for i, kind in enumerate(self.kinds)
        }
        return {
            "m": self.m,
            "n": self.n,
            "k": self.k,
            "dtype": self.dtypes,
            "order": self.order,
            "batch": self.batch,
            "a_layout": self.layouts[0],
            "b_layout": self.layouts[1],
            "alpha": self.alpha,
            "beta": self.beta,
            "numerics": self.numerics,
            **leading,
        }


# Drawing


@st.composite
def mixed(draw: st.DrawFn, dtypes: tuple[str, str, str], most: int = 40, blocks: bool = False) -> Mixed:
    """Draw everything that is supported for these types; with `blocks`, on a unit that multiplies two rows by two
    columns."""
    m, n, k = (draw(st.integers(1, most)) for _ in "mnk")
    integers = dtypes[2] == "i32"
    batch = draw(st.sampled_from((None, None, None, 0, 1, 3, ts.STRIDE, ts.OFFSET, ts.ADDRESS)))
    along = draw(st.sampled_from("CF"))  # C and the operand of vectors are contiguous along the same dimension
    other = draw(st.sampled_from("CF"))
    packable = dtypes[:2] not in MIXED_FLOATS and dtypes[0] not in ("f16", "f8e5m2", "f8e4m3")
    layouts = tuple(draw(st.sampled_from(("plain", "vnni"))) if packable else "plain" for _ in "ab")
    kinds = tuple(draw(st.sampled_from(("dense", "dense", "given", "runtime"))) for _ in "abc")
    order = (other, along, along) if along == "C" else (along, other, along)
    if blocks and (packed := draw(st.sampled_from(((), (0,), (1,), (0, 1))))):
        layouts = tuple("mmla" if i in packed else each for i, each in enumerate(layouts))
        order = tuple(draw(st.sampled_from("CF")) if i in packed else each for i, each in enumerate(order))
        kinds = (*("given" if kind == "runtime" else kind for kind in kinds[:2]), kinds[2])
    gaps = tuple(0 if kind == "dense" else draw(st.sampled_from((0, 1, 3))) for kind in kinds)
    case = Mixed(
        m,
        n,
        k,
        dtypes,
        order,
        layouts,
        gaps,
        kinds,
        batch,
        batch if isinstance(batch, int) else 1 if batch is None else draw(st.integers(0, 3)),
        1.0 if integers else draw(st.sampled_from((1.0, 1.0, 0.5, -3.0))),
        draw(st.sampled_from((0.0, 1.0) if integers else (1.0, 1.0, 0.0, 0.0, 0.25, -2.0))),
        values=draw(st.sampled_from(("ordinary", "ordinary", "any"))),
        seed=draw(st.integers(0, 2**32 - 1)),
    )
    for operand, kind in enumerate(kinds):  # a single row or column has no stride to read a leading dimension from
        rows, columns = case.shape(operand)
        if kind == "runtime" and (rows if case.order[operand] == "C" else columns) == 1:
            case = replace(case, gaps=(*case.gaps[:operand], 0, *case.gaps[operand + 1 :]))
    return case


def draw_values(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, kind: str) -> Array:
    """Draw numbers of a type: arbitrary bits, or for floats numbers whose products are ordinary."""
    numpy = numpy_dtype(dtype)
    bits = rng.integers(0, 256, (*shape, numpy.itemsize), np.uint8)
    if kind == "any" or dtype in ("i8", "u8", "i16", "u16", "i32"):
        values: Array = bits.view(numpy)[..., 0]
        return values
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-6, 6, shape)).astype(numpy)


# In memory


def flat(case: Mixed, operand: int, rng: np.random.Generator) -> tuple[Array, list[Array]]:
    """Return the memory of all matrices of an operand, with garbage between their elements, and their plain values."""
    numpy = numpy_dtype(case.dtypes[operand])
    count = case.count if operand < 2 else 1
    size = (count - 1) * case.distance(operand) + case.span(operand) if count else 0
    memory = draw_values(rng, (size,), case.dtypes[operand], "any")
    values = []
    for number in range(count):
        logical = draw_values(
            rng, ((case.m, case.k), (case.k, case.n), (case.m, case.n))[operand], case.dtypes[operand], case.values
        )
        view = matrix(case, operand, memory, number)
        group = case.groups(operand)
        for e in range(group):  # the padding of the last group stays garbage
            part = logical[:, e::group] if operand == 0 else logical[e::group]
            if case.blocks(operand):
                rows, depth = logical if operand == 0 else logical.T, group // 2
                part = rows[e // depth :: 2, e % depth :: depth]
            view[: part.shape[0], : part.shape[1], e] = part
        values.append(logical)
    assert memory.dtype == numpy
    return memory, values


def matrix(case: Mixed, operand: int, memory: Array, number: int = 0) -> Array:
    """Return one matrix as an array of (rows, columns, elements of a group)."""
    offset = number * case.distance(operand) * memory.itemsize
    view: Array = np.ndarray(
        (*case.shape(operand), case.groups(operand)), memory.dtype, memory, offset, case.strides(operand)
    )
    return view


def passed(case: Mixed, operand: int, view: Array) -> Array:
    """Return the view as the call takes it: plain operands have no dimension for groups."""
    return view if case.groups(operand) > 1 else view[..., 0]


class Call(NamedTuple):
    """A call with all operands between guard pages: its arguments, the values of a, b and c, C in memory, and the
    objects that must stay alive."""

    arguments: tuple[Any, ...]
    keywords: dict[str, int]
    values: list[list[Array]]
    c: Array
    keep: tuple[Array, ...]


def call_of(case: Mixed, side: str) -> Call:
    """Return the arguments of one call."""
    rng = np.random.default_rng(case.seed)
    memories, values = zip(*(flat(case, operand, rng) for operand in range(3)))
    a, b = (guarded(memory, side, writable=False) for memory in memories[:2])
    c = guarded(passed(case, 2, matrix(case, 2, memories[2])), side)
    keywords: dict[str, int] = {}
    sizes = [memory.itemsize for memory in (a, b)]
    offsets = [np.arange(case.count, dtype=np.int64) * case.distance(i) * sizes[i] for i in range(2)]
    views = [passed(case, i, matrix(case, i, memory)) if case.count else memory for i, memory in enumerate((a, b))]
    if case.batch is ts.ADDRESS:
        tables = [np.uint64(address(memory)) + each.astype(np.uint64) for memory, each in zip((a, b), offsets)]
        keywords = {f"ld{name}": case.leading(i) for i, name in enumerate("ab") if case.kinds[i] == "runtime"}
        return Call((*tables, c), keywords, list(values), c, (a, b))
    if not case.count and case.batch != 0:  # the first matrices exist even if none is read
        memories = [draw_values(rng, (case.span(i),), case.dtypes[i], "any") for i in range(2)]
        views = [passed(case, i, matrix(case, i, memory)) for i, memory in enumerate(memories)]
    if case.batch is ts.STRIDE:
        steps = (case.distance(i) * sizes[i] for i in range(2))
        return Call((*views, c, case.count, *steps), keywords, list(values), c, (a, b))
    if case.batch is ts.OFFSET:
        return Call((*views, c, *offsets), keywords, list(values), c, (a, b))
    if case.batch is None:
        return Call((*views, c), keywords, list(values), c, (a, b))
    stacks = []
    for i, memory in enumerate((a, b)):
        strides = (case.distance(i) * memory.itemsize, *case.strides(i))
        shape = (case.count, *case.shape(i), case.groups(i))
        stacks.append(passed(case, i, np.ndarray(shape, memory.dtype, memory, 0, strides)))
    return Call((*stacks, c), keywords, list(values), c, (a, b))


# What is expected

Model = Callable[[Array, Array, Array], Array]
"""(sums, A, B) -> sums with one more matrix product added, in the order of a hardware unit."""


def pairs_by_fma(sums: Array, a: Array, b: Array, env: Any = X86_FLUSHED) -> Array:
    """Model VDPBF16PS: the odd product of each pair is added first. An incomplete last pair is padded with zero."""
    a, b = (
        np.pad(bf16.widened(x.view(np.uint16)), pad)
        for x, pad in (
            (a, ((0, 0), (0, a.shape[1] % 2))),
            (b, ((0, b.shape[0] % 2), (0, 0))),
        )
    )
    for k in itertools.chain.from_iterable((i + 1, i) for i in range(0, a.shape[1], 2)):
        sums = fp.fma(a[:, k, None], b[None, k], sums, env)
    return sums


def pairs_by_bfdot(sums: Array, a: Array, b: Array) -> Array:
    """Model BFDOT: the products of a pair are added to each other first. An incomplete last pair is padded with
    zero."""
    x = np.pad(a.view(np.uint16), ((0, 0), (0, a.shape[1] % 2)))
    y = np.pad(b.view(np.uint16), ((0, b.shape[0] % 2), (0, 0)))
    for k in range(0, x.shape[1], 2):
        rows = np.broadcast_to(x[:, None, k : k + 2], (*sums.shape, 2))
        columns = np.broadcast_to(y[k : k + 2].T[None], (*sums.shape, 2))
        sums = bf16.bfdot(sums[..., None], rows, columns)[..., 0]
    return sums


def in_integers(sums: Array, a: Array, b: Array) -> Array:
    """Add exactly, modulo 2^32."""
    total = sums.astype(np.int64) + a.astype(np.int64) @ b.astype(np.int64)
    return (total & 0xFFFF_FFFF).astype(np.uint32).view(np.int32)


def tiles_by_fma(sums: Array, a: Array, b: Array) -> Array:
    """Model TDPBF16PS and TDPFP16PS: for every 32 steps of k, add even and odd products in two chains from +0, then
    sums + (even + odd)."""
    factors = [x.astype(np.float32) if x.dtype == np.float16 else bf16.widened(x.view(np.uint16)) for x in (a, b)]
    a, b = np.pad(factors[0], ((0, 0), (0, a.shape[1] % 2))), np.pad(factors[1], ((0, b.shape[0] % 2), (0, 0)))
    for first in range(0, a.shape[1], 32):
        even = odd = np.zeros(sums.shape, np.float32)
        for k in range(first, min(first + 32, a.shape[1]), 2):
            even = fp.fma(a[:, k, None], b[None, k], even, X86_FLUSHED)
            odd = fp.fma(a[:, k + 1, None], b[None, k + 1], odd, X86_FLUSHED)
        sums = fp.add(sums, fp.add(even, odd, X86_FLUSHED), X86_FLUSHED)
    return sums


def in_order(sums: Array, a: Array, b: Array, env: Any = X86) -> Array:
    """Convert to f32 and add by fused multiply-adds in the order of k, under the default MXCSR or another
    environment."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    for k in range(a.shape[1]):
        sums = fp.fma(a[:, k, None], b[None, k], sums, env)
    return sums


def widened(c: Array) -> Array:
    """Return C in the type in which alpha and beta are applied."""
    return c.astype(np.float32) if c.dtype.itemsize < 4 else c


def narrowed(sums: Array, dtype: str) -> Array:
    """Return sums in C's type."""
    if dtype == "bf16":
        return bf16.vcvtneps2bf16(sums).view(numpy_dtype("bf16"))
    return sums.astype(numpy_dtype(dtype))


def narrowed_on_arm(sums: Array, dtype: str) -> Any:
    """Convert sums as BFCVT and FCVT do under the FPCR of the tests."""
    if dtype == "bf16":
        return bf16.bfcvt(sums, ARM).astype(np.uint16).view(numpy_dtype("bf16"))
    return narrowed(sums, dtype)


def expected(case: Mixed, values: list[list[Array]], model: Model, narrow: Any = narrowed, env: Any = X86) -> Array:
    """Return C = beta C + alpha times the sum. The sum starts from C if both factors are 1, else from +0."""
    c = values[2][0]
    if case.count == 0 and case.beta == 1:
        return c
    of_integers = all(numpy_dtype(each).kind in "iu" for each in case.dtypes[:2])
    early = case.alpha == case.beta == 1 and (not of_integers or case.dtypes[2] == "i32")
    sums = widened(c) if early else np.zeros(c.shape, np.int32 if of_integers else widened(c).dtype)
    with np.errstate(all="ignore"):
        for a, b in zip(values[0], values[1]):
            sums = model(sums, a, b)
        if of_integers and case.dtypes[2] == "f32":
            sums = sums.astype(np.float32)
        if case.alpha != 1:
            sums = fp.mul(sums, sums.dtype.type(case.alpha), env)
        if not early and case.beta == 1:
            sums = sums + widened(c)
        elif not early and case.beta:
            sums = fp.fma(sums.dtype.type(case.beta), widened(c), sums, env)
        return np.asarray(narrow(sums, case.dtypes[2]))


def same(found: Array, wanted: Array) -> None:
    """Check that bits are equal, and that there is any NaN where a NaN is wanted."""
    bits = f"u{found.itemsize}"
    equal = np.ascontiguousarray(found).view(bits) == np.ascontiguousarray(wanted).view(bits)
    if found.dtype.kind not in "iu":
        with np.errstate(invalid="ignore"):  # a signalling NaN
            equal |= np.isnan(found.astype(np.float64)) & np.isnan(wanted.astype(np.float64))
    if not equal.all():
        place = tuple(int(i) for i in np.argwhere(~equal)[0])
        raise AssertionError(
            f"{(~equal).sum()} of {equal.size} differ, at {place}: {found[place]!r}, not {wanted[place]!r}"
        )


def run(case: Mixed, kernel: ts.Kernel, model: Model) -> None:
    """Call the kernel with operands at each guard page, and compare the result."""
    for side in SIDES:
        call = call_of(case, side)
        wanted = expected(case, call.values, model)
        kernel(*call.arguments, **call.keywords)
        same(np.array(call.c), wanted)
        check_canary(call.c)
