"""Models on several processes: what they compute is what one process computes with torch's own modules."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.distributed", exc_type=ImportError)
from torch import nn  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402
from torch.distributed.tensor import Replicate, Shard, distribute_tensor  # noqa: E402
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402

from tests.runtime.integrations.distributed.processes import on_processes  # noqa: E402
from tilesmith.integrations import distributed  # noqa: E402
from tilesmith.integrations import torch as tst  # noqa: E402

BATCH, WIDTH = 12, 24


def _layers(kind: type[nn.Linear], norm: type[nn.LayerNorm]) -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(kind(WIDTH, 2 * WIDTH), nn.GELU(), norm(2 * WIDTH), kind(2 * WIDTH, 6))


def _own() -> nn.Sequential:
    return _layers(tst.Linear, tst.LayerNorm)


def _samples():
    torch.manual_seed(0)
    return torch.randn(BATCH, WIDTH)


def _loss(y):
    return y.square().mean()


def _reference() -> list:
    """The result and the gradients of one process."""
    model = _layers(nn.Linear, nn.LayerNorm)
    y = model(_samples())
    _loss(y).backward()
    return [y.detach(), *(each.grad for each in model.parameters())]


@pytest.fixture(scope="module", autouse=True)
def _kernels() -> None:
    """What this process has imported and generated, its copies need not."""

    for samples in (BATCH, BATCH // 2):
        model = _own()
        _loss(model(_samples()[:samples])).backward()
    _loss(_without_norm(_own())(_samples())).backward()


def _share(x, process: int, count: int):
    return x.chunk(count)[process]


def _whole(x):
    return x.full_tensor() if hasattr(x, "full_tensor") else x


def _data_parallel(process: int, count: int, how: str) -> list:
    model = _own()
    called = model
    if how == "fsdp":
        for each in model:
            if list(each.parameters()):
                fully_shard(each, mesh=init_device_mesh("cpu", (count,)))
        fully_shard(model, mesh=init_device_mesh("cpu", (count,)))
    else:
        called = DistributedDataParallel(model)
        if how == "compiled":
            called = torch.compile(called, backend="tilesmith")
    y = called(_share(_samples(), process, count))
    _loss(y).backward()
    return [y.detach(), *(_whole(each.grad) for each in model.parameters())]


@pytest.mark.grid(3)
@pytest.mark.parametrize(("how", "count"), [("ddp", 2), ("fsdp", 2), ("compiled", 2), ("ddp", 4)])
def test_data_parallel(how: str, count: int) -> None:
    y, *grads = _reference()
    found = on_processes(count, _data_parallel, count, how)
    torch.testing.assert_close(torch.cat([each[0] for each in found]), y, rtol=1e-5, atol=1e-5)
    for each in found:
        torch.testing.assert_close(each[1:], grads, rtol=1e-5, atol=1e-6)


def _tensor_parallel(process: int, count: int) -> list:
    model = _without_norm(_own())
    parallelize_module(model, init_device_mesh("cpu", (count,)), {"0": ColwiseParallel(), "3": RowwiseParallel()})
    y = model(_samples())
    _loss(y).backward()
    return [y.detach(), *(_whole(each.grad) for each in model.parameters())]


def _without_norm(model: nn.Sequential) -> nn.Sequential:
    model[2] = nn.Identity()  # processes share the hidden features
    return model


def test_tensor_parallel_layers() -> None:
    model = _without_norm(_layers(nn.Linear, nn.LayerNorm))
    y = model(_samples())
    _loss(y).backward()
    for found in on_processes(2, _tensor_parallel, 2):
        torch.testing.assert_close(
            found, [y.detach(), *(each.grad for each in model.parameters())], rtol=1e-5, atol=1e-6
        )


def _operators_of_dtensor(process: int) -> list:
    """Calls that differ only in numbers and names, which DTensor must not take for equal."""
    mesh, ops = init_device_mesh("cpu", (2,)), torch.ops.tilesmith
    torch.manual_seed(2)
    x, w, b = torch.randn(4, 6, 8, 8), torch.randn(4, 6, 3, 3), torch.randn(4)
    images, kernels = distribute_tensor(x, mesh, [Shard(0)]), distribute_tensor(w, mesh, [Replicate()])
    made = [
        ops.conv(images, kernels, distribute_tensor(b, mesh, [Replicate()]), [step] * 2, [1, 1], [1, 1], 1)
        for step in (1, 2)
    ]
    rows, weight = distribute_tensor(x.reshape(32, 48), mesh, [Shard(1)]), torch.randn(5, 48)
    shared = distribute_tensor(weight, mesh, [Shard(1)])
    made += [ops.linear(rows, shared, None, name) for name in ("none", "relu", "none")]
    made += _samples_of_a_layer(tst.GRU(5, 3), lambda x, cut: distribute_tensor(x, mesh, [cut]))
    return [(tuple(each.shape), each.full_tensor()) for each in made]


def _samples_of_a_layer(layer, shared) -> list:
    """Return the outputs of a recurrent layer whose samples processes share, and the gradients."""
    torch.manual_seed(5)
    names, whole = [name for name, _ in layer.named_parameters()], Replicate()
    for name, each in list(layer.named_parameters()):
        setattr(layer, name, nn.Parameter(shared(torch.randn(each.shape), whole)))
    x, start = torch.randn(2, 4, 5), torch.zeros(1, 4, 3)
    y, _ = layer(shared(x, Shard(1)), shared(start, Shard(1)))
    y.square().sum().backward()
    return [y.detach(), *(getattr(layer, name).grad for name in names)]


def test_calls_of_dtensor_that_differ_in_numbers_or_names() -> None:
    torch.manual_seed(2)
    x, w, b = torch.randn(4, 6, 8, 8), torch.randn(4, 6, 3, 3), torch.randn(4)
    layer = x.reshape(32, 48) @ torch.randn(5, 48).T
    expected = [F.conv2d(x, w, b, step, 1) for step in (1, 2)] + [layer, layer.relu(), layer]
    expected += _samples_of_a_layer(nn.GRU(5, 3), lambda x, cut: x)
    for found in on_processes(2, _operators_of_dtensor):
        for (shape, whole), right in zip(found, expected, strict=True):
            assert shape == tuple(right.shape)
            torch.testing.assert_close(whole, right, rtol=1e-5, atol=1e-4)


SIZES, DIM = [30, 7, 1, 50, 12], 8


def _tables() -> list:
    torch.manual_seed(3)
    return [torch.randn(size, DIM) for size in SIZES]


def _bags(samples: int) -> list:
    """For each table the indices of each sample's bag, some of them empty."""
    torch.manual_seed(4)
    return [[torch.randint(0, size, (int(n),)) for n in torch.randint(0, 4, (samples,))] for size in SIZES]


