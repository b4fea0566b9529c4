"""The host probe of AArch64: its table agrees with Linux's headers and LLVM; other processors are simulated."""

import importlib.util
import os
import platform
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.oracles import newer, tools
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.assembler import TABLE
from tilesmith.encoder.a64.targets import IMPLIES, TARGETS
from tilesmith.encoder.features import Target, closure
from tilesmith.runtime.host import a64 as host_a64
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.host.a64 import CORES, HardwareCapabilities

on_a64 = pytest.mark.skipif(platform.machine() != "aarch64", reason="what Linux tells on AArch64")

LINES = host_a64.table()
NAMES = {name for name, _, _ in LINES}
LINUX = dict(re.findall(r"^(\w+ +HWCAP2? +\d+) +# (\w+)$", host_a64._FEATURES, re.MULTILINE))
NO_BIT = {"RAS"}  # Linux has no bit for it; its instruction is a hint, which other processors execute as a nop
V1 = 0x411F_D401  # MIDR_EL1 of a Neoverse V1


def words(*features, midr=0, sve_bits=0, sme_bits=0, all_but=()):
    """Return what Linux reports of a processor with these features, or with all but `all_but` if none is named."""
    wanted = set(features) or NAMES - set(all_but)
    bits = {"HWCAP": 0, "HWCAP2": 0}
    for name, word, bit in LINES:
        bits[word] |= (name in wanted) << bit
    return HardwareCapabilities(bits["HWCAP"], bits["HWCAP2"], midr, sve_bits, sme_bits)


# The table


def linux_header(path):
    """Return the #defines of a Linux header, from the copy in ziglang, which is one of the oracles."""
    newer.require()
    package = Path(importlib.util.find_spec("ziglang").origin).parent
    return dict(re.findall(r"#\s*define\s+(\w+)\s+([^\n/]*)", (package / "lib/libc/include" / path).read_text()))


def test_bits_agree_with_linux():
    header = linux_header("aarch64-linux-any/asm/hwcap.h")
    named = {re.sub(r" +", " ", line): name for line, name in LINUX.items()}
    assert len(named) > 20
    for name, word, bit in LINES:
        define = f"{word}_{named.get(f'{name} {word} {bit}', name)}"
        assert re.sub(r"U?L", "", header[define]).strip() == f"(1 << {bit})", define
    assert re.sub(r"U?L", "", header["HWCAP_CPUID"]).strip() == f"(1 << {host_a64.CPUID.bit_length() - 1})"


@pytest.mark.parametrize(
    "path,names",
    [
        ("any-linux-any/linux/auxvec.h", {"AT_HWCAP": "AT_HWCAP", "AT_HWCAP2": "AT_HWCAP2"}),
        (
            "any-linux-any/linux/prctl.h",
            {
                "PR_SVE_GET_VL": "PR_SVE_GET_VL",
                "PR_SME_GET_VL": "PR_SME_GET_VL",
                "PR_SVE_VL_LEN_MASK": "PR_VL_LEN_MASK",
                "PR_SME_VL_LEN_MASK": "PR_VL_LEN_MASK",
            },
        ),
    ],
)
def test_numbers_agree_with_linux(path, names):
    header = linux_header(path)
    assert {ours: int(header[theirs], 0) for theirs, ours in names.items()} == {
        ours: getattr(host_a64, ours) for ours in names.values()
    }


def test_every_feature_of_rows_and_targets_is_probed_or_implied():
    rows = (row for mnemonic in TABLE for row in TABLE.rows(mnemonic))
    used = {feature for row in rows for feature in re.findall(r"\w+", row.features)}
    used |= {feature for target in TARGETS.values() for feature in target.features}
    assert used - NO_BIT <= host_a64.features(words())
    assert used & NAMES == NAMES, "a bit that no row asks for"


@pytest.mark.parametrize(
    "core",
    [
        ((0x41, 0xD0C), "neoverse-n1"),
        ((0x41, 0xD40), "neoverse-v1"),
        ((0x41, 0xD49), "neoverse-n2"),
        ((0x41, 0xD4F), "neoverse-v2"),
        ((0x46, 0x001), "a64fx"),
    ],
    ids=lambda core: core[1],
)
def test_cores_agree_with_llvm(core):
    """Pipes equal 1 / reciprocal throughput of an FMA of whole vectors in LLVM's models; latencies are equal too."""
    found, cpu = CORES[core[0]], core[1]
    assert cpu == found.name.lower().replace(" ", "-")
    lines = {"fmla v0.4s, v1.4s, v2.4s": found.neon_pipes, "fmla z0.s, p0/m, z1.s, z2.s": found.sve_pipes}
    for line, pipes in lines.items():
        if pipes:
            options = ("-march=aarch64", f"-mcpu={cpu}", "-resource-pressure=0", "-summary-view=0")
            text = tools.run("llvm-mca-19", *options, stdin=line).stdout
            latency, throughput = re.search(r"^ *\d+ +(\d+) +([\d.]+) .*fmla", text, re.MULTILINE).groups()
            assert (round(1 / float(throughput)), int(latency)) == (pipes, found.latency)


def test_every_core_is_compared():
    marks = test_cores_agree_with_llvm.pytestmark
    assert {core[0] for core in marks[0].args[1]} == set(CORES)


# Other processors


def test_a_processor_with_everything():
    target = host_a64.probe(words(midr=V1, sve_bits=256, sme_bits=512), {1: 64 << 10, 2: 1 << 20})
    assert target.features == NAMES | closure(NAMES, IMPLIES)
    assert (target.name, target.arch, target.isa) == ("host", "a64", "sve")
    assert (target.vector_bits, target.fma_bits, target.fma_pipes, target.fma_latency) == (256, 256, 2, 4)
    assert (target.l1d, target.l2, target.l3) == (64 << 10, 1 << 20, 0)


