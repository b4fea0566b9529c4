"""`nest`: a loop string and a traced body as one kernel of machine code, for any number of workers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...microkernels.dtypes import ELEMENT_BYTES, element_type
from ...microkernels.operands import RUNTIME, whole
from ..threads.policy import checked, num_threads
from .accesses import Access, accesses, check_bounds
from .code import WORKER, Barrier, Node, When, index
from .grammar import Range, Spec, innermost, parsed
from .grammar import nest as nodes_of
from .loop_kernel import LoopKernel
from .origins import check_origins
from .picture import svg
from .races import check_curves, check_races
from .trace import GivenNumber, Index, Indices, Matrix, NestOperand, Tracer, traced

Body = Callable[..., None]


class Nest(LoopKernel):
    """Loops around kernels as machine code. Call it with the operands, in their order or by name. See `nest`.

    print(k)      the loops, who runs them, and the calls
    k.spec        the parsed string; k.nodes: the nest as data; k.accesses: the blocks that its calls read and write
    k.listing()   the machine code; k.save(path) writes it as .s, .o, .h or .bin; k.code: its bytes
    """

    spec: Spec
    loops: dict[str, Range]
    body: Body
    init: Body | None
    term: Body | None
    accesses: tuple[Access, ...]
    body_nodes: tuple[Node, ...]  # one iteration, and in body_names all of them: proofs compare with these
    body_names: dict[str, range]

    def __init__(
        self,
        spec: Spec,
        loops: Mapping[str, Range],
        operands: Sequence[NestOperand],
        body: Body,
        threads: int | None,
        init: Body | None = None,
        term: Body | None = None,
    ) -> None:
        self._keep(spec=spec, loops=dict(loops), body=body, init=init, term=term)
        tracer = Tracer()
        values = {letter: innermost(spec, letter) for letter in loops}
        indices = {letter: Index(tracer, value, loops[letter]) for letter, value in values.items()}
        body(Indices(indices), *traced(tracer, operands))
        if not tracer.accesses:
            raise ValueError("body: it calls no kernel")
        written = self._checked(tracer, {letter: value.terms[0][0] for letter, value in values.items()})
        names = {values[letter].terms[0][0]: range(each.start, each.stop, each.step) for letter, each in loops.items()}
        self._keep(body_nodes=tuple(tracer.nodes), body_names=names)
        target = tracer.accesses[0][0].kernel.target
        nodes = nodes_of(spec, loops, tracer.nodes, len(operands))
        for once, before in ((init, True), (term, False)):
            if once is not None:
                nodes, more = _with_once(once, nodes, operands, before)
                written = list(dict.fromkeys([*written, *more]))
        super().__init__(f"nest {spec.string}", operands, written, nodes, target, threads)

    def _checked(self, tracer: Tracer, names: dict[str, str]) -> list[str]:
        """Return the operands that are written, after the checks that blocks lie within operands and workers do not
        race."""
        given = {id(call): blocks for call, blocks in tracer.accesses}
        found: list[Access] = list(accesses(tracer.nodes, given))
        ranges = {name: self.loops[letter] for letter, name in names.items()}
        check_bounds(found, ranges)
        check_origins(found, ranges)
        check_races(self.spec, found, self.loops, names)
        check_curves(self.spec, found, self.loops, names)
        self._keep(accesses=tuple(found))
        return list(dict.fromkeys(each.matrix.name for each in found if each.writes))

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

    def __reduce__(self) -> tuple[Callable[..., Nest], tuple[Any, ...]]:
        """A pickle holds the request, with the body by its name; loading it traces and proves the nest again."""
        return _again, (self.spec.string, self.loops, self.body, self.threads, self.operands, self.init, self.term)

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
               ts.RUNTIME the operand is a whole number that each call gives, such as the seed of random numbers
    body       body(i, A, B, C), called once: i.a is the value of a loop, A[i.b, i.a] the block of A's remaining axes
               there; kernels are called with blocks, as mm(A[i.b, i.a], B[i.c, i.a], C[i.b, i.c]), leading dimensions
               and counts are numbers. A kernel of random numbers takes an operand as its seed, and the row and column
               of each block in the whole matrix: k(x[i.a], seed, 8 * i.a, 0, y[i.a]). Calls inside `with
               ts.when(i.a.first):` are made if the condition holds
    init       init(A, B, C), called once: the calls that one worker makes before all iterations, while the others wait
    term       the same after all iterations. Work that should be spread over workers is a nest of its own, with
               `region`
    threads    the number of workers; None: `num_threads()` at each call. Any number of them gives the same bits

    The addresses are proved here: every block lies within its operand (IndexError), and no worker touches what another
    one writes (ts.RaceError, which marks the letter). LoopStringError, a ValueError, marks an error in the string.
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
    given_operands = [_operand(name, place, given) for place, (name, given) in enumerate(operands.items())]
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


def _with_once(
    once: Body, nodes: tuple[Node, ...], operands: Sequence[NestOperand], before: bool
) -> tuple[tuple[Node, ...], list[str]]:
    """Return the nodes with calls that only worker 0 makes, before or after all others, and the operands that they
    write."""
    tracer = Tracer()
    once(*traced(tracer, operands))
    found = list(accesses(tracer.nodes, {id(call): blocks for call, blocks in tracer.accesses}))
    check_bounds(found, {})
    check_origins(found, {})
    alone, wait = When(index(WORKER), "==", tuple(tracer.nodes)), Barrier(len(operands))
    made = (alone, wait, *nodes) if before else (*nodes, wait, alone)
    return made, [each.matrix.name for each in found if each.writes]


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
        return GivenNumber(name, place)
    pair = (given.shape, given.dtype) if hasattr(given, "shape") else given
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], (tuple, list)):
        raise TypeError(
            f'{name}: an operand is a shape and an element type, as ((6, 4, 4), "f32"), or ts.RUNTIME '
            f"for a whole number that each call gives, not {given!r}"
        )
    extents, dtype = pair
    shape = tuple(whole(each) or 0 for each in extents)
    if not shape or min(shape) < 1:
        raise ValueError(f"{name}: a shape of whole numbers of 1 or more, not {tuple(extents)}")
    found = element_type(f"type of {name}", dtype)
    return Matrix(name, place, shape, found, ELEMENT_BYTES[found])
