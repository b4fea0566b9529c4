"""`varlen_attention` and its gradients: attention over sequences of different lengths that lie one after the other.

A call checks the arrays and the offsets, fills a table of pieces (`attention_nest`) and runs a job that is made for the
types, the layouts and the heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.attention.checks import NO_WINDOW
from ...microkernels.attention.spec import AttentionSpec, attention_spec, inverse_spec
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import GemmSpec
from ...microkernels.operands import RUNTIME, extent, real
from ...microkernels.tuning.attention import SEQUENCES
from ...microkernels.tuning.products import GROUPS
from ..arguments.arrays import Array, address_of, numpy_dtype, overlap, overlaps_itself
from ..arguments.factors import native
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..host import detect as host
from ..kernel import call_plans
from ..kernel.accuracy import default_accuracy
from ..kernel.request_cache import RECENT, forgetting
from ..loops.job import Job, job_of
from ..loops.text import text
from ..ops.blocks import lanes_of
from ..ops.row_kernels import Steps
from ..threads.policy import workers_of
from .attention_nest import Sequences, SequencesNest, kinds_of, table_of
from .operands import array_of
from .tables import ends_of

if TYPE_CHECKING:
    from ..api.typed import ArrayLike
    from ..verify.proof import Proof
    from . import proofs

proofs = lazy(__package__, ".proofs")


class _KernelsAsked(NamedTuple):
    """What kernels depend on, besides the number of keys."""

    size: int
    dtype: str
    causal: bool
    window: int
    scale: float
    lse: bool
    inverse: bool
    accuracy: str
    rows: tuple[tuple[str, int], ...]
    """Elements between the rows of each array of heads, by its name."""


class SequencesJob:
    """A job for all calls with such arrays."""

    def __init__(self, nest: SequencesNest, stem: str, asked: _KernelsAsked) -> None:
        self.nest, self.target, self.asked = nest, nest.target, asked
        self.job: Job = job_of((nest,), nest.nodes, self.target, stem)
        spec = nest.requests[0]
        product = GemmSpec(1, spec.size, 1, (spec.compute,) * 3, ("C", "C", "C"), (1, 1, 1), None, 1.0, 0.0)
        self._speed = GROUPS.per_cycle * lanes_of(product, self.target)
        self._last: tuple[Sequences | None, Array] = None, np.empty(0, np.int64)

    def table(self, sequences: Sequences, kinds: tuple[tuple[int, bool], ...], causal: bool) -> Array:
        """Return the table of a call: that of the last call if the sequences are the same, as in all layers."""
        found, table = self._last
        if found is not sequences:
            table = table_of(self.nest, sequences, kinds, causal)
            self._last = sequences, table
        return table

    def verify(self, sequences: Sequences, table: Array, *, timeout: float | None = None) -> Proof:
        """Return a proof of the job with the table of these sequences: each query has a call of a kernel that lets it
        see its keys, and each kernel is proved for the numbers of keys that occur; see docs/soundness.md."""
        asked = proofs.HidingOfKeys(self.asked.causal, self.asked.window, self.asked.scale)
        return proofs.of_sequences(self.job, self.nest, asked, sequences, table, timeout=timeout)

    def planned(self, sequences: Sequences, table: Array) -> call_plans.JobOfCall:
        """Return the job with the table of a call."""
        spec = self.nest.requests[0]
        title = f"{'gradients of ' * spec.inverse}attention of {len(sequences.ends)} sequences, {spec.dtype}"
        names = dict(enumerate((*(name for name, _ in self.nest.steps), "table")))
        return call_plans.JobOfCall(
            f"{title}, for {self.target.name}",
            lambda: text(self.job.blob.nodes, names, "  "),
            lambda **given: self.verify(sequences, table, **given),
        )

    def run(self, arrays: Sequence[Array], sequences: Sequences, table: Array, threads: int) -> None:
        """Compute on these arrays, in the order of the nest."""
        if call_plans.wanted:
            call_plans.note(lambda: self.planned(sequences, table))
        flops = self.nest.requests[0].size * sequences.pairs * (10 if self.nest.inverse else 4)
        operands = (*map(address_of, arrays), address_of(table))
        self.job.run(operands, threads, cycles=flops // self._speed)


_JOBS: dict[object, SequencesJob] = {}
_SEQUENCES: dict[object, Sequences] = {}
"""Those of recent calls, whose tables the layers of a model share."""
forgetting.append(_JOBS.clear)
forgetting.append(_SEQUENCES.clear)


def _sequences(total: int, ends: Array, key_ends: Array, heads: int, group: int) -> Sequences:
    """Return the sequences of these fields, those of an earlier call if they are the same."""
    key = total, ends.tobytes(), key_ends.tobytes(), heads, group
    found = _SEQUENCES.get(key)
    if found is None:
        if len(_SEQUENCES) >= RECENT:
            _SEQUENCES.clear()
        found = _SEQUENCES[key] = Sequences(total, ends, key_ends, heads, group)
    return found


@lru_cache(RECENT, typed=True)
def _checked(
    heads: int, kv_heads: int, size: int, dtype: str, causal: bool, window: int | None, scale: float | None
) -> AttentionSpec:
    """Return a request with what all kernels of a call have, which is checked."""
    return attention_spec(heads, 1, 1, size, kv_heads=kv_heads, causal=causal, window=window, scale=scale, dtype=dtype)


def _job(
    asked: _KernelsAsked, most: int, kinds: tuple[tuple[int, bool], ...], steps: Mapping[str, Steps]
) -> SequencesJob:
    """Return the job for sequences of at most so many keys."""
    room = max(SEQUENCES.keys, 1 << max(0, most - 1).bit_length())
    key = asked, room, kinds, tuple(steps.items())
    made = _JOBS.get(key)
    if made is None:
        target = host.resolve(None)
        requests = tuple(_request(asked, rows, room, last) for rows, last in kinds)
        stem = f"{'varlen_attention_backward' if asked.inverse else 'varlen_attention'}_{asked.dtype}_{asked.size}"
        if len(_JOBS) >= RECENT:
            _JOBS.clear()
        made = _JOBS[key] = SequencesJob(SequencesNest(requests, tuple(steps.items()), target), stem, asked)
    return made


def _request(asked: _KernelsAsked, rows: int, keys: int, causal: bool) -> AttentionSpec:
    """Return the request of the kernel of a kind of pieces: of one head, whose rows are those of the arrays."""
    leading = {f"ld{name}": step for name, step in asked.rows}
    forward = attention_spec(
        1,
        rows,
        keys,
        asked.size,
        causal=causal or bool(asked.window),
        window=asked.window or None,
        scale=asked.scale,
        lse=asked.lse,
        dtype=asked.dtype,
        accuracy=asked.accuracy,
        order="F",
        leading={} if asked.inverse else leading,
        seen=RUNTIME,
    )
    return inverse_spec(forward, "F", leading, adds=True) if asked.inverse else forward


class _Given(NamedTuple):
    """The checked arguments that both directions have."""

    arrays: dict[str, Array]
    sequences: Sequences
    scale: float
    causal: bool
    window: int

    @property
    def kinds(self) -> tuple[tuple[int, bool], ...]:
        """The kinds of pieces."""
        return kinds_of(self.causal, self.sequences.beyond)

    def job(self, results: Mapping[str, Array], lse: bool, inverse: bool) -> SequencesJob:
        """Return the job for these arrays and results."""
        every = {**self.arrays, **results}
        names = ("g", "q", "k", "v", "out", "lse", "gq", "gk", "gv") if inverse else ("q", "k", "v", "out", "lse")
        steps = {
            name: Steps(_row(every[name]), 0, every[name].strides[1]) if name != "lse" else Steps(0, 0)
            for name in names
            if name in every
        }
        rows = tuple((name, each.row // every[name].itemsize) for name, each in steps.items() if name != "lse")
        q = self.arrays["q"]
        asked = _KernelsAsked(
            q.shape[2], type_of("q", q), self.causal, self.window, self.scale, lse, inverse, default_accuracy(), rows
        )
        return _job(asked, self.sequences.longest[1], self.kinds, steps)


def _row(array: Array) -> int:
    """Return the bytes between the rows of an array (tokens, heads, size), or 0 if a kernel does not read them so."""
    line: int = array.shape[2] * array.itemsize
    if not array.size:
        return line
    row = int(array.strides[0]) if len(array) > 1 else line
    lying = array.flags.aligned and array.strides[2] == array.itemsize and row >= line and not row % line
    return row if lying else 0


def _by_heads(array: Array) -> Array:
    """Return an array (tokens, heads, size), or a copy if its rows do not lie as kernels read them."""
    return array if _row(array) else np.ascontiguousarray(array)


def _given(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    offsets: ArrayLike,
    key_offsets: ArrayLike,
    causal: bool,
    window: int | None,
    scale: float | None,
) -> _Given:
    """Check what both directions have."""
    arrays = {name: native(name, array_of(name, each)) for name, each in zip("qkv", (q, k, v))}
    for name, each in arrays.items():
        if each.ndim != 3:
            raise ValueError(
                f"{name}: (tokens, heads, size), the sequences one after the other, not shape {each.shape}"
            )
    (tokens, heads, size), (of_k, kv_heads, _) = arrays["q"].shape, arrays["k"].shape
    for name, shape in (("k", (of_k, kv_heads, size)), ("v", (of_k, kv_heads, size))):
        if arrays[name].shape != shape:
            raise ValueError(f"{name}: must have shape {shape}, as q and k have it, not {arrays[name].shape}")
    for name in "kv":
        if arrays[name].dtype != arrays["q"].dtype:
            raise TypeError(f"{name}: must have the type of q, {arrays['q'].dtype}, not {arrays[name].dtype}")
    factor = scale if scale is None or real(scale) is None else float(scale)
    most = None if window is None else extent("window", window, NO_WINDOW)
    spec = _checked(heads, kv_heads, size, type_of("q", arrays["q"]), causal, most, factor)
    ends = _ends("offsets", offsets, tokens, "the rows of q")
    if key_offsets is None and of_k != tokens:
        raise ValueError(f"key_offsets: needed, as q has {tokens} rows and k {of_k}")
    key_ends = ends if key_offsets is None else _ends("key_offsets", key_offsets, of_k, "the rows of k", len(ends))
    arrays = {name: _by_heads(each) for name, each in arrays.items()}
    sequences = _sequences(tokens, ends, key_ends, heads, spec.group)
    if most and sequences.beyond:
        raise UnsupportedError("window: needs as many keys as queries in each sequence; some has more queries")
    return _Given(arrays, sequences, spec.scale, causal, most or 0)


def _ends(name: str, offsets: ArrayLike, extent: int, what: str, count: int | None = None) -> Array:
    """Return where sequences end, of offsets that begin with 0."""
    given = np.asarray(offsets) if isinstance(offsets, (list, tuple)) else array_of(name, offsets)
    rule = f"{name}: integers of one axis, 0 and then where each sequence ends among {what}"
    integers = not given.size or given.dtype.kind in "iu"
    if given.ndim != 1 or not integers:
        raise (ValueError if integers else TypeError)(f"{rule}, not {given.dtype} of shape {given.shape}")
    if not len(given) or given[0] != 0:
        raise ValueError(f"{rule}; {f'the first one is {given[0]}' if len(given) else 'there is none'}")
    if count is not None and len(given) != count + 1:
        raise ValueError(f"{name}: {count + 1} numbers, as many as offsets has, not {len(given)}")
    wrong = np.flatnonzero(given[1:] < given[:-1])
    if len(wrong):
        at = int(wrong[0])
        raise ValueError(f"{rule}; number {at + 1} is {given[at + 1]}, less than the {given[at]} before it")
    if given[-1] != extent:
        raise ValueError(f"{name}: the last one must be {extent}, {what}, not {given[-1]}")
    return ends_of(given[1:], extent, what, name=name)


def _result(name: str, z: ArrayLike, shape: tuple[int, ...], dtype: str, read: Sequence[Array]) -> tuple[Array, Array]:
    """Return the array of the caller, or a new one, and that which machine code writes: the same, unless its rows do
    not lie as needed or it overlaps what is read."""
    if z is None:
        made = np.empty(shape, numpy_dtype(dtype))
        return made, made
    found = native(name, array_of(name, z))
    if found.shape != shape or type_of(name, found) != dtype:
        raise ValueError(f"{name}: must be {dtype} of shape {shape}, not {found.dtype} of shape {found.shape}")
    if not found.flags.writeable or overlaps_itself(found):
        raise ValueError(f"{name}: must be writable, with memory of its own for each element")
    fits = found if found.ndim < 3 else _by_heads(found)
    apart = not any(overlap(found, each) for each in read)
    lying = fits is found and apart and (found.ndim > 2 or found.flags.c_contiguous and found.flags.aligned)
    return found, found if lying else np.empty(shape, found.dtype)


@shortening
def varlen_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    offsets: ArrayLike,
    key_offsets: ArrayLike = None,
    out: ArrayLike = None,
    *,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    lse: bool = False,
    threads: int | None = None,
) -> ArrayLike:
    """Return attention over sequences of different lengths that lie one after the other, without padding.

    q         (tokens, heads, size), of f32, f64, f16 or bf16
    k, v      (tokens of keys, kv_heads, size), of the same type; heads are a multiple of kv_heads, as in `attention`
    offsets   (sequences + 1,) integers, 0 and where each sequence ends among the rows of q: cu_seqlens of flash-attn.
              Sequence i has the rows from offsets[i] to offsets[i + 1], or none
    key_offsets   the same for the rows of k and v; None: those of q
    out       an array for the result (tokens, heads, size), returned as well; it may overlap the others, which costs a
              copy
    causal    key j of a sequence is hidden from its query i if j > i
    window    with causal, the number of keys that a query sees: its own and those right before it. A sequence has as
              many keys as queries then, or more
    scale     the factor of the scores; None: size ** -0.5
    lse       True: the result is (out, lse), where lse (heads, tokens) is as in `attention`, f32 or, for f64, f64
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits

    A query of a sequence without keys gives 0, and lse -inf. The first call with such types and layouts makes machine
    code; other lengths and numbers of sequences need none. Raises ValueError, TypeError or UnsupportedError naming the
    argument, before anything is computed.
    """
    given = _given(q, k, v, offsets, key_offsets, causal, window, scale)
    x = given.arrays["q"]
    made, to = _result("out", out, x.shape, type_of("q", x), list(given.arrays.values()))
    results = {"out": to}
    if lse:
        of_lse = numpy_dtype("f64" if x.dtype == np.float64 else "f32")
        results["lse"] = np.empty((x.shape[1], x.shape[0]), of_lse)
    if x.shape[0]:
        job = given.job(results, lse, False)
        table = job.table(given.sequences, given.kinds, causal)
        job.run([*given.arrays.values(), *results.values()], given.sequences, table, workers_of(threads, None))
    if made is not to:
        made[...] = to
    found = out if out is not None else returned(made, (q, k, v))
    return (found, returned(results["lse"], (q, k, v))) if lse else found


@shortening
def varlen_attention_backward(
    g: ArrayLike,
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    out: ArrayLike,
    lse: ArrayLike,
    offsets: ArrayLike,
    key_offsets: ArrayLike = None,
    gradients: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    *,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    threads: int | None = None,
) -> ArrayLike:
    """Return the gradients (gq, gk, gv) of `varlen_attention` by q, k and v, from g, the gradient of out.

    out, lse    what `varlen_attention` returned with lse=True and the same other arguments
    gradients   arrays for the results, returned as well, of the shapes of q, k and v: f64 for f64, else f32, since they
                are sums in memory

    Raises ValueError, TypeError or UnsupportedError naming the argument, before anything is computed.
    """
    given = _given(q, k, v, offsets, key_offsets, causal, window, scale)
    x, y = given.arrays["q"], given.arrays["k"]
    more = {name: native(name, array_of(name, each)) for name, each in (("g", g), ("out", out), ("lse", lse))}
    dtype = type_of("q", x)
    sums = "f64" if dtype == "f64" else "f32"
    for name, each in more.items():
        shape, wanted = (x.shape, dtype) if name != "lse" else (x.shape[1::-1], sums)
        if each.shape != shape or type_of(name, each) != wanted:
            raise ValueError(f"{name}: must be {wanted} of shape {shape}, not {each.dtype} of shape {each.shape}")
    read = {name: np.ascontiguousarray(each) if name == "lse" else _by_heads(each) for name, each in more.items()}
    arrays = {"g": read["g"], **given.arrays, "out": read["out"], "lse": read["lse"]}
    if gradients is not None and len(gradients) != 3:
        raise ValueError(f"gradients: three arrays, for those of q, k and v, not {len(gradients)}")
    asked = dict(zip(("gq", "gk", "gv"), gradients or (None, None, None)))
    made: dict[str, Array] = {}
    to: dict[str, Array] = {}
    for name, z in asked.items():
        shape = x.shape if name == "gq" else y.shape
        made[name], to[name] = _result(name, z, shape, sums, [*arrays.values(), *made.values()])
    job = given._replace(arrays=arrays).job(to, True, True) if x.shape[0] or y.shape[0] else None
    table = None if job is None else job.table(given.sequences, given.kinds, causal)
    for name in ("gk", "gv"):
        to[name][...] = 0
    if job is not None and table is not None:
        job.run([*arrays.values(), *to.values()], given.sequences, table, workers_of(threads, None))
    for name, each in made.items():
        if each is not to[name]:
            each[...] = to[name]
    return gradients if gradients is not None else returned(tuple(made.values()), (q, k, v))
