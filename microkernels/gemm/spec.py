"""GemmSpec: the checked request for a batch-reduce GEMM.

    C = beta * C + alpha * sum_i A_i @ B_i      A_i (m, k), B_i (k, n), C (m, n)

A leading dimension is the distance in elements between neighbouring rows (order "C") or columns (order "F").

An operand of 16- or 8-bit elements may be *packed* ("vnni"): elements that are neighbours along k are stored side by
side in groups of 32 bits; the padding of the last group may have any value. Then A is a matrix of groups (m, ceil(k /
g)) and B one of (ceil(k / g), n), with g = 2 or 4. The arrays have one more dimension of g elements, and leading
dimensions count groups.

The lines of a and b, which are only read, may overlap: their leading dimension may be less than the length of a line.
The pairs of a batch may lie in several *levels*, each with a count and with the distances of its matrices.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from ...encoder.errors import shown
from ...encoder.records import cached_property, dataclass
from ..counted import COUNTED, CountedProduct, with_symbols
from ..dtypes import DTYPES, ELEMENT_BYTES, MIXED_FLOATS, element_type
from ..errors import UnsupportedError
from ..hints import prefetch_of, streaming_of
from ..names import chosen
from ..operands import (
    RUNTIME,
    Axes,
    Leading,
    LeadingDimension,
    Operand,
    View,
    dense,
    extent,
    leading_dimension,
)
from ..tensor.extent import in_groups
from ..units import BLOCK_BYTES, COLUMNS, HALF, NUMERICS, OWN, PAIRED, SHARED
from .pairs import BatchLevel, Strides, dense_steps, loops_of, pairs_of
from .pairs import PairBatch as PairBatch

STRIDE, OFFSET, ADDRESS = PairBatch.STRIDE, PairBatch.OFFSET, PairBatch.ADDRESS
_PRODUCTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("f32", "f32"): ("f32",),
    ("f64", "f64"): ("f64",),
    ("bf16", "bf16"): ("bf16", "f32"),
    ("f16", "f16"): ("f16", "f32"),
    ("u8", "i8"): ("i32", "f32"),
    ("i8", "u8"): ("i32", "f32"),
    ("i8", "i8"): ("i32", "f32"),
    ("i16", "i16"): ("i32",),
    ("f8e5m2", "f8e5m2"): ("f32",),
    ("f8e4m3", "f8e4m3"): ("f32",),
    ("u8", "u8"): ("i32", "f32"),
    ("u16", "u16"): ("i32",),
    ("u16", "i16"): ("i32",),
    ("i16", "u16"): ("i32",),
    **{(a, b): ("f32", *({a, b} & {"bf16", "f16"})) for a, b in MIXED_FLOATS},
}
"""The types that c may have, keyed by the types of a and b. The first is the default if one name stands for all
three."""
_PACKABLE = ("bf16", "f16", "i8", "u8", "i16", "u16")
_MULTIPLIED = ("bf16", "i8", "u8")  # multiplied two rows by two columns at a time
QUANTIZED = ("i8", "u8")
"""Types of c that need an epilogue after integer sums, since the epilogue defines their scale."""
GROUP_BYTES = 4
"""Bytes of a group of a packed operand."""
PLAIN = "plain"
LAYOUTS = (PLAIN, "vnni", "vnni2", "vnni4", "mmla", *(f"mmla2x{n}{t}" for n in (4, 8) for t in ("", "t")))
"""The layouts of a and b. Each element type has some of them."""
HALVES = "f16xf16"
"""The dtype that requests f16 sums: f16 by f16 arithmetic, numerics HALF."""
_NO_PRODUCTS = "with no products C = beta * C remains; batch=0 computes that, with any k"


@dataclass(frozen=True)
class GemmSpec(CountedProduct):
    """A batch-reduce GEMM, made by `gemm_spec`, which fills in defaults and checks. Each call may give one of its
    extents (counted.py)."""

    m: int
    n: int
    k: int
    dtypes: tuple[str, str, str]
    order: tuple[str, str, str]
    leading: tuple[LeadingDimension, LeadingDimension, LeadingDimension]
    batch: int | PairBatch | None  # None: one pair, in arrays without a batch dimension
    alpha: float
    beta: float
    groups: tuple[int, int] = (1, 1)  # adjacent elements along k in each place of a and b; 1: not packed
    numerics: str = "exact"
    tiles: str = OWN  # who configures the tile registers, if any are used
    strides: Strides = None
    prefetch: str | None = None
    """Operands whose lines are fetched ahead (gemm/hints.py); None: the planner's choice."""
    streaming: str | None = None
    """Operands that are kept out of the caches."""
    late: bool = False
    """Whether C is added to the finished sum even where the sum could start as C: C holds the sums of many other blocks
    of a long k, and the terms of a block would be added to it one after the other."""
    ordered: bool = False
    """Whether the order of each sum follows from k and the batch alone: term after term, also where few rows or columns
    would be faster in several sums at a time. Kernels of other blocks of the same larger product then give its bits."""

    @cached_property
    def counted(self) -> str:
        """The name of the extent that each call gives, "m", "n" or "k"; empty if the request says all."""
        return next((name for name in COUNTED if type(getattr(self, name)) is not int), "")

    @property
    def dynamic(self) -> bool:
        """Whether each call gives an extent."""
        return bool(self.counted)

    @property
    def dtype(self) -> str:
        """The element type of c."""
        return self.dtypes[2]

    @property
    def mixed(self) -> bool:
        """Whether the product needs a unit, for its types differ or are narrow."""
        return len({*self.dtypes}) > 1 or ELEMENT_BYTES[self.dtype] < 4 or self.numerics == PAIRED

    @property
    def acc_dtype(self) -> str:
        """The type of the sums over k: 32 bits wide for narrower types, unless f16 is requested."""
        if self.numerics == HALF:
            return "f16"
        if not any(DTYPES[each].real for each in self.dtypes[:2]):
            return "i32"
        return self.dtype if ELEMENT_BYTES[self.dtype] >= 4 else "f32"

    @property
    def names_hints(self) -> bool:
        """Whether the request names operands to prefetch or to stream. Every way then either obeys it or refuses."""
        return bool(self.prefetch or self.streaming)

    @property
    def starts_as_c(self) -> bool:
        """Whether a sum on a tensor unit starts as C, so that no update is left to do."""
        same = DTYPES[self.dtype].real == DTYPES[self.acc_dtype].real
        return self.alpha == self.beta == 1 and same and not self.late

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """a, b and c as arrays."""
        shapes = _shapes((self.m, self.n, self.k), self.groups, self.dtypes)
        return tuple(
            Operand(name, rows, columns, View(order, leading), dtype, name == "c", group=group, overlaps=name != "c")
            for name, (rows, columns), dtype, order, leading, group in zip(
                "abc", shapes, self.dtypes, self.order, self.leading, (*self.groups, 1)
            )
        )

    @property
    def blocks(self) -> tuple[bool, bool]:
        """Whether a and b are in blocks of two rows or columns."""
        a, b = (_is_block(group, dtype) for group, dtype in zip(self.groups, self.dtypes))
        return a, b

    @property
    def addressed(self) -> bool:
        """Whether a call passes addresses of a and b in place of arrays."""
        return self.batch is ADDRESS

    def layout_of(self, name: str) -> str:
        """Return "plain", or the name of the transform that packs an operand."""
        group, block = dict(zip("abc", zip((*self.groups, 1), (*self.blocks, False))))[name]
        packed = f"mmla{COLUMNS}x{group // COLUMNS}{'t' * (name == 'b')}" if block else f"vnni{group}"
        return PLAIN if group == 1 else packed

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments of `gemm_spec` that it was made of, besides the extents."""
        lda, ldb, ldc = self.leading
        half = self.numerics == HALF
        return {
            "dtype": HALVES if half else self.dtypes,
            "order": self.order,
            "lda": lda,
            "ldb": ldb,
            "ldc": ldc,
            "batch": self.counts if isinstance(self.strides, tuple) else self.batch,
            "strides": tuple(each[1:] for each in self.strides) if isinstance(self.strides, tuple) else self.strides,
            "alpha": self.alpha,
            "beta": self.beta,
            "a_layout": self.layout_of("a"),
            "b_layout": self.layout_of("b"),
            "prefetch": self.prefetch,
            "streaming": self.streaming,
            "numerics": "exact" if half else self.numerics,
        }

    def again(self) -> GemmSpec:
        """Return the request made again by its function, which checks it."""
        return self.product_again()

    def product_again(self, epilogue: bool = False) -> GemmSpec:
        """Return the product made again by `gemm_spec`. Who configures the tile registers (ts.amx_config), and when C
        is added, is chosen after the request."""
        made = gemm_spec(self.m, self.n, self.k, epilogue=epilogue, **self.asked)
        if self.tiles not in (OWN, SHARED):
            raise ValueError(f"tiles: {OWN} or {SHARED}, not {self.tiles!r}")
        return replace(made, tiles=self.tiles, late=self.late is True, ordered=self.ordered is True)

    @property
    def flops(self) -> int:
        """Multiplications and additions of A_i @ B_i, summed over a fixed batch, or else for one pair; for each line of
        C, or step of k, if a call counts these."""
        pairs = self.batch if isinstance(self.batch, int) else 1
        return 2 * self.m * self.n * self.k * pairs // (self.likely_number if self.counted else 1)

    @property
    def pairs(self) -> int | None:
        """The number of pairs that a call multiplies, or None if the call gives it."""
        return None if isinstance(self.batch, PairBatch) else 1 if self.batch is None else self.batch

    @property
    def counts(self) -> tuple[int, ...]:
        """The lengths of the axes of a batch whose size is fixed, in an array of all its matrices."""
        if isinstance(self.strides, tuple):
            return tuple(each[0] for each in self.strides)
        return (self.batch,) if isinstance(self.batch, int) else ()

    @property
    def loops(self) -> tuple[BatchLevel, ...]:
        """The levels of the batch as loops around its pairs, the outermost first: see `loops_of`. Empty unless the
        request gives distances."""
        return loops_of(self.strides) if isinstance(self.strides, tuple) else ()

    def distances(self, name: str) -> tuple[int, ...]:
        """Return the places between matrices of a or b along each axis of a batch whose size is fixed. Its strides and
        the operand's leading dimension are numbers."""
        if isinstance(self.strides, tuple):
            return tuple(each.of(name) for each in self.strides)
        operand = self.operands["ab".index(name)]
        return (operand.lines * operand.view.leading,) if isinstance(self.batch, int) else ()  # type: ignore[operator]

    def axes(self, name: str) -> Axes:
        """Return the axes of a batch whose size is fixed in an array of all matrices of a or b."""
        return Axes(self.counts, self.distances(name) if isinstance(self.strides, tuple) else None)

    def span(self, name: str) -> int:
        """Return how many elements lie from the first to the last one of a, b or c that a call accesses. The size of
        the batch, its strides and the operand's leading dimension are numbers."""
        operand = self.operands["abc".index(name)]
        at_call = isinstance(self.batch, PairBatch) or self.strides is RUNTIME
        if RUNTIME is operand.view.leading or name in self.holders or (name != "c" and at_call):
            raise ValueError(f"{name}: each call says where its elements lie")
        batch = [] if name == "c" else [*zip(self.counts, self.distances(name))]
        if 0 in [count for count, _ in batch]:
            return 0
        return operand.span + operand.group * sum((count - 1) * step for count, step in batch)

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        hints = (("prefetch", self.prefetch), ("streaming", self.streaming))
        more = ["_strides"] * (self.strides is not None) + ["_late"] * self.late + ["_ordered"] * self.ordered
        more += [f"_{name}_{(value or 'none').replace('@', '_')}" for name, value in hints if value is not None]
        return f"brgemm_{'_'.join(self._types)}_{self.m}x{self.n}x{self.k}{''.join(more)}"

    @property
    def _types(self) -> tuple[str, ...]:
        return self.dtypes if len(set(self.dtypes)) > 1 else self.dtypes[:1]

    def __str__(self) -> str:
        text = f"brgemm {self.m} x {self.n} x {self.k} {','.join(self._types)} order {''.join(self.order)}"
        text += "".join(f" {name} {self.layout_of(name)}" for name, group in zip("ab", self.groups) if group > 1)
        text += "".join(
            f" ld{o.name}={o.view.leading!r}"
            for o in self.operands
            if o.view.leading != dense(o.view.order, o.rows, o.columns)
        )
        text += f" batch {self.asked['batch']!r}" if self.batch is not None else ""
        text += " at strides of the call" if self.strides is RUNTIME else ""
        text += f" strides {self.asked['strides']}" if isinstance(self.strides, tuple) else ""
        text += f" alpha {self.alpha:g} beta {self.beta:g}"
        text += "" if self.tiles == OWN else f" {self.tiles} tiles"
        text += " ordered sums" if self.ordered else ""
        hints = (("prefetch", self.prefetch), ("streaming", self.streaming))
        text += "".join(f" {name}={value!r}" for name, value in hints if value is not None)
        return text if self.numerics == "exact" else f"{text} {self.numerics}"


