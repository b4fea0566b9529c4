"""Registers and operands of AArch64. Each is made once, so equal operands are one object, and prints as Arm assembly.

X[0] W[0] xzr wzr sp wsp              general registers; X[1].lsl(3), W[1].sxtw(2) shifted and extended
B[0] H[0] S[0] D[0] Q[0]              scalar floating point and vectors as a whole
V[0].s4 V[0].b16 V[0].d2              NEON arrangements: v0.4s, v0.16b, v0.2d
V[0].s[1] V[0].b4[1]                  elements: v0.s[1], v0.4b[1]
Z[0] Z[0].s Z[0].s[1]                 SVE vectors: z0, z0.s, z0.s[1]
P[0] P[0].m P[0].z P[0].s PN[8].z     predicates: p0, p0/m, p0/z, p0.s, pn8/z
listed(V[0].s4, V[1].s4)              register lists { v0.4s, v1.4s }; listed(V[0].s)[1] is { v0.s }[1]
mem[X[0], 16] mem[X[0], 16].pre       [x0, #16], [x0, #16]!; mem[X[0]].post(16) is [x0], #16
mem[X[0], X[1].lsl(3)]                register offsets; mem[X[0], 2 * vl] is [x0, #2, mul vl]
mem[X[0], Z[1].s.uxtw(2)]             gathers: [x0, z1.s, uxtw #2]; mem[Z[1].d, 8] is [z1.d, #8]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ..errors import EncodeError, shown
from ..operands import integer, number
from .operand import ELEMENT_BITS as ELEMENT_BITS
from .operand import EXTENDS as EXTENDS
from .operand import SHIFTS as SHIFTS
from .operand import Element as Element
from .operand import General as General
from .operand import Indexable, Shiftable, all_are, one_of
from .operand import Operand as Operand
from .operand import Shifted as Shifted
from .operand import parts as parts

_ARRANGEMENTS = ("8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d", "1q", "4b", "2h", "b", "h", "s", "d")


class View(Indexable, Shiftable):
    """A vector or predicate register seen as elements: v0.4s, z0.d, p0.b. `arrangement` is the text behind the dot."""

    __slots__ = ("reg", "arrangement")

    def __init__(self, reg: Operand, arrangement: str) -> None:
        super().__init__(f"{reg.name}.{arrangement}", f"{reg.kind}.{arrangement}", reg.num)
        self.reg, self.arrangement = reg, arrangement


class PredicateView(View):
    """A predicate as elements. `p1.s[w12, 3]` selects an element by a register."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, tuple):
            return _slice(self, "[w]", place)
        return super().__getitem__(place)


_V = TypeVar("_V", bound=Operand)


class _As(Generic[_V]):
    """An attribute that views its register in an arrangement, made on first use: `s4 = _As("4s", View)`."""

    def __init__(self, arrangement: str, view: Callable[[Any, str], _V]) -> None:
        self.arrangement, self.view = arrangement, view

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, reg: Any, owner: type | None = None) -> _V:
        view: _V = reg._once(self.arrangement, lambda: self.view(reg, self.arrangement))
        reg.__dict__[self.name] = view  # later look-ups find it before this descriptor
        return view


class Governing(Operand):
    """A predicate that governs: p0/m, p0/z."""

    __slots__ = ("reg", "mode")

    def __init__(self, reg: Operand, mode: str) -> None:
        super().__init__(f"{reg.name}/{mode}", f"{reg.kind}/{mode}", reg.num)
        self.reg, self.mode = reg, mode


class Vector(Operand):
    """A NEON vector register."""

    b8, b16, h4, h8 = _As("8b", View), _As("16b", View), _As("4h", View), _As("8h", View)
    s2, s4, d1, d2, q1 = _As("2s", View), _As("4s", View), _As("1d", View), _As("2d", View), _As("1q", View)
    b, h, s, d = _As("b", View), _As("h", View), _As("s", View), _As("d", View)
    b4, h2 = _As("4b", View), _As("2h", View)

    def view(self, arrangement: str) -> View:
        """The register in an arrangement, named as in assembly: "4s"."""
        found: View = self._once(one_of(_ARRANGEMENTS, arrangement, "an arrangement"), lambda: View(self, arrangement))
        return found


