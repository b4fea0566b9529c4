"""The steps of attention, forward and backward, as its emitters order them.

An emitter runs on a machine that emits nothing and records: each part with the places of its operands, and the copies
and advances of the values by which places are found. The loops around them are then executed on what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.records import NamedTuple
from ....microkernels.attention.emit import Emitter
from ....microkernels.attention.pipeline import EMITTERS
from ....microkernels.attention.plan import AttentionPlan
from ....microkernels.contract.vector_verbs import claimed
from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.operands import Operand, View
from .chains import SCRATCH
from .elements import At, access, steps_of
from .memory import IN_TURN, THROUGHOUT, MatrixAccess, PlacedStep

_TWICE = 2
_ITERATIONS = {
    "kv heads": _TWICE,
    "heads": 1,
    "blocks of queries": _TWICE,
    "blocks of keys": _TWICE,
    "keys left": _TWICE,
}
"""The most iterations of a loop that are walked, by the name of its counter: the second one meets what the first one
left. Other loops are walked in full, since what comes after them reads what all iterations have left."""
_BUFFERS = ("scratch", "strip", "query of a row", "scores of a row")
"""The values by which places in scratch memory are found. All others find operands of the call."""

# What the operands of parts hold, and the field of the plan's places where that lies.
_OF_WALKS = {
    ("queries", "y"): "queries",
    ("cleared", "y"): "queries",
    ("start", "y"): "sums",
    ("begun", "y0"): "largest",
    ("begun", "y1"): "total",
    ("mask", "y"): "mask",
    ("corrected", "o"): "sums",
    ("corrected", "y"): "sums",
    ("corrected", "correction"): "correction",
    ("corrected", "r"): "correction",
    ("finished", "total"): "total",
    ("folded", "largest"): "largest",
    ("folded", "total"): "total",
    ("folded", "before"): "largest",
    ("folded", "far"): "total",
    ("folded", "y0"): "far_correction",
    ("folded", "y1"): "total",
    ("folded", "y2"): "largest",
    ("folded", "y3"): "total",
    ("laid", "o"): "sums",
    ("laid", "far"): "sums",
    ("laid", "correction"): "far_correction",
    ("laid", "y"): "sums",
    ("finished", "largest"): "largest",
    ("finished", "y"): "inverse",
    ("finished", "y0"): "inverse",
    ("out", "o"): "sums",
    ("out", "r"): "inverse",
    ("k moved", "y"): "k moved",
    ("v moved", "y"): "v moved",
    ("softmax", "s"): "scores",
    ("softmax", "largest"): "largest",
    ("softmax", "total"): "total",
    ("softmax", "y0"): "powers",
    ("softmax", "y1"): "largest",
    ("softmax", "y2"): "total",
    ("softmax", "y3"): "correction",
    ("ones", "y"): "ones",
    ("unseen", "y"): "unseen",
    ("seen", "y"): "seen",
    ("gradients", "y"): "gradients",
    ("products", "y"): "products",
    ("begun", "y"): "lse",
    ("transposed", "y"): "transposed",
    ("transposed", "s"): "slopes of powers",
    ("k in pairs", "y"): "k in pairs",
    ("q in pairs", "y"): "q in pairs",
    ("g in pairs", "y"): "g in pairs",
    **{
        (step, operand): value
        for step in ("step", "hidden")
        for operand, value in {
            "score": "scores",
            "slope": "slopes",
            "lse": "lse",
            "delta": "delta",
            "y0": "powers",
            "y1": "slopes of powers",
        }.items()
    },
}
_OF_PRODUCTS = {
    "scores": ("queries", "k moved", "mask", "scores"),
    "sums": ("powers", "v moved", "sums", "sums"),
    "slopes": ("gradients", "", "", "slopes"),
    "delta": ("products", "ones", "", "delta"),
    "gv": ("powers", "g in pairs", "", ""),
    "gk": ("slopes of powers", "q in pairs", "", ""),
    "gq": ("transposed", "k in pairs", "", ""),
}
"""What the factors hold, what C holds before, and what after."""
_PLACES = {
    "mask": "scores",
    "inverse": "correction",
    "k moved": "values",
    "v moved": "values",
    "products": "sums",
    "transposed": "scores",
    "k in pairs": "slopes",
    "q in pairs": "q_pairs",
    "g in pairs": "g_pairs",
    "slopes of powers": "slopes",
    "unseen": "window",
}


class _Place(NamedTuple):
    """The place of an operand: the value by which it is found, and bytes from there."""

    buffer: str
    disp: int


class _EmittedPart(NamedTuple):
    """A part that was emitted: its name, its plan, and the places of its operands."""

    name: str
    code: Any
    operands: dict[Any, _Place]
    queries: int  # of the block
    beyond: int  # those of them that do not exist, of whose values nothing is known
    more: dict[str, Any] = {}


class _Value:
    """A register or a stack slot. `name` is empty for a value that finds no place."""

    def __init__(self, name: str = "") -> None:
        self.name = name


class _Machine:
    """A machine that records. Whatever it does not know emits nothing."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self

    def named_arguments(self, parameters: Iterable[tuple[str, str]]) -> dict[str, _Value]:
        """Return the arguments of the call."""
        return {name: _Value() for _, name in parameters}

    def in_slot(self, value: Any) -> Any:
        """Return the same value."""
        return value

    def general(self, name: str) -> _Value:
        """Return a register, by its name."""
        return _Value()

    def scratch(self, size: int) -> _Value:
        """Return the address of scratch memory."""
        return _Value("scratch")

    def to_slot(self, value: Any) -> _Value:
        """Return the slot of the address of scratch memory, which is all that is kept in a slot."""
        return _Value("scratch")

    def counter(self, name: str) -> _Value:
        """Return a counter, or a value by which a place is found."""
        return _Value(name)

    def generals_left(self) -> int:
        """Return 1: no more registers need to be saved."""
        return 1

    def copy(self, target: _Value, value: Any) -> None:
        """Record a copy."""
        if target.name:
            self.made.append(("copy", target.name, value.name if isinstance(value, _Value) else value))

    def advance(self, target: _Value, amount: Any, factor: int = 1) -> None:
        """Record an addition."""
        if target.name and isinstance(amount, int):
            self.made.append(("advance", target.name, amount * factor))

    @contextmanager
    def loop(self, counter: Any, times: Any) -> Iterator[None]:
        """Record a loop."""
        outer, self.made = self.made, []
        yield
        times = times.name if isinstance(times, _Value) else times
        outer.append(("loop", times, (_ITERATIONS.get(counter.name), self.made)))
        self.made = outer

    @contextmanager
    def while_at_least(self, left: Any, step: int) -> Iterator[None]:
        """Record a loop whose number of iterations the call gives."""
        with self.loop(left, _TWICE):
            yield

    @contextmanager
    def _inside(self, *_: Any) -> Iterator[None]:
        yield

    unless_zero = opened = set_aside = predicates = scratch_within = within = _inside


