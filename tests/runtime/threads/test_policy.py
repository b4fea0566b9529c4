"""The number of threads is the least of OMP_NUM_THREADS and the share in affinity and quota, unless a call or a context
sets it."""

import os
import subprocess
import sys
import threading

import pytest

import tilesmith as ts
from tests.threads import together
from tilesmith.runtime.threads import policy
from tilesmith.runtime.threads.layout import MOST


@pytest.fixture(autouse=True)
def unset():
    yield
    ts.set_num_threads(0)


def test_contexts_are_of_a_thread_and_nest():
    ts.set_num_threads(3)
    seen = []
    with ts.threads(5) as five:
        assert ts.num_threads() == 5
        together(lambda: seen.append(ts.num_threads()))
        with ts.threads(2), five:
            assert ts.num_threads() == 5
        ts.set_num_threads(4)
        assert ts.num_threads() == 5
    assert seen == [3]
    assert ts.num_threads() == 4
    with pytest.raises(ZeroDivisionError), ts.threads(2):
        raise ZeroDivisionError
    assert ts.num_threads() == 4


def test_a_context_in_several_threads():
    """A context in several threads restores the number of each thread, in whatever order they enter and leave."""
    shared, both = ts.threads(6), threading.Barrier(2, timeout=20)

    def work(outer):
        with ts.threads(outer):
            with shared:
                both.wait()
                assert ts.num_threads() == 6
                both.wait()
            assert ts.num_threads() == outer
        assert ts.num_threads() == policy.default()

    together(lambda: work(3), lambda: work(4))


@pytest.mark.parametrize("call", (ts.set_num_threads, ts.threads))
def test_refusals(call):
    for wrong in (-1, MOST + 1):
        with pytest.raises(ValueError, match=f"from 1 to {MOST}"):
            call(wrong)
    for wrong in (2.0, "2", None):
        with pytest.raises(TypeError, match="a whole number of threads"):
            call(wrong)
    with pytest.raises(ValueError, match="0 threads"):
        ts.threads(0)


@pytest.mark.parametrize(
    ("text", "count"), (("3", 3), (" 4,2", 4), ("", MOST), ("0", MOST), ("many", MOST), ("-1", MOST))
)
def test_openmp(text, count):
    assert policy.asked(text) == count


def test_affinity_and_openmp():
    """Both limits apply in a new process, and a change of the affinity is noticed."""
    code = """if True:
        import os, time
        import tilesmith as ts
        found = [ts.num_threads()]
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        time.sleep(0.15)
        print(found + [ts.num_threads()])
        """
    most = len(os.sched_getaffinity(0))
    for openmp in ("1", "100"):
        environment = {**os.environ, "OMP_NUM_THREADS": openmp}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
        assert done.stdout.strip() == str([min(most, int(openmp), policy.quota()), 1])


@pytest.mark.parametrize(
    ("launched", "own", "parent", "count"),
    (
        ({}, 8, 8, 1),
        ({"LOCAL_WORLD_SIZE": "4"}, 8, 8, 4),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": "4"}, 2, 8, 1),  # bound to processors of its own
        ({"MPI_LOCALNRANKS": "2", "SLURM_NTASKS_PER_NODE": "2(x3)"}, 8, 8, 2),
        ({"MPI_LOCALNRANKS": "2"}, 8, None, 2),  # the launcher has ended
    ),
)
def test_processes_of_a_launcher(monkeypatch, launched, own, parent, count):
    """Processes that are not bound share the processors."""

    def affinity(process):
        if process and parent is None:
            raise ProcessLookupError
        return range(parent if process else own)

    for name in policy.LAUNCHERS:
        monkeypatch.delenv(name, raising=False)
    for name, value in launched.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(policy.os, "sched_getaffinity", affinity)
    policy._launched.cache_clear()
    try:
        assert policy.sharing() == count
    finally:
        monkeypatch.undo()
        policy._launched.cache_clear()
        policy.processors()


@pytest.mark.parametrize(
    ("groups", "files", "count"),
    (
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "250000 100000"}, 3),
        ("0::/a/b\n", {"cpu.max": "50000 100000"}, 1),
        ("0::/\n", {"cpu.max": "max 100000"}, MOST),
        ("4:cpu,acct:/x\n", {"cpu,acct/x/cpu.cfs_quota_us": "200000", "cpu,acct/x/cpu.cfs_period_us": "100000"}, 2),
        ("4:cpu:/x\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, MOST),
        ("4:memory:/x\n", {"cpu/x/cpu.cfs_quota_us": "100000", "cpu/x/cpu.cfs_period_us": "100000"}, MOST),
        ("", {}, MOST),
    ),
    ids=("parent", "root", "unlimited", "first", "first-unlimited", "other", "none"),
)
def test_quota(tmp_path, groups, files, count):
    own = tmp_path / "cgroup"
    own.write_text(groups)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert policy.quota(str(tmp_path), str(own)) == count


def test_no_files(tmp_path):
    assert policy.quota(str(tmp_path), str(tmp_path / "none")) == MOST
