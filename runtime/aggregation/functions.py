"""`graph_reduce`: rows of tables that the entries of a graph name, combined and reduced; and its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.gather.bag_spec import COMBINED, DOT, EACH, NAMES
from ..arguments.arrays import Array
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortening
from ..host import detect as host
from ..threads.policy import workers_of
from . import arrays
from .pieces import Compressed, compressed
from .rows import EntryTerms, leading_of, reduce_rows

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, TargetLike

Reduction: TypeAlias = Literal["sum", "mean", "max", "min", "each"]
Combination: TypeAlias = Literal["mul", "add", "sub", "div", "dot"]


_PLACES = {4: np.int32, 8: np.int64}
"""The type of positions, by the bytes of a number of the result."""


class _Call(NamedTuple):
    """A call whose arguments were checked."""

    graph: Compressed
    table: Array
    terms: EntryTerms
    threads: int
    target: Target

    def reduced(self, name: str, y: Array, arg: Array | None = None) -> None:
        """Compute a reduction. Raises IndexError for an entry that names no row."""
        wide = y if y.ndim == 2 else y[:, None]
        graph, terms = self.graph, self.terms
        bad = reduce_rows(
            graph, self.table, wide, name=name, terms=terms, arg=arg, threads=self.threads, target=self.target
        )
        if bad < 0:
            return
        if terms.named is not None and terms.second is not None and 0 <= graph.indices[bad] < len(self.table):
            raise arrays.lying("the index of pairs", bad, terms.named, len(terms.second))
        raise arrays.lying("indices", bad, graph.indices, len(self.table))


@shortening
def graph_reduce(
    indptr: ArrayLike,
    indices: ArrayLike,
    table: ArrayLike = None,
    op: Reduction = "sum",
    *,
    combine: Combination = "mul",
    weights: ArrayLike = None,
    edges: ArrayLike = None,
    rows: ArrayLike = None,
    pairs: tuple[ArrayLike, ArrayLike] | None = None,
    arg: bool = False,
    out: ArrayLike = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> ArrayLike:
    """Return, for each row b of a graph in compressed form, the reduction of the rows of a table that its entries name:
    y[b] = sum of table[indices[p]] for p from indptr[b] to indptr[b + 1] - 1.

    indptr, indices   the ends of the rows (rows + 1,) and the source of each entry, int32 or int64; indices=None: entry
              p names row p. graph_reduce(a, table, op) takes a CSR matrix of scipy or torch, whose values are weights
    table     a row of features for each source (sources, n), f32, f64, bf16 or f16; (sources,) is one column
    op        "sum", "mean", "max", "min"; or "each", which reduces nothing: the result has a row for each entry
    combine   how the row of a source is combined with the operand that is given, one of those below: "mul", "add",
              "sub", "div"; or "dot", a number for each entry, the sum over the features
    weights   a number for each entry (entries,)
    edges     a row of features for each entry (entries, n)
    rows      a row of features for each row of the graph (rows, n), as those of destinations
    pairs     (another table, its index for each entry), as features of sources and destinations
    arg       of a "max" or "min": return also the position p of the entry that it is from, the first if several are
              equal, and the first NaN before all. It is int32, of f64 int64; of a row without entries -1
    out       an array for the result
    threads   the number of threads; None: num_threads(). Any number of them gives the same bits
    target    the target, as "avx2"; None: this host

    The result of a row without entries is 0, for every op. Everything is computed and returned in f32, of f64 in f64;
    the terms of a row are added in order, in parts of at most 4,096. An index that lies outside is an IndexError, and
    never an access; what the result holds then is undefined. As DGL's gspmm and gsddmm, and scipy's a @ x.
    """
    call, matrix = _checked(indptr, indices, table, op, combine, weights, edges, rows, pairs, threads, target)
    op = cast(Reduction, table) if matrix and isinstance(table, str) else op
    graph, terms, columns = call.graph, call.terms, call.table.shape[1]
    dot, each = terms.combine == DOT, op == EACH
    if arg and op not in ("max", "min"):
        raise ValueError(f'arg: only of "max" or "min", not of {op!r}')
    features = arrays.array("table", indices if matrix else table).ndim - 1
    wide = () if dot or not features else (columns,)
    count = len(graph.indices) if each else graph.rows
    dtype = arrays.sums_of(call.table)
    y = arrays.result_of(
        out,
        (count, *wide),
        dtype,
        table=call.table,
        indices=graph.indices,
        weights=terms.weights,
        operand=terms.second,
        pairs=terms.named,
    )
    places = _places_beside(y) if arg else None
    if places is not None and len(graph.indices) > np.iinfo(places.dtype).max:
        raise UnsupportedError(f"arg: at most 2^31 - 1 entries, not {len(graph.indices)}; convert the table to f64")
    if dot and not each:  # a number for each entry, and then the reduction of these
        numbers = np.empty((len(graph.indices), 1), dtype)
        call.reduced(EACH, numbers)
        own = graph._replace(indices=np.arange(len(numbers)), checked=True)
        call._replace(graph=own, table=numbers, terms=EntryTerms()).reduced(op, y, places)
    else:
        if each and (len(graph.ends) == 0 or graph.ends[0] > 0 or graph.ends[-1] < count):
            y[...] = 0  # entries of no row
        call.reduced(op, y, places)
    made = out if out is not None else returned(y, (table, indices, indptr))
    if places is None:
        return made
    return made, returned(np.ascontiguousarray(places).reshape(y.shape), (table, indices, indptr))


def _places_beside(y: Array) -> Array:
    """Return an array for the positions of a result, whose rows are as far apart: kernels step through both alike."""
    wide = y if y.ndim == 2 else y[:, None]
    return np.empty((len(wide), leading_of(wide)), _PLACES[y.itemsize])[:, : wide.shape[1]]


def _checked(
    indptr: ArrayLike,
    indices: ArrayLike,
    table: ArrayLike,
    op: str,
    combine: str,
    weights: ArrayLike,
    edges: ArrayLike,
    rows: ArrayLike,
    pairs: tuple[ArrayLike, ArrayLike] | None,
    threads: int | None,
    target: TargetLike,
) -> tuple[_Call, bool]:
    """Check the arguments, and return the call, and whether the graph is a matrix."""
    matrix = arrays.matrix_of(indptr)
    if matrix is not None:
        op = table if isinstance(table, str) else op
        if table is not None and not isinstance(table, str):
            raise TypeError("table: a matrix has its own indices, so the table follows it: graph_reduce(a, table, op)")
        indptr, indices, table = matrix.ends, matrix.indices, indices
        if weights is None and edges is None and rows is None and pairs is None:
            weights = matrix.values
    arrays.one_of("op", op, (*NAMES, EACH))
    combine = arrays.one_of("combine", combine, COMBINED)
    graph = arrays.graph_of(indptr, indices)
    wanted = None if matrix is None else matrix.columns
    source = arrays.rows_of("table", table, (wanted, None), ", a row for each column of the matrix")
    operands = {"weights": weights, "edges": edges, "rows": rows, "pairs": pairs}
    given = [name for name, each in operands.items() if each is not None]
    if len(given) > 1:
        raise TypeError(f"{given[1]}: one operand beside the table, not also {given[0]}; combine two of them first")
    if not given and combine != "mul":
        raise TypeError(f"combine: {combine!r} needs one of {', '.join(operands)}")
    terms = _terms(graph, source, combine, operands) if given else EntryTerms()
    if terms.named is not None and terms.named.dtype != graph.indices.dtype:
        graph = graph._replace(indices=graph.indices.astype(np.int64))
        terms = terms._replace(named=terms.named.astype(np.int64))
    return _Call(graph, source, terms, workers_of(threads, None), host.resolve(target)), matrix is not None


def _terms(graph: Compressed, table: Array, combine: str, given: dict[str, ArrayLike]) -> EntryTerms:
    """Return what the rows of the table are combined with."""
    entries, columns = len(graph.indices), table.shape[1]
    if given["weights"] is not None:
        if combine == DOT:
            raise UnsupportedError("combine: a dot product is of two rows, edges=, rows= or pairs=, not of weights")
        return EntryTerms(combine, arrays.numbers_of("weights", given["weights"], entries, arrays.sums_of(table)))
    if given["edges"] is not None:
        second = arrays.rows_of("edges", given["edges"], (entries, columns), ", a row for each entry")
        return EntryTerms(combine, None, arrays.alike("edges", second, table), "entries")
    if given["rows"] is not None:
        second = arrays.rows_of("rows", given["rows"], (graph.rows, columns), ", a row for each of the graph")
        return EntryTerms(combine, None, arrays.alike("rows", second, table), "rows")
    if not isinstance(given["pairs"], tuple) or len(given["pairs"]) != 2:
        raise TypeError("pairs: (table, index), a table of rows and the index of one for each entry")
    second = arrays.rows_of("pairs", given["pairs"][0], (None, columns), ", rows as long as those of the table")
    index = arrays.whole_numbers("the index of pairs", given["pairs"][1], entries, "one for each entry")
    return EntryTerms(combine, None, arrays.alike("pairs", second, table), "table", index)


class TransposedGraph(NamedTuple):
    """A graph whose rows are the sources of another one: ends and indices, and the entry of the other graph that each
    of its entries is."""

    indptr: Array
    indices: Array
    entries: Array


@shortening
def graph_transpose(indptr: ArrayLike, indices: ArrayLike = None, sources: int | None = None) -> TransposedGraph:
    """Return the graph whose rows are the sources of a graph, and whose indices are its rows, in the order of its
    entries. `entries` says which of its entries each one was: weights[entries] are the weights of the transpose.
    indptr and indices are as in `graph_reduce`, and sources is the number of rows of its table. graph_transpose(a)
    takes a CSR matrix, whose columns are the sources."""
    matrix = arrays.matrix_of(indptr)
    if matrix is not None:
        return _transposed(arrays.graph_of(matrix.ends, matrix.indices), matrix.columns)
    if sources is None:
        raise TypeError("sources: the number of rows of the table; only a matrix says it itself")
    return _transposed(arrays.graph_of(indptr, indices), sources)


def _transposed(graph: Compressed, sources: int) -> TransposedGraph:
    first, last = int(graph.ends[0]), int(graph.ends[-1])
    inside = graph.indices[first:last].astype(np.int64)
    arrays.check_inside("indices", inside, sources)
    if len(inside) < 1 << 32 and sources < 1 << 31:  # keys of source and entry differ, so that any sort is stable
        order = np.sort(inside << 32 | np.arange(len(inside))) & 0xFFFFFFFF
    else:
        order = np.argsort(inside, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(inside, minlength=sources))])
    rows = np.repeat(np.arange(graph.rows), np.diff(graph.ends))
    return TransposedGraph(ends, rows[order], order + first)


@shortening
def graph_reduce_backward(
    dy: ArrayLike,
    indptr: ArrayLike,
    indices: ArrayLike,
    table: ArrayLike = None,
    op: Literal["sum", "mean", "max", "min"] = "sum",
    *,
    weights: ArrayLike = None,
    arg: ArrayLike = None,
    transpose: TransposedGraph | None = None,
    wanted: str = "table weights",
    threads: int | None = None,
    target: TargetLike = None,
) -> tuple[ArrayLike, ArrayLike]:
    """Return the gradients of `graph_reduce` by the table and by the weights, from dy, that by its result.
    graph_reduce_backward(dy, a, table, op) takes a CSR matrix, whose values are the weights.

    arg         the positions that graph_reduce(..., "max", arg=True) returned; None: they are computed again
    transpose   what graph_transpose(indptr, indices, len(table)) returns, for sums and means; None: it is made
    wanted      "table weights", "table" or "weights"; the other one is None, as that by weights is without weights

    The gradient of a sum by the table is the sum over the transposed graph, that by weights the dot product of a row of
    dy and a row of the table; a maximum sends its gradient to the entry that it is from. Both are f32, or f64.
    """
    asked = wanted.split() if isinstance(wanted, str) else []
    if not asked or not {"table", "weights"}.issuperset(asked):
        raise ValueError(f'wanted: "table weights", "table" or "weights", not {wanted!r}')
    matrix = arrays.matrix_of(indptr) is not None
    name = arrays.one_of("op", table if matrix and isinstance(table, str) else op, NAMES)
    call, _ = _checked(indptr, indices, table, name, "mul", weights, None, None, None, threads, target)
    table = indices if matrix else table
    graph, dtype = call.graph._replace(checked=True, indices=call.graph.indices.copy()), arrays.sums_of(call.table)
    flat = arrays.array("table", table).ndim == 1
    given = arrays.rows_of("dy", dy, (graph.rows, call.table.shape[1]), ", as the result")
    arrays.check_inside("indices", graph.indices, len(call.table))
    call = call._replace(table=np.ascontiguousarray(call.table, dtype), graph=graph)
    given = np.ascontiguousarray(given, dtype)
    if name in ("max", "min"):
        if arg is None:
            places = np.empty(given.shape, _PLACES[dtype.itemsize])
            call.reduced(name, np.empty(given.shape, dtype), places)
        else:
            places = arrays.array("arg", arg).reshape(given.shape)
        by_table, by_weights = _of_extrema(call, given, places.astype(np.int64), asked)
    else:
        by_table, by_weights = _of_sums(call, given, name == "mean", transpose, asked)
    if by_table is not None and flat:
        by_table = by_table[:, 0]
    sources = (dy, table, indptr)
    first, second = (None if each is None else returned(each, sources) for each in (by_table, by_weights))
    return first, second


def _of_sums(
    call: _Call, dy: Array, mean: bool, transpose: TransposedGraph | None, wanted: list[str]
) -> tuple[Array | None, Array | None]:
    graph, weights = call.graph, call.terms.weights
    if mean:
        lengths = np.maximum(np.diff(graph.ends), 1).astype(dy.dtype)
        dy = dy / lengths[:, None]
    by_table = by_weights = None
    if "table" in wanted:
        turned = _transposed(graph, len(call.table)) if transpose is None else _checked_transpose(transpose, call)
        own = compressed(turned.indptr, turned.indices)
        by_table = np.empty((len(call.table), dy.shape[1]), dy.dtype)
        terms = EntryTerms() if weights is None else EntryTerms(weights=weights[turned.entries])
        call._replace(graph=own, table=dy, terms=terms).reduced("sum", by_table)
    if "weights" in wanted and weights is not None:
        by_weights = np.zeros(len(graph.indices), dy.dtype)
        call._replace(terms=EntryTerms(DOT, None, dy, "rows")).reduced(EACH, by_weights)
    return by_table, by_weights


def _checked_transpose(given: TransposedGraph, call: _Call) -> TransposedGraph:
    """Return the transpose that a caller gives as vectors of neighbours, with a number for each of its entries."""
    if not isinstance(given, TransposedGraph):
        raise TypeError(f"transpose: what graph_transpose returns, not {type(given).__name__}")
    ends, indices, entries = (
        arrays.whole_numbers(f"transpose.{name}", each) for name, each in zip(given._fields, given)
    )
    if len(ends) != len(call.table) + 1:
        raise ValueError(f"transpose: of {len(call.table)} sources, not of {len(ends) - 1}")
    if len(entries) != len(indices):
        raise ValueError(f"transpose: as many entries as indices, {len(indices)}, not {len(entries)}")
    arrays.check_inside("transpose.entries", entries, len(call.graph.indices))
    return TransposedGraph(ends, indices, entries)


def _of_extrema(call: _Call, dy: Array, places: Array, wanted: list[str]) -> tuple[Array | None, Array | None]:
    """Return the gradients of a maximum: each goes to one entry. They are added in f64, in the order of the rows."""
    graph, weights, columns = call.graph, call.terms.weights, dy.shape[1]
    taken = places >= 0
    arrays.check_inside("arg", places[taken], len(graph.indices))
    at, moved, column = places[taken], dy[taken].astype(np.float64), np.nonzero(taken)[1]
    sources = graph.indices[at].astype(np.int64)
    by_table = by_weights = None
    if "table" in wanted:
        scaled = moved if weights is None else moved * weights[at]
        total = np.bincount(sources * columns + column, scaled, call.table.size)
        by_table = total.reshape(call.table.shape).astype(dy.dtype)
    if "weights" in wanted and weights is not None:
        by_weights = np.bincount(at, moved * call.table[sources, column], len(weights)).astype(dy.dtype)
    return by_table, by_weights
