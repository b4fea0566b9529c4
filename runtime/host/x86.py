"""An x86-64 machine as a Target, queried with emitted CPUID and XGETBV stubs.

A feature counts if the processor has it *and* the operating system saves its registers: AVX needs XCR0 bits 1 and 2,
AVX-512 also 5 to 7, AMX 17 and 18. Sources: Intel SDM vol. 2 (CPUID) and vol. 1, 13.3 (XCR0); Intel ISE reference
319433 (leaf 1EH); AMD APM vol. 3, appendix E.
"""

from __future__ import annotations

import functools
import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.features import IMPLIES, Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..cache.stubs import stub
from ..memory.executable import publish_for_good
from ..system.libc import ffi
from .families import AMD, HYGON, ZEN5, ZEN5_NARROW, named

if TYPE_CHECKING:
    from . import x86_code

x86_code = lazy(__package__, ".x86_code")


class Registers(NamedTuple):
    """The result of CPUID."""

    eax: int
    ebx: int
    ecx: int
    edx: int


_ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA = 0x1023, 18  # linux/arch/x86/include/uapi/asm/prctl.h

Cpuid = Callable[[int, int], Registers]

_NOTHING = Registers(0, 0, 0, 0)

# Registers -> the bits of XCR0 that are set if the operating system saves them, and the feature that introduces them.
_STATES = {
    "-": (0, "SSE2"),
    "ymm": (0b110, "AVX"),
    "zmm": (0b1110_0110, "AVX512F"),
    "tile": (0b11 << 17, "AMX_TILE"),
}

# Where CPUID reports each feature, and which registers must be saved for it. Leaves are hexadecimal. AVX10_2 is bit 1
# of a version number, which is set in 2 and 3.
_FEATURES = """
# feature             leaf      subleaf  register  bit  state
CX8                   1         0        edx       8    -
CMOV                  1         0        edx       15   -
FXSR                  1         0        edx       24   -
SSE                   1         0        edx       25   -
SSE2                  1         0        edx       26   -
SSE3                  1         0        ecx       0    -
PCLMULQDQ             1         0        ecx       1    -
SSSE3                 1         0        ecx       9    -
FMA                   1         0        ecx       12   ymm
CX16                  1         0        ecx       13   -
SSE4_1                1         0        ecx       19   -
SSE4_2                1         0        ecx       20   -
MOVBE                 1         0        ecx       22   -
POPCNT                1         0        ecx       23   -
AES                   1         0        ecx       25   -
XSAVE                 1         0        ecx       26   -
AVX                   1         0        ecx       28   ymm
F16C                  1         0        ecx       29   ymm
BMI1                  7         0        ebx       3    -
AVX2                  7         0        ebx       5    ymm
BMI2                  7         0        ebx       8    -
AVX512F               7         0        ebx       16   zmm
AVX512DQ              7         0        ebx       17   zmm
ADX                   7         0        ebx       19   -
AVX512_IFMA           7         0        ebx       21   zmm
CLFLUSHOPT            7         0        ebx       23   -
CLWB                  7         0        ebx       24   -
AVX512CD              7         0        ebx       28   zmm
AVX512BW              7         0        ebx       30   zmm
AVX512VL              7         0        ebx       31   zmm
AVX512_VBMI           7         0        ecx       1    zmm
AVX512_VBMI2          7         0        ecx       6    zmm
GFNI                  7         0        ecx       8    -
VAES                  7         0        ecx       9    ymm
VPCLMULQDQ            7         0        ecx       10   ymm
AVX512_VNNI           7         0        ecx       11   zmm
AVX512_BITALG         7         0        ecx       12   zmm
AVX512_VPOPCNTDQ      7         0        ecx       14   zmm
AVX512_VP2INTERSECT   7         0        edx       8    zmm
AMX_BF16              7         0        edx       22   tile
AVX512_FP16           7         0        edx       23   zmm
AMX_TILE              7         0        edx       24   tile
AMX_INT8              7         0        edx       25   tile
AVX_VNNI              7         1        eax       4    ymm
AVX512_BF16           7         1        eax       5    zmm
AMX_FP16              7         1        eax       21   tile
AVX_IFMA              7         1        eax       23   ymm
AVX_VNNI_INT8         7         1        edx       4    ymm
AVX_NE_CONVERT        7         1        edx       5    ymm
AMX_COMPLEX           7         1        edx       8    tile
AVX_VNNI_INT16        7         1        edx       10   ymm
AMX_FP8               1E        1        eax       4    tile
AMX_TF32              1E        1        eax       6    tile
AMX_AVX512            1E        1        eax       7    tile
AMX_MOVRS             1E        1        eax       8    tile
CLFLUSH               1         0        edx       19   -
RDRAND                1         0        ecx       30   -
FSGSBASE              7         0        ebx       0    -
RTM                   7         0        ebx       11   -
RDSEED                7         0        ebx       18   -
SHA                   7         0        ebx       29   -
PREFETCHWT1           7         0        ecx       0    -
WAITPKG               7         0        ecx       5    -
SHSTK                 7         0        ecx       7    -
RDPID                 7         0        ecx       22   -
CLDEMOTE              7         0        ecx       25   -
MOVDIRI               7         0        ecx       27   -
MOVDIR64B             7         0        ecx       28   -
SERIALIZE             7         0        edx       14   -
SHA512                7         1        eax       0    ymm
SM3                   7         1        eax       1    ymm
SM4                   7         1        eax       2    ymm
RAO_INT               7         1        eax       3    -
CMPCCXADD             7         1        eax       7    -
MOVRS                 7         1        eax       31   -
AVX10_1               7         1        edx       19   zmm
XSAVEOPT              D         1        eax       0    -
XSAVEC                D         1        eax       1    -
AVX10_2               24        0        ebx       1    zmm
LAHF                  80000001  0        ecx       0    -
RDTSCP                80000001  0        edx       27   -
LZCNT                 80000001  0        ecx       5    -
PREFETCHW             80000001  0        ecx       8    -
"""

