"""`matmul` on arrays. Shapes, types and strides of a call select the kernel; machine code calls those of small
products.

What happens between `ts.matmul(a, b)` and the first instruction of a kernel:

1. The object `matmul` is called through machine code (`fastcall/dispatch_code.py`), which finds the kernel of these
   types, shapes and strides in `PRODUCTS.table`. The kernel's entry checks the arrays, and runs.
2. Other calls, such as those with an epilogue, go to `_called`, below, which finds their plan in `PRODUCTS.found`.
3. If there is none, `_computed` checks the call, and `PRODUCTS.planned` (`products.py`) plans it.
4. The plan, a `PlannedCall` (`calls.py`), brings the arrays into the normal form of a product, and runs a kernel, a
   nest or a loop.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr.trace import behind_first, settled
from ..arguments.arrays import Array, as_array, numpy_dtype, overlap, overlaps_itself
from ..arguments.compressed import form_of
from ..arguments.factors import native, types_of
from ..arguments.foreign_arrays import returned
from ..arguments.tracebacks import shortened
from ..fastcall import entry
from ..fastcall.foreign import all_accepted_tensors, of_tensor
from ..host import detect as host
from ..kernel import accuracy
from ..kernel.reads import state_of
from ..kernel.request_cache import forgetting
from ..system.torch_compile import leave_trace, untraced
from ..threads.policy import checked, workers_of
from .calls import OfTensors, PlannedCall, aligned, in_place
from .product_shapes import (
    Computed,
    Drawn,
    GivenOperand,
    ProductShapes,
    Results,
    Work,
    as_vector,
    beside_of,
    first_of,
    is_drawn,
    is_vector,
    shapes_of,
)
from .products import AXES, Products

if TYPE_CHECKING:
    from ..api.typed import TargetLike

_COUNTS = frozenset({type(None), int, np.int64})  # types of threads= whose calls are kept
PRODUCTS = Products()


def _called(
    a: Any,
    b: Any,
    out: Any = None,
    *,
    epilogue: Callable[..., Any] | None = None,
    operands: Mapping[str, Any] | None = None,
    dtype: Any = None,
    threads: int | None = None,
    target: TargetLike = None,
) -> Any:
    leave_trace()
    try:
        asked = _Asked(epilogue, operands, dtype, threads, target)
        key = _key(a, b, out, asked)
        call = PRODUCTS.found.get(key)
        if call is not None:
            made = call(a, b, out, threads, operands.values() if operands else ())
            if made is not None:
                return made
        form = form_of((a, b))
        made = _computed(a, b, out, asked, key) if form is None else _by_weights(a, b, form, out, asked)
    except (TypeError, ValueError, IndexError) as error:
        raise shortened(error)  # noqa: B904
    if out is not None and not (type(out) is tuple and any(each is None for each in out)):
        return out
    return made if type(a) is np.ndarray and (form is not None or type(b) is np.ndarray) else returned(made, (a, b))


_called.__qualname__ = _called.__name__ = "matmul"


class Matmul:
    """matmul(a, b, out=None, *, epilogue=None, operands=None, dtype=None, threads=None, target=None): a @ b, as in
    numpy.

    a, b      arrays of any library: vectors, matrices, or batches of matrices, whose leading axes are broadcast. Any
              strides are allowed; a matrix that is neither row-major nor column-major is copied first. b may also be
              compressed weights (ts.compressed)
    out       an array for the result, returned as well; None: a new array of the library that a and b are of. It may
              overlap a, b and operands: the product is then computed elsewhere and copied. If the epilogue returns
              several results, a tuple with an array or None for each
    epilogue  a function that is applied to C, as in ts.brgemm: lambda c, bias: ts.relu(c + bias). It may be written in
              the call; values that it reads are those of each call. If it returns a tuple, so does the call: values of
              C's shape, and comparisons as masks with a bit for each element, (m, ceil(n / 8)). It may draw random
              numbers, whose seed is given by its name among the operands: {"seed": 7}
    operands  arrays for its other parameters, by name: {"bias": bias}. Each has C's shape, or is one row (n,), column
              (m, 1) or element of it; with more axes, there is one per product of the batch. An operand of C's shape
              whose order differs from C's is copied first
    dtype     the element type of the result, or a tuple with one for each result, None for those of masks. None: that
              of a and b; i32 for integers of 8 and 16 bits, f32 for floats of 8
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits
    target    a target whose code this machine runs, "avx2" on one of AVX-512; None: this machine

    Products of up to 160^3 multiplications (60^3 of f32 and f64 by rows, if there are several cores) are one BRGEMM on
    the arrays in place, unless up to four rows are multiplied by a matrix that L2 does not hold; larger ones are cut
    into blocks, as by ts.gemm. The old contents of out are not read. Raises
    ValueError for shapes that do not fit, TypeError for f32 by f64, UnsupportedError for types that no kernel takes.
    """

    __name__ = "matmul"
    __signature__ = inspect.Signature(
        [each.replace(annotation=each.empty) for each in inspect.signature(_called).parameters.values()]
    )
    __slots__ = ("__weakref__",)

    def __new__(cls) -> Matmul:
        """Return an object whose calls machine code handles, if this interpreter allows that: see `entry`."""
        native = entry.native_type(Matmul)
        made: Matmul = object.__new__(native.type if native else cls)
        return made

    def __init__(self) -> None:
        native = entry.native_of(self)
        if native:
            native.install(self, entry.finder(native, AXES, True), PRODUCTS.table.head, _called)

    @untraced
    def __call__(self, a: Any, b: Any, out: Any = None, **named: Any) -> Any:
        """Return the product: see `matmul`."""
        return _called(a, b, out, **named)

    def __reduce__(self) -> str:
        return "matmul"

    def __repr__(self) -> str:
        return "<function matmul of tilesmith>"


class _Asked(NamedTuple):
    """The keywords of a call."""

    epilogue: Callable[..., Any] | None
    operands: Mapping[str, Any] | None
    dtype: Any
    threads: int | None
    target: TargetLike = None


def _key(a: Any, b: Any, out: Any, asked: _Asked) -> Any:
    """Return the key of a call. Those of tensors are without strides, which machine code checks. It is None for calls
    whose plans are not kept: with arrays that are not all numpy's own nor all tensors of torch, or with an epilogue
    whose trace is not known yet."""
    epilogue, operands, dtype, threads, target = asked
    several = type(out) is tuple
    outs = out if several else (out,)
    numpys = type(a) is type(b) is np.ndarray and all(each is None or type(each) is np.ndarray for each in outs)
    if several and not numpys:
        return None
    if not numpys and not all_accepted_tensors((a, b) if out is None else (a, b, out)):
        return None
    if type(threads) not in _COUNTS or not (dtype is None or isinstance(dtype, (str, type, np.dtype, tuple))):
        return None
    if target is not None and not isinstance(target, (str, Target)):
        return None
    plain: tuple[Any, ...]
    if numpys:
        lies = [None if each is None else (each.dtype, each.shape, each.strides) for each in outs]
        into = tuple(lies) if several else lies[0]
        plain = a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides, into, threads, dtype, target
    else:
        plain = a.dtype, a.shape, b.dtype, b.shape, None if out is None else out.dtype, threads, dtype, target
    if epilogue is None:
        return plain if operands is None else None
    extras: Any = ()
    lying: tuple[Any, ...] = ()
    if operands is not None and type(operands) is not dict:
        return None
    if operands:
        extras = operands.values()
        for name, each in operands.items():
            if numpys and (type(each) is Drawn or type(each) is int and is_drawn(epilogue, name)):
                lying += (Drawn,)
                continue
            if type(each) is not np.ndarray if numpys else not all_accepted_tensors((each,)):
                return None
            lying += (each.dtype, each.shape, each.strides) if numpys else (each.shape,)
        lying += tuple(operands)
    read = state_of(epilogue)
    if read is None:
        read = PRODUCTS.traces.key(_types(a, b, out, dtype, extras), epilogue, operands or ())
    return None if read is None else (read, accuracy.of_process or accuracy.default_accuracy(), plain, lying)


def _types(a: Any, b: Any, out: Any, dtype: Any, extras: Iterable[Any]) -> tuple[Any, ...]:
    """Return the types of arrays or tensors, which decide those of a trace."""
    c = first_of(out)
    arrays = [each.dtype for each in extras if not isinstance(each, int)]
    return a.dtype, b.dtype, None if c is None else c.dtype, dtype, *arrays


def _computed(a: Any, b: Any, out: Any, asked: _Asked, key: Any) -> Computed:
    """Return the product of arrays for which no call was kept, or whose call does not take arrays at such addresses."""
    x, y, z, given = _arrays(a, b, out, asked)
    epilogue, _, dtype, threads, target = asked
    seen = asked._replace(operands=given or None)
    own = key if key is not None and type(a) is np.ndarray else _key(x, y, z, seen)
    kept = None if own is key else PRODUCTS.found.get(own)  # one that was kept under `key` did not take these arrays
    if kept is not None and not isinstance(kept, OfTensors):
        call = kept
    else:
        work, extras = _checked(x, y, z, given, asked)
        if work.beside is None and not in_place(x, y, first_of(z), tuple(extras.values())):
            return _elsewhere(x, y, z, given, asked)
        call = PRODUCTS.asked(work, x, y, first_of(z), extras, list(given))
        if work.epilogue is not None:
            PRODUCTS.traces.keep(_types(x, y, z, dtype, given.values()), work.epilogue, given)
            tensors = (asked.operands or {}).values()
            if all_accepted_tensors((a, b, *tensors) if out is None else (a, b, out, *tensors)):
                PRODUCTS.traces.keep(_types(a, b, out, dtype, tensors), work.epilogue, given)
            if own != _key(x, y, z, seen):
                own = None  # it was traced with other values than it reads now
    count = threads if threads is None or type(threads) in _COUNTS else checked(threads, "threads")
    to: Any = z  # a tuple only if the call has several results
    made: Computed | None = call(x, y, to, count, given.values())
    if made is None:
        return _elsewhere(x, y, z, given, asked)
    if own is not None and call is not kept:
        PRODUCTS.keep(own, call)
        if epilogue is dtype is threads is None and target is None:
            c = first_of(z)
            PRODUCTS.let_machine_code_find(call, (x, y) if c is None else (x, y, c))
    if own is not None and key is not None and key is not own and isinstance(call, PlannedCall) and call.direct:
        PRODUCTS.keep(key, OfTensors(call))
    return made


def planned(
    a: object,
    b: object,
    out: object,
    *,
    dtype: object = None,
    epilogue: Callable[..., object] | None = None,
    operands: Mapping[str, object] | None = None,
) -> tuple[PlannedCall, tuple[Array, Array, Array], tuple[Array, ...]]:
    """Return how `matmul` computes such arrays, for callers who keep it; and the arrays as numpy's, those of the
    epilogue in the kernel's order."""
    asked = _Asked(epilogue, operands, dtype, None)
    x, y, z, given = _arrays(a, b, out, asked)
    assert isinstance(z, np.ndarray)
    work, found = _checked(x, y, z, given, asked)
    extras = {name: each for name, each in found.items() if not isinstance(each, int)}
    return PRODUCTS.planned(work, x, y, z, extras, list(given)), (x, y, z), tuple(extras.values())


