"""The measurements that the five papers report, one row each: see `claims`. `make docs` writes docs/papers.md from them."""

from __future__ import annotations

from .claims import MeasuredFigure as Figure
from .claims import PaperClaim as Claim

ONE_MACHINE = "needs a cluster; this machine is one, with two cores"
NO_ARM = "there is no Arm processor here: instructions and cycles are counted by qemu-user and llvm-mca"
NO_GPU = "the paper's GPU is outside of what Tilesmith generates code for"
ICC, ORACLE = "icc is not available here", "gcc -O3 -march=native -ffast-math with constant extents"
WORKLOADS = "the program of this workload is of docs/workloads.md"

TPP = (
    Claim(
        "softmax", "TPP", "figure 19, top", "softmax of blocks S1 x S2 x S3, f32, AVX-512",
        "2.2 x icc -O3; by hand 2.6, icc with constant bounds 1.3", "Cascade Lake, 28 cores",
        (Figure("gcc by ours", "fused/layers", "gcc", {"layer": "softmax"}),
         Figure("torch by ours", "fused/layers", "torch", {"layer": "softmax"}),
         Figure("with the fast exponential, gcc by ours", "fused/layers", "gcc", {"layer": "fast softmax"})),
        ORACLE, "tilesmith bench fused --tables layers", absent=ICC,
        series={"icc -O3": 1.0, "icc, constant bounds": 1.3, "TPP": 2.2, "by hand": 2.6}, unit="speed, of icc -O3 (paper), of the peer (here)"),
    Claim(
        "layernorm", "TPP", "figure 19, middle", "layer norm of the same blocks, f32, AVX-512",
        "1.5 x icc -O3; by hand 1.3, icc with constant bounds 1.9", "Cascade Lake, 28 cores",
        (Figure("gcc by ours", "fused/layers", "gcc", {"layer": "layernorm"}),
         Figure("torch by ours", "fused/layers", "torch", {"layer": "layernorm"})),
        ORACLE, "tilesmith bench fused --tables layers", absent=ICC,
        series={"icc -O3": 1.0, "by hand": 1.3, "TPP": 1.5, "icc, constant bounds": 1.9}, unit="speed, of icc -O3 (paper), of the peer (here)"),
    Claim(
        "split-sgd", "TPP", "figure 19, bottom", "split-SGD of bf16 weights, in place",
        "38 x icc with constant sizes", "Cascade Lake, 28 cores",
        (Figure("of a copy of as many bytes, in L2", "fused/optimizers", "Zen 4, L2", {"optimizer": "split-SGD"}),
         Figure("in memory", "fused/optimizers", "Zen 4, memory", {"optimizer": "split-SGD"})),
        "the faster of two copies, which bound it", "tilesmith bench fused --tables optimizers",
        absent="icc's scalar code, to which the paper compares, is not available here"),
    Claim(
        "softmax-avx2", "TPP", "figure 20, top", "softmax as in figure 19, AVX2",
        "2.45 x the compiler's code", "EPYC 7742, 64 cores",
        (Figure("gcc by ours", "papers/avx2", "by gcc", {"layer": "softmax"}),
         Figure("torch by ours", "papers/avx2", "by torch", {"layer": "softmax"})),
        "gcc -O3 -march=native, which has AVX-512 here, and torch, which has it too",
        "tilesmith bench fused --tables layers --target avx2"),
    Claim(
        "layernorm-avx2", "TPP", "figure 20, bottom", "layer norm as in figure 19, AVX2",
        "1.6 x the compiler's code", "EPYC 7742, 64 cores",
        (Figure("gcc by ours", "papers/avx2", "by gcc", {"layer": "layernorm"}),
         Figure("torch by ours", "papers/avx2", "by torch", {"layer": "layernorm"})),
        "gcc -O3 -march=native, which has AVX-512 here, and torch, which has it too",
        "tilesmith bench fused --tables layers --target avx2"),
    Claim(
        "resnet-layers", "TPP", "figure 21", "convolutions of ResNet-50, as many images as cores, f32, share of the peak",
        "0.69 to 0.81, 0.52 on A64FX; with bf16 0.77", "eight machines",
        (Figure("of the peak, channels last", "papers/resnet", "of peak", {"layout": "NHWC"}),
         Figure("of the peak, channels first", "papers/resnet", "of peak", {"layout": "NCHW"}),
         Figure("torch (oneDNN) by ours, channels last", "papers/resnet", "by torch", {"layout": "NHWC"})),
        "torch in its better layout", "tilesmith bench conv --tables resnet",
        series={"Broadwell": 0.69, "Cascade Lake": 0.72, "Cooper Lake": 0.72, "Cooper Lake, bf16": 0.77, "Ice Lake": 0.70,
                "Rome": 0.78, "Graviton2": 0.81, "A64FX": 0.52}, unit="share of the peak; the last bar is a ratio to torch"),
    Claim(
        "dilated", "TPP", "figure 22, top", "dilated convolution: 15 to 15 channels, 60,000 places, 51 taps 8 apart",
        "0.743 of the peak forward, 0.557 backward; oneDNN 0.199 and 0.041", "Cascade Lake, 28 cores",
        (Figure("of the peak forward", "papers/dilated", "of peak", {"name": "1", "types": "f32", "layout": "NHWC"}),
         Figure("torch by ours forward", "papers/dilated", "by torch", {"name": "1", "types": "f32", "layout": "NHWC"}),
         Figure("of the peak backward", "papers/dilated-gradients", "both of peak", {"name": "1", "types": "f32", "layout": "NHWC"}),
         Figure("torch by ours backward", "papers/dilated-gradients", "both by torch", {"name": "1", "types": "f32", "layout": "NHWC"})),
        "torch (oneDNN)", "tilesmith bench conv --tables dilated",
        series={"oneDNN forward": 0.199, "oneDNN backward": 0.041, "TPP forward": 0.743, "TPP backward": 0.557},
        unit="share of the peak; torch by ours is a ratio"),
    Claim(
        "dilated-training", "TPP", "figure 22, bottom", "ATACworks: seconds of an epoch",
        "6.91 x oneDNN, with bf16 12.6", "Cascade Lake and Cooper Lake, 28 cores", absent=WORKLOADS),
    Claim(
        "dlrm", "TPP", "figure 23", "DLRM, small and MLPerf configurations, f32 and bf16",
        "up to 48 x PyTorch's reference, 1.044 of the vectorised embedding; bf16 1.28 of it", "Cascade Lake, 28 cores, and others", absent=WORKLOADS),
    Claim(
        "dlrm-shares", "TPP", "figure 24", "DLRM: shares of time",
        "embedding 29 to 37 %, MLP 33 to 56 %, the rest 15 to 23 %; bf16 halves the MLP", "six machines", absent=WORKLOADS),
    Claim(
        "bert", "TPP", "figure 25", "BERT-large, fine-tuning on SQuAD, 24 sequences of 384",
        "1.69 x Hugging Face's f32 code; 1.5 to 8.5 on other machines; bf16 2.0 of f32", "Cascade Lake, 28 cores, and others",
        (Figure("a layer, forward and backward, torch eager by ours", "workloads-language/bert-layer", "by torch", {"what": "forward and backward"}),),
        "torch eager, one sequence of 384, one thread", "python docs/examples/bert.py --layer",
        absent="SQuAD and the weights need a download, so a layer of the model's shapes stands for it",
        series={"Hugging Face": 1.0, "TPP": 1.69}, unit="speed, of the reference"),
    Claim(
        "bert-shares", "TPP", "figure 26", "BERT-large by component",
        "contractions 1.02 to 1.06 of MKL, dropout and GELU 10 to 360, others 2.5 to 14; 75.5 to 88.8 % of the time in contractions",
        "six machines",
        (Figure("share of the contractions", "workloads-language/bert-components", "share", {"component": "contractions"}, digits=1, unit="%"),
         Figure("contractions, torch by ours", "workloads-language/bert-components", "by torch", {"component": "contractions"}),
         Figure("GELU", "workloads-language/bert-components", "by torch", {"component": "GELU"}),
         Figure("dropout and residual", "workloads-language/bert-components", "by torch", {"component": "dropout, residual"}),
         Figure("layer norm", "workloads-language/bert-components", "by torch", {"component": "layer norm"})),
        "torch, each component by itself", "python docs/examples/bert.py --layer"),
    Claim(
        "bert-contractions", "TPP", "figure 27", "contractions of BERT-large, share of the peak", "0.66 to 0.84", "six machines",
        (Figure("of the peak", "workloads-language/bert-components", "of peak", {"component": "contractions"}),),
        command="python docs/examples/bert.py --layer"),
    Claim(
        "graphsage", "TPP", "figure 28", "GraphSAGE, full batch, OGB-Products",
        "2.65 x DGL with Xbyak; bf16 1.66 (emulated) and 1.94 of f32", "Cascade Lake and Cooper Lake, 28 cores", absent=WORKLOADS),
    Claim(
        "aggregation", "TPP", "figure 29", "the aggregation of GraphSAGE by itself",
        "3.29 x DGL with Xbyak, MLP 1.4; 66.4 % of the time; bf16 2.0 and 1.73", "Cascade Lake and Cooper Lake, 28 cores",
        (Figure("torch's embedding_bag by ours, sum", "aggregation/reductions", "by bag", {"op": "sum", "threads": 1}),
         Figure("maximum", "aggregation/reductions", "by bag", {"op": "max", "threads": 1}),
         Figure("torch's sparse product by ours, sum", "aggregation/reductions", "by mm", {"op": "sum", "threads": 1})),
        "torch on a graph of 100,000 nodes and 3,000,000 edges", "tilesmith bench graph",
        absent="DGL is not installed, and its datasets need a download"),
    Claim(
        "scaling", "TPP", "figure 30", "1 to 64 sockets: DLRM, BERT, GraphSAGE", "51.7, 57.9 and 10 times one socket",
        "32 nodes of Cascade Lake, Omni-Path", absent=ONE_MACHINE,
        series={"DLRM": 51.7, "BERT": 57.9, "GraphSAGE": 10.0}, unit="speed of 64 sockets, of one"),
    Claim(
        "compilers", "TPP", "figures 31, 32", "PlaidML with and without TPP: ResNet-152, ResNeXt-50, I3D, one image",
        "up to 35.6 x LLVM's code, as fast as TensorFlow with oneDNN", "Core i7-6700, 4 cores",
        (Figure("torch.compile by inductor, by ours, inference on one thread", "torch/compile", "of inductor", {"pass": "inference", "threads": 1}),
         Figure("training", "torch/compile", "of inductor", {"pass": "training", "threads": 1})),
        "torch.compile's own back end, inductor", "tilesmith bench torch_compile",
        absent="PlaidML is no longer built; MLPs and transformer blocks stand for the three networks"),
    Claim(
        "cp2k", "TPP", "table 4", "CP2K: stacks of small products in f64, cases a day", "1.00 to 1.17 of MKL or OpenBLAS",
        "five machines of two sockets",
        (Figure("batched OpenBLAS by our stack, 4 to 32 cubed, in L2", "matmul/stacks", "times", of="range"),
         Figure("from memory", "matmul/stacks", "times 5", of="range")),
        "np.matmul of three axes", "tilesmith bench threads --tables stacks --threads 2",
        absent="CP2K itself is not installed; its small products are measured by themselves",
        series={"Broadwell, H2O-256": 1.11, "Broadwell, H2O-512": 1.17, "Cascade Lake, H2O-256": 1.05, "Ice Lake, H2O-512": 1.08,
                "Rome, H2O-256": 1.08, "Altra, LS4": 1.10}, unit="speed, of the BLAS library"),
    Claim(
        "edge", "TPP", "table 5", "EDGE: 9 x 35 by 35 x 15 in f32 inside of a solver, share of the peak",
        "1.27 and 1.51 TFLOPS on an Altra, 0.332 and 0.392 of the peak", "five machines",
        (Figure("9 x 35 x 15 alone, % of the peak", "performance/avx512-f32-small", "% of peak", {"m x n x k": "9x35x15"}, digits=1),
         Figure("LIBXSMM by ours", "performance/avx512-f32-small", "ratio", {"m x n x k": "9x35x15"})),
        "LIBXSMM 1.17, operands in L1", "tilesmith bench gemm --shapes small"),
    Claim(
        "edge-fused", "TPP", "table 6", "EDGE: fused simulations by sparse operators", "2.49 times the value of an operation",
        "five machines",
        (Figure("all entries by the entries alone, 16 simulations, density 0.2", "papers/simulations", "by all entries",
                {"density": 0.2, "simulations": 16}),),
        "our product by all entries of the same matrix", "tilesmith bench sparse_kernel --tables simulations",
        absent="local time stepping, the other half of the table, is the solver's"),
    Claim(
        "emulated-bf16", "TPP", "section 3.2.2", "BRGEMM of bf16 by f32 FMA, with the bits of VDPBF16PS", "near the peak of f32",
        "machines with AVX-512 and no bf16",
        (Figure("GFLOP/s and share of f32", "mixed-precision/zen4", "emulated exact", {"what 0": "64x64x64, batch 16"}, "text"),),
        "our f32 kernel", "tilesmith bench mixed --dtype bf16"),
    Claim(
        "bf16", "TPP", "section 6.2", "BRGEMM of bf16 beside f32", "2 x (Cooper Lake)", "Cooper Lake",
        (Figure("GFLOP/s on a Zen 4", "mixed-precision/zen4", "bf16", {"what 0": "64x64x64, batch 16"}, "text"),
         Figure("on tiles", "mixed-precision/amx", "bf16, host", {"what 0": "64x64x64, batch 16"}, "text")),
        "our f32 kernel", "tilesmith bench mixed --dtype bf16"),
)

