"""Compare drawn x86-64 instructions with the bytes of every assembler, and with our own decoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.encoder.draws import TARGET, draws, encoded, llvm_text
from tests.encoder.targets import EVERYTHING
from tests.oracles import gnu, llvm, newer
from tilesmith.encoder.code import Code
from tilesmith.encoder.decode import decode
from tilesmith.encoder.listing import listing
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.forms import X86Form

# Features of Intel ISE 319433-049 and later; binutils 2.40 is of January 2023.
NEWER_THAN_GNU = newer.FEATURES | {"AMX_COMPLEX", "AVX_VNNI_INT16", "RAO_INT", "SHA512", "SM3", "SM4"}


class Case(NamedTuple):
    """A drawn instruction with the bytes that we emit for it."""

    form: X86Form
    operands: tuple[Any, ...]
    data: bytes

    @property
    def text(self) -> str:
        """The instruction in the notation that LLVM needs."""
        return llvm_text(self.form, self.operands, self.data)


def cases_of(forms: Sequence[X86Form], count: int, seed: int = 0) -> list[Case]:
    """Return `count` drawn instructions of each form."""
    return [Case(form, operands, encoded(form, operands)) for form in forms for operands in draws(form, count, seed)]


def disagreements_with_llvm(cases: Sequence[Case]) -> list[str]:
    """Return the cases whose bytes differ from LLVM's and are not another encoding of the same instruction."""
    cases = [case for case in cases if not case.form.features & newer.FEATURES and not llvm.is_wrong(case.text)]
    results = llvm.assemble([case.text for case in cases])
    rejected = [f"{case.text}: {result}" for case, result in zip(cases, results) if isinstance(result, str)]
    different = [
        (case, llvm.plain(result))
        for case, result in zip(cases, results)
        if not isinstance(result, str) and not llvm.equal(case.data, result)
    ]
    ours = llvm.disassemble([case.data for case, _ in different])
    theirs = llvm.disassemble([data for _, data in different])
    return rejected + [
        f"{case.text}: ours {case.data.hex()} = {our}, LLVM {data.hex()} = {their}"
        for (case, data), our, their in zip(different, ours, theirs)
        if llvm.sense(our) != llvm.sense(their) or case.form.mnemonic not in llvm.OTHER_BYTES
    ]


def disagreements_with_newer_llvm(cases: Sequence[Case]) -> list[str]:
    """Return the disagreements with a newer LLVM on instructions that LLVM 19 lacks or encodes wrongly."""
    cases = [case for case in cases if case.form.features & newer.FEATURES or llvm.is_wrong(case.text)]
    return [
        f"{case.text}: ours {case.data.hex()}, newer LLVM {result if isinstance(result, str) else result.hex()}"
        for case, result in zip(cases, newer.assemble([case.text for case in cases]))
        if isinstance(result, str) or not newer.equal(case.data, result)
    ]


def disagreements_with_gnu(cases: Sequence[Case]) -> list[str]:
    """Assemble the listing of all cases as one program with GNU as, and return the first instruction that differs."""
    asm = X86Assembler(EVERYTHING)
    target = asm.here("target")
    for case in cases:
        if not case.form.features & NEWER_THAN_GNU:
            near = asm.here() if case.form.row.operands == "r:rel8" and not case.form.near else target
            operands = (_bound(operand, near) for operand in case.operands)
            getattr(asm, case.form.mnemonic.replace(" ", "_"))(*operands)
    code = asm.finish("every_form")
    made = gnu.assemble(listing(code, "gas"))
    return [] if made == code.data else [_first_difference(code, made)]


def _bound(operand: Any, target: Any) -> Any:
    if operand is TARGET:
        return target
    return operand._with(label=target) if getattr(operand, "label", None) is TARGET else operand


def _first_difference(code: Code, made: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(code.data, made)) if a != b), min(len(code.data), len(made)))
    found = [instruction for instruction in code.instructions if instruction.offset <= at][-1]
    theirs = made[found.offset : found.offset + 16].hex()
    text = found.form.gas(found.operands, found.data)
    return (
        f"{len(made)} bytes, not {len(code.data)}; first at {at:#x}: {text}: ours {found.data.hex()}, GNU {theirs}..."
    )


def disagreements_with_decoder(cases: Sequence[Case]) -> list[str]:
    """Return the cases that do not decode to an instruction with the same bytes; labels count as distance 0."""
    wrong = []
    for case in cases:
        found = decode(case.data + b"\xf4")
        if (
            found is None
            or found.length != len(case.data)
            or _again(found.form, found.operands, case.data) != case.data
        ):
            wrong.append(f"{case.form.syntax()} {case.operands} {case.data.hex()}: decoded {found and found.text}")
    return wrong


def _again(form: Any, operands: tuple[Any, ...], data: bytes) -> bytes:
    if "D" not in form.roles:
        return bytes(form.encode(operands))
    size = 4 if len(data) > 2 else 1
    return data[:-size] + operands[0].to_bytes(size, "little", signed=True)
