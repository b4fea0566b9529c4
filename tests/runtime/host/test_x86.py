"""The host probe of x86-64 agrees with Linux and py-cpuinfo about this processor; other processors are simulated."""

import os
import platform
import re
import struct

import cpuinfo
import pytest

from tilesmith.encoder.features import TARGETS, closure
from tilesmith.encoder.x86.assembler import TABLE
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.host import x86 as host_x86
from tilesmith.runtime.host.x86 import Registers

on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="CPUID is x86's")

# Linux's names (arch/x86/include/asm/cpufeatures.h) that are not our names in lower case.
LINUX_NAMES = {
    "SSE3": "pni",
    "LZCNT": "abm",
    "PREFETCHW": "3dnowprefetch",
    "AVX512_IFMA": "avx512ifma",
    "AVX512_VBMI": "avx512vbmi",
    "SHA": "sha_ni",
    "LAHF": "lahf_lm",
}
NOT_IN_LINUX = {
    "AVX_VNNI_INT8",
    "AVX_NE_CONVERT",
    "AVX_VNNI_INT16",
    "AMX_COMPLEX",
    "AMX_FP8",
    "AMX_TF32",
    "AMX_AVX512",
    "AMX_MOVRS",
    "AVX_IFMA",
    "AMX_FP16",
    "AVX10_1",
    "AVX10_2",
    "SHA512",
    "SM3",
    "SM4",
    "RAO_INT",
    "CMPCCXADD",
    "MOVRS",
    "PREFETCHWT1",
    "SHSTK",
}  # Linux lists it only if it uses it

AVX, AVX512, AMX = 0b111, 0b1110_0111, 0b11 << 17 | 0b1110_0111

NAMES = [line.split()[0] for line in host_x86._FEATURES.splitlines() if line and not line.startswith("#")]


def linux_name(feature):
    return LINUX_NAMES.get(feature, feature.lower())


def linux_flags():
    with open("/proc/cpuinfo") as file:
        return set(next(line for line in file if line.startswith("flags")).split(":")[1].split())


class Processor:
    """A processor with a set of CPUID leaves, from which the reported maximum leaves follow."""

    def __init__(self, leaves, vendor=b"GenuineIntel"):
        ebx, edx, ecx = struct.unpack("<3I", vendor)
        self.leaves = dict(leaves)
        basic = max((leaf for leaf, _ in leaves if leaf < 0x8000_0000), default=0)
        extended = max((leaf for leaf, _ in leaves), default=0)
        self.leaves[0, 0] = Registers(basic, ebx, ecx, edx)
        self.leaves[0x8000_0000, 0] = Registers(max(extended, 0x8000_0000), 0, 0, 0)
        if (7, 1) in self.leaves:
            self.leaves[7, 0] = self.leaves.get((7, 0), Registers(0, 0, 0, 0))._replace(eax=1)

    def __call__(self, leaf, subleaf):
        return self.leaves.get((leaf, subleaf), Registers(0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF))


def everything(vendor=b"GenuineIntel", **change):
    """Return a processor with every feature and, in Intel's leaf 4, caches of 48 KiB, 2 MiB and 32 MiB."""
    ones = Registers(*[0xFFFF_FFFF] * 4)
    leaves = dict.fromkeys(((1, 0), (7, 0), (7, 1), (0xD, 1), (0x1E, 1), (0x24, 0), (0x8000_0001, 0)), ones)
    leaves |= {(4, i): cache for i, cache in enumerate(CACHES)}
    leaves |= change.get("leaves", {})
    return Processor(leaves, vendor)


def cache(kind, level, ways, sets, line=64):
    return Registers(level << 5 | kind, ways - 1 << 22 | line - 1, sets - 1, 0)


CACHES = (cache(1, 1, 12, 64), cache(2, 1, 8, 64), cache(3, 2, 16, 2048), cache(3, 3, 16, 32768), Registers(0, 0, 0, 0))


# This machine


@on_x86
@pytest.mark.parametrize("feature", [name for name in NAMES if name not in NOT_IN_LINUX])
def test_feature_agrees_with_linux(feature):
    assert (feature in host.host().features) == (linux_name(feature) in linux_flags())


@pytest.mark.seconds
@on_x86
def test_features_agree_with_cpuinfo():
    flags = set(cpuinfo.get_cpu_info()["flags"])
    known = {name for name in host.host().features if linux_name(name) in flags or name.lower() in flags}
    # py-cpuinfo has both names of some features, but only Linux's name of SSE3
    assert known >= host.host().features - NOT_IN_LINUX - {"SSE3"}


@pytest.mark.seconds
@on_x86
def test_brand_agrees_with_linux():
    assert host.brand() == cpuinfo.get_cpu_info()["brand_raw"]


