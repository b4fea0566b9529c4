"""Features of AArch64 and the named targets. `microkernels/machines/targets.py` joins them with those of x86-64."""

from __future__ import annotations

from ..features import Target, closure

# feature -> the features that it implies
IMPLIES: dict[str, tuple[str, ...]] = {
    "FP16": ("NEON",),
    "FHM": ("FP16",),
    "RDM": ("NEON",),
    "FCMA": ("NEON",),
    "DOTPROD": ("NEON",),
    "BF16": ("NEON",),
    "I8MM": ("NEON",),
    "FRINTTS": ("NEON",),
    "JSCVT": ("NEON",),
    "RCPC2": ("RCPC",),
    "NEON_AES": ("NEON",),
    "NEON_SHA1": ("NEON",),
    "NEON_SHA256": ("NEON_SHA1",),
    "NEON_SHA512": ("NEON_SHA256",),
    "NEON_SHA3": ("NEON_SHA512",),
    "NEON_SM3": ("NEON",),
    "NEON_SM4": ("NEON",),
    "SVE": ("FP16", "FCMA"),
    "F32MM": ("SVE",),
    "F64MM": ("SVE",),
    "SVE2": ("SVE",),
    "SVE2p1": ("SVE2", "SME2_OR_SVE2p1"),
    "SME2_OR_SVE2p1": ("SME_OR_SVE2p1",),
    "B16B16": ("SVE2",),
    "SVE2_AES": ("SVE2",),
    "SVE2_SHA3": ("SVE2",),
    "SVE2_SM4": ("SVE2",),
    "SVE2_BITPERM": ("SVE2",),
    "SME": ("BF16", "FCMA", "FP16", "SME_OR_SVE2p1"),
    "SME_F64F64": ("SME",),
    "SME_I16I64": ("SME",),
    "SME2": ("SME", "SME2_OR_SVE2p1"),
    "SME_F16F16": ("SME2",),
    "SME_B16B16": ("SME2",),
}


def _closure(*features: str) -> frozenset[str]:
    return closure(features, IMPLIES)


_ARMV8 = _closure("NEON", "CRC")
_ARMV8_2 = _ARMV8 | _closure("LSE", "RDM", "FP16", "DOTPROD")  # Neoverse N1
_ARMV8_6 = _ARMV8_2 | _closure("FHM", "FCMA", "FRINTTS", "JSCVT", "FLAGM", "BF16", "I8MM")
_SVE = _ARMV8_6 | _closure("SVE")
_SME = _SVE | _closure("SVE2", "SME", "SME_F64F64", "SME_I16I64")

TARGETS = {
    target.name: target
    for target in (
        Target("neon", "a64", "neon", _ARMV8, vector_bits=128, fma_bits=128),
        Target(
            "neon_dotprod",
            "a64",
            "neon",
            _ARMV8_2,
            vector_bits=128,
            fma_bits=128,
            issue_width=4,
            l1d=64 << 10,
        ),
        Target("neon_bf16", "a64", "neon", _ARMV8_6, vector_bits=128, fma_bits=128, fma_pipes=4),
        Target("sve128", "a64", "sve", _SVE | _closure("SVE2"), vector_bits=128, fma_bits=128, fma_pipes=4),
        Target("sve256", "a64", "sve", _SVE, vector_bits=256, fma_bits=256),
        Target("sve512", "a64", "sve", _SVE, vector_bits=512, fma_bits=512),
        *(
            Target(f"sme{bits}", "a64", "sme", _SME, vector_bits=bits, fma_bits=bits, fma_pipes=1)
            for bits in (128, 256, 512)
        ),
    )
}
"""The named targets. `neon` is any Armv8 processor, neon_dotprod is like a Neoverse N1 (Graviton2, Altra), sve256 like
a Neoverse V1, sve128 like a Neoverse V2.

Source for neon_dotprod: Arm's Neoverse N1 software optimization guide (two pipes for vectors, two for loads; four
instructions dispatched a cycle), and its technical reference manual (64 KiB of L1; Graviton2 and Altra have 1 MiB of
L2)."""