def gemm_spec(
    m: int | Leading,
    n: int | Leading,
    k: int | Leading,
    *,
    dtype: Any = "f32",
    order: Any = "C",
    lda: Any = None,
    ldb: Any = None,
    ldc: Any = None,
    batch: Any = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    a_layout: Any = PLAIN,
    b_layout: Any = PLAIN,
    numerics: Any = "exact",
    epilogue: bool = False,
    strides: Any = None,
    prefetch: Any = None,
    streaming: Any = None,
) -> GemmSpec:
    """Return a checked request for C = beta * C + alpha * sum_i A_i @ B_i, as `ts.supported` takes it.

    m, n, k, and everything else   as in ts.brgemm: extents in elements, leading dimensions in elements or groups
    epilogue   whether an epilogue follows: then c may be a narrower integer than the sums

    Raises UnsupportedError, TypeError or ValueError naming the argument, the rule, and the value.
    """
    asked = (m, n, k) if type(m) is type(n) is type(k) is int else with_symbols(m, n, k)
    m, n, k = extent("m", asked[0]), extent("n", asked[1]), extent("k", asked[2], _NO_PRODUCTS)
    orders = _orders(order)
    dtypes = _element_types(dtype, epilogue)
    groups = tuple(
        _group(f"{name}_layout", value, each) for name, value, each in zip("ab", (a_layout, b_layout), dtypes)
    )
    leading = tuple(
        leading_dimension(f"ld{name}", value, dense(o, *shape), overlaps=name != "c")
        for name, value, o, shape in zip("abc", (lda, ldb, ldc), orders, _shapes((m, n, k), groups, dtypes))
    )
    for name, given, group, each in zip("ab", leading, groups, dtypes):
        if given is RUNTIME and _is_block(group, each):
            raise UnsupportedError(
                f"ld{name}: must be a number for a layout in blocks of two rows, not RUNTIME, "
                "because it is part of the kernel"
            )
    if type(numerics) is not str or numerics not in NUMERICS:
        numerics = chosen("numerics", numerics, NUMERICS)
    numerics = HALF if dtype == HALVES else numerics
    alpha, beta = (
        _factor(name, value, HALVES if numerics == HALF else dtypes[2])
        for name, value in (("alpha", alpha), ("beta", beta))
    )
    pairs, distances = None, None
    if batch is not None or strides is not None:
        shapes = _shapes((m, n, k), groups, dtypes)
        pairs, distances = pairs_of(batch, strides, lambda: dense_steps(orders, leading, shapes))
    hints = {
        "prefetch": None if prefetch is None else prefetch_of(prefetch),
        "streaming": None if streaming is None else streaming_of(streaming, beta, epilogue),
    }
    made = GemmSpec(m, n, k, dtypes, orders, leading, pairs, alpha, beta, groups, numerics, strides=distances, **hints)  # type: ignore[arg-type]
    return made.counted_checked() if made.counted else made


