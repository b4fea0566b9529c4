"""Executable memory on older kernels, under policies and in shortage: which method is used instead, and the errors."""

import errno
import os
import subprocess
import sys

import pytest

from tests.guard import run_forked
from tests.runtime.memory.rungs import ANSWER, MEMFDS, RUNGS, contents, failing, permissions, refuse
from tilesmith.runtime.memory import executable as memory
from tilesmith.runtime.system import environment, libc

pytestmark = pytest.mark.usefixtures("fresh")

# Older kernels


def test_kernel_without_mfd_exec(monkeypatch):
    failing(monkeypatch, "memfd_create", errno.EINVAL, lambda name, flags: flags & libc.MFD_EXEC)
    assert memory.publish(ANSWER).method == "sealed"


def test_kernel_that_shares_no_sealed_file(monkeypatch):
    failing(monkeypatch, "mmap", errno.EPERM, lambda *arguments: arguments[3] == libc.MAP_SHARED)
    block = memory.publish(ANSWER)
    assert (block.method, permissions(block), contents(block)) == ("sealed", ["r-xp"], ANSWER)


def test_c_library_without_memfd_create(monkeypatch):
    monkeypatch.delitem(libc.__dict__, "memfd_create", raising=False)
    monkeypatch.setitem(libc._SIGNATURES, "memfd_create", "int(void)")

    class Missing:
        def load_function(self, ctype, name):
            raise AttributeError(name)

    monkeypatch.setattr(libc, "_process", Missing)
    with pytest.raises(OSError, match="memfd_create: this C library has no such function"):
        libc.memfd_create(b"tilesmith", 0)


# Refusals


@pytest.mark.parametrize("code", [errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL])
def test_refused_rung_is_not_tried_again(monkeypatch, code):
    attempts = refuse(monkeypatch, "sealed", code)
    assert [memory.publish(ANSWER).method for _ in range(3)] == ["memfd"] * 3
    assert len(attempts) == 1


@pytest.mark.parametrize("code", [errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC])
def test_rung_in_want_is_tried_again(monkeypatch, code):
    attempts = refuse(monkeypatch, "sealed", code)
    assert [memory.publish(ANSWER).method for _ in range(3)] == ["memfd"] * 3
    assert len(attempts) == 3


def test_all_rungs_are_asked_again_after_all_were_refused(monkeypatch):
    with monkeypatch.context() as lifted_later:
        refuse(lifted_later, "sealed", errno.EPERM)
        assert memory.publish(ANSWER).method == "memfd"
        for each in RUNGS:
            refuse(lifted_later, each, errno.EPERM)
        with pytest.raises(memory.ExecutableMemoryError, match=r"(?s)sealed.*memfd.*anonymous"):
            memory.publish(ANSWER)
    assert memory.publish(ANSWER).method == "sealed"


def test_forced_rung_is_not_left_nor_remembered(monkeypatch):
    refuse(monkeypatch, "memfd", errno.EPERM)
    monkeypatch.setenv(environment.EXECMEM, "memfd")
    with pytest.raises(memory.ExecutableMemoryError) as refusal:
        memory.publish(ANSWER)
    assert not any(each in str(refusal.value) for each in ("sealed", "anonymous"))
    assert memory._refused == {}


def test_refusal_lists_every_rung_with_its_error_and_the_policies(monkeypatch):
    for each in RUNGS:
        refuse(monkeypatch, each, errno.EPERM, f"call of {each}: no")
    system = {
        "/proc/sys/vm/memfd_noexec": "2",
        "/sys/fs/selinux/enforce": "1",
        "/proc/self/status": "Name:\tpython\nSeccomp:\t2\n",
    }
    monkeypatch.setattr(memory, "_read", lambda path: system.get(path, ""))
    with pytest.raises(memory.ExecutableMemoryError) as refusal:
        memory.publish(ANSWER)
    text = str(refusal.value)
    assert all(f"call of {each}: no" in text for each in RUNGS)
    assert (text.count("memfd_noexec = 2"), text.count("SELinux"), text.count("seccomp")) == (2, 3, 3)


def test_refusal_by_nobody_visible_says_so(monkeypatch):
    refuse(monkeypatch, "sealed", errno.EPERM)
    monkeypatch.setenv(environment.EXECMEM, "sealed")
    monkeypatch.setattr(memory, "_read", lambda path: "")
    with pytest.raises(memory.ExecutableMemoryError, match="no known policy is visible"):
        memory.publish(ANSWER)


def test_shortage_names_the_limit_and_no_policy(monkeypatch):
    refuse(monkeypatch, "sealed", errno.ENOMEM)
    monkeypatch.setenv(environment.EXECMEM, "sealed")
    with pytest.raises(memory.ExecutableMemoryError, match=r"max_map_count = \d+") as refusal:
        memory.publish(ANSWER)
    assert "policy" not in str(refusal.value)


def has_mdwe():
    try:
        return libc.prctl(libc.PR_GET_MDWE, 0, 0, 0, 0) >= 0
    except OSError:
        return False


@pytest.mark.skipif(not has_mdwe(), reason="this kernel has no PR_SET_MDWE (Linux 6.3)")
def test_under_mdwe_memfds_work_and_anonymous_pages_are_explained():
    def child():
        libc.prctl(libc.PR_SET_MDWE, libc.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)
        for each in MEMFDS:
            os.environ[environment.EXECMEM] = each
            assert contents(memory.publish(ANSWER)) == ANSWER
        del os.environ[environment.EXECMEM]
        assert memory.publish(ANSWER).method == "sealed"
        os.environ[environment.EXECMEM] = "anonymous"
        with pytest.raises(memory.ExecutableMemoryError, match=r"mprotect: Permission denied\n.*PR_SET_MDWE"):
            memory.publish(ANSWER)

    assert run_forked(child) == 0


NOEXEC = """
from tilesmith.runtime.memory import executable as memory
print(memory.publish(b"\\xc3").method, *memory._refused)
memory._RUNGS = {rung: memory._RUNGS[rung] for rung in ("sealed", "memfd")}
memory._refused.clear()
try:
    memory.publish(b"\\xc3")
except memory.ExecutableMemoryError as error:
    print(str(error).count("vm.memfd_noexec = 2 refuses"))
"""


def test_where_memfds_must_not_be_executable_anonymous_pages_serve():
    # The setting belongs to the pid namespace, so other processes of this host are not affected.
    namespace = ["unshare", "--pid", "--fork", "sh", "-c", 'echo 2 >/proc/sys/vm/memfd_noexec || exit 77; "$@"', "sh"]
    try:
        result = subprocess.run([*namespace, sys.executable, "-c", NOEXEC], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no unshare (util-linux)")
    if result.returncode and "Traceback" not in result.stderr:
        pytest.skip(f"cannot set vm.memfd_noexec in a namespace: {result.stderr.strip()}")
    assert result.stdout.splitlines() == ["anonymous sealed memfd", "2"], result.stderr


def test_unknown_force_is_explained(monkeypatch):
    monkeypatch.setenv(environment.EXECMEM, "malloc")
    with pytest.raises(ValueError, match=r"TILESMITH_EXECMEM=malloc.*sealed\|memfd\|anonymous"):
        memory.publish(ANSWER)
    monkeypatch.setenv(environment.EXECMEM, "")
    assert memory.publish(ANSWER).method == "sealed"