_SQUARES = [f"{n} x {n} x {n}" for n in (512, 1024, 2048, 4096)]
PARLOOPER = (
    Claim(
        "gemm", "PARLOOPER", "figure 1", "products of 512 to 4096 cubed, f32 and bf16",
        "Zen 4: as fast as oneDNN, bf16 2 x f32; Sapphire Rapids bf16 up to 1.98 x oneDNN; Graviton 3 up to 1.45 x ACL, MMLA up to 3.43 x f32",
        "Ryzen 7950X, Xeon 8480+, Graviton 3",
        tuple(Figure(f"Zen 4, {n.split()[0]} cubed, {kind}, the better of torch and numpy by ours", "matmul/zen4", f"{kind}, speedup", {"m x n x k": n})
              for kind in ("f32", "bf16") for n in _SQUARES)
        + tuple(Figure(f"Sapphire Rapids, {n.split()[0]} cubed, bf16", "matmul/sapphire-rapids", "bf16, speedup", {"m x n x k": n}) for n in _SQUARES),
        "the better of torch (oneDNN, MKL) and numpy (OpenBLAS), one thread", "tilesmith bench matmul --threads 1 2",
        absent="Graviton 3 is not here",
        series={"Sapphire Rapids, bf16, most": 1.98, "Graviton 3, bf16, most": 1.45, "Zen 4": 1.0}, unit="speed, of the vendor's library"),
    Claim(
        "mlp", "PARLOOPER", "figure 2", "MLP with bias and ReLU, bf16, 512 rows, widths 512 to 8192",
        "more than 0.90 of the peak at large weights on Zen 4 and Graviton 3; Sapphire Rapids 0.374 at most",
        "Ryzen 7950X, Xeon 8480+, Graviton 3",
        tuple(Figure(f"width {n}, of the peak", "nests/layers", n, {"columns": "one thread"}) for n in ("512", "1024", "2048", "4096", "8192")),
        "the peak that brgemm reaches", "tilesmith bench threads --tables networks",
        series={"Zen 4, large widths": 0.90, "Sapphire Rapids, most": 0.374}, unit="share of the peak"),
    Claim(
        "model", "PARLOOPER", "figure 3", "2048 cubed by all loop strings of the rules: the model's order",
        "the five best classes contain the fastest string", "Ryzen 7950X, Xeon 8480+",
        (Figure("class of the fastest string:", "nests/strings", "what 1",
                {"figure": "predicted class of the string that was measured as the quickest"}, "text"),),
        command="tilesmith bench nest"),
    Claim(
        "table-1", "PARLOOPER", "table 1, figure 4", "the 20 layers of ResNet-50, as many images as cores, bf16 (f32 on Alder Lake)",
        "1.16 (Sapphire Rapids), 1.75 (Graviton 3), 1.12 (Zen 4) and 1.14 (Alder Lake) of oneDNN", "four machines",
        (Figure("torch (oneDNN) by ours, f32, channels last", "papers/resnet", "by torch", {"layout": "NHWC"}),
         Figure("channels first", "papers/resnet", "by torch", {"layout": "NCHW"})),
        "torch in its better layout", "tilesmith bench conv --tables resnet",
        absent="this machine has no instruction for bf16, so f32 stands for it",
        series={"Sapphire Rapids": 1.16, "Graviton 3": 1.75, "Zen 4": 1.12, "Alder Lake, f32": 1.14}, unit="speed, of oneDNN"),
    Claim(
        "spmm", "PARLOOPER", "figure 5", "block-sparse 2048 cubed by dense, bf16, blocks of 32, 16, 8 and 4",
        "Sapphire Rapids, blocks of 32: 1.0 at 0 %, 1.7 at 50 %, 12 at 99 %; Zen 4 78 at most, Graviton 3 51", "Ryzen 7950X, Xeon 8480+, Graviton 3",
        tuple(Figure(f"blocks of 32, {share:.0%} zeros", "sparse/bf16", "of dense", {"block": 32, "sparsity": share}) for share in (0, 0.5, 0.9, 0.99))
        + tuple(Figure(f"blocks of {block}, 99% zeros", "sparse/bf16", "of dense", {"block": block, "sparsity": 0.99}) for block in (16, 8, 4)),
        "our dense product", "tilesmith bench spmm --tables bf16",
        series={"blocks of 32, 0 %": 1.0, "blocks of 32, 50 %": 1.7, "blocks of 32, 99 %": 12.0}, unit="speed, of the dense product"),
    Claim(
        "bert-sequences", "PARLOOPER", "figure 6", "BERT-large, fine-tuning: sequences a second, Unpad",
        "1.22 of TPP, 3.3 of IPEX; contractions at 40 TFLOPS", "Xeon 8480+, Graviton 3, Ryzen 7950X",
        (Figure("a layer, forward and backward, torch eager by ours", "workloads-language/bert-layer", "by torch", {"what": "forward and backward"}),),
        "torch eager, one sequence of 384, one thread, f32", "python docs/examples/bert.py --layer",
        absent="IPEX is not installed; SQuAD needs a download"),
    Claim("mlperf", "PARLOOPER", "table 2", "MLPerf 2.1, BERT: minutes to train", "85.91 on 8 nodes, 47.26 on 16; 19.6 on 8 A100",
          "16 and 32 sockets of Sapphire Rapids", absent=ONE_MACHINE,
          series={"8 nodes": 85.91, "16 nodes": 47.26, "8 A100": 19.6}, unit="minutes"),
    Claim("resnet-training", "PARLOOPER", "table 3", "ResNet-50, training in bf16, images a second",
          "255 (IPEX 265) on Sapphire Rapids, 145 on Graviton 3", "Xeon 8480+, Graviton 3", absent=WORKLOADS,
          series={"Sapphire Rapids": 255, "IPEX": 265, "Graviton 3": 145}, unit="images a second"),
)

