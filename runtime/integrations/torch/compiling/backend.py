"""The backend: graphs of torch.compile by aot_autograd, which gives those of inference, forward and backward passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch._dynamo import reset as reset
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.utils import counters as counters
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._guards import TracingContext

from .attending import keep_attention
from .call import GraphCall
from .call import GraphOptions as GraphOptions
from .decompositions import decompositions
from .recurrent import keep_whole


class CompiledFunction:
    """What torch calls in place of a function: aot_autograd's callable, and the graphs that it calls."""

    def __init__(self, call: Callable[..., object], graphs: list[GraphCall]) -> None:
        self._call, self.graphs = call, graphs

    def __call__(self, *args: object) -> object:
        """Call the graphs."""
        return self._call(*args)


def compiled(module: torch.fx.GraphModule, inputs: Sequence[torch.Tensor], chosen: GraphOptions) -> CompiledFunction:
    """Compile a graph: see `registration.backend`, which has the options."""
    graphs = list[GraphCall]()
    keep_whole(module)
    keep_attention(module, dropout=not chosen.fallback_random)

    def compiler(kind: str) -> Callable[[torch.fx.GraphModule, Sequence[torch.Tensor]], GraphCall]:
        def made(graph: torch.fx.GraphModule, _: Sequence[torch.Tensor]) -> GraphCall:
            constants = _constants(inputs) if chosen.freeze and kind == "inference" else {}
            graphs.append(GraphCall(graph, kind, chosen, constants))
            return graphs[-1]

        return made

    aot = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        partition_fn=min_cut_rematerialization_partition,
        decompositions=decompositions(),
    )
    return CompiledFunction(aot(module, inputs), graphs)


def _constants(inputs: Sequence[torch.Tensor]) -> dict[int, torch.Tensor]:
    """Return the parameters and buffers among the inputs of the graph that is compiled now."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context is not None else None
    if metadata is None:
        return {}
    return {number: inputs[number] for number in metadata.static_input_indices}
