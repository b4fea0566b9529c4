"""The public function of the precision ladder: products of any size in a precision made of narrower ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ...encoder.errors import shown
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import behind_first
from ...microkernels.functions.accuracies import ACCURACIES
from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, PairBatch
from ...microkernels.names import chosen
from ...microkernels.operands import extent, finite, whole
from ...microkernels.precision.ladder_bins import products
from ..arguments.arrays import as_array, numpy_dtype
from ..arguments.foreign_arrays import returned
from ..arguments.matrices import no_overlap, writable
from ..arguments.tracebacks import shortened
from ..host import detect as host
from ..kernel.accuracy import Accuracy, default_accuracy
from ..kernel.callable import Kernel
from ..system.torch_compile import leave_trace, untraced
from .ladder_call import Array, LadderCall, LadderScratch, SplitOperand, contiguous_rows, scratch_sizes
from .ladder_steps import LadderKernels, Rung
from .typed import Numerics, Operands, TargetLike

TERMS = {"f32x2bf16": 2, "f32x3bf16": 3, "f64xi8": 8}
"""The names of the rungs and their numbers of terms; for digits, the default number."""
LARGEST = 14
"""The number of digits beyond which nothing is gained, because a double word has about as many bits."""


def ladder(
    m: int,
    n: int,
    k: int,
    *,
    dtype: Literal["f32x2bf16", "f32x3bf16", "f64xi8"] = "f32x3bf16",
    slices: int | None = None,
    every: bool = False,
    result: Literal["f64", "f64x2"] | None = None,
    batch: int | PairBatch | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    numerics: Numerics = "exact",
    epilogue: Callable[..., Any] | None = None,
    operands: Operands | None = None,
    accuracy: Accuracy | None = None,
    target: TargetLike = None,
) -> Ladder:
    """A callable p(a, b, c) for C = beta * C + alpha * sum_i A_i @ B_i, computed from products of narrower terms.

    Each operand is split once into terms, in scratch memory. Then one batch of a kernel for the narrow type multiplies
    all pairs of terms of about equal size, small ones first. m, n and k may be of any size.

    dtype    "f32x2bf16": f32 in two bf16, 3 products, about 16 bits; "f32x3bf16": in three, 6 products, about 24 bits;
             "f64xi8": f64 in `slices` digits of 8 bits, slices (slices + 1) / 2 products, exact sums in i32
    slices   of "f64xi8", 1 to 14. With 8 (36 products) the error is 2^-57 of max |A_i.| max |B_.j| for each of k, with
             14 (105 products) 2^-104; docs/numerics.md has the bounds
    every    True: all products of terms, 4, 9 or slices^2, including those that are as small as the remainder of the
             terms
    result   "f64", or with "f64xi8" "f64x2": C is a pair of arrays (high, low) whose exact sum is the result, about 104
             bits
    batch    None: a (m, k), b (k, n). A count or ts.STRIDE: a (count, m, k), b (count, k, n), with any distance between
             matrices, and with STRIDE any count. ts.ADDRESS: sequences of matrices anywhere
    alpha, beta   finite; beta = 0 never reads c, and p(a, b) returns a new one
    epilogue, operands, accuracy   as in ts.brgemm: p(a, b, c, bias). Not with result="f64x2"
    numerics, target   as in ts.brgemm

    Rows or columns of a and b are contiguous, with any distance between them; so are those of c. Rows of A and columns
    of B are scaled by powers of two, so nothing overflows and no denormal loses bits before C itself does. An element
    2^170 (f32) or 2^(8 slices) times smaller than the largest of its row or column counts as 0. A row or column with an
    infinity or a NaN gives the result of the f32 or f64 product.

    p.split_a(a), p.split_b(b)   the operand in terms, to be passed in its place any number of times
    p.run(...)   like a call, in the emulator;  p.products, p.scratch_bytes, p.kernels, print(p)   its parts

    Raises UnsupportedError with the reason and what would work, TypeError or ValueError naming the argument. Sources:
    Intel optimization manual, 20.21; Henry, Tang, Heinecke, ARITH 2019 (bf16); Ozaki, Ogita, Oishi, Rump, Numer.
    Algorithms 59, 2012 (digits); Joldes, Muller, Popescu, TOMS 44, 2017 (sums of two words).
    """
    extents = extent("m", m), extent("n", n), extent("k", k, "a sum of no products leaves C = beta * C")
    name = chosen("dtype", dtype, tuple(TERMS))
    if not isinstance(every, bool):
        raise TypeError(f"every: True or False, not {every!r}")
    rung = Rung(name, _terms(name, slices), every, _pair(name, result))
    extras = _extras(epilogue, operands, rung)
    steps = LadderKernels(rung, extents, numerics, host.resolve(target))
    return Ladder(
        steps,
        _batch(batch),
        finite("alpha", alpha) + 0.0,
        finite("beta", beta) + 0.0,
        epilogue,
        extras,
        chosen("accuracy", accuracy or default_accuracy(), ACCURACIES),
    )


class Ladder:
    """A product made of kernels: see `ladder`. Threads may share it."""

    def __init__(
        self,
        steps: LadderKernels,
        batch: int | PairBatch | None,
        alpha: float,
        beta: float,
        epilogue: Callable[..., Any] | None,
        extras: Mapping[str, tuple[Any, str]],
        accuracy: str,
    ) -> None:
        self._steps, self.batch, self.alpha, self.beta = steps, batch, alpha, beta
        self._epilogue, self._extras, self._accuracy = epilogue, extras, accuracy
        self._scratch: list[tuple[int, LadderScratch]] = []
        self._mirror: Ladder | None = None
        steps.product(min(steps.extents[2], _longest(steps.rung)), True)  # raises now if the target cannot do it
        steps.finished(alpha, beta)
        self._after = steps.epilogue(epilogue, extras, accuracy) if epilogue is not None else None

    @property
    def products(self) -> int:
        """The number of products of terms for each pair of matrices."""
        return products(self._steps.rung.terms, self._steps.rung.every)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels made so far."""
        return tuple(self._steps.made)

    @property
    def scratch_bytes(self) -> int:
        """The bytes of scratch memory of a call with one pair of matrices. Further pairs need memory for their
        terms."""
        sizes = scratch_sizes(self._steps.rung, self._steps.extents, self._pairs or 1).values()
        return sum(int(np.prod(shape)) * numpy_dtype(dtype).itemsize for shape, dtype in sizes)

    @property
    def _pairs(self) -> int | None:
        """The number of pairs of matrices, or None if the call determines it."""
        return 1 if self.batch is None else None if isinstance(self.batch, PairBatch) else self.batch

    @untraced
    def __call__(self, a: Any, b: Any, c: Any = None, *extras: Any, out: Any = None) -> Any:
        """Compute the product. Without c, if beta is 0, return a new array, or a pair of them for "f64x2"."""
        leave_trace()
        try:
            return self._called(a, b, c, extras, out, False)
        except (TypeError, ValueError) as error:
            raise shortened(error)  # noqa: B904

    def run(self, a: Any, b: Any, c: Any = None, *extras: Any, out: Any = None) -> Any:
        """Like a call, but every step runs in the emulator, for any target on any host."""
        return self._called(a, b, c, extras, out, True)

    def split_a(self, a: Any) -> SplitOperand:
        """Return the left operand in terms, in memory of its own. Pass the result instead of a."""
        return self._split("a", a)

    def split_b(self, b: Any) -> SplitOperand:
        """Return the right operand in terms, in memory of its own. Pass the result instead of b."""
        return self._split("b", b)

    def _split(self, name: str, value: Any) -> SplitOperand:
        matrices = self._matrices(name, value)
        shape, dtype = scratch_sizes(self._steps.rung, self._steps.extents, len(matrices))[name]
        into = np.zeros(shape, numpy_dtype(dtype))
        scratch = LadderScratch(self._steps.rung, self._steps.extents, len(matrices))
        return LadderCall(self._steps, scratch, not self._native).split(name, matrices, into, True)

    @property
    def _native(self) -> bool:
        """Whether this host executes the kernels, or others with the same bits."""
        return not host.runs(self._steps.target) or self._steps.top("a").address is not None

    def _called(self, a: Any, b: Any, c: Any, extras: tuple[Any, ...], out: Any, emulate: bool) -> Any:
        if out is not None:
            if c is not None:
                raise TypeError("out: give c or out=, not both")
            c = out
        made = c is None
        if made and self.beta:
            raise TypeError(
                "c: give an array, because the product is added to beta * C; with beta=0 a call without it "
                "returns a new one"
            )
        if len(extras) != len(self._extras):
            raise TypeError(
                f"this product takes {len(self._extras)} operands after c "
                f"({', '.join(self._extras) or 'none'}), not {len(extras)}"
            )
        given = {name: self._given(name, value) for name, value in (("a", a), ("b", b))}
        results = self._results(c)
        counts = {name: each.pairs if isinstance(each, SplitOperand) else len(each) for name, each in given.items()}
        if counts["a"] != counts["b"]:
            raise ValueError(f"b: must have as many matrices as a, {counts['a']}, not {counts['b']}")
        if all(contiguous_rows(each) for each in results):
            self._computed(given, results, self._operands(extras), emulate)
        else:
            self._mirrored(given, results, self._operands(extras), emulate)
        if made:
            new = results if self._steps.rung.pair else results[0]
            return returned(new, (a, b)) if not isinstance(a, (SplitOperand, list, tuple)) else new
        return out

    def _computed(
        self, given: Mapping[str, Any], results: tuple[Array, ...], extras: list[Array], emulate: bool
    ) -> None:
        """Compute a c whose rows are contiguous."""
        steps, pairs = self._steps, _count(given["a"])
        kept = self._scratch.pop() if self._scratch else None
        scratch = kept[1] if kept and kept[0] == pairs else LadderScratch(steps.rung, steps.extents, pairs)
        call = LadderCall(steps, scratch, emulate)
        a, b = (
            each if isinstance(each, SplitOperand) else call.split(name, each, scratch[name], False)
            for name, each in given.items()
        )
        finish = results
        if self._after is not None:
            finish = (np.empty(results[0].shape, results[0].dtype),)
        call.finish(call.sums(a, b), (a.powers, b.powers), (self.alpha, self.beta), results, finish)
        if self._after is not None:
            call.epilogue(self._after, finish[0], extras, results[0])
        if not self._scratch:
            self._scratch.append((pairs, scratch))

    def _mirrored(
        self, given: Mapping[str, Any], results: tuple[Array, ...], extras: list[Array], emulate: bool
    ) -> None:
        """Compute a c whose columns are contiguous: the transpose of c from the transposes of b and a."""
        for name, each in given.items():
            if isinstance(each, SplitOperand):
                raise ValueError(f"c: its rows must be contiguous, because {name} was split into terms by rows")
        if self._mirror is None:
            m, n, k = self._steps.extents
            steps = LadderKernels(self._steps.rung, (n, m, k), self._steps.numerics, self._steps.target)
            swapped = {"row": "col", "col": "row"}
            transposed = {name: (swapped.get(shape, shape), dtype) for name, (shape, dtype) in self._extras.items()}
            self._mirror = Ladder(steps, self.batch, self.alpha, self.beta, self._epilogue, transposed, self._accuracy)
        operands = {"a": [each.T for each in given["b"]], "b": [each.T for each in given["a"]]}
        self._mirror._computed(operands, tuple(each.T for each in results), [each.T for each in extras], emulate)

    def _given(self, name: str, value: Any) -> list[Array] | SplitOperand:
        """Return the matrices of an operand, or its terms."""
        if not isinstance(value, SplitOperand):
            return self._matrices(name, value)
        rung = self._steps.rung
        if value.name != name or value.rung != (rung.dtype, rung.terms) or value.extents != self._steps.extents:
            terms = f"{value.rung[1]} terms of {value.rung[0]} of the operand {value.name}"
            raise ValueError(
                f"{name}: must come from split_{name} of a product {self._told}, not hold {terms} of one "
                f"of {' x '.join(map(str, value.extents))}"
            )
        if self._pairs not in (None, value.pairs):
            raise ValueError(f"{name}: must hold {self._pairs} matrices, not {value.pairs}")
        return value

    def _matrices(self, name: str, value: Any) -> list[Array]:
        """Return the matrices of an operand after checking them."""
        batched = self.batch is not None
        if self.batch is ADDRESS:
            if not isinstance(value, Sequence):
                raise TypeError(f"{name}: batch=ADDRESS takes a list of matrices, not {type(value).__name__}")
            return [self._matrix(f"{name}[{i}]", as_array(f"{name}[{i}]", each), name) for i, each in enumerate(value)]
        array = as_array(name, value)
        if array.ndim != 2 + batched or (self._pairs is not None and batched and len(array) != self._pairs):
            rows, columns = self._steps.shape(name)
            count = "" if not batched else f"{'count' if self._pairs is None else self._pairs}, "
            raise ValueError(f"{name}: an array of shape ({count}{rows}, {columns}), not {array.shape}")
        return [self._matrix(name, each, name) for each in (array if batched else [array])]

    def _matrix(self, label: str, array: Array, name: str) -> Array:
        shape, dtype = self._steps.shape(name), numpy_dtype(self._steps.rung.element)
        if array.dtype != dtype:
            raise TypeError(f"{label}: elements of type {dtype}, not {array.dtype}")
        if array.shape != shape:
            raise ValueError(f"{label}: a matrix of shape {shape}, not {array.shape}")
        if not contiguous_rows(array) and not contiguous_rows(array.T):
            raise ValueError(
                f"{label}: its rows or columns must be contiguous, but its strides are {array.strides}; "
                f"np.ascontiguousarray({name}) copies it"
            )
        return array

    def _results(self, c: Any) -> tuple[Array, ...]:
        """Return C, or its two words, after checking, or new arrays if there is none."""
        pair, shape = self._steps.rung.pair, self._steps.shape("c")
        if c is None:
            return tuple(np.empty(shape, numpy_dtype(self._steps.rung.element)) for _ in range(1 + pair))
        if pair and (not isinstance(c, (tuple, list)) or len(c) != 2):
            raise TypeError(f'c: with result="f64x2" a pair of arrays (high, low), not {type(c).__name__}')
        names = ("high", "low") if pair else ("c",)
        arrays = {name: as_array(name, each) for name, each in zip(names, c if pair else (c,))}
        for name, array in arrays.items():
            self._matrix(name, array, "c")
            writable(name, array)
        if pair:
            no_overlap("high", arrays["high"], low=arrays["low"])
            if contiguous_rows(arrays["high"]) != contiguous_rows(arrays["low"]):
                raise ValueError("low: must be row-major or column-major, as high is")
        return tuple(arrays.values())

    def _operands(self, extras: tuple[Any, ...]) -> list[Array]:
        """Return the epilogue's operands as matrices."""
        m, n, _ = self._steps.extents
        shapes = {"row": (1, n), "col": (m, 1), "scalar": (1, 1), None: (m, n)}
        made = []
        for (name, (shape, dtype)), value in zip(self._extras.items(), extras):
            array = as_array(name, np.asarray(value) if isinstance(value, (int, float)) else value)
            if isinstance(value, (int, float)):
                array = array.astype(numpy_dtype(dtype))
            rows, columns = shapes[shape]
            if array.size != rows * columns or (shape is None and array.shape != (m, n)):
                raise ValueError(f"{name}: {rows} x {columns} elements, not an array of shape {array.shape}")
            made.append(array if array.shape == (rows, columns) else array.reshape(rows, columns))
        return made

    @property
    def _told(self) -> str:
        rung = self._steps.rung
        return f"{' x '.join(map(str, self._steps.extents))} {rung.dtype} of {rung.terms} terms"

    def __repr__(self) -> str:
        return (
            f"ladder {self._told}: {self.products} products, batch {self.batch!r}, alpha {self.alpha:g}, beta "
            f"{self.beta:g}, {self.scratch_bytes} bytes of scratch memory"
        )

    def __str__(self) -> str:
        return "\n".join([repr(self), *(f"  {kernel.spec}" for kernel in self.kernels)])