def _recorder(plan: AttentionPlan) -> Any:
    """Return an emitter of a plan that records its parts."""
    kind: Any = EMITTERS[plan.schedule]

    class Recorder(kind):  # type: ignore[misc]
        queries = 0

        def claim_levels(self) -> None:
            """Levels lie in memory of their own, which no part knows."""
            self.of_keys = self.of_queries = None

        def begin(self, blocks: Any) -> None:
            self.queries = blocks.rows
            super().begin(blocks)

        def _strip(self, stored: int, *given: Any) -> None:
            self.queries, self.beyond = self.plan.rows, self.plan.rows - stored
            super()._strip(stored, *given)
            self.beyond = 0

        def record(self, name: str, code: Any, operands: dict[Any, tuple[str, int]], **more: Any) -> None:
            places = {each: _Place(*place) for each, place in operands.items()}
            self.m.made.append(_EmittedPart(name, code, places, self.queries, self.beyond, more))

        def prepare(self) -> None:
            if kind.prepare is Emitter.prepare:
                if self.spec.causal:
                    self.record("window", None, {"y": ("scratch", self.plan.places.window)})
            else:
                super().prepare()

        def elementwise(self, name: str, rows: int, keys: int = 0, **operands: tuple[str, int]) -> None:
            self.record(name, self.plan.elementwise[name, rows, keys], operands)

        def product(self, name: str, rows: int, keys: int, *operands: tuple[str, int]) -> None:
            self.record(name, self.plan.product[name, rows, keys], dict(enumerate(operands)), product=True)

        def softmax(self, rows: int, keys: int, hidden: bool, skipped: int, before: int = 0) -> None:
            places = {
                each: (place[0], place[1] + skipped)
                for each in ("scores", "powers", "largest", "total", "correction")
                if (place := self.place(each))
            }
            self.record("softmax step", None, places, rows=rows, keys=keys, hidden=hidden)

    return Recorder


