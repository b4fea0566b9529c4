"""SME and SME2 instructions. Columns: forms.py, notation.py, pattern.py.

Source: Arm ARM (DDI 0487) C4.1, C9.2.
"""

ROWS = (
    """
# Streaming mode, ZA as a whole
[system matrix]
smstart                                                         11010101000000110100011101111111                          SME  ; x:svcr,z,p,ffr,za,zt0
smstop                                                          11010101000000110100011001111111                          SME  ; x:svcr,z,p,ffr,za,zt0
smstart     svcr                                                1101010100000011 0100 0 svcr:2 1 01111111                 SME  ; x:svcr,z,p,ffr,za,zt0
smstop      svcr                                                1101010100000011 0100 0 svcr:2 0 01111111                 SME  ; x:svcr,z,p,ffr,za,zt0
[move matrix]
zero        {tiles}                                             110000000000100000000000 tiles:8                          SME
[arithmetic matrix]
rdsvl       Xd,#simm                                            000001001011111101011 simm:6 Rd:5                         SME
addsvl      Xd|sp,Xn|sp,#simm                                   00000100001 Rn:5 01011 simm:6 Rd:5                        SME
addspl      Xd|sp,Xn|sp,#simm                                   00000100011 Rn:5 01011 simm:6 Rd:5                        SME
[move matrix]
ldr         x:za[Wv+12,o],[Xn|sp,#o,mul vl]                     11100001000000000 Rv:2 000 Rn:5 0 o:4                     SME
str         r:za[Wv+12,o],w:[Xn|sp,#o,mul vl]                   11100001001000000 Rv:2 000 Rn:5 0 o:4                     SME
# Tile slices
mova        x:ZAtD.T[Ws+12,o],Pg/M,Zn.T                         T=bhsd D,v=h,0/v,1 11000000 size 000000 v Rs:2 Pg:3 Zn:5 0 zao  SME
mov         x:ZAtD.T[Ws+12,o],Pg/M,Zn.T                         T=bhsd D,v=h,0/v,1 11000000 size 000000 v Rs:2 Pg:3 Zn:5 0 zao  SME  ; key:matrix.mova
mova        x:ZAtD.q[Ws+12,0],Pg/M,Zn.q                         D,v=h,0/v,1 1100000011000001 v Rs:2 Pg:3 Zn:5 0 t:4       SME
mov         x:ZAtD.q[Ws+12,0],Pg/M,Zn.q                         D,v=h,0/v,1 1100000011000001 v Rs:2 Pg:3 Zn:5 0 t:4       SME  ; key:matrix.mova
mova        x:Zd.T,Pg/M,ZAtD.T[Ws+12,o]                         T=bhsd D,v=h,0/v,1 11000000 size 000010 v Rs:2 Pg:3 0 zao Zd:5  SME
mov         x:Zd.T,Pg/M,ZAtD.T[Ws+12,o]                         T=bhsd D,v=h,0/v,1 11000000 size 000010 v Rs:2 Pg:3 0 zao Zd:5  SME  ; key:matrix.mova
mova        x:Zd.q,Pg/M,ZAtD.q[Ws+12,0]                         D,v=h,0/v,1 1100000011000011 v Rs:2 Pg:3 0 t:4 Zd:5       SME
mov         x:Zd.q,Pg/M,ZAtD.q[Ws+12,0]                         D,v=h,0/v,1 1100000011000011 v Rs:2 Pg:3 0 t:4 Zd:5       SME  ; key:matrix.mova
# Outer products
[tile matrix]
fmopa       x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s                        10000000100 Zm:5 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
fmops       x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s                        10000000100 Zm:5 Pm:3 Pn:3 Zn:5 100 Zda:2                 SME
fmopa       x:ZAda.d,Pn/M,Pm/M,Zn.d,Zm.d                        10000000110 Zm:5 Pm:3 Pn:3 Zn:5 00 Zda:3                  SME_F64F64
fmops       x:ZAda.d,Pn/M,Pm/M,Zn.d,Zm.d                        10000000110 Zm:5 Pm:3 Pn:3 Zn:5 10 Zda:3                  SME_F64F64
fmopa       x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10000001101 Zm:5 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
fmops       x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10000001101 Zm:5 Pm:3 Pn:3 Zn:5 100 Zda:2                 SME
bfmopa      x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10000001100 Zm:5 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
bfmops      x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10000001100 Zm:5 Pm:3 Pn:3 Zn:5 100 Zda:2                 SME
smopa       x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100000100 Zm:5 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
smops       x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100000100 Zm:5 Pm:3 Pn:3 Zn:5 100 Zda:2                 SME
umopa       x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100001101 Zm:5 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
umops       x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100001101 Zm:5 Pm:3 Pn:3 Zn:5 100 Zda:2                 SME
sumopa      x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100000101 Zm:5 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
sumops      x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100000101 Zm:5 Pm:3 Pn:3 Zn:5 100 Zda:2                 SME
usmopa      x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100001100 Zm:5 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
usmops      x:ZAda.s,Pn/M,Pm/M,Zn.b,Zm.b                        10100001100 Zm:5 Pm:3 Pn:3 Zn:5 100 Zda:2                 SME
smopa       x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100000110 Zm:5 Pm:3 Pn:3 Zn:5 00 Zda:3                  SME_I16I64
smops       x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100000110 Zm:5 Pm:3 Pn:3 Zn:5 10 Zda:3                  SME_I16I64
umopa       x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100001111 Zm:5 Pm:3 Pn:3 Zn:5 00 Zda:3                  SME_I16I64
umops       x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100001111 Zm:5 Pm:3 Pn:3 Zn:5 10 Zda:3                  SME_I16I64
sumopa      x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100000111 Zm:5 Pm:3 Pn:3 Zn:5 00 Zda:3                  SME_I16I64
sumops      x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100000111 Zm:5 Pm:3 Pn:3 Zn:5 10 Zda:3                  SME_I16I64
usmopa      x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100001110 Zm:5 Pm:3 Pn:3 Zn:5 00 Zda:3                  SME_I16I64
usmops      x:ZAda.d,Pn/M,Pm/M,Zn.h,Zm.h                        10100001110 Zm:5 Pm:3 Pn:3 Zn:5 10 Zda:3                  SME_I16I64
[arithmetic matrix]
addha       x:ZAda.s,Pn/M,Pm/M,Zn.s                             1100000010010000 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
addva       x:ZAda.s,Pn/M,Pm/M,Zn.s                             1100000010010001 Pm:3 Pn:3 Zn:5 000 Zda:2                 SME
addha       x:ZAda.d,Pn/M,Pm/M,Zn.d                             1100000011010000 Pm:3 Pn:3 Zn:5 00 Zda:3                  SME_I16I64
addva       x:ZAda.d,Pn/M,Pm/M,Zn.d                             1100000011010001 Pm:3 Pn:3 Zn:5 00 Zda:3                  SME_I16I64
[tile sme2]
bmopa       x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s                        10000000100 Zm:5 Pm:3 Pn:3 Zn:5 010 Zda:2                 SME2
bmops       x:ZAda.s,Pn/M,Pm/M,Zn.s,Zm.s                        10000000100 Zm:5 Pm:3 Pn:3 Zn:5 110 Zda:2                 SME2
smopa       x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10100000100 Zm:5 Pm:3 Pn:3 Zn:5 010 Zda:2                 SME2
smops       x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10100000100 Zm:5 Pm:3 Pn:3 Zn:5 110 Zda:2                 SME2
umopa       x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10100001100 Zm:5 Pm:3 Pn:3 Zn:5 010 Zda:2                 SME2
umops       x:ZAda.s,Pn/M,Pm/M,Zn.h,Zm.h                        10100001100 Zm:5 Pm:3 Pn:3 Zn:5 110 Zda:2                 SME2
fmopa       x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h                        10000001100 Zm:5 Pm:3 Pn:3 Zn:5 0100 Zda:1                SME_F16F16
fmops       x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h                        10000001100 Zm:5 Pm:3 Pn:3 Zn:5 1100 Zda:1                SME_F16F16
# SME2: lookup table
[move sme2]
zero        {zt0}                                               11000000010010000000000000000001                          SME2
ldr         zt0,[Xn|sp]                                         1110000100011111100000 Rn:5 00000                         SME2
str         r:zt0,w:[Xn|sp]                                     1110000100111111100000 Rn:5 00000                         SME2
[shuffle sme2]
luti2       Zd.T,zt0,Zn[i]                                      T=bhs 11000000110011 i:4 size 00 Zn:5 Zd:5                SME2
luti4       Zd.T,zt0,Zn[i]                                      T=bhs 110000001100101 i:3 size 00 Zn:5 Zd:5               SME2
luti2       {Zd.T*2},zt0,Zn[i]                                  T=bhs 11000000100011 i:3 1 size 00 Zn:5 Zd:4 0            SME2
luti4       {Zd.T*2},zt0,Zn[i]                                  T=bhs 110000001000101 i:2 1 size 00 Zn:5 Zd:4 0           SME2
luti2       {Zd.T*4},zt0,Zn[i]                                  T=bhs 11000000100011 i:2 10 size 00 Zn:5 Zd:3 00          SME2
luti4       {Zd.T*4},zt0,Zn[i]                                  T=hs 110000001000101 i:1 10 size 00 Zn:5 Zd:3 00          SME2
[move sme2]
movt        Xt,zt0[i*8]                                         11000000010011000 i:3 0011111 Rt:5                       SME2
movt        x:zt0[i*8],Xt                                       11000000010011100 i:3 0011111 Rt:5                       SME2
# SME2: multi-vector loads and stores
ld1b        {Zt.b*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 000 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
ld1b        {Zt.b*2},PNg/Z,[Xn|sp,Xm|zr]                        10100000000 Rm:5 000 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
ld1b        {Zt.b*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 100 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
ld1b        {Zt.b*4},PNg/Z,[Xn|sp,Xm|zr]                        10100000000 Rm:5 100 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
ld1b        {Zt.b*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 000 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
ld1b        {Zt.b*2%8},PNg/Z,[Xn|sp,Xm|zr]                      10100001000 Rm:5 000 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
ld1b        {Zt.b*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 100 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
ld1b        {Zt.b*4%4},PNg/Z,[Xn|sp,Xm|zr]                      10100001000 Rm:5 100 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
ld1h        {Zt.h*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 001 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
ld1h        {Zt.h*2},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                  10100000000 Rm:5 001 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
ld1h        {Zt.h*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 101 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
ld1h        {Zt.h*4},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                  10100000000 Rm:5 101 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
ld1h        {Zt.h*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 001 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
ld1h        {Zt.h*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                10100001000 Rm:5 001 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
ld1h        {Zt.h*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 101 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
ld1h        {Zt.h*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                10100001000 Rm:5 101 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
ld1w        {Zt.s*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 010 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
ld1w        {Zt.s*2},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                  10100000000 Rm:5 010 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
ld1w        {Zt.s*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 110 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
ld1w        {Zt.s*4},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                  10100000000 Rm:5 110 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
ld1w        {Zt.s*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 010 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
ld1w        {Zt.s*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                10100001000 Rm:5 010 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
ld1w        {Zt.s*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 110 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
ld1w        {Zt.s*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                10100001000 Rm:5 110 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
ld1d        {Zt.d*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 011 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
ld1d        {Zt.d*2},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                  10100000000 Rm:5 011 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
ld1d        {Zt.d*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 111 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
ld1d        {Zt.d*4},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                  10100000000 Rm:5 111 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
ld1d        {Zt.d*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 011 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
ld1d        {Zt.d*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                10100001000 Rm:5 011 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
ld1d        {Zt.d*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 111 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
ld1d        {Zt.d*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                10100001000 Rm:5 111 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
st1b        r:{Zt.b*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 000 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
st1b        r:{Zt.b*2},PNg,w:[Xn|sp,Xm|zr]                      10100000001 Rm:5 000 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
st1b        r:{Zt.b*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 100 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
st1b        r:{Zt.b*4},PNg,w:[Xn|sp,Xm|zr]                      10100000001 Rm:5 100 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
st1b        r:{Zt.b*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 000 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
st1b        r:{Zt.b*2%8},PNg,w:[Xn|sp,Xm|zr]                    10100001001 Rm:5 000 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
st1b        r:{Zt.b*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 100 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
st1b        r:{Zt.b*4%4},PNg,w:[Xn|sp,Xm|zr]                    10100001001 Rm:5 100 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
st1h        r:{Zt.h*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 001 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
st1h        r:{Zt.h*2},PNg,w:[Xn|sp,Xm|zr,lsl#1]                10100000001 Rm:5 001 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
st1h        r:{Zt.h*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 101 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
st1h        r:{Zt.h*4},PNg,w:[Xn|sp,Xm|zr,lsl#1]                10100000001 Rm:5 101 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
st1h        r:{Zt.h*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 001 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
st1h        r:{Zt.h*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#1]              10100001001 Rm:5 001 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
st1h        r:{Zt.h*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 101 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
st1h        r:{Zt.h*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#1]              10100001001 Rm:5 101 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
st1w        r:{Zt.s*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 010 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
st1w        r:{Zt.s*2},PNg,w:[Xn|sp,Xm|zr,lsl#2]                10100000001 Rm:5 010 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
st1w        r:{Zt.s*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 110 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
st1w        r:{Zt.s*4},PNg,w:[Xn|sp,Xm|zr,lsl#2]                10100000001 Rm:5 110 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
st1w        r:{Zt.s*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 010 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
st1w        r:{Zt.s*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#2]              10100001001 Rm:5 010 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
st1w        r:{Zt.s*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 110 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
st1w        r:{Zt.s*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#2]              10100001001 Rm:5 110 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
st1d        r:{Zt.d*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 011 PNg:3 Rn:5 Zt:4 0                 SME2_OR_SVE2p1
st1d        r:{Zt.d*2},PNg,w:[Xn|sp,Xm|zr,lsl#3]                10100000001 Rm:5 011 PNg:3 Rn:5 Zt:4 0                    SME2_OR_SVE2p1
st1d        r:{Zt.d*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 111 PNg:3 Rn:5 Zt:3 00                SME2_OR_SVE2p1
st1d        r:{Zt.d*4},PNg,w:[Xn|sp,Xm|zr,lsl#3]                10100000001 Rm:5 111 PNg:3 Rn:5 Zt:3 00                   SME2_OR_SVE2p1
st1d        r:{Zt.d*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 011 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]        SME2
st1d        r:{Zt.d*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#3]              10100001001 Rm:5 011 PNg:3 Rn:5 Zt[3] 0 Zt[2:0]           SME2
st1d        r:{Zt.d*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 111 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]       SME2
st1d        r:{Zt.d*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#3]              10100001001 Rm:5 111 PNg:3 Rn:5 Zt[2] 00 Zt[1:0]          SME2
ldnt1b      {Zt.b*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 000 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
ldnt1b      {Zt.b*2},PNg/Z,[Xn|sp,Xm|zr]                        10100000000 Rm:5 000 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
ldnt1b      {Zt.b*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 100 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
ldnt1b      {Zt.b*4},PNg/Z,[Xn|sp,Xm|zr]                        10100000000 Rm:5 100 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
ldnt1b      {Zt.b*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 000 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
ldnt1b      {Zt.b*2%8},PNg/Z,[Xn|sp,Xm|zr]                      10100001000 Rm:5 000 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
ldnt1b      {Zt.b*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 100 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
ldnt1b      {Zt.b*4%4},PNg/Z,[Xn|sp,Xm|zr]                      10100001000 Rm:5 100 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
ldnt1h      {Zt.h*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 001 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
ldnt1h      {Zt.h*2},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                  10100000000 Rm:5 001 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
ldnt1h      {Zt.h*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 101 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
ldnt1h      {Zt.h*4},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                  10100000000 Rm:5 101 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
ldnt1h      {Zt.h*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 001 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
ldnt1h      {Zt.h*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                10100001000 Rm:5 001 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
ldnt1h      {Zt.h*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 101 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
ldnt1h      {Zt.h*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#1]                10100001000 Rm:5 101 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
ldnt1w      {Zt.s*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 010 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
ldnt1w      {Zt.s*2},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                  10100000000 Rm:5 010 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
ldnt1w      {Zt.s*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 110 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
ldnt1w      {Zt.s*4},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                  10100000000 Rm:5 110 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
ldnt1w      {Zt.s*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 010 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
ldnt1w      {Zt.s*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                10100001000 Rm:5 010 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
ldnt1w      {Zt.s*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 110 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
ldnt1w      {Zt.s*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#2]                10100001000 Rm:5 110 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
ldnt1d      {Zt.d*2},PNg/Z,[Xn|sp,#simm*2,mul vl]               101000000100 simm:4 011 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
ldnt1d      {Zt.d*2},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                  10100000000 Rm:5 011 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
ldnt1d      {Zt.d*4},PNg/Z,[Xn|sp,#simm*4,mul vl]               101000000100 simm:4 111 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
ldnt1d      {Zt.d*4},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                  10100000000 Rm:5 111 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
ldnt1d      {Zt.d*2%8},PNg/Z,[Xn|sp,#simm*2,mul vl]             101000010100 simm:4 011 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
ldnt1d      {Zt.d*2%8},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                10100001000 Rm:5 011 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
ldnt1d      {Zt.d*4%4},PNg/Z,[Xn|sp,#simm*4,mul vl]             101000010100 simm:4 111 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
ldnt1d      {Zt.d*4%4},PNg/Z,[Xn|sp,Xm|zr,lsl#3]                10100001000 Rm:5 111 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
stnt1b      r:{Zt.b*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 000 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
stnt1b      r:{Zt.b*2},PNg,w:[Xn|sp,Xm|zr]                      10100000001 Rm:5 000 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
stnt1b      r:{Zt.b*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 100 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
stnt1b      r:{Zt.b*4},PNg,w:[Xn|sp,Xm|zr]                      10100000001 Rm:5 100 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
stnt1b      r:{Zt.b*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 000 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
stnt1b      r:{Zt.b*2%8},PNg,w:[Xn|sp,Xm|zr]                    10100001001 Rm:5 000 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
stnt1b      r:{Zt.b*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 100 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
stnt1b      r:{Zt.b*4%4},PNg,w:[Xn|sp,Xm|zr]                    10100001001 Rm:5 100 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
stnt1h      r:{Zt.h*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 001 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
stnt1h      r:{Zt.h*2},PNg,w:[Xn|sp,Xm|zr,lsl#1]                10100000001 Rm:5 001 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
stnt1h      r:{Zt.h*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 101 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
stnt1h      r:{Zt.h*4},PNg,w:[Xn|sp,Xm|zr,lsl#1]                10100000001 Rm:5 101 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
stnt1h      r:{Zt.h*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 001 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
stnt1h      r:{Zt.h*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#1]              10100001001 Rm:5 001 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
stnt1h      r:{Zt.h*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 101 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
stnt1h      r:{Zt.h*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#1]              10100001001 Rm:5 101 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
stnt1w      r:{Zt.s*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 010 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
stnt1w      r:{Zt.s*2},PNg,w:[Xn|sp,Xm|zr,lsl#2]                10100000001 Rm:5 010 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
stnt1w      r:{Zt.s*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 110 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
stnt1w      r:{Zt.s*4},PNg,w:[Xn|sp,Xm|zr,lsl#2]                10100000001 Rm:5 110 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
stnt1w      r:{Zt.s*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 010 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
stnt1w      r:{Zt.s*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#2]              10100001001 Rm:5 010 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
stnt1w      r:{Zt.s*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 110 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
stnt1w      r:{Zt.s*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#2]              10100001001 Rm:5 110 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
stnt1d      r:{Zt.d*2},PNg,w:[Xn|sp,#simm*2,mul vl]             101000000110 simm:4 011 PNg:3 Rn:5 Zt:4 1                 SME2_OR_SVE2p1
stnt1d      r:{Zt.d*2},PNg,w:[Xn|sp,Xm|zr,lsl#3]                10100000001 Rm:5 011 PNg:3 Rn:5 Zt:4 1                    SME2_OR_SVE2p1
stnt1d      r:{Zt.d*4},PNg,w:[Xn|sp,#simm*4,mul vl]             101000000110 simm:4 111 PNg:3 Rn:5 Zt:3 01                SME2_OR_SVE2p1
stnt1d      r:{Zt.d*4},PNg,w:[Xn|sp,Xm|zr,lsl#3]                10100000001 Rm:5 111 PNg:3 Rn:5 Zt:3 01                   SME2_OR_SVE2p1
stnt1d      r:{Zt.d*2%8},PNg,w:[Xn|sp,#simm*2,mul vl]           101000010110 simm:4 011 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]        SME2
stnt1d      r:{Zt.d*2%8},PNg,w:[Xn|sp,Xm|zr,lsl#3]              10100001001 Rm:5 011 PNg:3 Rn:5 Zt[3] 1 Zt[2:0]           SME2
stnt1d      r:{Zt.d*4%4},PNg,w:[Xn|sp,#simm*4,mul vl]           101000010110 simm:4 111 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]       SME2
stnt1d      r:{Zt.d*4%4},PNg,w:[Xn|sp,Xm|zr,lsl#3]              10100001001 Rm:5 111 PNg:3 Rn:5 Zt[2] 10 Zt[1:0]          SME2
# SME2: moves between ZA and several vectors
mova        {Zd.b*2},ZAtD.b[Ws+12,o:2]                          D,v=h,0/v,1 1100000000000110 v Rs:2 00000 o:3 Zd:4 0      SME2
mova        x:ZAtD.b[Ws+12,o:2],{Zn.b*2}                        D,v=h,0/v,1 1100000000000100 v Rs:2 000 Zn:4 000 o:3      SME2
mov         {Zd.b*2},ZAtD.b[Ws+12,o:2]                          D,v=h,0/v,1 1100000000000110 v Rs:2 00000 o:3 Zd:4 0      SME2
mov         x:ZAtD.b[Ws+12,o:2],{Zn.b*2}                        D,v=h,0/v,1 1100000000000100 v Rs:2 000 Zn:4 000 o:3      SME2
mova        {Zd.h*2},ZAtD.h[Ws+12,o:2]                          D,v=h,0/v,1 1100000001000110 v Rs:2 00000 t:1 o:2 Zd:4 0  SME2
mova        x:ZAtD.h[Ws+12,o:2],{Zn.h*2}                        D,v=h,0/v,1 1100000001000100 v Rs:2 000 Zn:4 000 t:1 o:2  SME2
mov         {Zd.h*2},ZAtD.h[Ws+12,o:2]                          D,v=h,0/v,1 1100000001000110 v Rs:2 00000 t:1 o:2 Zd:4 0  SME2
mov         x:ZAtD.h[Ws+12,o:2],{Zn.h*2}                        D,v=h,0/v,1 1100000001000100 v Rs:2 000 Zn:4 000 t:1 o:2  SME2
mova        {Zd.s*2},ZAtD.s[Ws+12,o:2]                          D,v=h,0/v,1 1100000010000110 v Rs:2 00000 t:2 o:1 Zd:4 0  SME2
mova        x:ZAtD.s[Ws+12,o:2],{Zn.s*2}                        D,v=h,0/v,1 1100000010000100 v Rs:2 000 Zn:4 000 t:2 o:1  SME2
mov         {Zd.s*2},ZAtD.s[Ws+12,o:2]                          D,v=h,0/v,1 1100000010000110 v Rs:2 00000 t:2 o:1 Zd:4 0  SME2
mov         x:ZAtD.s[Ws+12,o:2],{Zn.s*2}                        D,v=h,0/v,1 1100000010000100 v Rs:2 000 Zn:4 000 t:2 o:1  SME2
mova        {Zd.d*2},ZAtD.d[Ws+12,0:2]                          D,v=h,0/v,1 1100000011000110 v Rs:2 00000 t:3 Zd:4 0      SME2
mova        x:ZAtD.d[Ws+12,0:2],{Zn.d*2}                        D,v=h,0/v,1 1100000011000100 v Rs:2 000 Zn:4 000 t:3      SME2
mov         {Zd.d*2},ZAtD.d[Ws+12,0:2]                          D,v=h,0/v,1 1100000011000110 v Rs:2 00000 t:3 Zd:4 0      SME2
mov         x:ZAtD.d[Ws+12,0:2],{Zn.d*2}                        D,v=h,0/v,1 1100000011000100 v Rs:2 000 Zn:4 000 t:3      SME2
mova        {Zd.b*4},ZAtD.b[Ws+12,o:4]                          D,v=h,0/v,1 1100000000000110 v Rs:2 001000 o:2 Zd:3 00    SME2
mova        x:ZAtD.b[Ws+12,o:4],{Zn.b*4}                        D,v=h,0/v,1 1100000000000100 v Rs:2 001 Zn:3 00000 o:2    SME2
mov         {Zd.b*4},ZAtD.b[Ws+12,o:4]                          D,v=h,0/v,1 1100000000000110 v Rs:2 001000 o:2 Zd:3 00    SME2
mov         x:ZAtD.b[Ws+12,o:4],{Zn.b*4}                        D,v=h,0/v,1 1100000000000100 v Rs:2 001 Zn:3 00000 o:2    SME2
mova        {Zd.h*4},ZAtD.h[Ws+12,o:4]                          D,v=h,0/v,1 1100000001000110 v Rs:2 001000 t:1 o:1 Zd:3 00  SME2
mova        x:ZAtD.h[Ws+12,o:4],{Zn.h*4}                        D,v=h,0/v,1 1100000001000100 v Rs:2 001 Zn:3 00000 t:1 o:1  SME2
mov         {Zd.h*4},ZAtD.h[Ws+12,o:4]                          D,v=h,0/v,1 1100000001000110 v Rs:2 001000 t:1 o:1 Zd:3 00  SME2
mov         x:ZAtD.h[Ws+12,o:4],{Zn.h*4}                        D,v=h,0/v,1 1100000001000100 v Rs:2 001 Zn:3 00000 t:1 o:1  SME2
mova        {Zd.s*4},ZAtD.s[Ws+12,0:4]                          D,v=h,0/v,1 1100000010000110 v Rs:2 001000 t:2 Zd:3 00    SME2
mova        x:ZAtD.s[Ws+12,0:4],{Zn.s*4}                        D,v=h,0/v,1 1100000010000100 v Rs:2 001 Zn:3 00000 t:2    SME2
mov         {Zd.s*4},ZAtD.s[Ws+12,0:4]                          D,v=h,0/v,1 1100000010000110 v Rs:2 001000 t:2 Zd:3 00    SME2
mov         x:ZAtD.s[Ws+12,0:4],{Zn.s*4}                        D,v=h,0/v,1 1100000010000100 v Rs:2 001 Zn:3 00000 t:2    SME2
mova        {Zd.d*4},ZAtD.d[Ws+12,0:4]                          D,v=h,0/v,1 1100000011000110 v Rs:2 00100 t:3 Zd:3 00     SME2
mova        x:ZAtD.d[Ws+12,0:4],{Zn.d*4}                        D,v=h,0/v,1 1100000011000100 v Rs:2 001 Zn:3 0000 t:3     SME2
mov         {Zd.d*4},ZAtD.d[Ws+12,0:4]                          D,v=h,0/v,1 1100000011000110 v Rs:2 00100 t:3 Zd:3 00     SME2
mov         x:ZAtD.d[Ws+12,0:4],{Zn.d*4}                        D,v=h,0/v,1 1100000011000100 v Rs:2 001 Zn:3 0000 t:3     SME2
mova        {Zd.d*2},za.d[Wv+8,o,vgx2]                          11000000000001100 Rv:2 01000 o:3 Zd:4 0                   SME2
mov         {Zd.d*2},za.d[Wv+8,o,vgx2]                          11000000000001100 Rv:2 01000 o:3 Zd:4 0                   SME2
mova        {Zd.d*4},za.d[Wv+8,o,vgx4]                          11000000000001100 Rv:2 01100 o:3 Zd:3 00                  SME2
mov         {Zd.d*4},za.d[Wv+8,o,vgx4]                          11000000000001100 Rv:2 01100 o:3 Zd:3 00                  SME2
mova        x:za.d[Wv+8,o,vgx2],{Zn.d*2}                        11000000000001000 Rv:2 010 Zn:4 000 o:3                   SME2
mov         x:za.d[Wv+8,o,vgx2],{Zn.d*2}                        11000000000001000 Rv:2 010 Zn:4 000 o:3                   SME2
mova        x:za.d[Wv+8,o,vgx4],{Zn.d*4}                        11000000000001000 Rv:2 011 Zn:3 0000 o:3                  SME2
mov         x:za.d[Wv+8,o,vgx4],{Zn.d*4}                        11000000000001000 Rv:2 011 Zn:3 0000 o:3                  SME2
# SME2: arithmetic on ZA
[fma sme2]
fmla        x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s                   110000010010 Zm:4 0 Rv:2 110 Zn:5 00 o:3                  SME2
fmls        x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s                   110000010010 Zm:4 0 Rv:2 110 Zn:5 01 o:3                  SME2
fmla        x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2}               11000001101 Zm:4 00 Rv:2 110 Zn:4 000 o:3                 SME2
fmls        x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2}               11000001101 Zm:4 00 Rv:2 110 Zn:4 001 o:3                 SME2
fmla        x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s[i]                110000010101 Zm:4 0 Rv:2 0 i:2 Zn:4 000 o:3               SME2
fmls        x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s[i]                110000010101 Zm:4 0 Rv:2 0 i:2 Zn:4 010 o:3               SME2
[arithmetic sme2]
add         x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s                   110000010010 Zm:4 0 Rv:2 110 Zn:5 10 o:3                  SME2
sub         x:za.s[Wv+8,o,vgx2],{Zn.s*2},Zm.s                   110000010010 Zm:4 0 Rv:2 110 Zn:5 11 o:3                  SME2
add         x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2}               11000001101 Zm:4 00 Rv:2 110 Zn:4 010 o:3                 SME2
sub         x:za.s[Wv+8,o,vgx2],{Zn.s*2},{Zm.s*2}               11000001101 Zm:4 00 Rv:2 110 Zn:4 011 o:3                 SME2
add         x:za.s[Wv+8,o,vgx2],{Zm.s*2}                        11000001101000000 Rv:2 111 Zm:4 010 o:3                   SME2
sub         x:za.s[Wv+8,o,vgx2],{Zm.s*2}                        11000001101000000 Rv:2 111 Zm:4 011 o:3                   SME2
fadd        x:za.s[Wv+8,o,vgx2],{Zm.s*2}                        11000001101000000 Rv:2 111 Zm:4 000 o:3                   SME2
fsub        x:za.s[Wv+8,o,vgx2],{Zm.s*2}                        11000001101000000 Rv:2 111 Zm:4 001 o:3                   SME2
[fma sme2]
fmla        x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d                   110000010110 Zm:4 0 Rv:2 110 Zn:5 00 o:3                  SME2+SME_F64F64
fmls        x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d                   110000010110 Zm:4 0 Rv:2 110 Zn:5 01 o:3                  SME2+SME_F64F64
fmla        x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2}               11000001111 Zm:4 00 Rv:2 110 Zn:4 000 o:3                 SME2+SME_F64F64
fmls        x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2}               11000001111 Zm:4 00 Rv:2 110 Zn:4 001 o:3                 SME2+SME_F64F64
fmla        x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d[i]                110000011101 Zm:4 0 Rv:2 00 i:1 Zn:4 000 o:3              SME2+SME_F64F64
fmls        x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d[i]                110000011101 Zm:4 0 Rv:2 00 i:1 Zn:4 010 o:3              SME2+SME_F64F64
[arithmetic sme2]
add         x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d                   110000010110 Zm:4 0 Rv:2 110 Zn:5 10 o:3                  SME2+SME_I16I64
sub         x:za.d[Wv+8,o,vgx2],{Zn.d*2},Zm.d                   110000010110 Zm:4 0 Rv:2 110 Zn:5 11 o:3                  SME2+SME_I16I64
add         x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2}               11000001111 Zm:4 00 Rv:2 110 Zn:4 010 o:3                 SME2+SME_I16I64
sub         x:za.d[Wv+8,o,vgx2],{Zn.d*2},{Zm.d*2}               11000001111 Zm:4 00 Rv:2 110 Zn:4 011 o:3                 SME2+SME_I16I64
add         x:za.d[Wv+8,o,vgx2],{Zm.d*2}                        11000001111000000 Rv:2 111 Zm:4 010 o:3                   SME2+SME_I16I64
sub         x:za.d[Wv+8,o,vgx2],{Zm.d*2}                        11000001111000000 Rv:2 111 Zm:4 011 o:3                   SME2+SME_I16I64
fadd        x:za.d[Wv+8,o,vgx2],{Zm.d*2}                        11000001111000000 Rv:2 111 Zm:4 000 o:3                   SME2+SME_F64F64
fsub        x:za.d[Wv+8,o,vgx2],{Zm.d*2}                        11000001111000000 Rv:2 111 Zm:4 001 o:3                   SME2+SME_F64F64
[dot sme2]
fdot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010010 Zm:4 0 Rv:2 100 Zn:5 00 o:3                  SME2
bfdot       x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010010 Zm:4 0 Rv:2 100 Zn:5 10 o:3                  SME2
fdot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001101 Zm:4 00 Rv:2 100 Zn:4 000 o:3                 SME2
bfdot       x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001101 Zm:4 00 Rv:2 100 Zn:4 010 o:3                 SME2
fdot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 001 o:3               SME2
bfdot       x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 011 o:3               SME2
sdot        x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b                   110000010010 Zm:4 0 Rv:2 101 Zn:5 00 o:3                  SME2
udot        x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b                   110000010010 Zm:4 0 Rv:2 101 Zn:5 10 o:3                  SME2
usdot       x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b                   110000010010 Zm:4 0 Rv:2 101 Zn:5 01 o:3                  SME2
sudot       x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b                   110000010010 Zm:4 0 Rv:2 101 Zn:5 11 o:3                  SME2
sdot        x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2}               11000001101 Zm:4 00 Rv:2 101 Zn:4 000 o:3                 SME2
udot        x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2}               11000001101 Zm:4 00 Rv:2 101 Zn:4 010 o:3                 SME2
usdot       x:za.s[Wv+8,o,vgx2],{Zn.b*2},{Zm.b*2}               11000001101 Zm:4 00 Rv:2 101 Zn:4 001 o:3                 SME2
sdot        x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 100 o:3               SME2
udot        x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 110 o:3               SME2
usdot       x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 101 o:3               SME2
sudot       x:za.s[Wv+8,o,vgx2],{Zn.b*2},Zm.b[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 111 o:3               SME2
sdot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010110 Zm:4 0 Rv:2 101 Zn:5 01 o:3                  SME2
udot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010110 Zm:4 0 Rv:2 101 Zn:5 11 o:3                  SME2
sdot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001111 Zm:4 00 Rv:2 101 Zn:4 001 o:3                 SME2
udot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001111 Zm:4 00 Rv:2 101 Zn:4 011 o:3                 SME2
sdot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 000 o:3               SME2
udot        x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 1 i:2 Zn:4 010 o:3               SME2
sdot        x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010110 Zm:4 0 Rv:2 101 Zn:5 00 o:3                  SME2+SME_I16I64
udot        x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010110 Zm:4 0 Rv:2 101 Zn:5 10 o:3                  SME2+SME_I16I64
sdot        x:za.d[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001111 Zm:4 00 Rv:2 101 Zn:4 000 o:3                 SME2+SME_I16I64
udot        x:za.d[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001111 Zm:4 00 Rv:2 101 Zn:4 010 o:3                 SME2+SME_I16I64
sdot        x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000011101 Zm:4 0 Rv:2 00 i:1 Zn:4 001 o:3              SME2+SME_I16I64
udot        x:za.d[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000011101 Zm:4 0 Rv:2 00 i:1 Zn:4 011 o:3              SME2+SME_I16I64
[fma sme2]
fmlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010010 Zm:4 0 Rv:2 010 Zn:5 000 o:2                 SME2
fmlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010010 Zm:4 0 Rv:2 010 Zn:5 010 o:2                 SME2
bfmlal      x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010010 Zm:4 0 Rv:2 010 Zn:5 100 o:2                 SME2
bfmlsl      x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010010 Zm:4 0 Rv:2 010 Zn:5 110 o:2                 SME2
smlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 010 Zn:5 000 o:2                 SME2
smlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 010 Zn:5 010 o:2                 SME2
umlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 010 Zn:5 100 o:2                 SME2
umlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 010 Zn:5 110 o:2                 SME2
fmlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001101 Zm:4 00 Rv:2 010 Zn:4 0000 o:2                SME2
fmlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001101 Zm:4 00 Rv:2 010 Zn:4 0010 o:2                SME2
bfmlal      x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001101 Zm:4 00 Rv:2 010 Zn:4 0100 o:2                SME2
bfmlsl      x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001101 Zm:4 00 Rv:2 010 Zn:4 0110 o:2                SME2
smlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 010 Zn:4 0000 o:2                SME2
smlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 010 Zn:4 0010 o:2                SME2
umlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 010 Zn:4 0100 o:2                SME2
umlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 010 Zn:4 0110 o:2                SME2
fmlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 000 i[0] o:2       SME2
fmlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 001 i[0] o:2       SME2
bfmlal      x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 010 i[0] o:2       SME2
bfmlsl      x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 011 i[0] o:2       SME2
smlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011101 Zm:4 0 Rv:2 1 i[2:1] Zn:4 000 i[0] o:2       SME2
smlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011101 Zm:4 0 Rv:2 1 i[2:1] Zn:4 001 i[0] o:2       SME2
umlal       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011101 Zm:4 0 Rv:2 1 i[2:1] Zn:4 010 i[0] o:2       SME2
umlsl       x:za.s[Wv+8,o:2,vgx2],{Zn.h*2},Zm.h[i]              110000011101 Zm:4 0 Rv:2 1 i[2:1] Zn:4 011 i[0] o:2       SME2
smlall      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b                 110000010010 Zm:4 0 Rv:2 000 Zn:5 0000 o:1                SME2
smlsll      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b                 110000010010 Zm:4 0 Rv:2 000 Zn:5 0100 o:1                SME2
umlall      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b                 110000010010 Zm:4 0 Rv:2 000 Zn:5 1000 o:1                SME2
umlsll      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b                 110000010010 Zm:4 0 Rv:2 000 Zn:5 1100 o:1                SME2
usmlall     x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b                 110000010010 Zm:4 0 Rv:2 000 Zn:5 0010 o:1                SME2
sumlall     x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b                 110000010010 Zm:4 0 Rv:2 000 Zn:5 1010 o:1                SME2
smlall      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2}             11000001101 Zm:4 00 Rv:2 000 Zn:4 00000 o:1               SME2
smlsll      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2}             11000001101 Zm:4 00 Rv:2 000 Zn:4 00100 o:1               SME2
umlall      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2}             11000001101 Zm:4 00 Rv:2 000 Zn:4 01000 o:1               SME2
umlsll      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2}             11000001101 Zm:4 00 Rv:2 000 Zn:4 01100 o:1               SME2
usmlall     x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},{Zm.b*2}             11000001101 Zm:4 00 Rv:2 000 Zn:4 00010 o:1               SME2
smlall      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i]              110000010001 Zm:4 0 Rv:2 0 i[3:2] Zn:4 000 i[1:0] o:1     SME2
smlsll      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i]              110000010001 Zm:4 0 Rv:2 0 i[3:2] Zn:4 001 i[1:0] o:1     SME2
umlall      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i]              110000010001 Zm:4 0 Rv:2 0 i[3:2] Zn:4 010 i[1:0] o:1     SME2
umlsll      x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i]              110000010001 Zm:4 0 Rv:2 0 i[3:2] Zn:4 011 i[1:0] o:1     SME2
usmlall     x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i]              110000010001 Zm:4 0 Rv:2 0 i[3:2] Zn:4 100 i[1:0] o:1     SME2
sumlall     x:za.s[Wv+8,o:4,vgx2],{Zn.b*2},Zm.b[i]              110000010001 Zm:4 0 Rv:2 0 i[3:2] Zn:4 110 i[1:0] o:1     SME2
fmla        x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s                   110000010011 Zm:4 0 Rv:2 110 Zn:5 00 o:3                  SME2
fmls        x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s                   110000010011 Zm:4 0 Rv:2 110 Zn:5 01 o:3                  SME2
fmla        x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4}               11000001101 Zm:3 010 Rv:2 110 Zn:3 0000 o:3               SME2
fmls        x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4}               11000001101 Zm:3 010 Rv:2 110 Zn:3 0001 o:3               SME2
fmla        x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s[i]                110000010101 Zm:4 1 Rv:2 0 i:2 Zn:3 0000 o:3              SME2
fmls        x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s[i]                110000010101 Zm:4 1 Rv:2 0 i:2 Zn:3 0010 o:3              SME2
[arithmetic sme2]
add         x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s                   110000010011 Zm:4 0 Rv:2 110 Zn:5 10 o:3                  SME2
sub         x:za.s[Wv+8,o,vgx4],{Zn.s*4},Zm.s                   110000010011 Zm:4 0 Rv:2 110 Zn:5 11 o:3                  SME2
add         x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4}               11000001101 Zm:3 010 Rv:2 110 Zn:3 0010 o:3               SME2
sub         x:za.s[Wv+8,o,vgx4],{Zn.s*4},{Zm.s*4}               11000001101 Zm:3 010 Rv:2 110 Zn:3 0011 o:3               SME2
add         x:za.s[Wv+8,o,vgx4],{Zm.s*4}                        11000001101000010 Rv:2 111 Zm:3 0010 o:3                  SME2
sub         x:za.s[Wv+8,o,vgx4],{Zm.s*4}                        11000001101000010 Rv:2 111 Zm:3 0011 o:3                  SME2
fadd        x:za.s[Wv+8,o,vgx4],{Zm.s*4}                        11000001101000010 Rv:2 111 Zm:3 0000 o:3                  SME2
fsub        x:za.s[Wv+8,o,vgx4],{Zm.s*4}                        11000001101000010 Rv:2 111 Zm:3 0001 o:3                  SME2
[fma sme2]
fmla        x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d                   110000010111 Zm:4 0 Rv:2 110 Zn:5 00 o:3                  SME2+SME_F64F64
fmls        x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d                   110000010111 Zm:4 0 Rv:2 110 Zn:5 01 o:3                  SME2+SME_F64F64
fmla        x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4}               11000001111 Zm:3 010 Rv:2 110 Zn:3 0000 o:3               SME2+SME_F64F64
fmls        x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4}               11000001111 Zm:3 010 Rv:2 110 Zn:3 0001 o:3               SME2+SME_F64F64
fmla        x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d[i]                110000011101 Zm:4 1 Rv:2 00 i:1 Zn:3 0000 o:3             SME2+SME_F64F64
fmls        x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d[i]                110000011101 Zm:4 1 Rv:2 00 i:1 Zn:3 0010 o:3             SME2+SME_F64F64
[arithmetic sme2]
add         x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d                   110000010111 Zm:4 0 Rv:2 110 Zn:5 10 o:3                  SME2+SME_I16I64
sub         x:za.d[Wv+8,o,vgx4],{Zn.d*4},Zm.d                   110000010111 Zm:4 0 Rv:2 110 Zn:5 11 o:3                  SME2+SME_I16I64
add         x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4}               11000001111 Zm:3 010 Rv:2 110 Zn:3 0010 o:3               SME2+SME_I16I64
sub         x:za.d[Wv+8,o,vgx4],{Zn.d*4},{Zm.d*4}               11000001111 Zm:3 010 Rv:2 110 Zn:3 0011 o:3               SME2+SME_I16I64
add         x:za.d[Wv+8,o,vgx4],{Zm.d*4}                        11000001111000010 Rv:2 111 Zm:3 0010 o:3                  SME2+SME_I16I64
sub         x:za.d[Wv+8,o,vgx4],{Zm.d*4}                        11000001111000010 Rv:2 111 Zm:3 0011 o:3                  SME2+SME_I16I64
fadd        x:za.d[Wv+8,o,vgx4],{Zm.d*4}                        11000001111000010 Rv:2 111 Zm:3 0000 o:3                  SME2+SME_F64F64
fsub        x:za.d[Wv+8,o,vgx4],{Zm.d*4}                        11000001111000010 Rv:2 111 Zm:3 0001 o:3                  SME2+SME_F64F64
[dot sme2]
fdot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010011 Zm:4 0 Rv:2 100 Zn:5 00 o:3                  SME2
bfdot       x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010011 Zm:4 0 Rv:2 100 Zn:5 10 o:3                  SME2
fdot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001101 Zm:3 010 Rv:2 100 Zn:3 0000 o:3               SME2
bfdot       x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001101 Zm:3 010 Rv:2 100 Zn:3 0010 o:3               SME2
fdot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0001 o:3              SME2
bfdot       x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0011 o:3              SME2
sdot        x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b                   110000010011 Zm:4 0 Rv:2 101 Zn:5 00 o:3                  SME2
udot        x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b                   110000010011 Zm:4 0 Rv:2 101 Zn:5 10 o:3                  SME2
usdot       x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b                   110000010011 Zm:4 0 Rv:2 101 Zn:5 01 o:3                  SME2
sudot       x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b                   110000010011 Zm:4 0 Rv:2 101 Zn:5 11 o:3                  SME2
sdot        x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4}               11000001101 Zm:3 010 Rv:2 101 Zn:3 0000 o:3               SME2
udot        x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4}               11000001101 Zm:3 010 Rv:2 101 Zn:3 0010 o:3               SME2
usdot       x:za.s[Wv+8,o,vgx4],{Zn.b*4},{Zm.b*4}               11000001101 Zm:3 010 Rv:2 101 Zn:3 0001 o:3               SME2
sdot        x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0100 o:3              SME2
udot        x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0110 o:3              SME2
usdot       x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0101 o:3              SME2
sudot       x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0111 o:3              SME2
sdot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010111 Zm:4 0 Rv:2 101 Zn:5 01 o:3                  SME2
udot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010111 Zm:4 0 Rv:2 101 Zn:5 11 o:3                  SME2
sdot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001111 Zm:3 010 Rv:2 101 Zn:3 0001 o:3               SME2
udot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001111 Zm:3 010 Rv:2 101 Zn:3 0011 o:3               SME2
sdot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0000 o:3              SME2
udot        x:za.s[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010101 Zm:4 1 Rv:2 1 i:2 Zn:3 0010 o:3              SME2
sdot        x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010111 Zm:4 0 Rv:2 101 Zn:5 00 o:3                  SME2+SME_I16I64
udot        x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010111 Zm:4 0 Rv:2 101 Zn:5 10 o:3                  SME2+SME_I16I64
sdot        x:za.d[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001111 Zm:3 010 Rv:2 101 Zn:3 0000 o:3               SME2+SME_I16I64
udot        x:za.d[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001111 Zm:3 010 Rv:2 101 Zn:3 0010 o:3               SME2+SME_I16I64
sdot        x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000011101 Zm:4 1 Rv:2 00 i:1 Zn:3 0001 o:3             SME2+SME_I16I64
udot        x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000011101 Zm:4 1 Rv:2 00 i:1 Zn:3 0011 o:3             SME2+SME_I16I64
[fma sme2]
fmlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010011 Zm:4 0 Rv:2 010 Zn:5 000 o:2                 SME2
fmlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010011 Zm:4 0 Rv:2 010 Zn:5 010 o:2                 SME2
bfmlal      x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010011 Zm:4 0 Rv:2 010 Zn:5 100 o:2                 SME2
bfmlsl      x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010011 Zm:4 0 Rv:2 010 Zn:5 110 o:2                 SME2
smlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 010 Zn:5 000 o:2                 SME2
smlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 010 Zn:5 010 o:2                 SME2
umlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 010 Zn:5 100 o:2                 SME2
umlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 010 Zn:5 110 o:2                 SME2
fmlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001101 Zm:3 010 Rv:2 010 Zn:3 00000 o:2              SME2
fmlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001101 Zm:3 010 Rv:2 010 Zn:3 00010 o:2              SME2
bfmlal      x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001101 Zm:3 010 Rv:2 010 Zn:3 00100 o:2              SME2
bfmlsl      x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001101 Zm:3 010 Rv:2 010 Zn:3 00110 o:2              SME2
smlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 010 Zn:3 00000 o:2              SME2
smlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 010 Zn:3 00010 o:2              SME2
umlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 010 Zn:3 00100 o:2              SME2
umlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 010 Zn:3 00110 o:2              SME2
fmlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0000 i[0] o:2      SME2
fmlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0001 i[0] o:2      SME2
bfmlal      x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0010 i[0] o:2      SME2
bfmlsl      x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0011 i[0] o:2      SME2
smlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011101 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0000 i[0] o:2      SME2
smlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011101 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0001 i[0] o:2      SME2
umlal       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011101 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0010 i[0] o:2      SME2
umlsl       x:za.s[Wv+8,o:2,vgx4],{Zn.h*4},Zm.h[i]              110000011101 Zm:4 1 Rv:2 1 i[2:1] Zn:3 0011 i[0] o:2      SME2
smlall      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b                 110000010011 Zm:4 0 Rv:2 000 Zn:5 0000 o:1                SME2
smlsll      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b                 110000010011 Zm:4 0 Rv:2 000 Zn:5 0100 o:1                SME2
umlall      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b                 110000010011 Zm:4 0 Rv:2 000 Zn:5 1000 o:1                SME2
umlsll      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b                 110000010011 Zm:4 0 Rv:2 000 Zn:5 1100 o:1                SME2
usmlall     x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b                 110000010011 Zm:4 0 Rv:2 000 Zn:5 0010 o:1                SME2
sumlall     x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b                 110000010011 Zm:4 0 Rv:2 000 Zn:5 1010 o:1                SME2
smlall      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4}             11000001101 Zm:3 010 Rv:2 000 Zn:3 000000 o:1             SME2
smlsll      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4}             11000001101 Zm:3 010 Rv:2 000 Zn:3 000100 o:1             SME2
umlall      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4}             11000001101 Zm:3 010 Rv:2 000 Zn:3 001000 o:1             SME2
umlsll      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4}             11000001101 Zm:3 010 Rv:2 000 Zn:3 001100 o:1             SME2
usmlall     x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},{Zm.b*4}             11000001101 Zm:3 010 Rv:2 000 Zn:3 000010 o:1             SME2
smlall      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i]              110000010001 Zm:4 1 Rv:2 0 i[3:2] Zn:3 0000 i[1:0] o:1    SME2
smlsll      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i]              110000010001 Zm:4 1 Rv:2 0 i[3:2] Zn:3 0001 i[1:0] o:1    SME2
umlall      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i]              110000010001 Zm:4 1 Rv:2 0 i[3:2] Zn:3 0010 i[1:0] o:1    SME2
umlsll      x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i]              110000010001 Zm:4 1 Rv:2 0 i[3:2] Zn:3 0011 i[1:0] o:1    SME2
usmlall     x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i]              110000010001 Zm:4 1 Rv:2 0 i[3:2] Zn:3 0100 i[1:0] o:1    SME2
sumlall     x:za.s[Wv+8,o:4,vgx4],{Zn.b*4},Zm.b[i]              110000010001 Zm:4 1 Rv:2 0 i[3:2] Zn:3 0110 i[1:0] o:1    SME2
fmlal       x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010010 Zm:4 0 Rv:2 011 Zn:5 00 o:3                  SME2
fmlal       x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 00 o:3          SME2
fmlsl       x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010010 Zm:4 0 Rv:2 011 Zn:5 01 o:3                  SME2
fmlsl       x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 01 o:3          SME2
bfmlal      x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010010 Zm:4 0 Rv:2 011 Zn:5 10 o:3                  SME2
bfmlal      x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 10 o:3          SME2
bfmlsl      x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010010 Zm:4 0 Rv:2 011 Zn:5 11 o:3                  SME2
bfmlsl      x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 11 o:3          SME2
smlal       x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 011 Zn:5 00 o:3                  SME2
smlal       x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011100 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 00 o:3          SME2
smlsl       x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 011 Zn:5 01 o:3                  SME2
smlsl       x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011100 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 01 o:3          SME2
umlal       x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 011 Zn:5 10 o:3                  SME2
umlal       x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011100 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 10 o:3          SME2
umlsl       x:za.s[Wv+8,o:2],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 011 Zn:5 11 o:3                  SME2
umlsl       x:za.s[Wv+8,o:2],Zn.h,Zm.h[i]                       110000011100 Zm:4 i[2] Rv:2 1 i[1:0] Zn:5 11 o:3          SME2
smlall      x:za.s[Wv+8,o:4],Zn.b,Zm.b                          110000010010 Zm:4 0 Rv:2 001 Zn:5 000 o:2                 SME2
smlall      x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]                       110000010000 Zm:4 i[3] Rv:2 i[2:0] Zn:5 000 o:2           SME2
smlsll      x:za.s[Wv+8,o:4],Zn.b,Zm.b                          110000010010 Zm:4 0 Rv:2 001 Zn:5 010 o:2                 SME2
smlsll      x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]                       110000010000 Zm:4 i[3] Rv:2 i[2:0] Zn:5 010 o:2           SME2
umlall      x:za.s[Wv+8,o:4],Zn.b,Zm.b                          110000010010 Zm:4 0 Rv:2 001 Zn:5 100 o:2                 SME2
umlall      x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]                       110000010000 Zm:4 i[3] Rv:2 i[2:0] Zn:5 100 o:2           SME2
umlsll      x:za.s[Wv+8,o:4],Zn.b,Zm.b                          110000010010 Zm:4 0 Rv:2 001 Zn:5 110 o:2                 SME2
umlsll      x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]                       110000010000 Zm:4 i[3] Rv:2 i[2:0] Zn:5 110 o:2           SME2
usmlall     x:za.s[Wv+8,o:4],Zn.b,Zm.b                          110000010010 Zm:4 0 Rv:2 001 Zn:5 001 o:2                 SME2
usmlall     x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]                       110000010000 Zm:4 i[3] Rv:2 i[2:0] Zn:5 001 o:2           SME2
sumlall     x:za.s[Wv+8,o:4],Zn.b,Zm.b[i]                       110000010000 Zm:4 i[3] Rv:2 i[2:0] Zn:5 101 o:2          SME2
[dot sme2]
fvdot       x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 0 i:2 Zn:4 001 o:3               SME2
bfvdot      x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 0 i:2 Zn:4 011 o:3               SME2
svdot       x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 0 i:2 Zn:4 100 o:3               SME2
uvdot       x:za.s[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010101 Zm:4 0 Rv:2 0 i:2 Zn:4 110 o:3               SME2
svdot       x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 0 i:2 Zn:3 0100 o:3              SME2
uvdot       x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 0 i:2 Zn:3 0110 o:3              SME2
suvdot      x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 0 i:2 Zn:3 0111 o:3              SME2
usvdot      x:za.s[Wv+8,o,vgx4],{Zn.b*4},Zm.b[i]                110000010101 Zm:4 1 Rv:2 0 i:2 Zn:3 0101 o:3              SME2
svdot       x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000011101 Zm:4 1 Rv:2 01 i:1 Zn:3 0001 o:3            SME2+SME_I16I64
uvdot       x:za.d[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000011101 Zm:4 1 Rv:2 01 i:1 Zn:3 0011 o:3            SME2+SME_I16I64
# SME2: arithmetic on several vectors
[arithmetic sme2]
add         x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100011000 Zdn:4 0          SME2
sqdmulh     x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100100000 Zdn:4 0          SME2
smax        x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100000000 Zdn:4 0          SME2
smin        x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100000001 Zdn:4 0          SME2
umax        x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100000000 Zdn:4 1          SME2
umin        x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100000001 Zdn:4 1          SME2
srshl       x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100010001 Zdn:4 0          SME2
urshl       x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10100010001 Zdn:4 1          SME2
add         x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101011000 Zdn:3 00         SME2
sqdmulh     x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101100000 Zdn:3 00         SME2
smax        x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101000000 Zdn:3 00         SME2
smin        x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101000001 Zdn:3 00         SME2
umax        x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101000000 Zdn:3 01         SME2
umin        x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101000001 Zdn:3 01         SME2
srshl       x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101010001 Zdn:3 00         SME2
urshl       x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=bhsd 11000001 size 10 Zm:4 10101010001 Zdn:3 01         SME2
sqdmulh     x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 010110100000 Zdn:4 0          SME2
smax        x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 010110000000 Zdn:4 0          SME2
smin        x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 010110000001 Zdn:4 0          SME2
umax        x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 010110000000 Zdn:4 1          SME2
umin        x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 010110000001 Zdn:4 1          SME2
srshl       x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 010110010001 Zdn:4 0          SME2
urshl       x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 010110010001 Zdn:4 1          SME2
sqdmulh     x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 0010111100000 Zdn:3 00        SME2
smax        x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 0010111000000 Zdn:3 00        SME2
smin        x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 0010111000001 Zdn:3 00        SME2
umax        x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 0010111000000 Zdn:3 01        SME2
umin        x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 0010111000001 Zdn:3 01        SME2
srshl       x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 0010111010001 Zdn:3 00        SME2
urshl       x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 0010111010001 Zdn:3 01        SME2
fmax        x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=hsd 11000001 size 10 Zm:4 10100001000 Zdn:4 0           SME2
fmin        x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=hsd 11000001 size 10 Zm:4 10100001000 Zdn:4 1           SME2
fmaxnm      x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=hsd 11000001 size 10 Zm:4 10100001001 Zdn:4 0           SME2
fminnm      x:{Zdn.T*2},{Zdn.T*2},Zm.T                          T=hsd 11000001 size 10 Zm:4 10100001001 Zdn:4 1           SME2
fmax        x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=hsd 11000001 size 10 Zm:4 10101001000 Zdn:3 00          SME2
fmin        x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=hsd 11000001 size 10 Zm:4 10101001000 Zdn:3 01          SME2
fmaxnm      x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=hsd 11000001 size 10 Zm:4 10101001001 Zdn:3 00          SME2
fminnm      x:{Zdn.T*4},{Zdn.T*4},Zm.T                          T=hsd 11000001 size 10 Zm:4 10101001001 Zdn:3 01          SME2
fmax        x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=hsd 11000001 size 1 Zm:4 010110001000 Zdn:4 0           SME2
fmin        x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=hsd 11000001 size 1 Zm:4 010110001000 Zdn:4 1           SME2
fmaxnm      x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=hsd 11000001 size 1 Zm:4 010110001001 Zdn:4 0           SME2
fminnm      x:{Zdn.T*2},{Zdn.T*2},{Zm.T*2}                      T=hsd 11000001 size 1 Zm:4 010110001001 Zdn:4 1           SME2
fmax        x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=hsd 11000001 size 1 Zm:3 0010111001000 Zdn:3 00         SME2
fmin        x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=hsd 11000001 size 1 Zm:3 0010111001000 Zdn:3 01         SME2
fmaxnm      x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=hsd 11000001 size 1 Zm:3 0010111001001 Zdn:3 00         SME2
fminnm      x:{Zdn.T*4},{Zdn.T*4},{Zm.T*4}                      T=hsd 11000001 size 1 Zm:3 0010111001001 Zdn:3 01         SME2
sclamp      x:{Zd.T*2},Zn.T,Zm.T                                T=bhsd 11000001 size 1 Zm:5 110001 Zn:5 Zd:4 0            SME2
uclamp      x:{Zd.T*2},Zn.T,Zm.T                                T=bhsd 11000001 size 1 Zm:5 110001 Zn:5 Zd:4 1            SME2
sclamp      x:{Zd.T*4},Zn.T,Zm.T                                T=bhsd 11000001 size 1 Zm:5 110011 Zn:5 Zd:3 00           SME2
uclamp      x:{Zd.T*4},Zn.T,Zm.T                                T=bhsd 11000001 size 1 Zm:5 110011 Zn:5 Zd:3 01           SME2
fclamp      x:{Zd.T*2},Zn.T,Zm.T                                T=hsd 11000001 size 1 Zm:5 110000 Zn:5 Zd:4 0             SME2
fclamp      x:{Zd.T*4},Zn.T,Zm.T                                T=hsd 11000001 size 1 Zm:5 110010 Zn:5 Zd:3 00            SME2
[shuffle sme2]
sel         {Zd.T*2},PNg,{Zn.T*2},{Zm.T*2}                      T=bhsd 11000001 size 1 Zm:4 0100 PNg:3 Zn:4 0 Zd:4 0      SME2
sel         {Zd.T*4},PNg,{Zn.T*4},{Zm.T*4}                      T=bhsd 11000001 size 1 Zm:3 01100 PNg:3 Zn:3 00 Zd:3 00   SME2
[convert sme2]
frinta      {Zd.s*2},{Zn.s*2}                                   1100000110101100111000 Zn:4 0 Zd:4 0                      SME2
frintm      {Zd.s*2},{Zn.s*2}                                   1100000110101010111000 Zn:4 0 Zd:4 0                      SME2
frintn      {Zd.s*2},{Zn.s*2}                                   1100000110101000111000 Zn:4 0 Zd:4 0                      SME2
frintp      {Zd.s*2},{Zn.s*2}                                   1100000110101001111000 Zn:4 0 Zd:4 0                      SME2
fcvtzs      {Zd.s*2},{Zn.s*2}                                   1100000100100001111000 Zn:4 0 Zd:4 0                      SME2
fcvtzu      {Zd.s*2},{Zn.s*2}                                   1100000100100001111000 Zn:4 1 Zd:4 0                      SME2
scvtf       {Zd.s*2},{Zn.s*2}                                   1100000100100010111000 Zn:4 0 Zd:4 0                      SME2
ucvtf       {Zd.s*2},{Zn.s*2}                                   1100000100100010111000 Zn:4 1 Zd:4 0                      SME2
frinta      {Zd.s*4},{Zn.s*4}                                   1100000110111100111000 Zn:3 00 Zd:3 00                    SME2
frintm      {Zd.s*4},{Zn.s*4}                                   1100000110111010111000 Zn:3 00 Zd:3 00                    SME2
frintn      {Zd.s*4},{Zn.s*4}                                   1100000110111000111000 Zn:3 00 Zd:3 00                    SME2
frintp      {Zd.s*4},{Zn.s*4}                                   1100000110111001111000 Zn:3 00 Zd:3 00                    SME2
fcvtzs      {Zd.s*4},{Zn.s*4}                                   1100000100110001111000 Zn:3 00 Zd:3 00                    SME2
fcvtzu      {Zd.s*4},{Zn.s*4}                                   1100000100110001111000 Zn:3 01 Zd:3 00                    SME2
scvtf       {Zd.s*4},{Zn.s*4}                                   1100000100110010111000 Zn:3 00 Zd:3 00                    SME2
ucvtf       {Zd.s*4},{Zn.s*4}                                   1100000100110010111000 Zn:3 01 Zd:3 00                    SME2
fcvt        Zd.h,{Zn.s*2}                                       1100000100100000111000 Zn:4 0 Zd:5                        SME2
fcvtn       Zd.h,{Zn.s*2}                                       1100000100100000111000 Zn:4 1 Zd:5                        SME2
bfcvt       Zd.h,{Zn.s*2}                                       1100000101100000111000 Zn:4 0 Zd:5                        SME2
bfcvtn      Zd.h,{Zn.s*2}                                       1100000101100000111000 Zn:4 1 Zd:5                        SME2
fcvt        {Zd.s*2},Zn.h                                       1100000110100000111000 Zn:5 Zd:4 0                       SME_F16F16
fcvtl       {Zd.s*2},Zn.h                                       1100000110100000111000 Zn:5 Zd:4 1                       SME_F16F16
sqcvt       Zd.h,{Zn.s*2}                                       1100000100100011111000 Zn:4 0 Zd:5                        SME2
uqcvt       Zd.h,{Zn.s*2}                                       1100000100100011111000 Zn:4 1 Zd:5                        SME2
sqcvtu      Zd.h,{Zn.s*2}                                       1100000101100011111000 Zn:4 0 Zd:5                        SME2
sqcvt       Zd.b,{Zn.s*4}                                       1100000100110011111000 Zn:3 00 Zd:5                       SME2
uqcvt       Zd.b,{Zn.s*4}                                       1100000100110011111000 Zn:3 01 Zd:5                       SME2
sqcvtu      Zd.b,{Zn.s*4}                                       1100000101110011111000 Zn:3 00 Zd:5                       SME2
sqcvtn      Zd.b,{Zn.s*4}                                       1100000100110011111000 Zn:3 10 Zd:5                       SME2
uqcvtn      Zd.b,{Zn.s*4}                                       1100000100110011111000 Zn:3 11 Zd:5                       SME2
sqcvtun     Zd.b,{Zn.s*4}                                       1100000101110011111000 Zn:3 10 Zd:5                       SME2
sqcvt       Zd.h,{Zn.d*4}                                       1100000110110011111000 Zn:3 00 Zd:5                       SME2
uqcvt       Zd.h,{Zn.d*4}                                       1100000110110011111000 Zn:3 01 Zd:5                       SME2
sqcvtu      Zd.h,{Zn.d*4}                                       1100000111110011111000 Zn:3 00 Zd:5                       SME2
sqcvtn      Zd.h,{Zn.d*4}                                       1100000110110011111000 Zn:3 10 Zd:5                       SME2
uqcvtn      Zd.h,{Zn.d*4}                                       1100000110110011111000 Zn:3 11 Zd:5                       SME2
sqcvtun     Zd.h,{Zn.d*4}                                       1100000111110011111000 Zn:3 10 Zd:5                       SME2
[arithmetic sme2]
sqrshr      Zd.h,{Zn.s*2},#-sh                                  110000011110 sh:4 110101 Zn:4 0 Zd:5                      SME2
uqrshr      Zd.h,{Zn.s*2},#-sh                                  110000011110 sh:4 110101 Zn:4 1 Zd:5                      SME2
sqrshru     Zd.h,{Zn.s*2},#-sh                                  110000011111 sh:4 110101 Zn:4 0 Zd:5                      SME2
sqrshr      Zd.b,{Zn.s*4},#-sh                                  11000001011 sh:5 110110 Zn:3 00 Zd:5                      SME2
uqrshr      Zd.b,{Zn.s*4},#-sh                                  11000001011 sh:5 110110 Zn:3 01 Zd:5                      SME2
sqrshru     Zd.b,{Zn.s*4},#-sh                                  11000001011 sh:5 110110 Zn:3 10 Zd:5                      SME2
sqrshrn     Zd.b,{Zn.s*4},#-sh                                  11000001011 sh:5 110111 Zn:3 00 Zd:5                      SME2
uqrshrn     Zd.b,{Zn.s*4},#-sh                                  11000001011 sh:5 110111 Zn:3 01 Zd:5                      SME2
sqrshrun    Zd.b,{Zn.s*4},#-sh                                  11000001011 sh:5 110111 Zn:3 10 Zd:5                      SME2
sqrshr      Zd.h,{Zn.d*4},#-sh                                  110000011 sh[5] 1 sh[4:0] 110110 Zn:3 00 Zd:5             SME2
uqrshr      Zd.h,{Zn.d*4},#-sh                                  110000011 sh[5] 1 sh[4:0] 110110 Zn:3 01 Zd:5             SME2
sqrshru     Zd.h,{Zn.d*4},#-sh                                  110000011 sh[5] 1 sh[4:0] 110110 Zn:3 10 Zd:5             SME2
sqrshrn     Zd.h,{Zn.d*4},#-sh                                  110000011 sh[5] 1 sh[4:0] 110111 Zn:3 00 Zd:5             SME2
uqrshrn     Zd.h,{Zn.d*4},#-sh                                  110000011 sh[5] 1 sh[4:0] 110111 Zn:3 01 Zd:5             SME2
sqrshrun    Zd.h,{Zn.d*4},#-sh                                  110000011 sh[5] 1 sh[4:0] 110111 Zn:3 10 Zd:5             SME2
[convert sme2]
sunpk       {Zd.Ta*2},Zn.T                                      Ta,T=h,b/s,h/d,s 11000001 size 100101111000 Zn:5 Zd:4 0   SME2
uunpk       {Zd.Ta*2},Zn.T                                      Ta,T=h,b/s,h/d,s 11000001 size 100101111000 Zn:5 Zd:4 1   SME2
sunpk       {Zd.Ta*4},{Zn.T*2}                                  Ta,T=h,b/s,h/d,s 11000001 size 110101111000 Zn:4 0 Zd:3 00  SME2
uunpk       {Zd.Ta*4},{Zn.T*2}                                  Ta,T=h,b/s,h/d,s 11000001 size 110101111000 Zn:4 0 Zd:3 01  SME2
[shuffle sme2]
zip         {Zd.T*2},Zn.T,Zm.T                                  T=bhsd 11000001 size 1 Zm:5 110100 Zn:5 Zd:4 0            SME2
uzp         {Zd.T*2},Zn.T,Zm.T                                  T=bhsd 11000001 size 1 Zm:5 110100 Zn:5 Zd:4 1            SME2
zip         {Zd.q*2},Zn.q,Zm.q                                  11000001001 Zm:5 110101 Zn:5 Zd:4 0                       SME2
uzp         {Zd.q*2},Zn.q,Zm.q                                  11000001001 Zm:5 110101 Zn:5 Zd:4 1                       SME2
zip         {Zd.T*4},{Zn.T*4}                                   T=bhsd 11000001 size 110110111000 Zn:3 00 Zd:3 00         SME2
uzp         {Zd.T*4},{Zn.T*4}                                   T=bhsd 11000001 size 110110111000 Zn:3 00 Zd:3 10         SME2
zip         {Zd.q*4},{Zn.q*4}                                   1100000100110111111000 Zn:3 00 Zd:3 00                    SME2
uzp         {Zd.q*4},{Zn.q*4}                                   1100000100110111111000 Zn:3 00 Zd:3 10                    SME2
[move matrix]
ld1b        x:{ZAtD.b[Ws+12,o]},Pg/Z,[Xn|sp,Xm]                 D,v=h,0/v,1 11100000000 Rm:5 v Rs:2 Pg:3 Rn:5 0 o:4       SME
ld1b        x:{ZAtD.b[Ws+12,o]},Pg/Z,[Xn|sp]                    D,v=h,0/v,1 1110000000011111 v Rs:2 Pg:3 Rn:5 0 o:4       SME
ld1h        x:{ZAtD.h[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#1]           D,v=h,0/v,1 11100000010 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:1 o:3   SME
ld1h        x:{ZAtD.h[Ws+12,o]},Pg/Z,[Xn|sp]                    D,v=h,0/v,1 1110000001011111 v Rs:2 Pg:3 Rn:5 0 t:1 o:3   SME
ld1w        x:{ZAtD.s[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#2]           D,v=h,0/v,1 11100000100 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:2 o:2   SME
ld1w        x:{ZAtD.s[Ws+12,o]},Pg/Z,[Xn|sp]                    D,v=h,0/v,1 1110000010011111 v Rs:2 Pg:3 Rn:5 0 t:2 o:2   SME
ld1d        x:{ZAtD.d[Ws+12,o]},Pg/Z,[Xn|sp,Xm,lsl#3]           D,v=h,0/v,1 11100000110 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:3 o:1   SME
ld1d        x:{ZAtD.d[Ws+12,o]},Pg/Z,[Xn|sp]                    D,v=h,0/v,1 1110000011011111 v Rs:2 Pg:3 Rn:5 0 t:3 o:1   SME
ld1q        x:{ZAtD.q[Ws+12,0]},Pg/Z,[Xn|sp,Xm,lsl#4]           D,v=h,0/v,1 11100001110 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:4       SME
ld1q        x:{ZAtD.q[Ws+12,0]},Pg/Z,[Xn|sp]                    D,v=h,0/v,1 1110000111011111 v Rs:2 Pg:3 Rn:5 0 t:4       SME
st1b        r:{ZAtD.b[Ws+12,o]},Pg,w:[Xn|sp,Xm]                 D,v=h,0/v,1 11100000001 Rm:5 v Rs:2 Pg:3 Rn:5 0 o:4       SME
st1b        r:{ZAtD.b[Ws+12,o]},Pg,w:[Xn|sp]                    D,v=h,0/v,1 1110000000111111 v Rs:2 Pg:3 Rn:5 0 o:4       SME
st1h        r:{ZAtD.h[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#1]           D,v=h,0/v,1 11100000011 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:1 o:3   SME
st1h        r:{ZAtD.h[Ws+12,o]},Pg,w:[Xn|sp]                    D,v=h,0/v,1 1110000001111111 v Rs:2 Pg:3 Rn:5 0 t:1 o:3   SME
st1w        r:{ZAtD.s[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#2]           D,v=h,0/v,1 11100000101 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:2 o:2   SME
st1w        r:{ZAtD.s[Ws+12,o]},Pg,w:[Xn|sp]                    D,v=h,0/v,1 1110000010111111 v Rs:2 Pg:3 Rn:5 0 t:2 o:2   SME
st1d        r:{ZAtD.d[Ws+12,o]},Pg,w:[Xn|sp,Xm,lsl#3]           D,v=h,0/v,1 11100000111 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:3 o:1   SME
st1d        r:{ZAtD.d[Ws+12,o]},Pg,w:[Xn|sp]                    D,v=h,0/v,1 1110000011111111 v Rs:2 Pg:3 Rn:5 0 t:3 o:1   SME
st1q        r:{ZAtD.q[Ws+12,0]},Pg,w:[Xn|sp,Xm,lsl#4]           D,v=h,0/v,1 11100001111 Rm:5 v Rs:2 Pg:3 Rn:5 0 t:4       SME
st1q        r:{ZAtD.q[Ws+12,0]},Pg,w:[Xn|sp]                    D,v=h,0/v,1 1110000111111111 v Rs:2 Pg:3 Rn:5 0 t:4       SME

[fma sme2]
smlall      x:za.d[Wv+8,o:4],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 001 Zn:5 000 o:2                 SME2+SME_I16I64
smlall      x:za.d[Wv+8,o:4],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 0 i[1:0] Zn:5 000 o:2         SME2+SME_I16I64
smlall      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 000 Zn:5 0000 o:1                SME2+SME_I16I64
smlall      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 000 Zn:4 00000 o:1               SME2+SME_I16I64
smlall      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 00 i[2] Zn:4 000 i[1:0] o:1      SME2+SME_I16I64
smlall      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 000 Zn:5 0000 o:1                SME2+SME_I16I64
smlall      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 000 Zn:3 000000 o:1             SME2+SME_I16I64
smlall      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 00 i[2] Zn:3 0000 i[1:0] o:1     SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 001 Zn:5 010 o:2                 SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 0 i[1:0] Zn:5 010 o:2         SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 000 Zn:5 0100 o:1                SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 000 Zn:4 00100 o:1               SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 00 i[2] Zn:4 001 i[1:0] o:1      SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 000 Zn:5 0100 o:1                SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 000 Zn:3 000100 o:1             SME2+SME_I16I64
smlsll      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 00 i[2] Zn:3 0001 i[1:0] o:1     SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 001 Zn:5 100 o:2                 SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 0 i[1:0] Zn:5 100 o:2         SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 000 Zn:5 1000 o:1                SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 000 Zn:4 01000 o:1               SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 00 i[2] Zn:4 010 i[1:0] o:1      SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 000 Zn:5 1000 o:1                SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 000 Zn:3 001000 o:1             SME2+SME_I16I64
umlall      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 00 i[2] Zn:3 0010 i[1:0] o:1     SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4],Zn.h,Zm.h                          110000010110 Zm:4 0 Rv:2 001 Zn:5 110 o:2                 SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4],Zn.h,Zm.h[i]                       110000011000 Zm:4 i[2] Rv:2 0 i[1:0] Zn:5 110 o:2         SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h                 110000010110 Zm:4 0 Rv:2 000 Zn:5 1100 o:1                SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},{Zm.h*2}             11000001111 Zm:4 00 Rv:2 000 Zn:4 01100 o:1               SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4,vgx2],{Zn.h*2},Zm.h[i]              110000011001 Zm:4 0 Rv:2 00 i[2] Zn:4 011 i[1:0] o:1      SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h                 110000010111 Zm:4 0 Rv:2 000 Zn:5 1100 o:1                SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},{Zm.h*4}             11000001111 Zm:3 010 Rv:2 000 Zn:3 001100 o:1             SME2+SME_I16I64
umlsll      x:za.d[Wv+8,o:4,vgx4],{Zn.h*4},Zm.h[i]              110000011001 Zm:4 1 Rv:2 00 i[2] Zn:3 0011 i[1:0] o:1     SME2+SME_I16I64
fmla        x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010010 Zm:4 0 Rv:2 111 Zn:5 00 o:3                  SME_F16F16
fmla        x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001101 Zm:4 00 Rv:2 100 Zn:4 001 o:3                 SME_F16F16
fmla        x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 00 i[0] o:3        SME_F16F16
fmls        x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010010 Zm:4 0 Rv:2 111 Zn:5 01 o:3                  SME_F16F16
fmls        x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001101 Zm:4 00 Rv:2 100 Zn:4 011 o:3                 SME_F16F16
fmls        x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 01 i[0] o:3        SME_F16F16
[arithmetic sme2]
fadd        x:za.h[Wv+8,o,vgx2],{Zm.h*2}                        11000001101001000 Rv:2 111 Zm:4 000 o:3                   SME_F16F16
fsub        x:za.h[Wv+8,o,vgx2],{Zm.h*2}                        11000001101001000 Rv:2 111 Zm:4 001 o:3                   SME_F16F16
[fma sme2]
fmla        x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010011 Zm:4 0 Rv:2 111 Zn:5 00 o:3                  SME_F16F16
fmla        x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001101 Zm:3 010 Rv:2 100 Zn:3 0001 o:3               SME_F16F16
fmla        x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 000 i[0] o:3       SME_F16F16
fmls        x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010011 Zm:4 0 Rv:2 111 Zn:5 01 o:3                  SME_F16F16
fmls        x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001101 Zm:3 010 Rv:2 100 Zn:3 0011 o:3               SME_F16F16
fmls        x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 001 i[0] o:3       SME_F16F16
[arithmetic sme2]
fadd        x:za.h[Wv+8,o,vgx4],{Zm.h*4}                        11000001101001010 Rv:2 111 Zm:3 0000 o:3                  SME_F16F16
fsub        x:za.h[Wv+8,o,vgx4],{Zm.h*4}                        11000001101001010 Rv:2 111 Zm:3 0001 o:3                  SME_F16F16
bfadd       x:za.h[Wv+8,o,vgx2],{Zm.h*2}                        11000001111001000 Rv:2 111 Zm:4 000 o:3                   SME_B16B16
bfadd       x:za.h[Wv+8,o,vgx4],{Zm.h*4}                        11000001111001010 Rv:2 111 Zm:3 0000 o:3                  SME_B16B16
bfsub       x:za.h[Wv+8,o,vgx2],{Zm.h*2}                        11000001111001000 Rv:2 111 Zm:4 001 o:3                   SME_B16B16
bfsub       x:za.h[Wv+8,o,vgx4],{Zm.h*4}                        11000001111001010 Rv:2 111 Zm:3 0001 o:3                  SME_B16B16
bfmax       x:{Zdn.h*2},{Zdn.h*2},Zm.h                          110000010010 Zm:4 10100001000 Zdn:4 0                     SME_B16B16
bfmax       x:{Zdn.h*4},{Zdn.h*4},Zm.h                          110000010010 Zm:4 10101001000 Zdn:3 00                    SME_B16B16
bfmax       x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2}                      11000001001 Zm:4 010110001000 Zdn:4 0                     SME_B16B16
bfmax       x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}                      11000001001 Zm:3 0010111001000 Zdn:3 00                   SME_B16B16
bfmin       x:{Zdn.h*2},{Zdn.h*2},Zm.h                          110000010010 Zm:4 10100001000 Zdn:4 1                     SME_B16B16
bfmin       x:{Zdn.h*4},{Zdn.h*4},Zm.h                          110000010010 Zm:4 10101001000 Zdn:3 01                    SME_B16B16
bfmin       x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2}                      11000001001 Zm:4 010110001000 Zdn:4 1                     SME_B16B16
bfmin       x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}                      11000001001 Zm:3 0010111001000 Zdn:3 01                   SME_B16B16
bfmaxnm     x:{Zdn.h*2},{Zdn.h*2},Zm.h                          110000010010 Zm:4 10100001001 Zdn:4 0                     SME_B16B16
bfmaxnm     x:{Zdn.h*4},{Zdn.h*4},Zm.h                          110000010010 Zm:4 10101001001 Zdn:3 00                    SME_B16B16
bfmaxnm     x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2}                      11000001001 Zm:4 010110001001 Zdn:4 0                     SME_B16B16
bfmaxnm     x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}                      11000001001 Zm:3 0010111001001 Zdn:3 00                   SME_B16B16
bfminnm     x:{Zdn.h*2},{Zdn.h*2},Zm.h                          110000010010 Zm:4 10100001001 Zdn:4 1                     SME_B16B16
bfminnm     x:{Zdn.h*4},{Zdn.h*4},Zm.h                          110000010010 Zm:4 10101001001 Zdn:3 01                    SME_B16B16
bfminnm     x:{Zdn.h*2},{Zdn.h*2},{Zm.h*2}                      11000001001 Zm:4 010110001001 Zdn:4 1                     SME_B16B16
bfminnm     x:{Zdn.h*4},{Zdn.h*4},{Zm.h*4}                      11000001001 Zm:3 0010111001001 Zdn:3 01                   SME_B16B16
[fma sme2]
bfmla       x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010110 Zm:4 0 Rv:2 111 Zn:5 00 o:3                  SME_B16B16
bfmla       x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001111 Zm:4 00 Rv:2 100 Zn:4 001 o:3                 SME_B16B16
bfmla       x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 10 i[0] o:3        SME_B16B16
bfmla       x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010111 Zm:4 0 Rv:2 111 Zn:5 00 o:3                  SME_B16B16
bfmla       x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001111 Zm:3 010 Rv:2 100 Zn:3 0001 o:3               SME_B16B16
bfmla       x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 010 i[0] o:3       SME_B16B16
bfmls       x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h                   110000010110 Zm:4 0 Rv:2 111 Zn:5 01 o:3                  SME_B16B16
bfmls       x:za.h[Wv+8,o,vgx2],{Zn.h*2},{Zm.h*2}               11000001111 Zm:4 00 Rv:2 100 Zn:4 011 o:3                 SME_B16B16
bfmls       x:za.h[Wv+8,o,vgx2],{Zn.h*2},Zm.h[i]                110000010001 Zm:4 0 Rv:2 1 i[2:1] Zn:4 11 i[0] o:3        SME_B16B16
bfmls       x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h                   110000010111 Zm:4 0 Rv:2 111 Zn:5 01 o:3                  SME_B16B16
bfmls       x:za.h[Wv+8,o,vgx4],{Zn.h*4},{Zm.h*4}               11000001111 Zm:3 010 Rv:2 100 Zn:3 0011 o:3               SME_B16B16
bfmls       x:za.h[Wv+8,o,vgx4],{Zn.h*4},Zm.h[i]                110000010001 Zm:4 1 Rv:2 1 i[2:1] Zn:3 011 i[0] o:3       SME_B16B16
[arithmetic sme2]
bfclamp     x:{Zd.h*2},Zn.h,Zm.h                                11000001001 Zm:5 110000 Zn:5 Zd:4 0                       SME_B16B16
bfclamp     x:{Zd.h*4},Zn.h,Zm.h                                11000001001 Zm:5 110010 Zn:5 Zd:3 00                      SME_B16B16
[tile sme2]
bfmopa      x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h                        10000001101 Zm:5 Pm:3 Pn:3 Zn:5 0100 Zda:1                SME_B16B16
bfmops      x:ZAda.h,Pn/M,Pm/M,Zn.h,Zm.h                        10000001101 Zm:5 Pm:3 Pn:3 Zn:5 1100 Zda:1                SME_B16B16
""",
)
