"""The gallery: kernels with their plans, pictures and listings, made by the requests that the page shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

import tilesmith as ts
from tilesmith.microkernels.markup import escaped


class Shown(NamedTuple):
    """A kernel of the gallery: its heading, what is to be seen in it, and the expression that makes it."""

    title: str
    text: str
    request: str


KERNELS = (
    Shown(
        "A product in f32",
        "Sums stay in registers over the whole depth, and elements of A are broadcast by the multiply-add itself.",
        'ts.brgemm(64, 48, 64, target="avx512")',
    ),
    Shown(
        "A product in bf16 on tiles",
        "Two by two tiles of C share the loads of two tiles of A and two of B.",
        'ts.brgemm(32, 32, 64, dtype=("bf16", "bf16", "f32"), b_layout="vnni", target="amx")',
    ),
    Shown(
        "A product of bytes",
        "VPDPBUSD adds four products of u8 by i8 to each i32.",
        'ts.brgemm(16, 16, 64, dtype=("u8", "i8", "i32"), b_layout="vnni", target="avx512_vnni")',
    ),
    Shown(
        "A product with an epilogue",
        "The traced function is applied to the sums while they are in registers.",
        'ts.brgemm(16, 24, 32, epilogue=lambda c, bias: ts.relu(c + bias), operands={"bias": "row"}, target="neon")',
    ),
    Shown(
        "GELU",
        "Vectors of any length: predicates replace the loop over the last elements.",
        'ts.unary("gelu", 16, 64, target="sve256")',
    ),
    Shown(
        "A transpose in registers",
        "16 by 16 elements of f32 by four rounds of shuffles.",
        'ts.transpose(16, 16, target="avx512")',
    ),
    Shown(
        "Sums along rows",
        "Partial sums in lanes, which are added to each other once a row.",
        'ts.reduce("sum", 16, 64, axis=1, target="neon")',
    ),
    Shown(
        "Softmax",
        "Three passes over a row that stays in the first-level cache.",
        'ts.fused("softmax", 16, 128, target="avx2")',
    ),
    Shown(
        "AdamW",
        "A step of the optimizer reads and writes weights and states once.",
        'ts.fused("adamw", 16, 128, target="avx512")',
    ),
    Shown(
        "Attention",
        "Both products and the softmax between them, without the scores in memory.",
        'ts.attention(2, 32, 64, 32, target="avx512")',
    ),
)
_LINES = 100
_HEAD = """# Gallery

Ten kernels, each with the request that makes it, its plan, its pictures and the beginning of its listing. Look at them
to see what the planner decides and what the machine code looks like; `make site` makes them anew, on any processor.

The first picture of each kernel shows what its vector registers hold in which part of the code, from the first byte on
the left to the last one on the right, as `k.registers()` prints it; where they have no roles, which registers are used
from where to where. Fused kernels have a second one, the stages of the
plan, which [tutorial-fused.md](../tutorial-fused.md) explains.
"""


def page(pictures: Path) -> str:
    """Return the page, and write its pictures into a folder beside it."""
    return "\n".join([_HEAD, *(_section(shown, pictures) for shown in KERNELS)])


def _section(shown: Shown, pictures: Path) -> str:
    kernel = eval(shown.request, {"ts": ts, "np": np})  # text of this module
    name = shown.title.lower().replace(" ", "-")
    drawn = {"Registers": register_picture(kernel.registers(), len(kernel.code))}
    if hasattr(kernel.plan, "svg"):
        drawn["Stages"] = kernel.plan.svg()
    images = list[str]()
    for what, picture in drawn.items():
        file = f"{name}-{what.lower()}.svg"
        (pictures / file).write_text(picture)
        images.append(f"![{what}]({pictures.name}/{file})")
    lines = kernel.listing().splitlines()
    more = [f"... {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    blocks = [
        f"## {shown.title}",
        shown.text,
        f"```python\nk = {shown.request}\n```",
        f"```text\n{kernel.plan}\n```",
        *images,
        f"{len(kernel.code)} bytes, of which the listing (`k.listing()`) shows:",
        "\n".join(["```text", *lines[:_LINES], *more, "```", ""]),
    ]
    return "\n\n".join(blocks)


_WIDE, _HIGH, _MARGIN, _TEXT = 480, 18, 12, 330
_COLOURS = ("#4a7fb5", "#d08a3c", "#5f9e6e", "#a66a9c", "#b5524a", "#7a7a7a")
_LIFE = re.compile(r"^ *([0-9a-f]+) to ([0-9a-f]+) +(.+)$", re.MULTILINE)


def register_picture(table: str, size: int) -> str:
    """Return an SVG picture of the table of `k.registers()`, of a code of some bytes: a bar for each line, from its
    first offset to its last. Equal roles have one colour."""
    lives = [(int(start, 16), int(last, 16) + 1, re.split("  +", text)) for start, last, text in _LIFE.findall(table)]
    if not lives:
        raise ValueError(f"no registers in the table: {table}")
    roles = list(dict.fromkeys(texts[0] for *_, texts in lives))
    width, height = _TEXT + _WIDE + 2 * _MARGIN, len(lives) * _HIGH + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
    ]
    for at, (start, end, texts) in enumerate(lives):
        top, left = _MARGIN + at * _HIGH, _MARGIN + _TEXT + _WIDE * start / size
        wide = max(1.0, _WIDE * (end - start) / size)
        colour = _COLOURS[roles.index(texts[0]) % len(_COLOURS)]
        parts += [
            f'<text x="{_MARGIN}" y="{top + 12}">{escaped(": ".join(texts))}</text>',
            f'<rect x="{left:.1f}" y="{top + 2}" width="{wide:.1f}" height="{_HIGH - 4}" fill="{colour}"/>',
        ]
    return "\n".join([*parts, "</svg>\n"])