UNIT = (
    Claim("fp16", "UNIT", "figure 1", "networks in f16 without tensor cores", "slower than f32", "V100", absent=NO_GPU),
    Claim(
        "quantized", "UNIT", "figure 8", "nine quantized networks, one image", "1.3 of MXNet with oneDNN, 1.18 of TVM's schedules",
        "Cascade Lake, 24 cores",
        (Figure("onnxruntime by ours, the quantized models that pip has", "onnx/models", "ratio", {"model": "ddddocr int8"}),
         Figure("tagger", "onnx/models", "ratio", {"model": "int8 tagger"})),
        "onnxruntime", "tilesmith bench onnx_models --only int8",
        absent="the models of MXNet's zoo need a download",
        series={"MXNet with oneDNN": 1.0, "TVM, by hand": 1.3 / 1.18, "UNIT": 1.3}, unit="speed, of the vendor's library"),
    Claim("tensor-cores", "UNIT", "figures 9, 11", "networks and layers on tensor cores", "1.75 and up to 2.2 of cuDNN", "V100", absent=NO_GPU),
    Claim(
        "table-i", "UNIT", "table I, figure 10", "16 convolutions, u8 by i8, one image", "normalized to oneDNN: figure only; layers 1 and 4 are bad",
        "Cascade Lake, 24 cores",
        (Figure("onnxruntime's QLinearConv by ours, u8 results", "papers/integers", "by ort u8"),
         Figure("layer 1", "papers/integers", "by ort u8", {"name": "1"}),
         Figure("layer 4", "papers/integers", "by ort u8", {"name": "4"})),
        "onnxruntime in its better layout", "tilesmith bench conv --tables integers"),
    Claim(
        "pairs", "UNIT", "figure 10, text", "how many pairs of breaking points a tuner has to try",
        "the first is the best for more than half of the layers, one of the first eight for more than 95 %", "Cascade Lake, 24 cores",
        (Figure("speed of the first pair, of the best", "papers/pairs", "first"),
         Figure("of the best of eight", "papers/pairs", "eight")),
        "all pairs, measured", "tilesmith bench tensorize --tables pairs"),
    Claim(
        "arm-dot", "UNIT", "figure 12", "networks by SDOT", "up to 1.13 of TVM's schedules", "Graviton2, 32 cores",
        (Figure("multiplications a cycle by SDOT", "mixed-precision/n1-units", "a cycle", {"target, both operands": "neon_dotprod, vnni, i8 by i8"}, digits=1),
         Figure("by SMLAL", "mixed-precision/n1-units", "a cycle", {"target, both operands": "neon, vnni or plain, any bytes"}, digits=1)),
        "SMLAL, on a Neoverse N1 by llvm-mca", "tilesmith bench counts --tables n1", absent=NO_ARM),
    Claim(
        "conv3d", "UNIT", "figure 13", "ResNet-18's layers with a third axis", "1.2 of oneDNN", "Cascade Lake, 24 cores",
        (Figure("torch's int8 conv3d (oneDNN) by ours", "papers/volumes", "by torch"),), "torch's int8 convolution",
        "tilesmith bench tensorize --tables volumes", series={"oneDNN": 1.0, "UNIT": 1.2}, unit="speed, of oneDNN"),
)

