"""`grouped_matmul`: products whose members have their own numbers of rows or terms, as experts of a network have.

A call checks the arrays and the offsets, fills a table of pieces (`tables`) and runs a job (`nest`) that is made for
the types, the layouts and the extents that do not depend on the offsets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import cached_property
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import GemmSpec, product_types
from ...microkernels.operands import extent
from ...microkernels.tuning.products import GROUPS
from ..api.aligned import bytes_at_a_line, kept_at_a_line
from ..arguments.arrays import Array, NoArray, address_of, numpy_dtype, overlap, overlaps_itself
from ..arguments.factors import native, types_of
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..host import detect as host
from ..kernel import call_plans
from ..kernel.request_cache import RECENT, Shared, forgetting
from ..loops.job import Job, job_of
from ..loops.scratch import buffer
from ..loops.text import text
from ..ops.blocks import lanes_of
from ..ops.row_kernels import PackedBlockOfB, RowKernels, Steps, packed_block
from ..ops.row_nest import RowsNest, row_table
from ..threads.policy import workers_of
from .kernels import DepthKernels
from .nest import DepthNest
from .operands import (
    AskedEpilogue,
    EpilogueArrays,
    array_of,
    by_rows,
    finishing_of,
    in_order,
    leading_of,
    matrices_of,
    operand_of,
    read_of,
    steps_of,
    with_sums,
)
from .tables import depth_table, ends_of
from .weights import by_weights, weights_of

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.expr.graph import Expr
    from ..api.typed import ArrayLike, ArraysByName, DTypeLike
    from ..verify.proof import Proof
    from . import proofs
    from .weights import Weights

proofs = lazy(__package__, ".proofs")

Nest = TypeVar("Nest", RowsNest, DepthNest)


class GroupedJob(Generic[Nest]):
    """A job with its scratch memory, for all calls with such arrays."""

    def __init__(self, nest: Nest, target: Target, stem: str) -> None:
        self.nest: Nest = nest
        self.target = target
        self.job: Job = job_of((nest,), nest.nodes, target, stem)
        kernels = nest.kernels
        product = GemmSpec(1, kernels.n, 1, kernels.dtypes, ("C", "C", "C"), (1, 1, 1), None, 1.0, 0.0)
        self._last: tuple[bytes, Array] = b"", np.empty(0, np.int64)
        self._speed = GROUPS.per_cycle * lanes_of(product, target)

    @cached_property
    def own(self) -> int:
        """The bytes of scratch memory of a worker."""
        size: int = self.nest.scratch.bytes
        return size

    def table(self, ends: Array, make: Callable[[], Array]) -> Array:
        """Return the table of these ends: that of the last call if they are the same, as in layers of experts."""
        given = ends.tobytes()
        found, table = self._last
        if found != given:
            table = make()
            self._last = given, table
        return table

    def verify(self, ends: Array, table: Array, *, timeout: float | None = None) -> Proof:
        """Return a proof of the job with the table of members that end at `ends`: that its kernels' calls are the
        products of all members and write each element once; see docs/soundness.md."""
        return proofs.of_groups(self.job, self.nest, ends, table, timeout=timeout)

    def planned(self, ends: Array, table: Array) -> call_plans.JobOfCall:
        """Return the job with the table of a call."""
        kernels, form = self.nest.kernels, "rows" if isinstance(self.nest, RowsNest) else "terms"
        title = f"grouped product of {len(ends)} members by their {form}, {','.join(kernels.dtypes)}"
        names = dict(enumerate(("a", "b", "c", "own scratch", "table")))
        return call_plans.JobOfCall(
            f"{title}, for {self.target.name}",
            lambda: text(self.job.blob.nodes, names, "  "),
            lambda **given: self.verify(ends, table, **given),
        )

    def run(
        self,
        addresses: Sequence[int],
        ends: Array,
        table: Array,
        extras: Sequence[int],
        flops: int,
        threads: int,
    ) -> None:
        """Compute on matrices at these addresses, whose members end at `ends`."""
        if call_plans.wanted:
            call_plans.note(lambda: self.planned(ends, table))
        cycles = flops // self._speed
        if not self.own:
            self.job.run((*addresses, 0, address_of(table), *extras), threads, cycles=cycles)
            return
        with buffer(threads * self.own) as scratch:
            self.job.run((*addresses, scratch.address, address_of(table), *extras), threads, cycles=cycles)


_ROWS: dict[object, GroupedJob[RowsNest]] = {}
_TERMS: dict[object, GroupedJob[DepthNest]] = {}
forgetting.append(_ROWS.clear)
forgetting.append(_TERMS.clear)


class PackedGroups(NoArray, Shared):
    """The matrices of all members in the blocks that `grouped_matmul` reads: see `pack_groups`. It cannot be changed.

    array   the blocks as bytes, read-only
    shape   (members, K, N)
    dtypes  of the rows that they multiply, of the matrices, and of the sums
    block   the size of a block
    """

    taken_by = "ts.grouped_matmul(x, weights, offsets) multiplies, and weights.array has the bytes"
    array: Array
    shape: tuple[int, int, int]
    dtypes: tuple[str, str, str]
    block: PackedBlockOfB

    def __init__(
        self, array: Array, shape: tuple[int, int, int], dtypes: tuple[str, str, str], block: PackedBlockOfB
    ) -> None:
        self._keep(array=array, shape=shape, dtypes=dtypes, block=block)

    def __reduce__(self) -> tuple[Callable[..., PackedGroups], tuple[object, ...]]:
        return _packed_again, (self.array, self.shape, self.dtypes, tuple(self.block))

    def __repr__(self) -> str:
        members, k, n = self.shape
        return f"<{members} matrices {k} x {n} {self.dtypes[1]}, packed for {self.dtypes[0]} rows>"


def _packed_again(
    array: Array, shape: tuple[int, int, int], dtypes: tuple[str, str, str], block: tuple[int, int, str]
) -> PackedGroups:
    members, k, n = extents = _extents(*shape)
    found = _block_of(extents, dtypes)
    if tuple(found) != block:
        raise ValueError("matrices that were packed for another processor, whose blocks lie otherwise; pack them here")
    kernels = RowKernels(n, k, dtypes, k, "C", n, n, True, found, host.resolve(None))
    nest = RowsNest(kernels, Steps(0, 0), Steps(0, 0), Steps(0, 0), None, True)
    size = max(1, members * nest.bytes_member) if 0 not in extents else 1
    if array.dtype != np.uint8 or array.size != size:
        raise ValueError(f"packed matrices {extents}: {size} bytes, not {array.size} of {array.dtype}")
    return PackedGroups(kept_at_a_line(array.reshape(-1)), extents, dtypes, found)


def _extents(members: int, k: int, n: int) -> tuple[int, int, int]:
    return extent("G", members, least=0), extent("K", k, least=0), extent("N", n, least=0)


def _block_of(extents: tuple[int, int, int], dtypes: tuple[str, str, str]) -> PackedBlockOfB:
    """Return the size of the blocks of matrices, which those without elements have none of."""
    _, k, n = extents
    return PackedBlockOfB(1, 1, "plain") if 0 in extents else packed_block(n, k, dtypes, host.resolve(None))


@shortening
def pack_groups(b: ArrayLike, *, dtype: DTypeLike | None = None, threads: int | None = None) -> PackedGroups:
    """Return the matrices b (G, K, N) packed once, as the second argument of `grouped_matmul`: weights of experts.

    dtype     the element type of the rows that they will multiply; None: that of b, as for f32 and bf16
    threads   the number of threads; None: ts.num_threads()

    b may be changed or freed afterwards. Calls then pack nothing.
    """
    y = native("b", array_of("b", b))
    if y.ndim != 3:
        raise ValueError(f"b: must be (G, K, N), the matrices of the members, not of shape {y.shape}")
    of_b = type_of("b", y)
    of_a = of_b if dtype is None else element_type("dtype", dtype)
    dtypes = with_sums(product_types(of_a, of_b, None))
    members, k, n = y.shape
    target = host.resolve(None)
    y, order, ldb = matrices_of(y)
    block = _block_of((members, k, n), dtypes)
    nest = RowsNest(
        RowKernels(n, k, dtypes, k, order, ldb, n, True, block, target),
        Steps(0, 0),
        steps_of(y),
        Steps(0, 0),
        None,
        True,
    )
    array = bytes_at_a_line(max(1, members * nest.bytes_member) if y.size else 1)
    if y.size:
        job = job_of((nest, "packing"), nest.packing_of_members, target, f"pack_groups_{of_b}_{k}x{n}")
        count = np.array([members], np.int64)
        operands = (0, address_of(y), address_of(array), 0, address_of(count))
        job.run(operands, workers_of(threads, None), cycles=y.size)
    array.setflags(write=False)
    return PackedGroups(array, (members, k, n), dtypes, block)


@shortening
def grouped_matmul(
    a: ArrayLike,
    b: ArrayLike | PackedGroups | Sequence[Weights],
    offsets: ArrayLike,
    out: ArrayLike = None,
    *,
    epilogue: Callable[..., Expr] | None = None,
    operands: ArraysByName | None = None,
    dtype: DTypeLike | None = None,
    threads: int | None = None,
) -> ArrayLike:
    """Return products whose members have their own numbers of rows, columns or terms, as torch._grouped_mm does.

    offsets   (G,) integers: where each member ends. Member g has what lies between offsets[g - 1], or 0, and
              offsets[g]; none of it, if these are equal. The last one is the whole extent that is cut
    a, b      a (T, K), b (G, K, N): rows of a are cut, the result is (T, N). a (M, T), b (T, N): the terms of the sums
              are cut, the result is (G, M, N), a gradient of such weights. a (G, M, K), b (K, T): columns of b are cut,
              the result is (M, T). b (G, K, N) may also be what `pack_groups` returned, or a list of G compressed
              weights (ts.compressed), each of which is multiplied by a product of its own, with the bits of ts.matmul
    out       an array for the result, returned as well; it may overlap the others, which costs a copy
    epilogue  a function that is applied to the result, as in `matmul`: lambda c, bias: ts.relu(c + bias)
    operands  arrays for its other parameters, by name, which are broadcast to the result. To rows (T, N) also those of
              the members: (G, 1, N), a row for each member, or (G, 1, 1)
    dtype     the element type of the result, as in `matmul`
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits

    The first call with such types, layouts and extents makes machine code. Other offsets, another number of rows and of
    members need none. Raises ValueError for offsets that decrease or lie outside, before anything is computed.
    """
    x = native("a", array_of("a", a))
    z = None if out is None else native("out", array_of("out", out))
    found = weights_of(b)
    y = b if isinstance(b, PackedGroups) else native("b", array_of("b", b)) if found is None else x
    axes = (2, 3) if found is not None else (x.ndim, len(y.shape))
    if axes not in ((2, 3), (2, 2), (3, 2)):
        more = "; ts.matmul(a, b) multiplies batches, without offsets" if axes == (3, 3) else ""
        raise ValueError(
            f"a, b: must be (T, K) and (G, K, N), (M, T) and (T, N), or (G, M, K) and (K, T), not of {axes[0]} and "
            f"{axes[1]} axes{more}"
        )
    if z is not None and (not z.flags.writeable or overlaps_itself(z)):
        raise ValueError("out: must be writable, with memory of its own for each element")
    given = {name: operand_of(name, each) for name, each in (operands or {}).items()}
    asked = in_order(AskedEpilogue(epilogue, given, dtype))
    count = workers_of(threads, None)
    if found is not None:
        made = by_weights(x, found, lambda rows, g: ends_of(offsets, rows, "the rows of a", g), z, asked, count)
    elif isinstance(y, PackedGroups) or axes == (2, 3):
        made = _rows(x, y, offsets, z, asked, count)
    elif axes == (3, 2):
        made = _columns(x, y, offsets, z, asked, count)
    else:
        made = _depth(x, y, offsets, z, asked, count)
    if out is not None:
        return out
    own = type(a) is np.ndarray and (found is not None or type(b) in (np.ndarray, PackedGroups))
    return made if own else returned(made, (a,))


def _keep(found: dict[object, GroupedJob[Nest]], key: object, job: GroupedJob[Nest]) -> None:
    if len(found) >= RECENT:
        found.clear()
    found[key] = job


def _result(z: Array | None, shape: tuple[int, ...], of_c: str, read: Sequence[Array]) -> Array:
    """Return the array that machine code writes: `out`, or a new one if its layout does not fit or it overlaps what is
    read."""
    if z is None:
        return np.empty(shape, numpy_dtype(of_c))
    if z.shape != shape:
        raise ValueError(f"out: must have shape {shape}, not {z.shape}")
    fits = z.flags.aligned and leading_of(z, -2) and (z.ndim == 2 or z.strides[0] >= 0)
    if fits and not any(overlap(z, each) for each in read):
        return z
    return np.empty(shape, z.dtype)


def _into(z: Array | None, made: Array) -> Array:
    if z is not None and z is not made:
        z[...] = made
    return made


# The three forms


def _rows(
    x: Array, y: Array | PackedGroups, offsets: ArrayLike, z: Array | None, asked: AskedEpilogue, threads: int
) -> Array:
    """Compute a (T, K) by b (G, K, N): rows of a are cut."""
    target = host.resolve(None)
    packed = y if isinstance(y, PackedGroups) else None
    (members, depth, n), (total, k) = y.shape, x.shape
    if isinstance(y, PackedGroups):
        types = _types_of_packed(x, y, z, asked.dtype)
    else:
        types = types_of(x, y, z, asked.dtype, "ts.grouped_matmul({}, offsets)")
    if k != depth:
        raise ValueError(f"a, b: the rows of b must be as many as the columns of a, {k}, not {depth}")
    ends = ends_of(offsets, total, "the rows of a", members)
    extras = EpilogueArrays.of(asked.operands, (members, total, n), (total, n))
    for name, each in extras.arrays.items():
        if each.shape[0] > 1 and each.shape[1] > 1:
            raise ValueError(f"operands: {name} must have a row for each member, (G, 1, N), not {each.shape}")
    given = list(asked.operands.values())
    made = _result(z, (total, n), types[2], [x, y.array if isinstance(y, PackedGroups) else y, *given])
    if not made.size:
        return _into(z, made)
    _some_terms(k, made, asked)
    if not k:
        return _into(z, made)
    x = by_rows(x)
    if isinstance(y, PackedGroups):
        from_b, order, ldb, of_b = y.array, "C", n, Steps(0, 0)
    else:
        from_b, order, ldb = matrices_of(y)
        of_b = steps_of(from_b)
    read = read_of(asked, types)
    lda, ldc = leading_of(x, -2), leading_of(made, -2)
    key = types, n, k, lda, order, ldb, of_b, ldc, packed is not None, read, extras.key()
    job = None if read is None else _ROWS.get(key)
    if job is None:
        sums = with_sums(types)
        block = packed.block if packed is not None else packed_block(n, k, sums, target)
        product = {"m": GROUPS.nominal, "n": n, "k": k, "dtype": types}
        finishing = finishing_of(asked, extras, product, types, ldc)
        nest = RowsNest(
            RowKernels(n, k, sums, lda, order, ldb, ldc, finishing is None, block, target),
            Steps(lda * x.itemsize, x.itemsize),
            of_b,
            Steps(ldc * made.itemsize, made.itemsize),
            finishing,
            packed is not None,
        )
        job = GroupedJob(nest, target, f"grouped_{types[2]}_{n}x{k}")
        if read is not None:
            _keep(_ROWS, key, job)
    nest = job.nest
    table = job.table(ends, lambda: row_table(ends, n, nest.kernels.block.columns, nest.rows))
    addresses = address_of(x), address_of(from_b), address_of(made)
    job.run(addresses, ends, table, [address_of(each) for each in extras.arrays.values()], 2 * total * n * k, threads)
    return _into(z, made)


def _types_of_packed(x: Array, packed: PackedGroups, z: Array | None, dtype: DTypeLike | None) -> tuple[str, str, str]:
    """Return the types of a product by packed matrices."""
    of_a, of_b, _ = packed.dtypes
    if type_of("a", x) != of_a:
        raise TypeError(
            f"a: must have elements of {of_a}, for which b was packed, not {type_of('a', x)}; "
            f'ts.pack_groups(b, dtype="{type_of("a", x)}") packs for these'
        )
    like = np.empty((1, 1), numpy_dtype(of_b))
    return types_of(x, like, z, dtype)


def _some_terms(terms: int, made: Array, asked: AskedEpilogue) -> None:
    """Fill a result whose sums have no terms with zeros."""
    if not terms:
        if asked.epilogue is not None:
            raise UnsupportedError("epilogue: not supported for sums of no terms (K = 0); apply it to zeros")
        made[...] = 0


def _columns(x: Array, y: Array, offsets: ArrayLike, z: Array | None, asked: AskedEpilogue, threads: int) -> Array:
    """Compute a (G, M, K) by b (K, T), whose columns are cut: as the products of the transposes."""
    if asked.operands:
        raise UnsupportedError(
            "operands: not supported where columns of b are cut; ts.grouped_matmul(b.T, a.transpose(0, 2, 1), offsets) "
            "computes the transpose of the result, with operands of its shape"
        )
    to = None if z is None else z.T
    made = _rows(y.T, x.transpose(0, 2, 1), offsets, to, asked, threads)
    return np.ascontiguousarray(made.T) if z is None else made.T


def _depth(x: Array, y: Array, offsets: ArrayLike, z: Array | None, asked: AskedEpilogue, threads: int) -> Array:
    """Compute a (M, T) by b (T, N): the terms of the sums are cut."""
    target = host.resolve(None)
    types = types_of(x, y, z, asked.dtype, "ts.grouped_matmul({}, offsets)")
    m, total = x.shape
    if len(y) != total:
        raise ValueError(f"a, b: the rows of b must be as many as the columns of a, {total}, not {len(y)}")
    ends, n = ends_of(offsets, total, "the columns of a"), y.shape[1]
    shape = (len(ends), m, n)
    extras = EpilogueArrays.of(asked.operands, shape, shape)
    made = _result(z, shape, types[2], [x, y, *asked.operands.values()])
    _some_terms(total, made, asked)
    if not made.size or not total:
        return _into(z, made)
    y = by_rows(y)
    floats = with_sums(types)[2] != "i32"
    x, order, lda = (by_rows(x.T).T, "F", 0) if floats else matrices_of(x)
    lda = lda or leading_of(x, -1)
    ldb, ldc = leading_of(y, -2), leading_of(made, -2)
    read = read_of(asked, types)
    key = types, m, n, order, lda, ldb, ldc, made.strides, read, extras.key()
    job = None if read is None else _TERMS.get(key)
    if job is None:
        product = {"m": m, "n": n, "k": GROUPS.pair, "dtype": types}
        finishing = finishing_of(asked, extras, product, types, ldc)
        kernels = DepthKernels(m, n, with_sums(types), order, lda, ldb, ldc, finishing is None, target)
        steps = Steps(x.itemsize, lda * x.itemsize) if order == "F" else Steps(lda * x.itemsize, x.itemsize)
        of_c = replace(steps_of(made), row=ldc * made.itemsize, column=made.itemsize)
        nest = DepthNest(kernels, steps, Steps(ldb * y.itemsize, y.itemsize), of_c, finishing)
        job = GroupedJob(nest, target, f"grouped_terms_{types[2]}_{m}x{n}")
        if read is not None:
            _keep(_TERMS, key, job)
    kernels = job.nest.kernels
    table = job.table(ends, lambda: depth_table(ends, m, n, kernels.rows, kernels.across))
    addresses = address_of(x), address_of(y), address_of(made)
    job.run(addresses, ends, table, [address_of(each) for each in extras.arrays.values()], 2 * total * n * m, threads)
    return _into(z, made)