def test_a_neoverse_n1_is_the_target_with_dot_products_alone():
    """As Linux describes a Graviton2 in /proc/cpuinfo, and with its caches."""
    features = ("NEON", "NEON_AES", "NEON_SHA1", "NEON_SHA256", "CRC", "LSE", "FP16", "RDM", "RCPC", "DOTPROD")
    found = host_a64.probe(words(*features, midr=0x413F_D0C1), {1: 64 << 10, 2: 1 << 20})
    named = TARGETS["neon_dotprod"]
    assert replace(found, name=named.name, features=named.features, l3=named.l3) == named
    assert named.features < found.features and not {"I8MM", "BF16", "SVE", "FHM"} & found.features


@pytest.mark.parametrize(
    "bits,isa,vector",
    [
        (0, "neon", 128),
        (128, "neon", 128),
        (256, "sve", 256),
        (512, "sve", 512),
        (2048, "sve", 2048),
    ],
)
def test_machine_of_a_vector_length(bits, isa, vector):
    there = words(midr=V1, sve_bits=bits) if bits else words(midr=V1, all_but={"SVE"})
    target = host_a64.probe(there, {})
    assert (target.isa, target.vector_bits, target.fma_bits) == (isa, vector, vector)
    assert target.fma_pipes == {"neon": 4, "sve": 2}[isa]
    assert ("SVE" in target.features) == (bits > 0)


def test_oldest_processor():
    target = host_a64.probe(words("NEON"), {})
    assert target.features == {"NEON"}
    assert (target.isa, target.fma_pipes, target.fma_latency) == ("neon", 2, 4)


@pytest.mark.parametrize("missing", ["NEON_AES", "FP16"])
def test_a_feature_of_two_bits_needs_both(missing):
    for _, word, bit in (line for line in LINES if line[0] == missing):
        whole = words()
        half = whole._replace(**{word.lower(): getattr(whole, word.lower()) & ~(1 << bit)})
        assert missing not in host_a64.features(half)


@pytest.mark.parametrize("hidden", [name for name in IMPLIES if name in NAMES])
def test_a_feature_whose_base_is_hidden_is_absent(hidden):
    found = host_a64.features(words(all_but={hidden}))
    assert hidden not in found
    assert not [name for name in found if hidden in closure((name,), IMPLIES)]


def test_caches(tmp_path):
    for i, (kind, level, size) in enumerate((("Data", 1, "64K"), ("Instruction", 1, "32K"), ("Unified", 2, "1024K"))):
        (tmp_path / f"index{i}").mkdir()
        for name, text in (("type", kind), ("level", str(level)), ("size", size)):
            (tmp_path / f"index{i}" / name).write_text(f"{text}\n")
    assert host_a64.caches(tmp_path) == {1: 64 << 10, 2: 1 << 20}
    assert host_a64.caches(tmp_path / "none") == {}


@pytest.mark.parametrize(
    "midr,text",
    [
        (V1, "Neoverse V1, SVE 256 bits"),
        (0x6100_0230, "AArch64, implementer 0x61 part 0x023, SVE 256 bits"),
    ],
)
def test_brand(monkeypatch, midr, text):
    monkeypatch.setattr(host_a64, "words", lambda: words("SVE", midr=midr, sve_bits=256))
    assert host_a64.brand() == text


@pytest.mark.parametrize("bits", [0, 128, 256, 512])
def test_code_for_another_length_is_refused(monkeypatch, bits):
    kinds = {"sve": "SVE", "sme": "streaming"}
    for isa in kinds:
        monkeypatch.setattr(host_a64, f"{isa}_bits", lambda: bits)
    for name, target in TARGETS.items():
        refused = host_a64.refusal(target)
        assert bool(refused) == (target.isa in kinds and target.vector_bits != bits)
        if refused:
            assert f"target {name} needs {kinds[target.isa]} vectors of {target.vector_bits} bits" in refused
            assert refused.endswith(f"this process has {bits}")


# This machine


@on_a64
def test_this_machine():
    found, target = host_a64.words(), host.host()
    assert target.features == closure(target.features, IMPLIES) == host_a64.available()
    assert "NEON" in target.features
    assert ("SVE" in target.features) == (found.sve_bits > 0) and ("SME" in target.features) == (found.sme_bits > 0)
    assert target.vector_bits == max(128, found.sve_bits)


@on_a64
def test_features_execute():
    """Instructions of a feature give the known answer on this processor if and only if Linux sets the feature's bit."""
    with Server(**({"cpu": os.environ["QEMU_CPU"]} if "QEMU_CPU" in os.environ else {})) as server:
        answers = {name: wrong for name, wrong in server.features().items() if name in NAMES}
    assert len(answers) >= 10
    assert host_a64.available() & answers.keys() == {name for name, wrong in answers.items() if not wrong}, answers


@on_a64
def test_code_for_this_length_runs():
    length = host_a64.sve_bits()
    for bits in (128, 256, 512, 1024, 2048):
        target = Target(f"sve{bits}", "a64", "sve", frozenset({"SVE"}), bits, bits)
        assert (host.runs(target) == "") == (bits == length)


@on_a64
@pytest.mark.parametrize("level,field", [(1, "l1d"), (2, "l2"), (3, "l3")])
def test_caches_agree_with_the_c_library(level, field):
    """sysconf reads the cache's registers or asks Linux; if it knows no size, the test is skipped."""
    name = f"SC_LEVEL{level}_{'D' if level == 1 else ''}CACHE_SIZE"
    size = os.sysconf(name) if name in os.sysconf_names else 0
    if not size:
        pytest.skip("the C library does not know")
    assert getattr(host.host(), field) == size