def _orders(value: Any) -> tuple[str, str, str]:
    """Return the orders of a, b and c, from one letter or three."""
    if isinstance(value, str) and len(value) == 3 and not set(value) - {"C", "F"}:
        return value[0], value[1], value[2]
    three = isinstance(value, (tuple, list))
    for name, each in zip("abc", orders := _triple("order", value)):
        if not isinstance(each, str) or each not in ("C", "F"):
            rule = f'{"order of " + name if three else "order"}: "C" (rows contiguous) or "F" (columns contiguous)'
            rest = "" if three else ', or three letters for a, b and c, as "CFC"'
            raise (ValueError if isinstance(each, str) else TypeError)(f"{rule}{rest}, not {each!r}")
    a, b, c = map(str.__str__, orders)
    return a, b, c


def _triple(name: str, value: Any) -> tuple[Any, Any, Any]:
    if isinstance(value, (tuple, list)):
        if len(value) != 3:
            raise ValueError(f"{name}: one value, or three for a, b and c, not {len(value)}: {value!r}")
        first, second, third = value
        return first, second, third
    return value, value, value


def _element_types(value: Any, epilogue: bool) -> tuple[str, str, str]:
    """Return the types of a, b and c. The result for a single name is cached."""
    return _types_named(value, epilogue) if type(value) is str else _checked_types(value, epilogue)


