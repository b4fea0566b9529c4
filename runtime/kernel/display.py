"""The representations of a kernel: text for `print`, HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import Protocol

from ...encoder.code import Code
from ...encoder.features import Target
from ...encoder.labels import Names, notes_of
from ...microkernels.choice import Plan
from . import costs as pipe_costs
from . import register_map


class Kernel(Protocol):
    """The attributes of `callable.Kernel` that are shown. That module imports this one lazily."""

    target: Target

    @property
    def plan(self) -> Plan: ...
    @property
    def code(self) -> bytes: ...
    @property
    def address(self) -> int | None: ...
    @property
    def c_prototype(self) -> str: ...
    @property
    def _code(self) -> Code: ...
    def listing(self) -> str: ...


LISTING_HEAD = 24
"""The number of lines of the listing that `print` shows."""
_STYLE = "text-align:left;font-family:monospace;white-space:pre;padding:0 1em 0 0"


def text(kernel: Kernel) -> str:
    """Return the plan, the C declaration, the registers and the first lines of the listing."""
    lines = kernel.listing().splitlines()
    more = [f"... {len(lines) - LISTING_HEAD} more lines: k.listing()"] if len(lines) > LISTING_HEAD else []
    return "\n".join([_head(kernel), registers(kernel), *lines[:LISTING_HEAD], *more])


def html(kernel: Kernel) -> str:
    """Return the same as HTML, with the whole listing and its notes in a folded section."""
    code = kernel._code
    names, notes = Names(code), notes_of(code)
    rows = []
    for offset, data, form, operands in code.instructions:
        if offset in names.at:
            rows.append(_row(f"{names.at[offset]}:", "", "", ""))
        rows.append(_row(f"{offset:x}", data.hex(" "), form.text(operands, names), notes.get(offset, "")))
    claims = "".join(_row(f"{start:x} to {end - 1:x}", name, held)
                     for held, name, start, end in register_map.rows(kernel._code))  # fmt: skip
    return (
        f"<pre>{escape(_head(kernel))}</pre>"
        f"<details><summary>vector registers</summary><table>{claims}</table></details>"
        f"<details><summary>{len(code.instructions)} instructions</summary><table>{''.join(rows)}</table></details>"
    )


def folded(shown: str, title: str, hidden: str) -> str:
    """Return two texts as HTML, the second one in a folded section with this title."""
    return (f"<pre>{escape(shown)}</pre><details><summary>{escape(title)}</summary><pre>{escape(hidden)}</pre>"
            "</details>")  # fmt: skip


def registers(kernel: Kernel) -> str:
    """Return the register map."""
    return register_map.table(kernel._code)


def costs(kernel: Kernel) -> str:
    """Return the table of pipe cycles by instruction."""
    return pipe_costs.table(kernel._code)


def _head(kernel: Kernel) -> str:
    where = f"at {kernel.address:#x}" if kernel.address else "not executable here"
    return f"{kernel.plan}\n{kernel.c_prototype}\n{len(kernel.code)} bytes for {kernel.target.name}, {where}"


def _row(*cells: str) -> str:
    return "<tr>" + "".join(f'<td style="{_STYLE}">{escape(cell)}</td>' for cell in cells) + "</tr>"
