"""Instruction selection: rows of operations that are one instruction of a machine, and rules for those that are not.

A row is found by operation and type of the last operand. A rule rewrites an operation as others, until all of them have
rows; it may use operations of the machine's own, made by `own`. So a new machine needs a row for each basic operation,
and gets faster by rows for more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from typing import Any

from ...encoder.records import NamedTuple, dataclass, new
from ..contract.machine import Facts, InstructionSelection
from ..errors import UnsupportedError
from ..expr.graph import BITS, EITHER, MASKS, OPS, Expr, node, ordered, rebuilt, with_args
from ..expr.scores import registers
from .reducer import Running


class Constant(NamedTuple):
    """A constant operand: the bits of one element that fills every lane of the register, or an element for each
    lane."""

    bits: int | tuple[int, ...]
    size: int  # bits of an element

    @lru_cache(maxsize=1024)  # noqa: B019  # what is kept alive are numbers
    def data(self, length: int) -> bytes:
        """The first `length` bytes of a register that holds it; a table is repeated."""
        elements = (self.bits,) if isinstance(self.bits, int) else self.bits
        one = b"".join(bits.to_bytes(self.size // 8, "little") for bits in elements)
        return (one * -(-length // len(one)))[:length]


Operand = int | Constant  # a register's number, or a constant in memory


class Emission(NamedTuple):
    """One operation, its registers chosen."""

    dst: Any  # a vector register's number, or a mask register
    srcs: tuple[Any, ...]  # the same, or a constant in memory
    value: Any
    lanes: Any  # those of the machine
    tied: int | None  # the operand whose register dst is


@dataclass(frozen=True)
class Row:
    """An operation that is one instruction (or a few that need no register beside dst).

    ties     operands, best first, one of which must lie in dst; () where dst is free
    memory   operands that may be constants in memory, one of them at a time
    mask     whether the result goes to a mask register
    early    whether dst is written before all operands are read, so that it needs a register of its own
    """

    emit: Callable[[Any, Emission], None]
    ties: tuple[int, ...] = ()
    memory: tuple[int, ...] = ()
    mask: bool = False
    early: bool = False


Rule = Callable[[Expr], Expr]
"""Rewrites a node that has no row as other operations of the same value."""


class BitStore(NamedTuple):
    """A mask that is stored as bits, one for each element, the first element in the lowest bit.

    Several vectors may share a byte. Its bits are gathered in a general register, and the byte is stored when it is
    whole or the last vector of a row is in it.
    """

    address: Any  # of the byte that holds the first bit
    mask: Any  # a mask register, or a vector where masks are vectors
    first_bit: int  # of the vector, within that byte
    lanes: Any  # those of the machine
    gathered: Any  # the general register
    last: bool  # whether no later vector shares the byte
    spare: Sequence[int]  # vector registers that the store may destroy


class Joined(NamedTuple):
    """Several whole vectors of results that are stored as one."""

    vectors: int
    store: Callable[..., None]  # (machine, address, their registers, lanes of each, spare registers); destroys them
    narrow_alone: bool = False  # whether a vector alone is narrowed by its store, in one instruction


def _none(*arguments: Any) -> None:
    raise UnsupportedError("this machine has no such verb")


@dataclass(frozen=True)
class Arithmetic(InstructionSelection):
    """Rows and rules of one machine, and how it moves registers and makes constants."""

    rows: Mapping[tuple[str, str], Row]
    rules: Mapping[tuple[str, str], Rule]
    constant: Callable[[Any, Any, Constant, Any], None]  # (machine, register, constant, lanes)
    move: Callable[[Any, Any, Any, Any], None]
    masks: int = 0  # registers for masks; 0: masks are vectors
    further_masks: int = 0  # more of them, less one for each count of elements that is part of a register
    tables: int = 0  # f32 that one instruction looks up
    fused: Mapping[tuple[bool, bool], str] = field(default_factory=dict)
    """Whether the product and whether the addend is negated -> the operation that is this form of a * b + c."""
    apart: bool = False
    """Whether a * b + c that may be rounded twice is quicker as a product and a sum."""
    combine: Callable[[Sequence[Expr]], tuple[Expr, ...]] = tuple
    """Legal expressions with several operations joined where one instruction does them all."""
    loads: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    """Element type and compute type -> (machine, register, address, lanes of the compute type)."""
    stores: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    """The same: (machine, address, register, lanes, spare registers); may destroy the register."""
    wide_loads: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    wide_stores: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    """The same for element types wider than the compute type; lanes have at most as many elements as a register of the
    wider type."""
    splat: Callable[..., None] = _none
    """(machine, register, bits of an element, lanes): copies the first element of a register to all lanes."""
    load_bits: Callable[..., None] = _none
    """(machine, mask, address, first bit, lanes, spare registers): a mask from bits in memory."""
    store_bits: Callable[[Any, BitStore], None] = _none
    """(machine, the mask and where its bits go)."""
    iota: Callable[..., None] = _none
    """(machine, register, general register, its first bit, addend, step, lanes, spare registers): element i = the 32
    bits + addend + step * i; step is 0 or 1."""
    running: Callable[[str, str, int], Running | None] = lambda op, dtype, vectors: None
    """(operation, type, vectors of a step) -> the machine's own accumulator state for a reduction, where it has one."""
    spare: int = 0  # vector registers that loads and stores destroy
    converts: frozenset[tuple[str, str]] = frozenset()
    """Element and compute types whose store takes numbers of the compute type and rounds them itself."""
    fast: Arithmetic | None = None
    """The same for numerics "fast", where that differs."""
    joined: Mapping[tuple[str, str], Joined] = field(default_factory=dict)
    """Element type and compute type -> a store of several vectors."""
    joining: Arithmetic | None = None
    """The same with `joined`; it may have other rules, since what packs several vectors may saturate otherwise."""
    packed: bool = True  # whether loads and stores of other types need lanes of them