def _by_weights(a: Any, b: Any, form: Any, out: Any, asked: _Asked) -> Array:
    """Return the product by compressed weights: of all rows of a, as they lie in memory or copied."""
    x, _, into, given = _arrays(a, _ONE, out, asked)
    drawn = [name for name, each in given.items() if isinstance(each, int)]
    if isinstance(into, tuple) or isinstance(asked.dtype, tuple) or drawn:
        raise UnsupportedError(
            f"{drawn[0] if drawn else 'out, dtype'}: a product by compressed weights has one result and no random "
            "numbers; compute others from it"
        )
    z = first_of(into)
    native("a", x)
    shapes = shapes_of(x.shape, (form.k, form.n), None if z is None else z.shape)
    types = types_of(x, _ONE.astype(numpy_dtype(form.dtype) if form.dtype else x.dtype), z, asked.dtype)
    if z is not None:
        _check_output(z)
        if not z.flags.writeable:
            raise ValueError("out: a writable array, this one is read-only")
    found = _extras(asked.epilogue, given, shapes, types[2])
    extras = {name: each for name, each in found.items() if not isinstance(each, int)}
    rows = np.ascontiguousarray(x.reshape(-1, form.k))
    rows = rows if rows.flags.aligned else rows.copy()
    flat = ProductShapes((), len(rows), form.n, form.k, (len(rows), form.n), (False, False))
    own = z is not None and z.flags.c_contiguous and z.flags.aligned
    to = z.reshape(flat.result) if own and z is not None else np.empty(flat.result, numpy_dtype(types[2]))
    if own and any(overlap(to, each) for each in (rows, b.data, *extras.values())):
        to, own = np.empty_like(to), False
    if to.size:
        traced = settled(asked.epilogue) if callable(asked.epilogue) else None
        threads = None if asked.threads is None else checked(asked.threads, "threads")
        flattened = {name: _in_rows(each, shapes, flat) for name, each in extras.items()}
        work = Work(flat, types, traced, threads, target=_runs_here(asked.target))
        product = PRODUCTS.by_weights(work, form, flattened)
        lying = [as_vector(each) if is_vector(each) else np.ascontiguousarray(each) for each in flattened.values()]
        product.multiply((rows, b, to, *lying), {}, workers_of(threads, None))
    made: Array = to.reshape(shapes.result)
    if z is not None and not own:
        z[...] = made
    return made


