"""Operands that are names: conditions, barriers, prefetch hints, patterns, cache operations, system registers.

Source: Arm ARM (DDI 0487) C1.2.4 (conditions), C6.2 (DMB, PRFM, DC, IC), C9.1 (patterns), D24 (system registers).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import EncodeError, shown
from ..operands import integer, name_of
from .registers import Operand


class Named(Operand):
    """An operand that is one of a set of names. `kind` is the set, `num` is its encoding."""

    __slots__ = ()


class Modifier(Operand):
    """A shift or multiplier that is an operand of its own: lsl #16, msl #8, mul #3."""

    __slots__ = ()


def _named(kind: str, names: dict[str, int]) -> dict[str, Named]:
    return {name: Named(name, kind, num) for name, num in names.items()}


_MODIFIERS = {
    (op, amount): Modifier(f"{op} #{amount}", op, amount)
    for op, amounts in (("lsl", range(64)), ("msl", (8, 16)), ("mul", range(1, 17)))
    for amount in amounts
}


def modifier(op: str, amount: int) -> Modifier:
    """`lsl #16`, `msl #8` or `mul #3` as an operand."""
    if type(op) is not str or type(amount) is not int:
        op = name_of(op, "modifier")
        amount = integer(amount, op)
    found = _MODIFIERS.get((op, amount))
    if found is None:
        raise EncodeError(f"{op} #{shown(amount)}: lsl #0 to #63, msl #8, msl #16, or mul #1 to #16")
    return found


def lsl(amount: int) -> Modifier:
    """A left shift as the last operand: `movk(x0, 5, lsl(16))`."""
    return modifier("lsl", amount)


def msl(amount: int) -> Modifier:
    """A left shift that shifts in ones (movi, mvni)."""
    return modifier("msl", amount)


def mul(amount: int) -> Modifier:
    """A multiplier: `incb(x0, PATTERNS["all"], mul(2))`."""
    return modifier("mul", amount)


_CONDITION_NAMES = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv")
CONDITIONS = _named("cond", {name: num for num, name in enumerate(_CONDITION_NAMES)})
CONDITIONS |= {"cs": CONDITIONS["hs"], "cc": CONDITIONS["lo"]}
EQ, NE, HS, LO, MI, PL, VS, VC, HI, LS, GE, LT, GT, LE, AL, NV = (CONDITIONS[name] for name in _CONDITION_NAMES)

BARRIERS = _named(
    "barrier",
    {
        "sy": 15,
        "st": 14,
        "ld": 13,
        "ish": 11,
        "ishst": 10,
        "ishld": 9,
        "nsh": 7,
        "nshst": 6,
        "nshld": 5,
        "osh": 3,
        "oshst": 2,
        "oshld": 1,
    },
)

# prfm: type (pld, pli, pst) : level : policy (keep, strm). SVE prefetches have no pli and one bit less.
PREFETCHES = _named(
    "prfop",
    {
        f"{type_}l{level}{policy}": t << 3 | level - 1 << 1 | p
        for t, type_ in enumerate(("pld", "pli", "pst"))
        for level in (1, 2, 3)
        for p, policy in enumerate(("keep", "strm"))
    },
)

PATTERNS = _named(
    "pattern",
    {
        "pow2": 0,
        **{f"vl{n}": n for n in range(1, 9)},
        **{f"vl{16 << n}": 9 + n for n in range(5)},
        "mul4": 29,
        "mul3": 30,
        "all": 31,
    },
)

COUNTER_LENGTHS = _named("vlx", {"vlx2": 0, "vlx4": 1})
STREAMING = _named("svcr", {"sm": 1, "za": 2})  # operands of smstart and smstop; without an operand they switch both

# op1:CRm:op2 of SYS with CRn 7
DATA_CACHE = _named("dc", {"ivac": 0x031, "cvac": 0x1D1, "cvau": 0x1D9, "civac": 0x1F1, "zva": 0x1A1})
INSTRUCTION_CACHE = _named("ic", {"ivau": 0x1A9})
BRANCH_TARGETS = _named("bti", {"c": 1, "j": 2, "jc": 3})