def steps_of_attention(plan: AttentionPlan) -> Iterator[PlacedStep]:
    """Yield the steps of a plan."""
    machine = _Machine()
    recorder = _recorder(plan)(machine, plan)
    recorder.run()
    yield from _Executed(plan).run(machine.made)


class _Executed:
    """The execution of what was recorded."""

    def __init__(self, plan: AttentionPlan) -> None:
        self.plan, self.places = plan, plan.places
        self.inverse = plan.spec.inverse
        self.at: dict[str, int] = {"scratch": 0}
        self.wide = ELEMENT_BYTES[plan.spec.compute]

    def run(self, made: Sequence[Any]) -> Iterator[PlacedStep]:
        """Yield the steps of recorded parts."""
        for each in made:
            if isinstance(each, _EmittedPart):
                yield from self._part(each)
                continue
            verb, name, value = each
            if verb == "loop":
                times = self.at.get(name, 0) if isinstance(name, str) else name
                most, inside = value
                for _ in range(times if most is None else min(times, most)):
                    yield from self.run(inside)
            elif verb == "copy":
                self.at[name] = self.at.get(value, 0) if isinstance(value, str) else value
            else:
                self.at[name] = self.at.get(name, 0) + value

    def _part(self, part: _EmittedPart) -> Iterator[PlacedStep]:
        if part.name == "window":
            yield PlacedStep("the window", (), (self._window(self.plan.vector),))
        elif part.name == "softmax step":
            yield self._softmax(part)
        elif part.more:
            yield self._product(part)
        else:
            yield from self._elementwise(part)

    def _window(self, elements: int) -> MatrixAccess:
        size = 2 * elements * self.wide
        return MatrixAccess(SCRATCH, self.places.window, 1, size, 1, size, "window", when=THROUGHOUT)

    def _base(self, value: str, buffer: str) -> int:
        """Return the place of a value, from where its rows and columns are counted."""
        of_powers = "scores" if self.inverse or self.plan.upright else "powers"
        name = of_powers if value == "powers" else _PLACES.get(value, value)
        if value == "seen":
            return int(self.places.window + self.plan.rows * self.wide)
        return int(getattr(self.places, name)) + (self.at["strip"] if buffer == "strip" else 0)

    def _at(self, value: str, place: _Place, pitch: int, size: int) -> At | None:
        """Return where an operand lies, and which elements of the value."""
        if place.buffer not in _BUFFERS or not value:
            return None
        if self.plan.laid_by and self.places.far_sums <= place.disp < self.places.far_correction:
            value = f"far_{value}"
        offset = self.at[place.buffer] + place.disp
        row, rest = divmod(offset - self._base(value, place.buffer), pitch)
        return At(SCRATCH, offset, self._named(value, place.buffer), row, rest // size)

    def _named(self, value: str, buffer: str) -> str:
        return f"{value} of the strip at {self.at['strip']}" if buffer == "strip" else value

    def _own(self, uses: bool) -> tuple[MatrixAccess, ...]:
        size = self.places.end - self.places.tiles
        return (MatrixAccess(SCRATCH, self.places.tiles, 1, size, 1, size, ""),) if uses and size > 0 else ()

    def _elementwise(self, part: _EmittedPart) -> Iterator[PlacedStep]:
        spec = part.code.spec
        operands = {each.name: each for each in spec.operands}

        def places(name: str, written: bool) -> At | None:
            operand: Operand = operands[name]
            if name not in part.operands or name == "window":
                return None
            size = ELEMENT_BYTES[operand.dtype]
            lines = operand.rows if operand.view.order == "C" else operand.columns
            leading: Any = operand.view.leading
            pitch = leading * operand.group * size if lines > 1 else 1 << 30
            return self._at(_OF_WALKS.get((part.name, name), ""), part.operands[name], pitch, size)

        steps = list(steps_of(part.code, places, part.name, own=self._own(self.plan.upright)))
        if "window" in part.operands:  # rows begin one element before each other, from what is seen to what is not
            line = self.plan.rows * self.wide
            reads = tuple(
                MatrixAccess(
                    SCRATCH, self.places.window + at, 1, self.plan.rows, self.wide, line, value, when=THROUGHOUT
                )
                for at, value in ((0, "unseen"), (line, "seen"))
            )
            steps[0] = steps[0]._replace(reads=steps[0].reads + reads)
        for step in steps:
            yield self._existing(self._zeros_of_queries(step) if part.name == "cleared" else step, part)

    def _zeros_of_queries(self, step: PlacedStep) -> PlacedStep:
        """Return the zeros of Q', which are stored as wider elements than those of the queries, as such elements."""
        size = ELEMENT_BYTES[self.plan.spec.dtype]
        return step._replace(
            writes=tuple(each._replace(columns=each.columns * each.size // size, size=size) for each in step.writes)
        )

    def _existing(self, step: PlacedStep, part: _EmittedPart) -> PlacedStep:
        """Return a step without the queries that do not exist, which lie at the end of lines of queries. A line has one
        element of each query, or two neighbours."""
        if not part.beyond:
            return step

        def shorter(each: MatrixAccess) -> MatrixAccess:
            several = [count for count in (1, 2) if each.columns + each.column == count * part.queries]
            return each._replace(columns=each.columns - several[0] * part.beyond) if several else each

        return step._replace(reads=tuple(map(shorter, step.reads)), writes=tuple(map(shorter, step.writes)))

    def _product(self, part: _EmittedPart) -> PlacedStep:
        """Return a product. Its factors are read for every block of C."""
        spec, values = part.code.spec, list(_OF_PRODUCTS[part.name])
        if part.name == "sums" and self.inverse:
            values[:2] = ["slopes of powers", ""]
        reads, writes = list[MatrixAccess](), list[MatrixAccess]()
        for number, operand in enumerate(spec.operands):
            value = values[3] if operand.output else values[number]
            size = ELEMENT_BYTES[operand.dtype]
            pitch = int(operand.view.leading) * operand.group * size
            if self.plan.upright and part.name == "scores" and number != 1:
                # a column of one query, which is a row of Q' and of the scores
                leading = self.plan.keys if operand.output else self.plan.spec.size
                columns = operand.columns * operand.rows
                operand = operand._replace(rows=1, columns=columns, view=View("C", leading))
                pitch = leading * self.wide
            at = self._at(value, part.operands[number], pitch, size)
            if at is None:
                continue
            if operand.output:
                writes.append(access(operand, at, when=IN_TURN))
                reads += [access(operand, at._replace(value=self._named(values[2], part.operands[number].buffer)))] * (
                    spec.beta != 0
                )
            else:
                reads.append(access(operand, at, when=THROUGHOUT))
        uses = bool(part.code.tile_shapes)
        return self._existing(PlacedStep(part.name, tuple(reads), tuple(writes), self._own(uses)), part)

    def _softmax(self, part: _EmittedPart) -> PlacedStep:
        """Return the step of the online softmax on vectors of queries."""
        rows, keys, line = part.more["rows"], part.more["keys"], self.plan.rows * self.wide
        states = {
            name: MatrixAccess(at.space, at.offset, 1, rows, self.wide, line, at.value, 0, at.column)
            for name in ("largest", "total", "correction")
            if (at := self._at(name, part.operands[name], 1 << 30, self.wide)) is not None
        }
        scores, powers = (self._at(name, part.operands[name], line, self.wide) for name in ("scores", "powers"))
        assert scores is not None and powers is not None
        read = MatrixAccess(scores.space, scores.offset, keys, rows, self.wide, line, scores.value, 0, scores.column)
        write = MatrixAccess(powers.space, powers.offset, keys, rows, self.wide, line, powers.value, 0, powers.column)
        if self.places.powers != self.places.scores:  # neighbours side by side
            write = write._replace(
                rows=-(-keys // claimed(self.plan.softmax).together),
                columns=2 * rows,
                size=self.wide // 2,
                column=2 * powers.column,
            )
        reads = [read, states["largest"], states["total"]]
        if part.more["hidden"]:
            reads.append(self._window(self.plan.vector))
        return self._existing(PlacedStep(part.name, tuple(reads), (write, *states.values())), part)
