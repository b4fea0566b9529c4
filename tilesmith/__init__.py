"""Tensor kernels as raw machine code, from Python, with no compiler.

    import tilesmith as ts
    mm = ts.brgemm(64, 48, 64)      # C += A @ B in f32, machine code for this host
    mm(a, b, c)                     # on your own arrays
    print(mm.listing())

matmul multiplies arrays of any shapes on all cores, einsum sums products over any axes. Functions that make kernels:
brgemm; unary, binary, ternary, equation; reduce; fused (softmax, norms, losses, optimizers), attention; transpose,
transform; gather, scatter, embedding_bag; ladder makes products in a precision made of narrower ones. dispatch makes
one callable for arrays of any shape. On all cores: gemm, linear, mlp, spread, nest; on arrays of any layout conv1d,
conv2d, conv3d, their transposes and gradients, and conv, a layer with packed weights; max_pool2d, avg_pool2d,
adaptive_avg_pool2d and their relatives, resize, batch_norm, permute, pad and concatenate; network joins layers, graph
compiles programs of tensors. spmm multiplies by sparse matrices, sparse makes handles of them; graph_reduce reduces the
rows that the entries of a graph name. empty makes an array that begins at a cache line. Functions for use inside
equation and epilogues: tanh, exp, select... What a kernel has and does is in `help(ts.Kernel)`, and `help(kernel)` says
how it is called. `tilesmith docs` lists the pages of the documentation.
"""

from contextlib import suppress as _suppress
from typing import TYPE_CHECKING

from .runtime.system.core import attributes
from .runtime.system.core import seldom as _seldom

