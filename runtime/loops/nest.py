"""`nest`: a loop string and a traced body as one kernel of machine code, for any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ...microkernels.dtypes import ELEMENT_BYTES, element_type
from ...microkernels.operands import whole
from ..threads.policy import checked
from .accesses import Access, accesses, check_bounds
from .grammar import Range, Spec, innermost, parsed
from .grammar import nest as nodes_of
from .loop_kernel import LoopKernel
from .races import check_races
from .trace import Index, Matrix, Traced, Tracer

Body = Callable[..., None]


class Nest(LoopKernel):
    """Loops around kernels as machine code: called with the operands, in their order or by name. See `nest`.

    print(k)      the loops, who runs them, and the calls
    k.spec        the string, read; k.nodes: the nest as data
    k.listing()   the machine code; k.save(path) writes it as .s, .o, .h or .bin; k.code: its bytes
    """

    def __init__(self, spec: Spec, loops: Mapping[str, Range], matrices: Sequence[Matrix], body: Body,
                 threads: int | None) -> None:  # fmt: skip
        self.spec, self.loops, self.body = spec, dict(loops), body
        tracer = Tracer()
        values = {letter: innermost(spec, letter) for letter in loops}
        index = {letter: Index(tracer, value, loops[letter]) for letter, value in values.items()}
        body(SimpleNamespace(**index), *(Traced(tracer, each) for each in matrices))
        if not tracer.accesses:
            raise ValueError("body: it calls no kernel")
        written = self._checked(tracer, {letter: value.terms[0][0] for letter, value in values.items()})
        target = tracer.accesses[0][0].kernel.target
        nodes = nodes_of(spec, loops, tracer.nodes, len(matrices))
        super().__init__(f"nest {spec.string}", matrices, written, nodes, target, threads)

    def _checked(self, tracer: Tracer, names: dict[str, str]) -> list[str]:
        """The operands that are written, if all blocks lie within theirs and no workers meet."""
        given = {id(call): blocks for call, blocks in tracer.accesses}
        found: list[Access] = list(accesses(tracer.nodes, given))
        check_bounds(found, {name: self.loops[letter] for letter, name in names.items()})
        check_races(self.spec, found, self.loops, names)
        return list(dict.fromkeys(each.matrix.name for each in found if each.writes))

    def __reduce__(self) -> tuple[Callable[..., Nest], tuple[Any, ...]]:
        """A pickle holds the request, the body by its name; whoever loads it traces and proves the nest anew."""
        return _again, (self.spec.string, self.loops, self.body, self.threads, self.matrices)

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
