"""Instruction selection: rows for operations that are one instruction of a machine, rewrite rules for the others.

A row is found by its operation and the type of the last operand. A rule rewrites an operation in terms of others, until
all of them have rows. It may use operations that only this machine has, made by `own`. So a new machine needs a row for
each basic operation, and becomes faster with further rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from typing import Any

from ...encoder.records import NamedTuple, dataclass, new
from ..contract.machine import Address, Facts, InstructionSelection, Lanes, Machine, Vector
from ..dtypes import ELEMENT_BYTES, FOUR_BITS
from ..errors import UnsupportedError
from ..expr.graph import BITS, EITHER, MASKS, OPS, Expr, node, ordered, rebuilt, with_args
from ..expr.scores import registers
from .reducer import Running


class Constant(NamedTuple):
    """A constant operand: the bits of one element that fills every lane of the register, or one element for each
    lane."""

    bits: int | tuple[int, ...]
    size: int  # bits of an element

    @lru_cache(maxsize=1024)  # noqa: B019  # the cache keeps only numbers alive
    def data(self, length: int) -> bytes:
        """The first `length` bytes of a register that holds the constant. A table is repeated."""
        elements = (self.bits,) if isinstance(self.bits, int) else self.bits
        one = b"".join(bits.to_bytes(self.size // 8, "little") for bits in elements)
        return (one * -(-length // len(one)))[:length]


Operand = int | Constant  # a register's number, or a constant in memory


class Emission(NamedTuple):
    """One operation with its registers chosen."""

    dst: Any  # a vector register's number, or a mask register
    srcs: tuple[Any, ...]  # register numbers, mask registers, or constants in memory
    value: Any
    lanes: Any  # the machine's lanes
    tied: int | None  # the operand that is in dst


@dataclass(frozen=True)
class InstructionRow:
    """An operation that is one instruction (or a few that need no register beside dst).

    ties     operands, best first, one of which must be in dst; () if dst is free
    memory   operands that may be constants in memory, one of them at a time
    mask     whether the result goes to a mask register
    early    whether dst is written before all operands are read, so that it needs a register of its own
    instructions  about how many instructions it is
    """

    emit: Callable[[Any, Emission], None]
    ties: tuple[int, ...] = ()
    memory: tuple[int, ...] = ()
    mask: bool = False
    early: bool = False
    instructions: int = 1


LAG, LAST = "lag", "last"
"""Operations that every machine has rows for, of all types of numbers. LAG of (x, fill): the elements of x moved
`value` places up, and below them those of `fill`, which has one value in all lanes. LAST: x's last element in all
lanes."""

Rule = Callable[[Expr], Expr]
"""Rewrites a node that has no row in terms of other operations with the same value."""


class BitStore(NamedTuple):
    """The store of a mask as bits, one for each element, the first element in the lowest bit.

    Several vectors may share a byte. Its bits are collected in a general register, and the byte is stored when it is
    complete or contains the last vector of a row.
    """

    address: Any  # address of the byte that holds the first bit
    mask: Any  # a mask register, or a vector where masks are vectors
    first_bit: int  # position of the vector's first bit within that byte
    lanes: Any  # the machine's lanes
    gathered: Any  # the general register that collects the bits
    last: bool  # whether no later vector shares the byte
    spare: Sequence[int]  # vector registers that the store may destroy


class Iota(NamedTuple):
    """A vector whose element i is 32 bits of a general register, plus `addend`, plus `step` * i.

    An element of 64 bits has its number in the lower half; what the upper half holds does not matter.
    """

    source: Any  # the general register
    first_bit: int = 0  # the lowest of the 32 bits
    addend: int = 0
    step: int = 0  # 0 or 1


class Joined(NamedTuple):
    """Several whole vectors of results that are stored as one."""

    vectors: int
    # (machine, address, the vectors' registers, lanes of each, spare registers); destroys the registers
    store: Callable[..., None]
    narrow_alone: bool = False  # whether the store of a single vector narrows it in one instruction


def _none(*arguments: Any) -> None:
    raise UnsupportedError("this machine has no such verb")


@dataclass(frozen=True)
class Arithmetic(InstructionSelection):
    """The rows and rules of one machine, and how it moves registers and makes constants."""

    rows: Mapping[tuple[str, str], InstructionRow]
    rules: Mapping[tuple[str, str], Rule]
    constant: Callable[[Any, Any, Constant, Any], None]  # (machine, register, constant, lanes)
    move: Callable[[Any, Any, Any, Any], None]
    masks: int = 0  # mask registers; 0: masks are vectors
    further_masks: int = 0  # further mask registers, one less for each count of elements that is part of a register
    tables: int = 0  # entries of an f32 table that one instruction looks up
    fused: Mapping[tuple[bool, bool], str] = field(default_factory=dict)
    """(whether the product is negated, whether the addend is negated) -> the operation for this form of a * b + c."""
    rounds_twice: bool = False
    """Whether a * b + c that may be rounded twice is faster as a product and a sum."""
    combine: Callable[[Sequence[Expr]], tuple[Expr, ...]] = tuple
    """Returns legal expressions with several operations joined where one instruction does them all."""
    loads: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    """(element type, compute type) -> load (machine, register, address, lanes of the compute type)."""
    stores: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    """(element type, compute type) -> store (machine, address, register, lanes, spare registers); may destroy the
    register."""
    wide_loads: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    wide_stores: Mapping[tuple[str, str], Callable[..., None]] = field(default_factory=dict)
    """Like `loads` and `stores`, for element types wider than the compute type. The lanes have at most the element
    count of a register of the wider type."""
    splat: Callable[..., None] = _none
    """(machine, dst, src, bits of an element, lanes of dst): copies the first element of src to all lanes of dst."""
    load_bits: Callable[..., None] = _none
    """(machine, mask, address, first bit, lanes, spare registers): loads a mask from bits in memory."""
    store_bits: Callable[[Any, BitStore], None] = _none
    """(machine, the mask and the destination of its bits)."""
    iota: Callable[[Any, Any, Iota, Any, Any], None] = _none
    """(machine, register, the numbers, lanes, spare registers): sets the elements of a register."""
    running: Callable[[str, str, int], Running | None] = lambda op, dtype, vectors: None
    """(operation, type, vectors of a step) -> the machine's own accumulator state for a reduction, or None."""
    spare: int = 0  # vector registers that loads and stores destroy
    converts: frozenset[tuple[str, str]] = frozenset()
    """(element type, compute type) pairs whose store takes numbers of the compute type and rounds them itself."""
    fast: Arithmetic | None = None
    """The arithmetic for numerics "fast"; None if it does not differ."""
    joined: Mapping[tuple[str, str], Joined] = field(default_factory=dict)
    """(element type, compute type) -> a store of several vectors."""
    joining: Arithmetic | None = None
    """The arithmetic with `joined`. It may have other rules, because instructions that pack several vectors may
    saturate differently."""
    packed: bool = True  # whether loads and stores of other types need lanes of those types

    def __post_init__(self) -> None:
        """Integers of 4 bits are loaded and stored as the bytes that they lie in."""
        for name in ("loads", "stores", "wide_loads", "wide_stores", "joined"):
            known = getattr(self, name)
            bytes_of = {compute: each for (storage, compute), each in known.items() if storage == "u8"}
            more = {(four, compute): each for four in FOUR_BITS for compute, each in bytes_of.items()}
            object.__setattr__(self, name, {**known, **more})

    def load(self, m: Machine, dtype: str, register: Vector, address: Address, lanes: Lanes) -> None:
        """Load elements of a type as numbers of the lanes' type."""
        if dtype == lanes.dtype:
            m.load(register, address, lanes)
        else:
            self.loads[dtype, lanes.dtype](m, register, address, lanes)

    def store(
        self, m: Machine, dtype: str, address: Address, register: Vector, lanes: Lanes, spare: Sequence[Vector]
    ) -> None:
        """Store numbers of the lanes' type as elements of a type; may destroy the register and those of `spare`."""
        if dtype == lanes.dtype:
            m.store(address, register, lanes)
        else:
            self.stores[dtype, lanes.dtype](m, address, register, lanes, spare)

    def broadcast(self, m: Machine, dtype: str, register: Vector, address: Address, lanes: Lanes) -> None:
        """Set every element of a register to one element of memory, as a number of the lanes' type."""
        if dtype == lanes.dtype and dtype in ("f32", "f64"):
            m.broadcast(register, address, lanes)
        else:
            self.load(m, dtype, register, address, m.lanes(lanes.dtype, 1))
            self.splat(m, register, register, 8 * ELEMENT_BYTES[lanes.dtype], lanes)


