"""Run the native path of AArch64: part of the test suite and the demo, inside an arm64 Python (`make arm`).

    python -m tests.arm.native            builds the sysroot if necessary, then runs everything
    python -m tests.arm.native --small    runs only the part that `make test` runs

Under qemu a test takes ten to thirty times as long as on the host, so this is a selection with few hypothesis examples.
It covers what differs on an Arm: the probe, executable memory, emitted call paths, and kernels at the vector length of
the process. Tests that compare our bytes with an assembler's need no Arm and are not included.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.arm import emulator, sysroot


class Part(NamedTuple):
    """Tests that run in one process, on one CPU model of the emulator, with the draws of a profile."""

    cpu: str
    tests: tuple[str, ...]
    profile: str = "emulated"


# streaming vectors have 256 bits unless an option says otherwise
SVE512, SVE256, NEON = "max,sme_fa64=off", "max,sme_fa64=off,sve-default-vector-length=32", "neoverse-n1"


def gemm(*cases: str) -> tuple[str, ...]:
    """Return the GEMM tests, between guard pages, of "type-target" cases; target None means all that the processor
    has."""
    return tuple(f"tests/microkernels/gemm/test_emit.py::test_some[{case}]" for case in cases)


SMALL = (
    Part(
        SVE256,
        (
            "tests/runtime/host/test_detect.py",
            "tests/runtime/memory/test_instruction_cache_a64.py",
            "tests/runtime/memory/test_executable.py::test_code_runs",
            "tests/runtime/bench/test_measure.py::test_repeat_passes_every_argument_every_time",
            "tests/runtime/fastcall/test_entry.py::test_signature_and_documentation",
            *gemm("f32-None"),
        ),
        "normal",
    ),
)
"""The parts that `--small` runs, in a quarter of a minute: three drawn products, others each time."""

CALLS = tuple(
    f"tests/runtime/fastcall/test_call_{name}"
    for name in (
        "arguments.py::test_number_of_arguments",
        "arguments.py::test_many_arguments_do_not_overflow_the_stack",
        "arguments.py::test_keywords",
        "arguments.py::test_offset_that_leads_outside",
        "outputs.py::test_new_output",
        "outputs.py::test_arrays_at_guard_pages",
        "references.py::test_calls_keep_no_references",
        "references.py::test_a_dropped_kernel_is_freed_at_once",
        "references.py::test_programs_cannot_change_data_of_the_entry",
        "threads.py::test_two_threads_in_one_kernel",
        "threads.py::test_fork",
        "threads.py::test_deep_recursion_ends_in_an_error",
    )
)

TENSORS = tuple(
    f"tests/runtime/fastcall/test_dlpack.py::test_{name}"
    for name in (
        "views_and_mixtures",
        "strides",
        "batches",
        "a_handle",
        "refused",
        "results_are_of_the_type_that_came_in",
        "a_library_that_refuses_the_result",
        "every_type",
    )
)

REQUESTS = tuple(
    f"tests/runtime/{name}"
    for name in (
        "api/test_brgemm.py::test_equal_requests_share_a_kernel",
        "api/test_brgemm.py::test_threads_that_ask_at_once_share_a_kernel",
        "api/test_brgemm.py::test_the_same_request_for_another_target_is_another_kernel",
        "api/test_brgemm.py::test_target_may_be_the_host",
        "api/test_brgemm.py::test_an_unreferenced_kernel_is_freed",
        "api/test_brgemm.py::test_supported_takes_the_spec_of_a_kernel",
        "api/test_brgemm.py::test_a_target_that_this_machine_cannot_run_still_generates",
        "kernel/test_callable.py::test_attributes",
        "kernel/test_callable.py::test_kernel_and_its_pages_are_freed",
    )
)

GRAPHS = (
    "tests/runtime/executor/test_run.py::test_a_chain[end]",
    "tests/runtime/executor/test_calls.py::test_calls_of_several_threads_at_once",
    "tests/runtime/fastcall/test_words.py::test_others_are_for_python",
)

ALL = (
    Part(
        SVE512,
        (
            *REQUESTS,
            *gemm("f32-sve512", "f64-sve512", "f32-None"),
        ),
    ),
    Part(
        SVE512,
        (
            "tests/runtime/host/test_detect.py",
            "tests/runtime/host/test_a64.py",
            "tests/runtime/memory/test_executable.py",
            "tests/runtime/memory/test_executable_refusals.py",
            "tests/runtime/memory/test_instruction_cache_a64.py",
            "tests/runtime/bench/test_measure.py",
            "tests/runtime/arguments/test_gemm.py",
            "tests/runtime/arguments/test_gemm_overlap.py",
            "tests/runtime/arguments/test_gemm_batch.py",
            "tests/runtime/fastcall/test_entry.py",
            "tests/runtime/fastcall/test_guards_batch.py",
            "tests/runtime/testing/test_guard.py",
            "tests/runtime/cli/test_main.py::test_info_names_the_targets_and_what_runs",
        ),
    ),
    Part(
        NEON,
        (
            "tests/runtime/host/test_detect.py",
            "tests/microkernels/gemm/test_mixed_aarch64.py::test_bytes_on_this_arm",
            *CALLS,
            *TENSORS,
            *gemm("f32-neon", "f64-neon"),
        ),
    ),
    Part(SVE256, ("tests/runtime/host/test_detect.py", *gemm("f32-sve256", "f64-None", "f64-sme256"), *GRAPHS)),
)
"""All parts, the longest first. They run in parallel, one on each processor."""


def run(parts: Sequence[Part], processes: int = 1) -> bool:
    """Run the parts in the arm64 Python, print their output, and return whether all passed. Raises SysrootError if
    there is no such Python."""
    python = sysroot.python()
    with ThreadPoolExecutor(processes) as pool:
        passed = [_printed(done) for done in pool.map(lambda part: _run(python, part), parts)]
    return all(passed)


def _run(python: Path, part: Part) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"QEMU_CPU": part.cpu, "HYPOTHESIS_PROFILE": part.profile}
    options = ["-p", "no:cacheprovider", "-m", "not slow"]
    command = [python, "-m", "pytest", *options, *part.tests]
    return subprocess.run(command, cwd=sysroot.REPOSITORY, env=environment, capture_output=True, text=True)


def _printed(done: subprocess.CompletedProcess[str]) -> bool:
    print(done.stdout + done.stderr, flush=True)
    return done.returncode == 0


def demo() -> bool:
    """Run `tilesmith demo` as on a real machine, and return whether its results are right."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sysroot.python(), "-m", "tilesmith", "demo", "-o", folder]
        return subprocess.run(command, cwd=sysroot.REPOSITORY).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    emulator.choose()
    try:
        sysroot.python()
        print(f"sysroot: {time.monotonic() - start:.0f} s", flush=True)
        passed = run(SMALL) if options.small else run(ALL, os.cpu_count() or 1) and demo()
    except sysroot.SysrootError as error:
        print(f"arm: {error}", file=sys.stderr)
        return 1
    print(f"{'passed' if passed else 'FAILED'} in {time.monotonic() - start:.0f} s")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
