"""The kernels of a rung of the precision ladder, step by step, as `ladder` calls them.

Each is an ordinary kernel. It is planned for the target, made when it is first needed, and shared with equal requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from ...encoder.features import Target
from ...microkernels.eltwise.spec import eltwise_spec
from ...microkernels.gemm.spec import STRIDE
from ...microkernels.operands import RUNTIME
from ...microkernels.precision import ladder_math
from ...microkernels.precision.ladder_bins import EXACT
from ...microkernels.reduce.spec import reduce_spec
from ..kernel.callable import Kernel, shared
from .brgemm import brgemm
from .transforms import transform, transpose

DIGITS_AT_ONCE = 7
"""The most outputs of a kernel that splits. More would need more vector registers than AVX2 has."""


Step = TypeVar("Step", bound=Callable[..., Any])


def _once(make: Step) -> Step:
    """Cache a step's kernels in a dictionary, so that each is looked up only once."""
    name = make.__name__

    @wraps(make)
    def found(self: LadderKernels, *which: Any) -> Any:
        key = name, *which
        made = self.known.get(key)
        if made is None:
            made = self.known.setdefault(key, make(self, *which))
        return made

    return cast(Step, found)


class Rung:
    """The parts of one precision: `element` is the type of a, b and c, `term` that of the terms, `group` the number of
    neighbours along k in a packed operand."""

    def __init__(self, dtype: str, terms: int, every: bool, pair: bool) -> None:
        self.dtype, self.terms, self.every, self.pair = dtype, terms, every, pair
        self.digits = dtype == "f64xi8"
        self.element = "f64" if self.digits else "f32"
        self.term, self.sums = ("i8", "i32") if self.digits else ("bf16", "f32")
        self.group = 4 if self.digits else 2
        self.scale = ladder_math.SCALE_DIGITS if self.digits else ladder_math.SCALE_BF16
        self.limit = EXACT if self.digits else None
        self.split_once = not self.digits or terms <= DIGITS_AT_ONCE