class Scalable(Indexable):
    """An SVE vector register."""

    b, h, s, d, q = _As("b", View), _As("h", View), _As("s", View), _As("d", View), _As("q", View)

    def view(self, arrangement: str) -> View:
        """The register as elements "b", "h", "s", "d" or "q"."""
        found: View = self._once(one_of(ELEMENT_BITS, arrangement, "an element"), lambda: View(self, arrangement))
        return found


class Predicate(Indexable):
    """An SVE predicate p0..p15, or a predicate as counter pn0..pn15."""

    b, h, s, d = _As("b", PredicateView), _As("h", PredicateView), _As("s", PredicateView), _As("d", PredicateView)
    m = _As("m", Governing)
    """Governing, merging: inactive elements are unchanged."""
    z = _As("z", Governing)
    """Governing, zeroing: inactive elements become zero."""

    def view(self, arrangement: str) -> PredicateView:
        """The predicate for elements "b", "h", "s" or "d"."""
        element = one_of(ELEMENT_BITS, arrangement, "an element")
        found: PredicateView = self._once(element, lambda: PredicateView(self, element))
        return found


X: tuple[General, ...] = tuple(General(f"x{i}", "x", i) for i in range(31))
W: tuple[General, ...] = tuple(General(f"w{i}", "w", i) for i in range(31))
xzr, wzr, sp, wsp = (General(name, name, 31) for name in ("xzr", "wzr", "sp", "wsp"))
B, H, S, D, Q = (tuple(Operand(f"{f}{i}", f, i) for i in range(32)) for f in "bhsdq")
V: tuple[Vector, ...] = tuple(Vector(f"v{i}", "v", i) for i in range(32))
Z: tuple[Scalable, ...] = tuple(Scalable(f"z{i}", "z", i) for i in range(32))
P: tuple[Predicate, ...] = tuple(Predicate(f"p{i}", "p", i) for i in range(16))
PN: tuple[Predicate, ...] = tuple(Predicate(f"pn{i}", "pn", i) for i in range(16))

_lists: dict[tuple[Operand, ...], RegList] = {}
_memory: dict[tuple[Operand, int | Operand, str], Mem] = {}
_brackets: dict[Any, Mem] = {}  # keyed by the contents of the brackets


class RegList(Indexable):
    """Registers in braces."""

    __slots__ = ("regs", "stride")

    def __init__(self, regs: tuple[Operand, ...]) -> None:
        steps = {(b.num - a.num) % 32 for a, b in zip(regs, regs[1:])} or {1}
        if not regs or len({reg.kind for reg in regs}) != 1 or len(steps) != 1:
            raise EncodeError(f"{', '.join(map(repr, regs))}: a list has registers of one kind at equal distances")
        self.regs, self.stride = regs, steps.pop()
        step = f"%{self.stride}" if self.stride != 1 else ""
        names = ", ".join(reg.name for reg in regs)
        super().__init__(f"{{ {names} }}", f"{{{regs[0].kind}*{len(regs)}{step}}}", regs[0].num)


def listed(*regs: Operand) -> RegList:
    """Return the list of registers { v0.4s, v1.4s }, made once."""
    try:
        found = _lists.get(regs)
    except Exception:  # an argument that cannot be looked up is not a register
        found = None
    if found is None:
        all_are(Operand, regs, "register")
        found = RegList(regs)
        if found.lasts:
            _lists[regs] = found
    return found


class TileList(Operand):
    """Tiles in braces, the operand of `zero`."""

    __slots__ = ("regs",)

    def __init__(self, regs: tuple[Tile, ...]) -> None:
        super().__init__(f"{{{', '.join(tile.name for tile in regs)}}}", "{tiles}", 0)
        self.regs = regs


_tiles: dict[tuple[Operand, ...], TileList] = {}


def tiles(*those: Tile) -> TileList:
    """Return the list of tiles {za0.d, za3.d}, made once."""
    all_are(Tile, those, "tile")
    found = _tiles.get(those)
    if found is None:
        found = _tiles[those] = TileList(those)
    return found


