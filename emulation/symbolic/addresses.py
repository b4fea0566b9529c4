"""Addresses that a call chooses, as symbols: the places where operands, the stack and the code begin, and a number.

    bases = Bases(table, uses)
    bases.add(start, end, ("x",), 4)
    bases.of(start + 16)                 the place of x, and 16

Sums, differences and products with constants are exact wherever the operands lie, modulo 2^64: what a register holds
of addresses is a sum of places with factors, and an offset. What depends on where one operand lies relative to another
one, or on bits of an address that the contract does not promise, raises Undecided: a comparison of two operands, a half
of an address or of a difference, a shift. An access must be to the operand whose place is in its address, once.

An operand begins at a multiple of the alignment of its elements, and nothing more is promised; the stack pointer is a
multiple of 16 at the call. Code may look at the six lowest bits of an address, or need more of the stack's address, as
it can round an address up: `Uses` remembers it, so that the proof executes the code at other places too.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from ..core.faults import CannotRun
from ..core.u64 import WORD
from .values import Table, Undecided
from .words import Word

STACK_PROMISE = 16
LINE = 64
"""No instruction needs a larger alignment. Code that looks at bits of an address below this one is executed at every
place, or at several (runtime/verify/callers/alignment.py)."""
_NEAR = 1 << 16
"""No operand begins below this address, and none ends above 2^63 less this: so far beyond its ends addresses neither
wrap nor are negative."""
_HALF = 1 << 63
_BYTES = 8
_WHOLE_BYTES = (0xFF, 0xFFFF, 0xFFFF_FFFF)
NUMBER = "the address is a number of the code, and where memory lies is the caller's choice"


class Uses:
    """What an execution needs or looks at.

    looked   the names of operands of whose addresses an instruction looks at some bits
    stack    whether one looks at bits of an address on the stack
    needed   the largest alignment that an access to the stack needs
    """

    def __init__(self) -> None:
        self.looked: set[str] = set()
        self.stack = False
        self.needed = 1

    def add(self, other: Uses) -> None:
        """Add what another execution of the same code uses."""
        self.looked |= other.looked
        self.stack = self.stack or other.stack
        self.needed = max(self.needed, other.needed)


class Base:
    """Memory that lies wherever the call chooses: an operand, or several at fixed distances.

    names     the operands in it
    promise   the alignment of its first byte that the contract promises, or the bits of it that are the same in all
              calls
    """

    __slots__ = ("bases", "start", "end", "names", "promise", "alone")

    def __init__(self, bases: Bases, start: int, end: int, names: tuple[str, ...], promise: int) -> None:
        self.bases, self.start, self.end, self.names, self.promise = bases, start, end, names, promise
        self.alone: Terms = ((self, 1),)

    @property
    def name(self) -> str:
        """What messages call it."""
        return " and ".join(dict.fromkeys(each.partition("[")[0] for each in self.names))


Held = Any
"""What a general register holds: an integer, an address, a word that the call gives, data, or a comparison of these."""
Terms = tuple[tuple[Base, int], ...]
"""Places with their factors modulo 2^64, by the order of the places in this execution."""


class Bases:
    """All memory of an execution, and the addresses that have become bytes of nodes."""

    def __init__(self, table: Table, uses: Uses) -> None:
        self.table, self.uses = table, uses
        self.known: dict[tuple[int, ...], Address] = {}
        self._bases: list[Base] = []
        self._starts: list[int] = []
        self._ends: dict[int, int] = {}

    def add(self, start: int, end: int, names: tuple[str, ...], promise: int, one: Base | None = None) -> Base:
        """Add memory, or return what is known to begin there, whose end may now be farther: that of a stack, of which
        calls one after the other have several. `one` is what it lies at a fixed distance from, such as the first matrix
        of a batch."""
        at = bisect_right(self._starts, start)
        if at and self._starts[at - 1] == start:
            known = self._bases[at - 1]
            known.end, self._ends[start] = max(known.end, end), max(self._ends[start], end)
            return known
        made = one or Base(self, start, end, names, promise)
        made.names = tuple(dict.fromkeys((*made.names, *names)))
        made.start, made.end, made.promise = min(made.start, start), max(made.end, end), min(made.promise, promise)
        self._starts.insert(at, start)
        self._ends[start] = end
        self._bases.insert(at, made)
        return made

    def at(self, start: int) -> Base:
        """Return the memory of which a part begins at an address."""
        return self._bases[bisect_right(self._starts, start) - 1]

    def of(self, value: int) -> Address | None:
        """Return the address that a number of a call is: one in an operand, or directly behind it; None for others."""
        at = bisect_right(self._starts, value) - 1
        if at < 0 or value > self._ends[self._starts[at]]:
            return None
        return Address(self._bases[at].alone, value - self._bases[at].start)

    def within(self, start: int, value: int) -> Address:
        """Return an address in the memory that begins at `start`."""
        base = self.at(start)
        return Address(base.alone, value - base.start)

    def end(self) -> None:
        """Forget everything: bases refer to the table and to themselves, and no proof collects such cycles."""
        for base in self._bases:
            base.alone = ()
        self._bases.clear()
        self._starts.clear()
        self.known.clear()

    def data(self, address: Address) -> tuple[int, ...]:
        """Return an address as bytes of a node, which are the address again where they are loaded."""
        key = None
        if isinstance(address.offset, int):
            key = tuple((base.names, factor) for base, factor in address.terms), address.offset & WORD
        table = self.table
        node = None if key is None else table.addresses.get(key)
        if node is None:
            node = int(table.inputs(f"the address of {address.words()}", 1, _BYTES)[0])
            if key is not None:
                table.addresses[key] = node
        data = table.split(node, _BYTES)
        self.known[data] = address
        return data

    def sees(self, address: Address, base: Base) -> None:
        """Remember that an instruction looks at the lowest bits of an address."""
        if base.names == STACK_NAME:
            self.uses.stack = True
        elif base.names != CODE_NAME:
            self.uses.looked |= set(base.names)


STACK_NAME, CODE_NAME = ("the stack",), ("the code",)


class Address(Word):
    """An integer that depends on where operands lie: the sum of the terms and of an offset, modulo 2^64.

    base     the only term, if its factor is 1
    offset   an integer, or one that depends on words that the call gives (given/words.py)
    """

    __slots__ = ("base", "terms", "offset")
    late = True
    """Flags of addresses are found when they are read, as most are not."""
    computes = True

    def __init__(self, terms: Terms, offset: Held) -> None:
        self.terms, self.offset = terms, offset
        self.base = terms[0][0] if len(terms) == 1 and terms[0][1] == 1 else None

    def words(self) -> str:
        """Return the names of the operands whose places are in the address."""
        return " and ".join(dict.fromkeys(base.name for base, _ in self.terms)) or "no operand"

    @property
    def table(self) -> Table:  # type: ignore[override]
        """The table of the execution."""
        return self.terms[0][0].bases.table

    @property
    def data(self) -> tuple[int, ...]:  # type: ignore[override]
        """The bytes."""
        return tuple(self.bytes(_BYTES))

    def bytes(self, size: int) -> list[int]:
        """Return the lowest bytes."""
        if not self.terms:
            value: int = self.offset & WORD
            return [-1 - (value >> 8 * at & 0xFF) for at in range(size)]
        return [*self.terms[0][0].bases.data(self & WORD)[:size], *[-1] * (size - _BYTES)]

    @property
    def key(self) -> object:
        """What tells whether two registers hold the same address."""
        return (self.terms, self.offset) if isinstance(self.offset, int) else id(self)

    def placed(self) -> int:
        """Return the address in this execution."""
        total = sum(base.start * factor for base, factor in self.terms) + int(self.offset)
        return total & WORD

    def _exact(self) -> Held:
        """Return the address as an integer or a word that the call gives, in this execution."""
        assert self.base is not None
        return (self.offset + self.base.start) & WORD

    def settle(self, size: int, at: int) -> int:
        """Return the place of an access in this execution."""
        if self.base is None:
            raise self._refused(f"an access at a sum of the addresses of {self.words()}")
        if isinstance(self.offset, int):
            return self.base.start + self.offset & WORD
        found = self._exact()
        return found if isinstance(found, int) else int(found.address(size, at))

    def require(self, met: Base, verb: str) -> None:
        """Refuse an access that meets other memory than that whose place is in the address."""
        if met is not self.base:
            raise CannotRun(
                f"{verb} other memory by an address that begins at {self.words()}: where operands lie relative to each "
                "other is the caller's choice"
            )

    def _near(self) -> bool:
        """Whether the address is so close to its operand that it neither wraps nor is null, wherever that lies."""
        base, offset = self.base, self.offset
        return base is not None and isinstance(offset, int) and -_NEAR < offset < base.end - base.start + _NEAR

    def _inside(self) -> bool:
        """Whether the address is that of a byte of its operand."""
        base, offset = self.base, self.offset
        return base is not None and isinstance(offset, int) and 0 <= offset < base.end - base.start

    # Sums

    def _with(self, terms: Terms, offset: Held) -> Address:
        return Address(terms, offset)

    def __add__(self, other: Held) -> Held:
        if other.__class__ is int:
            made = Address.__new__(Address)
            made.base, made.terms, made.offset = self.base, self.terms, self.offset + other
            return made
        if isinstance(other, Address):
            return _sum(self, other, 1)
        if isinstance(other, int):
            return Address(self.terms, self.offset + int(other))
        if getattr(other, "computes", False):
            return Address(self.terms, other + self.offset)
        raise self._refused("a sum of an address and data")

    __radd__ = __add__

    def __neg__(self) -> Held:
        return Address(tuple((base, -factor & WORD) for base, factor in self.terms), -self.offset)

    def __sub__(self, other: Held) -> Held:
        if other.__class__ is int:
            return self + -other
        return _sum(self, other, -1) if isinstance(other, Address) else self + -other

    def __rsub__(self, other: Held) -> Held:
        return -self + other

    def __invert__(self) -> Held:
        return -self - 1

    def __mul__(self, other: Held) -> Held:
        if not isinstance(other, int):
            raise self._refused(f"a product with the address of {self.words()}")
        if other == 1:
            return self
        scaled = tuple((base, each) for base, factor in self.terms if (each := factor * other & WORD))
        return Address(scaled, self.offset * int(other))

    __rmul__ = __mul__

    def __lshift__(self, by: Held) -> Held:
        return self * (1 << int(by))

    # Bits

    def __and__(self, other: Held) -> Held:
        if isinstance(other, Address):
            if self.key == other.key:
                return self
            raise self._refused(f"bits of the addresses of {self.words()} and {other.words()} together")
        if not isinstance(other, int):
            raise self._refused(f"bits of the address of {self.words()} and of data together")
        mask, offset = other & WORD, self.offset
        if not self.terms:
            return offset & mask
        if mask == WORD:
            if not isinstance(offset, int) or -_HALF <= offset < _HALF:
                return self
            return Address(self.terms, (offset + _HALF & WORD) - _HALF)
        low = mask & LINE - 1
        if mask == low:
            return self._low() & low if low and self._looks(low) else 0
        if mask - low == WORD - (LINE - 1):
            cleared = LINE - 1 & ~low
            self._looks(cleared)
            return Address(self.terms, offset - (self._low() & cleared))
        if mask in _WHOLE_BYTES:
            return Part(self, mask.bit_length() // 8)
        raise self._refused(
            f"bits of the address of {self.words()}, which tell where it lies: a proof covers code that looks at the "
            f"lowest {LINE.bit_length() - 1} of them"
        )

    __rand__ = __and__

    def _low(self) -> int:
        return self.placed() & LINE - 1

    def _looks(self, bits: int) -> bool:
        """Note that an instruction looks at some of the lowest bits, unless the contract promises what they are."""
        if self.base is None or not isinstance(self.offset, int):
            raise self._refused(f"bits of a sum of addresses of {self.words()}")
        if bits >= self.base.promise:
            self.base.bases.sees(self, self.base)
        return True

    def __mod__(self, other: Held) -> Held:
        if not isinstance(other, int) or other & other - 1:
            raise self._refused(f"a remainder of the address of {self.words()}")
        return self & other - 1

    def __or__(self, other: Held) -> Held:
        if isinstance(other, Address) and self.key == other.key:
            return self
        if isinstance(other, int) and 0 <= other < LINE:
            return self + (other & ~self._low()) if other and self._looks(other) else self
        raise self._refused(f"bits of the address of {self.words()}")

    __ror__ = __or__

    def __xor__(self, other: Held) -> Held:
        if isinstance(other, Address) and self.key == other.key:
            return 0
        if isinstance(other, int) and other in (0, -1, WORD):
            return ~self if other else self
        raise self._refused(f"bits of the address of {self.words()}")

    __rxor__ = __xor__

    def __rshift__(self, by: Held) -> Held:
        if not by:
            return self
        if by >= 8 * _BYTES - 1 and self._near():  # the sign and the carry
            return 0
        raise self._refused(f"a shift of the address of {self.words()}")

    def signed(self, bits: int) -> Held:
        """Return the address as a two's complement number."""
        if bits == 8 * _BYTES and self._near():
            return self
        raise self._refused(f"the sign of the address of {self.words()}")

    # Comparisons

    def __eq__(self, other: Held) -> Held:
        if self is other:
            return True
        if isinstance(other, Address):
            if self.terms == other.terms:
                return (self.offset - other.offset & WORD) == 0
            if self._inside() and other._inside():  # bytes of two operands
                return False
        elif isinstance(other, int) and not other and self._near():
            return False
        raise self._compared(other)

    def __ne__(self, other: Held) -> Held:
        same = self == other
        return not same if isinstance(same, bool) else 1 - same

    def _less(self, other: Held, orequal: bool) -> Held:
        """Whether the address is less than another one, or also if it is equal."""
        if isinstance(other, Address) and self.base is other.base is not None:
            if self._near() and other._near():
                return self.offset < other.offset + orequal
            if not (isinstance(self.offset, int) and isinstance(other.offset, int)):
                one, two = self._exact(), other._exact()
                return one <= two if orequal else one < two
        if isinstance(other, int) and other <= 0 and self._near():
            return False
        raise self._compared(other)

    def __lt__(self, other: Held) -> Held:
        return self._less(other, False)

    def __le__(self, other: Held) -> Held:
        return self._less(other, True)

    def __gt__(self, other: Held) -> Held:
        return _not(self._less(other, True))

    def __ge__(self, other: Held) -> Held:
        return _not(self._less(other, False))

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return bool(self != 0)

    def is_even(self) -> bool:
        """The parity flag of the lowest byte."""
        raise self._refused(f"the parity of the address of {self.words()}")

    def _refuse(self, *given: Held) -> Held:
        raise self._refused(f"arithmetic on the address of {self.words()}")

    __floordiv__ = __rfloordiv__ = __rlshift__ = __rrshift__ = __rmod__ = __index__ = __int__ = __abs__ = _refuse

    def _compared(self, other: Held) -> Undecided:
        if isinstance(other, Address):
            return self._refused(f"the addresses of {self.words()} and {other.words()} are compared")
        return self._refused(f"the address of {self.words()} is compared with a number")

    def _refused(self, what: str) -> Undecided:
        return Undecided(f"{what}: where operands lie is the caller's choice, and a proof holds for every choice")


class Part(Word):
    """The lowest bytes of an address, of which nothing may be computed but a zero."""

    __slots__ = ("address",)

    def __init__(self, address: Address, size: int) -> None:
        super().__init__(tuple(address.bytes(size)), address.table)
        self.address = address

    def _computed(self, what: str) -> Undecided:
        return self.address._refused(f"a part of the address of {self.address.words()} is computed with")


def _not(value: Held) -> Held:
    return not value if isinstance(value, bool) else 1 - value


def _sum(one: Address, other: Address, sign: int) -> Address:
    factors = dict(one.terms)
    for base, factor in other.terms:
        factors[base] = (factors.get(base, 0) + sign * factor) & WORD
    terms = tuple(sorted(((base, each) for base, each in factors.items() if each), key=lambda each: each[0].start))
    offset = other.offset if sign > 0 else -other.offset
    return Address(terms, one.offset + offset)
