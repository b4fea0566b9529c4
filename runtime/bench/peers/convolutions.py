"""Convolutions of other libraries: PyTorch in each layout, and onnxruntime. Weights are packed, and results checked,
before anything is timed."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from ...arguments.arrays import Array
from ..measure import Contender, PythonCall
from .elementwise import torch_module
from .products import BaselineMissing

LAYOUTS = "torch NCHW", "torch NHWC", "torch blocked"


def images_of(array: Array) -> Array:
    """Return sequences as images of one row: layouts of torch and quantized convolutions of ONNX have two axes."""
    return array[:, :, None] if array.ndim == 3 else array


def tensors(torch: ModuleType, array: Array, bf16: bool) -> dict[str, Any]:
    """Return an array as tensors of torch in the layouts of images, by the layouts' names."""
    dense = torch.from_numpy(np.ascontiguousarray(images_of(array), np.float32))
    dense = dense.bfloat16() if bf16 else dense
    orders = zip(LAYOUTS, (torch.contiguous_format, torch.channels_last))
    return {name: dense.contiguous(memory_format=order) for name, order in orders}


_ALONE = {"stride": 1, "padding": 0, "dilation": 1}


def _four(given: Mapping[str, int], taps: int) -> tuple[list[int], list[int], list[int]]:
    """Return the stride, padding and dilation of two axes, of which a sequence has the second one only."""
    alone = taps == 3
    of = {name: [rest if alone else given[name], given[name]] for name, rest in _ALONE.items()}
    return of["stride"], of["padding"], of["dilation"]


def torch_forward(x: Array, w: Array, given: Mapping[str, int], bf16: bool, wanted: Array) -> dict[str, Contender]:
    """Return torch's convolution in its layouts, and with blocked operands; without torch none.

    given    stride, padding and dilation, a number each, and groups
    wanted   the result, with which theirs is compared
    """
    torch = torch_module()
    if torch is None:
        return {}
    stride, padding, dilation = _four(given, x.ndim)
    groups, of_x, of_w = given["groups"], tensors(torch, x, bf16), tensors(torch, w, bf16)
    calls: dict[str, Any] = {
        name: partial(torch.nn.functional.conv2d, of_x[name], of_w[name], None, stride, padding, dilation, groups)
        for name in of_x
    }
    one, plain = (padding, stride, dilation), LAYOUTS[0]
    blocked = of_x[plain].to_mkldnn()
    packed = torch._C._nn.mkldnn_reorder_conv2d_weight(of_w[plain].to_mkldnn(), *one, groups, list(blocked.shape))
    calls[LAYOUTS[2]] = partial(torch.mkldnn_convolution, blocked, packed, None, *one, groups)
    with torch.no_grad():
        for name, call in calls.items():
            found = call()
            dense = (found.to_dense() if found.is_mkldnn else found).float().numpy()
            check(name, dense, images_of(wanted), 0.02 if bf16 else 1e-3)
    return {name: PythonCall(_without_gradients(torch, call)) for name, call in calls.items()}


def _without_gradients(torch: ModuleType, call: Callable[[], object]) -> Callable[[], None]:
    def called() -> None:
        with torch.no_grad():
            call()

    return called


def torch_backward(
    dy: Array, x: Array, w: Array, given: Mapping[str, int], bf16: bool, wanted: str
) -> dict[str, Contender]:
    """Return torch's gradient by the data or by the weights, "dx" or "dw", in its layouts."""
    torch = torch_module()
    if torch is None:
        return {}
    stride, padding, dilation = _four(given, x.ndim)
    held = [tensors(torch, each, bf16) for each in (dy, x, w)]
    mask = [wanted == "dx", wanted == "dw", False]
    last = None, stride, padding, dilation, False, [0, 0], given["groups"], mask
    backward = torch.ops.aten.convolution_backward
    return {name: PythonCall(partial(backward, *(each[name] for each in held), *last)) for name in held[0]}


def torch_volumes(
    x: Array, w: Array, given: Mapping[str, int], wanted: Array | None, threads: int = 1
) -> Contender | None:
    """Return torch's convolution of f32 with channels last, of any number of axes; None without torch.

    wanted   the result, with which theirs is compared, or None
    """
    torch = torch_module(threads)
    if torch is None:
        return None
    a, b = (torch.from_numpy(np.moveaxis(np.ascontiguousarray(np.moveaxis(each, 1, -1)), -1, 1)) for each in (x, w))
    function = getattr(torch.nn.functional, f"conv{x.ndim - 2}d")
    call = partial(function, a, b, None, *(given[name] for name in ("stride", "padding", "dilation", "groups")))
    with torch.no_grad():
        if wanted is not None:
            check("torch", call().numpy(), wanted, 1e-3)
    return PythonCall(_without_gradients(torch, call))


