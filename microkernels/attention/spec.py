"""AttentionSpec: the checked request for attention, or for its backward pass.

    out[h] = softmax(scale * q[h] @ k[h / group].T + mask) @ v[h / group]      along rows

The backward pass computes gq, gk and gv, the gradients of q, k and v, from g, the gradient of out, and from out and lse
of the forward pass.

q and out are (heads, queries, size), k and v are (kv_heads, keys, size), and group = heads / kv_heads. A mask is added
to the scaled products; -inf hides a key. `causal` hides the keys after each query: key j from query i if j > i. A
traced function may transform the scores before the mask, and probabilities may be dropped (scores.py).

In memory, lines of `size` elements follow each other by rows and then heads (order "C"), or by heads and then rows
(order "F"), as a projection of all heads makes them. A leading dimension counts lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...encoder.errors import shown
from ...encoder.records import cached_property, dataclass
from ..dtypes import element_type
from ..errors import UnsupportedError
from ..expr.graph import Expr
from ..expr.program import Program
from ..expr.transformed import HEAD, POSITIONS, traced_score
from ..functions.accuracies import ACCURACIES, STANDARD
from ..functions.replay import replayed
from ..names import chosen
from ..operands import (
    ORIGIN,
    RUNTIME,
    SEED,
    Interface,
    LeadingDimension,
    Number,
    Operand,
    View,
    dense,
    extent,
    leading_dimension,
    real,
)
from .checks import masks_of, scale_of, window_of

ROW, FULL, DISTANCE = "row", "full", "distance"
MASKS = (ROW, FULL, DISTANCE)
ORDERS = ("C", "F")
EXACT = "exact"
SEEN = "seen"
"""The argument that says how many keys count."""
DTYPES = ("f32", "bf16", "f16", "f64")
"""Element types of q, k, v and out."""


@dataclass(frozen=True)
class AttentionSpec:
    """A checked request, made by `attention_spec` or `inverse_spec`.

    mask    None; "row", a number for each key; "full", one for each query and key; or "distance", one for each
            difference of their numbers
    masks   how many masks there are, along sequences and along the heads of one; where it is 1, they share a mask
    score   the function of scores, with the mask added: its inputs are "score", "mask" and positions; None: none
    rate    the probability with which a probability is dropped
    part    the heads of a unit, if the call says how many units come before the first head; 0: none do
    lse     whether the logarithms of the sums of e^score are a further output, for the backward pass
    seen    whether the call gives the number of keys that count; they are the first ones. With `causal` the queries are
            those of the last keys that count
    window  the keys that a query sees, its own and those right before it; 0: all of them
    adds    whether gk and gv are added to what lies there, as the parts of a sum over more queries are
    views   of the operands whose heads do not follow each other without gaps, by name
    inverse whether it is the backward pass
    """

    heads: int
    queries: int
    keys: int
    size: int
    kv_heads: int
    dtype: str
    causal: bool
    mask: str | None
    scale: float
    lse: bool
    accuracy: str
    numerics: str = EXACT
    """TILED: sums are taken in the order of tile registers, by other instructions."""
    views: tuple[tuple[str, View], ...] = ()
    seen: bool = False
    inverse: bool = False
    masks: tuple[int, int] = (1, 1)
    score: Program | None = None
    rate: float = 0.0
    part: int = 0
    adds: bool = False
    window: int = 0

    @cached_property
    def forward(self) -> AttentionSpec:
        """The request of the forward pass."""
        return replace(self, inverse=False, adds=False)

    @property
    def compute(self) -> str:
        """The type of scores, sums, masks and lse."""
        return "f64" if self.dtype == "f64" else "f32"

    @property
    def group(self) -> int:
        """Heads of q per head of k and v."""
        return self.heads // self.kv_heads

    @property
    def of_pairs(self) -> bool:
        """Whether the mask has a number for each pair of a query and a key."""
        return self.mask in (FULL, DISTANCE)

    @property
    def row_mask(self) -> bool:
        """Whether the softmax step adds a mask with a number for each key. A function of scores adds its own."""
        return self.mask == ROW and self.score is None

    @property
    def begins_as_mask(self) -> bool:
        """Whether the mask is the initial value of scores, to which their products are added."""
        return self.of_pairs and self.score is None

    @property
    def natural(self) -> bool:
        """Whether scores are natural logarithms of powers, and not logarithms to base 2."""
        return self.mask is not None or self.score is not None

    @property
    def mask_steps(self) -> tuple[int, int]:
        """The elements of the mask from one query to the next, and from one key to the next."""
        return {FULL: (self.keys, 1), DISTANCE: (1, -1)}.get(self.mask or "", (0, 1))

    @property
    def sequences(self) -> int:
        """The sequences whose masks differ, or whose heads have masks of their own."""
        of_sequences, of_heads = self.masks
        return of_sequences if of_sequences > 1 else self.heads // of_heads if of_heads > 1 else 1

    @property
    def positions(self) -> frozenset[str]:
        """The positions that the scores depend on."""
        of_window = {"query", "key"} if self.crossed else set[str]()
        of_score = {name for name, _ in self.score.inputs if name in POSITIONS} if self.score else set[str]()
        return frozenset(of_window | of_score)

    @property
    def crossed(self) -> bool:
        """Whether the edge of a window crosses blocks of scores."""
        return bool(self.window and self.causal)

    @property
    def mask_of_score(self) -> bool:
        """Whether the function of scores reads the mask."""
        return self.score is not None and any(name == "mask" for name, _ in self.score.inputs)

    @property
    def by_head(self) -> bool:
        """Whether results depend on the number of a head."""
        return bool(self.rate) or HEAD in self.positions

    @cached_property
    def inputs(self) -> tuple[Operand, ...]:
        """q, k, v and the mask; of the backward pass g, q, k, v, the mask, out and lse."""
        if self.inverse:
            out, lse = (each._replace(output=False) for each in self.forward.outputs)
            return (self.stack("g", self.heads, self.queries), *self.forward.inputs, out, lse)
        three = (
            self.stack("q", self.heads, self.queries),
            self.stack("k", self.kv_heads, self.keys),
            self.stack("v", self.kv_heads, self.keys),
        )
        return three if self.mask is None else (*three, self._mask)

    @property
    def _mask(self) -> Operand:
        """The masks, one after the other: a vector, a matrix, or a matrix for each of several, of which the axis of a
        single key is left out."""
        count, keys = self.masks[0] * self.masks[1], self.keys
        if self.mask == FULL and count > 1:
            return Operand("mask", count, self.queries, View("C", self.queries), self.compute, group=keys)
        columns = self.queries + keys - 1 if self.mask == DISTANCE else keys
        rows = self.queries if self.mask == FULL else count
        return Operand("mask", rows, columns, View("C", columns), self.compute, vector=self.mask != FULL and rows == 1)

    @cached_property
    def outputs(self) -> tuple[Operand, ...]:
        """out and lse; of the backward pass gq, gk and gv, which are f32 if the operands have 16 bits, since they are
        sums in memory."""
        if self.inverse:
            return tuple(
                self.stack(f"g{each.name}", each.rows, each.columns, self.compute, output=True)
                for each in self.forward.inputs[:3]
            )
        out = self.stack("out", self.heads, self.queries, output=True)
        lse = Operand("lse", self.heads, self.queries, View("C", self.queries), self.compute, output=True)
        return (out, lse) if self.lse else (out,)

    def stack(self, name: str, heads: int, rows: int, dtype: str = "", output: bool = False) -> Operand:
        """Return an operand of lines of `size` elements, one for each head and row."""
        view = dict(self.views).get(name, View("C", rows))
        return Operand(name, heads, rows, view, dtype or self.dtype, output, group=self.size)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The number of keys that count, the seed of dropped elements, and the units of heads before the first one,
        where the call gives them."""
        least = self.queries if self.causal else 0
        seen = (Number(SEEN, least, self.keys),) if self.seen else ()
        return (*seen, *([Number(SEED)] if self.rate else []), *([Number(ORIGIN[0])] if self.part else []))

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All matrices, in the order of the call."""
        return self.inputs + self.outputs

    @property
    def arguments(self) -> tuple[Operand | Number, ...]:
        """All arguments, in the order of the call."""
        return self.inputs + self.numbers + self.outputs

    @cached_property
    def stacks(self) -> dict[str, Operand]:
        """The operands of lines of `size` elements, by name."""
        return {each.name: each for each in self.operands if each.group > 1 and each.name != "mask"}

    def row_step(self, name: str) -> int:
        """Return the elements between neighbouring rows of a head."""
        view = self.stacks[name].view
        return self.size * (1 if view.order == "C" else _number(view.leading))

    def head_step(self, name: str) -> int:
        """Return the elements between neighbouring heads."""
        view = self.stacks[name].view
        return self.size * (_number(view.leading) if view.order == "C" else 1)

    @property
    def interface(self) -> Interface:
        """What a call takes."""
        contiguous = tuple(each.name for each in self.operands if each.name not in self.stacks)
        return Interface(self.arguments, contiguous=contiguous)

    def again(self) -> AttentionSpec:
        """Return the request made again by its function, which checks it."""
        order, leading = orders_of(self)
        if self.inverse:
            return inverse_spec(replace(self.forward, views=()).again(), order, leading, self.adds)
        made = attention_spec(
            self.heads,
            self.queries,
            self.keys,
            self.size,
            causal=self.causal,
            mask=self.mask,
            scale=self.scale,
            kv_heads=self.kv_heads,
            lse=self.lse,
            dtype=self.dtype,
            accuracy=self.accuracy,
            order=order,
            leading=leading,
            seen=RUNTIME if self.seen else None,
            masks=self.masks,
            score=None if self.score is None else self._scored_again,
            rate=self.rate,
            part=self.part,
        )
        return replace(made, causal=self.causal, window=self.window)

    def _scored_again(self, score: Expr, query: Expr, key: Expr, head: Expr, mask: Expr | None = None) -> Expr:
        given = {"score": score, "mask": mask, "query": query, "key": key, "head": head}
        (made,) = replayed(self.score, {name: each.dtype for name, each in given.items() if each is not None})
        return made

    @property
    def in_place(self) -> tuple[str, ...]:
        """The empty tuple: no input may be an output."""
        return ()

    @property
    def equation(self) -> str:
        """The request as one line."""
        mask = " + mask" * (self.mask is not None)
        of_seen = f" of the last {self.queries} of {SEEN}" if self.causal else f", keys before {SEEN}"
        hidden = ", keys after a query hidden" * self.causal + of_seen * self.seen
        hidden += f", {self.window} keys seen" if self.window else ""
        gradients = "gq, gk, gv = the gradients of " * self.inverse
        scores = f"{self.scale:g} * q @ k.T"
        scores = f"{scores}{mask}" if self.score is None else f"score({scores}{', mask' * bool(mask)})"
        kept = f"dropout(softmax({scores}), {self.rate:g})" if self.rate else f"softmax({scores})"
        return f"{gradients}out = {kept} @ v{hidden}"

    @property
    def stem(self) -> str:
        """Part of the C symbol."""
        views = (f"{name}{view.order}{view.leading}" for name, view in self.views)
        more = (
            "causal" * self.causal,
            self.mask or "",
            "x".join(map(str, self.masks)) * (self.masks != (1, 1)),
            "score" * (self.score is not None),
            "dropout" * bool(self.rate),
            "part" * bool(self.part),
            SEEN * self.seen,
            "adds" * self.adds,
            f"window{self.window}" * bool(self.window),
            "lse" * self.lse,
            self.numerics * (self.numerics != EXACT),
            *views,
        )
        name = "_".join(("attention", *filter(None, more)))
        return f"{name}_{self.dtype}_{self.heads}x{self.queries}x{self.keys}x{self.size}" + "_inv" * self.inverse

    @property
    def pairs(self) -> int:
        """The number of pairs of a query and a key that it sees in one head, ignoring masks other than the causal
        one."""
        most = min(self.window or self.keys, self.keys)
        if not self.causal:
            return self.queries * most

        def up_to(number: int) -> int:  # the keys that so many queries see, the first of which sees one
            least = min(number, most)
            return least * (least + 1) // 2 + (number - least) * most

        before = self.keys - self.queries if self.seen else 0
        return up_to(before + self.queries) - up_to(before)

    @property
    def flops(self) -> int:
        """Multiplications and additions of both products, or of the five of the backward pass."""
        return (10 if self.inverse else 4) * self.heads * self.size * self.pairs

    def __str__(self) -> str:
        grouped = f" over {self.kv_heads}" if self.group > 1 else ""
        return (
            f"attention {self.dtype}: {self.heads} heads{grouped}, {self.queries} queries, {self.keys} keys of "
            f"{self.size}; {self.equation}"
        )


def attention_spec(
    heads: Any,
    queries: Any,
    keys: Any,
    size: Any,
    *,
    causal: Any = False,
    mask: Any = None,
    scale: Any = None,
    kv_heads: Any = None,
    lse: Any = False,
    dtype: Any = "f32",
    accuracy: Any = STANDARD,
    order: Any = "C",
    leading: Mapping[str, Any] | None = None,
    seen: Any = None,
    masks: object = (1, 1),
    score: Callable[..., object] | None = None,
    rate: object = 0.0,
    part: int = 0,
    window: object = None,
) -> AttentionSpec:
    """Return a checked request; the arguments are those of ts.attention. leading: {"ldq": elements between neighbouring
    heads, or rows in order "F"}, by the names of the operands.

    Raises UnsupportedError, TypeError or ValueError naming the argument, the rule, and the value.
    """
    heads, queries, keys, size = (
        extent(name, value) for name, value in (("heads", heads), ("queries", queries), ("keys", keys), ("size", size))
    )
    name = element_type("dtype", dtype)
    if name not in DTYPES:
        raise UnsupportedError(f"dtype: attention supports {', '.join(DTYPES)}, not {name}; convert q, k and v")
    if size == 1:
        raise UnsupportedError(
            "size: must be 2 or more; instead of size 1 append a zero to each row of q, k and v, and give scale="
        )
    for what, value in (("causal", causal), ("lse", lse)):
        if not isinstance(value, bool):
            raise TypeError(f"{what}: True or False, not {value!r}")
    if mask is not None:
        if not isinstance(mask, str):
            raise TypeError(
                'mask: None, "row", "full" or "distance", which shape the mask has; the call takes the array itself, '
                f"k(q, k, v, mask), not {type(mask).__name__}"
            )
        mask = chosen("mask", mask, MASKS)
    kv_heads = heads if kv_heads is None else extent("kv_heads", kv_heads)
    if heads % kv_heads:
        raise ValueError(f"kv_heads: a divisor of {heads}, the heads of q, not {kv_heads}")
    if seen not in (None, RUNTIME):
        raise TypeError(f"seen: None, or ts.RUNTIME for a number of keys that the call gives, not {shown(seen)}")
    if seen is RUNTIME and causal and queries > keys:
        raise ValueError(
            f"seen: with causal=True the queries are those of the last keys, so that {queries} queries need as many "
            f"keys, not {keys}"
        )
    checked_rate = real(rate)
    if checked_rate is None or not 0 <= checked_rate < 1:
        raise (TypeError if checked_rate is None else ValueError)(
            f"dropout: a probability from 0 to less than 1, not {shown(rate)}"
        )
    made = AttentionSpec(
        heads,
        queries,
        keys,
        size,
        kv_heads,
        name,
        causal,
        mask,
        scale_of(scale, size),
        lse,
        chosen("accuracy", accuracy, ACCURACIES),
        seen=seen is RUNTIME,
        masks=masks_of(masks, mask, heads, kv_heads),
        rate=checked_rate + 0.0,
        part=part,
    )
    if score is not None:
        made = replace(made, score=traced_score(score, mask is not None, made.compute, max(heads, queries, keys)))
    elif made.seen and queries == 1:  # of the last key, which hides none, and all others are in its window
        made = replace(made, causal=False)
    made = replace(made, window=window_of(window, causal, queries, keys, made.compute))
    return laid_out(made, order, leading or {})


def inverse_spec(
    forward: AttentionSpec, order: Any = "C", leading: Mapping[str, Any] | None = None, adds: bool = False
) -> AttentionSpec:
    """Return the request of the backward pass. order, leading: of all its operands, as in `attention_spec`."""
    return laid_out(replace(forward, lse=True, views=(), inverse=True, adds=adds), order, leading or {})


def _number(leading: LeadingDimension) -> int:
    assert isinstance(leading, int)
    return leading


def laid_out(spec: AttentionSpec, order: Any, leading: Mapping[str, Any]) -> AttentionSpec:
    """Return the request with these orders and leading dimensions, given in elements, of its operands. Raises TypeError
    or ValueError naming the argument."""
    names = [*spec.stacks]
    letters = dict.fromkeys(names, order) if not isinstance(order, Mapping) else dict(order)
    if unknown := [name for name in letters if name not in names]:
        raise ValueError(f"order: {unknown[0]} is no operand whose heads have an order; these are {', '.join(names)}")
    views: dict[str, View] = {}
    for name, each in spec.stacks.items():
        letter = chosen("order", letters.get(name, "C"), ORDERS)
        least = dense(letter, each.rows, each.columns)
        lines = _lines(f"ld{name}", leading.get(f"ld{name}"), least, spec.size)
        alike = letter == "C" or each.rows == 1 or each.columns == 1
        if lines > least or not alike:
            views[name] = View(letter, lines)
    return replace(spec, views=tuple(sorted(views.items())))


def orders_of(spec: AttentionSpec) -> tuple[dict[str, str], dict[str, int]]:
    """Return the orders and leading dimensions, in elements, of the operands that have views of their own."""
    return (
        {name: view.order for name, view in spec.views},
        {f"ld{name}": spec.size * _number(view.leading) for name, view in spec.views},
    )


def _lines(keyword: str, value: Any, least: int, size: int) -> int:
    """Return the lines of `size` elements in a leading dimension, which is given in elements."""
    if value is RUNTIME:
        raise UnsupportedError(f"{keyword}: a number of elements, not ts.RUNTIME; make a kernel for each distance")
    number = _number(leading_dimension(keyword, value, least * size))
    if number % size:
        raise UnsupportedError(
            f"{keyword}: a multiple of the {size} elements of a line, not {number}; copy the heads: "
            "np.ascontiguousarray(x), or x.contiguous() of a tensor"
        )
    return number // size
