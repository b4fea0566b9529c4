"""`tilesmith bench roofline`: kernels under this machine's roofline: operations a second against operations for each
byte, below the measured peak of their type and the measured bandwidth of the cache that holds their operands.

`tilesmith roofline brgemm 64 64 64 + fused softmax 64 384` has the kernels of any requests. All ceilings are measured
on one core by emitted loops: independent FMAs on registers for f32 and f64; for other types a product of 64 x 64 x 64
over 16 pairs in the first caches, which is what has been reached; and loads in order of a set that fits into each
cache, or into memory, by registers of the widest width or of half of it, whichever is faster.

The bytes of a call are what it must move: each operand once, and once more a result that it also reads. Ceilings are
those of loads alone: a kernel that stores as well may be above that of the first cache, which stores beside its loads,
and below that of memory, where lines are loaded before they are stored to. The operations are `k.flops`, in which a
function such as gelu is one operation for each element, whatever its polynomial takes.

A second table has the cycles by which each kind of pipe is occupied: those that `k.costs()` states for each
instruction, as often as the emulator executes it; and the measured cycles of a call, at the frequency of scalar code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf, nan

import numpy as np

from ....encoder.records import NamedTuple
from ....microkernels.attention.spec import AttentionSpec
from ....microkernels.errors import UnsupportedError
from ....microkernels.machines.registry import machine_for
from ....microkernels.operands import Number, Operand
from ...api.brgemm import brgemm
from ...api.eltwise import unary
from ...api.fused import fused
from ...api.transforms import transpose
from ...arguments.arrays import Array, address_of
from ...host import detect as host
from ...kernel.callable import Kernel
from ...kernel.costs import PIPES, costs
from ...kernel.kinds import kind_of
from ...memory.executable import publish
from ...system.progress import steps
from ..charts import Plot
from ..measure import BYTES, NativeCall, fma_loop
from ..measure_code import loads
from ..operands import aligned, filled, nearest_cache
from ..runner import Bench, Run, Table
from ..table import Row

Types = str | tuple[str, ...]
"""The type of an arithmetic, or those of the operands of a product."""
LEAST, MOST = 256 << 20, 1 << 30
"""The bytes of the set that is read from memory: twice the last cache, within these bounds."""
LONGER = 3
"""How many times as long a ceiling is measured as a kernel."""
PIECE = 4096
"""The bytes of which sets are multiples."""
LEFT, RIGHT = 2.0**-4, 2.0**7
"""The operations for each byte between which ceilings are drawn."""
COLUMNS = ("kernel; in=place; types; operations=flops:0; bytes:0; for each byte=intensity:2; ns=seconds:1n; "
           "GFLOP/s=rate:1G; GB/s=bytes rate:1G; bound by=bound; % of the ceiling=share:0%")
OF_PIPES = (f"kernel; instructions=steps:0; {'; '.join(f'{pipe}:0' for pipe in PIPES)}; bound by=bound; "
            "measured:0; % of measured=share:0%")
EMULATED = 1 << 21
"""The most operations, and the most bytes, of a kernel that the emulator executes for the table of pipes."""
DEFAULTS: Sequence[Callable[[], Kernel]] = (
    lambda: brgemm(64, 64, 64),
    lambda: brgemm(4, 4, 4),
    lambda: brgemm(64, 1, 64),
    lambda: fused("softmax", 64, 384),
    lambda: fused("layernorm", 1024, 384),
    lambda: unary("gelu", 64, 384),
    lambda: unary("relu", 8192, 4096),
    lambda: transpose(256, 256),
)
"""The kernels of the benchmark."""


class KernelCall(NamedTuple):
    """A call of a kernel on arrays of its own, the operations of it, the bytes that it must move, the types that decide
    its peak, and the arguments of the call."""

    kernel: Kernel
    call: NativeCall
    flops: int
    moved: int
    types: Types
    given: Sequence[Array | int]

    @property
    def place(self) -> str:
        """The nearest cache that holds the operands."""
        held: Sequence[Array] = self.call.keep[1]  # type: ignore[index]
        return nearest_cache(sum(each.nbytes for each in held))


def call_of(kernel: Kernel) -> KernelCall:
    """Return a call of a kernel on arrays that begin at cache lines. Raises UnsupportedError for requests that do not
    say what a call moves, and for kernels that this processor cannot run."""
    spec = kernel.spec
    interface = getattr(spec, "interface", None)
    if getattr(spec, "indices", ()) or getattr(interface, "indices", ()):
        raise UnsupportedError(f"roofline: {spec.stem} reads what its indices say, so its bytes depend on them")
    if getattr(interface, "extents", ()):
        raise UnsupportedError(f"roofline: {spec.stem} has extents that the call gives; request them as numbers")
    if kernel.address is None:
        raise UnsupportedError(f"roofline: {host.runs(kernel.target)}")
    rng, arrays, given = np.random.default_rng(0), list[Array](), list[Array | int]()
    for each in interface.arguments if interface is not None else spec.operands:  # type: ignore[attr-defined]
        if isinstance(each, Number):
            given.append(max(1, each.least))
        else:
            arrays.append(_filled(_array(spec, each), rng))
            given.append(arrays[-1])
    try:
        integers, keep = kind_of(spec).call(spec)(*given)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(f"roofline: {spec.stem} leaves something to the call, or lies apart: {error}") from None
    touched = {
        (address_of(each.array), each.array.nbytes): each.writable for each in kind_of(spec).regions(spec, integers)
    }
    again = bool(getattr(spec, "beta", 0.0)) or getattr(interface, "needed", False)
    moved = sum(size * (1 + (writable and again)) for (_, size), writable in touched.items())
    call = NativeCall(kernel.address, tuple(integers), (keep, arrays))
    return KernelCall(kernel, call, spec.flops, moved, _types(spec), given)


def _array(spec: object, operand: Operand) -> Array:
    """Return an array of an operand as the request lays it out, with the pairs of a batch and the products of a stack
    one behind the other."""
    stack, counts = getattr(spec, "stack", None), getattr(spec, "counts", ()) if operand.name in ("a", "b") else ()
    front = (*((stack,) if isinstance(stack, int) else ()), *counts)
    if operand.vector or operand.axes:
        return aligned((*front, *operand.shape), operand.dtype)
    leading = operand.view.leading if isinstance(operand.view.leading, int) else operand.length
    inner = operand.shape[2:]
    lines = aligned((*front, operand.lines, leading, *inner), operand.dtype)
    rows = len(front)
    held: Array = lines[(slice(None),) * (rows + 1) + (slice(operand.length),)]
    return held if operand.view.order == "C" else held.swapaxes(rows, rows + 1)


def _filled(array: Array, rng: np.random.Generator) -> Array:
    """Fill an array with numbers for which no function is slow: neither negative ones, of which a root is NaN, nor
    tiny ones. Return it."""
    if array.dtype.kind in "iu":
        return filled(array, rng)
    array[...] = rng.uniform(0.5, 1.5, array.shape)
    return array


def _types(spec: object) -> Types:
    """Return the types of a product, or else the type of the arithmetic; one type where a product has only that."""
    types: tuple[str, ...] = getattr(spec, "dtypes", None) or ()
    if isinstance(spec, AttentionSpec):
        types = (spec.dtype, spec.dtype, spec.compute)
    if types:
        return types[0] if len({*types}) == 1 else types
    return str(getattr(spec, "compute", None) or getattr(spec, "dtype", "f32"))


# Ceilings


class Ceilings:
    """The peaks and bandwidths of one core, each measured when it is first asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.peaks: dict[Types, float] = {}
        self.bandwidths = dict(_bandwidths(run))

    def peak(self, types: Types) -> float:
        """Return the operations a second of these types; infinity where no product has them."""
        if types not in self.peaks:
            self.peaks[types] = _peak(self._run, types)
        return self.peaks[types]


