"""Mutants that neither a proof nor a draw decides, each with a written argument why its results are the same.

    argued(name, mutant)        the reason, or None if there is no entry

Each survived the draws of `further.py`. An entry names the place and the changed instruction, so that code that changes
is judged anew. If one argument holds for every instruction of a range, the entry names the range (`SPANS`).
"""

from __future__ import annotations

from tests.side_by_side.bits import Mutant

_BEGINS = "a sum begins with +0, which is exact in every rounding mode"
_WIDER = (
    "+0 is added to a pair of f32 as one f64, which keeps the bits, but for the sign of a zero, which the "
    "summands that follow decide, and the kind of a NaN"
)
_MASKS = "where each byte is all ones or zero, the minimum of unsigned bytes is AND"
_FIRST = (
    "what was summed before the first block, which is the only one, is zero, and what multiplies it (the "
    "correction, or a maximum, sum or constant in its place) is finite, unless powers are NaN too"
)
_QUIET = "a mean of numbers of 16 bits that is a NaN is quiet and ends in 16 zeros: with other bits set it stays a NaN"
_WHOLE = "the operand is a whole number, so nothing is rounded"
_SHIFTED = "all bits from the tenth on are shifted out, and the exponents before that are 51 to 127"
_POSITIVE = "absolute values have no sign bit: unsigned integers have the same order, and ABS of pairs keeps them"
_MASKED = "absolute values have no sign bit: the minimum of each of their bytes and that of 7fffffff is the byte itself"
_BYTE = "the place is below 256, and a predicate of 32-bit elements chooses its lowest byte"

