"""The simulation of training steps on many machines."""

from __future__ import annotations

import pytest

from tilesmith.runtime.bench.scaling.simulation import LINKS, Link, TrainingStep, fitted

LINK = Link(1e-4, 1e9)


def test_collectives_by_their_messages() -> None:
    """A ring of 4 processes passes a quarter of the bytes 3 times to add and 3 times to spread; 2 * 2 steps by halving
    and doubling move as many bytes."""
    assert LINK.allreduce(4e6, 4) == pytest.approx(4 * 1e-4 + 6 * 1e6 / 1e9)
    assert LINK.allreduce(4e6, 3) == pytest.approx(4 * 1e-4 + 4 * (4e6 / 3) / 1e9)
    assert LINK.allreduce(4e6, 1) == 0
    assert LINK.alltoall(4e6, 4) == pytest.approx(3 * (1e-4 + 1e6 / 1e9))


def test_a_link_is_found_from_its_times() -> None:
    sizes = [4**power for power in range(5, 12)]
    times = [6 * LINK.alpha + 1.5 * size / LINK.beta for size in sizes]
    assert fitted(sizes, times, 6, 1.5) == pytest.approx(LINK)


def test_what_is_sent_beside_the_computation_costs_nothing() -> None:
    step = TrainingStep(0.1, 0.2, (1e6, 1e6))
    assert step.seconds(LINK, 1) == pytest.approx(0.3)
    assert step.seconds(LINK, 2) == pytest.approx(0.3 + LINK.allreduce(1e6, 2))  # the last bucket
    assert step.seconds(LINK, 2, overlap=False) == pytest.approx(0.3 + 2 * LINK.allreduce(1e6, 2))
    late = TrainingStep(0.1, 0.2, (1e9, 1e6))  # the first is on its way when the last is ready
    assert late.seconds(LINK, 2) == pytest.approx(0.1 + 0.1 + LINK.allreduce(1e9, 2) + LINK.allreduce(1e6, 2))


def test_rows_are_exchanged_both_ways() -> None:
    step = TrainingStep(0.1, 0.2, (), rows=1e6, indices=1e5)
    assert step.seconds(LINK, 4) == pytest.approx(
        0.3 + LINK.alltoall(0, 4) + LINK.alltoall(1e5, 4) + 2 * LINK.alltoall(1e6, 4)
    )


def test_more_machines_or_slower_networks_are_never_more_efficient() -> None:
    step = TrainingStep(0.1, 0.2, (2e7,) * 3, rows=1e7, indices=1e6)
    for link in LINKS.values():
        efficiencies = [step.efficiency(link, 2**power) for power in range(11)]
        assert efficiencies[0] == pytest.approx(1)
        assert efficiencies == sorted(efficiencies, reverse=True)
    assert step.efficiency(LINKS["10 Gb Ethernet"], 64) < step.efficiency(LINKS["100 Gb"], 64)


def test_steps_alone_exchange_nothing() -> None:
    """A process that computes alone gets what it sends, at once or where it waits; no other process is there."""
    torch = pytest.importorskip("torch")
    from tilesmith.runtime.bench.scaling.processes import without_exchanges

    before, sent = torch.distributed.all_to_all_single, torch.arange(6.0)
    with without_exchanges():
        at_once, later = torch.empty(6), torch.empty(6)
        assert torch.distributed.all_to_all_single(at_once, sent, [4, 2], [3, 3]) is None
        torch.distributed.all_to_all_single(later, sent, async_op=True).wait()
    assert torch.equal(at_once, sent) and torch.equal(later, sent)
    assert torch.distributed.all_to_all_single is before