class _Multiple(Operand):
    """A number of vector lengths: `3 * vl`."""

    __slots__ = ()

    def __init__(self, count: int) -> None:
        super().__init__(f"#{shown(count)}, mul vl", "vl", count)

    def __rmul__(self, count: int) -> _Multiple:
        product = (count if type(count) is int else integer(count, "number of vector lengths")) * self.num
        found: _Multiple = vl._once(product, lambda: _Multiple(product))
        return found


vl = _Multiple(1)
"""The length of a vector register in bytes: `mem[x0, -2 * vl]`."""


class Mem(Operand):
    """A memory operand. `offset` is an integer, a register, or a multiple of the vector length."""

    __slots__ = ("base", "offset", "mode")

    def __init__(self, base: Operand, offset: Any = 0, mode: str = "") -> None:
        self.base, self.offset, self.mode = base, offset, mode  # mode: "", "!" (pre) or "," (post)
        distance = f"#{shown(offset)}" if isinstance(offset, int) else repr(offset)
        what = "#" if isinstance(offset, int) else offset.kind
        first = "x" if base.kind == "sp" else base.kind
        if mode == ",":
            super().__init__(f"[{base}], {distance}", f"[{first}],{what}", 0)
        elif isinstance(offset, int) and offset == 0 and not mode:
            super().__init__(f"[{base}]", f"[{first}]", 0)
        else:
            super().__init__(f"[{base}, {distance}]{mode}", f"[{first},{what}]{mode}", 0)

    @property
    def pre(self) -> Mem:
        """The operand with the offset added to the base before the access."""
        if self.mode:
            raise EncodeError(f"{self}: a pre-index starts from a base and an offset alone")
        return _mem(self.base, self.offset, "!")

    def post(self, offset: int | Operand) -> Mem:
        """The operand with `offset` added to the base after the access."""
        if self.mode or self.offset != 0:
            raise EncodeError(f"{self}: a post-index starts from the base alone")
        return _mem(self.base, offset, ",")


def _mem(base: Operand, offset: Any, mode: str) -> Mem:
    try:
        found = _memory.get((base, offset, mode))
        if found is not None and type(found.offset) is type(offset):
            return found
    except Exception:  # arguments that cannot be looked up are named below
        pass
    if isinstance(offset, _Multiple) and offset.num == 0:
        offset = 0
    exact = number(offset)
    if not isinstance(base, Operand) or not (type(exact) is int or isinstance(exact, Operand)):
        what = f"[{shown(base)}, {shown(offset)}]"
        raise EncodeError(f"{what}: an address is a base register, alone or with an integer or a register as offset")
    key = base, exact, mode
    found = _memory.get(key)
    if found is None:
        found = Mem(base, exact, mode)
        if base.lasts and (not isinstance(exact, Operand) or exact.lasts):
            _memory[key] = found
    return found


class _Brackets:
    """`mem[base]`, `mem[base, offset]`."""

    def __getitem__(self, place: Any) -> Mem:
        if type(place) is tuple:
            try:
                found = _brackets.get(place)
                if found is not None and type(place[1]) is type(found.offset):
                    return found
                base, offset = place
            except Exception:  # neither a pair nor a key: not an address
                raise EncodeError(
                    f"[{shown(place)}]: an address is a base register, alone or with an integer or a register as offset"
                ) from None
            found = _mem(base, offset, "")
            if type(offset) is type(found.offset) and (base, found.offset, "") in _memory:
                _brackets[place] = found
            return found
        if not isinstance(place, Operand):
            return _mem(place, 0, "")
        alone: Mem | None = place._made.get("[]")
        if alone is None:
            alone = place._made["[]"] = _mem(place, 0, "")
        return alone


mem = _Brackets()


class Slice(Operand):
    """Elements selected by a register and an offset: za0h.s[w12, 1], za.d[w8, 0:1, vgx2], p1.s[w12, 3]."""

    __slots__ = ("index", "first", "last", "group")

    def __init__(self, head: str, kind: str, num: int, index: Operand, offset: int | slice, group: int = 0) -> None:
        first, last = (offset.start, offset.stop) if isinstance(offset, slice) else (offset, offset)
        self.index, self.first, self.last, self.group = index, first, last, group
        span = f"{shown(first)}:{shown(last)}" if isinstance(offset, slice) else shown(first)
        tail = f", vgx{shown(group)}]" if group else "]"
        marks = f":{shown(last - first)}" if isinstance(offset, slice) else ""
        marks += f"x{shown(group)}" if group else ""
        super().__init__(f"{head}{index}, {span}{tail}", kind + marks, num)