ARGUED_OF: dict[str, dict[str, str]] = {
    "sum of rows f32 3x11 for neon": {
        "0x38.22 fadd v1.2d, v1.2d, v5.2d": _WIDER,
        "0x4c.22 fadd v3.2d, v3.2d, v16.2d": _WIDER,
    },
    "sum of columns f32 5x6 for sve256": {
        "0x24.22 fadd z2.d, z2.d, z3.d": f"{_WIDER}: where all are -0, the request leaves open which zero their sum is",
    },
    "mean of rows bf16 2x5 for avx2": {
        "0xba.35 vbroadcastss ymm9, dword ptr [rip + 169]": _QUIET,
        "0xda.13 vpor xmm11, xmm9, xmm0": _QUIET,
        "0xda.37 vpor xmm15, xmm9, xmm8": _QUIET,
    },
    "mean of rows bf16 2x5 for sse": {"0xe0.10 por xmm5, xmm12": _QUIET},
    "max of rows f32 3x9 for avx2": {
        "0x67.19 vpavgw ymm2, ymm2, ymm4": "the average of zero and all ones has its highest bit set, and vblendvps "
        "looks at no other",
    },
    "absmax of all f32 2x9 for neon": {
        "0x30.2 fabs v2.4s, v6.4s": "the absolute values begin the second maxima instead of entering the first, where "
        "numbers with a sign are below the 0",
        "0x34.2 fabs v3.4s, v7.4s": "the absolute values begin the third maxima instead of entering the second, where "
        "numbers with a sign are below the 0",
        "0x44.12 sabd v2.4s, v2.4s, v7.4s": "the difference from 0 of a number without a sign is that number",
        "0x60.22 fabs v6.2d, v4.2d": _POSITIVE,
        "0x68.22 fabs v6.2d, v5.2d": _POSITIVE,
        "0x7c.29 umax v1.4s, v1.4s, v6.4s": _POSITIVE,
        "0x98.22 fabs v6.2d, v2.2d": _POSITIVE,
    },
    "absmax of all f32 2x9 for sse": {
        "0x7f.24 pminub xmm6, xmm8": _MASKED,
        "0xad.24 pminub xmm4, xmm8": _MASKED,
        "0xc8.24 pminub xmm4, xmm8": _MASKED,
        "0xe5.24 pminub xmm4, xmm8": _MASKED,
        "0xb2.25 pmaxud xmm3, xmm4": _POSITIVE,
        "0xcd.25 pmaxud xmm3, xmm4": _POSITIVE,
        "0xba.16 unpcklps xmm4, xmm2": "only the elements 1 and 3 of the maximum that follows depend on xmm2, and the "
        "last maximum, of the elements 0 and 2, is all that is stored",
    },
    "absmax of all f32 2x9 for avx512": {
        "0x3c.41 vcmpps k6 {k6}, zmm2, zmm0, 7": "zmm0 is the larger magnitude of 0 and zmm2, which is no NaN unless "
        "zmm2 is one, and zmm2 is compared too",
    },
    "argmin of columns f32 4x5 for avx2": {
        "0x9e.16 vpminub ymm6, ymm6, ymm7": _MASKS,
        "0x8e.22 vmaskmovps ymm5, ymm7, ymmword ptr [r11 + 40]": "an element is left out where the extremum was a NaN "
        "before, which stays; elements 5 to 7 are read inside the operand, and nothing stores what becomes of them",
    },
    "argmin of columns f32 4x5 for sse": {"0x13c.24 pminub xmm13, xmm15": _MASKS},
    "argmax of rows f32 2x9 for sse": {
        "0x213.26 pblendvb xmm4, xmm6, xmm0": "comparisons made the mask, so all bytes of an element are equal",
    },
    "brgemm bf16 3x5x4 for avx512_bf16": {
        "0x13.28 vpmovsxwd ymm4, xmm4": "the next instruction shifts out the bits that the extension adds",
    },
    "relu f32 3x5 for avx2": {"0x23.16 vpminub ymm1, ymm1, ymm2": _MASKS},
    "relu f32 of any rows for avx2": {
        "0xc9.16 vpminub ymm1, ymm2, ymm1": _MASKS,
        "0xd9.16 vpminub ymm1, ymm3, ymm1": _MASKS,
        "0x13f.16 vpminub ymm1, ymm1, ymm2": _MASKS,
    },
    "argmin of columns f32 4x5 for sve256": {"0xbc.23 mov z3.b, p8/m, z4.b": _BYTE},
    "argmax of columns i32 4x5 for sve256": {
        "0x6c.23 mov z3.b, p8/m, z4.b": _BYTE,
        "0x84.23 mov z3.b, p8/m, z4.b": _BYTE,
    },
    "scatter by offsets f32 2x3 for avx512": {
        "0x3b.2 sar eax, 119": "nothing reads eax behind it, and no upper half of a register was written",
    },
    "bag f32 3x5 for avx512": {
        "0x75.24 mov r9, qword ptr [rdi + 8*r12]": "only the address of a prefetch is made of it, which never faults",
    },
    "relu and its mask f32 2x9 for neon": {
        "0x90.24 adds x5, xzr, x16": "nothing reads the flags before they are set again",
    },
    "layernorm f32 2x11 for avx512": {
        f"{place} vaddps zmm6, zmm6, zmm9, {{ru-sae}}": _BEGINS
        for place in ("0x41.28", "0x99.28", "0x119.28", "0x173.28")
    },
    "attention f32 1x1x2x2 for avx512": {
        "0x352.24 vmovss dword ptr [r11 + 128], xmm1": _FIRST,
        "0x352.37 vmovss xmm5, dword ptr [r11 + 128]": _FIRST,
        "0x361.34 vfmadd231ps xmm0, xmm2, xmm5": _FIRST,
        "0x3a1.37 vbroadcastss xmm4, dword ptr [rdi]": _FIRST,
    },
    "attention f32 1x2x3x2 with a mask for sve256": {"0x2ac.1 fmad z20.s, p0/m, z20.s, z17.s": _FIRST},
    "attention f32 1x1x2x2 for neon": {
        "0xa8.7 movi v2.2d, #0xff0000": "2^-125 before the first block is rounded off in a sum of which one power is "
        "1; where all powers are zero, so is the result",
        "0x284.12 fcvtps v23.4s, v27.4s": _WHOLE,
        "0x28c.22 sshr v29.2d, v23.2d, #1": _SHIFTED,
        "0x29c.13 sqshl v8.4s, v8.4s, #23": _SHIFTED,
        "0x2bc.13 sqshl v23.4s, v23.4s, #23": _SHIFTED,
        "0x2f0.26 ldr w1, [x12, #128]": _FIRST,
        "0x2f0.1 ldr s3, [x12, #128]": _FIRST,
        "0x2f8.16 fmla v0.4s, v2.4s, v0.4s": _FIRST,
        "0x320.0 ld1r { v1.2s }, [x13]": _FIRST,
        "0x32c.31 str b2, [x12]": _FIRST,
        "0x334.22 fmul v2.2d, v2.2d, v0.2d": _FIRST,
        "0x370.31 ldr b0, [x13]": _FIRST,
        "0x3a8.1 movi v3.2d, #0": "the sum is compared with the second power instead of 0: where it equals that, it "
        "is 1 or 0, and so is what replaces its reciprocal",
    },
}
"""The reasons, keyed by the name of a kernel and then by place and changed instruction."""


_CORRECTION = (
    "only the correction of what was summed before the first block is made of it: a power of 0 or, if there "
    "is a clamp, of the clamp, both of which the draws try, that is multiplied by zero"
)
SPANS: dict[str, tuple[int, int, str]] = {
    "attention f32 1x1x2x2 for avx512": (0x1B1, 0x235, _CORRECTION),
    "attention f32 1x1x2x2 for neon": (0x120, 0x1B4, _CORRECTION),
}
"""Ranges of instructions, keyed by the name of a kernel: the offset of the first and the last one, and the reason. It
applies to mutants that no draw tells apart."""


def argued(name: str, mutant: Mutant) -> str | None:
    """Return the written argument why a mutant of a kernel gives the same results, or None if there is none."""
    first, last, reason = SPANS.get(name, (1, 0, ""))
    return ARGUED_OF.get(name, {}).get(f"{mutant.offset:#x}.{mutant.bit} {mutant.after}") or (
        reason if first <= mutant.offset <= last else None
    )
