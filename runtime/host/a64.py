"""An AArch64 Linux machine as a Target: HWCAP and HWCAP2 give the features, MIDR_EL1 the core, prctl the SVE length.

In HWCAP, Linux reports only what the processor has *and* what it saves for a process, so nothing else is checked.
Sources: Linux arch/arm64/include/uapi/asm/hwcap.h (bits), Documentation/arch/arm64/cpu-feature-registers.rst (reading
MIDR_EL1), include/uapi/linux/{auxvec,prctl}.h; Arm's software optimization guides of the Neoverse cores and Fujitsu's
A64FX microarchitecture manual (pipes).
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from ...encoder.a64.targets import IMPLIES
from ...encoder.a64.targets import TARGETS as A64_TARGETS
from ...encoder.deferred import lazy
from ...encoder.features import Target, closure
from ...encoder.records import NamedTuple
from ..cache.stubs import stub
from ..memory.executable import publish
from ..system import libc
from ..system.libc import ffi

if TYPE_CHECKING:
    from . import a64_code

a64_code = lazy(__package__, ".a64_code")

AT_HWCAP, AT_HWCAP2 = 16, 26
PR_SVE_GET_VL, PR_SME_GET_VL, PR_VL_LEN_MASK = 51, 64, 0xFFFF
CPUID = 1 << 11
"""A bit of HWCAP: identification registers can be read, since the kernel emulates that."""

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")

# The comment has Linux' name of a feature if it differs. A feature with two lines needs both bits. BF16 and I8MM count
# for SVE as well: the architecture has them in both or in neither (Arm ARM, ID_AA64ZFR0_EL1).
_FEATURES = """
# feature         word    bit
NEON              HWCAP   1    # ASIMD
NEON_AES          HWCAP   3    # AES
NEON_AES          HWCAP   4    # PMULL
NEON_SHA1         HWCAP   5    # SHA1
NEON_SHA256       HWCAP   6    # SHA2
CRC               HWCAP   7    # CRC32
LSE               HWCAP   8    # ATOMICS
FP16              HWCAP   9    # FPHP
FP16              HWCAP   10   # ASIMDHP
RDM               HWCAP   12   # ASIMDRDM
JSCVT             HWCAP   13
FCMA              HWCAP   14
RCPC              HWCAP   15   # LRCPC
NEON_SHA3         HWCAP   17   # SHA3
NEON_SM3          HWCAP   18   # SM3
NEON_SM4          HWCAP   19   # SM4
DOTPROD           HWCAP   20   # ASIMDDP
NEON_SHA512       HWCAP   21   # SHA512
SVE               HWCAP   22
FHM               HWCAP   23   # ASIMDFHM
RCPC2             HWCAP   26   # ILRCPC
FLAGM             HWCAP   27
SB                HWCAP   29
SVE2              HWCAP2  1
SVE2_AES          HWCAP2  2    # SVEAES
SVE2_AES          HWCAP2  3    # SVEPMULL
SVE2_BITPERM      HWCAP2  4    # SVEBITPERM
SVE2_SHA3         HWCAP2  5    # SVESHA3
SVE2_SM4          HWCAP2  6    # SVESM4
FRINTTS           HWCAP2  8    # FRINT
F32MM             HWCAP2  10   # SVEF32MM
F64MM             HWCAP2  11   # SVEF64MM
I8MM              HWCAP2  13
BF16              HWCAP2  14
SME               HWCAP2  23
SME_I16I64        HWCAP2  24
SME_F64F64        HWCAP2  25
CSSC              HWCAP2  34
SVE2p1            HWCAP2  36   # SVE2P1
SME2              HWCAP2  37
SME_B16B16        HWCAP2  41
SME_F16F16        HWCAP2  42
B16B16            HWCAP2  45   # SVE_B16B16
"""


class Core(NamedTuple):
    """Facts that MIDR_EL1 does not state: the name, the FMA pipes with NEON and with SVE (one vector wide), the FMA
    latency, and the instructions dispatched a cycle if they are fewer than planners assume."""

    name: str
    neon_pipes: int
    sve_pipes: int
    latency: int
    issue_width: int = 6


# keyed by (implementer, part) of MIDR_EL1
CORES = {
    (0x41, 0xD0C): Core("Neoverse N1", 2, 0, 4, issue_width=4),
    (0x41, 0xD40): Core("Neoverse V1", 4, 2, 4),
    (0x41, 0xD49): Core("Neoverse N2", 2, 2, 4),
    (0x41, 0xD4F): Core("Neoverse V2", 4, 4, 4),
    (0x46, 0x001): Core("A64FX", 2, 2, 9),
}
_UNKNOWN = Core("", 2, 2, 4)


class HardwareCapabilities(NamedTuple):
    """Linux's words about the processor. Lengths are the bits of this thread's vectors, 0 if it has none."""

    hwcap: int
    hwcap2: int
    midr: int
    sve_bits: int
    sme_bits: int


# The interface for host/detect.py


def host() -> Target:
    """Return this machine as a target."""
    return probe(words(), caches())


def brand() -> str:
    """Return the core's name, or its numbers."""
    found = words()
    implementer, part = found.midr >> 24 & 0xFF, found.midr >> 4 & 0xFFF
    name = _core(found.midr).name or f"AArch64, implementer {implementer:#04x} part {part:#05x}"
    lengths = {"SVE": found.sve_bits, "SME": found.sme_bits}
    return ", ".join([name, *(f"{state} {bits} bits" for state, bits in lengths.items() if bits)])