_NEEDED = {
    "avx512": ("AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL"),
    "avx2": ("AVX2", "FMA"),
    "avx": ("AVX",),
    "sse": ("SSE4_2",),
}
"""Vector machines of x86, widest first, and the features that each requires."""
_VECTOR_BITS = {"avx512": 512, "avx2": 256, "avx": 256, "sse": 128}


# The interface for host/detect.py


def host() -> Target:
    """Return this machine. Raises UnsupportedError without SSE4.2."""
    return replace(probe(cpuid, xgetbv()), features=available())


def brand() -> str:
    """Return the processor's own name; empty if it has none."""
    words = (_leaf(cpuid, 0x8000_0002 + i) for i in range(3))
    text = b"".join(struct.pack("<4I", *registers) for registers in words)
    return " ".join(text.partition(b"\0")[0].decode("ascii", "replace").split())


@functools.cache
def available() -> frozenset[str]:
    """Return the features that can be used."""
    return permitted(features(cpuid, xgetbv()))


def permitted(found: frozenset[str]) -> frozenset[str]:
    """Remove features that Linux does not grant: tile registers without permission, and RDSEED if Linux disabled it.

    The state of tile registers is large, so Linux saves it only for processes that ask; before that, instructions on
    tiles fault. The permission holds for all threads of the process. Source: Linux, Documentation/arch/x86/xstate.rst.
    """
    if "RDSEED" in found and _family_and_model(cpuid)[0] == ZEN5 and not _linux_has("rdseed"):
        found -= {"RDSEED"}
    if "AMX_TILE" not in found or tile_permission() == 0:
        return found
    return frozenset(name for name in found if not name.startswith("AMX_"))


