"""Vector and mask instructions that have no VEX counterpart of the same operands. Columns and letters: grammar.py.

Sources: Intel SDM vol. 2 (order 325383); the AVX512-FP16 architecture specification (347407).
"""

ROWS = (
    """
# Moves
[move]
vmovw            X,r32/m16                  RM EVEX.128.66.MAP5.W0 6E /r        AVX512_FP16
vmovw            r32/m16,X                  MR EVEX.128.66.MAP5.W0 7E /r        AVX512_FP16
vmovdqa32        V{kz},V/M                  RM EVEX.66.0F.W0 6F /r              AVX512F              ; key:vmovaps
vmovdqa64        V{kz},V/M                  RM EVEX.66.0F.W1 6F /r              AVX512F              ; key:vmovapd
vmovdqu32        V{kz},V/M                  RM EVEX.F3.0F.W0 6F /r              AVX512F              ; key:vmovups
vmovdqu64        V{kz},V/M                  RM EVEX.F3.0F.W1 6F /r              AVX512F              ; key:vmovupd
vmovdqu8         V{kz},V/M                  RM EVEX.F2.0F.W0 6F /r              AVX512BW
vmovdqu16        V{kz},V/M                  RM EVEX.F2.0F.W1 6F /r              AVX512BW
vmovdqa32        M{k},V                     MR EVEX.66.0F.W0 7F /r              AVX512F              ; key:vmovaps
vmovdqa64        M{k},V                     MR EVEX.66.0F.W1 7F /r              AVX512F              ; key:vmovapd
vmovdqu32        M{k},V                     MR EVEX.F3.0F.W0 7F /r              AVX512F              ; key:vmovups
vmovdqu64        M{k},V                     MR EVEX.F3.0F.W1 7F /r              AVX512F              ; key:vmovupd
vmovdqu8         M{k},V                     MR EVEX.F2.0F.W0 7F /r              AVX512BW
vmovdqu16        M{k},V                     MR EVEX.F2.0F.W1 7F /r              AVX512BW
vmovsh           X{kz},X,X                  RVM EVEX.LIG.F3.MAP5.W0 10 /r       AVX512_FP16
vmovsh           X{kz},m16                  RM EVEX.LIG.F3.MAP5.W0 10 /r        AVX512_FP16
vmovsh           m16{k},X                   MR EVEX.LIG.F3.MAP5.W0 11 /r        AVX512_FP16
""",
    """
# Broadcasts and duplicates
[shuffle]
vmovddup         Z{kz},Z/m512               RM EVEX.512.F2.0F.W1 12 /r          AVX512F
vbroadcastss     V{kz},X/m32                RM EVEX.66.0F38.W0 18 /r            AVX512F
vbroadcastf32x2  V{kz},X/m64                RM EVEX.256.512.66.0F38.W0 19 /r    AVX512DQ
vbroadcastsd     V{kz},X/m64                RM EVEX.256.512.66.0F38.W1 19 /r    AVX512F
vbroadcastf32x4  V{kz},m128                 RM EVEX.256.512.66.0F38.W0 1A /r    AVX512F
vbroadcastf64x2  V{kz},m128                 RM EVEX.256.512.66.0F38.W1 1A /r    AVX512DQ
vbroadcastf32x8  Z{kz},m256                 RM EVEX.512.66.0F38.W0 1B /r        AVX512DQ
vbroadcastf64x4  Z{kz},m256                 RM EVEX.512.66.0F38.W1 1B /r        AVX512F
vbroadcasti32x2  V{kz},X/m64                RM EVEX.66.0F38.W0 59 /r            AVX512DQ             ; key:vbroadcastf32x2
vbroadcasti32x4  V{kz},m128                 RM EVEX.256.512.66.0F38.W0 5A /r    AVX512F              ; key:vbroadcastf32x4
vbroadcasti64x2  V{kz},m128                 RM EVEX.256.512.66.0F38.W1 5A /r    AVX512DQ             ; key:vbroadcastf64x2
vbroadcasti32x8  Z{kz},m256                 RM EVEX.512.66.0F38.W0 5B /r        AVX512DQ             ; key:vbroadcastf32x8
vbroadcasti64x4  Z{kz},m256                 RM EVEX.512.66.0F38.W1 5B /r        AVX512F              ; key:vbroadcastf64x4
vpbroadcastb     V{kz},r32                  RM EVEX.66.0F38.W0 7A /r            AVX512BW
vpbroadcastw     V{kz},r32                  RM EVEX.66.0F38.W0 7B /r            AVX512BW
vpbroadcastd     V{kz},r32                  RM EVEX.66.0F38.W0 7C /r            AVX512F              ; key:vbroadcastss
vpbroadcastq     V{kz},r64                  RM EVEX.66.0F38.W1 7C /r            AVX512F              ; key:vbroadcastsd
""",
    """
# Floating-point arithmetic
[arithmetic]
vscalefps        V{kz},V,V/M/b32{er}        RVM EVEX.66.0F38.W0 2C /r           AVX512F
vscalefpd        V{kz},V,V/M/b64{er}        RVM EVEX.66.0F38.W1 2C /r           AVX512F
vscalefss        X{kz},X,X/m32{er}          RVM EVEX.LIG.66.0F38.W0 2D /r       AVX512F
vscalefsd        X{kz},X,X/m64{er}          RVM EVEX.LIG.66.0F38.W1 2D /r       AVX512F
vgetexpps        V{kz},V/M/b32{sae}         RM EVEX.66.0F38.W0 42 /r            AVX512F
vgetexppd        V{kz},V/M/b64{sae}         RM EVEX.66.0F38.W1 42 /r            AVX512F
vgetexpss        X{kz},X,X/m32{sae}         RVM EVEX.LIG.66.0F38.W0 43 /r       AVX512F
vgetexpsd        X{kz},X,X/m64{sae}         RVM EVEX.LIG.66.0F38.W1 43 /r       AVX512F
vrcp14ps         V{kz},V/M/b32              RM EVEX.66.0F38.W0 4C /r            AVX512F
vrcp14pd         V{kz},V/M/b64              RM EVEX.66.0F38.W1 4C /r            AVX512F
vrcp14ss         X{kz},X,X/m32              RVM EVEX.LIG.66.0F38.W0 4D /r       AVX512F
vrcp14sd         X{kz},X,X/m64              RVM EVEX.LIG.66.0F38.W1 4D /r       AVX512F
vrsqrt14ps       V{kz},V/M/b32              RM EVEX.66.0F38.W0 4E /r            AVX512F
vrsqrt14pd       V{kz},V/M/b64              RM EVEX.66.0F38.W1 4E /r            AVX512F
vrsqrt14ss       X{kz},X,X/m32              RVM EVEX.LIG.66.0F38.W0 4F /r       AVX512F
vrsqrt14sd       X{kz},X,X/m64              RVM EVEX.LIG.66.0F38.W1 4F /r       AVX512F
[convert]
vrndscaleph      V{kz},V/M/b16{sae},u8      RMI EVEX.NP.0F3A.W0 08 /r           AVX512_FP16
vrndscaleps      V{kz},V/M/b32{sae},u8      RMI EVEX.66.0F3A.W0 08 /r           AVX512F
vrndscalepd      V{kz},V/M/b64{sae},u8      RMI EVEX.66.0F3A.W1 09 /r           AVX512F
vrndscalesh      X{kz},X,X/m16{sae},u8      RVMI EVEX.LIG.NP.0F3A.W0 0A /r      AVX512_FP16
vrndscaless      X{kz},X,X/m32{sae},u8      RVMI EVEX.LIG.66.0F3A.W0 0A /r      AVX512F
vrndscalesd      X{kz},X,X/m64{sae},u8      RVMI EVEX.LIG.66.0F3A.W1 0B /r      AVX512F
[arithmetic]
vgetmantph       V{kz},V/M/b16{sae},u8      RMI EVEX.NP.0F3A.W0 26 /r           AVX512_FP16
vgetmantps       V{kz},V/M/b32{sae},u8      RMI EVEX.66.0F3A.W0 26 /r           AVX512F
vgetmantpd       V{kz},V/M/b64{sae},u8      RMI EVEX.66.0F3A.W1 26 /r           AVX512F
vgetmantsh       X{kz},X,X/m16{sae},u8      RVMI EVEX.LIG.NP.0F3A.W0 27 /r      AVX512_FP16
vgetmantss       X{kz},X,X/m32{sae},u8      RVMI EVEX.LIG.66.0F3A.W0 27 /r      AVX512F
vgetmantsd       X{kz},X,X/m64{sae},u8      RVMI EVEX.LIG.66.0F3A.W1 27 /r      AVX512F
vrangeps         V{kz},V,V/M/b32{sae},u8    RVMI EVEX.66.0F3A.W0 50 /r          AVX512DQ
vrangepd         V{kz},V,V/M/b64{sae},u8    RVMI EVEX.66.0F3A.W1 50 /r          AVX512DQ
vrangess         X{kz},X,X/m32{sae},u8      RVMI EVEX.LIG.66.0F3A.W0 51 /r      AVX512DQ
vrangesd         X{kz},X,X/m64{sae},u8      RVMI EVEX.LIG.66.0F3A.W1 51 /r      AVX512DQ
vfixupimmps      x:V{kz},V,V/M/b32{sae},u8  RVMI EVEX.66.0F3A.W0 54 /r          AVX512F
vfixupimmpd      x:V{kz},V,V/M/b64{sae},u8  RVMI EVEX.66.0F3A.W1 54 /r          AVX512F
vfixupimmss      x:X{kz},X,X/m32{sae},u8    RVMI EVEX.LIG.66.0F3A.W0 55 /r      AVX512F
vfixupimmsd      x:X{kz},X,X/m64{sae},u8    RVMI EVEX.LIG.66.0F3A.W1 55 /r      AVX512F
vreduceph        V{kz},V/M/b16{sae},u8      RMI EVEX.NP.0F3A.W0 56 /r           AVX512_FP16
vreduceps        V{kz},V/M/b32{sae},u8      RMI EVEX.66.0F3A.W0 56 /r           AVX512DQ
vreducepd        V{kz},V/M/b64{sae},u8      RMI EVEX.66.0F3A.W1 56 /r           AVX512DQ
vreducesh        X{kz},X,X/m16{sae},u8      RVMI EVEX.LIG.NP.0F3A.W0 57 /r      AVX512_FP16
vreducess        X{kz},X,X/m32{sae},u8      RVMI EVEX.LIG.66.0F3A.W0 57 /r      AVX512DQ
vreducesd        X{kz},X,X/m64{sae},u8      RVMI EVEX.LIG.66.0F3A.W1 57 /r      AVX512DQ
vsqrtph          V{kz},V/M/b16{er}          RM EVEX.NP.MAP5.W0 51 /r            AVX512_FP16
vsqrtsh          X{kz},X,X/m16{er}          RVM EVEX.LIG.F3.MAP5.W0 51 /r       AVX512_FP16
vaddph           V{kz},V,V/M/b16{er}        RVM EVEX.NP.MAP5.W0 58 /r           AVX512_FP16
vaddsh           X{kz},X,X/m16{er}          RVM EVEX.LIG.F3.MAP5.W0 58 /r       AVX512_FP16
vmulph           V{kz},V,V/M/b16{er}        RVM EVEX.NP.MAP5.W0 59 /r           AVX512_FP16
vmulsh           X{kz},X,X/m16{er}          RVM EVEX.LIG.F3.MAP5.W0 59 /r       AVX512_FP16
vsubph           V{kz},V,V/M/b16{er}        RVM EVEX.NP.MAP5.W0 5C /r           AVX512_FP16
vsubsh           X{kz},X,X/m16{er}          RVM EVEX.LIG.F3.MAP5.W0 5C /r       AVX512_FP16
vminph           V{kz},V,V/M/b16{sae}       RVM EVEX.NP.MAP5.W0 5D /r           AVX512_FP16
vminsh           X{kz},X,X/m16{sae}         RVM EVEX.LIG.F3.MAP5.W0 5D /r       AVX512_FP16
vdivph           V{kz},V,V/M/b16{er}        RVM EVEX.NP.MAP5.W0 5E /r           AVX512_FP16
vdivsh           X{kz},X,X/m16{er}          RVM EVEX.LIG.F3.MAP5.W0 5E /r       AVX512_FP16
vmaxph           V{kz},V,V/M/b16{sae}       RVM EVEX.NP.MAP5.W0 5F /r           AVX512_FP16
vmaxsh           X{kz},X,X/m16{sae}         RVM EVEX.LIG.F3.MAP5.W0 5F /r       AVX512_FP16
vscalefph        V{kz},V,V/M/b16{er}        RVM EVEX.66.MAP6.W0 2C /r           AVX512_FP16
vscalefsh        X{kz},X,X/m16{er}          RVM EVEX.LIG.66.MAP6.W0 2D /r       AVX512_FP16
vgetexpph        V{kz},V/M/b16{sae}         RM EVEX.66.MAP6.W0 42 /r            AVX512_FP16
vgetexpsh        X{kz},X,X/m16{sae}         RVM EVEX.LIG.66.MAP6.W0 43 /r       AVX512_FP16
vrcpph           V{kz},V/M/b16              RM EVEX.66.MAP6.W0 4C /r            AVX512_FP16
vrcpsh           X{kz},X,X/m16              RVM EVEX.LIG.66.MAP6.W0 4D /r       AVX512_FP16
vrsqrtph         V{kz},V/M/b16              RM EVEX.66.MAP6.W0 4E /r            AVX512_FP16
vrsqrtsh         X{kz},X,X/m16              RVM EVEX.LIG.66.MAP6.W0 4F /r       AVX512_FP16
""",
    """
# Fused multiply-add
[fma]
vfmaddsub132ph   x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 96 /r           AVX512_FP16
vfmsubadd132ph   x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 97 /r           AVX512_FP16
vfmadd132ph      x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 98 /r           AVX512_FP16
vfmadd132sh      x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 99 /r       AVX512_FP16
vfmsub132ph      x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 9A /r           AVX512_FP16
vfmsub132sh      x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 9B /r       AVX512_FP16
vfnmadd132ph     x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 9C /r           AVX512_FP16
vfnmadd132sh     x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 9D /r       AVX512_FP16
vfnmsub132ph     x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 9E /r           AVX512_FP16
vfnmsub132sh     x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 9F /r       AVX512_FP16
vfmaddsub213ph   x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 A6 /r           AVX512_FP16
vfmsubadd213ph   x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 A7 /r           AVX512_FP16
vfmadd213ph      x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 A8 /r           AVX512_FP16
vfmadd213sh      x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 A9 /r       AVX512_FP16
vfmsub213ph      x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 AA /r           AVX512_FP16
vfmsub213sh      x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 AB /r       AVX512_FP16
vfnmadd213ph     x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 AC /r           AVX512_FP16
vfnmadd213sh     x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 AD /r       AVX512_FP16
vfnmsub213ph     x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 AE /r           AVX512_FP16
vfnmsub213sh     x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 AF /r       AVX512_FP16
vfmaddsub231ph   x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 B6 /r           AVX512_FP16
vfmsubadd231ph   x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 B7 /r           AVX512_FP16
vfmadd231ph      x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 B8 /r           AVX512_FP16
vfmadd231sh      x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 B9 /r       AVX512_FP16
vfmsub231ph      x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 BA /r           AVX512_FP16
vfmsub231sh      x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 BB /r       AVX512_FP16
vfnmadd231ph     x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 BC /r           AVX512_FP16
vfnmadd231sh     x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 BD /r       AVX512_FP16
vfnmsub231ph     x:V{kz},V,V/M/b16{er}      RVM EVEX.66.MAP6.W0 BE /r           AVX512_FP16
vfnmsub231sh     x:X{kz},X,X/m16{er}        RVM EVEX.LIG.66.MAP6.W0 BF /r       AVX512_FP16
""",
    """
# Complex numbers
[fma]
vfmaddcph        x:V{kz}{ne},V,V/M/b32{er}  RVM EVEX.F3.MAP6.W0 56 /r           AVX512_FP16
vfcmaddcph       x:V{kz}{ne},V,V/M/b32{er}  RVM EVEX.F2.MAP6.W0 56 /r           AVX512_FP16
vfmaddcsh        x:X{kz}{ne},X,X/m32{er}    RVM EVEX.LIG.F3.MAP6.W0 57 /r       AVX512_FP16
vfcmaddcsh       x:X{kz}{ne},X,X/m32{er}    RVM EVEX.LIG.F2.MAP6.W0 57 /r       AVX512_FP16
vfmulcph         V{kz}{ne},V,V/M/b32{er}    RVM EVEX.F3.MAP6.W0 D6 /r           AVX512_FP16
vfcmulcph        V{kz}{ne},V,V/M/b32{er}    RVM EVEX.F2.MAP6.W0 D6 /r           AVX512_FP16
vfmulcsh         X{kz}{ne},X,X/m32{er}      RVM EVEX.LIG.F3.MAP6.W0 D7 /r       AVX512_FP16
vfcmulcsh        X{kz}{ne},X,X/m32{er}      RVM EVEX.LIG.F2.MAP6.W0 D7 /r       AVX512_FP16
""",
    """
# Comparisons and tests
[arithmetic]
vpcmpgtb         K{k},V,V/M                 RVM EVEX.66.0F.WIG 64 /r            AVX512BW
vpcmpgtw         K{k},V,V/M                 RVM EVEX.66.0F.WIG 65 /r            AVX512BW
vpcmpgtd         K{k},V,V/M/b32             RVM EVEX.66.0F.W0 66 /r             AVX512F
vpcmpeqb         K{k},V,V/M                 RVM EVEX.66.0F.WIG 74 /r            AVX512BW
vpcmpeqw         K{k},V,V/M                 RVM EVEX.66.0F.WIG 75 /r            AVX512BW
vpcmpeqd         K{k},V,V/M/b32             RVM EVEX.66.0F.W0 76 /r             AVX512F
vcmpps           K{k},V,V/M/b32{sae},u8     RVMI EVEX.NP.0F.W0 C2 /r            AVX512F
vcmppd           K{k},V,V/M/b64{sae},u8     RVMI EVEX.66.0F.W1 C2 /r            AVX512F
vcmpss           K{k},X,X/m32{sae},u8       RVMI EVEX.LIG.F3.0F.W0 C2 /r        AVX512F
vcmpsd           K{k},X,X/m64{sae},u8       RVMI EVEX.LIG.F2.0F.W1 C2 /r        AVX512F
vptestmb         K{k},V,V/M                 RVM EVEX.66.0F38.W0 26 /r           AVX512BW
vptestmw         K{k},V,V/M                 RVM EVEX.66.0F38.W1 26 /r           AVX512BW
vptestnmb        K{k},V,V/M                 RVM EVEX.F3.0F38.W0 26 /r           AVX512BW
vptestnmw        K{k},V,V/M                 RVM EVEX.F3.0F38.W1 26 /r           AVX512BW
vptestmd         K{k},V,V/M/b32             RVM EVEX.66.0F38.W0 27 /r           AVX512F
vptestmq         K{k},V,V/M/b64             RVM EVEX.66.0F38.W1 27 /r           AVX512F
vptestnmd        K{k},V,V/M/b32             RVM EVEX.F3.0F38.W0 27 /r           AVX512F
vptestnmq        K{k},V,V/M/b64             RVM EVEX.F3.0F38.W1 27 /r           AVX512F
vpcmpeqq         K{k},V,V/M/b64             RVM EVEX.66.0F38.W1 29 /r           AVX512F
vpcmpgtq         K{k},V,V/M/b64             RVM EVEX.66.0F38.W1 37 /r           AVX512F
vpcmpud          K{k},V,V/M/b32,u8          RVMI EVEX.66.0F3A.W0 1E /r          AVX512F
vpcmpuq          K{k},V,V/M/b64,u8          RVMI EVEX.66.0F3A.W1 1E /r          AVX512F
vpcmpd           K{k},V,V/M/b32,u8          RVMI EVEX.66.0F3A.W0 1F /r          AVX512F
vpcmpq           K{k},V,V/M/b64,u8          RVMI EVEX.66.0F3A.W1 1F /r          AVX512F
vpcmpub          K{k},V,V/M,u8              RVMI EVEX.66.0F3A.W0 3E /r          AVX512BW
vpcmpuw          K{k},V,V/M,u8              RVMI EVEX.66.0F3A.W1 3E /r          AVX512BW
vpcmpb           K{k},V,V/M,u8              RVMI EVEX.66.0F3A.W0 3F /r          AVX512BW
vpcmpw           K{k},V,V/M,u8              RVMI EVEX.66.0F3A.W1 3F /r          AVX512BW
vfpclassph       K{k},V/M/b16,u8            RMI EVEX.NP.0F3A.W0 66 /r           AVX512_FP16
vfpclassps       K{k},V/M/b32,u8            RMI EVEX.66.0F3A.W0 66 /r           AVX512DQ
vfpclasspd       K{k},V/M/b64,u8            RMI EVEX.66.0F3A.W1 66 /r           AVX512DQ
vfpclasssh       K{k},X/m16,u8              RMI EVEX.LIG.NP.0F3A.W0 67 /r       AVX512_FP16
vfpclassss       K{k},X/m32,u8              RMI EVEX.LIG.66.0F3A.W0 67 /r       AVX512DQ
vfpclasssd       K{k},X/m64,u8              RMI EVEX.LIG.66.0F3A.W1 67 /r       AVX512DQ
vcmpph           K{k},V,V/M/b16{sae},u8     RVMI EVEX.NP.0F3A.W0 C2 /r          AVX512_FP16
vcmpsh           K{k},X,X/m16{sae},u8       RVMI EVEX.LIG.F3.0F3A.W0 C2 /r      AVX512_FP16
vucomish         r:X,X/m16{sae}             RM EVEX.LIG.NP.MAP5.W0 2E /r        AVX512_FP16          ; w:flags
vcomish          r:X,X/m16{sae}             RM EVEX.LIG.NP.MAP5.W0 2F /r        AVX512_FP16          ; w:flags key:vucomish
""",
    """
# Conversions
[convert]
vcvtsi2sd        X,X,r32/m32                RVM EVEX.LIG.F2.0F.W0 2A /r         AVX512F
vcvtsi2sd        X,X,r64/m64{er}            RVM EVEX.LIG.F2.0F.W1 2A /r         AVX512F
vcvtqq2ps        H{kz},V/M/b64{er}          RM EVEX.NP.0F.W1 5B /r              AVX512DQ
vcvttps2udq      V{kz},V/M/b32{sae}         RM EVEX.NP.0F.W0 78 /r              AVX512F
vcvttpd2udq      H{kz},V/M/b64{sae}         RM EVEX.NP.0F.W1 78 /r              AVX512F
vcvttps2uqq      V{kz},H/MH/b32{sae}        RM EVEX.66.0F.W0 78 /r              AVX512DQ
vcvttpd2uqq      V{kz},V/M/b64{sae}         RM EVEX.66.0F.W1 78 /r              AVX512DQ
vcvttss2usi      Ry,X/m32{sae}              RM EVEX.LIG.F3.0F 78 /r             AVX512F
vcvttsd2usi      Ry,X/m64{sae}              RM EVEX.LIG.F2.0F 78 /r             AVX512F
vcvtps2udq       V{kz},V/M/b32{er}          RM EVEX.NP.0F.W0 79 /r              AVX512F
vcvtpd2udq       H{kz},V/M/b64{er}          RM EVEX.NP.0F.W1 79 /r              AVX512F
vcvtps2uqq       V{kz},H/MH/b32{er}         RM EVEX.66.0F.W0 79 /r              AVX512DQ
vcvtpd2uqq       V{kz},V/M/b64{er}          RM EVEX.66.0F.W1 79 /r              AVX512DQ
vcvtss2usi       Ry,X/m32{er}               RM EVEX.LIG.F3.0F 79 /r             AVX512F
vcvtsd2usi       Ry,X/m64{er}               RM EVEX.LIG.F2.0F 79 /r             AVX512F
vcvttps2qq       V{kz},H/MH/b32{sae}        RM EVEX.66.0F.W0 7A /r              AVX512DQ
vcvttpd2qq       V{kz},V/M/b64{sae}         RM EVEX.66.0F.W1 7A /r              AVX512DQ
vcvtudq2pd       V{kz},H/MH/b32             RM EVEX.F3.0F.W0 7A /r              AVX512F
vcvtuqq2pd       V{kz},V/M/b64{er}          RM EVEX.F3.0F.W1 7A /r              AVX512DQ
vcvtudq2ps       V{kz},V/M/b32{er}          RM EVEX.F2.0F.W0 7A /r              AVX512F
vcvtuqq2ps       H{kz},V/M/b64{er}          RM EVEX.F2.0F.W1 7A /r              AVX512DQ
vcvtps2qq        V{kz},H/MH/b32{er}         RM EVEX.66.0F.W0 7B /r              AVX512DQ
vcvtpd2qq        V{kz},V/M/b64{er}          RM EVEX.66.0F.W1 7B /r              AVX512DQ
vcvtusi2ss       X,X,Ry/My{er}              RVM EVEX.LIG.F3.0F 7B /r            AVX512F
vcvtusi2sd       X,X,r32/m32                RVM EVEX.LIG.F2.0F.W0 7B /r         AVX512F
vcvtusi2sd       X,X,r64/m64{er}            RVM EVEX.LIG.F2.0F.W1 7B /r         AVX512F
vcvtqq2pd        V{kz},V/M/b64{er}          RM EVEX.F3.0F.W1 E6 /r              AVX512DQ
vcvtne2ps2bf16   V{kz},V,V/M/b32            RVM EVEX.F2.0F38.W0 72 /r           AVX512_BF16
vcvtps2ph        H{kz},V{sae},u8            MRI EVEX.66.0F3A.W0 1D /r           AVX512F
vcvtps2ph        MH{k},V,u8                 MRI EVEX.66.0F3A.W0 1D /r           AVX512F
vcvtss2sh        X{kz},X,X/m32{er}          RVM EVEX.LIG.NP.MAP5.W0 1D /r       AVX512_FP16
vcvtps2phx       H{kz},V/M/b32{er}          RM EVEX.66.MAP5.W0 1D /r            AVX512_FP16
vcvtsi2sh        X,X,Ry/My{er}              RVM EVEX.LIG.F3.MAP5 2A /r          AVX512_FP16
vcvttsh2si       Ry,X/m16{sae}              RM EVEX.LIG.F3.MAP5 2C /r           AVX512_FP16
vcvtsh2si        Ry,X/m16{er}               RM EVEX.LIG.F3.MAP5 2D /r           AVX512_FP16
vcvtph2pd        V{kz},X/MQ/b16{sae}        RM EVEX.NP.MAP5.W0 5A /r            AVX512_FP16
vcvtpd2ph        X{kz},V/M/b64{er}          RM EVEX.66.MAP5.W1 5A /r            AVX512_FP16
vcvtsh2sd        X{kz},X,X/m16{sae}         RVM EVEX.LIG.F3.MAP5.W0 5A /r       AVX512_FP16
vcvtsd2sh        X{kz},X,X/m64{er}          RVM EVEX.LIG.F2.MAP5.W1 5A /r       AVX512_FP16
vcvtdq2ph        H{kz},V/M/b32{er}          RM EVEX.NP.MAP5.W0 5B /r            AVX512_FP16
vcvtqq2ph        X{kz},V/M/b64{er}          RM EVEX.NP.MAP5.W1 5B /r            AVX512_FP16
vcvtph2dq        V{kz},H/MH/b16{er}         RM EVEX.66.MAP5.W0 5B /r            AVX512_FP16
vcvttph2dq       V{kz},H/MH/b16{sae}        RM EVEX.F3.MAP5.W0 5B /r            AVX512_FP16
vcvttph2udq      V{kz},H/MH/b16{sae}        RM EVEX.NP.MAP5.W0 78 /r            AVX512_FP16
vcvttph2uqq      V{kz},X/MQ/b16{sae}        RM EVEX.66.MAP5.W0 78 /r            AVX512_FP16
vcvttsh2usi      Ry,X/m16{sae}              RM EVEX.LIG.F3.MAP5 78 /r           AVX512_FP16
vcvtph2udq       V{kz},H/MH/b16{er}         RM EVEX.NP.MAP5.W0 79 /r            AVX512_FP16
vcvtph2uqq       V{kz},X/MQ/b16{er}         RM EVEX.66.MAP5.W0 79 /r            AVX512_FP16
vcvtsh2usi       Ry,X/m16{er}               RM EVEX.LIG.F3.MAP5 79 /r           AVX512_FP16
vcvttph2qq       V{kz},X/MQ/b16{sae}        RM EVEX.66.MAP5.W0 7A /r            AVX512_FP16
vcvtudq2ph       H{kz},V/M/b32{er}          RM EVEX.F2.MAP5.W0 7A /r            AVX512_FP16
vcvtuqq2ph       X{kz},V/M/b64{er}          RM EVEX.F2.MAP5.W1 7A /r            AVX512_FP16
vcvtph2qq        V{kz},X/MQ/b16{er}         RM EVEX.66.MAP5.W0 7B /r            AVX512_FP16
vcvtusi2sh       X,X,Ry/My{er}              RVM EVEX.LIG.F3.MAP5 7B /r          AVX512_FP16
vcvttph2uw       V{kz},V/M/b16{sae}         RM EVEX.NP.MAP5.W0 7C /r            AVX512_FP16
vcvttph2w        V{kz},V/M/b16{sae}         RM EVEX.66.MAP5.W0 7C /r            AVX512_FP16
vcvtph2uw        V{kz},V/M/b16{er}          RM EVEX.NP.MAP5.W0 7D /r            AVX512_FP16
vcvtph2w         V{kz},V/M/b16{er}          RM EVEX.66.MAP5.W0 7D /r            AVX512_FP16
vcvtw2ph         V{kz},V/M/b16{er}          RM EVEX.F3.MAP5.W0 7D /r            AVX512_FP16
vcvtuw2ph        V{kz},V/M/b16{er}          RM EVEX.F2.MAP5.W0 7D /r            AVX512_FP16
vcvtsh2ss        X{kz},X,X/m16{sae}         RVM EVEX.LIG.NP.MAP6.W0 13 /r       AVX512_FP16
vcvtph2psx       V{kz},H/MH/b16{sae}        RM EVEX.66.MAP6.W0 13 /r            AVX512_FP16
""",
    """
# Integer arithmetic
[arithmetic]
vpabsq           V{kz},V/M/b64              RM EVEX.66.0F38.W1 1F /r            AVX512F
vpminsq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 39 /r           AVX512F
vpminuq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 3B /r           AVX512F
vpmaxsq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 3D /r           AVX512F
vpmaxuq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 3F /r           AVX512F
vpmullq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 40 /r           AVX512DQ
vdbpsadbw        V{kz},V,V/M,u8             RVMI EVEX.66.0F3A.W0 42 /r          AVX512BW
""",
    """
# Dot products
[dot]
vdpbf16ps        x:V{kz},V,V/M/b32          RVM EVEX.F3.0F38.W0 52 /r           AVX512_BF16
""",
    """
# Integer logic and shifts
[arithmetic]
vpsrlw           V{kz},V/M,u8               VMI EVEX.66.0F.WIG 71 /2            AVX512BW
vpsraw           V{kz},V/M,u8               VMI EVEX.66.0F.WIG 71 /4            AVX512BW
vpsllw           V{kz},V/M,u8               VMI EVEX.66.0F.WIG 71 /6            AVX512BW
vprord           V{kz},V/M/b32,u8           VMI EVEX.66.0F.W0 72 /0             AVX512F
vprold           V{kz},V/M/b32,u8           VMI EVEX.66.0F.W0 72 /1             AVX512F
vpsrld           V{kz},V/M/b32,u8           VMI EVEX.66.0F.W0 72 /2             AVX512F
vpsrad           V{kz},V/M/b32,u8           VMI EVEX.66.0F.W0 72 /4             AVX512F
vpslld           V{kz},V/M/b32,u8           VMI EVEX.66.0F.W0 72 /6             AVX512F
vprorq           V{kz},V/M/b64,u8           VMI EVEX.66.0F.W1 72 /0             AVX512F
vprolq           V{kz},V/M/b64,u8           VMI EVEX.66.0F.W1 72 /1             AVX512F
vpsraq           V{kz},V/M/b64,u8           VMI EVEX.66.0F.W1 72 /4             AVX512F
vpsrlq           V{kz},V/M/b64,u8           VMI EVEX.66.0F.W1 73 /2             AVX512F
vpsllq           V{kz},V/M/b64,u8           VMI EVEX.66.0F.W1 73 /6             AVX512F
vpsrldq          V,V/M,u8                   VMI EVEX.66.0F.WIG 73 /3            AVX512BW
vpslldq          V,V/M,u8                   VMI EVEX.66.0F.WIG 73 /7            AVX512BW
vpandd           V{kz},V,V/M/b32            RVM EVEX.66.0F.W0 DB /r             AVX512F
vpandq           V{kz},V,V/M/b64            RVM EVEX.66.0F.W1 DB /r             AVX512F              ; key:vpand
vpandnd          V{kz},V,V/M/b32            RVM EVEX.66.0F.W0 DF /r             AVX512F
vpandnq          V{kz},V,V/M/b64            RVM EVEX.66.0F.W1 DF /r             AVX512F              ; key:vpandn
vpsraq           V{kz},V,X/m128             RVM EVEX.66.0F.W1 E2 /r             AVX512F
vpord            V{kz},V,V/M/b32            RVM EVEX.66.0F.W0 EB /r             AVX512F
vporq            V{kz},V,V/M/b64            RVM EVEX.66.0F.W1 EB /r             AVX512F              ; key:vpor
vpxord           V{kz},V,V/M/b32            RVM EVEX.66.0F.W0 EF /r             AVX512F
vpxorq           V{kz},V,V/M/b64            RVM EVEX.66.0F.W1 EF /r             AVX512F              ; key:vpxor
vpsrlvw          V{kz},V,V/M                RVM EVEX.66.0F38.W1 10 /r           AVX512BW
vpsravw          V{kz},V,V/M                RVM EVEX.66.0F38.W1 11 /r           AVX512BW
vpsllvw          V{kz},V,V/M                RVM EVEX.66.0F38.W1 12 /r           AVX512BW
vprorvd          V{kz},V,V/M/b32            RVM EVEX.66.0F38.W0 14 /r           AVX512F
vprorvq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 14 /r           AVX512F
vprolvd          V{kz},V,V/M/b32            RVM EVEX.66.0F38.W0 15 /r           AVX512F
vprolvq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 15 /r           AVX512F
vplzcntd         V{kz},V/M/b32              RM EVEX.66.0F38.W0 44 /r            AVX512CD
vplzcntq         V{kz},V/M/b64              RM EVEX.66.0F38.W1 44 /r            AVX512CD
vpsravq          V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 46 /r           AVX512F
vpopcntb         V{kz},V/M                  RM EVEX.66.0F38.W0 54 /r            AVX512_BITALG
vpopcntw         V{kz},V/M                  RM EVEX.66.0F38.W1 54 /r            AVX512_BITALG
vpopcntd         V{kz},V/M/b32              RM EVEX.66.0F38.W0 55 /r            AVX512_VPOPCNTDQ
vpopcntq         V{kz},V/M/b64              RM EVEX.66.0F38.W1 55 /r            AVX512_VPOPCNTDQ
vp2intersectd    P,V,V/M/b32                RVM EVEX.F2.0F38.W0 68 /r           AVX512_VP2INTERSECT
vp2intersectq    P,V,V/M/b64                RVM EVEX.F2.0F38.W1 68 /r           AVX512_VP2INTERSECT
vpshldvw         x:V{kz},V,V/M              RVM EVEX.66.0F38.W1 70 /r           AVX512_VBMI2
vpshldvd         x:V{kz},V,V/M/b32          RVM EVEX.66.0F38.W0 71 /r           AVX512_VBMI2
vpshldvq         x:V{kz},V,V/M/b64          RVM EVEX.66.0F38.W1 71 /r           AVX512_VBMI2
vpshrdvw         x:V{kz},V,V/M              RVM EVEX.66.0F38.W1 72 /r           AVX512_VBMI2
vpshrdvd         x:V{kz},V,V/M/b32          RVM EVEX.66.0F38.W0 73 /r           AVX512_VBMI2
vpshrdvq         x:V{kz},V,V/M/b64          RVM EVEX.66.0F38.W1 73 /r           AVX512_VBMI2
[shuffle]
vpmultishiftqb   V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 83 /r           AVX512_VBMI
[arithmetic]
vpconflictd      V{kz},V/M/b32              RM EVEX.66.0F38.W0 C4 /r            AVX512CD
vpconflictq      V{kz},V/M/b64              RM EVEX.66.0F38.W1 C4 /r            AVX512CD
vpternlogd       x:V{kz},V,V/M/b32,u8       RVMI EVEX.66.0F3A.W0 25 /r          AVX512F
vpternlogq       x:V{kz},V,V/M/b64,u8       RVMI EVEX.66.0F3A.W1 25 /r          AVX512F
vpshldw          V{kz},V,V/M,u8             RVMI EVEX.66.0F3A.W1 70 /r          AVX512_VBMI2
vpshldd          V{kz},V,V/M/b32,u8         RVMI EVEX.66.0F3A.W0 71 /r          AVX512_VBMI2
vpshldq          V{kz},V,V/M/b64,u8         RVMI EVEX.66.0F3A.W1 71 /r          AVX512_VBMI2
vpshrdw          V{kz},V,V/M,u8             RVMI EVEX.66.0F3A.W1 72 /r          AVX512_VBMI2
vpshrdd          V{kz},V,V/M/b32,u8         RVMI EVEX.66.0F3A.W0 73 /r          AVX512_VBMI2
vpshrdq          V{kz},V,V/M/b64,u8         RVMI EVEX.66.0F3A.W1 73 /r          AVX512_VBMI2
""",
    """
# Width changes
[convert]
vpmovuswb        H{kz},V                    MR EVEX.F3.0F38.W0 10 /r            AVX512BW
vpmovuswb        MH{k},V                    MR EVEX.F3.0F38.W0 10 /r            AVX512BW
vpmovusdb        X{kz},V                    MR EVEX.F3.0F38.W0 11 /r            AVX512F
vpmovusdb        MQ{k},V                    MR EVEX.F3.0F38.W0 11 /r            AVX512F
vpmovusqb        X{kz},V                    MR EVEX.F3.0F38.W0 12 /r            AVX512F
vpmovusqb        ME{k},V                    MR EVEX.F3.0F38.W0 12 /r            AVX512F
vpmovusdw        H{kz},V                    MR EVEX.F3.0F38.W0 13 /r            AVX512F
vpmovusdw        MH{k},V                    MR EVEX.F3.0F38.W0 13 /r            AVX512F
vpmovusqw        X{kz},V                    MR EVEX.F3.0F38.W0 14 /r            AVX512F
vpmovusqw        MQ{k},V                    MR EVEX.F3.0F38.W0 14 /r            AVX512F
vpmovusqd        H{kz},V                    MR EVEX.F3.0F38.W0 15 /r            AVX512F
vpmovusqd        MH{k},V                    MR EVEX.F3.0F38.W0 15 /r            AVX512F
vpmovswb         H{kz},V                    MR EVEX.F3.0F38.W0 20 /r            AVX512BW
vpmovswb         MH{k},V                    MR EVEX.F3.0F38.W0 20 /r            AVX512BW
vpmovsdb         X{kz},V                    MR EVEX.F3.0F38.W0 21 /r            AVX512F
vpmovsdb         MQ{k},V                    MR EVEX.F3.0F38.W0 21 /r            AVX512F
vpmovsqb         X{kz},V                    MR EVEX.F3.0F38.W0 22 /r            AVX512F
vpmovsqb         ME{k},V                    MR EVEX.F3.0F38.W0 22 /r            AVX512F
vpmovsdw         H{kz},V                    MR EVEX.F3.0F38.W0 23 /r            AVX512F
vpmovsdw         MH{k},V                    MR EVEX.F3.0F38.W0 23 /r            AVX512F
vpmovsqw         X{kz},V                    MR EVEX.F3.0F38.W0 24 /r            AVX512F
vpmovsqw         MQ{k},V                    MR EVEX.F3.0F38.W0 24 /r            AVX512F
vpmovsqd         H{kz},V                    MR EVEX.F3.0F38.W0 25 /r            AVX512F
vpmovsqd         MH{k},V                    MR EVEX.F3.0F38.W0 25 /r            AVX512F
vpmovwb          H{kz},V                    MR EVEX.F3.0F38.W0 30 /r            AVX512BW
vpmovwb          MH{k},V                    MR EVEX.F3.0F38.W0 30 /r            AVX512BW
vpmovdb          X{kz},V                    MR EVEX.F3.0F38.W0 31 /r            AVX512F
vpmovdb          MQ{k},V                    MR EVEX.F3.0F38.W0 31 /r            AVX512F
vpmovqb          X{kz},V                    MR EVEX.F3.0F38.W0 32 /r            AVX512F
vpmovqb          ME{k},V                    MR EVEX.F3.0F38.W0 32 /r            AVX512F
vpmovdw          H{kz},V                    MR EVEX.F3.0F38.W0 33 /r            AVX512F
vpmovdw          MH{k},V                    MR EVEX.F3.0F38.W0 33 /r            AVX512F
vpmovqw          X{kz},V                    MR EVEX.F3.0F38.W0 34 /r            AVX512F
vpmovqw          MQ{k},V                    MR EVEX.F3.0F38.W0 34 /r            AVX512F
vpmovqd          H{kz},V                    MR EVEX.F3.0F38.W0 35 /r            AVX512F
vpmovqd          MH{k},V                    MR EVEX.F3.0F38.W0 35 /r            AVX512F
""",
    """
# Shuffles
[shuffle]
vpermpd          V{kz},V,V/M/b64            RVM EVEX.256.512.66.0F38.W1 16 /r   AVX512F              ; key:vpermq
vpermq           V{kz},V,V/M/b64            RVM EVEX.256.512.66.0F38.W1 36 /r   AVX512F
vpexpandb        V{kz},V                    RM EVEX.66.0F38.W0 62 /r            AVX512_VBMI2
vpexpandb        V{kz},M                    RM EVEX.66.0F38.W0 62 /r n1         AVX512_VBMI2
vpexpandw        V{kz},V                    RM EVEX.66.0F38.W1 62 /r            AVX512_VBMI2
vpexpandw        V{kz},M                    RM EVEX.66.0F38.W1 62 /r n2         AVX512_VBMI2
vpcompressb      V{kz},V                    MR EVEX.66.0F38.W0 63 /r            AVX512_VBMI2
vpcompressb      M{k},V                     MR EVEX.66.0F38.W0 63 /r n1         AVX512_VBMI2
vpcompressw      V{kz},V                    MR EVEX.66.0F38.W1 63 /r            AVX512_VBMI2
vpcompressw      M{k},V                     MR EVEX.66.0F38.W1 63 /r n2         AVX512_VBMI2
vpblendmd        V{kz},V,V/M/b32            RVM EVEX.66.0F38.W0 64 /r           AVX512F              ; key:vblendmps
vpblendmq        V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 64 /r           AVX512F              ; key:vblendmpd
vblendmps        V{kz},V,V/M/b32            RVM EVEX.66.0F38.W0 65 /r           AVX512F
vblendmpd        V{kz},V,V/M/b64            RVM EVEX.66.0F38.W1 65 /r           AVX512F
vpblendmb        V{kz},V,V/M                RVM EVEX.66.0F38.W0 66 /r           AVX512BW
vpblendmw        V{kz},V,V/M                RVM EVEX.66.0F38.W1 66 /r           AVX512BW
vpermi2b         x:V{kz},V,V/M              RVM EVEX.66.0F38.W0 75 /r           AVX512_VBMI
vpermi2w         x:V{kz},V,V/M              RVM EVEX.66.0F38.W1 75 /r           AVX512BW
vpermi2d         x:V{kz},V,V/M/b32          RVM EVEX.66.0F38.W0 76 /r           AVX512F
vpermi2q         x:V{kz},V,V/M/b64          RVM EVEX.66.0F38.W1 76 /r           AVX512F
vpermi2ps        x:V{kz},V,V/M/b32          RVM EVEX.66.0F38.W0 77 /r           AVX512F              ; key:vpermi2d
vpermi2pd        x:V{kz},V,V/M/b64          RVM EVEX.66.0F38.W1 77 /r           AVX512F              ; key:vpermi2q
vpermt2b         x:V{kz},V,V/M              RVM EVEX.66.0F38.W0 7D /r           AVX512_VBMI
vpermt2w         x:V{kz},V,V/M              RVM EVEX.66.0F38.W1 7D /r           AVX512BW
vpermt2d         x:V{kz},V,V/M/b32          RVM EVEX.66.0F38.W0 7E /r           AVX512F
vpermt2q         x:V{kz},V,V/M/b64          RVM EVEX.66.0F38.W1 7E /r           AVX512F
vpermt2ps        x:V{kz},V,V/M/b32          RVM EVEX.66.0F38.W0 7F /r           AVX512F              ; key:vpermt2d
vpermt2pd        x:V{kz},V,V/M/b64          RVM EVEX.66.0F38.W1 7F /r           AVX512F              ; key:vpermt2q
vexpandps        V{kz},V                    RM EVEX.66.0F38.W0 88 /r            AVX512F
vexpandps        V{kz},M                    RM EVEX.66.0F38.W0 88 /r n4         AVX512F
vexpandpd        V{kz},V                    RM EVEX.66.0F38.W1 88 /r            AVX512F
vexpandpd        V{kz},M                    RM EVEX.66.0F38.W1 88 /r n8         AVX512F
vpexpandd        V{kz},V                    RM EVEX.66.0F38.W0 89 /r            AVX512F              ; key:vexpandps
vpexpandd        V{kz},M                    RM EVEX.66.0F38.W0 89 /r n4         AVX512F              ; key:vexpandps
vpexpandq        V{kz},V                    RM EVEX.66.0F38.W1 89 /r            AVX512F              ; key:vexpandpd
vpexpandq        V{kz},M                    RM EVEX.66.0F38.W1 89 /r n8         AVX512F              ; key:vexpandpd
vcompressps      V{kz},V                    MR EVEX.66.0F38.W0 8A /r            AVX512F
vcompressps      M{k},V                     MR EVEX.66.0F38.W0 8A /r n4         AVX512F
vcompresspd      V{kz},V                    MR EVEX.66.0F38.W1 8A /r            AVX512F
vcompresspd      M{k},V                     MR EVEX.66.0F38.W1 8A /r n8         AVX512F
vpcompressd      V{kz},V                    MR EVEX.66.0F38.W0 8B /r            AVX512F              ; key:vcompressps
vpcompressd      M{k},V                     MR EVEX.66.0F38.W0 8B /r n4         AVX512F              ; key:vcompressps
vpcompressq      V{kz},V                    MR EVEX.66.0F38.W1 8B /r            AVX512F              ; key:vcompresspd
vpcompressq      M{k},V                     MR EVEX.66.0F38.W1 8B /r n8         AVX512F              ; key:vcompresspd
vpermb           V{kz},V,V/M                RVM EVEX.66.0F38.W0 8D /r           AVX512_VBMI
vpermw           V{kz},V,V/M                RVM EVEX.66.0F38.W1 8D /r           AVX512BW
vpshufbitqmb     K{k},V,V/M                 RVM EVEX.66.0F38.W0 8F /r           AVX512_BITALG
valignd          V{kz},V,V/M/b32,u8         RVMI EVEX.66.0F3A.W0 03 /r          AVX512F
valignq          V{kz},V,V/M/b64,u8         RVMI EVEX.66.0F3A.W1 03 /r          AVX512F
vinsertf32x4     V{kz},V,X/m128,u8          RVMI EVEX.256.512.66.0F3A.W0 18 /r  AVX512F
vinsertf64x2     V{kz},V,X/m128,u8          RVMI EVEX.256.512.66.0F3A.W1 18 /r  AVX512DQ
vextractf32x4    X{kz},V,u8                 MRI EVEX.256.512.66.0F3A.W0 19 /r   AVX512F
vextractf32x4    m128{k},V,u8               MRI EVEX.256.512.66.0F3A.W0 19 /r   AVX512F
vextractf64x2    X{kz},V,u8                 MRI EVEX.256.512.66.0F3A.W1 19 /r   AVX512DQ
vextractf64x2    m128{k},V,u8               MRI EVEX.256.512.66.0F3A.W1 19 /r   AVX512DQ
vinsertf32x8     Z{kz},Z,Y/m256,u8          RVMI EVEX.512.66.0F3A.W0 1A /r      AVX512DQ
vinsertf64x4     Z{kz},Z,Y/m256,u8          RVMI EVEX.512.66.0F3A.W1 1A /r      AVX512F
vextractf32x8    Y{kz},Z,u8                 MRI EVEX.512.66.0F3A.W0 1B /r       AVX512DQ
vextractf32x8    m256{k},Z,u8               MRI EVEX.512.66.0F3A.W0 1B /r       AVX512DQ
vextractf64x4    Y{kz},Z,u8                 MRI EVEX.512.66.0F3A.W1 1B /r       AVX512F
vextractf64x4    m256{k},Z,u8               MRI EVEX.512.66.0F3A.W1 1B /r       AVX512F
vshuff32x4       V{kz},V,V/M/b32,u8         RVMI EVEX.256.512.66.0F3A.W0 23 /r  AVX512F
vshuff64x2       V{kz},V,V/M/b64,u8         RVMI EVEX.256.512.66.0F3A.W1 23 /r  AVX512F
vinserti32x4     V{kz},V,X/m128,u8          RVMI EVEX.256.512.66.0F3A.W0 38 /r  AVX512F              ; key:vinsertf32x4
vinserti64x2     V{kz},V,X/m128,u8          RVMI EVEX.256.512.66.0F3A.W1 38 /r  AVX512DQ             ; key:vinsertf64x2
vextracti32x4    X{kz},V,u8                 MRI EVEX.256.512.66.0F3A.W0 39 /r   AVX512F              ; key:vextractf32x4
vextracti32x4    m128{k},V,u8               MRI EVEX.256.512.66.0F3A.W0 39 /r   AVX512F              ; key:vextractf32x4
vextracti64x2    X{kz},V,u8                 MRI EVEX.256.512.66.0F3A.W1 39 /r   AVX512DQ             ; key:vextractf64x2
vextracti64x2    m128{k},V,u8               MRI EVEX.256.512.66.0F3A.W1 39 /r   AVX512DQ             ; key:vextractf64x2
vinserti32x8     Z{kz},Z,Y/m256,u8          RVMI EVEX.512.66.0F3A.W0 3A /r      AVX512DQ             ; key:vinsertf32x8
vinserti64x4     Z{kz},Z,Y/m256,u8          RVMI EVEX.512.66.0F3A.W1 3A /r      AVX512F              ; key:vinsertf64x4
vextracti32x8    Y{kz},Z,u8                 MRI EVEX.512.66.0F3A.W0 3B /r       AVX512DQ             ; key:vextractf32x8
vextracti32x8    m256{k},Z,u8               MRI EVEX.512.66.0F3A.W0 3B /r       AVX512DQ             ; key:vextractf32x8
vextracti64x4    Y{kz},Z,u8                 MRI EVEX.512.66.0F3A.W1 3B /r       AVX512F              ; key:vextractf64x4
vextracti64x4    m256{k},Z,u8               MRI EVEX.512.66.0F3A.W1 3B /r       AVX512F              ; key:vextractf64x4
vshufi32x4       V{kz},V,V/M/b32,u8         RVMI EVEX.256.512.66.0F3A.W0 43 /r  AVX512F              ; key:vshuff32x4
vshufi64x2       V{kz},V,V/M/b64,u8         RVMI EVEX.256.512.66.0F3A.W1 43 /r  AVX512F              ; key:vshuff64x2
""",
    """
# Masks to vectors and back
[move]
vpmovm2b         V,K                        RM EVEX.F3.0F38.W0 28 /r            AVX512BW
vpmovm2w         V,K                        RM EVEX.F3.0F38.W1 28 /r            AVX512BW
vpmovb2m         K,V                        RM EVEX.F3.0F38.W0 29 /r            AVX512BW
vpmovw2m         K,V                        RM EVEX.F3.0F38.W1 29 /r            AVX512BW
[shuffle]
vpbroadcastmb2q  V,K                        RM EVEX.F3.0F38.W1 2A /r            AVX512CD
[move]
vpmovm2d         V,K                        RM EVEX.F3.0F38.W0 38 /r            AVX512DQ
vpmovm2q         V,K                        RM EVEX.F3.0F38.W1 38 /r            AVX512DQ
vpmovd2m         K,V                        RM EVEX.F3.0F38.W0 39 /r            AVX512DQ
vpmovq2m         K,V                        RM EVEX.F3.0F38.W1 39 /r            AVX512DQ
[shuffle]
vpbroadcastmw2d  V,K                        RM EVEX.F3.0F38.W0 3A /r            AVX512CD
""",
    """
# Masks
[arithmetic]
kandw            K,K,K                      RVM VEX.256.NP.0F.W0 41 /r          AVX512F
kandq            K,K,K                      RVM VEX.256.NP.0F.W1 41 /r          AVX512BW
kandb            K,K,K                      RVM VEX.256.66.0F.W0 41 /r          AVX512DQ
kandd            K,K,K                      RVM VEX.256.66.0F.W1 41 /r          AVX512BW
kandnw           K,K,K                      RVM VEX.256.NP.0F.W0 42 /r          AVX512F
kandnq           K,K,K                      RVM VEX.256.NP.0F.W1 42 /r          AVX512BW
kandnb           K,K,K                      RVM VEX.256.66.0F.W0 42 /r          AVX512DQ
kandnd           K,K,K                      RVM VEX.256.66.0F.W1 42 /r          AVX512BW
knotw            K,K                        RM VEX.128.NP.0F.W0 44 /r           AVX512F
knotq            K,K                        RM VEX.128.NP.0F.W1 44 /r           AVX512BW
knotb            K,K                        RM VEX.128.66.0F.W0 44 /r           AVX512DQ
knotd            K,K                        RM VEX.128.66.0F.W1 44 /r           AVX512BW
korw             K,K,K                      RVM VEX.256.NP.0F.W0 45 /r          AVX512F
korq             K,K,K                      RVM VEX.256.NP.0F.W1 45 /r          AVX512BW
korb             K,K,K                      RVM VEX.256.66.0F.W0 45 /r          AVX512DQ
kord             K,K,K                      RVM VEX.256.66.0F.W1 45 /r          AVX512BW
kxnorw           K,K,K                      RVM VEX.256.NP.0F.W0 46 /r          AVX512F
kxnorq           K,K,K                      RVM VEX.256.NP.0F.W1 46 /r          AVX512BW
kxnorb           K,K,K                      RVM VEX.256.66.0F.W0 46 /r          AVX512DQ
kxnord           K,K,K                      RVM VEX.256.66.0F.W1 46 /r          AVX512BW
kxorw            K,K,K                      RVM VEX.256.NP.0F.W0 47 /r          AVX512F
kxorq            K,K,K                      RVM VEX.256.NP.0F.W1 47 /r          AVX512BW
kxorb            K,K,K                      RVM VEX.256.66.0F.W0 47 /r          AVX512DQ
kxord            K,K,K                      RVM VEX.256.66.0F.W1 47 /r          AVX512BW
kaddw            K,K,K                      RVM VEX.256.NP.0F.W0 4A /r          AVX512DQ
kaddq            K,K,K                      RVM VEX.256.NP.0F.W1 4A /r          AVX512BW
kaddb            K,K,K                      RVM VEX.256.66.0F.W0 4A /r          AVX512DQ
kaddd            K,K,K                      RVM VEX.256.66.0F.W1 4A /r          AVX512BW
[shuffle]
kunpckwd         K,K,K                      RVM VEX.256.NP.0F.W0 4B /r          AVX512BW
kunpckdq         K,K,K                      RVM VEX.256.NP.0F.W1 4B /r          AVX512BW
kunpckbw         K,K,K                      RVM VEX.256.66.0F.W0 4B /r          AVX512F
[move]
kmovw            K,K/m16                    RM VEX.128.NP.0F.W0 90 /r           AVX512F
kmovq            K,K/m64                    RM VEX.128.NP.0F.W1 90 /r           AVX512BW
kmovb            K,K/m8                     RM VEX.128.66.0F.W0 90 /r           AVX512DQ
kmovd            K,K/m32                    RM VEX.128.66.0F.W1 90 /r           AVX512BW
kmovw            m16,K                      MR VEX.128.NP.0F.W0 91 /r           AVX512F
kmovq            m64,K                      MR VEX.128.NP.0F.W1 91 /r           AVX512BW
kmovb            m8,K                       MR VEX.128.66.0F.W0 91 /r           AVX512DQ
kmovd            m32,K                      MR VEX.128.66.0F.W1 91 /r           AVX512BW
kmovw            K,r32                      RM VEX.128.NP.0F.W0 92 /r           AVX512F
kmovb            K,r32                      RM VEX.128.66.0F.W0 92 /r           AVX512DQ
kmovd            K,r32                      RM VEX.128.F2.0F.W0 92 /r           AVX512BW
kmovq            K,r64                      RM VEX.128.F2.0F.W1 92 /r           AVX512BW
kmovw            r32,K                      RM VEX.128.NP.0F.W0 93 /r           AVX512F
kmovb            r32,K                      RM VEX.128.66.0F.W0 93 /r           AVX512DQ
kmovd            r32,K                      RM VEX.128.F2.0F.W0 93 /r           AVX512BW
kmovq            r64,K                      RM VEX.128.F2.0F.W1 93 /r           AVX512BW
[arithmetic]
kortestw         r:K,K                      RM VEX.128.NP.0F.W0 98 /r           AVX512F              ; w:flags
kortestq         r:K,K                      RM VEX.128.NP.0F.W1 98 /r           AVX512BW             ; w:flags
kortestb         r:K,K                      RM VEX.128.66.0F.W0 98 /r           AVX512DQ             ; w:flags
kortestd         r:K,K                      RM VEX.128.66.0F.W1 98 /r           AVX512BW             ; w:flags
ktestw           r:K,K                      RM VEX.128.NP.0F.W0 99 /r           AVX512DQ             ; w:flags
ktestq           r:K,K                      RM VEX.128.NP.0F.W1 99 /r           AVX512BW             ; w:flags
ktestb           r:K,K                      RM VEX.128.66.0F.W0 99 /r           AVX512DQ             ; w:flags
ktestd           r:K,K                      RM VEX.128.66.0F.W1 99 /r           AVX512BW             ; w:flags
kshiftrb         K,K,u8                     RMI VEX.128.66.0F3A.W0 30 /r        AVX512DQ
kshiftrw         K,K,u8                     RMI VEX.128.66.0F3A.W1 30 /r        AVX512F
kshiftrd         K,K,u8                     RMI VEX.128.66.0F3A.W0 31 /r        AVX512BW
kshiftrq         K,K,u8                     RMI VEX.128.66.0F3A.W1 31 /r        AVX512BW
kshiftlb         K,K,u8                     RMI VEX.128.66.0F3A.W0 32 /r        AVX512DQ
kshiftlw         K,K,u8                     RMI VEX.128.66.0F3A.W1 32 /r        AVX512F
kshiftld         K,K,u8                     RMI VEX.128.66.0F3A.W0 33 /r        AVX512BW
kshiftlq         K,K,u8                     RMI VEX.128.66.0F3A.W1 33 /r        AVX512BW
""",
    """
# Gathers and scatters
[move =vgatherdps]
vpgatherdd       x:X{k},vx32                RM EVEX.128.66.0F38.W0 90 /r n4     AVX512F+AVX512VL
vpgatherdd       x:Y{k},vy32                RM EVEX.256.66.0F38.W0 90 /r n4     AVX512F
vpgatherdd       x:Z{k},vz32                RM EVEX.512.66.0F38.W0 90 /r n4     AVX512F
[move =vgatherdpd]
vpgatherdq       x:X{k},vx64                RM EVEX.128.66.0F38.W1 90 /r n8     AVX512F+AVX512VL
vpgatherdq       x:Y{k},vx64                RM EVEX.256.66.0F38.W1 90 /r n8     AVX512F
vpgatherdq       x:Z{k},vy64                RM EVEX.512.66.0F38.W1 90 /r n8     AVX512F
[move =vgatherqps]
vpgatherqd       x:X{k},vx32                RM EVEX.128.66.0F38.W0 91 /r n4     AVX512F+AVX512VL
vpgatherqd       x:X{k},vy32                RM EVEX.256.66.0F38.W0 91 /r n4     AVX512F
vpgatherqd       x:Y{k},vz32                RM EVEX.512.66.0F38.W0 91 /r n4     AVX512F
[move =vgatherqpd]
vpgatherqq       x:X{k},vx64                RM EVEX.128.66.0F38.W1 91 /r n8     AVX512F+AVX512VL
vpgatherqq       x:Y{k},vy64                RM EVEX.256.66.0F38.W1 91 /r n8     AVX512F
vpgatherqq       x:Z{k},vz64                RM EVEX.512.66.0F38.W1 91 /r n8     AVX512F
[move]
vgatherdps       x:X{k},vx32                RM EVEX.128.66.0F38.W0 92 /r n4     AVX512F+AVX512VL
vgatherdps       x:Y{k},vy32                RM EVEX.256.66.0F38.W0 92 /r n4     AVX512F
vgatherdps       x:Z{k},vz32                RM EVEX.512.66.0F38.W0 92 /r n4     AVX512F
vgatherdpd       x:X{k},vx64                RM EVEX.128.66.0F38.W1 92 /r n8     AVX512F+AVX512VL
vgatherdpd       x:Y{k},vx64                RM EVEX.256.66.0F38.W1 92 /r n8     AVX512F
vgatherdpd       x:Z{k},vy64                RM EVEX.512.66.0F38.W1 92 /r n8     AVX512F
vgatherqps       x:X{k},vx32                RM EVEX.128.66.0F38.W0 93 /r n4     AVX512F+AVX512VL
vgatherqps       x:X{k},vy32                RM EVEX.256.66.0F38.W0 93 /r n4     AVX512F
vgatherqps       x:Y{k},vz32                RM EVEX.512.66.0F38.W0 93 /r n4     AVX512F
vgatherqpd       x:X{k},vx64                RM EVEX.128.66.0F38.W1 93 /r n8     AVX512F+AVX512VL
vgatherqpd       x:Y{k},vy64                RM EVEX.256.66.0F38.W1 93 /r n8     AVX512F
vgatherqpd       x:Z{k},vz64                RM EVEX.512.66.0F38.W1 93 /r n8     AVX512F
[move =vscatterdps]
vpscatterdd      vx32{k},X                  MR EVEX.128.66.0F38.W0 A0 /r n4     AVX512F+AVX512VL
vpscatterdd      vy32{k},Y                  MR EVEX.256.66.0F38.W0 A0 /r n4     AVX512F
vpscatterdd      vz32{k},Z                  MR EVEX.512.66.0F38.W0 A0 /r n4     AVX512F
[move =vscatterdpd]
vpscatterdq      vx64{k},X                  MR EVEX.128.66.0F38.W1 A0 /r n8     AVX512F+AVX512VL
vpscatterdq      vx64{k},Y                  MR EVEX.256.66.0F38.W1 A0 /r n8     AVX512F
vpscatterdq      vy64{k},Z                  MR EVEX.512.66.0F38.W1 A0 /r n8     AVX512F
[move =vscatterqps]
vpscatterqd      vx32{k},X                  MR EVEX.128.66.0F38.W0 A1 /r n4     AVX512F+AVX512VL
vpscatterqd      vy32{k},X                  MR EVEX.256.66.0F38.W0 A1 /r n4     AVX512F
vpscatterqd      vz32{k},Y                  MR EVEX.512.66.0F38.W0 A1 /r n4     AVX512F
[move =vscatterqpd]
vpscatterqq      vx64{k},X                  MR EVEX.128.66.0F38.W1 A1 /r n8     AVX512F+AVX512VL
vpscatterqq      vy64{k},Y                  MR EVEX.256.66.0F38.W1 A1 /r n8     AVX512F
vpscatterqq      vz64{k},Z                  MR EVEX.512.66.0F38.W1 A1 /r n8     AVX512F
[move]
vscatterdps      vx32{k},X                  MR EVEX.128.66.0F38.W0 A2 /r n4     AVX512F+AVX512VL
vscatterdps      vy32{k},Y                  MR EVEX.256.66.0F38.W0 A2 /r n4     AVX512F
vscatterdps      vz32{k},Z                  MR EVEX.512.66.0F38.W0 A2 /r n4     AVX512F
vscatterdpd      vx64{k},X                  MR EVEX.128.66.0F38.W1 A2 /r n8     AVX512F+AVX512VL
vscatterdpd      vx64{k},Y                  MR EVEX.256.66.0F38.W1 A2 /r n8     AVX512F
vscatterdpd      vy64{k},Z                  MR EVEX.512.66.0F38.W1 A2 /r n8     AVX512F
vscatterqps      vx32{k},X                  MR EVEX.128.66.0F38.W0 A3 /r n4     AVX512F+AVX512VL
vscatterqps      vy32{k},X                  MR EVEX.256.66.0F38.W0 A3 /r n4     AVX512F
vscatterqps      vz32{k},Y                  MR EVEX.512.66.0F38.W0 A3 /r n4     AVX512F
vscatterqpd      vx64{k},X                  MR EVEX.128.66.0F38.W1 A3 /r n8     AVX512F+AVX512VL
vscatterqpd      vy64{k},Y                  MR EVEX.256.66.0F38.W1 A3 /r n8     AVX512F
vscatterqpd      vz64{k},Z                  MR EVEX.512.66.0F38.W1 A3 /r n8     AVX512F
""",
)
