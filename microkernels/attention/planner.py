"""The blocking of attention: for each head and block of queries, the keys are processed block by block.

    for each block of queries:    Q' = scale q, transposed, with a vector of queries for each of `size`
        for each block of keys:   S' = K Q'             scores, with a vector of queries for each key
                                  softmax step          S' becomes powers; maxima and sums are vectors of queries
                                  O' = O' correction + V' S'
        out = O' / sums, transposed

All vectors run along queries. So k and v need no packing: each of their elements is broadcast to a vector of queries.
Maxima and sums need no reduction across a register, and any number of keys is a whole number of vectors. The products
use the register blocks of microkernels/gemm. Transposing, scaling and correcting are elementwise kernels. All of them
are emitted inside one kernel. Scratch memory holds Q', S' and O' of one block. With the causal mask, blocks of keys
after all queries of a block are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..choice import Plan
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..eltwise.spec import EltwiseSpec
from ..expr.graph import Expr, constant, operand, program, select
from ..expr.trace import results
from ..functions.limits import coefficients
from ..gemm.long_products import in_blocks
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec
from ..operands import Operand, View
from .blocks import SCRATCH_BYTES, AttentionSchedule, QueryBlocks, ScratchOffsets, blocks_of, pieces
from .laid_by import blocks_laid_by, folded, laid, lengths
from .plan import AttentionPlan
from .requests import COPIES, elementwise, elementwise_of, of_product, product_of, scaled
from .scores import parts_of_scores
from .softmax import ALONE, LEAST, NEIGHBOURS, Softmax, SoftmaxCode, steps
from .spec import AttentionSpec


def _divided(o: Expr, r: Expr) -> Expr:
    return o * r


class AttentionPlanner:
    """Plans the parts of a request on a machine, for blocks of some queries and keys."""

    def __init__(self, spec: AttentionSpec, facts: Facts, rows: int, keys: int) -> None:
        self.spec, self.facts, self.rows = spec, facts, rows
        self.size = ELEMENT_BYTES[spec.compute]
        self.paired = self._pairs()
        self.vector = min(facts.widths[0] // 8 // self.size, rows)
        most = max(1, min(self.keys_that_fit(keys), keys, spec.keys))
        self.keys = keys if spec.causal else self.even(most) if not spec.seen else 1 << most.bit_length() - 1
        self.step = -(-rows // 2 // self.vector) * self.vector
        self.softmax = Softmax(spec.compute, spec.accuracy, spec.natural, facts)

    schedule = AttentionSchedule.BLOCKS
    converted = False
    """Whether products of bf16 are products of f32, on converted operands."""
    summed = "v"
    """The operand in memory of the product that sums over keys."""
    upright = False
    """Whether the lines of a block of scores are queries, and not keys."""

    def leading(self, name: str) -> int:
        """Return the elements between neighbouring queries or keys, as the parts read or store them."""
        return self.spec.row_step(name)

    @property
    def packed(self) -> bool:
        """Whether Q' and the powers hold neighbours along the sum side by side."""
        return self.paired and not self.converted

    @property
    def piece(self) -> int:
        """The keys of a product, if a block of keys is multiplied in pieces; 0: in one piece."""
        return 0

    @property
    def laid_by(self) -> int:
        """The blocks of keys after which sums are laid by, or 0."""
        return blocks_laid_by(self.spec.keys, self.keys, self.piece or self.keys)

    @property
    def far(self) -> dict[str, int]:
        """The bytes of the places of what is laid by."""
        return lengths(self.spec.size, self.rows * self.size * bool(self.laid_by))

    @property
    def vectors(self) -> list[int]:
        """Elements per register, the widest register first, and at most those of a block."""
        return [min(width // 8 // self.size, self.rows) for width in self.facts.widths]

    def _pairs(self) -> bool:
        """Whether products take pairs of neighbours along the sum. The forward pass in bf16 does."""
        return self.spec.dtype == "bf16"

    def plan(self) -> AttentionPlan:
        """Return the plan. Raises UnsupportedError if a part has none."""
        spec, facts = self.spec, self.facts
        blocks = self.blocks()
        code = self.code()
        outside = ("queries", "out", *(["finished"] if spec.lse else []))  # parts that read or store operands
        products: dict[tuple[str, int, int], GemmPlan] = {}
        parts: dict[tuple[str, int, int], Any] = {}
        for each in blocks:
            for rows, stored, keys in self.parts(each):
                for _, piece in pieces(keys, self.piece):
                    products["scores", rows, piece] = self._scores(rows, piece)
                    products["sums", rows, piece] = self._sums(rows, piece)
                parts["corrected", rows, 0] = self._corrected(rows)
                parts |= parts_of_scores(self, rows, stored, keys)
            for rows, stored in self.queries_of(each):
                for name, made in self._elementwise_parts().items():
                    size = stored if name in outside else rows
                    parts[name, size, 0] = made(size)
        operations = code.largest.operations + code.powers.operations
        cycles = (
            operations * max(1.0, 2 * facts.fma_cycles(facts.widths[0])) / facts.tuning.eltwise.instructions_per_cycle
        )
        places = self._places(products.values())
        return AttentionPlan(
            spec,
            self.rows,
            self.keys,
            self.vector,
            self.step,
            places,
            blocks,
            code,
            tuple(products.items()),
            tuple(parts.items()),
            cycles,
            piece=self.piece,
            laid_by=self.laid_by,
            schedule=self.schedule,
        )

    def code(self) -> SoftmaxCode:
        """Return the code of the softmax step."""
        spec, facts = self.spec, self.facts
        left = facts.vector_registers - facts.needs_mask_register(3, self.size)
        factor = self._factor if self.scaled_later else None
        rounded = "" if not self.paired else ALONE if self.converted else NEIGHBOURS
        unroll = facts.tuning.attention.unroll
        return steps(self.softmax, spec.row_mask, rounded, left, unroll, factor, bool(spec.rate))

    # Methods that differ on tiles

    def blocks(self) -> tuple[QueryBlocks, ...]:
        """Return the blocks of queries in order."""
        return tuple(blocks_of(self.spec, self.rows, self.keys, self.vectors))

    def queries_of(self, block: QueryBlocks) -> list[tuple[int, int]]:
        """Return the queries that are prepared and finished together, and how many of them exist."""
        return [(block.rows, block.stored)]

    def parts(self, block: QueryBlocks) -> list[tuple[int, int, int]]:
        """Return the queries that are multiplied by a block of keys together, how many of them exist, and the keys."""
        walked = [(block.rows, keys) for keys in block.lengths(self.keys)]
        every = (*walked, *((rows, keys) for _, rows, keys in block.parts(self.step)))
        return [(rows, rows - block.beyond, keys) for rows, keys in every]

    def even(self, most: int) -> int:
        """Return the keys per block: `most`, or slightly fewer if all keys are then a whole number of blocks, which
        avoids code for a remainder. Pairs of keys are not split."""
        sizes = range(most, most * 3 // 4, -1)
        whole = (size for size in sizes if self.spec.keys % size == 0 and not (self.paired and size % 2))
        return next(whole, most)

    def keys_that_fit(self, wanted: int) -> int:
        """Return the number of keys per block that fit into scratch memory."""
        left = SCRATCH_BYTES - 2 * self.rows * self.spec.size * self.size - 1024
        return left // (self.rows * self.size * (len(self.beside) + (2 if self.paired else 1)))

    @property
    def beside(self) -> tuple[str, ...]:
        """The blocks that lie beside the scores."""
        spec = self.spec
        mask = spec.of_pairs and not spec.begins_as_mask
        return ("beside",) * mask + ("kept",) * bool(spec.rate)

    def bytes_beside(self, rows: int, keys: int) -> tuple[int, int]:
        """Return the bytes of `beside` and `kept`."""
        block = rows * keys * self.size
        return block * ("beside" in self.beside), block * ("kept" in self.beside)

    @property
    def scaled_later(self) -> bool:
        """Whether scores are scaled in the softmax step, instead of in their product or in Q'."""
        return False

    @property
    def order_of_sums(self) -> tuple[str, int]:
        """The order of the second product, and the leading dimension of its operand in memory."""
        return "FCF", self.leading(self.summed)

    def more_places(self, products: Iterable[GemmPlan]) -> tuple[int, int]:
        """Return the bytes of `values` and `tiles`."""
        return 0, 0

    def asked(self, spec: GemmSpec) -> GemmPlan:
        """Return the plan of a product."""
        return product_of(spec, self.facts)

    def _places(self, products: Iterable[GemmPlan]) -> ScratchOffsets:
        line, at, found = self.rows * self.size, 0, list[int]()
        window = 2 * self.vector * self.size if self.spec.causal else 0
        powers = -(-self.keys // 2) * line if self.packed else 0
        own = powers, self.spec.size * line, line, line, line, window, *self.bytes_beside(self.rows, self.keys)
        more = *own, *self.far.values(), *self.more_places(products)
        for length in (self._steps * line, self.keys * line, *more):
            found.append(at)
            at += -(-length // 64) * 64
        places = ScratchOffsets._make([*found, at])
        return places if self.packed else places._replace(powers=places.scores)

    @property
    def _steps(self) -> int:
        """The number of rows of Q'. A row holds one element of each query, or two neighbouring elements."""
        return -(-self.spec.size // 2) if self.packed else self.spec.size

    # Products, column-major: vectors run along queries

    def _scores(self, rows: int, keys: int) -> GemmPlan:
        spec = self.spec
        alpha = self._factor if self.paired and not self.scaled_later else 1.0
        beta = 1.0 if spec.begins_as_mask else 0.0
        asked = of_product(
            rows,
            keys,
            spec.size,
            order="FFF",
            lda=self.rows,
            ldb=self.leading("k"),
            ldc=self.rows,
            alpha=alpha,
            beta=beta,
            **self._types,
        )
        return self.asked(asked)

    def _sums(self, rows: int, keys: int) -> GemmPlan:
        order, leading = self.order_of_sums
        asked = of_product(
            rows, self.spec.size, keys, order=order, lda=self.rows, ldb=leading, ldc=self.rows, **self._types
        )
        return self.asked(in_blocks(asked, self.spec.keys))

    @property
    def _types(self) -> dict[str, Any]:
        """The types of products. In bf16, Q' and the powers have neighbours along the sum side by side. In f16 they are
        f32, and k and v are multiplied by them without a copy."""
        dtype = self.spec.dtype
        if self.packed:
            return {"dtype": (dtype, dtype, self.spec.compute), "a_layout": "vnni", "numerics": "fast"}
        return {"dtype": (self.spec.compute, dtype, self.spec.compute)}

    @property
    def _factor(self) -> float:
        """The factor of scores: the scale, times log2(e) if scores are in units of log 2. The product is made in f64 of
        log2(e) in f64, and rounded once, where it becomes a constant of the kernel."""
        return self.spec.scale * (1.0 if self.softmax.natural else coefficients("f64").LOG2E)

    # Elementwise parts

    def _elementwise_parts(self) -> dict[str, Callable[[int], Any]]:
        laying = {"folded": self._folded, "laid": self._laid} if self.laid_by else {}
        return {
            "queries": self._queries,
            "start": self._start,
            "begun": self._begun,
            "finished": self._finished,
            "out": self._out,
            **laying,
        }

    def _chosen(self, spec: EltwiseSpec) -> Plan:
        """Return the fastest plan that claims no scratch memory of its own."""
        return elementwise_of(spec, self.facts)

    def _queries(self, rows: int) -> Any:
        """Plan q transposed, and scaled if the products are not."""
        spec, factor = self.spec, self._factor
        if self.packed:
            leading = {"ldq": self.leading("q"), "ldy": 2 * self.rows}
            return self._chosen(
                elementwise(
                    COPIES["q"],
                    "packed",
                    {"q": (rows, spec.size)},
                    dtype=spec.dtype,
                    leading=leading,
                    layouts={"y": "vnni2t"},
                )
            )
        leading = {"ldq": self.leading("q"), "ldy": self.rows}
        return self._chosen(
            elementwise(
                scaled("q", factor),
                "scaled",
                {"q": (rows, spec.size)},
                dtype=spec.dtype,
                out=spec.compute,
                leading=leading,
                order={"y": "F"},
            )
        )

    def _out(self, rows: int) -> Any:
        """Plan the sums divided by the total, transposed."""
        spec = self.spec
        return self._chosen(
            elementwise(
                _divided,
                "divided",
                {"o": (rows, spec.size), "r": (rows, 1)},
                dtype=spec.compute,
                out=spec.dtype,
                order={"o": "F"},
                accuracy="fast",
                leading={"ldo": self.rows, "ldy": self.leading("out")},
            )
        )

    def _line(
        self,
        name: str,
        rows: int,
        function: Callable[..., Any],
        inputs: tuple[str, ...],
        outputs: int,
        lines: int = 1,
        single: tuple[str, ...] = (),
    ) -> Plan:
        """Plan an elementwise part on lines of `rows` queries."""
        dtype = self.spec.compute
        made = results(function, [operand(each, dtype) for each in inputs])
        names = ["y"] if outputs == 1 else [f"y{i}" for i in range(outputs)]
        reads = tuple(
            Operand(each, 1 if each in single else lines, rows, View("C", self.rows), dtype) for each in inputs
        )
        writes = tuple(Operand(each, lines, rows, View("C", self.rows), dtype, output=True) for each in names)
        return self._chosen(EltwiseSpec(name, lines, rows, dtype, program(*made), reads, writes, self.spec.accuracy))

    def _start(self, rows: int) -> Any:
        """Plan the initial sums of 0."""
        return self._line("start", rows, lambda: constant(0.0, self.spec.compute), (), 1, self.spec.size)

    def _begun(self, rows: int) -> Any:
        """Plan the initial maximum, which is the lowest finite number, and the initial total of 0."""
        dtype = self.spec.compute
        return self._line("begun", rows, lambda: (constant(LEAST[dtype], dtype), constant(0.0, dtype)), (), 2)

    def _folded(self, rows: int) -> Plan:
        return self._line("folded", rows, folded(self.softmax), ("largest", "total", "before", "far"), 4)

    def _laid(self, rows: int) -> Plan:
        return self._line("laid", rows, laid, ("o", "far", "correction"), 1, self.spec.size, ("correction",))

    def _corrected(self, rows: int) -> Any:
        """Plan the sums times the correction of each query."""
        return self._line(
            "corrected",
            rows,
            lambda o, correction: o * correction,
            ("o", "correction"),
            1,
            self.spec.size,
            ("correction",),
        )

    def _finished(self, rows: int) -> Any:
        """Plan 1 / total, or 0 where no key is seen, and lse if it is an output."""

        def finished(largest: Expr, total: Expr) -> tuple[Expr, ...]:
            inverse = select(total == 0.0, 0.0, 1.0 / total)
            return (inverse, self.softmax.lse(largest, total)) if self.spec.lse else (inverse,)

        inputs = ("largest", "total")
        if not self.spec.lse:
            return self._line("finished", rows, lambda total: finished(total, total)[0], ("total",), 1)
        return self._line("finished", rows, finished, inputs, 2)
