"""Check the range of every immediate: the numbers at its ends and just outside, and the bytes that assemblers emit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.encoder.x86_completeness import Forms, Question, asked, of_table
from tests.encoder.x86_shapes import Shape, shapes_of_form
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.words import EVEX

# The ends of the signed and unsigned range of each width, and the numbers just outside.
_ENDS = {
    bits: (-half - 1, -half, -1, half - 1, half, 2 * half - 1, 2 * half)
    for bits, half in ((bits, 1 << bits - 1) for bits in (8, 16, 32, 64))
}


def faults(mnemonics: Iterable[str], forms_of: Forms = of_table) -> list[str]:
    """Return the numbers that an assembler accepts and no form does, the reverse, and different bytes."""
    lines = {(name, shape.text): shape for name in mnemonics for shape in _probes(forms_of(name))}
    questions = asked((name, shape) for (name, _), shape in lines.items())
    return [fault for question in questions for fault in _faults(question, forms_of)]


def _probes(forms: Iterable[X86Form]) -> Iterator[Shape]:
    """Yield the shapes of forms with an immediate: one of each size for each row."""
    sizes = set()
    for form in forms:
        places = [i for i, c in enumerate(form.classes) if c.kind in ("signed", "bits")]
        key = form.row, form.prefix.encoding, form.prefix.w, form.prefix.legacy
        if places and not form.control and key not in sizes:
            sizes.add(key)
            low, high = shapes_of_form(form)
            shape = high if form.prefix.encoding == EVEX else low
            for at in places:
                yield from (_with(shape, at, number) for number in _numbers(form, at))


def _numbers(form: X86Form, at: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_ENDS[8] + _ENDS[form.classes[at].size]))


def _with(shape: Shape, at: int, number: int) -> Shape:
    texts = shape.text.split(", ")
    texts[at] = str(number)
    operands = (*shape.operands[:at], number, *shape.operands[at + 1 :])
    return Shape(", ".join(texts), operands, shape.classes)


def _faults(question: Question, forms_of: Forms) -> Iterator[str]:
    operands, answer = question.shape.operands, question.answer
    numbers = [operand for operand in operands if isinstance(operand, int)]
    number = max(numbers, key=abs)
    form = next((form for form in forms_of(question.mnemonic) if form.accepts(operands)), None)
    if form is None:
        if answer is not None and not any(_is_cut(each, answer) for each in numbers):
            yield f"{question.text}: an assembler makes {answer.hex(' ')} of it, and no form takes it"
    elif answer is None:
        yield f"{question.text}: no assembler takes it, {form.syntax()} does"
    elif form.encode(operands) != answer and not (question.mnemonic == "mov" and number >> 63):  # LLVM's -1
        yield f"{question.text}: {form.encode(operands).hex(' ')}, an assembler makes {answer.hex(' ')}"


def _is_cut(number: int, answer: bytes) -> bool:
    """Whether LLVM silently took the low bits of a number that does not fit, as it does in legacy encodings."""
    widths = [bits for bits in _ENDS if (number % (1 << bits)).to_bytes(bits // 8, "little") in answer[1:]]
    return bool(widths) and not -(1 << widths[-1] - 1) <= number < 1 << widths[-1]
