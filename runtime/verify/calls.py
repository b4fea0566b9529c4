"""Calls of products: extents and leading dimensions left to the call take several values, with a proof for each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.codegen.long_sums import MOST_OF_EACH, MOST_TERMS
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.expr.graph import FLOATS
from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, GemmSpec, PairBatch
from ...microkernels.operands import RUNTIME
from ..arguments.epilogue import as_vector
from ..arguments.epilogue import results as results_of
from .coverage import Numbers
from .operands import Call, array_of, call_with, numbers_of

Array = np.ndarray[Any, Any]
_COUNTS = (0, 1, 2, 3)
_GAPS = (3, 8)
"""How many elements longer than the rows the leading dimensions given at the call are."""


class CallChoices(NamedTuple):
    """The choices of one call: the number of pairs or products, how much longer leading dimensions are, and whether a
    stack shares B."""

    number: int | None
    gap: int
    shared: bool


def calls_of(spec: Any, kind: Any) -> tuple[str, Iterator[Call]]:
    """Return a description of the calls, and an iterator over them."""
    stack, counted = getattr(spec, "stack", None), isinstance(spec.batch, PairBatch)
    count = stack if isinstance(stack, int) else spec.batch if isinstance(spec.batch, int) else None
    several = counted or stack is RUNTIME
    counts = _COUNTS if several else (count,)
    gaps = _GAPS if RUNTIME in spec.leading else _GAPS[:1]
    words = []
    if several:
        words.append(f"counts {', '.join(map(str, _COUNTS))}")
    if counted and getattr(spec, "acc_dtype", "") in FLOATS and _COUNTS[-1] * spec.k <= MOST_TERMS:
        words.append("not the code for pairs of more than 4,096 terms, whose sums have levels")
    if len(gaps) > 1:
        words.append(f"leading dimensions {' and '.join(map(str, _GAPS))} elements longer than dense ones")
    if stack is not None:
        words.append("matrices of their own and a shared B")
    given = [CallChoices(*each) for each in combinations(counts, gaps, (False, True)[: 1 + (stack is not None)])]
    return "; ".join(words), (_call(spec, kind, each) for each in given)


def counts_of(spec: Any, kind: Any, plan: object = None) -> Numbers | None:
    """Return the number of pairs or products that a call gives, and the calls with any such number; None if the request
    says it. plan: of the code, if it is known"""
    stack = getattr(spec, "stack", None)
    if not isinstance(spec.batch, PairBatch) and stack is not RUNTIME:
        return None
    gaps = _GAPS if RUNTIME in spec.leading else _GAPS[:1]
    words = [f"leading dimensions {' and '.join(map(str, _GAPS))} elements longer than dense ones"] * (len(gaps) > 1)
    words += ["matrices of their own and a shared B"] * (stack is not None)
    shared = (False, True)[: 1 + (stack is not None)]
    return Numbers(
        ("counts",),
        (0,),
        lambda given: ((spec, _call(spec, kind, CallChoices(given[0], *each))) for each in combinations(gaps, shared)),
        "; ".join(words),
        **_without_levels(spec, plan),
    )


def counts_of_lines(spec: GemmSpec, kind: object) -> Numbers:
    """Return the extent of a product that a call gives, with the number of its pairs if the call gives that too, and
    the calls with any such numbers."""
    several = isinstance(spec.batch, PairBatch)
    gaps = _GAPS if RUNTIME in spec.leading else _GAPS[:1]
    words = [f"leading dimensions {' and '.join(map(str, _GAPS))} elements longer than dense ones"] * (len(gaps) > 1)

    group = spec.whole_k if spec.counted == "k" else 1

    def of(given: tuple[int, ...]) -> Iterator[tuple[GemmSpec, Call]]:
        one = spec.of(given[0] * group)
        count = given[1] if several else spec.batch if isinstance(spec.batch, int) else None
        return ((one, _call(one, kind, CallChoices(count, gap, False), spec)) for gap in gaps)

    # of no lines, there is no element whose expression could be compared
    least = int(hasattr(spec, "results") and bool(spec.shared))
    words += [f"{spec.counted} from 1 on"] * least
    names = (spec.counted if group == 1 else f"{spec.counted} / {group}", *("counts",) * several)
    return Numbers(names, (least, 0)[: len(names)], of, "; ".join(words), **_without_levels(spec, None))


def _without_levels(spec: Any, plan: object) -> dict[str, int]:
    """Return the most pairs, or steps of k, whose sums have no levels: the code for more is another body of the kernel.
    A unit that adds several terms at once adds padding to sums of fewer, which counts as terms."""
    if getattr(spec, "counted", "") == "k":
        most = MOST_OF_EACH if spec.pairs is None else MOST_TERMS // max(1, spec.pairs)
        return {"most": most // spec.whole_k} if most >= spec.whole_k and spec.acc_dtype in FLOATS else {}
    if not isinstance(spec.batch, PairBatch) or getattr(spec, "acc_dtype", "") not in FLOATS or not spec.k:
        return {}
    most = MOST_TERMS // spec.k
    product = getattr(plan, "grids", None) or getattr(plan, "product", None)
    padded = getattr(plan, "pairs_without_levels", 0) or getattr(product, "pairs_without_levels", 0)
    return {"most": min(most, padded or most)} if most else {}


def _call(spec: Any, kind: Any, given: CallChoices, asked: GemmSpec | None = None) -> Call:
    """Return a call of a request of known extents. asked: the request of the kernel, if it leaves one to the call."""
    if hasattr(spec, "stack"):
        return _stack(spec, kind, given)
    matrices, first, rest = _batch(spec, given)
    c = array_of(spec.operands[2], gap=given.gap)
    extras = [array_of(as_vector(each)) for each in getattr(spec, "extras", ())]
    given_numbers = numbers_of(spec)
    numbers = list(given_numbers.values())
    results = [array_of(each) for each in results_of(spec)] if hasattr(spec, "results") else []
    leading = _keywords(spec, given) if spec.batch is ADDRESS else {}
    made = call_with(
        asked or spec,
        kind,
        [*first, c, *extras, *numbers, *rest, *results],
        [*matrices, c, *extras, *results],
        **leading,
    )
    return _words(asked or spec, made._replace(numbers=given_numbers))


def _words(spec: Any, call: Call) -> Call:
    """Return a call of f32 or f64 whose count, strides, offsets and addresses are words with a value.

    In calls with more than three pairs they stay numbers: every pair decides on the count less all pairs before it, and
    to find the values for which many such decisions are the same takes long. Kernels for narrower types form addresses
    that the prover cannot write as a word times a distance, so theirs stay numbers, too.
    """
    regions = {each.name: each for each in call.regions}
    tables = [name for name in regions if name.endswith(("_offsets", "_addresses"))]
    if not isinstance(spec.batch, PairBatch):
        return call
    names = ("count", "a_stride", "b_stride") if spec.batch is STRIDE else ("count",)
    first = call.integers.index(regions["c"].start) + (3 if spec.batch is OFFSET else 1) + bool(spec.counted)
    if call.integers[first] > _COUNTS[-1] or any(ELEMENT_BYTES[each] < 4 for each in spec.dtypes[:2]):
        return call
    filled = [each for each in tables if regions[each].array.size]
    return call._replace(pinned=dict(enumerate(names, first)), indices=frozenset(filled))


def _stack(spec: Any, kind: Any, given: CallChoices) -> Call:
    matrices = [_apart(each, given.number or 0, given) for each in spec.operands[:3]]
    if given.shared:
        matrices[1] = array_of(spec.operands[1], gap=given.gap)
    return call_with(spec, kind, matrices, matrices)


def _apart(operand: Any, count: int, given: CallChoices) -> Array:
    """Return matrices that are not dense: every other matrix of a larger array."""
    return array_of(operand, 2 * count + 1, gap=given.gap)[1::2]


def _batch(spec: Any, given: CallChoices) -> tuple[list[Array], list[Array], list[Any]]:
    """Return the matrices of a and b, the arguments that the call passes for them, and the arguments that follow c."""
    operands = spec.operands[:2]
    if not isinstance(spec.batch, PairBatch):
        matrices = [_fixed(spec, each, given) for each in operands]
        return matrices, matrices, []
    count = given.number or 0
    matrices = [array_of(each, 2 * max(count, 1) + 1, gap=given.gap) for each in operands]
    if spec.batch is STRIDE:
        return matrices, [each[1] for each in matrices], [count, *(2 * each.strides[0] for each in matrices)]
    # no two pairs have the same matrices, since 2 count + 1 and count have no common factor
    places = [np.array([(count * i + at) % (2 * count + 1) for i in range(count)], np.int64) for at in range(2)]
    tables = [place * each.strides[0] for place, each in zip(places, matrices)]
    if spec.batch is OFFSET:
        return matrices, [each[0] for each in matrices], tables
    starts = [each.__array_interface__["data"][0] for each in matrices]
    return matrices, [(table + start).astype(np.uint64) for table, start in zip(tables, starts)], []


def _fixed(spec: Any, operand: Any, given: CallChoices) -> Array:
    """Return the matrices of a batch whose size is fixed."""
    if spec.strides is RUNTIME:
        return _apart(operand, int(spec.batch), given)
    levels = isinstance(spec.strides, tuple)
    return array_of(operand, spec.axes(operand.name) if levels else spec.batch, gap=given.gap)


def _keywords(spec: Any, given: CallChoices) -> dict[str, int]:
    """Return the leading dimensions of matrices that are passed as addresses rather than arrays."""
    return {
        f"ld{each.name}": (each.columns if each.view.order == "C" else each.rows) + given.gap
        for each in spec.operands[:2]
        if each.view.leading is RUNTIME
    }
