"""Derive the keywords of a request function from the types, shapes and strides of a call's arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.deferred import lazy
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import required
from ...microkernels.gemm.spec import ADDRESS, PLAIN, PairBatch, product_types
from ...microkernels.operands import RUNTIME
from ..arguments import infer_attention
from ..arguments.arrays import Array
from ..arguments.infer import (
    Given,
    InferredRequest,
    Reader,
    all_transposed,
    array_at,
    leading_of,
    matrix_of,
    needed,
    orders_of,
    type_of,
)
from ..kernel.callable import Kernel
from . import attention, eltwise, gather, reduce, transforms
from . import brgemm as products
from .eltwise import primitive

if TYPE_CHECKING:
    from . import dispatch_fused

dispatch_fused = lazy(__package__, ".dispatch_fused")

# Products


def _product(args: Given, fixed: dict[str, Any]) -> InferredRequest:
    a, b = needed(args, 0, "a"), needed(args, 1, "b")
    c = array_at(args, 2)
    dtype = fixed.get("dtype") or _product_dtype(a, b, c)
    packed = [fixed.get(f"{name}_layout", PLAIN) != PLAIN for name in "ab"]
    for name, array, grouped in (("a", a, packed[0]), ("b", b, packed[1])):
        if array.ndim - grouped not in (2, 3):
            raise ValueError(f"{name}: a matrix, or a batch of them, not an array of shape {array.shape}")
    batch, outer = fixed.get("batch"), [array.shape[: array.ndim - 2 - group] for array, group in zip((a, b), packed)]
    apart = batch is None and any(outer) and c is not None and c.ndim == 3
    stacked = apart or fixed.get("stack") is not None  # then a or b may be a single matrix for all products
    counted = batch in (None, RUNTIME) and not stacked
    if counted and outer[0] != outer[1]:
        raise ValueError(f"b: must have as many matrices as a, whose shape is {a.shape}, not shape {b.shape}")
    (m, across), (down, n) = a.shape[len(outer[0]) :][:2], b.shape[len(outer[1]) :][:2]
    k = fixed.get("k", across if not packed[0] else down)
    if not any(packed) and across != down:
        raise ValueError(f"b: must have {across} rows, as many as a has columns, not shape {b.shape}")
    if all(packed) and "k" not in fixed:
        raise UnsupportedError(
            "dispatch: give k=, which two packed matrices do not tell, because their last group may be padded"
        )
    if counted and outer[0] and batch is None and c is None:
        raise ValueError(
            f"c: needed for batches of shape {a.shape} and {b.shape}: products are summed into one of {(m, n)}, or "
            f"stored one by one in one of {(*outer[0], m, n)}; a handle with batch=ts.RUNTIME sums without it, and one "
            "with stack=ts.RUNTIME stores"
        )
    asked = {"m": m, "n": n, "k": k, "dtype": dtype, **({"batch": outer[0][0]} if counted and outer[0] else {})}
    asked |= {"stack": RUNTIME} if apart else {}
    asked |= {"batch": None} if batch is RUNTIME and not outer[0] else {}
    orders = []
    for name, each, grouped, axes in zip("abc", (a, b, c), (*packed, False), (*outer, range(stacked))):
        order, leading = _layout(name, each, grouped, len(axes), fixed)
        orders.append(order)
        if leading is not None:
            asked[f"ld{name}"] = leading
    return InferredRequest(asked if "order" in fixed else {**asked, "order": tuple(orders)})


def _product_dtype(a: Array, b: Array, c: Array | None) -> Any:
    """Return the types of a, b and c. Without c, its type is the default for sums of a and b."""
    of_a, of_b = type_of("a", a), type_of("b", b)
    of_c = type_of("c", c) if c is not None else None
    return product_types(of_a, of_b, of_c)


def _layout(name: str, array: Array | None, grouped: bool, outer: int, fixed: dict[str, Any]) -> tuple[str, Any]:
    """Return the order and leading dimension of an operand of a product, unless they are fixed."""
    if array is None or array.ndim - outer - grouped != 2:
        return "C", None
    matrix = array[0] if outer and len(array) else array
    if outer and not len(array):
        return "C", None
    group = matrix.shape[-1] if grouped else 1
    place = matrix.itemsize * group
    found = orders_of(matrix, place) or orders_of(matrix, place, overlaps=name != "c")
    asked = fixed.get("order", next(iter(found), "C"))
    wanted = asked if asked in ("C", "F") else asked["abc".index(name)]
    leading = found.get(wanted)
    return wanted, None if f"ld{name}" in fixed else leading


def _check_product(fixed: dict[str, Any]) -> object:
    batch = fixed.get("batch")
    if batch is ADDRESS:
        raise UnsupportedError("dispatch: addresses do not tell the shape of their matrices; use STRIDE or OFFSET")
    if batch is not None and batch is not RUNTIME and not isinstance(batch, PairBatch):
        raise UnsupportedError(
            f"dispatch: batch={batch!r} cannot be given; ts.RUNTIME sums as many products as the arrays have"
        )
    blocks = [each for each in ("a_layout", "b_layout") if str(fixed.get(each)).startswith("mmla")]
    if blocks:
        raise UnsupportedError(
            f"dispatch: {blocks[0]}: blocks (mmla) do not tell how many rows they hold; use groups (vnni)"
        )
    packed = any(fixed.get(each, PLAIN) != PLAIN for each in ("a_layout", "b_layout"))
    known = {name: each for name, each in fixed.items() if name != "batch" or each is not RUNTIME}
    return products.brgemm(**{"m": 1, "n": 1, "k": 1, **({"dtype": "bf16"} if packed else {}), **known})


# Elementwise kernels


def _elementwise(kind: str, count: int) -> Callable[[Given, dict[str, Any]], InferredRequest]:
    def read(args: Given, fixed: dict[str, Any]) -> InferredRequest:
        row = primitive(kind, fixed["name"])
        labels = [f"x{i}" if count > 1 else "x" for i in range(len(row.operands))]
        inputs = [needed(args, i, label) for i, label in enumerate(labels)]
        y = array_at(args, len(args) - 1) if len(args) > len(inputs) else None
        arrays = dict(zip(labels, inputs)) | ({} if y is None else {"y": y})
        if not arrays:
            raise TypeError("y: give an array; the shape of the kernel is read from it")
        shapes = {label: matrix_of(label, each) for label, each in arrays.items()}
        mask = None if row.mask is None else labels[row.mask]
        plain = [shapes[label] for label in labels if label != mask] or list(shapes.values())
        m, n = max(rows for rows, _ in plain), max(columns for _, columns in plain)
        bits = _gives_bits(row.name)
        ordered = mask is None and not bits  # bits of a mask need rows
        transposed = (
            ordered and all(shape == (m, n) for shape in shapes.values()) and all_transposed(list(arrays.values()))
        )
        asked: dict[str, Any] = {"m": n if transposed else m, "n": m if transposed else n}
        ways = [
            _broadcast_of_mask(shapes[label], m) if label == mask else _broadcast(label, shapes[label], m, n)
            for label in labels
        ]
        if any(ways) and row.bcast is None:
            asked["bcast"] = ways[0] if count == 1 else tuple(ways)
        types = [type_of(label, each) for label, each in zip(labels, inputs)]
        if types:
            asked["dtype"] = types[0] if count == 1 or mask is not None else tuple(types)
        if y is not None and not bits:
            asked["out"] = type_of("y", y)
        by_columns: set[str] = set()
        if ordered and not transposed and row.name not in SEEDED:
            by_columns = {label for label in _by_columns(arrays) if shapes[label] == (m, n)}
        if by_columns and "order" not in fixed:
            asked["order"] = "".join("F" if label in by_columns else "C" for label in (*labels, "y"))
        for label, each in arrays.items():
            asked.update(leading_of(label, each, transposed or label in by_columns))
        return InferredRequest(asked, transposed)

    return read


def _by_columns(arrays: Mapping[str, Array]) -> set[str]:
    """Return the names of the matrices whose columns are contiguous and whose rows are not."""
    orders = {name: orders_of(each, each.itemsize) for name, each in arrays.items() if each.ndim == 2}
    return {name for name, found in orders.items() if "F" in found and "C" not in found}


def _broadcast_of_mask(shape: tuple[int, int], m: int) -> str | None:
    """Return how a mask is broadcast. Its columns are bytes of bits, so only the rows tell."""
    return None if shape[0] == m else "row"


def _broadcast(name: str, shape: tuple[int, int], m: int, n: int) -> str | None:
    ways = (None, (m, n)), ("row", (1, n)), ("col", (m, 1)), ("scalar", (1, 1))
    for way, each in ways:
        if each == shape:
            return way
    raise ValueError(f"{name}: shape {shape} is neither ({m}, {n}) nor one row, column or element of it")


def _gives_bits(name: str) -> bool:
    """Whether results are bits, or there are several."""
    return name in ("lt", "le", "gt", "ge", "eq", "ne", "relu_mask", "dropout_mask", "unpack", "split2", "split3")


def _equation(args: Given, fixed: dict[str, Any]) -> InferredRequest:
    names = required(fixed["function"], ())
    inputs = [needed(args, i, name) for i, name in enumerate(names)]
    asked: dict[str, Any] = {name: matrix_of(name, each) for name, each in zip(names, inputs)}
    asked["dtype"] = {name: type_of(name, each) for name, each in zip(names, inputs)}
    outputs = [each for each in args[len(names) :] if each is not None]
    arrays = dict(zip(names, inputs)) | ({"y": outputs[0]} if len(outputs) == 1 else {})
    by_columns = _by_columns(arrays) if "order" not in fixed else set()
    rows = {name: matrix_of(name, each)[0] for name, each in arrays.items()}
    by_columns -= {name for name in by_columns if rows[name] == 1 < max(rows.values())}  # a row with gaps has no order
    if by_columns:
        asked["order"] = dict.fromkeys(by_columns, "F")
    if len(outputs) == 1:
        asked["out"] = type_of("y", outputs[0])
    for name, each in arrays.items():
        asked.update(leading_of(name, each, name in by_columns))
    return InferredRequest(asked)


def _reduction(args: Given, fixed: dict[str, Any]) -> InferredRequest:
    x = needed(args, 0, "x")
    m, n = matrix_of("x", x)
    asked: dict[str, Any] = {"m": m, "n": n, "dtype": type_of("x", x), **leading_of("x", x, False)}
    y = array_at(args, len(args) - 1) if len(args) > 1 else None
    if y is not None and not str(fixed["name"]).startswith("arg"):
        asked["out"] = type_of("y", y)
    return InferredRequest(asked)


# Layouts and gathers


def _transpose(args: Given, fixed: dict[str, Any]) -> InferredRequest:
    x, y = needed(args, 0, "x"), array_at(args, 1)
    m, n = matrix_of("x", x)
    asked: dict[str, Any] = {"m": m, "n": n, "dtype": type_of("x", x), **leading_of("x", x, False)}
    if "name" in fixed:
        source = str(fixed["name"]).rpartition("_to_")[0] or PLAIN
        if source != PLAIN:
            raise UnsupportedError(
                f"dispatch: x in layout {source} does not tell the shape of the matrix; use a transform from the plain "
                "layout"
            )
        return InferredRequest(asked)
    return InferredRequest({**asked, **(leading_of("y", y, False) if y is not None else {})})


def _moved(verb: str) -> Callable[[Given, dict[str, Any]], InferredRequest]:
    def read(args: Given, fixed: dict[str, Any]) -> InferredRequest:
        by, x = fixed["by"], needed(args, 0, "x")
        y = array_at(args, 1 if by == "stride" else 2)
        wide, narrow = (x, y) if verb == "gather" else (y, x)
        if wide is None:
            raise TypeError("y: give the array that the scatter writes to; the shape of the kernel is read from it")
        asked: dict[str, Any] = {"dtype": type_of("x", x)}
        if by == "stride":
            rows, columns = matrix_of("x", wide)
            asked.update(m=rows, n=(columns - 1) // fixed["step"] + 1)
        else:
            index = needed(args, 1, "index")
            asked["index"] = type_of("index", index)
            if by == "offsets":
                asked.update(zip("mn", matrix_of("index", index)), size=wide.size)
            else:
                (rows, columns), length = matrix_of("x", wide), index.size
                asked.update(m=length, n=columns, size=rows) if by == "rows" else asked.update(
                    m=rows, n=length, size=columns
                )
        for name, each in (("x", x), ("y", y)):
            if each is not None:
                asked.update(leading_of(name, each, False))
        return InferredRequest(asked)

    return read


def _bag(args: Given, fixed: dict[str, Any]) -> InferredRequest:
    x, index = needed(args, 0, "x"), needed(args, 1, "index")
    place = 3 if fixed.get("weights") else 2
    offsets, y = needed(args, place, "offsets"), args[place + 1] if len(args) > place + 1 else None
    size, n = matrix_of("x", x)
    last = fixed.get("include_last_offset")
    # Without y and the option, each call has to look whether its offsets have the last one.
    told = len(offsets) - (last is not False)
    number = len(y) if y is not None else 0 if last is None and told >= 0 else told
    bags, count = number or RUNTIME, len(index) or RUNTIME  # a kernel for a number of them has at least one
    return InferredRequest(
        {
            "bags": bags,
            "n": n,
            "size": size,
            "count": count,
            "dtype": type_of("x", x),
            "index": type_of("index", index),
            **leading_of("x", x, False),
        }
    )


def _one_head(request: Callable[..., Kernel]) -> Callable[[dict[str, Any]], object]:
    return lambda fixed: request(_heads_of(fixed.get("masks")), 1, 2, 2, **fixed)


def _heads_of(masks: Sequence[int] | None) -> int:
    """Return a number of heads that may have so many masks; what is no such number is refused by the request."""
    return masks[0] * masks[1] if masks and len(masks) == 2 else 1


def _one(request: Callable[..., Kernel]) -> Callable[[dict[str, Any]], object]:
    return lambda fixed: request(**{"m": 1, "n": 1, **fixed})


def _nothing(fixed: dict[str, Any]) -> None:
    """Check nothing here; the first call reports errors."""


def _check_equation(fixed: dict[str, Any]) -> object:
    if not callable(fixed["function"]):
        raise TypeError(f"equation: a Python function of expressions, not {fixed['function']!r}")
    return eltwise.equation(**{**fixed, **dict.fromkeys(required(fixed["function"], ()), (1, 1))})


READERS: dict[Callable[..., Any], Reader] = {
    products.brgemm: Reader((3, 3, 3), ("m", "n"), _product, _check_product),
    eltwise.unary: Reader((2, 2), ("m", "n", "bcast"), _elementwise("unary", 1), _one(eltwise.unary)),
    eltwise.binary: Reader((2, 2, 2), ("m", "n", "bcast"), _elementwise("binary", 2), _one(eltwise.binary)),
    eltwise.ternary: Reader((2, 2, 2, 2), ("m", "n", "bcast"), _elementwise("ternary", 3), _one(eltwise.ternary)),
    eltwise.equation: Reader((2,), (), _equation, _check_equation),
    reduce.reduce: Reader((2, 2, 2, 2), ("m", "n"), _reduction, _one(reduce.reduce)),
    transforms.transpose: Reader((2, 2), ("m", "n"), _transpose, _one(transforms.transpose)),
    transforms.transform: Reader((2, 2), ("m", "n"), _transpose, _nothing),
    gather.gather: Reader((2, 2, 2), ("m", "n", "size"), _moved("gather"), _nothing),
    gather.scatter: Reader((2, 2, 2), ("m", "n", "size"), _moved("scatter"), _nothing),
    gather.embedding_bag: Reader((2, 1, 1, 1, 2), ("bags", "n", "size", "count"), _bag, _nothing),
    attention.attention: Reader(
        (3,), infer_attention.TOLD, infer_attention.reader(False), _one_head(attention.attention)
    ),
    attention.attention_inv: Reader(
        (3,), infer_attention.TOLD, infer_attention.reader(True), _one_head(attention.attention_inv)
    ),
}
"""The readers by request function; that of `ts.fused` is imported only for it."""

FUSED = "fused"


def reader_of(request: Any) -> Reader | None:
    """Return the reader of a request function, or None if there is none."""
    found = READERS.get(request) if callable(request) else None
    if found is None and getattr(request, "__name__", "") == FUSED and request is dispatch_fused.fused:
        made: Reader = dispatch_fused.READER
        return made
    return found


SEEDED = ("dropout", "dropout_mask", "random", "round_stochastic", "uniform")
"""Primitives that take numbers before y."""


def axes_of(request: Callable[..., Any], fixed: dict[str, Any]) -> tuple[int, ...]:
    """Return, for each argument that is looked at, the most axes of an array that the handle's kernels accept."""
    if request is eltwise.unary:
        return (2,) * (5 if fixed["name"] in SEEDED else 2)
    if request is eltwise.equation:  # a seed may come before y
        return (2,) * (len(required(fixed["function"], ())) + 2)
    if getattr(request, "__name__", "") == FUSED:
        axes: tuple[int, ...] = dispatch_fused.axes_of(fixed)
        return axes
    if request in (attention.attention, attention.attention_inv):
        names = infer_attention.names_of(fixed, request is attention.attention_inv)
        several = fixed.get("masks", (1, 1)) != (1, 1)
        return tuple({"mask": 2 + several, "lse": 2, "seen": 1, "seed": 1}.get(name, 3) for name in names)
    return READERS[request].axes


def with_np(args: Sequence[Any]) -> Given:
    """Return the arguments, with None in place of those that are not arrays."""
    return [each if type(each) is np.ndarray else None for each in args]
