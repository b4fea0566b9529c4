"""A C program that calls the function of a saved nest or product from several threads, on operands between pages."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracles import tools
from tilesmith.emulation.qemu.server import EMULATOR

QEMU = [*shlex.split(os.environ.get(EMULATOR, "qemu-aarch64")), "-cpu", "max,sve-default-vector-length=32"]
SHARED, WORKER, BARRIER, CLAIM, NONE = "shared", "worker", "barrier", "claim", "none"
"""Words of the operand table that are not arrays: scratch memory, a barrier and its argument (one entry for the two
words), the function that numbers claims, and words that are not read."""

_PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "job.h"
static void *operands[64];
static pthread_barrier_t all;
static __attribute__((unused)) void meet(void *state) {{ pthread_barrier_wait(state); }}
static __attribute__((unused)) long claim(void *state) {{
    static long numbers;
    return state == &all ? __atomic_fetch_add(&numbers, 1, __ATOMIC_ACQ_REL) : -1;
}}
static void *at_the_end(size_t size) {{ /* memory that ends where a page begins that cannot be accessed */
    size_t whole = (size + 4095) / 4096 * 4096;
    char *pages = mmap(0, whole + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + whole, 4096, PROT_NONE);
    memset(pages, 0xFF, whole); /* floats are NaN until somebody writes them */
    return pages + whole - size;
}}
static void *work(void *worker) {{ {name}((void *const *)operands, (long)worker, {workers}); return 0; }}
int main(void) {{
    int place = 0;
#ifdef __x86_64__
    syscall(SYS_arch_prctl, 0x1023, 18); /* tile registers, as the headers of kernels on tiles say */
#endif
    pthread_barrier_init(&all, 0, {workers});
{made}
{threads}
{written}
    return 0;
}}
"""
_PTHREADS = """    pthread_t threads[{workers}];
    for (long i = 0; i < {workers}; i++) pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < {workers}; i++) pthread_join(threads[i], 0);"""
_OPENMP = """    #pragma omp parallel for num_threads({workers}) schedule(static, 1)
    for (long i = 0; i < {workers}; i++) work((void *)i);"""


def run(
    folder: Path,
    kernel: Any,
    words: Sequence[Any],
    workers: int,
    *,
    name: str | None = None,
    a64: bool = False,
    openmp: bool = False,
) -> list[Any]:
    """Save the kernel, link a program with its object, run that, and return the arrays as the program leaves them."""
    kernel.save(folder / "job.o", name=name)
    kernel.save(folder / "job.h", name=name)
    symbol = name or kernel.name
    arrays = [each for each in words if not isinstance(each, (str, int))]
    threads = (_OPENMP if openmp else _PTHREADS).format(workers=workers)
    written = "\n".join(
        f"    if (fwrite(operands[{place}], {each.nbytes}, 1, stdout) != 1) return 1;"
        for place, each in _places(words)
        if not isinstance(each, (str, int))
    )
    made = "\n".join(_made(each, symbol, workers) for each in words)
    source = _PROGRAM.format(name=symbol, workers=workers, made=made, threads=threads, written=written)
    (folder / "main.c").write_text(source)
    flags = ["-O1", "-Wall", "-Werror", "-static", "-pthread", *(["-fopenmp"] if openmp else [])]
    compiler = "aarch64-linux-gnu-gcc" if a64 else "gcc"
    tools.run(compiler, *flags, "-o", str(folder / "main"), str(folder / "main.c"), str(folder / "job.o"))
    given = b"".join(each.tobytes() for each in arrays)
    done = subprocess.run([*(QEMU if a64 else []), folder / "main"], input=given, stdout=subprocess.PIPE, check=True)
    found, left = [], done.stdout
    for each in arrays:
        found.append(np.frombuffer(left[: each.nbytes], each.dtype).reshape(each.shape))
        left = left[each.nbytes :]
    assert not left
    return found


def _places(words: Sequence[Any]) -> list[tuple[int, Any]]:
    found, place = [], 0
    for each in words:
        found.append((place, each))
        place += 2 if isinstance(each, str) and each == BARRIER else 1
    return found


def _made(word: Any, symbol: str, workers: int) -> str:
    """Return the statements that fill a word of the table."""
    if isinstance(word, int):
        return f"    operands[place++] = (void *){word}L;"
    if not isinstance(word, str):
        return (
            f"    operands[place] = at_the_end({word.nbytes});\n"
            f"    if (fread(operands[place++], {word.nbytes}, 1, stdin) != 1) return 1;"
        )
    if word == BARRIER:
        return "    operands[place++] = (void *)meet; operands[place++] = &all;"
    if word == CLAIM:
        return "    operands[place++] = (void *)claim;"
    size = {SHARED: f"{symbol}_shared_bytes", WORKER: f"{symbol}_worker_bytes * {workers}", NONE: ""}[word]
    return f"    operands[place++] = at_the_end({size});" if size else "    operands[place++] = 0;"
