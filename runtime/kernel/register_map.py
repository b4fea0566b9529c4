"""The roles of vector registers: what each holds, and in which part of the code, as the kernel claimed them. Code
without roles names the registers that it uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...encoder.code import Code, Role
from ...encoder.x86.registers import R64

_PARTS = ("r64", "r32", "r16", "r8")
_FILES = ("zmm", "ymm", "xmm", "z", "v")


def rows(code: Code) -> list[tuple[str, str, int, int]]:
    """Return (registers, role, first offset, offset behind the last) in the order of the code."""
    held: dict[tuple[int, int, str], set[int | str]] = {}
    for role in sorted(code.roles, key=lambda role: (role.start, -role.end)):
        if role.start < role.end:
            held.setdefault((role.start, role.end, role.name), set()).update(role.numbers)
    return [
        (_shown(code, Role(name, tuple(numbers), start, end)), name, start, end)
        for (start, end, name), numbers in held.items()
    ]


def _shown(code: Code, role: Role) -> str:
    """Return the places of a role: vector registers as ranges, then the others."""
    vectors, named = _names(code, role), sorted(each for each in role.numbers if isinstance(each, str))
    return ", ".join([*([_spans(vectors)] if vectors else []), *named])


def table(code: Code) -> str:
    """Return the rows as text."""
    lines = [f"{start:6x} to {end - 1:<6x} {name:<28} {registers}" for registers, name, start, end in rows(code)]
    return "\n".join(["offsets          role                         registers", *lines]) + "\n"


def used(code: Code) -> str:
    """Return the lines of `used_rows` as text."""
    lines = [f"{first:6x} to {last:<6x} {registers}" for registers, first, last in used_rows(code)]
    return "\n".join(["offsets          registers", *lines]) + "\n"


def used_rows(code: Code) -> list[tuple[str, int, int]]:
    """Return (registers, first offset, last offset) of the registers that the instructions name, general ones too, in
    the order of the code."""
    found: dict[str | int, tuple[int, int]] = {}
    for instruction in code.instructions:
        named: list[str | int] = [number for _, number in _vectors(instruction.operands)]
        for each in [*named, *_general(instruction.operands)]:
            first = found[each][0] if each in found else instruction.offset
            found[each] = first, instruction.offset
    spans: dict[tuple[int, int], list[str | int]] = {}
    for register, span in found.items():
        spans.setdefault(span, []).append(register)
    lines = []
    for (first, last), registers in sorted(spans.items()):
        lines.append((_shown(code, Role("", tuple(registers), first, last + 1)), first, last))
    return lines


def _general(operands: tuple[Any, ...]) -> Iterator[str]:
    """Yield the whole general registers of operands, those of addresses and of parts of registers too, and tiles."""
    for operand in operands:
        for register in (operand, *(getattr(operand, part, None) for part in ("base", "index", "offset", "reg"))):
            file = str(getattr(register, "file", "") or getattr(register, "kind", ""))
            number = getattr(register, "num", 0)
            if file in _PARTS and number < len(R64):
                yield R64[number].name
            elif file in ("x", "w"):
                yield f"x{number}"
            elif file == "tmm":
                yield f"tmm{number}"


def _names(code: Code, role: Role) -> list[str]:
    """Return vector registers by the widest names that the instructions there use, or by the register file's names if
    unused."""
    used: dict[int, str] = {}
    for instruction in code.instructions:
        if role.start <= instruction.offset < role.end:
            for file, number in _vectors(instruction.operands):
                if number not in used or _FILES.index(file) < _FILES.index(used[number]):
                    used[number] = file
    usual = next(iter(used.values()), "zmm" if code.arch == "x86" else "v")
    return [f"{used.get(number, usual)}{number}" for number in role.numbers if isinstance(number, int)]


def _vectors(operands: tuple[Any, ...]) -> Iterator[tuple[str, int]]:
    for operand in operands:
        for register in (operand, getattr(operand, "reg", None), *getattr(operand, "regs", ())):
            name = str(getattr(register, "name", "")).partition(".")[0]
            file = name.rstrip("0123456789")
            if file in ("q", "d", "s", "h", "b") and file != name:
                file = "v"
            if file in _FILES and file != name:
                yield file, int(name.removeprefix(name.rstrip("0123456789")))


def _spans(names: list[str]) -> str:
    """Return neighbouring registers of a file as ranges: zmm0-zmm11, zmm31."""
    parts: list[list[str]] = []
    ordered = sorted(names, key=lambda name: (_file(name), _number(name)))
    for name in ordered:
        last = parts[-1][-1] if parts else ""
        if last and _file(last) == _file(name) and _number(last) + 1 == _number(name):
            parts[-1].append(name)
        else:
            parts.append([name])
    return ", ".join(part[0] if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def _file(name: str) -> str:
    return name.rstrip("0123456789")


def _number(name: str) -> int:
    return int(name.removeprefix(_file(name)))