@cache
def _types_named(value: str, epilogue: bool) -> tuple[str, str, str]:
    return _checked_types(value, epilogue)


def _checked_types(value: Any, epilogue: bool) -> tuple[str, str, str]:
    half = isinstance(value, str) and value == HALVES
    several = isinstance(value, (tuple, list))
    a, b, c = (element_type("dtype", each, HALVES) for each in _triple("dtype", "f16" if half else value))
    types, of_c = (a, b, c), _PRODUCTS.get((a, b), ())
    if not several and of_c:
        return types[0], types[1], of_c[0]
    if types[2] in of_c or (epilogue and "i32" in of_c and types[2] in QUANTIZED):
        return types
    if "i32" in of_c and types[2] in QUANTIZED:
        raise UnsupportedError(
            f"dtype {value!r}: sums of {types[0]} by {types[1]} are i32; a c of {types[2]} needs an "
            "epilogue, which says how they are scaled: epilogue=lambda c, s: c * s, operands="
            '{"s": ("row", "f32")}'
        )
    single = [a for a, b in _PRODUCTS if a == b]
    triples = [
        (*pair, c) for pair, of_c in _PRODUCTS.items() for c in of_c if len({*pair, c}) > 1 and pair not in MIXED_FLOATS
    ]
    raise UnsupportedError(
        f"dtype {value!r}: brgemm supports {', '.join(map(repr, (*single, HALVES)))} "
        f"and the triples {', '.join(map(repr, triples))}; f32, bf16 or f16 by i8, u8, f8e5m2 or "
        "f8e4m3; f32 by bf16 or f16; f8e5m2 by f8e4m3; either way round, with c of f32 or of the 16-bit type, as "
        '("bf16", "i8", "f32")'
    )


