"""Exact integer expressions of the words that a call gives.

A `Number` mirrors what the emulator computes with Python's integers: it is exact, of any size and sign, and nothing
wraps unless the code masks it. Its least and greatest value are known, so a mask that removes nothing disappears, and
so does every part that has one value. If all its words have values in this execution, it has a value, too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping

from ..values import Undecided, place

WORD = (1 << 64) - 1
BYTES, CONSTANT, ADD, SUBTRACT, MULTIPLY, AND, OR, XOR, UP, DOWN, EQUAL, LESS, CHOSEN = (
    "bytes",
    "constant",
    "add",
    "subtract",
    "multiply",
    "and",
    "or",
    "xor",
    "up",
    "down",
    "equal",
    "less",
    "chosen",
)


class Integer:
    """An integer.

    op      what it is; BYTES: the unsigned number whose bytes are those of a table's nodes, the lowest first
    args    numbers; for BYTES the bytes (values.py), for UP and DOWN a number and by how many bits it is shifted
    value   in this execution, or None if a word has none
    """

    __slots__ = ("op", "args", "low", "high", "value")

    def __init__(self, op: str, args: tuple, low: int, high: int, value: int | None) -> None:  # type: ignore[type-arg]
        self.op, self.args, self.low, self.high, self.value = op, args, low, high, value


def constant(value: int) -> Integer:
    """Return a number that is the same in every call."""
    return Integer(CONSTANT, (), value, value, value)


def of_bytes(data: tuple[int, ...], values: Mapping[int, int]) -> Integer:
    """Return the number that bytes of nodes form. `values` holds those that words have in this execution."""
    last = len(data)
    while last and data[last - 1] == -1:
        last -= 1
    if max(data, default=-1) < 0:
        return constant(sum((-1 - byte) << 8 * at for at, byte in enumerate(data)))
    value: int | None = 0
    for at, byte in enumerate(data):
        node, which = place(byte) if byte >= 0 else (0, 0)
        if byte >= 0 and node not in values:
            value = None
            break
        assert value is not None
        value |= (-1 - byte if byte < 0 else values[node] >> 8 * which & 0xFF) << 8 * at
    return Integer(BYTES, data[:last], 0, (1 << 8 * last) - 1, value)


def _made(op: str, function: Callable[[int, int], int], low: int, high: int, a: Integer, b: Integer) -> Integer:
    if low == high:
        return constant(low)
    value = None if a.value is None or b.value is None else function(a.value, b.value)
    return Integer(op, (a, b), low, high, value)


_DEPTH = 3
"""How deep `same` compares: an instruction that clears a register reads it twice, and cuts what it reads."""


def same(a: Integer, b: Integer, depth: int = _DEPTH) -> bool:
    """Whether both are known to be the same number."""
    if a is b:
        return True
    if a.op != b.op or a.low != b.low or a.high != b.high or not depth:
        return False
    if a.op in (BYTES, CONSTANT):
        return a.args == b.args
    return all(same(x, y, depth - 1) if isinstance(x, Integer) else x == y for x, y in zip(a.args, b.args))


def add(a: Integer, b: Integer) -> Integer:
    if b.op == CONSTANT and a.op == ADD and a.args[1].op == CONSTANT:  # (x + c) + d
        return add(a.args[0], constant(a.args[1].low + b.low))
    if a.op == CONSTANT:
        a, b = b, a
    if b.op == CONSTANT and not b.low:
        return a
    return _made(ADD, int.__add__, a.low + b.low, a.high + b.high, a, b)


def subtract(a: Integer, b: Integer) -> Integer:
    if b.op == CONSTANT:
        return add(a, constant(-b.low))
    if same(a, b):
        return constant(0)
    return _made(SUBTRACT, int.__sub__, a.low - b.high, a.high - b.low, a, b)


def multiply(a: Integer, b: Integer) -> Integer:
    if a.op == CONSTANT:
        a, b = b, a
    if b.op == CONSTANT and b.low == 1:
        return a
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _made(MULTIPLY, int.__mul__, min(ends), max(ends), a, b)


def _bits(number: int) -> int:
    """Return all ones of as many bits as a number has that is not negative."""
    return (1 << number.bit_length()) - 1


def both(a: Integer, b: Integer) -> Integer:
    """Return a AND b."""
    if a.op == CONSTANT:
        a, b = b, a
    if b.op != CONSTANT:
        if min(a.low, b.low) < 0:
            raise Undecided("an AND of words of which one may be negative")
        return a if same(a, b) else _made(AND, int.__and__, 0, min(a.high, b.high), a, b)
    mask = b.low
    if mask < 0:
        return subtract(a, both(a, constant(~mask)))
    if not mask & mask + 1 and a.low >= 0 and a.high <= mask:
        return a
    if a.op == AND and a.args[1].op == CONSTANT:
        return both(a.args[0], constant(a.args[1].low & mask))
    if a.op == BYTES and (cut := _cut(a, mask)) is not None:
        return cut
    if a.op in _MODULAR and not mask & mask + 1 and any(_cut_to(each, mask) for each in a.args):
        return both(_MODULAR[a.op](*[each.args[0] if _cut_to(each, mask) else each for each in a.args]), b)
    high = min(mask, _bits(a.high)) if a.low >= 0 else mask
    return _made(AND, int.__and__, 0, high, a, b)


def _cut_to(a: Integer, mask: int) -> bool:
    """Whether a number is one that is cut to some bits, among them all of a mask: what is modulo the mask of it is that
    of the number that is cut. A loop that counts a word up cuts it in each iteration."""
    return a.op == AND and a.args[1].op == CONSTANT and a.args[1].low & mask == mask


_MODULAR = {ADD: add, SUBTRACT: subtract, MULTIPLY: multiply}
"""Operations of which the lowest bits depend on those of the operands only."""


def _cut(a: Integer, mask: int) -> Integer | None:
    """Return the bytes that a mask of whole bytes keeps, or None."""
    kept, value = [], a.value
    for at, byte in enumerate(a.args):
        bits = mask >> 8 * at & 0xFF
        if bits not in (0, 0xFF):
            return None
        kept.append(byte if bits else -1)
    return _of(tuple(kept), None if value is None else value & mask)


def _of(data: tuple[int, ...], value: int | None) -> Integer:
    last = len(data)
    while last and data[last - 1] == -1:
        last -= 1
    if max(data[:last], default=-1) < 0:
        return constant(sum((-1 - byte) << 8 * at for at, byte in enumerate(data)))
    return Integer(BYTES, data[:last], 0, (1 << 8 * last) - 1, value)


def either(a: Integer, b: Integer) -> Integer:
    """Return a OR b."""
    return _without_carry(OR, int.__or__, a, b)


def differing(a: Integer, b: Integer) -> Integer:
    """Return a XOR b."""
    if same(a, b):
        return constant(0)
    for first, second in ((a, b), (b, a)):
        if second.op == CONSTANT and second.low == -1:
            return subtract(constant(-1), first)
    return _without_carry(XOR, int.__xor__, a, b)


def _without_carry(op: str, function: Callable[[int, int], int], a: Integer, b: Integer) -> Integer:
    if a.op == CONSTANT:
        a, b = b, a
    if b.op == CONSTANT and not b.low:
        return a
    if same(a, b):
        return a
    if min(a.low, b.low) < 0:
        raise Undecided("an OR or XOR of words of which one may be negative")
    if a.op == b.op == BYTES and (data := _joined(a.args, b.args)) is not None:
        return _of(data, None if a.value is None or b.value is None else function(a.value, b.value))
    return _made(op, function, 0, max(_bits(a.high), _bits(b.high)), a, b)


def _joined(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the bytes of two numbers no byte of which is in both, or None."""
    size = max(len(a), len(b))
    pairs = zip((*a, *(-1,) * (size - len(a))), (*b, *(-1,) * (size - len(b))))
    found = [x if y == -1 else y if x == -1 else None for x, y in pairs]
    return None if None in found else tuple([each for each in found if each is not None])


