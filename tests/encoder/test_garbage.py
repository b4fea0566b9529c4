"""The collector's threshold is raised while kernels are made, and the caller's threshold is restored afterwards."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator

import pytest

import tilesmith as ts
from tilesmith.encoder.records import seldom

USUAL = 700, 9, 8


@pytest.fixture(autouse=True)
def threshold() -> Iterator[None]:
    """Set the usual threshold for the test, and restore the one of the other tests afterwards."""
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_threshold_is_raised_and_restored() -> None:
    with seldom():
        assert gc.get_threshold()[0] > 100 * USUAL[0] and gc.get_threshold()[1:] == USUAL[1:]
        with seldom():
            pass
        assert gc.get_threshold()[0] > USUAL[0]  # only the outer scope restores it
    assert gc.get_threshold() == USUAL
    with pytest.raises(RuntimeError), seldom():
        raise RuntimeError
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("given", [(0, 10, 10), (10**6, 10, 10)])
def test_callers_who_collect_less_often_are_left_alone(given: tuple[int, int, int]) -> None:
    gc.set_threshold(*given)
    with seldom():
        assert gc.get_threshold() == given
    assert gc.get_threshold() == given


def test_a_threshold_that_is_set_meanwhile_stays() -> None:
    with seldom():
        gc.set_threshold(123, 4, 5)
    assert gc.get_threshold() == (123, 4, 5)
    gc.set_threshold(*USUAL)
    gc.disable()
    try:
        with seldom():
            gc.enable()
        assert gc.isenabled()
        gc.disable()
        with seldom():
            assert not gc.isenabled()
        assert not gc.isenabled() and gc.get_threshold() == USUAL
    finally:
        gc.enable()


def test_threads_leave_the_threshold_of_the_caller() -> None:
    start = threading.Barrier(4)

    def run() -> None:
        start.wait()
        for _ in range(2000):
            with seldom():
                pass

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.get_threshold() == USUAL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_child_of_a_fork_meanwhile_has_the_usual_threshold() -> None:
    with seldom():
        child = os.fork()
        if child == 0:
            os._exit(int(gc.get_threshold() != USUAL))
        _, status = os.waitpid(child, 0)
        assert gc.get_threshold()[0] > USUAL[0]
    assert os.waitstatus_to_exitcode(status) == 0 and gc.get_threshold() == USUAL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_child_has_the_threshold_that_the_program_set() -> None:
    """The program has set the number to which the scope raises it. Children lowered it to the one before the import."""
    with seldom():
        raised = gc.get_threshold()
    gc.set_threshold(*raised)
    child = os.fork()
    if child == 0:
        os._exit(int(gc.get_threshold() != raised))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_collections_while_a_kernel_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making a kernel of some thousand instructions triggers at most two collections."""
    monkeypatch.setenv("TILESMITH_CACHE", "off")
    ts.attention(1, 40, 40, 24)  # imports the modules
    gc.collect()
    seen: list[int] = []
    gc.callbacks.append(lambda phase, info: seen.append(info["generation"]) if phase == "start" else None)
    try:
        made = ts.attention(1, 123, 141, 39)
    finally:
        gc.callbacks.pop()
    assert len(made.code) > 2000 and len(seen) <= 2 and gc.get_threshold() == USUAL