@functools.cache
def available() -> frozenset[str]:
    """Return the features that can be used."""
    return features(words())


def denied(lacks: frozenset[str]) -> str:
    """Return an empty text: Linux grants everything that it reports."""
    return ""


def refusal(target: Target) -> str:
    """Return why code does not run at this vector length: code for SVE and SME runs only at the length it was made for.

    The length belongs to a thread, and running code (the C library's, the interpreter's) depends on it, so it is never
    set here. /proc/sys/abi/sve_default_vector_length is the length that programs start with.
    """
    lengths = {"sve": ("SVE", sve_bits), "sme": ("streaming", sme_bits)}
    if target.isa not in lengths:
        return ""
    kind, length = lengths[target.isa]
    bits = length()
    if target.vector_bits == bits:
        return ""
    return f"target {target.name} needs {kind} vectors of {target.vector_bits} bits, and this process has {bits}"


# From words to a Target


def probe(words: HardwareCapabilities, caches: dict[int, int]) -> Target:
    """Return the Target of a processor for which Linux reports these words.

    SVE is chosen if its vectors are longer than NEON's. At the same length NEON's kernels execute a tenth fewer
    instructions: ldp loads two vectors, and no predicates are set up (64x64x64: 83,774 instructions to 91,556;
    tests/bench/counts.py).
    """
    found, core, neon_bits = features(words), _core(words.midr), A64_TARGETS["neon"].vector_bits
    scalable = "SVE" in found and words.sve_bits > neon_bits
    isa, pipes = ("sve", core.sve_pipes) if scalable else ("neon", core.neon_pipes)
    bits = words.sve_bits if scalable else neon_bits
    l1d, l2, l3 = (caches.get(level, 0) for level in (1, 2, 3))
    return Target(
        "host",
        "a64",
        isa,
        found,
        bits,
        fma_bits=bits,
        fma_pipes=pipes,
        issue_width=core.issue_width,
        fma_latency=core.latency,
        l1d=l1d,
        l2=l2,
        l3=l3,
    )


def features(words: HardwareCapabilities) -> frozenset[str]:
    """Return the features that Linux reports, if it reports all that they need as well, and those that they imply."""
    values = {"HWCAP": words.hwcap, "HWCAP2": words.hwcap2}
    has: dict[str, bool] = {}
    for name, word, bit in table():
        has[name] = has.get(name, True) and bool(values[word] >> bit & 1)
    found = {name for name, there in has.items() if there}
    # A hypervisor may hide a feature but not those that build on it. A feature without a bit of its own is only
    # implied.
    whole = {name for name in found if closure((name,), IMPLIES) & has.keys() <= found}
    return closure(whole, IMPLIES)


def table() -> list[tuple[str, str, int]]:
    """Return feature, word and bit of every line."""
    lines = (line.partition("#")[0].split() for line in _FEATURES.splitlines())
    return [(fields[0], fields[1], int(fields[2])) for fields in lines if fields]


def _core(midr: int) -> Core:
    return CORES.get((midr >> 24 & 0xFF, midr >> 4 & 0xFFF), _UNKNOWN)


# Queries to Linux


@functools.cache
def words() -> HardwareCapabilities:
    """Return the words of this process."""
    hwcap = libc.getauxval(AT_HWCAP)
    lengths = (_vector_bits(option) for option in (PR_SVE_GET_VL, PR_SME_GET_VL))
    return HardwareCapabilities(hwcap, libc.getauxval(AT_HWCAP2), _midr() if hwcap & CPUID else 0, *lengths)


def sme_bits() -> int:
    """Return the length of this thread's streaming vectors in bits; 0 without SME."""
    return _vector_bits(PR_SME_GET_VL)


def sve_bits() -> int:
    """Return the length of this thread's SVE vectors in bits; 0 without SVE."""
    return _vector_bits(PR_SVE_GET_VL)


def _vector_bits(option: int) -> int:
    try:
        return (libc.prctl(option, 0, 0, 0, 0) & PR_VL_LEN_MASK) * 8
    except OSError:  # EINVAL: no such vectors, or an older kernel
        return 0


def _midr() -> int:
    """Return MIDR_EL1 of the core that this runs on."""
    read = stub("midr", "", "a64", lambda: (a64_code.midr(), ()))
    block = publish(read.data)
    return int(ffi.cast("uint64_t(*)(void)", block.address)())


def caches(folder: Path = CACHES) -> dict[int, int]:
    """Return the bytes of each level's data or unified cache, as Linux lists them; empty if it does not."""
    sizes: dict[int, int] = {}
    for index in sorted(folder.glob("index*")):
        kind, level, size = ((index / name).read_text().strip() for name in ("type", "level", "size"))
        if kind != "Instruction":
            sizes.setdefault(int(level), int(size.rstrip("K")) << 10)
    return sizes
