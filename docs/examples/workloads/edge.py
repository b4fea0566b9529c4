"""A time step of EDGE, the ADER-DG method for elastic waves: `tilesmith bench edge [--small] [--threads 1 2]`.

An element is a tetrahedron with 9 quantities and 35 basis functions (degree 4), q (9, 35), or (9, 35, s) if s
simulations are fused. With K_c the derivatives of the basis (35 x 35), F_f its traces on the faces (35 x 15), and
matrices of the element's material and shape (9 x 9), of which A and B couple stresses and velocities alone:

    time      d_0 = q        d_(n+1) = sum over c of A_c (d_n K_c)       i = sum over n of d_n dt^(n+1) / (n+1)!
    volume    q += sum over c of B_c (i K_c')
    surface   t_f = i F_f    q += sum over f of (L_f t_f + N_f t of the neighbour) F_f'

K and F are the same for all elements and have few entries: of fused simulations `ts.sparse_kernel` has them as code,
and each further derivative in time has fewer basis functions. Of A and B it has the pattern alone. The products with L
and N are those of `ts.brgemm`. Two loop nests (`ts.nest`) run over the elements; between them, `ts.gather` brings the
neighbours' traces. Source: Georganas et al., Tensor Processing Primitives, section 8 and tables 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import factorial, nan
from typing import Any

import numpy as np

import tilesmith as ts
from docs.examples.workloads import beside_torch
from docs.examples.workloads.beside_torch import error_of, timed, torch_here
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

DEGREE, QUANTITIES, DT = 4, 9, 0.05
BASIS = [(d + 1) * (d + 2) * (d + 3) // 6 for d in range(DEGREE, -1, -1)]
"""Basis functions of the polynomials up to each degree, from the highest: 35, 20, 10, 4, 1."""
FULL, FACE = BASIS[0], (DEGREE + 1) * (DEGREE + 2) // 2
STAR = np.zeros((QUANTITIES, QUANTITIES), bool)
for row, stress in enumerate(("xx", "yy", "zz", "xy", "yz", "xz")):
    for column, axis in enumerate("xyz", 6):
        STAR[row, column], STAR[column, row] = axis in stress or stress[0] == stress[1], axis in stress
"""The places of A and B that are not 0, of stresses and velocities (Dumbser and Kaeser 2006, section 2)."""


def monomials(points: Any, by: int | None = None) -> Any:
    """Return all monomials up to DEGREE at points (n, d), by degree, or their derivatives by an axis."""
    axes = points.shape[1]
    powers = [p for p in np.ndindex(*[DEGREE + 1] * axes) if sum(p) <= DEGREE]
    columns = []
    for each in sorted(powers, key=lambda p: (sum(p), p)):
        factor, left = 1, list(each)
        if by is not None:
            factor, left[by] = left[by], max(left[by] - 1, 0)
        columns.append(factor * np.prod(points ** np.array(left), axis=1))
    return np.stack(columns, 1)


def simplex(axes: int) -> tuple[Any, Any]:
    """Return points and weights that integrate products of two polynomials over the unit simplex exactly."""
    x, w = np.polynomial.legendre.leggauss(DEGREE + 3)
    grids = np.meshgrid(*[(x + 1) / 2] * axes, indexing="ij")
    weights = np.prod(np.meshgrid(*[w / 2] * axes, indexing="ij"), axis=0)
    points, left = [], np.ones_like(grids[0])
    for axis, grid in enumerate(grids):  # collapsed coordinates
        points.append(left * grid)
        weights = weights * (1 - grid) ** (axes - 1 - axis)
        left = left * (1 - grid)
    return np.stack(points, -1).reshape(-1, axes), weights.ravel()


@cache
def operators() -> tuple[Any, Any]:
    """Return K (3, 35, 35) and F (4, 35, 15) of the orthonormal basis whose functions follow from the monomials."""

    def basis(axes: int) -> tuple[Any, Any, Any]:
        points, weights = simplex(axes)
        return points, weights, np.linalg.inv(np.linalg.qr(np.sqrt(weights)[:, None] * monomials(points))[1])

    (points, weights, change), (flat, on_face, of_face) = basis(3), basis(2)
    values = monomials(points) @ change
    k = np.stack([(monomials(points, axis) @ change).T @ (weights[:, None] * values) for axis in range(3)])
    s, t = flat.T
    faces = [(s, t, 0 * s), (s, 0 * s, t), (0 * s, s, t), (1 - s - t, s, t)]
    traces = [monomials(np.stack(face, 1)) @ change for face in faces]
    f = np.stack([each.T @ (on_face[:, None] * (monomials(flat) @ of_face)) for each in traces])
    return tuple(np.where(np.abs(each) < 1e-9, 0, each).astype(np.float32) for each in (k, f))


class Solver:
    """The kernels and nests of a number of elements with `fused` simulations each; of one simulation, all are dense."""

    def __init__(self, elements: int, fused: int, entries: bool = True) -> None:
        self.elements, self.fused, self.flops = elements, fused, 0
        self.pattern = STAR | (fused == 1 or not entries)

        def by(matrix: Any, beta: int, wide: int = FULL) -> Any:
            """Return x (9, rows, s) by a fixed matrix: `wide` functions lie between quantities of x."""
            (k, n), between = matrix.shape, matrix.shape[1] if beta == 0 else FULL
            if fused == 1:
                self.flops += 2 * QUANTITIES * k * n
                return ts.brgemm(QUANTITIES, n, k, lda=wide, ldb=matrix.strides[0] // 4, ldc=between, beta=beta)
            self.flops += 2 * QUANTITIES * fused * int(np.count_nonzero(matrix))
            full = matrix if entries else np.where(matrix == 0, np.float32(1e-30), matrix)
            kernel = ts.sparse_kernel(full, QUANTITIES, side="right", beta=beta, ldb=wide, ldc=between, packed=fused)
            return lambda x, which, y: kernel(x, y)

        def star(columns: int, beta: int, wide: int, places: Any = self.pattern) -> Any:
            """Return a matrix of the element, by its entries, by x (9, columns, s); `wide` lie between results."""
            self.flops += 2 * int(places.sum()) * columns * fused
            if places.all():
                return ts.brgemm(QUANTITIES, columns * fused, QUANTITIES, ldc=wide * fused, beta=beta)
            return ts.sparse_kernel(places, columns, values=ts.RUNTIME, packed=fused, ldc=wide, beta=beta)

        self.k, self.f = operators()
        self.kt, self.ft = (np.ascontiguousarray(each.transpose(0, 2, 1)) for each in (self.k, self.f))
        self.nests = self._local(by, star), self._neighbours(by, star)
        self.gather = ts.gather("rows", 4 * elements, QUANTITIES * FACE * fused, size=4 * elements)
        self.traces, self.theirs = (ts.empty((elements, 4, QUANTITIES, FACE * fused)) for _ in range(2))
        self.flops *= elements

    def given(self, matrices: dict[str, Any]) -> dict[str, Any]:
        """Return A, B, L and N, of A and B the entries at the places of the pattern."""
        return {name: np.ascontiguousarray(x[..., self.pattern]) if name in "ab" else x for name, x in matrices.items()}

    def step(self, q: Any, given: dict[str, Any], neighbours: Any) -> None:
        """Advance q (elements, 9, 35 s) in place. `neighbours` are 4 * element + face of what each face meets."""
        local, rest = self.nests
        local(q, given["a"], given["b"], self.k, self.kt, self.f, self.traces)
        rows = len(neighbours), -1
        self.gather(self.traces.reshape(rows), neighbours, self.theirs.reshape(rows))
        rest(self.traces, self.theirs, given["l"], given["n"], self.ft, q)

    def _add(self, factor: float, columns: int) -> Any:
        """Return i + factor * d of the first columns of two blocks."""
        shape, wide = (QUANTITIES, columns * self.fused), FULL * self.fused
        return ts.equation(lambda i, d: i + factor * d, i=shape, d=shape, ldi=wide, ldd=wide, ldy=wide)

    def _local(self, by: Any, star: Any) -> Any:
        s, orders = self.fused, list(zip(BASIS, BASIS[1:]))
        down = [[by(k[:n, :less], 0) for k in self.k] for n, less in orders]
        stars = [[star(less, int(c > 0), FULL) for c in range(3)] for _, less in orders]
        first = ts.equation(lambda q: DT * q, q=(QUANTITIES, FULL * s))
        adds = [self._add(DT ** (n + 2) / factorial(n + 2), less) for n, (_, less) in enumerate(orders)]
        up, volume = [by(k, 0) for k in self.kt], [star(FULL, 1, FULL) for _ in self.k]
        traces = [by(f, 0) for f in self.f]

        def body(i: Any, q: Any, a: Any, b: Any, k: Any, kt: Any, f: Any, trace: Any, *scratch: Any) -> None:
            d, t, total = scratch
            first(q[i.e], total[0])
            for n, (kernels, products) in enumerate(zip(down, stars)):
                for c in range(3):
                    kernels[c](q[i.e] if n == 0 else d[n - 1], k[c, 0, 0], t[0])
                    products[c](a[i.e, c], t[0], d[n])
                adds[n](total[0], d[n], total[0])
            for c in range(3):
                up[c](total[0], kt[c], t[0])
                volume[c](b[i.e, c], t[0], q[i.e])
            for face in range(4):
                traces[face](total[0], f[face], trace[i.e, face])

        n, shape = self.elements, (QUANTITIES, FULL * s)
        stars_of = n, 3, int(self.pattern.sum())
        arrays = {"q": (n, *shape), "a": stars_of, "b": stars_of, "k": self.k.shape, "kt": self.kt.shape}
        arrays |= {"f": self.f.shape, "trace": (n, 4, QUANTITIES, FACE * s)}
        return self._nest(body, arrays, d=(4, *shape), t=(1, *shape), total=(1, *shape))

    def _neighbours(self, by: Any, star: Any) -> Any:
        own, other = (star(FACE, beta, FACE, np.ones_like(STAR)) for beta in (0, 1))
        lift = [by(f, 1, FACE) for f in self.ft]

        def body(i: Any, mine: Any, theirs: Any, l: Any, n: Any, ft: Any, q: Any, t: Any) -> None:
            for face in range(4):
                own(l[i.e, face], mine[i.e, face], t[0])
                other(n[i.e, face], theirs[i.e, face], t[0])
                lift[face](t[0], ft[face], q[i.e])

        n, trace, shape = self.elements, (4, QUANTITIES, FACE * self.fused), (QUANTITIES, FULL * self.fused)
        arrays = {"mine": (n, *trace), "theirs": (n, *trace), "l": (n, 4, 9, 9), "n": (n, 4, 9, 9)}
        arrays |= {"ft": self.ft.shape, "q": (n, *shape)}
        return self._nest(body, arrays, t=(1, *trace[1:]))

    def _nest(self, body: Any, arrays: Any, **scratch: Any) -> Any:
        """Return the loop over the elements, of the shapes of arrays and of scratch memory."""
        operands = {name: (shape, "f32") for name, shape in arrays.items()}
        operands |= {name: ts.scratch(shape) for name, shape in scratch.items()}
        return ts.nest("E", {"e": (0, self.elements, 1)}, body, **operands)


def plain(q: Any, a: Any, b: Any, l: Any, n: Any, k: Any, f: Any, neighbours: Any) -> Any:
    """Return q (elements, s, 9, 35) after a step by products of numpy or torch: a to n (elements, 1, c, 9, 9)."""
    total, d = DT * q, q
    for order in range(1, DEGREE + 1):
        d = sum(a[:, :, c] @ (d @ k[c]) for c in range(3))
        total = total + DT ** (order + 1) / factorial(order + 1) * d
    q = q + sum(b[:, :, c] @ (total @ k[c].T) for c in range(3))
    traces = [total @ each for each in f]
    for face, mine in enumerate(traces):
        near, of = neighbours[:, face] // 4, neighbours[:, face] % 4
        theirs = sum((of == other)[:, None, None, None] * each[near] for other, each in enumerate(traces))
        q = q + (l[:, :, face] @ mine + n[:, :, face] @ theirs) @ f[face].T
    return q


def measured(run: Run, fused: int, elements: int) -> Row:
    """Measure steps of elements with several simulations each, beside the same kernels with all entries, and torch."""
    rng = np.random.default_rng(0)
    solver, q = Solver(elements, fused), rng.standard_normal((elements, QUANTITIES, FULL * fused)).astype(np.float32)
    matrices = {
        name: (rng.standard_normal((elements, count, 9, 9)) * places / 9).astype(np.float32)
        for name, count, places in (("a", 3, STAR), ("b", 3, STAR), ("l", 4, 1), ("n", 4, 1))
    }
    neighbours = rng.permutation(4 * elements)
    apart = q.reshape(elements, QUANTITIES, FULL, fused).transpose(0, 3, 1, 2)
    operands = [each[:, None] for each in matrices.values()] + list(operators())
    wanted = plain(*(each.astype(np.float64) for each in (apart, *operands)), neighbours.reshape(-1, 4))
    given, found = solver.given(matrices), q.copy()
    solver.step(found, given, neighbours)
    found = found.reshape(elements, QUANTITIES, FULL, fused).transpose(0, 3, 1, 2)
    error = error_of(found, wanted, 1e-5, f"{fused} simulations")
    state = ts.empty(q.shape)
    state[...] = 0  # zeros stay zeros, however often the steps are repeated
    calls = {"ours": lambda: solver.step(state, given, neighbours)}
    if fused > 1:
        full = Solver(elements, fused, entries=False)
        calls["full"] = partial(full.step, state, full.given(matrices), neighbours)
    if (torch := torch_here()) is not None:
        tensors = [torch.from_numpy(np.ascontiguousarray(each)) for each in (np.zeros_like(apart), *operands)]
        faces = torch.from_numpy(neighbours.reshape(-1, 4))
        calls["torch"] = lambda: plain(*tensors, faces)
    best = timed(run, calls)
    rate = solver.flops / best["ours"]
    row = {"threads": ts.num_threads(), "simulations": fused, "elements": elements, "rate": rate, "by full": nan}
    row |= {"of peak": rate / beside_torch.peak(run, "f32"), "error": f"{error:.0e}"}
    return row | best | {"ours": best["ours"] / elements}


COLUMNS = (
    "threads; simulations:0; elements:0; us a step of an element=ours:2u; GFLOP/s=rate:1G; of peak:2; "
    "all entries by ours=by full:2; by torch:2; error"
)


def _tables(run: Run) -> Sequence[Table]:
    cases = [(1, 24), (16, 12)] if run.options.small else [(1, 4096), (8, 1024), (16, 512)]
    goals = (
        Wanted("{simulations} simulations, {threads} threads: all entries by ours", 2.0, "by full"),
        Wanted("{simulations} simulations, {threads} threads: of peak", 0.33, "of peak", where={"simulations": 1}),
    )
    return (Table("steps", COLUMNS, cases, measured, "f32: steps of ADER-DG", goals),)


BENCH = Bench("edge", __doc__, _tables, beside_torch.OPTIONS, seconds=0.5, **beside_torch.SETTINGS)
