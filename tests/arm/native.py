"""The native path of AArch64: part of the test suite and the demo, inside an arm64 Python (`make arm`).

    python -m tests.arm.native            builds the sysroot if need be, runs all of it
    python -m tests.arm.native --small    what `make test` runs of it

Under qemu a test takes ten to thirty times as long as on the machine below, so this is a selection: what differs on an
Arm (the probe, executable memory, emitted call paths, kernels at the vector length that the process has) and few
hypothesis examples. What compares our bytes with an assembler's needs no Arm and is not here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from tests.arm import sysroot


class Part(NamedTuple):
    """Tests to run on one processor of the emulator."""

    cpu: str
    tests: tuple[str, ...]


SVE512, SVE256, NEON = "max,sme_fa64=off", "max,sme_fa64=off,sve-default-vector-length=32", "neoverse-n1"

SMALL = (
    Part(SVE256, (
        "tests/runtime/test_host.py", "tests/runtime/test_visibility_a64.py",
        "tests/runtime/test_memory.py::test_code_runs",
        "tests/runtime/test_measure.py::test_repeat_passes_every_argument_every_time",
        "tests/microkernels/test_gemm.py::test_some[f32-None]",
    )),
)  # fmt: skip
"""One minute."""

ALL = (
    Part(SVE512, (
        "tests/runtime/test_host.py", "tests/runtime/test_host_a64.py", "tests/runtime/test_memory.py",
        "tests/runtime/test_visibility_a64.py", "tests/runtime/test_measure.py", "tests/runtime/test_kernel.py",
        "tests/runtime/test_api.py", "tests/runtime/test_gemm_call.py", "tests/test_guard.py",
        "tests/microkernels/test_gemm.py",
    )),
    Part(SVE256, ("tests/runtime/test_host.py", "tests/microkernels/test_gemm.py")),
    Part(NEON, ("tests/runtime/test_host.py", "tests/microkernels/test_gemm.py")),
)  # fmt: skip

# What the emulator, not the code, makes impossible.
LEFT_OUT = {
    "tests/runtime/test_kernel.py::test_object_called_from_c": "gcc compiles for the machine below the emulator",
    "tests/runtime/test_call_safety.py::test_memory_limit_is_an_error": "qemu does not impose RLIMIT_AS",
}


def run(parts: Sequence[Part], *options: str) -> None:
    """Run them in the arm64 Python; CalledProcessError if a test fails, SysrootError if there is no such Python."""
    python = sysroot.python()
    for part in parts:
        environment = os.environ | {"QEMU_CPU": part.cpu, "HYPOTHESIS_PROFILE": "emulated"}
        left_out = [f"--deselect={test}" for test in LEFT_OUT]
        pytest = ["-m", "pytest", "-p", "no:cacheprovider", "-m", "not slow", *left_out, *options, *part.tests]
        subprocess.run([python, *pytest], cwd=sysroot.REPOSITORY, env=environment, check=True)


def demo() -> None:
    """`tilesmith demo` as on a machine of its own."""
    subprocess.run([sysroot.python(), "-m", "tilesmith", "demo"], cwd=sysroot.REPOSITORY, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("options", nargs="*", help="for pytest, behind --")
    options = parser.parse_args()
    start = time.monotonic()
    try:
        sysroot.python()
        print(f"sysroot: {time.monotonic() - start:.0f} s", flush=True)
        run(SMALL if options.small else ALL, *options.options)
        if not options.small:
            demo()
    except (sysroot.SysrootError, subprocess.CalledProcessError) as error:
        print(f"make arm: {error}", file=sys.stderr)
        return 1
    print(f"passed in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
