"""The stages of a plan, and a picture of them: the values that each stage reads and makes, and where they are
stored."""

from __future__ import annotations

from collections.abc import Sequence

from ..encoder.records import NamedTuple
from .markup import escaped

MEMORY, SCRATCH, REGISTERS = "memory", "scratch memory", "registers"
_COLOURS = {MEMORY: "#3465a4", SCRATCH: "#c17d11", REGISTERS: "#4e9a06"}
_ROW, _COLUMN, _TOP, _MARGIN, _LETTER = 34, 74, 64, 12, 7  # in pixels


class StageValue(NamedTuple):
    """A matrix, a kept element, or a value in registers."""

    name: str
    place: str


class Stage(NamedTuple):
    """The operations that are computed together. `text` is the stage's line in the printed plan."""

    name: str
    reads: tuple[str, ...]
    makes: tuple[str, ...]
    text: str


def svg(title: str, values: Sequence[StageValue], stages: Sequence[Stage]) -> str:
    """Return an SVG picture. Stages are rows from top to bottom; values are columns in the colour of their place.

    A ring is a read, a disc is where a value is made, and the line between them shows how long it is needed. A matrix
    in memory that is read in several stages is traversed once in each.
    """
    left = _MARGIN + _LETTER * max(len(stage.name) for stage in stages) + _COLUMN // 2
    width = max(left + _COLUMN * len(values), _LETTER * len(title) + 2 * _MARGIN, 420)
    height = _TOP + _ROW * (len(stages) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_MARGIN}" y="20">{escaped(title)}</text>',
    ]
    for row, stage in enumerate(stages):
        y = _TOP + _ROW * row
        parts.append(f'<text x="{_MARGIN}" y="{y + 4}">{escaped(stage.name)}</text>')
        parts.append(f'<line x1="{left - _COLUMN // 3}" y1="{y}" x2="{width}" y2="{y}" stroke="#ddd"/>')
    for column, value in enumerate(values):
        parts += _life(value, left + _COLUMN * column, stages)
    legend = " ".join(f'<tspan fill="{colour}">■ {place}</tspan>' for place, colour in _COLOURS.items())
    parts.append(f'<text x="{_MARGIN}" y="{height - _MARGIN}">{legend} ○ read ● made</text></svg>')
    return "\n".join(parts) + "\n"


def _life(value: StageValue, x: int, stages: Sequence[Stage]) -> list[str]:
    """The SVG elements of a value's column."""
    colour = _COLOURS[value.place]
    made = [row for row, stage in enumerate(stages) if value.name in stage.makes]
    read = [row for row, stage in enumerate(stages) if value.name in stage.reads]
    first, last = (_TOP + _ROW * pick([*made, *read]) for pick in (min, max))
    stroke = f'stroke="{colour}" stroke-width="2"'
    lines = [
        f'<text x="{x}" y="{_TOP - 22}" text-anchor="middle" fill="{colour}">{escaped(value.name)}</text>',
        f'<line x1="{x}" y1="{first}" x2="{x}" y2="{last}" {stroke}/>',
    ]
    for row in sorted({*made, *read}):
        fill = colour if row in made else "white"
        lines.append(f'<circle cx="{x}" cy="{_TOP + _ROW * row}" r="6" fill="{fill}" {stroke}/>')
    return lines