_ONE = np.zeros((1, 1), np.float32)
"""Stands for b in checks of types."""


def _in_rows(operand: Array, shapes: ProductShapes, flat: ProductShapes) -> Array:
    """Return an operand of the epilogue for the rows of all products of a batch."""
    seen = shapes.operand(operand)
    if is_vector(seen) and seen.size in (1, flat.n) and (seen.ndim < 2 or seen.shape[-2] == 1):
        return seen.reshape(1, -1)
    whole = np.broadcast_to(seen, (*shapes.batch, shapes.m, seen.shape[-1]))
    return np.ascontiguousarray(whole).reshape(flat.m, seen.shape[-1])


def _elsewhere(a: Array, b: Array, out: Results, given: Mapping[str, GivenOperand], asked: _Asked) -> Computed:
    """Return the product of arrays that are not aligned, which are copied, or into an array that overlaps another one:
    into a new array, which is copied."""
    operands = {name: each if isinstance(each, int) else aligned(each) for name, each in given.items()}
    if isinstance(out, tuple) or isinstance(asked.dtype, tuple):  # several results find memory for themselves
        return _computed(aligned(a), aligned(b), out, asked._replace(operands=operands or None), None)
    if out is not None and not out.flags.writeable:
        raise ValueError("out: a writable array, this one is read-only")
    to = None if out is None else np.empty(out.shape, out.dtype)
    made = _computed(aligned(a), aligned(b), to, asked._replace(operands=operands or None), None)
    if out is None:
        return made
    out[...] = made
    return out


