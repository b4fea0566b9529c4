"""`nest`: a loop string and a traced body as one kernel of machine code, for any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.deferred import deferred
from ...encoder.elf import Declared, headers, relocatable
from ...encoder.forks import cached_property
from ...encoder.listing import listing
from ...microkernels.dtypes import ELEMENT_BYTES, element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import whole
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype, overlap
from ..threads.barrier import barrier
from ..threads.policy import checked, num_threads
from .accesses import Access, accesses, check_bounds
from .code import Node
from .grammar import Range, Spec, innermost, parsed
from .grammar import nest as nodes_of
from .job import Job
from .races import check_races
from .text import text
from .trace import Index, Matrix, Traced, Tracer

if TYPE_CHECKING:
    from ...encoder.code import Code

Body = Callable[..., None]


@deferred
def _emulator() -> ModuleType:
    from ...emulation import cpu

    return cpu


class Nest:
    """Loops around kernels as machine code: called with the operands, in their order or by name. See `nest`.

    print(k)      the loops, who runs them, and the calls
    k.spec        the string, read; k.nodes: the nest as data
    k.listing()   the machine code; k.save(path) writes it as .s, .o, .h or .bin; k.code: its bytes
    """

    def __init__(self, spec: Spec, loops: Mapping[str, Range], matrices: Sequence[Matrix], body: Body,
                 threads: int | None) -> None:  # fmt: skip
        self.spec, self.loops, self.matrices, self.threads = spec, dict(loops), tuple(matrices), threads
        tracer = Tracer()
        values = {letter: innermost(spec, letter) for letter in loops}
        index = {letter: Index(tracer, value, loops[letter]) for letter, value in values.items()}
        body(SimpleNamespace(**index), *(Traced(tracer, each) for each in matrices))
        if not tracer.accesses:
            raise ValueError("body: it calls no kernel")
        self._check(tracer, {letter: value.terms[0][0] for letter, value in values.items()})
        self.target = tracer.accesses[0][0].kernel.target
        self.body = body
        self.nodes: tuple[Node, ...] = nodes_of(spec, loops, tracer.nodes, len(matrices))
        self.flops = 0

    def _check(self, tracer: Tracer, names: dict[str, str]) -> None:
        given = {id(call): blocks for call, blocks in tracer.accesses}
        found: list[Access] = list(accesses(tracer.nodes, given))
        check_bounds(found, {name: self.loops[letter] for letter, name in names.items()})
        check_races(self.spec, found, self.loops, names)
        self.written = tuple(dict.fromkeys(each.matrix.name for each in found if each.writes))

    @cached_property
    def job(self) -> Job:
        """Loops and kernels in one piece of code."""
        return Job(self.nodes, self.target)

    @property
    def parallel(self) -> bool:
        """Whether the string deals anything out among workers."""
        return any(level.parallel or level.axis for level in self.spec.levels)

    def __call__(self, *args: Any, threads: int | None = None, **named: Any) -> None:
        """Run on arrays of the operands' shapes and types, which are contiguous. The GIL is free meanwhile."""
        workers = threads or self.threads or num_threads()
        with_names = self._arrays(args, named)
        workers = workers if self.parallel else 1
        state = barrier(self.target) if workers > 1 else (0, 0)
        self.job.run([*map(address_of, with_names), *state], workers)

    def _arrays(self, args: Sequence[Any], named: dict[str, Any]) -> list[Array]:
        names = [each.name for each in self.matrices]
        given = dict(zip(names, args)) | named
        if len(args) > len(names) or set(given) != set(names) or len(given) != len(args) + len(named):
            raise TypeError(f"this nest takes {', '.join(names)}")
        arrays = {name: as_array(name, given[name]) for name in names}
        for each in self.matrices:
            _check_array(each, arrays[each.name], each.name in self.written)
        for name in self.written:
            for other in names:
                if other != name and overlap(arrays[name], arrays[other]):
                    raise ValueError(f"{name}: written, and it shares memory with {other}")
        return [arrays[name] for name in names]

    def run(self, *args: Any, workers: int = 1, order: Sequence[int] | None = None, **named: Any) -> None:
        """As a call, but executed by the emulator, on any host: each worker in turn, in this order (0, 1, 2...). Nests
        with barriers run with one worker."""
        cpu = _emulator()
        arrays = self._arrays(args, named)
        if workers > 1 and any(level.barrier for level in self.spec.levels):
            raise UnsupportedError("workers: 1 in the emulator for a nest with barriers")
        table = np.array([*map(address_of, arrays), 0, 0], np.uint64)
        regions = [cpu.Region("operands", table, False)]
        regions += [
            cpu.Region(each.name, array, each.name in self.written) for each, array in zip(self.matrices, arrays)
        ]
        for worker in range(workers) if order is None else order:
            cpu.execute(self.code, self.target, [address_of(table), worker, workers], regions)

    @property
    def code(self) -> bytes:
        """The machine code and its constants, position-independent."""
        data: bytes = self.job.blob.data
        return data

    @property
    def name(self) -> str:
        """The C symbol."""
        return self.job.blob.name

    @property
    def c_prototype(self) -> str:
        """In C; operands has the addresses in their order, then a barrier `void (*)(void *)` and its argument, which
        are only looked at where workers > 1 and the string has a barrier."""
        return f"void {self.name}(void *const *operands, long worker, long workers);"

    def listing(self, syntax: str = "intel") -> str:
        """The instructions as text, as of any kernel."""
        return listing(self._code, syntax)

    @property
    def _code(self) -> Code:
        return self.job.blob.code

    def save(self, path: str | Path) -> None:
        """Write a .s, .o, .h or .bin file. Call the function once for each worker, 0 to workers - 1, from threads of
        your own, such as OpenMP's; any number of them gives the same bits."""
        path = Path(path)
        declared = Declared(self._code, "void", ("void *const *operands", "long worker", "long workers"), str(self))
        if path.suffix == ".s":
            path.write_text(self.listing("gas"))
        elif path.suffix == ".o":
            path.write_bytes(relocatable(self._code))
        elif path.suffix == ".h":
            path.write_text(headers(self._code.symbol, [declared]))
        elif path.suffix == ".bin":
            path.write_bytes(self.code)
        else:
            raise ValueError(f"path: a name ending in .s, .o, .h or .bin, not {str(path)!r}")

    def __reduce__(self) -> tuple[Callable[..., Nest], tuple[Any, ...]]:
        """A pickle holds the request, the body by its name; whoever loads it traces and proves the nest anew."""
        return _again, (self.spec.string, self.loops, self.body, self.threads, self.matrices)

    def __str__(self) -> str:
        """The loops, who runs them, and the calls."""
        places = {each.place: each.name for each in self.matrices}
        return "\n".join([f"nest {self.spec.string}", *text(self.nodes, places, "  ")])

    def __repr__(self) -> str:
        return f"<Nest {self.spec.string} of {', '.join(each.name for each in self.matrices)} for {self.target.name}>"


