"""A kernel's own MXCSR on x86-64."""

from __future__ import annotations

from functools import lru_cache

from ....encoder.operands import Label
from ....encoder.x86 import abi
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import R32, R64, Mem
from ...contract.machine import OwnRounding

_RAX, _RSP = R64[0], R64[4]
_OWN = 0x1F80  # MXCSR as programs start: to nearest even, denormals kept, every exception masked
_CONTROL = 0xFFC0  # mask of all bits but the sticky flags
_SUFFIXES = ("ps", "pd", "ph", "ss", "sd", "sh")
_ARITHMETIC = frozenset({  # mnemonics without the suffix of the elements
    "add", "sub", "addsub", "hadd", "hsub", "mul", "div", "sqrt", "max", "min", "minmax", "range", "dp", "cmp", "com",
    "comi", "comx", "ucom", "ucomi", "ucomx", "round", "rndscale", "reduce", "scalef", "getexp", "getmant", "fixupimm",
    "fpclass", "rcp14", "rsqrt14", "fmaddc", "fcmaddc", "fmulc", "fcmulc",
    *(f"{sign}m{verb}{order}" for sign in ("f", "fn") for verb in ("add", "sub", "addsub", "subadd")
      for order in (132, 213, 231)),
})  # fmt: skip
# conversions that ignore MXCSR: to bf16, which round by themselves, and of i32, exact in f64
_CONVERSIONS_WITHOUT = ("cvtne", "cvtdq2pd", "cvtudq2pd")


@lru_cache(maxsize=1024)
def stack_word(disp: int, size: int = 64) -> Mem:
    """A word of the stack. Equal operands are one object, so that they encode fast."""
    return Mem(_RSP, disp, size=size)


class X86Rounding(OwnRounding):
    """Compare and set MXCSR by VSTMXCSR to the red zone and VLDMXCSR. The six lowest bits of MXCSR are sticky flags.

    A kernel leaves the flags as its instructions set them. A kernel that runs under an MXCSR of its own restores the
    caller's word with its flags. Source: Intel SDM volume 1, 10.2.3, and volume 2 (SIMD exceptions of each form).
    """

    asm: X86Assembler

    @staticmethod
    def follows(mnemonic: str) -> bool:
        """Whether it is arithmetic on floats or a conversion, with or without the v of VEX and EVEX."""
        name = mnemonic.removeprefix("v")
        if name.startswith("cvt"):
            return not name.startswith(_CONVERSIONS_WITHOUT)
        return name[-2:] in _SUFFIXES and name[:-2] in _ARITHMETIC

    def unless_own(self, elsewhere: Label) -> None:
        """Compare in memory, because no instruction reads MXCSR into a register."""
        self.asm.vstmxcsr(stack_word(-8, 32))
        self.asm.mov(R32[0], stack_word(-8, 32))
        self.asm.and_(R32[0], _CONTROL)
        self.asm.cmp(R32[0], _OWN)
        self.asm.jne(elsewhere)

    def under_own(self, body: Label) -> None:
        """Call the body with a frame of its arguments, the caller's word and its own; rsp is a multiple of 16."""
        asm, frame = self.asm, 8 * (self.stacked + 1)
        frame += (frame + 8) % 16
        word, own = stack_word(frame - 8, 32), stack_word(frame - 4, 32)
        asm.sub(_RSP, frame)
        asm.vstmxcsr(word)
        asm.mov(own, _OWN)
        asm.vldmxcsr(own)
        for number in range(self.stacked):
            asm.mov(_RAX, Mem(_RSP, frame + abi.STACK_ARGUMENT + 8 * number, size=64))
            asm.mov(Mem(_RSP, 8 * number, size=64), _RAX)
        asm.call(body)
        asm.vldmxcsr(word)
        asm.add(_RSP, frame)
        asm.ret()