def results_of(a: str, b: str) -> tuple[str, ...]:
    """Return the types that a product of these operands may have, the default first; empty if no kernel multiplies
    them."""
    return _PRODUCTS.get((a, b), ())


def product_types(a: str, b: str, c: str | None) -> tuple[str, str, str]:
    """Return the types of a product of these operands, with the default c if none is given."""
    return a, b, c or _PRODUCTS.get((a, b), ("f32",))[0]


def _group(name: str, value: Any, dtype: str) -> int:
    """Return the elements of a group in this layout."""
    if isinstance(value, str) and value == PLAIN:
        return 1
    value = chosen(name, value, LAYOUTS)
    group = GROUP_BYTES // ELEMENT_BYTES[dtype] if dtype in _PACKABLE else 1
    if group > 1 and value in ("vnni", f"vnni{group}"):
        return group
    block = BLOCK_BYTES // ELEMENT_BYTES[dtype] if dtype in _MULTIPLIED else 1
    mmla = f"mmla{COLUMNS}x{block // COLUMNS}" + ("t" if name[0] == "b" else "")
    if block > 1 and value in ("mmla", mmla):
        return block
    possible = f'"{PLAIN}"' + (f', "vnni{group}" or "vnni", which is the same' if group > 1 else "")
    possible += f'; "{mmla}" or "mmla"' if block > 1 else ""
    raise UnsupportedError(f"{name}={value!r}: {dtype} operands may be {possible}")


