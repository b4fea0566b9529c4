"""Nests as readable loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .code import Address, Affine, Barrier, Call, Constants, Grid, Group, Header, Load, Loop, Node, Share, When


def text(nodes: Sequence[Node], operands: Mapping[int, str], indent: str = "") -> list[str]:
    """Return one line per loop, condition, call and barrier. `operands` maps positions to names."""
    lines: list[str] = []
    for node in nodes:
        lines += _line(node, operands, indent)
    return lines


def _line(node: Node, operands: Mapping[int, str], indent: str) -> list[str]:
    inner = indent + "  "
    if isinstance(node, Call):
        arguments = ", ".join(_argument(each, operands) for each in node.arguments)
        return [f"{indent}{node.kernel.name}({arguments})"]
    if isinstance(node, Barrier):
        return [f"{indent}barrier: all workers wait for each other"]
    if isinstance(node, Loop):
        who = f"    # the part of this worker's {_AXES[node.axis]}" if node.axis else ""
        head = [f"{indent}for {_range(node.header)}{who}"]
    elif isinstance(node, Share):
        head = [f"{indent}for {', '.join(map(_range, node.headers))}    # {_who(node)}"]
    elif isinstance(node, When):
        head = [f"{indent}if {node.left} {node.condition} 0"]
    elif isinstance(node, Load):
        bounds = ", ".join(f"{least} to {most}" for least, most in node.bounds)
        head = [
            f"{indent}{', '.join(node.indices)} = words of {_argument(Address(node.operand, node.place), operands)}"
            f"{'    # from ' * bool(bounds)}{bounds}"
        ]
    elif isinstance(node, Group):
        head = [f"{indent}beside others, workers from {node.begin} to {node.end} of {node.of}"]
    else:
        assert isinstance(node, Grid)
        ways = " x ".join(f"{ways or 'workers'} {_AXES[axis]}s" for axis, ways in node.ways)
        head = [f"{indent}for each cell of a grid of {ways}    # cell g by worker g mod workers"]
    return head + text(node.body, operands, inner)


def _who(node: Share) -> str:
    along = "along a Hilbert curve" if node.curve else ""
    if node.schedule == "whole":
        return along
    how = _SCHEDULES[node.schedule].format(node.chunk)
    return f"dealt out among workers: {how}{', ' * node.curve}{along}"


_SCHEDULES = {"static": "runs of neighbours", "turns": "{} in turn", "claims": "{} to the next that comes"}
_AXES = {"R": "row", "C": "column", "L": "layer"}


def _range(header: Header) -> str:
    stop = " and ".join(map(str, header.stop))
    return f"{header.index} from {header.start} below {stop} by {header.step}"


def _argument(argument: Address | Affine | Constants, operands: Mapping[int, str]) -> str:
    if not isinstance(argument, Address):
        return str(argument)
    name = operands.get(argument.operand, f"operands[{argument.operand}]")
    offset, bits = ("" if each == Affine() else f" + {each}" for each in (argument.offset, argument.bits))
    return f"{name}{offset}{bits and f' + ({bits[3:]}) / 8'}"