def torch_quantized(x: Array, w: Array, given: Mapping[str, int], scale: float, threads: int = 1) -> Contender | None:
    """Return torch's convolution of u8 by i8 with channels last and results of u8; None without torch.

    scale   of the sums
    """
    torch = torch_module(threads)
    if torch is None:
        return None
    dims = x.ndim - 2
    first, last = (torch.from_numpy(np.array(each, order="C")) for each in (x, w))
    lying = torch.channels_last if dims == 2 else torch.channels_last_3d
    warnings.filterwarnings("ignore", "torch.quantize_per_tensor", UserWarning)  # it says that these types will go
    a = torch._make_per_tensor_quantized_tensor(first, 1.0, 0).contiguous(memory_format=lying)
    b = torch._make_per_tensor_quantized_tensor(last, scale, 0)
    each = [[given[name]] * dims for name in ("stride", "padding", "dilation")]
    packed = getattr(torch.ops.quantized, f"conv{dims}d_prepack")(b, None, *each, given["groups"])
    return PythonCall(partial(getattr(torch.ops.quantized, f"conv{dims}d"), a, packed, 1.0, 0))


def onnx_forward(x: Array, w: Array, given: Mapping[str, int], wanted: Array, threads: int = 1) -> Contender:
    """Return onnxruntime's convolution of f32. Raises BaselineMissing without the library."""
    made = _session("Conv", {"x": x}, {"w": w}, attributes(w, given), wanted, threads=threads)
    check("onnxruntime", made.found(), wanted, 1e-3)
    return made.call


def onnx_integers(x: Array, w: Array, given: Mapping[str, int], wanted: Array) -> tuple[Contender, bool]:
    """Return onnxruntime's convolution of u8 by i8 with sums of i32, and whether they are exact."""
    made = _session("ConvInteger", {"x": x}, {"w": w}, attributes(w, given), wanted)
    return made.call, np.array_equal(made.found(), wanted)


def onnx_quantized(
    x: Array, w: Array, given: Mapping[str, int], scale: float, wanted: Array, last: bool, threads: int = 1
) -> tuple[Contender, float]:
    """Return onnxruntime's convolution of u8 by i8 with results of u8, and the largest difference from `wanted`.

    scale   of the sums
    last    whether images have channels last, by an operator of its own domain
    """
    one, zero = np.float32(1), np.uint8(0)
    more = {"xs": one, "xz": zero, "w": w, "ws": np.float32(scale), "wz": np.int8(0), "ys": one, "yz": zero}
    of = attributes(w, given) | ({"channels_last": 1} if last else {})
    lying, result = (np.ascontiguousarray(each.transpose(0, 2, 3, 1)) if last else each for each in (x, wanted))
    domain = "com.microsoft" if last else ""
    made = _session("QLinearConv", {"x": lying}, more, of, result, domain, threads)
    return made.call, float(np.abs(made.found().astype(int) - result.astype(int)).max())


def attributes(w: Array, given: Mapping[str, int]) -> dict[str, int | list[int]]:
    """Return the attributes of ONNX's convolutions."""
    dims = w.ndim - 2
    return {
        "kernel_shape": list(w.shape[2:]),
        "strides": [given["stride"]] * dims,
        "pads": [given["padding"]] * (2 * dims),
        "dilations": [given["dilation"]] * dims,
        "group": given["groups"],
    }


class _Session:
    """A model of one operator with its array bound."""

    def __init__(self, session: Any, binding: Any, keep: object) -> None:
        self._binding, self._keep = binding, keep
        self.call = PythonCall(partial(session.run_with_iobinding, binding))

    def found(self) -> Array:
        """Return the result."""
        self.call.run(1)
        return np.asarray(self._binding.copy_outputs_to_cpu()[0])


def _session(
    operator: str,
    given: dict[str, Array],
    constants: Mapping[str, Array | np.generic],
    of: Mapping[str, int | list[int]],
    wanted: Array,
    domain: str = "",
    threads: int = 1,
) -> _Session:
    try:
        onnx, runtime = importlib.import_module("onnx"), importlib.import_module("onnxruntime")
    except ImportError:
        raise BaselineMissing("onnxruntime: not installed; pip install onnxruntime onnx") from None
    helper, types = importlib.import_module("onnx.helper"), onnx.helper.np_dtype_to_tensor_dtype
    (name, array), inputs = next(iter(given.items())), [*given, *constants]
    node = helper.make_node(operator, inputs, ["y"], domain=domain, **of)
    stored = [onnx.numpy_helper.from_array(np.asarray(value), each) for each, value in constants.items()]
    infos = [helper.make_tensor_value_info(n, types(a.dtype), a.shape) for n, a in ((name, array), ("y", wanted))]
    graph = helper.make_graph([node], "one", infos[:1], infos[1:], stored)
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=8)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding, held = session.io_binding(), np.ascontiguousarray(array)
    value = runtime.OrtValue.ortvalue_from_numpy(held)
    binding.bind_ortvalue_input(name, value)
    binding.bind_output("y")
    return _Session(session, binding, (held, value))


def check(name: str, found: Array, wanted: Array, relative: float) -> None:
    """Raise AssertionError if a result is another one, so that its time says nothing."""
    far = float(np.abs(found.astype(np.float64) - wanted.astype(np.float64)).max())
    most = relative * max(1.0, float(np.abs(wanted.astype(np.float64)).max()))
    assert far <= most, f"{name}: a result that is {far} from ours"


def best_of(best: Mapping[str, float], names: Sequence[str]) -> float:
    """Return the least time of these contenders, NaN without any."""
    return min((best[name] for name in names if name in best), default=float("nan"))