def _shapes(extents: tuple[int, int, int], groups: Sequence[int], dtypes: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the rows and columns of the arrays of a, b and c, in places. Blocks of b are those of its transpose."""
    m, n, k = extents
    of_a, of_b = (COLUMNS if _is_block(group, dtype) else 1 for group, dtype in zip(groups, dtypes))
    along_a, along_b = (k if group == 1 else in_groups(k, group // of) for group, of in zip(groups, (of_a, of_b)))
    return (-(-m // of_a) if of_a > 1 else m, along_a), (-(-n // of_b), along_b) if of_b > 1 else (along_b, n), (m, n)


def _is_block(group: int, dtype: str) -> bool:
    return group * ELEMENT_BYTES[dtype] == BLOCK_BYTES


def _factor(name: str, value: Any, dtype: str) -> float:
    """Return the number rounded to `dtype`; -0 becomes 0, so that equal factors are equal requests."""
    truth = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"  # of numpy
    if truth or isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name}: a finite number, not {shown(value)}")
    try:
        number = float(value)
        form = {"f64": "<d", HALVES: "<e"}.get(dtype, "<f")
        rounded = float(struct.unpack(form, struct.pack(form, number))[0]) + 0.0
    except OverflowError:
        raise ValueError(f"{name}: finite in {dtype}, not {shown(value)}") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name}: a finite number, not {shown(value)}") from None
    if not math.isfinite(rounded):
        raise ValueError(f"{name}: a finite number, not {shown(value)}")
    if dtype != HALVES and not DTYPES[dtype].real and rounded not in ((1,) if name == "alpha" else (0, 1)):
        allowed = "1" if name == "alpha" else "0 or 1"
        raise UnsupportedError(f"{name}: {allowed} for sums of type {dtype}, not {shown(value)}")
    return rounded


def parameters(spec: GemmSpec) -> list[tuple[str, str]]:
    """Return (C type, name) of each parameter of the kernel's C function.

    An extent that the call gives follows c. STRIDE, and a count with strides=RUNTIME, take strides in bytes; OFFSET
    takes offsets in bytes; ADDRESS takes arrays of pointers. Leading dimensions of the call come last, in elements.
    """
    table = "const *" if spec.batch is ADDRESS else ""
    of_a, of_b, of_c = (DTYPES[dtype].c for dtype in spec.dtypes)
    batch = {
        STRIDE: [("int64_t ", "count"), ("int64_t ", "a_stride"), ("int64_t ", "b_stride")],
        OFFSET: [("const int64_t *", "a_offsets"), ("const int64_t *", "b_offsets"), ("int64_t ", "count")],
        ADDRESS: [("int64_t ", "count")],
    }
    of_batch = [] if spec.batch is None or isinstance(spec.batch, int) else batch[spec.batch]
    if spec.strides is RUNTIME:
        of_batch = batch[STRIDE][1:]
    leading = [("int64_t ", f"ld{name}") for name, value in zip("abc", spec.leading) if value is RUNTIME]
    inputs = [(f"const {of_a} *{table}", "a"), (f"const {of_b} *{table}", "b")]
    counted = [("int64_t ", spec.counted)] if spec.counted else []
    return [*inputs, (f"{of_c} *", "c"), *counted, *of_batch, *leading]
