"""AVX10.2: BF16 arithmetic, FP8 and saturating conversions, EVEX dot products. Columns and letters: grammar.py.

Source: Intel AVX10.2 architecture specification (361050).
"""

ROWS = (
    """
# Moves
[move]
vmovd            X,X                      RM EVEX.128.F3.0F.W0 7E /r      AVX10_2
vmovw            X,X                      RM EVEX.128.F3.MAP5.W0 6E /r    AVX10_2
vmovrsb          V{kz},M                  RM EVEX.F2.MAP5.W0 6F /r        AVX10_2+MOVRS
vmovrsw          V{kz},M                  RM EVEX.F2.MAP5.W1 6F /r        AVX10_2+MOVRS
vmovrsd          V{kz},M                  RM EVEX.F3.MAP5.W0 6F /r        AVX10_2+MOVRS
vmovrsq          V{kz},M                  RM EVEX.F3.MAP5.W1 6F /r        AVX10_2+MOVRS
""",
    """
# Floating-point arithmetic
[convert]
vrndscalebf16    V{kz},V/M/b16,u8         RMI EVEX.F2.0F3A.W0 08 /r       AVX10_2
[arithmetic]
vgetmantbf16     V{kz},V/M/b16,u8         RMI EVEX.F2.0F3A.W0 26 /r       AVX10_2
vminmaxph        V{kz},V,V/M/b16{sae},u8  RVMI EVEX.NP.0F3A.W0 52 /r      AVX10_2
vminmaxpd        V{kz},V,V/M/b64{sae},u8  RVMI EVEX.66.0F3A.W1 52 /r      AVX10_2
vminmaxps        V{kz},V,V/M/b32{sae},u8  RVMI EVEX.66.0F3A.W0 52 /r      AVX10_2
vminmaxbf16      V{kz},V,V/M/b16,u8       RVMI EVEX.F2.0F3A.W0 52 /r      AVX10_2
vminmaxsh        X{kz},X,X/m16{sae},u8    RVMI EVEX.LIG.NP.0F3A.W0 53 /r  AVX10_2
vminmaxsd        X{kz},X,X/m64{sae},u8    RVMI EVEX.LIG.66.0F3A.W1 53 /r  AVX10_2
vminmaxss        X{kz},X,X/m32{sae},u8    RVMI EVEX.LIG.66.0F3A.W0 53 /r  AVX10_2
vreducebf16      V{kz},V/M/b16,u8         RMI EVEX.F2.0F3A.W0 56 /r       AVX10_2
vsqrtbf16        V{kz},V/M/b16            RM EVEX.66.MAP5.W0 51 /r        AVX10_2
vaddbf16         V{kz},V,V/M/b16          RVM EVEX.66.MAP5.W0 58 /r       AVX10_2
vmulbf16         V{kz},V,V/M/b16          RVM EVEX.66.MAP5.W0 59 /r       AVX10_2
vsubbf16         V{kz},V,V/M/b16          RVM EVEX.66.MAP5.W0 5C /r       AVX10_2
vminbf16         V{kz},V,V/M/b16          RVM EVEX.66.MAP5.W0 5D /r       AVX10_2
vdivbf16         V{kz},V,V/M/b16          RVM EVEX.66.MAP5.W0 5E /r       AVX10_2
vmaxbf16         V{kz},V,V/M/b16          RVM EVEX.66.MAP5.W0 5F /r       AVX10_2
vscalefbf16      V{kz},V,V/M/b16          RVM EVEX.NP.MAP6.W0 2C /r       AVX10_2
vgetexpbf16      V{kz},V/M/b16            RM EVEX.NP.MAP6.W0 42 /r        AVX10_2
vrcpbf16         V{kz},V/M/b16            RM EVEX.NP.MAP6.W0 4C /r        AVX10_2
vrsqrtbf16       V{kz},V/M/b16            RM EVEX.NP.MAP6.W0 4E /r        AVX10_2
""",
    """
# Fused multiply-add
[fma]
vfmadd132bf16    x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 98 /r       AVX10_2
vfmsub132bf16    x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 9A /r       AVX10_2
vfnmadd132bf16   x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 9C /r       AVX10_2
vfnmsub132bf16   x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 9E /r       AVX10_2
vfmadd213bf16    x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 A8 /r       AVX10_2
vfmsub213bf16    x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 AA /r       AVX10_2
vfnmadd213bf16   x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 AC /r       AVX10_2
vfnmsub213bf16   x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 AE /r       AVX10_2
vfmadd231bf16    x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 B8 /r       AVX10_2
vfmsub231bf16    x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 BA /r       AVX10_2
vfnmadd231bf16   x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 BC /r       AVX10_2
vfnmsub231bf16   x:V{kz},V,V/M/b16        RVM EVEX.NP.MAP6.W0 BE /r       AVX10_2
""",
    """
# Comparisons and tests
[arithmetic]
vfpclassbf16     K{k},V/M/b16,u8          RMI EVEX.F2.0F3A.W0 66 /r       AVX10_2
vcmpbf16         K{k},V,V/M/b16,u8        RVMI EVEX.F2.0F3A.W0 C2 /r      AVX10_2
vcomisbf16       r:X,X/m16                RM EVEX.LIG.66.MAP5.W0 2F /r    AVX10_2        ; w:flags
""",
    """
# Conversions
[convert]
vcvt2ps2phx      V{kz},V,V/M/b32{er}      RVM EVEX.66.0F38.W0 67 /r       AVX10_2
vcvtbiasph2bf8   H{kz},V,V/M/b16          RVM EVEX.NP.0F38.W0 74 /r       AVX10_2
vcvtph2bf8       H{kz},V/M/b16            RM EVEX.F3.0F38.W0 74 /r        AVX10_2
vcvt2ph2bf8      V{kz},V,V/M/b16          RVM EVEX.F2.0F38.W0 74 /r       AVX10_2
vcvtbiasph2hf8   H{kz},V,V/M/b16          RVM EVEX.NP.MAP5.W0 18 /r       AVX10_2
vcvtph2hf8       H{kz},V/M/b16            RM EVEX.F3.MAP5.W0 18 /r        AVX10_2
vcvt2ph2hf8      V{kz},V,V/M/b16          RVM EVEX.F2.MAP5.W0 18 /r       AVX10_2
vcvtbiasph2hf8s  H{kz},V,V/M/b16          RVM EVEX.NP.MAP5.W0 1B /r       AVX10_2
vcvtph2hf8s      H{kz},V/M/b16            RM EVEX.F3.MAP5.W0 1B /r        AVX10_2
vcvt2ph2hf8s     V{kz},V,V/M/b16          RVM EVEX.F2.MAP5.W0 1B /r       AVX10_2
vcvthf82ph       V{kz},H/MH               RM EVEX.F2.MAP5.W0 1E /r        AVX10_2
vcvttph2ibs      V{kz},V/M/b16{sae}       RM EVEX.NP.MAP5.W0 68 /r        AVX10_2
vcvttps2ibs      V{kz},V/M/b32{sae}       RM EVEX.66.MAP5.W0 68 /r        AVX10_2
vcvttbf162ibs    V{kz},V/M/b16            RM EVEX.F2.MAP5.W0 68 /r        AVX10_2
vcvtph2ibs       V{kz},V/M/b16{er}        RM EVEX.NP.MAP5.W0 69 /r        AVX10_2
vcvtps2ibs       V{kz},V/M/b32{er}        RM EVEX.66.MAP5.W0 69 /r        AVX10_2
vcvtbf162ibs     V{kz},V/M/b16            RM EVEX.F2.MAP5.W0 69 /r        AVX10_2
vcvttph2iubs     V{kz},V/M/b16{sae}       RM EVEX.NP.MAP5.W0 6A /r        AVX10_2
vcvttps2iubs     V{kz},V/M/b32{sae}       RM EVEX.66.MAP5.W0 6A /r        AVX10_2
vcvttbf162iubs   V{kz},V/M/b16            RM EVEX.F2.MAP5.W0 6A /r        AVX10_2
vcvtph2iubs      V{kz},V/M/b16{er}        RM EVEX.NP.MAP5.W0 6B /r        AVX10_2
vcvtps2iubs      V{kz},V/M/b32{er}        RM EVEX.66.MAP5.W0 6B /r        AVX10_2
vcvtbf162iubs    V{kz},V/M/b16            RM EVEX.F2.MAP5.W0 6B /r        AVX10_2
vcvttpd2udqs     H{kz},V/M/b64{sae}       RM EVEX.NP.MAP5.W1 6C /r        AVX10_2
vcvttps2udqs     V{kz},V/M/b32{sae}       RM EVEX.NP.MAP5.W0 6C /r        AVX10_2
vcvttpd2uqqs     V{kz},V/M/b64{sae}       RM EVEX.66.MAP5.W1 6C /r        AVX10_2
vcvttps2uqqs     V{kz},H/MH/b32{sae}      RM EVEX.66.MAP5.W0 6C /r        AVX10_2
vcvttss2usis     Ry,X/m32{sae}            RM EVEX.LIG.F3.MAP5 6C /r       AVX10_2
vcvttsd2usis     Ry,X/m64{sae}            RM EVEX.LIG.F2.MAP5 6C /r       AVX10_2
vcvttpd2dqs      H{kz},V/M/b64{sae}       RM EVEX.NP.MAP5.W1 6D /r        AVX10_2
vcvttps2dqs      V{kz},V/M/b32{sae}       RM EVEX.NP.MAP5.W0 6D /r        AVX10_2
vcvttpd2qqs      V{kz},V/M/b64{sae}       RM EVEX.66.MAP5.W1 6D /r        AVX10_2
vcvttps2qqs      V{kz},H/MH/b32{sae}      RM EVEX.66.MAP5.W0 6D /r        AVX10_2
vcvttss2sis      Ry,X/m32{sae}            RM EVEX.LIG.F3.MAP5 6D /r       AVX10_2
vcvttsd2sis      Ry,X/m64{sae}            RM EVEX.LIG.F2.MAP5 6D /r       AVX10_2
vcvtbiasph2bf8s  H{kz},V,V/M/b16          RVM EVEX.NP.MAP5.W0 74 /r       AVX10_2
vcvtph2bf8s      H{kz},V/M/b16            RM EVEX.F3.MAP5.W0 74 /r        AVX10_2
vcvt2ph2bf8s     V{kz},V,V/M/b16          RVM EVEX.F2.MAP5.W0 74 /r       AVX10_2
""",
    """
# Integer arithmetic
[arithmetic]
vmpsadbw         V{kz},V,V/M,u8           RVMI EVEX.F3.0F3A.W0 42 /r      AVX10_2
""",
    """
# Dot products
[dot]
vpdpbuud         x:V{kz},V,V/M/b32        RVM EVEX.NP.0F38.W0 50 /r       AVX10_2
vpdpbsud         x:V{kz},V,V/M/b32        RVM EVEX.F3.0F38.W0 50 /r       AVX10_2
vpdpbssd         x:V{kz},V,V/M/b32        RVM EVEX.F2.0F38.W0 50 /r       AVX10_2
vpdpbuuds        x:V{kz},V,V/M/b32        RVM EVEX.NP.0F38.W0 51 /r       AVX10_2
vpdpbsuds        x:V{kz},V,V/M/b32        RVM EVEX.F3.0F38.W0 51 /r       AVX10_2
vpdpbssds        x:V{kz},V,V/M/b32        RVM EVEX.F2.0F38.W0 51 /r       AVX10_2
vdpphps          x:V{kz},V,V/M/b32        RVM EVEX.NP.0F38.W0 52 /r       AVX10_2
vpdpwuud         x:V{kz},V,V/M/b32        RVM EVEX.NP.0F38.W0 D2 /r       AVX10_2
vpdpwusd         x:V{kz},V,V/M/b32        RVM EVEX.66.0F38.W0 D2 /r       AVX10_2
vpdpwsud         x:V{kz},V,V/M/b32        RVM EVEX.F3.0F38.W0 D2 /r       AVX10_2
vpdpwuuds        x:V{kz},V,V/M/b32        RVM EVEX.NP.0F38.W0 D3 /r       AVX10_2
vpdpwusds        x:V{kz},V,V/M/b32        RVM EVEX.66.0F38.W0 D3 /r       AVX10_2
vpdpwsuds        x:V{kz},V,V/M/b32        RVM EVEX.F3.0F38.W0 D3 /r       AVX10_2
""",
    """
# Shuffles
[arithmetic]
vucomxss         r:X,X/m32{sae}           RM EVEX.LIG.F3.0F.W0 2E /r      AVX10_2        ; w:flags
vucomxsd         r:X,X/m64{sae}           RM EVEX.LIG.F2.0F.W1 2E /r      AVX10_2        ; w:flags
vcomxss          r:X,X/m32{sae}           RM EVEX.LIG.F3.0F.W0 2F /r      AVX10_2        ; w:flags
vcomxsd          r:X,X/m64{sae}           RM EVEX.LIG.F2.0F.W1 2F /r      AVX10_2        ; w:flags
vucomxsh         r:X,X/m16{sae}           RM EVEX.LIG.F3.MAP5.W0 2E /r    AVX10_2        ; w:flags
vcomxsh          r:X,X/m16{sae}           RM EVEX.LIG.F3.MAP5.W0 2F /r    AVX10_2        ; w:flags
""",
    """
# Cryptography
[arithmetic]
vsm4key4         V,V,V/M                  RVM EVEX.F3.0F38.W0 DA /r       AVX10_2+SM4
vsm4rnds4        V,V,V/M                  RVM EVEX.F2.0F38.W0 DA /r       AVX10_2+SM4
""",
)
