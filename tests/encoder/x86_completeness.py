"""Find instructions that assemblers accept and the table does not, and the reverse, by mnemonic and shape.

The table must encode whatever an assembler encodes, in no more bytes, or it must have the same instruction with
operands in another notation (pextrw rdi, xmm1, 3 is pextrw edi, xmm1, 3). An assembler must accept whatever the table
accepts. The assembler is LLVM 19, or a newer one for mnemonics that have newer forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.encoder.x86_shapes import Shape, neighbours, shapes_of_form
from tests.oracles import llvm, newer
from tilesmith.encoder.decode import decode
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import Mem, StaticRounding

Forms = Callable[[str], Sequence[X86Form]]
"""The forms of a mnemonic: those of the table, or of a mutant of it."""
Candidates = Callable[[Sequence[X86Form]], Sequence[Shape]]

# Instructions that an assembler accepts and the table leaves out on purpose: mnemonic, operands, and the reason.
LEFT_OUT = {
    r"(push|pop) (di|word ptr .*)": "16 bits on the stack: no kernel wants them, and push(ptr[...]) would be ambiguous",
    r"(jmp|call) (byte|word|dword|xmmword) ptr .*": "far, through a selector; LLVM takes any size for one",
    r"bextr .*, \d+": "TBM, of AMD's processors before Zen only",
    r"umonitor edi": "an address of 32 bits, which costs a prefix byte and saves nothing",
    r"vmovw (rdi, xmm.*|xmm.*, rsi)": "W1, which does what W0 does: vmovw edi, xmm2",
    r"rep\w* (movs|cmps)d .+": "the SSE instruction of that name behind a prefix without a meaning",
    r"lock .*\b(di|edi|rdi|dil|ax|eax|rax|al)\b( ?,.*)?": "no memory is written: the processor raises #UD",
}
_LEFT_OUT = re.compile("|".join(f"({pattern})" for pattern in LEFT_OUT))


def of_table(mnemonic: str) -> Sequence[X86Form]:
    """Return the forms that the table has."""
    return TABLE.forms(mnemonic) if mnemonic in TABLE else []  # type: ignore[return-value]


class Question(NamedTuple):
    """A line for an assembler, and its answer."""

    mnemonic: str
    shape: Shape
    answer: bytes | None  # None: it rejects the line

    @property
    def text(self) -> str:
        """The text of the line."""
        return line(self.mnemonic, self.shape)


def line(mnemonic: str, shape: Shape) -> str:
    """Return an instruction as text for the assemblers."""
    return f"{mnemonic} {shape.text}".strip()


def newer_mnemonics() -> set[str]:
    """Return the mnemonics that have forms which LLVM 19 does not know."""
    return {name for name in TABLE for form in of_table(name) if form.features & newer.FEATURES}


def asked(lines: Iterable[tuple[str, Shape]]) -> list[Question]:
    """Return the lines with the assemblers' answers."""
    young_ones = newer_mnemonics()
    old: list[tuple[str, Shape]] = []
    young: list[tuple[str, Shape]] = []
    for mnemonic, shape in lines:
        if "gather" in mnemonic or "scatter" in mnemonic or not any(_is_gather(o) for o in shape.operands):
            (young if mnemonic in young_ones else old).append((mnemonic, shape))
    questions = []
    if old:
        found = llvm.attempts([line(*each) for each in old])
        questions += [
            Question(*each, answer[0] if isinstance(answer, list) and len(answer) == 1 else None)
            for each, answer in zip(old, found)
        ]
    if young:
        slots = newer.assemble([line(*each) for each in young])
        questions += [Question(*each, _only(slot)) for each, slot in zip(young, slots)]
    return questions


def _is_gather(operand: Any) -> bool:
    return isinstance(operand, Mem) and operand.index is not None and operand.index.file != "r64"


def _only(slot: bytes | str) -> bytes | None:
    """Return the instruction of a slot without the nops after it."""
    return None if isinstance(slot, str) else slot.rstrip(b"\x90")


def faults(mnemonics: Iterable[str], forms_of: Forms = of_table, candidates: Candidates = neighbours) -> list[str]:
    """Return the disagreements between the assemblers and the forms of these mnemonics.

    `candidates` returns the shapes to try, given the forms: `neighbours`, or the whole universe.
    """
    names = list(mnemonics)
    lines = [(name, shape) for name in names for shape in candidates(forms_of(name))]
    own = {(name, s.text) for name in names for form in forms_of(name) for s in shapes_of_form(form)}
    taken = [each for each in asked(lines) if each.answer or (each.mnemonic, each.shape.text) in own]
    masked = asked(each for question in taken if question.shape.maskable for each in _masked(question))
    return [fault for question in (*taken, *masked) for fault in _faults(question, forms_of)]


def _masked(question: Question) -> Iterator[tuple[str, Shape]]:
    yield question.mnemonic, question.shape.under(regs.K[1])
    if not isinstance(question.shape.operands[0], Mem):
        yield question.mnemonic, question.shape.under(regs.K[1], zeroing=True)


def _fitting(question: Question, forms_of: Forms) -> X86Form | None:
    return next((form for form in forms_of(question.mnemonic) if form.accepts(question.shape.operands)), None)


def _faults(question: Question, forms_of: Forms) -> Iterator[str]:
    form, shape, answer = _fitting(question, forms_of), question.shape, question.answer
    if form is None:
        left_out = _LEFT_OUT.fullmatch(question.text) or not answer or _is_apx(question)
        if answer and not left_out and not _otherwise(question, forms_of):
            yield f"{question.text}: an assembler makes {answer.hex(' ')} of it, and no form takes it"
        return
    if "D" in form.roles and isinstance(shape.operands[0], int) or _leaves_size_open(shape, form):
        return  # assemblers take addresses, we take distances; and they may guess another size
    if answer is None:
        yield f"{question.text}: no assembler takes it, {form.syntax()} does"
    elif "D" not in form.roles and len(form.encode(shape.operands)) > len(answer):
        yield f"{question.text}: {form.encode(shape.operands).hex(' ')}, an assembler makes {answer.hex(' ')}"


def _leaves_size_open(shape: Shape, form: X86Form) -> bool:
    memory = zip(form.classes, (operand for operand in shape.operands if not isinstance(operand, StaticRounding)))
    return any(isinstance(operand, Mem) and not operand.size and wanted.size for wanted, operand in memory)


def _is_apx(question: Question) -> bool:
    """Whether it is APX, which the table leaves out: an EVEX prefix and no vector register."""
    assert question.answer is not None
    return question.answer[0] == 0x62 and not re.search(r"[xyz]mm\d", question.text)


def _otherwise(question: Question, forms_of: Forms) -> bool:
    """Whether the bytes are an instruction of our table whose operands or mnemonic are written in another way."""
    assert question.answer is not None
    found = decode(question.answer)
    if found is None or found.length != len(question.answer):
        return False
    same = found.form.mnemonic == question.mnemonic and repr(found.operands) == repr(question.shape.operands)
    return not same and any(form.accepts(found.operands) for form in forms_of(found.form.mnemonic))
