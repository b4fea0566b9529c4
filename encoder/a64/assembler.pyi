"""The AArch64 assembler. Written by `python -m tilesmith.encoder.a64.stubs`; do not edit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import overload

from ..asm import Assembler
from ..operands import Label
from ..table import InstructionTable
from .registers import General, Mem, Operand

TABLE: InstructionTable
WORD: int

class A64Assembler(Assembler):
    """Appends AArch64 instructions: `asm.fmla(V[0].s4, V[1].s4, V[2].s[1])`; `b.ne` is `asm.b_ne`."""

    def align(self, boundary: int) -> None:
        """Pad with nops up to a multiple of `boundary` bytes."""
    def load_immediate(self, reg: General, value: int) -> None:
        """Put a number into a general register: movz or movn, then a movk for each further 16 bits."""
    @contextmanager
    def loop(
        self, counter: General, count: int | General | None = None, align: int = 0
    ) -> Iterator[Label]:
        """Run the body `count` times, counting `counter` down to 0; None: the counter is already loaded, at least 1."""
    @overload
    def abs(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn | Vd.T,Vn.T | Dd,Dn"""
    @overload
    def abs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def adc(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    def adclb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.T,Zn.T,Zm.T"""
    def adclt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.T,Zn.T,Zm.T"""
    def adcs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    @overload
    def add(self, dst: Operand, src: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4}"""
    @overload
    def add(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd|sp,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd|sp,Rn|sp,Rm{ext} | Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4} | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T"""
    @overload
    def add(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def addha(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.s | x:ZAda.d,Pn/M,Pm/M,Zn.d"""
    def addhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.Ta,Vm.Ta"""
    def addhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Ta,Vm.Ta"""
    def addhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.Ta,Zm.Ta"""
    def addhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.Ta,Zm.Ta"""
    @overload
    def addp(self, dst: Operand, src: Operand, /) -> None:
        """Dd,Vn.2d"""
    @overload
    def addp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def addp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def addpl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Xd|sp,Xn|sp,#simm"""
    def addqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    def adds(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd,Rn|sp,Rm{ext}"""
    def addspl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Xd|sp,Xn|sp,#simm"""
    def addsvl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Xd|sp,Xn|sp,#simm"""
    def addv(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T"""
    def addva(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.s | x:ZAda.d,Pn/M,Pm/M,Zn.d"""
    def addvl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Xd|sp,Xn|sp,#simm"""
    def adr(self, dst: Operand, target: Mem | Label | int, /) -> None:
        """Xd,label*1 | Zd.T,[Zn.T,Zm.T,lsl#sh] | Zd.d,[Zn.d,Zm.d,sxtw#sh] | Zd.d,[Zn.d,Zm.d,uxtw#sh]"""
    def adrp(self, dst: Operand, target: Label | int, /) -> None:
        """Xd,label*4096"""
    @overload
    def aesd(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.16b,Vn.16b"""
    @overload
    def aesd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zdn.b,Zdn.b,Zm.b"""
    @overload
    def aese(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.16b,Vn.16b"""
    @overload
    def aese(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zdn.b,Zdn.b,Zm.b"""
    def aesimc(self, dst: Operand, src: Operand, /) -> None:
        """Vd.16b,Vn.16b | x:Zdn.b,Zdn.b"""
    def aesmc(self, dst: Operand, src: Operand, /) -> None:
        """Vd.16b,Vn.16b | x:Zdn.b,Zdn.b"""
    @overload
    def and_(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd|sp,Rn,#bimm:mask.R | Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | Zd.d,Zn.d,Zm.d | x:Zdn.T,Zdn.T,#bimm:mask.T"""
    @overload
    def and_(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def andqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def ands(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,#bimm:mask.R | Rd,Rn,Rm{ror}"""
    @overload
    def ands(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def andv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    @overload
    def asr(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Wd,Wn,#immr | Xd,Xn,#immr | Rd,Rn,Rm | Zd.T,Zn.T,#-sh | Zd.T,Zn.T,Zm.d"""
    @overload
    def asr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,Zm.d | x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def asrd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def asrr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def asrv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    def autiasp(self) -> None:
        """no operands"""
    def autibsp(self) -> None:
        """no operands"""
    def b(self, target: Label | int, /) -> None:
        """label*4"""
    def b_al(self, target: Label | int, /) -> None:
        """label*4"""
    def b_cc(self, target: Label | int, /) -> None:
        """label*4"""
    def b_cs(self, target: Label | int, /) -> None:
        """label*4"""
    def b_eq(self, target: Label | int, /) -> None:
        """label*4"""
    def b_ge(self, target: Label | int, /) -> None:
        """label*4"""
    def b_gt(self, target: Label | int, /) -> None:
        """label*4"""
    def b_hi(self, target: Label | int, /) -> None:
        """label*4"""
    def b_hs(self, target: Label | int, /) -> None:
        """label*4"""
    def b_le(self, target: Label | int, /) -> None:
        """label*4"""
    def b_lo(self, target: Label | int, /) -> None:
        """label*4"""
    def b_ls(self, target: Label | int, /) -> None:
        """label*4"""
    def b_lt(self, target: Label | int, /) -> None:
        """label*4"""
    def b_mi(self, target: Label | int, /) -> None:
        """label*4"""
    def b_ne(self, target: Label | int, /) -> None:
        """label*4"""
    def b_pl(self, target: Label | int, /) -> None:
        """label*4"""
    def b_vc(self, target: Label | int, /) -> None:
        """label*4"""
    def b_vs(self, target: Label | int, /) -> None:
        """label*4"""
    def bcax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Vd.16b,Vn.16b,Vm.16b,Va.16b | x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def bdep(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    def bext(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    @overload
    def bfadd(self, dst: Operand, src: Operand, /) -> None:
        """x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def bfadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.h,Zn.h,Zm.h"""
    @overload
    def bfadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    def bfclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.h,Zn.h,Zm.h | x:{Zd.h*2},Zn.h,Zm.h | x:{Zd.h*4},Zn.h,Zm.h"""
    @overload
    def bfcvt(self, dst: Operand, src: Operand, /) -> None:
        """Hd,Sn | Zd.h,{Zn.s*2}"""
    @overload
    def bfcvt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.h,Pg/M,Zn.s"""
    def bfcvtn(self, dst: Operand, src: Operand, /) -> None:
        """Vd.4h,Vn.4s | Zd.h,{Zn.s*2}"""
    def bfcvtn2(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.8h,Vn.4s"""
    def bfcvtnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.h,Pg/M,Zn.s"""
    def bfdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.2h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def bfi(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """x:Rd,Rn,#lsb:negated.R,#width:length.R"""
    def bfm(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """x:Rd,Rn,#immr,#imms"""
    @overload
    def bfmax(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfmax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfmaxnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfmaxnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfmin(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfmin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfminnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfminnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.h,Zn.h,Zm.h[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def bfmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.h,Pg/M,Zn.h,Zm.h"""
    def bfmlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def bfmlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.8h,Vm.8h | x:Vd.4s,Vn.8h,Vm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def bfmlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.8h,Vm.8h | x:Vd.4s,Vn.8h,Vm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    @overload
    def bfmls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.h,Zn.h,Zm.h[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def bfmls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.h,Pg/M,Zn.h,Zm.h"""
    def bfmlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def bfmlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def bfmlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def bfmmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.8h,Vm.8h | x:Zda.s,Zn.h,Zm.h"""
    def bfmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    def bfmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    @overload
    def bfmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.h,Zn.h,Zm.h | Zd.h,Zn.h,Zm.h[i]"""
    @overload
    def bfmul(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfsub(self, dst: Operand, src: Operand, /) -> None:
        """x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def bfsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.h,Zn.h,Zm.h"""
    @overload
    def bfsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    def bfvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]"""
    def bfxil(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """x:Rd,Rn,#lsb:start.R,#width:width.R"""
    def bgrp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    @overload
    def bic(self, dst: Operand, imm: int, /) -> None:
        """x:Vd.T,#imm"""
    @overload
    def bic(self, dst: Operand, src: Operand | int, src2: Operand, /) -> None:
        """Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | x:Vd.T,#imm,lsl#x*8 | Zd.d,Zn.d,Zm.d"""
    @overload
    def bic(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def bics(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm{ror}"""
    @overload
    def bics(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def bif(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T"""
    def bit(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T"""
    def bl(self, target: Label | int, /) -> None:
        """label*4"""
    def blr(self, src: Operand, /) -> None:
        """r:Xn"""
    def bmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s"""
    def bmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s"""
    def br(self, src: Operand, /) -> None:
        """r:Xn"""
    def brk(self, imm: int, /) -> None:
        """#imm"""
    def brka(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b | x:Pd.b,Pg/M,Pn.b"""
    def brkas(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b"""
    def brkb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b | x:Pd.b,Pg/M,Pn.b"""
    def brkbs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b"""
    def brkn(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Pdm.b,Pg/Z,Pn.b,Pdm.b"""
    def brkns(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Pdm.b,Pg/Z,Pn.b,Pdm.b"""
    def brkpa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def brkpas(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def brkpb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def brkpbs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    @overload
    def bsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T"""
    @overload
    def bsl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def bsl1n(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def bsl2n(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    @overload
    def bti(self) -> None:
        """no operands"""
    @overload
    def bti(self, src: Operand, /) -> None:
        """bti"""
    def cadd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.T,Zdn.T,Zm.T,#rot:90|270"""
    def cas(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Rs,Rt,x:[Xn|sp]"""
    def casa(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Rs,Rt,x:[Xn|sp]"""
    def casab(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def casah(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def casal(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Rs,Rt,x:[Xn|sp]"""
    def casalb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def casalh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def casb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def cash(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def casl(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Rs,Rt,x:[Xn|sp]"""
    def caslb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def caslh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """x:Ws,Wt,x:[Xn|sp]"""
    def casp(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def caspa(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def caspal(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def caspl(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def cbnz(self, src: Operand, target: Label | int, /) -> None:
        """r:Rt,label*4"""
    def cbz(self, src: Operand, target: Label | int, /) -> None:
        """r:Rt,label*4"""
    def ccmn(self, src: Operand, src2: Operand | int, imm: int, src3: Operand, /) -> None:
        """r:Rn,Rm,#nzcv,cond | r:Rn,#imm,#nzcv,cond"""
    def ccmp(self, src: Operand, src2: Operand | int, imm: int, src3: Operand, /) -> None:
        """r:Rn,Rm,#nzcv,cond | r:Rn,#imm,#nzcv,cond"""
    def cdot(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T,#rot*90 | x:Zda.s,Zn.b,Zm.b[i],#rot*90 | x:Zda.d,Zn.h,Zm.h[i],#rot*90"""
    def cfinv(self) -> None:
        """no operands"""
    def cinc(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,!cond"""
    def cinv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,!cond"""
    def clasta(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Wdn,Pg,Wdn,Zm.T | x:Xdn,Pg,Xdn,Zm.d | x:Fdn,Pg,Fdn,Zm.T | x:Zdn.T,Pg,Zdn.T,Zm.T"""
    def clastb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Wdn,Pg,Wdn,Zm.T | x:Xdn,Pg,Xdn,Zm.d | x:Fdn,Pg,Fdn,Zm.T | x:Zdn.T,Pg,Zdn.T,Zm.T"""
    @overload
    def clrex(self) -> None:
        """no operands"""
    @overload
    def clrex(self, imm: int, /) -> None:
        """#imm"""
    @overload
    def cls(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn | Vd.T,Vn.T"""
    @overload
    def cls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def clz(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn | Vd.T,Vn.T"""
    @overload
    def clz(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def cmeq(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmge(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmgt(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmhi(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def cmhs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def cmla(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zda.T,Zn.T,Zm.T,#rot*90 | x:Zda.h,Zn.h,Zm.h[i],#rot*90 | x:Zda.s,Zn.s,Zm.s[i],#rot*90"""
    def cmle(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmlt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmn(self, src: Operand, src2: Operand | int, /) -> None:
        """r:Rn|sp,#imm:add | r:Rn,Rm{lsl} | r:Rn|sp,Rm{ext}"""
    def cmp(self, src: Operand, src2: Operand | int, /) -> None:
        """r:Rn|sp,#imm:add | r:Rn,Rm{lsl} | r:Rn|sp,Rm{ext}"""
    def cmpeq(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmpge(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmpgt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmphi(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm"""
    def cmphs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm"""
    def cmple(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmplo(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmpls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmplt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmpne(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmtst(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def cneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,!cond"""
    def cnot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def cnt(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn | Vd.T,Vn.T"""
    @overload
    def cnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def cntb(self, dst: Operand, /) -> None:
        """Xd"""
    @overload
    def cntb(self, dst: Operand, src: Operand, /) -> None:
        """Xd,pattern"""
    @overload
    def cntb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,pattern,mul#imm+1"""
    @overload
    def cntd(self, dst: Operand, /) -> None:
        """Xd"""
    @overload
    def cntd(self, dst: Operand, src: Operand, /) -> None:
        """Xd,pattern"""
    @overload
    def cntd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,pattern,mul#imm+1"""
    @overload
    def cnth(self, dst: Operand, /) -> None:
        """Xd"""
    @overload
    def cnth(self, dst: Operand, src: Operand, /) -> None:
        """Xd,pattern"""
    @overload
    def cnth(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,pattern,mul#imm+1"""
    def cntp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,Pg,Pn.T | Xd,PNn.T,vlx"""
    @overload
    def cntw(self, dst: Operand, /) -> None:
        """Xd"""
    @overload
    def cntw(self, dst: Operand, src: Operand, /) -> None:
        """Xd,pattern"""
    @overload
    def cntw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,pattern,mul#imm+1"""
    def compact(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Pg,Zn.T"""
    def cpy(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """x:Zd.T,Pg/M,#imm:swide.T | Zd.T,Pg/Z,#imm:swide.T | x:Zd.T,Pg/M,Wn|sp | x:Zd.d,Pg/M,Xn|sp | x:Zd.T,Pg/M,Fn"""
    def crc32b(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Wm"""
    def crc32cb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Wm"""
    def crc32ch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Wm"""
    def crc32cw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Wm"""
    def crc32cx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Xm"""
    def crc32h(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Wm"""
    def crc32w(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Wm"""
    def crc32x(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Wn,Xm"""
    def csdb(self) -> None:
        """no operands"""
    def csel(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Rd,Rn,Rm,cond"""
    def cset(self, dst: Operand, src: Operand, /) -> None:
        """Rd,!cond"""
    def csetm(self, dst: Operand, src: Operand, /) -> None:
        """Rd,!cond"""
    def csinc(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Rd,Rn,Rm,cond"""
    def csinv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Rd,Rn,Rm,cond"""
    def csneg(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Rd,Rn,Rm,cond"""
    def ctermeq(self, src: Operand, src2: Operand, /) -> None:
        """r:Rn,Rm"""
    def ctermne(self, src: Operand, src2: Operand, /) -> None:
        """r:Rn,Rm"""
    def ctz(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn"""
    def dc(self, src: Operand, src2: Operand, /) -> None:
        """r:dc,Xt"""
    @overload
    def decb(self, dst: Operand, /) -> None:
        """x:Xdn"""
    @overload
    def decb(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern"""
    @overload
    def decb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1"""
    @overload
    def decd(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.d"""
    @overload
    def decd(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Zdn.d,pattern"""
    @overload
    def decd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def dech(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.h"""
    @overload
    def dech(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Zdn.h,pattern"""
    @overload
    def dech(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def decp(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def decw(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.s"""
    @overload
    def decw(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Zdn.s,pattern"""
    @overload
    def decw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    def dmb(self, src: Operand, /) -> None:
        """barrier"""
    def drps(self) -> None:
        """no operands"""
    def dsb(self, src: Operand, /) -> None:
        """barrier"""
    def dup(self, dst: Operand, src: Operand | int, /) -> None:
        """Vd.T,Vn.Ts[i] | Vd.T,Wn | Vd.2d,Xn | Fd,Vn.Ts[i] | Zd.T,Zn.T[i] | Zd.T,Wn|sp | Zd.d,Xn|sp | Zd.T,#imm:swide.T"""
    def dupm(self, dst: Operand, imm: int, /) -> None:
        """Zd.T,#bimm:mask.T"""
    def dupq(self, dst: Operand, src: Operand, /) -> None:
        """Zd.T,Zn.T[i]"""
    def eon(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm{ror}"""
    @overload
    def eor(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd|sp,Rn,#bimm:mask.R | Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | Zd.d,Zn.d,Zm.d | x:Zdn.T,Zdn.T,#bimm:mask.T"""
    @overload
    def eor(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def eor3(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Vd.16b,Vn.16b,Vm.16b,Va.16b | x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def eorbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.T,Zm.T"""
    def eorqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    def eors(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def eortb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.T,Zm.T"""
    def eorv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    def eret(self) -> None:
        """no operands"""
    def esb(self) -> None:
        """no operands"""
    @overload
    def ext(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.b,{Zn.b*2},#imm"""
    @overload
    def ext(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """Vd.8b,Vn.8b,Vm.8b,#imm | Vd.16b,Vn.16b,Vm.16b,#imm | x:Zdn.b,Zdn.b,Zm.b,#imm"""
    def extq(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.b,Zdn.b,Zm.b,#imm"""
    def extr(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """Wd,Wn,Wm,#lsb | Xd,Xn,Xm,#lsb"""
    @overload
    def fabd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def fabd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def fabs(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def fabs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def facge(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def facge(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T"""
    @overload
    def facgt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def facgt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T"""
    def facle(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.T,Pg/Z,Zm.T,Zn.T"""
    def faclt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.T,Pg/Z,Zm.T,Zn.T"""
    @overload
    def fadd(self, dst: Operand, src: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4} | x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def fadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    @overload
    def fadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0"""
    def fadda(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Fdn,Pg,Fdn,Zm.T"""
    @overload
    def faddp(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def faddp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def faddp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def faddqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    def faddv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    @overload
    def fcadd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,Vm.T,#rot:90|270"""
    @overload
    def fcadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, imm: int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T,#rot:90|270"""
    def fccmp(self, src: Operand, src2: Operand, imm: int, src3: Operand, /) -> None:
        """r:Fn,Fm,#nzcv,cond | r:Hn,Hm,#nzcv,cond"""
    def fccmpe(self, src: Operand, src2: Operand, imm: int, src3: Operand, /) -> None:
        """r:Fn,Fm,#nzcv,cond | r:Hn,Hm,#nzcv,cond"""
    def fclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.T,Zm.T | x:{Zd.T*2},Zn.T,Zm.T | x:{Zd.T*4},Zn.T,Zm.T"""
    @overload
    def fcmeq(self, dst: Operand, src: Operand, src2: Operand | float, /) -> None:
        """Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,#0.0 | Fd,Fn,Fm | Hd,Hn,Hm | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmeq(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    @overload
    def fcmge(self, dst: Operand, src: Operand, src2: Operand | float, /) -> None:
        """Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,#0.0 | Fd,Fn,Fm | Hd,Hn,Hm | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmge(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    @overload
    def fcmgt(self, dst: Operand, src: Operand, src2: Operand | float, /) -> None:
        """Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,#0.0 | Fd,Fn,Fm | Hd,Hn,Hm | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmgt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    @overload
    def fcmla(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.T,Vm.T,#rot*90 | x:Vd.4s,Vn.4s,Vm.s[i],#rot*90 | x:Vd.4h,Vn.4h,Vm.h[i],#rot*90 | x:Vd.8h,Vn.8h,Vm.h[i],#rot*90 | x:Zda.h,Zn.h,Zm.h[i],#rot*90 | x:Zda.s,Zn.s,Zm.s[i],#rot*90"""
    @overload
    def fcmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, imm: int, /) -> None:
        """x:Zda.T,Pg/M,Zn.T,Zm.T,#rot*90"""
    @overload
    def fcmle(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """Vd.T,Vn.T,#0.0 | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmle(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """Pd.T,Pg/Z,Zn.T,#0.0 | Pd.T,Pg/Z,Zm.T,Zn.T"""
    @overload
    def fcmlt(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """Vd.T,Vn.T,#0.0 | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmlt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """Pd.T,Pg/Z,Zn.T,#0.0 | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def fcmne(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    def fcmp(self, src: Operand, src2: Operand | float, /) -> None:
        """r:Fn,Fm | r:Hn,Hm | r:Fn,#0.0 | r:Hn,#0.0"""
    def fcmpe(self, src: Operand, src2: Operand | float, /) -> None:
        """r:Fn,Fm | r:Hn,Hm | r:Fn,#0.0 | r:Hn,#0.0"""
    def fcmuo(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T"""
    def fcpy(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """x:Zd.T,Pg/M,#imm:float"""
    def fcsel(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Fd,Fn,Fm,cond | Hd,Hn,Hm,cond"""
    @overload
    def fcvt(self, dst: Operand, src: Operand, /) -> None:
        """Dd,Sn | Sd,Dn | Sd,Hn | Dd,Hn | Hd,Sn | Hd,Dn | Zd.h,{Zn.s*2} | {Zd.s*2},Zn.h"""
    @overload
    def fcvt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.Ta,Pg/M,Zn.T"""
    def fcvtas(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtau(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtl(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T | {Zd.s*2},Zn.h"""
    def fcvtl2(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T"""
    def fcvtlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.Ta,Pg/M,Zn.T"""
    def fcvtms(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtmu(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtn(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.Ta | Zd.h,{Zn.s*2}"""
    def fcvtn2(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.T,Vn.Ta"""
    def fcvtns(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.Ta,Pg/M,Zn.T"""
    def fcvtnu(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtps(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtpu(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.s,Pg/M,Zn.d"""
    def fcvtxn(self, dst: Operand, src: Operand, /) -> None:
        """Vd.2s,Vn.2d | Sd,Dn"""
    def fcvtxn2(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.4s,Vn.2d"""
    def fcvtxnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.s,Pg/M,Zn.d"""
    @overload
    def fcvtzs(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def fcvtzs(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Xd,Fn,#-sh | Xd,Hn,#-sh | Wd,Fn,#-sh | Wd,Hn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    @overload
    def fcvtzu(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def fcvtzu(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Xd,Fn,#-sh | Xd,Hn,#-sh | Wd,Fn,#-sh | Wd,Hn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    @overload
    def fdiv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def fdiv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fdivr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def fdup(self, dst: Operand, imm: float, /) -> None:
        """Zd.T,#imm:float"""
    def fexpa(self, dst: Operand, src: Operand, /) -> None:
        """Zd.T,Zn.T"""
    def fjcvtzs(self, dst: Operand, src: Operand, /) -> None:
        """Wd,Dn"""
    def flogb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def fmad(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fmadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    @overload
    def fmax(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fmax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fmaxnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fmaxnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fmaxnmp(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fmaxnmp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def fmaxnmp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fmaxnmqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def fmaxnmv(self, dst: Operand, src: Operand, /) -> None:
        """Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fmaxnmv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    @overload
    def fmaxp(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fmaxp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def fmaxp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fmaxqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def fmaxv(self, dst: Operand, src: Operand, /) -> None:
        """Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fmaxv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    @overload
    def fmin(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fmin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fminnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fminnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fminnmp(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fminnmp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def fminnmp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fminnmqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def fminnmv(self, dst: Operand, src: Operand, /) -> None:
        """Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fminnmv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    @overload
    def fminp(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fminp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def fminp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fminqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def fminv(self, dst: Operand, src: Operand, /) -> None:
        """Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fminv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    @overload
    def fmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.Ts[i] | x:Vd.T,Vn.T,Vm.h[i] | x:Fd,Fn,Vm.Ts[i] | x:Hd,Hn,Vm.h[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i] | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s[i] | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d[i] | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s[i] | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def fmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fmlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def fmlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i]"""
    def fmlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def fmlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    @overload
    def fmls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.Ts[i] | x:Vd.T,Vn.T,Vm.h[i] | x:Fd,Fn,Vm.Ts[i] | x:Hd,Hn,Vm.h[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i] | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s[i] | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d[i] | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s[i] | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def fmls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fmlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def fmlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i]"""
    def fmlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def fmlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def fmmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.s,Zn.s,Zm.s | x:Zda.d,Zn.d,Zm.d"""
    def fmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s | x:ZAda.d,Pn/M,Pm/M,Zn.d,Zm.d | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    def fmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s | x:ZAda.d,Pn/M,Pm/M,Zn.d,Zm.d | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    @overload
    def fmov(self, dst: Operand, src: Operand | float, /) -> None:
        """Vd.T,#imm:float | Vd.2d,#imm:float | Fd,Fn | Hd,Hn | Fd,#imm:float | Hd,#imm:float | Sd,Wn | Wd,Sn | Dd,Xn | Xd,Dn | Hd,Rn | Rd,Hn | x:Vd.d[1],Xn | Xd,Vn.d[1] | Zd.T,#imm:float"""
    @overload
    def fmov(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """x:Zd.T,Pg/M,#imm:float"""
    def fmsb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fmsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    @overload
    def fmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,Vm.Ts[i] | Vd.T,Vn.T,Vm.h[i] | Fd,Fn,Vm.Ts[i] | Hd,Hn,Vm.h[i] | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i]"""
    @overload
    def fmul(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|2.0"""
    @overload
    def fmulx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,Vm.Ts[i] | Vd.T,Vn.T,Vm.h[i] | Fd,Fn,Vm.Ts[i] | Hd,Hn,Vm.h[i] | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def fmulx(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def fneg(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def fneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def fnmad(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fnmadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    def fnmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fnmls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fnmsb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fnmsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    def fnmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Fn,Fm | Hd,Hn,Hm"""
    def frecpe(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | Zd.T,Zn.T"""
    def frecps(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    @overload
    def frecpx(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Fn | Hd,Hn"""
    @overload
    def frecpx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def frint32x(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn"""
    def frint32z(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn"""
    def frint64x(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn"""
    def frint64z(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn"""
    @overload
    def frinta(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frinta(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frinti(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def frinti(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintm(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frintm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintn(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frintn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintp(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frintp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintx(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def frintx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintz(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def frintz(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def frsqrte(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | Zd.T,Zn.T"""
    def frsqrts(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    def fscale(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def fsqrt(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def fsqrt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def fsub(self, dst: Operand, src: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4} | x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def fsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    @overload
    def fsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0"""
    def fsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0"""
    def ftmad(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.T,Zdn.T,Zm.T,#imm"""
    def ftsmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    def ftssel(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    def fvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]"""
    def hint(self, imm: int, /) -> None:
        """#imm"""
    def histcnt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Zd.T,Pg/Z,Zn.T,Zm.T"""
    def histseg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.b,Zn.b,Zm.b"""
    def hlt(self, imm: int, /) -> None:
        """#imm"""
    def hvc(self, imm: int, /) -> None:
        """#imm"""
    def ic(self, src: Operand, src2: Operand, /) -> None:
        """r:ic,Xt"""
    @overload
    def incb(self, dst: Operand, /) -> None:
        """x:Xdn"""
    @overload
    def incb(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern"""
    @overload
    def incb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1"""
    @overload
    def incd(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.d"""
    @overload
    def incd(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Zdn.d,pattern"""
    @overload
    def incd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def inch(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.h"""
    @overload
    def inch(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Zdn.h,pattern"""
    @overload
    def inch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def incp(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def incw(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.s"""
    @overload
    def incw(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Zdn.s,pattern"""
    @overload
    def incw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    def index(self, dst: Operand, src: Operand | int, src2: Operand | int, /) -> None:
        """Zd.T,Wn,Wm | Zd.d,Xn,Xm | Zd.T,#simm,#simm2 | Zd.T,#simm,Wm | Zd.d,#simm,Xm | Zd.T,Wn,#simm | Zd.d,Xn,#simm"""
    def ins(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.Ts[i],Vn.Ts[j] | x:Vd.Ts[i],Wn | x:Vd.d[i],Xn"""
    def insr(self, dst: Operand, src: Operand, /) -> None:
        """x:Zdn.T,Wm | x:Zdn.d,Xm | x:Zdn.T,Fm"""
    def isb(self) -> None:
        """no operands"""
    def lasta(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Pg,Zn.T | Xd,Pg,Zn.d | Fd,Pg,Zn.T"""
    def lastb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Wd,Pg,Zn.T | Xd,Pg,Zn.d | Fd,Pg,Zn.T"""
    def ld1(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*1},[Xn|sp] | {Vt.T*1},[Xn|sp],#8 | {Vt.T*1},[Xn|sp],#16 | {Vt.T*1},[Xn|sp],Xm | {Vt.T*2},[Xn|sp] | {Vt.T*2},[Xn|sp],#16 | {Vt.T*2},[Xn|sp],#32 | {Vt.T*2},[Xn|sp],Xm | {Vt.T*3},[Xn|sp] | {Vt.T*3},[Xn|sp],#24 | {Vt.T*3},[Xn|sp],#48 | {Vt.T*3},[Xn|sp],Xm | {Vt.T*4},[Xn|sp] | {Vt.T*4},[Xn|sp],#32 | {Vt.T*4},[Xn|sp],#64 | {Vt.T*4},[Xn|sp],Xm | x:{Vt.b*1}[i],[Xn|sp] | x:{Vt.b*1}[i],[Xn|sp],#1 | x:{Vt.b*1}[i],[Xn|sp],Xm | x:{Vt.h*1}[i],[Xn|sp] | x:{Vt.h*1}[i],[Xn|sp],#2 | x:{Vt.h*1}[i],[Xn|sp],Xm | x:{Vt.s*1}[i],[Xn|sp] | x:{Vt.s*1}[i],[Xn|sp],#4 | x:{Vt.s*1}[i],[Xn|sp],Xm | x:{Vt.d*1}[i],[Xn|sp] | x:{Vt.d*1}[i],[Xn|sp],#8 | x:{Vt.d*1}[i],[Xn|sp],Xm"""
    def ld1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.b*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2%8},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4%4},PNg/Z,[Xn|sp,Xm|zr] | x:{ZAtD.b[Ws+12,o]},Pg/Z,[Xn|sp,Xm] | x:{ZAtD.b[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*1},Pg/Z,[Zn.d,#imm*8] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#3] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#3] | {Zt.q*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.q*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | x:{ZAtD.d[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#3] | x:{ZAtD.d[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1] | {Zt.h*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | x:{ZAtD.h[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#1] | x:{ZAtD.h[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld1q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.q*1},Pg/Z,[Zn.d,Xm] | {Zt.q*1},Pg/Z,[Zn.d] | x:{ZAtD.q[Ws+12,0]},Pg/Z,[Xn|sp,Xm,lsl#4] | x:{ZAtD.q[Ws+12,0]},Pg/Z,[Xn|sp]"""
    def ld1r(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*1},[Xn|sp] | {Vt.T*1},[Xn|sp],Xm | {Vt.T*1},[Xn|sp],#1 | {Vt.T*1},[Xn|sp],#2 | {Vt.T*1},[Xn|sp],#4 | {Vt.T*1},[Xn|sp],#8"""
    def ld1rb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#imm]"""
    def ld1rd(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#imm*8]"""
    def ld1rh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#imm*2]"""
    def ld1rob(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.b*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.b*1},Pg/Z,[Xn|sp,Xm]"""
    def ld1rod(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld1roh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.h*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld1row(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld1rqb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.b*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.b*1},Pg/Z,[Xn|sp,Xm]"""
    def ld1rqd(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld1rqh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.h*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld1rqw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld1rsb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#imm]"""
    def ld1rsh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#imm*2]"""
    def ld1rsw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#imm*4]"""
    def ld1rw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#imm*4]"""
    def ld1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]"""
    def ld1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]"""
    def ld1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]"""
    def ld1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.s*1},Pg/Z,[Zn.s,#imm*4] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#2] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2] | {Zt.q*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.q*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.s*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | x:{ZAtD.s[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#2] | x:{ZAtD.s[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld2(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*2},[Xn|sp] | {Vt.T*2},[Xn|sp],#16 | {Vt.T*2},[Xn|sp],#32 | {Vt.T*2},[Xn|sp],Xm | x:{Vt.b*2}[i],[Xn|sp] | x:{Vt.b*2}[i],[Xn|sp],#2 | x:{Vt.b*2}[i],[Xn|sp],Xm | x:{Vt.h*2}[i],[Xn|sp] | x:{Vt.h*2}[i],[Xn|sp],#4 | x:{Vt.h*2}[i],[Xn|sp],Xm | x:{Vt.s*2}[i],[Xn|sp] | x:{Vt.s*2}[i],[Xn|sp],#8 | x:{Vt.s*2}[i],[Xn|sp],Xm | x:{Vt.d*2}[i],[Xn|sp] | x:{Vt.d*2}[i],[Xn|sp],#16 | x:{Vt.d*2}[i],[Xn|sp],Xm"""
    def ld2b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.b*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2},Pg/Z,[Xn|sp,Xm]"""
    def ld2d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld2h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.h*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld2q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.q*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.q*2},Pg/Z,[Xn|sp,Xm,lsl#4]"""
    def ld2r(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*2},[Xn|sp] | {Vt.T*2},[Xn|sp],Xm | {Vt.T*2},[Xn|sp],#2 | {Vt.T*2},[Xn|sp],#4 | {Vt.T*2},[Xn|sp],#8 | {Vt.T*2},[Xn|sp],#16"""
    def ld2w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld3(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*3},[Xn|sp] | {Vt.T*3},[Xn|sp],#24 | {Vt.T*3},[Xn|sp],#48 | {Vt.T*3},[Xn|sp],Xm | x:{Vt.b*3}[i],[Xn|sp] | x:{Vt.b*3}[i],[Xn|sp],#3 | x:{Vt.b*3}[i],[Xn|sp],Xm | x:{Vt.h*3}[i],[Xn|sp] | x:{Vt.h*3}[i],[Xn|sp],#6 | x:{Vt.h*3}[i],[Xn|sp],Xm | x:{Vt.s*3}[i],[Xn|sp] | x:{Vt.s*3}[i],[Xn|sp],#12 | x:{Vt.s*3}[i],[Xn|sp],Xm | x:{Vt.d*3}[i],[Xn|sp] | x:{Vt.d*3}[i],[Xn|sp],#24 | x:{Vt.d*3}[i],[Xn|sp],Xm"""
    def ld3b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.b*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.b*3},Pg/Z,[Xn|sp,Xm]"""
    def ld3d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.d*3},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld3h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.h*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.h*3},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld3q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.q*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.q*3},Pg/Z,[Xn|sp,Xm,lsl#4]"""
    def ld3r(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*3},[Xn|sp] | {Vt.T*3},[Xn|sp],Xm | {Vt.T*3},[Xn|sp],#3 | {Vt.T*3},[Xn|sp],#6 | {Vt.T*3},[Xn|sp],#12 | {Vt.T*3},[Xn|sp],#24"""
    def ld3w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.s*3},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld4(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*4},[Xn|sp] | {Vt.T*4},[Xn|sp],#32 | {Vt.T*4},[Xn|sp],#64 | {Vt.T*4},[Xn|sp],Xm | x:{Vt.b*4}[i],[Xn|sp] | x:{Vt.b*4}[i],[Xn|sp],#4 | x:{Vt.b*4}[i],[Xn|sp],Xm | x:{Vt.h*4}[i],[Xn|sp] | x:{Vt.h*4}[i],[Xn|sp],#8 | x:{Vt.h*4}[i],[Xn|sp],Xm | x:{Vt.s*4}[i],[Xn|sp] | x:{Vt.s*4}[i],[Xn|sp],#16 | x:{Vt.s*4}[i],[Xn|sp],Xm | x:{Vt.d*4}[i],[Xn|sp] | x:{Vt.d*4}[i],[Xn|sp],#32 | x:{Vt.d*4}[i],[Xn|sp],Xm"""
    def ld4b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.b*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4},Pg/Z,[Xn|sp,Xm]"""
    def ld4d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld4h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.h*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld4q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.q*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.q*4},Pg/Z,[Xn|sp,Xm,lsl#4]"""
    def ld4r(self, dst: Operand, mem: Mem, /) -> None:
        """{Vt.T*4},[Xn|sp] | {Vt.T*4},[Xn|sp],Xm | {Vt.T*4},[Xn|sp],#4 | {Vt.T*4},[Xn|sp],#8 | {Vt.T*4},[Xn|sp],#16 | {Vt.T*4},[Xn|sp],#32"""
    def ld4w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ldadd(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldadda(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldaddab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldaddalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldaddlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldapr(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp]"""
    def ldaprb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    def ldaprh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    def ldapur(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldapurb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#simm]"""
    def ldapurh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#simm]"""
    def ldapursb(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldapursh(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldapursw(self, dst: Operand, mem: Mem, /) -> None:
        """Xt,[Xn|sp,#simm]"""
    def ldar(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp]"""
    def ldarb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    def ldarh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    def ldaxp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """Rt1,w:Rt2,[Xn|sp]"""
    def ldaxr(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp]"""
    def ldaxrb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    def ldaxrh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    def ldclr(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclra(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclrab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclral(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclralb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclralh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclrlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeor(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeora(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeorab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeoral(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeoralb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeoralh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeorlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldff1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]"""
    def ldff1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*1},Pg/Z,[Xn|sp] | {Zt.d*1},Pg/Z,[Zn.d,#imm*8] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#3] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#3]"""
    def ldff1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]"""
    def ldff1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]"""
    def ldff1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]"""
    def ldff1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.d*1},Pg/Z,[Xn|sp] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]"""
    def ldff1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm*4] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#2] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]"""
    def ldnf1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """Wt1,w:Wt2,[Xn|sp,#simm*4] | Xt1,w:Xt2,[Xn|sp,#simm*8] | St1,w:St2,[Xn|sp,#simm*4] | Dt1,w:Dt2,[Xn|sp,#simm*8] | Qt1,w:Qt2,[Xn|sp,#simm*16]"""
    def ldnt1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.b*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.b*1},Pg/Z,[Xn|sp,Xm] | {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.b*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2%8},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4%4},PNg/Z,[Xn|sp,Xm|zr]"""
    def ldnt1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.d*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#3]"""
    def ldnt1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.h*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.h*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#1]"""
    def ldnt1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d]"""
    def ldnt1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d]"""
    def ldnt1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d]"""
    def ldnt1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """{Zt.s*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.s*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#2]"""
    def ldp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """Wt1,w:Wt2,[Xn|sp,#simm*4] | Xt1,w:Xt2,[Xn|sp,#simm*8] | Wt1,w:Wt2,[Xn|sp,#simm*4]! | Xt1,w:Xt2,[Xn|sp,#simm*8]! | Wt1,w:Wt2,[Xn|sp],#simm*4 | Xt1,w:Xt2,[Xn|sp],#simm*8 | St1,w:St2,[Xn|sp,#simm*4] | St1,w:St2,[Xn|sp,#simm*4]! | St1,w:St2,[Xn|sp],#simm*4 | Dt1,w:Dt2,[Xn|sp,#simm*8] | Dt1,w:Dt2,[Xn|sp,#simm*8]! | Dt1,w:Dt2,[Xn|sp],#simm*8 | Qt1,w:Qt2,[Xn|sp,#simm*16] | Qt1,w:Qt2,[Xn|sp,#simm*16]! | Qt1,w:Qt2,[Xn|sp],#simm*16"""
    def ldpsw(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """Xt1,w:Xt2,[Xn|sp,#simm*4] | Xt1,w:Xt2,[Xn|sp,#simm*4]! | Xt1,w:Xt2,[Xn|sp],#simm*4"""
    def ldr(self, dst: Operand, target: Mem | Label | int, /) -> None:
        """Wt,[Xn|sp,#imm*4] | Xt,[Xn|sp,#imm*8] | Rt,[Xn|sp,#simm]! | Rt,[Xn|sp],#simm | Wt,[Xn|sp,Rm,ext#2] | Xt,[Xn|sp,Rm,ext#3] | Rt,label*4 | Bt,[Xn|sp,#imm] | Ht,[Xn|sp,#imm*2] | St,[Xn|sp,#imm*4] | Dt,[Xn|sp,#imm*8] | Qt,[Xn|sp,#imm*16] | Ft,[Xn|sp,#simm]! | Ft,[Xn|sp],#simm | Bt,[Xn|sp,Rm,ext#0] | Ht,[Xn|sp,Rm,ext#1] | St,[Xn|sp,Rm,ext#2] | Dt,[Xn|sp,Rm,ext#3] | Qt,[Xn|sp,Rm,ext#4] | Ft,label*4 | Zt,[Xn|sp,#simm,mul vl] | Pt,[Xn|sp,#simm,mul vl] | x:za[Wv+12,o],[Xn|sp,#o,mul vl] | zt0,[Xn|sp]"""
    def ldrb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#imm] | Wt,[Xn|sp,#simm]! | Wt,[Xn|sp],#simm | Wt,[Xn|sp,Rm,ext#0]"""
    def ldrh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#imm*2] | Wt,[Xn|sp,#simm]! | Wt,[Xn|sp],#simm | Wt,[Xn|sp,Rm,ext#1]"""
    def ldrsb(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#imm] | Rt,[Xn|sp,#simm]! | Rt,[Xn|sp],#simm | Gt,[Xn|sp,Rm,ext#0]"""
    def ldrsh(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#imm*2] | Rt,[Xn|sp,#simm]! | Rt,[Xn|sp],#simm | Gt,[Xn|sp,Rm,ext#1]"""
    def ldrsw(self, dst: Operand, target: Mem | Label | int, /) -> None:
        """Xt,[Xn|sp,#imm*4] | Xt,[Xn|sp,#simm]! | Xt,[Xn|sp],#simm | Xt,[Xn|sp,Rm,ext#2] | Xt,label*4"""
    def ldset(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldseta(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsetab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsetalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldseth(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsetlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmax(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxa(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmin(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmina(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsminab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsminalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsminlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldtr(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldtrb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#simm]"""
    def ldtrh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#simm]"""
    def ldtrsb(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldtrsh(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldtrsw(self, dst: Operand, mem: Mem, /) -> None:
        """Xt,[Xn|sp,#simm]"""
    def ldumax(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxa(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumin(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumina(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def lduminab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def lduminalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def lduminlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def ldur(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm] | Ft,[Xn|sp,#simm]"""
    def ldurb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#simm]"""
    def ldurh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp,#simm]"""
    def ldursb(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldursh(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp,#simm]"""
    def ldursw(self, dst: Operand, mem: Mem, /) -> None:
        """Xt,[Xn|sp,#simm]"""
    def ldxp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """Rt1,w:Rt2,[Xn|sp]"""
    def ldxr(self, dst: Operand, mem: Mem, /) -> None:
        """Rt,[Xn|sp]"""
    def ldxrb(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    def ldxrh(self, dst: Operand, mem: Mem, /) -> None:
        """Wt,[Xn|sp]"""
    @overload
    def lsl(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,Rm | Wd,Wn,#sh:left.W | Xd,Xn,#sh:left.X | Zd.T,Zn.T,#sh | Zd.T,Zn.T,Zm.d"""
    @overload
    def lsl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,Zm.d | x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def lslr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def lslv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    @overload
    def lsr(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Wd,Wn,#immr | Xd,Xn,#immr | Rd,Rn,Rm | Zd.T,Zn.T,#-sh | Zd.T,Zn.T,Zm.d"""
    @overload
    def lsr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,Zm.d | x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def lsrr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def lsrv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    def luti2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,zt0,Zn[i] | {Zd.T*2},zt0,Zn[i] | {Zd.T*4},zt0,Zn[i]"""
    def luti4(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,zt0,Zn[i] | {Zd.T*2},zt0,Zn[i] | {Zd.T*4},zt0,Zn[i]"""
    def mad(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def madd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Rd,Rn,Rm,Ra"""
    def match(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T"""
    @overload
    def mla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    @overload
    def mla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.T,Pg/M,Zn.T,Zm.T"""
    @overload
    def mls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    @overload
    def mls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def mneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    @overload
    def mov(self, dst: Operand, src: Operand | int, /) -> None:
        """Rd,Rm | Rd|sp,Rn|sp | Wd,#imm:movz.W | Xd,#imm:movz.X | Wd,#imm:movn.W | Xd,#imm:movn.X | Rd|sp,#bimm:ones.R | Vd.T,Vn.T | x:Vd.Ts[i],Vn.Ts[j] | x:Vd.Ts[i],Wn | x:Vd.d[i],Xn | Wd,Vn.s[i] | Xd,Vn.d[i] | Fd,Vn.Ts[i] | Pd.b,Pn.b | Zd.T,Fn | Zd.T,Zn.T[i] | Zd.T,Wn|sp | Zd.d,Xn|sp | Zd.T,#imm:swide.T | Zd.d,Zn.d | {Zd.b*2},ZAtD.b[Ws+12,o:2] | x:ZAtD.b[Ws+12,o:2],{Zn.b*2} | {Zd.h*2},ZAtD.h[Ws+12,o:2] | x:ZAtD.h[Ws+12,o:2],{Zn.h*2} | {Zd.s*2},ZAtD.s[Ws+12,o:2] | x:ZAtD.s[Ws+12,o:2],{Zn.s*2} | {Zd.d*2},ZAtD.d[Ws+12,0:2] | x:ZAtD.d[Ws+12,0:2],{Zn.d*2} | {Zd.b*4},ZAtD.b[Ws+12,o:4] | x:ZAtD.b[Ws+12,o:4],{Zn.b*4} | {Zd.h*4},ZAtD.h[Ws+12,o:4] | x:ZAtD.h[Ws+12,o:4],{Zn.h*4} | {Zd.s*4},ZAtD.s[Ws+12,0:4] | x:ZAtD.s[Ws+12,0:4],{Zn.s*4} | {Zd.d*4},ZAtD.d[Ws+12,0:4] | x:ZAtD.d[Ws+12,0:4],{Zn.d*4} | {Zd.d*2},za.d[Wv+8,o,vgx2] | {Zd.d*4},za.d[Wv+8,o,vgx4] | x:za.d[Wv+8,o,vgx2],{Zn.d*2} | x:za.d[Wv+8,o,vgx4],{Zn.d*4}"""
    @overload
    def mov(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Pd.b,Pg/Z,Pn.b | x:Pd.b,Pg/M,Pn.b | x:Zd.T,Pg/M,#imm:swide.T | Zd.T,Pg/Z,#imm:swide.T | x:Zd.T,Pg/M,Wn|sp | x:Zd.d,Pg/M,Xn|sp | x:Zd.T,Pg/M,Fn | x:Zd.T,Pg/M,Zn.T | x:ZAtD.T[Ws+12,o],Pg/M,Zn.T | x:ZAtD.q[Ws+12,0],Pg/M,Zn.q | x:Zd.T,Pg/M,ZAtD.T[Ws+12,o] | x:Zd.q,Pg/M,ZAtD.q[Ws+12,0]"""
    @overload
    def mova(self, dst: Operand, src: Operand, /) -> None:
        """{Zd.b*2},ZAtD.b[Ws+12,o:2] | x:ZAtD.b[Ws+12,o:2],{Zn.b*2} | {Zd.h*2},ZAtD.h[Ws+12,o:2] | x:ZAtD.h[Ws+12,o:2],{Zn.h*2} | {Zd.s*2},ZAtD.s[Ws+12,o:2] | x:ZAtD.s[Ws+12,o:2],{Zn.s*2} | {Zd.d*2},ZAtD.d[Ws+12,0:2] | x:ZAtD.d[Ws+12,0:2],{Zn.d*2} | {Zd.b*4},ZAtD.b[Ws+12,o:4] | x:ZAtD.b[Ws+12,o:4],{Zn.b*4} | {Zd.h*4},ZAtD.h[Ws+12,o:4] | x:ZAtD.h[Ws+12,o:4],{Zn.h*4} | {Zd.s*4},ZAtD.s[Ws+12,0:4] | x:ZAtD.s[Ws+12,0:4],{Zn.s*4} | {Zd.d*4},ZAtD.d[Ws+12,0:4] | x:ZAtD.d[Ws+12,0:4],{Zn.d*4} | {Zd.d*2},za.d[Wv+8,o,vgx2] | {Zd.d*4},za.d[Wv+8,o,vgx4] | x:za.d[Wv+8,o,vgx2],{Zn.d*2} | x:za.d[Wv+8,o,vgx4],{Zn.d*4}"""
    @overload
    def mova(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:ZAtD.T[Ws+12,o],Pg/M,Zn.T | x:ZAtD.q[Ws+12,0],Pg/M,Zn.q | x:Zd.T,Pg/M,ZAtD.T[Ws+12,o] | x:Zd.q,Pg/M,ZAtD.q[Ws+12,0]"""
    @overload
    def movi(self, dst: Operand, imm: int, /) -> None:
        """Vd.T,#imm | Vd.2d,#imm:bytes | Dd,#imm:bytes"""
    @overload
    def movi(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """Vd.T,#imm,lsl#x*8 | Vd.T,#imm,msl#x*8+8"""
    @overload
    def movk(self, dst: Operand, imm: int, /) -> None:
        """x:Wd,#imm | x:Xd,#imm"""
    @overload
    def movk(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """x:Wd,#imm,lsl#hw*16 | x:Xd,#imm,lsl#hw*16"""
    @overload
    def movn(self, dst: Operand, imm: int, /) -> None:
        """Wd,#imm | Xd,#imm"""
    @overload
    def movn(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """Wd,#imm,lsl#hw*16 | Xd,#imm,lsl#hw*16"""
    @overload
    def movprfx(self, dst: Operand, src: Operand, /) -> None:
        """Zd,Zn"""
    @overload
    def movprfx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T | Zd.T,Pg/Z,Zn.T"""
    @overload
    def movs(self, dst: Operand, src: Operand, /) -> None:
        """Pd.b,Pn.b"""
    @overload
    def movs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b"""
    def movt(self, dst: Operand, src: Operand, /) -> None:
        """Xt,zt0[i*8] | x:zt0[i*8],Xt"""
    @overload
    def movz(self, dst: Operand, imm: int, /) -> None:
        """Wd,#imm | Xd,#imm"""
    @overload
    def movz(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """Wd,#imm,lsl#hw*16 | Xd,#imm,lsl#hw*16"""
    def mrs(self, dst: Operand, src: Operand, /) -> None:
        """Xt,sysreg"""
    def msb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def msr(self, dst: Operand, src: Operand, /) -> None:
        """wsysreg,Xt"""
    def msub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Rd,Rn,Rm,Ra"""
    @overload
    def mul(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,Vm.h[i] | Vd.T,Vn.T,Vm.s[i] | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#simm | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i]"""
    @overload
    def mul(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def mvn(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rm{ror} | Vd.T,Vn.T"""
    @overload
    def mvni(self, dst: Operand, imm: int, /) -> None:
        """Vd.T,#imm"""
    @overload
    def mvni(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """Vd.T,#imm,lsl#x*8 | Vd.T,#imm,msl#x*8+8"""
    def nand(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def nands(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def nbsl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    @overload
    def neg(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rm{lsl} | Vd.T,Vn.T | Dd,Dn"""
    @overload
    def neg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def negs(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rm{lsl}"""
    def ngc(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rm"""
    def ngcs(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rm"""
    def nmatch(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.T,Pg/Z,Zn.T,Zm.T"""
    def nop(self) -> None:
        """no operands"""
    def nor(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def nors(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    @overload
    def not_(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T"""
    @overload
    def not_(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b | x:Zd.T,Pg/M,Zn.T"""
    def nots(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b"""
    @overload
    def orn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T"""
    @overload
    def orn(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def orns(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def orqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def orr(self, dst: Operand, imm: int, /) -> None:
        """x:Vd.T,#imm"""
    @overload
    def orr(self, dst: Operand, src: Operand | int, src2: Operand | int, /) -> None:
        """Rd|sp,Rn,#bimm:mask.R | Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | x:Vd.T,#imm,lsl#x*8 | Zd.d,Zn.d,Zm.d | x:Zdn.T,Zdn.T,#bimm:mask.T"""
    @overload
    def orr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def orrs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg/Z,Pn.b,Pm.b"""
    def orv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    def paciasp(self) -> None:
        """no operands"""
    def pacibsp(self) -> None:
        """no operands"""
    def pext(self, dst: Operand, src: Operand, /) -> None:
        """Pd.T,PNn[i] | {Pd.T*2},PNn[i]"""
    def pfalse(self, dst: Operand, /) -> None:
        """Pd.b"""
    def pfirst(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Pdn.b,Pg,Pdn.b"""
    def pmov(self, dst: Operand, src: Operand, /) -> None:
        """Pd.b,Zn | Pd.h,Zn[i] | Pd.s,Zn[i] | Pd.d,Zn[i] | Zd,Pn.b | x:Zd[i],Pn.h | x:Zd[i],Pn.s | x:Zd[i],Pn.d"""
    def pmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Zd.b,Zn.b,Zm.b"""
    def pmull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T | Vd.1q,Vn.1d,Vm.1d"""
    def pmull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T | Vd.1q,Vn.2d,Vm.2d"""
    def pmullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.q,Zn.d,Zm.d"""
    def pmullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.q,Zn.d,Zm.d"""
    def pnext(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Pdn.T,Pg,Pdn.T"""
    def prfb(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm] | r:vprfop,Pg,[Zn.s,#imm] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw] | r:vprfop,Pg,[Zn.d,#imm] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw] | r:vprfop,Pg,[Xn|sp,Zm.d]"""
    def prfd(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm,lsl#3] | r:vprfop,Pg,[Zn.s,#imm*8] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw#3] | r:vprfop,Pg,[Zn.d,#imm*8] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw#3] | r:vprfop,Pg,[Xn|sp,Zm.d,lsl#3]"""
    def prfh(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm,lsl#1] | r:vprfop,Pg,[Zn.s,#imm*2] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw#1] | r:vprfop,Pg,[Zn.d,#imm*2] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw#1] | r:vprfop,Pg,[Xn|sp,Zm.d,lsl#1]"""
    def prfm(self, src: Operand, target: Mem | Label | int, /) -> None:
        """r:prfop,[Xn|sp,#imm*8] | r:prfop,[Xn|sp,Rm,ext#3] | r:prfop,label*4"""
    def prfum(self, src: Operand, mem: Mem, /) -> None:
        """r:prfop,[Xn|sp,#simm]"""
    def prfw(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm,lsl#2] | r:vprfop,Pg,[Zn.s,#imm*4] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw#2] | r:vprfop,Pg,[Zn.d,#imm*4] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw#2] | r:vprfop,Pg,[Xn|sp,Zm.d,lsl#2]"""
    def psel(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd,Pn,Pm.T[Wv+12,i]"""
    def ptest(self, src: Operand, src2: Operand, /) -> None:
        """r:Pg,Pn.b"""
    @overload
    def ptrue(self, dst: Operand, /) -> None:
        """Pd.T | PNd.T"""
    @overload
    def ptrue(self, dst: Operand, src: Operand, /) -> None:
        """Pd.T,pattern"""
    @overload
    def ptrues(self, dst: Operand, /) -> None:
        """Pd.T"""
    @overload
    def ptrues(self, dst: Operand, src: Operand, /) -> None:
        """Pd.T,pattern"""
    def punpkhi(self, dst: Operand, src: Operand, /) -> None:
        """Pd.h,Pn.b"""
    def punpklo(self, dst: Operand, src: Operand, /) -> None:
        """Pd.h,Pn.b"""
    def raddhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.Ta,Vm.Ta"""
    def raddhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Ta,Vm.Ta"""
    def raddhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.Ta,Zm.Ta"""
    def raddhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.Ta,Zm.Ta"""
    def rax1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.2d,Vn.2d,Vm.2d | Zd.d,Zn.d,Zm.d"""
    @overload
    def rbit(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn | Vd.T,Vn.T"""
    @overload
    def rbit(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def rdffr(self, dst: Operand, /) -> None:
        """Pd.b"""
    @overload
    def rdffr(self, dst: Operand, src: Operand, /) -> None:
        """Pd.b,Pg/Z"""
    def rdffrs(self, dst: Operand, src: Operand, /) -> None:
        """Pd.b,Pg/Z"""
    def rdsvl(self, dst: Operand, imm: int, /) -> None:
        """Xd,#simm"""
    def rdvl(self, dst: Operand, imm: int, /) -> None:
        """Xd,#simm"""
    @overload
    def ret(self) -> None:
        """no operands"""
    @overload
    def ret(self, src: Operand, /) -> None:
        """r:Xn"""
    def rev(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn | Pd.T,Pn.T | Zd.T,Zn.T"""
    def rev16(self, dst: Operand, src: Operand, /) -> None:
        """Rd,Rn | Vd.T,Vn.T"""
    def rev32(self, dst: Operand, src: Operand, /) -> None:
        """Xd,Xn | Vd.T,Vn.T"""
    def rev64(self, dst: Operand, src: Operand, /) -> None:
        """Xd,Xn | Vd.T,Vn.T"""
    def revb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def revd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.q,Pg/M,Zn.q"""
    def revh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def revw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.d,Pg/M,Zn.d"""
    def rmif(self, src: Operand, imm: int, imm2: int, /) -> None:
        """r:Xn,#imm,#mask"""
    def ror(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,Rm | Wd,Wn,#lsb | Xd,Xn,#lsb"""
    def rorv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    def rshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh"""
    def rshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def rshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def rshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    def rsubhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.Ta,Vm.Ta"""
    def rsubhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Ta,Vm.Ta"""
    def rsubhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.Ta,Zm.Ta"""
    def rsubhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.Ta,Zm.Ta"""
    def saba(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Zda.T,Zn.T,Zm.T"""
    def sabal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T"""
    def sabal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T"""
    def sabalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T"""
    def sabalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T"""
    @overload
    def sabd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def sabd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sabdl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def sabdl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def sabdlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def sabdlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    @overload
    def sadalp(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.Ta,Vn.T"""
    @overload
    def sadalp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Pg/M,Zn.T"""
    def saddl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def saddl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def saddlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def saddlbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def saddlp(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T"""
    def saddlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def saddlv(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T"""
    def saddv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Dd,Pg,Zn.T"""
    def saddw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def saddw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def saddwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def saddwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def sb(self) -> None:
        """no operands"""
    def sbc(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    def sbclb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.T,Zn.T,Zm.T"""
    def sbclt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.T,Zn.T,Zm.T"""
    def sbcs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    def sbfiz(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """Rd,Rn,#lsb:negated.R,#width:length.R"""
    def sbfm(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """Rd,Rn,#immr,#imms"""
    def sbfx(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """Rd,Rn,#lsb:start.R,#width:width.R"""
    def sclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.T,Zm.T | x:{Zd.T*2},Zn.T,Zm.T | x:{Zd.T*4},Zn.T,Zm.T"""
    @overload
    def scvtf(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | Fd,Rn | Hd,Rn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def scvtf(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Fd,Xn,#-sh | Hd,Xn,#-sh | Fd,Wn,#-sh | Hd,Wn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    @overload
    def sdiv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    @overload
    def sdiv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sdivr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.b,Zm.b[i] | x:Zda.d,Zn.h,Zm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def sel(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Pd.b,Pg,Pn.b,Pm.b | Zd.T,Pg,Zn.T,Zm.T | {Zd.T*2},PNg,{Zn.T*2},{Zm.T*2} | {Zd.T*4},PNg,{Zn.T*4},{Zm.T*4}"""
    def setf16(self, src: Operand, /) -> None:
        """r:Wn"""
    def setf8(self, src: Operand, /) -> None:
        """r:Wn"""
    def setffr(self) -> None:
        """no operands"""
    def sev(self) -> None:
        """no operands"""
    def sevl(self) -> None:
        """no operands"""
    def sha1c(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Qd,Sn,Vm.4s"""
    def sha1h(self, dst: Operand, src: Operand, /) -> None:
        """Sd,Sn"""
    def sha1m(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Qd,Sn,Vm.4s"""
    def sha1p(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Qd,Sn,Vm.4s"""
    def sha1su0(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.4s"""
    def sha1su1(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.4s,Vn.4s"""
    def sha256h(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Qd,Qn,Vm.4s"""
    def sha256h2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Qd,Qn,Vm.4s"""
    def sha256su0(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.4s,Vn.4s"""
    def sha256su1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.4s"""
    def sha512h(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Qd,Qn,Vm.2d"""
    def sha512h2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Qd,Qn,Vm.2d"""
    def sha512su0(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.2d,Vn.2d"""
    def sha512su1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.2d,Vn.2d,Vm.2d"""
    @overload
    def shadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def shadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def shl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#sh | Dd,Dn,#sh"""
    def shll(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.Ta,Vn.T,#8 | Vd.Ta,Vn.T,#16 | Vd.Ta,Vn.T,#32"""
    def shll2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.Ta,Vn.T,#8 | Vd.Ta,Vn.T,#16 | Vd.Ta,Vn.T,#32"""
    def shrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh"""
    def shrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def shrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def shrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def shsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def shsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def shsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sli(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.T,#sh | x:Dd,Dn,#sh | x:Zd.T,Zn.T,#sh"""
    def sm3partw1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.4s"""
    def sm3partw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.4s"""
    def sm3ss1(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Vd.4s,Vn.4s,Vm.4s,Va.4s"""
    def sm3tt1a(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.s[i]"""
    def sm3tt1b(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.s[i]"""
    def sm3tt2a(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.s[i]"""
    def sm3tt2b(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.4s,Vm.s[i]"""
    @overload
    def sm4e(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.4s,Vn.4s"""
    @overload
    def sm4e(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zdn.s,Zdn.s,Zm.s"""
    def sm4ekey(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.4s,Vn.4s,Vm.4s | Zd.s,Zn.s,Zm.s"""
    def smaddl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Xd,Wn,Wm,Xa"""
    @overload
    def smax(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,#simm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#simm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def smax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def smaxp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def smaxp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def smaxqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def smaxv(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T"""
    @overload
    def smaxv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    def smc(self, imm: int, /) -> None:
        """#imm"""
    @overload
    def smin(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,#simm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#simm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def smin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def sminp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def sminp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sminqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def sminv(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T"""
    @overload
    def sminv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    def smlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def smlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def smlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def smlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def smlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def smlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smlsll(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def smlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.16b,Vm.16b | x:Zda.s,Zn.b,Zm.b"""
    def smnegl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,Wn,Wm"""
    def smopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def smops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def smov(self, dst: Operand, src: Operand, /) -> None:
        """Wd,Vn.Ts[i] | Xd,Vn.Ts[i]"""
    @overload
    def smstart(self) -> None:
        """no operands"""
    @overload
    def smstart(self, src: Operand, /) -> None:
        """svcr"""
    @overload
    def smstop(self) -> None:
        """no operands"""
    @overload
    def smstop(self, src: Operand, /) -> None:
        """svcr"""
    def smsubl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Xd,Wn,Wm,Xa"""
    @overload
    def smulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,Xn,Xm | Zd.T,Zn.T,Zm.T"""
    @overload
    def smulh(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def smull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,Wn,Wm | Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.4h,Vm.h[i] | Vd.2d,Vn.2s,Vm.s[i]"""
    def smull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.8h,Vm.h[i] | Vd.2d,Vn.4s,Vm.s[i]"""
    def smullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    def smullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    @overload
    def splice(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Pg,{Zn.T*2}"""
    @overload
    def splice(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg,Zdn.T,Zm.T"""
    @overload
    def sqabs(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn"""
    @overload
    def sqabs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def sqadd(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def sqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqcadd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.T,Zdn.T,Zm.T,#rot:90|270"""
    def sqcvt(self, dst: Operand, src: Operand, /) -> None:
        """Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def sqcvtn(self, dst: Operand, src: Operand, /) -> None:
        """Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def sqcvtu(self, dst: Operand, src: Operand, /) -> None:
        """Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def sqcvtun(self, dst: Operand, src: Operand, /) -> None:
        """Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    @overload
    def sqdecb(self, dst: Operand, /) -> None:
        """x:Xdn"""
    @overload
    def sqdecb(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn"""
    @overload
    def sqdecb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdecb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqdecd(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.d"""
    @overload
    def sqdecd(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.d,pattern"""
    @overload
    def sqdecd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdecd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqdech(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.h"""
    @overload
    def sqdech(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.h,pattern"""
    @overload
    def sqdech(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdech(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqdecp(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def sqdecp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,Pm.T,Wdn"""
    @overload
    def sqdecw(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.s"""
    @overload
    def sqdecw(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.s,pattern"""
    @overload
    def sqdecw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdecw(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    def sqdmlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Gd,Fn,Fm | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:Sd,Hn,Vm.h[i] | x:Dd,Sn,Vm.s[i]"""
    def sqdmlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def sqdmlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmlalbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T"""
    def sqdmlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Gd,Fn,Fm | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:Sd,Hn,Vm.h[i] | x:Dd,Sn,Vm.s[i]"""
    def sqdmlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def sqdmlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmlslbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T"""
    def sqdmlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,Vm.h[i] | Vd.T,Vn.T,Vm.s[i] | Hd,Hn,Vm.h[i] | Sd,Sn,Vm.s[i] | Zd.T,Zn.T,Zm.T | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i] | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    def sqdmull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T | Gd,Fn,Fm | Vd.4s,Vn.4h,Vm.h[i] | Vd.2d,Vn.2s,Vm.s[i] | Sd,Hn,Vm.h[i] | Dd,Sn,Vm.s[i]"""
    def sqdmull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.8h,Vm.h[i] | Vd.2d,Vn.4s,Vm.s[i]"""
    def sqdmullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    def sqdmullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    @overload
    def sqincb(self, dst: Operand, /) -> None:
        """x:Xdn"""
    @overload
    def sqincb(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn"""
    @overload
    def sqincb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqincb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqincd(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.d"""
    @overload
    def sqincd(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.d,pattern"""
    @overload
    def sqincd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqincd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqinch(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.h"""
    @overload
    def sqinch(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.h,pattern"""
    @overload
    def sqinch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqinch(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqincp(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def sqincp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,Pm.T,Wdn"""
    @overload
    def sqincw(self, dst: Operand, /) -> None:
        """x:Xdn | x:Zdn.s"""
    @overload
    def sqincw(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.s,pattern"""
    @overload
    def sqincw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqincw(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqneg(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn"""
    @overload
    def sqneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def sqrdcmlah(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zda.T,Zn.T,Zm.T,#rot*90 | x:Zda.h,Zn.h,Zm.h[i],#rot*90 | x:Zda.s,Zn.s,Zm.s[i],#rot*90"""
    def sqrdmlah(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Fd,Fn,Fm | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Hd,Hn,Vm.h[i] | x:Sd,Sn,Vm.s[i] | x:Zda.T,Zn.T,Zm.T | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    def sqrdmlsh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Fd,Fn,Fm | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Hd,Hn,Vm.h[i] | x:Sd,Sn,Vm.s[i] | x:Zda.T,Zn.T,Zm.T | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    def sqrdmulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,Vm.h[i] | Vd.T,Vn.T,Vm.s[i] | Hd,Hn,Vm.h[i] | Sd,Sn,Vm.s[i] | Zd.T,Zn.T,Zm.T | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i]"""
    @overload
    def sqrshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm"""
    @overload
    def sqrshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqrshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqrshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh | Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def sqrshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def sqrshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    def sqrshru(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrun(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh | Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrun2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def sqrshrunb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def sqrshrunt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def sqshl(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,#sh | Fd,Fn,#sh"""
    @overload
    def sqshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def sqshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def sqshlu(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#sh | Fd,Fn,#sh"""
    @overload
    def sqshlu(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def sqshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh"""
    def sqshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def sqshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def sqshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    def sqshrun(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh"""
    def sqshrun2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def sqshrunb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def sqshrunt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def sqsub(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def sqsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqxtn(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.Ta | Fd,Gn"""
    def sqxtn2(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.T,Vn.Ta"""
    def sqxtnb(self, dst: Operand, src: Operand, /) -> None:
        """Zd.T,Zn.Ta"""
    def sqxtnt(self, dst: Operand, src: Operand, /) -> None:
        """x:Zd.T,Zn.Ta"""
    def sqxtun(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.Ta | Fd,Gn"""
    def sqxtun2(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.T,Vn.Ta"""
    def sqxtunb(self, dst: Operand, src: Operand, /) -> None:
        """Zd.T,Zn.Ta"""
    def sqxtunt(self, dst: Operand, src: Operand, /) -> None:
        """x:Zd.T,Zn.Ta"""
    @overload
    def srhadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def srhadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sri(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zd.T,Zn.T,#-sh"""
    @overload
    def srshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def srshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def srshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def srshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    @overload
    def srshr(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def srsra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def sshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def sshll(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.Ta,Vn.T,#sh"""
    def sshll2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.Ta,Vn.T,#sh"""
    def sshllb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.Ta,Zn.T,#sh"""
    def sshllt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.Ta,Zn.T,#sh"""
    def sshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    def ssra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def ssubl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def ssubl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def ssublb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def ssublbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def ssublt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def ssubltb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def ssubw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def ssubw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def ssubwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def ssubwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def st1(self, src: Operand, mem: Mem, /) -> None:
        """r:{Vt.T*1},w:[Xn|sp] | r:{Vt.T*1},w:[Xn|sp],#8 | r:{Vt.T*1},w:[Xn|sp],#16 | r:{Vt.T*1},w:[Xn|sp],Xm | r:{Vt.T*2},w:[Xn|sp] | r:{Vt.T*2},w:[Xn|sp],#16 | r:{Vt.T*2},w:[Xn|sp],#32 | r:{Vt.T*2},w:[Xn|sp],Xm | r:{Vt.T*3},w:[Xn|sp] | r:{Vt.T*3},w:[Xn|sp],#24 | r:{Vt.T*3},w:[Xn|sp],#48 | r:{Vt.T*3},w:[Xn|sp],Xm | r:{Vt.T*4},w:[Xn|sp] | r:{Vt.T*4},w:[Xn|sp],#32 | r:{Vt.T*4},w:[Xn|sp],#64 | r:{Vt.T*4},w:[Xn|sp],Xm | r:{Vt.b*1}[i],w:[Xn|sp] | r:{Vt.b*1}[i],w:[Xn|sp],#1 | r:{Vt.b*1}[i],w:[Xn|sp],Xm | r:{Vt.h*1}[i],w:[Xn|sp] | r:{Vt.h*1}[i],w:[Xn|sp],#2 | r:{Vt.h*1}[i],w:[Xn|sp],Xm | r:{Vt.s*1}[i],w:[Xn|sp] | r:{Vt.s*1}[i],w:[Xn|sp],#4 | r:{Vt.s*1}[i],w:[Xn|sp],Xm | r:{Vt.d*1}[i],w:[Xn|sp] | r:{Vt.d*1}[i],w:[Xn|sp],#8 | r:{Vt.d*1}[i],w:[Xn|sp],Xm"""
    def st1b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.T*1},Pg,w:[Xn|sp,Xm] | r:{Zt.s*1},Pg,w:[Zn.s,#imm] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw] | r:{Zt.d*1},Pg,w:[Zn.d,#imm] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.b*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2%8},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4%4},PNg,w:[Xn|sp,Xm|zr] | r:{ZAtD.b[Ws+12,o]},Pg,w:[Xn|sp,Xm] | r:{ZAtD.b[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st1d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.d*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.d*1},Pg,w:[Xn|sp,Xm,lsl#3] | r:{Zt.d*1},Pg,w:[Zn.d,#imm*8] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#3] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#3] | r:{Zt.q*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.q*1},Pg,w:[Xn|sp,Xm,lsl#3] | r:{Zt.d*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{ZAtD.d[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#3] | r:{ZAtD.d[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st1h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.T*1},Pg,w:[Xn|sp,Xm,lsl#1] | r:{Zt.s*1},Pg,w:[Zn.s,#imm*2] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw#1] | r:{Zt.d*1},Pg,w:[Zn.d,#imm*2] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#1] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#1] | r:{Zt.h*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{ZAtD.h[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#1] | r:{ZAtD.h[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st1q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.q*1},Pg,w:[Zn.d,Xm] | r:{Zt.q*1},Pg,w:[Zn.d] | r:{ZAtD.q[Ws+12,0]},Pg,w:[Xn|sp,Xm,lsl#4] | r:{ZAtD.q[Ws+12,0]},Pg,w:[Xn|sp]"""
    def st1w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.T*1},Pg,w:[Xn|sp,Xm,lsl#2] | r:{Zt.s*1},Pg,w:[Zn.s,#imm*4] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw#2] | r:{Zt.d*1},Pg,w:[Zn.d,#imm*4] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#2] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#2] | r:{Zt.q*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.q*1},Pg,w:[Xn|sp,Xm,lsl#2] | r:{Zt.s*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{ZAtD.s[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#2] | r:{ZAtD.s[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st2(self, src: Operand, mem: Mem, /) -> None:
        """r:{Vt.T*2},w:[Xn|sp] | r:{Vt.T*2},w:[Xn|sp],#16 | r:{Vt.T*2},w:[Xn|sp],#32 | r:{Vt.T*2},w:[Xn|sp],Xm | r:{Vt.b*2}[i],w:[Xn|sp] | r:{Vt.b*2}[i],w:[Xn|sp],#2 | r:{Vt.b*2}[i],w:[Xn|sp],Xm | r:{Vt.h*2}[i],w:[Xn|sp] | r:{Vt.h*2}[i],w:[Xn|sp],#4 | r:{Vt.h*2}[i],w:[Xn|sp],Xm | r:{Vt.s*2}[i],w:[Xn|sp] | r:{Vt.s*2}[i],w:[Xn|sp],#8 | r:{Vt.s*2}[i],w:[Xn|sp],Xm | r:{Vt.d*2}[i],w:[Xn|sp] | r:{Vt.d*2}[i],w:[Xn|sp],#16 | r:{Vt.d*2}[i],w:[Xn|sp],Xm"""
    def st2b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.b*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2},Pg,w:[Xn|sp,Xm]"""
    def st2d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.d*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2},Pg,w:[Xn|sp,Xm,lsl#3]"""
    def st2h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.h*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2},Pg,w:[Xn|sp,Xm,lsl#1]"""
    def st2q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.q*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.q*2},Pg,w:[Xn|sp,Xm,lsl#4]"""
    def st2w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.s*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2},Pg,w:[Xn|sp,Xm,lsl#2]"""
    def st3(self, src: Operand, mem: Mem, /) -> None:
        """r:{Vt.T*3},w:[Xn|sp] | r:{Vt.T*3},w:[Xn|sp],#24 | r:{Vt.T*3},w:[Xn|sp],#48 | r:{Vt.T*3},w:[Xn|sp],Xm | r:{Vt.b*3}[i],w:[Xn|sp] | r:{Vt.b*3}[i],w:[Xn|sp],#3 | r:{Vt.b*3}[i],w:[Xn|sp],Xm | r:{Vt.h*3}[i],w:[Xn|sp] | r:{Vt.h*3}[i],w:[Xn|sp],#6 | r:{Vt.h*3}[i],w:[Xn|sp],Xm | r:{Vt.s*3}[i],w:[Xn|sp] | r:{Vt.s*3}[i],w:[Xn|sp],#12 | r:{Vt.s*3}[i],w:[Xn|sp],Xm | r:{Vt.d*3}[i],w:[Xn|sp] | r:{Vt.d*3}[i],w:[Xn|sp],#24 | r:{Vt.d*3}[i],w:[Xn|sp],Xm"""
    def st3b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.b*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.b*3},Pg,w:[Xn|sp,Xm]"""
    def st3d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.d*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.d*3},Pg,w:[Xn|sp,Xm,lsl#3]"""
    def st3h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.h*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.h*3},Pg,w:[Xn|sp,Xm,lsl#1]"""
    def st3q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.q*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.q*3},Pg,w:[Xn|sp,Xm,lsl#4]"""
    def st3w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.s*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.s*3},Pg,w:[Xn|sp,Xm,lsl#2]"""
    def st4(self, src: Operand, mem: Mem, /) -> None:
        """r:{Vt.T*4},w:[Xn|sp] | r:{Vt.T*4},w:[Xn|sp],#32 | r:{Vt.T*4},w:[Xn|sp],#64 | r:{Vt.T*4},w:[Xn|sp],Xm | r:{Vt.b*4}[i],w:[Xn|sp] | r:{Vt.b*4}[i],w:[Xn|sp],#4 | r:{Vt.b*4}[i],w:[Xn|sp],Xm | r:{Vt.h*4}[i],w:[Xn|sp] | r:{Vt.h*4}[i],w:[Xn|sp],#8 | r:{Vt.h*4}[i],w:[Xn|sp],Xm | r:{Vt.s*4}[i],w:[Xn|sp] | r:{Vt.s*4}[i],w:[Xn|sp],#16 | r:{Vt.s*4}[i],w:[Xn|sp],Xm | r:{Vt.d*4}[i],w:[Xn|sp] | r:{Vt.d*4}[i],w:[Xn|sp],#32 | r:{Vt.d*4}[i],w:[Xn|sp],Xm"""
    def st4b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.b*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4},Pg,w:[Xn|sp,Xm]"""
    def st4d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.d*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4},Pg,w:[Xn|sp,Xm,lsl#3]"""
    def st4h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.h*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4},Pg,w:[Xn|sp,Xm,lsl#1]"""
    def st4q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.q*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.q*4},Pg,w:[Xn|sp,Xm,lsl#4]"""
    def st4w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.s*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4},Pg,w:[Xn|sp,Xm,lsl#2]"""
    def stadd(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def staddb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def staddh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def staddl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def staddlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def staddlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stclr(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stclrb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stclrh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stclrl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stclrlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stclrlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def steor(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def steorb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def steorh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def steorl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def steorlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def steorlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stlr(self, src: Operand, mem: Mem, /) -> None:
        """r:Rt,w:[Xn|sp]"""
    def stlrb(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp]"""
    def stlrh(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp]"""
    def stlur(self, src: Operand, mem: Mem, /) -> None:
        """r:Rt,w:[Xn|sp,#simm]"""
    def stlurb(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#simm]"""
    def stlurh(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#simm]"""
    def stlxp(self, dst: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """Ws,Rt1,Rt2,w:[Xn|sp]"""
    def stlxr(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """Ws,Rt,w:[Xn|sp]"""
    def stlxrb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """Ws,Wt,w:[Xn|sp]"""
    def stlxrh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """Ws,Wt,w:[Xn|sp]"""
    def stnp(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:Wt1,Wt2,w:[Xn|sp,#simm*4] | r:Xt1,Xt2,w:[Xn|sp,#simm*8] | r:St1,St2,w:[Xn|sp,#simm*4] | r:Dt1,Dt2,w:[Xn|sp,#simm*8] | r:Qt1,Qt2,w:[Xn|sp,#simm*16]"""
    def stnt1b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.b*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.b*1},Pg,w:[Xn|sp,Xm] | r:{Zt.s*1},Pg,w:[Zn.s,Xm] | r:{Zt.s*1},Pg,w:[Zn.s] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.b*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2%8},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4%4},PNg,w:[Xn|sp,Xm|zr]"""
    def stnt1d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.d*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.d*1},Pg,w:[Xn|sp,Xm,lsl#3] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.d*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#3]"""
    def stnt1h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.h*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.h*1},Pg,w:[Xn|sp,Xm,lsl#1] | r:{Zt.s*1},Pg,w:[Zn.s,Xm] | r:{Zt.s*1},Pg,w:[Zn.s] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.h*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#1]"""
    def stnt1w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:{Zt.s*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.s*1},Pg,w:[Xn|sp,Xm,lsl#2] | r:{Zt.s*1},Pg,w:[Zn.s,Xm] | r:{Zt.s*1},Pg,w:[Zn.s] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.s*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#2]"""
    def stp(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """r:Wt1,Wt2,w:[Xn|sp,#simm*4] | r:Xt1,Xt2,w:[Xn|sp,#simm*8] | r:Wt1,Wt2,w:[Xn|sp,#simm*4]! | r:Xt1,Xt2,w:[Xn|sp,#simm*8]! | r:Wt1,Wt2,w:[Xn|sp],#simm*4 | r:Xt1,Xt2,w:[Xn|sp],#simm*8 | r:St1,St2,w:[Xn|sp,#simm*4] | r:St1,St2,w:[Xn|sp,#simm*4]! | r:St1,St2,w:[Xn|sp],#simm*4 | r:Dt1,Dt2,w:[Xn|sp,#simm*8] | r:Dt1,Dt2,w:[Xn|sp,#simm*8]! | r:Dt1,Dt2,w:[Xn|sp],#simm*8 | r:Qt1,Qt2,w:[Xn|sp,#simm*16] | r:Qt1,Qt2,w:[Xn|sp,#simm*16]! | r:Qt1,Qt2,w:[Xn|sp],#simm*16"""
    def str(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#imm*4] | r:Xt,w:[Xn|sp,#imm*8] | r:Rt,w:[Xn|sp,#simm]! | r:Rt,w:[Xn|sp],#simm | r:Wt,w:[Xn|sp,Rm,ext#2] | r:Xt,w:[Xn|sp,Rm,ext#3] | r:Bt,w:[Xn|sp,#imm] | r:Ht,w:[Xn|sp,#imm*2] | r:St,w:[Xn|sp,#imm*4] | r:Dt,w:[Xn|sp,#imm*8] | r:Qt,w:[Xn|sp,#imm*16] | r:Ft,w:[Xn|sp,#simm]! | r:Ft,w:[Xn|sp],#simm | r:Bt,w:[Xn|sp,Rm,ext#0] | r:Ht,w:[Xn|sp,Rm,ext#1] | r:St,w:[Xn|sp,Rm,ext#2] | r:Dt,w:[Xn|sp,Rm,ext#3] | r:Qt,w:[Xn|sp,Rm,ext#4] | r:Zt,w:[Xn|sp,#simm,mul vl] | r:Pt,w:[Xn|sp,#simm,mul vl] | r:za[Wv+12,o],w:[Xn|sp,#o,mul vl] | r:zt0,w:[Xn|sp]"""
    def strb(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#imm] | r:Wt,w:[Xn|sp,#simm]! | r:Wt,w:[Xn|sp],#simm | r:Wt,w:[Xn|sp,Rm,ext#0]"""
    def strh(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#imm*2] | r:Wt,w:[Xn|sp,#simm]! | r:Wt,w:[Xn|sp],#simm | r:Wt,w:[Xn|sp,Rm,ext#1]"""
    def stset(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stsetb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stseth(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsetl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stsetlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsetlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsmax(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stsmaxb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsmaxh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsmaxl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stsmaxlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsmaxlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsmin(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stsminb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsminh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsminl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stsminlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stsminlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def sttr(self, src: Operand, mem: Mem, /) -> None:
        """r:Rt,w:[Xn|sp,#simm]"""
    def sttrb(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#simm]"""
    def sttrh(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#simm]"""
    def stumax(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stumaxb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stumaxh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stumaxl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stumaxlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stumaxlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stumin(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stuminb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stuminh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stuminl(self, src: Operand, mem: Mem, /) -> None:
        """r:Rs,x:[Xn|sp]"""
    def stuminlb(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stuminlh(self, src: Operand, mem: Mem, /) -> None:
        """r:Ws,x:[Xn|sp]"""
    def stur(self, src: Operand, mem: Mem, /) -> None:
        """r:Rt,w:[Xn|sp,#simm] | r:Ft,w:[Xn|sp,#simm]"""
    def sturb(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#simm]"""
    def sturh(self, src: Operand, mem: Mem, /) -> None:
        """r:Wt,w:[Xn|sp,#simm]"""
    def stxp(self, dst: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """Ws,Rt1,Rt2,w:[Xn|sp]"""
    def stxr(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """Ws,Rt,w:[Xn|sp]"""
    def stxrb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """Ws,Wt,w:[Xn|sp]"""
    def stxrh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """Ws,Wt,w:[Xn|sp]"""
    @overload
    def sub(self, dst: Operand, src: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4}"""
    @overload
    def sub(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd|sp,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd|sp,Rn|sp,Rm{ext} | Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4}"""
    @overload
    def sub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def subhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.Ta,Vm.Ta"""
    def subhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Ta,Vm.Ta"""
    def subhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.Ta,Zm.Ta"""
    def subhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.Ta,Zm.Ta"""
    @overload
    def subr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def subr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def subs(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd,Rn|sp,Rm{ext}"""
    def sudot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.s,Zn.b,Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def sumlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]"""
    def sumopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    def sumops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    def sunpk(self, dst: Operand, src: Operand, /) -> None:
        """{Zd.Ta*2},Zn.T | {Zd.Ta*4},{Zn.T*2}"""
    def sunpkhi(self, dst: Operand, src: Operand, /) -> None:
        """Zd.Ta,Zn.T"""
    def sunpklo(self, dst: Operand, src: Operand, /) -> None:
        """Zd.Ta,Zn.T"""
    @overload
    def suqadd(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.T,Vn.T | x:Fd,Fn"""
    @overload
    def suqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def suvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def svc(self, imm: int, /) -> None:
        """#imm"""
    def svdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def swp(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def swpa(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def swpab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def swpah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def swpal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def swpalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def swpalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def swpb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def swph(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def swpl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Rs,w:Rt,x:[Xn|sp]"""
    def swplb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    def swplh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """r:Ws,w:Wt,x:[Xn|sp]"""
    @overload
    def sxtb(self, dst: Operand, src: Operand, /) -> None:
        """Wd,Wn | Xd,Wn"""
    @overload
    def sxtb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def sxth(self, dst: Operand, src: Operand, /) -> None:
        """Wd,Wn | Xd,Wn"""
    @overload
    def sxth(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def sxtl(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T"""
    def sxtl2(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T"""
    @overload
    def sxtw(self, dst: Operand, src: Operand, /) -> None:
        """Xd,Wn"""
    @overload
    def sxtw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.d,Pg/M,Zn.d"""
    def tbl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,{Vn.16b*1},Vm.T | Vd.T,{Vn.16b*2},Vm.T | Vd.T,{Vn.16b*3},Vm.T | Vd.T,{Vn.16b*4},Vm.T | Zd.T,{Zn.T*1},Zm.T | Zd.T,{Zn.T*2},Zm.T"""
    def tblq(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,{Zn.T*1},Zm.T"""
    def tbnz(self, src: Operand, imm: int, target: Label | int, /) -> None:
        """r:Wt,#bit,label*4 | r:Xt,#bit,label*4"""
    def tbx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,{Vn.16b*1},Vm.T | x:Vd.T,{Vn.16b*2},Vm.T | x:Vd.T,{Vn.16b*3},Vm.T | x:Vd.T,{Vn.16b*4},Vm.T | x:Zd.T,Zn.T,Zm.T"""
    def tbxq(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.T,Zm.T"""
    def tbz(self, src: Operand, imm: int, target: Label | int, /) -> None:
        """r:Wt,#bit,label*4 | r:Xt,#bit,label*4"""
    def trn1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def trn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def tst(self, src: Operand, src2: Operand | int, /) -> None:
        """r:Rn,#bimm:mask.R | r:Rn,Rm{ror}"""
    def uaba(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.T,Vm.T | x:Zda.T,Zn.T,Zm.T"""
    def uabal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T"""
    def uabal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T"""
    def uabalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T"""
    def uabalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T"""
    @overload
    def uabd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def uabd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uabdl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def uabdl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def uabdlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def uabdlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    @overload
    def uadalp(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.Ta,Vn.T"""
    @overload
    def uadalp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Pg/M,Zn.T"""
    def uaddl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def uaddl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def uaddlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def uaddlp(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T"""
    def uaddlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def uaddlv(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T"""
    def uaddv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Dd,Pg,Zn.T"""
    def uaddw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def uaddw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def uaddwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def uaddwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def ubfiz(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """Rd,Rn,#lsb:negated.R,#width:length.R"""
    def ubfm(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """Rd,Rn,#immr,#imms"""
    def ubfx(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """Rd,Rn,#lsb:start.R,#width:width.R"""
    def uclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Zn.T,Zm.T | x:{Zd.T*2},Zn.T,Zm.T | x:{Zd.T*4},Zn.T,Zm.T"""
    @overload
    def ucvtf(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T | Fd,Fn | Hd,Hn | Fd,Rn | Hd,Rn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def ucvtf(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Fd,Xn,#-sh | Hd,Xn,#-sh | Fd,Wn,#-sh | Hd,Wn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    def udf(self, imm: int, /) -> None:
        """#imm"""
    @overload
    def udiv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Rd,Rn,Rm"""
    @overload
    def udiv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def udivr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def udot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.b,Zm.b[i] | x:Zda.d,Zn.h,Zm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def uhadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def uhadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def uhsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def uhsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uhsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def umaddl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Xd,Wn,Wm,Xa"""
    @overload
    def umax(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,#imm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#imm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def umax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def umaxp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def umaxp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def umaxqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def umaxv(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T"""
    @overload
    def umaxv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    @overload
    def umin(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Rd,Rn,#imm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#imm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def umin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def uminp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def uminp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uminqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Pg,Zn.T"""
    @overload
    def uminv(self, dst: Operand, src: Operand, /) -> None:
        """Fd,Vn.T"""
    @overload
    def uminv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Fd,Pg,Zn.T"""
    def umlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def umlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def umlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def umlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def umlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def umlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def umlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def umlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def umlsll(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def umlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def ummla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.16b,Vm.16b | x:Zda.s,Zn.b,Zm.b"""
    def umnegl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,Wn,Wm"""
    def umopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def umops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def umov(self, dst: Operand, src: Operand, /) -> None:
        """Wd,Vn.Ts[i] | Xd,Vn.d[i]"""
    def umsubl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """Xd,Wn,Wm,Xa"""
    @overload
    def umulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,Xn,Xm | Zd.T,Zn.T,Zm.T"""
    @overload
    def umulh(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def umull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Xd,Wn,Wm | Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.4h,Vm.h[i] | Vd.2d,Vn.2s,Vm.s[i]"""
    def umull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.8h,Vm.h[i] | Vd.2d,Vn.4s,Vm.s[i]"""
    def umullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    def umullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    @overload
    def uqadd(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def uqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqcvt(self, dst: Operand, src: Operand, /) -> None:
        """Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def uqcvtn(self, dst: Operand, src: Operand, /) -> None:
        """Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    @overload
    def uqdecb(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn"""
    @overload
    def uqdecb(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern"""
    @overload
    def uqdecb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1"""
    @overload
    def uqdecd(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn | x:Zdn.d"""
    @overload
    def uqdecd(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern | x:Zdn.d,pattern"""
    @overload
    def uqdecd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def uqdech(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn | x:Zdn.h"""
    @overload
    def uqdech(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern | x:Zdn.h,pattern"""
    @overload
    def uqdech(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def uqdecp(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,Pm.T | x:Wdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def uqdecw(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn | x:Zdn.s"""
    @overload
    def uqdecw(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern | x:Zdn.s,pattern"""
    @overload
    def uqdecw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    @overload
    def uqincb(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn"""
    @overload
    def uqincb(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern"""
    @overload
    def uqincb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1"""
    @overload
    def uqincd(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn | x:Zdn.d"""
    @overload
    def uqincd(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern | x:Zdn.d,pattern"""
    @overload
    def uqincd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def uqinch(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn | x:Zdn.h"""
    @overload
    def uqinch(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern | x:Zdn.h,pattern"""
    @overload
    def uqinch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def uqincp(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,Pm.T | x:Wdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def uqincw(self, dst: Operand, /) -> None:
        """x:Xdn | x:Wdn | x:Zdn.s"""
    @overload
    def uqincw(self, dst: Operand, src: Operand, /) -> None:
        """x:Xdn,pattern | x:Wdn,pattern | x:Zdn.s,pattern"""
    @overload
    def uqincw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    @overload
    def uqrshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm"""
    @overload
    def uqrshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqrshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqrshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def uqrshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh | Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def uqrshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def uqrshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def uqrshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def uqshl(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,#sh | Fd,Fn,#sh"""
    @overload
    def uqshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def uqshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh"""
    def uqshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.Ta,#-sh"""
    def uqshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.T,Zn.Ta,#-sh"""
    def uqshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def uqsub(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def uqsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqxtn(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.Ta | Fd,Gn"""
    def uqxtn2(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.T,Vn.Ta"""
    def uqxtnb(self, dst: Operand, src: Operand, /) -> None:
        """Zd.T,Zn.Ta"""
    def uqxtnt(self, dst: Operand, src: Operand, /) -> None:
        """x:Zd.T,Zn.Ta"""
    @overload
    def urecpe(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T"""
    @overload
    def urecpe(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.s,Pg/M,Zn.s"""
    @overload
    def urhadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T"""
    @overload
    def urhadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def urshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def urshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def urshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def urshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    @overload
    def urshr(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    @overload
    def ursqrte(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.T"""
    @overload
    def ursqrte(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.s,Pg/M,Zn.s"""
    def ursra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def usdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.s,Zn.b,Zm.b | x:Zda.s,Zn.b,Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def ushl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def ushll(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.Ta,Vn.T,#sh"""
    def ushll2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.Ta,Vn.T,#sh"""
    def ushllb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.Ta,Zn.T,#sh"""
    def ushllt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Zd.Ta,Zn.T,#sh"""
    def ushr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    def usmlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]"""
    def usmmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Vd.4s,Vn.16b,Vm.16b | x:Zda.s,Zn.b,Zm.b"""
    def usmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    def usmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    @overload
    def usqadd(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.T,Vn.T | x:Fd,Fn"""
    @overload
    def usqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def usra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def usubl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def usubl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.T,Vm.T"""
    def usublb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def usublt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.T,Zm.T"""
    def usubw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def usubw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.Ta,Vn.Ta,Vm.T"""
    def usubwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def usubwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.Ta,Zn.Ta,Zm.T"""
    def usvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def uunpk(self, dst: Operand, src: Operand, /) -> None:
        """{Zd.Ta*2},Zn.T | {Zd.Ta*4},{Zn.T*2}"""
    def uunpkhi(self, dst: Operand, src: Operand, /) -> None:
        """Zd.Ta,Zn.T"""
    def uunpklo(self, dst: Operand, src: Operand, /) -> None:
        """Zd.Ta,Zn.T"""
    def uvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def uxtb(self, dst: Operand, src: Operand, /) -> None:
        """Wd,Wn"""
    @overload
    def uxtb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    @overload
    def uxth(self, dst: Operand, src: Operand, /) -> None:
        """Wd,Wn"""
    @overload
    def uxth(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.T,Pg/M,Zn.T"""
    def uxtl(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T"""
    def uxtl2(self, dst: Operand, src: Operand, /) -> None:
        """Vd.Ta,Vn.T"""
    def uxtw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """x:Zd.d,Pg/M,Zn.d"""
    @overload
    def uzp(self, dst: Operand, src: Operand, /) -> None:
        """{Zd.T*4},{Zn.T*4} | {Zd.q*4},{Zn.q*4}"""
    @overload
    def uzp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """{Zd.T*2},Zn.T,Zm.T | {Zd.q*2},Zn.q,Zm.q"""
    def uzp1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def uzp2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def uzpq1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    def uzpq2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    def wfe(self) -> None:
        """no operands"""
    def wfi(self) -> None:
        """no operands"""
    @overload
    def whilege(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilege(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    @overload
    def whilegt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilegt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    @overload
    def whilehi(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilehi(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    @overload
    def whilehs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilehs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    @overload
    def whilele(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilele(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    @overload
    def whilelo(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilelo(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    @overload
    def whilels(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilels(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    @overload
    def whilelt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilelt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """PNd.T,Xn,Xm,vlx"""
    def whilerw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Xn,Xm"""
    def whilewr(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Pd.T,Xn,Xm"""
    def wrffr(self, src: Operand, /) -> None:
        """r:Pn.b"""
    def xar(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """Vd.2d,Vn.2d,Vm.2d,#imm | x:Zdn.T,Zdn.T,Zm.T,#-sh"""
    def xpaclri(self) -> None:
        """no operands"""
    def xtn(self, dst: Operand, src: Operand, /) -> None:
        """Vd.T,Vn.Ta"""
    def xtn2(self, dst: Operand, src: Operand, /) -> None:
        """x:Vd.T,Vn.Ta"""
    def yield_(self) -> None:
        """no operands"""
    def zero(self, dst: Operand, /) -> None:
        """{tiles} | {zt0}"""
    @overload
    def zip(self, dst: Operand, src: Operand, /) -> None:
        """{Zd.T*4},{Zn.T*4} | {Zd.q*4},{Zn.q*4}"""
    @overload
    def zip(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """{Zd.T*2},Zn.T,Zm.T | {Zd.q*2},Zn.q,Zm.q"""
    def zip1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def zip2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def zipq1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
    def zipq2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """Zd.T,Zn.T,Zm.T"""