def _slice(of: Operand, kind: str, place: Any) -> Slice:
    """The elements of an operand that a register, an offset or a range of offsets, and a number of vectors select."""
    if not isinstance(place, tuple) or len(place) not in (2, 3):
        raise EncodeError(f"{of}[{shown(place)}]: elements are selected by a register and an offset")
    index, offset, group = (*place, 0)[:3]
    if not isinstance(index, Operand):
        raise EncodeError(f"{of}[{shown(index)}, ...]: elements are selected by a register and an offset")
    if isinstance(offset, slice):
        if offset.step is not None:
            raise EncodeError(f"{of}[{shown(place)}]: a range of offsets has no step")
        first, last = integer(offset.start, f"{of}: offset"), integer(offset.stop, f"{of}: offset")
        chosen: int | slice = slice(first, last)
        key: Any = index, (first, last), integer(group, f"{of}: group")
    else:
        chosen = integer(offset, f"{of}: offset")
        key = index, chosen, integer(group, f"{of}: group")
    found: Slice = of._once(key, lambda: Slice(f"{of.name}[", of.kind + kind, of.num, index, chosen, key[2]))
    return found


class Sliced(Operand):
    """An operand from which a register and an offset select: `za0h.s`, `za.d`, `za`."""

    __slots__ = ()

    def __getitem__(self, place: tuple[Any, ...]) -> Slice:
        return _slice(self, "[]", place)


class Tile(Operand):
    """A ZA tile za0.s. `ZA[0].s.h[W[12], 1]` is its horizontal slice za0h.s[w12, 1]; `.v` has the vertical ones."""

    __slots__ = ("element",)

    def __init__(self, num: int, element: str) -> None:
        super().__init__(f"za{num}.{element}", f"za.{element}", num)
        self.element = element

    def direction(self, way: str) -> Sliced:
        """The slices "h" or "v"."""
        way = one_of(("h", "v"), way, "a direction")
        make = lambda: Sliced(f"za{self.num}{way}.{self.element}", f"za{way}.{self.element}", self.num)  # noqa: E731
        found: Sliced = self._once(way, make)
        return found

    @property
    def h(self) -> Sliced:
        """Horizontal slices: rows."""
        return self.direction("h")

    @property
    def v(self) -> Sliced:
        """Vertical slices: columns."""
        return self.direction("v")


def _tile(number: Operand, element: str) -> Tile:
    return Tile(number.num, element)


class _TileNumber(Operand):
    """A tile number. The element size determines the number of tiles."""

    def view(self, element: str) -> Tile:
        """The tile of elements "b", "h", "s", "d" or "q"."""
        found: Tile = self._once(one_of(ELEMENT_BITS, element, "an element"), lambda: Tile(self.num, element))
        return found

    b, h, s, d, q = (_As("b", _tile), _As("h", _tile), _As("s", _tile), _As("d", _tile), _As("q", _tile))


def _vectors(array: Operand, element: str) -> Sliced:
    return Sliced(f"za.{element}", f"zaarray.{element}", 0)


class _Array(Sliced):
    """The ZA array: `za[W[12], 0]`; `za.s[W[8], 0, 2]` is za.s[w8, 0, vgx2]; `za.s[W[8], 0:1]` is a pair."""

    def view(self, element: str) -> Sliced:
        """ZA as vectors of elements."""
        found: Sliced = self._once(one_of(ELEMENT_BITS, element, "an element"), lambda: _vectors(self, element))
        return found

    b, h, s, d = _As("b", _vectors), _As("h", _vectors), _As("s", _vectors), _As("d", _vectors)


ZA = tuple(_TileNumber(f"za{i}", "tile", i) for i in range(16))
za = _Array("za", "za", 0)
zt0 = Indexable("zt0", "zt0", 0)