def nest(string: str, loops: Mapping[str, Any], body: Body, *, threads: int | None = None, **operands: Any) -> Nest:
    """A nest of loops around kernels: `k = ts.nest("aBC", loops, body, A=..., B=..., C=...)`, then k(a, b, c).

    string    the order of loops, how often each is blocked, and who runs what: docs/nests.md
    loops     {"a": (start, stop, step)}, or with the steps of its blockings, the outermost first: (0, 64, 1, [16, 4])
    operands  by name, (shape, element type) or an array that has them: what calls give, contiguous arrays
    body      body(i, A, B, C), called once: i.a is the value of a loop, A[i.b, i.a] the block of A's remaining axes
              there; kernels are called with blocks, as mm(A[i.b, i.a], B[i.c, i.a], C[i.b, i.c]), leading dimensions
              and counts with numbers. `with ts.when(i.a.first):` makes calls where a condition holds
    threads   how many workers; None: `num_threads()` at each call. Any number of them gives the same bits

    Proved here, from the addresses: every block lies within its operand (IndexError), and no worker touches what
    another one writes (RaceError, with the letter marked). LoopStringError, a ValueError, shows what is wrong in the
    string. Source: PARLOOPER, section 2.
    """
    ranges = {letter: _range(letter, given) for letter, given in loops.items()}
    matrices = [_matrix(name, place, given) for place, (name, given) in enumerate(operands.items())]
    return Nest(
        parsed(string, ranges), ranges, matrices, body, None if threads is None else checked(threads, "threads")
    )


def _again(string: str, loops: Mapping[str, Range], body: Body, threads: int | None, matrices: Sequence[Matrix]
           ) -> Nest:  # fmt: skip
    ranges = {letter: (each.start, each.stop, each.step, each.blocks) for letter, each in loops.items()}
    return nest(string, ranges, body, threads=threads, **{each.name: (each.shape, each.dtype) for each in matrices})


def _range(letter: str, given: Any) -> Range:
    if not (isinstance(letter, str) and len(letter) == 1 and letter.isalpha() and letter.islower()):
        raise ValueError(f"loops: a lower-case letter for each loop, not {letter!r}")
    parts = tuple(given)
    if not 3 <= len(parts) <= 4:
        raise TypeError(f"loop {letter}: (start, stop, step) or (start, stop, step, [blockings]), not {given!r}")
    numbers = [whole(each) for each in (*parts[:3], *(parts[3] if len(parts) == 4 else ()))]
    if any(each is None for each in numbers):
        raise TypeError(f"loop {letter}: whole numbers, not {given!r}")
    start, stop, step, *blocks = (int(each) for each in numbers if each is not None)
    if start >= stop or step < 1 or any(each < 1 for each in blocks):
        raise ValueError(f"loop {letter}: start below stop, steps of 1 or more, not {given!r}")
    return Range(start, stop, step, tuple(blocks))


def _matrix(name: str, place: int, given: Any) -> Matrix:
    shape, dtype = (given.shape, given.dtype) if hasattr(given, "shape") else given
    shape = tuple(int(each) for each in shape)
    found = element_type(f"type of {name}", dtype)
    return Matrix(name, place, shape, found, ELEMENT_BYTES[found])


def _check_array(matrix: Matrix, array: Array, written: bool) -> None:
    if array.shape != matrix.shape or array.dtype != numpy_dtype(matrix.dtype):
        raise ValueError(f"{matrix.name}: {matrix.dtype} of shape {matrix.shape}, not {array.dtype} {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{matrix.name}: a contiguous array; np.ascontiguousarray({matrix.name}) copies it")
    if written and not array.flags.writeable:
        raise ValueError(f"{matrix.name}: written, and this array is read-only")