def _linux_has(flag: str) -> bool:
    """Whether Linux lists the feature; True if that is unknown."""
    try:
        with open("/proc/cpuinfo") as file:
            line = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return True
    return not line or flag in line.split()


@functools.cache
def tile_permission() -> int:
    """Ask for tile registers. Return 0, or the error number of Linux' answer."""
    return -int(_stub("arch_prctl", "int64_t(*)(int64_t, int64_t)")(_ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA))


def denied(lacks: frozenset[str]) -> str:
    """Return a remark on tile registers that Linux does not grant."""
    if not any(name.startswith("AMX_") for name in lacks & features(cpuid, xgetbv())):
        return ""
    reason = os.strerror(tile_permission())
    return f" (the processor has them, but Linux refuses arch_prctl(ARCH_REQ_XCOMP_PERM) for tile registers: {reason})"


refusal: Callable[[Target], str] | None = None
"""Code runs whenever its features are available."""


# From CPUID to a Target


def probe(cpuid: Cpuid, xcr0: int) -> Target:
    """Return the Target of a processor with these CPUID answers, under an operating system with this XCR0."""
    found = features(cpuid, xcr0)
    isa = next((isa for isa, needed in _NEEDED.items() if found.issuperset(needed)), "")
    if not isa:
        raise UnsupportedError(
            "this machine lacks SSE4.2, which every x86-64 kernel needs; with a target= kernels are "
            "generated here, and emulated by k.run(...)"
        )
    bits = _fma_bits(cpuid, _VECTOR_BITS[isa])
    l1d, l2, l3 = (_caches(cpuid).get(level, 0) for level in (1, 2, 3))
    amd = _is_amd(cpuid)
    return Target(
        "host",
        "x86",
        isa,
        found,
        _VECTOR_BITS[isa],
        bits,
        load_bits=bits,
        shuffle_pipes=2 if amd else 1,
        follows_rows=not amd,
        bf16_slots=1 if amd else 4,
        chooses_tiles=True,
        l1d=l1d,
        l2=l2,
        l3=l3,
        family=family_of(cpuid),
    )


def family_of(cpuid: Cpuid) -> str:
    """Return the processor family whose tuning table planners use; empty for families without a name."""
    return named(_vendor(cpuid), *_family_and_model(cpuid), _leaf(cpuid, 1).eax & 15)


@functools.lru_cache(maxsize=4)
def features(cpuid: Cpuid, xcr0: int) -> frozenset[str]:
    """Return the features that can be used: reported, with their registers saved, and with all that they imply."""
    found: dict[str, str] = {}  # feature -> the one that introduces its registers
    leaves: dict[tuple[str, str], Registers] = {}
    for line in _FEATURES.splitlines():
        if line and not line.startswith("#"):
            name, leaf, subleaf, register, bit, state = line.split()
            if (leaf, subleaf) not in leaves:
                leaves[leaf, subleaf] = _leaf(cpuid, int(leaf, 16), int(subleaf))
            value = getattr(leaves[leaf, subleaf], register)
            saved, base = _STATES[state]
            if value >> int(bit) & 1 and xcr0 & saved == saved:
                found[name] = base
    whole: dict[str, bool] = {}  # whether all implied features are there

    def is_whole(name: str) -> bool:
        if name not in whole:
            whole[name] = name in found and all(map(is_whole, IMPLIES.get(name, ())))
        return whole[name]

    return frozenset(name for name, base in found.items() if is_whole(name) and is_whole(base))


def _leaf(cpuid: Cpuid, leaf: int, subleaf: int = 0) -> Registers:
    """Return CPUID, or zeros for leaves that the processor lacks: Intel's would answer with another leaf."""
    if leaf > cpuid(leaf & 0x8000_0000, 0).eax or (leaf == 7 and subleaf > cpuid(7, 0).eax):
        return _NOTHING
    return cpuid(leaf, subleaf)