if TYPE_CHECKING:
    from . import (
        a64,
        jax,
        onnx,
        testing,
        torch,
        x86,
    )
    from .encoder.errors import EncodeError
    from .encoder.features import Target
    from .microkernels.eltwise.spec import (
        EltwiseSpec,
        eltwise_spec,
    )
    from .microkernels.errors import UnsupportedError
    from .microkernels.gemm.spec import (
        ADDRESS,
        OFFSET,
        STRIDE,
        GemmSpec,
        gemm_spec,
    )
    from .microkernels.operands import RUNTIME
    from .microkernels.tensorize.expressions import (
        axis,
        f32,
        f64,
        i32,
        reduce_axis,
        tensor,
    )
    from .runtime.aggregation.functions import (
        graph_reduce,
        graph_reduce_backward,
        graph_transpose,
    )
    from .runtime.api.aligned import empty
    from .runtime.api.assembler import assembler
    from .runtime.api.attention import (
        attention,
        attention_inv,
    )
    from .runtime.api.brgemm import (
        brgemm,
        supported,
        targets,
    )
    from .runtime.api.depthwise import depthwise
    from .runtime.api.dispatch import dispatch
    from .runtime.api.eltwise import (
        binary,
        equation,
        primitives,
        ternary,
        unary,
    )
    from .runtime.api.export import save
    from .runtime.api.functions import (
        ceil,
        clamp,
        dropout,
        dropout_mask,
        elu,
        exp,
        exp2,
        floor,
        fma,
        gelu,
        gelu_tanh,
        leaky_relu,
        log,
        maximum,
        minimum,
        pack,
        random,
        reciprocal,
        relu,
        rint,
        rsqrt,
        select,
        sigmoid,
        silu,
        softplus,
        sqrt,
        square,
        statistic,
        tanh,
        trunc,
        uniform,
        unpack,
    )
    from .runtime.api.fused import (
        absmax,
        argmax,
        argmin,
        composite,
        composites,
        cummax,
        cummin,
        cumprod,
        cumsum,
        fused,
        layernorm,
        log_softmax,
        max,
        mean,
        min,
        prod,
        rmsnorm,
        softmax,
        sum,
    )
    from .runtime.api.gather import (
        embedding_bag,
        gather,
        scatter,
    )
    from .runtime.api.ladder import ladder
    from .runtime.api.reduce import reduce
    from .runtime.api.transforms import (
        transform,
        transpose,
    )
    from .runtime.api.verify import verify
    from .runtime.compressed.functions import compressed
    from .runtime.compressed.nibbles import pack4, unpack4
    from .runtime.convolution.functions import (
        conv1d,
        conv2d,
        conv3d,
        conv_transpose1d,
        conv_transpose2d,
        conv_transpose3d,
    )
    from .runtime.convolution.geometry import onnx_padding
    from .runtime.convolution.gradients import (
        conv1d_backward,
        conv2d_backward,
        conv3d_backward,
        conv_transpose1d_backward,
        conv_transpose2d_backward,
        conv_transpose3d_backward,
    )
    from .runtime.convolution.layers import conv
    from .runtime.graph.functions import graph, topk
    from .runtime.grouped.attention import varlen_attention, varlen_attention_backward
    from .runtime.grouped.functions import grouped_matmul, pack_groups
    from .runtime.handwritten.peachpy import from_peachpy
    from .runtime.host.detect import host
    from .runtime.images.joined import (
        concatenate,
        pad,
    )
    from .runtime.images.norm import (
        batch_norm,
        batch_norm_backward,
    )
    from .runtime.images.pooling import (
        adaptive_avg_pool1d,
        adaptive_avg_pool1d_backward,
        adaptive_avg_pool2d,
        adaptive_avg_pool2d_backward,
        adaptive_avg_pool3d,
        adaptive_avg_pool3d_backward,
        adaptive_max_pool1d,
        adaptive_max_pool2d,
        adaptive_max_pool3d,
        avg_pool1d,
        avg_pool1d_backward,
        avg_pool2d,
        avg_pool2d_backward,
        avg_pool3d,
        avg_pool3d_backward,
        max_pool1d,
        max_pool1d_backward,
        max_pool2d,
        max_pool2d_backward,
        max_pool3d,
        max_pool3d_backward,
    )
    from .runtime.images.resize import resize
    from .runtime.kernel.accuracy import (
        default_accuracy,
        set_accuracy,
    )
    from .runtime.kernel.call_plans import plans
    from .runtime.kernel.callable import Kernel
    from .runtime.kernel.frozen import load
    from .runtime.kernel.tile_scope import amx_config
    from .runtime.loops.machine_model import MachineModel
    from .runtime.loops.nest import nest
    from .runtime.loops.races import RaceError
    from .runtime.loops.region import region
    from .runtime.loops.scratch import trim
    from .runtime.loops.strings import (
        Rule,
        convolution_rules,
        product_rules,
    )
    from .runtime.loops.trace import (
        scratch,
        when,
    )
    from .runtime.network.steps import network
    from .runtime.ops.einsum import einsum
    from .runtime.ops.gemm import gemm
    from .runtime.ops.layer_gradients import linear_backward, mlp_backward
    from .runtime.ops.linear import (
        linear,
        pack_weights,
    )
    from .runtime.ops.matmul import matmul
    from .runtime.ops.mlp import mlp
    from .runtime.ops.spread import spread
    from .runtime.ops.tune import tune
    from .runtime.sparse.attention import sparse_attention
    from .runtime.sparse.fixed import sparse_kernel
    from .runtime.sparse.functions import spmm
    from .runtime.sparse.gradients import spmm_backward
    from .runtime.sparse.handle import Sparse, sparse
    from .runtime.sparse.sampled import sddmm
    from .runtime.sparse.softmax import sparse_softmax
    from .runtime.system.version import __version__
    from .runtime.tensorize.functions import tensorize
    from .runtime.threads.policy import (
        num_threads,
        set_num_threads,
        threads,
    )
    from .runtime.walks.permute import permute