@on_x86
@pytest.mark.parametrize("index,field", [(0, "l1d"), (2, "l2"), (3, "l3")])
def test_caches_agree_with_linux(index, field):
    path = f"/sys/devices/system/cpu/cpu0/cache/index{index}/size"
    if not os.path.exists(path):
        pytest.skip(f"no {path} here")
    with open(path) as file:
        assert getattr(host.host(), field) == int(file.read().strip().rstrip("K")) << 10


@on_x86
def test_host_is_probed_once_and_is_consistent():
    target = host.host()
    assert target is host.host()
    assert target.name == "host" and target.arch == "x86"
    assert closure(target.features) == target.features
    assert target.fma_bits <= target.vector_bits == {"avx512": 512, "avx2": 256, "avx": 256, "sse": 128}[target.isa]
    assert host.runs(target) == ""


def test_every_feature_of_rows_and_targets_is_probed():
    rows = (row for mnemonic in TABLE for row in TABLE.rows(mnemonic))
    used = {feature for row in rows for feature in re.findall(r"\w+", row.features)}
    used |= {feature for target in TARGETS.values() if target.arch == "x86" for feature in target.features}
    assert closure(used) <= set(NAMES)


# Other machines


def test_a_processor_with_everything():
    target = host_x86.probe(everything(), AMX)
    assert target.features == set(NAMES)
    assert (target.isa, target.vector_bits, target.fma_bits, target.load_bits) == ("avx512", 512, 512, 512)
    assert (target.l1d, target.l2, target.l3) == (48 << 10, 2 << 20, 32 << 20)


@pytest.mark.parametrize(
    "xcr0,isa,absent",
    [
        (AMX & ~(1 << 17), "avx512", "AMX"),
        (AVX512, "avx512", "AMX"),
        (AVX512 & ~(1 << 7), "avx2", "AVX512"),
        (AVX512 & ~(1 << 5), "avx2", "AVX512"),
        (AVX, "avx2", "AVX512"),
    ],
)
def test_features_without_saved_state_are_absent(xcr0, isa, absent):
    target = host_x86.probe(everything(), xcr0)
    assert target.isa == isa
    assert not [name for name in target.features if name.startswith(absent)]


@pytest.mark.parametrize("xcr0", [0, 0b1, 0b11, 0b101])
def test_without_avx_state_there_are_128_bits(xcr0):
    target = host_x86.probe(everything(), xcr0)
    assert (target.isa, target.vector_bits, target.fma_bits) == ("sse", 128, 128)
    found = host_x86.features(everything(), xcr0)
    assert not [name for name in found if name.startswith(("AVX", "AMX")) or name in ("FMA", "F16C", "VAES")]
    assert {"SSE4_2", "BMI2", "GFNI", "LZCNT"} <= found


@pytest.mark.parametrize("bit,isa", [(12, "avx"), (28, "sse")])  # FMA, AVX
def test_without_avx2_and_fma_the_target_is_older(bit, isa):
    whole = everything()
    target = host_x86.probe(everything(leaves={(1, 0): whole(1, 0)._replace(ecx=0xFFFF_FFFF & ~(1 << bit))}), AMX)
    assert (target.isa, target.vector_bits) == (isa, {"avx": 256, "sse": 128}[isa])


def test_without_sse42_there_is_no_target():
    lacks = everything(leaves={(1, 0): everything()(1, 0)._replace(ecx=0xFFFF_FFFF & ~(1 << 20))})
    with pytest.raises(UnsupportedError, match=r"this machine lacks SSE4.2.*emulated by k.run"):
        host_x86.probe(lacks, AMX)


@on_x86
def test_this_machine_without_avx512_state():
    target = host_x86.probe(host_x86.cpuid, AVX)
    assert target.isa == "avx2" and target.vector_bits == 256
    usable = {name for name in host.host().features if not name.startswith(("AVX10", "AVX512", "AMX"))}
    assert host_x86.permitted(target.features) == usable


@on_x86
def test_host_asks_xcr0(monkeypatch):
    monkeypatch.setattr(host_x86, "xgetbv", lambda: AVX)
    assert host_x86.host().isa == "avx2"


@on_x86
def test_without_osxsave_xgetbv_is_not_executed(monkeypatch):
    monkeypatch.setattr(host_x86, "cpuid", Processor({(1, 0): Registers(0, 0, 0, 0)}))
    monkeypatch.setattr(host_x86, "_stub", None)
    assert host_x86.xgetbv() == 0


def test_avx512_without_a_part_is_avx2():
    lacks_vl = Registers(0, 0xFFFF_FFFF & ~(1 << 31), 0, 0)
    assert host_x86.probe(everything(leaves={(7, 0): lacks_vl}), AVX512).isa == "avx2"


def test_a_feature_whose_base_is_hidden_is_absent():
    """A hypervisor may mask AVX-512F without masking the features that need it."""
    lacks_f = Registers(0, 0xFFFF_FFFF & ~(1 << 16), 0xFFFF_FFFF, 0xFFFF_FFFF)
    found = host_x86.features(everything(leaves={(7, 0): lacks_f}), AMX)
    assert not [name for name in found if name.startswith("AVX512")]