# Checks of a call


def _arrays(a: Any, b: Any, out: Any, asked: _Asked) -> tuple[Array, Array, Results, dict[str, GivenOperand]]:
    """Return the arrays of a call as numpy's own, those of several results as a tuple, and the operands of the epilogue
    by name. Numbers that are no parameter of it, as the seed of random numbers, stay numbers."""
    x, y = _array("a", a), _array("b", b)
    if type(out) is tuple:
        z: Results = tuple(None if each is None else _array(f"out[{at}]", each) for at, each in enumerate(out))
    else:
        z = None if out is None else _array("out", out)
    if asked.operands is not None and not isinstance(asked.operands, Mapping):
        raise TypeError(f'operands: arrays by name, as {{"bias": bias}}, not {type(asked.operands).__name__}')
    given: dict[str, GivenOperand] = {}
    names = behind_first(asked.epilogue, asked.operands) if callable(asked.epilogue) and asked.operands else ()
    for name, each in (asked.operands or {}).items():
        if isinstance(each, (int, np.integer)) and name not in names:
            given[name] = Drawn(each)
        elif isinstance(each, (int, float)):  # a number has the type of the arithmetic
            wide = types_of(x, y, first_of(z), first_of(asked.dtype))[2] == "f64"
            given[name] = np.array(each, np.float64 if wide else np.float32)
        else:
            given[name] = _array(name, each)
    return x, y, z, given


