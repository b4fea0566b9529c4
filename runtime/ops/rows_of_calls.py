"""Products of any number of rows on all cores: what `Gemm` and `Linear` of m=ts.RUNTIME have of their own.

    C (rows, n) = f(beta * C + alpha * A (rows, k) @ B (k, n))

The nest is that of grouped products (`row_nest`): blocks of B, each multiplied by pieces of rows, and the epilogue on
the sums of a piece. Which rows and columns a piece has is in a table that each call fills, so that other numbers of
rows need no code, and any number of threads gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import BYTE, ORIGIN, RUNTIME, Operand
from ...microkernels.tuning.products import GROUPS
from ..api.brgemm import product_spec
from ..arguments.arrays import Array, address_of
from ..arguments.epilogue import BEHIND
from ..fastcall.guards import ConstantValue
from ..kernel.callable import LONG
from ..kernel.kinds import kind_of
from ..kernel.request_cache import RECENT
from ..loops.blob import Blob
from ..loops.job import Job, JobWord, job_of, parameter, scratch, scratch_words
from ..loops.scratch import KEPT, buffer, slots
from ..loops.text import text
from ..threads import called
from ..threads.called_code import JobTable
from .blocks import fixed, lanes_of
from .product_parts import check_results
from .row_kernels import GIVEN, OWN_ORIGIN, Finishing, PackedBlockOfB, RowKernels, Steps, packed_block
from .row_nest import EXTRAS, OWN, TABLE, A, B, C, RowsNest, row_table

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.gemm.spec import GemmSpec
    from ..kernel.kind import Kind


class BlocksForRows(NamedTuple):
    """How a product of any number of rows is cut.

    nb, kb   the columns and steps of k of a block of B
    layout   of a packed block
    rows     the most rows of a piece
    """

    nb: int
    kb: int
    layout: str
    rows: int
    whole: int = 1

    def __str__(self) -> str:
        return (
            f"blocks of B of {self.kb} x {self.nb}, {self.layout}, each multiplied by pieces of at most {self.rows} "
            "rows, as many as the call has"
        )


def check_counted(m: object, n: object, k: object, order: object = "C") -> None:
    """Raise UnsupportedError for columns or a depth that each call would give, or for rows of a column-major C."""
    if m is RUNTIME and str(order).endswith("F"):
        raise UnsupportedError(
            'm=ts.RUNTIME: c of order "C", whose rows are dealt out in pieces, not "F"; ts.brgemm takes it'
        )
    turned = "; the transpose of the product, of b.T and a.T, has n as rows, m=ts.RUNTIME"
    for name, value in (("n", n), ("k", k)):
        if value is RUNTIME:
            raise UnsupportedError(
                f"{name}: must be a number, not ts.RUNTIME, for blocks of B are packed; ts.brgemm takes "
                f"{name}=ts.RUNTIME{turned if name == 'n' else ''}"
            )


class OfAnyRows:
    """The methods of a product whose number of rows each call gives. It is mixed into `Gemm` and `Linear`."""

    spec: Any
    product: GemmSpec
    target: Target
    flops: int
    threads: int | None
    kind: Kind
    _base: type
    """The class whose native type handles calls."""
    _settled: dict[str, Any]
    _prepacked: bool
    _names: tuple[str, ...]
    _stem: str

    def _check_rows(self) -> None:
        """Raise UnsupportedError for what no block of any number of rows computes."""
        check_results(self._stem, self.spec)

    @cached_property
    def plan(self) -> BlocksForRows:
        """The blocks of B, which do not depend on the number of rows, and the pieces of rows."""
        block = self.kernels.block
        return BlocksForRows(block.columns, block.depth, block.layout, self.nest.rows)

    @cached_property
    def finishing(self) -> Finishing | None:
        """What makes C of the sums of a piece; None if the sums are C."""
        product, spec = self.product, self.spec
        narrow = product.dtypes[2] != product.acc_dtype
        if not narrow and spec is product:
            return None
        asked = {name: value for name, value in self._settled.items() if name != "target"}
        placed = spec is not product and spec.elementwise.placed
        if asked["epilogue"] is None:
            asked["epilogue"] = lambda c: c
        found: Any = product_spec(**{**asked, "origin": RUNTIME if placed else None})
        walk = found.elementwise
        return Finishing(
            walk,
            tuple(_steps(each, False) for each in found.extras),
            not found.scratch,
            tuple(_steps(each, each.name in walk.bits) for each in found.results),
            len(found.numbers) - len(ORIGIN) * placed,
            (GIVEN if spec.moved else OWN_ORIGIN) if placed else "",
            bool(found.scratch and found.beta),
            found,
        )

    @cached_property
    def kernels(self) -> RowKernels:
        """The kernels of the blocks; each is made when it is first asked for."""
        product = self.product
        a, b, _ = product.dtypes
        types = a, b, product.acc_dtype
        block = packed_block(product.n, product.k, types, self.target)
        if self.finishing is not None and self.finishing.walk.bits:
            block = PackedBlockOfB(min(product.n, -(-block.columns // BYTE) * BYTE), *block[1:])
        lda, ldb, ldc = map(fixed, product.leading)
        direct = self.finishing is None or self.finishing.in_place
        factors = product.beta if direct else 0.0, product.alpha
        order = product.order[1]
        return RowKernels(product.n, product.k, types, lda, order, ldb, ldc, direct, block, self.target, *factors)

    @cached_property
    def nest(self) -> RowsNest:
        """The loop nest."""
        a, b, c = (
            Steps(fixed(leading) * size, size) if order == "C" else Steps(size, fixed(leading) * size)
            for order, leading, size in zip(
                self.product.order, self.product.leading, map(ELEMENT_BYTES.__getitem__, self.product.dtypes)
            )
        )
        return RowsNest(self.kernels, a, b, c, self.finishing, self._prepacked)

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        stem = self.spec.stem.replace("brgemm", self._stem, 1)
        return job_of((self.nest, self.spec), self.nest.nodes, self.target, stem)

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    @cached_property
    def _scratch(self) -> tuple[int, int]:
        return 0, self.nest.scratch.bytes

    @property
    def bytes_own(self) -> int:
        """The bytes of scratch memory per worker."""
        return self._scratch[1]

    @cached_property
    def cycles(self) -> int:
        """The approximate cycles of one thread for a row."""
        return max(1, int(self.flops / (GROUPS.per_cycle * lanes_of(self.product, self.target))))

    def table(self, rows: int) -> Array:
        """Return the words that the code reads for so many rows: the pieces, and how they are dealt out. A C program
        passes their address."""
        return self._tables(rows)

    @cached_property
    def _tables(self) -> Callable[[int], Array]:
        nest = self.nest

        def made(rows: int) -> Array:
            ends = np.array([rows], np.int64)
            return row_table(ends, self.product.n, nest.kernels.block.columns, nest.rows)

        return lru_cache(made)

    def _run(self, integers: Sequence[int], workers: int) -> None:
        a, b, c, rows, *extras = integers
        if not rows:
            return
        self._seen(rows)
        table, (_, own) = self.table(rows), self._scratch
        if not own:
            self.job.run((a, b, c, 0, address_of(table), *extras), workers, cycles=rows * self.cycles)
            return
        with buffer(workers * own) as memory:
            words = a, b, c, memory.address, address_of(table), *extras
            self.job.run(words, workers, cycles=rows * self.cycles)

    def _emulated(self, integers: Sequence[int], workers: int, seed: int) -> None:
        a, b, c, rows, *extras = integers
        table, memory = self.table(rows), scratch(workers * self._scratch[1])
        operands = a, b, c, address_of(memory) if memory.size else 0, address_of(table), *extras
        regions = [*self._regions(integers), ("scratch memory", memory), ("table", table, False)]  # type: ignore[attr-defined]
        self._emulate(self._blob, operands, regions, workers, seed)  # type: ignore[attr-defined]

    def _install(self) -> None:
        """Each number of rows has an object of its own whose calls machine code handles: `_inner_of`."""
        self._installed = True

    @cached_property
    def _inners(self) -> dict[int, tuple[Callable[..., object] | None, Array] | None]:
        """Those objects by their number of rows, each with its table; None for numbers that came once."""
        return {}

    def _inner_of(self, x: object) -> Callable[..., object] | None:
        """Return the object whose calls with as many rows as x machine code handles, or None. There is one from the
        second call of a number of rows on."""
        shape = getattr(x, "shape", None)
        rows = shape[0] if shape else 0
        if not rows or rows not in self._inners:
            return None
        found = self._inners[rows]
        if found is None:
            found = self._inners[rows] = self._made_inner(rows)
        return found[0]

    def _made_inner(self, rows: int) -> tuple[Callable[..., object] | None, Array]:
        """Return the object of this number of rows and its table. Its calls are checked as those of the product of that
        number, and its job gets the address of the table as one more operand."""
        spec, table, cycles = self.spec.of(rows), self.table(rows), rows * self.cycles
        kind = kind_of(spec)
        found = kind.entry(spec, "always" if cycles > LONG else "never", 0)
        if found is None:
            return None, table
        structure, values = found
        constant = ConstantValue("table", len(values))
        structure = structure._replace(
            guards=(*structure.guards, constant), parameters=(*structure.parameters, "table")
        )
        behind = len(kind.parameters(spec)) - BEHIND
        operands = JobTable((A, B, C, *range(EXTRAS, EXTRAS + behind), TABLE), None, OWN, EXTRAS + behind)
        own = self._scratch[1]
        threads = self.threads
        made = called.Called(self.job.block.address, cycles, threads, 0, own, slots(), KEPT, operands)

        def install(target: object, slow: Callable[..., object]) -> bool:
            slow.keep = self.job.block  # type: ignore[attr-defined]
            return called.install(target, (structure, [*values, address_of(table)]), made, self.target, slow)

        inner: Callable[..., object] | None = called.inner(self._base, install)
        return inner, table

    def _seen(self, rows: int) -> None:
        """Note a call of so many rows."""
        if len(self._inners) >= RECENT:
            self._inners.clear()
        self._inners.setdefault(rows, None)

    def _operand_words(self) -> list[JobWord]:
        """Return the words behind those of the matrices."""
        table = JobWord("const int64_t *table: what table(rows) returns for the number of rows")
        behind = [parameter(*each) for each in self.kind.parameters(self.spec)[4:]]
        return [scratch_words(*self._scratch)[1], table, *behind]

    def _words(self) -> list[JobWord]:
        matrices = [parameter(*each) for each in self.kind.parameters(self.spec)[:3]]
        return [*matrices, *self._operand_words()]

    @property
    def job_call(self) -> NoReturn:
        """Raises UnsupportedError: programs of several steps have steps of their own for any number of rows."""
        raise UnsupportedError(
            "m: must be a number in a step of a program; ts.graph compiles programs of any number of rows"
        )

    def by_weights(self, *_: object, **__: object) -> NoReturn:
        """Raises UnsupportedError: compressed weights are multiplied by a known number of rows."""
        raise UnsupportedError(
            "w: compressed weights are multiplied by a known number of rows; ts.matmul(x, weights) takes any x"
        )

    def __str__(self) -> str:
        """Return the request, the blocks, and the loops with their calls as text."""
        names = [*self._names, "own scratch", "table"]
        names += [name for _, name in self.kind.parameters(self.spec)[4:]]
        head = f"{self._stem} {self._title()} for {self.target.name}"  # type: ignore[attr-defined]
        return "\n".join([head, f"  {self.plan}", *text(self._blob.nodes, dict(enumerate(names)), "  ")])


class CalledByRows(OfAnyRows):
    """The same, with the calls of `Gemm`."""

    def __call__(self, *args: object, **named: object) -> object:
        """Compute the product, through machine code where that handles calls of as many rows."""
        inner = None if named or not args else self._inner_of(args[0])
        made = NotImplemented if inner is None else inner(*args)
        if made is not NotImplemented:
            return made
        checked: Callable[..., object] = super().__call__  # type: ignore[misc]
        return checked(*args, **named)


def _steps(operand: Operand, bits: bool) -> Steps:
    """Return where an operand of the epilogue lies: the bytes between rows and columns, 0 if all have the same one. The
    columns of a mask are bits."""
    size, leading = ELEMENT_BYTES[operand.dtype], operand.view.leading
    assert isinstance(leading, int)
    rows, columns = operand.rows > 1, operand.columns > 1
    apart = leading if columns or bits else 1
    return Steps(rows * apart * size, 0 if bits else columns * size, bits=bits)
