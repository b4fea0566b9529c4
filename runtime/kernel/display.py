"""The representations of a kernel: text for `print`, HTML for notebooks."""

from __future__ import annotations

from typing import Protocol

from ...encoder.code import Code
from ...encoder.features import Target
from ...microkernels.choice import Plan
from ...microkernels.errors import UnsupportedError
from ...microkernels.notebook import PageSection
from ...microkernels.notebook import page as page
from . import costs as pipe_costs
from . import register_map


class Function(Protocol):
    """The attributes of every function whose instructions are counted: also those of jobs, which have no kernel's
    address."""

    @property
    def target(self) -> Target: ...
    @property
    def _code(self) -> Code: ...


class Listed(Protocol):
    """The attributes of everything whose listing is shown."""

    @property
    def code(self) -> bytes: ...
    def listing(self) -> str: ...


class ByHand(Function, Listed, Protocol):
    """The attributes of hand-written functions (`handwritten.kernel`) that are shown."""

    @property
    def address(self) -> int | None: ...
    @property
    def c_prototype(self) -> str: ...


class ShownKernel(ByHand, Protocol):
    """The attributes of `callable.Kernel` that are shown. That module imports this one lazily."""

    @property
    def plan(self) -> Plan: ...


LISTING_HEAD = 24
"""The number of lines of the listing that `print` shows."""


def text(kernel: ShownKernel) -> str:
    """Return the plan, the C declaration, the registers and the first lines of the listing."""
    lines = kernel.listing().splitlines()
    more = [f"... {len(lines) - LISTING_HEAD} more lines: k.listing()"] if len(lines) > LISTING_HEAD else []
    return "\n".join([_head(kernel), registers(kernel), *lines[:LISTING_HEAD], *more])


def html(kernel: ShownKernel) -> str:
    """Return the same as HTML, with the registers and the listing in folded sections."""
    return page(_head(kernel), _sections(kernel), "print(k.plan)", picture(kernel.plan))


def by_hand(kernel: ByHand) -> str:
    """Return a hand-written function as HTML, with the same sections."""
    return page(_facts(kernel), _sections(kernel))


def _sections(kernel: ByHand) -> list[PageSection]:
    lines = len(kernel._code.instructions)
    return [
        PageSection("vector registers", registers(kernel), "k.registers()"),
        PageSection(f"{lines} instructions", kernel.listing(), "k.listing()"),
    ]


def picture(plan: Plan) -> str:
    """Return the picture of a plan as SVG; empty if it has none."""
    try:
        return plan.svg() if hasattr(plan, "svg") else ""
    except UnsupportedError:  # the plan says what has one, to those who ask for its picture
        return ""


def folded(kernel: Listed) -> str:
    """Return the text of loops around kernels as HTML, with their picture if there is one, and the listing in a folded
    section."""
    picture = kernel._picture() if hasattr(kernel, "_picture") else ""
    listing = PageSection(f"{len(kernel.code)} bytes", kernel.listing(), "k.listing()")
    return page(str(kernel), [listing], "print(k)", picture)


def registers(kernel: Function) -> str:
    """Return the register map; of code without roles, where each register is used."""
    return (register_map.table if kernel._code.roles else register_map.used)(kernel._code)


def costs(kernel: Function) -> str:
    """Return the table of pipe cycles by instruction."""
    return pipe_costs.table(kernel._code)


def _head(kernel: ShownKernel) -> str:
    return f"{kernel.plan}\n{_facts(kernel)}"


def _facts(kernel: ByHand) -> str:
    where = f"at {kernel.address:#x}" if kernel.address else "not executable here"
    return f"{kernel.c_prototype}\n{len(kernel.code)} bytes for {kernel.target.name}, {where}"