def _array(name: str, value: Any) -> Array:
    found = value if type(value) is np.ndarray else of_tensor(name, value)
    return found if type(found) is np.ndarray else as_array(name, found)


def _checked(
    a: Array, b: Array, out: Results, given: Mapping[str, GivenOperand], asked: _Asked
) -> tuple[Work, dict[str, GivenOperand]]:
    """Check the arguments of a call. Return the product, and the operands of its epilogue in the kernel's order."""
    epilogue, _, dtype, threads, target = asked
    native("a", a), native("b", b)
    outs = out if isinstance(out, tuple) else (out,)
    for at, each in enumerate(outs):
        if each is not None:
            _check_output(each, f"out[{at}]" if len(outs) > 1 else "out")
    c = first_of(out)
    shapes = shapes_of(a.shape, b.shape, None if c is None else c.shape)
    types = types_of(a, b, c, first_of(dtype))
    traced = settled(epilogue) if callable(epilogue) else None
    count = None if threads is None else checked(threads, "threads")
    work = Work(shapes, types, traced, count, target=_runs_here(target))
    extras = _extras(epilogue, given, shapes, types[2])
    return work._replace(beside=beside_of(work, extras, out, dtype)), extras


def _runs_here(target: TargetLike) -> Target | None:
    """Return a target whose code this machine executes; None for this machine."""
    if target is None:
        return None
    try:
        found = host.native(target)
    except UnsupportedError as error:
        raise UnsupportedError(f"{error}; ts.gemm(m, n, k, target=...).run(a, b, c) computes in the emulator") from None
    return None if found is host.host() else found


def _check_output(array: Array, name: str = "out") -> None:
    """Raise ValueError if two elements of the array for a result share memory, or if it is read-only."""
    if overlaps_itself(array):
        raise ValueError(
            f"{name}: must have memory of its own for each element, not strides {array.strides}, with which "
            "many elements share one place"
        )
    native(name, array)


def _extras(
    epilogue: Callable[..., object] | None, given: Mapping[str, GivenOperand], shapes: ProductShapes, of_c: str
) -> dict[str, GivenOperand]:
    """Return the operands of the epilogue, one for each of its parameters that has no default."""
    if epilogue is None:
        if given:
            raise TypeError(
                f"operands: only an epilogue takes operands ({', '.join(map(str, given))}), and epilogue= was not given"
            )
        return {}
    names = behind_first(epilogue, given)[1:]
    missing = [name for name in names if name not in given]
    if missing:
        raise TypeError(
            f"operands: {', '.join(missing)} missing, which the epilogue takes; give arrays by name, as "
            f'{{"{missing[0]}": {missing[0]}}}'
        )
    ordered = dict.fromkeys([*names, *given])  # as kernels take them; what is no parameter, the request refuses
    return {name: _operand(name, given[name], shapes, of_c) for name in ordered}


def _operand(name: str, array: GivenOperand, shapes: ProductShapes, of_c: str) -> GivenOperand:
    """Return an operand of the epilogue, after a check of its type and axes. A number is checked by the call."""
    if isinstance(array, int):
        return array
    if array.dtype == np.int64 and of_c != "f64":
        raise TypeError(
            f"operands: {name} must not be int64, which only arithmetic of f64 reads; "
            f"{name}.astype(np.int32) converts it, or {name}.to(torch.int32) of a tensor"
        )
    if shapes.operand(array).ndim > 2 + len(shapes.batch):
        raise ValueError(
            f"operands: {name} must not have more axes than the result, whose shape is {shapes.result}, "
            f"not {array.shape}"
        )
    return native(name, array)


forgetting.append(PRODUCTS.forget)
matmul = Matmul()
