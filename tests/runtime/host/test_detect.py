"""The host probe's interface: targets by name, whether a target runs here and why not, and machines without a probe."""

import os

import pytest

from tilesmith.encoder.features import Target
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.host import detect as host


@pytest.fixture
def machine(monkeypatch):
    """Yield a function that sets the machine name that the operating system reports."""

    def call_it(name):
        monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "", "", "", name)))
        host.arch.cache_clear()

    yield call_it
    monkeypatch.undo()
    host.arch.cache_clear()


def test_resolve():
    assert host.resolve(None) is host.host()
    for name, target in TARGETS.items():
        assert host.resolve(name) is target
        assert host.resolve(target) is target
    with pytest.raises(ValueError, match="target: one of avx2, .*neon.*'avx3'; did you mean 'avx"):
        host.resolve("avx3")


def test_host_is_probed_once_and_runs_here():
    assert host.host() is host.host()
    assert host.host().name == "host" and host.runs(host.host()) == ""


def test_baseline_of_the_architecture_runs():
    assert host.runs(TARGETS[{"x86": "avx2", "a64": "neon"}[host.arch()]]) == ""


def test_runs_says_what_is_missing():
    needy = Target("needy", host.arch(), host.host().isa, frozenset({"TELEPATHY", "LEVITATION"}), 512, 512)
    assert host.runs(needy) == "target needy needs LEVITATION, TELEPATHY, which this machine lacks"
    with pytest.raises(UnsupportedError, match="needs LEVITATION, TELEPATHY"):
        host.native(needy)
    assert host.native(None) is host.host()


@pytest.mark.parametrize(
    "name,target,reason",
    [
        ("x86_64", "neon", "target neon is AArch64 code, and this machine is x86-64"),
        ("aarch64", "avx2", "target avx2 is x86-64 code, and this machine is AArch64"),
        ("riscv64", "avx2", "target avx2 is x86-64 code, and this machine is riscv64"),
    ],
)
def test_code_of_another_architecture_does_not_run(machine, name, target, reason):
    machine(name)
    assert host.runs(TARGETS[target]) == reason


def test_machine_without_a_probe(machine):
    machine("riscv64")
    with pytest.raises(UnsupportedError, match="this machine is riscv64: kernels run on x86-64 and on AArch64"):
        host.host.__wrapped__()
