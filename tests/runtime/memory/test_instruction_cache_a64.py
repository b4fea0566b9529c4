"""The flush of the instruction cache: the emulator counts the lines that the stub touches; every block is flushed.

No emulator shows a missing flush, since emulators execute new code at once. So these tests count.
"""

import platform

import numpy as np
import pytest

from tilesmith.emulation.qemu.trace import executed, mnemonics
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import X
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.memory import instruction_cache_a64 as visibility_a64

IDC, DIC = 1 << 28, 1 << 29
PAGE = 4096
STUB = visibility_a64.stub()


def line_sizes(data, instructions, flags=0):
    """Return CTR_EL0 (Arm ARM DDI 0487, D24.2.34) of a processor with these smallest cache lines, in bytes."""
    return flags | (data // 4).bit_length() - 1 << 16 | (instructions // 4).bit_length() - 1


def with_register(code):
    """Return the stub's code with CTR_EL0 replaced by the third argument of the call."""
    asm = A64Assembler(TARGETS["neon"])
    asm.mrs(X[9], SYSTEM_REGISTERS["ctr_el0"])
    asm.mov(X[9], X[2])
    words = asm.finish("words").data
    read, move = words[:4], words[4:8]
    assert code.data.count(read) == 1
    return code.data.replace(read, move)


@pytest.mark.usefixtures("aarch64")  # skips without an emulator
@pytest.mark.skipif(platform.machine() == "aarch64", reason="the emulator counts, and an Arm needs none")
@pytest.mark.parametrize("size", [1, 64, 65, 2 * PAGE])
@pytest.mark.parametrize(
    "data,instructions,flags",
    [
        (64, 64, 0),
        (32, 128, 0),
        (128, 16, 0),
        (64, 64, IDC),
        (64, 64, DIC),
        (64, 32, IDC | DIC),
    ],
)
def test_every_line_is_flushed_once(size, data, instructions, flags):
    code = np.zeros(2 * PAGE, np.uint8)
    counts = executed(with_register(STUB), code, size, line_sizes(data, instructions, flags), side="start")
    found = mnemonics(STUB, counts)
    wanted = {"dc": 0 if flags & IDC else -(-size // data), "ic": 0 if flags & DIC else -(-size // instructions)}
    assert {name: found[name] for name in wanted} == wanted
    assert (found["dsb"], found["isb"], found["ret"]) == (2, 1, 1)


def test_order_of_the_barriers():
    """The order is clean, wait, invalidate, wait, and fetch again: Arm ARM DDI 0487, B2.4.4."""
    names = [i.form.mnemonic for i in STUB.instructions if i.form.mnemonic in ("dc", "ic", "dsb", "isb", "ret")]
    assert names == ["dc", "dsb", "ic", "dsb", "isb", "ret"]


def test_blocks_are_flushed_as_a_whole(monkeypatch):
    flushed = []
    memory._owning()  # its code is flushed too
    monkeypatch.setattr(memory, "_instruction_cache_sync", lambda: lambda *block: flushed.append(block))
    blocks = [memory.publish(bytes(size)) for size in (1, 5000)]
    assert flushed == [(block.address, block.size) for block in blocks]


def test_only_aarch64_flushes():
    made = memory._instruction_cache_sync.__wrapped__()
    assert (made is not None) == (platform.machine() == "aarch64")


@pytest.mark.skipif(platform.machine() != "aarch64", reason="AArch64 code")
def test_the_stub_runs_here():
    block = memory.publish(bytes(3 * PAGE))
    memory._instruction_cache_sync()(block.address, block.size)
