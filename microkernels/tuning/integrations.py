"""The numbers by which operators of other frameworks choose."""

from __future__ import annotations

from ...encoder.records import NamedTuple


class IntegrationTuning(NamedTuple):
    """Numbers of operators.

    spread   elements from which a kernel of rows runs on all cores: a part must be worth the few microseconds that
             waking a worker takes
    records  the most kinds of calls of an operator that machine code knows, which it compares one after the other
    columns  the elements of a row of a parameter in a step of an optimizer: a cache line of four vectors of f32, so
             that few elements are left over
    rows     the most rows of a piece, of which workers have about the same numbers: some 16,000 elements, as `spread`
    layer    multiplications of a layer with an activation below which its gradients are computed by its own operators.
             Above, the derivative is in the epilogue of a product: 28 and 80 us for 16 x 64 x 64, 366 and 292 us for
             64 x 256 x 256 (f32, gelu, one thread, a Zen 3)
    shapes   the most shapes of inputs for which a model of ONNX keeps what follows from them
    traced   the most operations, and calls of them, whose functions for JAX are kept: a forgotten one is traced again
    sizes    the sizes of a graph of torch.compile, or of a frozen convolution, whose programs are kept; the oldest one
             gives way
    folded   the elements of a tensor that depends on no input up to which it is computed once, when a graph is imported
    """

    spread: int = 16384
    layer: int = 1 << 20
    records: int = 64
    columns: int = 64
    rows: int = 256
    shapes: int = 16
    traced: int = 4096
    sizes: int = 64
    folded: int = 1 << 20


INTEGRATIONS = IntegrationTuning()