def stored_together(arithmetic: Arithmetic, stored: str, compute: str, facts: Facts, most: int) -> int:
    """How many vectors of results are stored as one, of at most so many that lie side by side; 1 if each is alone."""
    joined = arithmetic.joining.joined.get((stored, compute)) if arithmetic.joining else None
    if joined is None or (joined.narrow_alone and not facts.tuning.eltwise.packs_what_stores_narrow):
        return 1
    return joined.vectors if joined.vectors <= most else 1


@cache
def arithmetic_of(facts: Facts, numerics: str = "exact") -> Arithmetic:
    """What expressions are made of on the machine that the facts describe."""
    found = facts.arithmetic()
    assert isinstance(found, Arithmetic)
    return found.fast if numerics == "fast" and found.fast is not None else found


def own(op: str, dtype: str, *args: Expr, value: Any = None) -> Expr:
    """A node of an operation that only one machine has."""
    return node(op, args, dtype, value)


def key(expr: Expr) -> tuple[str, str]:
    """Where the row of a node is found."""
    return expr.op, expr.args[-1].dtype if expr.args else expr.dtype


_LEAVES = ("input", "const", "bits", "from_bits")


def legal(outputs: Sequence[Expr], arithmetic: Arithmetic) -> tuple[Expr, ...]:
    """The same expressions in operations that have rows; UnsupportedError where no rule leads there."""
    rows, rules = arithmetic.rows, arithmetic.rules
    replaced = True  # whether a rule has put operations in the place of one, which may have no rows either

    def change(old: Expr, args: tuple[Expr, ...]) -> Expr:
        nonlocal replaced
        made = _fuse(with_args(old, args), arithmetic)
        where = key(made)
        if made.op in _LEAVES or where in rows:
            return made
        rule = rules.get(where)
        if rule is None:
            what = OPS[made.op].does if made.op in OPS else made.op
            raise UnsupportedError(f"{made.op} of {where[1]} ({what}): this target has no way to compute it; "
                                   f"f32, f64 and i32 have most operations")  # fmt: skip
        replaced = True
        return rule(made)

    def fused(old: Expr, args: tuple[Expr, ...]) -> Expr:
        return _fuse(with_args(old, args), arithmetic)

    current = rebuilt(outputs, fused)  # before rules replace the negations that a fused form absorbs
    while replaced:
        replaced = False
        current = rebuilt(current, change)
    return arithmetic.combine(current)


def _fuse(expr: Expr, arithmetic: Arithmetic) -> Expr:
    """a * b + c with negated operands, as one instruction where there is one."""
    if expr.op != "fma":
        return expr
    a, b, c = expr.args
    if arithmetic.apart and expr.value == EITHER:
        return a * b + c
    product = (a.op == "neg") ^ (b.op == "neg")
    a, b = (factor.args[0] if factor.op == "neg" else factor for factor in (a, b))
    for addend in (True, False):
        name = arithmetic.fused.get((product, addend))
        if name is not None and (c.op == "neg") >= addend:
            return node(name, (a, b, c.args[0] if addend else c), expr.dtype)
    return expr


class Native(NamedTuple):
    """A step of the computation: an operation of the machine on earlier steps, by their numbers.

    `value` is the name of an input, the `Constant` of a constant, else what the operation has beside its operands.
    """

    op: str
    type: str
    args: tuple[int, ...]
    value: Any
    mask: bool  # whether the result is true or false for each element


def economical(outputs: Sequence[Expr]) -> list[Expr]:
    """Every node once, operands first: of two operands the one that needs more registers."""
    need: dict[Expr, int] = {}
    for expr in ordered(outputs):
        args = expr.args
        if len(args) < 2:
            need[expr] = max(1, need[args[0]]) if args else int(expr.op != "const")
        else:
            need[expr] = max(1, registers([need[arg] for arg in dict.fromkeys(args)]))
    # of operands with equal needs the last one first: in a * b + c the addend is often what was waited for
    of_node = need.__getitem__

    def neediest_first(expr: Expr) -> Sequence[Expr]:
        return sorted(expr.args, key=of_node)[::-1] if len(expr.args) > 1 else expr.args

    return ordered(outputs, neediest_first)


def natives(outputs: Sequence[Expr]) -> tuple[list[Native], list[int]]:
    """Legal expressions as plain data (operations, numbers of the results); equal bits are one constant."""
    steps: list[Native] = []
    number: dict[Expr, int] = {}
    constants: dict[Constant, int] = {}
    for expr in economical(outputs):
        if expr.op in ("bits", "from_bits"):
            number[expr] = number[expr.args[0]]
            continue
        value = expr.value
        if expr.op == "const":
            value = Constant(value, BITS[expr.dtype])
            if value in constants:
                number[expr] = constants[value]
                continue
            constants[value] = len(steps)
        number[expr] = len(steps)
        args = tuple([number[arg] for arg in expr.args])
        steps.append(new(Native, (expr.op, key(expr)[1], args, value, expr.dtype in MASKS)))
    return steps, [number[output] for output in outputs]
