"""The kernels that a large product calls: they pack blocks of A and B and multiply packed blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...microkernels.choice import Refusal, tried
from ...microkernels.codegen.long_sums import MOST_TERMS, most_of_block
from ...microkernels.dtypes import DTYPES, ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import PLAIN, GemmSpec
from ...microkernels.operands import BYTE, ORIGIN, RUNTIME, Number, Operand
from ..api.brgemm import brgemm, product_spec
from ..kernel.callable import Kernel, kept
from ..loops.code import Address, Affine
from .blocks import L2, fixed, leading_a, leading_b, sums
from .product_nest import EXTRAS, BlockSums, EpilogueArguments, Filling, MatrixStrides, Parts
from .schedules import Blocks

if TYPE_CHECKING:
    from ...microkernels.expr import trace
    from ...microkernels.machines import registry
    from ..api import eltwise, reduce, transforms

trace = lazy(__package__, "...microkernels.expr.trace")
registry = lazy(__package__, "...microkernels.machines.registry")
eltwise = lazy(__package__, "..api.eltwise")
transforms = lazy(__package__, "..api.transforms")
reduce = lazy(__package__, "..api.reduce")


_GROUPED = ("vnni", "mmla", PLAIN)
"""Layouts of B for elements narrower than the accumulators, best first. The first one that the target supports is
used."""


def product_of(spec: Any) -> GemmSpec:
    """Return the product of a request that may have an epilogue."""
    product: GemmSpec = getattr(spec, "product", spec)
    return product


def check_epilogue(name: str, spec: Any) -> None:
    """UnsupportedError for an epilogue that takes more of a call than operands."""
    further = [each.name for each in getattr(spec, "results", ())]
    numbers = [each.name for each in getattr(spec, "numbers", ())]
    if further or numbers:
        what = f"further results ({', '.join(further)})" if further else f"random numbers ({', '.join(numbers)})"
        raise UnsupportedError(
            f"{name}: an epilogue with {what} is not supported; use ts.gemm, or compute it from C "
            "with a second kernel (ts.equation)"
        )


def check_results(name: str, spec: Any) -> None:
    """UnsupportedError for results of an epilogue that blocks cannot write apart from each other."""
    for each in getattr(spec, "results", ()):
        if each.name in spec.statistics:
            raise UnsupportedError(
                f"{name}: {each.name}, a statistic, is not supported, since blocks of C are computed at the same "
                f'time; use ts.brgemm, or ts.reduce("{spec.statistics[each.name]}", ...) of C'
            )


def in_bytes(spec: Any, plan: Blocks) -> Blocks:
    """Return the same blocks, but each with whole bytes of the masks of bits that the epilogue returns."""
    if not getattr(spec, "results", ()) or not spec.elementwise.bits:
        return plan
    return plan.in_units(*((BYTE, 1) if spec.order[2] == "F" else (1, BYTE)))


def settled(request: dict[str, Any]) -> dict[str, Any]:
    """Return the request of a product with what its epilogue reads now. Kernels of blocks are made at the first call,
    and would otherwise tell what it reads then."""
    epilogue, operands = request["epilogue"], request["operands"]
    return {
        **request,
        "epilogue": trace.settled(epilogue) if callable(epilogue) else epilogue,
        "operands": dict(operands) if isinstance(operands, Mapping) else operands,
    }


def places(spec: GemmSpec) -> tuple[MatrixStrides, MatrixStrides, MatrixStrides]:
    """Return the row and column distances of A, B and C."""
    return tuple(
        _place(order, leading, ELEMENT_BYTES[dtype])
        for order, leading, dtype in zip(spec.order, map(fixed, spec.leading), spec.dtypes)
    )  # type: ignore[return-value]


def _place(order: str, leading: int, size: int) -> MatrixStrides:
    return MatrixStrides(leading * size, size) if order == "C" else MatrixStrides(size, leading * size)


def _pages(size: int) -> int:
    """Round `size` bytes up to a whole page."""
    return -(-size // 4096) * 4096


class BlockKernels:
    """The kernels of one product. Each is made when a block of its extents is first met."""

    def __init__(
        self, request: dict[str, Any], spec: Any, blocks: Blocks, target: Target, prepacked: bool = False
    ) -> None:
        self.request, self.blocks, self.target = request, blocks, target
        self.product = product_of(spec)
        self.types: tuple[Any, Any, Any] = self.product.dtypes
        if blocks.widened:
            self.types = ("f32", "f32", self.product.acc_dtype)
        self.packed = self.product.dtypes[1] if prepacked else self.types[1]  # the type of packed blocks of B
        self.step = blocks.lines if prepacked and blocks.widened else blocks.kb  # how deep packed blocks of A are
        self.extras: tuple[Operand, ...] = getattr(spec, "extras", ())
        self.results: tuple[Operand, ...] = getattr(spec, "results", ())
        self.numbers: tuple[Number, ...] = getattr(spec, "numbers", ())
        self.moved: bool = getattr(spec, "moved", False)
        self.bits: frozenset[str] = spec.elementwise.bits if self.results else frozenset()
        self.b_layout = PLAIN
        if ELEMENT_BYTES[self.types[1]] < 4 and blocks.packs_b:
            self.b_layout = next(filter(self._multiplies, _GROUPED), PLAIN)

    def _multiplies(self, layout: str) -> bool:
        """Whether the target multiplies whole blocks by packed blocks of B in this layout. The kernel that is tried is
        one that the nest calls: C may have a type that no kernel without the epilogue writes."""
        blocks, self.b_layout = self.blocks, layout
        if blocks.rb:
            kernel = partial(self.add, blocks.rb, blocks.nb, blocks.kb, True)
        else:
            kernel = partial(self.multiply, blocks.mb, blocks.nb, blocks.kb, True, blocks.kb == blocks.k)
        return not isinstance(tried(layout, kernel), Refusal)

    def _product(self, rows: int, columns: int, depth: int, **request: Any) -> Kernel:
        return brgemm(rows, columns, depth, **self._types(request["b_layout"]), target=self.target, **request)

    def _types(self, b_layout: str) -> dict[str, Any]:
        """Return the arguments that the kernels of all blocks share."""
        lda, ldb, _ = self.product.leading
        of_a = self._leading_a if self.blocks.packs_a else lda
        of_b = self._leading_b(b_layout) if self.blocks.packs_b else ldb
        hint = "a" * self._streams_a + "b" * self._streams_b(b_layout)
        more = {"prefetch": f"{hint}@l1"} if hint else {}
        of_c, ldc = self._rows_of_c
        dtype = self.types if self.blocks.widened else self.request["dtype"]
        return {
            "dtype": dtype,
            "numerics": self.request["numerics"],
            "order": f"CC{of_c}",
            "lda": of_a,
            "ldb": of_b,
            "ldc": ldc,
            **more,
        }

    @property
    def _rows_of_c(self) -> tuple[str, Any]:
        """The order in which kernels store a block of C, and its leading dimension."""
        return ("C", self.blocks.nc) if self.blocks.turned else (self.product.order[2], self.product.leading[2])

    @property
    def _streams_a(self) -> bool:
        """Whether blocks read so few columns that their kernels go along the rows of A, which L2 does not hold. For a
        column-major C, they pack A instead."""
        m, n, k, size = self.product.m, self.product.n, self.product.k, ELEMENT_BYTES[self.product.dtypes[0]]
        in_place = not self.blocks.packs_a and (self.product.order[2] == "C" or self.blocks.turned)
        far = size >= 4 and in_place and m * k * size > (self.target.l2 or L2)
        return far and n <= registry.facts_of(self.target).tuning.gemm.most_along_k_rows

    def _streams_b(self, layout: str) -> bool:
        """Whether kernels prefetch blocks of B that were packed in advance; those of matrix units do not."""
        return self.blocks.fetched and layout != "mmla"

    def _leading_b(self, layout: str) -> int | None:
        """Return the columns between rows of a packed block of B; None: as many as the block has."""
        return leading_b(self.blocks, self.product) if layout == "vnni" else None

    @property
    def group(self) -> int:
        """The number of rows of a packed block of B that lie side by side."""
        return 4 // ELEMENT_BYTES[self.types[1]] if self.b_layout == "vnni" else 1

    @property
    def bytes_own(self) -> int:
        """The bytes of scratch memory per worker, rounded up to whole pages: for a block of A, for the sums, and for a
        block of B if the worker packs its own."""
        own = self.step * self._columns * 4 if self.packed != self.types[1] else self.bytes_b
        return _pages(self._before_b + (own if self.blocks.own_b else 0))

    @property
    def _before_b(self) -> int:
        """The bytes for a block of A and for the sums."""
        return self._bytes_a + sum(sums(self.blocks, self.product))

    @property
    def _bytes_a(self) -> int:
        """The bytes for a block of A."""
        size = self.blocks.mb * self._leading_a * ELEMENT_BYTES[self.types[0]]
        return size if self.blocks.packs_a else 0

    @property
    def sums(self) -> BlockSums | None:
        """The sums of blocks, if they stay in scratch memory."""
        if not self.blocks.rb:
            return None
        of_a, size = (ELEMENT_BYTES[each] for each in (self.types[0], self.product.acc_dtype))
        reads_c = self.request["beta"] != 0
        return BlockSums(self._bytes_a, self._before_b, size, self._leading_a * of_a, reads_c, self.add, self.finish)

    @property
    def _leading_a(self) -> int:
        """The elements between rows of a packed block of A, the same for blocks of all depths."""
        return leading_a(self.step, ELEMENT_BYTES[self.types[0]])

    @property
    def bytes_b(self) -> int:
        """The bytes from a packed block of B to the next one."""
        return self._columns * self._column

    @property
    def _columns(self) -> int:
        """The columns of a packed block of B, including the padding of its rows."""
        return self._leading_b(self.b_layout) or self.blocks.nb

    @property
    def _column(self) -> int:
        depth = -(-self.blocks.deep(self.blocks.kb) // self.group) * self.group
        return depth * ELEMENT_BYTES[self.packed]

    @property
    def bytes_packed(self) -> int:
        """The bytes of scratch memory for B that all workers share, rounded up to whole pages."""
        if self.blocks.of_k:
            return _pages(-(-self.blocks.k // self.blocks.of_k) * self.bytes_part)
        if not self.blocks.packs_b or self.blocks.own_b:
            return 0
        steps = -(-self.blocks.k // self.blocks.kb) if self.blocks.rb else 1
        return _pages(steps * -(-self.blocks.nc // self.blocks.nb) * self.bytes_b)

    @property
    def bytes_part(self) -> int:
        """The bytes from the sums of a part of k to those of the next: a multiple of the steps of a part."""
        if not self.blocks.of_k:
            return 0
        size = self.blocks.m * self.blocks.n * ELEMENT_BYTES[self.product.acc_dtype]
        return -(-size // self.blocks.of_k) * self.blocks.of_k

    def rooms(self) -> tuple[int, int, int]:
        """Return the bytes of a block of A, of B and of C as `multiply` takes them."""
        blocks, (lda, ldb, _), (order, ldc) = self.blocks, self.product.leading, self._rows_of_c
        of_a, of_b, of_c = (ELEMENT_BYTES[each] for each in self.types)
        b = self.bytes_b if blocks.packs_b else blocks.kb * fixed(ldb) * of_b
        return (
            self._bytes_a or blocks.mb * fixed(lda) * of_a,
            b,
            (blocks.mb if order == "C" else blocks.nb) * fixed(ldc) * of_c,
        )

    def parts(self) -> Parts:
        """Return the kernels that the nest calls."""
        return Parts(
            self.pack_a,
            self.pack_b,
            self.multiply,
            self.epilogue_at,
            self.fill_a,
            self.fill_b,
            self.widen,
            self.total,
            self.turn if self.blocks.turned else None,
            self._bytes_a + sums(self.blocks, self.product)[0],
        )

    def pack_a(self, rows: int, depth: int) -> Kernel:
        """Return the kernel that packs a block of A into contiguous rows."""
        return self._packed(
            rows,
            depth,
            self.product.order[0],
            self.product.leading[0],
            (self.product.dtypes[0], self.types[0]),
            self._leading_a,
        )

    def pack_b(self, depth: int, columns: int) -> Kernel:
        """Return the kernel that packs a block of B."""
        dtype: Any
        dtype, order, ldb = self.product.dtypes[1], self.product.order[1], self.product.leading[1]
        if self.b_layout == PLAIN:
            return self._packed(depth, columns, order, ldb, (dtype, self.packed), columns)
        given: dict[str, Any] = {"dtype": dtype, "ldx": ldb, "target": self.target}
        if (leading := self._leading_b(self.b_layout)) is not None:
            given["ldy"] = self.group * leading
        if order == "C":
            return transforms.transform(f"vnni{self.group}", depth, columns, **given)
        return transforms.transform(f"vnni{self.group}t", columns, depth, **given)

    def widen(self, depth: int, columns: int) -> Kernel:
        """Return the kernel that converts a part of a block of B that was packed in advance."""
        given: dict[str, Any] = {"dtype": self.product.dtypes[1], "out": "f32", "target": self.target}
        return eltwise.unary("identity", depth, columns, **given)

    def total(self, width: int) -> Kernel:
        """Return the kernel that adds the sums of all parts of k, for so many elements of C."""
        parts, size = -(-self.blocks.k // self.blocks.of_k), ELEMENT_BYTES[self.product.acc_dtype]
        return reduce.reduce(
            "sum", parts, width, axis=0, dtype=self.types[2], ldx=self.bytes_part // size, target=self.target
        )

    def turn(self, rows: int, columns: int) -> Kernel:
        """Return the kernel that transposes a block of C from scratch memory."""
        dtype: Any = self.product.dtypes[2]
        return transforms.transpose(
            rows, columns, dtype=dtype, ldx=self.blocks.nc, ldy=self.product.leading[2], target=self.target
        )

    def fill_a(self, rows: int, depth: int) -> Filling | None:
        """Return the zeros after the rows of a packed block of A, or None if its depth needs no filling."""
        dtype = self.product.dtypes[0]
        return self._zeros(rows, self.blocks.deep(depth) - depth, self._leading_a, depth * ELEMENT_BYTES[dtype], dtype)

    def fill_b(self, depth: int, columns: int) -> Filling | None:
        """Return the zeros below a packed block of B, or None. Its last packed row group is filled up already."""
        group, dtype = self.group, self.product.dtypes[1]
        leading = (self._leading_b(self.b_layout) or columns) * group
        packed, whole = (-(-each // group) for each in (depth, self.blocks.deep(depth)))
        return self._zeros(whole - packed, columns * group, leading, packed * leading * ELEMENT_BYTES[dtype], dtype)

    def _zeros(self, rows: int, columns: int, leading: int, begin: int, dtype: Any) -> Filling | None:
        if not rows or not columns:
            return None
        given = {"dtype": dtype, "ldx": leading, "ldy": leading, "target": self.target}
        return Filling(begin, eltwise.unary("zero", rows, columns, **given))

    def _packed(self, rows: int, columns: int, order: str, leading: Any, types: tuple[Any, Any], apart: int) -> Kernel:
        given: dict[str, Any] = {"dtype": types[0], "ldx": leading, "ldy": apart, "target": self.target}
        if types[0] != types[1]:
            return eltwise.unary("identity", rows, columns, **given, order="FC" if order == "F" else "CC", out=types[1])
        if order == "C":
            return eltwise.unary("identity", rows, columns, **given)
        return transforms.transpose(columns, rows, **given)

    def multiply(self, rows: int, columns: int, depth: int, first: bool, last: bool) -> Kernel:
        """Return the kernel that multiplies packed blocks of A and B into C. The first block of k applies beta, the
        last one the epilogue."""
        asked, beta, depth = self.request, self.request["beta"] if first else 1.0, self.blocks.deep(depth)
        if not last or asked["epilogue"] is None:
            more = {"b_layout": self.b_layout, "alpha": asked["alpha"], "beta": beta}
            if not self._late(first, depth):
                return self._product(rows, columns, depth, **more)
            spec: Any = product_spec(rows, columns, depth, **self._types(self.b_layout), **more)
            return kept(replace(spec, late=True), self.target)
        lying = {**self._types(self.b_layout), "b_layout": self.b_layout}
        found = self._with_epilogue(rows, columns, depth, beta, lying)
        return kept(replace(found, late=True) if self._late(first, depth) else found, self.target)

    def _late(self, first: bool, depth: int) -> bool:
        """Whether a block of k adds C to its finished sum, because C has the sums of many other blocks. The first block
        does if it has many terms itself."""
        real = DTYPES[self.product.acc_dtype].real
        return real and self.product.k > MOST_TERMS and (not first or depth > most_of_block(True))

    def _with_epilogue(self, rows: int, columns: int, depth: int, beta: float, lying: dict[str, Any]) -> Any:
        """Return the request for a block with an epilogue; without one, C is only rounded."""
        asked = self.request
        spec: Any = product_spec(
            rows,
            columns,
            depth,
            alpha=asked["alpha"],
            beta=beta,
            **lying,
            epilogue=asked["epilogue"] or (lambda c: c),
            operands=asked["operands"],
            out=asked.get("out"),
            origin=RUNTIME if self.numbers else None,
            accuracy=asked["accuracy"],
        )
        extras = tuple(
            each if each.vector else each._replace(view=whole.view)
            for each, whole in zip(spec.extras, self.extras, strict=True)
        )
        pairs = zip(spec.results, self.results, strict=True)
        return replace(spec, extras=extras, results=tuple(each._replace(view=whole.view) for each, whole in pairs))

    def _finishing(self, rows: int, columns: int) -> Any:
        """Return the request for a block of C whose sums stay in scratch memory, as a product with an epilogue."""
        lying = {name: self.request[name] for name in ("dtype", "numerics")}
        return self._with_epilogue(
            rows, columns, self.blocks.kb, self.request["beta"], {**lying, "ldc": self._rows_of_c[1]}
        )

    def add(self, rows: int, columns: int, depth: int, first: bool) -> Kernel:
        """Return the kernel that adds the product of packed blocks of A and B to the sums, or writes the first one."""
        a, b, _ = self.types
        request = {
            **self._types(self.b_layout),
            "b_layout": self.b_layout,
            "dtype": (a, b, self.product.acc_dtype),
            "ldc": self.blocks.nc,
            "alpha": self._finishing(rows, columns).product.alpha,
        }
        beta, depth = 0.0 if first else 1.0, self.blocks.deep(depth)
        if not self._late(first, depth):
            return brgemm(rows, columns, depth, **request, beta=beta, target=self.target)
        spec: Any = product_spec(rows, columns, depth, **request, beta=beta)
        return kept(replace(spec, late=True), self.target)

    def finish(self, rows: int, columns: int) -> Kernel:
        """Return the kernel that computes C from the sums: k(sums, further operands of the epilogue, the old C if beta
        needs it, C). Without an epilogue, C is rounded exactly as the product alone rounds it."""
        walk: Any = self._finishing(rows, columns).elementwise
        found, *others = walk.inputs
        found = found._replace(view=found.view._replace(leading=self.blocks.nc))
        numerics = walk.numerics if self.request["epilogue"] else "fast"
        return kept(replace(walk, inputs=(found, *others), numerics=numerics), self.target)

    def epilogue_at(self, i: Affine, j: Affine) -> EpilogueArguments:
        """Return what the epilogue of the block at (i, j) is given. Random numbers follow from the place in C, or in a
        larger matrix where C begins at a place that the call gives."""
        operands = [self._extra_at(EXTRAS + place, each, i, j) for place, each in enumerate(self.extras)]
        behind = EXTRAS + len(operands)
        numbers = [Address(behind + place) for place in range(len(self.numbers))]
        behind += len(numbers)
        results = [self._extra_at(behind + place, each, i, j) for place, each in enumerate(self.results)]
        if self.moved:
            origin = numbers[-len(ORIGIN) :]
            numbers[-len(ORIGIN) :] = [Address(each.operand, at) for each, at in zip(origin, (i, j))]
            return EpilogueArguments(tuple(operands), tuple(numbers), tuple(results))
        return EpilogueArguments(tuple(operands), (*numbers, i, j) if numbers else (), tuple(results))

    def _extra_at(self, place: int, extra: Operand, i: Affine, j: Affine) -> Address:
        if extra.name in self.bits:  # a line of the mask along each row of C, or along each column
            across, along = (i, j) if extra.view.order == "C" else (j, i)
            assert isinstance(extra.view.leading, int)
            return Address(place, across * extra.view.leading, along)
        size = ELEMENT_BYTES[extra.dtype]
        rows, columns = (0 if extent == 1 else 1 for extent in (extra.rows, extra.columns))
        apart = extra.view.leading if rows and columns and isinstance(extra.view.leading, int) else 1
        row, column = (apart, 1) if extra.view.order == "C" else (1, apart)
        return Address(place, i * (rows * row * size) + j * (columns * column * size))