else:
    # Where each name is defined: it is imported when it is first asked for. A test compares with the imports above.
    __getattr__, __dir__ = attributes(
        __name__,
        {
            "encoder.errors": "EncodeError",
            "encoder.features": "Target",
            "microkernels.eltwise.spec": "EltwiseSpec eltwise_spec",
            "microkernels.errors": "UnsupportedError",
            "microkernels.gemm.spec": "ADDRESS OFFSET STRIDE GemmSpec gemm_spec",
            "microkernels.operands": "RUNTIME",
            "microkernels.tensorize.expressions": "axis f32 f64 i32 reduce_axis tensor",
            "runtime.api.aligned": "empty",
            "runtime.api.assembler": "assembler",
            "runtime.api.attention": "attention attention_inv",
            "runtime.api.brgemm": "brgemm supported targets",
            "runtime.api.depthwise": "depthwise",
            "runtime.api.dispatch": "dispatch",
            "runtime.api.eltwise": "binary equation primitives ternary unary",
            "runtime.api.export": "save",
            "runtime.api.functions": """
                ceil clamp dropout dropout_mask elu exp exp2 floor fma gelu gelu_tanh leaky_relu log maximum
                minimum pack random reciprocal relu rint rsqrt select sigmoid silu softplus sqrt square statistic tanh
                trunc uniform unpack
                """,
            "runtime.api.fused": """
                absmax argmax argmin composite composites cummax cummin cumprod cumsum fused layernorm log_softmax max
                mean min prod rmsnorm softmax sum
                """,
            "runtime.api.gather": "embedding_bag gather scatter",
            "runtime.api.ladder": "ladder",
            "runtime.api.reduce": "reduce",
            "runtime.sparse.attention": "sparse_attention",
            "runtime.sparse.fixed": "sparse_kernel",
            "runtime.sparse.sampled": "sddmm",
            "runtime.sparse.softmax": "sparse_softmax",
            "runtime.api.transforms": "transform transpose",
            "runtime.api.verify": "verify",
            "runtime.convolution.functions": """
                conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
                """,
            "runtime.convolution.geometry": "onnx_padding",
            "runtime.convolution.layers": "conv",
            "runtime.convolution.gradients": """
                conv1d_backward conv2d_backward conv3d_backward conv_transpose1d_backward conv_transpose2d_backward
                conv_transpose3d_backward
            """,
            "runtime.aggregation.functions": "graph_reduce graph_reduce_backward graph_transpose",
            "runtime.graph.functions": "graph topk",
            "runtime.host.detect": "host",
            "runtime.images.joined": "concatenate pad",
            "runtime.images.norm": "batch_norm batch_norm_backward",
            "runtime.walks.permute": "permute",
            "runtime.images.pooling": """
                adaptive_avg_pool1d adaptive_avg_pool1d_backward adaptive_avg_pool2d
                adaptive_avg_pool2d_backward adaptive_avg_pool3d adaptive_avg_pool3d_backward
                adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d avg_pool1d avg_pool1d_backward
                avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward max_pool1d
                max_pool1d_backward max_pool2d max_pool2d_backward max_pool3d max_pool3d_backward
                """,
            "runtime.images.resize": "resize",
            "runtime.kernel.accuracy": "default_accuracy set_accuracy",
            "runtime.kernel.callable": "Kernel",
            "runtime.kernel.frozen": "load",
            "runtime.handwritten.peachpy": "from_peachpy",
            "runtime.kernel.tile_scope": "amx_config",
            "runtime.kernel.call_plans": "plans",
            "runtime.loops.machine_model": "MachineModel",
            "runtime.loops.nest": "nest",
            "runtime.loops.races": "RaceError",
            "runtime.loops.region": "region",
            "runtime.loops.scratch": "trim",
            "runtime.loops.strings": "Rule convolution_rules product_rules",
            "runtime.loops.trace": "scratch when",
            "runtime.network.steps": "network",
            "runtime.compressed.functions": "compressed",
            "runtime.compressed.nibbles": "pack4 unpack4",
            "runtime.grouped.attention": "varlen_attention varlen_attention_backward",
            "runtime.grouped.functions": "grouped_matmul pack_groups",
            "runtime.ops.einsum": "einsum",
            "runtime.ops.gemm": "gemm",
            "runtime.ops.layer_gradients": "linear_backward mlp_backward",
            "runtime.ops.linear": "linear pack_weights",
            "runtime.ops.matmul": "matmul",
            "runtime.ops.mlp": "mlp",
            "runtime.ops.tune": "tune",
            "runtime.sparse.functions": "spmm",
            "runtime.sparse.gradients": "spmm_backward",
            "runtime.sparse.handle": "Sparse sparse",
            "runtime.system.version": "__version__",
            "runtime.tensorize.functions": "tensorize",
            "runtime.ops.spread": "spread",
            "runtime.threads.policy": "num_threads set_num_threads threads",
            "": "a64 jax onnx testing torch x86",
        },
        hints="microkernels.expr.foreign",
    )
    # the error of numpy, which a subinterpreter cannot load: the first use of a name says so
    with _seldom(), _suppress(ImportError):
        from .runtime.api import at_once as _at_once  # noqa: F401

