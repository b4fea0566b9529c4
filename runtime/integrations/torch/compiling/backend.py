"""The backend: `torch.compile(model, backend="tilesmith", options={"freeze": True})`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._guards import TracingContext

from .call import GraphCall, GraphOptions
from .decompositions import decompositions


class CompiledFunction:
    """What torch calls in place of a function: aot_autograd's callable, and the graphs that it calls."""

    def __init__(self, call: Callable[..., object], graphs: list[GraphCall]) -> None:
        self._call, self.graphs = call, graphs

    def __call__(self, *args: object) -> object:
        """Call the graphs."""
        return self._call(*args)


def backend(
    module: torch.fx.GraphModule,
    inputs: Sequence[torch.Tensor],
    *,
    options: Mapping[str, bool] | None = None,
    mode: str | None = None,
) -> CompiledFunction:
    """Compile a graph of torch.compile: inference, and forward and backward passes.

    options   freeze: parameters and buffers never change, and inference packs them once; False if not given
              strict: an operator that no kernel computes raises UnsupportedError; if not given, torch computes it,
              and `explain` names it with the reason
    mode      torch's, which has no effect here: a graph is called by machine code in every mode
    """
    given = dict(options or {})
    unknown = set(given) - set(GraphOptions._fields)
    if unknown:
        raise ValueError(f"options: {', '.join(GraphOptions._fields)}, not {', '.join(sorted(unknown))}")
    chosen, graphs = GraphOptions(**given), list[GraphCall]()

    def compiler(kind: str) -> Callable[[torch.fx.GraphModule, Sequence[torch.Tensor]], GraphCall]:
        def compiled(graph: torch.fx.GraphModule, _: Sequence[torch.Tensor]) -> GraphCall:
            constants = _constants(inputs) if chosen.freeze and kind == "inference" else {}
            graphs.append(GraphCall(graph, kind, chosen, constants))
            return graphs[-1]

        return compiled

    aot = aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=decompositions(),
    )
    return CompiledFunction(aot(module, inputs), graphs)


def _constants(inputs: Sequence[torch.Tensor]) -> dict[int, torch.Tensor]:
    """Return the parameters and buffers among the inputs of the graph that is compiled now."""
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context is not None else None
    if metadata is None:
        return {}
    return {number: inputs[number].detach() for number in metadata.static_input_indices}
