"""`tilesmith bench scaling`: training steps on 1 to 1,024 machines, simulated from what is measured on this one.

*links* has the latency and bandwidth of torch.distributed (gloo) between processes here, fitted to its collectives.
*here* compares the simulation with real steps of two and four processes, each of one thread, on this machine.
*simulated* is no measurement: it takes the compute of one process here, and networks as their vendors state them. Each
process has as many samples on any number of machines (weak scaling).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from tilesmith.runtime.bench.runner import Bench, Run, Table
from tilesmith.runtime.bench.scaling.processes import MeasuredStep, measured_collectives, measured_step
from tilesmith.runtime.bench.scaling.simulation import LINKS, Link, fitted
from tilesmith.runtime.bench.table import Row, Wanted

PROCESSES = 2, 4
SIZES = tuple(4**power for power in range(5, 13))
"""Bytes that each process has of a collective, 1 KiB to 16 MiB."""
MACHINES = tuple(2**power for power in range(11))
PAPERS = {"BERT layers": 57.9, "DLRM": 51.7}
"""Speed-ups on 64 processors, 32 machines, over one: TPP, section 6.3."""
WORKLOADS = tuple(PAPERS)


@functools.lru_cache(maxsize=8)
def _step(workload: str, processes: int) -> MeasuredStep:
    return measured_step(workload, processes)


@functools.lru_cache(maxsize=8)
def _link(processes: int) -> tuple[Link, Link]:
    """Return the links of an allreduce and an alltoall between processes of this machine."""
    times = measured_collectives(processes, SIZES)
    around, share = processes - 1, (processes - 1) / processes
    return (
        fitted(SIZES, times["allreduce"], 2 * around, 2 * share),
        fitted(SIZES, times["alltoall"], around, share),
    )


def _links(run: Run, processes: int) -> Iterator[Row]:
    for name, link in zip(("allreduce", "alltoall"), _link(processes)):
        yield {"processes": processes, "collective": name, "alpha": link.alpha, "beta": link.beta}


def _here(run: Run, workload: str, processes: int) -> Row:
    found = _step(workload, processes)
    of_sums, of_rows = _link(processes)
    step = found.step
    simulated = step._replace(rows=0.0).seconds(of_sums, processes, overlap=False)
    simulated += step._replace(buckets=()).seconds(of_rows, processes, overlap=False) - step.compute
    return {
        "workload": workload,
        "processes": processes,
        "compute": step.compute,
        "measured": found.seconds,
        "simulated": simulated,
        "ratio": simulated / found.seconds,
        "agreement": 1 - abs(simulated / found.seconds - 1),
    }


def _simulated(run: Run, workload: str, network: str) -> Row:
    step, link = _step(workload, 1).step, LINKS[network]
    of_64 = 64 * step.efficiency(link, 64)
    efficiency = {str(machines): step.efficiency(link, machines) for machines in MACHINES[1:]}
    return {"workload": workload, "network": network, **efficiency, "of 64": of_64, "paper": PAPERS[workload]}


TABLES = (
    Table("links", "processes; collective; alpha, us=alpha:0u; GB/s=beta:2G", PROCESSES, _links, "Links of this host"),
    Table(
        "here",
        "workload; processes; compute, ms=compute:1m; step, ms=measured:1m; simulated, ms=simulated:1m; ratio=ratio:2",
        tuple(itertools.product(WORKLOADS, PROCESSES)),
        _here,
        "Steps of several processes of this machine",
        (Wanted("{workload}, {processes} processes: 1 less the error of the simulation", 0.85, "agreement"),),
    ),
    Table(
        "simulated",
        "workload; network; "
        + "; ".join(f"{machines}={machines}:2" for machines in MACHINES[1:])
        + "; speed-up of 64=of 64:1; paper's=paper:1",
        tuple(itertools.product(WORKLOADS, LINKS)),
        _simulated,
        "Simulated: efficiency of weak scaling on so many machines",
    ),
)
BENCH = Bench("scaling", __doc__, TABLES, alone=False, quick=("--tables", "links"))