def _fma_bits(cpuid: Cpuid, vector_bits: int) -> int:
    """Return the width of an FMA pipe. AMD reports it (leaf 8000001AH, FP512: Zen 4 has 256 bits); Intel's is a vector.

    Hypervisors hide FP512, so it is assumed for the models of Zen 5 that are known to have it.
    """
    if not _is_amd(cpuid):
        return vector_bits
    family, model = _family_and_model(cpuid)
    wide = _leaf(cpuid, 0x8000_001A).eax >> 3 & 1 or (family == ZEN5 and model >> 4 not in ZEN5_NARROW)
    return min(vector_bits, 512 if wide else 256)


def _family_and_model(cpuid: Cpuid) -> tuple[int, int]:
    """Return family and model with their extensions, as leaf 1 reports them."""
    word = _leaf(cpuid, 1).eax
    return (word >> 8 & 15) + (word >> 20 & 255), word >> 12 & 0xF0 | word >> 4 & 15


def _is_amd(cpuid: Cpuid) -> bool:
    return _vendor(cpuid) in (AMD, HYGON)


def _vendor(cpuid: Cpuid) -> bytes:
    leaf = _leaf(cpuid, 0)
    return struct.pack("<3I", leaf.ebx, leaf.edx, leaf.ecx)


def _caches(cpuid: Cpuid) -> dict[int, int]:
    """Return the bytes of each level's data or unified cache. Leaf 4 is Intel's, 8000001DH AMD's, in the same
    format."""
    sizes: dict[int, int] = {}
    for leaf in (4, 0x8000_001D):
        for subleaf in range(8):
            eax, ebx, ecx, _ = _leaf(cpuid, leaf, subleaf)
            kind, level = eax & 31, eax >> 5 & 7
            if kind == 0:
                break
            if kind != 2:  # 1 data, 2 instructions, 3 unified
                ways, partitions, line = (ebx >> 22) + 1, (ebx >> 12 & 0x3FF) + 1, (ebx & 0xFFF) + 1
                sizes.setdefault(level, ways * partitions * line * (ecx + 1))
    return sizes or _amd_legacy_caches(cpuid)


def _amd_legacy_caches(cpuid: Cpuid) -> dict[int, int]:
    """Return cache sizes without leaf 8000001DH (older AMD, or hidden by a hypervisor): 80000005H and 80000006H have
    KiB, and units of 512 KiB for L3."""
    l1, l23 = _leaf(cpuid, 0x8000_0005), _leaf(cpuid, 0x8000_0006)
    return {1: (l1.ecx >> 24) << 10, 2: (l23.ecx >> 16) << 10, 3: (l23.edx >> 18) << 19}


# The instructions


@functools.cache
def cpuid(leaf: int, subleaf: int) -> Registers:
    """Return the processor's CPUID, without a check that it has the leaf."""
    out = ffi.new("uint32_t[4]")
    _stub("cpuid", "void(*)(uint32_t, uint32_t, uint32_t *)")(leaf, subleaf, out)
    return Registers(*out)


def xgetbv() -> int:
    """Return XCR0, the register states that the operating system saves; 0 if it has not enabled XSAVE."""
    if not cpuid(1, 0).ecx >> 27 & 1:  # OSXSAVE: without it XGETBV faults
        return 0
    return int(_stub("xgetbv", "uint64_t(*)(void)")())


def _stub(label: str, signature: str) -> Callable[..., int]:
    """Return an emitted function, in pages that stay for good."""
    labels, address = _stubs()
    function: Callable[..., int] = ffi.cast(signature, address + labels[label])
    return function


@functools.cache
def _stubs() -> tuple[Mapping[str, int], int]:
    # `xgetbv` checks CPUID for XSAVE before it executes XGETBV
    probe = stub("probe", "", "x86", lambda: (x86_code.probe(), ()))
    return probe.labels, publish_for_good(probe.data)