def system_register(op0: int, op1: int, crn: int, crm: int, op2: int) -> Named:
    """A system register by its numbers, S<op0>_<op1>_C<n>_C<m>_<op2>, or by its name if it is one of those below."""
    numbers = [integer(part, "number of a system register") for part in (op0, op1, crn, crm, op2)]
    name = "S{}_{}_C{}_C{}_{}".format(*map(shown, numbers))
    if not all(0 <= part <= limit for part, limit in zip(numbers, (3, 7, 15, 15, 7))) or numbers[0] < 2:
        raise EncodeError(f"{name} is no system register: op0 2, 3; op1, op2 to 7; C to 15")
    return _system_register(numbers, name)


def _system_register(numbers: Sequence[int], name: str) -> Named:
    """Return the register with these numbers, made once, under the name that it first had. Architectural names come
    first."""
    op0, op1, crn, crm, op2 = numbers
    num = (op0 & 1) << 14 | op1 << 11 | crn << 7 | crm << 3 | op2
    found = _SYSTEM.get(num)
    if found is None:
        found = _SYSTEM[num] = Named(name, "sysreg", num)
    return found


_SYSTEM: dict[int, Named] = {}
SYSTEM_REGISTERS = {
    name: _system_register((3, *numbers), name)
    for name, numbers in {
        "midr_el1": (0, 0, 0, 0),
        "mpidr_el1": (0, 0, 0, 5),
        "id_aa64pfr0_el1": (0, 0, 4, 0),
        "id_aa64pfr1_el1": (0, 0, 4, 1),
        "id_aa64zfr0_el1": (0, 0, 4, 4),
        "id_aa64smfr0_el1": (0, 0, 4, 5),
        "id_aa64isar0_el1": (0, 0, 6, 0),
        "id_aa64isar1_el1": (0, 0, 6, 1),
        "id_aa64isar2_el1": (0, 0, 6, 2),
        "ctr_el0": (3, 0, 0, 1),
        "dczid_el0": (3, 0, 0, 7),
        "rndr": (3, 2, 4, 0),
        "rndrrs": (3, 2, 4, 1),
        "nzcv": (3, 4, 2, 0),
        "daif": (3, 4, 2, 1),
        "svcr": (3, 4, 2, 2),
        "dit": (3, 4, 2, 5),
        "ssbs": (3, 4, 2, 6),
        "fpcr": (3, 4, 4, 0),
        "fpsr": (3, 4, 4, 1),
        "fpmr": (3, 4, 4, 2),
        "pmccntr_el0": (3, 9, 13, 0),
        "tpidr_el0": (3, 13, 0, 2),
        "tpidrro_el0": (3, 13, 0, 3),
        "tpidr2_el0": (3, 13, 0, 5),
        "cntfrq_el0": (3, 14, 0, 0),
        "cntpct_el0": (3, 14, 0, 1),
        "cntvct_el0": (3, 14, 0, 2),
    }.items()
}
"""The system registers that a program in user mode may need, by name."""
READ_ONLY = frozenset(
    operand
    for name, operand in SYSTEM_REGISTERS.items()
    if name.startswith(("midr", "mpidr", "id_", "ctr", "dczid", "rndr", "cntpct", "cntvct"))
)

_TABLES = {
    "cond": "CONDITIONS",
    "barrier": "BARRIERS",
    "prfop": "PREFETCHES",
    "pattern": "PATTERNS",
    "vlx": "COUNTER_LENGTHS",
    "svcr": "STREAMING",
    "dc": "DATA_CACHE",
    "ic": "INSTRUCTION_CACHE",
    "bti": "BRANCH_TARGETS",
    "sysreg": "SYSTEM_REGISTERS",
}
"""The dictionary of each kind of name."""


def named_hint(names: Iterable[Named], text: str) -> str:
    """Return what a program writes for one of these names, which it gave as a string; empty if it is none of them."""
    found = next((each for each in names if text == each.name), None)
    return f'; write {_TABLES[found.kind]}["{text}"] of tilesmith.a64' if found else ""
