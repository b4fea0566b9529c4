"""What the five papers specify, one row an item, and how far it is here: see `claims`. `make docs` writes
docs/papers-items.md from them. A line of a table is: item | where | state (w works, p partly, a absent) | command | reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from .claims import STATES, PaperItem

_STATES = {state[0]: state for state in STATES}

_TPP = """
2-D tensors by rows, columns, leading dimension and type, memory to memory | 2.1, 2.2 | w | pytest tests/microkernels/eltwise |
second operand: a mask of bits | 2.1, 3.1 | w | pytest tests/microkernels/eltwise/test_several_results.py |
second operand: a sparse operand with a mask of bits | 2.2 | w | pytest tests/runtime/compressed/test_bitmask.py |
third operand: scales | 2.1 | w | pytest tests/microkernels/functions/test_quantize.py |
rows and columns that only the call knows | 2.2 | p | pytest tests/microkernels/rowwise tests/microkernels/rows | rows of elementwise and fused kernels, reductions, gathers, stacks and products; not yet columns, depth, and the extents of nests
several primitives without temporaries in memory | 2.1 | w | pytest tests/microkernels/chain |
broadcasts of rows, columns and numbers | 2.2 | w | pytest tests/microkernels/eltwise/test_emit.py |
the algorithm of an approximation as a flag | 2.2 | w | pytest tests/microkernels/functions/test_algorithms.py |
BRGEMM by addresses, offsets and strides | 2.3 | w | pytest tests/microkernels/gemm |
blocks of A and B anywhere, also overlapping | 2.3 | w | pytest tests/microkernels/gemm/test_overlap.py |
alpha and beta, any numbers | 2.3 | w | pytest tests/microkernels/gemm/test_values.py |
RNN and LSTM from BRGEMM | 2.3 | p | pytest tests/runtime/graph/test_recurrence.py | forward over time, of any gates; the gradient is torch.compile's, step by step
identity, zero, square, sqrt, reciprocal, exp and the like | table 1 | w | pytest tests/microkernels/functions/test_catalogue.py |
random numbers | table 1 | w | pytest tests/microkernels/functions/test_random_statistics.py |
quantize and dequantize | table 1 | w | pytest tests/microkernels/functions/test_quantize.py tests/runtime/compressed/test_microscaling.py |
sums, products and extrema along rows and columns | table 1 | w | pytest tests/microkernels/reduce |
the same of squares | table 1 | w | pytest tests/microkernels/reduce |
transposes and VNNI layouts | table 1 | w | pytest tests/microkernels/transform |
pack and unpack of halves | tables 1, 2 | w | pytest tests/microkernels/functions/test_bf16_split.py |
replicate columns, a number of times that the call gives | table 1 | p | pytest tests/microkernels/eltwise/test_moved_plan.py | the number of times is part of the request
gather and scatter of rows, columns and places | table 1 | w | pytest tests/microkernels/gather |
tanh, ReLU, sigmoid, GELU and their inverses | table 1 | w | pytest tests/microkernels/functions/test_activations.py |
dropout and its inverse, of the same units | table 1 | w | pytest tests/microkernels/functions/test_dropout.py |
add, sub, mul, div, extrema, MatMul, pack, compare | table 2 | w | pytest tests/microkernels/functions tests/microkernels/chain |
GEMM, BRGEMM, multiply-add, blend by bits | table 3 | w | pytest tests/microkernels/gemm tests/microkernels/eltwise |
an interface to request and one to call | 3 | w | pytest tests/runtime/api/test_dispatch.py |
algorithm 1: conversion at loads and stores, masks for remainders | 3.1 | w | pytest tests/microkernels/expr/test_conversions.py |
algorithm 1: gathered loads and scattered stores in any operation | 3.1 | p | pytest tests/microkernels/indexed | rows by an index; not columns and pairs of places inside of another operation
algorithm 2 | 3.2.1 | w | pytest tests/microkernels/gemm/test_sweep.py |
prefetch instructions | 3.2.1 | w | tilesmith bench cold |
SSE, AVX, AVX2, AVX-512, AMX, AArch64, SVE | 3.2.1 | w | pytest tests/microkernels/machines tests/microkernels/gemm/test_aarch64.py |
f64, f32, bf16, int8, int16, f16, fp8 | 3.2.1 | w | pytest tests/microkernels/gemm/test_mixed.py |
accumulators of 24, 12 and 4 registers | figure 2 | w | pytest tests/microkernels/gemm/test_plan.py |
VNNI layouts of x86 and Arm | figure 3 | w | pytest tests/microkernels/transform/test_layouts.py |
bf16 by shifts and FMA, with VDPBF16PS's bits | figure 4 | w | pytest tests/microkernels/contract/test_dot.py |
the same of int16 and int8 | 3.2.2 | w | pytest tests/microkernels/gemm/test_mixed.py |
AMX's bits on AVX-512 and AVX2 | 3.2.2 | w | pytest tests/emulation/numerics/test_amx.py |
a similar path for SME | 3.2.2 | p | pytest tests/microkernels/gemm/test_outer.py | the emulator executes it; there is no fast stand-in on x86
16 x 16 by four stages of 16 shuffles | figure 5 | w | tilesmith bench counts --tables shuffles |
4 x 4 on x86 and NEON | figure 6 | w | tilesmith bench counts --tables shuffles |
transposes of other shapes, loads that broadcast | 3.3.1 | w | pytest tests/microkernels/transform/test_tile_pass.py |
tanh as a ratio of polynomials | figure 7 | w | pytest tests/microkernels/functions/test_algorithms.py |
sigmoid from tanh | 3.3.2.1 | w | pytest tests/microkernels/functions/test_activations.py |
tables of 16 intervals on AVX-512 | figures 8, 9 | w | pytest tests/microkernels/functions/test_algorithms.py |
the same by TBL on Arm | figures 8, 10 | p | pytest tests/microkernels/functions/test_algorithms.py | GELU; tanh is a ratio there
exp by 2^n 2^y | figure 11 | w | pytest tests/microkernels/functions/test_activations.py |
equations as trees of primitives | 4 | w | pytest tests/microkernels/fused/test_vocabulary.py | some pairs of words are refused, with the reason ([fused.md](fused.md))
algorithm 3: scores | 4.2, figure 12 | w | pytest tests/microkernels/expr/test_scores.py |
algorithm 4: order and temporaries | 4.2, figure 13 | w | pytest tests/microkernels/expr/test_scores.py |
strategy 1: temporaries in memory | 4.3 | w | pytest tests/microkernels/chain |
strategy 2: blocks of registers | 4.3 | w | pytest tests/microkernels/eltwise |
strategy 3: both | 4.3 | w | pytest tests/microkernels/chain | the planner chooses; no name forces one
gather and reduction in one loop | 4.3, 5.1.5 | w | pytest tests/microkernels/indexed |
products with one shared factor | 4.3 | p | pytest tests/microkernels/chain/test_chain.py | one kernel; it has its own order of loops
softmax, forward and backward | 5.1.1, figure 14 | w | pytest tests/microkernels/fused/test_layers.py |
batch norm | 5.1.2 | w | pytest tests/runtime/images/test_norm.py |
layer norm | 5.1.2, figure 15 | w | pytest tests/microkernels/fused/test_layers.py |
group norm | 5.1.2 | w | pytest tests/microkernels/grouped |
split-SGD of bf16 | 5.1.3, figure 16 | w | pytest tests/microkernels/functions/test_bf16_split.py |
convolutions from BRGEMM | 5.1.4 | w | pytest tests/runtime/convolution |
sparse embeddings, algorithm 5 | 5.1.5, figure 17 | w | pytest tests/microkernels/gather/test_bag.py |
fully connected layers, algorithm 6 | 5.1.6 | w | pytest tests/runtime/ops/test_linear.py tests/runtime/ops/test_layer_gradients.py |
dilated convolution, algorithm 7 | 5.2.1 | w | pytest tests/runtime/convolution/test_phases.py |
DLRM | 5.2.2 | p | pytest tests/microkernels/gather/test_bag.py tests/runtime/ops/test_mlp.py | its parts; [workloads.md](workloads.md) has the whole
BERT: embeddings | 5.2.3 | w | python docs/examples/bert.py |
BERT: self-attention | 5.2.3 | w | python docs/examples/bert.py |
BERT: output and self-output in one block | 5.2.3 | w | python docs/examples/bert.py |
BERT: intermediate | 5.2.3 | w | python docs/examples/bert.py |
reductions over graphs | 5.2.4, figure 18 | w | pytest tests/runtime/aggregation |
figures 19 to 30, tables 4 to 6 | 6 to 8 | p | tilesmith papers | rows that need a cluster, icc or a download say so
many machines | 6.3 | a | | needs a cluster; operators run in torch.distributed's engines, which no test of this repository has yet
a dialect of a tensor compiler | 7 | w | tilesmith bench torch_compile | torch.compile in place of MLIR
CP2K: stacks by lists of places | 8.1 | w | pytest tests/runtime/ops/test_listed_stack.py |
EDGE: sparse operators, fused simulations | 8.2 | w | pytest tests/microkernels/baked tests/runtime/bench/test_sparse_kernel.py |
"""

_PARLOOPER = """
logical loops, body, init, term | 2.1, listing 1 | w | pytest tests/runtime/loops/test_nest.py | init and term run once, not once for each thread, by design
rule 1: order and blocks | 2.1 | w | pytest tests/runtime/loops/test_strings.py |
rule 2: upper case, collapse, nowait, barriers | 2.1, listing 2 | w | pytest tests/runtime/loops/test_barriers.py | `schedule(guided)` is refused
barriers between steps that read a neighbour | 2.1 | p | pytest tests/runtime/loops/test_barriers.py | what the proof of races cannot order is refused
grids of threads | 2.1, listing 3 | w | pytest tests/runtime/loops/test_axes.py | square brackets, constants of the repository, are no syntax here
a cache of nests | 2.1 | w | pytest tests/runtime/loops/test_kept_jobs.py |
the tuner's rules | 2.3 | w | pytest tests/runtime/loops/test_tuner.py |
the model of caches | 2.4, figure 3 | p | tilesmith bench nest | the machine is this one, measured; another one cannot be described
GEMM in any type | listing 1, figure 1 | w | tilesmith bench matmul --threads 1 2 |
an activation after the last block of K | 3.1.1 | w | pytest tests/runtime/ops/test_gemm.py |
cascades of layers | 3.1.1, figure 2 | w | pytest tests/runtime/ops/test_mlp.py |
SVE with predicates | 3.1.2 | w | pytest tests/microkernels/gemm/test_aarch64.py |
MMLA and its layouts | 3.1.2 | w | pytest tests/microkernels/gemm/test_mixed_aarch64.py |
convolution by seven loops | listing 4, 3.2 | w | pytest tests/runtime/loops/test_listing4.py tests/runtime/convolution |
gradients of convolutions | 3.2 | w | pytest tests/runtime/convolution/test_gradients.py |
block-sparse by dense | listing 5, 3.3 | w | pytest tests/runtime/sparse/test_spmm.py |
C in VNNI layout | listing 5 | w | pytest tests/microkernels/epilogue/test_packed.py |
BERT's output layer as a nest | listing 6 | w | python docs/examples/bert.py |
sequences without their padding | 5.2.1 | p | python docs/examples/bert.py | products and norms of all tokens that are there; attention runs sequence by sequence
BERT and ResNet-50 end to end | 4, 5.2 | p | python docs/examples/bert.py | a small BERT is trained on a small task: BERT-large's weights and SQuAD need a download
figures 1 to 6, tables 1 to 3 | 5 | p | tilesmith papers | rows that need a cluster or another machine say so
dynamic schedules for unequal cores | 5.1.3 | p | pytest tests/runtime/threads/test_claims.py | `ts.gemm` claims work as workers come; `@schedule(dynamic)` of nests is a fixed deal
"""

_UNIT = """
instructions as tensor programs | III.A, figure 4 | w | pytest tests/runtime/tensorize/test_own_instruction.py |
tensors, loop axes, reduction axes | II.C, figure 5 | w | pytest tests/runtime/tensorize/test_kernel.py |
inspection of the computation | III.B.1, algorithm 1 | w | pytest tests/microkernels/tensorize/test_inspect.py |
inspection of the accesses | III.B.2 | w | pytest tests/microkernels/tensorize/test_inspect.py |
the rewriter | III.C | w | pytest tests/runtime/tensorize/test_kernel.py |
the tuner of two breaking points | III.C.3, IV.B, figure 7 | w | tilesmith bench tensorize --tables pairs |
products of registers, fused axes, split sums on GPUs | figure 6 | a | | outside of what Tilesmith generates code for
padded graphs, NCHW[x]c, KCRS[y]k[x]c | II.C.1, V.C | w | pytest tests/runtime/tensorize/test_blocked.py |
quantized convolutions by VPDPBUSD | VI.A | w | tilesmith bench conv --tables integers |
convolutions with a third axis | VI.C, figure 13 | w | tilesmith bench tensorize --tables volumes |
SDOT | VI.C, figure 12 | w | tilesmith bench counts --tables n1 |
table I, nine models, the ablation | VI | p | tilesmith bench tensorize | the models of MXNet's zoo need a download
"""

_COURSE = """
primitive, kernel, microkernel; extents in the code or at the call | 7.1 | w | pytest tests/microkernels/gemm/test_strides.py |
BRGEMM with a fixed batch and strides at the call | listing 7.2.1 | w | pytest tests/microkernels/gemm/test_strides.py | strides are in bytes
16 x 6 x 1 | table 7.2.1, listing 7.2.2 | w | tilesmith bench counts --tables aarch64 |
16 x 6 x 64 | listing 7.2.3 | w | tilesmith bench counts --tables aarch64 | no Arm processor here
unary(a, b, ld_a, ld_b): zero, identity, ReLU | listing 7.3.1 | w | pytest tests/microkernels/eltwise/test_orders.py |
column-major to row-major | 7.3.1, listing 7.3.2 | w | pytest tests/microkernels/eltwise/test_orders.py |
the same for ReLU | table 7.1.1, 7.3.1 | w | pytest tests/microkernels/eltwise/test_orders.py |
"""

_AMX = """
CPUID, XCR0 and the permission of a process | 20.1 | w | pytest tests/runtime/host/test_x86.py |
latencies and throughputs in the planner | 20.3 | w | pytest tests/microkernels/gemm/test_tile_grids.py | TILELOADDT1's are not used
rows that begin at lines, not a page apart | 20.4 | w | pytest tests/runtime/api/test_aligned.py | nothing warns of other arrays
tile arithmetic and layouts | 20.5.2, 20.5.3 | w | pytest tests/emulation/numerics/test_amx.py |
the reference loops and their worse orders | 20.5.4, 20.5.5 | p | pytest tests/microkernels/gemm/test_tiles.py | the best order; the worse ones cannot be asked for
2 x 2 grids and their order of instructions | 20.5.5.3 | w | pytest tests/microkernels/gemm/test_tile_grids.py |
any number of rows, up to six accumulators in one dimension | 20.5.5 | w | pytest tests/microkernels/rows/test_tiles.py |
CHW to HWC, weights as [KH][KW][K/4][N][4] | 20.5.5.4 | w | pytest tests/runtime/convolution/test_weights.py |
direct convolution | 20.5.5.6 | w | pytest tests/runtime/convolution/test_layer.py |
blocks for the caches | 20.6 | w | pytest tests/runtime/ops/test_tile_blocks.py |
mini-batches, images to threads | 20.7 | w | tilesmith bench network |
TILELOADDT1 by the tables' rules | 20.8 | p | pytest tests/microkernels/gemm/test_hints.py | `streaming=` asks for it; the planner does not choose it
large tiles in small convolutions | 20.9 | w | tilesmith bench conv --tables ways |
100 rows | 20.10 | w | pytest tests/microkernels/gemm/test_tile_grids.py |
quantization and ReLU on finished tiles | 20.11.1 | w | pytest tests/microkernels/epilogue/test_on_tiles.py |
the same between products | 20.11.2 | w | pytest tests/microkernels/epilogue/test_on_tiles.py |
TILEZERO in long vector code | 20.11.3 | a | | no kernel has it, and no processor with AMX is here to show what it gains
conversion to 16 and 8 bits | 20.11.4 | w | pytest tests/microkernels/eltwise/test_narrow_stores.py |
few buffers for many layers | 20.12 | w | pytest tests/runtime/network/test_networks.py |
software prefetch of A, B and C | 20.13.1 | w | pytest tests/microkernels/gemm/test_hints.py | never chosen without being asked for
embeddings with scale, bias and prefetch | 20.13.2 | w | pytest tests/microkernels/gather/test_converted.py |
settings of the BIOS, hyper-threads, C-states | 20.14, 20.17.2 | a | | they are settings of a machine, not of code
store-to-load forwarding | 20.15 | w | pytest tests/microkernels/epilogue/test_on_tiles.py |
transposes of bf16 | 20.16 | w | pytest tests/microkernels/transform/test_layouts.py |
affinity of threads, waits by TPAUSE | 20.17.1 | p | pytest tests/runtime/threads/test_policy.py | workers keep to the process's processors and wait by PAUSE
partition over M, N and K | 20.17.3 | w | pytest tests/runtime/ops/test_parts_of_k.py |
bottom MLP beside the embeddings | 20.17.4 | p | pytest tests/runtime/loops/test_region.py | regions run one nest after the other; [workloads.md](workloads.md) has the model
decompression by masks of bits | 20.18 | w | pytest tests/runtime/compressed/test_bitmask.py |
configuration and release | 20.19 | w | pytest tests/runtime/kernel/test_tile_scope.py |
all six products | 20.19.2 | w | pytest tests/emulation/numerics/test_amx.py | the newer ones (complex, fp8, TF32) are no targets
what a compiler must do | 20.19.4 | w | pytest tests/runtime/kernel/test_tile_scope.py |
permission per process, stacks of signals | 20.20 | p | pytest tests/runtime/host/test_x86.py | alternate stacks of signals are the program's
f32 by terms of bf16, six of nine products | 20.21 | w | pytest tests/microkernels/precision/test_bf16x3.py |
f64 by slices of int8 | 20.21 | w | pytest tests/microkernels/precision/test_ozaki.py |
"""


def _rows(paper: str, text: str) -> Iterator[PaperItem]:
    """Yield the items of a table."""
    for line in text.strip().splitlines():
        item, place, state, command, reason = (each.strip() for each in f"{line} ".split(" |"))
        yield PaperItem(paper, item, place, _STATES[state], command, reason)


ITEMS = tuple(
    item
    for paper, text in (("TPP", _TPP), ("PARLOOPER", _PARLOOPER), ("UNIT", _UNIT), ("AMX", _AMX), ("course", _COURSE))
    for item in _rows(paper, text)
)
