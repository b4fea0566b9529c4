"""Check the feature columns of x86-64 with GNU as: it must accept an instruction with a row's features and reject it
without any one of them.

LLVM ignores features when it assembles. GNU as checks them, by `.arch`. Instructions that are too new for GNU as are
compared with the features that the manuals state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tests.encoder.x86_shapes import shapes_of_form
from tests.oracles import gnu
from tilesmith.encoder.features import IMPLIES, closure
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.words import EVEX, VEX

# Our features and their names in GNU as. Every x86-64 processor has those of `BASE`, so they are switched off by name.
ARCH = {
    name: name.lower()
    for name in re.findall(
        r"\w+",
        """
    AVX AVX2 AVX512F AVX512CD AVX512BW AVX512DQ AVX512VL AVX512_VBMI2 AVX512_VNNI AVX512_BITALG
    AVX512_VPOPCNTDQ AVX512_BF16 AVX512_FP16 AVX512_VP2INTERSECT AVX_VNNI AVX_IFMA AVX_NE_CONVERT AVX_VNNI_INT8
    AMX_TILE AMX_INT8 AMX_BF16 AMX_FP16 F16C FMA GFNI VAES VPCLMULQDQ AES SHA SSE SSE2 SSE3 SSSE3 POPCNT LZCNT BMI2
    ADX MOVBE CX16 RDTSCP RDPID RDSEED FSGSBASE FXSR XSAVE XSAVEC XSAVEOPT CLFLUSHOPT CLWB CLDEMOTE PREFETCHWT1
    WAITPKG SERIALIZE MOVDIRI MOVDIR64B RTM CMPCCXADD RAO_INT SHSTK CMOV CLFLUSH""",
    )
} | {
    "SSE4_1": "sse4.1",
    "SSE4_2": "sse4.2",
    "PCLMULQDQ": "pclmul",
    "BMI1": "bmi",
    "AVX512_IFMA": "avx512ifma",
    "AVX512_VBMI": "avx512vbmi",
    "RDRAND": "rdrnd",
    "PREFETCHW": "prfchw",
}
_BARE = (
    ".intel_syntax prefix",
    ".arch generic64",
    ".arch .nosse",
    ".arch .nommx",
    ".arch .no387",
    ".arch .nocmov",
    ".arch .nofxsr",
    ".arch .noclflush",
)

# Instructions that binutils 2.40 does not know or whose features it does not check: encoding and mnemonic, and the
# manual's CPUID column. AVX10.2 is 361050, chapter 16; AMX and MOVRS are ISE 319433-057, chapters 8 and 9; SHA512, SM3,
# SM4 and AVX-VNNI-INT16 ISE 319433-050, chapter 2; CMPXCHG8B, LAHF and SAHF SDM vol. 2A.
MANUAL = {
    r"evex vmovrs[bwdq]": "AVX10_2 MOVRS",
    r"evex vsm4\w+": "AVX10_2 SM4",
    r"evex v\w+": "AVX10_2",
    r"legacy (movrs|prefetchrst2)": "MOVRS",
    r"vex tileloaddrs(t1)?": "AMX_MOVRS",
    r"vex t(dp[bh]h?b?f8ps)": "AMX_FP8",
    r"vex tmmultf32ps": "AMX_TF32",
    r"vex tcmm(im|rl)fp16ps": "AMX_COMPLEX",
    r"evex (tilemovrow|tcvtrow\w+)": "AMX_AVX512",
    r"vex vpdpw(us|uu|su)ds?": "AVX_VNNI_INT16",
    r"vex vsha512\w+": "SHA512",
    r"vex vsm3\w+": "SM3",
    r"vex vsm4\w+": "SM4",
    r"legacy (lock )?cmpxchg8b": "CX8",
    r"legacy [ls]ahf": "LAHF",
    r"legacy endbr64": "",  # a NOP without CET: SDM vol. 2A, ENDBR64
}
# GNU as does not require AVX512VL if only the broadcast shows the vector length.
_LAX = re.compile(r"vfpclassp[sd] k\{k\}, b.*")
_NOT_ASKED = {"CX8", "LAHF"}  # GNU as always accepts their instructions
# Registers get a percent sign: without SSE, xmm1 would be the name of a variable.
_REGISTER = re.compile(rf"\b({'|'.join(regs.REGISTERS)})\b")
_ENCODINGS = {VEX: "vex", EVEX: "evex"}


class Question(NamedTuple):
    """An instruction and a set of features: does GNU as accept it?"""

    form: X86Form
    features: frozenset[str]
    takes: bool  # the answer according to the row


def faults(forms: Iterable[X86Form]) -> list[str]:
    """Return the forms that need other features than their row says."""
    asked = list(forms)
    known = answers([Question(form, frozenset(ARCH), True) for form in asked])
    ours = [form for form, knows in zip(asked, known) if knows and not form.features & _NOT_ASKED]
    questions = [question for form in ours for question in _questions(form)]
    wrong = [_complaint(q) for q, answer in zip(questions, answers(questions)) if answer != q.takes]
    theirs = [form for form, knows in zip(asked, known) if not knows or form.features & _NOT_ASKED]
    return wrong + [fault for form in theirs for fault in _against_manual(form)]


def _questions(form: X86Form) -> Iterator[Question]:
    """Yield a question with the row's features, and one with each feature in turn replaced by what it implies.

    If GNU as has no name for a feature, the first question is asked without features; a known instruction should then
    be accepted.
    """
    yield Question(form, closure(form.features) if form.features <= ARCH.keys() else frozenset(), True)
    for feature in form.features:
        others = closure((form.features - {feature}) | set(IMPLIES.get(feature, ())))
        if feature not in others and not (feature == "AVX512VL" and _LAX.match(form.syntax())):
            yield Question(form, others, False)


def answers(questions: list[Question]) -> list[bool]:
    """Return whether GNU as accepts each instruction with its features; all are assembled in one process."""
    by_features: dict[frozenset[str], list[int]] = {}
    for number, question in enumerate(questions):
        by_features.setdefault(question.features, []).append(number)
    lines: list[str] = []
    places: dict[int, int] = {}
    for features, numbers in by_features.items():
        lines += [*_BARE, *sorted(f".arch .{ARCH[name]}" for name in features & ARCH.keys())]
        for number in numbers:
            places[number] = len(lines)
            lines.append(_text(questions[number].form))
    rejected = gnu.rejected(lines) if lines else []
    return [not rejected[places[number]] for number in range(len(questions))]


def _text(form: X86Form) -> str:
    """Return an instruction of exactly this form, even if its mnemonic has others."""
    shape = next(shapes_of_form(form))
    if form.gathers and form.prefix.encoding == EVEX:
        shape = shape.under(regs.K[1])
    prefix = {VEX: "{vex} ", EVEX: "{evex} "}.get(form.prefix.encoding, "")
    operands = _REGISTER.sub(lambda name: f"%{name[0]}", shape.text)
    text = f"{prefix}{form.mnemonic} {operands}".strip()
    return text.replace("zmmword ptr ", "") if not prefix else text  # movdir64b


def name_of(form: X86Form) -> str:
    """Return the encoding and mnemonic, in the notation of MANUAL."""
    return f"{_ENCODINGS.get(form.prefix.encoding, 'legacy')} {form.mnemonic}"


def _against_manual(form: X86Form) -> Iterator[str]:
    name = name_of(form)
    stated = next((features for pattern, features in MANUAL.items() if re.fullmatch(pattern, name)), None)
    if stated is None:
        yield f"{name}: {form.syntax()}: GNU as does not know it, and no manual is quoted for it"
    elif closure(form.features) != closure(stated.split()):
        yield f"{form.syntax()}: the manual says {stated}"


def _complaint(question: Question) -> str:
    does = "does not take it with" if question.takes else "takes it with no more than"
    features = " ".join(sorted(question.features)) or "none"
    return f"{_text(question.form)}: {question.form.syntax()}: GNU as {does} {features}"
