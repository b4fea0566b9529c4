"""Threads of the pool in new processes: when they start, how processes end, and on how many processors they run."""

import os
import subprocess
import sys
import textwrap

import pytest

from tilesmith.runtime.threads import pool

pytestmark = pytest.mark.skipif(bool(pool.refusal()), reason=pool.refusal() or "there is a pool")

START = """
import os, sys, threading, time
import tilesmith as ts
from tests.runtime.threads import jobs
from tests.runtime.threads.jobs import CELLS

def threads():
    return len(os.listdir("/proc/self/task"))
"""


def run(code, start=START):
    """Return the output of a process that runs the code; it must end by itself, without a fault."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", start + textwrap.dedent(code)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


def test_nothing_starts_before_it_is_needed():
    """An import, a query of the number of threads and the address of a region do not start a thread."""
    assert (
        run("""
        from tilesmith.runtime.threads import region
        before = threads()
        ts.num_threads(), ts.set_num_threads(5), region.entry(ts.host())
        assert threads() == before
        r, argument = jobs.Region(), jobs.cells()
        r(jobs.placed(jobs.count), argument, 3)
        assert threads() == before + 2
        print("ended")
        """)
        == "ended"
    )


def test_exit_during_a_region():
    """The process ends although a daemon thread is inside a region, and atexit functions can still run regions."""
    assert (
        run("""
        import atexit
        r, held, counts = jobs.Region(), jobs.cells(), jobs.cells()
        hold, count = jobs.placed(jobs.hold), jobs.placed(jobs.count)
        def at_the_end():
            r(count, counts, 3)
            print(counts[:3].tolist())
        atexit.register(at_the_end)
        threading.Thread(target=r, args=(hold, held, 3), daemon=True).start()
        while not held[:3].all():
            time.sleep(0.001)
        """)
        == "[1, 0, 0]"
    )


def test_regions_after_the_end():
    """Regions still work after the pool has ended its threads, for example in a finaliser."""
    assert (
        run("""
        class Last:
            def __del__(self, r=jobs.Region(), argument=jobs.cells(), job=jobs.placed(jobs.count)):
                r(job, argument, 3)
                print(argument[:3].tolist())
        last = Last()
        r = jobs.Region()
        r(jobs.placed(jobs.count), jobs.cells(), 2)
        """)
        == "[1, 1, 1]"
    )


def test_one_processor():
    """Workers that spin yield the only processor, so barriers between seven workers make progress."""
    assert (
        run("""
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        from tilesmith.runtime.threads import barrier
        with jobs.Region().never_backing_off() as r:
            meet = jobs.placed(jobs.meet(*barrier.barrier(ts.host()), 50))
            for workers in (2, 7):
                argument = jobs.cells()
                r(meet, argument, workers)
                print(ts.num_threads(), argument[:workers].tolist() == [50] * workers, argument[CELLS])
        """)
        == "1 True 0\n1 True 0"
    )


def test_spawned_and_forked_processes():
    """The pool belongs to its process: spawned and forked processes make their own."""
    assert (
        run("""
        import multiprocessing as mp
        r = jobs.Region()
        count, argument = jobs.placed(jobs.count), jobs.cells()
        r(count, argument, 3)
        with mp.get_context("spawn").Pool(1) as spawned, mp.get_context("fork").Pool(2) as forked:
            print(spawned.map(jobs.counted, [3]), forked.map(jobs.counted, [2, 3]), jobs.counted(2))
        """)
        == "[[1, 1, 1]] [[1, 1], [1, 1, 1]] [1, 1]"
    )


def in_subinterpreter(code):
    """Return the output of a process whose subinterpreter runs the code. It is of the legacy kind, since CPython loads
    cffi into no other kind, and the main interpreter has not loaded numpy, which cannot be loaded twice."""
    silent = 'warnings.simplefilter("ignore")\n' + textwrap.dedent(code)
    return run(
        f"""
        import sys
        try:
            import _interpreters as interpreters
            one = interpreters.create("legacy")
        except ImportError:  # CPython 3.12 and older
            import _xxsubinterpreters as interpreters
            one = interpreters.create(isolated=False)
        interpreters.run_string(one, f"import sys, warnings; sys.path[:] = {{sys.path!r}}\\n" + {silent!r})
        """,
        start="",
    )


def test_a_subinterpreter_is_refused():
    printed = in_subinterpreter("""
        from tilesmith.runtime.threads import region
        from tilesmith.runtime.host.detect import host
        try:
            region.entry(host())
        except Exception as error:
            print(f"{type(error).__name__}: {error}", flush=True)
        """)
    assert "UnsupportedError: threads: a subinterpreter cannot have workers" in printed


def test_a_subinterpreter_calls_kernels_through_python():
    """Machine code acquires the GIL for the main interpreter, so it handles no calls in another one."""
    printed = in_subinterpreter("""
        import numpy as np
        import tilesmith as ts
        a = np.ones((200, 200), np.float32)
        b, c = a[:4, :4].copy(), np.zeros((4, 4), np.float32)
        ts.brgemm(4, 4, 4)(b, b, c)
        big = ts.gemm(200, 200, 200, beta=0.0, order="CFC", threads=1)(a, a.T)
        print(c[0, 0], big[0, 0], flush=True)
        """)
    assert printed == "4.0 200.0"


def test_no_memory_for_threads():
    """If the system refuses threads, the caller runs alone; later regions try again."""
    assert (
        run("""
        import resource
        from pathlib import Path
        from tilesmith.runtime.threads.layout import BACKOFF
        with jobs.Region().never_backing_off() as r:
            count, argument = jobs.placed(jobs.count), jobs.cells()
            r(count, argument, 2)
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), hard))
            argument[:] = 0
            r(count, argument, 7)
            print(argument[:7].tolist(), r.state[BACKOFF // 8] > 0)
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
            r(count, argument, 7)
            time.sleep(0.1)
            r(count, argument, 7)
            print(argument[:7].tolist())
        """)
        == "[1, 0, 0, 0, 0, 0, 0] True\n[3, 1, 1, 1, 1, 1, 1]"
    )


def test_a_pool_that_two_threads_ask_for_first():
    """There is one pool: all threads get the same region and barrier."""
    assert (
        run("""
        from tests.threads import switching, together
        from tilesmith.runtime.threads import barrier, region
        found = []
        with switching(1e-6):
            together(*[lambda: found.append((region.entry(ts.host()), *barrier.barrier(ts.host())))] * 4)
        print(len(set(found)))
        """)
        == "1"
    )
