"""The types of arguments and calls, for editors and type checkers: literals for values, calls with and without output.

The literals repeat the tables (tests/first_contact/test_type_checkers.py compares them). At run time every kernel is a
`Kernel`. `Product`, `Unary`... are the types that request functions declare, so that type checkers know the signature
of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, overload

import numpy as np

from ...encoder.features import Target
from ...microkernels.gemm.spec import PairBatch
from ...microkernels.operands import Leading
from ..kernel.callable import Kernel

DType = Literal[
    "f64",
    "f32",
    "f16",
    "bf16",
    "f8e5m2",
    "f8e4m3",
    "i64",
    "u64",
    "i32",
    "u32",
    "i16",
    "u16",
    "i8",
    "u8",
    "i4",
    "u4",
    "c64",
    "c128",
]
Spelling = Literal[
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "float8_e5m2",
    "float8_e4m3fn",
    "int64",
    "uint64",
    "int32",
    "uint32",
    "int16",
    "uint16",
    "int8",
    "uint8",
    "int4",
    "uint4",
    "complex64",
    "complex128",
    "double",
    "float",
    "single",
    "half",
    "int",
    "complex",
    "cfloat",
    "cdouble",
]
Emulated = Literal["f32x3bf16", "f64xi8", "f16xf16"]


D = TypeVar("D", covariant=True)


class TorchDType(Protocol[D]):
    """The part of torch.float32 that type checkers need. It names the type of dtypes again, so that mypy writes
    DTypeLike in its messages, and not all members of it."""

    @property
    def is_floating_point(self) -> bool:
        """Whether it is a float."""

    @property
    def is_complex(self) -> bool:
        """Whether it is complex."""

    def to_real(self) -> D:
        """Return the type of its real part."""


DTypeLike: TypeAlias = DType | Spelling | type[Any] | np.dtype[Any] | "TorchDType[DTypeLike]"
DTypes: TypeAlias = DTypeLike | Literal["bits"] | Sequence[DTypeLike | Literal["bits"]]
ProductDTypes: TypeAlias = DTypeLike | Emulated | Sequence[DTypeLike]

Order = Literal["C", "F"]
Orders: TypeAlias = (
    Order | Literal["CCC", "CCF", "CFC", "CFF", "FCC", "FCF", "FFC", "FFF"] | tuple[Order, Order, Order] | list[Order]
)
MatrixOrders: TypeAlias = (
    Order | Literal["CC", "CF", "FC", "FF", "CCC", "CCF", "CFC", "CFF", "FCC", "FCF", "FFC", "FFF"] | Sequence[Order]
)
Numerics = Literal["exact", "fast"]
Layout = Literal["plain", "vnni", "vnni2", "vnni4", "mmla", "mmla2x4", "mmla2x8", "mmla2x4t", "mmla2x8t"]
Broadcast = Literal["row", "col", "scalar"]
Algorithm = Literal["table", "pade", "exp"]
X86Name = Literal[
    "sse",
    "avx",
    "avx2",
    "avx512",
    "avx2_vnni",
    "avx2_vnni_int8",
    "avx512_vnni",
    "avx512_bf16",
    "avx512_fp16",
    "avx10_2",
    "amx",
    "amx_fp16",
]
A64Name = Literal["neon", "neon_dotprod", "neon_bf16", "sve128", "sve256", "sve512", "sme128", "sme256", "sme512"]
TargetName: TypeAlias = Literal[X86Name, A64Name, "host", "native"]
TargetLike: TypeAlias = TargetName | Target | None
LeadingLike: TypeAlias = int | Leading | None
ExtentLike: TypeAlias = int | Leading
BatchLike: TypeAlias = int | tuple[int, ...] | PairBatch | None
StridesLike: TypeAlias = Leading | tuple[int, int] | tuple[tuple[int, int], ...] | None
OperandLike: TypeAlias = Broadcast | None | tuple[Broadcast | None, DTypeLike]
Operands: TypeAlias = Mapping[str, OperandLike]
ArrayLike: TypeAlias = Any
"""An array of any library: see `as_array` of runtime/arguments/arrays.py."""
ArraysByName: TypeAlias = Mapping[str, ArrayLike]
PerAxis: TypeAlias = int | Sequence[int]
Padding: TypeAlias = str | int | Sequence[int] | Sequence[Sequence[int]]
Epilogue: TypeAlias = Callable[..., Any]

UnaryName = Literal[
    "abs",
    "decrement",
    "dequantize",
    "dropout",
    "dropout_mask",
    "elu",
    "exp",
    "exp2",
    "gelu",
    "gelu_tanh",
    "identity",
    "increment",
    "leaky_relu",
    "log",
    "negate",
    "quantize",
    "random",
    "reciprocal",
    "relu",
    "relu_mask",
    "replicate_columns",
    "round_stochastic",
    "rsqrt",
    "sigmoid",
    "silu",
    "softplus",
    "split2",
    "split3",
    "sqrt",
    "square",
    "tanh",
    "uniform",
    "unpack",
    "zero",
]
BinaryName = Literal[
    "add",
    "dequantize",
    "div",
    "dropout_inv",
    "elu_inv",
    "eq",
    "exp2_inv",
    "exp_inv",
    "ge",
    "gelu_inv",
    "gelu_tanh_inv",
    "gt",
    "le",
    "leaky_relu_inv",
    "log_inv",
    "lt",
    "max",
    "min",
    "mul",
    "ne",
    "pack",
    "quantize",
    "relu_inv",
    "relu_mask_inv",
    "sigmoid_inv",
    "silu_inv",
    "softplus_inv",
    "sub",
    "tanh_inv",
]
TernaryName = Literal["blend", "dequantize", "muladd", "nmuladd", "quantize"]
ReductionName = Literal["sum", "mean", "product", "max", "min", "absmax", "argmax", "argmin"]
By = Literal["rows", "columns", "offsets", "stride"]
Bounds = Literal["call", "kernel"]
IndexDType: TypeAlias = Literal["i32", "i64", "int32", "int64"] | type[Any] | np.dtype[Any] | "TorchDType[IndexDType]"
Loads = Literal["whole", "pieces"]

Array: TypeAlias = np.ndarray[Any, Any]
T = TypeVar("T")  # an array of another library: results have the type of the arguments

if TYPE_CHECKING:

    class Product(Kernel):
        """A product. Without c, or with None for it if operands follow, a call returns C."""

        @overload
        def __call__(self, a: Array, b: Array, /, **keywords: Any) -> Array: ...
        @overload
        def __call__(self, a: Array, b: Array, c: None, /, *more: Any, **keywords: Any) -> Array: ...
        @overload
        def __call__(self, a: T, b: T, /, **keywords: Any) -> T: ...
        @overload
        def __call__(self, a: T, b: T, c: None, /, *more: Any, **keywords: Any) -> T: ...
        @overload
        def __call__(self, a: Any, b: Any, c: Any, /, *more: Any, **keywords: Any) -> None: ...
        def __call__(self, /, *arguments: Any, **keywords: Any) -> Any: ...

    class Unary(Kernel):
        """A function of one matrix. Without y a call returns it. Some take a seed before y."""

        @overload
        def __call__(self, x: Array, /, **keywords: Any) -> Array: ...
        @overload
        def __call__(self, x: Array, seed: int, /, *places: int, **keywords: Any) -> Array: ...
        @overload
        def __call__(self, x: T, /, **keywords: Any) -> T: ...
        @overload
        def __call__(self, x: T, seed: int, /, *places: int, **keywords: Any) -> T: ...
        @overload
        def __call__(self, x: Any, y: Any, /, *more: Any, **keywords: Any) -> None: ...
        def __call__(self, /, *arguments: Any, **keywords: Any) -> Any: ...

    class Binary(Kernel):
        """A function of two matrices. Without y a call returns it."""

        @overload
        def __call__(self, x0: Array, x1: Array | float, /, **keywords: Any) -> Array: ...
        @overload
        def __call__(self, x0: T, x1: T | float, /, **keywords: Any) -> T: ...
        @overload
        def __call__(self, x0: Any, x1: Any, y: Any, /, **keywords: Any) -> None: ...
        def __call__(self, /, *arguments: Any, **keywords: Any) -> Any: ...

    class Ternary(Kernel):
        """A function of three matrices. Without y a call returns it."""

        @overload
        def __call__(self, x0: Array, x1: Array | float, x2: Array | float, /, **keywords: Any) -> Array: ...
        @overload
        def __call__(self, x0: T, x1: T | float, x2: T | float, /, **keywords: Any) -> T: ...
        @overload
        def __call__(self, x0: Any, x1: Any, x2: Any, y: Any, /, **keywords: Any) -> None: ...
        def __call__(self, /, *arguments: Any, **keywords: Any) -> Any: ...

else:
    Product = Unary = Binary = Ternary = Kernel
