"""The server reports its processor's features and vector lengths, reads and writes, and executed instructions."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.emulation.qemu.server_code import copy_bytes, emitted, still_works, usable_server
from tests.encoder.a64_draws import all_forms, draws
from tilesmith.emulation.qemu.faults import (
    access,
)
from tilesmith.emulation.qemu.probes import PROBES
from tilesmith.emulation.qemu.trace import executed, mnemonics
from tilesmith.encoder.a64.targets import TARGETS

# What the processor can do


def test_features(aarch64):
    features = aarch64.features()
    assert set(features) == {probe.feature for probe in PROBES}
    assert not features["NEON"]
    assert bool(features["SVE"]) == (not aarch64.vector_lengths())


def test_features_of_lesser_processors(aarch64):
    if not aarch64.command:
        pytest.skip("runs natively")
    with usable_server(cpu="neoverse-n1") as server:
        has = {name for name, reason in server.features().items() if not reason}
        assert has == {"NEON", "FP16", "DOTPROD"}
        assert server.features()["BF16"] == "SIGILL"
        assert (server.vector_lengths(), server.streaming_lengths()) == ((), ())
        assert still_works(server) and not server.lacks(TARGETS["neon"])
        assert "SVE (no vectors of 128 bits)" in server.lacks(TARGETS["sve256"])
    with usable_server(cpu="max,sve-max-vq=2,sme=off") as server:
        assert server.vector_lengths() == (128, 256)
        assert not server.lacks(TARGETS["sve256"])
        assert "SVE vectors of 512 bits" in server.lacks(TARGETS["sve512"])


ATOMIC = r"(ld|st)(add|clr|eor|set|[su]max|[su]min)|swp|cas"


def test_reads_and_writes_are_told_apart():
    """Every load and store of the table is classified by its mnemonic."""
    for form in all_forms():
        mnemonic = form.syntax().split()[0]
        if re.match(ATOMIC, mnemonic):
            wanted = "updates"
        elif re.match(r"(ld|st)", mnemonic):
            wanted = "writes" if mnemonic.startswith("st") else "reads"
        else:
            continue
        for word in draws(form, 6):
            assert access(word) == wanted, f"{form.syntax()}: {word:#010x}"
    assert access(0xD65F03C0) == "touches"  # ret


# Executed instructions


def test_executed_instructions(aarch64):
    if not aarch64.command:
        pytest.skip("counted by the emulator only")
    code = emitted(copy_bytes)
    counts = executed(code, np.ones(100, np.uint8), np.zeros(100, np.uint8), 100)
    assert mnemonics(code, counts) == {"ldrb": 100, "strb": 100, "subs": 100, "b.ne": 100, "ret": 1}
    assert counts[code.instructions[0].offset] == 100
