"""The rounding mode of kernels on x86-64, which MXCSR holds."""

from __future__ import annotations

from functools import cache

from ....encoder.operands import Label
from ....encoder.x86 import abi
from ....encoder.x86.assembler import X86Assembler
from ....encoder.x86.registers import R32, R64, Mem
from ...contract.machine import OwnRounding

_OWN = 0x1F80
"""As programs start: to nearest even, denormals kept, every exception masked."""
_CONTROL = 0xFFC0  # all but the sticky flags
_SUFFIXES = ("ps", "pd", "ph", "ss", "sd", "sh")
_ARITHMETIC = frozenset({
    "add", "sub", "addsub", "hadd", "hsub", "mul", "div", "sqrt", "max", "min", "minmax", "range", "dp", "cmp", "com",
    "comi", "comx", "ucom", "ucomi", "ucomx", "round", "rndscale", "reduce", "scalef", "getexp", "getmant", "fixupimm",
    "fpclass", "rcp14", "rsqrt14", "fmaddc", "fcmaddc", "fmulc", "fcmulc",
    *(f"{sign}m{verb}{order}" for sign in ("f", "fn") for verb in ("add", "sub", "addsub", "subadd")
      for order in (132, 213, 231)),
})  # fmt: skip
"""Names of arithmetic without the suffix of its elements."""
_CONVERSIONS_WITHOUT = ("cvtne", "cvtdq2pd", "cvtudq2pd")
"""To bf16, which has a rounding of its own; from i32, which are exact in f64."""
_RAX, _RSP, _EAX = R64[0], R64[4], R32[0]
_PLACE = Mem(_RSP, -8, size=32)


@cache
def _words(frame: int) -> tuple[Mem, Mem]:
    """Where a frame of so many bytes has the caller's word and the kernel's own; made once, since making takes time."""
    return Mem(_RSP, frame - 8, size=32), Mem(_RSP, frame - 4, size=32)


class X86Rounding(OwnRounding):
    """VSTMXCSR to the red zone, and VLDMXCSR where that is needed. The six lowest bits of MXCSR are sticky flags.

    A kernel leaves them as its instructions set them; one that runs under an MXCSR of its own puts the caller's word
    back, so that it has set none. Source: Intel SDM volume 1, 10.2.3, and volume 2 (SIMD exceptions of each form).
    """

    asm: X86Assembler

    @staticmethod
    def follows(mnemonic: str) -> bool:
        """Arithmetic on floats and conversions, with or without the v of VEX and EVEX."""
        name = mnemonic.removeprefix("v")
        if name.startswith("cvt"):
            return not name.startswith(_CONVERSIONS_WITHOUT)
        return name[-2:] in _SUFFIXES and name[:-2] in _ARITHMETIC

    def unless_own(self, elsewhere: Label) -> None:
        """By way of memory: no instruction reads MXCSR into a register."""
        self.asm.vstmxcsr(_PLACE)
        self.asm.mov(_EAX, _PLACE)
        self.asm.and_(_EAX, _CONTROL)
        self.asm.cmp(_EAX, _OWN)
        self.asm.jne(elsewhere)

    def under_own(self, body: Label) -> None:
        """The frame holds the arguments of the body, the caller's word and its own; rsp is a multiple of 16."""
        asm, frame = self.asm, 8 * (self.stacked + 1)
        frame += (frame + 8) % 16
        word, own = _words(frame)
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
