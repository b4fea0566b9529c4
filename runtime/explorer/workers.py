"""Processes that answer questions, each with a limit of memory. One that takes too long is ended, and a new one takes
its place: whatever a question asks for, the next one is answered."""

from __future__ import annotations

import json
import multiprocessing
import queue
import resource
import signal
import traceback
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING

from ...encoder.deferred import import_now, lazy
from ...encoder.records import NamedTuple
from .answers import QuestionLimits, answer

if TYPE_CHECKING:
    from . import runs

runs = lazy(__package__, ".runs")


class _Running(NamedTuple):
    """A process, and the end of the pipe that it answers through."""

    process: BaseProcess
    pipe: Connection


def _work(pipe: Connection, limits: QuestionLimits) -> None:
    """Answer questions until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Control-C ends the server, which ends this process
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    import_now(runs)  # what proofs and runs need takes a second, which no question has to pay for
    pipe.send("")
    while True:
        try:
            text = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(answer(text, limits))
        except Exception as fault:  # of this program: the page shows it, the terminal has all of it
            traceback.print_exc()
            pipe.send(_error(f"a fault of the explorer, {type(fault).__name__}: {fault}"))


def _error(text: str) -> str:
    return json.dumps({"error": text})


class Workers:
    """Several processes, each of which answers one question at a time. They are started when they are first needed."""

    def __init__(self, limits: QuestionLimits, count: int = 2) -> None:
        self.limits = limits
        self._free: queue.LifoQueue[_Running | None] = queue.LifoQueue()
        self._count = count
        for _ in range(count):
            self._free.put(None)

    def ask(self, text: str) -> str:
        """Return the answer to a question; an error, as an answer too, if there is none within the limits."""
        try:
            running = self._free.get(timeout=self.limits.seconds)
        except queue.Empty:
            return _error(f"all processes are busy; ask again in {self.limits.seconds:g} seconds")
        refusal = ""
        try:
            running = running or self._started()
            running.pipe.send(text)
            if running.pipe.poll(self.limits.seconds):
                return str(running.pipe.recv())
            refusal = f"no answer within {self.limits.seconds:g} seconds; smaller extents take less time"
        except (EOFError, OSError):
            refusal = "the process ended without an answer; smaller extents take less memory"
        finally:
            if refusal and running is not None:
                _end(running)
            self._free.put(None if refusal else running)
        return _error(refusal)

    def _started(self) -> _Running:
        context = multiprocessing.get_context("spawn")
        mine, its = context.Pipe()
        process = context.Process(target=_work, args=(its, self.limits), daemon=True)
        process.start()
        its.close()
        running = _Running(process, mine)
        running.pipe.recv()  # it has imported what it needs
        return running

    def close(self) -> None:
        """End all processes that do not answer a question."""
        for _ in range(self._count):
            try:
                running = self._free.get_nowait()
            except queue.Empty:
                return
            if running is not None:
                _end(running)


def _end(running: _Running) -> None:
    running.pipe.close()
    running.process.kill()
    running.process.join()