def _flat(bags: list) -> tuple[list, list]:
    offsets = [torch.tensor([0, *map(len, of_table)])[:-1].cumsum(0) for of_table in bags]
    return [torch.cat(of_table) if of_table else torch.empty(0, dtype=torch.int64) for of_table in bags], offsets


def _hybrid(process: int, shares: list[int], mode: str) -> tuple[list, list, dict]:
    bags = distributed.ShardedEmbeddingBags(SIZES, DIM, mode)
    tables = _tables()
    with torch.no_grad():
        for name, table in bags.tables.items():
            table.copy_(tables[int(name)])
    optimizer = torch.optim.SGD(bags.parameters(), 0.5)
    begin, losses, results = sum(shares[:process]), [], []
    given = [of_table[begin : begin + shares[process]] for of_table in _bags(sum(shares))]
    for _ in range(2):
        pending = bags.start(*_flat(given))
        beside = torch.ones(shares[process], len(SIZES), DIM)
        pooled = pending.wait()
        loss = (pooled * beside).square().sum() * len(shares)  # the sum over all samples, as the mean of processes
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
        results.append(pooled.detach())
    return losses, results, {name: table.detach() for name, table in bags.tables.items()}


@pytest.mark.parametrize(("shares", "mode"), [([5, 3], "sum"), ([4, 0, 3], "mean")])
def test_embedding_tables_apart(shares: list[int], mode: str) -> None:
    tables = [nn.Parameter(each) for each in _tables()]
    optimizer = torch.optim.SGD(tables, 0.5)
    found = on_processes(len(shares), _hybrid, shares, mode)
    indices, offsets = _flat(_bags(sum(shares)))
    for step in range(2):
        pooled = torch.stack(
            [F.embedding_bag(i, t, o, mode=mode) for i, t, o in zip(indices, tables, offsets, strict=True)], 1
        )
        loss = pooled.square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.testing.assert_close(torch.cat([results[step] for _, results, _ in found]), pooled.detach())
        assert sum(losses[step] for losses, _, _ in found) / len(shares) == pytest.approx(
            float(loss.detach()), rel=1e-5
        )
    own = {name: table for _, _, of_process in found for name, table in of_process.items()}
    assert sorted(map(int, own)) == list(range(len(SIZES)))
    for name, table in own.items():
        torch.testing.assert_close(table, tables[int(name)].detach())


def _mistakes(process: int) -> list[str]:
    bags = distributed.ShardedEmbeddingBags([3, 4], 8)
    one = torch.tensor([0])
    pending = bags.start([one, one], [one, one])
    assert pending.wait().shape == (1, 2, 8)
    calls = [
        pending.wait,
        lambda: bags([one], [one]),
        lambda: bags([one, torch.tensor([4])], [one, one]),
        lambda: bags([one, one.int()], [one, one]),
        lambda: bags([one, one], [one, one + 1]),
        lambda: bags([one[None], one], [one, one]),
        lambda: distributed.ShardedEmbeddingBags([], 8),
        lambda: distributed.ShardedEmbeddingBags([3], 8, "median"),
    ]
    said = []
    for call in calls:
        with pytest.raises((ValueError, IndexError, TypeError, RuntimeError)) as error:
            call()
        said.append(str(error.value))
    return said


def test_mistakes_are_found_before_anything_is_sent() -> None:
    for said in on_processes(2, _mistakes):
        parts = ("once for each", "each of 2", "4 rows", "int64", "ascending", "one axis", "one table", "median")
        for text, part in zip(said, parts, strict=True):
            assert part in text


def _in_order(process: int, path: str) -> None:
    with distributed.first_on_machine() as first, open(path, "a") as file:
        file.write("first\n" if first else "other\n")


def test_the_first_process_of_a_machine_comes_first(tmp_path) -> None:
    path = tmp_path / "order"
    on_processes(3, _in_order, str(path))
    assert path.read_text().split() == ["first", "other", "other"]


def _first_fails(process: int) -> str:
    try:
        with distributed.first_on_machine() as first:
            if first:
                raise LookupError
    except LookupError:
        return "raised"
    return "went on"


def test_the_others_go_on_if_the_first_process_fails() -> None:
    assert on_processes(2, _first_fails) == ["raised", "went on"]
