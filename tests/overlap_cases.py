"""Products whose factors have lines that overlap, and batches of levels: requests, operands between guard pages, and C
in exact integers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import check_canary, guarded, laid_out
from tilesmith.runtime.arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
TYPES = (
    ("f32", "f32", "f32"),
    ("f64", "f64", "f64"),
    ("bf16", "bf16", "f32"),
    ("f16", "f16", "f32"),
    ("u8", "i8", "i32"),
    ("i16", "i16", "i32"),
)
ORDERS = ("CCC", "FFF", "FCC", "CFC", "CFF", "FCF", "CCF", "FFC")


class Case(NamedTuple):
    """A request of a product, and the seed of its elements."""

    shape: tuple[int, int, int]
    dtype: tuple[str, str, str]
    order: str
    leading: tuple[int | None, int | None]
    counts: tuple[int, ...]
    strides: tuple[tuple[int, int], ...]
    packed: tuple[str, str]
    beta: float
    seed: int

    def kernel(self, target: str | None = None, **more: Any) -> Any:
        """Make the kernel."""
        batch = {"batch": self.counts, "strides": self.strides} if self.counts else {}
        return ts.brgemm(
            *self.shape,
            dtype=self.dtype,
            order=tuple(self.order),
            lda=self.leading[0],
            ldb=self.leading[1],
            a_layout=self.packed[0],
            b_layout=self.packed[1],
            beta=self.beta,
            target=target,
            **batch,
            **more,
        )

    def operands(self, kernel: Any, side: str) -> tuple[list[Array], list[Array], Array, Array]:
        """Return the factors as vectors of exactly the memory in which they lie, as strided views of these, C, and C as
        it must become. Elements are small integers, so that sums are exact."""
        rng, spec = np.random.default_rng(self.seed), kernel.spec
        vectors, views, values = [], [], []
        for operand in spec.operands[:2]:
            dtype = numpy_dtype(operand.dtype)
            least = 0 if operand.dtype[0] == "u" else -4
            vector = guarded(rng.integers(least, 5, spec.span(operand.name)).astype(dtype), side)
            steps = [distance * operand.group for distance in spec.distances(operand.name)]
            line = operand.view.leading * operand.group
            steps += (line, operand.group) if operand.view.order == "C" else (operand.group, line)
            steps += [1] * (operand.group > 1)
            shape = (*self.counts, *operand.shape)
            view = np.lib.stride_tricks.as_strided(vector, shape, [step * dtype.itemsize for step in steps])
            vectors.append(vector)
            views.append(view)
            values.append(self.plain(view, operand))
        m, n, _ = self.shape
        old = rng.integers(-4, 5, (m, n))
        c = laid_out(old.astype(numpy_dtype(self.dtype[2])), self.order[2], 0, side)
        wide = np.int64 if self.dtype[2] == "i32" else np.float64
        a, b = (each.astype(wide).reshape(-1, *each.shape[-2:]) for each in values)
        return vectors, views, c, sum((x @ y for x, y in zip(a, b)), self.beta * old.astype(wide))

    def plain(self, view: Array, operand: Any) -> Array:
        """Return the matrices without the groups of a packed layout."""
        if operand.group == 1:
            return view
        k = self.shape[2]
        if operand.name == "a":
            return view.reshape(*view.shape[:-2], -1)[..., :k]
        turned = view.swapaxes(-1, -2)
        return turned.reshape(*turned.shape[:-3], -1, turned.shape[-1])[..., :k, :]

    def check(self, kernel: Any, side: str, run: bool = False, flat: bool = True) -> None:
        """Call the kernel, or run it in the emulator, and compare C."""
        vectors, views, c, expected = self.operands(kernel, side)
        overlaps = [bool(self.counts) or each.view.leading < each.length for each in kernel.spec.operands[:2]]
        given = [vector if flat and each else view for vector, view, each in zip(vectors, views, overlaps)]
        (kernel.run if run else kernel)(*given, c)
        np.testing.assert_array_equal(c.astype(expected.dtype), expected)
        check_canary(c)


def cases(most: int = 20, types: tuple[tuple[str, str, str], ...] = TYPES) -> Any:
    """Draw requests. Distances are from 0 on, so that matrices overlap, coincide or lie apart."""

    @st.composite
    def drawn(draw: Any) -> Case:
        extent = st.integers(1, most)
        shape = draw(extent), draw(extent), draw(extent)
        dtype, order = draw(st.sampled_from(types)), draw(st.sampled_from(ORDERS))
        group = 4 // numpy_dtype(dtype[0]).itemsize
        packed = tuple(draw(st.sampled_from(["plain"] * 3 + ["vnni"] * (group in (2, 4)))) for _ in "ab")
        step = st.integers(0, 2 * most)
        levels = draw(st.lists(st.tuples(st.integers(1, 3), step, step), max_size=3))
        leading = tuple(draw(st.none() | st.integers(0, most)) for _ in "ab")
        counts, strides = tuple(each[0] for each in levels), tuple(each[1:] for each in levels)
        beta = draw(st.sampled_from([0.0, 1.0] + [2.0] * (dtype[2] != "i32")))
        return Case(shape, dtype, order, leading, counts, strides, packed, beta, draw(st.integers(0, 99)))

    return drawn()
