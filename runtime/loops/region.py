"""`region`: several nests in one call, one after the other with a barrier of all workers between them, or side by side.

Nests side by side run on disjoint groups of workers. They are proved not to interfere: what one of them writes, no
other one reads or writes. Their accesses are boxes along the axes of an operand, for all iterations together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, permutations
from typing import TypeAlias

from ...microkernels.operands import whole
from ..threads.policy import checked
from .accesses import CallAccess, enclosed, ends
from .code import (
    WORKER,
    Address,
    Affine,
    Barrier,
    Group,
    Node,
    When,
    claims,
    has_barriers,
    index,
    once,
    placed,
    without_barriers,
)
from .loop_kernel import LoopKernel
from .nest import Nest
from .trace import NestOperand

Stage: TypeAlias = "Nest | Sequence[Nest] | Mapping[Nest, int]"
"""A nest, or several side by side, which have workers by their estimated times or by the shares that are given."""


class NestRegion(LoopKernel):
    """Several nests in one piece of code: see `region`."""

    stages: tuple[tuple[tuple[Nest, int], ...], ...]
    """The nests with their shares of the workers, those side by side in one tuple."""

    def __init__(self, stages: tuple[tuple[tuple[Nest, int], ...], ...], threads: int | None) -> None:
        for stage in stages:
            _check_beside([nest for nest, _ in stage])
        nests = [nest for stage in stages for nest, _ in stage]
        operands = _all_operands(nests)
        places = {each.name: each.place for each in operands}
        nodes: list[Node] = []
        scratch = max(nest.scratch[0] for nest in nests), max(nest.scratch[1] for nest in nests)
        barrier = len(operands) + len(scratch) * any(scratch)

        def made(nest: Nest) -> tuple[Node, ...]:
            own: dict[int, int | Address | Affine] = {each.place: places[each.name] for each in nest.operands}
            if any(nest.scratch):  # whose workers' parts are as long in all nests: two side by side use them at a time
                further = index(WORKER) * (scratch[1] - nest.scratch[1])
                own |= {len(own): len(operands), len(own) + 1: Address(len(operands) + 1, further)}
            return placed(nest.nodes, {**own, len(own): barrier})

        for stage in stages:
            nodes += [Barrier(barrier)] if nodes else []
            nodes += _beside(stage, made) if len(stage) > 1 else _alone(stage[0][0], made(stage[0][0]))
        written = [name for name in places if any(name in nest.written for nest in nests)]
        title = "\n".join(nest.title for nest in nests)
        bounds = [each for nest in nests for each in nest.bounds]
        for each in bounds:
            if each.table.name in written:
                raise ValueError(
                    f"{each.table.name}: has offsets, which are checked when the region is called, so no nest may "
                    "write it"
                )
        super().__init__(title, operands, written, nodes, nests[0].target, threads, scratch, bounds)
        self._keep(stages=stages)

    @property
    def nests(self) -> tuple[Nest, ...]:
        """All nests, in their order."""
        return tuple(nest for stage in self.stages for nest, _ in stage)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return NestRegion, (self.stages, self.threads)

    def __repr__(self) -> str:
        stages = (" beside ".join(nest.spec.string for nest, _ in stage) for stage in self.stages)
        return f"<Region of {', '.join(stages)} for {self.target.name}>"


def region(*stages: Stage, threads: int | None = None) -> NestRegion:
    """Run nests one after the other, called as one: `k = ts.region(first, second)`, then `k(x=..., w=..., y=...)`.

    Operands of the same name are the same array: a nest reads what the ones before it wrote. All workers wait for each
    other between two nests, which takes less than a microsecond, while a separate call takes several. The operands are
    in the order in which the nests first name them. Scratch memory is used by one nest after the other, and none reads
    what another one has written there.

    Nests in a tuple run side by side: `ts.region((bottom, bags), top)`. Each has some of the workers for itself, in
    proportion to its estimated time or to a number that you give, `ts.region({bottom: 1, bags: 2}, top)`. With fewer
    workers than nests, some workers run several of them. The results do not depend on it. What one of them writes, no
    other one may read or write. None of them has barriers (|, init, term), claims (a dynamic schedule) or, but for one
    of them, scratch memory of each="call".

    Raises ValueError if a name has two shapes or types, the nests have two targets, or nests side by side may not be.
    """
    made = tuple(map(_shares, stages))
    targets = {nest.target.name for stage in made for nest, _ in stage}
    if not made:
        raise TypeError("region: one or more nests, of ts.nest")
    if len(targets) > 1:
        raise ValueError(f"region: nests of one target, not of {', '.join(sorted(targets))}")
    return NestRegion(made, None if threads is None else checked(threads, "threads"))


def _shares(stage: Stage) -> tuple[tuple[Nest, int], ...]:
    nests = [stage] if isinstance(stage, Nest) else list(stage) if isinstance(stage, (Mapping, Sequence)) else []
    if not nests or not all(isinstance(each, Nest) for each in nests):
        raise TypeError(f"region: nests of ts.nest, and tuples of those side by side, not {stage!r}")
    shares = [each.cycles for each in nests] if not isinstance(stage, Mapping) else list(stage.values())
    for each in shares:
        if (whole(each) or 0) < 1:
            raise ValueError(f"region: a share of the workers is a whole number from 1 on, not {each!r}")
    return tuple(zip(nests, map(int, shares)))


def _alone(nest: Nest, nodes: tuple[Node, ...]) -> list[Node]:
    """Return the nodes of a nest that all workers run. A nest without divided loops is run by one worker, without its
    inner barriers: the others wait after it anyway."""
    return [*nodes] if nest.parallel else [When(index(WORKER), "==", without_barriers(nodes))]


def _beside(stage: Sequence[tuple[Nest, int]], made: Callable[[Nest], tuple[Node, ...]]) -> list[Node]:
    """Return the nodes of nests side by side, each run by its part of a thousand workers, whatever their number is."""
    of, total = 1000, sum(share for _, share in stage)
    stops = [of * each // total for each in accumulate(share for _, share in stage)]
    nodes: list[Node] = []
    for (nest, _), begin, end in zip(stage, (0, *stops), stops):
        own = made(nest) if nest.parallel else (once(made(nest)),)
        nodes.append(Group(min(begin, of - 1), end, of, own))
    return nodes


def _check_beside(nests: Sequence[Nest]) -> None:
    """Raise ValueError unless several nests may run at the same time."""
    if len(nests) < 2:
        return
    for nest in nests:
        waits = "barriers, at which all workers wait" * has_barriers(nest.nodes)
        if what := waits or "a dynamic schedule, for the claims of all workers" * bool(claims(nest.nodes)):
            raise ValueError(
                f"region: the nest {nest.spec.string} has {what}, so it cannot run beside others; let it be a stage of "
                "its own, or several nests without them in as many stages"
            )
    if sum(bool(nest.scratch[0]) for nest in nests) > 1:
        raise ValueError('region: of nests side by side, one may have scratch memory of each="call"')
    for one, other in permutations(nests, 2):
        for name in _interfering(one, other):
            raise ValueError(
                f"region: the nest {one.spec.string} writes elements of {name} that the nest {other.spec.string}, "
                "which is beside it, may read or write; let one be a stage behind the other"
            )


def _interfering(one: Nest, other: Nest) -> Iterator[str]:
    """Yield the operands of which one nest writes elements that another one may touch."""
    writes = [each for each in one.accesses if each.writes and not each.matrix.each]
    for write in writes:
        box = _box(write, one)
        for access in other.accesses:
            if access.matrix.name == write.matrix.name and not access.matrix.each:
                there = _box(access, other)
                if not any(high <= low or top <= bottom for (bottom, high), (low, top) in zip(box, there)):
                    yield write.matrix.name


def _box(access: CallAccess, nest: Nest) -> list[tuple[int, int]]:
    """Return where the elements lie that an access touches in all iterations of its nest, along each axis that bounds
    them: from a place on, and below another one."""
    ranges = {name: nest.loops[name[0]] for name in nest.body_names}
    found = enclosed(access, ranges)
    bounds = (ends(form, ranges) for form in found.places)
    return [(low, high + extent) for (low, high), extent in zip(bounds, found.extents)]


def _all_operands(nests: Sequence[Nest]) -> list[NestOperand]:
    """Return all operands, renumbered."""
    found: dict[str, NestOperand] = {}
    for nest in nests:
        for each in nest.operands:
            known = found.setdefault(each.name, replace(each, place=len(found)))
            if known.asked != each.asked:
                raise ValueError(f"{each.name}: {known} in one nest, {each} in another")
    return list(found.values())
