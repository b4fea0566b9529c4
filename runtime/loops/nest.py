"""`nest`: a loop string and a traced body as one kernel of machine code, for any number of workers."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from ...microkernels import notebook
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import CACHE_LINE, RUNTIME, whole
from ..threads.policy import checked, num_threads
from .accesses import CallAccess, accesses, check_bounds, enclosed
from .code import WORKER, Barrier, Node, When, affine, index
from .filled import check_filled
from .grammar import LoopString, Range, innermost, parsed
from .grammar import nest as nodes_of
from .loop_kernel import LoopKernel
from .offsets import bounds_of
from .origins import check_origins
from .picture import svg
from .races import check_curves, check_races
from .scratch import ALIGNMENT
from .trace import (
    OF_CALL,
    WORKERS_OWN,
    LoopIndex,
    LoopIndices,
    NestMatrix,
    NestNumber,
    NestOperand,
    Scratch,
    Tracer,
    extents_of,
    traced,
)

Body = Callable[..., None]


class Nest(LoopKernel):
    """Loops around kernels as machine code. Call it with the operands, in their order or by name. See `nest`.

    print(k)      the loops, who runs them, and the calls
    k.spec        the parsed string; k.nodes: the nest as data; k.accesses: the blocks that its calls read and write
    k.listing()   the machine code; k.save(path) writes it as .s, .o, .h or .bin; k.code: its bytes
    """

    spec: LoopString
    loops: dict[str, Range]
    body: Body
    init: Body | None
    term: Body | None
    accesses: tuple[CallAccess, ...]
    body_nodes: tuple[Node, ...]  # one iteration, and in body_names all of them: proofs compare with these
    body_names: dict[str, range]
    parameters: tuple[NestOperand, ...]  # the operands of calls and the scratch memory, as the body takes them

    def __init__(
        self,
        spec: LoopString,
        loops: Mapping[str, Range],
        operands: Sequence[NestOperand],
        body: Body,
        threads: int | None,
        init: Body | None = None,
        term: Body | None = None,
    ) -> None:
        self._keep(spec=spec, loops=dict(loops), body=body, init=init, term=term, parameters=tuple(operands))
        tracer = Tracer()
        values = {letter: innermost(spec, letter) for letter in loops}
        indices = {letter: LoopIndex(tracer, value, loops[letter]) for letter, value in values.items()}
        body(LoopIndices(indices), *traced(tracer, operands))
        if not tracer.accesses:
            raise ValueError("body: it calls no kernel")
        names = {letter: value.terms[0][0] for letter, value in values.items()}
        self._keep(body_nodes=tuple(tracer.nodes))
        self._keep(
            body_names={names[letter]: range(each.start, each.stop, each.step) for letter, each in loops.items()}
        )
        scratch = _scratch_bytes(operands)
        barrier = sum(not _is_scratch(each) for each in operands) + len(scratch) * any(scratch)
        nodes = nodes_of(spec, loops, tracer.nodes, barrier)
        once = [_SingleCalls(each, operands) for each in (init, term)]
        found = self._checked(tracer, names, nodes, once[0].accesses)
        alone, wait = [When(index(WORKER), "==", each.nodes) for each in once], Barrier(barrier)
        if init is not None:
            nodes = (alone[0], wait, *nodes)
        if term is not None:
            nodes = (*nodes, wait, alone[1])
        everything = [*found, *once[0].accesses, *once[1].accesses]
        written = dict.fromkeys(each.matrix.name for each in everything if each.writes and not each.matrix.each)
        target = tracer.accesses[0][0].kernel.target
        ranges = {names[letter]: each for letter, each in loops.items()}
        bounds = bounds_of(everything, ranges) if any(each.table for each in everything) else ()
        super().__init__(f"nest {spec.string}", operands, [*written], nodes, target, threads, scratch, bounds)

    def _checked(
        self, tracer: Tracer, names: dict[str, str], nodes: tuple[Node, ...], before: Sequence[CallAccess]
    ) -> tuple[CallAccess, ...]:
        """Return what the body reads and writes, after the checks that it lies within operands, that workers do not
        race, and that what is read of scratch memory has been written. `before`: what one worker has touched before."""
        given = {id(call): blocks for call, blocks in tracer.accesses}
        found: list[CallAccess] = list(accesses(tracer.nodes, given))
        ranges = {name: self.loops[letter] for letter, name in names.items()}
        check_bounds(found, ranges)
        check_origins(found, ranges)
        written = {each.matrix.name for each in found if each.writes and each.matrix.each != WORKERS_OWN}
        found = [enclosed(each, ranges) if each.matrix.name in written and not each.writes else each for each in found]
        check_races(self.spec, found, self.loops, names)
        check_curves(self.spec, found, self.loops, names)
        if any(each.matrix.each and each.touched for each in found):
            check_filled(self.spec, nodes, found, self.loops, before)
        self._keep(accesses=tuple(found))
        return self.accesses

    def svg(self, axes: str = "", workers: int | None = None) -> str:
        """Return a picture of two loops as the text of an SVG file. Each worker has a colour, which darkens with time.

        axes      two letters, rows and columns; by default the loops that are divided among workers, or the first two
        workers   the number of workers; by default that of a call
        """
        by_name = [level.letter for level in self.spec.levels]
        letters = axes or "".join(dict.fromkeys([*self.spec.dealt, *by_name]))[:2]
        if len(set(letters)) != 2 or len(letters) != 2 or not set(letters) <= set(self.loops):
            raise ValueError(f"axes: two different loops of {', '.join(self.loops)}, not {axes or letters!r}")
        names = {letter: innermost(self.spec, letter).terms[0][0] for letter in letters}
        count = (checked(workers, "workers") if workers else self.threads or num_threads()) if self.parallel else 1
        return svg(self.title, self.nodes, self.loops, names, letters, count)

    def _picture(self) -> str:
        # Each iteration is walked, and nests with so many have more cells than there is room for.
        iterations = math.prod(map(len, self.body_names.values()))
        return self.svg() if len(self.loops) > 1 and iterations <= notebook.MOST else ""

    def __reduce__(self) -> tuple[Callable[..., Nest], tuple[Any, ...]]:
        """A pickle holds the request, with the body by its name; loading it traces and proves the nest again."""
        return _again, (self.spec.string, self.loops, self.body, self.threads, self.parameters, self.init, self.term)

    def __repr__(self) -> str:
        return f"<Nest {self.spec.string} of {', '.join(each.name for each in self.operands)} for {self.target.name}>"


def nest(
    string: str,
    loops: Mapping[str, Any],
    body: Body,
    *,
    init: Body | None = None,
    term: Body | None = None,
    threads: int | None = None,
    **operands: Any,
) -> Nest:
    """Make a nest of loops around kernels: `k = ts.nest("aBC", loops, body, A=..., B=..., C=...)`, then k(a, b, c).

    string     the order of loops, how often each is blocked, and who runs what: docs/nests.md
    loops      {"a": (start, stop, step)}, or with the steps of its blockings, outermost first: (0, 64, 1, [16, 4])
    operands   by name, (shape, element type) or an array that has them; calls take contiguous arrays of these. With
               ts.RUNTIME the operand is a whole number that each call gives, such as the seed of random numbers; with
               ts.scratch(shape, type) it is memory of each worker that the nest owns, and calls do not give it
    body       body(i, A, B, C), called once: i.a is the value of a loop, A[i.b, i.a] the block of A's remaining axes
               there; kernels are called with blocks, as mm(A[i.b, i.a], B[i.c, i.a], C[i.b, i.c]), leading dimensions
               and counts are numbers. A kernel of random numbers takes an operand as its seed, and the row and column
               of each block in the whole matrix: k(x[i.a], seed, 8 * i.a, 0, y[i.a]). Calls inside `with
               ts.when(i.a.first):` are made if the condition holds
    init       init(A, B, C), called once: the calls that one worker makes before all iterations, while the others wait
    term       the same after all iterations. Work that should be spread over workers is a nest of its own, with
               `region`
    threads    the number of workers; None: `num_threads()` at each call. Any number of them gives the same bits

    The addresses are proved here: what is read or written lies within its operand (IndexError), and no worker touches
    what another one writes between two barriers (ts.RaceError, which marks the letter). LoopStringError, a ValueError,
    marks an error in the string.
    Source: PARLOOPER, section 2.
    """
    if not isinstance(loops, Mapping):
        raise TypeError(f'loops: {{"a": (start, stop, step)}} by letter, not {loops!r}')
    for name, each in (("body", body), ("init", init), ("term", term)):
        if not (callable(each) or each is None and name != "body"):
            raise TypeError(f"{name}: a function that calls kernels with blocks of the operands, not {each!r}")
        if public := _public(each):
            made = "i, x, y: k(x[i.a], y[i.a])" if name == "body" else "x, y: k(x, y)"
            raise TypeError(
                f"{name}: a function that calls kernels with blocks of the operands, not {public} itself; "
                f"make a kernel k of a block first, and write {name}=lambda {made}"
            )
    ranges = {letter: _range(letter, given) for letter, given in loops.items()}
    given_operands = _operands(operands)
    for name, each in (("body", body), ("init", init), ("term", term)):
        if each is not None:
            _check_parameters(name, each, ("i",) * (name == "body") + tuple(operands))
    workers = None if threads is None else checked(threads, "threads")
    return Nest(parsed(string, ranges), ranges, given_operands, body, workers, init, term)


def _public(function: Any) -> str:
    """Return the name of a public function or of a kernel or operation of this package, or "" for others: each of them
    takes numbers or arrays, so the loops and operands of a nest would be called its wrong arguments."""
    own, kind = __name__.partition(".")[0], type(function)
    name = str(getattr(function, "__name__", "_"))
    if kind.__module__.partition(".")[0] == own:
        return f"{kind.__name__} {function.name}" if hasattr(function, "name") else f"ts.{name}"
    inside = str(getattr(function, "__module__", None)).partition(".")[0] == own
    public = inside and getattr(function, "__qualname__", None) == name and not name.startswith("_")
    return f"ts.{name}" if public else ""


def _check_parameters(name: str, function: Body, given: Sequence[str]) -> None:
    """Raise TypeError unless the function can be called with the loops and the operands of the nest."""
    try:
        found = inspect.signature(function)
    except ValueError:  # a function in C without a signature: the call says what is wrong
        return
    try:
        found.bind(*given)
    except TypeError as error:
        raise TypeError(
            f"{name}: is called with {', '.join(given) or 'nothing'}, and takes {found}: {error}; "
            'operands are given by name, as A=((4, 16, 16), "f32")'
        ) from None


class _SingleCalls:
    """The calls that one worker makes, before or after all others, and what they touch. None makes none."""

    def __init__(self, once: Body | None, operands: Sequence[NestOperand]) -> None:
        tracer = Tracer()
        if once is not None:
            once(*traced(tracer, operands))
        self.nodes = tuple(tracer.nodes)
        self.accesses = list(accesses(tracer.nodes, {id(call): blocks for call, blocks in tracer.accesses}))
        check_bounds(self.accesses, {})
        check_origins(self.accesses, {})


def _is_scratch(operand: NestOperand) -> bool:
    return isinstance(operand, NestMatrix) and bool(operand.each)


def _again(
    string: str,
    loops: Mapping[str, Range],
    body: Body,
    threads: int | None,
    operands: Sequence[NestOperand],
    init: Body | None = None,
    term: Body | None = None,
) -> Nest:
    ranges = {letter: (each.start, each.stop, each.step, each.blocks) for letter, each in loops.items()}
    return nest(
        string,
        ranges,
        body,
        init=init,
        term=term,
        threads=threads,
        **{each.name: each.asked for each in operands},
    )


def _range(letter: str, given: Any) -> Range:
    if not (isinstance(letter, str) and len(letter) == 1 and letter.isalpha() and letter.islower()):
        raise ValueError(f"loops: a lower-case letter for each loop, not {letter!r}")
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"loop {letter}: (start, stop, step) or (start, stop, step, [blockings]), not {given!r}")
    parts = tuple(given)
    if len(parts) == 4 and not isinstance(parts[3], (tuple, list)):
        raise TypeError(f"loop {letter}: a list of the steps of blockings, the outermost first, not {parts[3]!r}")
    if not 3 <= len(parts) <= 4:
        raise TypeError(f"loop {letter}: (start, stop, step) or (start, stop, step, [blockings]), not {given!r}")
    numbers = [whole(each) for each in (*parts[:3], *(parts[3] if len(parts) == 4 else ()))]
    if any(each is None for each in numbers):
        raise TypeError(f"loop {letter}: whole numbers, not {given!r}")
    start, stop, step, *blocks = (int(each) for each in numbers if each is not None)
    if start >= stop or step < 1 or any(each < 1 for each in blocks):
        raise ValueError(f"loop {letter}: start below stop, steps of 1 or more, not {given!r}")
    return Range(start, stop, step, tuple(blocks))


def _operand(name: str, place: int, given: Any) -> NestOperand:
    if given is RUNTIME:
        return NestNumber(name, place)
    pair = (given.shape, given.dtype) if hasattr(given, "shape") else given
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], (tuple, list)):
        raise TypeError(
            f'{name}: an operand is a shape and an element type, as ((6, 4, 4), "f32"), or ts.RUNTIME '
            f"for a whole number that each call gives, not {given!r}"
        )
    shape, found = extents_of(name, *pair)
    return NestMatrix(name, place, shape, found, ELEMENT_BYTES[found])


def _operands(given: Mapping[str, object]) -> list[NestOperand]:
    """Return the operands in the order of the body's parameters. In the job's table the scratch memory that workers
    share follows the operands of a call, and then that of which each worker has its own."""
    words = sum(not isinstance(each, Scratch) for each in given.values())
    own = sum(_lines(each) for each in given.values() if isinstance(each, Scratch) and each.each == WORKERS_OWN)
    ends = {OF_CALL: affine(0), WORKERS_OWN: index(WORKER) * -(-own // ALIGNMENT * ALIGNMENT)}
    found: list[NestOperand] = []
    places = count()
    for name, each in given.items():
        if not isinstance(each, Scratch):
            found.append(_operand(name, next(places), each))
            continue
        place = words + (each.each == WORKERS_OWN)
        found.append(
            NestMatrix(name, place, each.shape, each.dtype, ELEMENT_BYTES[each.dtype], each.each, ends[each.each])
        )
        ends[each.each] += _lines(each)
    return found


def _lines(scratch: Scratch) -> int:
    """Return the bytes of scratch memory, in whole cache lines."""
    return -(-math.prod(scratch.shape) * ELEMENT_BYTES[scratch.dtype] // CACHE_LINE) * CACHE_LINE


def _scratch_bytes(operands: Sequence[NestOperand]) -> tuple[int, int]:
    """Return the bytes of scratch memory: shared by the workers, and of each."""
    sizes = {OF_CALL: 0, WORKERS_OWN: 0}
    for each in operands:
        if isinstance(each, NestMatrix) and each.each:
            sizes[each.each] += _lines(Scratch(each.shape, each.dtype, each.each))
    return -(-sizes[OF_CALL] // ALIGNMENT) * ALIGNMENT, -(-sizes[WORKERS_OWN] // ALIGNMENT) * ALIGNMENT
