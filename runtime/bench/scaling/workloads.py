"""Workloads of `tilesmith bench scaling`, each the part of one process: layers of BERT and a recommendation model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from ...integrations.distributed.embedding import ShardedEmbeddingBags
from ...integrations.torch import functions
from ...integrations.torch.modules import LayerNormModule, LinearModule


@dataclass
class Workload:
    """A model whose gradients are summed over the processes, its loss by the model or what wraps it, and the bytes of
    pooled rows and of indices that a process exchanges."""

    model: nn.Module
    loss: Callable[..., torch.Tensor]
    rows: float = 0.0
    indices: float = 0.0


class EncoderLayer(nn.Module):
    """A layer of BERT without dropout."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = LinearModule(width, 3 * width), LinearModule(width, width)
        self.inner, self.outer = LinearModule(width, 4 * width, activation="gelu"), LinearModule(4 * width, width)
        self.first, self.second = LayerNormModule(width), LayerNormModule(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x (sequences, tokens, width)."""
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = functions.attention(q, k, v).transpose(1, 2).flatten(2)
        x = self.first(x + self.out(mixed))
        return self.second(x + self.outer(self.inner(x)))


def bert(layers: int = 2, width: int = 768, sequences: int = 4, tokens: int = 128) -> Workload:
    """Layers of BERT-base, all gradients summed over the processes."""
    model = nn.Sequential(*(EncoderLayer(width, width // 64) for _ in range(layers)))
    x = torch.randn(sequences, tokens, width)
    return Workload(model, lambda called: called(x).square().mean())


class Interaction(nn.Module):
    """The layers of a recommendation model: those below dense features, products of all pairs, those above."""

    def __init__(self, dense: int, dim: int, tables: int) -> None:
        super().__init__()
        self.below = nn.Sequential(
            LinearModule(dense, 512, activation="relu"), LinearModule(512, dim, activation="relu")
        )
        pairs = (tables + 1) * tables // 2
        self.above = nn.Sequential(
            LinearModule(dim + pairs, 512, activation="relu"),
            LinearModule(512, 256, activation="relu"),
            LinearModule(256, 1),
        )
        self.pairs = torch.tril_indices(tables + 1, tables + 1, -1)

    def forward(self, dense: torch.Tensor, pooled: Callable[[], torch.Tensor]) -> torch.Tensor:
        """pooled: waits for the pooled rows, which the layers below do not need."""
        x = self.below(dense)
        rows = torch.cat([x[:, None], pooled()], 1)
        products = functions.bmm(rows, rows.transpose(1, 2))
        return self.above(torch.cat([x, products[:, self.pairs[0], self.pairs[1]]], 1))


def dlrm(samples: int = 512, tables: int = 8, rows: int = 20_000, dim: int = 64, lookups: int = 16) -> Workload:
    """A recommendation model: layers summed over the processes, tables apart."""
    bags, model = ShardedEmbeddingBags([rows] * tables, dim), Interaction(13, dim, tables)
    dense = torch.randn(samples, 13)
    indices = [torch.randint(0, rows, (samples * lookups,)) for _ in range(tables)]
    offsets = [torch.arange(0, samples * lookups, lookups)] * tables

    def loss(called: nn.Module) -> torch.Tensor:
        return called(dense, bags.start(indices, offsets).wait).square().mean()

    return Workload(model, loss, samples * tables * dim * 4.0, samples * tables * (lookups + 1) * 8.0)


WORKLOADS: dict[str, Callable[[], Workload]] = {"BERT layers": bert, "DLRM": dlrm}