def _peak(run: Run, types: Types) -> float:
    if types in BYTES:
        assert isinstance(types, str)
        loop = fma_loop(host.host(), types)
        return loop.flops / run.turns({"peak": loop.call}, LONGER * run.seconds)["peak"]
    try:
        kernel = brgemm(64, 64, 64, dtype=types, batch=16, beta=0.0)  # type: ignore[arg-type]
    except (UnsupportedError, ValueError):
        return inf
    each = call_of(kernel)
    return each.flops / run.turns({"peak": each.call}, LONGER * run.seconds)["peak"]


def _sets() -> Iterator[tuple[str, int]]:
    """Yield the caches of one core and memory, with the bytes that are read from each: half of a cache, so that nothing
    else evicts them."""
    this = host.host()
    for name, size, above in (("L1", this.l1d, 0), ("L2", this.l2, this.l1d), ("L3", this.l3, this.l2)):
        if size > 2 * above:
            yield name, max(size // (2 if name != "L3" else 8), 2 * above)
    yield "memory", min(max(LEAST, 2 * (this.l3 or 0)), MOST)


def _bandwidths(run: Run) -> Iterator[tuple[str, float]]:
    """Yield the bytes that one core reads in a second from each cache and from memory."""
    this = host.host()
    for name, size in steps([*_sets()], "roofline ceilings"):
        memory = aligned((size // PIECE * PIECE // 4,), "f32")
        memory[...] = 1
        blocks = [publish(loads(this, memory.size, bits).data) for bits in machine_for(this).facts.widths[:2]]
        turns = {str(n): NativeCall(each.address, (address_of(memory),), each) for n, each in enumerate(blocks)}
        yield name, memory.nbytes / min(run.turns(turns, LONGER * run.seconds).values())


# Kernels below them


def _measured(run: Run, ceilings: Ceilings, name: str, each: KernelCall) -> Row:
    """Return the row of a kernel."""
    place = each.place
    seconds = run.turns({"ours": each.call})["ours"]
    computed, moved = each.flops / ceilings.peak(each.types), each.moved / ceilings.bandwidths[place]
    return {"kernel": name, "place": place, "types": " ".join(_each(each.types)), "flops": each.flops,
            "bytes": each.moved, "intensity": each.flops / each.moved or nan, "seconds": seconds,
            "rate": each.flops / seconds or nan, "bytes rate": each.moved / seconds,
            "bound": "arithmetic" if computed >= moved else place, "share": max(computed, moved) / seconds}


def _pipes(run: Run, name: str, each: KernelCall) -> Row | None:
    """Return the cycles of a call by `k.costs()`, each instruction as often as the emulator executed it, and those that
    were measured."""
    if each.flops > EMULATED or each.moved > EMULATED:
        run.remark(f"pipes: {name} is left out, for the emulator executes more than {EMULATED} operations too slowly")
        return None
    code, done = each.kernel._code, each.kernel.emulate(*each.given)
    total = [0.0] * len(PIPES)
    for instruction, cycles in zip(code.instructions, costs(code)):
        times = done.offsets.get(instruction.offset, 0)
        total = [before + times * of for before, of in zip(total, cycles)]
    bound, measured = max(total), run.turns({"ours": each.call})["ours"] * run.frequency
    return {"kernel": name, "steps": done.steps, **dict(zip(PIPES, total)), "bound": PIPES[total.index(bound)],
            "measured": measured, "share": bound / measured}


def _each(types: Types) -> Sequence[str]:
    return (types,) if isinstance(types, str) else types


def _tables(run: Run, calls: Sequence[KernelCall]) -> Iterator[Table]:
    """Yield the tables of the ceilings, which are measured first, and of the kernels."""
    stems = [each.kernel.spec.stem for each in calls]
    names = [each.kernel.name if stems.count(stem) > 1 else stem for each, stem in zip(calls, stems)]
    ceilings = Ceilings(run)
    peaks = [*dict.fromkeys(["f32", "f64", *(each.types for each in calls)])]
    rows = [{"what": " ".join(_each(each)), "peak": ceilings.peak(each)} for each in peaks]
    read: list[Row] = [{"place": place, "read": each} for place, each in ceilings.bandwidths.items()]
    hidden = Plot(drawn=False)  # the drawing of the kernels has them
    of_ceilings = ("peaks", "types=what; GFLOP/s=peak:1G", rows), ("loads", "in=place; GB/s=read:1G", read)
    for name, columns, made in of_ceilings:
        yield Table(name, columns, [(each,) for each in made], lambda _, row: row, f"One core's {name}", plot=hidden)
    yield Table("pipes", OF_PIPES, [*zip(names, calls)], _pipes, "Cycles of the pipes by k.costs(), and measured",
                plot=hidden)
    yield Table("kernels", COLUMNS, [(ceilings, *each) for each in zip(names, calls)], _measured, "Kernels",
                plot=drawing(rows, read))


def drawing(peaks: Iterable[Row], loads_: Iterable[Row]) -> Plot:
    """Return how kernels are drawn below ceilings, given the rows of the tables of ceilings: each bandwidth up to the
    highest peak, each peak from the highest bandwidth on."""
    flops = {row["what"]: row["peak"] for row in peaks if row["peak"] < inf}
    read = {row["place"]: row["read"] for row in loads_}
    most, fastest = max(flops.values()), max(read.values())
    sloped = {f"{place}, {each / 1e9:.0f} GB/s": {LEFT: LEFT * each, most / each: most} for place, each in read.items()}
    flat = {f"{types}, {each / 1e9:.0f} GFLOP/s": {each / fastest: each, RIGHT: each} for types, each in flops.items()}
    return Plot("GFLOP/s=rate:1G", x="operations for each byte=intensity:3", by=("kernel",), log="xy",
                beside={**sloped, **flat})


def of(kernels: Sequence[Kernel], command: str) -> Bench:
    """Return the benchmark of these kernels; `command` is what measures them. Raises UnsupportedError as `call_of`."""
    calls = [*map(call_of, kernels)]
    return BENCH._replace(tables=lambda run: _tables(run, calls), command=command)


BENCH = Bench("roofline", __doc__, lambda run: _tables(run, [call_of(make()) for make in DEFAULTS]))
