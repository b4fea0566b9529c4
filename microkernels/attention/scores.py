"""What becomes of scores before the softmax step, and of powers after it.

    scored   score = function(scale q k', mask, positions), traced; in the backward pass with its derivative
    windowed the same, and -inf for keys before the window, where its edge crosses a block
    kept     1 / (1 - rate) where a probability stays, else 0: the step multiplies powers by it, but not their sum

Both are elementwise parts on a block of scores. Positions are the numbers of the query, the key and the head. Element
(query, key) of a head stays if `dropout` keeps element (head * queries + query, key) of a matrix of that many rows with
the same seed, whatever the blocks, and whichever thread computes the head. So the backward pass drops the same ones.
"""

from __future__ import annotations

from math import inf
from typing import Protocol

from ..choice import Plan
from ..contract.machine import Facts
from ..eltwise.spec import EltwiseSpec
from ..errors import UnsupportedError
from ..expr.coordinates import column, number, row
from ..expr.derivative import derivative
from ..expr.graph import Expr, apply, constant, expressions, operand, program, rebuilt, select, to_float, with_args
from ..expr.program import Program
from ..expr.transformed import HEAD, POSITIONS
from ..functions.activations import GRADIENTS
from ..functions.threefry import keeps, threefry
from ..operands import SEED, Operand, View
from .requests import COPIES, elementwise, elementwise_of
from .spec import DISTANCE, ROW, AttentionSpec


class BlockPlanner(Protocol):
    """What the parts of a block of scores depend on. upright: whether its lines are queries, and not keys."""

    spec: AttentionSpec
    facts: Facts
    rows: int
    keys: int
    upright: bool


def parts_of_scores(of: BlockPlanner, rows: int, stored: int, keys: int) -> dict[tuple[str, int, int], Plan]:
    """Return the parts of a block of scores besides its product and its softmax step, by name, queries and keys.

    stored  the queries of the block that exist
    """
    spec = of.spec
    made: dict[tuple[str, int, int], Plan] = {}
    if spec.of_pairs:
        made["mask" if spec.begins_as_mask else "mask beside", stored, keys] = _mask(of, stored, keys)
    if spec.score is not None:
        made["scored", rows, keys] = _scored(of, "scored", rows, keys, expressions(spec.score)[0])
    if spec.crossed:
        made["windowed", rows, keys] = _scored(of, "windowed", rows, keys, _in_window(spec))
    if spec.rate:
        made["kept", rows, keys] = _kept(of, rows, keys)
    return made


def _mask(of: BlockPlanner, rows: int, keys: int) -> Plan:
    """Plan a copy of the mask, as the block lies: the initial value of the scores, or beside them."""
    spec, order = of.spec, "C" if of.upright else "F"
    if spec.mask == DISTANCE:
        if of.upright:
            raise UnsupportedError("a mask by distance is read along queries")
        code = program(COPIES["mask"](operand("mask", spec.compute)))
        read = Operand("mask", keys, rows, View("C", -1), spec.compute)
        return _planned(of, "mask", [read], code, ["y"], rows, keys)
    leading = {"ldmask": spec.keys, "ldy": of.keys if of.upright else of.rows}
    shapes = {"mask": (rows, keys)}
    asked = elementwise(COPIES["mask"], "mask", shapes, dtype=spec.compute, leading=leading, order={"y": order})
    return elementwise_of(asked, of.facts)


def _position(name: str, upright: bool, dtype: str) -> Expr:
    """Return a position as a number of the type of scores, in a block whose lines are queries (upright) or keys."""
    counted = number(HEAD) if name == HEAD else row() if upright == (name == "query") else column()
    return to_float(apply("low_word", counted) if dtype == "f64" else counted)


def _in_window(spec: AttentionSpec) -> Expr:
    """Return the score, or -inf before the window."""
    dtype = spec.compute
    found = operand("score", dtype) if spec.score is None else expressions(spec.score)[0]
    return select(operand("query", dtype) - operand("key", dtype) < float(spec.window), found, constant(-inf, dtype))


def _scored(of: BlockPlanner, name: str, rows: int, keys: int, found: Expr) -> Plan:
    """Plan the function of the scores of a block, in place; in the backward pass with its derivative, beside them. What
    hides scores only has none: powers are 0 there."""
    spec, dtype = of.spec, of.spec.compute
    results = ["y0", "y1"] if spec.inverse and spec.score is not None else ["y"]
    made = (found, derivative(found, "score", GRADIENTS.keys())) if len(results) > 1 else (found,)

    def change(node: Expr, args: tuple[Expr, ...]) -> Expr:
        if node.op == "input" and node.value in POSITIONS:
            return _position(node.value, of.upright, dtype)
        return with_args(node, args)

    code = program(*rebuilt(made, change))
    masks = block(of, "mask", rows, keys)
    if spec.mask == ROW:
        shape = (1, keys, View("C", keys)) if of.upright else (keys, 1, View("C", 1))
        masks = masks._replace(rows=shape[0], columns=shape[1], view=shape[2])
    used = {name for name, _ in code.inputs}
    reads = [each for each in (block(of, "score", rows, keys), masks) if each.name in used]
    return _planned(of, name, reads, code, results, rows, keys)


def _kept(of: BlockPlanner, rows: int, keys: int) -> Plan:
    """Plan the factors of the powers of a block: 1 / (1 - rate), or 0 for those that are dropped."""
    dtype, rate = of.spec.compute, of.spec.rate
    query, key = (row(), column()) if of.upright else (column(), row())
    word, _ = threefry((key, query), (number(SEED), number(SEED, 1)))
    factor = select(keeps(word, rate, dtype), constant(1 / (1 - rate), dtype), constant(0.0, dtype))
    return _planned(of, "kept", [], program(factor), ["y"], rows, keys)


def block(of: BlockPlanner, name: str, rows: int, keys: int, output: bool = False) -> Operand:
    """Return a block of scores, or of what lies like it."""
    lines, columns, leading = (rows, keys, of.keys) if of.upright else (keys, rows, of.rows)
    return Operand(name, lines, columns, View("C", leading), of.spec.compute, output)


def _planned(
    of: BlockPlanner, name: str, reads: list[Operand], code: Program, results: list[str], rows: int, keys: int
) -> Plan:
    writes = tuple(block(of, each, rows, keys, True) for each in results)
    asked = EltwiseSpec(
        name, writes[0].rows, writes[0].columns, of.spec.compute, code, tuple(reads), writes, of.spec.accuracy
    )
    return elementwise_of(asked, of.facts)
