"""Embedding tables that are spread over processes, as recommendation models train them: layers are the same on all
processes, tables are not, and all processes exchange pooled rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import torch
import torch.distributed as dist
from torch import nn

from ..torch import functions
from ..torch.attending import MODES, Mode
from ..torch.library import Value


def owners_of(sizes: Sequence[int], processes: int) -> list[int]:
    """Return the process of each table: the largest first, to the process that has the fewest rows so far."""
    rows, owners = [0] * processes, [0] * len(sizes)
    for table in sorted(range(len(sizes)), key=lambda table: (-sizes[table], table)):
        owners[table] = min(range(processes), key=lambda process: (rows[process], process))
        rows[owners[table]] += sizes[table]
    return owners


class ShardedEmbeddingBags(nn.Module):
    """The bags of several embedding tables, each of which is on one process of a group.

    sizes   the rows of each table
    dim     the columns of all
    mode    sum, mean or max
    group   of torch.distributed; None: all processes

    A call takes the bags of this process' samples in every table, as torch.nn.EmbeddingBag does: a tensor of indices
    and one of offsets for each. It returns (samples, tables, dim). Processes may have different numbers of samples.
    Every process of the group must call it.

    The parameters of this process are its own tables, `tables["3"]` for the fourth. Keep them out of
    DistributedDataParallel, which would average them. `average`: gradients are those of the mean of all processes'
    losses, as DistributedDataParallel's; else of their sum.

    `start` sends what the call sends, and returns at once. What is computed before `wait` of what it returns, such as
    the layers of the other features, overlaps with the exchange, and its gradient with the exchange of gradients.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        dim: int,
        mode: Mode = "sum",
        *,
        group: dist.ProcessGroup | None = None,
        average: bool = True,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if not sizes or min(sizes) < 1 or dim < 1:
            raise ValueError(f"sizes, dim: at least one table, each of at least one row and column, not {sizes}, {dim}")
        if mode not in MODES:
            raise ValueError(f"mode: {', '.join(MODES)}, not {mode!r}")
        self.sizes, self.dim, self.mode, self.group, self.average = tuple(sizes), dim, mode, group, average
        self.processes = dist.get_world_size(group)
        self.owners = owners_of(sizes, self.processes)
        self.tables_of = [
            [table for table, owner in enumerate(self.owners) if owner == process] for process in range(self.processes)
        ]
        self.own = self.tables_of[dist.get_rank(group)]
        self.tables = nn.ParameterDict(
            {str(table): nn.Parameter(torch.empty(sizes[table], dim, dtype=dtype)) for table in self.own}
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the tables uniformly from +-1 / sqrt(rows), as the authors of DLRM do."""
        for table in self.own:
            bound = math.sqrt(1 / self.sizes[table])
            nn.init.uniform_(self.tables[str(table)], -bound, bound)

    def extra_repr(self) -> str:
        """Return the extents and this process' tables."""
        return f"{list(self.sizes)}, {self.dim}, mode={self.mode!r}, tables {self.own} of {self.processes} processes"

    def forward(self, indices: Sequence[torch.Tensor], offsets: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return the pooled rows of this process' samples (samples, tables, dim)."""
        return self.start(indices, offsets).wait()

    def start(self, indices: Sequence[torch.Tensor], offsets: Sequence[torch.Tensor]) -> PooledRows:
        """Begin a call, and return what `wait` ends."""
        samples = self._checked(indices, offsets)
        lengths = [torch.diff(each, append=each.new_tensor([of.numel()])) for each, of in zip(offsets, indices)]
        counts, messages = self._exchange_indices(samples, lengths, indices)
        pooled = [
            self._pooled(table, number, counts, messages).reshape(-1, self.dim) for number, table in enumerate(self.own)
        ]
        # to each process, its samples of all own tables
        ends = [*accumulate(counts, initial=0)]
        parts = [each[begin:end] for begin, end in pairwise(ends) for each in pooled]
        sent = torch.cat(parts) if parts else torch.empty(0, self.dim, dtype=self._dtype())
        exchange = _Exchange(
            [count * len(self.own) for count in counts],
            [samples * len(each) for each in self.tables_of],
            self.group,
            1 / self.processes if self.average else 1.0,
        )
        return PooledRows(_Send.apply(sent, exchange), exchange, samples, self.tables_of)

    def _dtype(self) -> torch.dtype:
        return next((each.dtype for each in self.parameters()), torch.get_default_dtype())

    def _checked(self, indices: Sequence[torch.Tensor], offsets: Sequence[torch.Tensor]) -> int:
        """Return the number of samples, or raise an error that says what is wrong."""
        if len(indices) != len(self.sizes) or len(offsets) != len(self.sizes):
            raise ValueError(
                f"indices, offsets: one for each of {len(self.sizes)} tables, not {len(indices)} and {len(offsets)}"
            )
        samples = offsets[0].numel()
        for table, (of_table, begins) in enumerate(zip(indices, offsets)):
            if of_table.dtype != torch.int64 or begins.dtype != torch.int64:
                raise TypeError(
                    f"indices[{table}], offsets[{table}]: torch.int64, not {of_table.dtype}, {begins.dtype}"
                )
            if of_table.dim() != 1:
                raise ValueError(f"indices[{table}]: one axis, bag after bag, not {tuple(of_table.shape)}")
            if begins.dim() != 1 or begins.numel() != samples:
                raise ValueError(f"offsets[{table}]: ({samples},), as that of table 0, not {tuple(begins.shape)}")
            if samples and (
                begins[0] != 0 or (torch.diff(begins, append=begins.new_tensor([of_table.numel()])) < 0).any()
            ):
                raise ValueError(f"offsets[{table}]: from 0, ascending, none beyond the {of_table.numel()} indices")
            # an owner could not say whose index was wrong
            if of_table.numel() and not 0 <= int(of_table.min()) <= int(of_table.max()) < self.sizes[table]:
                raise IndexError(
                    f"indices[{table}]: from {int(of_table.min())} to {int(of_table.max())}; table {table} has "
                    f"{self.sizes[table]} rows"
                )
        return samples

    def _exchange_indices(
        self, samples: int, lengths: Sequence[torch.Tensor], indices: Sequence[torch.Tensor]
    ) -> tuple[list[int], list[torch.Tensor]]:
        """Send the bags to the owners of the tables. Return how many samples each process has, and what each has sent:
        the lengths of the bags of each table, and the indices of all, table by table."""
        messages = [
            torch.cat([*(lengths[each] for each in tables), *(indices[each] for each in tables)])
            if tables
            else torch.empty(0, dtype=torch.int64)
            for tables in self.tables_of
        ]
        heads = torch.tensor([[samples, len(each)] for each in messages])
        found = torch.empty_like(heads)
        dist.all_to_all_single(found, heads, group=self.group)
        counts, sizes = (each.tolist() for each in found.unbind(1))
        received = torch.empty(sum(sizes), dtype=torch.int64)
        dist.all_to_all_single(received, torch.cat(messages), sizes, [len(each) for each in messages], group=self.group)
        return counts, [*received.split(sizes)]

    def _pooled(self, table: int, number: int, counts: list[int], messages: list[torch.Tensor]) -> torch.Tensor:
        """Return the bags of all processes' samples in an own table, which is the `number`-th."""
        lengths, found = [], []
        for samples, message in zip(counts, messages):
            heads, rest = message.split([samples * len(self.own), len(message) - samples * len(self.own)])
            of_tables = heads.view(len(self.own), samples)
            begin, end = int(of_tables[:number].sum()), int(of_tables[: number + 1].sum())
            lengths.append(of_tables[number])
            found.append(rest[begin:end])
        bags = torch.cat(lengths)
        offsets = bags.cumsum(0) - bags
        return functions.embedding_bag(torch.cat(found), self.tables[str(table)], offsets, mode=self.mode)


@dataclass
class _Exchange:
    """An exchange of rows, and that of their gradients. sent, received: the rows to and from each process."""

    sent: list[int]
    received: list[int]
    group: dist.ProcessGroup | None
    scale: float
    work: Value = None
    kept: list[torch.Tensor] = field(default_factory=list)

    def begin(self, rows: torch.Tensor, sent: list[int], received: list[int]) -> torch.Tensor:
        """Begin to exchange rows, and return where others' will be."""
        made = rows.new_empty((sum(received), *rows.shape[1:]))
        self.kept = [rows, made]
        self.work = dist.all_to_all_single(made, rows, received, sent, group=self.group, async_op=True)
        return made

    def end(self) -> torch.Tensor:
        """Return the rows when they are there."""
        if self.work is None:
            raise RuntimeError("wait: once for each start; its rows were taken already")
        self.work.wait()
        _, made = self.kept
        self.work, self.kept = None, []
        return made


class _Send(torch.autograd.Function):
    """Begins to send pooled rows; its gradient ends the exchange that the gradient of `_Receive` began."""

    @staticmethod
    def forward(ctx: Value, rows: torch.Tensor, exchange: _Exchange) -> torch.Tensor:
        ctx.exchange = exchange
        return exchange.begin(rows.contiguous(), exchange.sent, exchange.received)

    @staticmethod
    def backward(ctx: Value, *grads: torch.Tensor) -> Value:
        return ctx.exchange.end() * ctx.exchange.scale, None


class _Receive(torch.autograd.Function):
    """Ends the exchange of pooled rows; its gradient begins that of gradients."""

    @staticmethod
    def forward(ctx: Value, rows: torch.Tensor, exchange: _Exchange) -> torch.Tensor:
        ctx.exchange = exchange
        return exchange.end().view_as(rows)

    @staticmethod
    def backward(ctx: Value, *grads: torch.Tensor) -> Value:
        exchange: _Exchange = ctx.exchange
        exchange.begin(grads[0].contiguous(), exchange.received, exchange.sent)
        return grads[0], None  # `_Send` takes what the others have sent


@dataclass
class PooledRows:
    """Pooled rows on their way."""

    rows: torch.Tensor
    exchange: _Exchange
    samples: int
    tables_of: list[list[int]]

    def wait(self) -> torch.Tensor:
        """Return the pooled rows (samples, tables, dim), when they are there."""
        rows = _Receive.apply(self.rows, self.exchange)
        order = [table for tables in self.tables_of for table in tables]
        parts = rows.split(self.samples) if self.samples else [rows] * len(order)
        return torch.stack([parts[order.index(table)] for table in range(len(order))], 1)