def up(a: Integer, by: int) -> Integer:
    """Return a shifted up."""
    if not by or a.op == CONSTANT:
        return constant(a.low << by) if by else a
    if a.op == BYTES and by % 8 == 0:
        return _of((-1,) * (by // 8) + a.args, None if a.value is None else a.value << by)
    return Integer(UP, (a, by), a.low << by, a.high << by, None if a.value is None else a.value << by)


def down(a: Integer, by: int) -> Integer:
    """Return a shifted down, rounded down."""
    low, high = a.low >> by, a.high >> by
    if not by or low == high:
        return constant(low) if by else a
    if a.op == DOWN:
        return down(a.args[0], a.args[1] + by)
    if a.op == UP and a.args[1] >= by:
        return up(a.args[0], a.args[1] - by)
    if a.op == BYTES and by % 8 == 0:
        return _of(a.args[by // 8 :], None if a.value is None else a.value >> by)
    return Integer(DOWN, (a, by), low, high, None if a.value is None else a.value >> by)


def equal(a: Integer, b: Integer) -> Integer:
    """Return 1 if a = b, else 0."""
    if a.high < b.low or b.high < a.low:
        return constant(0)
    if a.low == a.high == b.low == b.high or same(a, b):
        return constant(1)
    for first, second in ((a, b), (b, a)):  # a condition that is compared with true or false
        if second.op == CONSTANT and first.op in (EQUAL, LESS):
            return first if second.low else subtract(constant(1), first)
    return _made(EQUAL, lambda x, y: int(x == y), 0, 1, a, b)


def less(a: Integer, b: Integer) -> Integer:
    """Return 1 if a < b, else 0."""
    if a.high < b.low:
        return constant(1)
    if a.low >= b.high or same(a, b):
        return constant(0)
    return _made(LESS, lambda x, y: int(x < y), 0, 1, a, b)


def chosen(condition: Integer, a: Integer, b: Integer) -> Integer:
    """Return a if a number is not 0, else b."""
    if condition.op == CONSTANT:
        return a if condition.low else b
    of = condition.value
    value = None if of is None or a.value is None or b.value is None else a.value if of else b.value
    return Integer(CHOSEN, (condition, a, b), min(a.low, b.low), max(a.high, b.high), value)


def signed(a: Integer, bits: int) -> Integer:
    """Return an unsigned number of at most `bits` bits as a two's complement number."""
    if a.high < 1 << bits - 1:
        return a
    top = both(down(a, bits - 1), constant(1))
    made = subtract(a, up(top, bits))
    return Integer(made.op, made.args, max(made.low, -(1 << bits - 1)), min(made.high, (1 << bits - 1) - 1), made.value)


def parts(number: Integer) -> tuple[Integer, ...]:
    """Return the numbers that a number is computed from."""
    if number.op in (BYTES, CONSTANT):
        return ()
    return number.args[:1] if number.op in (UP, DOWN) else number.args


def unknown(number: Integer, known: Container[int]) -> Iterator[Integer]:
    """Yield the parts of a number, and then the number, that are not known by their identities: parts before what
    consists of them. The caller makes known what it was given."""
    waiting = [number]
    while waiting:
        missing = [part for part in parts(waiting[-1]) if id(part) not in known]
        if missing:
            waiting += missing
            continue
        each = waiting.pop()
        if id(each) not in known:
            yield each


def leaves(number: Integer) -> frozenset[int]:
    """Return the nodes of the words that a number depends on."""
    found, seen, waiting = set(), set(), [number]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if each.op == BYTES:
            found |= {place(byte)[0] for byte in each.args if byte >= 0}
        waiting += parts(each)
    return frozenset(found)
