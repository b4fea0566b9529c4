"""Floating-point and NEON instructions of AArch64. Columns: forms.py, notation.py, pattern.py.

Source: Arm ARM (DDI 0487) C4.1.96, C7.2.
"""

ROWS = (
    """
# Scalar and vector loads and stores
[move memory]
ldr         Bt,[Xn|sp,#imm]                     0011110101 imm:12 Rn:5 Rt:5                                                 NEON
ldr         Ht,[Xn|sp,#imm*2]                   0111110101 imm:12 Rn:5 Rt:5                                                 NEON
ldr         St,[Xn|sp,#imm*4]                   1011110101 imm:12 Rn:5 Rt:5                                                 NEON
ldr         Dt,[Xn|sp,#imm*8]                   1111110101 imm:12 Rn:5 Rt:5                                                 NEON
ldr         Qt,[Xn|sp,#imm*16]                  0011110111 imm:12 Rn:5 Rt:5                                                 NEON
str         r:Bt,w:[Xn|sp,#imm]                 0011110100 imm:12 Rn:5 Rt:5                                                 NEON
str         r:Ht,w:[Xn|sp,#imm*2]               0111110100 imm:12 Rn:5 Rt:5                                                 NEON
str         r:St,w:[Xn|sp,#imm*4]               1011110100 imm:12 Rn:5 Rt:5                                                 NEON
str         r:Dt,w:[Xn|sp,#imm*8]               1111110100 imm:12 Rn:5 Rt:5                                                 NEON
str         r:Qt,w:[Xn|sp,#imm*16]              0011110110 imm:12 Rn:5 Rt:5                                                 NEON
ldr         Ft,[Xn|sp,#simm]!                   F,x=B,000/H,010/S,100/D,110/Q,001 x[2:1] 111100 x[0] 10 simm:9 11 Rn:5 Rt:5  NEON
ldr         Ft,[Xn|sp],#simm                    F,x=B,000/H,010/S,100/D,110/Q,001 x[2:1] 111100 x[0] 10 simm:9 01 Rn:5 Rt:5  NEON
str         r:Ft,w:[Xn|sp,#simm]!               F,x=B,000/H,010/S,100/D,110/Q,001 x[2:1] 111100 x[0] 00 simm:9 11 Rn:5 Rt:5  NEON
str         r:Ft,w:[Xn|sp],#simm                F,x=B,000/H,010/S,100/D,110/Q,001 x[2:1] 111100 x[0] 00 simm:9 01 Rn:5 Rt:5  NEON
ldur        Ft,[Xn|sp,#simm]                    F,x=B,000/H,010/S,100/D,110/Q,001 x[2:1] 111100 x[0] 10 simm:9 00 Rn:5 Rt:5  NEON       ; key:memory.ldr
stur        r:Ft,w:[Xn|sp,#simm]                F,x=B,000/H,010/S,100/D,110/Q,001 x[2:1] 111100 x[0] 00 simm:9 00 Rn:5 Rt:5  NEON       ; key:memory.str
ldr         Bt,[Xn|sp,Rm,ext#0]                 00111100011 Rm:5 option:3 010 Rn:5 Rt:5                                     NEON
ldr         Ht,[Xn|sp,Rm,ext#1]                 01111100011 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
ldr         St,[Xn|sp,Rm,ext#2]                 10111100011 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
ldr         Dt,[Xn|sp,Rm,ext#3]                 11111100011 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
ldr         Qt,[Xn|sp,Rm,ext#4]                 00111100111 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
str         r:Bt,w:[Xn|sp,Rm,ext#0]             00111100001 Rm:5 option:3 010 Rn:5 Rt:5                                     NEON
str         r:Ht,w:[Xn|sp,Rm,ext#1]             01111100001 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
str         r:St,w:[Xn|sp,Rm,ext#2]             10111100001 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
str         r:Dt,w:[Xn|sp,Rm,ext#3]             11111100001 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
str         r:Qt,w:[Xn|sp,Rm,ext#4]             00111100101 Rm:5 option:3 S:1 10 Rn:5 Rt:5                                  NEON
ldr         Ft,label*4                          F,x=S,00/D,01/Q,10 x 011100 label:19 Rt:5                                   NEON
ldp         St1,w:St2,[Xn|sp,#simm*4]           0010110101 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:St1,St2,w:[Xn|sp,#simm*4]         0010110100 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         St1,w:St2,[Xn|sp,#simm*4]!          0010110111 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:St1,St2,w:[Xn|sp,#simm*4]!        0010110110 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         St1,w:St2,[Xn|sp],#simm*4           0010110011 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:St1,St2,w:[Xn|sp],#simm*4         0010110010 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         Dt1,w:Dt2,[Xn|sp,#simm*8]           0110110101 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:Dt1,Dt2,w:[Xn|sp,#simm*8]         0110110100 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         Dt1,w:Dt2,[Xn|sp,#simm*8]!          0110110111 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:Dt1,Dt2,w:[Xn|sp,#simm*8]!        0110110110 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         Dt1,w:Dt2,[Xn|sp],#simm*8           0110110011 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:Dt1,Dt2,w:[Xn|sp],#simm*8         0110110010 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         Qt1,w:Qt2,[Xn|sp,#simm*16]          1010110101 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:Qt1,Qt2,w:[Xn|sp,#simm*16]        1010110100 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         Qt1,w:Qt2,[Xn|sp,#simm*16]!         1010110111 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:Qt1,Qt2,w:[Xn|sp,#simm*16]!       1010110110 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldp         Qt1,w:Qt2,[Xn|sp],#simm*16          1010110011 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stp         r:Qt1,Qt2,w:[Xn|sp],#simm*16        1010110010 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
[move =memory.ldp]
ldnp        St1,w:St2,[Xn|sp,#simm*4]           0010110001 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldnp        Dt1,w:Dt2,[Xn|sp,#simm*8]           0110110001 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
ldnp        Qt1,w:Qt2,[Xn|sp,#simm*16]          1010110001 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
[move =memory.stp]
stnp        r:St1,St2,w:[Xn|sp,#simm*4]         0010110000 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stnp        r:Dt1,Dt2,w:[Xn|sp,#simm*8]         0110110000 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
stnp        r:Qt1,Qt2,w:[Xn|sp,#simm*16]        1010110000 simm:7 Rt2:5 Rn:5 Rt1:5                                          NEON
# Structure loads and stores
[move memory]
ld1         {Vt.T*1},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100010000000111 size Rn:5 Rt:5            NEON
ld1         {Vt.T*1},[Xn|sp],#8                 T=8b/4h/2s/1d 00001100110111110111 size Rn:5 Rt:5                           NEON
ld1         {Vt.T*1},[Xn|sp],#16                T=16b/8h/4s/2d 01001100110111110111 size Rn:5 Rt:5                          NEON
ld1         {Vt.T*1},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100110 Rm:5 0111 size Rn:5 Rt:5           NEON
ld1         {Vt.T*2},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100010000001010 size Rn:5 Rt:5            NEON
ld1         {Vt.T*2},[Xn|sp],#16                T=8b/4h/2s/1d 00001100110111111010 size Rn:5 Rt:5                           NEON
ld1         {Vt.T*2},[Xn|sp],#32                T=16b/8h/4s/2d 01001100110111111010 size Rn:5 Rt:5                          NEON
ld1         {Vt.T*2},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100110 Rm:5 1010 size Rn:5 Rt:5           NEON
ld1         {Vt.T*3},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100010000000110 size Rn:5 Rt:5            NEON
ld1         {Vt.T*3},[Xn|sp],#24                T=8b/4h/2s/1d 00001100110111110110 size Rn:5 Rt:5                           NEON
ld1         {Vt.T*3},[Xn|sp],#48                T=16b/8h/4s/2d 01001100110111110110 size Rn:5 Rt:5                          NEON
ld1         {Vt.T*3},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100110 Rm:5 0110 size Rn:5 Rt:5           NEON
ld1         {Vt.T*4},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100010000000010 size Rn:5 Rt:5            NEON
ld1         {Vt.T*4},[Xn|sp],#32                T=8b/4h/2s/1d 00001100110111110010 size Rn:5 Rt:5                           NEON
ld1         {Vt.T*4},[Xn|sp],#64                T=16b/8h/4s/2d 01001100110111110010 size Rn:5 Rt:5                          NEON
ld1         {Vt.T*4},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100110 Rm:5 0010 size Rn:5 Rt:5           NEON
ld2         {Vt.T*2},[Xn|sp]                    T=BHSD 0 Q 001100010000001000 size Rn:5 Rt:5                                NEON
ld2         {Vt.T*2},[Xn|sp],#16                T=8b/4h/2s 00001100110111111000 size Rn:5 Rt:5                              NEON
ld2         {Vt.T*2},[Xn|sp],#32                T=16b/8h/4s/2d 01001100110111111000 size Rn:5 Rt:5                          NEON
ld2         {Vt.T*2},[Xn|sp],Xm                 T=BHSD 0 Q 001100110 Rm:5 1000 size Rn:5 Rt:5                               NEON
ld3         {Vt.T*3},[Xn|sp]                    T=BHSD 0 Q 001100010000000100 size Rn:5 Rt:5                                NEON
ld3         {Vt.T*3},[Xn|sp],#24                T=8b/4h/2s 00001100110111110100 size Rn:5 Rt:5                              NEON
ld3         {Vt.T*3},[Xn|sp],#48                T=16b/8h/4s/2d 01001100110111110100 size Rn:5 Rt:5                          NEON
ld3         {Vt.T*3},[Xn|sp],Xm                 T=BHSD 0 Q 001100110 Rm:5 0100 size Rn:5 Rt:5                               NEON
ld4         {Vt.T*4},[Xn|sp]                    T=BHSD 0 Q 001100010000000000 size Rn:5 Rt:5                                NEON
ld4         {Vt.T*4},[Xn|sp],#32                T=8b/4h/2s 00001100110111110000 size Rn:5 Rt:5                              NEON
ld4         {Vt.T*4},[Xn|sp],#64                T=16b/8h/4s/2d 01001100110111110000 size Rn:5 Rt:5                          NEON
ld4         {Vt.T*4},[Xn|sp],Xm                 T=BHSD 0 Q 001100110 Rm:5 0000 size Rn:5 Rt:5                               NEON
ld1         x:{Vt.b*1}[i],[Xn|sp]               0 i[3] 00110101000000000 i[2:0] Rn:5 Rt:5                                   NEON
ld1         x:{Vt.b*1}[i],[Xn|sp],#1            0 i[3] 00110111011111000 i[2:0] Rn:5 Rt:5                                   NEON
ld1         x:{Vt.b*1}[i],[Xn|sp],Xm            0 i[3] 001101110 Rm:5 000 i[2:0] Rn:5 Rt:5                                  NEON
ld1         x:{Vt.h*1}[i],[Xn|sp]               0 i[2] 00110101000000010 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld1         x:{Vt.h*1}[i],[Xn|sp],#2            0 i[2] 00110111011111010 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld1         x:{Vt.h*1}[i],[Xn|sp],Xm            0 i[2] 001101110 Rm:5 010 i[1:0] 0 Rn:5 Rt:5                                NEON
ld1         x:{Vt.s*1}[i],[Xn|sp]               0 i[1] 00110101000000100 i[0] 00 Rn:5 Rt:5                                  NEON
ld1         x:{Vt.s*1}[i],[Xn|sp],#4            0 i[1] 00110111011111100 i[0] 00 Rn:5 Rt:5                                  NEON
ld1         x:{Vt.s*1}[i],[Xn|sp],Xm            0 i[1] 001101110 Rm:5 100 i[0] 00 Rn:5 Rt:5                                 NEON
ld1         x:{Vt.d*1}[i],[Xn|sp]               0 i:1 00110101000000100001 Rn:5 Rt:5                                        NEON
ld1         x:{Vt.d*1}[i],[Xn|sp],#8            0 i:1 00110111011111100001 Rn:5 Rt:5                                        NEON
ld1         x:{Vt.d*1}[i],[Xn|sp],Xm            0 i:1 001101110 Rm:5 100001 Rn:5 Rt:5                                       NEON
ld2         x:{Vt.b*2}[i],[Xn|sp]               0 i[3] 00110101100000000 i[2:0] Rn:5 Rt:5                                   NEON
ld2         x:{Vt.b*2}[i],[Xn|sp],#2            0 i[3] 00110111111111000 i[2:0] Rn:5 Rt:5                                   NEON
ld2         x:{Vt.b*2}[i],[Xn|sp],Xm            0 i[3] 001101111 Rm:5 000 i[2:0] Rn:5 Rt:5                                  NEON
ld2         x:{Vt.h*2}[i],[Xn|sp]               0 i[2] 00110101100000010 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld2         x:{Vt.h*2}[i],[Xn|sp],#4            0 i[2] 00110111111111010 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld2         x:{Vt.h*2}[i],[Xn|sp],Xm            0 i[2] 001101111 Rm:5 010 i[1:0] 0 Rn:5 Rt:5                                NEON
ld2         x:{Vt.s*2}[i],[Xn|sp]               0 i[1] 00110101100000100 i[0] 00 Rn:5 Rt:5                                  NEON
ld2         x:{Vt.s*2}[i],[Xn|sp],#8            0 i[1] 00110111111111100 i[0] 00 Rn:5 Rt:5                                  NEON
ld2         x:{Vt.s*2}[i],[Xn|sp],Xm            0 i[1] 001101111 Rm:5 100 i[0] 00 Rn:5 Rt:5                                 NEON
ld2         x:{Vt.d*2}[i],[Xn|sp]               0 i:1 00110101100000100001 Rn:5 Rt:5                                        NEON
ld2         x:{Vt.d*2}[i],[Xn|sp],#16           0 i:1 00110111111111100001 Rn:5 Rt:5                                        NEON
ld2         x:{Vt.d*2}[i],[Xn|sp],Xm            0 i:1 001101111 Rm:5 100001 Rn:5 Rt:5                                       NEON
ld3         x:{Vt.b*3}[i],[Xn|sp]               0 i[3] 00110101000000001 i[2:0] Rn:5 Rt:5                                   NEON
ld3         x:{Vt.b*3}[i],[Xn|sp],#3            0 i[3] 00110111011111001 i[2:0] Rn:5 Rt:5                                   NEON
ld3         x:{Vt.b*3}[i],[Xn|sp],Xm            0 i[3] 001101110 Rm:5 001 i[2:0] Rn:5 Rt:5                                  NEON
ld3         x:{Vt.h*3}[i],[Xn|sp]               0 i[2] 00110101000000011 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld3         x:{Vt.h*3}[i],[Xn|sp],#6            0 i[2] 00110111011111011 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld3         x:{Vt.h*3}[i],[Xn|sp],Xm            0 i[2] 001101110 Rm:5 011 i[1:0] 0 Rn:5 Rt:5                                NEON
ld3         x:{Vt.s*3}[i],[Xn|sp]               0 i[1] 00110101000000101 i[0] 00 Rn:5 Rt:5                                  NEON
ld3         x:{Vt.s*3}[i],[Xn|sp],#12           0 i[1] 00110111011111101 i[0] 00 Rn:5 Rt:5                                  NEON
ld3         x:{Vt.s*3}[i],[Xn|sp],Xm            0 i[1] 001101110 Rm:5 101 i[0] 00 Rn:5 Rt:5                                 NEON
ld3         x:{Vt.d*3}[i],[Xn|sp]               0 i:1 00110101000000101001 Rn:5 Rt:5                                        NEON
ld3         x:{Vt.d*3}[i],[Xn|sp],#24           0 i:1 00110111011111101001 Rn:5 Rt:5                                        NEON
ld3         x:{Vt.d*3}[i],[Xn|sp],Xm            0 i:1 001101110 Rm:5 101001 Rn:5 Rt:5                                       NEON
ld4         x:{Vt.b*4}[i],[Xn|sp]               0 i[3] 00110101100000001 i[2:0] Rn:5 Rt:5                                   NEON
ld4         x:{Vt.b*4}[i],[Xn|sp],#4            0 i[3] 00110111111111001 i[2:0] Rn:5 Rt:5                                   NEON
ld4         x:{Vt.b*4}[i],[Xn|sp],Xm            0 i[3] 001101111 Rm:5 001 i[2:0] Rn:5 Rt:5                                  NEON
ld4         x:{Vt.h*4}[i],[Xn|sp]               0 i[2] 00110101100000011 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld4         x:{Vt.h*4}[i],[Xn|sp],#8            0 i[2] 00110111111111011 i[1:0] 0 Rn:5 Rt:5                                 NEON
ld4         x:{Vt.h*4}[i],[Xn|sp],Xm            0 i[2] 001101111 Rm:5 011 i[1:0] 0 Rn:5 Rt:5                                NEON
ld4         x:{Vt.s*4}[i],[Xn|sp]               0 i[1] 00110101100000101 i[0] 00 Rn:5 Rt:5                                  NEON
ld4         x:{Vt.s*4}[i],[Xn|sp],#16           0 i[1] 00110111111111101 i[0] 00 Rn:5 Rt:5                                  NEON
ld4         x:{Vt.s*4}[i],[Xn|sp],Xm            0 i[1] 001101111 Rm:5 101 i[0] 00 Rn:5 Rt:5                                 NEON
ld4         x:{Vt.d*4}[i],[Xn|sp]               0 i:1 00110101100000101001 Rn:5 Rt:5                                        NEON
ld4         x:{Vt.d*4}[i],[Xn|sp],#32           0 i:1 00110111111111101001 Rn:5 Rt:5                                        NEON
ld4         x:{Vt.d*4}[i],[Xn|sp],Xm            0 i:1 001101111 Rm:5 101001 Rn:5 Rt:5                                       NEON
[move =memory.ldnr]
ld1r        {Vt.T*1},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101010000001100 size Rn:5 Rt:5            NEON
ld1r        {Vt.T*1},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101110 Rm:5 1100 size Rn:5 Rt:5           NEON
ld1r        {Vt.T*1},[Xn|sp],#1                 T=8b/16b 0 Q 00110111011111110000 Rn:5 Rt:5                                 NEON
ld1r        {Vt.T*1},[Xn|sp],#2                 T=4h/8h 0 Q 00110111011111110001 Rn:5 Rt:5                                  NEON
ld1r        {Vt.T*1},[Xn|sp],#4                 T=2s/4s 0 Q 00110111011111110010 Rn:5 Rt:5                                  NEON
ld1r        {Vt.T*1},[Xn|sp],#8                 T=1d/2d 0 Q 00110111011111110011 Rn:5 Rt:5                                  NEON
ld2r        {Vt.T*2},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101011000001100 size Rn:5 Rt:5            NEON
ld2r        {Vt.T*2},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101111 Rm:5 1100 size Rn:5 Rt:5           NEON
ld2r        {Vt.T*2},[Xn|sp],#2                 T=8b/16b 0 Q 00110111111111110000 Rn:5 Rt:5                                 NEON
ld2r        {Vt.T*2},[Xn|sp],#4                 T=4h/8h 0 Q 00110111111111110001 Rn:5 Rt:5                                  NEON
ld2r        {Vt.T*2},[Xn|sp],#8                 T=2s/4s 0 Q 00110111111111110010 Rn:5 Rt:5                                  NEON
ld2r        {Vt.T*2},[Xn|sp],#16                T=1d/2d 0 Q 00110111111111110011 Rn:5 Rt:5                                  NEON
ld3r        {Vt.T*3},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101010000001110 size Rn:5 Rt:5            NEON
ld3r        {Vt.T*3},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101110 Rm:5 1110 size Rn:5 Rt:5           NEON
ld3r        {Vt.T*3},[Xn|sp],#3                 T=8b/16b 0 Q 00110111011111111000 Rn:5 Rt:5                                 NEON
ld3r        {Vt.T*3},[Xn|sp],#6                 T=4h/8h 0 Q 00110111011111111001 Rn:5 Rt:5                                  NEON
ld3r        {Vt.T*3},[Xn|sp],#12                T=2s/4s 0 Q 00110111011111111010 Rn:5 Rt:5                                  NEON
ld3r        {Vt.T*3},[Xn|sp],#24                T=1d/2d 0 Q 00110111011111111011 Rn:5 Rt:5                                  NEON
ld4r        {Vt.T*4},[Xn|sp]                    T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101011000001110 size Rn:5 Rt:5            NEON
ld4r        {Vt.T*4},[Xn|sp],Xm                 T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001101111 Rm:5 1110 size Rn:5 Rt:5           NEON
ld4r        {Vt.T*4},[Xn|sp],#4                 T=8b/16b 0 Q 00110111111111111000 Rn:5 Rt:5                                 NEON
ld4r        {Vt.T*4},[Xn|sp],#8                 T=4h/8h 0 Q 00110111111111111001 Rn:5 Rt:5                                  NEON
ld4r        {Vt.T*4},[Xn|sp],#16                T=2s/4s 0 Q 00110111111111111010 Rn:5 Rt:5                                  NEON
ld4r        {Vt.T*4},[Xn|sp],#32                T=1d/2d 0 Q 00110111111111111011 Rn:5 Rt:5                                  NEON
[move memory]
st1         r:{Vt.T*1},w:[Xn|sp]                T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100000000000111 size Rn:5 Rt:5            NEON
st1         r:{Vt.T*1},w:[Xn|sp],#8             T=8b/4h/2s/1d 00001100100111110111 size Rn:5 Rt:5                           NEON
st1         r:{Vt.T*1},w:[Xn|sp],#16            T=16b/8h/4s/2d 01001100100111110111 size Rn:5 Rt:5                          NEON
st1         r:{Vt.T*1},w:[Xn|sp],Xm             T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100100 Rm:5 0111 size Rn:5 Rt:5           NEON
st1         r:{Vt.T*2},w:[Xn|sp]                T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100000000001010 size Rn:5 Rt:5            NEON
st1         r:{Vt.T*2},w:[Xn|sp],#16            T=8b/4h/2s/1d 00001100100111111010 size Rn:5 Rt:5                           NEON
st1         r:{Vt.T*2},w:[Xn|sp],#32            T=16b/8h/4s/2d 01001100100111111010 size Rn:5 Rt:5                          NEON
st1         r:{Vt.T*2},w:[Xn|sp],Xm             T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100100 Rm:5 1010 size Rn:5 Rt:5           NEON
st1         r:{Vt.T*3},w:[Xn|sp]                T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100000000000110 size Rn:5 Rt:5            NEON
st1         r:{Vt.T*3},w:[Xn|sp],#24            T=8b/4h/2s/1d 00001100100111110110 size Rn:5 Rt:5                           NEON
st1         r:{Vt.T*3},w:[Xn|sp],#48            T=16b/8h/4s/2d 01001100100111110110 size Rn:5 Rt:5                          NEON
st1         r:{Vt.T*3},w:[Xn|sp],Xm             T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100100 Rm:5 0110 size Rn:5 Rt:5           NEON
st1         r:{Vt.T*4},w:[Xn|sp]                T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100000000000010 size Rn:5 Rt:5            NEON
st1         r:{Vt.T*4},w:[Xn|sp],#32            T=8b/4h/2s/1d 00001100100111110010 size Rn:5 Rt:5                           NEON
st1         r:{Vt.T*4},w:[Xn|sp],#64            T=16b/8h/4s/2d 01001100100111110010 size Rn:5 Rt:5                          NEON
st1         r:{Vt.T*4},w:[Xn|sp],Xm             T=8b/16b/4h/8h/2s/4s/1d/2d 0 Q 001100100 Rm:5 0010 size Rn:5 Rt:5           NEON
st2         r:{Vt.T*2},w:[Xn|sp]                T=BHSD 0 Q 001100000000001000 size Rn:5 Rt:5                                NEON
st2         r:{Vt.T*2},w:[Xn|sp],#16            T=8b/4h/2s 00001100100111111000 size Rn:5 Rt:5                              NEON
st2         r:{Vt.T*2},w:[Xn|sp],#32            T=16b/8h/4s/2d 01001100100111111000 size Rn:5 Rt:5                          NEON
st2         r:{Vt.T*2},w:[Xn|sp],Xm             T=BHSD 0 Q 001100100 Rm:5 1000 size Rn:5 Rt:5                               NEON
st3         r:{Vt.T*3},w:[Xn|sp]                T=BHSD 0 Q 001100000000000100 size Rn:5 Rt:5                                NEON
st3         r:{Vt.T*3},w:[Xn|sp],#24            T=8b/4h/2s 00001100100111110100 size Rn:5 Rt:5                              NEON
st3         r:{Vt.T*3},w:[Xn|sp],#48            T=16b/8h/4s/2d 01001100100111110100 size Rn:5 Rt:5                          NEON
st3         r:{Vt.T*3},w:[Xn|sp],Xm             T=BHSD 0 Q 001100100 Rm:5 0100 size Rn:5 Rt:5                               NEON
st4         r:{Vt.T*4},w:[Xn|sp]                T=BHSD 0 Q 001100000000000000 size Rn:5 Rt:5                                NEON
st4         r:{Vt.T*4},w:[Xn|sp],#32            T=8b/4h/2s 00001100100111110000 size Rn:5 Rt:5                              NEON
st4         r:{Vt.T*4},w:[Xn|sp],#64            T=16b/8h/4s/2d 01001100100111110000 size Rn:5 Rt:5                          NEON
st4         r:{Vt.T*4},w:[Xn|sp],Xm             T=BHSD 0 Q 001100100 Rm:5 0000 size Rn:5 Rt:5                               NEON
st1         r:{Vt.b*1}[i],w:[Xn|sp]             0 i[3] 00110100000000000 i[2:0] Rn:5 Rt:5                                   NEON
st1         r:{Vt.b*1}[i],w:[Xn|sp],#1          0 i[3] 00110110011111000 i[2:0] Rn:5 Rt:5                                   NEON
st1         r:{Vt.b*1}[i],w:[Xn|sp],Xm          0 i[3] 001101100 Rm:5 000 i[2:0] Rn:5 Rt:5                                  NEON
st1         r:{Vt.h*1}[i],w:[Xn|sp]             0 i[2] 00110100000000010 i[1:0] 0 Rn:5 Rt:5                                 NEON
st1         r:{Vt.h*1}[i],w:[Xn|sp],#2          0 i[2] 00110110011111010 i[1:0] 0 Rn:5 Rt:5                                 NEON
st1         r:{Vt.h*1}[i],w:[Xn|sp],Xm          0 i[2] 001101100 Rm:5 010 i[1:0] 0 Rn:5 Rt:5                                NEON
st1         r:{Vt.s*1}[i],w:[Xn|sp]             0 i[1] 00110100000000100 i[0] 00 Rn:5 Rt:5                                  NEON
st1         r:{Vt.s*1}[i],w:[Xn|sp],#4          0 i[1] 00110110011111100 i[0] 00 Rn:5 Rt:5                                  NEON
st1         r:{Vt.s*1}[i],w:[Xn|sp],Xm          0 i[1] 001101100 Rm:5 100 i[0] 00 Rn:5 Rt:5                                 NEON
st1         r:{Vt.d*1}[i],w:[Xn|sp]             0 i:1 00110100000000100001 Rn:5 Rt:5                                        NEON
st1         r:{Vt.d*1}[i],w:[Xn|sp],#8          0 i:1 00110110011111100001 Rn:5 Rt:5                                        NEON
st1         r:{Vt.d*1}[i],w:[Xn|sp],Xm          0 i:1 001101100 Rm:5 100001 Rn:5 Rt:5                                       NEON
st2         r:{Vt.b*2}[i],w:[Xn|sp]             0 i[3] 00110100100000000 i[2:0] Rn:5 Rt:5                                   NEON
st2         r:{Vt.b*2}[i],w:[Xn|sp],#2          0 i[3] 00110110111111000 i[2:0] Rn:5 Rt:5                                   NEON
st2         r:{Vt.b*2}[i],w:[Xn|sp],Xm          0 i[3] 001101101 Rm:5 000 i[2:0] Rn:5 Rt:5                                  NEON
st2         r:{Vt.h*2}[i],w:[Xn|sp]             0 i[2] 00110100100000010 i[1:0] 0 Rn:5 Rt:5                                 NEON
st2         r:{Vt.h*2}[i],w:[Xn|sp],#4          0 i[2] 00110110111111010 i[1:0] 0 Rn:5 Rt:5                                 NEON
st2         r:{Vt.h*2}[i],w:[Xn|sp],Xm          0 i[2] 001101101 Rm:5 010 i[1:0] 0 Rn:5 Rt:5                                NEON
st2         r:{Vt.s*2}[i],w:[Xn|sp]             0 i[1] 00110100100000100 i[0] 00 Rn:5 Rt:5                                  NEON
st2         r:{Vt.s*2}[i],w:[Xn|sp],#8          0 i[1] 00110110111111100 i[0] 00 Rn:5 Rt:5                                  NEON
st2         r:{Vt.s*2}[i],w:[Xn|sp],Xm          0 i[1] 001101101 Rm:5 100 i[0] 00 Rn:5 Rt:5                                 NEON
st2         r:{Vt.d*2}[i],w:[Xn|sp]             0 i:1 00110100100000100001 Rn:5 Rt:5                                        NEON
st2         r:{Vt.d*2}[i],w:[Xn|sp],#16         0 i:1 00110110111111100001 Rn:5 Rt:5                                        NEON
st2         r:{Vt.d*2}[i],w:[Xn|sp],Xm          0 i:1 001101101 Rm:5 100001 Rn:5 Rt:5                                       NEON
st3         r:{Vt.b*3}[i],w:[Xn|sp]             0 i[3] 00110100000000001 i[2:0] Rn:5 Rt:5                                   NEON
st3         r:{Vt.b*3}[i],w:[Xn|sp],#3          0 i[3] 00110110011111001 i[2:0] Rn:5 Rt:5                                   NEON
st3         r:{Vt.b*3}[i],w:[Xn|sp],Xm          0 i[3] 001101100 Rm:5 001 i[2:0] Rn:5 Rt:5                                  NEON
st3         r:{Vt.h*3}[i],w:[Xn|sp]             0 i[2] 00110100000000011 i[1:0] 0 Rn:5 Rt:5                                 NEON
st3         r:{Vt.h*3}[i],w:[Xn|sp],#6          0 i[2] 00110110011111011 i[1:0] 0 Rn:5 Rt:5                                 NEON
st3         r:{Vt.h*3}[i],w:[Xn|sp],Xm          0 i[2] 001101100 Rm:5 011 i[1:0] 0 Rn:5 Rt:5                                NEON
st3         r:{Vt.s*3}[i],w:[Xn|sp]             0 i[1] 00110100000000101 i[0] 00 Rn:5 Rt:5                                  NEON
st3         r:{Vt.s*3}[i],w:[Xn|sp],#12         0 i[1] 00110110011111101 i[0] 00 Rn:5 Rt:5                                  NEON
st3         r:{Vt.s*3}[i],w:[Xn|sp],Xm          0 i[1] 001101100 Rm:5 101 i[0] 00 Rn:5 Rt:5                                 NEON
st3         r:{Vt.d*3}[i],w:[Xn|sp]             0 i:1 00110100000000101001 Rn:5 Rt:5                                        NEON
st3         r:{Vt.d*3}[i],w:[Xn|sp],#24         0 i:1 00110110011111101001 Rn:5 Rt:5                                        NEON
st3         r:{Vt.d*3}[i],w:[Xn|sp],Xm          0 i:1 001101100 Rm:5 101001 Rn:5 Rt:5                                       NEON
st4         r:{Vt.b*4}[i],w:[Xn|sp]             0 i[3] 00110100100000001 i[2:0] Rn:5 Rt:5                                   NEON
st4         r:{Vt.b*4}[i],w:[Xn|sp],#4          0 i[3] 00110110111111001 i[2:0] Rn:5 Rt:5                                   NEON
st4         r:{Vt.b*4}[i],w:[Xn|sp],Xm          0 i[3] 001101101 Rm:5 001 i[2:0] Rn:5 Rt:5                                  NEON
st4         r:{Vt.h*4}[i],w:[Xn|sp]             0 i[2] 00110100100000011 i[1:0] 0 Rn:5 Rt:5                                 NEON
st4         r:{Vt.h*4}[i],w:[Xn|sp],#8          0 i[2] 00110110111111011 i[1:0] 0 Rn:5 Rt:5                                 NEON
st4         r:{Vt.h*4}[i],w:[Xn|sp],Xm          0 i[2] 001101101 Rm:5 011 i[1:0] 0 Rn:5 Rt:5                                NEON
st4         r:{Vt.s*4}[i],w:[Xn|sp]             0 i[1] 00110100100000101 i[0] 00 Rn:5 Rt:5                                  NEON
st4         r:{Vt.s*4}[i],w:[Xn|sp],#16         0 i[1] 00110110111111101 i[0] 00 Rn:5 Rt:5                                  NEON
st4         r:{Vt.s*4}[i],w:[Xn|sp],Xm          0 i[1] 001101101 Rm:5 101 i[0] 00 Rn:5 Rt:5                                 NEON
st4         r:{Vt.d*4}[i],w:[Xn|sp]             0 i:1 00110100100000101001 Rn:5 Rt:5                                        NEON
st4         r:{Vt.d*4}[i],w:[Xn|sp],#32         0 i:1 00110110111111101001 Rn:5 Rt:5                                        NEON
st4         r:{Vt.d*4}[i],w:[Xn|sp],Xm          0 i:1 001101101 Rm:5 101001 Rn:5 Rt:5                                       NEON
# Integer, three registers of one arrangement
[arithmetic vector]
add         Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 100001 Rn:5 Rd:5                              NEON
sub         Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 100001 Rn:5 Rd:5                              NEON
cmeq        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 100011 Rn:5 Rd:5                              NEON
cmge        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 001111 Rn:5 Rd:5                              NEON
cmgt        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 001101 Rn:5 Rd:5                              NEON
cmhi        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 001101 Rn:5 Rd:5                              NEON
cmhs        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 001111 Rn:5 Rd:5                              NEON
cmtst       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 100011 Rn:5 Rd:5                              NEON
sqadd       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 000011 Rn:5 Rd:5                              NEON
uqadd       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 000011 Rn:5 Rd:5                              NEON
sqsub       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 001011 Rn:5 Rd:5                              NEON
uqsub       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 001011 Rn:5 Rd:5                              NEON
sshl        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 010001 Rn:5 Rd:5                              NEON
ushl        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 010001 Rn:5 Rd:5                              NEON
srshl       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 010101 Rn:5 Rd:5                              NEON
urshl       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 010101 Rn:5 Rd:5                              NEON
sqshl       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 010011 Rn:5 Rd:5                              NEON
uqshl       Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 010011 Rn:5 Rd:5                              NEON
sqrshl      Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 010111 Rn:5 Rd:5                              NEON
uqrshl      Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 101110 size 1 Rm:5 010111 Rn:5 Rd:5                              NEON
addp        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 1 Rm:5 101111 Rn:5 Rd:5                              NEON
mul         Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 100111 Rn:5 Rd:5                               NEON
shadd       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 000001 Rn:5 Rd:5                               NEON
uhadd       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 000001 Rn:5 Rd:5                               NEON
shsub       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 001001 Rn:5 Rd:5                               NEON
uhsub       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 001001 Rn:5 Rd:5                               NEON
srhadd      Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 000101 Rn:5 Rd:5                               NEON
urhadd      Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 000101 Rn:5 Rd:5                               NEON
smax        Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 011001 Rn:5 Rd:5                               NEON
smin        Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 011011 Rn:5 Rd:5                               NEON
umax        Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 011001 Rn:5 Rd:5                               NEON
umin        Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 011011 Rn:5 Rd:5                               NEON
smaxp       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 101001 Rn:5 Rd:5                               NEON
sminp       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 101011 Rn:5 Rd:5                               NEON
umaxp       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 101001 Rn:5 Rd:5                               NEON
uminp       Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 101011 Rn:5 Rd:5                               NEON
sabd        Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 001110 size 1 Rm:5 011101 Rn:5 Rd:5                               NEON
uabd        Vd.T,Vn.T,Vm.T                      T=BHS 0 Q 101110 size 1 Rm:5 011101 Rn:5 Rd:5                               NEON
[fma vector]
mla         x:Vd.T,Vn.T,Vm.T                    T=BHS 0 Q 001110 size 1 Rm:5 100101 Rn:5 Rd:5                               NEON
mls         x:Vd.T,Vn.T,Vm.T                    T=BHS 0 Q 101110 size 1 Rm:5 100101 Rn:5 Rd:5                               NEON
[arithmetic vector]
saba        x:Vd.T,Vn.T,Vm.T                    T=BHS 0 Q 001110 size 1 Rm:5 011111 Rn:5 Rd:5                               NEON
uaba        x:Vd.T,Vn.T,Vm.T                    T=BHS 0 Q 101110 size 1 Rm:5 011111 Rn:5 Rd:5                               NEON
sqdmulh     Vd.T,Vn.T,Vm.T                      T=HS 0 Q 001110 size 1 Rm:5 101101 Rn:5 Rd:5                                NEON
sqrdmulh    Vd.T,Vn.T,Vm.T                      T=HS 0 Q 101110 size 1 Rm:5 101101 Rn:5 Rd:5                                NEON
pmul        Vd.T,Vn.T,Vm.T                      T=B 0 Q 101110001 Rm:5 100111 Rn:5 Rd:5                                     NEON
and         Vd.T,Vn.T,Vm.T                      T=B 0 Q 001110001 Rm:5 000111 Rn:5 Rd:5                                     NEON
orr         Vd.T,Vn.T,Vm.T                      T=B 0 Q 001110101 Rm:5 000111 Rn:5 Rd:5                                     NEON
eor         Vd.T,Vn.T,Vm.T                      T=B 0 Q 101110001 Rm:5 000111 Rn:5 Rd:5                                     NEON
bic         Vd.T,Vn.T,Vm.T                      T=B 0 Q 001110011 Rm:5 000111 Rn:5 Rd:5                                     NEON
orn         Vd.T,Vn.T,Vm.T                      T=B 0 Q 001110111 Rm:5 000111 Rn:5 Rd:5                                     NEON
bsl         x:Vd.T,Vn.T,Vm.T                    T=B 0 Q 101110011 Rm:5 000111 Rn:5 Rd:5                                     NEON
bit         x:Vd.T,Vn.T,Vm.T                    T=B 0 Q 101110101 Rm:5 000111 Rn:5 Rd:5                                     NEON
bif         x:Vd.T,Vn.T,Vm.T                    T=B 0 Q 101110111 Rm:5 000111 Rn:5 Rd:5                                     NEON
[fma vector]
sqrdmlah    x:Vd.T,Vn.T,Vm.T                    T=HS 0 Q 101110 size 0 Rm:5 100001 Rn:5 Rd:5                                RDM
sqrdmlsh    x:Vd.T,Vn.T,Vm.T                    T=HS 0 Q 101110 size 0 Rm:5 100011 Rn:5 Rd:5                                RDM
# Integer, scalars
[arithmetic vector]
add         Dd,Dn,Dm                            01011110111 Rm:5 100001 Rn:5 Rd:5                                           NEON
sub         Dd,Dn,Dm                            01111110111 Rm:5 100001 Rn:5 Rd:5                                           NEON
cmeq        Dd,Dn,Dm                            01111110111 Rm:5 100011 Rn:5 Rd:5                                           NEON
cmge        Dd,Dn,Dm                            01011110111 Rm:5 001111 Rn:5 Rd:5                                           NEON
cmgt        Dd,Dn,Dm                            01011110111 Rm:5 001101 Rn:5 Rd:5                                           NEON
cmhi        Dd,Dn,Dm                            01111110111 Rm:5 001101 Rn:5 Rd:5                                           NEON
cmhs        Dd,Dn,Dm                            01111110111 Rm:5 001111 Rn:5 Rd:5                                           NEON
cmtst       Dd,Dn,Dm                            01011110111 Rm:5 100011 Rn:5 Rd:5                                           NEON
sshl        Dd,Dn,Dm                            01011110111 Rm:5 010001 Rn:5 Rd:5                                           NEON
ushl        Dd,Dn,Dm                            01111110111 Rm:5 010001 Rn:5 Rd:5                                           NEON
srshl       Dd,Dn,Dm                            01011110111 Rm:5 010101 Rn:5 Rd:5                                           NEON
urshl       Dd,Dn,Dm                            01111110111 Rm:5 010101 Rn:5 Rd:5                                           NEON
sqadd       Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01011110 size 1 Rm:5 000011 Rn:5 Rd:5            NEON
uqadd       Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01111110 size 1 Rm:5 000011 Rn:5 Rd:5            NEON
sqsub       Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01011110 size 1 Rm:5 001011 Rn:5 Rd:5            NEON
uqsub       Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01111110 size 1 Rm:5 001011 Rn:5 Rd:5            NEON
sqshl       Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01011110 size 1 Rm:5 010011 Rn:5 Rd:5            NEON
uqshl       Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01111110 size 1 Rm:5 010011 Rn:5 Rd:5            NEON
sqrshl      Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01011110 size 1 Rm:5 010111 Rn:5 Rd:5            NEON
uqrshl      Fd,Fn,Fm                            F,size=B,00/H,01/S,10/D,11 01111110 size 1 Rm:5 010111 Rn:5 Rd:5            NEON
sqdmulh     Fd,Fn,Fm                            F,size=H,01/S,10 01011110 size 1 Rm:5 101101 Rn:5 Rd:5                      NEON
sqrdmulh    Fd,Fn,Fm                            F,size=H,01/S,10 01111110 size 1 Rm:5 101101 Rn:5 Rd:5                      NEON
[fma vector]
sqrdmlah    x:Fd,Fn,Fm                          F,size=H,01/S,10 01111110 size 0 Rm:5 100001 Rn:5 Rd:5                      RDM
sqrdmlsh    x:Fd,Fn,Fm                          F,size=H,01/S,10 01111110 size 0 Rm:5 100011 Rn:5 Rd:5                      RDM
# Integer, two registers
[arithmetic vector]
abs         Vd.T,Vn.T                           T=BHSD 0 Q 001110 size 100000101110 Rn:5 Rd:5                               NEON
neg         Vd.T,Vn.T                           T=BHSD 0 Q 101110 size 100000101110 Rn:5 Rd:5                               NEON
sqabs       Vd.T,Vn.T                           T=BHSD 0 Q 001110 size 100000011110 Rn:5 Rd:5                               NEON
sqneg       Vd.T,Vn.T                           T=BHSD 0 Q 101110 size 100000011110 Rn:5 Rd:5                               NEON
suqadd      x:Vd.T,Vn.T                         T=BHSD 0 Q 001110 size 100000001110 Rn:5 Rd:5                               NEON
usqadd      x:Vd.T,Vn.T                         T=BHSD 0 Q 101110 size 100000001110 Rn:5 Rd:5                               NEON
abs         Dd,Dn                               0101111011100000101110 Rn:5 Rd:5                                            NEON
neg         Dd,Dn                               0111111011100000101110 Rn:5 Rd:5                                            NEON
sqabs       Fd,Fn                               F,size=B,00/H,01/S,10/D,11 01011110 size 100000011110 Rn:5 Rd:5             NEON
sqneg       Fd,Fn                               F,size=B,00/H,01/S,10/D,11 01111110 size 100000011110 Rn:5 Rd:5             NEON
suqadd      x:Fd,Fn                             F,size=B,00/H,01/S,10/D,11 01011110 size 100000001110 Rn:5 Rd:5             NEON
usqadd      x:Fd,Fn                             F,size=B,00/H,01/S,10/D,11 01111110 size 100000001110 Rn:5 Rd:5             NEON
cls         Vd.T,Vn.T                           T=BHS 0 Q 001110 size 100000010010 Rn:5 Rd:5                                NEON
clz         Vd.T,Vn.T                           T=BHS 0 Q 101110 size 100000010010 Rn:5 Rd:5                                NEON
cnt         Vd.T,Vn.T                           T=B 0 Q 00111000100000010110 Rn:5 Rd:5                                      NEON
mvn         Vd.T,Vn.T                           T=B 0 Q 10111000100000010110 Rn:5 Rd:5                                      NEON        ; key:vector.not
not         Vd.T,Vn.T                           T=B 0 Q 10111000100000010110 Rn:5 Rd:5                                      NEON
rbit        Vd.T,Vn.T                           T=B 0 Q 10111001100000010110 Rn:5 Rd:5                                      NEON
[shuffle vector]
rev16       Vd.T,Vn.T                           T=B 0 Q 00111000100000000110 Rn:5 Rd:5                                      NEON
rev32       Vd.T,Vn.T                           T=BH 0 Q 101110 size 100000000010 Rn:5 Rd:5                                 NEON
rev64       Vd.T,Vn.T                           T=BHS 0 Q 001110 size 100000000010 Rn:5 Rd:5                                NEON
[arithmetic vector]
cmeq        Vd.T,Vn.T,#0                        T=BHSD 0 Q 001110 size 100000100110 Rn:5 Rd:5                               NEON
cmge        Vd.T,Vn.T,#0                        T=BHSD 0 Q 101110 size 100000100010 Rn:5 Rd:5                               NEON
cmgt        Vd.T,Vn.T,#0                        T=BHSD 0 Q 001110 size 100000100010 Rn:5 Rd:5                               NEON
cmle        Vd.T,Vn.T,#0                        T=BHSD 0 Q 101110 size 100000100110 Rn:5 Rd:5                               NEON
cmlt        Vd.T,Vn.T,#0                        T=BHSD 0 Q 001110 size 100000101010 Rn:5 Rd:5                               NEON
cmeq        Dd,Dn,#0                            0101111011100000100110 Rn:5 Rd:5                                            NEON
cmge        Dd,Dn,#0                            0111111011100000100010 Rn:5 Rd:5                                            NEON
cmgt        Dd,Dn,#0                            0101111011100000100010 Rn:5 Rd:5                                            NEON
cmle        Dd,Dn,#0                            0111111011100000100110 Rn:5 Rd:5                                            NEON
cmlt        Dd,Dn,#0                            0101111011100000101010 Rn:5 Rd:5                                            NEON
urecpe      Vd.T,Vn.T                           T=S 0 Q 00111010100001110010 Rn:5 Rd:5                                      NEON
ursqrte     Vd.T,Vn.T                           T=S 0 Q 10111010100001110010 Rn:5 Rd:5                                      NEON
[move vector]
mov         Vd.T,Vn.T                           T,Q=8b,0/16b,1 0 Q 001110101 Rn:5 000111 Rn:5 Rd:5                          NEON        ; key:vector.dup
# Widening, narrowing
[arithmetic vector]
saddl       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 000000 Rn:5 Rd:5                NEON
uaddl       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 000000 Rn:5 Rd:5                NEON
ssubl       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 001000 Rn:5 Rd:5                NEON
usubl       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 001000 Rn:5 Rd:5                NEON
sabdl       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 011100 Rn:5 Rd:5                NEON
uabdl       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 011100 Rn:5 Rd:5                NEON
smull       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 110000 Rn:5 Rd:5                NEON
umull       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 110000 Rn:5 Rd:5                NEON
saddl2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 000000 Rn:5 Rd:5               NEON
uaddl2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 000000 Rn:5 Rd:5               NEON
ssubl2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 001000 Rn:5 Rd:5               NEON
usubl2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 001000 Rn:5 Rd:5               NEON
sabdl2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 011100 Rn:5 Rd:5               NEON
uabdl2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 011100 Rn:5 Rd:5               NEON
smull2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 110000 Rn:5 Rd:5               NEON
umull2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 110000 Rn:5 Rd:5               NEON
[fma vector]
smlal       x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 100000 Rn:5 Rd:5                NEON
umlal       x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 100000 Rn:5 Rd:5                NEON
smlsl       x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 101000 Rn:5 Rd:5                NEON
umlsl       x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 101000 Rn:5 Rd:5                NEON
[arithmetic vector]
sabal       x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 010100 Rn:5 Rd:5                NEON
uabal       x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 010100 Rn:5 Rd:5                NEON
[fma vector]
smlal2      x:Vd.Ta,Vn.T,Vm.T                   T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 100000 Rn:5 Rd:5               NEON
umlal2      x:Vd.Ta,Vn.T,Vm.T                   T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 100000 Rn:5 Rd:5               NEON
smlsl2      x:Vd.Ta,Vn.T,Vm.T                   T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 101000 Rn:5 Rd:5               NEON
umlsl2      x:Vd.Ta,Vn.T,Vm.T                   T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 101000 Rn:5 Rd:5               NEON
[arithmetic vector]
sabal2      x:Vd.Ta,Vn.T,Vm.T                   T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 010100 Rn:5 Rd:5               NEON
uabal2      x:Vd.Ta,Vn.T,Vm.T                   T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 010100 Rn:5 Rd:5               NEON
sqdmull     Vd.Ta,Vn.T,Vm.T                     T,Ta=4h,4s/2s,2d 00001110 size 1 Rm:5 110100 Rn:5 Rd:5                      NEON
sqdmull2    Vd.Ta,Vn.T,Vm.T                     T,Ta=8h,4s/4s,2d 01001110 size 1 Rm:5 110100 Rn:5 Rd:5                      NEON
[fma vector]
sqdmlal     x:Vd.Ta,Vn.T,Vm.T                   T,Ta=4h,4s/2s,2d 00001110 size 1 Rm:5 100100 Rn:5 Rd:5                      NEON
sqdmlsl     x:Vd.Ta,Vn.T,Vm.T                   T,Ta=4h,4s/2s,2d 00001110 size 1 Rm:5 101100 Rn:5 Rd:5                      NEON
sqdmlal2    x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8h,4s/4s,2d 01001110 size 1 Rm:5 100100 Rn:5 Rd:5                      NEON
sqdmlsl2    x:Vd.Ta,Vn.T,Vm.T                   T,Ta=8h,4s/4s,2d 01001110 size 1 Rm:5 101100 Rn:5 Rd:5                      NEON
[arithmetic vector]
sqdmull     Gd,Fn,Fm                            F,G,size=H,S,01/S,D,10 01011110 size 1 Rm:5 110100 Rn:5 Rd:5                NEON
[fma vector]
sqdmlal     x:Gd,Fn,Fm                          F,G,size=H,S,01/S,D,10 01011110 size 1 Rm:5 100100 Rn:5 Rd:5                NEON
sqdmlsl     x:Gd,Fn,Fm                          F,G,size=H,S,01/S,D,10 01011110 size 1 Rm:5 101100 Rn:5 Rd:5                NEON
[arithmetic vector]
pmull       Vd.Ta,Vn.T,Vm.T                     T,Ta=8b,8h 00001110001 Rm:5 111000 Rn:5 Rd:5                                NEON
pmull2      Vd.Ta,Vn.T,Vm.T                     T,Ta=16b,8h 01001110001 Rm:5 111000 Rn:5 Rd:5                               NEON
pmull       Vd.1q,Vn.1d,Vm.1d                   00001110111 Rm:5 111000 Rn:5 Rd:5                                           NEON_AES
pmull2      Vd.1q,Vn.2d,Vm.2d                   01001110111 Rm:5 111000 Rn:5 Rd:5                                           NEON_AES
saddw       Vd.Ta,Vn.Ta,Vm.T                    T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 000100 Rn:5 Rd:5                NEON
uaddw       Vd.Ta,Vn.Ta,Vm.T                    T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 000100 Rn:5 Rd:5                NEON
ssubw       Vd.Ta,Vn.Ta,Vm.T                    T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 001100 Rn:5 Rd:5                NEON
usubw       Vd.Ta,Vn.Ta,Vm.T                    T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 001100 Rn:5 Rd:5                NEON
saddw2      Vd.Ta,Vn.Ta,Vm.T                    T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 000100 Rn:5 Rd:5               NEON
uaddw2      Vd.Ta,Vn.Ta,Vm.T                    T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 000100 Rn:5 Rd:5               NEON
ssubw2      Vd.Ta,Vn.Ta,Vm.T                    T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 001100 Rn:5 Rd:5               NEON
usubw2      Vd.Ta,Vn.Ta,Vm.T                    T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 001100 Rn:5 Rd:5               NEON
addhn       Vd.T,Vn.Ta,Vm.Ta                    T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 010000 Rn:5 Rd:5                NEON
raddhn      Vd.T,Vn.Ta,Vm.Ta                    T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 010000 Rn:5 Rd:5                NEON
subhn       Vd.T,Vn.Ta,Vm.Ta                    T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 1 Rm:5 011000 Rn:5 Rd:5                NEON
rsubhn      Vd.T,Vn.Ta,Vm.Ta                    T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 1 Rm:5 011000 Rn:5 Rd:5                NEON
addhn2      x:Vd.T,Vn.Ta,Vm.Ta                  T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 010000 Rn:5 Rd:5               NEON
raddhn2     x:Vd.T,Vn.Ta,Vm.Ta                  T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 010000 Rn:5 Rd:5               NEON
subhn2      x:Vd.T,Vn.Ta,Vm.Ta                  T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 1 Rm:5 011000 Rn:5 Rd:5               NEON
rsubhn2     x:Vd.T,Vn.Ta,Vm.Ta                  T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 1 Rm:5 011000 Rn:5 Rd:5               NEON
[convert vector]
xtn         Vd.T,Vn.Ta                          T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 100001001010 Rn:5 Rd:5                 NEON
sqxtn       Vd.T,Vn.Ta                          T,Ta=8b,8h/4h,4s/2s,2d 00001110 size 100001010010 Rn:5 Rd:5                 NEON
uqxtn       Vd.T,Vn.Ta                          T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 100001010010 Rn:5 Rd:5                 NEON
sqxtun      Vd.T,Vn.Ta                          T,Ta=8b,8h/4h,4s/2s,2d 00101110 size 100001001010 Rn:5 Rd:5                 NEON
xtn2        x:Vd.T,Vn.Ta                        T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 100001001010 Rn:5 Rd:5                NEON
sqxtn2      x:Vd.T,Vn.Ta                        T,Ta=16b,8h/8h,4s/4s,2d 01001110 size 100001010010 Rn:5 Rd:5                NEON
uqxtn2      x:Vd.T,Vn.Ta                        T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 100001010010 Rn:5 Rd:5                NEON
sqxtun2     x:Vd.T,Vn.Ta                        T,Ta=16b,8h/8h,4s/4s,2d 01101110 size 100001001010 Rn:5 Rd:5                NEON
sqxtn       Fd,Gn                               F,G,size=B,H,00/H,S,01/S,D,10 01011110 size 100001010010 Rn:5 Rd:5          NEON
uqxtn       Fd,Gn                               F,G,size=B,H,00/H,S,01/S,D,10 01111110 size 100001010010 Rn:5 Rd:5          NEON
sqxtun      Fd,Gn                               F,G,size=B,H,00/H,S,01/S,D,10 01111110 size 100001001010 Rn:5 Rd:5          NEON
[arithmetic vector]
saddlp      Vd.Ta,Vn.T                          T,Ta=8b,4h/16b,8h/4h,2s/8h,4s/2s,1d/4s,2d 0 Q 001110 size 100000001010 Rn:5 Rd:5  NEON
uaddlp      Vd.Ta,Vn.T                          T,Ta=8b,4h/16b,8h/4h,2s/8h,4s/2s,1d/4s,2d 0 Q 101110 size 100000001010 Rn:5 Rd:5  NEON
sadalp      x:Vd.Ta,Vn.T                        T,Ta=8b,4h/16b,8h/4h,2s/8h,4s/2s,1d/4s,2d 0 Q 001110 size 100000011010 Rn:5 Rd:5  NEON
uadalp      x:Vd.Ta,Vn.T                        T,Ta=8b,4h/16b,8h/4h,2s/8h,4s/2s,1d/4s,2d 0 Q 101110 size 100000011010 Rn:5 Rd:5  NEON
shll        Vd.Ta,Vn.T,#8                       T,Ta=8b,8h 0010111000100001001110 Rn:5 Rd:5                                 NEON
shll2       Vd.Ta,Vn.T,#8                       T,Ta=16b,8h 0110111000100001001110 Rn:5 Rd:5                                NEON
shll        Vd.Ta,Vn.T,#16                      T,Ta=4h,4s 0010111001100001001110 Rn:5 Rd:5                                 NEON
shll2       Vd.Ta,Vn.T,#16                      T,Ta=8h,4s 0110111001100001001110 Rn:5 Rd:5                                 NEON
shll        Vd.Ta,Vn.T,#32                      T,Ta=2s,2d 0010111010100001001110 Rn:5 Rd:5                                 NEON
shll2       Vd.Ta,Vn.T,#32                      T,Ta=4s,2d 0110111010100001001110 Rn:5 Rd:5                                 NEON
# Across vectors
addv        Fd,Vn.T                             T,F=8b,B/16b,B/4h,H/8h,H/4s,S 0 Q 001110 size 110001101110 Rn:5 Rd:5        NEON
smaxv       Fd,Vn.T                             T,F=8b,B/16b,B/4h,H/8h,H/4s,S 0 Q 001110 size 110000101010 Rn:5 Rd:5        NEON
sminv       Fd,Vn.T                             T,F=8b,B/16b,B/4h,H/8h,H/4s,S 0 Q 001110 size 110001101010 Rn:5 Rd:5        NEON
umaxv       Fd,Vn.T                             T,F=8b,B/16b,B/4h,H/8h,H/4s,S 0 Q 101110 size 110000101010 Rn:5 Rd:5        NEON
uminv       Fd,Vn.T                             T,F=8b,B/16b,B/4h,H/8h,H/4s,S 0 Q 101110 size 110001101010 Rn:5 Rd:5        NEON
saddlv      Fd,Vn.T                             T,F=8b,H/16b,H/4h,S/8h,S/4s,D 0 Q 001110 size 110000001110 Rn:5 Rd:5        NEON
uaddlv      Fd,Vn.T                             T,F=8b,H/16b,H/4h,S/8h,S/4s,D 0 Q 101110 size 110000001110 Rn:5 Rd:5        NEON
addp        Dd,Vn.2d                            0101111011110001101110 Rn:5 Rd:5                                            NEON
# Shifts by an immediate
sshr        Vd.T,Vn.T,#-sh                      T=BHSD 0 Q 0011110 tszsh 000001 Rn:5 Rd:5                                   NEON
ushr        Vd.T,Vn.T,#-sh                      T=BHSD 0 Q 1011110 tszsh 000001 Rn:5 Rd:5                                   NEON
srshr       Vd.T,Vn.T,#-sh                      T=BHSD 0 Q 0011110 tszsh 001001 Rn:5 Rd:5                                   NEON
urshr       Vd.T,Vn.T,#-sh                      T=BHSD 0 Q 1011110 tszsh 001001 Rn:5 Rd:5                                   NEON
ssra        x:Vd.T,Vn.T,#-sh                    T=BHSD 0 Q 0011110 tszsh 000101 Rn:5 Rd:5                                   NEON
usra        x:Vd.T,Vn.T,#-sh                    T=BHSD 0 Q 1011110 tszsh 000101 Rn:5 Rd:5                                   NEON
srsra       x:Vd.T,Vn.T,#-sh                    T=BHSD 0 Q 0011110 tszsh 001101 Rn:5 Rd:5                                   NEON
ursra       x:Vd.T,Vn.T,#-sh                    T=BHSD 0 Q 1011110 tszsh 001101 Rn:5 Rd:5                                   NEON
sri         x:Vd.T,Vn.T,#-sh                    T=BHSD 0 Q 1011110 tszsh 010001 Rn:5 Rd:5                                   NEON
shl         Vd.T,Vn.T,#sh                       T=BHSD 0 Q 0011110 tszsh 010101 Rn:5 Rd:5                                   NEON
sqshl       Vd.T,Vn.T,#sh                       T=BHSD 0 Q 0011110 tszsh 011101 Rn:5 Rd:5                                   NEON
uqshl       Vd.T,Vn.T,#sh                       T=BHSD 0 Q 1011110 tszsh 011101 Rn:5 Rd:5                                   NEON
sqshlu      Vd.T,Vn.T,#sh                       T=BHSD 0 Q 1011110 tszsh 011001 Rn:5 Rd:5                                   NEON
sli         x:Vd.T,Vn.T,#sh                     T=BHSD 0 Q 1011110 tszsh 010101 Rn:5 Rd:5                                   NEON
sshr        Dd,Dn,#-sh                          0101111101 sh:6 000001 Rn:5 Rd:5                                            NEON
ushr        Dd,Dn,#-sh                          0111111101 sh:6 000001 Rn:5 Rd:5                                            NEON
srshr       Dd,Dn,#-sh                          0101111101 sh:6 001001 Rn:5 Rd:5                                            NEON
urshr       Dd,Dn,#-sh                          0111111101 sh:6 001001 Rn:5 Rd:5                                            NEON
ssra        x:Dd,Dn,#-sh                        0101111101 sh:6 000101 Rn:5 Rd:5                                            NEON
usra        x:Dd,Dn,#-sh                        0111111101 sh:6 000101 Rn:5 Rd:5                                            NEON
srsra       x:Dd,Dn,#-sh                        0101111101 sh:6 001101 Rn:5 Rd:5                                            NEON
ursra       x:Dd,Dn,#-sh                        0111111101 sh:6 001101 Rn:5 Rd:5                                            NEON
sri         x:Dd,Dn,#-sh                        0111111101 sh:6 010001 Rn:5 Rd:5                                            NEON
shl         Dd,Dn,#sh                           0101111101 sh:6 010101 Rn:5 Rd:5                                            NEON
sli         x:Dd,Dn,#sh                         0111111101 sh:6 010101 Rn:5 Rd:5                                            NEON
sqshl       Fd,Fn,#sh                           F=BHSD 010111110 tszsh 011101 Rn:5 Rd:5                                     NEON
uqshl       Fd,Fn,#sh                           F=BHSD 011111110 tszsh 011101 Rn:5 Rd:5                                     NEON
sqshlu      Fd,Fn,#sh                           F=BHSD 011111110 tszsh 011001 Rn:5 Rd:5                                     NEON
sshll       Vd.Ta,Vn.T,#sh                      T,Ta=8b,8h/4h,4s/2s,2d 000011110 tszsh 101001 Rn:5 Rd:5                     NEON
ushll       Vd.Ta,Vn.T,#sh                      T,Ta=8b,8h/4h,4s/2s,2d 001011110 tszsh 101001 Rn:5 Rd:5                     NEON
sshll2      Vd.Ta,Vn.T,#sh                      T,Ta=16b,8h/8h,4s/4s,2d 010011110 tszsh 101001 Rn:5 Rd:5                    NEON
ushll2      Vd.Ta,Vn.T,#sh                      T,Ta=16b,8h/8h,4s/4s,2d 011011110 tszsh 101001 Rn:5 Rd:5                    NEON
[convert vector]
sxtl        Vd.Ta,Vn.T                          T,Ta=8b,8h/4h,4s/2s,2d 0000111100 size imm5[0] 000101001 Rn:5 Rd:5          NEON
uxtl        Vd.Ta,Vn.T                          T,Ta=8b,8h/4h,4s/2s,2d 0010111100 size imm5[0] 000101001 Rn:5 Rd:5          NEON
sxtl2       Vd.Ta,Vn.T                          T,Ta=16b,8h/8h,4s/4s,2d 0100111100 size imm5[0] 000101001 Rn:5 Rd:5         NEON
uxtl2       Vd.Ta,Vn.T                          T,Ta=16b,8h/8h,4s/4s,2d 0110111100 size imm5[0] 000101001 Rn:5 Rd:5         NEON
[arithmetic vector]
shrn        Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 000011110 tszsh 100001 Rn:5 Rd:5                     NEON
rshrn       Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 000011110 tszsh 100011 Rn:5 Rd:5                     NEON
sqshrn      Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 000011110 tszsh 100101 Rn:5 Rd:5                     NEON
uqshrn      Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 001011110 tszsh 100101 Rn:5 Rd:5                     NEON
sqrshrn     Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 000011110 tszsh 100111 Rn:5 Rd:5                     NEON
uqrshrn     Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 001011110 tszsh 100111 Rn:5 Rd:5                     NEON
sqshrun     Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 001011110 tszsh 100001 Rn:5 Rd:5                     NEON
sqrshrun    Vd.T,Vn.Ta,#-sh                     T,Ta=8b,8h/4h,4s/2s,2d 001011110 tszsh 100011 Rn:5 Rd:5                     NEON
shrn2       x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 010011110 tszsh 100001 Rn:5 Rd:5                    NEON
rshrn2      x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 010011110 tszsh 100011 Rn:5 Rd:5                    NEON
sqshrn2     x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 010011110 tszsh 100101 Rn:5 Rd:5                    NEON
uqshrn2     x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 011011110 tszsh 100101 Rn:5 Rd:5                    NEON
sqrshrn2    x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 010011110 tszsh 100111 Rn:5 Rd:5                    NEON
uqrshrn2    x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 011011110 tszsh 100111 Rn:5 Rd:5                    NEON
sqshrun2    x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 011011110 tszsh 100001 Rn:5 Rd:5                    NEON
sqrshrun2   x:Vd.T,Vn.Ta,#-sh                   T,Ta=16b,8h/8h,4s/4s,2d 011011110 tszsh 100011 Rn:5 Rd:5                    NEON
sqshrn      Fd,Gn,#-sh                          F,G=B,H/H,S/S,D 010111110 tszsh 100101 Rn:5 Rd:5                            NEON
uqshrn      Fd,Gn,#-sh                          F,G=B,H/H,S/S,D 011111110 tszsh 100101 Rn:5 Rd:5                            NEON
sqrshrn     Fd,Gn,#-sh                          F,G=B,H/H,S/S,D 010111110 tszsh 100111 Rn:5 Rd:5                            NEON
uqrshrn     Fd,Gn,#-sh                          F,G=B,H/H,S/S,D 011111110 tszsh 100111 Rn:5 Rd:5                            NEON
sqshrun     Fd,Gn,#-sh                          F,G=B,H/H,S/S,D 011111110 tszsh 100001 Rn:5 Rd:5                            NEON
sqrshrun    Fd,Gn,#-sh                          F,G=B,H/H,S/S,D 011111110 tszsh 100011 Rn:5 Rd:5                            NEON
# By element
mul         Vd.T,Vn.T,Vm.h[i]                   T=H 0 Q 00111101 i[1:0] Rm:4 1000 i[2] 0 Rn:5 Rd:5                          NEON
mul         Vd.T,Vn.T,Vm.s[i]                   T=S 0 Q 00111110 i[0] Rm:5 1000 i[1] 0 Rn:5 Rd:5                            NEON
[fma vector]
mla         x:Vd.T,Vn.T,Vm.h[i]                 T=H 0 Q 10111101 i[1:0] Rm:4 0000 i[2] 0 Rn:5 Rd:5                          NEON
mls         x:Vd.T,Vn.T,Vm.h[i]                 T=H 0 Q 10111101 i[1:0] Rm:4 0100 i[2] 0 Rn:5 Rd:5                          NEON
mla         x:Vd.T,Vn.T,Vm.s[i]                 T=S 0 Q 10111110 i[0] Rm:5 0000 i[1] 0 Rn:5 Rd:5                            NEON
mls         x:Vd.T,Vn.T,Vm.s[i]                 T=S 0 Q 10111110 i[0] Rm:5 0100 i[1] 0 Rn:5 Rd:5                            NEON
[arithmetic vector]
sqdmulh     Vd.T,Vn.T,Vm.h[i]                   T=H 0 Q 00111101 i[1:0] Rm:4 1100 i[2] 0 Rn:5 Rd:5                          NEON
sqrdmulh    Vd.T,Vn.T,Vm.h[i]                   T=H 0 Q 00111101 i[1:0] Rm:4 1101 i[2] 0 Rn:5 Rd:5                          NEON
sqdmulh     Vd.T,Vn.T,Vm.s[i]                   T=S 0 Q 00111110 i[0] Rm:5 1100 i[1] 0 Rn:5 Rd:5                            NEON
sqrdmulh    Vd.T,Vn.T,Vm.s[i]                   T=S 0 Q 00111110 i[0] Rm:5 1101 i[1] 0 Rn:5 Rd:5                            NEON
sqdmulh     Hd,Hn,Vm.h[i]                       0101111101 i[1:0] Rm:4 1100 i[2] 0 Rn:5 Rd:5                                NEON
sqrdmulh    Hd,Hn,Vm.h[i]                       0101111101 i[1:0] Rm:4 1101 i[2] 0 Rn:5 Rd:5                                NEON
sqdmulh     Sd,Sn,Vm.s[i]                       0101111110 i[0] Rm:5 1100 i[1] 0 Rn:5 Rd:5                                  NEON
sqrdmulh    Sd,Sn,Vm.s[i]                       0101111110 i[0] Rm:5 1101 i[1] 0 Rn:5 Rd:5                                  NEON
[fma vector]
sqrdmlah    x:Vd.T,Vn.T,Vm.h[i]                 T=H 0 Q 10111101 i[1:0] Rm:4 1101 i[2] 0 Rn:5 Rd:5                          RDM
sqrdmlsh    x:Vd.T,Vn.T,Vm.h[i]                 T=H 0 Q 10111101 i[1:0] Rm:4 1111 i[2] 0 Rn:5 Rd:5                          RDM
sqrdmlah    x:Vd.T,Vn.T,Vm.s[i]                 T=S 0 Q 10111110 i[0] Rm:5 1101 i[1] 0 Rn:5 Rd:5                            RDM
sqrdmlsh    x:Vd.T,Vn.T,Vm.s[i]                 T=S 0 Q 10111110 i[0] Rm:5 1111 i[1] 0 Rn:5 Rd:5                            RDM
sqrdmlah    x:Hd,Hn,Vm.h[i]                     0111111101 i[1:0] Rm:4 1101 i[2] 0 Rn:5 Rd:5                                RDM
sqrdmlsh    x:Hd,Hn,Vm.h[i]                     0111111101 i[1:0] Rm:4 1111 i[2] 0 Rn:5 Rd:5                                RDM
sqrdmlah    x:Sd,Sn,Vm.s[i]                     0111111110 i[0] Rm:5 1101 i[1] 0 Rn:5 Rd:5                                  RDM
sqrdmlsh    x:Sd,Sn,Vm.s[i]                     0111111110 i[0] Rm:5 1111 i[1] 0 Rn:5 Rd:5                                  RDM
[arithmetic vector]
smull       Vd.4s,Vn.4h,Vm.h[i]                 0000111101 i[1:0] Rm:4 1010 i[2] 0 Rn:5 Rd:5                                NEON
umull       Vd.4s,Vn.4h,Vm.h[i]                 0010111101 i[1:0] Rm:4 1010 i[2] 0 Rn:5 Rd:5                                NEON
sqdmull     Vd.4s,Vn.4h,Vm.h[i]                 0000111101 i[1:0] Rm:4 1011 i[2] 0 Rn:5 Rd:5                                NEON
smull2      Vd.4s,Vn.8h,Vm.h[i]                 0100111101 i[1:0] Rm:4 1010 i[2] 0 Rn:5 Rd:5                                NEON
umull2      Vd.4s,Vn.8h,Vm.h[i]                 0110111101 i[1:0] Rm:4 1010 i[2] 0 Rn:5 Rd:5                                NEON
sqdmull2    Vd.4s,Vn.8h,Vm.h[i]                 0100111101 i[1:0] Rm:4 1011 i[2] 0 Rn:5 Rd:5                                NEON
smull       Vd.2d,Vn.2s,Vm.s[i]                 0000111110 i[0] Rm:5 1010 i[1] 0 Rn:5 Rd:5                                  NEON
umull       Vd.2d,Vn.2s,Vm.s[i]                 0010111110 i[0] Rm:5 1010 i[1] 0 Rn:5 Rd:5                                  NEON
sqdmull     Vd.2d,Vn.2s,Vm.s[i]                 0000111110 i[0] Rm:5 1011 i[1] 0 Rn:5 Rd:5                                  NEON
smull2      Vd.2d,Vn.4s,Vm.s[i]                 0100111110 i[0] Rm:5 1010 i[1] 0 Rn:5 Rd:5                                  NEON
umull2      Vd.2d,Vn.4s,Vm.s[i]                 0110111110 i[0] Rm:5 1010 i[1] 0 Rn:5 Rd:5                                  NEON
sqdmull2    Vd.2d,Vn.4s,Vm.s[i]                 0100111110 i[0] Rm:5 1011 i[1] 0 Rn:5 Rd:5                                  NEON
[fma vector]
smlal       x:Vd.4s,Vn.4h,Vm.h[i]               0000111101 i[1:0] Rm:4 0010 i[2] 0 Rn:5 Rd:5                                NEON
umlal       x:Vd.4s,Vn.4h,Vm.h[i]               0010111101 i[1:0] Rm:4 0010 i[2] 0 Rn:5 Rd:5                                NEON
smlsl       x:Vd.4s,Vn.4h,Vm.h[i]               0000111101 i[1:0] Rm:4 0110 i[2] 0 Rn:5 Rd:5                                NEON
umlsl       x:Vd.4s,Vn.4h,Vm.h[i]               0010111101 i[1:0] Rm:4 0110 i[2] 0 Rn:5 Rd:5                                NEON
sqdmlal     x:Vd.4s,Vn.4h,Vm.h[i]               0000111101 i[1:0] Rm:4 0011 i[2] 0 Rn:5 Rd:5                                NEON
sqdmlsl     x:Vd.4s,Vn.4h,Vm.h[i]               0000111101 i[1:0] Rm:4 0111 i[2] 0 Rn:5 Rd:5                                NEON
smlal2      x:Vd.4s,Vn.8h,Vm.h[i]               0100111101 i[1:0] Rm:4 0010 i[2] 0 Rn:5 Rd:5                                NEON
umlal2      x:Vd.4s,Vn.8h,Vm.h[i]               0110111101 i[1:0] Rm:4 0010 i[2] 0 Rn:5 Rd:5                                NEON
smlsl2      x:Vd.4s,Vn.8h,Vm.h[i]               0100111101 i[1:0] Rm:4 0110 i[2] 0 Rn:5 Rd:5                                NEON
umlsl2      x:Vd.4s,Vn.8h,Vm.h[i]               0110111101 i[1:0] Rm:4 0110 i[2] 0 Rn:5 Rd:5                                NEON
sqdmlal2    x:Vd.4s,Vn.8h,Vm.h[i]               0100111101 i[1:0] Rm:4 0011 i[2] 0 Rn:5 Rd:5                                NEON
sqdmlsl2    x:Vd.4s,Vn.8h,Vm.h[i]               0100111101 i[1:0] Rm:4 0111 i[2] 0 Rn:5 Rd:5                                NEON
smlal       x:Vd.2d,Vn.2s,Vm.s[i]               0000111110 i[0] Rm:5 0010 i[1] 0 Rn:5 Rd:5                                  NEON
umlal       x:Vd.2d,Vn.2s,Vm.s[i]               0010111110 i[0] Rm:5 0010 i[1] 0 Rn:5 Rd:5                                  NEON
smlsl       x:Vd.2d,Vn.2s,Vm.s[i]               0000111110 i[0] Rm:5 0110 i[1] 0 Rn:5 Rd:5                                  NEON
umlsl       x:Vd.2d,Vn.2s,Vm.s[i]               0010111110 i[0] Rm:5 0110 i[1] 0 Rn:5 Rd:5                                  NEON
sqdmlal     x:Vd.2d,Vn.2s,Vm.s[i]               0000111110 i[0] Rm:5 0011 i[1] 0 Rn:5 Rd:5                                  NEON
sqdmlsl     x:Vd.2d,Vn.2s,Vm.s[i]               0000111110 i[0] Rm:5 0111 i[1] 0 Rn:5 Rd:5                                  NEON
smlal2      x:Vd.2d,Vn.4s,Vm.s[i]               0100111110 i[0] Rm:5 0010 i[1] 0 Rn:5 Rd:5                                  NEON
umlal2      x:Vd.2d,Vn.4s,Vm.s[i]               0110111110 i[0] Rm:5 0010 i[1] 0 Rn:5 Rd:5                                  NEON
smlsl2      x:Vd.2d,Vn.4s,Vm.s[i]               0100111110 i[0] Rm:5 0110 i[1] 0 Rn:5 Rd:5                                  NEON
umlsl2      x:Vd.2d,Vn.4s,Vm.s[i]               0110111110 i[0] Rm:5 0110 i[1] 0 Rn:5 Rd:5                                  NEON
sqdmlal2    x:Vd.2d,Vn.4s,Vm.s[i]               0100111110 i[0] Rm:5 0011 i[1] 0 Rn:5 Rd:5                                  NEON
sqdmlsl2    x:Vd.2d,Vn.4s,Vm.s[i]               0100111110 i[0] Rm:5 0111 i[1] 0 Rn:5 Rd:5                                  NEON
[arithmetic vector]
sqdmull     Sd,Hn,Vm.h[i]                       0101111101 i[1:0] Rm:4 1011 i[2] 0 Rn:5 Rd:5                                NEON
sqdmull     Dd,Sn,Vm.s[i]                       0101111110 i[0] Rm:5 1011 i[1] 0 Rn:5 Rd:5                                  NEON
[fma vector]
sqdmlal     x:Sd,Hn,Vm.h[i]                     0101111101 i[1:0] Rm:4 0011 i[2] 0 Rn:5 Rd:5                                NEON
sqdmlsl     x:Sd,Hn,Vm.h[i]                     0101111101 i[1:0] Rm:4 0111 i[2] 0 Rn:5 Rd:5                                NEON
sqdmlal     x:Dd,Sn,Vm.s[i]                     0101111110 i[0] Rm:5 0011 i[1] 0 Rn:5 Rd:5                                  NEON
sqdmlsl     x:Dd,Sn,Vm.s[i]                     0101111110 i[0] Rm:5 0111 i[1] 0 Rn:5 Rd:5                                  NEON
# Permutes, moves
[shuffle vector]
zip1        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 0 Rm:5 001110 Rn:5 Rd:5                              NEON
zip2        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 0 Rm:5 011110 Rn:5 Rd:5                              NEON
uzp1        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 0 Rm:5 000110 Rn:5 Rd:5                              NEON
uzp2        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 0 Rm:5 010110 Rn:5 Rd:5                              NEON
trn1        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 0 Rm:5 001010 Rn:5 Rd:5                              NEON
trn2        Vd.T,Vn.T,Vm.T                      T=BHSD 0 Q 001110 size 0 Rm:5 011010 Rn:5 Rd:5                              NEON
ext         Vd.8b,Vn.8b,Vm.8b,#imm              00101110000 Rm:5 00 imm:3 0 Rn:5 Rd:5                                       NEON
ext         Vd.16b,Vn.16b,Vm.16b,#imm           01101110000 Rm:5 0 imm:4 0 Rn:5 Rd:5                                        NEON
tbl         Vd.T,{Vn.16b*1},Vm.T                T=B 0 Q 001110000 Rm:5 000000 Rn:5 Rd:5                                     NEON
tbl         Vd.T,{Vn.16b*2},Vm.T                T=B 0 Q 001110000 Rm:5 001000 Rn:5 Rd:5                                     NEON
tbl         Vd.T,{Vn.16b*3},Vm.T                T=B 0 Q 001110000 Rm:5 010000 Rn:5 Rd:5                                     NEON
tbl         Vd.T,{Vn.16b*4},Vm.T                T=B 0 Q 001110000 Rm:5 011000 Rn:5 Rd:5                                     NEON
tbx         x:Vd.T,{Vn.16b*1},Vm.T              T=B 0 Q 001110000 Rm:5 000100 Rn:5 Rd:5                                     NEON
tbx         x:Vd.T,{Vn.16b*2},Vm.T              T=B 0 Q 001110000 Rm:5 001100 Rn:5 Rd:5                                     NEON
tbx         x:Vd.T,{Vn.16b*3},Vm.T              T=B 0 Q 001110000 Rm:5 010100 Rn:5 Rd:5                                     NEON
tbx         x:Vd.T,{Vn.16b*4},Vm.T              T=B 0 Q 001110000 Rm:5 011100 Rn:5 Rd:5                                     NEON
dup         Vd.T,Vn.Ts[i]                       T,Ts=8b,b/16b,b/4h,h/8h,h/2s,s/4s,s/2d,d 0 Q 001110000 imm5 000001 Rn:5 Rd:5  NEON
dup         Vd.T,Wn                             T=BHS 0 Q 00111000000 size imm5[0] 000011 Rn:5 Rd:5                         NEON
dup         Vd.2d,Xn                            0100111000001000000011 Rn:5 Rd:5                                            NEON
dup         Fd,Vn.Ts[i]                         Ts,F=b,B/h,H/s,S/d,D 01011110000 imm5 000001 Rn:5 Rd:5                      NEON
ins         x:Vd.Ts[i],Vn.Ts[j]                 Ts=bhsd 01101110000 imm5 0 imm4 1 Rn:5 Rd:5                                 NEON        ; key:vector.dup
[move vector]
mov         x:Vd.Ts[i],Vn.Ts[j]                 Ts=bhsd 01101110000 imm5 0 imm4 1 Rn:5 Rd:5                                 NEON        ; key:vector.dup
[shuffle vector]
ins         x:Vd.Ts[i],Wn                       Ts=bhs 01001110000 imm5 000111 Rn:5 Rd:5                                    NEON        ; key:vector.dup
[move vector]
mov         x:Vd.Ts[i],Wn                       Ts=bhs 01001110000 imm5 000111 Rn:5 Rd:5                                    NEON        ; key:vector.dup
[shuffle vector]
ins         x:Vd.d[i],Xn                        01001110000 i:1 1000000111 Rn:5 Rd:5                                        NEON        ; key:vector.dup
[move vector]
mov         x:Vd.d[i],Xn                        01001110000 i:1 1000000111 Rn:5 Rd:5                                        NEON        ; key:vector.dup
umov        Wd,Vn.Ts[i]                         Ts=bhs 00001110000 imm5 001111 Rn:5 Rd:5                                    NEON
umov        Xd,Vn.d[i]                          01001110000 i:1 1000001111 Rn:5 Rd:5                                        NEON
[move general]
mov         Wd,Vn.s[i]                          00001110000 i:2 100001111 Rn:5 Rd:5                                         NEON
mov         Xd,Vn.d[i]                          01001110000 i:1 1000001111 Rn:5 Rd:5                                        NEON
[move vector]
mov         Fd,Vn.Ts[i]                         Ts,F=b,B/h,H/s,S/d,D 01011110000 imm5 000001 Rn:5 Rd:5                      NEON        ; key:vector.dup
smov        Wd,Vn.Ts[i]                         Ts=bh 00001110000 imm5 001011 Rn:5 Rd:5                                     NEON
smov        Xd,Vn.Ts[i]                         Ts=bhs 01001110000 imm5 001011 Rn:5 Rd:5                                    NEON
movi        Vd.T,#imm                           T=B 0 Q 00111100000 imm[7:5] 111001 imm[4:0] Rd:5                           NEON
movi        Vd.T,#imm                           T=HS 0 Q 00111100000 imm[7:5] sz 00001 imm[4:0] Rd:5                        NEON
mvni        Vd.T,#imm                           T=HS 0 Q 10111100000 imm[7:5] sz 00001 imm[4:0] Rd:5                        NEON
movi        Vd.T,#imm,lsl#x*8                   T=H 0 Q 00111100000 imm[7:5] 10 x:1 001 imm[4:0] Rd:5                       NEON
mvni        Vd.T,#imm,lsl#x*8                   T=H 0 Q 10111100000 imm[7:5] 10 x:1 001 imm[4:0] Rd:5                       NEON
movi        Vd.T,#imm,lsl#x*8                   T=S 0 Q 00111100000 imm[7:5] 0 x:2 001 imm[4:0] Rd:5                        NEON
mvni        Vd.T,#imm,lsl#x*8                   T=S 0 Q 10111100000 imm[7:5] 0 x:2 001 imm[4:0] Rd:5                        NEON
movi        Vd.T,#imm,msl#x*8+8                 T=S 0 Q 00111100000 imm[7:5] 110 x:1 01 imm[4:0] Rd:5                       NEON
mvni        Vd.T,#imm,msl#x*8+8                 T=S 0 Q 10111100000 imm[7:5] 110 x:1 01 imm[4:0] Rd:5                       NEON
movi        Vd.2d,#imm:bytes                    0110111100000 imm[7:5] 111001 imm[4:0] Rd:5                                 NEON
movi        Dd,#imm:bytes                       0010111100000 imm[7:5] 111001 imm[4:0] Rd:5                                 NEON
[arithmetic vector]
orr         x:Vd.T,#imm                         T=HS 0 Q 00111100000 imm[7:5] sz 00101 imm[4:0] Rd:5                        NEON
bic         x:Vd.T,#imm                         T=HS 0 Q 10111100000 imm[7:5] sz 00101 imm[4:0] Rd:5                        NEON
orr         x:Vd.T,#imm,lsl#x*8                 T=H 0 Q 00111100000 imm[7:5] 10 x:1 101 imm[4:0] Rd:5                       NEON
bic         x:Vd.T,#imm,lsl#x*8                 T=H 0 Q 10111100000 imm[7:5] 10 x:1 101 imm[4:0] Rd:5                       NEON
orr         x:Vd.T,#imm,lsl#x*8                 T=S 0 Q 00111100000 imm[7:5] 0 x:2 101 imm[4:0] Rd:5                        NEON
bic         x:Vd.T,#imm,lsl#x*8                 T=S 0 Q 10111100000 imm[7:5] 0 x:2 101 imm[4:0] Rd:5                        NEON
# Floating point, vectors
fadd        Vd.T,Vn.T,Vm.T                      T=SD 0 Q 0011100 sz 1 Rm:5 110101 Rn:5 Rd:5                                 NEON
fsub        Vd.T,Vn.T,Vm.T                      T=SD 0 Q 001110 size 1 Rm:5 110101 Rn:5 Rd:5                                NEON
fmul        Vd.T,Vn.T,Vm.T                      T=SD 0 Q 1011100 sz 1 Rm:5 110111 Rn:5 Rd:5                                 NEON
fdiv        Vd.T,Vn.T,Vm.T                      T=SD 0 Q 1011100 sz 1 Rm:5 111111 Rn:5 Rd:5                                 NEON
fmulx       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 0011100 sz 1 Rm:5 110111 Rn:5 Rd:5                                 NEON
fabd        Vd.T,Vn.T,Vm.T                      T=SD 0 Q 101110 size 1 Rm:5 110101 Rn:5 Rd:5                                NEON
fmax        Vd.T,Vn.T,Vm.T                      T=SD 0 Q 0011100 sz 1 Rm:5 111101 Rn:5 Rd:5                                 NEON
fmin        Vd.T,Vn.T,Vm.T                      T=SD 0 Q 001110 size 1 Rm:5 111101 Rn:5 Rd:5                                NEON
fmaxnm      Vd.T,Vn.T,Vm.T                      T=SD 0 Q 0011100 sz 1 Rm:5 110001 Rn:5 Rd:5                                 NEON
fminnm      Vd.T,Vn.T,Vm.T                      T=SD 0 Q 001110 size 1 Rm:5 110001 Rn:5 Rd:5                                NEON
faddp       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 1011100 sz 1 Rm:5 110101 Rn:5 Rd:5                                 NEON
fmaxp       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 1011100 sz 1 Rm:5 111101 Rn:5 Rd:5                                 NEON
fminp       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 101110 size 1 Rm:5 111101 Rn:5 Rd:5                                NEON
fmaxnmp     Vd.T,Vn.T,Vm.T                      T=SD 0 Q 1011100 sz 1 Rm:5 110001 Rn:5 Rd:5                                 NEON
fminnmp     Vd.T,Vn.T,Vm.T                      T=SD 0 Q 101110 size 1 Rm:5 110001 Rn:5 Rd:5                                NEON
fcmeq       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 0011100 sz 1 Rm:5 111001 Rn:5 Rd:5                                 NEON
fcmge       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 1011100 sz 1 Rm:5 111001 Rn:5 Rd:5                                 NEON
fcmgt       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 101110 size 1 Rm:5 111001 Rn:5 Rd:5                                NEON
facge       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 1011100 sz 1 Rm:5 111011 Rn:5 Rd:5                                 NEON
facgt       Vd.T,Vn.T,Vm.T                      T=SD 0 Q 101110 size 1 Rm:5 111011 Rn:5 Rd:5                                NEON
frecps      Vd.T,Vn.T,Vm.T                      T=SD 0 Q 0011100 sz 1 Rm:5 111111 Rn:5 Rd:5                                 NEON
frsqrts     Vd.T,Vn.T,Vm.T                      T=SD 0 Q 001110 size 1 Rm:5 111111 Rn:5 Rd:5                                NEON
fadd        Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110010 Rm:5 000101 Rn:5 Rd:5                                     FP16
fsub        Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110110 Rm:5 000101 Rn:5 Rd:5                                     FP16
fmul        Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110010 Rm:5 000111 Rn:5 Rd:5                                     FP16
fdiv        Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110010 Rm:5 001111 Rn:5 Rd:5                                     FP16
fmulx       Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110010 Rm:5 000111 Rn:5 Rd:5                                     FP16
fabd        Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110110 Rm:5 000101 Rn:5 Rd:5                                     FP16
fmax        Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110010 Rm:5 001101 Rn:5 Rd:5                                     FP16
fmin        Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110110 Rm:5 001101 Rn:5 Rd:5                                     FP16
fmaxnm      Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110010 Rm:5 000001 Rn:5 Rd:5                                     FP16
fminnm      Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110110 Rm:5 000001 Rn:5 Rd:5                                     FP16
faddp       Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110010 Rm:5 000101 Rn:5 Rd:5                                     FP16
fmaxp       Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110010 Rm:5 001101 Rn:5 Rd:5                                     FP16
fminp       Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110110 Rm:5 001101 Rn:5 Rd:5                                     FP16
fmaxnmp     Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110010 Rm:5 000001 Rn:5 Rd:5                                     FP16
fminnmp     Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110110 Rm:5 000001 Rn:5 Rd:5                                     FP16
fcmeq       Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110010 Rm:5 001001 Rn:5 Rd:5                                     FP16
fcmge       Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110010 Rm:5 001001 Rn:5 Rd:5                                     FP16
fcmgt       Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110110 Rm:5 001001 Rn:5 Rd:5                                     FP16
facge       Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110010 Rm:5 001011 Rn:5 Rd:5                                     FP16
facgt       Vd.T,Vn.T,Vm.T                      T=H 0 Q 101110110 Rm:5 001011 Rn:5 Rd:5                                     FP16
frecps      Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110010 Rm:5 001111 Rn:5 Rd:5                                     FP16
frsqrts     Vd.T,Vn.T,Vm.T                      T=H 0 Q 001110110 Rm:5 001111 Rn:5 Rd:5                                     FP16
[fma vector]
fmla        x:Vd.T,Vn.T,Vm.T                    T=SD 0 Q 0011100 sz 1 Rm:5 110011 Rn:5 Rd:5                                 NEON
fmls        x:Vd.T,Vn.T,Vm.T                    T=SD 0 Q 001110 size 1 Rm:5 110011 Rn:5 Rd:5                                NEON
fmla        x:Vd.T,Vn.T,Vm.T                    T=H 0 Q 001110010 Rm:5 000011 Rn:5 Rd:5                                     FP16
fmls        x:Vd.T,Vn.T,Vm.T                    T=H 0 Q 001110110 Rm:5 000011 Rn:5 Rd:5                                     FP16
[arithmetic vector]
fabs        Vd.T,Vn.T                           T=SD 0 Q 001110 size 100000111110 Rn:5 Rd:5                                 NEON
fneg        Vd.T,Vn.T                           T=SD 0 Q 101110 size 100000111110 Rn:5 Rd:5                                 NEON
fsqrt       Vd.T,Vn.T                           T=SD 0 Q 101110 size 100001111110 Rn:5 Rd:5                                 NEON
frecpe      Vd.T,Vn.T                           T=SD 0 Q 001110 size 100001110110 Rn:5 Rd:5                                 NEON
frsqrte     Vd.T,Vn.T                           T=SD 0 Q 101110 size 100001110110 Rn:5 Rd:5                                 NEON
[convert vector]
frinta      Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001100010 Rn:5 Rd:5                                  NEON
frinti      Vd.T,Vn.T                           T=SD 0 Q 101110 size 100001100110 Rn:5 Rd:5                                 NEON
frintm      Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001100110 Rn:5 Rd:5                                  NEON
frintn      Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001100010 Rn:5 Rd:5                                  NEON
frintp      Vd.T,Vn.T                           T=SD 0 Q 001110 size 100001100010 Rn:5 Rd:5                                 NEON
frintx      Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001100110 Rn:5 Rd:5                                  NEON        ; key:vector.frinti
frintz      Vd.T,Vn.T                           T=SD 0 Q 001110 size 100001100110 Rn:5 Rd:5                                 NEON
fcvtas      Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001110010 Rn:5 Rd:5                                  NEON
fcvtau      Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001110010 Rn:5 Rd:5                                  NEON
fcvtms      Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001101110 Rn:5 Rd:5                                  NEON
fcvtmu      Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001101110 Rn:5 Rd:5                                  NEON
fcvtns      Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001101010 Rn:5 Rd:5                                  NEON
fcvtnu      Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001101010 Rn:5 Rd:5                                  NEON
fcvtps      Vd.T,Vn.T                           T=SD 0 Q 001110 size 100001101010 Rn:5 Rd:5                                 NEON
fcvtpu      Vd.T,Vn.T                           T=SD 0 Q 101110 size 100001101010 Rn:5 Rd:5                                 NEON
fcvtzs      Vd.T,Vn.T                           T=SD 0 Q 001110 size 100001101110 Rn:5 Rd:5                                 NEON
fcvtzu      Vd.T,Vn.T                           T=SD 0 Q 101110 size 100001101110 Rn:5 Rd:5                                 NEON
scvtf       Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001110110 Rn:5 Rd:5                                  NEON
ucvtf       Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001110110 Rn:5 Rd:5                                  NEON
[arithmetic vector]
fabs        Vd.T,Vn.T                           T=H 0 Q 00111011111000111110 Rn:5 Rd:5                                      FP16
fneg        Vd.T,Vn.T                           T=H 0 Q 10111011111000111110 Rn:5 Rd:5                                      FP16
fsqrt       Vd.T,Vn.T                           T=H 0 Q 10111011111001111110 Rn:5 Rd:5                                      FP16
frecpe      Vd.T,Vn.T                           T=H 0 Q 00111011111001110110 Rn:5 Rd:5                                      FP16
frsqrte     Vd.T,Vn.T                           T=H 0 Q 10111011111001110110 Rn:5 Rd:5                                      FP16
[convert vector]
frinta      Vd.T,Vn.T                           T=H 0 Q 10111001111001100010 Rn:5 Rd:5                                      FP16
frinti      Vd.T,Vn.T                           T=H 0 Q 10111011111001100110 Rn:5 Rd:5                                      FP16
frintm      Vd.T,Vn.T                           T=H 0 Q 00111001111001100110 Rn:5 Rd:5                                      FP16
frintn      Vd.T,Vn.T                           T=H 0 Q 00111001111001100010 Rn:5 Rd:5                                      FP16
frintp      Vd.T,Vn.T                           T=H 0 Q 00111011111001100010 Rn:5 Rd:5                                      FP16
frintx      Vd.T,Vn.T                           T=H 0 Q 10111001111001100110 Rn:5 Rd:5                                      FP16        ; key:vector.frinti
frintz      Vd.T,Vn.T                           T=H 0 Q 00111011111001100110 Rn:5 Rd:5                                      FP16
fcvtas      Vd.T,Vn.T                           T=H 0 Q 00111001111001110010 Rn:5 Rd:5                                      FP16
fcvtau      Vd.T,Vn.T                           T=H 0 Q 10111001111001110010 Rn:5 Rd:5                                      FP16
fcvtms      Vd.T,Vn.T                           T=H 0 Q 00111001111001101110 Rn:5 Rd:5                                      FP16
fcvtmu      Vd.T,Vn.T                           T=H 0 Q 10111001111001101110 Rn:5 Rd:5                                      FP16
fcvtns      Vd.T,Vn.T                           T=H 0 Q 00111001111001101010 Rn:5 Rd:5                                      FP16
fcvtnu      Vd.T,Vn.T                           T=H 0 Q 10111001111001101010 Rn:5 Rd:5                                      FP16
fcvtps      Vd.T,Vn.T                           T=H 0 Q 00111011111001101010 Rn:5 Rd:5                                      FP16
fcvtpu      Vd.T,Vn.T                           T=H 0 Q 10111011111001101010 Rn:5 Rd:5                                      FP16
fcvtzs      Vd.T,Vn.T                           T=H 0 Q 00111011111001101110 Rn:5 Rd:5                                      FP16
fcvtzu      Vd.T,Vn.T                           T=H 0 Q 10111011111001101110 Rn:5 Rd:5                                      FP16
scvtf       Vd.T,Vn.T                           T=H 0 Q 00111001111001110110 Rn:5 Rd:5                                      FP16
ucvtf       Vd.T,Vn.T                           T=H 0 Q 10111001111001110110 Rn:5 Rd:5                                      FP16
frint32x    Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001111010 Rn:5 Rd:5                                  FRINTTS
frint32z    Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001111010 Rn:5 Rd:5                                  FRINTTS
frint64x    Vd.T,Vn.T                           T=SD 0 Q 1011100 sz 100001111110 Rn:5 Rd:5                                  FRINTTS
frint64z    Vd.T,Vn.T                           T=SD 0 Q 0011100 sz 100001111110 Rn:5 Rd:5                                  FRINTTS
[arithmetic vector]
fcmeq       Vd.T,Vn.T,#0.0                      T=SD 0 Q 001110 size 100000110110 Rn:5 Rd:5                                 NEON
fcmge       Vd.T,Vn.T,#0.0                      T=SD 0 Q 101110 size 100000110010 Rn:5 Rd:5                                 NEON
fcmgt       Vd.T,Vn.T,#0.0                      T=SD 0 Q 001110 size 100000110010 Rn:5 Rd:5                                 NEON
fcmle       Vd.T,Vn.T,#0.0                      T=SD 0 Q 101110 size 100000110110 Rn:5 Rd:5                                 NEON
fcmlt       Vd.T,Vn.T,#0.0                      T=SD 0 Q 001110 size 100000111010 Rn:5 Rd:5                                 NEON
fcmeq       Vd.T,Vn.T,#0.0                      T=H 0 Q 00111011111000110110 Rn:5 Rd:5                                      FP16
fcmge       Vd.T,Vn.T,#0.0                      T=H 0 Q 10111011111000110010 Rn:5 Rd:5                                      FP16
fcmgt       Vd.T,Vn.T,#0.0                      T=H 0 Q 00111011111000110010 Rn:5 Rd:5                                      FP16
fcmle       Vd.T,Vn.T,#0.0                      T=H 0 Q 10111011111000110110 Rn:5 Rd:5                                      FP16
fcmlt       Vd.T,Vn.T,#0.0                      T=H 0 Q 00111011111000111010 Rn:5 Rd:5                                      FP16
[convert vector]
fcvtzs      Vd.T,Vn.T,#-sh                      T=SD 0 Q 0011110 tszsh 111111 Rn:5 Rd:5                                     NEON
fcvtzu      Vd.T,Vn.T,#-sh                      T=SD 0 Q 1011110 tszsh 111111 Rn:5 Rd:5                                     NEON
scvtf       Vd.T,Vn.T,#-sh                      T=SD 0 Q 0011110 tszsh 111001 Rn:5 Rd:5                                     NEON
ucvtf       Vd.T,Vn.T,#-sh                      T=SD 0 Q 1011110 tszsh 111001 Rn:5 Rd:5                                     NEON
fcvtzs      Vd.T,Vn.T,#-sh                      T=H 0 Q 0011110001 sh:4 111111 Rn:5 Rd:5                                    FP16
fcvtzu      Vd.T,Vn.T,#-sh                      T=H 0 Q 1011110001 sh:4 111111 Rn:5 Rd:5                                    FP16
scvtf       Vd.T,Vn.T,#-sh                      T=H 0 Q 0011110001 sh:4 111001 Rn:5 Rd:5                                    FP16
ucvtf       Vd.T,Vn.T,#-sh                      T=H 0 Q 1011110001 sh:4 111001 Rn:5 Rd:5                                    FP16
fcvtl       Vd.Ta,Vn.T                          T,Ta=4h,4s/2s,2d 00001110 tszsh[6:5] 100001011110 Rn:5 Rd:5                 NEON
fcvtl2      Vd.Ta,Vn.T                          T,Ta=8h,4s/4s,2d 01001110 tszsh[6:5] 100001011110 Rn:5 Rd:5                 NEON
fcvtn       Vd.T,Vn.Ta                          T,Ta=4h,4s/2s,2d 00001110 tszsh[6:5] 100001011010 Rn:5 Rd:5                 NEON
fcvtn2      x:Vd.T,Vn.Ta                        T,Ta=8h,4s/4s,2d 01001110 tszsh[6:5] 100001011010 Rn:5 Rd:5                 NEON
fcvtxn      Vd.2s,Vn.2d                         0010111001100001011010 Rn:5 Rd:5                                            NEON
fcvtxn2     x:Vd.4s,Vn.2d                       0110111001100001011010 Rn:5 Rd:5                                            NEON
fcvtxn      Sd,Dn                               0111111001100001011010 Rn:5 Rd:5                                            NEON
[arithmetic vector]
fmaxv       Sd,Vn.4s                            0110111000110000111110 Rn:5 Rd:5                                            NEON
fminv       Sd,Vn.4s                            0110111010110000111110 Rn:5 Rd:5                                            NEON
fmaxnmv     Sd,Vn.4s                            0110111000110000110010 Rn:5 Rd:5                                            NEON
fminnmv     Sd,Vn.4s                            0110111010110000110010 Rn:5 Rd:5                                            NEON
fmaxv       Hd,Vn.T                             T=H 0 Q 00111000110000111110 Rn:5 Rd:5                                      FP16
fminv       Hd,Vn.T                             T=H 0 Q 00111010110000111110 Rn:5 Rd:5                                      FP16
fmaxnmv     Hd,Vn.T                             T=H 0 Q 00111000110000110010 Rn:5 Rd:5                                      FP16
fminnmv     Hd,Vn.T                             T=H 0 Q 00111010110000110010 Rn:5 Rd:5                                      FP16
faddp       Fd,Vn.T                             T,F=2s,S/2d,D 01111110 ftype 110000110110 Rn:5 Rd:5                         NEON
fmaxp       Fd,Vn.T                             T,F=2s,S/2d,D 01111110 ftype 110000111110 Rn:5 Rd:5                         NEON
fminp       Fd,Vn.T                             T,F=2s,S/2d,D 01111110 size 110000111110 Rn:5 Rd:5                          NEON
fmaxnmp     Fd,Vn.T                             T,F=2s,S/2d,D 01111110 ftype 110000110010 Rn:5 Rd:5                         NEON
fminnmp     Fd,Vn.T                             T,F=2s,S/2d,D 01111110 size 110000110010 Rn:5 Rd:5                          NEON
faddp       Hd,Vn.2h                            0101111000110000110110 Rn:5 Rd:5                                            FP16
fmaxp       Hd,Vn.2h                            0101111000110000111110 Rn:5 Rd:5                                            FP16
fminp       Hd,Vn.2h                            0101111010110000111110 Rn:5 Rd:5                                            FP16
fmaxnmp     Hd,Vn.2h                            0101111000110000110010 Rn:5 Rd:5                                            FP16
fminnmp     Hd,Vn.2h                            0101111010110000110010 Rn:5 Rd:5                                            FP16
[move vector]
fmov        Vd.T,#imm:float                     T=S 0 Q 00111100000 imm[7:5] 111101 imm[4:0] Rd:5                           NEON
fmov        Vd.2d,#imm:float                    0110111100000 imm[7:5] 111101 imm[4:0] Rd:5                                 NEON
fmov        Vd.T,#imm:float                     T=H 0 Q 00111100000 imm[7:5] 111111 imm[4:0] Rd:5                           FP16
# Floating point by element
[fma vector]
fmla        x:Vd.T,Vn.T,Vm.Ts[i]                T,Ts=2s,s/4s,s/2d,d 0 Q 001111 size L Rm:5 0001 H 0 Rn:5 Rd:5               NEON
fmls        x:Vd.T,Vn.T,Vm.Ts[i]                T,Ts=2s,s/4s,s/2d,d 0 Q 001111 size L Rm:5 0101 H 0 Rn:5 Rd:5               NEON
[arithmetic vector]
fmul        Vd.T,Vn.T,Vm.Ts[i]                  T,Ts=2s,s/4s,s/2d,d 0 Q 001111 size L Rm:5 1001 H 0 Rn:5 Rd:5               NEON
fmulx       Vd.T,Vn.T,Vm.Ts[i]                  T,Ts=2s,s/4s,s/2d,d 0 Q 101111 size L Rm:5 1001 H 0 Rn:5 Rd:5               NEON
[fma vector]
fmla        x:Vd.T,Vn.T,Vm.h[i]                 T=H 0 Q 00111100 i[1:0] Rm:4 0001 i[2] 0 Rn:5 Rd:5                          FP16
fmls        x:Vd.T,Vn.T,Vm.h[i]                 T=H 0 Q 00111100 i[1:0] Rm:4 0101 i[2] 0 Rn:5 Rd:5                          FP16
[arithmetic vector]
fmul        Vd.T,Vn.T,Vm.h[i]                   T=H 0 Q 00111100 i[1:0] Rm:4 1001 i[2] 0 Rn:5 Rd:5                          FP16
fmulx       Vd.T,Vn.T,Vm.h[i]                   T=H 0 Q 10111100 i[1:0] Rm:4 1001 i[2] 0 Rn:5 Rd:5                          FP16
[fma vector]
fmla        x:Fd,Fn,Vm.Ts[i]                    Ts,F=s,S/d,D 01011111 size L Rm:5 0001 H 0 Rn:5 Rd:5                        NEON
fmls        x:Fd,Fn,Vm.Ts[i]                    Ts,F=s,S/d,D 01011111 size L Rm:5 0101 H 0 Rn:5 Rd:5                        NEON
[arithmetic vector]
fmul        Fd,Fn,Vm.Ts[i]                      Ts,F=s,S/d,D 01011111 size L Rm:5 1001 H 0 Rn:5 Rd:5                        NEON
fmulx       Fd,Fn,Vm.Ts[i]                      Ts,F=s,S/d,D 01111111 size L Rm:5 1001 H 0 Rn:5 Rd:5                        NEON
[fma vector]
fmla        x:Hd,Hn,Vm.h[i]                     0101111100 i[1:0] Rm:4 0001 i[2] 0 Rn:5 Rd:5                                FP16
fmls        x:Hd,Hn,Vm.h[i]                     0101111100 i[1:0] Rm:4 0101 i[2] 0 Rn:5 Rd:5                                FP16
[arithmetic vector]
fmul        Hd,Hn,Vm.h[i]                       0101111100 i[1:0] Rm:4 1001 i[2] 0 Rn:5 Rd:5                                FP16
fmulx       Hd,Hn,Vm.h[i]                       0111111100 i[1:0] Rm:4 1001 i[2] 0 Rn:5 Rd:5                                FP16
# Floating point, scalars
fadd        Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 001010 Rn:5 Rd:5                                 NEON
fsub        Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 001110 Rn:5 Rd:5                                 NEON
fmul        Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 000010 Rn:5 Rd:5                                 NEON
fdiv        Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 000110 Rn:5 Rd:5                                 NEON
fnmul       Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 100010 Rn:5 Rd:5                                 NEON
fmax        Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 010010 Rn:5 Rd:5                                 NEON
fmin        Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 010110 Rn:5 Rd:5                                 NEON
fmaxnm      Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 011010 Rn:5 Rd:5                                 NEON
fminnm      Fd,Fn,Fm                            F=SD 00011110 ftype 1 Rm:5 011110 Rn:5 Rd:5                                 NEON
fmulx       Fd,Fn,Fm                            F=SD 01011110 ftype 1 Rm:5 110111 Rn:5 Rd:5                                 NEON
fabd        Fd,Fn,Fm                            F=SD 01111110 size 1 Rm:5 110101 Rn:5 Rd:5                                  NEON
fcmeq       Fd,Fn,Fm                            F=SD 01011110 ftype 1 Rm:5 111001 Rn:5 Rd:5                                 NEON
fcmge       Fd,Fn,Fm                            F=SD 01111110 ftype 1 Rm:5 111001 Rn:5 Rd:5                                 NEON
fcmgt       Fd,Fn,Fm                            F=SD 01111110 size 1 Rm:5 111001 Rn:5 Rd:5                                  NEON
facge       Fd,Fn,Fm                            F=SD 01111110 ftype 1 Rm:5 111011 Rn:5 Rd:5                                 NEON
facgt       Fd,Fn,Fm                            F=SD 01111110 size 1 Rm:5 111011 Rn:5 Rd:5                                  NEON
frecps      Fd,Fn,Fm                            F=SD 01011110 ftype 1 Rm:5 111111 Rn:5 Rd:5                                 NEON
frsqrts     Fd,Fn,Fm                            F=SD 01011110 size 1 Rm:5 111111 Rn:5 Rd:5                                  NEON
fadd        Hd,Hn,Hm                            00011110111 Rm:5 001010 Rn:5 Rd:5                                           FP16
fsub        Hd,Hn,Hm                            00011110111 Rm:5 001110 Rn:5 Rd:5                                           FP16
fmul        Hd,Hn,Hm                            00011110111 Rm:5 000010 Rn:5 Rd:5                                           FP16
fdiv        Hd,Hn,Hm                            00011110111 Rm:5 000110 Rn:5 Rd:5                                           FP16
fnmul       Hd,Hn,Hm                            00011110111 Rm:5 100010 Rn:5 Rd:5                                           FP16
fmax        Hd,Hn,Hm                            00011110111 Rm:5 010010 Rn:5 Rd:5                                           FP16
fmin        Hd,Hn,Hm                            00011110111 Rm:5 010110 Rn:5 Rd:5                                           FP16
fmaxnm      Hd,Hn,Hm                            00011110111 Rm:5 011010 Rn:5 Rd:5                                           FP16
fminnm      Hd,Hn,Hm                            00011110111 Rm:5 011110 Rn:5 Rd:5                                           FP16
fmulx       Hd,Hn,Hm                            01011110010 Rm:5 000111 Rn:5 Rd:5                                           FP16
fabd        Hd,Hn,Hm                            01111110110 Rm:5 000101 Rn:5 Rd:5                                           FP16
fcmeq       Hd,Hn,Hm                            01011110010 Rm:5 001001 Rn:5 Rd:5                                           FP16
fcmge       Hd,Hn,Hm                            01111110010 Rm:5 001001 Rn:5 Rd:5                                           FP16
fcmgt       Hd,Hn,Hm                            01111110110 Rm:5 001001 Rn:5 Rd:5                                           FP16
facge       Hd,Hn,Hm                            01111110010 Rm:5 001011 Rn:5 Rd:5                                           FP16
facgt       Hd,Hn,Hm                            01111110110 Rm:5 001011 Rn:5 Rd:5                                           FP16
frecps      Hd,Hn,Hm                            01011110010 Rm:5 001111 Rn:5 Rd:5                                           FP16
frsqrts     Hd,Hn,Hm                            01011110110 Rm:5 001111 Rn:5 Rd:5                                           FP16
[fma vector]
fmadd       Fd,Fn,Fm,Fa                         F=SD 00011111 ftype 0 Rm:5 0 Ra:5 Rn:5 Rd:5                                 NEON        ; key:vector.fmad
fmsub       Fd,Fn,Fm,Fa                         F=SD 00011111 ftype 0 Rm:5 1 Ra:5 Rn:5 Rd:5                                 NEON        ; key:vector.fmsb
fnmadd      Fd,Fn,Fm,Fa                         F=SD 00011111 ftype 1 Rm:5 0 Ra:5 Rn:5 Rd:5                                 NEON        ; key:vector.fnmad
fnmsub      Fd,Fn,Fm,Fa                         F=SD 00011111 ftype 1 Rm:5 1 Ra:5 Rn:5 Rd:5                                 NEON        ; key:vector.fnmsb
fmadd       Hd,Hn,Hm,Ha                         00011111110 Rm:5 0 Ra:5 Rn:5 Rd:5                                           FP16        ; key:vector.fmad
fmsub       Hd,Hn,Hm,Ha                         00011111110 Rm:5 1 Ra:5 Rn:5 Rd:5                                           FP16        ; key:vector.fmsb
fnmadd      Hd,Hn,Hm,Ha                         00011111111 Rm:5 0 Ra:5 Rn:5 Rd:5                                           FP16        ; key:vector.fnmad
fnmsub      Hd,Hn,Hm,Ha                         00011111111 Rm:5 1 Ra:5 Rn:5 Rd:5                                           FP16        ; key:vector.fnmsb
[arithmetic vector]
fabs        Fd,Fn                               F=SD 00011110 ftype 100000110000 Rn:5 Rd:5                                  NEON
fneg        Fd,Fn                               F=SD 00011110 ftype 100001010000 Rn:5 Rd:5                                  NEON
fsqrt       Fd,Fn                               F=SD 00011110 ftype 100001110000 Rn:5 Rd:5                                  NEON
[move vector]
fmov        Fd,Fn                               F=SD 00011110 ftype 100000010000 Rn:5 Rd:5                                  NEON
[convert vector]
frinta      Fd,Fn                               F=SD 00011110 ftype 100110010000 Rn:5 Rd:5                                  NEON
frinti      Fd,Fn                               F=SD 00011110 ftype 100111110000 Rn:5 Rd:5                                  NEON
frintm      Fd,Fn                               F=SD 00011110 ftype 100101010000 Rn:5 Rd:5                                  NEON
frintn      Fd,Fn                               F=SD 00011110 ftype 100100010000 Rn:5 Rd:5                                  NEON
frintp      Fd,Fn                               F=SD 00011110 ftype 100100110000 Rn:5 Rd:5                                  NEON
frintx      Fd,Fn                               F=SD 00011110 ftype 100111010000 Rn:5 Rd:5                                  NEON        ; key:vector.frinti
frintz      Fd,Fn                               F=SD 00011110 ftype 100101110000 Rn:5 Rd:5                                  NEON
[arithmetic vector]
frecpe      Fd,Fn                               F=SD 01011110 size 100001110110 Rn:5 Rd:5                                   NEON
frsqrte     Fd,Fn                               F=SD 01111110 size 100001110110 Rn:5 Rd:5                                   NEON
frecpx      Fd,Fn                               F=SD 01011110 size 100001111110 Rn:5 Rd:5                                   NEON
fabs        Hd,Hn                               0001111011100000110000 Rn:5 Rd:5                                            FP16
fneg        Hd,Hn                               0001111011100001010000 Rn:5 Rd:5                                            FP16
fsqrt       Hd,Hn                               0001111011100001110000 Rn:5 Rd:5                                            FP16
[move vector]
fmov        Hd,Hn                               0001111011100000010000 Rn:5 Rd:5                                            FP16
[convert vector]
frinta      Hd,Hn                               0001111011100110010000 Rn:5 Rd:5                                            FP16
frinti      Hd,Hn                               0001111011100111110000 Rn:5 Rd:5                                            FP16
frintm      Hd,Hn                               0001111011100101010000 Rn:5 Rd:5                                            FP16
frintn      Hd,Hn                               0001111011100100010000 Rn:5 Rd:5                                            FP16
frintp      Hd,Hn                               0001111011100100110000 Rn:5 Rd:5                                            FP16
frintx      Hd,Hn                               0001111011100111010000 Rn:5 Rd:5                                            FP16        ; key:vector.frinti
frintz      Hd,Hn                               0001111011100101110000 Rn:5 Rd:5                                            FP16
[arithmetic vector]
frecpe      Hd,Hn                               0101111011111001110110 Rn:5 Rd:5                                            FP16
frsqrte     Hd,Hn                               0111111011111001110110 Rn:5 Rd:5                                            FP16
frecpx      Hd,Hn                               0101111011111001111110 Rn:5 Rd:5                                            FP16
[convert vector]
frint32x    Fd,Fn                               F=SD 00011110 ftype 101000110000 Rn:5 Rd:5                                  FRINTTS
frint32z    Fd,Fn                               F=SD 00011110 ftype 101000010000 Rn:5 Rd:5                                  FRINTTS
frint64x    Fd,Fn                               F=SD 00011110 ftype 101001110000 Rn:5 Rd:5                                  FRINTTS
frint64z    Fd,Fn                               F=SD 00011110 ftype 101001010000 Rn:5 Rd:5                                  FRINTTS
[arithmetic vector]
fcmp        r:Fn,Fm                             F=SD 00011110 ftype 1 Rm:5 001000 Rn:5 00000                                NEON        ; w:nzcv
fcmpe       r:Fn,Fm                             F=SD 00011110 ftype 1 Rm:5 001000 Rn:5 10000                                NEON        ; w:nzcv key:vector.fcmp
fcmp        r:Hn,Hm                             00011110111 Rm:5 001000 Rn:5 00000                                          FP16        ; w:nzcv
fcmpe       r:Hn,Hm                             00011110111 Rm:5 001000 Rn:5 10000                                          FP16        ; w:nzcv key:vector.fcmp
fcmp        r:Fn,#0.0                           F=SD 00011110 ftype 100000001000 Rn:5 01000                                 NEON        ; w:nzcv
fcmpe       r:Fn,#0.0                           F=SD 00011110 ftype 100000001000 Rn:5 11000                                 NEON        ; w:nzcv key:vector.fcmp
fcmp        r:Hn,#0.0                           0001111011100000001000 Rn:5 01000                                           FP16        ; w:nzcv
fcmpe       r:Hn,#0.0                           0001111011100000001000 Rn:5 11000                                           FP16        ; w:nzcv key:vector.fcmp
fccmp       r:Fn,Fm,#nzcv,cond                  F=SD 00011110 ftype 1 Rm:5 cond:4 01 Rn:5 0 nzcv:4                          NEON        ; x:nzcv
fccmpe      r:Fn,Fm,#nzcv,cond                  F=SD 00011110 ftype 1 Rm:5 cond:4 01 Rn:5 1 nzcv:4                          NEON        ; x:nzcv key:vector.fccmp
fccmp       r:Hn,Hm,#nzcv,cond                  00011110111 Rm:5 cond:4 01 Rn:5 0 nzcv:4                                    FP16        ; x:nzcv
fccmpe      r:Hn,Hm,#nzcv,cond                  00011110111 Rm:5 cond:4 01 Rn:5 1 nzcv:4                                    FP16        ; x:nzcv key:vector.fccmp
fcsel       Fd,Fn,Fm,cond                       F=SD 00011110 ftype 1 Rm:5 cond:4 11 Rn:5 Rd:5                              NEON        ; r:nzcv
fcsel       Hd,Hn,Hm,cond                       00011110111 Rm:5 cond:4 11 Rn:5 Rd:5                                        FP16        ; r:nzcv
fcmeq       Fd,Fn,#0.0                          F=SD 01011110 size 100000110110 Rn:5 Rd:5                                   NEON
fcmge       Fd,Fn,#0.0                          F=SD 01111110 size 100000110010 Rn:5 Rd:5                                   NEON
fcmgt       Fd,Fn,#0.0                          F=SD 01011110 size 100000110010 Rn:5 Rd:5                                   NEON
fcmle       Fd,Fn,#0.0                          F=SD 01111110 size 100000110110 Rn:5 Rd:5                                   NEON
fcmlt       Fd,Fn,#0.0                          F=SD 01011110 size 100000111010 Rn:5 Rd:5                                   NEON
fcmeq       Hd,Hn,#0.0                          0101111011111000110110 Rn:5 Rd:5                                            FP16
fcmge       Hd,Hn,#0.0                          0111111011111000110010 Rn:5 Rd:5                                            FP16
fcmgt       Hd,Hn,#0.0                          0101111011111000110010 Rn:5 Rd:5                                            FP16
fcmle       Hd,Hn,#0.0                          0111111011111000110110 Rn:5 Rd:5                                            FP16
fcmlt       Hd,Hn,#0.0                          0101111011111000111010 Rn:5 Rd:5                                            FP16
[move vector]
fmov        Fd,#imm:float                       F=SD 00011110 ftype 1 imm:8 10000000 Rd:5                                   NEON
fmov        Hd,#imm:float                       00011110111 imm:8 10000000 Rd:5                                             FP16
fmov        Sd,Wn                               0001111000100111000000 Rn:5 Rd:5                                            NEON
fmov        Wd,Sn                               0001111000100110000000 Rn:5 Rd:5                                            NEON
fmov        Dd,Xn                               1001111001100111000000 Rn:5 Rd:5                                            NEON
fmov        Xd,Dn                               1001111001100110000000 Rn:5 Rd:5                                            NEON
fmov        Hd,Rn                               R=WX sf 001111011100111000000 Rn:5 Rd:5                                     FP16
fmov        Rd,Hn                               R=WX sf 001111011100110000000 Rn:5 Rd:5                                     FP16
fmov        x:Vd.d[1],Xn                        1001111010101111000000 Rn:5 Rd:5                                            NEON
fmov        Xd,Vn.d[1]                          1001111010101110000000 Rn:5 Rd:5                                            NEON
[convert vector]
fcvt        Dd,Sn                               0001111000100010110000 Rn:5 Rd:5                                            NEON
fcvt        Sd,Dn                               0001111001100010010000 Rn:5 Rd:5                                            NEON
fcvt        Sd,Hn                               0001111011100010010000 Rn:5 Rd:5                                            NEON
fcvt        Dd,Hn                               0001111011100010110000 Rn:5 Rd:5                                            NEON
fcvt        Hd,Sn                               0001111000100011110000 Rn:5 Rd:5                                            NEON
fcvt        Hd,Dn                               0001111001100011110000 Rn:5 Rd:5                                            NEON
fcvtas      Rd,Fn                               R=WX F=SD sf 0011110 ftype 100100000000 Rn:5 Rd:5                           NEON
fcvtau      Rd,Fn                               R=WX F=SD sf 0011110 ftype 100101000000 Rn:5 Rd:5                           NEON
fcvtms      Rd,Fn                               R=WX F=SD sf 0011110 ftype 110000000000 Rn:5 Rd:5                           NEON
fcvtmu      Rd,Fn                               R=WX F=SD sf 0011110 ftype 110001000000 Rn:5 Rd:5                           NEON
fcvtns      Rd,Fn                               R=WX F=SD sf 0011110 ftype 100000000000 Rn:5 Rd:5                           NEON
fcvtnu      Rd,Fn                               R=WX F=SD sf 0011110 ftype 100001000000 Rn:5 Rd:5                           NEON
fcvtps      Rd,Fn                               R=WX F=SD sf 0011110 ftype 101000000000 Rn:5 Rd:5                           NEON
fcvtpu      Rd,Fn                               R=WX F=SD sf 0011110 ftype 101001000000 Rn:5 Rd:5                           NEON
fcvtzs      Rd,Fn                               R=WX F=SD sf 0011110 ftype 111000000000 Rn:5 Rd:5                           NEON
fcvtzu      Rd,Fn                               R=WX F=SD sf 0011110 ftype 111001000000 Rn:5 Rd:5                           NEON
fcvtas      Rd,Hn                               R=WX sf 001111011100100000000 Rn:5 Rd:5                                     FP16
fcvtau      Rd,Hn                               R=WX sf 001111011100101000000 Rn:5 Rd:5                                     FP16
fcvtms      Rd,Hn                               R=WX sf 001111011110000000000 Rn:5 Rd:5                                     FP16
fcvtmu      Rd,Hn                               R=WX sf 001111011110001000000 Rn:5 Rd:5                                     FP16
fcvtns      Rd,Hn                               R=WX sf 001111011100000000000 Rn:5 Rd:5                                     FP16
fcvtnu      Rd,Hn                               R=WX sf 001111011100001000000 Rn:5 Rd:5                                     FP16
fcvtps      Rd,Hn                               R=WX sf 001111011101000000000 Rn:5 Rd:5                                     FP16
fcvtpu      Rd,Hn                               R=WX sf 001111011101001000000 Rn:5 Rd:5                                     FP16
fcvtzs      Rd,Hn                               R=WX sf 001111011111000000000 Rn:5 Rd:5                                     FP16
fcvtzu      Rd,Hn                               R=WX sf 001111011111001000000 Rn:5 Rd:5                                     FP16
fcvtas      Fd,Fn                               F=SD 01011110 ftype 100001110010 Rn:5 Rd:5                                  NEON
fcvtau      Fd,Fn                               F=SD 01111110 ftype 100001110010 Rn:5 Rd:5                                  NEON
fcvtms      Fd,Fn                               F=SD 01011110 ftype 100001101110 Rn:5 Rd:5                                  NEON
fcvtmu      Fd,Fn                               F=SD 01111110 ftype 100001101110 Rn:5 Rd:5                                  NEON
fcvtns      Fd,Fn                               F=SD 01011110 ftype 100001101010 Rn:5 Rd:5                                  NEON
fcvtnu      Fd,Fn                               F=SD 01111110 ftype 100001101010 Rn:5 Rd:5                                  NEON
fcvtps      Fd,Fn                               F=SD 01011110 size 100001101010 Rn:5 Rd:5                                   NEON
fcvtpu      Fd,Fn                               F=SD 01111110 size 100001101010 Rn:5 Rd:5                                   NEON
fcvtzs      Fd,Fn                               F=SD 01011110 size 100001101110 Rn:5 Rd:5                                   NEON
fcvtzu      Fd,Fn                               F=SD 01111110 size 100001101110 Rn:5 Rd:5                                   NEON
scvtf       Fd,Fn                               F=SD 01011110 ftype 100001110110 Rn:5 Rd:5                                  NEON
ucvtf       Fd,Fn                               F=SD 01111110 ftype 100001110110 Rn:5 Rd:5                                  NEON
fcvtas      Hd,Hn                               0101111001111001110010 Rn:5 Rd:5                                            FP16
fcvtau      Hd,Hn                               0111111001111001110010 Rn:5 Rd:5                                            FP16
fcvtms      Hd,Hn                               0101111001111001101110 Rn:5 Rd:5                                            FP16
fcvtmu      Hd,Hn                               0111111001111001101110 Rn:5 Rd:5                                            FP16
fcvtns      Hd,Hn                               0101111001111001101010 Rn:5 Rd:5                                            FP16
fcvtnu      Hd,Hn                               0111111001111001101010 Rn:5 Rd:5                                            FP16
fcvtps      Hd,Hn                               0101111011111001101010 Rn:5 Rd:5                                            FP16
fcvtpu      Hd,Hn                               0111111011111001101010 Rn:5 Rd:5                                            FP16
fcvtzs      Hd,Hn                               0101111011111001101110 Rn:5 Rd:5                                            FP16
fcvtzu      Hd,Hn                               0111111011111001101110 Rn:5 Rd:5                                            FP16
scvtf       Hd,Hn                               0101111001111001110110 Rn:5 Rd:5                                            FP16
ucvtf       Hd,Hn                               0111111001111001110110 Rn:5 Rd:5                                            FP16
scvtf       Fd,Rn                               R=WX F=SD sf 0011110 ftype 100010000000 Rn:5 Rd:5                           NEON
ucvtf       Fd,Rn                               R=WX F=SD sf 0011110 ftype 100011000000 Rn:5 Rd:5                           NEON
scvtf       Hd,Rn                               R=WX sf 001111011100010000000 Rn:5 Rd:5                                     FP16
ucvtf       Hd,Rn                               R=WX sf 001111011100011000000 Rn:5 Rd:5                                     FP16
fcvtzs      Fd,Fn,#-sh                          F=SD 010111110 tszsh 111111 Rn:5 Rd:5                                       NEON
fcvtzu      Fd,Fn,#-sh                          F=SD 011111110 tszsh 111111 Rn:5 Rd:5                                       NEON
scvtf       Fd,Fn,#-sh                          F=SD 010111110 tszsh 111001 Rn:5 Rd:5                                       NEON
ucvtf       Fd,Fn,#-sh                          F=SD 011111110 tszsh 111001 Rn:5 Rd:5                                       NEON
fcvtzs      Hd,Hn,#-sh                          010111110001 sh:4 111111 Rn:5 Rd:5                                          FP16
fcvtzu      Hd,Hn,#-sh                          011111110001 sh:4 111111 Rn:5 Rd:5                                          FP16
scvtf       Hd,Hn,#-sh                          010111110001 sh:4 111001 Rn:5 Rd:5                                          FP16
ucvtf       Hd,Hn,#-sh                          011111110001 sh:4 111001 Rn:5 Rd:5                                          FP16
scvtf       Fd,Xn,#-sh                          F=SD 10011110 ftype 000010 sh:6 Rn:5 Rd:5                                   NEON
ucvtf       Fd,Xn,#-sh                          F=SD 10011110 ftype 000011 sh:6 Rn:5 Rd:5                                   NEON
scvtf       Hd,Xn,#-sh                          1001111011000010 sh:6 Rn:5 Rd:5                                             FP16
ucvtf       Hd,Xn,#-sh                          1001111011000011 sh:6 Rn:5 Rd:5                                             FP16
fcvtzs      Xd,Fn,#-sh                          F=SD 10011110 ftype 011000 sh:6 Rn:5 Rd:5                                   NEON
fcvtzu      Xd,Fn,#-sh                          F=SD 10011110 ftype 011001 sh:6 Rn:5 Rd:5                                   NEON
fcvtzs      Xd,Hn,#-sh                          1001111011011000 sh:6 Rn:5 Rd:5                                             FP16
fcvtzu      Xd,Hn,#-sh                          1001111011011001 sh:6 Rn:5 Rd:5                                             FP16
scvtf       Fd,Wn,#-sh                          F=SD 00011110 ftype 000010 1 sh:5 Rn:5 Rd:5                         NEON
ucvtf       Fd,Wn,#-sh                          F=SD 00011110 ftype 000011 1 sh:5 Rn:5 Rd:5                         NEON
scvtf       Hd,Wn,#-sh                          0001111011000010 1 sh:5 Rn:5 Rd:5                                   FP16
ucvtf       Hd,Wn,#-sh                          0001111011000011 1 sh:5 Rn:5 Rd:5                                   FP16
fcvtzs      Wd,Fn,#-sh                          F=SD 00011110 ftype 011000 1 sh:5 Rn:5 Rd:5                         NEON
fcvtzu      Wd,Fn,#-sh                          F=SD 00011110 ftype 011001 1 sh:5 Rn:5 Rd:5                         NEON
fcvtzs      Wd,Hn,#-sh                          0001111011011000 1 sh:5 Rn:5 Rd:5                                   FP16
fcvtzu      Wd,Hn,#-sh                          0001111011011001 1 sh:5 Rn:5 Rd:5                                   FP16
[convert general]
fjcvtzs     Wd,Dn                               0001111001111110000000 Rn:5 Rd:5                                            JSCVT       ; w:nzcv
# FHM, FCMA, DotProd, I8MM, BF16
[fma vector]
fmlal       x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,2h/4s,4h 0 Q 001110001 Rm:5 111011 Rn:5 Rd:5                        FHM
fmlal2      x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,2h/4s,4h 0 Q 101110001 Rm:5 110011 Rn:5 Rd:5                        FHM
fmlsl       x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,2h/4s,4h 0 Q 001110101 Rm:5 111011 Rn:5 Rd:5                        FHM
fmlsl2      x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,2h/4s,4h 0 Q 101110101 Rm:5 110011 Rn:5 Rd:5                        FHM
fmlal       x:Vd.T,Vn.Tb,Vm.h[i]                T,Tb=2s,2h/4s,4h 0 Q 00111110 i[1:0] Rm:4 0000 i[2] 0 Rn:5 Rd:5             FHM
fmlal2      x:Vd.T,Vn.Tb,Vm.h[i]                T,Tb=2s,2h/4s,4h 0 Q 10111110 i[1:0] Rm:4 1000 i[2] 0 Rn:5 Rd:5             FHM
fmlsl       x:Vd.T,Vn.Tb,Vm.h[i]                T,Tb=2s,2h/4s,4h 0 Q 00111110 i[1:0] Rm:4 0100 i[2] 0 Rn:5 Rd:5             FHM
fmlsl2      x:Vd.T,Vn.Tb,Vm.h[i]                T,Tb=2s,2h/4s,4h 0 Q 10111110 i[1:0] Rm:4 1100 i[2] 0 Rn:5 Rd:5             FHM
[arithmetic vector]
fcadd       Vd.T,Vn.T,Vm.T,#rot:90|270          T=SD 0 Q 101110 size 0 Rm:5 111 rot:1 01 Rn:5 Rd:5                          FCMA
fcadd       Vd.T,Vn.T,Vm.T,#rot:90|270          T=H 0 Q 101110010 Rm:5 111 rot:1 01 Rn:5 Rd:5                               FCMA+FP16
[fma vector]
fcmla       x:Vd.T,Vn.T,Vm.T,#rot*90            T=SD 0 Q 101110 size 0 Rm:5 110 rot:2 1 Rn:5 Rd:5                           FCMA
fcmla       x:Vd.T,Vn.T,Vm.T,#rot*90            T=H 0 Q 101110010 Rm:5 110 rot:2 1 Rn:5 Rd:5                                FCMA+FP16
fcmla       x:Vd.4s,Vn.4s,Vm.s[i],#rot*90       01101111100 Rm:5 0 rot:2 1 i:1 0 Rn:5 Rd:5                                  FCMA
fcmla       x:Vd.4h,Vn.4h,Vm.h[i],#rot*90       0010111101 i:1 Rm:5 0 rot:2 100 Rn:5 Rd:5                                   FCMA+FP16
fcmla       x:Vd.8h,Vn.8h,Vm.h[i],#rot*90       0110111101 i[0] Rm:5 0 rot:2 1 i[1] 0 Rn:5 Rd:5                             FCMA+FP16
[dot vector]
sdot        x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,8b/4s,16b 0 Q 001110100 Rm:5 100101 Rn:5 Rd:5                       DOTPROD
udot        x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,8b/4s,16b 0 Q 101110100 Rm:5 100101 Rn:5 Rd:5                       DOTPROD
sdot        x:Vd.T,Vn.Tb,Vm.4b[i]               T,Tb=2s,8b/4s,16b 0 Q 00111110 i[0] Rm:5 1110 i[1] 0 Rn:5 Rd:5              DOTPROD
udot        x:Vd.T,Vn.Tb,Vm.4b[i]               T,Tb=2s,8b/4s,16b 0 Q 10111110 i[0] Rm:5 1110 i[1] 0 Rn:5 Rd:5              DOTPROD
usdot       x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,8b/4s,16b 0 Q 001110100 Rm:5 100111 Rn:5 Rd:5                       I8MM
usdot       x:Vd.T,Vn.Tb,Vm.4b[i]               T,Tb=2s,8b/4s,16b 0 Q 00111110 i[0] Rm:5 1111 i[1] 0 Rn:5 Rd:5              I8MM
sudot       x:Vd.T,Vn.Tb,Vm.4b[i]               T,Tb=2s,8b/4s,16b 0 Q 00111100 i[0] Rm:5 1111 i[1] 0 Rn:5 Rd:5              I8MM
smmla       x:Vd.4s,Vn.16b,Vm.16b               01001110100 Rm:5 101001 Rn:5 Rd:5                                           I8MM
ummla       x:Vd.4s,Vn.16b,Vm.16b               01101110100 Rm:5 101001 Rn:5 Rd:5                                           I8MM
usmmla      x:Vd.4s,Vn.16b,Vm.16b               01001110100 Rm:5 101011 Rn:5 Rd:5                                           I8MM
bfdot       x:Vd.T,Vn.Tb,Vm.Tb                  T,Tb=2s,4h/4s,8h 0 Q 101110010 Rm:5 111111 Rn:5 Rd:5                        BF16
bfdot       x:Vd.T,Vn.Tb,Vm.2h[i]               T,Tb=2s,4h/4s,8h 0 Q 00111101 i[0] Rm:5 1111 i[1] 0 Rn:5 Rd:5               BF16
bfmmla      x:Vd.4s,Vn.8h,Vm.8h                 01101110010 Rm:5 111011 Rn:5 Rd:5                                           BF16
[fma vector]
bfmlalb     x:Vd.4s,Vn.8h,Vm.8h                 00101110110 Rm:5 111111 Rn:5 Rd:5                                           BF16
bfmlalt     x:Vd.4s,Vn.8h,Vm.8h                 01101110110 Rm:5 111111 Rn:5 Rd:5                                           BF16
bfmlalb     x:Vd.4s,Vn.8h,Vm.h[i]               0000111111 i[1:0] Rm:4 1111 i[2] 0 Rn:5 Rd:5                                BF16
bfmlalt     x:Vd.4s,Vn.8h,Vm.h[i]               0100111111 i[1:0] Rm:4 1111 i[2] 0 Rn:5 Rd:5                                BF16
[convert vector]
bfcvtn      Vd.4h,Vn.4s                         0000111010100001011010 Rn:5 Rd:5                                            BF16
bfcvtn2     x:Vd.8h,Vn.4s                       0100111010100001011010 Rn:5 Rd:5                                            BF16
bfcvt       Hd,Sn                               0001111001100011010000 Rn:5 Rd:5                                            BF16
# Cryptography
[arithmetic vector]
aese        x:Vd.16b,Vn.16b                     0100111000101000010010 Rn:5 Rd:5                                            NEON_AES
aesd        x:Vd.16b,Vn.16b                     0100111000101000010110 Rn:5 Rd:5                                            NEON_AES
aesmc       Vd.16b,Vn.16b                       0100111000101000011010 Rn:5 Rd:5                                            NEON_AES
aesimc      Vd.16b,Vn.16b                       0100111000101000011110 Rn:5 Rd:5                                            NEON_AES
sha1c       x:Qd,Sn,Vm.4s                       01011110000 Rm:5 000000 Rn:5 Rd:5                                           NEON_SHA1
sha1m       x:Qd,Sn,Vm.4s                       01011110000 Rm:5 001000 Rn:5 Rd:5                                           NEON_SHA1
sha1p       x:Qd,Sn,Vm.4s                       01011110000 Rm:5 000100 Rn:5 Rd:5                                           NEON_SHA1
sha1h       Sd,Sn                               0101111000101000000010 Rn:5 Rd:5                                            NEON_SHA1
sha1su0     x:Vd.4s,Vn.4s,Vm.4s                 01011110000 Rm:5 001100 Rn:5 Rd:5                                           NEON_SHA1
sha1su1     x:Vd.4s,Vn.4s                       0101111000101000000110 Rn:5 Rd:5                                            NEON_SHA1
sha256h     x:Qd,Qn,Vm.4s                       01011110000 Rm:5 010000 Rn:5 Rd:5                                           NEON_SHA256
sha256h2    x:Qd,Qn,Vm.4s                       01011110000 Rm:5 010100 Rn:5 Rd:5                                           NEON_SHA256
sha256su0   x:Vd.4s,Vn.4s                       0101111000101000001010 Rn:5 Rd:5                                            NEON_SHA256
sha256su1   x:Vd.4s,Vn.4s,Vm.4s                 01011110000 Rm:5 011000 Rn:5 Rd:5                                           NEON_SHA256
sha512h     x:Qd,Qn,Vm.2d                       11001110011 Rm:5 100000 Rn:5 Rd:5                                           NEON_SHA512
sha512h2    x:Qd,Qn,Vm.2d                       11001110011 Rm:5 100001 Rn:5 Rd:5                                           NEON_SHA512
sha512su0   x:Vd.2d,Vn.2d                       1100111011000000100000 Rn:5 Rd:5                                            NEON_SHA512
sha512su1   x:Vd.2d,Vn.2d,Vm.2d                 11001110011 Rm:5 100010 Rn:5 Rd:5                                           NEON_SHA512
eor3        Vd.16b,Vn.16b,Vm.16b,Va.16b         11001110000 Rm:5 0 Ra:5 Rn:5 Rd:5                                           NEON_SHA3
bcax        Vd.16b,Vn.16b,Vm.16b,Va.16b         11001110001 Rm:5 0 Ra:5 Rn:5 Rd:5                                           NEON_SHA3
rax1        Vd.2d,Vn.2d,Vm.2d                   11001110011 Rm:5 100011 Rn:5 Rd:5                                           NEON_SHA3
xar         Vd.2d,Vn.2d,Vm.2d,#imm              11001110100 Rm:5 imm:6 Rn:5 Rd:5                                            NEON_SHA3
sm4e        x:Vd.4s,Vn.4s                       1100111011000000100001 Rn:5 Rd:5                                            NEON_SM4
sm4ekey     Vd.4s,Vn.4s,Vm.4s                   11001110011 Rm:5 110010 Rn:5 Rd:5                                           NEON_SM4
sm3partw1   x:Vd.4s,Vn.4s,Vm.4s                 11001110011 Rm:5 110000 Rn:5 Rd:5                                           NEON_SM3
sm3partw2   x:Vd.4s,Vn.4s,Vm.4s                 11001110011 Rm:5 110001 Rn:5 Rd:5                                           NEON_SM3
sm3ss1      Vd.4s,Vn.4s,Vm.4s,Va.4s             11001110010 Rm:5 0 Ra:5 Rn:5 Rd:5                                           NEON_SM3
sm3tt1a     x:Vd.4s,Vn.4s,Vm.s[i]               11001110010 Rm:5 10 i:2 00 Rn:5 Rd:5                                        NEON_SM3
sm3tt1b     x:Vd.4s,Vn.4s,Vm.s[i]               11001110010 Rm:5 10 i:2 01 Rn:5 Rd:5                                        NEON_SM3
sm3tt2a     x:Vd.4s,Vn.4s,Vm.s[i]               11001110010 Rm:5 10 i:2 10 Rn:5 Rd:5                                        NEON_SM3
sm3tt2b     x:Vd.4s,Vn.4s,Vm.s[i]               11001110010 Rm:5 10 i:2 11 Rn:5 Rd:5                                        NEON_SM3
""",
)
