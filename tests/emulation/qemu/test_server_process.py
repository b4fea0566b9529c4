"""The guest process: its code memory, forks, threads, start and end."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from tests.emulation.qemu.server_code import emitted, raises, running, still_works, usable_server
from tests.guard import run_forked
from tests.threads import together
from tilesmith.emulation.qemu.faults import (
    GuestFault,
    ServerUnavailable,
)
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.registers import X


def test_code_is_placed_once(aarch64):
    codes = [emitted(lambda asm, i=i: asm.load_immediate(X[0], i)).data for i in range(3)]
    aarch64.start()
    placed = aarch64._process._placed
    before = len(placed)
    for _ in range(2):
        assert [aarch64.call(code) for code in codes] == [0, 1, 2]
    assert len(placed) - before <= 3 and {placed[code] for code in codes} == {placed[bytes(code)] for code in codes}


@pytest.mark.seconds
def test_the_arena_is_used_again_when_it_is_full():
    large = bytes.fromhex("1f2003d5") * (1 << 20)  # 4 MiB of nop: 16 of them fill the arena
    with usable_server() as server:
        for i in range(40):
            code = emitted(lambda asm, i=i: asm.load_immediate(X[0], i)).data
            assert server.call(code + large) == i


def test_an_instruction_cache_flush_after_reuse():
    """New code at an old address is executed, not the old code."""
    with usable_server() as server:
        for i in range(100):
            server.start()
            server._process._arena = 32 << 30
            assert server.call(emitted(lambda asm, i=i: asm.load_immediate(X[0], i)).data) == i


def test_a_forked_child_has_a_guest_of_its_own(aarch64):
    process = running(aarch64)

    def child():
        assert still_works(aarch64)
        assert running(aarch64) is not process
        aarch64.close()

    assert run_forked(child) == 0
    assert still_works(aarch64) and running(aarch64) is process


def test_the_guest_dies_with_its_host(aarch64):
    """The guest ends even in an endless loop, when the host process that waits for it has ended."""
    told, tell = os.pipe()

    def child():
        server = usable_server()
        os.write(tell, str(server._process._process.pid).encode())
        threading.Thread(target=server.call, args=[emitted(lambda asm: asm.b(asm.here()))], daemon=True).start()
        time.sleep(0.3)

    assert run_forked(child) == 0
    guest = int(os.read(told, 100))
    until = time.monotonic() + 30
    while runs(guest):
        assert time.monotonic() < until
        time.sleep(0.01)


def runs(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_thread_that_started_the_guest_may_end(aarch64):
    with usable_server() as server:
        server.close()
        for _ in range(20):
            thread = threading.Thread(target=server.start)
            thread.start()
            thread.join()
            assert still_works(server)


def test_threads_take_turns(aarch64):
    def work():
        results.append(all(still_works(aarch64) for _ in range(50)))

    results: list[bool] = []
    together(*[work] * 4)
    assert results == [True] * 4


def test_affinity_is_restored(aarch64):
    before = os.sched_getaffinity(0)
    with usable_server(pin=1) as server:
        assert still_works(server)
        with raises(GuestFault, "SIGILL"):
            server.call(emitted(lambda asm: asm.udf(0)))
        assert os.sched_getaffinity(0) == before


def test_close_and_start_again():
    with usable_server() as server:
        first = running(server)
    assert still_works(server) and running(server) is not first
    server.close()
    server.close()


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"emulator": "qemu-that-is-missing"}, "No such file"),
        ({"emulator": "false"}, "ended with status 1"),
        ({"cpu": "no-such-cpu"}, "unable to find CPU model"),
    ],
)
def test_servers_that_do_not_start(aarch64, options, reason):
    if "cpu" in options and not aarch64.command:
        pytest.skip("runs natively")
    for _ in range(2):
        with raises(ServerUnavailable, reason):
            Server(**options).call(b"1234")


def test_emulator_from_the_environment(monkeypatch):
    monkeypatch.setenv("TILESMITH_QEMU", "a b")
    assert Server(cpu="c", options=["d"]).command == ["a", "b", "-cpu", "c", "d"]
    monkeypatch.setenv("TILESMITH_QEMU", "")
    assert Server().command == []
