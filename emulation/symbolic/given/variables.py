"""Variables in place of the words that both sides of a comparison compute from numbers that the call gives.

Each element of a dropout has a word of its own, some ninety operations on the seed and on the element's place. Where
the code has computed the same word as the request, both sides get a variable for it: what holds for all words holds for
that one, and the proof of one element holds for the next.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..equality import Prover
from ..values import Table

_NAME = "@word"


def with_variables(
    prover: Prover, found: Sequence[int], wanted: Sequence[int], numbers: Collection[int]
) -> tuple[list[int], list[int]]:
    """Return both lists with a variable in place of each largest word that both have. `numbers` are the leaves of the
    numbers."""
    table = prover.table
    words = _words(table, [*found, *wanted], frozenset(numbers))
    common = {node for node in table.below(found) if node in words}
    common &= {node for node in table.below(wanted) if node in words and not _is_condition(table, node)}
    if not common:
        return list(found), list(wanted)
    ends = [each for each in dict.fromkeys([*found, *wanted]) if each in common]
    for node in table.below([*found, *wanted]):
        if node not in common:
            ends += [arg for arg in table.arguments(node) if arg in common]
    new = {node: int(table.inputs(_NAME, 1, table.size(node))[0]) for node in dict.fromkeys(ends)}
    return [prover.rebuilt(each, new) for each in found], [prover.rebuilt(each, new) for each in wanted]


def _is_condition(table: Table, node: int) -> bool:
    """Whether a node is true or false: bits of masks are compared condition by condition."""
    operation, _ = table.parts(node)
    return operation is not None and (operation.to == "b1" or operation.name == "packed")


def _words(table: Table, roots: Sequence[int], numbers: frozenset[int]) -> set[int]:
    """Return the nodes that are computed from numbers and constants alone."""
    found: set[int] = set()
    for node in table.below(roots):
        args = table.arguments(node)
        if node in numbers or (
            args
            and any(arg in found for arg in args)
            and all(arg in found or table.value(arg) is not None for arg in args)
        ):
            found.add(node)
    return found