def stored_together(arithmetic: Arithmetic, stored: str, compute: str, facts: Facts, most: int) -> int:
    """Return how many vectors of results are stored as one; 1 if each is stored alone. At most `most` vectors lie side
    by side."""
    joined = arithmetic.joining.joined.get((stored, compute)) if arithmetic.joining else None
    if joined is None or (joined.narrow_alone and not facts.tuning.eltwise.packs_what_stores_narrow):
        return 1
    return joined.vectors if joined.vectors <= most else 1


@cache
def arithmetic_of(facts: Facts, numerics: str = "exact") -> Arithmetic:
    """The operations available to expressions on the machine that the facts describe."""
    found = facts.arithmetic()
    assert isinstance(found, Arithmetic)
    return found.fast if numerics == "fast" and found.fast is not None else found


def own(op: str, dtype: str, *args: Expr, value: Any = None) -> Expr:
    """Make a node for an operation that only one machine has."""
    return node(op, args, dtype, value)


def key(expr: Expr) -> tuple[str, str]:
    """The key of a node's row and rule."""
    return expr.op, expr.args[-1].dtype if expr.args else expr.dtype


_LEAVES = ("input", "const", "bits", "from_bits")


def legal(outputs: Sequence[Expr], arithmetic: Arithmetic) -> tuple[Expr, ...]:
    """Rewrite the expressions in operations that have rows. Raises UnsupportedError if no rule leads there."""
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
            raise UnsupportedError(
                f"{made.op} of {where[1]} ({what}): this target has no way to compute it; "
                f"f32, f64 and i32 have most operations"
            )
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
    """Turn a * b + c with negated operands into one instruction, if there is one."""
    if expr.op != "fma":
        return expr
    a, b, c = expr.args
    if arithmetic.rounds_twice and expr.value == EITHER:
        return a * b + c
    product = (a.op == "neg") ^ (b.op == "neg")
    a, b = (factor.args[0] if factor.op == "neg" else factor for factor in (a, b))
    for addend in (True, False):
        name = arithmetic.fused.get((product, addend))
        if name is not None and (c.op == "neg") >= addend:
            return node(name, (a, b, c.args[0] if addend else c), expr.dtype)
    return expr