def test_leaves_above_the_maximum_are_not_asked():
    """`Processor` answers a missing leaf with ones, since Intel's processors answer with the data of another leaf."""
    old = Processor({(1, 0): Registers(0, 0, 0xFFFF_FFFF, 0xFFFF_FFFF)})
    assert {"AVX", "FMA"} <= host_x86.features(old, AMX)
    assert not {"AVX2", "BMI2", "LZCNT", "AVX512_BF16"} & host_x86.features(old, AMX)


@pytest.mark.parametrize(
    "vendor,fp512,bits",
    [
        (b"AuthenticAMD", 1, 512),
        (b"AuthenticAMD", 0, 256),
        (b"HygonGenuine", 0, 256),
        (b"GenuineIntel", 0, 512),
    ],
)
def test_width_of_an_fma_pipe(vendor, fp512, bits):
    target = host_x86.probe(everything(vendor, leaves={(0x8000_001A, 0): Registers(fp512 << 3, 0, 0, 0)}), AVX512)
    assert (target.fma_bits, target.load_bits, target.vector_bits) == (bits, bits, 512)
    intel = vendor == b"GenuineIntel"
    assert (target.shuffle_pipes, target.follows_rows) == (1 if intel else 2, intel)


@pytest.mark.parametrize("model,bits", [(0x02, 512), (0x11, 512), (0x24, 256), (0x44, 512), (0x60, 256), (0x70, 512)])
def test_width_of_zen_5_whose_hypervisor_hides_it(model, bits):
    """Models of family 1AH in leaf 1: Turin, Turin dense, Strix Point, Granite Ridge, Krackan Point, Strix Halo."""
    version = (model >> 4) << 16 | 0xB << 20 | 0xF << 8 | (model & 15) << 4
    leaves = {(1, 0): Registers(version, 0, 0xFFFF_FFFF, 0xFFFF_FFFF), (0x8000_001A, 0): Registers(2, 0, 0, 0)}
    assert host_x86.probe(everything(b"AuthenticAMD", leaves=leaves), AVX512).fma_bits == bits


@on_x86
def test_a_random_number_generator_that_linux_distrusts(monkeypatch):
    """Under Zen 5's first microcode, CPUID reports RDSEED, but Linux has disabled it."""
    found = frozenset({"RDSEED", "AVX2"})
    for family, listed, kept in ((0x1A, False, False), (0x1A, True, True), (0x19, False, True)):
        monkeypatch.setattr(host_x86, "_family_and_model", lambda cpuid, family=family: (family, 2))
        monkeypatch.setattr(host_x86, "_linux_has", lambda flag, listed=listed: listed)
        assert ("RDSEED" in host_x86.permitted(found)) == kept


def test_caches_of_amd():
    none = {(4, 0): Registers(0, 0, 0, 0)}
    found = host_x86._caches(Processor(none | {(0x8000_001D, i): cache for i, cache in enumerate(CACHES)}))
    assert found == {1: 48 << 10, 2: 2 << 20, 3: 32 << 20}
    legacy = {(0x8000_0005, 0): Registers(0, 0, 32 << 24, 0), (0x8000_0006, 0): Registers(0, 0, 512 << 16, 16 << 18)}
    assert host_x86._caches(Processor(none | legacy)) == {1: 32 << 10, 2: 512 << 10, 3: 8 << 20}


def test_tile_registers_count_where_linux_gives_them(monkeypatch):
    found = closure(("AMX_BF16", "AVX512F"))
    monkeypatch.setattr(host_x86, "tile_permission", lambda: 0)
    assert host_x86.permitted(found) == found
    monkeypatch.setattr(host_x86, "tile_permission", lambda: 95)
    assert host_x86.permitted(found) == closure(("AVX512F",))


@on_x86
def test_a_refused_permission_is_named(monkeypatch):
    """The processor has tiles, but Linux refuses the permission with EPERM, as under a seccomp filter."""
    monkeypatch.setattr(host_x86, "features", lambda cpuid, xcr0: TARGETS["amx"].features)
    monkeypatch.setattr(host_x86, "tile_permission", lambda: 1)
    monkeypatch.setattr(host_x86, "available", lambda: host_x86.permitted(TARGETS["amx"].features))
    reason = host.runs(TARGETS["amx"])
    assert "needs AMX_BF16, AMX_INT8, AMX_TILE" in reason
    assert "Linux refuses arch_prctl(ARCH_REQ_XCOMP_PERM) for tile registers: Operation not permitted" in reason
    assert host_x86.denied(frozenset({"AVX512_FP16"})) == ""


@on_x86
def test_linux_answers_the_request_for_tile_registers():
    with open("/proc/cpuinfo") as file:
        assert (host_x86.tile_permission() == 0) == ("amx_tile" in file.read())
