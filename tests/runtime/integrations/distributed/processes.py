"""Functions on several processes that torch.distributed connects."""

from __future__ import annotations

import multiprocessing
import pickle
import tempfile
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any


def on_processes(count: int, function: Callable[..., Any], *args: Any) -> list[Any]:
    """Return function(process, *args) of each process, which begin as copies of this one. What one raises is raised."""
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        children, pipes = [], []
        for process in range(count):
            here, there = context.Pipe(duplex=False)
            children.append(
                context.Process(target=_child, args=(there, folder, process, count, function, args), daemon=True)
            )
            pipes.append(here)
        for child in children:
            child.start()
        results = []
        try:
            for pipe in pipes:
                if not pipe.poll(120):
                    raise TimeoutError("a process did not answer within two minutes")
                failed, made = pickle.loads(pipe.recv_bytes())
                if failed:
                    raise AssertionError(made)
                results.append(made)
        finally:
            for child in children:
                if len(results) < count:  # the others may wait for the one that failed
                    child.kill()
                child.join()
        return results


def _child(pipe: Connection, folder: str, process: int, count: int, function: Callable[..., Any], args: Any) -> None:
    import torch
    import torch.distributed as dist

    import tilesmith as ts

    try:
        torch.set_num_threads(1)
        ts.set_num_threads(1)
        dist.init_process_group("gloo", init_method=f"file://{Path(folder, 'meeting')}", rank=process, world_size=count)
        made = function(process, *args)
        dist.barrier()
        dist.destroy_process_group()
        answer = False, made
    except BaseException:
        answer = True, traceback.format_exc()
    pipe.send_bytes(pickle.dumps(answer))  # not `send`, by which torch would share memory
