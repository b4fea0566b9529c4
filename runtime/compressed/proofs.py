"""Proofs of products by compressed weights: that each weight is expanded from its own code, scale, offset and zero
point, that the calls of the nest are the product by these weights, that the job leaves what the calls leave, each
kernel proved by itself, and that no worker touches what another one writes.

What a weight is, the requests of the kernels that expand them say (microkernels/compressed/expressions.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...microkernels.compressed.bitmask import BitmaskForm
from ...microkernels.compressed.form import STRIP, CompressedForm
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, address_of
from ..verify.check import timed
from ..verify.nests import elements, of_job
from ..verify.proof import Claim, Proof
from ..verify.terms import FILL, UNKNOWN, Memories, Place, SumOfProducts, WrongTerms, once, written_once
from ..verify.together import WORKERS, barrier_of

if TYPE_CHECKING:
    from ...microkernels.eltwise.spec import EltwiseSpec
    from ...microkernels.gemm.spec import GemmSpec
    from ..loops.job import Job
    from ..verify.nests import Made
    from .expansion import BlockLayout, Expansion
    from .unmasking import Unmasking


class ProductByWeights(Protocol):
    """What a proof reads of a product: see `ByWeights` of runtime/ops/expanding.py."""

    form: CompressedForm | BitmaskForm
    product: GemmSpec
    request: Mapping[str, object]
    kernels: ExpandingKernels
    job: Job
    whole: bool
    strips: object
    _scratch: tuple[int, int]


class ExpandingKernels(Protocol):
    """The kernels of a product by weights."""

    expansion: Expansion | Unmasking


@timed
def of_weights(of: ProductByWeights, at: Sequence[int], workers: Sequence[int] = WORKERS) -> Proof:
    """Prove the job of a product by weights of one form.

    at    the places of A, the weights, C, and scratch memory, shared and of a worker, in the job's table
    """
    place_a, place_b, place_c, shared_at, own_at = at
    if of.whole:
        raise UnsupportedError(
            "verify: the weights of this product are expanded as a whole, by numpy; the dense product has a proof of "
            "its own: product.verify()"
        )
    product, form = of.product, _checked(of)
    (lda, _, ldc), (m, n, k) = product.leading, (product.m, product.n, product.k)
    assert isinstance(lda, int) and isinstance(ldc, int)  # products of any size have no other
    sizes = [ELEMENT_BYTES[each] for each in product.dtypes]
    a, b, c = (m - 1) * lda + k, form.nbytes, (m - 1) * ldc + n
    arrays = {"a": elements(a * sizes[0], product.dtypes[0]), "b": elements(b, "u8")}
    arrays["c"] = elements(c * sizes[2], product.dtypes[2])
    row, column = np.divmod(np.arange(m * n), n)
    places = row * ldc + column
    written = np.zeros(c, bool)
    written[places] = True
    shared, own = of._scratch
    depth = np.arange(k)
    wanted = SumOfProducts(
        places,
        row,
        column,
        lambda some: 1 + row[some, None] * lda + depth,
        lambda some: 1 + column[some, None] + depth * n,
        (),
        0,
    )

    def words_of(addresses: Sequence[int], scratch: Array, _: int) -> Sequence[int]:
        first = address_of(scratch) if scratch.size else 0
        return [*addresses, first, first + shared, *barrier_of()]

    def made(calls: Sequence[Made]) -> Sequence[Claim]:
        whole = written_once(calls, place_c, written, sizes[2])
        held = {place_a: np.full(a * sizes[0], UNKNOWN), place_b: np.full(b, UNKNOWN)}
        held[place_c] = np.full(c * sizes[2], UNKNOWN)
        held |= {shared_at: np.full(shared, UNKNOWN), own_at: np.full(own, UNKNOWN)}
        held[place_a][:: sizes[0]] = np.arange(1, 1 + a)
        memories = Memories(
            held,
            place_c,
            (shared_at, own_at),
            sizes[2],
            makes=_Expanded(form, of.kernels.expansion.layout, place_b, k, n),
        )
        return [whole, once(calls, memories, wanted)] if whole.holds else [whole]

    return of_job(
        of.job, arrays, {"c": written}, words_of, lambda count: shared + count * own, made=made, workers=workers
    )


def _checked(of: ProductByWeights) -> CompressedForm:
    """Return the form of the weights. Raise UnsupportedError for products that have no specification."""
    product, form, has = of.product, of.form, ""
    if isinstance(form, BitmaskForm):
        has = "bit masks"
    elif of.strips is not None:
        has = "weights that are expanded in registers, as for up to 16 rows of f32"
    elif product.order != ("C", "C", "C") or (product.alpha, of.request["beta"]) != (1, 0):
        has = "other orders and factors than those of C = A @ B by rows"
    elif of.request["epilogue"] is not None:
        has = "epilogues of products by weights"
    if has or isinstance(form, BitmaskForm):
        raise UnsupportedError(
            f"verify: no specification of {has}; products of codes in blocks, as of bf16 or of more rows, have one, "
            "and run(...) executes all of them"
        )
    return form


class _Expanded:
    """What the kernels that expand weights write: the numbers of weights, if they read what belongs to these."""

    def __init__(self, form: CompressedForm, layout: BlockLayout, place: int, k: int, n: int) -> None:
        self.form, self.place, self.k, self.n = form, place, k, n
        self.paired, self.size = layout.paired, ELEMENT_BYTES[layout.dtype]

    def __call__(self, spec: EltwiseSpec, arguments: Sequence[Place]) -> list[tuple[Place, Array, Array]] | None:
        """Return the operands that a kernel writes, the bytes of their elements, and what these are; None if the kernel
        expands nothing."""
        names = [each.name for each in spec.inputs]
        if names[:1] != ["even"]:
            return None
        form, line = self.form, STRIP * self.form.bits // 8  # bytes of the codes of a row
        places = dict(zip(names, arguments))
        record, inside = divmod(places["even"][1], form.record)
        strip, unit = divmod(record, form.units)
        first, rest = divmod(inside, line)
        begin = record * form.record
        shared = dict(zip(("scale", "offset", "zero"), form.places))
        expected = {"even": begin + inside, "odd": begin + inside + line}
        expected |= {name: begin + at for name, at in shared.items()}
        if rest or first % 2 or any(at != (self.place, expected[name]) for name, at in places.items()):
            raise WrongTerms(f"{spec.stem}: codes, and what their columns share, of several records")
        outputs, codes = spec.outputs, spec.inputs[0]
        single = not self.paired and len(outputs) == 1
        rows = unit * form.unit + first + np.arange(codes.rows if single else 2 * codes.rows)
        columns = strip * STRIP + np.arange(codes.columns)
        if columns[-1] >= self.n or unit * form.unit + first + 2 * codes.rows - 2 >= self.k:
            raise WrongTerms(f"{spec.stem}: weights beyond the matrix")
        numbers = np.where(rows[:, None] < self.k, 1 + rows[:, None] * self.n + columns, FILL)
        made = []
        for y, where in enumerate(arguments[len(names) :]):
            leading = outputs[y].view.leading
            assert isinstance(leading, int)
            if self.paired:
                at = np.arange(codes.rows)[:, None] * (4 * leading) + np.arange(codes.columns) * 4
                made += [(where, at + 2 * odd, numbers[odd::2]) for odd in (0, 1)]
            else:
                at = np.arange(codes.rows)[:, None] * (self.size * leading) + np.arange(codes.columns) * self.size
                made.append((where, at, numbers if single else numbers[y::2]))
        return made
