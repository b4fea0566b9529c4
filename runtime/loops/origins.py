"""The check that no two blocks of a nest draw the same random numbers, as those of one kernel over the whole do not.

A kernel's random numbers depend on the seed and on the row and column of each element, counted from the origin of the
call. The blocks of an operand that a nest writes must therefore begin at different origins, at least a block apart, or
have different seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import ORIGIN, SEED
from .accesses import CallAccess, Happening, happening
from .code import Address, Affine, Call, Constants, affine
from .grammar import Range
from .trace import parameters_of

_ANY = 1 << 32
"""The extent of a block in rows or columns if the request does not say it: counters have 32 bits."""


class _Drawn(NamedTuple):
    """Blocks that a call writes with random numbers, one for each iteration: the operand and the constant that are
    their seed, the rows and columns at which they begin, and the bytes before them in the matrix."""

    access: CallAccess
    seeds: Any
    rows: Any
    columns: Any
    places: Any
    extents: tuple[int, int]


def check_origins(found: Sequence[CallAccess], names: Mapping[str, Range]) -> None:
    """Raise ValueError for a negative origin, and UnsupportedError if two blocks of an operand would get the same
    random numbers. `names` maps the innermost index of each loop to the loop."""
    drawn: dict[str, list[_Drawn]] = {}
    for access in found:
        if access.writes and SEED in _numbers(access.call):
            drawn.setdefault(access.matrix.name, []).append(_drawn(access, names))
    for blocks in drawn.values():
        _check_disjoint(blocks)


def _numbers(call: Call) -> dict[str, Address | Affine]:
    """Return the numbers of a call by name."""
    parameters = parameters_of(call.kernel)
    pairs = zip(parameters, call.arguments)
    return {name: value for (kind, name), value in pairs if "*" not in kind and not isinstance(value, Constants)}


def _drawn(access: CallAccess, names: Mapping[str, Range]) -> _Drawn:
    numbers = _numbers(access.call)
    seed, *origin = (numbers.get(name, affine(0)) for name in (SEED, *ORIGIN))
    forms = [each.offset if isinstance(each, Address) else each for each in (seed, *origin, access.offset)]
    when = happening(access, forms, names)
    seeds, rows, columns, places = (_values(form, when) for form in forms)
    for name, given, values in zip(ORIGIN, origin, (rows, columns)):
        if isinstance(given, Affine) and values.size and values.min() < 0:
            raise ValueError(f"{name} of {access.call.kernel.name}: 0 or more, not {values.min()}")
    word = seed.operand if isinstance(seed, Address) else -1
    return _Drawn(
        access, np.stack([np.full_like(seeds, word), seeds], 1), rows, columns, places, _extents(access.call, numbers)
    )


def _values(form: Affine, when: Happening) -> Any:
    return np.broadcast_to(when.value(form), when.holds.shape)[when.holds]


def _extents(call: Call, numbers: Mapping[str, Address | Affine]) -> tuple[int, int]:
    """Return the rows and columns of a kernel's block."""
    spec: Any = call.kernel.spec
    counted = numbers.get(getattr(spec, "extent", ""))
    requests = list(_requests(spec))
    rows, columns = (next((getattr(each, name) for each in requests if hasattr(each, name)), _ANY) for name in "mn")
    return counted.constant if isinstance(counted, Affine) else rows, columns


def _requests(spec: Any) -> Iterator[Any]:
    """Yield a request, and those that it is for other rows of."""
    while spec is not None:
        yield spec
        spec = getattr(spec, "request", None)


def _check_disjoint(blocks: Sequence[_Drawn]) -> None:
    """Raise UnsupportedError if two blocks of one operand overlap in seed, rows and columns."""
    seeds = np.concatenate([each.seeds for each in blocks])
    starts = [np.concatenate(each) for each in ([one.rows for one in blocks], [one.columns for one in blocks])]
    places = np.concatenate([each.places for each in blocks])
    keys = np.column_stack([seeds, *starts])
    distinct = len(np.unique(keys, axis=0)) == len(np.unique(np.column_stack([keys, places]), axis=0))
    lengths = [np.concatenate([np.full(len(one.rows), one.extents[axis]) for one in blocks]) for axis in (0, 1)]
    if distinct and all(map(_spaced, starts, lengths)):
        return
    access = blocks[0].access
    kernel, matrix = access.call.kernel.name, access.matrix.name
    if len(blocks[0].rows) and ORIGIN[0] not in _numbers(access.call):
        raise UnsupportedError(
            f"{kernel}: would draw the same random numbers in every block of {matrix}; make the kernel with "
            "origin=ts.RUNTIME, and give the row and column of each block in the whole matrix after the seed, as in "
            "k(x[i.a], seed, 8 * i.a, 0, y[i.a]) for blocks of 8 rows"
        )
    raise UnsupportedError(
        f"{kernel}: would draw the same random numbers in two blocks of {matrix}: the rows and columns from which they "
        "count overlap. Give each block its own place in the whole matrix, as in k(x[i.a], seed, 8 * i.a, 0, y[i.a]) "
        "for blocks of 8 rows, or a seed of its own, seed + i.a"
    )


def _spaced(starts: Any, lengths: Any) -> bool:
    """Whether intervals that do not begin at the same place do not overlap."""
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate((starts + lengths)[order])
    return bool(np.all((starts[1:] == starts[:-1]) | (starts[1:] >= ends[:-1])))