class NativeStep(NamedTuple):
    """A step of the computation: an operation of the machine on earlier steps, given by their numbers.

    `value` is the name of an input, the `Constant` of a constant, or else the operation's immediate data.
    """

    op: str
    type: str
    args: tuple[int, ...]
    value: Any
    mask: bool  # whether the result is true or false for each element


def economical(outputs: Sequence[Expr]) -> list[Expr]:
    """Return every node once, operands first. Of two operands, the one that needs more registers comes first."""
    need: dict[Expr, int] = {}
    for expr in ordered(outputs):
        args = expr.args
        if len(args) < 2:
            need[expr] = max(1, need[args[0]]) if args else int(expr.op != "const")
        else:
            need[expr] = max(1, registers([need[arg] for arg in dict.fromkeys(args)]))
    # If operands have equal needs, the last is computed first: in a * b + c the addend is often the value waited for.
    of_node = need.__getitem__

    def neediest_first(expr: Expr) -> Sequence[Expr]:
        return sorted(expr.args, key=of_node)[::-1] if len(expr.args) > 1 else expr.args

    return ordered(outputs, neediest_first)


def natives(outputs: Sequence[Expr]) -> tuple[list[NativeStep], list[int]]:
    """Convert legal expressions to plain data: the operations, and the numbers of the results. Equal bits are one
    constant."""
    steps: list[NativeStep] = []
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
        steps.append(new(NativeStep, (expr.op, key(expr)[1], args, value, expr.dtype in MASKS)))
    return steps, [number[output] for output in outputs]
