"""Saved objects and listings had no .eh_frame, so backtrace() in a kernel lost its caller and C++ exceptions
terminated."""

import platform
import re

import pytest

import tilesmith as ts
from tests.oracles import gnu, gnu_a64, tools
from tests.oracles.unwinder import trapped

BATCHES = ["room[0]", "room[1]", "room[2]", "2", "64", "64"]
PACKED = {"order": ("C", "F", "C")}  # in scratch memory: the stack pointer moves, once or several times
VECTOR = ("-cpu", "max,sve-default-vector-length=32")
native = pytest.mark.skipif(platform.machine() != "x86_64", reason="runs what it linked")


@native
def test_the_caller_is_found_from_every_instruction(tmp_path):
    kernels = [ts.brgemm(m, n, k, target="avx2", **PACKED) for m, n, k in ((5, 7, 9), (64, 48, 64), (33, 47, 65))]
    functions = [(kernel._code, BATCHES[:3]) for kernel in kernels]
    functions.append((ts.brgemm(64, 48, 64, batch=ts.STRIDE, target="avx2")._code, BATCHES))
    functions.append((ts.transpose(13, 17, target="avx2")._code, BATCHES[:2]))
    bodies = {code.name for code, given in functions if given is BATCHES}  # of which few pairs execute the first
    reached = trapped(tmp_path, functions, "x86")
    assert len(reached) == len(functions) and all(
        part == 1 or (name in bodies and part > 0.3) for name, part in reached.items()
    )


def test_the_caller_is_found_on_aarch64(tmp_path):
    """These kernels save d8 to d15. Every fifth instruction is tested, and all instructions at the start and the
    end."""
    functions = [(ts.brgemm(40, 40, 40, target="neon", **PACKED)._code, BATCHES[:3])]
    functions.append((ts.brgemm(24, 20, 8, batch=ts.STRIDE, target="sve256")._code, BATCHES))
    bodies = {code.name for code, given in functions if given is BATCHES}
    reached = trapped(tmp_path, functions, "a64", *VECTOR, step=5)
    assert len(reached) == len(functions) and all(
        part == 1 or (name in bodies and part > 0.3) for name, part in reached.items()
    )


PROGRAM = """
#include <csignal>
#include <cstdint>
#include <cstdio>
#include "k.h"

static float a[4096], b[4096];
static void fault(int) { throw 7; }

int main(int count, char **) {
    struct sigaction action = {};
    action.sa_handler = fault;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    long sum = 0, wanted = 0;
    for (int i = 0; i < 3; i++) {
        long p = count + 1, q = count + 10, r = count + 100, s = count + 1000, t = count + 10000;
        wanted += p + q + r + s + t + 7;
        __asm__ volatile("" : "+r"(p), "+r"(q), "+r"(r), "+r"(s), "+r"(t)); // held in registers meanwhile
        try {
            %s(a, b, reinterpret_cast<float *>(16), 2, 64, 64);
        } catch (int thrown) {
            sum += p + q + r + s + t + thrown;
        }
    }
    std::printf("%%ld", sum - wanted);
}
"""


@native
@pytest.mark.parametrize("suffix", [".o", ".s"])
def test_an_exception_passes_through_a_kernel(tmp_path, suffix):
    """Registers that the kernel had saved, four of them used by the caller, have their old values after the
    exception."""
    kernel = ts.brgemm(64, 48, 64, batch=ts.STRIDE, target="avx2")
    for each in (suffix, ".h"):
        kernel.save(tmp_path / f"k{each}")
    (tmp_path / "main.cpp").write_text(PROGRAM % kernel.name)
    files = [str(tmp_path / name) for name in ("main.cpp", f"k{suffix}")]
    tools.run("g++", "-O2", "-Wall", "-Werror", "-fnon-call-exceptions", "-o", str(tmp_path / "program"), *files)
    assert tools.run(str(tmp_path / "program")).stdout == "0"


def rows(path):
    """Return binutils' reading of the frames: for each row of addresses, the caller's frame and its registers."""
    frames = tools.run("readelf", "--debug-dump=frames-interp", str(path))
    assert not frames.stderr
    return [" ".join(row.split()) for row in frames.stdout.splitlines() if re.match("[0-9a-f]{16} |   LOC", row)]


@pytest.mark.parametrize(("target", "assembler"), [("avx2", gnu), ("neon", gnu_a64)])
def test_a_listing_has_the_same_frames(tmp_path, target, assembler):
    kernel = ts.brgemm(33, 47, 65, target=target, **PACKED)
    for suffix in (".o", ".s"):
        kernel.save(tmp_path / f"k{suffix}")
    tools.run(assembler.ASSEMBLER, "-o", str(tmp_path / "made.o"), str(tmp_path / "k.s"))
    assert rows(tmp_path / "made.o") == rows(tmp_path / "k.o") and len(rows(tmp_path / "k.o")) > 8
    assert assembler.assemble(kernel.listing("gas")) == kernel.code
