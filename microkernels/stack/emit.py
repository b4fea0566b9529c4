"""Emit a stack of products as its plan says (plan.py)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..contract.machine import General, Machine, Slot
from ..contract.vector_verbs import held
from ..gemm.emit import emit_product, registers
from ..gemm.plan import GemmPlan
from ..gemm.spec import parameters as gemm_parameters
from ..gemm.state import KernelState
from ..operands import CACHE_LINE
from .plan import near, steps
from .spec import StackSpec, parameters


def emit(m: Machine, plan: GemmPlan) -> None:
    """Append the kernel to the machine's assembler."""
    assert isinstance(plan.spec, StackSpec)
    m.enter(registers(plan))
    given = m.named_arguments(parameters(plan.spec))
    stack = plan.spec.stack
    distances = {name: _placed(m, plan, given[f"{name}_stride"]) for name in "abc"}
    count = stack if isinstance(stack, int) else _placed(m, plan, given["count"])
    claim = m.general if near(plan) else m.counter
    # The matrices of the current product. If the product moves its pointers, or lines of a later product are
    # prefetched, the product works on copies of these pointers.
    firsts = {name: given[name] for name in "abc"}
    if plan.ahead or not plan.pointers_stay:
        firsts = {name: claim(f"{name} of the product") for name in "abc"}
        for name, first in firsts.items():
            m.copy(first, given[name])
    state = KernelState(m, plan, [given[name] for _, name in gemm_parameters(plan.spec)], True)
    product, operands = plan.product, state.operands
    walking = {product.a.argument: operands.a, product.b.argument: operands.b, product.c.argument: operands.c}
    counter = claim("products") if isinstance(count, int | Slot) else count

    @contextmanager
    def products() -> Iterator[None]:
        with m.loop(counter, count):
            for name, first in firsts.items():
                m.copy(walking[name], first)  # emits nothing if they are the same
                m.advance(first, distances[name], plan.ahead)
            yield
            for name, first in firsts.items():
                m.advance(first, -steps(plan) * CACHE_LINE * bool(plan.ahead))
                m.advance(first, distances[name], 1 - plan.ahead)

    def prefetch(step: int, left: int) -> None:
        for first in firsts.values():
            m.prefetch_ahead(held(first), step * CACHE_LINE)
            if left == 1:
                m.advance(first, (step + 1) * CACHE_LINE)

    if plan.ahead:
        state.ahead = prefetch
    if stack != 0:
        if isinstance(count, int):
            emit_product(state, products)
        else:
            with m.unless_zero(held(count)):
                emit_product(state, products)
    m.leave()


def _placed(m: Machine, plan: GemmPlan, value: General | Slot) -> General | Slot:
    """Return a place of a value that the loop needs after every product."""
    return m.in_register(value, "distance") if near(plan) else m.in_slot(value)
