"""Attention that a program writes as products and a softmax becomes the operator that one kernel computes.

    matmul(softmax(matmul(q, k') * scale + mask), v)    becomes    attention(q, k, v, mask, scale=scale)

The scores and their powers must be read nowhere else, since the kernel keeps them to itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isfinite

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.tuning.products import PROGRAMS
from .builder import GraphBuilder
from .operators import broadcast
from .values import GraphNode, GraphValue, TensorGraph

_TYPES = (np.dtype(np.float32), np.dtype(np.float64))
"""Narrower types are rounded between the products, which the kernel does not do."""


class FoundScores(NamedTuple):
    """A product whose elements are multiplied by a number, and the nodes of both, the product first."""

    nodes: tuple[GraphNode, ...]
    scale: float


class FoundAttention(NamedTuple):
    """The nodes that attention replaces, the last of which multiplies by v; and what it reads. `turned` is k with its
    last two axes exchanged."""

    nodes: tuple[GraphNode, ...]
    q: GraphValue
    turned: GraphValue
    v: GraphValue
    mask: GraphValue | None
    scale: float

    @property
    def fits(self) -> bool:
        """Whether kernels of attention take such operands."""
        q, k, v = self.q.shape, self.turned.shape, self.v.shape
        kinds = {each.dtype for each in (self.q, self.turned, self.v, self.nodes[-1].results[0])}
        if len(q) not in (3, 4) or len(kinds) > 1 or not kinds <= {*_TYPES}:
            return False
        if not q[:-2] == k[:-2] == v[:-2] or v[-1] != q[-1] or not 2 <= q[-1] <= PROGRAMS.heads:
            return False
        scores = (*q[:-1], k[-1])
        of_mask = self.mask is None or self.mask.dtype in kinds and broadcast([self.mask.shape, scores]) == scores
        return of_mask and 0 not in scores and isfinite(self.scale)

    def build(self, graph: GraphBuilder, q: GraphValue, turned: GraphValue, v: GraphValue) -> GraphValue:
        """Add attention to a graph, of these values in place of its own."""
        axes = (*range(q.ndim - 2), q.ndim - 1, q.ndim - 2)
        k, shape = graph.apply("permute", turned, axes=axes), q.shape
        if len(shape) == 3:
            q, k, v = (graph.apply("reshape", each, shape=(1, *each.shape)) for each in (q, k, v))
        made, _ = graph.results("attention", q, k, v, self.mask, scale=self.scale)
        return made if len(shape) == 4 else graph.apply("reshape", made, shape=shape)


def with_attention(graph: TensorGraph) -> TensorGraph:
    """Return a program whose products around a softmax are attention where kernels take them."""
    found = {each.nodes[-1]: each for each in _all(graph)}
    if not found:
        return graph
    replaced = {node for each in found.values() for node in each.nodes}
    build, values, nodes = GraphBuilder(), dict[GraphValue, GraphValue](), list[GraphNode]()
    for node in graph.nodes:
        if node in found:
            each, first = found[node], len(build.nodes)
            each = each._replace(mask=None if each.mask is None else values.get(each.mask, each.mask))
            made = each.build(build, *(values.get(value, value) for value in (each.q, each.turned, each.v)))
            values[node.results[0]] = made
            nodes += build.nodes[first:]
        elif node not in replaced:
            nodes.append(_again(node, values))
    return graph._replace(nodes=tuple(nodes), results=tuple(values.get(each, each) for each in graph.results))


def _again(node: GraphNode, values: dict[GraphValue, GraphValue]) -> GraphNode:
    """Return a node, or one like it that reads the values in place of its own."""
    if not any(each in values for each in node.operands):
        return node
    inputs = [None if each is None else values.get(each, each) for each in node.inputs]
    made = GraphNode(node.operator, inputs, node.attributes, [each.kind for each in node.results])
    values.update(zip(node.results, made.results))
    return made


def _all(graph: TensorGraph) -> Iterator[FoundAttention]:
    readers = Counter(value for node in graph.nodes for value in node.operands)
    readers.update(graph.results)
    alone = {value: node for node in graph.nodes for value in node.operands if readers[value] == 1}
    for node in graph.nodes:
        found = _around(node, alone) if node.operator.name == "softmax" else None
        if found is not None and found.fits:
            yield found


def _around(softmax: GraphNode, alone: Mapping[GraphValue, GraphNode]) -> FoundAttention | None:
    """Return the attention around a softmax, or None. alone: the values that are read once, with the reader."""
    last = alone.get(softmax.results[0])
    if last is None or not _is_product(last) or last.operands[0] is not softmax.results[0]:
        return None
    for scores, mask, between in _sums(softmax.operands[0]):
        q, turned = scores.nodes[0].operands
        nodes = (*scores.nodes, *between, softmax, last)
        if all(node.results[0] in alone for node in nodes[:-1]):
            return FoundAttention(nodes, q, turned, last.operands[1], mask, scores.scale)
    return None


def _sums(x: GraphValue) -> Iterator[tuple[FoundScores, GraphValue | None, tuple[GraphNode, ...]]]:
    """Yield the scores that a value is, with the mask that is added to them and the node that adds it."""
    scores = _scores(x)
    if scores is not None:
        yield scores, None, ()
    elif x.node is not None and x.constant is None and x.node.operator.name == "add":
        for own, mask in (x.node.operands, x.node.operands[::-1]):
            scores = _scores(own) if own.shape == x.shape else None
            if scores is not None:
                yield scores, mask, (x.node,)


def _scores(x: GraphValue) -> FoundScores | None:
    """Return the product and the scale that a value is, or None."""
    node, scale, nodes = x.node, 1.0, list[GraphNode]()
    while node is not None and x.constant is None and not _is_product(node):
        name, (a, b) = node.operator.name, (*node.operands, *[None] * 2)[:2]
        if name == "multiply" and a is not None and a.number is not None:
            a, b = b, a
        if name not in ("multiply", "divide") or a is None or b is None or b.number is None or a.shape != x.shape:
            return None
        number = float(b.number)
        if name == "divide" and not number:
            return None
        scale = scale * number if name == "multiply" else scale / number
        nodes.insert(0, node)
        x, node = a, a.node
    return None if node is None or x.constant is not None else FoundScores((node, *nodes), scale)


def _is_product(node: GraphNode) -> bool:
    return node.operator.name == "matmul"