class LadderKernels:
    """The kernels for matrices of these extents."""

    def __init__(self, rung: Rung, extents: tuple[int, int, int], numerics: str, target: Target) -> None:
        self.rung, self.extents, self.numerics, self.target = rung, extents, numerics, target
        self.made: list[Kernel] = []
        self.known: dict[tuple[Any, ...], Any] = {}

    def _kept(self, kernel: Kernel) -> Kernel:
        if kernel not in self.made:
            self.made.append(kernel)
        return kernel

    def equation(
        self,
        function: Callable[..., Any],
        shapes: Mapping[str, tuple[int, int]],
        dtype: Any = "f64",
        out: Any = None,
        compute: str | None = "f64",
        **more: Any,
    ) -> Kernel:
        """Return an elementwise step."""
        spec = eltwise_spec(
            function, "ladder", dict(shapes), dtype=dtype, out=out, compute=compute, by_name=False, **more
        )
        return self._kept(shared(spec, self.target))

    def shape(self, name: str) -> tuple[int, int]:
        """Return the rows and columns of an operand."""
        m, n, k = self.extents
        return {"a": (m, k), "b": (k, n), "c": (m, n)}[name]

    @_once
    def transposed(self, name: str) -> Kernel:
        """Return the kernel from an operand with contiguous columns to dense rows."""
        rows, columns = self.shape(name)
        element: Any = self.rung.element
        return self._kept(transpose(columns, rows, dtype=element, ldx=RUNTIME, target=self.target))

    @_once
    def top(self, name: str) -> Kernel:
        """Return the kernel for the largest element of each row of a, or of each column of b."""
        spec = reduce_spec(
            "absmax", *self.shape(name), axis=1 if name == "a" else 0, dtype=self.rung.element, out="f64", ldx=RUNTIME
        )
        return self._kept(shared(spec, self.target))

    @_once
    def powers(self, name: str) -> Kernel:
        """Return the kernel that turns these elements into powers of two."""
        length = self.extents["ab".index(name)]
        return self.equation(ladder_math.powers(self.rung.scale), {"top": (1, length)}, out=("f64",) * 4)

    @_once
    def splits(self, name: str) -> list[tuple[Kernel, int]]:
        """Return the kernels that split an operand, one after another, with the number of terms that each makes."""
        rows, columns = self.shape(name)
        line = (rows, 1) if name == "a" else (1, columns)
        shapes = {"x": (rows, columns), "up0": line, "up1": line}
        leading: dict[str, Any] = {"ldx": RUNTIME}
        if not self.rung.digits:
            count = self.rung.terms
            function = ladder_math.bf16_terms(count)
            of_f32 = {"x": "f32", "up0": "f64", "up1": "f64"}
            return [(self.equation(function, shapes, of_f32, ("bf16",) * count, leading=leading), count)]
        count = min(self.rung.terms, DIGITS_AT_ONCE) if self.rung.split_once else DIGITS_AT_ONCE - 1
        types = ("i8",) * count + ("f64",) * (0 if self.rung.split_once else 2)
        first = ladder_math.first_digits(count, self.rung.split_once)
        made = [(self.equation(first, shapes, out=types, leading=leading), count)]
        if not self.rung.split_once:
            count = self.rung.terms - count
            shapes = dict.fromkeys(("rest", "carry"), (rows, columns))
            made.append((self.equation(ladder_math.next_digits(count), shapes, out=("i8",) * count), count))
        return made

    @_once
    def packs(self) -> Kernel:
        """Return the kernel that packs a term of b into groups along k."""
        _, n, k = self.extents
        made = transform(f"vnni{self.rung.group}", k, n, self.rung.term, target=self.target)  # type: ignore[arg-type]
        return self._kept(made)

    @_once
    def product(self, k: int, first: bool) -> Kernel:
        """Return the kernel for a bin of terms, or a part of its k. `first` means that nothing has been added yet."""
        m, n, whole = self.extents
        types = (self.rung.term, self.rung.term, self.rung.sums)
        made = brgemm(
            m,
            n,
            k,
            dtype=types,  # type: ignore[arg-type]
            lda=whole,
            b_layout="vnni",
            batch=STRIDE,
            beta=0.0 if first else 1.0,
            numerics=self.numerics,  # type: ignore[arg-type]
            target=self.target,
        )
        return self._kept(made)

    @_once
    def added(self, smaller: bool) -> Kernel:
        """Return the kernel that adds a bin of digits to the total, which may be updated in place."""
        m, n, _ = self.extents
        shape = (1, m * n)
        shapes = {"high": shape, "low": shape, "sums": shape}
        types = {"high": "f64", "low": "f64", "sums": "i32"}
        return self.equation(ladder_math.added(smaller), shapes, types, ("f64", "f64"))

    @_once
    def finished(self, alpha: float, beta: float) -> Kernel:
        """Return the kernel that finishes C, with any leading dimension. Pairs omit beta * C: see `updated`."""
        m, n, _ = self.extents
        rung = self.rung
        shapes = {"high": (m, n), "low": (m, n)} if rung.digits else {"total": (m, n)}
        shapes |= {"p0": (m, 1), "p1": (m, 1), "q0": (1, n), "q1": (1, n)}
        types = {name: "f32" if name == "total" else "f64" for name in shapes}
        leading: dict[str, Any] = {f"ld{name}": RUNTIME for name in (("y0", "y1") if rung.pair else ("y",))}
        if beta and not rung.pair:
            shapes["c"], types["c"], leading["ldc"] = (m, n), rung.element, RUNTIME
        if rung.digits:
            function: Callable[..., Any] = ladder_math.finished_digits(alpha, beta, rung.pair)
        else:
            function = ladder_math.finished(alpha, beta)
        out = (rung.element, rung.element) if rung.pair else rung.element
        return self.equation(function, shapes, types, out, leading=leading, extents=(m, n))

    @_once
    def updated(self, beta: float) -> Kernel:
        """Return the kernel that adds beta * C to a product of two words."""
        m, n, _ = self.extents
        names = ("high", "low", "c_high", "c_low")
        leading = {f"ld{name}": RUNTIME for name in ("c_high", "c_low", "y0", "y1")}
        return self.equation(
            ladder_math.updated_pair(beta), dict.fromkeys(names, (m, n)), out=("f64", "f64"), leading=leading
        )

    def epilogue(self, function: Callable[..., Any], extras: Mapping[str, tuple[Any, str]], accuracy: str) -> Kernel:
        """Return the kernel of an epilogue on finished elements and further operands, from dense memory to C."""
        m, n, _ = self.extents
        extents = {"row": (1, n), "col": (m, 1), "scalar": (1, 1), None: (m, n)}
        shapes = {"c": (m, n), **{name: extents[shape] for name, (shape, _) in extras.items()}}
        types = {"c": self.rung.element, **{name: dtype for name, (_, dtype) in extras.items()}}
        leading = {f"ld{name}": RUNTIME for name, (shape, _) in extras.items() if shape is None}
        return self.equation(
            function,
            shapes,
            types,
            self.rung.element,
            None,
            accuracy=accuracy,
            leading={**leading, "ldy": RUNTIME},
            extents=(m, n),
        )

    @_once
    def ordinary(self, first: bool) -> Kernel:
        """Return the product of the element type itself, for rows and columns with infinities and NaN."""
        m, n, k = self.extents
        made = brgemm(
            m,
            n,
            k,
            dtype=self.rung.element,  # type: ignore[arg-type]
            beta=0.0 if first else 1.0,
            target=self.target,
        )
        return self._kept(made)
