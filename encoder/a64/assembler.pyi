"""The AArch64 assembler. Written by `python -m tilesmith.encoder.a64.stubs`; do not edit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import overload

from ..asm import Assembler
from ..operands import Label
from ..table import Table
from .registers import General, Mem, Operand

TABLE: Table
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
        """abs Rd,Rn | Vd.T,Vn.T | Dd,Dn"""
    @overload
    def abs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """abs x:Zd.T,Pg/M,Zn.T"""
    def adc(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """adc Rd,Rn,Rm"""
    def adclb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """adclb x:Zda.T,Zn.T,Zm.T"""
    def adclt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """adclt x:Zda.T,Zn.T,Zm.T"""
    def adcs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """adcs Rd,Rn,Rm"""
    @overload
    def add(self, dst: Operand, src: Operand, /) -> None:
        """add x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4}"""
    @overload
    def add(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """add Rd|sp,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd|sp,Rn|sp,Rm{ext} | Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4} | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T"""
    @overload
    def add(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """add x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def addha(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """addha x:ZAda.s,Pn/M,Pm/M,Zn.s | x:ZAda.d,Pn/M,Pm/M,Zn.d"""
    def addhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """addhn Vd.T,Vn.Ta,Vm.Ta"""
    def addhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """addhn2 x:Vd.T,Vn.Ta,Vm.Ta"""
    def addhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """addhnb Zd.T,Zn.Ta,Zm.Ta"""
    def addhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """addhnt x:Zd.T,Zn.Ta,Zm.Ta"""
    @overload
    def addp(self, dst: Operand, src: Operand, /) -> None:
        """addp Dd,Vn.2d"""
    @overload
    def addp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """addp Vd.T,Vn.T,Vm.T"""
    @overload
    def addp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """addp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def addpl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """addpl Xd|sp,Xn|sp,#simm"""
    def addqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """addqv Vd.Ta,Pg,Zn.T"""
    def adds(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """adds Rd,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd,Rn|sp,Rm{ext}"""
    def addspl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """addspl Xd|sp,Xn|sp,#simm"""
    def addsvl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """addsvl Xd|sp,Xn|sp,#simm"""
    def addv(self, dst: Operand, src: Operand, /) -> None:
        """addv Fd,Vn.T"""
    def addva(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """addva x:ZAda.s,Pn/M,Pm/M,Zn.s | x:ZAda.d,Pn/M,Pm/M,Zn.d"""
    def addvl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """addvl Xd|sp,Xn|sp,#simm"""
    def adr(self, dst: Operand, target: Mem | Label | int, /) -> None:
        """adr Xd,label*1 | Zd.T,[Zn.T,Zm.T,lsl#sh] | Zd.d,[Zn.d,Zm.d,sxtw#sh] | Zd.d,[Zn.d,Zm.d,uxtw#sh]"""
    def adrp(self, dst: Operand, target: Label | int, /) -> None:
        """adrp Xd,label*4096"""
    @overload
    def aesd(self, dst: Operand, src: Operand, /) -> None:
        """aesd x:Vd.16b,Vn.16b"""
    @overload
    def aesd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """aesd x:Zdn.b,Zdn.b,Zm.b"""
    @overload
    def aese(self, dst: Operand, src: Operand, /) -> None:
        """aese x:Vd.16b,Vn.16b"""
    @overload
    def aese(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """aese x:Zdn.b,Zdn.b,Zm.b"""
    def aesimc(self, dst: Operand, src: Operand, /) -> None:
        """aesimc Vd.16b,Vn.16b | x:Zdn.b,Zdn.b"""
    def aesmc(self, dst: Operand, src: Operand, /) -> None:
        """aesmc Vd.16b,Vn.16b | x:Zdn.b,Zdn.b"""
    @overload
    def and_(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """and Rd|sp,Rn,#bimm:mask.R | Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | Zd.d,Zn.d,Zm.d | x:Zdn.T,Zdn.T,#bimm:mask.T"""
    @overload
    def and_(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """and Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def andqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """andqv Vd.Ta,Pg,Zn.T"""
    @overload
    def ands(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """ands Rd,Rn,#bimm:mask.R | Rd,Rn,Rm{ror}"""
    @overload
    def ands(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """ands Pd.b,Pg/Z,Pn.b,Pm.b"""
    def andv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """andv Fd,Pg,Zn.T"""
    @overload
    def asr(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """asr Wd,Wn,#immr | Xd,Xn,#immr | Rd,Rn,Rm | Zd.T,Zn.T,#-sh | Zd.T,Zn.T,Zm.d"""
    @overload
    def asr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """asr x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,Zm.d | x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def asrd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """asrd x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def asrr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """asrr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def asrv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """asrv Rd,Rn,Rm"""
    def autiasp(self) -> None:
        """autiasp """
    def autibsp(self) -> None:
        """autibsp """
    def b(self, target: Label | int, /) -> None:
        """b label*4"""
    def b_al(self, target: Label | int, /) -> None:
        """b.al label*4"""
    def b_cc(self, target: Label | int, /) -> None:
        """b.cc label*4"""
    def b_cs(self, target: Label | int, /) -> None:
        """b.cs label*4"""
    def b_eq(self, target: Label | int, /) -> None:
        """b.eq label*4"""
    def b_ge(self, target: Label | int, /) -> None:
        """b.ge label*4"""
    def b_gt(self, target: Label | int, /) -> None:
        """b.gt label*4"""
    def b_hi(self, target: Label | int, /) -> None:
        """b.hi label*4"""
    def b_hs(self, target: Label | int, /) -> None:
        """b.hs label*4"""
    def b_le(self, target: Label | int, /) -> None:
        """b.le label*4"""
    def b_lo(self, target: Label | int, /) -> None:
        """b.lo label*4"""
    def b_ls(self, target: Label | int, /) -> None:
        """b.ls label*4"""
    def b_lt(self, target: Label | int, /) -> None:
        """b.lt label*4"""
    def b_mi(self, target: Label | int, /) -> None:
        """b.mi label*4"""
    def b_ne(self, target: Label | int, /) -> None:
        """b.ne label*4"""
    def b_pl(self, target: Label | int, /) -> None:
        """b.pl label*4"""
    def b_vc(self, target: Label | int, /) -> None:
        """b.vc label*4"""
    def b_vs(self, target: Label | int, /) -> None:
        """b.vs label*4"""
    def bcax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bcax Vd.16b,Vn.16b,Vm.16b,Va.16b | x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def bdep(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bdep Zd.T,Zn.T,Zm.T"""
    def bext(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bext Zd.T,Zn.T,Zm.T"""
    @overload
    def bfadd(self, dst: Operand, src: Operand, /) -> None:
        """bfadd x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def bfadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfadd Zd.h,Zn.h,Zm.h"""
    @overload
    def bfadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfadd x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    def bfclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfclamp x:Zd.h,Zn.h,Zm.h | x:{Zd.h*2},Zn.h,Zm.h | x:{Zd.h*4},Zn.h,Zm.h"""
    @overload
    def bfcvt(self, dst: Operand, src: Operand, /) -> None:
        """bfcvt Hd,Sn | Zd.h,{Zn.s*2}"""
    @overload
    def bfcvt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfcvt x:Zd.h,Pg/M,Zn.s"""
    def bfcvtn(self, dst: Operand, src: Operand, /) -> None:
        """bfcvtn Vd.4h,Vn.4s | Zd.h,{Zn.s*2}"""
    def bfcvtn2(self, dst: Operand, src: Operand, /) -> None:
        """bfcvtn2 x:Vd.8h,Vn.4s"""
    def bfcvtnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfcvtnt x:Zd.h,Pg/M,Zn.s"""
    def bfdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfdot x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.2h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def bfi(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """bfi x:Rd,Rn,#lsb:negated.R,#width:length.R"""
    def bfm(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """bfm x:Rd,Rn,#immr,#imms"""
    @overload
    def bfmax(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmax x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfmax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfmax x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfmaxnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmaxnm x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfmaxnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfmaxnm x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfmin(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmin x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfmin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfmin x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfminnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfminnm x:{Zdn.h*2},{Zdn.h*2},Zm.h | x:{Zdn.h*4},{Zdn.h*4},Zm.h | x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2} | x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}"""
    @overload
    def bfminnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfminnm x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmla x:Zda.h,Zn.h,Zm.h[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def bfmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfmla x:Zda.h,Pg/M,Zn.h,Zm.h"""
    def bfmlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmlal x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def bfmlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmlalb x:Vd.4s,Vn.8h,Vm.8h | x:Vd.4s,Vn.8h,Vm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def bfmlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmlalt x:Vd.4s,Vn.8h,Vm.8h | x:Vd.4s,Vn.8h,Vm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    @overload
    def bfmls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmls x:Zda.h,Zn.h,Zm.h[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def bfmls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfmls x:Zda.h,Pg/M,Zn.h,Zm.h"""
    def bfmlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmlsl x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def bfmlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmlslb x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def bfmlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmlslt x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def bfmmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmmla x:Vd.4s,Vn.8h,Vm.8h | x:Zda.s,Zn.h,Zm.h"""
    def bfmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """bfmopa x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    def bfmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """bfmops x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    @overload
    def bfmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfmul Zd.h,Zn.h,Zm.h | Zd.h,Zn.h,Zm.h[i]"""
    @overload
    def bfmul(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfmul x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    @overload
    def bfsub(self, dst: Operand, src: Operand, /) -> None:
        """bfsub x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def bfsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfsub Zd.h,Zn.h,Zm.h"""
    @overload
    def bfsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bfsub x:Zdn.h,Pg/M,Zdn.h,Zm.h"""
    def bfvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bfvdot x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]"""
    def bfxil(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """bfxil x:Rd,Rn,#lsb:start.R,#width:width.R"""
    def bgrp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bgrp Zd.T,Zn.T,Zm.T"""
    @overload
    def bic(self, dst: Operand, imm: int, /) -> None:
        """bic x:Vd.T,#imm"""
    @overload
    def bic(self, dst: Operand, src: Operand | int, src2: Operand, /) -> None:
        """bic Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | x:Vd.T,#imm,lsl#x*8 | Zd.d,Zn.d,Zm.d"""
    @overload
    def bic(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bic Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def bics(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bics Rd,Rn,Rm{ror}"""
    @overload
    def bics(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bics Pd.b,Pg/Z,Pn.b,Pm.b"""
    def bif(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bif x:Vd.T,Vn.T,Vm.T"""
    def bit(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bit x:Vd.T,Vn.T,Vm.T"""
    def bl(self, target: Label | int, /) -> None:
        """bl label*4"""
    def blr(self, src: Operand, /) -> None:
        """blr r:Xn"""
    def bmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """bmopa x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s"""
    def bmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """bmops x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s"""
    def br(self, src: Operand, /) -> None:
        """br r:Xn"""
    def brk(self, imm: int, /) -> None:
        """brk #imm"""
    def brka(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """brka Pd.b,Pg/Z,Pn.b | x:Pd.b,Pg/M,Pn.b"""
    def brkas(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """brkas Pd.b,Pg/Z,Pn.b"""
    def brkb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """brkb Pd.b,Pg/Z,Pn.b | x:Pd.b,Pg/M,Pn.b"""
    def brkbs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """brkbs Pd.b,Pg/Z,Pn.b"""
    def brkn(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """brkn x:Pdm.b,Pg/Z,Pn.b,Pdm.b"""
    def brkns(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """brkns x:Pdm.b,Pg/Z,Pn.b,Pdm.b"""
    def brkpa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """brkpa Pd.b,Pg/Z,Pn.b,Pm.b"""
    def brkpas(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """brkpas Pd.b,Pg/Z,Pn.b,Pm.b"""
    def brkpb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """brkpb Pd.b,Pg/Z,Pn.b,Pm.b"""
    def brkpbs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """brkpbs Pd.b,Pg/Z,Pn.b,Pm.b"""
    @overload
    def bsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """bsl x:Vd.T,Vn.T,Vm.T"""
    @overload
    def bsl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bsl x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def bsl1n(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bsl1n x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def bsl2n(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """bsl2n x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    @overload
    def bti(self) -> None:
        """bti """
    @overload
    def bti(self, src: Operand, /) -> None:
        """bti bti"""
    def cadd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """cadd x:Zdn.T,Zdn.T,Zm.T,#rot:90|270"""
    def cas(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """cas x:Rs,Rt,x:[Xn|sp]"""
    def casa(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casa x:Rs,Rt,x:[Xn|sp]"""
    def casab(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casab x:Ws,Wt,x:[Xn|sp]"""
    def casah(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casah x:Ws,Wt,x:[Xn|sp]"""
    def casal(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casal x:Rs,Rt,x:[Xn|sp]"""
    def casalb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casalb x:Ws,Wt,x:[Xn|sp]"""
    def casalh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casalh x:Ws,Wt,x:[Xn|sp]"""
    def casb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casb x:Ws,Wt,x:[Xn|sp]"""
    def cash(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """cash x:Ws,Wt,x:[Xn|sp]"""
    def casl(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """casl x:Rs,Rt,x:[Xn|sp]"""
    def caslb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """caslb x:Ws,Wt,x:[Xn|sp]"""
    def caslh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """caslh x:Ws,Wt,x:[Xn|sp]"""
    def casp(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """casp x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def caspa(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """caspa x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def caspal(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """caspal x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def caspl(self, dst: Operand, dst2: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """caspl x:Rs^0,x:Rs^1,Rt^0,Rt^1,x:[Xn|sp]"""
    def cbnz(self, src: Operand, target: Label | int, /) -> None:
        """cbnz r:Rt,label*4"""
    def cbz(self, src: Operand, target: Label | int, /) -> None:
        """cbz r:Rt,label*4"""
    def ccmn(self, src: Operand, src2: Operand | int, imm: int, src3: Operand, /) -> None:
        """ccmn r:Rn,Rm,#nzcv,cond | r:Rn,#imm,#nzcv,cond"""
    def ccmp(self, src: Operand, src2: Operand | int, imm: int, src3: Operand, /) -> None:
        """ccmp r:Rn,Rm,#nzcv,cond | r:Rn,#imm,#nzcv,cond"""
    def cdot(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """cdot x:Zda.Ta,Zn.T,Zm.T,#rot*90 | x:Zda.s,Zn.b,Zm.b[i],#rot*90 | x:Zda.d,Zn.h,Zm.h[i],#rot*90"""
    def cfinv(self) -> None:
        """cfinv """
    def cinc(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cinc Rd,Rn,!cond"""
    def cinv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cinv Rd,Rn,!cond"""
    def clasta(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """clasta x:Wdn,Pg,Wdn,Zm.T | x:Xdn,Pg,Xdn,Zm.d | x:Fdn,Pg,Fdn,Zm.T | x:Zdn.T,Pg,Zdn.T,Zm.T"""
    def clastb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """clastb x:Wdn,Pg,Wdn,Zm.T | x:Xdn,Pg,Xdn,Zm.d | x:Fdn,Pg,Fdn,Zm.T | x:Zdn.T,Pg,Zdn.T,Zm.T"""
    @overload
    def clrex(self) -> None:
        """clrex """
    @overload
    def clrex(self, imm: int, /) -> None:
        """clrex #imm"""
    @overload
    def cls(self, dst: Operand, src: Operand, /) -> None:
        """cls Rd,Rn | Vd.T,Vn.T"""
    @overload
    def cls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cls x:Zd.T,Pg/M,Zn.T"""
    @overload
    def clz(self, dst: Operand, src: Operand, /) -> None:
        """clz Rd,Rn | Vd.T,Vn.T"""
    @overload
    def clz(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """clz x:Zd.T,Pg/M,Zn.T"""
    def cmeq(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """cmeq Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmge(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """cmge Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmgt(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """cmgt Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmhi(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cmhi Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def cmhs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cmhs Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def cmla(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """cmla x:Zda.T,Zn.T,Zm.T,#rot*90 | x:Zda.h,Zn.h,Zm.h[i],#rot*90 | x:Zda.s,Zn.s,Zm.s[i],#rot*90"""
    def cmle(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """cmle Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmlt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """cmlt Vd.T,Vn.T,#0 | Dd,Dn,#0"""
    def cmn(self, src: Operand, src2: Operand | int, /) -> None:
        """cmn r:Rn|sp,#imm:add | r:Rn,Rm{lsl} | r:Rn|sp,Rm{ext}"""
    def cmp(self, src: Operand, src2: Operand | int, /) -> None:
        """cmp r:Rn|sp,#imm:add | r:Rn,Rm{lsl} | r:Rn|sp,Rm{ext}"""
    def cmpeq(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmpeq Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmpge(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmpge Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmpgt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmpgt Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmphi(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmphi Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm"""
    def cmphs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmphs Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm"""
    def cmple(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmple Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmplo(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmplo Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmpls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmpls Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#imm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmplt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmplt Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def cmpne(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """cmpne Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,Zm.d | Pd.T,Pg/Z,Zn.T,#simm"""
    def cmtst(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cmtst Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def cneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cneg Rd,Rn,!cond"""
    def cnot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cnot x:Zd.T,Pg/M,Zn.T"""
    @overload
    def cnt(self, dst: Operand, src: Operand, /) -> None:
        """cnt Rd,Rn | Vd.T,Vn.T"""
    @overload
    def cnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cnt x:Zd.T,Pg/M,Zn.T"""
    @overload
    def cntb(self, dst: Operand, /) -> None:
        """cntb Xd"""
    @overload
    def cntb(self, dst: Operand, src: Operand, /) -> None:
        """cntb Xd,pattern"""
    @overload
    def cntb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cntb Xd,pattern,mul#imm+1"""
    @overload
    def cntd(self, dst: Operand, /) -> None:
        """cntd Xd"""
    @overload
    def cntd(self, dst: Operand, src: Operand, /) -> None:
        """cntd Xd,pattern"""
    @overload
    def cntd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cntd Xd,pattern,mul#imm+1"""
    @overload
    def cnth(self, dst: Operand, /) -> None:
        """cnth Xd"""
    @overload
    def cnth(self, dst: Operand, src: Operand, /) -> None:
        """cnth Xd,pattern"""
    @overload
    def cnth(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cnth Xd,pattern,mul#imm+1"""
    def cntp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cntp Xd,Pg,Pn.T | Xd,PNn.T,vlx"""
    @overload
    def cntw(self, dst: Operand, /) -> None:
        """cntw Xd"""
    @overload
    def cntw(self, dst: Operand, src: Operand, /) -> None:
        """cntw Xd,pattern"""
    @overload
    def cntw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """cntw Xd,pattern,mul#imm+1"""
    def compact(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """compact Zd.T,Pg,Zn.T"""
    def cpy(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """cpy x:Zd.T,Pg/M,#imm:swide.T | Zd.T,Pg/Z,#imm:swide.T | x:Zd.T,Pg/M,Wn|sp | x:Zd.d,Pg/M,Xn|sp | x:Zd.T,Pg/M,Fn"""
    def crc32b(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32b Wd,Wn,Wm"""
    def crc32cb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32cb Wd,Wn,Wm"""
    def crc32ch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32ch Wd,Wn,Wm"""
    def crc32cw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32cw Wd,Wn,Wm"""
    def crc32cx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32cx Wd,Wn,Xm"""
    def crc32h(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32h Wd,Wn,Wm"""
    def crc32w(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32w Wd,Wn,Wm"""
    def crc32x(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """crc32x Wd,Wn,Xm"""
    def csdb(self) -> None:
        """csdb """
    def csel(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """csel Rd,Rn,Rm,cond"""
    def cset(self, dst: Operand, src: Operand, /) -> None:
        """cset Rd,!cond"""
    def csetm(self, dst: Operand, src: Operand, /) -> None:
        """csetm Rd,!cond"""
    def csinc(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """csinc Rd,Rn,Rm,cond"""
    def csinv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """csinv Rd,Rn,Rm,cond"""
    def csneg(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """csneg Rd,Rn,Rm,cond"""
    def ctermeq(self, src: Operand, src2: Operand, /) -> None:
        """ctermeq r:Rn,Rm"""
    def ctermne(self, src: Operand, src2: Operand, /) -> None:
        """ctermne r:Rn,Rm"""
    def ctz(self, dst: Operand, src: Operand, /) -> None:
        """ctz Rd,Rn"""
    def dc(self, src: Operand, src2: Operand, /) -> None:
        """dc r:dc,Xt"""
    @overload
    def decb(self, dst: Operand, /) -> None:
        """decb x:Xdn"""
    @overload
    def decb(self, dst: Operand, src: Operand, /) -> None:
        """decb x:Xdn,pattern"""
    @overload
    def decb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """decb x:Xdn,pattern,mul#imm+1"""
    @overload
    def decd(self, dst: Operand, /) -> None:
        """decd x:Xdn | x:Zdn.d"""
    @overload
    def decd(self, dst: Operand, src: Operand, /) -> None:
        """decd x:Xdn,pattern | x:Zdn.d,pattern"""
    @overload
    def decd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """decd x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def dech(self, dst: Operand, /) -> None:
        """dech x:Xdn | x:Zdn.h"""
    @overload
    def dech(self, dst: Operand, src: Operand, /) -> None:
        """dech x:Xdn,pattern | x:Zdn.h,pattern"""
    @overload
    def dech(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """dech x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def decp(self, dst: Operand, src: Operand, /) -> None:
        """decp x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def decw(self, dst: Operand, /) -> None:
        """decw x:Xdn | x:Zdn.s"""
    @overload
    def decw(self, dst: Operand, src: Operand, /) -> None:
        """decw x:Xdn,pattern | x:Zdn.s,pattern"""
    @overload
    def decw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """decw x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    def dmb(self, src: Operand, /) -> None:
        """dmb barrier"""
    def drps(self) -> None:
        """drps """
    def dsb(self, src: Operand, /) -> None:
        """dsb barrier"""
    def dup(self, dst: Operand, src: Operand | int, /) -> None:
        """dup Vd.T,Vn.Ts[i] | Vd.T,Wn | Vd.2d,Xn | Fd,Vn.Ts[i] | Zd.T,Zn.T[i] | Zd.T,Wn|sp | Zd.d,Xn|sp | Zd.T,#imm:swide.T"""
    def dupm(self, dst: Operand, imm: int, /) -> None:
        """dupm Zd.T,#bimm:mask.T"""
    def dupq(self, dst: Operand, src: Operand, /) -> None:
        """dupq Zd.T,Zn.T[i]"""
    def eon(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """eon Rd,Rn,Rm{ror}"""
    @overload
    def eor(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """eor Rd|sp,Rn,#bimm:mask.R | Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | Zd.d,Zn.d,Zm.d | x:Zdn.T,Zdn.T,#bimm:mask.T"""
    @overload
    def eor(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """eor Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def eor3(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """eor3 Vd.16b,Vn.16b,Vm.16b,Va.16b | x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    def eorbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """eorbt x:Zd.T,Zn.T,Zm.T"""
    def eorqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """eorqv Vd.Ta,Pg,Zn.T"""
    def eors(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """eors Pd.b,Pg/Z,Pn.b,Pm.b"""
    def eortb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """eortb x:Zd.T,Zn.T,Zm.T"""
    def eorv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """eorv Fd,Pg,Zn.T"""
    def eret(self) -> None:
        """eret """
    def esb(self) -> None:
        """esb """
    @overload
    def ext(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ext Zd.b,{Zn.b*2},#imm"""
    @overload
    def ext(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """ext Vd.8b,Vn.8b,Vm.8b,#imm | Vd.16b,Vn.16b,Vm.16b,#imm | x:Zdn.b,Zdn.b,Zm.b,#imm"""
    def extq(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """extq x:Zdn.b,Zdn.b,Zm.b,#imm"""
    def extr(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """extr Wd,Wn,Wm,#lsb | Xd,Xn,Xm,#lsb"""
    @overload
    def fabd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fabd Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def fabd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fabd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def fabs(self, dst: Operand, src: Operand, /) -> None:
        """fabs Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def fabs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fabs x:Zd.T,Pg/M,Zn.T"""
    @overload
    def facge(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """facge Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def facge(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """facge Pd.T,Pg/Z,Zn.T,Zm.T"""
    @overload
    def facgt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """facgt Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def facgt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """facgt Pd.T,Pg/Z,Zn.T,Zm.T"""
    def facle(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """facle Pd.T,Pg/Z,Zm.T,Zn.T"""
    def faclt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """faclt Pd.T,Pg/Z,Zm.T,Zn.T"""
    @overload
    def fadd(self, dst: Operand, src: Operand, /) -> None:
        """fadd x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4} | x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def fadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fadd Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    @overload
    def fadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fadd x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0"""
    def fadda(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fadda x:Fdn,Pg,Fdn,Zm.T"""
    @overload
    def faddp(self, dst: Operand, src: Operand, /) -> None:
        """faddp Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def faddp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """faddp Vd.T,Vn.T,Vm.T"""
    @overload
    def faddp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """faddp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def faddqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """faddqv Vd.Ta,Pg,Zn.T"""
    def faddv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """faddv Fd,Pg,Zn.T"""
    @overload
    def fcadd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """fcadd Vd.T,Vn.T,Vm.T,#rot:90|270"""
    @overload
    def fcadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, imm: int, /) -> None:
        """fcadd x:Zdn.T,Pg/M,Zdn.T,Zm.T,#rot:90|270"""
    def fccmp(self, src: Operand, src2: Operand, imm: int, src3: Operand, /) -> None:
        """fccmp r:Fn,Fm,#nzcv,cond | r:Hn,Hm,#nzcv,cond"""
    def fccmpe(self, src: Operand, src2: Operand, imm: int, src3: Operand, /) -> None:
        """fccmpe r:Fn,Fm,#nzcv,cond | r:Hn,Hm,#nzcv,cond"""
    def fclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fclamp x:Zd.T,Zn.T,Zm.T | x:{Zd.T*2},Zn.T,Zm.T | x:{Zd.T*4},Zn.T,Zm.T"""
    @overload
    def fcmeq(self, dst: Operand, src: Operand, src2: Operand | float, /) -> None:
        """fcmeq Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,#0.0 | Fd,Fn,Fm | Hd,Hn,Hm | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmeq(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fcmeq Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    @overload
    def fcmge(self, dst: Operand, src: Operand, src2: Operand | float, /) -> None:
        """fcmge Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,#0.0 | Fd,Fn,Fm | Hd,Hn,Hm | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmge(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fcmge Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    @overload
    def fcmgt(self, dst: Operand, src: Operand, src2: Operand | float, /) -> None:
        """fcmgt Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,#0.0 | Fd,Fn,Fm | Hd,Hn,Hm | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmgt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fcmgt Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    @overload
    def fcmla(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """fcmla x:Vd.T,Vn.T,Vm.T,#rot*90 | x:Vd.4s,Vn.4s,Vm.s[i],#rot*90 | x:Vd.4h,Vn.4h,Vm.h[i],#rot*90 | x:Vd.8h,Vn.8h,Vm.h[i],#rot*90 | x:Zda.h,Zn.h,Zm.h[i],#rot*90 | x:Zda.s,Zn.s,Zm.s[i],#rot*90"""
    @overload
    def fcmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, imm: int, /) -> None:
        """fcmla x:Zda.T,Pg/M,Zn.T,Zm.T,#rot*90"""
    @overload
    def fcmle(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """fcmle Vd.T,Vn.T,#0.0 | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmle(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fcmle Pd.T,Pg/Z,Zn.T,#0.0 | Pd.T,Pg/Z,Zm.T,Zn.T"""
    @overload
    def fcmlt(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """fcmlt Vd.T,Vn.T,#0.0 | Fd,Fn,#0.0 | Hd,Hn,#0.0"""
    @overload
    def fcmlt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fcmlt Pd.T,Pg/Z,Zn.T,#0.0 | Pd.T,Pg/Z,Zm.T,Zn.T"""
    def fcmne(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fcmne Pd.T,Pg/Z,Zn.T,Zm.T | Pd.T,Pg/Z,Zn.T,#0.0"""
    def fcmp(self, src: Operand, src2: Operand | float, /) -> None:
        """fcmp r:Fn,Fm | r:Hn,Hm | r:Fn,#0.0 | r:Hn,#0.0"""
    def fcmpe(self, src: Operand, src2: Operand | float, /) -> None:
        """fcmpe r:Fn,Fm | r:Hn,Hm | r:Fn,#0.0 | r:Hn,#0.0"""
    def fcmuo(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fcmuo Pd.T,Pg/Z,Zn.T,Zm.T"""
    def fcpy(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """fcpy x:Zd.T,Pg/M,#imm:float"""
    def fcsel(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fcsel Fd,Fn,Fm,cond | Hd,Hn,Hm,cond"""
    @overload
    def fcvt(self, dst: Operand, src: Operand, /) -> None:
        """fcvt Dd,Sn | Sd,Dn | Sd,Hn | Dd,Hn | Hd,Sn | Hd,Dn | Zd.h,{Zn.s*2} | {Zd.s*2},Zn.h"""
    @overload
    def fcvt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fcvt x:Zd.Ta,Pg/M,Zn.T"""
    def fcvtas(self, dst: Operand, src: Operand, /) -> None:
        """fcvtas Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtau(self, dst: Operand, src: Operand, /) -> None:
        """fcvtau Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtl(self, dst: Operand, src: Operand, /) -> None:
        """fcvtl Vd.Ta,Vn.T | {Zd.s*2},Zn.h"""
    def fcvtl2(self, dst: Operand, src: Operand, /) -> None:
        """fcvtl2 Vd.Ta,Vn.T"""
    def fcvtlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fcvtlt x:Zd.Ta,Pg/M,Zn.T"""
    def fcvtms(self, dst: Operand, src: Operand, /) -> None:
        """fcvtms Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtmu(self, dst: Operand, src: Operand, /) -> None:
        """fcvtmu Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtn(self, dst: Operand, src: Operand, /) -> None:
        """fcvtn Vd.T,Vn.Ta | Zd.h,{Zn.s*2}"""
    def fcvtn2(self, dst: Operand, src: Operand, /) -> None:
        """fcvtn2 x:Vd.T,Vn.Ta"""
    def fcvtns(self, dst: Operand, src: Operand, /) -> None:
        """fcvtns Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fcvtnt x:Zd.Ta,Pg/M,Zn.T"""
    def fcvtnu(self, dst: Operand, src: Operand, /) -> None:
        """fcvtnu Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtps(self, dst: Operand, src: Operand, /) -> None:
        """fcvtps Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtpu(self, dst: Operand, src: Operand, /) -> None:
        """fcvtpu Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn"""
    def fcvtx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fcvtx x:Zd.s,Pg/M,Zn.d"""
    def fcvtxn(self, dst: Operand, src: Operand, /) -> None:
        """fcvtxn Vd.2s,Vn.2d | Sd,Dn"""
    def fcvtxn2(self, dst: Operand, src: Operand, /) -> None:
        """fcvtxn2 x:Vd.4s,Vn.2d"""
    def fcvtxnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fcvtxnt x:Zd.s,Pg/M,Zn.d"""
    @overload
    def fcvtzs(self, dst: Operand, src: Operand, /) -> None:
        """fcvtzs Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def fcvtzs(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """fcvtzs Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Xd,Fn,#-sh | Xd,Hn,#-sh | Wd,Fn,#-sh | Wd,Hn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    @overload
    def fcvtzu(self, dst: Operand, src: Operand, /) -> None:
        """fcvtzu Vd.T,Vn.T | Rd,Fn | Rd,Hn | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def fcvtzu(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """fcvtzu Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Xd,Fn,#-sh | Xd,Hn,#-sh | Wd,Fn,#-sh | Wd,Hn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    @overload
    def fdiv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fdiv Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def fdiv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fdiv x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fdivr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fdivr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fdot x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def fdup(self, dst: Operand, imm: float, /) -> None:
        """fdup Zd.T,#imm:float"""
    def fexpa(self, dst: Operand, src: Operand, /) -> None:
        """fexpa Zd.T,Zn.T"""
    def fjcvtzs(self, dst: Operand, src: Operand, /) -> None:
        """fjcvtzs Wd,Dn"""
    def flogb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """flogb x:Zd.T,Pg/M,Zn.T"""
    def fmad(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmad x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fmadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmadd Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    @overload
    def fmax(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmax Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fmax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fmax x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fmaxnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmaxnm Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fmaxnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fmaxnm x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fmaxnmp(self, dst: Operand, src: Operand, /) -> None:
        """fmaxnmp Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fmaxnmp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmaxnmp Vd.T,Vn.T,Vm.T"""
    @overload
    def fmaxnmp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmaxnmp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fmaxnmqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmaxnmqv Vd.Ta,Pg,Zn.T"""
    @overload
    def fmaxnmv(self, dst: Operand, src: Operand, /) -> None:
        """fmaxnmv Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fmaxnmv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmaxnmv Fd,Pg,Zn.T"""
    @overload
    def fmaxp(self, dst: Operand, src: Operand, /) -> None:
        """fmaxp Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fmaxp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmaxp Vd.T,Vn.T,Vm.T"""
    @overload
    def fmaxp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmaxp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fmaxqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmaxqv Vd.Ta,Pg,Zn.T"""
    @overload
    def fmaxv(self, dst: Operand, src: Operand, /) -> None:
        """fmaxv Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fmaxv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmaxv Fd,Pg,Zn.T"""
    @overload
    def fmin(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmin Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fmin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fmin x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fminnm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fminnm Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def fminnm(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fminnm x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.0|1.0"""
    @overload
    def fminnmp(self, dst: Operand, src: Operand, /) -> None:
        """fminnmp Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fminnmp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fminnmp Vd.T,Vn.T,Vm.T"""
    @overload
    def fminnmp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fminnmp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fminnmqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fminnmqv Vd.Ta,Pg,Zn.T"""
    @overload
    def fminnmv(self, dst: Operand, src: Operand, /) -> None:
        """fminnmv Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fminnmv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fminnmv Fd,Pg,Zn.T"""
    @overload
    def fminp(self, dst: Operand, src: Operand, /) -> None:
        """fminp Fd,Vn.T | Hd,Vn.2h"""
    @overload
    def fminp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fminp Vd.T,Vn.T,Vm.T"""
    @overload
    def fminp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fminp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def fminqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fminqv Vd.Ta,Pg,Zn.T"""
    @overload
    def fminv(self, dst: Operand, src: Operand, /) -> None:
        """fminv Sd,Vn.4s | Hd,Vn.T"""
    @overload
    def fminv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fminv Fd,Pg,Zn.T"""
    @overload
    def fmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmla x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.Ts[i] | x:Vd.T,Vn.T,Vm.h[i] | x:Fd,Fn,Vm.Ts[i] | x:Hd,Hn,Vm.h[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i] | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s[i] | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d[i] | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s[i] | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def fmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmla x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fmlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlal x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def fmlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlal2 x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i]"""
    def fmlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlalb x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def fmlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlalt x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    @overload
    def fmls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmls x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.Ts[i] | x:Vd.T,Vn.T,Vm.h[i] | x:Fd,Fn,Vm.Ts[i] | x:Hd,Hn,Vm.h[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i] | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s[i] | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d[i] | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s[i] | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d[i] | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def fmls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmls x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fmlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlsl x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def fmlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlsl2 x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.h[i]"""
    def fmlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlslb x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def fmlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmlslt x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i]"""
    def fmmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmmla x:Zda.s,Zn.s,Zm.s | x:Zda.d,Zn.d,Zm.d"""
    def fmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """fmopa x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s | x:ZAda.d,Pn/M,Pm/M,Zn.d,Zm.d | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    def fmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """fmops x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s | x:ZAda.d,Pn/M,Pm/M,Zn.d,Zm.d | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h"""
    @overload
    def fmov(self, dst: Operand, src: Operand | float, /) -> None:
        """fmov Vd.T,#imm:float | Vd.2d,#imm:float | Fd,Fn | Hd,Hn | Fd,#imm:float | Hd,#imm:float | Sd,Wn | Wd,Sn | Dd,Xn | Xd,Dn | Hd,Rn | Rd,Hn | x:Vd.d[1],Xn | Xd,Vn.d[1] | Zd.T,#imm:float"""
    @overload
    def fmov(self, dst: Operand, src: Operand, imm: float, /) -> None:
        """fmov x:Zd.T,Pg/M,#imm:float"""
    def fmsb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmsb x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fmsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmsub Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    @overload
    def fmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmul Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,Vm.Ts[i] | Vd.T,Vn.T,Vm.h[i] | Fd,Fn,Vm.Ts[i] | Hd,Hn,Vm.h[i] | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i]"""
    @overload
    def fmul(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fmul x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|2.0"""
    @overload
    def fmulx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fmulx Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,Vm.Ts[i] | Vd.T,Vn.T,Vm.h[i] | Fd,Fn,Vm.Ts[i] | Hd,Hn,Vm.h[i] | Fd,Fn,Fm | Hd,Hn,Hm"""
    @overload
    def fmulx(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fmulx x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def fneg(self, dst: Operand, src: Operand, /) -> None:
        """fneg Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def fneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fneg x:Zd.T,Pg/M,Zn.T"""
    def fnmad(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fnmad x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fnmadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fnmadd Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    def fnmla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fnmla x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fnmls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fnmls x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def fnmsb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fnmsb x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def fnmsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fnmsub Fd,Fn,Fm,Fa | Hd,Hn,Hm,Ha"""
    def fnmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fnmul Fd,Fn,Fm | Hd,Hn,Hm"""
    def frecpe(self, dst: Operand, src: Operand, /) -> None:
        """frecpe Vd.T,Vn.T | Fd,Fn | Hd,Hn | Zd.T,Zn.T"""
    def frecps(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frecps Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    @overload
    def frecpx(self, dst: Operand, src: Operand, /) -> None:
        """frecpx Fd,Fn | Hd,Hn"""
    @overload
    def frecpx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frecpx x:Zd.T,Pg/M,Zn.T"""
    def frint32x(self, dst: Operand, src: Operand, /) -> None:
        """frint32x Vd.T,Vn.T | Fd,Fn"""
    def frint32z(self, dst: Operand, src: Operand, /) -> None:
        """frint32z Vd.T,Vn.T | Fd,Fn"""
    def frint64x(self, dst: Operand, src: Operand, /) -> None:
        """frint64x Vd.T,Vn.T | Fd,Fn"""
    def frint64z(self, dst: Operand, src: Operand, /) -> None:
        """frint64z Vd.T,Vn.T | Fd,Fn"""
    @overload
    def frinta(self, dst: Operand, src: Operand, /) -> None:
        """frinta Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frinta(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frinta x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frinti(self, dst: Operand, src: Operand, /) -> None:
        """frinti Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def frinti(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frinti x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintm(self, dst: Operand, src: Operand, /) -> None:
        """frintm Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frintm(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frintm x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintn(self, dst: Operand, src: Operand, /) -> None:
        """frintn Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frintn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frintn x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintp(self, dst: Operand, src: Operand, /) -> None:
        """frintp Vd.T,Vn.T | Fd,Fn | Hd,Hn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def frintp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frintp x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintx(self, dst: Operand, src: Operand, /) -> None:
        """frintx Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def frintx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frintx x:Zd.T,Pg/M,Zn.T"""
    @overload
    def frintz(self, dst: Operand, src: Operand, /) -> None:
        """frintz Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def frintz(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frintz x:Zd.T,Pg/M,Zn.T"""
    def frsqrte(self, dst: Operand, src: Operand, /) -> None:
        """frsqrte Vd.T,Vn.T | Fd,Fn | Hd,Hn | Zd.T,Zn.T"""
    def frsqrts(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """frsqrts Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    def fscale(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """fscale x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def fsqrt(self, dst: Operand, src: Operand, /) -> None:
        """fsqrt Vd.T,Vn.T | Fd,Fn | Hd,Hn"""
    @overload
    def fsqrt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fsqrt x:Zd.T,Pg/M,Zn.T"""
    @overload
    def fsub(self, dst: Operand, src: Operand, /) -> None:
        """fsub x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4} | x:za.h[Wv+8,o,vgx2],{Zm.h*2} | x:za.h[Wv+8,o,vgx4],{Zm.h*4}"""
    @overload
    def fsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fsub Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Hd,Hn,Hm | Zd.T,Zn.T,Zm.T"""
    @overload
    def fsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fsub x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0"""
    def fsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | float, /) -> None:
        """fsubr x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#i:0.5|1.0"""
    def ftmad(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """ftmad x:Zdn.T,Zdn.T,Zm.T,#imm"""
    def ftsmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ftsmul Zd.T,Zn.T,Zm.T"""
    def ftssel(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ftssel Zd.T,Zn.T,Zm.T"""
    def fvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """fvdot x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]"""
    def hint(self, imm: int, /) -> None:
        """hint #imm"""
    def histcnt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """histcnt Zd.T,Pg/Z,Zn.T,Zm.T"""
    def histseg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """histseg Zd.b,Zn.b,Zm.b"""
    def hlt(self, imm: int, /) -> None:
        """hlt #imm"""
    def hvc(self, imm: int, /) -> None:
        """hvc #imm"""
    def ic(self, src: Operand, src2: Operand, /) -> None:
        """ic r:ic,Xt"""
    @overload
    def incb(self, dst: Operand, /) -> None:
        """incb x:Xdn"""
    @overload
    def incb(self, dst: Operand, src: Operand, /) -> None:
        """incb x:Xdn,pattern"""
    @overload
    def incb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """incb x:Xdn,pattern,mul#imm+1"""
    @overload
    def incd(self, dst: Operand, /) -> None:
        """incd x:Xdn | x:Zdn.d"""
    @overload
    def incd(self, dst: Operand, src: Operand, /) -> None:
        """incd x:Xdn,pattern | x:Zdn.d,pattern"""
    @overload
    def incd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """incd x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def inch(self, dst: Operand, /) -> None:
        """inch x:Xdn | x:Zdn.h"""
    @overload
    def inch(self, dst: Operand, src: Operand, /) -> None:
        """inch x:Xdn,pattern | x:Zdn.h,pattern"""
    @overload
    def inch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """inch x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def incp(self, dst: Operand, src: Operand, /) -> None:
        """incp x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def incw(self, dst: Operand, /) -> None:
        """incw x:Xdn | x:Zdn.s"""
    @overload
    def incw(self, dst: Operand, src: Operand, /) -> None:
        """incw x:Xdn,pattern | x:Zdn.s,pattern"""
    @overload
    def incw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """incw x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    def index(self, dst: Operand, src: Operand | int, src2: Operand | int, /) -> None:
        """index Zd.T,Wn,Wm | Zd.d,Xn,Xm | Zd.T,#simm,#simm2 | Zd.T,#simm,Wm | Zd.d,#simm,Xm | Zd.T,Wn,#simm | Zd.d,Xn,#simm"""
    def ins(self, dst: Operand, src: Operand, /) -> None:
        """ins x:Vd.Ts[i],Vn.Ts[j] | x:Vd.Ts[i],Wn | x:Vd.d[i],Xn"""
    def insr(self, dst: Operand, src: Operand, /) -> None:
        """insr x:Zdn.T,Wm | x:Zdn.d,Xm | x:Zdn.T,Fm"""
    def isb(self) -> None:
        """isb """
    def lasta(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """lasta Wd,Pg,Zn.T | Xd,Pg,Zn.d | Fd,Pg,Zn.T"""
    def lastb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """lastb Wd,Pg,Zn.T | Xd,Pg,Zn.d | Fd,Pg,Zn.T"""
    def ld1(self, dst: Operand, mem: Mem, /) -> None:
        """ld1 {Vt.T*1},[Xn|sp] | {Vt.T*1},[Xn|sp],#8 | {Vt.T*1},[Xn|sp],#16 | {Vt.T*1},[Xn|sp],Xm | {Vt.T*2},[Xn|sp] | {Vt.T*2},[Xn|sp],#16 | {Vt.T*2},[Xn|sp],#32 | {Vt.T*2},[Xn|sp],Xm | {Vt.T*3},[Xn|sp] | {Vt.T*3},[Xn|sp],#24 | {Vt.T*3},[Xn|sp],#48 | {Vt.T*3},[Xn|sp],Xm | {Vt.T*4},[Xn|sp] | {Vt.T*4},[Xn|sp],#32 | {Vt.T*4},[Xn|sp],#64 | {Vt.T*4},[Xn|sp],Xm | x:{Vt.b*1}[i],[Xn|sp] | x:{Vt.b*1}[i],[Xn|sp],#1 | x:{Vt.b*1}[i],[Xn|sp],Xm | x:{Vt.h*1}[i],[Xn|sp] | x:{Vt.h*1}[i],[Xn|sp],#2 | x:{Vt.h*1}[i],[Xn|sp],Xm | x:{Vt.s*1}[i],[Xn|sp] | x:{Vt.s*1}[i],[Xn|sp],#4 | x:{Vt.s*1}[i],[Xn|sp],Xm | x:{Vt.d*1}[i],[Xn|sp] | x:{Vt.d*1}[i],[Xn|sp],#8 | x:{Vt.d*1}[i],[Xn|sp],Xm"""
    def ld1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1b {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.b*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2%8},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4%4},PNg/Z,[Xn|sp,Xm|zr] | x:{ZAtD.b[Ws+12,o]},Pg/Z,[Xn|sp,Xm] | x:{ZAtD.b[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1d {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*1},Pg/Z,[Zn.d,#imm*8] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#3] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#3] | {Zt.q*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.q*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | x:{ZAtD.d[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#3] | x:{ZAtD.d[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1h {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1] | {Zt.h*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | x:{ZAtD.h[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#1] | x:{ZAtD.h[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld1q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1q {Zt.q*1},Pg/Z,[Zn.d,Xm] | {Zt.q*1},Pg/Z,[Zn.d] | x:{ZAtD.q[Ws+12,0]},Pg/Z,[Xn|sp,Xm,lsl#4] | x:{ZAtD.q[Ws+12,0]},Pg/Z,[Xn|sp]"""
    def ld1r(self, dst: Operand, mem: Mem, /) -> None:
        """ld1r {Vt.T*1},[Xn|sp] | {Vt.T*1},[Xn|sp],Xm | {Vt.T*1},[Xn|sp],#1 | {Vt.T*1},[Xn|sp],#2 | {Vt.T*1},[Xn|sp],#4 | {Vt.T*1},[Xn|sp],#8"""
    def ld1rb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rb {Zt.T*1},Pg/Z,[Xn|sp,#imm]"""
    def ld1rd(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rd {Zt.d*1},Pg/Z,[Xn|sp,#imm*8]"""
    def ld1rh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rh {Zt.T*1},Pg/Z,[Xn|sp,#imm*2]"""
    def ld1rob(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rob {Zt.b*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.b*1},Pg/Z,[Xn|sp,Xm]"""
    def ld1rod(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rod {Zt.d*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld1roh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1roh {Zt.h*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld1row(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1row {Zt.s*1},Pg/Z,[Xn|sp,#simm*32] | {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld1rqb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rqb {Zt.b*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.b*1},Pg/Z,[Xn|sp,Xm]"""
    def ld1rqd(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rqd {Zt.d*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld1rqh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rqh {Zt.h*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld1rqw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rqw {Zt.s*1},Pg/Z,[Xn|sp,#simm*16] | {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld1rsb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rsb {Zt.T*1},Pg/Z,[Xn|sp,#imm]"""
    def ld1rsh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rsh {Zt.T*1},Pg/Z,[Xn|sp,#imm*2]"""
    def ld1rsw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rsw {Zt.d*1},Pg/Z,[Xn|sp,#imm*4]"""
    def ld1rw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1rw {Zt.T*1},Pg/Z,[Xn|sp,#imm*4]"""
    def ld1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1sb {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]"""
    def ld1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1sh {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]"""
    def ld1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1sw {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]"""
    def ld1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld1w {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.s*1},Pg/Z,[Zn.s,#imm*4] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#2] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2] | {Zt.q*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.q*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.s*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | x:{ZAtD.s[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#2] | x:{ZAtD.s[Ws+12,o]},Pg/Z,[Xn|sp]"""
    def ld2(self, dst: Operand, mem: Mem, /) -> None:
        """ld2 {Vt.T*2},[Xn|sp] | {Vt.T*2},[Xn|sp],#16 | {Vt.T*2},[Xn|sp],#32 | {Vt.T*2},[Xn|sp],Xm | x:{Vt.b*2}[i],[Xn|sp] | x:{Vt.b*2}[i],[Xn|sp],#2 | x:{Vt.b*2}[i],[Xn|sp],Xm | x:{Vt.h*2}[i],[Xn|sp] | x:{Vt.h*2}[i],[Xn|sp],#4 | x:{Vt.h*2}[i],[Xn|sp],Xm | x:{Vt.s*2}[i],[Xn|sp] | x:{Vt.s*2}[i],[Xn|sp],#8 | x:{Vt.s*2}[i],[Xn|sp],Xm | x:{Vt.d*2}[i],[Xn|sp] | x:{Vt.d*2}[i],[Xn|sp],#16 | x:{Vt.d*2}[i],[Xn|sp],Xm"""
    def ld2b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld2b {Zt.b*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2},Pg/Z,[Xn|sp,Xm]"""
    def ld2d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld2d {Zt.d*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld2h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld2h {Zt.h*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld2q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld2q {Zt.q*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.q*2},Pg/Z,[Xn|sp,Xm,lsl#4]"""
    def ld2r(self, dst: Operand, mem: Mem, /) -> None:
        """ld2r {Vt.T*2},[Xn|sp] | {Vt.T*2},[Xn|sp],Xm | {Vt.T*2},[Xn|sp],#2 | {Vt.T*2},[Xn|sp],#4 | {Vt.T*2},[Xn|sp],#8 | {Vt.T*2},[Xn|sp],#16"""
    def ld2w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld2w {Zt.s*2},Pg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld3(self, dst: Operand, mem: Mem, /) -> None:
        """ld3 {Vt.T*3},[Xn|sp] | {Vt.T*3},[Xn|sp],#24 | {Vt.T*3},[Xn|sp],#48 | {Vt.T*3},[Xn|sp],Xm | x:{Vt.b*3}[i],[Xn|sp] | x:{Vt.b*3}[i],[Xn|sp],#3 | x:{Vt.b*3}[i],[Xn|sp],Xm | x:{Vt.h*3}[i],[Xn|sp] | x:{Vt.h*3}[i],[Xn|sp],#6 | x:{Vt.h*3}[i],[Xn|sp],Xm | x:{Vt.s*3}[i],[Xn|sp] | x:{Vt.s*3}[i],[Xn|sp],#12 | x:{Vt.s*3}[i],[Xn|sp],Xm | x:{Vt.d*3}[i],[Xn|sp] | x:{Vt.d*3}[i],[Xn|sp],#24 | x:{Vt.d*3}[i],[Xn|sp],Xm"""
    def ld3b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld3b {Zt.b*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.b*3},Pg/Z,[Xn|sp,Xm]"""
    def ld3d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld3d {Zt.d*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.d*3},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld3h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld3h {Zt.h*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.h*3},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld3q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld3q {Zt.q*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.q*3},Pg/Z,[Xn|sp,Xm,lsl#4]"""
    def ld3r(self, dst: Operand, mem: Mem, /) -> None:
        """ld3r {Vt.T*3},[Xn|sp] | {Vt.T*3},[Xn|sp],Xm | {Vt.T*3},[Xn|sp],#3 | {Vt.T*3},[Xn|sp],#6 | {Vt.T*3},[Xn|sp],#12 | {Vt.T*3},[Xn|sp],#24"""
    def ld3w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld3w {Zt.s*3},Pg/Z,[Xn|sp,#simm*3,mul vl] | {Zt.s*3},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ld4(self, dst: Operand, mem: Mem, /) -> None:
        """ld4 {Vt.T*4},[Xn|sp] | {Vt.T*4},[Xn|sp],#32 | {Vt.T*4},[Xn|sp],#64 | {Vt.T*4},[Xn|sp],Xm | x:{Vt.b*4}[i],[Xn|sp] | x:{Vt.b*4}[i],[Xn|sp],#4 | x:{Vt.b*4}[i],[Xn|sp],Xm | x:{Vt.h*4}[i],[Xn|sp] | x:{Vt.h*4}[i],[Xn|sp],#8 | x:{Vt.h*4}[i],[Xn|sp],Xm | x:{Vt.s*4}[i],[Xn|sp] | x:{Vt.s*4}[i],[Xn|sp],#16 | x:{Vt.s*4}[i],[Xn|sp],Xm | x:{Vt.d*4}[i],[Xn|sp] | x:{Vt.d*4}[i],[Xn|sp],#32 | x:{Vt.d*4}[i],[Xn|sp],Xm"""
    def ld4b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld4b {Zt.b*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4},Pg/Z,[Xn|sp,Xm]"""
    def ld4d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld4d {Zt.d*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4},Pg/Z,[Xn|sp,Xm,lsl#3]"""
    def ld4h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld4h {Zt.h*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4},Pg/Z,[Xn|sp,Xm,lsl#1]"""
    def ld4q(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld4q {Zt.q*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.q*4},Pg/Z,[Xn|sp,Xm,lsl#4]"""
    def ld4r(self, dst: Operand, mem: Mem, /) -> None:
        """ld4r {Vt.T*4},[Xn|sp] | {Vt.T*4},[Xn|sp],Xm | {Vt.T*4},[Xn|sp],#4 | {Vt.T*4},[Xn|sp],#8 | {Vt.T*4},[Xn|sp],#16 | {Vt.T*4},[Xn|sp],#32"""
    def ld4w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ld4w {Zt.s*4},Pg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4},Pg/Z,[Xn|sp,Xm,lsl#2]"""
    def ldadd(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldadd r:Rs,w:Rt,x:[Xn|sp]"""
    def ldadda(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldadda r:Rs,w:Rt,x:[Xn|sp]"""
    def ldaddab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddab r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddah r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddal r:Rs,w:Rt,x:[Xn|sp]"""
    def ldaddalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddalb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddalh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddl r:Rs,w:Rt,x:[Xn|sp]"""
    def ldaddlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddlb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldaddlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldaddlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldapr(self, dst: Operand, mem: Mem, /) -> None:
        """ldapr Rt,[Xn|sp]"""
    def ldaprb(self, dst: Operand, mem: Mem, /) -> None:
        """ldaprb Wt,[Xn|sp]"""
    def ldaprh(self, dst: Operand, mem: Mem, /) -> None:
        """ldaprh Wt,[Xn|sp]"""
    def ldapur(self, dst: Operand, mem: Mem, /) -> None:
        """ldapur Rt,[Xn|sp,#simm]"""
    def ldapurb(self, dst: Operand, mem: Mem, /) -> None:
        """ldapurb Wt,[Xn|sp,#simm]"""
    def ldapurh(self, dst: Operand, mem: Mem, /) -> None:
        """ldapurh Wt,[Xn|sp,#simm]"""
    def ldapursb(self, dst: Operand, mem: Mem, /) -> None:
        """ldapursb Rt,[Xn|sp,#simm]"""
    def ldapursh(self, dst: Operand, mem: Mem, /) -> None:
        """ldapursh Rt,[Xn|sp,#simm]"""
    def ldapursw(self, dst: Operand, mem: Mem, /) -> None:
        """ldapursw Xt,[Xn|sp,#simm]"""
    def ldar(self, dst: Operand, mem: Mem, /) -> None:
        """ldar Rt,[Xn|sp]"""
    def ldarb(self, dst: Operand, mem: Mem, /) -> None:
        """ldarb Wt,[Xn|sp]"""
    def ldarh(self, dst: Operand, mem: Mem, /) -> None:
        """ldarh Wt,[Xn|sp]"""
    def ldaxp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """ldaxp Rt1,w:Rt2,[Xn|sp]"""
    def ldaxr(self, dst: Operand, mem: Mem, /) -> None:
        """ldaxr Rt,[Xn|sp]"""
    def ldaxrb(self, dst: Operand, mem: Mem, /) -> None:
        """ldaxrb Wt,[Xn|sp]"""
    def ldaxrh(self, dst: Operand, mem: Mem, /) -> None:
        """ldaxrh Wt,[Xn|sp]"""
    def ldclr(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclr r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclra(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclra r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclrab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclrab r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclrah r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclral(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclral r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclralb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclralb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclralh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclralh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclrb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclrh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclrl r:Rs,w:Rt,x:[Xn|sp]"""
    def ldclrlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclrlb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldclrlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldclrlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeor(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeor r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeora(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeora r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeorab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeorab r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeorah r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeoral(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeoral r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeoralb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeoralb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeoralh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeoralh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeorb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeorh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeorl r:Rs,w:Rt,x:[Xn|sp]"""
    def ldeorlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeorlb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldeorlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldeorlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldff1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldff1b {Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]"""
    def ldff1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldff1d {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*1},Pg/Z,[Xn|sp] | {Zt.d*1},Pg/Z,[Zn.d,#imm*8] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#3] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#3]"""
    def ldff1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldff1h {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]"""
    def ldff1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldff1sb {Zt.T*1},Pg/Z,[Xn|sp,Xm] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.d*1},Pg/Z,[Zn.d,#imm] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d]"""
    def ldff1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldff1sh {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm*2] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#1] | {Zt.d*1},Pg/Z,[Zn.d,#imm*2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#1] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#1]"""
    def ldff1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldff1sw {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.d*1},Pg/Z,[Xn|sp] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]"""
    def ldff1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldff1w {Zt.T*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.T*1},Pg/Z,[Xn|sp] | {Zt.s*1},Pg/Z,[Zn.s,#imm*4] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw] | {Zt.s*1},Pg/Z,[Xn|sp,Zm.s,xtw#2] | {Zt.d*1},Pg/Z,[Zn.d,#imm*4] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,xtw#2] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d] | {Zt.d*1},Pg/Z,[Xn|sp,Zm.d,lsl#2]"""
    def ldnf1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnf1b {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnf1d {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnf1h {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnf1sb {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnf1sh {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnf1sw {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnf1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnf1w {Zt.T*1},Pg/Z,[Xn|sp,#simm,mul vl]"""
    def ldnp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """ldnp Wt1,w:Wt2,[Xn|sp,#simm*4] | Xt1,w:Xt2,[Xn|sp,#simm*8] | St1,w:St2,[Xn|sp,#simm*4] | Dt1,w:Dt2,[Xn|sp,#simm*8] | Qt1,w:Qt2,[Xn|sp,#simm*16]"""
    def ldnt1b(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnt1b {Zt.b*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.b*1},Pg/Z,[Xn|sp,Xm] | {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.b*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.b*2%8},PNg/Z,[Xn|sp,Xm|zr] | {Zt.b*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.b*4%4},PNg/Z,[Xn|sp,Xm|zr]"""
    def ldnt1d(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnt1d {Zt.d*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.d*1},Pg/Z,[Xn|sp,Xm,lsl#3] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.d*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.d*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#3] | {Zt.d*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.d*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#3]"""
    def ldnt1h(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnt1h {Zt.h*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.h*1},Pg/Z,[Xn|sp,Xm,lsl#1] | {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.h*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.h*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#1] | {Zt.h*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.h*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#1]"""
    def ldnt1sb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnt1sb {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d]"""
    def ldnt1sh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnt1sh {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d]"""
    def ldnt1sw(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnt1sw {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d]"""
    def ldnt1w(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """ldnt1w {Zt.s*1},Pg/Z,[Xn|sp,#simm,mul vl] | {Zt.s*1},Pg/Z,[Xn|sp,Xm,lsl#2] | {Zt.s*1},Pg/Z,[Zn.s,Xm] | {Zt.s*1},Pg/Z,[Zn.s] | {Zt.d*1},Pg/Z,[Zn.d,Xm] | {Zt.d*1},Pg/Z,[Zn.d] | {Zt.s*2},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl] | {Zt.s*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#2] | {Zt.s*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl] | {Zt.s*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#2]"""
    def ldp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """ldp Wt1,w:Wt2,[Xn|sp,#simm*4] | Xt1,w:Xt2,[Xn|sp,#simm*8] | Wt1,w:Wt2,[Xn|sp,#simm*4]! | Xt1,w:Xt2,[Xn|sp,#simm*8]! | Wt1,w:Wt2,[Xn|sp],#simm*4 | Xt1,w:Xt2,[Xn|sp],#simm*8 | St1,w:St2,[Xn|sp,#simm*4] | St1,w:St2,[Xn|sp,#simm*4]! | St1,w:St2,[Xn|sp],#simm*4 | Dt1,w:Dt2,[Xn|sp,#simm*8] | Dt1,w:Dt2,[Xn|sp,#simm*8]! | Dt1,w:Dt2,[Xn|sp],#simm*8 | Qt1,w:Qt2,[Xn|sp,#simm*16] | Qt1,w:Qt2,[Xn|sp,#simm*16]! | Qt1,w:Qt2,[Xn|sp],#simm*16"""
    def ldpsw(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """ldpsw Xt1,w:Xt2,[Xn|sp,#simm*4] | Xt1,w:Xt2,[Xn|sp,#simm*4]! | Xt1,w:Xt2,[Xn|sp],#simm*4"""
    def ldr(self, dst: Operand, target: Mem | Label | int, /) -> None:
        """ldr Wt,[Xn|sp,#imm*4] | Xt,[Xn|sp,#imm*8] | Rt,[Xn|sp,#simm]! | Rt,[Xn|sp],#simm | Wt,[Xn|sp,Rm,ext#2] | Xt,[Xn|sp,Rm,ext#3] | Rt,label*4 | Bt,[Xn|sp,#imm] | Ht,[Xn|sp,#imm*2] | St,[Xn|sp,#imm*4] | Dt,[Xn|sp,#imm*8] | Qt,[Xn|sp,#imm*16] | Ft,[Xn|sp,#simm]! | Ft,[Xn|sp],#simm | Bt,[Xn|sp,Rm,ext#0] | Ht,[Xn|sp,Rm,ext#1] | St,[Xn|sp,Rm,ext#2] | Dt,[Xn|sp,Rm,ext#3] | Qt,[Xn|sp,Rm,ext#4] | Ft,label*4 | Zt,[Xn|sp,#simm,mul vl] | Pt,[Xn|sp,#simm,mul vl] | x:za[Wv+12,o],[Xn|sp,#o,mul vl] | zt0,[Xn|sp]"""
    def ldrb(self, dst: Operand, mem: Mem, /) -> None:
        """ldrb Wt,[Xn|sp,#imm] | Wt,[Xn|sp,#simm]! | Wt,[Xn|sp],#simm | Wt,[Xn|sp,Rm,ext#0]"""
    def ldrh(self, dst: Operand, mem: Mem, /) -> None:
        """ldrh Wt,[Xn|sp,#imm*2] | Wt,[Xn|sp,#simm]! | Wt,[Xn|sp],#simm | Wt,[Xn|sp,Rm,ext#1]"""
    def ldrsb(self, dst: Operand, mem: Mem, /) -> None:
        """ldrsb Rt,[Xn|sp,#imm] | Rt,[Xn|sp,#simm]! | Rt,[Xn|sp],#simm | Gt,[Xn|sp,Rm,ext#0]"""
    def ldrsh(self, dst: Operand, mem: Mem, /) -> None:
        """ldrsh Rt,[Xn|sp,#imm*2] | Rt,[Xn|sp,#simm]! | Rt,[Xn|sp],#simm | Gt,[Xn|sp,Rm,ext#1]"""
    def ldrsw(self, dst: Operand, target: Mem | Label | int, /) -> None:
        """ldrsw Xt,[Xn|sp,#imm*4] | Xt,[Xn|sp,#simm]! | Xt,[Xn|sp],#simm | Xt,[Xn|sp,Rm,ext#2] | Xt,label*4"""
    def ldset(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldset r:Rs,w:Rt,x:[Xn|sp]"""
    def ldseta(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldseta r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsetab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetab r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetah r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetal r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsetalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetalb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetalh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldseth(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldseth r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetl r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsetlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetlb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsetlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsetlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmax(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmax r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxa(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxa r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxab r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxah r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxal r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxalb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxalh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxl r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmaxlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxlb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmaxlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmaxlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsmin(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmin r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsmina(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsmina r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsminab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminab r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminah r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminal r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsminalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminalb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminalh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminl r:Rs,w:Rt,x:[Xn|sp]"""
    def ldsminlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminlb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldsminlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldsminlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldtr(self, dst: Operand, mem: Mem, /) -> None:
        """ldtr Rt,[Xn|sp,#simm]"""
    def ldtrb(self, dst: Operand, mem: Mem, /) -> None:
        """ldtrb Wt,[Xn|sp,#simm]"""
    def ldtrh(self, dst: Operand, mem: Mem, /) -> None:
        """ldtrh Wt,[Xn|sp,#simm]"""
    def ldtrsb(self, dst: Operand, mem: Mem, /) -> None:
        """ldtrsb Rt,[Xn|sp,#simm]"""
    def ldtrsh(self, dst: Operand, mem: Mem, /) -> None:
        """ldtrsh Rt,[Xn|sp,#simm]"""
    def ldtrsw(self, dst: Operand, mem: Mem, /) -> None:
        """ldtrsw Xt,[Xn|sp,#simm]"""
    def ldumax(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumax r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxa(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxa r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxab r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxah r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxal r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxalb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxalh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxl r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumaxlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxlb r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumaxlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumaxlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldumin(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumin r:Rs,w:Rt,x:[Xn|sp]"""
    def ldumina(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """ldumina r:Rs,w:Rt,x:[Xn|sp]"""
    def lduminab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminab r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminah r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminal r:Rs,w:Rt,x:[Xn|sp]"""
    def lduminalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminalb r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminalh r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminb r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminh r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminl r:Rs,w:Rt,x:[Xn|sp]"""
    def lduminlb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminlb r:Ws,w:Wt,x:[Xn|sp]"""
    def lduminlh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """lduminlh r:Ws,w:Wt,x:[Xn|sp]"""
    def ldur(self, dst: Operand, mem: Mem, /) -> None:
        """ldur Rt,[Xn|sp,#simm] | Ft,[Xn|sp,#simm]"""
    def ldurb(self, dst: Operand, mem: Mem, /) -> None:
        """ldurb Wt,[Xn|sp,#simm]"""
    def ldurh(self, dst: Operand, mem: Mem, /) -> None:
        """ldurh Wt,[Xn|sp,#simm]"""
    def ldursb(self, dst: Operand, mem: Mem, /) -> None:
        """ldursb Rt,[Xn|sp,#simm]"""
    def ldursh(self, dst: Operand, mem: Mem, /) -> None:
        """ldursh Rt,[Xn|sp,#simm]"""
    def ldursw(self, dst: Operand, mem: Mem, /) -> None:
        """ldursw Xt,[Xn|sp,#simm]"""
    def ldxp(self, dst: Operand, dst2: Operand, mem: Mem, /) -> None:
        """ldxp Rt1,w:Rt2,[Xn|sp]"""
    def ldxr(self, dst: Operand, mem: Mem, /) -> None:
        """ldxr Rt,[Xn|sp]"""
    def ldxrb(self, dst: Operand, mem: Mem, /) -> None:
        """ldxrb Wt,[Xn|sp]"""
    def ldxrh(self, dst: Operand, mem: Mem, /) -> None:
        """ldxrh Wt,[Xn|sp]"""
    @overload
    def lsl(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """lsl Rd,Rn,Rm | Wd,Wn,#sh:left.W | Xd,Xn,#sh:left.X | Zd.T,Zn.T,#sh | Zd.T,Zn.T,Zm.d"""
    @overload
    def lsl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """lsl x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,Zm.d | x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def lslr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """lslr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def lslv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """lslv Rd,Rn,Rm"""
    @overload
    def lsr(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """lsr Wd,Wn,#immr | Xd,Xn,#immr | Rd,Rn,Rm | Zd.T,Zn.T,#-sh | Zd.T,Zn.T,Zm.d"""
    @overload
    def lsr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """lsr x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,Zm.d | x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def lsrr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """lsrr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def lsrv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """lsrv Rd,Rn,Rm"""
    def luti2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """luti2 Zd.T,zt0,Zn[i] | {Zd.T*2},zt0,Zn[i] | {Zd.T*4},zt0,Zn[i]"""
    def luti4(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """luti4 Zd.T,zt0,Zn[i] | {Zd.T*2},zt0,Zn[i] | {Zd.T*4},zt0,Zn[i]"""
    def mad(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """mad x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def madd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """madd Rd,Rn,Rm,Ra"""
    def match(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """match Pd.T,Pg/Z,Zn.T,Zm.T"""
    @overload
    def mla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """mla x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    @overload
    def mla(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """mla x:Zda.T,Pg/M,Zn.T,Zm.T"""
    @overload
    def mls(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """mls x:Vd.T,Vn.T,Vm.T | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    @overload
    def mls(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """mls x:Zda.T,Pg/M,Zn.T,Zm.T"""
    def mneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """mneg Rd,Rn,Rm"""
    @overload
    def mov(self, dst: Operand, src: Operand | int, /) -> None:
        """mov Rd,Rm | Rd|sp,Rn|sp | Wd,#imm:movz.W | Xd,#imm:movz.X | Wd,#imm:movn.W | Xd,#imm:movn.X | Rd|sp,#bimm:ones.R | Vd.T,Vn.T | x:Vd.Ts[i],Vn.Ts[j] | x:Vd.Ts[i],Wn | x:Vd.d[i],Xn | Wd,Vn.s[i] | Xd,Vn.d[i] | Fd,Vn.Ts[i] | Pd.b,Pn.b | Zd.T,Fn | Zd.T,Zn.T[i] | Zd.T,Wn|sp | Zd.d,Xn|sp | Zd.T,#imm:swide.T | Zd.d,Zn.d | {Zd.b*2},ZAtD.b[Ws+12,o:2] | x:ZAtD.b[Ws+12,o:2],{Zn.b*2} | {Zd.h*2},ZAtD.h[Ws+12,o:2] | x:ZAtD.h[Ws+12,o:2],{Zn.h*2} | {Zd.s*2},ZAtD.s[Ws+12,o:2] | x:ZAtD.s[Ws+12,o:2],{Zn.s*2} | {Zd.d*2},ZAtD.d[Ws+12,0:2] | x:ZAtD.d[Ws+12,0:2],{Zn.d*2} | {Zd.b*4},ZAtD.b[Ws+12,o:4] | x:ZAtD.b[Ws+12,o:4],{Zn.b*4} | {Zd.h*4},ZAtD.h[Ws+12,o:4] | x:ZAtD.h[Ws+12,o:4],{Zn.h*4} | {Zd.s*4},ZAtD.s[Ws+12,0:4] | x:ZAtD.s[Ws+12,0:4],{Zn.s*4} | {Zd.d*4},ZAtD.d[Ws+12,0:4] | x:ZAtD.d[Ws+12,0:4],{Zn.d*4} | {Zd.d*2},za.d[Wv+8,o,vgx2] | {Zd.d*4},za.d[Wv+8,o,vgx4] | x:za.d[Wv+8,o,vgx2],{Zn.d*2} | x:za.d[Wv+8,o,vgx4],{Zn.d*4}"""
    @overload
    def mov(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """mov Pd.b,Pg/Z,Pn.b | x:Pd.b,Pg/M,Pn.b | x:Zd.T,Pg/M,#imm:swide.T | Zd.T,Pg/Z,#imm:swide.T | x:Zd.T,Pg/M,Wn|sp | x:Zd.d,Pg/M,Xn|sp | x:Zd.T,Pg/M,Fn | x:Zd.T,Pg/M,Zn.T | x:ZAtD.T[Ws+12,o],Pg/M,Zn.T | x:ZAtD.q[Ws+12,0],Pg/M,Zn.q | x:Zd.T,Pg/M,ZAtD.T[Ws+12,o] | x:Zd.q,Pg/M,ZAtD.q[Ws+12,0]"""
    @overload
    def mova(self, dst: Operand, src: Operand, /) -> None:
        """mova {Zd.b*2},ZAtD.b[Ws+12,o:2] | x:ZAtD.b[Ws+12,o:2],{Zn.b*2} | {Zd.h*2},ZAtD.h[Ws+12,o:2] | x:ZAtD.h[Ws+12,o:2],{Zn.h*2} | {Zd.s*2},ZAtD.s[Ws+12,o:2] | x:ZAtD.s[Ws+12,o:2],{Zn.s*2} | {Zd.d*2},ZAtD.d[Ws+12,0:2] | x:ZAtD.d[Ws+12,0:2],{Zn.d*2} | {Zd.b*4},ZAtD.b[Ws+12,o:4] | x:ZAtD.b[Ws+12,o:4],{Zn.b*4} | {Zd.h*4},ZAtD.h[Ws+12,o:4] | x:ZAtD.h[Ws+12,o:4],{Zn.h*4} | {Zd.s*4},ZAtD.s[Ws+12,0:4] | x:ZAtD.s[Ws+12,0:4],{Zn.s*4} | {Zd.d*4},ZAtD.d[Ws+12,0:4] | x:ZAtD.d[Ws+12,0:4],{Zn.d*4} | {Zd.d*2},za.d[Wv+8,o,vgx2] | {Zd.d*4},za.d[Wv+8,o,vgx4] | x:za.d[Wv+8,o,vgx2],{Zn.d*2} | x:za.d[Wv+8,o,vgx4],{Zn.d*4}"""
    @overload
    def mova(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """mova x:ZAtD.T[Ws+12,o],Pg/M,Zn.T | x:ZAtD.q[Ws+12,0],Pg/M,Zn.q | x:Zd.T,Pg/M,ZAtD.T[Ws+12,o] | x:Zd.q,Pg/M,ZAtD.q[Ws+12,0]"""
    @overload
    def movi(self, dst: Operand, imm: int, /) -> None:
        """movi Vd.T,#imm | Vd.2d,#imm:bytes | Dd,#imm:bytes"""
    @overload
    def movi(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """movi Vd.T,#imm,lsl#x*8 | Vd.T,#imm,msl#x*8+8"""
    @overload
    def movk(self, dst: Operand, imm: int, /) -> None:
        """movk x:Wd,#imm | x:Xd,#imm"""
    @overload
    def movk(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """movk x:Wd,#imm,lsl#hw*16 | x:Xd,#imm,lsl#hw*16"""
    @overload
    def movn(self, dst: Operand, imm: int, /) -> None:
        """movn Wd,#imm | Xd,#imm"""
    @overload
    def movn(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """movn Wd,#imm,lsl#hw*16 | Xd,#imm,lsl#hw*16"""
    @overload
    def movprfx(self, dst: Operand, src: Operand, /) -> None:
        """movprfx Zd,Zn"""
    @overload
    def movprfx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """movprfx x:Zd.T,Pg/M,Zn.T | Zd.T,Pg/Z,Zn.T"""
    @overload
    def movs(self, dst: Operand, src: Operand, /) -> None:
        """movs Pd.b,Pn.b"""
    @overload
    def movs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """movs Pd.b,Pg/Z,Pn.b"""
    def movt(self, dst: Operand, src: Operand, /) -> None:
        """movt Xt,zt0[i*8] | x:zt0[i*8],Xt"""
    @overload
    def movz(self, dst: Operand, imm: int, /) -> None:
        """movz Wd,#imm | Xd,#imm"""
    @overload
    def movz(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """movz Wd,#imm,lsl#hw*16 | Xd,#imm,lsl#hw*16"""
    def mrs(self, dst: Operand, src: Operand, /) -> None:
        """mrs Xt,sysreg"""
    def msb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """msb x:Zdn.T,Pg/M,Zm.T,Za.T"""
    def msr(self, dst: Operand, src: Operand, /) -> None:
        """msr wsysreg,Xt"""
    def msub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """msub Rd,Rn,Rm,Ra"""
    @overload
    def mul(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """mul Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | Vd.T,Vn.T,Vm.h[i] | Vd.T,Vn.T,Vm.s[i] | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#simm | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i]"""
    @overload
    def mul(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """mul x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def mvn(self, dst: Operand, src: Operand, /) -> None:
        """mvn Rd,Rm{ror} | Vd.T,Vn.T"""
    @overload
    def mvni(self, dst: Operand, imm: int, /) -> None:
        """mvni Vd.T,#imm"""
    @overload
    def mvni(self, dst: Operand, imm: int, src: Operand, /) -> None:
        """mvni Vd.T,#imm,lsl#x*8 | Vd.T,#imm,msl#x*8+8"""
    def nand(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """nand Pd.b,Pg/Z,Pn.b,Pm.b"""
    def nands(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """nands Pd.b,Pg/Z,Pn.b,Pm.b"""
    def nbsl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """nbsl x:Zdn.d,Zdn.d,Zm.d,Zk.d"""
    @overload
    def neg(self, dst: Operand, src: Operand, /) -> None:
        """neg Rd,Rm{lsl} | Vd.T,Vn.T | Dd,Dn"""
    @overload
    def neg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """neg x:Zd.T,Pg/M,Zn.T"""
    def negs(self, dst: Operand, src: Operand, /) -> None:
        """negs Rd,Rm{lsl}"""
    def ngc(self, dst: Operand, src: Operand, /) -> None:
        """ngc Rd,Rm"""
    def ngcs(self, dst: Operand, src: Operand, /) -> None:
        """ngcs Rd,Rm"""
    def nmatch(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """nmatch Pd.T,Pg/Z,Zn.T,Zm.T"""
    def nop(self) -> None:
        """nop """
    def nor(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """nor Pd.b,Pg/Z,Pn.b,Pm.b"""
    def nors(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """nors Pd.b,Pg/Z,Pn.b,Pm.b"""
    @overload
    def not_(self, dst: Operand, src: Operand, /) -> None:
        """not Vd.T,Vn.T"""
    @overload
    def not_(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """not Pd.b,Pg/Z,Pn.b | x:Zd.T,Pg/M,Zn.T"""
    def nots(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """nots Pd.b,Pg/Z,Pn.b"""
    @overload
    def orn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """orn Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T"""
    @overload
    def orn(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """orn Pd.b,Pg/Z,Pn.b,Pm.b"""
    def orns(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """orns Pd.b,Pg/Z,Pn.b,Pm.b"""
    def orqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """orqv Vd.Ta,Pg,Zn.T"""
    @overload
    def orr(self, dst: Operand, imm: int, /) -> None:
        """orr x:Vd.T,#imm"""
    @overload
    def orr(self, dst: Operand, src: Operand | int, src2: Operand | int, /) -> None:
        """orr Rd|sp,Rn,#bimm:mask.R | Rd,Rn,Rm{ror} | Vd.T,Vn.T,Vm.T | x:Vd.T,#imm,lsl#x*8 | Zd.d,Zn.d,Zm.d | x:Zdn.T,Zdn.T,#bimm:mask.T"""
    @overload
    def orr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """orr Pd.b,Pg/Z,Pn.b,Pm.b | x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def orrs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """orrs Pd.b,Pg/Z,Pn.b,Pm.b"""
    def orv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """orv Fd,Pg,Zn.T"""
    def paciasp(self) -> None:
        """paciasp """
    def pacibsp(self) -> None:
        """pacibsp """
    def pext(self, dst: Operand, src: Operand, /) -> None:
        """pext Pd.T,PNn[i] | {Pd.T*2},PNn[i]"""
    def pfalse(self, dst: Operand, /) -> None:
        """pfalse Pd.b"""
    def pfirst(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """pfirst x:Pdn.b,Pg,Pdn.b"""
    def pmov(self, dst: Operand, src: Operand, /) -> None:
        """pmov Pd.b,Zn | Pd.h,Zn[i] | Pd.s,Zn[i] | Pd.d,Zn[i] | Zd,Pn.b | x:Zd[i],Pn.h | x:Zd[i],Pn.s | x:Zd[i],Pn.d"""
    def pmul(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """pmul Vd.T,Vn.T,Vm.T | Zd.b,Zn.b,Zm.b"""
    def pmull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """pmull Vd.Ta,Vn.T,Vm.T | Vd.1q,Vn.1d,Vm.1d"""
    def pmull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """pmull2 Vd.Ta,Vn.T,Vm.T | Vd.1q,Vn.2d,Vm.2d"""
    def pmullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """pmullb Zd.Ta,Zn.T,Zm.T | Zd.q,Zn.d,Zm.d"""
    def pmullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """pmullt Zd.Ta,Zn.T,Zm.T | Zd.q,Zn.d,Zm.d"""
    def pnext(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """pnext x:Pdn.T,Pg,Pdn.T"""
    def prfb(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """prfb r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm] | r:vprfop,Pg,[Zn.s,#imm] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw] | r:vprfop,Pg,[Zn.d,#imm] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw] | r:vprfop,Pg,[Xn|sp,Zm.d]"""
    def prfd(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """prfd r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm,lsl#3] | r:vprfop,Pg,[Zn.s,#imm*8] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw#3] | r:vprfop,Pg,[Zn.d,#imm*8] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw#3] | r:vprfop,Pg,[Xn|sp,Zm.d,lsl#3]"""
    def prfh(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """prfh r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm,lsl#1] | r:vprfop,Pg,[Zn.s,#imm*2] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw#1] | r:vprfop,Pg,[Zn.d,#imm*2] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw#1] | r:vprfop,Pg,[Xn|sp,Zm.d,lsl#1]"""
    def prfm(self, src: Operand, target: Mem | Label | int, /) -> None:
        """prfm r:prfop,[Xn|sp,#imm*8] | r:prfop,[Xn|sp,Rm,ext#3] | r:prfop,label*4"""
    def prfum(self, src: Operand, mem: Mem, /) -> None:
        """prfum r:prfop,[Xn|sp,#simm]"""
    def prfw(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """prfw r:vprfop,Pg,[Xn|sp,#simm,mul vl] | r:vprfop,Pg,[Xn|sp,Xm,lsl#2] | r:vprfop,Pg,[Zn.s,#imm*4] | r:vprfop,Pg,[Xn|sp,Zm.s,xtw#2] | r:vprfop,Pg,[Zn.d,#imm*4] | r:vprfop,Pg,[Xn|sp,Zm.d,xtw#2] | r:vprfop,Pg,[Xn|sp,Zm.d,lsl#2]"""
    def psel(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """psel Pd,Pn,Pm.T[Wv+12,i]"""
    def ptest(self, src: Operand, src2: Operand, /) -> None:
        """ptest r:Pg,Pn.b"""
    @overload
    def ptrue(self, dst: Operand, /) -> None:
        """ptrue Pd.T | PNd.T"""
    @overload
    def ptrue(self, dst: Operand, src: Operand, /) -> None:
        """ptrue Pd.T,pattern"""
    @overload
    def ptrues(self, dst: Operand, /) -> None:
        """ptrues Pd.T"""
    @overload
    def ptrues(self, dst: Operand, src: Operand, /) -> None:
        """ptrues Pd.T,pattern"""
    def punpkhi(self, dst: Operand, src: Operand, /) -> None:
        """punpkhi Pd.h,Pn.b"""
    def punpklo(self, dst: Operand, src: Operand, /) -> None:
        """punpklo Pd.h,Pn.b"""
    def raddhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """raddhn Vd.T,Vn.Ta,Vm.Ta"""
    def raddhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """raddhn2 x:Vd.T,Vn.Ta,Vm.Ta"""
    def raddhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """raddhnb Zd.T,Zn.Ta,Zm.Ta"""
    def raddhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """raddhnt x:Zd.T,Zn.Ta,Zm.Ta"""
    def rax1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """rax1 Vd.2d,Vn.2d,Vm.2d | Zd.d,Zn.d,Zm.d"""
    @overload
    def rbit(self, dst: Operand, src: Operand, /) -> None:
        """rbit Rd,Rn | Vd.T,Vn.T"""
    @overload
    def rbit(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """rbit x:Zd.T,Pg/M,Zn.T"""
    @overload
    def rdffr(self, dst: Operand, /) -> None:
        """rdffr Pd.b"""
    @overload
    def rdffr(self, dst: Operand, src: Operand, /) -> None:
        """rdffr Pd.b,Pg/Z"""
    def rdffrs(self, dst: Operand, src: Operand, /) -> None:
        """rdffrs Pd.b,Pg/Z"""
    def rdsvl(self, dst: Operand, imm: int, /) -> None:
        """rdsvl Xd,#simm"""
    def rdvl(self, dst: Operand, imm: int, /) -> None:
        """rdvl Xd,#simm"""
    @overload
    def ret(self) -> None:
        """ret """
    @overload
    def ret(self, src: Operand, /) -> None:
        """ret r:Xn"""
    def rev(self, dst: Operand, src: Operand, /) -> None:
        """rev Rd,Rn | Pd.T,Pn.T | Zd.T,Zn.T"""
    def rev16(self, dst: Operand, src: Operand, /) -> None:
        """rev16 Rd,Rn | Vd.T,Vn.T"""
    def rev32(self, dst: Operand, src: Operand, /) -> None:
        """rev32 Xd,Xn | Vd.T,Vn.T"""
    def rev64(self, dst: Operand, src: Operand, /) -> None:
        """rev64 Xd,Xn | Vd.T,Vn.T"""
    def revb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """revb x:Zd.T,Pg/M,Zn.T"""
    def revd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """revd x:Zd.q,Pg/M,Zn.q"""
    def revh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """revh x:Zd.T,Pg/M,Zn.T"""
    def revw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """revw x:Zd.d,Pg/M,Zn.d"""
    def rmif(self, src: Operand, imm: int, imm2: int, /) -> None:
        """rmif r:Xn,#imm,#mask"""
    def ror(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """ror Rd,Rn,Rm | Wd,Wn,#lsb | Xd,Xn,#lsb"""
    def rorv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """rorv Rd,Rn,Rm"""
    def rshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """rshrn Vd.T,Vn.Ta,#-sh"""
    def rshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """rshrn2 x:Vd.T,Vn.Ta,#-sh"""
    def rshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """rshrnb Zd.T,Zn.Ta,#-sh"""
    def rshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """rshrnt x:Zd.T,Zn.Ta,#-sh"""
    def rsubhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """rsubhn Vd.T,Vn.Ta,Vm.Ta"""
    def rsubhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """rsubhn2 x:Vd.T,Vn.Ta,Vm.Ta"""
    def rsubhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """rsubhnb Zd.T,Zn.Ta,Zm.Ta"""
    def rsubhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """rsubhnt x:Zd.T,Zn.Ta,Zm.Ta"""
    def saba(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saba x:Vd.T,Vn.T,Vm.T | x:Zda.T,Zn.T,Zm.T"""
    def sabal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabal x:Vd.Ta,Vn.T,Vm.T"""
    def sabal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabal2 x:Vd.Ta,Vn.T,Vm.T"""
    def sabalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabalb x:Zda.Ta,Zn.T,Zm.T"""
    def sabalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabalt x:Zda.Ta,Zn.T,Zm.T"""
    @overload
    def sabd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabd Vd.T,Vn.T,Vm.T"""
    @overload
    def sabd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sabd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sabdl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabdl Vd.Ta,Vn.T,Vm.T"""
    def sabdl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabdl2 Vd.Ta,Vn.T,Vm.T"""
    def sabdlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabdlb Zd.Ta,Zn.T,Zm.T"""
    def sabdlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sabdlt Zd.Ta,Zn.T,Zm.T"""
    @overload
    def sadalp(self, dst: Operand, src: Operand, /) -> None:
        """sadalp x:Vd.Ta,Vn.T"""
    @overload
    def sadalp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sadalp x:Zda.Ta,Pg/M,Zn.T"""
    def saddl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddl Vd.Ta,Vn.T,Vm.T"""
    def saddl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddl2 Vd.Ta,Vn.T,Vm.T"""
    def saddlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddlb Zd.Ta,Zn.T,Zm.T"""
    def saddlbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddlbt Zd.Ta,Zn.T,Zm.T"""
    def saddlp(self, dst: Operand, src: Operand, /) -> None:
        """saddlp Vd.Ta,Vn.T"""
    def saddlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddlt Zd.Ta,Zn.T,Zm.T"""
    def saddlv(self, dst: Operand, src: Operand, /) -> None:
        """saddlv Fd,Vn.T"""
    def saddv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddv Dd,Pg,Zn.T"""
    def saddw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddw Vd.Ta,Vn.Ta,Vm.T"""
    def saddw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddw2 Vd.Ta,Vn.Ta,Vm.T"""
    def saddwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddwb Zd.Ta,Zn.Ta,Zm.T"""
    def saddwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """saddwt Zd.Ta,Zn.Ta,Zm.T"""
    def sb(self) -> None:
        """sb """
    def sbc(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sbc Rd,Rn,Rm"""
    def sbclb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sbclb x:Zda.T,Zn.T,Zm.T"""
    def sbclt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sbclt x:Zda.T,Zn.T,Zm.T"""
    def sbcs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sbcs Rd,Rn,Rm"""
    def sbfiz(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """sbfiz Rd,Rn,#lsb:negated.R,#width:length.R"""
    def sbfm(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """sbfm Rd,Rn,#immr,#imms"""
    def sbfx(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """sbfx Rd,Rn,#lsb:start.R,#width:width.R"""
    def sclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sclamp x:Zd.T,Zn.T,Zm.T | x:{Zd.T*2},Zn.T,Zm.T | x:{Zd.T*4},Zn.T,Zm.T"""
    @overload
    def scvtf(self, dst: Operand, src: Operand, /) -> None:
        """scvtf Vd.T,Vn.T | Fd,Fn | Hd,Hn | Fd,Rn | Hd,Rn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def scvtf(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """scvtf Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Fd,Xn,#-sh | Hd,Xn,#-sh | Fd,Wn,#-sh | Hd,Wn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    @overload
    def sdiv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sdiv Rd,Rn,Rm"""
    @overload
    def sdiv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sdiv x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sdivr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sdivr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sdot x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.b,Zm.b[i] | x:Zda.d,Zn.h,Zm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def sel(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sel Pd.b,Pg,Pn.b,Pm.b | Zd.T,Pg,Zn.T,Zm.T | {Zd.T*2},PNg,{Zn.T*2},{Zm.T*2} | {Zd.T*4},PNg,{Zn.T*4},{Zm.T*4}"""
    def setf16(self, src: Operand, /) -> None:
        """setf16 r:Wn"""
    def setf8(self, src: Operand, /) -> None:
        """setf8 r:Wn"""
    def setffr(self) -> None:
        """setffr """
    def sev(self) -> None:
        """sev """
    def sevl(self) -> None:
        """sevl """
    def sha1c(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha1c x:Qd,Sn,Vm.4s"""
    def sha1h(self, dst: Operand, src: Operand, /) -> None:
        """sha1h Sd,Sn"""
    def sha1m(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha1m x:Qd,Sn,Vm.4s"""
    def sha1p(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha1p x:Qd,Sn,Vm.4s"""
    def sha1su0(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha1su0 x:Vd.4s,Vn.4s,Vm.4s"""
    def sha1su1(self, dst: Operand, src: Operand, /) -> None:
        """sha1su1 x:Vd.4s,Vn.4s"""
    def sha256h(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha256h x:Qd,Qn,Vm.4s"""
    def sha256h2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha256h2 x:Qd,Qn,Vm.4s"""
    def sha256su0(self, dst: Operand, src: Operand, /) -> None:
        """sha256su0 x:Vd.4s,Vn.4s"""
    def sha256su1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha256su1 x:Vd.4s,Vn.4s,Vm.4s"""
    def sha512h(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha512h x:Qd,Qn,Vm.2d"""
    def sha512h2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha512h2 x:Qd,Qn,Vm.2d"""
    def sha512su0(self, dst: Operand, src: Operand, /) -> None:
        """sha512su0 x:Vd.2d,Vn.2d"""
    def sha512su1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sha512su1 x:Vd.2d,Vn.2d,Vm.2d"""
    @overload
    def shadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """shadd Vd.T,Vn.T,Vm.T"""
    @overload
    def shadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """shadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def shl(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """shl Vd.T,Vn.T,#sh | Dd,Dn,#sh"""
    def shll(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """shll Vd.Ta,Vn.T,#8 | Vd.Ta,Vn.T,#16 | Vd.Ta,Vn.T,#32"""
    def shll2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """shll2 Vd.Ta,Vn.T,#8 | Vd.Ta,Vn.T,#16 | Vd.Ta,Vn.T,#32"""
    def shrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """shrn Vd.T,Vn.Ta,#-sh"""
    def shrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """shrn2 x:Vd.T,Vn.Ta,#-sh"""
    def shrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """shrnb Zd.T,Zn.Ta,#-sh"""
    def shrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """shrnt x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def shsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """shsub Vd.T,Vn.T,Vm.T"""
    @overload
    def shsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """shsub x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def shsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """shsubr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sli(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sli x:Vd.T,Vn.T,#sh | x:Dd,Dn,#sh | x:Zd.T,Zn.T,#sh"""
    def sm3partw1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm3partw1 x:Vd.4s,Vn.4s,Vm.4s"""
    def sm3partw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm3partw2 x:Vd.4s,Vn.4s,Vm.4s"""
    def sm3ss1(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sm3ss1 Vd.4s,Vn.4s,Vm.4s,Va.4s"""
    def sm3tt1a(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm3tt1a x:Vd.4s,Vn.4s,Vm.s[i]"""
    def sm3tt1b(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm3tt1b x:Vd.4s,Vn.4s,Vm.s[i]"""
    def sm3tt2a(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm3tt2a x:Vd.4s,Vn.4s,Vm.s[i]"""
    def sm3tt2b(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm3tt2b x:Vd.4s,Vn.4s,Vm.s[i]"""
    @overload
    def sm4e(self, dst: Operand, src: Operand, /) -> None:
        """sm4e x:Vd.4s,Vn.4s"""
    @overload
    def sm4e(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm4e x:Zdn.s,Zdn.s,Zm.s"""
    def sm4ekey(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sm4ekey Vd.4s,Vn.4s,Vm.4s | Zd.s,Zn.s,Zm.s"""
    def smaddl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """smaddl Xd,Wn,Wm,Xa"""
    @overload
    def smax(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """smax Rd,Rn,#simm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#simm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def smax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """smax x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def smaxp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smaxp Vd.T,Vn.T,Vm.T"""
    @overload
    def smaxp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """smaxp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def smaxqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smaxqv Vd.Ta,Pg,Zn.T"""
    @overload
    def smaxv(self, dst: Operand, src: Operand, /) -> None:
        """smaxv Fd,Vn.T"""
    @overload
    def smaxv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smaxv Fd,Pg,Zn.T"""
    def smc(self, imm: int, /) -> None:
        """smc #imm"""
    @overload
    def smin(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """smin Rd,Rn,#simm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#simm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def smin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """smin x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def sminp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sminp Vd.T,Vn.T,Vm.T"""
    @overload
    def sminp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sminp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sminqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sminqv Vd.Ta,Pg,Zn.T"""
    @overload
    def sminv(self, dst: Operand, src: Operand, /) -> None:
        """sminv Fd,Vn.T"""
    @overload
    def sminv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sminv Fd,Pg,Zn.T"""
    def smlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlal x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def smlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlal2 x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def smlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlalb x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlall x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def smlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlalt x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlsl x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def smlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlsl2 x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def smlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlslb x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smlsll(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlsll x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def smlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smlslt x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def smmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smmla x:Vd.4s,Vn.16b,Vm.16b | x:Zda.s,Zn.b,Zm.b"""
    def smnegl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smnegl Xd,Wn,Wm"""
    def smopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """smopa x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def smops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """smops x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def smov(self, dst: Operand, src: Operand, /) -> None:
        """smov Wd,Vn.Ts[i] | Xd,Vn.Ts[i]"""
    @overload
    def smstart(self) -> None:
        """smstart """
    @overload
    def smstart(self, src: Operand, /) -> None:
        """smstart svcr"""
    @overload
    def smstop(self) -> None:
        """smstop """
    @overload
    def smstop(self, src: Operand, /) -> None:
        """smstop svcr"""
    def smsubl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """smsubl Xd,Wn,Wm,Xa"""
    @overload
    def smulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smulh Xd,Xn,Xm | Zd.T,Zn.T,Zm.T"""
    @overload
    def smulh(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """smulh x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def smull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smull Xd,Wn,Wm | Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.4h,Vm.h[i] | Vd.2d,Vn.2s,Vm.s[i]"""
    def smull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smull2 Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.8h,Vm.h[i] | Vd.2d,Vn.4s,Vm.s[i]"""
    def smullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smullb Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    def smullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """smullt Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    @overload
    def splice(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """splice Zd.T,Pg,{Zn.T*2}"""
    @overload
    def splice(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """splice x:Zdn.T,Pg,Zdn.T,Zm.T"""
    @overload
    def sqabs(self, dst: Operand, src: Operand, /) -> None:
        """sqabs Vd.T,Vn.T | Fd,Fn"""
    @overload
    def sqabs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqabs x:Zd.T,Pg/M,Zn.T"""
    @overload
    def sqadd(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """sqadd Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def sqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqcadd(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """sqcadd x:Zdn.T,Zdn.T,Zm.T,#rot:90|270"""
    def sqcvt(self, dst: Operand, src: Operand, /) -> None:
        """sqcvt Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def sqcvtn(self, dst: Operand, src: Operand, /) -> None:
        """sqcvtn Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def sqcvtu(self, dst: Operand, src: Operand, /) -> None:
        """sqcvtu Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def sqcvtun(self, dst: Operand, src: Operand, /) -> None:
        """sqcvtun Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    @overload
    def sqdecb(self, dst: Operand, /) -> None:
        """sqdecb x:Xdn"""
    @overload
    def sqdecb(self, dst: Operand, src: Operand, /) -> None:
        """sqdecb x:Xdn,pattern | x:Xdn,Wdn"""
    @overload
    def sqdecb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdecb x:Xdn,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdecb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqdecb x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqdecd(self, dst: Operand, /) -> None:
        """sqdecd x:Xdn | x:Zdn.d"""
    @overload
    def sqdecd(self, dst: Operand, src: Operand, /) -> None:
        """sqdecd x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.d,pattern"""
    @overload
    def sqdecd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdecd x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdecd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqdecd x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqdech(self, dst: Operand, /) -> None:
        """sqdech x:Xdn | x:Zdn.h"""
    @overload
    def sqdech(self, dst: Operand, src: Operand, /) -> None:
        """sqdech x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.h,pattern"""
    @overload
    def sqdech(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdech x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdech(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqdech x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqdecp(self, dst: Operand, src: Operand, /) -> None:
        """sqdecp x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def sqdecp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdecp x:Xdn,Pm.T,Wdn"""
    @overload
    def sqdecw(self, dst: Operand, /) -> None:
        """sqdecw x:Xdn | x:Zdn.s"""
    @overload
    def sqdecw(self, dst: Operand, src: Operand, /) -> None:
        """sqdecw x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.s,pattern"""
    @overload
    def sqdecw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdecw x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqdecw(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqdecw x:Xdn,Wdn,pattern,mul#imm+1"""
    def sqdmlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlal x:Vd.Ta,Vn.T,Vm.T | x:Gd,Fn,Fm | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:Sd,Hn,Vm.h[i] | x:Dd,Sn,Vm.s[i]"""
    def sqdmlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlal2 x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def sqdmlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlalb x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmlalbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlalbt x:Zda.Ta,Zn.T,Zm.T"""
    def sqdmlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlalt x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlsl x:Vd.Ta,Vn.T,Vm.T | x:Gd,Fn,Fm | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:Sd,Hn,Vm.h[i] | x:Dd,Sn,Vm.s[i]"""
    def sqdmlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlsl2 x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def sqdmlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlslb x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmlslbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlslbt x:Zda.Ta,Zn.T,Zm.T"""
    def sqdmlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmlslt x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def sqdmulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmulh Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,Vm.h[i] | Vd.T,Vn.T,Vm.s[i] | Hd,Hn,Vm.h[i] | Sd,Sn,Vm.s[i] | Zd.T,Zn.T,Zm.T | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i] | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    def sqdmull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmull Vd.Ta,Vn.T,Vm.T | Gd,Fn,Fm | Vd.4s,Vn.4h,Vm.h[i] | Vd.2d,Vn.2s,Vm.s[i] | Sd,Hn,Vm.h[i] | Dd,Sn,Vm.s[i]"""
    def sqdmull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmull2 Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.8h,Vm.h[i] | Vd.2d,Vn.4s,Vm.s[i]"""
    def sqdmullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmullb Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    def sqdmullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqdmullt Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    @overload
    def sqincb(self, dst: Operand, /) -> None:
        """sqincb x:Xdn"""
    @overload
    def sqincb(self, dst: Operand, src: Operand, /) -> None:
        """sqincb x:Xdn,pattern | x:Xdn,Wdn"""
    @overload
    def sqincb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqincb x:Xdn,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqincb(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqincb x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqincd(self, dst: Operand, /) -> None:
        """sqincd x:Xdn | x:Zdn.d"""
    @overload
    def sqincd(self, dst: Operand, src: Operand, /) -> None:
        """sqincd x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.d,pattern"""
    @overload
    def sqincd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqincd x:Xdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqincd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqincd x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqinch(self, dst: Operand, /) -> None:
        """sqinch x:Xdn | x:Zdn.h"""
    @overload
    def sqinch(self, dst: Operand, src: Operand, /) -> None:
        """sqinch x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.h,pattern"""
    @overload
    def sqinch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqinch x:Xdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqinch(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqinch x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqincp(self, dst: Operand, src: Operand, /) -> None:
        """sqincp x:Xdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def sqincp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqincp x:Xdn,Pm.T,Wdn"""
    @overload
    def sqincw(self, dst: Operand, /) -> None:
        """sqincw x:Xdn | x:Zdn.s"""
    @overload
    def sqincw(self, dst: Operand, src: Operand, /) -> None:
        """sqincw x:Xdn,pattern | x:Xdn,Wdn | x:Zdn.s,pattern"""
    @overload
    def sqincw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqincw x:Xdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1 | x:Xdn,Wdn,pattern"""
    @overload
    def sqincw(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqincw x:Xdn,Wdn,pattern,mul#imm+1"""
    @overload
    def sqneg(self, dst: Operand, src: Operand, /) -> None:
        """sqneg Vd.T,Vn.T | Fd,Fn"""
    @overload
    def sqneg(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqneg x:Zd.T,Pg/M,Zn.T"""
    def sqrdcmlah(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """sqrdcmlah x:Zda.T,Zn.T,Zm.T,#rot*90 | x:Zda.h,Zn.h,Zm.h[i],#rot*90 | x:Zda.s,Zn.s,Zm.s[i],#rot*90"""
    def sqrdmlah(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqrdmlah x:Vd.T,Vn.T,Vm.T | x:Fd,Fn,Fm | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Hd,Hn,Vm.h[i] | x:Sd,Sn,Vm.s[i] | x:Zda.T,Zn.T,Zm.T | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    def sqrdmlsh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqrdmlsh x:Vd.T,Vn.T,Vm.T | x:Fd,Fn,Fm | x:Vd.T,Vn.T,Vm.h[i] | x:Vd.T,Vn.T,Vm.s[i] | x:Hd,Hn,Vm.h[i] | x:Sd,Sn,Vm.s[i] | x:Zda.T,Zn.T,Zm.T | x:Zda.h,Zn.h,Zm.h[i] | x:Zda.s,Zn.s,Zm.s[i] | x:Zda.d,Zn.d,Zm.d[i]"""
    def sqrdmulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqrdmulh Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,Vm.h[i] | Vd.T,Vn.T,Vm.s[i] | Hd,Hn,Vm.h[i] | Sd,Sn,Vm.s[i] | Zd.T,Zn.T,Zm.T | Zd.h,Zn.h,Zm.h[i] | Zd.s,Zn.s,Zm.s[i] | Zd.d,Zn.d,Zm.d[i]"""
    @overload
    def sqrshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sqrshl Vd.T,Vn.T,Vm.T | Fd,Fn,Fm"""
    @overload
    def sqrshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqrshl x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqrshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqrshlr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqrshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshr Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrn Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh | Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrn2 x:Vd.T,Vn.Ta,#-sh"""
    def sqrshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrnb Zd.T,Zn.Ta,#-sh"""
    def sqrshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrnt x:Zd.T,Zn.Ta,#-sh"""
    def sqrshru(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshru Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrun(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrun Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh | Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def sqrshrun2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrun2 x:Vd.T,Vn.Ta,#-sh"""
    def sqrshrunb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrunb Zd.T,Zn.Ta,#-sh"""
    def sqrshrunt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqrshrunt x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def sqshl(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """sqshl Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,#sh | Fd,Fn,#sh"""
    @overload
    def sqshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """sqshl x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def sqshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqshlr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def sqshlu(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshlu Vd.T,Vn.T,#sh | Fd,Fn,#sh"""
    @overload
    def sqshlu(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """sqshlu x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def sqshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrn Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh"""
    def sqshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrn2 x:Vd.T,Vn.Ta,#-sh"""
    def sqshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrnb Zd.T,Zn.Ta,#-sh"""
    def sqshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrnt x:Zd.T,Zn.Ta,#-sh"""
    def sqshrun(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrun Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh"""
    def sqshrun2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrun2 x:Vd.T,Vn.Ta,#-sh"""
    def sqshrunb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrunb Zd.T,Zn.Ta,#-sh"""
    def sqshrunt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sqshrunt x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def sqsub(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """sqsub Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def sqsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqsub x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sqsubr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sqxtn(self, dst: Operand, src: Operand, /) -> None:
        """sqxtn Vd.T,Vn.Ta | Fd,Gn"""
    def sqxtn2(self, dst: Operand, src: Operand, /) -> None:
        """sqxtn2 x:Vd.T,Vn.Ta"""
    def sqxtnb(self, dst: Operand, src: Operand, /) -> None:
        """sqxtnb Zd.T,Zn.Ta"""
    def sqxtnt(self, dst: Operand, src: Operand, /) -> None:
        """sqxtnt x:Zd.T,Zn.Ta"""
    def sqxtun(self, dst: Operand, src: Operand, /) -> None:
        """sqxtun Vd.T,Vn.Ta | Fd,Gn"""
    def sqxtun2(self, dst: Operand, src: Operand, /) -> None:
        """sqxtun2 x:Vd.T,Vn.Ta"""
    def sqxtunb(self, dst: Operand, src: Operand, /) -> None:
        """sqxtunb Zd.T,Zn.Ta"""
    def sqxtunt(self, dst: Operand, src: Operand, /) -> None:
        """sqxtunt x:Zd.T,Zn.Ta"""
    @overload
    def srhadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """srhadd Vd.T,Vn.T,Vm.T"""
    @overload
    def srhadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """srhadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def sri(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sri x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zd.T,Zn.T,#-sh"""
    @overload
    def srshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """srshl Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def srshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """srshl x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def srshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """srshlr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def srshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """srshr Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    @overload
    def srshr(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """srshr x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    def srsra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """srsra x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def sshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sshl Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def sshll(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sshll Vd.Ta,Vn.T,#sh"""
    def sshll2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sshll2 Vd.Ta,Vn.T,#sh"""
    def sshllb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sshllb Zd.Ta,Zn.T,#sh"""
    def sshllt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sshllt Zd.Ta,Zn.T,#sh"""
    def sshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """sshr Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    def ssra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ssra x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def ssubl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssubl Vd.Ta,Vn.T,Vm.T"""
    def ssubl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssubl2 Vd.Ta,Vn.T,Vm.T"""
    def ssublb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssublb Zd.Ta,Zn.T,Zm.T"""
    def ssublbt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssublbt Zd.Ta,Zn.T,Zm.T"""
    def ssublt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssublt Zd.Ta,Zn.T,Zm.T"""
    def ssubltb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssubltb Zd.Ta,Zn.T,Zm.T"""
    def ssubw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssubw Vd.Ta,Vn.Ta,Vm.T"""
    def ssubw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssubw2 Vd.Ta,Vn.Ta,Vm.T"""
    def ssubwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssubwb Zd.Ta,Zn.Ta,Zm.T"""
    def ssubwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ssubwt Zd.Ta,Zn.Ta,Zm.T"""
    def st1(self, src: Operand, mem: Mem, /) -> None:
        """st1 r:{Vt.T*1},w:[Xn|sp] | r:{Vt.T*1},w:[Xn|sp],#8 | r:{Vt.T*1},w:[Xn|sp],#16 | r:{Vt.T*1},w:[Xn|sp],Xm | r:{Vt.T*2},w:[Xn|sp] | r:{Vt.T*2},w:[Xn|sp],#16 | r:{Vt.T*2},w:[Xn|sp],#32 | r:{Vt.T*2},w:[Xn|sp],Xm | r:{Vt.T*3},w:[Xn|sp] | r:{Vt.T*3},w:[Xn|sp],#24 | r:{Vt.T*3},w:[Xn|sp],#48 | r:{Vt.T*3},w:[Xn|sp],Xm | r:{Vt.T*4},w:[Xn|sp] | r:{Vt.T*4},w:[Xn|sp],#32 | r:{Vt.T*4},w:[Xn|sp],#64 | r:{Vt.T*4},w:[Xn|sp],Xm | r:{Vt.b*1}[i],w:[Xn|sp] | r:{Vt.b*1}[i],w:[Xn|sp],#1 | r:{Vt.b*1}[i],w:[Xn|sp],Xm | r:{Vt.h*1}[i],w:[Xn|sp] | r:{Vt.h*1}[i],w:[Xn|sp],#2 | r:{Vt.h*1}[i],w:[Xn|sp],Xm | r:{Vt.s*1}[i],w:[Xn|sp] | r:{Vt.s*1}[i],w:[Xn|sp],#4 | r:{Vt.s*1}[i],w:[Xn|sp],Xm | r:{Vt.d*1}[i],w:[Xn|sp] | r:{Vt.d*1}[i],w:[Xn|sp],#8 | r:{Vt.d*1}[i],w:[Xn|sp],Xm"""
    def st1b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st1b r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.T*1},Pg,w:[Xn|sp,Xm] | r:{Zt.s*1},Pg,w:[Zn.s,#imm] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw] | r:{Zt.d*1},Pg,w:[Zn.d,#imm] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.b*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2%8},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4%4},PNg,w:[Xn|sp,Xm|zr] | r:{ZAtD.b[Ws+12,o]},Pg,w:[Xn|sp,Xm] | r:{ZAtD.b[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st1d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st1d r:{Zt.d*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.d*1},Pg,w:[Xn|sp,Xm,lsl#3] | r:{Zt.d*1},Pg,w:[Zn.d,#imm*8] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#3] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#3] | r:{Zt.q*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.q*1},Pg,w:[Xn|sp,Xm,lsl#3] | r:{Zt.d*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{ZAtD.d[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#3] | r:{ZAtD.d[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st1h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st1h r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.T*1},Pg,w:[Xn|sp,Xm,lsl#1] | r:{Zt.s*1},Pg,w:[Zn.s,#imm*2] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw#1] | r:{Zt.d*1},Pg,w:[Zn.d,#imm*2] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#1] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#1] | r:{Zt.h*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{ZAtD.h[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#1] | r:{ZAtD.h[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st1q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st1q r:{Zt.q*1},Pg,w:[Zn.d,Xm] | r:{Zt.q*1},Pg,w:[Zn.d] | r:{ZAtD.q[Ws+12,0]},Pg,w:[Xn|sp,Xm,lsl#4] | r:{ZAtD.q[Ws+12,0]},Pg,w:[Xn|sp]"""
    def st1w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st1w r:{Zt.T*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.T*1},Pg,w:[Xn|sp,Xm,lsl#2] | r:{Zt.s*1},Pg,w:[Zn.s,#imm*4] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw] | r:{Zt.s*1},Pg,w:[Xn|sp,Zm.s,xtw#2] | r:{Zt.d*1},Pg,w:[Zn.d,#imm*4] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,xtw#2] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d] | r:{Zt.d*1},Pg,w:[Xn|sp,Zm.d,lsl#2] | r:{Zt.q*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.q*1},Pg,w:[Xn|sp,Xm,lsl#2] | r:{Zt.s*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{ZAtD.s[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#2] | r:{ZAtD.s[Ws+12,o]},Pg,w:[Xn|sp]"""
    def st2(self, src: Operand, mem: Mem, /) -> None:
        """st2 r:{Vt.T*2},w:[Xn|sp] | r:{Vt.T*2},w:[Xn|sp],#16 | r:{Vt.T*2},w:[Xn|sp],#32 | r:{Vt.T*2},w:[Xn|sp],Xm | r:{Vt.b*2}[i],w:[Xn|sp] | r:{Vt.b*2}[i],w:[Xn|sp],#2 | r:{Vt.b*2}[i],w:[Xn|sp],Xm | r:{Vt.h*2}[i],w:[Xn|sp] | r:{Vt.h*2}[i],w:[Xn|sp],#4 | r:{Vt.h*2}[i],w:[Xn|sp],Xm | r:{Vt.s*2}[i],w:[Xn|sp] | r:{Vt.s*2}[i],w:[Xn|sp],#8 | r:{Vt.s*2}[i],w:[Xn|sp],Xm | r:{Vt.d*2}[i],w:[Xn|sp] | r:{Vt.d*2}[i],w:[Xn|sp],#16 | r:{Vt.d*2}[i],w:[Xn|sp],Xm"""
    def st2b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st2b r:{Zt.b*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2},Pg,w:[Xn|sp,Xm]"""
    def st2d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st2d r:{Zt.d*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2},Pg,w:[Xn|sp,Xm,lsl#3]"""
    def st2h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st2h r:{Zt.h*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2},Pg,w:[Xn|sp,Xm,lsl#1]"""
    def st2q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st2q r:{Zt.q*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.q*2},Pg,w:[Xn|sp,Xm,lsl#4]"""
    def st2w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st2w r:{Zt.s*2},Pg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2},Pg,w:[Xn|sp,Xm,lsl#2]"""
    def st3(self, src: Operand, mem: Mem, /) -> None:
        """st3 r:{Vt.T*3},w:[Xn|sp] | r:{Vt.T*3},w:[Xn|sp],#24 | r:{Vt.T*3},w:[Xn|sp],#48 | r:{Vt.T*3},w:[Xn|sp],Xm | r:{Vt.b*3}[i],w:[Xn|sp] | r:{Vt.b*3}[i],w:[Xn|sp],#3 | r:{Vt.b*3}[i],w:[Xn|sp],Xm | r:{Vt.h*3}[i],w:[Xn|sp] | r:{Vt.h*3}[i],w:[Xn|sp],#6 | r:{Vt.h*3}[i],w:[Xn|sp],Xm | r:{Vt.s*3}[i],w:[Xn|sp] | r:{Vt.s*3}[i],w:[Xn|sp],#12 | r:{Vt.s*3}[i],w:[Xn|sp],Xm | r:{Vt.d*3}[i],w:[Xn|sp] | r:{Vt.d*3}[i],w:[Xn|sp],#24 | r:{Vt.d*3}[i],w:[Xn|sp],Xm"""
    def st3b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st3b r:{Zt.b*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.b*3},Pg,w:[Xn|sp,Xm]"""
    def st3d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st3d r:{Zt.d*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.d*3},Pg,w:[Xn|sp,Xm,lsl#3]"""
    def st3h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st3h r:{Zt.h*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.h*3},Pg,w:[Xn|sp,Xm,lsl#1]"""
    def st3q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st3q r:{Zt.q*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.q*3},Pg,w:[Xn|sp,Xm,lsl#4]"""
    def st3w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st3w r:{Zt.s*3},Pg,w:[Xn|sp,#simm*3,mul vl] | r:{Zt.s*3},Pg,w:[Xn|sp,Xm,lsl#2]"""
    def st4(self, src: Operand, mem: Mem, /) -> None:
        """st4 r:{Vt.T*4},w:[Xn|sp] | r:{Vt.T*4},w:[Xn|sp],#32 | r:{Vt.T*4},w:[Xn|sp],#64 | r:{Vt.T*4},w:[Xn|sp],Xm | r:{Vt.b*4}[i],w:[Xn|sp] | r:{Vt.b*4}[i],w:[Xn|sp],#4 | r:{Vt.b*4}[i],w:[Xn|sp],Xm | r:{Vt.h*4}[i],w:[Xn|sp] | r:{Vt.h*4}[i],w:[Xn|sp],#8 | r:{Vt.h*4}[i],w:[Xn|sp],Xm | r:{Vt.s*4}[i],w:[Xn|sp] | r:{Vt.s*4}[i],w:[Xn|sp],#16 | r:{Vt.s*4}[i],w:[Xn|sp],Xm | r:{Vt.d*4}[i],w:[Xn|sp] | r:{Vt.d*4}[i],w:[Xn|sp],#32 | r:{Vt.d*4}[i],w:[Xn|sp],Xm"""
    def st4b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st4b r:{Zt.b*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4},Pg,w:[Xn|sp,Xm]"""
    def st4d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st4d r:{Zt.d*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4},Pg,w:[Xn|sp,Xm,lsl#3]"""
    def st4h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st4h r:{Zt.h*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4},Pg,w:[Xn|sp,Xm,lsl#1]"""
    def st4q(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st4q r:{Zt.q*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.q*4},Pg,w:[Xn|sp,Xm,lsl#4]"""
    def st4w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """st4w r:{Zt.s*4},Pg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4},Pg,w:[Xn|sp,Xm,lsl#2]"""
    def stadd(self, src: Operand, mem: Mem, /) -> None:
        """stadd r:Rs,x:[Xn|sp]"""
    def staddb(self, src: Operand, mem: Mem, /) -> None:
        """staddb r:Ws,x:[Xn|sp]"""
    def staddh(self, src: Operand, mem: Mem, /) -> None:
        """staddh r:Ws,x:[Xn|sp]"""
    def staddl(self, src: Operand, mem: Mem, /) -> None:
        """staddl r:Rs,x:[Xn|sp]"""
    def staddlb(self, src: Operand, mem: Mem, /) -> None:
        """staddlb r:Ws,x:[Xn|sp]"""
    def staddlh(self, src: Operand, mem: Mem, /) -> None:
        """staddlh r:Ws,x:[Xn|sp]"""
    def stclr(self, src: Operand, mem: Mem, /) -> None:
        """stclr r:Rs,x:[Xn|sp]"""
    def stclrb(self, src: Operand, mem: Mem, /) -> None:
        """stclrb r:Ws,x:[Xn|sp]"""
    def stclrh(self, src: Operand, mem: Mem, /) -> None:
        """stclrh r:Ws,x:[Xn|sp]"""
    def stclrl(self, src: Operand, mem: Mem, /) -> None:
        """stclrl r:Rs,x:[Xn|sp]"""
    def stclrlb(self, src: Operand, mem: Mem, /) -> None:
        """stclrlb r:Ws,x:[Xn|sp]"""
    def stclrlh(self, src: Operand, mem: Mem, /) -> None:
        """stclrlh r:Ws,x:[Xn|sp]"""
    def steor(self, src: Operand, mem: Mem, /) -> None:
        """steor r:Rs,x:[Xn|sp]"""
    def steorb(self, src: Operand, mem: Mem, /) -> None:
        """steorb r:Ws,x:[Xn|sp]"""
    def steorh(self, src: Operand, mem: Mem, /) -> None:
        """steorh r:Ws,x:[Xn|sp]"""
    def steorl(self, src: Operand, mem: Mem, /) -> None:
        """steorl r:Rs,x:[Xn|sp]"""
    def steorlb(self, src: Operand, mem: Mem, /) -> None:
        """steorlb r:Ws,x:[Xn|sp]"""
    def steorlh(self, src: Operand, mem: Mem, /) -> None:
        """steorlh r:Ws,x:[Xn|sp]"""
    def stlr(self, src: Operand, mem: Mem, /) -> None:
        """stlr r:Rt,w:[Xn|sp]"""
    def stlrb(self, src: Operand, mem: Mem, /) -> None:
        """stlrb r:Wt,w:[Xn|sp]"""
    def stlrh(self, src: Operand, mem: Mem, /) -> None:
        """stlrh r:Wt,w:[Xn|sp]"""
    def stlur(self, src: Operand, mem: Mem, /) -> None:
        """stlur r:Rt,w:[Xn|sp,#simm]"""
    def stlurb(self, src: Operand, mem: Mem, /) -> None:
        """stlurb r:Wt,w:[Xn|sp,#simm]"""
    def stlurh(self, src: Operand, mem: Mem, /) -> None:
        """stlurh r:Wt,w:[Xn|sp,#simm]"""
    def stlxp(self, dst: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stlxp Ws,Rt1,Rt2,w:[Xn|sp]"""
    def stlxr(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """stlxr Ws,Rt,w:[Xn|sp]"""
    def stlxrb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """stlxrb Ws,Wt,w:[Xn|sp]"""
    def stlxrh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """stlxrh Ws,Wt,w:[Xn|sp]"""
    def stnp(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stnp r:Wt1,Wt2,w:[Xn|sp,#simm*4] | r:Xt1,Xt2,w:[Xn|sp,#simm*8] | r:St1,St2,w:[Xn|sp,#simm*4] | r:Dt1,Dt2,w:[Xn|sp,#simm*8] | r:Qt1,Qt2,w:[Xn|sp,#simm*16]"""
    def stnt1b(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stnt1b r:{Zt.b*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.b*1},Pg,w:[Xn|sp,Xm] | r:{Zt.s*1},Pg,w:[Zn.s,Xm] | r:{Zt.s*1},Pg,w:[Zn.s] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.b*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.b*2%8},PNg,w:[Xn|sp,Xm|zr] | r:{Zt.b*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.b*4%4},PNg,w:[Xn|sp,Xm|zr]"""
    def stnt1d(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stnt1d r:{Zt.d*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.d*1},Pg,w:[Xn|sp,Xm,lsl#3] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.d*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.d*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#3] | r:{Zt.d*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.d*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#3]"""
    def stnt1h(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stnt1h r:{Zt.h*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.h*1},Pg,w:[Xn|sp,Xm,lsl#1] | r:{Zt.s*1},Pg,w:[Zn.s,Xm] | r:{Zt.s*1},Pg,w:[Zn.s] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.h*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.h*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#1] | r:{Zt.h*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.h*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#1]"""
    def stnt1w(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stnt1w r:{Zt.s*1},Pg,w:[Xn|sp,#simm,mul vl] | r:{Zt.s*1},Pg,w:[Xn|sp,Xm,lsl#2] | r:{Zt.s*1},Pg,w:[Zn.s,Xm] | r:{Zt.s*1},Pg,w:[Zn.s] | r:{Zt.d*1},Pg,w:[Zn.d,Xm] | r:{Zt.d*1},Pg,w:[Zn.d] | r:{Zt.s*2},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*2%8},PNg,w:[Xn|sp,#simm*2,mul vl] | r:{Zt.s*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#2] | r:{Zt.s*4%4},PNg,w:[Xn|sp,#simm*4,mul vl] | r:{Zt.s*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#2]"""
    def stp(self, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stp r:Wt1,Wt2,w:[Xn|sp,#simm*4] | r:Xt1,Xt2,w:[Xn|sp,#simm*8] | r:Wt1,Wt2,w:[Xn|sp,#simm*4]! | r:Xt1,Xt2,w:[Xn|sp,#simm*8]! | r:Wt1,Wt2,w:[Xn|sp],#simm*4 | r:Xt1,Xt2,w:[Xn|sp],#simm*8 | r:St1,St2,w:[Xn|sp,#simm*4] | r:St1,St2,w:[Xn|sp,#simm*4]! | r:St1,St2,w:[Xn|sp],#simm*4 | r:Dt1,Dt2,w:[Xn|sp,#simm*8] | r:Dt1,Dt2,w:[Xn|sp,#simm*8]! | r:Dt1,Dt2,w:[Xn|sp],#simm*8 | r:Qt1,Qt2,w:[Xn|sp,#simm*16] | r:Qt1,Qt2,w:[Xn|sp,#simm*16]! | r:Qt1,Qt2,w:[Xn|sp],#simm*16"""
    def str(self, src: Operand, mem: Mem, /) -> None:
        """str r:Wt,w:[Xn|sp,#imm*4] | r:Xt,w:[Xn|sp,#imm*8] | r:Rt,w:[Xn|sp,#simm]! | r:Rt,w:[Xn|sp],#simm | r:Wt,w:[Xn|sp,Rm,ext#2] | r:Xt,w:[Xn|sp,Rm,ext#3] | r:Bt,w:[Xn|sp,#imm] | r:Ht,w:[Xn|sp,#imm*2] | r:St,w:[Xn|sp,#imm*4] | r:Dt,w:[Xn|sp,#imm*8] | r:Qt,w:[Xn|sp,#imm*16] | r:Ft,w:[Xn|sp,#simm]! | r:Ft,w:[Xn|sp],#simm | r:Bt,w:[Xn|sp,Rm,ext#0] | r:Ht,w:[Xn|sp,Rm,ext#1] | r:St,w:[Xn|sp,Rm,ext#2] | r:Dt,w:[Xn|sp,Rm,ext#3] | r:Qt,w:[Xn|sp,Rm,ext#4] | r:Zt,w:[Xn|sp,#simm,mul vl] | r:Pt,w:[Xn|sp,#simm,mul vl] | r:za[Wv+12,o],w:[Xn|sp,#o,mul vl] | r:zt0,w:[Xn|sp]"""
    def strb(self, src: Operand, mem: Mem, /) -> None:
        """strb r:Wt,w:[Xn|sp,#imm] | r:Wt,w:[Xn|sp,#simm]! | r:Wt,w:[Xn|sp],#simm | r:Wt,w:[Xn|sp,Rm,ext#0]"""
    def strh(self, src: Operand, mem: Mem, /) -> None:
        """strh r:Wt,w:[Xn|sp,#imm*2] | r:Wt,w:[Xn|sp,#simm]! | r:Wt,w:[Xn|sp],#simm | r:Wt,w:[Xn|sp,Rm,ext#1]"""
    def stset(self, src: Operand, mem: Mem, /) -> None:
        """stset r:Rs,x:[Xn|sp]"""
    def stsetb(self, src: Operand, mem: Mem, /) -> None:
        """stsetb r:Ws,x:[Xn|sp]"""
    def stseth(self, src: Operand, mem: Mem, /) -> None:
        """stseth r:Ws,x:[Xn|sp]"""
    def stsetl(self, src: Operand, mem: Mem, /) -> None:
        """stsetl r:Rs,x:[Xn|sp]"""
    def stsetlb(self, src: Operand, mem: Mem, /) -> None:
        """stsetlb r:Ws,x:[Xn|sp]"""
    def stsetlh(self, src: Operand, mem: Mem, /) -> None:
        """stsetlh r:Ws,x:[Xn|sp]"""
    def stsmax(self, src: Operand, mem: Mem, /) -> None:
        """stsmax r:Rs,x:[Xn|sp]"""
    def stsmaxb(self, src: Operand, mem: Mem, /) -> None:
        """stsmaxb r:Ws,x:[Xn|sp]"""
    def stsmaxh(self, src: Operand, mem: Mem, /) -> None:
        """stsmaxh r:Ws,x:[Xn|sp]"""
    def stsmaxl(self, src: Operand, mem: Mem, /) -> None:
        """stsmaxl r:Rs,x:[Xn|sp]"""
    def stsmaxlb(self, src: Operand, mem: Mem, /) -> None:
        """stsmaxlb r:Ws,x:[Xn|sp]"""
    def stsmaxlh(self, src: Operand, mem: Mem, /) -> None:
        """stsmaxlh r:Ws,x:[Xn|sp]"""
    def stsmin(self, src: Operand, mem: Mem, /) -> None:
        """stsmin r:Rs,x:[Xn|sp]"""
    def stsminb(self, src: Operand, mem: Mem, /) -> None:
        """stsminb r:Ws,x:[Xn|sp]"""
    def stsminh(self, src: Operand, mem: Mem, /) -> None:
        """stsminh r:Ws,x:[Xn|sp]"""
    def stsminl(self, src: Operand, mem: Mem, /) -> None:
        """stsminl r:Rs,x:[Xn|sp]"""
    def stsminlb(self, src: Operand, mem: Mem, /) -> None:
        """stsminlb r:Ws,x:[Xn|sp]"""
    def stsminlh(self, src: Operand, mem: Mem, /) -> None:
        """stsminlh r:Ws,x:[Xn|sp]"""
    def sttr(self, src: Operand, mem: Mem, /) -> None:
        """sttr r:Rt,w:[Xn|sp,#simm]"""
    def sttrb(self, src: Operand, mem: Mem, /) -> None:
        """sttrb r:Wt,w:[Xn|sp,#simm]"""
    def sttrh(self, src: Operand, mem: Mem, /) -> None:
        """sttrh r:Wt,w:[Xn|sp,#simm]"""
    def stumax(self, src: Operand, mem: Mem, /) -> None:
        """stumax r:Rs,x:[Xn|sp]"""
    def stumaxb(self, src: Operand, mem: Mem, /) -> None:
        """stumaxb r:Ws,x:[Xn|sp]"""
    def stumaxh(self, src: Operand, mem: Mem, /) -> None:
        """stumaxh r:Ws,x:[Xn|sp]"""
    def stumaxl(self, src: Operand, mem: Mem, /) -> None:
        """stumaxl r:Rs,x:[Xn|sp]"""
    def stumaxlb(self, src: Operand, mem: Mem, /) -> None:
        """stumaxlb r:Ws,x:[Xn|sp]"""
    def stumaxlh(self, src: Operand, mem: Mem, /) -> None:
        """stumaxlh r:Ws,x:[Xn|sp]"""
    def stumin(self, src: Operand, mem: Mem, /) -> None:
        """stumin r:Rs,x:[Xn|sp]"""
    def stuminb(self, src: Operand, mem: Mem, /) -> None:
        """stuminb r:Ws,x:[Xn|sp]"""
    def stuminh(self, src: Operand, mem: Mem, /) -> None:
        """stuminh r:Ws,x:[Xn|sp]"""
    def stuminl(self, src: Operand, mem: Mem, /) -> None:
        """stuminl r:Rs,x:[Xn|sp]"""
    def stuminlb(self, src: Operand, mem: Mem, /) -> None:
        """stuminlb r:Ws,x:[Xn|sp]"""
    def stuminlh(self, src: Operand, mem: Mem, /) -> None:
        """stuminlh r:Ws,x:[Xn|sp]"""
    def stur(self, src: Operand, mem: Mem, /) -> None:
        """stur r:Rt,w:[Xn|sp,#simm] | r:Ft,w:[Xn|sp,#simm]"""
    def sturb(self, src: Operand, mem: Mem, /) -> None:
        """sturb r:Wt,w:[Xn|sp,#simm]"""
    def sturh(self, src: Operand, mem: Mem, /) -> None:
        """sturh r:Wt,w:[Xn|sp,#simm]"""
    def stxp(self, dst: Operand, src: Operand, src2: Operand, mem: Mem, /) -> None:
        """stxp Ws,Rt1,Rt2,w:[Xn|sp]"""
    def stxr(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """stxr Ws,Rt,w:[Xn|sp]"""
    def stxrb(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """stxrb Ws,Wt,w:[Xn|sp]"""
    def stxrh(self, dst: Operand, src: Operand, mem: Mem, /) -> None:
        """stxrh Ws,Wt,w:[Xn|sp]"""
    @overload
    def sub(self, dst: Operand, src: Operand, /) -> None:
        """sub x:za.s[Wv+8,o,vgx2],{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zm.d*4}"""
    @overload
    def sub(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """sub Rd|sp,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd|sp,Rn|sp,Rm{ext} | Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T | x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s | x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2} | x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d | x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2} | x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s | x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4} | x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d | x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4}"""
    @overload
    def sub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """sub x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def subhn(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """subhn Vd.T,Vn.Ta,Vm.Ta"""
    def subhn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """subhn2 x:Vd.T,Vn.Ta,Vm.Ta"""
    def subhnb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """subhnb Zd.T,Zn.Ta,Zm.Ta"""
    def subhnt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """subhnt x:Zd.T,Zn.Ta,Zm.Ta"""
    @overload
    def subr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """subr x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def subr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """subr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def subs(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """subs Rd,Rn|sp,#imm:add | Rd,Rn,Rm{lsl} | Rd,Rn|sp,Rm{ext}"""
    def sudot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sudot x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.s,Zn.b,Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def sumlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sumlall x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]"""
    def sumopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """sumopa x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    def sumops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """sumops x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    def sunpk(self, dst: Operand, src: Operand, /) -> None:
        """sunpk {Zd.Ta*2},Zn.T | {Zd.Ta*4},{Zn.T*2}"""
    def sunpkhi(self, dst: Operand, src: Operand, /) -> None:
        """sunpkhi Zd.Ta,Zn.T"""
    def sunpklo(self, dst: Operand, src: Operand, /) -> None:
        """sunpklo Zd.Ta,Zn.T"""
    @overload
    def suqadd(self, dst: Operand, src: Operand, /) -> None:
        """suqadd x:Vd.T,Vn.T | x:Fd,Fn"""
    @overload
    def suqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """suqadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def suvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """suvdot x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def svc(self, imm: int, /) -> None:
        """svc #imm"""
    def svdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """svdot x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    def swp(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swp r:Rs,w:Rt,x:[Xn|sp]"""
    def swpa(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpa r:Rs,w:Rt,x:[Xn|sp]"""
    def swpab(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpab r:Ws,w:Wt,x:[Xn|sp]"""
    def swpah(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpah r:Ws,w:Wt,x:[Xn|sp]"""
    def swpal(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpal r:Rs,w:Rt,x:[Xn|sp]"""
    def swpalb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpalb r:Ws,w:Wt,x:[Xn|sp]"""
    def swpalh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpalh r:Ws,w:Wt,x:[Xn|sp]"""
    def swpb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpb r:Ws,w:Wt,x:[Xn|sp]"""
    def swph(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swph r:Ws,w:Wt,x:[Xn|sp]"""
    def swpl(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swpl r:Rs,w:Rt,x:[Xn|sp]"""
    def swplb(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swplb r:Ws,w:Wt,x:[Xn|sp]"""
    def swplh(self, src: Operand, dst: Operand, mem: Mem, /) -> None:
        """swplh r:Ws,w:Wt,x:[Xn|sp]"""
    @overload
    def sxtb(self, dst: Operand, src: Operand, /) -> None:
        """sxtb Wd,Wn | Xd,Wn"""
    @overload
    def sxtb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sxtb x:Zd.T,Pg/M,Zn.T"""
    @overload
    def sxth(self, dst: Operand, src: Operand, /) -> None:
        """sxth Wd,Wn | Xd,Wn"""
    @overload
    def sxth(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sxth x:Zd.T,Pg/M,Zn.T"""
    def sxtl(self, dst: Operand, src: Operand, /) -> None:
        """sxtl Vd.Ta,Vn.T"""
    def sxtl2(self, dst: Operand, src: Operand, /) -> None:
        """sxtl2 Vd.Ta,Vn.T"""
    @overload
    def sxtw(self, dst: Operand, src: Operand, /) -> None:
        """sxtw Xd,Wn"""
    @overload
    def sxtw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """sxtw x:Zd.d,Pg/M,Zn.d"""
    def tbl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """tbl Vd.T,{Vn.16b*1},Vm.T | Vd.T,{Vn.16b*2},Vm.T | Vd.T,{Vn.16b*3},Vm.T | Vd.T,{Vn.16b*4},Vm.T | Zd.T,{Zn.T*1},Zm.T | Zd.T,{Zn.T*2},Zm.T"""
    def tblq(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """tblq Zd.T,{Zn.T*1},Zm.T"""
    def tbnz(self, src: Operand, imm: int, target: Label | int, /) -> None:
        """tbnz r:Wt,#bit,label*4 | r:Xt,#bit,label*4"""
    def tbx(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """tbx x:Vd.T,{Vn.16b*1},Vm.T | x:Vd.T,{Vn.16b*2},Vm.T | x:Vd.T,{Vn.16b*3},Vm.T | x:Vd.T,{Vn.16b*4},Vm.T | x:Zd.T,Zn.T,Zm.T"""
    def tbxq(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """tbxq x:Zd.T,Zn.T,Zm.T"""
    def tbz(self, src: Operand, imm: int, target: Label | int, /) -> None:
        """tbz r:Wt,#bit,label*4 | r:Xt,#bit,label*4"""
    def trn1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """trn1 Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def trn2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """trn2 Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def tst(self, src: Operand, src2: Operand | int, /) -> None:
        """tst r:Rn,#bimm:mask.R | r:Rn,Rm{ror}"""
    def uaba(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaba x:Vd.T,Vn.T,Vm.T | x:Zda.T,Zn.T,Zm.T"""
    def uabal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabal x:Vd.Ta,Vn.T,Vm.T"""
    def uabal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabal2 x:Vd.Ta,Vn.T,Vm.T"""
    def uabalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabalb x:Zda.Ta,Zn.T,Zm.T"""
    def uabalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabalt x:Zda.Ta,Zn.T,Zm.T"""
    @overload
    def uabd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabd Vd.T,Vn.T,Vm.T"""
    @overload
    def uabd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uabd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uabdl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabdl Vd.Ta,Vn.T,Vm.T"""
    def uabdl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabdl2 Vd.Ta,Vn.T,Vm.T"""
    def uabdlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabdlb Zd.Ta,Zn.T,Zm.T"""
    def uabdlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uabdlt Zd.Ta,Zn.T,Zm.T"""
    @overload
    def uadalp(self, dst: Operand, src: Operand, /) -> None:
        """uadalp x:Vd.Ta,Vn.T"""
    @overload
    def uadalp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uadalp x:Zda.Ta,Pg/M,Zn.T"""
    def uaddl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddl Vd.Ta,Vn.T,Vm.T"""
    def uaddl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddl2 Vd.Ta,Vn.T,Vm.T"""
    def uaddlb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddlb Zd.Ta,Zn.T,Zm.T"""
    def uaddlp(self, dst: Operand, src: Operand, /) -> None:
        """uaddlp Vd.Ta,Vn.T"""
    def uaddlt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddlt Zd.Ta,Zn.T,Zm.T"""
    def uaddlv(self, dst: Operand, src: Operand, /) -> None:
        """uaddlv Fd,Vn.T"""
    def uaddv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddv Dd,Pg,Zn.T"""
    def uaddw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddw Vd.Ta,Vn.Ta,Vm.T"""
    def uaddw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddw2 Vd.Ta,Vn.Ta,Vm.T"""
    def uaddwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddwb Zd.Ta,Zn.Ta,Zm.T"""
    def uaddwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uaddwt Zd.Ta,Zn.Ta,Zm.T"""
    def ubfiz(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """ubfiz Rd,Rn,#lsb:negated.R,#width:length.R"""
    def ubfm(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """ubfm Rd,Rn,#immr,#imms"""
    def ubfx(self, dst: Operand, src: Operand, imm: int, imm2: int, /) -> None:
        """ubfx Rd,Rn,#lsb:start.R,#width:width.R"""
    def uclamp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uclamp x:Zd.T,Zn.T,Zm.T | x:{Zd.T*2},Zn.T,Zm.T | x:{Zd.T*4},Zn.T,Zm.T"""
    @overload
    def ucvtf(self, dst: Operand, src: Operand, /) -> None:
        """ucvtf Vd.T,Vn.T | Fd,Fn | Hd,Hn | Fd,Rn | Hd,Rn | {Zd.s*2},{Zn.s*2} | {Zd.s*4},{Zn.s*4}"""
    @overload
    def ucvtf(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """ucvtf Vd.T,Vn.T,#-sh | Fd,Fn,#-sh | Hd,Hn,#-sh | Fd,Xn,#-sh | Hd,Xn,#-sh | Fd,Wn,#-sh | Hd,Wn,#-sh | x:Zd.Ta,Pg/M,Zn.T"""
    def udf(self, imm: int, /) -> None:
        """udf #imm"""
    @overload
    def udiv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """udiv Rd,Rn,Rm"""
    @overload
    def udiv(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """udiv x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def udivr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """udivr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def udot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """udot x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.b,Zm.b[i] | x:Zda.d,Zn.h,Zm.h[i] | x:Zda.s,Zn.h,Zm.h | x:Zda.s,Zn.h,Zm.h[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def uhadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uhadd Vd.T,Vn.T,Vm.T"""
    @overload
    def uhadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uhadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def uhsub(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uhsub Vd.T,Vn.T,Vm.T"""
    @overload
    def uhsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uhsub x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uhsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uhsubr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def umaddl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """umaddl Xd,Wn,Wm,Xa"""
    @overload
    def umax(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """umax Rd,Rn,#imm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#imm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def umax(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """umax x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def umaxp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umaxp Vd.T,Vn.T,Vm.T"""
    @overload
    def umaxp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """umaxp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def umaxqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umaxqv Vd.Ta,Pg,Zn.T"""
    @overload
    def umaxv(self, dst: Operand, src: Operand, /) -> None:
        """umaxv Fd,Vn.T"""
    @overload
    def umaxv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umaxv Fd,Pg,Zn.T"""
    @overload
    def umin(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """umin Rd,Rn,#imm | Rd,Rn,Rm | Vd.T,Vn.T,Vm.T | x:Zdn.T,Zdn.T,#imm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def umin(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """umin x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def uminp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uminp Vd.T,Vn.T,Vm.T"""
    @overload
    def uminp(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uminp x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uminqv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uminqv Vd.Ta,Pg,Zn.T"""
    @overload
    def uminv(self, dst: Operand, src: Operand, /) -> None:
        """uminv Fd,Vn.T"""
    @overload
    def uminv(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uminv Fd,Pg,Zn.T"""
    def umlal(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlal x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def umlal2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlal2 x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def umlalb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlalb x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def umlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlall x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def umlalt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlalt x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def umlsl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlsl x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.4h,Vm.h[i] | x:Vd.2d,Vn.2s,Vm.s[i] | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2} | x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4} | x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i] | x:za.s[Wv+8,o:2],Zn.h,Zm.h | x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]"""
    def umlsl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlsl2 x:Vd.Ta,Vn.T,Vm.T | x:Vd.4s,Vn.8h,Vm.h[i] | x:Vd.2d,Vn.4s,Vm.s[i]"""
    def umlslb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlslb x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def umlsll(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlsll x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i] | x:za.d[Wv+8,o:4],Zn.h,Zm.h | x:za.d[Wv+8,o:4],Zn.h,Zm.h[i] | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2} | x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i] | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4} | x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]"""
    def umlslt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umlslt x:Zda.Ta,Zn.T,Zm.T | x:Zda.s,Zn.h,Zm.h[i] | x:Zda.d,Zn.s,Zm.s[i]"""
    def ummla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ummla x:Vd.4s,Vn.16b,Vm.16b | x:Zda.s,Zn.b,Zm.b"""
    def umnegl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umnegl Xd,Wn,Wm"""
    def umopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """umopa x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def umops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """umops x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h | x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h"""
    def umov(self, dst: Operand, src: Operand, /) -> None:
        """umov Wd,Vn.Ts[i] | Xd,Vn.d[i]"""
    def umsubl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """umsubl Xd,Wn,Wm,Xa"""
    @overload
    def umulh(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umulh Xd,Xn,Xm | Zd.T,Zn.T,Zm.T"""
    @overload
    def umulh(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """umulh x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def umull(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umull Xd,Wn,Wm | Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.4h,Vm.h[i] | Vd.2d,Vn.2s,Vm.s[i]"""
    def umull2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umull2 Vd.Ta,Vn.T,Vm.T | Vd.4s,Vn.8h,Vm.h[i] | Vd.2d,Vn.4s,Vm.s[i]"""
    def umullb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umullb Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    def umullt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """umullt Zd.Ta,Zn.T,Zm.T | Zd.s,Zn.h,Zm.h[i] | Zd.d,Zn.s,Zm.s[i]"""
    @overload
    def uqadd(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """uqadd Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def uqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uqadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqcvt(self, dst: Operand, src: Operand, /) -> None:
        """uqcvt Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    def uqcvtn(self, dst: Operand, src: Operand, /) -> None:
        """uqcvtn Zd.h,{Zn.s*2} | Zd.b,{Zn.s*4} | Zd.h,{Zn.d*4}"""
    @overload
    def uqdecb(self, dst: Operand, /) -> None:
        """uqdecb x:Xdn | x:Wdn"""
    @overload
    def uqdecb(self, dst: Operand, src: Operand, /) -> None:
        """uqdecb x:Xdn,pattern | x:Wdn,pattern"""
    @overload
    def uqdecb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqdecb x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1"""
    @overload
    def uqdecd(self, dst: Operand, /) -> None:
        """uqdecd x:Xdn | x:Wdn | x:Zdn.d"""
    @overload
    def uqdecd(self, dst: Operand, src: Operand, /) -> None:
        """uqdecd x:Xdn,pattern | x:Wdn,pattern | x:Zdn.d,pattern"""
    @overload
    def uqdecd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqdecd x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def uqdech(self, dst: Operand, /) -> None:
        """uqdech x:Xdn | x:Wdn | x:Zdn.h"""
    @overload
    def uqdech(self, dst: Operand, src: Operand, /) -> None:
        """uqdech x:Xdn,pattern | x:Wdn,pattern | x:Zdn.h,pattern"""
    @overload
    def uqdech(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqdech x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def uqdecp(self, dst: Operand, src: Operand, /) -> None:
        """uqdecp x:Xdn,Pm.T | x:Wdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def uqdecw(self, dst: Operand, /) -> None:
        """uqdecw x:Xdn | x:Wdn | x:Zdn.s"""
    @overload
    def uqdecw(self, dst: Operand, src: Operand, /) -> None:
        """uqdecw x:Xdn,pattern | x:Wdn,pattern | x:Zdn.s,pattern"""
    @overload
    def uqdecw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqdecw x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    @overload
    def uqincb(self, dst: Operand, /) -> None:
        """uqincb x:Xdn | x:Wdn"""
    @overload
    def uqincb(self, dst: Operand, src: Operand, /) -> None:
        """uqincb x:Xdn,pattern | x:Wdn,pattern"""
    @overload
    def uqincb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqincb x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1"""
    @overload
    def uqincd(self, dst: Operand, /) -> None:
        """uqincd x:Xdn | x:Wdn | x:Zdn.d"""
    @overload
    def uqincd(self, dst: Operand, src: Operand, /) -> None:
        """uqincd x:Xdn,pattern | x:Wdn,pattern | x:Zdn.d,pattern"""
    @overload
    def uqincd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqincd x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.d,pattern,mul#imm+1"""
    @overload
    def uqinch(self, dst: Operand, /) -> None:
        """uqinch x:Xdn | x:Wdn | x:Zdn.h"""
    @overload
    def uqinch(self, dst: Operand, src: Operand, /) -> None:
        """uqinch x:Xdn,pattern | x:Wdn,pattern | x:Zdn.h,pattern"""
    @overload
    def uqinch(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqinch x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.h,pattern,mul#imm+1"""
    def uqincp(self, dst: Operand, src: Operand, /) -> None:
        """uqincp x:Xdn,Pm.T | x:Wdn,Pm.T | x:Zdn.T,Pm.T"""
    @overload
    def uqincw(self, dst: Operand, /) -> None:
        """uqincw x:Xdn | x:Wdn | x:Zdn.s"""
    @overload
    def uqincw(self, dst: Operand, src: Operand, /) -> None:
        """uqincw x:Xdn,pattern | x:Wdn,pattern | x:Zdn.s,pattern"""
    @overload
    def uqincw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqincw x:Xdn,pattern,mul#imm+1 | x:Wdn,pattern,mul#imm+1 | x:Zdn.s,pattern,mul#imm+1"""
    @overload
    def uqrshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uqrshl Vd.T,Vn.T,Vm.T | Fd,Fn,Fm"""
    @overload
    def uqrshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uqrshl x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqrshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uqrshlr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqrshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqrshr Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def uqrshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqrshrn Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh | Zd.h,{Zn.s*2},#-sh | Zd.b,{Zn.s*4},#-sh | Zd.h,{Zn.d*4},#-sh"""
    def uqrshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqrshrn2 x:Vd.T,Vn.Ta,#-sh"""
    def uqrshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqrshrnb Zd.T,Zn.Ta,#-sh"""
    def uqrshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqrshrnt x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def uqshl(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """uqshl Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Vd.T,Vn.T,#sh | Fd,Fn,#sh"""
    @overload
    def uqshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand | int, /) -> None:
        """uqshl x:Zdn.T,Pg/M,Zdn.T,Zm.T | x:Zdn.T,Pg/M,Zdn.T,#sh"""
    def uqshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uqshlr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqshrn(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqshrn Vd.T,Vn.Ta,#-sh | Fd,Gn,#-sh"""
    def uqshrn2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqshrn2 x:Vd.T,Vn.Ta,#-sh"""
    def uqshrnb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqshrnb Zd.T,Zn.Ta,#-sh"""
    def uqshrnt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """uqshrnt x:Zd.T,Zn.Ta,#-sh"""
    @overload
    def uqsub(self, dst: Operand, src: Operand, src2: Operand | int, /) -> None:
        """uqsub Vd.T,Vn.T,Vm.T | Fd,Fn,Fm | Zd.T,Zn.T,Zm.T | x:Zdn.T,Zdn.T,#imm:wide.T"""
    @overload
    def uqsub(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uqsub x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqsubr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """uqsubr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def uqxtn(self, dst: Operand, src: Operand, /) -> None:
        """uqxtn Vd.T,Vn.Ta | Fd,Gn"""
    def uqxtn2(self, dst: Operand, src: Operand, /) -> None:
        """uqxtn2 x:Vd.T,Vn.Ta"""
    def uqxtnb(self, dst: Operand, src: Operand, /) -> None:
        """uqxtnb Zd.T,Zn.Ta"""
    def uqxtnt(self, dst: Operand, src: Operand, /) -> None:
        """uqxtnt x:Zd.T,Zn.Ta"""
    @overload
    def urecpe(self, dst: Operand, src: Operand, /) -> None:
        """urecpe Vd.T,Vn.T"""
    @overload
    def urecpe(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """urecpe x:Zd.s,Pg/M,Zn.s"""
    @overload
    def urhadd(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """urhadd Vd.T,Vn.T,Vm.T"""
    @overload
    def urhadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """urhadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def urshl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """urshl Vd.T,Vn.T,Vm.T | Dd,Dn,Dm | x:{Zdn.T*2},{Zdn.T*2},Zm.T | x:{Zdn.T*4},{Zdn.T*4},Zm.T | x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2} | x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}"""
    @overload
    def urshl(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """urshl x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def urshlr(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """urshlr x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    @overload
    def urshr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """urshr Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    @overload
    def urshr(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """urshr x:Zdn.T,Pg/M,Zdn.T,#-sh"""
    @overload
    def ursqrte(self, dst: Operand, src: Operand, /) -> None:
        """ursqrte Vd.T,Vn.T"""
    @overload
    def ursqrte(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ursqrte x:Zd.s,Pg/M,Zn.s"""
    def ursra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ursra x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def usdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usdot x:Vd.T,Vn.Tb,Vm.Tb | x:Vd.T,Vn.Tb,Vm.4b[i] | x:Zda.s,Zn.b,Zm.b | x:Zda.s,Zn.b,Zm.b[i] | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def ushl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """ushl Vd.T,Vn.T,Vm.T | Dd,Dn,Dm"""
    def ushll(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ushll Vd.Ta,Vn.T,#sh"""
    def ushll2(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ushll2 Vd.Ta,Vn.T,#sh"""
    def ushllb(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ushllb Zd.Ta,Zn.T,#sh"""
    def ushllt(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ushllt Zd.Ta,Zn.T,#sh"""
    def ushr(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """ushr Vd.T,Vn.T,#-sh | Dd,Dn,#-sh"""
    def usmlall(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usmlall x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2} | x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i] | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4} | x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i] | x:za.s[Wv+8,o:4],Zn.b,Zm.b | x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]"""
    def usmmla(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usmmla x:Vd.4s,Vn.16b,Vm.16b | x:Zda.s,Zn.b,Zm.b"""
    def usmopa(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """usmopa x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    def usmops(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, src4: Operand, /) -> None:
        """usmops x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b | x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h"""
    @overload
    def usqadd(self, dst: Operand, src: Operand, /) -> None:
        """usqadd x:Vd.T,Vn.T | x:Fd,Fn"""
    @overload
    def usqadd(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """usqadd x:Zdn.T,Pg/M,Zdn.T,Zm.T"""
    def usra(self, dst: Operand, src: Operand, imm: int, /) -> None:
        """usra x:Vd.T,Vn.T,#-sh | x:Dd,Dn,#-sh | x:Zda.T,Zn.T,#-sh"""
    def usubl(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usubl Vd.Ta,Vn.T,Vm.T"""
    def usubl2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usubl2 Vd.Ta,Vn.T,Vm.T"""
    def usublb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usublb Zd.Ta,Zn.T,Zm.T"""
    def usublt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usublt Zd.Ta,Zn.T,Zm.T"""
    def usubw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usubw Vd.Ta,Vn.Ta,Vm.T"""
    def usubw2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usubw2 Vd.Ta,Vn.Ta,Vm.T"""
    def usubwb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usubwb Zd.Ta,Zn.Ta,Zm.T"""
    def usubwt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usubwt Zd.Ta,Zn.Ta,Zm.T"""
    def usvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """usvdot x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]"""
    def uunpk(self, dst: Operand, src: Operand, /) -> None:
        """uunpk {Zd.Ta*2},Zn.T | {Zd.Ta*4},{Zn.T*2}"""
    def uunpkhi(self, dst: Operand, src: Operand, /) -> None:
        """uunpkhi Zd.Ta,Zn.T"""
    def uunpklo(self, dst: Operand, src: Operand, /) -> None:
        """uunpklo Zd.Ta,Zn.T"""
    def uvdot(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uvdot x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i] | x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i] | x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]"""
    @overload
    def uxtb(self, dst: Operand, src: Operand, /) -> None:
        """uxtb Wd,Wn"""
    @overload
    def uxtb(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uxtb x:Zd.T,Pg/M,Zn.T"""
    @overload
    def uxth(self, dst: Operand, src: Operand, /) -> None:
        """uxth Wd,Wn"""
    @overload
    def uxth(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uxth x:Zd.T,Pg/M,Zn.T"""
    def uxtl(self, dst: Operand, src: Operand, /) -> None:
        """uxtl Vd.Ta,Vn.T"""
    def uxtl2(self, dst: Operand, src: Operand, /) -> None:
        """uxtl2 Vd.Ta,Vn.T"""
    def uxtw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uxtw x:Zd.d,Pg/M,Zn.d"""
    @overload
    def uzp(self, dst: Operand, src: Operand, /) -> None:
        """uzp {Zd.T*4},{Zn.T*4} | {Zd.q*4},{Zn.q*4}"""
    @overload
    def uzp(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uzp {Zd.T*2},Zn.T,Zm.T | {Zd.q*2},Zn.q,Zm.q"""
    def uzp1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uzp1 Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def uzp2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uzp2 Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def uzpq1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uzpq1 Zd.T,Zn.T,Zm.T"""
    def uzpq2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """uzpq2 Zd.T,Zn.T,Zm.T"""
    def wfe(self) -> None:
        """wfe """
    def wfi(self) -> None:
        """wfi """
    @overload
    def whilege(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilege Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilege(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilege PNd.T,Xn,Xm,vlx"""
    @overload
    def whilegt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilegt Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilegt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilegt PNd.T,Xn,Xm,vlx"""
    @overload
    def whilehi(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilehi Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilehi(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilehi PNd.T,Xn,Xm,vlx"""
    @overload
    def whilehs(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilehs Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilehs(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilehs PNd.T,Xn,Xm,vlx"""
    @overload
    def whilele(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilele Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilele(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilele PNd.T,Xn,Xm,vlx"""
    @overload
    def whilelo(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilelo Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilelo(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilelo PNd.T,Xn,Xm,vlx"""
    @overload
    def whilels(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilels Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilels(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilels PNd.T,Xn,Xm,vlx"""
    @overload
    def whilelt(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilelt Pd.T,Rn,Rm | {Pd.T*2},Xn,Xm"""
    @overload
    def whilelt(self, dst: Operand, src: Operand, src2: Operand, src3: Operand, /) -> None:
        """whilelt PNd.T,Xn,Xm,vlx"""
    def whilerw(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilerw Pd.T,Xn,Xm"""
    def whilewr(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """whilewr Pd.T,Xn,Xm"""
    def wrffr(self, src: Operand, /) -> None:
        """wrffr r:Pn.b"""
    def xar(self, dst: Operand, src: Operand, src2: Operand, imm: int, /) -> None:
        """xar Vd.2d,Vn.2d,Vm.2d,#imm | x:Zdn.T,Zdn.T,Zm.T,#-sh"""
    def xpaclri(self) -> None:
        """xpaclri """
    def xtn(self, dst: Operand, src: Operand, /) -> None:
        """xtn Vd.T,Vn.Ta"""
    def xtn2(self, dst: Operand, src: Operand, /) -> None:
        """xtn2 x:Vd.T,Vn.Ta"""
    def yield_(self) -> None:
        """yield """
    def zero(self, dst: Operand, /) -> None:
        """zero {tiles} | {zt0}"""
    @overload
    def zip(self, dst: Operand, src: Operand, /) -> None:
        """zip {Zd.T*4},{Zn.T*4} | {Zd.q*4},{Zn.q*4}"""
    @overload
    def zip(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """zip {Zd.T*2},Zn.T,Zm.T | {Zd.q*2},Zn.q,Zm.q"""
    def zip1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """zip1 Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def zip2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """zip2 Vd.T,Vn.T,Vm.T | Pd.T,Pn.T,Pm.T | Zd.T,Zn.T,Zm.T | Zd.q,Zn.q,Zm.q"""
    def zipq1(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """zipq1 Zd.T,Zn.T,Zm.T"""
    def zipq2(self, dst: Operand, src: Operand, src2: Operand, /) -> None:
        """zipq2 Zd.T,Zn.T,Zm.T"""
