"""`region`: several nests one after the other in one call, with a barrier of all workers between them."""

from __future__ import annotations

from dataclasses import replace

from ..threads.policy import checked
from .code import WORKER, Barrier, Node, When, index, placed, without_barriers
from .loop_kernel import LoopKernel
from .nest import Nest
from .trace import NestOperand


class NestRegion(LoopKernel):
    """Several nests in one piece of code: see `region`."""

    nests: tuple[Nest, ...]

    def __init__(self, nests: tuple[Nest, ...], threads: int | None) -> None:
        operands = _all_operands(nests)
        places = {each.name: each.place for each in operands}
        nodes: list[Node] = []
        scratch = max(nest.scratch[0] for nest in nests), max(nest.scratch[1] for nest in nests)
        barrier = len(operands) + len(scratch) * any(scratch)
        for nest in nests:
            own = {each.place: places[each.name] for each in nest.operands}
            behind = len(own)
            own |= {behind + word: len(operands) + word for word in range(len(scratch))} if any(nest.scratch) else {}
            made = placed(nest.nodes, {**own, len(own): barrier})
            nodes += [Barrier(barrier)] if nodes else []
            # A nest without divided loops is run by one worker, without its inner barriers: the others wait after it
            # anyway.
            nodes += made if nest.parallel else [When(index(WORKER), "==", without_barriers(made))]
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
        self._keep(nests=nests)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _again, (self.nests, self.threads)

    def __repr__(self) -> str:
        return f"<Region of {', '.join(nest.spec.string for nest in self.nests)} for {self.target.name}>"


def region(*nests: Nest, threads: int | None = None) -> NestRegion:
    """Run nests one after the other, called as one: `k = ts.region(first, second)`, then `k(x=..., w=..., y=...)`.

    Operands of the same name are the same array: a nest reads what the ones before it wrote. All workers wait for each
    other between two nests, which takes less than a microsecond, while a separate call takes several. The operands are
    in the order in which the nests first name them. Scratch memory is used by one nest after the other, and none reads
    what another one has written there. Raises ValueError if a name has two shapes or types, or the nests two targets.
    """
    if not nests or not all(isinstance(each, Nest) for each in nests):
        raise TypeError("region: one or more nests, of ts.nest")
    targets = {nest.target.name for nest in nests}
    if len(targets) > 1:
        raise ValueError(f"region: nests of one target, not of {', '.join(sorted(targets))}")
    return NestRegion(nests, None if threads is None else checked(threads, "threads"))


def _again(nests: tuple[Nest, ...], threads: int | None) -> NestRegion:
    return region(*nests, threads=threads)


def _all_operands(nests: tuple[Nest, ...]) -> list[NestOperand]:
    """Return all operands, renumbered."""
    found: dict[str, NestOperand] = {}
    for nest in nests:
        for each in nest.operands:
            known = found.setdefault(each.name, replace(each, place=len(found)))
            if known.asked != each.asked:
                raise ValueError(f"{each.name}: {known} in one nest, {each} in another")
    return list(found.values())
