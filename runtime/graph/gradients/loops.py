"""The gradient of a loop: a loop over the same steps from the last one to the first.

The loop before keeps, as further outputs, what the gradient of a step needs: its states, and sums of products. What is
pointwise is computed again from these, in the kernel that needs it. A step's part in the gradient of a value that all
steps read, as weights, is a product of two arrays of the step. The loop keeps both, and one product after it adds up
what all steps give, as far as sums and views of such products go; other parts are added in a state of the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ....encoder.records import NamedTuple
from ....microkernels.expr.program import postorder
from ..values import Builds, GraphNode, GraphValue, TensorGraph
from .chain import RULES, Contribution, gradients_of, is_float, operands_of, rebuilt, zeros

_LINEAR = ("reshape", "permute", "slice", "concatenate", "pad", "add", "negative", "subtract")
"""Operators whose sums over steps are those of the sums of their operands."""


class DifferentiatedStep(NamedTuple):
    """The gradient of a step, as nodes that read those of the step.

    body       the program of the step
    carried    the gradient of each state of floats after the step, which stands for what later steps and readers add
    shown      the gradient of each output; None: 0
    states     the gradient of each of these states before the step; None: 0
    parts      by the place of an input that is a part of a sequence, its gradient
    others     the same of values that all steps read
    """

    body: TensorGraph
    carried: Mapping[int, GraphValue]
    shown: Mapping[int, GraphValue]
    states: Mapping[int, GraphValue | None]
    parts: Mapping[int, GraphValue]
    others: Mapping[int, GraphValue]

    @property
    def found(self) -> list[GraphValue]:
        """All gradients."""
        made = (*self.states.values(), *self.parts.values(), *self.others.values())
        return [each for each in made if each is not None]


class LoopExtents(NamedTuple):
    """The states, sequences and steps of a loop, and whether it begins with the last step."""

    states: int
    sequences: int
    steps: int
    reverse: bool

    @classmethod
    def of(cls, node: GraphNode) -> LoopExtents:
        """Return those of a node."""
        return cls(*(node.attributes[name] for name in cls._fields))  # type: ignore[arg-type]


def _loop(
    build: Builds, node: GraphNode, gradients: Sequence[GraphValue | None], needed: Sequence[bool]
) -> list[Contribution]:
    of = LoopExtents.of(node)
    step = _differentiated(build, node, of, gradients, needed)
    sequences = _kept(build, node, of, step)
    return BackwardLoop(build, node, of, step, sequences, gradients).built(needed)


def _differentiated(
    build: Builds,
    node: GraphNode,
    of: LoopExtents,
    gradients: Sequence[GraphValue | None],
    needed: Sequence[bool],
) -> DifferentiatedStep:
    body = node.attributes["body"]
    assert isinstance(body, TensorGraph)
    inside = build.another()
    first = of.states + of.sequences
    states = [place for place in range(of.states) if is_float(body.inputs[place])]
    carried = {place: inside.input(body.inputs[place].shape, body.inputs[place].dtype) for place in states}
    shown = {
        place: inside.input(body.results[place].shape, body.results[place].dtype)
        for place in range(of.states, len(body.results))
        if gradients[place] is not None
    }
    wanted = [place for place in range(of.states, len(body.inputs)) if needed[place]]
    given = {**carried, **shown}
    made = gradients_of(
        inside,
        [body.results[place] for place in given],
        [body.inputs[place] for place in (*states, *wanted)],
        list(given.values()),
    )
    found = dict(zip((*states, *wanted), made))
    present = {place: each for place, each in found.items() if each is not None and place >= of.states}
    return DifferentiatedStep(
        body,
        carried,
        shown,
        {place: found[place] for place in states},
        {place: each for place, each in present.items() if place < first},
        {place: each for place, each in present.items() if place >= first},
    )


# What the loop before keeps


def _kept(build: Builds, node: GraphNode, of: LoopExtents, step: DifferentiatedStep) -> dict[GraphValue, GraphValue]:
    """Let a loop keep what the gradient of its step needs, and return the sequence of each such value."""
    body = step.body
    own = {value for each in body.nodes for value in each.results}
    changing = body.inputs[: of.states + of.sequences]
    saved = dict.fromkeys(needed_of(step.found, own, body.results))
    read = set(postorder(step.found, lambda value: () if value in saved else operands_of(value)))
    found = {value: node.operands[place] for place, value in enumerate(changing) if place >= of.states}
    for value in saved:
        if varies(value, changing):
            found[value] = _output(build, node, of, value)
    for place, value in enumerate(body.inputs[: of.states]):
        if value in read:
            after, start = _output(build, node, of, body.results[place]), node.operands[place]
            first = build.apply("reshape", start, shape=(1, *start.shape))
            joined = (after, first) if of.reverse else (first, after)
            both = build.apply("concatenate", *joined, axis=0)
            begin = int(of.reverse)
            found[value] = build.apply("slice", both, starts=begin, stops=begin + of.steps, axes=0)
    return found


def needed_of(
    gradients: Sequence[GraphValue], own: Collection[GraphValue], results: Collection[GraphValue] = ()
) -> list[GraphValue]:
    """Return the values of a program that are kept for its gradients: what these read, where it is no pointwise
    function or view, which kernels compute again. `own` are the values that nodes of the program compute."""
    readers: dict[GraphValue, set[GraphNode]] = {}
    for value in postorder([*gradients, *results], operands_of):
        if value.node is not None:
            for each in value.node.operands:
                readers.setdefault(each, set()).add(value.node)
    found: dict[GraphValue, None] = {}

    def operands(value: GraphValue) -> Sequence[GraphValue]:
        node = value.node
        if node is None or value.constant is not None:
            return ()
        if value in own and node.operator.kind not in ("pointwise", "view"):
            found[_finished(value, own, readers, results)] = None
            return ()
        return node.operands

    postorder(gradients, operands)
    return list(found)


def _finished(
    value: GraphValue,
    own: Collection[GraphValue],
    readers: Mapping[GraphValue, Collection[GraphNode]],
    results: Collection[GraphValue],
) -> GraphValue:
    """Return the last of the pointwise functions by which alone a value is read: the sum of a product and a bias, in
    place of the product."""
    while value not in results:
        read = readers.get(value, ())
        node = next(iter(read), None)
        if len(read) != 1 or node is None or node.operator.kind != "pointwise" or node.results[0] not in own:
            break
        if node.results[0].kind != value.kind:
            break
        value = node.results[0]
    return value


def varies(value: GraphValue, changing: Collection[GraphValue]) -> bool:
    """Whether a value depends on what changes between steps."""
    return any(each in changing for each in postorder([value], operands_of))


def _output(build: Builds, node: GraphNode, of: LoopExtents, value: GraphValue) -> GraphValue:
    """Return the values of all steps, as a further output of a loop if it has none."""
    body = node.attributes["body"]
    assert isinstance(body, TensorGraph)
    places = [place for place in range(of.states, len(body.results)) if body.results[place] is value]
    if places:
        return node.results[places[0]]
    node.attributes["body"] = body._replace(results=(*body.results, value))
    made = GraphValue(value.kind._replace(shape=(of.steps, *value.shape)), node=node)
    made.apply = build.apply
    node.results = (*node.results, made)
    return made


# The loop back


class BackwardLoop:
    """The loop from the last step to the first, as it is built.

    known      by values of the step, the sequences of them
    after      the products, sums and views over the gradients of all steps, by their values in a step
    """

    def __init__(
        self,
        build: Builds,
        node: GraphNode,
        of: LoopExtents,
        step: DifferentiatedStep,
        known: dict[GraphValue, GraphValue],
        gradients: Sequence[GraphValue | None],
    ) -> None:
        self.build, self.node, self.of, self.step, self.gradients = build, node, of, step, gradients
        self.known = dict(known)
        self.after: dict[GraphValue, GraphValue] = {}
        self.added = {place: each for place, each in step.others.items() if not is_product(each)}
        self.kept: dict[GraphValue, None] = {}
        for place, each in step.others.items():
            if place not in self.added:
                self._keep(each)

    def built(self, needed: Sequence[bool]) -> list[Contribution]:
        """Build the loop and what comes after it, and return the gradients of the loop's operands."""
        step, operands = self.step, self.node.operands
        outputs = dict.fromkeys([*step.parts.values(), *self.kept])
        for place, value in step.shown.items():
            gradient = self.gradients[place]
            assert gradient is not None
            self.known[value] = gradient
        states = [self._first(place) for place in step.carried]
        states += [zeros(self.build, each.shape, each) for each in self.added.values()]
        last, made = self._scan(states, list(outputs))
        self.known |= dict(zip(outputs, made))
        found: dict[int, GraphValue] = dict(zip((*step.carried, *self.added), last))
        found |= {place: self.known[each] for place, each in step.parts.items()}
        found |= {place: self._over_steps(each) for place, each in step.others.items() if place not in self.added}
        return [found.get(place) if needed[place] else None for place in range(len(operands))]

    def _first(self, place: int) -> GraphValue:
        gradient, state = self.gradients[place], self.node.results[place]
        return zeros(self.build, state.shape, state) if gradient is None else gradient

    def _scan(
        self, states: Sequence[GraphValue], outputs: Sequence[GraphValue]
    ) -> tuple[tuple[GraphValue, ...], tuple[GraphValue, ...]]:
        """Build the loop, and return its last states and its outputs."""
        step, of, body = self.step, self.of, self.step.body
        nexts = [
            zeros(self.build, body.inputs[place].shape, body.inputs[place]) if each is None else each
            for place, each in step.states.items()
        ]
        wanted = [*nexts, *self.added.values(), *outputs]
        same = self._same_in_all_steps(wanted)
        read = [value for value in self.known if value in self._read(wanted, same)]

        def function(inside: Builds, *given: GraphValue) -> tuple[GraphValue, ...]:
            totals = given[len(step.carried) : len(states)]
            names = (*step.carried.values(), *self.added.values(), *read, *same)
            known = {value: each for value, each in zip(names, given) if value not in self.added.values()}
            made = rebuilt(inside, wanted, known)
            first = len(step.carried)
            sums = [inside.apply("add", one, each) for one, each in zip(totals, made[first:])]
            return (*made[:first], *sums, *made[first + len(sums) :])

        made = self.build.results(
            "scan",
            *states,
            *(self.known[each] for each in read),
            *same.values(),
            function=function,
            states=len(states),
            sequences=len(read),
            steps=of.steps,
            reverse=not of.reverse,
        )
        return made[: len(states)], made[len(states) :]

    def _read(self, wanted: Sequence[GraphValue], same: Collection[GraphValue]) -> set[GraphValue]:
        """Return the values that gradients are computed from."""
        return set(postorder(wanted, lambda each: () if each in self.known or each in same else operands_of(each)))

    def _same_in_all_steps(self, wanted: Sequence[GraphValue]) -> dict[GraphValue, GraphValue]:
        """Return values that depend on nothing that changes, such as turned weights, as they are computed once."""
        first = self.of.states + self.of.sequences
        outside = dict(zip(self.step.body.inputs[first:], self.node.operands[first:]))
        order = postorder(wanted, lambda each: () if each in self.known else operands_of(each))
        changing = {*self.known, *self.step.carried.values(), *self.step.body.inputs[:first]}
        for value in order:
            if value.node is not None and any(each in changing for each in operands_of(value)):
                changing.add(value)
        ends = [each for value in order if value in changing and value not in self.known for each in operands_of(value)]
        fixed = [each for each in dict.fromkeys([*ends, *wanted]) if each not in changing and each.constant is None]
        return dict(zip(fixed, rebuilt(self.build, fixed, outside)))

    # Sums over the steps

    def _keep(self, value: GraphValue) -> None:
        """Let the loop keep what a sum over the steps is made of."""
        node = value.node
        if node is None:
            return
        if node.operator.name in ("matmul", "sum"):
            for each in node.operands:
                behind = _unturned(each) if node.operator.name == "matmul" else each
                if behind not in self.known:
                    self.kept[behind] = None
            return
        for each in node.operands:
            self._keep(each)

    def _over_steps(self, value: GraphValue) -> GraphValue:
        """Return the sum over all steps of a value of a step."""
        if value not in self.after:
            node = value.node
            if node is None:  # zeros
                made = value
            elif node.operator.name == "matmul":
                a, b = node.operands
                made = self.build.apply("matmul", self._rows(a, 1), self._rows(b, 0), **node.attributes)
            elif node.operator.name == "sum":
                (x,) = node.operands
                axes: tuple[int, ...] = node.attributes["axes"]  # type: ignore[assignment]
                made = self.build.apply("sum", self.known[x], axes=(0, *(axis + 1 for axis in axes)))
                made = self.build.apply("reshape", made, shape=value.shape)
            else:
                operands = [self._over_steps(each) for each in node.operands]
                made = self.build.apply(node.operator.name, *operands, **node.attributes)
            self.after[value] = made
        return self.after[value]

    def _rows(self, value: GraphValue, axis: int) -> GraphValue:
        """Return the matrices of all steps as one, side by side along the axis of the terms of a product."""
        behind = _unturned(value)
        every = self.known[behind]
        if (behind is value) == (axis == 0):  # the terms are the rows of what was kept
            made = self.build.apply("reshape", every, shape=(-1, every.shape[2]))
            return made if axis == 0 else self.build.apply("permute", made, axes=(1, 0))
        made = self.build.apply("permute", every, axes=(1, 0, 2))
        made = self.build.apply("reshape", made, shape=(every.shape[1], -1))
        return made if axis == 1 else self.build.apply("permute", made, axes=(1, 0))


def _unturned(value: GraphValue) -> GraphValue:
    """Return what a turned matrix is made of, or the matrix."""
    node = value.node
    return node.operands[0] if node is not None and node.operator.name == "permute" else value


def is_product(value: GraphValue) -> bool:
    """Whether the sum of a value over the steps is a product, or a sum, of what all steps have."""
    if value.constant is not None:
        return not value.constant.any()
    node = value.node
    if node is None:
        return False
    if node.operator.name == "matmul":
        return all(each.ndim == 2 for each in node.operands)
    if node.operator.name == "sum":
        return True
    linear = node.operator.name in _LINEAR and not node.attributes.get("value")
    return linear and all(map(is_product, node.operands))


RULES["repeat"] = _loop