COURSE = (
    Claim(
        "16x6x1", "course", "listing 7.2.2", "16 x 6 x 1 in f32: instructions, GFLOPS", "66 instructions, 23.3 GFLOPS (22 % of the peak)", "Grace",
        (Figure("instructions", "aarch64/call", "all", {"16x6x1, one call": "Tilesmith, dense"}, digits=0),
         Figure("with leading dimensions at run time", "aarch64/call", "all", {"16x6x1, one call": "Tilesmith, leading dimensions at run time"}, digits=0)),
        command="tilesmith bench counts --tables aarch64", absent=NO_ARM),
    Claim(
        "16x6x64", "course", "listing 7.2.3", "16 x 6 x 64 in f32", "24 FMLA of 42 instructions in the loop, 87.3 GFLOPS (82.7 %)", "Grace",
        (Figure("share of FMLA in the loop", "aarch64/loop", "FMLA of all", {"k loop of 16x6x64, a step of k": "Tilesmith, dense"}),
         Figure("FMA pipes busy:", "aarch64/loop", "FMA pipes busy (llvm-mca, V1 and V2)", {"k loop of 16x6x64, a step of k": "Tilesmith, dense"}, "text")),
        "the chapter's loop, 0.57", "tilesmith bench counts --tables aarch64", absent=NO_ARM),
)

