"""The proof that a nest reads nothing of scratch memory but what it has written there before.

The contents of scratch memory are undefined, and which iterations a worker has run before depends on the number of
workers. So what is written counts within one iteration of the loops that are divided among workers: the loops inside of
them are run by one worker in their order. Nor may it depend on the order of loops what is read, or another loop string
would compute something else: a block that is copied from x[i.p] counts within one iteration of p. A loop that decides
where the block is written (rows i.r of a band), or that a condition keeps at one value, is not such a loop, and sums
are added to whatever is there.

The iterations in which a write counts are a *scope*. Each scope is walked through as arrays, with a map of the elements
that are written so far; scopes with the same calls at the same places are walked through once. In a nest that divides
nothing, all iterations may be one scope. Memory that all workers share may also be written by `init`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array
from .accesses import MOST, CallAccess
from .code import Address, Affine, Constants, Grid, Header, Loop, Node, Share
from .grammar import LoopString, Range
from .races import RaceError
from .trace import WORKERS_OWN
from .walk import Table, holds, loop_of, looped, shared, values

_Of: TypeAlias = tuple[LoopString, Sequence[Header]]
"""The string of a nest, and the loops around its scopes."""


class _Event(NamedTuple):
    """The first time that a scope touches elements at a place: the iteration, the number of the access in it, whether
    it writes, and the bytes of the place."""

    row: int
    number: int
    writes: bool
    place: int


def check_filled(
    spec: LoopString,
    nodes: Sequence[Node],
    found: Sequence[CallAccess],
    loops: Mapping[str, Range],
    before: Sequence[CallAccess],
) -> None:
    """Raise RaceError for a read of scratch memory that may have other contents than the body has written.

    nodes    the loops of the nest
    found    what the body touches, in the order of its calls
    before   what one worker has touched before all iterations
    """
    own = [each for each in found if each.matrix.each and each.touched]
    written = _written(spec, [each for each in before if each.matrix.each and each.touched])
    around, inside = _scope(nodes, _sources(own))
    table = _iterations(spec, around, inside, own, loops)
    places = np.stack([_block_offsets(each, table) for each in own], 1)
    ends = np.flatnonzero(np.diff(table["@scope"])) + 1
    known: set[bytes] = set()
    for start, stop in zip((0, *ends), (*ends, len(places))):
        scope = places[start:stop]
        if (key := scope.tobytes()) not in known:
            known.add(key)
            _check_scope((spec, around), own, scope, written, {name: each[start:stop] for name, each in table.items()})


def _sources(own: Sequence[CallAccess]) -> set[str]:
    """Return the indices that decide what is written to a place of scratch memory."""
    found: set[str] = set()
    adds = _adds(own)
    for each in own:
        if each.writes and id(each.call) not in adds:
            arguments = (one for one in each.call.arguments if not isinstance(one, Constants))
            forms = [one.offset if isinstance(one, Address) else one for one in arguments]
            equal = [one.left.terms for one in each.conditions if one.condition == "==" and len(one.left.terms) == 1]
            known = {*dict(each.offset.terms), *(name for terms in equal for name, _ in terms)}
            found |= {name for form in forms for name, _ in form.terms} - known
    return found


def _adds(own: Sequence[CallAccess]) -> set[int]:
    """Return the identities of the calls that read the memory that they write, as sums do."""
    reads = {(id(each.call), each.matrix.name) for each in own if not each.writes}
    writes = [each for each in own if each.writes]
    kernels = {each.call.kernel: each.call.kernel.spec for each in writes}
    adding = {kernel for kernel, spec in kernels.items() if _reads_results(spec)}
    return {
        id(each.call) for each in writes if each.call.kernel in adding or (id(each.call), each.matrix.name) in reads
    }


def _scope(nodes: Sequence[Node], sources: set[str]) -> tuple[list[Header], list[Loop | Share]]:
    """Return the loops around a scope, and those inside of it."""
    levels: list[Loop | Share | Grid] = []
    while (inner := loop_of(nodes)) is not None:
        levels.append(inner)
        nodes = inner.body
    first = max((at + 1 for at, each in enumerate(levels) if _divides(each) or _is_one(each, sources)), default=0)
    around = [header for each in levels[:first] if not isinstance(each, Grid) for header in _headers(each)]
    return around, [each for each in levels[first:] if not isinstance(each, Grid)]


def _is_one(node: Loop | Share | Grid, names: set[str]) -> bool:
    return not isinstance(node, Grid) and any(each.index in names for each in _headers(node))


def _divides(node: Loop | Share | Grid) -> bool:
    """Whether the iterations of a loop are divided among workers."""
    if isinstance(node, Share):
        return node.schedule != "whole"
    return isinstance(node, Grid) or node.axis != ""


def _headers(node: Loop | Share) -> tuple[Header, ...]:
    return (node.header,) if isinstance(node, Loop) else node.headers


def _iterations(
    spec: LoopString,
    around: Sequence[Header],
    inside: Sequence[Loop | Share],
    own: Sequence[CallAccess],
    loops: Mapping[str, Range],
) -> Table:
    """Return all iterations of the loops on which the accesses depend, scope by scope."""
    used = {name for each in own for form in _forms(each) for name, _ in form.terms}
    kept: list[Loop | Share] = []
    for node in reversed(inside):
        headers = _headers(node)
        if used & {each.index for each in headers}:
            kept.insert(0, node)
            used |= {name for each in headers for form in (each.start, *each.stop) for name, _ in form.terms}
    ranges = [_values(each, loops) for each in around if each.index in used]
    count = int(np.prod([len(each) for each in ranges], dtype=object))
    count *= int(np.prod([each.trips for node in kept for each in _headers(node)], dtype=object))
    if count > MOST:
        raise RaceError(
            spec.string,
            spec.levels[-1].place,
            f"{own[0].matrix.name}: scratch memory depends on {count} iterations, more than the {MOST} in which a "
            "nest checks what is read; let its places and conditions depend on fewer loops",
        )
    names = [each.index for each in around if each.index in used]
    grid = np.meshgrid(*ranges, indexing="ij")
    table: Table = {"": np.zeros(len(grid[0].ravel()) if grid else 1, np.int64)}
    table |= {name: each.ravel() for name, each in zip(names, grid)}
    table["@scope"] = np.arange(len(table[""]))
    for node in kept:
        table = looped(node, table) if isinstance(node, Loop) else shared(node, table, 0, 1)
    return table


def _values(header: Header, loops: Mapping[str, Range]) -> Array:
    """Return all values of a loop around the scopes. Blocks are multiples of those inside of them."""
    loop = loops[header.index[0]]
    return np.arange(loop.start, loop.stop, header.step)


def _forms(access: CallAccess) -> list[Affine]:
    return [access.offset, *(each.left for each in access.conditions)]


def _block_offsets(access: CallAccess, table: Table) -> Array:
    """Return the bytes from the operand's first element to the block in each iteration; -1 where the call is not
    made."""
    made = holds(access.conditions, table)
    places = values(access.offset, table)
    return places if made is None else np.where(made, places, -1)


def _check_scope(of: _Of, own: Sequence[CallAccess], places: Array, before: Mapping[str, Array], table: Table) -> None:
    events: list[_Event] = []
    for number, each in enumerate(own):
        found, rows = np.unique(places[:, number], return_index=True)
        pairs = zip(found.tolist(), rows.tolist())
        events += [_Event(row, number, each.writes, place) for place, row in pairs if place >= 0]
    written = {name: each.copy() for name, each in before.items()}
    calls = {call: at for at, call in enumerate(dict.fromkeys(id(each.call) for each in own))}
    for event in sorted(events, key=lambda each: (each.row, calls[id(own[each.number].call)], each.writes)):
        access = own[event.number]
        missing = _apply(access, event.place, written)
        if missing:
            raise _unwritten(of, access, table, event.row, missing)


def _apply(access: CallAccess, place: int, written: dict[str, Array]) -> int:
    """Let an access to a place happen. Return how many elements it reads that are not written."""
    matrix = access.matrix
    elements = written.setdefault(matrix.name, np.zeros(matrix.bytes // matrix.size, bool))
    views = [
        as_strided(
            elements[(place + each.start) // matrix.size :],
            each.shape,
            [abs(step) // matrix.size for step in each.strides],
        )
        for each in access.touched
    ]
    if not access.writes or _reads_results(access.call.kernel.spec):
        missing = sum(int(each.size - np.count_nonzero(each)) for each in views)
        if missing:
            return missing
    if access.writes:
        for each in views:
            each[...] = True
    return 0


def _reads_results(spec: object) -> bool:
    """Whether a kernel reads its results, or writes only parts of them."""
    beta, interface = getattr(spec, "beta", None), getattr(spec, "interface", None)
    if interface is not None and interface.needed:
        return True
    return bool(beta != 0) if beta is not None else interface is None


def _written(spec: LoopString, before: Sequence[CallAccess]) -> dict[str, Array]:
    """Return the elements of shared scratch memory that one worker has written before all iterations."""
    written: dict[str, Array] = {}
    for each in before:
        if missing := _apply(each, each.offset.constant, written):
            raise _unwritten((spec, []), each, {}, 0, missing)
    shared_ones = {each.matrix.name for each in before if each.matrix.each != WORKERS_OWN}
    return {name: each for name, each in written.items() if name in shared_ones}


def _unwritten(of: _Of, access: CallAccess, table: Table, row: int, missing: int) -> RaceError:
    """Return the error about elements that are read and not written. It marks the letter of the scope."""
    spec, around = of
    level = next((each for each in spec.levels if around and each.name == around[-1].index), spec.levels[-1])
    where = [f"i.{name[0]} is {int(each[row])}" for name, each in table.items() if name[:1].isalpha()]
    at = f" where {' and '.join(where)}" if where else ""
    why = "which is divided among workers" if level.parallel or level.axis else "which decides what is written"
    when = f"in the same iteration of {level.letter}, {why}" if around else "before"
    return RaceError(
        spec.string,
        level.place,
        f"{access.matrix.name}: {access.call.kernel.name} reads {missing} elements{at} that are not written {when}; "
        "what scratch memory holds else is undefined",
    )
