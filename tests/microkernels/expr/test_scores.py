"""Scores of matrix equations: those printed in the TPP paper, and the minimum number of temporaries over all orders."""

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilesmith as ts
from tilesmith.microkernels.expr.scores import Schedule, schedule, scores

# A tree is a name followed by its operands; an input has none
X = ("x",)


def operands(tree):
    return tree[1:]


def named(tree, counter):
    """Return the same tree with distinct names."""
    return (next(counter), *(named(each, counter) for each in tree[1:]))


def trees(nodes):
    """Yield all ordered trees with this number of nodes."""
    if nodes == 1:
        yield X
    for sizes in compositions(nodes - 1):
        for children in itertools.product(*(list(trees(size)) for size in sizes)):
            yield ("n", *children)


def compositions(total):
    if total == 0:
        return
    for first in range(1, total + 1):
        if first == total:
            yield (total,)
        yield from ((first, *rest) for rest in compositions(total - first))


def least_temporaries(root, apart):
    """Return the minimum number of temporaries by a search over all orders; a state is the set of computed nodes."""
    inner = [node for node in walk(root) if operands(node)]
    computed = {node: [each for each in operands(node) if operands(each)] for node in inner}

    @functools.cache
    def least(done):
        if root in done:
            return 0
        best = len(inner)
        for node in inner:
            if node not in done and all(each in done for each in computed[node]):
                read = {each for other in inner if other not in done and other != node for each in computed[other]}
                held = len(read & done)
                own = len(computed[node]) + 1 if apart(node) else max(1, len(computed[node]))
                best = min(best, max(held + own, least(done | {node})))
        return best

    return least(frozenset()) if inner else 0


def walk(tree):
    yield tree
    for each in operands(tree):
        yield from walk(each)


@pytest.mark.parametrize("nodes", range(1, 8))
def test_scores_are_the_least_over_all_orders(nodes):
    """The score is minimal for all trees of up to 7 nodes. Every second, every third or no node may not overwrite its
    operands."""
    for shape in trees(nodes):
        tree = named(shape, itertools.count())
        for apart in (lambda node: False, lambda node: node[0] % 2 == 0, lambda node: node[0] % 3 == 1):
            expected = least_temporaries(tree, apart)
            assert scores([tree], operands, apart)[tree] == expected
            assert schedule([tree], operands, apart).temporaries == expected


def test_equation_1_of_the_paper():
    """Tanh(T0) + (T1 x T2) / (T3 - T4) has the scores of the paper, and its five nodes need two temporaries."""
    leaves = [(f"T{number}",) for number in range(5)]
    tanh, product, difference = ("tanh", leaves[0]), ("x", *leaves[1:3]), ("-", *leaves[3:5])
    quotient = ("/", product, difference)
    plan = schedule([("+", tanh, quotient)], operands)
    assert [(step.node[0], step.score, step.temporary) for step in plan.steps] == [
        ("x", 1, 0),
        ("-", 1, 1),
        ("/", 2, 0),
        ("tanh", 1, 1),
        ("+", 2, 1),
    ]
    assert plan.temporaries == 2


def test_plans_print_scores():
    """Plans print the scores of the same equation, also with a matrix product in it, and of softmax."""
    shape = (4, 64)
    kernel = ts.equation(lambda a, b, c, d, e: ts.tanh(a) + (b * c) / (d - e), **dict.fromkeys("abcde", shape))
    assert str(kernel.plan).endswith("; 5 nodes, score 2, temporaries: 2")
    lines = str(kernel.spec.schedule).splitlines()
    assert [(line[:13], line.split("= ")[1][:3]) for line in lines] == [
        ("score 1  tmp0", "mul"),
        ("score 1  tmp1", "sub"),
        ("score 2  tmp0", "div"),
        ("score 1  tmp1", "cal"),
        ("score 2  tmp1", "add"),
    ]
    product = ts.equation(
        lambda a, b, c, d, e: ts.tanh(a) + (b @ c) / (d - e), a=shape, b=(4, 16), c=(16, 64), d=shape, e=shape
    )
    assert "; 5 nodes, score 2, temporaries: 2" in str(product.plan)
    assert str(product.spec.schedule).replace("product(b, c, plain)", "mul(b, c)") == str(kernel.spec.schedule)
    assert "nodes" not in str(ts.unary("gelu", *shape).plan)
    softmax = ts.equation(lambda x: ts.softmax(x, axis=1), x=shape)
    assert str(softmax.plan).endswith("; 11 nodes, score 4, temporaries: 2")
    assert str(softmax.spec.schedule).count("along") == 2


@pytest.mark.parametrize(
    "operand_scores,expected",
    [
        ((1, 1, 1), 3),
        ((0, 1, 1), 2),
        ((1, 1, 2), 3),
        ((1, 2, 2), 3),  # as printed in algorithm 3
        ((0, 0, 1), 1),  # printed as 2
    ],
)
def test_ternary_rule(operand_scores, expected):
    counter = itertools.count()

    def of(score):
        """Return a tree of this score."""
        below = (0,) * min(score, 1) if score < 2 else (score - 1, score - 1)
        return (next(counter), *map(of, below))

    node = ("fma", *map(of, operand_scores))
    assert scores([node], operands)[node] == expected


ROWS = st.lists(st.tuples(st.lists(st.integers(0, 20), max_size=3), st.booleans()), min_size=1, max_size=14)


@given(ROWS)
def test_every_node_reads_what_its_operands_wrote(rows):
    """In graphs with two results whose values are used several times, no temporary is overwritten before its last
    use."""
    graph = {number: tuple(each % number for each in chosen if number) for number, (chosen, _) in enumerate(rows)}
    outputs = sorted({len(rows) - 1, len(rows) // 2})
    plan: Schedule[int] = schedule(outputs, graph.__getitem__, lambda node: rows[node][1])
    place = {step.node: step.temporary for step in plan.steps}
    lies: dict[int, int] = {}
    for node, _, temporary in plan.steps:
        computed = [each for each in graph[node] if graph[each]]
        assert all(lies[place[each]] == each for each in computed)
        assert not (rows[node][1] and any(place[each] == temporary for each in computed))
        lies[temporary] = node
    assert all(lies[place[each]] == each for each in outputs if graph[each])
    assert len(set(place.values())) == plan.temporaries
