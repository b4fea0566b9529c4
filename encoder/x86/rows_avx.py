"""Vector instructions that have a VEX encoding, with their EVEX one beside it. Columns and letters: grammar.py.

Sources: Intel SDM vol. 2 (order 325383); ISE 319433 for AVX-VNNI-INT16, SHA512, SM3 and SM4.
"""

ROWS = (
    """
# Moves
[move]
vmovd              X,r32/m32              RM VEX.128.66.0F.W0 6E /r | RM EVEX.128.66.0F.W0 6E /r            AVX | AVX512F
vmovd              r32/m32,X              MR VEX.128.66.0F.W0 7E /r | MR EVEX.128.66.0F.W0 7E /r            AVX | AVX512F
vmovq              X,X                    RM VEX.128.F3.0F 7E /r | RM EVEX.128.F3.0F.W1 7E /r               AVX | AVX512F
vmovq              X,m64                  RM VEX.128.F3.0F 7E /r | RM EVEX.128.66.0F.W1 6E /r               AVX | AVX512F
vmovq              m64,X                  MR VEX.128.66.0F D6 /r | MR EVEX.128.66.0F.W1 7E /r               AVX | AVX512F
vmovq              X,r64                  RM VEX.128.66.0F.W1 6E /r | RM EVEX.128.66.0F.W1 6E /r            AVX | AVX512F
vmovq              r64,X                  MR VEX.128.66.0F.W1 7E /r | MR EVEX.128.66.0F.W1 7E /r            AVX | AVX512F
[arithmetic]
vzeroupper                                - VEX.128.NP.0F 77                                                AVX
vzeroall                                  - VEX.256.NP.0F 77                                                AVX
[move]
vmovups            V{kz},V/M              RM VEX.NP.0F 10 /r | RM EVEX.NP.0F.W0 10 /r                       AVX | AVX512F
vmovupd            V{kz},V/M              RM VEX.66.0F 10 /r | RM EVEX.66.0F.W1 10 /r                       AVX | AVX512F
vmovss             X{kz},X,X              RVM VEX.LIG.F3.0F 10 /r | RVM EVEX.LIG.F3.0F.W0 10 /r             AVX | AVX512F
vmovss             X{kz},m32              RM VEX.LIG.F3.0F 10 /r | RM EVEX.LIG.F3.0F.W0 10 /r               AVX | AVX512F
vmovsd             X{kz},X,X              RVM VEX.LIG.F2.0F 10 /r | RVM EVEX.LIG.F2.0F.W1 10 /r             AVX | AVX512F
vmovsd             X{kz},m64              RM VEX.LIG.F2.0F 10 /r | RM EVEX.LIG.F2.0F.W1 10 /r               AVX | AVX512F
vmovups            M{k},V                 MR VEX.NP.0F 11 /r | MR EVEX.NP.0F.W0 11 /r                       AVX | AVX512F
vmovupd            M{k},V                 MR VEX.66.0F 11 /r | MR EVEX.66.0F.W1 11 /r                       AVX | AVX512F
vmovss             m32{k},X               MR VEX.LIG.F3.0F 11 /r | MR EVEX.LIG.F3.0F.W0 11 /r               AVX | AVX512F
vmovsd             m64{k},X               MR VEX.LIG.F2.0F 11 /r | MR EVEX.LIG.F2.0F.W1 11 /r               AVX | AVX512F
vmovhlps           X,X,X                  RVM VEX.128.NP.0F 12 /r | RVM EVEX.128.NP.0F.W0 12 /r             AVX | AVX512F
vmovlps            X,X,m64                RVM VEX.128.NP.0F 12 /r | RVM EVEX.128.NP.0F.W0 12 /r             AVX | AVX512F
vmovlpd            X,X,m64                RVM VEX.128.66.0F 12 /r | RVM EVEX.128.66.0F.W1 12 /r             AVX | AVX512F                                  ; key:vmovlps
vmovlps            m64,X                  MR VEX.128.NP.0F 13 /r | MR EVEX.128.NP.0F.W0 13 /r               AVX | AVX512F
vmovlpd            m64,X                  MR VEX.128.66.0F 13 /r | MR EVEX.128.66.0F.W1 13 /r               AVX | AVX512F                                  ; key:vmovlps
vmovlhps           X,X,X                  RVM VEX.128.NP.0F 16 /r | RVM EVEX.128.NP.0F.W0 16 /r             AVX | AVX512F
vmovhps            X,X,m64                RVM VEX.128.NP.0F 16 /r | RVM EVEX.128.NP.0F.W0 16 /r             AVX | AVX512F
vmovhpd            X,X,m64                RVM VEX.128.66.0F 16 /r | RVM EVEX.128.66.0F.W1 16 /r             AVX | AVX512F                                  ; key:vmovhps
vmovhps            m64,X                  MR VEX.128.NP.0F 17 /r | MR EVEX.128.NP.0F.W0 17 /r               AVX | AVX512F
vmovhpd            m64,X                  MR VEX.128.66.0F 17 /r | MR EVEX.128.66.0F.W1 17 /r               AVX | AVX512F                                  ; key:vmovhps
vmovaps            V{kz},V/M              RM VEX.NP.0F 28 /r | RM EVEX.NP.0F.W0 28 /r                       AVX | AVX512F
vmovapd            V{kz},V/M              RM VEX.66.0F 28 /r | RM EVEX.66.0F.W1 28 /r                       AVX | AVX512F
vmovaps            M{k},V                 MR VEX.NP.0F 29 /r | MR EVEX.NP.0F.W0 29 /r                       AVX | AVX512F
vmovapd            M{k},V                 MR VEX.66.0F 29 /r | MR EVEX.66.0F.W1 29 /r                       AVX | AVX512F
vmovntps           M,V                    MR VEX.NP.0F 2B /r | MR EVEX.NP.0F.W0 2B /r                       AVX | AVX512F                                  ; key:vmovaps
vmovntpd           M,V                    MR VEX.66.0F 2B /r | MR EVEX.66.0F.W1 2B /r                       AVX | AVX512F                                  ; key:vmovapd
vmovdqa            V,V/M                  RM VEX.66.0F 6F /r                                                AVX                                            ; key:vmovapd
vmovdqu            V,V/M                  RM VEX.F3.0F 6F /r                                                AVX                                            ; key:vmovupd
vmovdqa            M,V                    MR VEX.66.0F 7F /r                                                AVX                                            ; key:vmovapd
vmovdqu            M,V                    MR VEX.F3.0F 7F /r                                                AVX                                            ; key:vmovupd
vmovntdq           M,V                    MR VEX.66.0F E7 /r | MR EVEX.66.0F.W0 E7 /r                       AVX | AVX512F                                  ; key:vmovapd
vlddqu             V,M                    RM VEX.F2.0F F0 /r                                                AVX                                            ; key:vmovupd
vmaskmovdqu        r:X,X                  RM VEX.128.66.0F F7 /r                                            AVX                                            ; r:rdi
vmovntdqa          V,M                    RM VEX.66.0F38 2A /r | RM EVEX.66.0F38.W0 2A /r                   AVX/AVX2 | AVX512F                             ; key:vmovapd
vmaskmovps         V,V,M                  RVM VEX.66.0F38.W0 2C /r                                          AVX
vmaskmovpd         V,V,M                  RVM VEX.66.0F38.W0 2D /r                                          AVX
vmaskmovps         M,V,V                  MVR VEX.66.0F38.W0 2E /r                                          AVX
vmaskmovpd         M,V,V                  MVR VEX.66.0F38.W0 2F /r                                          AVX
vpmaskmovd         V,V,M                  RVM VEX.66.0F38.W0 8C /r                                          AVX2                                           ; key:vmaskmovps
vpmaskmovq         V,V,M                  RVM VEX.66.0F38.W1 8C /r                                          AVX2                                           ; key:vmaskmovpd
vpmaskmovd         M,V,V                  MVR VEX.66.0F38.W0 8E /r                                          AVX2                                           ; key:vmaskmovps
vpmaskmovq         M,V,V                  MVR VEX.66.0F38.W1 8E /r                                          AVX2                                           ; key:vmaskmovpd
""",
    """
# Broadcasts and duplicates
[shuffle]
vmovsldup          V{kz},V/M              RM VEX.F3.0F 12 /r | RM EVEX.F3.0F.W0 12 /r                       AVX | AVX512F
vmovddup           X{kz},X/m64            RM VEX.128.F2.0F 12 /r | RM EVEX.128.F2.0F.W1 12 /r               AVX | AVX512F+AVX512VL
vmovddup           Y{kz},Y/m256           RM VEX.256.F2.0F 12 /r | RM EVEX.256.F2.0F.W1 12 /r               AVX | AVX512F
vmovshdup          V{kz},V/M              RM VEX.F3.0F 16 /r | RM EVEX.F3.0F.W0 16 /r                       AVX | AVX512F
vbroadcastss       V,X                    RM VEX.66.0F38.W0 18 /r                                           AVX2
vbroadcastss       V,m32                  RM VEX.66.0F38.W0 18 /r                                           AVX
vbroadcastsd       Y,X                    RM VEX.256.66.0F38.W0 19 /r                                       AVX2
vbroadcastsd       Y,m64                  RM VEX.256.66.0F38.W0 19 /r                                       AVX
vbroadcastf128     Y,m128                 RM VEX.256.66.0F38.W0 1A /r                                       AVX                                            ; key:vbroadcastf32x4
vpbroadcastd       V{kz},X/m32            RM VEX.66.0F38.W0 58 /r | RM EVEX.66.0F38.W0 58 /r                AVX2 | AVX512F                                 ; key:vbroadcastss
vpbroadcastq       V{kz},X/m64            RM VEX.66.0F38.W0 59 /r | RM EVEX.66.0F38.W1 59 /r                AVX2 | AVX512F                                 ; key:vbroadcastsd
vbroadcasti128     Y,m128                 RM VEX.256.66.0F38.W0 5A /r                                       AVX2                                           ; key:vbroadcastf32x4
vpbroadcastb       V{kz},X/m8             RM VEX.66.0F38.W0 78 /r | RM EVEX.66.0F38.W0 78 /r                AVX2 | AVX512BW
vpbroadcastw       V{kz},X/m16            RM VEX.66.0F38.W0 79 /r | RM EVEX.66.0F38.W0 79 /r                AVX2 | AVX512BW
[convert]
vbcstnesh2ps       V,m16                  RM VEX.66.0F38.W0 B1 /r                                           AVX_NE_CONVERT
vbcstnebf162ps     V,m16                  RM VEX.F3.0F38.W0 B1 /r                                           AVX_NE_CONVERT
""",
    """
# Floating-point arithmetic
[arithmetic]
vsqrtps            V{kz},V/M/b32{er}      RM VEX.NP.0F 51 /r | RM EVEX.NP.0F.W0 51 /r                       AVX | AVX512F
vsqrtpd            V{kz},V/M/b64{er}      RM VEX.66.0F 51 /r | RM EVEX.66.0F.W1 51 /r                       AVX | AVX512F
vsqrtss            X{kz},X,X/m32{er}      RVM VEX.LIG.F3.0F 51 /r | RVM EVEX.LIG.F3.0F.W0 51 /r             AVX | AVX512F
vsqrtsd            X{kz},X,X/m64{er}      RVM VEX.LIG.F2.0F 51 /r | RVM EVEX.LIG.F2.0F.W1 51 /r             AVX | AVX512F
vrsqrtps           V,V/M                  RM VEX.NP.0F 52 /r                                                AVX
vrsqrtss           X,X,X/m32              RVM VEX.LIG.F3.0F 52 /r                                           AVX
vrcpps             V,V/M                  RM VEX.NP.0F 53 /r                                                AVX
vrcpss             X,X,X/m32              RVM VEX.LIG.F3.0F 53 /r                                           AVX
vandps             V{kz},V,V/M/b32        RVM VEX.NP.0F 54 /r | RVM EVEX.NP.0F.W0 54 /r                     AVX | AVX512DQ                                 ; key:vpandd
vandpd             V{kz},V,V/M/b64        RVM VEX.66.0F 54 /r | RVM EVEX.66.0F.W1 54 /r                     AVX | AVX512DQ                                 ; key:vpand
vandnps            V{kz},V,V/M/b32        RVM VEX.NP.0F 55 /r | RVM EVEX.NP.0F.W0 55 /r                     AVX | AVX512DQ                                 ; key:vpandnd
vandnpd            V{kz},V,V/M/b64        RVM VEX.66.0F 55 /r | RVM EVEX.66.0F.W1 55 /r                     AVX | AVX512DQ                                 ; key:vpandn
vorps              V{kz},V,V/M/b32        RVM VEX.NP.0F 56 /r | RVM EVEX.NP.0F.W0 56 /r                     AVX | AVX512DQ                                 ; key:vpord
vorpd              V{kz},V,V/M/b64        RVM VEX.66.0F 56 /r | RVM EVEX.66.0F.W1 56 /r                     AVX | AVX512DQ                                 ; key:vpor
vxorps             V{kz},V,V/M/b32        RVM VEX.NP.0F 57 /r | RVM EVEX.NP.0F.W0 57 /r                     AVX | AVX512DQ                                 ; key:vpxord
vxorpd             V{kz},V,V/M/b64        RVM VEX.66.0F 57 /r | RVM EVEX.66.0F.W1 57 /r                     AVX | AVX512DQ                                 ; key:vpxor
vaddps             V{kz},V,V/M/b32{er}    RVM VEX.NP.0F 58 /r | RVM EVEX.NP.0F.W0 58 /r                     AVX | AVX512F
vaddpd             V{kz},V,V/M/b64{er}    RVM VEX.66.0F 58 /r | RVM EVEX.66.0F.W1 58 /r                     AVX | AVX512F
vaddss             X{kz},X,X/m32{er}      RVM VEX.LIG.F3.0F 58 /r | RVM EVEX.LIG.F3.0F.W0 58 /r             AVX | AVX512F
vaddsd             X{kz},X,X/m64{er}      RVM VEX.LIG.F2.0F 58 /r | RVM EVEX.LIG.F2.0F.W1 58 /r             AVX | AVX512F
vmulps             V{kz},V,V/M/b32{er}    RVM VEX.NP.0F 59 /r | RVM EVEX.NP.0F.W0 59 /r                     AVX | AVX512F
vmulpd             V{kz},V,V/M/b64{er}    RVM VEX.66.0F 59 /r | RVM EVEX.66.0F.W1 59 /r                     AVX | AVX512F
vmulss             X{kz},X,X/m32{er}      RVM VEX.LIG.F3.0F 59 /r | RVM EVEX.LIG.F3.0F.W0 59 /r             AVX | AVX512F
vmulsd             X{kz},X,X/m64{er}      RVM VEX.LIG.F2.0F 59 /r | RVM EVEX.LIG.F2.0F.W1 59 /r             AVX | AVX512F
vsubps             V{kz},V,V/M/b32{er}    RVM VEX.NP.0F 5C /r | RVM EVEX.NP.0F.W0 5C /r                     AVX | AVX512F
vsubpd             V{kz},V,V/M/b64{er}    RVM VEX.66.0F 5C /r | RVM EVEX.66.0F.W1 5C /r                     AVX | AVX512F
vsubss             X{kz},X,X/m32{er}      RVM VEX.LIG.F3.0F 5C /r | RVM EVEX.LIG.F3.0F.W0 5C /r             AVX | AVX512F
vsubsd             X{kz},X,X/m64{er}      RVM VEX.LIG.F2.0F 5C /r | RVM EVEX.LIG.F2.0F.W1 5C /r             AVX | AVX512F
vminps             V{kz},V,V/M/b32{sae}   RVM VEX.NP.0F 5D /r | RVM EVEX.NP.0F.W0 5D /r                     AVX | AVX512F
vminpd             V{kz},V,V/M/b64{sae}   RVM VEX.66.0F 5D /r | RVM EVEX.66.0F.W1 5D /r                     AVX | AVX512F
vminss             X{kz},X,X/m32{sae}     RVM VEX.LIG.F3.0F 5D /r | RVM EVEX.LIG.F3.0F.W0 5D /r             AVX | AVX512F
vminsd             X{kz},X,X/m64{sae}     RVM VEX.LIG.F2.0F 5D /r | RVM EVEX.LIG.F2.0F.W1 5D /r             AVX | AVX512F
vdivps             V{kz},V,V/M/b32{er}    RVM VEX.NP.0F 5E /r | RVM EVEX.NP.0F.W0 5E /r                     AVX | AVX512F
vdivpd             V{kz},V,V/M/b64{er}    RVM VEX.66.0F 5E /r | RVM EVEX.66.0F.W1 5E /r                     AVX | AVX512F
vdivss             X{kz},X,X/m32{er}      RVM VEX.LIG.F3.0F 5E /r | RVM EVEX.LIG.F3.0F.W0 5E /r             AVX | AVX512F
vdivsd             X{kz},X,X/m64{er}      RVM VEX.LIG.F2.0F 5E /r | RVM EVEX.LIG.F2.0F.W1 5E /r             AVX | AVX512F
vmaxps             V{kz},V,V/M/b32{sae}   RVM VEX.NP.0F 5F /r | RVM EVEX.NP.0F.W0 5F /r                     AVX | AVX512F
vmaxpd             V{kz},V,V/M/b64{sae}   RVM VEX.66.0F 5F /r | RVM EVEX.66.0F.W1 5F /r                     AVX | AVX512F
vmaxss             X{kz},X,X/m32{sae}     RVM VEX.LIG.F3.0F 5F /r | RVM EVEX.LIG.F3.0F.W0 5F /r             AVX | AVX512F
vmaxsd             X{kz},X,X/m64{sae}     RVM VEX.LIG.F2.0F 5F /r | RVM EVEX.LIG.F2.0F.W1 5F /r             AVX | AVX512F
vhaddpd            V,V,V/M                RVM VEX.66.0F 7C /r                                               AVX
vhaddps            V,V,V/M                RVM VEX.F2.0F 7C /r                                               AVX
vhsubpd            V,V,V/M                RVM VEX.66.0F 7D /r                                               AVX
vhsubps            V,V,V/M                RVM VEX.F2.0F 7D /r                                               AVX
vaddsubpd          V,V,V/M                RVM VEX.66.0F D0 /r                                               AVX
vaddsubps          V,V,V/M                RVM VEX.F2.0F D0 /r                                               AVX
[convert]
vroundps           V,V/M,u8               RMI VEX.66.0F3A 08 /r                                             AVX
vroundpd           V,V/M,u8               RMI VEX.66.0F3A 09 /r                                             AVX
vroundss           X,X,X/m32,u8           RVMI VEX.LIG.66.0F3A 0A /r                                        AVX
vroundsd           X,X,X/m64,u8           RVMI VEX.LIG.66.0F3A 0B /r                                        AVX
""",
    """
# Fused multiply-add
[fma]
vfmaddsub132ps     x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 96 /r | RVM EVEX.66.0F38.W0 96 /r              FMA | AVX512F
vfmaddsub132pd     x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 96 /r | RVM EVEX.66.0F38.W1 96 /r              FMA | AVX512F
vfmsubadd132ps     x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 97 /r | RVM EVEX.66.0F38.W0 97 /r              FMA | AVX512F
vfmsubadd132pd     x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 97 /r | RVM EVEX.66.0F38.W1 97 /r              FMA | AVX512F
vfmadd132ps        x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 98 /r | RVM EVEX.66.0F38.W0 98 /r              FMA | AVX512F
vfmadd132pd        x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 98 /r | RVM EVEX.66.0F38.W1 98 /r              FMA | AVX512F
vfmadd132ss        x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 99 /r | RVM EVEX.LIG.66.0F38.W0 99 /r      FMA | AVX512F
vfmadd132sd        x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 99 /r | RVM EVEX.LIG.66.0F38.W1 99 /r      FMA | AVX512F
vfmsub132ps        x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 9A /r | RVM EVEX.66.0F38.W0 9A /r              FMA | AVX512F
vfmsub132pd        x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 9A /r | RVM EVEX.66.0F38.W1 9A /r              FMA | AVX512F
vfmsub132ss        x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 9B /r | RVM EVEX.LIG.66.0F38.W0 9B /r      FMA | AVX512F
vfmsub132sd        x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 9B /r | RVM EVEX.LIG.66.0F38.W1 9B /r      FMA | AVX512F
vfnmadd132ps       x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 9C /r | RVM EVEX.66.0F38.W0 9C /r              FMA | AVX512F
vfnmadd132pd       x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 9C /r | RVM EVEX.66.0F38.W1 9C /r              FMA | AVX512F
vfnmadd132ss       x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 9D /r | RVM EVEX.LIG.66.0F38.W0 9D /r      FMA | AVX512F
vfnmadd132sd       x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 9D /r | RVM EVEX.LIG.66.0F38.W1 9D /r      FMA | AVX512F
vfnmsub132ps       x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 9E /r | RVM EVEX.66.0F38.W0 9E /r              FMA | AVX512F
vfnmsub132pd       x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 9E /r | RVM EVEX.66.0F38.W1 9E /r              FMA | AVX512F
vfnmsub132ss       x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 9F /r | RVM EVEX.LIG.66.0F38.W0 9F /r      FMA | AVX512F
vfnmsub132sd       x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 9F /r | RVM EVEX.LIG.66.0F38.W1 9F /r      FMA | AVX512F
vfmaddsub213ps     x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 A6 /r | RVM EVEX.66.0F38.W0 A6 /r              FMA | AVX512F
vfmaddsub213pd     x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 A6 /r | RVM EVEX.66.0F38.W1 A6 /r              FMA | AVX512F
vfmsubadd213ps     x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 A7 /r | RVM EVEX.66.0F38.W0 A7 /r              FMA | AVX512F
vfmsubadd213pd     x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 A7 /r | RVM EVEX.66.0F38.W1 A7 /r              FMA | AVX512F
vfmadd213ps        x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 A8 /r | RVM EVEX.66.0F38.W0 A8 /r              FMA | AVX512F
vfmadd213pd        x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 A8 /r | RVM EVEX.66.0F38.W1 A8 /r              FMA | AVX512F
vfmadd213ss        x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 A9 /r | RVM EVEX.LIG.66.0F38.W0 A9 /r      FMA | AVX512F
vfmadd213sd        x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 A9 /r | RVM EVEX.LIG.66.0F38.W1 A9 /r      FMA | AVX512F
vfmsub213ps        x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 AA /r | RVM EVEX.66.0F38.W0 AA /r              FMA | AVX512F
vfmsub213pd        x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 AA /r | RVM EVEX.66.0F38.W1 AA /r              FMA | AVX512F
vfmsub213ss        x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 AB /r | RVM EVEX.LIG.66.0F38.W0 AB /r      FMA | AVX512F
vfmsub213sd        x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 AB /r | RVM EVEX.LIG.66.0F38.W1 AB /r      FMA | AVX512F
vfnmadd213ps       x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 AC /r | RVM EVEX.66.0F38.W0 AC /r              FMA | AVX512F
vfnmadd213pd       x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 AC /r | RVM EVEX.66.0F38.W1 AC /r              FMA | AVX512F
vfnmadd213ss       x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 AD /r | RVM EVEX.LIG.66.0F38.W0 AD /r      FMA | AVX512F
vfnmadd213sd       x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 AD /r | RVM EVEX.LIG.66.0F38.W1 AD /r      FMA | AVX512F
vfnmsub213ps       x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 AE /r | RVM EVEX.66.0F38.W0 AE /r              FMA | AVX512F
vfnmsub213pd       x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 AE /r | RVM EVEX.66.0F38.W1 AE /r              FMA | AVX512F
vfnmsub213ss       x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 AF /r | RVM EVEX.LIG.66.0F38.W0 AF /r      FMA | AVX512F
vfnmsub213sd       x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 AF /r | RVM EVEX.LIG.66.0F38.W1 AF /r      FMA | AVX512F
vfmaddsub231ps     x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 B6 /r | RVM EVEX.66.0F38.W0 B6 /r              FMA | AVX512F
vfmaddsub231pd     x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 B6 /r | RVM EVEX.66.0F38.W1 B6 /r              FMA | AVX512F
vfmsubadd231ps     x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 B7 /r | RVM EVEX.66.0F38.W0 B7 /r              FMA | AVX512F
vfmsubadd231pd     x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 B7 /r | RVM EVEX.66.0F38.W1 B7 /r              FMA | AVX512F
vfmadd231ps        x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 B8 /r | RVM EVEX.66.0F38.W0 B8 /r              FMA | AVX512F
vfmadd231pd        x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 B8 /r | RVM EVEX.66.0F38.W1 B8 /r              FMA | AVX512F
vfmadd231ss        x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 B9 /r | RVM EVEX.LIG.66.0F38.W0 B9 /r      FMA | AVX512F
vfmadd231sd        x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 B9 /r | RVM EVEX.LIG.66.0F38.W1 B9 /r      FMA | AVX512F
vfmsub231ps        x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 BA /r | RVM EVEX.66.0F38.W0 BA /r              FMA | AVX512F
vfmsub231pd        x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 BA /r | RVM EVEX.66.0F38.W1 BA /r              FMA | AVX512F
vfmsub231ss        x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 BB /r | RVM EVEX.LIG.66.0F38.W0 BB /r      FMA | AVX512F
vfmsub231sd        x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 BB /r | RVM EVEX.LIG.66.0F38.W1 BB /r      FMA | AVX512F
vfnmadd231ps       x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 BC /r | RVM EVEX.66.0F38.W0 BC /r              FMA | AVX512F
vfnmadd231pd       x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 BC /r | RVM EVEX.66.0F38.W1 BC /r              FMA | AVX512F
vfnmadd231ss       x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 BD /r | RVM EVEX.LIG.66.0F38.W0 BD /r      FMA | AVX512F
vfnmadd231sd       x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 BD /r | RVM EVEX.LIG.66.0F38.W1 BD /r      FMA | AVX512F
vfnmsub231ps       x:V{kz},V,V/M/b32{er}  RVM VEX.66.0F38.W0 BE /r | RVM EVEX.66.0F38.W0 BE /r              FMA | AVX512F
vfnmsub231pd       x:V{kz},V,V/M/b64{er}  RVM VEX.66.0F38.W1 BE /r | RVM EVEX.66.0F38.W1 BE /r              FMA | AVX512F
vfnmsub231ss       x:X{kz},X,X/m32{er}    RVM VEX.LIG.66.0F38.W0 BF /r | RVM EVEX.LIG.66.0F38.W0 BF /r      FMA | AVX512F
vfnmsub231sd       x:X{kz},X,X/m64{er}    RVM VEX.LIG.66.0F38.W1 BF /r | RVM EVEX.LIG.66.0F38.W1 BF /r      FMA | AVX512F
""",
    """
# Comparisons and tests
[arithmetic]
vucomiss           r:X,X/m32{sae}         RM VEX.LIG.NP.0F 2E /r | RM EVEX.LIG.NP.0F.W0 2E /r               AVX | AVX512F                                  ; w:flags
vucomisd           r:X,X/m64{sae}         RM VEX.LIG.66.0F 2E /r | RM EVEX.LIG.66.0F.W1 2E /r               AVX | AVX512F                                  ; w:flags
vcomiss            r:X,X/m32{sae}         RM VEX.LIG.NP.0F 2F /r | RM EVEX.LIG.NP.0F.W0 2F /r               AVX | AVX512F                                  ; w:flags key:vucomiss
vcomisd            r:X,X/m64{sae}         RM VEX.LIG.66.0F 2F /r | RM EVEX.LIG.66.0F.W1 2F /r               AVX | AVX512F                                  ; w:flags key:vucomisd
vpcmpgtb           V,V,V/M                RVM VEX.66.0F 64 /r                                               AVX/AVX2
vpcmpgtw           V,V,V/M                RVM VEX.66.0F 65 /r                                               AVX/AVX2
vpcmpgtd           V,V,V/M                RVM VEX.66.0F 66 /r                                               AVX/AVX2
vpcmpeqb           V,V,V/M                RVM VEX.66.0F 74 /r                                               AVX/AVX2
vpcmpeqw           V,V,V/M                RVM VEX.66.0F 75 /r                                               AVX/AVX2
vpcmpeqd           V,V,V/M                RVM VEX.66.0F 76 /r                                               AVX/AVX2
vcmpps             V,V,V/M,u8             RVMI VEX.NP.0F C2 /r                                              AVX
vcmppd             V,V,V/M,u8             RVMI VEX.66.0F C2 /r                                              AVX
vcmpss             X,X,X/m32,u8           RVMI VEX.LIG.F3.0F C2 /r                                          AVX
vcmpsd             X,X,X/m64,u8           RVMI VEX.LIG.F2.0F C2 /r                                          AVX
vtestps            r:V,V/M                RM VEX.66.0F38.W0 0E /r                                           AVX                                            ; w:flags
vtestpd            r:V,V/M                RM VEX.66.0F38.W0 0F /r                                           AVX                                            ; w:flags
vptest             r:V,V/M                RM VEX.66.0F38 17 /r                                              AVX                                            ; w:flags
vpcmpeqq           V,V,V/M                RVM VEX.66.0F38 29 /r                                             AVX/AVX2
vpcmpgtq           V,V,V/M                RVM VEX.66.0F38 37 /r                                             AVX/AVX2
""",
    """
# Conversions
[convert]
vcvtsi2ss          X,X,Ry/My{er}          RVM VEX.LIG.F3.0F 2A /r | RVM EVEX.LIG.F3.0F 2A /r                AVX | AVX512F
vcvtsi2sd          X,X,Ry/My              RVM VEX.LIG.F2.0F 2A /r                                           AVX
vcvttss2si         Ry,X/m32{sae}          RM VEX.LIG.F3.0F 2C /r | RM EVEX.LIG.F3.0F 2C /r                  AVX | AVX512F
vcvttsd2si         Ry,X/m64{sae}          RM VEX.LIG.F2.0F 2C /r | RM EVEX.LIG.F2.0F 2C /r                  AVX | AVX512F
vcvtss2si          Ry,X/m32{er}           RM VEX.LIG.F3.0F 2D /r | RM EVEX.LIG.F3.0F 2D /r                  AVX | AVX512F
vcvtsd2si          Ry,X/m64{er}           RM VEX.LIG.F2.0F 2D /r | RM EVEX.LIG.F2.0F 2D /r                  AVX | AVX512F
vcvtps2pd          V{kz},H/MH/b32{sae}    RM VEX.NP.0F 5A /r | RM EVEX.NP.0F.W0 5A /r                       AVX | AVX512F
vcvtpd2ps          H{kz},V/M/b64{er}      RM VEX.66.0F 5A /r | RM EVEX.66.0F.W1 5A /r                       AVX | AVX512F
vcvtss2sd          X{kz},X,X/m32{sae}     RVM VEX.LIG.F3.0F 5A /r | RVM EVEX.LIG.F3.0F.W0 5A /r             AVX | AVX512F
vcvtsd2ss          X{kz},X,X/m64{er}      RVM VEX.LIG.F2.0F 5A /r | RVM EVEX.LIG.F2.0F.W1 5A /r             AVX | AVX512F
vcvtdq2ps          V{kz},V/M/b32{er}      RM VEX.NP.0F 5B /r | RM EVEX.NP.0F.W0 5B /r                       AVX | AVX512F
vcvtps2dq          V{kz},V/M/b32{er}      RM VEX.66.0F 5B /r | RM EVEX.66.0F.W0 5B /r                       AVX | AVX512F
vcvttps2dq         V{kz},V/M/b32{sae}     RM VEX.F3.0F 5B /r | RM EVEX.F3.0F.W0 5B /r                       AVX | AVX512F
vcvttpd2dq         H{kz},V/M/b64{sae}     RM VEX.66.0F E6 /r | RM EVEX.66.0F.W1 E6 /r                       AVX | AVX512F
vcvtdq2pd          V{kz},H/MH/b32         RM VEX.F3.0F E6 /r | RM EVEX.F3.0F.W0 E6 /r                       AVX | AVX512F
vcvtpd2dq          H{kz},V/M/b64{er}      RM VEX.F2.0F E6 /r | RM EVEX.F2.0F.W1 E6 /r                       AVX | AVX512F
vcvtph2ps          V{kz},H/MH{sae}        RM VEX.66.0F38.W0 13 /r | RM EVEX.66.0F38.W0 13 /r                F16C | AVX512F
vcvtneps2bf16      H{kz},V/M/b32          RM VEX.F3.0F38.W0 72 /r | RM EVEX.F3.0F38.W0 72 /r                AVX_NE_CONVERT | AVX512_BF16
vcvtneoph2ps       V,M                    RM VEX.NP.0F38.W0 B0 /r                                           AVX_NE_CONVERT
vcvtneeph2ps       V,M                    RM VEX.66.0F38.W0 B0 /r                                           AVX_NE_CONVERT
vcvtneebf162ps     V,M                    RM VEX.F3.0F38.W0 B0 /r                                           AVX_NE_CONVERT
vcvtneobf162ps     V,M                    RM VEX.F2.0F38.W0 B0 /r                                           AVX_NE_CONVERT
vcvtps2ph          X/MH,V,u8              MRI VEX.66.0F3A.W0 1D /r                                          F16C
""",
    """
# Integer arithmetic
[arithmetic]
vpaddq             V{kz},V,V/M/b64        RVM VEX.66.0F D4 /r | RVM EVEX.66.0F.W1 D4 /r                     AVX/AVX2 | AVX512F
vpmullw            V{kz},V,V/M            RVM VEX.66.0F D5 /r | RVM EVEX.66.0F.WIG D5 /r                    AVX/AVX2 | AVX512BW
vpsubusb           V{kz},V,V/M            RVM VEX.66.0F D8 /r | RVM EVEX.66.0F.WIG D8 /r                    AVX/AVX2 | AVX512BW
vpsubusw           V{kz},V,V/M            RVM VEX.66.0F D9 /r | RVM EVEX.66.0F.WIG D9 /r                    AVX/AVX2 | AVX512BW
vpminub            V{kz},V,V/M            RVM VEX.66.0F DA /r | RVM EVEX.66.0F.WIG DA /r                    AVX/AVX2 | AVX512BW
vpaddusb           V{kz},V,V/M            RVM VEX.66.0F DC /r | RVM EVEX.66.0F.WIG DC /r                    AVX/AVX2 | AVX512BW
vpaddusw           V{kz},V,V/M            RVM VEX.66.0F DD /r | RVM EVEX.66.0F.WIG DD /r                    AVX/AVX2 | AVX512BW
vpmaxub            V{kz},V,V/M            RVM VEX.66.0F DE /r | RVM EVEX.66.0F.WIG DE /r                    AVX/AVX2 | AVX512BW
vpavgb             V{kz},V,V/M            RVM VEX.66.0F E0 /r | RVM EVEX.66.0F.WIG E0 /r                    AVX/AVX2 | AVX512BW
vpavgw             V{kz},V,V/M            RVM VEX.66.0F E3 /r | RVM EVEX.66.0F.WIG E3 /r                    AVX/AVX2 | AVX512BW
vpmulhuw           V{kz},V,V/M            RVM VEX.66.0F E4 /r | RVM EVEX.66.0F.WIG E4 /r                    AVX/AVX2 | AVX512BW
vpmulhw            V{kz},V,V/M            RVM VEX.66.0F E5 /r | RVM EVEX.66.0F.WIG E5 /r                    AVX/AVX2 | AVX512BW
vpsubsb            V{kz},V,V/M            RVM VEX.66.0F E8 /r | RVM EVEX.66.0F.WIG E8 /r                    AVX/AVX2 | AVX512BW
vpsubsw            V{kz},V,V/M            RVM VEX.66.0F E9 /r | RVM EVEX.66.0F.WIG E9 /r                    AVX/AVX2 | AVX512BW
vpminsw            V{kz},V,V/M            RVM VEX.66.0F EA /r | RVM EVEX.66.0F.WIG EA /r                    AVX/AVX2 | AVX512BW
vpaddsb            V{kz},V,V/M            RVM VEX.66.0F EC /r | RVM EVEX.66.0F.WIG EC /r                    AVX/AVX2 | AVX512BW
vpaddsw            V{kz},V,V/M            RVM VEX.66.0F ED /r | RVM EVEX.66.0F.WIG ED /r                    AVX/AVX2 | AVX512BW
vpmaxsw            V{kz},V,V/M            RVM VEX.66.0F EE /r | RVM EVEX.66.0F.WIG EE /r                    AVX/AVX2 | AVX512BW
vpmuludq           V{kz},V,V/M/b64        RVM VEX.66.0F F4 /r | RVM EVEX.66.0F.W1 F4 /r                     AVX/AVX2 | AVX512F
vpsadbw            V,V,V/M                RVM VEX.66.0F F6 /r | RVM EVEX.66.0F.WIG F6 /r                    AVX/AVX2 | AVX512BW
vpsubb             V{kz},V,V/M            RVM VEX.66.0F F8 /r | RVM EVEX.66.0F.WIG F8 /r                    AVX/AVX2 | AVX512BW
vpsubw             V{kz},V,V/M            RVM VEX.66.0F F9 /r | RVM EVEX.66.0F.WIG F9 /r                    AVX/AVX2 | AVX512BW
vpsubd             V{kz},V,V/M/b32        RVM VEX.66.0F FA /r | RVM EVEX.66.0F.W0 FA /r                     AVX/AVX2 | AVX512F
vpsubq             V{kz},V,V/M/b64        RVM VEX.66.0F FB /r | RVM EVEX.66.0F.W1 FB /r                     AVX/AVX2 | AVX512F
vpaddb             V{kz},V,V/M            RVM VEX.66.0F FC /r | RVM EVEX.66.0F.WIG FC /r                    AVX/AVX2 | AVX512BW
vpaddw             V{kz},V,V/M            RVM VEX.66.0F FD /r | RVM EVEX.66.0F.WIG FD /r                    AVX/AVX2 | AVX512BW
vpaddd             V{kz},V,V/M/b32        RVM VEX.66.0F FE /r | RVM EVEX.66.0F.W0 FE /r                     AVX/AVX2 | AVX512F
vphaddw            V,V,V/M                RVM VEX.66.0F38 01 /r                                             AVX/AVX2
vphaddd            V,V,V/M                RVM VEX.66.0F38 02 /r                                             AVX/AVX2
vphaddsw           V,V,V/M                RVM VEX.66.0F38 03 /r                                             AVX/AVX2
vphsubw            V,V,V/M                RVM VEX.66.0F38 05 /r                                             AVX/AVX2
vphsubd            V,V,V/M                RVM VEX.66.0F38 06 /r                                             AVX/AVX2
vphsubsw           V,V,V/M                RVM VEX.66.0F38 07 /r                                             AVX/AVX2
vpsignb            V,V,V/M                RVM VEX.66.0F38 08 /r                                             AVX/AVX2
vpsignw            V,V,V/M                RVM VEX.66.0F38 09 /r                                             AVX/AVX2
vpsignd            V,V,V/M                RVM VEX.66.0F38 0A /r                                             AVX/AVX2
vpmulhrsw          V{kz},V,V/M            RVM VEX.66.0F38 0B /r | RVM EVEX.66.0F38.WIG 0B /r                AVX/AVX2 | AVX512BW
vpabsb             V{kz},V/M              RM VEX.66.0F38 1C /r | RM EVEX.66.0F38.WIG 1C /r                  AVX/AVX2 | AVX512BW
vpabsw             V{kz},V/M              RM VEX.66.0F38 1D /r | RM EVEX.66.0F38.WIG 1D /r                  AVX/AVX2 | AVX512BW
vpabsd             V{kz},V/M/b32          RM VEX.66.0F38 1E /r | RM EVEX.66.0F38.W0 1E /r                   AVX/AVX2 | AVX512F
vpmuldq            V{kz},V,V/M/b64        RVM VEX.66.0F38 28 /r | RVM EVEX.66.0F38.W1 28 /r                 AVX/AVX2 | AVX512F
vpminsb            V{kz},V,V/M            RVM VEX.66.0F38 38 /r | RVM EVEX.66.0F38.WIG 38 /r                AVX/AVX2 | AVX512BW
vpminsd            V{kz},V,V/M/b32        RVM VEX.66.0F38 39 /r | RVM EVEX.66.0F38.W0 39 /r                 AVX/AVX2 | AVX512F
vpminuw            V{kz},V,V/M            RVM VEX.66.0F38 3A /r | RVM EVEX.66.0F38.WIG 3A /r                AVX/AVX2 | AVX512BW
vpminud            V{kz},V,V/M/b32        RVM VEX.66.0F38 3B /r | RVM EVEX.66.0F38.W0 3B /r                 AVX/AVX2 | AVX512F
vpmaxsb            V{kz},V,V/M            RVM VEX.66.0F38 3C /r | RVM EVEX.66.0F38.WIG 3C /r                AVX/AVX2 | AVX512BW
vpmaxsd            V{kz},V,V/M/b32        RVM VEX.66.0F38 3D /r | RVM EVEX.66.0F38.W0 3D /r                 AVX/AVX2 | AVX512F
vpmaxuw            V{kz},V,V/M            RVM VEX.66.0F38 3E /r | RVM EVEX.66.0F38.WIG 3E /r                AVX/AVX2 | AVX512BW
vpmaxud            V{kz},V,V/M/b32        RVM VEX.66.0F38 3F /r | RVM EVEX.66.0F38.W0 3F /r                 AVX/AVX2 | AVX512F
vpmulld            V{kz},V,V/M/b32        RVM VEX.66.0F38 40 /r | RVM EVEX.66.0F38.W0 40 /r                 AVX/AVX2 | AVX512F
vphminposuw        X,X/m128               RM VEX.128.66.0F38 41 /r                                          AVX
vmpsadbw           V,V,V/M,u8             RVMI VEX.66.0F3A 42 /r                                            AVX/AVX2
""",
    """
# Dot products
[dot]
vpmaddwd           V{kz},V,V/M            RVM VEX.66.0F F5 /r | RVM EVEX.66.0F.WIG F5 /r                    AVX/AVX2 | AVX512BW
vpmaddubsw         V{kz},V,V/M            RVM VEX.66.0F38 04 /r | RVM EVEX.66.0F38.WIG 04 /r                AVX/AVX2 | AVX512BW
vpdpbuud           x:V,V,V/M              RVM VEX.NP.0F38.W0 50 /r                                          AVX_VNNI_INT8
vpdpbusd           x:V{kz},V,V/M/b32      RVM VEX.66.0F38.W0 50 /r | RVM EVEX.66.0F38.W0 50 /r              AVX_VNNI | AVX512_VNNI
vpdpbsud           x:V,V,V/M              RVM VEX.F3.0F38.W0 50 /r                                          AVX_VNNI_INT8
vpdpbssd           x:V,V,V/M              RVM VEX.F2.0F38.W0 50 /r                                          AVX_VNNI_INT8
vpdpbuuds          x:V,V,V/M              RVM VEX.NP.0F38.W0 51 /r                                          AVX_VNNI_INT8
vpdpbusds          x:V{kz},V,V/M/b32      RVM VEX.66.0F38.W0 51 /r | RVM EVEX.66.0F38.W0 51 /r              AVX_VNNI | AVX512_VNNI
vpdpbsuds          x:V,V,V/M              RVM VEX.F3.0F38.W0 51 /r                                          AVX_VNNI_INT8
vpdpbssds          x:V,V,V/M              RVM VEX.F2.0F38.W0 51 /r                                          AVX_VNNI_INT8
vpdpwssd           x:V{kz},V,V/M/b32      RVM VEX.66.0F38.W0 52 /r | RVM EVEX.66.0F38.W0 52 /r              AVX_VNNI | AVX512_VNNI
vpdpwssds          x:V{kz},V,V/M/b32      RVM VEX.66.0F38.W0 53 /r | RVM EVEX.66.0F38.W0 53 /r              AVX_VNNI | AVX512_VNNI
[fma]
vpmadd52luq        x:V{kz},V,V/M/b64      RVM VEX.66.0F38.W1 B4 /r | RVM EVEX.66.0F38.W1 B4 /r              AVX_IFMA | AVX512_IFMA
vpmadd52huq        x:V{kz},V,V/M/b64      RVM VEX.66.0F38.W1 B5 /r | RVM EVEX.66.0F38.W1 B5 /r              AVX_IFMA | AVX512_IFMA
[dot]
vpdpwuud           x:V,V,V/M              RVM VEX.NP.0F38.W0 D2 /r                                          AVX_VNNI_INT16
vpdpwusd           x:V,V,V/M              RVM VEX.66.0F38.W0 D2 /r                                          AVX_VNNI_INT16
vpdpwsud           x:V,V,V/M              RVM VEX.F3.0F38.W0 D2 /r                                          AVX_VNNI_INT16
vpdpwuuds          x:V,V,V/M              RVM VEX.NP.0F38.W0 D3 /r                                          AVX_VNNI_INT16
vpdpwusds          x:V,V,V/M              RVM VEX.66.0F38.W0 D3 /r                                          AVX_VNNI_INT16
vpdpwsuds          x:V,V,V/M              RVM VEX.F3.0F38.W0 D3 /r                                          AVX_VNNI_INT16
vdpps              V,V,V/M,u8             RVMI VEX.66.0F3A 40 /r                                            AVX
vdppd              X,X,X/m128,u8          RVMI VEX.128.66.0F3A 41 /r                                        AVX
""",
    """
# Integer logic and shifts
[arithmetic]
vpsrlw             V,V,u8                 VMI VEX.66.0F 71 /2                                               AVX/AVX2
vpsraw             V,V,u8                 VMI VEX.66.0F 71 /4                                               AVX/AVX2
vpsllw             V,V,u8                 VMI VEX.66.0F 71 /6                                               AVX/AVX2
vpsrld             V,V,u8                 VMI VEX.66.0F 72 /2                                               AVX/AVX2
vpsrad             V,V,u8                 VMI VEX.66.0F 72 /4                                               AVX/AVX2
vpslld             V,V,u8                 VMI VEX.66.0F 72 /6                                               AVX/AVX2
vpsrlq             V,V,u8                 VMI VEX.66.0F 73 /2                                               AVX/AVX2
vpsrldq            V,V,u8                 VMI VEX.66.0F 73 /3                                               AVX/AVX2
vpsllq             V,V,u8                 VMI VEX.66.0F 73 /6                                               AVX/AVX2
vpslldq            V,V,u8                 VMI VEX.66.0F 73 /7                                               AVX/AVX2
vpsrlw             V{kz},V,X/m128         RVM VEX.66.0F D1 /r | RVM EVEX.66.0F.W0 D1 /r                     AVX/AVX2 | AVX512BW
vpsrld             V{kz},V,X/m128         RVM VEX.66.0F D2 /r | RVM EVEX.66.0F.W0 D2 /r                     AVX/AVX2 | AVX512F
vpsrlq             V{kz},V,X/m128         RVM VEX.66.0F D3 /r | RVM EVEX.66.0F.W1 D3 /r                     AVX/AVX2 | AVX512F
vpand              V,V,V/M                RVM VEX.66.0F DB /r                                               AVX/AVX2
vpandn             V,V,V/M                RVM VEX.66.0F DF /r                                               AVX/AVX2
vpsraw             V{kz},V,X/m128         RVM VEX.66.0F E1 /r | RVM EVEX.66.0F.W0 E1 /r                     AVX/AVX2 | AVX512BW
vpsrad             V{kz},V,X/m128         RVM VEX.66.0F E2 /r | RVM EVEX.66.0F.W0 E2 /r                     AVX/AVX2 | AVX512F
vpor               V,V,V/M                RVM VEX.66.0F EB /r                                               AVX/AVX2
vpxor              V,V,V/M                RVM VEX.66.0F EF /r                                               AVX/AVX2
vpsllw             V{kz},V,X/m128         RVM VEX.66.0F F1 /r | RVM EVEX.66.0F.W0 F1 /r                     AVX/AVX2 | AVX512BW
vpslld             V{kz},V,X/m128         RVM VEX.66.0F F2 /r | RVM EVEX.66.0F.W0 F2 /r                     AVX/AVX2 | AVX512F
vpsllq             V{kz},V,X/m128         RVM VEX.66.0F F3 /r | RVM EVEX.66.0F.W1 F3 /r                     AVX/AVX2 | AVX512F
vpsrlvd            V{kz},V,V/M/b32        RVM VEX.66.0F38.W0 45 /r | RVM EVEX.66.0F38.W0 45 /r              AVX2 | AVX512F
vpsrlvq            V{kz},V,V/M/b64        RVM VEX.66.0F38.W1 45 /r | RVM EVEX.66.0F38.W1 45 /r              AVX2 | AVX512F
vpsravd            V{kz},V,V/M/b32        RVM VEX.66.0F38.W0 46 /r | RVM EVEX.66.0F38.W0 46 /r              AVX2 | AVX512F
vpsllvd            V{kz},V,V/M/b32        RVM VEX.66.0F38.W0 47 /r | RVM EVEX.66.0F38.W0 47 /r              AVX2 | AVX512F
vpsllvq            V{kz},V,V/M/b64        RVM VEX.66.0F38.W1 47 /r | RVM EVEX.66.0F38.W1 47 /r              AVX2 | AVX512F
""",
    """
# Width changes
[convert]
vpacksswb          V{kz},V,V/M            RVM VEX.66.0F 63 /r | RVM EVEX.66.0F.WIG 63 /r                    AVX/AVX2 | AVX512BW
vpackuswb          V{kz},V,V/M            RVM VEX.66.0F 67 /r | RVM EVEX.66.0F.WIG 67 /r                    AVX/AVX2 | AVX512BW
vpackssdw          V{kz},V,V/M/b32        RVM VEX.66.0F 6B /r | RVM EVEX.66.0F.W0 6B /r                     AVX/AVX2 | AVX512BW
vpmovsxbw          V{kz},H/MH             RM VEX.66.0F38 20 /r | RM EVEX.66.0F38.WIG 20 /r                  AVX/AVX2 | AVX512BW
vpmovsxbd          V{kz},X/MQ             RM VEX.66.0F38 21 /r | RM EVEX.66.0F38.WIG 21 /r                  AVX/AVX2 | AVX512F
vpmovsxbq          V{kz},X/ME             RM VEX.66.0F38 22 /r | RM EVEX.66.0F38.WIG 22 /r                  AVX/AVX2 | AVX512F
vpmovsxwd          V{kz},H/MH             RM VEX.66.0F38 23 /r | RM EVEX.66.0F38.WIG 23 /r                  AVX/AVX2 | AVX512F
vpmovsxwq          V{kz},X/MQ             RM VEX.66.0F38 24 /r | RM EVEX.66.0F38.WIG 24 /r                  AVX/AVX2 | AVX512F
vpmovsxdq          V{kz},H/MH             RM VEX.66.0F38 25 /r | RM EVEX.66.0F38.W0 25 /r                   AVX/AVX2 | AVX512F
vpackusdw          V{kz},V,V/M/b32        RVM VEX.66.0F38 2B /r | RVM EVEX.66.0F38.W0 2B /r                 AVX/AVX2 | AVX512BW
vpmovzxbw          V{kz},H/MH             RM VEX.66.0F38 30 /r | RM EVEX.66.0F38.WIG 30 /r                  AVX/AVX2 | AVX512BW
vpmovzxbd          V{kz},X/MQ             RM VEX.66.0F38 31 /r | RM EVEX.66.0F38.WIG 31 /r                  AVX/AVX2 | AVX512F
vpmovzxbq          V{kz},X/ME             RM VEX.66.0F38 32 /r | RM EVEX.66.0F38.WIG 32 /r                  AVX/AVX2 | AVX512F
vpmovzxwd          V{kz},H/MH             RM VEX.66.0F38 33 /r | RM EVEX.66.0F38.WIG 33 /r                  AVX/AVX2 | AVX512F
vpmovzxwq          V{kz},X/MQ             RM VEX.66.0F38 34 /r | RM EVEX.66.0F38.WIG 34 /r                  AVX/AVX2 | AVX512F
vpmovzxdq          V{kz},H/MH             RM VEX.66.0F38 35 /r | RM EVEX.66.0F38.W0 35 /r                   AVX/AVX2 | AVX512F
""",
    """
# Shuffles
[shuffle]
vunpcklps          V{kz},V,V/M/b32        RVM VEX.NP.0F 14 /r | RVM EVEX.NP.0F.W0 14 /r                     AVX | AVX512F
vunpcklpd          V{kz},V,V/M/b64        RVM VEX.66.0F 14 /r | RVM EVEX.66.0F.W1 14 /r                     AVX | AVX512F
vunpckhps          V{kz},V,V/M/b32        RVM VEX.NP.0F 15 /r | RVM EVEX.NP.0F.W0 15 /r                     AVX | AVX512F
vunpckhpd          V{kz},V,V/M/b64        RVM VEX.66.0F 15 /r | RVM EVEX.66.0F.W1 15 /r                     AVX | AVX512F
vpunpcklbw         V{kz},V,V/M            RVM VEX.66.0F 60 /r | RVM EVEX.66.0F.WIG 60 /r                    AVX/AVX2 | AVX512BW
vpunpcklwd         V{kz},V,V/M            RVM VEX.66.0F 61 /r | RVM EVEX.66.0F.WIG 61 /r                    AVX/AVX2 | AVX512BW
vpunpckldq         V{kz},V,V/M/b32        RVM VEX.66.0F 62 /r | RVM EVEX.66.0F.W0 62 /r                     AVX/AVX2 | AVX512F                             ; key:vunpcklps
vpunpckhbw         V{kz},V,V/M            RVM VEX.66.0F 68 /r | RVM EVEX.66.0F.WIG 68 /r                    AVX/AVX2 | AVX512BW
vpunpckhwd         V{kz},V,V/M            RVM VEX.66.0F 69 /r | RVM EVEX.66.0F.WIG 69 /r                    AVX/AVX2 | AVX512BW
vpunpckhdq         V{kz},V,V/M/b32        RVM VEX.66.0F 6A /r | RVM EVEX.66.0F.W0 6A /r                     AVX/AVX2 | AVX512F                             ; key:vunpckhps
vpunpcklqdq        V{kz},V,V/M/b64        RVM VEX.66.0F 6C /r | RVM EVEX.66.0F.W1 6C /r                     AVX/AVX2 | AVX512F                             ; key:vunpcklpd
vpunpckhqdq        V{kz},V,V/M/b64        RVM VEX.66.0F 6D /r | RVM EVEX.66.0F.W1 6D /r                     AVX/AVX2 | AVX512F                             ; key:vunpckhpd
vpshufd            V{kz},V/M/b32,u8       RMI VEX.66.0F 70 /r | RMI EVEX.66.0F.W0 70 /r                     AVX/AVX2 | AVX512F
vpshufhw           V{kz},V/M,u8           RMI VEX.F3.0F 70 /r | RMI EVEX.F3.0F.WIG 70 /r                    AVX/AVX2 | AVX512BW
vpshuflw           V{kz},V/M,u8           RMI VEX.F2.0F 70 /r | RMI EVEX.F2.0F.WIG 70 /r                    AVX/AVX2 | AVX512BW
[system]
vldmxcsr           r:m32                  M VEX.128.NP.0F AE /2                                             AVX                                            ; key:ldmxcsr
vstmxcsr           m32                    M VEX.128.NP.0F AE /3                                             AVX                                            ; key:stmxcsr
[shuffle]
vpinsrw            X,X,r32/m16,u8         RVMI VEX.128.66.0F C4 /r | RVMI EVEX.128.66.0F.WIG C4 /r          AVX | AVX512BW
vpextrw            r32,X,u8               RMI VEX.128.66.0F C5 /r | RMI EVEX.128.66.0F.WIG C5 /r            AVX | AVX512BW
vshufps            V{kz},V,V/M/b32,u8     RVMI VEX.NP.0F C6 /r | RVMI EVEX.NP.0F.W0 C6 /r                   AVX | AVX512F
vshufpd            V{kz},V,V/M/b64,u8     RVMI VEX.66.0F C6 /r | RVMI EVEX.66.0F.W1 C6 /r                   AVX | AVX512F
vpshufb            V{kz},V,V/M            RVM VEX.66.0F38 00 /r | RVM EVEX.66.0F38.WIG 00 /r                AVX/AVX2 | AVX512BW
vpermilps          V{kz},V,V/M/b32        RVM VEX.66.0F38.W0 0C /r | RVM EVEX.66.0F38.W0 0C /r              AVX | AVX512F
vpermilpd          V{kz},V,V/M/b64        RVM VEX.66.0F38.W0 0D /r | RVM EVEX.66.0F38.W1 0D /r              AVX | AVX512F
vpermps            V{kz},V,V/M/b32        RVM VEX.256.66.0F38.W0 16 /r | RVM EVEX.256.512.66.0F38.W0 16 /r  AVX2 | AVX512F                                 ; key:vpermd
vpermd             V{kz},V,V/M/b32        RVM VEX.256.66.0F38.W0 36 /r | RVM EVEX.256.512.66.0F38.W0 36 /r  AVX2 | AVX512F
vpermq             V{kz},V/M/b64,u8       RMI VEX.256.66.0F3A.W1 00 /r | RMI EVEX.256.512.66.0F3A.W1 00 /r  AVX2 | AVX512F
vpermpd            V{kz},V/M/b64,u8       RMI VEX.256.66.0F3A.W1 01 /r | RMI EVEX.256.512.66.0F3A.W1 01 /r  AVX2 | AVX512F                                 ; key:vpermq
vpblendd           V,V,V/M,u8             RVMI VEX.66.0F3A.W0 02 /r                                         AVX2                                           ; key:vblendps
vpermilps          V{kz},V/M/b32,u8       RMI VEX.66.0F3A.W0 04 /r | RMI EVEX.66.0F3A.W0 04 /r              AVX | AVX512F
vpermilpd          V{kz},V/M/b64,u8       RMI VEX.66.0F3A.W0 05 /r | RMI EVEX.66.0F3A.W1 05 /r              AVX | AVX512F
vperm2f128         Y,Y,Y/m256,u8          RVMI VEX.256.66.0F3A.W0 06 /r                                     AVX
vblendps           V,V,V/M,u8             RVMI VEX.66.0F3A 0C /r                                            AVX
vblendpd           V,V,V/M,u8             RVMI VEX.66.0F3A 0D /r                                            AVX
vpblendw           V,V,V/M,u8             RVMI VEX.66.0F3A 0E /r                                            AVX/AVX2
vpalignr           V{kz},V,V/M,u8         RVMI VEX.66.0F3A 0F /r | RVMI EVEX.66.0F3A.W0 0F /r               AVX/AVX2 | AVX512BW
vpextrb            r32/m8,X,u8            MRI VEX.128.66.0F3A 14 /r | MRI EVEX.128.66.0F3A.WIG 14 /r        AVX | AVX512BW
vpextrw            m16,X,u8               MRI VEX.128.66.0F3A 15 /r | MRI EVEX.128.66.0F3A.WIG 15 /r        AVX | AVX512BW
vpextrd            r32/m32,X,u8           MRI VEX.128.66.0F3A.W0 16 /r | MRI EVEX.128.66.0F3A.W0 16 /r      AVX | AVX512DQ                                 ; key:vextractps
vpextrq            r64/m64,X,u8           MRI VEX.128.66.0F3A.W1 16 /r | MRI EVEX.128.66.0F3A.W1 16 /r      AVX | AVX512DQ
vextractps         r32/m32,X,u8           MRI VEX.128.66.0F3A 17 /r | MRI EVEX.128.66.0F3A.WIG 17 /r        AVX | AVX512F
vinsertf128        Y,Y,X/m128,u8          RVMI VEX.256.66.0F3A.W0 18 /r                                     AVX                                            ; key:vinsertf64x2
vextractf128       X/m128,Y,u8            MRI VEX.256.66.0F3A.W0 19 /r                                      AVX                                            ; key:vextractf64x2
vpinsrb            X,X,r32/m8,u8          RVMI VEX.128.66.0F3A 20 /r | RVMI EVEX.128.66.0F3A.WIG 20 /r      AVX | AVX512BW
vinsertps          X,X,X/m32,u8           RVMI VEX.128.66.0F3A 21 /r | RVMI EVEX.128.66.0F3A.W0 21 /r       AVX | AVX512F
vpinsrd            X,X,r32/m32,u8         RVMI VEX.128.66.0F3A.W0 22 /r | RVMI EVEX.128.66.0F3A.W0 22 /r    AVX | AVX512DQ
vpinsrq            X,X,r64/m64,u8         RVMI VEX.128.66.0F3A.W1 22 /r | RVMI EVEX.128.66.0F3A.W1 22 /r    AVX | AVX512DQ
vinserti128        Y,Y,X/m128,u8          RVMI VEX.256.66.0F3A.W0 38 /r                                     AVX2                                           ; key:vinsertf64x2
vextracti128       X/m128,Y,u8            MRI VEX.256.66.0F3A.W0 39 /r                                      AVX2                                           ; key:vextractf64x2
vperm2i128         Y,Y,Y/m256,u8          RVMI VEX.256.66.0F3A.W0 46 /r                                     AVX2                                           ; key:vperm2f128
vblendvps          V,V,V/M,V              RVMS VEX.66.0F3A.W0 4A /r                                         AVX
vblendvpd          V,V,V/M,V              RVMS VEX.66.0F3A.W0 4B /r                                         AVX
vpblendvb          V,V,V/M,V              RVMS VEX.66.0F3A.W0 4C /r                                         AVX/AVX2
""",
    """
# Masks to vectors and back
[move]
vmovmskps          r32,V                  RM VEX.NP.0F 50 /r                                                AVX
vmovmskpd          r32,V                  RM VEX.66.0F 50 /r                                                AVX
vpmovmskb          r32,V                  RM VEX.66.0F D7 /r                                                AVX/AVX2
""",
    """
# Gathers and scatters
[move]
vpgatherdd         x:X,vx32,x:X           RMV VEX.128.66.0F38.W0 90 /r                                      AVX2                                           ; key:vgatherdps
vpgatherdd         x:Y,vy32,x:Y           RMV VEX.256.66.0F38.W0 90 /r                                      AVX2                                           ; key:vgatherdps
vpgatherdq         x:X,vx64,x:X           RMV VEX.128.66.0F38.W1 90 /r                                      AVX2                                           ; key:vgatherdpd
vpgatherdq         x:Y,vx64,x:Y           RMV VEX.256.66.0F38.W1 90 /r                                      AVX2                                           ; key:vgatherdpd
vpgatherqd         x:X,vx32,x:X           RMV VEX.128.66.0F38.W0 91 /r                                      AVX2                                           ; key:vgatherqps
vpgatherqd         x:X,vy32,x:X           RMV VEX.256.66.0F38.W0 91 /r                                      AVX2                                           ; key:vgatherqps
vpgatherqq         x:X,vx64,x:X           RMV VEX.128.66.0F38.W1 91 /r                                      AVX2                                           ; key:vgatherqpd
vpgatherqq         x:Y,vy64,x:Y           RMV VEX.256.66.0F38.W1 91 /r                                      AVX2                                           ; key:vgatherqpd
vgatherdps         x:X,vx32,x:X           RMV VEX.128.66.0F38.W0 92 /r                                      AVX2
vgatherdps         x:Y,vy32,x:Y           RMV VEX.256.66.0F38.W0 92 /r                                      AVX2
vgatherdpd         x:X,vx64,x:X           RMV VEX.128.66.0F38.W1 92 /r                                      AVX2
vgatherdpd         x:Y,vx64,x:Y           RMV VEX.256.66.0F38.W1 92 /r                                      AVX2
vgatherqps         x:X,vx32,x:X           RMV VEX.128.66.0F38.W0 93 /r                                      AVX2
vgatherqps         x:X,vy32,x:X           RMV VEX.256.66.0F38.W0 93 /r                                      AVX2
vgatherqpd         x:X,vx64,x:X           RMV VEX.128.66.0F38.W1 93 /r                                      AVX2
vgatherqpd         x:Y,vy64,x:Y           RMV VEX.256.66.0F38.W1 93 /r                                      AVX2
""",
    """
# Strings of characters
[arithmetic]
vpcmpestrm         r:X,X/m128,u8          RMI VEX.128.66.0F3A 60 /r                                         AVX                                            ; r:rax,rdx w:xmm0,flags
vpcmpestri         r:X,X/m128,u8          RMI VEX.128.66.0F3A 61 /r                                         AVX                                            ; r:rax,rdx w:rcx,flags
vpcmpistrm         r:X,X/m128,u8          RMI VEX.128.66.0F3A 62 /r                                         AVX                                            ; w:xmm0,flags
vpcmpistri         r:X,X/m128,u8          RMI VEX.128.66.0F3A 63 /r                                         AVX                                            ; w:rcx,flags
""",
    """
# Cryptography
[arithmetic]
vsha512rnds2       x:Y,Y,X                RVM VEX.256.F2.0F38.W0 CB /r                                      SHA512
vsha512msg1        x:Y,X                  RM VEX.256.F2.0F38.W0 CC /r                                       SHA512
vsha512msg2        x:Y,Y                  RM VEX.256.F2.0F38.W0 CD /r                                       SHA512
vgf2p8mulb         V{kz},V,V/M            RVM VEX.66.0F38.W0 CF /r | RVM EVEX.66.0F38.W0 CF /r              GFNI+AVX | GFNI+AVX512F
vsm3msg1           x:X,X,X/m128           RVM VEX.128.NP.0F38.W0 DA /r                                      SM3
vsm3msg2           x:X,X,X/m128           RVM VEX.128.66.0F38.W0 DA /r                                      SM3
vsm4key4           V,V,V/M                RVM VEX.F3.0F38.W0 DA /r                                          SM4
vsm4rnds4          V,V,V/M                RVM VEX.F2.0F38.W0 DA /r                                          SM4
vaesimc            X,X/m128               RM VEX.128.66.0F38 DB /r                                          AES+AVX
vaesenc            V,V,V/M                RVM VEX.66.0F38 DC /r | RVM EVEX.66.0F38.WIG DC /r                AES+AVX/VAES | VAES+AVX512F
vaesenclast        V,V,V/M                RVM VEX.66.0F38 DD /r | RVM EVEX.66.0F38.WIG DD /r                AES+AVX/VAES | VAES+AVX512F
vaesdec            V,V,V/M                RVM VEX.66.0F38 DE /r | RVM EVEX.66.0F38.WIG DE /r                AES+AVX/VAES | VAES+AVX512F
vaesdeclast        V,V,V/M                RVM VEX.66.0F38 DF /r | RVM EVEX.66.0F38.WIG DF /r                AES+AVX/VAES | VAES+AVX512F
vpclmulqdq         V,V,V/M,u8             RVMI VEX.66.0F3A 44 /r | RVMI EVEX.66.0F3A.WIG 44 /r              PCLMULQDQ+AVX/VPCLMULQDQ | VPCLMULQDQ+AVX512F
vgf2p8affineqb     V{kz},V,V/M/b64,u8     RVMI VEX.66.0F3A.W1 CE /r | RVMI EVEX.66.0F3A.W1 CE /r            GFNI+AVX | GFNI+AVX512F
vgf2p8affineinvqb  V{kz},V,V/M/b64,u8     RVMI VEX.66.0F3A.W1 CF /r | RVMI EVEX.66.0F3A.W1 CF /r            GFNI+AVX | GFNI+AVX512F
vsm3rnds2          x:X,X,X/m128,u8        RVMI VEX.128.66.0F3A.W0 DE /r                                     SM3
vaeskeygenassist   X,X/m128,u8            RMI VEX.128.66.0F3A DF /r                                         AES+AVX
""",
)