__all__ = [
    "ADDRESS",
    "OFFSET",
    "RUNTIME",
    "STRIDE",
    "EltwiseSpec",
    "EncodeError",
    "GemmSpec",
    "Kernel",
    "MachineModel",
    "RaceError",
    "Rule",
    "Sparse",
    "Target",
    "UnsupportedError",
    "__version__",
    "a64",
    "absmax",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool1d_backward",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool2d_backward",
    "adaptive_avg_pool3d",
    "adaptive_avg_pool3d_backward",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "amx_config",
    "argmax",
    "argmin",
    "assembler",
    "attention",
    "attention_inv",
    "avg_pool1d",
    "avg_pool1d_backward",
    "avg_pool2d",
    "avg_pool2d_backward",
    "avg_pool3d",
    "avg_pool3d_backward",
    "axis",
    "batch_norm",
    "batch_norm_backward",
    "binary",
    "brgemm",
    "ceil",
    "clamp",
    "composite",
    "composites",
    "compressed",
    "concatenate",
    "conv",
    "conv1d",
    "conv1d_backward",
    "conv2d",
    "conv2d_backward",
    "conv3d",
    "conv3d_backward",
    "conv_transpose1d",
    "conv_transpose1d_backward",
    "conv_transpose2d",
    "conv_transpose2d_backward",
    "conv_transpose3d",
    "conv_transpose3d_backward",
    "convolution_rules",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "default_accuracy",
    "depthwise",
    "dispatch",
    "dropout",
    "dropout_mask",
    "eltwise_spec",
    "einsum",
    "elu",
    "embedding_bag",
    "empty",
    "equation",
    "exp",
    "exp2",
    "f32",
    "f64",
    "floor",
    "fma",
    "from_peachpy",
    "fused",
    "gather",
    "gelu",
    "gelu_tanh",
    "gemm",
    "gemm_spec",
    "graph",
    "graph_reduce",
    "graph_reduce_backward",
    "graph_transpose",
    "grouped_matmul",
    "host",
    "i32",
    "jax",
    "ladder",
    "layernorm",
    "leaky_relu",
    "linear",
    "linear_backward",
    "load",
    "log",
    "log_softmax",
    "matmul",
    "max",
    "max_pool1d",
    "max_pool1d_backward",
    "max_pool2d",
    "max_pool2d_backward",
    "max_pool3d",
    "max_pool3d_backward",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mlp",
    "mlp_backward",
    "nest",
    "network",
    "num_threads",
    "onnx",
    "onnx_padding",
    "pack",
    "pack4",
    "pack_groups",
    "pack_weights",
    "pad",
    "permute",
    "plans",
    "primitives",
    "prod",
    "product_rules",
    "random",
    "reciprocal",
    "reduce",
    "reduce_axis",
    "region",
    "relu",
    "resize",
    "rint",
    "rmsnorm",
    "rsqrt",
    "save",
    "scatter",
    "scratch",
    "sddmm",
    "select",
    "set_accuracy",
    "set_num_threads",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "sparse",
    "spmm",
    "spmm_backward",
    "sqrt",
    "square",
    "sparse_attention",
    "sparse_kernel",
    "sparse_softmax",
    "spread",
    "statistic",
    "sum",
    "supported",
    "tanh",
    "targets",
    "tensor",
    "tensorize",
    "ternary",
    "testing",
    "threads",
    "topk",
    "torch",
    "transform",
    "transpose",
    "trim",
    "trunc",
    "tune",
    "unary",
    "uniform",
    "unpack",
    "unpack4",
    "varlen_attention",
    "varlen_attention_backward",
    "verify",
    "when",
    "x86",
]