NO_TILES = "this machine has no AMX; figures are from machines that had it"
_NETWORKS = "[log/networks.md](log/networks.md)"
AMX = (
    Claim("post-ops", "AMX", "20.11.2", "256 x 192 by 192 x 256, int8 to u8: post-operations between products", "18.5 % less time than fused and not between",
          "Sapphire Rapids", noted="planned cycles 1.06 of the product alone ([log/built-rooms.md](log/built-rooms.md), item 1)",
          command="pytest tests/microkernels/epilogue/test_on_tiles.py", absent=NO_TILES),
    Claim("accumulators", "AMX", "20.5.5.1", "2 x 2 beside 4 x 1 accumulators: loads a step of k", "4 and 5", "counted",
          command="tilesmith bench counts --tables tiles", noted="grids of 2 x 2 are planned, with four loads for four products"),
    Claim("m-100", "AMX", "20.10", "100 rows as 10 x 10 or 112", "10 x 10 reuses 30 % less", "counted",
          command="pytest tests/microkernels/gemm/test_tile_grids.py", noted=f"six tiles of 16 rows and one of 4: 0.90 of `ts.linear` in bf16, 10 rows at a time 0.53 ({_NETWORKS})"),
    Claim("tilezero", "AMX", "20.11.3", "TILEZERO in long vector code", "up to 20 % lost without", "Sapphire Rapids", absent="long epilogues have none yet, and this machine has no AMX to show what it gains"),
    Claim("mini-batch", "AMX", "20.7", "ResNet-50: images to threads up to conv4", "17 %", "Sapphire Rapids", noted=f"1.15 (u8) and 1.13 (bf16) of image affinity ({_NETWORKS})",
          command="tilesmith bench network", absent=NO_TILES),
    Claim("buffers", "AMX", "20.12", "ResNet-50 in int8: three buffers for 55 results", "25 %", "Sapphire Rapids", noted=f"10 to 13 % in u8, 9 to 12 % in bf16 ({_NETWORKS})",
          command="tilesmith bench network", absent=NO_TILES),
    Claim(
        "table-20-2", "AMX", "table 20-2", "cycles of tile instructions (throughput)", "LDTILECFG 204, TDP 16, TILELOADD 8, TILESTORED 16", "Sapphire Rapids",
        (Figure("TDP", "mixed-precision/instructions", "cycles", {"what 0": "TDPBF16PS, TDPBUSD, whether each uses a new sum or the same"}, "text"),
         Figure("TILELOADD from L1; L2", "mixed-precision/instructions", "cycles", {"what 0": "TILELOADD from L1; from L2"}, "text"),
         Figure("TILESTORED", "mixed-precision/instructions", "cycles", {"what 0": "TILESTORED; with rows across two lines"}, "text"),
         Figure("LDTILECFG with TILERELEASE", "mixed-precision/instructions", "cycles", {"what 0": "LDTILECFG and TILERELEASE; STTILECFG"}, "text")),
        absent="the loops that measured them are in no command"),
    Claim("non-temporal", "AMX", "20.8", "TILELOADDT1 for the operand that is used once", "scenarios 1 and 2, no figures", "Sapphire Rapids",
          command="tilesmith bench cold", absent=NO_TILES),
    Claim("partition", "AMX", "tables 20-10, 20-11", "bytes of B that a thread reads: blocks dealt out singly or by columns", "100 % and 50 %", "counted",
          command="pytest tests/runtime/loops/test_emission.py", noted="the string `CB` gives 50 %, `@ schedule(dynamic, 1)` 100 % ([nests.md](nests.md))"),
)

CLAIMS = (*TPP, *PARLOOPER, *UNIT, *AMX, *COURSE)
