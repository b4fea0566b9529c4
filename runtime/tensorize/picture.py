"""A mapping as an SVG picture: which elements of a program's tensors the places of an instruction's registers hold."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.markup import escaped
from ...microkernels.tensorize.expressions import TensorProgram
from ...microkernels.tensorize.inspect import LoopMapping
from ...microkernels.tensorize.instructions import TensorInstruction


class _Sizes(NamedTuple):
    """Of a cell, of a line of text and of the margin; the most places of a register and rows of a tile that are drawn;
    and the colours of cells."""

    wide: int = 46
    high: int = 24
    line: int = 20
    margin: int = 16
    across: int = 16
    down: int = 3
    fills: tuple[str, str] = ("#dbe9f6", "#f6e3c5")
    repeated: str = "#ececec"


_DRAWN = _Sizes()


def picture(program: TensorProgram, instruction: TensorInstruction, mapping: LoopMapping, vector_bits: int) -> str:
    """Return the registers of one product, with the loops' values in each place. Places that hold one element of the
    program's tensor several times are grey; neighbouring ones of the result alternate in colour.

    vector_bits   the width of a vector register
    """
    parts, sizes = list[str](), dict(instruction.equation.extents)
    top = _DRAWN.margin + _DRAWN.line
    title = f"{instruction.name}: {instruction.equation.text};  {mapping}"
    c, x, y = program.equation.text.replace("+=", "*").split(" * ")
    texts = (c, y, x) if mapping.exchanged else (c, x, y)
    widest = 0
    for place in (1, 2, 0):
        rows, total, deep = _rows(instruction, place, vector_bits)
        operand = (0, 2, 1)[place] if mapping.exchanged else place
        dtype = instruction.fragments[place].dtype
        text = f"register {'cxy'[place]}: {total} {dtype} of the program's {texts[place]}"
        parts.append(f'<text x="{_DRAWN.margin}" y="{top}" font-size="13">{escaped(text)}</text>')
        top += 6
        labels = [[_label(program, mapping, sizes, axes, operand) for axes in row] for row in rows]
        for row in labels:
            parts += _cells(row, top, [label for each in labels for label in each])
            more = "" if deep[0] <= len(row) else "..."
            parts.append(f'<text x="{_DRAWN.margin + len(row) * _DRAWN.wide + 6}" y="{top + 16}">{more}</text>')
            widest = max(widest, len(row))
            top += _DRAWN.high
        if deep[1] > len(rows):
            parts.append(f'<text x="{_DRAWN.margin}" y="{top + 14}">... {deep[1]} rows</text>')
            top += _DRAWN.line
        top += _DRAWN.line + 8
    width = max(2 * _DRAWN.margin + widest * _DRAWN.wide + 30, 2 * _DRAWN.margin + 7 * len(title))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" font-family="sans-serif" '
        f'font-size="11"><rect width="100%" height="100%" fill="white"/>'
        f'<text x="{_DRAWN.margin}" y="{_DRAWN.margin + 2}" font-size="13" font-weight="bold">{escaped(title)}</text>'
    )
    return "\n".join([head, *parts, "</svg>\n"])


def _rows(
    instruction: TensorInstruction, place: int, vector_bits: int
) -> tuple[list[list[dict[str, int]]], int, tuple[int, int]]:
    """Return the axes of the places that are drawn, in rows, the number of all places, and how many there are along a
    row and how many rows."""
    fragment = instruction.fragments[place]
    extents = [extent for _, extent in fragment.digits]
    if None in extents:
        across, down = vector_bits // 8 // ELEMENT_BYTES[fragment.dtype], 1
    else:
        whole = [extent or 1 for extent in extents]
        across, down = prod(whole[:-1]), whole[-1]
    axes = list(fragment.axes_of_places(across * min(down, _DRAWN.down)))
    rows = [axes[first : first + min(across, _DRAWN.across)] for first in range(0, len(axes), across)]
    return rows, across * down, (across, down)


def _label(
    program: TensorProgram, mapping: LoopMapping, sizes: dict[str, int | None], axes: dict[str, int], operand: int
) -> str:
    """Return the values of the loops that move a tensor of the program, at a place of a register."""
    steps, extents = program.steps[operand], dict(program.equation.extents)
    shown: list[str] = []
    for group, chain in sorted(mapping.axes, key=lambda each: each[1].reduced):
        if not any(axis in axes for axis in group):
            continue
        number, weight = 0, 1
        for axis in reversed(group):
            number += weight * axes.get(axis, 0)
            weight *= sizes[axis] or 1
        inside = len(shown)
        for place, name in enumerate(reversed(chain.names)):
            extent = extents[name] or 1
            last = place == len(chain.names) - 1
            number, value = (0, number) if last else divmod(number, extent)
            if steps.get(name) and (value or not place):
                shown.insert(inside, f"{name}{value}")
    return " ".join(shown)


def _cells(row: Sequence[str], top: int, every: Sequence[str]) -> list[str]:
    made, shade, before = list[str](), 0, row[0].split(" ")[0] if row else ""
    repeated = len(set(every)) < len(every)
    for number, label in enumerate(row):
        first = label.split(" ")[0]
        shade, before = (shade if first == before else 1 - shade), first
        fill = _DRAWN.repeated if repeated and every.count(label) > 1 else _DRAWN.fills[shade]
        left = _DRAWN.margin + number * _DRAWN.wide
        made.append(
            f'<rect x="{left}" y="{top}" width="{_DRAWN.wide - 2}" height="{_DRAWN.high - 2}" fill="{fill}"/>'
            f'<text x="{left + _DRAWN.wide / 2 - 1:g}" y="{top + 15}" text-anchor="middle">{escaped(label)}</text>'
        )
    return made
