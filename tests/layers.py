"""The order of packages and sub-packages, in one place: test_architecture.py enforces it, walk.py shows it."""

# The packages that each package may import; nothing imports `tilesmith` itself.
MAY_IMPORT = {
    "encoder": set(),
    "microkernels": {"encoder"},
    "emulation": {"encoder"},
    "runtime": {"encoder", "microkernels", "emulation"},
    "tilesmith": {"encoder", "microkernels", "emulation", "runtime"},
}
# The layers, lower ones first: a module imports only from its own layer and from lower ones. A folder stands for all
# its modules except those that are listed by name.
LAYERS = (
    "encoder", "encoder/x86", "encoder/a64", "encoder/emitter", "encoder/table", "encoder/asm",
    "encoder/x86/assembler", "encoder/a64/assembler", "encoder/x86/stubs", "encoder/a64/stubs",
    "encoder/x86/decode", "encoder/a64/decode", "encoder/a64/coherence", "encoder/x86/reference",
    "encoder/a64/reference", "encoder/decode", "encoder/conventions", "encoder/walk", "encoder/cfi",
    "encoder/properties", "encoder/gas", "encoder/listing", "encoder/elf", "encoder/restore",
    "microkernels", "microkernels/tuning", "microkernels/expr", "microkernels/functions", "microkernels/contract",
    "microkernels/codegen", "microkernels/machines/x86", "microkernels/machines/x86/older",
    "microkernels/machines/a64", "microkernels/machines/spilled", "microkernels/machines",
    "microkernels/transform", "microkernels/eltwise", "microkernels/reduce", "microkernels/fused",
    "microkernels/gather", "microkernels/gemm", "microkernels/prepack", "microkernels/epilogue",
    "microkernels/products", "microkernels/stack", "microkernels/rows", "microkernels/precision",
    "microkernels/attention", "microkernels/chain", "microkernels/sweeps", "microkernels/grouped",
    "microkernels/indexed",
    "microkernels/rowwise",
    "emulation/core", "emulation/numerics", "emulation/x86", "emulation/a64", "emulation", "emulation/qemu",
    "emulation/symbolic", "emulation/symbolic/modes", "emulation/symbolic/given", "emulation/symbolic/loops",
    "emulation/symbolic/machine",
    "emulation/symbolic/workers", "emulation/symbolic/extrema",
    "runtime/system", "runtime/cache", "runtime/debug", "runtime/scalar", "runtime/memory", "runtime/host",
    "runtime/arguments", "runtime/fastcall", "runtime/threads", "runtime/verify", "runtime/verify/callers",
    "runtime/verify/numbers", "runtime/verify/traced", "runtime/verify/places", "runtime/verify/check",
    "runtime/verify/places/kernels", "runtime/verify/together", "runtime/verify/nests",
    "runtime/kernel", "runtime/loops", "runtime/testing", "runtime/api", "runtime/handwritten", "runtime/api/assembler",
    "runtime/api/export", "runtime/ops",
    "runtime/bench/measure_code", "runtime/bench/measure", "runtime/bench/table", "runtime/bench/options",
    "runtime/bench/peers",
    "runtime/bench/runner", "runtime/bench/operands", "runtime/bench/first_calls", "runtime/bench/cases",
    "runtime/bench",     "runtime/coverage",
    "runtime/cli",
    "tilesmith",
)


def rank(module: str) -> int:
    """Return the layer of a module, given by its path without the suffix: its own entry or that of its folder."""
    folder = module.rpartition("/")[0]
    name = module if module in LAYERS else folder
    return LAYERS.index(name) if name in LAYERS else 0  # a package whose only module is its __init__