def _count(given: Any) -> int:
    return given.pairs if isinstance(given, SplitOperand) else len(given)


def _longest(rung: Rung) -> int:
    """Return the longest k of a single kernel."""
    return 1 << 62 if rung.limit is None else rung.limit // rung.terms & -4


def _terms(dtype: str, slices: Any) -> int:
    if slices is None:
        return TERMS[dtype]
    if dtype != "f64xi8":
        raise UnsupportedError(f'slices: {dtype} always has {TERMS[dtype]} terms; only "f64xi8" takes another number')
    number = whole(slices)
    if number is None:
        raise TypeError(f"slices: a whole number from 1 to {LARGEST}, not {shown(slices)}")
    if not 1 <= number <= LARGEST:
        raise ValueError(f"slices: from 1 to {LARGEST}, not {shown(number)}")
    return number


def _pair(dtype: str, result: Any) -> bool:
    element = dtype.partition("x")[0]
    if result is None or result == element:
        return False
    if result == "f64x2" and element == "f64":
        return True
    raise UnsupportedError(f"result: {dtype} gives {element}{', or f64x2' if element == 'f64' else ''}, not {result!r}")


def _batch(value: Any) -> int | PairBatch | None:
    if value is OFFSET:
        raise UnsupportedError(
            "batch=OFFSET: not supported, because the kernels read terms in scratch memory, where "
            "offsets of the operands do not apply; pass views of the matrices with "
            "batch=ADDRESS"
        )
    if value is None or value in (STRIDE, ADDRESS):
        found: PairBatch | None = value
        return found
    number = whole(value)
    if number is None:
        raise TypeError(f"batch: None, a count, STRIDE or ADDRESS, not {value!r}")
    if number < 0:
        raise ValueError(f"batch: a count from 0 on, not {number}")
    return number


def _extras(function: Any, operands: Any, rung: Rung) -> dict[str, tuple[Any, str]]:
    """Return the shape and element type of the epilogue's operands, keyed by name."""
    if function is None:
        if operands is not None:
            raise TypeError("operands: only an epilogue takes further operands, and epilogue= was not given")
        return {}
    if rung.pair:
        raise UnsupportedError(
            'epilogue: not supported with result="f64x2", because elementwise functions take one '
            'word; use result="f64", or ts.equation on (high, low)'
        )
    asked = dict(operands or {})
    names = behind_first(function, asked)
    made = {}
    for name in names[1:]:
        value = asked.pop(name, "row")
        shape, of = value if isinstance(value, tuple) else (value, rung.element)
        if shape not in ("row", "col", "scalar", None):
            raise ValueError(f'operands: {name} is "row", "col", "scalar" or None, not {shape!r}')
        made[name] = shape, element_type(f"operands: {name}", of, "")
    if asked:
        raise ValueError(f"operands: {next(iter(asked))!r} is no parameter of the epilogue ({', '.join(names)})")
    return made
